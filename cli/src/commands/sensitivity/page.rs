//! The answer as one page: bars, and a table.

use super::{Answer, percent};
use crate::args::Global;
use crate::number;
use crate::page::{STYLE, escape, row, table};

/// So many bars are drawn; the rest is one.
const BARS: usize = 15;

pub(super) fn write(answer: &Answer, global: Option<Global>) -> String {
    let title = escape(&format!("gradyn sensitivity: {}", answer.title));
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
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n<p class=\"verdict\">{}</p>\n{}<p class=\"note\">{}</p>\n{}</main>\n</body>\n</html>\n",
        escape(&answer.title),
        escape(&verdict),
        bars(answer),
        escape(note),
        table(&heading, rows),
    )
}

/// The largest first, the rest as one bar.
fn bars(answer: &Answer) -> String {
    let (width, line, left) = (760.0, 24.0, 250.0);
    let shown: Vec<_> = answer.findings.iter().take(BARS).collect();
    let rest: f64 = answer.findings.iter().skip(BARS).map(|f| f.size.max(0.0)).sum();
    let high = |f: &super::Finding| f.total.or(f.first).map_or(f.size, |x| x.high().max(f.size));
    let largest = shown.iter().map(|f| high(f)).fold(rest, f64::max).max(f64::MIN_POSITIVE);
    let scale = (width - left - 20.0) / largest;
    let count = shown.len() + usize::from(rest > 0.0);
    let height = line * count as f64 + 8.0;
    let mut svg = format!(
        "<figure class=\"bars\">\n<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\" font-size=\"12\">\n",
        escape(&format!("which parameters matter for {}", answer.title))
    );
    let mut bar = |k: usize, name: &str, total: f64, alone: Option<f64>, ends: Option<(f64, f64)>| {
        let y = line * k as f64 + 4.0;
        svg.push_str(&format!(
            "<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            left - 8.0,
            y + 14.0,
            escape(name)
        ));
        let rect = |x: f64, style: &str| {
            format!(
                "<rect x=\"{left}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" style=\"{style}\"/>\n",
                y + 2.0,
                (x * scale).max(0.0),
                line - 8.0
            )
        };
        svg.push_str(&rect(total, "fill: var(--n2)"));
        if let Some(alone) = alone {
            svg.push_str(&rect(alone, "fill: var(--n1)"));
        }
        if let Some((low, high)) = ends {
            let (a, b, at) = (left + low.max(0.0) * scale, left + high.max(0.0) * scale, y + 0.5 * line - 2.0);
            svg.push_str(&format!(
                "<path d=\"M{a:.1} {at:.1}H{b:.1}\" style=\"stroke: var(--ink); stroke-width: 1.5\"/>\n"
            ));
        }
    };
    for (k, f) in shown.iter().enumerate() {
        let of = f.total.or(f.first);
        let ends = of.filter(|x| x.half_width.is_some()).map(|x| (x.low(), x.high()));
        bar(k, &f.name, f.size, f.total.and(f.first).map(|x| x.value), ends);
    }
    if rest > 0.0 {
        let name = format!("{} others", answer.findings.len() - BARS);
        bar(shown.len(), &name, rest, None, None);
    }
    svg.push_str("</svg>\n</figure>\n");
    svg
}
