//! Tasks of robots that MJCF files describe, with what drives them.

use gradyn_files::task::Task;

/// A pendulum that is lifted within what its motor can do.
const ROBOT: &str = r#"<mujoco model="crane"><compiler angle="radian"/><worldbody><body name="rod">
  <joint name="hinge" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.02"/>
  <body name="load" pos="0 0 -1"><joint name="winch" type="slide" axis="0 0 1" actuatorfrcrange="-40 40"/>
   <inertial pos="0 0 0" mass="1" diaginertia="0.05 0.05 0.01"/></body>
 </body></worldbody><actuator>
  <motor name="lift" joint="hinge" gear="4" ctrlrange="-3 3.5"/> <motor name="reel" joint="winch" gear="-20" ctrlrange="-5 5"/>
 </actuator></mujoco>"#;

const TASK: &str = r#"name = "lift"
robot = { file = "crane.xml" }
limits = ["torque"]
[start]
q = [0.0, 0.0]
[steps]
dt = 0.02
[[phases]]
name = "lift"
nodes = 40
[[costs]]
name = "effort"
kind = "control"
weight = 1e-3
[[constraints]]
name = "up"
kind = "state"
at = "last"
equal = [-0.5, 0.2, 0.0, 0.0]
"#;

/// Controls are those of the file: before the gear, and within `ctrlrange` and `actuatorfrcrange`; gears make torques of them.
#[test]
fn controls_are_within_the_ranges_of_the_file() {
    let folder = std::env::temp_dir().join(format!("gradyn-files-mjcf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary files can be made");
    std::fs::write(folder.join("crane.xml"), ROBOT).expect("it can be written");
    let file = folder.join("task.toml");
    std::fs::write(&file, TASK).expect("it can be written");
    let task = Task::read(&file).expect("the task is good");
    std::fs::remove_dir_all(&folder).expect("temporary files can be removed");
    assert_eq!(task.start.actuated.names, ["lift", "reel"]);
    let b = task.start.actuated.actuation.matrix();
    assert_eq!(b.as_slice(), [4.0, 0.0, 0.0, -20.0]);
    // 40 N of the winch by a gear of 20.
    assert_eq!(task.start.actuated.bounds, Some((vec![-3.0, -2.0], vec![3.5, 2.0])));
    let solution = task.solve().expect("its guess is good");
    assert!(solution.is_solved());
    let found = &solution.solved.found.trajectory;
    let first = solution.task.first();
    let least = (first..found.steps()).map(|k| found.u(k)[0]).fold(f64::INFINITY, f64::min);
    // The bound is active: Newton's tolerance of complementarity, 1e-6, is the most that is left of it.
    assert!((-3.0..-3.0 + 1e-3).contains(&least), "{least}");
}
