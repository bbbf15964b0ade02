//! Second derivatives of `λᵀ τ`, a combination of torques, without tensors: its gradient in closed form
//! ([`rnea_gradient`](crate::dynamics::rnea_gradient), O(n)) run over dual numbers.
//!
//! Configurations are a manifold, so "second derivative by q" needs a word more: the **ordered** one is meant, entry
//! (i, j) of `dqq` is the derivative along `q ⊕ ε e_j` of `∂/∂q_i`, which is itself the derivative along `⊕ ε e_i`:
//!
//! ```text
//! dqq[i, j] = d/dε d/dδ λᵀ τ(q ⊕ ε e_j ⊕ δ e_i, v, a)
//! ```
//!
//! It is not symmetric where directions do not commute: within one spherical, free-flying or planar joint, where
//! `dqq − dqqᵀ` is a derivative along the Lie bracket. Between joints, and with respect to `v` and `a`, second
//! derivatives are symmetric.

use super::directions::{Directions, Seeds, constant, runs};
use crate::dynamics::rnea_gradient::{gradient, rnea_gradient};
use crate::dynamics::{ExternalWrench, RneaGradient, Workspace};
use crate::model::{InputError, Model, room};
use gradyn_derivatives::VectorDual;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Kernel, Register, VectorLevel};
use nalgebra::{DMatrix, DVector};
use std::any::Any;
use std::fmt;
use std::ops::Range;

/// `λᵀ τ`, its gradient and its Hessian at one state. All matrices nv × nv.
///
/// `τ` is linear in `a`, with coefficients that do not depend on `v`: the blocks by (a, a) and (a, v) are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaHessian {
    /// `λᵀ τ`
    pub value: f64,
    /// By q, nv, along `q ⊕ ε e_k`.
    pub dq: DVector<f64>,
    /// By v, nv.
    pub dv: DVector<f64>,
    /// By a, nv: `M λ`.
    pub da: DVector<f64>,
    /// By q and q, ordered: column j is the derivative of `dq` along `q ⊕ ε e_j`.
    pub dqq: DMatrix<f64>,
    /// By v and q: column j is the derivative of `dv` along `q ⊕ ε e_j`.
    pub dvq: DMatrix<f64>,
    /// By a and q: column j is the derivative of `da` along `q ⊕ ε e_j`, `∂(M λ)/∂q`.
    pub daq: DMatrix<f64>,
    /// By v and v, symmetric.
    pub dvv: DMatrix<f64>,
}

/// The Hessian of `λᵀ τ` times one direction `(δq, δv, δa)`: the derivative of the gradient along it.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaHessianProduct {
    /// `dqq δq + dvqᵀ δv + daqᵀ δa`, nv, with the ordered `dqq`.
    pub dq: DVector<f64>,
    /// `dvq δq + dvv δv`, nv.
    pub dv: DVector<f64>,
    /// `daq δq`, nv.
    pub da: DVector<f64>,
}

/// Memory for [`rnea_hessian`] and [`rnea_hessian_product`], made once per thread for one model; results borrow from it.
pub struct HessianWorkspace {
    base: Workspace<f64>,
    single: Option<Box<Single>>,
    /// Registers; their type depends on the level.
    registers: Option<Box<dyn Any + Send + Sync>>,
    result: RneaHessian,
    product: RneaHessianProduct,
}

impl fmt::Debug for HessianWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = (&self.result, &self.product);
        f.debug_struct("HessianWorkspace").field("result", &result).finish_non_exhaustive()
    }
}

impl HessianWorkspace {
    /// Memory for this model. The Hessian, `4 nv²` numbers, is made at the first use.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        let (vector, empty) = (DVector::zeros(nv), DMatrix::zeros(0, 0));
        Self {
            base: Workspace::new(model),
            single: None,
            registers: None,
            result: RneaHessian {
                value: 0.0,
                dq: vector.clone(),
                dv: vector.clone(),
                da: vector.clone(),
                dqq: empty.clone(),
                dvq: empty.clone(),
                daq: empty.clone(),
                dvv: empty,
            },
            product: RneaHessianProduct { dq: vector.clone(), dv: vector.clone(), da: vector },
        }
    }
}

