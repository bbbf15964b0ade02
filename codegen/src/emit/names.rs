//! Names and numbers that every language takes.

use crate::error::CodegenError;
use crate::function::Function;
use crate::operation::Operation;
use std::collections::HashSet;

/// Names become names of other languages, and numbers are finite.
pub(super) fn check_names(functions: &[Function]) -> Result<(), CodegenError> {
    functions.iter().try_for_each(check)
}

pub(super) fn check(function: &Function) -> Result<(), CodegenError> {
    let refuse = |reason: String| Err(CodegenError::Language { function: function.name.clone(), reason });
    let names = function.inputs.iter().chain(function.outputs.iter().map(|output| &output.port)).map(|port| &port.name);
    let mut seen = HashSet::new();
    for (name, is_port) in names.map(|name| (name, true)).chain([(&function.name, false)]) {
        let good = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !good || name.starts_with("x_") {
            return refuse(format!("`{name}` is not a name: expected letters, digits and `_`"));
        }
        if is_port && !seen.insert(name) {
            return refuse(format!("`{name}` stands there twice"));
        }
    }
    for node in function.graph.nodes() {
        if let Operation::Constant(bits) = node
            && !f64::from_bits(*bits).is_finite()
        {
            return refuse(format!("a constant is {}", f64::from_bits(*bits)));
        }
    }
    Ok(())
}
