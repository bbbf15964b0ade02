//! What readers of MJCF get wrong, each with its number.

#![allow(clippy::float_cmp, reason = "numbers of the file come back to the bit")]

use super::{assert_near, load, mass_matrix, moment, pose, refusal, tree};
use gradyn::model::mjcf::{Equality, MjcfOptions, Rank, Transmission};
use gradyn::{Model, once};
use std::f64::consts::{FRAC_PI_2, PI};

/// A ball of 1 kg and 0.1 m: 0.004 kg m².
const BALL: &str = "<geom size='0.1' mass='1'/>";

fn joint(attributes: &str) -> super::Loaded {
    tree(&format!("<body name='b'><joint name='j' {attributes}/>{BALL}</body>"))
}

/// Position and axis of a joint are in the frame of its own body: turned and moved with it.
#[test]
fn anchors_and_axes_are_in_the_frame_of_the_body() {
    let loaded = tree(
        "<body name='b' pos='1 0 0' euler='0 0 90'><joint name='j' pos='0.5 0 0' axis='1 0 0'/>\
         <geom size='0.1' mass='2' pos='0 0.3 0'/></body>",
    );
    assert_near(pose(&loaded, &[0.7], "b").0.as_slice(), &[1.0, 0.0, 0.0]);
    assert_near(pose(&loaded, &[0.7], "j").0.as_slice(), &[1.0, 0.5, 0.0]);
    // 2 (0.3² + 2/5 0.1²)
    assert_near(&mass_matrix(&loaded, &[0.7]), &[0.188]);
}

/// Several joints of a body act in the order of the file, each with its anchor.
#[test]
fn joints_of_a_body_act_in_order() {
    let loaded = tree(
        "<body name='b'><joint name='x' type='slide' axis='1 0 0'/><joint name='z' axis='0 0 1' pos='0.2 0 0'/>\
         <joint name='y' axis='0 1 0'/><geom size='0.1' mass='2' pos='0.5 0 0'/></body>",
    );
    let q = [0.1, 0.2, 0.3];
    assert_near(pose(&loaded, &q, "b").0.as_slice(), &[0.103_986_684_431_751_71, -0.039_733_866_159_012_25, 0.0]);
    let expected = [
        2.0,
        -0.110_328_328_660_662_96,
        -0.289_629_477_625_515_6,
        -0.110_328_328_660_662_96,
        0.162_199_308_077_171_2,
        0.0,
        -0.289_629_477_625_515_6,
        0.0,
        0.508_000_000_000_000_1,
    ];
    assert_near(&mass_matrix(&loaded, &q), &expected);
    let names: Vec<_> = loaded.model.bodies().iter().map(|body| body.joint_name()).collect();
    assert_eq!(names, ["x", "z", "y"]);
}

/// Joints are numbered by their bodies, even if a body stands before the joint of the one that it is in.
#[test]
fn joints_are_numbered_by_their_bodies() {
    let loaded = tree(&format!(
        "<body><body><joint name='b'/>{BALL}</body>{BALL}<joint name='a' type='slide' axis='1 0 0'/><joint/></body>"
    ));
    let names: Vec<_> = loaded.description.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["a", "joint_1", "b"]);
    let q = loaded.coordinates.q_of(&loaded.model, &[1.0, 2.0, 3.0]).expect("has this length");
    assert_eq!(q, [1.0, 2.0, 3.0]);
    assert_eq!(loaded.model.bodies()[0].joint_name(), "a");
}

/// The linear velocity of a free joint is in axes of the world, the angular one in those of the body.
#[test]
fn a_free_joint_moves_along_the_world_and_turns_about_itself() {
    let loaded = tree(&format!("<body name='b'><freejoint name='f'/>{BALL}</body>"));
    // A quarter turn about z: x of the world is −y of the body.
    let half = 0.5_f64.sqrt();
    let qpos = [0.0, 0.0, 0.0, half, 0.0, 0.0, half];
    let q = loaded.coordinates.q_of(&loaded.model, &qpos).expect("has this length");
    let v = loaded.coordinates.v_of(&q, &[1.0, 0.0, 0.0, 0.0, 2.0, 0.0]).expect("has this length");
    assert_near(&v, &[0.0, -1.0, 0.0, 0.0, 2.0, 0.0]);
}

