//! Parameters changed in place: the model is then the one that would have been built with them, to the last bit of
//! every result.

use gradyn::batch::Batch;
use gradyn::dynamics::{aba, crba, frame_pose, minv, rnea, standard_regressor, torque_regressor};
use gradyn::joint::JointKind;
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyId, InputError, Model};
use gradyn::partials::{HessianWorkspace, aba_derivatives, rnea_hessian};
use gradyn::spatial::Transform;
use gradyn::{DerivativeWorkspace, Method, Workspace, rnea_derivatives};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::Vector3;
use rand::RngExt;
use testing::*;

/// The same tree with other numbers, built anew.
fn other(model: &Model, seed: u64) -> Model {
    let rng = &mut rng(seed);
    let mut builder = model.to_builder();
    for (i, body) in model.bodies().iter().enumerate() {
        let key = builder.key(i).expect("is there");
        let has = |dof: usize| model.joint_dynamics().iter().any(|entry| entry.index == dof);
        let nv = body.v_range().len();
        if nv > 0 && has(body.v_range().start) && body.owns_coordinates() {
            let mut numbers = || (0..nv).map(|_| rng.random_range(0.1..1.0)).collect::<Vec<_>>();
            builder.set_armature(key, &numbers()).expect("fits");
            builder.set_damping(key, &numbers()).expect("fits");
            builder.set_friction(key, &numbers()).expect("fits");
        }
    }
    builder.set_gravity(vector(rng)).set_friction_width(0.7);
    let mut built = builder.build().expect("builds");
    for i in 0..model.bodies().len() {
        let body = built.body_id(i).expect("is there");
        built =
            built.with_inertia(body, inertia(rng)).and_then(|m| m.with_placement(body, transform(rng))).expect("fits");
    }
    // Nothing has been derived from it yet.
    built.to_builder().build().expect("builds")
}

/// Everything that goes by constants kept elsewhere than in the model.
fn results(model: &Model, ws: &mut Workspace<f64>, by: &mut DerivativeWorkspace, seed: u64) -> Vec<f64> {
    let (q, v, a) = state(model, seed);
    let mut all = rnea(model, ws, &q, &v, &a, &[]).expect("runs").to_vec();
    all.extend(crba(model, ws, &q).expect("runs").iter());
    all.extend(torque_regressor(model, ws, &q, &v, &a).expect("runs").iter());
    // Of models whose mass matrix is singular an error, twice the same.
    match aba(model, ws, &q, &v, &a, &[]) {
        Ok(ddq) => all.extend(ddq),
        Err(error) => all.push(error.to_string().len() as f64),
    }
    if let Ok(inverse) = minv(model, ws, &q) {
        all.extend(inverse.iter());
    }
    for method in [Method::Analytical, Method::Dual] {
        let d = rnea_derivatives(model, by, method, &q, &v, &a, &[]).expect("runs");
        d.matrices().iter().for_each(|(_, m)| all.extend(m.iter()));
    }
    if let Ok(d) = aba_derivatives(model, by, Method::Analytical, &q, &v, &a, &[]) {
        d.matrices().iter().for_each(|(_, m)| all.extend(m.iter()));
    }
    let (mut tau, v2) = (vec![0.0; 8 * model.nv()], v.repeat(8));
    Batch::with_threads(model, 1).rnea(model, &q.repeat(8), &v2, &a.repeat(8), &mut tau).expect("fits");
    all.extend(tau);
    all
}

#[test]
fn a_model_changed_in_place_is_the_model_built_anew_to_the_last_bit() {
    let mut all: Vec<_> = trees().into_iter().filter(|(_, model)| model.bodies().len() <= 21).collect();
    all.extend(afloat());
    for (name, floating) in [("solo12", true), ("panda", false)] {
        let model = robot(name, &UrdfOptions::new().floating_base(floating));
        // One joint with armature, so that there is some to be changed.
        let last = model.body_id(model.bodies().len() - 1).expect("is there");
        all.push((name.to_owned(), model.with_armature(last, &[0.1]).expect("fits")));
    }
    for (what, model) in all {
        for level in Level::available() {
            with_level(level, || {
                let mut changed = model.clone();
                let (mut ws, mut by) = (Workspace::new(&changed), DerivativeWorkspace::new(&changed));
                let before = results(&changed, &mut ws, &mut by, 1);
                for seed in 2..4 {
                    let expected = other(&model, seed);
                    changed.update_parameters(|p| p.copy_from(&expected).map(|_| ())).expect("same joints");
                    assert!(changed == expected, "{what}: parameters");
                    let found = results(&changed, &mut ws, &mut by, seed);
                    let (mut ws, mut by) = (Workspace::new(&expected), DerivativeWorkspace::new(&expected));
                    let anew = results(&expected, &mut ws, &mut by, seed);
                    assert_same(&found, &anew, format!("{what}, {level}, seed {seed}"));
                }
                changed.update_parameters(|p| p.copy_from(&model).map(|_| ())).expect("same joints");
                assert_same(&results(&changed, &mut ws, &mut by, 1), &before, format!("{what}, {level}: back"));
            });
        }
    }
}

