//! Actuators of a file become those of the model: gears, limits, and what is not constant is said. Numbers are MuJoCo's.

use super::{assert_near, load, refusal};
use gradyn::model::mjcf::{Loaded, Rank};
use gradyn::model::{Actuation, Actuator};

/// A floating hull with an eye, an arm with a sliding rod, and a leg.
const ROBOT: &str = r#"<option gravity="0 0 0"/><worldbody>
 <body name="hull" pos="0 0 1"><freejoint name="base"/><geom type="box" size="0.2 0.1 0.05"/>
  <site name="rotor" pos="0.1 0.2 0.3" euler="30 40 50"/>
  <body name="eye"><joint name="ball" type="ball"/><geom type="box" size="0.1 0.2 0.3" pos="0 0.1 0"/></body>
  <body name="upper" pos="0.3 0 0"><joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04"/>
   <body name="rod" pos="0 0 -0.4"><joint name="slide" type="slide" axis="1 0 0"/><geom size="0.05"/><site name="tip" pos="0.1 0 0.05" euler="0 90 0"/></body>
   <site name="cuff" pos="0 0.1 -0.1" euler="10 20 30"/>
  </body>
  <body name="lower" pos="-0.3 0 0"><joint name="knee" axis="0 1 0" actuatorfrcrange="-6 6"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04"/></body>
 </body></worldbody>"#;

fn with(actuators: &str) -> Loaded {
    load(&format!("{ROBOT}<actuator>{actuators}</actuator>"))
}

fn only(actuator: &str) -> Actuator {
    let loaded = with(actuator);
    let [actuator] = loaded.model.actuators() else { panic!("not one: {actuator}") };
    actuator.clone()
}

