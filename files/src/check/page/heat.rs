//! Matrices as heat maps.

use crate::labels::fit;
use crate::number::{deviation, exact};
use crate::page::escape;
use gradyn::derivatives::check::{Entry, Report, Verdict};

/// What a heat map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picture {
    /// What is claimed.
    Values,
    /// How far it is from what was found.
    Deviations,
}

/// Sizes of a cell, and the width of a large map.
const CELL: (f64, f64) = (7.0, 30.0);
const WIDTH: f64 = 430.0;
/// Names are cut to so many characters.
const NAME: usize = 26;
/// Larger maps have no words in their cells.
const TALKING: usize = 4_000;

/// Classes of entries by the decades they lie below the largest.
const SHADES: usize = 5;

pub(super) fn figure(report: &Report, picture: Picture) -> String {
    let (rows, columns) = (report.rows.len(), report.columns.len());
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let [n, m] = [rows, columns].map(|n| n as f64);
    let cell = (WIDTH / n.max(m).max(1.0)).clamp(CELL.0, CELL.1);
    let font = (0.8 * cell).clamp(5.5, 11.0);
    let names = |names: &[String]| names.iter().map(|name| fit(name, NAME).trim_end().to_owned()).collect::<Vec<_>>();
    let (row_names, column_names) = (names(&report.rows), names(&report.columns));
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let longest = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
    let margin = (0.62 * font * longest(&row_names) + 8.0, 0.62 * font * longest(&column_names) + 8.0);
    let (width, height) = (margin.0 + m * cell + 2.0, margin.1 + n * cell + 2.0);

    let largest = report.entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.claimed.abs()));
    let title = match picture {
        Picture::Values => format!("{}: what is claimed", report.name),
        Picture::Deviations => format!("{}: how far it is from what was found", report.name),
    };
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width:.1} {height:.1}\" style=\"max-width: {width:.0}px\" role=\"img\" aria-label=\"{}\" \
         font-size=\"{font:.1}\">\n",
        escape(&title)
    );
    svg.push_str(&format!(
        "<rect class=\"field\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n",
        margin.0,
        margin.1,
        m * cell,
        n * cell
    ));
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let center = |k: usize| (k as f64 + 0.5) * cell;
    for (k, name) in row_names.iter().enumerate() {
        let (x, y) = (margin.0 - 4.0, margin.1 + center(k) + 0.35 * font);
        svg.push_str(&format!("<text class=\"end\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n", escape(name)));
    }
    for (k, name) in column_names.iter().enumerate() {
        let (x, y) = (margin.0 + center(k) + 0.35 * font, margin.1 - 4.0);
        let turn = format!("rotate(-90 {x:.1} {y:.1})");
        svg.push_str(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" transform=\"{turn}\">{}</text>\n", escape(name)));
    }
    for entry in &report.entries {
        let Some(class) = class(entry, picture, largest) else { continue };
        let (x, y) = (margin.0 + center(entry.column) - 0.5 * cell, margin.1 + center(entry.row) - 0.5 * cell);
        let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{cell:.1}\" height=\"{cell:.1}\"");
        if report.entries.len() > TALKING {
            svg.push_str(&format!("<rect class=\"{class}\" {place}/>\n"));
        } else {
            let words = words(report, entry);
            svg.push_str(&format!("<rect class=\"{class}\" {place}><title>{}</title></rect>\n", escape(&words)));
        }
        if picture == Picture::Deviations && entry.verdict == Verdict::Disagrees {
            // Seen without colors too.
            let (far_x, far_y) = (x + cell, y + cell);
            svg.push_str(&format!(
                "<path class=\"cross\" d=\"M{x:.1} {y:.1}L{far_x:.1} {far_y:.1}M{far_x:.1} {y:.1}L{x:.1} {far_y:.1}\"/>\n"
            ));
        }
    }
    svg.push_str("</svg>\n");
    format!("<figure>\n{svg}<figcaption>{}{}</figcaption>\n</figure>\n", escape(&title), legend(picture, largest))
}

fn words(report: &Report, entry: &Entry) -> String {
    format!(
        "{} by {}: claimed {}, found {}, off by {}, allowed {}: {}",
        report.row_name(entry),
        report.column_name(entry),
        exact(entry.claimed),
        exact(entry.found),
        deviation(entry.deviation()),
        deviation(entry.bound),
        entry.verdict
    )
}

/// `None` for what is not drawn.
fn class(entry: &Entry, picture: Picture, largest: f64) -> Option<String> {
    match picture {
        Picture::Values if entry.claimed == 0.0 => None,
        Picture::Values => {
            let below = (largest.log10().floor() - entry.claimed.abs().log10().floor()).max(0.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
            let shade = (below as usize).min(SHADES - 1);
            let sign = if entry.claimed > 0.0 { 'p' } else { 'n' };
            Some(format!("{sign}{shade}"))
        }
        Picture::Deviations => match entry.verdict {
            Verdict::Disagrees => Some(String::from("wrong")),
            Verdict::CannotTell(_) => Some(String::from("unclear")),
            Verdict::Agrees => {
                let share = entry.excess();
                let class = match share {
                    0.0 => return None,
                    s if s < 1e-4 => "d3",
                    s if s < 1e-2 => "d2",
                    s if s < 0.1 => "d1",
                    _ => "d0",
                };
                Some(String::from(class))
            }
        },
    }
}

fn legend(picture: Picture, largest: f64) -> String {
    let key = |class: &str, words: &str| {
        let square = format!(
            "<svg class=\"key\" viewBox=\"0 0 10 10\"><rect class=\"{class}\" width=\"10\" height=\"10\"/></svg>"
        );
        format!("<span>{square} {}</span>", escape(words))
    };
    let keys: Vec<String> = match picture {
        Picture::Values if largest == 0.0 => vec![escape("all entries are zero")],
        Picture::Values => {
            let mut keys = Vec::new();
            let top = largest.log10().floor();
            for k in 0..SHADES {
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let decade = top - k as f64;
                let words = if k + 1 == SHADES { String::from("less") } else { format!("≥ 1e{decade:.0}") };
                keys.push(key(&format!("p{k}"), ""));
                keys.push(key(&format!("n{k}"), &words));
            }
            keys.push(escape("positive, negative; blank: zero"));
            keys
        }
        Picture::Deviations => vec![
            key("d3", "< 1e-4 of what is allowed"),
            key("d2", "< 1e-2"),
            key("d1", "< 0.1"),
            key("d0", "≤ 1"),
            key("wrong", "disagrees"),
            key("unclear", "unclear"),
        ],
    };
    format!("<span class=\"legend\">{}</span>", keys.join(" "))
}
