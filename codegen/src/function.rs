//! A function as a graph: named inputs and outputs, and what is between.

use crate::equal_parts::{EqualParts, Place};
use crate::error::CodegenError;
use crate::graph::Graph;
use crate::operation::{Binary, Id, Operation, Unary};
use crate::trace::{Trace, Tracer};

/// An input or output: a vector or a matrix, column by column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The name, of letters, digits and `_`.
    pub name: String,
    /// Rows.
    pub rows: usize,
    /// Columns; 1 for vectors.
    pub columns: usize,
}

impl Port {
    /// A matrix.
    #[must_use]
    pub fn new(name: impl Into<String>, rows: usize, columns: usize) -> Self {
        Self { name: name.into(), rows, columns }
    }
    /// A vector.
    #[must_use]
    pub fn vector(name: impl Into<String>, rows: usize) -> Self {
        Self::new(name, rows, 1)
    }
    /// How many numbers it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows * self.columns
    }
    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An output, and the nodes of its numbers.
#[derive(Clone, Debug)]
pub struct Output {
    /// What it is.
    pub port: Port,
    /// Of each number, column by column.
    pub(crate) nodes: Vec<Id>,
}

impl Output {
    /// The nodes of its numbers, column by column.
    #[must_use]
    pub fn nodes(&self) -> &[Id] {
        &self.nodes
    }
}

/// A function: straight-line computations from inputs to outputs.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name, of letters, digits and `_`.
    pub(crate) name: String,
    /// Inputs, in order. The numbers of all are counted through, the first one's first.
    pub(crate) inputs: Vec<Port>,
    /// Outputs, in order.
    pub(crate) outputs: Vec<Output>,
    /// What is between.
    pub(crate) graph: Graph,
    /// Equal subtrees of the robot.
    pub(crate) equal_parts: Option<EqualParts>,
}

/// How many operations of each sort a function has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sums and differences.
    pub additions: usize,
    /// Products.
    pub multiplications: usize,
    /// Quotients and square roots.
    pub divisions: usize,
    /// Sines and cosines: one for both of an argument.
    pub sines: usize,
    /// Choices and magnitudes.
    pub selections: usize,
    /// Other elementary functions.
    pub others: usize,
    /// Changes of sign.
    pub signs: usize,
}

impl Counts {
    /// All but changes of sign; a sine and cosine is twenty, another elementary function forty, a quotient or square root four.
    #[must_use]
    pub fn cost(&self) -> usize {
        let quick = self.additions + self.multiplications + self.selections;
        quick + 4 * self.divisions + 20 * self.sines + 40 * self.others
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { additions, multiplications, divisions, sines, selections, others, .. } = self;
        write!(
            f,
            "{additions} sums, {multiplications} products, {divisions} quotients and roots, {sines} sines with cosines"
        )?;
        write!(f, ", {selections} choices, {others} other functions")
    }
}

