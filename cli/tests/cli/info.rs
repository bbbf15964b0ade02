//! `gradyn info`

use super::{all_robots, directory, good, json, output, robot, run};
use std::process::Command;

#[test]
fn every_robot_is_shown() {
    for file in all_robots() {
        for floating in [&[][..], &["--floating-base"]] {
            let text = good([&["info", &file], floating].concat());
            let value = json(&good([&["info", &file, "--json"], floating].concat()));
            assert!(text.starts_with(value["robot"].as_str().expect("a name")), "{text}");
            for joint in
                value["joints"].as_array().expect("a list").iter().chain(value["mimic"].as_array().expect("a list"))
            {
                assert!(text.contains(joint["name"].as_str().expect("a name")), "{joint} is not in {text}");
            }
            let mass: f64 =
                value["bodies"].as_array().expect("a list").iter().map(|b| b["mass"].as_f64().expect("kg")).sum();
            let total = value["total_mass"].as_f64().expect("kg");
            assert!((mass - total).abs() <= 1e-12 * total, "{mass} {total}"); // sums in one order or another
        }
    }
}

#[test]
fn coordinates_limits_and_followers_are_shown() {
    let text = good(["info", &robot("panda"), "--floating-base"]);
    assert!(text.contains("root_joint    free-flyer         0..7  0..6"), "{text}");
    assert!(text.lines().any(|line| line.contains("panda_joint4") && line.contains("-3.0718  -0.0698")), "{text}");
    assert!(text.contains("+ panda_link8"), "{text}");
    let text = good(["info", &robot("mimic")]);
    assert!(text.contains("follows left_slide: q = 0.8 q(left_slide) + 0.01"), "{text}");
    assert!(text.contains("  right_slide (prismatic "), "{text}");
    let text = good(["info", &robot("panda"), "--gravity", "0,0,-1.6", "--no-joint-friction"]);
    assert!(text.contains("gravity (0, 0, -1.6) m/s²; joint friction off"), "{text}");
}

/// What a robot weighs and how its joints turn can be read, by people and by programs.
#[test]
fn axes_and_inertias_are_shown() {
    let text = good(["info", &robot("planar")]);
    assert!(text.contains("Inertias") && text.contains("Ixx"), "{text}");
    let file = urdf("planar_without_axis");
    let text = good(["info", &file]);
    assert!(text.lines().any(|line| line.contains("base   planar  1 0 0")), "{text}");
    assert!(text.contains("plane of y and z") && text.contains("0.1  0.2  0.3  0.3  0.4  0.5"), "{text}");
    let value = json(&good(["info", &file, "--json"]));
    let body = &value["bodies"][0];
    assert_eq!(
        (&body["axis"], &body["com"]),
        (&serde_json::json!([1.0, 0.0, 0.0]), &serde_json::json!([0.1, 0.2, 0.3]))
    );
    assert_eq!(body["inertia"]["izz"], 0.5);
    assert_eq!(value["report"]["warnings"][0]["kind"], "planar_without_axis");
    assert_eq!(value["report"]["counts"]["planar_without_axis"], 1);
}

