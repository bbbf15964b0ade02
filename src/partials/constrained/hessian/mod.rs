//! Second derivatives of combinations of accelerations and multipliers under constraints, and of velocities and impulses, without tensors.
//!
//! With `y = (q̈, λ)` and `g(x, y) = (id(q, v, q̈) − Jᵀ λ − τ, J q̈ + γ) = 0`, linear in `y`, the weights `w` of `y` have adjoint ones
//! `μ`, and with `L = μᵀ g` and `Y = ∂y/∂x`
//!
//! ```text
//! (∂g/∂y)ᵀ μ = w        ∂²(wᵀ y) = −(L_xx + L_xy Y + Yᵀ L_yx)                                          (1)
//! μ_a = (∂(wᵀ y)/∂τ)ᵀ        μ_f = G⁺ w_f − ∂λ/∂τ w_a                                                    (2)
//! ```
//!
//! `L` is the power of inverse dynamics in the velocities `μ_a`, whose Hessian is [`rnea_hessian`](crate::partials::rnea_hessian), and of the constraints: rows of
//! accelerations weighted by `μ_f`, and rows of velocities `μ_a` by `−λ` ([`curvature`]). Gains are in `γ`. Impulses are the same with
//! `M (v⁺ − v⁻) − Jᵀ Λ` and `J (v⁺ + ε v⁻)`.
//!
//! Where rows depend on each other, `λ` is the one of least norm, and `q̈` leaves the least squares `s` of the rows:
//!
//! ```text
//! g = (id − Jᵀ λ − τ, J q̈ + γ − s, Jᵀ s, λ − J z)        with weights μ_a, μ_f, σ, ρ                     (3)
//! z = M⁻¹ Jᵀ G⁺ λ        σ = M⁻¹ Jᵀ G⁺ μ_f        ρ = (1 − G G⁺) w_f
//! ```
//!
//! which adds rows of velocities `σ` weighted by `s`, and of `z` by `−ρ`, for as long as the rank stays what it is.

mod adjoint;
mod columns;
mod curvature;
mod impulses;
mod inverse;
mod results;
mod row_hessian;
mod side_frames;

pub use impulses::{ImpulseDynamicsHessian, impulse_dynamics_hessian};
pub use inverse::{ConstraintInverseDynamicsHessian, constraint_inverse_dynamics_hessian};

use super::row_derivatives::Variation;
use super::{ConstraintDynamicsDerivatives, ImpulseDynamicsDerivatives};
use crate::dynamics::constraints::{Rows, rows_of};
use crate::dynamics::jacobian::clear;
use crate::dynamics::placed::update;
use crate::dynamics::rnea::check_finite_dofs;
use crate::dynamics::{Constraint, ExternalWrench, Workspace, constraint_bias, constraint_jacobian};
use crate::formulas::force_field::ForceField;
use crate::kernels::blocks::product::add_product;
use crate::kernels::blocks::transpose::transpose;
use crate::model::{InputError, Model, room};
use crate::partials::hessian::{At, hessian_in};
use crate::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, SecondOrderWorkspace, constraint_dynamics_derivatives,
};
use crate::slice_ops::{dot, first_not_finite};
use crate::spatial::Motion;
use adjoint::{Dependent, pseudo_inverse, pseudo_inverse_of_columns};
use curvature::CurvatureMemory;
use nalgebra::{DMatrix, DVector};
use results::{Curvature, Rate, RowsByPlace};
use side_frames::Field;

/// `w_aᵀ q̈ + w_fᵀ λ` under constraints, its gradient and its Hessian at one state. All matrices nv × nv.
///
/// The blocks by (τ, τ) and (τ, v) are zero: accelerations and multipliers are linear in `τ`, with coefficients that do not depend on `v`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintDynamicsHessian {
    /// `w_aᵀ q̈ + w_fᵀ λ`
    pub value: f64,
    /// By q, nv, along `q ⊕ ε e_k`.
    pub dq: DVector<f64>,
    /// By v, nv.
    pub dv: DVector<f64>,
    /// By τ, nv.
    pub dtau: DVector<f64>,
    /// By q and q, ordered: column j is the derivative of `dq` along `q ⊕ ε e_j`.
    pub dqq: DMatrix<f64>,
    /// By v and q: column j is the derivative of `dv` along `q ⊕ ε e_j`.
    pub dvq: DMatrix<f64>,
    /// By τ and q: column j is the derivative of `dtau` along `q ⊕ ε e_j`.
    pub dtauq: DMatrix<f64>,
    /// By v and v, symmetric.
    pub dvv: DMatrix<f64>,
    /// How many rows are independent.
    pub rank: usize,
    /// Whether the rank is the same at all configurations near by. If not, there are no derivatives by `q`: see
    /// [`ConstraintDynamicsDerivatives::rank_is_locally_constant`].
    pub rank_is_locally_constant: bool,
}

