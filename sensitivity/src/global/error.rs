//! Errors of analyses over samples.

use crate::prior::PriorError;
use thiserror::Error;

/// Errors of analyses over samples.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GlobalError {
    /// The distribution of a parameter is invalid.
    #[error("parameter {parameter}: {error}")]
    Prior {
        /// Its index.
        parameter: usize,
        /// The error of the distribution.
        error: PriorError,
    },
    /// A list has the wrong length.
    #[error("{what} has {found} entries instead of {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The actual length.
        found: usize,
    },
    /// The length of a list is not a multiple of that of one sample, row or path.
    #[error("{what} has {found} entries, which is not a multiple of {unit}")]
    Multiple {
        /// Which list.
        what: &'static str,
        /// The length of one sample, row or path.
        unit: usize,
        /// The actual length.
        found: usize,
    },
    /// A count is invalid.
    #[error("{what} is {value}: {rule}")]
    Count {
        /// Which count.
        what: &'static str,
        /// The count.
        value: usize,
        /// What it must be.
        rule: &'static str,
    },
    /// A number is invalid.
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
    #[error("parameter {parameter} is in {times} groups; expected one")]
    Group {
        /// Its index.
        parameter: usize,
        /// The number of groups that it is in.
        times: usize,
    },
    /// A group names a parameter that does not exist.
    #[error("group {group} has parameter {parameter}, but there are only {parameters}")]
    Member {
        /// The group.
        group: usize,
        /// The parameter that it names.
        parameter: usize,
        /// The number of parameters.
        parameters: usize,
    },
    /// Too many outputs are not finite.
    #[error(
        "outputs of {count} of {total} samples are not finite, and at most 1 % can be excluded; the first are {samples:?}"
    )]
    Failed {
        /// The first of them.
        samples: Vec<usize>,
        /// Their number.
        count: usize,
        /// The number of all samples.
        total: usize,
    },
    /// Too few samples remain.
    #[error("{what} has {found} samples with finite outputs; expected at least {least}")]
    Few {
        /// The estimate.
        what: &'static str,
        /// The number of remaining samples.
        found: usize,
        /// The required number.
        least: usize,
    },
    /// A run is unfinished.
    #[error("{done} of {total} samples are evaluated: the run must be continued first")]
    Unfinished {
        /// The number of evaluated samples.
        done: usize,
        /// The number of planned samples.
        total: usize,
    },
    /// A run that was read is inconsistent.
    #[error(
        "the run was evaluated up to sample {done} in blocks of {block}, and holds {found} outputs instead of {expected}"
    )]
    State {
        /// The stated number of evaluated samples.
        done: usize,
        /// The length of a block.
        block: usize,
        /// The expected number of outputs.
        expected: usize,
        /// The actual number.
        found: usize,
    },
    /// A step of a path does not move exactly one parameter.
    #[error("step {step} of path {path} moves {moved} parameters; expected one that no other step moves")]
    Path {
        /// The path.
        path: usize,
        /// The step in it.
        step: usize,
        /// The number of parameters that it moves.
        moved: usize,
    },
    /// The sample does not cover the range of the other distribution.
    #[error(
        "parameter {parameter} ranges from {low} to {high}, but was sampled only from {sampled_low} to {sampled_high}"
    )]
    Support {
        /// Its index.
        parameter: usize,
        /// The lower bound under the other distribution.
        low: f64,
        /// The upper bound.
        high: f64,
        /// The lower bound in the sample.
        sampled_low: f64,
        /// The upper bound.
        sampled_high: f64,
    },
    /// The effective number of samples is too small.
    #[error(
        "under the other distribution the effective size of the sample is {effective:.1} of {samples}, less than 10 %: draw a new sample"
    )]
    Weights {
        /// The effective number of samples.
        effective: f64,
        /// The number of samples.
        samples: usize,
    },
    /// The samples do not fit into memory.
    #[error("{samples} samples with {numbers} numbers each do not fit into memory")]
    Size {
        /// The number of samples.
        samples: usize,
        /// The numbers per sample.
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
