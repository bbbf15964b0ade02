//! Blocks of states, as many as registers have lanes: into these, through the algorithm, and back.

use super::Slot;
use super::quantity::{InLanes, OUTPUTS, Quantity, Sizes};
use crate::dynamics::{Workspace, by_plan};
use crate::kernels::by_copy::states;
use crate::model::{Direction, Model, UNIT_SQUARES, UNIT_WITHIN};
use crate::partials::DerivativeWorkspace;
use gradyn_derivatives::simd::{Kernel, Piece, Register, WIDTH, dispatch_at, with_level};
use gradyn_derivatives::{Lanes, Level, Real};
use std::any::Any;
use std::ops::Range;

/// States in lanes, and what the algorithms need: one a thread.
pub(super) struct Memory<R: Register> {
    pub(super) ws: Workspace<Lanes<R>>,
    /// `q`, `v`, `a` or `τ`, `λ`.
    pub(super) input: [Vec<Lanes<R>>; 4],
    pub(super) value: Lanes<R>,
    /// Where there is a form for eight states of this model; made when first needed.
    pub(super) of_states: Option<states::StatesMemory<R>>,
    /// Results of several frames, one after the other.
    pub(super) frames: Vec<Lanes<R>>,
}

impl<R: Register> Memory<R> {
    fn new(model: &Model) -> Self {
        let zeros = |n: usize| vec![Lanes::zero(); n];
        let input = [zeros(model.nq), zeros(model.nv), zeros(model.nv), zeros(model.nv)];
        Self { ws: Workspace::new(model), input, value: Lanes::zero(), of_states: None, frames: Vec::new() }
    }

    fn of<'m>(memory: &'m mut Option<Box<dyn Any + Send + Sync>>, model: &Model) -> Option<&'m mut Self> {
        if !memory.as_ref().is_some_and(|memory| memory.is::<Self>()) {
            *memory = Some(Box::new(Self::new(model)));
        }
        memory.as_mut().and_then(|memory| memory.downcast_mut())
    }

    /// Puts the neutral state, at rest, in place of states that are not finite.
    #[cold]
    fn replace(&mut self, model: &Model, bad: u8) {
        let neutral = model.neutral::<f64>();
        for (k, lanes) in self.input.iter_mut().enumerate() {
            for (i, lanes) in lanes.iter_mut().enumerate() {
                let mut x = lanes.to_array();
                for (lane, x) in x.iter_mut().enumerate() {
                    if bad >> lane & 1 == 1 {
                        *x = if k == 0 { neutral[i] } else { 0.0 };
                    }
                }
                *lanes = Lanes::from_array(x);
            }
        }
    }
}

/// What states are evaluated in one by one: each made when first needed.
#[derive(Default)]
pub(super) struct Single {
    ws: Option<Workspace<f64>>,
    derivatives: Option<DerivativeWorkspace>,
}

impl Single {
    pub(super) fn workspace(&mut self, model: &Model) -> &mut Workspace<f64> {
        self.ws.get_or_insert_with(|| Workspace::new(model))
    }

    pub(super) fn derivatives(&mut self, model: &Model) -> &mut DerivativeWorkspace {
        self.derivatives.get_or_insert_with(|| DerivativeWorkspace::new(model))
    }
}

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
    /// Evaluates the states in lanes, on as many threads as there are memories.
    pub(super) fn run_in_lanes(self, level: Level, slots: &mut [Slot]) {
        self.spread(slots, &|work, slot| dispatch_at(level, Task { work, slot }));
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

    /// Would another thread, which has to be woken up, take over more work than that costs?
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
        let Some(memory) = Memory::<R>::of(memory, model) else { return };
        // Without vector registers one after the other takes the plain form.
        let alone = R::LEVEL != Level::Plain && quantity.is_faster_alone(model, R::LEVEL);
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

/// The algorithm has refused one of the states: which?
#[cold]
#[inline(never)]
fn one_by_one<R: Register, Q: InLanes>(
    model: &Model,
    quantity: &Q,
    memory: &mut Memory<R>,
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
    memory: &mut Memory<R>,
    input: [&[f64]; 4],
    output: &mut [&mut [f64]; OUTPUTS],
    first: usize,
    states: usize,
) -> Option<u8> {
    let mut bad = 0;
    for (from, to) in input.iter().zip(&mut memory.input) {
        if !from.is_empty() {
            bad |= R::call(Read { from, first, states, to });
        }
    }
    if !model.directions.is_empty() && !input[0].is_empty() {
        bad |= R::call(OffUnit { directions: &model.directions, q: &memory.input[0] });
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
            bad |= R::call(Write { from, filled, to: &mut to[first * n..(first + states) * n] });
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

/// Lanes that hold NaN, where all others hold zero.
#[inline(always)]
fn lanes_of_nan<R: Register>(x: R) -> u8 {
    if x.all_lt(R::splat(1.0)) {
        return 0;
    }
    let mut bad = 0;
    for (lane, x) in x.to_array().into_iter().enumerate() {
        bad |= u8::from(x.is_nan()) << lane;
    }
    bad
}

/// Entries of states into lanes. Lanes beyond the last state get that once more.
struct Read<'a, R: Register> {
    /// Of all states.
    from: &'a [f64],
    first: usize,
    states: usize,
    to: &'a mut [Lanes<R>],
}

impl<R: Register> Piece for Read<'_, R> {
    /// A bit for each lane that is not finite.
    type Output = u8;
    #[inline(always)]
    fn run(self) -> u8 {
        let Self { from, first, states, to } = self;
        let (n, last, from) = (to.len(), states - 1, &from[first * to.len()..]);
        let zero = R::splat(0.0);
        let mut sum = zero;
        if n < WIDTH {
            // Eight entries from the begin of each state on, of which the first are its own.
            let padded;
            let from = if last * n + WIDTH <= from.len() {
                from
            } else {
                padded = pad(&from[..states * n]);
                &padded
            };
            let columns = transposed::<R>(from, n, last, 0);
            let mut k = 0;
            while k < WIDTH {
                if k < n {
                    sum = columns[k].mul_add(zero, sum); // zero, or NaN if it is not finite
                    to[k] = Lanes(columns[k]);
                }
                k += 1;
            }
            return lanes_of_nan(sum);
        }
        let mut chunk = 0;
        while chunk * WIDTH < n {
            let start = begin(chunk, n);
            let columns = transposed::<R>(from, n, last, start);
            let Some(to) = to[start..].first_chunk_mut::<WIDTH>() else { break };
            let mut k = 0;
            while k < WIDTH {
                sum = columns[k].mul_add(zero, sum);
                to[k] = Lanes(columns[k]);
                k += 1;
            }
            chunk += 1;
        }
        lanes_of_nan(sum)
    }
}

/// The lanes in which a quaternion, or (cos, sin), has another length than one.
struct OffUnit<'a, R: Register> {
    directions: &'a [Direction],
    q: &'a [Lanes<R>],
}

