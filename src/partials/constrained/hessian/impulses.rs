//! The same of impulses: `g = (M (v⁺ − v⁻) − Jᵀ Λ, J (v⁺ + ε v⁻))`, without weight and springs, at rest.

use super::adjoint::{Dependent, pseudo_inverse, pseudo_inverse_of_columns};
use super::results::{Curvature, Rate};
use super::{ConstrainedHessianMemory, WEIGHTS, add_both, check_weights, curvature};
use crate::dynamics::constraints::Rows;
use crate::dynamics::placed::update;
use crate::dynamics::{Constraint, Workspace, minv};
use crate::formulas::force_field::ForceField;
use crate::kernels::blocks::product::add_product;
use crate::model::{InputError, Model, room};
use crate::partials::constrained::finite;
use crate::partials::constrained::row_derivatives::Variation;
use crate::partials::hessian::{At, hessian_in};
use crate::partials::{Method, SecondOrderWorkspace, impulse_dynamics_derivatives};
use crate::spatial::Motion;
use nalgebra::{DMatrix, DVector};

/// `w_vᵀ v⁺ + w_fᵀ Λ` after an impulse under constraints, its gradient and its Hessian by `q` and the velocity before. All matrices nv × nv.
///
/// The block by (v, v) is zero: velocities and impulses are linear in the velocity before.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpulseDynamicsHessian {
    /// `w_vᵀ v⁺ + w_fᵀ Λ`
    pub value: f64,
    /// By q, nv, along `q ⊕ ε e_k`.
    pub dq: DVector<f64>,
    /// By the velocity before, nv.
    pub dv: DVector<f64>,
    /// By q and q, ordered: column j is the derivative of `dq` along `q ⊕ ε e_j`.
    pub dqq: DMatrix<f64>,
    /// By the velocity before and q: column j is the derivative of `dv` along `q ⊕ ε e_j`.
    pub dvq: DMatrix<f64>,
    /// How many rows are independent.
    pub rank: usize,
    /// Whether the rank is the same at all configurations near by. If not, there are no derivatives by `q`: see
    /// [`ImpulseDynamicsDerivatives`](crate::partials::ImpulseDynamicsDerivatives::rank_is_locally_constant).
    pub rank_is_locally_constant: bool,
}

