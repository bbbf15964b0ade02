//! Tests whether the derivatives from the two sides meet.
//!
//! With `A(h) = (y(h) ⊖ y(0)) / h` and `B(h) = (y(0) ⊖ y(−h)) / h`, a smooth function has `A − B = y″ h + O(h³)`.
//! Without its first term, `J(h) = 2 (A − B)(h/2) − (A − B)(h)` decreases like `h³`. At a kink it converges to the
//! difference of the two derivatives instead, and at a jump, or where a slope is infinite, it grows as `h` shrinks. It
//! also grows if `y(0)` has an error, which all steps share: growth counts only if it is of the size of the function's
//! own changes.

/// The number of consecutive values of `J` that do not decrease at a kink.
const ROW: usize = 6;
/// A number below this many roundings is taken as zero.
const ROUNDINGS: f64 = 20.0;
/// The least jump, in roundings, and relative to the change of the function.
const JUMP: (f64, f64) = (1e4, 1e-7);

/// The history of the two sides, step by step.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    rows: Vec<Row>,
    /// `J` at each step, zero at the first, and where it is rounding.
    jumps: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// `(y(h) ⊖ y(0)) + (y(−h) ⊖ y(0))`
    sum: f64,
    /// `(y(h) ⊖ y(0)) − (y(−h) ⊖ y(0))`
    spread: f64,
    /// The contribution of rounding to either.
    rounding: f64,
    /// `A − B`
    gap: f64,
}

impl Sides {
    /// Adds a step; `rounding`: its contribution to a difference quotient.
    pub(super) fn extend(&mut self, h: f64, ahead: f64, behind: f64, rounding: f64) {
        let gap = (ahead + behind) / h;
        let jump = self.rows.last().map_or(0.0, |before| 2.0 * gap - before.gap);
        self.jumps.push(if jump.abs() > ROUNDINGS * rounding { jump } else { 0.0 });
        self.rows.push(Row { sum: ahead + behind, spread: ahead - behind, rounding: rounding * h, gap });
    }

    /// Whether they converge to each other, as far as can be seen: the last `J` is rounding, or it decreased.
    pub(super) fn meet(&self) -> bool {
        let falls = match self.jumps[..] {
            [_, .., before, last] => last == 0.0 || last.abs() < 0.5 * before.abs(),
            _ => false,
        };
        falls && !self.stays() && !self.is_apart()
    }

    /// The limit of the difference between the derivatives of the two sides; infinite at a jump.
    pub(super) fn kink(&self) -> f64 {
        if self.stays() || self.is_apart() {
            return f64::INFINITY;
        }
        let last = &self.jumps[self.jumps.len().saturating_sub(ROW)..];
        let least = last.iter().fold(f64::INFINITY, |least: f64, jump| least.min(jump.abs()));
        let largest = last.iter().fold(0.0, |largest: f64, jump| largest.max(jump.abs()));
        let one_sign = last.windows(2).all(|pair| pair[0] * pair[1] > 0.0);
        if last.len() < ROW || !one_sign {
            0.0
        } else if largest <= 1.5 * least {
            largest
        } else if last.windows(2).all(|pair| pair[1].abs() > 1.2 * pair[0].abs()) && self.large(|row| row.sum) {
            f64::INFINITY
        } else {
            0.0
        }
    }

    /// Whether `y(h) − y(−h)` stays the same as the step shrinks: the function jumps at the point.
    fn stays(&self) -> bool {
        let last = &self.rows[self.rows.len().saturating_sub(ROW)..];
        let same = |pair: &[Row]| (pair[1].spread - pair[0].spread).abs() < 0.1 * pair[0].spread.abs();
        last.len() == ROW && last.windows(2).all(same) && self.large(|row| row.spread)
    }

    /// Whether `y(h) + y(−h) − 2 y(0)` stays the same as the step shrinks, while the sides converge to each other: the
    /// value at the point differs from those around it.
    pub(super) fn is_apart(&self) -> bool {
        let last = &self.rows[self.rows.len().saturating_sub(ROW)..];
        let same = |pair: &[Row]| (pair[1].sum - pair[0].sum).abs() < 0.1 * pair[0].sum.abs();
        last.len() == ROW && last.windows(2).all(same) && self.large(|row| row.sum) && !self.stays()
    }

    /// The size of the jump, if there is one: the remaining difference of both sides at the shortest step.
    pub(super) fn jump(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.sum.abs().max(row.spread.abs()))
    }

    /// Whether the last of these exceeds the errors of the values.
    fn large(&self, of: impl Fn(&Row) -> f64) -> bool {
        let change = self.rows.iter().fold(0.0, |most: f64, row| most.max(row.sum.abs()).max(row.spread.abs()));
        self.rows.last().is_some_and(|row| of(row).abs() > (JUMP.0 * row.rounding).max(JUMP.1 * change))
    }

    /// Whether the function still varies by as much at the shortest step as at the longest.
    pub(super) fn wild(&self) -> bool {
        let largest = |rows: &[Row]| rows.iter().fold(0.0, |most: f64, row| most.max(row.spread.abs()));
        let n = self.rows.len();
        n > ROW && largest(&self.rows[n - 3..]) > 0.01 * largest(&self.rows[..3])
    }
}
