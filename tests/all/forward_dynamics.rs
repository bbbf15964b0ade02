//! Forward dynamics, bias, gravity and energy: against inverse dynamics, the mass matrix, and each other.

use gradyn::dynamics::{
    ExternalWrench, Workspace, aba, aba_gradient, bias, crba, factorize_mass_matrix, generalized_gravity,
    kinetic_energy, mechanical_energy, minv, potential_energy, rnea, static_torque,
};
use gradyn::joint::{Axis, Joint, Prismatic, Revolute};
use gradyn::model::{InputError, Model, ModelBuilder};
use gradyn::once;
use gradyn::spatial::{Force, Inertia, Symmetric3, Transform};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, DVector, Vector3};
use testing::{
    SINGULAR, assert_near, assert_same, condition, deviation, dual, lift, models, moved, regular, state, unit, wrenches,
};

/// Inverse dynamics asks for the torques that forward dynamics was given: friction, armature, mimic joints, wrenches of
/// both kinds.
#[test]
fn inverse_dynamics_of_forward_dynamics_are_the_torques() {
    for (what, model) in regular() {
        let mut ws = Workspace::new(&model);
        for seed in 0..3 {
            let (q, v, tau) = state(&model, seed);
            let tau: Vec<f64> = tau.iter().map(|t| t * 10.0).collect();
            let wrenches = wrenches(&model, seed);
            let a = aba(&model, &mut ws, &q, &v, &tau, &wrenches).expect("runs").to_vec();
            assert_same(&a, &once::aba(&model, &q, &v, &tau, &wrenches).expect("runs"), &what);
            let again = once::rnea(&model, &q, &v, &a, &wrenches).expect("runs");
            // Torques of the largest accelerations cancel; each sums hundreds of products.
            let m = once::crba(&model, &q).expect("runs");
            let scale = (m.abs() * DVector::from_vec(a).abs()).max().max(1.0);
            let scaled = |x: &[f64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
            assert_near(&scaled(&again), &scaled(&tau), 1e-12, format!("{what}, state {seed}"));
        }
    }
}

/// `L D Lᵀ` in the order of the tree: the product is the mass matrix, `L` has entries along paths only, `D` is
/// positive, and solving is the inverse.
#[test]
fn factors_of_the_mass_matrix() {
    for (what, model) in regular() {
        let (q, v, _) = state(&model, 3);
        let m = once::crba(&model, &q).expect("runs");
        let mut ws = Workspace::new(&model);
        let factors = factorize_mass_matrix(&model, &mut ws, &q).expect("regular");
        let (l, d) = (factors.unit_lower(), DMatrix::from_diagonal(&DVector::from_vec(factors.diagonal())));
        // Products of factors that are no larger than the matrix, as it is positive definite.
        assert!(deviation(&(l.transpose() * &d * &l), &m) < 1e-13, "{what}");
        assert!(d.diagonal().iter().all(|d| *d > 0.0), "{what}");
        for k in 0..model.nv() {
            let mut path = vec![k];
            while let Some(p) = factors.parent(path[path.len() - 1]) {
                path.push(p);
            }
            for j in 0..model.nv() {
                assert!(path.contains(&j) || l[(k, j)] == 0.0, "{what}: L[{k}, {j}]");
            }
        }
        assert_eq!(factors.parent(model.nv()), None);
        let mut x = v.clone();
        factors.solve(&mut x).expect("fits");
        let back = &m * DVector::from_vec(x.clone());
        let scale = (m.abs() * DVector::from_vec(x).abs()).max().max(1.0);
        assert!((back - DVector::from_vec(v.clone())).abs().max() / scale < 1e-13, "{what}");
        assert!(factors.solve(&mut [0.0; 0]).is_err() || model.nv() == 0, "{what}: length");
    }
}

/// Without mimic joints, the tree of `L` is that of the bodies: the parent of a degree of freedom moves the body that
/// its joint hangs from, or is the one before it in its joint.
#[test]
fn parents_of_degrees_of_freedom_are_those_of_bodies() {
    for (what, model) in regular() {
        if model.bodies().iter().any(|body| !body.owns_coordinates()) {
            continue;
        }
        let (q, ..) = state(&model, 3);
        let mut ws = Workspace::new(&model);
        let factors = factorize_mass_matrix(&model, &mut ws, &q).expect("regular");
        for body in model.bodies() {
            let mut above = body.parent();
            while let Some(p) = above.filter(|p| model.bodies()[p.index()].v_range().is_empty()) {
                above = model.bodies()[p.index()].parent();
            }
            let mut expected = above.map(|p| model.bodies()[p.index()].v_range().end - 1);
            for k in body.v_range() {
                assert_eq!(factors.parent(k), expected, "{what}: {k}");
                expected = Some(k);
            }
        }
    }
}

/// The direct inverse is the inverse.
#[test]
fn inverse_of_the_mass_matrix() {
    for (what, model) in regular() {
        let mut ws = Workspace::new(&model);
        for seed in 4..6 {
            let (q, ..) = state(&model, seed);
            let m = once::crba(&model, &q).expect("runs");
            let inverse = minv(&model, &mut ws, &q).expect("regular");
            assert!(*inverse == inverse.transpose(), "{what}");
            assert!(*inverse == once::minv(&model, &q).expect("regular"), "{what}");
            // M M⁻¹ − 1 with the diagonal of M scaled to one; a thousand roundings an entry, each as bad as M is
            // conditioned.
            let d: Vec<f64> = m.diagonal().iter().map(|x| x.sqrt()).collect();
            let n = m.nrows();
            let product =
                DMatrix::from_fn(n, n, |i, j| (0..n).map(|k| m[(i, k)] * inverse[(k, j)]).sum::<f64>() / d[i] * d[j]);
            let off = (product - DMatrix::<f64>::identity(n, n)).abs().max();
            let tolerance = 1000.0 * f64::EPSILON * condition(&m);
            assert!(off < tolerance, "{what}: off by {off:e}, tolerance {tolerance:e}");
        }
    }
}

/// `M(q) a + bias = rnea`, and the bias at rest, without friction, is gravity less what wrenches do.
#[test]
fn bias_and_gravity_are_parts_of_inverse_dynamics() {
    for (what, model) in models() {
        let mut ws = Workspace::new(&model);
        let (q, v, a) = state(&model, 6);
        let wrenches = wrenches(&model, 6);
        let zero = vec![0.0; model.nv()];
        let whole = once::rnea(&model, &q, &v, &a, &wrenches).expect("runs");
        let bias_torques = bias(&model, &mut ws, &q, &v, &wrenches).expect("runs").to_vec();
        let m = once::crba(&model, &q).expect("runs");
        let sum = m * DVector::from_vec(a) + DVector::from_vec(bias_torques);
        // Sums of hundreds of products along the tree.
        assert_near(sum.as_slice(), &whole, 1e-12, &what);
        let gravity = generalized_gravity(&model, &mut ws, &q).expect("runs").to_vec();
        let rigid = model.clone().without_springs();
        assert_near(&gravity, &once::rnea(&rigid, &q, &zero, &zero, &[]).expect("runs"), 1e-12, &what);
        let torque = static_torque(&model, &mut ws, &q, &wrenches).expect("runs").to_vec();
        assert_near(&torque, &once::rnea(&model, &q, &zero, &zero, &wrenches).expect("runs"), 1e-12, &what);
    }
}

/// The static torque is the gradient of the potential energy, and the kinetic energy is `½ vᵀ M v`.
#[test]
fn energies_and_their_gradients() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 7);
        let (mut ws, mut duals) = (Workspace::new(&model), Workspace::<Dual64>::new(&model));
        let torque = static_torque(&model, &mut ws, &q, &[]).expect("runs").to_vec();
        let gradient: Vec<f64> = (0..model.nv())
            .map(|k| {
                let q = moved(&model, &q, &unit(model.nv(), k));
                potential_energy(&model, &mut duals, &q).expect("runs").eps
            })
            .collect();
        assert_near(&torque, &gradient, 1e-12, &what);
        let m = once::crba(&model, &q).expect("runs");
        let x = DVector::from_vec(v.clone());
        let kinetic = kinetic_energy(&model, &mut ws, &q, &v).expect("runs");
        let expected = (&m * &x).dot(&x) / 2.0;
        // Motions of long chains cancel in the product.
        let scale = (m.abs() * x.abs()).dot(&x.abs()).max(1.0);
        assert!((kinetic - expected).abs() < 1e-13 * scale, "{what}: {kinetic} instead of {expected}");
    }
}

