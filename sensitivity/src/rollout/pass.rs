//! The parts of a backward step that differ between values and dual numbers: costs, constraints, impacts.
//!
//! Values use the closed forms of constrained dynamics. With `μ = (∂q̈/∂τ)ᵀ l̄`, `ν = ∂λ/∂τ l̄`, and `r` the residual
//! of inconsistent rows (the last term is for dependent rows only):
//!
//! ```text
//! l̄ᵀ ∂q̈/∂p = −μᵀ ∂id/∂p + λᵀ ∂J/∂p μ + νᵀ ∂(J q̈ + γ)/∂p + rᵀ ∂J/∂p (∂λ/∂τ)ᵀ ν
//! ```
//!
//! A pass of dual numbers, which gives products with the Hessian, propagates one column after the other through the
//! simulation itself: exact as well, with 3 nv + np evaluations per step under constraints.

use super::TrajectoryCost;
use super::backward::{Backward, Engine, Pass, Pulled};
use super::scheme::Robot;
use super::vectors::add;
use crate::dual_direction::{Along, along_one, constant};
use crate::error::SensitivityError;
use crate::local::{self, accelerations_by_geometry, rates_by_geometry};
use crate::parameters::Parameters;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::dynamics::{constraint_bias, constraint_jacobian, rnea_parameter_gradient};
use gradyn::partials::{constraint_dynamics_derivatives, impulse_dynamics_derivatives};
use gradyn::{Constraint, Method, Model};
use nalgebra::{DMatrix, DVector, Vector3};

impl Pass for f64 {
    fn value(x: f64) -> f64 {
        x
    }

    fn plain(_: &Parameters, _: &[f64], model: &Model) -> Result<Model, SensitivityError> {
        Ok(model.clone())
    }

    fn running(
        cost: &dyn TrajectoryCost,
        model: &Model,
        node: usize,
        state: (&[f64], &[f64]),
        u: &[f64],
        by_x: &mut [f64],
        by_u: &mut [f64],
    ) -> Result<f64, SensitivityError> {
        cost.running(model, node, state, u, by_x, by_u)
    }

    fn end(
        cost: &dyn TrajectoryCost,
        model: &Model,
        state: (&[f64], &[f64]),
        by_x: &mut [f64],
    ) -> Result<f64, SensitivityError> {
        cost.end(model, state, by_x)
    }

    fn pull_held(
        back: &mut Backward<'_, '_, f64>,
        (q, v): (&[f64], &[f64]),
        tau: &[f64],
        held: &[Constraint],
        l_bar: &[f64],
    ) -> Result<Pulled<f64>, SensitivityError> {
        let moves = back.run.parameters.moves_geometry();
        let numbers = if moves { local::constraint_rows(held)? } else { Vec::new() };
        let Engine { robot: Robot { model, ws, .. }, derivatives, dp, .. } = &mut back.engine;
        let by = constraint_dynamics_derivatives(model, derivatives, Method::Analytical, q, v, tau, held, &[])?;
        let l = DVector::from_column_slice(l_bar);
        let by_rows = |matrix: &DMatrix<f64>| matrix.tr_mul(&l).as_slice().to_vec();
        let pulled = Pulled { q: by_rows(&by.ddq_dq), v: by_rows(&by.ddq_dv), tau: by_rows(&by.ddq_dtau) };
        let of = rnea_parameter_gradient(model, ws, q, v, by.ddq.as_slice(), &pulled.tau, &[])?;
        subtract(of.dp, dp);
        if moves {
            let nu = &by.dlambda_dtau * &l;
            add_rows(dp, &rates_by_geometry(model, &numbers, (q, &pulled.tau)), &by.lambda);
            add_rows(dp, &accelerations_by_geometry(model, &numbers, (q, v, by.ddq.as_slice())), &nu);
            if by.rank < by.lambda.len() {
                let bias = DVector::from_column_slice(constraint_bias(model, ws, q, v, held)?);
                let left = -(constraint_jacobian(model, ws, q, held)? * &by.ddq + bias);
                let again = by.dlambda_dtau.tr_mul(&nu);
                add_rows(dp, &rates_by_geometry(model, &numbers, (q, again.as_slice())), &left);
            }
        }
        Ok(pulled)
    }

