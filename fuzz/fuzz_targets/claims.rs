//! Any file of claims is refused with a message, or gives claims: JSON, CSV, NumPy's `.npz`, and a single array of one.
//!
//! Run with `cargo +nightly fuzz run claims`, from the repository's root. The first byte chooses the name of the file, the rest is the file.
#![no_main]

use gradyn::UrdfOptions;
use gradyn_files::claims::{Claims, Layout};
use gradyn_files::constraints::Constraints;
use gradyn_files::robot::Robot;
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::OnceLock;

static ROBOT: OnceLock<Robot> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let Some((form, bytes)) = data.split_first() else { return };
    let robot = ROBOT.get_or_init(|| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots/double_pendulum.urdf");
        Robot::read(&file, UrdfOptions::new(), None, true).expect("is a robot")
    });
    let ending = ["csv", "json", "npz", "txt"][usize::from(form % 4)];
    let path = std::env::temp_dir().join(format!("gradyn-fuzz-{}.{ending}", std::process::id()));
    std::fs::write(&path, bytes).expect("is writable");
    if let Err(error) = Claims::read(&path, robot, Layout::Gradyn, Constraints::default()) {
        assert!(!error.to_string().is_empty());
    }
});
