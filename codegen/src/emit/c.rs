//! C99, called as CasADi calls functions: `casadi.external` and acados load the compiled file as it is.

use super::packs::{Packed, signs};
use super::plan::{Operand, Plan, Statement, fused_product};
use super::{Options, header, literal, registers};
use crate::error::CodegenError;
use crate::function::{Function, Port};
use crate::operation::{Binary, Id, Operation, Unary};
use std::fmt::Write as _;

/// What each file carries.
const CARRIED: &str = include_str!("carried.h");

/// A file of functions `int NAME(const double** arg, double** res, long long* iw, double* w, int mem)` with their patterns.
///
/// Missing inputs (null) are zero, missing outputs are not written. Of each function that is followed by `jac_NAME`
/// ([`Function::jacobian_for_casadi`]), CasADi takes derivatives from there. Outputs have the numbers that are not zero everywhere.
///
/// # Errors
/// [`CodegenError::Language`]
pub fn c(functions: &[Function], options: &Options) -> Result<String, CodegenError> {
    super::names::check_names(functions)?;
    let more = "C99 with the calling convention of CasADi's generated code.".to_owned();
    let text = header("   ", functions, options, &[more]).replace("/*", "/ *");
    let mut text = format!("/* {}*/\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n", text.trim_start());
    text.push_str(CARRIED);
    let plans = functions.iter().map(|function| Plan::of(function, options.fuse, options.legs));
    let writers: Vec<_> = functions.iter().zip(plans).map(|(function, plan)| Writer { function, plan }).collect();
    if let Some(width) = writers.iter().map(|writer| writer.plan.packs.width).find(|width| *width > 0) {
        text.push_str(&registers::in_c(width));
    }
    writers.iter().for_each(|writer| writer.write(&mut text));
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n");
    Ok(text)
}

struct Writer<'a> {
    function: &'a Function,
    plan: Plan,
}

