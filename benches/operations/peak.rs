//! What the processor can do at most.

use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use std::hint::black_box;
use std::time::Instant;

/// Sums and products a nanosecond, of fused multiply-adds that wait for nothing and stay in registers.
pub(crate) struct Peak;

impl Kernel for Peak {
    type Output = f64;
    #[inline(always)]
    fn run<R: Register>(self) -> f64 {
        // Enough of them to hide the latency, few enough for the processor's registers: that depends on the level.
        rate::<R, 3>().max(rate::<R, 6>()).max(rate::<R, 12>())
    }
}

#[inline(always)]
fn rate<R: Register, const CHAINS: usize>() -> f64 {
    const ROUNDS: usize = 20_000;
    let mut best = f64::INFINITY;
    let (x, y) = (R::splat(black_box(0.999)), R::splat(black_box(1e-3)));
    for _ in 0..50 {
        let mut sums = [R::splat(black_box(1.0)); CHAINS];
        let start = Instant::now();
        let mut round = 0;
        while round < ROUNDS {
            let mut k = 0;
            while k < CHAINS {
                sums[k] = sums[k].mul_add(x, y);
                k += 1;
            }
            round += 1;
        }
        let taken = start.elapsed().as_secs_f64() * 1e9;
        let mut all = sums[0];
        let mut k = 1;
        while k < CHAINS {
            all = all.add(sums[k]);
            k += 1;
        }
        black_box(all.to_array());
        best = best.min(taken);
    }
    (ROUNDS * CHAINS * WIDTH * 2) as f64 / best
}
