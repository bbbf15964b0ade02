//! Equal subtrees side by side: what is computed for the legs of a robot, in the same way for each, is one statement on a register.
//!
//! Two nodes are alike if they are the same operation of operands that are alike; inputs of equal places in equal subtrees are alike, all
//! constants are, and sums and differences are, in any order: legs are mirrored. A node that depends on one of the subtrees alone, and has
//! one like it for each of the others, stands with these in a [`Pack`]. Each keeps its own operation and its own operands, so that the
//! bits of all results stay as they are: signs that differ are products with ±1.

use super::plan::Statement;
use crate::function::Function;
use crate::operation::{Binary, Id, Operation, Unary};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Nodes that one statement computes, one of each subtree.
#[derive(Clone, Debug)]
pub(super) struct Pack {
    pub(super) nodes: Vec<Id>,
    pub(super) is: Packed,
}

/// What a pack is of others; operands of all subtrees in their order.
#[derive(Clone, Debug)]
pub(super) enum Packed {
    Neg(Vec<Id>),
    Product(Vec<Id>, Vec<Id>),
    Quotient(Vec<Id>, Vec<Id>),
    /// Two terms, and which of each are subtracted.
    Sum([Vec<Id>; 2], [Vec<bool>; 2]),
}

/// The packs of a function.
#[derive(Debug, Default)]
pub(super) struct Packs {
    /// How many nodes each has.
    pub(super) width: usize,
    pub(super) all: Vec<Pack>,
    of: HashMap<Id, (usize, usize)>,
}

/// Of which subtree a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// Of none: of the trunk, or constant.
    None,
    One(u8),
    Several,
}

impl Lane {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, other) => other,
            (own, Self::None) => own,
            (Self::One(a), Self::One(b)) if a == b => self,
            _ => Self::Several,
        }
    }
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// What makes nodes alike, and where they belong.
struct Likeness {
    alike: Vec<u64>,
    lane: Vec<Lane>,
}

impl Likeness {
    fn of(function: &Function) -> Self {
        let nodes = function.graph.nodes();
        let mut found = Self { alike: Vec::with_capacity(nodes.len()), lane: Vec::with_capacity(nodes.len()) };
        for node in nodes {
            let (alike, lane) = match *node {
                Operation::Input(number) => match function.equal_place(number) {
                    Some((port, (place, lane))) => (hash(("input", port, place)), Lane::One(lane)),
                    None => (hash(("shared", number)), Lane::None),
                },
                Operation::Constant(_) => (hash("constant"), Lane::None),
                Operation::Unary(op, x) => (hash((op, found.alike[x as usize])), found.lane[x as usize]),
                Operation::Binary(op, x, y) => {
                    let (mut a, mut b) = (found.alike[x as usize], found.alike[y as usize]);
                    let op = if op == Binary::Sub { Binary::Add } else { op };
                    if op.commutes() && a > b {
                        std::mem::swap(&mut a, &mut b);
                    }
                    (hash((op, a, b)), found.lane[x as usize].with(found.lane[y as usize]))
                }
                Operation::Select(all) => {
                    let lane = all.iter().fold(Lane::None, |lane, x| lane.with(found.lane[*x as usize]));
                    (hash(("select", all.map(|x| found.alike[x as usize]))), lane)
                }
            };
            found.alike.push(alike);
            found.lane.push(lane);
        }
        found
    }
}

/// Operations that registers have.
fn is_packable(node: &Operation) -> bool {
    match node {
        Operation::Unary(op, _) => *op == Unary::Neg,
        Operation::Binary(op, ..) => *op != Binary::Atan2,
        _ => false,
    }
}

