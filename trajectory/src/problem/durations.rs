//! Durations of phases in a trajectory, if the solver chooses them.

use super::Problem;
use crate::fault::{Item, ProblemError, ProblemPlace};
use crate::node::Node;
use crate::trajectory::Trajectory;

impl Problem {
    /// How long a phase is in a trajectory, s: its variable where that is free, and else the sum of its steps.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such phase, [`ProblemError::Missing`] if the trajectory has other sizes
    /// than the problem.
    pub fn duration(&self, phase: &str, at: &Trajectory) -> Result<f64, ProblemError> {
        self.check_sizes(at)?;
        let nodes = self.nodes_of(phase)?;
        match self.clocks.iter().find(|(name, _)| name == phase) {
            Some((_, index)) => Ok(self.space().split(at.x(nodes.start)).2[*index]),
            None => Ok(nodes.map(|k| self.dt(k)).sum()),
        }
    }
    /// Times of all nodes in a trajectory, s, whose phases last as long as it says where that
    /// [is free](crate::Phase::free_duration). If it has other sizes than the problem, as long as they were made.
    ///
    /// Cost: one pass over the nodes.
    #[must_use]
    pub fn times(&self, at: &Trajectory) -> Vec<f64> {
        let planned = (0..=self.steps()).map(|k| self.time(k));
        if self.clocks.is_empty() || !at.fits(self) {
            return planned.collect();
        }
        let share = |phase: &str| {
            let nominal: f64 = self.nodes_of(phase).map_or(0.0, |nodes| nodes.map(|k| self.dt(k)).sum());
            self.duration(phase, at).map_or(1.0, |duration| duration / nominal)
        };
        let shares: Vec<_> = self.clocks.iter().map(|(phase, _)| (phase.as_str(), share(phase))).collect();
        let mut time = 0.0;
        let mut times = vec![0.0];
        for k in 0..self.steps() {
            let free = shares.iter().find(|(phase, _)| *phase == self.phase_of(k));
            time += self.dt(k) * free.map_or(1.0, |(_, share)| *share);
            times.push(time);
        }
        times
    }
    /// The shortest and the longest that a node's step can be, s.
    pub(crate) fn step_lengths(&self, k: usize) -> [f64; 2] {
        let (dt, phase) = (self.dt(k), self.phase_of(k));
        let Some((_, index)) = self.clocks.iter().find(|(name, _)| name == phase) else { return [dt; 2] };
        let nominal: f64 = self.nodes_of(phase).map_or(0.0, |nodes| nodes.map(|k| self.dt(k)).sum());
        let chosen = self.free_durations().find(|(name, _)| *name == phase);
        // Where bounds are equal the start has what it is.
        let bounds = chosen.map_or([self.space().split(&self.start).2[*index]; 2], |(_, bounds)| bounds);
        bounds.map(|bound| dt / nominal * bound)
    }
    /// The phases whose duration is chosen, and its bounds, s.
    pub fn free_durations(&self) -> impl Iterator<Item = (&str, [f64; 2])> {
        let bounds = self.choice().and_then(Node::control_bounds);
        self.clocks.iter().filter_map(move |(phase, index)| {
            let control = self.choice()?.control(index - self.memory.rates)?;
            let (lower, upper) = bounds?;
            Some((phase.as_str(), [lower[control], upper[control]]))
        })
    }
    /// Writes how long a phase lasts into a guess, s, where that [is free](crate::Phase::free_duration).
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no phase with a free duration of this name, [`ProblemError::Number`] if it
    /// is not positive, [`ProblemError::Missing`] if the guess has other sizes than the problem.
    pub fn set_duration(&self, phase: &str, seconds: f64, guess: &mut Trajectory) -> Result<(), ProblemError> {
        self.check_sizes(guess)?;
        let Some((_, index)) = self.clocks.iter().find(|(name, _)| name == phase) else {
            let (place, what) = ("the problem".into(), "phase with a free duration");
            return Err(ProblemError::Unknown { place, what, name: phase.into(), nearest: None });
        };
        if !(seconds.is_finite() && seconds > 0.0) {
            let (what, rule) = ("the duration", "it must be positive, s");
            return Err(ProblemError::Number {
                place: ProblemPlace::Duration(Item::new(self.find(phase)?, phase)),
                what,
                value: seconds,
                rule,
            });
        }
        self.carry(*index..index + 1, &[seconds], guess);
        Ok(())
    }
    /// Checks that it is a trajectory of this problem.
    pub(crate) fn check_sizes(&self, at: &Trajectory) -> Result<(), ProblemError> {
        let what = "it has other sizes than the problem";
        if at.fits(self) { Ok(()) } else { Err(ProblemError::Missing { place: "the trajectory".into(), what }) }
    }
}
