//! Inertias that do not fit into the robot: grams and millimeters taken for kilograms and meters.

use super::description::Description;
use crate::model::source::JointType;
use crate::model::source::note::NoteKind;
use crate::model::source::physical;
use crate::model::source::report::LoadReport;
use crate::spatial::vector as v3;

/// A body whose radius of gyration is so many times the reach of its robot is not a part of it. Moments in kg mm² are a
/// million times too large, radii a thousand times; a flywheel or a fuselage whose joints are all near its middle
/// reaches a few times beyond them.
const FAR_BEYOND: f64 = 10.0;

/// Notes links whose radius of gyration `k = √(I / m)`, by the largest principal moment, is far beyond the reach of the
/// robot: the largest distance that origins and centers of mass of links can have from the origin of the root, by
/// placements laid end to end.
pub(super) fn inspect(description: &Description, report: &mut LoadReport) {
    let Description { links, joints, .. } = description;
    let mut to_origin = vec![0.0; links.len()];
    for joint in joints {
        let above = to_origin.get(joint.parent).copied().unwrap_or_default();
        let slide = match (joint.joint_type, joint.limits.position) {
            (JointType::Prismatic, Some([lower, upper])) => lower.abs().max(upper.abs()),
            _ => 0.0,
        };
        if let Some(place) = to_origin.get_mut(joint.child) {
            *place = above + v3::norm_squared(joint.placement.translation).sqrt() + slide;
        }
    }
    let to_center = |(link, to_origin): (&super::LinkElement, &f64)| {
        let center = link.inertia.filter(|y| y.mass > 0.0).map_or(0.0, |y| v3::norm_squared(y.com).sqrt());
        to_origin + center
    };
    let reach = links.iter().zip(&to_origin).map(to_center).fold(0.0, f64::max);
    // Where everything is in one place there is no length to compare with.
    if reach <= 0.0 || !reach.is_finite() {
        return;
    }
    for link in links {
        let Some(y) = link.inertia.filter(|y| y.mass > 0.0) else { continue };
        let moment = physical::principal_moments(&y.rotational)[2];
        let radius = (moment.max(0.0) / y.mass).sqrt();
        if radius > FAR_BEYOND * reach {
            let (line, link, mass) = (link.line, link.name.clone(), y.mass);
            report.push(line, NoteKind::ImpossibleSize { link, mass, moment, radius, reach });
        }
    }
}
