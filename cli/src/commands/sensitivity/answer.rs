//! The answer: as a table, as JSON, as CSV.

use super::question::Series;
use super::uncertainty::Uncertainty;
use crate::csv::field;
use crate::error::one_line;
use crate::number;
use crate::robot::Robot;
use crate::table::{Align, Cell, Table};
use gradyn_sensitivity::Interval;
use serde_json::{Value, json};

/// What is known of one parameter.
pub(super) struct Finding {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) held: &'static str,
    pub(super) value: f64,
    pub(super) sd: f64,
    /// What it is sorted by: its share of the variance, or its mean effect.
    pub(super) size: f64,
    /// The share of the variance that it makes alone, of the output's rows together.
    pub(super) first: Option<Interval>,
    /// With all others.
    pub(super) total: Option<Interval>,
    /// The row that it moves most, and the derivative, or the mean effect, there.
    pub(super) row: String,
    pub(super) derivative: f64,
}

/// The whole answer.
pub(super) struct Answer {
    pub(super) title: String,
    pub(super) findings: Vec<Finding>,
    /// Derivatives, or effects, row by row.
    pub(super) rows: Vec<String>,
    pub(super) matrix: Vec<Vec<f64>>,
    pub(super) what: &'static str,
    pub(super) warnings: Vec<String>,
    /// Names and standard deviations as they were selected: the columns of all matrices.
    pub(super) selected: Vec<(String, f64)>,
    /// Over time.
    pub(super) series: Option<Series>,
    /// Mean effect and scatter of effects, in the order of the findings as they were selected; of Morris's method.
    pub(super) plane: Vec<(String, f64, f64)>,
    /// How far outputs scatter.
    pub(super) uncertainty: Option<Uncertainty>,
}

impl Answer {
    /// Why first order is not to be trusted, if it is not.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if let Some(series) = self.series.as_ref().filter(|series| !series.trustworthy) {
            let grown = number::five(series.amplification);
            doubts.push(format!("not trustworthy: errors of the start grow {grown} times, rounding with them"));
        }
        if let Some(found) = &self.uncertainty {
            doubts.extend(found.disagreements().into_iter().map(|s| {
                let half = s.sampled.half_width.map_or(String::new(), |half| format!(" ± {}", number::five(half)));
                format!(
                    "not trustworthy: `{}` scatters by {} to first order, by {}{half} by samples",
                    one_line(&s.row),
                    number::five(s.first),
                    number::five(s.sampled.value)
                )
            }));
        }
        doubts
    }
}

/// A number with its interval, in percent.
pub(super) fn percent(x: Option<Interval>) -> String {
    let Some(Interval { value, half_width }) = x else { return String::new() };
    match half_width {
        Some(half) => format!("{:.1} ± {:.1} %", 100.0 * value, 100.0 * half),
        None => format!("{:.1} %", 100.0 * value),
    }
}

pub(super) fn readable(answer: &Answer, top: usize) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n", one_line(&answer.title));
    let heading = [
        ("parameter", Align::Left),
        ("value", Align::Right),
        ("± sd", Align::Right),
        ("unit", Align::Left),
        ("share", Align::Right),
        ("with others", Align::Right),
        (answer.what, Align::Right),
        ("largest at", Align::Left),
        ("held", Align::Left),
    ];
    let mut table = Table::new(heading);
    for finding in answer.findings.iter().take(top.max(1)) {
        let cells: [Cell; 9] = [
            one_line(&finding.name).into(),
            number::five(finding.value).into(),
            number::five(finding.sd).into(),
            finding.unit.into(),
            percent(finding.first).into(),
            percent(finding.total).into(),
            number::five(finding.derivative).into(),
            one_line(&finding.row).into(),
            finding.held.into(),
        ];
        table.row(cells);
    }
    let mut body = String::new();
    table.without_empty_columns().render(0, &mut body);
    text.push_str(&body);
    if answer.findings.len() > top {
        text.push_str(&format!("… and {} parameters that matter less\n", answer.findings.len() - top));
    }
    if let Some(series) = &answer.series {
        text.push_str(&format!("an error of the start grows {} times\n", number::five(series.amplification)));
    }
    if let Some(found) = &answer.uncertainty {
        text.push_str(&scatter(found));
    }
    answer.doubts().iter().for_each(|doubt| text.push_str(&format!("{bold}{doubt}{bold:#}\n")));
    text
}

