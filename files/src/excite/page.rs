//! The motion as one page: what it tells, what it uses of the limits, each joint over time.

use super::stance::HeldFeet;
use super::{finite, verdict};
use crate::number;
use crate::page::{Line, Plot, document, escape, row, table};
use crate::robot::Robot;
use gradyn_sensitivity::excite::{Excitation, ExciteOptions, LimitKind};

/// So many points of a line are drawn.
const POINTS: usize = 800;

/// The page.
pub fn write(robot: &Robot, (options, held): (&ExciteOptions, Option<&HeldFeet>), found: &Excitation) -> String {
    let samples = &found.samples;
    let every = samples.len().div_ceil(POINTS).max(1);
    let mut figures = String::new();
    // Of a robot on its feet positions are those of the base in its pose, then of joints; and torques those of motors.
    let (positions, torques) = match (&found.loads, held) {
        (Some(loads), Some(held)) => (&held.positions(&robot.model, &samples.q), &loads.motors),
        _ => (&samples.q, &samples.tau),
    };
    for (j, of) in found.uses.iter().enumerate() {
        for (what, rows, kind) in
            [("position", positions, 0), ("velocity", &samples.v, 1), ("predicted torque", torques, 3)]
        {
            // Nothing drives a base that floats.
            if kind == 3 && held.is_some_and(|held| !held.motors(&robot.model).any(|dof| dof == j)) {
                continue;
            }
            let points = (0..samples.len()).step_by(every).map(|i| (samples.time[i], rows[i][j])).collect();
            let plot = Plot {
                x: "s".into(),
                y: format!("{what} of {}", of.joint),
                lines: vec![Line { class: "found", points }],
                ..Plot::default()
            };
            let used = of.largest[kind]
                .map_or(String::from("Not limited."), |used| format!("{:.1} % of its limit at most.", 100.0 * used));
            figures.push_str(&plot.figure(&escape(&used)));
        }
    }
    let deviations = found.base.iter().enumerate().map(|(at, name)| {
        row(&[name.clone(), finite(found.found.deviations[at]), finite(found.random.deviations[at])], None)
    });
    let deviations = table(&["base parameter", "± expected deviation", "of the random motion"], deviations);
    let uses = found.uses.iter().map(|of| {
        let used = of.largest.map(|used| used.map_or(String::new(), |used| format!("{:.1} %", 100.0 * used)));
        let cells: Vec<String> = [of.joint.clone()].into_iter().chain(used).collect();
        row(&cells, None)
    });
    let heading: Vec<&str> = ["joint"].into_iter().chain(LimitKind::ALL.map(LimitKind::name)).collect();
    let uses = table(&heading, uses);
    let good = found.status.converged() && found.found.rank == found.base.len();
    let title = format!("gradyn excite: {}", robot.model.name());
    let line = escape(&format!(
        "{} s, {} harmonics, {} samples. Condition {} (random motion: {}), log det {} ({}). {}.",
        options.period,
        options.harmonics,
        samples.len(),
        number::five(found.found.condition),
        number::five(found.random.condition),
        finite(found.found.log_det),
        finite(found.random.log_det),
        found.status
    ));
    let body = format!(
        "<main>\n<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n<p>{line}</p>\n\
         <h2>Largest use of the limits</h2>\n{uses}<h2>Motion</h2>\n<div class=\"figures\">\n{figures}</div>\n\
         <h2>Expected deviations</h2>\n{deviations}</main>\n",
        escape(&title),
        if good { "good" } else { "bad" },
        escape(&verdict(found)),
    );
    document(&title, "", &body)
}
