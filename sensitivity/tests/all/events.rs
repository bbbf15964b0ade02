//! Events at times that depend on the state, against closed forms, and what other programs were reported to get wrong.

use gradyn::joint::{Axis, Prismatic, Translation};
use gradyn::spatial::{Inertia, Symmetric3};
use gradyn::{Model, ModelBuilder, Scalar, Transform};
use gradyn_sensitivity::rollout::{Crossing, Event, EventStatus, Hybrid, Saltation, saltation};
use gradyn_sensitivity::{Parameters, Rollout, Scheme, SensitivityError};
use nalgebra::{DMatrix, DVector, Vector3};

fn ball(joint: impl Into<gradyn::joint::Joint>) -> Model {
    let mut builder = ModelBuilder::new("ball");
    builder.set_gravity(Vector3::new(0.0, 0.0, -9.81));
    let inertia = Inertia::new(1.0, Vector3::zeros(), Symmetric3::new(0.1, 0.0, 0.0, 0.1, 0.0, 0.1));
    builder.add_body(None, "ball", "free", Transform::identity(), joint, inertia).expect("builds");
    builder.build().expect("builds")
}

/// A plane through `(0, 0, height)` that is tilted about y; values: restitution, height, tilt.
struct Plane;

impl Plane {
    fn normal<P: Scalar<f64> + Scalar<P>>(values: &[P]) -> (P, P) {
        let (sin, cos) = values[2].sin_cos();
        (sin, cos)
    }
}

impl Event for Plane {
    fn guard<P: Scalar<f64> + Scalar<P>>(
        &self,
        _: &gradyn::Model<P>,
        values: &[P],
        q: &[P],
        _: &[P],
    ) -> Result<P, SensitivityError> {
        let (nx, nz) = Self::normal(values);
        Ok(nx * q[0] + nz * (q[2] - values[1]))
    }
    fn reset<P: Scalar<f64> + Scalar<P>>(
        &self,
        _: &gradyn::Model<P>,
        values: &[P],
        q: &[P],
        v: &[P],
    ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
        let (nx, nz) = Self::normal(values);
        let normal = nx * v[0] + nz * v[2];
        let jump = normal * (values[0] + P::from(1.0));
        Ok((q.to_vec(), vec![v[0] - nx * jump, v[1], v[2] - nz * jump]))
    }
}

/// Of the ball: position and velocity at time t after one bounce, by restitution, height of the ground and start.
#[test]
fn a_ball_on_a_plane_in_closed_form() {
    let model = ball(Translation);
    let p = Parameters::of(&model)
        .own("restitution", 0.7, "1")
        .and_then(|p| p.own("height", 0.2, "m"))
        .and_then(|p| p.own("tilt", 0.0, "rad"))
        .and_then(|p| p.select("gravity.z"))
        .expect("are there");
    let (h, steps) = (0.01, 60);
    let run = Rollout::new(&p, Scheme::Rk4, h, vec![vec![0.0; 3]; steps]).expect("fits");
    let (z0, w0) = (1.0, -0.5);
    let (found, by) = Hybrid::new(&run, Plane).forward(&p.nominal(), &[0.3, 0.0, z0], &[0.4, 0.0, w0]).expect("runs");
    assert!(found.is_regular() && found.events.len() == 1, "{:?}", found.events);
    let (g, e, ground, t) = (9.81, 0.7, 0.2, h * steps as f64);
    // Falls to the ground at s, with z0 + w0 s − g s²/2 = ground.
    let s = (w0 + f64::sqrt(w0 * w0 + 2.0 * g * (z0 - ground))) / g;
    let fast = w0 - g * s;
    assert!((found.events[0].time - s).abs() < 1e-13);
    let (q, v) = &found.states[steps];
    assert!((q[2] - (ground - e * fast * (t - s) - 0.5 * g * (t - s).powi(2))).abs() < 1e-12);
    let by = &by[steps];
    // ds = (dz0 + s dw0 − dground + s²/2 dγ)/−fast with γ = −g; then z = ground − e v (t − s) + γ (t − s)²/2, v = w0 +
    // γ s.
    let ds = |z: f64, w: f64, ground: f64, gamma: f64| -(z + s * w - ground + 0.5 * s * s * gamma) / fast;
    let expected = |z: f64, w: f64, de: f64, dground: f64, gamma: f64| {
        let ds = ds(z, w, dground, gamma);
        let dv = w - g * ds + s * gamma;
        let dz = dground - de * fast * (t - s) - e * dv * (t - s)
            + e * fast * ds
            + 0.5 * gamma * (t - s).powi(2)
            + g * (t - s) * ds;
        let dw = -de * fast - e * dv + gamma * (t - s) + g * ds;
        (dz, dw)
    };
    let columns = [
        ("restitution", 0, expected(0.0, 0.0, 1.0, 0.0, 0.0)),
        ("height", 1, expected(0.0, 0.0, 0.0, 1.0, 0.0)),
        ("gravity.z", 3, expected(0.0, 0.0, 0.0, 0.0, 1.0)),
        ("z at the start", 4 + 2, expected(1.0, 0.0, 0.0, 0.0, 0.0)),
        ("its rate", 4 + 3 + 2, expected(0.0, 1.0, 0.0, 0.0, 0.0)),
    ];
    for (what, column, (dz, dw)) in columns {
        // Slopes of the guard are differences, good to 1e-11; all else is exact for a motion of second degree.
        assert!((by[(2, column)] - dz).abs() < 1e-9, "{what}: {} against {dz}", by[(2, column)]);
        assert!((by[(5, column)] - dw).abs() < 1e-9, "{what}: {} against {dw}", by[(5, column)]);
    }
    let _ = v;
    // By the tilt: differences of whole runs.
    let at = |tilt: f64| {
        let mut values = p.nominal();
        values[2] = tilt;
        let run = Hybrid::new(&run, Plane).simulate(&values, &[0.3, 0.0, z0], &[0.4, 0.0, w0]).expect("runs");
        let (q, v) = run.states[steps].clone();
        DVector::from_iterator(6, q.into_iter().chain(v))
    };
    let d = 1e-4;
    let slope = (8.0 * (at(d) - at(-d)) - (at(2.0 * d) - at(-2.0 * d))) / (12.0 * d);
    assert!((slope - by.column(2)).amax() < 1e-8);
}

