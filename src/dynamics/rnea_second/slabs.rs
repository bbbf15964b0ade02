//! Long chains: entries slab by slab.
//!
//! What one column makes of its path goes to slabs `(i, ·, ·)` of the tensors all over memory, since each of `p`, `t` and `k` may be the
//! torque. Where tensors are larger than the caches, each line would be fetched and written back many times. Here the factors of
//! all columns are made first, O(n²) numbers; then the slabs of each `i` are filled in memory that stays in the cache, the products being
//! made as often as needed, and copied. In the loops over tiles `p`, `t` and `k` count blocks.
//!
//! A column `i` of which the link ends at `end` has three parts in its slab: with `i` as `p`, entries where both others are before `end`;
//! as `t`, where one is; as `k`, where none is. Products of a block of columns with another are tiles of eight times eight: each tile is written as it is and
//! turned, since entries have both orders.

use super::factors::{Factors, PathMotions, u4};
use super::memory::FACTORS;
use super::pack::Pack;
use super::{Memory, column};
use gradyn_derivatives::Real;
use gradyn_derivatives::simd::{Piece, WIDTH};
use std::marker::PhantomData;
use std::ops::Range;

/// Chains of so many columns are filled slab by slab: their tensors are 12 MB. At AVX-512, 1 MB of second cache and 32 MB of third, shared
/// ones, chains of 64 take 0.77 ms column by column and 1.0 ms slab by slab, those of 80 3.2 and 1.9 ms.
pub(super) const LONG: usize = 72;

/// All lanes.
const ALL: u8 = u8::MAX;

/// How long rows of the memory of slabs are: whole lines of the cache, an odd number of them, so that rows do not all begin at
/// the same place of a page.
fn stride(n: usize) -> usize {
    (n.div_ceil(WIDTH) | 1) * WIDTH
}

/// How many numbers the slabs of all four tensors are.
pub(super) fn size(n: usize) -> usize {
    4 * n.next_multiple_of(WIDTH) * stride(n)
}

/// How many numbers the factors of one column are.
pub(super) fn factors_of<T>(memory: &Memory<T>) -> usize {
    memory.steps.len().next_multiple_of(WIDTH) * FACTORS
}

/// Fills the slabs of column `i` and copies them.
#[inline(always)]
pub(super) fn fill<T: Real, L: Pack<T>>(memory: &mut Memory<T>, i: usize) {
    let width = PhantomData::<L>;
    L::call(AsLast { memory: &mut *memory, i, width });
    L::call(AsMiddle { memory: &mut *memory, i, width });
    L::call(AsFirst { memory: &mut *memory, i, width });
    L::call(SameLink { memory: &mut *memory, i, width });
    copy::<T, L>(memory, i);
}

/// Lanes of a block that are before place `end`.
#[inline(always)]
fn before(end: usize, block: usize, width: usize) -> u8 {
    match end.saturating_sub(block * width) {
        some if some < WIDTH => (1 << some) - 1,
        _ => ALL,
    }
}

/// Lanes of a block that are not before place `end`.
#[inline(always)]
fn beyond(end: usize, block: usize, width: usize) -> u8 {
    !before(end, block, width)
}

/// The slabs of one `i`.
struct Slabs<'a, T> {
    qq: &'a mut [T],
    qv: &'a mut [T],
    vv: &'a mut [T],
    aq: &'a mut [T],
    stride: usize,
}

impl<'a, T: Real> Slabs<'a, T> {
    #[inline(always)]
    fn new(slab: &'a mut [T], n: usize) -> Self {
        let one = slab.len() / 4;
        let (qq, rest) = slab.split_at_mut(one);
        let (qv, rest) = rest.split_at_mut(one);
        let (vv, aq) = rest.split_at_mut(one);
        Self { qq, qv, vv, aq, stride: stride(n) }
    }

    /// Writes some rows of a tile of each, in the order of the fields, as far as the mask of `lanes` says.
    #[inline(always)]
    fn put<L: Pack<T>>(&mut self, rows: Range<usize>, block: usize, tiles: [&Tile<L>; 4], lanes: u8) {
        let [qq, qv, vv, aq] = tiles;
        let Self { stride, .. } = *self;
        put(self.qq, stride, rows.clone(), block, qq, lanes);
        put(self.qv, stride, rows.clone(), block, qv, lanes);
        put(self.vv, stride, rows.clone(), block, vv, lanes);
        put(self.aq, stride, rows, block, aq, lanes);
    }
}

