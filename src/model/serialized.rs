//! Models as documents: [`Model`] is `Serialize` and `Deserialize` with the cargo feature `serde`.
//!
//! The document says what a [`ModelBuilder`] is told, and reading builds: what a builder refuses is refused, and what
//! has been read is equal to what was written. Numbers are written as they are, so that results have the same bits.
//! Missing limits are null.

use super::draft::Draft;
use super::joint_dynamics::JointConstant;
use super::serialized_forces::{Curve, Drive, Spring};
use super::{BodyKey, DofDynamics, Model, ModelBuilder, ModelError};
use crate::joint::*;
use crate::spatial::{Inertia, Symmetric3, Transform};
use nalgebra::{Matrix3, Vector3};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The form of documents that this version writes and reads.
const FORM: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// [`FORM`]
    gradyn_model: u32,
    name: String,
    gravity: [f64; 3],
    friction_width: f64,
    joint_friction: bool,
    fixed_inertia: Mass,
    bodies: Vec<OneBody>,
    frames: Vec<OneFrame>,
    /// Documents of robots without actuators do not have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    actuators: Vec<Drive>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OneBody {
    name: String,
    /// The place of its parent; none for the world.
    parent: Option<usize>,
    inertia: Mass,
    joint_name: String,
    placement: Pose,
    joint: Kind,
    mimic: Option<Follows>,
    armature: Option<Vec<f64>>,
    damping: Option<Vec<f64>>,
    friction: Option<Vec<f64>>,
    more_dynamics: Vec<Entry>,
    /// One a degree of freedom that has a spring; documents of robots without springs do not have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    springs: Vec<Spring>,
    /// One a degree of freedom that has a friction curve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    friction_curves: Vec<Curve>,
    /// Of rotors, one a degree of freedom; documents of robots without rotors do not have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gear_ratios: Vec<Option<f64>>,
    /// Lower and upper.
    q_limits: Vec<[Option<f64>; 2]>,
    velocity_limits: Vec<Option<f64>>,
    effort_limits: Vec<Option<f64>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OneFrame {
    name: String,
    /// The place of the body that it is fixed to; none for the world.
    body: Option<usize>,
    placement: Pose,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mass {
    mass: f64,
    com: [f64; 3],
    /// About the center of mass: xx, xy, xz, yy, yz, zz.
    rotational: [f64; 6],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pose {
    /// Row by row.
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Follows {
    /// The place of the body whose joint leads.
    leader: usize,
    multiplier: f64,
    offset: f64,
}

/// An entry of joint dynamics that no joint would make.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Which of the joint's degrees of freedom.
    index: usize,
    multiplier: f64,
    armature: f64,
    damping: f64,
    friction: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Direction {
    X,
    Y,
    Z,
    Any([f64; 3]),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Kind {
    Fixed,
    Revolute { axis: Direction },
    Continuous { axis: Direction },
    Prismatic { axis: Direction },
    Helical { axis: Direction, pitch: f64 },
    Cylindrical { axis: Direction },
    Universal { first: Direction, second: Direction },
    Planar { normal: Direction },
    Translation,
    Spherical,
    SphericalZyx,
    FreeFlyer,
    Composite(Vec<(Pose, Kind)>),
}

/// As a document that [`Deserialize`] reads.
impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Document::of(self.to_builder()).serialize(serializer)
    }
}

/// From a document that [`Serialize`] wrote, checked as by [`ModelBuilder::build`].
impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Document::deserialize(deserializer)?;
        if document.gradyn_model != FORM {
            let found = document.gradyn_model;
            return Err(D::Error::custom(format!(
                "`gradyn_model` is {found}, expected {FORM}: another form of documents"
            )));
        }
        document.build().map_err(D::Error::custom)
    }
}

/// A limit, if it is one.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

