//! Kinematics, weights, momentum. Each method also returns `None` if something is not finite, or if there is no mass.
//! The plain form then reports the reason.

use crate::dynamics::by_plan::{Kernels, State};
use crate::dynamics::reference::Attached;
use crate::dynamics::{
    CenterOfMassDerivatives, CentroidalDerivatives, FrameDerivatives, PointDerivatives, ReferenceFrame,
};
use crate::formulas::frame_view::FrameView;
use crate::formulas::mass_moments::{MovingMass, Whole};
use crate::kernels::by_joint::matrix::{end, shape};
use crate::kernels::by_joint::outward::Keep;
use crate::kernels::by_joint::quantities::{FORCE, INERTIA};
use crate::kernels::by_joint::subtree::Subtree;
use crate::kernels::by_joint::sweeps::WEIGHTS;
use crate::kernels::by_joint::{JointsMemory, centroidal, energies, first_moments, jacobians, regressor, rnea, sweeps};
use crate::kernels::finite::all_finite;
use crate::plan::{JointConstants, JointsLayout};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::WIDTH;
use nalgebra::{DMatrix, Vector3};

impl<'a> Kernels<'a> {
    /// Poses of all bodies into `ws.by_joint`.
    fn place(&mut self, q: &[f64]) -> Option<()> {
        self.place_to(q, None)
    }

    /// The same, or of those from the root to one.
    fn place_to(&mut self, q: &[f64], to: Option<usize>) -> Option<()> {
        sweeps::poses(self.layout, self.ws.by_joint.as_deref_mut()?, q, to).finite()
    }

    /// Motions of bodies that have been placed into `ws.by_joint`, or of those from the root to one, and others.
    fn body_motions<const KEPT: u8>(
        &mut self,
        gravity: Vector3<f64>,
        v: &[f64],
        a: &[f64],
        to: Option<usize>,
    ) -> Option<()> {
        sweeps::motions::<KEPT>(gravity, self.layout, self.ws.by_joint.as_deref_mut()?, v, a, to).finite()
    }

    /// Poses and motions of all bodies, to be asked for by [`rows_of`](super::rows_of).
    pub(crate) fn bodies(self, state: State<'_>) -> Option<()> {
        sweeps::bodies::<{ Keep::Bodies as u8 }>(v3::zero(), self.layout, self.ws.by_joint.as_deref_mut()?, state)
            .finite()
    }

    /// Masses of all subtrees and how they move, and the origins of the trees, by the bodies at their roots.
    pub(crate) fn masses(
        self,
        state: State<'_>,
        origins: &mut [Vector3<f64>],
        sums: &mut [MovingMass<f64>],
    ) -> Option<()> {
        let memory = self.ws.by_joint.as_deref_mut()?;
        let finite = energies::masses(self.layout, memory, state, sums);
        for ((root, _), origin) in self.layout.roots.iter().zip(&memory.origins) {
            origins[*root] = *origin;
        }
        finite.finite()
    }

    /// The regressor of the kinetic energy at the velocity `v`, or of the potential energy if there is none, into
    /// `ws.regressor`.
    pub(crate) fn energy_regressor(mut self, q: &[f64], v: Option<&[f64]>) -> Option<()> {
        self.place(q)?;
        let Self { model, layout, ws } = self;
        let to = shape(&mut ws.regressor.energy, 1, 10 * model.bodies.len());
        energies::regressor(&JointConstants::of(model), layout, ws.by_joint.as_deref_mut()?, v, to);
        all_finite(to).then_some(())
    }

    /// The columns of all joints in the world into `ws.jacobian`.
    pub(crate) fn joint_jacobians(mut self, q: &[f64]) -> Option<()> {
        self.place(q)?;
        let to = shape(&mut self.ws.jacobian.joints, 6, self.model.nv);
        jacobians::joints(self.layout, self.ws.by_joint.as_deref()?, to).finite()
    }

    /// The Jacobian of a frame into `ws.jacobian`.
    pub(crate) fn frame_jacobian(mut self, q: &[f64], at: &Attached<f64>, reference: ReferenceFrame) -> Option<()> {
        let (b, seen) = self.frame_view(q, at, reference)?;
        let to = shape(&mut self.ws.jacobian.frame, 6, self.model.nv);
        jacobians::of_frame::<6>(self.layout, self.ws.by_joint.as_deref()?, b, seen, to).finite()
    }

