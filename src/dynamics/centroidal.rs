//! Momentum about the center of mass, and its components.
//!
//! In world axes, about the center of mass G. With composite sums `I_C`, `B_C`, `h_C` of inertias, body Coriolis
//! matrices and momenta over the subtree of a link, and c the position of G:
//!
//! ```text
//! h_G = A_G q̇,  A_k = (I_C S_k) about G                                                           (1)
//! Ȧ_k = (B_C S_k − S_k ×* h_C + I_C Ṡ_k) about G − (0, ċ × linear part of I_C S_k)                 (2)
//! ḣ_G = Σ (I a + v ×* I v) about G = A_G q̈ + Ȧ_G q̇                                                (3)
//! ```
//!
//! as `İ_C S = Σ (v ×* I − I v ×) S = B_C S − S ×* h_C`.
//!
//! Source: D. Orin, A. Goswami, S.-H. Lee, *Centroidal dynamics of a humanoid robot*, Autonomous Robots 35, 2013; P.
//! Wensing, D. Orin, *Improved computation of the humanoid centroidal dynamics*, IJHR 13(1), 2016.

use super::com::share;
use super::jacobian::{add_rows, check_sizes, clear, finite};
use super::placed::{Placed, sum_subtrees, update};
use super::{Workspace, check_finite};
use crate::dynamics::by_plan::{self, Kernels};
use crate::formulas::mass_moments::{PointMass, Tree, Whole, about_moving, matrix_rate};
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{BodyCoriolis, Force, Inertia, Momentum, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// A robot seen from its center of mass, in axes of the world; borrows from the workspace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Centroidal<'w, T> {
    /// Mass, and the center of mass with its velocity and acceleration, in the world.
    pub com: PointMass<T>,
    /// Inertia of the robot, its joints locked, about the center of mass.
    pub inertia: Inertia<T>,
    /// Momentum `h_G`; the angular part is about the center of mass.
    pub momentum: Momentum<T>,
    /// Its rate of change `ḣ_G`: the sum of all wrenches from outside, gravity included.
    pub momentum_rate: Force<T>,
    /// The centroidal momentum matrix `A_G`, 6 × nv, linear rows first: `h_G = A_G q̇`.
    pub matrix: &'w DMatrix<T>,
    /// Its derivative in time `Ȧ_G`, 6 × nv.
    pub matrix_rate: &'w DMatrix<T>,
}

/// Momentum of a robot about its center of mass, in axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CentroidalMomentum<T> {
    /// Mass, and the center of mass with its velocity and acceleration, in the world.
    pub com: PointMass<T>,
    /// Inertia of the robot, its joints locked, about the center of mass.
    pub inertia: Inertia<T>,
    /// Momentum `h_G`; the angular part is about the center of mass.
    pub momentum: Momentum<T>,
    /// Its rate of change `ḣ_G`: the sum of all wrenches from outside, gravity included.
    pub momentum_rate: Force<T>,
}

/// Sums over the subtree of each body, in the coordinates of [`Placed`], and results.
#[derive(Clone, Debug)]
pub(crate) struct CentroidalMemory<T> {
    pub(super) inertia: Vec<Inertia<T>>,
    pub(super) coriolis: Vec<BodyCoriolis<T>>,
    pub(super) momentum: Vec<Force<T>>,
    pub(super) force: Vec<Force<T>>,
    matrix: DMatrix<T>,
    rate: DMatrix<T>,
    /// No motion of the joints, nv.
    zeros: Vec<T>,
}

impl<T: Real> CentroidalMemory<T> {
    fn new(bodies: usize, nv: usize) -> Self {
        Self {
            inertia: vec![Inertia::zero(); bodies],
            coriolis: vec![BodyCoriolis::zero(); bodies],
            momentum: vec![Force::zero(); bodies],
            force: vec![Force::zero(); bodies],
            matrix: DMatrix::default(),
            rate: DMatrix::default(),
            zeros: vec![T::zero(); nv],
        }
    }
}

