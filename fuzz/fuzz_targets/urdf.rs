//! Any text is refused with a message of one line, or gives a model whose inverse dynamics can be asked for.
//!
//! Run with `cargo +nightly fuzz run urdf -- -dict=fuzz/urdf.dict`, from the repository's root. The first byte chooses
//! the options, the rest is the text.
#![no_main]

use gradyn::once;
use gradyn::model::Model;
use gradyn::model::urdf::{ContinuousForm, JointOrder, MimicForm, UrdfOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choices, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let chosen = |bit: u8| choices & (1 << bit) != 0;
    let options = UrdfOptions::new()
        .floating_base(chosen(0))
        .merge_fixed_joints(!chosen(1))
        .mimic(if chosen(4) { MimicForm::Independent } else { MimicForm::Follow })
        .continuous(if chosen(2) { ContinuousForm::CosSin } else { ContinuousForm::Angle })
        .joint_order(if chosen(3) { JointOrder::Pinocchio } else { JointOrder::File });
    match Model::from_urdf_text(text, &options) {
        Ok(loaded) => {
            let model = loaded.model;
            let (q, v) = (model.neutral::<f64>(), vec![1.0; model.nv()]);
            if let Ok(tau) = once::rnea(&model, &q, &v, &v, &[]) {
                assert!(tau.iter().all(|x| x.is_finite()));
            }
            let _ = loaded.report.to_string();
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("line ") && !message.contains('\n'), "{message}");
        }
    }
});
