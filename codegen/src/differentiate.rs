//! Derivatives of graphs: forward along directions, and backward.

use crate::function::{Function, Output, Port};
use crate::graph::Graph;
use crate::operation::{Binary, Id, Operation, Unary};

/// Derivatives of one operation by its operands, as nodes; `None` where they are zero.
///
/// `|x|` has derivative 0 at 0, and a choice that of what is chosen: as [`Real`](gradyn::Real) has them.
fn partials(graph: &mut Graph, node: Operation, this: Id) -> Vec<(Id, Id)> {
    let one = graph.constant(1.0);
    match node {
        Operation::Input(_) | Operation::Constant(_) | Operation::Select(_) => Vec::new(),
        Operation::Unary(op, x) => {
            let by = match op {
                Unary::Neg => graph.constant(-1.0),
                Unary::Abs => {
                    let (zero, minus) = (graph.constant(0.0), graph.constant(-1.0));
                    let above = graph.select(zero, x, one, zero);
                    graph.select(x, zero, minus, above)
                }
                Unary::Sqrt => {
                    let half = graph.constant(0.5);
                    graph.binary(Binary::Div, half, this)
                }
                Unary::Sin => graph.unary(Unary::Cos, x),
                Unary::Cos => {
                    let sin = graph.unary(Unary::Sin, x);
                    graph.unary(Unary::Neg, sin)
                }
                Unary::Exp => this,
                Unary::ExpM1 => graph.unary(Unary::Exp, x),
                Unary::Ln => graph.binary(Binary::Div, one, x),
                Unary::Asin | Unary::Acos => {
                    let square = graph.mul(x, x);
                    let rest = graph.binary(Binary::Sub, one, square);
                    let root = graph.unary(Unary::Sqrt, rest);
                    let by = graph.binary(Binary::Div, one, root);
                    if op == Unary::Asin { by } else { graph.unary(Unary::Neg, by) }
                }
                Unary::Atan => {
                    let square = graph.mul(x, x);
                    let sum = graph.add(one, square);
                    graph.binary(Binary::Div, one, sum)
                }
            };
            vec![(x, by)]
        }
        Operation::Binary(op, x, y) => match op {
            Binary::Add => vec![(x, one), (y, one)],
            Binary::Sub => {
                let minus = graph.constant(-1.0);
                vec![(x, one), (y, minus)]
            }
            Binary::Mul => vec![(x, y), (y, x)],
            Binary::Div => {
                let by_x = graph.binary(Binary::Div, one, y);
                let product = graph.mul(this, by_x);
                let by_y = graph.unary(Unary::Neg, product);
                vec![(x, by_x), (y, by_y)]
            }
            Binary::Atan2 => {
                let (xx, yy) = (graph.mul(x, x), graph.mul(y, y));
                let sum = graph.add(xx, yy);
                let (by_x, by_y) = (graph.binary(Binary::Div, y, sum), graph.binary(Binary::Div, x, sum));
                let by_y = graph.unary(Unary::Neg, by_y);
                vec![(x, by_x), (y, by_y)]
            }
        },
    }
}

/// Derivatives of all nodes before `count` along directions: `seeds[d]` of the inputs, by number. Zero where none.
fn forward(graph: &mut Graph, count: usize, seeds: &[Vec<Option<Id>>]) -> Vec<Vec<Option<Id>>> {
    let mut along: Vec<Vec<Option<Id>>> = vec![vec![None; count]; seeds.len()];
    for k in 0..count {
        let node = graph.nodes()[k];
        if let Operation::Input(number) = node {
            for (to, seed) in along.iter_mut().zip(seeds) {
                to[k] = seed.get(number as usize).copied().flatten();
            }
            continue;
        }
        if !along.iter().any(|of| node.operands().any(|x| of[x as usize].is_some())) {
            continue;
        }
        if let Operation::Select([a, b, x, y]) = node {
            let zero = graph.constant(0.0);
            for of in &mut along {
                let (dx, dy) = (of[x as usize], of[y as usize]);
                if dx.is_some() || dy.is_some() {
                    of[k] = Some(graph.select(a, b, dx.unwrap_or(zero), dy.unwrap_or(zero)));
                }
            }
            continue;
        }
        let by = partials(graph, node, k as Id);
        for of in &mut along {
            let mut sum = None;
            for (x, by) in &by {
                let Some(dx) = of[*x as usize] else { continue };
                let part = graph.mul(dx, *by);
                sum = Some(sum.map_or(part, |sum| graph.add(sum, part)));
            }
            of[k] = sum.filter(|x| graph.value(*x) != Some(0.0));
        }
    }
    along
}

