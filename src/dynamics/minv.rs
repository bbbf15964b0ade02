//! The inverse of the mass matrix, without the mass matrix: J. Carpentier and N. Mansard, *Analytical derivatives of rigid body
//! dynamics algorithms*, RSS 2018, section IV; in coordinates of the bodies, each degree of freedom by itself as in
//! [`aba`](super::aba).

use super::aba::has_mimic_joints;
use super::slice_ops::{fill, first_not_finite_on_diagonal};
use super::{Workspace, check_finite, ltl, placed, step};
use crate::default_fields::default_of_fields;
use crate::dynamics::by_plan;
use crate::formulas::articulated_body::{self, ArticulatedBody, Eliminated};
use crate::level::at_level;
use crate::model::{Body, InputError, Model, room};
use crate::spatial::{Force, InertiaAboutOrigin, Motion};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;
use std::ops::Range;

/// The inverse `M(q)⁻¹` of the mass matrix, armature included: accelerations by torques, `∂q̈/∂τ`.
///
/// `q`: nq; returns nv × nv, 1/(kg m²) (1/kg): symmetric to the last bit, both triangles filled in, exactly zero between
/// degrees of freedom of separate trees. It borrows from the workspace. Cost O(n²); with mimic
/// joints, and over `f64`, O(n² d), d the depth of the tree. A second call allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite;
/// [`InputError::SingularMassMatrix`] names the joint that moves nothing with inertia.
#[inline(never)]
#[doc(alias("computeMinverse", "mass_matrix_inverse"))]
pub fn minv<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_q(q)?;
    ws.check(model)?;
    check_finite(model, q, &[], &[])?;
    ws.minv.size(model)?;
    let lost = |index, finite: bool| if finite { model.singular(index) } else { overflow(model, index) };
    let quick = by_plan::of(model, ws).and_then(|kernels| kernels.minv(T::as_f64s(q)?));
    // What loses digits, or is lost, comes here too: see `singular`.
    if !matches!(quick, Some(Ok(()))) {
        if has_mimic_joints(model, ws) {
            placed::place_inertias(model, ws, q);
            by_factors(model, ws)?;
        } else if let Some((index, pivot)) = sweeps(model, ws, q) {
            return Err(lost(index, pivot.is_finite()));
        }
    }
    match first_not_finite_on_diagonal(ws.minv.matrix.as_slice(), model.nv) {
        Some(index) => Err(overflow(model, index)),
        None => Ok(&ws.minv.matrix),
    }
}

fn overflow<P: Real>(model: &Model<P>, index: usize) -> InputError {
    model.overflow("mass_matrix_inverse", index)
}

/// Column by column, of which the lower part is kept and mirrored.
fn by_factors<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) -> Result<(), InputError> {
    ltl::factorize(model, ws)?;
    let (nv, matrix) = (model.nv, ws.minv.matrix.as_mut_slice());
    for k in 0..nv {
        let column = &mut ws.minv.column;
        for x in &mut *column {
            *x = T::zero();
        }
        column[k] = T::one();
        ws.ltl.solve(column);
        for j in k..nv {
            (matrix[k * nv + j], matrix[j * nv + k]) = (column[j], column[j]);
        }
    }
    Ok(())
}

/// What the inverse is made in, and the inverse.
#[derive(Clone, Debug)]
pub(crate) struct MinvMemory<T> {
    /// How many ancestors each body has.
    depth: Vec<usize>,
    bodies: Vec<ArticulatedBody<T>>,
    armature: Vec<T>,
    /// `U` and `D⁻¹` of each degree of freedom.
    reaction: Vec<(Force<T>, T)>,
    /// `F`: the force, on the body that is being worked at, by a torque at each degree of freedom below.
    force: Vec<Force<T>>,
    /// `P`: the acceleration by a torque at each degree of freedom: nv for each depth of the path that is being worked at.
    acceleration: Vec<Motion<T>>,
    column: Vec<T>,
    pub(crate) matrix: DMatrix<T>,
}

default_of_fields!(MinvMemory: depth, bodies, armature, reaction, force, acceleration, column, matrix);