    fn impact(back: &mut Backward<'_, '_, f64>, step: usize, q: &[f64], v: &[f64]) -> Result<(), SensitivityError> {
        let run = back.run;
        let Some(impact) = run.impacts.get(&step) else { return Ok(()) };
        let (nv, e, held) = (v.len(), impact.restitution, &impact.constraints);
        let of_v = DVector::from_column_slice(&back.lambda[nv..]);
        let moves = run.parameters.moves_geometry();
        let numbers = if moves { local::constraint_rows(held)? } else { Vec::new() };
        let Engine { robot: Robot { model, ws, .. }, derivatives, floating, dp, .. } = &mut back.engine;
        let by = impulse_dynamics_derivatives(model, derivatives, Method::Analytical, q, v, e, held)?;
        let jump: Vec<f64> = by.v.iter().zip(v).map(|(after, before)| after - before).collect();
        let rebound: Vec<f64> = by.v.iter().zip(v).map(|(after, before)| after + e * before).collect();
        let (by_q, by_v, impulse) = (by.dv_dq.tr_mul(&of_v), by.dv_dv.tr_mul(&of_v), by.impulse.clone());
        // The directions that constraints leave free, M-orthogonal: the effect of a torque there.
        let rest = vec![0.0; nv];
        let free: Vec<Constraint> = held.iter().map(|c| c.with_gains(0.0, 0.0)).collect();
        let by = constraint_dynamics_derivatives(model, derivatives, Method::Analytical, q, &rest, &rest, &free, &[])?;
        let mu = by.ddq_dtau.tr_mul(&of_v);
        let floating = floating
            .get_or_insert_with(|| Robot::undriven(model.clone().with_gravity(Vector3::zeros()).without_springs()));
        let of = rnea_parameter_gradient(&floating.model, &mut floating.ws, q, &rest, &jump, mu.as_slice(), &[])?;
        let mut of_masses = of.dp.to_vec();
        let layout = model.parameter_layout();
        of_masses[layout.gravity.clone()].fill(0.0);
        of_masses[layout.stiffness.clone()].fill(0.0);
        subtract(&of_masses, dp);
        if moves {
            let nu = &by.dlambda_dtau * &of_v;
            add_rows(dp, &rates_by_geometry(model, &numbers, (q, mu.as_slice())), &impulse);
            add_rows(dp, &rates_by_geometry(model, &numbers, (q, &rebound)), &nu);
            if by.rank < impulse.len() {
                let left = -(constraint_jacobian(model, ws, q, held)? * DVector::from_column_slice(&rebound));
                let again = by.dlambda_dtau.tr_mul(&nu);
                add_rows(dp, &rates_by_geometry(model, &numbers, (q, again.as_slice())), &left);
            }
        }
        add(&mut back.lambda[..nv], by_q.as_slice());
        back.lambda[nv..].copy_from_slice(by_v.as_slice());
        Ok(())
    }
}

/// Subtracts a gradient of torques.
fn subtract(gradient: &[f64], from: &mut [f64]) {
    from.iter_mut().zip(gradient).for_each(|(to, x)| *to -= x);
}

/// Adds `Aᵀ w`.
fn add_rows(to: &mut [f64], rows: &DMatrix<f64>, weights: &DVector<f64>) {
    add(to, rows.tr_mul(weights).as_slice());
}

/// `l̄ᵀ` of the derivatives.
fn rate_of<P: Along>(found: &[P::Dual], l_bar: &[P]) -> P {
    found.iter().zip(l_bar).fold(P::from(0.0), |sum, (x, l)| sum + P::rate(*x) * *l)
}

impl Pass for Dual64 {
    fn value(x: Dual64) -> f64 {
        x.re
    }

    fn plain(parameters: &Parameters, values: &[Dual64], _: &Model<Dual64>) -> Result<Model, SensitivityError> {
        parameters.robot_at(&parts(values).0)
    }

    fn running(
        cost: &dyn TrajectoryCost,
        model: &Model,
        node: usize,
        state: (&[Dual64], &[Dual64]),
        u: &[Dual64],
        by_x: &mut [Dual64],
        by_u: &mut [Dual64],
    ) -> Result<Dual64, SensitivityError> {
        let (u, du) = parts(u);
        of_cost(model, state, &du, by_x, by_u, |state, along, first, by| match along {
            None => cost.running(model, node, state, &u, first, by),
            Some(dx) => cost.running_curvature(model, node, state, &u, (dx, &du), first, by).map(|()| 0.0),
        })
    }

    fn end(
        cost: &dyn TrajectoryCost,
        model: &Model,
        state: (&[Dual64], &[Dual64]),
        by_x: &mut [Dual64],
    ) -> Result<Dual64, SensitivityError> {
        of_cost(model, state, &[], by_x, &mut [], |state, along, first, _| match along {
            None => cost.end(model, state, first),
            Some(dx) => cost.end_curvature(model, state, dx, first).map(|()| 0.0),
        })
    }

