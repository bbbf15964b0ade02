//! Rust: without the standard library, dependencies or unsafe code.

use super::names::check;
use super::packs::{Packed, signs};
use super::plan::{Operand, Plan, Statement, fused_product};
use super::{Options, Precision, header, literal, registers};
use crate::error::CodegenError;
use crate::function::{Function, Port};
use crate::math;
use crate::operation::{Binary, Id, Operation, Unary};
use std::fmt::Write as _;

/// A file of functions `pub fn NAME(input: &[f64; N], …, output: &mut [f64; M], …)`.
///
/// It uses `core` alone, unless a function has an exponential, logarithm or inverse sine, which only the standard library
/// has; the header says so. Functions of more than 2 000 statements are split.
///
/// With [`Options::legs`], functions of robots with equal subtrees are marked `#[target_feature(enable = "avx2")]` (Rust 1.87).
///
/// # Errors
/// [`CodegenError::Language`] for a name that is no name in Rust, a number that is not finite, and legs in registers together with several
/// states or single precision.
pub fn rust(functions: &[Function], options: &Options) -> Result<String, CodegenError> {
    let mut body = String::new();
    let mut width = 0;
    if options.legs && (options.lanes.is_some() || options.precision == Precision::F32) {
        let (function, reason) =
            ("all".to_owned(), "legs share registers of one state, in double precision".to_owned());
        return Err(CodegenError::Language { function, reason });
    }
    let mut needs_std = options.std || options.fuse;
    let mut stack = Vec::new();
    for function in functions {
        check(function)?;
        let writer = Writer { function, plan: Plan::of(function, options.fuse, options.legs), options };
        width = width.max(writer.plan.packs.width);
        needs_std |= writer.needs_std();
        let numbers = writer.plan.size + 2 * writer.plan.angles.len();
        stack.push(format!("{}: {} kept between its parts", function.name, bytes(numbers, options)));
        writer.write(&mut body);
    }
    let what = if needs_std { "Needs the standard library." } else { "Needs `core` alone: `no_std`." };
    let mut lines = vec![what.to_owned(), stack.join("; ")];
    if width > 0 {
        lines.push("Equal legs share registers of AVX2: unsafe to call where that may not be there.".into());
    }
    let mut text = header("//!", functions, options, &lines);
    text.push_str(
        "\n#![forbid(unsafe_code)]\n#![allow(clippy::all, clippy::pedantic, unused_variables, unused_parens)]\n",
    );
    let carried = match options.precision {
        Precision::F64 => math::CARRIED,
        Precision::F32 => math::CARRIED_F32,
    };
    if let Some(lanes) = options.lanes {
        _ = write!(text, "\n{}", LANES.replace("LANES", &lanes.to_string()).replace("REAL", real(options)));
    }
    if width > 0 {
        text.push_str(&registers::in_rust(width));
    }
    text.push_str(&body);
    text.push('\n');
    text.push_str(carried);
    Ok(text)
}

fn bytes(numbers: usize, options: &Options) -> String {
    let each = if options.precision == Precision::F64 { 8 } else { 4 };
    format!("{} bytes", numbers * each * options.lanes.unwrap_or(1))
}

fn real(options: &Options) -> &'static str {
    match options.precision {
        Precision::F64 => "f64",
        Precision::F32 => "f32",
    }
}

/// Operations of several states at once.
const LANES: &str = "/// One number of each state.
pub type Lanes = [REAL; LANES];
#[inline(always)]
#[allow(dead_code)]
fn map(x: Lanes, f: impl Fn(REAL) -> REAL) -> Lanes {
    core::array::from_fn(|i| f(x[i]))
}
#[inline(always)]
#[allow(dead_code)]
fn zip(x: Lanes, y: Lanes, f: impl Fn(REAL, REAL) -> REAL) -> Lanes {
    core::array::from_fn(|i| f(x[i], y[i]))
}
#[inline(always)]
#[allow(dead_code)]
fn fused(c: Lanes, d: Lanes, o: Lanes, f: impl Fn(REAL, REAL, REAL) -> REAL) -> Lanes {
    core::array::from_fn(|i| f(c[i], d[i], o[i]))
}
#[inline(always)]
#[allow(dead_code)]
fn choose(a: Lanes, b: Lanes, x: Lanes, y: Lanes) -> Lanes {
    core::array::from_fn(|i| if a[i] < b[i] { x[i] } else { y[i] })
}
";

