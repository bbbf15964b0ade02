//! Every kind of joint, alone, by one list of claims.

use gradyn::joint::*;
use gradyn::spatial::{Motion, Transform};
use gradyn_derivatives::Scalar;
use gradyn_derivatives::num_dual::{Dual, Dual64};
use nalgebra::Vector3;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::f64::consts::{FRAC_PI_2, PI};
use testing::{assert_near, assert_same, dual, entries, eps, every_joint, lift, motion, rng, uniform, unit};

/// A derivative of a derivative.
type Nested = Dual<Dual64>;

/// Some ten roundings of numbers up to ten: lever arms, products of velocities.
const ROUNDING: f64 = 2e-14;

/// Every kind; of those that can follow, a follower too.
fn joints(rng: &mut ChaCha8Rng) -> Vec<Joint> {
    let mut joints = every_joint(rng);
    for joint in joints.clone() {
        if let Joint::Elementary(kind) = joint
            && let Some(mimic) = Mimic::new(kind, -1.7, 0.3)
        {
            joints.push(mimic.clone().into());
            joints.push(mimic.of_direction().into());
        }
    }
    joints
}

/// Runs a claim for every joint, with numbers of its own.
fn for_every_joint(claim: impl Fn(&Joint, &mut ChaCha8Rng, &str)) {
    for seed in 0..6 {
        let rng = &mut rng(seed);
        for (i, joint) in joints(rng).iter().enumerate() {
            claim(joint, rng, &format!("seed {seed}, joint {i} ({})", joint.kind()));
        }
    }
}

fn random(joint: &Joint, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let nq = joint.nq();
    let mut q = vec![0.0; nq];
    let mut unit = || rng.random::<f64>();
    match joint {
        // Draws nothing itself: the coordinate is another joint's.
        Joint::Mimic(mimic) if mimic.is_of_direction() => {
            JointKind::<f64>::random(&Continuous { axis: Axis::X }, &mut unit, &[], &[], &mut q);
        }
        Joint::Mimic(mimic) => mimic.inner().random(&mut unit, &[f64::NEG_INFINITY], &[f64::INFINITY], &mut q),
        _ => joint.random(&mut unit, &vec![f64::NEG_INFINITY; nq], &vec![f64::INFINITY; nq], &mut q),
    }
    q
}

fn neutral(joint: &Joint) -> Vec<f64> {
    let mut q = vec![f64::NAN; joint.nq()];
    joint.neutral(&mut q);
    q
}

/// Random configurations, the neutral one, and those where angles are right or straight.
fn configurations(joint: &Joint, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut all = vec![random(joint, rng), random(joint, rng), neutral(joint)];
    for angle in [FRAC_PI_2, -FRAC_PI_2, PI, 1e-9] {
        let v = vec![angle; joint.nv()];
        all.push(integrate(joint, &neutral(joint), &v));
    }
    all
}

fn tangent(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| uniform(rng)).collect()
}

fn integrate<T: Scalar>(joint: &Joint, q: &[T], v: &[T]) -> Vec<T> {
    let mut out = vec![T::zero(); q.len()];
    joint.integrate(q, v, &mut out);
    out
}

fn difference<T: Scalar>(joint: &Joint, q0: &[T], q1: &[T]) -> Vec<T> {
    let mut out = vec![T::zero(); joint.nv()];
    joint.difference(q0, q1, &mut out);
    out
}

fn q_dot<T: Scalar>(joint: &Joint, q: &[T], v: &[T]) -> Vec<T> {
    let mut out = vec![T::zero(); q.len()];
    joint.q_dot(q, v, &mut out);
    out
}

fn columns<T: Scalar>(joint: &Joint, q: &[T]) -> Vec<Motion<T>> {
    let mut columns = vec![Motion::zero(); joint.nv()];
    joint.motion_subspace(q, &mut columns);
    columns
}

/// `q ⊕ ε v`
fn along(joint: &Joint, q: &[f64], v: &[f64]) -> Vec<Dual64> {
    dual(q, &q_dot(joint, q, v))
}

fn re(x: &[Dual64]) -> Vec<f64> {
    x.iter().map(|x| x.re).collect()
}

/// The velocity of the moving frame, in its own coordinates: `R' = R [ω]×`, `p' = R v`.
fn velocity_of(x: &Transform<Dual64>) -> [f64; 6] {
    let (r, dr) = (x.rotation.map(|x| x.re), x.rotation.map(|x| x.eps));
    let w = r.transpose() * dr;
    let v = r.transpose() * x.translation.map(|x| x.eps);
    // Skew to rounding, or R would not stay a rotation.
    assert!((w + w.transpose()).amax() < ROUNDING, "the rotation does not stay one: {w}");
    [v.x, v.y, v.z, w[(2, 1)], w[(0, 2)], w[(1, 0)]]
}

