//! Every elementary function of `DualNum` on a register of tangents, against num-dual's own vector type.

use gradyn_derivatives::num_dual::{DualNum, DualSVec64};
use gradyn_derivatives::{Dual8, Kernel, Register, VectorDual, dispatch};
use nalgebra::SVector;
use std::marker::PhantomData;
use testing::{Random, assert_close, at_every_level, same};

/// A function of one variable and where it is defined.
trait Case {
    const NAME: &'static str;
    /// Relative to the derivative, or to one where that is small.
    const TOLERANCE: f64;
    /// Whether the value is that of `f64`, bit for bit.
    const EXACT: bool;
    fn grid() -> Vec<f64>;
    fn eval<D: DualNum<Primitive = f64> + Copy>(x: D) -> D;
}

/// Value and derivatives at the active level.
struct AtLevel<C>(f64, [f64; 8], PhantomData<C>);

impl<C: Case> Kernel for AtLevel<C> {
    type Output = (f64, [f64; 8]);
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let y = C::eval(VectorDual::<R>::from_parts(self.0, self.1));
        (y.value(), y.eps.to_array())
    }
}

fn check<C: Case>() {
    let mut random = Random::new(5);
    for x in C::grid() {
        let seeds = random.eight();
        let mut reference = DualSVec64::<8>::from(x);
        reference.eps = gradyn_derivatives::num_dual::Derivative::some(SVector::from(seeds));
        let reference = C::eval(reference);
        let derivatives = reference.eps.unwrap_generic(nalgebra::Const::<8>, nalgebra::U1);
        let compare = |(re, eps): (f64, [f64; 8])| {
            if C::EXACT {
                let plain = C::eval(x);
                assert!(same(re, plain), "{}({x}) = {re:e} instead of {plain:e}", C::NAME);
            }
            assert_close(re, reference.re, C::TOLERANCE, 1.0, format_args!("{}({x})", C::NAME));
            for k in 0..8 {
                assert_close(eps[k], derivatives[k], C::TOLERANCE, 1.0, format_args!("{}′({x})", C::NAME));
            }
        };
        at_every_level(|| compare(dispatch(AtLevel::<C>(x, seeds, PhantomData))));
        let y = C::eval(Dual8::from_parts(x, seeds));
        compare((y.value(), y.eps.to_array()));
    }
}

/// `count` points from `low` to `high`, both included.
fn linear(low: f64, high: f64, count: usize) -> Vec<f64> {
    let count = testing::rounds(count);
    (0..count).map(|i| low + (high - low) * i as f64 / (count - 1) as f64).collect()
}

/// One test per function: name, formula, domain, tolerance, value bit for bit.
macro_rules! cases {
    ($($name:ident |$x:ident| $formula:expr, $low:expr => $high:expr, $tolerance:expr, $exact:expr;)*) => { $(
        #[test]
        fn $name() {
            struct This;
            impl Case for This {
                const NAME: &'static str = stringify!($name);
                const TOLERANCE: f64 = $tolerance;
                const EXACT: bool = $exact;
                fn grid() -> Vec<f64> {
                    linear($low, $high, 41)
                }
                #[inline(always)]
                fn eval<D: DualNum<Primitive = f64> + Copy>($x: D) -> D {
                    $formula
                }
            }
            check::<This>();
        }
    )* };
}

/// A handful of roundings on either side.
const ROUNDINGS: f64 = 16.0 * f64::EPSILON;

