//! Errors of constraints, their Jacobian, and their accelerations without joint accelerations.

use super::constraint::{Constraint, attached, check as check_constraints, check_rows, rows_of};
use super::seats::{Seats, side};
use super::vectors::add_product;
use crate::default_fields::default_of_fields;
use crate::dynamics::by_plan::Kernels;
use crate::dynamics::jacobian::{add_rows, carries, check_sizes, clear, finite};
use crate::dynamics::rnea::check_finite;
use crate::dynamics::{Workspace, by_plan, placed};
use crate::formulas::constraints::{Relation, Row};
use crate::kernels::by_joint::constraints::rows::Anchor;
use crate::level::at_level;
use crate::model::{InputError, Model, path};
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};
use std::ops::Range;

/// All constraints at a state, rows in their order.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    /// `e`
    pub(super) error: Vec<T>,
    /// `J`, rows × nv.
    pub(crate) jacobian: DMatrix<T>,
    /// `J q̇`
    pub(super) rate: Vec<T>,
    /// `γ`
    pub(super) bias: Vec<T>,
    /// The block that each row belongs to: positions and rotations of a constraint are one each.
    pub(super) block: Vec<usize>,
    /// For each block: the sum of the squares of what its entries were summed from.
    pub(super) extent: Vec<T>,
}

default_of_fields!(Rows: error, jacobian, rate, bias, block, extent);

/// Errors `e(q)` of constraints, m and rad, as [`Constraint`] defines them; zero where they hold.
///
/// `q`: nq. Borrows from the workspace. Cost O(n); a second call for as many rows allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a number is not finite, or a constraint is not one
/// of this model ([`InputError::OtherModel`], [`InputError::Constraint`]).
pub fn constraint_error<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    constraints: &[Constraint<P>],
) -> Result<&'w [T], InputError> {
    Ok(&run(model, ws, q, None, constraints)?.error)
}

/// Jacobian of constraints, rows × nv: `J q̇` is the velocity of B at the constraint, less that of A.
///
/// `q`: nq. Columns of degrees of freedom that move neither side are exactly zero. Borrows from the workspace. Cost O(n), and
/// O(depth) a constraint; a second call for as many rows allocates nothing.
///
/// # Errors
/// As [`constraint_error`].
#[doc(alias("getConstraintsJacobian", "contact Jacobian"))]
pub fn constraint_jacobian<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    constraints: &[Constraint<P>],
) -> Result<&'w DMatrix<T>, InputError> {
    Ok(&run(model, ws, q, None, constraints)?.jacobian)
}

/// What accelerations of constraints are asked to make up for, `γ = J̇ q̇ + k_d J q̇ + k_p e`: they hold if `J q̈ = −γ`.
///
/// `q`: nq, `v`: nv. Without gains it is `J̇ q̇`, m/s² and rad/s². Borrows from the workspace. Cost O(n), and O(depth) a
/// constraint; a second call for as many rows allocates nothing.
///
/// # Errors
/// As [`constraint_error`].
pub fn constraint_bias<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    constraints: &[Constraint<P>],
) -> Result<&'w [T], InputError> {
    model.check_length("v", "nv", v.len(), model.nv)?;
    Ok(&run(model, ws, q, Some(v), constraints)?.bias)
}

fn run<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: Option<&[T]>,
    constraints: &[Constraint<P>],
) -> Result<&'w Rows<T>, InputError> {
    check_sizes(model, ws, q)?;
    check_constraints(model, constraints)?;
    let by_lanes = place(model, ws, q, v, constraints)?;
    // Moved out, so that the rows can see the workspace; allocates the first time only.
    let mut memory = ws.constraints.take().unwrap_or_default();
    let done = memory.rows.place(model, ws, constraints, by_lanes).and_then(|()| match v {
        Some(v) => memory.rows.drive(model, ws, v, constraints),
        None => Ok(()),
    });
    let memory = ws.constraints.insert(memory);
    done.map(|()| &memory.rows)
}

