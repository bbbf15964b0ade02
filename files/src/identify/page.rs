//! The fit as one page: the verdict, measured against predicted torques, estimates.

use super::{half_width, is_good, verdict};
use crate::number;
use crate::page::{Line, Plot, Scale, Shade, document, escape, row, table};
use crate::robot::Robot;
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Compared, Data, Fit};
use std::ops::Range;

/// So many points of a line are drawn.
const POINTS: usize = 800;

/// The page.
pub fn write(
    robot: &Robot,
    parameters: &Parameters,
    data: &Data,
    found: &Fit,
    level: f64,
    warnings: &[String],
) -> String {
    let every = found.compared.len().div_ceil(POINTS).max(1);
    let seen = |i: usize| !found.held_out.iter().any(|range| range.contains(&i));
    let times =
        |range: &Range<usize>| Some(Shade::Columns(*data.time.get(range.start)?, *data.time.get(range.end - 1)?));
    let shades: Vec<Shade> = found.held_out.iter().filter_map(times).collect();
    let compared = || found.compared.iter().step_by(every);
    let mut figures = String::new();
    for (j, joint) in found.joints.iter().enumerate() {
        let line = |class: &'static str, of: &dyn Fn(&Compared) -> Option<f64>| Line {
            class,
            points: compared().filter_map(|row| Some((data.time[row.sample], of(row)?))).collect(),
        };
        let plot = Plot {
            x: "s".into(),
            y: format!("torque of {}, N m", joint.joint),
            scales: [Scale::Linear, Scale::Linear],
            lines: vec![
                line("claimed", &|row| Some(row.measured[j])),
                line("found", &|row| seen(row.sample).then_some(row.predicted[j])),
                line("wrong", &|row| (!seen(row.sample)).then_some(row.predicted[j])),
            ],
            shades: shades.clone(),
            ..Plot::default()
        };
        let held = if joint.held_out.is_nan() {
            String::new()
        } else {
            format!(", {} N m over what was held out (red, shaded)", number::five(joint.held_out))
        };
        let caption = format!("Measured (blue) and predicted: residual {} N m{held}.", number::five(joint.fitted));
        figures.push_str(&plot.figure(&escape(&caption)));
        let left = |row: &Compared| row.measured[j] - row.predicted[j];
        let plot = Plot {
            x: "s".into(),
            y: format!("residual of {}, N m", joint.joint),
            lines: vec![
                line("found", &|row| seen(row.sample).then(|| left(row))),
                line("wrong", &|row| (!seen(row.sample)).then(|| left(row))),
            ],
            shades: shades.clone(),
            ..Plot::default()
        };
        figures.push_str(&plot.figure("Measured less predicted: noise, where the robot explains the data."));
    }
    let rows = parameters.iter().enumerate().map(|(k, p)| {
        let half = half_width(found, k, level).map_or("not identifiable".to_owned(), number::five);
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
    let level_in_words = format!("± (interval at {} %)", number::five(100.0 * level));
    let heading = ["parameter", "before", "found", level_in_words.as_str(), "unit", "held"];
    let estimates = table(&heading, rows);
    let cannot: String = found.cannot_tell.iter().map(|s| format!("<li>{}</li>\n", escape(s))).collect();
    let odd: String = warnings.iter().map(|w| format!("<li>{}</li>\n", escape(w))).collect();
    let section = |title: &str, list: &str| {
        if list.is_empty() { String::new() } else { format!("<h2>{title}</h2>\n<ul>\n{list}</ul>\n") }
    };
    let good = is_good(found);
    let explained: String = found.explanations.iter().map(|s| format!("<li>{}</li>\n", escape(s))).collect();
    let title = format!("gradyn identify: {}", robot.model.name());
    let body = format!(
        "<main>\n<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n{}{}{}<h2>Estimates</h2>\n{estimates}{}\
         <h2>Torques</h2>\n<div class=\"figures\">\n{figures}</div>\n</main>\n",
        escape(&title),
        if good { "good" } else { "bad" },
        escape(&verdict(found)),
        section("What would explain the data", &explained),
        section("Combinations that these data cannot identify", &cannot),
        section("What is odd about the data", &odd),
        ellipses(found, level),
    );
    document(&title, "", &body)
}

/// So many pairs are drawn.
const PAIRS: usize = 3;

/// The regions that hold two estimates together at this level, of the pairs that are correlated most.
fn ellipses(found: &Fit, level: f64) -> String {
    let Some(covariance) = &found.estimate.covariance else { return String::new() };
    // Two normal numbers lie within r standard deviations together with the probability 1 − exp(−r²/2).
    let r = (-2.0 * (1.0 - level).ln()).sqrt();
    let pairs = found.estimate.correlated(0.0).into_iter().take(PAIRS).map(|(a, b, correlation)| {
        let (sa, sb) = (covariance[(a, a)].sqrt(), covariance[(b, b)].sqrt());
        let (at, bt) = (found.estimate.parameters[a], found.estimate.parameters[b]);
        let point = |k: u32| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 90.0).sin_cos();
            // A root of [1 ρ; ρ 1].
            let other = correlation * cos + (1.0 - correlation * correlation).max(0.0).sqrt() * sin;
            (at + r * sa * cos, bt + r * sb * other)
        };
        let plot = Plot {
            x: found.parameters[a].clone(),
            y: found.parameters[b].clone(),
            lines: vec![Line { class: "claimed", points: (0..=90).map(point).collect() }],
            dots: vec![(at, bt)],
            ..Plot::default()
        };
        plot.figure(&format!("Correlation {correlation:.3}; both are within at {:.0} %.", 100.0 * level))
    });
    let figures: String = pairs.collect();
    if figures.is_empty() {
        return figures;
    }
    format!("<h2>Pairs that are correlated most</h2>\n<div class=\"figures\">\n{figures}</div>\n")
}
