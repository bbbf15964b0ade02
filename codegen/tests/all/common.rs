//! Robots, states, and files that are compiled.

use gradyn::joint::JointKind;
use gradyn::model::urdf::ContinuousForm;
use gradyn::{Model, UrdfOptions};
use gradyn_codegen::{Frames, Function, Request};
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::{every_joint, numbers, rng, tree, uniform};

/// The robots of this repository, and trees with every kind of joint, friction, springs and followers.
pub(crate) fn robots() -> Vec<Model> {
    let urdf = |name: &str, options: &UrdfOptions| testing::robot(name, options);
    let plain = UrdfOptions::new();
    let mut all: Vec<Model> = ["panda", "ur5", "double_pendulum", "planar", "mimic", "prismatic"]
        .iter()
        .map(|name| urdf(name, &plain))
        .collect();
    all.push(urdf("continuous", &UrdfOptions::new().continuous(ContinuousForm::CosSin)));
    for name in ["solo12", "quadrotor"] {
        all.push(urdf(name, &UrdfOptions::new().floating_base(true)));
    }
    all.extend(trees());
    all
}

/// Trees that have every kind of joint between them, friction, springs, friction curves; the last one followers, too.
pub(crate) fn trees() -> Vec<Model> {
    let joints = every_joint(&mut rng(1));
    let mut all: Vec<Model> = joints.chunks(4).zip(1..).map(|(joints, seed)| tree(seed, joints.to_vec())).collect();
    all.push(tree(7, joints.into_iter().filter(|joint| joint.nv() == 1).take(7).collect()));
    all
}

pub(crate) fn panda() -> Model {
    testing::robot("panda", &UrdfOptions::new())
}

/// Inputs at a random state: a configuration first. Steps are short: in one of a second velocities may grow to 1e8, and roundings with them.
pub(crate) fn inputs(model: &Model, function: &Function, seed: u64) -> Vec<Vec<f64>> {
    let rng = &mut rng(seed);
    let of = |(k, port): (usize, &gradyn_codegen::Port)| match port.name.as_str() {
        _ if k == 0 => model.random(rng),
        "h" => vec![0.01 * uniform(rng)],
        _ => numbers(rng, port.len()),
    };
    function.inputs().iter().enumerate().map(of).collect()
}

pub(crate) fn slices(x: &[Vec<f64>]) -> Vec<&[f64]> {
    x.iter().map(Vec::as_slice).collect()
}

/// The last frame, and where contacts are: the last body of each of two.
pub(crate) fn frames(model: &Model) -> Frames {
    let frame = model.frame_id(model.frames().len().saturating_sub(1)).map(Into::into);
    let last = model.bodies().len() - 1;
    let frame = frame.or_else(|| model.body_id(last).map(Into::into));
    Frames { frame, contacts: model.body_id(last).map(Into::into).into_iter().collect() }
}

/// The function of a name, for a robot.
pub(crate) fn record(model: &Model, name: &str) -> Function {
    Request::of(name, model, &frames(model)).and_then(|request| request.record(model, None)).expect(name).0
}

/// The largest deviation, of the largest entry of each output.
pub(crate) fn deviation(found: &[Vec<f64>], expected: &[Vec<f64>]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let mut worst = 0.0_f64;
    for (x, y) in found.iter().zip(expected) {
        assert_eq!(x.len(), y.len());
        let scale = y.iter().fold(1e-300_f64, |most, y| most.max(y.abs()));
        worst = x.iter().zip(y).fold(worst, |worst, (x, y)| worst.max((x - y).abs() / scale));
        assert!(x.iter().all(|x| x.is_finite()));
    }
    worst
}

/// An empty folder of this test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("is made");
    folder
}

/// Runs a program, which must succeed: what it prints.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    assert!(!text.contains("warning"), "{text}");
    String::from_utf8(output.stdout).expect("is text")
}