/// Each of the functions by itself; the builder says the same.
#[test]
fn parameters_one_by_one_are_those_of_the_builder() {
    let model = tree_of_every_joint(1);
    let body = |i: usize| model.body_id(i).expect("is there");
    for (i, b) in model.bodies().iter().enumerate() {
        let (nq, nv) = (b.q_range().len(), b.v_range().len());
        let numbers: Vec<f64> = (0..nv).map(|k| 0.5 + k as f64).collect();
        let mut builder = model.to_builder();
        let key = builder.key(i).expect("is there");
        builder.set_armature(key, &numbers).expect("fits");
        builder.set_damping(key, &numbers).expect("fits");
        builder.set_friction(key, &numbers).expect("fits");
        let expected = builder.build().expect("builds");
        let changed = model.clone().with_armature(body(i), &numbers).expect("fits");
        let changed = changed.with_damping(body(i), &numbers).and_then(|m| m.with_friction(body(i), &numbers));
        // A joint without degrees of freedom has no entries in either.
        assert!(changed.expect("fits") == expected, "body {i}");
        if b.owns_coordinates() {
            let mut builder = model.to_builder();
            builder.set_q_limits(key, &vec![(-2.0, 3.0); nq]).expect("fits");
            builder.set_velocity_limits(key, &vec![5.0; nv]).expect("fits");
            builder.set_effort_limits(key, &vec![6.0; nv]).expect("fits");
            let changed = model.clone().with_q_limits(body(i), &vec![(-2.0, 3.0); nq]).expect("fits");
            let changed = changed.with_velocity_limits(body(i), &vec![5.0; nv]).expect("fits");
            let changed = changed.with_effort_limits(body(i), &vec![6.0; nv]).expect("fits");
            assert!(changed == builder.build().expect("builds"), "limits of body {i}");
        }
    }
    let mut changed = model.clone();
    let parameters = other(&model, 5).inertial_parameters();
    changed
        .update_parameters(|p| {
            p.set_inertial_parameters(&parameters)?;
            p.set_gravity(Vector3::new(0.0, 0.0, -1.62))?.set_friction_width(0.2)?.set_joint_friction(false);
            Ok(())
        })
        .expect("are numbers");
    // By way of the mass center and back: a few roundings.
    assert_near(&changed.inertial_parameters(), &parameters, 1e-14, "inertial parameters");
    assert_eq!((changed.gravity().z, changed.friction_width(), changed.has_joint_friction()), (-1.62, 0.2, false));
}

/// A clone keeps its own numbers, whichever of the two is changed and whatever both had derived.
#[test]
fn clones_do_not_share_changes() {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let of = |model: &Model| results(model, &mut Workspace::new(model), &mut DerivativeWorkspace::new(model), 3);
    let before = of(&model);
    let mut changed = model.clone();
    let expected = other(&model, 9);
    changed.update_parameters(|p| p.copy_from(&expected).map(|_| ())).expect("same joints");
    assert_same(&of(&model), &before, "the clone that was not changed");
    assert_same(&of(&changed), &of(&expected), "the one that was");
}

/// What a failing change had changed before stays, and results are those of the model as it is then.
#[test]
fn a_change_that_fails_halfway_leaves_a_model_in_order() {
    let mut model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let of = |model: &Model| results(model, &mut Workspace::new(model), &mut DerivativeWorkspace::new(model), 3);
    let before = of(&model);
    let first = model.body_id(0).expect("is there");
    let mut bad = *model.bodies()[1].inertia();
    bad.mass = f64::INFINITY;
    let second = model.body_id(1).expect("is there");
    let name = model.bodies()[1].name().to_owned();
    let good = inertia(&mut rng(1));
    let error = model.update_parameters(|p| p.set_inertia(first, good)?.set_inertia(second, bad).map(|_| ()));
    let error = error.expect_err("is not finite").to_string();
    assert_eq!(error, format!("`inertia[0]` (body {name}) is inf, which is not finite"));
    let found = of(&model);
    assert!(found != before);
    assert_same(&found, &of(&model.to_builder().build().expect("builds")), "as built");
}

