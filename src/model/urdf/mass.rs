//! Mass where it moves: notes about links and joints that leave forward dynamics singular.
//!
//! All at zero position, and joint by joint: a chain can be singular in other ways, which forward dynamics reports.

use super::description::Description;
use super::error::UrdfError;
use crate::model::source::JointType;
use crate::model::source::note::NoteKind;
use crate::model::source::physical;
use crate::model::source::report::LoadReport;
use crate::model::source::text::Owner;
use crate::spatial::{Inertia, Symmetric3, Transform, vector as v3};
use nalgebra::Vector3;

/// Rotational inertia below this part of the whole is taken as rounding error.
const TOLERANCE: f64 = 1e-12;

/// Mass, first moment and rotational inertia about the origin of a frame. Unlike [`Inertia`] it adds without a
/// division, so that nothing special happens where there is no mass.
#[derive(Clone, Copy)]
struct Content {
    mass: f64,
    first: Vector3<f64>,
    second: Symmetric3<f64>,
}

impl Content {
    fn zero() -> Self {
        Self { mass: 0.0, first: v3::zero(), second: Symmetric3::zero() }
    }

    /// `m`, `m c`, `I_C + m (|c|² 1 − c cᵀ)`
    fn of(y: &Inertia<f64>) -> Self {
        let mut content = Self { mass: y.mass, first: v3::scale(y.mass, y.com), second: y.rotational };
        content.add_second(&steiner(y.mass, y.com, y.com));
        content
    }

    /// `steiner` is bilinear; with the frame at `p` in its parent, `c ↦ R c + p` adds the terms in `p`.
    fn in_parent(&self, x_pf: &Transform<f64>) -> Self {
        let (r, p) = (&x_pf.rotation, x_pf.translation);
        let turned = v3::product(r, &v3::product(r, &self.second.matrix()).transpose());
        let first = v3::rotate(r, self.first);
        let mut content = Self {
            mass: self.mass,
            first: v3::add(first, v3::scale(self.mass, p)),
            second: Symmetric3::from_matrix(&turned),
        };
        content.add_second(&steiner(2.0, first, p));
        content.add_second(&steiner(self.mass, p, p));
        content
    }

    fn add_second(&mut self, s: &Symmetric3<f64>) {
        let t = &mut self.second;
        (t.xx, t.xy, t.xz) = (t.xx + s.xx, t.xy + s.xy, t.xz + s.xz);
        (t.yy, t.yz, t.zz) = (t.yy + s.yy, t.yz + s.yz, t.zz + s.zz);
    }

    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first = v3::add(self.first, other.first);
        self.add_second(&other.second);
    }

    fn is_finite(&self) -> bool {
        self.mass.is_finite()
            && self.first.iter().all(|x| x.is_finite())
            && self.second.matrix().iter().all(|x| x.is_finite())
    }

    /// Whether there is no inertia along some motion that the joint allows.
    fn is_singular_for(&self, joint_type: JointType, axis: Vector3<f64>) -> bool {
        let size = self.second.xx + self.second.yy + self.second.zz;
        let along = v3::dot(axis, self.second.times(axis));
        let no_mass = self.mass <= 0.0;
        match joint_type {
            JointType::Fixed => false,
            JointType::Revolute | JointType::Continuous => along <= TOLERANCE * size,
            JointType::Prismatic => no_mass,
            JointType::Planar => no_mass || self.at_center_is_below(Some(axis), TOLERANCE * size),
            JointType::Floating => no_mass || self.at_center_is_below(None, TOLERANCE * size),
        }
    }

    /// Whether the inertia about the center of mass, along an axis or along the worst one, is at most `bound`.
    fn at_center_is_below(&self, axis: Option<Vector3<f64>>, bound: f64) -> bool {
        let c = v3::scale(self.mass.recip(), self.first);
        let mut centered = *self;
        centered.add_second(&steiner(-self.mass, c, c));
        let least = match axis {
            Some(axis) => v3::dot(axis, centered.second.times(axis)),
            None => physical::principal_moments(&centered.second)[0],
        };
        least <= bound
    }
}

/// `m (a·b 1 − ½ (a bᵀ + b aᵀ))`, the parallel-axis term, polarized.
fn steiner(m: f64, a: Vector3<f64>, b: Vector3<f64>) -> Symmetric3<f64> {
    let mixed = |a1: f64, b1: f64, a2: f64, b2: f64| -m * 0.5 * (a1 * b2 + a2 * b1);
    Symmetric3::new(
        m * (a.y * b.y + a.z * b.z),
        mixed(a.x, b.x, a.y, b.y),
        mixed(a.x, b.x, a.z, b.z),
        m * (a.x * b.x + a.z * b.z),
        mixed(a.y, b.y, a.z, b.z),
        m * (a.x * b.x + a.y * b.y),
    )
}

