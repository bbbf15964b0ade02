//! Forward dynamics: bias torques and mass matrix in one sweep, `M q̈ = τ − c`.
//! Page: `dynamics/aba.rs`. Test: `forward_dynamics::accelerations_solve_the_equations_of_motion`.

use crate::kernels::Outcome;
use crate::kernels::blocks::factors::Factors;
use crate::kernels::blocks::place;
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::{JointsMemory, inward, mass_matrix, outward, poses, read, rnea};
use crate::plan::{JointConstants, JointsLayout};
use gradyn_derivatives::{Register, WIDTH};
use nalgebra::DMatrix;

/// Factors of the mass matrix at `q` into `memory.factors`, the matrix into `matrix` where lanes are not degrees of
/// freedom. The error is the first degree of freedom whose pivot is lost, and the pivot.
pub(crate) fn factorize(
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    q: &[f64],
    matrix: &mut DMatrix<f64>,
) -> Outcome {
    mass_matrix::of_lanes(layout, memory, q);
    eliminate(layout, memory, matrix, &mut [])
}

/// Eliminates `memory.mass`, and `x := M⁻¹ x` of a right-hand side, or of none.
fn eliminate(layout: &JointsLayout, memory: &mut JointsMemory, matrix: &mut DMatrix<f64>, x: &mut [f64]) -> Outcome {
    let mut factors = memory.factors.take().unwrap_or_else(|| Box::new(Factors::new(&layout.tree_of_dofs)));
    mass_matrix::scales(layout, memory, &mut factors.scale);
    let done = if layout.direct {
        for entry in &layout.more_joints {
            let (i, width) = (entry.index, layout.groups.len());
            memory.mass[place(width, i, i / WIDTH)].0[i % WIDTH] += entry.mass();
        }
        factors.factorize(&mut memory.mass, x)
    } else {
        mass_matrix::collect(layout, memory, matrix);
        factors.factorize_matrix(matrix, x)
    };
    memory.factors = Some(factors);
    done
}

/// Accelerations by torques under the wrenches of `memory`, into `ddq`. The error is the first degree of freedom whose
/// pivot is lost, and the pivot. Lengths have been checked.
pub(crate) fn accelerations(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    zeros: &[f64],
    matrix: &mut DMatrix<f64>,
    ddq: &mut [f64],
) -> Outcome {
    memory.size_mass(layout);
    left_over::<true>(constants, layout, memory, (q, v, tau), zeros, ddq);
    eliminate(layout, memory, matrix, ddq)
}

/// Torques left over for accelerations, `τ − c`, into `to`; columns and inertias stay in their lanes of `memory`, or if
/// asked for the mass matrix.
pub(crate) fn left_over<const MATRIX: bool>(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    zeros: &[f64],
    to: &mut [f64],
) {
    bias_in_lanes::<MATRIX>(constants, layout, memory, q, v, zeros);
    rnea::collect(constants, layout, memory, v, zeros, to);
    for (to, tau) in to.iter_mut().zip(tau) {
        *to = tau - *to;
    }
}

kernel!(
    memory.level,
    /// Torques without acceleration, and the mass matrix if asked for.
    fn bias_in_lanes<'a, R: Register, const MATRIX: bool>(
        constants: &'a JointConstants,
        layout: &'a JointsLayout,
        memory: &'a mut JointsMemory,
        q: &'a [f64],
        v: &'a [f64],
        zeros: &'a [f64],
    ) {
        read::state::<R>(layout, memory, q, v, zeros);
        poses::all::<R>(layout, memory, q);
        for g in 0..layout.groups.len() {
            outward::motions::<R, { Keep::Inertias as u8 }>(constants, layout, memory, g);
        }
        if !memory.wrenches.is_empty() {
            rnea::subtract(layout, memory);
        }
        for g in (0..layout.groups.len()).rev() {
            inward::torques::<R>(constants, layout, memory, g);
            if MATRIX {
                inward::momenta::<R>(layout, memory, g, true);
            }
        }
        if MATRIX {
            // Factorization looks at every pivot.
            mass_matrix::fill::<R>(layout, memory, layout.nv, &mut []);
        }
    }
);
