//! Partial derivatives: one question, several methods, one result.
//!
//! `∂τ/∂q`, `∂τ/∂v`, `∂τ/∂a` of inverse dynamics, each nv × nv: rows are torques, columns directions of the tangent
//! space. Column k of `∂τ/∂q` is `d/dε τ(q ⊕ ε e_k)` at 0 ([`Model::integrate`](crate::model::Model::integrate)), never
//! a derivative with respect to a coefficient of a quaternion.
//!
//! | method | how | accuracy |
//! |---|---|---|
//! | [`Method::Analytical`] | formulas in closed form | rounding |
//! | [`Method::Dual`] | the algorithm itself over dual numbers, without a formula for a derivative | rounding |
//! | [`Method::Difference`] | differences, extrapolated, with an error estimate | 1e-9 of the largest entry or better |
//!
//! Names and arguments are those of [`dynamics`](crate::dynamics), where closed forms over any number type are, with the method
//! after the workspace.

mod aba;
mod analytical;
mod centroidal;
mod constrained;
mod difference;
mod directions;
mod dual;
mod hessian;
mod kinematics;
mod result;
mod second;
mod sparsity;
mod state_drivers;
mod state_function;
mod terms;

pub use aba::{AbaDerivatives, aba_derivatives, aba_derivatives_into};
pub use centroidal::{center_of_mass_derivatives, centroidal_derivatives};
pub use constrained::{
    ConstraintDynamicsDerivatives, ConstraintDynamicsHessian, ConstraintInverseDynamicsDerivatives,
    ConstraintInverseDynamicsHessian, ImpulseDynamicsDerivatives, ImpulseDynamicsHessian,
    constraint_dynamics_derivatives, constraint_dynamics_derivatives_into, constraint_dynamics_hessian,
    constraint_inverse_dynamics_derivatives, constraint_inverse_dynamics_hessian, impulse_dynamics_derivatives,
    impulse_dynamics_derivatives_into, impulse_dynamics_hessian,
};
pub use difference::Configurations;
pub use hessian::{HessianWorkspace, RneaHessian, RneaHessianProduct, rnea_hessian, rnea_hessian_product};
pub use kinematics::{
    classical_frame_derivatives, frame_derivatives, jacobian_transpose_derivatives, point_derivatives,
};
pub use result::{DerivativeErrors, RneaDerivatives};
pub use second::{
    AbaHessian, AbaHessianProduct, AbaSecondDerivatives, SecondOrderWorkspace, aba_hessian, aba_hessian_product,
    aba_second_derivatives, rnea_second_derivatives,
};
pub use sparsity::{SparsityPattern, TensorPattern};
pub use state_drivers::{
    StateDirections, StateHessian, StateWorkspace, state_hessian, state_hessian_by_differences, state_jacobian,
};
pub use state_function::{State, StateFunction, StateJacobian, by_differences, by_duals};
pub use terms::{
    BiasDerivatives, MassProductDerivatives, StaticTorqueDerivatives, bias_derivatives,
    generalized_gravity_derivatives, mass_product_derivatives, static_torque_derivatives,
};

use crate::dynamics::{ExternalWrench, Workspace, rnea};
use crate::formulas::force_field::ForceField;
use crate::kernels::by_joint::derivatives::Reuse;
use crate::kernels::finite;
use crate::model::{InputError, Model};
use aba::AbaDerivativesMemory;
use constrained::ConstrainedMemory;
use dual::Reach;
use nalgebra::DMatrix;
use std::any::Any;
use std::fmt;

/// How derivatives are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Formulas in closed form. The fast one.
    Analytical,
    /// The algorithm over dual numbers: what [`rnea`](crate::dynamics::rnea()), [`aba`](crate::dynamics::aba()) and the others are
    /// over any number type, with no formula of [`Analytical`](Self::Analytical). Right for every joint by construction. Of
    /// inverse dynamics eight directions at a time, over the bodies that these reach; of others one at a time. Second
    /// derivatives are those of the formulas for the first ones, over dual numbers.
    Dual,
    /// Differences of the algorithm's values on the manifold, extrapolated to step zero (Ridders). Slow, and independent.
    Difference,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Analytical, Self::Dual, Self::Difference];

    /// The method's name, as the command line takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Analytical => "analytical",
            Self::Dual => "dual",
            Self::Difference => "difference",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Memory for [`rnea_derivatives`], made once per thread for one model; results borrow from it.
