//! Bars over a scale: the tornado, and Sobol's indices with their intervals. Names stand above their bars, so that both
//! are readable on a narrow screen.

use crate::number;
use crate::page::escape;
use crate::sensitivity::answer::{Answer, Finding};

/// So many bars are drawn; the rest is one.
const BARS: usize = 15;

/// Of the picture, in its own units, and of one bar with its name.
const WIDTH: f64 = 440.0;
const LINE: f64 = 36.0;
/// Of the scale below.
const SCALE: f64 = 34.0;
const MARGIN: f64 = 8.0;

/// The largest first, the rest, of shares, as one bar; nothing where no number is known.
pub(super) fn bars(answer: &Answer) -> String {
    let sorted: Vec<&Finding> = answer.sorted().into_iter().filter(|f| f.size.is_finite()).collect();
    if sorted.is_empty() {
        return String::new();
    }
    let shown = &sorted[..sorted.len().min(BARS)];
    let is_share = answer.measure != "effect";
    // Shares add up; effects do not.
    let others = sorted.iter().skip(BARS).filter(|_| is_share);
    let rest: f64 = others.map(|f| f.size.max(0.0)).sum();
    let high = |f: &Finding| f.total.or(f.first).map_or(f.size, |x| x.high().max(f.size));
    let largest = shown.iter().map(|f| high(f)).fold(rest, f64::max).max(f64::MIN_POSITIVE);
    let every = step(largest);
    let ticks = (largest / every).ceil().max(1.0);
    let scale = (WIDTH - 2.0 * MARGIN - 20.0) / (ticks * every);
    let bottom = LINE * (shown.len() + usize::from(rest > 0.0)) as f64 + 4.0;
    let height = bottom + SCALE;
    let mut svg = format!(
        "<figure class=\"bars\">\n<svg viewBox=\"0 0 {WIDTH} {height}\" style=\"max-width: 640px\" role=\"img\" aria-label=\"{}\" \
         font-size=\"12\">\n",
        escape(&format!("which parameters matter for {}", answer.title))
    );
    // At most six numbers below.
    for k in 0..=ticks as usize {
        let x = MARGIN + k as f64 * every * scale;
        svg.push_str(&format!("<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"2\" y2=\"{bottom:.1}\"/>\n"));
        let tick = k as f64 * every;
        let text = if is_share { format!("{} %", number::five(100.0 * tick)) } else { number::five(tick) };
        let class = if k == 0 { "" } else { " class=\"middle\"" };
        svg.push_str(&format!("<text{class} x=\"{x:.1}\" y=\"{:.1}\">{text}</text>\n", bottom + 14.0));
    }
    svg.push_str(&format!("<text x=\"{MARGIN}\" y=\"{:.1}\">{}</text>\n", bottom + 29.0, escape(&unit(answer))));
    let mut bar = |k: usize, name: &str, total: f64, alone: Option<f64>, ends: Option<(f64, f64)>| {
        let y = LINE * k as f64;
        svg.push_str(&format!("<text x=\"{MARGIN}\" y=\"{:.1}\">{}</text>\n", y + 14.0, escape(name)));
        let rect = |x: f64, style: &str| {
            format!(
                "<rect x=\"{MARGIN}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" style=\"{style}\"/>\n",
                y + 19.0,
                (x * scale).max(0.0)
            )
        };
        svg.push_str(&rect(total, "fill: var(--n2)"));
        if let Some(alone) = alone.filter(|alone| alone.is_finite()) {
            svg.push_str(&rect(alone, "fill: var(--n1)"));
        }
        if let Some((low, high)) = ends {
            let (a, b, at) = (MARGIN + low.max(0.0) * scale, MARGIN + high.max(0.0) * scale, y + 25.0);
            svg.push_str(&format!(
                "<path d=\"M{a:.1} {at:.1}H{b:.1}\" style=\"stroke: var(--ink); stroke-width: 1.5\"/>\n"
            ));
        }
    };
    for (k, f) in shown.iter().enumerate() {
        let of = f.total.or(f.first);
        let ends = of.filter(|x| x.half_width.is_some()).map(|x| (x.low(), x.high()));
        bar(k, &f.column.name, f.size, f.total.and(f.first).map(|x| x.value), ends);
    }
    if rest > 0.0 {
        let name = format!("{} others", sorted.len() - BARS);
        bar(shown.len(), &name, rest, None, None);
    }
    svg.push_str("</svg>\n</figure>\n");
    svg
}

/// What bars are in.
fn unit(answer: &Answer) -> String {
    match answer.measure {
        "effect" => format!("mean effect, {}, by {}", answer.plane_unit, answer.per),
        "bound" => String::from("of the variance, at most"),
        _ => String::from("of the variance"),
    }
}

/// 1, 2 or 5 times a power of ten, of which up to six span the range.
fn step(largest: f64) -> f64 {
    let power = 10.0_f64.powf((largest / 5.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|step| step * 6.0 > largest).unwrap_or(largest)
}
