//! What is zero while a constraint holds, how fast it changes, and the wrenches that its multipliers are.

use super::joint_row::Row;
use super::screw::Screw;
use super::side::Side;
use crate::joint::{Axis, Elementary, Planar};
use crate::level::at_level;
use crate::spatial::{Force, Motion, Transform, so3, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// How two frames A and B are held together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Relation<P> {
    /// Their origins: three rows in axes of the world.
    Point,
    /// Their origins and axes: six rows in axes of the world.
    Frame,
    /// As this joint does: one scalar a row.
    Joint { joint: Elementary<P>, rows: [Row<P>; 6], count: usize },
}

/// What of the rows is asked for: accelerations, rates by these of several velocities, or errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Acceleration,
    Rate(usize),
    Error,
}

impl<P: Real> Relation<P> {
    /// The same in a wider number type.
    pub(crate) fn lift<T: Scalar<P>>(&self) -> Relation<T> {
        match self {
            Self::Point => Relation::Point,
            Self::Frame => Relation::Frame,
            Self::Joint { joint, rows, count } => {
                Relation::Joint { joint: joint.lift(), rows: rows.map(|row| row.lift()), count: *count }
            }
        }
    }

    /// That of a joint whose mounting frame is A and whose moving frame is B; `None` if no rows can say it.
    pub(crate) fn of_joint(joint: &Elementary<P>) -> Option<Self> {
        let basis = [Axis::X, Axis::Y, Axis::Z].map(|axis| axis.vector());
        let along = basis.map(Row::Along);
        let rows = |along: &[Row<P>], turn: &[Row<P>]| Some(Self::joint(*joint, along, turn));
        match joint {
            Elementary::Fixed(_) => Some(Self::Frame),
            Elementary::Revolute(joint) => rows(&along, &parallel(joint.axis)),
            Elementary::Continuous(joint) => rows(&along, &parallel(joint.axis)),
            Elementary::Prismatic(joint) => {
                let (e, f) = across(joint.axis);
                let [x, y, z] = [joint.axis.vector(), e, f];
                rows(&[Row::Along(e), Row::Along(f)], &square(x, y, z))
            }
            Elementary::Helical(joint) => {
                let (e, f) = across(joint.axis);
                let thread = Row::Screw(Screw { n: joint.axis.vector(), e, f, pitch: joint.pitch });
                rows(&[Row::Along(e), Row::Along(f), thread], &parallel(joint.axis))
            }
            Elementary::Cylindrical(joint) => {
                let (e, f) = across(joint.axis);
                rows(&[Row::Along(e), Row::Along(f)], &parallel(joint.axis))
            }
            Elementary::Universal(joint) => {
                let (n, u) = (joint.first.vector(), joint.second.vector());
                rows(&along, &[Row::Angle { n, u, cos: v3::dot(n, u) }])
            }
            Elementary::Planar(joint) => {
                let normal = joint.normal();
                rows(&[Row::Along(normal.vector())], &parallel(normal))
            }
            Elementary::Spherical(_) | Elementary::SphericalZyx(_) => rows(&along, &[]),
            Elementary::Translation(_) => rows(&[], &square(basis[0], basis[1], basis[2])),
            Elementary::FreeFlyer(_) => None,
        }
    }

