//! A robot with the file that it comes from.

use crate::error::Error;
use gradyn::model::urdf::{Description, JointType, LoadReport, Loaded, UrdfError, UrdfOptions};
use gradyn::model::{BodyId, Model};
use gradyn::spatial::Transform;
use gradyn::text::one_line;
use gradyn_sensitivity::Parameters;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One byte more than this is read and refused, so that an endless file ends.
const MAX_BYTES: u64 = 64 << 20;

/// A robot and the file it comes from.
#[derive(Clone, Debug)]
pub struct Robot {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// The robot.
    pub model: Model,
    /// What was not used of the file, and what is dubious.
    pub report: LoadReport,
    /// The links and joints of the file, those that are merged into others included.
    pub description: Description,
    /// The text of the file, and how it was read.
    pub source: (String, UrdfOptions),
}

/// Where a link is: on which body (`None` for the world), and its pose there.
#[derive(Clone, Copy, Debug)]
pub struct LinkPlace {
    /// `None` for the world.
    pub body: Option<BodyId>,
    /// Its pose on the body.
    pub placement: Transform<f64>,
}

impl Robot {
    /// Reads a URDF file. `gravity`, m/s², in the world: 0, 0, −9.81 without one. `joint_friction`: with the file's
    /// damping and friction.
    pub fn read(
        path: &Path,
        options: UrdfOptions,
        gravity: Option<Vector3<f64>>,
        joint_friction: bool,
    ) -> Result<Self, Error> {
        let text = read(path)?;
        let refused = |error: UrdfError| Error::Robot { path: path.to_owned(), error: Box::new(error) };
        let Loaded { mut model, report, description, .. } = Model::from_urdf_text(&text, &options).map_err(refused)?;
        if let Some(g) = gravity {
            model = model.with_gravity(g);
        }
        model = model.with_joint_friction(joint_friction);
        Ok(Self { path: path.to_owned(), model, report, description, source: (text, options) })
    }

    /// All parameters, none chosen: without placements of joints that are fixed, unless a link has the name.
    pub fn parameters(&self) -> Parameters {
        let Description { links, joints, .. } = &self.description;
        let is_link = |name: &str| links.iter().any(|link| link.name == name);
        let fixed = joints.iter().filter(|j| j.joint_type == JointType::Fixed && !is_link(&j.name));
        fixed.fold(Parameters::of(&self.model), |all, joint| {
            let (name, link) = (one_line(&joint.name), one_line(&links[joint.child].name));
            let reason = format!(
                "the joint `{name}` is fixed, so `{link}` is a part of the body that carries it; vary `{link}.placement` for the frame \
                 alone, or `com` and `inertia` of that body"
            );
            all.without_placement(&joint.name, &reason)
        })
    }

    /// Every link of the file by its name.
    pub fn links(&self) -> HashMap<&str, LinkPlace> {
        let frames: HashMap<&str, _> = self.model.frames().iter().map(|frame| (frame.name(), frame)).collect();
        let links = self.description.links.iter();
        links
            .filter_map(|link| {
                let frame = frames.get(link.name.as_str())?;
                Some((link.name.as_str(), LinkPlace { body: frame.body(), placement: *frame.placement() }))
            })
            .collect()
    }

    /// One line a warning; of many, the first ones.
    pub fn warnings(&self) -> Vec<String> {
        const SHOWN: usize = 5;
        let file = self.path.display();
        let count = self.report.warning_count();
        let mut lines: Vec<_> = self.report.warnings().take(SHOWN).map(|note| format!("{file}: {note}")).collect();
        if count > SHOWN {
            lines.push(format!("{file}: … and {} warnings more: see `gradyn info`", count - SHOWN));
        }
        lines
    }
}

/// The text of a robot's file, which may be a pipe: it is read once.
fn read(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Error::read(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        Error::read(path, format!("line {line} is not UTF-8 text"))
    })
}
