//! The inverse of the mass matrix by articulated bodies, for trees so deep that sparse factors are hardly sparse.
//!
//! One sweep from the leaves leaves `U`, `D` of each degree of freedom (RBDA, section 7.3); after that a product `M⁻¹ x` is two
//! more, of 24 products a degree of freedom, whatever the depth:
//!
//! ```text
//! r_k = x_k − S_kᵀ p_k            p_λ += p_k + (U D⁻¹)_k r_k                                       (1)
//! y_k = D_k⁻¹ r_k − (U D⁻¹)_kᵀ a_λ        a_k = a_λ + S_k y_k                                        (2)
//! ```
//!
//! (the innovations factors of A. Jain, *Robot and Multibody Dynamics*, 2011, section 7.2). Sixteen columns `x` go through at
//! once, since each step waits for the one before. Axes are the world's, about the root of each tree.

pub(crate) mod halves;
pub(crate) mod pivots;

use crate::formulas::articulated_body;
use crate::kernels::by_joint::Lost;
use crate::kernels::by_joint::articulated::pivots::{Below, Own, Pivots};
use crate::kernels::by_joint::memory::{Memory, Row};
use crate::plan::joints::Layout;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::{Kernel, Piece, Register, VectorLevel, WIDTH};
use gradyn_derivatives::{Lanes, Scalar};
use nalgebra::{DMatrix, Vector3};
use std::marker::PhantomData;

/// Registers that go through a sweep side by side.
pub(crate) const SIDE: usize = 2;

/// What a sweep has of one degree of freedom, for as many columns as go through at once.
pub(crate) type Rows = [Row; SIDE];

/// `M⁻¹`, in factors along the tree. There are no mimic joints.
#[derive(Clone, Debug)]
pub(crate) struct Articulated {
    pub(crate) steps: Vec<Step>,
    welds: Vec<Weld>,
    pub(crate) factors: Vec<Factor>,
    /// Of degrees of freedom.
    armature: Vec<f64>,
    /// What hangs from degrees of freedom where branches join, and how these move.
    joined: Vec<Below>,
    seats: Vec<Motion<f64>>,
    own: Own,
    /// `x`, `r` and `y`.
    pub(crate) rest: Vec<Rows>,
    /// What branches bring to where they join; and how it moves there.
    force: Vec<[Rows; 6]>,
    motion: Vec<[Rows; 6]>,
}

/// A degree of freedom in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) lane: usize,
    pub(crate) parent: Option<usize>,
    /// Is the one before its parent?
    pub(crate) follows: bool,
    /// Do others hang from it than the next one, or bodies without a degree of freedom?
    pub(crate) branches: bool,
}

/// A body without a degree of freedom: part of what carries it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weld {
    pub(crate) lane: usize,
    /// The last degree of freedom between it and the root.
    pub(crate) to: usize,
}

/// One degree of freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    /// `S`, and two numbers that nobody asks for.
    pub(crate) s: Row,
    /// `U D⁻¹`, a number that nobody asks for, and `D⁻¹`.
    pub(crate) w: Row,
}

impl Factor {
    const ZERO: Self = Self { s: Row::ZERO, w: Row::ZERO };

    #[inline(always)]
    fn s(&self) -> Motion<f64> {
        let [a, b, c, d, e, f, ..] = self.s.0;
        Motion::new(Vector3::new(a, b, c), Vector3::new(d, e, f))
    }

