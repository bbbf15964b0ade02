//! `gradyn evaluate`: the contract for scripts.

use super::{Report, progress};
use crate::answer;
use crate::args::Evaluate;
use crate::error::Error;
use crate::output::Output;
use crate::quantity::Quantity;
use crate::robot::Robot;
use crate::states::{self, State};

pub(crate) fn evaluate(args: &Evaluate) -> Result<Report, Error> {
    let robot = Robot::load(&args.robot)?;
    let list = states::read(&args.states, &robot)?;
    let quantities = args.quantities();
    need_tau(args, &quantities, &list, robot.model.nv())?;
    let mut output = Output::new(args.output.as_deref(), &[&robot.path, &args.states])?;
    let bar = progress(list.len() as u64, "states");
    let place = |k: usize| format!("{}: state {k}", states::name(&args.states));
    answer::write(&robot, args.method.method, &quantities, &list, &mut output, place, || bar.inc(1))?;
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
