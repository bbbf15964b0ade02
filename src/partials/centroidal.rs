//! Derivatives of the centroidal momentum and of centers of mass.
//!
//! Three methods behind each call. The closed forms stand beside the algorithms ([`dynamics::centroidal_derivatives`],
//! [`dynamics::center_of_mass_derivatives`]); dual numbers and differences go through [`centroidal`] and
//! [`center_of_mass`].

use super::kinematics::{rows, vector};
use super::state_function::by_method;
use super::{DerivativeWorkspace, Method, State, StateFunction, StateJacobian};
use crate::dynamics::{self, CenterOfMassDerivatives, CentroidalDerivatives, Workspace, center_of_mass, centroidal};
use crate::model::{BodyId, InputError, Model};
use crate::spatial::Force;
use gradyn_derivatives::Scalar;

/// Momentum about the center of mass in axes of the world, its rate of change, and their derivatives.
///
/// `q`: nq, `v`, `a`: nv; matrices 6 × nv, linear rows first. As Pinocchio's `computeCentroidalDynamicsDerivatives`,
/// but right for every kind of joint. A second call with [`Method::Analytical`] allocates nothing.
///
/// ```
/// use gradyn::partials::{DerivativeWorkspace, Method, centroidal_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// # let (q, v, a) = (vec![0.1; model.nq()], vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let by = centroidal_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &a)?;
/// assert_eq!(by.drate_dq.shape(), (6, model.nv()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the robot has no mass, or a number is not
/// finite.
#[doc(alias = "computeCentroidalDynamicsDerivatives")]
pub fn centroidal_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) -> Result<&'w CentroidalDerivatives, InputError> {
    // Also the check of the arguments.
    dynamics::centroidal_derivatives(model, &mut ws.base, q, v, a)?;
    let result = &mut ws.base.centroidal_derivatives.get_or_insert_default().centroidal;
    if method != Method::Analytical {
        let (by, errors) = by_method(model, &OfMomentum, method, State { q, v, u: a, wrenches: &[] })?;
        *result = CentroidalDerivatives::from(&by);
        result.errors = errors.map(|by| Box::new(CentroidalDerivatives::from(&by)));
    }
    Ok(result)
}

/// A center of mass in the world, its velocity and acceleration, and their derivatives.
///
/// `q`: nq, `v`, `a`: nv; `subtree`: its root, `None` for the robot; matrices 3 × nv. A second call
/// with [`Method::Analytical`] allocates nothing.
///
/// # Errors
/// As [`centroidal_derivatives`]; [`InputError::Massless`] for a subtree without mass, [`InputError::OtherModel`].
#[doc(alias = "getCenterOfMassVelocityDerivatives")]
pub fn center_of_mass_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    subtree: Option<BodyId>,
) -> Result<&'w CenterOfMassDerivatives, InputError> {
    // Also the check of the arguments.
    dynamics::center_of_mass_derivatives(model, &mut ws.base, q, v, a, subtree)?;
    let result = &mut ws.base.centroidal_derivatives.get_or_insert_default().com;
    if method != Method::Analytical {
        let (by, errors) = by_method(model, &OfCom { subtree }, method, State { q, v, u: a, wrenches: &[] })?;
        *result = CenterOfMassDerivatives::from(&by);
        result.errors = errors.map(|by| Box::new(CenterOfMassDerivatives::from(&by)));
    }
    Ok(result)
}

/// Momentum about the center of mass, then its rate of change.
struct OfMomentum;

impl StateFunction for OfMomentum {
    fn outputs(&self, _model: &Model) -> usize {
        12
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let of = centroidal(model, ws, state.q, state.v, state.u)?;
        out[..6].copy_from_slice(&of.momentum.to_array());
        out[6..].copy_from_slice(&of.momentum_rate.to_array());
        Ok(())
    }
}

/// Position, velocity and acceleration of a center of mass.
struct OfCom {
    subtree: Option<BodyId>,
}

impl StateFunction for OfCom {
    fn outputs(&self, _model: &Model) -> usize {
        9
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let of = center_of_mass(model, ws, state.q, state.v, state.u)?;
        let com = match self.subtree {
            None => of.whole,
            Some(body) => of.subtree(body).ok_or_else(|| massless(model, body))?,
        };
        for (to, from) in out.chunks_exact_mut(3).zip([com.position, com.velocity, com.acceleration]) {
            to.copy_from_slice(from.as_slice());
        }
        Ok(())
    }
}

fn massless(model: &Model, body: BodyId) -> InputError {
    InputError::Massless { body: model.bodies[body.index()].name.clone() }
}

impl From<&StateJacobian> for CentroidalDerivatives {
    fn from(by: &StateJacobian) -> Self {
        let force = |start| Force::new(vector(&by.value, start), vector(&by.value, start + 3));
        Self {
            momentum: force(0),
            momentum_rate: force(6),
            dmomentum_dq: rows(&by.dq, 0, 6),
            dmomentum_dv: rows(&by.dv, 0, 6),
            drate_dq: rows(&by.dq, 6, 6),
            drate_dv: rows(&by.dv, 6, 6),
            drate_da: rows(&by.du, 6, 6),
            errors: None,
        }
    }
}

impl From<&StateJacobian> for CenterOfMassDerivatives {
    fn from(by: &StateJacobian) -> Self {
        Self {
            position: vector(&by.value, 0),
            velocity: vector(&by.value, 3),
            acceleration: vector(&by.value, 6),
            dposition_dq: rows(&by.dq, 0, 3),
            dvelocity_dq: rows(&by.dq, 3, 3),
            dvelocity_dv: rows(&by.dv, 3, 3),
            dacceleration_dq: rows(&by.dq, 6, 3),
            dacceleration_dv: rows(&by.dv, 6, 3),
            dacceleration_da: rows(&by.du, 6, 3),
            errors: None,
        }
    }
}
