//! Errors of constraints, their Jacobian, and their accelerations without joint accelerations.

use super::constraint::{check as check_constraints, rows_of};
use super::{Constraint, row_times};
use crate::dynamics::jacobian::{add_rows, carries, check, clear, empty, finite, path};
use crate::dynamics::{Workspace, world};
use crate::model::{InputError, Model};
use crate::spatial::{Motion, Transform, so3, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// All constraints at a state, rows in their order.
#[derive(Clone, Debug)]
pub(super) struct Rows<T> {
    /// `e`
    pub(super) error: Vec<T>,
    /// `J`, rows × nv.
    pub(super) jacobian: DMatrix<T>,
    /// `J q̇`
    pub(super) rate: Vec<T>,
    /// `γ`
    pub(super) bias: Vec<T>,
    /// For each three rows: the sum of the squares of what their entries were summed from.
    pub(super) extent: Vec<T>,
    /// Joint accelerations of zero, nv.
    still: Vec<T>,
}

impl<T: Real> Default for Rows<T> {
    fn default() -> Self {
        let none = Vec::new;
        Self { error: none(), jacobian: empty(), rate: none(), bias: none(), extent: none(), still: none() }
    }
}

/// Errors `e(q)` of constraints, m and rad, as [`Constraint`] defines them; zero where they hold.
///
/// `q`: nq. Borrows from the workspace. Cost O(n); a second call for as many rows allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a number is not finite, or a constraint is not one
/// of this model ([`InputError::UnknownBody`], [`InputError::Constraint`]).
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
    check(model, ws, q, v.unwrap_or(&[]))?;
    check_constraints(model, constraints)?;
    // Moved out, so that the sweeps can have the workspace; allocates the first time only.
    let mut memory = ws.constraints.take().unwrap_or_default();
    let done = memory.rows.place(model, ws, q, constraints).and_then(|()| match v {
        Some(v) => memory.rows.drive(model, ws, q, v, constraints),
        None => Ok(()),
    });
    let memory = ws.constraints.insert(memory);
    done.map(|()| &memory.rows)
}

impl<T: Real> Rows<T> {
    /// Errors and Jacobian.
    pub(super) fn place<P: Real>(
        &mut self,
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        constraints: &[Constraint<P>],
    ) -> Result<(), InputError>
    where
        T: Scalar<P>,
    {
        let rows = rows_of(constraints);
        self.error.clear();
        clear(&mut self.jacobian, rows, model.nv);
        self.extent.clear();
        self.extent.resize(rows / 3, T::zero());
        world::place(model, ws, q);
        for c in constraints {
            let row = self.error.len();
            let (x_wa, x_wb): (Transform<T>, Transform<T>) = (c.a.pose(ws), c.b.pose(ws));
            let (p_a, p_b) = (x_wa.translation, x_wb.translation);
            let offset = v3::sub(p_b, p_a);
            self.error.extend(offset.iter());
            if c.rotations {
                let r = v3::product_tr::<T, T>(&x_wa.rotation, &x_wb.rotation);
                // log(R_b R_aᵀ) = R_a log(R_aᵀ R_b)
                self.error.extend(v3::rotate::<T, T>(&x_wa.rotation, so3::log3(&r)).iter());
            }
            let (one, minus) = (T::one(), -T::one());
            for (i, body) in path(&model.bodies, c.b.body) {
                let both = c.a.body.is_some_and(|a| carries(&model.bodies, i, a));
                for (k, dof) in body.v.clone().enumerate() {
                    let s = ws.world.columns[ws.first[i] + k];
                    if both {
                        self.carry(row, dof, s, p_a, offset);
                    } else {
                        self.add(c, row, dof, s, p_b, one);
                    }
                }
            }
            for (i, body) in path(&model.bodies, c.a.body) {
                if c.b.body.is_some_and(|b| carries(&model.bodies, i, b)) {
                    break;
                }
                for (k, dof) in body.v.clone().enumerate() {
                    self.add(c, row, dof, ws.world.columns[ws.first[i] + k], p_a, minus);
                }
            }
        }
        finite(model, "constraint_jacobian", &self.jacobian)
    }

    /// A column that moves one side, at `p`.
    fn add<P: Real>(&mut self, c: &Constraint<P>, row: usize, dof: usize, s: Motion<T>, p: Vector3<T>, sign: T) {
        add_rows(&mut self.jacobian, row, dof, v3::scale::<T, T>(sign, s.velocity_at::<T>(p)));
        let turn = v3::norm_squared(s.angular);
        self.extent[row / 3] += v3::norm_squared(s.linear) + turn * v3::norm_squared(p);
        if c.rotations {
            add_rows(&mut self.jacobian, row + 3, dof, v3::scale::<T, T>(sign, s.angular));
            self.extent[row / 3 + 1] += turn;
        }
    }

    /// A column that moves both sides: it turns what the one is off from the other.
    fn carry(&mut self, row: usize, dof: usize, s: Motion<T>, p: Vector3<T>, offset: Vector3<T>) {
        add_rows(&mut self.jacobian, row, dof, v3::cross::<T, T>(s.angular, offset));
        self.extent[row / 3] += v3::norm_squared(s.angular) * (v3::norm_squared(p) + v3::norm_squared(offset));
    }

    /// Velocities and `γ`; after [`place`](Self::place).
    pub(super) fn drive<P: Real>(
        &mut self,
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        constraints: &[Constraint<P>],
    ) -> Result<(), InputError>
    where
        T: Scalar<P>,
    {
        self.still.resize(model.nv, T::zero());
        world::drive(model, ws, q, v);
        world::accelerate(model, ws, Motion::zero(), v, &self.still);
        self.rates(v);
        self.bias.clear();
        for c in constraints {
            let row = self.bias.len();
            let (a, b) = (c.a.body, c.b.body);
            let at = |body: Option<usize>, p: Vector3<T>| {
                body.map_or((v3::zero(), v3::zero()), |i| {
                    let (velocity, acceleration) = (ws.world.velocity[i], ws.world.acceleration[i]);
                    (acceleration.acceleration_at::<T>(p, velocity), acceleration.angular)
                })
            };
            let (linear_a, angular_a) = at(a, c.a.pose(ws).translation);
            let (linear_b, angular_b) = at(b, c.b.pose(ws).translation);
            self.bias.extend(v3::sub(linear_b, linear_a).iter());
            if c.rotations {
                self.bias.extend(v3::sub(angular_b, angular_a).iter());
            }
            for r in row..self.bias.len() {
                self.bias[r] += self.rate[r] * c.kd + self.error[r] * c.kp;
            }
        }
        match self.bias.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(InputError::Overflow { what: "constraint_bias", index, joint: model.dof_label(0) }),
            None => Ok(()),
        }
    }

    /// `J q̇`; after [`place`](Self::place).
    pub(super) fn rates(&mut self, v: &[T]) {
        self.rate.clear();
        for r in 0..self.jacobian.nrows() {
            self.rate.push(row_times(&self.jacobian, r, v));
        }
    }
}
