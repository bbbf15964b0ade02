//! What format a robot file has, by its root element.

use super::text::kept;

/// The format of a robot file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// URDF: the root element is `robot`.
    Urdf,
    /// MJCF: the root element is `mujoco`.
    Mjcf,
    /// SDF: the root element is `sdf`.
    Sdf,
}

impl Format {
    /// The format of a text, by its root element; none for another one, or for what is no XML.
    ///
    /// ```
    /// use gradyn::model::source::Format;
    /// assert_eq!(Format::of_text("<?xml version='1.0'?> <!-- <robot> --> <mujoco model='arm'/>"), Some(Format::Mjcf));
    /// assert_eq!(Format::of_text("<robots/>"), None);
    /// ```
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        match root(text)?.as_str() {
            "robot" => Some(Self::Urdf),
            "mujoco" => Some(Self::Mjcf),
            "sdf" => Some(Self::Sdf),
            _ => None,
        }
    }
}

/// The name of the first element.
fn root(text: &str) -> Option<String> {
    let mut rest = text;
    loop {
        let (_, after) = rest.split_once('<')?;
        let end = if after.starts_with("!--") {
            "-->"
        } else if after.starts_with('?') {
            "?>"
        } else if after.starts_with('!') {
            ">"
        } else {
            let end = after.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'))?;
            return after.get(..end).map(kept);
        };
        rest = after.split_once(end)?.1;
    }
}
