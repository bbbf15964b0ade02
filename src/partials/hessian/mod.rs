//! Second derivatives of `λᵀ τ`, a combination of torques, without tensors, in closed form.
//!
//! [`torque_hessian`](crate::formulas::torque_hessian) has the equations, [`page`] goes by them link by link, [`product`] sums them up
//! first.
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

mod page;
mod product;
mod torques;

use crate::dynamics::placed::Placed;
use crate::dynamics::rnea_gradient::rnea_gradient;
use crate::dynamics::{ExternalWrench, Workspace, by_plan, check_wrenches};
use crate::formulas::force_field::ForceField;
use crate::kernels::by_joint::hessian_entries::Matrices;
use crate::kernels::by_joint::torque_hessian::Results;
use crate::model::{InputError, Model, room};
use crate::slice_ops::{all_finite, first_not_finite};
use nalgebra::{DMatrix, DVector};
pub(super) use page::At;
use page::RneaHessianMemory;
pub(super) use product::Along;
use std::fmt;

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
    page: RneaHessianMemory,
    sums: product::Sums,
    first: torques::Sums,
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
            page: RneaHessianMemory::default(),
            sums: product::Sums::default(),
            first: torques::Sums::default(),
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
/// `q`: nq, `v`, `a`, `lambda`: nv. In closed form: the power of `τ` in velocities `λ` is a sum over bodies, `Σ w · f`, and what moves
/// with a joint moves as one, so that sums over its subtree, of inertias, forces and momenta, give all its second derivatives with a
/// joint that carries it. Cost O(n d) for depth d: ten products of six numbers a pair, where first derivatives take seven.
/// Right for every kind of joint; wrenches of both kinds, armature, damping, friction, springs and mimic joints are included. Which
/// second derivative by `q` it is: see [`RneaHessian::dqq`] and the tangent space in
/// `docs/tangent-space.md`. A second call with no more wrenches allocates nothing.
///
/// ```
/// use gradyn::partials::{HessianWorkspace, rnea_hessian};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.0; 7]);
/// let lambda = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// let mut workspace = HessianWorkspace::new(&model);
/// let hessian = rnea_hessian(&model, &mut workspace, &q, &v, &a, &lambda, &[])?;
/// // How the torque of the second joint bends with the third and the fourth angle:
/// println!("{}", hessian.dqq[(2, 3)]);
/// # assert!((hessian.dqq[(2, 3)] - hessian.dqq[(3, 2)]).abs() < 1e-12); // single axes commute
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Sources: S. Singh, R. Russell, P. Wensing, *On Second-Order Derivatives of Rigid-Body Dynamics: Theory & Implementation*, T-RO 2024
/// (arXiv 2302.06001), whose tensors these equations are a contraction of; J. Nganga, P. Wensing, *Accelerating Second-Order Differential
/// Dynamic Programming for Rigid-Body Systems*, RA-L 2021 (arXiv 2103.03293), who contract before they differentiate.
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
    hessian_in(ForceField::of(model), model, ws, At { q, v, a, lambda, wrenches })
}

/// [`rnea_hessian`] in some field.
pub(super) fn hessian_in<'w>(
    field: ForceField<'_>,
    model: &Model,
    ws: &'w mut HessianWorkspace,
    at: At<'_>,
) -> Result<&'w RneaHessian, InputError> {
    let At { q, v, a, lambda, wrenches } = at;
    check(model, &ws.base, at)?;
    let (result, nv) = (&mut ws.result, model.nv());
    if result.dqq.nrows() != nv {
        room::<f64>("the Hessian of torques", &[4, nv, nv])?;
        for matrix in [&mut result.dqq, &mut result.dvq, &mut result.daq, &mut result.dvv] {
            *matrix = DMatrix::zeros(nv, nv);
        }
    }
    let surely = by_plan::of(model, &mut ws.base)
        .and_then(|kernels| kernels.under(wrenches).torque_hessian(field.gravity, (q, v, a), lambda, result.results()));
    if surely.is_none() {
        let links = page::sweep(field.gravity, model, &mut ws.base, &mut ws.page, at, result);
        page::matrices(links, &ws.page, result);
    }
    let joints = page::add_joints(model, field.joints, at, result);
    let surely = surely == Some(true) && joints.is_finite();
    let finite = surely || result.is_finite() && is_finite(at);
    if !finite {
        return Err(ws.overflow(model, at));
    }
    Ok(&ws.result)
}

