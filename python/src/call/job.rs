//! The work of a call: states computed by one thread or several.

use crate::arrays::{Lead, Target, View};
use crate::memory::{self, ModelMemory};
use crate::options::Resolved;
use crate::pool;
use crate::table::{ARGUMENTS, Dim, Function, OUTPUTS};
use arrayvec::ArrayVec;
use gradyn::nalgebra::DMatrix;
use gradyn::{ExternalWrench, Force, InputError, Method, Model};
use rayon::prelude::*;

/// What is to be computed: plain numbers and pointers into arrays that the caller holds.
pub(super) struct Job<'a> {
    pub(super) model: &'a Model,
    pub(super) id: u64,
    pub(super) function: &'static Function,
    pub(super) lead: Lead,
    pub(super) input: &'a [View],
    pub(super) wrenches: &'a [(View, ExternalWrench, gradyn::Transform<f64>)],
    pub(super) output: &'a [Target],
    pub(super) options: &'a Resolved,
    /// Results go to their places once they are computed, since other results stand there too.
    pub(super) apart: bool,
}

// SAFETY: arrays are read by all, and each state's results are written by who computes the state. That the caller's arrays
// are not written meanwhile is the caller's duty, as with NumPy's own functions that release the interpreter.
unsafe impl Send for Job<'_> {}
// SAFETY: as above.
unsafe impl Sync for Job<'_> {}

/// A state that cannot be computed, and why.
pub(crate) type Refused = (usize, InputError);

/// About how long a state takes, ns.
pub(super) fn nanoseconds(model: &Model, function: &Function, method: Method) -> usize {
    let nv = model.nv();
    let dofs = |output: &crate::table::Output| output.shape.iter().filter(|dim| **dim == Dim::Nv).count();
    let dims = function.outputs.iter().map(dofs).max().unwrap_or(0);
    let by_formulas = match dims {
        0 | 1 => 25 * nv,
        2 => 60 * nv + 2 * nv * nv,
        _ => 1_000 * nv + 2 * nv * nv * nv,
    };
    if method == Method::Analytical { by_formulas } else { 40 * by_formulas }
}

