//! Blocks of states, as many as registers have lanes: into these, through the algorithm, and back.

use super::lanes::{off_unit, read, write};
use super::memory::{BatchMemory, Single, Slot};
use super::quantity::{InLanes, OUTPUTS, Quantity, Sizes};
use crate::dynamics::by_plan;
use crate::model::Model;
use gradyn_derivatives::Level;
use gradyn_derivatives::simd::{Kernel, Register, VectorLevel, WIDTH, with_level};
use std::any::Any;
use std::ops::Range;

/// States to evaluate.
pub(super) struct Work<'a, Q> {
    pub(super) model: &'a Model,
    /// Empty where the algorithm does not take one.
    pub(super) input: [&'a [f64]; 4],
    pub(super) output: [&'a mut [f64]; OUTPUTS],
    pub(super) count: usize,
    /// One a block: a bit for each state that is not finite.
    pub(super) masks: &'a mut [u8],
    pub(super) quantity: &'a Q,
}

impl<Q: InLanes> Work<'_, Q> {
    /// Evaluates the states in lanes, on as many threads as there are memories; one after the other where there are no vector registers.
    pub(super) fn run_in_lanes(self, level: Level, slots: &mut [Slot]) {
        match VectorLevel::of(level) {
            Some(level) => self.spread(slots, &|work, slot| level.run(Task { work, slot })),
            None => self.run_one_by_one(level, slots),
        }
    }
}

impl<Q: Quantity> Work<'_, Q> {
    /// Evaluates one state after the other, on as many threads as there are memories.
    pub(super) fn run_one_by_one(self, level: Level, slots: &mut [Slot]) {
        self.spread(slots, &|work, slot| {
            let Self { model, input, mut output, count, masks, quantity } = work;
            for (block, mask) in masks.iter_mut().enumerate() {
                let states = block * WIDTH..count.min((block + 1) * WIDTH);
                *mask =
                    one_after_the_other(model, (quantity, level), &mut slot.single, input, &mut output, states, count);
            }
        });
    }

    /// Halves the work, as long as there are several memories, and does what is left with one.
    fn spread(self, slots: &mut [Slot], run: &(impl Fn(Self, &mut Slot) + Sync)) {
        #[cfg(feature = "rayon")]
        if slots.len() > 1 && self.masks.len() > 1 && self.is_worth_a_thread() {
            let (left, right) = slots.split_at_mut(slots.len() / 2);
            let blocks = self.masks.len() * left.len() / (left.len() + right.len());
            let (first, second) = self.split(blocks);
            rayon::join(|| first.spread(left, run), || second.spread(right, run));
            return;
        }
        if let Some(slot) = slots.first_mut() {
            run(self, slot);
        }
    }

    /// Whether another thread takes over more work than waking it costs.
    #[cfg(feature = "rayon")]
    fn is_worth_a_thread(&self) -> bool {
        /// Work of one thread, ns. Waking another one took 10 to 30 µs.
        const LEAST: usize = 50_000;
        self.count.saturating_mul(self.quantity.nanoseconds(self.model)) >= 2 * LEAST
    }

    /// The first blocks, and the others.
    #[cfg(feature = "rayon")]
    fn split(self, blocks: usize) -> (Self, Self) {
        let Self { model, input, output, count, masks, quantity } = self;
        let (states, sizes) = ((blocks * WIDTH).min(count), quantity.sizes(model));
        let inputs = input.map(|x| x.split_at(x.len() / count * states));
        let mut sizes = sizes.into_iter();
        let outputs = output.map(|x| x.split_at_mut(sizes.next().unwrap_or(0) * states));
        let masks = masks.split_at_mut(blocks);
        let mut second: [&mut [f64]; OUTPUTS] = Default::default();
        let mut k = 0;
        let first = outputs.map(|(first, rest)| {
            second[k] = rest;
            k += 1;
            first
        });
        (
            Self { model, input: inputs.map(|x| x.0), output: first, count: states, masks: masks.0, quantity },
            Self { model, input: inputs.map(|x| x.1), output: second, count: count - states, masks: masks.1, quantity },
        )
    }
}

/// The work of one thread.
struct Task<'a, Q> {
    work: Work<'a, Q>,
    slot: &'a mut Slot,
}

impl<Q: InLanes> Kernel for Task<'_, Q> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { work, slot } = self;
        let Slot { lanes: [whole, half], single } = slot;
        if R::HALVES && Q::IN_HALVES {
            work.blocks::<R::Low>(half, single);
        } else {
            work.blocks::<R>(whole, single);
        }
    }
}