/// Energy changes by the work of torques and wrenches, less what friction takes:
/// `d(T + U)/dt = (τ − friction)ᵀ v + Σ φᵀ ν`.
#[test]
fn energy_is_balanced() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 8);
        let wrenches = wrenches(&model, 8);
        let a = once::aba(&model, &q, &v, &tau, &wrenches).expect("runs");
        let mut ws = Workspace::<Dual64>::new(&model);
        let energy = mechanical_energy(&model, &mut ws, &moved(&model, &q, &v), &dual(&v, &a)).expect("runs");
        let zero = vec![0.0; model.nv()];
        let smooth = model.clone().with_joint_friction(false);
        let torques = |model: &Model, wrenches: &[ExternalWrench]| {
            DVector::from_vec(once::rnea(model, &q, &v, &zero, wrenches).expect("runs"))
        };
        let v = DVector::from_vec(v.clone());
        let friction = torques(&model, &[]) - torques(&smooth, &[]);
        let outside = torques(&model, &[]) - torques(&model, &wrenches);
        let power = (DVector::from_vec(tau) - friction + outside).dot(&v);
        // Kinetic and potential energy exchange more than they gain.
        let scale = (once::crba(&model, &q).expect("runs").abs() * DVector::from_vec(a).abs()).dot(&v.abs()).max(1.0);
        assert!((energy.eps - power).abs() < 1e-12 * scale, "{what}: {} instead of {power}", energy.eps);
    }
}

