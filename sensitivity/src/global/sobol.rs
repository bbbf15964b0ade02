//! Variance-based indices from the outputs of the pattern of samples.
//!
//! With `f_A`, `f_B`, `f_ABi`, `f_BAi` the outputs at A, at B, at A with group i from B, and at B with group i from A,
//! less the mean of all:
//!
//! ```text
//! S_i  = E[f_B (f_ABi − f_A)] / V                          Saltelli et al. 2010, table 2 (b)
//! T_i  = ½ E[(f_A − f_ABi)²] / V                           Jansen 1999; Saltelli et al. 2010, table 2 (f)
//! S_ij = E[f_BAi f_ABj − f_A f_B] / V − S_i − S_j          Saltelli 2002
//! V    = the variance over A and B
//! ```
//!
//! They are the estimators of SALib, which divides by the same variance.

use super::failed::{Centered, Finite};
use super::{GlobalError, Warning, drop_rounding};
use crate::statistics::{Columns, Interval, Resampling, deviations, multiplier};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The layout of the outputs of the pattern: see [`Saltelli`](super::Saltelli).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Groups of parameters, g.
    pub groups: usize,
    /// Whether there are samples for second order.
    pub second_order: bool,
}

impl Layout {
    /// Samples of one row: `g + 2`, with second order `2 g + 2`.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.groups.saturating_mul(1 + usize::from(self.second_order)).saturating_add(2)
    }
    /// The number of means in the estimators: two of the variance, first order, total, second order.
    pub(super) fn terms(&self) -> usize {
        let g = self.groups;
        let pairs = if self.second_order { g.saturating_mul(g.saturating_sub(1)) / 2 } else { 0 };
        g.saturating_mul(2).saturating_add(pairs).saturating_add(2)
    }
    /// Pairs of groups, in the order (0, 1), (0, 2), …, (1, 2), …; none without second order.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let g = if self.second_order { self.groups } else { 0 };
        (0..g).flat_map(move |i| (i + 1..g).map(move |j| (i, j)))
    }
}

/// The share of each group of parameters in the variance of every output.
///
/// Small samples give estimates below zero or above one, within their intervals. Indices of an output that does not
/// vary are zero by convention; if one sample makes the variance, or the variance is [rounding](Self::above_rounding),
/// they are NaN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SobolIndices {
    /// The number of groups, g.
    pub groups: usize,
    /// The mean of each output.
    pub mean: Vec<f64>,
    /// The variance of each output.
    pub variance: Vec<f64>,
    /// First order: the share of one group alone. For each output, g of them.
    pub first: Vec<Interval>,
    /// Total: the share of one group, including its interactions with others. For each output, g of them.
    pub total: Vec<Interval>,
    /// Second order: the share of the interaction of two groups. For each output the pairs (0, 1), (0, 2), …, (1, 2),
    /// …; empty if not planned.
    pub second: Vec<Interval>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

/// Indices of any outputs: sample after sample in the order of [`Saltelli`](super::Saltelli), `outputs` numbers each.
///
/// O(outputs · rows · groups), with intervals once per resample; each output is read once.
///
/// # Errors
/// A list of the wrong length; more than 1 % of samples whose outputs are not finite; fewer than two samples for an
/// index.
pub fn sobol_indices(
    values: &[f64],
    outputs: usize,
    layout: Layout,
    resampling: &Resampling,
) -> Result<SobolIndices, GlobalError> {
    super::error::check_resampling(resampling)?;
    let finite = Finite::of(values, outputs)?;
    let (samples, stride) = (finite.flags.len(), layout.stride());
    if layout.groups == 0 {
        return Err(GlobalError::Count { what: "the number of groups", value: 0, rule: "there must be one" });
    }
    if !samples.is_multiple_of(stride) {
        return Err(GlobalError::Multiple { what: "the list of samples", unit: stride, found: samples });
    }
    let one = |output| one_output(&Centered::of(values, outputs, output, &finite), &finite, layout, resampling);
    let found: Vec<One> = (0..outputs).into_par_iter().map(one).collect::<Result<_, _>>()?;

    let (g, mut warnings) = (layout.groups, Vec::new());
    if finite.failed > 0 {
        warnings.push(Warning::KeptOut { count: finite.failed, total: samples });
    }
    let flat = |(output, one): (usize, &One)| match one.spread {
        Spread::Some => None,
        Spread::None => Some(Warning::Constant { output }),
        Spread::Lost => Some(Warning::Dominated { output }),
    };
    warnings.extend(found.iter().enumerate().filter_map(flat));
    let part = |from: usize, to: usize| found.iter().flat_map(|one| one.indices[from..to].iter().copied()).collect();
    Ok(SobolIndices {
        groups: g,
        mean: found.iter().map(|one| one.mean).collect(),
        variance: found.iter().map(|one| one.variance).collect(),
        first: part(0, g),
        total: part(g, 2 * g),
        second: part(2 * g, 2 * g + layout.pairs().count()),
        warnings,
    })
}

impl SobolIndices {
    /// Sets the indices of outputs that scatter by at most a hundred times their [rounding](crate::local::rounding())
    /// to NaN, with [`Warning::Rounding`]. `rounding`: one entry per output, in its unit.
    #[must_use]
    pub fn above_rounding(mut self, rounding: &[f64]) -> Self {
        let scatter: Vec<f64> = self.variance.iter().map(|variance| variance.sqrt()).collect();
        drop_rounding(&scatter, rounding, self.groups, [&mut self.first, &mut self.total], &mut self.warnings);
        let pairs = self.groups * self.groups.saturating_sub(1) / 2;
        if !self.second.is_empty() {
            // Warned once.
            drop_rounding(&scatter, rounding, pairs, [&mut self.second], &mut Vec::new());
        }
        self
    }
}

