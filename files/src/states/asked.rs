//! The one state that a command line asks for.

use super::{NEUTRAL, RANDOM, State, neutral, random, read};
use crate::error::Error;
use crate::input::name;
use crate::robot::Robot;
use std::path::Path;

/// The state asked for, and what to call it: `random`, `neutral`, or the first of a file.
pub fn asked(state: &Path, seed: u64, robot: &Robot) -> Result<(State, String), Error> {
    if state == Path::new(RANDOM) {
        // Without the wrenches: nobody asked for them.
        let state = State { f_ext: None, ..random(robot, seed, 0) };
        return Ok((state, format!("random state (seed {seed})")));
    }
    if state == Path::new(NEUTRAL) {
        return Ok((neutral(&robot.model), String::from("neutral state")));
    }
    let file = name(state);
    match read(state, robot)?.into_iter().next() {
        Some(state) => Ok((state, format!("state 0 of {file}"))),
        None => Err(Error::content(file, String::from("it holds no state, expected one at least"))),
    }
}
