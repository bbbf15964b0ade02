//! Second derivatives of inverse dynamics: IDSVA-SO, in coordinates of the world.
//!
//! S. Singh, R. Russell, P. Wensing, *On second-order derivatives of rigid-body dynamics: theory and implementation*,
//! 2023 (arXiv 2302.06001): `O(n d²)` for a tree of depth d. The paper's 6×6 matrices are not formed: with
//! `B(Y, m)` the Coriolis matrix of a body ([`BodyCoriolis`](crate::spatial::BodyCoriolis), twelve numbers),
//! `r₁ = var(Y, S)` symmetric, `r₀ = (Y S)×̄*` antisymmetric, and `Bφ = r₁ + r₀`, half of its products are the other half's
//! sums: `r₂ = −Bφᵀ`, `S′ᵀ r₁ = r₁ S′`, `Bφᵀ S′ = r₁ S′ − r₀ S′`.
//!
//! `column` and `products` make the paper's `u`, `factors` the products that entries consist of, and `entries` writes
//! them.
//!
//! The paper's `S` are constant; joints whose `S` depends on `q` are taken apart into [links](super::placed) whose `S` is.

mod column;
mod entries;
mod factors;
mod memory;
mod pack;
mod path;
mod products;
mod sweep;
mod wrench;

pub(crate) use column::{Column, Motions, motions};
pub(crate) use memory::Memory;
pub(crate) use sweep::Sweep;

use super::external::{self, ExternalWrench};
use super::rnea::state_not_finite;
use super::{Tensor3, Workspace};
use crate::model::{InputError, Model, room};
use gradyn_derivatives::{Real, Scalar};
use std::marker::PhantomData;

impl<T: Real> Workspace<T> {
    /// The memory of second derivatives, made at the first call.
    pub(crate) fn second<P: Real>(&mut self, model: &Model<P>) -> &mut Memory<T>
    where
        T: Scalar<P>,
    {
        self.placed.size(model);
        self.second.get_or_insert_with(|| Box::new(Memory::new(model, &self.placed)))
    }
}

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
        let [d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq] = Tensor3::four([nv; 3]);
        Self { d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq }
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

    /// Are all entries finite?
    #[cold]
    pub(crate) fn is_finite(&self) -> bool {
        self.tensors().into_iter().all(|(_, tensor)| tensor.as_slice().iter().all(|x| x.is_finite()))
    }

    /// The first entry that is not finite.
    #[cold]
    pub(crate) fn overflow<P: Real>(&self, model: &Model<P>) -> InputError {
        for (what, tensor) in self.tensors() {
            if let Some(((index, _, _), _)) = tensor.iter().find(|(_, x)| !x.is_finite()) {
                return model.overflow(what, index);
            }
        }
        model.overflow("d2tau", 0)
    }
}

/// Second derivatives of [`rnea`](super::rnea) in closed form, over any number type; they borrow from the
/// workspace.
///
/// `q`: nq, `v`, `a`: nv; four tensors nv × nv × nv. Wrenches, armature, friction and mimic joints are included. Entries
/// that the structure of the tree makes zero are exactly zero. Cost O(n d²), d the depth of the tree; a second call
/// allocates nothing. Right for every kind of joint. Over `f64`,
/// [`partials::rnea_second_derivatives`](crate::partials::rnea_second_derivatives) is the call to use: it runs at register
/// width.
///
/// # Errors
/// As [`rnea`](super::rnea).
#[doc(alias = "ComputeRNEASecondOrderDerivatives")]
pub fn rnea_second_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w RneaSecondDerivatives<T>, InputError> {
    check(model, ws, q, v, a, wrenches)?;
    let width = PhantomData::<T>;
    let finite = T::call(Sweep { model, ws: &mut *ws, q, v, a, wrenches, reuse: false, width });
    let result = &ws.second(model).result;
    if finite { Ok(result) } else { Err(result.overflow(model)) }
}

/// Are these arguments for the closed form?
pub(crate) fn check<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<(), InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    external::check(model, wrenches)?;
    if ws.second.is_none() {
        room::<T>("∂²τ/∂q², ∂²τ/∂q∂v, ∂²τ/∂v² and ∂M/∂q", &[4, model.nv, model.nv, model.nv])?;
    }
    let error = state_not_finite(model, q, v, a).or_else(|| external::not_finite(model, wrenches));
    error.map_or(Ok(()), Err)
}
