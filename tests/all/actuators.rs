//! What drives a robot: gears, coupled drives, limits, rotors; and what other robots made of it keep.

use gradyn::dynamics::{Workspace, forward_kinematics, kinetic_energy};
use gradyn::joint::{Axis, FreeFlyer, Prismatic, Revolute, Spherical};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{Actuation, InputError, Model, ModelBuilder, ModelError, SpeedTorque};
use gradyn::once;
use gradyn::spatial::{Inertia, Symmetric3};
use nalgebra::{DMatrix, Vector3};
use testing::*;

/// A floating base, two hinges, a slide that follows the second, and a ball; a motor, a coupled drive, and one of the follower.
fn driven() -> Model {
    let rng = &mut rng(9);
    let mut builder = ModelBuilder::new("driven");
    let base = builder.add_body(None, "base", "free", transform(rng), FreeFlyer, inertia(rng)).expect("fits");
    let mut add = |builder: &mut ModelBuilder, parent, name: &str, joint: gradyn::joint::Joint| {
        let (x, y) = (transform(rng), inertia(rng));
        builder.add_body(Some(parent), name, format!("{name} joint"), x, joint, y).expect("fits")
    };
    let thigh = add(&mut builder, base, "thigh", Revolute { axis: Axis::Y }.into());
    let shin = add(&mut builder, thigh, "shin", Revolute { axis: Axis::Y }.into());
    let slide = add(&mut builder, thigh, "slide", Prismatic { axis: Axis::X }.into());
    let ball = add(&mut builder, shin, "ball", Spherical.into());
    builder.set_mimic(slide, shin, -0.5, 0.1).expect("one coordinate each");
    let motor = builder.add_actuator("motor", &[(thigh, 0, 8.0)]).expect("fits");
    builder.set_actuator_limits(motor, -3.0, 4.0).expect("is a range");
    builder.set_speed_torque(motor, SpeedTorque { stall: 5.0, no_load: 20.0 }).expect("is positive");
    builder.add_actuator("belt", &[(thigh, 0, 2.0), (shin, 0, -2.0)]).expect("fits");
    builder.add_actuator("cylinder", &[(slide, 0, 10.0), (shin, 0, 1.0)]).expect("fits");
    builder.add_actuator("twist", &[(ball, 2, 0.3)]).expect("fits");
    builder.build().expect("builds")
}

/// `B` by hand: the base is not driven, the follower by way of its leader.
#[test]
fn torques_are_gears_times_controls() {
    let model = driven();
    let dof = |name: &str| model.bodies()[model.find_body(name).expect("is there").index()].v_range().start;
    let mut b = DMatrix::zeros(model.nv(), 4);
    b[(dof("thigh"), 0)] = 8.0;
    b[(dof("thigh"), 1)] = 2.0;
    b[(dof("shin"), 1)] = -2.0;
    b[(dof("shin"), 2)] = 1.0 - 0.5 * 10.0;
    b[(dof("ball") + 2, 3)] = 0.3;
    let actuation = Actuation::of(&model);
    assert_eq!(actuation.matrix(), b);
    actuation.check(&model).expect("fits");
    // Power is the same on both sides of the gears.
    let (u, (_, v, _)) = ([0.3, -0.7, 1.1, 2.0], state(&model, 1));
    let mut tau = vec![0.0; model.nv()];
    actuation.torques(&u, &mut tau);
    let power: f64 = tau.iter().zip(&v).map(|(tau, v)| tau * v).sum();
    let of_motors: f64 = model.actuators().iter().zip(u).map(|(actuator, u)| actuator.speed(&v) * u).sum();
    assert_close(power, of_motors, 1e-14, 10.0, "power");
    // Torques of least squares are the same: columns are independent or not. What is left to no motor is the base, and two of the ball.
    let again = actuation.inverse() * nalgebra::DVector::from_vec(tau.clone());
    let mut back = vec![0.0; model.nv()];
    actuation.torques(again.as_slice(), &mut back);
    assert_near(&back, &tau, 1e-12, "torques"); // a pseudo-inverse of numbers from 0.3 to 8
    let idle = actuation.idle();
    assert_eq!(idle.ncols(), 6 + 2);
    assert!((idle.transpose() * b).amax() < 1e-12);
}

