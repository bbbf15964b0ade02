//! Why an analysis over samples cannot be made.

use crate::prior::PriorError;
use thiserror::Error;

/// Why an analysis over samples cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GlobalError {
    /// The distribution of a parameter is none.
    #[error("parameter {parameter}: {error}")]
    Prior {
        /// Its place in the list.
        parameter: usize,
        /// What is wrong.
        error: PriorError,
    },
    /// A list does not have the length that it should have.
    #[error("{what} has {found} entries instead of {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// As many as it should have.
        expected: usize,
        /// As many as it has.
        found: usize,
    },
    /// A list has a length that is no multiple of what one sample, row or path takes.
    #[error("{what} has {found} entries, which is no multiple of {unit}")]
    Multiple {
        /// Which list.
        what: &'static str,
        /// What it should be a multiple of.
        unit: usize,
        /// As many as it has.
        found: usize,
    },
    /// A count is not what it must be.
    #[error("{what} is {value}: {rule}")]
    Count {
        /// Which count.
        what: &'static str,
        /// The count.
        value: usize,
        /// What it must be.
        rule: &'static str,
    },
    /// A number is not what it must be.
    #[error("{what} is {value}: {rule}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A parameter is in no group, or in more than one.
    #[error("parameter {parameter} is in {times} groups, and must be in one")]
    Group {
        /// Its place in the list.
        parameter: usize,
        /// In how many groups it is.
        times: usize,
    },
    /// A group names a parameter that is not there.
    #[error("group {group} holds parameter {parameter}, and there are {parameters}")]
    Member {
        /// The group.
        group: usize,
        /// What it names.
        parameter: usize,
        /// As many as there are.
        parameters: usize,
    },
    /// Too many outputs are not finite.
    #[error(
        "outputs of {count} of {total} samples are not finite, and at most 1 % can be kept out; the first are {samples:?}"
    )]
    Failed {
        /// The first of them.
        samples: Vec<usize>,
        /// How many there are.
        count: usize,
        /// Of how many.
        total: usize,
    },
    /// Too few samples are left.
    #[error("{what} is made of {found} samples whose outputs are finite, and takes at least {least}")]
    Few {
        /// What was to be made of them.
        what: &'static str,
        /// As many as are left.
        found: usize,
        /// As many as it takes.
        least: usize,
    },
    /// A run is not yet at its end.
    #[error("{done} of {total} samples are evaluated: the run must be continued first")]
    Unfinished {
        /// As many as are evaluated.
        done: usize,
        /// As many as are wanted.
        total: usize,
    },
    /// What was read does not fit together.
    #[error(
        "the run was evaluated up to sample {done} in blocks of {block}, and holds {found} outputs instead of {expected}"
    )]
    State {
        /// As many samples as are said to be evaluated.
        done: usize,
        /// The length of a block.
        block: usize,
        /// As many outputs as it should hold.
        expected: usize,
        /// As many as it holds.
        found: usize,
    },
    /// A step of a path does not move exactly one parameter.
    #[error(
        "step {step} of path {path} moves {moved} parameters, and must move one that none of its other steps moves"
    )]
    Path {
        /// The path.
        path: usize,
        /// The step in it.
        step: usize,
        /// How many it moves.
        moved: usize,
    },
    /// No sample stands where the other distribution can be.
    #[error(
        "parameter {parameter} can be from {low} to {high}, and was sampled from {sampled_low} to {sampled_high} only"
    )]
    Support {
        /// Its place in the list.
        parameter: usize,
        /// From here under the other distribution.
        low: f64,
        /// To here.
        high: f64,
        /// From here in the sample.
        sampled_low: f64,
        /// To here.
        sampled_high: f64,
    },
    /// The weights leave too little of the sample.
    #[error(
        "under the other distribution the sample is worth {effective:.1} of its {samples} members, and it takes 10 %: draw a new sample"
    )]
    Weights {
        /// The effective number of samples.
        effective: f64,
        /// The number of samples.
        samples: usize,
    },
    /// More than memory holds.
    #[error("{samples} samples with {numbers} numbers each do not fit into memory")]
    Size {
        /// Samples.
        samples: usize,
        /// Numbers of each.
        numbers: usize,
    },
}

impl GlobalError {
    /// Checks that the list has this length.
    pub(crate) fn length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::Length { what, expected, found }) }
    }
}

/// Checks that there is a prior, and that all priors are valid.
pub(crate) fn check_priors(priors: &[crate::prior::Prior]) -> Result<(), GlobalError> {
    if priors.is_empty() {
        return Err(GlobalError::Count { what: "the number of parameters", value: 0, rule: "there must be one" });
    }
    let mut all = priors.iter().enumerate();
    all.try_for_each(|(parameter, prior)| prior.check().map_err(|error| GlobalError::Prior { parameter, error }))
}

/// Checks that intervals can be computed with this resampling.
pub(crate) fn check_resampling(resampling: &crate::statistics::Resampling) -> Result<(), GlobalError> {
    match resampling.fault() {
        Some((what, value, rule)) => Err(GlobalError::Number { what, value, rule }),
        None => Ok(()),
    }
}
