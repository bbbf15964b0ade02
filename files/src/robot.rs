//! A robot with the file that it comes from.

use crate::error::{Error, RobotError};
use gradyn::model::mjcf::{self, Equality, EqualityElement, MjcfOptions};
use gradyn::model::sdf::{self, SdfOptions};
use gradyn::model::source::{Files, Format, JointType, LoadReport, LoopJoint};
use gradyn::model::srdf::{self, Srdf};
use gradyn::model::urdf::{self, ContinuousForm, JointOrder, MimicForm, UrdfOptions};
use gradyn::model::{BodyId, Model};
use gradyn::spatial::Transform;
use gradyn::text::one_line;
use gradyn_sensitivity::Parameters;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One byte more than this is read and refused, so that an endless file ends.
const MAX_BYTES: u64 = 64 << 20;

/// The configuration in which links stand where the file places them.
pub const FILE: &str = "file";

/// A robot and the file it comes from.
#[derive(Clone, Debug)]
pub struct Robot {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// The robot.
    pub model: Model,
    /// What was not used of the file, and what is dubious.
    pub report: LoadReport,
    /// What else the file says, by its format.
    pub origin: Origin,
    /// Named configurations: keyframes of MJCF, states of SRDF, and `file`, in which links stand where an SDF or MJCF file places them.
    pub configurations: Vec<Configuration>,
    /// Names of groups of SRDF.
    pub groups: Vec<String>,
}

/// A named configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Its name in the file.
    pub name: String,
    /// The group of its state in an SRDF file, if the name does not have it: `GROUP/NAME` is another name of it.
    pub group: Option<String>,
    /// The configuration, nq.
    pub q: Vec<f64>,
    /// The velocity, nv; zero where the file says none.
    pub v: Vec<f64>,
}

impl Configuration {
    fn new(name: impl Into<String>, q: Vec<f64>, v: Vec<f64>) -> Self {
        Self { name: name.into(), group: None, q, v }
    }

    /// `GROUP/NAME`, if it is of a group.
    pub fn full_name(&self) -> Option<String> {
        self.group.as_ref().map(|group| format!("{group}/{}", self.name))
    }
}

/// What a robot's file says beside the model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Origin {
    /// Of a URDF file.
    Urdf {
        /// The links and joints of the file, those that are merged into others included.
        description: urdf::Description,
        /// The text of the file.
        text: String,
        /// How it was read.
        options: UrdfOptions,
    },
    /// Of an MJCF file.
    Mjcf {
        /// What it says.
        loaded: Box<mjcf::Loaded>,
        /// The text of the file.
        text: String,
        /// How it was read.
        options: Box<MjcfOptions>,
    },
    /// Of an SDF file.
    Sdf(Box<sdf::Loaded>),
}

/// What closes a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// `joint` (SDF), `connect` or `weld` (MJCF).
    pub kind: &'static str,
    /// Its name in the file.
    pub name: Option<String>,
    /// Its place in an MJCF file, where it may have no name; empty for SDF.
    pub place: String,
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, place } = self;
        match (*kind, name) {
            ("joint", Some(name)) => write!(f, "joint `{}`", one_line(name)),
            (kind, Some(name)) => write!(f, "equality `{kind}` `{}`", one_line(name)),
            (kind, None) => write!(f, "equality `{kind}` in {place}"),
        }
    }
}

/// Choices for a robot's file, whatever its format.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileOptions {
    /// Those for URDF. Of MJCF and SDF what applies there; what the file decides itself is refused.
    pub urdf: UrdfOptions,
    /// Of SDF: links that no joint carries are fixed to the world, instead of free.
    pub fixed_base: bool,
    /// The width of smooth Coulomb friction, rad/s (m/s), positive; without it 0.01, and `frictionloss` of MJCF is left out.
    pub friction_width: Option<f64>,
}

impl From<UrdfOptions> for FileOptions {
    fn from(urdf: UrdfOptions) -> Self {
        Self { urdf, fixed_base: false, friction_width: None }
    }
}

impl FileOptions {
    /// Sets [`fixed_base`](Self::fixed_base).
    #[must_use]
    pub fn fixed_base(self, fixed_base: bool) -> Self {
        Self { fixed_base, ..self }
    }

