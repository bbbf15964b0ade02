//! Robots written as URDF and MJCF: what is read again has the same dynamics, and what a format cannot say is an error.

mod coordinates;
mod mujoco;
mod unsaid;

use coordinates::{Convention, of_file};
use gradyn::joint::{Axis, Composite, Fixed, FreeFlyer, Joint, JointKind, Prismatic, Spherical};
use gradyn::model::mjcf::MjcfOptions;
use gradyn::model::source::{Format, Rank};
use gradyn::model::urdf::{ContinuousForm, UrdfOptions};
use gradyn::model::write::{LeaveOut, Unsaid, WriteOptions};
use gradyn::model::{BodyKey, Model, ModelBuilder};
use gradyn::once;
use gradyn::spatial::Transform;
use nalgebra::{DMatrix, DVector, Vector3};
use testing::*;

/// Of the largest number: rotations come back to two roundings, and sums over trees of 60 bodies gather them.
const ROUNDING: f64 = 1e-14;

const FORMATS: [Format; 2] = [Format::Urdf, Format::Mjcf];

/// The robot of a text. Friction of MJCF has no width, and gets this one.
fn read(format: Format, text: &str, width: f64) -> Model {
    let (urdf, mjcf) = (UrdfOptions::new(), MjcfOptions::new().friction_width(width));
    let read = match format {
        Format::Urdf => {
            Model::from_urdf_text(text, &urdf).map(|loaded| loaded.model).map_err(|error| error.to_string())
        }
        _ => Model::from_mjcf_text(text, &mjcf).map(|loaded| loaded.model).map_err(|error| error.to_string()),
    };
    read.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The text of a file; only what is no part of the dynamics may be missing.
fn written(model: &Model, format: Format) -> Result<String, String> {
    let options = WriteOptions::new().leave_out(LeaveOut::Anything);
    let first = model.write(format, &options).map_err(|error| error.to_string())?;
    assert_eq!(model.write(format, &options).as_ref(), Ok(&first), "written twice");
    let is_missing = |unsaid: &&Unsaid| unsaid.rank != Rank::NotDynamics;
    match first.left_out.iter().find(is_missing) {
        Some(unsaid) => Err(unsaid.to_string()),
        None => Ok(first.text),
    }
}

/// A model, read from the file that is written of it.
fn again(model: &Model, format: Format) -> Model {
    let text = written(model, format).unwrap_or_else(|error| panic!("{}, {format:?}: {error}", model.name()));
    read(format, &text, model.friction_width())
}

/// What differs most between a model and that of its file, and by how much of the largest number.
fn deviation(model: &Model, again: &Model, format: Format, seed: u64) -> (String, f64) {
    let mut worst = (String::from("nothing"), 0.0);
    let mut compare = |what: &str, found: &[f64], expected: &[f64]| {
        let scale = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        let far = |(f, e): (&f64, &f64)| if f.to_bits() == e.to_bits() { 0.0 } else { (f - e).abs() / scale };
        let off = found.iter().zip(expected).map(far).fold(0.0, |m: f64, x| if x > m || x.is_nan() { x } else { m });
        let off = if found.len() == expected.len() { off } else { f64::INFINITY };
        if off > worst.1 || off.is_nan() {
            worst = (what.to_owned(), off);
        }
    };
    let is_free =
        |name: &str| again.bodies().iter().any(|b| b.joint_name() == name && b.joint().kind() == "free-flyer");
    let convention = Convention {
        planar_apart: format == Format::Mjcf,
        free_apart: &|name| format == Format::Mjcf && !is_free(name),
        real_first: false,
    };
    compare("gravity", again.gravity().as_slice(), model.gravity().as_slice());
    compare("nv", &[again.nv() as f64], &[model.nv() as f64]);
    if again.nv() != model.nv() {
        return worst;
    }
    let (q1, v1, a1) = state(again, seed);
    let at = of_file(model, convention, &q1, &v1, &a1);
    let tau1 = once::rnea(again, &q1, &v1, &a1, &[]).expect("runs");
    let tau = once::rnea(model, &at.q, &at.v, &at.a, &[]).expect("runs");
    compare("rnea", &tau1, (at.jacobian.transpose() * DVector::from_vec(tau)).as_slice());
    let m1 = once::crba(again, &q1).expect("runs");
    let m = once::crba(model, &at.q).expect("runs");
    let expected: DMatrix<f64> = at.jacobian.transpose() * &m * &at.jacobian;
    compare("crba", m1.as_slice(), expected.as_slice());
    // Energies of what never moves are not those of a robot: compared are differences from the neutral configuration, by the size of the
    // energies that they are differences of.
    let neutral = [again.neutral::<f64>(), of_file(model, convention, &again.neutral::<f64>(), &v1, &a1).q];
    let potential = |model: &Model, q: &[f64]| once::potential_energy(model, q).expect("runs");
    let size = potential(model, &at.q).abs() + potential(model, &neutral[1]).abs();
    let energies = |model: &Model, q: &[f64], v: &[f64], neutral: &[f64]| {
        [once::kinetic_energy(model, q, v).expect("runs"), potential(model, q) - potential(model, neutral), size]
    };
    let found = energies(again, &q1, &v1, &neutral[0]);
    compare("energies", &found, &energies(model, &at.q, &at.v, &neutral[1]));
    // Forces that are as large as those that move it so, and what they do: through the mass matrix, with its condition.
    let tau: Vec<f64> = tau1.iter().map(|x| 0.7 * x).collect();
    let back = at.jacobian.transpose().try_inverse().expect("is a rotation") * DVector::from_column_slice(&tau);
    // Some robots float on a base without mass, and have none.
    if let Ok(expected) = once::aba(model, &at.q, &at.v, back.as_slice(), &[]) {
        let a1 = once::aba(again, &q1, &v1, &tau, &[]).expect("runs");
        let found = of_file(model, convention, &q1, &v1, &a1).a;
        // Light wrists move by little: the torques that the difference takes, of those there are. Rounding grows with the condition.
        let (size, condition) = (back.amax(), condition(&m).max(1.0));
        let difference = &m * (DVector::from_vec(found) - DVector::from_vec(expected));
        let torques: Vec<f64> = difference.iter().map(|x| x / condition + size).collect();
        compare("aba", &torques, &vec![size; torques.len()]);
    }
    for frame in model.frames() {
        let Some(found) = again.find_frame(frame.name()) else { continue };
        let own = model.find_frame(frame.name()).expect("is there");
        let [x1, x] =
            [once::frame_pose(again, &q1, found), once::frame_pose(model, &at.q, own)].map(|x| x.expect("runs"));
        compare(&format!("frame {}", frame.name()), &entries(&x1), &entries(&x));
    }
    if again.nq() == model.nq() && format == Format::Urdf {
        let ([a, b], same) = ([again.limits(), model.limits()], again.limits() == model.limits());
        compare(&format!("limits {a:?}\n{b:?}"), &[f64::from(u8::from(same))], &[1.0]);
    }
    worst
}

#[track_caller]
fn assert_same_dynamics(what: &str, model: &Model, again: &Model, format: Format) {
    for seed in 0..3 {
        let (quantity, off) = deviation(model, again, format, seed);
        assert!(off <= ROUNDING, "{what}, {format:?}: {quantity} is off by {off:e}");
    }
}

/// A tree of joints, as a format can say it.
fn tree_for(format: Format, seed: u64, joints: Vec<Joint>) -> Model {
    // Three hinges in a row have other coordinates, and MuJoCo wants no rotation after a ball.
    let has_ball = |joint: &Joint| match joint {
        Joint::Composite(joint) => joint.parts().iter().any(|part| part.joint == Spherical.into()),
        joint => *joint == Spherical.into() && format == Format::Urdf,
    };
    let joints: Vec<Joint> = joints.into_iter().filter(|joint| !has_ball(joint)).collect();
    let tree = tree_builder(seed, joints, true).build().expect("builds");
    let mut builder = tree.to_builder();
    let mut springs = true;
    if format == Format::Urdf {
        builder.set_gravity(Vector3::new(0.0, 0.0, -9.81)).set_friction_width(0.01);
        springs = false;
    }
    for (i, body) in tree.bodies().iter().enumerate() {
        let key = builder.key(i).expect("is there");
        let nv = body.v_range().len();
        let zero = vec![0.0; nv];
        builder.set_stribeck(key, &zero).expect("fits").set_friction_asymmetry(key, &zero).expect("fits");
        match (format, body.joint().kind()) {
            (Format::Urdf, "planar" | "free-flyer") => {
                set(&mut builder, key, [&zero, &zero, &zero]);
            }
            (Format::Mjcf, "planar") => {
                set(&mut builder, key, [&[0.0, 0.0, 0.3], &[0.2, 0.2, 0.4], &zero]);
            }
            (Format::Mjcf, "spherical") => {
                set(&mut builder, key, [&[0.1; 3], &[0.2; 3], &zero]);
                builder.set_stiffness(key, &[3.0; 3]).expect("fits").set_spring_reference(key, &zero).expect("fits");
            }
            (Format::Mjcf, "free-flyer") => {
                // Of displacements as it likes, of turns one, at rest where all coordinates are zero.
                let [k, at] = [[5.0, 3.0, 2.0, 4.0, 4.0, 4.0], [0.3, -0.2, 0.1, 0.0, 0.0, 0.0]];
                builder.set_stiffness(key, &k).expect("fits").set_spring_reference(key, &at).expect("fits");
                let armature = if i % 2 == 0 { zero.clone() } else { vec![0.0, 0.0, 0.0, 0.1, 0.1, 0.1] };
                set(&mut builder, key, [&armature, &[0.2, 0.2, 0.2, 0.3, 0.3, 0.3], &zero]);
            }
            _ => {}
        }
        let ranged = matches!(body.joint().kind(), "revolute" | "prismatic" | "helical" | "universal" | "composite");
        if ranged && body.owns_coordinates() && i % 3 == 0 && body.q_range().len() == nv {
            builder.set_q_limits(key, &vec![(-0.75, 1.5); nv]).expect("fits");
            builder.set_effort_limits(key, &vec![40.0; nv]).expect("fits");
            if format == Format::Urdf {
                builder.set_velocity_limits(key, &vec![3.0; nv]).expect("fits");
            }
        }
    }
    let mut model = builder.build().expect("builds");
    if !springs {
        model = model.without_springs();
    }
    let rng = &mut rng(seed + 7);
    let last = model.body_id(model.bodies().len() - 1).expect("is there");
    model.add_frame(last, "tool <1> & \"two\"", transform(rng)).expect("is new");
    model.add_frame(None, "corner", transform(rng)).expect("is new");
    model
}

fn set(builder: &mut ModelBuilder, key: BodyKey, [armature, damping, friction]: [&[f64]; 3]) {
    builder.set_armature(key, armature).expect("fits").set_damping(key, damping).expect("fits");
    builder.set_friction(key, friction).expect("fits");
}

fn trees_for(format: Format) -> Vec<(String, Model)> {
    let every = (0..6).map(|seed| (format!("every joint, seed {seed}"), tree_for(format, seed, shuffled_joints(seed))));
    let large = [3, 17, 60].map(|n: u64| {
        let joints: Vec<Joint> = (0..n).flat_map(|k| shuffled_joints(n * 100 + k).into_iter().take(1)).collect();
        (format!("{n} bodies"), tree_for(format, n, joints))
    });
    every.chain(large).collect()
}

#[test]
fn robots_come_back() {
    let mut count = [0, 0];
    for (what, model) in robots() {
        for (format, count) in FORMATS.into_iter().zip(&mut count) {
            match written(&model, format) {
                Ok(text) => {
                    *count += 1;
                    assert_same_dynamics(&what, &model, &read(format, &text, model.friction_width()), format);
                }
                Err(error) => {
                    // Rods and points, and floating bases without mass.
                    let reasons = [
                        "MuJoCo moves no body",
                        "MuJoCo takes no moment",
                        "a ball joint is the last rotation",
                        "at most six",
                        "MJCF calls the world so",
                    ];
                    let expected = reasons.iter().any(|reason| error.contains(reason));
                    assert!(format == Format::Mjcf && expected, "{what}, {format:?}: {error}");
                }
            }
        }
    }
    assert!(count[0] >= 27 && count[1] >= 21, "{count:?}");
}

#[test]
fn trees_of_every_joint_come_back() {
    for format in FORMATS {
        for (what, model) in trees_for(format) {
            assert_same_dynamics(&what, &model, &again(&model, format), format);
        }
    }
}

/// A joint of several steps has links without mass in URDF, which become joints of one body in MJCF, and the other way round.
#[test]
fn from_one_format_to_the_other_and_back() {
    for (what, model) in trees_for(Format::Urdf) {
        let urdf = again(&model, Format::Urdf);
        let mjcf = again(&urdf, Format::Mjcf);
        assert_same_dynamics(&what, &urdf, &mjcf, Format::Mjcf);
        if mjcf.bodies().iter().all(|body| body.joint().kind() != "spherical") {
            assert_same_dynamics(&what, &mjcf, &again(&mjcf, Format::Urdf), Format::Urdf);
        }
    }
}

/// Names of joints, degrees of freedom and frames, and limits, are those of the model.
#[test]
fn names_and_limits_come_back() {
    for (what, model) in trees_for(Format::Urdf) {
        let again = again(&model, Format::Urdf);
        assert_eq!(again.dof_names(), model.dof_names(), "{what}");
        for frame in model.frames() {
            assert!(again.find_frame(frame.name()).is_some(), "{what}: {}", frame.name());
        }
        assert_eq!(again.limits().velocity, model.limits().velocity, "{what}");
        assert_eq!(again.limits().effort, model.limits().effort, "{what}");
    }
    for (what, model) in trees_for(Format::Mjcf) {
        let again = again(&model, Format::Mjcf);
        for frame in model.frames() {
            assert!(again.find_frame(frame.name()).is_some(), "{what}: {}", frame.name());
        }
        let hinges = model.bodies().iter().filter(|body| body.q_range().len() == 1 && body.owns_coordinates());
        for body in hinges {
            let found = again.find_body(body.joint_name()).expect("is there");
            let found = &again.bodies()[found.index()];
            let range = |model: &Model, k: usize| [model.limits().q_lower[k], model.limits().q_upper[k]];
            assert_same(&range(&again, found.q_range().start), &range(&model, body.q_range().start), &what);
            let effort = |model: &Model, k: usize| [model.limits().effort[k]];
            assert_same(&effort(&again, found.v_range().start), &effort(&model, body.v_range().start), &what);
        }
    }
}

/// A free joint with one stiffness is a free joint in the file, whose body stands where the spring is at rest.
#[test]
fn held_bodies_come_back() {
    let model = mujoco::held();
    let back = again(&model, Format::Mjcf);
    assert_eq!(back.bodies()[0].joint().kind(), "free-flyer");
    assert_same_dynamics("held", &model, &back, Format::Mjcf);
    // A rotation vector from a quaternion.
    assert_near(&back.pose_springs()[0].reference, &model.pose_springs()[0].reference, 1e-15, "reference");
}

/// What no file can say of such springs is left out by name, or an error.
#[test]
fn turns_at_rest_of_ball_joints_are_not_written() {
    let model = mujoco::held();
    let arm = model.find_body("arm").expect("is there");
    let turned = model.clone().with_spring_reference(arm, &[0.0, 0.1, 0.0]).expect("fits");
    let error = written(&turned, Format::Mjcf).expect_err("cannot be said");
    assert!(error.contains("the turn 0 0.1 0 at which its spring is at rest"), "{error}");
    let uneven = model.clone().with_stiffness(arm, &[1.0, 2.0, 1.0]).expect("fits");
    let error = written(&uneven, Format::Mjcf).expect_err("cannot be said");
    assert!(error.contains("stiffness 1 2 1") && error.contains("`ball`"), "{error}");
    // A floating joint of URDF, without the ball.
    let base = model.remove_subtree(arm).expect("is there");
    let error = written(&base, Format::Urdf).expect_err("cannot be said");
    assert!(error.contains("stiffness 9 9 9 9 9 9") && error.contains("`free`"), "{error}");
}

/// Continuous joints with the coordinates (cos, sin) come back as such, if the reader is told so.
#[test]
fn continuous_joints_keep_their_form_with_the_same_option() {
    let options = UrdfOptions::new().continuous(ContinuousForm::CosSin);
    let model = robot("continuous", &options);
    assert!(model.nq() > model.nv());
    let again = Model::from_urdf_text(&model.to_urdf().expect("can be said"), &options).expect("reads").model;
    assert_eq!((again.nq(), again.limits()), (model.nq(), model.limits()));
}

/// The comparison of these tests sees a number of the file that is off by a millionth.
#[test]
fn a_wrong_number_in_the_file_is_seen() {
    for format in FORMATS {
        // The first one turns all others about all axes: every number moves something.
        let joints = [FreeFlyer.into()].into_iter().chain(shuffled_joints(5).into_iter().take(9)).collect();
        let model = tree_for(format, 5, joints);
        let text = written(&model, format).expect("can be said");
        let mut changed = 0;
        for (start, _) in text.match_indices("=\"") {
            let (before, rest) = text.split_at(start + 2);
            let (value, after) = rest.split_once('"').expect("ends");
            let attribute = before[..start].rsplit(' ').next().expect("has a name");
            let mut numbers: Vec<f64> = value.split(' ').filter_map(|x| x.parse().ok()).collect();
            let is_number = numbers.len() == value.split(' ').count() && attribute != "version";
            let one = numbers.iter().position(|x| *x != 0.0 && x.is_finite());
            let (true, Some(one)) = (is_number, one) else { continue };
            // An axis is brought to length one, and limits are compared elsewhere.
            let skipped = ["axis", "range", "actuatorfrcrange", "lower", "upper", "effort", "velocity"];
            if skipped.contains(&attribute) || before.ends_with("<axis xyz=\"") {
                continue;
            }
            numbers[one] *= 1.0 + 1e-6;
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            let wrong = [before, &numbers.join(" "), "\"", after].concat();
            let (_, off) = deviation(&model, &read(format, &wrong, model.friction_width()), format, 1);
            assert!(
                off > ROUNDING,
                "{format:?}: {attribute} {value} is not seen\n{}",
                &before[before.len().saturating_sub(300)..]
            );
            changed += 1;
        }
        assert!(changed > 50, "{format:?}: {changed}");
    }
}

/// What is fixed to the world is no part of the dynamics, and comes back too: on a frame of the world at its origin, or beside the frames.
#[test]
fn what_is_fixed_to_the_world_comes_back() {
    for format in FORMATS {
        for name in ["root", "world"] {
            let mut builder = tree_for(format, 4, shuffled_joints(4)).to_builder();
            builder.add_fixed_inertia(inertia(&mut rng(4)));
            builder.add_frame(None, name, Transform::identity()).expect("fits");
            let model = builder.build().expect("builds");
            let again = again(&model, format);
            assert_eq!(again.fixed_inertia(), model.fixed_inertia(), "{format:?}");
            assert_same_dynamics("on a pedestal", &model, &again, format);
            assert_eq!(
                *again.frames()[again.find_frame(name).expect("is there").index()].placement(),
                Transform::identity()
            );
        }
    }
}

/// Where a rotation is near the pole of its three angles, or beyond.
#[test]
fn rotations_near_the_pole_come_back() {
    let half = std::f64::consts::FRAC_PI_2;
    for off in [0.0, 1e-16, 1e-15, 3e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-6, 1e-3, 0.5] {
        for (roll, yaw) in [(0.3, 0.5), (-2.9, 3.1), (0.0, -1.0), (3.0, 0.0)] {
            for sign in [1.0, -1.0] {
                let x = Transform::from_rpy([roll, sign * (half - off), yaw], Vector3::zeros());
                let again = Transform::from_rpy(x.rpy(), Vector3::zeros());
                // Rounding of nine products of sines, and of what they are made of.
                assert_near(again.rotation.as_slice(), x.rotation.as_slice(), 1e-15, format!("{roll} {off} {yaw}"));
            }
        }
    }
}

/// A joint of no part, and one of fixed parts only.
#[test]
fn empty_composites_are_fixed() {
    let mut joints: Vec<Joint> = vec![Composite::new([]).into(), Composite::new([Fixed.into()]).into()];
    assert!(joints.iter().all(|joint| JointKind::<f64>::nv(joint) == 0));
    joints.push(Prismatic { axis: Axis::X }.into());
    for format in FORMATS {
        let model = tree_for(format, 2, joints.clone());
        let again = again(&model, format);
        assert_same_dynamics("fixed", &model, &again, format);
    }
}

/// What the file says in another way is listed: coordinates of joints, and the width that friction is to be read with.
#[test]
fn what_is_said_in_another_way_is_listed() {
    let said = |name: &str, floating: bool, form: ContinuousForm, format: Format| -> Vec<String> {
        let options = UrdfOptions::new().floating_base(floating).continuous(form);
        let written =
            robot(name, &options).write(format, &WriteOptions::new().leave_out(LeaveOut::NotDynamics)).expect("writes");
        written.restated.iter().map(ToString::to_string).collect()
    };
    let angle = ContinuousForm::Angle;
    let friction = "robot `planar`: in MJCF, dry friction has no width: read the file with that of this robot, 0.01";
    let planar = said("planar", false, angle, Format::Mjcf);
    let part = "in MJCF, its coordinates are those of two slides and a hinge: an angle instead of (cos, sin)";
    assert!(planar.iter().any(|said| said.starts_with("joint `drive`: ") && said.contains(part)), "{planar:?}");
    assert!(planar.iter().filter(|said| said.contains("dry friction")).all(|said| said == friction), "{planar:?}");
    assert_eq!(said("planar", false, angle, Format::Urdf), Vec::<String>::new());
    assert!(said("solo12", true, angle, Format::Mjcf).iter().all(|said| !said.contains("coordinates")));
    let circles = said("continuous", false, ContinuousForm::CosSin, Format::Urdf);
    assert_eq!(circles[0], "joint `wheel_right_joint`: in URDF, its coordinate is one angle instead of (cos, sin)");

    // The width that is named gives the robot back.
    let model = chain_with_friction();
    let written = model.write(Format::Mjcf, &WriteOptions::new()).expect("writes");
    assert_eq!(
        written.restated.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["robot `r`: in MJCF, dry friction has no width: read the file with that of this robot, 0.25"]
    );
    assert_same_dynamics("friction", &model, &read(Format::Mjcf, &written.text, 0.25), Format::Mjcf);
    let without = Model::from_mjcf_text(&written.text, &MjcfOptions::new()).expect("reads");
    assert_eq!(without.report.count_of(Rank::ChangesDynamics), 1);
}

/// A hinge with friction of a width of its own.
fn chain_with_friction() -> Model {
    let mut builder = ModelBuilder::new("r");
    let hinge = gradyn::joint::Revolute { axis: Axis::Y };
    let inertia =
        gradyn::Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3), gradyn::spatial::Symmetric3::diagonal(0.1, 0.2, 0.2));
    let body = builder.add_body(None, "b", "j", Transform::identity(), hinge, inertia).expect("fits");
    builder.set_friction(body, &[0.5]).expect("fits").set_friction_width(0.25);
    builder.build().expect("builds")
}
