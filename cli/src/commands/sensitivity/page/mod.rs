//! The answer as one page: bars, a heat map, Morris's plane, tubes, and tables.

mod bars;
mod heat;
mod plane;

use super::answer::{Answer, percent, with_interval};
use super::uncertainty::Uncertainty;
use crate::args::Global;
use crate::number;
use crate::page::{Line, Plot, Shade, document, escape, row, table};

/// So many tubes are drawn: those that are widest at the end.
const TUBES: usize = 12;

pub(super) fn write(answer: &Answer, global: Option<Global>) -> String {
    let (verdict, note) = match (answer.findings.first(), global) {
        (Some(first), Some(Global::Morris)) => (
            format!("`{}` has the largest mean effect", first.name),
            "Bars: the root of the sum of squares of mean effects over all rows, per unit of probability.",
        ),
        (Some(first), Some(Global::Sobol)) => (
            format!("`{}` makes {} of the variance, with all it acts together with", first.name, percent(first.total)),
            "Bars: total indices of all rows together; the darker part is what a parameter does alone. Whiskers: the interval.",
        ),
        (Some(first), None) => (
            format!("`{}` makes {} of the variance to first order", first.name, percent(first.first)),
            "Bars: shares of the variance, each parameter's derivative times its standard deviation, squared.",
        ),
        (None, _) => (String::from("no parameter"), ""),
    };
    let doubts: String =
        answer.doubts().iter().map(|doubt| format!("<p class=\"verdict bad\">{}</p>\n", escape(doubt))).collect();
    let heading = ["parameter", "value", "sd", "unit", "share", "with others", answer.what, "largest at", "held"];
    let rows = answer.findings.iter().map(|f| {
        let cells = [
            f.name.clone(),
            number::five(f.value),
            number::five(f.sd),
            f.unit.to_owned(),
            percent(f.first),
            percent(f.total),
            number::five(f.derivative),
            f.row.clone(),
            f.held.to_owned(),
        ];
        row(&cells, None)
    });
    let body = format!(
        "<main>\n<h1>{}</h1>\n<p class=\"verdict\">{}</p>\n{doubts}{}<p class=\"note\">{}</p>\n{}{}{}{}</main>\n",
        escape(&answer.title),
        escape(&verdict),
        bars::bars(answer),
        escape(note),
        heat::section(answer),
        plane::section(answer),
        answer.uncertainty.as_ref().map_or_else(String::new, uncertainty),
        table(&heading, rows),
    );
    document(&format!("gradyn sensitivity: {}", answer.title), "", &body)
}

/// Tubes of two standard deviations with samples in them, and a table.
fn uncertainty(found: &Uncertainty) -> String {
    let mut tubes: Vec<_> = found.tubes.iter().collect();
    let at_end = |sd: &[(f64, f64)]| sd.last().map_or(0.0, |(_, sd)| *sd);
    tubes.sort_by(|a, b| at_end(&b.sd).total_cmp(&at_end(&a.sd)));
    let figures = tubes.iter().take(TUBES).map(|tube| {
        let plot = Plot {
            x: "s".into(),
            y: format!("{}, from the plan", tube.row),
            lines: vec![Line { class: "claimed", points: tube.sd.iter().map(|(t, _)| (*t, 0.0)).collect() }],
            shades: vec![Shade::Between(tube.sd.iter().map(|(t, sd)| (*t, -2.0 * sd, 2.0 * sd)).collect())],
            dots: tube.dots.clone(),
            ..Plot::default()
        };
        plot.figure("")
    });
    let figures: String = figures.collect();
    let note = "Shaded: two standard deviations to first order. Dots: samples, simulated.";
    let figures = if figures.is_empty() {
        figures
    } else {
        format!("<div class=\"figures\">\n{figures}</div>\n<p class=\"note\">{note}</p>\n")
    };
    let wrong: Vec<&str> = found.disagreements().iter().map(|s| s.row.as_str()).collect();
    let rows = found.scatter.iter().map(|s| {
        let cells = [s.row.clone(), number::five(s.first), with_interval(s.sampled), with_interval(s.shift)];
        row(&cells, Some(!wrong.contains(&s.row.as_str())))
    });
    let heading = ["output", "sd to first order", "by samples", "mean less value"];
    format!("<h2>How far it scatters <small>{} samples</small></h2>\n{figures}{}", found.samples, table(&heading, rows))
}
