//! An answer for programs: JSON and CSV.

use super::answer::{Answer, ByOutput, Finding};
use crate::csv::field;
use crate::robot::Robot;
use gradyn_sensitivity::{Interval, Prior};
use serde_json::{Value, json};

/// A prior by its name and numbers.
fn prior_json(prior: &Prior) -> Value {
    let mut all = json!({ "kind": prior.name(), "mean": prior.mean(), "sd": prior.variance().sqrt() });
    match *prior {
        Prior::LogNormal { median, log_sd } => (all["median"], all["log_sd"]) = (json!(median), json!(log_sd)),
        Prior::HalfNormal { scale } => all["scale"] = json!(scale),
        Prior::Uniform { low, high } => (all["low"], all["high"]) = (json!(low), json!(high)),
        _ => {}
    }
    all
}

/// All of it.
pub fn to_json(answer: &Answer, robot: &Robot, output: &str, method: &str) -> Value {
    let interval = |x: Option<Interval>| match x {
        Some(x) if !x.value.is_nan() => json!({ "value": x.value, "half_width": x.half_width }),
        _ => Value::Null,
    };
    let order = answer.sorted();
    let of = |f: &Finding| {
        let column = &f.column;
        let rank = order.iter().position(|other| other.column.name == column.name).map(|place| place + 1);
        let mut all = json!({
            "name": column.name, "unit": column.unit, "held": column.held, "value": column.value, "sd": column.sd(),
            "prior": column.prior.as_ref().map(prior_json), "rank": rank,
            "share": interval(f.first), "total": interval(f.total),
        });
        if !column.members.is_empty() {
            all["members"] = json!(column.members);
        }
        all
    };
    let names: Vec<&str> = answer.findings.iter().map(|f| f.column.name.as_str()).collect();
    let pairs = || (0..names.len()).flat_map(|i| (i + 1..names.len()).map(move |j| (i, j)));
    let of_output = |output: &ByOutput| {
        let mut all = json!({
            "name": output.name, "unit": output.unit, "sd": output.sd, "rounding": output.rounding,
            "without_index": output.without,
        });
        for (name, of) in &output.measures {
            all[*name] = of.iter().map(|x| interval(Some(*x))).collect();
        }
        if !output.pairs.is_empty() {
            let of = |((i, j), x): ((usize, usize), &Interval)| json!({ "pair": [names[i], names[j]], "index": interval(Some(*x)) });
            all["second"] = pairs().zip(&output.pairs).map(of).collect();
        }
        all
    };
    let rows: Vec<&str> = answer.outputs.iter().map(|output| output.name.as_str()).collect();
    let mut all = json!({
        "robot": robot.model.name(),
        "output": output,
        "method": method,
        "place": answer.place,
        "seed": answer.seed,
        "samples": answer.samples.map(|(rows, _)| rows),
        "evaluations": answer.samples.map(|(_, evaluations)| evaluations),
        "confidence": answer.confidence,
        "weights": answer.weights,
        "rows": rows,
        "units": answer.outputs.iter().map(|output| output.unit).collect::<Vec<_>>(),
        "columns": names,
        "parameters": answer.findings.iter().map(of).collect::<Vec<_>>(),
        "outputs": answer.outputs.iter().map(of_output).collect::<Vec<_>>(),
        "matrix": { "of": answer.what, "order": "rows by columns", "values": answer.matrix },
    });
    if let (Some(all), Some(given)) = (all.as_object_mut(), answer.given.as_object()) {
        all.extend(given.clone());
    }
    if let Some(series) = &answer.series {
        let of = |j: &nalgebra::DMatrix<f64>| {
            j.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>()).collect::<Vec<_>>()
        };
        all["series"] = json!({
            "time": series.time,
            "order": "times by rows by columns",
            "derivatives": series.jacobians.iter().map(of).collect::<Vec<_>>(),
            "amplification": if series.amplification.is_finite() { json!(series.amplification) } else { Value::Null },
            "trustworthy": series.trustworthy,
        });
    }
    if let Some(found) = &answer.uncertainty {
        let of = |s: &super::Scatter| {
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

/// All numbers of all outputs, a line each; of those that have none the number is empty.
pub fn to_csv_by_outputs(answer: &Answer) -> String {
    let mut text = String::from("output,unit,parameter,measure,value,half_width\n");
    let number = |x: Option<f64>| x.filter(|x| !x.is_nan()).map_or(String::new(), |x| format!("{x:?}"));
    for output in &answer.outputs {
        for (measure, of) in &output.measures {
            for (x, finding) in of.iter().zip(&answer.findings) {
                let (name, parameter) = (field(&output.name), field(&finding.column.name));
                let (value, half) = (number(Some(x.value)), number(x.half_width));
                text.push_str(&format!("{name},{},{parameter},{measure},{value},{half}\n", field(output.unit)));
            }
        }
    }
    text
}

/// A parameter a line, those that matter most first.
pub fn to_csv(answer: &Answer) -> String {
    let mut text = String::from(
        "parameter,unit,value,sd,prior,share,share_half_width,total,total_half_width,largest_at,largest,largest_unit\n",
    );
    let number = |x: Option<f64>| x.filter(|x| !x.is_nan()).map_or(String::new(), |x| format!("{x:?}"));
    for f in answer.sorted() {
        let (column, first, total) = (&f.column, f.first, f.total);
        text.push_str(&format!(
            "{},{},{},{},{},{},{},{},{},{},{},{}\n",
            field(&column.name),
            field(column.unit),
            number(column.value),
            number(column.sd()),
            column.prior_name(),
            number(first.map(|x| x.value)),
            number(first.and_then(|x| x.half_width)),
            number(total.map(|x| x.value)),
            number(total.and_then(|x| x.half_width)),
            field(&f.row),
            number(Some(f.derivative)),
            field(f.unit),
        ));
    }
    text
}
