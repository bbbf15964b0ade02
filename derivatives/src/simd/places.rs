//! Moving numbers between the lanes of registers: the plain form, and the oracle of the levels that have instructions for it.

use super::{Register, WIDTH};

/// For each lane, the lane that its number comes from, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// `WIDTH` stands for none.
    pub(super) from: [i64; WIDTH],
    /// A bit for each lane that has a place.
    pub(super) mask: u8,
}

impl Places {
    /// From the lane that each number comes from; lanes without one, or with one that does not exist, become zero.
    #[must_use]
    pub fn new(from: [Option<usize>; WIDTH]) -> Self {
        let mut places = Self { from: [WIDTH as i64; WIDTH], mask: 0 };
        for (lane, from) in from.into_iter().enumerate() {
            if let Some(from) = from.filter(|from| *from < WIDTH) {
                places.from[lane] = from as i64;
                places.mask |= 1 << lane;
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

#[inline(always)]
pub(super) fn permute<R: Register>(x: R, places: &Places) -> R {
    let (x, mut numbers, mut y) = (x.to_array(), [0.0; 2 * WIDTH], [0.0; WIDTH]);
    let mut i = 0;
    while i < WIDTH {
        numbers[i] = x[i];
        i += 1;
    }
    let mut i = 0;
    while i < WIDTH {
        y[i] = numbers[places.from[i] as usize & (2 * WIDTH - 1)];
        i += 1;
    }
    R::from_array(y)
}

#[inline(always)]
pub(super) fn where_else<R: Register>(x: R, mask: u8, other: R) -> R {
    let (x, mut y) = (x.to_array(), other.to_array());
    let mut i = 0;
    while i < WIDTH {
        if mask >> i & 1 == 1 {
            y[i] = x[i];
        }
        i += 1;
    }
    R::from_array(y)
}

#[inline(always)]
pub(super) fn transpose<R: Register>(rows: [R; WIDTH]) -> [R; WIDTH] {
    let (mut x, mut y) = ([[0.0; WIDTH]; WIDTH], rows);
    let mut i = 0;
    while i < WIDTH {
        x[i] = rows[i].to_array();
        i += 1;
    }
    let mut j = 0;
    while j < WIDTH {
        let mut column = [0.0; WIDTH];
        let mut i = 0;
        while i < WIDTH {
            column[i] = x[i][j];
            i += 1;
        }
        y[j] = R::from_array(column);
        j += 1;
    }
    y
}
