//! Checks whether a solution is a motion of the robot, or only of its steps: steps are integrated again after the
//! solution.
//!
//! A solver sees a robot at nodes, with steps of finite length between them. It does not see the errors of a step, or
//! what happens between two nodes. Three checks of a trajectory show these:
//!
//! - [`check_steps`] integrates each step again *from its own node*, with its controls held, in substeps by a method of
//!   higher order ([`Step::reference`](crate::step::Step::reference)). It returns the defect of each step, and
//!   constraints that are violated between nodes.
//! - [`follow`] runs the whole plan under its feedback gains, with the same substeps, from the start to the end.
//! - [`alternating`] finds joints whose velocity changes sign at every node, as happens if explicit steps are too long
//!   for damping.
//!
//! [`pieces`] says how to split steps that are too long, and [`split`] makes the guess of the finer problem.
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
