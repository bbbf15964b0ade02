//! Rows of points and frames that are held to the world, eight columns at a time.
//! Page: `dynamics/constraints/rows.rs`. Source: `J = [R; 0]` of a point, `J S` of a column. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::kernels::by_joint::JointsMemory;
use crate::kernels::by_joint::matrix::{of_vectors, scatter};
use crate::kernels::by_joint::quantities::load_motion;
use crate::plan::JointsLayout;
use crate::spatial::vector as v3;
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::Vector3;

/// Something of body `b` that is held to the world.
#[derive(Clone, Copy)]
pub(crate) struct Anchor {
    pub(crate) b: usize,
    /// Where it is, in the axes of the world about the root of the body's tree.
    pub(crate) point: Vector3<f64>,
    /// One, or minus one where the world is what moves in its eyes.
    pub(crate) sign: f64,
    /// Three of a point, six of a frame.
    pub(crate) rows: usize,
}

kernel!(
    memory.level,
    /// Adds the rows of an anchor to columns of so many rows, from its first row on; columns of all joints are known. Returns the
    /// sums of the squares of what positions and of what rotations were summed from.
    pub(crate) fn add<'a, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        anchor: Anchor,
        to: &'a mut [f64],
        height: usize,
    ) -> [f64; 2] {
        let Anchor { b, point, sign, rows } = anchor;
        let far = Lanes(R::splat(v3::norm_squared(point)));
        let (point, sign) = (v3::lift::<f64, Lanes<R>>(point), Lanes(R::splat(sign)));
        let mut extents = [Lanes(R::splat(0.0)); 2];
        for (g, lanes) in layout.path(b) {
            let s = load_motion::<R>(&memory.s[g]);
            let (moved, turn) = (s.velocity_at::<Lanes<R>>(point), v3::norm_squared(s.angular));
            let of_position = v3::norm_squared(s.linear) + turn * far;
            extents[0] += Lanes(of_position.0.where_else(lanes, R::splat(0.0)));
            extents[1] += Lanes(turn.0.where_else(lanes, R::splat(0.0)));
            let columns = of_vectors(v3::scale(sign, moved), v3::scale(sign, s.angular));
            scatter::<R>(layout, g, lanes, columns, rows, to, height);
        }
        let mut sums = [0.0; 2];
        for (sum, extent) in sums.iter_mut().zip(extents) {
            let lanes: [f64; WIDTH] = extent.to_array();
            *sum = lanes.iter().sum();
        }
        sums
    }
);
