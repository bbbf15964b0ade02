//! The containers of lane constants: rows of eight numbers, one for each joint, and of four, one for each body.

use crate::spatial::Symmetric3;
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::{Matrix3, Vector3};

/// Eight numbers, where a register is loaded from one line of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [f64; WIDTH]);

impl Row {
    pub(crate) const ZERO: Self = Self([0.0; WIDTH]);
    pub(crate) const ONE: Self = Self([1.0; WIDTH]);

    #[inline(always)]
    pub(crate) fn load<R: Register>(&self) -> Lanes<R> {
        Lanes::from_array(self.0)
    }
    #[inline(always)]
    pub(crate) fn store<R: Register>(&mut self, x: Lanes<R>) {
        x.0.store(&mut self.0);
    }
}

/// Bodies side by side in a register.
pub(crate) const BODIES: usize = 4;

/// BodyRow numbers, one a lane; a register of eight holds them twice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct BodyRow(pub(crate) [f64; BODIES]);

impl BodyRow {
    pub(crate) const ZERO: Self = Self([0.0; BODIES]);

    #[inline(always)]
    pub(crate) fn load<R: Register>(&self) -> Lanes<R> {
        let [a, b, c, d] = self.0;
        Lanes(R::from_array([a, b, c, d, a, b, c, d]))
    }

    #[inline(always)]
    pub(crate) fn store<R: Register>(&mut self, x: Lanes<R>) {
        let [a, b, c, d, ..] = x.0.to_array();
        self.0 = [a, b, c, d];
    }

    /// All four together.
    #[inline(always)]
    pub(crate) fn sum(&self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + c) + (b + d)
    }
}

/// Numbers of lanes that a register is loaded from.
pub(crate) trait OfLanes {
    fn load<R: Register>(&self) -> Lanes<R>;
    fn store<R: Register>(&mut self, x: Lanes<R>);
}

macro_rules! of_lanes {
    ($($row:ident),*) => { $(
        impl OfLanes for $row {
            #[inline(always)]
            fn load<R: Register>(&self) -> Lanes<R> {
                self.load()
            }
            #[inline(always)]
            fn store<R: Register>(&mut self, x: Lanes<R>) {
                self.store(x);
            }
        }
    )* };
}
of_lanes!(Row, BodyRow);

#[inline(always)]
pub(crate) fn load_vector<R: Register>(x: &[impl OfLanes; 3]) -> Vector3<Lanes<R>> {
    Vector3::new(x[0].load(), x[1].load(), x[2].load())
}

#[inline(always)]
pub(crate) fn store_vector<R: Register>(to: &mut [impl OfLanes; 3], x: Vector3<Lanes<R>>) {
    to[0].store(x.x);
    to[1].store(x.y);
    to[2].store(x.z);
}

/// Row by row.
#[inline(always)]
pub(crate) fn load_matrix<R: Register>(x: &[impl OfLanes; 9]) -> Matrix3<Lanes<R>> {
    #[rustfmt::skip]
    let matrix = Matrix3::new(
        x[0].load(), x[1].load(), x[2].load(),
        x[3].load(), x[4].load(), x[5].load(),
        x[6].load(), x[7].load(), x[8].load(),
    );
    matrix
}

#[inline(always)]
pub(crate) fn load_symmetric<R: Register>(x: &[impl OfLanes; 6]) -> Symmetric3<Lanes<R>> {
    Symmetric3::new(x[0].load(), x[1].load(), x[2].load(), x[3].load(), x[4].load(), x[5].load())
}
