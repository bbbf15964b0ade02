//! Numbers as URDF writes them: decimal, separated by white space, finite.

/// Why a text is not the numbers that were asked for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model) enum BadNumber {
    /// This part is no number.
    NotANumber(String),
    /// This part is infinite, NaN, or rounds to infinity.
    NotFinite(String),
    /// There are so many of them.
    WrongCount(usize),
}

/// Reads `N` finite numbers.
pub(in crate::model) fn numbers<const N: usize>(text: &str) -> Result<[f64; N], BadNumber> {
    let mut read = [0.0; N];
    let mut count = 0;
    for part in text.split_ascii_whitespace() {
        let Ok(number) = part.parse::<f64>() else { return Err(BadNumber::NotANumber(part.to_owned())) };
        if !number.is_finite() {
            return Err(BadNumber::NotFinite(part.to_owned()));
        }
        if let Some(place) = read.get_mut(count) {
            *place = number;
        }
        count += 1;
    }
    if count == N { Ok(read) } else { Err(BadNumber::WrongCount(count)) }
}

/// Reads finite numbers, however many.
pub(in crate::model) fn list(text: &str) -> Result<Vec<f64>, BadNumber> {
    text.split_ascii_whitespace().map(|part| numbers(part).map(|[x]| x)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<f64, BadNumber> {
        numbers::<1>(text).map(|[x]| x)
    }

    #[test]
    fn decimal_numbers_are_read_to_the_nearest_double() {
        let cases = [
            ("0", 0.0),
            ("-0.1", -0.1),
            ("+2", 2.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("1e-3", 1e-3),
            ("3E+2", 300.0),
            ("\t 7 \n", 7.0),
            ("1.5707963267948966", std::f64::consts::FRAC_PI_2),
            ("1e-400", 0.0),
            ("4.9e-324", f64::from_bits(1)),
            ("1.7976931348623157e308", f64::MAX),
        ];
        for (text, value) in cases {
            assert_eq!(one(text).map(f64::to_bits), Ok(value.to_bits()), "{text:?}");
        }
        assert_eq!(one(&format!("0.{}1", "0".repeat(100_000))), Ok(0.0));
    }

    #[test]
    fn what_is_no_decimal_number_is_refused() {
        for text in ["heavy", "1,5", "1_000", "0x10", "1e", "e5", "--1", "1.2.3", "-", ".", "1f", "½", "１", "1\u{a0}"]
        {
            assert_eq!(one(text), Err(BadNumber::NotANumber(text.to_owned())), "{text:?}");
        }
    }

    #[test]
    fn infinities_and_nan_are_refused_however_written() {
        for text in ["inf", "-inf", "Infinity", "nan", "NaN", "-nan", "1e309", "-1e999999999999"] {
            assert_eq!(one(text), Err(BadNumber::NotFinite(text.to_owned())), "{text:?}");
        }
        let long = "9".repeat(400);
        assert_eq!(one(&long), Err(BadNumber::NotFinite(long.clone())));
    }

    #[test]
    fn the_count_has_to_match() {
        assert_eq!(numbers::<3>("1 2 3"), Ok([1.0, 2.0, 3.0]));
        assert_eq!(numbers::<3>(" 1\t2\r\n3 "), Ok([1.0, 2.0, 3.0]));
        assert_eq!(numbers::<3>(""), Err(BadNumber::WrongCount(0)));
        assert_eq!(numbers::<3>("1 2"), Err(BadNumber::WrongCount(2)));
        assert_eq!(numbers::<3>("1 2 3 4"), Err(BadNumber::WrongCount(4)));
        assert_eq!(one("1 2"), Err(BadNumber::WrongCount(2)));
    }
}
