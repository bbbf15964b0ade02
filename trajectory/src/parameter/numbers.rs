//! Numbers of a robot that are variables, and how to change them in a robot.

use gradyn::model::{BodyId, FrameId, FrictionCurve, InputError, ParameterId, inertia_with};
use gradyn::{Inertia, Model, Scalar};
use nalgebra::Vector3;
use std::ops::Range;

/// What of a joint varies: its armature, damping, friction, spring, friction curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OfJoint {
    Armature,
    Damping,
    Friction,
    Stiffness,
    SpringReference,
    Stribeck,
    StribeckVelocity,
    FrictionAsymmetry,
}

impl OfJoint {
    /// Whether it counts only if joint friction is on; then its name.
    fn friction(self) -> Option<&'static str> {
        match self {
            Self::Damping => Some("damping"),
            Self::Friction => Some("friction"),
            Self::Stribeck => Some("stribeck"),
            Self::StribeckVelocity => Some("stribeck_velocity"),
            Self::FrictionAsymmetry => Some("friction_asymmetry"),
            Self::Armature | Self::Stiffness | Self::SpringReference => None,
        }
    }
}

/// A joint has at most so many degrees of freedom here.
const DOFS: usize = 16;

/// Which value, and what of an inertia it is.
type Entry = (usize, ParameterId);

/// A body's joint, what of it, all its numbers, and which of them vary: value and degree of freedom.
type OfAJoint = (BodyId, OfJoint, Vec<f64>, Vec<(usize, usize)>);

/// Numbers of a robot that vary, in an order: what [steps](crate::step::Step::vary) are told of.
#[derive(Clone, Debug)]
pub struct RobotNumbers {
    count: usize,
    inertias: Vec<(BodyId, Inertia<f64>, Vec<Entry>)>,
    /// Where frames of point masses are on their bodies.
    points: Vec<(FrameId, Vector3<f64>)>,
    joints: Vec<OfAJoint>,
}

/// The value of a number of the robot.
///
/// # Errors
/// [`InputError`] if the robot has no such number.
pub(super) fn nominal(id: ParameterId, model: &Model) -> Result<f64, InputError> {
    let numbers = RobotNumbers::new(model, &[id])?;
    if let Some((_, _, all, entries)) = numbers.joints.first() {
        return Ok(all[entries[0].1]);
    }
    let named = model.parameters().into_iter().find(|(_, known, _)| *known == id);
    Ok(named.map_or(0.0, |(.., value)| value))
}

