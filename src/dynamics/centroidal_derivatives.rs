//! Derivatives of the centroidal momentum and of centers of mass in closed form.
//!
//! About an origin at rest, with composite sums over the bodies that a column `S_k` moves ([`Placed`] for `Ψ̇`, `Ψ̈`,
//! `Ṡ`):
//!
//! ```text
//! ∂h/∂q_k = S_k ×* h_C + I_C Ψ̇_k                   ∂h/∂v_k = I_C S_k                              (1)
//! ∂ḣ/∂q_k = S_k ×* f_C + B_C Ψ̇_k + I_C Ψ̈_k         ∂ḣ/∂v_k = B_C S_k + I_C (Ψ̇_k + Ṡ_k)           (2)
//! ∂ḣ/∂a_k = I_C S_k
//! ```
//!
//! These are the vectors `A`, `V` and `Q` of the derivatives of inverse dynamics without gravity. The center of mass
//! moves along `J_k` with the configuration. About it, `(0, J_k × p)` and `(0, J_k × ṗ)` are subtracted, with p the
//! linear momentum. The linear parts, divided by the mass, are the derivatives of the center of mass.
//!
//! Source: J. Carpentier, N. Mansard, RSS 2018, and S. Singh, R. Russell, P. Wensing, RA-L 7(2), 2022, for (1) and (2).

use super::centroidal::{self, CentroidalMemory, add, sum_up};
use super::com::{moved_part, share};
use super::jacobian::{add_rows, clear, finite};
use super::placed::{Placed, update};
use super::reference::check_body;
use super::{Workspace, check_finite};
use crate::default_fields::{default_of_fields, matrices_by_name};
use crate::dynamics::by_plan::{self, Kernels};
use crate::formulas::mass_moments::{MomentumColumn, Whole, about_moving};
use crate::level::at_level;
use crate::model::{BodyId, InputError, Model};
use crate::spatial::{Force, Momentum, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// Momentum about the center of mass in axes of the world, its rate of change, and their derivatives. Matrices 6 × nv,
/// linear rows first.
#[derive(Clone, Debug, PartialEq)]
pub struct CentroidalDerivatives<T = f64> {
    /// Momentum `h_G`.
    pub momentum: Momentum<T>,
    /// Its rate of change `ḣ_G`.
    pub momentum_rate: Force<T>,
    /// `∂h_G/∂q`, along `q ⊕ ε e_k`.
    pub dmomentum_dq: DMatrix<T>,
    /// `∂h_G/∂q̇`: the centroidal momentum matrix.
    pub dmomentum_dv: DMatrix<T>,
    /// `∂ḣ_G/∂q`, along `q ⊕ ε e_k`.
    pub drate_dq: DMatrix<T>,
    /// `∂ḣ_G/∂q̇`
    pub drate_dv: DMatrix<T>,
    /// `∂ḣ_G/∂q̈`: the centroidal momentum matrix.
    pub drate_da: DMatrix<T>,
    /// Estimated errors, from the method of differences.
    pub errors: Option<Box<Self>>,
}

/// A center of mass in the world, its velocity and acceleration, and their derivatives. Matrices 3 × nv.
#[derive(Clone, Debug, PartialEq)]
pub struct CenterOfMassDerivatives<T = f64> {
    /// Position, m.
    pub position: Vector3<T>,
    /// Velocity, m/s.
    pub velocity: Vector3<T>,
    /// Acceleration, m/s², gravity left out.
    pub acceleration: Vector3<T>,
    /// `∂c/∂q`, along `q ⊕ ε e_k`: the Jacobian.
    pub dposition_dq: DMatrix<T>,
    /// `∂ċ/∂q`, along `q ⊕ ε e_k`.
    pub dvelocity_dq: DMatrix<T>,
    /// `∂ċ/∂q̇`: the Jacobian.
    pub dvelocity_dv: DMatrix<T>,
    /// `∂c̈/∂q`, along `q ⊕ ε e_k`.
    pub dacceleration_dq: DMatrix<T>,
    /// `∂c̈/∂q̇`
    pub dacceleration_dv: DMatrix<T>,
    /// `∂c̈/∂q̈`: the Jacobian.
    pub dacceleration_da: DMatrix<T>,
    /// Estimated errors, from the method of differences.
    pub errors: Option<Box<Self>>,
}

default_of_fields!(CentroidalDerivatives: [Force::zero()] momentum, momentum_rate;
    dmomentum_dq, dmomentum_dv, drate_dq, drate_dv, drate_da, errors);
default_of_fields!(CenterOfMassDerivatives: [v3::zero()] position, velocity, acceleration;
    dposition_dq, dvelocity_dq, dvelocity_dv, dacceleration_dq, dacceleration_dv, dacceleration_da, errors);
matrices_by_name!(CentroidalDerivatives<T>; 5: dmomentum_dq, dmomentum_dv, drate_dq, drate_dv, drate_da);

matrices_by_name!(CenterOfMassDerivatives<T>; 6: dposition_dq, dvelocity_dq, dvelocity_dv, dacceleration_dq, dacceleration_dv, dacceleration_da);

/// Results of this file.
#[derive(Clone, Debug)]
pub(crate) struct CentroidalDerivativesMemory<T> {
    pub(crate) centroidal: CentroidalDerivatives<T>,
    pub(crate) com: CenterOfMassDerivatives<T>,
}

default_of_fields!(CentroidalDerivativesMemory: centroidal, com);

/// Momentum about the center of mass, its rate of change, and their derivatives in closed form, in any number type.
///
/// `q`: nq, `v`, `a`: nv. Right for every kind of joint. Cost O(n); a second call allocates nothing. Over `f64`,
/// [`partials::centroidal_derivatives`](crate::partials::centroidal_derivatives) gives the choice of the method.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the robot has no mass, or a number is not
/// finite.
#[inline(never)]
#[doc(alias = "computeCentroidalDynamicsDerivatives")]
pub fn centroidal_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<&'w CentroidalDerivatives<T>, InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let mut memory = ws.centroidal_derivatives.take().unwrap_or_default();
    let out = &mut memory.centroidal;
    let quick =
        |kernels: Kernels<'_>| kernels.centroidal_derivatives(by_plan::state((q, v, a))?, by_plan::same_mut(out)?);
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.centroidal_derivatives.insert(memory).centroidal);
    }
    if let Err(error) = check_finite(model, q, v, a) {
        ws.centroidal_derivatives = Some(memory);
        return Err(error);
    }
    let mut sums = centroidal::take(model, ws);
    let filled = fill_centroidal(model, ws, &mut sums, (q, v, a), &mut memory.centroidal);
    ws.centroidal = Some(sums);
    let result = &ws.centroidal_derivatives.insert(memory).centroidal;
    filled?;
    result.matrices().into_iter().try_for_each(|(what, m)| finite(model, what, m))?;
    Ok(result)
}

