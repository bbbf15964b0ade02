//! The answer as one page: bars, a heat map, Morris's plane, tubes, and tables.

mod bars;
mod heat;
mod plane;

use super::answer::{Answer, ByOutput, Finding};
use super::{Method, Uncertainty, percent, with_interval};
use crate::number;
use crate::page::{Line, Plot, Shade, document, escape, row, table};

/// So many tubes are drawn: those that are widest at the end.
const TUBES: usize = 12;

/// And so many pairs: those that make the most.
const PAIRS: usize = 15;

/// The whole page.
pub fn write(answer: &Answer, method: Method) -> String {
    let sorted = answer.sorted();
    let first = sorted.first().filter(|first| first.size.is_finite());
    let (verdict, note) = match (first, method) {
        (Some(first), Method::Morris) => (
            format!("`{}` has the largest mean effect", first.column.name),
            "Bars: the mean size of what a parameter does.",
        ),
        (Some(first), Method::Sobol) => (
            format!(
                "`{}` makes {} of the variance, with all it acts together with",
                first.column.name,
                percent(first.total)
            ),
            "Bars: total indices; the darker part is what a parameter does alone. Whiskers: the interval.",
        ),
        (Some(first), Method::Dgsm) => (
            format!(
                "`{}` makes at most {} of the variance, with all it acts together with",
                first.column.name,
                percent(first.total)
            ),
            "Bars: upper bounds of total indices, from derivatives. Whiskers: the interval.",
        ),
        (Some(first), Method::FirstOrder) => (
            format!("`{}` makes {} of the variance to first order", first.column.name, percent(first.first)),
            "Bars: shares of the variance, each parameter's derivative times its standard deviation, squared.",
        ),
        (None, _) if sorted.is_empty() => (String::from("no parameter"), ""),
        (None, _) => (String::from("no output has an index"), ""),
    };
    let doubts: String =
        answer.doubts().iter().map(|doubt| format!("<p class=\"verdict bad\">{}</p>\n", escape(doubt))).collect();
    let words: String =
        answer.words().iter().map(|words| format!("<p class=\"note\">{}</p>\n", escape(words))).collect();
    let body = format!(
        "<main>\n<h1>{}</h1>\n<p class=\"verdict\">{}</p>\n{doubts}{}<p class=\"note\">{}</p>\n{words}{}{}{}{}{}</main>\n",
        escape(&answer.title),
        escape(&verdict),
        bars::bars(answer),
        escape(note),
        heat::section(answer),
        plane::section(answer),
        answer.uncertainty.as_ref().map_or_else(String::new, |found| uncertainty(found, answer)),
        pairs(answer),
        tables(answer, &sorted),
    );
    document(&format!("gradyn sensitivity: {}", answer.title), STYLE, &body)
}

/// Words that stand last in a row are broken, so that no column is cut; on a narrow screen tables are moved instead.
const STYLE: &str = "main { max-width: 1240px; }\n\
                     @media print, (min-width: 700px) {\n  \
                     .broken td:last-child { white-space: normal; min-width: 9em; overflow-wrap: anywhere; }\n  \
                     .figures figure { flex-basis: 430px; }\n}\n";

/// Parameters, then outputs.
fn tables(answer: &Answer, sorted: &[&Finding]) -> String {
    let shown = |x: Option<f64>| x.filter(|x| !x.is_nan()).map_or(String::new(), number::five);
    let [share, with] = answer.headings();
    let heading = ["parameter", "value", "sd", "unit", "prior", share, with, answer.what, "largest at", "held"];
    let rows = sorted.iter().map(|f| {
        let column = &f.column;
        vec![
            column.name.clone(),
            shown(column.value),
            shown(column.sd()),
            column.unit.to_owned(),
            column.prior_name().to_owned(),
            percent(f.first),
            percent(f.total),
            with_unit(shown(Some(f.derivative)), &derivative_unit(answer, f)),
            f.row.clone(),
            if column.members.is_empty() { column.held.to_owned() } else { column.members.join(", ") },
        ]
    });
    let parameters = without_empty_columns(&heading, rows.collect());
    let heading = ["output", "unit", "sd", "the most of it"];
    let rows = answer.outputs.iter().map(|output| {
        let most = match &output.without {
            Some(why) => format!("no index: {why}"),
            None => most(answer, output),
        };
        vec![output.name.clone(), output.unit.to_owned(), shown(output.sd), most]
    });
    let outputs = without_empty_columns(&heading, rows.collect());
    format!("<h2>Parameters</h2>\n{parameters}<h2>By outputs</h2>\n{outputs}")
}

