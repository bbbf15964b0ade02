//! Where a solver begins: the guesses of a task.

use super::Reference;
use crate::Error;
use crate::task::{Controls, GuessSource, GuessTask, States, Task};
use gradyn_trajectory::solver::Guess;
use gradyn_trajectory::{Trajectory, guess};

impl Task {
    /// Where the solver begins: all guesses of the task, and why nothing but the trajectory is taken of files that have
    /// more.
    ///
    /// # Errors
    /// If a guess cannot be made of what the task says.
    pub fn guesses(&self) -> Result<(Vec<Guess>, Vec<String>), Error> {
        let all: Vec<_> = self.guesses.iter().map(|of| guess(self, of)).collect::<Result<_, _>>()?;
        let (guesses, left_out): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        Ok((guesses, left_out.into_iter().flatten().collect()))
    }
}

fn guess(task: &Task, of: &GuessTask) -> Result<(Guess, Option<String>), Error> {
    let problem = &task.problem;
    let refuse = |error: &dyn std::fmt::Display| task.source.refuse_at(&of.at, error.to_string());
    let cold = |trajectory: Trajectory| Guess { name: of.name.clone(), trajectory, warm: None };
    let (states, controls) = match &of.made {
        GuessSource::File(file) => {
            let read = Reference::read(file, task).and_then(|file| Ok((file.resampled(task)?, file.warm)));
            let (trajectory, warm) = read.map_err(|error| refuse(&error))?;
            let Some(warm) = warm.filter(|_| task.solver.has_multipliers()) else {
                return Ok((cold(trajectory), None));
            };
            return Ok(match warm.with(trajectory.clone(), task) {
                Ok(warm) => (Guess { warm: Some(warm), ..cold(trajectory) }, None),
                Err(why) => {
                    let why = format!("{}: {why}: only the trajectory is taken", file.display());
                    (cold(trajectory), Some(why))
                }
            });
        }
        GuessSource::Of(states, controls) => (states, controls),
    };
    let made = match states {
        States::Standing => Ok(guess::standing(problem)),
        States::Interpolation(to) => guess::interpolated(problem, to),
        States::WayPoints(all) => guess::through(problem, all),
        States::Drawn(to, width, seed) => guess::drawn(problem, to, *width, *seed),
    };
    let made = made.map_err(|error| refuse(&error))?;
    let made = match controls {
        Controls::Zero => made,
        Controls::Static => guess::with_static_controls(problem, made).map_err(|error| refuse(&error))?,
    };
    Ok((cold(made), None))
}
