//! What the tree says of eight directions at a time: which bodies they reach.

use crate::model::Model;
use gradyn_derivatives::WIDTH;
use std::ops::Range;

/// For each chunk of degrees of freedom, what they reach.
#[derive(Clone, Debug)]
pub(in crate::partials) struct Reach {
    chunks: Vec<Chunk>,
}

/// Up to eight neighboring degrees of freedom.
///
/// Moving one of them moves the bodies below its joints and nothing else; the forces of those bodies then reach the
/// joints on the paths from there to the root.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// The degrees of freedom: one a lane.
    pub(super) dofs: Range<usize>,
    /// Bodies whose joints have coordinates of their own that these change.
    pub(super) owners: Vec<usize>,
    /// Bodies that move, parents before their children.
    pub(super) moved: Vec<Moved>,
    /// Parents of these that do not move.
    pub(super) standing: Vec<usize>,
    /// All bodies that do not move and carry some that do, children before their parents.
    pub(super) carriers: Vec<usize>,
    /// Torques that can depend on the directions: runs of at most [`WIDTH`] neighbors, ascending.
    pub(super) runs: Vec<Range<usize>>,
}

/// A body that moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) body: usize,
    /// Whether its own joint moves, and not only one that carries it.
    pub(super) driven: bool,
}

impl Reach {
    pub(in crate::partials) fn new(model: &Model) -> Self {
        let chunk = |start: usize| Chunk::new(model, start..(start + WIDTH).min(model.nv));
        Self { chunks: (0..model.nv).step_by(WIDTH).map(chunk).collect() }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Chunk> {
        self.chunks.iter()
    }
}

impl Chunk {
    fn new(model: &Model, dofs: Range<usize>) -> Self {
        let bodies = &model.bodies;
        let none = vec![false; bodies.len()];
        let (mut moves, mut carries, mut stands) = (none.clone(), none.clone(), none);
        let (mut moved, mut owners) = (Vec::new(), Vec::new());
        for (i, body) in bodies.iter().enumerate() {
            let driven = body.v.start.max(dofs.start) < body.v.end.min(dofs.end);
            if driven && body.owns_coordinates {
                owners.push(i);
            }
            let is_carried = body.parent.is_some_and(|p| moves[p]);
            moves[i] = driven || is_carried;
            if moves[i] {
                moved.push(Moved { body: i, driven });
            }
            if let (true, false, Some(p)) = (driven, is_carried, body.parent) {
                stands[p] = true;
            }
        }
        for i in (0..bodies.len()).rev() {
            if let (true, Some(p)) = (moves[i] || carries[i], bodies[i].parent) {
                carries[p] |= !moves[p];
            }
        }
        let indices = |flags: &[bool]| flags.iter().enumerate().filter(|f| *f.1).map(|f| f.0).collect::<Vec<_>>();
        let mut depends = vec![false; model.nv];
        for (i, body) in bodies.iter().enumerate() {
            if moves[i] || carries[i] {
                depends[body.v.clone()].fill(true);
            }
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        for row in indices(&depends) {
            match runs.last_mut() {
                Some(run) if run.end == row && run.len() < WIDTH => run.end += 1,
                _ => runs.push(row..row + 1),
            }
        }
        let mut carriers = indices(&carries);
        carriers.reverse();
        Self { dofs, owners, moved, standing: indices(&stands), carriers, runs }
    }

    /// Whether this body moves.
    #[inline(always)]
    pub(super) fn moves(&self, body: usize) -> bool {
        self.moved.binary_search_by_key(&body, |moved| moved.body).is_ok()
    }
}