    fn pull_held(
        back: &mut Backward<'_, '_, Dual64>,
        (q, v): (&[Dual64], &[Dual64]),
        tau: &[Dual64],
        held: &[Constraint],
        l_bar: &[Dual64],
    ) -> Result<Pulled<Dual64>, SensitivityError> {
        let parameters = back.run.parameters;
        let mut robot = Robot::at(parameters, &constant(back.values))?;
        let (q_s, v_s, tau_s) = (constant(q), constant(v), constant(tau));
        let mut of = |q: &[_], v: &[_], tau: &[_]| -> Result<Dual64, SensitivityError> {
            Ok(rate_of(&robot.acceleration(q, v, tau, held)?, l_bar))
        };
        let columns = || 0..v.len();
        let by_q = columns().map(|k| of(&turned(&back.nominal, q, k)?, &v_s, &tau_s)).collect::<Result<_, _>>()?;
        let by_v = columns().map(|k| of(&q_s, &along_one(v, k), &tau_s)).collect::<Result<_, _>>()?;
        let by_tau = columns().map(|k| of(&q_s, &v_s, &along_one(tau, k))).collect::<Result<_, _>>()?;
        by_each(back, l_bar, |robot| robot.acceleration(&q_s, &v_s, &tau_s, held))?;
        Ok(Pulled { q: by_q, v: by_v, tau: by_tau })
    }

    fn impact(
        back: &mut Backward<'_, '_, Dual64>,
        step: usize,
        q: &[Dual64],
        v: &[Dual64],
    ) -> Result<(), SensitivityError> {
        let run = back.run;
        if !run.impacts.contains_key(&step) {
            return Ok(());
        }
        let nv = v.len();
        let of_v = back.lambda[nv..].to_vec();
        let mut robot = Robot::at(run.parameters, &constant(back.values))?;
        for k in 0..nv {
            let moved = turned(&back.nominal, q, k)?;
            back.lambda[k] += rate_of(&run.hit(&mut robot, step, &moved, constant(v))?, &of_v);
            back.lambda[nv + k] = rate_of(&run.hit(&mut robot, step, &constant(q), along_one(v, k))?, &of_v);
        }
        by_each(back, &of_v, |robot| run.hit(robot, step, &constant(q), constant(v)))
    }
}

/// For each parameter of the robot, `l̄ᵀ` times the derivative of a function of it.
fn by_each<P: Pass>(
    back: &mut Backward<'_, '_, P>,
    l_bar: &[P],
    mut of: impl FnMut(&mut Robot<P::Dual>) -> Result<Vec<P::Dual>, SensitivityError>,
) -> Result<(), SensitivityError> {
    for k in 0..back.values.len() {
        let mut robot = Robot::at(back.run.parameters, &along_one(back.values, k))?;
        back.by_values[k] += rate_of(&of(&mut robot)?, l_bar);
    }
    Ok(())
}

/// `q ⊕ ε e_k`
fn turned<P: Pass>(model: &Model, q: &[P], k: usize) -> Result<Vec<P::Dual>, SensitivityError> {
    let step = along_one(&vec![P::from(0.0); model.nv()], k);
    let mut moved = constant(q);
    model.integrate_into(&constant(q), &step, &mut moved)?;
    Ok(moved)
}

fn parts(x: &[Dual64]) -> (Vec<f64>, Vec<f64>) {
    (x.iter().map(|x| x.re).collect(), x.iter().map(|x| x.eps).collect())
}

/// Called without a direction, adds gradients and returns the cost; with one, adds their rates along it.
type Terms<'a> =
    &'a mut dyn FnMut((&[f64], &[f64]), Option<&[f64]>, &mut [f64], &mut [f64]) -> Result<f64, SensitivityError>;

/// A cost over dual numbers, from its gradients and their rates along the tangent that the state carries.
fn of_cost(
    model: &Model,
    (q, v): (&[Dual64], &[Dual64]),
    du: &[f64],
    by_x: &mut [Dual64],
    by_u: &mut [Dual64],
    mut terms: impl FnMut((&[f64], &[f64]), Option<&[f64]>, &mut [f64], &mut [f64]) -> Result<f64, SensitivityError>,
) -> Result<Dual64, SensitivityError> {
    let terms: Terms<'_> = &mut terms;
    let nv = v.len();
    let (q_0, _) = parts(q);
    let (v_0, dv) = parts(v);
    let here: Vec<Dual64> = q_0.iter().map(|x| Dual64::from(*x)).collect();
    let mut tangent = vec![Dual64::from(0.0); nv];
    model.difference_into(&here, q, &mut tangent)?;
    let dx: Vec<f64> = tangent.iter().map(|x| x.eps).chain(dv).collect();
    let (mut x, mut u) = (vec![0.0; 2 * nv], vec![0.0; by_u.len()]);
    let value = terms((&q_0, &v_0), None, &mut x, &mut u)?;
    let (mut x_rate, mut u_rate) = (vec![0.0; 2 * nv], vec![0.0; by_u.len()]);
    terms((&q_0, &v_0), Some(&dx), &mut x_rate, &mut u_rate)?;
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let rate = dot(&x, &dx) + dot(&u, du);
    let put = |to: &mut [Dual64], x: &[f64], rate: &[f64]| {
        to.iter_mut().zip(x.iter().zip(rate)).for_each(|(to, (x, rate))| *to += Dual64::new(*x, *rate));
    };
    put(by_x, &x, &x_rate);
    put(by_u, &u, &u_rate);
    Ok(Dual64::new(value, rate))
}
