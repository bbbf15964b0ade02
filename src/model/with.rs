//! The same robot with other numbers: owned forms of [`Parameters`](super::Parameters).

#[cfg(doc)]
use super::Parameters;
use super::joint_dynamics::{JointConstant, sort};
use super::parameters::finite;
use super::{BodyId, Derived, DofDynamics, FrameId, InputError, Model};
use crate::joint::value;
use crate::spatial::{Inertia, Transform};
use gradyn_derivatives::Real;
use nalgebra::Vector3;

impl<P: Real> Model<P> {
    /// The same robot under other gravity, m/s² in the world. Where it is not finite, errors of what depends on it name it.
    #[must_use]
    pub fn with_gravity(mut self, gravity: Vector3<P>) -> Self {
        self.gravity = gravity;
        self
    }

    /// The same robot with damping and friction of the joints switched on or off. Armature stays.
    #[must_use]
    pub fn with_joint_friction(mut self, on: bool) -> Self {
        self.joint_friction = on;
        self
    }

    /// The same robot with another width of the smooth Coulomb friction, rad/s (m/s).
    ///
    /// # Errors
    /// As [`Parameters::set_friction_width`].
    pub fn with_friction_width(self, width: P) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_friction_width(width).map(|_| ()))
    }

    /// The same robot with another inertia of one body.
    ///
    /// # Errors
    /// As [`Parameters::set_inertia`].
    pub fn with_inertia(self, body: BodyId, inertia: Inertia<P>) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_inertia(body, inertia).map(|_| ()))
    }

    /// The same robot with something fixed to a frame, such as a payload: `I_b + x_bf I_f` takes the place of the inertia `I_b` of the
    /// frame's body, where `inertia` is `I_f`, in coordinates of the frame.
    ///
    /// On a frame that is fixed to the world it becomes part of the [`fixed_inertia`](Model::fixed_inertia).
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's frame, else as [`Parameters::set_inertia`].
    pub fn attach(mut self, frame: FrameId, inertia: Inertia<P>) -> Result<Self, InputError> {
        let at = &self.frames[self.check_frame(frame)?];
        let (body, name) = (at.body, format!("frame {}", at.name));
        let added = at.placement.act(inertia);
        finite("inertia", &name, &inertia.to_parameters())?;
        finite("inertia", &name, &added.to_parameters())?;
        match body {
            Some(b) => {
                let sum = self.bodies[b].inertia + added;
                let body = self.id_of(b);
                self.with(|parameters| parameters.set_inertia(body, sum).map(|_| ()))
            }
            None => {
                self.fixed += added;
                finite("fixed inertia", &name, &self.fixed.to_parameters())?;
                Ok(self)
            }
        }
    }

    /// The same robot with another mounting pose of one body's joint.
    ///
    /// # Errors
    /// As [`Parameters::set_placement`].
    pub fn with_placement(self, body: BodyId, placement: Transform<P>) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_placement(body, placement).map(|_| ()))
    }

    /// The same robot with another armature of one body's joint, one entry a degree of freedom, kg m² (kg).
    ///
    /// # Errors
    /// As [`Parameters::set_armature`].
    pub fn with_armature(self, body: BodyId, armature: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_armature(body, armature).map(|_| ()))
    }

    /// The same robot with other viscous friction of one body's joint, one entry a degree of freedom, N m s/rad (N s/m).
    ///
    /// # Errors
    /// As [`Parameters::set_armature`].
    pub fn with_damping(self, body: BodyId, damping: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_damping(body, damping).map(|_| ()))
    }

    /// The same robot with other Coulomb friction of one body's joint, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// As [`Parameters::set_armature`].
    pub fn with_friction(self, body: BodyId, friction: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_friction(body, friction).map(|_| ()))
    }

    /// The same robot with other armature, damping and friction: entries for the degrees of freedom that have any, in any order. Several
    /// for one degree of freedom add up.
    ///
    /// # Errors
    /// [`InputError::Length`] if an entry names a degree of freedom that the model does not have, [`InputError::NotFinite`] if one of
    /// its numbers is not finite.
    pub fn with_joint_dynamics(mut self, mut dofs: Vec<DofDynamics<P>>) -> Result<Self, InputError> {
        for dof in &dofs {
            if dof.index >= self.nv {
                return Err(InputError::Length {
                    what: "degrees of freedom",
                    size: "nv",
                    expected: self.nv,
                    found: dof.index,
                });
            }
            let constants = JointConstant::ALL.into_iter().rev().map(|constant| (constant.name(), *constant.of(dof)));
            for (what, x) in constants.chain([("multiplier", dof.multiplier)]) {
                if !x.is_finite() {
                    let (index, joint, value) = (dof.index, self.dof_label(dof.index), value(x));
                    return Err(InputError::NotFinite { what, index, joint, value });
                }
            }
        }
        sort(&mut dofs);
        self.dofs = dofs;
        self.derived = Derived::default();
        self.layout.take();
        Ok(self)
    }

    /// The same robot with another range of each coordinate of one body's joint; infinite where there is no limit.
    ///
    /// # Errors
    /// As [`Parameters::set_q_limits`].
    pub fn with_q_limits(self, body: BodyId, limits: &[(f64, f64)]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_q_limits(body, limits).map(|_| ()))
    }

    /// The same robot with other greatest |v| of one body's joint, one entry a degree of freedom.
    ///
    /// # Errors
    /// As [`Parameters::set_velocity_limits`].
    pub fn with_velocity_limits(self, body: BodyId, limits: &[f64]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_velocity_limits(body, limits).map(|_| ()))
    }

    /// The same robot with other greatest |τ| of one body's joint, one entry a degree of freedom.
    ///
    /// # Errors
    /// As [`Parameters::set_velocity_limits`].
    pub fn with_effort_limits(self, body: BodyId, limits: &[f64]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_effort_limits(body, limits).map(|_| ()))
    }
}
