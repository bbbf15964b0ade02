//! `gradyn evaluate`: the contract for scripts.

use super::{Report, progress};
use crate::answer::{self, Question};
use crate::args::Evaluate;
use crate::constraints::Constraints;
use crate::error::Error;
use crate::output::Output;
use crate::quantity::Quantity;
use crate::robot::Robot;
use crate::states::{self, State};

pub(crate) fn evaluate(args: &Evaluate) -> Result<Report, Error> {
    let robot = Robot::load(&args.robot)?;
    let (list, constraints) = states::read_held(&args.states, &robot)?;
    let quantities = args.quantities();
    need_constraints(args, &quantities, &constraints)?;
    need_tau(args, &quantities, &list, robot.model.nv())?;
    let mut output = Output::new(args.output.as_deref(), &[&robot.path, &args.states])?;
    let bar = progress(list.len() as u64, "states");
    let place = |k: usize| format!("{}: state {k}", states::name(&args.states));
    let question = Question { method: args.method.method, quantities: &quantities, constraints: &constraints };
    answer::write(&robot, question, &list, &mut output, place, || bar.inc(1))?;
    bar.finish_and_clear();
    Ok(Report { data: output.finish()?, warnings: robot.warnings(), ..Report::default() })
}

/// Accelerations are computed from torques, which are given and not guessed.
fn need_tau(args: &Evaluate, quantities: &[Quantity], list: &[State], nv: usize) -> Result<(), Error> {
    let needing = quantities.iter().find(|quantity| quantity.needs_tau());
    let lacking = list.iter().position(|state| state.tau.is_none());
    let (Some(quantity), Some(k)) = (needing, lacking) else { return Ok(()) };
    let reason =
        format!("state {k}: missing key `tau`, expected a list of {nv} numbers (nv) for `{}`", quantity.name());
    Err(Error::States { file: states::name(&args.states), reason })
}

/// What holds the robot is given too.
fn need_constraints(args: &Evaluate, quantities: &[Quantity], constraints: &Constraints) -> Result<(), Error> {
    match quantities.iter().find(|quantity| quantity.needs_constraints()) {
        Some(quantity) if constraints.given.is_none() => {
            let name = quantity.name();
            let reason = format!("missing key `constraints`, expected a list of constraints for `{name}`");
            Err(Error::States { file: states::name(&args.states), reason })
        }
        _ => Ok(()),
    }
}
