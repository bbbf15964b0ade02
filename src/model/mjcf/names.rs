//! Names that sections refer to, in replicas and attached models too.

use super::element::Values;
use super::error::{Fault, MjcfError};
use super::tree::{Names, Tree};
use crate::model::source::text::nearest;
use std::collections::HashMap;

/// What a name can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Body,
    Joint,
    Site,
}

impl What {
    fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Joint => "joint",
            Self::Site => "site",
        }
    }

    fn names<'t>(self, tree: &'t Tree) -> &'t HashMap<String, usize> {
        match self {
            Self::Body => &tree.body_names,
            Self::Joint => &tree.joint_names,
            Self::Site => &tree.site_names,
        }
    }
}

/// Where the names of an element are looked for.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'t, 'd> {
    pub(super) tree: &'t Tree<'d>,
    /// What names of its model begin and end with.
    pub(super) names: &'t Names,
    /// Whether it is the model itself: what names nothing is refused. Of an attached model a part may not be there.
    pub(super) is_whole: bool,
}

impl Lookup<'_, '_> {
    /// The endings of the replicas that any of the names has; one empty ending without replicas.
    pub(super) fn endings(&self, names: &[(What, Option<&str>)]) -> Vec<String> {
        let replicas = names.iter().find_map(|(what, name)| {
            let full = self.names.full((*name)?);
            if what.names(self.tree).contains_key(&full) { None } else { self.tree.replicas.get(&full) }
        });
        replicas.cloned().unwrap_or_else(|| vec![String::new()])
    }

    /// The index of a name that an attribute gives; none if it is of a part that was not attached.
    pub(super) fn find(
        &self,
        values: &Values,
        attribute: &'static str,
        what: What,
        ending: &str,
    ) -> Result<Option<usize>, MjcfError> {
        let name = values.required(attribute)?;
        let full = self.names.full(name);
        let known = what.names(self.tree);
        let found = known.get(&format!("{full}{ending}")).or_else(|| known.get(&full));
        match found {
            Some(index) => Ok(Some(*index)),
            None if !self.is_whole => Ok(None),
            None => {
                let nearest = nearest(name, known.keys().map(String::as_str));
                let (owner, name) = (values.element.owner(), name.to_owned());
                let fault = Fault::UnknownName { owner, attribute, what: what.word(), name, nearest };
                Err(fault.at(values.place(attribute)))
            }
        }
    }
}
