//! Numbers and names for people: what [`Display`](std::fmt::Display) of models and the command line share.

/// As short as it can be with six digits: `0.5`, `3.14159`, `1e-9`.
#[must_use]
pub fn short(x: f64) -> String {
    if x == 0.0 {
        return String::from("0");
    }
    if !(1e-4..1e7).contains(&x.abs()) {
        return format!("{x:e}").split_once('e').map_or_else(
            || x.to_string(),
            |(digits, exponent)| format!("{}e{exponent}", trim(&digits.chars().take(8).collect::<String>())),
        );
    }
    trim(&format!("{x:.5}")).to_owned()
}

/// Without zeros at the end of the decimals.
#[must_use]
pub fn trim(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// The longest message, in characters.
const LONGEST: usize = 1000;

/// Replaces what would break the line, or steer the terminal (file and joint names may hold anything),
/// and shortens what would fill the screen.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for (n, c) in text.chars().enumerate() {
        if n == LONGEST {
            line.push('…');
            break;
        }
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// "7 joints", "1 joint", "2 bodies".
#[must_use]
pub fn count(n: usize, what: &str) -> String {
    match (n, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_true() {
        assert_eq!(
            [0.0, 0.5, -1.234_567_89, 1e-9, 100.0, 2e8].map(short),
            ["0", "0.5", "-1.23457", "1e-9", "100", "2e8"]
        );
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(one_line("a\nb\u{1b}[31m°"), "a\\nb\\u{1b}[31m°");
    }

    #[test]
    fn plurals_are_english() {
        let of = |n| ["joint", "moving body"].map(|what| count(n, what));
        assert_eq!([of(1), of(2)], [["1 joint", "1 moving body"], ["2 joints", "2 moving bodies"]]);
    }
}
