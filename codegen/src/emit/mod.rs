//! Graphs as code: Rust, C, and CasADi's Python.

mod c;
mod casadi;
mod names;
mod packs;
mod plan;
mod registers;
mod rust;
mod tests_beside;

pub use c::c;
pub use casadi::casadi;
pub use rust::rust;
pub use tests_beside::{Cases, rust_test};

use crate::function::Function;
use gradyn::Model;
use std::fmt::Write as _;

/// Numbers of generated code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the type of its name")]
pub enum Precision {
    #[default]
    F64,
    F32,
}

/// How code is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// The robot, for the header.
    pub robot: String,
    /// A hash of its model, for the header.
    pub hash: u64,
    /// Rust alone: the numbers.
    pub precision: Precision,
    /// Rust alone: with the standard library, whose square root is one instruction.
    pub std: bool,
    /// Products and sums as one operation, rounded once: fast where the processor has it, slow elsewhere; other last digits.
    pub fuse: bool,
    /// Rust alone: so many states at once, each number an array of them.
    pub lanes: Option<usize>,
    /// Equal subtrees of the robot, two or four legs, share registers where that pays. C has them everywhere by its compiler's vectors; in
    /// Rust functions are for processors with AVX2, `#[target_feature(enable = "avx2")]`, and unsafe to call from others.
    pub legs: bool,
}

impl Options {
    /// For a robot.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        Self {
            robot: model.name().to_owned(),
            hash: hash(model),
            precision: Precision::F64,
            std: false,
            fuse: false,
            lanes: None,
            legs: false,
        }
    }
}

/// FNV-1a of the model as a document: the same on every machine.
fn hash(model: &Model) -> u64 {
    let text = serde_json::to_string(model).unwrap_or_default();
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The lines that a file begins with, each behind `mark`.
fn header(mark: &str, functions: &[Function], options: &Options, more: &[String]) -> String {
    let mut text = String::new();
    let mut line = |of: &str| _ = writeln!(text, "{}", format!("{mark} {of}").trim_end());
    line(&format!(
        "Robot `{}`, model {:016x}. Made by gradyn-codegen {}: do not edit.",
        one_line(&options.robot),
        options.hash,
        env!("CARGO_PKG_VERSION")
    ));
    line("");
    line("Inputs count as finite numbers: `x · 0` was taken for 0. Matrices are column by column.");
    for of in more {
        line(of);
    }
    for function in functions {
        line("");
        let port = |port: &crate::Port| match port.columns {
            1 => format!("{}[{}]", port.name, port.rows),
            columns => format!("{}[{} x {columns}]", port.name, port.rows),
        };
        let inputs: Vec<String> = function.inputs.iter().map(port).collect();
        let outputs: Vec<String> = function.outputs.iter().map(|output| port(&output.port)).collect();
        line(&format!("{}: {} -> {}", function.name, inputs.join(", "), outputs.join(", ")));
        line(&format!("  {}", function.counts()));
    }
    text
}

/// Without what would end a comment's line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().replace("*/", "* /")
}

/// A number as all three languages write it.
fn literal(x: f64) -> String {
    format!("{x:?}")
}
