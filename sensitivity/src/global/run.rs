//! An evaluation of samples: block by block, over threads, stopped and continued.

use super::GlobalError;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::ControlFlow;

/// Which samples are wanted.
pub trait Plan {
    /// Parameters of a sample.
    fn parameters(&self) -> usize;
    /// How many samples there are.
    ///
    /// # Errors
    /// If the description is none.
    fn samples(&self) -> Result<usize, GlobalError>;
    /// The samples themselves: the same ones each time.
    ///
    /// # Errors
    /// If the description is none.
    fn points(&self) -> Result<impl Points, GlobalError>;
    /// Bytes that its evaluation and analysis take at once, at most: `outputs` numbers a sample, tables of the analysis, one for each thread.
    ///
    /// # Errors
    /// If the description is none.
    fn bytes(&self, outputs: usize) -> Result<u128, GlobalError>;
}

/// Bytes of so many rows of numbers.
pub(super) fn bytes_of(rows: usize, numbers: usize) -> u128 {
    8 * rows as u128 * numbers as u128
}

/// The samples of a plan.
pub trait Points: Sync {
    /// Samples from number `first` on into `x`, one after the other, as many as fit.
    fn write(&self, first: usize, x: &mut [f64]);
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Samples evaluated.
    pub done: usize,
    /// Samples wanted.
    pub total: usize,
}

/// The state of an evaluation of `y = f(p)` at the samples of a plan.
///
/// It can be written and read with serde: outputs are written as the bits of doubles, so that what is not finite survives, and a run that
/// is continued gives the same bits as one that never stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run<P> {
    plan: P,
    outputs: usize,
    block: usize,
    done: usize,
    #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
    values: Vec<f64>,
}

impl<P: Plan> Run<P> {
    /// Nothing is evaluated yet. `outputs`: numbers that the function gives for a sample.
    ///
    /// # Errors
    /// An invalid plan; no outputs; more than memory can be asked for.
    pub fn new(plan: P, outputs: usize) -> Result<Self, GlobalError> {
        let run = Self { plan, outputs, block: 64, done: 0, values: Vec::new() };
        run.check().map(|_| run)
    }

    /// So many samples at a time instead of 64. What is evaluated together is part of the result's bits only if the function makes it so.
    ///
    /// # Errors
    /// No samples; or samples are evaluated already.
    pub fn in_blocks_of(mut self, samples: usize) -> Result<Self, GlobalError> {
        if samples == 0 {
            return Err(GlobalError::Count { what: "the length of a block", value: 0, rule: "it must be positive" });
        }
        if self.done > 0 {
            let rule = "the length of a block is chosen before the first sample is evaluated";
            return Err(GlobalError::Count { what: "the number of evaluated samples", value: self.done, rule });
        }
        self.block = samples;
        Ok(self)
    }

    /// Continues the evaluation until all is done or `progress` says [`ControlFlow::Break`]. Returns whether all is
    /// done.
    ///
    /// `f(x, y)`: x holds samples one after the other, [`Plan::parameters`] numbers each, at most a block of them and always the same ones
    /// together; into y go the outputs of each, one sample after the other. Outputs that are not written count as not finite. Blocks are
    /// evaluated over the threads of the current rayon pool; `progress` is called after each, in order. When it breaks, exactly the blocks
    /// up to this one are kept.
    ///
    /// # Errors
    /// A run that was read and does not fit together.
    pub fn advance(
        &mut self,
        f: impl Fn(&[f64], &mut [f64]) + Sync,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<bool, GlobalError> {
        let total = self.check()?;
        if self.done == total {
            return Ok(true);
        }
        let points = self.plan.points()?;
        let (parameters, outputs, block) = (self.plan.parameters(), self.outputs, self.block);
        // Enough blocks for every thread to take several.
        let wave = block.saturating_mul(4 * rayon::current_num_threads());
        while self.done < total {
            let first = self.done;
            let end = total.min(first.saturating_add(wave));
            let size = GlobalError::Size { samples: total, numbers: outputs };
            self.values.try_reserve(end * outputs - self.values.len()).map_err(|_| size)?;
            self.values.resize(end * outputs, f64::NAN);
            let fresh = self.values[first * outputs..].par_chunks_mut(block.saturating_mul(outputs));
            fresh.enumerate().for_each_init(Vec::new, |x, (i, y)| {
                x.resize(y.len() / outputs * parameters, 0.0);
                points.write(first + i * block, x);
                f(x, y);
            });
            while self.done < end {
                self.done = end.min(self.done.saturating_add(block));
                if progress(Progress { done: self.done, total }).is_break() {
                    self.values.truncate(self.done * outputs);
                    return Ok(self.done == total);
                }
            }
        }
        Ok(true)
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &P {
        &self.plan
    }
    /// Numbers that the function gives for a sample.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }
    /// How far it is.
    ///
    /// # Errors
    /// A run that was read and does not fit together.
    pub fn progress(&self) -> Result<Progress, GlobalError> {
        self.check().map(|total| Progress { done: self.done, total })
    }
    /// The outputs of all samples, one after the other.
    ///
    /// # Errors
    /// If it is not at its end.
    pub fn values(&self) -> Result<&[f64], GlobalError> {
        match self.check()? {
            total if total == self.done => Ok(&self.values),
            total => Err(GlobalError::Unfinished { done: self.done, total }),
        }
    }

    /// Checks that the state is consistent. Returns the number of samples.
    fn check(&self) -> Result<usize, GlobalError> {
        let Self { outputs, block, done, values, .. } = self;
        if *outputs == 0 {
            return Err(GlobalError::Count { what: "the number of outputs", value: 0, rule: "there must be one" });
        }
        let samples = self.plan.samples()?;
        let numbers = (*outputs).max(self.plan.parameters());
        // Eight bytes a number; the largest object has half of what an address can count.
        if samples.checked_mul(numbers).is_none_or(|all| all > isize::MAX as usize / 8) {
            return Err(GlobalError::Size { samples, numbers });
        }
        let expected = (*done).min(samples) * outputs;
        let whole = *block > 0 && (done.is_multiple_of(*block) || *done == samples);
        if *done > samples || !whole || values.len() != expected {
            return Err(GlobalError::State { done: *done, block: *block, expected, found: values.len() });
        }
        Ok(samples)
    }
}

fn write_bits<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|x| x.to_bits()))
}

fn read_bits<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    Ok(Vec::<u64>::deserialize(deserializer)?.into_iter().map(f64::from_bits).collect())
}
