//! Bars: the tornado, and Sobol's indices with their intervals.

use crate::commands::sensitivity::answer::{Answer, Finding};
use crate::page::escape;

/// So many bars are drawn; the rest is one.
const BARS: usize = 15;

/// The largest first, the rest as one bar.
pub(super) fn bars(answer: &Answer) -> String {
    let (width, line, left) = (760.0, 24.0, 250.0);
    let shown: Vec<_> = answer.findings.iter().take(BARS).collect();
    let rest: f64 = answer.findings.iter().skip(BARS).map(|f| f.size.max(0.0)).sum();
    let high = |f: &Finding| f.total.or(f.first).map_or(f.size, |x| x.high().max(f.size));
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
