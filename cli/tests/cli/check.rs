//! `gradyn check`

use super::{all_robots, good, json, robot, run};

/// Every robot of the repository, fixed and floating; the humanoid floating only.
#[test]
fn every_robot_passes() {
    for file in all_robots() {
        for floating in [&[][..], &["--floating-base"]] {
            // Each state of the humanoid has as many entries as all others together: one has to do, where it floats.
            let humanoid = file.ends_with("g1.urdf");
            if humanoid && floating.is_empty() {
                continue;
            }
            let (samples, end) = if humanoid { ("1", "\nthe state agrees\n") } else { ("3", "\nall 3 states agree\n") };
            let text = good([&["check", &file, "--samples", samples], floating].concat());
            assert!(text.ends_with(end), "{file}: {text}");
            assert!(text.contains("∂τ/∂q") && text.contains("∂τ/∂f_ext"), "{text}");
            assert!(!text.contains('\u{1b}'), "colours in a pipe");
        }
    }
}

#[test]
fn other_forms_of_the_robot_pass() {
    let flags =
        ["--continuous", "cos-sin", "--joint-order", "pinocchio", "--gravity", "-1,2,0.5", "--no-joint-friction"];
    good([&["check", &robot("continuous"), "--samples", "3"], &flags[..]].concat());
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let answer = |arguments: &[&str]| good([&["check", &robot("planar"), "--samples", "4"], arguments].concat());
    assert_eq!(answer(&[]), answer(&["--seed", "0"]));
    assert_ne!(answer(&["--json"]), answer(&["--json", "--seed", "1"]));
}

#[test]
fn a_single_state_is_the_one_of_the_whole_run() {
    let answer = |arguments: &[&str]| json(&good([&["check", &robot("ur5"), "--json"], arguments].concat()));
    let whole = answer(&["--samples", "3"]);
    let singles: Vec<_> = ["0", "1", "2"].map(|state| answer(&["--state", state])).into();
    for (k, comparison) in whole["comparisons"].as_array().expect("a list").iter().enumerate() {
        let state = comparison["worst"]["state"].as_u64().expect("a number");
        let single = &singles[usize::try_from(state).expect("small")];
        assert_eq!(comparison["worst"], single["comparisons"][k]["worst"]);
    }
}

#[test]
fn json_names_everything() {
    let value = json(&good(["check", &robot("mimic"), "--samples", "2", "--seed", "5", "--json"]));
    assert_eq!((&value["robot"], &value["seed"], &value["samples"]), (&"mimic".into(), &5.into(), &2.into()));
    assert_eq!((&value["agree"], &value["deviating"]), (&true.into(), &serde_json::json!([])));
    let comparisons = value["comparisons"].as_array().expect("a list");
    let pairs = [["analytical", "dual"], ["analytical", "difference"], ["dual", "difference"]];
    // Derivatives of torques, accelerations, terms, frames, points, mass centers and momentum; second derivatives.
    assert_eq!(comparisons.len(), 3 * (4 + 4 + 8 + 8 + 5 + 6 + 6 + 5 + 4 + 4 + 1));
    for (k, found) in comparisons.iter().enumerate() {
        assert_eq!(found["quantity"], comparisons[k - k % 3]["quantity"]);
        assert_eq!(found["methods"], serde_json::json!(pairs[k % 3]));
        assert_eq!(found["agrees"], true, "{found}");
        assert!(found["worst"]["row"].is_string(), "{found}");
    }
    let identities = value["identities"].as_array().expect("a list");
    assert_eq!(identities.len(), 13);
    assert!(identities.iter().all(|identity| identity["holds"] == true && identity["state"].is_u64()), "{value}");
}

/// Each state looks at one frame, in all references, and one subtree: in turn at all of them.
#[test]
fn frames_are_looked_at_in_turn() {
    let mut seen = std::collections::BTreeSet::new();
    for state in 0..30 {
        let list = ["--quantities", "frame_velocities_dv", "--json", "--state", &state.to_string()];
        let value = json(&good([&["check", &robot("double_pendulum")], &list[..]].concat()));
        assert_eq!(value["comparisons"].as_array().map(Vec::len), Some(3));
        let row = value["comparisons"][0]["worst"]["row"].as_str().expect("a name").to_owned();
        let frame =
            row.split_once(", ").and_then(|(_, part)| part.split_once(' ')).expect("names its frame").0.to_owned();
        seen.insert(frame);
    }
    let options = gradyn::model::urdf::UrdfOptions::new();
    let model = gradyn::Model::from_urdf_file(robot("double_pendulum"), &options).expect("the robot is good").model;
    assert_eq!(seen.len(), model.frames().len(), "{seen:?}");
}

/// A robot whose mass matrix is singular has no accelerations to compare, and all else agrees.
#[test]
fn accelerations_that_do_not_exist_are_said_so() {
    let file = super::directory("massless").join("massless.urdf");
    let text = r#"<robot name="massless"><link name="base"/><link name="arm"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="finger"/>
        <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
        <joint name="knuckle" type="revolute"><parent link="arm"/><child link="finger"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#;
    std::fs::write(&file, text).expect("writes");
    let file = file.to_str().expect("UTF-8");
    let shown = good(["check", file, "--samples", "3"]);
    assert!(shown.contains("3 of 3 states without accelerations: the mass matrix is singular"), "{shown}");
    assert!(shown.contains("∂τ/∂q") && !shown.contains("∂q̈/∂q") && shown.ends_with("all 3 states agree\n"), "{shown}");
    let value = json(&good(["check", file, "--samples", "2", "--json"]));
    assert_eq!(value["without_accelerations"], serde_json::json!([0, 1]));
    // It has no accelerations anywhere: there is nothing to tell of them.
    assert_eq!((&value["verdict"], &value["cannot_tell"]), (&"agrees".into(), &0.into()));
}

