//! How does a robot that is simulated elsewhere, or a real one, get its controls 500 times a second? A cart keeps its pole upright, within
//! the ends of its rail and of its motor. Measurements come in on standard input, forces go out on standard output, a line each.
//!
//! ```sh
//! python3 examples/mpc/run.py    # builds this program, and runs it against MuJoCo
//! ```
//!
//! In: `t x θ ẋ θ̇`, the time, s, and the state that was measured then, m and rad. Out: `u FORCE µs`, at once; then `ready STATUS ms`, when the next measurement may come.

use gradyn::{Model, UrdfOptions};
use gradyn_trajectory::residual::{Control, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Loss, Newton, NewtonOptions, PathConstraint, Phase, Problem, guess};
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

/// From one measurement to the next, s.
const PERIOD: f64 = 0.002;
/// What is planned: so many steps of so many seconds.
const NODES: usize = 40;
const STEP: f64 = 0.025;
/// The motor's force, N, and how far the cart may go to either side, m. The plan stays away from the end of the rail by what measurements,
/// and a robot that is not quite the model, may be wrong by.
const FORCE: f64 = 12.0;
const RAIL: f64 = 0.25;
const MARGIN: f64 = 0.02;
/// After so much time a cycle ends with the best plan that it has: the rest of the period is for `prepare`.
const BUDGET: Duration = Duration::from_micros(1200);

fn problem(model: &Model, upright: &[f64]) -> Result<Problem, Box<dyn std::error::Error>> {
    let still = vec![0.0; model.nv()];
    let actuation = Actuation::Joints { nv: model.nv(), dofs: vec![0] };
    let step = SemiImplicitEuler::new(model, ForwardDynamics::new(actuation));
    let state = || StateError::at(model, upright, &still);
    let weights = || Loss::Diagonal(vec![4.0, 20.0, 0.4, 1.0]);
    // Only the cart's position has bounds. The first states follow from the measured one, wherever that is.
    let mut room = [f64::INFINITY; 4];
    room[0] = RAIL - MARGIN;
    let rail = || PathConstraint::within("rail", state(), &room.map(|x| -x), &room);
    let later: Vec<usize> = (4..NODES).collect();
    let balance = Phase::new("balance", NODES, STEP, step)
        .cost(Cost::new("state", state()).loss(weights()))
        .cost(Cost::new("force", Control::zero()).weight(1e-3))
        .control_bounds(&[-FORCE], &[FORCE])
        .constraint(rail().only_at(&later));
    let last = Cost::new("end", state()).loss(weights()).weight(5.0);
    Ok(Problem::builder(model).start(upright, &still).phase(balance).last(last).last_constraint(rail()).build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/cart_pole.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let upright = [0.0, std::f64::consts::PI];
    let mut problem = problem(&model, &upright)?;
    let mut options = NewtonOptions::default();
    options.iterations = 2;
    options.time = Some(BUDGET);
    let mut solver = Newton::new(&problem, options);
    let guess = guess::standing(&problem);

    // Before the first measurement there is time: a plan for the state that is expected.
    solver.resolve(&problem, &guess);
    solver.prepare(&problem)?;

    let mut out = io::stdout().lock();
    let mut u = [0.0];
    // The time that the plan begins at, s.
    let mut planned = 0.0;
    for line in io::stdin().lock().lines() {
        let numbers: Vec<f64> = line?.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [time, measured @ ..] = &numbers[..] else { return Err("a line has no numbers".into()) };

        // 1. The answer to the measurement: one product, of what was prepared.
        let began = Instant::now();
        if *time > planned {
            // The deadline was missed: the plan goes on to now, and has the gains that it was prepared with.
            solver.shift_by(&problem, time - planned)?;
        }
        solver.feedback(&problem, measured, &mut u)?;
        writeln!(out, "u {} {}", u[0], began.elapsed().as_secs_f64() * 1e6)?;
        out.flush()?;

        // 2. While that force acts: the plan from this state, from where the last one ended, with its multipliers.
        let began = Instant::now();
        problem.set_start(&measured[..2], &measured[2..])?;
        let report = solver.resolve(&problem, &guess);

        // 3. To the time of the next measurement, and all that does not depend on it.
        solver.shift_by(&problem, PERIOD)?;
        planned = time + PERIOD;
        solver.prepare(&problem)?;
        writeln!(out, "ready {} {}", report.status.name(), began.elapsed().as_secs_f64() * 1e3)?;
        out.flush()?;
    }
    Ok(())
}
