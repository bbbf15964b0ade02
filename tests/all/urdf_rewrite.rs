//! Changed parameters given back to robot files: numbers change, nothing else does, and the text gives the model.

use gradyn::joint::{Axis, Joint};
use gradyn::model::urdf::{ContinuousForm, JointOrder, MimicForm, RewriteError, Rewritten, UrdfOptions, rewrite};
use gradyn::model::{BodyId, Model, ModelBuilder};
use gradyn::spatial::{Inertia, Motion, Symmetric3, Transform, se3};
use nalgebra::Vector3;
use rand::rngs::ChaCha8Rng;
use std::fs;
use std::ops::Range;
use testing::uniform;

/// Rounding of what the reader computes: turned tensors and sums over links, each entry of which is a few products.
const ROUNDING: f64 = 2e-15;

fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["robots", "tests/urdf/good", "tests/urdf/warn"] {
        for entry in fs::read_dir(testing::path(folder)).expect("is there") {
            let path = entry.expect("is there").path();
            if path.extension().is_some_and(|extension| extension == "urdf") {
                files.push((path.display().to_string(), fs::read_to_string(&path).expect("is text")));
            }
        }
    }
    assert!(files.len() >= 20, "{}", files.len());
    files
}

fn all_options() -> Vec<UrdfOptions> {
    let new = UrdfOptions::new;
    vec![
        new(),
        new().floating_base(true),
        new().merge_fixed_joints(false),
        new().continuous(ContinuousForm::CosSin).joint_order(JointOrder::Pinocchio),
        new().floating_base(true).mimic(MimicForm::Independent).merge_fixed_joints(false),
    ]
}

fn read(text: &str, options: &UrdfOptions) -> Model {
    Model::from_urdf_text(text, options).unwrap_or_else(|error| panic!("{error}\n{text}")).model
}

fn body(model: &Model, name: &str) -> BodyId {
    model.find_body(name).expect("is there")
}

/// The largest relative difference of numbers that a file holds.
fn deviation(a: &Model, b: &Model, base: &Model) -> f64 {
    let lengths = b.bodies().iter().flat_map(|body| [body.placement().translation, body.inertia().com]);
    let lengths = lengths.chain(b.frames().iter().map(|frame| frame.placement().translation));
    let reach = lengths.map(|p| p.norm()).fold(1e-3, f64::max);
    let mut worst: f64 = 0.0;
    let mut compare = |x: f64, y: f64, size: f64| worst = worst.max((x - y).abs() / size);
    let mut pose = |x: &Transform<f64>, y: &Transform<f64>| {
        x.rotation.iter().zip(y.rotation.iter()).for_each(|(x, y)| compare(*x, *y, 1.0));
        x.translation.iter().zip(y.translation.iter()).for_each(|(x, y)| compare(*x, *y, reach));
    };
    for (x, y) in a.bodies().iter().zip(b.bodies()) {
        pose(x.placement(), y.placement());
    }
    for (i, x) in a.frames().iter().enumerate() {
        let y = &b.frames()[b.find_frame(x.name()).expect("is there").index()];
        // A joint's frame goes with its link's, even if only that was moved.
        if y.placement() != base.frames()[i].placement() {
            pose(x.placement(), y.placement());
        }
    }
    let inertias = a.bodies().iter().zip(b.bodies()).map(|(x, y)| (x.inertia(), y.inertia()));
    for (x, y) in inertias.chain([(a.fixed_inertia(), b.fixed_inertia())]) {
        compare(x.mass, y.mass, y.mass.abs().max(f64::MIN_POSITIVE));
        (0..3).for_each(|k| compare(x.com[k], y.com[k], reach));
        let (x, y) = (x.rotational.to_array(), y.rotational.to_array());
        let size = y.iter().map(|y| y.abs()).sum::<f64>().max(f64::MIN_POSITIVE);
        (0..6).for_each(|k| compare(x[k], y[k], size));
    }
    for (x, y) in a.bodies().iter().zip(b.bodies()) {
        for (x, y) in x.joint().axes().iter().zip(y.joint().axes()) {
            (0..3).for_each(|k| compare(x.vector()[k], y.vector()[k], 1.0));
        }
        if let (Joint::Mimic(x), Joint::Mimic(y)) = (x.joint(), y.joint()) {
            compare(x.multiplier(), y.multiplier(), y.multiplier().abs());
            compare(x.offset(), y.offset(), y.offset().abs().max(1.0));
        }
    }
    let layout = b.parameter_layout();
    let (x, y) = (a.standard_parameters(), b.standard_parameters());
    for k in layout.friction.start..layout.armature.end {
        compare(x[k], y[k], y[k].abs().max(1e-300));
    }
    worst
}