/// What is asked to be compared alone is compared alone; what cannot be is refused.
#[test]
fn quantities_can_be_chosen() {
    let file = robot("panda");
    let text = good(["check", &file, "--samples", "2", "--quantities", "ddq_dq,gravity_dq"]);
    assert!(text.contains("∂q̈/∂q") && text.contains("∂gravity/∂q") && !text.contains("∂τ/∂q"), "{text}");
    let refuse = |name: &str| super::refused(&run(["check", &file, "--quantities", name]));
    assert!(refuse("mass_matrix").contains("`mass_matrix` is not a derivative that several methods give"));
    assert!(refuse("impulse_dq").contains("`impulse_dq` needs constraints, such as --contact FRAME"));
    let all = good(["check", &file, "--samples", "1", "--verbose"]);
    for symbol in ["∂bias/∂v", "frame_accelerations_dv", "com_velocity_dq", "∂ḣ/∂v", "∂²τ/∂a∂q", "∂²q̈/∂q∂τ"]
    {
        assert!(all.contains(symbol), "{symbol}: {all}");
    }
}

#[test]
fn a_robot_that_cannot_move_has_nothing_to_check() {
    let file = super::directory("still").join("still.urdf");
    std::fs::write(&file, r#"<robot name="still"><link name="rock"/></robot>"#).expect("writes");
    let file = file.to_str().expect("UTF-8");
    assert!(good(["check", file]).contains("nothing to check"));
    assert!(good(["info", file]).contains("nq 0, nv 0"));
    for form in [&[][..], &["--json"], &["--csv"], &["--map"], &["--table"]] {
        good([&["derivatives", file], form].concat());
    }
    let output = run(["check", file, "--floating-base", "--samples", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Type, axis and rpy of a joint, and the center of mass of its link.
type Link = (&'static str, &'static str, &'static str, &'static str);

/// Links in a row.
fn chain(name: &str, joints: &[Link]) -> String {
    let mut text = format!(r#"<robot name="{name}"><link name="l0"/>"#);
    for (k, (kind, axis, rpy, com)) in joints.iter().enumerate() {
        let (parent, k) = (k, k + 1);
        text += &format!(
            r#"<link name="l{k}"><inertial><origin xyz="{com}"/><mass value="1.3"/>
            <inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" ixz="0" iyz="0"/></inertial></link>
            <joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k}"/>
            <origin xyz="0.1 0 0.3" rpy="{rpy}"/><axis xyz="{axis}"/></joint>"#
        );
    }
    let file = super::directory(name).join("robot.urdf");
    std::fs::write(&file, text + "</robot>").expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// Where nothing is left of the terms of a sum but roundings, nothing deviates: oblique axes, axes through centers of
/// mass, no gravity.
#[test]
fn roundings_of_what_cancels_are_no_deviations() {
    let down = "0 0 -0.3";
    let (straight, turned, bent) = ("0 0 0", "1.5707963267949 0 0", "0.3 -0.7 1.1");
    let robots: [(&str, &[Link]); 9] = [
        ("pendulum", &[("continuous", "1 1 0", straight, down)]),
        ("rotor", &[("continuous", "1 1 1", straight, "0 0 0")]),
        ("turntable", &[("continuous", "0 0 1", turned, "0.1 0 0")]),
        ("sled", &[("planar", "0 0 1", straight, "0 0 0")]),
        ("leaning_sled", &[("planar", "1 1 1", bent, "0.1 0 0")]),
        ("slide", &[("prismatic", "1 2 3", bent, "0 0 0")]),
        ("knee", &[("continuous", "0 1 0", turned, down), ("continuous", "0 1 0", straight, down)]),
        ("cart", &[("prismatic", "1 0 0", straight, "0 0 0"), ("continuous", "0 1 0", straight, down)]),
        (
            "wrist",
            &[
                ("continuous", "1 1 0", bent, "0 0 0"),
                ("continuous", "0 1 1", bent, "0 0 0"),
                ("continuous", "1 1 1", bent, "0 0 0"),
            ],
        ),
    ];
    for (name, joints) in robots {
        let file = chain(name, joints);
        for flags in [&[][..], &["--gravity", "0,0,0"], &["--floating-base"], &["--continuous", "cos-sin"]] {
            good([&["check", &file, "--samples", "12"], flags].concat());
        }
    }
}

/// Differences of accelerations that are hard to solve for have few digits, and are not held to more.
#[test]
fn differences_of_light_wrists_are_not_held_to_more_digits_than_they_have() {
    for seed in ["1", "2", "7"] {
        good(["check", &robot("ur5"), "--contact", "tool0", "--seed", seed]);
    }
    for seed in ["3", "4", "24"] {
        good(["check", &robot("prismatic"), "--seed", seed]);
    }
}
