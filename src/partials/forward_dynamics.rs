//! Derivatives of forward dynamics.
//!
//! With `τ = rnea(q, v, q̈)` differentiated at the accelerations `q̈` that the torques give
//! (J. Carpentier and N. Mansard, RSS 2018, section IV):
//!
//! ```text
//! ∂q̈/∂q = −M⁻¹ ∂τ/∂q ;  ∂q̈/∂v = −M⁻¹ ∂τ/∂v ;  ∂q̈/∂τ = M⁻¹ ;  ∂q̈/∂φ = −M⁻¹ ∂τ/∂φ = M⁻¹ Jᵀ          (1)
//! ```
//!
//! `M⁻¹` is applied by the sparse factors of the mass matrix, to eight columns at a time.

use super::state_function::by_method;
use super::{DerivativeWorkspace, Method, State, StateFunction, StateJacobian, rnea_derivatives};
use crate::dynamics::ltl::Factors;
use crate::dynamics::{ExternalWrench, Workspace, aba};
use crate::model::{InputError, Model};
use gradyn_derivatives::simd::{Kernel, Register, WIDTH, dispatch};
use gradyn_derivatives::{Lanes, Real, Scalar};
use nalgebra::{DMatrix, DVector};
use std::any::Any;

/// Accelerations of forward dynamics and their derivatives at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardDynamicsDerivatives {
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
    pub errors: Option<Box<ForwardDynamicsDerivatives>>,
}

impl ForwardDynamicsDerivatives {
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