/// Adds up the inertia that each joint moves, from the tips to the root, and notes where there is none.
pub(super) fn inspect(
    description: &Description,
    floating_base: bool,
    report: &mut LoadReport,
) -> Result<(), UrdfError> {
    let Description { links, joints, root, .. } = description;
    let mut contents: Vec<_> =
        links.iter().map(|link| link.inertia.as_ref().map_or(Content::zero(), Content::of)).collect();
    // Does the link, or one fixed to it, have an `inertial` element?
    let mut present: Vec<_> = links.iter().map(|link| link.inertia.is_some()).collect();
    let mut shared = vec![false; joints.len()]; // joints whose coordinate moves others too
    for mimic in joints.iter().filter_map(|joint| joint.mimic) {
        if let Some(shared) = shared.get_mut(mimic.joint) {
            *shared = true;
        }
    }

    for (joint, shared) in joints.iter().zip(&shared).rev() {
        let (Some(content), Some(link)) = (contents.get(joint.child).copied(), links.get(joint.child)) else {
            continue;
        };
        let in_parent = content.in_parent(&joint.placement);
        if !(content.is_finite() && in_parent.is_finite()) {
            let owner = Owner::Joint(joint.name.clone());
            return Err(UrdfError::Overflow { line: joint.line, owner, what: "the inertia that it moves" });
        }
        let has_inertial = present.get(joint.child).copied().unwrap_or_default();
        if joint.joint_type == JointType::Fixed {
            if let Some(present) = present.get_mut(joint.parent) {
                *present |= has_inertial;
            }
        } else if !has_inertial {
            let kind = NoteKind::MissingInertial { link: link.name.clone(), joint: joint.name.clone() };
            report.push(link.line, kind);
        }
        if joint.mimic.is_none()
            && !shared
            && joint.armature <= 0.0
            && content.is_singular_for(joint.joint_type, joint.axis)
        {
            report.push(joint.line, NoteKind::NoInertiaAlongAxis { joint: joint.name.clone() });
        }
        if let Some(parent) = contents.get_mut(joint.parent) {
            parent.add(&in_parent);
        }
    }

    let (Some(content), Some(link)) = (contents.get(*root), links.get(*root)) else { return Ok(()) };
    if !content.is_finite() {
        let owner = Owner::Link(link.name.clone());
        return Err(UrdfError::Overflow { line: link.line, owner, what: "the inertia of the whole robot" });
    }
    if floating_base {
        if !present.get(*root).copied().unwrap_or_default() {
            let kind = NoteKind::MissingInertial { link: link.name.clone(), joint: super::ROOT_JOINT.to_owned() };
            report.push(link.line, kind);
        }
        if content.is_singular_for(JointType::Floating, v3::zero()) {
            report.push(link.line, NoteKind::NoInertiaAlongAxis { joint: super::ROOT_JOINT.to_owned() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    fn assert_close(a: &Content, b: &Content) {
        let difference = (a.second.matrix() - b.second.matrix()).abs().max() + (a.first - b.first).abs().max();
        assert!(difference < 1e-13 && (a.mass - b.mass).abs() < 1e-15, "{difference}"); // rounding of numbers up to 30
    }

    #[test]
    fn content_moves_between_frames_as_inertia_does() {
        let y = Inertia::new(1.5, Vector3::new(0.3, -0.2, 0.7), Symmetric3::new(1.0, 0.1, -0.2, 1.2, 0.3, 0.9));
        let rotation = Rotation3::from_euler_angles(0.3, -1.1, 2.0).into_inner();
        let x = Transform::new(rotation, Vector3::new(-1.0, 2.0, 0.5));
        assert_close(&Content::of(&y).in_parent(&x), &Content::of(&x.act(y)));
    }

    #[test]
    fn motions_without_inertia_are_found() {
        let (axis, across) = (Vector3::new(0.6, 0.8, 0.0), Vector3::new(0.0, 0.0, 1.0));
        let point = Content::of(&Inertia::new(2.0, v3::scale(3.0, axis), Symmetric3::zero()));
        let body = Content::of(&Inertia::new(2.0, v3::scale(3.0, axis), Symmetric3::diagonal(1.0, 1.0, 1.0)));
        for joint_type in [JointType::Revolute, JointType::Continuous] {
            assert!(point.is_singular_for(joint_type, axis));
            assert!(!point.is_singular_for(joint_type, across));
        }
        assert!(!point.is_singular_for(JointType::Prismatic, axis));
        // A point gives no resistance to turning about itself, wherever it is.
        assert!(point.is_singular_for(JointType::Planar, across) && point.is_singular_for(JointType::Floating, axis));
        let nothing = Content::zero();
        for joint_type in [JointType::Revolute, JointType::Prismatic, JointType::Planar, JointType::Floating] {
            assert!(nothing.is_singular_for(joint_type, axis) && !body.is_singular_for(joint_type, axis));
        }
        assert!(!nothing.is_singular_for(JointType::Fixed, axis));
    }
}
