//! The statements of a function, in pieces that compilers take well.

use super::packs::Packs;
use crate::function::Function;
use crate::operation::{Binary, Id, Operation, Unary};
use std::collections::{HashMap, HashSet};

/// Statements of one function of generated code: compilers take more than linear time.
pub(super) const CHUNK: usize = 2000;

/// What computes one node, or several side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Statement {
    One(Id),
    /// By its number.
    Pack(usize),
}

/// How a function is written.
pub(super) struct Plan {
    /// Numbers of the inputs whose sine and cosine are taken first, all together.
    pub(super) angles: Vec<u32>,
    /// Statements by chunk, in order. Neither inputs nor constants.
    pub(super) chunks: Vec<Vec<Statement>>,
    /// Where what a statement computes stands in the memory between chunks.
    pub(super) kept: HashMap<Statement, usize>,
    /// How much memory that is, in numbers.
    pub(super) size: usize,
    /// Products that stand in the sums that use them.
    pub(super) fused: Vec<bool>,
    /// Equal subtrees side by side.
    pub(super) packs: Packs,
}

impl Plan {
    /// `pack`: whether equal subtrees share registers, if the function has some; products do not stand in sums then.
    pub(super) fn of(function: &Function, fuse: bool, pack: bool) -> Self {
        let packs = if pack { Packs::of(function) } else { Packs::default() };
        let fuse = fuse && packs.all.is_empty();
        Self::with(function, fuse, packs)
    }

    fn with(function: &Function, fuse: bool, packs: Packs) -> Self {
        let nodes = function.graph.nodes();
        let mut is_output = vec![false; nodes.len()];
        for x in function.outputs.iter().flat_map(|output| &output.nodes) {
            is_output[*x as usize] = true;
        }
        let mut uses = vec![0_u32; nodes.len()];
        for x in nodes.iter().flat_map(Operation::operands) {
            uses[x as usize] += 1;
        }
        let mut fused = vec![false; nodes.len()];
        if fuse {
            for node in nodes {
                if let Some(product) = fused_product(nodes, node, |x| uses[x as usize] == 1 && !is_output[x as usize]) {
                    fused[product as usize] = true;
                }
            }
        }
        let mut angles = Vec::new();
        let angle = |node: &Operation| match *node {
            Operation::Unary(Unary::Sin | Unary::Cos, x) => match nodes[x as usize] {
                Operation::Input(number) => Some(number),
                _ => None,
            },
            _ => None,
        };
        let mut statements = Vec::new();
        for (k, node) in nodes.iter().enumerate() {
            if let Some(number) = angle(node) {
                if !angles.contains(&number) {
                    angles.push(number);
                }
            } else if !matches!(node, Operation::Input(_) | Operation::Constant(_)) && !fused[k] {
                statements.push(k as Id);
            }
        }
        let mut plan = Self { angles, chunks: Vec::new(), kept: HashMap::new(), size: 0, fused, packs };
        let Some(statements) = plan.in_order(nodes, &statements) else {
            return Self::with(function, fuse, Packs::default());
        };
        if statements.len() <= CHUNK {
            plan.chunks.push(statements);
            return plan;
        }
        plan.chunks = statements.chunks(CHUNK).map(<[Statement]>::to_vec).collect();
        plan.keep(nodes, &is_output);
        plan
    }

    /// Statements of these nodes, each behind what it reads; none if packs need each other, which no two nodes do.
    fn in_order(&self, nodes: &[Operation], all: &[Id]) -> Option<Vec<Statement>> {
        let mut order = Vec::with_capacity(all.len());
        let (mut begun, mut done) = (HashSet::new(), HashSet::new());
        for x in all {
            let mut stack = vec![(self.packs.statement(*x), false)];
            while let Some((statement, ready)) = stack.pop() {
                if done.contains(&statement) {
                    continue;
                }
                if ready {
                    done.insert(statement);
                    order.push(statement);
                    continue;
                }
                if !begun.insert(statement) {
                    return None;
                }
                stack.push((statement, true));
                stack.extend(self.reads_of(nodes, statement).into_iter().map(|other| (other, false)));
            }
        }
        Some(order)
    }

    /// The statements that another reads.
    fn reads_of(&self, nodes: &[Operation], statement: Statement) -> Vec<Statement> {
        let own = match statement {
            Statement::One(x) => self.operands(nodes, x),
            Statement::Pack(pack) => self.packs.all[pack].nodes.iter().flat_map(|x| self.operands(nodes, *x)).collect(),
        };
        own.into_iter().filter(|x| self.is_computed(nodes, *x)).map(|x| self.packs.statement(x)).collect()
    }

