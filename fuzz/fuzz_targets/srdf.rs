//! Any text is refused with a message of one line, or names configurations; each is refused in one line for a robot, or is one of it.
//!
//! Run with `cargo +nightly fuzz run srdf -- -dict=fuzz/srdf.dict`, from the repository's root. The first byte chooses the robot, the
//! rest is the text.
#![no_main]

use gradyn::model::Model;
use gradyn::model::srdf::Srdf;
use gradyn::model::urdf::{ContinuousForm, UrdfOptions};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static ROBOTS: OnceLock<[Model; 3]> = OnceLock::new();

/// Angles, circles and the pose of a base.
fn robots() -> [Model; 3] {
    let read = |text: &str, options: &UrdfOptions| Model::from_urdf_text(text, options).expect("is a robot").model;
    let solo = include_str!("../../robots/solo12.urdf");
    let panda = include_str!("../../robots/panda.urdf");
    let circles = UrdfOptions::new().continuous(ContinuousForm::CosSin).floating_base(true);
    [
        read(panda, &UrdfOptions::new()),
        read(solo, &UrdfOptions::new().floating_base(true)),
        read(include_str!("../../robots/double_pendulum.urdf"), &circles),
    ]
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let model = &ROBOTS.get_or_init(robots)[usize::from(choice % 3)];
    let srdf = match Srdf::from_text(text) {
        Ok(srdf) => srdf,
        Err(error) => return assert!(!error.to_string().contains('\n'), "{error}"),
    };
    for state in &srdf.states {
        match srdf.configuration(model, &state.name) {
            Ok(q) => assert!(model.check_configuration(&q).is_ok(), "{q:?}"),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
    let _ = srdf.report_for(model).to_string();
});
