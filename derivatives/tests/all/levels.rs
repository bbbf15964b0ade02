//! Which level runs, and that the answer does not depend on it.

use gradyn_derivatives::drivers::{hessian, jacobian};
use gradyn_derivatives::simd::{dispatch_at, with_level};
use gradyn_derivatives::{Function, Kernel, Level, Register, Scalar, ScalarFunction, dispatch};
use std::process::{Command, Stdio};
use testing::{Random, Running, assert_close};

struct Which;
impl Kernel for Which {
    type Output = Level;
    #[inline(always)]
    fn run<R: Register>(self) -> Level {
        R::LEVEL
    }
}

#[test]
fn plain_is_always_there_and_levels_are_ordered() {
    let levels: Vec<_> = Level::available().collect();
    assert_eq!(levels[0], Level::Plain);
    assert!(levels.is_sorted());
    assert_eq!(Level::ALL.map(|level| level.to_string()), ["plain", "neon", "avx2", "avx512"]);
}

#[test]
fn a_forced_level_is_the_one_that_runs() {
    for level in Level::ALL {
        let expected = level.or_below();
        with_level(level, || {
            assert_eq!(Level::active(), expected);
            assert_eq!(dispatch(Which), expected);
        });
        assert_eq!(dispatch_at(level, Which), expected);
    }
}

#[test]
fn forcing_nests_and_ends() {
    let outside = Level::active();
    let best = Level::Avx512.or_below();
    with_level(Level::Plain, || {
        with_level(best, || assert_eq!(Level::active(), best));
        assert_eq!(Level::active(), Level::Plain);
        // other threads are free
        let elsewhere = std::thread::spawn(Level::active).join();
        assert_eq!(elsewhere.ok(), Some(outside));
    });
    assert_eq!(Level::active(), outside);
}

#[test]
fn forcing_ends_with_a_panic_too() {
    let outside = Level::active();
    let result = std::panic::catch_unwind(|| with_level(Level::Plain, || panic!("on purpose")));
    assert!(result.is_err());
    assert_eq!(Level::active(), outside);
}

/// Run by the next test in a process of its own; prints nothing of interest otherwise.
#[test]
fn prints_the_active_level() {
    println!("active={}", Level::active());
}

#[test]
#[cfg_attr(miri, ignore = "Miri starts no processes")]
fn the_environment_sets_the_level_of_the_process() {
    for (name, expected) in [("plain", Level::Plain), ("avx2", Level::Avx2.or_below()), ("", Level::Avx512.or_below())]
    {
        let mut this = Command::new(std::env::current_exe().expect("a running test has a file"));
        this.args(["--exact", "levels::prints_the_active_level", "--nocapture"]).env("GRADYN_LEVEL", name);
        let output = Running::start(this.stdout(Stdio::piped())).finish(b"");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(&format!("active={expected}")), "GRADYN_LEVEL={name}: {text}");
    }
}

/// Some of everything, with more inputs than one register has lanes.
struct Mixture;
impl Function for Mixture {
    fn inputs(&self) -> usize {
        11
    }
    fn outputs(&self) -> usize {
        3
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        let mut sum = T::zero();
        for (i, x) in x.iter().enumerate() {
            let (sin, cos) = (*x * (i as f64 + 0.5)).sin_cos();
            sum = sum * sin + cos * *x;
        }
        y[0] = sum;
        y[1] = (sum * sum + 1.0).sqrt() * x[3].exp();
        y[2] = x[0].atan2(sum + 3.0) / (x[1] + 2.0);
    }
}
impl ScalarFunction for Mixture {
    fn inputs(&self) -> usize {
        11
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T]) -> T {
        let mut y = [T::zero(); 3];
        Function::eval(self, x, &mut y);
        y[0] * y[1] + y[2]
    }
}

/// Values bit for bit, but for the plain level; derivatives up to fused roundings.
#[test]
fn every_level_gives_the_same_derivatives() {
    let mut random = Random::new(13);
    for _ in 0..if cfg!(miri) { 1 } else { 50 } {
        let x = random.numbers(11);
        let plain = with_level(Level::Plain, || (jacobian(&Mixture, &x), hessian(&Mixture, &x)));
        let mut exact = vec![0.0; Mixture.outputs()];
        Function::eval(&Mixture, &x, &mut exact);
        let (Ok((_, j)), Ok((_, gradient, h))) = plain else { panic!("finite at {x:?}") };
        let largest = |v: &[f64]| v.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        for level in Level::available() {
            let (Ok((value_2, j_2)), Ok((_, gradient_2, h_2))) =
                with_level(level, || (jacobian(&Mixture, &x), hessian(&Mixture, &x)))
            else {
                panic!("finite at {x:?}")
            };
            // To the last bit those of `f64`; at the plain level num-dual's, whose quotients are products with a
            // reciprocal: a rounding more.
            let tolerance = if level == Level::Plain { 1e-15 } else { 0.0 };
            for (a, b) in exact.iter().zip(&value_2) {
                assert_close(*b, *a, tolerance, largest(&exact), format_args!("{level}: f"));
            }
            for (a, b, what) in [(&j, &j_2, "J"), (&gradient, &gradient_2, "∇f"), (&h, &h_2, "∇²f")] {
                for (a, b) in a.iter().zip(b) {
                    assert_close(*b, *a, 1e-14, largest(&j).max(largest(&h)), format_args!("{level}: {what}"));
                }
            }
        }
    }
}
