//! Velocity goals at the end, part of which follows from contacts.

use super::Problem;
use crate::constraint::PathConstraint;
use crate::residual::without_implied;
use crate::solver::{Status, Warning};
use crate::trajectory::Trajectory;
use gradyn::dynamics::{Workspace, constraint_jacobian};
use nalgebra::DVector;

/// Velocities of what is held, m/s or rad/s, before they are told of: contacts drift by about the square of a step.
const DRIFT: f64 = 1e-3;
/// Joints may move by this, rad/s or m/s, where contacts let them, near a stretched leg.
const MOVES: f64 = 1e-2;
/// Beyond this velocity of what is held, m/s or rad/s, what is asked for contradicts the contacts.
const CONTRADICTS: f64 = 1e-2;

impl Problem {
    /// Constraints of the last node without rows that follow from the contacts of the step before it.
    pub(super) fn without_implied(&mut self, constraints: Vec<PathConstraint>) -> Vec<PathConstraint> {
        let held = self.nodes.last().and_then(|node| self.phases[node.phase].content.stage());
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

    /// What contacts leave open of the goals of velocities at the end of a solution: warnings, and, where they
    /// contradict these, the status.
    pub(crate) fn judge_implied(&self, at: &Trajectory) -> (Vec<Warning>, Option<Status>) {
        let (last, nq) = (self.steps(), self.model.nq());
        let v = &at.x(last)[nq..nq + self.model.nv()];
        let (mut warnings, mut contradicts) = (Vec::new(), None);
        for implied in &self.implied {
            let asked: Vec<f64> = implied.goal.iter().zip(v).map(|(goal, v)| goal.unwrap_or(*v)).collect();
            let mut workspace = Workspace::new(&self.model);
            let Ok(jacobian) = constraint_jacobian(&self.model, &mut workspace, &at.x(last)[..nq], &implied.held)
            else {
                continue;
            };
            let held = |v: &[f64]| (jacobian * DVector::from_column_slice(v)).amax();
            let (drift, wanted) = (held(v), held(&asked));
            let off =
                asked.iter().zip(v).map(|(goal, v)| (v - goal).abs()).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((k, off)) = off else { continue };
            let (goal, [follow, rows], dof) = (&implied.constraint, implied.rows, &self.model.dof_names()[k]);
            if wanted > CONTRADICTS {
                let contacts = self.contacts(last - 1).iter().map(|of| format!("contact `{}`", of.name));
                let names = std::iter::once(format!("`{goal}` of phase `end`")).chain(contacts);
                contradicts = Some(Status::NoFeasiblePoint { constraints: names.collect() });
            }
            if drift > DRIFT || off > MOVES || wanted > CONTRADICTS {
                let text = format!(
                    "{follow} of {rows} rows of `{goal}` follow from the contacts and are left to them: what is held moves by {drift:.2e} at \
                     the end, and `{dof}` by {:.2e}, {:.2e} is asked for; shorter steps make drift less",
                    v[k], asked[k]
                );
                warnings.push(Warning { about: goal.clone(), node: Some(last), text });
            }
        }
        (warnings, contradicts)
    }
}
