//! Derivatives of forward dynamics.
//!
//! With `τ = rnea(q, v, q̈)` differentiated at the accelerations `q̈` that the torques give
//! (J. Carpentier and N. Mansard, RSS 2018, section IV):
//!
//! ```text
//! ∂q̈/∂q = −M⁻¹ ∂τ/∂q ;  ∂q̈/∂v = −M⁻¹ ∂τ/∂v ;  ∂q̈/∂τ = M⁻¹ ;  ∂q̈/∂φ = −M⁻¹ ∂τ/∂φ = M⁻¹ Jᵀ          (1)
//! ```
//!
//! `M⁻¹` and products with it come from the sparse factors of the mass matrix; at the plain level from [`minv`], and the products are
//! those of dense matrices; for a quadruped, where registers hold four numbers, from the blocks of its four legs. Columns of a base that
//! floats need no product ([`Floating`](crate::plan::floating::Floating)).

use super::result::copy_from_fields;
use super::state_function::by_method_of_solution;
use super::{DerivativeWorkspace, Method, State, StateFunction, StateJacobian, analytical_derivatives};
use crate::default_fields::matrices_by_name;
use crate::dynamics::{ExternalWrench, Workspace, aba, aba_kept, by_plan, minv};
use crate::kernels::blocks::product;
use crate::kernels::by_joint::derivatives::Reuse;
use crate::kernels::finite;
use crate::model::{InputError, Model, room};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector};

/// Accelerations of forward dynamics and their derivatives at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct AbaDerivatives {
    /// `q̈`, nv.
    pub ddq: DVector<f64>,
    /// `∂q̈/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub ddq_dq: DMatrix<f64>,
    /// `∂q̈/∂v`, nv × nv.
    pub ddq_dv: DMatrix<f64>,
    /// `∂q̈/∂τ = M⁻¹`, nv × nv, symmetric to the last bit by the analytical method.
    pub ddq_dtau: DMatrix<f64>,
    /// `∂q̈/∂φ = M⁻¹ Jᵀ` for each external wrench, nv × 6, columns force then moment.
    pub ddq_df_ext: Vec<DMatrix<f64>>,
    /// Estimated error of each entry, from the method of differences.
    pub errors: Option<Box<AbaDerivatives>>,
}

impl Default for AbaDerivatives {
    /// Without entries: to [copy](Self::copy_from) into.
    fn default() -> Self {
        Self::new(0)
    }
}

matrices_by_name!(AbaDerivatives; 3: ddq_dq, ddq_dv, ddq_dtau);

copy_from_fields!(AbaDerivatives: ddq; ddq_df_ext; );

impl AbaDerivatives {
    fn new(nv: usize) -> Self {
        let zero = || DMatrix::zeros(nv, nv);
        Self {
            ddq: DVector::zeros(nv),
            ddq_dq: zero(),
            ddq_dv: zero(),
            ddq_dtau: zero(),
            ddq_df_ext: Vec::new(),
            errors: None,
        }
    }

    fn check_finite(&self, model: &Model) -> Result<(), InputError> {
        let of_wrenches = self.ddq_df_ext.iter().map(|m| ("ddq_df_ext", m));
        for (what, m) in self.matrices().into_iter().chain(of_wrenches) {
            if !finite::all_finite(m.as_slice()) {
                let index = m.as_slice().iter().position(|x| !x.is_finite()).unwrap_or(0) % m.nrows();
                return Err(model.overflow(what, index));
            }
        }
        Ok(())
    }
}

impl From<StateJacobian> for AbaDerivatives {
    fn from(by: StateJacobian) -> Self {
        let StateJacobian { value, dq, dv, du, df_ext, .. } = by;
        Self { ddq: value, ddq_dq: dq, ddq_dv: dv, ddq_dtau: du, ddq_df_ext: df_ext, errors: None }
    }
}

/// Memory for [`aba_derivatives`], and the result.
pub(super) struct AbaDerivativesMemory {
    result: AbaDerivatives,
    spare: Vec<DMatrix<f64>>,
}

impl AbaDerivativesMemory {
    pub(super) fn result(&self) -> &AbaDerivatives {
        &self.result
    }
}

/// Forward dynamics as a quantity.
struct Accelerations;

impl StateFunction for Accelerations {
    fn outputs(&self, model: &Model) -> usize {
        model.nv
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        out.copy_from_slice(aba(model, ws, state.q, state.v, state.u, state.wrenches)?);
        Ok(())
    }
}