/// The robot with its parameters in these ranges moved at random, by up to a tenth; frictions and armatures stay
/// positive.
fn moved(model: &Model, ranges: &[Range<usize>], rng: &mut ChaCha8Rng) -> Model {
    let layout = model.parameter_layout().clone();
    let mut step = vec![0.0; layout.len()];
    let values = model.standard_parameters();
    // One entry for each degree of freedom of each body's joint.
    let of_body = |body: &gradyn::model::Body| vec![body.v_range().len() == 1; body.v_range().len()];
    let single: Vec<_> = model.bodies().iter().flat_map(of_body).collect();
    for k in ranges.iter().cloned().flatten() {
        let frictions = layout.friction.start..layout.armature.end;
        step[k] = if frictions.contains(&k) {
            if single[(k - frictions.start) % single.len()] { 0.1 * uniform(rng).abs() } else { 0.0 }
        } else if layout.inertial.contains(&k) {
            0.1 * uniform(rng) * values[k]
        } else {
            0.1 * uniform(rng)
        };
    }
    model.with_parameters_moved(&step).expect("runs")
}

/// Frames of links behind fixed joints moved at random, by up to a tenth.
fn frames_moved(model: &Model, text: &str, rng: &mut ChaCha8Rng) -> Model {
    let mut changed = model.clone();
    for (i, frame) in model.frames().iter().enumerate().skip(model.bodies().len()) {
        let child = [format!("child link=\"{}\"", frame.name()), format!("child link='{}'", frame.name())];
        if child.iter().any(|child| text.contains(child)) {
            let step = Motion::new(testing::vector(rng) * 0.1, testing::vector(rng) * 0.1);
            let (id, placement) = (model.frame_id(i).expect("is there"), *frame.placement() * se3::exp6(step));
            changed.update_parameters(|p| p.set_frame_placement(id, placement).map(|_| ())).expect("is a pose");
        }
    }
    changed
}

/// Every change in the list is one of the text, and the text differs nowhere but there.
fn assert_told(text: &str, new: &Rewritten, what: &str) {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (old, new_lines) = (lines(text), lines(&new.text));
    if new.changes.iter().any(|change| change.inserted) || old.len() != new_lines.len() {
        return;
    }
    for (i, (a, b)) in old.iter().zip(&new_lines).enumerate() {
        let told = new.changes.iter().any(|change| change.line as usize == i + 1);
        assert_eq!(a != b, told, "{what}, line {}: {a} | {b}", i + 1);
    }
}

#[test]
fn without_a_change_the_text_comes_back_to_the_byte() {
    for (name, text) in files() {
        for options in all_options() {
            let Ok(loaded) = Model::from_urdf_text(&text, &options) else { continue };
            let new = rewrite(&text, &options, &loaded.model).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(new.text == text && new.changes.is_empty() && new.not_written.is_empty(), "{name}: {new:?}");
        }
    }
}

