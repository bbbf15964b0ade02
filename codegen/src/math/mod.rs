//! What generated files carry along: sine, cosine and square root, by `core` alone. The graph is evaluated with the same
//! code, so that generated code gives the same bits.

/// The code, as generated Rust has it.
pub(crate) const CARRIED: &str = include_str!("carried.rs");
/// The same over `f32`.
pub(crate) const CARRIED_F32: &str = include_str!("carried_f32.rs");

#[allow(clippy::all, missing_docs, reason = "a text that stands in files of its own")]
mod carried {
    include!("carried.rs");
    pub(super) fn both(x: f64) -> (f64, f64) {
        sin_cos(x)
    }
    #[cfg(test)]
    pub(super) fn root(x: f64) -> f64 {
        sqrt(x)
    }
    #[cfg(test)]
    pub(super) fn many(x: [f64; 5]) -> ([f64; 5], [f64; 5]) {
        sines(x)
    }
}

#[cfg(test)]
#[allow(clippy::all, missing_docs, reason = "a text that stands in files of its own")]
mod carried_f32 {
    include!("carried_f32.rs");
    pub(super) fn both(x: f32) -> (f32, f32) {
        sin_cos(x)
    }
    pub(super) fn root(x: f32) -> f32 {
        sqrt(x)
    }
    pub(super) fn many(x: [f32; 2]) -> ([f32; 2], [f32; 2]) {
        sines(x)
    }
}

/// Sine and cosine.
#[must_use]
pub fn sin_cos(x: f64) -> (f64, f64) {
    carried::both(x)
}

#[cfg(test)]
mod tests {
    use super::{carried, carried_f32};

    /// A number in [0, 1), and the next seed.
    fn unit(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn apart(x: f64, y: f64) -> u64 {
        let ordered = |x: f64| {
            let bits = x.to_bits() as i64;
            if bits < 0 { i64::MIN - bits } else { bits }
        };
        ordered(x).abs_diff(ordered(y))
    }

    /// The standard library's own error is below one unit; beyond the reduction's reach the tail of π/2 is left out, another
    /// half unit.
    #[test]
    fn sines_agree_with_the_standard_library() {
        let seed = &mut 1;
        for k in 0..400_000 {
            let x = 2.0 * unit(seed) - 1.0;
            let (x, most) = match k % 6 {
                0 => (x * 3.2, 1),
                1 => (x * 100.0, 1),
                2 => (x * 1.5e6, 1),
                3 => ((x * 1000.0).round() * std::f64::consts::FRAC_PI_2, 1),
                4 => (x * 1e12, 2),
                _ => (x * 10_f64.powf(300.0 * unit(seed)), 2),
            };
            let ((sin, cos), (s, c)) = (carried::both(x), x.sin_cos());
            let off = apart(sin, s).max(apart(cos, c));
            assert!(off <= most, "{x:e}: {sin:e} {s:e}, {cos:e} {c:e}, {off} units");
        }
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(carried::both(x).0.is_nan() && carried::both(x).1.is_nan());
        }
        let (sin, cos) = carried::many([0.1, -2.0, 1e9, f64::NAN, 3.0]);
        let expected = [carried::both(-2.0).0, carried::both(3.0).1, carried::both(1e9).0, carried::both(1e9).1];
        assert_eq!([sin[1], cos[4], sin[2], cos[2]].map(f64::to_bits), expected.map(f64::to_bits));
        assert!(sin[3].is_nan());
    }

    #[test]
    fn square_roots_are_rounded_to_nearest() {
        let seed = &mut 2;
        for _ in 0..200_000 {
            let x = f64::from_bits((unit(seed) * 9.2e18) as u64);
            assert_eq!(carried::root(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
            let x = f32::from_bits((unit(seed) * 2.1e9) as u32);
            assert_eq!(carried_f32::root(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
        }
        for x in [0.0, 4.0, 1.0, 0.25, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY] {
            assert_eq!(carried::root(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
        }
        assert!(carried::root(-1.0).is_nan() && carried::root(f64::NAN).is_nan());
        assert!(carried_f32::root(-1.0).is_nan());
    }

    /// In single precision errors are measured against 1: angles of joints are some radians.
    #[test]
    fn single_sines_agree_with_the_standard_library() {
        let seed = &mut 3;
        for k in 0..200_000 {
            let x = ((2.0 * unit(seed) - 1.0) * if k % 2 == 0 { 7.0 } else { 5000.0 }) as f32;
            let (sin, cos) = carried_f32::both(x);
            let (s, c) = f64::from(x).sin_cos();
            let off = (f64::from(sin) - s).abs().max((f64::from(cos) - c).abs());
            assert!(off < 1.2e-7, "{x}: {sin} {s}, {cos} {c}");
        }
        assert!(carried_f32::both(f32::NAN).0.is_nan());
        let both = carried_f32::both(-0.5).0;
        assert_eq!(carried_f32::many([0.5, -0.5]).0[1].to_bits(), both.to_bits());
    }
}
