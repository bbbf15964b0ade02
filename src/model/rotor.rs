//! Rotors of motors behind gears, as armature or in full.

use super::{BodyKey, ModelBuilder, ModelError};
use crate::joint::{Axis, JointKind, Revolute, value};
use crate::spatial::{Inertia, Transform};
use gradyn_derivatives::Real;

impl<P: Real> ModelBuilder<P> {
    /// Sets the armature of a body's joint to what rotors with these moments of inertia, kg m², and gear ratios, turns of the rotor per turn of
    /// the joint, appear as there: `ratio² inertia`, one entry a degree of freedom.
    ///
    /// What turns at the joint's own axis is exact then. A rotor that is carried by a link that moves has gyroscopic moments, and its axis
    /// counts: [`add_rotor`](Self::add_rotor).
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries; [`build`](Self::build) refuses inertias that are negative or not finite.
    pub fn set_rotor_inertia(&mut self, body: BodyKey, inertia: &[P], ratio: &[P]) -> Result<&mut Self, ModelError> {
        self.draft(body, "rotor")?.check("gear ratio", ratio.len(), inertia.len())?;
        let armature: Vec<P> = inertia.iter().zip(ratio).map(|(inertia, ratio)| *ratio * *ratio * *inertia).collect();
        self.set_armature(body, &armature)?;
        self.set_gear_ratios(body, &ratio.iter().map(|ratio| Some(value(*ratio))).collect::<Vec<_>>())
    }

    /// Says that the armature of a body's joint is that of rotors with these gear ratios, one entry a degree of freedom, none for one without
    /// a rotor. The parameter `JOINT.rotor_inertia` is the armature divided by the square of the ratio.
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries, [`ModelError::BadNumber`] for a ratio that is zero or not finite, or whose square
    /// is not.
    pub fn set_gear_ratios(&mut self, body: BodyKey, ratios: &[Option<f64>]) -> Result<&mut Self, ModelError> {
        let draft = self.draft(body, "gear ratios")?;
        draft.check("gear ratio", ratios.len(), JointKind::<P>::nv(&draft.joint))?;
        if let Some(value) = ratios.iter().flatten().find(|ratio| !(*ratio * *ratio).is_normal()) {
            let (name, value) = (draft.joint_name.clone(), *value);
            let rule = "expected a number whose square is positive and finite";
            return Err(ModelError::BadNumber { what: "gear ratio", name, value, rule });
        }
        draft.gear_ratios = if ratios.iter().any(Option::is_some) { ratios.to_vec() } else { Vec::new() };
        Ok(self)
    }

    /// Adds the rotor of a body's joint in full: a body on the link that carries it, which turns about the z axis of `placement` there
    /// `ratio` times as fast as the joint. Its mass, its moments about all axes and its gyroscopic moments are part of the dynamics, and of all
    /// derivatives: it is a body whose hinge follows the joint. `inertia` is in the rotor's frame, and not part of that of the link.
    ///
    /// Source: R. Featherstone, *Rigid Body Dynamics Algorithms*, 2008, section 9.6.
    ///
    /// ```
    /// use gradyn::joint::{Axis, Revolute};
    /// use gradyn::model::ModelBuilder;
    /// use gradyn::spatial::{Inertia, Symmetric3, Transform};
    /// use nalgebra::Vector3;
    ///
    /// let mut builder = ModelBuilder::new("geared");
    /// let rod = Inertia::new(1.0, Vector3::new(0.0, 0.0, -0.5), Symmetric3::diagonal(0.1, 0.1, 0.01));
    /// let arm = builder.add_body(None, "arm", "hinge", Transform::identity(), Revolute { axis: Axis::Y }, rod)?;
    /// let disk = Inertia::new(0.2, Vector3::zeros(), Symmetric3::diagonal(1e-4, 1e-4, 2e-4));
    /// builder.add_rotor(arm, None, "rotor", Transform::identity(), disk, 100.0)?;
    /// assert_eq!(builder.build()?.nv(), 1);
    /// # Ok::<(), gradyn::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// As [`add_body`](Self::add_body) and [`set_mimic`](Self::set_mimic): the joint has one degree of freedom.
    pub fn add_rotor(
        &mut self,
        joint_of: BodyKey,
        carrier: Option<BodyKey>,
        name: impl Into<String>,
        placement: Transform<P>,
        inertia: Inertia<P>,
        ratio: P,
    ) -> Result<BodyKey, ModelError> {
        let name = name.into();
        self.draft(joint_of, "joint of a rotor")?;
        let joint_name = format!("{name}_spin");
        let rotor = self.add_body(carrier, name, joint_name, placement, Revolute { axis: Axis::Z }, inertia)?;
        match self.set_mimic(rotor, joint_of, ratio, P::zero()) {
            Ok(_) => Ok(rotor),
            Err(error) => {
                self.bodies.pop();
                Err(error)
            }
        }
    }
}