/// The derivative of torques by a placement's variable: one lifted model serves a loop over plain ones.
#[test]
fn a_lifted_model_takes_constants_from_plain_ones() {
    let model = tree_of_every_joint(2);
    let (q, v, a) = state(&model, 2);
    let mut lifted = model.lift::<Dual64>();
    let mut ws = Workspace::<Dual64>::new(&lifted);
    let (ql, vl, al) = (lift::<Dual64>(&q), lift::<Dual64>(&v), lift::<Dual64>(&a));
    for seed in 0..3 {
        let plain = other(&model, seed);
        let body = lifted.body_id(4).expect("is there");
        lifted
            .update_parameters(|p| {
                p.copy_from(&plain)?;
                let mut inertia = *p.model().bodies()[4].inertia();
                inertia.mass.eps = 1.0;
                p.set_inertia(body, inertia).map(|_| ())
            })
            .expect("same joints");
        let tau = rnea(&lifted, &mut ws, &ql, &vl, &al, &[]).expect("runs").to_vec();
        let values: Vec<f64> = tau.iter().map(|x| x.re).collect();
        let expected = rnea(&plain, &mut Workspace::new(&plain), &q, &v, &a, &[]).expect("runs").to_vec();
        assert_near(&values, &expected, 1e-12, format!("seed {seed}: values"));
        // Linear in the mass at a given mass center and rotational inertia: the difference quotient is exact.
        let mut heavier = *plain.bodies()[4].inertia();
        heavier.mass += 1.0;
        let heavier = plain.clone().with_inertia(plain.body_id(4).expect("is there"), heavier).expect("is there");
        let more = rnea(&heavier, &mut Workspace::new(&heavier), &q, &v, &a, &[]).expect("runs").to_vec();
        let slope: Vec<f64> = more.iter().zip(&expected).map(|(m, e)| m - e).collect();
        assert_near(&eps(&tau), &slope, 1e-11, format!("seed {seed}: slopes"));
    }
}

#[test]
fn what_cannot_be_a_parameter_is_said_by_name() {
    let mut model = tree_of_every_joint(0);
    let before = model.clone();
    let at = |name: &str| before.find_body(name).expect("is there");
    let hinge = before.bodies().iter().position(|b| b.joint().kind() == "revolute").expect("is there");
    let (id, joint) = (before.body_id(hinge).expect("is there"), before.bodies()[hinge].joint_name().to_owned());
    let mut refused = |change: &dyn Fn(&mut gradyn::model::Parameters<'_>) -> Result<(), InputError>| {
        let error = model.update_parameters(change).expect_err("is refused").to_string();
        assert!(model == before, "{error}: and yet something has changed");
        error
    };
    assert_eq!(
        refused(&|p| p.set_armature(id, &[1.0, 2.0]).map(|_| ())),
        format!("armature of joint `{joint}` has 2 entries, expected 1")
    );
    assert_eq!(
        refused(&|p| p.set_damping(id, &[f64::NAN]).map(|_| ())),
        format!("`damping[0]` (joint {joint}) is NaN, which is not finite")
    );
    assert_eq!(
        refused(&|p| p.set_q_limits(id, &[(2.0, 1.0)]).map(|_| ())),
        format!("lower limit (joint {joint}) is 2: expected lower <= upper")
    );
    assert_eq!(
        refused(&|p| p.set_effort_limits(id, &[-1.0]).map(|_| ())),
        format!("effort limit (joint {joint}) is -1: expected a number that is not negative")
    );
    let text = refused(&|p| p.set_friction_width(0.0).map(|_| ()));
    assert!(text.starts_with("friction width (all of tree 0) is 0: expected a positive number"), "{text}");
    let bodies = before.bodies().len();
    assert_eq!(
        refused(&|p| p.set_inertial_parameters(&[1.0; 7]).map(|_| ())),
        format!("there are 7 inertial parameters, expected {}: ten for each of {bodies} bodies", 10 * bodies)
    );
    let own = before.find_frame("body0").expect("is there");
    let text = refused(&|p| p.set_frame_placement(own, Transform::identity()).map(|_| ()));
    assert!(text.starts_with("frame `body0` is the body's own"), "{text}");
    let text = refused(&|p| p.set_gravity(Vector3::new(0.0, f64::INFINITY, 0.0)).map(|_| ()));
    assert_eq!(text, "`gravity[1]` (all of tree 0) is inf, which is not finite");
    let panda = robot("panda", &UrdfOptions::new());
    let text = refused(&|p| p.copy_from(&panda).map(|_| ()));
    assert!(text.starts_with("`panda`, nv = 7, has other joints than `tree 0`"), "{text}");
    let mut bad = Transform::identity();
    bad.rotation *= 2.0;
    let text = refused(&|p| p.set_placement(at("body1"), bad).map(|_| ()));
    assert!(text.starts_with("placement of joint `joint1`"), "{text}");
}

