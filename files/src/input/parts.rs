//! A file of states, and of what holds the robot there, in its parts.

use crate::json::Json;

/// What such a file may hold, each still to be read.
#[derive(Debug, Default)]
pub struct Parts {
    /// A list of states.
    pub states: Option<Json>,
    /// A list of constraints.
    pub constraints: Option<Json>,
    /// A number.
    pub restitution: Option<Json>,
}

impl Parts {
    /// The parts of an object; other keys are refused.
    pub fn new(value: Json) -> Result<Self, String> {
        let Json::Object(entries) = value else {
            return Err(format!("expected an object with the key `states`, found {}", value.describe()));
        };
        let mut whole = Self::default();
        for (key, value) in entries {
            match key.as_str() {
                "states" => whole.states = Some(value),
                "constraints" => whole.constraints = Some(value),
                "restitution" => whole.restitution = Some(value),
                _ => return Err(format!("unknown key `{key}`, expected `states`, `constraints` or `restitution`")),
            }
        }
        Ok(whole)
    }
}