impl Writer<'_> {
    fn write(&self, text: &mut String) {
        let (function, name) = (self.function, &self.function.name);
        let inputs = &function.inputs;
        let most = inputs.iter().map(Port::len).max().unwrap_or(1).max(1);
        let parameters: Vec<String> = (0..inputs.len()).map(|k| format!("const double* a{k}")).collect();
        let (parameters, pass) =
            (parameters.join(", "), (0..inputs.len()).map(|k| format!("a{k}")).collect::<Vec<_>>());
        let angles = self.plan.angles.len();
        if let [_, _, ..] = &self.plan.chunks[..] {
            for (k, chunk) in self.plan.chunks.iter().enumerate() {
                _ = writeln!(
                    text,
                    "\nstatic void {name}_part{k}({parameters}, const double* s, const double* c, double* w) {{"
                );
                for (statement, at) in self.plan.reads(function.graph.nodes(), chunk) {
                    match statement {
                        Statement::One(x) => _ = writeln!(text, "  const double x{x} = w[{at}];"),
                        Statement::Pack(pack) => {
                            let numbers: Vec<String> =
                                (at..at + self.plan.packs.width).map(|k| format!("w[{k}]")).collect();
                            _ = writeln!(text, "  const {} p{pack} = {};", self.pack(), self.set(&numbers));
                        }
                    }
                }
                for statement in chunk {
                    self.statement(text, *statement);
                    match (self.plan.kept.get(statement), *statement) {
                        (Some(at), Statement::One(x)) => _ = writeln!(text, "  w[{at}] = x{x};"),
                        (Some(at), Statement::Pack(pack)) => {
                            for k in 0..self.plan.packs.width {
                                _ = writeln!(text, "  w[{}] = {};", at + k, self.lane(pack, k));
                            }
                        }
                        (None, _) => {}
                    }
                }
                text.push_str("}\n");
            }
        }
        _ = writeln!(
            text,
            "\nint {name}(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem) {{"
        );
        _ = writeln!(text, "  static const double zeros[{most}];");
        for k in 0..inputs.len() {
            _ = writeln!(text, "  const double* a{k} = arg[{k}] ? arg[{k}] : zeros;");
        }
        if angles > 0 {
            let of: Vec<String> = self.plan.angles.iter().map(|k| self.input(*k)).collect();
            _ = writeln!(text, "  double angles[{angles}] = {{{}}}, s[{angles}], c[{angles}];", of.join(", "));
            _ = writeln!(text, "  gradyn_sines({angles}, angles, s, c);");
        } else {
            text.push_str("  const double *s = 0, *c = 0;\n");
        }
        if let [chunk] = &self.plan.chunks[..] {
            for x in chunk {
                self.statement(text, *x);
            }
        } else {
            for k in 0..self.plan.chunks.len() {
                _ = writeln!(text, "  {name}_part{k}({}, s, c, w);", pass.join(", "));
            }
        }
        for (o, output) in function.outputs.iter().enumerate() {
            _ = writeln!(text, "  if (res[{o}]) {{");
            for (place, k) in function.pattern(o).into_iter().enumerate() {
                let x = output.nodes[k];
                let value = match self.plan.place(x) {
                    Some(at) if self.plan.chunks.len() > 1 => format!("w[{at}]"),
                    _ => self.operand(x),
                };
                _ = writeln!(text, "    res[{o}][{place}] = {value};");
            }
            text.push_str("  }\n");
        }
        text.push_str("  (void)iw; (void)w; (void)mem; (void)s; (void)c;\n");
        for k in 0..inputs.len() {
            _ = writeln!(text, "  (void)a{k};");
        }
        text.push_str("  return 0;\n}\n");
        self.write_patterns(text);
    }

    fn write_patterns(&self, text: &mut String) {
        let (function, name) = (self.function, &self.function.name);
        let dense = |port: &Port| format!("{{{}, {}, 1}}", port.rows, port.columns);
        let none = |port: &Port| {
            let columns = vec!["0"; port.columns + 1].join(", ");
            format!("{{{}, {}, {columns}}}", port.rows, port.columns)
        };
        // Of Jacobians, outputs that are given and not read.
        let is_read = |port: &Port| !(name.starts_with("jac_") && port.name.starts_with("out_"));
        let pattern = |port: &Port| if is_read(port) { dense(port) } else { none(port) };
        let inputs: Vec<(&str, String)> =
            function.inputs.iter().map(|port| (port.name.as_str(), pattern(port))).collect();
        let outputs: Vec<(&str, String)> = function
            .outputs
            .iter()
            .enumerate()
            .map(|(o, output)| (output.port.name.as_str(), compressed(&output.port, &function.pattern(o))))
            .collect();
        for (side, list) in [("in", &inputs), ("out", &outputs)] {
            let count = list.len();
            _ = writeln!(text, "casadi_int {name}_n_{side}(void) {{ return {count}; }}");
            _ = writeln!(text, "const char* {name}_name_{side}(casadi_int i) {{\n  switch (i) {{");
            for (i, (of, _)) in list.iter().enumerate() {
                _ = writeln!(text, "    case {i}: return \"{of}\";");
            }
            text.push_str("    default: return 0;\n  }\n}\n");
            _ = writeln!(text, "const casadi_int* {name}_sparsity_{side}(casadi_int i) {{");
            for (i, (_, pattern)) in list.iter().enumerate() {
                _ = writeln!(text, "  static const casadi_int p{i}[] = {pattern};");
            }
            text.push_str("  switch (i) {\n");
            for i in 0..count {
                _ = writeln!(text, "    case {i}: return p{i};");
            }
            text.push_str("    default: return 0;\n  }\n}\n");
        }
        _ = writeln!(
            text,
            "int {name}_work(casadi_int* sz_arg, casadi_int* sz_res, casadi_int* sz_iw, casadi_int* sz_w) {{"
        );
        let size = [("sz_arg", inputs.len()), ("sz_res", outputs.len()), ("sz_iw", 0), ("sz_w", self.plan.size)];
        for (what, size) in size {
            _ = writeln!(text, "  if ({what}) *{what} = {size};");
        }
        text.push_str("  return 0;\n}\n");
    }

    fn input(&self, number: u32) -> String {
        self.function.place_of(number).map_or("0.0".to_owned(), |(port, k)| format!("a{port}[{k}]"))
    }

    fn operand(&self, x: Id) -> String {
        match self.function.graph.nodes()[x as usize] {
            Operation::Input(number) => self.input(number),
            Operation::Constant(bits) => match f64::from_bits(bits) {
                x if x < 0.0 => format!("({})", literal(x)),
                x => literal(x),
            },
            Operation::Unary(op @ (Unary::Sin | Unary::Cos), y) => {
                match self.plan.angle(self.function.graph.nodes(), y) {
                    Some(k) => format!("{}[{k}]", if op == Unary::Sin { "s" } else { "c" }),
                    None => format!("x{x}"),
                }
            }
            _ => self.plan.packs.place(x).map_or_else(|| format!("x{x}"), |(pack, lane)| self.lane(pack, lane)),
        }
    }

    fn statement(&self, text: &mut String, statement: Statement) {
        match statement {
            Statement::One(x) => _ = writeln!(text, "  const double x{x} = {};", self.value(x)),
            Statement::Pack(pack) => {
                _ = writeln!(text, "  const {} p{pack} = {};", self.pack(), self.packed(&self.plan.packs.all[pack].is));
            }
        }
    }

    /// The type of a register.
    fn pack(&self) -> String {
        format!("gradyn_pack{}", self.plan.packs.width)
    }

    fn call(&self, what: &str, operands: &[String]) -> String {
        format!("GRADYN_{what}{}({})", self.plan.packs.width, operands.join(", "))
    }

    fn set(&self, numbers: &[String]) -> String {
        self.call("SET", numbers)
    }

    fn lane(&self, pack: usize, lane: usize) -> String {
        self.call("LANE", &[format!("p{pack}"), lane.to_string()])
    }

    fn packed(&self, is: &Packed) -> String {
        let of = |all: &[Id]| match self.plan.operand(all) {
            Operand::Pack(pack) => format!("p{pack}"),
            Operand::All(x) => self.set(&vec![self.operand(x); all.len()]),
            Operand::Each(all) => self.set(&all.iter().map(|x| self.operand(*x)).collect::<Vec<_>>()),
        };
        match is {
            Packed::Neg(x) => self.call("NEG", &[of(x)]),
            Packed::Product(x, y) => self.call("MUL", &[of(x), of(y)]),
            Packed::Quotient(x, y) => self.call("DIV", &[of(x), of(y)]),
            Packed::Sum([x, y], minus) => {
                let (op, [x_signs, y_signs]) = signs(minus);
                let with = |x: &[Id], signs: Option<Vec<f64>>| match signs {
                    Some(signs) => {
                        let signs: Vec<String> = signs.into_iter().map(literal).collect();
                        self.call("MUL", &[of(x), self.set(&signs)])
                    }
                    None => of(x),
                };
                self.call(op, &[with(x, x_signs), with(y, y_signs)])
            }
        }
    }

    fn value(&self, x: Id) -> String {
        let nodes = self.function.graph.nodes();
        let node = nodes[x as usize];
        let of = |x: Id| self.operand(x);
        if let Some(product) = fused_product(nodes, &node, |x| self.plan.fused[x as usize])
            && let (Operation::Binary(op, a, b), Operation::Binary(_, c, d)) = (node, nodes[product as usize])
        {
            return match (op, product == a) {
                (Binary::Add, true) => format!("fma({}, {}, {})", of(c), of(d), of(b)),
                (Binary::Add, false) => format!("fma({}, {}, {})", of(c), of(d), of(a)),
                (_, true) => format!("fma({}, {}, -{})", of(c), of(d), of(b)),
                (_, false) => format!("fma(-{}, {}, {})", of(c), of(d), of(a)),
            };
        }
        match node {
            Operation::Unary(op, y) => {
                let f = match op {
                    Unary::Neg => return format!("-{}", of(y)),
                    Unary::Abs => "fabs",
                    Unary::Sqrt => "sqrt",
                    Unary::Sin => "gradyn_sin",
                    Unary::Cos => "gradyn_cos",
                    Unary::Exp => "exp",
                    Unary::ExpM1 => "expm1",
                    Unary::Ln => "log",
                    Unary::Asin => "asin",
                    Unary::Acos => "acos",
                    Unary::Atan => "atan",
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
                    Binary::Atan2 => format!("atan2({a}, {b})"),
                }
            }
            Operation::Select([a, b, x, y]) => format!("{} < {} ? {} : {}", of(a), of(b), of(x), of(y)),
            Operation::Input(_) | Operation::Constant(_) => of(x),
        }
    }
}

/// A pattern as CasADi has it: rows, columns, where each column begins, and rows; or dense.
fn compressed(port: &Port, entries: &[usize]) -> String {
    if entries.len() == port.len() {
        return format!("{{{}, {}, 1}}", port.rows, port.columns);
    }
    let mut numbers = vec![port.rows, port.columns];
    numbers.extend((0..=port.columns).map(|column| entries.iter().filter(|k| **k < column * port.rows).count()));
    numbers.extend(entries.iter().map(|k| k % port.rows.max(1)));
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    format!("{{{}}}", numbers.join(", "))
}
