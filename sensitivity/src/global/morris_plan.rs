//! Paths through a grid, along which one parameter after the other moves.
//!
//! Source: M. Morris, *Factorial sampling plans for preliminary computational experiments*, Technometrics 33(2), 1991.

use super::error::check_priors;
use super::morris::{Effects, Step, effects_of_steps};
use super::run::bytes_of;
use super::{GlobalError, Plan, Points, Run};
use crate::prior::Prior;
use crate::statistics::{Resampling, stream};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A plan of random paths of `k + 1` samples each.
///
/// The range of each parameter is divided into an even number of `levels` of equal probability. A level is represented
/// by its middle, so that a normal distribution has finite levels. A path begins at random levels; at each step one
/// parameter, in random order, moves by half of the levels, up or down: by ½ in probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Morris {
    /// The distribution of each parameter.
    pub priors: Vec<Prior>,
    /// The number of paths.
    pub paths: usize,
    /// The number of levels, even; 4 is usual.
    pub levels: usize,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Half of the levels, as a share of all.
const JUMP: f64 = 0.5;

/// One path.
struct Path {
    /// The start of each parameter, in probability, and its change.
    start: Vec<(f64, f64)>,
    /// The step at which each parameter moves.
    step: Vec<usize>,
}

impl Morris {
    fn path(&self, index: usize) -> Path {
        let mut rng = stream(self.seed, index as u64);
        let (k, half) = (self.priors.len(), self.levels / 2);
        let start = (0..k).map(|_| {
            let low = (rng.random_range(0..half) as f64 + 0.5) / self.levels as f64;
            if rng.random() { (low, JUMP) } else { (low + JUMP, -JUMP) }
        });
        let start = start.collect();
        // Fisher and Yates.
        let mut step: Vec<usize> = (0..k).collect();
        for i in (1..k).rev() {
            step.swap(i, rng.random_range(0..=i));
        }
        Path { start, step }
    }
}

impl Plan for Morris {
    fn parameters(&self) -> usize {
        self.priors.len()
    }
    fn samples(&self) -> Result<usize, GlobalError> {
        check_priors(&self.priors)?;
        if self.levels < 2 || self.levels % 2 == 1 {
            let rule = "it must be even, and at least 2";
            return Err(GlobalError::Count { what: "the number of levels", value: self.levels, rule });
        }
        if self.paths < 2 {
            let rule = "there must be two to see a scatter";
            return Err(GlobalError::Count { what: "the number of paths", value: self.paths, rule });
        }
        let numbers = self.priors.len() + 1;
        self.paths.checked_mul(numbers).ok_or(GlobalError::Size { samples: self.paths, numbers })
    }
    fn points(&self) -> Result<impl Points, GlobalError> {
        self.samples()?;
        Ok(Paths { plan: self })
    }
    fn bytes(&self, outputs: usize) -> Result<u128, GlobalError> {
        let (samples, k) = (self.samples()?, self.priors.len());
        // Steps and effects take two numbers each; there are four sums per effect, and the counts of a drawing for each
        // thread.
        let tables = bytes_of(self.paths, 8 * k + rayon::current_num_threads());
        Ok(bytes_of(samples, outputs + 1) + tables)
    }
}

/// Paths are made on request, because there may be more of them than memory holds.
struct Paths<'a> {
    plan: &'a Morris,
}

impl Points for Paths<'_> {
    fn write(&self, first: usize, x: &mut [f64]) {
        let k = self.plan.priors.len();
        let mut last: Option<(usize, Path)> = None;
        for (i, x) in x.chunks_exact_mut(k).enumerate() {
            let (index, place) = ((first + i) / (k + 1), (first + i) % (k + 1));
            if last.as_ref().is_none_or(|(of, _)| *of != index) {
                last = Some((index, self.plan.path(index)));
            }
            let Some((_, path)) = &last else { continue };
            let moves = path.start.iter().zip(&path.step).zip(&self.plan.priors);
            for (x, (((start, jump), step), prior)) in x.iter_mut().zip(moves) {
                *x = prior.at(if *step < place { start + jump } else { *start });
            }
        }
    }
}

impl Run<Morris> {
    /// Elementary effects of every parameter on every output, per unit of probability.
    ///
    /// # Errors
    /// An unfinished run; more than 1 % of samples whose outputs are not finite; an invalid level.
    pub fn effects(&self, resampling: &Resampling) -> Result<Effects, GlobalError> {
        let values = self.values()?;
        let k = self.plan().priors.len();
        let mut steps = Vec::with_capacity(self.plan().paths * k);
        for index in 0..self.plan().paths {
            let path = self.plan().path(index);
            let first = steps.len();
            steps.resize(first + k, Step { parameter: 0, length: 0.0 });
            for (parameter, step) in path.step.iter().enumerate() {
                steps[first + step] = Step { parameter, length: path.start[parameter].1 };
            }
        }
        effects_of_steps(&steps, k, values, self.outputs(), resampling)
    }
}