fn fill_centroidal<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    sums: &mut CentroidalMemory<T>,
    state: (&[T], &[T], &[T]),
    out: &mut CentroidalDerivatives<T>,
) -> Result<(), InputError> {
    out.matrices_mut().into_iter().for_each(|m| clear(m, 6, model.nv));
    out.errors = None;
    let placed = &*update(model, ws, Motion::zero(), state);
    sum_up(model, placed, sums);
    let whole = centroidal::whole(model, placed, sums)?;
    whole.check_finite(model)?;
    (out.momentum, out.momentum_rate) = (whole.momentum, whole.force);
    centroidal_columns(model, placed, sums, &whole, out);
    Ok(())
}

at_level! {
    fn centroidal_columns<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        placed: &Placed<T>,
        sums: &CentroidalMemory<T>,
        whole: &Whole<T>,
        out: &mut CentroidalDerivatives<T>,
    ) {
        let share = whole.com.mass.recip();
        for i in 0..model.bodies.len() {
            let c = whole.com_from(placed, i);
            for k in placed.columns_of(i) {
                let (by, dof) = (column(placed, sums, i, k), placed.dof[k]);
                let moved = v3::scale(share, by.subspace.linear);
                add(&mut out.dmomentum_dq, dof, about_moving(by.momentum_q, c, moved, whole.momentum.linear));
                add(&mut out.dmomentum_dv, dof, by.subspace.shifted::<T>(c));
                add(&mut out.drate_dq, dof, about_moving(by.rate_q, c, moved, whole.force.linear));
                add(&mut out.drate_dv, dof, by.rate_v.shifted::<T>(c));
                add(&mut out.drate_da, dof, by.subspace.shifted::<T>(c));
            }
        }
    }
}

