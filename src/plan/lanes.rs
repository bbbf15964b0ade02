//! The lane of each degree of freedom, and the order of sums along the tree.
//!
//! Each column of a motion subspace has a lane. The columns of one joint are adjacent in one group of eight, and follow
//! each other like bodies of a chain, the last of which carries the body. Bodies are in depth-first order, so the
//! subtree of a lane is the run of lanes after it. A floating base may need only one lane (`base_lanes.rs`).
//!
//! A sum from the root (velocities): in round r each lane adds the value at its 2ʳ-th ancestor, so after three rounds
//! it holds the sum over its ancestors in the group. The value at the parents of the group's own roots is added once
//! (pointer jumping; Hillis and Steele, *Data parallel algorithms*, 1986). A sum over subtrees: each lane holds the sum
//! over a window that begins at itself, and adds the window that begins where its own ends, until it covers the
//! subtree. If permutations are expensive, both sums run lane by lane instead (`by_lane.rs`).

use crate::model::Body;
use crate::plan::floating::Floating;
use crate::plan::joints::{Group, Pair};
use crate::plan::rows::Row;
use gradyn_derivatives::{Places, WIDTH};

/// Where the columns stand.
#[derive(Default)]
pub(crate) struct Lanes {
    /// The body of each lane.
    pub(crate) body: Vec<Option<usize>>,
    pub(crate) dof: Vec<Option<usize>>,
    /// First and last lane of each body.
    pub(crate) first: Vec<usize>,
    pub(crate) last: Vec<usize>,
    /// The lane of each one's parent.
    previous: Vec<Option<usize>>,
    /// The last lane of the parent body.
    parent: Vec<Option<usize>>,
    /// End of the lanes of the subtree.
    end: Vec<usize>,
    /// How many columns of the first body have no lane.
    left_out: usize,
}

impl Lanes {
    /// The column of each lane, counted body by body.
    pub(crate) fn columns(&self, bodies: &[Body]) -> Vec<Option<usize>> {
        let (mut columns, mut count) = (vec![None; self.body.len()], self.left_out..);
        for (body, (first, last)) in bodies.iter().zip(self.first.iter().zip(&self.last)) {
            let lanes = *first..last + 1;
            columns[lanes].iter_mut().take(body.v.len()).for_each(|column| *column = count.next());
        }
        columns
    }

    /// The first columns of the first body may have none: `left_out` of them.
    pub(crate) fn new(bodies: &[Body], left_out: usize) -> Self {
        let mut lanes = Self { left_out, ..Self::default() };
        for (i, body) in bodies.iter().enumerate() {
            let left_out = if i == 0 { left_out } else { 0 };
            let n = body.v.len().saturating_sub(left_out).max(1);
            while lanes.body.len() % WIDTH + n > WIDTH {
                lanes.push(None, None, None, None);
            }
            let parent = body.parent.map(|p| lanes.last[p]);
            lanes.first.push(lanes.body.len());
            for k in 0..n {
                let previous = if k == 0 { parent } else { Some(lanes.body.len() - 1) };
                lanes.push(Some(i), body.v.clone().nth(left_out + k), previous, parent);
            }
            lanes.last.push(lanes.body.len() - 1);
        }
        while !lanes.body.len().is_multiple_of(WIDTH) {
            lanes.push(None, None, None, None);
        }
        lanes.end = (0..lanes.body.len())
            .map(|lane| lanes.body[lane].map_or(lane + 1, |i| lanes.last[bodies[i].subtree_end - 1] + 1))
            .collect();
        lanes
    }

    fn push(&mut self, body: Option<usize>, dof: Option<usize>, previous: Option<usize>, parent: Option<usize>) {
        self.body.push(body);
        self.dof.push(dof);
        self.previous.push(previous);
        self.parent.push(parent);
    }

    pub(crate) fn groups(&self) -> Vec<Group> {
        (0..self.body.len() / WIDTH).map(|g| self.group(g)).collect()
    }

