//! Choices to make when an MJCF file is read.

use super::files::Files;
use crate::model::source::MimicForm;
use std::collections::BTreeMap;

/// Choices to make when an MJCF file is read.
///
/// ```
/// use gradyn::model::mjcf::MjcfOptions;
/// let options = MjcfOptions::new().strict(true).friction_width(0.01);
/// assert!(options.strict && options.friction_width == Some(0.01));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MjcfOptions {
    /// Make the first warning an error. Default: no.
    pub strict: bool,
    /// What becomes of joints that an equality makes follow others. Default: they follow.
    pub equality: MimicForm,
    /// The width of smooth Coulomb friction that `frictionloss` becomes, rad/s (m/s). MuJoCo's friction is a constraint, and has
    /// none. Default: none, and `frictionloss` is reported.
    pub friction_width: Option<f64>,
    /// Armature of joints by their names, one entry a degree of freedom, kg m² (kg), instead of what the file says. Those of one joint
    /// are equal. Default: none.
    pub armature: BTreeMap<String, Vec<f64>>,
    /// The files that the text names. Default: none, for a text, and the folder of the file, for a file.
    pub files: Option<Files>,
}

impl MjcfOptions {
    /// The defaults: warnings allowed, joints that equalities tie follow, no dry friction.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`strict`](Self::strict).
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Sets [`equality`](Self::equality).
    #[must_use]
    pub fn equality(mut self, equality: MimicForm) -> Self {
        self.equality = equality;
        self
    }

    /// Sets [`friction_width`](Self::friction_width).
    #[must_use]
    pub fn friction_width(mut self, width: f64) -> Self {
        self.friction_width = Some(width);
        self
    }

    /// Sets the armature of a joint, one entry a degree of freedom, not negative, kg m² (kg), instead of what the file says.
    #[must_use]
    pub fn armature(mut self, joint: impl Into<String>, armature: &[f64]) -> Self {
        self.armature.insert(joint.into(), armature.to_vec());
        self
    }

    /// Sets [`files`](Self::files).
    #[must_use]
    pub fn files(mut self, files: Files) -> Self {
        self.files = Some(files);
        self
    }
}
