//! The report of a check.

use super::{Guess, Verdict};

/// One entry of a claimed derivative, and its evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Entry {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// What is claimed.
    pub claimed: f64,
    /// What was found; NaN if nothing was.
    pub found: f64,
    /// The estimated error of what was found.
    pub error: f64,
    /// The allowed deviation, on which the verdict is based.
    pub bound: f64,
    /// The verdict.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub verdict: Verdict,
}

impl Entry {
    /// `|claimed − found|`
    #[must_use]
    pub fn deviation(&self) -> f64 {
        (self.claimed - self.found).abs()
    }

    /// The deviation in units of the bound; an entry above one disagrees. Infinite if the claim is not a number, zero
    /// if nothing was found.
    #[must_use]
    pub fn excess(&self) -> f64 {
        let deviation = self.deviation();
        match self.verdict {
            Verdict::CannotTell(_) if !deviation.is_finite() => 0.0,
            _ if deviation == 0.0 => 0.0,
            _ if deviation.is_nan() => f64::INFINITY,
            _ => deviation / self.bound,
        }
    }
}

/// The central difference of one entry over the step: in double-logarithmic scale its error is a V.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Curve {
    /// The entry's row.
    pub row: usize,
    /// The entry's column.
    pub column: usize,
    /// Steps, longest first.
    pub steps: Vec<f64>,
    /// The central difference at each step.
    pub differences: Vec<f64>,
    /// `|difference − claimed|` at each step. For a right claim a V, for a wrong one a line that levels off at the
    /// deviation.
    pub to_claimed: Vec<f64>,
    /// `|difference − found|` at each step: the V.
    pub to_found: Vec<f64>,
    /// Slope of the right branch of the V, 2 where truncation dominates; if there are enough points on it.
    pub slope_truncation: Option<f64>,
    /// Slope of the left branch, −1 where rounding dominates; if there are enough points on it.
    pub slope_rounding: Option<f64>,
}

/// The remainder of a Taylor expansion along one random direction.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Taylor {
    /// The direction, a unit vector.
    pub direction: Vec<f64>,
    /// Steps, longest first.
    pub steps: Vec<f64>,
    /// `|f(x ⊕ t d) ⊖ f(x) − t J d|`, for a Hessian `|f(x ⊕ t d) − f(x) − t g·d − ½ t² d·H d|`, at each step.
    pub remainders: Vec<f64>,
    /// The order of the remainder in `t`, where it is above rounding; `None` where it never is.
    pub order: Option<f64>,
    /// The least order if the derivative is right: 2, for a Hessian 3.
    pub expected: f64,
}

impl Taylor {
    /// Whether the order is at least the expected one, to a quarter. True also if there is no visible remainder.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.order.is_none_or(|order| order > self.expected - 0.25)
    }
}

/// How many entries have each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Counts {
    /// Entries that agree.
    pub agree: usize,
    /// Entries that disagree.
    pub disagree: usize,
    /// Undecided entries.
    pub cannot_tell: usize,
}

/// The report on a claimed derivative. `Display` prints it for people.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The name of the derivative.
    pub name: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Every entry, row by row.
    pub entries: Vec<Entry>,
    /// How many entries have each verdict.
    pub counts: Counts,
    /// The mistakes that explain all entries that disagree, most probable first; empty if nothing disagrees, or nothing
    /// known explains it.
    pub guesses: Vec<Guess>,
    /// Difference over step, of the worst entries.
    pub curves: Vec<Curve>,
    /// Taylor tests.
    pub taylor: Vec<Taylor>,
    /// Further remarks, one sentence each.
    pub notes: Vec<String>,
    /// The seed of everything random.
    pub seed: u64,
}

impl Report {
    /// Whether every entry agrees. Then no entry disagrees, and none is undecided.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.counts.agree == self.entries.len()
    }

    /// Whether any entry disagrees.
    #[must_use]
    pub fn disagrees(&self) -> bool {
        self.counts.disagree > 0
    }

    /// The entry, if it exists.
    #[must_use]
    pub fn entry(&self, row: usize, column: usize) -> Option<&Entry> {
        if column < self.columns.len() { self.entries.get(row * self.columns.len() + column) } else { None }
    }

    /// The entries that disagree, worst first; then the undecided ones; then the rest, nearest to its bound first.
    #[must_use]
    pub fn worst(&self) -> Vec<&Entry> {
        let rank = |entry: &Entry| match entry.verdict {
            Verdict::Disagrees => 0,
            Verdict::CannotTell(_) => 1,
            Verdict::Agrees => 2,
        };
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.excess().total_cmp(&a.excess())));
        entries
    }

    /// The name of a row, or an empty string.
    #[must_use]
    pub fn row_name(&self, entry: &Entry) -> &str {
        self.rows.get(entry.row).map_or("", String::as_str)
    }

    /// The name of a column, or an empty string.
    #[must_use]
    pub fn column_name(&self, entry: &Entry) -> &str {
        self.columns.get(entry.column).map_or("", String::as_str)
    }

    /// The simplest guess that explains the entries that disagree.
    #[must_use]
    pub fn guess(&self) -> Option<&Guess> {
        self.guesses.first()
    }

    pub(super) fn note_contradictions(&mut self, contradictions: usize) {
        if contradictions > 0 {
            let lost =
                "exact derivatives and differences contradict each other: a derivative is lost inside the function";
            self.notes.push(format!("{contradictions} entries: {lost}"));
        }
    }

    pub(super) fn count(&mut self) {
        let of = |wanted: fn(&Verdict) -> bool| self.entries.iter().filter(|entry| wanted(&entry.verdict)).count();
        self.counts = Counts {
            agree: of(|verdict| *verdict == Verdict::Agrees),
            disagree: of(|verdict| *verdict == Verdict::Disagrees),
            cannot_tell: of(|verdict| matches!(verdict, Verdict::CannotTell(_))),
        };
    }
}
