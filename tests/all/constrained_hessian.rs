//! Hessians of combinations of accelerations and multipliers under constraints, and of impulses: against dual numbers
//! through the algorithm, and against differences of the gradient.

use gradyn::dynamics::{
    Constraint, ExternalWrench, Workspace, constraint_bias, constraint_dynamics, constraint_jacobian, impulse_dynamics,
    rnea,
};
use gradyn::joint::{Axis, Cylindrical, Helical, Planar, Prismatic, Revolute, Translation, Universal};
use gradyn::model::{BodyId, InputError, Model};
use gradyn::once;
use gradyn::partials::{
    ConstraintDynamicsHessian, DerivativeWorkspace, ImpulseDynamicsHessian, Method, SecondOrderWorkspace, State,
    StateFunction, StateWorkspace, constraint_dynamics_derivatives, constraint_dynamics_hessian,
    constraint_inverse_dynamics_hessian, impulse_dynamics_derivatives, impulse_dynamics_hessian, state_hessian,
};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use testing::{condition, deviation, regular, rng, state, transform, unit, vector, wrenches};

const RESTITUTION: f64 = 0.3;

/// A point held to the world, a frame to the world, and a loop of each sort.
fn constraints(model: &Model, seed: u64) -> Vec<Constraint> {
    let rng = &mut rng(seed.wrapping_add(9000));
    let n = model.bodies().len();
    let draw = |rng: &mut ChaCha8Rng| model.body_id(rng.random_range(0..n)).expect("is there");
    let other = |rng: &mut ChaCha8Rng, b: BodyId| Some(draw(rng)).filter(|a| *a != b);
    let b = draw(rng);
    let point = Constraint::point(None, vector(rng), b, vector(rng)).with_gains(5.0, 0.5);
    let frame = Constraint::frame(draw(rng), transform(rng), None, transform(rng)).with_gains(3.0, 0.7);
    let b = draw(rng);
    let (a, x_a, x_b) = (other(rng, b), transform(rng), transform(rng));
    let third = match seed % 8 {
        0 => Ok(Constraint::frame(a, x_a, b, x_b)),
        1 => Constraint::joint(a, x_a, b, x_b, Revolute { axis: testing::axis(rng) }),
        2 => Constraint::joint(a, x_a, b, x_b, Prismatic { axis: testing::axis(rng) }),
        3 => Constraint::joint(a, x_a, b, x_b, Universal { first: testing::axis(rng), second: Axis::X }),
        4 => Constraint::joint(a, x_a, b, x_b, Cylindrical { axis: Axis::Y }),
        5 => Constraint::joint(a, x_a, b, x_b, Planar::new(testing::axis(rng))),
        6 => Constraint::joint(a, x_a, b, x_b, Helical { axis: testing::axis(rng), pitch: 0.2 }),
        _ => Constraint::joint(a, x_a, b, x_b, Translation),
    };
    vec![point, frame, third.expect("can close a loop").with_gains(7.0, 3.0)]
}

/// The condition of `J M⁻¹ Jᵀ` on its range, or that of M, if it is worse.
fn conditions(model: &Model, q: &[f64], list: &[Constraint]) -> f64 {
    let mut ws = Workspace::new(model);
    let m = once::crba(model, q).expect("runs");
    let of_m = condition(&m);
    let j = constraint_jacobian(model, &mut ws, q, list).expect("runs").clone();
    let g = &j * m.cholesky().expect("is positive").solve(&j.transpose());
    let all = g.svd(false, false).singular_values;
    let least = all.iter().copied().filter(|x| *x > 1e-12 * all.max()).fold(f64::INFINITY, f64::min);
    of_m.max(if all.max() > 0.0 { all.max() / least } else { 1.0 })
}

/// One combination, of both kinds.
struct Combination<'a> {
    list: &'a [Constraint],
    on_motion: &'a [f64],
    on_rows: &'a [f64],
    wrenches: &'a [ExternalWrench],
    strikes: bool,
}