/// Memory for all.
pub(in crate::partials) struct ConstrainedHessianMemory {
    first: DerivativeWorkspace,
    impulses: ImpulseDynamicsDerivatives,
    torques: HessianWorkspace,
    base: Workspace<f64>,
    rows: Variation,
    zeros: Vec<f64>,
    /// Of `μ_a`, of `σ` or `v⁺ + ε v⁻`, and of `z`.
    fields: [Field; 4],
    sides: CurvatureMemory,
    /// Weights with their signs turned: of torques, of rows, and of multipliers.
    minus: [Vec<f64>; 3],
    mu_f: Vec<f64>,
    motion: Vec<f64>,
    products: Products,
    /// Second derivatives of `L`: by q and q, v and q, `q̈` and q, v and v.
    dqq: DMatrix<f64>,
    dvq: DMatrix<f64>,
    daq: DMatrix<f64>,
    dvv: DMatrix<f64>,
    /// By `z` and q.
    dzq: DMatrix<f64>,
    /// By `v⁺ + ε v⁻` and q.
    dxq: DMatrix<f64>,
    of_dynamics: Option<ConstraintDynamicsHessian>,
    of_impulses: Option<ImpulseDynamicsHessian>,
    of_inverse: Option<ConstraintInverseDynamicsHessian>,
}

/// What products with derivatives of `y` are computed in.
#[derive(Default)]
struct Products {
    /// `L_yq`, motions and then multipliers, (nv + rows) × nv.
    by_y: DMatrix<f64>,
    /// Derivatives of `y`, transposed, nv × (nv + rows).
    y: DMatrix<f64>,
    /// `Yᵀ L_yq`, and its transpose.
    product: DMatrix<f64>,
    turned: DMatrix<f64>,
}

impl ConstrainedHessianMemory {
    fn new(model: &Model) -> Self {
        let [dqq, dvq, daq, dvv, dzq, dxq] = [(); 6].map(|()| DMatrix::zeros(model.nv, model.nv));
        Self {
            first: DerivativeWorkspace::new(model),
            impulses: ImpulseDynamicsDerivatives::default(),
            torques: HessianWorkspace::new(model),
            base: Workspace::new(model),
            rows: Variation::default(),
            zeros: vec![0.0; model.nv],
            fields: Default::default(),
            sides: CurvatureMemory::default(),
            minus: Default::default(),
            mu_f: Vec::new(),
            motion: vec![0.0; model.nv],
            products: Products::default(),
            dqq,
            dvq,
            daq,
            dvv,
            dzq,
            dxq,
            of_dynamics: None,
            of_impulses: None,
            of_inverse: None,
        }
    }
}

