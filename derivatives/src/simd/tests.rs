//! The registers of every level against plain arrays, lane by lane.

use super::portable::Portable;
use super::{Kernel, Level, Places, Register, WIDTH, dispatch_at};

/// Numbers that tell a wrong operand order, a wrong blend and a wrong lane apart.
const SAMPLES: [[f64; WIDTH]; 5] = [
    [1.0, -2.0, 3.5, -4.25, 5.0, 0.0, -0.0, 8.0],
    [0.5, 7.0, -3.5, 1e300, -1e-300, 3.0, 2.0, -8.0],
    [f64::NAN, 1.0, f64::INFINITY, -1.0, f64::NEG_INFINITY, 2.0, 1e-320, 0.1],
    [2.0, 2.0, 2.0, 2.0, 9.0, 16.0, 25.0, 0.25],
    [-0.0, 0.0, 1.0, f64::MIN_POSITIVE, f64::MAX, -f64::MAX, 1.0 / 3.0, -1.0 / 3.0],
];

/// All operations on one triple of registers.
struct All([f64; WIDTH], [f64; WIDTH], [f64; WIDTH]);

struct Results {
    level: Level,
    lanes: Vec<(&'static str, [f64; WIDTH])>,
    all_lt: bool,
}

impl Kernel for All {
    type Output = Results;
    #[inline(always)]
    fn run<R: Register>(self) -> Results {
        let (a, b, c) = (R::from_array(self.0), R::from_array(self.1), R::from_array(self.2));
        let places = Places::new([Some(6), Some(1), None, Some(1), Some(7), Some(0), Some(9), Some(2)]);
        let [t0, t1, t2, t3, t4, t5, t6, t7] = R::transpose([a, b, c, a, b, c, b, a]);
        let lanes = vec![
            ("permute", a.permute(&places).to_array()),
            ("where_else", a.where_else(0b1010_0110, b).to_array()),
            ("low_twice", a.low_twice().to_array()),
            ("high_twice", a.high_twice().to_array()),
            ("halves_swapped", a.halves_swapped().to_array()),
            ("transpose 0", t0.to_array()),
            ("transpose 1", t1.to_array()),
            ("transpose 2", t2.to_array()),
            ("transpose 3", t3.to_array()),
            ("transpose 4", t4.to_array()),
            ("transpose 5", t5.to_array()),
            ("transpose 6", t6.to_array()),
            ("transpose 7", t7.to_array()),
            ("splat", R::splat(self.0[1]).to_array()),
            ("array", a.to_array()),
            ("add", a.add(b).to_array()),
            ("sub", a.sub(b).to_array()),
            ("mul", a.mul(b).to_array()),
            ("div", a.div(b).to_array()),
            ("neg", a.neg().to_array()),
            ("sqrt", a.sqrt().to_array()),
            ("select_lt", a.select_lt(b, c, a).to_array()),
            ("mul_add", a.mul_add(b, c).to_array()),
            ("mul_sub", a.mul_sub(b, c).to_array()),
        ];
        Results { level: R::LEVEL, lanes, all_lt: a.all_lt(b) }
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Fused or rounded twice: both are right, depending on the level.
fn fused(name: &str, a: f64, b: f64, c: f64) -> Option<f64> {
    match name {
        "mul_add" => Some(a.mul_add(b, c)),
        "mul_sub" => Some(a.mul_add(b, -c)),
        _ => None,
    }
}

/// Lanes without a place, or with one that does not exist, become zero; transposition is what its name says.
#[test]
#[expect(clippy::float_cmp, reason = "numbers are moved, not computed")]
fn numbers_come_from_their_places() {
    let x = Portable::from_array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]);
    let places = Places::new([Some(6), Some(1), None, Some(1), Some(7), Some(0), Some(9), Some(2)]);
    assert_eq!(x.permute(&places).to_array(), [6.5, 1.5, 0.0, 1.5, 7.5, 0.5, 0.0, 2.5]);
    assert_eq!(places.mask(), 0b1011_1011);
    assert_eq!(x.where_else(0b0000_0101, x.neg()).to_array(), [0.5, -1.5, 2.5, -3.5, -4.5, -5.5, -6.5, -7.5]);
    assert_eq!(x.low_twice().to_array()[4..], [0.5, 1.5, 2.5, 3.5]);
    assert_eq!(x.high_twice().to_array()[..4], [4.5, 5.5, 6.5, 7.5]);
    assert_eq!(x.halves_swapped().to_array(), [4.5, 5.5, 6.5, 7.5, 0.5, 1.5, 2.5, 3.5]);
    let rows = std::array::from_fn(|i| Portable::from_array(std::array::from_fn(|j| (10 * i + j) as f64)));
    let columns = Portable::transpose(rows).map(Register::to_array);
    for (j, column) in columns.iter().enumerate() {
        assert_eq!(*column, std::array::from_fn::<f64, 8, _>(|i| (10 * i + j) as f64));
    }
}

#[test]
fn every_level_computes_what_plain_arrays_do() {
    for level in Level::available() {
        for a in SAMPLES {
            for b in SAMPLES {
                for c in SAMPLES {
                    let found = dispatch_at(level, All(a, b, c));
                    let expected = All(a, b, c).run::<Portable>();
                    assert_eq!(found.level, level);
                    assert_eq!(found.all_lt, expected.all_lt, "{level}: all_lt {a:?} {b:?}");
                    for ((name, x), (_, y)) in found.lanes.into_iter().zip(expected.lanes) {
                        for i in 0..WIDTH {
                            let right =
                                same(x[i], y[i]) || fused(name, a[i], b[i], c[i]).is_some_and(|z| same(x[i], z));
                            assert!(right, "{level}: {name} of {:?}: {:e}, not {:e}", (a[i], b[i], c[i]), x[i], y[i]);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn all_lt_asks_every_lane() {
    for level in Level::available() {
        for i in 0..WIDTH {
            for high in [1.0, 2.0, f64::NAN] {
                let mut a = [0.0; WIDTH];
                a[i] = high;
                assert!(!dispatch_at(level, All(a, [1.0; WIDTH], a)).all_lt, "{level}: lane {i} is {high}");
            }
        }
        assert!(dispatch_at(level, All([0.0; WIDTH], [1.0; WIDTH], [0.0; WIDTH])).all_lt);
    }
}

#[test]
fn a_level_that_the_processor_lacks_is_answered_from_below() {
    for level in Level::ALL {
        assert_eq!(dispatch_at(level, All(SAMPLES[0], SAMPLES[1], SAMPLES[3])).level, level.or_below());
    }
}

/// Reads and writes slices of this length.
struct FirstOf(usize);

impl Kernel for FirstOf {
    type Output = ([f64; WIDTH], Vec<f64>);
    fn run<R: Register>(self) -> Self::Output {
        let numbers: Vec<f64> = (1..=self.0).map(|k| k as f64).collect();
        let mut to = vec![-1.0; self.0];
        R::from_array([1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]).store_first(&mut to);
        (R::load_first(&numbers).to_array(), to)
    }
}

/// A slice shorter than a register is read and written as far as it goes, and a longer one in its first eight numbers.
#[test]
#[expect(clippy::float_cmp, reason = "numbers are moved, not computed")]
fn slices_of_any_length_are_read_and_written() {
    for level in Level::available() {
        for n in 0..=10 {
            let (read, written) = dispatch_at(level, FirstOf(n));
            let expected: [f64; WIDTH] = std::array::from_fn(|k| if k < n { (k + 1) as f64 } else { 0.0 });
            assert_eq!(read, expected, "{level}, {n} numbers");
            let expected: Vec<f64> = (0..n).map(|k| if k < WIDTH { k as f64 + 1.5 } else { -1.0 }).collect();
            assert_eq!(written, expected, "{level}, {n} numbers");
        }
    }
}

/// Magnitudes of eight numbers; and sine and cosine after so many quarter turns.
struct Turned([f64; WIDTH], [f64; WIDTH], f64);

impl Kernel for Turned {
    type Output = [[f64; WIDTH]; 3];
    fn run<R: Register>(self) -> Self::Output {
        let Self(s, c, n) = self;
        let quarters = R::splat(n).add(R::splat(6_755_399_441_055_744.0));
        let (turned_s, turned_c) = R::from_array(s).turned(R::from_array(c), quarters);
        [R::from_array(s).abs().to_array(), turned_s.to_array(), turned_c.to_array()]
    }
}

/// To the bit, signs of zeros and infinities among them.
#[test]
fn quarter_turns_exchange_sines_and_cosines_and_change_signs() {
    let s = [0.0, -0.0, 0.6, -0.6, 1.0, f64::INFINITY, f64::MIN_POSITIVE, -1.0];
    let c = [1.0, -1.0, 0.8, -0.8, -0.0, 2.0, f64::NEG_INFINITY, 0.0];
    let bits = |x: [f64; WIDTH]| x.map(f64::to_bits);
    for level in Level::available() {
        for n in -9_i32..=9 {
            let [magnitudes, turned_s, turned_c] = dispatch_at(level, Turned(s, c, f64::from(n)));
            assert_eq!(bits(magnitudes), bits(s.map(f64::abs)), "{level}");
            let minus = |x: [f64; WIDTH]| x.map(|x| -x);
            let (expected_s, expected_c) = match n.rem_euclid(4) {
                0 => (s, c),
                1 => (c, minus(s)),
                2 => (minus(s), minus(c)),
                _ => (minus(c), s),
            };
            assert_eq!((bits(turned_s), bits(turned_c)), (bits(expected_s), bits(expected_c)), "{level}: {n}");
        }
    }
}

/// What each lane does by itself.
#[inline(always)]
fn alone<R: Register>([a, b, c]: [[f64; WIDTH]; 3]) -> Vec<R> {
    let mut found = R::transposed([&a, &b, &c, &b, &c, &a, &a, &b]).to_vec();
    let (a, b, c) = (R::from_array(a), R::from_array(b), R::from_array(c));
    let (sin, cos) = a.turned(b, R::splat(1.5 * 4_503_599_627_370_496.0 + 3.0));
    found.extend([a, a.add(b), a.sub(b), a.mul(b), a.div(b), a.neg(), a.sqrt(), a.abs(), sin, cos]);
    found.extend([a.mul_add(b, c), a.mul_sub(b, c), a.select_lt(b, c, a), a.where_else(0b0101_0011, b), R::splat(3.0)]);
    // Places in the same half.
    found.push(a.permute(&Places::new([Some(3), Some(1), None, Some(0), Some(7), None, Some(4), Some(4)])));
    found
}

/// The same whole and in halves, stored over sevens.
struct Halves([[f64; WIDTH]; 3]);

type Stored = Vec<[[f64; WIDTH]; 3]>;

impl Kernel for Halves {
    type Output = (bool, Stored, [bool; 3]);
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let (whole, low, high) = (alone::<R>(self.0), alone::<R::Low>(self.0), alone::<R::High>(self.0));
        let mut stored = Vec::new();
        for k in 0..whole.len() {
            let mut to = [[7.0; WIDTH]; 3];
            whole[k].store(&mut to[0]);
            low[k].store(&mut to[1]);
            high[k].store(&mut to[2]);
            stored.push(to);
        }
        let [a, b, _] = self.0;
        let all_lt = [
            R::from_array(a).all_lt(R::from_array(b)),
            R::Low::from_array(a).all_lt(R::Low::from_array(b)),
            R::High::from_array(a).all_lt(R::High::from_array(b)),
        ];
        (R::HALVES, stored, all_lt)
    }
}

#[test]
fn halves_do_in_their_lanes_what_the_whole_does() {
    for level in Level::available() {
        for [a, b, c] in [[0, 1, 2], [2, 0, 1], [3, 4, 0], [1, 3, 4]] {
            let (halves, stored, [all, low, high]) = dispatch_at(level, Halves([SAMPLES[a], SAMPLES[b], SAMPLES[c]]));
            assert_eq!(all, low && high, "{level}");
            for (k, [whole, low, high]) in stored.iter().enumerate() {
                for lane in 0..WIDTH {
                    let (of_low, of_high) = if halves {
                        if lane < 4 { (whole[lane], 7.0) } else { (7.0, whole[lane]) }
                    } else {
                        (whole[lane], whole[lane])
                    };
                    assert!(same(low[lane], of_low), "{level}, operation {k}, lane {lane}");
                    assert!(same(high[lane], of_high), "{level}, operation {k}, lane {lane}");
                }
            }
        }
    }
}

/// All lanes exchanged with those of the other half but two, by halves.
struct Across([f64; WIDTH]);

impl Kernel for Across {
    type Output = (bool, [[f64; WIDTH]; 2]);
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let places = Places::new([Some(4), Some(5), Some(2), Some(7), Some(0), Some(1), Some(2), Some(7)]);
        let (low, high) = (R::Low::from_array(self.0).permute(&places), R::High::from_array(self.0).permute(&places));
        (R::HALVES, [low.to_array(), high.to_array()])
    }
}

#[test]
fn a_half_has_no_places_in_the_other() {
    for level in Level::available() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let (halves, found) = dispatch_at(level, Across(x));
        if halves {
            let [mut low, mut high] = [[0.0; WIDTH]; 2];
            (low[2], high[7]) = (x[2], x[7]);
            assert_eq!(found, [low, high], "{level}");
        }
    }
}

/// Rows to columns and back, and how many lanes there are.
struct Rows([[f64; WIDTH]; WIDTH]);

#[inline(always)]
fn there_and_back<R: Register>(rows: &[[f64; WIDTH]; WIDTH]) -> (usize, [[f64; WIDTH]; WIDTH]) {
    let [a, b, c, d, e, f, g, h] = rows;
    (R::LANES, R::rows(R::transposed([a, b, c, d, e, f, g, h])).map(R::Whole::to_array))
}

impl Kernel for Rows {
    type Output = [(usize, [[f64; WIDTH]; WIDTH]); 3];
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        [there_and_back::<R>(&self.0), there_and_back::<R::Low>(&self.0), there_and_back::<R::High>(&self.0)]
    }
}

#[test]
fn rows_are_what_columns_were_made_of() {
    let mut rows = [[0.0; WIDTH]; WIDTH];
    for (i, x) in rows.iter_mut().flatten().enumerate() {
        *x = 1.0 + f64::from(u8::try_from(i).unwrap_or(0));
    }
    for level in Level::available() {
        let [whole, low, high] = dispatch_at(level, Rows(rows));
        for ((lanes, found), first) in [(whole, 0), (low, 0), (high, WIDTH - high.0)] {
            for (i, row) in found.iter().enumerate() {
                let expected = if (first..first + lanes).contains(&i) { rows[i] } else { [0.0; WIDTH] };
                assert_eq!(row.map(f64::to_bits), expected.map(f64::to_bits), "{level}, row {i} of {lanes} lanes");
            }
        }
    }
}
