//! Second derivatives of forward dynamics, from those of inverse dynamics.
//!
//! `M ∂q̈/∂q_j = −∂τ/∂q_j` and its like, differentiated again at the accelerations `q̈` of the torques (S. Singh, R. Russell,
//! P. Wensing, 2023, section V):
//!
//! ```text
//! ∂²q̈/∂q_j∂q_k = −M⁻¹ (∂²τ/∂q_j∂q_k + ∂M/∂q_j ∂q̈/∂q_k + ∂M/∂q_k ∂q̈/∂q_j)                            (1)
//! ∂²q̈/∂q_j∂v_k = −M⁻¹ (∂²τ/∂q_j∂v_k + ∂M/∂q_j ∂q̈/∂v_k)                                              (2)
//! ∂²q̈/∂v_j∂v_k = −M⁻¹ ∂²τ/∂v_j∂v_k                                                                  (3)
//! ∂²q̈/∂q_j∂τ_k = −M⁻¹ ∂M/∂q_j M⁻¹ e_k                                                               (4)
//! ```
//!
//! [`Method::Dual`] and [`Method::Difference`] differentiate the first derivatives instead, which
//! [`FirstDerivatives`] has from the inverse of the mass matrix.

use super::super::state_function::by_method_of_solution;
use super::super::{State, StateFunction};
use super::solved::Solved;
use super::{Method, SecondOrderWorkspace};
use crate::dynamics::rnea_derivatives::analytical as rnea_derivatives;
use crate::dynamics::{ExternalWrench, Tensor3, Workspace, aba, aba_kept, minv};
use crate::model::{InputError, Model, room};
use gradyn_derivatives::Scalar;
use nalgebra::DMatrix;

/// Second derivatives of the accelerations of forward dynamics, each nv × nv × nv, the acceleration first.
///
/// | tensor | entry `(i, j, k)` |
/// |---|---|
/// | `d2ddq_dqdq` | `∂/∂q_k (∂q̈_i/∂q_j)`, ordered as [`RneaSecondDerivatives::d2tau_dqdq`](crate::dynamics::RneaSecondDerivatives::d2tau_dqdq) |
/// | `d2ddq_dqdv` | `∂²q̈_i/∂q_j ∂v_k` |
/// | `d2ddq_dvdv` | `∂²q̈_i/∂v_j ∂v_k` |
/// | `d2ddq_dqdtau` | `∂²q̈_i/∂q_j ∂τ_k = ∂(M⁻¹)_ik/∂q_j` |
///
/// `∂²q̈/∂τ²` and `∂²q̈/∂τ ∂v` are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct AbaSecondDerivatives {
    /// `∂²q̈/∂q²`, ordered.
    pub d2ddq_dqdq: Tensor3,
    /// `∂²q̈/∂q ∂v`.
    pub d2ddq_dqdv: Tensor3,
    /// `∂²q̈/∂v²`, symmetric in the last two indices.
    pub d2ddq_dvdv: Tensor3,
    /// `∂²q̈/∂q ∂τ`, symmetric in the first and the last index.
    pub d2ddq_dqdtau: Tensor3,
}

impl AbaSecondDerivatives {
    fn zeros(nv: usize) -> Self {
        let [d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau] = Tensor3::four([nv; 3]);
        Self { d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau }
    }

