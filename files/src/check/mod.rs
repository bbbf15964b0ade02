//! Checks of derivatives: methods against each other, claims of other programs against evidence, and a page of what was
//! found.

pub mod compare;
pub mod evidence;
pub mod identity;
mod identity_claim;
pub mod methods;
mod page;
mod totals;

pub use page::{Findings, Page, Section, write};
pub use totals::{Checked, Overall, Total, totals};
