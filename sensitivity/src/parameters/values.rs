//! Values of parameters, in the form of the robot's numbers.

use gradyn::Scalar;
use gradyn::joint::Axis;
use gradyn::spatial::{Motion, exp3};
use nalgebra::Vector3;

/// Indices in the list of values, with the numbers that are added to these.
pub(super) type Moved = (usize, f64);

/// New values.
pub(super) struct Values<'a, P>(pub(super) &'a [P]);

impl<P: Scalar<f64>> Values<'_, P> {
    pub(super) fn of(&self, (place, more): Moved) -> P {
        self.0[place] + P::from(more)
    }
    /// The constant value, if it does not move.
    pub(super) fn or(&self, moved: Option<Moved>, still: f64) -> P {
        moved.map_or(P::from(still), |moved| self.of(moved))
    }
    /// The motion of a screw, zero for constant entries.
    pub(super) fn twist(&self, xi: &[Option<Moved>; 6]) -> Motion<P> {
        let of = |k: usize| self.or(xi[k], 0.0);
        Motion::new(Vector3::new(of(0), of(1), of(2)), Vector3::new(of(3), of(4), of(5)))
    }
    /// The rotation vector of an axis that is rotated along its two tangents.
    pub(super) fn turn(&self, axis: Vector3<f64>, along: &[Option<Moved>; 2]) -> Vector3<P> {
        let zero = P::from(0.0);
        let mut turn = Vector3::new(zero, zero, zero);
        for (x, tangent) in along.iter().zip(tangents(axis)) {
            let x = self.or(*x, 0.0);
            (0..3).for_each(|k| turn[k] += x * tangent[k]);
        }
        turn
    }
    /// The axis itself.
    pub(super) fn axis(&self, axis: Vector3<f64>, along: &[Option<Moved>; 2]) -> Axis<P> {
        let r = exp3(self.turn(axis, along));
        let row = |i: usize| r[(i, 0)] * axis.x + r[(i, 1)] * axis.y + r[(i, 2)] * axis.z;
        Axis::Any(Vector3::new(row(0), row(1), row(2)))
    }
}

/// Two unit vectors that are orthogonal to an axis and to each other.
pub(super) fn tangents(axis: Vector3<f64>) -> [Vector3<f64>; 2] {
    let least = axis.iamin();
    let mut other = Vector3::zeros();
    other[least] = 1.0;
    let first = axis.cross(&other).normalize();
    [first, axis.cross(&first)]
}
