//! Giving changed parameters back to the file: numbers in the text change, and nothing else does.
//!
//! [`rewrite`] is what comes after an identification or a calibration. It takes the text of the file that a robot was
//! read from, and the robot with other numbers; comments, order, blanks, quotes and what gradyn does not know stay as
//! they are, byte for byte.

mod joints;
mod links;
mod no_place;

use super::assembly;
use super::description::{Description, JointElement};
use super::error::UrdfError;
use super::options::UrdfOptions;
use crate::model::Model;
use crate::model::rewrite::edits::Edits;
use crate::model::rewrite::{RewriteError, Rewritten, same};
use crate::model::source::{guard, xml};
use crate::spatial::Transform;
use roxmltree::Node;
use std::collections::HashMap;

/// Writes the parameters of a model into the text of the URDF file that it was read from.
///
/// What `text` gives under `options` is compared with `model`, which has the same bodies, joints and frames. Numbers
/// that differ are replaced where they stand, by the shortest decimals that read back to them; attributes and elements
/// that are missing are inserted, with the file's indentation. All else stays, byte for byte. Read again under the same
/// options, the text gives the model: to the bit where the file has the number itself, to a few roundings where the
/// reader computes it (angles, turned tensors, sums).
///
/// Written are:
/// - mass, center of mass and inertia of links, the tensor in the axes that the `inertial` has;
/// - placements of joints as their `origin`, and those of frames as that of the fixed joint behind them: children
///   of a moved link, in the file, stay where the model has it;
/// - axes, of length one where one changes; damping, friction and armature, the latter where it stands (in `dynamics`
///   or a `transmission`), else as an attribute `armature` of `dynamics`; multipliers and offsets of mimic joints;
///   limits that are finite.
///
/// The inertia of a body is the sum over the links that are fixed to each other, and the file cannot tell which of them
/// has changed: the whole difference goes to the link that gives the body its name, or, if that would have a negative
/// mass or moments that no rigid body has, to the heaviest of the others that can take it. [`Change::whole_body`](super::Change::whole_body) says
/// so.
///
/// Gravity, friction width and the like have no place in a file: [`Rewritten::not_written`].
///
/// ```
/// use gradyn::model::Model;
/// use gradyn::model::urdf::{UrdfOptions, rewrite};
/// let text = r#"<robot name="door"> <!-- as measured -->
///   <link name="frame"/>
///   <link name="leaf">
///     <inertial> <mass value='20'/> <inertia ixx="7" ixy="0" ixz="0" iyy="6" iyz="0" izz="1"/> </inertial>
///   </link>
///   <joint name="hinge" type="continuous">
///     <parent link="frame"/> <child link="leaf"/>
///     <axis xyz="0 0 1"/>
///   </joint>
/// </robot>"#;
/// let options = UrdfOptions::new();
/// let model = Model::from_urdf_text(text, &options)?.model;
/// let (leaf, mut inertia) = (model.body_id(0).expect("is there"), *model.bodies()[0].inertia());
/// inertia.mass = 21.5;
/// let identified = model.with_inertia(leaf, inertia)?.with_damping(leaf, &[0.2])?;
///
/// let new = rewrite(text, &options, &identified)?;
/// let expected = text.replace("'20'", "'21.5'").replace(r#""0 0 1"/>"#, "\"0 0 1\"/>\n    <dynamics damping=\"0.2\"/>");
/// assert_eq!(new.text, expected);
/// assert_eq!(new.changes[0].to_string(), "line 4: link `leaf`: mass value 20 → 21.5");
/// assert_eq!(Model::from_urdf_text(&new.text, &options)?.model, identified);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RewriteError::Urdf`] for a text that cannot be read, [`RewriteError::OtherTree`] for the model of another robot,
/// [`RewriteError::NegativeMass`] and [`RewriteError::Unwritable`] for what no file can say,
/// [`RewriteError::NotReproduced`] where the text, read again, does not give the number; under [`UrdfOptions::strict`],
/// [`RewriteError::NotWritten`] for the first thing that has no place in a file.
///
/// Cost: that of reading the text twice.
pub fn rewrite(text: &str, options: &UrdfOptions, model: &Model) -> Result<Rewritten, RewriteError> {
    let loaded = Model::from_urdf_text(text, options)?;
    let (base, description) = (loaded.model, loaded.description);
    same::tree(&base, model)?;
    let mut not_written = no_place::no_place(&base, model, &description);

    let checked = guard::check(text).map_err(UrdfError::from)?;
    let document = xml::document(&checked).map_err(UrdfError::from)?;
    let robot = Robot::new(&document.root_element(), &description, options, &base, model)?;
    let mut edits = Edits::new(&checked);
    let poses = joints::placements(&robot, &mut edits)?;
    links::inertias(&robot, &poses, &mut edits)?;
    joints::constants(&robot, &mut edits, &mut not_written)?;
    let (text, changes) = edits.finish();

    let read = Model::from_urdf_text(&text, options)?.model;
    same::frames(&base, &read, model, &mut not_written);
    same::numbers(&read, model, &not_written)?;
    if options.strict
        && let Some(first) = not_written.first()
    {
        return Err(RewriteError::NotWritten { first: Box::new(first.clone()), count: not_written.len() });
    }
    Ok(Rewritten { text, changes, not_written })
}

