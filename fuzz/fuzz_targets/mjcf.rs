//! Any text is refused with a message of one line, or gives a model whose inverse dynamics can be asked for; written back it is the
//! same text.
//!
//! Run with `cargo +nightly fuzz run mjcf -- -dict=fuzz/mjcf.dict`, from the repository's root. The first byte chooses the options, the
//! rest is the text; what it includes, and its meshes, is the text itself or a small mesh.
#![no_main]

use gradyn::model::Model;
use gradyn::model::mjcf::{Files, MimicForm, MjcfOptions, rewrite};
use gradyn::once;
use libfuzzer_sys::fuzz_target;

const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fuzz_target!(|data: &[u8]| {
    let Some((choices, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let chosen = |bit: u8| choices & (1 << bit) != 0;
    let own = text.to_owned();
    let files = Files::new(move |path| Ok(if path.ends_with(".obj") { MESH.into() } else { own.clone().into_bytes() }));
    let mut options =
        MjcfOptions::new().files(files).equality(if chosen(0) { MimicForm::Independent } else { MimicForm::Follow });
    if chosen(1) {
        options = options.friction_width(0.01);
    }
    match Model::from_mjcf_text(text, &options) {
        Ok(loaded) => {
            let model = &loaded.model;
            let ones = vec![1.0; model.nv()];
            assert!(model.check_configuration(&loaded.reference).is_ok());
            if let Ok(tau) = once::rnea(model, &loaded.reference, &ones, &ones, &[]) {
                assert!(tau.iter().all(|x| x.is_finite()));
            }
            let _ = (loaded.report.to_string(), loaded.constraints());
            match rewrite(text, &options, model) {
                Ok(new) => assert!(new.text == text && new.changes.is_empty() && new.not_written.is_empty(), "{new:?}"),
                Err(error) => panic!("{error}"),
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n'), "{message}");
        }
    }
});
