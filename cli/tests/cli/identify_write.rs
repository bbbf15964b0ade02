//! `gradyn identify --write-robot`: the file in the format that was read.

use crate::{directory, good, refused, run};
use gradyn::model::mjcf::MjcfOptions;
use gradyn::{Model, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use std::fmt::Write;
use std::fs;

const ARM: &str = r#"<mujoco model="arm">
  <worldbody>
    <body name="upper"> <!-- as drawn -->
      <joint name="shoulder" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04" rgba="1 0 0 1"/>
      <body name="lower" pos="0 0 -0.5">
        <joint name="elbow" axis="0 1 0" damping="0.1"/>
        <inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.005"/>
        <geom type="mesh" mesh="lower"/>
      </body>
    </body>
  </worldbody>
  <asset> <mesh name="lower" file="lower.stl"/> </asset>
</mujoco>
"#;

/// A motion of the arm with other numbers than the file's.
fn log(parameters: &str, truth: &[f64]) -> String {
    let model = Model::from_mjcf_text(ARM, &MjcfOptions::new()).expect("reads").model;
    let p = Parameters::of(&model).select_all(parameters).expect("are there");
    let other = p.robot_at(truth).expect("fits");
    let ws = &mut Workspace::new(&other);
    let mut text = "time,q.shoulder,q.elbow,v.shoulder,v.elbow,a.shoulder,a.elbow,tau.shoulder,tau.elbow\n".to_owned();
    for i in 0..200 {
        let t = 0.02 * f64::from(i);
        let of = |f: &dyn Fn(f64) -> f64| [f(1.3), f(2.1)];
        let q = of(&|w| (w * t).sin());
        let v = of(&|w| w * (w * t).cos());
        let a = of(&|w| -w * w * (w * t).sin());
        let tau = rnea(&other, ws, &q, &v, &a, &[]).expect("runs").to_vec();
        let row: Vec<String> =
            [t].into_iter().chain(q).chain(v).chain(a).chain(tau).map(|x| format!("{x:.9}")).collect();
        let _ = writeln!(text, "{}", row.join(","));
    }
    text
}

/// MJCF comes back as MJCF, all else as it was; by the older name of the option too.
#[test]
fn an_mjcf_robot_is_written_as_mjcf() {
    let here = directory("identify-write");
    let path = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    let (robot, data) = (path("arm.xml"), path("log.csv"));
    fs::write(&robot, ARM).expect("writes");
    let parameters = "lower.mass,elbow.damping";
    fs::write(&data, log(parameters, &[1.25, 0.3])).expect("writes");
    let ask = ["identify", &robot, "--data", &data, "--parameters", parameters];
    for option in ["--write-robot", "--write-urdf"] {
        let new = path(&format!("new{option}.xml"));
        let said = good([&ask[..], &[option, &new]].concat());
        assert!(said.contains("written: line 8: body `lower`: inertial mass 1 → 1.2"), "{said}");
        let text = fs::read_to_string(&new).expect("is there");
        let number = |from: &str| text.split_once(from).and_then(|(_, rest)| rest.split('"').next()).expect("is there");
        let (mass, damping) =
            (number("mass=\""), text.split("damping=\"").nth(2).and_then(|rest| rest.split('"').next()));
        // Nine digits of a log.
        assert!((mass.parse::<f64>().expect("number") - 1.25).abs() < 1e-6, "{mass}");
        assert!((damping.expect("is there").parse::<f64>().expect("number") - 0.3).abs() < 1e-6, "{damping:?}");
        let expected = ARM.replace("mass=\"1\"", &format!("mass=\"{mass}\""));
        let expected = expected.replacen(
            "elbow\" axis=\"0 1 0\" damping=\"0.1\"",
            &format!("elbow\" axis=\"0 1 0\" damping=\"{}\"", damping.expect("is there")),
            1,
        );
        assert_eq!(text, expected);
    }
}

/// Before the work: what the format cannot say, an SDF file, and a name of another format. No file is left.
#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let here = directory("identify-write-refused");
    let path = |name: &str| here.join(name).to_str().expect("UTF-8").to_owned();
    let (mjcf, data) = (path("arm.xml"), path("no.csv"));
    fs::write(&mjcf, ARM).expect("writes");
    fs::write(&data, log("lower.mass", &[1.0])).expect("writes");
    let ask = |robot: &str, parameters: &str, to: &str| {
        let new = path(to);
        let done = run(["identify", robot, "--data", &data, "--parameters", parameters, "--write-robot", &new]);
        assert!(!here.join(to).exists(), "{to}");
        refused(&done)
    };
    let message = ask(&mjcf, "lower.mass,elbow.friction", "new.xml");
    let part = "`elbow.friction` cannot be written to this MJCF file: friction of joint `elbow`: MuJoCo's dry friction is a constraint";
    assert!(message.contains(part), "{message}");
    let message = ask(&mjcf, "lower.mass", "new.urdf");
    assert!(message.contains("its name ends with .urdf, and the robot is written as it was read: MJCF"), "{message}");

    let urdf = path("arm.urdf");
    good(["convert", &mjcf, &urdf]);
    let message = ask(&urdf, "elbow.stiffness", "new.urdf");
    assert!(
        message.contains("`elbow.stiffness` cannot be written to this URDF file: spring 0 of joint `elbow`: "),
        "{message}"
    );

    let sdf = path("arm.sdf");
    fs::write(&sdf, SDF).expect("writes");
    let message = ask(&sdf, "lower.mass", "new.sdf");
    assert!(message.contains("SDF files are read, not written: `gradyn convert`"), "{message}");
}

const SDF: &str = "<sdf version='1.9'><model name='arm'>
<link name='lower'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name='elbow' type='revolute'><parent>world</parent><child>lower</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>";
