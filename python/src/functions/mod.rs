//! The table of functions. A line each: what it takes of every state, what else, what it gives, and how.
//!
//! Sources and costs are those of the engine's functions of the same names, which each row calls.

mod constraints;
mod dynamics;
mod motion;
mod put;

use crate::table::Function;

/// All rows.
pub(crate) fn all() -> impl Iterator<Item = &'static Function> {
    [dynamics::ALL, motion::ALL, constraints::ALL].into_iter().flatten().copied()
}
