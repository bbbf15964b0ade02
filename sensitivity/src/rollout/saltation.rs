//! Saltation: the propagation of a small error of the state through a jump at a time that depends on the state.
//!
//! With the guard `g(x, p, t) = 0`, the reset `x⁺ = R(x⁻, p, t)` and the motions `F⁻`, `F⁺` before and after it:
//!
//! ```text
//! Ξ   = D_x R + (F⁺ − D_x R F⁻ − D_t R) D_x g / (D_t g + D_x g F⁻)                                                      (1)
//! Ξ_p = D_p R + (F⁺ − D_x R F⁻ − D_t R) D_p g / (D_t g + D_x g F⁻)                                                      (2)
//! ```
//!
//! N. Kong, J. Payne, J. Zhu, A. Johnson, *Saltation Matrices: The Essential Tool for Linearizing Hybrid Dynamical
//! Systems*, arXiv 2306.06862, equation 4; (2) is the same with the parameters as constant states.

use crate::error::SensitivityError;
use nalgebra::{DMatrix, DVector};

/// An event, linearized.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// `F⁻`, n.
    pub before: DVector<f64>,
    /// `F⁺`, n.
    pub after: DVector<f64>,
    /// `D_x R`, n × n.
    pub reset_x: DMatrix<f64>,
    /// `D_p R`, n × np.
    pub reset_p: DMatrix<f64>,
    /// `D_t R`, n.
    pub reset_t: DVector<f64>,
    /// `D_x g`, n.
    pub guard_x: DVector<f64>,
    /// `D_p g`, np.
    pub guard_p: DVector<f64>,
    /// `D_t g`
    pub guard_t: f64,
}

/// The effect of an event on small errors.
#[derive(Clone, Debug, PartialEq)]
pub enum Saltation {
    /// The motion crosses the guard.
    Regular {
        /// `Ξ`, n × n.
        by_x: DMatrix<f64>,
        /// `Ξ_p`, n × np.
        by_p: DMatrix<f64>,
        /// The rate at which the guard is crossed, `D_t g + D_x g F⁻`.
        rate: f64,
    },
    /// The motion touches the guard and hardly crosses it: a small error decides whether there is an event at all.
    Grazing {
        /// The rate.
        rate: f64,
    },
}

/// Crossings slower than this, relative to the sizes of `D_x g` and `F⁻`, graze: errors grow by its inverse.
const SLOW: f64 = 1e-8;

/// (1) and (2).
///
/// # Errors
/// [`SensitivityError::Length`] if sizes are inconsistent.
pub fn saltation(at: &Crossing) -> Result<Saltation, SensitivityError> {
    let (n, np) = (at.before.len(), at.guard_p.len());
    for (what, found, expected) in [
        ("F after", at.after.len(), n),
        ("D_x R, by rows,", at.reset_x.nrows(), n),
        ("D_x R, by columns,", at.reset_x.ncols(), n),
        ("D_p R, by rows,", at.reset_p.nrows(), n),
        ("D_p R, by columns,", at.reset_p.ncols(), np),
        ("D_t R", at.reset_t.len(), n),
        ("D_x g", at.guard_x.len(), n),
    ] {
        if found != expected {
            return Err(SensitivityError::Length { what, expected, found });
        }
    }
    let rate = at.guard_t + at.guard_x.dot(&at.before);
    let size = at.guard_t.abs() + at.guard_x.norm() * at.before.norm();
    if rate.is_nan() || rate.abs() <= SLOW * size {
        return Ok(Saltation::Grazing { rate });
    }
    let jump = (&at.after - &at.reset_x * &at.before - &at.reset_t) / rate;
    let by_x = &at.reset_x + &jump * at.guard_x.transpose();
    let by_p = &at.reset_p + &jump * at.guard_p.transpose();
    Ok(Saltation::Regular { by_x, by_p, rate })
}
