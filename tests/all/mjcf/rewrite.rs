//! Parameters given back to the file: numbers in the text change, and nothing else does.

use gradyn::Model;
use gradyn::model::BodyId;
use gradyn::model::mjcf::{Files, MjcfOptions, RewriteError, Rewritten, rewrite};
use gradyn::spatial::{Inertia, Transform};

/// A file as people write it: classes, degrees, comments, shapes, a fixed part, an actuator with damping, several joints of a body.
const ARM: &str = r#"<?xml version='1.0'?>
<!-- an arm -->
<mujoco model="arm">
  <compiler angle="degree" eulerseq="XYZ"/>
  <option timestep="0.002"/>
  <default>
    <joint damping="0.3" armature="0.01"/>
    <geom rgba="1 0 0 1"/>
  </default>
  <asset> <texture name="sky" type="skybox" builtin="flat" width="8" height="8"/> </asset>
  <worldbody>
    <body name="base" pos="0 0 0.1">
      <geom type="box" size="0.1 0.1 0.1"/>
      <body name="upper" pos='0 0 0.2' euler="10 20 0">
        <!-- <joint name="no"/> -->
        <joint name="shoulder" axis="0 1 0" range="-90 90" springref="30" stiffness="2" damping='0.5'/>
        <inertial pos="0 0 0.1" mass=" 2.0 " diaginertia="0.02 0.03 0.01" quat="0.9 0.1 0 0.2"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.03"/>
        <body name="wrist" pos="0 0 0.3">
          <joint name="roll" axis="0 0 1" pos="0 0 0.05"/> <joint name="lift" type="slide" axis="1 0 0"/>
          <geom name="box" type="box" size="0.05 0.04 0.03" mass="0.5"/>
          <body name="tool" pos="0.1 0 0">
            <inertial pos="0 0 0.02" mass="0.2" fullinertia="1e-3 2e-3 1.5e-3 1e-4 0 2e-4"/>
          </body>
          <site name="tip" pos="0 0 0.1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="drive" joint="roll" kp="10" kv="0.7"/>
  </actuator>
  <keyframe> <key name="home" qpos="0.1 0.2 0.03"/> </keyframe>
</mujoco>
"#;

fn options() -> MjcfOptions {
    MjcfOptions::new()
}

fn read(text: &str) -> Model {
    Model::from_mjcf_text(text, &options()).unwrap_or_else(|error| panic!("{error}\n{text}")).model
}

fn body(model: &Model, joint: &str) -> BodyId {
    let place = model.bodies().iter().position(|body| body.joint_name() == joint).expect("is there");
    model.body_id(place).expect("is there")
}

/// The body that has the inertia of this body of the file.
fn carrier(model: &Model, name: &str) -> BodyId {
    model.find_body(name).expect("is there")
}

fn written(text: &str, model: &Model) -> Rewritten {
    let new = rewrite(text, &options(), model).unwrap_or_else(|error| panic!("{error}"));
    assert!(new.not_written.is_empty(), "{:?}", new.not_written);
    // What was read is written without a change: nothing creeps.
    let again = rewrite(&new.text, &options(), &read(&new.text)).expect("runs");
    assert_eq!(again.text, new.text);
    new
}