/// Centroidal momentum, its rate of change, its matrix `A_G` and that one's rate `Ȧ_G`, at `(q, v, a)`.
///
/// `q`: nq, `v`, `a`: nv. `momentum_rate` is that of the motion asked for: what the wrenches from outside, gravity and
/// contact forces, have to sum up to. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the robot has no mass, or a number is not
/// finite.
#[doc(alias("ccrba", "dccrba"))]
pub fn centroidal<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<Centroidal<'w, T>, InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let mut memory = take(model, ws);
    let (matrix, rate) = (&mut memory.matrix, &mut memory.rate);
    let quick = |kernels: Kernels<'_>| {
        let whole =
            kernels.centroidal(by_plan::state((q, v, a))?, by_plan::same_mut(matrix)?, by_plan::same_mut(rate)?)?;
        by_plan::same(&whole).copied()
    };
    let surely: Option<Whole<T>> = by_plan::of(model, ws).and_then(quick);
    let whole = match surely {
        Some(whole) => Ok(whole),
        None => check_finite(model, q, v, a).and_then(|()| fill(model, ws, &mut memory, (q, v, a))),
    };
    let m = &**ws.centroidal.insert(memory);
    let whole = whole?;
    if surely.is_none() {
        finite(model, "centroidal momentum matrix", &m.matrix)?;
        finite(model, "rate of the centroidal momentum matrix", &m.rate)?;
    }
    whole.check_finite(model)?;
    Ok(Centroidal {
        com: whole.com,
        inertia: whole.inertia,
        momentum: whole.momentum,
        momentum_rate: whole.force,
        matrix: &m.matrix,
        matrix_rate: &m.rate,
    })
}

/// Centroidal momentum and its rate of change at `(q, v, a)`: [`centroidal`] without matrices (Pinocchio's
/// `computeCentroidalMomentumTimeVariation`).
///
/// `q`: nq, `v`, `a`: nv. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// As [`centroidal`].
#[doc(alias("computeCentroidalMomentum", "computeCentroidalMomentumTimeVariation"))]
#[inline(never)]
pub fn centroidal_momentum<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<CentroidalMomentum<T>, InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let quick =
        |kernels: Kernels<'_>| by_plan::same(&kernels.centroidal_momentum(by_plan::state((q, v, a))?)?).copied();
    let surely: Option<Whole<T>> = by_plan::of(model, ws).and_then(quick);
    let whole = match surely {
        Some(whole) => whole,
        None => {
            check_finite(model, q, v, a)?;
            let mut memory = take(model, ws);
            let placed = &*update(model, ws, Motion::zero(), (q, v, a));
            sum_up(model, placed, &mut memory);
            let whole = whole(model, placed, &memory);
            ws.centroidal = Some(memory);
            whole?
        }
    };
    whole.check_finite(model)?;
    let Whole { com, inertia, momentum, force, .. } = whole;
    Ok(CentroidalMomentum { com, inertia, momentum, momentum_rate: force })
}

/// The centroidal momentum matrix `A_G(q)`, 6 × nv, linear rows first: `A_G q̇` is the momentum about the center of
/// mass in axes of the world.
///
/// `q`: nq. Its linear rows are the mass times the Jacobian of the center of mass. Cost O(n); a second call allocates
/// nothing.
///
/// # Errors
/// As [`centroidal`].
#[doc(alias("computeCentroidalMap", "momentum_matrix"))]
pub fn centroidal_momentum_matrix<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    check_sizes(model, ws, q)?;
    let mut memory = take(model, ws);
    let to = &mut memory.matrix;
    if by_plan::of(model, ws)
        .and_then(|kernels| kernels.momentum_matrix(T::as_f64s(q)?, by_plan::same_mut(to)?))
        .is_some()
    {
        return Ok(&ws.centroidal.insert(memory).matrix);
    }
    let zeros = std::mem::take(&mut memory.zeros);
    let whole = check_finite(model, q, &[], &[]).and_then(|()| fill(model, ws, &mut memory, (q, &zeros, &zeros)));
    memory.zeros = zeros;
    let m = &**ws.centroidal.insert(memory);
    whole?;
    finite(model, "centroidal momentum matrix", &m.matrix)?;
    Ok(&m.matrix)
}

