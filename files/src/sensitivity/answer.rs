//! The answer: as a table, as JSON, as CSV.

use super::{Series, Uncertainty};
use crate::number;
use gradyn::text::one_line;
use gradyn_sensitivity::{Interval, Prior};
use serde_json::Value;

/// No number.
pub const NONE: Interval = Interval { value: f64::NAN, half_width: None };

/// A parameter that varies, or a group of them.
#[derive(Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit; empty of a group.
    pub unit: &'static str,
    /// What is held while it varies.
    pub held: &'static str,
    /// Of the robot as it is; of a group none.
    pub value: Option<f64>,
    /// Of a group none.
    pub prior: Option<Prior>,
    /// Names of a group's parameters.
    pub members: Vec<String>,
}

impl Column {
    /// The standard deviation of its prior.
    pub fn sd(&self) -> Option<f64> {
        self.prior.map(|prior| prior.variance().sqrt())
    }
    /// The kind of its prior; empty of a group.
    pub fn prior_name(&self) -> &'static str {
        self.prior.map_or("", |prior| prior.name())
    }
}

/// What is known of one output.
pub struct ByOutput {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// By how much rounding moves it.
    pub rounding: f64,
    /// How far it scatters, if that was asked.
    pub sd: Option<f64>,
    /// Why it has no index, if it has none.
    pub without: Option<String>,
    /// Whether it has none because one sample makes its scatter.
    pub dominated: bool,
    /// Numbers by name, one for each column.
    pub measures: Vec<(&'static str, Vec<Interval>)>,
    /// Of each pair of columns, (0, 1), (0, 2), …, if that was asked.
    pub pairs: Vec<Interval>,
}

/// To first order: a scatter below this times the rounding means nothing. As that of samples: at a hundred times it,
/// about 1 % is rounding.
pub const CLEAR: f64 = 100.0;

impl ByOutput {
    /// Without numbers yet.
    pub fn new(name: &str, unit: &'static str, rounding: f64, sd: Option<f64>) -> Self {
        let name = name.to_owned();
        Self { name, unit, rounding, sd, without: None, dominated: false, measures: vec![], pairs: vec![] }
    }

    /// Says that it has no index because its scatter is rounding.
    pub fn without_by_rounding(&mut self) {
        let (rounding, unit) = (number::deviation(self.rounding), self.unit);
        self.without = Some(format!("it scatters by no more than its rounding ({rounding} {unit})"));
    }

    /// Takes its numbers away if its scatter is rounding, or zero.
    pub fn drop_if_rounding(&mut self) {
        match self.sd {
            Some(0.0) => self.without = Some("nothing moves it".into()),
            Some(sd) if sd <= CLEAR * self.rounding => self.without_by_rounding(),
            _ => return,
        }
        self.measures.iter_mut().for_each(|(_, of)| of.fill(NONE));
    }

    /// The numbers of this name, one a column.
    pub fn measure(&self, name: &str) -> Option<&[Interval]> {
        self.measures.iter().find(|(of, _)| *of == name).map(|(_, of)| of.as_slice())
    }