    /// Sets [`friction_width`](Self::friction_width).
    #[must_use]
    pub fn friction_width(self, friction_width: Option<f64>) -> Self {
        Self { friction_width, ..self }
    }
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
    /// Reads a robot's file: URDF, MJCF or SDF, as its root element says. `gravity`, m/s², in the world: without one that of the file,
    /// for URDF 0, 0, −9.81. `joint_friction`: with the file's damping and friction.
    pub fn read(
        path: &Path,
        options: impl Into<FileOptions>,
        gravity: Option<Vector3<f64>>,
        joint_friction: bool,
    ) -> Result<Self, Error> {
        let text = read(path)?;
        let FileOptions { urdf: options, fixed_base, friction_width } = options.into();
        let format = Format::of_text(&text);
        if fixed_base && format != Some(Format::Sdf) {
            let name = path.display().to_string();
            return Err(Error::content(name, "a fixed base is a choice for SDF files alone"));
        }
        let mut robot = match format {
            Some(Format::Sdf) => {
                let loaded = Model::from_sdf_text(&text, &sdf_options(path, &options, fixed_base)?);
                let loaded = loaded.map_err(|error| refused(path, error))?;
                Self::of_sdf(path, loaded)
            }
            Some(Format::Mjcf) => {
                let mut options = mjcf_options(path, &options)?;
                options.friction_width = friction_width;
                let loaded = Model::from_mjcf_text(&text, &options).map_err(|error| refused(path, error))?;
                Self::of_mjcf(path, loaded, text, options)
            }
            // What it is not is said by the reader of URDF.
            _ => {
                let loaded = Model::from_urdf_text(&text, &options).map_err(|error| not_a_robot(path, error))?;
                Self::of_urdf(path, loaded, text, options)
            }
        };
        if let Some(g) = gravity {
            robot.model = robot.model.with_gravity(g);
        }
        if let Some(width) = friction_width {
            let changed = robot.model.with_friction_width(width);
            robot.model = changed.map_err(|error| Error::content(path.display().to_string(), error.to_string()))?;
        }
        robot.model = robot.model.with_joint_friction(joint_friction);
        Ok(robot)
    }

    /// A robot of the text of a URDF file.
    pub fn of_urdf(path: &Path, loaded: urdf::Loaded, text: String, options: UrdfOptions) -> Self {
        let urdf::Loaded { model, report, description, .. } = loaded;
        let origin = Origin::Urdf { description, text, options };
        Self { path: path.to_owned(), model, report, origin, configurations: Vec::new(), groups: Vec::new() }
    }

    /// A robot of the text of an MJCF file.
    pub fn of_mjcf(path: &Path, loaded: mjcf::Loaded, text: String, options: MjcfOptions) -> Self {
        let (model, report) = (loaded.model.clone(), loaded.report.clone());
        let named = loaded.configurations.iter();
        let mut configurations: Vec<_> =
            named.map(|of| Configuration::new(of.name.clone(), of.q.clone(), of.v.clone())).collect();
        if configurations.iter().all(|of| of.name != FILE) {
            configurations.push(Configuration::new(FILE, loaded.reference.clone(), vec![0.0; model.nv()]));
        }
        let origin = Origin::Mjcf { loaded: Box::new(loaded), text, options: Box::new(options) };
        Self { path: path.to_owned(), model, report, origin, configurations, groups: Vec::new() }
    }

    /// A robot of the text of an SDF file.
    pub fn of_sdf(path: &Path, loaded: sdf::Loaded) -> Self {
        let (model, report) = (loaded.model.clone(), loaded.report.clone());
        let (q, v) = (loaded.configuration.clone(), vec![0.0; model.nv()]);
        let configurations = vec![Configuration::new(FILE, q, v)];
        let origin = Origin::Sdf(Box::new(loaded));
        Self { path: path.to_owned(), model, report, origin, configurations, groups: Vec::new() }
    }

    /// Adds the named configurations and groups of an SRDF file.
    ///
    /// # Errors
    /// What makes no sense in the file, and a state that does not fit the robot, or has no group and the name of a configuration that is
    /// there. One with a group is `GROUP/NAME` then.
    pub fn with_srdf(mut self, path: &Path) -> Result<Self, Error> {
        let refuse = |reason: String| Error::content(path.display().to_string(), reason);
        let srdf = Srdf::from_text(&read(path)?).map_err(|error| refuse(error.to_string()))?;
        let own = self.configurations.len();
        let all = srdf.configurations(&self.model).map_err(|error| refuse(error.to_string()))?;
        for srdf::Configuration { line, mut name, mut group, q, .. } in all {
            let is_taken = |name: &str| self.configurations.iter().take(own).any(|of| of.name == name);
            if is_taken(&name)
                && let Some(group) = group.take()
            {
                name = format!("{group}/{name}");
            }
            if is_taken(&name) {
                let name = one_line(&name);
                return Err(refuse(format!("line {line}: the robot has a configuration `{name}` already")));
            }
            self.configurations
                .push(Configuration { group, ..Configuration::new(name, q, vec![0.0; self.model.nv()]) });
        }
        self.groups.extend(srdf.groups.iter().map(|group| group.name.clone()));
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        self.report.append_file(&file, srdf.report_for(&self.model));
        Ok(self)
    }

    /// The configuration of a name, or of `GROUP/NAME`.
    pub fn configuration(&self, name: &str) -> Option<&Configuration> {
        let by_name = self.configurations.iter().find(|of| of.name == name);
        by_name.or_else(|| self.configurations.iter().find(|of| of.full_name().as_deref() == Some(name)))
    }

