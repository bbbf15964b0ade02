//! Second derivatives of inverse dynamics: IDSVA-SO, in coordinates of the world.
//!
//! S. Singh, R. Russell, P. Wensing, *On second-order derivatives of rigid-body dynamics: theory and implementation*,
//! 2023 (arXiv 2302.06001): `O(n d²)` for a tree of depth d. The paper's 6×6 matrices are not formed. `B(Y, m)` is the
//! Coriolis matrix of a body ([`BodyCoriolis`](crate::spatial::BodyCoriolis), twelve numbers). With `r₁ = var(Y, S)`
//! symmetric, `r₀ = (Y S)×̄*` antisymmetric, and `Bφ = r₁ + r₀`, half of its products are sums of the other half:
//! `r₂ = −Bφᵀ`, `S′ᵀ r₁ = r₁ S′`, `Bφᵀ S′ = r₁ S′ − r₀ S′`.
//!
//! `column` and `products` compute the paper's `u`, `factors` the products of which entries consist, and `entries`
//! writes them.
//!
//! The paper's `S` are constant. Joints whose `S` depends on `q` are split into [links](super::placed) whose `S` is
//! constant.

mod column;
mod entries;
mod factors;
mod memory;
mod pack;
mod path;
mod products;
mod result;
mod springs;
mod sweep;
mod wrench;

pub(crate) use column::{Column, Motions, motions};
pub(crate) use memory::RneaSecondMemory;
pub(crate) use sweep::Sweep;

pub use result::RneaSecondDerivatives;

use super::Workspace;
use super::external::{self, ExternalWrench};
use super::rnea::state_not_finite;
use crate::model::{InputError, Model, room};
use gradyn_derivatives::{Real, Scalar};
use std::marker::PhantomData;

impl<T: Real> Workspace<T> {
    /// The memory of second derivatives, made at the first call.
    pub(crate) fn second<P: Real>(&mut self, model: &Model<P>) -> &mut RneaSecondMemory<T>
    where
        T: Scalar<P>,
    {
        self.placed.size(model);
        self.second.get_or_insert_with(|| Box::new(RneaSecondMemory::new(model, &self.placed)))
    }
}

/// Second derivatives of [`rnea`](super::rnea) in closed form, over any number type; they borrow from the
/// workspace.
///
/// `q`: nq, `v`, `a`: nv; four tensors nv × nv × nv. Wrenches, armature, friction and mimic joints are included.
/// Entries that the structure of the tree makes zero are exactly zero. Cost O(n d²), d the depth of the tree; a second
/// call allocates nothing. Right for every kind of joint. Over `f64`,
/// [`partials::rnea_second_derivatives`](crate::partials::rnea_second_derivatives) is the call to use.
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

/// Checks the arguments of the closed form.
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