/// Accelerations and their derivatives with respect to configuration, velocity, torque and each external wrench.
///
/// `q`: nq, `v`, `tau`: nv. All matrices nv × nv; those of wrenches nv × 6, columns (force, moment) in the wrench's own
/// coordinates. Damping, friction, armature and mimic joints are included, and every kind of joint is right. Entries between
/// separate trees are exactly zero. A second call with [`Method::Analytical`] allocates nothing,
/// as long as there are no more wrenches than ever before.
///
/// ```
/// use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// # let (q, v, tau) = (vec![0.1; model.nq()], vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let by = aba_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &tau, &[])?;
/// assert_eq!(by.ddq_dq.shape(), (model.nv(), model.nv()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite;
/// [`InputError::SingularMassMatrix`] names a joint that moves nothing with inertia.
#[doc(alias("computeABADerivatives", "forward dynamics derivatives"))]
pub fn aba_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w AbaDerivatives, InputError> {
    ws.valid.aba = false;
    let derivatives_by_bodies =
        method == Method::Analytical && wrenches.is_empty() && by_plan::derivatives_by_bodies(model);
    let ddq = match derivatives_by_bodies {
        true => aba(model, &mut ws.base, q, v, tau, wrenches)?,
        false => aba_kept(model, &mut ws.base, q, v, tau, wrenches)?,
    };
    if ws.aba.is_none() {
        room::<f64>("∂q̈/∂q, ∂q̈/∂v and ∂q̈/∂τ", &[3, model.nv, model.nv])?;
    }
    let mut memory = ws
        .aba
        .take()
        .unwrap_or_else(|| Box::new(AbaDerivativesMemory { result: AbaDerivatives::new(model.nv), spare: Vec::new() }));
    memory.result.ddq.copy_from_slice(ddq);
    let surely_finite = match method {
        Method::Analytical if derivatives_by_bodies && legs(model, ws, &mut memory, q, v)? => Ok(true),
        Method::Analytical => {
            if derivatives_by_bodies {
                aba_kept(model, &mut ws.base, q, v, tau, wrenches)?;
            }
            analytical(model, ws, &mut memory, q, v, wrenches)
        }
        Method::Dual | Method::Difference => {
            let state = State { q, v, u: tau, wrenches };
            by_method_of_solution(model, &Accelerations, method, state).map(|(by, errors)| {
                memory.result = by.into();
                memory.result.errors = errors.map(|errors| Box::new(errors.into()));
                false
            })
        }
    };
    let result = &ws.aba.insert(memory).result;
    if !surely_finite? {
        result.check_finite(model)?;
    }
    ws.valid.aba = true;
    Ok(result)
}

/// [`aba_derivatives`] into memory of the caller. Allocates nothing where that has the right sizes; if the call fails, it
/// stays as it is.
///
/// # Errors
/// As [`aba_derivatives`].
#[expect(clippy::too_many_arguments, reason = "those of `aba_derivatives`, and where to")]
pub fn aba_derivatives_into(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    wrenches: &[ExternalWrench],
    out: &mut AbaDerivatives,
) -> Result<(), InputError> {
    out.copy_from(aba_derivatives(model, ws, method, q, v, tau, wrenches)?);
    Ok(())
}

/// Equation (1), at the accelerations in the result. Returns whether all are surely finite.
fn analytical(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut AbaDerivativesMemory,
    q: &[f64],
    v: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<bool, InputError> {
    let AbaDerivativesMemory { result, spare } = memory;
    // Where the accelerations come from the mass matrix eight joints at a time, bodies have been placed, and what it was inverted
    // by is at hand.
    let by_page = ws.base.aba.by_page;
    let reuse = if by_page { Reuse::Nothing } else { by_plan::reuse(model, &mut ws.base, wrenches) };
    ws.begin(wrenches.len())?;
    let state = (q, v, result.ddq.as_slice());
    analytical_derivatives(model, ws, state, wrenches, reuse)?;
    result.errors = None;
    super::result::size(&mut result.ddq_df_ext, wrenches.len(), model.nv, spare);
    let mut at_hand = if by_page { None } else { by_plan::take_factors(model, &mut ws.base, q) };
    let by = &ws.result;
    let Some(factors) = &mut at_hand else {
        return by_inverse(model, ws, result, q).map(|()| false);
    };
    factors.invert(&mut result.ddq_dtau);
    let floating = if let Reuse::Velocities(floating) = reuse { floating } else { &[] };
    let [ddq_dq, ddq_dv] = [&mut result.ddq_dq, &mut result.ddq_dv];
    let finite = factors.multiply([&by.dtau_dq, &by.dtau_dv], [ddq_dq, ddq_dv], floating);
    by_plan::fill_floating(model, &ws.base, floating, v, [ddq_dq, ddq_dv]);
    for (from, to) in by.dtau_df_ext.iter().zip(&mut result.ddq_df_ext) {
        factors.multiply_full(from, to);
    }
    by_plan::give_back_factors(&mut ws.base, at_hand);
    Ok(finite.is_finite() && wrenches.is_empty())
}

/// Equation (1) by the legs of a quadruped. Returns whether all are finite, and no pivot is lost.
fn legs(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    AbaDerivativesMemory { result, spare, .. }: &mut AbaDerivativesMemory,
    q: &[f64],
    v: &[f64],
) -> Result<bool, InputError> {
    ws.begin(0)?;
    analytical_derivatives(model, ws, (q, v, result.ddq.as_slice()), &[], Reuse::Nothing)?;
    result.errors = None;
    super::result::size(&mut result.ddq_df_ext, 0, model.nv, spare);
    let from = [&ws.result.dtau_dq, &ws.result.dtau_dv, &ws.result.dtau_da].map(DMatrix::as_slice);
    let to = [&mut result.ddq_dq, &mut result.ddq_dv, &mut result.ddq_dtau];
    let done = by_plan::of(model, &mut ws.base).and_then(|kernels| kernels.aba_derivatives(v, from, to));
    Ok(done.unwrap_or(false))
}

/// Equation (1) with the inverse of [`minv`]'s page: at the plain level, for joints that have no other form, and at states where factors
/// lose digits.
fn by_inverse(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    result: &mut AbaDerivatives,
    q: &[f64],
) -> Result<(), InputError> {
    result.ddq_dtau.copy_from(minv(model, &mut ws.base, q)?);
    let (inverse, by) = (&result.ddq_dtau, &ws.result);
    product::negated_product(inverse, &by.dtau_dq, &mut result.ddq_dq);
    product::negated_product(inverse, &by.dtau_dv, &mut result.ddq_dv);
    for (from, to) in by.dtau_df_ext.iter().zip(&mut result.ddq_df_ext) {
        product::negated_product(inverse, from, to);
    }
    Ok(())
}
