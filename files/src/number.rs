//! Numbers for people.

pub use gradyn::text::short;
use gradyn::text::trim;

/// Five digits or so: `12.346`, `-0.0012000`, `1.2e-9`; an exact zero is a dot.
pub fn entry(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        String::from("·")
    } else if (1e-3..1e5).contains(&size) {
        let digits: usize = match size {
            s if s >= 1e3 => 1,
            s if s >= 1e2 => 2,
            s if s >= 1e1 => 3,
            _ => 4,
        };
        format!("{x:.digits$}")
    } else {
        format!("{x:.1e}")
    }
}

/// Five significant digits, zeros at the end left out: `0.00014321`, `-2.5`, `8.2904e-7`.
pub fn five(x: f64) -> String {
    let size = x.abs();
    if (1e-4..1e5).contains(&size) {
        let decimals: usize =
            (1..=8).find(|n| size * 10_f64.powi(*n - 4) >= 1.0).map_or(8, |n| n.unsigned_abs() as usize);
        return trim(&format!("{x:.decimals$}")).to_owned();
    }
    let text = format!("{x:.4e}");
    text.split_once('e').map_or_else(
        || text.clone(),
        |(digits, exponent)| match (trim(digits), exponent) {
            ("0" | "-0", _) => String::from("0"),
            (digits, exponent) => format!("{digits}e{exponent}"),
        },
    )
}

/// Ten digits, to tell apart what differs little.
pub fn exact(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        String::from("0")
    } else if (1e-3..1e6).contains(&size) {
        trim(&format!("{x:.10}")).to_owned()
    } else {
        format!("{x:.9e}")
    }
}

/// A deviation: `3.1e-12`, and 0 exactly.
pub fn deviation(x: f64) -> String {
    if x == 0.0 { String::from("0") } else { format!("{x:.1e}") }
}

/// "1 state", "3 states".
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_true() {
        assert_eq!([0.0, -1.5, 12.34567, 1e-9].map(entry), ["·", "-1.5000", "12.346", "1.0e-9"]);
        assert_eq!(
            [0.0, -2.5, 12.345_678, 0.000_143_214_9, 8.290_44e-7, 123_456.0, 1e300].map(five),
            ["0", "-2.5", "12.346", "0.00014321", "8.2904e-7", "1.2346e5", "1e300"]
        );
        assert_eq!([0.0, 3.14e-12].map(deviation), ["0", "3.1e-12"]);
        assert_eq!([0.0, -0.1234567891234, 1e-9].map(exact), ["0", "-0.1234567891", "1.000000000e-9"]);
    }
}