impl Packs {
    /// Those of a function; none if it has no equal subtrees, or if less than a quarter of its nodes were in packs: each that is
    /// not has to be taken out of registers and put there.
    pub(super) fn of(function: &Function) -> Self {
        let Some(parts) = &function.equal_parts else { return Self::default() };
        let (nodes, likeness) = (function.graph.nodes(), Likeness::of(function));
        let mut groups: HashMap<u64, Vec<Vec<Id>>> = HashMap::new();
        for (k, node) in nodes.iter().enumerate() {
            if let (true, Lane::One(lane)) = (is_packable(node), likeness.lane[k]) {
                let group = groups.entry(likeness.alike[k]).or_insert_with(|| vec![Vec::new(); parts.width]);
                group[usize::from(lane)].push(k as Id);
            }
        }
        groups.retain(|_, group| group.iter().all(|own| own.len() == group[0].len()));
        let mut packs = Self { width: parts.width, ..Self::default() };
        // In the order of the nodes of the first subtree, so that operands are in packs before what is made of them.
        for k in 0..nodes.len() {
            let Some(group) = groups.get_mut(&likeness.alike[k]) else { continue };
            let first = k as Id;
            let Some(at) = group[0].iter().position(|x| *x == first) else { continue };
            group[0].swap_remove(at);
            let mut all = vec![first];
            for others in &mut group[1..] {
                // Of several that are alike, one whose operands stand in the same packs.
                let same = |x: &Id| packs.operands(nodes, &likeness, *x) == packs.operands(nodes, &likeness, first);
                let at = others.iter().position(same).unwrap_or(0);
                all.push(others.remove(at));
            }
            packs.push(nodes, &likeness, all);
        }
        if packs.of.len() * 4 < nodes.iter().filter(|node| is_packable(node)).count() {
            return Self::default();
        }
        packs
    }

    /// The pack of a node, and its place there.
    pub(super) fn place(&self, x: Id) -> Option<(usize, usize)> {
        self.of.get(&x).copied()
    }

    /// The statement that computes a node.
    pub(super) fn statement(&self, x: Id) -> Statement {
        self.place(x).map_or(Statement::One(x), |(pack, _)| Statement::Pack(pack))
    }

    /// What an operand is like, as seen from its subtree: its pack, or its node if it is of the trunk.
    fn key(&self, likeness: &Likeness, x: Id) -> u64 {
        match (self.place(x), likeness.lane[x as usize]) {
            (Some((pack, _)), _) => hash(("pack", pack)),
            (None, Lane::None) => hash(("node", x)),
            (None, _) => likeness.alike[x as usize],
        }
    }

    fn operands(&self, nodes: &[Operation], likeness: &Likeness, x: Id) -> Vec<u64> {
        let mut keys: Vec<u64> = nodes[x as usize].operands().map(|x| self.key(likeness, x)).collect();
        keys.sort_unstable();
        keys
    }

    fn push(&mut self, nodes: &[Operation], likeness: &Likeness, all: Vec<Id>) {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let (mut minus_first, mut minus_second) = (Vec::new(), Vec::new());
        for x in &all {
            let (mut a, mut b, mut minus_b) = match nodes[*x as usize] {
                Operation::Binary(op, a, b) => (a, b, op == Binary::Sub),
                Operation::Unary(_, a) => (a, a, false),
                _ => continue,
            };
            let mut minus_a = false;
            let commutes = matches!(nodes[*x as usize], Operation::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..));
            if let (true, Some(to_a), Some(to_b)) = (commutes, first.first().copied(), second.first().copied()) {
                let near = |x: Id, y: Id| {
                    let same = self.key(likeness, x) == self.key(likeness, y);
                    u32::from(same) * 2 + u32::from(likeness.alike[x as usize] == likeness.alike[y as usize])
                };
                if near(a, to_b) + near(b, to_a) > near(a, to_a) + near(b, to_b) {
                    (a, b, minus_a, minus_b) = (b, a, minus_b, false);
                }
            }
            first.push(a);
            second.push(b);
            minus_first.push(minus_a);
            minus_second.push(minus_b);
        }
        let is = match nodes[all[0] as usize] {
            Operation::Binary(Binary::Mul, ..) => Packed::Product(first, second),
            Operation::Binary(Binary::Div, ..) => Packed::Quotient(first, second),
            Operation::Binary(..) => Packed::Sum([first, second], [minus_first, minus_second]),
            _ => Packed::Neg(first),
        };
        for (k, x) in all.iter().enumerate() {
            self.of.insert(*x, (self.all.len(), k));
        }
        self.all.push(Pack { nodes: all, is });
    }
}

/// A sum of two terms, some of them subtracted: `ADD` or `SUB`, and what each term is multiplied by first.
pub(super) fn signs([first, second]: &[Vec<bool>; 2]) -> (&'static str, [Option<Vec<f64>>; 2]) {
    let of = |minus: &[bool]| {
        let signs = minus.iter().map(|minus| if *minus { -1.0 } else { 1.0 });
        minus.contains(&true).then(|| signs.collect())
    };
    match second.iter().all(|minus| *minus) {
        true => ("SUB", [of(first), None]),
        false => ("ADD", [of(first), of(second)]),
    }
}
