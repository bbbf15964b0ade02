//! Robots of MJCF files. Numbers with more digits than a reader can work out are those of MuJoCo 4.0.

mod actuators;
mod damaged;
mod documentation;
mod files;
mod rewrite;
mod spring_damper;
mod traps;

use gradyn::model::mjcf::{Loaded, MjcfOptions};
use gradyn::{Model, once};
use nalgebra::{Matrix3, Vector3};

/// A file of this content.
fn load(content: &str) -> Loaded {
    let text = format!("<mujoco>{content}</mujoco>");
    Model::from_mjcf_text(&text, &MjcfOptions::new()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What a file of this content is refused with.
fn refusal(content: &str) -> String {
    match Model::from_mjcf_text(&format!("<mujoco>{content}</mujoco>"), &MjcfOptions::new()) {
        Ok(_) => panic!("is read: {content}"),
        Err(error) => error.to_string(),
    }
}

/// A file whose tree is this.
fn tree(bodies: &str) -> Loaded {
    load(&format!("<worldbody>{bodies}</worldbody>"))
}

/// Where a frame is: position and axes, in the world.
fn pose(loaded: &Loaded, q: &[f64], name: &str) -> (Vector3<f64>, Matrix3<f64>) {
    let frame = loaded.model.find_frame(name).unwrap_or_else(|| panic!("no frame {name}"));
    let pose = once::frame_pose(&loaded.model, q, frame).expect("is a configuration");
    (pose.translation, pose.rotation)
}

/// Numbers that are equal but for a few roundings of numbers near one.
fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{found:?}\n{expected:?}");
    }
}

/// The mass matrix, row by row.
fn mass_matrix(loaded: &Loaded, q: &[f64]) -> Vec<f64> {
    let matrix = once::crba(&loaded.model, q).expect("is a configuration");
    matrix.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()).collect()
}

/// The moment of inertia that the only joint of a body feels.
fn moment(bodies: &str) -> f64 {
    mass_matrix(&tree(bodies), &[0.0])[0]
}