/// Quaternions have the real part first.
#[test]
fn quaternions_begin_with_the_real_part() {
    let loaded = tree(&format!("<body name='b' quat='0 1 0 0'><joint/>{BALL}</body>"));
    assert_near(pose(&loaded, &[0.0], "b").1.as_slice(), &[1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0]);
}

/// Angles are degrees unless the compiler says radians.
#[test]
fn angles_are_degrees() {
    let range = |compiler: &str| {
        let text = format!("{compiler}<worldbody><body><joint range='-90 2' ref='1'/>{BALL}</body></worldbody>");
        let limits = load(&text).model.limits().clone();
        [limits.q_lower[0], limits.q_upper[0]]
    };
    assert_near(&range(""), &[-FRAC_PI_2, 2.0 * PI / 180.0]);
    assert_near(&range("<compiler angle='radian'/>"), &[-90.0, 2.0]);
}

/// Small letters of `eulerseq` are axes that turn along, capitals fixed ones.
#[test]
fn euler_angles_turn_about_moving_or_fixed_axes() {
    let axes = |sequence: &str| {
        let compiler = format!("<compiler eulerseq='{sequence}'/>");
        let body = format!("<body name='b' euler='30 40 50'><joint/>{BALL}</body>");
        let loaded = load(&format!("{compiler}<worldbody>{body}</worldbody>"));
        pose(&loaded, &[0.0], "b").1.transpose().as_slice().to_vec()
    };
    let moving = [
        0.492_403_876_506_104_07,
        -0.586_824_088_833_465_3,
        0.642_787_609_686_539_4,
        0.870_001_903_752_205_8,
        0.310_468_460_973_367_4,
        -0.383_022_221_559_489,
        0.025_201_386_257_487_36,
        0.747_828_070_819_491_3,
        0.663_413_948_168_938_4,
    ];
    assert_near(&axes("xyz"), &moving);
    let mixed = [
        0.738_605_814_759_156_2,
        -0.380_236_133_250_197_95,
        0.556_670_399_226_419_5,
        0.663_413_948_168_938_5,
        0.556_670_399_226_419_5,
        -0.5,
        -0.119_763_866_749_802_24,
        0.738_605_814_759_156_1,
        0.663_413_948_168_938_6,
    ];
    assert_near(&axes("XYz"), &mixed);
    assert_near(&axes("zyx"), &{
        let loaded = load(&format!(
            "<compiler eulerseq='XYZ'/><worldbody><body name='b' euler='50 40 30'><joint/>{BALL}</body></worldbody>"
        ));
        pose(&loaded, &[0.0], "b").1.transpose().as_slice().to_vec()
    });
    assert_eq!(
        refusal("<compiler eulerseq='xyq'/>"),
        "line 1: compiler: `eulerseq` is `xyq`: expected one of three letters of x, y, z, X, Y, Z"
    );
}

