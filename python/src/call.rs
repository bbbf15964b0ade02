//! How a function of the table is called: arguments are read and broadcast, results made, states computed, by one thread
//! or several, without the interpreter where that takes long.

use crate::arrays::{Lead, Reader, States, Target, View};
use crate::error::{self, Said, wrong};
use crate::guard;
use crate::memory::{self, ModelMemory};
use crate::model::PyModel;
use crate::options::{Asked, Resolved};
use crate::pool;
use crate::table::{ARGUMENTS, Dim, Function, OUTPUTS};
use arrayvec::ArrayVec;
use gradyn::nalgebra::DMatrix;
use gradyn::{ExternalWrench, Force, InputError, Method, Model};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};
use rayon::prelude::*;

/// From so much work on, the interpreter is released, ns.
const LONG: usize = 5_000;

/// What is to be computed: plain numbers and pointers into arrays that the caller holds.
struct Job<'a> {
    model: &'a Model,
    id: u64,
    function: &'static Function,
    lead: Lead,
    input: &'a [View],
    wrenches: &'a [(View, ExternalWrench, gradyn::Transform<f64>)],
    output: &'a [Target],
    options: &'a Resolved,
    /// Results go to their places once they are computed, since other results stand there too.
    apart: bool,
}

// SAFETY: arrays are read by all, and each state's results are written by who computes the state. That the caller's arrays
// are not written meanwhile is the caller's duty, as with NumPy's own functions that release the interpreter.
unsafe impl Send for Job<'_> {}
// SAFETY: as above.
unsafe impl Sync for Job<'_> {}

/// A state that cannot be computed, and why.
pub(crate) type Refused = (usize, InputError);

