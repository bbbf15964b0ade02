//! What MJCF has: elements, attributes, their types and defaults, and whether they touch the dynamics.
//!
//! The reader takes types and defaults from here, the report what is not used, and `docs/robots.md` its table.

mod actuators;
mod bodies;
mod document;
mod sections;

pub(super) use bodies::ONLY_LINEAR;
pub(super) use document::markdown;

use crate::model::source::Rank;

/// An element.
#[derive(Debug)]
pub(super) struct ElementSpec {
    /// Its name.
    pub(super) name: &'static str,
    /// The class of defaults that its attributes come from; empty for none.
    pub(super) defaults: &'static str,
    /// Whether it is read.
    pub(super) used: Use,
    /// Attributes in groups, which elements share.
    pub(super) attributes: &'static [&'static [AttributeSpec]],
    /// Names of attributes that are not dynamics.
    pub(super) ignored: &'static [&'static str],
    /// What it may hold.
    pub(super) children: &'static [&'static ElementSpec],
}

/// An attribute.
#[derive(Debug)]
pub(super) struct AttributeSpec {
    /// Its name.
    pub(super) name: &'static str,
    /// Its type.
    pub(super) kind: Kind,
    /// Its value where the file has none; empty for none.
    pub(super) default: &'static str,
    /// Whether it is read.
    pub(super) used: Use,
}

/// The type of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, or a text.
    Text,
    /// One of these.
    Word(&'static [&'static str]),
    /// So many numbers.
    Numbers(usize),
    /// At most so many numbers: those that are missing are the default's.
    UpTo(usize),
    /// Any number of numbers.
    List,
}

/// Whether something is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It is.
    Read,
    /// It is not: what that means where it has another value than its default, and what is said about it.
    Not(Rank, &'static str),
}

/// Both words of a flag.
pub(super) const FLAG: Kind = Kind::Word(&["false", "true"]);
/// Of a flag that may be inferred.
pub(super) const AUTO: Kind = Kind::Word(&["false", "true", "auto"]);

/// An attribute that is read.
const fn read(name: &'static str, kind: Kind, default: &'static str) -> AttributeSpec {
    AttributeSpec { name, kind, default, used: Use::Read }
}

/// One that is not, where the model differs by it.
const fn missing(name: &'static str, kind: Kind, default: &'static str, why: &'static str) -> AttributeSpec {
    AttributeSpec { name, kind, default, used: Use::Not(Rank::ChangesDynamics, why) }
}

/// One that is not, where that is probably no matter.
const fn dubious(name: &'static str, kind: Kind, default: &'static str, why: &'static str) -> AttributeSpec {
    AttributeSpec { name, kind, default, used: Use::Not(Rank::Dubious, why) }
}

/// An element that is not read, and what that means.
const fn unread(name: &'static str, rank: Rank, why: &'static str) -> ElementSpec {
    ElementSpec { name, defaults: "", used: Use::Not(rank, why), attributes: &[], ignored: &[], children: &[] }
}

/// The root.
pub(super) static MUJOCO: ElementSpec = ElementSpec {
    name: "mujoco",
    defaults: "",
    used: Use::Read,
    attributes: &[&[read("model", Kind::Text, "MuJoCo Model")]],
    ignored: &[],
    children: &[
        &sections::COMPILER,
        &sections::OPTION,
        &sections::SIZE,
        &sections::VISUAL,
        &sections::STATISTIC,
        &sections::DEFAULT,
        &sections::EXTENSION,
        &sections::CUSTOM,
        &sections::ASSET,
        &bodies::WORLDBODY,
        &sections::CONTACT,
        &sections::DEFORMABLE,
        &sections::EQUALITY,
        &sections::TENDON,
        &actuators::ACTUATOR,
        &sections::SENSOR,
        &sections::KEYFRAME,
    ],
};

/// The element `compiler`.
pub(super) fn compiler() -> &'static ElementSpec {
    &sections::COMPILER
}

impl ElementSpec {
    /// The child of this name.
    pub(super) fn child(&self, name: &str) -> Option<&'static ElementSpec> {
        self.children.iter().copied().find(|child| child.name == name)
    }

    /// The attribute of this name.
    pub(super) fn attribute(&self, name: &str) -> Option<&'static AttributeSpec> {
        self.attributes.iter().flat_map(|group| group.iter()).find(|attribute| attribute.name == name)
    }
}
