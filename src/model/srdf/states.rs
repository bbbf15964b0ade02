//! Configurations of a robot from the states of a file.

use super::error::full_name;
use super::{Configuration, Srdf, SrdfError, State, StateJoint};
use crate::joint::{Joint, JointKind};
use crate::model::source::text::nearest;
use crate::model::{Body, Model};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

impl Srdf {
    /// The configuration of a robot by its name: the neutral one, but for the joints that the state lists.
    ///
    /// States of several groups may have one name, as `home` of the left arm and of the right arm: together they are the configuration of
    /// this name, and `left_arm/home` is one of them alone.
    ///
    /// Joints that the robot does not have, or that follow others or are fixed, are skipped, since SRDF files list such ones;
    /// those of an unknown name are told by [`unknown_joints`](Self::unknown_joints).
    ///
    /// # Errors
    /// [`SrdfError::UnknownState`], [`SrdfError::Contradiction`] where states of one name give a joint different values,
    /// [`SrdfError::Coordinates`] for a joint that has another number of coordinates, and [`SrdfError::NoRotation`] for a quaternion of
    /// length zero.
    pub fn configuration(&self, model: &Model, name: &str) -> Result<Vec<f64>, SrdfError> {
        let of = |is: &dyn Fn(&State) -> bool| self.states.iter().filter(|state| is(state)).collect::<Vec<_>>();
        let mut states = of(&|state| state.name == name);
        if states.is_empty() {
            states = of(&|state| full_name(&state.group, &state.name) == name);
        }
        if states.is_empty() {
            let full: Vec<String> = self.states.iter().map(|state| full_name(&state.group, &state.name)).collect();
            let names = self.states.iter().map(|state| state.name.as_str()).chain(full.iter().map(String::as_str));
            return Err(SrdfError::UnknownState { name: name.to_owned(), nearest: nearest(name, names) });
        }
        together(&states)?;
        assemble(model, &bodies(model), &states)
    }

    /// All configurations that the states give a robot, in the order of the file: of states of several groups with one name the
    /// configuration of all, unless they contradict each other, and after it `GROUP/NAME` of each.
    ///
    /// # Errors
    /// Those of [`configuration`](Self::configuration).
    pub fn configurations(&self, model: &Model) -> Result<Vec<Configuration>, SrdfError> {
        let mut named: Vec<(&str, Vec<&State>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for state in &self.states {
            match places.entry(&state.name) {
                Entry::Occupied(place) => named[*place.get()].1.push(state),
                Entry::Vacant(place) => {
                    place.insert(named.len());
                    named.push((&state.name, vec![state]));
                }
            }
        }
        let bodies = bodies(model);
        let mut found = Vec::new();
        for (name, states) in &named {
            if together(states).is_ok() {
                let (line, name) = (states[0].line, (*name).to_owned());
                let group = Some(states[0].group.clone()).filter(|group| states.len() == 1 && !group.is_empty());
                found.push(Configuration { line, name, group, q: assemble(model, &bodies, states)? });
            }
            if states.len() == 1 {
                continue;
            }
            for state in states {
                let name = full_name(&state.group, &state.name);
                if !places.contains_key(name.as_str()) {
                    let q = assemble(model, &bodies, &[state])?;
                    found.push(Configuration { line: state.line, name, group: None, q });
                }
            }
        }
        Ok(found)
    }
}

impl Srdf {
    /// Joints of states that follow others and are not where these put them.
    pub(super) fn contradicting<'a>(&'a self, model: &Model) -> Vec<&'a StateJoint> {
        let bodies = bodies(model);
        let mut found = Vec::new();
        for state in &self.states {
            let follows = |joint: &&StateJoint| {
                bodies.get(joint.name.as_str()).is_some_and(|body| matches!(body.joint(), Joint::Mimic(_)))
            };
            let mut followers = state.joints.iter().filter(follows).peekable();
            // Elsewhere refused.
            let Some(Ok(q)) = followers.peek().map(|_| assemble(model, &bodies, &[state])) else { continue };
            found.extend(followers.filter(|joint| {
                let of = bodies.get(joint.name.as_str()).zip(joint.values.first());
                of.is_some_and(|(body, value)| body.is_elsewhere(&q, *value))
            }));
        }
        found
    }
}

/// Bodies by the names of their joints.
fn bodies(model: &Model) -> HashMap<&str, &Body> {
    model.bodies().iter().rev().map(|body| (body.joint_name(), body)).collect()
}

/// That no joint has different values in two of these states.
fn together(states: &[&State]) -> Result<(), SrdfError> {
    if states.len() < 2 {
        return Ok(());
    }
    let mut first: HashMap<&str, (&State, &StateJoint)> = HashMap::new();
    for state in states {
        for joint in &state.joints {
            let (of, before) = *first.entry(&joint.name).or_insert((state, joint));
            if of.group != state.group && before.values != joint.values {
                return Err(SrdfError::Contradiction {
                    name: state.name.clone(),
                    groups: [of.group.clone(), state.group.clone()],
                    joint: joint.name.clone(),
                    first_line: before.line,
                    line: joint.line,
                });
            }
        }
    }
    Ok(())
}

fn assemble(model: &Model, bodies: &HashMap<&str, &Body>, states: &[&State]) -> Result<Vec<f64>, SrdfError> {
    let mut q = model.neutral();
    for joint in states.iter().flat_map(|state| &state.joints) {
        let found = bodies.get(joint.name.as_str());
        let Some(body) = found.filter(|body| !matches!(body.joint(), Joint::Mimic(_))) else { continue };
        let Some(place) = q.get_mut(body.q_range()) else { continue };
        match (place, joint.values.as_slice()) {
            // An angle as a point of the circle.
            ([cos, sin], [angle]) if body.joint().nv() == 1 => (*cos, *sin) = (angle.cos(), angle.sin()),
            (place, values) if place.len() == values.len() => {
                let quaternion =
                    if body.joint().nv() >= 3 { values.get(values.len().saturating_sub(4)..) } else { None };
                if place.len() != body.joint().nv() && quaternion.is_some_and(|x| x.iter().all(|x| *x == 0.0)) {
                    return Err(SrdfError::NoRotation { line: joint.line, joint: joint.name.clone() });
                }
                place.copy_from_slice(values);
            }
            (place, values) => {
                let (joint_name, line) = (joint.name.clone(), joint.line);
                let (expected, found) = (place.len(), values.len());
                return Err(SrdfError::Coordinates { line, joint: joint_name, expected, found });
            }
        }
    }
    model.normalize(&mut q)?;
    Ok(q)
}
