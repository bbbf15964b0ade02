//! Bodies of equal depth are processed side by side, four per register, from depth to depth of the tree.
//! Page: `dynamics/rnea.rs`, `dynamics/aba.rs`, `dynamics/crba.rs`, `dynamics/minv.rs`. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.
//!
//! Every step is that of the books for one body, so a quadruped takes hardly longer than one of its legs. These forms
//! are for hinges on a fixed base, or on a free base that nothing holds ([`plan`](crate::plan) says when they pay).
//! Everything else uses the forms for all trees, which these are tested against. Those forms are also used again if a
//! result is not finite or a matrix is singular, and report the reason.
//!
//! [`plan::bodies`](crate::plan::bodies) has the lane of each body, and constants four at a time.
//!
//! - [`rnea`], [`aba`]: inverse and forward dynamics
//! - [`mass_matrix`], [`derivatives`], [`quadruped`]: for a quadruped the mass matrix, derivatives of inverse dynamics, and
//!   the inverse of the mass matrix and products with it

pub(crate) mod aba;
pub(crate) mod articulated;
pub(crate) mod body_rows;
pub(crate) mod derivatives;
pub(crate) mod mass_matrix;
pub(crate) mod quadruped;
pub(crate) mod rnea;

use crate::formulas::floating_base;
use crate::formulas::joint_dynamics::JointDynamics;
use crate::kernels::Outcome;
use crate::kernels::finite::all_finite;
use crate::kernels::results::Results;
use crate::plan::BodiesLayout;
pub(crate) use crate::plan::bodies::{BASE, HINGES, NV, row};
use crate::slice_ops::first_not_finite_on_diagonal;
use gradyn_derivatives::VectorLevel;
use nalgebra::{DMatrix, Vector3};
use quadruped::Inverted;

/// Scratch memory, by groups.
#[derive(Clone, Debug)]
pub(crate) struct BodiesMemory {
    bodies: Vec<rnea::Body>,
    articulated: Vec<articulated::Articulated>,
    composites: Vec<mass_matrix::Composite>,
    moving: Vec<derivatives::Moving>,
    inverted: Inverted,
    /// Torques without friction.
    tau: Vec<f64>,
}

impl BodiesMemory {
    pub(crate) fn new(groups: &BodiesLayout) -> Self {
        let n = groups.groups.len();
        Self {
            bodies: vec![rnea::Body::ZERO; n],
            articulated: vec![articulated::Articulated::ZERO; n],
            composites: vec![mass_matrix::Composite::ZERO; n],
            moving: vec![derivatives::Moving::ZERO; n],
            inverted: Inverted::ZERO,
            tau: vec![0.0; groups.nv],
        }
    }
}

/// Torques of inverse dynamics. Returns whether they and the configuration are finite. Lengths have been checked.
pub(crate) fn rnea(
    (gravity, joints): (Vector3<f64>, JointDynamics<'_, f64>),
    (groups, level): (&BodiesLayout, VectorLevel),
    memory: &mut BodiesMemory,
    (q, v, a): (&[f64], &[f64], &[f64]),
    tau: &mut [f64],
) -> Outcome {
    rnea::rnea(level, gravity, groups, memory, q, v, a, &mut *tau);
    joints.add_torques(v, a, tau);
    Outcome::when(all_finite(q) && all_finite(tau))
}

/// Accelerations of forward dynamics. Returns whether they and the state are finite, and no pivot is lost. Lengths have
/// been checked.
pub(crate) fn aba(
    (gravity, joints): (Vector3<f64>, JointDynamics<'_, f64>),
    (groups, level): (&BodiesLayout, VectorLevel),
    memory: &mut BodiesMemory,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    zeros: &[f64],
    ddq: &mut [f64],
) -> Outcome {
    let mut rest = std::mem::take(&mut memory.tau);
    rest.copy_from_slice(tau);
    joints.subtract_friction(v, &mut rest);
    let solved = aba::aba(level, gravity, groups, memory, q, v, zeros, &rest, &mut *ddq);
    memory.tau = rest;
    Outcome::when(solved.is_some() && all_finite(q) && all_finite(ddq))
}

/// The mass matrix of a quadruped. Returns whether its diagonal and the configuration are finite. Lengths have been
/// checked.
pub(crate) fn mass_matrix(
    (groups, level): (&BodiesLayout, VectorLevel),
    memory: &mut BodiesMemory,
    q: &[f64],
    to: &mut DMatrix<f64>,
) -> Outcome {
    mass_matrix::mass_matrix(level, groups, memory, q, to.as_mut_slice());
    Outcome::when(all_finite(q) && first_not_finite_on_diagonal(to.as_slice(), NV).is_none())
}

/// Torques and derivatives of a quadruped's inverse dynamics in the field of some gravity, the mass matrix among them.
/// Returns whether all, and the configuration, are finite. Lengths have been checked.
pub(crate) fn rnea_derivatives(
    (gravity, joints): (Vector3<f64>, JointDynamics<'_, f64>),
    (groups, level): (&BodiesLayout, VectorLevel),
    memory: &mut BodiesMemory,
    (q, v, a): (&[f64], &[f64], &[f64]),
    results: &mut Results<'_>,
) -> Outcome {
    let Results { tau, dtau_dq, dtau_dv, dtau_da } = results;
    let to = [&mut **dtau_dq, &mut **dtau_dv, &mut **dtau_da];
    derivatives::derivatives(level, gravity, groups, memory, q, v, a, tau, to);
    joints.add_derivatives(groups.nv, (v, a), (tau, dtau_dv, dtau_da));
    Outcome::when([q, tau, dtau_dq, dtau_dv, dtau_da].into_iter().all(all_finite))
}

/// The inverse of a quadruped's mass matrix `mass`, after [`mass_matrix`] or [`rnea_derivatives`]. Returns whether it
/// is finite, and no pivot is lost.
pub(crate) fn minv(
    (groups, level): (&BodiesLayout, VectorLevel),
    memory: &mut BodiesMemory,
    mass: &[f64],
    to: &mut [f64],
) -> Outcome {
    let BodiesMemory { composites, inverted, .. } = memory;
    let found = quadruped::inverse_of_mass(level, groups, composites, inverted, mass, &mut *to);
    Outcome::when(found.is_some() && all_finite(to))
}

/// Derivatives of a quadruped's accelerations by configurations and velocities, from those of torques, after [`minv`].
/// Returns whether all are finite.
pub(crate) fn aba_derivatives(
    gravity: Vector3<f64>,
    level: VectorLevel,
    BodiesMemory { bodies, inverted, .. }: &mut BodiesMemory,
    v: &[f64],
    [from_q, from_v]: [&[f64]; 2],
    [dq, dv]: [&mut DMatrix<f64>; 2],
) -> Outcome {
    // Of the base only columns of its angular velocity have to be solved for.
    for (from, to, of_base) in [(from_q, &mut *dq, 0..0), (from_v, &mut *dv, 3..6)] {
        quadruped::product_with_inverse(level, inverted, of_base, from, to.as_mut_slice());
    }
    floating_base::fill(bodies[0].first_rotation(), gravity, 0, v, [&mut *dq, &mut *dv]);
    Outcome::when(all_finite(dq.as_slice()) && all_finite(dv.as_slice()))
}