impl<Q: InLanes> Work<'_, Q> {
    /// As many states at once as `R` has lanes.
    #[inline(always)]
    fn blocks<R: Register>(self, memory: &mut Option<Box<dyn Any + Send + Sync>>, single: &mut Single) {
        let Self { model, input, mut output, count, masks, quantity } = self;
        // The memory has this type: it was made with it or is replaced.
        let Some(memory) = BatchMemory::<R>::of(memory, model) else { return };
        let alone = quantity.is_faster_alone(model, R::LEVEL);
        let mut first = 0;
        while first < count {
            let states = (count - first).min(R::LANES);
            let bad = if alone {
                let states = first..first + states;
                one_after_the_other(model, (quantity, R::LEVEL), single, input, &mut output, states, count)
            } else {
                match evaluate::<R, Q>(model, quantity, memory, input, &mut output, first, states) {
                    Some(bad) => bad,
                    None => one_by_one::<R, Q>(model, quantity, memory, input, &mut output, first, states),
                }
            };
            masks[first / WIDTH] |= bad << (first % WIDTH);
            first += states;
        }
    }
}

/// Evaluates states without lanes; returns a bit for each that is not finite.
#[inline(never)]
fn one_after_the_other<Q: Quantity>(
    model: &Model,
    (quantity, level): (&Q, Level),
    single: &mut Single,
    input: [&[f64]; 4],
    output: &mut [&mut [f64]; OUTPUTS],
    states: Range<usize>,
    count: usize,
) -> u8 {
    let (first, sizes, mut bad) = (states.start, quantity.sizes(model), 0);
    with_level(level, || {
        for s in states {
            let of_state = input.map(|x| &x[s * (x.len() / count)..][..x.len() / count]);
            let mut of_each = sizes.iter();
            let to = output.each_mut().map(|x| {
                let n = of_each.next().copied().unwrap_or(0);
                &mut x[s * n..(s + 1) * n]
            });
            if !quantity.alone(model, single, of_state, to) {
                clear(sizes, output, s);
                bad |= 1 << (s - first);
            }
        }
    });
    bad
}

/// Finds the state that the algorithm has rejected.
#[cold]
#[inline(never)]
fn one_by_one<R: Register, Q: InLanes>(
    model: &Model,
    quantity: &Q,
    memory: &mut BatchMemory<R>,
    input: [&[f64]; 4],
    output: &mut [&mut [f64]; OUTPUTS],
    first: usize,
    states: usize,
) -> u8 {
    let mut bad = 0;
    for s in 0..states {
        if evaluate::<R, Q>(model, quantity, memory, input, output, first + s, 1) != Some(0) {
            clear(quantity.sizes(model), output, first + s);
            bad |= 1 << s;
        }
    }
    bad
}

/// Evaluates as many states from `first` on as there are lanes, or fewer; returns a bit for each that is not finite, or nothing if
/// the algorithm refuses them.
#[inline(always)]
fn evaluate<R: Register, Q: InLanes>(
    model: &Model,
    quantity: &Q,
    memory: &mut BatchMemory<R>,
    input: [&[f64]; 4],
    output: &mut [&mut [f64]; OUTPUTS],
    first: usize,
    states: usize,
) -> Option<u8> {
    let mut bad = 0;
    for (from, to) in input.iter().zip(&mut memory.input) {
        if !from.is_empty() {
            bad |= read::<R>(from, first, states, to);
        }
    }
    if !model.directions.is_empty() && !input[0].is_empty() {
        bad |= off_unit::<R>(&model.directions, &memory.input[0]);
    }
    if bad != 0 {
        memory.replace(model, bad);
    }
    let filled = by_plan::filled(model);
    let results = quantity.run(model, memory).ok()?;
    for (from, to) in results.into_iter().zip(output.iter_mut()) {
        if !from.is_empty() {
            let n = from.len();
            let filled = if Q::OF_MASS && n == model.nv * model.nv { filled } else { &[] };
            bad |= write::<R>(from, filled, &mut to[first * n..(first + states) * n]);
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
    let bad = bad & ((1_u32 << states) - 1) as u8;
    for s in 0..states {
        if bad >> s & 1 == 1 {
            clear(quantity.sizes(model), output, first + s);
        }
    }
    Some(bad)
}

/// No number is better than a wrong one.
#[cold]
fn clear(sizes: Sizes, output: &mut [&mut [f64]; OUTPUTS], state: usize) {
    for (n, to) in sizes.into_iter().zip(output) {
        to[state * n..(state + 1) * n].fill(f64::NAN);
    }
}