/// Each kind of number by itself, and all at once, in every file under every option.
#[test]
fn changed_numbers_read_back() {
    let rng = &mut testing::rng(7);
    let mut tried = 0;
    let mut worst: f64 = 0.0;
    for (name, text) in files() {
        for (o, options) in all_options().iter().enumerate() {
            let Ok(loaded) = Model::from_urdf_text(&text, options) else { continue };
            let base = loaded.model;
            let l = base.parameter_layout().clone();
            let kinds = [
                ("inertial", vec![l.inertial.clone()]),
                ("friction", vec![l.friction.clone()]),
                ("damping", vec![l.damping.clone()]),
                ("armature", vec![l.armature.clone()]),
                ("placement", vec![l.placement.clone()]),
                ("axis", vec![l.axis.clone()]),
                ("mimic", vec![l.multiplier.clone(), l.offset.clone()]),
                ("frames", vec![]),
                ("all", vec![0..l.friction_width, l.placement.start..l.stiffness.start]),
            ];
            for (kind, ranges) in kinds {
                // The joint of a floating base is not in the file.
                let mut model = moved(&base, &ranges, rng);
                if options.floating_base {
                    let (root, x) = (model.body_id(0).expect("is there"), *base.bodies()[0].placement());
                    model = model.with_placement(root, x).expect("is a pose");
                }
                if matches!(kind, "frames" | "all") {
                    model = frames_moved(&model, &text, rng);
                }
                let what = format!("{name}, {kind}, options {o}");
                let new = rewrite(&text, options, &model).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(new.not_written.is_empty(), "{what}: {:?}", new.not_written);
                let again = read(&new.text, options);
                let off = deviation(&again, &model, &base);
                assert!(off < ROUNDING, "{what}: {off:e}");
                worst = worst.max(off);
                assert_told(&text, &new, &what);
                // What was read is written without a change: nothing creeps.
                let twice = rewrite(&new.text, options, &again).expect("runs");
                assert!(twice.text == new.text, "{what}");
                tried += usize::from(!new.changes.is_empty());
            }
        }
    }
    println!("worst {worst:e}, {tried} changed files");
    assert!(tried > 400, "{tried}");
}

/// A file as people and programs write it, with a hole for what is tried.
const ODD: &str = "\u{feff}<?xml version='1.0'?>\r\n<!-- <mass value=\"9\"/> -->\r\n<robot name = 'odd' >\r\n\t<link name='base'/>\r\n\
\t<link\r\n\t\tname='arm'>\r\n\t\t<visual><origin xyz='9 9 9'/><geometry/></visual>\r\n\
\t\t<inertial><!-- by hand --><mass  value = ' 2.50 '/>\r\n\t\t\t<inertia ixx='1.0' iyy=\"1e0\"\r\n\t\t\t\tizz='&#49;' ixy='0' ixz='-0.0' iyz='+0'/>\r\n\
\t\t\t<origin rpy='0\t0 0' xyz=\"\r\n\t\t\t\t.1\r\n\t\t\t\t+0.2&#32;3e-1\"/></inertial>\r\n\
\t\t<inertial><mass value='7'/></inertial>\r\n\t</link>\r\n\
\t<joint type='revolute' name='turn'><parent link='base'/><child link='arm'/> <axis xyz='0 0 -2'/><!-- > -->\r\n\
\t\t<dynamics x:note='a > b' friction='0.1'/>\r\n\t\t<limit lower='1' upper='-1' effort='5' velocity='2'/>\r\n\t</joint>\r\n\
\t<link name='tip' />\r\n\t<joint name='weld' type='fixed'>\r\n\t\t<parent link='arm'/>\r\n\t\t<child link='tip'/> <!-- the tool -->\r\n\t</joint>\r\n\
\t<![CDATA[ x ]]>\r\n</robot>\r\n<!-- end -->";

/// What stands between two texts' common beginning and end.
fn differing<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take(room).take_while(|(a, b)| a == b).count();
    (&old[start..old.len() - end], &new[start..new.len() - end])
}

/// Writes a changed robot, and returns what that replaces in the odd file, and by what.
fn odd(change: impl FnOnce(Model) -> Model) -> (String, String) {
    let new = odd_text(change);
    let (old, new) = differing(ODD, &new);
    (old.into(), new.into())
}