/// A register of these numbers.
fn set(numbers: impl Iterator<Item = String>) -> String {
    format!("set([{}])", numbers.collect::<Vec<_>>().join(", "))
}

/// A number of a register.
fn lane(pack: usize, k: usize) -> String {
    format!("lane::<{k}>(p_{pack})")
}

struct Writer<'a> {
    function: &'a Function,
    plan: Plan,
    options: &'a Options,
}

impl Writer<'_> {
    /// The type of a number.
    fn number(&self) -> &'static str {
        if self.options.lanes.is_some() { "Lanes" } else { real(self.options) }
    }

    fn needs_std(&self) -> bool {
        let far = |node: &Operation| match node {
            Operation::Unary(op, _) => !matches!(op, Unary::Neg | Unary::Abs | Unary::Sqrt | Unary::Sin | Unary::Cos),
            Operation::Binary(op, ..) => *op == Binary::Atan2,
            _ => false,
        };
        self.function.graph.nodes().iter().any(far)
    }

    fn write(&self, text: &mut String) {
        let (function, number) = (self.function, self.number());
        let size = |port: &Port| format!("[{number}; {}]", port.len());
        let inputs: Vec<String> =
            function.inputs.iter().map(|port| format!("{}: &{}", port.name, size(port))).collect();
        let outputs: Vec<String> = function
            .outputs
            .iter()
            .map(|output| format!("{}: &mut {}", output.port.name, size(&output.port)))
            .collect();
        let (inputs, names) =
            (inputs.join(", "), function.inputs.iter().map(|port| port.name.as_str()).collect::<Vec<_>>());
        _ = writeln!(text, "\n/// {}.", function.counts());
        text.push_str(self.enabled());
        _ = writeln!(text, "pub fn {}({inputs}, {}) {{", function.name, outputs.join(", "));
        let angles = self.plan.angles.len();
        if angles > 0 {
            let of: Vec<String> = self.plan.angles.iter().map(|k| self.input(*k)).collect();
            if let Some(lanes) = self.options.lanes {
                // Across states: one call for all.
                _ = writeln!(text, "    let angles: [Lanes; {angles}] = [{}];", of.join(", "));
                _ = writeln!(
                    text,
                    "    let (mut x_s, mut x_c) = ([[0.0; {lanes}]; {angles}], [[0.0; {lanes}]; {angles}]);"
                );
                _ = writeln!(text, "    for k in 0..{angles} {{\n        (x_s[k], x_c[k]) = sines(angles[k]);\n    }}");
            } else {
                _ = writeln!(text, "    let (x_s, x_c) = sines([{}]);", of.join(", "));
            }
        }
        if let [chunk] = &self.plan.chunks[..] {
            for x in chunk {
                self.statement(text, *x);
            }
            self.results(text);
            text.push_str("}\n");
            return;
        }
        let zero = if self.options.lanes.is_some() { "[0.0; _]" } else { "0.0" };
        let zero = zero.replace('_', &self.options.lanes.unwrap_or(1).to_string());
        _ = writeln!(text, "    let mut x_w = [{zero}; {}];", self.plan.size);
        let (sines, pass) = match angles {
            0 => (String::new(), ""),
            n => (format!(", x_s: &[{number}; {n}], x_c: &[{number}; {n}]"), ", &x_s, &x_c"),
        };
        for k in 0..self.plan.chunks.len() {
            _ = writeln!(text, "    {}_part{k}({}{pass}, &mut x_w);", function.name, names.join(", "));
        }
        self.results(text);
        text.push_str("}\n");
        for (k, chunk) in self.plan.chunks.iter().enumerate() {
            _ = writeln!(
                text,
                "\n{}#[inline(never)]\nfn {}_part{k}({inputs}{sines}, x_w: &mut [{number}; {}]) {{",
                self.enabled(),
                function.name,
                self.plan.size
            );
            for (statement, at) in self.plan.reads(function.graph.nodes(), chunk) {
                match statement {
                    Statement::One(x) => _ = writeln!(text, "    let x_{x} = x_w[{at}];"),
                    Statement::Pack(pack) => {
                        let numbers = (at..at + self.plan.packs.width).map(|k| format!("x_w[{k}]"));
                        _ = writeln!(text, "    let p_{pack} = {};", set(numbers));
                    }
                }
            }
            for statement in chunk {
                self.statement(text, *statement);
                match (self.plan.kept.get(statement), *statement) {
                    (Some(at), Statement::One(x)) => _ = writeln!(text, "    x_w[{at}] = x_{x};"),
                    (Some(at), Statement::Pack(pack)) => {
                        for k in 0..self.plan.packs.width {
                            _ = writeln!(text, "    x_w[{}] = {};", at + k, lane(pack, k));
                        }
                    }
                    (None, _) => {}
                }
            }
            text.push_str("}\n");
        }
    }

    /// An input by its number.
    fn input(&self, number: u32) -> String {
        let place = self.function.place_of(number);
        place.map_or("0.0".to_owned(), |(port, k)| format!("{}[{k}]", self.function.inputs[port].name))
    }

    /// A node where it is used.
    fn operand(&self, x: Id) -> String {
        match self.function.graph.nodes()[x as usize] {
            Operation::Input(number) => self.input(number),
            Operation::Constant(bits) => {
                let x = f64::from_bits(bits);
                let one = match self.options.precision {
                    Precision::F64 => literal(x),
                    Precision::F32 => format!("{:?}", x as f32),
                };
                match (self.options.lanes, x < 0.0) {
                    (Some(lanes), _) => format!("[{one}; {lanes}]"),
                    (None, true) => format!("({one})"),
                    (None, false) => one,
                }
            }
            Operation::Unary(op @ (Unary::Sin | Unary::Cos), y) => {
                match self.plan.angle(self.function.graph.nodes(), y) {
                    Some(k) => format!("{}[{k}]", if op == Unary::Sin { "x_s" } else { "x_c" }),
                    None => format!("x_{x}"),
                }
            }
            _ => self.plan.packs.place(x).map_or_else(|| format!("x_{x}"), |(pack, k)| lane(pack, k)),
        }
    }

    /// What functions are marked with that use registers.
    fn enabled(&self) -> &'static str {
        if self.plan.packs.width > 0 { registers::ENABLED } else { "" }
    }

    fn packed(&self, is: &Packed) -> String {
        let of = |all: &[Id]| match self.plan.operand(all) {
            Operand::Pack(pack) => format!("p_{pack}"),
            Operand::All(x) => format!("set([{}; {}])", self.operand(x), all.len()),
            Operand::Each(all) => set(all.iter().map(|x| self.operand(*x))),
        };
        match is {
            Packed::Neg(x) => format!("neg({})", of(x)),
            Packed::Product(x, y) => format!("mul({}, {})", of(x), of(y)),
            Packed::Quotient(x, y) => format!("div({}, {})", of(x), of(y)),
            Packed::Sum([x, y], minus) => {
                let (op, [x_signs, y_signs]) = signs(minus);
                let with = |x: &[Id], signs: Option<Vec<f64>>| match signs {
                    Some(signs) => format!("mul({}, {})", of(x), set(signs.into_iter().map(literal))),
                    None => of(x),
                };
                format!("{}({}, {})", op.to_lowercase(), with(x, x_signs), with(y, y_signs))
            }
        }
    }

    fn statement(&self, text: &mut String, statement: Statement) {
        let x = match statement {
            Statement::One(x) => x,
            Statement::Pack(pack) => {
                _ = writeln!(text, "    let p_{pack} = {};", self.packed(&self.plan.packs.all[pack].is));
                return;
            }
        };
        let value = match self.options.lanes {
            None => self.value(x),
            Some(_) => self.value_in_lanes(x),
        };
        _ = writeln!(text, "    let x_{x} = {value};");
    }

    fn value(&self, x: Id) -> String {
        let nodes = self.function.graph.nodes();
        let node = nodes[x as usize];
        let of = |x: Id| self.operand(x);
        if let Some(product) = fused_product(nodes, &node, |x| self.plan.fused[x as usize])
            && let (Operation::Binary(op, a, b), Operation::Binary(_, c, d)) = (node, nodes[product as usize])
        {
            let real = real(self.options);
            return match (op, product == a) {
                (Binary::Add, true) => format!("{real}::mul_add({}, {}, {})", of(c), of(d), of(b)),
                (Binary::Add, false) => format!("{real}::mul_add({}, {}, {})", of(c), of(d), of(a)),
                (_, true) => format!("{real}::mul_add({}, {}, -{})", of(c), of(d), of(b)),
                (_, false) => format!("{real}::mul_add(-{}, {}, {})", of(c), of(d), of(a)),
            };
        }
        match node {
            Operation::Unary(op, y) => {
                let y = of(y);
                match op {
                    Unary::Neg => format!("-{y}"),
                    Unary::Abs => format!("({y}).abs()"),
                    Unary::Sqrt if self.options.std => format!("({y}).sqrt()"),
                    Unary::Sqrt => format!("sqrt({y})"),
                    Unary::Sin => format!("sin_cos({y}).0"),
                    Unary::Cos => format!("sin_cos({y}).1"),
                    Unary::Exp => format!("({y}).exp()"),
                    Unary::ExpM1 => format!("({y}).exp_m1()"),
                    Unary::Ln => format!("({y}).ln()"),
                    Unary::Asin => format!("({y}).asin()"),
                    Unary::Acos => format!("({y}).acos()"),
                    Unary::Atan => format!("({y}).atan()"),
                }
            }
            Operation::Binary(op, a, b) => {
                let (a, b) = (of(a), of(b));
                match op {
                    Binary::Add => format!("{a} + {b}"),
                    Binary::Sub => format!("{a} - {b}"),
                    Binary::Mul => format!("{a} * {b}"),
                    Binary::Div => format!("{a} / {b}"),
                    Binary::Atan2 => format!("{}::atan2({a}, {b})", real(self.options)),
                }
            }
            Operation::Select([a, b, x, y]) => format!("if {} < {} {{ {} }} else {{ {} }}", of(a), of(b), of(x), of(y)),
            Operation::Input(_) | Operation::Constant(_) => of(x),
        }
    }

    fn value_in_lanes(&self, x: Id) -> String {
        let nodes = self.function.graph.nodes();
        let node = nodes[x as usize];
        let of = |x: Id| self.operand(x);
        if let Some(product) = fused_product(nodes, &node, |x| self.plan.fused[x as usize])
            && let (Operation::Binary(op, a, b), Operation::Binary(_, c, d)) = (node, nodes[product as usize])
        {
            let (other, f) = match (op, product == a) {
                (Binary::Add, true) => (of(b), "c.mul_add(d, o)"),
                (Binary::Add, false) => (of(a), "c.mul_add(d, o)"),
                (_, true) => (of(b), "c.mul_add(d, -o)"),
                (_, false) => (of(a), "(-c).mul_add(d, o)"),
            };
            return format!("fused({}, {}, {other}, |c, d, o| {f})", of(c), of(d));
        }
        match node {
            Operation::Unary(op, y) => {
                let y = of(y);
                let f = match op {
                    Unary::Neg => "-x",
                    Unary::Abs => "x.abs()",
                    Unary::Sqrt if self.options.std => "x.sqrt()",
                    Unary::Sqrt => "sqrt(x)",
                    Unary::Sin => return format!("sines({y}).0"),
                    Unary::Cos => return format!("sines({y}).1"),
                    Unary::Exp => "x.exp()",
                    Unary::ExpM1 => "x.exp_m1()",
                    Unary::Ln => "x.ln()",
                    Unary::Asin => "x.asin()",
                    Unary::Acos => "x.acos()",
                    Unary::Atan => "x.atan()",
                };
                format!("map({y}, |x| {f})")
            }
            Operation::Binary(op, a, b) => {
                let f = match op {
                    Binary::Add => "x + y",
                    Binary::Sub => "x - y",
                    Binary::Mul => "x * y",
                    Binary::Div => "x / y",
                    Binary::Atan2 => "x.atan2(y)",
                };
                format!("zip({}, {}, |x, y| {f})", of(a), of(b))
            }
            Operation::Select([a, b, x, y]) => format!("choose({}, {}, {}, {})", of(a), of(b), of(x), of(y)),
            Operation::Input(_) | Operation::Constant(_) => of(x),
        }
    }

    fn results(&self, text: &mut String) {
        for output in &self.function.outputs {
            for (k, x) in output.nodes.iter().enumerate() {
                let value = match self.plan.place(*x) {
                    Some(at) if self.plan.chunks.len() > 1 => format!("x_w[{at}]"),
                    _ => self.operand(*x),
                };
                _ = writeln!(text, "    {}[{k}] = {value};", output.port.name);
            }
        }
    }
}
