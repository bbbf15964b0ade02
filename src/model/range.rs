//! Ranges of coordinates.

/// What is wrong with a range of a coordinate: which number, and the rule.
pub(super) fn no_range(lower: f64, upper: f64) -> Option<(&'static str, f64, &'static str)> {
    if lower.is_nan() || lower == f64::INFINITY {
        Some(("lower limit", lower, "expected a finite number, or -inf for none"))
    } else if upper.is_nan() || upper == f64::NEG_INFINITY {
        Some(("upper limit", upper, "expected a finite number, or inf for none"))
    } else if lower > upper {
        Some(("lower limit", lower, "expected lower <= upper"))
    } else {
        None
    }
}