    /// Its linear rows: the Jacobian of a point.
    pub(crate) fn point_jacobian(mut self, q: &[f64], at: &Attached<f64>, reference: ReferenceFrame) -> Option<()> {
        let (b, seen) = self.frame_view(q, at, reference)?;
        let to = shape(&mut self.ws.jacobian.point, 3, self.model.nv);
        jacobians::of_frame::<3>(self.layout, self.ws.by_joint.as_deref()?, b, seen, to).finite()
    }

    /// Pose of a frame in the world.
    pub(crate) fn frame_pose(&mut self, q: &[f64], at: &Attached<f64>) -> Option<Transform<f64>> {
        Some(self.frame_view(q, at, ReferenceFrame::World)?.1.in_world())
    }

    /// The same, of a frame whose bodies have been placed by the call before.
    pub(crate) fn placed_pose(&self, at: &Attached<f64>) -> Option<Transform<f64>> {
        let memory = self.ws.by_joint.as_deref()?;
        Some(jacobians::seen(self.layout, memory, at.body?, &at.placement, ReferenceFrame::World).in_world())
    }

    /// Places the bodies that carry a frame, and looks at it.
    fn frame_view(
        &mut self,
        q: &[f64],
        at: &Attached<f64>,
        reference: ReferenceFrame,
    ) -> Option<(usize, FrameView<f64>)> {
        let b = at.body?;
        self.place_to(q, Some(b))?;
        Some((b, jacobians::seen(self.layout, self.ws.by_joint.as_deref()?, b, &at.placement, reference)))
    }

    /// The rate of the Jacobian of a frame into `ws.jacobian`.
    pub(crate) fn frame_jacobian_rate(
        mut self,
        (q, v): (&[f64], &[f64]),
        at: &Attached<f64>,
        reference: ReferenceFrame,
    ) -> Option<()> {
        let (b, seen) = self.frame_view(q, at, reference)?;
        self.body_motions::<{ Keep::Velocities as u8 }>(v3::zero(), v, &[], Some(b))?;
        let memory = self.ws.by_joint.as_deref()?;
        let to = shape(&mut self.ws.jacobian.rate, 6, self.model.nv);
        jacobians::rate(self.layout, memory, b, seen, to).finite()
    }

    /// Motion of a frame, with its spatial or its classical acceleration, and its derivatives.
    pub(crate) fn frame_derivatives(
        mut self,
        (q, v, a): State<'_>,
        at: &Attached<f64>,
        reference: ReferenceFrame,
        is_classical: bool,
        out: &mut FrameDerivatives,
    ) -> Option<()> {
        let (b, seen) = self.frame_view(q, at, reference)?;
        let (v, a) = self.frame_motion_in_view(v3::zero(), (v, a), (b, &seen))?;
        (out.velocity, out.acceleration) = (v, if is_classical { a.classical(v) } else { a });
        if !(out.velocity.is_finite() && out.acceleration.is_finite()) {
            return None;
        }
        let to = out.matrices_mut().map(|m| shape(m, 6, self.model.nv));
        let memory = self.ws.by_joint.as_deref_mut()?;
        jacobians::derivatives::<6>(self.layout, memory, b, seen, is_classical, to).finite()
    }

    /// Motion of a point, and its derivatives.
    pub(crate) fn point_derivatives(
        mut self,
        (q, v, a): State<'_>,
        at: &Attached<f64>,
        reference: ReferenceFrame,
        out: &mut PointDerivatives,
    ) -> Option<()> {
        let (b, seen) = self.frame_view(q, at, reference)?;
        let (v, a) = self.frame_motion_in_view(v3::zero(), (v, a), (b, &seen))?;
        (out.velocity, out.acceleration) = (v.linear, a.classical(v).linear);
        if !(v3::is_finite(out.velocity) && v3::is_finite(out.acceleration)) {
            return None;
        }
        let to = out.matrices_mut().map(|m| shape(m, 3, self.model.nv));
        let memory = self.ws.by_joint.as_deref_mut()?;
        jacobians::derivatives::<3>(self.layout, memory, b, seen, true, to).finite()
    }

    /// Velocity and spatial acceleration of a frame in the field of some gravity.
    pub(crate) fn frame_motion(
        mut self,
        gravity: Vector3<f64>,
        (q, v, a): State<'_>,
        at: &Attached<f64>,
        reference: ReferenceFrame,
    ) -> Option<(Motion<f64>, Motion<f64>)> {
        let (b, seen) = self.frame_view(q, at, reference)?;
        self.frame_motion_in_view(gravity, (v, a), (b, &seen))
    }

