//! Is a solution a motion of the robot, or one of its steps? After a solution, its steps are integrated again.
//!
//! A solver sees a robot at nodes, with steps of some length between them. What a step gets wrong, and what happens between two nodes, it does
//! not see. Three looks at a trajectory tell:
//!
//! - [`check_steps`]: each step again *from its own node*, its controls held, in shares of the step by a method of higher order
//!   ([`Step::reference`](crate::step::Step::reference)). It gives the defect of each step, and constraints that are violated between nodes.
//! - [`follow`]: the whole plan under its feedback gains, as finely, from the start to the end.
//! - [`alternating`]: joints whose velocity changes its sign at every node, as explicit steps make of damping that they are too long for.
//!
//! [`pieces`] says how steps that are too long can be split, and [`split`] makes the guess of the finer problem.
//!
//! ```
//! use gradyn::{Model, UrdfOptions};
//! use gradyn_trajectory::residual::StateError;
//! use gradyn_trajectory::resimulation::{SUBSTEPS, check_steps, follow};
//! use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
//! use gradyn_trajectory::{Cost, Fddp, FddpOptions, Phase, Problem, guess};
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/pendulum.urdf");
//! # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model.with_joint_friction(false);
//! let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
//! let rest = StateError::at(&model, &[0.3], &[0.0]);
//! let phase = Phase::new("swing", 20, 0.05, step).cost(Cost::new("rest", rest));
//! let problem = Problem::builder(&model).phase(phase).build()?;
//! let mut solver = Fddp::new(&problem, FddpOptions::default());
//! solver.solve(&problem, &guess::standing(&problem));
//! let check = check_steps(&problem, solver.trajectory(), SUBSTEPS)?;
//! let worst = check.largest().ok_or("there are steps")?;
//! assert!(worst.relative > 1e-3, "steps of 50 ms are long: {worst:?}");
//! let gains: Vec<_> = solver.riccati().nodes.iter().take(problem.steps()).map(|node| node.gain.clone()).collect();
//! let end = follow(&problem, solver.trajectory(), &gains, SUBSTEPS)?;
//! assert!(end.position < 0.1 && end.velocity < 1.0, "{end:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alternating;
mod follow;
mod refine;
mod steps;

pub use alternating::{Alternating, alternating};
pub use follow::{Followed, follow};
pub use refine::{Tolerances, pieces, split};
pub use steps::{BetweenNodes, StepDefect, StepsCheck, check_steps};

/// Shares that a step is integrated in: at a tenth of it a method of order 4 has 1e-4 of its error over the whole step.
pub const SUBSTEPS: usize = 10;
