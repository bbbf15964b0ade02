//! A test beside generated code: states, and right values of the engine.

use super::plan::Plan;
use super::{Options, literal};
use crate::function::Function;
use std::fmt::Write as _;

/// States and right values of a function.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// Of each case, the inputs, one after the other.
    pub inputs: Vec<Vec<Vec<f64>>>,
    /// The outputs, column by column.
    pub outputs: Vec<Vec<Vec<f64>>>,
    /// How far generated code may be from these, of the largest entry of an output.
    pub tolerance: f64,
}

/// A test in Rust: `mod generated` is the file beside it, written with these options.
#[must_use]
pub fn rust_test(module: &str, functions: &[(Function, Cases)], options: &Options) -> String {
    let mut text = format!(
        "//! Values of the engine that `{module}` must give. Made by gradyn-codegen: do not edit.\n//! Run: `rustc --edition 2024 --test {module}_test.rs && ./{module}_test`\n\n"
    );
    _ = writeln!(text, "#[path = \"{module}.rs\"]\nmod {module};\n");
    text.push_str(NEAR);
    let numbers = |x: &[f64]| format!("[{}]", x.iter().map(|x| literal(*x)).collect::<Vec<_>>().join(", "));
    for (function, cases) in functions {
        _ = writeln!(text, "\n#[test]\nfn {}() {{", function.name);
        let is_marked = Plan::of(function, options.fuse, options.legs).packs.width > 0;
        if is_marked {
            text.push_str("    if !std::is_x86_feature_detected!(\"avx2\") {\n        return;\n    }\n");
        }
        for (inputs, outputs) in cases.inputs.iter().zip(&cases.outputs) {
            let mut arguments: Vec<String> = inputs.iter().map(|x| format!("&{}", numbers(x))).collect();
            text.push_str("    {\n");
            for (output, expected) in function.outputs.iter().zip(outputs) {
                let name = &output.port.name;
                _ = writeln!(text, "        let mut {name} = [0.0; {}];", expected.len());
                arguments.push(format!("&mut {name}"));
            }
            let call = format!("{module}::{}({});", function.name, arguments.join(", "));
            let call = if is_marked { format!("unsafe {{ {call} }} // the processor has AVX2") } else { call };
            _ = writeln!(text, "        {call}");
            for (output, expected) in function.outputs.iter().zip(outputs) {
                let name = &output.port.name;
                _ = writeln!(text, "        near(\"{name}\", &{name}, &{}, {:e});", numbers(expected), cases.tolerance);
            }
            text.push_str("    }\n");
        }
        text.push_str("}\n");
    }
    text
}

const NEAR: &str = "fn near(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let scale = expected.iter().fold(1e-300_f64, |most, x| most.max(x.abs()));
    for (k, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, \"{name}[{k}]: {x:e}, expected {y:e}\");
    }
}
";
