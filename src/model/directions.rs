//! Coordinates that are directions, and the check of configurations.
//!
//! A quaternion of another length than one is no rotation, and algorithms would compute with what it makes of one: of
//! length 0 nothing ever turns, of length 1.1 torques are 8 % off. So every public function that takes a configuration
//! asks here first.

use super::{Body, InputError, Model};
use crate::joint::{JointKind, value};
use crate::level::at_level;
use crate::slice_ops::first_not_finite;
use gradyn_derivatives::Real;
use std::ops::Range;

/// By how much the length of a quaternion, or of (cos, sin), may miss one.
///
/// Numbers of single precision miss it by up to 1e-7, those of a file with seven digits by as much, so such data passes as it
/// is. The rotation `R` made of a quaternion of length `1 + ε` is off by `2 ε (R − 1)`: at most some 4e-6 of torques come of it,
/// which is about what numbers with so few digits know anyway.
pub(crate) const UNIT_WITHIN: f64 = 1e-6;

/// Squares of such lengths.
pub(crate) const UNIT_SQUARES: Range<f64> =
    (1.0 - UNIT_WITHIN) * (1.0 - UNIT_WITHIN)..(1.0 + UNIT_WITHIN) * (1.0 + UNIT_WITHIN);

/// Coordinates of length one: a quaternion, or the cosine and the sine of an angle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction {
    /// The first of them.
    pub(crate) start: usize,
    /// How many: four, or two.
    pub(crate) len: usize,
    /// The body whose joint they are of.
    body: usize,
    /// The kind of that joint, or of the part of it.
    kind: &'static str,
}

impl Direction {
    /// What it is.
    fn name(&self) -> &'static str {
        if self.len == 2 { "(cos, sin)" } else { "quaternion" }
    }

    fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }

    /// The square of its length.
    #[inline(always)]
    pub(crate) fn square<T: Real>(&self, q: &[T]) -> T {
        let mut sum = T::zero();
        for x in &q[self.range()] {
            sum = x.mul_plus(*x, sum);
        }
        sum
    }
}

/// Those of all joints that own coordinates, in order.
pub(crate) fn directions<P: Real>(bodies: &[Body<P>]) -> Vec<Direction> {
    let mut directions = Vec::new();
    for (body, b) in bodies.iter().enumerate().filter(|(_, b)| b.owns_coordinates) {
        b.each_part(|part, q, _| {
            let own = JointKind::<P>::direction(part);
            if !own.is_empty() {
                directions.push(Direction { start: q.start + own.start, len: own.len(), body, kind: part.name() });
            }
        });
    }
    directions
}

at_level! {
    /// Whether all of them have length one, in all lanes.
    #[inline(always)]
    fn are_units<T: Real>(directions: &[Direction], q: &[T]) -> bool {
        directions.iter().all(|direction| {
            let square = direction.square(q);
            square.all_below(UNIT_SQUARES.end) && !square.any_below(UNIT_SQUARES.start)
        })
    }
}

impl<P: Real> Model<P> {
    /// Checks that a configuration has the right length, and that its quaternions and (cos, sin) pairs have length one
    /// to within [`UNIT_WITHIN`]. Dual numbers are checked by their values.
    #[inline]
    pub(crate) fn check_q<T: Real>(&self, q: &[T]) -> Result<(), InputError> {
        self.check_length("q", "nq", q.len(), self.nq)?;
        self.check_directions("q", q)
    }

    /// The same of lengths and numbers of a state.
    #[inline]
    pub(crate) fn check_state<T: Real>(&self, q: &[T], v: &[T], a: &[T]) -> Result<(), InputError> {
        self.check_length("q", "nq", q.len(), self.nq)?;
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_length("a", "nv", a.len(), self.nv)?;
        self.check_directions("q", q)
    }

    /// [`check_q`](Self::check_q) of an argument with this name, whose length has been checked.
    #[inline]
    pub(crate) fn check_directions<T: Real>(&self, what: &'static str, q: &[T]) -> Result<(), InputError> {
        if self.directions.is_empty() || are_units(&self.directions, q) {
            return Ok(());
        }
        Err(self.no_configuration(what, q))
    }

    /// Why it is invalid: a number that is not finite, or a direction of another length.
    #[cold]
    fn no_configuration<T: Real>(&self, what: &'static str, q: &[T]) -> InputError {
        if let Some(error) = self.coordinate_not_finite(what, q) {
            return error;
        }
        let off = |d: &&Direction| !are_units(std::slice::from_ref(*d), q);
        // One of them is off: only then this is called.
        let Some(d) = self.directions.iter().find(off) else { return self.overflow_of(what, 0, self.whole_label()) };
        let Range { start, end } = d.range();
        InputError::NotNormalized {
            what,
            start,
            end,
            joint: self.bodies[d.body].joint_name.clone(),
            kind: d.kind,
            direction: d.name(),
            norm: q[d.range()].iter().fold(0.0, |norm, x| f64::hypot(norm, value(*x))),
        }
    }

    /// The first coordinate that is not finite, as an error.
    pub(crate) fn coordinate_not_finite<T: Real>(&self, what: &'static str, q: &[T]) -> Option<InputError> {
        let index = first_not_finite(q)?;
        Some(InputError::NotFinite { what, index, joint: self.coordinate_label(index), value: value(q[index]) })
    }

    /// "joint elbow" of a coordinate, for messages.
    pub(crate) fn coordinate_label(&self, index: usize) -> String {
        let owner = self.bodies.iter().find(|body| body.owns_coordinates && body.q.contains(&index));
        owner.map_or_else(|| String::from("no joint"), |body| format!("joint {}", body.joint_name))
    }
}