/// The largest difference of inertias, poses, axes and constants of joints, relative to numbers of size one.
fn deviation_of_trees(a: &Model, b: &Model) -> f64 {
    let mut worst: f64 = 0.0;
    let mut near = |x: f64, y: f64| worst = worst.max((x - y).abs() / y.abs().max(1.0));
    assert_eq!(a.bodies().len(), b.bodies().len());
    for (x, y) in a.bodies().iter().zip(b.bodies()) {
        near(x.inertia().mass, y.inertia().mass);
        x.inertia().com.iter().zip(y.inertia().com.iter()).for_each(|(x, y)| near(*x, *y));
        let tensors = (x.inertia().rotational.to_array(), y.inertia().rotational.to_array());
        tensors.0.iter().zip(tensors.1).for_each(|(x, y)| near(*x, y));
        let (p, q) = (x.placement(), y.placement());
        p.translation.iter().zip(q.translation.iter()).for_each(|(x, y)| near(*x, *y));
        p.rotation.iter().zip(q.rotation.iter()).for_each(|(x, y)| near(*x, *y));
        for (x, y) in x.joint().axes().iter().zip(y.joint().axes()) {
            x.vector().iter().zip(y.vector().iter()).for_each(|(x, y)| near(*x, *y));
        }
    }
    for (x, y) in a.joint_dynamics().iter().zip(b.joint_dynamics()) {
        near(x.damping, y.damping);
        near(x.armature, y.armature);
    }
    a.gravity().iter().zip(b.gravity().iter()).for_each(|(x, y)| near(*x, *y));
    worst
}

/// The same with the springs of the arm.
fn deviation(a: &Model, b: &Model) -> f64 {
    let mut worst = deviation_of_trees(a, b);
    for joint in ["shoulder", "roll", "lift"] {
        let spring =
            |model: &Model| model.spring_of(body(model, joint), 0).map_or([0.0; 2], |s| [s.stiffness, s.reference]);
        let relative = |(x, y): (f64, f64)| (x - y).abs() / y.abs().max(1.0);
        worst = spring(a).into_iter().zip(spring(b)).map(relative).fold(worst, f64::max);
    }
    worst
}

#[test]
fn without_a_change_the_text_comes_back_to_the_byte() {
    let new = written(ARM, &read(ARM));
    assert!(new.text == ARM && new.changes.is_empty(), "{:?}", new.changes);
}

/// Each number stands where the file has it; in degrees where the file has those; what an actuator adds stays.
#[test]
fn numbers_of_joints_change_where_they_stand() {
    let base = read(ARM);
    let spring = |model: Model, stiffness: f64, reference: f64| {
        let shoulder = body(&model, "shoulder");
        model.with_stiffness(shoulder, &[stiffness]).expect("fits").with_spring_reference(shoulder, &[reference])
    };
    let cases = [
        (
            base.clone().with_damping(body(&base, "shoulder"), &[0.25]).expect("fits"),
            ("damping='0.5'", "damping='0.25'"),
            "line 16: joint `shoulder`: joint damping 0.5 → 0.25",
        ),
        (
            spring(base.clone(), 3.0, std::f64::consts::FRAC_PI_4).expect("fits"),
            ("springref=\"30\" stiffness=\"2\"", "springref=\"45\" stiffness=\"3\""),
            "line 16: joint `shoulder`: joint stiffness 2 → 3",
        ),
        (
            base.clone().with_armature(body(&base, "lift"), &[0.5]).expect("fits"),
            ("axis=\"1 0 0\"/>", "axis=\"1 0 0\" armature=\"0.5\"/>"),
            "line 20: joint `lift`: joint armature 0.01 → 0.5, inserted",
        ),
        (
            base.clone().with_gravity([0.0, 0.0, -1.5].into()),
            ("timestep=\"0.002\"", "timestep=\"0.002\" gravity=\"0 0 -1.5\""),
            "line 5: robot `arm`: option gravity[2] -9.81 → -1.5, inserted",
        ),
        (
            base.clone()
                .with_placement(body(&base, "roll"), Transform::from_translation([0.0, 0.0, 0.45].into()))
                .expect("fits"),
            ("pos=\"0 0 0.3\"", "pos=\"0 0 0.4\""),
            "line 19: body `wrist`: body pos[2] 0.3 → 0.4",
        ),
    ];
    for (model, (from, to), told) in cases {
        let new = written(ARM, &model);
        assert_eq!(new.text, ARM.replacen(from, to, 1));
        assert_eq!(new.changes[0].to_string(), told);
        assert!(deviation(&read(&new.text), &model) <= 1e-15);
    }
}

