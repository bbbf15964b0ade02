//! Reading a `joint` element, before links are looked up.

use super::description::Limits;
use super::error::UrdfError;
use super::{placement, rotor};
use crate::model::source::JointType;
use crate::model::source::note::NoteKind;
use crate::model::source::rotation::unit;
use crate::model::source::text::Owner;
use crate::model::source::xml::{Named, Reader};
use crate::spatial::Transform;
use nalgebra::Vector3;
use roxmltree::Node;

/// A joint as the file has it: links and joints by name.
pub(super) struct RawJoint {
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) joint_type: JointType,
    pub(super) parent: Named,
    pub(super) child: Named,
    pub(super) placement: Transform<f64>,
    pub(super) axis: Vector3<f64>,
    pub(super) limits: Limits,
    pub(super) dynamics: Dynamics,
    pub(super) mimic: Option<RawMimic>,
}

/// The `dynamics` element.
#[derive(Default)]
pub(super) struct Dynamics {
    pub(super) damping: f64,
    pub(super) friction: f64,
    /// What other formats write here: `armature`, or `rotor_inertia` and `gear_ratio`.
    pub(super) armature: Option<f64>,
    /// That of the gear, where they are the latter.
    pub(super) gear_ratio: Option<f64>,
}

/// The `mimic` element: `q = multiplier · q_target + offset`.
pub(super) struct RawMimic {
    pub(super) target: Named,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// Reads a joint.
pub(super) fn read(reader: &mut Reader, node: Node) -> Result<RawJoint, UrdfError> {
    let line = reader.line(node);
    let name = reader.name(node, "joint")?;
    let owner = &Owner::Joint(name.clone());
    let [_, joint_type] = reader.attributes(node, owner, ["name", "type"])?;
    let word = reader.required(joint_type, node, owner, "type")?.value;
    let Some(joint_type) = JointType::parse(word) else {
        return Err(UrdfError::UnknownJointType { line, joint: name, found: word.to_owned() });
    };

    let [parent, child, origin, axis, limit, dynamics, mimic] =
        reader.once(node, owner, ["parent", "child", "origin", "axis", "limit", "dynamics", "mimic"])?;
    let missing = |element| UrdfError::MissingElement { line, owner: owner.clone(), within: "joint", element };
    let parent = read_name(reader, parent.ok_or_else(|| missing("parent"))?, owner, "link")?;
    let child = read_name(reader, child.ok_or_else(|| missing("child"))?, owner, "link")?;
    let placement = placement::read(reader, origin, owner)?;

    // What means nothing for the type is not even read: programs write a zero axis into fixed joints.
    let mut joint = Part { reader, owner, joint_type };
    let has_axis = !matches!(joint_type, JointType::Fixed | JointType::Floating);
    let one_coordinate = has_axis && joint_type != JointType::Planar;
    let axis = joint.used(axis, "axis", has_axis);
    let limit = joint.used(limit, "limit", one_coordinate);
    let dynamics = joint.used(dynamics, "dynamics", one_coordinate);
    let mimic = joint.used(mimic, "mimic", joint_type != JointType::Fixed);

    if axis.is_none() && joint_type == JointType::Planar {
        joint.reader.report.push(line, NoteKind::PlanarWithoutAxis { joint: name.clone() });
    }
    let axis = axis.map_or(Ok(Vector3::new(1.0, 0.0, 0.0)), |axis| joint.read_axis(axis))?;
    let limits = joint.read_limits(limit, line)?;
    let dynamics = dynamics.map_or(Ok(Dynamics::default()), |dynamics| joint.read_dynamics(dynamics))?;
    let mimic = mimic.map(|mimic| joint.read_mimic(mimic)).transpose()?;
    Ok(RawJoint { line, name, joint_type, parent, child, placement, axis, limits, dynamics, mimic })
}

/// The link or joint that an element names.
fn read_name(reader: &mut Reader, node: Node, owner: &Owner, attribute: &'static str) -> Result<Named, UrdfError> {
    let [name] = reader.leaf(node, owner, [attribute])?;
    let name = reader.required(name, node, owner, attribute)?;
    Ok(Named { line: name.line, name: name.value.to_owned() })
}

/// Reads the parts of one joint.
struct Part<'a> {
    reader: &'a mut Reader,
    owner: &'a Owner,
    joint_type: JointType,
}

