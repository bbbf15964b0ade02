//! Measured motion from a CSV file.

use crate::error::Error;
use crate::input;
use crate::nearest::nearest;
use crate::robot::Robot;
use gradyn_sensitivity::identify::Data;
use std::path::Path;

/// Reads `time`, `q.JOINT`, `v.JOINT`, `tau.JOINT`, and `a.JOINT` if it is there.
pub(super) fn read(path: &Path, robot: &Robot) -> Result<Data, Error> {
    let (file, bytes) = input::bytes(path)?;
    let refuse = |line: usize, reason: String| Error::States { file: format!("{file}, line {line}"), reason };
    let text = String::from_utf8(bytes).map_err(|_| refuse(1, "expected UTF-8 text".into()))?;
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((_, heading)) = lines.next() else { return Err(refuse(1, "expected a heading, found nothing".into())) };
    let heading: Vec<&str> = heading.split(',').map(str::trim).collect();
    if robot.model.nq() != robot.model.nv() {
        return Err(refuse(1, "data with a column a joint are of robots whose joints have one number each".into()));
    }
    let joints = robot.model.dof_names();
    let find = |name: &str| heading.iter().position(|column| *column == name);
    let need = |name: &str| {
        find(name).ok_or_else(|| {
            let nearest = nearest(name, heading.iter().copied()).unwrap_or_default();
            refuse(1, format!("there is no column `{name}`{nearest}"))
        })
    };
    let time = need("time")?;
    let columns =
        |what: &str| joints.iter().map(|joint| need(&format!("{what}.{joint}"))).collect::<Result<Vec<_>, _>>();
    let (q, v, tau) = (columns("q")?, columns("v")?, columns("tau")?);
    let has_a = joints.iter().any(|joint| find(&format!("a.{joint}")).is_some());
    let a = if has_a { Some(columns("a")?) } else { None };
    let mut data = Data { time: vec![], q: vec![], v: vec![], a: vec![], tau: vec![] };
    for (number, line) in lines {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != heading.len() {
            let (expected, found) = (heading.len(), fields.len());
            return Err(refuse(number + 1, format!("expected {expected} numbers, as many as names, found {found}")));
        }
        let number_of = |column: usize| {
            let x: Option<f64> = fields[column].parse().ok();
            x.filter(|x| x.is_finite()).ok_or_else(|| {
                refuse(number + 1, format!("`{}` of column `{}` is no finite number", fields[column], heading[column]))
            })
        };
        let all = |columns: &[usize]| columns.iter().map(|column| number_of(*column)).collect::<Result<Vec<_>, _>>();
        data.time.push(number_of(time)?);
        data.q.push(all(&q)?);
        data.v.push(all(&v)?);
        data.tau.push(all(&tau)?);
        data.a.push(match &a {
            Some(a) => all(a)?,
            None => vec![0.0; joints.len()],
        });
    }
    if data.len() < 3 {
        return Err(refuse(1, format!("expected three samples at least, found {}", data.len())));
    }
    Ok(if has_a { data } else { data.with_differenced_accelerations() })
}