/// Two balls of one mass on a line, elastic: they swap velocities, ∂(x₁, x₂)/∂(x₁, x₂) = (0 1; 1 0), where another
/// engine was reported to give (.75 .25 .91 .08) for the velocities.
#[test]
fn two_balls_swap() {
    let mut builder = ModelBuilder::new("balls");
    builder.set_gravity(Vector3::zeros());
    let inertia = || Inertia::new(1.0, Vector3::zeros(), Symmetric3::new(0.1, 0.0, 0.0, 0.1, 0.0, 0.1));
    for name in ["left", "right"] {
        let joint = Prismatic { axis: Axis::X };
        builder.add_body(None, name, format!("{name} rail"), Transform::identity(), joint, inertia()).expect("builds");
    }
    let model = builder.build().expect("builds");
    struct Touch;
    impl Event for Touch {
        fn guard<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            _: &[P],
        ) -> Result<P, SensitivityError> {
            Ok(q[1] - q[0] - P::from(0.2))
        }
        fn reset<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            v: &[P],
        ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
            Ok((q.to_vec(), vec![v[1], v[0]]))
        }
    }
    let p = Parameters::of(&model);
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 0.1, vec![vec![0.0; 2]; 20]).expect("fits");
    let (_, by) = Hybrid::new(&run, Touch).forward(&[], &[0.0, 1.0], &[1.0, 0.0]).expect("runs");
    let end = &by[20];
    // Times of the run: 2 s, the touch at 0.8 s.
    let expected = DMatrix::from_row_slice(
        4,
        4,
        &[
            0.0, 1.0, 0.0, 2.0, //
            1.0, 0.0, 2.0, 0.0, //
            0.0, 0.0, 0.0, 1.0, //
            0.0, 0.0, 1.0, 0.0,
        ],
    );
    assert!((end - expected).amax() < 1e-10, "{end}");
}