impl Graph {
    /// Takes another graph's nodes over, its inputs replaced by nodes of this one: the places of all its nodes here.
    pub(crate) fn import(&mut self, other: &Self, inputs: &[Id]) -> Vec<Id> {
        let mut places: Vec<Id> = Vec::with_capacity(other.nodes().len());
        for node in other.nodes() {
            let place = match node {
                Operation::Input(k) => inputs[*k as usize],
                _ => self.push(node.map(|x| places[x as usize])),
            };
            places.push(place);
        }
        places
    }
}

/// A direction of differentiation: of each number of all inputs, the node that its rate is; `None` for zero.
pub(crate) type Seeds = Vec<Vec<Option<Id>>>;

impl Function {
    /// Directions along each number of an input.
    pub(crate) fn along_numbers(&mut self, input: usize) -> Seeds {
        let (first, one) = (self.first_of(input), self.graph.constant(1.0));
        let all: usize = self.inputs.iter().map(Port::len).sum();
        let seed = |k: usize| (0..all).map(|n| (n == first + k).then_some(one)).collect();
        (0..self.inputs[input].len()).map(seed).collect()
    }

    /// Derivatives of outputs' numbers along directions, of each a matrix, output by direction, column by column. The outputs
    /// need the first `count` nodes alone.
    pub(crate) fn along(&mut self, outputs: &[usize], seeds: &Seeds, count: usize) -> Vec<Vec<Id>> {
        let found = forward(&mut self.graph, count, seeds);
        let zero = self.graph.constant(0.0);
        let of = |output: &usize| {
            let nodes = &self.outputs[*output].nodes;
            found.iter().flat_map(|along| nodes.iter().map(|x| along[*x as usize].unwrap_or(zero))).collect()
        };
        outputs.iter().map(of).collect()
    }

    /// The derivatives of each output by each input's numbers, as a function of the same inputs: outputs `jac_OUTPUT_INPUT`,
    /// outputs first.
    #[must_use]
    pub fn jacobian(&self, name: impl Into<String>) -> Self {
        let (mut made, count) = (self.clone(), self.graph.nodes().len());
        let mut outputs = Vec::new();
        let all: Vec<usize> = (0..self.outputs.len()).collect();
        let by: Vec<Vec<Vec<Id>>> = (0..self.inputs.len())
            .map(|input| {
                let seeds = made.along_numbers(input);
                made.along(&all, &seeds, count)
            })
            .collect();
        for (o, output) in self.outputs.iter().enumerate() {
            for (input, by) in self.inputs.iter().zip(&by) {
                let name = format!("jac_{}_{}", output.port.name, input.name);
                let port = Port::new(name, output.port.len(), input.len());
                outputs.push(Output { port, nodes: by[o].clone() });
            }
        }
        made.outputs = outputs;
        made.name = name.into();
        made.compact()
    }

    /// The [`jacobian`](Self::jacobian) as CasADi looks for it: `jac_NAME`, whose inputs are followed by the outputs of this
    /// function, `out_OUTPUT`, which it does not read.
    #[must_use]
    pub fn jacobian_for_casadi(&self) -> Self {
        let mut made = self.jacobian(format!("jac_{}", self.name));
        let outputs = self.outputs.iter().map(|output| &output.port);
        made.inputs.extend(outputs.map(|port| Port::new(format!("out_{}", port.name), port.rows, port.columns)));
        made
    }

    /// `λᵀ` times an output, as a node, and its derivative by every node before it: backward.
    pub(crate) fn backward(&mut self, output: usize, lambda: &[Id]) -> Vec<Option<Id>> {
        let count = self.graph.nodes().len();
        let mut by: Vec<Option<Id>> = vec![None; count];
        fn put(graph: &mut Graph, by: &mut [Option<Id>], x: Id, part: Id) {
            let to = &mut by[x as usize];
            *to = Some(to.map_or(part, |sum| graph.add(sum, part)));
        }
        for (x, lambda) in self.outputs[output].nodes.clone().into_iter().zip(lambda) {
            put(&mut self.graph, &mut by, x, *lambda);
        }
        for k in (0..count).rev() {
            let Some(bar) = by[k].filter(|x| self.graph.value(*x) != Some(0.0)) else { continue };
            let node = self.graph.nodes()[k];
            if let Operation::Select([a, b, x, y]) = node {
                let zero = self.graph.constant(0.0);
                let (below, otherwise) = (self.graph.select(a, b, bar, zero), self.graph.select(a, b, zero, bar));
                put(&mut self.graph, &mut by, x, below);
                put(&mut self.graph, &mut by, y, otherwise);
                continue;
            }
            for (x, of) in partials(&mut self.graph, node, k as Id) {
                let part = self.graph.mul(bar, of);
                put(&mut self.graph, &mut by, x, part);
            }
        }
        by
    }
}