    /// The matrices by name.
    pub fn matrices(&self) -> [(&'static str, &DMatrix<f64>); 3] {
        [("ddq_dq", &self.ddq_dq), ("ddq_dv", &self.ddq_dv), ("ddq_dtau", &self.ddq_dtau)]
    }

    fn check_finite(&self, model: &Model) -> Result<(), InputError> {
        let of_wrenches = self.ddq_df_ext.iter().map(|m| ("ddq_df_ext", m));
        for (what, m) in self.matrices().into_iter().chain(of_wrenches) {
            // Without an early end, so that it runs at register width.
            let finite = m.as_slice().iter().fold(true, |all, x| all & (x.abs() <= f64::MAX));
            if !finite {
                let index = m.as_slice().iter().position(|x| !x.is_finite()).unwrap_or(0) % m.nrows();
                return Err(InputError::Overflow { what, index, joint: model.dof_label(index) });
            }
        }
        Ok(())
    }
}

impl From<StateJacobian> for ForwardDynamicsDerivatives {
    fn from(by: StateJacobian) -> Self {
        let StateJacobian { value, dq, dv, du, df_ext, .. } = by;
        Self { ddq: value, ddq_dq: dq, ddq_dv: dv, ddq_dtau: du, ddq_df_ext: df_ext, errors: None }
    }
}

/// Memory for [`forward_dynamics_derivatives`], and the result.
pub(super) struct Memory {
    factors: Factors<f64>,
    /// Eight columns; the type depends on the level.
    columns: Option<Box<dyn Any + Send + Sync>>,
    result: ForwardDynamicsDerivatives,
    spare: Vec<DMatrix<f64>>,
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
/// trees that hang from the world separately are exactly zero. A second call with [`Method::Analytical`] allocates nothing,
/// as long as there are no more wrenches than ever before.
///
/// ```
/// use gradyn::partials::{DerivativeWorkspace, Method, forward_dynamics_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// # let (q, v, tau) = (vec![0.1; model.nq()], vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let by = forward_dynamics_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &tau, &[])?;
/// assert_eq!(by.ddq_dq.shape(), (model.nv(), model.nv()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite;
/// [`InputError::SingularMassMatrix`] names a joint that moves nothing with inertia.
pub fn forward_dynamics_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w ForwardDynamicsDerivatives, InputError> {
    let ddq = aba(model, &mut ws.base, q, v, tau, wrenches)?;
    let mut memory = ws.forward_dynamics.take().unwrap_or_else(|| {
        let (factors, result) = (Factors::default(), ForwardDynamicsDerivatives::new(model.nv));
        Box::new(Memory { factors, columns: None, result, spare: Vec::new() })
    });
    memory.result.ddq.copy_from_slice(ddq);
    let done = match method {
        Method::Analytical => analytical(model, ws, &mut memory, q, v, wrenches),
        Method::Dual | Method::Difference => {
            let state = State { q, v, u: tau, wrenches };
            by_method(model, &Accelerations, method, state).map(|(by, errors)| {
                memory.result = by.into();
                memory.result.errors = errors.map(|errors| Box::new(errors.into()));
            })
        }
    };
    let result = &ws.forward_dynamics.insert(memory).result;
    done?;
    result.check_finite(model)?;
    Ok(result)
}

/// Equation (1), at the accelerations in the result.
fn analytical(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut Memory,
    q: &[f64],
    v: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    let Memory { factors, columns, result, spare } = memory;
    let by = rnea_derivatives(model, ws, Method::Analytical, q, v, result.ddq.as_slice(), wrenches)?;
    result.errors = None;
    super::result::size(&mut result.ddq_df_ext, wrenches.len(), model.nv, spare);
    factors.size(model);
    // Pivots have been looked at on the way to the accelerations.
    factors.factorize(&by.dtau_da).map_err(|index| crate::dynamics::singular::error(model, index))?;
    dispatch(Solve { factors, columns, by: (&by.dtau_dq, &by.dtau_dv, &by.dtau_df_ext), result });
    Ok(())
}

/// All columns of equation (1).
struct Solve<'a> {
    factors: &'a Factors<f64>,
    columns: &'a mut Option<Box<dyn Any + Send + Sync>>,
    /// `∂τ/∂q`, `∂τ/∂v`, `∂τ/∂φ`
    by: (&'a DMatrix<f64>, &'a DMatrix<f64>, &'a [DMatrix<f64>]),
    result: &'a mut ForwardDynamicsDerivatives,
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { factors, columns, by: (dtau_dq, dtau_dv, dtau_df_ext), result } = self;
        let nv = dtau_dq.nrows();
        let fits = columns.as_ref().is_some_and(|x| x.is::<Vec<Lanes<R>>>());
        if !fits {
            *columns = Some(Box::new(vec![Lanes::<R>::zero(); nv]));
        }
        let Some(x) = columns.as_mut().and_then(|x| x.downcast_mut::<Vec<Lanes<R>>>()) else { return };
        solve(factors, dtau_dq, x, &mut result.ddq_dq);
        solve(factors, dtau_dv, x, &mut result.ddq_dv);
        for (from, to) in dtau_df_ext.iter().zip(&mut result.ddq_df_ext) {
            solve(factors, from, x, to);
        }
        invert(factors, x, &mut result.ddq_dtau);
    }
}

/// `to = −M⁻¹ from`, eight columns at a time.
#[inline(always)]
fn solve<R: Register>(factors: &Factors<f64>, from: &DMatrix<f64>, x: &mut [Lanes<R>], to: &mut DMatrix<f64>) {
    let nv = from.nrows();
    if nv == 0 {
        return;
    }
    for (from, to) in from.as_slice().chunks(WIDTH * nv).zip(to.as_mut_slice().chunks_mut(WIDTH * nv)) {
        for (row, x) in x.iter_mut().enumerate() {
            let mut lanes = [0.0; WIDTH];
            for (lane, column) in lanes.iter_mut().zip(from.chunks_exact(nv)) {
                *lane = -column[row];
            }
            *x = Lanes::from_array(lanes);
        }
        factors.solve(x);
        for (row, x) in x.iter().enumerate() {
            for (lane, column) in x.to_array().iter().zip(to.chunks_exact_mut(nv)) {
                column[row] = *lane;
            }
        }
    }
}

/// `to = M⁻¹`, eight columns at a time; the lower part, mirrored.
#[inline(always)]
fn invert<R: Register>(factors: &Factors<f64>, x: &mut [Lanes<R>], to: &mut DMatrix<f64>) {
    let nv = x.len();
    let to = to.as_mut_slice();
    for start in (0..nv).step_by(WIDTH) {
        let end = nv.min(start + WIDTH);
        for x in &mut *x {
            *x = Lanes::zero();
        }
        for lane in 0..end - start {
            x[start + lane] = Lanes::unit(lane);
        }
        factors.solve(x);
        for row in start..nv {
            let lanes = x[row].to_array();
            for column in start..end.min(row + 1) {
                (to[column * nv + row], to[row * nv + column]) = (lanes[column - start], lanes[column - start]);
            }
        }
    }
}
