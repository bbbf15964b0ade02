//! The motion that tells the most about parameters: a verdict, JSON, a table, a page.

mod page;
mod stance;

pub use page::write as page;
pub use stance::HeldFeet;

use crate::number;
use crate::robot::Robot;
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::excite::{Excitation, ExciteOptions, Quality};
use serde_json::{Value, json};
use std::fmt::Write;

/// Columns as `gradyn identify --data` reads them.
pub fn csv(robot: &Robot, held: Option<&HeldFeet>, found: &Excitation) -> String {
    let names = robot.model.dof_names();
    let heading = |what: &'static str| names.iter().map(move |joint| format!("{what}.{joint}"));
    let mut columns: Vec<String> = ["v", "a"].into_iter().flat_map(heading).collect();
    match held {
        None => columns = heading("q").chain(columns).chain(heading("tau")).collect(),
        Some(held) => {
            columns = held.coordinates(&robot.model).into_iter().chain(columns).collect();
            columns.extend(held.motors(&robot.model).map(|dof| format!("tau.{}", names[dof])));
            columns.extend(held.force_names());
        }
    }
    let mut text = format!("time,{}\n", columns.join(","));
    let samples = &found.samples;
    for (i, time) in samples.time.iter().enumerate() {
        let _ = write!(text, "{time:?}");
        let motion = [&samples.q[i], &samples.v[i], &samples.a[i]].into_iter().flatten().copied();
        let row: Vec<f64> = match (held, &found.loads) {
            (Some(held), Some(loads)) => {
                let motors = held.motors(&robot.model).map(|dof| loads.motors[i][dof]);
                motion.chain(motors).chain(loads.forces[i].iter().copied()).collect()
            }
            _ => motion.chain(samples.tau[i].iter().copied()).collect(),
        };
        for x in row {
            let _ = write!(text, ",{x:?}");
        }
        text.push('\n');
    }
    text
}

/// The motion in a sentence.
pub fn verdict(found: &Excitation) -> String {
    if found.found.rank < found.base.len() {
        return format!(
            "the motion does not identify everything: {} of {} base parameters ({})",
            found.found.rank,
            found.base.len(),
            found.status
        );
    }
    let gain = if found.gain.is_finite() {
        format!("deviations are {} times smaller in the mean than by the random motion", number::five(found.gain))
    } else {
        String::from("all base parameters are identifiable, which they are not by the random motion")
    };
    if found.status.converged() { gain } else { format!("{gain}, but the optimizer {}", found.status) }
}

/// A number, where it is one.
pub fn finite(x: f64) -> String {
    if x.is_finite() { number::five(x) } else { String::from("not identifiable") }
}

/// The motion for programs.
pub fn json(
    robot: &Robot,
    (parameters, held): (&Parameters, Option<&HeldFeet>),
    options: &ExciteOptions,
    found: &Excitation,
) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let quality =
        |of: &Quality| json!({ "rank": of.rank, "condition": number(of.condition), "log_det": number(of.log_det) });
    let base = |(at, name): (usize, &String)| {
        let (now, before) = (found.found.deviations[at], found.random.deviations[at]);
        json!({ "name": name, "parameter": found.parameters[found.columns[at]], "deviation": number(now), "random": number(before) })
    };
    let parameter = |(k, p): (usize, &gradyn_sensitivity::Parameter)| {
        let deviation = found.deviation(k).map_or(Value::Null, number);
        json!({ "name": p.name(), "unit": p.unit(), "value": p.nominal(), "deviation": deviation })
    };
    let used = |of: &gradyn_sensitivity::excite::Use| {
        let [position, velocity, acceleration, effort] = of.largest;
        json!({ "joint": of.joint, "position": position, "velocity": velocity, "acceleration": acceleration, "effort": effort })
    };
    let names = robot.model.dof_names();
    let joint = |(j, dof): (usize, &usize)| json!({ "joint": names[*dof], "start": found.series.start[j], "cosines": found.series.cosines[j], "sines": found.series.sines[j] });
    let mut answer = json!({
        "robot": robot.model.name(),
        "verdict": verdict(found),
        "status": found.status.to_string(),
        "converged": found.status.converged(),
        "iterations": found.iterations,
        "seed": options.seed,
        "period": options.period,
        "rate": options.rate,
        "noise": options.noise,
        "random": quality(&found.random),
        "found": quality(&found.found),
        "gain": number(found.gain),
        "base": found.base.iter().enumerate().map(base).collect::<Vec<_>>(),
        "parameters": parameters.iter().enumerate().map(parameter).collect::<Vec<_>>(),
        "limits": found.uses.iter().map(used).collect::<Vec<_>>(),
        "size": found.size,
        "series": found.degrees_of_freedom.iter().enumerate().map(joint).collect::<Vec<_>>(),
    });
    if let Some(held) = held {
        answer["contacts"] = json!(held.frames());
        answer["start"] = json!(found.samples.q.first());
    }
    answer
}
