//! First and second derivatives of quantities of one's own at register width: against the forms that one direction is
//! enough for, against differences, and against what the engine has in closed form.

use gradyn::dynamics::{Workspace, forward_kinematics, kinetic_energy, potential_energy, rnea};
use gradyn::joint::{Axis, FreeFlyer, Planar, Revolute, Spherical, SphericalZyx};
use gradyn::model::{BodyId, InputError, Model};
use gradyn::nalgebra::{DMatrix, DVector};
use gradyn::partials::{
    HessianWorkspace, State, StateFunction, StateJacobian, StateWorkspace, by_duals, rnea_hessian, state_hessian,
    state_hessian_by_differences, state_jacobian,
};
use gradyn::{Scalar, UrdfOptions};
use gradyn_derivatives::simd::{Level, with_level};
use testing::{deviation, state, wrenches};

/// Inverse dynamics.
struct Torques;

impl StateFunction for Torques {
    fn outputs(&self, model: &Model) -> usize {
        model.nv()
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        out.copy_from_slice(rnea(model, ws, state.q, state.v, state.u, state.wrenches)?);
        Ok(())
    }
}

/// A little of everything: where a body is and how it moves, energies; and functions of numbers.
struct Mixed(BodyId);

impl StateFunction for Mixed {
    fn outputs(&self, _model: &Model) -> usize {
        4
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let kinematics = forward_kinematics(model, ws, state.q, state.v, state.u)?;
        let (Some(pose), Some(velocity)) = (kinematics.pose(self.0), kinematics.velocity(self.0)) else {
            panic!("the body is the model's");
        };
        out[0] = pose.translation.x * pose.translation.y + pose.rotation.m32;
        out[1] = velocity.linear.z.tanh() + velocity.angular.x.smooth_abs(1.0);
        out[2] = kinetic_energy(model, ws, state.q, state.v)? + potential_energy(model, ws, state.q)?;
        out[3] = state.u[0].sin() * state.v[0].powi(3) + state.q[0].smooth_max(state.u[1], 1.0);
        Ok(())
    }
}

fn models() -> Vec<(Model, &'static str)> {
    let joints = vec![
        FreeFlyer.into(),
        Revolute { axis: Axis::Y }.into(),
        Spherical.into(),
        Planar::new(Axis::Z).into(),
        SphericalZyx.into(),
    ];
    vec![
        (testing::tree(3, joints), "joints whose directions do not commute"),
        (testing::robot("solo12", &UrdfOptions::new().floating_base(true)), "solo12"),
    ]
}

/// Where nothing is optimized, dual numbers of dual numbers in registers take megabytes of the stack.
fn with_room(run: fn()) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).expect("starts");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn last(model: &Model) -> BodyId {
    model.body_id(model.bodies().len() - 1).expect("is there")
}

fn assert_same(found: &StateJacobian, expected: &StateJacobian, tolerance: f64, what: &str) {
    let matrices = |j: &StateJacobian| {
        let parts = [("dq", &j.dq), ("dv", &j.dv), ("du", &j.du)];
        parts.into_iter().chain(j.df_ext.iter().map(|m| ("df_ext", m))).map(|(n, m)| (n, m.clone())).collect::<Vec<_>>()
    };
    let value = (&found.value - &expected.value).amax() / expected.value.amax().max(1.0);
    assert!(value < tolerance, "{what}: value off by {value:e}");
    for ((name, found), (_, expected)) in matrices(found).iter().zip(&matrices(expected)) {
        assert_eq!(found.shape(), expected.shape(), "{what}: {name}");
        assert!(deviation(found, expected) < tolerance, "{what}: {name}: {:e}", deviation(found, expected));
    }
}