/// A combination of velocities and impulses of [`impulse_dynamics`](crate::dynamics::impulse_dynamics()), with gradient and Hessian by `q`
/// and the velocity before.
///
/// `q`: nq, `v` before: nv; `on_v`, nv: weights of velocities after it; `on_impulse`, one entry a row. As
/// [`constraint_dynamics_hessian`](super::constraint_dynamics_hessian), and the same cost.
///
/// # Errors
/// As [`impulse_dynamics`](crate::dynamics::impulse_dynamics()), and if weights are too few or not finite.
#[expect(clippy::too_many_arguments, reason = "a state, weights and constraints")]
pub fn impulse_dynamics_hessian<'w>(
    model: &Model,
    ws: &'w mut SecondOrderWorkspace,
    q: &[f64],
    v: &[f64],
    restitution: f64,
    on_v: &[f64],
    on_impulse: &[f64],
    constraints: &[Constraint],
) -> Result<&'w ImpulseDynamicsHessian, InputError> {
    let nv = model.nv;
    check_weights(model, WEIGHTS, (on_v, on_impulse), constraints)?;
    room::<f64>("the Hessian of an impact", &[20, nv, nv])?;
    let m = &mut **ws.constrained.get_or_insert_with(|| Box::new(ConstrainedHessianMemory::new(model)));
    let analytical = Method::Analytical;
    let by = impulse_dynamics_derivatives(model, &mut m.first, analytical, q, v, restitution, constraints)?;
    m.impulses.copy_from(by);
    let by = &m.impulses;
    let (w_v, w_f) = (DVector::from_column_slice(on_v), DVector::from_column_slice(on_impulse));
    let dq = by.dv_dq.tr_mul(&w_v) + by.dimpulse_dq.tr_mul(&w_f);
    let dv = by.dv_dv.tr_mul(&w_v) + by.dimpulse_dv.tr_mul(&w_f);
    // M μ_a + Jᵀ μ_f = w_v, J μ_a = −G G⁺ w_f
    let free = minv(model, &mut m.base, q)? * &w_v;
    let base = &mut m.first.base;
    let none = || DMatrix::zeros(0, nv);
    let j = base.constraints.as_deref().map_or_else(none, |memory| memory.rows.jacobian.clone());
    pseudo_inverse(model, base, (&j * &free + &w_f).as_slice(), &mut m.mu_f, &mut m.motion);
    let mu_f = &m.mu_f[..];
    let mu_a = free - DVector::from_column_slice(&m.motion);
    let weights = (mu_f, on_impulse);
    let rest = Dependent::new(model, &mut m.first.base, (by.rank, by.impulse.as_slice()), weights);

    let jump: Vec<f64> = by.v.iter().zip(v).map(|(after, before)| after - before).collect();
    let struck: Vec<f64> = by.v.iter().zip(v).map(|(after, before)| after + restitution * before).collect();
    let at = At { q, v: &m.zeros, a: &jump, lambda: mu_a.as_slice(), wrenches: &[] };
    let h = hessian_in(ForceField::none(), model, &mut m.torques, at)?;
    m.dqq.copy_from(&h.dqq);
    let of_mass = h.daq.clone();
    for matrix in [&mut m.dvq, &mut m.daq, &mut m.dvv, &mut m.dzq, &mut m.dxq] {
        matrix.fill(0.0);
    }
    let links = &*update(model, &mut m.base, Motion::zero(), (q, &m.zeros, &m.zeros));
    let parents = || model.bodies.iter().map(|body| body.parent);
    let [own, x, sigma, z] = &mut m.fields;
    own.fill(parents(), links, mu_a.as_slice());
    x.fill(parents(), links, &struck);
    let minus_impulse = -&by.impulse;
    let mut rates = vec![
        Rate { x: &*own, weights: minus_impulse.as_slice(), to: None, by_place: None },
        Rate { x: &*x, weights: mu_f, to: Some(&mut m.dxq), by_place: None },
    ];
    let residual = &j * DVector::from_column_slice(&struck); //                        s
    let minus_rho = rest.as_ref().map(|rest| -&rest.rho);
    if let (Some(rest), Some(minus_rho)) = (&rest, &minus_rho) {
        sigma.fill(parents(), links, rest.sigma.as_slice());
        z.fill(parents(), links, rest.z.as_slice());
        rates.push(Rate { x: &*sigma, weights: residual.as_slice(), to: None, by_place: None });
        rates.push(Rate { x: &*z, weights: minus_rho.as_slice(), to: Some(&mut m.dzq), by_place: None });
    }
    let mut to = Curvature { dqq: &mut m.dqq, dvq: &mut m.dvq, daq: &mut m.daq, dvv: &mut m.dvv, slope: None };
    curvature::add(links, constraints, None, &mut rates, &mut to, &mut m.sides);

    let mut result = ImpulseDynamicsHessian {
        value: w_v.dot(&by.v) + w_f.dot(&by.impulse),
        dqq: -&m.dqq,
        dvq: &of_mass - &m.dxq * restitution, //                                       −L_vq = h_aq − ε ∂(Jᵀ μ_f)/∂q
        rank: by.rank,
        rank_is_locally_constant: by.rank_is_locally_constant,
        dq,
        dv,
    };
    let rates = |base: &mut Workspace<f64>, rows: &mut Variation, x: &[f64], zeros: &[f64]| {
        rows.of_constraints(model, base, Rows::Rates, (q, x, zeros), &[], (constraints, by.impulse.as_slice()));
        rows.rows_q.clone()
    };
    let (base, rows, zeros) = (&mut m.base, &mut m.rows, &m.zeros[..]);
    let lambda_q = -rates(base, rows, mu_a.as_slice(), zeros);
    result.add(&(of_mass + &m.dxq), [&by.dv_dq, &by.dv_dv]);
    result.add(&lambda_q, [&by.dimpulse_dq, &by.dimpulse_dv]);
    if let Some(rest) = &rest {
        let s_q = rates(base, rows, rest.sigma.as_slice(), zeros);
        let turned = rates(base, rows, rest.z.as_slice(), zeros);
        let by_place = rates(base, rows, &struck, zeros);
        let s = [by_place + &j * &by.dv_dq, &j * &by.dv_dv + &j * restitution];
        result.add(&s_q, s.each_ref());
        let changes = [&by.dimpulse_dq - turned, by.dimpulse_dv.clone()];
        let z = changes.map(|change| pseudo_inverse_of_columns(model, &mut m.first.base, &change));
        result.add(&m.dzq, z.each_ref());
    }
    let matrices = [("dqq", &result.dqq), ("dvq", &result.dvq)];
    matrices.into_iter().try_for_each(|(what, matrix)| finite(model, what, matrix))?;
    Ok(m.of_impulses.insert(result))
}

impl ImpulseDynamicsHessian {
    /// As that of accelerations.
    fn add(&mut self, by_y: &DMatrix<f64>, [q, v]: [&DMatrix<f64>; 2]) {
        add_both(-1.0, by_y, q, &mut self.dqq);
        add_product(-1.0, &v.transpose(), by_y, &mut self.dvq);
    }
}