fn with_unit(number: String, unit: &str) -> String {
    if number.is_empty() || unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// Units of derivatives; shares and bounds have none.
fn derivative_unit(answer: &Answer, finding: &Finding) -> String {
    match answer.measure {
        "share" if !finding.unit.is_empty() => format!("{} per {}", finding.unit, finding.column.unit),
        "effect" => finding.unit.to_owned(),
        _ => String::new(),
    }
}

/// The three largest numbers of an output.
fn most(answer: &Answer, output: &ByOutput) -> String {
    let name = if output.measure("total").is_some() { "total" } else { answer.measure };
    let Some(of) = output.measure(name) else { return String::new() };
    let mut largest: Vec<usize> = (0..of.len()).filter(|k| of[*k].value > 0.0).collect();
    largest.sort_by(|a, b| of[*b].value.total_cmp(&of[*a].value));
    let one = |k: &usize| {
        let number = if answer.measure == "effect" { with_interval(of[*k]) } else { percent(Some(of[*k])) };
        format!("{} {number}", answer.findings[*k].column.name)
    };
    largest.iter().take(3).map(one).collect::<Vec<_>>().join(", ")
}

/// Shares that pairs make together.
fn pairs(answer: &Answer) -> String {
    if answer.pairs.is_empty() {
        return String::new();
    }
    let rows = answer
        .pairs
        .iter()
        .take(PAIRS)
        .map(|(one, other, both)| vec![one.clone(), other.clone(), percent(Some(*both))]);
    let table = without_empty_columns(&["parameter", "with", "share together"], rows.collect());
    format!("<h2>Pairs <small>beyond what each does alone</small></h2>\n{table}")
}

/// A table of the columns in which something stands; the last is broken where it is too long.
fn without_empty_columns(heading: &[&str], rows: Vec<Vec<String>>) -> String {
    let kept: Vec<usize> = (0..heading.len()).filter(|k| rows.iter().any(|row| !row[*k].is_empty())).collect();
    let of = |cells: &[String]| kept.iter().map(|k| cells[*k].clone()).collect::<Vec<_>>();
    let names: Vec<&str> = kept.iter().map(|k| heading[*k]).collect();
    let rows = rows.iter().map(|cells| row(&of(cells), None));
    format!("<div class=\"broken\">{}</div>\n", table(&names, rows))
}

/// Tubes of two standard deviations with samples in them, and a table.
fn uncertainty(found: &Uncertainty, answer: &Answer) -> String {
    let unit = |row: &str| answer.outputs.iter().find(|output| output.name == row).map_or("", |output| output.unit);
    let mut tubes: Vec<_> = found.tubes.iter().collect();
    let at_end = |sd: &[(f64, f64)]| sd.last().map_or(0.0, |(_, sd)| *sd);
    tubes.sort_by(|a, b| at_end(&b.sd).total_cmp(&at_end(&a.sd)));
    let figures = tubes.iter().take(TUBES).map(|tube| {
        let plot = Plot {
            x: "time, s".into(),
            y: format!("{}, {} from the plan", tube.row, unit(&tube.row)),
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
        let cells = [
            s.row.clone(),
            unit(&s.row).to_owned(),
            number::five(s.first),
            with_interval(s.sampled),
            with_interval(s.shift),
        ];
        row(&cells, Some(!wrong.contains(&s.row.as_str())))
    });
    let heading = ["output", "unit", "sd to first order", "by samples", "mean less value"];
    format!("<h2>How far it scatters <small>{} samples</small></h2>\n{figures}{}", found.samples, table(&heading, rows))
}
