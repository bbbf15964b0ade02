//! The page itself with something else in each lane: bodies of equal depth ([`bodies`]), or states of a batch ([`states`]).
//! The step of one body stands in [`newton_euler`]; what differs is where numbers are read, and who is whose parent.
//! Page: `dynamics/step.rs`. Test: `plan::every_kernel_gives_what_its_page_gives`.

pub(crate) mod bodies;
pub(crate) mod newton_euler;
pub(crate) mod root_axes;
pub(crate) mod states;