    /// The tensors by name.
    pub fn tensors(&self) -> [(&'static str, &Tensor3); 4] {
        [
            ("d2ddq_dqdq", &self.d2ddq_dqdq),
            ("d2ddq_dqdv", &self.d2ddq_dqdv),
            ("d2ddq_dvdv", &self.d2ddq_dvdv),
            ("d2ddq_dqdtau", &self.d2ddq_dqdtau),
        ]
    }

    fn check_finite(&self, model: &Model) -> Result<(), InputError> {
        for (what, tensor) in self.tensors() {
            if let Some(((index, _, _), _)) = tensor.iter().find(|(_, x)| !x.is_finite()) {
                return Err(model.overflow(what, index));
            }
        }
        Ok(())
    }
}

/// What [`aba_second_derivatives`] needs.
pub(super) struct AbaSecondMemory {
    first: Solved,
    /// `M⁻¹`
    inverse: Vec<f64>,
    ddq: Vec<f64>,
    result: AbaSecondDerivatives,
    errors: Option<AbaSecondDerivatives>,
}

impl SecondOrderWorkspace {
    /// Estimated errors of the last second derivatives of forward dynamics, if it is by [`Method::Difference`].
    #[must_use]
    pub fn aba_errors(&self) -> Option<&AbaSecondDerivatives> {
        self.forward.as_ref().and_then(|memory| memory.errors.as_ref())
    }
}

/// Second derivatives of accelerations: four tensors nv × nv × nv, in the order that
/// [`AbaSecondDerivatives`] states.
///
/// `q`: nq, `v`, `tau`: nv. Wrenches, armature, friction and mimic joints are included, and every kind of joint.
/// [`Method::Analytical`] takes them from the second derivatives of inverse dynamics, equations (1) to (4) of the source,
/// S. Singh, R. Russell, P. Wensing, 2023, in O(n² d²); a second call with it allocates nothing. [`Method::Dual`] is dual
/// numbers through the first derivatives, [`Method::Difference`] extrapolated differences of these.
///
/// ```
/// use gradyn::partials::{Method, SecondOrderWorkspace, aba_second_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let (q, v, tau) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [1.0; 7]);
/// let mut workspace = SecondOrderWorkspace::new(&model);
/// let second =
///     aba_second_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &tau, &[])?;
/// assert_eq!(second.d2ddq_dqdtau.dims(), [7, 7, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite;
/// [`InputError::SingularMassMatrix`] names a joint that moves nothing with inertia.
pub fn aba_second_derivatives<'w>(
    model: &Model,
    ws: &'w mut SecondOrderWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w AbaSecondDerivatives, InputError> {
    let ddq = aba_kept(model, &mut ws.base, q, v, tau, wrenches)?;
    if ws.forward.is_none() {
        // These four and those of torques.
        room::<f64>("∂²q̈/∂q², ∂²q̈/∂q∂v, ∂²q̈/∂v² and ∂²q̈/∂q∂τ", &[8, model.nv, model.nv, model.nv])?;
    }
    let mut memory = ws.forward.take().unwrap_or_else(|| {
        Box::new(AbaSecondMemory {
            first: Solved::new(model),
            inverse: vec![0.0; model.nv * model.nv],
            ddq: vec![0.0; model.nv],
            result: AbaSecondDerivatives::zeros(model.nv),
            errors: None,
        })
    });
    memory.errors = None;
    memory.ddq.copy_from_slice(ddq);
    let done = match method {
        Method::Analytical => analytical(model, ws, &mut memory, (q, v), wrenches),
        Method::Dual | Method::Difference => {
            let state = State { q, v, u: &[], wrenches: &[] };
            by_method_of_solution(model, &FirstDerivatives { tau, wrenches }, method, state).map(|(by, errors)| {
                store(&by.dq, &by.dv, &mut memory.result);
                memory.errors = errors.map(|by| {
                    let mut errors = AbaSecondDerivatives::zeros(model.nv);
                    store(&by.dq, &by.dv, &mut errors);
                    errors
                });
            })
        }
    };
    let result = &ws.forward.insert(memory).result;
    done?;
    result.check_finite(model)?;
    Ok(result)
}

/// Equations (1) to (4).
fn analytical(
    model: &Model,
    ws: &mut SecondOrderWorkspace,
    memory: &mut AbaSecondMemory,
    (q, v): (&[f64], &[f64]),
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    let AbaSecondMemory { first, inverse, ddq, result, .. } = memory;
    first.differentiate(model, (q, v, ddq), wrenches)?;
    first.inverse(inverse);
    let second = super::rnea_second_derivatives(model, ws, Method::Analytical, q, v, ddq, wrenches)?;
    let (aq, nv) = (second.d2tau_dadq.as_slice(), model.nv);
    let AbaSecondDerivatives { d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau } = result;
    let qq = d2ddq_dqdq.as_mut_slice();
    qq.copy_from_slice(second.d2tau_dqdq.as_slice());
    add_products(aq, first.ddq_dq.as_slice(), nv, qq);
    add_transposed_products(aq, first.ddq_dq.as_slice(), nv, qq);
    let qv = d2ddq_dqdv.as_mut_slice();
    qv.copy_from_slice(second.d2tau_dqdv.as_slice());
    add_products(aq, first.ddq_dv.as_slice(), nv, qv);
    d2ddq_dvdv.as_mut_slice().copy_from_slice(second.d2tau_dvdv.as_slice());
    let q_tau = d2ddq_dqdtau.as_mut_slice();
    q_tau.fill(0.0);
    add_products(aq, inverse, nv, q_tau);
    for tensor in [d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau] {
        first.solve(tensor.as_mut_slice());
    }
    Ok(())
}