/// Elementary parts, each with its first velocity.
fn parts(joint: &Joint) -> Vec<(Elementary, usize)> {
    match joint {
        Joint::Elementary(kind) => vec![(*kind, 0)],
        Joint::Mimic(_) => Vec::new(),
        Joint::Composite(composite) => {
            let mut start = 0;
            let mut next = |kind: Elementary| {
                start += kind.nv();
                (kind, start - kind.nv())
            };
            composite.parts().iter().map(|part| next(part.joint)).collect()
        }
    }
}

/// Scales the rotations among `v` to this angle, for kinds whose rotations come back after a full turn.
fn set_angle(joint: &Joint, v: &mut [f64], angle: f64) {
    for (kind, start) in parts(joint) {
        let rotation = match kind.name() {
            "continuous" => start..start + 1,
            "planar" => start + 2..start + 3,
            "spherical" => start..start + 3,
            "free-flyer" => start + 3..start + 6,
            _ => continue,
        };
        let norm = v[rotation.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
        v[rotation].iter_mut().for_each(|x| *x *= angle / norm);
    }
}

/// Angles from nothing to just short of half a turn.
const ANGLES: [f64; 7] = [1e-12, 1e-7, 1e-3, 0.8, 3.0, PI - 1e-4, PI - 1e-8];

#[test]
fn the_subspace_is_the_derivative_of_the_pose() {
    for_every_joint(|joint, rng, what| {
        for q in configurations(joint, rng) {
            for k in 0..joint.nv() {
                let pose = joint.pose(&along(joint, &q, &unit(joint.nv(), k)));
                let column = motion(columns(joint, &q)[k]);
                assert_near(&column, &velocity_of(&pose), ROUNDING, format!("{what}, q = {q:?}: column {k}"));
            }
        }
    });
}

#[test]
fn the_bias_is_the_rate_of_the_subspace() {
    for_every_joint(|joint, rng, what| {
        for q in configurations(joint, rng) {
            let v = tangent(joint.nv(), rng);
            let columns = columns(joint, &along(joint, &q, &v));
            let mut rate = [0.0; 6];
            let mut varies = false;
            for (column, v) in columns.iter().zip(&v) {
                for (sum, x) in rate.iter_mut().zip(motion(*column)) {
                    *sum += x.eps * v;
                    varies |= x.eps.abs() > 0.0;
                }
            }
            let what = format!("{what}, q = {q:?}, v = {v:?}");
            assert_near(&motion(joint.bias(&q, &v)), &rate, ROUNDING, format!("{what}: bias"));
            assert!(joint.subspace_varies() || !varies, "{what}: the subspace varies and says that it does not");
        }
    });
}

#[test]
fn integrate_and_difference_undo_each_other() {
    for_every_joint(|joint, rng, what| {
        for q in configurations(joint, rng) {
            for angle in ANGLES {
                let mut v = tangent(joint.nv(), rng);
                set_angle(joint, &mut v, angle);
                let reached = integrate(joint, &q, &v);
                let what = format!("{what}, q = {q:?}, angle {angle}");
                assert!(joint.norm_error(&reached) < ROUNDING, "{what}: {reached:?} is no configuration");
                assert_near(&difference(joint, &q, &reached), &v, ROUNDING, format!("{what}: difference"));
                // Tiny steps keep their digits down to the rounding of q itself.
                let tiny: Vec<_> = v.iter().map(|x| x * 1e-9).collect();
                let back = difference(joint, &q, &integrate(joint, &q, &tiny));
                assert_near(&back, &tiny, 2e-15, format!("{what}: tiny difference"));
            }
            let other = random(joint, rng);
            let reached = integrate(joint, &q, &difference(joint, &q, &other));
            let (found, expected) = (joint.pose(&reached), joint.pose(&other));
            assert_near(&entries(&found), &entries(&expected), ROUNDING, format!("{what}, to {other:?}: pose"));
            // No step at all leads nowhere, exactly.
            let none = difference(joint, &q, &q);
            assert!(none.iter().all(|x| x.abs() < 1e-15), "{what}: from q to q in {none:?}");
        }
    });
}

/// The derivative of `t ↦ q ⊕ t v` is `G(q) v`, at zero exactly; its second is that of the flow `q̇ = G(q) v`.
#[test]
fn integrate_starts_along_q_dot() {
    for_every_joint(|joint, rng, what| {
        for q in configurations(joint, rng) {
            let v = tangent(joint.nv(), rng);
            let what = format!("{what}, q = {q:?}, v = {v:?}");
            let zero = vec![0.0; v.len()];
            let rate = q_dot(joint, &q, &v);
            let step = integrate(joint, &lift(&q), &dual(&zero, &v));
            assert_near(&re(&step), &q, 1e-15, format!("{what}: no step"));
            assert_near(&eps(&step), &rate, 1e-15, format!("{what}: first derivative at zero"));

            let e = Nested::new(Dual64::new(0.0, 1.0), Dual64::new(1.0, 0.0)); // ε₁ + ε₂
            let v2: Vec<_> = v.iter().map(|v| e * *v).collect();
            let step = integrate(joint, &lift::<Nested>(&q), &v2);
            let second: Vec<_> = step.iter().map(|x| x.eps.eps).collect();
            let flow = eps(&q_dot(joint, &dual(&q, &rate), &lift(&v)));
            assert_near(&second, &flow, ROUNDING, format!("{what}: second derivative at zero"));

            // And on the way: d/dt (q ⊕ t v) at t = 1.
            let late = integrate(joint, &lift(&q), &dual(&v, &v));
            let flow = q_dot(joint, &re(&late), &v);
            assert_near(&eps(&late), &flow, ROUNDING, format!("{what}: first derivative at one"));
        }
    });
}

/// Derivatives of `difference` where its formulas divide by the angle: at equal configurations, and near half a turn.
#[test]
fn difference_has_exact_derivatives_at_its_singular_points() {
    for_every_joint(|joint, rng, what| {
        for q in configurations(joint, rng) {
            let nv = joint.nv();
            for k in 0..nv {
                let (e, fixed) = (unit(nv, k), lift::<Dual64>(&q));
                let near = along(joint, &q, &e);
                let what = format!("{what}, q = {q:?}, direction {k}");
                assert_near(&eps(&difference(joint, &fixed, &near)), &e, ROUNDING, format!("{what}: of the end"));
                let back: Vec<_> = eps(&difference(joint, &near, &fixed)).iter().map(|x| -x).collect();
                assert_near(&back, &e, ROUNDING, format!("{what}: of the start"));
            }
            for angle in ANGLES {
                let (mut v, w) = (tangent(nv, rng), tangent(nv, rng));
                set_angle(joint, &mut v, angle);
                // q ⊖ (q ⊕ x) = x: so are the derivatives, first and second.
                let e1 = Nested::new(Dual64::new(0.0, 1.0), Dual64::from(0.0));
                let e2 = Nested::new(Dual64::from(0.0), Dual64::from(1.0));
                let x: Vec<_> = v.iter().zip(&w).map(|(v, w)| Nested::from(*v) + e1 * *w + e2 * (w * 0.5)).collect();
                let q = lift::<Nested>(&q);
                let back = difference(joint, &q, &integrate(joint, &q, &x));
                let what = format!("{what}, q = {q:?}, angle {angle}");
                let pick = |f: fn(&Nested) -> f64| back.iter().map(f).collect::<Vec<_>>();
                assert_near(&pick(|x| x.re.eps), &w, ROUNDING, format!("{what}: first derivative"));
                let half: Vec<_> = w.iter().map(|w| w * 0.5).collect();
                assert_near(&pick(|x| x.eps.re), &half, ROUNDING, format!("{what}: the other first derivative"));
                let zero = vec![0.0; nv];
                // One order more to cancel: some hundred roundings.
                assert_near(&pick(|x| x.eps.eps), &zero, 10.0 * ROUNDING, format!("{what}: second derivative"));
            }
        }
    });
}

/// Two derivatives of the displacement by ω at ω = 0, from the series of `sin ω/ω` and `(1 − cos ω)/ω`.
#[test]
fn a_planar_step_without_rotation_has_its_second_derivative() {
    let joint: Joint = Planar::new(Axis::Z).into();
    let (vx, vy) = (0.7, -0.4);
    let w = Nested::new(Dual64::new(0.0, 1.0), Dual64::from(1.0));
    let out = integrate(&joint, &lift::<Nested>(&neutral(&joint)), &[vx.into(), vy.into(), w]);
    let (first, second) = ([out[0].re.eps, out[1].re.eps], [out[0].eps.eps, out[1].eps.eps]);
    // x = vx sin ω/ω − vy (1 − cos ω)/ω, y = vx (1 − cos ω)/ω + vy sin ω/ω
    assert_near(&first, &[-vy / 2.0, vx / 2.0], 1e-15, "first");
    assert_near(&second, &[-vx / 3.0, -vy / 3.0], 1e-15, "second");
}

#[test]
fn the_neutral_configuration_is_the_identity_pose() {
    for_every_joint(|joint, _, what| {
        let q = neutral(joint);
        assert!(joint.norm_error(&q) < 1e-16, "{what}: {q:?}");
        let expected = match joint {
            Joint::Elementary(_) => Transform::identity(),
            // Mounting poses in between are all that is left.
            Joint::Composite(row) => row.parts().iter().fold(Transform::identity(), |x, part| x * part.placement),
            Joint::Mimic(mimic) => mimic.inner().pose(&[mimic.offset()]),
        };
        assert_near(&entries(&joint.pose(&q)), &entries(&expected), 1e-15, format!("{what}: pose"));
    });
}

#[test]
fn normalize_repairs_and_then_changes_nothing() {
    for_every_joint(|joint, rng, what| {
        let normalized = |q: &[f64]| {
            let mut q = q.to_vec();
            joint.normalize(&mut q);
            q
        };
        let q = random(joint, rng);
        let once = normalized(&q);
        assert_near(&once, &q, 1e-15, format!("{what}: valid"));
        assert_near(&normalized(&once), &once, 1e-15, format!("{what}: twice"));
        let scaled: Vec<_> = q.iter().map(|x| x * 1.3).collect();
        let repaired = normalized(&scaled);
        assert!(joint.norm_error(&repaired) < 1e-15, "{what}: {scaled:?} became {repaired:?}");
        let constrained = joint.nq() > joint.nv();
        assert_eq!(joint.norm_error(&scaled) > 0.29, constrained, "{what}: error of {scaled:?}");
        if matches!(joint.kind(), "spherical" | "continuous") {
            assert_near(&repaired, &q, 1e-15, format!("{what}: repaired"));
        }
        // What has no direction becomes neutral, and extremes keep theirs.
        for bad in [0.0, 1e-200, 1e200] {
            let mended = normalized(&q.iter().map(|x| x * bad).collect::<Vec<_>>());
            assert!(joint.norm_error(&mended) < 1e-15, "{what}: times {bad:e} became {mended:?}");
        }
    });
}

/// Within the limits, valid, and spread over them.
#[test]
fn random_configurations_are_valid_within_limits_and_spread() {
    for_every_joint(|joint, rng, what| {
        if matches!(joint, Joint::Mimic(_)) {
            return;
        }
        let nq = joint.nq();
        let limits: Vec<(f64, f64)> =
            (0..nq).map(|_| (rng.random_range(-2.0..0.0), rng.random_range(0.5..2.0))).collect();
        let (lower, upper): (Vec<_>, Vec<_>) = limits.iter().copied().unzip();
        // Coordinates of unit vectors have no limits of their own.
        let mut free = vec![false; nq];
        let mut q_start = 0;
        for (kind, _) in parts(joint) {
            let unit = match kind.name() {
                "continuous" | "spherical" => 0..kind.nq(),
                "planar" => 2..4,
                "free-flyer" => 3..7,
                _ => 0..0,
            };
            unit.for_each(|i| free[q_start + i] = true);
            q_start += kind.nq();
        }
        let mut low = vec![f64::INFINITY; nq];
        let mut high = vec![f64::NEG_INFINITY; nq];
        let mut sum = vec![0.0; nq];
        const DRAWS: usize = 400;
        for _ in 0..DRAWS {
            let mut q = vec![f64::NAN; nq];
            joint.random(&mut || rng.random(), &lower, &upper, &mut q);
            assert!(joint.norm_error(&q) < 1e-15, "{what}: {q:?}");
            for i in 0..nq {
                assert!(
                    free[i] || (lower[i] <= q[i] && q[i] <= upper[i]),
                    "{what}: q[{i}] = {} of {:?}",
                    q[i],
                    limits[i]
                );
                (low[i], high[i]) = (low[i].min(q[i]), high[i].max(q[i]));
                sum[i] += q[i];
            }
        }
        for i in 0..nq {
            let (a, b) = if free[i] { (-1.0, 1.0) } else { limits[i] };
            // A chance of 0.9^400 = 1e-18 to miss a tenth (for quaternions, 0.97^400 = 5e-6).
            let margin = (b - a) * 0.1;
            assert!(
                low[i] < a + margin && high[i] > b - margin,
                "{what}: q[{i}] in {}..{} of {a}..{b}",
                low[i],
                high[i]
            );
            // The mean of 400 has a deviation of at most 0.29 (0.71 for cos and sin) of the range / 20.
            let off = (sum[i] / DRAWS as f64 - (a + b) / 2.0).abs() / (b - a);
            assert!(off < 0.12, "{what}: the mean of q[{i}] is off by {off} of the range");
        }
    });
}

#[test]
fn a_lifted_joint_is_the_same_joint() {
    for_every_joint(|joint, rng, what| {
        let lifted = joint.lift::<Dual64>();
        assert_eq!((lifted.nq(), lifted.nv(), lifted.kind()), (joint.nq(), joint.nv(), joint.kind()), "{what}");
        let (q, v) = (random(joint, rng), tangent(joint.nv(), rng));
        let (dq, dv) = (along(joint, &q, &v), lift::<Dual64>(&v));

        let value = |x: Motion<Dual64>| motion(x).map(|x| x.re);
        let pose = |x: Transform<Dual64>| Transform::new(x.rotation.map(|x| x.re), x.translation.map(|x| x.re));
        assert_same(&entries(&pose(lifted.pose(&dq))), &entries(&joint.pose(&q)), format!("{what}: pose"));
        assert_same(&entries(&pose(joint.pose(&dq))), &entries(&joint.pose(&q)), format!("{what}: pose over duals"));
        let mut own = vec![Motion::zero(); joint.nv()];
        lifted.motion_subspace(&dq, &mut own);
        for (a, b) in own.iter().zip(columns(joint, &q)) {
            assert_same(&value(*a), &motion(b), format!("{what}: subspace"));
        }
        assert_same(&value(lifted.bias(&dq, &dv)), &motion(joint.bias(&q, &v)), format!("{what}: bias"));
        let mut reached = vec![Dual64::from(0.0); joint.nq()];
        lifted.integrate(&dq, &dv, &mut reached);
        assert_same(&re(&reached), &integrate(joint, &q, &v), format!("{what}: integrate"));
        let mut gap = vec![Dual64::from(0.0); joint.nv()];
        lifted.difference(&dq, &reached, &mut gap);
        assert_same(&re(&gap), &difference(joint, &q, &re(&reached)), format!("{what}: difference"));
        // Its derivatives too, whether constants are numbers or duals.
        let derivative = velocity_of(&lifted.pose(&dq));
        assert_near(&derivative, &velocity_of(&joint.pose(&dq)), 1e-15, format!("{what}: derivative"));
    });
}

#[test]
fn each_kind_has_a_name_of_its_own() {
    let mut kinds: BTreeMap<&str, HashSet<String>> = BTreeMap::new();
    for joint in joints(&mut rng(0)) {
        let variant = match &joint {
            Joint::Elementary(kind) => format!("{kind:?}").split('(').next().unwrap_or_default().to_owned(),
            Joint::Composite(_) => "Composite".to_owned(),
            Joint::Mimic(_) => "Mimic".to_owned(),
        };
        kinds.entry(joint.kind()).or_default().insert(variant);
    }
    let all: BTreeSet<_> = Elementary::every().map(|kind| kind.name()).chain(["composite", "mimic"]).collect();
    assert_eq!(kinds.keys().copied().collect::<BTreeSet<_>>(), all);
    assert!(kinds.values().all(|variants| variants.len() == 1), "{kinds:?}");
}

/// Derivatives with respect to what the joint is made of: over dual constants, the subspace is still the derivative of
/// the pose when the axis itself varies.
#[test]
fn constants_of_a_joint_can_be_differentiated_by() {
    let (axis, turn) = (Vector3::new(0.6, 0.0, 0.8), Vector3::new(0.8, 0.0, -0.6));
    let varied = Axis::Any(Vector3::from_fn(|i, _| Dual64::new(axis[i], turn[i])));
    let joint: Joint<Dual64> = Helical { axis: varied, pitch: Dual64::new(0.3, 2.0) }.into();
    let q = 0.7;
    let pose = joint.pose(&[Dual64::from(q)]);
    let h = 1e-3;
    let at = |s: f64| {
        let a = (axis * s.cos()) + turn * s.sin();
        let joint: Joint = Helical { axis: Axis::Any(a), pitch: 0.3 + 2.0 * s }.into();
        entries(&joint.pose(&[q]))
    };
    let difference = |h: f64| at(h).iter().zip(at(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<_>>();
    let (coarse, fine) = (difference(h), difference(h / 2.0));
    let limit: Vec<_> = coarse.iter().zip(&fine).map(|(c, f)| (4.0 * f - c) / 3.0).collect();
    let found: Vec<_> = pose.rotation.iter().chain(pose.translation.iter()).map(|x| x.eps).collect();
    // h⁴ and 1e-16/h
    assert_near(&found, &limit, 1e-11, "pose by axis and pitch");
}
