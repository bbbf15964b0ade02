//! Lines on paper that is linear or logarithmic each way.

use super::text::escape;
use crate::number::five;

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Numbers that are not positive are left out.
    Log,
    /// As they are.
    #[default]
    Linear,
}

/// Lines over something.
#[derive(Debug, Default)]
pub struct Plot {
    /// What is along x.
    pub x: String,
    /// What is along y.
    pub y: String,
    /// Of x and of y.
    pub scales: [Scale; 2],
    /// The lines.
    pub lines: Vec<Line>,
    /// Under the lines.
    pub shades: Vec<Shade>,
    /// Over the lines, a point each.
    pub dots: Vec<(f64, f64)>,
    /// Whether a script moves a line along x, which is time.
    pub clock: bool,
    /// What lines of a class are called: in the legend, if there are several, and at the pointer. If there are none, no
    /// script reads values.
    pub names: Vec<(&'static str, String)>,
}

/// What is shaded.
#[derive(Clone, Debug)]
pub enum Shade {
    /// Between two places of x, from below to above.
    Columns(f64, f64),
    /// Between two lines: x, the lower one, the upper one.
    Between(Vec<(f64, f64, f64)>),
}

impl Shade {
    fn points(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Columns(..) => Vec::new(),
            Self::Between(all) => all.iter().flat_map(|(x, low, high)| [(*x, *low), (*x, *high)]).collect(),
        }
    }
}

/// A line, drawn as its class says. It is interrupted where y is no number.
#[derive(Debug)]
pub struct Line {
    /// Of the style sheet.
    pub class: &'static str,
    /// x and y.
    pub points: Vec<(f64, f64)>,
}

/// Of the picture, and of the margin left and below.
const SIZE: (f64, f64) = (430.0, 270.0);
const MARGIN: (f64, f64) = (52.0, 38.0);

/// An axis, in its own measure: logarithms of logarithmic ones.
#[derive(Clone, Copy, Debug)]
struct Axis {
    scale: Scale,
    first: f64,
    last: f64,
    /// Between its ticks.
    every: f64,
}

impl Axis {
    fn around(scale: Scale, numbers: impl Iterator<Item = f64>) -> Self {
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in numbers {
            first = first.min(x);
            last = last.max(x);
        }
        if !(first.is_finite() && last.is_finite()) {
            (first, last) = (1.0, 1.0);
        }
        match scale {
            Scale::Log => {
                let (first, last) = (first.log10().floor(), last.log10().ceil());
                let last = last.max(first + 1.0);
                // At most nine of the powers.
                Self { scale, first, last, every: ((last - first) / 8.0).ceil().max(1.0) }
            }
            Scale::Linear => {
                // What does not move is in the middle. Below 1e-9 of their size no tick could tell numbers apart; below
                // 1e-16 there is none.
                let moves = last - first > 1e-9 * first.abs().max(last.abs());
                let width = if moves { last - first } else { first.abs().max(1e-3) };
                let power = 10.0_f64.powf((width / 4.0).log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power * 5.0 >= width).unwrap_or(10.0);
                let every = step * power;
                let slack = if moves { 0.0 } else { every };
                let first = ((first - slack) / every).floor() * every;
                Self { scale, first, last: ((last + slack) / every).ceil() * every, every }
            }
        }
    }

    fn takes(self, x: f64) -> bool {
        x.is_finite() && (self.scale == Scale::Linear || x > 0.0)
    }

    /// Where a number lies, from 0 to 1.
    fn place(self, x: f64) -> f64 {
        let x = if self.scale == Scale::Log { x.log10() } else { x };
        (x - self.first) / (self.last - self.first)
    }

    /// Ticks: where, from 0 to 1, and what to write there.
    fn ticks(self) -> Vec<(f64, String)> {
        let mut ticks = Vec::new();
        let mut k = (self.first / self.every).ceil();
        while k * self.every <= self.last + 1e-9 * self.every {
            let tick = k * self.every;
            let text = match self.scale {
                Scale::Log => format!("1e{tick:.0}"),
                // A tick that should be zero may be off by rounding.
                Scale::Linear if tick.abs() < 1e-9 * self.every => String::from("0"),
                Scale::Linear if tick.abs() < 1e-4 => five(tick),
                Scale::Linear => gradyn::text::short(tick),
            };
            ticks.push(((tick - self.first) / (self.last - self.first), text));
            k += 1.0;
        }
        ticks
    }
}

