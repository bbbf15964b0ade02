//! From a file, or its text, to a description and a model.

use super::assembly::Assembly;
use super::description::{BodyElement, Description, JointElement};
use super::document::Document;
use super::element::Values;
use super::equalities::pose_of;
use super::error::MjcfError;
use super::files::Files;
use super::keys::{self, Configuration, Coordinates};
use super::load::{Loader, not_used};
use super::mesh::Meshes;
use super::names::Lookup;
use super::options::MjcfOptions;
use super::settings::World;
use super::tree::Tree;
use super::{actuators, description, equalities, spring_damper};
use crate::model::Model;
use crate::model::source::{LoadReport, Rank, file};
use crate::spatial::{Inertia, Quaternion, Transform};
use std::collections::HashMap;
use std::path::Path;

/// A model, and what else the file says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What was not used, and what that means for the dynamics.
    pub report: LoadReport,
    /// Bodies, joints, sites, actuators, equalities and keyframes as they stand in the file.
    pub description: Description,
    /// The configuration in which the bodies have the poses of the file: MuJoCo's `qpos0`.
    pub reference: Vec<f64>,
    /// The named configurations: keyframes whose length is that of the coordinates.
    pub configurations: Vec<Configuration>,
    /// Where the coordinates of MuJoCo are in the model.
    pub coordinates: Coordinates,
    /// Index in the model of the body that each body of the file is on, none for the world, and its pose there.
    pub(crate) places: Vec<(Option<usize>, Transform<f64>)>,
}

impl Model {
    /// Reads an MJCF file, and the files that it includes. Meshes are read where the mass of a moving body is theirs.
    ///
    /// # Errors
    /// Those of [`from_mjcf_text`](Self::from_mjcf_text), and that the file cannot be read.
    #[doc(alias("MjModel", "from_xml_path", "mj_loadXML", "buildModelFromMJCF"))]
    pub fn from_mjcf_file(path: impl AsRef<Path>, options: &MjcfOptions) -> Result<Loaded, MjcfError> {
        let path = path.as_ref();
        let text = file::text(path).map_err(|error| MjcfError::Source { file: None, error: Box::new(error) })?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let files = options.files.clone().unwrap_or_else(|| Files::of_folder(folder));
        Self::from_mjcf_text(&text, &MjcfOptions { files: Some(files), ..options.clone() })
    }

    /// Reads the text of an MJCF file. Files that it names are those of [`MjcfOptions::files`].
    ///
    /// Every body and joint is a frame of its name, and every site; where a joint or site has the name of a body, the body's. The
    /// frame of a joint is at its anchor, in the axes of its body.
    ///
    /// ```
    /// use gradyn::model::{Model, mjcf::MjcfOptions};
    /// let text = r#"<mujoco><worldbody><body name="rod">
    ///     <joint name="hinge" axis="0 1 0" range="-90 90"/> <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>
    /// </body></worldbody></mujoco>"#;
    /// let loaded = Model::from_mjcf_text(text, &MjcfOptions::new())?;
    /// assert_eq!((loaded.model.nq(), loaded.report.has_warnings()), (1, false));
    /// assert_eq!(loaded.model.limits().q_upper, [std::f64::consts::FRAC_PI_2]);
    /// # Ok::<(), gradyn::model::mjcf::MjcfError>(())
    /// ```
    ///
    /// # Errors
    /// The first thing that makes no sense; under [`MjcfOptions::strict`], else, the first warning.
    #[doc(alias("from_xml_string", "mj_parseXMLString"))]
    pub fn from_mjcf_text(text: &str, options: &MjcfOptions) -> Result<Loaded, MjcfError> {
        let (description, mut report) = read(text, options)?;
        let assembled = Assembly::new(&description, options).assemble()?;
        report.append(assembled.report, None);
        let (model, coordinates) = (assembled.model, assembled.coordinates);
        let qpos = reference(&description);
        let reference = coordinates.q_of(&model, &qpos).unwrap_or_else(|| model.neutral());
        let configurations = keys::configurations(&description, &model, &coordinates, &qpos, &mut report);
        report.sort();
        strict(options, &report)?;
        let places = assembled.bodies;
        Ok(Loaded { model, report, description, reference, configurations, coordinates, places })
    }
}

/// Reads what the text of an MJCF file says.
///
/// # Errors
/// The first thing that makes no sense; under [`MjcfOptions::strict`], else, the first warning.
pub fn parse(text: &str, options: &MjcfOptions) -> Result<(Description, LoadReport), MjcfError> {
    let (description, mut report) = read(text, options)?;
    report.sort();
    strict(options, &report)?;
    Ok((description, report))
}

fn strict(options: &MjcfOptions, report: &LoadReport) -> Result<(), MjcfError> {
    match report.warnings().next() {
        Some(first) if options.strict => {
            Err(MjcfError::Strict { first: Box::new(first.clone()), count: report.warning_count() })
        }
        _ => Ok(()),
    }
}

