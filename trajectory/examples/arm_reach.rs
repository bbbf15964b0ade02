//! How does an arm get its hand to a pose? The smallest whole problem.
//!
//! ```sh
//! cargo run --release --example arm_reach
//! ```

use gradyn::dynamics::frame_pose;
use gradyn::{Model, Transform, UrdfOptions, Workspace};
use gradyn_trajectory::residual::{Control, FramePlacement, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Control as Wish, Cost, Fddp, FddpOptions, Phase, Problem, guess};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let hand = model.find_frame("panda_link8").ok_or("no hand")?;
    // Pointing down.
    let goal = Transform::from_rpy([std::f64::consts::PI, 0.0, 0.0], [0.4, 0.2, 0.4].into());
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let problem = Problem::builder(&model)
        .start(&[0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8], &[0.0; 7])
        .phase(
            Phase::new("reach", 100, 0.01, step)
                .cost(Cost::new("hand", FramePlacement::new(hand, goal)))
                .cost(Cost::new("state", StateError::neutral(&model)).weight(0.1))
                .cost(Cost::new("torque", Control::zero()).weight(0.001)),
        )
        .last(Cost::new("hand", FramePlacement::new(hand, goal)).weight(1e3))
        .last(Cost::new("state", StateError::neutral(&model)).weight(0.1))
        .build()?;

    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve_with(&problem, &guess::standing(&problem), |it| {
        println!(
            "{:3}  cost {:.9e}  gap {:.1e}  expected {:.1e}  step {}",
            it.iteration,
            it.cost,
            it.gap,
            it.expected_decrease.unwrap_or(f64::NAN),
            it.step
        );
        Wish::Continue
    });
    println!("{}", report.status);
    let mut workspace = Workspace::new(&model);
    let there = frame_pose(&model, &mut workspace, &solver.trajectory().x(100)[..7], hand)?;
    println!("the hand ends {:.1} mm from its goal", 1e3 * (there.translation - goal.translation).norm());
    if report.status.is_solved() { Ok(()) } else { Err(report.status.to_string().into()) }
}
