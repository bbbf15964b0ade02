//! Arrays of NumPy: read as they are, whatever their strides, and made or filled.

mod lead;
mod results;
mod target;

pub(crate) use lead::Lead;
pub(crate) use target::Target;

use crate::error::{Said, wrong};
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_TYPES, NpyTypes, PyArrayObject, get_type_object};
use pyo3::ffi;
use pyo3::prelude::*;
use std::os::raw::c_int;

/// So many dimensions before those of one state.
pub(crate) const LEADING: usize = 8;
/// So many dimensions has one state's result.
pub(crate) const CORE: usize = 3;

/// Where numbers of states stand: no reference is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    data: *const f64,
    /// Bytes from one number of a state to the next.
    inner: isize,
    /// Numbers of a state.
    n: usize,
    /// Bytes from one state to the next, by leading dimension; zero where one state stands for all.
    strides: [isize; LEADING],
}

/// States of one argument.
pub(crate) struct States<'py> {
    view: View,
    lead: Lead,
    /// Keeps the numbers alive.
    array: Bound<'py, PyAny>,
}

impl<'py> States<'py> {
    /// The same in memory of its own.
    pub(crate) fn copied(&self, what: &str) -> PyResult<Self> {
        let py = self.array.py();
        let copy = py.import(pyo3::intern!(py, "numpy"))?.call_method1(pyo3::intern!(py, "array"), (&self.array,))?;
        Reader::of(py).read(what, &copy, self.view.n, "")
    }

    pub(crate) fn lead(&self) -> &Lead {
        &self.lead
    }

    /// As if it had these leading dimensions, to which its own broadcast.
    pub(crate) fn spread(&self, to: &Lead) -> View {
        let mut strides = [0; LEADING];
        let missing = to.count - self.lead.count;
        for k in 0..self.lead.count {
            if self.lead.sizes[k] != 1 {
                strides[missing + k] = self.view.strides[k];
            }
        }
        View { strides, ..self.view }
    }

    /// Copies the numbers of a state.
    pub(crate) fn copy(&self, state: usize, to: &mut [f64]) {
        // SAFETY: the array is alive, as `self` holds it.
        unsafe { self.view.copy(&self.lead, state, to) }
    }
}

/// Bytes from the first state to this one.
fn offset(strides: &[isize; LEADING], lead: &Lead, mut state: usize) -> isize {
    let mut offset = 0;
    for (size, stride) in lead.sizes().iter().zip(strides).rev() {
        offset += (state % size) as isize * stride;
        state /= size;
    }
    offset
}

impl View {
    /// States of `n` numbers, one after the other.
    pub(crate) fn dense(data: *const f64, n: usize) -> Self {
        let step = size_of::<f64>() as isize;
        let mut strides = [0; LEADING];
        strides[0] = n as isize * step;
        Self { data, inner: step, n, strides }
    }

    /// The numbers of a state, if they stand one after the other.
    ///
    /// # Safety
    /// The array is alive, and nobody writes it.
    #[inline]
    pub(crate) unsafe fn slice<'a>(&self, lead: &Lead, state: usize) -> Option<&'a [f64]> {
        if self.inner != size_of::<f64>() as isize && self.n > 1 {
            return None;
        }
        let offset = if lead.is_empty() { 0 } else { offset(&self.strides, lead, state) };
        // SAFETY: `n` numbers stand there, by the array's shape.
        Some(unsafe { std::slice::from_raw_parts(self.data.byte_offset(offset), self.n) })
    }

    /// # Safety
    /// As [`slice`](Self::slice).
    pub(crate) unsafe fn copy(&self, lead: &Lead, state: usize, to: &mut [f64]) {
        let offset = offset(&self.strides, lead, state);
        for (k, to) in to.iter_mut().enumerate().take(self.n) {
            // SAFETY: `n` numbers stand there, by the array's shape.
            *to = unsafe { *self.data.byte_offset(offset + k as isize * self.inner) };
        }
    }

