//! The inverse of Student's distribution.
//!
//! Source: G. Hill, *Algorithm 396: Student's t-quantiles*, Commun. ACM 13(10), 1970.

use super::normal;
use std::f64::consts::{FRAC_PI_2, PI};

/// `t` below which the share `p` of Student's distribution with `freedom` degrees of freedom lies. ±∞ at the ends;
/// `None` for a `p` outside `[0, 1]` and for `freedom` below 1.
///
/// It is exact for 1, 2 and infinitely many degrees; between them, an asymptotic series has a relative error below 2e-5
/// for p in `[0.001, 0.999]`, enough for the width of an interval. O(1).
#[must_use]
pub fn student_quantile(p: f64, freedom: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&p) || freedom.is_nan() || freedom < 1.0 {
        return None;
    }
    let both = 2.0 * p.min(1.0 - p);
    if both <= 0.0 {
        return Some(f64::INFINITY.copysign(p - 0.5));
    }
    // Beyond 10⁹ degrees it is the normal deviate to all digits of the series.
    let t = if freedom > 1e9 { -normal::quantile(0.5 * both) } else { upper(both, freedom) };
    Some(if p < 0.5 { -t } else { t })
}

/// `t > 0` beyond which, on both sides together, the share P lies.
fn upper(p: f64, n: f64) -> f64 {
    if (n - 1.0).abs() < 1e-12 {
        return (0.5 * PI * (1.0 - p)).tan();
    }
    if (n - 2.0).abs() < 1e-12 {
        return (2.0 / (p * (2.0 - p)) - 2.0).max(0.0).sqrt();
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * FRAC_PI_2).sqrt() * n;
    let y = (d * p).powf(2.0 / n);
    let y = if y > 0.05 + a {
        let x = normal::quantile(0.5 * p);
        let y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        let y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        (a * y * y).exp_m1()
    } else {
        let inner = ((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0;
        ((1.0 / inner + 0.5 / (n + 4.0)) * y - 1.0) * (n + 1.0) / (n + 2.0) + 1.0 / y
    };
    (n * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of scipy 1.17.
    #[test]
    fn quantiles_are_those_of_the_table() {
        let known = [
            (0.9, 1.0, 3.077_683_537_175_254),
            (0.975, 1.0, 12.706_204_736_174_694),
            (0.975, 2.0, 4.302_652_729_749_462),
            (0.9, 3.0, 1.637_744_353_696_209),
            (0.975, 3.0, 3.182_446_305_283_708),
            (0.6, 5.0, 0.267_180_865_704_145),
            (0.975, 5.0, 2.570_581_835_636_315),
            (0.995, 5.0, 4.032_142_983_555_228),
            (0.975, 10.0, 2.228_138_851_986_274),
            (0.975, 30.0, 2.042_272_456_301_238),
            (0.995, 100.0, 2.625_890_521_438_017),
            (0.975, 10_000.0, 1.960_201_239_890_626),
        ];
        for (p, n, t) in known {
            for (p, t) in [(p, t), (1.0 - p, -t)] {
                let found = student_quantile(p, n).expect("p and n are in range");
                // The series' own error.
                assert!((found / t - 1.0).abs() < 2e-5, "p {p}, n {n}: {found} instead of {t}");
            }
        }
        for (p, n) in [(-0.1, 3.0), (1.1, 3.0), (f64::NAN, 3.0), (0.9, 0.5), (0.9, f64::NAN)] {
            assert_eq!(student_quantile(p, n), None, "p {p}, n {n}");
        }
    }
}
