//! Scratch memory of the drivers.

use crate::{FallibleFunction, Scalar};
use std::any::Any;
use std::fmt;

/// Scratch memory of the drivers, for any function and any driver. One per thread.
///
/// It grows to the largest sizes it has served and then allocates no more. Of [functions that have memory of their
/// own](FallibleFunction) it keeps what it has had made, one for each type of memory. The number type depends on the
/// processor's [`Level`](crate::Level) and on the driver; memory of each type in use is kept apart.
#[derive(Default)]
pub struct Workspace {
    buffers: Vec<Box<dyn Any + Send>>,
}

/// Inputs and outputs of one number type, and the memory of functions.
struct Buffer<T> {
    x: Vec<T>,
    y: Vec<T>,
    memories: Vec<Box<dyn Any + Send>>,
}

/// Inputs, outputs and the memory of a function.
type Parts<'w, T, M> = (&'w mut [T], &'w mut [T], &'w mut M);

impl Workspace {
    /// An empty one; the first call of each driver fills it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `n` inputs and `m` outputs of type `T`, with what the last call left in them. Not inlined: it contains nothing
    /// that registers could speed up.
    #[inline(never)]
    pub(super) fn inputs_outputs<T: Scalar>(&mut self, n: usize, m: usize) -> (&mut [T], &mut [T]) {
        let Buffer { x, y, .. } = self.buffer::<T>(n, m);
        (&mut x[..n], &mut y[..m])
    }

    /// The same for a function that has memory of its own.
    #[inline(never)]
    pub(super) fn for_function<T: Scalar, F: FallibleFunction>(&mut self, f: &F) -> Parts<'_, T, F::Memory<T>> {
        let (n, m) = (f.inputs(), f.outputs());
        let Buffer { x, y, memories } = self.buffer::<T>(n, m);
        let known = memories.iter().position(|memory| memory.is::<F::Memory<T>>());
        let index = known.unwrap_or(memories.len());
        if known.is_none() {
            memories.push(Box::new(f.memory::<T>()));
        }
        let Some(memory) = memories[index].downcast_mut::<F::Memory<T>>() else {
            unreachable!("the type at this index was looked up or pushed above");
        };
        (&mut x[..n], &mut y[..m], memory)
    }

    fn buffer<T: Scalar>(&mut self, n: usize, m: usize) -> &mut Buffer<T> {
        let known = self.buffers.iter().position(|buffer| buffer.is::<Buffer<T>>());
        let index = known.unwrap_or(self.buffers.len());
        if known.is_none() {
            self.buffers.push(Box::new(Buffer::<T> { x: Vec::new(), y: Vec::new(), memories: Vec::new() }));
        }
        let Some(buffer) = self.buffers[index].downcast_mut::<Buffer<T>>() else {
            unreachable!("the type at this index was looked up or pushed above");
        };
        if buffer.x.len() < n {
            buffer.x.resize(n, T::zero());
        }
        if buffer.y.len() < m {
            buffer.y.resize(m, T::zero());
        }
        buffer
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("number_types", &self.buffers.len()).finish()
    }
}

/// Fills `y` with NaN: what an output is that the function does not write.
#[inline(always)]
pub(super) fn unwritten<T: Scalar>(y: &mut [T]) {
    let nan = T::from(f64::NAN);
    let mut i = 0;
    while i < y.len() {
        y[i] = nan;
        i += 1;
    }
}
