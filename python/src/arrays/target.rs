//! Where results go.

use super::lead::Lead;
use super::{CORE, Fields, LEADING, offset, range};
use crate::table::Order;

/// Bytes between entries of one state's result that stands without gaps.
pub(super) fn natural(core: &[usize], order: Order) -> [isize; CORE] {
    let mut strides = [0; CORE];
    let mut step = size_of::<f64>() as isize;
    let mut axes = [2, 1, 0];
    let axes = &mut axes[CORE - core.len()..];
    if order == Order::Columns && core.len() >= 2 {
        axes.swap(0, 1);
    }
    for axis in axes.iter() {
        strides[*axis] = step;
        step *= core[*axis] as isize;
    }
    strides
}

/// Where results go: no reference is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    data: *mut f64,
    strides: [isize; LEADING],
    core: [usize; CORE],
    core_strides: [isize; CORE],
    dims: usize,
    order: Order,
    /// Whether the entries of a state stand without gaps, in the order in which they are computed.
    natural: bool,
}

pub(super) fn target(of: &Fields<'_>, lead: &Lead, core: &[usize], order: Order) -> Target {
    let mut target = Target {
        data: of.data,
        strides: [0; LEADING],
        core: [1; CORE],
        core_strides: [0; CORE],
        dims: core.len(),
        order,
        natural: true,
    };
    target.strides[..lead.count].copy_from_slice(&of.strides[..lead.count]);
    target.core[..core.len()].copy_from_slice(core);
    target.core_strides[..core.len()].copy_from_slice(&of.strides[lead.count..]);
    let natural = natural(core, order);
    target.natural = (0..core.len()).all(|k| core[k] == 1 || target.core_strides[k] == natural[k]);
    target
}

impl Target {
    /// Of no entries.
    pub(crate) fn empty(core: &[usize], order: Order) -> Self {
        let mut sizes = [1; CORE];
        sizes[..core.len()].copy_from_slice(core);
        let data = std::ptr::NonNull::dangling().as_ptr();
        let (strides, core_strides) = ([0; LEADING], natural(core, order));
        Self { data, strides, core: sizes, core_strides, dims: core.len(), order, natural: true }
    }

    /// States whose entries stand without gaps, in this order, one after the other.
    pub(crate) fn dense(data: *mut f64, core: &[usize], order: Order) -> Self {
        let mut target = Self {
            data,
            strides: [0; LEADING],
            core: [1; CORE],
            core_strides: natural(core, order),
            dims: core.len(),
            order,
            natural: true,
        };
        target.core[..core.len()].copy_from_slice(core);
        target.strides[0] = (target.size() * size_of::<f64>()) as isize;
        target
    }

    /// Entries of one state.
    pub(crate) fn size(&self) -> usize {
        self.core[..self.dims].iter().product()
    }

    /// The entries of a state, if they stand as they are computed.
    ///
    /// # Safety
    /// The array is alive, and nobody else reads or writes this state's entries.
    #[inline]
    pub(crate) unsafe fn slice<'a>(&self, lead: &Lead, state: usize) -> Option<&'a mut [f64]> {
        let offset = if lead.is_empty() { 0 } else { offset(&self.strides, lead, state) };
        // SAFETY: so many entries stand there, by the array's shape.
        self.natural.then(|| unsafe { std::slice::from_raw_parts_mut(self.data.byte_offset(offset), self.size()) })
    }

    /// The entries of all states, if they stand as they are computed, one state after the other.
    ///
    /// # Safety
    /// The array is alive, and nobody else reads or writes it.
    pub(crate) unsafe fn all<'a>(&self, lead: &Lead) -> Option<&'a mut [f64]> {
        let mut expected = (self.size() * size_of::<f64>()) as isize;
        for (size, stride) in lead.sizes().iter().zip(&self.strides).rev() {
            if *size != 1 && *stride != expected {
                return None;
            }
            expected *= *size as isize;
        }
        // SAFETY: so many entries stand there, by the array's shape.
        self.natural.then(|| unsafe { std::slice::from_raw_parts_mut(self.data, self.size() * lead.states()) })
    }

    /// Puts the entries of a state, as they are computed, to their places.
    ///
    /// # Safety
    /// As [`slice`](Self::slice).
    pub(crate) unsafe fn put(&self, lead: &Lead, state: usize, from: &[f64]) {
        let start = offset(&self.strides, lead, state);
        let natural = natural(&self.core[..self.dims], self.order);
        let [n0, n1, n2] = self.core;
        for i in 0..n0 {
            for j in 0..n1 {
                for k in 0..n2 {
                    let index = [i, j, k];
                    let at = |strides: &[isize; CORE]| -> isize {
                        index.iter().zip(strides).map(|(index, stride)| *index as isize * stride).sum()
                    };
                    let entry = from[at(&natural) as usize / size_of::<f64>()];
                    // SAFETY: the indices are within the array's shape.
                    unsafe { *self.data.byte_offset(start + at(&self.core_strides)) = entry };
                }
            }
        }
    }

    /// First and last byte.
    pub(crate) fn range(&self, lead: &Lead) -> (isize, isize) {
        let core = &self.core[..self.dims];
        range(self.data.addr() as isize, lead, &self.strides, core, &self.core_strides)
    }
}