/// The Hessian of [`rnea_hessian`] times one direction of `(q, v, a)`, without the Hessian: O(n).
///
/// `q`: nq, all others nv. The same equations, with motions summed up along paths from the root, and forces over subtrees, before they are
/// multiplied. A second call with no more wrenches allocates nothing.
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
    let at = At { q, v, a, lambda, wrenches };
    check(model, &ws.base, at)?;
    for (what, x) in [("along_q", along_q), ("along_v", along_v), ("along_a", along_a)] {
        model.check_tangent(what, x)?;
    }
    let along = Along { q: along_q, v: along_v, a: along_a };
    ws.sweep(model, at).product(along);
    let product = &ws.product;
    let results = [("dq", &product.dq), ("dv", &product.dv), ("da", &product.da)];
    if !is_finite(at) || results.iter().any(|(_, x)| !all_finite(x.as_slice())) {
        let of_gradient = rnea_gradient(model, &mut ws.base, q, v, a, lambda, wrenches).err();
        let overflow = |(what, x): (&'static str, &DVector<f64>)| {
            first_not_finite(x.as_slice()).map(|index| model.overflow(what, index))
        };
        if let Some(error) = of_gradient.or_else(|| results.into_iter().find_map(overflow)) {
            return Err(error);
        }
    }
    Ok(&ws.product)
}

/// What one sweep at a state has left, for several products with directions.
pub(super) struct Swept<'w> {
    model: &'w Model,
    at: At<'w>,
    links: &'w Placed<f64>,
    page: &'w RneaHessianMemory,
    sums: &'w mut product::Sums,
    first: &'w mut torques::Sums,
    product: &'w mut RneaHessianProduct,
}

impl HessianWorkspace {
    /// Of arguments that have been checked.
    pub(super) fn sweep<'w>(&'w mut self, model: &'w Model, at: At<'w>) -> Swept<'w> {
        let Self { base, page, sums, first, result, product } = self;
        let links = page::sweep(model.gravity, model, base, page, at, result);
        Swept { model, at, links, page, sums, first, product }
    }
}

impl Swept<'_> {
    /// The Hessian of `λᵀ τ` times a direction.
    pub(super) fn product(&mut self, along: Along<'_>) -> &RneaHessianProduct {
        product::product(self.model, (self.links, self.page, self.sums), self.at, along, self.product);
        self.product
    }

    /// The last product, with what it is more by `q` and `v` if the weights λ move by `along` too.
    pub(super) fn product_with_weights(&mut self, along: &[f64]) -> &RneaHessianProduct {
        let RneaHessianProduct { dq, dv, .. } = &mut *self.product;
        let to = (dq.as_mut_slice(), dv.as_mut_slice());
        torques::add_gradient(self.model, (self.links, self.page, self.first), (self.at.q, self.at.v), along, to);
        self.product
    }

    /// `to −= τ_q δq + τ_v δv`
    pub(super) fn subtract_torques(&mut self, along_q: &[f64], along_v: &[f64], to: &mut [f64]) {
        let along = (along_q, along_v);
        torques::subtract_along(self.model, (self.links, self.page, self.first), (self.at.q, self.at.v), along, to);
    }
}

/// Checks that lengths, workspace and wrenches belong to the model.
fn check(model: &Model, base: &Workspace<f64>, at: At<'_>) -> Result<(), InputError> {
    model.check_state(at.q, at.v, at.a)?;
    model.check_length("lambda", "nv", at.lambda.len(), model.nv)?;
    base.check(model)?;
    check_wrenches(model, at.wrenches)
}

/// Whether all arguments but the wrenches are finite.
fn is_finite(at: At<'_>) -> bool {
    [at.q, at.v, at.a, at.lambda].into_iter().all(all_finite)
}

impl RneaHessian {
    /// Where kernels put them.
    fn results(&mut self) -> Results<'_> {
        let Self { value, dq, dv, da, dqq, dvq, daq, dvv } = self;
        let matrices = Matrices {
            dqq: dqq.as_mut_slice(),
            dvq: dvq.as_mut_slice(),
            daq: daq.as_mut_slice(),
            dvv: dvv.as_mut_slice(),
        };
        let [dq, dv, da] = [dq, dv, da].map(DVector::as_mut_slice);
        Results { value, dq, dv, da, matrices }
    }

    fn matrices(&self) -> [(&'static str, &DMatrix<f64>); 4] {
        [("dqq", &self.dqq), ("dvq", &self.dvq), ("daq", &self.daq), ("dvv", &self.dvv)]
    }

    fn is_finite(&self) -> bool {
        let vectors = [&self.dq, &self.dv, &self.da].into_iter().all(|x| all_finite(x.as_slice()));
        self.value.is_finite() && vectors && self.matrices().into_iter().all(|(_, m)| all_finite(m.as_slice()))
    }
}

impl HessianWorkspace {
    /// Which argument, or which result, is not finite, where one is not: as the gradient says, or by the joint of the row.
    #[cold]
    fn overflow(&mut self, model: &Model, at: At<'_>) -> InputError {
        let At { q, v, a, lambda, wrenches } = at;
        if let Err(error) = rnea_gradient(model, &mut self.base, q, v, a, lambda, wrenches) {
            return error;
        }
        let (what, at) = self
            .result
            .matrices()
            .into_iter()
            .find_map(|(what, m)| first_not_finite(m.as_slice()).map(|at| (what, at % m.nrows())))
            .unwrap_or(("dqq", 0));
        model.overflow(what, at)
    }
}
