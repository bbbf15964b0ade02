//! Limits and noise by joint, from the command line.

use crate::error::Error;
use glob::Pattern;
use gradyn_files::nearest::nearest;
use gradyn_sensitivity::excite::{JointLimits, LimitKind};

/// Sets what a list of `JOINT.KIND=VALUE` says.
pub(super) fn limit(limits: &mut JointLimits, list: &[String], names: &[String]) -> Result<(), Error> {
    for entry in list {
        let refuse = |reason: &str| Error::Usage(format!("--limits: `{entry}`: {reason}"));
        let shape = "expected JOINT.KIND=VALUE, such as *.acceleration=10";
        let (left, value) = entry.split_once('=').ok_or_else(|| refuse(shape))?;
        let (joint, kind) = left.rsplit_once('.').ok_or_else(|| refuse(shape))?;
        let kinds = LimitKind::ALL.map(LimitKind::name);
        let kind = LimitKind::ALL.into_iter().find(|known| known.name() == kind.trim());
        let kind = kind.ok_or_else(|| refuse(&format!("expected a kind of limit: {}", kinds.join(", "))))?;
        let joints = joints(joint.trim(), names).map_err(|reason| refuse(&reason))?;
        if kind == LimitKind::Position {
            let range = value.split_once("..").and_then(|(a, b)| Some((number(a)?, number(b)?)));
            let range = range.ok_or_else(|| refuse("expected LEAST..GREATEST, two numbers"))?;
            joints.iter().for_each(|j| limits.position[*j] = range);
            continue;
        }
        let value = number(value).ok_or_else(|| refuse("expected a number"))?;
        let all = match kind {
            LimitKind::Velocity => &mut limits.velocity,
            LimitKind::Acceleration => &mut limits.acceleration,
            _ => &mut limits.effort,
        };
        joints.iter().for_each(|j| all[*j] = value);
    }
    Ok(())
}

/// A number of all joints, or `JOINT=VALUE`.
pub(super) fn noise(list: &[String], names: &[String], of_others: f64) -> Result<Vec<f64>, Error> {
    let mut all = vec![of_others; names.len()];
    for entry in list {
        let refuse = |reason: &str| Error::Usage(format!("--noise: `{entry}`: {reason}"));
        let (joint, value) = entry.split_once('=').unwrap_or(("*", entry));
        let value = number(value).ok_or_else(|| refuse("expected a number, or JOINT=VALUE"))?;
        joints(joint.trim(), names).map_err(|reason| refuse(&reason))?.iter().for_each(|j| all[*j] = value);
    }
    Ok(all)
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

/// The joints whose names fit.
fn joints(pattern: &str, names: &[String]) -> Result<Vec<usize>, String> {
    let glob = Pattern::new(pattern).map_err(|error| format!("`{pattern}` is not a pattern: {}", error.msg))?;
    let found: Vec<usize> = (0..names.len()).filter(|j| names[*j] == pattern || glob.matches(&names[*j])).collect();
    if found.is_empty() {
        let nearest = nearest(pattern, names.iter().map(String::as_str)).unwrap_or_default();
        return Err(format!("there is no joint `{pattern}`{nearest}"));
    }
    Ok(found)
}
