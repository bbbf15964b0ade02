//! A number type that counts what is done with it.

use gradyn_derivatives::{AtLevel, MulAdd, Real};
use std::cell::Cell;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Sums, products, quotients and roots, other functions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) sums: u64,
    pub(crate) products: u64,
    pub(crate) quotients: u64,
    pub(crate) functions: u64,
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
pub(crate) struct Counted(pub(crate) f64);

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
    fn exp_m1(self) -> Self {
        function(self.0.exp_m1())
    }
    fn asin(self) -> Self {
        function(self.0.asin())
    }
    fn acos(self) -> Self {
        function(self.0.acos())
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

pub(crate) fn counted(name: &str, mut run: impl FnMut()) -> String {
    run(); // what is made at first use is not counted
    COUNTS.set(Counts::default());
    run();
    let Counts { sums, products, quotients, functions } = COUNTS.get();
    format!(
        r#""{name}": {{"sums": {sums}, "products": {products}, "quotients": {quotients}, "functions": {functions}}}"#
    )
}
