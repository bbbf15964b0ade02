//! The report as one page: HTML that is well-formed XML too, with its style and pictures inside, and nothing else.

mod heat;

use super::totals::Total;
use crate::number::{count, deviation, exact};
use crate::page::{Line, Plot, Scale, document, escape, row, table};
use gradyn::derivatives::check::{Curve, Report, Taylor, Verdict};
use heat::Picture;

/// What the page is about.
#[derive(Debug)]
pub struct Page<'a> {
    /// The name of the robot.
    pub robot: &'a str,
    /// nq and nv.
    pub sizes: (usize, usize),
    /// What was checked, in a phrase.
    pub subject: String,
    /// When an entry agrees.
    pub rule: String,
    /// A line each of the summary.
    pub totals: &'a [Total],
    /// In their order.
    pub sections: Vec<Section<'a>>,
    /// Before the sections.
    pub tables: Vec<Findings>,
    /// Of what else nothing can be said; empty if there is nothing.
    pub untold: String,
}

/// A quantity at a state.
#[derive(Debug)]
pub struct Section<'a> {
    /// The state, in a phrase.
    pub place: String,
    /// What was found.
    pub report: &'a Report,
}

/// A table of further findings, and whether each row is good.
#[derive(Debug)]
pub struct Findings {
    /// Above the table.
    pub title: &'static str,
    /// Of the columns.
    pub heading: Vec<&'static str>,
    /// Cells, and whether the row is good.
    pub rows: Vec<(Vec<String>, bool)>,
}

/// So many entries of a quantity are listed.
const LISTED: usize = 12;

/// The whole page.
pub fn write(page: &Page<'_>) -> String {
    let mut html = String::from("<main>\n");
    summary(page, &mut html);
    for findings in &page.tables {
        html.push_str(&format!("<section>\n<h2>{}</h2>\n", escape(findings.title)));
        let rows = findings.rows.iter().map(|(cells, good)| row(cells, Some(*good)));
        html.push_str(&table(&findings.heading, rows));
        html.push_str("</section>\n");
    }
    for section in &page.sections {
        self::section(section, &mut html);
    }
    html.push_str(&format!("<footer>gradyn {}</footer>\n</main>\n", env!("CARGO_PKG_VERSION")));
    document(&format!("gradyn check: {}", page.robot), "", &html)
}

fn summary(page: &Page<'_>, html: &mut String) {
    let failed = page.totals.iter().any(|total| total.counts[1] > 0)
        || page.tables.iter().any(|findings| findings.rows.iter().any(|(_, good)| !good));
    let unclear: usize = page.totals.iter().map(|total| total.counts[2]).sum();
    let untold = match unclear {
        0 => String::new(),
        1 => String::from("1 entry"),
        n => format!("{n} entries"),
    };
    let untold: Vec<&str> = [untold.as_str(), &page.untold].into_iter().filter(|what| !what.is_empty()).collect();
    let (class, verdict) = match untold[..] {
        _ if failed => ("bad", String::from("Something disagrees")),
        [] => ("good", String::from("All agrees")),
        _ => ("bad", format!("Nothing disagrees, but {} cannot be judged", untold.join(" and "))),
    };
    let (nq, nv) = page.sizes;
    html.push_str(&format!(
        "<header>\n<h1>{}</h1>\n<p class=\"verdict {class}\">{verdict}</p>\n<p>{}; nq {nq}, nv {nv}.</p>\n</header>\n",
        escape(page.robot),
        escape(&page.subject),
    ));
    html.push_str("<section>\n<h2>Summary</h2>\n");
    let heading = [
        "",
        "states",
        "agree",
        "disagree",
        "unclear",
        "furthest: row",
        "column",
        "claimed",
        "found",
        "off by",
        "allowed",
    ];
    let rows = page.totals.iter().map(|total| {
        let mut cells = vec![total.symbol.clone(), total.states.to_string()];
        cells.extend(total.counts.map(|n| n.to_string()));
        if let Some((_, entry, [name, column])) = &total.worst {
            cells.extend([name.clone(), column.clone(), exact(entry.claimed), exact(entry.found)]);
            cells.extend([deviation(entry.deviation()), deviation(entry.bound)]);
        }
        row(&cells, Some(total.counts[1] == 0))
    });
    html.push_str(&table(&heading, rows));
    html.push_str(&format!(
        "<p class=\"note\">{} Found is what central differences, extrapolated to step zero, and dual numbers give for the \
         function itself. Unclear are entries where the evidence is too weak to say.</p>\n</section>\n",
        escape(&page.rule)
    ));
}