impl Document {
    fn of(builder: ModelBuilder) -> Self {
        let body = |draft: Draft<f64>| {
            let [friction, damping, armature] = draft.constants;
            OneBody {
                joint: Kind::of(&draft.joint),
                name: draft.name,
                parent: draft.parent,
                inertia: Mass::of(&draft.inertia),
                joint_name: draft.joint_name,
                placement: Pose::of(&draft.placement),
                mimic: draft.mimic.map(|(leader, multiplier, offset)| Follows { leader, multiplier, offset }),
                armature,
                damping,
                friction,
                more_dynamics: draft.more.iter().map(Entry::of).collect(),
                springs: Spring::all(&draft.springs),
                friction_curves: Curve::all(&draft.curves),
                gear_ratios: draft.gear_ratios,
                q_limits: draft.q_limits.into_iter().map(|(lower, upper)| [finite(lower), finite(upper)]).collect(),
                velocity_limits: draft.velocity_limits.into_iter().map(finite).collect(),
                effort_limits: draft.effort_limits.into_iter().map(finite).collect(),
            }
        };
        let frame = |(name, body, placement): (String, Option<BodyKey>, Transform<f64>)| OneFrame {
            name,
            body: body.map(|key| key.0),
            placement: Pose::of(&placement),
        };
        Self {
            gradyn_model: FORM,
            name: builder.name,
            gravity: builder.gravity.into(),
            friction_width: builder.friction_width,
            joint_friction: builder.joint_friction,
            fixed_inertia: Mass::of(&builder.fixed),
            bodies: builder.bodies.into_iter().map(body).collect(),
            frames: builder.frames.into_iter().map(frame).collect(),
            actuators: builder.actuators.iter().map(Drive::of).collect(),
        }
    }

    fn build(self) -> Result<Model, ModelError> {
        let mut builder = ModelBuilder::new(self.name);
        builder.set_gravity(self.gravity.into()).set_friction_width(self.friction_width);
        builder.set_joint_friction(self.joint_friction).add_fixed_inertia(self.fixed_inertia.inertia());
        let mut followers = Vec::new();
        for body in self.bodies {
            let parent = body.parent.map(BodyKey);
            let (placement, joint) = (body.placement.transform(), body.joint.joint()?);
            let (nv, inertia) = (joint.nv(), body.inertia.inertia());
            let key = builder.add_body(parent, body.name, body.joint_name.as_str(), placement, joint, inertia)?;
            for (constant, list) in
                JointConstant::ALL.into_iter().zip([body.friction, body.damping, body.armature]).rev()
            {
                if let Some(list) = list {
                    builder.set_constant(constant, key, &list)?;
                }
            }
            if let Some(entry) = body.more_dynamics.iter().find(|entry| entry.index >= nv) {
                let (name, found) = (body.joint_name, entry.index + 1);
                return Err(ModelError::Length { what: "more_dynamics", name, expected: nv, found });
            }
            builder.bodies[key.0].more = body.more_dynamics.iter().map(Entry::dynamics).collect();
            Spring::set(&body.springs, &body.joint_name, (&mut builder, key), nv)?;
            Curve::set(&body.friction_curves, &body.joint_name, (&mut builder, key), nv)?;
            if !body.gear_ratios.is_empty() {
                builder.set_gear_ratios(key, &body.gear_ratios)?;
            }
            let infinite = f64::INFINITY;
            let range = |[lower, upper]: &[Option<f64>; 2]| (lower.unwrap_or(-infinite), upper.unwrap_or(infinite));
            builder.set_q_limits(key, &body.q_limits.iter().map(range).collect::<Vec<_>>())?;
            let all = |limits: Vec<Option<f64>>| limits.into_iter().map(|x| x.unwrap_or(infinite)).collect::<Vec<_>>();
            builder.set_velocity_limits(key, &all(body.velocity_limits))?;
            builder.set_effort_limits(key, &all(body.effort_limits))?;
            followers.extend(body.mimic.map(|mimic| (key, mimic)));
        }
        for (key, Follows { leader, multiplier, offset }) in followers {
            builder.set_mimic(key, BodyKey(leader), multiplier, offset)?;
        }
        for frame in self.frames {
            builder.add_frame(frame.body.map(BodyKey), frame.name, frame.placement.transform())?;
        }
        self.actuators.into_iter().try_for_each(|drive| drive.add(&mut builder))?;
        builder.build()
    }
}

impl Mass {
    fn of(y: &Inertia<f64>) -> Self {
        let r = &y.rotational;
        Self { mass: y.mass, com: y.com.into(), rotational: [r.xx, r.xy, r.xz, r.yy, r.yz, r.zz] }
    }
    fn inertia(&self) -> Inertia<f64> {
        let [xx, xy, xz, yy, yz, zz] = self.rotational;
        Inertia::new(self.mass, self.com.into(), Symmetric3::new(xx, xy, xz, yy, yz, zz))
    }
}