/// Writes the bodies that constraints act on, with their motion at a velocity, and columns of all joints into
/// `ws.placed`. Returns whether they are by lanes in `ws.by_joint`; then `ws.placed` has them only if some constraint
/// is not [`anchored`](Constraint::anchored).
#[inline(never)]
fn place<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: Option<&[T]>,
    constraints: &[Constraint<P>],
) -> Result<bool, InputError> {
    let quick = |kernels: Kernels<'_>| {
        let v = v.map_or(Some(None), |v| T::as_f64s(v).map(Some))?;
        kernels.place_bodies(T::as_f64s(q)?, v, attached(constraints))
    };
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(true);
    }
    check_finite(model, q, v.unwrap_or(&[]), &[])?;
    placed::place(model, ws, q);
    if let Some(v) = v {
        placed::drift(model, ws, v);
    }
    Ok(false)
}

impl<T: Real> Rows<T> {
    /// Errors and Jacobian; after [`placed::place`], or `by_lanes` after one of the methods of [`Kernels`] that fill in places.
    #[inline(never)]
    pub(super) fn place<P: Real>(
        &mut self,
        model: &Model<P>,
        ws: &Workspace<T>,
        constraints: &[Constraint<P>],
        by_lanes: bool,
    ) -> Result<(), InputError>
    where
        T: Scalar<P>,
    {
        let rows = rows_of(constraints);
        self.error.clear();
        self.error.resize(rows, T::zero());
        self.block.clear();
        clear(&mut self.jacobian, rows, model.nv);
        self.extent.clear();
        self.extent.resize(2 * constraints.len(), T::zero());
        let mut row = 0;
        for (index, c) in constraints.iter().enumerate() {
            let own = row..row + c.rows();
            let seats = Seats::new(ws, c);
            c.relation.error(&seats.poses[0], &seats.poses[1], &mut self.error[own.clone()]);
            self.block.extend((0..own.len()).map(|r| 2 * index + usize::from(c.relation.turns(r))));
            match &c.relation {
                Relation::Point | Relation::Frame => {
                    if !by_lanes || self.anchor(model, ws, c, own.clone(), &seats).is_none() {
                        by_axes(model, ws, self, c, own.clone(), &seats);
                    }
                }
                Relation::Joint { rows, .. } => {
                    for (row, scalar) in own.clone().zip(rows) {
                        by_wrenches(model, ws, self, c, row, scalar, &seats);
                    }
                }
            }
            row = own.end;
        }
        finite(model, "constraint_jacobian", &self.jacobian)?;
        check_rows(model, constraints, "constraint_error", &self.error)
    }

    /// Rows of a point or a frame that is held to the world, with columns by lanes.
    fn anchor<P: Real>(
        &mut self,
        model: &Model<P>,
        ws: &Workspace<T>,
        c: &Constraint<P>,
        rows: Range<usize>,
        seats: &Seats<T>,
    ) -> Option<()> {
        let (side, b) = c.anchored()?;
        let point = *by_plan::same::<Vector3<T>, Vector3<f64>>(&seats.points[side])?;
        let anchor = Anchor { b, point, sign: if side == 1 { 1.0 } else { -1.0 }, rows: rows.len() };
        let (height, block) = (self.jacobian.nrows(), self.block[rows.start]);
        let jacobian: &mut DMatrix<f64> = by_plan::same_mut(&mut self.jacobian)?;
        // Without degrees of freedom there is nothing there.
        let to = jacobian.as_mut_slice().get_mut(rows.start..).unwrap_or_default();
        let extents = by_plan::add_anchor(model, ws, anchor, to, height)?;
        for (to, extent) in self.extent[block..].iter_mut().zip(extents).take(rows.len() / 3) {
            *to = T::from(extent);
        }
        Some(())
    }

    /// A column that moves one side, at `p`.
    #[inline(always)]
    fn add(&mut self, rows: Range<usize>, dof: usize, s: Motion<T>, p: Vector3<T>, sign: T) {
        let (row, block) = (rows.start, self.block[rows.start]);
        add_rows(&mut self.jacobian, row, dof, v3::scale::<T, T>(sign, s.velocity_at::<T>(p)));
        let turn = v3::norm_squared(s.angular);
        self.extent[block] += v3::norm_squared(s.linear) + turn * v3::norm_squared(p);
        if rows.len() == 6 {
            add_rows(&mut self.jacobian, row + 3, dof, v3::scale::<T, T>(sign, s.angular));
            self.extent[block + 1] += turn;
        }
    }

    /// A column that moves both sides: it turns what the one is off from the other.
    #[inline(always)]
    fn carry(&mut self, row: usize, dof: usize, s: Motion<T>, p: Vector3<T>, offset: Vector3<T>) {
        add_rows(&mut self.jacobian, row, dof, v3::cross::<T, T>(s.angular, offset));
        let block = self.block[row];
        self.extent[block] += v3::norm_squared(s.angular) * (v3::norm_squared(p) + v3::norm_squared(offset));
    }