/// Columns of `B` are the moments of MuJoCo (`actuator_moment`, forces on the free joint in axes of the body), at a configuration that is none of those that the reader looks at.
#[test]
fn gears_are_moments_of_mujoco() {
    let loaded = with(
        r#"<motor name="m" joint="shoulder" gear="-3"/> <general joint="shoulder" gear="2" gainprm="-5"/>
           <motor name="w" joint="base" gear="0 0 0 4 5 6"/> <motor name="b" joint="ball" gear="1 2 3"/>
           <motor name="t" site="rotor" gear="1 2 3 4 5 6"/> <motor name="r" site="tip" refsite="cuff" gear="1 2 3 0.4 0.5 0.6"/>"#,
    );
    assert_eq!((loaded.report.warning_count(), loaded.model.nv()), (0, 12));
    let names: Vec<_> = loaded.model.actuators().iter().map(|actuator| actuator.name.as_str()).collect();
    assert_eq!(names, ["m", "actuator_1", "w", "b", "t", "r"]);
    let b = Actuation::of(&loaded.model).matrix();
    let column = |k: usize| b.column(k).iter().copied().collect::<Vec<f64>>();
    assert_near(&column(0), &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -3.0, 0.0, 0.0]);
    assert_near(&column(1), &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -10.0, 0.0, 0.0]);
    assert_near(&column(2), &[0.0, 0.0, 0.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_near(&column(3), &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    let rotor = [
        1.2471185278987909,
        0.34187216102047313,
        3.511099372403285,
        3.4918789461508393,
        2.757242211648034,
        7.6051930986633245,
    ];
    assert_near(&column(4), &[&rotor[..], &[0.0; 6]].concat());
    assert_near(&column(5), &[&[0.0; 10][..], &[0.900165490540471, 0.0]].concat());
    // Thrusters of task files ask for the same.
    let frame = loaded.model.find_frame("rotor").expect("is there");
    let wrench = gradyn::spatial::Force::new([1.0, 2.0, 3.0].into(), [4.0, 5.0, 6.0].into());
    assert_eq!(loaded.model.constant_torques(frame, wrench), Ok(Some(column(4))));
    let frame = loaded.model.find_frame("tip").expect("is there");
    assert_eq!(loaded.model.constant_torques(frame, wrench), Ok(None));
}

/// What `qfrc_actuator` and `actuator_force` of MuJoCo are at controls of ±1000: gear times limit.
#[test]
fn limits_are_where_mujoco_saturates() {
    let range = |actuator: &str, gear: f64| {
        let actuator = only(actuator);
        let (lower, upper) = actuator.limits;
        assert_near(&[actuator.gears[0].1], &[gear]);
        [lower * gear, upper * gear]
    };
    assert_near(&range(r#"<motor joint="shoulder" gear="-3" ctrlrange="-1 2"/>"#, -3.0), &[3.0, -6.0]);
    let general = r#"<general joint="shoulder" gear="2" gainprm="-5" ctrlrange="-1 2" forcerange="-4 20"/>"#;
    assert_near(&range(general, -10.0), &[10.0, -8.0]);
    // Force −3 to 11, times the gear.
    let affine = r#"<general joint="slide" gear="2" gainprm="5" biastype="affine" biasprm="1 0 0" ctrlrange="-1 2" forcerange="-3 30"/>"#;
    assert_near(&range(affine, 2.0), &[-6.0, 22.0]);
    assert_near(&range(r#"<position joint="slide" gear="2" kp="100" forcerange="-7 8"/>"#, 2.0), &[-14.0, 16.0]);
    // The control is in its range first: MuJoCo's force is 0.5 for every control.
    assert_near(&range(r#"<motor joint="slide" ctrlrange="1 2" forcerange="-0.5 0.5"/>"#, 1.0), &[0.5, 0.5]);
    // The range of the joint bounds the sum of its actuators, ±6: of one alone also its control.
    let loaded = with(r#"<motor joint="knee" gear="4" ctrlrange="-10 10"/>"#);
    assert_eq!(loaded.model.actuators()[0].limits, (-10.0, 10.0));
    assert_eq!(loaded.model.control_limits(), [(-1.5, 1.5)]);
    let two = with(r#"<motor joint="knee" gear="4" ctrlrange="-10 10"/><motor joint="knee" ctrlrange="-1 1"/>"#);
    assert_eq!(two.model.control_limits(), [(-10.0, 10.0), (-1.0, 1.0)]);
}

/// The control of a servo is its force, and its law is said to be left out; what is no constant map is no actuator of the model.
#[test]
fn what_is_not_constant_is_said() {
    let servo = "its law of position and velocity is left out: its control in the model is its force, before the gear";
    let depends = "how it drives the joints depends on the configuration: it is data without effect";
    let cases = [
        (r#"<position name="a" joint="slide" kp="100"/>"#, 1, servo),
        (r#"<velocity name="a" joint="slide" kv="10"/>"#, 1, servo),
        (
            r#"<general name="a" joint="slide" biastype="affine" biasprm="1"/>"#,
            1,
            "its force without control is left out: its control in the model is its force",
        ),
        (
            r#"<general name="a" joint="slide" dyntype="filter"/>"#,
            1,
            "its law, which is no straight line, is left out: its control in the model is its force, before the gear",
        ),
        (r#"<motor name="a" joint="base" gear="1 0 0 0 0 0"/>"#, 0, depends),
        (r#"<motor name="a" jointinparent="base" gear="0 0 0 1 0 0"/>"#, 0, depends),
        (r#"<motor name="a" jointinparent="ball" gear="1 0 0"/>"#, 0, depends),
        (r#"<motor name="a" site="tip"/>"#, 0, depends),
        (r#"<motor name="a" site="tip" refsite="rotor"/>"#, 0, depends),
        (
            r#"<damper name="a" joint="slide" kv="1" ctrlrange="0 1"/>"#,
            0,
            "its force is no multiple of one control: it is data without effect",
        ),
        (
            r#"<adhesion name="a" body="rod" ctrlrange="0 1"/>"#,
            0,
            "what it drives is no joint, site or fixed tendon: it is data without effect",
        ),
        (
            r#"<motor name="a" joint="slide" ctrlrange="1 -1"/>"#,
            1,
            "its lower end is not below the upper one: it limits nothing",
        ),
    ];
    for (actuator, count, reason) in cases {
        let loaded = with(actuator);
        assert_eq!(loaded.model.actuators().len(), count, "{actuator}");
        let warnings: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
        assert!(matches!(&warnings[..], [one] if one.ends_with(reason)), "{actuator}: {warnings:?}");
        assert_eq!(loaded.report.count_of(Rank::Dubious), 1, "{actuator}");
    }
}

/// A joint that follows another is driven by way of its leader; a free joint with armature has its linear velocity in axes of the world.
#[test]
fn followers_and_split_bases_are_driven() {
    let ball = r#"<geom size="0.1" pos="0 0 0.1"/>"#;
    let loaded = load(&format!(
        r#"<worldbody><body><joint name="a"/>{ball}<body><joint name="b"/>{ball}</body></body></worldbody>
           <equality><joint joint1="b" joint2="a" polycoef="0 -2 0 0 0"/></equality><actuator><motor joint="b" gear="3"/></actuator>"#
    ));
    assert_eq!(loaded.model.actuators()[0].gears, [(0, -6.0)]);
    let loaded = load(&format!(
        r#"<worldbody><body><joint name="f" type="free" armature="1"/>{ball}<site name="s"/></body></worldbody>
           <actuator><motor joint="f" gear="1 2 3 4 5 6"/><motor site="s" gear="0 0 0 1 2 3"/><motor site="s"/></actuator>"#
    ));
    let gears: Vec<_> = loaded.model.actuators().iter().map(|actuator| actuator.gears.clone()).collect();
    assert_eq!(
        gears,
        [vec![(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0), (4, 5.0), (5, 6.0)], vec![(3, 1.0), (4, 2.0), (5, 3.0)]]
    );
    assert_eq!(loaded.report.count_of(Rank::Dubious), 1);
}

/// What MuJoCo refuses too: a range that counts and is empty, two actuators of one name.
#[test]
fn empty_ranges_and_repeated_names_are_refused() {
    let of = |actuators: &str| refusal(&format!("{ROBOT}\n<actuator>{actuators}</actuator>"));
    assert_eq!(
        of(r#"<motor name="a" joint="knee" ctrlrange="1 -1" ctrllimited="true"/>"#),
        "line 11: motor `a`: `ctrlrange`: 1 is not below -1"
    );
    assert_eq!(
        of(r#"<motor name="a" joint="knee"/><position name="a" joint="slide"/>"#),
        "line 11: actuator `a`: the name is taken by the actuator in line 11"
    );
    assert_eq!(
        of(r#"<general name="a" joint="knee" gear="1e200" gainprm="1e200"/>"#),
        "line 11: general `a`: its gear, times its gain, overflows"
    );
}

/// What drives a robot is written, and read again to the last bit: a force on a free body by way of a site.
#[test]
fn actuators_are_written_and_read_again() {
    let loaded = with(
        r#"<motor name="m" joint="shoulder" gear="-3" ctrlrange="-1 2"/> <general name="g" joint="shoulder" gear="2" gainprm="-5"/>
           <motor name="w" joint="base" gear="0 0 0 4 5 6"/> <motor name="b" joint="ball" gear="1 2 3" ctrlrange="0 1"/>
           <motor name="t" site="rotor" gear="1 2 3 4 5 6"/> <motor name="o" joint="knee" gear="0"/>"#,
    );
    let text = loaded.model.to_mjcf().expect("all can be said");
    let again = gradyn::Model::from_mjcf_text(&text, &gradyn::model::mjcf::MjcfOptions::new()).expect("is read").model;
    assert_eq!(again.actuators(), loaded.model.actuators());
    assert_eq!(again.control_limits(), loaded.model.control_limits());
    // Only the site that carries the thruster is new.
    assert_eq!(again.frames().len(), loaded.model.frames().len() + 1);
}

/// A DC motor at its greatest voltage: what MuJoCo's does at ±12 V where the joint turns at 3 rad/s is what its speed-torque line leaves.
#[test]
fn dc_motors_have_the_lines_of_mujoco() {
    let cases = [
        (r#"motorconst="0.05" resistance="2" gear="10""#, 0.2625, -0.3375),
        (r#"motorconst="0.05 0.04" resistance="2""#, 0.265328157299975, -0.271328157299975),
        (r#"nominal="24 1 100""#, 0.47, -0.53),
        (r#"nominal="24 1 100" saturation="0.2""#, 0.2, -0.2),
    ];
    for (motor, upper, lower) in cases {
        let actuator = only(&format!(r#"<dcmotor joint="knee" ctrlrange="-12 12" {motor}/>"#));
        let mut v = vec![0.0; 12];
        v[11] = 3.0;
        let bounds = actuator.bounds(actuator.speed(&v));
        assert_near(&[bounds.0, bounds.1], &[lower, upper]);
    }
    // Without a range of the voltage about zero there is no line.
    assert_eq!(only(r#"<dcmotor joint="knee" motorconst="0.05" resistance="2"/>"#).speed_torque, None);
    assert_eq!(only(r#"<dcmotor joint="knee" ctrlrange="0 12" motorconst="0.05" resistance="2"/>"#).speed_torque, None);
    let refused = refusal(&format!(r#"{ROBOT}<actuator><dcmotor joint="knee" motorconst="0.05"/></actuator>"#));
    let reason = "`resistance` is 0: expected a positive constant and a positive resistance of the motor";
    assert!(refused.ends_with(reason), "{refused}");
}

/// A fixed tendon is a coupled drive: moments of MuJoCo, limits, a servo on it, and the same once more when it is written and read.
#[test]
fn fixed_tendons_are_coupled_drives() {
    let tendons = r#"<tendon><fixed name="t"><joint joint="shoulder" coef="0.5"/><joint joint="slide" coef="-2"/></fixed>
        <spatial name="s"><site site="tip"/><site site="rotor"/></spatial></tendon>"#;
    let of = |actuators: &str| load(&format!("{ROBOT}{tendons}<actuator>{actuators}</actuator>"));
    let loaded = of(
        r#"<motor name="m" tendon="t" gear="3" ctrlrange="-1 2"/><position name="p" tendon="t" kp="10" forcerange="-4 4"/>
           <motor name="s" tendon="s"/>"#,
    );
    let [motor, servo] = loaded.model.actuators() else { panic!("not two") };
    assert_eq!((&motor.gears, motor.limits), (&vec![(9, 1.5), (10, -6.0)], (-1.0, 2.0)));
    assert_eq!((&servo.gears, servo.limits), (&vec![(9, 0.5), (10, -2.0)], (-4.0, 4.0)));
    assert_eq!(loaded.report.count_of(Rank::Dubious), 2);
    let text = loaded.model.to_mjcf().expect("all can be said");
    let again = gradyn::Model::from_mjcf_text(&text, &gradyn::model::mjcf::MjcfOptions::new()).expect("is read").model;
    assert_eq!(again.actuators(), loaded.model.actuators());
    let refused = |part: &str| {
        let tendon = format!(r#"<tendon><fixed name="t">{part}</fixed></tendon>"#);
        refusal(&format!(r#"{ROBOT}{tendon}<actuator><motor tendon="t"/></actuator>"#))
    };
    let said = refused(r#"<joint joint="shoulder"/>"#);
    assert!(said.ends_with("has no `coef`") || said.contains("`coef`"), "{said}");
    let said = refused(r#"<joint joint="shouldr" coef="1"/>"#);
    assert!(said.ends_with("`joint`: there is no joint `shouldr`: did you mean `shoulder`?"), "{said}");
}