    #[inline(always)]
    fn w(&self) -> (Force<f64>, f64) {
        let [a, b, c, d, e, f, _, reciprocal] = self.w.0;
        (Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f)), reciprocal)
    }

    /// `D⁻¹`
    #[inline(always)]
    pub(crate) fn reciprocal(&self) -> f64 {
        self.w.0[WIDTH - 1]
    }

    /// `r` of equation (1), and `p` grown by this degree of freedom.
    #[inline(always)]
    fn inward<T: Scalar<f64>>(&self, x: T, p: Force<T>) -> (T, Force<T>) {
        let r = x - self.s().power(p);
        (r, self.w().0.times_plus(r, p))
    }

    /// `y` of equation (2), and `a` grown by this degree of freedom.
    #[inline(always)]
    fn outward<T: Scalar<f64>>(&self, r: T, a: Motion<T>) -> (T, Motion<T>) {
        let (w, reciprocal) = self.w();
        let y = r * reciprocal - w.power(a);
        (y, self.s().times_plus(y, a))
    }
}

/// `memory.articulated` from columns and inertias in its lanes. The first degree of freedom whose pivot is lost, and the pivot, is an
/// error.
pub(crate) fn factorize(layout: &Layout, memory: &mut Memory) -> Result<(), Lost> {
    let mut articulated = take(layout, memory);
    let done = memory.level.run(articulated.pivots::<false>(layout, memory, &mut []));
    memory.articulated = Some(articulated);
    done
}

/// [`factorize`], and `x := M⁻¹ x`.
pub(crate) fn factorize_and_solve(layout: &Layout, memory: &mut Memory, x: &mut [f64]) -> Result<(), Lost> {
    let mut articulated = take(layout, memory);
    let done = memory.level.run(articulated.pivots::<true>(layout, memory, x));
    if done.is_ok() {
        articulated.outward(x);
    }
    memory.articulated = Some(articulated);
    done
}

fn take(layout: &Layout, memory: &mut Memory) -> Box<Articulated> {
    memory.articulated.take().unwrap_or_else(|| Box::new(Articulated::new(layout)))
}

impl Articulated {
    fn new(layout: &Layout) -> Self {
        let (tree, nv) = (&layout.tree_of_dofs, layout.nv);
        let mut steps = vec![Step { lane: 0, parent: None, follows: false, branches: false }; nv];
        for (lane, dof) in layout.dof.iter().enumerate() {
            if let Some(k) = *dof {
                steps[k].lane = lane;
            }
        }
        for k in 0..nv {
            let parent = tree.parent(k);
            (steps[k].parent, steps[k].follows) = (parent, parent.is_some_and(|p| p + 1 == k));
            if let (Some(p), false) = (parent, steps[k].follows) {
                steps[p].branches = true;
            }
        }
        let welded = layout.bodies.iter().enumerate().filter(|(_, body)| body.v.is_empty());
        let welds: Vec<Weld> = welded
            .filter_map(|(i, _)| {
                let carrier = layout.bodies_to_root(i).map(|i| &layout.bodies[i]).find(|body| !body.v.is_empty())?;
                Some(Weld { lane: layout.bodies[i].lane, to: carrier.v.end - 1 })
            })
            .collect();
        for weld in &welds {
            steps[weld.to].branches = true;
        }
        let zero = [Row::ZERO; SIDE];
        Self {
            steps,
            welds,
            factors: vec![Factor::ZERO; nv],
            armature: vec![0.0; nv],
            joined: vec![Below::NOTHING; nv],
            seats: vec![Motion::zero(); nv],
            own: Own::NOTHING,
            rest: vec![zero; nv.next_multiple_of(WIDTH)],
            force: vec![[zero; 6]; nv],
            motion: vec![[zero; 6]; nv],
        }
    }