impl RobotNumbers {
    /// Of this robot.
    ///
    /// # Errors
    /// [`InputError`] if one of them is none of the robot.
    pub fn new(model: &Model, numbers: &[ParameterId]) -> Result<Self, InputError> {
        let (inertias, points, joints) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Self { count: numbers.len(), inertias, points, joints };
        for (value, id) in numbers.iter().enumerate() {
            match *id {
                ParameterId::Mass(body) | ParameterId::Density(body) => all.add_inertia(model, body, (value, *id))?,
                ParameterId::Center(body, k) => {
                    inside("coordinate of a center of mass", k, 3)?;
                    all.add_inertia(model, body, (value, *id))?;
                }
                ParameterId::Moment(body, k) => {
                    inside("moment of a body", k, 6)?;
                    all.add_inertia(model, body, (value, *id))?;
                }
                ParameterId::PointMass(frame) => {
                    let mut ws = gradyn::Workspace::<f64>::new(model);
                    gradyn::dynamics::frame_pose(model, &mut ws, &model.neutral(), frame)?;
                    let at = &model.frames()[frame.index()];
                    let body = at.body().ok_or_else(|| InputError::Parameter {
                        what: "point mass",
                        name: format!("frame {}", at.name()),
                        value: 0.0,
                        rule: "expected a frame that is not fixed to the world",
                    })?;
                    all.points.push((frame, at.placement().translation));
                    all.add_inertia(model, body, (value, *id))?;
                }
                ParameterId::Armature(body, k) => all.add_joint(model, body, OfJoint::Armature, (value, k))?,
                ParameterId::Damping(body, k) => all.add_joint(model, body, OfJoint::Damping, (value, k))?,
                ParameterId::Friction(body, k) => all.add_joint(model, body, OfJoint::Friction, (value, k))?,
                ParameterId::Stiffness(body, k) => all.add_joint(model, body, OfJoint::Stiffness, (value, k))?,
                ParameterId::SpringReference(body, k) => {
                    all.add_joint(model, body, OfJoint::SpringReference, (value, k))?;
                }
                ParameterId::Stribeck(body, k) => all.add_joint(model, body, OfJoint::Stribeck, (value, k))?,
                ParameterId::StribeckVelocity(body, k) => {
                    all.add_joint(model, body, OfJoint::StribeckVelocity, (value, k))?;
                }
                ParameterId::FrictionAsymmetry(body, k) => {
                    all.add_joint(model, body, OfJoint::FrictionAsymmetry, (value, k))?;
                }
                _ => {
                    return Err(InputError::Parameter {
                        what: "number of the robot",
                        name: model.parameter_name(*id).unwrap_or_else(|| format!("{id:?}")),
                        value: f64::NAN,
                        rule: "expected a mass, density, center, moment, point mass, armature, damping, friction or spring",
                    });
                }
            }
        }
        Ok(all)
    }
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }
    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether one of them is damping or friction of a joint.
    pub(crate) fn resist(&self) -> bool {
        self.joints.iter().any(|(_, of, ..)| of.friction().is_some())
    }
    fn add_inertia(&mut self, model: &Model, body: BodyId, entry: Entry) -> Result<(), InputError> {
        let base = *of(model, body)?.inertia();
        match self.inertias.iter_mut().find(|(known, ..)| *known == body) {
            Some((.., entries)) => entries.push(entry),
            None => self.inertias.push((body, base, vec![entry])),
        }
        Ok(())
    }
    fn add_joint(
        &mut self,
        model: &Model,
        body: BodyId,
        what: OfJoint,
        (value, dof): (usize, usize),
    ) -> Result<(), InputError> {
        let at = of(model, body)?;
        if let (Some(what), false) = (what.friction(), model.has_joint_friction()) {
            let (name, rule) = (format!("joint {}", at.joint_name()), "expected a robot whose joint friction is on");
            return Err(InputError::Parameter { what, name, value: 0.0, rule });
        }
        let n = at.v_range().len();
        inside("degree of freedom of the joint", dof, n.min(DOFS))?;
        if let Some((.., entries)) = self.joints.iter_mut().find(|(known, kind, ..)| (*known, *kind) == (body, what)) {
            entries.push((value, dof));
            return Ok(());
        }
        let (layout, values) = (model.parameter_layout(), model.standard_parameters());
        let standard = |range: &Range<usize>| layout.of_joint(body).map(|j| values[range.start + j]).collect();
        let of_springs = |which: usize| {
            (0..n).map(|k| model.spring_constants(body, k).map_or(0.0, |numbers| numbers[which])).collect()
        };
        let of_curves = |of: fn(&FrictionCurve) -> f64, otherwise: f64| {
            (0..n).map(|k| model.friction_curve_of(body, k).map_or(otherwise, of)).collect()
        };
        let all = match what {
            OfJoint::Armature => standard(&layout.armature),
            OfJoint::Damping => standard(&layout.damping),
            OfJoint::Friction => standard(&layout.friction),
            OfJoint::Stiffness => of_springs(0),
            OfJoint::SpringReference => of_springs(1),
            OfJoint::Stribeck => of_curves(|curve| curve.stribeck, 0.0),
            OfJoint::StribeckVelocity => of_curves(|curve| curve.stribeck_velocity, FrictionCurve::<f64>::VELOCITY),
            OfJoint::FrictionAsymmetry => of_curves(|curve| curve.asymmetry, 0.0),
        };
        if matches!(what, OfJoint::Stiffness | OfJoint::SpringReference) && layout.of_spring(body, dof).is_none() {
            let (name, rule) = (
                format!("joint {}", at.joint_name()),
                "expected a joint that can have a spring: not a planar one, nor an angle as (cos, sin)",
            );
            return Err(InputError::Parameter { what: "spring", name, value: dof as f64, rule });
        }
        self.joints.push((body, what, all, vec![(value, dof)]));
        Ok(())
    }

    /// The same numbers, but those of springs, which impulses do not feel.
    pub(super) fn without_springs(&self) -> Self {
        let mut numbers = self.clone();
        numbers.joints.retain(|(_, of, ..)| !matches!(of, OfJoint::Stiffness | OfJoint::SpringReference));
        numbers
    }

    /// Gives these values, [`len`](Self::len), to a robot, which may be over any number type: no allocation, but if a
    /// joint gets its first armature, damping, friction, spring or friction curve.
    ///
    /// # Errors
    /// [`InputError`] for a value that no robot has.
    pub fn set<P: Scalar<f64>>(&self, values: &[P], model: &mut Model<P>) -> Result<(), InputError> {
        model.update_parameters(|to| {
            for (body, base, entries) in &self.inertias {
                to.set_inertia(*body, self.inertia(base, entries, |i| values[i]))?;
            }
            for (body, what, own, entries) in &self.joints {
                let mut all = [P::from(0.0); DOFS];
                all.iter_mut().zip(own).for_each(|(all, own)| *all = P::from(*own));
                entries.iter().for_each(|(value, dof)| all[*dof] = values[*value]);
                let all = &all[..own.len()];
                match what {
                    OfJoint::Armature => to.set_armature(*body, all)?,
                    OfJoint::Damping => to.set_damping(*body, all)?,
                    OfJoint::Friction => to.set_friction(*body, all)?,
                    OfJoint::Stiffness => to.set_stiffness(*body, all)?,
                    OfJoint::SpringReference => to.set_spring_reference(*body, all)?,
                    OfJoint::Stribeck => to.set_stribeck(*body, all)?,
                    OfJoint::StribeckVelocity => to.set_stribeck_velocity(*body, all)?,
                    OfJoint::FrictionAsymmetry => to.set_friction_asymmetry(*body, all)?,
                };
            }
            Ok(())
        })
    }

    fn inertia<P: Scalar<f64>>(
        &self,
        base: &Inertia<f64>,
        entries: &[Entry],
        value_of: impl Fn(usize) -> P,
    ) -> Inertia<P> {
        let place = |frame: FrameId| {
            self.points.iter().find(|(known, _)| *known == frame).map_or_else(Vector3::zeros, |(_, place)| *place)
        };
        inertia_with(base, entries.iter().map(|(value, id)| (*id, value_of(*value))), place)
    }

    /// Inertias that vary, by the ten parameters of their bodies: the body's place, and its parameters over any number
    /// type.
    pub(super) fn inertias<'n, P: Scalar<f64>>(
        &'n self,
        values: &'n [P],
    ) -> impl Iterator<Item = (usize, [P; 10])> + use<'n, P> {
        self.inertias
            .iter()
            .map(|(body, base, entries)| (body.index(), self.inertia(base, entries, |i| values[i]).to_parameters()))
    }
    /// Whether the inertias of all bodies are physical with these values, by [`Inertia::validity`]. Bodies whose own
    /// inertia is not physical are ignored.
    pub(crate) fn are_physical(&self, value: impl Fn(usize) -> f64) -> bool {
        self.inertias.iter().all(|(_, base, entries)| {
            self.inertia(base, entries, &value).validity().is_ok() || base.validity().is_err()
        })
    }
    /// Which parameter of the robot each value of a joint is: its place in the layout, and the value.
    pub(super) fn places_of_joints(&self, model: &Model) -> Vec<(usize, usize)> {
        let layout = model.parameter_layout();
        let mut places = Vec::new();
        for (body, what, _, entries) in &self.joints {
            let place = |dof: usize| match what {
                OfJoint::Armature => layout.of_joint(*body).nth(dof).map(|j| layout.armature.start + j),
                OfJoint::Damping => layout.of_joint(*body).nth(dof).map(|j| layout.damping.start + j),
                OfJoint::Friction => layout.of_joint(*body).nth(dof).map(|j| layout.friction.start + j),
                OfJoint::Stiffness => layout.of_spring(*body, dof).map(|j| layout.stiffness.start + j),
                OfJoint::SpringReference => layout.of_spring(*body, dof).map(|j| layout.spring_reference.start + j),
                OfJoint::Stribeck => layout.of_curve(*body, dof).map(|j| layout.stribeck.start + j),
                OfJoint::StribeckVelocity => layout.of_curve(*body, dof).map(|j| layout.stribeck_velocity.start + j),
                OfJoint::FrictionAsymmetry => layout.of_curve(*body, dof).map(|j| layout.friction_asymmetry.start + j),
            };
            places.extend(entries.iter().filter_map(|(value, dof)| Some((place(*dof)?, *value))));
        }
        places
    }
}

fn of(model: &Model, body: BodyId) -> Result<&gradyn::model::Body, InputError> {
    // Asks for nothing but whether it is one of this robot.
    gradyn::dynamics::frame_pose(model, &mut gradyn::Workspace::<f64>::new(model), &model.neutral(), body)?;
    Ok(&model.bodies()[body.index()])
}

fn inside(what: &'static str, k: usize, n: usize) -> Result<(), InputError> {
    if k < n {
        return Ok(());
    }
    let name = format!("number {k} of {n}");
    Err(InputError::Parameter { what, name, value: k as f64, rule: "there are not so many" })
}