/// Fills in both matrices; the arguments have been checked.
#[inline(never)]
fn fill<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    m: &mut CentroidalMemory<T>,
    state: (&[T], &[T], &[T]),
) -> Result<Whole<T>, InputError> {
    let placed = &*update(model, ws, Motion::zero(), state);
    sum_up(model, placed, m);
    let whole = whole(model, placed, m)?;
    columns(model, placed, m, &whole);
    Ok(whole)
}

at_level! {
    /// The columns of both matrices.
    fn columns<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &Placed<T>, m: &mut CentroidalMemory<T>, whole: &Whole<T>) {
        clear(&mut m.matrix, 6, model.nv);
        clear(&mut m.rate, 6, model.nv);
        for i in 0..model.bodies.len() {
            let (inertia, c) = (m.inertia[i], whole.com_from(placed, i));
            for k in placed.columns_of(i) {
                let s = placed.columns[k];
                let (momentum, s_dot) = (inertia * s, placed.psi_s_dot[k] - placed.psi_dot[k]);
                let rate = matrix_rate(inertia, &m.coriolis[i], m.momentum[i], s, s_dot);
                add(&mut m.matrix, placed.dof[k], momentum.shifted::<T>(c)); //            (1)
                add(&mut m.rate, placed.dof[k], about_moving(rate, c, whole.com.velocity, momentum.linear)); // (2)
            }
        }
    }
}

/// The memory, taken out, to be put back.
pub(super) fn take<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) -> Box<CentroidalMemory<T>> {
    ws.centroidal.take().unwrap_or_else(|| Box::new(CentroidalMemory::new(model.bodies.len(), model.nv)))
}

at_level! {
    /// Sums over each subtree, of bodies that have been placed and moved.
    #[inline(never)]
    pub(super) fn sum_up<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &Placed<T>, m: &mut CentroidalMemory<T>) {
        for (i, body) in model.bodies.iter().enumerate() {
            let (inertia, v) = (placed.inertia(body, i), placed.velocity[i]);
            m.inertia[i] = inertia;
            m.coriolis[i] = inertia.body_coriolis(v);
            m.momentum[i] = inertia * v;
            m.force[i] = inertia.newton_euler(v, placed.acceleration[i]);
        }
        sum_subtrees(model, &mut m.inertia);
        sum_subtrees(model, &mut m.coriolis);
        sum_subtrees(model, &mut m.momentum);
        sum_subtrees(model, &mut m.force);
    }
}

/// Adds a force to a column.
#[inline(always)]
pub(super) fn add<T: Real>(to: &mut DMatrix<T>, column: usize, f: Force<T>) {
    add_rows(to, 0, column, f.linear);
    add_rows(to, 3, column, f.angular);
}

at_level! {
    /// What bodies at roots sum up to, [sums](sum_up) over their subtrees.
    fn of_trees<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &Placed<T>, m: &CentroidalMemory<T>) -> Whole<T> {
        let mut sum = Tree { first: v3::zero(), inertia: Inertia::zero(), momentum: Force::zero(), force: Force::zero() };
        for (i, body) in model.bodies.iter().enumerate() {
            if body.parent.is_none() {
                let (inertia, momentum, force) = (m.inertia[i], m.momentum[i], m.force[i]);
                sum.add(Tree { first: placed.first_from(i), inertia, momentum, force });
            }
        }
        Whole::from_sum(placed.origin(0), sum)
    }
}

/// The robot as a whole, from the sums over the trees at the root.
pub(super) fn whole<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    placed: &Placed<T>,
    m: &CentroidalMemory<T>,
) -> Result<Whole<T>, InputError> {
    let whole = of_trees(model, placed, m);
    share(model, whole.com.mass, None)?;
    Ok(whole)
}

impl<T: Real> Whole<T> {
    /// The center of mass in the coordinates of [`Placed`] for the tree of a body.
    #[inline(always)]
    pub(super) fn com_from(&self, placed: &Placed<T>, body: usize) -> Vector3<T> {
        v3::add(placed.first_from(body), self.from_first)
    }

    pub(super) fn check_finite<P: Real>(&self, model: &Model<P>) -> Result<(), InputError> {
        if self.is_finite() {
            return Ok(());
        }
        Err(model.overflow("centroidal momentum", 0))
    }
}