    fn pivots<'a, const SOLVE: bool>(
        &'a mut self,
        layout: &Layout,
        memory: &'a Memory,
        x: &'a mut [f64],
    ) -> Pivots<'a, SOLVE> {
        let Self { steps, welds, factors, armature, joined, own, .. } = self;
        articulated_body::armature(&layout.dofs, armature);
        Pivots { memory, steps, welds, armature, joined, factors, own, x }
    }

    /// From `r` to `y`, equation (2) for one column.
    fn outward(&mut self, x: &mut [f64]) {
        let Self { steps, factors, seats, .. } = self;
        let mut a = Motion::zero();
        for (k, (step, (factor, x))) in steps.iter().zip(factors.iter().zip(x)).enumerate() {
            if !step.follows {
                a = step.parent.map_or_else(Motion::zero, |p| seats[p]);
            }
            (*x, a) = factor.outward(*x, a);
            if step.branches {
                seats[k] = a;
            }
        }
    }

    /// `x := M⁻¹ x`
    pub(crate) fn solve(&mut self, level: VectorLevel, x: &mut [f64]) {
        for (row, x) in self.rest.iter_mut().zip(&*x) {
            row[0] = Row([*x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        level.run(Solve { by: self });
        for (x, row) in x.iter_mut().zip(&self.rest) {
            *x = row[0].0[0];
        }
    }

    /// `to := −M⁻¹ from`, nv × any. Are all entries finite?
    pub(crate) fn multiply(&mut self, level: VectorLevel, from: &DMatrix<f64>, to: &mut DMatrix<f64>) -> bool {
        debug_assert!(from.shape() == to.shape() && from.nrows() == self.steps.len());
        level.run(Multiply { by: self, columns: from.ncols(), from: from.as_slice(), to: to.as_mut_slice() })
    }

    /// `to := M⁻¹`, nv × nv, symmetric to the bit. Are all entries finite?
    pub(crate) fn invert(&mut self, level: VectorLevel, to: &mut DMatrix<f64>) -> bool {
        debug_assert!(to.shape() == (self.steps.len(), self.steps.len()));
        level.run(Invert { by: self, to: to.as_mut_slice() })
    }
}

struct Solve<'a> {
    by: &'a mut Articulated,
}

impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let last = self.by.steps.len();
        R::call(Sweeps::<R, 1> { by: self.by, last, level: PhantomData });
    }
}

struct Multiply<'a> {
    by: &'a mut Articulated,
    columns: usize,
    from: &'a [f64],
    to: &'a mut [f64],
}

impl Kernel for Multiply<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { by, columns, from, to } = self;
        let n = by.steps.len();
        let mut zero = R::splat(0.0);
        for first in (0..columns).step_by(SIDE * WIDTH) {
            for side in 0..SIDE {
                let (start, end) = ends(first, side, columns);
                R::call(Take::<R> { rest: &mut by.rest, side, n, from: &from[start * n..end * n], level: PhantomData });
            }
            sweeps::<R>(by, n, columns - first);
            for side in 0..SIDE {
                let (start, end) = ends(first, side, columns);
                zero = R::call(Give { rest: &by.rest, side, n, to: &mut to[start * n..end * n], zero });
            }
        }
        zero.all_lt(R::splat(1.0))
    }
}

/// The columns that go into register `side`: the first, and the one after the last.
#[inline(always)]
pub(crate) fn ends(first: usize, side: usize, columns: usize) -> (usize, usize) {
    let start = columns.min(first + side * WIDTH);
    (start, columns.min(start + WIDTH))
}

/// Up to eight columns into lanes.
pub(crate) struct Take<'a, R> {
    pub(crate) rest: &'a mut [Rows],
    pub(crate) side: usize,
    pub(crate) n: usize,
    pub(crate) from: &'a [f64],
    pub(crate) level: PhantomData<R>,
}

impl<R: Register> Piece for Take<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { rest, side, n, from, .. } = self;
        for first in (0..n).step_by(WIDTH) {
            let mut lanes = [R::splat(0.0); WIDTH];
            for (to, from) in lanes.iter_mut().zip(from.chunks_exact(n)) {
                *to = R::load_first(&from[first..n.min(first + WIDTH)]);
            }
            let rows = R::transpose(lanes);
            for (to, row) in rest[first..].iter_mut().zip(rows) {
                to[side].store(Lanes(row));
            }
        }
    }
}

