//! Losses of costs, and weights of their entries.

use super::entries::{Entries, by_entry};
use super::kinds::TermKind;
use super::source::{Item, Sign, Table};
use super::start::Start;
use crate::error::Error;
use gradyn_trajectory::Loss;

/// Losses that have numbers, by name: `loss = { huber = 0.1 }`.
const LOSSES: [&str; 4] = ["huber", "smooth-l1", "outside", "log-barrier"];
/// All losses as they are written.
const FORMS: &str = "`\"quadratic\"`, `{ huber = w }`, `{ smooth-l1 = w }`, `{ outside = { lower, upper } }`, \
                     `{ log-barrier = { lower, upper, width } }`";

/// `weights` and `loss`; `own` is the loss of the kind, and `rows` are those of its residual.
pub(super) fn loss(
    table: &Table<'_>,
    kind: &TermKind,
    start: &Start,
    own: Option<Loss>,
    rows: usize,
) -> Result<Loss, Error> {
    let rows = if kind.entries == Entries::Controls { start.actuated.names.len() } else { rows };
    let given = table.get("loss");
    if let Some(item) = table.get("weights") {
        if own.is_some() {
            return Err(item.refuse(format!("a cost of the kind `{}` has no `weights`, only a `weight`", kind.name)));
        }
        let weights = by_entry(&item, kind.entries, start, vec![1.0; rows], Sign::NotNegative)?;
        return match given {
            Some(item) if item.as_text() != Some("quadratic") => Err(item.refuse("this loss has no `weights`")),
            _ => Ok(Loss::Diagonal(weights)),
        };
    }
    let Some(item) = given else { return Ok(own.unwrap_or_default()) };
    if let Some(name) = item.as_text() {
        return if name == "quadratic" { Ok(Loss::Quadratic) } else { Err(no_loss(&item, name)) };
    }
    let inner = item.table(FORMS)?;
    let entries = inner.entries();
    if let Some((name, item)) = entries.iter().find(|(name, _)| !LOSSES.contains(name)) {
        return Err(no_loss(item, name));
    }
    let [(name, value)] = entries.as_slice() else {
        return Err(item.refuse(format!("expected one of {FORMS}, found {}", found(&entries))));
    };
    match *name {
        "huber" => Ok(Loss::Huber { width: value.number(Sign::Positive)? }),
        "smooth-l1" => Ok(Loss::SmoothL1 { width: value.number(Sign::Positive)? }),
        "outside" => {
            let range = value.table("a table with `lower` and `upper`")?;
            range.only(&["lower", "upper"])?;
            let (lower, upper) = bounds(&range, rows)?;
            Ok(Loss::QuadraticBarrier { lower, upper })
        }
        _ => {
            let range = value.table("a table with `lower`, `upper` and `width`")?;
            range.only(&["lower", "upper", "width"])?;
            let (lower, upper) = bounds(&range, rows)?;
            let width = range.need("width", "where the logarithm ends")?.number(Sign::Positive)?;
            Ok(Loss::LogBarrier { lower, upper, width })
        }
    }
}

fn no_loss(item: &Item<'_>, name: &str) -> Error {
    let name: String = name.chars().take(60).collect();
    item.refuse(format!("there is no loss `{name}` of this form; there are {FORMS}"))
}

/// The names of a table that should have one.
fn found(entries: &[(&str, Item<'_>)]) -> String {
    let names: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
    if names.is_empty() { String::from("none") } else { names.join(", ") }
}

/// `lower` and `upper`, a number or one an entry; infinite where they are left out.
fn bounds(range: &Table<'_>, rows: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let side = |key: &str, default: f64| match range.get(key) {
        None => Ok(vec![default; rows]),
        Some(item) if item.is_list() => item.numbers(Some(rows), "one an entry"),
        Some(item) => Ok(vec![item.number(Sign::Any)?; rows]),
    };
    let (lower, upper) = (side("lower", f64::NEG_INFINITY)?, side("upper", f64::INFINITY)?);
    match lower.iter().zip(&upper).find(|(lower, upper)| lower > upper) {
        Some((lower, upper)) => Err(range.refuse(format!("a lower bound, {lower}, is above the upper one, {upper}"))),
        None => Ok((lower, upper)),
    }
}
