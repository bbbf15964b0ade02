//! Any text is refused with a message of one line, or gives a model whose inverse dynamics can be asked for; written back it is the
//! same text, and with other numbers one that gives the model.
//!
//! Run with `cargo +nightly fuzz run urdf -- -dict=fuzz/urdf.dict`, from the repository's root. The first byte chooses
//! the options, the rest is the text.
#![no_main]

use gradyn::model::Model;
use gradyn::model::urdf::{ContinuousForm, JointOrder, MimicForm, RewriteError, UrdfOptions, rewrite};
use gradyn::once;
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
            write_back(text, &options, &model);
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("line ") && !message.contains('\n'), "{message}");
        }
    }
});

/// Without a change the text is the same; what is changed is reproduced, or refused in one line.
fn write_back(text: &str, options: &UrdfOptions, model: &Model) {
    match rewrite(text, options, model) {
        Ok(new) => assert!(new.text == text && new.changes.is_empty() && new.not_written.is_empty(), "{new:?}"),
        Err(error) => panic!("{error}"),
    }
    let layout = model.parameter_layout();
    // All parameters at once, or one kind: steps that depend on the text alone.
    let kinds = [0..layout.len(), layout.inertial.clone(), layout.placement.clone(), layout.axis.start..layout.len()];
    let kind = kinds[text.len() % kinds.len()].clone();
    let step: Vec<_> =
        (0..layout.len()).map(|k| if kind.contains(&k) { 0.01 * ((k * 7 % 11) as f64 - 3.0) } else { 0.0 }).collect();
    let Ok(moved) = model.with_parameters_moved(&step) else { return };
    match rewrite(text, options, &moved) {
        Ok(new) => {
            let again = Model::from_urdf_text(&new.text, options).expect("is read").model;
            let twice = rewrite(&new.text, options, &again).expect("is the file's");
            assert!(twice.text == new.text);
        }
        Err(error @ RewriteError::NotReproduced { .. }) => {
            let size = model.standard_parameters().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(text.contains("mimic") || text.contains("armature") || !(1e-3..1e3).contains(&size), "{error}");
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
}