/// With frames, which no result of dynamics depends on.
#[test]
fn frames_are_moved_in_place() {
    let model = robot("panda", &UrdfOptions::new());
    let (q, ..) = state(&model, 1);
    let mut changed = model.clone().with_frame(model.body_id(6), "tool", Transform::identity()).expect("is new");
    let tool = changed.find_frame("tool").expect("is there");
    let x = transform(&mut rng(1));
    changed.update_parameters(|p| p.set_frame_placement(tool, x).map(|_| ())).expect("is a pose");
    let mut ws = Workspace::new(&changed);
    let body: BodyId = changed.body_id(6).expect("is there");
    let expected = frame_pose(&changed, &mut ws, &q, body).expect("runs") * x;
    let found = frame_pose(&changed, &mut ws, &q, tool).expect("runs");
    assert_near(found.translation.as_slice(), expected.translation.as_slice(), 1e-15, "position");
    assert_near(found.rotation.as_slice(), expected.rotation.as_slice(), 1e-15, "rotation");
}

/// `τ = Y π` with all of it, mimic joints, entries that no joint would make, and friction on or off.
#[test]
fn torques_are_linear_in_the_standard_parameters() {
    let mut all = models();
    for seed in 0..2 {
        let model = tree_of_every_joint(seed);
        all.push((format!("without friction, seed {seed}"), model.clone().with_joint_friction(false)));
        let mut dofs = model.joint_dynamics().to_vec();
        let more = gradyn::model::DofDynamics { multiplier: 3.0, ..dofs[0] };
        dofs.extend([more, more]);
        all.push((format!("more entries, seed {seed}"), model.with_joint_dynamics(dofs).expect("finite")));
    }
    for (n, (what, model)) in all.iter().enumerate() {
        let (q, v, a) = state(model, n as u64);
        let mut ws = Workspace::new(model);
        let parameters = model.standard_parameters();
        let names = model.standard_parameter_names();
        assert_eq!(names.len(), parameters.len(), "{what}");
        assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), names.len(), "{what}: names differ");
        for _ in 0..2 {
            let y = standard_regressor(model, &mut ws, &q, &v, &a).expect("runs");
            let tau = y * nalgebra::DVector::from_column_slice(&parameters);
            let expected = rnea(model, &mut Workspace::new(model), &q, &v, &a, &[]).expect("runs").to_vec();
            assert_near(tau.as_slice(), &expected, 1e-12, what);
        }
    }
}

/// A column says what its name does: one more of the parameter, and the torques differ by it.
#[test]
fn columns_of_the_standard_regressor_are_what_their_names_say() {
    let model = tree_of_every_joint(3);
    let (q, v, a) = state(&model, 3);
    let y = standard_regressor(&model, &mut Workspace::new(&model), &q, &v, &a).expect("runs").clone();
    let names = model.standard_parameter_names();
    let torques = |model: &Model| rnea(model, &mut Workspace::new(model), &q, &v, &a, &[]).expect("runs").to_vec();
    let before = torques(&model);
    let parameters = model.standard_parameters();
    for (i, body) in model.bodies().iter().enumerate().filter(|(_, b)| JointKind::<f64>::nv(b.joint()) == 1) {
        let id = model.body_id(i).expect("is there");
        for what in ["friction", "damping", "armature"] {
            let name = format!("{}.{what}", body.joint_name());
            let column = names.iter().position(|n| *n == name).expect("is there");
            let x = [parameters[column] + 1.0];
            let changed = match what {
                "friction" => model.clone().with_friction(id, &x),
                "damping" => model.clone().with_damping(id, &x),
                _ => model.clone().with_armature(id, &x),
            };
            let after = torques(&changed.expect("fits"));
            let found: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
            // A difference of torques of some tens.
            assert_near(&found, y.column(column).as_slice(), 1e-12, name);
        }
    }
}

/// Second derivatives begin with constants of their own form too.
#[test]
fn second_derivatives_follow_a_change() {
    let model = robot("panda", &UrdfOptions::new());
    let mut changed = model.clone();
    let (q, v, a) = state(&model, 6);
    let mut ws = HessianWorkspace::new(&changed);
    let lambda = [0.3; 7];
    rnea_hessian(&changed, &mut ws, &q, &v, &a, &lambda, &[]).expect("runs");
    let expected = other(&model, 6);
    changed.update_parameters(|p| p.copy_from(&expected).map(|_| ())).expect("same joints");
    let found = rnea_hessian(&changed, &mut ws, &q, &v, &a, &lambda, &[]).expect("runs").clone();
    let mut ws = HessianWorkspace::new(&expected);
    let anew = rnea_hessian(&expected, &mut ws, &q, &v, &a, &lambda, &[]).expect("runs").clone();
    assert!(found == anew);
}
