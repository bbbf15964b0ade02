//! When which parameter matters: time by parameter.

use crate::commands::sensitivity::answer::Answer;
use crate::page::escape;

/// So many parameters have a line, and so many times a column.
const LINES: usize = 20;
const COLUMNS: usize = 100;

/// Colours from much to little, half a decade each.
const CLASSES: [&str; 5] = ["n0", "n1", "n2", "n3", "n4"];

/// The section, if there is anything over time.
pub(super) fn section(answer: &Answer) -> String {
    let Some(series) = &answer.series else { return String::new() };
    // Columns of the Jacobians are in the order of the selection, findings in that of their size.
    let mut names: Vec<(&str, f64)> = answer.selected.iter().map(|(name, sd)| (name.as_str(), *sd)).collect();
    names.truncate(series.jacobians.first().map_or(0, nalgebra::DMatrix::ncols));
    let size = |node: usize, k: usize| series.jacobians[node].column(k).norm() * names[k].1;
    let place = |name: &str| names.iter().position(|(other, _)| *other == name);
    let shown: Vec<usize> = answer.findings.iter().filter_map(|f| place(&f.name)).take(LINES).collect();
    let nodes = series.time.len();
    if nodes < 2 || shown.is_empty() {
        return String::new();
    }
    let columns = nodes.min(COLUMNS);
    let node = |column: usize| column * (nodes - 1) / (columns - 1).max(1);
    let largest = (0..columns).flat_map(|c| shown.iter().map(move |k| (c, *k)));
    let largest = largest.map(|(c, k)| size(node(c), k)).fold(f64::MIN_POSITIVE, f64::max);
    let (left, width, line) = (250.0, 760.0, 18.0);
    let (w, height) = ((width - left - 20.0) / columns as f64, line * shown.len() as f64 + 26.0);
    let label = escape(&format!("when parameters matter for {}", answer.title));
    let mut svg = format!(
        "<figure class=\"heat\">\n<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\" font-size=\"12\">\n"
    );
    for (i, k) in shown.iter().enumerate() {
        let y = line * i as f64;
        let (at, name) = (left - 8.0, escape(names[*k].0));
        svg.push_str(&format!("<text class=\"end\" x=\"{at:.1}\" y=\"{:.1}\">{name}</text>\n", y + 13.0));
        for c in 0..columns {
            let halves = -2.0 * (size(node(c), *k) / largest).log10();
            let Some((_, class)) = (1_u8..).zip(CLASSES).find(|(below, _)| halves < f64::from(*below)) else {
                continue;
            };
            let x = left + w * c as f64;
            svg.push_str(&format!(
                "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\"/>\n",
                y + 1.0,
                w + 0.3,
                line - 2.0
            ));
        }
    }
    let (first, last) = (series.time[0], series.time[nodes - 1]);
    for (x, class, t) in [(left, "middle", first), (width - 20.0, "end", last)] {
        let (y, t) = (height - 8.0, gradyn::text::short(t));
        svg.push_str(&format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{t} s</text>\n"));
    }
    svg.push_str("</svg>\n");
    let note = "Each parameter's standard deviation times the size of what it moves, over time: each colour is half a decade, the \
                darkest next to the most.";
    format!("<h2>When it matters</h2>\n{svg}<figcaption>{note}</figcaption>\n</figure>\n")
}
