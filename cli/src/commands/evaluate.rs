//! `gradyn evaluate`: the contract for scripts.

use super::{Report, progress};
use crate::args::Evaluate;
use crate::error::Error;
use crate::memory::{Evaluation, MemoryLimit};
use crate::output::Output;
use gradyn_files::answer::{self, Question};
use gradyn_files::constraints::Constraints;
use gradyn_files::evaluation::Places;
use gradyn_files::input;
use gradyn_files::quantity::{Parts, Quantity};
use gradyn_files::robot::Robot;
use gradyn_files::states::{self, State};

pub(crate) fn evaluate(args: &Evaluate) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    let quantities = args.quantities();
    let places = places(args, &robot, &quantities)?;
    let (list, constraints) = states::read_held(&args.states, &robot)?;
    let refused = |reason: String| Error::content(input::name(&args.states), reason);
    need_constraints(&quantities, &constraints).map_err(refused)?;
    need_inputs(&quantities, &list, robot.model.nv()).map_err(refused)?;
    let mut output = Output::new(args.output.as_deref(), &[&robot.path, &args.states])?;
    let method = args.method.method;
    let task =
        Evaluation { robot: &robot, quantities: &quantities, method, places: &places, constraints: &constraints };
    task.check(MemoryLimit::new(args.robot.max_memory), &list, output.is_in_memory())?;
    let bar = progress(list.len() as u64, "states");
    let place = |k: usize| format!("{}: state {k}", input::name(&args.states));
    let question = Question { method, quantities: &quantities, constraints: &constraints, places: &places };
    answer::write(&robot, question, &list, |piece| output.write(|to| to.write_all(piece)), place, || bar.inc(1))?;
    bar.finish_and_clear();
    Ok(Report { data: output.finish()?, warnings: robot.warnings(), ..Report::default() })
}

/// The frames, points and pairs that the command line names.
fn places(args: &Evaluate, robot: &Robot, quantities: &[Quantity]) -> Result<Places, Error> {
    let model = &robot.model;
    let mut places = Places::all(model, args.reference);
    let refused = |flag: &'static str| move |reason: String| Error::Usage(format!("{flag}: {reason}"));
    if !args.frames.is_empty() {
        places.keep(model, &args.frames).map_err(refused("--frames"))?;
    }
    for point in &args.point {
        places.add_point(robot, point).map_err(refused("--point"))?;
    }
    for pair in &args.pair {
        places.add_pair(model, pair).map_err(refused("--pair"))?;
    }
    for quantity in quantities {
        let missing = match quantity.parts() {
            Parts::Points if places.points.is_empty() => "--point LINK,x,y,z",
            Parts::Pairs if places.pairs.is_empty() => "--pair A,B",
            _ => continue,
        };
        return Err(Error::Usage(format!("--quantities: `{quantity}` needs {missing}")));
    }
    Ok(places)
}

/// Torques, multipliers and directions are given and not guessed.
fn need_inputs(quantities: &[Quantity], list: &[State], nv: usize) -> Result<(), String> {
    type Need = (&'static str, fn(Quantity) -> bool, fn(&State) -> bool);
    let needs: [Need; 3] = [
        ("tau", Quantity::needs_tau, |state| state.tau.is_none()),
        ("lambda", Quantity::needs_lambda, |state| state.lambda.is_none()),
        ("direction", Quantity::needs_direction, |state| state.direction.is_none()),
    ];
    for (key, needs, lacks) in needs {
        let needing = quantities.iter().find(|quantity| needs(**quantity));
        let (Some(quantity), Some(k)) = (needing, list.iter().position(lacks)) else { continue };
        let expected = match key {
            "direction" => String::from("an object {\"q\": [..], ..}"),
            _ => format!("a list of {nv} numbers (nv)"),
        };
        return Err(format!("state {k}: missing key `{key}`, expected {expected} for `{quantity}`"));
    }
    Ok(())
}

/// What holds the robot is given too.
fn need_constraints(quantities: &[Quantity], constraints: &Constraints) -> Result<(), String> {
    match quantities.iter().find(|quantity| quantity.needs_constraints()) {
        Some(quantity) if constraints.given.is_none() => {
            Err(format!("missing key `constraints`, expected a list of constraints for `{quantity}`"))
        }
        _ => Ok(()),
    }
}
