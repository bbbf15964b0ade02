//! Any file of a mesh is refused with a message of one line, or gives a body a mass that dynamics can use.
//!
//! Run with `cargo +nightly fuzz run mesh`, from the repository's root. The first byte chooses the ending of the file's name and how its
//! inertia is taken, the rest is the file.
#![no_main]

use gradyn::model::Model;
use gradyn::model::mjcf::{Files, MjcfOptions};
use gradyn::once;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, mesh)) = data.split_first() else { return };
    let ending = ["stl", "obj", "msh"][usize::from(choice % 3)];
    let way = ["legacy", "exact", "shell"][usize::from(choice / 3 % 3)];
    let mesh = mesh.to_vec();
    let options = MjcfOptions::new().files(Files::new(move |_| Ok(mesh.clone())));
    let text = format!(
        "<mujoco><asset><mesh name='m' file='m.{ending}' inertia='{way}'/></asset>
         <worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
    );
    match Model::from_mjcf_text(&text, &options) {
        Ok(loaded) => {
            if let Ok(tau) = once::rnea(&loaded.model, &[0.5], &[1.0], &[1.0], &[]) {
                assert!(tau.iter().all(|x| x.is_finite()));
            }
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
});
