//! The one state that a command line asks for.

use super::{NEUTRAL, RANDOM, State, neutral, random, read};
use crate::error::Error;
use crate::input::name;
use crate::nearest::nearest;
use crate::robot::{Configuration, Robot};
use gradyn::text::one_line;
use std::path::Path;

/// The state asked for, and what to call it: `random`, `neutral`, a named configuration of the robot, or the first of a file.
pub fn asked(state: &Path, seed: u64, robot: &Robot) -> Result<(State, String), Error> {
    let named = state.to_str().and_then(|name| robot.configuration(name));
    if let (Some(of), Some(name)) = (named, state.to_str()) {
        let Configuration { q, v, .. } = of;
        let other = if [RANDOM, NEUTRAL].contains(&name) {
            Some("a word of the command")
        } else {
            state.is_file().then_some("a file")
        };
        if let Some(other) = other {
            let or = of.full_name().map(|full| format!(", or ask for `{}`", one_line(&full))).unwrap_or_default();
            let reason = format!("`{name}` is a configuration of the robot and {other}: rename the configuration{or}");
            return Err(Error::content(robot.path.display().to_string(), reason));
        }
        let state = State { q: q.clone(), v: v.clone(), ..neutral(&robot.model) };
        return Ok((state, format!("configuration {}", one_line(name))));
    }
    if state == Path::new(RANDOM) {
        // Without the wrenches: nobody asked for them.
        let state = State { f_ext: None, ..random(robot, seed, 0) };
        return Ok((state, format!("random state (seed {seed})")));
    }
    if state == Path::new(NEUTRAL) {
        return Ok((neutral(&robot.model), String::from("neutral state")));
    }
    let known: Vec<&str> = robot.configurations.iter().map(|of| of.name.as_str()).collect();
    if let Some(word) = state.to_str().filter(|_| !known.is_empty() && !state.exists() && state.extension().is_none()) {
        let hint = nearest(word, known.iter().copied()).unwrap_or_default();
        let reason = format!("there is no configuration and no file `{}`{hint}", one_line(word));
        return Err(Error::content(robot.path.display().to_string(), reason));
    }
    let file = name(state);
    match read(state, robot)?.into_iter().next() {
        Some(state) => Ok((state, format!("state 0 of {file}"))),
        None => Err(Error::content(file, String::from("it holds no state, expected one at least"))),
    }
}
