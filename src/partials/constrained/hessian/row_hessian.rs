//! Weighted rows of a constraint as a function of the frames of its two sides: its value, its first derivatives, which are forces, and
//! its second ones along what pairs of columns change of the frames.
//!
//! Rows in axes of the world are linear in all that moves, but for the error of a rotation, which is one of both attitudes. Those of
//! joints are taken by dual numbers.

use super::columns::Column;
use super::results::{Curvature, Rate};
use super::side_frames::{ACCELERATION, Change, Forces, Frame, MOTIONS, RATES, VELOCITY};
use crate::dynamics::Constraint;
use crate::dynamics::constraints::{BodyState, Part, Side};
use crate::dynamics::placed::Placed;
use crate::partials::constrained::row_derivatives::sides;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::Scalar;
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, Vector3};

/// A constraint, its weights, and what they weigh.
pub(super) struct WeightedConstraint<'a> {
    pub(super) c: &'a Constraint,
    pub(super) weights: [[f64; 6]; 1 + RATES],
    pub(super) accelerations: bool,
    pub(super) rates: usize,
}

/// What a column changes of both sides: by q, by v, and by `a` and each `x`.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    at: usize,
    by_q: [Change; 2],
    by_v: [Change; 2],
    by_x: [[Change; 2]; 1 + RATES],
}

/// What of the weighted rows a change of a side reaches: all that is left out does not depend on it. Of velocities, both ways, it is that of
/// accelerations alone, since rates are linear in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Poses move.
    All,
    /// Velocities change, and accelerations.
    Velocity,
    /// Accelerations change.
    Acceleration,
    /// The velocity of a rate changes.
    Rate(usize),
}

impl Reach {
    /// Of one motion.
    fn of(n: usize) -> Self {
        match n {
            VELOCITY => Self::Velocity,
            ACCELERATION => Self::Acceleration,
            n => Self::Rate(n - 2),
        }
    }
}

