//! An evaluation of samples: block by block, over threads, stopped and continued.

use super::GlobalError;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::ControlFlow;

/// A plan of samples.
pub trait Plan {
    /// The number of parameters of a sample.
    fn parameters(&self) -> usize;
    /// The number of samples.
    ///
    /// # Errors
    /// An invalid plan.
    fn samples(&self) -> Result<usize, GlobalError>;
    /// The samples themselves: the same ones each time.
    ///
    /// # Errors
    /// An invalid plan.
    fn points(&self) -> Result<impl Points, GlobalError>;
    /// The most bytes that its evaluation and analysis use at once: `outputs` numbers per sample, and tables of the
    /// analysis, one for each thread.
    ///
    /// # Errors
    /// An invalid plan.
    fn bytes(&self, outputs: usize) -> Result<u128, GlobalError>;
}

/// The bytes of rows of numbers.
pub(super) fn bytes_of(rows: usize, numbers: usize) -> u128 {
    8 * rows as u128 * numbers as u128
}

/// The samples of a plan.
pub trait Points: Sync {
    /// Writes samples, beginning with number `first`, to `x`, one after the other, as many as fit.
    fn write(&self, first: usize, x: &mut [f64]);
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of evaluated samples.
    pub done: usize,
    /// The number of planned samples.
    pub total: usize,
}

/// The state of an evaluation of `y = f(p)` at the samples of a plan.
///
/// It can be written and read with serde: outputs are written as the bits of doubles, so that nonfinite ones survive,
/// and a continued run gives the same bits as an uninterrupted one.
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
    /// A run without evaluations. `outputs`: the number of outputs per sample.
    ///
    /// # Errors
    /// An invalid plan; no outputs; more than fits into memory.
    pub fn new(plan: P, outputs: usize) -> Result<Self, GlobalError> {
        let run = Self { plan, outputs, block: 64, done: 0, values: Vec::new() };
        run.check().map(|_| run)
    }

    /// A finished run, of samples that were evaluated elsewhere: their outputs one after the other, in the order of the plan.
    ///
    /// # Errors
    /// As [`new`](Self::new); as many values as the plan does not have.
    pub fn finished(plan: P, outputs: usize, values: Vec<f64>) -> Result<Self, GlobalError> {
        let run = Self { done: plan.samples()?, values, ..Self::new(plan, outputs)? };
        run.check().map(|_| run)
    }

    /// Sets the number of samples in a block, instead of 64. The result's bits depend on it only if those of the
    /// function do.
    ///
    /// # Errors
    /// Zero samples; a run with evaluated samples.
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
    /// `f(x, y)`: x holds samples one after the other, [`Plan::parameters`] numbers each, at most a block of them and
    /// always the same ones together; the outputs of each are written to y, one sample after the other. Unwritten
    /// outputs count as not finite. Blocks are evaluated over the threads of the current rayon pool; `progress` is
    /// called after each, in order. When it breaks, exactly the blocks up to this one are kept.
    ///
    /// # Errors
    /// An inconsistent run that was read.
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
        // Enough blocks that every thread takes several.
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
    /// The number of outputs per sample.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }
    /// The progress.
    ///
    /// # Errors
    /// An inconsistent run that was read.
    pub fn progress(&self) -> Result<Progress, GlobalError> {
        self.check().map(|total| Progress { done: self.done, total })
    }
    /// The outputs of all samples, one after the other.
    ///
    /// # Errors
    /// An unfinished run.
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
        // Eight bytes per number; the largest object is half of the address range.
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