/// Eight directions at every level are what one direction at a time gives.
#[test]
fn jacobians_of_all_levels_are_those_of_one_direction() {
    with_room(|| {
        for (model, name) in models() {
            let ((q, v, u), wrenches) = (state(&model, 3), wrenches(&model, 3));
            let at = State { q: &q, v: &v, u: &u, wrenches: &wrenches };
            let mixed = Mixed(last(&model));
            let expected =
                (by_duals(&model, &Torques, at).expect("valid"), by_duals(&model, &mixed, at).expect("valid"));
            for level in Level::available() {
                with_level(level, || {
                    let mut ws = StateWorkspace::new();
                    // Rounding of some hundred operations.
                    let found = state_jacobian(&model, &mut ws, &Torques, at).expect("valid");
                    assert_same(found, &expected.0, 1e-12, &format!("{name}, torques, {level}"));
                    let mut ws = StateWorkspace::new();
                    let found = state_jacobian(&model, &mut ws, &mixed, at).expect("valid");
                    assert_same(found, &expected.1, 1e-11, &format!("{name}, mixed, {level}"));
                });
            }
        }
    });
}

/// The mean of the ordered Hessian and its transpose, between all pairs of configuration, velocity and acceleration.
#[test]
fn hessian_of_torques_is_that_in_closed_form() {
    with_room(|| {
        for (model, name) in models() {
            let ((q, v, a), nv) = (state(&model, 4), model.nv());
            let lambda: Vec<f64> = (0..nv).map(|k| (k as f64 * 0.7).sin()).collect();
            let mut ws = HessianWorkspace::new(&model);
            let expected = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &[]).expect("valid");
            let mut ws = StateWorkspace::new();
            let at = State { q: &q, v: &v, u: &a, wrenches: &[] };
            let found = state_hessian(&model, &mut ws, &Torques, at, &lambda).expect("valid");
            let d = &found.directions;
            let blocks = [
                (found.block(&d.q, &d.q), (&expected.dqq + expected.dqq.transpose()) * 0.5, "qq"),
                (found.block(&d.v, &d.q), expected.dvq.clone(), "vq"),
                (found.block(&d.u, &d.q), expected.daq.clone(), "uq"),
                (found.block(&d.v, &d.v), expected.dvv.clone(), "vv"),
                (found.block(&d.u, &d.v), DMatrix::zeros(nv, nv), "uv"),
                (found.block(&d.u, &d.u), DMatrix::zeros(nv, nv), "uu"),
            ];
            for (found, expected, block) in blocks {
                // Rounding of some thousand operations.
                let off = deviation(&found.into_owned(), &expected);
                assert!(off < 1e-11, "{name}, {block}: {off:e}");
            }
            let gradient = DVector::from_iterator(
                3 * nv,
                [&expected.dq, &expected.dv, &expected.da].into_iter().flatten().copied(),
            );
            assert!((&found.gradient - &gradient).amax() < 1e-11 * gradient.amax(), "{name}, gradient");
            assert_eq!(found.hessian, found.hessian.transpose());
        }
    });
}

/// With wrenches, and of what has no closed form: differences of first derivatives, and second differences of values,
/// which know nothing of dual numbers.
#[test]
fn hessians_are_those_of_differences() {
    with_room(|| {
        let (model, name) = models().swap_remove(1);
        let ((q, v, u), wrenches, f) = (state(&model, 5), wrenches(&model, 5), Mixed(last(&model)));
        let (at, lambda) = (State { q: &q, v: &v, u: &u, wrenches: &wrenches[..1] }, [1.0, -0.5, 0.1, 2.0]);
        let mut ws = StateWorkspace::new();
        let found = state_hessian(&model, &mut ws, &f, at, &lambda).expect("valid").clone();
        let (expected, errors) = state_hessian_by_differences(&model, &f, at, &lambda).expect("valid");
        assert_eq!(found.directions, expected.directions);
        assert!((&found.value - &expected.value).amax() < 1e-12 * expected.value.amax(), "{name}: value");
        assert!((&found.gradient - &expected.gradient).amax() < 1e-11 * expected.gradient.amax(), "{name}: gradient");
        for ((found, expected), error) in found.hessian.iter().zip(&expected.hessian).zip(&errors) {
            // Estimates are estimates, and rounding of entries of a hundred.
            assert!((found - expected).abs() < 10.0 * error + 1e-9, "{name}: {found} instead of {expected} ± {error}");
        }
        let d = &found.directions;
        let (mut plain, mut out) = (Workspace::new(&model), [0.0; 4]);
        let mut value = |x: &[f64]| {
            let q = model.integrate(&q, &x[d.q.clone()]).expect("fits");
            let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
            let (v, u) = (add(&v, &x[d.v.clone()]), add(&u, &x[d.u.clone()]));
            f.evaluate(&model, &mut plain, State { q: &q, v: &v, u: &u, wrenches: &wrenches[..1] }, &mut out)
                .expect("valid");
            lambda.iter().zip(&out).map(|(l, f)| l * f).sum::<f64>()
        };
        // Row and column of the second joint's angle, by four values.
        let n = d.count();
        let (i, j, h) = (8, d.v.start + 8, 1e-4);
        let mut at = |a: f64, b: f64| {
            let mut x = vec![0.0; n];
            (x[i], x[j]) = (a, b);
            value(&x)
        };
        let second = (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4.0 * h * h);
        // ε f / h² and h² f⁗
        assert!((second - found.hessian[(i, j)]).abs() < 1e-5, "{second} instead of {}", found.hessian[(i, j)]);
    });
}

