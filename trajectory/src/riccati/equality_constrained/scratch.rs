//! Memory of the elimination of equalities.

use super::Rows;
use crate::dense::{Ldl, Qr};
use crate::quadratic::Dims;
use nalgebra::DMatrix;

/// Memory for the node with the most rows.
#[derive(Debug)]
pub(in crate::riccati) struct Scratch {
    pub(super) by_u: Qr,
    pub(super) by_x: Qr,
    pub(super) ldl: Ldl,
    /// `[C; E⁺ A]`, transposed.
    pub(super) x: DMatrix<f64>,
    /// `[c; e⁺]`, and what the elimination leaves of it.
    pub(super) right: Vec<f64>,
    pub(super) t: Vec<f64>,
    pub(super) left: Vec<f64>,
    pub(super) sizes: Vec<Sized>,
    /// Multipliers on the way.
    pub(in crate::riccati) w: Vec<f64>,
    pub(in crate::riccati) mu: [Vec<f64>; 2],
}

/// Memory of nodes of one size.
#[derive(Debug)]
pub(super) struct Sized {
    pub(super) ndx: usize,
    pub(super) nu: usize,
    pub(super) xu: DMatrix<f64>,
    pub(super) uu: DMatrix<f64>,
    pub(super) before: DMatrix<f64>,
    /// `Kᵀ`
    pub(super) gain: DMatrix<f64>,
    pub(super) k: Vec<f64>,
    pub(super) u: Vec<f64>,
}

impl Scratch {
    pub(in crate::riccati) fn new(dims: &[Dims], rows: &[Rows]) -> Self {
        let most = |of: fn(&Dims) -> usize| dims.iter().map(of).max().unwrap_or(0);
        let m = rows.iter().map(|rows| rows.order.len()).max().unwrap_or(0);
        let (ndx, nu, n_eq) = if m > 0 { (most(|d| d.ndx), most(|d| d.nu), most(|d| d.n_eq)) } else { (0, 0, 0) };
        let mut sizes: Vec<Sized> = Vec::new();
        for (&Dims { ndx, nu, .. }, rows) in dims.iter().zip(rows) {
            if !rows.order.is_empty() && !sizes.iter().any(|s| (s.ndx, s.nu) == (ndx, nu)) {
                sizes.push(Sized {
                    ndx,
                    nu,
                    xu: DMatrix::zeros(ndx, nu),
                    uu: DMatrix::zeros(nu, nu),
                    before: DMatrix::zeros(ndx, nu),
                    gain: DMatrix::zeros(ndx, nu),
                    k: vec![0.0; nu],
                    u: vec![0.0; nu],
                });
            }
        }
        Self {
            by_u: Qr::new(nu, m, ndx.max(nu)),
            by_x: Qr::new(ndx, m, 0),
            ldl: Ldl::new(if m > 0 { nu + n_eq } else { 0 }),
            x: DMatrix::zeros(ndx, m),
            right: vec![0.0; m.max(nu + n_eq)],
            t: vec![0.0; m],
            left: vec![0.0; m],
            sizes,
            w: vec![0.0; m],
            mu: [vec![0.0; m], vec![0.0; m]],
        }
    }
}