impl Pose {
    pub(super) fn of(x: &Transform<f64>) -> Self {
        Self { rotation: x.rotation.transpose().into(), translation: x.translation.into() }
    }
    pub(super) fn transform(&self) -> Transform<f64> {
        Transform::new(Matrix3::from(self.rotation).transpose(), Vector3::from(self.translation))
    }
}

impl Entry {
    fn of(dof: &DofDynamics) -> Self {
        let DofDynamics { index, multiplier, armature, damping, friction } = *dof;
        Self { index, multiplier, armature, damping, friction }
    }
    fn dynamics(&self) -> DofDynamics {
        let Self { index, multiplier, armature, damping, friction } = *self;
        DofDynamics { index, multiplier, armature, damping, friction }
    }
}

impl Direction {
    fn of(axis: &Axis) -> Self {
        match axis {
            Axis::X => Self::X,
            Axis::Y => Self::Y,
            Axis::Z => Self::Z,
            Axis::Any(a) => Self::Any((*a).into()),
        }
    }
    fn axis(&self) -> Axis {
        match self {
            Self::X => Axis::X,
            Self::Y => Axis::Y,
            Self::Z => Axis::Z,
            Self::Any(a) => Axis::Any((*a).into()),
        }
    }
}

impl Kind {
    fn of(joint: &Joint) -> Self {
        match joint {
            Joint::Elementary(joint) => Self::of_elementary(joint),
            Joint::Mimic(mimic) => Self::of_elementary(mimic.inner()),
            Joint::Composite(joint) => {
                let part = |part: &Part| (Pose::of(&part.placement), Self::of_elementary(&part.joint));
                Self::Composite(joint.parts().iter().map(part).collect())
            }
        }
    }

    pub(super) fn of_elementary(joint: &Elementary) -> Self {
        match joint {
            Elementary::Fixed(_) => Self::Fixed,
            Elementary::Revolute(k) => Self::Revolute { axis: Direction::of(&k.axis) },
            Elementary::Continuous(k) => Self::Continuous { axis: Direction::of(&k.axis) },
            Elementary::Prismatic(k) => Self::Prismatic { axis: Direction::of(&k.axis) },
            Elementary::Helical(k) => Self::Helical { axis: Direction::of(&k.axis), pitch: k.pitch },
            Elementary::Cylindrical(k) => Self::Cylindrical { axis: Direction::of(&k.axis) },
            Elementary::Universal(k) => {
                Self::Universal { first: Direction::of(&k.first), second: Direction::of(&k.second) }
            }
            Elementary::Planar(k) => Self::Planar { normal: Direction::of(&k.normal()) },
            Elementary::Translation(_) => Self::Translation,
            Elementary::Spherical(_) => Self::Spherical,
            Elementary::SphericalZyx(_) => Self::SphericalZyx,
            Elementary::FreeFlyer(_) => Self::FreeFlyer,
        }
    }

    fn joint(&self) -> Result<Joint, ModelError> {
        let Self::Composite(parts) = self else { return Ok(Joint::Elementary(self.elementary()?)) };
        let part = |(pose, kind): &(Pose, Self)| Ok((pose.transform(), kind.elementary()?));
        Ok(Composite::with_placements(parts.iter().map(part).collect::<Result<Vec<_>, ModelError>>()?).into())
    }

    pub(super) fn elementary(&self) -> Result<Elementary, ModelError> {
        Ok(match self {
            Self::Fixed => Fixed.into(),
            Self::Revolute { axis } => Revolute { axis: axis.axis() }.into(),
            Self::Continuous { axis } => Continuous { axis: axis.axis() }.into(),
            Self::Prismatic { axis } => Prismatic { axis: axis.axis() }.into(),
            Self::Helical { axis, pitch } => Helical { axis: axis.axis(), pitch: *pitch }.into(),
            Self::Cylindrical { axis } => Cylindrical { axis: axis.axis() }.into(),
            Self::Universal { first, second } => Universal { first: first.axis(), second: second.axis() }.into(),
            Self::Planar { normal } => Planar::new(normal.axis()).into(),
            Self::Translation => Translation.into(),
            Self::Spherical => Spherical.into(),
            Self::SphericalZyx => SphericalZyx.into(),
            Self::FreeFlyer => FreeFlyer.into(),
            Self::Composite(_) => return Err(ModelError::NestedComposite),
        })
    }
}
