//! What a format cannot say, one after the other, and names that no file can hold.

use gradyn::joint::*;
use gradyn::model::source::{Format, Rank};
use gradyn::model::write::{LeaveOut, WriteError, WriteOptions};
use gradyn::model::{BodyKey, Model, ModelBuilder, SpeedTorque};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use nalgebra::Vector3;

fn body() -> Inertia<f64> {
    Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3), Symmetric3::diagonal(0.02, 0.03, 0.04))
}

/// An arm of one joint, and what is done to it.
fn arm(joint: impl Into<Joint>, change: impl FnOnce(&mut ModelBuilder, BodyKey)) -> Model {
    let mut builder = ModelBuilder::new("arm");
    let key = builder.add_body(None, "fore", "elbow", Transform::identity(), joint, body()).expect("fits");
    change(&mut builder, key);
    builder.build().expect("builds")
}

const HINGE: Revolute = Revolute { axis: Axis::Y };

/// A model, the format that cannot say it, and the error; whether it can be left out, and what that means.
fn cases() -> Vec<(Model, Format, &'static str, Option<Rank>)> {
    use Format::{Mjcf, Urdf};
    let changes = Some(Rank::ChangesDynamics);
    let no_dynamics = Some(Rank::NotDynamics);
    let set = |result: Result<&mut ModelBuilder, gradyn::model::ModelError>| _ = result.expect("fits");
    let with = |joint: Joint, name: &'static str, numbers: Vec<f64>| {
        arm(joint, |builder, key| {
            set(match name {
                "armature" => builder.set_armature(key, &numbers),
                "damping" => builder.set_damping(key, &numbers),
                "friction" => builder.set_friction(key, &numbers),
                "stiffness" => builder.set_stiffness(key, &numbers),
                "velocity" => builder.set_velocity_limits(key, &numbers),
                "effort" => builder.set_effort_limits(key, &numbers),
                _ => builder.set_q_limits(key, &numbers.chunks(2).map(|x| (x[0], x[1])).collect::<Vec<_>>()),
            });
        })
    };
    let inf = f64::INFINITY;
    let planar = || Joint::from(Planar::new(Axis::Z));
    let chain = |inertias: &[Inertia<f64>], joint: fn(usize) -> Joint| {
        let mut builder = ModelBuilder::new("chain");
        let mut parent = None;
        for (k, inertia) in inertias.iter().enumerate() {
            let x = Transform::from_translation(Vector3::new(0.1, 0.0, 0.2));
            parent = Some(
                builder
                    .add_body(parent, format!("link {k}"), format!("joint {k}"), x, joint(k), *inertia)
                    .expect("fits"),
            );
        }
        builder.build().expect("builds")
    };
    let rod = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.0));
    let impossible = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.3));
    let mut screw_in_front = with(HINGE.into(), "damping", vec![0.1]);
    screw_in_front = screw_in_front
        .with_joint_dynamics(vec![
            gradyn::model::DofDynamics { index: 0, multiplier: 1.0, armature: 0.1, damping: 0.0, friction: 0.0 },
            gradyn::model::DofDynamics { index: 0, multiplier: 2.0, armature: 0.1, damping: 0.0, friction: 0.0 },
        ])
        .expect("fits");
    vec![
        (
            arm(Spherical, |_, _| {}),
            Urdf,
            "joint `elbow`: a spherical joint cannot be written to URDF: three hinges in a row would have other coordinates, and a position in which they lock",
            None,
        ),
        (
            with(HINGE.into(), "stiffness", vec![35.0]),
            Urdf,
            "joint `elbow`: stiffness 35 N m/rad or N/m cannot be written to URDF: it has no springs",
            changes,
        ),
        (
            arm(HINGE, |b, _| _ = b.set_gravity(Vector3::new(0.0, 0.0, 1.62))),
            Urdf,
            "robot `arm`: gravity 0 0 1.62 m/s² cannot be written to URDF: it has no gravity, and readers take 0 0 -9.81",
            changes,
        ),
        (
            arm(HINGE, |b, k| set(b.set_friction_width(0.2).set_friction(k, &[0.5]))),
            Urdf,
            "robot `arm`: friction width 0.2 rad/s or m/s cannot be written to URDF: its friction has no width, and the reader of this crate takes 0.01",
            changes,
        ),
        (
            with(planar(), "armature", vec![0.1, 0.2, 0.3]),
            Urdf,
            "joint `elbow`: armature 0.1 0.2 0.3 cannot be written to URDF: only joints with one degree of freedom have it",
            changes,
        ),
        (
            with(planar(), "damping", vec![0.0, 0.0, 0.3]),
            Urdf,
            "joint `elbow`: damping 0 0 0.3 cannot be written to URDF: only joints with one degree of freedom have it",
            changes,
        ),
        (
            with(FreeFlyer.into(), "friction", vec![0.01; 6]),
            Urdf,
            "joint `elbow`: friction 0.01 0.01 0.01 0.01 0.01 0.01 cannot be written to URDF: only joints with one degree of freedom have it",
            changes,
        ),
        (
            with(planar(), "velocity", vec![1.0; 3]),
            Urdf,
            "joint `elbow`: velocity limit 1 1 1 cannot be written to URDF: only joints with one degree of freedom have it",
            no_dynamics,
        ),
        (
            with(planar(), "effort", vec![1.0, inf, 2.0]),
            Urdf,
            "joint `elbow`: effort limit 1 inf 2 cannot be written to URDF: only joints with one degree of freedom have it",
            no_dynamics,
        ),
        (
            with(planar(), "limits", vec![-1.0, 1.0, -inf, inf, -inf, inf, -inf, inf]),
            Urdf,
            "joint `elbow`: limits of coordinates cannot be written to URDF: only hinges and slides have limits, and not (cos, sin)",
            no_dynamics,
        ),
        (
            with(HINGE.into(), "limits", vec![-inf, 1.0]),
            Urdf,
            "joint `elbow`: limits -inf to 1 cannot be written to URDF: a range has two finite ends",
            no_dynamics,
        ),
        (
            screw_in_front,
            Urdf,
            "joint `elbow`: entries of armature, damping and friction beside its own (1) cannot be written to URDF: a joint has one of each for a degree of freedom",
            changes,
        ),
        (
            arm(HINGE, |b, k| set(b.set_stribeck(k, &[0.5]).expect("fits").set_stribeck_velocity(k, &[0.2]))),
            Urdf,
            "joint `elbow`: Stribeck friction 0.5 below 0.2 rad/s or m/s with asymmetry 0 cannot be written to URDF: its dry friction is the same at all speeds",
            changes,
        ),
        (
            arm(HINGE, |b, k| set(b.set_friction_asymmetry(k, &[0.1]))),
            Mjcf,
            "joint `elbow`: Stribeck friction 0 below 0.1 rad/s or m/s with asymmetry 0.1 cannot be written to MJCF: its dry friction is the same at all speeds",
            changes,
        ),
        (
            arm(HINGE, |b, k| {
                let motor = b.add_actuator("motor", &[(k, 0, 50.0)]).expect("fits");
                b.set_actuator_limits(motor, -1.0, 1.0).expect("is a range");
            }),
            Urdf,
            "actuator `motor`: its drive by 1 gear cannot be written to URDF: a transmission drives one hinge or slide, within the limits of this joint",
            no_dynamics,
        ),
        (
            arm(HINGE, |b, k| {
                let motor = b.add_actuator("motor", &[(k, 0, 50.0)]).expect("fits");
                b.set_speed_torque(motor, SpeedTorque { stall: 5.0, no_load: 20.0 }).expect("is positive");
            }),
            Mjcf,
            "actuator `motor`: its speed-torque line from 5 at rest to 20 without load cannot be written to MJCF: a motor has the same limits at all speeds",
            no_dynamics,
        ),
        (
            arm(HINGE, |b, k| {
                let motor = b.add_actuator("motor", &[(k, 0, 50.0)]).expect("fits");
                b.set_actuator_limits(motor, -1.0, f64::INFINITY).expect("is a range");
            }),
            Mjcf,
            "actuator `motor`: limits -1 to inf cannot be written to MJCF: a range has two finite ends, and is not empty",
            no_dynamics,
        ),
        (
            with(HINGE.into(), "velocity", vec![2.5]),
            Mjcf,
            "joint `elbow`: velocity limit 2.5 cannot be written to MJCF: it has no limits of velocities",
            no_dynamics,
        ),
        (
            with(HINGE.into(), "effort", vec![0.0]),
            Mjcf,
            "joint `elbow`: effort limit 0 cannot be written to MJCF: only hinges and slides have one, and it is not zero",
            no_dynamics,
        ),
        (
            with(Spherical.into(), "effort", vec![3.0; 3]),
            Mjcf,
            "joint `elbow`: effort limit 3 3 3 cannot be written to MJCF: only hinges and slides have one, and it is not zero",
            no_dynamics,
        ),
        (
            with(HINGE.into(), "limits", vec![0.5, 0.5]),
            Mjcf,
            "joint `elbow`: limits 0.5 to 0.5 cannot be written to MJCF: its range is longer than zero",
            no_dynamics,
        ),
        (
            with(Spherical.into(), "armature", vec![0.1, 0.2, 0.1]),
            Mjcf,
            "joint `elbow`: armature 0.1 0.2 0.1 cannot be written to MJCF: a joint has one for all its axes",
            changes,
        ),
        (
            with(planar(), "damping", vec![0.1, 0.2, 0.1]),
            Mjcf,
            "joint `elbow`: damping 0.1 0.2 cannot be written to MJCF: the axes of the body turn, those of slides do not",
            changes,
        ),
        (
            with(FreeFlyer.into(), "armature", vec![0.1; 6]),
            Mjcf,
            "joint `elbow`: armature 0.1 0.1 0.1 cannot be written to MJCF: the axes of the body turn, those of slides do not",
            changes,
        ),
        (
            chain(&[rod, body()], |_| HINGE.into()),
            Mjcf,
            "body `link 0`: mass 1 kg with principal moments 0 0.1 0.1 kg m² cannot be written to MJCF: MuJoCo moves no body whose mass, or one of whose moments, is below 1e-15",
            None,
        ),
        (
            chain(&[impossible], |_| HINGE.into()),
            Mjcf,
            "body `link 0`: mass 1 kg with principal moments 0.1 0.1 0.3 kg m² cannot be written to MJCF: MuJoCo takes no moment above the sum of the others",
            None,
        ),
        (
            chain(&[body(), Inertia::zero()], |_| HINGE.into()),
            Mjcf,
            "body `link 1`: a body without mass that carries 0 others cannot be written to MJCF: MuJoCo moves no body without mass",
            None,
        ),
        (
            chain(&[Inertia::zero(), body()], |k| if k == 0 { Spherical.into() } else { HINGE.into() }),
            Mjcf,
            "body `link 1`: rotation by joint `joint 1` after a ball joint cannot be written to MJCF: a ball joint is the last rotation of a body",
            None,
        ),
        (
            chain(&[Inertia::zero(), Inertia::zero(), body()], |_| Translation.into()),
            Mjcf,
            "body `link 2`: 9 degrees of freedom cannot be written to MJCF: a body has at most six, and no body without mass can share them",
            None,
        ),
        (
            chain(&[Inertia::zero(), body()], |_| HINGE.into()),
            Mjcf,
            "frame `link 0`: the frame cannot be written to MJCF: it stands on a body without mass, whose joint becomes one of the body that it carries",
            no_dynamics,
        ),
        (arm(Planar::new(Axis::Z), |b, _| set(b.add_frame(None, "elbow.vx", Transform::identity()))), Mjcf, "", None),
        (
            arm(HINGE, |b, _| set(b.add_frame(None, "elbow", Transform::identity()))),
            Mjcf,
            "frame `elbow`: the frame cannot be written to MJCF: a joint has its name, and readers make a frame of each joint",
            no_dynamics,
        ),
        (
            chain(&[body(); 496], |_| HINGE.into()),
            Mjcf,
            "body `link 495`: a body within 495 others cannot be written to MJCF: MuJoCo reads no deeper",
            None,
        ),
    ]
}