impl<T: Real> MinvMemory<T> {
    fn size<P: Real>(&mut self, model: &Model<P>) -> Result<(), InputError> {
        if self.depth.len() == model.bodies.len() {
            return Ok(());
        }
        let (nv, bodies) = (model.nv, model.bodies.len());
        let mut depths = Vec::with_capacity(bodies);
        for body in &model.bodies {
            depths.push(body.parent.map_or(0, |p: usize| depths[p] + 1));
        }
        let depth = depths.iter().max().map_or(0, |depth| depth + 1);
        // The matrix, and accelerations of six numbers each.
        room::<T>("the inverse of the mass matrix", &[nv, nv + 6 * depth])?;
        self.depth = depths;
        self.bodies = vec![ArticulatedBody::zero(); bodies];
        self.armature = vec![T::zero(); nv];
        self.reaction = vec![(Force::zero(), T::zero()); nv];
        self.force = vec![Force::zero(); nv];
        self.acceleration = vec![Motion::zero(); depth * nv];
        self.column = vec![T::zero(); nv];
        self.matrix = DMatrix::from_element(nv, nv, T::zero());
        Ok(())
    }
}

/// The degrees of freedom of the subtree of a body.
#[inline(always)]
fn degrees_below<P: Real>(model: &Model<P>, body: &Body<P>) -> Range<usize> {
    body.v.start..model.bodies[body.subtree_end - 1].v.end
}

at_level! {
    /// Leaves to root and back; each degree of freedom is one column. Returns the first degree of freedom whose pivot is
    /// lost, and the pivot.
    #[inline(always)]
    fn sweeps<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) -> Option<(usize, T)> {
        let Workspace { x_pb, columns, trig, minv, .. } = ws;
        let MinvMemory { depth, bodies, armature, reaction, force, acceleration, matrix, .. } = minv;
        let (nv, m) = (model.nv, matrix.as_mut_slice());
        for (i, body) in model.bodies.iter().enumerate() {
            let (columns, trig, x_pb) = (&mut columns[body.v.clone()], &mut trig[i], &mut x_pb[i]);
            T::call(step::Pose { body, q: &q[body.q.clone()], columns, trig, x_pb });
            bodies[i] = InertiaAboutOrigin::from(body.inertia.lift::<T>()).into();
        }
        articulated_body::armature(&model.dofs, armature);

        // Row k of the upper triangle is column k of the lower one, where it lies in one piece.
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let (mut articulated, end) = (bodies[i], degrees_below(model, body).end);
            for k in body.v.clone().rev() {
                let s = columns[k];
                let (u, inverse) = match articulated.eliminate(s, armature[k]) {
                    Ok(Eliminated { u, reciprocal }) => (u, reciprocal),
                    Err(pivot) => return Some((k, pivot)),
                };
                reaction[k] = (u, inverse);
                m[k * nv + k] = inverse; //                        M⁻¹[k, k] = D⁻¹
                force[k] = u.times(inverse); //                    F[:, k] = U M⁻¹[k, k]
                let row = &mut m[k * nv + k + 1..k * nv + end];
                for (x, f) in row.iter_mut().zip(&mut force[k + 1..end]) {
                    *x = -(s.power(*f) * inverse); //              M⁻¹[k, j] = −D⁻¹ Sᵀ F[:, j]
                    *f = u.times(*x) + *f; //                      F[:, j] += U M⁻¹[k, j]
                }
            }
            if let Some(parent) = body.parent {
                bodies[parent].carry(&articulated, &x_pb[i]);
                for f in &mut force[degrees_below(model, body)] {
                    *f = x_pb[i].act(*f); //                       F_λ = X F
                }
            }
        }

        let mut tree_end = 0;
        for (i, body) in model.bodies.iter().enumerate() {
            let (above, own) = acceleration.split_at_mut(depth[i] * nv);
            if body.parent.is_none() {
                tree_end = degrees_below(model, body).end;
            }
            let range = body.v.start..tree_end;
            let own = &mut own[range.clone()];
            if body.parent.is_some() {
                for (p, p_above) in own.iter_mut().zip(&above[(depth[i] - 1) * nv..][range]) {
                    *p = x_pb[i].inv_act(*p_above); //              P[:, j] = X⁻¹ P_λ[:, j]
                }
            } else {
                fill(own, Motion::zero());
            }
            for k in body.v.clone() {
                let (s, w) = (columns[k], reaction[k].0.times(reaction[k].1));
                let (above, row) = m[k * nv..k * nv + tree_end].split_at_mut(degrees_below(model, body).end);
                fill(row, T::zero());
                for (x, p) in above[k..].iter_mut().chain(row).zip(&mut own[k - body.v.start..]) {
                    *x -= w.power(*p); //                          M⁻¹[k, j] −= (U D⁻¹)ᵀ P[:, j]
                    *p = s.times_plus(*x, *p); //                  P[:, j] += S M⁻¹[k, j]
                }
            }
        }
        for k in 0..nv {
            for j in k + 1..nv {
                m[j * nv + k] = m[k * nv + j];
            }
        }
        None
    }
}
