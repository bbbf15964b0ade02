//! Configurations that a robot's files name: `--state NAME`, and poses of tasks.

use crate::{directory, good, json, refused, run};
use std::fs;

const ARM: &str = "<mujoco model='arm'><worldbody><body name='a'><joint name='shoulder' axis='0 1 0'/><geom size='0.1'/>
<body name='b' pos='0 0 0.5'><joint name='elbow' axis='0 1 0'/><geom size='0.1' pos='0 0 0.2'/></body></body></worldbody>
<keyframe><key name='home' qpos='0.3 -0.4' qvel='0.5 0.25'/><key name='stretched' qpos='0.1 0'/></keyframe></mujoco>";

const URDF: &str = "<robot name='arm'><link name='base'/><link name='a'><inertial><mass value='1'/>
<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
<joint name='shoulder' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/></joint></robot>";

const SRDF: &str = "<robot name='arm'><group name='all'><joint name='shoulder'/></group>
<group_state name='folded' group='all'><joint name='shoulder' value='1.25'/></group_state></robot>";

/// A task that holds a robot where it starts.
fn task(robot: &str, rest: &str) -> String {
    format!(
        "[robot]\n{robot}\n{rest}\n[steps]\ndt = 0.02\n[[phases]]\nname = \"move\"\nnodes = 5\n\
         [[costs]]\nname = \"hold\"\nkind = \"state\"\nweight = 1.0\n[[costs]]\nname = \"torque\"\nkind = \"control\"\nweight = 0.01\n"
    )
}

/// Keyframes and states of SRDF are poses of a task, with the velocity that a keyframe has; the task's own come first.
#[test]
fn a_task_takes_poses_of_the_robots_files() {
    let here = directory("named-poses");
    let path = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    for (name, text) in [("arm.xml", ARM), ("arm.urdf", URDF), ("arm.srdf", SRDF)] {
        fs::write(path(name), text).expect("writes");
    }
    let task_file = path("task.toml");
    let first = |robot: &str, rest: &str| {
        fs::write(&task_file, task(robot, rest)).expect("writes");
        good(["optimize", &task_file, "--output", &path("out")]);
        let answer = json(&fs::read_to_string(here.join("out/trajectory.json")).expect("is there"));
        let of = |key: &str| -> Vec<f64> {
            answer[key][0].as_array().expect("list").iter().filter_map(serde_json::Value::as_f64).collect()
        };
        (of("q"), of("v"))
    };
    let mjcf = "file = \"arm.xml\"";
    assert_eq!(first(mjcf, "[start]\nq = \"home\""), (vec![0.3, -0.4], vec![0.5, 0.25]));
    assert_eq!(first(mjcf, "[start]\nq = \"home\"\nv = 0.0"), (vec![0.3, -0.4], vec![0.0, 0.0]));
    assert_eq!(first(mjcf, "[start]\nq = \"home\"\n[poses]\nhome = [0.7, 0.8]"), (vec![0.7, 0.8], vec![0.0, 0.0]));
    assert_eq!(first(mjcf, "[start]\nq = \"mine\"\n[poses]\nmine = \"stretched\""), (vec![0.1, 0.0], vec![0.0, 0.0]));
    let srdf = "file = \"arm.urdf\"\nsrdf = \"arm.srdf\"";
    assert_eq!(first(srdf, "[start]\nq = \"folded\""), (vec![1.25], vec![0.0]));

    // What a state lists and the robot does not have is told, with its file.
    fs::write(path("gone.srdf"), SRDF.replace("name='shoulder' value", "name='gone' value")).expect("writes");
    let done = run(["info", &path("arm.urdf"), "--srdf", &path("gone.srdf")]);
    let shown = String::from_utf8(done.stdout).expect("UTF-8");
    let part = "gone.srdf`, line 2: joint `gone`: `joint`: the robot does not have it, and its value is skipped";
    assert!(shown.contains(part), "{shown}");

    let refusal = |robot: &str, rest: &str| {
        fs::write(&task_file, task(robot, rest)).expect("writes");
        refused(&run(["optimize", &task_file]))
    };
    let message = refusal(mjcf, "[start]\nq = \"hom\"");
    assert!(message.contains("line 4: key `start.q`: there is no pose `hom`; did you mean `home`?"), "{message}");
    let message = refusal("file = \"arm.urdf\"\nsrdf = \"arms.srdf\"", "");
    assert!(
        message.contains("line 3: key `robot.srdf`: there is no file ") && message.contains("arms.srdf"),
        "{message}"
    );
}