impl StateFunction for Combination<'_> {
    fn outputs(&self, _: &Model) -> usize {
        1
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let mut sum = T::zero();
        let mut add = |x: &[T], weights: &[f64]| x.iter().zip(weights).for_each(|(x, w)| sum += *x * *w);
        if self.strikes {
            let by = impulse_dynamics(model, ws, state.q, state.v, RESTITUTION, self.list)?;
            add(by.v, self.on_motion);
            add(by.impulse, self.on_rows);
        } else {
            let wrenches: Vec<ExternalWrench<T>> = self.wrenches.iter().map(ExternalWrench::lift).collect();
            let by = constraint_dynamics(model, ws, state.q, state.v, state.u, self.list, &wrenches)?;
            add(by.ddq, self.on_motion);
            add(by.lambda, self.on_rows);
        }
        out[0] = sum;
        Ok(())
    }
}

/// One combination of torques under multipliers and of accelerations of constraints; `u` is `(a, λ)`.
struct Inverse<'a> {
    list: &'a [Constraint],
    on_tau: &'a [f64],
    on_rows: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

impl StateFunction for Inverse<'_> {
    fn outputs(&self, _: &Model) -> usize {
        1
    }
    fn controls(&self, model: &Model) -> usize {
        model.nv() + self.on_rows.len()
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let (a, lambda) = state.u.split_at(model.nv());
        let wrenches: Vec<ExternalWrench<T>> = self.wrenches.iter().map(ExternalWrench::lift).collect();
        let mut sum = T::zero();
        let tau = rnea(model, ws, state.q, state.v, a, &wrenches)?;
        tau.iter().zip(self.on_tau).for_each(|(tau, w)| sum += *tau * *w);
        let j = constraint_jacobian(model, ws, state.q, self.list)?.clone();
        let bias = constraint_bias(model, ws, state.q, state.v, self.list)?;
        for r in 0..lambda.len() {
            let mut row = bias[r];
            for k in 0..a.len() {
                row += j[(r, k)] * a[k];
                sum -= j[(r, k)] * lambda[r] * self.on_tau[k];
            }
            sum += row * self.on_rows[r];
        }
        out[0] = sum;
        Ok(())
    }
}

struct Case {
    what: String,
    model: Model,
    seed: u64,
    list: Vec<Constraint>,
    condition: f64,
    on_motion: Vec<f64>,
    on_rows: Vec<f64>,
}

impl Case {
    fn dynamics(&self) -> ConstraintDynamicsHessian {
        let (q, v, tau) = state(&self.model, self.seed);
        let mut ws = SecondOrderWorkspace::new(&self.model);
        let (on_motion, on_rows, list) = (&self.on_motion, &self.on_rows, &self.list);
        let wrenches = wrenches(&self.model, self.seed);
        constraint_dynamics_hessian(&self.model, &mut ws, &q, &v, &tau, on_motion, on_rows, list, &wrenches)
            .expect("runs")
            .clone()
    }

    fn impulses(&self) -> ImpulseDynamicsHessian {
        let (q, v, _) = state(&self.model, self.seed);
        let mut ws = SecondOrderWorkspace::new(&self.model);
        let (on_motion, on_rows, list) = (&self.on_motion, &self.on_rows, &self.list);
        impulse_dynamics_hessian(&self.model, &mut ws, &q, &v, RESTITUTION, on_motion, on_rows, list)
            .expect("runs")
            .clone()
    }
}

fn cases(most: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, (what, model)) in regular().into_iter().enumerate() {
        if model.nv() > most {
            continue;
        }
        for seed in [n as u64, n as u64 + 101] {
            let all = constraints(&model, seed);
            let (q, ..) = state(&model, seed);
            for list in [&all[..1], &all[1..2], &all[2..], &all[..2], &all[..]] {
                let condition = conditions(&model, &q, list);
                let rows: usize = list.iter().map(Constraint::rows).sum();
                let weights = |n: usize, by: f64| (0..n).map(|k| (k as f64 * by + seed as f64).sin()).collect();
                let (on_motion, on_rows) = (weights(model.nv(), 1.3), weights(rows, 0.7));
                if condition < 1e4 {
                    let what = format!("{what}, state {seed}, {} constraints, {condition:.0e}", list.len());
                    let (model, list) = (model.clone(), list.to_vec());
                    cases.push(Case { what, model, seed, list, condition, on_motion, on_rows });
                }
            }
        }
    }
    cases
}

fn symmetric(m: &DMatrix<f64>) -> DMatrix<f64> {
    (m + m.transpose()) * 0.5
}