/// `class` of an element counts before `childclass` of its body; the nameless class is that of all others.
#[test]
fn classes_are_those_of_the_element_of_its_body_and_the_nameless_one() {
    let loaded = load(
        "<default><joint damping='1'/><default class='a'><joint damping='2' armature='5'/>\
         <default class='b'><joint damping='3'/></default></default></default>\
         <worldbody><body childclass='a'><joint name='own' class='b'/><geom size='1'/>\
         <body><joint name='inherited'/><geom size='1'/>\
         <frame childclass='b'><body><joint name='frame'/><geom size='1'/></body></frame></body></body>\
         <body><joint name='nameless'/><geom size='1'/></body><body><joint name='main' class='main'/><geom size='1'/></body>\
         </worldbody>",
    );
    let joints = &loaded.description.joints;
    let dampings: Vec<_> = joints.iter().map(|joint| (joint.name.as_str(), joint.damping, joint.armature)).collect();
    let expected =
        [("own", 3.0, 5.0), ("inherited", 2.0, 5.0), ("frame", 3.0, 5.0), ("nameless", 1.0, 0.0), ("main", 1.0, 0.0)];
    assert_eq!(dampings, expected);
    let wrong = "<default><default class='arm'/></default><worldbody><body childclass='arn'/></worldbody>";
    assert_eq!(refusal(wrong), "line 1: body: `childclass`: there is no class `arn`: did you mean `arm`?");
    let twice = "<default><default class='a'>\n<default class='a'/></default></default>";
    assert_eq!(refusal(twice), "line 2: class `a`: the name is taken by the class in line 1");
}

/// A free joint that is written `freejoint` has no defaults; one that is written `joint` has.
#[test]
fn a_freejoint_has_no_defaults() {
    let with = |joint: &str| {
        let body = format!("<worldbody><body>{joint}{BALL}</body></worldbody>");
        load(&format!("<default><joint damping='1'/></default>{body}")).description.joints[0].damping
    };
    assert_eq!((with("<freejoint/>"), with("<joint type='free'/>")), (0.0, 1.0));
}

/// The armature of a ball joint is that of each of its three axes.
#[test]
fn armature_of_a_ball_joint_counts_three_times() {
    let matrix = mass_matrix(&joint("type='ball' armature='0.5'"), &[0.0, 0.0, 0.0, 1.0]);
    assert_near(&[matrix[0], matrix[4], matrix[8]], &[0.504; 3]);
}

/// Inertia comes from geoms where there is no `inertial`, or where the compiler says so.
#[test]
fn inertia_comes_from_geoms_as_the_compiler_says() {
    let body = |compiler: &str, inertial: &str| {
        let body = format!("<body><joint/>{inertial}{BALL}</body>");
        load(&format!("{compiler}<worldbody>{body}</worldbody>")).model.bodies()[0].inertia().mass
    };
    let inertial = "<inertial pos='0 0 0' mass='7' diaginertia='1 1 1'/>";
    assert_eq!([body("", ""), body("", inertial)], [1.0, 7.0]);
    assert_eq!(body("<compiler inertiafromgeom='true'/>", inertial), 1.0);
    assert_eq!(body("<compiler inertiafromgeom='false'/>", inertial), 7.0);
    assert!(
        refusal(&format!(
            "<compiler inertiafromgeom='false'/><worldbody><body name='b'><joint/>{BALL}</body></worldbody>"
        ))
        .contains("body `b`: it moves, and neither it nor a body fixed to it has a mass")
    );
}

/// Geoms of a group outside of `inertiagrouprange` have no mass.
#[test]
fn geoms_of_other_groups_have_no_mass() {
    let geoms = "<geom size='0.1' mass='1'/><geom size='0.1' mass='10' group='3'/>";
    let mass = |compiler: &str| {
        let body = format!("<worldbody><body><joint/>{geoms}</body></worldbody>");
        load(&format!("{compiler}{body}")).model.bodies()[0].inertia().mass
    };
    assert_eq!((mass(""), mass("<compiler inertiagrouprange='0 2'/>")), (11.0, 1.0));
}

/// The density is 1000 kg/m³; a mass counts before it.
#[test]
fn density_is_that_of_water_and_mass_counts_before_it() {
    let mass = |geom: &str| tree(&format!("<body><joint/><geom {geom}/></body>")).model.bodies()[0].inertia().mass;
    assert_near(&[mass("size='0.1'")], &[4.0 / 3.0 * PI]);
    assert_near(&[mass("size='0.1' density='500'")], &[2.0 / 3.0 * PI]);
    assert_near(&[mass("size='0.1' density='500' mass='3'")], &[3.0]);
    assert_near(&[mass("type='box' size='0.1 0.2 0.3'")], &[48.0]);
}