    /// Moves the bodies that carry a frame which has been looked at.
    fn frame_motion_in_view(
        &mut self,
        gravity: Vector3<f64>,
        (v, a): (&[f64], &[f64]),
        (b, seen): (usize, &FrameView<f64>),
    ) -> Option<(Motion<f64>, Motion<f64>)> {
        self.body_motions::<{ Keep::Accelerations as u8 }>(gravity, v, a, Some(b))?;
        let (v, fall) = jacobians::motions(self.layout, self.ws.by_joint.as_deref()?, b);
        let up = Motion::new(v3::neg(gravity), v3::zero());
        Some((seen.motion(v), seen.motion(fall + up)))
    }

    /// Torques that hold the robot still against gravity, into `ws.tau`.
    pub(crate) fn gravity(mut self, q: &[f64]) -> Option<()> {
        self.place(q)?;
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        sweeps::subtree_inertias::<WEIGHTS>(layout, memory);
        let finite = first_moments::gravity(&JointConstants::of(model), layout, memory);
        rnea::of_lanes(layout, memory, &mut ws.tau);
        end(layout, finite, &ws.tau).finite()
    }

    /// The Jacobian of the center of mass of the robot, or of the subtree of a body.
    pub(crate) fn com_jacobian(mut self, q: &[f64], body: Option<usize>, to: &mut DMatrix<f64>) -> Option<()> {
        self.place(q)?;
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        sweeps::subtree_inertias::<WEIGHTS>(layout, memory);
        let part = Subtree::of(layout, body);
        let mass = match part.lane(layout) {
            Some(lane) => memory.sums[lane / WIDTH][FORCE].0[lane % WIDTH],
            None => first_moments::center(layout, memory),
        };
        let share = 1.0 / mass;
        let to = shape(to, 3, model.nv);
        (share.is_finite() && first_moments::com_jacobian(layout, memory, &part, share, to).is_finite()).then_some(())
    }

    /// The center of mass of the robot, or of the subtree of a body, how it moves, and its derivatives.
    pub(crate) fn center_of_mass_derivatives(
        self,
        state: State<'_>,
        body: Option<usize>,
        out: &mut CenterOfMassDerivatives,
    ) -> Option<()> {
        let model = self.model;
        let (layout, memory, whole) = self.whole_body(state)?;
        let part = Subtree::of(layout, body);
        let com = body.map_or(whole.com, |b| centroidal::com_of(layout, memory, b));
        (out.position, out.velocity, out.acceleration, out.errors) =
            (com.position, com.velocity, com.acceleration, None);
        let to = out.matrices_mut().map(|m| shape(m, 3, model.nv));
        (com.is_finite()
            && centroidal::center_of_mass_derivatives(layout, memory, &part, 1.0 / com.mass, to).is_finite())
        .then_some(())
    }

    /// Kinetic and potential energy.
    pub(crate) fn energies(mut self, q: &[f64], v: &[f64]) -> Option<(f64, f64)> {
        self.place(q)?;
        let (kinetic, potential) =
            first_moments::energy(&JointConstants::of(self.model), self.layout, self.ws.by_joint.as_deref_mut()?, v);
        (kinetic.is_finite() && potential.is_finite()).then_some((kinetic, potential))
    }

    /// Potential energy.
    pub(crate) fn potential_energy(mut self, q: &[f64]) -> Option<f64> {
        self.place(q)?;
        let potential =
            first_moments::potential(&JointConstants::of(self.model), self.layout, self.ws.by_joint.as_deref()?);
        potential.is_finite().then_some(potential)
    }

    /// The centroidal momentum matrix.
    pub(crate) fn momentum_matrix(mut self, q: &[f64], to: &mut DMatrix<f64>) -> Option<()> {
        self.place(q)?;
        let memory = self.ws.by_joint.as_deref_mut()?;
        sweeps::subtree_inertias::<INERTIA>(self.layout, memory);
        let some = first_moments::center(self.layout, memory).recip().is_finite();
        (some && centroidal::momentum_matrix(self.layout, memory, shape(to, 6, self.model.nv)).is_finite())
            .then_some(())
    }