#[test]
fn each_thing_that_a_format_cannot_say_is_an_error_that_names_it() {
    let mut count = 0;
    for (model, format, message, rank) in cases() {
        let written = match format {
            Format::Urdf => model.to_urdf(),
            _ => model.to_mjcf(),
        };
        let Err(error) = written else {
            assert_eq!(message, "", "is written");
            continue;
        };
        assert_eq!(error.to_string(), message);
        let WriteError::Unsaid(unsaid) = error else { panic!("{error}") };
        assert_eq!(unsaid.format, format);
        let with = |leave_out| model.write(format, &WriteOptions::new().leave_out(leave_out));
        match rank {
            // No robot without it.
            None => assert!(with(LeaveOut::Anything).is_err(), "{message}"),
            Some(rank) => {
                assert_eq!(unsaid.rank, rank, "{message}");
                let left_out = with(LeaveOut::Anything).expect("is left out").left_out;
                assert_eq!(left_out, [unsaid], "{message}");
                assert_eq!(with(LeaveOut::NotDynamics).is_ok(), rank == Rank::NotDynamics, "{message}");
            }
        }
        count += 1;
    }
    assert!(count >= 25, "{count}");
}

/// A robot that rubs in one format and has no gravity: everything is listed.
#[test]
fn all_that_is_left_out_is_listed() {
    let model = arm(HINGE, |builder, key| {
        builder.set_gravity(Vector3::zeros()).set_stiffness(key, &[2.0]).expect("fits");
        builder.set_q_limits(key, &[(0.0, f64::INFINITY)]).expect("fits");
    });
    let written = model.write(Format::Urdf, &WriteOptions::new().leave_out(LeaveOut::Anything)).expect("is written");
    let all: Vec<_> = written.left_out.iter().map(|unsaid| (unsaid.what.as_str(), unsaid.rank)).collect();
    let expected = [
        ("gravity 0 0 0 m/s²", Rank::ChangesDynamics),
        ("limits 0 to inf", Rank::NotDynamics),
        ("stiffness 2 N m/rad or N/m", Rank::ChangesDynamics),
    ];
    assert_eq!(all, expected);
}

