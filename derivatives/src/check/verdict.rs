//! The verdict on one entry.

use std::fmt;

/// The verdict on one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", tag = "verdict", content = "reason"))]
pub enum Verdict {
    /// The deviation is within the bound.
    Agrees,
    /// The deviation exceeds the bound.
    Disagrees,
    /// The evidence is too weak for a verdict.
    CannotTell(Reason),
}

/// Why the evidence is too weak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Reason {
    /// The function's values carry more noise than rounding: differences do not converge to enough digits.
    Noise,
    /// The function has no derivative here: the one-sided derivatives differ, or it jumps.
    NonSmooth,
    /// The function has no derivative here: its value differs from those around it, as where a rank changes.
    Isolated,
    /// The function is known on one side of the point only, and the claim is its derivative from there.
    OneSided,
    /// The function bends over lengths shorter than the shortest step.
    StepTooLarge,
    /// The function, or all its neighbors on a side, is not finite, or fails.
    NonFinite,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Noise => "the values are too noisy",
            Self::NonSmooth => "not smooth here",
            Self::Isolated => "no derivative here: the value differs from those around it",
            Self::OneSided => "values on one side only",
            Self::StepTooLarge => "bends over less than the shortest step",
            Self::NonFinite => "not finite here",
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agrees => f.pad("agrees"),
            Self::Disagrees => f.pad("disagrees"),
            Self::CannotTell(reason) => f.pad(&format!("cannot tell: {reason}")),
        }
    }
}
