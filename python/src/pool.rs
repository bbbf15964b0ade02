//! Threads: made once, and again in a process that was forked, whose parent's threads it does not have.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

struct Pool {
    process: u32,
    pool: ThreadPool,
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

/// As many threads as the machine gives. Asked once: the system takes 10 µs to say.
pub(crate) fn available() -> usize {
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    *AVAILABLE.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Runs where rayon finds the threads of this process.
pub(crate) fn install<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    match pool() {
        Some(pool) => pool.install(f),
        // No thread can be had: the threads' work is done by this one.
        None => f(),
    }
}

fn pool() -> Option<&'static ThreadPool> {
    let current = process::id();
    let found = POOL.load(Ordering::Acquire);
    // SAFETY: what was stored is never freed.
    if let Some(pool) = unsafe { found.as_ref() }
        && pool.process == current
    {
        return Some(&pool.pool);
    }
    let pool = ThreadPoolBuilder::new().num_threads(available()).thread_name(|k| format!("gradyn-{k}")).build().ok()?;
    let made = Box::into_raw(Box::new(Pool { process: current, pool }));
    match POOL.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire) {
        // The one of the parent process stays, without its threads.
        // SAFETY: as above.
        Ok(_) => Some(unsafe { &(*made).pool }),
        Err(others) => {
            // SAFETY: it was made above, and nobody else has seen it.
            drop(unsafe { Box::from_raw(made) });
            // SAFETY: as above.
            unsafe { others.as_ref() }.map(|pool| &pool.pool)
        }
    }
}