/// Packs of one block of columns for each of some rows.
type Tile<L> = [L; WIDTH];

/// Writes some rows of a tile.
#[inline(always)]
fn put<T: Real, L: Pack<T>>(to: &mut [T], stride: usize, rows: Range<usize>, block: usize, tile: &Tile<L>, lanes: u8) {
    for row in rows {
        put_row(to, stride, row, block, tile[row % L::WIDTH], lanes);
    }
}

/// One row of it.
#[inline(always)]
fn put_row<T: Real, L: Pack<T>>(to: &mut [T], stride: usize, row: usize, block: usize, x: L, lanes: u8) {
    let to = &mut to[row * stride + block * L::WIDTH..][..L::WIDTH];
    if lanes == ALL { x.store(to) } else { x.where_else(lanes, L::load(to)).store(to) }
}

/// A row of a tile, of which those of some columns are written to rows and one column.
#[inline(always)]
fn put_column<T: Real, L: Pack<T>>(
    to: &mut [T],
    stride: usize,
    block: usize,
    column: usize,
    x: L,
    some: &Range<usize>,
) {
    let mut lanes = [T::zero(); WIDTH];
    x.store(&mut lanes);
    for row in some.start.max(block * L::WIDTH)..some.end.min((block + 1) * L::WIDTH) {
        to[row * stride + column] = lanes[row % L::WIDTH];
    }
}

/// Of two tiles on the diagonal, the one for columns before that of the row, the other for those beyond, and one for the diagonal.
#[inline(always)]
fn merge<T: Real, L: Pack<T>>(lower: &Tile<L>, diagonal: &Tile<L>, upper: &Tile<L>) -> Tile<L> {
    let mut merged = *upper;
    for (row, x) in merged.iter_mut().enumerate() {
        *x = lower[row].where_else(before(row, 0, L::WIDTH), diagonal[row].where_else(1 << row, *x));
    }
    merged
}

/// `i` as `p`: with `t` and `k` of its path.
struct AsLast<'a, T, L> {
    memory: &'a mut Memory<T>,
    i: usize,
    width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>> Piece for AsLast<'_, T, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory, i, .. } = self;
        let w = L::WIDTH;
        let of_one = factors_of(memory);
        let Memory { steps, path, ancestors, slab, .. } = memory;
        let end = steps[i].end;
        let factors = &ancestors[i * of_one..][..of_one];
        let mut slabs = Slabs::new(slab, steps.len());
        let blocks = end.div_ceil(w);
        for k in 0..blocks {
            let m = PathMotions::<L>::load(&path[k * column::MOTIONS * w..]);
            for t in k..blocks {
                let [mut p1, mut p2, mut u11_s, mut u8_s, mut u9_s] = [[L::zero(); WIDTH]; 5];
                let rows = t * w..end.min((t + 1) * w);
                let block = &factors[t * FACTORS * w..][..FACTORS * w];
                for at in 0..rows.len() {
                    let u = Factors::of_lane(block, w, at);
                    (p1[at], p2[at]) = (-u.p1(&m), u.p2(&m));
                    (u11_s[at], u8_s[at], u9_s[at]) = (-u.u11_s(&m), u.u8_s(&m), u.u9_s(&m));
                }
                let zero = [L::zero(); WIDTH];
                let lanes = before(end, t, w);
                let [qq, qv, vv, aq] = [L::transpose(p2), L::transpose(p1), L::transpose(u11_s), L::transpose(u9_s)];
                if k == t {
                    // u₂ = u₁₃
                    let mut u2_s = zero;
                    (0..w).for_each(|at| u2_s[at] = u11_s[at] - u9_s[at]);
                    let (qq, qv) = (merge(&p2, &p2, &qq), merge(&u8_s, &p1, &qv));
                    let (vv, aq) = (merge(&u11_s, &u2_s, &vv), merge(&zero, &zero, &aq));
                    slabs.put(rows, k, [&qq, &qv, &vv, &aq], lanes);
                } else {
                    slabs.put(rows, k, [&p2, &u8_s, &u11_s, &zero], ALL);
                    slabs.put(k * w..(k + 1) * w, t, [&qq, &qv, &vv, &aq], lanes);
                }
            }
        }
    }
}

