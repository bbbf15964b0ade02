//! Other numbers for the same robot: masses, placements, armature, friction, gravity, limits.
//!
//! [`Model::update_parameters`] changes them in place, for loops that ask the same robot about many parameters: sensitivities,
//! identification, calibration. What `with_…` has in its name gives the changed robot back.

use super::joint_dynamics::{JointConstant, no_friction_width};
use super::range::no_range;
use super::{Body, BodyId, DofDynamics, FrameId, FrictionCurve, InputError, JointSpring, Model, PoseSpring};
use crate::joint::value;
use crate::spatial::{Inertia, PoseError, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// The parameters of a model, to be changed: what [`Model::update_parameters`] hands out.
///
/// Each function checks its numbers before it writes the first of them.
#[derive(Debug)]
pub struct Parameters<'m, P = f64> {
    pub(super) model: &'m mut Model<P>,
    /// Whether the list of entries of joint dynamics has changed.
    relisted: bool,
}

impl<P: Real> Model<P> {
    /// Changes parameters in place: tree, joints and names stay, and with them workspaces and ids.
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions, Workspace, dynamics::rnea};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let mut model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// # let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7]);
    /// let mut workspace = Workspace::new(&model);
    /// let hand = model.body_id(6).expect("is there");
    /// let empty = *model.bodies()[6].inertia();
    /// for load in [0.0, 0.5, 1.0] {
    ///     let mut inertia = empty;
    ///     inertia.mass += load;
    ///     model.update_parameters(|parameters| parameters.set_inertia(hand, inertia).map(|_| ()))?;
    ///     println!("{load} kg: {} N m", rnea(&model, &mut workspace, &q, &v, &a, &[])?[3]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Cost O(n) a call, whatever has been changed. Allocates nothing, but at the next use of the model if it is a
    /// clone, or has clones, that have been used; if a joint gets its first armature, damping, friction or spring; or if the
    /// placement of a joint that is not a hinge was the identity so far.
    ///
    /// # Errors
    /// That of `change`; what it had changed before stays changed.
    pub fn update_parameters(
        &mut self,
        change: impl FnOnce(&mut Parameters<'_, P>) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        let mut parameters = Parameters { model: self, relisted: false };
        let done = change(&mut parameters);
        let relisted = parameters.relisted;
        let mut derived = std::mem::take(&mut self.derived);
        if !relisted {
            derived.refresh(self);
            self.derived = derived;
        } else {
            self.layout.take();
        }
        done
    }

    /// The same, of a robot that is given back.
    pub(super) fn with(
        mut self,
        change: impl FnOnce(&mut Parameters<'_, P>) -> Result<(), InputError>,
    ) -> Result<Self, InputError> {
        self.update_parameters(change)?;
        Ok(self)
    }
}

impl<P: Real> Parameters<'_, P> {
    /// The model as it is now.
    #[must_use]
    pub fn model(&self) -> &Model<P> {
        self.model
    }

    /// Sets gravity, m/s² in the world.
    ///
    /// # Errors
    /// [`InputError::NotFinite`]
    pub fn set_gravity(&mut self, gravity: Vector3<P>) -> Result<&mut Self, InputError> {
        if gravity.iter().any(|x| !x.is_finite()) {
            finite("gravity", &self.model.whole_label(), gravity.as_slice())?;
        }
        self.model.gravity = gravity;
        Ok(self)
    }

    /// Switches damping and friction of the joints on or off.
    pub fn set_joint_friction(&mut self, on: bool) -> &mut Self {
        self.model.joint_friction = on;
        self
    }

    /// Sets the width of the smooth Coulomb friction, rad/s (m/s).
    ///
    /// # Errors
    /// [`InputError::Parameter`] for one that is not positive, or has a square that vanishes.
    pub fn set_friction_width(&mut self, width: P) -> Result<&mut Self, InputError> {
        if let Some(rule) = no_friction_width(width) {
            let name = self.model.whole_label();
            return Err(InputError::Parameter { what: "friction width", name, value: value(width), rule });
        }
        self.model.friction_width = width;
        Ok(self)
    }

    /// Sets the inertia of a body, in its own frame.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::NotFinite`] by the parameter's place in
    /// [`Inertia::to_parameters`].
    pub fn set_inertia(&mut self, body: BodyId, inertia: Inertia<P>) -> Result<&mut Self, InputError> {
        let b = self.body(body)?;
        let parameters = inertia.to_parameters();
        if parameters.iter().any(|x| !x.is_finite()) {
            finite("inertia", &format!("body {}", b.name), &parameters)?;
        }
        b.inertia = inertia;
        Ok(self)
    }

    /// Sets the inertias of all bodies by their parameters, ten each: what regressors multiply, and
    /// [`Model::inertial_parameters`] gives.
    ///
    /// # Errors
    /// [`InputError::Parameters`] for a wrong number of them, [`InputError::NotFinite`] by the parameter's place.
    pub fn set_inertial_parameters(&mut self, parameters: &[P]) -> Result<&mut Self, InputError> {
        let (ten, rest) = parameters.as_chunks::<10>();
        let bodies = self.model.bodies.len();
        if ten.len() != bodies || !rest.is_empty() {
            let (expected, found) = (10 * bodies, parameters.len());
            return Err(InputError::Parameters { expected, found, bodies });
        }
        if let Some(index) = parameters.iter().position(|x| !x.is_finite()) {
            let (joint, value) = (format!("body {}", self.model.bodies[index / 10].name), value(parameters[index]));
            return Err(InputError::NotFinite { what: "inertial parameters", index, joint, value });
        }
        for (body, parameters) in self.model.bodies.iter_mut().zip(ten) {
            body.inertia = Inertia::from_parameters(*parameters);
        }
        Ok(self)
    }

    /// Sets the mounting pose of a body's joint in the parent.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::Placement`] for what is no pose.
    pub fn set_placement(&mut self, body: BodyId, placement: Transform<P>) -> Result<&mut Self, InputError> {
        let b = self.body(body)?;
        let refuse = |error: PoseError| InputError::Placement { joint: b.joint_name.clone(), error: error.into() };
        placement.check().map_err(refuse)?;
        b.placement = placement;
        Ok(self)
    }

    /// Sets the pose of a frame in its body, or in the world. That of a body's own frame is the identity.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's frame, [`InputError::OwnFrame`] for a body's own,
    /// [`InputError::FramePlacement`] for what is no pose.
    pub fn set_frame_placement(&mut self, frame: FrameId, placement: Transform<P>) -> Result<&mut Self, InputError> {
        let (place, bodies) = (self.model.check_frame(frame)?, self.model.bodies.len());
        let at = &mut self.model.frames[place];
        if place < bodies {
            return Err(InputError::OwnFrame { body: at.name.clone() });
        }
        let refuse = |error: PoseError| InputError::FramePlacement { frame: at.name.clone(), error: error.into() };
        placement.check().map_err(refuse)?;
        at.placement = placement;
        Ok(self)
    }

    /// Sets the armature of a body's joint, one entry a degree of freedom, kg m² (kg).
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::JointLength`] for a wrong number of entries,
    /// [`InputError::NotFinite`] by the entry's place, [`InputError::Parameter`] for one that is negative.
    pub fn set_armature(&mut self, body: BodyId, armature: &[P]) -> Result<&mut Self, InputError> {
        self.set_constant(JointConstant::Armature, body, armature)
    }

    /// Sets the viscous friction of a body's joint, one entry a degree of freedom, N m s/rad (N s/m).
    ///
    /// # Errors
    /// As [`set_armature`](Self::set_armature).
    pub fn set_damping(&mut self, body: BodyId, damping: &[P]) -> Result<&mut Self, InputError> {
        self.set_constant(JointConstant::Damping, body, damping)
    }

    /// Sets the Coulomb friction of a body's joint, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// As [`set_armature`](Self::set_armature).
    pub fn set_friction(&mut self, body: BodyId, friction: &[P]) -> Result<&mut Self, InputError> {
        self.set_constant(JointConstant::Friction, body, friction)
    }

    /// Sets the range of each coordinate of a body's joint; infinite where there is no limit.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::JointLength`] for a wrong number of entries,
    /// [`InputError::Parameter`] for a range that is NaN or empty. A mimic joint has its leader's.
    pub fn set_q_limits(&mut self, body: BodyId, limits: &[(f64, f64)]) -> Result<&mut Self, InputError> {
        let b = &*self.body(body)?;
        let q = b.q.clone();
        length("limits", b, limits.len(), q.len())?;
        for &(lower, upper) in limits {
            if let Some((what, value, rule)) = no_range(lower, upper) {
                return Err(InputError::Parameter { what, name: format!("joint {}", b.joint_name), value, rule });
            }
        }
        for (i, (lower, upper)) in q.zip(limits) {
            (self.model.limits.q_lower[i], self.model.limits.q_upper[i]) = (*lower, *upper);
        }
        Ok(self)
    }

    /// Sets the greatest |v| of each degree of freedom of a body's joint.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::JointLength`] for a wrong number of entries,
    /// [`InputError::Parameter`] for one that is negative or NaN.
    pub fn set_velocity_limits(&mut self, body: BodyId, limits: &[f64]) -> Result<&mut Self, InputError> {
        let v = self.bounds("velocity limit", body, limits)?;
        self.model.limits.velocity[v].copy_from_slice(limits);
        Ok(self)
    }

    /// Sets the greatest |τ| of each degree of freedom of a body's joint.
    ///
    /// # Errors
    /// As [`set_velocity_limits`](Self::set_velocity_limits).
    pub fn set_effort_limits(&mut self, body: BodyId, limits: &[f64]) -> Result<&mut Self, InputError> {
        let v = self.bounds("effort limit", body, limits)?;
        self.model.limits.effort[v].copy_from_slice(limits);
        Ok(self)
    }

    /// Sets all that these functions can set to what it is in another model of the same joints, whose numbers may be of a simpler
    /// type: constants, where those here carry derivatives. Frames stay as they are unless the other model has as many.
    ///
    /// # Errors
    /// [`InputError::Structure`] if the other model has other joints.
    pub fn copy_from<U: Real>(&mut self, other: &Model<U>) -> Result<&mut Self, InputError>
    where
        P: Scalar<U>,
    {
        let model = &mut *self.model;
        if model.structure != other.structure {
            return Err(InputError::Structure {
                expected: model.name.clone(),
                expected_nv: model.nv,
                found: other.name.clone(),
                found_nv: other.nv,
            });
        }
        for (to, from) in model.bodies.iter_mut().zip(&other.bodies) {
            (to.inertia, to.placement) = (from.inertia.lift(), from.placement.lift());
        }
        if model.frames.len() == other.frames.len() {
            for (to, from) in model.frames.iter_mut().zip(&other.frames) {
                to.placement = from.placement.lift();
            }
        }
        let indices = |dofs: &DofDynamics<U>| dofs.index;
        self.relisted |= !model.dofs.iter().map(|dof| dof.index).eq(other.dofs.iter().map(indices));
        model.dofs.clear();
        model.dofs.extend(other.dofs.iter().map(DofDynamics::lift));
        model.springs.clear();
        model.springs.extend(other.springs.iter().map(JointSpring::lift));
        model.pose_springs.clear();
        model.pose_springs.extend(other.pose_springs.iter().map(PoseSpring::lift));
        model.friction_curves.clear();
        model.friction_curves.extend(other.friction_curves.iter().map(FrictionCurve::lift));
        model.gravity = v3::lift(other.gravity);
        (model.friction_width, model.joint_friction) = (other.friction_width.into(), other.joint_friction);
        model.fixed = other.fixed.lift();
        let (to, from) = (&mut model.limits, &other.limits);
        to.q_lower.copy_from_slice(&from.q_lower);
        to.q_upper.copy_from_slice(&from.q_upper);
        to.velocity.copy_from_slice(&from.velocity);
        to.effort.copy_from_slice(&from.effort);
        Ok(self)
    }

    pub(super) fn body(&mut self, body: BodyId) -> Result<&mut Body<P>, InputError> {
        let place = self.model.check_body(body)?;
        Ok(&mut self.model.bodies[place])
    }

    fn set_constant(&mut self, constant: JointConstant, body: BodyId, numbers: &[P]) -> Result<&mut Self, InputError> {
        let what = constant.name();
        let b = &*self.body(body)?;
        length(what, b, numbers.len(), b.v.len())?;
        if numbers.iter().any(|x| !x.is_finite()) {
            finite(what, &format!("joint {}", b.joint_name), numbers)?;
        }
        if let Some(x) = numbers.iter().find(|x| x.any_below(0.0)) {
            let (name, rule) = (format!("joint {}", b.joint_name), "expected a number that is not negative");
            return Err(InputError::Parameter { what, name, value: value(*x), rule });
        }
        let (start, multiplier) = (b.v.start, b.joint.multiplier());
        // As the builder, which makes entries of all degrees of freedom of a joint or of none.
        for k in 0..numbers.len() {
            if let Err(at) = self.model.joint_entry(body.index(), k) {
                self.model.dofs.insert(at, DofDynamics::none(start + k, multiplier));
                self.relisted = true;
            }
        }
        for (k, x) in numbers.iter().enumerate() {
            if let Ok(at) = self.model.joint_entry(body.index(), k) {
                *constant.of_mut(&mut self.model.dofs[at]) = *x;
            }
        }
        Ok(self)
    }

    /// The degrees of freedom of a joint that numbers, none of them negative, are for.
    fn bounds(
        &mut self,
        what: &'static str,
        body: BodyId,
        numbers: &[f64],
    ) -> Result<std::ops::Range<usize>, InputError> {
        let b = &*self.body(body)?;
        length(what, b, numbers.len(), b.v.len())?;
        match numbers.iter().find(|x| x.is_nan() || **x < 0.0) {
            Some(value) => {
                let (name, rule) = (format!("joint {}", b.joint_name), "expected a number that is not negative");
                Err(InputError::Parameter { what, name, value: *value, rule })
            }
            None => Ok(b.v.clone()),
        }
    }
}

pub(super) fn length<P: Real>(
    what: &'static str,
    body: &Body<P>,
    found: usize,
    expected: usize,
) -> Result<(), InputError> {
    let joint = || body.joint_name.clone();
    if found == expected { Ok(()) } else { Err(InputError::JointLength { what, joint: joint(), expected, found }) }
}

pub(super) fn finite<P: Real>(what: &'static str, of: &str, numbers: &[P]) -> Result<(), InputError> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(InputError::NotFinite { what, index, joint: of.to_owned(), value: value(numbers[index]) }),
        None => Ok(()),
    }
}
