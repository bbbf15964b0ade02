//! The page itself with something else in each lane: bodies of equal depth ([`bodies`]), or states of a batch ([`states`]).

pub(crate) mod bodies;
pub(crate) mod states;