/// A robot that names no actuators has motors on all joints but its base.
#[test]
fn without_actuators_all_joints_are_driven() {
    let solo = robot("solo12", &UrdfOptions::new().floating_base(true));
    let Actuation::Joints { nv, dofs } = Actuation::of(&solo) else { panic!("has a base") };
    assert_eq!((nv, dofs), (18, (6..18).collect()));
    let panda = robot("panda", &UrdfOptions::new());
    assert_eq!(Actuation::of(&panda), Actuation::Full(7));
    let names = ["panda_joint2", "panda_joint5"];
    assert_eq!(Actuation::joints(&panda, &names).expect("are there"), Actuation::Joints { nv: 7, dofs: vec![1, 4] });
    let error = Actuation::joints(&panda, &["panda_jiont2"]).expect_err("is not there");
    assert!(matches!(error, InputError::UnknownJoint { .. }) && error.to_string().contains("panda_jiont2"), "{error}");
    assert!(matches!(Actuation::Full(6).check(&panda), Err(InputError::Length { expected: 7, found: 6, .. })));
    assert!(Actuation::Matrix(DMatrix::from_element(7, 1, f64::NAN)).check(&panda).is_err());
    assert!(Actuation::Joints { nv: 7, dofs: vec![7] }.check(&panda).is_err());
    // Those with a gear of one are joints too.
    let mut builder = panda.to_builder();
    for k in [3, 1] {
        let key = builder.key(k).expect("is there");
        builder.add_actuator(format!("m{k}"), &[(key, 0, 1.0)]).expect("fits");
    }
    let two = builder.build().expect("builds");
    assert_eq!(Actuation::of(&two), Actuation::Joints { nv: 7, dofs: vec![3, 1] });
}

/// Limits, and the line of a motor: all of the torque at rest, none at the no-load speed, and braking beyond.
#[test]
fn speed_leaves_less_torque() {
    let model = driven();
    let motor = &model.actuators()[0];
    assert_eq!(motor.bounds(0.0), (-3.0, 4.0));
    assert_eq!(motor.bounds(10.0), (-3.0, 2.5));
    assert_eq!(motor.bounds(20.0), (-3.0, 0.0));
    assert_eq!(motor.bounds(-10.0), (-2.5, 4.0));
    assert_eq!(motor.bounds(30.0), (-3.0, -2.5));
    assert_eq!(model.actuators()[1].bounds(1e9), (f64::NEG_INFINITY, f64::INFINITY));
    let mut v = vec![0.0; model.nv()];
    v[6] = 0.25;
    assert_eq!((motor.speed(&v), model.actuators()[1].speed(&v)), (2.0, 0.5));
}

#[test]
fn what_cannot_drive_is_refused() {
    let model = driven();
    let mut builder = model.to_builder();
    let thigh = builder.key(1).expect("is there");
    assert!(matches!(builder.add_actuator("a", &[(thigh, 1, 1.0)]), Err(ModelError::Length { found: 2, .. })));
    assert!(matches!(builder.add_actuator("a", &[(thigh, 0, f64::NAN)]), Err(ModelError::BadNumber { .. })));
    assert!(matches!(builder.set_actuator_limits(0, 2.0, 1.0), Err(ModelError::BadNumber { .. })));
    assert!(matches!(builder.set_actuator_limits(9, 0.0, 1.0), Err(ModelError::UnknownBody { .. })));
    let line = SpeedTorque { stall: 0.0, no_load: 1.0 };
    assert!(matches!(builder.set_speed_torque(0, line), Err(ModelError::BadNumber { what: "stall torque", .. })));
    builder.add_actuator("motor", &[(thigh, 0, 1.0)]).expect("fits");
    assert!(matches!(builder.build(), Err(ModelError::DuplicateName { what: "actuator", .. })));
}

/// The same joints are driven by the same gears in every robot made of it.
#[test]
fn other_robots_keep_what_drives_them() {
    let model = driven();
    assert!(model.to_builder().build().expect("builds") == model);
    let gear = |model: &Model, actuator: &str, body: &str| {
        let dofs = model.bodies()[model.find_body(body).expect("is there").index()].v_range();
        let actuator = model.actuators().iter().find(|a| a.name == actuator).expect("is there");
        actuator.gears.iter().filter(|(dof, _)| dofs.contains(dof)).map(|(_, gear)| gear).sum::<f64>()
    };
    let id = |name: &str| model.find_body(name).expect("is there");
    let shin = model.rerooted_at(id("shin")).expect("leads back");
    // The joint of the shin carries the thigh now.
    assert_eq!((gear(&shin, "belt", "base"), gear(&shin, "belt", "thigh")), (2.0, -2.0));
    let locked = model.reduced(&[(id("shin"), &[0.3])]).expect("can be locked");
    let names = |model: &Model| model.actuators().iter().map(|a| a.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&locked), ["motor", "belt", "twist"]);
    assert_eq!((gear(&locked, "belt", "thigh"), gear(&locked, "twist", "ball")), (2.0, 0.3));
    let less = model.remove_subtree(id("ball")).expect("none follows");
    assert_eq!(names(&less), ["motor", "belt", "cylinder"]);
    let frame = model.find_frame("base").expect("is there");
    let two = model.append(&model, frame, "second_").expect("names differ");
    assert_eq!(names(&two).len(), 8);
    assert_eq!((gear(&two, "belt", "shin"), gear(&two, "second_belt", "second_shin")), (-2.0, -2.0));
}