/// A combination of accelerations and multipliers of [`constraint_dynamics`](crate::dynamics::constraint_dynamics()), with gradient and
/// Hessian by `(q, v, τ)`.
///
/// `q`: nq, `v`, `tau`: nv; `on_ddq`, nv: weights of accelerations; `on_lambda`, one entry a row: weights of multipliers, such as those
/// that a friction cone has on contact forces. By the adjoint of the equations of motion under constraints, without any tensor; gains,
/// damping, friction, armature, mimic joints, wrenches and every kind of joint are in it, and constraints of every kind. Where rows depend
/// on each other, multipliers are those of least norm, as in the derivatives
/// ([`constraint_dynamics_derivatives`]), for as long as the rank stays what it is.
///
/// Cost: that of the derivatives and of [`rnea_hessian`](crate::partials::rnea_hessian), three products of dense matrices, O(nv³), and
/// O(d²) a constraint on a path of d columns. A second call with no more rows and wrenches allocates nothing where rows are independent
/// and no constraint is new.
///
/// ```
/// use gradyn::dynamics::Constraint;
/// use gradyn::partials::{SecondOrderWorkspace, constraint_dynamics_hessian};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
/// # let (q, v, tau) = (model.neutral::<f64>(), vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// # let frame = &model.frames()[model.find_frame("FL_FOOT").expect("is there").index()];
/// # let (foot, sole) = (frame.body().expect("moves"), frame.placement().translation);
/// let contact = Constraint::contact(foot, sole, [0.2, 0.1, 0.0].into());
/// let (on_ddq, on_lambda) = (vec![0.0; model.nv()], [0.0, 0.0, 1.0]);
/// let mut workspace = SecondOrderWorkspace::new(&model);
/// let h = constraint_dynamics_hessian(
///     &model, &mut workspace, &q, &v, &tau, &on_ddq, &on_lambda, &[contact], &[],
/// )?;
/// // How the normal force bends with the posture:
/// println!("{}", h.dqq);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: equation (1) is the implicit function theorem twice; J. Nganga, P. Wensing, RA-L 2021, contract so for forward dynamics.
///
/// # Errors
/// As [`constraint_dynamics`](crate::dynamics::constraint_dynamics()), and if weights are too few or not finite.
#[expect(clippy::too_many_arguments, reason = "a state, weights, constraints and wrenches")]
pub fn constraint_dynamics_hessian<'w>(
    model: &Model,
    ws: &'w mut SecondOrderWorkspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    on_ddq: &[f64],
    on_lambda: &[f64],
    constraints: &[Constraint],
    wrenches: &[ExternalWrench],
) -> Result<&'w ConstraintDynamicsHessian, InputError> {
    let nv = model.nv;
    check_weights(model, WEIGHTS, (on_ddq, on_lambda), constraints)?;
    if ws.constrained.as_ref().is_none_or(|m| m.of_dynamics.is_none()) {
        room::<f64>("the Hessian under constraints", &[24, nv, nv])?;
    }
    let m = &mut **ws.constrained.get_or_insert_with(|| Box::new(ConstrainedHessianMemory::new(model)));
    let analytical = Method::Analytical;
    constraint_dynamics_derivatives(model, &mut m.first, analytical, q, v, tau, constraints, wrenches)?;
    let DerivativeWorkspace { base: solved, constrained, .. } = &mut m.first;
    let (by, rows) = (&constrained.get_or_insert_default().dynamics, rows_of(constraints));
    let result = m.of_dynamics.get_or_insert_with(|| ConstraintDynamicsHessian::zeros(nv));
    result.value = dot(on_ddq, by.ddq.as_slice()) + dot(on_lambda, by.lambda.as_slice());
    (result.rank, result.rank_is_locally_constant) = (by.rank, by.rank_is_locally_constant);
    for (to, motion, lambda) in [
        (&mut result.dq, &by.ddq_dq, &by.dlambda_dq),
        (&mut result.dv, &by.ddq_dv, &by.dlambda_dv),
        (&mut result.dtau, &by.ddq_dtau, &by.dlambda_dtau),
    ] {
        for (j, to) in to.iter_mut().enumerate() {
            *to = dot(column(motion, j), on_ddq) + dot(column(lambda, j), on_lambda);
        }
    }
    pseudo_inverse(model, solved, on_lambda, &mut m.mu_f, &mut m.motion); //              (2)
    for (j, w) in on_ddq.iter().enumerate() {
        m.mu_f.iter_mut().zip(column(&by.dlambda_dtau, j)).for_each(|(mu, by)| *mu -= by * w);
    }
    let (mu_a, lambda) = (result.dtau.as_slice(), by.lambda.as_slice());
    let rest = Dependent::new(model, solved, (by.rank, lambda), (&m.mu_f, on_lambda));
    for (to, from) in m.minus.iter_mut().zip([mu_a, &m.mu_f, lambda]) {
        to.clear();
        to.extend(from.iter().map(|x| -x));
    }

    // All of −L, so that the results begin with its own second derivatives.
    let [minus_mu_a, minus_mu_f, minus_lambda] = &m.minus;
    let ddq = by.ddq.as_slice();
    let at = At { q, v, a: ddq, lambda: minus_mu_a, wrenches };
    let h = hessian_in(ForceField::of(model), model, &mut m.torques, at)?;
    let ConstraintDynamicsHessian { dqq, dvq, dtauq, dvv, .. } = &mut *result;
    for (to, from) in [(&mut *dqq, &h.dqq), (&mut *dvq, &h.dvq), (&mut m.daq, &h.daq), (&mut *dvv, &h.dvv)] {
        to.copy_from(from);
    }
    dtauq.fill(0.0);
    let products = &mut m.products;
    clear(&mut products.by_y, nv + rows, nv);
    // s = J q̈ + γ
    let residual = match &rest {
        Some(_) => -residual(model, &mut m.base, (q, v), &by.ddq, constraints)?,
        None => DVector::zeros(0),
    };
    let links = &*update(model, &mut m.base, Motion::zero(), (q, v, ddq));
    let parents = || model.bodies.iter().map(|body| body.parent);
    let [own, sigma, z, _] = &mut m.fields;
    own.fill(parents(), links, minus_mu_a);
    let by_place = Some(RowsByPlace { to: &mut products.by_y, first: nv });
    let own = Rate { x: &*own, weights: minus_lambda, to: None, by_place };
    let mut to = Curvature { dqq, dvq, daq: &mut m.daq, dvv, slope: None };
    let accelerations = Some(&minus_mu_f[..]);
    if let Some(rest) = &rest {
        m.dzq.fill(0.0);
        sigma.fill(parents(), links, rest.sigma.as_slice());
        z.fill(parents(), links, rest.z.as_slice());
        let by_sigma = Rate { x: &*sigma, weights: residual.as_slice(), to: None, by_place: None };
        let by_z = Rate { x: &*z, weights: rest.rho.as_slice(), to: Some(&mut m.dzq), by_place: None };
        curvature::add(links, constraints, accelerations, &mut [own, by_sigma, by_z], &mut to, &mut m.sides);
    } else {
        curvature::add(links, constraints, accelerations, &mut [own], &mut to, &mut m.sides);
    }
    let columns = products.by_y.as_mut_slice().chunks_exact_mut((nv + rows).max(1));
    for (to, daq) in columns.zip(m.daq.as_slice().chunks_exact(nv.max(1))) {
        to[..nv].copy_from_slice(daq);
        to[nv..].iter_mut().for_each(|x| *x = -*x); //                                  ∂(J μ_a)/∂q
    }
    products.add(by, result);
    if let Some(rest) = &rest {
        let (base, rows, zeros) = (&mut m.base, &mut m.rows, &m.zeros[..]);
        let mut rates = |x: &[f64]| {
            rows.of_constraints(model, base, Rows::Rates, (q, x, zeros), &[], (constraints, lambda));
            rows.rows_q.clone()
        };
        let (s_q, turned) = (-rates(rest.sigma.as_slice()), rates(rest.z.as_slice()));
        let lambda = (constraints, lambda);
        rows.of_constraints(model, base, Rows::Accelerations, (q, v, ddq), &[], lambda);
        let j = constraint_jacobian(model, base, q, constraints)?;
        let s = [&rows.rows_q + j * &by.ddq_dq, &rows.rows_v + j * &by.ddq_dv, j * &by.ddq_dtau];
        result.add(&s_q, s.each_ref());
        let changes = [&by.dlambda_dq - turned, by.dlambda_dv.clone(), by.dlambda_dtau.clone()];
        let z = changes.map(|change| pseudo_inverse_of_columns(model, solved, &change));
        result.add(&m.dzq, z.each_ref());
    }
    let matrices = [("dqq", &result.dqq), ("dvq", &result.dvq), ("dtauq", &result.dtauq), ("dvv", &result.dvv)];
    matrices.into_iter().try_for_each(|(what, matrix)| super::finite(model, what, matrix))?;
    Ok(result)
}

