//! `docs/robots.md` has the table that the reader has.

use gradyn::model::mjcf::table;
use std::fs;

/// `GRADYN_WRITE_DOCS=1 cargo test --test all mjcf::documentation` writes it anew.
#[test]
fn the_table_of_the_documentation_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/robots.md");
    let (begin, end) = ("<!-- table of MJCF: begin -->\n", "<!-- table of MJCF: end -->");
    let text = fs::read_to_string(path).expect("docs/robots.md can be read");
    let (before, rest) = text.split_once(begin).expect("has the beginning of the table");
    let (written, after) = rest.split_once(end).expect("has the end of the table");
    if std::env::var_os("GRADYN_WRITE_DOCS").is_some() {
        fs::write(path, [before, begin, &table(), end, after].concat()).expect("can be written");
    } else {
        assert_eq!(written, table(), "docs/robots.md is old: GRADYN_WRITE_DOCS=1 writes it");
    }
}