/// And back, with the other sign. Returns `zero` plus all of them times zero.
pub(crate) struct Give<'a, R> {
    pub(crate) rest: &'a [Rows],
    pub(crate) side: usize,
    pub(crate) n: usize,
    pub(crate) to: &'a mut [f64],
    pub(crate) zero: R,
}

impl<R: Register> Piece for Give<'_, R> {
    type Output = R;
    #[inline(always)]
    fn run(self) -> R {
        let Self { rest, side, n, to, mut zero } = self;
        for first in (0..n).step_by(WIDTH) {
            let end = n.min(first + WIDTH);
            let mut rows = [R::splat(0.0); WIDTH];
            for (to, row) in rows.iter_mut().zip(&rest[first..end]) {
                *to = row[side].load::<R>().0.neg();
                zero = to.mul_add(R::splat(0.0), zero);
            }
            let lanes = R::transpose(rows);
            for (to, lane) in to.chunks_exact_mut(n).zip(lanes) {
                lane.store_first(&mut to[first..end]);
            }
        }
        zero
    }
}

struct Invert<'a> {
    by: &'a mut Articulated,
    to: &'a mut [f64],
}

impl Kernel for Invert<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { by, to } = self;
        let n = by.steps.len();
        let mut zero = R::splat(0.0);
        for first in (0..n).step_by(SIDE * WIDTH) {
            // Rows after these columns' are those of other columns, and not asked for.
            let last = n.min(first + SIDE * WIDTH);
            by.rest[..last].fill([Row::ZERO; SIDE]);
            for k in first..last {
                by.rest[k][(k - first) / WIDTH].0[(k - first) % WIDTH] = 1.0;
            }
            sweeps::<R>(by, last, last - first);
            for side in 0..(last - first).div_ceil(WIDTH) {
                let columns = ends(first, side, n);
                zero = R::call(Mirror { rest: &by.rest, side, n, columns, to: &mut *to, zero });
            }
        }
        zero.all_lt(R::splat(1.0))
    }
}

/// Rows up to these columns, of a symmetric matrix, and the same numbers as columns. Returns `zero` plus all of them times zero.
pub(crate) struct Mirror<'a, R> {
    pub(crate) rest: &'a [Rows],
    pub(crate) side: usize,
    pub(crate) n: usize,
    pub(crate) columns: (usize, usize),
    pub(crate) to: &'a mut [f64],
    pub(crate) zero: R,
}

impl<R: Register> Piece for Mirror<'_, R> {
    type Output = R;
    #[inline(always)]
    fn run(self) -> R {
        let Self { rest, side, n, columns: (start, end), to, mut zero } = self;
        for first in (0..start).step_by(WIDTH) {
            let mut rows = [R::splat(0.0); WIDTH];
            for (k, row) in rows.iter_mut().enumerate() {
                *row = rest[first + k][side].load::<R>().0;
                zero = row.mul_add(R::splat(0.0), zero);
                row.store_first(&mut to[(first + k) * n..][start..end]);
            }
            let lanes = R::transpose(rows);
            for (column, lane) in (start..end).zip(lanes) {
                lane.store_first(&mut to[column * n..][first..first + WIDTH]);
            }
        }
        for k in start..end {
            let row = rest[k][side].0;
            for column in k..end {
                let x = row[column - start];
                (to[k * n + column], to[column * n + k]) = (x, x);
                zero = R::splat(x).mul_add(R::splat(0.0), zero);
            }
        }
        zero
    }
}

/// Both sweeps, for as many registers as the columns take.
#[inline(always)]
fn sweeps<R: Register>(by: &mut Articulated, last: usize, columns: usize) {
    if columns > WIDTH {
        R::call(Sweeps::<R, SIDE> { by, last, level: PhantomData });
    } else {
        R::call(Sweeps::<R, 1> { by, last, level: PhantomData });
    }
}

