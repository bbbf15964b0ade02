//! What pages have in common: text and tables, plots, their style.

mod plot;
mod text;

pub(crate) use plot::{Line, Plot, Scale};
pub(crate) use text::{escape, row, table};

/// Colours and type, for light and dark, screen and print.
pub(crate) const STYLE: &str = include_str!("style.css");
