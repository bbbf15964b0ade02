//! The state that a problem leads to, if it is given.

use super::Problem;
use crate::loss::Loss;
use crate::quadratic::Dims;

impl Problem {
    /// The start with those entries replaced that a constraint of the last node asks for, or, without any, a cost
    /// there: where guesses lead to. `None` if neither names a state.
    pub(crate) fn goal_state(&self) -> Option<Vec<f64>> {
        let last = self.steps();
        let (stage, parameters) = (self.stage(last)?, self.parameters(last));
        let held = stage.constraints().find_map(|(_, slots, residual)| {
            let goal =
                residual.goal_state(&parameters[slots.goal.clone()]).filter(|_| parameters[slots.counts] > 0.0)?;
            let (lower, upper) = (&parameters[slots.lower.clone()], &parameters[slots.upper.clone()]);
            Some((goal, lower.iter().zip(upper).map(|(l, u)| l.is_finite() && u.is_finite()).collect::<Vec<_>>()))
        });
        let wanted = || {
            stage.terms_with_losses().find_map(|(slots, residual, loss)| {
                let goal = residual.goal_state(&parameters[slots.goal.clone()])?;
                let weighs = |i: usize| match loss {
                    Loss::Diagonal(w) => w[i] > 0.0,
                    _ => true,
                };
                (parameters[slots.weight] > 0.0).then(|| (goal, (0..residual.rows()).map(weighs).collect()))
            })
        };
        let (goal, counts) = held.or_else(wanted)?;
        let Dims { nx, ndx, .. } = self.dims(last);
        let (space, mut direction, mut made) = (self.space(), vec![0.0; ndx], self.start.clone());
        made[..goal.len()].copy_from_slice(goal);
        space.difference(&self.start, &made, &mut direction).ok()?;
        direction.iter_mut().zip(counts).for_each(|(d, counts)| *d *= f64::from(counts));
        direction[2 * self.model.nv()..].fill(0.0);
        let mut goal = vec![0.0; nx];
        space.integrate(&self.start, &direction, &mut goal).ok()?;
        Some(goal)
    }
}
