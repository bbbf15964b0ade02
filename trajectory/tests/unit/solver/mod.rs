//! Parts of solvers by themselves.

mod blockers;
mod evaluator;
mod filter;
mod inertia;
mod trial;

use crate::residual::{Control, FrameTranslation, StateError};
use crate::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use crate::{Cost, PathConstraint, Phase, Problem, ProblemBuilder};
use gradyn::UrdfOptions;

/// The arm's bent pose.
pub(crate) const ARM: [f64; 7] = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8];

/// The arm's hand to places at the end, within limits of its motors, in so many steps.
pub(crate) fn arm(steps: usize, places: &[(&str, [f64; 3])]) -> Problem {
    let model = testing::robot("panda", &UrdfOptions::new());
    let hand = model.find_frame("panda_link8").expect("a hand");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let most = [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0];
    let reach = Phase::new("reach", steps, 0.02, step)
        .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(1e-3))
        .control_bounds(&most.map(|x| -x), &most);
    let builder = Problem::builder(&model).start(&ARM, &[0.0; 7]).phase(reach);
    let with = |builder: ProblemBuilder, (name, at): &(&str, [f64; 3])| {
        builder.last_constraint(PathConstraint::equal(*name, FrameTranslation::new(hand, (*at).into())))
    };
    places.iter().fold(builder, with).build().expect("a problem")
}