/// Over dual numbers accelerations are those over `f64`, which come from factors of the mass matrix where that takes
/// less time than articulated bodies, and their rates those of another algorithm.
#[test]
fn forward_dynamics_over_dual_numbers() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 9);
        let a = once::aba(&model, &q, &v, &tau, &[]).expect("runs");
        let found = once::aba(&model, &lift::<Dual64>(&q), &lift(&v), &dual(&tau, &v), &[]).expect("runs");
        let values: Vec<f64> = found.iter().map(|x| x.re).collect();
        // A thousand roundings, each as bad as M is conditioned.
        let tolerance = 1000.0 * f64::EPSILON * condition(&once::crba(&model, &q).expect("runs"));
        assert_near(&values, &a, tolerance, &what);
        let rates: Vec<f64> = found.iter().map(|x| x.eps).collect();
        let mut ws = Workspace::new(&model);
        let mut expected = v.clone();
        factorize_mass_matrix(&model, &mut ws, &q).expect("regular").solve(&mut expected).expect("fits");
        assert_near(&rates, &expected, tolerance, &what);
    }
}

/// Forward dynamics of the mimic path and of the articulated-body algorithm agree where both apply.
#[test]
fn accelerations_solve_the_equations_of_motion() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 10);
        let wrenches = wrenches(&model, 10);
        let mut ws = Workspace::new(&model);
        let a = aba(&model, &mut ws, &q, &v, &tau, &wrenches).expect("runs").to_vec();
        let bias = bias(&model, &mut ws, &q, &v, &wrenches).expect("runs").to_vec();
        let mut expected: Vec<f64> = tau.iter().zip(&bias).map(|(tau, bias)| tau - bias).collect();
        factorize_mass_matrix(&model, &mut ws, &q).expect("regular").solve(&mut expected).expect("fits");
        let tolerance = 1000.0 * f64::EPSILON * condition(&once::crba(&model, &q).expect("runs"));
        assert_near(&a, &expected, tolerance, &what);
    }
}

/// What each function says of a model that has no mass matrix to invert.
fn assert_singular(model: &Model, joint: &str, what: &str) {
    let (q, v, tau) = state(model, 11);
    let mut ws = Workspace::new(model);
    let errors = [
        aba(model, &mut ws, &q, &v, &tau, &[]).map(|_| ()),
        aba_gradient(model, &mut ws, &q, &v, &tau, &v, &[]).map(|_| ()),
        minv(model, &mut ws, &q).map(|_| ()),
        factorize_mass_matrix(model, &mut ws, &q).map(|_| ()),
    ];
    for error in errors {
        let error = error.expect_err(what);
        assert!(matches!(error, InputError::SingularMassMatrix { .. }), "{what}: {error}");
        assert!(error.to_string().contains(joint), "{what}: {error}");
    }
}

