//! A model with what its elements refer to: settings, classes, meshes, models to attach.

use super::classes::Classes;
use super::element::{Element, source};
use super::error::{Fault, MjcfError};
use super::files::{folder, tidy};
use super::load::Loader;
use super::settings::Settings;
use crate::model::source::guard::MAX_BYTES;
use crate::model::source::{Owner, SourceError};
use std::collections::HashMap;

/// Models that attach models that attach models.
const MAX_ATTACHED: usize = 16;

/// A model of its own, or one that is attached.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Element,
    pub(super) settings: Settings,
    pub(super) classes: Classes,
    /// The folder of its file, with its slash; empty for the first one.
    pub(super) folder: String,
    /// Models that it may attach, by their names.
    pub(super) models: HashMap<String, Document>,
}

impl Document {
    /// Reads a text and the models that it names. `above`: the files that are being read.
    pub(super) fn read(loader: &mut Loader, text: &str, above: &mut Vec<String>) -> Result<Self, MjcfError> {
        let root = loader.model(text, above.last().map(String::as_str))?;
        let mut document = Self {
            settings: Settings::of(&root)?,
            classes: Classes::of(&root)?,
            folder: above.last().map_or("", |path| folder(path)).to_owned(),
            models: HashMap::new(),
            root,
        };
        let assets = document.root.each("asset").flat_map(|section| section.each("model"));
        let mut models = HashMap::new();
        for asset in assets {
            let path = tidy(&format!("{}{}", document.folder, asset.plain().required("file")?));
            let refuse = |reason: String| asset.fault(Fault::File { element: "model", file: path.clone(), reason });
            if above.contains(&path) {
                return Err(refuse("it attaches itself".into()));
            }
            if above.len() >= MAX_ATTACHED {
                let (line, what) = (asset.place.line, "models that attach each other");
                return Err(source(&asset.place, SourceError::TooLarge { line, what, limit: MAX_ATTACHED }));
            }
            let bytes =
                loader.files.read(&path, MAX_BYTES).map_err(|reason| refuse(format!("cannot be read: {reason}")))?;
            let text = String::from_utf8(bytes).map_err(|_| refuse("it is not UTF-8 text".into()))?;
            above.push(path.clone());
            let model = Self::read(loader, &text, above)?;
            above.pop();
            let name = asset.name().unwrap_or_else(|| model.name()).to_owned();
            models.insert(name, model);
        }
        document.models = models;
        Ok(document)
    }

    /// The name of the model.
    pub(super) fn name(&self) -> &str {
        self.root.plain().text("model").unwrap_or("MuJoCo Model")
    }

    /// A mesh by its name, which is that of its file if it has none.
    pub(super) fn mesh(&self, name: &str) -> Option<&Element> {
        let meshes = self.root.each("asset").flat_map(|section| section.each("mesh"));
        meshes.into_iter().find(|mesh| match mesh.name() {
            Some(own) => own == name,
            None => mesh.plain().text("file").is_some_and(|file| stem(file) == name),
        })
    }

    /// Where the file of a mesh may be: beside the model, else beside the included file that names it.
    pub(super) fn mesh_paths(&self, file: &str, included: Option<&str>) -> Vec<String> {
        let beside = included.map_or("", folder);
        let within = beside.strip_prefix(self.folder.as_str()).unwrap_or(beside);
        let mut paths =
            vec![self.mesh_path(file), self.mesh_path(&format!("{within}{file}")), tidy(&format!("{beside}{file}"))];
        paths.dedup();
        paths
    }

    fn mesh_path(&self, file: &str) -> String {
        let file = if self.settings.strip_path { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
        let folders = [self.folder.as_str(), self.settings.mesh_folder.as_str()];
        let from = folders.iter().rposition(|folder| super::files::is_absolute(folder)).unwrap_or_default();
        if super::files::is_absolute(file) {
            return file.to_owned();
        }
        tidy(&[folders.get(from..).unwrap_or_default().concat(), file.to_owned()].concat())
    }
}

/// The name of a file without folder and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What messages call the element that attaches.
pub(super) fn attach_owner(model: &str) -> Owner {
    Owner::Element("attach".to_owned(), model.to_owned())
}