/// A mass alone leaves the tensor as it stands; another tensor becomes `fullinertia`, in axes of the body; what came from geoms becomes
/// an `inertial`; a body with another fixed to it shares out.
#[test]
fn inertias_are_written_as_inertial() {
    let base = read(ARM);
    let changed = |name: &str, of: &dyn Fn(&mut Inertia<f64>)| {
        let id = carrier(&base, name);
        let mut inertia = *base.bodies()[id.index()].inertia();
        of(&mut inertia);
        base.clone().with_inertia(id, inertia).expect("fits")
    };
    let model = changed("upper", &|y| y.mass = 2.5);
    let new = written(ARM, &model);
    assert_eq!(new.text, ARM.replace(" 2.0 ", " 2.5 "));
    assert!(deviation(&read(&new.text), &model) <= 1e-15);

    let model = changed("upper", &|y| y.rotational.xx += 1e-3);
    let new = written(ARM, &model);
    let line = new.text.lines().find(|line| line.contains("<inertial")).expect("is there");
    assert!(line.contains(" fullinertia=\"") && !line.contains("quat") && !line.contains("diaginertia"), "{line}");
    assert!(deviation(&read(&new.text), &model) <= 1e-15);

    let model = changed("wrist", &|y| y.mass = 1.0);
    let new = written(ARM, &model);
    assert!(new.changes.iter().all(|change| change.whole_body.as_deref() == Some("wrist")), "{:?}", new.changes);
    assert_eq!(new.text.matches("<inertial").count(), 3, "{}", new.text);
    // Of sums of two bodies.
    assert!(deviation(&read(&new.text), &model) <= 1e-14);
}

/// All at once, some numbers beside the file's own.
#[test]
fn everything_at_once_reads_back() {
    let base = read(ARM);
    let shoulder = body(&base, "shoulder");
    let turned =
        *base.bodies()[shoulder.index()].placement() * Transform::from_rpy([0.1, -0.2, 0.3], [0.01, 0.0, 0.02].into());
    let mut heavy = *base.bodies()[carrier(&base, "wrist").index()].inertia();
    heavy.mass *= 1.1;
    heavy.com.x += 0.01;
    heavy.rotational.xy += 1e-4;
    let model = base.clone().with_placement(shoulder, turned).expect("fits");
    let model = model.with_inertia(carrier(&base, "wrist"), heavy).expect("fits");
    let model = model.with_damping(body(&base, "roll"), &[1.5]).expect("fits");
    let model = model.with_damping(body(&base, "lift"), &[0.1]).expect("fits");
    let model = model.with_stiffness(body(&base, "roll"), &[7.0]).expect("fits");
    let new = written(ARM, &model);
    assert!(deviation(&read(&new.text), &model) <= 1e-14, "{:e}", deviation(&read(&new.text), &model));
    assert!(new.text.contains("<geom type=\"capsule\"") && new.text.contains("<texture"));
}

/// What MJCF has no place for is listed, with its reason.
#[test]
fn what_has_no_place_is_listed() {
    let base = read(ARM);
    let model = base.clone().with_friction(body(&base, "roll"), &[0.1]).expect("fits").with_joint_friction(true);
    let new = rewrite(ARM, &options(), &model).expect("runs");
    let listed: Vec<String> = new.not_written.iter().map(ToString::to_string).collect();
    assert_eq!(
        listed,
        [
            "friction of joint `roll`: 0 by the file, 0.1 in the model; MuJoCo's dry friction is a constraint, which has no width"
        ]
    );
    let strict = options().strict(true);
    let error = rewrite("<mujoco><worldbody/></mujoco>", &strict, &base).expect_err("is another robot");
    assert!(matches!(error, RewriteError::OtherTree { .. }), "{error}");
}