/// The odd file with a changed robot written into it.
fn odd_text(change: impl FnOnce(Model) -> Model) -> String {
    let options = UrdfOptions::new();
    let base = read(ODD, &options);
    let model = change(base.clone());
    let new = rewrite(ODD, &options, &model).expect("runs");
    let off = deviation(&read(&new.text, &options), &model, &base);
    assert!(off < ROUNDING, "{off:e}\n{}", new.text);
    new.text
}

fn odd_inertia(change: impl FnOnce(&mut Inertia<f64>)) -> (String, String) {
    odd(|model| {
        let (arm, mut inertia) = (body(&model, "arm"), *model.bodies()[0].inertia());
        change(&mut inertia);
        model.with_inertia(arm, inertia).expect("runs")
    })
}

fn texts(old: &str, new: &str) -> (String, String) {
    (old.into(), new.into())
}

#[test]
fn oddly_written_files_keep_all_but_the_number() {
    assert_eq!(odd(|model| model), texts("", ""));
    assert_eq!(odd_inertia(|y| y.mass = 3.125), texts("2.50", "3.125"));
    assert_eq!(odd_inertia(|y| y.rotational.xx = 1.5), texts("0", "5")); // 1.0 to 1.5
    assert_eq!(odd_inertia(|y| y.rotational.zz = 1.5), texts("&#49;", "1.5"));
    assert_eq!(odd_inertia(|y| y.rotational.xz = 0.25), texts("-0.0", "0.25"));
    // Where the separators are entities the numbers cannot be told apart: all are written.
    assert_eq!(odd_inertia(|y| y.com.x = 0.5), texts("\r\n\t\t\t\t.1\r\n\t\t\t\t+0.2&#32;3e-1", "0.5 0.2 0.3"));
    let arm = |model: &Model| body(model, "arm");
    assert_eq!(
        odd(|model| {
            let arm = arm(&model);
            model.with_friction(arm, &[0.15]).expect("runs")
        }),
        texts("", "5")
    );
    let y = odd(|model| {
        let arm = arm(&model);
        model.with_axis(arm, 0, Axis::Y).expect("runs")
    });
    assert_eq!(y, texts("0 -2", "1 0"));
    // Limits that are reversed stay so.
    let limits = |model: Model| {
        let arm = arm(&model);
        model.with_q_limits(arm, &[(-1.0, 3.0)]).expect("runs")
    };
    assert_eq!(odd(limits), texts("1", "3"));
}

