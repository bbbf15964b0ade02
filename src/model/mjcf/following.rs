//! Joints that an equality makes follow others.

use super::description::{Description, Equality, EqualityElement, JointKind};
use super::error::MjcfError;
use super::load::not_used;
use super::options::MjcfOptions;
use crate::model::source::{LoadReport, MimicForm, Owner, Rank};
use crate::model::{BodyKey, ModelBuilder};

/// For each equality the joint that follows, the one that leads, factor and offset; none if it is no such equality.
fn following(description: &Description) -> Vec<Option<(usize, usize, f64, f64)>> {
    let mut leader: Vec<Option<usize>> = vec![None; description.joints.len()];
    let one_coordinate = |j: usize| {
        let joint = description.joints.get(j)?;
        matches!(joint.kind, JointKind::Hinge | JointKind::Slide).then_some(joint)
    };
    let mut of = |equality: &EqualityElement| {
        let Equality::Joint { joint, of: Some(of), coefficients: [offset, factor, c2, c3, c4] } = equality.holds else {
            return None;
        };
        if !equality.active || [c2, c3, c4].iter().any(|c| *c != 0.0) || factor == 0.0 {
            return None;
        }
        let (follower, lead) = (one_coordinate(joint)?, one_coordinate(of)?);
        // A joint follows one other, and none that follows it.
        if leader.get(joint).is_none_or(Option::is_some) {
            return None;
        }
        let mut above = Some(of);
        while let Some(at) = above {
            if at == joint {
                return None;
            }
            above = leader.get(at).copied().flatten();
        }
        let offset = follower.reference + offset - factor * lead.reference;
        if !offset.is_finite() {
            return None;
        }
        if let Some(place) = leader.get_mut(joint) {
            *place = Some(of);
        }
        Some((joint, of, factor, offset))
    };
    description.equalities.iter().map(&mut of).collect()
}

/// Which joints follow others.
pub(super) fn followers(description: &Description, options: &MjcfOptions) -> Vec<bool> {
    let mut follows = vec![false; description.joints.len()];
    if options.equality == MimicForm::Follow {
        for (joint, ..) in following(description).into_iter().flatten() {
            if let Some(follows) = follows.get_mut(joint) {
                *follows = true;
            }
        }
    }
    follows
}

/// Lets joints follow others, and notes equalities that the model does not keep.
pub(super) fn follow(
    description: &Description,
    options: &MjcfOptions,
    builder: &mut ModelBuilder,
    keys: &[Vec<BodyKey>],
    report: &mut LoadReport,
) -> Result<(), MjcfError> {
    let follow = options.equality == MimicForm::Follow;
    let key = |joint: usize| keys.get(joint).and_then(|keys| keys.last()).copied();
    for (equality, following) in description.equalities.iter().zip(following(description)) {
        let element = match equality.holds {
            Equality::Connect { .. } => "connect",
            Equality::Weld { .. } => "weld",
            Equality::Joint { .. } => "joint",
        };
        let note = |rank, reason| {
            let owner = Owner::Element("equality".to_owned(), equality.name.clone().unwrap_or_default());
            not_used(owner, element, None, (rank, reason))
        };
        let kind = match (following, &equality.holds) {
            _ if !equality.active => note(Rank::Dubious, "it is not active, and left out"),
            (Some((joint, lead, factor, offset)), _) if follow => {
                if let (Some(joint), Some(lead)) = (key(joint), key(lead)) {
                    builder.set_mimic(joint, lead, factor, offset)?;
                }
                continue;
            }
            (Some(_), _) => note(Rank::ChangesDynamics, "its joints move independently, as the options say"),
            (None, Equality::Connect { .. } | Equality::Weld { .. }) => {
                note(Rank::ChangesDynamics, "it is a constraint beside the model, and holds where that is used")
            }
            (None, Equality::Joint { .. }) => note(
                Rank::ChangesDynamics,
                "its joints move independently: one does not follow the other by a straight line",
            ),
        };
        report.push_in(equality.place.file.as_ref(), equality.place.line, kind);
    }
    Ok(())
}
