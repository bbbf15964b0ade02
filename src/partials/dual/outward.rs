//! The outward step at one body: its motion, and the force it takes.

use super::base::{BodyValues, ColumnValues};
use super::frame::add_motion;
use super::numbers::{StateDual, dual_motion, force_tangent, motion_tangent};
use super::{Common, Memory};
use crate::partials::plan::Moved;
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, Scalar};

/// What the directions of a chunk are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    Configurations,
    Velocities,
}

/// [`Outward`] at a body, from its parent's motion to its own places.
#[inline(always)]
pub(super) fn outward<'a, R: Register, W, D>(
    common: Common<'a>,
    along: Along,
    moved: &Moved,
    memory: &'a mut Memory<R>,
    own: &'a Motion<W>,
    drive: &'a Motion<D>,
) -> Outward<'a, W, D, R> {
    let (i, values) = (moved.body, &common.values.bodies[moved.body]);
    // Parents come before their children.
    let (velocities, velocity) = memory.velocity.split_at_mut(i + 1);
    let (accelerations, acceleration) = memory.acceleration.split_at_mut(i + 1);
    Outward {
        along,
        seeds: (moved.lane, &common.values.columns[moved.driven.clone()]),
        own,
        drive,
        of_parent: (&velocities[moved.from], &accelerations[moved.from]),
        values,
        velocity: &mut velocity[0],
        acceleration: &mut acceleration[0],
        force: &mut memory.force[i],
    }
}

/// The outward step at one body (RBDA, table 5.1, in coordinates of the world):
///
/// ```text
/// ν = ν_λ + S v        α = α_λ + ν_λ × S v + S a + c        φ = Y α + ν ×* Y ν
/// ```
pub(super) struct Outward<'a, W, D, R: Register> {
    along: Along,
    /// The columns that the chunk's directions move along, and the lane of the first.
    seeds: (usize, &'a [ColumnValues]),
    /// `S v`
    own: &'a Motion<W>,
    /// What varies of `S a + c`; the value is not asked for.
    drive: &'a Motion<D>,
    /// Derivatives of the parent's velocity and acceleration.
    of_parent: (&'a Motion<Lanes<R>>, &'a Motion<Lanes<R>>),
    values: &'a BodyValues,
    velocity: &'a mut Motion<Lanes<R>>,
    acceleration: &'a mut Motion<Lanes<R>>,
    force: &'a mut Force<Lanes<R>>,
}

impl<W: Scalar, D: Scalar, R: Register> Piece for Outward<'_, W, D, R>
where
    StateDual<R>: Scalar<W> + Scalar<D>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { along, seeds: (lane, columns), own, drive, of_parent, values, .. } = self;
        let (mut v, mut a) = (*of_parent.0, *of_parent.1);
        if along == Along::Configurations {
            for (k, column) in columns.iter().enumerate() {
                add_motion(lane + k, &column.velocity, &mut v);
                add_motion(lane + k, &column.acceleration, &mut a);
            }
        }
        // Values of the acceleration are known, and not asked for: the compiler leaves them out.
        let (v_p, a_p) = (dual_motion(&values.of_parent, v), dual_motion(&Motion::zero(), a));
        let mut v = motion_tangent(*own + v_p);
        let mut a = motion_tangent((-*own).cross_plus(v_p, *drive + a_p));
        if along == Along::Velocities {
            for (k, column) in columns.iter().enumerate() {
                add_motion(lane + k, &column.s, &mut v);
                add_motion(lane + k, &column.velocity, &mut a);
            }
        }
        let f = values.mass.newton_euler(dual_motion(&values.velocity, v), dual_motion(&Motion::zero(), a));
        (*self.velocity, *self.acceleration, *self.force) = (v, a, force_tangent(f));
    }
}
