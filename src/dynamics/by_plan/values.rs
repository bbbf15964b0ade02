//! Inverse and forward dynamics, derivatives, and mass matrices.

use crate::dynamics::ExternalWrench;
use crate::dynamics::by_plan::Kernels;
use crate::dynamics::constraints::{AtState, Axes, BodyState};
use crate::formulas::force_field::ForceField;
use crate::formulas::joint_dynamics::JointDynamics;
use crate::formulas::joint_forces::JointForces;
use crate::kernels::blocks::factors::Factors;
use crate::kernels::by_copy::bodies;
use crate::kernels::by_joint::constraints::derivatives::Sums;
use crate::kernels::by_joint::constraints::operators::Changes;
use crate::kernels::by_joint::constraints::solve::ConstraintRows;
use crate::kernels::by_joint::constraints::{derivatives as variations, operators as projections, solve as held};
use crate::kernels::by_joint::derivatives::Reuse;
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::{
    JointsMemory, State, articulated, coriolis, derivatives, floating_base, forward, mass_matrix, matrix, rnea, sweeps,
};
use crate::kernels::finite::all_finite;
use crate::kernels::outcome::Lost;
use crate::kernels::results::Results;
use crate::model::Model;
use crate::plan::{Form, JointConstants, Quantity};
use nalgebra::{DMatrix, Vector3};

/// Gravity of a model, and what its joints add.
#[inline(always)]
fn gravity_and_joints(model: &Model) -> (Vector3<f64>, JointDynamics<'_, f64>) {
    (model.gravity, JointDynamics::of(model))
}

/// The state of forward dynamics with what springs and friction curves leave of the torques, which needs memory where there are some.
#[inline(always)]
fn with_torques_left<'a>(model: &Model, driving: &'a mut Vec<f64>, (q, v, tau): State<'a>) -> State<'a> {
    let joints = JointForces::of(model);
    if joints.is_empty() {
        return (q, v, tau);
    }
    driving.clear();
    driving.extend_from_slice(tau);
    joints.subtract_torques(q, v, driving);
    (q, v, driving)
}

