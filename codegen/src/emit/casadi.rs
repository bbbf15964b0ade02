//! CasADi's Python: functions of `SX` or `MX`, for whoever builds problems there.

use super::{Options, header, literal};
use crate::error::CodegenError;
use crate::function::{Function, Port};
use crate::operation::{Binary, Id, Operation, Unary};
use std::fmt::Write as _;

/// A Python module with a function of each, `NAME(q, v, …)`, which takes and gives CasADi's matrices, symbolic or not; of
/// several outputs a tuple.
///
/// # Errors
/// [`CodegenError::Language`]
pub fn casadi(functions: &[Function], options: &Options) -> Result<String, CodegenError> {
    super::names::check_names(functions)?;
    let lines = header("#", functions, options, &["Takes and gives matrices of CasADi: SX, or numbers.".to_owned()]);
    let mut text = format!("{lines}\nimport casadi as _ca\n");
    for function in functions {
        write(&mut text, function);
    }
    Ok(text)
}

fn write(text: &mut String, function: &Function) {
    let names: Vec<&str> = function.inputs.iter().map(|port| port.name.as_str()).collect();
    _ = writeln!(text, "\n\ndef {}({}):", function.name, names.join(", "));
    for port in &function.inputs {
        let (name, rows, columns) = (&port.name, port.rows, port.columns);
        _ = writeln!(text, "    {name} = _ca.vec({name}) if hasattr({name}, \"nnz\") else _ca.vec(_ca.DM({name}))");
        _ = writeln!(text, "    if {name}.numel() != {}:", port.len());
        _ = writeln!(
            text,
            "        raise ValueError(f\"`{name}` has {{{name}.numel()}} numbers, expected {rows} x {columns}\")"
        );
    }
    let nodes = function.graph.nodes();
    let of = |x: Id| operand(function, x);
    for (x, node) in nodes.iter().enumerate() {
        let value = match *node {
            Operation::Input(_) | Operation::Constant(_) => continue,
            Operation::Unary(op, y) => {
                let f = match op {
                    Unary::Neg => "-",
                    Unary::Abs => "_ca.fabs",
                    Unary::Sqrt => "_ca.sqrt",
                    Unary::Sin => "_ca.sin",
                    Unary::Cos => "_ca.cos",
                    Unary::Exp => "_ca.exp",
                    Unary::ExpM1 => "_ca.expm1",
                    Unary::Ln => "_ca.log",
                    Unary::Asin => "_ca.asin",
                    Unary::Acos => "_ca.acos",
                    Unary::Atan => "_ca.atan",
                };
                format!("{f}({})", of(y))
            }
            Operation::Binary(op, a, b) => {
                let (a, b) = (of(a), of(b));
                match op {
                    Binary::Add => format!("{a} + {b}"),
                    Binary::Sub => format!("{a} - {b}"),
                    Binary::Mul => format!("{a} * {b}"),
                    Binary::Div => format!("{a} / {b}"),
                    Binary::Atan2 => format!("_ca.atan2({a}, {b})"),
                }
            }
            Operation::Select([a, b, x, y]) => format!("_ca.if_else({} < {}, {}, {})", of(a), of(b), of(x), of(y)),
        };
        _ = writeln!(text, "    x{x} = {value}");
    }
    let result = |port: &Port, nodes: &[Id]| {
        let numbers: Vec<String> = nodes.iter().map(|x| of(*x)).collect();
        format!("_ca.reshape(_ca.vertcat({}), {}, {})", numbers.join(", "), port.rows, port.columns)
    };
    let results: Vec<String> = function.outputs.iter().map(|output| result(&output.port, &output.nodes)).collect();
    _ = writeln!(text, "    return {}", results.join(", "));
}

fn operand(function: &Function, x: Id) -> String {
    match function.graph.nodes()[x as usize] {
        Operation::Input(number) => {
            let place = function.place_of(number);
            place.map_or("0.0".to_owned(), |(port, k)| format!("{}[{k}]", function.inputs[port].name))
        }
        Operation::Constant(bits) => match f64::from_bits(bits) {
            x if x < 0.0 => format!("({})", literal(x)),
            x => literal(x),
        },
        _ => format!("x{x}"),
    }
}
