//! `gradyn optimize`: from a task file to a trajectory.

mod compare;
mod explain;
mod solve;
mod tables;
mod verdict;

pub(super) use solve::quietly;

use super::Report;
use crate::args::Optimize;
use crate::error::Error;
use crate::output::Output;
use gradyn_files::number::five;
use gradyn_files::solution::{Beside, RefineOption, Solution};
use gradyn_files::task::{ParameterTask, Task};
use std::path::Path;

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
    let (guesses, left_out) = task.guesses()?;
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
    let refine = RefineOption { on: args.refine, name: "--refine" };
    let solution = task.solve_from(&guesses, refine, &mut solve::shown())?;
    if let Some(folder) = &args.output {
        write(folder, &args.task, &solution, beside.as_ref())?;
    }
    let Solution { task, motion, .. } = &solution;
    let chosen: String =
        task.start.parameters.iter().zip(&motion.parameters).map(|(of, (name, x))| line(of, name, x)).collect();
    let lasts = |(phase, seconds): &(String, f64)| format!("duration of {phase}: {} s\n", five(*seconds));
    let chosen: String = std::iter::once(chosen).chain(motion.durations.iter().map(lasts)).collect();
    let failed = !solution.is_solved();
    let text = verdict::text(&solution, &chosen);
    Ok(Report { text, warnings, failed, ..Report::default() })
}

/// Writes all files into a folder.
fn write(folder: &Path, input: &Path, solution: &Solution, beside: Option<&Beside>) -> Result<(), Error> {
    let file = |name: &str, content: &[u8]| {
        let mut output = Output::new(Some(&folder.join(name)), &[input, &solution.task.robot.path])?;
        output.write(|to| to.write_all(content))?;
        output.finish().map(drop)
    };
    file("trajectory.json", solution.json()?.as_bytes())?;
    file("trajectory.csv", solution.csv().as_bytes())?;
    file("trajectory.npz", &solution.npz()?)?;
    file("report.html", solution.page(beside).as_bytes())
}