cases! {
    recip |x| x.recip(), 0.1 => 9.0, ROUNDINGS, true;
    recip_of_negative |x| x.recip(), -9.0 => -0.1, ROUNDINGS, true;
    powi_0 |x| x.powi(0), -3.0 => 3.0, ROUNDINGS, true;
    powi_1 |x| x.powi(1), -3.0 => 3.0, ROUNDINGS, true;
    powi_2 |x| x.powi(2), -3.0 => 3.0, ROUNDINGS, true;
    powi_7 |x| x.powi(7), -3.0 => 3.1, ROUNDINGS, true;
    powi_minus_1 |x| x.powi(-1), 0.3 => 3.0, ROUNDINGS, true;
    powi_minus_5 |x| x.powi(-5), 0.3 => 3.0, ROUNDINGS, true;
    powf |x| x.powf(2.7), 0.01 => 5.0, ROUNDINGS, true;
    powf_negative |x| x.powf(-1.3), 0.01 => 5.0, ROUNDINGS, true;
    powd |x| x.powd(x * 0.5), 0.01 => 5.0, ROUNDINGS, false;
    sqrt |x| x.sqrt(), 0.01 => 100.0, ROUNDINGS, true;
    cbrt |x| x.cbrt(), 0.01 => 100.0, ROUNDINGS, true;
    cbrt_of_negative |x| x.cbrt(), -100.0 => -0.01, ROUNDINGS, true;
    exp |x| x.exp(), -20.0 => 20.0, ROUNDINGS, true;
    exp2 |x| x.exp2(), -20.0 => 20.0, ROUNDINGS, true;
    exp_m1 |x| x.exp_m1(), -1.0 => 1.0, ROUNDINGS, true;
    ln |x| x.ln(), 0.01 => 100.0, ROUNDINGS, true;
    log |x| x.log(3.0), 0.01 => 100.0, ROUNDINGS, true;
    log2 |x| x.log2(), 0.01 => 100.0, ROUNDINGS, true;
    log10 |x| x.log10(), 0.01 => 100.0, ROUNDINGS, true;
    ln_1p |x| x.ln_1p(), -0.9 => 3.0, ROUNDINGS, true;
    sin |x| x.sin(), -10.0 => 10.0, ROUNDINGS, true;
    cos |x| x.cos(), -10.0 => 10.0, ROUNDINGS, true;
    sine_of_sin_cos |x| x.sin_cos().0, -10.0 => 10.0, ROUNDINGS, true;
    cosine_of_sin_cos |x| x.sin_cos().1, -10.0 => 10.0, ROUNDINGS, true;
    // num-dual forms sin/cos: conditioned by tan² ≤ 36 here
    tan |x| x.tan(), -1.4 => 1.4, 40.0 * ROUNDINGS, false;
    asin |x| x.asin(), -0.99 => 0.99, ROUNDINGS, true;
    acos |x| x.acos(), -0.99 => 0.99, ROUNDINGS, true;
    atan |x| x.atan(), -9.0 => 9.0, ROUNDINGS, true;
    sinh |x| x.sinh(), -5.0 => 5.0, ROUNDINGS, true;
    cosh |x| x.cosh(), -5.0 => 5.0, ROUNDINGS, true;
    // num-dual forms (cosh² − sinh²) / cosh²
    tanh |x| x.tanh(), -3.0 => 3.0, ROUNDINGS, true;
    asinh |x| x.asinh(), -9.0 => 9.0, ROUNDINGS, true;
    acosh |x| x.acosh(), 1.1 => 9.0, ROUNDINGS, true;
    atanh |x| x.atanh(), -0.9 => 0.9, ROUNDINGS, true;
    // the closed forms of num-dual lose digits to xⁿ⁺¹; closer to zero see `operators.rs`
    sph_j0 |x| x.sph_j0(), 0.5 => 12.0, 4.0 * ROUNDINGS, false;
    sph_j1 |x| x.sph_j1(), 0.5 => 12.0, 32.0 * ROUNDINGS, false;
    sph_j2 |x| x.sph_j2(), 0.5 => 12.0, 500.0 * ROUNDINGS, false;
    mul_add |x| x.mul_add(x * 3.0 + 1.0, x * x), -3.0 => 3.0, ROUNDINGS, false;
    scale |x| x * (x + 2.0) - x / (x * x + 1.0), -3.0 => 3.0, ROUNDINGS, true;
    abs |x| x.abs(), -3.0 => 3.1, ROUNDINGS, true;
    signum |x| x.signum(), -3.0 => 3.1, ROUNDINGS, true;
    atan2_first |x| x.atan2(x * x + 0.5), -3.0 => 3.0, ROUNDINGS, true;
    atan2_left_half |x| x.atan2(-x * x - 0.5), -3.0 => 3.0, ROUNDINGS, true;
}
