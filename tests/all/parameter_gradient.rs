//! Gradients by every parameter of a robot: dual numbers over the model say the same, for every kind of joint.

use gradyn::Workspace;
use gradyn::dynamics::{ExternalWrench, aba, aba_parameter_gradient, rnea, rnea_parameter_gradient};
use gradyn::joint::{Axis, Joint};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{InputError, Model};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Level, with_level};
use testing::*;

fn dot<T: gradyn_derivatives::Scalar<f64>>(lambda: &[f64], x: &[T]) -> T {
    lambda.iter().zip(x).fold(T::zero(), |sum, (l, x)| sum + *x * *l)
}

/// Derivatives of a function of the model along each of its parameters, by dual numbers.
fn by_duals(model: &Model, of: impl Fn(&Model<Dual64>) -> Dual64) -> Vec<f64> {
    let lifted: Model<Dual64> = model.lift();
    let n = model.parameter_layout().len();
    let along = |k: usize| {
        let step: Vec<Dual64> = (0..n).map(|i| Dual64::new(0.0, f64::from(u8::from(i == k)))).collect();
        of(&lifted.with_parameters_moved(&step).expect("fits")).eps
    };
    (0..n).map(along).collect()
}

/// What a parameter is, for messages.
fn kind(model: &Model, k: usize) -> &'static str {
    let l = model.parameter_layout();
    let of = [
        (&l.inertial, "inertial"),
        (&l.friction, "friction"),
        (&l.damping, "damping"),
        (&l.armature, "armature"),
        (&l.gravity, "gravity"),
        (&l.placement, "placement"),
        (&l.axis, "axis"),
        (&l.pitch, "pitch"),
        (&l.multiplier, "multiplier"),
        (&l.offset, "offset"),
        (&l.stiffness, "stiffness"),
        (&l.spring_reference, "spring reference"),
        (&l.stribeck, "stribeck"),
        (&l.stribeck_velocity, "stribeck velocity"),
        (&l.friction_asymmetry, "friction asymmetry"),
    ];
    of.into_iter().find(|(range, _)| range.contains(&k)).map_or("friction width", |(_, name)| name)
}

/// Two sums of some hundred products each, in another order.
const TOLERANCE: f64 = 1e-12;

fn assert_agree(model: &Model, found: &[f64], expected: &[f64], what: &str) {
    let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= TOLERANCE * scale, "{what}: {} parameter {k}: {f} against {e}", kind(model, k));
    }
}

fn lift(x: &[f64]) -> Vec<Dual64> {
    x.iter().map(|x| Dual64::from(*x)).collect()
}

fn lift_wrenches(of: &[ExternalWrench<f64>]) -> Vec<ExternalWrench<Dual64>> {
    of.iter().map(|w| ExternalWrench { body: w.body, wrench: w.wrench.lift(), frame: w.frame }).collect()
}

fn cases() -> Vec<(String, Model)> {
    let mut all: Vec<_> = trees().into_iter().filter(|(_, model)| model.bodies().len() <= 21).collect();
    for (name, floating) in [("panda", false), ("solo12", true), ("ur5", true)] {
        let model = robot(name, &UrdfOptions::new().floating_base(floating));
        all.push((format!("{name}, floating base: {floating}"), model));
    }
    all
}

#[test]
fn every_parameter_is_right_for_every_joint() {
    let mut kinds = std::collections::BTreeSet::new();
    for (n, (what, model)) in cases().into_iter().enumerate() {
        let seed = n as u64 + 40;
        let rng = &mut rng(seed);
        let (q, v, a) = state(&model, seed);
        let lambda: Vec<f64> = v.iter().map(|_| uniform(rng)).collect();
        let pushes = wrenches(&model, seed);
        let expected = by_duals(&model, |model| {
            let mut ws = Workspace::new(model);
            let tau = rnea(model, &mut ws, &lift(&q), &lift(&v), &lift(&a), &lift_wrenches(&pushes)).expect("runs");
            dot(&lambda, tau)
        });
        kinds.extend((0..expected.len()).filter(|k| expected[*k].abs() > 1e-3).map(|k| kind(&model, k)));
        for level in Level::available() {
            with_level(level, || {
                let mut ws = Workspace::new(&model);
                let by = rnea_parameter_gradient(&model, &mut ws, &q, &v, &a, &lambda, &pushes).expect("runs");
                assert_agree(&model, by.dp, &expected, &format!("{what}, {level}"));
            });
        }
    }
    assert_eq!(kinds.len(), 16, "each kind was seen to matter: {kinds:?}");
}

