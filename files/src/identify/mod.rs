//! What a fit of parameters found: a verdict, JSON, a page.

mod page;

pub use page::write as page;

use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Fit, Validation};
use serde_json::{Value, json};

/// What an answer says beside the fit.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The level of intervals.
    pub level: f64,
    /// The corner of the low-pass, Hz.
    pub low_pass: Option<f64>,
    /// One of so many samples was kept.
    pub every: usize,
    /// What is odd about the data.
    pub warnings: &'a [String],
    /// What was written to the robot's file.
    pub changes: &'a [String],
}

/// Whether the fit identifies all requested parameters and explains the data.
pub fn is_good(found: &Fit) -> bool {
    found.cannot_tell.is_empty() && found.not_physical.is_empty() && found.estimate.status.converged() && found.explains
}

/// Half the width of the interval of a parameter.
pub fn half_width(found: &Fit, k: usize, level: f64) -> Option<f64> {
    found.estimate.half_width(k, level).filter(|half| half.is_finite())
}

/// The fit in a sentence.
pub fn verdict(found: &Fit) -> String {
    let not_fitted = || {
        let Validation { fitted, held_out, before } = found.validation;
        let left = if held_out.is_nan() { fitted } else { held_out };
        let explanation = found.explanations.first().map(|what| format!("; {what}")).unwrap_or_default();
        format!(
            "not fitted: {:.2} % of the torques remain (before: {:.2} %){explanation}",
            100.0 * left,
            100.0 * before
        )
    };
    if !found.explanations.is_empty() {
        return not_fitted();
    }
    if let Some((body, why)) = found.not_physical.first() {
        return format!("not physical: {body}: {why}");
    }
    if !found.cannot_tell.is_empty() {
        return format!(
            "not identifiable: {} of {} combinations cannot be identified from these data",
            found.cannot_tell.len(),
            found.parameters.len()
        );
    }
    if !found.estimate.status.converged() {
        return found.estimate.status.to_string();
    }
    if !found.explains {
        return not_fitted();
    }
    let held = found.validation.held_out;
    if held.is_nan() {
        return format!("fitted: {:.2} % of the torques remain", 100.0 * found.validation.fitted);
    }
    format!(
        "fitted: {:.2} % of the torques remain, {:.2} % of those held out (before: {:.2} %)",
        100.0 * found.validation.fitted,
        100.0 * held,
        100.0 * found.validation.before
    )
}

/// The fit for programs.
pub fn json(parameters: &Parameters, found: &Fit, told: &Told<'_>) -> Value {
    let Told { level, low_pass, every, warnings, changes } = *told;
    let of = |(k, p): (usize, &gradyn_sensitivity::Parameter)| {
        json!({
            "name": p.name(), "unit": p.unit(), "held": p.held(), "before": p.nominal(),
            "value": found.estimate.parameters[k], "half_width": half_width(found, k, level),
            "at_zero": found.at_zero.contains(&k), "stays": found.held.contains(&k),
            "deviations_from_prior": found.from_prior[k],
        })
    };
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let joint = |j: &gradyn_sensitivity::identify::JointError| json!({ "joint": j.joint, "fitted": number(j.fitted), "held_out": number(j.held_out), "before": number(j.before) });
    json!({
        "verdict": verdict(found),
        "status": found.estimate.status.to_string(),
        "level": level,
        "parameters": parameters.iter().enumerate().map(of).collect::<Vec<_>>(),
        "explains": found.explains,
        "explanations": found.explanations,
        "measured": found.joints.iter().map(|j| &j.joint).collect::<Vec<_>>(),
        "held_out": found.held_out.iter().map(|range| [range.start, range.end]).collect::<Vec<_>>(),
        "noise": found.noise,
        "effective_samples": found.effective_samples,
        "delay": found.delay,
        "low_pass": low_pass,
        "every": every,
        "rank": found.estimate.identifiability.rank,
        "condition": number(found.estimate.identifiability.condition),
        "cannot_tell": found.cannot_tell,
        "not_physical": found.not_physical,
        "joints": found.joints.iter().map(joint).collect::<Vec<_>>(),
        "relative": {
            "fitted": number(found.validation.fitted),
            "held_out": number(found.validation.held_out),
            "before": number(found.validation.before),
        },
        "warnings": warnings,
        "changes": changes,
    })
}
