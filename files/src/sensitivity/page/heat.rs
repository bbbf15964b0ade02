//! When which parameter matters: time by parameter.

use crate::number;
use crate::page::escape;
use crate::sensitivity::answer::Answer;

/// So many parameters have a line, and so many times a column.
const LINES: usize = 20;
const COLUMNS: usize = 100;

/// Colors from much to little, half a decade each.
const CLASSES: [&str; 5] = ["n0", "n1", "n2", "n3", "n4"];

/// The section, if there is anything over time.
pub(super) fn section(answer: &Answer) -> String {
    let Some(series) = &answer.series else { return String::new() };
    let names: Vec<(&str, f64)> =
        answer.findings.iter().map(|f| (f.column.name.as_str(), f.column.sd().unwrap_or(0.0))).collect();
    if series.jacobians.first().is_none_or(|j| j.ncols() != names.len()) {
        return String::new();
    }
    let size = |node: usize, k: usize| series.jacobians[node].column(k).norm() * names[k].1;
    let place = |name: &str| names.iter().position(|(other, _)| *other == name);
    let shown: Vec<usize> = answer.sorted().iter().filter_map(|f| place(&f.column.name)).take(LINES).collect();
    let nodes = series.time.len();
    if nodes < 2 || shown.is_empty() {
        return String::new();
    }
    let columns = nodes.min(COLUMNS);
    let node = |column: usize| column * (nodes - 1) / (columns - 1).max(1);
    let largest = (0..columns).flat_map(|c| shown.iter().map(move |k| (c, *k)));
    let largest = largest.map(|(c, k)| size(node(c), k)).fold(f64::MIN_POSITIVE, f64::max);
    // Names stand above their lines, so that both are readable on a narrow screen.
    let (left, width, line) = (8.0, 440.0, 32.0);
    let bottom = line * shown.len() as f64;
    let (w, height) = ((width - 2.0 * left) / columns as f64, bottom + 52.0);
    let label = escape(&format!("when parameters matter for {}", answer.title));
    let mut svg = format!(
        "<figure class=\"heat\">\n<svg viewBox=\"0 0 {width} {height}\" style=\"max-width: 640px\" role=\"img\" aria-label=\"{label}\" \
         font-size=\"12\">\n"
    );
    for (i, k) in shown.iter().enumerate() {
        let (y, name) = (line * i as f64, escape(names[*k].0));
        svg.push_str(&format!("<text x=\"{left}\" y=\"{:.1}\">{name}</text>\n", y + 13.0));
        for c in 0..columns {
            let halves = -2.0 * (size(node(c), *k) / largest).log10();
            let Some((_, class)) = (1_u8..).zip(CLASSES).find(|(below, _)| halves < f64::from(*below)) else {
                continue;
            };
            let x = left + w * c as f64;
            svg.push_str(&format!(
                "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"12\"/>\n",
                y + 17.0,
                w + 0.3
            ));
        }
    }
    let (first, last) = (series.time[0], series.time[nodes - 1]);
    let times = [("", 0.0), ("middle", 0.25), ("middle", 0.5), ("middle", 0.75), ("end", 1.0)];
    for (class, part) in times {
        let (x, t) = (left + part * (width - 2.0 * left), first + part * (last - first));
        let (y, t) = (bottom + 14.0, number::five(t));
        svg.push_str(&format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{t} s</text>\n"));
    }
    // The scale: from which part of the most on each color stands.
    for (k, (class, part)) in CLASSES.iter().zip(["32 %", "10 %", "3.2 %", "1 %", "0.32 %"]).enumerate() {
        let (x, y) = (left + 84.0 * k as f64, bottom + 28.0);
        svg.push_str(&format!("<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"14\" height=\"12\"/>\n"));
        svg.push_str(&format!("<text x=\"{:.1}\" y=\"{:.1}\">≥ {part}</text>\n", x + 18.0, y + 11.0));
    }
    svg.push_str("</svg>\n");
    let note = "Each parameter's standard deviation times the size of what it moves, over time, as a part of the most that is shown.";
    format!("<h2>When it matters</h2>\n{svg}<figcaption>{note}</figcaption>\n</figure>\n")
}