pub struct DerivativeWorkspace {
    /// The algorithm itself over `f64`.
    base: Workspace<f64>,
    /// Which bodies each chunk of eight directions reaches; made when first needed.
    reach: Option<Box<Reach>>,
    /// Registers; their type depends on the level.
    registers: Option<Box<dyn Any + Send + Sync>>,
    result: RneaDerivatives,
    /// Of the derivatives of forward dynamics; made when first needed.
    aba: Option<Box<AbaDerivativesMemory>>,
    /// Of the derivatives of dynamics under constraints; made when first needed.
    constrained: Option<Box<ConstrainedMemory>>,
    /// Matrices of wrenches that an earlier call had more of.
    spare: Vec<DMatrix<f64>>,
    /// Zeros.
    rest: Vec<f64>,
    /// Which results are those of a call that succeeded.
    valid: Valid,
}

/// Which results of a [`DerivativeWorkspace`] can be read again.
#[derive(Clone, Copy, Debug, Default)]
struct Valid {
    rnea: bool,
    aba: bool,
    constraint_dynamics: bool,
    impulse_dynamics: bool,
}

impl fmt::Debug for DerivativeWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DerivativeWorkspace").field("result", &self.result).finish_non_exhaustive()
    }
}

impl DerivativeWorkspace {
    /// Memory for the derivatives of this model. The matrices, `3 nv²` numbers, are made at the first use.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            base: Workspace::new(model),
            reach: None,
            registers: None,
            result: RneaDerivatives::new(model.nv()),
            aba: None,
            constrained: None,
            spare: Vec::new(),
            rest: vec![0.0; model.nv()],
            valid: Valid::default(),
        }
    }

    /// What the last call of [`rnea_derivatives`] returned, to be read again.
    ///
    /// `None` if there was none, if it failed, or if its memory has been written to since: derivatives of forward dynamics, of dynamics
    /// under constraints and of the terms of inverse dynamics are made of those of inverse dynamics.
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions};
    /// use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// # let (q, v, a) = (vec![0.1; model.nq()], vec![0.2; model.nv()], vec![0.3; model.nv()]);
    /// let mut workspace = DerivativeWorkspace::new(&model);
    /// rnea_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &a, &[])?;
    /// let again = workspace.rnea_derivatives().expect("has been computed");
    /// assert_eq!(again.dtau_dq.shape(), (model.nv(), model.nv()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rnea_derivatives(&self) -> Option<&RneaDerivatives> {
        self.valid.rnea.then_some(&self.result)
    }

    /// What the last call of [`aba_derivatives`] returned, to be read again; `None` if there was none, or it failed.
    #[must_use]
    pub fn aba_derivatives(&self) -> Option<&AbaDerivatives> {
        self.aba.as_deref().filter(|_| self.valid.aba).map(AbaDerivativesMemory::result)
    }

    /// What the last call of [`constraint_dynamics_derivatives`] returned, to be read again; `None` if there was none, or it failed.
    #[must_use]
    pub fn constraint_dynamics_derivatives(&self) -> Option<&ConstraintDynamicsDerivatives> {
        self.constrained.as_deref().filter(|_| self.valid.constraint_dynamics).map(ConstrainedMemory::dynamics)
    }

    /// What the last call of [`impulse_dynamics_derivatives`] returned, to be read again; `None` if there was none, or it failed.
    #[must_use]
    pub fn impulse_dynamics_derivatives(&self) -> Option<&ImpulseDynamicsDerivatives> {
        self.constrained.as_deref().filter(|_| self.valid.impulse_dynamics).map(ConstrainedMemory::impulses)
    }

    /// Makes `result` ready to be written to, with a matrix for so many wrenches. What it held is no result any more.
    fn begin(&mut self, wrenches: usize) -> Result<(), InputError> {
        self.valid.rnea = false;
        self.result.size(wrenches, &mut self.spare)
    }
}