    /// Whether a statement computes this node.
    fn is_computed(&self, nodes: &[Operation], x: Id) -> bool {
        match nodes[x as usize] {
            Operation::Input(_) | Operation::Constant(_) => false,
            Operation::Unary(Unary::Sin | Unary::Cos, y) => self.angle(nodes, y).is_none(),
            _ => true,
        }
    }

    /// How many numbers a statement computes.
    fn len(&self, statement: Statement) -> usize {
        if matches!(statement, Statement::Pack(_)) { self.packs.width } else { 1 }
    }

    /// Finds memory for what several chunks need, and frees it behind the last of them.
    fn keep(&mut self, nodes: &[Operation], is_output: &[bool]) {
        let mut last: HashMap<Statement, usize> = HashMap::new();
        for (c, chunk) in self.chunks.iter().enumerate() {
            for statement in chunk {
                last.extend(self.reads_of(nodes, *statement).into_iter().map(|other| (other, c)));
            }
        }
        let is_output = |statement: Statement| match statement {
            Statement::One(x) => is_output[x as usize],
            Statement::Pack(pack) => self.packs.all[pack].nodes.iter().any(|x| is_output[*x as usize]),
        };
        let mut kept = HashMap::new();
        let (mut size, mut free) = (0, HashMap::<usize, Vec<usize>>::new());
        let mut ends: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.chunks.len()];
        for (c, chunk) in self.chunks.iter().enumerate() {
            for statement in chunk {
                let (last, len) = (last.get(statement).copied().unwrap_or(0), self.len(*statement));
                if last <= c && !is_output(*statement) {
                    continue;
                }
                let at = free.get_mut(&len).and_then(Vec::pop).unwrap_or_else(|| {
                    size += len;
                    size - len
                });
                kept.insert(*statement, at);
                if !is_output(*statement) {
                    ends[last].push((len, at));
                }
            }
            for (len, at) in std::mem::take(&mut ends[c]) {
                free.entry(len).or_default().push(at);
            }
        }
        (self.kept, self.size) = (kept, size);
    }

    /// Where a node stands in the memory between chunks, if it does.
    pub(super) fn place(&self, x: Id) -> Option<usize> {
        let at = *self.kept.get(&self.packs.statement(x))?;
        Some(at + self.packs.place(x).map_or(0, |(_, lane)| lane))
    }

    /// What the statements of a chunk read that earlier ones have left, and where it stands.
    pub(super) fn reads(&self, nodes: &[Operation], chunk: &[Statement]) -> Vec<(Statement, usize)> {
        let mut seen: HashSet<Statement> = chunk.iter().copied().collect();
        let mut found = Vec::new();
        for other in chunk.iter().flat_map(|statement| self.reads_of(nodes, *statement)) {
            if let (true, Some(at)) = (seen.insert(other), self.kept.get(&other)) {
                found.push((other, *at));
            }
        }
        found
    }

    /// The place of a node among the angles whose sine and cosine are taken first.
    pub(super) fn angle(&self, nodes: &[Operation], x: Id) -> Option<usize> {
        match nodes[x as usize] {
            Operation::Input(number) => self.angles.iter().position(|k| *k == number),
            _ => None,
        }
    }

    /// What a statement reads: through fused products.
    fn operands(&self, nodes: &[Operation], x: Id) -> Vec<Id> {
        let mut all = Vec::new();
        for y in nodes[x as usize].operands() {
            if self.fused[y as usize] {
                all.extend(nodes[y as usize].operands());
            } else {
                all.push(y);
            }
        }
        all
    }
}

/// The product that a sum or difference takes in, if one of its operands is one that may be.
pub(super) fn fused_product(nodes: &[Operation], node: &Operation, may: impl Fn(Id) -> bool) -> Option<Id> {
    let Operation::Binary(Binary::Add | Binary::Sub, x, y) = *node else { return None };
    let is_product = |x: Id| matches!(nodes[x as usize], Operation::Binary(Binary::Mul, ..)) && may(x);
    [x, y].into_iter().find(|x| is_product(*x))
}

/// What one operand of a pack is, read from registers.
pub(super) enum Operand<'a> {
    /// Another pack, by its number.
    Pack(usize),
    /// One number for all.
    All(Id),
    /// A number for each.
    Each(&'a [Id]),
}

impl Plan {
    pub(super) fn operand<'a>(&self, all: &'a [Id]) -> Operand<'a> {
        let first = all[0];
        if all.iter().all(|x| *x == first) {
            return Operand::All(first);
        }
        let in_one = |pack: usize| (0..).zip(all).all(|(lane, x)| self.packs.place(*x) == Some((pack, lane)));
        match self.packs.place(first) {
            Some((pack, 0)) if in_one(pack) => Operand::Pack(pack),
            _ => Operand::Each(all),
        }
    }
}