/// An arm of three bodies with these joints, of which the last has this inertia, the second none if `hollow`.
fn arm(joints: [Joint; 3], last: Inertia<f64>, hollow: bool) -> ModelBuilder {
    let rng = &mut testing::rng(5);
    let mut builder = ModelBuilder::new("arm");
    let mut parent = None;
    for (i, joint) in joints.into_iter().enumerate() {
        let inertia = match i {
            2 => last,
            1 if hollow => Inertia::zero(),
            _ => testing::inertia(rng),
        };
        let key = builder
            .add_body(parent, format!("body{i}"), format!("joint{i}"), testing::transform(rng), joint, inertia)
            .expect("builds");
        parent = Some(key);
    }
    builder
}

/// Joints that move nothing with inertia are named: without any, with a point mass on the axis, with a rod along it,
/// below a joint that takes its motion up, and where only the mimic path looks.
#[test]
fn joints_without_inertia_are_named() {
    let hinge = || Joint::from(Revolute { axis: Axis::along(Vector3::new(0.3, -0.2, 0.9)).expect("not zero") });
    let along = Vector3::new(0.3, -0.2, 0.9);
    let point = |p: Vector3<f64>| Inertia::new(2.0, p, Symmetric3::diagonal(0.0, 0.0, 0.0));
    let none = Inertia::zero();
    let build = |builder: ModelBuilder| builder.build().expect("builds");
    assert_singular(&build(arm([hinge(), hinge(), hinge()], none, false)), "joint2", "no inertia");
    assert_singular(&build(arm([hinge(), hinge(), hinge()], none, true)), "joint2", "no inertia in a subtree");
    assert_singular(&build(arm([hinge(), hinge(), hinge()], point(along * 0.7), false)), "joint2", "mass on the axis");
    let rod = Inertia::new(
        1.0,
        along * 0.4,
        Symmetric3::minus_skew_squared(along).scale::<f64>(0.01), // a thin rod along the axis
    );
    assert_singular(&build(arm([hinge(), hinge(), hinge()], rod, false)), "joint2", "rod along the axis");

    // A slide on a massless carriage on a slide: one of them is enough.
    let slide = || Joint::from(Prismatic { axis: Axis::Z });
    let mut builder = ModelBuilder::new("slides");
    let base = builder.add_body(None, "carriage", "outer", Transform::identity(), slide(), none).expect("builds");
    let load = point(Vector3::new(0.1, 0.2, 0.3));
    builder.add_body(Some(base), "load", "inner", Transform::identity(), slide(), load).expect("builds");
    assert_singular(&build(builder), "outer", "two slides");

    // Robots of which the massless base floats.
    let floating: Vec<_> = models().into_iter().filter(|(what, _)| SINGULAR.contains(&what.as_str())).collect();
    assert_eq!(floating.len(), SINGULAR.len());
    for (what, model) in floating {
        assert_singular(&model, "root_joint", &what);
    }

    // Where a joint mimics another one.
    let mut builder = arm([hinge(), hinge(), hinge()], none, true);
    let leader = builder
        .add_body(None, "light", "leader", Transform::identity(), Revolute { axis: Axis::X }, none)
        .expect("builds");
    let follower = builder
        .add_body(None, "light too", "follower", Transform::identity(), Revolute { axis: Axis::X }, none)
        .expect("builds");
    builder.set_mimic(follower, leader, 2.0, 0.0).expect("one coordinate each");
    assert_singular(&build(builder), "joint", "mimic");
}

/// Armature is inertia: with it the same arm moves.
#[test]
fn armature_moves_what_has_no_mass() {
    let hinge = || Joint::from(Revolute { axis: Axis::Y });
    let mut builder = ModelBuilder::new("rotor");
    let key =
        builder.add_body(None, "rotor", "shaft", Transform::identity(), hinge(), Inertia::zero()).expect("builds");
    builder.set_armature(key, &[1e-4]).expect("fits");
    let model = builder.build().expect("builds");
    let a = once::aba(&model, &[0.2], &[0.0], &[3e-4], &[]).expect("runs");
    assert_near(&a, &[3.0], 1e-15, "τ / armature");
}