/// The robot of the file, and the one that it is to become.
struct Robot<'a, 'i> {
    description: &'a Description,
    options: &'a UrdfOptions,
    base: &'a Model,
    model: &'a Model,
    seats: Vec<assembly::Seat>,
    links: HashMap<&'a str, Node<'a, 'i>>,
    joints: HashMap<&'a str, Node<'a, 'i>>,
    transmissions: Vec<Node<'a, 'i>>,
    /// The place of each body, by the name of its joint.
    bodies: HashMap<&'a str, usize>,
    /// The poses of frames, by their names.
    base_frames: HashMap<&'a str, Transform<f64>>,
    model_frames: HashMap<&'a str, Transform<f64>>,
}

impl<'a, 'i> Robot<'a, 'i> {
    fn new(
        root: &Node<'a, 'i>,
        description: &'a Description,
        options: &'a UrdfOptions,
        base: &'a Model,
        model: &'a Model,
    ) -> Result<Self, RewriteError> {
        let seats = assembly::seats(description, options.merge_fixed_joints)?;
        let named = |element: &'static str| {
            let children = root.children().filter(move |child| child.is_element() && xml::full_name(*child) == element);
            children.filter_map(|child| Some((child.attribute("name")?, child))).collect()
        };
        let transmissions =
            root.children().filter(|child| child.is_element() && xml::full_name(*child) == "transmission");
        let bodies = base.bodies().iter().enumerate().map(|(i, body)| (body.joint_name(), i)).collect();
        let (links, joints) = (named("link"), named("joint"));
        Ok(Self {
            description,
            options,
            base,
            model,
            seats,
            links,
            joints,
            transmissions: transmissions.collect(),
            bodies,
            base_frames: same::frame_poses(base),
            model_frames: same::frame_poses(model),
        })
    }

    /// The joints with their elements, and the places of the bodies that they move; none of those that are merged.
    fn joints(&self) -> impl Iterator<Item = (&'a JointElement, Node<'a, 'i>, Option<usize>)> {
        self.description.joints.iter().filter_map(|joint| {
            Some((joint, *self.joints.get(joint.name.as_str())?, self.bodies.get(joint.name.as_str()).copied()))
        })
    }

    /// The pose of the child link of a fixed joint in the body that it is part of: as the model wants it.
    fn wanted_pose(&self, joint: &JointElement) -> Option<Transform<f64>> {
        let name = self.description.links.get(joint.child)?.name.as_str();
        let (before, now) = (*self.base_frames.get(name)?, *self.model_frames.get(name)?);
        // The frame of the joint is another name of the place: whichever has been moved counts.
        let own = !self.links.contains_key(joint.name.as_str());
        let by_joint = self.model_frames.get(joint.name.as_str()).copied().filter(|_| own);
        Some(if now == before { by_joint.unwrap_or(now) } else { now })
    }
}
