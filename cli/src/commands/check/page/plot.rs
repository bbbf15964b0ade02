//! Lines on double-logarithmic paper.

use super::text::escape;

/// Lines over the step.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) x: &'static str,
    pub(super) y: &'static str,
    pub(super) lines: Vec<Line>,
}

/// A line, drawn as its class says.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) class: &'static str,
    /// Points that are not positive are left out.
    pub(super) points: Vec<(f64, f64)>,
}

/// Of the picture, and of the margin left and below.
const SIZE: (f64, f64) = (430.0, 270.0);
const MARGIN: (f64, f64) = (52.0, 38.0);

/// Powers of ten that an axis begins and ends with.
#[derive(Clone, Copy, Debug)]
struct Decades {
    first: f64,
    last: f64,
}

impl Decades {
    fn around(numbers: impl Iterator<Item = f64>) -> Self {
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in numbers {
            first = first.min(x.log10().floor());
            last = last.max(x.log10().ceil());
        }
        if first.is_finite() && last.is_finite() {
            Self { first, last: last.max(first + 1.0) }
        } else {
            Self { first: 0.0, last: 1.0 }
        }
    }

    /// Where a number lies, from 0 to 1.
    fn place(self, x: f64) -> f64 {
        (x.log10() - self.first) / (self.last - self.first)
    }

    /// At most nine of the powers.
    fn ticks(self) -> Vec<f64> {
        let every = ((self.last - self.first) / 8.0).ceil().max(1.0);
        let mut ticks = Vec::new();
        let mut tick = (self.first / every).ceil() * every;
        while tick <= self.last {
            ticks.push(tick);
            tick += every;
        }
        ticks
    }
}

impl Plot {
    /// The picture over its caption, which is HTML.
    pub(super) fn figure(&self, caption: &str) -> String {
        let good = |(x, y): &(f64, f64)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite();
        let points: Vec<(f64, f64)> =
            self.lines.iter().flat_map(|line| &line.points).filter(|p| good(p)).copied().collect();
        let x = Decades::around(points.iter().map(|(x, _)| *x));
        let y = Decades::around(points.iter().map(|(_, y)| *y));
        let (width, height) = SIZE;
        let (left, right, top, bottom) = (MARGIN.0, width - 18.0, 20.0, height - MARGIN.1);
        let at_x = |value: f64| left + x.place(value) * (right - left);
        let at_y = |value: f64| bottom - y.place(value) * (bottom - top);

        let label = escape(&format!("{} over {}", self.y, self.x));
        let mut svg = format!(
            "<svg viewBox=\"0 0 {width} {height}\" style=\"max-width: {width}px\" role=\"img\" aria-label=\"{label}\" \
             font-size=\"11\">\n"
        );
        let (w, h) = (right - left, bottom - top);
        svg.push_str(&format!("<rect class=\"field\" x=\"{left}\" y=\"{top}\" width=\"{w}\" height=\"{h}\"/>\n"));
        for tick in x.ticks() {
            let at = at_x(10.0_f64.powf(tick));
            svg.push_str(&format!("<path class=\"grid\" d=\"M{at:.1} {top}V{bottom}\"/>\n"));
            svg.push_str(&format!(
                "<text class=\"middle\" x=\"{at:.1}\" y=\"{:.1}\">1e{tick:.0}</text>\n",
                bottom + 14.0
            ));
        }
        for tick in y.ticks() {
            let at = at_y(10.0_f64.powf(tick));
            svg.push_str(&format!("<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/>\n"));
            svg.push_str(&format!(
                "<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">1e{tick:.0}</text>\n",
                left - 5.0,
                at + 4.0
            ));
        }
        svg.push_str(&format!("<text x=\"{left}\" y=\"12\">{}</text>\n", escape(self.y)));
        let middle = 0.5 * (left + right);
        svg.push_str(&format!(
            "<text class=\"middle\" x=\"{middle}\" y=\"{:.1}\">{}</text>\n",
            height - 6.0,
            escape(self.x)
        ));
        for line in &self.lines {
            let mut path = String::new();
            for (px, py) in line.points.iter().filter(|p| good(p)) {
                path.push_str(&format!("{}{:.1} {:.1}", if path.is_empty() { "M" } else { "L" }, at_x(*px), at_y(*py)));
            }
            if !path.is_empty() {
                svg.push_str(&format!("<path class=\"line {}\" d=\"{path}\"/>\n", line.class));
            }
        }
        svg.push_str("</svg>\n");
        format!("<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n")
    }
}
