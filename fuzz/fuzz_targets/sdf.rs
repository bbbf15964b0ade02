//! Any text is refused with a message of one line, or gives a model whose inverse dynamics can be asked for, and loops that
//! are constraints or are refused; the same text as SRDF never panics.
//!
//! Run with `cargo +nightly fuzz run sdf -- -dict=fuzz/sdf.dict`, from the repository's root. The first byte chooses the options, the
//! rest is the text.
#![no_main]

use gradyn::dynamics::Constraint;
use gradyn::model::Model;
use gradyn::model::sdf::SdfOptions;
use gradyn::model::source::Files;
use gradyn::model::srdf::Srdf;
use gradyn::once;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choices, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let chosen = |bit: u8| choices & (1 << bit) != 0;
    // An include finds the text itself.
    let own = text.to_owned();
    let files =
        Files::new(move |path| if path.len() < 12 { Ok(own.clone().into_bytes()) } else { Err("no".to_owned()) });
    let mut options = SdfOptions::new().fixed_base(chosen(0)).files(files);
    if chosen(1) {
        options = options.model("m");
    }
    match Model::from_sdf_text(text, &options) {
        Ok(loaded) => {
            let model = loaded.model;
            let v = vec![1.0; model.nv()];
            if let Ok(tau) = once::rnea(&model, &loaded.configuration, &v, &v, &[]) {
                assert!(tau.iter().all(|x| x.is_finite()));
            }
            let constraints: Result<Vec<_>, _> = loaded.loops.iter().map(Constraint::of_loop).collect();
            if let Ok(constraints) = constraints {
                let _ = once::constraint_dynamics(&model, &loaded.configuration, &v, &v, &constraints, &[]);
            }
            let _ = loaded.report.to_string();
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n'), "{message}");
        }
    }
    if let Ok(srdf) = Srdf::from_text(text) {
        let _ = srdf.report.to_string();
    }
});
