//! The findings as JSON.

use super::findings::Findings;
use crate::error::Error;
use gradyn_files::answer::StateAnswer;
use gradyn_files::check::compare;
use gradyn_files::check::identity::{self, Identity};
use gradyn_files::json::Json;
use gradyn_files::labels::Labels;
use gradyn_files::robot::Robot;
use serde::Serialize;

/// The findings for programs. Deviating states stand in the form that `evaluate` reads.
#[derive(Serialize)]
struct Answer<'a> {
    robot: &'a str,
    seed: u64,
    first: u64,
    samples: u64,
    /// `agrees`, `disagrees`, or `cannot tell`.
    verdict: &'static str,
    agree: bool,
    /// Of how many states something could not be compared.
    cannot_tell: usize,
    deviating: &'a [u64],
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    singular: &'a [u64],
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<&'a [Json]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restitution: Option<f64>,
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    without_accelerations: &'a [u64],
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    without_differences: &'a [u64],
    comparisons: Vec<compare::Answer>,
    identities: Vec<identity::Answer>,
    states: Vec<StateAnswer<'a>>,
}

pub(super) fn json(robot: &Robot, findings: &Findings) -> Result<Vec<u8>, Error> {
    /// So many deviating states are written out.
    const WRITTEN: usize = 20;
    let written = findings.deviating.iter().take(WRITTEN);
    let states: Vec<_> = written.map(|index| findings.state(robot, *index)).collect();
    let labels = Labels::new(robot.model.dof_names(), &findings.constraints, &robot.model);
    let given = findings.constraints.given.as_deref();
    let answer = Answer {
        robot: robot.model.name(),
        seed: findings.seed,
        first: findings.first,
        samples: findings.samples,
        verdict: findings.verdict(),
        agree: findings.agree() && findings.untold() == 0,
        cannot_tell: findings.untold(),
        deviating: &findings.deviating,
        singular: &findings.singular,
        without_accelerations: &findings.without_accelerations,
        without_differences: &findings.without_differences,
        constraints: given,
        restitution: given.map(|_| findings.constraints.restitution),
        comparisons: findings.comparisons.iter().map(|comparison| comparison.answer(&labels)).collect(),
        identities: findings.identities.iter().map(Identity::answer).collect(),
        states: states.iter().map(StateAnswer::input).collect(),
    };
    serde_json::to_vec_pretty(&answer).map_err(|error| Error::Stdout(error.into()))
}