/// The results for one output.
struct One {
    mean: f64,
    variance: f64,
    spread: Spread,
    /// First order, total, second order.
    indices: Vec<Interval>,
}

/// A variance below this share of the squared mean, of numbers whose mean over all rows is zero, has lost its digits to
/// an outlier: squares and their mean are rounded to 1e-16 each, and some thousand of them are summed.
const LOST: f64 = 1e-10;

/// Whether an output has a variance.
#[derive(Clone, Copy, PartialEq)]
enum Spread {
    Some,
    /// All are the same.
    None,
    /// An outlier in other rows hides the scatter of A and B in rounding.
    Lost,
}

fn one_output(f: &Centered, finite: &Finite, layout: Layout, resampling: &Resampling) -> Result<One, GlobalError> {
    let table = Table::new(&f.values, finite, layout);
    let sums = table.columns.sums();
    table.check(&sums)?;
    let (mean, variance) = table.moments(&sums);
    let spread = match (f.constant, f.dominated || variance <= LOST * mean * mean) {
        (true, _) => Spread::None,
        (false, true) => Spread::Lost,
        (false, false) => Spread::Some,
    };
    let constant = spread == Spread::None;
    let values = match spread {
        Spread::Some => table.indices(&sums),
        Spread::None => vec![0.0; table.terms.len() - 2],
        Spread::Lost => vec![f64::NAN; table.terms.len() - 2],
    };
    let half_widths = if resampling.times == 0 || spread == Spread::Lost {
        vec![None; values.len()]
    } else if constant {
        vec![Some(0.0); values.len()]
    } else {
        let again: Vec<Vec<f64>> = table.columns.resampled(resampling).iter().map(|sums| table.indices(sums)).collect();
        deviations(&again).iter().map(|deviation| Some(multiplier(resampling.level) * deviation)).collect()
    };
    let indices = values.iter().zip(half_widths).map(|(value, half_width)| Interval { value: *value, half_width });
    let (mean, variance) = (f.mean + f.scale * mean, f.scale * f.scale * variance);
    Ok(One { mean, variance: if constant { 0.0 } else { variance }, spread, indices: indices.collect() })
}

/// A mean over rows: the column that is summed, and the one that counts the rows, if not all count.
struct Term {
    sum: usize,
    count: Option<usize>,
}

/// The products of which the estimators are means, row by row.
struct Table {
    columns: Columns,
    /// `f_A + f_B`, their squares, first order, total, second order.
    terms: Vec<Term>,
    rows: usize,
    layout: Layout,
}

impl Table {
    fn new(f: &[f64], finite: &Finite, layout: Layout) -> Self {
        let (g, stride) = (layout.groups, layout.stride());
        let rows = f.len() / stride;
        let mut table = Self { columns: Columns::new(rows), terms: Vec::new(), rows, layout };
        let (a, b) = (0, stride - 1);
        let mut push = |places: &[usize], product: &dyn Fn(&[f64]) -> f64| {
            if finite.failed == 0 {
                let sum = table.columns.push(f.chunks_exact(stride).map(product));
                table.terms.push(Term { sum, count: None });
                return;
            }
            let rows = f.chunks_exact(stride).zip(finite.flags.chunks_exact(stride));
            let whole = |flags: &[bool]| places.iter().all(|place| flags[*place]);
            let sum = rows.clone().map(|(f, flags)| if whole(flags) { product(f) } else { 0.0 });
            let sum = table.columns.push(sum);
            let count = Some(table.columns.push(rows.map(|(_, flags)| f64::from(whole(flags)))));
            table.terms.push(Term { sum, count });
        };
        push(&[a, b], &|f| f[a] + f[b]);
        push(&[a, b], &|f| f[a] * f[a] + f[b] * f[b]);
        for ab in 1..=g {
            push(&[a, b, ab], &|f| f[b] * (f[ab] - f[a]));
        }
        for ab in 1..=g {
            push(&[a, ab], &|f| 0.5 * (f[a] - f[ab]) * (f[a] - f[ab]));
        }
        for (i, j) in layout.pairs() {
            let (ba, ab) = (g + 1 + i, 1 + j);
            push(&[a, b, ba, ab], &|f| f[ba] * f[ab] - f[a] * f[b]);
        }
        table
    }

    fn count(&self, sums: &[f64], term: &Term) -> f64 {
        term.count.map_or(self.rows as f64, |count| sums[count])
    }

    /// Checks that there are enough rows for each mean.
    fn check(&self, sums: &[f64]) -> Result<(), GlobalError> {
        match self.terms.iter().map(|term| self.count(sums, term)).find(|count| *count < 2.0) {
            Some(count) => Err(GlobalError::Few { what: "an index", found: count as usize, least: 2 }),
            None => Ok(()),
        }
    }

    /// Mean and variance over A and B.
    fn moments(&self, sums: &[f64]) -> (f64, f64) {
        let mean = |term: &Term| sums[term.sum] / (2.0 * self.count(sums, term));
        let (mean, square) = (mean(&self.terms[0]), mean(&self.terms[1]));
        (mean, square - mean * mean)
    }

    /// First order, total, second order. Not finite if the drawn rows have no variance.
    fn indices(&self, sums: &[f64]) -> Vec<f64> {
        let (_, variance) = self.moments(sums);
        let part = |term: &Term| sums[term.sum] / self.count(sums, term) / variance;
        let mut indices: Vec<f64> = self.terms[2..].iter().map(part).collect();
        for (at, (i, j)) in self.layout.pairs().enumerate() {
            indices[2 * self.layout.groups + at] -= indices[i] + indices[j];
        }
        indices
    }
}