    /// The robot as a whole, the centroidal momentum matrix and its rate.
    pub(crate) fn centroidal(
        self,
        state: State<'_>,
        to: &mut DMatrix<f64>,
        rate: &mut DMatrix<f64>,
    ) -> Option<Whole<f64>> {
        let nv = self.model.nv;
        let (layout, memory, whole) = self.whole_body(state)?;
        let to = (shape(to, 6, nv), shape(rate, 6, nv));
        centroidal::matrices(layout, memory, whole.com.velocity, to).is_finite().then_some(whole)
    }

    /// The robot as a whole.
    pub(crate) fn centroidal_momentum(mut self, (q, v, a): State<'_>) -> Option<Whole<f64>> {
        self.place(q)?;
        self.body_motions::<{ Keep::Inertias as u8 }>(v3::zero(), v, a, None)?;
        let whole = centroidal::total(self.layout, self.ws.by_joint.as_deref()?);
        (whole.com.mass.recip().is_finite() && whole.is_finite()).then_some(whole)
    }

    /// The momentum of the robot, its rate of change, and their derivatives.
    pub(crate) fn centroidal_derivatives(self, state: State<'_>, out: &mut CentroidalDerivatives) -> Option<()> {
        let nv = self.model.nv;
        let (layout, memory, whole) = self.whole_body(state)?;
        (out.momentum, out.momentum_rate, out.errors) = (whole.momentum, whole.force, None);
        for m in out.matrices_mut() {
            shape(m, 6, nv);
        }
        (whole.is_finite()
            && centroidal::derivatives(layout, memory, &whole, out.matrices_mut().map(|m| m.as_mut_slice()))
                .is_finite())
        .then_some(())
    }

    /// The robot as a whole, and what its momentum and derivatives are made of.
    fn whole_body(mut self, (q, v, a): State<'_>) -> Option<(&'a JointsLayout, &'a JointsMemory, Whole<f64>)> {
        self.place(q)?;
        self.body_motions::<{ Keep::Derivatives as u8 }>(v3::zero(), v, a, None)?;
        let Self { layout, ws, .. } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let whole = centroidal::whole(layout, memory);
        whole.com.mass.recip().is_finite().then_some((layout, memory, whole))
    }

    /// What second derivatives of inverse dynamics begin with, into `ws.second`; poses into `ws.placed` if asked for.
    pub(crate) fn placed(mut self, (q, v, a): State<'_>, poses: bool) -> Option<()> {
        self.place(q)?;
        let Self { model, layout, ws } = self;
        ws.second(model);
        let (memory, placed) = (ws.by_joint.as_deref_mut()?, &mut ws.placed);
        sweeps::motions::<{ Keep::Derivatives as u8 }>(model.gravity, layout, memory, v, a, None).finite()?;
        super::composites::copy_columns(layout, memory, ws.second.as_deref_mut()?);
        if poses {
            super::composites::copy_poses(layout, memory, placed);
        }
        Some(())
    }

    /// How a frame moves by small errors of placements, into `ws.regressor`.
    pub(crate) fn kinematic_regressor(
        mut self,
        q: &[f64],
        at: &Attached<f64>,
        reference: ReferenceFrame,
    ) -> Option<()> {
        let (b, seen) = self.frame_view(q, at, reference)?;
        let Self { model, layout, ws } = self;
        let to = shape(&mut ws.regressor.kinematic, 6, 6 * model.bodies.len());
        jacobians::placements(layout, ws.by_joint.as_deref()?, b, seen, to);
        all_finite(to).then_some(())
    }

    /// The regressor of the center of mass, by one over the mass of the robot, into `ws.regressor`.
    pub(crate) fn com_regressor(mut self, q: &[f64], share: f64) -> Option<()> {
        self.place(q)?;
        let Self { model, layout, ws } = self;
        let to = shape(&mut ws.regressor.com, 3, 4 * model.bodies.len());
        regressor::com(layout, ws.by_joint.as_deref()?, share, to);
        all_finite(to).then_some(())
    }

    /// The joint-torque regressor into `ws.regressor`.
    pub(crate) fn torque_regressor(self, state: State<'_>) -> Option<()> {
        let Self { model, layout, ws } = self;
        let memory = ws.by_joint.as_deref_mut()?;
        let finite = sweeps::bodies::<{ Keep::Bodies as u8 }>(model.gravity, layout, memory, state);
        let to = shape(&mut ws.regressor.torque, model.nv, 10 * model.bodies.len());
        finite.and(regressor::torques(layout, memory, model.nv, to).is_finite()).finite()
    }
}