/// `ref` shifts the coordinate: at `ref` the body has the pose of the file. `springref` is a value of the same coordinate,
/// and is not shifted.
#[test]
fn ref_shifts_the_coordinate_and_not_the_spring() {
    let attributes = "type='slide' axis='1 0 0' ref='0.5' springref='0.2' stiffness='10'";
    let loaded = joint(attributes);
    assert_eq!(loaded.reference, [0.5]);
    assert_near(pose(&loaded, &[0.5], "b").0.as_slice(), &[0.0; 3]);
    assert_near(pose(&loaded, &[0.7], "b").0.as_slice(), &[0.2, 0.0, 0.0]);
    // Torques at rest: −(−10 (0.5 − 0.2)).
    let tau = once::rnea(&loaded.model, &[0.5], &[0.0], &[0.0], &[]).expect("is a state");
    assert_near(&tau, &[3.0]);
    let hinge = joint("ref='90' springref='30' stiffness='6'");
    assert_near(&hinge.reference, &[FRAC_PI_2]);
    let tau = once::rnea(&hinge.model, &[FRAC_PI_2], &[0.0], &[0.0], &[]).expect("is a state");
    assert_near(&tau, &[6.0 * PI / 3.0]);
}

/// The order of `fullinertia` is xx yy zz xy xz yz, in the axes of the body.
#[test]
fn full_inertias_have_their_products_last() {
    let loaded = tree("<body><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1.1 1.2 0.01 0.02 0.03'/></body>");
    let r = loaded.model.bodies()[0].inertia().rotational;
    assert_eq!([r.xx, r.yy, r.zz, r.xy, r.xz, r.yz], [1.0, 1.1, 1.2, 0.01, 0.02, 0.03]);
}

/// A range limits a joint unless the compiler or the joint says otherwise.
#[test]
fn ranges_limit_as_the_compiler_says() {
    let limits = |compiler: &str, joint: &str| {
        let body = format!("<worldbody><body><joint {joint}/>{BALL}</body></worldbody>");
        load(&format!("{compiler}{body}")).description.joints[0].range.is_some()
    };
    assert!(limits("", "range='-1 1'") && !limits("", "range='-1 1' limited='false'") && !limits("", ""));
    let off = "<compiler autolimits='false'/>";
    assert!(limits(off, "range='-1 1' limited='true'"));
    assert!(
        refusal(&format!("{off}<worldbody><body><joint range='-1 1'/>{BALL}</body></worldbody>"))
            .contains("autolimits")
    );
    assert_eq!(
        refusal(&format!("<worldbody><body>\n<joint name='j' range='1 -1'/>{BALL}</body></worldbody>"))
            .split(": ")
            .nth(1),
        Some("joint `j`")
    );
}

/// `q₁ − ref₁ = c₀ + c₁ (q₂ − ref₂)`
#[test]
fn polynomials_of_first_order_let_a_joint_follow() {
    let content = |coefficients: &str| {
        format!(
            "<worldbody><body><joint name='a' type='slide' ref='0.1'/>{BALL}<body><joint name='b' type='slide' ref='0.3'/>{BALL}\
             </body></body></worldbody><equality><joint joint1='b' joint2='a' polycoef='{coefficients}'/></equality>"
        )
    };
    let loaded = load(&content("0.5 2"));
    assert_eq!((loaded.model.nq(), loaded.report.warning_count()), (1, 0));
    let gradyn::joint::Joint::Mimic(mimic) = loaded.model.bodies()[1].joint() else { panic!("does not follow") };
    assert_near(&[mimic.multiplier(), mimic.offset()], &[2.0, 0.3 + 0.5 - 2.0 * 0.1]);
    let curved = load(&content("0 1 1"));
    assert_eq!((curved.model.nq(), curved.report.count_of(Rank::ChangesDynamics)), (2, 1));
    assert!(matches!(curved.description.equalities[0].holds, Equality::Joint { .. }));
}

