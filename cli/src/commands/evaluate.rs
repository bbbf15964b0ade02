//! `gradyn evaluate`: the contract for scripts.

use super::{Report, progress};
use crate::args::Evaluate;
use crate::error::Error;
use crate::output::Output;
use crate::robot::Robot;
use crate::{answer, states};

pub(crate) fn evaluate(args: &Evaluate) -> Result<Report, Error> {
    let robot = Robot::load(&args.robot)?;
    let list = states::read(&args.states, &robot)?;
    let mut output = Output::new(args.output.as_deref(), &[&robot.path, &args.states])?;
    let bar = progress(list.len() as u64, "states");
    let place = |k: usize| format!("{}: state {k}", states::name(&args.states));
    answer::write(&robot, args.method.method, &list, &mut output, place, || bar.inc(1))?;
    bar.finish_and_clear();
    Ok(Report { data: output.finish()?, warnings: robot.warnings(), ..Report::default() })
}
