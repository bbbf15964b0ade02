//! Derivatives of held points and frames by the state, eight columns at a time.
//! Page: `formulas/constraints/row_derivatives.rs`. Test:
//! `constrained::contacts_agree_with_dual_numbers_at_every_level`.

use crate::formulas::constraints::{AtState, Axes, VariedAxes};
use crate::formulas::frame_view::FrameView;
use crate::formulas::reference_frame::ReferenceFrame;
use crate::kernels::by_joint::JointsMemory;
use crate::kernels::by_joint::jacobians::OfBody;
use crate::kernels::by_joint::matrix::{of_force, of_motion, scatter};
use crate::plan::JointsLayout;
use crate::spatial::{Transform, vector as v3};
use gradyn_derivatives::Register;

/// Matrices that derivatives are added to, column by column, from the first row of a constraint on.
pub(crate) struct Sums<'a> {
    /// Of the rows by the configuration and by the velocity.
    pub(crate) rows_q: &'a mut [f64],
    pub(crate) rows_v: &'a mut [f64],
    /// By what the wrenches of multipliers fall behind.
    pub(crate) turned: &'a mut [f64],
    /// How many rows they have.
    pub(crate) height: usize,
}

/// Adds what the columns of the body `b` change of the side `s`, which has this pose in its tree; motions are those of
/// the state.
pub(crate) fn add(
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    (axes, at): (Axes, &AtState<'_>),
    (s, b, pose): (usize, usize, Transform<f64>),
    sums: &mut Sums<'_>,
) {
    add_in_lanes(layout, memory, axes, at, s, b, pose, sums);
}

kernel!(
    memory.level,
    fn add_in_lanes<'a, 'b, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        axes: Axes,
        at: &'a AtState<'a>,
        s: usize,
        b: usize,
        pose: Transform<f64>,
        sums: &'a mut Sums<'b>,
    ) {
        let seen = FrameView::at(pose, v3::zero(), ReferenceFrame::LocalWorldAligned);
        let seen = OfBody::<R>::new(layout, memory, b, seen);
        for (g, lanes) in layout.path(b) {
            let VariedAxes { rows_q, rows_v, turned } = at.vary_axes(axes, s, &seen.column(layout, memory, g));
            scatter::<R>(layout, g, lanes, of_motion(rows_q), at.rows, sums.rows_q, sums.height);
            scatter::<R>(layout, g, lanes, of_motion(rows_v), at.rows, sums.rows_v, sums.height);
            scatter::<R>(layout, g, lanes, of_force(turned), at.rows, sums.turned, sums.height);
        }
    }
);