#[test]
fn what_has_no_derivative_says_so() {
    let model = ball(Prismatic { axis: Axis::Z });
    struct Ceiling(f64);
    impl Event for Ceiling {
        fn guard<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            _: &[P],
        ) -> Result<P, SensitivityError> {
            Ok(P::from(self.0) - q[0])
        }
        fn reset<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            v: &[P],
        ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
            Ok((q.to_vec(), vec![-v[0]]))
        }
    }
    let p = Parameters::of(&model);
    let run = Rollout::new(&p, Scheme::Rk4, 0.01, vec![vec![0.0]; 100]).expect("fits");
    // Thrown up to half a meter: a ceiling just below the top is grazed.
    let (fast, top) = (f64::sqrt(9.81), 0.5);
    let regular = Hybrid::new(&run, Ceiling(0.3)).simulate(&[], &[0.0], &[fast]).expect("runs");
    assert!(matches!(regular.events[0].status, EventStatus::Crossed { rate } if rate < 0.0));
    // Above the top there is no event.
    let none = Hybrid::new(&run, Ceiling(top + 1e-9)).simulate(&[], &[0.0], &[fast]).expect("runs");
    assert!(none.events.is_empty());
    let crossing = |rate: f64| Crossing {
        before: DVector::from_vec(vec![rate, -9.81]),
        after: DVector::from_vec(vec![-rate, -9.81]),
        reset_x: DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, -1.0]),
        reset_p: DMatrix::zeros(2, 1),
        reset_t: DVector::zeros(2),
        guard_x: DVector::from_vec(vec![-1.0, 0.0]),
        guard_p: DVector::from_vec(vec![1.0]),
        guard_t: 0.0,
    };
    assert!(matches!(saltation(&crossing(1e-9)), Ok(Saltation::Grazing { .. })));
    // Kong et al., the bouncing ball: Ξ = (−1 0; −2 g/v −1) for a restitution of one, of the guard x = top.
    let Ok(Saltation::Regular { by_x, by_p, rate }) = saltation(&crossing(2.0)) else { panic!("crosses") };
    let expected = DMatrix::from_row_slice(2, 2, &[-1.0, 0.0, -2.0 * 9.81 / 2.0, -1.0]);
    assert!((by_x - expected).amax() < 1e-14 && (rate + 2.0).abs() < 1e-14);
    assert!((by_p - DMatrix::from_row_slice(2, 1, &[2.0, 9.81])).amax() < 1e-14);
    let wrong = Crossing { guard_x: DVector::zeros(3), ..crossing(1.0) };
    assert!(matches!(saltation(&wrong), Err(SensitivityError::Length { what: "D_x g", expected: 2, found: 3 })));
}

/// An event that falls on a sample: derivatives are the closed form's, from whichever step it was found in.
#[test]
fn an_event_on_a_sample_is_exact() {
    let model = ball(Prismatic { axis: Axis::X });
    struct Wall;
    impl Event for Wall {
        fn guard<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            _: &[P],
        ) -> Result<P, SensitivityError> {
            Ok(P::from(0.5) - q[0])
        }
        fn reset<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            v: &[P],
        ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
            Ok((q.to_vec(), vec![v[0] * -0.5]))
        }
    }
    let p = Parameters::of(&model);
    // Steps are a power of two: at the fourth the ball touches the wall to the last bit.
    let run = Rollout::new(&p, Scheme::Rk4, 0.125, vec![vec![0.0]; 8]).expect("fits");
    let (found, by) = Hybrid::new(&run, Wall).forward(&[], &[0.0], &[1.0]).expect("runs");
    assert_eq!(found.events.len(), 1, "{:?}", found.events);
    assert!(matches!(found.events[0].status, EventStatus::OnSample { .. }), "{:?}", found.events);
    // x(1) = 0.5 − 0.5 v (1 − s), s = (0.5 − x0)/v: dx/dx0 = −0.5, dx/dv = −0.5.
    let end = &by[8];
    assert!((end[(0, 0)] + 0.5).abs() < 1e-10 && (end[(0, 1)] + 0.5).abs() < 1e-10, "{end}");
}