/// `λᵀ τ`, `τ = rnea(q, v, a, φ)`, with gradient and Hessian by `(q, v, a)`.
///
/// `q`: nq, `v`, `a`, `lambda`: nv. Eight directions in `q` and in `v` an evaluation of the gradient (one, where the processor
/// has no vector registers), so O(n nv) in all.
/// Right for every kind of joint; wrenches of both kinds, armature, damping, friction and mimic joints are included. Which
/// second derivative by `q` it is: see [`RneaHessian::dqq`] and the tangent space in
/// `docs/tangent-space.md`. A second call with no more wrenches allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
pub fn rnea_hessian<'w>(
    model: &Model,
    ws: &'w mut HessianWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    lambda: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w RneaHessian, InputError> {
    let by = rnea_gradient(model, &mut ws.base, q, v, a, lambda, wrenches)?;
    let (result, nv) = (&mut ws.result, model.nv());
    if result.dqq.nrows() != nv {
        room::<f64>("the Hessian of torques", &[4, nv, nv])?;
        for matrix in [&mut result.dqq, &mut result.dvq, &mut result.daq, &mut result.dvv] {
            *matrix = DMatrix::zeros(nv, nv);
        }
    }
    result.value = by.value;
    for (to, from) in [(&mut result.dq, by.dq), (&mut result.dv, by.dv), (&mut result.da, by.da)] {
        to.as_mut_slice().copy_from_slice(from);
    }
    let columns = Columns { model, ws: &mut *ws, q, v, a, wrenches, lambda };
    match VectorLevel::active() {
        Some(level) => level.run(columns),
        None => columns.fill::<Dual64>(),
    }
    let result = &ws.result;
    for (what, m) in [("dqq", &result.dqq), ("dvq", &result.dvq), ("daq", &result.daq), ("dvv", &result.dvv)] {
        finite(model, what, m.as_slice())?;
    }
    Ok(result)
}

/// The Hessian of [`rnea_hessian`] times one direction of `(q, v, a)`, without the Hessian: O(n).
///
/// `q`: nq, all others nv. A second call with no more wrenches allocates nothing.
///
/// # Errors
/// As [`rnea_hessian`].
#[expect(clippy::too_many_arguments, reason = "a state, a direction and wrenches")]
#[doc(alias("Hessian-vector product", "HVP"))]
pub fn rnea_hessian_product<'w>(
    model: &Model,
    ws: &'w mut HessianWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    lambda: &[f64],
    along_q: &[f64],
    along_v: &[f64],
    along_a: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w RneaHessianProduct, InputError> {
    model.check_state(q, v, a)?;
    model.check_length("lambda", "nv", lambda.len(), model.nv)?;
    ws.base.check(model)?;
    for (what, x) in [("along_q", along_q), ("along_v", along_v), ("along_a", along_a)] {
        model.check_tangent(what, x)?;
    }
    let single = ws.single.get_or_insert_with(|| Box::new(Single::new(model)));
    let by = single.run(model, (q, v, a), wrenches, lambda, (along_q, along_v, along_a))?;
    let product = &mut ws.product;
    for (to, from) in [(&mut product.dq, by.0), (&mut product.dv, by.1), (&mut product.da, by.2)] {
        for (to, from) in to.iter_mut().zip(from) {
            *to = from.eps;
        }
    }
    for (what, x) in [("dq", &ws.product.dq), ("dv", &ws.product.dv), ("da", &ws.product.da)] {
        finite(model, what, x.as_slice())?;
    }
    Ok(&ws.product)
}

/// Second derivatives that overflow, by the row's joint.
fn finite(model: &Model, what: &'static str, x: &[f64]) -> Result<(), InputError> {
    match x.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let index = at % model.nv();
            Err(model.overflow(what, index))
        }
    }
}

/// Arguments with one derivative.
struct Single {
    ws: Workspace<Dual64>,
    rate: Vec<f64>,
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    a: Vec<Dual64>,
    lambda: Vec<Dual64>,
    wrenches: Vec<ExternalWrench<Dual64>>,
}

impl Single {
    fn new(model: &Model) -> Self {
        let zero = vec![Dual64::from(0.0); model.nv()];
        Self {
            ws: Workspace::new(model),
            rate: vec![0.0; model.nq()],
            q: vec![Dual64::from(0.0); model.nq()],
            v: zero.clone(),
            a: zero.clone(),
            lambda: zero,
            wrenches: Vec::new(),
        }
    }