impl Part<'_> {
    /// The element, if the type of the joint has a use for it; notes it otherwise.
    fn used<'x, 'i>(&mut self, node: Option<Node<'x, 'i>>, what: &'static str, used: bool) -> Option<Node<'x, 'i>> {
        if let (Some(node), false) = (node, used) {
            self.unused(self.reader.line(node), what);
        }
        node.filter(|_| used)
    }

    fn unused(&mut self, line: u32, what: &'static str) {
        let (joint, joint_type) = (self.owner.name().to_owned(), self.joint_type);
        self.reader.report.push(line, NoteKind::Unused { joint, joint_type, what });
    }

    /// A unit vector.
    fn read_axis(&mut self, node: Node) -> Result<Vector3<f64>, UrdfError> {
        let [xyz] = self.reader.leaf(node, self.owner, ["xyz"])?;
        let xyz = self.reader.required(xyz, node, self.owner, "xyz")?;
        let zero = || UrdfError::ZeroAxis { line: xyz.line, joint: self.owner.name().to_owned() };
        unit(xyz.vector()?).ok_or_else(zero)
    }

    /// Limits, and notes about those that revolute and prismatic joints should have and lack.
    fn read_limits(&mut self, node: Option<Node>, line: u32) -> Result<Limits, UrdfError> {
        let bounded = matches!(self.joint_type, JointType::Revolute | JointType::Prismatic);
        let mut limits = Limits::default();
        let line = node.map_or(line, |node| self.reader.line(node));
        if let Some(node) = node {
            let [lower, upper, effort, velocity] =
                self.reader.leaf(node, self.owner, ["lower", "upper", "effort", "velocity"])?;
            if bounded {
                if lower.is_some() || upper.is_some() {
                    // One that is missing is 0: the specification's default.
                    let lower = lower.map_or(Ok(0.0), |lower| lower.number())?;
                    let upper = upper.map_or(Ok(0.0), |upper| upper.number())?;
                    if lower > upper {
                        let joint = self.owner.name().to_owned();
                        self.reader.report.push(line, NoteKind::LimitsReversed { joint, lower, upper });
                    }
                    limits.position = Some([lower.min(upper), lower.max(upper)]);
                }
            } else {
                for (bound, what) in [(lower, "lower"), (upper, "upper")] {
                    if let Some(bound) = bound {
                        self.unused(bound.line, what);
                    }
                }
            }
            let effort = effort.map(|effort| effort.number()).transpose()?;
            let velocity = velocity.map(|velocity| velocity.number()).transpose()?;
            (limits.effort, limits.velocity) = (effort.filter(|x| *x >= 0.0), velocity.filter(|x| *x >= 0.0));

            let name = || self.owner.name().to_owned();
            let report = &mut self.reader.report;
            if bounded && limits.position.is_none() {
                report.push(line, NoteKind::MissingLimits { joint: name() });
            }
            // Absent, or dropped because it is negative.
            if limits.effort.is_none() && (bounded || effort.is_some()) {
                report.push(line, NoteKind::MissingEffortLimit { joint: name() });
            }
            if limits.velocity.is_none() && (bounded || velocity.is_some()) {
                report.push(line, NoteKind::MissingVelocityLimit { joint: name() });
            }
            // Neither sign of zero lets anything move.
            if limits.effort.is_some_and(|x| x <= 0.0) {
                report.push(line, NoteKind::ZeroEffortLimit { joint: name() });
            }
            if limits.velocity.is_some_and(|x| x <= 0.0) {
                report.push(line, NoteKind::ZeroVelocityLimit { joint: name() });
            }
        } else if bounded {
            self.reader.report.push(line, NoteKind::MissingLimits { joint: self.owner.name().to_owned() });
        }
        Ok(limits)
    }

    /// Damping and friction, and what other formats say there about the rotor that drives the joint.
    fn read_dynamics(&mut self, node: Node) -> Result<Dynamics, UrdfError> {
        let [damping, friction, armature, rotor, drakes_rotor, ratio, drakes_ratio] = self.reader.leaf(
            node,
            self.owner,
            [
                "damping",
                "friction",
                "armature",
                "rotor_inertia",
                "drake:rotor_inertia",
                "gear_ratio",
                "drake:gear_ratio",
            ],
        )?;
        let joint = || self.owner.name().to_owned();
        let mut read = Dynamics::default();
        if let Some(attribute) = damping {
            let damping = attribute.number()?;
            if damping < 0.0 {
                return Err(UrdfError::NegativeDamping { line: attribute.line, joint: joint(), damping });
            }
            read.damping = damping;
        }
        if let Some(attribute) = friction {
            let friction = attribute.number()?;
            if friction < 0.0 {
                return Err(UrdfError::NegativeFriction { line: attribute.line, joint: joint(), friction });
            }
            read.friction = friction;
        }
        let (rotor, ratio) = (rotor.or(drakes_rotor), ratio.or(drakes_ratio));
        (read.armature, read.gear_ratio) = match (armature, rotor) {
            (Some(armature), _) => (Some(rotor::inertia(&armature, "armature")?), None),
            (None, Some(rotor)) => {
                let (armature, ratio) = rotor::reflected(&rotor, ratio.as_ref())?;
                (Some(armature), Some(ratio))
            }
            (None, None) => {
                if let Some(ratio) = ratio {
                    self.reader.report.push(ratio.line, NoteKind::GearRatioWithoutRotor { joint: joint() });
                }
                (None, None)
            }
        };
        Ok(read)
    }

    fn read_mimic(&mut self, node: Node) -> Result<RawMimic, UrdfError> {
        let line = self.reader.line(node);
        let [target, multiplier, offset] = self.reader.leaf(node, self.owner, ["joint", "multiplier", "offset"])?;
        let target = self.reader.required(target, node, self.owner, "joint")?;
        Ok(RawMimic {
            target: Named { line, name: target.value.to_owned() },
            multiplier: multiplier.map_or(Ok(1.0), |multiplier| multiplier.number())?,
            offset: offset.map_or(Ok(0.0), |offset| offset.number())?,
        })
    }
}