/// Light bodies are no massless ones: a wrist of a gram far from the origin, a grain under a tonne.
#[test]
fn light_bodies_move() {
    for (scale, place) in [(1e-3, 1.0), (1e-6, 1.0), (1e-3, 100.0)] {
        let mut builder = ModelBuilder::new("light");
        let ball = |mass: f64, r: f64| Inertia::solid_sphere(mass, r).expect("a ball");
        let far = Transform::from_translation(Vector3::new(place, 0.0, 0.0));
        let hinge = || Revolute { axis: Axis::Z };
        let base = builder.add_body(None, "heavy", "base", far, hinge(), ball(1000.0, 1.0)).expect("builds");
        let small = Transform::from_translation(Vector3::new(0.5, 0.0, 0.0));
        builder.add_body(Some(base), "light", "wrist", small, hinge(), ball(scale, 0.01)).expect("builds");
        let model = builder.build().expect("builds");
        let a = once::aba(&model, &[0.3, 0.1], &[0.0; 2], &[0.0, scale], &[]).expect("runs");
        let tau = once::rnea(&model, &[0.3, 0.1], &[0.0; 2], &a, &[]).expect("runs");
        // 4e-5 of its inertia about the world's origin, squared by the distance: nine digits are left at 100 m.
        assert!((tau[1] / scale - 1.0).abs() < 1e-5, "{scale}, {place}: {tau:?}");
    }
}

/// Misuse is named.
#[test]
fn errors_name_what_is_wrong() {
    let model = testing::tree_of_every_joint(1);
    let (q, v, tau) = state(&model, 12);
    let mut ws = Workspace::new(&model);
    let error = aba(&model, &mut ws, &q, &v, &tau[1..], &[]).expect_err("short");
    assert!(error.to_string().contains("`tau`"), "{error}");
    let mut bad = tau.clone();
    bad[2] = f64::INFINITY;
    let error = aba(&model, &mut ws, &q, &v, &bad, &[]).expect_err("infinite");
    assert!(matches!(error, InputError::NotFinite { what: "tau", index: 2, .. }), "{error}");
    let mut bad = v.clone();
    bad[1] = f64::NAN;
    for error in [
        aba(&model, &mut ws, &q, &bad, &tau, &[]).expect_err("not a number"),
        bias(&model, &mut ws, &q, &bad, &[]).expect_err("not a number"),
        kinetic_energy(&model, &mut ws, &q, &bad).expect_err("not a number"),
    ] {
        assert!(matches!(error, InputError::NotFinite { what: "v", index: 1, .. }), "{error}");
    }
    let body = model.body_id(2).expect("is there");
    let wrench = ExternalWrench::in_world(body, Force::new(Vector3::new(f64::NAN, 0.0, 0.0), Vector3::zeros()));
    for error in [
        aba(&model, &mut ws, &q, &v, &tau, &[wrench]).expect_err("not a number"),
        static_torque(&model, &mut ws, &q, &[wrench]).expect_err("not a number"),
    ] {
        assert!(matches!(error, InputError::NotFinite { what: "wrenches", .. }), "{error}");
    }
    let huge: Vec<f64> = v.iter().map(|v| v * 1e200).collect();
    let error = aba(&model, &mut ws, &q, &huge, &tau, &[]).expect_err("too large");
    assert!(matches!(error, InputError::Overflow { .. }), "{error}");
    // The workspace is as good as before.
    let expected = once::aba(&model, &q, &v, &tau, &[]).expect("runs");
    assert_same(aba(&model, &mut ws, &q, &v, &tau, &[]).expect("runs"), &expected, "after errors");
    let _ = (rnea(&model, &mut ws, &q, &v, &tau, &[]).expect("runs"), crba(&model, &mut Workspace::new(&model), &q));
    assert_same(aba(&model, &mut ws, &q, &v, &tau, &[]).expect("runs"), &expected, "after other algorithms");
}