/// Every kind of joint and of row, mimic joints, friction, wrenches, gains; dependent rows and rows that contradict
/// each other.
#[test]
fn hessians_are_those_of_dual_numbers() {
    let (mut full, mut deficient, mut worst) = (0, 0, 0.0f64);
    for case in cases(14) {
        let Case { what, model, seed, list, condition, on_motion, on_rows } = &case;
        let ((q, v, tau), wrenches) = (state(model, *seed), wrenches(model, *seed));
        let mut ws = StateWorkspace::new();
        let (found, struck) = (case.dynamics(), case.impulses());
        *(if found.rank == on_rows.len() { &mut full } else { &mut deficient }) += 1;
        let mut f = Combination { list, on_motion, on_rows, wrenches: &wrenches, strikes: false };
        let at = State { q: &q, v: &v, u: &tau, wrenches: &[] };
        let by = state_hessian(model, &mut ws, &f, at, &[1.0]).expect("runs").clone();
        let d = &by.directions;
        let size = by.hessian.amax().max(1.0);
        // As the derivatives by q: the condition of the constraints squared, and once more.
        let allowed = (1e-15 * condition.max(3e2).powi(2)).min(1e-8);
        let mut near = |name: &str, x: &DMatrix<f64>, y: &DMatrix<f64>, size: f64| {
            let off = (x - y).amax() / size;
            worst = worst.max(off / allowed);
            assert!(off < allowed, "{what}, rank {} of {}: {name} {off:e}, {allowed:e}", found.rank, on_rows.len());
        };
        let block = |rows, columns| by.block(rows, columns).into_owned();
        near("dvq", &found.dvq, &block(&d.v, &d.q), size);
        near("dvv", &found.dvv, &block(&d.v, &d.v), size);
        near("dtauq", &found.dtauq, &block(&d.u, &d.q), size);
        near("dqq", &symmetric(&found.dqq), &block(&d.q, &d.q), size);
        near("dtauv", &DMatrix::zeros(model.nv(), model.nv()), &block(&d.u, &d.v), size);
        let gradient =
            DVector::from_iterator(by.gradient.len(), found.dq.iter().chain(&found.dv).chain(&found.dtau).copied());
        let column = |x: &DVector<f64>| DMatrix::from_column_slice(x.len(), 1, x.as_slice());
        near("gradient", &column(&gradient), &column(&by.gradient), by.gradient.amax().max(1.0));

        f.strikes = true;
        let at = State { q: &q, v: &v, u: &[], wrenches: &[] };
        let by = state_hessian(model, &mut StateWorkspace::new(), &f, at, &[1.0]).expect("runs").clone();
        let (d, size) = (&by.directions, by.hessian.amax().max(1.0));
        let block = |rows, columns| by.block(rows, columns).into_owned();
        near("struck, dvq", &struck.dvq, &block(&d.v, &d.q), size);
        near("struck, dqq", &symmetric(&struck.dqq), &block(&d.q, &d.q), size);
        near("struck, dvv", &DMatrix::zeros(model.nv(), model.nv()), &block(&d.v, &d.v), size);
    }
    println!("{full} of full rank, {deficient} not, worst {worst:e} of what is allowed");
    assert!(full > 30 && deficient > 10, "both cases occur: {full}, {deficient}");
}