impl Job<'_> {
    fn states(&self) -> usize {
        self.lead.states()
    }

    /// About how long a state takes, ns.
    fn nanoseconds(&self) -> usize {
        let nv = self.model.nv();
        let dofs = |output: &crate::table::Output| output.shape.iter().filter(|dim| **dim == Dim::Nv).count();
        let dims = self.function.outputs.iter().map(dofs).max().unwrap_or(0);
        let by_formulas = match dims {
            0 | 1 => 25 * nv,
            2 => 60 * nv + 2 * nv * nv,
            _ => 1_000 * nv + 2 * nv * nv * nv,
        };
        if self.options.method == Method::Analytical { by_formulas } else { 40 * by_formulas }
    }

    fn run(&self) -> Result<(), Refused> {
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

/// The argument whose leading dimensions do not fit those before it.
#[cold]
fn does_not_broadcast(py: Python<'_>, what: &str, lead: &Lead, before: &Lead) -> PyErr {
    let text = |lead: &Lead| format!("{:?}", lead.sizes()).replace('[', "(").replace(']', ")");
    let (got, expected) = (text(lead), text(before));
    let message = format!(
        "`{what}` has leading dimensions {got}, which do not broadcast with {expected} of the arguments before"
    );
    wrong(
        py,
        &message,
        Said { argument: Some(what.into()), expected: Some(expected), got: Some(got), ..Said::default() },
    )
}

/// The argument, by its name here, that is not finite in this state.
#[cold]
fn not_finite(
    py: Python<'_>,
    model: &Model,
    function: &Function,
    states: &[States<'_>],
    lead: &Lead,
    state: usize,
    place: Option<Vec<usize>>,
) -> Option<PyErr> {
    for (argument, states) in function.arguments.iter().zip(states.iter()) {
        let view = states.spread(lead);
        let mut numbers = vec![0.0; view.n()];
        // SAFETY: the array is alive.
        unsafe { view.copy(lead, state, &mut numbers) };
        let Some(index) = numbers.iter().position(|x| !x.is_finite()) else { continue };
        let value = numbers[index];
        let joint = match argument.dim {
            Dim::Nv => model.dof_names().get(index).cloned(),
            Dim::Nq => {
                let body = model.bodies().iter().find(|body| body.q_range().contains(&index));
                body.map(|body| body.joint_name().to_owned())
            }
            _ => None,
        };
        let of_joint = joint.as_ref().map_or_else(String::new, |joint| format!(" (joint {joint})"));
        let shown = if value.is_nan() { String::from("NaN") } else { value.to_string() };
        let of_state = place.as_ref().map_or_else(String::new, |place| format!("state {place:?}: "));
        let message = format!("{of_state}`{}[{index}]`{of_joint} is {shown}, which is not finite", argument.name);
        let argument = Some(argument.name.to_owned());
        let said = Said { argument, index: Some(index), joint, value: Some(value), state: place, ..Said::default() };
        return Some(wrong(py, &message, said));
    }
    None
}

/// Calls a function of the table.
pub(crate) fn call<'py>(
    model: &PyModel,
    py: Python<'py>,
    function: &'static Function,
    given: &[&Bound<'py, PyAny>],
    asked: &Asked<'_, 'py>,
    threads: Option<usize>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let robot = model.model();
    let reader = Reader::of(py);
    let mut options = asked.resolve(py, robot)?;

    let mut states: ArrayVec<States<'py>, ARGUMENTS> = ArrayVec::new();
    let mut lead = Lead::default();
    let mut join = |what: &str, states: &States<'py>| -> PyResult<()> {
        if !states.lead().is_empty() {
            lead = lead.broadcast(states.lead()).ok_or_else(|| does_not_broadcast(py, what, states.lead(), &lead))?;
        }
        Ok(())
    };
    for (argument, given) in function.arguments.iter().zip(given) {
        let n = argument.dim.size(robot, &options);
        let size = model.size_text(argument.dim);
        let read = match argument.dim {
            Dim::Number => reader.read_numbers(argument.name, given)?,
            _ => reader.read(argument.name, given, n, size)?,
        };
        join(argument.name, &read)?;
        states.push(read);
    }
    let mut wrenches = asked.wrenches(py, robot)?;
    for (_, _, _, wrench) in &wrenches.of {
        join("wrenches", wrench)?;
    }
    let zero = Force::new([0.0; 3].into(), [0.0; 3].into());
    let still = |(body, frame, ..): &(_, _, _, _)| ExternalWrench { body: *body, frame: *frame, wrench: zero };
    options.wrenches = wrenches.of.iter().map(still).collect();
    options.threads = if lead.is_empty() { 1 } else { threads.unwrap_or(usize::MAX).clamp(1, pool::available()) };

    let mut output: ArrayVec<Target, OUTPUTS> = ArrayVec::new();
    let mut items: Vec<Bound<'py, PyAny>> = Vec::with_capacity(function.outputs.len());
    let taken = out.map(|out| given_outputs(py, function, out)).transpose()?;
    let mut apart = false;
    for (k, of) in function.outputs.iter().enumerate() {
        let mut core = [0; crate::arrays::CORE];
        let core = &mut core[..of.shape.len()];
        for (size, dim) in core.iter_mut().zip(of.shape) {
            *size = dim.size(robot, &options);
        }
        let taken = taken.as_ref().and_then(|taken| taken[k].as_ref());
        let (target, item) = match taken {
            Some(array) => {
                let target = reader.take(of.name, array, &lead, core, function.order)?;
                let own = target.range(&lead);
                let meets = |states: &States<'py>| {
                    let other = states.spread(&lead).range(&lead);
                    own.0 <= other.1 && other.0 <= own.1
                };
                // As NumPy does: what is written over is read before.
                for (argument, states) in function.arguments.iter().zip(states.iter_mut()) {
                    if meets(states) {
                        *states = states.copied(argument.name)?;
                    }
                }
                for (.., states) in wrenches.of.iter_mut().filter(|(.., states)| meets(states)) {
                    *states = states.copied("wrenches")?;
                }
                (target, array.clone())
            }
            // Derivatives by no wrenches: all the same.
            None if lead.is_empty() && core.first() == Some(&0) && of.shape[1..] == [Dim::Nv, Dim::Of(6)] => {
                let (target, made) = model.nothing(&reader, core, function.order)?;
                (target, made)
            }
            None => reader.make(&lead, core, function.order)?,
        };
        output.push(target);
        items.push(item);
    }
    if taken.is_some() {
        let ranges: Vec<_> = output.iter().map(|target| target.range(&lead)).collect();
        let meet = |(k, a): (usize, &(isize, isize))| ranges[k + 1..].iter().any(|b| a.0 <= b.1 && b.0 <= a.1);
        apart |= ranges.iter().enumerate().any(meet);
    }

    let input: ArrayVec<View, ARGUMENTS> = states.iter().map(|states| states.spread(&lead)).collect();
    let many_wrenches: Vec<_> = wrenches
        .of
        .iter()
        .zip(&options.wrenches)
        .map(|((.., x, states), of)| (states.spread(&lead), *of, *x))
        .collect();

    let job = Job {
        model: robot,
        id: model.id(),
        function,
        lead,
        input: &input,
        wrenches: &many_wrenches,
        output: &output,
        options: &options,
        apart,
    };
    let long = job.states() > 1 || job.nanoseconds() > LONG;
    let done = if long { guard::detached(py, || job.run()) } else { guard::caught(|| job.run()) }?;
    done.map_err(|(state, error)| {
        let index = (!lead.is_empty()).then(|| lead.index(state));
        let of_argument = not_finite(py, robot, function, &states, &lead, state, index.clone());
        of_argument.unwrap_or_else(|| error::input(py, &error, index))
    })?;

    if taken.is_none() {
        for (item, _) in items.iter_mut().zip(function.outputs).filter(|(_, of)| lead.is_empty() && of.shape.is_empty())
        {
            *item = PyFloat::new(py, item.extract()?).into_any();
        }
    }
    match function.result {
        None => Ok(items.swap_remove(0)),
        Some(name) => reader.tuple(function.class(py, name)?, items),
    }
}