#[test]
fn names_that_no_file_can_hold_are_errors() {
    let of = |robot: &str, body_name: &str, joint: &str, frame: &str| {
        let mut builder = ModelBuilder::new(robot);
        builder.add_body(None, body_name, joint, Transform::identity(), HINGE, body()).expect("fits");
        builder.add_frame(None, frame, Transform::identity()).expect("fits");
        builder.build().expect("builds")
    };
    let long = "x".repeat(1025);
    let empty = "the name is empty, and the file could not refer to it";
    let character = "the name has a character that XML cannot hold";
    let cases = [
        (of("", "b", "j", "f"), format!("robot ``: {empty}")),
        (of("r", "", "j", "f"), format!("``: {empty}")),
        (of("r", "b", "", "f"), format!("joint ``: {empty}")),
        (of("r", "b", "j", ""), format!("frame ``: {empty}")),
        (of("r", "b", "j", "a\u{0}b"), format!("frame `a\\u{{0}}b`: {character}")),
        (of("r", "b", "\u{1b}[31m", "f"), format!("joint `\\u{{1b}}[31m`: {character}")),
        (of("r\u{ffff}", "b", "j", "f"), format!("robot `r\u{ffff}`: {character}")),
        (of("r", "b", &long, "f"), "`: the name is longer than 1024 bytes, and no reader takes it".to_owned()),
    ];
    for (model, message) in cases {
        for error in [model.to_urdf(), model.to_mjcf()] {
            let error = error.expect_err("is an error");
            assert!(matches!(error, WriteError::Name { .. }) && error.to_string().ends_with(&message), "{error}");
        }
    }
    // Found by fuzzing: readers of URDF, this one included, take it for an expression.
    for name in ["a${b}", "$(arg x)"] {
        let model = of("r", "b", name, "f");
        let error = model.to_urdf().expect_err("is an error").to_string();
        assert_eq!(
            error,
            format!("joint `{name}`: the name is an expression of xacro, and no reader of URDF takes it")
        );
        assert!(model.to_mjcf().is_ok());
    }
    let error = of("r", "world", "j", "f").to_mjcf().expect_err("is an error");
    assert_eq!(error.to_string(), "body `world`: MJCF calls the world so, and a body has another name");
    assert!(of("r", "world", "j", "f").to_urdf().is_ok());
}