#[test]
fn what_is_missing_is_inserted_with_the_indentation_of_the_file() {
    let arm = |model: &Model| body(model, "arm");
    let damped = odd(|model| {
        let arm = arm(&model);
        model.with_damping(arm, &[0.5]).expect("runs")
    });
    assert_eq!(damped, texts("", " damping=\"0.5\""));
    let x = Transform::from_translation(Vector3::new(0.0, 0.0, 2.0));
    let placed = odd_text(|model| {
        let arm = arm(&model);
        model.with_placement(arm, x).expect("runs")
    });
    let after = |old: &str| ODD.replace(old, &format!("{old}\r\n\t\t<origin xyz=\"0 0 2\"/>"));
    assert_eq!(placed, after("velocity='2'/>"));
    // After the comment that belongs to the line before.
    let tipped = odd_text(|mut model| {
        let tip = model.find_frame("tip").expect("is there");
        model.update_parameters(|p| p.set_frame_placement(tip, x).map(|_| ())).expect("runs");
        model
    });
    assert_eq!(tipped, after("<!-- the tool -->"));
    // An empty element opens.
    let options = UrdfOptions::new();
    let loaded = odd_text(|model| {
        let root = model.find_frame("base").expect("is there");
        let load = Inertia::new(2.0, Vector3::new(0.0, 0.0, 0.5), Symmetric3::diagonal(1.0, 1.0, 1.0));
        model.attach(root, load).expect("runs")
    });
    let inertial = ">\r\n\t\t<inertial>\r\n\t\t\t<origin xyz=\"0 0 0.5\"/>\r\n\t\t\t<mass value=\"2\"/>\r\n\
        \t\t\t<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>\r\n\t\t</inertial>\r\n\t</link>";
    assert_eq!(loaded, ODD.replacen("/>\r\n\t<link", &format!("{inertial}\r\n\t<link"), 1));
    // All in one line.
    let text = "<robot name='r'><link name='a'></link><link name='b'/><joint name='j' type='continuous'><parent link='a'/>\
        <child link='b'/></joint></robot>";
    let model = read(text, &options);
    let (b, load) = (body(&model, "b"), Inertia::new(2.0, Vector3::zeros(), Symmetric3::diagonal(1.0, 1.0, 1.0)));
    let model = model.with_inertia(b, load).expect("runs").with_armature(b, &[0.25]).expect("runs");
    let new = rewrite(text, &options, &model).expect("runs");
    let inertial = "<link name='b'><inertial><mass value=\"2\"/>\
        <inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>";
    let expected =
        text.replace("<link name='b'/>", inertial).replace("</joint>", "<dynamics armature=\"0.25\"/></joint>");
    assert_eq!(new.text, expected);
    assert!(new.changes.iter().all(|change| change.inserted && change.line == 1), "{:?}", new.changes);
    assert_eq!(read(&new.text, &options), model);
}

const MERGED: &str = r#"<robot name="merged">
  <link name="base"/>
  <link name="wrist"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0 0 0.5"/><mass value="4"/><inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="wrist"/></joint>
  <joint name="weld" type="fixed"><parent link="wrist"/><child link="hand"/><origin xyz="0 0 1"/></joint>
</robot>"#;

/// The difference goes to the link that gives the body its name, else to another one that can take it, and the changes
/// say so.
#[test]
fn inertia_of_links_fixed_to_each_other_goes_to_one_of_them() {
    let options = UrdfOptions::new();
    let base = read(MERGED, &options);
    let (wrist, whole) = (body(&base, "wrist"), *base.bodies()[0].inertia());
    let with = |mass: f64| {
        let mut inertia = whole;
        inertia.mass = mass;
        inertia.com.z = (whole.com.z * 5.0 - 1.5 * (5.0 - mass)) / mass; // of the hand's mass
        inertia
    };
    let mut heavier = whole;
    heavier.mass = 6.0;
    for (inertia, link) in [(heavier, "wrist"), (with(3.0), "hand")] {
        let model = base.clone().with_inertia(wrist, inertia).expect("runs");
        let new = rewrite(MERGED, &options, &model).expect("runs");
        let off = deviation(&read(&new.text, &options), &model, &base);
        assert!(off < ROUNDING, "{off:e}");
        let told = |change: &gradyn::model::urdf::Change| {
            change.owner.name() == link && change.whole_body.as_deref() == Some("wrist")
        };
        assert!(!new.changes.is_empty() && new.changes.iter().all(told), "{:?}", new.changes);
    }
    let mass = |mass| rewrite(MERGED, &options, &base.clone().with_inertia(wrist, with(mass)).expect("runs"));
    let error = mass(-1.0).expect_err("no link can take it");
    assert_eq!(
        error.to_string(),
        "body `wrist`: its mass of -1 kg cannot be written: link `wrist` would have -5 kg, for others fixed to it have 4 kg"
    );
    assert!(mass(4.5).is_ok());
}