    /// All states, if they stand one after the other.
    ///
    /// # Safety
    /// As [`slice`](Self::slice).
    pub(crate) unsafe fn all<'a>(&self, lead: &Lead) -> Option<&'a [f64]> {
        let mut expected = (self.n * size_of::<f64>()) as isize;
        if self.n > 1 && self.inner != size_of::<f64>() as isize {
            return None;
        }
        for (size, stride) in lead.sizes().iter().zip(&self.strides).rev() {
            if *size != 1 && *stride != expected {
                return None;
            }
            expected *= *size as isize;
        }
        // SAFETY: so many numbers stand there, by the array's shape.
        Some(unsafe { std::slice::from_raw_parts(self.data, self.n * lead.states()) })
    }

    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// First and last byte.
    pub(crate) fn range(&self, lead: &Lead) -> (isize, isize) {
        range(self.data.addr() as isize, lead, &self.strides, &[self.n], &[self.inner])
    }
}

fn range(start: isize, lead: &Lead, strides: &[isize], core: &[usize], inner: &[isize]) -> (isize, isize) {
    let (mut least, mut most) = (start, start + size_of::<f64>() as isize - 1);
    for (size, stride) in lead.sizes().iter().zip(strides).chain(core.iter().zip(inner)) {
        let span = (*size as isize - 1) * stride;
        if span < 0 { least += span } else { most += span }
    }
    (least, most)
}

/// Fields of an array.
struct Fields<'a> {
    data: *mut f64,
    shape: &'a [isize],
    strides: &'a [isize],
    flags: c_int,
    is_f64: bool,
}

/// The fields of an array, of which the caller holds a reference.
fn fields<'a>(array: *mut ffi::PyObject) -> Fields<'a> {
    // SAFETY: it is an array of NumPy, whose fields are those of its C API.
    unsafe {
        let of = &(*array.cast::<PyArrayObject>()).fields;
        let nd = usize::try_from(of.nd).unwrap_or(0);
        let list = |p: *mut isize| if nd == 0 { &[][..] } else { std::slice::from_raw_parts(p, nd) };
        let descr = &(*of.descr).fields;
        Fields {
            data: of.data.cast(),
            shape: list(of.dimensions),
            strides: list(of.strides),
            flags: of.flags,
            is_f64: descr.type_num == NPY_TYPES::NPY_DOUBLE as c_int
                && matches!(descr.byteorder as u8, b'=' | b'<' | b'|'),
        }
    }
}