/// `i` as `t`: with `k` of its path and `p` beyond its link.
struct AsMiddle<'a, T, L> {
    memory: &'a mut Memory<T>,
    i: usize,
    width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>> Piece for AsMiddle<'_, T, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory, i, .. } = self;
        let w = L::WIDTH;
        let of_one = factors_of(memory);
        let Memory { steps, path, ancestors, slab, .. } = memory;
        let (end, n) = (steps[i].end, steps.len());
        let mut slabs = Slabs::new(slab, n);
        for k in 0..end.div_ceil(w) {
            let m = PathMotions::<L>::load(&path[k * column::MOTIONS * w..]);
            for p in end / w..n.div_ceil(w) {
                let [mut u1_psi, mut u1_s, mut p1, mut u11_s, mut u13_s] = [[L::zero(); WIDTH]; 5];
                let rows = end.max(p * w)..n.min((p + 1) * w);
                for row in rows.clone() {
                    let at = row % w;
                    let u = Factors::of_lane(&ancestors[row * of_one + i / w * (FACTORS * w)..], w, i % w);
                    (u1_psi[at], u1_s[at], p1[at]) = (u.u1_psi(&m), u.u1_s(&m), u.p1(&m));
                    u11_s[at] = u.u11_s(&m);
                    u13_s[at] = u11_s[at] + u.u9_s(&m);
                }
                slabs.put(rows, k, [&u1_psi, &u1_s, &u11_s, &[L::zero(); WIDTH]], before(end, k, w));
                let [qq, qv, vv, aq] =
                    [L::transpose(u1_psi), L::transpose(p1), L::transpose(u11_s), L::transpose(u13_s)];
                slabs.put(k * w..end.min((k + 1) * w), p, [&qq, &qv, &vv, &aq], beyond(end, p, w));
            }
        }
    }
}

/// `i` as `k`: with `p` and `t` beyond its link.
struct AsFirst<'a, T, L> {
    memory: &'a mut Memory<T>,
    i: usize,
    width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>> Piece for AsFirst<'_, T, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory, i, .. } = self;
        let w = L::WIDTH;
        let of_one = factors_of(memory);
        let Memory { steps, motions, ancestors, slab, .. } = memory;
        let (end, n) = (steps[i].end, steps.len());
        let mut slabs = Slabs::new(slab, n);
        let m = PathMotions::<T>::load(&motions[i]).each::<L>();
        for p in end / w..n.div_ceil(w) {
            for t in end / w..=p {
                let [mut u3_s, mut u6_s, mut u7_s, mut u9_s, mut u10_s, mut u13_s] = [[L::zero(); WIDTH]; 6];
                let rows = end.max(p * w)..n.min((p + 1) * w);
                for row in rows.clone() {
                    let at = row % w;
                    let u = Factors::<L>::load(&ancestors[row * of_one + t * (FACTORS * w)..]);
                    (u3_s[at], u6_s[at], u7_s[at]) = (u.u3_s(&m), u.u6_s(&m), u.u7_s(&m));
                    u9_s[at] = u.u9_s(&m);
                    u13_s[at] = u.u11_s(&m) + u9_s[at];
                    u10_s[at] = u13_s[at] + u9_s[at];
                }
                let [qq, qv, vv, aq] =
                    [L::transpose(u3_s), L::transpose(u6_s), L::transpose(u10_s), L::transpose(u13_s)];
                let lanes = beyond(end, t, w);
                if t == p {
                    let mut u4_s = [L::zero(); WIDTH];
                    for row in rows.clone() {
                        u4_s[row % w] = u4::<T, L>(&ancestors[row * of_one + t * (FACTORS * w)..]).power(m.s);
                    }
                    let (qq, qv) = (merge(&u3_s, &u3_s, &qq), merge(&u7_s, &u6_s, &qv));
                    let (vv, aq) = (merge(&u10_s, &u4_s, &vv), merge(&u9_s, &u9_s, &aq));
                    slabs.put(rows, t, [&qq, &qv, &vv, &aq], lanes);
                } else {
                    slabs.put(rows, t, [&u3_s, &u7_s, &u10_s, &u9_s], lanes);
                    slabs.put(end.max(t * w)..(t + 1) * w, p, [&qq, &qv, &vv, &aq], ALL);
                }
            }
        }
    }
}

