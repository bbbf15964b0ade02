//! Files that make no sense are refused in one line; what loads is sane; all in linear time.

use super::refusal;
use crate::faults::{Random, are_refused_or_sane, damage};
use gradyn::model::mjcf::{Loaded, MjcfError, MjcfOptions, rewrite};
use gradyn::{Model, once};
use std::time::{Duration, Instant};

/// Each with the line and the element.
#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    let body = |content: &str| format!("\n<worldbody><body name='b'>{content}<geom size='1'/></body></worldbody>");
    let cases = [
        (body("<joint axis='0 0 0'/>"), "line 2: joint: `axis` is zero"),
        (
            body("<joint name='j' type='screw'/>"),
            "line 2: joint `j`: `type` is `screw`: expected one of `free`, `ball`, `slide`, `hinge`",
        ),
        (body("<joint pos='1 2'/>"), "line 2: joint: `pos` of `joint`: 2 numbers instead of 3"),
        (body("<joint damping='x'/>"), "line 2: joint: `damping` of `joint`: `x` is not a number"),
        (body("<joint damping='-1'/>"), "line 2: joint: `damping` is -1: expected a number that is not negative"),
        (body("<joint name='a'/>\n<joint name='a'/>"), "line 3: joint `a`: the name is taken by the joint in line 2"),
        (body("<inertial mass='1'/>"), "line 2: inertial: `inertial` has no attribute `pos`"),
        (
            body("<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/>"),
            "line 2: body `b`: principal moments break the triangle inequality (mass 1 kg, principal moments 1.0000e0, 1.0000e0, 3.0000e0 kg m²)",
        ),
        (
            body("<body><freejoint/><geom size='1'/></body>"),
            "line 2: body: a free joint can only move a body of the world",
        ),
        (body("<joint type='ball'/><joint/>"), "line 2: body `b`: no rotation may follow a ball joint"),
        (
            body("<geom quat='1 0 0 0' euler='0 0 0'/>"),
            "line 2: geom: both `quat` and `euler` are given: expected one of them",
        ),
        (body("<replicate count='-1'/>"), "line 2: replicate: `count` is -1: expected a whole number from 1"),
        ("<worldbody><joint/></worldbody>".into(), "line 1: joint: the world has no joints"),
        (
            "<compiler coordinate='global'/>".into(),
            "line 1: compiler: `coordinate` is `global`, which is no longer a part of MJCF: load the file in MuJoCo 2.3.3 or older, and save it",
        ),
        (
            format!("{}<actuator><motor joint='elbw'/></actuator>", body("<joint name='elbow'/>")),
            "line 2: motor: `joint`: there is no joint `elbw`: did you mean `elbow`?",
        ),
        ("<!DOCTYPE a>".into(), "line 1: a document type definition"),
    ];
    for (content, message) in cases {
        let found = refusal(&content);
        assert!(found.starts_with(message), "{content}\n{found}\n{message}");
    }
    let other = Model::from_mjcf_text("<robot/>", &MjcfOptions::new()).unwrap_err();
    assert_eq!(other.to_string(), "line 1: the root element is `robot`, not `mujoco`");
}

/// Sizes, depths and counts that no robot has end in an error, and soon.
#[test]
fn hostile_files_end_soon() {
    let started = Instant::now();
    let deep = format!("<worldbody>{}{}</worldbody>", "<body>".repeat(100_000), "</body>".repeat(100_000));
    let classes = format!("<default>{}", (0..400).map(|k| format!("<default class='c{k}'>")).collect::<String>());
    let nested = format!("{}{}", "<replicate count='1000'>".repeat(20), "</replicate>".repeat(20));
    let cases = [
        deep,
        format!("{classes}{}</default>", "</default>".repeat(400)),
        format!("<worldbody>{nested}</worldbody>"),
        "<worldbody><replicate count='1e9'/></worldbody>".into(),
        "<worldbody><body name='a'><joint/><geom size='1'/><attach body='a' prefix='x'/></body></worldbody>".into(),
        format!("<worldbody>{}</worldbody>", "<geom size='1'/>".repeat(300_000)),
        format!(
            "<worldbody><body><joint {}/></body></worldbody>",
            (0..300).map(|k| format!("a{k}='1' ")).collect::<String>()
        ),
    ];
    for content in cases {
        // Whether it is read or refused.
        let _ = Model::from_mjcf_text(&format!("<mujoco>{content}</mujoco>"), &MjcfOptions::new());
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed()); // some seconds without optimization
}

/// A hundred thousand bodies take ten times as long as ten thousand, not a hundred times.
#[test]
fn many_bodies_take_linear_time() {
    let read = |n: usize| {
        let body = "<body pos='1 0 0'><joint/><geom size='0.1'/></body>";
        let text = format!("<mujoco><worldbody>{}</worldbody></mujoco>", body.repeat(n));
        let started = Instant::now();
        let loaded = Model::from_mjcf_text(&text, &MjcfOptions::new()).expect("reads");
        assert_eq!(loaded.model.nv(), n);
        started.elapsed().as_secs_f64()
    };
    let (few, many) = (read(10_000), read(100_000));
    // Between ten times (linear) and a hundred times (quadratic).
    assert!(many < 40.0 * few.max(0.01), "{few} s, {many} s");
}