/// Moving the frame of a fixed link leaves the links behind it, and the inertia of the body, where the model has them.
#[test]
fn what_hangs_from_a_moved_frame_stays() {
    let text = MERGED.replace(
        "</robot>",
        "<link name='eye'/><joint name='see' type='fixed'><parent link='hand'/><child link='eye'/></joint></robot>",
    );
    let options = UrdfOptions::new();
    let base = read(&text, &options);
    for name in ["hand", "weld"] {
        let mut model = base.clone();
        let (frame, x) =
            (base.find_frame(name).expect("is there"), Transform::from_translation(Vector3::new(0.0, 0.0, 1.25)));
        model.update_parameters(|p| p.set_frame_placement(frame, x).map(|_| ())).expect("runs");
        let new = rewrite(&text, &options, &model).expect("runs");
        let again = read(&new.text, &options);
        let at = |model: &Model, name: &str| {
            model.frames()[model.find_frame(name).expect("is there").index()].placement().translation.z
        };
        let heights = ["hand", "weld", "eye", "see"].map(|name| at(&again, name));
        // 1.25 and -0.25 are exact.
        testing::assert_same(&heights, &[1.25, 1.25, 1.0, 1.0], name);
        let off = deviation(&again, &model, &base);
        assert!(off < ROUNDING, "{off:e}");
        assert!(new.text.contains(r#"<child link="hand"/><origin xyz="0 0 1.25"/>"#), "{}", new.text);
    }
}

#[test]
fn chains_of_mimic_joints_are_taken_apart() {
    let text = r#"<robot name="m"><link name="w"/><link name="a"/><link name="b"/><link name="c"/>
    <joint name="ja" type="continuous"><parent link="w"/><child link="a"/></joint>
    <joint name="jb" type="continuous"><parent link="a"/><child link="b"/><mimic joint="ja" multiplier="2"/></joint>
    <joint name="jc" type="continuous"><parent link="b"/><child link="c"/><mimic joint="jb" offset="1" multiplier="3"/></joint></robot>"#;
    let options = UrdfOptions::new();
    let base = read(text, &options);
    let (b, c) = (body(&base, "b"), body(&base, "c"));
    // jc stands at 6 q + 1 as before, now behind 4 q + 0.5.
    let model = base.clone().with_mimic(b, 4.0, 0.5).expect("runs");
    let new = rewrite(text, &options, &model).expect("runs");
    let expected = text
        .replace("multiplier=\"2\"", "multiplier=\"4\" offset=\"0.5\"")
        .replace("offset=\"1\" multiplier=\"3\"", "offset=\"0.25\" multiplier=\"1.5\"");
    assert_eq!(new.text, expected);
    assert_eq!(read(&new.text, &options), model);
    // What follows a joint that stands still cannot move.
    let stuck = base.clone().with_mimic(b, 0.0, 0.0).expect("runs");
    let error = rewrite(text, &options, &stuck).expect_err("jc moves, jb does not").to_string();
    assert!(
        error.starts_with("mimic of joint `jc`: the changed file would give 0 q + 1 instead of 6 q + 1"),
        "{error}"
    );
    assert!(rewrite(text, &options, &stuck.with_mimic(c, 0.0, 2.0).expect("runs")).is_ok());
}

#[test]
fn angles_stay_near_those_of_the_file_even_at_right_angles() {
    let text = |rpy: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin rpy='{rpy}'/></joint></robot>"
        )
    };
    let options = UrdfOptions::new();
    let rng = &mut testing::rng(3);
    for rpy in [
        "0 1.5707963267948966 0.7",
        "0.4 -1.5707963267948966 7",
        "3 2 1",
        "0 1.570796326 0",
        "-9 0.1 100",
        "0 1.57079632679 2",
    ] {
        let text = text(rpy);
        let base = read(&text, &options);
        for size in [1e-12, 1e-6, 0.1] {
            let step = Motion::new(Vector3::zeros(), testing::vector(rng) * size);
            let b = body(&base, "b");
            let x = *base.bodies()[0].placement() * se3::exp6(step);
            let model = base.clone().with_placement(b, x).expect("runs");
            let new = rewrite(&text, &options, &model).expect("runs");
            let off = deviation(&read(&new.text, &options), &model, &base);
            assert!(off < ROUNDING, "{rpy}, {size}: {off:e}");
            // Nowhere does a small turn need a turn by half: near a right angle up to a quarter, in two angles. Angles
            // of more than one turn are written as less.
            let near = |old: f64, new: f64| old.abs() > std::f64::consts::TAU || (new - old).abs() < 3.0;
            assert!(new.changes.iter().all(|change| near(change.old, change.new)), "{rpy}: {:?}", new.changes);
        }
    }
}

