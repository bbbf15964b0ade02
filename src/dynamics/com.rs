//! Centers of mass of the robot and of each subtree.
//!
//! With `m_C` the mass of the subtree of a link and `h_C` its first moment, a column `S_k = (s, θ)` of the link moves
//! the center of mass of a subtree of mass `m` by
//!
//! ```text
//! J_k = (m_C s + θ × h_C) / m                                                                     (1)
//! ```
//!
//! where `C` is the part of the subtree that the link moves: all of it, if the link carries the subtree's body.

use super::frame_derivatives::check_state;
use super::jacobian::{add_rows, carries, check_sizes, clear, finite};
use super::placed::{Placed, update};
use super::reference::check_body;
use super::{Workspace, check_finite};
use crate::dynamics::by_plan::{self, Kernels};
pub use crate::formulas::mass_moments::PointMass;
use crate::formulas::mass_moments::{MovingMass, moved};
use crate::level::at_level;
use crate::model::{BodyId, InputError, Model, Number};
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// The centers of mass of a robot and of its subtrees; borrows from the workspace.
#[derive(Clone, Copy, Debug)]
pub struct CentersOfMass<'w, T> {
    /// That of the robot.
    pub whole: PointMass<T>,
    memory: &'w ComMemory<T>,
    /// Of the model.
    model: Number,
}

/// Sums over the subtree of each body, and results.
#[derive(Clone, Debug)]
pub(crate) struct ComMemory<T> {
    /// The body at the root of each one's tree.
    root: Vec<usize>,
    /// The origin of each body's tree, where the body is at its root.
    origin: Vec<Vector3<T>>,
    sums: Vec<MovingMass<T>>,
    /// 3 × nv.
    pub(super) jacobian: DMatrix<T>,
    /// No motion of the joints, nv.
    zeros: Vec<T>,
}

impl<T: Real> ComMemory<T> {
    fn new<P>(model: &Model<P>) -> Self {
        let bodies = model.bodies.len();
        let mut root = Vec::<usize>::with_capacity(bodies);
        for (i, body) in model.bodies.iter().enumerate() {
            root.push(body.parent.map_or(i, |p| root[p]));
        }
        let none = MovingMass { force: v3::zero(), momentum: v3::zero(), mass: T::zero(), moment: v3::zero() };
        Self {
            root,
            origin: vec![v3::zero(); bodies],
            sums: vec![none; bodies],
            jacobian: DMatrix::default(),
            zeros: vec![T::zero(); model.nv],
        }
    }
}

/// Centers of mass of the robot and of each subtree, their velocities and accelerations.
///
/// `q`: nq, `v`, `a`: nv. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the robot has no mass, or a number is not
/// finite.
#[inline(never)]
#[doc(alias("centerOfMass", "CalcCenterOfMassPositionInWorld"))]
pub fn center_of_mass<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<CentersOfMass<'w, T>, InputError> {
    check_state(model, ws, q, v, a)?;
    let mut memory = take(model, ws);
    let to = &mut *memory;
    let quick = |kernels: Kernels<'_>| {
        let origins: &mut Vec<_> = by_plan::same_mut(&mut to.origin)?;
        let sums: &mut Vec<_> = by_plan::same_mut(&mut to.sums)?;
        kernels.masses(by_plan::state((q, v, a))?, origins, sums)
    };
    if by_plan::of(model, ws).and_then(quick).is_none() {
        sum_up(model, &*update(model, ws, Motion::zero(), (q, v, a)), &mut memory);
    }
    let memory = &**ws.com.insert(memory);
    let whole = whole(model, memory)?;
    if !whole.is_finite() {
        return Err(model.overflow("center of mass", 0));
    }
    Ok(CentersOfMass { whole, memory, model: model.identity.number })
}

impl<T: Real> CentersOfMass<'_, T> {
    /// That of the subtree of a body; `None` if it is another model's body, or without mass.
    #[must_use]
    pub fn subtree(&self, body: BodyId) -> Option<PointMass<T>> {
        let body = body.is_of(self.model).then_some(body)?;
        let (sums, root) = (self.memory.sums.get(body.index())?, self.memory.root[body.index()]);
        point_mass(sums, &self.memory.origin[root])
    }
}

at_level! {
    /// The center of masses that move, whose tree has this origin.
    fn point_mass<T: Real>(sums: &MovingMass<T>, origin: &Vector3<T>) -> Option<PointMass<T>> {
        let share = sums.mass.recip();
        if !share.is_finite() {
            return None;
        }
        Some(PointMass {
            mass: sums.mass,
            position: v3::scale_plus(share, sums.moment, *origin),
            velocity: v3::scale(share, sums.momentum),
            acceleration: v3::scale(share, sums.force),
        })
    }
}

/// Jacobian of the center of mass, of the robot or of a subtree: `J(q) q̇` is its velocity in the world, m/s, 3 × nv.
///
/// `q`: nq; `subtree`: its root, `None` for the robot. Columns of degrees of freedom that do not
/// move it are exactly zero. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// As [`center_of_mass`], and [`InputError::OtherModel`].
#[doc(alias("jacobianCenterOfMass", "jacobianSubtreeCenterOfMass"))]
pub fn com_jacobian<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    subtree: Option<BodyId>,
) -> Result<&'w DMatrix<T>, InputError> {
    subtree.map_or(Ok(()), |body| check_body(model, body))?;
    check_sizes(model, ws, q)?;
    let mut memory = take(model, ws);
    let to = &mut memory.jacobian;
    let quick =
        |kernels: Kernels<'_>| kernels.com_jacobian(T::as_f64s(q)?, subtree.map(BodyId::index), by_plan::same_mut(to)?);
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.com.insert(memory).jacobian);
    }
    let zeros = std::mem::take(&mut memory.zeros);
    let filled =
        check_finite(model, q, &[], &[]).and_then(|()| fill_jacobian(model, ws, &mut memory, (q, &zeros), subtree));
    memory.zeros = zeros;
    let memory = &**ws.com.insert(memory);
    filled?;
    finite(model, "com_jacobian", &memory.jacobian)?;
    Ok(&memory.jacobian)
}

