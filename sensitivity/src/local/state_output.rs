//! The outputs of the library: torques, accelerations, masses, poses, energies, contact forces.

use super::analytical;
use super::output::{AtState, Output, OutputPoint};
use crate::error::SensitivityError;
use crate::parameters::Parameters;
use gradyn::dynamics::{FrameRef, constraint_dynamics, crba, frame_pose, kinetic_energy, potential_energy};
use gradyn::joint::JointKind;
use gradyn::spatial::{Motion, log3};
use gradyn::{Constraint, Model, Scalar, Transform, Workspace, aba, rnea};
use nalgebra::DMatrix;

/// A function of a robot at one state.
#[derive(Clone, Copy, Debug)]
pub enum StateOutput<'a> {
    /// `τ = rnea(q, v, a)`, nv.
    Torques {
        /// nq
        q: &'a [f64],
        /// nv
        v: &'a [f64],
        /// nv
        a: &'a [f64],
    },
    /// `q̈ = aba(q, v, τ)`, nv.
    Accelerations {
        /// nq
        q: &'a [f64],
        /// nv
        v: &'a [f64],
        /// nv
        tau: &'a [f64],
    },
    /// `M(q)`: nv² entries, column by column.
    MassMatrix {
        /// nq
        q: &'a [f64],
    },
    /// The pose of a frame: its origin in the world, m, and the rotation vector from its nominal to its actual
    /// orientation, in axes of the world, rad. For calibration.
    Pose {
        /// nq
        q: &'a [f64],
        /// The frame.
        frame: FrameRef,
    },
    /// Kinetic and potential energy, J.
    Energy {
        /// nq
        q: &'a [f64],
        /// nv
        v: &'a [f64],
    },
    /// Forces of contacts and closed loops, one per row.
    ContactForces {
        /// nq
        q: &'a [f64],
        /// nv
        v: &'a [f64],
        /// nv
        tau: &'a [f64],
        /// The constraints.
        constraints: &'a [Constraint],
    },
}

/// For each degree of freedom, whether it is a rotation. A helical one is.
#[must_use]
pub fn turns(model: &Model) -> Vec<bool> {
    let mut turns = vec![false; model.nv()];
    let q: Vec<f64> = model.neutral();
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let mut columns = vec![Motion::zero(); body.joint().nv()];
        body.joint().motion_subspace(&q[body.q_range()], &mut columns);
        for (to, column) in turns[body.v_range()].iter_mut().zip(&columns) {
            *to = column.angular.norm() > 0.0;
        }
    }
    turns
}