/// Torques and their derivatives with respect to configuration, velocity, acceleration and each external wrench.
///
/// `q`: nq, `v`, `a`: nv. All matrices nv × nv; those of wrenches nv × 6, columns (force, moment) in the wrench's own
/// coordinates. Damping, friction, armature, springs and mimic joints are included. Entries that the structure of the tree makes
/// zero are exactly zero. A second call with [`Method::Analytical`] or [`Method::Dual`] allocates nothing, as long as there
/// are no more wrenches than ever before.
///
/// ```no_run
/// use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
/// # fn f(model: &gradyn::model::Model, q: &[f64], v: &[f64], a: &[f64]) -> Result<(), gradyn::model::InputError> {
/// let mut workspace = DerivativeWorkspace::new(model);
/// let derivatives = rnea_derivatives(model, &mut workspace, Method::Analytical, q, v, a, &[])?;
/// println!("{}", derivatives.dtau_dq);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[doc(alias("computeRNEADerivatives", "inverse dynamics derivatives"))]
pub fn rnea_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w RneaDerivatives, InputError> {
    compute(model, ws, method, (q, v, a), wrenches)?;
    ws.valid.rnea = true;
    Ok(&ws.result)
}

/// [`rnea_derivatives`] into memory of the caller, such as one of the results of a trajectory. Allocates nothing where that has the
/// right sizes; if the call fails, it stays as it is.
///
/// ```
/// # use gradyn::{Model, UrdfOptions};
/// use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives, rnea_derivatives_into};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// # let (v, a) = (vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let mut trajectory = vec![RneaDerivatives::default(); 10];
/// for (k, out) in trajectory.iter_mut().enumerate() {
///     let q = vec![0.1 * k as f64; model.nq()];
///     rnea_derivatives_into(&model, &mut workspace, Method::Analytical, &q, &v, &a, &[], out)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`rnea_derivatives`].
#[expect(clippy::too_many_arguments, reason = "those of `rnea_derivatives`, and where to")]
pub fn rnea_derivatives_into(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
    out: &mut RneaDerivatives,
) -> Result<(), InputError> {
    out.copy_from(rnea_derivatives(model, ws, method, q, v, a, wrenches)?);
    Ok(())
}

/// [`rnea_derivatives`], that nobody reads again.
fn compute<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    (q, v, a): (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
) -> Result<&'w RneaDerivatives, InputError> {
    ws.begin(wrenches.len())?;
    rnea::check(model, &ws.base, q, v, a, wrenches)?;
    if method == Method::Analytical {
        return analytical_derivatives(model, ws, (q, v, a), wrenches, Reuse::Nothing);
    }
    if method == Method::Dual {
        ws.result.errors = None;
        let finite = dual::rnea_derivatives(model, ws, q, v, a, wrenches);
        if finite && finite::all_finite(ws.result.tau.as_slice()) && finite::all_finite(q) {
            return Ok(&ws.result);
        }
    } else {
        let tau = crate::dynamics::rnea(model, &mut ws.base, q, v, a, wrenches)?;
        ws.result.tau.copy_from_slice(tau);
        let done = difference::rnea_derivatives(model, ws, q, v, a, wrenches);
        done.inspect_err(|_| ws.result.clear())?;
    }
    checked(model, ws, (q, v, a), wrenches)
}

/// [`rnea_derivatives`] in closed form, of arguments that have been checked; see [`analytical::rnea_derivatives`].
fn analytical_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    state: (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
    reuse: Reuse<'_>,
) -> Result<&'w RneaDerivatives, InputError> {
    ws.result.errors = None;
    if analytical::rnea_derivatives(ForceField::of(model), model, ws, state, wrenches, reuse) {
        return Ok(&ws.result);
    }
    checked(model, ws, state, wrenches)
}

/// The results, if they are finite, else cleared ones and an error.
fn checked<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    (q, v, a): (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
) -> Result<&'w RneaDerivatives, InputError> {
    let result = &mut ws.result;
    // Nothing depends on where the base is: that it is somewhere has to be seen.
    if !(finite::all_finite(result.tau.as_slice()) && finite::all_finite(q)) {
        result.clear();
        return Err(rnea::not_finite(model, q, v, a, wrenches, result.tau.as_slice()));
    }
    result.check_finite(model)?;
    Ok(&ws.result)
}
