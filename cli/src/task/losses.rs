//! Losses of costs, and weights of their entries.

use super::entries::{Entries, by_entry};
use super::kinds::Kind;
use super::source::{Sign, Table};
use super::start::Start;
use crate::error::Error;
use gradyn_trajectory::Loss;

/// Losses by name. Those in tables have numbers: `loss = { huber = 0.1 }`.
const LOSSES: [&str; 4] = ["huber", "smooth-l1", "outside", "log-barrier"];

/// `weights` and `loss`; `own` is the loss of the kind, and `rows` are those of its residual.
pub(super) fn loss(
    table: &Table<'_>,
    kind: &Kind,
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
    if item.as_text().is_some() {
        item.one_of("loss", &["quadratic"])?;
        return Ok(Loss::Quadratic);
    }
    let inner = item.table("`quadratic`, or a table such as { huber = 0.1 }")?;
    inner.only(&LOSSES)?;
    let entries = inner.entries();
    let [(name, value)] = entries.as_slice() else {
        return Err(item.refuse(format!("expected one of {}", LOSSES.join(", "))));
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

/// `lower` and `upper`, a number or one an entry; infinite where they are left out.
fn bounds(range: &Table<'_>, rows: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let side = |key: &str, default: f64| match range.get(key) {
        None => Ok(vec![default; rows]),
        Some(item) if item.is_list() => item.numbers(Some(rows), "one an entry"),
        Some(item) => Ok(vec![item.number(Sign::Any)?; rows]),
    };
    Ok((side("lower", f64::NEG_INFINITY)?, side("upper", f64::INFINITY)?))
}
