//! Frames of joints and sites.

use super::assembly::Assembly;
use super::description::JointElement;
use super::error::{Fault, MjcfError};
use super::load::not_used;
use super::tree::unused;
use crate::model::source::{NoteKind, Owner, Rank};
use crate::spatial::Transform;

impl Assembly<'_> {
    pub(super) fn note(&mut self, joint: &JointElement, attribute: &str, rank: Rank, reason: &'static str) {
        let kind = not_used(Owner::Joint(joint.name.clone()), "joint", Some(attribute), (rank, reason));
        self.report.push_in(joint.place.file.as_ref(), joint.place.line, kind);
    }

    /// Each joint is a frame at its anchor, in the axes of its body; where a body has the name, the body's.
    pub(super) fn frames_of_joints(&mut self) -> Result<(), MjcfError> {
        let description = self.description;
        for (joint, keys) in description.joints.iter().zip(&self.keys) {
            let Some(key) = keys.last().copied() else { continue };
            if self.frames.insert(joint.name.clone(), ()).is_none() {
                self.builder.add_frame(Some(key), joint.name.as_str(), Transform::identity())?;
            } else if description.bodies.get(joint.body).is_none_or(|body| body.name != joint.name)
                && description.bodies.iter().any(|body| body.name == joint.name)
            {
                let kind = NoteKind::NameOfLink { joint: joint.name.clone() };
                self.report.push_in(joint.place.file.as_ref(), joint.place.line, kind);
            }
        }
        Ok(())
    }

    /// Each site with a name is a frame.
    pub(super) fn frames_of_sites(&mut self) -> Result<(), MjcfError> {
        for site in &self.description.sites {
            let Some(name) = &site.name else { continue };
            let seat = self.seat(site.body);
            let pose = seat.pose * site.pose;
            if !pose.translation.iter().all(|x| x.is_finite()) {
                let owner = Owner::Element("site".to_owned(), name.clone());
                return Err(Fault::Overflow { owner, what: "its pose" }.at(&site.place));
            }
            let mut frame = name.clone();
            if self.frames.contains_key(&frame) {
                frame = unused(format!("{name}_site"), &self.frames);
                let reason = "a body or a joint has its name: that of its frame ends with `_site`";
                let owner = Owner::Element("site".to_owned(), name.clone());
                let kind = not_used(owner, "site", Some("name"), (Rank::NotDynamics, reason));
                self.report.push_in(site.place.file.as_ref(), site.place.line, kind);
            }
            self.frames.insert(frame.clone(), ());
            self.builder.add_frame(seat.key, frame, pose)?;
        }
        Ok(())
    }
}
