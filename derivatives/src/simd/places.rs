//! Moving numbers between the lanes of registers: the plain form, and the oracle of the levels that have instructions
//! for it.

use super::{Register, WIDTH};

/// For each lane, the lane that its number comes from, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// `WIDTH` stands for none.
    pub(super) from: [i64; WIDTH],
    /// The same for halves of numbers, in their four lanes of 32-byte registers.
    pub(super) pairs: [i32; 2 * WIDTH],
    /// A bit for each lane that has a place.
    pub(super) mask: u8,
}

impl Places {
    /// From the lane that each number comes from; lanes without one, or with one that does not exist, become zero.
    #[must_use]
    pub fn new(from: [Option<usize>; WIDTH]) -> Self {
        let none = [WIDTH as i64; WIDTH];
        let mut places = Self { from: none, pairs: [0; 2 * WIDTH], mask: 0 };
        for (lane, from) in from.into_iter().enumerate() {
            if let Some(from) = from.filter(|from| *from < WIDTH) {
                places.from[lane] = from as i64;
                places.mask |= 1 << lane;
                let first = (2 * (from % (WIDTH / 2))) as i32;
                places.pairs[2 * lane..2 * lane + 2].copy_from_slice(&[first, first + 1]);
            }
        }
        places
    }
    /// A bit for each lane that has a place.
    #[must_use]
    pub fn mask(&self) -> u8 {
        self.mask
    }
}

/// Written out for eight lanes, as loops would keep the compiler busy wherever they are inlined.
macro_rules! eight {
    ($i:ident => $x:expr) => {
        [
            eight!($i, 0, $x),
            eight!($i, 1, $x),
            eight!($i, 2, $x),
            eight!($i, 3, $x),
            eight!($i, 4, $x),
            eight!($i, 5, $x),
            eight!($i, 6, $x),
            eight!($i, 7, $x),
        ]
    };
    ($i:ident, $k:literal, $x:expr) => {{
        const $i: usize = $k;
        $x
    }};
}

#[inline(always)]
pub(super) fn permute<R: Register>(x: R, places: &Places) -> R {
    let [a, b, c, d, e, f, g, h] = x.to_array();
    let numbers = [a, b, c, d, e, f, g, h, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    R::from_array(eight!(I => numbers[places.from[I] as usize & (2 * WIDTH - 1)]))
}

#[inline(always)]
pub(super) fn where_else<R: Register>(x: R, mask: u8, other: R) -> R {
    let (x, y) = (x.to_array(), other.to_array());
    R::from_array(eight!(I => if mask >> I & 1 == 1 { x[I] } else { y[I] }))
}

#[inline(always)]
pub(super) fn transpose<R: Register>(rows: [R; WIDTH]) -> [R; WIDTH] {
    let x: [[f64; WIDTH]; WIDTH] = eight!(I => rows[I].to_array());
    eight!(J => R::from_array(eight!(I => x[I][J])))
}