fn read(text: &str, options: &MjcfOptions) -> Result<(Description, LoadReport), MjcfError> {
    let files = options.files.clone().unwrap_or_default();
    let mut loader = Loader::new(&files);
    let document = Document::read(&mut loader, text, &mut Vec::new())?;
    let world = World::of(&document.root)?;
    let mut tree = Tree::of(&document, Meshes::new(&files))?;
    if let Some(total) = document.settings.total_mass {
        scale_masses(&mut tree.bodies, total);
    }
    let mut joints = std::mem::take(&mut tree.joints);
    let (mut actuators, mut equalities) = (Vec::new(), Vec::new());
    let mut report = std::mem::take(&mut tree.report);
    for (n, (of, names)) in tree.attached.iter().enumerate() {
        let lookup = Lookup { tree: &tree, names, is_whole: n == 0 };
        let sections = |name: &'static str| of.root.each(name).flat_map(|section| &section.children);
        let values = |element| -> Result<Values, MjcfError> {
            let class = of.classes.named(element, "class", super::classes::MAIN)?;
            Ok(Values { element, defaults: of.classes.attributes(class, element.spec.defaults) })
        };
        for element in sections("equality") {
            equalities.extend(equalities::read(&values(element)?, lookup)?);
        }
        let fixed = sections("tendon").filter(|tendon| tendon.spec.name == "fixed");
        let tendons: HashMap<_, _> = fixed.filter_map(|tendon| Some((tendon.name()?, tendon))).collect();
        for element in sections("actuator") {
            let lookup = actuators::Targets { lookup, tendons: &tendons };
            actuators.extend(actuators::read(&values(element)?, &of.settings, lookup, &mut joints, &mut report)?);
        }
    }
    for (attached, _) in tree.attached.iter().skip(1) {
        for key in attached.root.each("keyframe") {
            let reason = "keyframes of attached models are left out";
            let kind = not_used(key.owner(), "keyframe", None, (Rank::Dubious, reason));
            report.push_in(key.place.file.as_ref(), key.place.line, kind);
        }
    }
    let keys = document.root.each("keyframe").flat_map(|section| section.each("key"));
    let keyframes = keys::all(keys)?;
    spring_damper::set(&tree.bodies, &mut joints)?;
    given_armature(options, &mut joints)?;
    for joint in &mut joints {
        if !world.springs {
            joint.stiffness = 0.0;
        }
        if !world.dampers {
            joint.damping = 0.0;
        }
        if !world.friction {
            joint.friction = 0.0;
        }
    }
    loader.report.append(report, None);
    let description = Description {
        name: document.name().to_owned(),
        bodies: std::mem::take(&mut tree.bodies),
        joints,
        sites: std::mem::take(&mut tree.sites),
        actuators,
        equalities,
        keyframes,
        gravity: world.gravity,
        timestep: world.timestep,
    };
    Ok((description, loader.report))
}

/// Sets what the options say, instead of what the file says.
fn given_armature(options: &MjcfOptions, joints: &mut [JointElement]) -> Result<(), MjcfError> {
    if options.armature.is_empty() {
        return Ok(());
    }
    let mut by_name: HashMap<_, _> = joints.iter_mut().map(|joint| (joint.name.clone(), joint)).collect();
    for (name, numbers) in &options.armature {
        let refuse = |reason| Err(MjcfError::Armature { joint: name.clone(), reason });
        let Some(joint) = by_name.get_mut(name) else { return refuse("the robot does not have it") };
        let Some((first, others)) = numbers.split_first() else { return refuse("it has no number") };
        if numbers.len() != joint.kind.degrees_of_freedom() {
            return refuse("expected one number for each degree of freedom");
        }
        if !(first.is_finite() && *first >= 0.0) || others.iter().any(|other| other - first != 0.0) {
            return refuse("expected finite numbers that are not negative, those of one joint equal");
        }
        joint.armature = *first;
    }
    Ok(())
}

/// Scales all masses so that their sum is this.
fn scale_masses(bodies: &mut [BodyElement], total: f64) {
    let sum: f64 = bodies.iter().map(|body| body.inertia.mass).sum();
    let scale = total / sum;
    if !scale.is_finite() {
        return;
    }
    for body in bodies {
        let Inertia { mass, com, rotational } = body.inertia;
        body.inertia = Inertia::new(mass * scale, com, rotational.scale(scale));
    }
}

/// MuJoCo's `qpos0`.
fn reference(description: &Description) -> Vec<f64> {
    let mut qpos = Vec::new();
    for joint in &description.joints {
        match joint.kind {
            description::JointKind::Hinge | description::JointKind::Slide => qpos.push(joint.reference),
            description::JointKind::Ball => qpos.extend([1.0, 0.0, 0.0, 0.0]),
            description::JointKind::Free => {
                let pose = pose_of(&description.bodies, Some(joint.body));
                let [x, y, z, w] = Quaternion::from_rotation(&pose.rotation).to_array();
                qpos.extend(pose.translation.iter());
                qpos.extend([w, x, y, z]);
            }
        }
    }
    qpos
}