/// A center of mass, its velocity and acceleration, and their derivatives in closed form, in any number type.
///
/// `q`: nq, `v`, `a`: nv; `subtree`: its root, `None` for the robot. Right for every kind of joint;
/// columns of degrees of freedom that do not move it are exactly zero. Cost O(n); a second call allocates nothing. Over
/// `f64`, [`partials::center_of_mass_derivatives`](crate::partials::center_of_mass_derivatives) gives the choice of the
/// method.
///
/// # Errors
/// As [`centroidal_derivatives`], and [`InputError::OtherModel`].
#[inline(never)]
#[doc(alias = "getCenterOfMassVelocityDerivatives")]
pub fn center_of_mass_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    subtree: Option<BodyId>,
) -> Result<&'w CenterOfMassDerivatives<T>, InputError> {
    subtree.map_or(Ok(()), |body| check_body(model, body))?;
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let mut memory = ws.centroidal_derivatives.take().unwrap_or_default();
    let out = &mut memory.com;
    let quick = |kernels: Kernels<'_>| {
        kernels.center_of_mass_derivatives(
            by_plan::state((q, v, a))?,
            subtree.map(BodyId::index),
            by_plan::same_mut(out)?,
        )
    };
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.centroidal_derivatives.insert(memory).com);
    }
    if let Err(error) = check_finite(model, q, v, a) {
        ws.centroidal_derivatives = Some(memory);
        return Err(error);
    }
    let mut sums = centroidal::take(model, ws);
    let filled = fill_com(model, ws, &mut sums, (q, v, a), subtree, &mut memory.com);
    ws.centroidal = Some(sums);
    let result = &ws.centroidal_derivatives.insert(memory).com;
    filled?;
    result.matrices().into_iter().try_for_each(|(what, m)| finite(model, what, m))?;
    Ok(result)
}

fn fill_com<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    sums: &mut CentroidalMemory<T>,
    state: (&[T], &[T], &[T]),
    subtree: Option<BodyId>,
    out: &mut CenterOfMassDerivatives<T>,
) -> Result<(), InputError> {
    out.matrices_mut().into_iter().for_each(|m| clear(m, 3, model.nv));
    out.errors = None;
    let placed = &*update(model, ws, Motion::zero(), state);
    sum_up(model, placed, sums);
    let share = match subtree {
        None => {
            let whole = centroidal::whole(model, placed, sums)?;
            (out.position, out.velocity, out.acceleration) =
                (whole.com.position, whole.com.velocity, whole.com.acceleration);
            whole.com.mass.recip()
        }
        Some(body) => {
            let (b, origin) = (body.index(), placed.origin(body.index()));
            let share = share(model, sums.inertia[b].mass, subtree)?;
            out.position = v3::add(origin, sums.inertia[b].com);
            out.velocity = v3::scale(share, sums.momentum[b].linear);
            out.acceleration = v3::scale(share, sums.force[b].linear);
            share
        }
    };
    for (what, x) in [("position", out.position), ("velocity", out.velocity), ("acceleration", out.acceleration)] {
        if !v3::is_finite(x) {
            return Err(model.overflow_of(what, 0, String::from("a center of mass")));
        }
    }
    com_columns(model, placed, sums, share, subtree, out);
    Ok(())
}

at_level! {
    /// `share` is one over the mass.
    fn com_columns<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        placed: &Placed<T>,
        sums: &CentroidalMemory<T>,
        share: T,
        subtree: Option<BodyId>,
        out: &mut CenterOfMassDerivatives<T>,
    ) {
        for i in 0..model.bodies.len() {
            let Some(c) = moved_part(model, i, subtree) else { continue };
            for k in placed.columns_of(i) {
                let (by, dof) = (column(placed, sums, c, k), placed.dof[k]);
                let moved = v3::scale(share, by.subspace.linear);
                for jacobian in [&mut out.dposition_dq, &mut out.dvelocity_dv, &mut out.dacceleration_da] {
                    add_rows(jacobian, 0, dof, moved);
                }
                add_rows(&mut out.dvelocity_dq, 0, dof, v3::scale(share, by.momentum_q.linear));
                add_rows(&mut out.dacceleration_dq, 0, dof, v3::scale(share, by.rate_q.linear));
                add_rows(&mut out.dacceleration_dv, 0, dof, v3::scale(share, by.rate_v.linear));
            }
        }
    }
}

/// What the column `k` changes on the subtree of body `c`, which it moves as a whole.
#[inline(always)]
fn column<T: Real>(placed: &Placed<T>, sums: &CentroidalMemory<T>, c: usize, k: usize) -> MomentumColumn<T> {
    let forces = (sums.momentum[c], sums.force[c]);
    let psi = (placed.psi_dot[k], placed.psi_ddot[k], placed.psi_s_dot[k]);
    MomentumColumn::new(sums.inertia[c], &sums.coriolis[c], forces, placed.columns[k], psi)
}
