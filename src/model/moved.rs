//! A robot whose parameters have been moved a little, all at once.

use super::friction_curves::no_stribeck_velocity;
use super::joint_dynamics::{JointConstant, no_friction_width};
use super::{CurveConstant, DofDynamics, InputError, Model, SpringConstant};
use crate::joint::{Axis, Joint};
use crate::spatial::{Inertia, Motion, se3, so3, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::Vector3;

impl<P: Real> Model<P> {
    /// The same robot with all parameters moved by `step`, in the order of [`parameter_layout`](Self::parameter_layout):
    /// what gradients by parameters are derivatives along.
    ///
    /// Numbers are added to; placements become `placement ∘ exp(step)`, axes `exp(step) a`. A number that stays must have the step zero,
    /// of which nothing is looked at but over `f64`: over dual numbers all parts count. Make new workspaces. Cost O(n).
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions, Workspace, dynamics::{rnea_parameter_gradient, rnea}};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// let (q, v, a, lambda) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7], [1.0; 7]);
    /// let mut ws = Workspace::new(&model);
    /// let by = rnea_parameter_gradient(&model, &mut ws, &q, &v, &a, &lambda, &[])?;
    /// let (value, axis) = (by.state.value, model.parameter_layout().axis.start + 3);
    /// let slope = by.dp[axis];
    /// // The second joint's axis, turned about its mounting frame's x:
    /// let mut step = vec![0.0; model.parameter_layout().len()];
    /// step[axis] = 1e-6;
    /// let moved = model.with_parameters_moved(&step)?;
    /// let tau = rnea(&moved, &mut Workspace::new(&moved), &q, &v, &a, &[])?.iter().sum::<f64>();
    /// assert!(((tau - value) / 1e-6 - slope).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InputError::Length`] for a wrong number of steps, [`InputError::NotFinite`] by the step's place, [`InputError::Parameter`] if the
    /// friction width or a Stribeck velocity is no longer positive.
    pub fn with_parameters_moved(&self, step: &[P]) -> Result<Self, InputError> {
        let layout = self.parameter_layout().clone();
        self.check_length("steps of parameters", "the number of parameters", step.len(), layout.len())?;
        if let Some(index) = step.iter().position(|x| !x.is_finite()) {
            let (joint, value) = (self.whole_label(), crate::joint::value(step[index]));
            return Err(InputError::NotFinite { what: "steps of parameters", index, joint, value });
        }
        let mut model = self.clone();
        let three = |at: usize| Vector3::new(step[at], step[at + 1], step[at + 2]);
        for (i, body) in model.bodies.iter_mut().enumerate() {
            let (at, mut ten) = (layout.inertial.start + 10 * i, body.inertia.to_parameters());
            if !stays(&step[at..at + 10]) {
                for (x, step) in ten.iter_mut().zip(&step[at..]) {
                    *x += *step;
                }
                body.inertia = Inertia::from_parameters(ten);
            }
            let at = layout.placement.start + 6 * i;
            if !stays(&step[at..at + 6]) {
                body.placement = body.placement * se3::exp6(Motion::new(three(at), three(at + 3)));
            }
        }
        for (k, (body, number)) in layout.axes().enumerate() {
            let at = layout.axis.start + 3 * k;
            if !stays(&step[at..at + 3]) {
                let axis = model.bodies[body].joint.axes()[number];
                let turned = v3::rotate(&so3::exp3(three(at)), axis.vector());
                model = model.with_axis(self.id_of(body), number, Axis::Any(turned))?;
            }
        }
        for (k, (body, number)) in layout.pitches().enumerate() {
            let step = step[layout.pitch.start + k];
            if !stays(&[step]) {
                let pitch = model.bodies[body].joint.pitches()[number];
                model = model.with_pitch(self.id_of(body), number, pitch + step)?;
            }
        }
        for (k, body) in layout.mimics().enumerate() {
            let (by_k, by_b) = (step[layout.multiplier.start + k], step[layout.offset.start + k]);
            if let (Joint::Mimic(joint), false) = (&model.bodies[body].joint, stays(&[by_k, by_b])) {
                let (multiplier, offset) = (joint.multiplier() + by_k, joint.offset() + by_b);
                model = model.with_mimic(self.id_of(body), multiplier, offset)?;
            }
        }
        model.move_joints(step);
        model.move_springs(step);
        model.move_curves(step)?;
        model.friction_width += step[layout.friction_width];
        if let Some(rule) = no_friction_width(model.friction_width) {
            let (name, value) = (self.whole_label(), crate::joint::value(model.friction_width));
            return Err(InputError::Parameter { what: "friction width", name, value, rule });
        }
        for k in 0..3 {
            model.gravity[k] += step[layout.gravity.start + k];
        }
        Ok(model)
    }

    /// Friction, damping and armature.
    fn move_joints(&mut self, step: &[P]) {
        let layout = self.parameter_layout().clone();
        let mut entries = self.dofs.clone();
        let mut more = Vec::new();
        for (j, joint) in layout.joints().iter().enumerate() {
            let steps = JointConstant::ALL.map(|constant| step[layout.of(constant).start + j]);
            if stays(&steps) {
                continue;
            }
            let mut none = DofDynamics::none(joint.dof, joint.multiplier(self));
            let entry = joint.at.map_or(&mut none, |at| &mut entries[at]);
            for (constant, step) in JointConstant::ALL.into_iter().zip(steps) {
                *constant.of_mut(entry) += step;
            }
            if joint.at.is_none() {
                more.push((joint.body.unwrap_or(0), none));
            }
        }
        self.dofs = entries;
        for (body, entry) in more {
            let k = entry.index - self.bodies[body].v.start;
            if let Err(at) = self.joint_entry(body, k) {
                self.dofs.insert(at, entry);
            }
        }
        self.derived = super::Derived::default();
        self.layout.take();
    }
}

impl<P: Real> Model<P> {
    /// Stiffness and references of springs.
    fn move_springs(&mut self, step: &[P]) {
        let layout = self.parameter_layout().clone();
        for (j, (body, k)) in layout.springs().enumerate() {
            let steps = [step[layout.stiffness.start + j], step[layout.spring_reference.start + j]];
            if stays(&steps) {
                continue;
            }
            for (constant, step) in SpringConstant::ALL.into_iter().zip(steps) {
                if let Some(number) = self.spring_constant_mut(constant, body, k) {
                    *number += step;
                }
            }
        }
    }

    /// Friction curves.
    fn move_curves(&mut self, step: &[P]) -> Result<(), InputError> {
        let layout = self.parameter_layout().clone();
        for (j, of) in layout.of_curves().iter().enumerate() {
            let steps = CurveConstant::ALL.map(|constant| step[layout.of_curve_constant(constant).start + j]);
            if stays(&steps) {
                continue;
            }
            let curve = self.curve_mut(of.body, of.dof);
            for (constant, step) in CurveConstant::ALL.into_iter().zip(steps) {
                *constant.of_mut(curve) += step;
            }
            let velocity = curve.stribeck_velocity;
            if let Some(rule) = no_stribeck_velocity(velocity) {
                let (what, name) = ("stribeck_velocity", format!("joint {}", self.bodies[of.body].joint_name));
                return Err(InputError::Parameter { what, name, value: crate::joint::value(velocity), rule });
            }
        }
        Ok(())
    }
}

/// Whether all of these are surely zero.
fn stays<P: Real>(step: &[P]) -> bool {
    P::as_f64s(step).is_some_and(|step| step.iter().all(|x| *x == 0.0))
}
