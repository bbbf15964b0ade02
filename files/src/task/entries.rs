//! One number for each entry of a residual: weights, and bounds.

use super::pose::by_dof_from;
use super::source::{Item, Sign};
use super::start::Start;
use crate::error::Error;

/// Entries of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entries {
    /// So many numbers.
    Numbers(usize),
    /// As many as the residual has.
    Any,
    /// Three linear ones, three angular ones.
    Twist,
    /// `(δq, δv)`, by joint.
    State,
    /// One a control.
    Controls,
}

/// One number an entry: a list, or a table by the names of groups. What a table leaves out stays as it is in `all`.
pub(super) fn by_entry(
    item: &Item<'_>,
    entries: Entries,
    start: &Start,
    mut all: Vec<f64>,
    sign: Sign,
) -> Result<Vec<f64>, Error> {
    if item.is_list() {
        return item.numbers_of(Some(all.len()), "one an entry", sign);
    }
    let table = item.table("a list with one number an entry, or a table")?;
    match entries {
        Entries::Numbers(_) | Entries::Any => return Err(item.expected("a list with one number an entry")),
        Entries::State => {
            table.only(&["q", "v"])?;
            let nv = start.model.nv();
            for (key, to) in [("q", 0..nv), ("v", nv..2 * nv)] {
                if let Some(item) = table.get(key) {
                    let others = if matches!(sign, Sign::Bound) { all[to.start] } else { 0.0 };
                    all[to].copy_from_slice(&by_dof_from(&item, &start.model, sign, others)?);
                }
            }
        }
        Entries::Twist => {
            table.only(&["linear", "angular"])?;
            for (key, to) in [("linear", 0..3), ("angular", 3..6)] {
                if let Some(item) = table.get(key) {
                    if item.is_list() {
                        all[to].copy_from_slice(&item.numbers_of(Some(3), "x, y, z", sign)?);
                    } else {
                        all[to].fill(item.number(sign)?);
                    }
                }
            }
        }
        Entries::Controls => {
            if let Some(item) = table.get("default") {
                all.fill(item.number(sign)?);
            }
            let names = &start.actuated.names;
            for (name, item) in table.entries().into_iter().filter(|(name, _)| *name != "default") {
                let at = names.iter().position(|known| known == name);
                let at = at.ok_or_else(|| item.unknown("control", name, names.iter().map(String::as_str)))?;
                all[at] = item.number(sign)?;
            }
        }
    }
    Ok(all)
}
