//! How is an optimization algorithm of one's own written? iLQR in one file: a sweep, a roll-out, and a test of
//! convergence. Threads, memory, history, limits and reports are the solver's.
//!
//! ```sh
//! cargo run --release --example own_algorithm
//! ```

use gradyn::{Model, UrdfOptions};
use gradyn_trajectory::residual::{Control, FrameTranslation, StateError};
use gradyn_trajectory::solver::{Algorithm, Context, Limits, NoDirection, Solver, State, Step};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Fault, Fddp, FddpOptions, Phase, Problem, Status, guess};

/// The iterative linear-quadratic regulator: W. Li and E. Todorov, *Iterative linear quadratic regulator design for
/// nonlinear biological movement systems*, ICINCO 2004. Every trajectory follows the dynamics, so there are no gaps.
pub struct Ilqr {
    options: IlqrOptions,
    /// `Σ Q_uᵀ k`: the decrease of the cost per step length that the sweep predicts.
    expected: f64,
}

/// Constants of [`Ilqr`].
#[derive(Clone, Debug)]
pub struct IlqrOptions {
    /// The iteration limit.
    pub iterations: usize,
    /// Converged if the expected decrease is below this.
    pub tolerance: f64,
    /// Threads that linearize nodes.
    pub threads: usize,
}

impl Default for IlqrOptions {
    fn default() -> Self {
        Self { iterations: 200, tolerance: 1e-9, threads: 1 }
    }
}

impl Algorithm for Ilqr {
    type Options = IlqrOptions;
    const NAME: &'static str = "iLQR";

    fn new(_: &Problem, options: &IlqrOptions) -> Self {
        Self { options: options.clone(), expected: f64::INFINITY }
    }
    fn limits(options: &IlqrOptions) -> Limits {
        Limits { iterations: options.iterations, time: None, threads: options.threads }
    }

    /// The roll-out of the guess's controls.
    fn start(&mut self, at: &mut Context<'_>) {
        self.expected = f64::INFINITY;
        // A guess that cannot be rolled out is refused when it is linearized.
        if roll_out(at, None).is_ok() {
            let State { iterate, trial, .. } = &mut *at.state;
            std::mem::swap(iterate, trial);
        }
    }

    /// The sweep: `u = u_k − k − K δx`.
    fn direction(&mut self, at: &mut Context<'_>) -> Result<(), NoDirection> {
        for k in (0..=at.problem.steps()).rev() {
            at.state.riccati.sweep_node(k, &at.evaluator.node(at.problem, k), None, 1e-9)?;
        }
        self.expected = at.state.riccati.nodes.iter().map(|node| node.qu.dot(&node.k)).sum();
        Ok(())
    }

    /// Steps of 1, ½, ¼ …, until one decreases the cost.
    fn search(&mut self, at: &mut Context<'_>) -> Step {
        let mut length = 1.0;
        while length > 1e-3 {
            let enough = at.state.now.cost - 1e-4 * length * self.expected;
            match roll_out(at, Some(length)) {
                Ok(cost) if cost <= enough => {
                    let State { iterate, trial, now, .. } = &mut *at.state;
                    std::mem::swap(iterate, trial);
                    now.cost = cost;
                    return Step::new(length, true);
                }
                Ok(_) => {}
                Err(fault) => at.state.fault = Some(fault),
            }
            length *= 0.5;
        }
        Step::new(length, false)
    }

    fn status(&self, _: &Context<'_>) -> Option<Status> {
        (self.expected < self.options.tolerance).then_some(Status::Converged)
    }
}

/// The trial with this step along the direction, or, without one, with the controls of the iterate; its cost.
fn roll_out(at: &mut Context<'_>, length: Option<f64>) -> Result<f64, Fault> {
    let State { iterate, trial, riccati, .. } = &mut *at.state;
    let (problem, space, memory) = (at.problem, at.problem.space(), &mut *at.evaluator.memory());
    let mut next = problem.start().to_vec();
    let mut dx = vec![0.0; space.ndx()];
    let mut cost = 0.0;
    for k in 0..=problem.steps() {
        trial.x_mut(k).copy_from_slice(&next);
        trial.u_mut(k).copy_from_slice(iterate.u(k));
        if let Some(length) = length {
            let moved = space.difference(iterate.x(k), trial.x(k), &mut dx);
            moved.map_err(|reason| Fault {
                node: k,
                phase: problem.phase_of(k).into(),
                term: None,
                reason: reason.into(),
            })?;
            let node = &riccati.nodes[k];
            for (i, u) in trial.u_mut(k).iter_mut().enumerate() {
                *u -= length * node.k[i] + (0..dx.len()).map(|j| node.gain[(i, j)] * dx[j]).sum::<f64>();
            }
        }
        let end = if k == problem.steps() { &mut [][..] } else { &mut next[..] };
        cost += problem.value(k, trial.x(k), trial.u(k), memory, end, &mut [])?;
    }
    Ok(cost)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let hand = model.find_frame("panda_link8").ok_or("no hand")?;
    let start = [0.0, -0.3, 0.0, -2.0, 0.0, 1.6, 0.8];
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let problem = Problem::builder(&model)
        .start(&start, &[0.0; 7])
        .phase(
            Phase::new("reach", 50, 0.02, step)
                .cost(Cost::new("state", StateError::at(&model, &start, &[0.0; 7])).weight(0.1))
                .cost(Cost::new("torque", Control::zero()).weight(1e-3)),
        )
        .last(Cost::new("hand", FrameTranslation::new(hand, [0.4, 0.3, 0.5].into())).weight(1e3))
        .build()?;
    let from = guess::with_static_controls(&problem, guess::standing(&problem))?;

    let mut solver: Solver<Ilqr> = Solver::new(&problem, IlqrOptions::default());
    let report = solver.solve(&problem, &from);
    println!("iLQR: {}, {} iterations, cost {:.9}", report.status, report.iterations, report.cost);
    let other = Fddp::new(&problem, FddpOptions::default()).solve(&problem, &from);
    println!("FDDP: {}, {} iterations, cost {:.9}", other.status, other.iterations, other.cost);
    // Both stop when a full step is expected to gain less than 1e-9.
    if !report.status.is_solved() || (report.cost - other.cost).abs() > 1e-6 * other.cost {
        return Err("the two algorithms disagree".into());
    }
    Ok(())
}
