//! Problems that tests share.

pub(crate) mod joints;
pub(crate) mod puck;

use gradyn::{Model, Transform, UrdfOptions};
use gradyn_trajectory::residual::{Control, FramePlacement, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Phase, Problem, ProblemBuilder};

/// A robot of this repository.
pub(crate) fn robot(name: &str, floating: bool) -> Model {
    let file = format!("{}/../robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    let model = Model::from_urdf_file(&file, &UrdfOptions::new().floating_base(floating));
    model.expect("a robot").model.with_joint_friction(false)
}

/// Where the arm begins.
pub(crate) const ARM: [f64; 7] = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8];

/// The arm's hand is to go to a pose: a phase of so many nodes, in one second, with a cost more.
pub(crate) fn reach(model: &Model, nodes: usize, more: Option<Cost>) -> ProblemBuilder {
    let hand = model.find_frame("panda_link8").expect("a hand");
    let goal = Transform::from_translation([0.4, 0.2, 0.4].into());
    let step = SemiImplicitEuler::new(model, ForwardDynamics::new(Actuation::of(model)));
    let mut phase = Phase::new("reach", nodes, 1.0 / nodes as f64, step)
        .cost(Cost::new("hand", FramePlacement::new(hand, goal)))
        .cost(Cost::new("state", StateError::neutral(model)).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(0.1));
    if let Some(cost) = more {
        phase = phase.cost(cost);
    }
    Problem::builder(model)
        .start(&ARM, &[0.0; 7])
        .phase(phase)
        .last(Cost::new("hand", FramePlacement::new(hand, goal)).weight(1e3))
        .last(Cost::new("state", StateError::neutral(model)).weight(0.1))
}
