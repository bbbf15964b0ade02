//! The usual mistakes, and which of them explains the entries that disagree.

use super::{Entry, Guess, Options, Report, Verdict};

/// A mistake explains an entry if it reduces its deviation by this factor.
const NEARER: f64 = 1e-3;

impl Report {
    /// Repeats the guess with further candidates: mistakes, and the matrix that each leads to, row-major, most probable
    /// first. Those of another size than the claim are ignored.
    ///
    /// A guess is in the report if it explains every entry that disagrees: it brings each a thousand times nearer.
    pub fn explain(&mut self, options: &Options, mistakes: &[(Guess, Vec<f64>)]) {
        self.guesses.retain(|guess| *guess == Guess::Pattern);
        let question = Question::new(options, self);
        if question.disagreeing.is_empty() {
            return;
        }
        let mut guesses = question.of_zeros();
        guesses.extend(question.of_factors());
        if question.rows == question.columns && question.explains(|entry| question.found(entry.column, entry.row)) {
            guesses.push(Guess::Transposed);
        }
        for (guess, values) in mistakes.iter().filter(|(_, values)| values.len() == self.entries.len()) {
            if question.explains(|entry| values[entry.row * question.columns + entry.column]) {
                guesses.push(guess.clone());
            }
        }
        guesses.extend(question.of_halves());
        if guesses.is_empty() && question.is_reordered() {
            guesses.push(Guess::Reordered);
        }
        guesses.dedup();
        self.guesses.extend(guesses);
    }
}

/// The entries to be explained.
struct Question<'r> {
    entries: &'r [Entry],
    rows: usize,
    columns: usize,
    disagreeing: Vec<&'r Entry>,
    /// The factor of estimated errors, which here are those of two entries.
    safety: f64,
}

impl<'r> Question<'r> {
    fn new(options: &Options, report: &'r Report) -> Self {
        Self {
            entries: &report.entries,
            rows: report.rows.len(),
            columns: report.columns.len(),
            disagreeing: report.entries.iter().filter(|entry| entry.verdict == Verdict::Disagrees).collect(),
            safety: 10.0 * options.safety,
        }
    }

    fn found(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.columns + column].found
    }

    /// Whether these values explain the claim at all entries that disagree.
    fn explains(&self, values: impl Fn(&Entry) -> f64) -> bool {
        let left = |entry: &Entry| (entry.claimed - values(entry)).abs();
        let near = |entry: &Entry| left(entry) <= NEARER * entry.deviation();
        let explained = self.disagreeing.iter().filter(|entry| near(entry)).count();
        2 * explained >= self.disagreeing.len()
            && self.disagreeing.iter().all(|entry| near(entry) || left(entry) <= self.safety * entry.error)
            && self.disagreeing.iter().any(|entry| near(entry) && entry.claimed != 0.0)
    }

    fn of_factors(&self) -> Vec<Guess> {
        let degree = std::f64::consts::PI / 180.0;
        let factors = [
            (-1.0, Guess::WrongSign),
            (2.0, Guess::Factor { factor: 2.0 }),
            (0.5, Guess::Factor { factor: 0.5 }),
            (degree, Guess::Degrees),
            (degree.recip(), Guess::Degrees),
        ];
        factors
            .into_iter()
            .filter(|(factor, _)| self.explains(|entry| factor * entry.found))
            .map(|(_, guess)| guess)
            .collect()
    }

    /// Halves of the rows or columns, as of position and velocity, exchanged.
    fn of_halves(&self) -> Option<Guess> {
        let (m, n) = (self.rows, self.columns);
        let half = |i: usize, n: usize| (i + n / 2) % n;
        let halves = |n: usize| n >= 2 && n.is_multiple_of(2);
        let columns = halves(n) && self.explains(|entry| self.found(entry.row, half(entry.column, n)));
        let rows = halves(m) && self.explains(|entry| self.found(half(entry.row, m), entry.column));
        let which = if columns { "columns" } else { "rows" };
        (columns || rows).then(|| Guess::PartsExchanged { found: format!("the two halves of the {which}, exchanged") })
    }

    /// Guesses if all entries that disagree are zero: a triangle, or another omission.
    fn of_zeros(&self) -> Vec<Guess> {
        if self.disagreeing.iter().any(|entry| entry.claimed != 0.0) {
            return Vec::new();
        }
        let mut guesses = Vec::new();
        for upper in [true, false] {
            let missing = |entry: &Entry| if upper { entry.row > entry.column } else { entry.row < entry.column };
            let empty = self.entries.iter().filter(|entry| missing(entry)).all(|entry| entry.claimed == 0.0);
            if self.rows == self.columns && empty && self.disagreeing.iter().all(|entry| missing(entry)) {
                guesses.push(Guess::OneTriangle { upper });
            }
        }
        guesses.push(Guess::LeftOut);
        guesses
    }

    /// Whether the claim has the rows and columns of what was found in another order.
    fn is_reordered(&self) -> bool {
        let claimed = |i: usize, j: usize| self.entries[i * self.columns + j].claimed;
        let largest = self.entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.found.abs()));
        let errors = self.entries.iter().map(|entry| entry.error).filter(|error| error.is_finite());
        let allowed = self.safety * errors.fold(0.0, f64::max) + 1e-6 * largest;
        if self.disagreeing.iter().all(|entry| entry.deviation() <= 10.0 * allowed) {
            return false;
        }
        let (m, n) = (self.rows, self.columns);
        // The numbers of a row, sorted, do not depend on the order of columns.
        let rows = matching(m, n, allowed, claimed, |i, j| self.found(i, j));
        let columns = matching(n, m, allowed, |j, i| claimed(i, j), |j, i| self.found(i, j));
        let (Some(rows), Some(columns)) = (rows, columns) else { return false };
        self.entries
            .iter()
            .all(|entry| (entry.claimed - self.found(rows[entry.row], columns[entry.column])).abs() <= allowed)
    }
}

/// The line of `there` that has the same numbers as each line of `here`, in any order.
fn matching(
    lines: usize,
    length: usize,
    allowed: f64,
    here: impl Fn(usize, usize) -> f64,
    there: impl Fn(usize, usize) -> f64,
) -> Option<Vec<usize>> {
    let sorted = |line: &dyn Fn(usize) -> f64| {
        let mut numbers: Vec<f64> = (0..length).map(line).collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let mut left: Vec<(usize, Vec<f64>)> = (0..lines).map(|i| (i, sorted(&|j| there(i, j)))).collect();
    let mut order = Vec::with_capacity(lines);
    for i in 0..lines {
        let line = sorted(&|j| here(i, j));
        let apart = |other: &[f64]| line.iter().zip(other).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        let at = left.iter().position(|(_, other)| apart(other) <= allowed)?;
        order.push(left.remove(at).0);
    }
    Some(order)
}
