//! The command `gradyn`.
fn main() {}
