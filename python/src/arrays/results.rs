//! Arrays for results: new ones, and the caller's.

use super::target::{natural, target};
use super::{CORE, LEADING, Lead, Reader, Target, fields, shape_text};
use crate::error::{Said, wrong};
use crate::table::Order;
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_ARRAY_F_CONTIGUOUS, NPY_ARRAY_WRITEABLE, NPY_TYPES, PY_ARRAY_API};
use pyo3::ffi;
use pyo3::prelude::*;
use std::os::raw::c_int;

impl<'py> Reader<'py> {
    /// A new array of these leading dimensions and this shape of each state, in this order.
    pub(crate) fn make(&self, lead: &Lead, core: &[usize], order: Order) -> PyResult<(Target, Bound<'py, PyAny>)> {
        let (mut dims, mut strides) = ([0_isize; LEADING + CORE], [0_isize; LEADING + CORE]);
        let nd = lead.count + core.len();
        let natural = natural(core, order);
        let mut step = core.iter().product::<usize>() as isize * size_of::<f64>() as isize;
        for (k, size) in core.iter().enumerate() {
            (dims[lead.count + k], strides[lead.count + k]) = (*size as isize, natural[k]);
        }
        for (k, size) in lead.sizes().iter().enumerate().rev() {
            (dims[k], strides[k]) = (*size as isize, step);
            step *= (*size).max(1) as isize;
        }
        let array = self.allocate(&mut dims[..nd], strides.as_mut_ptr(), 0)?;
        Ok((target(&fields(array.as_ptr()), lead, core, order), array))
    }

    /// Where the entries of one state's result stand in the caller's array, if they do as the engine writes them.
    #[inline]
    pub(crate) fn place(&self, given: &Bound<'py, PyAny>, core: &[usize], order: Order) -> Option<*mut [f64]> {
        // SAFETY: `given` is an object.
        if unsafe { ffi::Py_TYPE(given.as_ptr()) } != self.array_type {
            return None;
        }
        let of = fields(given.as_ptr());
        let needed = NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
        let fits = of.is_f64 && of.flags & needed == needed && of.shape.len() == core.len();
        let (natural, empty) = (natural(core, order), core.contains(&0));
        let mut each = core.iter().zip(of.shape).zip(of.strides).zip(&natural);
        let stands = fits
            && each
                .all(|(((n, size), stride), natural)| *size == *n as isize && (*n <= 1 || empty || stride == natural));
        stands.then(|| std::ptr::slice_from_raw_parts_mut(of.data, core.iter().product()))
    }

    /// A new array of one state's result, and where its entries stand.
    #[inline]
    pub(crate) fn new_array(&self, core: &[usize], order: Order) -> PyResult<(Bound<'py, PyAny>, *mut [f64])> {
        let mut dims = [0; CORE];
        dims.iter_mut().zip(core).for_each(|(to, size)| *to = *size as isize);
        let mut strides = natural(core, order);
        let (by_numpy, columns) = (std::ptr::null_mut(), NPY_ARRAY_F_CONTIGUOUS);
        // NumPy knows two of the orders by itself, and is faster then.
        let (strides, flags) = match (core.len(), order) {
            (0 | 1, _) | (_, Order::Rows) => (by_numpy, 0),
            (2, Order::Columns) => (by_numpy, columns),
            _ => (strides.as_mut_ptr(), 0),
        };
        let array = self.allocate(&mut dims[..core.len()], strides, flags)?;
        let entries = std::ptr::slice_from_raw_parts_mut(fields(array.as_ptr()).data, core.iter().product());
        Ok((array, entries))
    }

    /// A new array without gaps; by these strides, or in the order of C or, by the flag, of Fortran.
    #[inline]
    fn allocate(&self, dims: &mut [isize], strides: *mut isize, flags: c_int) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: a new reference to the type of float64 is taken over; strides are as many as dimensions, those of memory
        // without gaps, of which there is as much as the dimensions say.
        unsafe {
            let descr = PY_ARRAY_API.PyArray_DescrFromType(self.py, NPY_TYPES::NPY_DOUBLE as c_int);
            let made = PY_ARRAY_API.PyArray_NewFromDescr(
                self.py,
                self.array_type,
                descr,
                dims.len() as c_int,
                dims.as_mut_ptr(),
                strides,
                std::ptr::null_mut(),
                flags,
                std::ptr::null_mut(),
            );
            Bound::from_owned_ptr_or_err(self.py, made)
        }
    }

    /// An array of the caller's, which must have these leading dimensions and this shape of each state.
    pub(crate) fn take(
        &self,
        what: &str,
        given: &Bound<'py, PyAny>,
        lead: &Lead,
        core: &[usize],
        order: Order,
    ) -> PyResult<Target> {
        let expected: Vec<_> = lead.sizes().iter().chain(core).map(|size| *size as isize).collect();
        let refused = |problem: String, got: String| {
            let said = Said {
                argument: Some("out".to_owned()),
                expected: Some(format!("float64 of shape {}", shape_text(&expected))),
                got: Some(got),
                ..Said::default()
            };
            wrong(
                self.py,
                &format!("`out`: `{what}` {problem}, expected float64 of shape {}", shape_text(&expected)),
                said,
            )
        };
        // SAFETY: `given` is an object.
        if unsafe { ffi::Py_TYPE(given.as_ptr()) } != self.array_type {
            let name = given.get_type().name()?.to_string();
            return Err(refused(format!("is of type {name}"), name));
        }
        let of = fields(given.as_ptr());
        if of.shape != expected {
            return Err(refused(format!("has shape {}", shape_text(of.shape)), shape_text(of.shape)));
        }
        if !of.is_f64 || of.flags & NPY_ARRAY_ALIGNED == 0 {
            let dtype = given.getattr("dtype")?.str()?.to_string();
            return Err(refused(format!("is of dtype {dtype}"), dtype));
        }
        if of.flags & NPY_ARRAY_WRITEABLE == 0 {
            return Err(refused("is read-only".to_owned(), "read-only".to_owned()));
        }
        Ok(target(&of, lead, core, order))
    }

    /// Named values.
    pub(crate) fn tuple(
        &self,
        of: &Bound<'py, PyAny>,
        items: impl ExactSizeIterator<Item = Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the type is a subclass of tuple without fields of its own, made with so many items, each of which is set once, to a
        // reference that the tuple takes over, before anybody sees it.
        unsafe {
            let made = ffi::PyType_GenericAlloc(of.as_ptr().cast(), items.len() as isize);
            let tuple = Bound::from_owned_ptr_or_err(self.py, made)?;
            for (k, item) in items.enumerate() {
                if ffi::PyTuple_SetItem(tuple.as_ptr(), k as isize, item.into_ptr()) != 0 {
                    return Err(PyErr::fetch(self.py));
                }
            }
            Ok(tuple)
        }
    }
}