/// The ordered second derivative: what differences of the gradient along `q ⊕ t e_j` converge to.
#[test]
fn hessians_are_what_differences_of_the_gradient_converge_to() {
    let (mut all, mut worst) = (0, 0.0f64);
    for case in cases(40).iter().filter(|case| case.condition < 1e3).step_by(3) {
        let Case { what, model, seed, list, on_motion, on_rows, .. } = case;
        let ((q, v, tau), wrenches) = (state(model, *seed), wrenches(model, *seed));
        let (w_a, w_f) = (DVector::from_column_slice(on_motion), DVector::from_column_slice(on_rows));
        let mut ws = DerivativeWorkspace::new(model);
        let mut gradient = |q: &[f64]| {
            let by = constraint_dynamics_derivatives(model, &mut ws, Method::Analytical, q, &v, &tau, list, &wrenches);
            let by = by.expect("runs");
            let dynamics = [
                by.ddq_dq.tr_mul(&w_a) + by.dlambda_dq.tr_mul(&w_f),
                by.ddq_dv.tr_mul(&w_a) + by.dlambda_dv.tr_mul(&w_f),
                by.ddq_dtau.tr_mul(&w_a) + by.dlambda_dtau.tr_mul(&w_f),
            ];
            let by = impulse_dynamics_derivatives(model, &mut ws, Method::Analytical, q, &v, RESTITUTION, list);
            let by = by.expect("runs");
            let [a, b, c] = dynamics;
            let struck = by.dv_dq.tr_mul(&w_a) + by.dimpulse_dq.tr_mul(&w_f);
            [a, b, c, struck, by.dv_dv.tr_mul(&w_a) + by.dimpulse_dv.tr_mul(&w_f)]
        };
        let (found, struck) = (case.dynamics(), case.impulses());
        let expected = [&found.dqq, &found.dvq, &found.dtauq, &struck.dqq, &struck.dvq];
        let nv = model.nv();
        let mut by = [(); 5].map(|()| DMatrix::zeros(nv, nv));
        let h = 1e-4;
        for j in 0..nv {
            let mut at = |t: f64| {
                let step: Vec<f64> = unit(nv, j).iter().map(|e| e * t).collect();
                gradient(&model.integrate(&q, &step).expect("fits"))
            };
            let [far, close] = [2.0 * h, h].map(|t| [at(t), at(-t)]);
            for (n, m) in by.iter_mut().enumerate() {
                let column = ((&close[0][n] - &close[1][n]) * 8.0 - (&far[0][n] - &far[1][n])) / (12.0 * h);
                m.set_column(j, &column);
            }
        }
        for (n, (x, y)) in by.iter().zip(expected).enumerate() {
            let d = deviation(x, y);
            (all, worst) = (all + 1, worst.max(d));
            // h⁴ and ε/h, each times what the condition of the constraints makes of it.
            assert!(d < 1e-6, "{what}: block {n} deviates by {d:e}");
        }
    }
    println!("{all} blocks, worst {worst:e}");
    assert!(all > 50, "{all}");
}

/// Of the equations themselves, with every kind of joint and of row; rows may depend on each other.
#[test]
fn inverse_dynamics_bends_as_dual_numbers_say() {
    let (mut all, mut worst) = (0, 0.0f64);
    for Case { what, model, seed, list, on_motion, on_rows, .. } in &cases(14) {
        let ((q, v, a), wrenches) = (state(model, *seed), wrenches(model, *seed));
        let lambda: Vec<f64> = (0..on_rows.len()).map(|k| (k as f64 * 2.1 + *seed as f64).cos()).collect();
        let mut ws = SecondOrderWorkspace::new(model);
        let run = constraint_inverse_dynamics_hessian;
        let found = run(model, &mut ws, &q, &v, &a, &lambda, on_motion, on_rows, list, &wrenches).expect("runs");
        let f = Inverse { list, on_tau: on_motion, on_rows, wrenches: &wrenches };
        let u = [&a[..], &lambda].concat();
        let at = State { q: &q, v: &v, u: &u, wrenches: &[] };
        let by = state_hessian(model, &mut StateWorkspace::new(), &f, at, &[1.0]).expect("runs").clone();
        let (nv, d, size) = (model.nv(), &by.directions, by.hessian.amax().max(1.0));
        let (by_a, by_lambda) = (d.u.start..d.u.start + nv, d.u.start + nv..d.u.end);
        let mut near = |name: &str, x: &DMatrix<f64>, y: &DMatrix<f64>, size: f64| {
            let off = if x.is_empty() { 0.0 } else { (x - y).amax() / size };
            worst = worst.max(off);
            // Nothing is solved: some thousand roundings.
            assert!(off < 1e-12, "{what}: {name} {off:e}");
        };
        let block = |rows, columns| by.block(rows, columns).into_owned();
        near("dqq", &symmetric(&found.dqq), &block(&d.q, &d.q), size);
        near("dvq", &found.dvq, &block(&d.v, &d.q), size);
        near("dvv", &found.dvv, &block(&d.v, &d.v), size);
        near("daq", &found.daq, &block(&by_a, &d.q), size);
        near("dlambdaq", &found.dlambdaq, &block(&by_lambda, &d.q), size);
        near("by u and v", &DMatrix::zeros(u.len(), nv), &block(&d.u, &d.v), size);
        near("by u and u", &DMatrix::zeros(u.len(), u.len()), &block(&d.u, &d.u), size);
        let gradient = found.dq.iter().chain(&found.dv).chain(&found.da).chain(&found.dlambda).copied();
        let gradient = DMatrix::from_iterator(by.gradient.len(), 1, gradient);
        let expected = DMatrix::from_column_slice(by.gradient.len(), 1, by.gradient.as_slice());
        near("gradient", &gradient, &expected, expected.amax().max(1.0));
        let [value, expected] = [found.value, by.value[0]].map(|x| DMatrix::from_element(1, 1, x));
        near("value", &value, &expected, expected.amax().max(1.0));
        all += 1;
    }
    println!("{all} cases, worst {worst:e}");
    assert!(all > 50, "{all}");
}

