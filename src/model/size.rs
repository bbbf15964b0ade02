//! Sizes of memory, in words.

/// `8.0 GB`
pub(super) fn size(bytes: &usize) -> String {
    let mut units = ["B", "kB", "MB", "GB", "TB", "PB"].into_iter();
    #[expect(clippy::cast_precision_loss, reason = "shown with two or three digits")]
    let (mut number, mut unit) = (*bytes as f64, units.next().unwrap_or_default());
    for larger in units {
        if number < 1000.0 {
            break;
        }
        (number, unit) = (number / 1000.0, larger);
    }
    if number < 10.0 && unit != "B" { format!("{number:.1} {unit}") } else { format!("{number:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_digits_at_least() {
        for (bytes, text) in
            [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (8_000_000_000, "8.0 GB"), (32_000_000_000, "32 GB")]
        {
            assert_eq!(size(&bytes), text);
        }
    }
}
