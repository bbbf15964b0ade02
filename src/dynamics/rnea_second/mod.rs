//! Second derivatives of inverse dynamics: IDSVA-SO, in coordinates of the world.
//!
//! S. Singh, R. Russell, P. Wensing, *On second-order derivatives of rigid-body dynamics: theory and implementation*,
//! 2023 (arXiv 2302.06001): `O(n d²)` for a tree of depth d. The paper's 6×6 matrices are not formed: with
//! `B(Y, m)` the Coriolis matrix of a body ([`BodyCoriolis`](crate::spatial::BodyCoriolis), twelve numbers),
//! `r₁ = var(Y, S)` symmetric, `r₀ = (Y S)×̄*` antisymmetric, and `Bφ = r₁ + r₀`, half of its products are the other half's
//! sums: `r₂ = −Bφᵀ`, `S′ᵀ r₁ = r₁ S′`, `Bφᵀ S′ = r₁ S′ − r₀ S′`.

mod memory;
mod pack;
mod sweep;
mod wrench;

pub(crate) use memory::Memory;
pub(crate) use sweep::Sweep;

use super::external::{self, ExternalWrench};
use super::rnea::state_not_finite;
use super::{Tensor3, Workspace};
use crate::model::{InputError, Model};
use gradyn_derivatives::{Real, Scalar};
use std::marker::PhantomData;

/// Second derivatives of the torques of inverse dynamics, each nv × nv × nv, the torque first.
///
/// | tensor | entry `(i, j, k)` |
/// |---|---|
/// | `d2tau_dqdq` | `∂/∂q_k (∂τ_i/∂q_j)` |
/// | `d2tau_dqdv` | `∂²τ_i/∂q_j ∂v_k` |
/// | `d2tau_dvdv` | `∂²τ_i/∂v_j ∂v_k` |
/// | `d2tau_dadq` | `∂M_ij/∂q_k = ∂²τ_i/∂a_j ∂q_k` |
///
/// `d2tau_dqdq` is the derivative of the first derivative: `d/dε d/dδ τ_i((q ⊕ ε e_k) ⊕ δ e_j)` at zero. The second step
/// is taken from where the first one has led, in the coordinates of the body there, so it is **not** symmetric in `j`
/// and `k` where both belong to one joint that turns about more than one axis (free-flyer, spherical, planar). The
/// symmetric second derivative along `q ⊕ (ε e_k + δ e_j)` is half the sum of both orders. `∂²τ/∂a²` and `∂²τ/∂a ∂v`
/// are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaSecondDerivatives<T = f64> {
    /// `∂²τ/∂q²`, ordered.
    pub d2tau_dqdq: Tensor3<T>,
    /// `∂²τ/∂q ∂v`.
    pub d2tau_dqdv: Tensor3<T>,
    /// `∂²τ/∂v²`, symmetric in the last two indices.
    pub d2tau_dvdv: Tensor3<T>,
    /// `∂M/∂q`, symmetric in the first two indices.
    pub d2tau_dadq: Tensor3<T>,
}

impl<T: Real> RneaSecondDerivatives<T> {
    pub(crate) fn zeros(nv: usize) -> Self {
        let zeros = || Tensor3::zeros([nv; 3]);
        Self { d2tau_dqdq: zeros(), d2tau_dqdv: zeros(), d2tau_dvdv: zeros(), d2tau_dadq: zeros() }
    }

    /// The tensors by name.
    pub fn tensors(&self) -> [(&'static str, &Tensor3<T>); 4] {
        [
            ("d2tau_dqdq", &self.d2tau_dqdq),
            ("d2tau_dqdv", &self.d2tau_dqdv),
            ("d2tau_dvdv", &self.d2tau_dvdv),
            ("d2tau_dadq", &self.d2tau_dadq),
        ]
    }

    pub(crate) fn tensors_mut(&mut self) -> [&mut Tensor3<T>; 4] {
        [&mut self.d2tau_dqdq, &mut self.d2tau_dqdv, &mut self.d2tau_dvdv, &mut self.d2tau_dadq]
    }

    /// The first entry that is not finite.
    #[cold]
    pub(crate) fn overflow<P: Real>(&self, model: &Model<P>) -> InputError {
        for (what, tensor) in self.tensors() {
            if let Some(((index, _, _), _)) = tensor.iter().find(|(_, x)| !x.is_finite()) {
                return InputError::Overflow { what, index, joint: model.dof_label(index) };
            }
        }
        InputError::Overflow { what: "d2tau", index: 0, joint: model.dof_label(0) }
    }
}

/// Can [`rnea_second_derivatives`] be used on this model? Not if a joint's motion subspace depends on its configuration
/// (universal, spherical ZYX, composite): the closed form lacks terms there.
#[must_use]
pub fn has_closed_second_derivatives<P: Real>(model: &Model<P>) -> bool {
    !model.bodies.iter().any(|body| body.subspace_varies)
}

/// Second derivatives of [`rnea_with`](super::rnea_with) in closed form, over any number type; they borrow from the
/// workspace.
///
/// `q`: nq, `v`, `a`: nv; four tensors nv × nv × nv. Wrenches, armature, friction and mimic joints are included. Entries
/// that the structure of the tree makes zero are exactly zero. Cost O(n d²), d the depth of the tree; a second call
/// allocates nothing. For models of any joints, and by other methods:
/// [`partials::rnea_second_derivatives`](crate::partials::rnea_second_derivatives).
///
/// # Errors
/// [`InputError::Method`] if a joint's motion subspace depends on `q`, else as [`rnea_with`](super::rnea_with).
pub fn rnea_second_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w RneaSecondDerivatives<T>, InputError> {
    check(model, ws, q, v, a, wrenches)?;
    let mut memory = ws.second.take().unwrap_or_else(|| Box::new(Memory::new(model)));
    let width = PhantomData::<T>;
    let finite = T::call(Sweep { model, ws: &mut *ws, memory: &mut memory, q, v, a, wrenches, width });
    let memory = ws.second.insert(memory);
    if finite { Ok(&memory.result) } else { Err(memory.result.overflow(model)) }
}

/// Is everything there that the closed form needs?
pub(crate) fn check<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<(), InputError> {
    model.check_lengths(q.len(), v.len(), a.len())?;
    ws.check(model)?;
    external::check(model, wrenches)?;
    if !has_closed_second_derivatives(model) {
        let what = "second derivatives of joints whose motion subspace depends on q";
        return Err(InputError::Method { method: "analytical", what });
    }
    let error = state_not_finite(model, q, v, a).or_else(|| external::not_finite(model, wrenches));
    error.map_or(Ok(()), Err)
}