    /// The number of a column.
    pub fn at(&self, name: &str, k: usize) -> Interval {
        self.measure(name).and_then(|of| of.get(k)).copied().unwrap_or(NONE)
    }
}

/// What is known of one column, of all outputs together.
pub struct Finding {
    /// The parameter or group.
    pub column: Column,
    /// What it is sorted by: its share of the variance, or its mean effect.
    pub size: f64,
    /// The share of the variance that it makes alone.
    pub first: Option<Interval>,
    /// With all others, or a bound of it.
    pub total: Option<Interval>,
    /// The output that it moves most, and the derivative, or the mean effect, there.
    pub row: String,
    /// Of that output.
    pub unit: &'static str,
    /// Not a number where no output has an index.
    pub derivative: f64,
}

/// The whole answer.
pub struct Answer {
    /// What was asked, in a phrase.
    pub title: String,
    /// The state, or the task.
    pub place: String,
    /// The same for programs, by keys.
    pub given: Value,
    /// Of the samples.
    pub seed: u64,
    /// In the order of the selection, which is that of all columns.
    pub findings: Vec<Finding>,
    /// In their order.
    pub outputs: Vec<ByOutput>,
    /// Derivatives, or effects, output by output.
    pub matrix: Vec<Vec<f64>>,
    /// What the matrix holds, in words.
    pub what: &'static str,
    /// The measure by outputs that shares are made of.
    pub measure: &'static str,
    /// How outputs are weighed, if there are several.
    pub weights: Option<&'static str>,
    /// Doubtful, but not wrong.
    pub warnings: Vec<String>,
    /// Rows of samples, and evaluations.
    pub samples: Option<(usize, usize)>,
    /// What effects are of.
    pub per: &'static str,
    /// The level of intervals.
    pub confidence: Option<f64>,
    /// Over time.
    pub series: Option<Series>,
    /// Shares that pairs make together, largest first.
    pub pairs: Vec<(String, String, Interval)>,
    /// Mean effect and scatter of effects, of Morris's method, and their unit.
    pub plane: Vec<(String, f64, f64)>,
    /// The unit of effects.
    pub plane_unit: &'static str,
    /// How far outputs scatter.
    pub uncertainty: Option<Uncertainty>,
    /// What is to be said of a motion whose simulations leave every bound.
    pub exploded: Option<String>,
}

/// One number of all outputs together.
fn mean(outputs: &[ByOutput], weights: &[f64], number: impl Fn(&ByOutput) -> Interval) -> Interval {
    let all: Vec<_> = weights.iter().copied().zip(outputs.iter().map(number)).collect();
    Interval::weighted_mean(&all)
}

impl Answer {
    /// Of what is known by outputs: `measure` is what a column does alone, `with` what it does with others.
    pub fn new(
        columns: Vec<Column>,
        mut outputs: Vec<ByOutput>,
        (what, matrix): (&'static str, Vec<Vec<f64>>),
        measure: &'static str,
        with: Option<&'static str>,
    ) -> Self {
        for output in outputs.iter_mut().filter(|output| output.without.is_some()) {
            output.measures.iter_mut().for_each(|(_, of)| of.fill(NONE));
            output.pairs.fill(NONE);
        }
        let k = columns.len();
        let told = || outputs.iter().filter(|output| output.without.is_none());
        let one_unit = told().zip(told().skip(1)).all(|(a, b)| a.unit == b.unit);
        let effects = measure == "effect";
        let largest = |output: &ByOutput| (0..k).fold(0.0, |most: f64, k| most.max(output.at(measure, k).value));
        // Variances of one unit can be added; else each output is measured by its own scatter, or by the largest effect
        // on it.
        let weight = |output: &ByOutput| match (&output.without, one_unit, effects) {
            (Some(_), ..) => 0.0,
            (None, true, false) => output.sd.map_or(1.0, |sd| sd * sd),
            (None, true, true) | (None, false, false) => 1.0,
            (None, false, true) => 1.0 / largest(output).max(f64::MIN_POSITIVE),
        };
        let weights: Vec<f64> = outputs.iter().map(weight).collect();
        let words = match (told().count() > 1, one_unit, effects) {
            (false, ..) => None,
            (true, true, false) => Some("Shares are of the sum of the variances of all outputs."),
            (true, false, false) => {
                Some("Outputs have different units: shares are means over outputs, each over its own variance.")
            }
            (true, true, true) => Some("Effects are the root of the sum of squares over all outputs."),
            (true, false, true) => Some(
                "Outputs have different units: effects are the root of the sum of squares, each over the largest effect on its output.",
            ),
        };
        let length = |of: &str, k: usize| {
            let all = outputs.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0);
            let squares: Vec<f64> = all.map(|(output, weight)| (weight * output.at(of, k).value).powi(2)).collect();
            if squares.is_empty() { f64::NAN } else { squares.iter().sum::<f64>().sqrt() }
        };
        let mut plane = Vec::new();
        if effects {
            plane = columns
                .iter()
                .enumerate()
                .map(|(k, column)| (column.name.clone(), length("effect", k), length("effect_sd", k)))
                .filter(|(_, effect, _)| effect.is_finite())
                .collect();
        }
        let plane_unit =
            if one_unit { told().next().map_or("", |output| output.unit) } else { "of the largest of each output" };
        let of = |name: &str, k: usize| mean(&outputs, &weights, |output| output.at(name, k));
        let finding = |(k, column): (usize, Column)| {
            let first = (!effects && measure != "bound").then(|| of(measure, k));
            let total = match (with, measure) {
                (Some(with), _) => Some(of(with, k)),
                (None, "bound") => Some(of(measure, k)),
                _ => None,
            };
            let size = if effects { length(measure, k) } else { total.or(first).map_or(f64::NAN, |x| x.value) };
            // The part of what it is sorted by that each output has.
            let main = with.unwrap_or(measure);
            let part = |r: &usize| weights[*r] * outputs[*r].at(main, k).value.abs();
            let told = (0..outputs.len()).filter(|r| weights[*r] > 0.0 && part(r).is_finite());
            let row = told.max_by(|a, b| part(a).total_cmp(&part(b)));
            Finding {
                column,
                size,
                first,
                total,
                row: row.map_or(String::new(), |r| outputs[r].name.clone()),
                unit: row.map_or("", |r| outputs[r].unit),
                derivative: row.map_or(f64::NAN, |r| matrix[r][k]),
            }
        };
        let mut pairs = Vec::new();
        if outputs.iter().any(|output| !output.pairs.is_empty()) {
            let all = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
            for (at, (i, j)) in all.enumerate() {
                let both = mean(&outputs, &weights, |output| output.pairs.get(at).copied().unwrap_or(NONE));
                pairs.push((columns[i].name.clone(), columns[j].name.clone(), both));
            }
            pairs.sort_by(|a, b| b.2.value.max(0.0).total_cmp(&a.2.value.max(0.0)));
        }
        let findings = columns.into_iter().enumerate().map(finding).collect();
        let mut answer = Self {
            title: String::new(),
            place: String::new(),
            given: Value::Null,
            seed: 0,
            findings,
            outputs,
            matrix,
            what,
            measure,
            weights: words,
            warnings: Vec::new(),
            samples: None,
            per: "unit of probability",
            confidence: None,
            series: None,
            pairs,
            plane,
            plane_unit,
            uncertainty: None,
            exploded: None,
        };
        answer.warnings = answer.without_index();
        answer
    }

