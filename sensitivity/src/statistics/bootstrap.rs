//! Drawing the rows of a table again with replacement.
//!
//! An estimate from sums over rows needs no copy of the rows: drawing gives each row a count, and the sums become
//! products of the columns with these counts.

use super::normal;
use super::{Resampling, dot, stream, sum};
use rand::RngExt;
use rayon::prelude::*;

/// A table whose rows are drawn, column after column.
#[derive(Debug)]
pub(crate) struct Columns {
    rows: usize,
    entries: Vec<f64>,
}

impl Columns {
    pub(crate) fn new(rows: usize) -> Self {
        Self { rows, entries: Vec::new() }
    }
    /// Adds a column. Returns its index.
    pub(crate) fn push(&mut self, column: impl Iterator<Item = f64>) -> usize {
        let index = self.len();
        self.entries.extend(column.take(self.rows));
        self.entries.resize((index + 1) * self.rows, 0.0);
        index
    }
    fn len(&self) -> usize {
        self.entries.len().checked_div(self.rows).unwrap_or(0)
    }
    /// The sum of each column.
    pub(crate) fn sums(&self) -> Vec<f64> {
        self.entries.chunks_exact(self.rows.max(1)).map(sum).collect()
    }
    /// The sums after each drawing, one after the other. O(times · rows · columns), over threads.
    pub(crate) fn resampled(&self, resampling: &Resampling) -> Vec<Vec<f64>> {
        let draw = |time: usize| {
            let mut rng = stream(resampling.seed, time as u64);
            let mut counts = vec![0.0; self.rows];
            for _ in 0..self.rows {
                counts[rng.random_range(0..self.rows)] += 1.0;
            }
            self.entries.chunks_exact(self.rows.max(1)).map(|column| dot(column, &counts)).collect()
        };
        (0..resampling.times).into_par_iter().map(draw).collect()
    }
}

/// The normal deviate of a level: half an interval, in standard deviations.
pub(crate) fn multiplier(level: f64) -> f64 {
    normal::quantile(0.5 + 0.5 * level)
}

/// The standard deviation of each entry over lists of the same length. Nonfinite entries are excluded; zero if fewer
/// than two remain.
pub(crate) fn deviations(lists: &[Vec<f64>]) -> Vec<f64> {
    let entries = lists.first().map_or(0, Vec::len);
    let deviation = |entry: usize| {
        let values: Vec<f64> = lists.iter().map(|list| list[entry]).filter(|x| x.is_finite()).collect();
        let n = values.len() as f64;
        if n < 2.0 {
            return 0.0;
        }
        let mean = sum(&values) / n;
        let squares: Vec<f64> = values.iter().map(|x| (x - mean) * (x - mean)).collect();
        (sum(&squares) / (n - 1.0)).sqrt()
    };
    (0..entries).map(deviation).collect()
}