/// To the root and back, over the first degrees of freedom: the others have no part in it. `x` becomes `M⁻¹ x`.
struct Sweeps<'a, R, const N: usize> {
    by: &'a mut Articulated,
    last: usize,
    level: PhantomData<R>,
}

impl<R: Register, const N: usize> Piece for Sweeps<'_, R, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.by.sweep_inward::<R, N>(self.last);
        self.by.sweep_outward::<R, N>(self.last);
    }
}

impl Articulated {
    /// Equation (1), over the first degrees of freedom: `x` becomes `r = L⁻ᵀ x`.
    #[inline(always)]
    pub(crate) fn sweep_inward<R: Register, const N: usize>(&mut self, last: usize) {
        let Self { steps, factors, rest, force, .. } = self;
        let (steps, factors) = (&steps[..last], &factors[..last]);
        for (step, force) in steps.iter().zip(&mut *force) {
            if step.branches {
                *force = [[Row::ZERO; SIDE]; 6];
            }
        }

        // What the last one brings to its parent stays in registers if that is next.
        let (mut p, mut follows) = ([Force::<Lanes<R>>::zero(); N], false);
        for (k, (step, factor)) in steps.iter().zip(factors).enumerate().rev() {
            let mut i = 0;
            while i < N {
                let mut sum = if follows { p[i] } else { Force::zero() };
                if step.branches {
                    sum += load_force(&force[k], i);
                }
                let r;
                (r, p[i]) = factor.inward(rest[k][i].load::<R>(), sum);
                rest[k][i].store(r);
                i += 1;
            }
            follows = step.follows;
            if let (false, Some(parent)) = (follows, step.parent) {
                let mut i = 0;
                while i < N {
                    let sum = load_force(&force[parent], i) + p[i];
                    store_six(&mut force[parent], i, sum.linear, sum.angular);
                    i += 1;
                }
            }
        }
    }

    /// Equation (2): `r` becomes `y = L⁻¹ D⁻¹ r`.
    #[inline(always)]
    pub(crate) fn sweep_outward<R: Register, const N: usize>(&mut self, last: usize) {
        let Self { steps, factors, rest, motion, .. } = self;
        let (steps, factors) = (&steps[..last], &factors[..last]);
        let mut a = [Motion::<Lanes<R>>::zero(); N];
        for (k, (step, factor)) in steps.iter().zip(factors).enumerate() {
            let mut i = 0;
            while i < N {
                if !step.follows {
                    a[i] = step.parent.map_or_else(Motion::zero, |p| load_motion(&motion[p], i));
                }
                let y;
                (y, a[i]) = factor.outward(rest[k][i].load::<R>(), a[i]);
                rest[k][i].store(y);
                if step.branches {
                    store_six(&mut motion[k], i, a[i].linear, a[i].angular);
                }
                i += 1;
            }
        }
    }
}

#[inline(always)]
fn load_force<R: Register>(x: &[Rows; 6], i: usize) -> Force<Lanes<R>> {
    Force::new(load_vector(x, 0, i), load_vector(x, 3, i))
}

#[inline(always)]
fn load_motion<R: Register>(x: &[Rows; 6], i: usize) -> Motion<Lanes<R>> {
    Motion::new(load_vector(x, 0, i), load_vector(x, 3, i))
}

#[inline(always)]
fn load_vector<R: Register>(x: &[Rows; 6], first: usize, i: usize) -> Vector3<Lanes<R>> {
    Vector3::new(x[first][i].load(), x[first + 1][i].load(), x[first + 2][i].load())
}

#[inline(always)]
fn store_six<R: Register>(to: &mut [Rows; 6], i: usize, a: Vector3<Lanes<R>>, b: Vector3<Lanes<R>>) {
    to[0][i].store(a.x);
    to[1][i].store(a.y);
    to[2][i].store(a.z);
    to[3][i].store(b.x);
    to[4][i].store(b.y);
    to[5][i].store(b.z);
}
