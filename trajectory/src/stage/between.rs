//! A stage between its nodes: substeps of its step by a method of higher order, and the constraints that hold along it.

use super::{Stage, StageConstraint, StageMemory, TermMemory, memory_of, view};
use crate::fault::{Reason, finite};
use crate::node::{At, Memory, NodeError};
use crate::residual::ResidualPoint;
use crate::step::StepView;

impl Stage {
    /// Whether its step has a method of higher order.
    pub(crate) fn has_reference(&self, memory: &mut Memory) -> Result<bool, Reason> {
        let Some(step) = self.step.as_ref().filter(|step| !step.jumps()) else { return Ok(false) };
        let StageMemory { reference, model, .. } = memory_of(memory)?;
        if reference.is_none() {
            *reference = step.reference_memory(model);
        }
        Ok(reference.is_some())
    }
    /// The order of its step.
    pub(crate) fn order(&self) -> u32 {
        self.step.as_ref().map_or(1, |step| step.order())
    }
    /// This share of the step from a state on, by the method of higher order, after
    /// [`has_reference`](Self::has_reference); what states remember stays. Acceleration and multipliers are then those
    /// at the state.
    pub(crate) fn substep(
        &self,
        at: At<'_>,
        share: f64,
        memory: &mut Memory,
        next: &mut [f64],
    ) -> Result<(), NodeError> {
        let at = self.timed(at)?;
        let at = At { dt: share * at.dt, ..at };
        let memory = memory_of(memory)?;
        self.settle(at, memory)?;
        let (q, v, w) = self.space().split(at.x);
        let StageMemory { model, varied, workspace, derivatives, reference, a, f, .. } = memory;
        let (Some(step), Some(own)) = (&self.step, reference) else {
            return Err(Reason::NoReference.into());
        };
        let u = varied.as_ref().map_or(at.u, |varied| &varied.u);
        let mut on = StepView { model, at, q, v, u, workspace, derivatives, own: &mut **own, a, f };
        let (state, remembered) = next.split_at_mut(q.len() + v.len());
        step.reference(&mut on, state)?;
        remembered.copy_from_slice(w);
        finite("the next state", next)?;
        Ok(())
    }
    /// Writes what a state remembers after a step with these controls.
    pub(crate) fn remembers(&self, u: &[f64], x: &mut [f64]) {
        let first = x.len() - self.memory.count();
        let before = x[first..].to_vec();
        self.remember(u, &before, &mut x[first..]);
    }
    /// The rows of its constraints where the last [`substep`](Self::substep) began, by name, each with its residual's
    /// numbers, lower and upper bounds, and whether they are a cone; of those that `count`.
    pub(crate) fn each_row(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        count: &[bool],
        mut take: impl FnMut(usize, Rows<'_>),
    ) -> Result<(), NodeError> {
        let (at, memory) = (self.timed(at)?, memory_of(memory)?);
        for (i, (held, TermMemory { own, r, .. })) in self.held.iter().zip(&mut memory.held).enumerate() {
            if !count[i] {
                continue;
            }
            held.residual.value(&mut view!(self, at, memory, held, own), r).map_err(|reason| held.error(reason))?;
            finite("the constraint", r).map_err(|reason| held.error(reason))?;
            let (lower, upper) = (&at.parameters[held.lower.clone()], &at.parameters[held.upper.clone()]);
            take(i, Rows { r, lower, upper, is_cone: held.is_cone() });
        }
        Ok(())
    }
    /// Which constraints hold between a node and the next one: those that hold along the phase, or at both. Numbers are
    /// the parameters of the node, of the next one, and of that after it, where they are of this stage; `named` says
    /// whether the next node has a constraint of this name. Constraints of the state do not count at the start, which
    /// is given: there it is the next two nodes that tell.
    pub(crate) fn between(
        &self,
        [before, after, later]: [Option<&[f64]>; 3],
        is_start: bool,
        named: impl Fn(&str) -> bool,
    ) -> Vec<bool> {
        let Some(before) = before else { return vec![false; self.held.len()] };
        let holds = |held: &StageConstraint| {
            let at = |parameters: &[f64]| parameters[held.counts] > 0.0;
            let follows = after.map_or_else(|| named(&held.name), at);
            let begins = at(before) || (is_start && after.is_some() && later.is_none_or(at));
            // A goal that moves from node to node says nothing of what is between them.
            let stays = after
                .is_none_or(|after| !at(before) || !at(after) || after[held.goal.clone()] == before[held.goal.clone()]);
            stays && ((held.along && at(before)) || (begins && follows))
        };
        self.held.iter().map(holds).collect()
    }
    /// A constraint by its place: its name, that of one of its rows if it has any, and whether it sees accelerations or
    /// forces.
    pub(crate) fn row_of(&self, constraint: usize, row: usize) -> (&str, Option<String>, bool) {
        let held = &self.held[constraint];
        let depends = held.residual.depends();
        (&held.name, held.residual.row_name(&self.model, row), depends.a || depends.f || depends.u)
    }
}

/// Numbers of a constraint.
pub(crate) struct Rows<'a> {
    r: &'a [f64],
    lower: &'a [f64],
    upper: &'a [f64],
    is_cone: bool,
}

impl Rows<'_> {
    /// By how much a row is violated, and which one most.
    pub(crate) fn violation(&self) -> (f64, usize) {
        if self.is_cone {
            let Some((t, w)) = self.r.split_first() else { return (0.0, 0) };
            return ((w.iter().map(|x| x * x).sum::<f64>().sqrt() - t).max(0.0), 0);
        }
        let mut worst = (0.0, 0);
        for (i, (r, (l, u))) in self.r.iter().zip(self.lower.iter().zip(self.upper)).enumerate() {
            let off = (l - r).max(r - u);
            if off > worst.0 {
                worst = (off, i);
            }
        }
        worst
    }
}
