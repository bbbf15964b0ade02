//! Measured motion from CSV files.

use crate::args::TimeUnit;
use crate::error::Error;
use crate::input;
use crate::nearest::nearest;
use crate::robot::Robot;
use gradyn_sensitivity::identify::Data;
use std::path::Path;

/// How files are to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    pub(super) degrees: bool,
    pub(super) time: TimeUnit,
}

/// Motion and torques of all files, one after the other with a gap between, and what is odd about them.
pub(super) fn read_all(paths: &[impl AsRef<Path>], robot: &Robot, units: Units) -> Result<(Data, Vec<String>), Error> {
    let mut warnings = Vec::new();
    let mut all: Option<Data> = None;
    for path in paths {
        let mut data = read(path.as_ref(), robot, units, &mut warnings)?;
        match &mut all {
            None => all = Some(data),
            Some(all) => {
                // A file begins a hundred steps behind the one before, so that no difference reaches across.
                let end = all.time.last().copied().unwrap_or(0.0);
                let step = (data.time[data.len() - 1] - data.time[0]) / (data.len() - 1) as f64;
                let shift = end + 100.0 * step - data.time[0];
                all.time.extend(data.time.iter().map(|t| t + shift));
                all.q.append(&mut data.q);
                all.v.append(&mut data.v);
                all.a.append(&mut data.a);
                all.tau.append(&mut data.tau);
            }
        }
    }
    // Clap asks for one at least.
    Ok((all.unwrap_or(Data { time: vec![], q: vec![], v: vec![], a: vec![], tau: vec![] }), warnings))
}

/// Commas between names, or semicolons as spreadsheets write them where the comma is the decimal sign, or tabs.
fn separator(heading: &str) -> char {
    let count = |sign: char| heading.matches(sign).count();
    [';', '\t'].into_iter().find(|sign| count(*sign) > count(',')).unwrap_or(',')
}

/// Reads `time`, `q.JOINT`, `v.JOINT`, `tau.JOINT`, and `a.JOINT` if it is there.
fn read(path: &Path, robot: &Robot, units: Units, warnings: &mut Vec<String>) -> Result<Data, Error> {
    let (file, bytes) = input::bytes(path)?;
    let refuse = |line: usize, reason: String| Error::States { file: format!("{file}, line {line}"), reason };
    let text = String::from_utf8(bytes).map_err(|_| refuse(1, "expected UTF-8 text".into()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((_, heading)) = lines.next() else { return Err(refuse(1, "expected a heading, found nothing".into())) };
    let separator = separator(heading);
    let unquoted = |field: &str| field.trim().trim_matches('"').trim().to_owned();
    let heading: Vec<String> = heading.split(separator).map(unquoted).collect();
    if robot.model.nq() != robot.model.nv() {
        return Err(refuse(1, "data with a column a joint are of robots whose joints have one number each".into()));
    }
    let joints = robot.model.dof_names();
    let find = |name: &str| heading.iter().position(|column| column == name);
    let need = |name: &str| {
        find(name).ok_or_else(|| {
            let nearest = nearest(name, heading.iter().map(String::as_str)).unwrap_or_default();
            refuse(1, format!("there is no column `{name}`{nearest}"))
        })
    };
    let time = need("time")?;
    let columns =
        |what: &str| joints.iter().map(|joint| need(&format!("{what}.{joint}"))).collect::<Result<Vec<_>, _>>();
    let (q, v, tau) = (columns("q")?, columns("v")?, columns("tau")?);
    let has_a = joints.iter().any(|joint| find(&format!("a.{joint}")).is_some());
    let a = if has_a { Some(columns("a")?) } else { None };
    let used: Vec<usize> =
        [time].into_iter().chain(q.iter().chain(&v).chain(&tau).chain(a.iter().flatten()).copied()).collect();
    let known: Vec<String> = ["q", "v", "a", "tau"]
        .iter()
        .flat_map(|what| joints.iter().map(move |joint| format!("{what}.{joint}")))
        .chain(["time".to_owned()])
        .collect();
    for (k, name) in heading.iter().enumerate().filter(|(k, _)| !used.contains(k)) {
        warnings.push(if find(name) != Some(k) {
            format!("{file}: column `{name}` stands twice: the first one is read")
        } else {
            let nearest = nearest(name, known.iter().map(String::as_str)).unwrap_or_default();
            format!("{file}: column `{name}` is not read{nearest}")
        });
    }
    let mut data = Data { time: vec![], q: vec![], v: vec![], a: vec![], tau: vec![] };
    let turn = if units.degrees { std::f64::consts::PI / 180.0 } else { 1.0 };
    let mut twice: Option<(usize, usize)> = None;
    let mut last = 0;
    for (number, line) in lines {
        let fields: Vec<String> = line.split(separator).map(unquoted).collect();
        if fields.len() != heading.len() {
            let (expected, found) = (heading.len(), fields.len());
            return Err(refuse(number + 1, format!("expected {expected} numbers, as many as names, found {found}")));
        }
        let number_of = |column: usize| {
            let field = &fields[column];
            let x: Option<f64> = match separator {
                ',' => field.parse().ok(),
                _ => field.replacen(',', ".", 1).parse().ok(),
            };
            x.filter(|x| x.is_finite()).ok_or_else(|| {
                refuse(number + 1, format!("`{field}` of column `{}` is no finite number", heading[column]))
            })
        };
        let all = |columns: &[usize], scale: f64| {
            columns.iter().map(|column| Ok(scale * number_of(*column)?)).collect::<Result<Vec<_>, Error>>()
        };
        let t = number_of(time)? * units.time.seconds();
        if let Some(before) = data.time.last().filter(|before| t <= **before) {
            // The same sample again: a logger that asks twice before the robot has news.
            if t.to_bits() == before.to_bits() {
                twice = Some(twice.map_or((number + 1, 1), |(first, count)| (first, count + 1)));
                continue;
            }
            let reason = format!("time {t} s is before time {before} s of line {last}: expected times that grow");
            return Err(refuse(number + 1, reason));
        }
        last = number + 1;
        data.time.push(t);
        data.q.push(all(&q, turn)?);
        data.v.push(all(&v, turn)?);
        data.tau.push(all(&tau, 1.0)?);
        data.a.push(match &a {
            Some(a) => all(a, turn)?,
            None => vec![0.0; joints.len()],
        });
    }
    if let Some((line, count)) = twice {
        let (s, these) = if count == 1 { ("", "it is") } else { ("s", "these are") };
        warnings.push(format!(
            "{file}: {count} time{s} the time of the line before, first in line {line}: {these} left out"
        ));
    }
    if data.len() < 3 {
        return Err(refuse(1, format!("expected three samples at least, found {}", data.len())));
    }
    let samples = data.len();
    let data = if has_a { data } else { data.with_differenced_accelerations() };
    if data.len() < 3 {
        let reason = format!(
            "{samples} samples leave {} with accelerations: differences need two neighbors on each side, \
             without a gap; give `a.JOINT`",
            data.len()
        );
        return Err(refuse(1, reason));
    }
    Ok(data)
}