/// A rotor that stands is armature; one that is carried has the energy of a body that spins there.
#[test]
fn rotors_are_bodies_that_spin() {
    let rng = &mut rng(5);
    let (ratio, spin) = (-60.0, 3e-5);
    let disk = Inertia::new(0.4, Vector3::zeros(), Symmetric3::diagonal(2e-5, 2e-5, spin));
    let arm = |in_full: bool, rng: &mut _| {
        let mut builder = ModelBuilder::new("geared");
        let mut parent = None;
        for k in 0..3 {
            let (x, y) = (transform(rng), inertia(rng));
            let hinge = Revolute { axis: axis(rng) };
            let key = builder.add_body(parent, format!("link{k}"), format!("hinge{k}"), x, hinge, y).expect("fits");
            let at = transform(rng);
            if in_full {
                builder.add_rotor(key, parent, format!("rotor{k}"), at, disk, ratio).expect("fits");
            } else {
                builder.set_rotor_inertia(key, &[spin], &[ratio]).expect("fits");
            }
            parent = Some(key);
        }
        builder.build().expect("builds")
    };
    let full = arm(true, &mut testing::rng(6));
    let simple = arm(false, &mut testing::rng(6));
    assert_eq!((full.nv(), simple.nv(), full.bodies().len()), (3, 3, 6));
    let (q, v, _) = state(&full, 2);
    let still = vec![0.0; 3];
    let mut ws = Workspace::new(&full);
    let kinematics = forward_kinematics(&full, &mut ws, &q, &v, &still).expect("runs");
    // ½ ω·I ω + ½ m |v|² of each rotor, with ω that of its carrier and the spin.
    let mut expected = kinetic_energy(&simple, &mut Workspace::new(&simple), &q, &v).expect("runs");
    for k in 0..3 {
        let rotor = &full.bodies()[full.find_body(&format!("rotor{k}")).expect("is there").index()];
        let carrier = rotor.parent().map(|id| kinematics.velocity(id).expect("is there"));
        let mut motion = carrier.map_or(gradyn::spatial::Motion::zero(), |v| rotor.placement().inv_act(v));
        expected -= 0.5 * ratio * ratio * spin * v[k] * v[k];
        motion.angular.z += ratio * v[k];
        expected += disk.kinetic_energy(motion);
    }
    let found = kinetic_energy(&full, &mut Workspace::new(&full), &q, &v).expect("runs");
    assert_close(found, expected, 1e-13, 1.0, "energy"); // sums of six bodies
    // The first rotor stands in the world: as armature, but for its weight, which the hinge does not carry.
    let mut one = ModelBuilder::new("one");
    let (x, y) = (transform(rng), inertia(rng));
    let key = one.add_body(None, "link", "hinge", x, Revolute { axis: axis(rng) }, y).expect("fits");
    let mut geared = one.clone();
    geared.add_rotor(key, None, "rotor", transform(rng), disk, ratio).expect("fits");
    one.set_rotor_inertia(key, &[spin], &[ratio]).expect("fits");
    let [one, geared] = [one, geared].map(|builder| builder.build().expect("builds"));
    let by = |model: &Model| once::rnea(model, &[0.3], &[0.7], &[-1.2], &[]).expect("runs");
    assert_near(&by(&geared), &by(&one), 1e-14, "torque");
    // A joint with several degrees of freedom has no one speed.
    let mut builder = ModelBuilder::new("ball");
    let ball = builder.add_body(None, "ball", "socket", x, Spherical, y).expect("fits");
    assert!(matches!(builder.add_rotor(ball, None, "rotor", x, disk, 2.0), Err(ModelError::Mimic { .. })));
    assert_eq!(builder.build().expect("builds").bodies().len(), 1);
    let mut builder = ModelBuilder::new("hinge");
    let hinge = builder.add_body(None, "link", "hinge", x, Revolute { axis: Axis::X }, y).expect("fits");
    assert!(builder.set_rotor_inertia(hinge, &[0.1], &[1.0, 2.0]).is_err());
}

