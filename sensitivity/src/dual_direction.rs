//! Numbers along which a derivative can be carried.

use gradyn::Scalar;
use gradyn::derivatives::num_dual::{Dual64, HyperDual64};

/// A number type, and its dual type: `x + ε d`.
pub(crate) trait Along: Scalar<f64> + Scalar<Self> {
    /// `x + ε d`
    type Dual: Scalar<f64> + Scalar<Self::Dual>;
    /// `x + ε d`
    fn along(self, d: f64) -> Self::Dual;
    /// `d`
    fn rate(x: Self::Dual) -> Self;
}

impl Along for f64 {
    type Dual = Dual64;
    fn along(self, d: f64) -> Dual64 {
        Dual64::new(self, d)
    }
    fn rate(x: Dual64) -> f64 {
        x.eps
    }
}

impl Along for Dual64 {
    type Dual = HyperDual64;
    fn along(self, d: f64) -> HyperDual64 {
        HyperDual64::new(self.re, self.eps, d, 0.0)
    }
    fn rate(x: HyperDual64) -> Dual64 {
        Dual64::new(x.eps2, x.eps1eps2)
    }
}

/// All of them, the `index`-th with the derivative one.
pub(crate) fn along_one<P: Along>(x: &[P], index: usize) -> Vec<P::Dual> {
    x.iter().enumerate().map(|(k, x)| x.along(f64::from(u8::from(k == index)))).collect()
}

/// All of them without derivatives.
pub(crate) fn constant<P: Along>(x: &[P]) -> Vec<P::Dual> {
    x.iter().map(|x| x.along(0.0)).collect()
}