/// Once memory has been made, no level asks for more.
#[test]
fn a_second_call_allocates_nothing() {
    with_room(|| {
        let (model, _) = models().swap_remove(1);
        let ((q, v, u), wrenches, f) = (state(&model, 6), wrenches(&model, 6), Mixed(last(&model)));
        let at = State { q: &q, v: &v, u: &u, wrenches: &wrenches };
        for level in Level::available() {
            with_level(level, || {
                let mut ws = StateWorkspace::new();
                let mut run = || {
                    state_jacobian(&model, &mut ws, &f, at).expect("valid");
                    state_hessian(&model, &mut ws, &f, at, &[1.0; 4]).expect("valid");
                };
                run();
                let before = testing::allocation_count();
                run();
                assert_eq!(testing::allocation_count() - before, 0, "{level}");
            });
        }
    });
}

/// Of six controls, two of which it uses.
struct Controlled;

impl StateFunction for Controlled {
    fn outputs(&self, _model: &Model) -> usize {
        2
    }
    fn controls(&self, _model: &Model) -> usize {
        6
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        _model: &Model,
        _ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        out[0] = state.u[1] * state.u[5];
        out[1] = state.q[0].sqrt();
        Ok(())
    }
}

fn at<'a>(q: &'a [f64], u: &'a [f64]) -> State<'a> {
    State { q, v: &[], u, wrenches: &[] }
}

/// Controls and parameters may be as many as the function says; what is wrong is named.
#[test]
fn controls_are_counted_and_errors_named() {
    let model = testing::robot("panda", &UrdfOptions::new());
    let mut ws = StateWorkspace::new();
    let (mut q, u) = ([0.25; 7], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let found = state_hessian(&model, &mut ws, &Controlled, at(&q, &u), &[1.0, 0.0]).expect("valid");
    assert_eq!((found.value[0], found.directions.u.clone()), (12.0, 7..13));
    assert_eq!((found.hessian[(8, 12)], found.hessian[(12, 8)], found.gradient[12]), (1.0, 1.0, 2.0));
    let error = state_jacobian(&model, &mut ws, &Controlled, at(&q, &u[1..])).expect_err("short").to_string();
    assert!(error.contains("`u`") && error.contains('5') && error.contains('6'), "{error}");
    let error = state_hessian(&model, &mut ws, &Controlled, at(&q, &u), &[1.0]).expect_err("short").to_string();
    assert!(error.contains("`lambda`"), "{error}");
    q[0] = 0.0;
    let error = state_jacobian(&model, &mut ws, &Controlled, at(&q, &u)).expect_err("a pole");
    assert!(matches!(error, InputError::NoDerivative { what: "dq", row: 1, .. }), "{error}");
    q[0] = -1.0;
    let error = state_jacobian(&model, &mut ws, &Controlled, at(&q, &u)).expect_err("no value");
    assert!(matches!(error, InputError::Overflow { what: "value", index: 1, .. }), "{error}");
    // The function's own error, as it is.
    let q = [0.1; 7];
    let error = state_jacobian(&model, &mut ws, &Torques, at(&q, &[])).expect_err("no velocity").to_string();
    assert!(error.contains("`v`"), "{error}");
}
