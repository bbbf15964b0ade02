//! The Coriolis matrix: S. Echeandia and P. Wensing, *Numerical Methods to Compute the Coriolis Matrix and Christoffel
//! Symbols for Rigid-Body Systems*, J. Comput. Nonlinear Dyn. 16(9), 2021, algorithm 1.
//!
//! With composite sums `I_C` of inertias and `½ B_C` of Coriolis matrices of bodies ([`BodyCoriolis`]) over a subtree,
//! columns `j` of a link and `i` of the links from there to the root:
//!
//! ```text
//! C_ij = S_iᵀ (½ B_C S_j + I_C Ṡ_j)                       (1)
//! C_ji = S_iᵀ (½ B_Cᵀ S_j) + Ṡ_iᵀ (I_C S_j)               (2)
//! ```
//!
//! where (1) also holds for `i` of the same link. Joints whose `S` depends on `q` are series of links ([`Placed`]).

use super::placed::{Placed, update};
use super::{Workspace, check_finite, first_not_finite};
use crate::dynamics::by_plan::{self, Kernels};
use crate::level::at_level;
use crate::model::{InputError, Model, room};
use crate::spatial::{BodyCoriolis, InertiaAboutOrigin, Motion};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// A Coriolis matrix `C(q, v)`: `C v` are the Coriolis and centrifugal torques, and `Ṁ − 2 C` is skew-symmetric.
///
/// `M(q) a + C(q, v) v + g(q) = τ`, but for friction. `q`: nq, `v`: nv; returns nv × nv, which borrows from the
/// workspace. Of the many matrices with these properties, the one that consists of the bodies' own, `½ B` with
/// `½ (B + Bᵀ) = Ẏ`. Exactly zero where the tree makes it so. Armature adds nothing. Cost O(n d), d the depth of the
/// tree; a second call allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[inline(never)]
#[doc(alias = "computeCoriolisMatrix")]
pub fn coriolis_matrix<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_q(q)?;
    model.check_length("v", "nv", v.len(), model.nv)?;
    ws.check(model)?;
    check_finite(model, q, v, &[])?;
    if ws.coriolis.is_none() {
        room::<T>("the Coriolis matrix", &[model.nv, model.nv])?;
    }
    let mut memory = ws.coriolis.take().unwrap_or_else(|| Box::new(CoriolisMemory::new(model)));
    let to = &mut memory.matrix;
    let quick = |kernels: Kernels<'_>| kernels.coriolis((T::as_f64s(q)?, T::as_f64s(v)?), by_plan::same_mut(to)?);
    if by_plan::of(model, ws).and_then(quick).is_none() {
        sweep(model, ws, &mut memory, q, v);
    }
    let matrix = &ws.coriolis.insert(memory).matrix;
    match first_not_finite(matrix.as_slice()) {
        Some(at) => Err(model.overflow("coriolis_matrix", at % model.nv)),
        None => Ok(matrix),
    }
}

/// Composite quantities, and the matrix.
#[derive(Clone, Debug)]
pub(crate) struct CoriolisMemory<T> {
    inertia: Vec<InertiaAboutOrigin<T>>,
    coriolis: Vec<BodyCoriolis<T>>,
    matrix: DMatrix<T>,
    zeros: Vec<T>,
}

impl<T: Real> CoriolisMemory<T> {
    fn new<P: Real>(model: &Model<P>) -> Self {
        let n = model.bodies.len();
        Self {
            inertia: vec![InertiaAboutOrigin::zero(); n],
            coriolis: vec![BodyCoriolis::zero(); n],
            matrix: DMatrix::from_element(model.nv, model.nv, T::zero()),
            zeros: vec![T::zero(); model.nv],
        }
    }
}

at_level! {
    /// Root to leaves and back.
    #[inline(always)]
    fn sweep<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        memory: &mut CoriolisMemory<T>,
        q: &[T],
        v: &[T],
    ) {
        let CoriolisMemory { inertia, coriolis, matrix, zeros } = memory;
        let placed = &*update(model, ws, Motion::zero(), (q, v, zeros));
        let (nv, m) = (model.nv, matrix.as_mut_slice());
        for x in &mut *m {
            *x = T::zero();
        }
        for (i, body) in model.bodies.iter().enumerate() {
            let y = placed.inertia(body, i);
            inertia[i] = y.into();
            coriolis[i] = y.body_coriolis(placed.velocity[i]);
        }
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let (y, b) = (inertia[i], coriolis[i].halved());
            for link in placed.of_body[i].clone().rev() {
                for column in placed.links[link].columns.clone() {
                    of_column(placed, link, column, y, b, nv, m);
                }
            }
            if let Some(p) = body.parent {
                inertia[p] += y;
                let sum = coriolis[p] + coriolis[i];
                coriolis[p] = sum;
            }
        }
    }

    /// One column of one link: its entries with the columns of the same link and of all towards the root, with
    /// `b = ½ B_C`.
    #[inline(always)]
    fn of_column<T: Real + Scalar<T>>(
        placed: &Placed<T>,
        link: usize,
        column: usize,
        y: InertiaAboutOrigin<T>,
        b: BodyCoriolis<T>,
        nv: usize,
        m: &mut [T],
    ) {
        let (s, at) = (placed.columns[column], placed.dof[column]);
        let s_dot = placed.psi_s_dot[column] - placed.psi_dot[column];
        let above = b.times(s) + y * s_dot;
        let (below, momentum) = (b.tr_times(s), y * s);
        let link = &placed.links[link];
        for k in link.columns.clone() {
            m[placed.dof[k] + nv * at] += placed.columns[k].power(above); //                     (1)
        }
        for link in placed.path(link.parent) {
            for k in link.columns.clone() {
                let (s_k, to) = (placed.columns[k], placed.dof[k]);
                let s_dot_k = placed.psi_s_dot[k] - placed.psi_dot[k];
                m[to + nv * at] += s_k.power(above); //                                        (1)
                m[at + nv * to] += s_k.power(below) + s_dot_k.power(momentum); //              (2)
            }
        }
    }
}