const ROBOT: &str = r#"<mujoco model="all">
<compiler angle="radian" autolimits="true" boundmass="1e-3" settotalmass="3"/>
<option gravity="0 0 -9.81" timestep="0.001"><flag spring="enable"/></option>
<default><joint damping="0.1" armature="0.01"/><geom density="500"/>
<default class="leg"><geom type="capsule" size="0.05 0.2"/><joint axis="0 1 0" range="-1 1"/></default></default>
<worldbody><light pos="0 0 1"/><geom type="plane" size="1 1 1"/>
<frame pos="0 0 1" euler="0 0 0.3"><body name="trunk" pos="0 0 0.1">
<freejoint name="root"/><inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.2 0.2" euler="0.1 0 0"/><site name="imu"/>
<replicate count="2" offset="0.2 0 0" sep="_"><body name="thigh" childclass="leg"><joint name="hip" pos="0 0 0.1"/><geom fromto="0 0 0 0 0 -0.3"/>
<body name="shank" pos="0 0 -0.3" quat="1 0.1 0 0"><joint name="knee" ref="0.2" stiffness="3" springref="0.1"/><geom/></body></body></replicate>
</body></frame>
<body name="wheel"><joint name="x" type="slide" axis="1 0 0"/><joint name="ball" type="ball"/><geom type="ellipsoid" size="0.1 0.2 0.3" mass="1"/></body>
</worldbody>
<equality><connect body1="wheel" body2="trunk" anchor="0 0 0"/><weld site1="imu" site2="imu"/>
<joint joint1="hip_0" joint2="hip_1" polycoef="0.1 1"/></equality>
<tendon><fixed name="t" stiffness="3"><joint joint="x" coef="1"/></fixed></tendon>
<actuator><motor name="m" joint="hip" gear="3"/><position joint="x" kp="10"/><general site="imu" gear="0 0 1 0 0 0"/></actuator>
<keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2 0.3 0.4 0 1 0 0 0"/></keyframe>
</mujoco>"#;

const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "0 0 0",
    "1 2",
    "1 0 0 0",
    "free",
    "ball",
    "slide",
    "trunk",
    "hip",
    "leg",
    "true",
    "auto",
    "",
    "&#10;",
    "é\u{2028}",
    "mesh",
    "box",
    "7 7 7 7 7 7",
    "-0",
];
const JUNK: [&str; 14] = [
    "<body>",
    "</body>",
    "<joint type='free'/>",
    "<frame>",
    "</frame>",
    "<default class='leg'/>",
    "<include file='x.xml'/>",
    "<replicate count='3'/>",
    "<attach body='thigh' prefix='a'/>",
    "<!--",
    "<inertial pos='0 0 0' mass='1'/>",
    "<geom type='mesh' mesh='m'/>",
    "<freejoint/>",
    "<composite/>",
];

fn assert_sane(loaded: &Loaded) {
    let model = &loaded.model;
    assert!(model.check_configuration(&loaded.reference).is_ok());
    for configuration in &loaded.configurations {
        assert!(model.check_configuration(&configuration.q).is_ok() && configuration.v.len() == model.nv());
    }
    let ones = vec![1.0; model.nv()];
    if let Ok(tau) = once::rnea(model, &loaded.reference, &ones, &ones, &[]) {
        assert!(tau.iter().all(|x| x.is_finite()));
    }
    assert!(loaded.report.notes().iter().all(|note| !note.to_string().contains('\n') && note.line > 0));
    let _ = (loaded.report.to_string(), loaded.constraints());
}

/// Without a change the text is the same; what is changed is read again, or refused in one line.
fn write_back(text: &str, model: &Model) {
    let options = MjcfOptions::new();
    let same = rewrite(text, &options, model).unwrap_or_else(|error| panic!("{error}"));
    assert!(same.text == text && same.changes.is_empty() && same.not_written.is_empty(), "{same:?}");
    let layout = model.parameter_layout();
    // One kind of number: a choice that depends on the text alone.
    let kinds =
        [&layout.inertial, &layout.damping, &layout.armature, &layout.placement, &layout.axis, &layout.stiffness];
    let kind = kinds[text.len() % kinds.len()].clone();
    let step: Vec<_> =
        (0..layout.len()).map(|k| if kind.contains(&k) { 0.01 * ((k * 7 % 11) as f64 - 3.0) } else { 0.0 }).collect();
    let Ok(moved) = model.with_parameters_moved(&step) else { return };
    match rewrite(text, &options, &moved) {
        Ok(new) => {
            let again = Model::from_mjcf_text(&new.text, &options).expect("is read").model;
            assert_eq!(rewrite(&new.text, &options, &again).expect("is the file's").text, new.text);
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
}

#[test]
fn files_with_random_faults_are_refused_or_give_a_sane_model() {
    let whole = Model::from_mjcf_text(ROBOT, &MjcfOptions::new()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((whole.description.bodies.len(), whole.description.joints.len()), (6, 7));
    let damaged = |random: &mut Random| {
        let mut text = ROBOT.to_owned();
        for _ in 0..1 + random.below(3) {
            damage(&mut text, random, &WORDS, &JUNK);
        }
        text
    };
    let read = |text: &str, _: &mut Random| {
        Model::from_mjcf_text(text, &MjcfOptions::new()).map(|loaded| {
            assert_sane(&loaded);
            write_back(text, &loaded.model);
        })
    };
    are_refused_or_sane(damaged, read, |error| matches!(error, MjcfError::Model(_)));
}
