//! Numbers of a robot that can be parameters, and how to change them in a robot.

use gradyn::model::{BodyId, FrameId, InputError};
use gradyn::spatial::Symmetric3;
use gradyn::{Inertia, Model, Scalar};
use nalgebra::Vector3;

/// A number of a robot that may be a parameter.
///
/// | | varies | unit |
/// |---|---|---|
/// | `Mass` | mass of a body; its center and moments about that are held | kg |
/// | `Density` | a factor of the mass of a body and its moments; the center is held | 1 |
/// | `Center` | a coordinate of the center of mass of a body, 0 to 2; mass and moments about it are held | m |
/// | `Moment` | of a body about its center, `xx xy xz yy yz zz`, 0 to 5 | kg m² |
/// | `PointMass` | mass of a point at the origin of a frame, beside all else | kg |
/// | `Armature`, `Damping`, `Friction` | of a degree of freedom of a body's joint | kg m², N m s/rad, N m (kg, N s/m, N) |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what they are")]
pub enum RobotNumber {
    Mass(BodyId),
    Density(BodyId),
    Center(BodyId, usize),
    Moment(BodyId, usize),
    PointMass(FrameId),
    Armature(BodyId, usize),
    Damping(BodyId, usize),
    Friction(BodyId, usize),
}

/// What of a body's inertia varies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OfInertia {
    Mass,
    Density,
    Center(usize),
    Moment(usize),
    /// At this place of the body.
    Point(Vector3<f64>),
}

/// What of a joint varies: its armature, damping, friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OfJoint {
    Armature,
    Damping,
    Friction,
}

/// A joint has at most so many degrees of freedom here.
const DOFS: usize = 16;

/// Which value, and what of an inertia it is.
type Entry = (usize, OfInertia);

/// A body's joint, what of it, all its numbers, and which of them vary: value and degree of freedom.
type OfAJoint = (BodyId, OfJoint, Vec<f64>, Vec<(usize, usize)>);

/// Numbers of a robot that vary, in an order: what [steps](crate::step::Step::vary) are told of.
#[derive(Clone, Debug)]
pub struct RobotNumbers {
    count: usize,
    inertias: Vec<(BodyId, Inertia<f64>, Vec<Entry>)>,
    joints: Vec<OfAJoint>,
}

impl RobotNumber {
    /// Whether no robot has a negative value.
    #[must_use]
    pub fn is_never_negative(self) -> bool {
        match self {
            Self::Mass(_) | Self::Density(_) | Self::PointMass(_) => true,
            Self::Armature(..) | Self::Damping(..) | Self::Friction(..) => true,
            Self::Center(..) | Self::Moment(..) => false,
        }
    }
    /// What the robot has.
    ///
    /// # Errors
    /// [`InputError`] if there is no such number of the robot.
    pub fn nominal(self, model: &Model) -> Result<f64, InputError> {
        let numbers = RobotNumbers::new(model, &[self])?;
        Ok(match self {
            Self::Density(_) => 1.0,
            Self::PointMass(_) => 0.0,
            Self::Mass(_) | Self::Center(..) | Self::Moment(..) => {
                let (_, base, entries) = &numbers.inertias[0];
                match entries[0].1 {
                    OfInertia::Center(k) => base.com[k],
                    OfInertia::Moment(k) => moments(base)[k],
                    _ => base.mass,
                }
            }
            Self::Armature(..) | Self::Damping(..) | Self::Friction(..) => {
                let (_, _, all, entries) = &numbers.joints[0];
                all[entries[0].1]
            }
        })
    }
}