/// Without constraints they are those of forward dynamics.
#[test]
fn without_constraints_they_are_those_of_forward_dynamics() {
    for (what, model) in regular() {
        let ((q, v, tau), wrenches) = (state(&model, 1), wrenches(&model, 1));
        let weights = state(&model, 2).1;
        let mut ws = SecondOrderWorkspace::new(&model);
        let found = constraint_dynamics_hessian(&model, &mut ws, &q, &v, &tau, &weights, &[], &[], &wrenches)
            .expect("runs")
            .clone();
        let run = gradyn::partials::aba_hessian;
        let by = run(&model, &mut ws, Method::Analytical, &q, &v, &tau, &weights, &wrenches).expect("runs");
        let allowed = 1e-13 * condition(&once::crba(&model, &q).expect("runs")).max(1e2);
        let pairs = [(&found.dqq, &by.dqq), (&found.dvq, &by.dvq), (&found.dtauq, &by.dtauq), (&found.dvv, &by.dvv)];
        for (x, y) in pairs {
            let d = deviation(x, y);
            assert!(d < allowed, "{what}: {d:e}, {allowed:e}");
        }
    }
}

#[test]
fn misuse_is_named() {
    let (_, model) = regular().remove(0);
    let (q, v, tau) = state(&model, 0);
    let mut ws = SecondOrderWorkspace::new(&model);
    let contact = Constraint::point(None, [0.0; 3].into(), model.body_id(0).expect("is there"), [0.0; 3].into());
    let mut run = |on_ddq: &[f64], on_lambda: &[f64]| {
        constraint_dynamics_hessian(&model, &mut ws, &q, &v, &tau, on_ddq, on_lambda, &[contact], &[]).map(|_| ()).err()
    };
    assert!(matches!(run(&v[1..], &[0.0; 3]), Some(InputError::Length { .. })));
    assert!(matches!(run(&v, &[0.0; 2]), Some(InputError::Length { .. })));
    assert!(matches!(run(&v, &[0.0, f64::NAN, 0.0]), Some(InputError::NotFinite { index: 1, .. })));
    let bad = vec![f64::INFINITY; model.nv()];
    assert!(matches!(run(&bad, &[0.0; 3]), Some(InputError::NotFinite { index: 0, .. })));
    assert!(run(&v, &[1.0; 3]).is_none());
    let mut run = |lambda: &[f64], on_tau: &[f64], on_rows: &[f64]| {
        let run = constraint_inverse_dynamics_hessian;
        run(&model, &mut ws, &q, &v, &tau, lambda, on_tau, on_rows, &[contact], &[]).map(|_| ()).err()
    };
    assert!(matches!(run(&[1.0; 2], &v, &[1.0; 3]), Some(InputError::Length { what: "lambda", .. })));
    assert!(matches!(run(&[f64::NAN; 3], &v, &[1.0; 3]), Some(InputError::NotFinite { what: "lambda", .. })));
    assert!(matches!(run(&[1.0; 3], &v, &[1.0; 4]), Some(InputError::Length { what: "weights of rows", .. })));
    assert!(matches!(run(&[1.0; 3], &bad, &[1.0; 3]), Some(InputError::NotFinite { what: "weights of torques", .. })));
    assert!(run(&[1.0; 3], &v, &[1.0; 3]).is_none());
}