/// Names of replicas end with their number, with as many digits as the count has; what refers to them is there for each.
#[test]
fn replicas_are_numbered_and_their_actuators_too() {
    let loaded = load(&format!(
        "<worldbody><replicate count='12' sep='-' offset='0.5 0 0' euler='0 0 90'><body name='b'><joint name='j'/>{BALL}</body>\
         </replicate></worldbody><actuator><motor name='m' joint='j' gear='3'/></actuator>"
    ));
    let names: Vec<_> = loaded.description.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[11]), (12, "b-00", "b-11"));
    // Each turned by a quarter, and moved along the axes of the one before.
    let q = vec![0.0; 12];
    assert_near(pose(&loaded, &q, "b-01").0.as_slice(), &[0.5, 0.0, 0.0]);
    assert_near(pose(&loaded, &q, "b-02").0.as_slice(), &[0.5, 0.5, 0.0]);
    let motors = &loaded.description.actuators;
    assert_eq!((motors.len(), motors[3].name.as_deref()), (12, Some("m-03")));
    assert_eq!(
        (&motors[3].transmission, motors[3].gear[0]),
        (&Transmission::Joint { joint: 3, in_parent: false }, 3.0)
    );
}

/// Contacts that are excluded, and sensors, are no dynamics: no warning.
#[test]
fn exclude_and_sensor_are_silently_fine() {
    let loaded = load(&format!(
        "<worldbody><body name='a'><joint name='j'/>{BALL}</body></worldbody>\
         <contact><exclude body1='a' body2='world'/></contact><sensor><jointpos joint='j'/></sensor>"
    ));
    assert_eq!((loaded.report.warning_count(), loaded.report.count_of(Rank::NotDynamics)), (0, 2));
}

/// A frame moves what it holds, and a frame within moves it further; the `inertial` of a body is not moved.
#[test]
fn frames_move_what_they_hold() {
    let loaded = tree(&format!(
        "<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'><body name='b'>\
         <frame pos='0 0 3'><joint name='j' pos='0.5 0 0' axis='1 0 0'/>{BALL}<site name='s' pos='0 1 0'/></frame></body></frame></frame>"
    ));
    assert_near(pose(&loaded, &[0.0], "b").0.as_slice(), &[1.0, 1.0, 0.0]);
    assert_near(pose(&loaded, &[0.0], "j").0.as_slice(), &[1.0, 1.5, 3.0]);
    assert_near(pose(&loaded, &[0.0], "s").0.as_slice(), &[0.0, 1.0, 3.0]);
    assert_near(&[loaded.model.bodies().last().expect("has one").inertia().com.z], &[3.0]);
}

/// A body without mass that the compiler gives one has it where the body stands in its parent: MuJoCo has it so.
#[test]
fn bounded_masses_are_where_the_body_is_in_its_parent() {
    let loaded = load(&format!(
        "<compiler boundmass='0.5'/><worldbody><body name='b'><joint/>{BALL}<body pos='0 0 2'/></body></worldbody>"
    ));
    let y = loaded.model.bodies()[0].inertia();
    // 0.5 kg at 2 + 2 m, with 1 kg at 0.
    assert_near(&[y.mass, y.com.z], &[1.5, 0.5 * 4.0 / 1.5]);
}

/// Dry friction needs a width: without one it is left out, and that is said.
#[test]
fn dry_friction_is_used_with_a_width() {
    let text =
        format!("<mujoco><worldbody><body><joint name='j' frictionloss='0.5'/>{BALL}</body></worldbody></mujoco>");
    let without = Model::from_mjcf_text(&text, &MjcfOptions::new()).expect("reads");
    assert_eq!(without.report.count_of(Rank::ChangesDynamics), 1);
    let with = Model::from_mjcf_text(&text, &MjcfOptions::new().friction_width(0.01)).expect("reads");
    assert_eq!(with.report.count_of(Rank::ChangesDynamics), 0);
    assert_eq!(with.model.joint_dynamics()[0].friction, 0.5);
}

