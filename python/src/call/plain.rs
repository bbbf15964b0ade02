//! The most common call: one state, in arrays that stand as the engine reads and writes them. It takes half of the time of the
//! general way.

use super::LONG;
use super::job::nanoseconds;
use crate::arrays::{CORE, Reader};
use crate::guard;
use crate::memory;
use crate::model::PyModel;
use crate::options::Resolved;
use crate::table::{ARGUMENTS, Dim, Function, OUTPUTS};
use arrayvec::ArrayVec;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};

/// The result; `None` where arguments need the general way, or cannot be computed: the general way then says why.
#[inline]
pub(super) fn call<'py>(
    model: &PyModel,
    reader: &Reader<'py>,
    function: &'static Function,
    given: &[&Bound<'py, PyAny>],
    options: &Resolved,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let robot = model.model();
    if nanoseconds(robot, function, options.method) > LONG {
        return Ok(None);
    }
    let mut input: [&[f64]; ARGUMENTS] = [&[]; ARGUMENTS];
    for ((slice, argument), given) in input.iter_mut().zip(function.arguments).zip(given) {
        // SAFETY: the caller holds the arrays, and no other thread of Python writes them, as the interpreter is not released.
        match unsafe { reader.slice(given, argument.dim.size(robot, options)) } {
            Some(found) if argument.dim != Dim::Number => *slice = found,
            _ => return Ok(None),
        }
    }
    let taken = match (out, function.result) {
        (Some(out), Some(_)) => match out.cast::<PyTuple>() {
            Ok(tuple) if tuple.len() == function.outputs.len() => Some(tuple),
            _ => return Ok(None),
        },
        _ => None,
    };
    let mut numbers = [0.0; OUTPUTS];
    let mut places = [std::ptr::slice_from_raw_parts_mut(std::ptr::NonNull::dangling().as_ptr(), 0); OUTPUTS];
    let mut items: ArrayVec<Option<Bound<'py, PyAny>>, OUTPUTS> = ArrayVec::new();
    for (k, ((place, number), of)) in places.iter_mut().zip(&mut numbers).zip(function.outputs).enumerate() {
        let mut core = [0; CORE];
        let core = &mut core[..of.shape.len()];
        core.iter_mut().zip(of.shape).for_each(|(size, dim)| *size = dim.size(robot, options));
        let array = match taken {
            Some(tuple) => Some(tuple.get_item(k)?).filter(|item| !item.is_none()),
            None => out.cloned(),
        };
        let (entries, item) = if let Some(array) = array {
            let Some(entries) = reader.place(&array, core, function.order) else { return Ok(None) };
            (entries, Some(array))
        } else if core.is_empty() {
            (std::ptr::slice_from_raw_parts_mut(number, 1), None)
        } else if of.is_by_wrenches() && core[0] == 0 {
            (*place, Some(model.nothing(reader, core, function.order)?.1))
        } else {
            let (array, entries) = reader.new_array(core, function.order)?;
            (entries, Some(array))
        };
        *place = entries;
        items.push(item);
    }
    if out.is_some() && meet(&input, &places) {
        return Ok(None);
    }
    // SAFETY: the entries are of arrays that are held until the end, or of `numbers`; nothing else stands there.
    let mut output = places.map(|place| unsafe { &mut *place });
    let done = guard::caught(|| {
        memory::with(model.id(), |memory| (function.compute)(robot, memory, &input, options, &mut output))
    })?;
    if done.is_err() {
        return Ok(None);
    }
    let items = items.into_iter().zip(numbers);
    let mut items = items.map(|(item, number)| item.unwrap_or_else(|| PyFloat::new(reader.py(), number).into_any()));
    match function.result {
        None => Ok(items.next()),
        Some(name) => reader.tuple(function.class(reader.py(), name)?, items).map(Some),
    }
}

/// Whether results stand where arguments or other results do.
fn meet(input: &[&[f64]], places: &[*mut [f64]]) -> bool {
    let range = |at: *const [f64]| {
        let start = at.cast::<f64>().addr();
        start..start + at.len() * size_of::<f64>()
    };
    let others = |k: usize| input.iter().map(|x| range(*x)).chain(places[k + 1..].iter().map(|x| range(*x)));
    let apart =
        |own: std::ops::Range<usize>, other: std::ops::Range<usize>| own.end <= other.start || other.end <= own.start;
    places.iter().enumerate().any(|(k, own)| !others(k).all(|other| apart(range(*own), other)))
}