    /// Velocities and `γ`; after [`place`](Self::place), with the bodies' motions in `ws.placed`.
    pub(super) fn drive<P: Real>(
        &mut self,
        model: &Model<P>,
        ws: &Workspace<T>,
        v: &[T],
        constraints: &[Constraint<P>],
    ) -> Result<(), InputError>
    where
        T: Scalar<P>,
    {
        self.rates(v);
        self.bias.clear();
        self.bias.resize(self.error.len(), T::zero());
        let mut row = 0;
        for c in constraints {
            let own = row..row + c.rows();
            let seats = Seats::new(ws, c);
            let (a, b) = (side(ws, c.a.body, &seats, 0), side(ws, c.b.body, &seats, 1));
            c.relation.acceleration(&a, &b, &mut self.bias[own.clone()]);
            stabilize(c, &self.rate[own.clone()], &self.error[own.clone()], &mut self.bias[own.clone()]);
            row = own.end;
        }
        check_rows(model, constraints, "constraint_bias", &self.bias)
    }

    /// `J q̇`; after [`place`](Self::place).
    pub(super) fn rates(&mut self, v: &[T]) {
        self.rate.clear();
        self.rate.resize(self.jacobian.nrows(), T::zero());
        add_product(&self.jacobian, v, &mut self.rate);
    }
}

at_level! {
    /// Rows of a point or a frame.
    fn by_axes<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &Workspace<T>,
        to: &mut Rows<T>,
        c: &Constraint<P>,
        rows: Range<usize>,
        seats: &Seats<T>,
    ) {
        let ([p_a, p_b], offset) = (seats.points, seats.offset());
        let (one, minus) = (T::one(), -T::one());
        for (i, body) in path(&model.bodies, c.b.body) {
            let both = c.a.body.is_some_and(|a| carries(&model.bodies, i, a));
            for (k, dof) in body.v.clone().enumerate() {
                let s = ws.placed.columns[ws.first[i] + k];
                if both {
                    to.carry(rows.start, dof, s, p_a, offset);
                } else {
                    to.add(rows.clone(), dof, s, p_b, one);
                }
            }
        }
        for (i, body) in path(&model.bodies, c.a.body) {
            if c.b.body.is_some_and(|b| carries(&model.bodies, i, b)) {
                break;
            }
            for (k, dof) in body.v.clone().enumerate() {
                to.add(rows.clone(), dof, ws.placed.columns[ws.first[i] + k], p_a, minus);
            }
        }
    }

    /// The row of a scalar of the pose of B relative to A: what moves both changes nothing.
    fn by_wrenches<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &Workspace<T>,
        to: &mut Rows<T>,
        c: &Constraint<P>,
        row: usize,
        scalar: &Row<P>,
        seats: &Seats<T>,
    ) {
        let ([x_a, x_b], [p_a, p_b]) = (&seats.poses, seats.points);
        let [f_a, f_b]: [Force<T>; 2] = scalar.wrenches(x_a, x_b);
        for (own, other, f, p) in [(c.a.body, c.b.body, f_a, p_a), (c.b.body, c.a.body, f_b, p_b)] {
            let block = to.block[row];
            let arm = v3::norm_squared(f.angular);
            for (i, body) in path(&model.bodies, own) {
                if other.is_some_and(|other| carries(&model.bodies, i, other)) {
                    break;
                }
                for (k, dof) in body.v.clone().enumerate() {
                    let s = ws.placed.columns[ws.first[i] + k];
                    to.jacobian[(row, dof)] += f.power(s.shifted::<T>(p));
                    let turn = v3::norm_squared(s.angular);
                    let moved = v3::norm_squared(s.linear) + turn * v3::norm_squared(p);
                    to.extent[block] += moved * v3::norm_squared(f.linear) + turn * arm;
                }
            }
        }
    }

    /// `γ += k_d ė + k_p e`
    fn stabilize<P: Real, T: Scalar<P>>(c: &Constraint<P>, rate: &[T], error: &[T], bias: &mut [T]) {
        for (bias, (rate, error)) in bias.iter_mut().zip(rate.iter().zip(error)) {
            *bias += *rate * c.kd + *error * c.kp;
        }
    }
}
