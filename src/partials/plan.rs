//! The structure of the tree, for eight directions at a time.

use crate::model::Model;
use gradyn_derivatives::simd::WIDTH;
use std::ops::Range;

/// For each chunk of degrees of freedom, what they reach.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) chunks: Vec<Chunk>,
}

/// Up to eight neighbouring degrees of freedom.
///
/// Moving one of them moves the bodies below its joints and nothing else; the forces of those bodies then reach the
/// joints on the paths from there to the root.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// The degrees of freedom: one a lane.
    pub(super) dofs: Range<usize>,
    /// Bodies that move, in depth-first order.
    pub(super) moved: Vec<Moved>,
    /// The way back: these bodies and those that carry some of them, children before their parents.
    pub(super) returned: Vec<Returned>,
    /// Bodies that do not move, at which branches with bodies that do join.
    pub(super) junctions: Vec<usize>,
    /// Do several bodies share a degree of freedom, so that its torque is a sum?
    pub(super) shares: bool,
    /// Torques that can depend on the directions: runs of at most [`WIDTH`] neighbours, ascending.
    pub(super) runs: Vec<Range<usize>>,
}

/// A body that moves.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    pub(super) body: usize,
    /// Where derivatives of the parent's motion stand: those of body `i` at `i + 1`, of what stands still at 0.
    pub(super) from: usize,
    /// Columns of its joint, of those of all bodies one after the other, that the degrees of freedom move along.
    pub(super) driven: Range<usize>,
    /// The lane of the first of these; the others follow.
    pub(super) lane: usize,
}

/// A body on the way back to the root.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    pub(super) body: usize,
    pub(super) parent: Option<usize>,
    /// Has it a force of its own, or of branches? Others only hand on that of the one before.
    pub(super) acts: bool,
    /// Is the parent next?
    pub(super) goes_on: bool,
    /// Columns of its joint, of those of all bodies.
    pub(super) columns: Range<usize>,
    /// The degree of freedom of the first of these; the others follow.
    pub(super) dof: usize,
    /// Does its motion change the columns? Then it moves, and they depend on `q`.
    pub(super) varies: bool,
    /// As of [`Moved`]; none, if the body does not move.
    pub(super) driven: Range<usize>,
    pub(super) lane: usize,
}

impl Plan {
    pub(super) fn new(model: &Model) -> Self {
        let chunk = |start: usize| Chunk::new(model, start..(start + WIDTH).min(model.nv()));
        Self { chunks: (0..model.nv()).step_by(WIDTH).map(chunk).collect() }
    }
}

impl Chunk {
    fn new(model: &Model, dofs: Range<usize>) -> Self {
        let bodies = model.bodies();
        let (mut moves, mut carries) = (vec![false; bodies.len()], vec![false; bodies.len()]);
        let (mut moved, mut starts, mut first) = (Vec::new(), Vec::new(), 0);
        for (i, body) in bodies.iter().enumerate() {
            let (start, end) = (body.v.start.max(dofs.start), body.v.end.min(dofs.end));
            let (driven, lane) = if start < end {
                (first + start - body.v.start..first + end - body.v.start, start - dofs.start)
            } else {
                (first..first, 0)
            };
            let from = body.parent.filter(|p| moves[*p]).map_or(0, |p| p + 1);
            moves[i] = !driven.is_empty() || from > 0;
            if moves[i] {
                moved.push(Moved { body: i, from, driven, lane });
            }
            starts.push(first);
            first += body.v.len();
        }
        for i in (0..bodies.len()).rev() {
            if let (true, Some(p)) = (moves[i] || carries[i], bodies[i].parent) {
                carries[p] |= !moves[p];
            }
        }
        let mut depends = vec![false; model.nv()];
        for (i, body) in bodies.iter().enumerate() {
            if moves[i] || carries[i] {
                depends[body.v.clone()].fill(true);
            }
        }
        let indices = |flags: &[bool]| flags.iter().enumerate().filter(|f| *f.1).map(|f| f.0).collect::<Vec<_>>();
        let still = indices(&carries).into_iter().rev().map(|i| (i, 0..0, 0));
        let on_the_way = moved.iter().rev().map(|moved: &Moved| (moved.body, moved.driven.clone(), moved.lane));
        let returned = on_the_way.chain(still).map(|(i, driven, lane)| {
            let (body, start) = (&bodies[i], starts[i]);
            let columns = start..start + body.v.len();
            let (dof, varies) = (body.v.start, body.subspace_varies);
            Returned {
                body: i,
                parent: body.parent,
                acts: moves[i],
                goes_on: false,
                columns,
                dof,
                varies: varies && moves[i],
                driven,
                lane,
            }
        });
        let mut returned: Vec<_> = returned.collect();
        for k in 1..returned.len() {
            returned[k - 1].goes_on = returned[k - 1].parent == Some(returned[k].body);
        }
        let mut joins = vec![false; bodies.len()];
        for step in returned.iter().filter(|step| !step.goes_on) {
            if let Some(p) = step.parent {
                joins[p] = true;
            }
        }
        for step in &mut returned {
            step.acts |= joins[step.body];
        }
        let junctions = indices(&joins).into_iter().filter(|i| !moves[*i]).collect();
        let shares =
            returned.iter().map(|step| step.columns.len()).sum::<usize>() > depends.iter().filter(|d| **d).count();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for row in indices(&depends) {
            match runs.last_mut() {
                Some(run) if run.end == row && run.len() < WIDTH => run.end += 1,
                _ => runs.push(row..row + 1),
            }
        }
        Self { dofs, moved, returned, junctions, shares, runs }
    }
}
