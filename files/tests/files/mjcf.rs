//! Tasks of robots that MJCF files describe, with what drives them.

use gradyn_files::task::Task;

/// A pendulum that is lifted within what its motor can do.
const ROBOT: &str = r#"<mujoco model="crane"><compiler angle="radian"/><worldbody><body name="rod">
  <joint name="hinge" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.02"/>
  <body name="load" pos="0 0 -1"><joint name="winch" type="slide" axis="0 0 1" actuatorfrcrange="-40 40"/>
   <inertial pos="0 0 0" mass="1" diaginertia="0.05 0.05 0.01"/></body>
 </body></worldbody><actuator>
  <motor name="lift" joint="hinge" gear="4" ctrlrange="-1 3.5"/> <motor name="reel" joint="winch" gear="-20" ctrlrange="-5 5"/>
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
goal = [-0.5, 0.2]
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
    assert_eq!(task.start.actuated.bounds, Some((vec![-1.0, -2.0], vec![3.5, 2.0])));
    let solution = task.solve().expect("its guess is good");
    assert!(solution.is_solved());
    let found = &solution.solved.found.trajectory;
    let first = solution.task.first();
    let least = (first..found.steps()).map(|k| found.u(k)[0]).fold(f64::INFINITY, f64::min);
    // The bound is active: without it, −1.2. Its barrier leaves up to 1e-3 where its multiplier is small.
    assert!((-1.0 - 1e-7..-1.0 + 1e-3).contains(&least), "{least}");
}

/// A cart that a DC motor moves a meter in 1.2 s; its voltage leaves a stall torque of 0.5 N m, and 24 rad/s without load.
const CART: &str = r#"<mujoco model="cart"><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
  <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody>
  <actuator><dcmotor name="motor" joint="rail" gear="20" motorconst="0.5" resistance="12" ctrlrange="-12 12"/></actuator></mujoco>"#;

const DRIVE: &str = r#"name = "drive"
LIMITS
robot = { file = "cart.xml" }
[start]
q = [0.0]
[steps]
dt = 0.02
[[phases]]
name = "drive"
nodes = 60
[[costs]]
name = "torque"
kind = "control"
weight = 1.0
[[constraints]]
name = "there"
kind = "state"
at = "last"
goal = [1.0]
"#;

/// The speed-torque line of a motor is kept unless the task says otherwise, and named where the solution reaches it.
#[test]
fn speed_torque_lines_are_kept() {
    let folder = std::env::temp_dir().join(format!("gradyn-files-dc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary files can be made");
    std::fs::write(folder.join("cart.xml"), CART).expect("it can be written");
    let file = folder.join("task.toml");
    let read = |limits: &str| {
        std::fs::write(&file, DRIVE.replace("LIMITS", limits)).expect("it can be written");
        Task::read(&file)
    };
    // The greatest share of what the motor can do.
    let greatest = |task: Task| {
        let solution = task.solve().expect("its guess is good");
        assert!(solution.is_solved());
        let found = &solution.solved.found.trajectory;
        let share = |k: usize| found.u(k)[0] / 0.5 + 20.0 * found.x(k)[1] / 24.0;
        (0..found.steps()).map(share).fold(f64::NEG_INFINITY, f64::max)
    };
    let task = read("").expect("the task is good");
    let names: Vec<_> = task.constraints.iter().map(|constraint| constraint.term.name.clone()).collect();
    assert_eq!(names, ["there", "speed-torque lines"]);
    let kept = greatest(task);
    // Within the tolerance of the solver, 1e-6, of its end.
    assert!((1.0 - 1e-5..1.0 + 1e-6).contains(&kept), "{kept}");
    let free = greatest(read("limits = { speed_torque = false }").expect("the task is good"));
    assert!((1.05..1.12).contains(&free), "{free}");
    let share = greatest(read("limits = { speed_torque = 0.95 }").expect("the task is good"));
    assert!((0.95 - 1e-5..0.95 + 1e-6).contains(&share), "{share}");
    let refused =
        read("actuation = { joints = [\"rail\"] }\nlimits = { speed_torque = true }").expect_err("has no line");
    assert!(refused.to_string().ends_with("no actuator that is controlled has a speed-torque line"), "{refused}");
    std::fs::remove_dir_all(&folder).expect("temporary files can be removed");
}