/// Forward dynamics over dual numbers by other recursions than the gradient's.
#[test]
fn accelerations_by_every_parameter() {
    for (n, (what, model)) in cases().into_iter().enumerate().filter(|(_, (what, _))| !what.contains("bodies")) {
        let seed = n as u64 + 80;
        let rng = &mut rng(seed);
        let (q, v, tau) = state(&model, seed);
        let lambda: Vec<f64> = v.iter().map(|_| uniform(rng)).collect();
        let pushes = wrenches(&model, seed);
        let mut ws = Workspace::new(&model);
        let by = aba_parameter_gradient(&model, &mut ws, &q, &v, &tau, &lambda, &pushes).expect("runs");
        let expected = by_duals(&model, |model| {
            let mut ws = Workspace::new(model);
            let ddq = aba(model, &mut ws, &lift(&q), &lift(&v), &lift(&tau), &lift_wrenches(&pushes)).expect("runs");
            dot(&lambda, ddq)
        });
        // Conditions of these mass matrices are up to 1e4.
        let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        for (k, (f, e)) in by.dp.iter().zip(&expected).enumerate() {
            assert!((f - e).abs() <= 1e-10 * scale, "{what}: {} parameter {k}: {f} against {e}", kind(&model, k));
        }
        let again = aba(&model, &mut Workspace::new(&model), &q, &v, &tau, &pushes).expect("runs").to_vec();
        let value = aba_parameter_gradient(&model, &mut ws, &q, &v, &tau, &lambda, &pushes).expect("runs").state.value;
        assert!((value - dot(&lambda, &again)).abs() <= 1e-9 * (1.0 + value.abs()), "{what}: value");
    }
}

/// The standard parameters' part of the gradient is `λᵀ Y`.
#[test]
fn standard_parameters_are_those_of_the_regressor() {
    for (n, (what, model)) in cases().into_iter().enumerate() {
        let (q, v, a) = state(&model, n as u64);
        let lambda = vec![1.0; model.nv()];
        let mut ws = Workspace::new(&model);
        let rows = gradyn::dynamics::standard_regressor(&model, &mut ws, &q, &v, &a).expect("runs").clone();
        let expected: Vec<f64> = rows.row_sum().iter().copied().collect();
        let by = rnea_parameter_gradient(&model, &mut ws, &q, &v, &a, &lambda, &[]).expect("runs");
        let l = model.parameter_layout();
        let (standard, of_springs) = expected.split_at(l.armature.end);
        assert_agree(&model, &by.dp[..standard.len()], standard, &what);
        // By the preload, stiffness times reference: ∂/∂stiffness = column + reference · column of the preload.
        let (springs, curves) = (model.springs(), model.friction_curves());
        let of_poses: Vec<(usize, usize)> = model
            .pose_springs()
            .iter()
            .flat_map(|spring| spring.dofs().map(move |dof| (dof, dof + 6 - spring.dofs().end)))
            .collect();
        let all = springs.len() + of_poses.len();
        let preloads = springs.len() + of_poses.iter().filter(|(_, i)| *i < 3).count();
        assert_eq!(of_springs.len(), all + preloads + 2 * curves.len(), "{what}");
        for (j, curve) in curves.iter().enumerate() {
            let owner = |b: &usize| model.bodies()[*b].v_range().contains(&curve.index);
            let same = |b: &usize| {
                let id = model.body_id(*b).expect("is there");
                model.friction_curve_of(id, curve.index - model.bodies()[*b].v_range().start) == Some(curve)
            };
            let b = (0..model.bodies().len()).filter(owner).find(same).expect("has a body");
            let (id, k) = (model.body_id(b).expect("is there"), curve.index - model.bodies()[b].v_range().start);
            let place = l.of_curve(id, k).expect("is there");
            let found = [by.dp[l.stribeck.start + place], by.dp[l.friction_asymmetry.start + place]];
            let at = all + preloads + j;
            assert_near(
                &found,
                &[of_springs[at], of_springs[at + curves.len()]],
                TOLERANCE,
                format!("{what}: curve {j}"),
            );
        }
        let dp = by.dp.to_vec();
        let mut seen = 0;
        for (j, (body, k)) in l.springs().enumerate() {
            let id = model.body_id(body).expect("is there");
            if let Some((at, (dof, i))) =
                of_poses.iter().enumerate().find(|(_, (dof, _))| *dof == model.bodies()[body].v_range().start + k)
            {
                let column = of_springs[springs.len() + at];
                let by_stiffness = dp[l.stiffness.start + j];
                let [stiffness, reference] = model.spring_constants(id, k).expect("is there");
                let before = of_poses[..at].iter().filter(|(_, i)| *i < 3).count();
                // Displacements have a preload, turns in space have none.
                let preload = if *i < 3 { of_springs[all + springs.len() + before] } else { 0.0 };
                assert_near(&[by_stiffness], &[column + reference * preload], TOLERANCE, format!("{what}: {dof}"));
                if *i < 3 {
                    let found = dp[l.spring_reference.start + j];
                    assert_near(&[found], &[stiffness * preload], TOLERANCE, format!("{what}: {dof}"));
                }
                seen += 1;
                continue;
            }
            let Some(spring) = model.spring_of(id, k) else { continue };
            let at = springs.iter().position(|other| other == spring).expect("is in the list");
            let [column, preload] = [of_springs[at], of_springs[all + at]];
            let found = [dp[l.stiffness.start + j], dp[l.spring_reference.start + j]];
            let expected = [column + spring.reference * preload, spring.stiffness * preload];
            assert_near(&found, &expected, TOLERANCE, format!("{what}: spring {at}"));
            seen += 1;
        }
        assert_eq!(seen, all, "{what}");
    }
}

