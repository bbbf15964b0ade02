//! Functions of θ² that rotations are made of, exact with all their derivatives at and near zero.
//!
//! `sin θ / θ` and its like are smooth functions of `x = θ²`, while `θ = √x` has no derivative at zero. Written as
//! functions of `x` they never need `√0`, and a sum of powers gives right derivatives of every order by itself.
//!
//! ```
//! use gradyn_derivatives::{Dual, scalar::smooth::stumpff};
//!
//! // sin θ / θ at θ = 0 is 1, and falls with θ² by 1/6
//! let [_, c1, ..] = stumpff(Dual::new(0.0, 1.0));
//! assert_eq!((c1.re, c1.eps), (1.0, -1.0 / 6.0));
//! ```

use super::Real;
use std::f64::consts::PI;

/// The Stumpff functions `C₀ … C₅` at `x = θ²`, for `x ≥ 0`.
///
/// `C_k(x) = Σ_j (−x)ʲ / (2j + k)!`, so with `θ = √x`:
///
/// | k | `C_k(θ²)` | k | `C_k(θ²)` |
/// |---|---|---|---|
/// | 0 | `cos θ` | 3 | `(θ − sin θ) / θ³` |
/// | 1 | `sin θ / θ` | 4 | `(cos θ − 1 + θ²/2) / θ⁴` |
/// | 2 | `(1 − cos θ) / θ²` | 5 | `(sin θ − θ + θ³/6) / θ⁵` |
///
/// The two highest are summed below `x = 4`, where the closed forms would cancel; the others follow from
/// `C_k = 1/k! − x C_{k+2}`. Errors, relative to each function's value at zero: 1e-15; of the first three derivatives
/// 2e-14, 6e-13 and 3e-11, largest just above `x = 4`, and 3e-16 below it. Source: Stumpff, *Himmelsmechanik I* (1959),
/// §41.
#[inline(always)]
pub fn stumpff<T: Real>(x: T) -> [T; 6] {
    let (s4, s5) = (series(x, 4), series(x, 5));

    // One replaces the argument where the series is used, so that nothing divides by zero there.
    let far = x.select_lt(SERIES_BELOW, T::one(), x);
    let theta = far.sqrt();
    let (sin, cos) = theta.sin_cos();
    let (r, r2) = (theta.recip(), far.recip());
    let c2 = (T::one() - cos) * r2;
    let c3 = (T::one() - sin * r) * r2;
    let c4 = x.select_lt(SERIES_BELOW, s4, (T::from(1.0 / 2.0) - c2) * r2);
    let c5 = x.select_lt(SERIES_BELOW, s5, (T::from(1.0 / 6.0) - c3) * r2);

    let c3 = x.select_lt(SERIES_BELOW, T::from(1.0 / 6.0) - x * s5, c3);
    let c2 = x.select_lt(SERIES_BELOW, T::from(1.0 / 2.0) - x * s4, c2);
    let c1 = x.select_lt(SERIES_BELOW, T::one() - x * c3, sin * r);
    let c0 = x.select_lt(SERIES_BELOW, T::one() - x * c2, cos);
    [c0, c1, c2, c3, c4, c5]
}

/// Below this `x` the series is summed. At θ = 2 the closed form of `C₅` loses less than four bits.
const SERIES_BELOW: f64 = 4.0;

/// Terms of the series: the first one left out is below `4¹⁶ / 36! = 2e-32` of the sum, and its third derivative
/// below 1e-28.
const TERMS: usize = 16;

/// `Σ_{j < TERMS} (−x)ʲ / (2j + k)!`
#[inline(always)]
fn series<T: Real>(x: T, k: usize) -> T {
    const FOURTH: [f64; TERMS] = reciprocal_factorials(4);
    const FIFTH: [f64; TERMS] = reciprocal_factorials(5);
    alternating(if k == 4 { &FOURTH } else { &FIFTH }, x)
}

/// `1 / (2j + k)!`
const fn reciprocal_factorials(k: usize) -> [f64; TERMS] {
    let mut terms = [0.0; TERMS];
    let (mut n, mut factorial) = (1, 1.0);
    let mut j = 0;
    while j < TERMS {
        while n < 2 * j + k {
            n += 1;
            factorial *= n as f64;
        }
        terms[j] = 1.0 / factorial;
        j += 1;
    }
    terms
}

/// `Σ_j c_j (−x)ʲ`, N a multiple of four: powers in four chains that a processor computes side by side.
#[inline(always)]
fn alternating<T: Real, const N: usize>(c: &[f64; N], x: T) -> T {
    let square = x * x;
    let fourth = square * square;
    let mut chains = [T::from(c[N - 4]), T::from(c[N - 3]), T::from(c[N - 2]), T::from(c[N - 1])];
    let mut j = N - 4;
    while j > 0 {
        j -= 4;
        let mut k = 0;
        while k < 4 {
            chains[k] = chains[k] * fourth + c[j + k];
            k += 1;
        }
    }
    (chains[0] + square * chains[2]) - x * (chains[1] + square * chains[3])
}

