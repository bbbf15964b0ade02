//! `gradyn optimize`: from a task file to a trajectory.

mod compare;
mod explain;
mod files;
mod held;
mod kept;
mod motion;
mod page;
mod refine;
mod release;
mod resimulated;
mod solve;
mod theirs;
mod verdict;
mod warm;

pub(super) use solve::quietly;

use super::Report;
use crate::args::Optimize;
use crate::error::Error;
use gradyn_files::number::five;
use gradyn_files::task::{ParameterTask, Task};
use motion::Beside;
use refine::Refined;
use resimulated::Resimulated;

/// A parameter and what the solver has chosen.
fn line(of: &ParameterTask, name: &str, x: &[f64]) -> String {
    let numbers: Vec<String> = x.iter().map(|x| five(*x)).collect();
    format!("parameter {name} = {} {}", numbers.join(", "), of.unit).trim_end().to_owned() + "\n"
}

pub(crate) fn optimize(args: &Optimize) -> Result<Report, Error> {
    let mut task = Task::read(&args.task)?;
    if let Some(threads) = args.threads {
        task.solver.threads = threads.into();
    }
    let mut warnings = task.robot.warnings();
    warnings.extend(task.warnings.iter().cloned());
    if args.explain {
        return Ok(Report { text: explain::text(&task), warnings, ..Report::default() });
    }
    if let Some(file) = &args.compare {
        return Ok(Report { text: compare::text(&task, file)?, warnings, ..Report::default() });
    }
    let beside = args.beside.as_deref().map(|file| Beside::read(file, &task)).transpose()?;
    let (guesses, left_out) = solve::guesses(&task)?;
    warnings.extend(left_out);
    if args.check {
        for (guess, of) in guesses.iter().zip(&task.guesses) {
            let check = task.problem.check(&guess.trajectory);
            let check = check.map_err(|error| task.source.refuse_at(&of.at, error.to_string()))?;
            if check.disagrees() || !check.agrees() && !args.allow_unclear {
                return Ok(Report { text: format!("{check}\n"), warnings, failed: true, ..Report::default() });
            }
            solve::say(&check.to_string());
        }
    }
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
    }
    let solved = solve::solve(&task, &guesses);
    let (task, solved, released) = release::release(args, task, solved)?;
    let resimulated = Resimulated::of(&task, &solved);
    let mut all = Refined { task, solved, resimulated, rounds: Vec::new(), released };
    if args.refine {
        all = refine::refine(args, all)?;
    }
    all.solved.found.report.warnings.extend(all.task.notes());
    if let Some(of) = &all.resimulated {
        let report = &mut all.solved.found.report;
        let more = of.warnings(&all.task, &report.status, args.refine);
        report.warnings.extend(more);
    }
    let motion = motion::Motion::of(&all.task, &all.solved);
    if let Some(held) = &motion.held {
        all.solved.found.report.warnings.extend(held.warnings(&all.task));
    }
    if let Some(folder) = &args.output {
        files::write(folder, &args.task, &all, &motion, beside.as_ref())?;
    }
    let Refined { task, solved, .. } = &all;
    let chosen: String =
        task.start.parameters.iter().zip(&motion.parameters).map(|(of, (name, x))| line(of, name, x)).collect();
    let lasts = |(phase, seconds): &(String, f64)| format!("duration of {phase}: {} s\n", five(*seconds));
    let chosen: String = std::iter::once(chosen).chain(motion.durations.iter().map(lasts)).collect();
    let failed = !solved.found.report.status.is_solved();
    let text = verdict::text(task, solved, &motion, &chosen);
    Ok(Report { text, warnings, failed, ..Report::default() })
}
