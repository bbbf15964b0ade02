//! A robot that is read is refused by a writer in one line, or written as a text that is read again: with as many velocities, and if
//! its joints are hinges and slides and its numbers moderate, with the same inverse dynamics.
//!
//! Run with `cargo +nightly fuzz run write -- -dict=fuzz/mjcf.dict`, from the repository's root. The first byte chooses the format that is
//! read, the rest is the text.
#![no_main]

use gradyn::Model;
use gradyn::joint::JointKind;
use gradyn::model::mjcf::MjcfOptions;
use gradyn::model::sdf::SdfOptions;
use gradyn::model::source::Format;
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::write::{LeaveOut, WriteOptions};
use gradyn::once;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choices, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let format = [Format::Urdf, Format::Mjcf, Format::Sdf][usize::from(choices % 3)];
    let Ok(model) = read(format, text, choices & 8 != 0, 0.01) else { return };
    for format in [Format::Urdf, Format::Mjcf] {
        let written = match model.write(format, &WriteOptions::new().leave_out(LeaveOut::Anything)) {
            Ok(written) => written,
            Err(error) => {
                assert!(!error.to_string().contains('\n'), "{error}");
                continue;
            }
        };
        let again = read(format, &written.text, false, model.friction_width());
        let again = again.unwrap_or_else(|error| panic!("{format:?}: {error}\n{}", written.text));
        assert_eq!(model.nv(), again.nv(), "{format:?}\n{}", written.text);
        if written.left_out.is_empty() && is_moderate(&model) {
            assert_same_dynamics(&model, &again, &written.text);
        }
    }
});

fn read(format: Format, text: &str, floating: bool, width: f64) -> Result<Model, String> {
    match format {
        Format::Urdf => Model::from_urdf_text(text, &UrdfOptions::new().floating_base(floating))
            .map(|loaded| loaded.model)
            .map_err(|error| error.to_string()),
        Format::Mjcf => Model::from_mjcf_text(text, &MjcfOptions::new().friction_width(width))
            .map(|loaded| loaded.model)
            .map_err(|error| error.to_string()),
        _ => {
            Model::from_sdf_text(text, &SdfOptions::new()).map(|loaded| loaded.model).map_err(|error| error.to_string())
        }
    }
}

/// Whether torques can be compared: the joints have one coordinate each, and no number is so large that others vanish beside it.
fn is_moderate(model: &Model) -> bool {
    let is_single = model.bodies().iter().all(|body| body.joint().nq() <= 1 && body.joint().nv() <= 1);
    let mut numbers = model.standard_parameters();
    numbers.extend(model.gravity().iter());
    numbers.extend(model.bodies().iter().flat_map(|body| body.placement().translation.iter()));
    is_single && numbers.iter().all(|x| x.abs() < 1e3)
}

fn assert_same_dynamics(model: &Model, again: &Model, text: &str) {
    let q: Vec<f64> = (0..model.nq()).map(|k| 0.3 + 0.1 * k as f64).collect();
    let v: Vec<f64> = (0..model.nv()).map(|k| 0.5 - 0.2 * (k % 5) as f64).collect();
    let tau = [model, again].map(|model| once::rnea(model, &q, &v, &v, &[]).expect("runs"));
    // Of the largest: three angles of a rotation lose digits where the middle one is near 90°, and long trees gather it.
    let size = tau[0].iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    let off = tau[0].iter().zip(&tau[1]).fold(0.0, |off: f64, (a, b)| off.max((a - b).abs()));
    assert!(off <= 1e-9 * size, "{tau:?}\n{text}");
}