#[test]
fn what_has_no_place_in_a_file_is_listed_or_refused() {
    let options = UrdfOptions::new();
    let base = read(MERGED, &options);
    let wrist = body(&base, "wrist");
    let armed = options.clone().armature("turn", &[0.5]);
    let float = options.clone().floating_base(true);
    let model = read(MERGED, &float);
    let root = body(&model, "base");
    let model = model.with_placement(root, Transform::from_translation(Vector3::x())).expect("is a pose");
    let new = rewrite(MERGED, &float, &model).expect("runs");
    assert_eq!((new.text.as_str(), new.not_written[0].what.as_str()), (MERGED, "placement of joint `root_joint`"));
    let mut model = base.clone().with_gravity(Vector3::new(0.0, 0.0, -1.62)).with_friction_width(0.5).expect("runs");
    model = model.with_joint_friction(false).with_velocity_limits(wrist, &[3.0]).expect("runs");
    model = model.with_q_limits(wrist, &[(-1.0, 1.0)]).expect("runs").with_armature(wrist, &[0.75]).expect("runs");
    model = model.with_frame(wrist, "more", Transform::identity()).expect("runs");
    let new = rewrite(MERGED, &armed, &model).expect("runs");
    let what: Vec<_> = new.not_written.iter().map(|n| n.what.as_str()).collect();
    let expected = [
        "gravity",
        "the friction width",
        "joint friction",
        "least q of joint `turn`",
        "greatest q of joint `turn`",
        "frame `more`",
        "armature of joint `turn`",
    ];
    assert_eq!(what, expected);
    assert_eq!(
        new.not_written[0].to_string(),
        "gravity: [0.0, 0.0, -9.81] by the file, [0.0, 0.0, -1.62] in the model; URDF has no place for it"
    );
    assert_eq!(read(&new.text, &options).limits().velocity, [3.0]);
    // Strictly: missing inertia of the base is no warning, so the file is read.
    let text = MERGED.replace("type=\"continuous\">", "type=\"continuous\"><limit effort=\"1\" velocity=\"1\"/>");
    let strict = options.clone().strict(true);
    let still = rewrite(&text, &strict, &read(&text, &strict)).expect("runs");
    assert_eq!(still.text, text);
    let moon = read(&text, &strict).with_gravity(Vector3::zeros());
    assert!(matches!(rewrite(&text, &strict, &moon), Err(RewriteError::NotWritten { count: 1, .. })));
}