    #[expect(clippy::type_complexity, reason = "three slices for three")]
    fn run(
        &mut self,
        model: &Model,
        (q, v, a): (&[f64], &[f64], &[f64]),
        wrenches: &[ExternalWrench],
        lambda: &[f64],
        (along_q, along_v, along_a): (&[f64], &[f64], &[f64]),
    ) -> Result<(&[Dual64], &[Dual64], &[Dual64]), InputError> {
        model.rates(q, along_q, &mut self.rate);
        let seed = |to: &mut [Dual64], x: &[f64], along: &[f64]| {
            for (to, (x, along)) in to.iter_mut().zip(x.iter().zip(along)) {
                *to = Dual64::new(*x, *along);
            }
        };
        seed(&mut self.q, q, &self.rate);
        seed(&mut self.v, v, along_v);
        seed(&mut self.a, a, along_a);
        for (to, from) in self.lambda.iter_mut().zip(lambda) {
            *to = Dual64::from(*from);
        }
        self.wrenches.clear();
        self.wrenches.extend(wrenches.iter().map(ExternalWrench::lift::<Dual64>));
        let Self { ws, q, v, a, lambda, wrenches, .. } = self;
        let by = rnea_gradient(model, ws, q, v, a, lambda, wrenches)?;
        Ok((by.dq, by.dv, by.da))
    }
}

/// Arguments with derivatives, in registers of one level or one by one.
struct Memory<T> {
    ws: Workspace<T>,
    seeds: Seeds,
    q: Vec<T>,
    v: Vec<T>,
    a: Vec<T>,
    lambda: Vec<T>,
    wrenches: Vec<ExternalWrench<T>>,
}

impl<T: Directions> Memory<T> {
    fn new(model: &Model) -> Self {
        let zero = vec![T::zero(); model.nv()];
        Self {
            ws: Workspace::new(model),
            seeds: Seeds::new(model),
            q: vec![T::zero(); model.nq()],
            v: zero.clone(),
            a: zero.clone(),
            lambda: zero,
            wrenches: Vec::new(),
        }
    }

    fn of<'m>(slot: &'m mut Option<Box<dyn Any + Send + Sync>>, model: &Model) -> Option<&'m mut Self> {
        if !slot.as_ref().is_some_and(|memory| memory.is::<Self>()) {
            *slot = Some(Box::new(Self::new(model)));
        }
        slot.as_mut().and_then(|memory| memory.downcast_mut())
    }

    #[inline(always)]
    fn gradient(&mut self, model: &Model) -> RneaGradient<'_, T> {
        let Self { ws, q, v, a, lambda, wrenches, .. } = self;
        gradient(model, ws, (q, v, a), lambda, wrenches)
    }
}

struct Columns<'a> {
    model: &'a Model,
    ws: &'a mut HessianWorkspace,
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    wrenches: &'a [ExternalWrench],
    lambda: &'a [f64],
}

impl Kernel for Columns<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        self.fill::<VectorDual<R>>();
    }
}

impl Columns<'_> {
    #[inline(always)]
    fn fill<T: Directions>(self) {
        let Self { model, ws, q, v, a, wrenches, lambda } = self;
        // The memory has this type: it was made with it or is replaced.
        let Some(memory) = Memory::<T>::of(&mut ws.registers, model) else { return };
        let result = &mut ws.result;
        for (to, from) in [(&mut memory.v, v), (&mut memory.a, a), (&mut memory.lambda, lambda)] {
            constant(to, from);
        }
        memory.wrenches.clear();
        memory.wrenches.extend(wrenches.iter().map(ExternalWrench::lift::<T>));
        for dofs in runs::<T>(model.nv()) {
            memory.seeds.configuration(model, q, dofs.clone(), &mut memory.q);
            let by = memory.gradient(model);
            store(by.dq, &dofs, &mut result.dqq);
            store(by.dv, &dofs, &mut result.dvq);
            store(by.da, &dofs, &mut result.daq);
        }
        constant(&mut memory.q, q);
        for dofs in runs::<T>(model.nv()) {
            for (k, dof) in dofs.clone().enumerate() {
                memory.v[dof] = T::variable(v[dof], k);
            }
            store(memory.gradient(model).dv, &dofs, &mut result.dvv);
            constant(&mut memory.v[dofs.clone()], &v[dofs]);
        }
    }
}

/// One column a direction.
#[inline(always)]
fn store<T: Directions>(from: &[T], dofs: &Range<usize>, to: &mut DMatrix<f64>) {
    for (row, x) in from.iter().enumerate() {
        for (column, x) in dofs.clone().zip(x.derivatives()) {
            to[(row, column)] = x;
        }
    }
}