/// What a traced function gives: outputs with their numbers.
pub type Traced = Vec<(Port, Vec<Trace>)>;
/// What a traced function can fail with.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Function {
    /// The name, of letters, digits and `_`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Inputs, in order. The numbers of all are counted through, the first one's first.
    #[must_use]
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }
    /// Outputs, in order.
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }
    /// What is between.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Records a function.
    ///
    /// # Errors
    /// [`CodegenError::Trace`], and [`CodegenError::Engine`] with what `f` fails with.
    pub fn record(
        name: impl Into<String>,
        inputs: Vec<Port>,
        f: impl FnOnce(&[Vec<Trace>]) -> Result<Traced, Failure>,
    ) -> Result<Self, CodegenError> {
        let name = name.into();
        let failed = |error| CodegenError::Trace { function: name.clone(), error };
        let mut tracer = Tracer::new().map_err(failed)?;
        let numbers: Vec<Vec<Trace>> = inputs.iter().map(|port| tracer.inputs(port.len())).collect();
        let found = f(&numbers);
        // What the tracer says comes first: errors of the engine follow from it.
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                tracer.finish(&[]).map_err(failed)?;
                return Err(CodegenError::Engine { function: name, error });
            }
        };
        let (ports, numbers): (Vec<Port>, Vec<Vec<Trace>>) = found.into_iter().unzip();
        for (port, numbers) in ports.iter().zip(&numbers) {
            if numbers.len() != port.len() {
                let (input, expected, found) = (port.name.clone(), port.len(), numbers.len());
                return Err(CodegenError::Length { function: name, input, expected, found });
            }
        }
        let (graph, nodes) = tracer.finish(&numbers).map_err(failed)?;
        let outputs = ports.into_iter().zip(nodes).map(|(port, nodes)| Output { port, nodes }).collect();
        Ok(Self { name, inputs, outputs, graph, equal_parts: None }.compact())
    }

    /// The same without nodes that no output needs, in an order in which each node stands close to what needs it: depth first
    /// from the outputs, operands that need more room first (R. Sethi and J. D. Ullman, *The generation of optimal code for
    /// arithmetic expressions*, 1970).
    #[must_use]
    pub fn compact(&self) -> Self {
        let nodes = self.graph.nodes();
        // Registers that a tree of this node would need.
        let mut need = vec![1_u32; nodes.len()];
        for (k, node) in nodes.iter().enumerate() {
            let mut of: Vec<u32> = node.operands().map(|x| need[x as usize]).collect();
            of.sort_unstable_by(|a, b| b.cmp(a));
            need[k] = of.iter().zip(0..).map(|(n, k)| n + k).max().unwrap_or(1);
        }
        let mut graph = Graph::default();
        let mut place: Vec<Option<Id>> = vec![None; nodes.len()];
        for root in self.outputs.iter().flat_map(|output| &output.nodes) {
            let mut stack = vec![(*root, false)];
            while let Some((x, ready)) = stack.pop() {
                let k = x as usize;
                if place[k].is_some() {
                    continue;
                }
                if ready {
                    place[k] = Some(graph.push(nodes[k].map(|y| place[y as usize].unwrap_or(0))));
                    continue;
                }
                stack.push((x, true));
                let mut operands: Vec<Id> = nodes[k].operands().collect();
                operands.sort_by_key(|y| need[*y as usize]);
                stack.extend(operands.into_iter().filter(|y| place[*y as usize].is_none()).map(|y| (y, false)));
            }
        }
        let of = |x: &Id| place[*x as usize].unwrap_or(0);
        let outputs = self.outputs.iter();
        let outputs =
            outputs.map(|o| Output { port: o.port.clone(), nodes: o.nodes.iter().map(of).collect() }).collect();
        let equal_parts = self.equal_parts.clone();
        Self { name: self.name.clone(), inputs: self.inputs.clone(), outputs, graph, equal_parts }
    }

    /// The values of all nodes.
    fn values(&self, inputs: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(self.graph.nodes().len());
        for node in self.graph.nodes() {
            let of = |id: Id| x[id as usize];
            x.push(match *node {
                Operation::Input(k) => inputs[k as usize],
                Operation::Constant(bits) => f64::from_bits(bits),
                Operation::Unary(op, a) => op.of(of(a)),
                Operation::Binary(op, a, b) => op.of(of(a), of(b)),
                Operation::Select([a, b, below, otherwise]) => {
                    if of(a) < of(b) {
                        of(below)
                    } else {
                        of(otherwise)
                    }
                }
            });
        }
        x
    }

    /// The outputs, each column by column.
    ///
    /// # Errors
    /// [`CodegenError::Length`]
    pub fn evaluate(&self, inputs: &[&[f64]]) -> Result<Vec<Vec<f64>>, CodegenError> {
        let function = || self.name.clone();
        if inputs.len() != self.inputs.len() {
            let (expected, found) = (self.inputs.len(), inputs.len());
            return Err(CodegenError::Length { function: function(), input: "all".into(), expected, found });
        }
        for (port, given) in self.inputs.iter().zip(inputs) {
            if port.len() != given.len() {
                let (input, expected, found) = (port.name.clone(), port.len(), given.len());
                return Err(CodegenError::Length { function: function(), input, expected, found });
            }
        }
        let x = self.values(&inputs.concat());
        let of = |output: &Output| output.nodes.iter().map(|id| x[*id as usize]).collect();
        Ok(self.outputs.iter().map(of).collect())
    }

    /// How many operations it has.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let mut angles = std::collections::HashSet::new();
        for node in self.graph.nodes() {
            match node {
                Operation::Input(_) | Operation::Constant(_) => {}
                Operation::Unary(op, x) => match op {
                    Unary::Neg => counts.signs += 1,
                    Unary::Abs => counts.selections += 1,
                    Unary::Sqrt => counts.divisions += 1,
                    Unary::Sin | Unary::Cos => {
                        angles.insert(*x);
                    }
                    _ => counts.others += 1,
                },
                Operation::Binary(op, ..) => match op {
                    Binary::Add | Binary::Sub => counts.additions += 1,
                    Binary::Mul => counts.multiplications += 1,
                    Binary::Div => counts.divisions += 1,
                    Binary::Atan2 => counts.others += 1,
                },
                Operation::Select(_) => counts.selections += 1,
            }
        }
        counts.sines = angles.len();
        counts
    }

    /// Entries of an output that are not zero everywhere, in the order of its numbers.
    #[must_use]
    pub fn pattern(&self, output: usize) -> Vec<usize> {
        let Some(output) = self.outputs.get(output) else { return Vec::new() };
        let entries = output.nodes.iter().enumerate();
        entries.filter(|(_, x)| self.graph.value(**x) != Some(0.0)).map(|(k, _)| k).collect()
    }

    /// The input that a number belongs to, and its place there.
    #[must_use]
    pub fn place_of(&self, number: u32) -> Option<(usize, usize)> {
        let mut rest = number as usize;
        for (k, port) in self.inputs.iter().enumerate() {
            if rest < port.len() {
                return Some((k, rest));
            }
            rest -= port.len();
        }
        None
    }

    /// The input that a number belongs to, and its place in one of equal subtrees: of `q` by coordinates, of what has a number a degree
    /// of freedom by these.
    pub(crate) fn equal_place(&self, number: u32) -> Option<(usize, Place)> {
        let parts = self.equal_parts.as_ref()?;
        let (port, k) = self.place_of(number)?;
        let list = match (&self.inputs[port].name, self.inputs[port].len()) {
            (name, len) if name == "q" && len == parts.q.len() => &parts.q,
            (_, len) if len == parts.v.len() => &parts.v,
            _ => return None,
        };
        Some((port, (*list.get(k)?)?))
    }

    /// Where the numbers of an input begin.
    #[must_use]
    pub fn first_of(&self, input: usize) -> usize {
        self.inputs.iter().take(input).map(Port::len).sum()
    }
}
