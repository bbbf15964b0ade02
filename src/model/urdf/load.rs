//! From a file, or its text, to a model.

use super::description::Description;
use super::error::UrdfError;
use super::options::UrdfOptions;
use super::{assembly, parse};
use crate::model::Model;
use crate::model::source::{LoadReport, file};
use std::path::Path;

/// A model, and what there is to say about the file it comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What was ignored or looked dubious.
    pub report: LoadReport,
    /// The links and joints as they stand in the file.
    pub description: Description,
}

impl Model {
    /// Reads a URDF file. Meshes are not needed and not opened.
    ///
    /// # Errors
    /// [`UrdfError::Source`] with the reason of the operating system, or the line that is no text, and those of
    /// [`from_urdf_text`](Self::from_urdf_text).
    #[doc(alias("buildModel", "buildModelFromUrdf", "parse_urdf", "AddModels"))]
    pub fn from_urdf_file(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Loaded, UrdfError> {
        let text = file::text(path.as_ref())?;
        Self::from_urdf_text(&text, options)
    }

    /// Reads the text of a URDF file.
    ///
    /// Bodies come in the order of [`UrdfOptions::joint_order`]. Every link and every joint is a frame of its name; where
    /// a joint has the name of a link, the link's. The frame of a joint is its child link's.
    ///
    /// ```
    /// use gradyn::model::{Model, urdf::UrdfOptions};
    /// let text = r#"<robot name="free"><link name="body"><inertial><mass value="1"/>
    ///     <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"#;
    /// let loaded = Model::from_urdf_text(text, &UrdfOptions::new().floating_base(true))?;
    /// assert_eq!((loaded.model.nq(), loaded.model.nv()), (7, 6));
    /// assert!(!loaded.report.has_warnings());
    /// # Ok::<(), gradyn::model::urdf::UrdfError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`parse`], and [`UrdfError::Overflow`] where finite numbers make an infinite one.
    #[doc(alias = "buildModelFromXML")]
    pub fn from_urdf_text(text: &str, options: &UrdfOptions) -> Result<Loaded, UrdfError> {
        let (description, report) = parse(text, options)?;
        let model = assembly::model(&description, options)?;
        Ok(Loaded { model, report, description })
    }
}