    /// Those that matter most first; those of which nothing is known last.
    pub fn sorted(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.findings.iter().collect();
        let size = |finding: &Finding| if finding.size.is_nan() { f64::NEG_INFINITY } else { finding.size };
        all.sort_by(|a, b| size(b).total_cmp(&size(a)));
        all
    }

    /// Outputs without an index, by name; reasons to doubt the whole answer are no part of it.
    fn without_index(&self) -> Vec<String> {
        /// So many are named on a line of their own.
        const NAMED: usize = 10;
        let said = self.outputs.iter().filter(|output| !output.dominated && self.exploded.is_none());
        let said = said.filter_map(|output| Some((output, output.without.as_ref()?)));
        let mut lines: Vec<String> =
            said.map(|(output, why)| format!("`{}` has no index: {why}", one_line(&output.name))).collect();
        if lines.len() > NAMED {
            let more = lines.len() - NAMED;
            lines.truncate(NAMED);
            lines.push(format!("and {more} more outputs have no index; --json names them"));
        }
        lines
    }

    /// Why the answer is not to be trusted, if it is not.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts: Vec<String> = self.exploded.iter().cloned().collect();
        doubts.extend(self.outputs.iter().filter(|output| output.dominated).map(|output| {
            format!(
                "not trustworthy: one sample of `{}` is so far away that it makes the whole scatter: it has no index",
                one_line(&output.name)
            )
        }));
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

    /// What stands above the two columns of shares.
    pub fn headings(&self) -> [&'static str; 2] {
        if self.measure == "bound" { ["share", "with others, at most"] } else { ["share", "with others"] }
    }

    /// What intervals and shares are, in words.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(weights) = self.weights {
            words.push(weights.to_owned());
        }
        let measured = self.outputs.iter().flat_map(|output| &output.measures).flat_map(|(_, of)| of);
        let sampled = measured.into_iter().any(|x| x.half_width.is_some()) || self.uncertainty.is_some();
        if let Some(level) = self.confidence.filter(|_| sampled) {
            words.push(format!(
                "± is half the width of an interval that holds the truth in {} % of cases.",
                number::five(100.0 * level)
            ));
        }
        words
    }
}

/// A number with its interval, in percent.
pub fn percent(x: Option<Interval>) -> String {
    let Some(Interval { value, half_width }) = x else { return String::new() };
    if value.is_nan() {
        return String::from("none");
    }
    // No zero below zero.
    let value = if value.abs() < 5e-4 { 0.0 } else { 100.0 * value };
    match half_width {
        Some(half) => format!("{value:.1} ± {:.1} %", 100.0 * half),
        None => format!("{value:.1} %"),
    }
}

/// A number with half the width of its interval.
pub fn with_interval(x: Interval) -> String {
    match x.half_width {
        Some(half) => format!("{} ± {}", number::five(x.value), number::five(half)),
        None => number::five(x.value),
    }
}
