//! Reading states: every number checked, every error with its place.

use super::{DIRECTION, LinkWrench, State};
use crate::constraints::{self, Constraints};
use crate::error::Error;
use crate::input::{self, Parts};
use crate::json::Json;
use crate::nearest::nearest;
use crate::robot::{LinkPlace, Robot};
use gradyn::dynamics::WrenchFrame;
use gradyn::model::{InputError, Model};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Reads the states of a file, `-` being standard input.
pub fn read(path: &Path, robot: &Robot) -> Result<Vec<State>, Error> {
    read_held(path, robot).map(|(states, _)| states)
}

/// Reads the states of a file, and what holds the robot there.
pub fn read_held(path: &Path, robot: &Robot) -> Result<(Vec<State>, Constraints), Error> {
    input::json(path, |value| {
        let Parts { states, constraints, restitution } = Parts::new(value)?;
        let constraints = constraints::read(constraints, restitution, &robot.model)?;
        Ok((self::states(states.ok_or("missing key `states`")?, robot)?, constraints))
    })
}

fn states(list: Json, robot: &Robot) -> Result<Vec<State>, String> {
    let items = match list {
        Json::Numbers(list) => list.into_iter().map(Json::Number).collect(),
        Json::List(list) => list,
        other => return Err(format!("key `states`: expected a list of states, found {}", other.describe())),
    };
    let links = robot.links();
    let item = |(k, item)| state(item, &robot.model, &links).map_err(|reason| format!("state {k}{reason}"));
    items.into_iter().enumerate().map(item).collect()
}

/// One state; errors begin with what follows "state 3".
fn state(value: Json, model: &Model, links: &HashMap<&str, LinkPlace>) -> Result<State, String> {
    let Json::Object(entries) = value else {
        return Err(format!(": expected an object with the keys `q`, `v`, `a`, found {}", value.describe()));
    };
    let (mut q, mut v, mut a, mut tau, mut lambda, mut direction) = (None, None, None, None, None, None);
    let mut f_ext: Option<Vec<LinkWrench>> = None;
    for (key, value) in entries {
        match key.as_str() {
            "q" => q = Some(vector(&key, "nq", model.nq(), value)?),
            "v" => v = Some(vector(&key, "nv", model.nv(), value)?),
            "a" => a = Some(vector(&key, "nv", model.nv(), value)?),
            "tau" => tau = Some(vector(&key, "nv", model.nv(), value)?),
            "lambda" => lambda = Some(vector(&key, "nv", model.nv(), value)?),
            "direction" => direction = Some(self::direction(value, model.nv())?),
            "f_ext" => f_ext.get_or_insert_default().extend(wrenches(&key, WrenchFrame::Body, value, links)?),
            "f_ext_world" => f_ext.get_or_insert_default().extend(wrenches(&key, WrenchFrame::World, value, links)?),
            _ => {
                let known = "`q`, `v`, `a`, `tau`, `f_ext`, `f_ext_world`, `lambda` or `direction`";
                return Err(format!(": unknown key `{key}`, expected {known}"));
            }
        }
    }
    let missing =
        |key: &str, size: &str, n: usize| format!(": missing key `{key}`, expected a list of {n} numbers ({size})");
    let q = q.ok_or_else(|| missing("q", "nq", model.nq()))?;
    let v = v.ok_or_else(|| missing("v", "nv", model.nv()))?;
    let a = a.ok_or_else(|| missing("a", "nv", model.nv()))?;
    model.check_configuration(&q).map_err(|error| match error {
        InputError::NotNormalized { start, end, joint, kind, direction, norm, .. } => {
            format!(", key `q`: expected a {direction} of length 1 in entries {start}..{end} (joint `{joint}`, {kind}), found length {norm}")
        }
        error => format!(", key `q`: {error}"),
    })?;
    one_each(f_ext.as_deref().unwrap_or_default()).map_err(|reason| format!(", {reason}"))?;
    Ok(State { q, v, a, tau, f_ext, lambda, direction })
}

/// Checks that no link has a wrench in its own frame and one in the world's. Derivatives by them would have the same
/// name.
pub fn one_each(wrenches: &[LinkWrench]) -> Result<(), String> {
    let mut seen = HashSet::new();
    match wrenches.iter().find(|wrench| !seen.insert(&wrench.link)) {
        Some(LinkWrench { link, .. }) => {
            Err(format!("link `{link}` has a wrench in `f_ext` and one in `f_ext_world`, expected one of them"))
        }
        None => Ok(()),
    }
}

/// Parts that are left out are zero.
fn direction(value: Json, nv: usize) -> Result<[Vec<f64>; 4], String> {
    let Json::Object(entries) = value else {
        return Err(format!(", key `direction`: expected an object {{\"q\": [..], ..}}, found {}", value.describe()));
    };
    let mut direction = DIRECTION.map(|_| vec![0.0; nv]);
    for (key, value) in entries {
        let Some(part) = DIRECTION.iter().position(|part| *part == key) else {
            return Err(format!(", key `direction`: unknown key `{key}`, expected {}", DIRECTION.join(", ")));
        };
        direction[part] = vector(&format!("direction.{key}"), "nv", nv, value)?;
    }
    Ok(direction)
}

/// A list of so many numbers.
fn vector(key: &str, size: &str, expected: usize, value: Json) -> Result<Vec<f64>, String> {
    match value {
        Json::Numbers(list) if list.len() == expected => Ok(list),
        Json::Numbers(list) => {
            Err(format!(", key `{key}`: expected {expected} numbers ({size}), found {}", list.len()))
        }
        Json::List(list) => {
            let other = list.iter().enumerate().find(|(_, entry)| !matches!(entry, Json::Number(_)));
            let (index, found) = other.map_or((0, String::new()), |(index, entry)| (index, entry.describe()));
            Err(format!(", key `{key}`, entry {index}: expected a number, found {found}"))
        }
        other => {
            Err(format!(", key `{key}`: expected a list of {expected} numbers ({size}), found {}", other.describe()))
        }
    }
}

fn wrenches(
    key: &str,
    frame: WrenchFrame,
    value: Json,
    links: &HashMap<&str, LinkPlace>,
) -> Result<Vec<LinkWrench>, String> {
    let Json::Object(entries) = value else {
        return Err(format!(
            ", key `{key}`: expected an object {{LINK: [fx,fy,fz,nx,ny,nz]}}, found {}",
            value.describe()
        ));
    };
    let wrench = |(link, value): (String, Json)| {
        let Some(place) = links.get(link.as_str()).copied() else { return Err(unknown_link(key, &link, links)) };
        let numbers = vector(key, "fx,fy,fz,nx,ny,nz", 6, value)
            .map_err(|reason| reason.replacen(&format!("`{key}`"), &format!("`{key}`, link `{link}`"), 1))?;
        let mut wrench = [0.0; 6];
        wrench.copy_from_slice(&numbers);
        Ok(LinkWrench { link, wrench, frame, place })
    };
    entries.into_iter().map(wrench).collect()
}

/// Says that there is no such link, and which name is near.
pub fn unknown_link(key: &str, found: &str, links: &HashMap<&str, LinkPlace>) -> String {
    let found = found.chars().take(100).collect::<String>();
    let hint =
        nearest(&found, links.keys().copied()).unwrap_or_else(|| String::from("; `gradyn info` shows the links"));
    format!(", key `{key}`: expected a link of the robot, found `{found}`{hint}")
}
