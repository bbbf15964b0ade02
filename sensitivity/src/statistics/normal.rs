//! The inverse of the normal distribution.
//!
//! Source: M. Wichura, *Algorithm AS 241: the percentage points of the normal distribution*, Appl. Statist. 37(3),
//! 1988, PPND16.

use std::f64::consts::TAU;

/// `z` with `Φ(z) = p`: the standard normal deviate below which the share `p` lies. −∞ at 0 and ∞ at 1; `None` outside
/// `[0, 1]`.
///
/// Relative error about 1e-16 of three quotients of polynomials: one for the middle, two for the tails. O(1).
#[must_use]
pub fn normal_quantile(p: f64) -> Option<f64> {
    (0.0..=1.0).contains(&p).then(|| quantile(p))
}

/// The same, for `p` in `[0, 1]`.
pub(crate) fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(&MIDDLE, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let z = if r <= 5.0 { ratio(&TAIL, r - 1.6) } else { ratio(&FAR_TAIL, r - 5.0) };
    z.copysign(q)
}

/// Numerator and denominator, lowest power first.
type Ratio = [[f64; 8]; 2];

fn ratio([a, b]: &Ratio, r: f64) -> f64 {
    let polynomial = |c: &[f64; 8]| c.iter().rev().fold(0.0, |value, c| value * r + c);
    polynomial(a) / polynomial(b)
}

const MIDDLE: Ratio = [
    [
        3.387_132_872_796_366_608_0,
        1.331_416_678_917_843_774_5e2,
        1.971_590_950_306_551_442_7e3,
        1.373_169_376_550_946_112_5e4,
        4.592_195_393_154_987_145_7e4,
        6.726_577_092_700_870_085_3e4,
        3.343_057_558_358_812_810_5e4,
        2.509_080_928_730_122_672_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091_125_2e1,
        6.871_870_074_920_579_083_0e2,
        5.394_196_021_424_751_107_7e3,
        2.121_379_430_158_659_586_7e4,
        3.930_789_580_009_271_061_0e4,
        2.872_908_573_572_194_267_4e4,
        5.226_495_278_852_854_561_0e3,
    ],
];
const TAIL: Ratio = [
    [
        1.423_437_110_749_683_577_34,
        4.630_337_846_156_545_295_90,
        5.769_497_221_460_691_405_50,
        3.647_848_324_763_204_605_04,
        1.270_458_252_452_368_382_58,
        2.417_807_251_774_506_117_70e-1,
        2.272_384_498_926_918_458_33e-2,
        7.745_450_142_783_414_076_40e-4,
    ],
    [
        1.0,
        2.053_191_626_637_758_821_87,
        1.676_384_830_183_803_849_40,
        6.897_673_349_851_000_045_50e-1,
        1.481_039_764_274_800_745_90e-1,
        1.519_866_656_361_645_719_66e-2,
        5.475_938_084_995_344_946_00e-4,
        1.050_750_071_644_416_843_24e-9,
    ],
];
const FAR_TAIL: Ratio = [
    [
        6.657_904_643_501_103_777_20,
        5.463_784_911_164_114_369_90,
        1.784_826_539_917_291_335_80,
        2.965_605_718_285_048_912_30e-1,
        2.653_218_952_657_612_309_30e-2,
        1.242_660_947_388_078_438_60e-3,
        2.711_555_568_743_487_578_15e-5,
        2.010_334_399_292_288_132_65e-7,
    ],
    [
        1.0,
        5.998_322_065_558_879_376_90e-1,
        1.369_298_809_227_358_053_10e-1,
        1.487_536_129_085_061_485_25e-2,
        7.868_691_311_456_132_591_00e-4,
        1.846_318_317_510_054_681_80e-5,
        1.421_511_758_316_445_888_70e-7,
        2.044_263_103_389_939_785_64e-15,
    ],
];

/// The logarithm of the density, `−½ (z² + ln 2π)`.
pub(crate) fn log_density(z: f64) -> f64 {
    -0.5 * (z * z + TAU.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deviates of mpmath 1.3 with 40 digits, for the doubles written here.
    #[test]
    fn quantiles_are_those_of_forty_digits() {
        let known = [
            (0.6, 0.253_347_103_135_799_741_324_688_7),
            (0.75, 0.674_489_750_196_081_743_202_227),
            (0.9, 1.281_551_565_544_600_593_487_448),
            (0.95, 1.644_853_626_951_472_284_276_316),
            (0.975, 1.959_963_984_540_053_855_604_431),
            (0.99, 2.326_347_874_040_840_767_637_189),
            (0.4, -0.253_347_103_135_799_741_324_688_7),
            (0.025, -1.959_963_984_540_054_211_779_584),
            (1e-3, -3.090_232_306_167_813_535_358_005),
            (1e-10, -6.361_340_902_404_056_199_100_397),
            (1e-20, -9.262_340_089_798_407_579_572_095),
            (1e-100, -21.273_453_560_965_324_294_179_52),
            (1e-300, -37.047_096_299_361_199_236_547_04),
        ];
        for (p, z) in known {
            let error: f64 = quantile(p) / z - 1.0;
            // Five roundings: the method itself is good to 1e-16.
            assert!(error.abs() < 1e-15, "p = {p}: {} instead of {z}, relative error {error:e}", quantile(p));
        }
        assert_eq!(normal_quantile(0.5), Some(0.0));
    }

    #[test]
    fn ends_are_infinite_and_beyond_there_is_nothing() {
        assert_eq!(normal_quantile(0.0), Some(f64::NEG_INFINITY));
        assert_eq!(normal_quantile(1.0), Some(f64::INFINITY));
        for p in [-1e-300, 1.0 + f64::EPSILON, f64::NAN, f64::INFINITY] {
            assert_eq!(normal_quantile(p), None, "p = {p}");
        }
    }
}
