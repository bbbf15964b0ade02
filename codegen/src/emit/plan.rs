//! The statements of a function, in pieces that compilers take well.

use crate::function::Function;
use crate::operation::{Binary, Id, Operation, Unary};
use std::collections::{HashMap, HashSet};

/// Statements of one function of generated code: compilers take more than linear time.
pub(super) const CHUNK: usize = 2000;

/// How a function is written.
pub(super) struct Plan {
    /// Numbers of the inputs whose sine and cosine are taken first, all together.
    pub(super) angles: Vec<u32>,
    /// Statements by chunk, in order. Neither inputs nor constants.
    pub(super) chunks: Vec<Vec<Id>>,
    /// Where a node stands in the memory between chunks.
    pub(super) kept: HashMap<Id, usize>,
    /// How much memory that is, in numbers.
    pub(super) size: usize,
    /// Products that stand in the sums that use them.
    pub(super) fused: Vec<bool>,
}

impl Plan {
    pub(super) fn of(function: &Function, fuse: bool) -> Self {
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
        let mut plan = Self { angles, chunks: Vec::new(), kept: HashMap::new(), size: 0, fused };
        if statements.len() <= CHUNK {
            plan.chunks.push(statements);
            return plan;
        }
        plan.chunks = statements.chunks(CHUNK).map(<[Id]>::to_vec).collect();
        plan.keep(nodes, &is_output);
        plan
    }

    /// Finds memory for what several chunks need, and frees it behind the last of them.
    fn keep(&mut self, nodes: &[Operation], is_output: &[bool]) {
        let mut made = vec![usize::MAX; nodes.len()];
        let mut last = vec![0; nodes.len()];
        for (c, chunk) in self.chunks.iter().enumerate() {
            for x in chunk {
                made[*x as usize] = c;
                for y in self.operands(nodes, *x) {
                    last[y as usize] = c;
                }
            }
        }
        let mut free: Vec<usize> = Vec::new();
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); self.chunks.len()];
        for c in 0..self.chunks.len() {
            for x in &self.chunks[c] {
                let k = *x as usize;
                if last[k] <= c && !is_output[k] {
                    continue;
                }
                let at = free.pop().unwrap_or_else(|| {
                    self.size += 1;
                    self.size - 1
                });
                self.kept.insert(*x, at);
                if !is_output[k] {
                    ends[last[k]].push(at);
                }
            }
            free.append(&mut ends[c]);
        }
    }

    /// What the statements of a chunk read that earlier ones have left: nodes, and where they stand.
    pub(super) fn reads(&self, nodes: &[Operation], chunk: &[Id]) -> Vec<(Id, usize)> {
        let mut seen: HashSet<Id> = chunk.iter().copied().collect();
        let mut found = Vec::new();
        for y in chunk.iter().flat_map(|x| self.operands(nodes, *x)) {
            if let (true, Some(at)) = (seen.insert(y), self.kept.get(&y)) {
                found.push((y, *at));
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
