//! Second derivatives of `λᵀ q̈`, a combination of accelerations, without tensors.
//!
//! With `μ = M⁻¹ λ`, from the Hessian `h` of `μᵀ τ` ([`rnea_hessian`]) and the first derivatives of `q̈`, the tensors'
//! equations contracted:
//!
//! ```text
//! ∂²/∂q∂q = −(h_qq + h_aqᵀ ∂q̈/∂q + (∂q̈/∂q)ᵀ h_aq)    ∂²/∂v∂q = −(h_vq + (∂q̈/∂v)ᵀ h_aq)               (1)
//! ∂²/∂v∂v = −h_vv                                      ∂²/∂τ∂q = −M⁻¹ h_aq                            (2)
//! ```

use super::super::state_function::by_method_of_solution;
use super::super::{HessianWorkspace, State, StateFunction, StateJacobian, rnea_hessian};
use super::solved::Solved;
use super::{Method, SecondOrderWorkspace};
use crate::dynamics::rnea::check_finite_dofs;
use crate::dynamics::{ExternalWrench, Workspace, aba_gradient, aba_kept, solve_kept};
use crate::kernels::blocks::product::{add_product, negated_product};
use crate::kernels::blocks::transpose::transpose;
use crate::model::{InputError, Model, room};
use crate::slice_ops;
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector};

/// `λᵀ q̈`, its gradient and its Hessian at one state. All matrices nv × nv.
///
/// The blocks by (τ, τ) and (τ, v) are zero: `q̈` is linear in `τ`, with coefficients that do not depend on `v`.
#[derive(Clone, Debug, PartialEq)]
pub struct AbaHessian {
    /// `λᵀ q̈`
    pub value: f64,
    /// By q, nv, along `q ⊕ ε e_k`.
    pub dq: DVector<f64>,
    /// By v, nv.
    pub dv: DVector<f64>,
    /// By τ, nv: `M⁻¹ λ`.
    pub dtau: DVector<f64>,
    /// By q and q, ordered: column j is the derivative of `dq` along `q ⊕ ε e_j`.
    pub dqq: DMatrix<f64>,
    /// By v and q: column j is the derivative of `dv` along `q ⊕ ε e_j`.
    pub dvq: DMatrix<f64>,
    /// By τ and q: column j is the derivative of `dtau` along `q ⊕ ε e_j`, `∂(M⁻¹ λ)/∂q`.
    pub dtauq: DMatrix<f64>,
    /// By v and v, symmetric.
    pub dvv: DMatrix<f64>,
    /// Estimated error of each entry, from the method of differences.
    pub errors: Option<Box<AbaHessian>>,
}

impl AbaHessian {
    fn zeros(nv: usize) -> Self {
        let (vector, matrix) = (DVector::zeros(nv), DMatrix::zeros(nv, nv));
        Self {
            value: 0.0,
            dq: vector.clone(),
            dv: vector.clone(),
            dtau: vector,
            dqq: matrix.clone(),
            dvq: matrix.clone(),
            dtauq: matrix.clone(),
            dvv: matrix,
            errors: None,
        }
    }

    fn check_finite(&self, model: &Model) -> Result<(), InputError> {
        for (what, m) in [("dqq", &self.dqq), ("dvq", &self.dvq), ("dtauq", &self.dtauq), ("dvv", &self.dvv)] {
            if let Some(at) = m.iter().position(|x| !x.is_finite()) {
                return Err(model.overflow(what, at % m.nrows()));
            }
        }
        Ok(())
    }
}

/// Memory for [`aba_hessian`].
pub(super) struct AbaHessianMemory {
    first: Solved,
    /// `(∂q̈/∂q)ᵀ h_aq`, then `h_aqᵀ`, row by row.
    product: DMatrix<f64>,
    inverse: HessianWorkspace,
    ddq: Vec<f64>,
    /// `μ`
    weights: Vec<f64>,
    result: AbaHessian,
}

impl AbaHessianMemory {
    fn new(model: &Model) -> Self {
        let nv = model.nv;
        Self {
            first: Solved::new(model),
            product: DMatrix::zeros(nv, nv),
            inverse: HessianWorkspace::new(model),
            ddq: vec![0.0; nv],
            weights: Vec::with_capacity(nv),
            result: AbaHessian::zeros(nv),
        }
    }
}