/// Computes states whose numbers stand one after the other, without Python. Behind the arguments, `inputs` has those of `wrenches`.
///
/// # Safety
/// Each pointer is to as many numbers as the states have, and nobody else writes them, or reads results.
pub(crate) unsafe fn compute_dense(
    model: &PyModel,
    function: &'static Function,
    options: &Resolved,
    wrenches: &[(ExternalWrench, gradyn::Transform<f64>)],
    states: usize,
    inputs: &[*const f64],
    outputs: &[*mut f64],
) -> Result<(), Refused> {
    let robot = model.model();
    let views = function.arguments.iter().zip(inputs);
    let input: ArrayVec<View, ARGUMENTS> =
        views.map(|(argument, data)| View::dense(*data, argument.dim.size(robot, options))).collect();
    let mut output: ArrayVec<Target, OUTPUTS> = ArrayVec::new();
    for (of, data) in function.outputs.iter().zip(outputs) {
        let mut core = [0; crate::arrays::CORE];
        let core = &mut core[..of.shape.len()];
        core.iter_mut().zip(of.shape).for_each(|(size, dim)| *size = dim.size(robot, options));
        output.push(Target::dense(*data, core, function.order));
    }
    let given = inputs.iter().skip(function.arguments.len());
    let wrenches: Vec<_> =
        wrenches.iter().zip(given).map(|((wrench, place), data)| (View::dense(*data, 6), *wrench, *place)).collect();
    let (id, lead) = (model.id(), Lead::line(states));
    let (input, output, wrenches) = (&input, &output, &wrenches[..]);
    Job { model: robot, id, function, lead, input, wrenches, output, options, apart: false }.run()
}

/// The caller's arrays, of several results some.
fn given_outputs<'py>(
    py: Python<'py>,
    function: &Function,
    out: &Bound<'py, PyAny>,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    if function.result.is_none() {
        return Ok(vec![Some(out.clone())]);
    }
    let names = || function.outputs.iter().map(|output| output.name).collect::<Vec<_>>().join(", ");
    let refused = || {
        let message = format!("`out` is a tuple of {} arrays or None: {}", function.outputs.len(), names());
        wrong(py, &message, Said { argument: Some("out".into()), ..Said::default() })
    };
    let tuple = out.cast::<PyTuple>().map_err(|_| refused())?;
    if tuple.len() != function.outputs.len() {
        return Err(refused());
    }
    Ok(tuple.iter().map(|item| (!item.is_none()).then_some(item)).collect())
}

impl PyModel {
    /// What a length is, for messages.
    fn size_text(&self, dim: Dim) -> &str {
        let [nq, nv] = self.size_texts();
        match dim {
            Dim::Nq => nq,
            Dim::Nv => nv,
            Dim::Rows => "one a row of the constraints",
            _ => "entries",
        }
    }
}
