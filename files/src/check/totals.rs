//! What was found, claim by claim and over all states.

use gradyn::derivatives::check::{Entry, Report};
use std::collections::BTreeMap;

/// One claim, and what the evidence says about it.
#[derive(Debug)]
pub struct Checked {
    /// The state, counted from 0.
    pub state: usize,
    /// As in files.
    pub name: String,
    /// What the evidence says.
    pub report: Report,
}

/// What all claims of all states come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overall {
    /// Every entry agrees.
    Agrees,
    /// An entry disagrees.
    Disagrees,
    /// None disagrees, but nothing can be said of so many entries.
    CannotTell(usize),
}

impl Overall {
    /// Of all claims.
    pub fn of(checked: &[Checked]) -> Self {
        let unclear = checked.iter().map(|checked| checked.report.counts.cannot_tell).sum();
        match unclear {
            _ if checked.iter().any(|checked| checked.report.disagrees()) => Self::Disagrees,
            0 => Self::Agrees,
            n => Self::CannotTell(n),
        }
    }

    /// Of one claim.
    pub fn of_one(report: &Report) -> Self {
        match report.counts.cannot_tell {
            _ if report.disagrees() => Self::Disagrees,
            0 => Self::Agrees,
            n => Self::CannotTell(n),
        }
    }

    /// Whether this is not a success.
    pub fn fails(self, allow_unclear: bool) -> bool {
        self == Self::Disagrees || self != Self::Agrees && !allow_unclear
    }

    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Disagrees => "disagrees",
            Self::CannotTell(_) => "cannot tell",
        }
    }
}

/// A quantity over all states.
#[derive(Debug, Default)]
pub struct Total {
    /// As people write it.
    pub symbol: String,
    /// How many states have it.
    pub states: usize,
    /// Entries that agree, disagree, are unclear.
    pub counts: [usize; 3],
    /// The entry furthest from what was found, measured by its bound, and its state.
    pub worst: Option<(usize, Entry, [String; 2])>,
}

/// Each quantity over all states, in the order of the file.
pub fn totals(checked: &[Checked]) -> Vec<Total> {
    let mut order: Vec<Total> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for Checked { state, name, report } in checked {
        let at = *places.entry(name).or_insert_with(|| {
            order.push(Total { symbol: report.name.clone(), ..Total::default() });
            order.len() - 1
        });
        let total = &mut order[at];
        total.states += 1;
        let counts = report.counts;
        for (sum, n) in total.counts.iter_mut().zip([counts.agree, counts.disagree, counts.cannot_tell]) {
            *sum += n;
        }
        let worst = report.worst().into_iter().next();
        if let Some(entry) =
            worst.filter(|entry| total.worst.as_ref().is_none_or(|(_, before, _)| entry.excess() > before.excess()))
        {
            let names = [report.row_name(entry), report.column_name(entry)].map(String::from);
            total.worst = Some((*state, *entry, names));
        }
    }
    order
}
