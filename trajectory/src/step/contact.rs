//! Contacts and closed loops of a phase, by name.

use gradyn::Constraint;
use std::ops::Range;

/// A constraint with a name: a foot on the ground, the hinge that closes a loop.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Its name: that of a foot, for instance. Phases that have it one after the other hold the same contact.
    pub name: String,
    /// What is held.
    pub constraint: Constraint,
}

impl Contact {
    /// Of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, constraint: Constraint) -> Self {
        Self { name: name.into(), constraint }
    }
}

/// Where a contact has its rows in the multipliers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactRows {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: Range<usize>,
}

/// Rows of contacts one after the other.
pub(crate) fn rows_of(contacts: &[Contact]) -> Vec<ContactRows> {
    let mut first = 0;
    let rows = |contact: &Contact| {
        let rows = first..first + contact.constraint.rows();
        first = rows.end;
        ContactRows { name: contact.name.clone(), rows }
    };
    contacts.iter().map(rows).collect()
}