    /// All parameters, none chosen: without placements of joints that are fixed, unless a link has the name.
    pub fn parameters(&self) -> Parameters {
        let all = Parameters::of(&self.model);
        let Origin::Urdf { description: urdf::Description { links, joints, .. }, .. } = &self.origin else {
            return all;
        };
        let is_link = |name: &str| links.iter().any(|link| link.name == name);
        let fixed = joints.iter().filter(|j| j.joint_type == JointType::Fixed && !is_link(&j.name));
        fixed.fold(all, |all, joint| {
            let (name, link) = (one_line(&joint.name), one_line(&links[joint.child].name));
            let reason = format!(
                "the joint `{name}` is fixed, so `{link}` is a part of the body that carries it; vary `{link}.placement` for the frame \
                 alone, or `com` and `inertia` of that body"
            );
            all.without_placement(&joint.name, &reason)
        })
    }

    /// The names of the links or bodies of the file, those that are merged into others included.
    pub fn link_names(&self) -> Vec<&str> {
        match &self.origin {
            Origin::Urdf { description, .. } => description.links.iter().map(|link| link.name.as_str()).collect(),
            Origin::Mjcf { loaded, .. } => loaded.description.bodies.iter().map(|body| body.name.as_str()).collect(),
            Origin::Sdf(loaded) => loaded.links.iter().map(String::as_str).collect(),
        }
    }

    /// Every link of the file by its name.
    pub fn links(&self) -> HashMap<&str, LinkPlace> {
        let frames: HashMap<&str, _> = self.model.frames().iter().map(|frame| (frame.name(), frame)).collect();
        let place = |name: &'_ str| {
            frames.get(name).map(|frame| LinkPlace { body: frame.body(), placement: *frame.placement() })
        };
        self.link_names().into_iter().filter_map(|name| Some((name, place(name)?))).collect()
    }

    /// What holds the robot beside its tree, in its file: joints of SDF that close loops, `connect` and `weld` of MJCF that are active.
    pub fn loops(&self) -> Vec<Loop> {
        match &self.origin {
            Origin::Sdf(loaded) => {
                let closed = loaded.loops.iter();
                let of =
                    |joint: &LoopJoint| Loop { kind: "joint", name: Some(joint.name.clone()), place: String::new() };
                closed.map(of).collect()
            }
            Origin::Mjcf { loaded, .. } => {
                let held = loaded.description.equalities.iter().filter(|equality| equality.active);
                let of = |equality: &EqualityElement| {
                    let kind = match equality.holds {
                        Equality::Connect { .. } => "connect",
                        Equality::Weld { .. } => "weld",
                        _ => return None, // joints that follow others are the model's
                    };
                    Some(Loop { kind, name: equality.name.clone(), place: equality.place.to_string() })
                };
                held.filter_map(of).collect()
            }
            Origin::Urdf { .. } => Vec::new(),
        }
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

fn refused(path: &Path, error: impl Into<RobotError>) -> Error {
    Error::Robot { path: path.to_owned(), error: Box::new(error.into()) }
}

/// Why a text that is neither MJCF nor SDF is no URDF.
fn not_a_robot(path: &Path, error: urdf::UrdfError) -> Error {
    let urdf::UrdfError::NotARobot { line, found } = &error else { return refused(path, error) };
    let expected = match found.as_str() {
        "mujocoinclude" => "which is a part of an MJCF model: name the file that includes it",
        _ => "expected `robot` (URDF), `mujoco` (MJCF) or `sdf` (SDF)",
    };
    let reason = format!("the root element is `{}`, {expected}", one_line(found));
    Error::in_line(path.display().to_string(), *line as usize, reason)
}

/// The same choices for an MJCF file, which makes some of them itself.
fn mjcf_options(path: &Path, options: &UrdfOptions) -> Result<MjcfOptions, Error> {
    let refuse = |what: &str| {
        Err(Error::content(path.display().to_string(), format!("{what} of an MJCF file is what the file says")))
    };
    if options.floating_base {
        return refuse("the base");
    }
    if options.joint_order != JointOrder::File {
        return refuse("the order of joints");
    }
    if options.continuous != ContinuousForm::Angle {
        return refuse("the form of joints without limits");
    }
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mut mjcf = MjcfOptions::new().strict(options.strict).equality(options.mimic).files(Files::of_folder(folder));
    for (joint, armature) in &options.armature {
        mjcf = mjcf.armature(joint, armature);
    }
    Ok(mjcf)
}

/// The same choices for an SDF file.
fn sdf_options(path: &Path, options: &UrdfOptions, fixed_base: bool) -> Result<SdfOptions, Error> {
    let refuse =
        |what: &str| Err(Error::content(path.display().to_string(), format!("{what} is not a choice for SDF files")));
    if options.floating_base && fixed_base {
        return refuse("a base that is both floating and fixed");
    }
    if options.joint_order != JointOrder::File {
        return refuse("another order of joints than the file's");
    }
    if options.continuous != ContinuousForm::Angle {
        return refuse("another form of joints without limits than an angle");
    }
    if options.mimic != MimicForm::Follow {
        return refuse("to let mimic joints move by themselves");
    }
    if !options.armature.is_empty() {
        return refuse("armature");
    }
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    Ok(SdfOptions::new().strict(options.strict).fixed_base(fixed_base).files(Files::of_folder(folder)))
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
