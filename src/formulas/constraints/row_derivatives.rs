//! How the rows of a constraint, and the wrenches of its multipliers, vary when one of its sides moves: of points and frames in
//! closed form, of joints by dual numbers.

use super::relation::{Axes, Relation, three};
use super::side::Side;
use crate::formulas::frame_column::{FrameColumn, classical};
use crate::spatial::{Force, Motion, Transform, so3, vector as v3};
use gradyn_derivatives::{Dual, Scalar};
use nalgebra::{Matrix3, Vector3};

/// Where a body is and how it moves, in the axes of the world about the root of its tree, and where that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyState {
    pub(crate) pose: Transform<f64>,
    pub(crate) origin: Vector3<f64>,
    pub(crate) velocity: Motion<f64>,
    pub(crate) acceleration: Motion<f64>,
}

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

/// Derivatives along one column of the body of a side.
pub(crate) struct Varied {
    /// Of the rows by the configuration.
    pub(crate) rows_q: [f64; 6],
    /// Of the rows by the velocity.
    pub(crate) rows_v: [f64; 6],
    /// Of the wrenches on A and on B in coordinates of their bodies, by the configuration.
    pub(crate) wrenches_q: [[f64; 6]; 2],
}

/// The same of a point or a frame: linear parts, then angular ones, in axes of the world.
pub(crate) struct VariedAxes<E> {
    /// Of the rows by the configuration.
    pub(crate) rows_q: Motion<E>,
    /// Of the rows by the velocity.
    pub(crate) rows_v: Motion<E>,
    /// `(ω × f, ω × m)` of the force and the moment on B: that by which they fall behind when their side turns.
    pub(crate) turned: Force<E>,
}

