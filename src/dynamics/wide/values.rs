//! Inverse and forward dynamics, derivatives, and matrices of the mass.

use super::{
    Begun, Changes, Factors, HeldRows, Memory, Results, State, Sums, Wide, afloat, all_finite, articulated, coriolis,
    derivatives, forward, held, mass_matrix, matrix, moving, outward, projections, rnea, sweeps, too_deep, variations,
};
use crate::dynamics::constraints::{AtState, Axes, FactorsOfMass, Place};
use crate::dynamics::{ExternalWrench, branches};
use nalgebra::{DMatrix, Vector3};

/// The first degree of freedom whose pivot is lost, and the pivot.
pub(super) type Lost = (usize, f64);

impl Wide<'_> {
    /// Inverse dynamics into `ws.tau`. Are all torques finite?
    pub(crate) fn rnea(self, state: State<'_>) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        let level = memory.level;
        if memory.wrenches.is_empty()
            && let Some((ranks, memory)) = memory.branches(layout)
            && branches::rnea(model, (ranks, level), memory, state, &mut ws.tau)
        {
            return Some(true);
        }
        // Torques do not depend on where the base is: that it is somewhere has to be seen.
        let surely = rnea::rnea(model, layout, memory, state, &mut ws.tau);
        Some(surely || all_finite(&ws.tau) && all_finite(state.0))
    }

    /// Derivatives of inverse dynamics in the field of some gravity. Are all surely finite?
    pub(crate) fn rnea_derivatives(
        self,
        gravity: Vector3<f64>,
        state: State<'_>,
        wrenches: &[ExternalWrench],
        results: &mut Results<'_>,
        by_wrench: &mut [DMatrix<f64>],
        begun: Begun<'_>,
    ) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        memory.act(wrenches);
        let level = memory.level;
        if matches!(begun, Begun::Nothing)
            && wrenches.is_empty()
            && let Some((ranks, memory)) = memory.branches(layout)
            && ranks.derivatives_pay(level.holds_eight())
            && branches::rnea_derivatives(gravity, model, (ranks, level), memory, state, results)
        {
            return Some(true);
        }
        // The sweeps that left something kept all lanes.
        let (layout, memory) = match begun {
            Begun::Nothing => afloat::fewer(layout, memory),
            Begun::Placed | Begun::Moving(_) => (layout, memory),
        };
        let finite = derivatives::derivatives(gravity, model, layout, memory, state, results, begun);
        for (w, to) in wrenches.iter().zip(by_wrench) {
            derivatives::by_wrench(layout, memory, model.nv, w, to.as_mut_slice());
        }
        Some(finite && wrenches.is_empty() && rnea::as_lanes(layout))
    }

    /// The mass matrix into `ws.crba`. Are it and the state surely finite?
    pub(crate) fn mass_matrix(self, q: &[f64]) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        let to = ws.crba.sized(model.nv);
        let level = memory.level;
        if let Some((ranks, memory)) = memory.branches(layout)
            && ranks.is_quadruped()
            && branches::mass_matrix((ranks, level), memory, q, to)
        {
            return Some(true);
        }
        Some(mass_matrix::mass_matrix(model, layout, memory, q, to))
    }

    /// Factors of the mass matrix into `ws.ltl`.
    pub(crate) fn factors(mut self, q: &[f64]) -> Option<Result<(), Lost>> {
        let done = self.factorize(q)?;
        self.ws.ltl.size(self.model);
        let factors = self.ws.wide.as_deref()?.factors.as_deref()?;
        Some(done.map(|()| self.ws.ltl.copy(factors)))
    }

    /// Factors of the mass matrix into `ws.wide`.
    fn factorize(&mut self, q: &[f64]) -> Option<Result<(), Lost>> {
        let memory = self.ws.wide.as_deref_mut()?;
        Some(forward::factorize(self.model, self.layout, memory, q, self.ws.crba.sized(self.model.nv)))
    }

    /// The inverse of the mass matrix into `ws.minv`, by factors, or by articulated bodies where these are
    /// the faster way.
    pub(crate) fn minv(mut self, q: &[f64]) -> Option<Result<(), Lost>> {
        let Self { model, layout, ref mut ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        let level = memory.level;
        if let Some((ranks, memory)) = memory.branches(layout)
            && ranks.is_quadruped()
            && branches::mass_matrix((ranks, level), memory, q, ws.crba.sized(model.nv))
            && branches::minv((ranks, level), memory, ws.crba.sized(model.nv).as_slice(), ws.minv.matrix.as_mut_slice())
        {
            return Some(Ok(()));
        }
        let factors = &mut self.ws.wide.as_deref_mut()?.factors;
        if too_deep(self.model, factors.get_or_insert_with(|| Box::new(Factors::new(self.model)))) {
            let memory = self.ws.wide.as_deref_mut()?;
            sweeps::masses(self.model, self.layout, memory, q);
            let done = articulated::factorize(self.model, self.layout, memory);
            let Memory { articulated, level, .. } = memory;
            let by = articulated.as_deref_mut()?;
            return Some(done.map(|()| {
                by.invert(*level, &mut self.ws.minv.matrix);
            }));
        }
        let done = self.factorize(q)?;
        let factors = self.ws.wide.as_deref_mut()?.factors.as_deref_mut()?;
        Some(done.map(|()| factors.invert(&mut self.ws.minv.matrix)))
    }

    /// Derivatives of accelerations by configurations, velocities and torques, from those of torques, after
    /// [`rnea_derivatives`](Self::rnea_derivatives) of a [quadruped](by_legs). Are all finite, and no pivot lost?
    pub(crate) fn aba_derivatives(
        self,
        v: &[f64],
        [by_q, by_v, mass]: [&[f64]; 3],
        [dq, dv, dtau]: [&mut DMatrix<f64>; 3],
    ) -> Option<bool> {
        let Self { model, layout, ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        let level = memory.level;
        let (ranks, memory) = memory.branches(layout)?;
        let done = branches::minv((ranks, level), memory, mass, dtau.as_mut_slice())
            && branches::aba_derivatives(model.gravity, level, memory, v, [by_q, by_v], [dq, dv]);
        Some(done)
    }

    /// Accelerations by torques into `ws.aba`, if there are no mimic joints or factors of the mass matrix are the faster way.
    pub(crate) fn aba(self, state: State<'_>, kept: bool) -> Option<Result<(), Lost>> {
        let Self { model, layout, ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        if !kept {
            ws.still.resize(model.nv, 0.0);
            let level = memory.level;
            if memory.wrenches.is_empty()
                && let Some((ranks, memory)) = memory.branches(layout)
                && branches::aba(model, (ranks, level), memory, state, &ws.still, &mut ws.aba.ddq)
            {
                return Some(Ok(()));
            }
        }
        let factors = memory.factors.get_or_insert_with(|| Box::new(Factors::new(model)));
        ws.still.resize(model.nv, 0.0);
        let (still, ddq) = (&ws.still, &mut ws.aba.ddq);
        if too_deep(model, factors) {
            forward::left_over::<false>(model, layout, memory, state, still, ddq);
            return Some(articulated::factorize_and_solve(model, layout, memory, ddq));
        }
        if !factors.pays() {
            return None;
        }
        Some(forward::accelerations(model, layout, memory, state, still, ws.crba.sized(model.nv), ddq))
    }

    /// Accelerations by torques into `ddq`, factors of the mass matrix into `ws.wide`; where some bodies are and how they
    /// move without accelerations of joints, and columns of all joints if asked for, into `ws.rooted`. Says what the factors are.
    pub(crate) fn unconstrained(
        self,
        state: State<'_>,
        (bodies, columns): (impl Iterator<Item = usize>, bool),
        ddq: &mut [f64],
    ) -> Option<Result<FactorsOfMass, Lost>> {
        let Self { model, layout, ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        ws.still.resize(model.nv, 0.0);
        ws.rooted.size(model, ws.dof.len());
        let factors = memory.factors.get_or_insert_with(|| Box::new(Factors::new(model)));
        let done = if too_deep(model, factors) {
            forward::left_over::<false>(model, layout, memory, state, &ws.still, ddq);
            articulated::factorize_and_solve(model, layout, memory, ddq).map(|()| FactorsOfMass::Bodies)
        } else {
            let matrix = ws.crba.sized(model.nv);
            let done = forward::accelerations(model, layout, memory, state, &ws.still, matrix, ddq);
            done.map(|()| FactorsOfMass::Blocks)
        };
        moving::seats(model, layout, memory, bodies, columns, &mut ws.rooted);
        Some(done)
    }

    /// Where some bodies are, how they move at a velocity without accelerations of joints, and columns of all joints if asked
    /// for, into `ws.rooted`; if the state is finite.
    pub(crate) fn seats(
        self,
        q: &[f64],
        v: Option<&[f64]>,
        (bodies, columns): (impl Iterator<Item = usize>, bool),
    ) -> Option<()> {
        let Self { model, layout, ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        ws.still.resize(model.nv, 0.0);
        ws.rooted.size(model, ws.dof.len());
        let gravity = Vector3::zeros();
        let finite = sweeps::place(model, layout, memory, q, None)
            && match v {
                Some(v) => sweeps::drive::<{ outward::MOTIONS }>(gravity, layout, memory, v, &ws.still, None),
                None => {
                    sweeps::columns(layout, memory);
                    true
                }
            };
        moving::seats(model, layout, memory, bodies, columns, &mut ws.rooted);
        finite.then_some(())
    }

    /// Factors of the mass matrix into `ws.wide`; where some bodies are, and columns of all joints if asked for, into `ws.rooted`. Says
    /// what the factors are.
    pub(crate) fn still(
        mut self,
        q: &[f64],
        (bodies, columns): (impl Iterator<Item = usize>, bool),
    ) -> Option<Result<FactorsOfMass, Lost>> {
        let Self { model, layout, ref mut ws } = self;
        let memory = ws.wide.as_deref_mut()?;
        let factors = memory.factors.get_or_insert_with(|| Box::new(Factors::new(model)));
        let done = if too_deep(model, factors) {
            sweeps::masses(model, layout, memory, q);
            articulated::factorize(model, layout, memory).map(|()| FactorsOfMass::Bodies)
        } else {
            self.factorize(q)?.map(|()| FactorsOfMass::Blocks)
        };
        let Self { model, layout, ws } = self;
        ws.rooted.size(model, ws.dof.len());
        moving::seats(model, layout, ws.wide.as_deref()?, bodies, columns, &mut ws.rooted);
        Some(done)
    }

    /// Adds to `motion` what constraints do to it, so that `J motion = −b`: `b` comes in, `−(J motion + b)` goes out. Returns
    /// the largest entry of what is left of it, and the least part of a row that was kept, in squares; or nothing if rows are not
    /// clearly independent. After
    /// [`unconstrained`](Self::unconstrained) or [`still`](Self::still).
    pub(crate) fn hold(
        self,
        rows: HeldRows<'_>,
        b: &mut [f64],
        motion: &mut [f64],
        lambda: &mut [f64],
    ) -> Option<(f64, f64)> {
        let Memory { held, factors, .. } = self.ws.wide.as_deref_mut()?;
        held::hold(held, factors.as_deref()?, rows, b, motion, lambda)
    }

    /// `x := Hᵀ x`, columns of nv entries, with `M⁻¹ = H Hᵀ` of articulated bodies that the last call has left; so do the next three.
    pub(crate) fn half(&mut self, x: &mut [f64]) -> Option<()> {
        let memory = self.ws.wide.as_deref_mut()?;
        memory.articulated.as_deref_mut()?.half(memory.level, x);
        Some(())
    }

    /// `x := s H x`, columns of nv entries.
    pub(crate) fn other_half(&mut self, s: f64, x: &mut [f64]) -> Option<()> {
        let memory = self.ws.wide.as_deref_mut()?;
        memory.articulated.as_deref_mut()?.other_half(memory.level, s, x);
        Some(())
    }

    /// `x := Hᵀ`, nv × nv.
    pub(crate) fn half_of_identity(&mut self, x: &mut [f64]) -> Option<()> {
        let memory = self.ws.wide.as_deref_mut()?;
        memory.articulated.as_deref_mut()?.half_of_identity(memory.level, x);
        Some(())
    }

    /// `x := H x`, nv × nv, where that is symmetric: of `x` the upper triangle counts.
    pub(crate) fn other_half_symmetric(&mut self, x: &mut [f64]) -> Option<()> {
        let memory = self.ws.wide.as_deref_mut()?;
        memory.articulated.as_deref_mut()?.other_half_symmetric(memory.level, x);
        Some(())
    }

    /// Motions at a state whose poses are known, for [`vary`](Self::vary).
    pub(crate) fn drive_again(self, v: &[f64], a: &[f64]) -> Option<()> {
        let memory = self.ws.wide.as_deref_mut()?;
        memory.size_columns(self.layout);
        sweeps::drive::<{ outward::MOTIONS }>(Vector3::zeros(), self.layout, memory, v, a, None).then_some(())
    }

    /// How a body whose place is in `ws.rooted` moves at the state of the last sweep.
    #[inline]
    pub(crate) fn place_of(&self, body: usize) -> Option<Place> {
        let (memory, rooted, lane) = (self.ws.wide.as_deref()?, &self.ws.rooted, self.layout.bodies[body].lane);
        Some(Place {
            pose: rooted.pose[body],
            origin: rooted.origin(body),
            velocity: matrix::of_lane(&memory.velocity, lane),
            acceleration: matrix::of_lane(&memory.acceleration, lane),
        })
    }

    /// Adds how a point or a frame varies with the degrees of freedom that move the body `b` of its side `s`.
    pub(crate) fn vary(
        &mut self,
        what: (Axes, &AtState<'_>),
        (s, b): (usize, usize),
        sums: &mut Sums<'_>,
    ) -> Option<()> {
        let pose = self.ws.rooted.pose[b] * *what.1.placements[s];
        variations::add(self.layout, self.ws.wide.as_deref_mut()?, what, (s, b, pose), sums);
        Some(())
    }

    /// Derivatives of accelerations and multipliers by the torques, and what the others are multiplied by, after
    /// [`hold`](Self::hold).
    pub(crate) fn project(&mut self, by_torques: Option<(&mut [f64], &mut [f64])>) -> Option<()> {
        let Memory { held, factors, .. } = self.ws.wide.as_deref_mut()?;
        projections::fill(held.as_deref_mut()?, factors.as_deref()?, by_torques);
        Some(())
    }

    /// Columns of accelerations and of multipliers, after [`project`](Self::project).
    pub(crate) fn solve_held(&mut self, by: &Changes<'_>, motion: &mut [f64], lambda: &mut [f64]) -> Option<()> {
        let Memory { held, factors, .. } = self.ws.wide.as_deref_mut()?;
        projections::solve(held.as_deref_mut()?, factors.as_deref()?, by, motion, lambda);
        Some(())
    }

    /// Brings the factors of the mass matrix that the last call left to `ws.ltl`.
    pub(crate) fn factors_by_paths(self) -> Option<()> {
        self.ws.ltl.size(self.model);
        self.ws.ltl.copy(self.ws.wide.as_deref()?.factors.as_deref()?);
        Some(())
    }

    /// The Coriolis matrix.
    pub(crate) fn coriolis(self, state: (&[f64], &[f64]), to: &mut DMatrix<f64>) -> Option<()> {
        let Self { model, layout, ws } = self;
        ws.still.resize(model.nv, 0.0);
        coriolis::coriolis(model, layout, ws.wide.as_deref_mut()?, state, &ws.still, to);
        Some(())
    }
}
