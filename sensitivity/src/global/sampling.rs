//! Samples of all parameters without a special pattern, for [`dgsm`](super::dgsm()) and
//! [`reweight`](super::reweight()).

use super::error::check_priors;
use super::run::bytes_of;
use super::{GlobalError, Plan, Points, Scramble, SobolPoints};
use crate::prior::Prior;
use crate::statistics::stream;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The sampling method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// Independent random points: intervals by resampling are those of theory.
    #[default]
    Random,
    /// Sobol points, scrambled: errors are smaller, and intervals by resampling are conservative.
    Sobol,
}

/// A plan of samples of independent parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// The distribution of each parameter.
    pub priors: Vec<Prior>,
    /// The number of samples.
    pub samples: usize,
    /// The sampling method.
    pub rule: Rule,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Plan for Sampling {
    fn parameters(&self) -> usize {
        self.priors.len()
    }
    fn samples(&self) -> Result<usize, GlobalError> {
        check_priors(&self.priors)?;
        check_samples("the number of samples", self.samples).map(|()| self.samples)
    }
    fn bytes(&self, outputs: usize) -> Result<u128, GlobalError> {
        let (samples, k) = (self.samples()?, self.priors.len());
        // Points twice, as drawn and as parameters; for one output its values, and sums of squares by parameters.
        Ok(bytes_of(samples, outputs + 3 * k + 4 + rayon::current_num_threads()))
    }
    fn points(&self) -> Result<impl Points, GlobalError> {
        self.samples()?;
        let sobol = match self.rule {
            Rule::Random => None,
            Rule::Sobol => {
                Some(sobol_sample(&self.priors, self.priors.len(), self.samples, Scramble::Affine, self.seed)?)
            }
        };
        Ok(Drawn { plan: self, sobol })
    }
}

struct Drawn<'a> {
    plan: &'a Sampling,
    sobol: Option<Vec<f64>>,
}

impl Points for Drawn<'_> {
    fn write(&self, first: usize, x: &mut [f64]) {
        let priors = &self.plan.priors;
        if let Some(sobol) = &self.sobol {
            x.copy_from_slice(&sobol[first * priors.len()..][..x.len()]);
            return;
        }
        for (i, x) in x.chunks_exact_mut(priors.len()).enumerate() {
            let mut rng = stream(self.plan.seed, (first + i) as u64);
            x.iter_mut().zip(priors).for_each(|(x, prior)| *x = prior.at(open(rng.random())));
        }
    }
}

/// A number strictly between 0 and 1 of 52 random bits.
pub(crate) fn open(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

/// Sobol points, mapped to parameters by the distributions, which are repeated as often as they fit.
pub(super) fn sobol_sample(
    priors: &[Prior],
    dimensions: usize,
    samples: usize,
    scramble: Scramble,
    seed: u64,
) -> Result<Vec<f64>, GlobalError> {
    let size = GlobalError::Size { samples, numbers: dimensions };
    let all = samples.checked_mul(dimensions).ok_or(size.clone())?;
    let mut points = SobolPoints::new(dimensions, scramble, seed)?;
    let mut u = Vec::new();
    u.try_reserve_exact(all).map_err(|_| size)?;
    u.resize(all, 0.0);
    u.chunks_exact_mut(dimensions).for_each(|u| points.write(u));
    for u in u.chunks_exact_mut(priors.len()) {
        u.iter_mut().zip(priors).for_each(|(u, prior)| *u = prior.at(*u));
    }
    Ok(u)
}

/// Checks that there are enough samples for a variance.
pub(super) fn check_samples(what: &'static str, samples: usize) -> Result<(), GlobalError> {
    if (2..=1 << 32).contains(&samples) {
        return Ok(());
    }
    Err(GlobalError::Count { what, value: samples, rule: "from 2 to 2³²" })
}
