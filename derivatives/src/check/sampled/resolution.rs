//! How well the values of a table are known, by their digits.

use super::largest;

/// A decimal fraction of more digits than this is no rounded one: 15 digits always survive in a `f64`.
const DIGITS: usize = 15;
/// A constant of fewer digits than this is exact, not rounded: of values rounded to six digits one in a thousand is
/// shorter than four.
const SHORT_CONSTANT: usize = 4;
/// A constant of more digits than this has those of a `f64`: rounded values have three, six or nine.
const LONG_CONSTANT: usize = 9;

/// How well values of one output are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolution {
    /// Half a unit of the last digit that they are given with.
    pub(super) rounding: f64,
    /// Whether all values are the same, and if so, exactly.
    pub(super) constant: Option<bool>,
}

/// Of each output, by the digits of its values: of decimal fractions, of `f32`, or of `f64`.
///
/// Exact values of few digits, such as `x + 1` at `1 ± 1/8`, are taken for rounded ones; the error that this allows
/// them is far below what differences need.
pub(super) fn resolutions(samples: &[(Vec<f64>, Vec<f64>)]) -> Vec<Resolution> {
    let outputs = samples[0].1.len();
    let of = |i: usize| samples.iter().map(move |(_, y)| y[i]).filter(|y| y.is_finite());
    let digits = |i: usize| of(i).filter(|y| *y != 0.0).map(|y| decimal(y).0).max().unwrap_or(0);
    #[expect(clippy::float_cmp, clippy::cast_possible_truncation, reason = "the same number in fewer bits?")]
    let is_single = |i: usize| of(i).all(|y| f64::from(y as f32) == y);
    let others_full = (0..outputs).any(|i| digits(i) > DIGITS && !is_single(i));
    let resolution = |i: usize| {
        let (most, digits, single) = (largest(of(i)), digits(i), is_single(i));
        let is_constant = of(i).all(|y| y.to_bits() == samples[0].1[i].to_bits());
        let exact = digits < SHORT_CONSTANT || digits > LONG_CONSTANT && !single || others_full;
        let unit = if digits == 0 {
            // Zeros, which have no digits: of three decimals, as the coarsest tables have them.
            1e-3
        } else if is_constant && digits == 1 && most >= 1.0 {
            // Such as 1 or 20: exact.
            0.0
        } else if digits <= LONG_CONSTANT || digits <= DIGITS && !single {
            let decimals = of(i).filter(|y| *y != 0.0).map(|y| decimal(y).1).max().unwrap_or(0);
            10.0_f64.powi(-decimals).max(10.0_f64.powf(most.log10().floor()) * 0.1_f64.powi(length(digits) - 1))
        } else if single {
            most * f64::from(f32::EPSILON)
        } else {
            0.0
        };
        Resolution { rounding: 0.5 * unit, constant: is_constant.then_some(exact) }
    };
    (0..outputs).map(resolution).collect()
}

/// How many digits a number has, and how many of them are decimals: -2 of 1200.
fn decimal(x: f64) -> (usize, i32) {
    let text = format!("{:e}", x.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    (digits, length(digits) - 1 - exponent.parse::<i32>().unwrap_or(0))
}

/// A number of digits, of which a `f64` has 17.
fn length(digits: usize) -> i32 {
    i32::try_from(digits).unwrap_or(i32::MAX)
}