fn section(section: &Section<'_>, html: &mut String) {
    let report = section.report;
    html.push_str(&format!("<section>\n<h2>{} <small>{}</small></h2>\n", escape(&report.name), escape(&section.place)));
    let disagree = report.counts.disagree;
    let entries = report.entries.len();
    html.push_str(&match disagree {
        0 if report.counts.cannot_tell > 0 => {
            format!(
                "<p class=\"bad\">{} of {entries} entries agree, {} are undecided.",
                report.counts.agree, report.counts.cannot_tell
            )
        }
        0 => format!("<p>{} of {entries} entries agree.", report.counts.agree),
        n => format!("<p class=\"bad\">{n} of {entries} entries disagree."),
    });
    html.push_str("</p>\n");
    for (n, guess) in report.guesses.iter().enumerate() {
        let word = if n == 0 { "Probably" } else { "Or" };
        html.push_str(&format!("<p class=\"guess\">{word}: {}.</p>\n", escape(&guess.to_string())));
    }
    for note in &report.notes {
        html.push_str(&format!("<p class=\"note\">{}</p>\n", escape(note)));
    }
    if report.columns.len() > 1 {
        html.push_str("<div class=\"figures\">\n");
        for picture in [Picture::Values, Picture::Deviations] {
            html.push_str(&heat::figure(report, picture));
        }
        html.push_str("</div>\n");
    }
    entries_of(report, html);
    curves(report, html);
    html.push_str("</section>\n");
}

/// The entries that are furthest from what was found.
fn entries_of(report: &Report, html: &mut String) {
    let worst = report.worst();
    let bad = worst.iter().filter(|entry| entry.verdict != Verdict::Agrees).count();
    let listed = bad.clamp(3.min(worst.len()), LISTED);
    let rows = worst.iter().take(listed).map(|entry| {
        let cells = [
            report.row_name(entry).to_owned(),
            report.column_name(entry).to_owned(),
            exact(entry.claimed),
            exact(entry.found),
            deviation(entry.deviation()),
            deviation(entry.bound),
            entry.verdict.to_string(),
        ];
        row(&cells, Some(entry.verdict != Verdict::Disagrees))
    });
    let heading = ["furthest: row", "column", "claimed", "found", "off by", "allowed", ""];
    html.push_str(&table(&heading, rows));
    if bad > listed {
        html.push_str(&format!(
            "<p class=\"note\">… and {} more.</p>\n",
            count(bad - listed, "entry").replace("entrys", "entries")
        ));
    }
}

/// Differences over the step, and Taylor remainders.
fn curves(report: &Report, html: &mut String) {
    if report.curves.is_empty() && report.taylor.is_empty() {
        return;
    }
    html.push_str("<div class=\"figures\">\n");
    for curve in &report.curves {
        html.push_str(&v_curve(report, curve));
    }
    if !report.taylor.is_empty() {
        html.push_str(&taylor(&report.taylor));
    }
    html.push_str("</div>\n");
}

fn slope(name: &str, slope: Option<f64>) -> String {
    slope.map_or_else(String::new, |slope| format!("; {name} {slope:.1}"))
}

fn v_curve(report: &Report, curve: &Curve) -> String {
    let name = |names: &[String], k: usize| names.get(k).cloned().unwrap_or_default();
    let points = |errors: &[f64]| curve.steps.iter().copied().zip(errors.iter().copied()).collect();
    let plot = Plot {
        x: "step".into(),
        y: String::from("error of the difference"),
        scales: [Scale::Log; 2],
        lines: vec![
            Line { class: "found", points: points(&curve.to_found) },
            Line { class: "claimed", points: points(&curve.to_claimed) },
        ],
        ..Plot::default()
    };
    let caption = format!(
        "{} by {}: a central difference, less what was found (dashed) and less what is claimed (solid), over its step. Of a \
         right claim both make the same V{}{}.",
        escape(&name(&report.rows, curve.row)),
        escape(&name(&report.columns, curve.column)),
        slope("slope on its right", curve.slope_truncation),
        slope("on its left", curve.slope_rounding),
    );
    plot.figure(&caption)
}

fn taylor(tests: &[Taylor]) -> String {
    let mut lines: Vec<Line> = Vec::new();
    for test in tests {
        let points = test.steps.iter().copied().zip(test.remainders.iter().copied()).collect();
        lines.push(Line { class: if test.agrees() { "claimed" } else { "wrong" }, points });
    }
    if let Some(test) = tests.first()
        && let Some((t, remainder)) = test.steps.iter().zip(&test.remainders).find(|(_, remainder)| **remainder > 0.0)
    {
        // The slope to compare with, from the longest step down.
        let floor = test.remainders.iter().copied().filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min);
        let end = t * (floor / remainder).powf(test.expected.recip());
        lines.push(Line { class: "guide", points: vec![(*t, *remainder), (end, floor)] });
    }
    let orders: Vec<String> = tests
        .iter()
        .map(|test| test.order.map_or_else(|| String::from("below rounding"), |order| format!("{order:.2}")))
        .collect();
    let expected = tests.first().map_or(2.0, |test| test.expected);
    let plot =
        Plot { x: "step".into(), y: String::from("remainder"), scales: [Scale::Log; 2], lines, ..Plot::default() };
    let caption = format!(
        "What remains of the function after the claimed expansion, along {} (solid), and the slope {expected} of a right \
         one (dotted). Orders: {}.",
        count(tests.len(), "random direction"),
        orders.join(", "),
    );
    plot.figure(&escape(&caption))
}