    fn joint(joint: Elementary<P>, along: &[Row<P>], turn: &[Row<P>]) -> Self {
        let mut rows = [Row::Along(v3::zero()); 6];
        for (to, from) in rows.iter_mut().zip(along.iter().chain(turn)) {
            *to = *from;
        }
        Self::Joint { joint, rows, count: along.len() + turn.len() }
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Point => 3,
            Self::Frame => 6,
            Self::Joint { count, .. } => *count,
        }
    }

    /// Whether a row holds a rotation, and not a position.
    pub(crate) fn turns(&self, row: usize) -> bool {
        match self {
            Self::Point | Self::Frame => row >= 3,
            Self::Joint { rows, .. } => matches!(rows[row], Row::Angle { .. }),
        }
    }

    /// Whether rotating both sides together changes this row. It does if it is an offset in axes of the world.
    pub(crate) fn is_turned(&self, row: usize) -> bool {
        matches!(self, Self::Point | Self::Frame) && row < 3
    }

    /// The axes, if it is a point or a frame.
    pub(crate) fn axes(&self) -> Option<Axes> {
        match self {
            Self::Point => Some(Axes { turned: false }),
            Self::Frame => Some(Axes { turned: true }),
            Self::Joint { .. } => None,
        }
    }

    /// `e`
    pub(crate) fn error<T: Scalar<P>>(&self, a: &Transform<T>, b: &Transform<T>, to: &mut [T]) {
        error(self, a, b, to);
    }

    /// `J q̇`
    pub(crate) fn rate<T: Scalar<P>>(&self, a: &Side<T>, b: &Side<T>, to: &mut [T]) {
        rate(self, a, b, to);
    }

    /// `J q̈ + J̇ q̇`
    pub(crate) fn acceleration<T: Scalar<P>>(&self, a: &Side<T>, b: &Side<T>, to: &mut [T]) {
        acceleration(self, a, b, to);
    }

    /// Several parts at once, one after the other into `to`. Motions of the sides are velocity, acceleration, and other velocities.
    pub(crate) fn parts<T: Scalar<P>>(
        &self,
        poses: [&Transform<T>; 2],
        motions: [&[Motion<T>]; 2],
        parts: &[Part],
        to: &mut [[T; 6]],
    ) {
        all_parts(self, poses, motions, parts, to);
    }

    /// The wrenches on A and on B that the multipliers are, in axes of the world, moments about the origins of the frames.
    pub(crate) fn wrenches<T: Scalar<P>>(&self, a: &Transform<T>, b: &Transform<T>, lambda: &[T]) -> [Force<T>; 2] {
        wrenches(self, a, b, lambda)
    }
}

at_level! {
    fn error<P: Real, T: Scalar<P>>(relation: &Relation<P>, a: &Transform<T>, b: &Transform<T>, to: &mut [T]) {
        match relation {
            Relation::Point => Axes { turned: false }.error(a, b, to),
            Relation::Frame => Axes { turned: true }.error(a, b, to),
            Relation::Joint { rows, .. } => {
                for (to, row) in to.iter_mut().zip(rows) {
                    *to = row.error(a, b);
                }
            }
        }
    }

    fn rate<P: Real, T: Scalar<P>>(relation: &Relation<P>, a: &Side<T>, b: &Side<T>, to: &mut [T]) {
        match relation {
            Relation::Point => Axes { turned: false }.rate(a, b, to),
            Relation::Frame => Axes { turned: true }.rate(a, b, to),
            Relation::Joint { rows, .. } => {
                for (to, row) in to.iter_mut().zip(rows) {
                    *to = row.rate(a, b);
                }
            }
        }
    }

    fn acceleration<P: Real, T: Scalar<P>>(relation: &Relation<P>, a: &Side<T>, b: &Side<T>, to: &mut [T]) {
        match relation {
            Relation::Point => Axes { turned: false }.acceleration(a, b, to),
            Relation::Frame => Axes { turned: true }.acceleration(a, b, to),
            Relation::Joint { rows, .. } => {
                for (to, row) in to.iter_mut().zip(rows) {
                    *to = row.acceleration(a, b);
                }
            }
        }
    }

    fn all_parts<P: Real, T: Scalar<P>>(
        relation: &Relation<P>,
        poses: [&Transform<T>; 2],
        motions: [&[Motion<T>]; 2],
        parts: &[Part],
        to: &mut [[T; 6]],
    ) {
        let [a, b] = [0, 1].map(|s| Side { pose: *poses[s], velocity: motions[s][0], acceleration: motions[s][1] });
        if let Relation::Joint { rows, count, .. } = relation {
            for (r, row) in rows.iter().enumerate().take(*count) {
                // All but errors have them.
                let f = row.wrenches(&a.pose, &b.pose);
                for (part, to) in parts.iter().zip(to.iter_mut()) {
                    to[r] = match part {
                        Part::Acceleration => row.acceleration_by(f, &a, &b),
                        Part::Rate(n) => f[0].power(motions[0][*n]) + f[1].power(motions[1][*n]),
                        Part::Error => row.error(&a.pose, &b.pose),
                    };
                }
            }
            return;
        }
        let axes = Axes { turned: matches!(relation, Relation::Frame) };
        for (part, to) in parts.iter().zip(to.iter_mut()) {
            match part {
                Part::Acceleration => axes.acceleration(&a, &b, to),
                Part::Rate(n) => axes.put(motions[1][*n] - motions[0][*n], to),
                Part::Error => axes.error(&a.pose, &b.pose, to),
            }
        }
    }

    fn wrenches<P: Real, T: Scalar<P>>(
        relation: &Relation<P>,
        a: &Transform<T>,
        b: &Transform<T>,
        lambda: &[T],
    ) -> [Force<T>; 2] {
        match relation {
            Relation::Point => Axes { turned: false }.wrenches(lambda),
            Relation::Frame => Axes { turned: true }.wrenches(lambda),
            Relation::Joint { rows, .. } => {
                let mut sum = [Force::zero(); 2];
                for (row, lambda) in rows.iter().zip(lambda) {
                    let unit = row.wrenches(a, b);
                    sum = [sum[0] + unit[0].times(*lambda), sum[1] + unit[1].times(*lambda)];
                }
                sum
            }
        }
    }
}