/// Links of more columns than one: entries where both of the others than `i` belong to the same link, in which what tiles have put
/// there is for columns of different links.
struct SameLink<'a, T, L> {
    memory: &'a mut Memory<T>,
    i: usize,
    width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>> Piece for SameLink<'_, T, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory, i, .. } = self;
        let w = L::WIDTH;
        let of_one = factors_of(memory);
        let Memory { steps, motions, path, ancestors, slab, .. } = memory;
        let Slabs { qq, qv, vv, aq, stride } = Slabs::new(slab, steps.len());
        let factors = |p: usize, block: usize| &ancestors[p * of_one + block * (FACTORS * w)..][..FACTORS * w];
        let end = steps[i].end;
        let several = |from: usize, to: usize| {
            let some = steps[from..to].iter().enumerate().filter(|(_, step)| step.end - step.start > 1);
            some.map(move |(at, step)| (from + at, step.start..step.end))
        };
        for (t, link) in several(0, end) {
            let u = Factors::of_lane(factors(i, t / w), w, t % w);
            for block in link.start / w..link.end.div_ceil(w) {
                let m = PathMotions::<L>::load(&path[block * column::MOTIONS * w..]);
                let lanes = beyond(link.start, block, w) & before(link.end, block, w);
                put_row(qq, stride, t, block, u.p2(&m), lanes);
                put_row(vv, stride, t, block, -u.u11_s(&m) - u.u9_s(&m), lanes);
                put_row(aq, stride, t, block, L::zero(), lanes);
                put_column(qv, stride, block, t, -u.p1(&m), &link);
            }
        }
        let m = PathMotions::<T>::load(&motions[i]).each::<L>();
        for (p, link) in several(end, steps.len()) {
            for block in link.start / w..link.end.div_ceil(w) {
                let u = Factors::<L>::load(factors(p, block));
                let lanes = beyond(link.start, block, w) & before(link.end, block, w);
                put_row(qq, stride, p, block, u.u3_s(&m), lanes);
                put_row(aq, stride, p, block, u.u9_s(&m), lanes);
                put_column(qv, stride, block, p, u.u6_s(&m), &link);
                put_column(vv, stride, block, p, u4::<T, L>(factors(p, block)).power(m.s), &link);
            }
        }
    }
}

/// Copies slabs of `i` to the tensors.
fn copy<T: Real, L: Pack<T>>(memory: &mut Memory<T>, i: usize) {
    let Memory { slab, result, .. } = memory;
    let n = result.d2tau_dqdq.dims()[0];
    let Slabs { qq, qv, vv, aq, stride } = Slabs::new(slab, n);
    let [qq_all, qv_all, vv_all, aq_all] = result.tensors_mut();
    for (to, from) in [(qq_all, qq), (qv_all, qv), (vv_all, vv), (aq_all, aq)] {
        L::copy_rows(from, stride, &mut to.as_mut_slice()[i * n * n..][..n * n], n);
    }
}

#[cfg(test)]
mod tests {
    use crate::dynamics::rnea_second::{Memory, RneaSecondDerivatives, Sweep};
    use crate::dynamics::{ExternalWrench, Workspace};
    use crate::joint::{
        Axis, Cylindrical, FreeFlyer, Joint, Planar, Prismatic, Revolute, Spherical, SphericalZyx, Universal,
    };
    use crate::model::{BodyKey, Model, ModelBuilder};
    use crate::spatial::{Force, Inertia, Symmetric3, Transform, quaternion};
    use gradyn_derivatives::Lanes;
    use gradyn_derivatives::simd::{Kernel, Level, Register, dispatch, with_level};
    use nalgebra::Vector3;
    use std::marker::PhantomData;

    /// A chain of these joints, each at another place and turned.
    fn chain(joints: &[Joint]) -> Model {
        let mut builder = ModelBuilder::new("chain");
        let mut last: Option<BodyKey> = None;
        for (k, joint) in joints.iter().enumerate() {
            let x = k as f64;
            let place = Vector3::new(0.1 + 0.01 * (7.0 * x).sin(), 0.02 * (3.0 * x).cos(), 0.03 * x.sin());
            let turned = quaternion::uniform(0.3 + 0.1 * x.sin(), 0.5 + 0.2 * x.cos(), 0.6);
            let inertia = Inertia::new(1.0 + 0.1 * x.cos(), place * 0.5, Symmetric3::diagonal(0.1, 0.15, 0.2));
            let placed = Transform::new(turned.rotation(), place);
            let added =
                builder.add_body(last, format!("link {k}"), format!("joint {k}"), placed, joint.clone(), inertia);
            last = Some(added.expect("fits"));
        }
        builder.build().expect("builds")
    }