    fn group(&self, g: usize) -> Group {
        let lanes = g * WIDTH..(g + 1) * WIDTH;
        let inside = |lane: usize| lane / WIDTH == g;
        let bodies = || lanes.clone().filter_map(|lane| self.body[lane]);
        // In this group one lane a body?
        let single = bodies().all(|i| self.first[i] == self.last[i]);

        let previous: [Option<usize>; WIDTH] =
            std::array::from_fn(|k| self.previous[lanes.start + k].filter(|p| inside(*p)).map(|p| p % WIDTH));
        let mut jump = previous;
        let mut ancestors = Vec::new();
        while jump.iter().any(Option::is_some) {
            ancestors.push(Places::new(jump));
            jump = jump.map(|place| place.and_then(|p| jump[p]));
        }
        let entry = |lane: usize| {
            let mut at = self.previous[lane];
            while let Some(p) = at.filter(|p| inside(*p)) {
                at = self.previous[p];
            }
            at
        };
        let own = std::array::from_fn(|k| self.body[lanes.start + k].map(|i| self.last[i] % WIDTH));

        let mut window = [1; WIDTH];
        let mut subtree = Vec::new();
        loop {
            let from: [Option<usize>; WIDTH] = std::array::from_fn(|k| {
                let next = k + window[k];
                (next < WIDTH && lanes.start + next < self.end[lanes.start + k]).then_some(next)
            });
            if from.iter().all(Option::is_none) {
                break;
            }
            subtree.push(Places::new(from));
            let old = window;
            for (k, from) in from.iter().enumerate() {
                window[k] += from.map_or(0, |from| old[from]);
            }
        }
        let zero = [Row::ZERO; 6];
        let children_after = self.children_after(g);
        Group {
            hinges: false,
            single,
            floats: false,
            subspace: zero,
            axes: [Row::ZERO; 9],
            mass: Row::ZERO,
            com: [Row::ZERO; 3],
            rotational: zero,
            ancestors,
            ancestors_before: gather(lanes.clone().map(entry).collect()),
            parent: gather(lanes.clone().map(|lane| self.parent[lane]).collect()),
            own: Places::new(own),
            subtree,
            subtree_after: rounds(&children_after),
            links: previous.map(|place| place.unwrap_or(WIDTH)),
            parents_before: std::array::from_fn(|k| {
                self.previous[lanes.start + k].filter(|p| !inside(*p)).map(|p| (p / WIDTH, p % WIDTH))
            }),
            children_after,
        }
    }

    /// Lanes of later groups whose parents are lanes of this one: the lane, the group, its lane.
    fn children_after(&self, g: usize) -> Vec<(usize, usize, usize)> {
        let child = |lane: usize| {
            let parent = self.previous[lane].filter(|p| p / WIDTH == g)?;
            Some((parent % WIDTH, lane / WIDTH, lane % WIDTH))
        };
        ((g + 1) * WIDTH..self.body.len()).filter_map(child).collect()
    }

    /// Which entries of a matrix can be other than zero.
    pub(crate) fn pairs(&self, bodies: &[Body], floating: &[Floating]) -> Vec<Vec<Pair>> {
        let carries = |above: usize, below: usize| (above..bodies[above].subtree_end).contains(&below);
        let rows = |g: usize| {
            let mut pairs = Vec::new();
            for (column, body) in self.body.iter().enumerate() {
                let Some(j) = *body else { continue };
                let is_known = |base: &Floating| self.dof[column].is_some_and(|dof| base.knows(dof) == [true; 2]);
                let mut pair = Pair {
                    column,
                    to: self.left_out + column,
                    above: 0,
                    below: 0,
                    floating: floating.iter().any(is_known),
                };
                for k in 0..WIDTH {
                    let Some(i) = self.body[g * WIDTH + k] else { continue };
                    pair.above |= u8::from(carries(i, j)) << k;
                    pair.below |= u8::from(i != j && carries(j, i)) << k;
                }
                if pair.above | pair.below != 0 {
                    pairs.push(pair);
                }
            }
            pairs
        };
        (0..self.body.len() / WIDTH).map(rows).collect()
    }
}

/// What lanes take from others group by group: each lane takes one a round.
fn rounds(children: &[(usize, usize, usize)]) -> Vec<(usize, Places)> {
    let mut rounds: Vec<(usize, [Option<usize>; WIDTH])> = Vec::new();
    for &(lane, group, child) in children {
        match rounds.iter_mut().find(|(source, from)| *source == group && from[lane].is_none()) {
            Some((_, from)) => from[lane] = Some(child),
            None => {
                let mut from = [None; WIDTH];
                from[lane] = Some(child);
                rounds.push((group, from));
            }
        }
    }
    rounds.into_iter().map(|(group, from)| (group, Places::new(from))).collect()
}

/// What to take from each group for these eight lanes.
fn gather(from: Vec<Option<usize>>) -> Vec<(usize, Places)> {
    let mut sources: Vec<usize> = from.iter().flatten().map(|lane| lane / WIDTH).collect();
    sources.sort_unstable();
    sources.dedup();
    let places = |group: usize| {
        Places::new(std::array::from_fn(|k| from[k].filter(|lane| lane / WIDTH == group).map(|lane| lane % WIDTH)))
    };
    sources.into_iter().map(|group| (group, places(group))).collect()
}