impl Plot {
    /// The picture over its caption, which is HTML.
    pub fn figure(&self, caption: &str) -> String {
        let good = |scale: Scale, x: f64| x.is_finite() && (scale == Scale::Linear || x > 0.0);
        let [sx, sy] = self.scales;
        let of_lines = self.lines.iter().flat_map(|line| &line.points);
        let mut points: Vec<(f64, f64)> = of_lines.chain(&self.dots).copied().collect();
        points.extend(self.shades.iter().flat_map(Shade::points));
        let shown = || points.iter().filter(|(x, y)| good(sx, *x) && good(sy, *y));
        let mut x = Axis::around(sx, shown().map(|(x, _)| *x));
        if self.clock {
            // Time ends where the motion does.
            let (first, last) = shown().fold((x.last, x.first), |(first, last), (t, _)| (first.min(*t), last.max(*t)));
            if first < last {
                (x.first, x.last) = (first, last);
            }
        }
        let y = Axis::around(sy, shown().map(|(_, y)| *y));
        let (width, height) = SIZE;
        let (left, right, top, bottom) = (MARGIN.0, width - 18.0, 20.0, height - MARGIN.1);
        let at_x = |value: f64| left + x.place(value) * (right - left);
        let at_y = |value: f64| bottom - y.place(value) * (bottom - top);

        let label = escape(&format!("{} over {}", self.y, self.x));
        let mut svg = format!(
            "<svg viewBox=\"0 0 {width} {height}\" style=\"max-width: {width}px\" role=\"img\" aria-label=\"{label}\" \
             font-size=\"11\"{}>\n",
            if self.clock {
                format!(" data-from=\"{}\" data-to=\"{}\" data-left=\"{left}\" data-right=\"{right}\"", x.first, x.last)
            } else {
                String::new()
            }
        );
        let (w, h) = (right - left, bottom - top);
        svg.push_str(&format!("<rect class=\"field\" x=\"{left}\" y=\"{top}\" width=\"{w}\" height=\"{h}\"/>\n"));
        for (place, text) in x.ticks() {
            let at = left + place * (right - left);
            svg.push_str(&format!("<path class=\"grid\" d=\"M{at:.1} {top}V{bottom}\"/>\n"));
            svg.push_str(&format!("<text class=\"middle\" x=\"{at:.1}\" y=\"{:.1}\">{text}</text>\n", bottom + 14.0));
        }
        for (place, text) in y.ticks() {
            let at = bottom - place * (bottom - top);
            svg.push_str(&format!("<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/>\n"));
            svg.push_str(&format!("<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>\n", left - 5.0, at + 4.0));
        }
        svg.push_str(&format!("<text x=\"{left}\" y=\"12\">{}</text>\n", escape(&self.y)));
        let middle = 0.5 * (left + right);
        svg.push_str(&format!(
            "<text class=\"middle\" x=\"{middle}\" y=\"{:.1}\">{}</text>\n",
            height - 6.0,
            escape(&self.x)
        ));
        for shade in &self.shades {
            match shade {
                Shade::Columns(from, to) => {
                    let (from, to) = (at_x(*from).clamp(left, right), at_x(*to).clamp(left, right));
                    let w = (to - from).max(0.0);
                    svg.push_str(&format!(
                        "<rect class=\"shade\" x=\"{from:.1}\" y=\"{top}\" width=\"{w:.1}\" height=\"{h}\"/>\n"
                    ));
                }
                Shade::Between(all) => {
                    let there = all.iter().map(|(x, low, _)| (*x, *low));
                    let back = all.iter().rev().map(|(x, _, high)| (*x, *high));
                    let outline: Vec<(f64, f64)> = there.chain(back).collect();
                    if outline.iter().all(|(px, py)| x.takes(*px) && y.takes(*py)) && !outline.is_empty() {
                        let path: String =
                            outline.iter().map(|(px, py)| format!("L{:.1} {:.1}", at_x(*px), at_y(*py))).collect();
                        svg.push_str(&format!("<path class=\"shade\" d=\"M{}Z\"/>\n", &path[1..]));
                    }
                }
            }
        }
        for line in &self.lines {
            let (mut path, mut begins) = (String::new(), true);
            for (px, py) in &line.points {
                begins |= !py.is_finite();
                if x.takes(*px) && y.takes(*py) {
                    path.push_str(&format!("{}{:.1} {:.1}", if begins { "M" } else { "L" }, at_x(*px), at_y(*py)));
                    begins = false;
                }
            }
            if !path.is_empty() {
                let values = self.values(line, [x, y]);
                svg.push_str(&format!("<path class=\"line {}\" d=\"{path}\"{values}/>\n", line.class));
            }
        }
        for (px, py) in self.dots.iter().filter(|(px, py)| x.takes(*px) && y.takes(*py)) {
            svg.push_str(&format!("<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"/>\n", at_x(*px), at_y(*py)));
        }
        if self.clock {
            svg.push_str(&format!("<path class=\"now\" d=\"M0 {top}V{bottom}\" visibility=\"hidden\"/>\n"));
        }
        svg.push_str("</svg>\n");
        format!("<figure>\n{svg}<figcaption>{}{caption}</figcaption>\n</figure>\n", self.legend())
    }

    /// Numbers of a line for a script, as attributes: its name, and x, unless that is time, and y of each vertex.
    fn values(&self, line: &Line, [x, y]: [Axis; 2]) -> String {
        let Some((_, name)) = self.names.iter().find(|(class, _)| *class == line.class) else { return String::new() };
        let shown = || line.points.iter().filter(|(px, py)| x.takes(*px) && y.takes(*py));
        let list = |of: fn(&(f64, f64)) -> f64| shown().map(|point| five(of(point))).collect::<Vec<_>>().join(" ");
        // A script that moves time knows when nodes are.
        let x = if self.clock { String::new() } else { format!(" data-x=\"{}\"", list(|p| p.0)) };
        format!(" data-name=\"{}\"{x} data-y=\"{}\"", escape(name), list(|p| p.1))
    }

    /// What is which, of several lines.
    fn legend(&self) -> String {
        if self.names.len() < 2 {
            return String::new();
        }
        let key = |(class, name): &(&str, String)| {
            let line = format!("<path class=\"line {class}\" d=\"M0 5H18\"/>");
            format!("<span><svg class=\"key long\" viewBox=\"0 0 18 10\">{line}</svg> {}</span> ", escape(name))
        };
        format!("<span class=\"legend names\">{}</span>", self.names.iter().map(key).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_interrupted_where_there_is_no_number() {
        let points = vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 2.0)];
        let plot = Plot { lines: vec![Line { class: "claimed", points }], ..Plot::default() };
        let figure = plot.figure("");
        let (_, path) = figure.split_once("line claimed\" d=\"").expect("a line");
        let path = path.split_once('"').expect("its end").0;
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 2), "{path}");
    }

    #[test]
    fn small_ticks_are_short() {
        let ticks = Axis::around(Scale::Linear, [-1.3e-5, 2.1e-5].into_iter()).ticks();
        assert!(ticks.iter().all(|(_, text)| text.len() <= 5), "{ticks:?}");
    }

    #[test]
    fn curves_that_move_by_rounding_have_a_few_ticks() {
        for (from, to) in [(0.3, 0.3 + f64::EPSILON), (-1e8, -1e8 + 1e-8), (0.0, 0.0), (1e-300, 2e-300), (-1.0, 1.0)] {
            let ticks = Axis::around(Scale::Linear, [from, to].into_iter()).ticks();
            assert!((2..=9).contains(&ticks.len()), "{from} to {to}: {ticks:?}");
        }
    }
}
