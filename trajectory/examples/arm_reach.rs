//! How does an arm get its hand to a pose? The smallest whole problem.
//!
//! ```sh
//! cargo run --release -p gradyn-trajectory --example arm_reach
//! ```

use gradyn::{Model, Transform, UrdfOptions};
use gradyn_trajectory::residual::{Control, FramePlacement, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Fddp, FddpOptions, MultipleShooting, Phase, Problem, ShootingOptions, guess};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model.with_joint_friction(false);
    let hand = model.find_frame("panda_link8").ok_or("no hand")?;
    let goal = Transform::from_translation([0.4, 0.2, 0.4].into());
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let problem = Problem::builder(&model)
        .start(&[0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8], &[0.0; 7])
        .phase(
            Phase::new("reach", 100, 0.01, step)
                .cost(Cost::new("hand", FramePlacement::new(hand, goal)))
                .cost(Cost::new("state", StateError::neutral(&model)).weight(0.1))
                .cost(Cost::new("torque", Control::zero()).weight(0.1)),
        )
        .last(Cost::new("hand", FramePlacement::new(hand, goal)).weight(1e3))
        .last(Cost::new("state", StateError::neutral(&model)).weight(0.1))
        .build()?;
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve_with(&problem, &guess::standing(&problem), |it| {
        println!("{:3} {:.12e} {:.3e} {:.3e} {}", it.iteration, it.cost, it.gap, it.expected, it.step);
        gradyn_trajectory::Control::Continue
    });
    println!("{}, cost {:.12}", report.status, report.cost);
    let mut solver = MultipleShooting::new(&problem, ShootingOptions::default());
    let report = solver.solve_with(&problem, &guess::standing(&problem), |it| {
        println!("{:3} {:.12e} {:.3e} {:.3e} {}", it.iteration, it.cost, it.gap, it.expected, it.step);
        gradyn_trajectory::Control::Continue
    });
    println!("{}, cost {:.12}", report.status, report.cost);
    Ok(())
}
