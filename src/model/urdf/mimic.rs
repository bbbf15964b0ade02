//! Which joint follows which: looked up, checked, composed.

use super::description::{JointElement, Mimic};
use super::error::UrdfError;
use super::joint::RawMimic;
use super::options::{ContinuousForm, UrdfOptions};
use super::tree_error::TreeError;
use crate::joint::mimic;
use crate::model::source::JointType;
use crate::model::source::MimicForm;
use crate::model::source::note::NoteKind;
use crate::model::source::report::LoadReport;
use crate::model::source::text::{Owner, kept};
use crate::model::source::xml::Named;
use std::collections::HashMap;

/// How far a joint's target is known.
#[derive(Clone, Copy)]
enum State {
    /// It follows this joint directly.
    Follows { target: usize, multiplier: f64, offset: f64 },
    /// It is above the joint whose chain is being followed.
    OnChain,
    /// It is free, or follows a free joint.
    Known(Option<Mimic>),
}

/// Fills in `mimic` of each joint. `follows` has the element of each joint.
pub(super) fn resolve(
    joints: &mut [JointElement],
    follows: Vec<Option<RawMimic>>,
    options: &UrdfOptions,
    report: &mut LoadReport,
) -> Result<(), UrdfError> {
    if follows.iter().all(Option::is_none) {
        return Ok(());
    }
    if options.mimic == MimicForm::Independent {
        for (joint, mimic) in joints.iter().zip(follows) {
            if let Some(RawMimic { target: Named { line, name: target }, .. }) = mimic {
                let (joint, target) = (joint.name.clone(), kept(&target));
                report.push(line, NoteKind::MimicLeftOut { joint, target });
            }
        }
        return Ok(());
    }
    let by_name: HashMap<&str, usize> = joints.iter().enumerate().map(|(i, joint)| (joint.name.as_str(), i)).collect();
    let mut direct = |(joint, mimic): (&JointElement, &Option<RawMimic>)| {
        mimic.as_ref().map_or(Ok(State::Known(None)), |mimic| {
            let Some(target) = look_up(joint, mimic, joints, &by_name)? else {
                let (joint, target) = (joint.name.clone(), kept(&mimic.target.name));
                report.push(mimic.target.line, NoteKind::MimicUndeclared { joint, target });
                return Ok(State::Known(None));
            };
            Ok(State::Follows { target, multiplier: mimic.multiplier, offset: mimic.offset })
        })
    };
    let mut states = joints.iter().zip(&follows).map(&mut direct).collect::<Result<Vec<_>, UrdfError>>()?;

    for start in 0..joints.len() {
        compose(start, &mut states).map_err(|fault| {
            let (Fault::Cycle(i) | Fault::Overflow(i)) = fault;
            let name = joints.get(i).map(|joint| joint.name.clone()).unwrap_or_default();
            let (line, target) = follows
                .get(i)
                .and_then(Option::as_ref)
                .map(|mimic| (mimic.target.line, mimic.target.name.clone()))
                .unwrap_or_default();
            match fault {
                Fault::Cycle(_) => TreeError::MimicCycle { line, joint: name, target }.into(),
                Fault::Overflow(_) => {
                    UrdfError::Overflow { line, owner: Owner::Joint(name), what: "the chain of joints it mimics" }
                }
            }
        })?;
    }
    for (joint, state) in joints.iter_mut().zip(states) {
        if let State::Known(mimic) = state {
            joint.mimic = mimic;
        }
    }
    if options.continuous == ContinuousForm::CosSin {
        note_jumps(joints, &follows, report);
    }
    Ok(())
}

/// Notes joints that follow a part of an angle that has no beginning.
fn note_jumps(joints: &[JointElement], follows: &[Option<RawMimic>], report: &mut LoadReport) {
    for (joint, element) in joints.iter().zip(follows) {
        if let (Some(Mimic { joint: target, multiplier, .. }), Some(element)) = (joint.mimic, element)
            && let Some(target) = joints.get(target).filter(|target| target.joint_type == JointType::Continuous)
            && (multiplier.fract() != 0.0 || joint.joint_type == JointType::Prismatic)
        {
            let (joint, target) = (joint.name.clone(), target.name.clone());
            report.push(element.target.line, NoteKind::MimicJumps { joint, target, multiplier });
        }
    }
}

/// The joint that `joint` follows, if it can; `None` if no joint has that name.
fn look_up(
    joint: &JointElement,
    mimic: &RawMimic,
    joints: &[JointElement],
    by_name: &HashMap<&str, usize>,
) -> Result<Option<usize>, TreeError> {
    let (line, name) = (mimic.target.line, joint.name.clone());
    let several = |joint_type| matches!(joint_type, JointType::Planar | JointType::Floating);
    let target_name = || mimic.target.name.clone();
    let found = by_name.get(mimic.target.name.as_str()).and_then(|i| joints.get(*i).map(|target| (*i, target)));
    let Some((i, target)) = found else { return Ok(None) };
    if target.name == joint.name {
        return Err(TreeError::MimicItself { line, joint: name });
    }
    if several(joint.joint_type) {
        return Err(TreeError::MimicByMany { line, joint: name, joint_type: joint.joint_type });
    }
    if target.joint_type == JointType::Fixed {
        return Err(TreeError::MimicFixed { line, joint: name, target: target_name() });
    }
    if several(target.joint_type) {
        let joint_type = target.joint_type;
        return Err(TreeError::MimicOfMany { line, joint: name, target: target_name(), joint_type });
    }
    Ok(Some(i))
}

/// What can be wrong with a chain, and at which joint.
enum Fault {
    Cycle(usize),
    Overflow(usize),
}

/// Follows the chain from a joint to the free one at its end, then composes the functions on the way back.
fn compose(start: usize, states: &mut [State]) -> Result<(), Fault> {
    let mut chain = Vec::new();
    let mut at = start;
    let mut known = loop {
        let Some(state) = states.get_mut(at) else { return Ok(()) };
        match *state {
            State::Known(mimic) => break mimic.unwrap_or(Mimic { joint: at, multiplier: 1.0, offset: 0.0 }),
            State::OnChain => return Err(Fault::Cycle(at)),
            State::Follows { target, multiplier, offset } => {
                *state = State::OnChain;
                chain.push((at, multiplier, offset));
                at = target;
            }
        }
    };
    while let Some((i, multiplier, offset)) = chain.pop() {
        (known.multiplier, known.offset) = mimic::compose((multiplier, offset), (known.multiplier, known.offset));
        if !(known.multiplier.is_finite() && known.offset.is_finite()) {
            return Err(Fault::Overflow(i));
        }
        if let Some(state) = states.get_mut(i) {
            *state = State::Known(Some(known));
        }
    }
    Ok(())
}
