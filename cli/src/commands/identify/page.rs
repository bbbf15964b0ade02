//! The fit as one page: the verdict, measured against predicted torques, estimates.

use super::{half_width, verdict};
use crate::number;
use crate::page::{Line, Plot, STYLE, Scale, escape, row, table};
use crate::robot::Robot;
use gradyn::{Workspace, rnea};
use gradyn_sensitivity::identify::{Data, Fit};
use gradyn_sensitivity::{Parameters, SensitivityError};

/// So many points of a line are drawn.
const POINTS: usize = 800;

pub(super) fn write(
    robot: &Robot,
    parameters: &Parameters,
    data: &Data,
    found: &Fit,
    level: f64,
) -> Result<String, SensitivityError> {
    let model = parameters.robot_at(&found.estimate.parameters)?;
    let ws = &mut Workspace::new(&model);
    let every = data.len().div_ceil(POINTS).max(1);
    let mut predicted = Vec::new();
    for i in (0..data.len()).step_by(every) {
        let tau = rnea(&model, ws, &data.q[i], &data.v[i], &data.a[i], &[])?;
        predicted.push((i, tau.to_vec()));
    }
    let mut figures = String::new();
    for (j, joint) in found.joints.iter().enumerate() {
        let line = |class: &'static str, of: &dyn Fn(usize, &[f64]) -> Option<f64>| Line {
            class,
            points: predicted.iter().filter_map(|(i, tau)| Some((data.time[*i], of(*i, tau)?))).collect(),
        };
        let seen = |i: usize| !found.held_out.contains(&i);
        let plot = Plot {
            x: "s",
            y: format!("torque of {}, N m", joint.joint),
            scales: [Scale::Linear, Scale::Linear],
            lines: vec![
                line("claimed", &|i, _| Some(data.tau[i][j])),
                line("found", &|i, tau| seen(i).then_some(tau[j])),
                line("wrong", &|i, tau| (!seen(i)).then_some(tau[j])),
            ],
            clock: false,
        };
        let held = if joint.held_out.is_nan() {
            String::new()
        } else {
            format!(", {} N m over what was held out (red)", number::five(joint.held_out))
        };
        let caption = format!("Measured (blue) and predicted: {} N m are left{held}.", number::five(joint.fitted));
        figures.push_str(&plot.figure(&escape(&caption)));
    }
    let rows = parameters.iter().enumerate().map(|(k, p)| {
        let half = half_width(found, k, level).map_or("cannot be told".to_owned(), number::five);
        let cells = [
            p.name().to_owned(),
            number::five(p.nominal()),
            number::five(found.estimate.parameters[k]),
            half,
            p.unit().to_owned(),
            p.held().to_owned(),
        ];
        row(&cells, None)
    });
    let heading = ["parameter", "before", "found", "± half an interval", "unit", "held"];
    let estimates = table(&heading, rows);
    let cannot: String = found.cannot_tell.iter().map(|s| format!("<li>{}</li>\n", escape(s))).collect();
    let odd: String = found.warnings.iter().map(|w| format!("<li>{}</li>\n", escape(&w.to_string()))).collect();
    let section = |title: &str, list: &str| {
        if list.is_empty() { String::new() } else { format!("<h2>{title}</h2>\n<ul>\n{list}</ul>\n") }
    };
    let good = found.cannot_tell.is_empty() && found.not_physical.is_empty() && found.estimate.status.converged();
    let title = escape(&format!("gradyn identify: {}", robot.model.name()));
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"verdict {}\">{}</p>\n\
         {}{}<h2>Estimates</h2>\n{estimates}<h2>Torques</h2>\n<div class=\"figures\">\n{figures}</div>\n</main>\n</body>\n</html>\n",
        if good { "good" } else { "bad" },
        escape(&verdict(found)),
        section("What these data cannot tell", &cannot),
        section("What is odd about the data", &odd),
    ))
}
