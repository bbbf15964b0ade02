//! Reading SRDF, MoveIt's companion of a robot file: groups of joints, and named configurations.
//!
//! What says which links may touch is not dynamics, and is listed in the report.

mod error;
mod read;
mod states;

pub use error::SrdfError;

use crate::model::source::{LoadReport, NoteKind, Owner, Rank, file};
use crate::model::{Body, Frame, Model};
use std::collections::HashSet;
use std::path::Path;

/// What an SRDF file says about a robot.
///
/// ```
/// use gradyn::model::{Model, srdf::Srdf, urdf::UrdfOptions};
/// let robot = Model::from_urdf_text(
///     "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>
///      <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
///      <joint name='elbow' type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
///     &UrdfOptions::new(),
/// )?;
/// let srdf = Srdf::from_text(
///     "<robot name='r'><group name='arm'><joint name='elbow'/></group>
///      <group_state name='folded' group='arm'><joint name='elbow' value='2.5'/></group_state></robot>",
/// )?;
/// assert_eq!(srdf.configuration(&robot.model, "folded")?, [2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Srdf {
    /// Name of the robot.
    pub robot: String,
    /// Groups of joints and links.
    pub groups: Vec<Group>,
    /// Named configurations, as they stand in the file.
    pub states: Vec<State>,
    /// What is not used.
    pub report: LoadReport,
}

/// A group: what it lists, and what the groups that it names list.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Names of its joints.
    pub joints: Vec<String>,
    /// Names of its links.
    pub links: Vec<String>,
    /// Chains, by their first and last links.
    pub chains: Vec<(String, String)>,
    /// Names of groups that belong to it.
    pub groups: Vec<String>,
}

/// A named configuration of some joints; the others are neutral.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// Line of the file, from 1.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// The group that it is of.
    pub group: String,
    /// Coordinates of joints, by their names; of a continuous joint its angle, of a floating one position and quaternion x, y, z, w.
    pub joints: Vec<StateJoint>,
}

/// Coordinates of a joint.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StateJoint {
    /// Line of the file, from 1.
    pub line: u32,
    /// Name of the joint.
    pub name: String,
    /// Its coordinates, rad or m.
    pub values: Vec<f64>,
}

/// A configuration of a robot, with its name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Configuration {
    /// Line of its state in the file, from 1; of several states that of the first.
    pub line: u32,
    /// Its name: that of a state, or `GROUP/NAME`.
    pub name: String,
    /// The group of its state, if the name does not have it; none of several states together, and where the file says none.
    pub group: Option<String>,
    /// The configuration, nq.
    pub q: Vec<f64>,
}

impl Srdf {
    /// Reads a file.
    ///
    /// # Errors
    /// That the file cannot be read, and those of [`from_text`](Self::from_text).
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, SrdfError> {
        Self::from_text(&file::text(path.as_ref())?)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// The first thing that makes no sense: another root element, a missing name, a number that is none.
    pub fn from_text(text: &str) -> Result<Self, SrdfError> {
        read::srdf(text)
    }

    /// The report, with a warning for each joint of a state that a robot does not have, or that follows another and is not where it belongs.
    #[must_use]
    pub fn report_for(&self, model: &Model) -> LoadReport {
        let mut report = self.report.clone();
        for (line, joint) in self.unknown_joints(model) {
            let (owner, element, attribute) = (Owner::Joint(joint.to_owned()), "joint".to_owned(), None);
            let (rank, reason) = (Rank::Dubious, "the robot does not have it, and its value is skipped");
            report.push(line, NoteKind::NotUsed { owner, element, attribute, rank, reason });
        }
        for joint in self.contradicting(model) {
            let (owner, element) = (Owner::Joint(joint.name.clone()), "joint".to_owned());
            let reason = "it follows another joint, is not where it belongs, and goes there";
            let (attribute, rank) = (Some("value".to_owned()), Rank::Dubious);
            report.push(joint.line, NoteKind::NotUsed { owner, element, attribute, rank, reason });
        }
        report.sort();
        report
    }

    /// Joints of states that a robot does not have, with their lines.
    pub fn unknown_joints<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (u32, &'a str)> {
        let joints = self.states.iter().flat_map(|state| &state.joints);
        let known: HashSet<&str> =
            (model.bodies().iter().map(Body::joint_name)).chain(model.frames().iter().map(Frame::name)).collect();
        let unknown = joints.filter(move |joint| !known.contains(joint.name.as_str()));
        unknown.map(|joint| (joint.line, joint.name.as_str()))
    }
}
