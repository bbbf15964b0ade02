//! What the methods against each other have come to.

use gradyn_files::check::compare::Comparison;
use gradyn_files::check::identity::Identity;
use gradyn_files::constraints::Constraints;
use gradyn_files::quantity::Family;
use gradyn_files::robot::Robot;
use gradyn_files::states::{self, State};

/// All that a check found.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) seed: u64,
    /// The states that were looked at, by their numbers.
    pub(super) first: u64,
    pub(super) samples: u64,
    pub(super) constraints: Constraints,
    pub(super) comparisons: Vec<Comparison>,
    pub(super) identities: Vec<Identity>,
    /// Numbers of the states where something deviates.
    pub(super) deviating: Vec<u64>,
    /// Of those where constraints are about to lose a row, so that nothing is compared under them.
    pub(super) singular: Vec<u64>,
    /// Of those where the mass matrix is singular, or as good as, so that no accelerations are compared.
    pub(super) without_accelerations: Vec<u64>,
    /// Does the robot have no accelerations anywhere? Then there is nothing to tell of them.
    pub(super) never_accelerates: bool,
    /// Of those from which the steps of differences run into a state where it is singular, so that accelerations are
    /// compared by the other methods.
    pub(super) without_differences: Vec<u64>,
}

impl Findings {
    pub(super) fn agree(&self) -> bool {
        self.deviating.is_empty()
    }

    /// Of how many states something could not be compared.
    pub(super) fn untold(&self) -> usize {
        let accelerations = Some(&self.without_accelerations).filter(|_| !self.never_accelerates);
        let lists = [&self.singular, &self.without_differences].into_iter().chain(accelerations);
        let mut states: Vec<u64> = lists.flatten().copied().collect();
        states.sort_unstable();
        states.dedup();
        states.len()
    }

    /// For programs.
    pub(super) fn verdict(&self) -> &'static str {
        match self.untold() {
            _ if !self.agree() => "disagrees",
            0 => "agrees",
            _ => "cannot tell",
        }
    }

    /// A state by its number.
    pub(super) fn state(&self, robot: &Robot, index: u64) -> State {
        states::random_whole(robot, self.seed, index)
    }

    /// What is worth showing: all that deviate, and of what agrees the comparison that is nearest to deviating, a
    /// quantity or, in short, a family of them; with how many quantities it stands for.
    pub(super) fn shown(&self, short: bool) -> Vec<(&Comparison, usize)> {
        let together = |a: &Comparison, b: &Comparison| {
            let (a, b) = (a.quantity, b.quantity);
            a == b
                || short && a.family() == b.family() && !matches!(a.family(), Family::Torques | Family::Accelerations)
        };
        let mut shown = Vec::new();
        for group in self.comparisons.chunk_by(together) {
            let (deviating, agreeing): (Vec<&Comparison>, Vec<&Comparison>) =
                group.iter().partition(|comparison| !comparison.agrees());
            shown.extend(deviating.iter().map(|comparison| (*comparison, 1)));
            let looked = agreeing.into_iter().filter(|comparison| comparison.worst.is_some());
            let rest: Vec<&Comparison> = looked
                .filter(|comparison| deviating.iter().all(|other| other.quantity != comparison.quantity))
                .collect();
            let quantities = rest.chunk_by(|a, b| a.quantity == b.quantity).count();
            let nearest = rest.into_iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio()));
            shown.extend(nearest.map(|comparison| (comparison, quantities)));
        }
        shown
    }
}