impl Products {
    /// Adds what `−L` has by `y` and by q, times how `y` varies with q, v and τ: (1).
    fn add(&mut self, by: &ConstraintDynamicsDerivatives, to: &mut ConstraintDynamicsHessian) {
        let Self { by_y, y, product, turned } = self;
        let (nv, rows) = (to.dqq.nrows(), by_y.nrows() - to.dqq.nrows());
        clear(y, nv, nv + rows);
        clear(product, nv, nv);
        clear(turned, nv, nv);
        let mut of = |motion: &DMatrix<f64>, lambda: &DMatrix<f64>, to: &mut DMatrix<f64>| {
            let (motions, multipliers) = y.as_mut_slice().split_at_mut(nv * nv);
            transpose(motion.as_slice(), nv, motions);
            for (r, to) in multipliers.chunks_exact_mut(nv.max(1)).enumerate() {
                to.iter_mut().zip(lambda.as_slice().chunks_exact(rows)).for_each(|(to, from)| *to = from[r]);
            }
            add_product(1.0, y, by_y, to);
        };
        of(&by.ddq_dq, &by.dlambda_dq, product);
        of(&by.ddq_dv, &by.dlambda_dv, &mut to.dvq);
        of(&by.ddq_dtau, &by.dlambda_dtau, &mut to.dtauq);
        to.dqq += &*product;
        transpose(product.as_slice(), nv, turned.as_mut_slice());
        to.dqq += &*turned;
    }
}

