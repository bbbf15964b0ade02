//! The inverse of the mass matrix, without the mass matrix: J. Carpentier and N. Mansard, *Analytical derivatives of rigid body
//! dynamics algorithms*, RSS 2018, section IV; in world coordinates, each degree of freedom by itself as in [`aba`](super::aba).

use super::aba::has_mimic_joints;
use super::articulated_body::{self, ArticulatedBody, GivenWay};
use super::dof_tree::DofTree;
use super::rnea::check_finite;
use super::slices::first_not_finite_on_diagonal;
use super::{Workspace, ltl, rooted, singular, wide};
use crate::model::{InputError, Model, room};
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::Piece;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// The inverse `M(q)⁻¹` of the mass matrix, armature included: accelerations by torques, `∂q̈/∂τ`.
///
/// `q`: nq; returns nv × nv, 1/(kg m²) (1/kg): symmetric to the last bit, both triangles filled in, exactly zero between
/// degrees of freedom of trees that hang from the world separately. It borrows from the workspace. Cost O(n²); with mimic
/// joints, and over `f64` for trees of moderate depth, from the sparse factors of the mass matrix, O(n² d). A second call
/// allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite;
/// [`InputError::SingularMassMatrix`] names the joint that moves nothing with inertia.
#[inline(never)]
pub fn minv<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_q(q)?;
    ws.check(model)?;
    check_finite(model, q, &[], &[])?;
    ws.minv.size(model)?;
    let lost = |index, finite: bool| if finite { singular::error(model, index) } else { overflow(model, index) };
    if let Some(done) = wide::of(model, ws).and_then(|wide| wide.minv(T::as_f64s(q)?)) {
        done.map_err(|(index, pivot)| lost(index, pivot.is_finite()))?;
    } else {
        rooted::place(model, ws, q);
        if has_mimic_joints(model, ws) {
            by_factors(model, ws)?;
        } else {
            ws.minv.size_sweeps(model)?;
            if let Some((index, pivot)) = T::call(Sweeps { model, ws: &mut *ws }) {
                return Err(lost(index, pivot.is_finite()));
            }
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
    ws.minv.column.resize(nv, T::zero());
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
pub(crate) struct Memory<T> {
    tree: DofTree,
    /// Where the subtree of each degree of freedom ends.
    end: Vec<usize>,
    /// Where the tree that hangs from the world, and that a degree of freedom belongs to, ends.
    tree_end: Vec<usize>,
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

impl<T: Real> Default for Memory<T> {
    fn default() -> Self {
        Self {
            tree: DofTree::default(),
            end: Vec::new(),
            tree_end: Vec::new(),
            bodies: Vec::new(),
            armature: Vec::new(),
            reaction: Vec::new(),
            force: Vec::new(),
            acceleration: Vec::new(),
            column: Vec::new(),
            matrix: DMatrix::from_vec(0, 0, Vec::new()),
        }
    }
}

impl<T: Real> Memory<T> {
    /// The matrix.
    fn size<P: Real>(&mut self, model: &Model<P>) -> Result<(), InputError> {
        let nv = model.nv;
        if self.matrix.nrows() != nv {
            room::<T>("the inverse of the mass matrix", &[nv, nv])?;
            self.matrix = DMatrix::from_element(nv, nv, T::zero());
        }
        Ok(())
    }

    /// What the sweeps need besides.
    fn size_sweeps<P: Real>(&mut self, model: &Model<P>) -> Result<(), InputError> {
        if !self.tree.start.is_empty() {
            return Ok(());
        }
        let (nv, bodies) = (model.nv, model.bodies.len());
        let tree = DofTree::new(model);
        let depth = (0..nv).map(|k| tree.path(k).len()).max().unwrap_or(0);
        room::<Motion<T>>("the sweeps for the inverse of the mass matrix", &[depth, nv])?;
        self.tree = tree;
        self.end = (1..=nv).collect();
        self.tree_end = (1..=nv).collect();
        for k in (0..nv).rev() {
            if let Some(p) = self.tree.parent(k) {
                self.end[p] = self.end[p].max(self.end[k]);
            }
        }
        for k in 0..nv {
            self.tree_end[k] = self.end[self.tree.path(k)[0]];
        }
        self.bodies = vec![ArticulatedBody::zero(); bodies];
        self.armature = vec![T::zero(); nv];
        self.reaction = vec![(Force::zero(), T::zero()); nv];
        self.force = vec![Force::zero(); nv];
        self.acceleration = vec![Motion::zero(); depth * nv];
        Ok(())
    }
}

/// Leaves to root and back; bodies have been placed and weighed, and each degree of freedom is one column.
struct Sweeps<'a, P, T> {
    model: &'a Model<P>,
    ws: &'a mut Workspace<T>,
}

impl<P: Real, T: Scalar<P>> Piece for Sweeps<'_, P, T> {
    /// The first degree of freedom whose pivot is lost, and the pivot.
    type Output = Option<(usize, T)>;

    #[inline(always)]
    fn run(self) -> Option<(usize, T)> {
        let Self { model, ws } = self;
        let Workspace { rooted, minv, .. } = ws;
        let Memory { tree, end, tree_end, bodies, armature, reaction, force, acceleration, matrix, .. } = minv;
        let (nv, m) = (model.nv, matrix.as_mut_slice());
        for (body, y) in bodies.iter_mut().zip(&rooted.inertia) {
            *body = ArticulatedBody::from(*y);
        }
        articulated_body::armature(model, armature);

        // Row k of the upper triangle is column k of the lower one, where it lies in one piece.
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let mut articulated = bodies[i];
            for k in body.v.clone().rev() {
                let s = rooted.columns[k];
                let (u, inverse) = match articulated.give_way(s, armature[k]) {
                    Ok(GivenWay { u, reciprocal }) => (u, reciprocal),
                    Err(pivot) => return Some((k, pivot)),
                };
                reaction[k] = (u, inverse);
                m[k * nv + k] = inverse; //                        M⁻¹[k, k] = D⁻¹
                force[k] = u.times(inverse); //                    F[:, k] = U M⁻¹[k, k]
                let row = &mut m[k * nv + k + 1..k * nv + end[k]];
                for (x, f) in row.iter_mut().zip(&mut force[k + 1..end[k]]) {
                    *x = -(s.power(*f) * inverse); //              M⁻¹[k, j] = −D⁻¹ Sᵀ F[:, j]
                    *f = u.times(*x) + *f; //                      F[:, j] += U M⁻¹[k, j]
                }
            }
            if let Some(parent) = body.parent {
                bodies[parent] += articulated;
            }
        }

        for k in 0..nv {
            let (s, (u, inverse)) = (rooted.columns[k], reaction[k]);
            let depth = tree.start[k + 1] - tree.start[k] - 1;
            let row = &mut m[k * nv + k..k * nv + tree_end[k]];
            let (above, own) = acceleration.split_at_mut(depth * nv);
            let own = &mut own[k..tree_end[k]];
            if depth == 0 {
                for (x, p) in row.iter().zip(own) {
                    *p = s.times(*x); //                           P[:, j] = S M⁻¹[k, j]
                }
                continue;
            }
            for x in &mut row[end[k] - k..] {
                *x = T::zero();
            }
            let above = &above[(depth - 1) * nv + k..][..row.len()];
            let w = u.times(inverse);
            for ((x, p), p_above) in row.iter_mut().zip(own).zip(above) {
                *x -= w.power(*p_above); //                        M⁻¹[k, j] −= (U D⁻¹)ᵀ P_λ[:, j]
                *p = s.times_plus(*x, *p_above); //                P[:, j] = S M⁻¹[k, j] + P_λ[:, j]
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