/// A shape as Python writes it.
fn shape_text(shape: &[isize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Reads arguments.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'py> {
    py: Python<'py>,
    array_type: *mut ffi::PyTypeObject,
}

impl<'py> Reader<'py> {
    #[inline]
    pub(crate) fn of(py: Python<'py>) -> Self {
        // SAFETY: NumPy's types live as long as the interpreter.
        Self { py, array_type: unsafe { get_type_object(py, NpyTypes::PyArray_Type) } }
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.py
    }

    /// An array of shape (…, n), or a number that stands for all `n`. `size` says what `n` is.
    #[inline]
    pub(crate) fn read(&self, what: &str, given: &Bound<'py, PyAny>, n: usize, size: &str) -> PyResult<States<'py>> {
        let array = self.array(what, given)?;
        let of = fields(array.as_ptr());
        self.view(what, array, &of, n, size)
    }

    /// The numbers of one state, if this is an array that has them as the engine reads them.
    ///
    /// # Safety
    /// The caller holds the array, and nobody writes it.
    #[inline]
    pub(crate) unsafe fn slice<'a>(&self, given: &Bound<'py, PyAny>, n: usize) -> Option<&'a [f64]> {
        // SAFETY: `given` is an object.
        if unsafe { ffi::Py_TYPE(given.as_ptr()) } != self.array_type {
            return None;
        }
        let of = fields(given.as_ptr());
        let stands = of.is_f64 && of.flags & NPY_ARRAY_ALIGNED != 0 && *of.shape == [n as isize];
        let dense = stands && (n <= 1 || *of.strides == [size_of::<f64>() as isize]);
        // SAFETY: `n` numbers stand there, by the array's shape.
        dense.then(|| unsafe { std::slice::from_raw_parts(of.data, n) })
    }

    /// An array of numbers, one a state: of shape (…).
    pub(crate) fn read_numbers(&self, what: &str, given: &Bound<'py, PyAny>) -> PyResult<States<'py>> {
        let array = self.array(what, given)?;
        let shape = fields(array.as_ptr()).shape.len();
        let array =
            if shape == 0 { array } else { array.get_item((pyo3::types::PyEllipsis::get(self.py), self.py.None()))? };
        let of = fields(array.as_ptr());
        self.view(what, array, &of, 1, "one a state")
    }

    /// The argument as it is, if it is an array of float64; else as NumPy converts it.
    #[inline]
    fn array(&self, what: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: `given` is an object.
        if unsafe { ffi::Py_TYPE(given.as_ptr()) } == self.array_type {
            let of = fields(given.as_ptr());
            if of.is_f64 && of.flags & NPY_ARRAY_ALIGNED != 0 {
                return Ok(given.clone());
            }
        }
        self.convert(what, given)
    }

    fn view(
        &self,
        what: &str,
        array: Bound<'py, PyAny>,
        of: &Fields<'_>,
        n: usize,
        size: &str,
    ) -> PyResult<States<'py>> {
        let Fields { data, shape, strides, .. } = of;
        let data = data.cast_const();
        let Some((last, before)) = shape.split_last() else {
            let view = View { data, inner: 0, n, strides: [0; LEADING] };
            return Ok(States { view, lead: Lead::default(), array });
        };
        if *last != n as isize || before.len() > LEADING {
            return Err(self.wrong_shape(what, shape, n, size));
        }
        let mut lead = Lead { count: before.len(), ..Lead::default() };
        let mut leading = [0; LEADING];
        for (k, (size, stride)) in before.iter().zip(*strides).enumerate() {
            (lead.sizes[k], leading[k]) = (*size as usize, *stride);
        }
        let view = View { data, inner: strides[before.len()], n, strides: leading };
        Ok(States { view, lead, array })
    }

    #[cold]
    fn wrong_shape(&self, what: &str, shape: &[isize], n: usize, size: &str) -> PyErr {
        let got = shape_text(shape);
        let expected = format!("(…, {n})");
        let message = if shape.len() > LEADING + 1 {
            format!("`{what}` has {} dimensions, expected at most {}", shape.len(), LEADING + 1)
        } else {
            format!("`{what}` has shape {got}, expected {expected}: {size}")
        };
        let said =
            Said { argument: Some(what.to_owned()), expected: Some(expected), got: Some(got), ..Said::default() };
        wrong(self.py, &message, said)
    }

    /// What is not an array of float64, as NumPy converts it.
    #[cold]
    fn convert(&self, what: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let refused = |got: String| {
            let message = format!("`{what}` is {got}, expected an array of float64");
            let said = Said {
                argument: Some(what.to_owned()),
                expected: Some("float64".to_owned()),
                got: Some(got),
                ..Said::default()
            };
            wrong(self.py, &message, said)
        };
        let type_name = || given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        let numpy = self.py.import(pyo3::intern!(self.py, "numpy"))?;
        let array = numpy
            .call_method1(pyo3::intern!(self.py, "asarray"), (given,))
            .map_err(|_| refused(format!("of type {}", type_name())))?;
        let dtype = array.getattr("dtype")?;
        let kind: String = dtype.getattr("kind")?.extract()?;
        if !matches!(kind.as_str(), "f" | "i" | "u" | "b") {
            return Err(refused(match kind.as_str() {
                "O" => format!("of type {}", type_name()),
                _ => format!("of dtype {}", dtype.str()?),
            }));
        }
        numpy.call_method1(pyo3::intern!(self.py, "require"), (array, "float64", "A"))
    }
}