/// What stands in another file, or makes several, is refused by its place.
#[test]
fn what_stands_elsewhere_is_refused() {
    let body = "<body name='b'><joint name='j'/><geom size='1'/></body>";
    let files = Files::new(move |_| Ok(format!("<mujocoinclude>{body}</mujocoinclude>").into_bytes()));
    let options = MjcfOptions::new().files(files);
    let cases = [
        ("<worldbody><include file='b.xml'/></worldbody>".to_owned(), 0, "it stands in another file (`b.xml`, line 1)"),
        (
            format!("<worldbody>\n<replicate count='2' offset='1 0 0'>{body}</replicate></worldbody>"),
            1,
            "line 2 makes several, or holds several without names",
        ),
        (
            format!("<worldbody><frame pos='1 0 0'>{body}</frame></worldbody>"),
            2,
            "it stands within `frame`, which moves it",
        ),
    ];
    for (content, kind, part) in cases {
        let text = format!("<mujoco>{content}</mujoco>");
        let model = Model::from_mjcf_text(&text, &options).expect("reads").model;
        let id = model.body_id(0).expect("is there");
        let mut inertia = *model.bodies()[0].inertia();
        inertia.mass += 1.0;
        let model = match kind {
            0 => model.with_inertia(id, inertia).expect("fits"),
            1 => model.with_damping(id, &[1.0]).expect("fits"),
            _ => model.with_placement(id, Transform::identity()).expect("fits"),
        };
        let error = rewrite(&text, &options, &model).expect_err("stands elsewhere").to_string();
        assert!(error.ends_with(part), "{error}");
    }
    // Scaled when it is read: the mass that is written does not come back.
    let text = format!("<mujoco><compiler settotalmass='5'/><worldbody>{body}</worldbody></mujoco>");
    let model = Model::from_mjcf_text(&text, &options).expect("reads").model;
    let id = model.body_id(0).expect("is there");
    let mut inertia = *model.bodies()[0].inertia();
    inertia.mass += 1.0;
    let error = rewrite(&text, &options, &model.with_inertia(id, inertia).expect("fits"));
    assert!(matches!(error, Err(RewriteError::NotReproduced { .. })), "{error:?}");
}

/// A robot of MuJoCo Menagerie, every number changed that a fit may change: lines without these stay.
#[test]
fn a_robot_of_menagerie_keeps_all_other_lines() {
    let text = std::fs::read_to_string(testing::path("robots/go1.xml")).expect("is there");
    let base = read(&text);
    let mut model = base.clone();
    for (i, body) in base.bodies().iter().enumerate() {
        let (id, mut inertia) = (base.body_id(i).expect("is there"), *body.inertia());
        inertia.mass *= 1.01;
        inertia.com.y += 1e-3;
        inertia.rotational = inertia.rotational.scale(1.02);
        model = model.with_inertia(id, inertia).expect("fits");
        if body.v_range().len() == 1 {
            model = model.with_damping(id, &[1.5]).expect("fits").with_armature(id, &[0.02]).expect("fits");
        }
    }
    let new = written(&text, &model);
    let again = read(&new.text);
    assert!(deviation_of_trees(&again, &model) <= 1e-14, "{:e}", deviation_of_trees(&again, &model));
    let kept = |line: &&str| {
        !["<inertial", "diaginertia=", "fullinertia=", "<joint class="].iter().any(|part| line.contains(part))
    };
    let others = |text: &str| text.lines().filter(kept).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(others(&new.text).len(), others(&text).len());
    assert_eq!(new.text.matches("fullinertia=\"").count(), 13);
    assert_eq!(new.text.matches("<geom").count(), text.matches("<geom").count());
}

/// What is fixed to the world has its own bits, though 0.00718278 times its reciprocal is not one: found by fuzzing.
#[test]
fn what_is_fixed_to_the_world_stays_as_it_was() {
    let text = "<mujoco><worldbody><body name='base' pos='0 0 0.005'>\
                <inertial pos='-0.000132925 -0.000516418 0.0820911' mass='0.00718278' diaginertia='0.00157301 0.00157269 0.00058831'/>\
                <body name='arm'><joint name='j'/><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/></body>\
                </body></worldbody></mujoco>";
    let new = rewrite(text, &options(), &read(text)).expect("writes");
    assert!(new.text == text && new.changes.is_empty() && new.not_written.is_empty(), "{new:?}");
}
