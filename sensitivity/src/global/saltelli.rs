//! The pattern of samples from which variance-based indices are computed.
//!
//! Source: A. Saltelli, P. Annoni, I. Azzini, F. Campolongo, M. Ratto, S. Tarantola, *Variance based sensitivity
//! analysis of model output*, Comput. Phys. Commun. 181(2), 2010; the second half of the pattern, for second order: A.
//! Saltelli, *Making best use of model evaluations to compute sensitivity indices*, Comput. Phys. Commun. 145(2), 2002.

use super::error::{check_priors, check_resampling};
use super::run::bytes_of;
use super::sampling::{check_samples, sobol_sample};
use super::sobol::{Layout, SobolIndices, sobol_indices};
use super::{GlobalError, Plan, Points, Run, Scramble, Warning};
use crate::prior::Prior;
use crate::statistics::Resampling;
use serde::{Deserialize, Serialize};

/// Two independent samples A and B of N rows, and all of A with one group of columns from B.
///
/// In order, for each of the N rows: A; A with group i from B, for each i; with second order, B with group i from A,
/// for each i; B. That is `N (g + 2)` samples, or `N (2 g + 2)`. The order is that of SALib.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saltelli {
    /// The distribution of each parameter, which must be independent.
    pub priors: Vec<Prior>,
    /// Groups of parameters that are moved together, by their indices; empty if each is its own group.
    pub groups: Vec<Vec<usize>>,
    /// N, best a power of two.
    pub rows: usize,
    /// Whether the samples for second order are included.
    pub second_order: bool,
    /// The scrambling.
    pub scramble: Scramble,
    /// The seed of the scrambling.
    pub seed: u64,
}

impl Saltelli {
    /// A plan for first order and total indices of each parameter.
    #[must_use]
    pub fn new(priors: Vec<Prior>, rows: usize, seed: u64) -> Self {
        Self { priors, groups: Vec::new(), rows, second_order: false, scramble: Scramble::default(), seed }
    }

    /// The layout of the outputs of its samples.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let groups = if self.groups.is_empty() { self.priors.len() } else { self.groups.len() };
        Layout { groups, second_order: self.second_order }
    }

    /// Checks that every parameter is in exactly one group.
    fn check_groups(&self) -> Result<(), GlobalError> {
        if self.groups.is_empty() {
            return Ok(());
        }
        let parameters = self.priors.len();
        let mut times = vec![0; parameters];
        for (group, members) in self.groups.iter().enumerate() {
            for parameter in members {
                *times.get_mut(*parameter).ok_or(GlobalError::Member {
                    group,
                    parameter: *parameter,
                    parameters,
                })? += 1;
            }
        }
        match times.iter().position(|times| *times != 1) {
            Some(parameter) => Err(GlobalError::Group { parameter, times: times[parameter] }),
            None => Ok(()),
        }
    }
}

impl Plan for Saltelli {
    fn parameters(&self) -> usize {
        self.priors.len()
    }
    fn samples(&self) -> Result<usize, GlobalError> {
        check_priors(&self.priors)?;
        self.check_groups()?;
        check_samples("the number of rows", self.rows)?;
        let numbers = self.layout().stride();
        self.rows.checked_mul(numbers).ok_or(GlobalError::Size { samples: self.rows, numbers })
    }
    fn bytes(&self, outputs: usize) -> Result<u128, GlobalError> {
        let (samples, layout) = (self.samples()?, self.layout());
        // A and B; then, for one output per thread, its samples, means with their counts, and the counts of a drawing.
        let means = 2 * (layout.terms() + 1);
        let threads = rayon::current_num_threads().min(outputs);
        let each = bytes_of(samples, 1) + bytes_of(self.rows, means);
        let points = bytes_of(self.rows, 2 * self.priors.len());
        Ok(points + bytes_of(samples, outputs) + each * threads as u128)
    }
    fn points(&self) -> Result<impl Points, GlobalError> {
        self.samples()?;
        let parameters = self.priors.len();
        let both = sobol_sample(&self.priors, 2 * parameters, self.rows, self.scramble, self.seed)?;
        let groups =
            if self.groups.is_empty() { (0..parameters).map(|i| vec![i]).collect() } else { self.groups.clone() };
        Ok(Crossed { both, groups, parameters, layout: self.layout() })
    }
}

struct Crossed {
    /// A and B side by side.
    both: Vec<f64>,
    groups: Vec<Vec<usize>>,
    parameters: usize,
    layout: Layout,
}

impl Points for Crossed {
    fn write(&self, first: usize, x: &mut [f64]) {
        let (k, g, stride) = (self.parameters, self.groups.len(), self.layout.stride());
        for (i, x) in x.chunks_exact_mut(k).enumerate() {
            let (row, place) = ((first + i) / stride, (first + i) % stride);
            let (a, b) = self.both[row * 2 * k..][..2 * k].split_at(k);
            let (base, other) = if place <= g { (a, b) } else { (b, a) };
            x.copy_from_slice(base);
            if place > 0 && place + 1 < stride {
                self.groups[(place - 1) % g].iter().for_each(|j| x[*j] = other[*j]);
            }
        }
    }
}

impl Run<Saltelli> {
    /// First order, total and, if planned, second order indices of every output by every group.
    ///
    /// # Errors
    /// An unfinished run; more than 1 % of samples whose outputs are not finite; an invalid level.
    pub fn indices(&self, resampling: &Resampling) -> Result<SobolIndices, GlobalError> {
        check_resampling(resampling)?;
        let mut indices = sobol_indices(self.values()?, self.outputs(), self.plan().layout(), resampling)?;
        let samples = self.plan().rows;
        if !samples.is_power_of_two() {
            indices.warnings.insert(0, Warning::NotPowerOfTwo { samples });
        }
        Ok(indices)
    }
}