/// The gear ratio of a rotor goes along with its joint, and makes the parameter `rotor_inertia` of the armature.
#[test]
fn gear_ratios_go_along() {
    let model = driven();
    let mut builder = model.to_builder();
    let thigh = builder.key(model.find_body("thigh").expect("is there").index()).expect("is there");
    builder.set_rotor_inertia(thigh, &[2e-5], &[-50.0]).expect("fits");
    let model = builder.build().expect("builds");
    let ratio = |model: &Model| {
        let body = model.find_body("thigh").expect("is there");
        model.bodies()[body.index()].gear_ratio(0)
    };
    assert_eq!(ratio(&model), Some(-50.0));
    assert_eq!(model.to_builder().build().expect("builds"), model);
    let rerooted = model.rerooted_at(model.find_body("thigh").expect("is there")).expect("floats");
    // The joint of the thigh leads to the base now.
    assert!(
        rerooted.bodies().iter().any(|body| body.joint_name() == "thigh joint" && body.gear_ratio(0) == Some(-50.0))
    );
    let without = model.remove_subtree(model.find_body("ball").expect("is there")).expect("nothing follows it");
    assert_eq!(ratio(&without), Some(-50.0));
    let (name, id, value) = ("thigh joint.rotor_inertia", model.find_parameter("thigh joint.rotor_inertia"), 2e-5);
    let id = id.expect("is there");
    assert_eq!(model.parameter_name(id).as_deref(), Some(name));
    let listed = model.parameters().into_iter().find(|(_, known, _)| *known == id).expect("is listed").2;
    assert!((listed - value).abs() <= 1e-20);
    assert!(model.find_parameter("shin joint.rotor_inertia").is_none());
    let mut builder = model.to_builder();
    for ratio in [0.0, 1e-200, f64::INFINITY, f64::NAN] {
        let refused = builder.set_gear_ratios(thigh, &[Some(ratio)]).map(|_| ());
        assert!(matches!(refused, Err(ModelError::BadNumber { what: "gear ratio", .. })), "{ratio}: {refused:?}");
    }
    assert!(matches!(builder.set_gear_ratios(thigh, &[]), Err(ModelError::Length { what: "gear ratio", .. })));
}

/// A transmission of URDF, and an actuator of MJCF with armature, say whose armature it is; two gears on one joint do not.
#[test]
fn files_say_gear_ratios() {
    let rotor = |name: &str, reduction: f64| {
        format!(
            r#"<transmission name="{name}"><joint name="j"/><actuator name="m"><drake:rotor_inertia value="1e-4"/><mechanicalReduction>{reduction}</mechanicalReduction></actuator></transmission>"#
        )
    };
    let urdf = |rotors: &str| {
        let text = format!(
            r#"<robot name="r" xmlns:drake="http://drake.mit.edu"><link name="a"/><link name="b"><inertial><mass value="1"/>
               <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
               <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>{rotors}</robot>"#
        );
        let model = Model::from_urdf_text(&text, &UrdfOptions::new()).expect("is read").model;
        (model.bodies()[0].gear_ratio(0), model.joint_dynamics()[0].armature)
    };
    assert_eq!(urdf(&rotor("t", 50.0)), (Some(50.0), 0.25));
    assert_eq!(urdf(&[rotor("t", 50.0), rotor("u", 50.0)].concat()), (Some(50.0), 0.5));
    let (ratio, armature) = urdf(&[rotor("t", 50.0), rotor("u", 10.0), rotor("v", 10.0)].concat());
    assert_eq!(ratio, None);
    assert!((armature - 0.27).abs() < 1e-15);
    let mjcf = |joint: &str, motors: &str| {
        let text = format!(
            r#"<mujoco><worldbody><body><joint name="j" {joint}/><geom size="1"/></body></worldbody><actuator>{motors}</actuator></mujoco>"#
        );
        let model = Model::from_mjcf_text(&text, &gradyn::model::mjcf::MjcfOptions::new()).expect("is read").model;
        (model.bodies()[0].gear_ratio(0), model.joint_dynamics()[0].armature)
    };
    let motor = r#"<motor joint="j" gear="20" armature="0.01"/>"#;
    assert_eq!(mjcf("", motor), (Some(20.0), 4.0));
    assert_eq!(mjcf(r#"armature="1""#, motor), (None, 5.0));
}