    /// By both ways: column by column and slab by slab.
    fn both(model: &Model, seed: f64, wrenches: &[ExternalWrench]) -> [RneaSecondDerivatives; 2] {
        let step: Vec<f64> = (0..model.nv()).map(|k| (seed + 1.7 * k as f64).sin()).collect();
        let q = model.integrate(&model.neutral(), &step).expect("fits");
        let [v, a] = [0.3, 0.7].map(|at| step.iter().map(|x| (9.0 * x + at).cos()).collect::<Vec<_>>());
        [usize::MAX, 1].map(|long| {
            let mut ws = Workspace::new(model);
            ws.second(model);
            let links = ws.links.as_deref().expect("made with the memory");
            let memory = Memory::from(model, links, long);
            assert_eq!(memory.by_slabs, long == 1);
            ws.second = Some(Box::new(memory));
            let mut at = || {
                assert!(dispatch(Closed { model, ws: &mut ws, state: [&q, &v, &a], wrenches }));
                ws.second(model).result.clone()
            };
            let first = at();
            // Nothing is left of a call before.
            assert_eq!(first, at());
            first
        })
    }

    /// The closed form at the active level.
    struct Closed<'a> {
        model: &'a Model,
        ws: &'a mut Workspace<f64>,
        state: [&'a [f64]; 3],
        wrenches: &'a [ExternalWrench],
    }

    impl Kernel for Closed<'_> {
        type Output = bool;
        fn run<R: Register>(self) -> bool {
            let Self { model, ws, state: [q, v, a], wrenches } = self;
            R::call(Sweep { model, ws, q, v, a, wrenches, begun: false, width: PhantomData::<Lanes<R>> })
        }
    }

    /// Slab by slab or column by column, the same products are added up in the same order: each entry is the same number,
    /// for chains of any length and joint, at all levels.
    #[test]
    #[expect(clippy::float_cmp, reason = "the same operations")]
    fn slabs_are_what_columns_are() {
        let hinge = |k: usize| -> Joint {
            match k % 3 {
                0 => Revolute { axis: Axis::X }.into(),
                1 => Prismatic { axis: Axis::Y }.into(),
                _ => Revolute { axis: Axis::Z }.into(),
            }
        };
        let hinges = |n: usize| (0..n).map(hinge);
        let mut chains: Vec<Vec<Joint>> = [1, 2, 7, 8, 9, 15, 16, 17, 24, 29].map(|n| hinges(n).collect()).into();
        for n in [0, 1, 2, 3, 11] {
            chains.push([Joint::from(FreeFlyer)].into_iter().chain(hinges(n)).collect());
            chains.push(
                hinges(n).chain([Spherical.into(), FreeFlyer.into(), Spherical.into()]).chain(hinges(2)).collect(),
            );
        }
        chains.push((0..9).flat_map(|k| [Spherical.into(), Planar::new(Axis::Z).into(), hinge(k)]).collect());
        chains.push(
            (0..9)
                .flat_map(|k| {
                    [
                        Universal { first: Axis::X, second: Axis::Y }.into(),
                        hinge(k),
                        SphericalZyx.into(),
                        Cylindrical { axis: Axis::Y }.into(),
                    ]
                })
                .collect(),
        );
        for joints in chains {
            let model = chain(&joints);
            let body = model.body_id(joints.len() - 1).expect("is there");
            let wrench = Force::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(-3.0, 0.5, 0.1));
            let wrenches = [ExternalWrench::in_body(body, wrench), ExternalWrench::in_world(body, wrench)];
            for level in Level::available() {
                for wrenches in [&wrenches[..0], &wrenches] {
                    let [columns, slabs] = with_level(level, || both(&model, joints.len() as f64, wrenches));
                    for ((name, columns), (_, slabs)) in columns.tensors().into_iter().zip(slabs.tensors()) {
                        for ((at, column), (_, slab)) in columns.iter().zip(slabs.iter()) {
                            assert_eq!(
                                column,
                                slab,
                                "{level}, {} joints, nv {}: {name} {at:?}",
                                joints.len(),
                                model.nv()
                            );
                        }
                    }
                }
            }
        }
    }
}