/// Names that XML must escape, and names that steps of other joints would take.
#[test]
fn odd_names_come_back() {
    let mut builder = ModelBuilder::new("a & <b>");
    let joint = Universal { first: Axis::X, second: Axis::Y };
    let first = builder.add_body(None, "j.0", "j", Transform::identity(), joint, body()).expect("fits");
    let second =
        builder.add_body(Some(first), "it's \"2\"\n\tß", "j.1", Transform::identity(), HINGE, body()).expect("fits");
    builder.add_body(Some(second), "j", "base", Transform::identity(), HINGE, body()).expect("fits");
    builder.add_fixed_inertia(body());
    let model = builder.build().expect("builds");
    for format in super::FORMATS {
        let again = super::again(&model, format);
        super::assert_same_dynamics("odd names", &model, &again, format);
        assert_eq!(again.name(), model.name());
        for frame in model.frames() {
            assert!(again.find_frame(frame.name()).is_some(), "{format:?}: {}", frame.name());
        }
    }
}

/// A number that was changed to what no model has is found before anything is written.
#[test]
fn a_number_that_is_none_is_an_error() {
    let model = arm(HINGE, |_, _| {}).with_gravity(Vector3::new(0.0, f64::NAN, 0.0));
    for error in [model.to_urdf(), model.to_mjcf()] {
        assert_eq!(error.expect_err("is an error").to_string(), "gravity of `arm` is NaN: expected finite numbers");
    }
    assert_eq!(
        arm(HINGE, |_, _| {}).write(Format::Sdf, &WriteOptions::new()).expect_err("is an error").to_string(),
        "SDF is read, not written: expected URDF or MJCF"
    );
}

/// Time grows as the robot does: a chain, and a star, of 20 000 bodies.
#[test]
fn large_robots_are_written_in_linear_time() {
    for star in [false, true] {
        let mut builder = ModelBuilder::new("large");
        let mut parent = None;
        for k in 0..20_000 {
            let key = builder.add_body(parent, format!("b{k}"), format!("j{k}"), Transform::identity(), HINGE, body());
            let key = key.expect("fits");
            builder.set_damping(key, &[0.1]).expect("fits");
            parent = if star { None } else { Some(key) };
        }
        let model = builder.build().expect("builds");
        let start = std::time::Instant::now();
        let text = model.to_urdf().expect("is written");
        assert!(text.len() < 20_000 * 800, "{}", text.len());
        assert_eq!(model.to_mjcf().is_ok(), star);
        // Some 0.2 s; a step for each pair of bodies would take minutes.
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