impl WeightedConstraint<'_> {
    /// Whether an error of a rotation has a weight, of rows in axes of the world.
    fn turns(&self) -> bool {
        let turned = self.c.relation.axes().is_some_and(|axes| axes.is_turned());
        turned && self.accelerations && self.c.kp != 0.0
    }

    /// The sides that move.
    fn moves(&self) -> [bool; 2] {
        [self.c.a.body.is_some(), self.c.b.body.is_some()]
    }

    /// Both frames at the state.
    pub(super) fn frames(&self, links: &Placed<f64>, rates: &[Rate<'_>]) -> [Frame<f64>; 2] {
        let place = |velocity: Motion<f64>, b: usize| {
            let acceleration = links.acceleration[b];
            Some(BodyState { pose: links.pose[b], origin: links.origin(b), velocity, acceleration })
        };
        let at = sides(self.c, |b| place(links.velocity[b], b));
        let mut frames = at.map(|Side { pose, velocity, acceleration }| {
            let mut motions = [Motion::zero(); MOTIONS];
            (motions[VELOCITY], motions[ACCELERATION]) = (velocity, acceleration);
            Frame { pose, motions }
        });
        for (n, rate) in rates.iter().enumerate() {
            let at = sides(self.c, |b| place(rate.x.body[b], b));
            for (frame, side) in frames.iter_mut().zip(at) {
                frame.motions[2 + n] = side.velocity;
            }
        }
        frames
    }

    /// The weighted rows, of any frames; of those that derivatives shall be taken of, what a change reaches.
    pub(super) fn value<T: Scalar>(&self, [a, b]: &[Frame<T>; 2], reach: Reach) -> T {
        let Self { c, weights, .. } = self;
        let (mut parts, mut by) = ([Part::Error; 3 + RATES], [(&weights[0], 1.0); 3 + RATES]);
        let mut count = 0;
        let mut add = |part: Part, weights, factor: f64| {
            (parts[count], by[count]) = (part, (weights, factor));
            count += 1;
        };
        if self.accelerations {
            if !matches!(reach, Reach::Rate(_)) {
                add(Part::Acceleration, &weights[0], 1.0);
            }
            if matches!(reach, Reach::All | Reach::Velocity) {
                add(Part::Rate(VELOCITY), &weights[0], c.kd);
            }
            if reach == Reach::All && c.kp != 0.0 {
                add(Part::Error, &weights[0], c.kp);
            }
        }
        for (n, weights) in weights[1..].iter().enumerate().take(self.rates) {
            if reach == Reach::All || reach == Reach::Rate(n) {
                add(Part::Rate(2 + n), weights, 1.0);
            }
        }
        let mut x = [[T::zero(); 6]; 3 + RATES];
        c.relation.parts([&a.pose, &b.pose], [&a.motions, &b.motions], &parts[..count], &mut x[..count]);
        let (mut sum, rows) = (T::zero(), c.rows());
        for (x, (weights, by)) in x[..count].iter().zip(by) {
            for (x, weight) in x[..rows].iter().zip(weights) {
                sum += *x * (weight * by);
            }
        }
        sum
    }

    /// The weighted error of a rotation, of any frames, of rows in axes of the world.
    fn rotation<T: Scalar>(&self, [a, b]: &[Frame<T>; 2]) -> T {
        let mut x = [T::zero(); 6];
        self.c.relation.error(&a.pose, &b.pose, &mut x);
        let weighted = x[3..].iter().zip(&self.weights[0][3..]).map(|(x, weight)| *x * (weight * self.c.kp));
        weighted.fold(T::zero(), |sum, x| sum + x)
    }

    /// Derivatives of the rows of a rate, without weights, by q along a column of a side.
    pub(super) fn rate_by_place(&self, frames: &[Frame<f64>; 2], (s, column): (usize, &Column), n: usize) -> [f64; 6] {
        if self.c.relation.axes().is_some() {
            let sign = if s == 1 { 1.0 } else { -1.0 };
            let Motion { linear: l, angular: a } = column.moved[2 + n].scale(sign);
            return [l.x, l.y, l.z, a.x, a.y, a.z];
        }
        let mut by = [Change::NONE; 2];
        by[s] = column.by_place();
        let sides = [0, 1].map(|s| {
            let Frame { pose, motions } = frames[s].dual(&by[s]);
            Side { pose, velocity: motions[2 + n], acceleration: Motion::zero() }
        });
        let mut rows = [Dual64::from(0.0); 6];
        self.c.relation.rate(&sides[0], &sides[1], &mut rows[..self.c.rows()]);
        rows.map(|row| row.eps)
    }

    /// First derivatives of the weighted rows.
    pub(super) fn forces(&self, frames: &[Frame<f64>; 2]) -> [Forces; 2] {
        let none = Forces { pose: Force::zero(), motions: [Force::zero(); MOTIONS] };
        let (moves, of_axes) = (self.moves(), self.c.relation.axes().is_some());
        [0, 1].map(|s| match (moves[s], of_axes) {
            (false, _) => none,
            (true, true) => self.forces_of_axes(frames, s),
            (true, false) => self.forces_by_duals(frames, s),
        })
    }

    /// Rows are what side B has less what side A has.
    fn forces_of_axes(&self, frames: &[Frame<f64>; 2], s: usize) -> Forces {
        let sign = if s == 1 { 1.0 } else { -1.0 };
        let [on_a, on_x @ ..] =
            self.weights.map(|[a, b, c, d, e, f]| Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f)).scale(sign));
        let mut motions = [Force::zero(); MOTIONS];
        motions[2..].copy_from_slice(&on_x);
        let mut pose = Force::zero();
        if self.accelerations {
            (motions[VELOCITY], motions[ACCELERATION]) = (on_a.scale(self.c.kd), on_a);
            pose.linear = on_a.linear * self.c.kp;
        }
        if self.turns() {
            pose.angular = Vector3::from_fn(|k, _| {
                let mut by = [Change::NONE; 2];
                by[s].pose.angular[k] = 1.0;
                self.rotation(&[0, 1].map(|s| frames[s].dual(&by[s]))).eps
            });
        }
        Forces { pose, motions }
    }

    /// By the pose and the velocity by dual numbers; of accelerations and rates the rows are linear, so that they are what units give.
    fn forces_by_duals(&self, frames: &[Frame<f64>; 2], s: usize) -> Forces {
        let units = |of: &dyn Fn(Motion<f64>) -> f64| {
            let mut x = [0.0; 6];
            for (k, x) in x.iter_mut().enumerate() {
                let mut unit = Motion::zero();
                *if k < 3 { &mut unit.linear[k] } else { &mut unit.angular[k - 3] } = 1.0;
                *x = of(unit);
            }
            let [a, b, c, d, e, f] = x;
            Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f))
        };
        let along = |change: Change, reach: Reach| {
            let mut by = [Change::NONE; 2];
            by[s] = change;
            self.value(&[0, 1].map(|s| frames[s].dual(&by[s])), reach).eps
        };
        let mut motions = [Force::zero(); MOTIONS];
        motions[VELOCITY] = units(&|unit| along(Change::of(VELOCITY, unit), Reach::Velocity));
        for (n, to) in motions.iter_mut().enumerate().take(2 + self.rates).skip(ACCELERATION) {
            *to = units(&|unit| {
                let alone = |side: usize| frames[side].alone(n, if side == s { unit } else { Motion::zero() });
                self.value(&[0, 1].map(alone), Reach::of(n))
            });
        }
        Forces { pose: units(&|unit| along(Change { pose: unit, ..Change::NONE }, Reach::All)), motions }
    }

    /// The derivative by `motion` number n of both sides, then along a change of their poses, of rows that are linear in it.
    fn by_motion_and_pose(&self, frames: &[Frame<f64>; 2], n: usize, by: &[Change; 2], along: &[Change; 2]) -> f64 {
        let at = |s: usize| {
            let turned = Change { pose: along[s].pose, ..Change::NONE };
            frames[s].alone(n, by[s].motions[n]).dual(&turned)
        };
        self.value(&[0, 1].map(at), Reach::of(n)).eps
    }

    /// Adds second derivatives of the function of the sides, along what pairs of columns change of them.
    pub(super) fn bend(
        &self,
        links: &Placed<f64>,
        frames: &[Frame<f64>; 2],
        columns: &[Vec<Column>; 2],
        moved: &mut Vec<Moved>,
        rates: &mut [Rate<'_>],
        to: &mut Curvature<'_>,
    ) {
        if self.c.relation.axes().is_none() {
            return self.bend_by_duals(links, frames, columns, moved, rates, to);
        }
        if self.turns() {
            for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                self.turn(links, frames, [s, t], columns, to.dqq);
            }
        }
    }

    /// Of the error of a rotation, by turns of side s, then of side t.
    fn turn(
        &self,
        links: &Placed<f64>,
        frames: &[Frame<f64>; 2],
        [s, t]: [usize; 2],
        columns: &[Vec<Column>; 2],
        to: &mut DMatrix<f64>,
    ) {
        let (rows, columns) = (&columns[s], &columns[t]);
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        let mut by = nalgebra::Matrix3::zeros();
        for i in 0..3 {
            for j in 0..3 {
                let (mut first, mut second) = ([Change::NONE; 2], [Change::NONE; 2]);
                first[s].pose.angular[i] = 1.0;
                second[t].pose.angular[j] = 1.0;
                by[(i, j)] = self.rotation(&[0, 1].map(|s| frames[s].hyper(&first[s], &second[s]))).eps1eps2;
            }
        }
        for k in rows {
            let turned = by.tr_mul(&k.s.angular);
            for j in columns {
                to[(links.dof[k.at], links.dof[j.at])] += turned.dot(&j.s.angular);
            }
        }
    }

    fn bend_by_duals(
        &self,
        links: &Placed<f64>,
        frames: &[Frame<f64>; 2],
        columns: &[Vec<Column>; 2],
        moved: &mut Vec<Moved>,
        rates: &mut [Rate<'_>],
        to: &mut Curvature<'_>,
    ) {
        moved.clear();
        for (s, columns) in columns.iter().enumerate() {
            for column in columns {
                let at = moved.iter().position(|other: &Moved| other.at == column.at).unwrap_or(moved.len());
                if at == moved.len() {
                    moved.push(Moved::none(column));
                }
                moved[at].put(s, column);
            }
        }
        let second = |row: &[Change; 2], column: &[Change; 2], reach: Reach| {
            self.value(&[0, 1].map(|s| frames[s].hyper(&row[s], &column[s])), reach).eps1eps2
        };
        for (k, Moved { at, by_q, by_v, by_x }) in moved.iter().enumerate() {
            for (j, along) in moved.iter().enumerate() {
                let at = (links.dof[*at], links.dof[along.at]);
                to.dqq[at] += second(by_q, &along.by_q, Reach::All);
                if self.accelerations {
                    to.dvq[at] += second(by_v, &along.by_q, Reach::Velocity);
                    to.daq[at] += self.by_motion_and_pose(frames, ACCELERATION, &by_x[0], &along.by_q);
                }
                // Velocities have no order.
                if self.accelerations && j <= k {
                    let vv = second(by_v, &along.by_v, Reach::Acceleration);
                    to.dvv[at] += vv;
                    if j < k {
                        to.dvv[(at.1, at.0)] += vv;
                    }
                }
                for (n, (by_x, rate)) in by_x[1..].iter().zip(&mut *rates).enumerate() {
                    if let Some(to) = &mut rate.to {
                        to[at] += self.by_motion_and_pose(frames, 2 + n, by_x, &along.by_q);
                    }
                }
            }
        }
    }
}

impl Moved {
    fn none(column: &Column) -> Self {
        let none = [Change::NONE; 2];
        Self { at: column.at, by_q: none, by_v: none, by_x: [none; 1 + RATES] }
    }

    /// What the column changes of a side.
    fn put(&mut self, s: usize, column: &Column) {
        self.by_q[s] = column.by_place();
        self.by_v[s] = column.by_rate();
        for (n, by_x) in self.by_x.iter_mut().enumerate() {
            by_x[s] = Change::of(1 + n, column.s);
        }
    }
}