/// A file of the reader's tests.
fn urdf(name: &str) -> String {
    format!("{}/../tests/urdf/warn/{name}.urdf", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn armature_comes_from_the_command_line() {
    let armature = |arguments: &[&str]| {
        let value = json(&good([&["info", &robot("mimic"), "--json"], arguments].concat()));
        let dofs = value["joint_dynamics"].as_array().expect("a list").clone();
        dofs.iter().map(|dof| dof["armature"].as_f64().expect("a number")).collect::<Vec<_>>()
    };
    let before = armature(&[]);
    let after = armature(&["--armature", "wrist=0.25"]);
    assert!(!before.contains(&0.25) && after.contains(&0.25), "{before:?} {after:?}");
    assert!(armature(&["--armature", "wrist=0.25:2"]).contains(&1.0));
    let file = directory("armature").join("rotors.json");
    std::fs::write(&file, r#"{"wrist": {"rotor_inertia": 0.125, "gear_ratio": 4}, "left_slide": 3}"#).expect("writes");
    let file = file.to_str().expect("UTF-8");
    assert!([2.0, 3.0].iter().all(|x| armature(&["--armature", file]).contains(x)));
    // The last one counts.
    assert!(armature(&["--armature", file, "--armature", "wrist=0.5"]).contains(&0.5));
    assert!(!armature(&["--armature", "wrist=0.5", "--armature", file]).contains(&0.5));

    let refused = |value: &str| super::refused(&run(["info", &robot("mimic"), "--armature", value]));
    assert!(refused("writs=1").contains("armature is given for joint `writs`, which the robot does not have"));
    assert!(refused("wrist=-1").contains("armature of joint `wrist` is -1: expected"));
    assert!(refused("wrist=1,2").contains("armature of joint `wrist`: 2 numbers for 1 degrees of freedom"));
    assert!(refused("wrist=x").contains("expected JOINT=ARMATURE"));
    assert!(refused("nowhere.json").contains("cannot read nowhere.json"));
    std::fs::write(file, r#"{"wrist": {"gear_ratio": 4}}"#).expect("writes");
    assert!(refused(file).contains("joint `wrist`: it has no `rotor_inertia`"));
}

#[test]
fn mimic_joints_move_by_themselves_on_request() {
    let nv = |arguments: &[&str]| json(&good([&["info", &robot("mimic"), "--json"], arguments].concat()))["nv"].clone();
    assert_eq!((nv(&[]), nv(&["--mimic", "independent"])), (3.into(), 5.into()));
}

/// Warnings stand in the text of `info`, and on standard error beside an answer for programs.
#[test]
fn warnings_are_shown_where_they_belong() {
    let urdf = |extra: &str| {
        format!(
            r#"<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>{extra}</robot>"#
        )
    };
    let file = directory("warnings").join("robot.urdf");
    std::fs::write(&file, urdf(&"\n<thing/>".repeat(9))).expect("writes");
    let file = file.to_str().expect("UTF-8");
    let text = good(["info", file]);
    assert!(text.contains("9 warnings") && text.matches("element `thing` is ignored").count() == 9, "{text}");
    let output = run(["info", file, "--json"]);
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(errors.lines().count(), 6, "{errors}");
    assert!(errors.lines().all(|line| line.starts_with("gradyn: warning: ")), "{errors}");
    assert!(errors.contains("4 warnings more"), "{errors}");
    let value = json(&String::from_utf8(output.stdout).expect("UTF-8"));
    assert_eq!(value["report"]["warnings"].as_array().map(Vec::len), Some(9));
    assert!(super::refused(&run(["info", file, "--strict"])).contains("line 5: "));
}

/// Names may hold anything: neither lines nor the terminal are disturbed.
#[test]
fn odd_names_do_no_harm() {
    let text = r#"<robot name="a&#10;b"><link name="x&#9;y"/><link name="c&#127;,&quot;"/>
<joint name="j,&#10;&quot;" type="floating"><parent link="x&#9;y"/><child link="c&#127;,&quot;"/></joint></robot>"#;
    let file = directory("odd").join("odd.urdf");
    std::fs::write(&file, text).expect("writes");
    let file = file.to_str().expect("UTF-8");
    let info = good(["info", file]);
    assert!(info.starts_with("a\\nb ") && info.contains("j,\\n\""), "{info}");
    json(&good(["info", file, "--json"]));
    assert!(good(["derivatives", file, "--csv"]).contains("dtau_dq,\"j,\n\"\".vx\",\"j,\n\"\".vx\","));
    good(["derivatives", file, "--table"]);
    good(["check", file, "--samples", "1"]);
}

#[test]
fn colours_are_shown_when_asked_for() {
    assert!(good(["info", &robot("panda"), "--color", "always"]).contains('\u{1b}'));
    assert!(good(["derivatives", &robot("panda"), "--map", "--color=always"]).contains("38;5;"));
    assert!(!good(["info", &robot("panda")]).contains('\u{1b}'));
}

#[test]
fn the_plan_is_shown_and_the_environment_holds_it_to_one_form() {
    let held = |form: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gradyn"));
        command.args(["info", &robot("solo12"), "--floating-base", "--plan"]).env("GRADYN_KERNEL", form);
        String::from_utf8(output(&mut command, b"").stdout).expect("UTF-8")
    };
    let free = held("");
    assert_eq!(free, good(["info", &robot("solo12"), "--floating-base", "--plan"]));
    assert!(free.lines().any(|line| line.starts_with("inverse dynamics")), "{free}");
    let book = held("book");
    let forms = book.lines().skip(1).flat_map(|line| line.split_whitespace().last());
    assert!(forms.clone().count() > 8 && forms.clone().all(|form| form == "book"), "{book}");
    // Where there are registers to fill, there is something to hold.
    if free.contains("joints") {
        assert!(!held("joints").contains("copies") && held("copies").contains("copies: bodies"), "{free}");
    }
}

#[test]
fn help_has_an_example_for_each_command() {
    for command in ["info", "evaluate", "derivatives", "check"] {
        let text = good([command, "--help"]);
        assert!(text.contains(&format!("Example:\n  gradyn {command} robots/")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }
    assert!(good(["--help"]).contains("Exit codes: 0 good, 1 a check failed, 2 bad input."));
    assert_eq!(good(["--version"]), format!("gradyn {}\n", env!("CARGO_PKG_VERSION")));
}
