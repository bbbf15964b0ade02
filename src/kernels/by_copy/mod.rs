//! By copy.
pub(crate) mod bodies;
pub(crate) mod states;
