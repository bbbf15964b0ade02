//! Changed parameters given back to robot files: numbers change, nothing else does, and the text gives the model.

mod common;

use common::{robot, uniform};
use gradyn::joint::{Axis, Joint};
use gradyn::model::urdf::{
    ContinuousForm, JointOrder, MimicForm, RewriteError, Rewritten, UrdfError, UrdfOptions, rewrite,
};
use gradyn::model::{BodyId, Model, ModelBuilder, Parameters};
use gradyn::spatial::{Inertia, Motion, Symmetric3, Transform, se3};
use nalgebra::Vector3;
use rand::rngs::ChaCha8Rng;
use std::fs;
use std::ops::Range;

/// Rounding of what the reader computes: turned tensors and sums over links, each entry of which is a few products.
const ROUNDING: f64 = 2e-15;

fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["robots", "tests/urdf/good", "tests/urdf/warn"] {
        for entry in fs::read_dir(common::path(folder)).expect("is there") {
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

/// The robot with its parameters in these ranges moved at random, by up to a tenth; frictions and armatures stay positive.
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
            let step = Motion::new(common::vector(rng) * 0.1, common::vector(rng) * 0.1);
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
    let rng = &mut common::rng(7);
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
                ("mimic", vec![l.multiplier.start..l.offset.end]),
                ("frames", vec![]),
                ("all", vec![0..l.friction_width, l.placement.start..l.len()]),
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