/// A ball that bounces twice within one step: the step is split at both, and the state and its derivatives are those of
/// steps so short that each holds one bounce. RK4 is exact for a motion of second degree.
#[test]
fn a_step_is_split_at_each_of_its_events() {
    let model = ball(Translation);
    let p = Parameters::of(&model)
        .own("restitution", 0.5, "1")
        .and_then(|p| p.own("height", 0.2, "m"))
        .and_then(|p| p.own("tilt", 0.0, "rad"))
        .and_then(|p| p.select("gravity.z"))
        .expect("are there");
    // Falls 0.05 m in 0.101 s, then is in the air for 0.101 s and 0.050 s: bounces at 0.101, 0.202 and 0.252 s.
    let at = |h: f64, steps: usize| {
        let run = Rollout::new(&p, Scheme::Rk4, h, vec![vec![0.0; 3]; steps]).expect("fits");
        let (found, by) =
            Hybrid::new(&run, Plane).forward(&p.nominal(), &[0.0, 0.0, 0.25], &[0.1, 0.0, 0.0]).expect("runs");
        (found, by.last().cloned().expect("nodes"))
    };
    let (coarse, by_coarse) = at(0.24, 1);
    let (fine, by_fine) = at(0.01, 24);
    assert_eq!((coarse.events.len(), fine.events.len()), (2, 2), "{:?}", coarse.events);
    assert!(coarse.is_regular() && coarse.events.iter().all(|e| e.step == 0));
    for (a, b) in coarse.events.iter().zip(&fine.events) {
        assert!((a.time - b.time).abs() < 1e-13, "{a:?} {b:?}");
    }
    let (a, b) = (coarse.states.last().expect("nodes"), fine.states.last().expect("nodes"));
    assert!(a.0[2] > 0.2, "above the floor: {a:?}");
    // Rounding of two dozen steps; slopes of guards are differences, good to 1e-10.
    assert!(a.0.iter().chain(&a.1).zip(b.0.iter().chain(&b.1)).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    assert!((by_coarse - by_fine).amax() < 1e-8);

    // Whatever the step, the ball is where it is between bounces, and never below the floor: at 0.25 s it has bounced
    // twice.
    for steps in 1..40_u16 {
        let h = 0.24 / f64::from(steps);
        let run = Rollout::new(&p, Scheme::Rk4, h, vec![vec![0.0; 3]; usize::from(steps)]).expect("fits");
        let found = Hybrid::new(&run, Plane).simulate(&p.nominal(), &[0.0, 0.0, 0.25], &[0.1, 0.0, 0.0]).expect("runs");
        for (q, v) in &found.states {
            assert!(q[2] > 0.2 - 1e-13, "{steps} steps: {q:?}");
            // Half of each speed is lost, so energies are those of heights of 0.05, 0.0125 and 0.003125 m.
            let height = 0.5 * v[2] * v[2] / 9.81 + q[2] - 0.2;
            let off = [0.05, 0.0125, 0.003_125].map(|h: f64| (h - height).abs()).into_iter().fold(1.0, f64::min);
            assert!(off < 1e-12, "{steps} steps: {height}");
        }
        let end = found.states.last().expect("nodes");
        assert!((end.0[2] - a.0[2]).abs() < 1e-12, "{steps} steps: {end:?}");
    }

    // Bounces without end: 0.303 s until the ball is at rest.
    let run = Rollout::new(&p, Scheme::Rk4, 0.4, vec![vec![0.0; 3]; 1]).expect("fits");
    let ends = Hybrid::new(&run, Plane).simulate(&p.nominal(), &[0.0, 0.0, 0.25], &[0.0; 3]);
    let message = ends.expect_err("no state behind these").to_string();
    assert!(message.contains("step 0 has more than 100 events") && message.contains("do not end"), "{message}");

    // Thrown against a ceiling: above it and back within one step is an event too.
    struct Ceiling;
    impl Event for Ceiling {
        fn guard<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            _: &[P],
        ) -> Result<P, SensitivityError> {
            Ok(P::from(0.45) - q[0])
        }
        fn reset<P: Scalar<f64> + Scalar<P>>(
            &self,
            _: &gradyn::Model<P>,
            _: &[P],
            q: &[P],
            v: &[P],
        ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
            Ok((q.to_vec(), vec![-v[0]]))
        }
    }
    let model = ball(Prismatic { axis: Axis::Z });
    let p = Parameters::of(&model);
    // Up to 0.5 m and back to the start in 2 v/g = 0.64 s.
    let fast = f64::sqrt(9.81);
    let run = Rollout::new(&p, Scheme::Rk4, 2.0 * fast / 9.81, vec![vec![0.0]]).expect("fits");
    let found = Hybrid::new(&run, Ceiling).simulate(&[], &[0.0], &[fast]).expect("runs");
    assert_eq!(found.events.len(), 1, "{:?}", found.events);
    assert!((found.events[0].time - (fast - f64::sqrt(9.81 - 2.0 * 9.81 * 0.45)) / 9.81).abs() < 1e-12);
}
