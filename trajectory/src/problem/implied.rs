//! Goals of velocities at the end, of which a part follows from contacts.

use super::Problem;
use crate::constraint::PathConstraint;
use crate::residual::without_implied;
use crate::solver::{Status, Warning};
use crate::trajectory::Trajectory;

/// What follows from contacts may be off by this, m/s or rad/s, before it is told of: contacts drift by about the square of a step.
const DRIFT: f64 = 1e-3;
/// Beyond this share of the fastest joint, or this speed where nothing is fast, contacts contradict what is asked for.
const CONTRADICTS: f64 = 0.1;

impl Problem {
    /// Constraints of the last node without rows that follow from the contacts of the step before it.
    pub(super) fn without_implied(&mut self, constraints: Vec<PathConstraint>) -> Vec<PathConstraint> {
        let held = self.places.last().and_then(|place| self.kinds[place.kind].what.stage());
        let held = held.map_or_else(Vec::new, |stage| stage.held_by_step().to_vec());
        let q = self.start[..self.model.nq()].to_vec();
        let mut made = Vec::new();
        for constraint in constraints {
            match without_implied(&self.model, &q, &constraint, &held) {
                Some((free, implied)) => {
                    self.implied.push(implied);
                    made.push(free);
                }
                None => made.push(constraint),
            }
        }
        made
    }

    /// What contacts leave open of the goals of velocities at the end of a solution: warnings, and, where they contradict these, the status.
    pub(crate) fn judge_implied(&self, at: &Trajectory) -> (Vec<Warning>, Option<Status>) {
        let (last, nq) = (self.steps(), self.model.nq());
        let v = &at.x(last)[nq..nq + self.model.nv()];
        let (mut warnings, mut contradicts) = (Vec::new(), None);
        for implied in &self.implied {
            let off = |(k, goal): (usize, &Option<f64>)| goal.map(|goal| (k, (v[k] - goal).abs(), goal));
            let worst = implied.goal.iter().enumerate().filter_map(off).max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((k, off, goal)) = worst.filter(|(_, off, _)| *off > DRIFT) else { continue };
            let fastest = implied.goal.iter().flatten().fold(1.0_f64, |most, goal| most.max(goal.abs()));
            let [follow, rows] = implied.rows;
            let dof = &self.model.dof_names()[k];
            let found = v[k];
            if off > CONTRADICTS * fastest {
                let contacts: Vec<_> =
                    self.contacts(last - 1).iter().map(|of| format!("contact `{}`", of.name)).collect();
                let goal = format!("`{}` of phase `end`", implied.constraint);
                contradicts = Some(Status::NoFeasiblePoint { constraints: [vec![goal], contacts].concat() });
            }
            warnings.push(Warning {
                about: implied.constraint.clone(),
                node: Some(last),
                text: format!(
                    "{follow} of {rows} rows of `{}` follow from the contacts and are left to them: `{dof}` ends at {found:.3e}, \
                     {goal:.3e} is asked for; shorter steps or gains of the contacts make that less",
                    implied.constraint
                ),
            });
        }
        (warnings, contradicts)
    }
}
