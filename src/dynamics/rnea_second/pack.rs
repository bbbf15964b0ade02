//! Several numbers of one type side by side, for the loops over ancestors.

use super::column::{Column, MOTIONS, Motions, NUMBERS};
use crate::spatial::{Force, Motion};
use gradyn_derivatives::{Lanes, Real, Register, Scalar, WIDTH};
use nalgebra::Vector3;

/// `WIDTH` numbers of type `T` that go through the same computation.
pub(crate) trait Pack<T: Real>: Scalar<T> {
    /// How many numbers a block has.
    const WIDTH: usize;
    /// Whether each product is checked to be finite. Otherwise [`are_small`](Self::are_small) decides, or the result.
    const LOOKS: bool;
    /// Whether these are so small that no term of second derivatives can overflow. `false` where products are checked,
    /// because magnitudes do not bound the derivatives of numbers.
    fn are_small(columns: &[Column<T>], motions: &[Motions<T>]) -> bool;
    /// The first numbers of a slice.
    fn load(from: &[T]) -> Self;
    /// Into the first places of a slice.
    fn store(self, to: &mut [T]);
    /// From the motions of columns, one a place, to blocks of a pack; `columns` beyond [`Self::WIDTH`] are not asked
    /// for.
    fn gather(columns: [usize; WIDTH], motions: &[Motions<T>], to: &mut [T]);
}

/// One at a time.
impl<T: Real> Pack<T> for T
where
    T: Scalar<T>,
{
    const WIDTH: usize = 1;
    const LOOKS: bool = true;
    #[inline(always)]
    fn are_small(_: &[Column<T>], _: &[Motions<T>]) -> bool {
        false
    }
    #[inline(always)]
    fn load(from: &[T]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, to: &mut [T]) {
        to[0] = self;
    }
    #[inline(always)]
    fn gather(columns: [usize; WIDTH], motions: &[Motions<T>], to: &mut [T]) {
        to.copy_from_slice(&motions[columns[0]]);
    }
}

/// If no sum of squares of columns and motions is larger, none of their numbers is above 1e80, and an entry, a sum of
/// products of three of them, far from overflow.
const SMALL: f64 = 1e160;

/// A register of them.
impl<R: Register> Pack<f64> for Lanes<R> {
    const WIDTH: usize = WIDTH;
    const LOOKS: bool = false;
    #[inline(always)]
    fn are_small(columns: &[Column<f64>], motions: &[Motions<f64>]) -> bool {
        const { assert!(NUMBERS.is_multiple_of(WIDTH) && MOTIONS.is_multiple_of(WIDTH) && MOTIONS <= NUMBERS) }
        // Many sums: one would be waited for.
        let mut sums = [R::splat(0.0); NUMBERS / WIDTH];
        for column in columns {
            for (sum, x) in sums.iter_mut().zip(column.0.as_chunks().0) {
                let x = R::from_array(*x);
                *sum = x.mul_add(x, *sum);
            }
        }
        for motions in motions {
            for (sum, x) in sums.iter_mut().zip(motions.as_chunks().0) {
                let x = R::from_array(*x);
                *sum = x.mul_add(x, *sum);
            }
        }
        let mut all = R::splat(0.0);
        for sum in sums {
            all = all.add(sum);
        }
        all.all_lt(R::splat(SMALL))
    }
    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        let mut lanes = [0.0; WIDTH];
        lanes.copy_from_slice(&from[..WIDTH]);
        Self::from_array(lanes)
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        if let Some(to) = to.first_chunk_mut() {
            self.0.store(to);
        }
    }
    #[inline(always)]
    fn gather(columns: [usize; WIDTH], motions: &[Motions<f64>], to: &mut [f64]) {
        let (to, _) = to.as_chunks_mut::<WIDTH>();
        for part in 0..MOTIONS / WIDTH {
            let mut rows = [R::splat(0.0); WIDTH];
            for (row, column) in rows.iter_mut().zip(columns) {
                *row = R::from_array(motions[column].as_chunks().0[part]);
            }
            for (to, row) in to[part * WIDTH..].iter_mut().zip(R::transpose(rows)) {
                *to = row.to_array();
            }
        }
        const { assert!(MOTIONS.is_multiple_of(WIDTH)) }
    }
}

/// `L::WIDTH` motions, component by component.
#[inline(always)]
pub(crate) fn load_motion<T: Real, L: Pack<T>>(from: &[T]) -> Motion<L> {
    let w = L::WIDTH;
    let from = &from[..6 * w];
    Motion::new(
        Vector3::new(L::load(from), L::load(&from[w..]), L::load(&from[2 * w..])),
        Vector3::new(L::load(&from[3 * w..]), L::load(&from[4 * w..]), L::load(&from[5 * w..])),
    )
}

/// `L::WIDTH` forces, component by component.
#[inline(always)]
pub(crate) fn store_force<T: Real, L: Pack<T>>(f: Force<L>, to: &mut [T]) {
    let w = L::WIDTH;
    let to = &mut to[..6 * w];
    f.linear.x.store(to);
    f.linear.y.store(&mut to[w..]);
    f.linear.z.store(&mut to[2 * w..]);
    store_vector(f.angular, &mut to[3 * w..]);
}

/// `L::WIDTH` vectors, component by component.
#[inline(always)]
pub(crate) fn store_vector<T: Real, L: Pack<T>>(a: Vector3<L>, to: &mut [T]) {
    let w = L::WIDTH;
    let to = &mut to[..3 * w];
    a.x.store(to);
    a.y.store(&mut to[w..]);
    a.z.store(&mut to[2 * w..]);
}
