//! Arguments of a batch: their lengths are checked, and the work is done.

use super::block::Work;
use super::memory::{Batch, Slot};
use super::outcome::Finite;
use super::quantity::{InLanes, OUTPUTS, Quantity};
use crate::model::{InputError, Model};
use gradyn_derivatives::{Level, WIDTH};

impl Batch {
    /// In lanes, on several threads.
    pub(super) fn run<Q: InLanes, const I: usize, const O: usize>(
        &mut self,
        model: &Model,
        quantity: &Q,
        input: [Argument<'_>; I],
        output: [Output<'_>; O],
    ) -> Result<Finite<'_>, InputError> {
        self.with_work(model, quantity, input, output, |work, slots| work.run_in_lanes(Level::active(), slots))
    }

    /// One state after the other, on several threads.
    pub(super) fn run_one_by_one<Q: Quantity, const I: usize, const O: usize>(
        &mut self,
        model: &Model,
        quantity: &Q,
        input: [Argument<'_>; I],
        output: [Output<'_>; O],
    ) -> Result<Finite<'_>, InputError> {
        self.with_work(model, quantity, input, output, |work, slots| work.run_one_by_one(Level::active(), slots))
    }

    /// Checks lengths, and has the work done.
    fn with_work<Q: Quantity, const I: usize, const O: usize>(
        &mut self,
        model: &Model,
        quantity: &Q,
        input: [Argument<'_>; I],
        output: [Output<'_>; O],
        run: impl FnOnce(Work<'_, Q>, &mut [Slot]),
    ) -> Result<Finite<'_>, InputError> {
        self.check(model)?;
        let [nq, nv] = [model.nq, model.nv];
        let count = input.first().map_or(0, |(_, q)| q.len() / nq.max(1));
        let mut from: [&[f64]; 4] = [&[]; 4];
        for (k, (what, x)) in input.into_iter().enumerate() {
            let (size, n) = if k == 0 { ("N nq", nq) } else { ("N nv", nv) };
            model.check_length(what, size, x.len(), count * n)?;
            from[k] = x;
        }
        let mut to: [&mut [f64]; OUTPUTS] = Default::default();
        for ((to, n), (what, size, x)) in to.iter_mut().zip(quantity.sizes(model)).zip(output) {
            model.check_length(what, size, x.len(), count * n)?;
            *to = x;
        }
        self.masks.clear();
        self.masks.resize(count.div_ceil(WIDTH), 0);
        run(Work { model, input: from, output: to, count, masks: &mut self.masks, quantity }, &mut self.slots);
        Ok(Finite { masks: &self.masks, count })
    }

    fn check(&self, model: &Model) -> Result<(), InputError> {
        if self.structure == model.structure {
            return Ok(());
        }
        let [found_nv, found] = self.sizes;
        Err(InputError::Workspace { expected: model.bodies.len(), found, expected_nv: model.nv, found_nv })
    }
}

/// What an argument is called, and all states of it.
pub(super) type Argument<'a> = (&'static str, &'a [f64]);

/// What a result is called, its size, and where it goes.
pub(super) type Output<'a> = (&'static str, &'static str, &'a mut [f64]);

/// Of a matrix nv × nv.
pub(super) fn square<'a>((what, to): (&'static str, &'a mut [f64])) -> Output<'a> {
    (what, "N nv nv", to)
}