/// `atan(√t) / √t` for `0 ≤ t ≤ 0.18`, from its series: no branch, every derivative right.
///
/// The first of the terms left out is `0.18²⁴/49 = 3e-20`, its first three derivatives 4e-18, 5e-16 and 6e-14.
#[inline(always)]
pub fn atan_ratio<T: Real>(t: T) -> T {
    const TERMS: [f64; 24] = {
        let mut terms = [0.0; 24];
        let mut j = 0;
        while j < 24 {
            terms[j] = 1.0 / (2 * j + 1) as f64;
            j += 1;
        }
        terms
    };
    alternating(&TERMS, t)
}

/// `(1 − (θ/2) cot(θ/2)) / t` at `t = tan²(θ/8)`, for `0 ≤ t ≤ 0.18`, from its series: no branch, every derivative
/// right.
///
/// With `A = atan(√t)/√t` and the cotangent of four times an angle, it is `(1 − A (1 − 6t + t²)/(1 − t)) / t`. The
/// first of the terms left out is `π 0.18²⁸ = 4e-21`, its first three derivatives 7e-19, 1e-16 and 2e-14.
#[inline(always)]
pub fn half_cotangent_ratio<T: Real>(t: T) -> T {
    const TERMS: [f64; 28] = {
        // (1 − 6t + t²)/(1 − t) = 1 − 5t − 4t² − 4t³ − …, times A = 1 − t/3 + t²/5 − …
        let mut terms = [0.0; 28];
        let mut j = 0;
        while j < 28 {
            let (mut sum, mut sign, mut i) = (0.0, 1.0, 0);
            while i <= j + 1 {
                let factor = match j + 1 - i {
                    0 => 1.0,
                    1 => -5.0,
                    _ => -4.0,
                };
                sum += sign * factor / (2 * i + 1) as f64;
                sign = -sign;
                i += 1;
            }
            terms[j] = if j % 2 == 0 { -sum } else { sum };
            j += 1;
        }
        terms
    };
    alternating(&TERMS, t)
}

/// `κ(x) = (1 − (θ/2) cot(θ/2)) / θ²` and its first two derivatives by `x = θ²`, for `0 ≤ x ≤ π²`: no branch, every derivative right.
///
/// With `z = x/4π²` and Riemann's ζ, `2π² κ = Σ_n ζ(2n + 2) zⁿ`, from the partial fractions of the cotangent (Euler; Abramowitz and
/// Stegun 1964, 4.3.91 and 23.2.16). The first pole is summed up, `1/(1 − z)`, so that `ζ(2n + 2) − 1` remains, near `4⁻ⁿ⁻¹`: the first
/// of the terms left out is 2e-25, its first four derivatives by `z` below 1e-18.
#[inline(always)]
pub fn half_cotangent<T: Real>(x: T) -> [T; 3] {
    const SCALE: f64 = 1.0 / (2.0 * PI * PI);
    const TERMS: [[f64; 20]; 3] = [derivative_of_zeta(0), derivative_of_zeta(1), derivative_of_zeta(2)];
    let z = x * (0.5 * SCALE);
    let pole = (T::one() - z).recip();
    let square = pole * pole;
    [
        (pole + alternating(&TERMS[0], -z)) * SCALE,
        (square + alternating(&TERMS[1], -z)) * (0.5 * SCALE * SCALE),
        (square * pole * 2.0 + alternating(&TERMS[2], -z)) * (0.25 * SCALE * SCALE * SCALE),
    ]
}

/// Coefficients of the derivative of this order of `Σ_n (ζ(2n + 2) − 1) zⁿ`.
const fn derivative_of_zeta(order: usize) -> [f64; 20] {
    let mut terms = [0.0; 20];
    let mut n = 0;
    while n < 20 {
        terms[n] = ZETA_LESS_ONE[n + order];
        let mut k = 1;
        while k <= order {
            terms[n] *= (n + k) as f64;
            k += 1;
        }
        n += 1;
    }
    terms
}

/// `ζ(2n + 2) − 1`
#[rustfmt::skip]
const ZETA_LESS_ONE: [f64; 22] = [0.64493406684822644, 0.082323233711138192, 0.01734306198444914, 0.0040773561979443394, 0.00099457512781808534, 0.0002460865533080483, 6.1248135058704829e-5, 1.5282259408651872e-5, 3.8172932649998399e-6, 9.5396203387279611e-7, 2.3845050272773299e-7, 5.960818905125948e-8, 1.4901554828365041e-8, 3.7253340247884571e-9, 9.3132743241966818e-10, 2.3283118336765055e-10, 5.8207720879027009e-11, 1.4551921891041984e-11, 3.6379795473786512e-12, 9.0949478402638893e-13, 2.2737368458246525e-13, 5.6843419876275856e-14];
