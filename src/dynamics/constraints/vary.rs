//! How the rows of a constraint, and the wrenches of its multipliers, vary when one of its sides moves, by dual numbers.

use super::relation::{Equations, Side};
use crate::dynamics::frame_derivatives::{Column, classical};
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::{Dual, Real, Scalar, Tangent};
use nalgebra::{Matrix3, Vector3};

/// What of the constraints is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// `J q̈ + γ`
    Accelerations,
    /// `J v`
    Rates,
}

/// A constraint at a state, with its multipliers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtState<'a> {
    pub(crate) what: Rows,
    pub(crate) kp: f64,
    pub(crate) kd: f64,
    /// A, then B.
    pub(crate) sides: [Side<f64>; 2],
    /// Where these are in their bodies.
    pub(crate) placements: [&'a Transform<f64>; 2],
    /// Zero beyond the last row.
    pub(crate) lambda: [f64; 6],
    /// How many rows there are.
    pub(crate) rows: usize,
}

/// Derivatives along one column of the body of a side: one, or as many as a number has lanes.
pub(crate) struct Varied<E> {
    /// Of the rows by the configuration.
    pub(crate) rows_q: [E; 6],
    /// Of the rows by the velocity.
    pub(crate) rows_v: [E; 6],
    /// Of the wrenches on A and on B in coordinates of their bodies, by the configuration.
    pub(crate) wrenches_q: [[E; 6]; 2],
}

impl AtState<'_> {
    /// When the side `s` moves along `by`.
    #[inline(always)]
    pub(crate) fn vary<V, E>(&self, by_what: &impl Equations<f64>, s: usize, by: &Column<E>) -> Varied<E>
    where
        V: From<f64>,
        E: Scalar + Tangent<V>,
        Dual<V, E>: Scalar,
    {
        let zero = || [<E as Real>::zero(); 6];
        let mut varied = Varied { rows_q: zero(), rows_v: zero(), wrenches_q: [zero(), zero()] };
        let still = Motion::zero();
        let side: Side<f64> = self.sides[s];
        let v: Motion<E> = side.velocity.lift();
        let [a, b] = &self.sides;
        let mut moved = [dual(a, &still, &still, &still), dual(b, &still, &still, &still)];
        let by_q = Motion::new(classical(v, by.acceleration_q, by.velocity_q), by.acceleration_q.angular);
        moved[s] = dual(&side, &by.subspace, &by.velocity_q, &by_q);
        varied.rows_q = self.rows(by_what, &moved);
        let mut lambda = [Dual::<V, E>::from(0.0); 6];
        for (to, x) in lambda.iter_mut().zip(&self.lambda) {
            *to = Dual::from(*x);
        }
        let forces = by_what.wrenches(&moved[0].pose, &moved[1].pose, &lambda[..self.rows]);
        for t in 0..2 {
            varied.wrenches_q[t] = variations(in_body(self.placements[t], &moved[t].pose, forces[t]).to_array());
        }
        if self.what == Rows::Accelerations {
            let by_v = Motion::new(classical(v, by.acceleration_v, by.subspace), by.acceleration_v.angular);
            moved[s] = dual(&side, &still, &by.subspace, &by_v);
            varied.rows_v = self.rows(by_what, &moved);
        }
        varied
    }

    /// What varies of the rows.
    #[inline(always)]
    fn rows<V, E>(&self, by_what: &impl Equations<f64>, [a, b]: &[Side<Dual<V, E>>; 2]) -> [E; 6]
    where
        E: Tangent<V>,
        Dual<V, E>: Scalar,
    {
        let zero = Dual::<V, E>::from(0.0);
        let (mut rate, mut rest, mut error) = ([zero; 6], [zero; 6], [zero; 6]);
        by_what.rate(a, b, &mut rate[..self.rows]);
        if self.what == Rows::Rates {
            return variations(rate);
        }
        by_what.acceleration(a, b, &mut rest[..self.rows]);
        if self.kp != 0.0 {
            by_what.error(&a.pose, &b.pose, &mut error[..self.rows]);
        }
        for (rest, (rate, error)) in rest.iter_mut().zip(rate.iter().zip(&error)) {
            *rest += *rate * self.kd + *error * self.kp;
        }
        variations(rest)
    }
}

/// A side that moves by a motion of its origin, while velocity and acceleration vary.
#[inline(always)]
fn dual<V, E>(side: &Side<f64>, by: &Motion<E>, velocity: &Motion<E>, acceleration: &Motion<E>) -> Side<Dual<V, E>>
where
    V: From<f64>,
    E: Scalar,
    Dual<V, E>: Scalar,
{
    let rotation: Matrix3<E> = v3::lift_matrix(&side.pose.rotation);
    let turned: Matrix3<E> = v3::product(&v3::skew(by.angular), &rotation);
    let column = |k: usize| vector(v3::column(&side.pose.rotation, k), v3::column(&turned, k));
    let rotation = v3::from_columns(column(0), column(1), column(2));
    Side {
        pose: Transform::new(rotation, vector(side.pose.translation, by.linear)),
        velocity: motion(side.velocity, velocity),
        acceleration: motion(side.acceleration, acceleration),
    }
}

#[inline(always)]
fn motion<V: From<f64>, E: Copy>(x: Motion<f64>, dx: &Motion<E>) -> Motion<Dual<V, E>>
where
    Dual<V, E>: Scalar,
{
    Motion::new(vector(x.linear, dx.linear), vector(x.angular, dx.angular))
}

#[inline(always)]
fn vector<V: From<f64>, E: Copy>(x: Vector3<f64>, dx: Vector3<E>) -> Vector3<Dual<V, E>> {
    let [[a, b, c]] = dx.data.0;
    Vector3::new(Dual::new(V::from(x.x), a), Dual::new(V::from(x.y), b), Dual::new(V::from(x.z), c))
}

/// What varies of six numbers.
#[inline(always)]
fn variations<V, E>([a, b, c, d, e, f]: [Dual<V, E>; 6]) -> [E; 6] {
    [a.eps, b.eps, c.eps, d.eps, e.eps, f.eps]
}

/// A wrench in axes of the world about the origin of a side, in coordinates of the side's body.
#[inline(always)]
pub(crate) fn in_body<T: Scalar>(placement: &Transform<f64>, pose: &Transform<T>, f: Force<T>) -> Force<T> {
    let back = |x: Vector3<T>| v3::rotate_back::<T, T>(&pose.rotation, x);
    placement.act(Force::new(back(f.linear), back(f.angular)))
}
