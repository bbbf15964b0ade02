//! How many operations each algorithm takes, counted by a number type that counts, and what the machine could do at most.
//!
//! Prints JSON. The generic algorithms are counted, as they run over lanes and dual numbers; the forms over `f64` that take
//! eight joints at a time have about as many, and some to no use in lanes that are empty.

use gradyn::dynamics::{
    Workspace, aba, coriolis_matrix, crba, forward_kinematics, minv, rnea, rnea_gradient, torque_derivatives,
};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn_derivatives::simd::{Kernel, Level, Register, dispatch};
use gradyn_derivatives::{AtLevel, MulAdd, Real};
use std::cell::Cell;
use std::hint::black_box;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use std::path::Path;
use std::time::Instant;

/// Sums, products, quotients and roots, other functions.
#[derive(Clone, Copy, Default)]
struct Counts {
    sums: u64,
    products: u64,
    quotients: u64,
    functions: u64,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { sums: 0, products: 0, quotients: 0, functions: 0 }) };
}

fn count(add: impl FnOnce(&mut Counts)) {
    let mut counts = COUNTS.get();
    add(&mut counts);
    COUNTS.set(counts);
}

/// A number whose operations are counted. Changes of sign are free.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counted(f64);

impl From<f64> for Counted {
    fn from(x: f64) -> Self {
        Self(x)
    }
}

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! operator {
    ($op:ident $f:ident $counter:ident) => {
        impl $op for Counted {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                self.$f(other.0)
            }
        }
        impl $op<f64> for Counted {
            type Output = Self;
            fn $f(self, other: f64) -> Self {
                count(|c| c.$counter += 1);
                Self(self.0.$f(other))
            }
        }
    };
}
operator!(Add add sums);
operator!(Sub sub sums);
operator!(Mul mul products);
operator!(Div div quotients);

macro_rules! assignment {
    ($op:ident $f:ident $by:ident) => {
        impl $op for Counted {
            fn $f(&mut self, other: Self) {
                *self = self.$by(other);
            }
        }
    };
}
assignment!(AddAssign add_assign add);
assignment!(SubAssign sub_assign sub);
assignment!(MulAssign mul_assign mul);

macro_rules! mul_add {
    ($p:ty) => {
        impl MulAdd<$p> for Counted {
            fn mul_plus(self, p: $p, b: Self) -> Self {
                self * p + b
            }
            fn mul_minus(self, p: $p, b: Self) -> Self {
                self * p - b
            }
        }
    };
}
mul_add!(Counted);
mul_add!(f64);

impl AtLevel for Counted {}

fn function(x: f64) -> Counted {
    count(|c| c.functions += 1);
    Counted(x)
}

impl Real for Counted {
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.0.sin_cos();
        (function(sin), Self(cos))
    }
    fn sqrt(self) -> Self {
        count(|c| c.quotients += 1);
        Self(self.0.sqrt())
    }
    fn recip(self) -> Self {
        count(|c| c.quotients += 1);
        Self(self.0.recip())
    }
    fn exp(self) -> Self {
        function(self.0.exp())
    }
    fn ln(self) -> Self {
        function(self.0.ln())
    }
    fn atan(self) -> Self {
        function(self.0.atan())
    }
    fn atan2(self, x: Self) -> Self {
        function(self.0.atan2(x.0))
    }
    fn select_lt(self, bound: f64, below: Self, otherwise: Self) -> Self {
        if self.0 < bound { below } else { otherwise }
    }
    fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

fn counted(name: &str, mut run: impl FnMut()) -> String {
    run(); // what is made at first use is not counted
    COUNTS.set(Counts::default());
    run();
    let Counts { sums, products, quotients, functions } = COUNTS.get();
    format!(
        r#""{name}": {{"sums": {sums}, "products": {products}, "quotients": {quotients}, "functions": {functions}}}"#
    )
}

fn of_robot(name: &str, floating: bool) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots").join(format!("{name}.urdf"));
    let options = UrdfOptions::new().floating_base(floating);
    let model = Model::from_urdf_file(path, &options).expect("a robot of this repository").model;
    let model = &model.with_joint_friction(false);
    let v: Vec<f64> = (0..model.nv()).map(|k| 0.1 + 0.01 * k as f64).collect();
    let q = model.integrate(&model.neutral::<f64>(), &v).expect("fits");
    let lift = |x: &[f64]| x.iter().map(|x| Counted(*x)).collect::<Vec<_>>();
    let (q, v) = (lift(&q), lift(&v));
    let (q, v, a) = (&q[..], &v[..], &v[..]);
    let ws = &mut Workspace::<Counted>::new(model);
    let all = [
        counted("forwardKinematics", || _ = black_box(forward_kinematics(model, ws, q, v, a).expect("finite"))),
        counted("rnea", || _ = black_box(rnea(model, ws, q, v, a).expect("finite"))),
        counted("crba", || _ = black_box(crba(model, ws, q).expect("finite"))),
        counted("aba", || _ = black_box(aba(model, ws, q, v, a, &[]).expect("finite"))),
        counted("computeMinverse", || _ = black_box(minv(model, ws, q).expect("finite"))),
        counted("computeCoriolisMatrix", || _ = black_box(coriolis_matrix(model, ws, q, v).expect("finite"))),
        counted("computeRNEADerivatives", || {
            _ = black_box(torque_derivatives(model, ws, q, v, a, &[]).expect("finite"));
        }),
        counted("rnea_gradient", || _ = black_box(rnea_gradient(model, ws, q, v, a, &[], v).expect("finite"))),
    ];
    format!(r#""{name}": {{{}}}"#, all.join(", "))
}

/// Sums and products a nanosecond, of register arithmetic that waits for nothing.
struct Peak;

impl Kernel for Peak {
    type Output = f64;
    #[inline(always)]
    fn run<R: Register>(self) -> f64 {
        const ROUNDS: usize = 20_000;
        const CHAINS: usize = 12;
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
        (ROUNDS * CHAINS * 8 * 2) as f64 / best
    }
}

fn main() {
    let robots = [("panda", false), ("ur5", false), ("solo12", true), ("g1", true)];
    let robots = robots.map(|(name, floating)| of_robot(name, floating)).join(", ");
    let (level, peak) = (Level::active(), dispatch(Peak));
    println!(r#"{{"level": "{level}", "peak_flops_per_ns": {peak:.2}, "robots": {{{robots}}}}}"#);
}