impl ConstraintDynamicsHessian {
    fn zeros(nv: usize) -> Self {
        let (vector, matrix) = (|| DVector::zeros(nv), || DMatrix::zeros(nv, nv));
        Self {
            value: 0.0,
            dq: vector(),
            dv: vector(),
            dtau: vector(),
            dqq: matrix(),
            dvq: matrix(),
            dtauq: matrix(),
            dvv: matrix(),
            rank: 0,
            rank_is_locally_constant: true,
        }
    }

    /// Adds what `−L` has by a part of `y` and by q, times how that part varies with q, v and τ: (1).
    fn add(&mut self, by_y: &DMatrix<f64>, [q, v, tau]: [&DMatrix<f64>; 3]) {
        add_both(1.0, by_y, q, &mut self.dqq);
        add_product(1.0, &v.transpose(), by_y, &mut self.dvq);
        add_product(1.0, &tau.transpose(), by_y, &mut self.dtauq);
    }
}

/// `to += s (Yᵀ L_yq + (Yᵀ L_yq)ᵀ)`
fn add_both(s: f64, by_y: &DMatrix<f64>, y: &DMatrix<f64>, to: &mut DMatrix<f64>) {
    let mut product = DMatrix::zeros(to.nrows(), to.ncols());
    add_product(s, &y.transpose(), by_y, &mut product);
    *to += &product;
    *to += product.transpose();
}

/// A column, also of a matrix without rows.
fn column(m: &DMatrix<f64>, j: usize) -> &[f64] {
    &m.as_slice()[j * m.nrows()..][..m.nrows()]
}

/// What weights are called.
const WEIGHTS: [&str; 2] = ["weights of motion", "weights of rows"];

/// Checks that there is one finite weight per output.
fn check_weights(
    model: &Model,
    [of_dofs, of_rows]: [&'static str; 2],
    (on_dofs, on_rows): (&[f64], &[f64]),
    constraints: &[Constraint],
) -> Result<(), InputError> {
    model.check_length(of_dofs, "nv", on_dofs.len(), model.nv)?;
    model.check_length(of_rows, "rows", on_rows.len(), rows_of(constraints))?;
    check_finite_dofs(model, of_dofs, on_dofs)?;
    match first_not_finite(on_rows) {
        Some(index) => {
            let joint = format!("row {index}");
            Err(InputError::NotFinite { what: of_rows, index, joint, value: on_rows[index] })
        }
        None => Ok(()),
    }
}

/// `J q̈ + γ`
fn residual(
    model: &Model,
    base: &mut Workspace<f64>,
    (q, v): (&[f64], &[f64]),
    ddq: &DVector<f64>,
    constraints: &[Constraint],
) -> Result<DVector<f64>, InputError> {
    let bias = DVector::from_column_slice(constraint_bias(model, base, q, v, constraints)?);
    Ok(constraint_jacobian(model, base, q, constraints)? * ddq + bias)
}
