//! Any file of claims is refused with a message, or gives a table: JSON, CSV, NumPy's `.npz`, and a single array of one.
//!
//! Run with `cargo +nightly fuzz run claims`, from the repository's root. The first byte chooses the form, the rest is
//! the file. The readers are those of the command line, by their files.
#![no_main]
#![allow(dead_code)]

use libfuzzer_sys::fuzz_target;

#[path = "../../cli/src/claims/csv.rs"]
mod csv;
#[path = "../../cli/src/claims/json.rs"]
mod json;
#[path = "../../cli/src/claims/npy.rs"]
mod npy;
#[path = "../../cli/src/claims/npz.rs"]
mod npz;
#[path = "../../cli/src/states/json.rs"]
mod states_json;
#[path = "../../cli/src/claims/table.rs"]
mod table;

mod states {
    pub(crate) use crate::states_json as json;
}

fuzz_target!(|data: &[u8]| {
    let Some((form, bytes)) = data.split_first() else { return };
    let text = || std::str::from_utf8(bytes).ok();
    let refused = match form % 4 {
        0 => text().and_then(|text| csv::read(text).err()),
        1 => text().and_then(|text| json::read(text).err()),
        2 => npz::read(bytes).err(),
        _ => npy::read(bytes).err(),
    };
    assert_ne!(refused.as_deref(), Some(""));
});
