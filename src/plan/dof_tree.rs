//! The degrees of freedom as a tree: which of them couple in the mass matrix, and in its factors.

use crate::model::Model;
use gradyn_derivatives::{Real, WIDTH};

/// For each degree of freedom, those on its path to the root.
///
/// Without mimic joints the tree is that of the bodies, expanded to one node a degree of freedom (RBDA, section 6.5). A
/// degree of freedom that moves several bodies couples branches, so the tree is made from the pattern of the mass
/// matrix instead: the parent of `k` is the last of those before `k` that couple with it, or come to when later ones
/// are eliminated (the elimination tree of sparse matrix algebra). All that `k` couples with then lies on its path, in
/// both cases.
#[derive(Clone, Debug, Default)]
pub(crate) struct DofTree {
    /// Where the path of each degree of freedom starts in `paths`; one more at the end.
    pub(crate) start: Vec<usize>,
    /// The paths, each from the root down to the degree of freedom itself. A path is the beginning of those below it.
    pub(crate) paths: Vec<usize>,
}

impl DofTree {
    pub(crate) fn new<P: Real>(model: &Model<P>) -> Self {
        Self::of_parents(parents(model))
    }

    /// The tree of a matrix without zeros.
    pub(crate) fn chain(rows: usize) -> Self {
        Self::of_parents((0..rows).map(|k| k.checked_sub(1)).collect())
    }

    fn of_parents(parents: Vec<Option<usize>>) -> Self {
        let (mut start, mut paths) = (vec![0], Vec::<usize>::new());
        for (k, parent) in parents.into_iter().enumerate() {
            if let Some(p) = parent {
                paths.extend_from_within(start[p]..start[p + 1]);
            }
            paths.push(k);
            start.push(paths.len());
        }
        Self { start, paths }
    }

    /// Degrees of freedom on the path to the root, the one itself last.
    #[inline(always)]
    pub(crate) fn path(&self, dof: usize) -> &[usize] {
        &self.paths[self.start[dof]..self.start[dof + 1]]
    }

    /// How many products of blocks of eight by eight a factorization along the paths takes.
    pub(crate) fn block_products(&self) -> usize {
        let nv = self.start.len() - 1;
        let groups = |g: usize| -> usize {
            let mut above: Vec<usize> =
                (g * WIDTH..nv.min(g * WIDTH + WIDTH)).flat_map(|k| self.path(k).iter().map(|i| i / WIDTH)).collect();
            above.sort_unstable();
            above.dedup();
            above.len() - 1
        };
        (0..nv.div_ceil(WIDTH)).map(groups).map(|above| 1 + above * (above + 3) / 2).sum()
    }

    /// The next one on the path to the root.
    pub(crate) fn parent(&self, dof: usize) -> Option<usize> {
        self.path(dof).iter().rev().nth(1).copied()
    }
}

/// That of the bodies, a node for each degree of freedom: where no joint shares those of another.
fn of_bodies<P: Real>(model: &Model<P>) -> Vec<Option<usize>> {
    let mut parents = vec![None; model.nv];
    // Of each body, the last degree of freedom between it and the root, its own included.
    let mut last: Vec<Option<usize>> = Vec::with_capacity(model.bodies.len());
    for body in &model.bodies {
        let mut above = body.parent.and_then(|parent| last[parent]);
        for dof in body.v.clone() {
            parents[dof] = above.replace(dof);
        }
        last.push(above);
    }
    parents
}

/// The elimination tree of the mass matrix, last degree of freedom first.
fn parents<P: Real>(model: &Model<P>) -> Vec<Option<usize>> {
    let nv = model.nv;
    if model.bodies.iter().all(|body| body.owns_coordinates) {
        return of_bodies(model);
    }
    let mut coupled = vec![false; nv * nv];
    for (i, body) in model.bodies.iter().enumerate() {
        for below in &model.bodies[i..body.subtree_end] {
            for a in body.v.clone() {
                for b in below.v.clone() {
                    (coupled[a * nv + b], coupled[b * nv + a]) = (true, true);
                }
            }
        }
    }
    let mut parents = vec![None; nv];
    for k in (0..nv).rev() {
        let parent = (0..k).rev().find(|&j| coupled[k * nv + j]);
        parents[k] = parent;
        if let Some(p) = parent {
            // What k couples with, its parent does once k is eliminated.
            for j in 0..p {
                coupled[p * nv + j] |= coupled[k * nv + j];
            }
        }
    }
    parents
}