/// A number with half the width of its interval.
pub(super) fn with_interval(x: Interval) -> String {
    match x.half_width {
        Some(half) => format!("{} ± {}", number::five(x.value), number::five(half)),
        None => number::five(x.value),
    }
}

fn scatter(found: &Uncertainty) -> String {
    let heading = [
        ("output", Align::Left),
        ("sd to first order", Align::Right),
        ("by samples", Align::Right),
        ("mean less value", Align::Right),
    ];
    let mut table = Table::new(heading);
    for s in &found.scatter {
        let cells: [Cell; 4] = [
            one_line(&s.row).into(),
            number::five(s.first).into(),
            with_interval(s.sampled).into(),
            with_interval(s.shift).into(),
        ];
        table.row(cells);
    }
    let mut text = format!("\n{} samples", found.samples);
    if found.kept_out > 0 {
        text.push_str(&format!(", {} of them kept out: no finite output", found.kept_out));
    }
    text.push('\n');
    table.render(0, &mut text);
    text
}

pub(super) fn to_json(answer: &Answer, robot: &Robot, output: &str) -> Value {
    let interval = |x: Option<Interval>| match x {
        Some(x) => json!({ "value": x.value, "half_width": x.half_width }),
        None => Value::Null,
    };
    let of = |f: &Finding| {
        json!({
            "name": f.name, "unit": f.unit, "held": f.held, "value": f.value, "sd": f.sd,
            "share": interval(f.first), "total": interval(f.total),
        })
    };
    let mut all = json!({
        "robot": robot.model.name(),
        "output": output,
        "rows": answer.rows,
        "parameters": answer.findings.iter().map(of).collect::<Vec<_>>(),
        "matrix": { "of": answer.what, "order": "rows by parameters as selected", "values": answer.matrix },
    });
    if let Some(series) = &answer.series {
        let of = |j: &nalgebra::DMatrix<f64>| {
            j.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>()).collect::<Vec<_>>()
        };
        all["series"] = json!({
            "time": series.time,
            "order": "times by rows by parameters as selected",
            "derivatives": series.jacobians.iter().map(of).collect::<Vec<_>>(),
            "amplification": if series.amplification.is_finite() { json!(series.amplification) } else { Value::Null },
            "trustworthy": series.trustworthy,
        });
    }
    if let Some(found) = &answer.uncertainty {
        let of = |s: &super::uncertainty::Scatter| {
            json!({
                "row": s.row, "first_order": s.first, "sampled": interval(Some(s.sampled)),
                "shift": interval(Some(s.shift)),
            })
        };
        all["uncertainty"] = json!({
            "samples": found.samples,
            "kept_out": found.kept_out,
            "rows": found.scatter.iter().map(of).collect::<Vec<_>>(),
        });
    }
    if !answer.plane.is_empty() {
        let of = |(name, mean, sd): &(String, f64, f64)| json!({ "name": name, "mean": mean, "sd": sd });
        all["effects"] = json!(answer.plane.iter().map(of).collect::<Vec<_>>());
    }
    all["doubts"] = json!(answer.doubts());
    all
}

pub(super) fn to_csv(answer: &Answer) -> String {
    let mut text =
        String::from("parameter,unit,value,sd,share,share_half_width,total,total_half_width,largest_at,largest\n");
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
    for f in &answer.findings {
        let (first, total) = (f.first, f.total);
        text.push_str(&format!(
            "{},{},{:?},{:?},{},{},{},{},{},{:?}\n",
            field(&f.name),
            field(f.unit),
            f.value,
            f.sd,
            number(first.map(|x| x.value)),
            number(first.and_then(|x| x.half_width)),
            number(total.map(|x| x.value)),
            number(total.and_then(|x| x.half_width)),
            field(&f.row),
            f.derivative,
        ));
    }
    text
}