impl Job<'_> {
    pub(super) fn states(&self) -> usize {
        self.lead.states()
    }

    /// About how long a state takes, ns.
    pub(super) fn nanoseconds(&self) -> usize {
        nanoseconds(self.model, self.function, self.options.method)
    }

    pub(super) fn run(&self) -> Result<(), Refused> {
        let many = self
            .function
            .many
            .filter(|_| self.states() > 1 && self.wrenches.is_empty() && self.options.method == Method::Analytical);
        if let Some(many) = many {
            return if self.options.threads > 1 { pool::install(|| self.batch(many)) } else { self.batch(many) };
        }
        let states = self.states();
        if self.options.threads <= 1 || states < 2 || states * self.nanoseconds() < 50_000 {
            return memory::with(self.id, |memory| self.range(0..states, memory));
        }
        let chunk = states.div_ceil(8 * self.options.threads).max(1);
        pool::install(|| {
            (0..states.div_ceil(chunk))
                .into_par_iter()
                .map(|k| {
                    let range = k * chunk..((k + 1) * chunk).min(states);
                    memory::with(self.id, |memory| self.range(range, memory))
                })
                .reduce(|| Ok(()), |a, b| a.and(b))
        })
    }

    /// One state after the other.
    fn range(&self, range: std::ops::Range<usize>, memory: &mut ModelMemory) -> Result<(), Refused> {
        let mut scratch = std::mem::take(&mut memory.scratch);
        let result = if self.wrenches.is_empty() {
            range.into_iter().try_for_each(|state| self.one(state, memory, self.options, &mut scratch))
        } else {
            let mut options = self.options.with_wrenches(self.wrenches.iter().map(|(_, wrench, _)| *wrench).collect());
            range.into_iter().try_for_each(|state| {
                for (to, (view, _, placement)) in options.wrenches.iter_mut().zip(self.wrenches) {
                    let mut x = [0.0; 6];
                    // SAFETY: the arrays are alive while the job is.
                    unsafe { view.copy(&self.lead, state, &mut x) };
                    let [fx, fy, fz, nx, ny, nz] = x;
                    to.wrench = placement.act(Force::new([fx, fy, fz].into(), [nx, ny, nz].into()));
                }
                self.one(state, memory, &options, &mut scratch)
            })
        };
        memory.scratch = scratch;
        result
    }

    fn one(
        &self,
        state: usize,
        memory: &mut ModelMemory,
        options: &Resolved,
        scratch: &mut Vec<f64>,
    ) -> Result<(), Refused> {
        let Self { lead, input, output, function, .. } = self;
        // Room for what does not stand as it is computed.
        let mut input_slices: ArrayVec<&[f64], ARGUMENTS> = input.iter().map(|_| &[][..]).collect();
        let mut needed = 0;
        for (slice, view) in input_slices.iter_mut().zip(input.iter()) {
            // SAFETY: the arrays are alive while the job is.
            match unsafe { view.slice(lead, state) } {
                Some(found) => *slice = found,
                None => needed += view.n(),
            }
        }
        let mut targets: ArrayVec<&mut [f64], OUTPUTS> = output.iter().map(|_| &mut [][..]).collect();
        for (slice, target) in targets.iter_mut().zip(output.iter()) {
            // SAFETY: the arrays are alive while the job is, and nobody else computes this state.
            match unsafe { target.slice(lead, state) }.filter(|_| !self.apart) {
                Some(found) => *slice = found,
                None => needed += target.size(),
            }
        }
        if needed == 0 {
            (function.compute)(self.model, memory, &input_slices, options, &mut targets)
                .map_err(|error| (state, error))?;
            self.by_own_numbers(&mut targets);
            return Ok(());
        }
        if scratch.len() < needed {
            scratch.resize(needed, 0.0);
        }
        let mut room = &mut scratch[..];
        for (slice, view) in input_slices.iter_mut().zip(input.iter()) {
            // SAFETY: the arrays are alive while the job is.
            if unsafe { view.slice(lead, state) }.is_none() {
                let (own, rest) = room.split_at_mut(view.n());
                // SAFETY: as above.
                unsafe { view.copy(lead, state, own) };
                (*slice, room) = (own, rest);
            }
        }
        let mut moved = [false; OUTPUTS];
        for ((slice, target), moved) in targets.iter_mut().zip(output.iter()).zip(&mut moved) {
            if slice.len() != target.size() {
                let (own, rest) = room.split_at_mut(target.size());
                (*slice, room, *moved) = (own, rest, true);
            }
        }
        (function.compute)(self.model, memory, &input_slices, options, &mut targets).map_err(|error| (state, error))?;
        self.by_own_numbers(&mut targets);
        for ((slice, target), moved) in targets.iter().zip(output.iter()).zip(moved) {
            if moved {
                // SAFETY: the arrays are alive while the job is, and nobody else computes this state.
                unsafe { target.put(lead, state, slice) };
            }
        }
        Ok(())
    }

    /// Derivatives by wrenches are by the numbers that were given, in the axes and about the origin of the frame that was
    /// named, where the engine's are by those at the body's origin.
    fn by_own_numbers(&self, targets: &mut [&mut [f64]]) {
        if self.wrenches.iter().all(|(.., placement)| *placement == gradyn::Transform::identity()) {
            return;
        }
        let of_wrenches =
            self.function.outputs.iter().zip(targets).filter(|(of, _)| of.shape.first() == Some(&Dim::Wrenches));
        for (of, target) in of_wrenches {
            let size = target.len() / self.wrenches.len();
            for ((.., placement), block) in self.wrenches.iter().zip(target.chunks_exact_mut(size.max(1))) {
                // Six columns, or one row of six.
                let rows = if of.shape.len() == 3 { size / 6 } else { 1 };
                let product = DMatrix::from_column_slice(rows, 6, block) * placement.dual_action();
                block.copy_from_slice(product.as_slice());
            }
        }
    }

    /// All states at once.
    fn batch(&self, many: crate::table::ComputeMany) -> Result<(), Refused> {
        let Self { lead, input, output, function, .. } = self;
        let states = self.states();
        let mut gathered: [Vec<f64>; ARGUMENTS] = Default::default();
        for (gathered, view) in gathered.iter_mut().zip(input.iter()) {
            // SAFETY: the arrays are alive while the job is.
            if unsafe { view.all(lead) }.is_none() {
                gathered.resize(view.n() * states, 0.0);
                for (state, to) in gathered.chunks_exact_mut(view.n().max(1)).enumerate() {
                    // SAFETY: as above.
                    unsafe { view.copy(lead, state, to) };
                }
            }
        }
        let mut input_slices: ArrayVec<&[f64], ARGUMENTS> = input.iter().map(|_| &[][..]).collect();
        for ((slice, gathered), view) in input_slices.iter_mut().zip(&gathered).zip(input.iter()) {
            // SAFETY: as above.
            *slice = unsafe { view.all(lead) }.unwrap_or(gathered);
        }
        let mut apart: [Vec<f64>; OUTPUTS] = Default::default();
        let mut targets: ArrayVec<&mut [f64], OUTPUTS> = output.iter().map(|_| &mut [][..]).collect();
        for ((slice, apart), target) in targets.iter_mut().zip(&mut apart).zip(output.iter()) {
            // SAFETY: the arrays are alive while the job is, and only it writes them.
            *slice = match unsafe { target.all(lead) }.filter(|_| !self.apart) {
                Some(found) => found,
                None => {
                    apart.resize(target.size() * states, 0.0);
                    apart
                }
            };
        }
        let refused = memory::with(self.id, |memory| {
            let batch = memory.batch(self.model, self.options.threads);
            many(self.model, batch, &input_slices, self.options, &mut targets)
        });
        match refused {
            Ok(None) => {}
            Err(error) => return Err((0, error)),
            // The same call for this state alone says what is wrong with it.
            Ok(Some(state)) => {
                let result = memory::with(self.id, |memory| self.range(state..state + 1, memory));
                return result.and(Err((
                    state,
                    InputError::Overflow { what: function.outputs[0].name, index: 0, joint: self.model.name().into() },
                )));
            }
        }
        drop(targets);
        for (apart, target) in apart.iter().zip(output.iter()) {
            for (state, from) in apart.chunks_exact(target.size().max(1)).enumerate() {
                // SAFETY: as above.
                unsafe { target.put(lead, state, from) };
            }
        }
        Ok(())
    }
}