impl AtState<'_> {
    /// When the side `s` moves along `by`.
    pub(crate) fn vary(&self, relation: &Relation<f64>, s: usize, by: &FrameColumn<f64>) -> Varied {
        if let Some(axes) = relation.axes() {
            let VariedAxes { rows_q, rows_v, turned } = self.vary_axes(axes, s, by);
            let mut wrenches_q = [[0.0; 6]; 2];
            let turned = if s == 0 { turned } else { -turned };
            wrenches_q[s] = in_body(self.placements[s], &self.sides[s].pose, turned).to_array();
            return Varied { rows_q: rows_q.to_array(), rows_v: rows_v.to_array(), wrenches_q };
        }
        let (still, side) = (Motion::zero(), &self.sides[s]);
        let mut moved = self.sides.each_ref().map(|side| dual(side, &still, &still, &still));
        moved[s] = dual(side, &by.subspace, &by.velocity_q, &self.classical_q(s, by));
        let rows_q = self.rows(relation, &moved);
        let lambda = self.lambda.map(Along::from);
        let forces = relation.wrenches(&moved[0].pose, &moved[1].pose, &lambda[..self.rows]);
        let wrenches_q = [0, 1].map(|t| {
            let force: Force<Along> = in_body(self.placements[t], &moved[t].pose, forces[t]);
            force.to_array().map(|x| x.eps)
        });
        let mut rows_v = [0.0; 6];
        if self.what == Rows::Accelerations {
            moved[s] = dual(side, &still, &by.subspace, &self.classical_v(s, by));
            rows_v = self.rows(relation, &moved);
        }
        Varied { rows_q, rows_v, wrenches_q }
    }

    /// When the side `s` of a point or a frame moves along `by`: one column, or as many as a number has lanes. Rows
    /// beyond those of a point are zero.
    ///
    /// With `e = log(R_b R_aᵀ)`: `ė = J_l⁻¹(e) ω_b − J_r⁻¹(e) ω_a`.
    #[inline(always)]
    pub(crate) fn vary_axes<E: Scalar>(&self, axes: Axes, s: usize, by: &FrameColumn<E>) -> VariedAxes<E> {
        let sign = E::from(if s == 0 { -1.0 } else { 1.0 });
        let (force, moment) = (three(&self.lambda), three(&self.lambda[3..]));
        let turn = by.subspace.angular;
        let against = |x: Vector3<f64>| v3::cross::<f64, E>(x, v3::neg(turn));
        let turned = Force::new(against(force), against(moment));
        if self.what == Rows::Rates {
            return VariedAxes { rows_q: by.velocity_q.times(sign), rows_v: Motion::zero(), turned };
        }
        let kd = E::from(self.kd);
        let mut rows_q = by.velocity_q.times_plus(kd, self.classical_q(s, by));
        if self.kp != 0.0 {
            let mut error = Motion::new(by.subspace.linear, v3::zero());
            if axes.is_turned() {
                let e = axes.rotation(&self.sides[0].pose, &self.sides[1].pose);
                let jacobian = if s == 0 { so3::jlog3(e) } else { so3::jlog3_left(e) };
                error.angular = v3::rotate(&jacobian, turn);
            }
            rows_q = error.times_plus(E::from(self.kp), rows_q);
        }
        let rows_v = by.subspace.times_plus(kd, self.classical_v(s, by));
        VariedAxes { rows_q: rows_q.times(sign), rows_v: rows_v.times(sign), turned }
    }

    /// Of the classical acceleration of a side by the configuration.
    #[inline(always)]
    fn classical_q<E: Scalar>(&self, s: usize, by: &FrameColumn<E>) -> Motion<E> {
        let v = self.sides[s].velocity.lift();
        Motion::new(classical(v, by.acceleration_q, by.velocity_q), by.acceleration_q.angular)
    }

    /// Of the classical acceleration of a side by the velocity.
    #[inline(always)]
    fn classical_v<E: Scalar>(&self, s: usize, by: &FrameColumn<E>) -> Motion<E> {
        let v = self.sides[s].velocity.lift();
        Motion::new(classical(v, by.acceleration_v, by.subspace), by.acceleration_v.angular)
    }

    /// What varies of the rows.
    fn rows(&self, relation: &Relation<f64>, [a, b]: &[Side<Along>; 2]) -> [f64; 6] {
        let [mut rate, mut rest, mut error] = [[Along::from(0.0); 6]; 3];
        relation.rate(a, b, &mut rate[..self.rows]);
        if self.what == Rows::Accelerations {
            relation.acceleration(a, b, &mut rest[..self.rows]);
            relation.error(&a.pose, &b.pose, &mut error[..self.rows]);
            for (rate, (rest, error)) in rate.iter_mut().zip(rest.iter().zip(&error)) {
                *rate = *rest + *rate * self.kd + *error * self.kp;
            }
        }
        rate.map(|x| x.eps)
    }
}

/// A number that varies along a column.
type Along = Dual<f64, f64>;

/// A side that moves by a motion of its origin, while velocity and acceleration vary.
fn dual(side: &Side<f64>, by: &Motion<f64>, velocity: &Motion<f64>, acceleration: &Motion<f64>) -> Side<Along> {
    let vector = |x: Vector3<f64>, dx: Vector3<f64>| x.zip_map(&dx, Along::new);
    let motion =
        |x: Motion<f64>, dx: &Motion<f64>| Motion::new(vector(x.linear, dx.linear), vector(x.angular, dx.angular));
    let turned: Matrix3<f64> = v3::product(&v3::skew(by.angular), &side.pose.rotation);
    let rotation = side.pose.rotation.zip_map(&turned, Along::new);
    Side {
        pose: Transform::new(rotation, vector(side.pose.translation, by.linear)),
        velocity: motion(side.velocity, velocity),
        acceleration: motion(side.acceleration, acceleration),
    }
}

/// A wrench in axes of the world about the origin of a side, in coordinates of the side's body.
pub(crate) fn in_body<T: Scalar>(placement: &Transform<f64>, pose: &Transform<T>, f: Force<T>) -> Force<T> {
    let back = |x: Vector3<T>| v3::rotate_back::<T, T>(&pose.rotation, x);
    placement.act(Force::new(back(f.linear), back(f.angular)))
}