impl Output for StateOutput<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Torques { .. } => "tau",
            Self::Accelerations { .. } => "ddq",
            Self::MassMatrix { .. } => "mass_matrix",
            Self::Pose { .. } => "pose",
            Self::Energy { .. } => "energy",
            Self::ContactForces { .. } => "contact",
        }
    }

    fn rows(&self, model: &Model) -> Vec<String> {
        let dofs = model.dof_names();
        match self {
            Self::Torques { .. } => dofs.iter().map(|dof| format!("tau {dof}")).collect(),
            Self::Accelerations { .. } => dofs.iter().map(|dof| format!("ddq {dof}")).collect(),
            Self::MassMatrix { .. } => {
                dofs.iter().flat_map(|j| dofs.iter().map(move |i| format!("M {i}, {j}"))).collect()
            }
            Self::Pose { .. } => ["x", "y", "z", "rx", "ry", "rz"].map(str::to_owned).to_vec(),
            Self::Energy { .. } => ["kinetic", "potential"].map(str::to_owned).to_vec(),
            Self::ContactForces { constraints, .. } => {
                let of = |(c, constraint): (usize, &Constraint)| {
                    (0..constraint.rows()).map(move |row| format!("contact {c}, row {row}")).collect::<Vec<_>>()
                };
                constraints.iter().enumerate().flat_map(of).collect()
            }
        }
    }

    /// rad and N m for a revolute joint, m and N for a prismatic one.
    fn units(&self, model: &Model) -> Vec<&'static str> {
        let turns = turns(model);
        let each = |turning, sliding| turns.iter().map(|turns| if *turns { turning } else { sliding }).collect();
        match self {
            Self::Torques { .. } => each("N m", "N"),
            Self::Accelerations { .. } => each("rad/s^2", "m/s^2"),
            Self::MassMatrix { .. } => {
                let of = |j: bool, i: bool| match (i, j) {
                    (true, true) => "kg m^2",
                    (false, false) => "kg",
                    _ => "kg m",
                };
                turns.iter().flat_map(|j| turns.iter().map(move |i| of(*j, *i))).collect()
            }
            Self::Pose { .. } => ["m", "m", "m", "rad", "rad", "rad"].to_vec(),
            Self::Energy { .. } => vec!["J", "J"],
            Self::ContactForces { constraints, .. } => {
                let of = |constraint: &Constraint| vec!["N|N m"; constraint.rows()];
                constraints.iter().flat_map(of).collect()
            }
        }
    }

    fn state(&self) -> AtState<'_> {
        match *self {
            Self::Torques { q, v, a } => AtState { q, v, u: a },
            Self::Accelerations { q, v, tau } | Self::ContactForces { q, v, tau, .. } => AtState { q, v, u: tau },
            Self::MassMatrix { q } | Self::Pose { q, .. } => AtState { q, v: &[], u: &[] },
            Self::Energy { q, v } => AtState { q, v, u: &[] },
        }
    }

    fn takes_torques(&self) -> bool {
        matches!(self, Self::Accelerations { .. } | Self::ContactForces { .. })
    }

    fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError> {
        let OutputPoint { model, nominal, q, v, u, .. } = *on;
        let ws = &mut *on.workspace;
        Ok(match self {
            Self::Torques { .. } | Self::Accelerations { .. } | Self::MassMatrix { .. } => self.value_batched(on)?,
            Self::Pose { q: here, frame } => {
                let from: Transform<f64> = frame_pose(nominal, &mut Workspace::new(nominal), here, *frame)?;
                let pose: Transform<P> = frame_pose(model, ws, q, *frame)?;
                let turn = from.vector(log3(&from.inv_mul(&pose).rotation));
                pose.translation.iter().chain(turn.iter()).copied().collect()
            }
            Self::Energy { .. } => vec![kinetic_energy(model, ws, q, v)?, potential_energy(model, ws, q)?],
            Self::ContactForces { constraints, .. } => {
                let constraints: Vec<Constraint<P>> = constraints.iter().map(Constraint::lift).collect();
                constraint_dynamics(model, ws, q, v, u, &constraints, &[])?.lambda.to_vec()
            }
        })
    }

    fn jacobian(
        &self,
        parameters: &Parameters,
        values: &[f64],
        model: &Model,
    ) -> Result<Option<DMatrix<f64>>, SensitivityError> {
        analytical::jacobian(parameters, values, model, self).map(Some)
    }

    /// If making a robot takes all of the time, one at a time is as fast.
    fn is_batched(&self) -> bool {
        matches!(self, Self::Torques { .. } | Self::Accelerations { .. } | Self::MassMatrix { .. })
    }

    fn value_batched<P: Scalar<f64> + Scalar<P>>(
        &self,
        on: &mut OutputPoint<'_, P>,
    ) -> Result<Vec<P>, SensitivityError> {
        let OutputPoint { model, q, v, u, .. } = *on;
        let ws = &mut *on.workspace;
        Ok(match self {
            Self::Torques { .. } => rnea(model, ws, q, v, u, &[])?.to_vec(),
            Self::Accelerations { .. } => aba(model, ws, q, v, u, &[])?.to_vec(),
            Self::MassMatrix { .. } => crba(model, ws, q)?.as_slice().to_vec(),
            Self::Pose { .. } | Self::Energy { .. } | Self::ContactForces { .. } => Vec::new(),
        })
    }
}
