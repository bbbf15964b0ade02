//! The usual mistakes, by name.

use std::fmt;

/// The probable mistake, which explains all entries that disagree.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", tag = "mistake"))]
#[non_exhaustive]
pub enum Guess {
    /// Rows and columns are exchanged.
    Transposed,
    /// The sign is wrong.
    WrongSign,
    /// The claim is too large by this factor: 2 or ½.
    Factor {
        /// Claimed over found.
        factor: f64,
    },
    /// A column per coordinate of `q` (nq) instead of one per direction of motion (nv), or the reverse; or rows.
    CoordinatesNotDirections,
    /// Derivatives with respect to the coefficients of a quaternion, or of (cos, sin), instead of along the tangent.
    QuaternionCoefficients,
    /// Expressed in another reference than it should be: `local` against `world` and so on.
    Frame {
        /// The reference in which it is expressed.
        found: String,
        /// The reference in which it should be expressed.
        expected: String,
    },
    /// A rotation into the frame, or out of it, is missing.
    MissingRotation,
    /// Only one triangle of a symmetric matrix is filled.
    OneTriangle {
        /// Whether it is the upper one.
        upper: bool,
    },
    /// Linear and angular parts are exchanged.
    LinearAngularSwapped,
    /// The parts by position and by velocity are exchanged.
    PartsExchanged {
        /// What it is instead of the expected part.
        found: String,
    },
    /// Degrees in place of radians.
    Degrees,
    /// The columns, or rows, are in another order.
    Reordered,
    /// The entries that disagree are all zero: a term is left out.
    LeftOut,
    /// An entry outside the declared sparsity pattern differs from zero.
    Pattern,
    /// Another mistake, known to the caller.
    Other {
        /// In words.
        text: String,
    },
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transposed => f.write_str("transposed: rows and columns are exchanged"),
            Self::WrongSign => f.write_str("the sign is wrong"),
            Self::Factor { factor } => write!(f, "{factor} times too large"),
            Self::CoordinatesNotDirections => {
                f.write_str("one entry per coordinate (nq) instead of one per direction of motion (nv)")
            }
            Self::QuaternionCoefficients => {
                f.write_str("by the coefficients of a quaternion, or of (cos, sin), instead of along the tangent")
            }
            Self::Frame { found, expected } => write!(f, "expressed in {found} instead of {expected}"),
            Self::MissingRotation => f.write_str("a rotation between body and world is missing or superfluous"),
            Self::OneTriangle { upper } => {
                write!(f, "only the {} triangle is filled", if *upper { "upper" } else { "lower" })
            }
            Self::LinearAngularSwapped => f.write_str("linear and angular parts are exchanged"),
            Self::PartsExchanged { found } => write!(f, "parts are exchanged: this is {found}"),
            Self::Degrees => f.write_str("degrees in place of radians"),
            Self::Reordered => f.write_str("rows or columns are in another order"),
            Self::LeftOut => f.write_str("left out: the entries that disagree are zero"),
            Self::Pattern => f.write_str("the declared sparsity pattern lacks entries"),
            Self::Other { text } => f.write_str(text),
        }
    }
}