/// What setters of joints' constants refuse, and that they keep ids.
#[test]
fn constants_of_joints_are_set_one_by_one() {
    let model = tree_of_every_joint(1);
    let mut seen = [0; 3];
    for (i, body) in model.bodies().iter().enumerate() {
        let id = model.body_id(i).expect("is there");
        let axes = body.joint().axes();
        for number in 0..axes.len() {
            let changed = model.clone().with_axis(id, number, Axis::Y).expect("fits");
            assert_eq!(changed.bodies()[i].joint().axes()[number], Axis::Y);
            assert_eq!(changed.bodies()[i].joint().axes().len(), axes.len());
            let (q, v, a) = state(&model, 3);
            let stale = rnea(&changed, &mut Workspace::new(&model), &q, &v, &a, &[]).is_err();
            assert!(stale || axes[number] == Axis::Y, "a workspace with the other axis in it is refused");
            seen[0] += 1;
        }
        let none = model.clone().with_axis(id, axes.len(), Axis::Y).expect_err("has no such axis");
        assert!(none.to_string().contains(body.joint_name()), "{none}");
        for number in 0..body.joint().pitches().len() {
            let changed = model.clone().with_pitch(id, number, 0.5).expect("fits");
            assert_eq!(changed.bodies()[i].joint().pitches()[number].to_bits(), 0.5_f64.to_bits());
            seen[1] += 1;
        }
        if let Joint::Mimic(_) = body.joint() {
            let changed = model.clone().with_mimic(id, 2.0, 0.3).expect("fits");
            let Joint::Mimic(joint) = changed.bodies()[i].joint() else { panic!("still one") };
            assert_eq!((joint.multiplier(), joint.offset()), (2.0, 0.3));
            assert!(model.clone().with_mimic(id, f64::NAN, 0.0).is_err());
            seen[2] += 1;
        } else {
            let error = model.clone().with_mimic(id, 2.0, 0.3).expect_err("is none");
            assert!(matches!(error, InputError::Parameter { .. }), "{error}");
        }
    }
    assert!(seen[0] > 10 && seen[1] >= 2 && seen[2] == 2, "{seen:?}");
}