impl Kernels<'_> {
    /// Inverse dynamics into `ws.tau`. Returns whether all torques are finite.
    pub(crate) fn rnea(self, state: State<'_>) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let level = memory.level;
        if memory.wrenches.is_empty()
            && layout.plan.at_vector(Quantity::InverseDynamics, level) == Form::Bodies
            && let Some((groups, memory)) = memory.for_bodies(layout)
            && bodies::rnea(gravity_and_joints(model), (groups, level), memory, state, &mut ws.tau).is_finite()
        {
            let joints = JointForces::of(model);
            joints.add_torques(state.0, state.1, &mut ws.tau);
            return Some(joints.is_empty() || all_finite(&ws.tau));
        }
        // Torques do not depend on where the base is: that it is somewhere has to be seen.
        let surely = rnea::rnea(&JointConstants::of(model), layout, memory, state, &mut ws.tau);
        let joints = JointForces::of(model);
        joints.add_torques(state.0, state.1, &mut ws.tau);
        Some(surely.is_finite() && joints.is_empty() || all_finite(&ws.tau) && all_finite(state.0))
    }

    /// Derivatives of inverse dynamics in a field. Returns whether all are certainly finite.
    pub(crate) fn rnea_derivatives(
        self,
        field: ForceField<'_>,
        state: State<'_>,
        wrenches: &[ExternalWrench],
        results: &mut Results<'_>,
        by_wrench: &mut [DMatrix<f64>],
        reuse: Reuse<'_>,
    ) -> Option<bool> {
        let ForceField { gravity, joints } = field;
        let surely = self.rnea_derivatives_in_gravity(gravity, state, wrenches, results, by_wrench, reuse)?;
        let Results { tau, dtau_dq, dtau_dv, .. } = results;
        joints.add_derivatives((state.0, state.1), (tau, dtau_dq, dtau_dv));
        Some(surely && joints.is_empty())
    }

    fn rnea_derivatives_in_gravity(
        self,
        gravity: Vector3<f64>,
        state: State<'_>,
        wrenches: &[ExternalWrench],
        results: &mut Results<'_>,
        by_wrench: &mut [DMatrix<f64>],
        reuse: Reuse<'_>,
    ) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        memory.act(wrenches);
        let level = memory.level;
        if matches!(reuse, Reuse::Nothing)
            && wrenches.is_empty()
            && layout.plan.at_vector(Quantity::InverseDynamicsDerivatives, level) == Form::Bodies
            && let Some((groups, memory)) = memory.for_bodies(layout)
            && bodies::rnea_derivatives((gravity, JointDynamics::of(model)), (groups, level), memory, state, results)
                .is_finite()
        {
            return Some(true);
        }
        // The sweeps that left something kept all lanes.
        let (used_lanes, their_memory) = match reuse {
            Reuse::Nothing => floating_base::without_base_lanes(layout, memory),
            Reuse::Poses | Reuse::Velocities(_) => (layout, memory),
        };
        let constants = JointConstants::of(model);
        let finite = derivatives::derivatives(gravity, &constants, used_lanes, their_memory, state, results, reuse);
        for (w, to) in wrenches.iter().zip(by_wrench) {
            derivatives::by_wrench(used_lanes, their_memory, model.nv, w, to.as_mut_slice());
        }
        Some(finite.is_finite() && wrenches.is_empty() && rnea::as_lanes(used_lanes))
    }

    /// The mass matrix into `ws.crba`. Returns whether it and the state are certainly finite.
    pub(crate) fn mass_matrix(self, q: &[f64]) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let to = ws.crba.sized(model.nv);
        let level = memory.level;
        if layout.plan.at_vector(Quantity::MassMatrix, level) == Form::Bodies
            && let Some((groups, memory)) = memory.for_bodies(layout)
            && bodies::mass_matrix((groups, level), memory, q, to).is_finite()
        {
            return Some(true);
        }
        Some(mass_matrix::mass_matrix(layout, memory, q, to).is_finite())
    }

    /// Factors of the mass matrix into `ws.ltl`.
    pub(crate) fn factors(mut self, q: &[f64]) -> Option<Result<(), Lost>> {
        let done = self.factorize(q)?;
        self.ws.ltl.size(self.model);
        let factors = self.ws.by_joint.as_deref()?.factors.as_deref()?;
        Some(done.map(|()| self.ws.ltl.copy(factors)))
    }

    /// Factors of the mass matrix into `ws.by_joint`.
    fn factorize(&mut self, q: &[f64]) -> Option<Result<(), Lost>> {
        let memory = self.ws.by_joint.as_deref_mut()?;
        Some(forward::factorize(self.layout, memory, q, self.ws.crba.sized(self.model.nv)).pivots())
    }

    /// Factors of the mass matrix, taken out of `ws.by_joint`, unless a pivot is lost.
    pub(crate) fn factorized(mut self, q: &[f64]) -> Option<Box<Factors>> {
        self.factorize(q)?.ok()?;
        self.ws.by_joint.as_mut()?.factors.take()
    }

    /// The inverse of the mass matrix into `ws.minv`.
    pub(crate) fn minv(mut self, q: &[f64]) -> Option<Result<(), Lost>> {
        let Self { model, layout, ref mut ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let level = memory.level;
        if layout.plan.at_vector(Quantity::MassMatrixInverse, level) == Form::Bodies
            && let Some((groups, memory)) = memory.for_bodies(layout)
            && bodies::mass_matrix((groups, level), memory, q, ws.crba.sized(model.nv)).is_finite()
            && bodies::minv((groups, level), memory, ws.crba.sized(model.nv).as_slice(), ws.minv.matrix.as_mut_slice())
                .is_finite()
        {
            return Some(Ok(()));
        }
        let done = self.factorize(q)?;
        let factors = self.ws.by_joint.as_deref_mut()?.factors.as_deref_mut()?;
        Some(done.map(|()| factors.invert(&mut self.ws.minv.matrix)))
    }

    /// Derivatives of accelerations by configurations, velocities and torques, from those of torques, after
    /// [`rnea_derivatives`](Self::rnea_derivatives) of a [quadruped](super::derivatives_by_bodies). Returns whether all are finite,
    /// and no pivot is lost.
    pub(crate) fn aba_derivatives(
        self,
        v: &[f64],
        [by_q, by_v, mass]: [&[f64]; 3],
        [dq, dv, dtau]: [&mut DMatrix<f64>; 3],
    ) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let level = memory.level;
        let (groups, memory) = memory.for_bodies(layout)?;
        let done = bodies::minv((groups, level), memory, mass, dtau.as_mut_slice()).is_finite()
            && bodies::aba_derivatives(model.gravity, level, memory, v, [by_q, by_v], [dq, dv]).is_finite();
        Some(done)
    }

    /// Accelerations by torques into `ws.aba`, if there are no mimic joints or factors of the mass matrix are the
    /// faster way.
    pub(crate) fn aba(self, state: State<'_>, kept: bool) -> Option<Result<(), Lost>> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let level = memory.level;
        let state = with_torques_left(model, &mut ws.driving, state);
        if !kept {
            ws.zeros.resize(model.nv, 0.0);
            if memory.wrenches.is_empty()
                && layout.plan.at_vector(Quantity::ForwardDynamics, level) == Form::Bodies
                && let Some((groups, memory)) = memory.for_bodies(layout)
                && bodies::aba(gravity_and_joints(model), (groups, level), memory, state, &ws.zeros, &mut ws.aba.ddq)
                    .is_finite()
            {
                return Some(Ok(()));
            }
        }
        // Whoever goes on from here asks the factors whether it was they.
        memory.factors.get_or_insert_with(|| Box::new(Factors::new(&layout.tree_of_dofs)));
        ws.zeros.resize(model.nv, 0.0);
        let (zeros, ddq) = (&ws.zeros, &mut ws.aba.ddq);
        match layout.plan.by_joints(Quantity::ForwardDynamics, level) {
            Form::Articulated => {
                forward::left_over::<false>(&JointConstants::of(model), layout, memory, state, zeros, ddq);
                Some(articulated::factorize_and_solve(layout, memory, ddq).pivots())
            }
            Form::Factors => Some(
                forward::accelerations(
                    &JointConstants::of(model),
                    layout,
                    memory,
                    state,
                    zeros,
                    ws.crba.sized(model.nv),
                    ddq,
                )
                .pivots(),
            ),
            _ => None,
        }
    }

    /// Accelerations by torques into `ddq`, factors of the mass matrix into `ws.by_joint`; where some bodies are and
    /// how they move without accelerations of joints, and columns of all joints if asked for, into `ws.placed`.
    pub(crate) fn free_accelerations(
        self,
        state: State<'_>,
        (bodies, columns): (impl Iterator<Item = usize>, bool),
        ddq: &mut [f64],
    ) -> Option<Result<(), Lost>> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        ws.zeros.resize(model.nv, 0.0);
        ws.placed.size(model);
        let matrix = ws.crba.sized(model.nv);
        let state = with_torques_left(model, &mut ws.driving, state);
        let done = forward::accelerations(&JointConstants::of(model), layout, memory, state, &ws.zeros, matrix, ddq);
        super::body_motions::body_states(layout, memory, bodies, columns, &mut ws.placed);
        Some(done.pivots())
    }

    /// Where some bodies are, how they move at a velocity without accelerations of joints, and columns of all joints if
    /// asked for, into `ws.placed`; if the state is finite.
    pub(crate) fn place_bodies(
        self,
        q: &[f64],
        v: Option<&[f64]>,
        (bodies, columns): (impl Iterator<Item = usize>, bool),
    ) -> Option<()> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        ws.zeros.resize(model.nv, 0.0);
        ws.placed.size(model);
        let gravity = Vector3::zeros();
        let finite = sweeps::poses(layout, memory, q, None).is_finite()
            && match v {
                Some(v) => {
                    sweeps::motions::<{ Keep::Accelerations as u8 }>(gravity, layout, memory, v, &ws.zeros, None)
                        .is_finite()
                }
                None => {
                    sweeps::columns(layout, memory);
                    true
                }
            };
        super::body_motions::body_states(layout, memory, bodies, columns, &mut ws.placed);
        finite.then_some(())
    }

    /// Factors of the mass matrix into `ws.by_joint`; where some bodies are, and columns of all joints if asked for,
    /// into `ws.placed`.
    pub(crate) fn factorize_and_place(
        mut self,
        q: &[f64],
        (bodies, columns): (impl Iterator<Item = usize>, bool),
    ) -> Option<Result<(), Lost>> {
        let done = self.factorize(q)?;
        let Self { model, layout, ws } = self;
        ws.placed.size(model);
        super::body_motions::body_states(layout, ws.by_joint.as_deref()?, bodies, columns, &mut ws.placed);
        Some(done)
    }

    /// Adds to `motion` what constraints do to it, so that `J motion = −b`: `b` comes in, `−(J motion + b)` goes out.
    /// Returns the largest entry of what is left of it, and the least part of a row that was kept, in squares; or
    /// nothing if rows are not clearly independent. After [`free_accelerations`](Self::free_accelerations) or
    /// [`factorize_and_place`](Self::factorize_and_place).
    pub(crate) fn solve_constraints(
        self,
        rows: ConstraintRows<'_>,
        b: &mut [f64],
        motion: &mut [f64],
        lambda: &mut [f64],
    ) -> Option<(f64, f64)> {
        let JointsMemory { held, factors, .. } = self.ws.by_joint.as_deref_mut()?;
        held::hold(held, factors.as_deref()?, rows, b, motion, lambda)
    }

    /// Motions at a state whose poses are known, for [`add_row_derivatives`](Self::add_row_derivatives).
    pub(crate) fn body_motions_again(self, v: &[f64], a: &[f64]) -> Option<()> {
        let memory = self.ws.by_joint.as_deref_mut()?;
        memory.size_columns(self.layout);
        sweeps::motions::<{ Keep::Accelerations as u8 }>(Vector3::zeros(), self.layout, memory, v, a, None).finite()
    }

    /// How a body whose place is in `ws.placed` moves at the state of the last sweep.
    #[inline]
    pub(crate) fn body_state(&self, body: usize) -> Option<BodyState> {
        let (memory, placed, lane) = (self.ws.by_joint.as_deref()?, &self.ws.placed, self.layout.bodies[body].lane);
        Some(BodyState {
            pose: placed.pose[body],
            origin: placed.origin(body),
            velocity: matrix::of_lane(&memory.velocity, lane),
            acceleration: matrix::of_lane(&memory.acceleration, lane),
        })
    }

    /// Adds how a point or a frame varies with the degrees of freedom that move the body `b` of its side `s`.
    pub(crate) fn add_row_derivatives(
        &mut self,
        what: (Axes, &AtState<'_>),
        (s, b): (usize, usize),
        sums: &mut Sums<'_>,
    ) -> Option<()> {
        let pose = self.ws.placed.pose[b] * *what.1.placements[s];
        variations::add(self.layout, self.ws.by_joint.as_deref_mut()?, what, (s, b, pose), sums);
        Some(())
    }

    /// Derivatives of accelerations and multipliers by the torques, and what the others are multiplied by, after
    /// [`solve_constraints`](Self::solve_constraints).
    pub(crate) fn fill_operators(&mut self, by_torques: Option<(&mut [f64], &mut [f64])>) -> Option<()> {
        let JointsMemory { held, factors, .. } = self.ws.by_joint.as_deref_mut()?;
        projections::fill(held.as_deref_mut()?, factors.as_deref()?, by_torques);
        Some(())
    }

    /// Columns of accelerations and of multipliers, after [`fill_operators`](Self::fill_operators).
    pub(crate) fn apply_operators(&mut self, by: &Changes<'_>, motion: &mut [f64], lambda: &mut [f64]) -> Option<()> {
        let JointsMemory { held, factors, .. } = self.ws.by_joint.as_deref_mut()?;
        projections::solve(held.as_deref_mut()?, factors.as_deref()?, by, motion, lambda);
        Some(())
    }

    /// Brings the factors of the mass matrix that the last call left to `ws.ltl`.
    pub(crate) fn factors_by_paths(self) -> Option<()> {
        self.ws.ltl.size(self.model);
        self.ws.ltl.copy(self.ws.by_joint.as_deref()?.factors.as_deref()?);
        Some(())
    }

    /// The Coriolis matrix.
    pub(crate) fn coriolis(self, state: (&[f64], &[f64]), to: &mut DMatrix<f64>) -> Option<()> {
        let Self { model, layout, ws } = self;
        ws.zeros.resize(model.nv, 0.0);
        coriolis::coriolis(&JointConstants::of(model), layout, ws.by_joint.as_deref_mut()?, state, &ws.zeros, to);
        Some(())
    }
}