/// A name of the file that is a word of the command, or a file, is said to be both.
#[test]
fn a_name_that_is_a_word_of_the_command_is_refused() {
    let here = directory("named-states");
    let path = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    for word in ["random", "neutral"] {
        let robot = path(&format!("{word}.xml"));
        fs::write(&robot, ARM.replace("'home'", &format!("'{word}'"))).expect("writes");
        let message = refused(&run(["derivatives", &robot, "--state", word]));
        let part =
            format!("`{word}` is a configuration of the robot and a word of the command: rename the configuration");
        assert!(message.contains(&part), "{message}");
        good(["derivatives", &robot, "--state", "stretched"]);
        let message = refused(&run(["derivatives", &robot, "--state", "stretche"]));
        assert!(
            message.contains("there is no configuration and no file `stretche`; did you mean `stretched`?"),
            "{message}"
        );
    }
}

/// Arms of one name for their poses; and what `info` says of configurations, groups and actuators, to people and to programs.
#[test]
fn poses_of_several_groups_and_actuators_are_shown() {
    let here = directory("grouped-states");
    let path = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    let motors = "<actuator><motor name='push' joint='shoulder' gear='20' ctrlrange='-1 2' ctrllimited='true'/>
        <motor name='bend' joint='elbow'/></actuator></mujoco>";
    fs::write(path("arm.xml"), ARM.replace("</mujoco>", motors)).expect("writes");
    let state = |group: &str, joint: &str, value: f64| {
        format!("<group_state name='up' group='{group}'><joint name='{joint}' value='{value}'/></group_state>\n")
    };
    let srdf = |states: &[String]| {
        let text =
            format!("<robot name='arm'><group name='all'><joint name='elbow'/></group>\n{}</robot>", states.concat());
        fs::write(path("arm.srdf"), text).expect("writes");
    };
    srdf(&[state("first", "shoulder", 0.25), state("second", "elbow", -0.5)]);
    let told = |extra: &[&str]| good([&["info", &path("arm.xml"), "--srdf", &path("arm.srdf")], extra].concat());
    let text = told(&[]);
    assert!(text.contains("Configurations  for `--state`: home, stretched, file, up, first/up, second/up"), "{text}");
    let rows = text.lines().skip_while(|line| !line.starts_with("Actuators")).skip(2).take(2);
    let words: Vec<String> = rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(words, ["push 20 shoulder -1 2", "bend elbow"]);

    let value = json(&told(&["--json"]));
    assert_eq!(
        (&value["groups"], &value["configurations"][3]),
        (&serde_json::json!(["all"]), &serde_json::json!({"name": "up", "q": [0.25, -0.5], "v": [0.0, 0.0]}),)
    );
    assert_eq!(
        value["actuators"],
        serde_json::json!([
            {"name": "push", "drives": [{"v_index": 0, "gear": 20.0}], "lower": -1.0, "upper": 2.0},
            {"name": "bend", "drives": [{"v_index": 1, "gear": 1.0}], "lower": null, "upper": null},
        ])
    );
    let state_of = |name: &str| {
        let answer =
            json(&good(["derivatives", &path("arm.xml"), "--srdf", &path("arm.srdf"), "--state", name, "--json"]));
        answer["states"][0]["q"].clone()
    };
    assert_eq!(state_of("up"), serde_json::json!([0.25, -0.5]));
    assert_eq!(state_of("second/up"), serde_json::json!([0.0, -0.5]));

    srdf(&[state("first", "shoulder", 0.25), state("second", "shoulder", -0.5)]);
    let done = run(["derivatives", &path("arm.xml"), "--srdf", &path("arm.srdf"), "--state", "up"]);
    let message = refused(&done);
    assert!(message.contains("there is no configuration and no file `up`; did you mean `first/up`?"), "{message}");
}

