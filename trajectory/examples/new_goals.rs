//! How is one problem solved for many goals? Built once: goals, weights and the start change in place, and the last
//! solution is the next guess.
//!
//! ```sh
//! cargo run --release --example new_goals
//! ```

use gradyn::{Model, UrdfOptions};
use gradyn_trajectory::residual::{Control, FrameTranslation, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Fddp, FddpOptions, Phase, Problem, guess};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let hand = model.find_frame("panda_link8").ok_or("no hand")?;
    let start = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8];
    let reach = || Cost::new("hand", FrameTranslation::new(hand, [0.4, 0.0, 0.5].into()));
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let mut problem = Problem::builder(&model)
        .start(&start, &[0.0; 7])
        .phase(
            Phase::new("circle", 40, 0.02, step)
                .cost(reach().weight(10.0))
                .cost(Cost::new("state", StateError::at(&model, &start, &[0.0; 7])).weight(0.1))
                .cost(Cost::new("torque", Control::zero()).weight(0.001)),
        )
        .last(reach().weight(100.0))
        .build()?;
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let mut guess = guess::with_static_controls(&problem, guess::standing(&problem))?;
    let mut iterations = Vec::new();
    for i in 0..8 {
        let angle = f64::from(i) * std::f64::consts::TAU / 8.0;
        let goal = [0.45, 0.15 * angle.sin(), 0.5 + 0.15 * angle.cos()];
        for k in 0..=problem.steps() {
            problem.set_goal(k, "hand", &goal)?;
        }
        let report = solver.solve(&problem, &guess);
        println!("goal {goal:.2?}: {}, {} iterations, cost {:.4}", report.status, report.iterations, report.cost);
        iterations.push(report.iterations);
        if !report.status.is_solved() {
            return Err(format!("goal {i}: {}", report.status).into());
        }
        guess = solver.trajectory().clone();
    }
    println!("iterations: {iterations:?}");
    Ok(())
}
