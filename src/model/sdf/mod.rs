//! Reading robots from SDF, the format of Gazebo and of Drake, versions 1.4 to 1.12.
//!
//! [`Model::from_sdf_file`](crate::model::Model::from_sdf_file) makes a model of a file. Poses follow the specification: that of a link
//! is in its model, that of a joint in its child link, that of a frame in what it is attached to, unless `relative_to` says otherwise.
//! The axis of a joint is in the frame of the joint, before 1.5 in that of the model. A link that no joint carries moves freely.
//!
//! The first joint of the file whose child a link is carries it; further ones close loops, and are given as
//! [`LoopJoint`]s. A link without `inertial` has the specification's 1 kg and 1 kg m². What is not read is listed line by line in a
//! [`LoadReport`], with what that means for the dynamics. Meshes are never opened.

mod assembly;
mod collect;
mod description;
mod element;
mod error;
mod frames;
mod inertial;
mod joint;
mod options;
mod parse;
mod table;
mod tree;

pub use error::{SdfError, SdfFault};
pub use options::SdfOptions;

use crate::model::Model;
use crate::model::source::{Files, LoadReport, LoopJoint, Severity, file};
use std::path::Path;

/// A model, and what else there is to say about the file it comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What was ignored or looked dubious.
    pub report: LoadReport,
    /// Names of the file's links, those that are merged into others included: each is a frame.
    pub links: Vec<String>,
    /// Joints that close loops.
    pub loops: Vec<LoopJoint>,
    /// The configuration in which links stand where the file places them.
    pub configuration: Vec<f64>,
}

impl Model {
    /// Reads an SDF file. Files that it includes are looked for beside it, by [`SdfOptions::files`] elsewhere.
    ///
    /// # Errors
    /// That the file cannot be read, and those of [`from_sdf_text`](Self::from_sdf_text).
    #[doc(alias = "buildModelFromSdf")]
    pub fn from_sdf_file(path: impl AsRef<Path>, options: &SdfOptions) -> Result<Loaded, SdfError> {
        let path = path.as_ref();
        let text = file::text(path).map_err(|error| SdfError::Source { file: None, error: Box::new(error) })?;
        let mut options = options.clone();
        if options.files.is_none() {
            options.files = Some(Files::of_folder(path.parent().unwrap_or_else(|| Path::new("."))));
        }
        Self::from_sdf_text(&text, &options)
    }

    /// Reads the text of an SDF file.
    ///
    /// ```
    /// use gradyn::model::{Model, sdf::SdfOptions};
    /// let text = r#"<sdf version="1.9"><model name="door">
    ///   <joint name="post" type="fixed"><parent>world</parent><child>frame</child></joint>
    ///   <link name="frame"/>
    ///   <link name="leaf">
    ///     <pose>0.5 0 0 0 0 0</pose>
    ///     <inertial><mass>20</mass><inertia><ixx>7</ixx><iyy>6</iyy><izz>1</izz></inertia></inertial>
    ///   </link>
    ///   <joint name="hinge" type="revolute">
    ///     <parent>frame</parent><child>leaf</child><pose>-0.5 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>
    ///   </joint>
    /// </model></sdf>"#;
    /// let loaded = Model::from_sdf_text(text, &SdfOptions::new())?;
    /// assert_eq!((loaded.model.nq(), loaded.model.nv()), (1, 1));
    /// # Ok::<(), gradyn::model::sdf::SdfError>(())
    /// ```
    ///
    /// # Errors
    /// The first thing that makes no sense; under [`SdfOptions::strict`], else, the first warning.
    pub fn from_sdf_text(text: &str, options: &SdfOptions) -> Result<Loaded, SdfError> {
        let (description, mut report) = parse::description(text, options)?;
        let assembled = assembly::assemble(&description, options, &mut report)?;
        report.sort();
        if options.strict
            && let Some(note) = report.notes().iter().find(|note| note.severity() == Severity::Warning)
        {
            return Err(SdfError::Strict(Box::new(note.clone())));
        }
        let assembly::Assembled { model, loops, configuration } = assembled;
        let links = description.links.into_iter().map(|link| link.name).collect();
        Ok(Loaded { model, report, links, loops, configuration })
    }
}

/// The table of `docs/robots.md`: what of SDF is read, and what the rest means for the dynamics.
#[must_use]
pub fn table() -> String {
    table::markdown()
}