impl<R: Register> Piece for OffUnit<'_, R> {
    /// A bit for each of them.
    type Output = u8;
    #[inline(always)]
    fn run(self) -> u8 {
        let mut bad = 0;
        for direction in self.directions {
            let square = direction.square(self.q).0;
            let off = square.mul_add(R::splat(1.0), R::splat(-1.0));
            // Nearly always none is; such a square is of a length within half of what is allowed.
            if off.mul_add(off, R::splat(0.0)).all_lt(R::splat(UNIT_WITHIN * UNIT_WITHIN)) {
                continue;
            }
            for (lane, square) in square.to_array().into_iter().take(R::LANES).enumerate() {
                bad |= u8::from(!UNIT_SQUARES.contains(&square)) << lane;
            }
        }
        bad
    }
}

/// Eight entries from `start` on, of states of `n` entries each.
#[inline(always)]
fn transposed<R: Register>(from: &[f64], n: usize, last: usize, start: usize) -> [R; WIDTH] {
    let (mut rows, mut at) = ([&[0.0; WIDTH]; WIDTH], start);
    let mut s = 0;
    while s < R::LANES {
        if let Some(row) = from[at..].first_chunk() {
            rows[s] = row;
        }
        if s < last {
            at += n;
        }
        s += 1;
    }
    R::transposed(rows)
}

/// The last states of fewer than eight entries, with zeros after them.
#[cold]
fn pad(from: &[f64]) -> [f64; WIDTH * WIDTH] {
    let mut padded = [0.0; WIDTH * WIDTH];
    for (to, from) in padded.iter_mut().zip(from) {
        *to = *from;
    }
    padded
}

/// Where eight of `n` entries begin: the last eight overlap those before them.
#[inline(always)]
fn begin(chunk: usize, n: usize) -> usize {
    if chunk * WIDTH + WIDTH < n { chunk * WIDTH } else { n - WIDTH }
}

/// Lanes to entries of as many states as `to` has room for.
struct Write<'a, R: Register> {
    from: &'a [Lanes<R>],
    /// Of each eight entries: is one of them other than zero in any state? All are, where there is no answer.
    filled: &'a [bool],
    to: &'a mut [f64],
}

impl<R: Register> Piece for Write<'_, R> {
    /// A bit for each lane that is not finite.
    type Output = u8;
    #[inline(always)]
    fn run(self) -> u8 {
        let Self { from, filled, to } = self;
        let (n, zero) = (from.len(), R::splat(0.0));
        let (mut sum, mut chunk) = (zero, 0);
        while chunk * WIDTH < n {
            if n == chunk * WIDTH + 1 {
                // One that is left goes sooner lane by lane than by transposition.
                let last = from[chunk * WIDTH].0;
                sum = last.mul_add(zero, sum);
                for (to, x) in to.chunks_exact_mut(n).zip(last.to_array()) {
                    to[n - 1] = x;
                }
                break;
            }
            if n < WIDTH {
                let mut columns = [zero; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    if k < n {
                        columns[k] = from[k].0;
                        sum = columns[k].mul_add(zero, sum);
                    }
                    k += 1;
                }
                let rows = R::rows(columns);
                // What goes beyond one state is replaced by the next.
                let (mut s, mut at) = (0, 0);
                while s < R::LANES {
                    let Some(to) = to.get_mut(at..) else { break };
                    match to.first_chunk_mut::<WIDTH>() {
                        Some(to) => rows[s].store(to),
                        None => rows[s].store_first(to),
                    }
                    at += n;
                    s += 1;
                }
                break;
            }
            let start = begin(chunk, n);
            let mut rows = [R::Whole::splat(0.0); WIDTH];
            // Overlapping entries have been looked at, but these may lie in another eight.
            if start + WIDTH == n || chunk >= filled.len() || filled[chunk] {
                let Some(from) = from[start..].first_chunk::<WIDTH>() else { break };
                let mut columns = [zero; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    columns[k] = from[k].0;
                    sum = columns[k].mul_add(zero, sum);
                    k += 1;
                }
                rows = R::rows(columns);
            }
            let (mut s, mut rest) = (0, &mut *to);
            while s < R::LANES {
                let Some((state, others)) = std::mem::take(&mut rest).split_at_mut_checked(n) else { break };
                rest = others;
                if let Some(to) = state[start..].first_chunk_mut::<WIDTH>() {
                    rows[s].store(to);
                }
                s += 1;
            }
            chunk += 1;
        }
        lanes_of_nan(sum)
    }
}
