//! Every command takes MJCF by its content: of one robot in both formats it says the same.

use super::{directory, good, json, refused, robot, run, run_with, text_of};
use std::fs;
use std::path::Path;

/// The double pendulum as MJCF.
fn mjcf() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mjcf/double_pendulum.xml").to_str().expect("UTF-8").to_owned()
}

/// Both answers, the names of the files taken out.
fn both(arguments: &[&str], input: &[u8]) -> [String; 2] {
    [robot("double_pendulum"), mjcf()].map(|file| {
        let all = arguments.iter().map(|word| if *word == "ROBOT" { file.clone() } else { (*word).to_owned() });
        text_of(&run_with(all, input)).replace(&file, "ROBOT")
    })
}

#[test]
fn numbers_of_a_robot_are_the_same_in_both_formats() {
    let states = br#"{"states": [{"q": [0.3, -0.7], "v": [1, 2], "a": [0.5, -1], "tau": [1, 2]}]}"#;
    let quantities = "tau,mass_matrix,ddq,energy,dtau_dq,com";
    let [urdf, mjcf] = both(&["evaluate", "ROBOT", "--states", "-", "--quantities", quantities], states);
    assert_eq!(json(&urdf)["states"], json(&mjcf)["states"]);
    let [urdf, mjcf] = both(&["sensitivity", "ROBOT", "--parameters", "*.mass", "--of", "tau", "--json"], b"");
    assert_eq!(urdf, mjcf);
    let [urdf, mjcf] = both(&["derivatives", "ROBOT", "--state", "random", "--seed", "3"], b"");
    assert_eq!(urdf, mjcf);
}

#[test]
fn every_command_reads_it() {
    let info = json(&good(["info", &mjcf(), "--json"]));
    assert_eq!((&info["nq"], &info["report"]["warning_count"]), (&2.into(), &0.into()));
    assert!(good(["info", &mjcf()]).contains("not used: sensor (1)"));
    assert!(good(["check", &mjcf()]).contains("agree"));
    assert!(good(["parameters", &mjcf(), "rod_1.*"]).contains("rod_1.mass"));
    let folder = directory("mjcf_task");
    let task = format!(
        "[robot]\nfile = {:?}\n[start]\nq = [0.1, 0.0]\n[steps]\ndt = 0.02\n[[phases]]\nname = \"move\"\nnodes = 10\n\
         [[costs]]\nname = \"hold\"\nkind = \"state\"\nweight = 1.0\n[[costs]]\nname = \"torque\"\nkind = \"control\"\nweight = 0.01\n",
        mjcf()
    );
    let path = folder.join("task.toml");
    fs::write(&path, task).expect("can be written");
    good(["optimize", path.to_str().expect("UTF-8")]);
}

#[test]
fn what_the_file_says_itself_cannot_be_chosen() {
    let refusal = refused(&run(["info", &mjcf(), "--floating-base"]));
    assert!(refusal.ends_with("the base of an MJCF file is what the file says"), "{refusal}");
    let folder = directory("mjcf_wrong");
    let path = folder.join("wrong.xml");
    fs::write(&path, "<mujoco><worldbody>\n<body><joint axis='0 0 0'/></body></worldbody></mujoco>")
        .expect("can be written");
    let refusal = refused(&run(["info", path.to_str().expect("UTF-8")]));
    assert!(refusal.ends_with("wrong.xml: line 2: joint: `axis` is zero"), "{refusal}");
}
