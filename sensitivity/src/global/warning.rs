//! Warnings of an analysis.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Warnings of an analysis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Warning {
    /// Sobol points are balanced at powers of two only.
    NotPowerOfTwo {
        /// The number of samples.
        samples: usize,
    },
    /// No parameter moves this output: its indices are zero by convention.
    Constant {
        /// The output.
        output: usize,
    },
    /// One sample of an output is an outlier that makes its variance, or beside which the others are the same to
    /// rounding. Its numbers are NaN.
    Dominated {
        /// Which output.
        output: usize,
    },
    /// The output scatters by no more than its own rounding. Its numbers are NaN.
    Rounding {
        /// Which output.
        output: usize,
    },
    /// Samples whose outputs are not finite were excluded.
    KeptOut {
        /// The number of these.
        count: usize,
        /// The number of all samples.
        total: usize,
    },
}

impl Warning {
    /// The output without an index, if this is the reason.
    #[must_use]
    pub fn without_index(&self) -> Option<usize> {
        match *self {
            Self::Constant { output } | Self::Dominated { output } | Self::Rounding { output } => Some(output),
            Self::NotPowerOfTwo { .. } | Self::KeptOut { .. } => None,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPowerOfTwo { samples } => {
                write!(f, "{samples} samples are not a power of two: Sobol points are balanced only at powers of two")
            }
            Self::Constant { output } => {
                write!(f, "output {output} does not vary over the sample: its indices are zero by convention")
            }
            Self::Dominated { output } => {
                write!(f, "output {output}: one sample is so far away that the rest does not count: it has no index")
            }
            Self::Rounding { output } => {
                write!(f, "output {output} scatters by no more than its rounding: it has no index")
            }
            Self::KeptOut { count, total } => {
                write!(f, "{count} of {total} samples were excluded: their outputs are not finite")
            }
        }
    }
}