/// `λᵀ q̈`, `q̈ = aba(q, v, τ, φ)`, with gradient and Hessian by `(q, v, τ)`.
///
/// `q`: nq, `v`, `tau`, `lambda`: nv. [`Method::Analytical`] combines the Hessian of torques with first derivatives, without
/// any tensor; the others differentiate [`aba_gradient`](crate::dynamics::aba_gradient()). Right for every kind of joint;
/// wrenches of both kinds, armature, damping, friction and mimic joints are included.
///
/// # Errors
/// As [`aba_derivatives`](super::super::aba_derivatives), and if a number of `lambda` is not
/// finite.
#[expect(clippy::too_many_arguments, reason = "a state, a combination and wrenches")]
pub fn aba_hessian<'w>(
    model: &Model,
    ws: &'w mut SecondOrderWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    lambda: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w AbaHessian, InputError> {
    model.check_length("lambda", "nv", lambda.len(), model.nv)?;
    check_finite_dofs(model, "lambda", lambda)?;
    if ws.contraction.is_none() {
        // The result, the Hessian of torques, first derivatives, and what is between.
        room::<f64>("the Hessian of accelerations", &[14, model.nv, model.nv])?;
    }
    let SecondOrderWorkspace { base, contraction, .. } = ws;
    let memory = contraction.get_or_insert_with(|| Box::new(AbaHessianMemory::new(model)));
    match method {
        Method::Analytical => analytical(model, base, memory, (q, v, tau), lambda, wrenches)?,
        Method::Dual | Method::Difference => {
            let result = &mut memory.result;
            let by = aba_gradient(model, base, q, v, tau, lambda, wrenches)?;
            result.value = by.value;
            for (to, from) in [(&mut result.dq, by.dq), (&mut result.dv, by.dv), (&mut result.dtau, by.dtau)] {
                to.as_mut_slice().copy_from_slice(from);
            }
            let (f, state) = (Gradient { tau, wrenches, lambda }, State { q, v, u: &[], wrenches: &[] });
            let (by, errors) = by_method_of_solution(model, &f, method, state)?;
            store(&by, result);
            result.errors = errors.map(|by| {
                let mut errors = AbaHessian::zeros(model.nv);
                store(&by, &mut errors);
                Box::new(errors)
            });
        }
    }
    memory.result.check_finite(model)?;
    Ok(&memory.result)
}

/// Equations (1) and (2).
fn analytical(
    model: &Model,
    base: &mut Workspace<f64>,
    memory: &mut AbaHessianMemory,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    lambda: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    let AbaHessianMemory { first, product, inverse, ddq, weights, result } = memory;
    ddq.copy_from_slice(aba_kept(model, base, q, v, tau, wrenches)?);
    weights.clear();
    weights.extend_from_slice(lambda);
    solve_kept(model, base, weights); //                                     μ = M⁻¹ λ
    first.differentiate(model, (q, v, ddq), wrenches)?;
    let h = rnea_hessian(model, inverse, q, v, ddq, weights, wrenches)?;
    let AbaHessian { value, dq, dv, dtau, dqq, dvq, dtauq, dvv, errors } = result;
    *value = slice_ops::dot(lambda, ddq);
    for (to, from) in [(dq, &h.dq), (dv, &h.dv)] {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = -from);
    }
    dtau.as_mut_slice().copy_from_slice(weights);
    for (to, from) in [(&mut *dqq, &h.dqq), (&mut *dvq, &h.dvq), (dvv, &h.dvv)] {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = -from);
    }
    negated_product(&first.ddq_dq, &h.daq, product); //                      (1)
    *dqq += &*product;
    transpose(product.as_slice(), model.nv, dtauq.as_mut_slice());
    *dqq += &*dtauq;
    add_product(-1.0, &first.ddq_dv, &h.daq, dvq);
    transpose(h.daq.as_slice(), model.nv, product.as_mut_slice());
    first.solve(product.as_mut_slice());
    transpose(product.as_slice(), model.nv, dtauq.as_mut_slice()); //        (2)
    *errors = None;
    Ok(())
}

/// The gradient as a quantity of q and v: by q, by v, by τ.
struct Gradient<'a> {
    tau: &'a [f64],
    wrenches: &'a [ExternalWrench],
    lambda: &'a [f64],
}

impl StateFunction for Gradient<'_> {
    fn outputs(&self, model: &Model) -> usize {
        3 * model.nv
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let [tau, lambda] = [self.tau, self.lambda].map(|x| x.iter().map(|x| T::from(*x)).collect::<Vec<T>>());
        let wrenches: Vec<ExternalWrench<T>> = self.wrenches.iter().map(ExternalWrench::lift).collect();
        let by = aba_gradient(model, ws, state.q, state.v, &tau, &lambda, &wrenches)?;
        for (from, to) in [by.dq, by.dv, by.dtau].into_iter().zip(out.chunks_exact_mut(model.nv.max(1))) {
            to.copy_from_slice(from);
        }
        Ok(())
    }
}

/// Derivatives of [`Gradient`] in their places.
fn store(by: &StateJacobian, to: &mut AbaHessian) {
    let nv = to.dq.len();
    to.dqq.copy_from(&by.dq.rows(0, nv));
    to.dvq.copy_from(&by.dq.rows(nv, nv));
    to.dtauq.copy_from(&by.dq.rows(2 * nv, nv));
    to.dvv.copy_from(&by.dv.rows(nv, nv));
}