/// A point, or a frame if rotations are held too: rows in axes of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    turned: bool,
}

impl Axes {
    /// Whether rotations are held, too.
    #[inline(always)]
    pub(crate) fn is_turned(self) -> bool {
        self.turned
    }

    /// `log(R_b R_aᵀ) = R_a log(R_aᵀ R_b)`
    #[inline(always)]
    pub(crate) fn rotation<T: Real>(self, a: &Transform<T>, b: &Transform<T>) -> Vector3<T> {
        let log = so3::log3(&v3::product_tr::<T, T>(&a.rotation, &b.rotation));
        v3::rotate::<T, T>(&a.rotation, log)
    }

    #[inline(always)]
    fn error<T: Real>(self, a: &Transform<T>, b: &Transform<T>, to: &mut [T]) {
        self.put(Motion::new(v3::sub(b.translation, a.translation), v3::zero()), to);
        if self.turned {
            put(&mut to[3..], self.rotation(a, b));
        }
    }

    #[inline(always)]
    fn rate<T: Real>(self, a: &Side<T>, b: &Side<T>, to: &mut [T]) {
        self.put(b.velocity - a.velocity, to);
    }

    #[inline(always)]
    fn acceleration<T: Real>(self, a: &Side<T>, b: &Side<T>, to: &mut [T]) {
        self.put(b.acceleration - a.acceleration, to);
    }

    #[inline(always)]
    fn wrenches<T: Real>(self, lambda: &[T]) -> [Force<T>; 2] {
        let moment = if self.turned { three(&lambda[3..]) } else { v3::zero() };
        let f = Force::new(three(lambda), moment);
        [-f, f]
    }

    #[inline(always)]
    fn put<T: Real>(self, m: Motion<T>, to: &mut [T]) {
        put(to, m.linear);
        if self.turned {
            put(&mut to[3..], m.angular);
        }
    }
}

/// Two unit vectors across an axis.
fn across<P: Real>(axis: Axis<P>) -> (Vector3<P>, Vector3<P>) {
    Planar::new(axis).in_plane()
}

/// The axis keeps its direction, or has the opposite one.
fn parallel<P: Real>(axis: Axis<P>) -> [Row<P>; 2] {
    let (e, f) = across(axis);
    [e, f].map(|n| Row::Angle { n, u: axis.vector(), cos: P::zero() })
}

/// Three axes keep their directions. With R the rotation of B in A, in these axes: `R₁₂ = R₂₃ = R₃₁ = 0`, as half turns about each of
/// them have, and the four third turns with x → ±y → ±z → ±x.
fn square<P: Real>(x: Vector3<P>, y: Vector3<P>, z: Vector3<P>) -> [Row<P>; 3] {
    [(x, y), (y, z), (z, x)].map(|(n, u)| Row::Angle { n, u, cos: P::zero() })
}

#[inline(always)]
pub(crate) fn three<T: Real>(x: &[T]) -> Vector3<T> {
    Vector3::new(x[0], x[1], x[2])
}

#[inline(always)]
fn put<T: Real>(to: &mut [T], x: Vector3<T>) {
    (to[0], to[1], to[2]) = (x.x, x.y, x.z);
}
