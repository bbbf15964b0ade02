//! How a function of the table is called: arguments are read and broadcast, results made, states computed, by one thread
//! or several, without the interpreter where that takes long.

mod job;
mod plain;

pub(crate) use job::Refused;

use crate::arrays::{Lead, Reader, States, Target, View};
use crate::error::{self, Said, wrong};
use crate::guard;
use crate::model::PyModel;
use crate::options::{Asked, Resolved};
use crate::pool;
use crate::table::{ARGUMENTS, Dim, Function, OUTPUTS};
use arrayvec::ArrayVec;
use gradyn::{ExternalWrench, Force, Model};
use job::Job;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};

/// From so much work on, the interpreter is released, ns.
const LONG: usize = 5_000;

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
    if asked.wrenches.is_none()
        && let Some(result) = plain::call(model, &reader, function, given, &options, out)?
    {
        return Ok(result);
    }

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
            None if lead.is_empty() && of.is_by_wrenches() && core[0] == 0 => {
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
        Some(name) => reader.tuple(function.class(py, name)?, items.into_iter()),
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
