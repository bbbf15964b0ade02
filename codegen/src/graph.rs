//! The graph of a computation: equal nodes are one, and what is known is computed at once.

use crate::operation::{Binary, Id, Operation, Unary};
use std::collections::HashMap;

/// Nodes in an order in which operands come first. Each operation stands there once: common subexpressions are found as
/// nodes are made.
///
/// Foldings: constants; `x + 0`, `x − 0`, `x · 1`, `x / 1`, `−(−x)`, `x − x`, `x · 0`, `0 / x`. The last three hold for finite
/// numbers (`assume_finite`), and signs of zeros are not kept. Signs of products and quotients move outward, so that
/// `(−a) b` and `a b` are computed once. Sums are never regrouped: results are rounded as in the source.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Operation>,
    known: HashMap<Operation, Id>,
}

impl Graph {
    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &[Operation] {
        &self.nodes
    }

    /// The constant that a node is, if it is one.
    #[must_use]
    pub fn value(&self, x: Id) -> Option<f64> {
        match self.nodes.get(x as usize) {
            Some(Operation::Constant(bits)) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    fn node(&mut self, operation: Operation) -> Id {
        let next = self.nodes.len() as Id;
        let nodes = &mut self.nodes;
        *self.known.entry(operation).or_insert_with(|| {
            nodes.push(operation);
            next
        })
    }

    /// An input.
    pub(crate) fn input(&mut self, number: u32) -> Id {
        self.node(Operation::Input(number))
    }

    /// A constant; −0 is 0.
    pub(crate) fn constant(&mut self, x: f64) -> Id {
        self.node(Operation::constant(if x == 0.0 { 0.0 } else { x }))
    }

    /// What a node is the negative of.
    fn negated(&self, x: Id) -> Option<Id> {
        match self.nodes[x as usize] {
            Operation::Unary(Unary::Neg, y) => Some(y),
            _ => None,
        }
    }

    /// An operation of one operand.
    pub(crate) fn unary(&mut self, op: Unary, x: Id) -> Id {
        if let Some(x) = self.value(x) {
            return self.constant(op.of(x));
        }
        match (op, self.nodes[x as usize]) {
            (Unary::Neg | Unary::Abs, Operation::Unary(Unary::Neg, y)) => match op {
                Unary::Neg => y,
                _ => self.unary(Unary::Abs, y),
            },
            // −(x − y) = y − x
            (Unary::Neg, Operation::Binary(Binary::Sub, y, z)) => self.binary(Binary::Sub, z, y),
            (Unary::Abs, Operation::Unary(Unary::Abs | Unary::Sqrt | Unary::Exp, _)) => x,
            (Unary::Cos, Operation::Unary(Unary::Neg, y)) => self.unary(Unary::Cos, y),
            (Unary::Sin | Unary::Asin | Unary::Atan, Operation::Unary(Unary::Neg, y)) => {
                let odd = self.unary(op, y);
                self.unary(Unary::Neg, odd)
            }
            _ => self.node(Operation::Unary(op, x)),
        }
    }

    /// An operation of two operands.
    pub(crate) fn binary(&mut self, op: Binary, x: Id, y: Id) -> Id {
        let (a, b) = (self.value(x), self.value(y));
        if let (Some(a), Some(b)) = (a, b) {
            return self.constant(op.of(a, b));
        }
        let zero = |x: Option<f64>| x == Some(0.0);
        match op {
            Binary::Add => {
                if zero(a) {
                    return y;
                }
                if zero(b) {
                    return x;
                }
                match (self.negated(x), self.negated(y)) {
                    (Some(x), Some(y)) => {
                        let sum = self.binary(Binary::Add, x, y);
                        return self.unary(Unary::Neg, sum);
                    }
                    (_, Some(y)) => return self.binary(Binary::Sub, x, y),
                    (Some(x), None) => return self.binary(Binary::Sub, y, x),
                    _ => {}
                }
                // x + (−c) = x − c, so that one of the two is found again.
                if let Some(c) = b.filter(|c| *c < 0.0) {
                    let c = self.constant(-c);
                    return self.node(Operation::Binary(Binary::Sub, x, c));
                }
                if let Some(c) = a.filter(|c| *c < 0.0) {
                    let c = self.constant(-c);
                    return self.node(Operation::Binary(Binary::Sub, y, c));
                }
            }
            Binary::Sub => {
                if x == y {
                    return self.constant(0.0);
                }
                if zero(b) {
                    return x;
                }
                if zero(a) {
                    return self.unary(Unary::Neg, y);
                }
                match (self.negated(x), self.negated(y)) {
                    (Some(x), Some(y)) => return self.binary(Binary::Sub, y, x),
                    (_, Some(y)) => return self.binary(Binary::Add, x, y),
                    (Some(x), None) => {
                        let sum = self.binary(Binary::Add, x, y);
                        return self.unary(Unary::Neg, sum);
                    }
                    _ => {}
                }
                if let Some(c) = b.filter(|c| *c < 0.0) {
                    let c = self.constant(-c);
                    return self.binary(Binary::Add, x, c);
                }
            }
            Binary::Mul | Binary::Div => {
                let divides = op == Binary::Div;
                if zero(a) || zero(b) && !divides {
                    return self.constant(0.0);
                }
                if b == Some(1.0) {
                    return x;
                }
                if a == Some(1.0) && !divides {
                    return y;
                }
                if let Some((x, y)) = self.without_signs((x, a), (y, b)) {
                    let product = self.binary(op, x.0, y.0);
                    return if x.1 == y.1 { product } else { self.unary(Unary::Neg, product) };
                }
            }
            Binary::Atan2 => {}
        }
        let (x, y) = if op.commutes() && x > y { (y, x) } else { (x, y) };
        self.node(Operation::Binary(op, x, y))
    }

    /// Both without their signs, and whether each had one; `None` if neither has.
    fn without_signs(&mut self, x: (Id, Option<f64>), y: (Id, Option<f64>)) -> Option<((Id, bool), (Id, bool))> {
        let mut without = |(x, value): (Id, Option<f64>)| match (value, self.negated(x)) {
            (Some(c), _) if c < 0.0 => (self.constant(-c), true),
            (_, Some(x)) => (x, true),
            _ => (x, false),
        };
        let (x, y) = (without(x), without(y));
        (x.1 || y.1).then_some((x, y))
    }

    /// x where `a < b`, else y.
    pub(crate) fn select(&mut self, a: Id, b: Id, x: Id, y: Id) -> Id {
        if x == y {
            return x;
        }
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return if a < b { x } else { y };
        }
        if a == b {
            return y;
        }
        self.node(Operation::Select([a, b, x, y]))
    }

    /// The operation, folded.
    pub(crate) fn push(&mut self, operation: Operation) -> Id {
        match operation {
            Operation::Input(_) => self.node(operation),
            Operation::Constant(bits) => self.constant(f64::from_bits(bits)),
            Operation::Unary(op, x) => self.unary(op, x),
            Operation::Binary(op, x, y) => self.binary(op, x, y),
            Operation::Select([a, b, x, y]) => self.select(a, b, x, y),
        }
    }

    /// A sum of two.
    pub(crate) fn add(&mut self, x: Id, y: Id) -> Id {
        self.binary(Binary::Add, x, y)
    }
    /// A product.
    pub(crate) fn mul(&mut self, x: Id, y: Id) -> Id {
        self.binary(Binary::Mul, x, y)
    }
}
