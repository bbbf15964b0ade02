//! Velocities that change sign at every node: the effect of an explicit step that is too long for damping or friction.

use crate::problem::Problem;
use crate::trajectory::Trajectory;
use std::ops::Range;

/// So many changes of sign at nodes one after the other are no motion: one that swings has a few nodes between two of
/// them, or steps of another length would show another motion.
const IN_A_ROW: usize = 5;
/// A time in which a joint stays below this share of the largest velocity of all joints is noise, as is one below this
/// many rad/s (m/s): what a solver leaves at the usual tolerance.
const NOISE: (f64, f64) = (1e-3, 1e-6);
/// Velocities below this many rad/s (m/s) have no sign: rounding of what is a thousandth of them.
const ROUNDING: f64 = 1e-12;

/// A joint whose velocity changes its sign from node to node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alternating {
    /// Which degree of freedom.
    pub dof: usize,
    /// Its name.
    pub joint: String,
    /// At these nodes, counted from the start of the trajectory.
    pub nodes: Range<usize>,
    /// The largest velocity there, rad/s (m/s).
    pub velocity: f64,
    /// Whether the joint has significant damping or friction. These are then the cause, if steps are explicit.
    pub resists: bool,
}

/// Joints whose velocity changes its sign at six nodes or more in a row, the longest time of each; empty if the
/// trajectory has other sizes than the problem.
#[must_use]
pub fn alternating(problem: &Problem, at: &Trajectory) -> Vec<Alternating> {
    let model = problem.model();
    if problem.check_sizes(at).is_err() {
        return Vec::new();
    }
    let (nq, first) = (model.nq(), usize::from(problem.choice().is_some()));
    let v = |k: usize, dof: usize| at.x(k)[nq + dof];
    let last = problem.steps();
    let of_all = (first..=last).flat_map(|k| (0..model.nv()).map(move |dof| v(k, dof).abs()));
    let noise = NOISE.1.max(NOISE.0 * of_all.filter(|v| v.is_finite()).fold(0.0, f64::max));
    let names = model.dof_names();
    let mut found = Vec::new();
    for dof in 0..model.nv() {
        // Jumps have a right to change signs.
        let changes = |k: usize| problem.dt(k) > 0.0 && v(k, dof) * v(k + 1, dof) < 0.0;
        let counts = |k: usize| v(k, dof).abs() > ROUNDING;
        let (mut longest, mut begin) = (first..first, first);
        for k in first..=last {
            if !(counts(k) && (k == begin || changes(k - 1))) {
                begin = if counts(k) { k } else { k + 1 };
            }
            if k + 1 - begin.min(k + 1) > longest.len() {
                longest = begin..k + 1;
            }
        }
        let velocity = longest.clone().map(|k| v(k, dof).abs()).fold(0.0, f64::max);
        if longest.len() > IN_A_ROW && velocity > noise {
            let of_dof = model.joint_dynamics().iter().filter(|of| of.index == dof);
            let mut curves = model.friction_curves().iter();
            let resists = model.has_joint_friction()
                && (of_dof.into_iter().any(|of| of.damping > 0.0 || of.friction > 0.0)
                    || curves.any(|curve| curve.index == dof));
            let joint = names.get(dof).cloned().unwrap_or_default();
            found.push(Alternating { dof, joint, nodes: longest, velocity, resists });
        }
    }
    found
}
