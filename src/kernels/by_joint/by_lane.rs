//! Sums along chains of joints one lane after the other, four rows at a time.
//! Serves: `kernels/by_joint/outward.rs`, `kernels/by_joint/inward.rs`. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.
//!
//! If a register is two of the processor's, a permutation of eight numbers takes a dozen instructions. Transposed, four
//! rows of one lane are one register, and a lane below another costs an addition.

use crate::kernels::by_joint::quantities::{Row, Six, Sums};
use crate::plan::joints::Group;
use gradyn_derivatives::{Register, WIDTH};

/// Each lane's own numbers plus those of all its descendants; groups after this one hold their sums already.
#[inline(always)]
pub(crate) fn sum_subtrees<R: Register, const ROWS: usize>(group: &Group, sums: &mut [Sums], g: usize, first: usize) {
    let (here, after) = sums.split_at_mut(g + 1);
    let rows = &mut here[g][first..first + ROWS];
    for &(lane, source, child) in &group.children_after {
        let after = &after[source - g - 1][first..first + ROWS];
        let mut k = 0;
        while k < ROWS {
            rows[k].0[lane % WIDTH] += after[k].0[child % WIDTH];
            k += 1;
        }
    }
    let (fours, last) = rows.as_chunks_mut::<4>();
    for four in fours {
        subtrees_of::<R, 4>(&group.links, four);
    }
    const { assert!(ROWS.is_multiple_of(2)) }
    if let Some(two) = last.first_chunk_mut::<2>() {
        subtrees_of::<R, 2>(&group.links, two);
    }
}

/// Of up to four rows.
#[inline(always)]
fn subtrees_of<R: Register, const N: usize>(links: &[usize; WIDTH], rows: &mut [Row; N]) {
    let mut lanes = turned::<R, N>(rows);
    macro_rules! steps {
        ($($k:literal)*) => { $(
            if links[$k] == $k - 1 {
                lanes[$k - 1] = lanes[$k - 1].add(lanes[$k]);
            } else if links[$k] < $k {
                let mut to = 0;
                while to + 1 < $k {
                    if to == links[$k] {
                        lanes[to] = lanes[to].add(lanes[$k]);
                    }
                    to += 1;
                }
            }
        )* };
    }
    steps!(7 6 5 4 3 2 1);
    turn_back::<R, N>(lanes, rows);
}

/// Each lane's own motion plus those of all its ancestors; groups before this one hold their sums already.
#[inline(always)]
pub(crate) fn sum_from_root<R: Register>(group: &Group, motions: &mut [Six], g: usize) {
    let (before, here) = motions.split_at_mut(g);
    let (fours, last) = here[0].as_chunks_mut::<4>();
    if let ([four], Some(two)) = (fours, last.first_chunk_mut::<2>()) {
        from_root_of::<R, 4, 0>(group, before, four);
        from_root_of::<R, 2, 4>(group, before, two);
    }
}

/// Of up to four rows from `FIRST` on.
#[inline(always)]
fn from_root_of<R: Register, const N: usize, const FIRST: usize>(group: &Group, before: &[Six], rows: &mut [Row; N]) {
    let mut lanes = turned::<R, N>(rows);
    let links = &group.links;
    macro_rules! begin {
        ($($k:literal)*) => { $(
            if let Some((source, lane)) = group.parents_before[$k] {
                let (mut parent, mut row) = ([0.0; WIDTH], 0);
                while row < N {
                    parent[row] = before[source][FIRST + row].0[lane % WIDTH];
                    row += 1;
                }
                lanes[$k] = lanes[$k].add(R::Low::from_array(parent));
            }
        )* };
    }
    macro_rules! steps {
        ($($k:literal)*) => { $(
            if links[$k] == $k - 1 {
                lanes[$k] = lanes[$k].add(lanes[$k - 1]);
            } else if links[$k] < $k {
                let mut from = 0;
                while from + 1 < $k {
                    if from == links[$k] {
                        lanes[$k] = lanes[$k].add(lanes[from]);
                    }
                    from += 1;
                }
            }
        )* };
    }
    begin!(0 1 2 3 4 5 6 7);
    steps!(1 2 3 4 5 6 7);
    turn_back::<R, N>(lanes, rows);
}

/// Lane by lane, the numbers of the rows.
#[inline(always)]
fn turned<R: Register, const N: usize>(rows: &[Row; N]) -> [R::Low; WIDTH] {
    let [a, b, c, d] = [&rows[0].0, &rows[1 % N].0, &rows[2 % N].0, &rows[3 % N].0];
    R::Low::transposed([a, b, c, d, a, b, c, d])
}

#[inline(always)]
fn turn_back<R: Register, const N: usize>(lanes: [R::Low; WIDTH], rows: &mut [Row; N]) {
    let turned = R::Low::rows(lanes);
    let mut k = 0;
    while k < N {
        turned[k].store(&mut rows[k].0);
        k += 1;
    }
}