/// A state whose name is taken, or is a word of the command, is asked for by its group; `--strict` counts warnings of SRDF too.
#[test]
fn states_with_names_that_are_taken_are_asked_for_by_their_group() {
    let here = directory("taken-states");
    let path = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    fs::write(path("arm.xml"), ARM).expect("writes");
    let state = |name: &str, group: &str, value: f64| {
        format!("<group_state name='{name}' {group}><joint name='elbow' value='{value}'/></group_state>\n")
    };
    let srdf =
        |states: &str| fs::write(path("arm.srdf"), format!("<robot name='arm'>\n{states}</robot>")).expect("writes");
    let with =
        |more: &[&str]| run([&["derivatives", &path("arm.xml"), "--srdf", &path("arm.srdf"), "--json"], more].concat());
    let q = |name: &str| {
        let done = with(&["--state", name]);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        json(&String::from_utf8(done.stdout).expect("UTF-8"))["states"][0]["q"].clone()
    };
    srdf(&[state("home", "group='g'", 0.5), state("neutral", "group='g'", 0.75)].concat());
    assert_eq!(q("home"), serde_json::json!([0.3, -0.4])); // the keyframe
    assert_eq!(q("g/home"), serde_json::json!([0.0, 0.5]));
    assert_eq!(q("g/neutral"), serde_json::json!([0.0, 0.75]));
    assert_eq!(q("file"), serde_json::json!([0.0, 0.0]));
    let message = refused(&with(&["--state", "neutral"]));
    assert!(message.ends_with("rename the configuration, or ask for `g/neutral`"), "{message}");
    assert_eq!(with(&["--strict", "--state", "g/home"]).status.code(), Some(0));
    srdf(&state("home", "", 0.5));
    let message = refused(&with(&["--state", "home"]));
    assert!(message.ends_with("line 2: the robot has a configuration `home` already"), "{message}");
    srdf("<passive_joint name='elbow'/>");
    let message = refused(&with(&["--strict"]));
    let part = "arm.xml: `arm.srdf`, line 2: robot `arm`: `passive_joint`: the joint counts as driven";
    assert!(message.contains(part) && message.ends_with("(warning 1 of 1, refused by `strict`)"), "{message}");
}

/// Friction of MJCF needs a width, which the command line and tasks can give; and what is no robot is told as such.
#[test]
fn friction_of_mjcf_takes_a_width() {
    let here = directory("friction-width");
    let path = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    fs::write(
        path("arm.xml"),
        ARM.replace("axis='0 1 0'/><geom size='0.1'/>", "axis='0 1 0' frictionloss='0.5'/><geom size='0.1'/>"),
    )
    .expect("writes");
    fs::write(path("state.json"), r#"{"states": [{"q": [0, 0], "v": [0.25, 0], "a": [0, 0]}]}"#).expect("writes");
    let tau = |more: &[&str]| {
        let answer = json(&good(
            [&["evaluate", &path("arm.xml"), "--states", &path("state.json"), "--quantities", "tau"], more].concat(),
        ));
        answer["states"][0]["tau"][0].as_f64().expect("a number")
    };
    let friction = tau(&["--friction-width", "0.25"]) - tau(&[]);
    // At the speed of its width, smooth friction has 1/√2 of its size; torques are below 40 N m.
    assert!((friction - 0.5 / 2.0_f64.sqrt()).abs() < 40.0 * 1e-15, "{friction}");
    let message = refused(&run(["info", &path("arm.xml"), "--friction-width", "0"]));
    assert!(message.contains("expected a positive number"), "{message}");
    for (root, what) in [
        ("html", "expected `robot` (URDF), `mujoco` (MJCF) or `sdf` (SDF)"),
        ("mujocoinclude", "name the file that includes it"),
    ] {
        fs::write(path("other.xml"), format!("<!-- x -->\n<{root}/>")).expect("writes");
        let message = refused(&run(["info", &path("other.xml")]));
        assert!(
            message.contains(&format!("line 2: the root element is `{root}`, ")) && message.ends_with(what),
            "{message}"
        );
    }
}