/// Fills in the Jacobian; the arguments have been checked.
fn fill_jacobian<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    m: &mut ComMemory<T>,
    (q, zeros): (&[T], &[T]),
    subtree: Option<BodyId>,
) -> Result<(), InputError> {
    let placed = &*update(model, ws, Motion::zero(), (q, zeros, zeros));
    sum_up(model, placed, m);
    clear(&mut m.jacobian, 3, model.nv);
    let mass = subtree.map_or_else(|| total(model, &m.sums), |body| m.sums[body.index()].mass);
    let share = share(model, mass, subtree)?;
    columns(model, placed, m, share, subtree);
    Ok(())
}

at_level! {
    /// The columns of the Jacobian; `share` is one over the mass.
    fn columns<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        placed: &Placed<T>,
        m: &mut ComMemory<T>,
        share: T,
        subtree: Option<BodyId>,
    ) {
        for i in 0..model.bodies.len() {
            let Some(c) = moved_part(model, i, subtree) else { continue };
            for k in placed.columns_of(i) {
                let s = placed.columns[k];
                let u = moved(s, m.sums[c].mass, m.sums[c].moment);
                add_rows(&mut m.jacobian, 0, placed.dof[k], v3::scale(share, u)); //      (1)
            }
        }
    }
}

/// What the joint of body `i` moves of a subtree, as the root of what it moves; `None` if it moves nothing.
#[inline(always)]
pub(super) fn moved_part<P: Real>(model: &Model<P>, i: usize, subtree: Option<BodyId>) -> Option<usize> {
    match subtree {
        None => Some(i),
        Some(s) if carries(&model.bodies, s.index(), i) => Some(i),
        Some(s) if carries(&model.bodies, i, s.index()) => Some(s.index()),
        Some(_) => None,
    }
}

/// `1 / mass`
///
/// # Errors
/// [`InputError::Massless`]
pub(super) fn share<P: Real, T: Real>(model: &Model<P>, mass: T, subtree: Option<BodyId>) -> Result<T, InputError> {
    let share = mass.recip();
    if share.is_finite() {
        return Ok(share);
    }
    let body = subtree.map_or_else(|| model.name.clone(), |body| model.bodies[body.index()].name.clone());
    Err(InputError::Massless { body })
}

/// The memory, taken out, to be put back.
fn take<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) -> Box<ComMemory<T>> {
    ws.com.take().unwrap_or_else(|| Box::new(ComMemory::new(model)))
}

at_level! {
    /// The share of each body, from the links, and sums of them over each subtree.
    fn sum_up<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &Placed<T>, m: &mut ComMemory<T>) {
        for (i, body) in model.bodies.iter().enumerate() {
            let (c, velocity) = (placed.pose[i].point(v3::lift::<P, T>(body.inertia.com)), placed.velocity[i]);
            let acceleration = placed.acceleration[i].acceleration_at::<T>(c, velocity);
            let mass = body.inertia.mass;
            m.origin[i] = placed.origin(i);
            m.sums[i] = MovingMass {
                force: v3::scale(mass, acceleration),
                momentum: v3::scale(mass, velocity.velocity_at::<T>(c)),
                mass: T::from(mass),
                moment: v3::scale(mass, c),
            };
        }
        for (i, body) in model.bodies.iter().enumerate().rev() {
            if let Some(p) = body.parent {
                let (from, to) = (m.sums[i], &mut m.sums[p]);
                to.mass += from.mass;
                to.moment = v3::add(to.moment, from.moment);
                to.momentum = v3::add(to.momentum, from.momentum);
                to.force = v3::add(to.force, from.force);
            }
        }
    }
}

/// The sum over the trees at the root.
#[inline(always)]
fn total<P: Real, T: Real>(model: &Model<P>, of_subtrees: &[MovingMass<T>]) -> T {
    let mut sum = T::zero();
    for (body, x) in model.bodies.iter().zip(of_subtrees) {
        if body.parent.is_none() {
            sum += x.mass;
        }
    }
    sum
}

at_level! {
    /// The center of mass of the robot.
    fn whole<P: Real, T: Scalar<P>>(model: &Model<P>, m: &ComMemory<T>) -> Result<PointMass<T>, InputError> {
        let mass = total(model, &m.sums);
        let share = share(model, mass, None)?;
        let first = match m.origin.first() {
            Some(first) => *first,
            None => v3::zero(),
        };
        let (mut position, mut momentum, mut force) = (v3::zero::<T>(), v3::zero::<T>(), v3::zero::<T>());
        // Each tree's share at its place, about the origin of the first one: far from the world's, no digits are lost.
        for (i, body) in model.bodies.iter().enumerate() {
            if body.parent.is_some() {
                continue;
            }
            let (apart, sums) = (v3::sub(m.origin[i], first), &m.sums[i]);
            position = v3::add(position, v3::scale_plus(sums.mass, apart, sums.moment));
            momentum = v3::add(momentum, sums.momentum);
            force = v3::add(force, sums.force);
        }
        Ok(PointMass {
            mass,
            position: v3::scale_plus(share, position, first),
            velocity: v3::scale(share, momentum),
            acceleration: v3::scale(share, force),
        })
    }
}