impl RobotNumbers {
    /// Of this robot.
    ///
    /// # Errors
    /// [`InputError`] if one of them is none of the robot.
    pub fn new(model: &Model, numbers: &[RobotNumber]) -> Result<Self, InputError> {
        let mut all = Self { count: numbers.len(), inertias: Vec::new(), joints: Vec::new() };
        for (value, number) in numbers.iter().enumerate() {
            match *number {
                RobotNumber::Mass(body) => all.add_inertia(model, body, (value, OfInertia::Mass))?,
                RobotNumber::Density(body) => all.add_inertia(model, body, (value, OfInertia::Density))?,
                RobotNumber::Center(body, k) => {
                    inside("coordinate of a mass centre", k, 3)?;
                    all.add_inertia(model, body, (value, OfInertia::Center(k)))?;
                }
                RobotNumber::Moment(body, k) => {
                    inside("moment of a body", k, 6)?;
                    all.add_inertia(model, body, (value, OfInertia::Moment(k)))?;
                }
                RobotNumber::PointMass(frame) => {
                    gradyn::dynamics::frame_pose(
                        model,
                        &mut gradyn::Workspace::<f64>::new(model),
                        &model.neutral(),
                        frame,
                    )?;
                    let at = &model.frames()[frame.index()];
                    let body = at.body().ok_or_else(|| InputError::Parameter {
                        what: "point mass",
                        name: format!("frame {}", at.name()),
                        value: 0.0,
                        rule: "expected a frame that is not fixed to the world",
                    })?;
                    all.add_inertia(model, body, (value, OfInertia::Point(at.placement().translation)))?;
                }
                RobotNumber::Armature(body, k) => all.add_joint(model, body, OfJoint::Armature, (value, k))?,
                RobotNumber::Damping(body, k) => all.add_joint(model, body, OfJoint::Damping, (value, k))?,
                RobotNumber::Friction(body, k) => all.add_joint(model, body, OfJoint::Friction, (value, k))?,
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
        self.joints.iter().any(|(_, of, ..)| matches!(of, OfJoint::Damping | OfJoint::Friction))
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
        if what != OfJoint::Armature && !model.has_joint_friction() {
            let (name, rule) = (format!("joint {}", at.joint_name()), "expected a robot whose joint friction is on");
            let what = if what == OfJoint::Damping { "damping" } else { "friction" };
            return Err(InputError::Parameter { what, name, value: 0.0, rule });
        }
        let n = at.v_range().len();
        inside("degree of freedom of the joint", dof, n.min(DOFS))?;
        if let Some((.., entries)) = self.joints.iter_mut().find(|(known, kind, ..)| (*known, *kind) == (body, what)) {
            entries.push((value, dof));
            return Ok(());
        }
        let (layout, values) = (model.parameter_layout(), model.standard_parameters());
        let range = match what {
            OfJoint::Armature => &layout.armature,
            OfJoint::Damping => &layout.damping,
            OfJoint::Friction => &layout.friction,
        };
        let own = layout.joint_parameters().enumerate().filter(|(_, (of, _))| *of == Some(body.index()));
        let all = own.map(|(j, _)| values[range.start + j]).collect();
        self.joints.push((body, what, all, vec![(value, dof)]));
        Ok(())
    }

    /// Gives these values, [`len`](Self::len), to a robot, which may be over any number type: no allocation, but if a
    /// joint gets its first armature, damping or friction.
    ///
    /// # Errors
    /// [`InputError`] for a value that no robot has.
    pub fn set<P: Scalar<f64>>(&self, values: &[P], model: &mut Model<P>) -> Result<(), InputError> {
        model.update_parameters(|to| {
            for (body, base, entries) in &self.inertias {
                to.set_inertia(*body, inertia(base, entries, |i| values[i]))?;
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
                };
            }
            Ok(())
        })
    }

    /// Inertias that vary, by the ten parameters of their bodies: the body's place, and its parameters over any number
    /// type.
    pub(super) fn inertias<'n, P: Scalar<f64>>(
        &'n self,
        values: &'n [P],
    ) -> impl Iterator<Item = (usize, [P; 10])> + use<'n, P> {
        self.inertias
            .iter()
            .map(|(body, base, entries)| (body.index(), inertia(base, entries, |i| values[i]).to_parameters()))
    }
    /// Whether the inertias of all bodies are physical with these values, by [`Inertia::validity`]. Bodies whose own
    /// inertia is not physical are ignored.
    pub(crate) fn are_physical(&self, value: impl Fn(usize) -> f64) -> bool {
        self.inertias
            .iter()
            .all(|(_, base, entries)| inertia(base, entries, &value).validity().is_ok() || base.validity().is_err())
    }
    /// Which standard parameter of the robot each value of a joint is: its place in the layout, and the value.
    pub(super) fn places_of_joints(&self, model: &Model) -> Vec<(usize, usize)> {
        let layout = model.parameter_layout();
        let mut places = Vec::new();
        for (body, what, _, entries) in &self.joints {
            let range = match what {
                OfJoint::Armature => &layout.armature,
                OfJoint::Damping => &layout.damping,
                OfJoint::Friction => &layout.friction,
            };
            let own = layout.joint_parameters().enumerate().filter(|(_, (of, _))| *of == Some(body.index()));
            let own: Vec<usize> = own.map(|(j, _)| range.start + j).collect();
            places.extend(entries.iter().map(|(value, dof)| (own[*dof], *value)));
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

fn moments<T: Copy>(inertia: &Inertia<T>) -> [T; 6] {
    let r = &inertia.rotational;
    [r.xx, r.xy, r.xz, r.yy, r.yz, r.zz]
}

/// The inertia with these values: mass, center and moments first, then the density, then points.
fn inertia<P: Scalar<f64>>(base: &Inertia<f64>, entries: &[Entry], value_of: impl Fn(usize) -> P) -> Inertia<P> {
    let mut made: Inertia<P> = base.lift();
    let mut about = moments(&made);
    for (value, what) in entries {
        match what {
            OfInertia::Mass => made.mass = value_of(*value),
            OfInertia::Center(k) => made.com[*k] = value_of(*value),
            OfInertia::Moment(k) => about[*k] = value_of(*value),
            OfInertia::Density | OfInertia::Point(_) => {}
        }
    }
    let of = |[xx, xy, xz, yy, yz, zz]: [P; 6]| Symmetric3::new(xx, xy, xz, yy, yz, zz);
    made.rotational = of(about);
    for (value, what) in entries {
        if *what == OfInertia::Density {
            let x = value_of(*value);
            made = Inertia::new(made.mass * x, made.com, of(about.map(|m| m * x)));
        }
    }
    for (value, what) in entries {
        if let OfInertia::Point(p) = what {
            // By moments about the origin, which add up, and hold for no mass too.
            let point = Inertia::new(value_of(*value), p.map(P::from), Symmetric3::zero());
            let (a, b) = (made.to_parameters(), point.to_parameters());
            made = Inertia::from_parameters(std::array::from_fn(|k| a[k] + b[k]));
        }
    }
    made
}
