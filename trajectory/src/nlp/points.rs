//! Conversion of trajectories to variables, and of multipliers of nodes to those of rows, and back.

use super::Nlp;
use crate::fault::Fault;
use crate::quadratic::Multipliers;
use crate::trajectory::Trajectory;

/// Multipliers of a program as those of a problem's nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NlpMultipliers {
    /// λ of the start, along the directions of the first state, ndx.
    pub start: Vec<f64>,
    /// Of each node: of its step, along the directions of the next state, of its equalities, and of its rows between
    /// bounds. Zero for those that do not count.
    pub nodes: Vec<Multipliers>,
}

impl Nlp<'_> {
    /// The variables of a trajectory.
    ///
    /// # Errors
    /// [`Fault`] where a state is half a turn away from the base.
    pub fn variables(&self, at: &Trajectory, w: &mut [f64]) -> Result<(), Fault> {
        let space = self.problem.space();
        for (k, layout) in self.layout.iter().enumerate() {
            let (x, u) = w[layout.x..][..layout.variables()].split_at_mut(layout.dims.ndx);
            space.difference(self.base.x(k), at.x(k), x).map_err(|reason| self.fault(k, reason))?;
            u.copy_from_slice(at.u(k));
        }
        Ok(())
    }
    /// The trajectory of variables.
    ///
    /// # Errors
    /// [`Fault`] where a number is not finite.
    pub fn trajectory(&self, w: &[f64]) -> Result<Trajectory, Fault> {
        let space = self.problem.space();
        let mut at = self.base.clone();
        for (k, layout) in self.layout.iter().enumerate() {
            let (x, u) = w[layout.x..][..layout.variables()].split_at(layout.dims.ndx);
            space.integrate(self.base.x(k), x, at.x_mut(k)).map_err(|reason| self.fault(k, reason))?;
            at.u_mut(k).copy_from_slice(u);
        }
        Ok(at)
    }
    /// The multipliers of rows at w as those of nodes, along the directions of their states.
    ///
    /// # Errors
    /// [`Fault`] where a joint is a whole turn away from the base.
    pub fn multipliers(&self, w: &[f64], lambda: &[f64]) -> Result<NlpMultipliers, Fault> {
        let last = self.problem.steps();
        let mut nodes = Vec::new();
        let first = &self.layout[0];
        let mut start = lambda[first.first + first.gaps..][..first.starts].to_vec();
        self.turn(0, w, &mut start, true)?;
        for (k, layout) in self.layout.iter().enumerate() {
            let mut of = Multipliers::new(layout.dims, k == last);
            let mut block = vec![0.0; of.next.len() + of.eq.len() + of.ineq.len()];
            layout.of_block(lambda, &mut block);
            let (next, rest) = block.split_at(of.next.len());
            of.next.copy_from_slice(next);
            of.eq.copy_from_slice(&rest[..of.eq.len()]);
            of.ineq.copy_from_slice(&rest[of.eq.len()..]);
            self.of_cones(k, w, of.ineq.as_mut_slice(), true)?;
            if k < last {
                self.turn(k + 1, w, of.next.as_mut_slice(), true)?;
            }
            nodes.push(of);
        }
        Ok(NlpMultipliers { start, nodes })
    }
    /// The multipliers of nodes as those of rows at w: the inverse of [`multipliers`](Self::multipliers), where those
    /// of cones are along their rows w.
    ///
    /// # Errors
    /// [`Fault`] where a joint is a whole turn away from the base.
    pub fn row_multipliers(&self, w: &[f64], of: &NlpMultipliers, lambda: &mut [f64]) -> Result<(), Fault> {
        let last = self.problem.steps();
        for (k, (layout, of_node)) in self.layout.iter().zip(&of.nodes).enumerate() {
            let mut next = of_node.next.as_slice().to_vec();
            if k < last {
                self.turn(k + 1, w, &mut next, false)?;
            }
            lambda[layout.first..][..layout.gaps].copy_from_slice(&next);
            if k == 0 {
                let start = &mut lambda[layout.first + layout.gaps..][..layout.starts];
                start.copy_from_slice(&of.start);
                self.turn(0, w, start, false)?;
            }
            let mut ineq = of_node.ineq.as_slice().to_vec();
            self.of_cones(k, w, &mut ineq, false)?;
            let rows: Vec<f64> = of_node.eq.iter().copied().chain(ineq).collect();
            for (i, row) in layout.held.iter().enumerate() {
                lambda[layout.held_row(i)] = rows[row - layout.gaps];
            }
        }
        Ok(())
    }

    /// Multipliers of what makes a node's state: from the base's directions to those of the state, or back.
    fn turn(&self, k: usize, w: &[f64], lambda: &mut [f64], to_state: bool) -> Result<(), Fault> {
        let delta = &w[self.layout[k].x..][..self.layout[k].dims.ndx];
        let frames = if to_state { self.chart.inverse_frames(delta) } else { self.chart.frames(delta) };
        self.chart.pull(&frames.map_err(|reason| self.fault(k, reason))?, lambda);
        Ok(())
    }
}