/// Moments of every shape, solid and of its surface: numbers of MuJoCo.
#[test]
fn shapes_have_their_moments() {
    let of = |geom: &str| moment(&format!("<body><joint axis='1 0 0'/><geom mass='2' {geom}/></body>"));
    assert_near(&[of("size='0.3'")], &[0.072]);
    assert_near(&[of("size='0.3' shellinertia='true'")], &[0.12]);
    assert_near(&[of("type='box' size='0.1 0.2 0.3'")], &[2.0 / 3.0 * 0.13]);
    assert_near(&[of("type='ellipsoid' size='0.1 0.2 0.3'")], &[2.0 / 5.0 * 0.13]);
    assert_near(&[of("type='cylinder' size='0.2 0.3'")], &[2.0 * (3.0 * 0.04 + 0.36) / 12.0]);
    // A sphere is a capsule without length, a rod a thin one.
    assert!((of("type='capsule' size='0.3 1e-9'") - 0.072).abs() < 1e-9);
    // The mass of its ends is some 1e-6 of the whole.
    assert!((of("type='capsule' size='1e-6 0.3'") - 0.06).abs() < 1e-6);
    // Both ends at distance one: a point mass, and the moments of the shape about its own x.
    let fromto = of("type='capsule' fromto='0 0 1 0 1 1' size='1e-6'");
    assert!((fromto - (2.0 * 1.25 + 2.0 / 12.0)).abs() < 1e-5, "{fromto}");
}

/// Keyframes have names of their own, and what does not fit them is said of the right attribute.
#[test]
fn keyframes_that_do_not_fit_are_told() {
    let bodies = "<worldbody><body><joint name='a'/><geom size='1'/><body><joint name='b'/><geom size='1'/></body></body></worldbody>
<equality><joint joint1='b' joint2='a' polycoef='0.5 2 0 0 0'/></equality>";
    let keys = |keys: &str| format!("{bodies}<keyframe>\n{keys}</keyframe>");
    let told = |content: &str| -> Vec<String> { load(content).report.warnings().map(ToString::to_string).collect() };
    assert_eq!(told(&keys("<key name='x' qpos='0.5 1.5'/><key/><key/>")), Vec::<String>::new());
    // A rounded number, as people write it.
    assert_eq!(told(&keys("<key name='x' qpos='0.5 1.505'/>")), Vec::<String>::new());
    let of = |attribute: &str, reason: &str| vec![format!("line 3: keyframe `x`: `{attribute}` of `key`: {reason}")];
    let off = of("qpos", "a joint that follows another is not where it belongs, and goes there");
    assert_eq!(told(&keys("<key name='x' qpos='0.5 0.3'/>")), off);
    let length = of("qvel", "it is left out: its length is not that of the velocities");
    assert_eq!(told(&keys("<key name='x' qvel='1 2 3'/>")), length);
    let length = of("qpos", "it is left out: its length is not that of the coordinates");
    assert_eq!(told(&keys("<key name='x' qpos='1 2 3'/>")), length);
    assert_eq!(
        refusal(&keys("<key name='x'/>\n<key name='x'/>")),
        "line 4: key `x`: the name is taken by the key in line 3"
    );
    // Under `strict` they count as others do.
    let text = format!("<mujoco>{}</mujoco>", keys("<key name='x' qpos='0.5 0.3'/>"));
    assert!(Model::from_mjcf_text(&text, &MjcfOptions::new().strict(true)).is_err());
}

/// A range is told in the unit of the file.
#[test]
fn an_empty_range_is_told_as_it_stands() {
    let said = refusal("<worldbody><body><joint name='j' range='1 -1'/><geom size='1'/></body></worldbody>");
    assert_eq!(said, "line 1: joint `j`: `range`: 1 is not below -1");
}
