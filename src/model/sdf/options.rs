//! Choices to make when an SDF file is read.

use crate::model::source::Files;

/// Choices to make when an SDF file is read.
///
/// ```
/// use gradyn::model::sdf::SdfOptions;
/// let options = SdfOptions::new().fixed_base(true).model("arm");
/// assert!(options.fixed_base && options.model.as_deref() == Some("arm"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SdfOptions {
    /// Fix links that no joint carries to the world where the file places them, instead of letting them move freely. Default: no.
    pub fixed_base: bool,
    /// Make the first warning an error. Default: no.
    pub strict: bool,
    /// Read this model of a file alone. Default: all of them; the names of several begin with those of their models and `::`.
    pub model: Option<String>,
    /// The files that are included. Default: none, for a text, and those beside the file, for a file.
    pub files: Option<Files>,
}

impl SdfOptions {
    /// The defaults: links move freely unless the file says otherwise, warnings allowed, all models.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`fixed_base`](Self::fixed_base).
    #[must_use]
    pub fn fixed_base(mut self, fixed_base: bool) -> Self {
        self.fixed_base = fixed_base;
        self
    }

    /// Sets [`strict`](Self::strict).
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Sets [`model`](Self::model).
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Sets [`files`](Self::files).
    #[must_use]
    pub fn files(mut self, files: Files) -> Self {
        self.files = Some(files);
        self
    }
}
