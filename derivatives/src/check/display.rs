//! Reports for people.

use super::{Report, Verdict};
use std::fmt;

/// The most entries that are printed.
const PRINTED: usize = 8;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (counts, all) = (&self.counts, self.entries.len());
        write!(f, "{}: ", self.name)?;
        match (counts.disagree, counts.cannot_tell) {
            (0, 0) => write!(f, "all {all} entries agree")?,
            (0, n) => write!(f, "{} of {all} entries agree, {n} are undecided", counts.agree)?,
            (n, 0) => write!(f, "{n} of {all} entries DISAGREE")?,
            (n, m) => write!(f, "{n} of {all} entries DISAGREE, {m} are undecided")?,
        }
        write!(f, " (seed {})", self.seed)?;
        let shown: Vec<_> = self.worst().into_iter().filter(|entry| entry.verdict != Verdict::Agrees).collect();
        for entry in shown.iter().take(PRINTED) {
            let (row, column) = (self.row_name(entry), self.column_name(entry));
            write!(f, "\n  {row} by {column}: ")?;
            match entry.verdict {
                Verdict::CannotTell(reason) => write!(f, "cannot tell, {reason}; claimed {}", number(entry.claimed))?,
                _ => {
                    write!(f, "claimed {}, found {}", number(entry.claimed), number(entry.found))?;
                    write!(f, " ± {:.0e}: off by {:.1e}", entry.error, entry.deviation())?;
                    write!(f, ", allowed {:.0e}", entry.bound)?;
                }
            }
        }
        if shown.len() > PRINTED {
            write!(f, "\n  … and {} more", shown.len() - PRINTED)?;
        }
        for (n, guess) in self.guesses.iter().enumerate() {
            write!(f, "\n  {} {guess}", if n == 0 { "probably:" } else { "or:" })?;
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        Ok(())
    }
}

/// Twelve digits, as short as they can be.
fn number(x: f64) -> String {
    if x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        let text = format!("{x:.12}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{x:.11e}")
    }
}
