//! `springdamper`: stiffness and damping of a time constant and a damping ratio. Numbers are MuJoCo's (`jnt_stiffness`, `dof_damping`).

use super::{assert_near, load, refusal};

const ROBOT: &str = r#"<worldbody>
 <body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0" springdamper="0.1 0.7" armature="0.02" damping="3" stiffness="5" springref="20" ref="10"/>
  <geom type="capsule" fromto="0 0 0 0.1 0 -0.4" size="0.04"/>
  <body name="rod" pos="0 0 -0.4"><joint name="b" type="slide" axis="1 0 0" springdamper="0.2 1.5" ref="0.05"/><joint name="c" axis="0 1 1"/>
   <geom type="box" size=".1 .2 .3" pos="0.1 0 -0.1"/>
   <body name="ball" pos="0.1 0.2 0"><joint name="d" type="ball" springdamper="0.3 0.9"/><geom type="box" size=".1 .05 .2" pos="0.1 0.2 0.3"/></body></body></body>
 <body name="free" pos="1 0 0"><freejoint name="e"/><geom type="box" size=".1 .05 .2" pos="0.1 0.2 0.3"/>
  <body><joint name="f" springdamper="0.5 0.5"/><geom size="0.1" pos="0.1 0 0"/></body></body>
 </worldbody><actuator><motor joint="b" gear="3" armature="0.1" damping="2"/></actuator>"#;

/// The inertia of each joint is that at the poses of the file, armature of joints and actuators included; an actuator's damping comes on top.
#[test]
fn stiffness_and_damping_are_those_of_mujoco() {
    let loaded = load(ROBOT);
    let joints = &loaded.description.joints;
    let stiffness = [232.8972763395826, 60.468768748449264, 0.0, 2.141569094065368, 0.0, 0.4356651038730372];
    let damping = [22.823933081279097, 54.42189187360435 + 9.0 * 2.0, 0.0, 1.0408025797157692, 0.0, 0.1089162759682593];
    for (joint, (stiffness, damping)) in joints.iter().zip(stiffness.into_iter().zip(damping)) {
        for (found, expected) in [(joint.stiffness, stiffness), (joint.damping, damping)] {
            // Two sweeps over a tree of five bodies.
            assert!((found - expected).abs() <= 1e-13 * expected, "{}: {found} {expected}", joint.name);
        }
    }
    let springs: Vec<f64> = loaded.model.springs().iter().map(|spring| spring.stiffness).collect();
    assert_eq!(springs, [joints[0].stiffness, joints[1].stiffness, joints[5].stiffness]);
    assert_near(&[loaded.model.springs()[0].reference], &[20_f64.to_radians()]);
}

/// What has no inertia to refer to is refused.
#[test]
fn an_inertia_is_needed() {
    let of = |inside: &str| refusal(&format!("<worldbody><body>{inside}</body></worldbody>"));
    assert_eq!(
        of(r#"<joint name="a" springdamper="1 1"/><inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>"#),
        "line 1: joint `a`: `springdamper` needs something that the joint moves and that has an inertia"
    );
    assert_eq!(
        of(r#"<joint name="a" springdamper="1e-200 1"/><geom size="1"/>"#),
        "line 1: joint `a`: the force of its `springdamper` overflows"
    );
    assert_eq!(
        of(r#"<joint name="a" springdamper="1 0"/><geom size="1"/>"#),
        "line 1: joint `a`: `springdamper` is 0: expected two positive numbers"
    );
}