#[test]
fn other_robots_and_impossible_numbers_are_errors() {
    let options = UrdfOptions::new();
    let message = |model: &Model| rewrite(MERGED, &options, model).expect_err("is wrong").to_string();
    let base = read(MERGED, &options);
    let other = |from: &str, to: &str| read(&MERGED.replace(from, to), &options);
    let tree = |rest: &str| format!("the model is another robot than the file's: {rest}");
    assert_eq!(message(&other("\"wrist\"", "\"w\"")), tree("body 0 is `wrist` by the file and `w` in the model"));
    assert_eq!(
        message(&other("\"turn\"", "\"t\"")),
        tree("the joint of body `wrist` is `turn` by the file and `t` in the model")
    );
    assert_eq!(
        message(&other("continuous", "prismatic")),
        tree("joint `turn` is revolute by the file and prismatic in the model")
    );
    assert_eq!(
        message(&other("\"hand\"", "\"h\"")),
        tree("frame `hand` is on body `wrist` by the file and missing in the model")
    );
    assert_eq!(
        message(&ModelBuilder::new("none").build().expect("runs")),
        tree("the number of bodies is 1 by the file and 0 in the model")
    );
    let wrist = body(&base, "wrist");
    let moved = |k: usize, step: f64| {
        let mut steps = vec![0.0; base.parameter_layout().len()];
        steps[k] = step;
        base.with_parameters_moved(&steps).expect("runs")
    };
    let damping = moved(base.parameter_layout().damping.start, -0.5);
    assert_eq!(message(&damping), "joint `turn`: its damping is -0.5 in the model: URDF has none below zero");
    let error = rewrite("<robot", &options, &base);
    assert!(matches!(error, Err(RewriteError::Urdf(error)) if error.to_string().contains("not well-formed XML")));
    // Moments without mass: they would be the file's, and strictly that is refused when it is read again.
    let nothing = Inertia::new(4.0, Vector3::new(0.0, 0.0, 1.5), Symmetric3::diagonal(2.0, 2.0, -9.0));
    let model = base.clone().with_inertia(wrist, nothing).expect("runs");
    let new = rewrite(MERGED, &options, &model).expect("runs");
    let off = deviation(&read(&new.text, &options), &model, &base);
    assert!(off < ROUNDING, "{off:e}");
}

/// Texts that broke something once, and what fuzzing made of them: whatever can be read comes back to the byte, and
/// what is changed reads back or is refused.
#[test]
fn texts_found_by_fuzzing_come_back() {
    let rng = &mut testing::rng(11);
    let (mut read_back, mut refused) = (0, Vec::new());
    for entry in fs::read_dir(testing::path("fuzz/corpus/urdf")).expect("is there") {
        let data = fs::read(entry.expect("is there").path()).expect("is a file");
        let Some((_, text)) = data.split_first() else { continue };
        let Ok(text) = std::str::from_utf8(text) else { continue };
        for options in all_options() {
            let Ok(loaded) = Model::from_urdf_text(text, &options) else { continue };
            let base = loaded.model;
            let new = rewrite(text, &options, &base).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(new.text == text && new.changes.is_empty() && new.not_written.is_empty(), "{new:?}\n{text}");
            let l = base.parameter_layout();
            for ranges in [vec![l.inertial.clone(), l.damping.clone()], vec![l.placement.clone(), l.axis.clone()]] {
                match rewrite(text, &options, &moved(&base, &ranges, rng)) {
                    Ok(new) => {
                        let again = read(&new.text, &options);
                        assert_eq!(rewrite(&new.text, &options, &again).expect("runs").text, new.text);
                        read_back += 1;
                    }
                    Err(error) => refused.push(error.to_string()),
                }
            }
        }
    }
    println!("{read_back} read back, refused: {refused:#?}");
    assert!(read_back > 100 && refused.len() < read_back / 10, "{read_back}, {refused:#?}");
    assert!(refused.iter().all(|error| !error.contains('\n')), "{refused:?}");
}

/// What URDF has no place for is listed, not dropped.
#[test]
fn springs_and_friction_curves_are_not_written() {
    let (options, file) = (UrdfOptions::new(), testing::path("robots/panda.urdf"));
    let text = fs::read_to_string(&file).expect("is readable");
    let model = Model::from_urdf_text(&text, &options).expect("is read").model;
    let id = model.find_body("panda_joint3").expect("is there");
    let model = model.with_stiffness(id, &[3.0]).expect("fits").with_stribeck(id, &[0.2]).expect("fits");
    let new = rewrite(&text, &options, &model).expect("all else is the same");
    let listed: Vec<_> = new.not_written.iter().map(|of| (of.what.as_str(), of.model.as_str())).collect();
    let expected = [
        ("spring 0 of joint `panda_joint3`", "stiffness 3, reference 0"),
        ("friction curve 0 of joint `panda_joint3`", "stribeck 0.2 at 0.1, asymmetry 0"),
    ];
    assert_eq!(listed, expected);
    assert!(new.changes.is_empty(), "{:?}", new.changes);
}