/// `(i, j, k) += Σ_a ∂M_ia/∂q_j x_ak`, the rows of `x` in one piece each.
fn add_products(aq: &[f64], x: &[f64], nv: usize, to: &mut [f64]) {
    let size = (nv * nv).max(1);
    for (aq, to) in aq.chunks_exact(size).zip(to.chunks_exact_mut(size)) {
        for (aq, x) in aq.chunks_exact(nv).zip(x.chunks_exact(nv)) {
            for (rate, to) in aq.iter().zip(to.chunks_exact_mut(nv)) {
                // Most joints do not change most entries of M.
                if rate.abs() > 0.0 {
                    to.iter_mut().zip(x).for_each(|(to, x)| *to += rate * x);
                }
            }
        }
    }
}

/// `(i, j, k) += Σ_a ∂M_ia/∂q_k x_aj`
fn add_transposed_products(aq: &[f64], x: &[f64], nv: usize, to: &mut [f64]) {
    let size = (nv * nv).max(1);
    for (aq, to) in aq.chunks_exact(size).zip(to.chunks_exact_mut(size)) {
        for (aq, x) in aq.chunks_exact(nv).zip(x.chunks_exact(nv)) {
            if aq.iter().all(|rate| rate.abs() <= 0.0) {
                continue;
            }
            for (x, to) in x.iter().zip(to.chunks_exact_mut(nv)) {
                to.iter_mut().zip(aq).for_each(|(to, rate)| *to += rate * x);
            }
        }
    }
}

/// `∂q̈/∂q`, `∂q̈/∂v`, `M⁻¹` as a quantity of q and v, one after the other, each column by column.
struct FirstDerivatives<'a> {
    tau: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

impl StateFunction for FirstDerivatives<'_> {
    fn outputs(&self, model: &Model) -> usize {
        3 * model.nv * model.nv
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let (nv, size) = (model.nv, model.nv * model.nv);
        let tau: Vec<T> = self.tau.iter().map(|x| T::from(*x)).collect();
        let wrenches: Vec<ExternalWrench<T>> = self.wrenches.iter().map(ExternalWrench::lift).collect();
        let ddq = aba(model, ws, state.q, state.v, &tau, &wrenches)?.to_vec();
        let inverse = minv(model, ws, state.q)?.clone();
        let by = rnea_derivatives(model, ws, state.q, state.v, &ddq, &wrenches);
        let columns = nv.max(1);
        for (matrix, out) in [by.dtau_dq, by.dtau_dv].into_iter().zip(out.chunks_exact_mut(size.max(1))) {
            for (column, out) in matrix.chunks_exact(columns).zip(out.chunks_exact_mut(columns)) {
                out.fill(T::zero());
                for (x, inverse) in column.iter().zip(inverse.as_slice().chunks_exact(columns)) {
                    let x = -*x;
                    out.iter_mut().zip(inverse).for_each(|(out, m)| *out = m.mul_plus(x, *out));
                }
            }
        }
        out[2 * size..].copy_from_slice(inverse.as_slice());
        Ok(())
    }
}

/// Derivatives of [`FirstDerivatives`] in their places.
fn store(dq: &DMatrix<f64>, dv: &DMatrix<f64>, to: &mut AbaSecondDerivatives) {
    let nv = dq.ncols();
    let size = nv * nv;
    for i in 0..nv {
        for j in 0..nv {
            let at = i + nv * j;
            for k in 0..nv {
                to.d2ddq_dqdq[(i, j, k)] = dq[(at, k)];
                to.d2ddq_dqdv[(i, j, k)] = dv[(at, k)];
                to.d2ddq_dvdv[(i, j, k)] = dv[(size + at, k)];
                to.d2ddq_dqdtau[(i, j, k)] = dq[(2 * size + i + nv * k, j)];
            }
        }
    }
}
