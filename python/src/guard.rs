//! Work without the interpreter, and what is made of a panic in it.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// A panic as an exception that asks for a report.
#[cold]
fn raised(payload: &(dyn Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    PyRuntimeError::new_err(format!(
        "gradyn panicked, which is a bug of gradyn: {text}. Please report it with the robot and the arguments"
    ))
}

/// Runs, and makes an exception of a panic.
#[inline]
pub(crate) fn caught<R>(f: impl FnOnce() -> R) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| raised(&*payload))
}

/// Whether a thread that has been here holds the interpreter, as far as is known: since it came back, it has not been released here.
static HELD: AtomicBool = AtomicBool::new(false);
/// So often is [`HELD`] looked at before the thread waits asleep: some microseconds, where to be woken takes tens.
const LOOKS: usize = 1000;

/// Runs without the interpreter, so that other threads of Python can. A thread that comes back while another one holds the
/// interpreter, most likely to call the next function here, waits awake for a moment.
pub(crate) fn detached<R: Send>(py: Python<'_>, f: impl FnOnce() -> R + Send) -> PyResult<R> {
    let done = py.detach(|| {
        HELD.store(false, Ordering::Release);
        let done = caught(f);
        (0..LOOKS).take_while(|_| HELD.load(Ordering::Acquire)).for_each(|_| std::hint::spin_loop());
        done
    });
    HELD.store(true, Ordering::Release);
    done
}

/// Panics, to show what becomes of it.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>, threads: bool) -> PyResult<()> {
    let fail = || panic!("on purpose");
    detached(py, || if threads { crate::pool::install(fail) } else { fail() })
}

/// Refuses a second interpreter in one process: memory of threads is the process's.
pub(crate) fn one_interpreter() -> PyResult<()> {
    use std::sync::atomic::{AtomicI64, Ordering};
    static FIRST: AtomicI64 = AtomicI64::new(-1);
    // SAFETY: this thread has an interpreter, since a module is made in it.
    let id = unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
    match FIRST.compare_exchange(-1, id, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Ok(()),
        Err(first) if first == id => Ok(()),
        Err(_) => Err(pyo3::exceptions::PyImportError::new_err(
            "gradyn is imported in another interpreter of this process already: use threads, or processes",
        )),
    }
}
