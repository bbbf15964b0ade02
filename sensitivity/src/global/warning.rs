//! What does not stop an analysis, and must be known of its result.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What does not stop an analysis, and must be known of its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Warning {
    /// Sobol points are balanced at powers of two only.
    NotPowerOfTwo {
        /// As many as there are.
        samples: usize,
    },
    /// No parameter moves this output: its indices are zero by agreement.
    Constant {
        /// The output.
        output: usize,
    },
    /// One sample of an output is so far away that it makes its variance, or that others are the same to rounding. Its numbers are none.
    Dominated {
        /// Which output.
        output: usize,
    },
    /// The output scatters by no more than its own rounding. Its numbers are none.
    Rounding {
        /// Which output.
        output: usize,
    },
    /// Samples whose outputs are not finite were kept out.
    KeptOut {
        /// As many as these are.
        count: usize,
        /// Of how many.
        total: usize,
    },
}

impl Warning {
    /// The output that has no index, if this is why.
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
                write!(f, "{samples} samples are no power of two: Sobol points are balanced at powers of two only")
            }
            Self::Constant { output } => {
                write!(f, "output {output} does not vary over the sample: its indices are zero by agreement")
            }
            Self::Dominated { output } => {
                write!(
                    f,
                    "output {output}: one sample is so far away that the rest does not count: no index can be told"
                )
            }
            Self::Rounding { output } => {
                write!(f, "output {output} scatters by no more than its rounding: no index can be told")
            }
            Self::KeptOut { count, total } => {
                write!(f, "{count} of {total} samples were kept out: their outputs are not finite")
            }
        }
    }
}
