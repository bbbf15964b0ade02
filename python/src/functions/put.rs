//! Numbers of the engine into arrays.

use gradyn::dynamics::Tensor3;
use gradyn::nalgebra::{DMatrix, Vector3};
use gradyn::{Force, Motion, Transform};

/// Numbers that can be put into an array.
pub(super) trait Put {
    fn put(&self, to: &mut [f64]);
}

impl Put for [f64] {
    #[inline]
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self);
    }
}

impl Put for f64 {
    fn put(&self, to: &mut [f64]) {
        to[0] = *self;
    }
}

impl Put for DMatrix<f64> {
    #[inline]
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for gradyn::nalgebra::DVector<f64> {
    #[inline]
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for Vector3<f64> {
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for Motion<f64> {
    fn put(&self, to: &mut [f64]) {
        self.linear.put(&mut to[..3]);
        self.angular.put(&mut to[3..]);
    }
}

impl Put for Force<f64> {
    fn put(&self, to: &mut [f64]) {
        self.linear.put(&mut to[..3]);
        self.angular.put(&mut to[3..]);
    }
}

impl Put for Transform<f64> {
    /// Column by column.
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.matrix4().as_slice());
    }
}

impl Put for Tensor3<f64> {
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for [DMatrix<f64>] {
    fn put(&self, to: &mut [f64]) {
        let mut rest = to;
        for matrix in self {
            let (own, behind) = rest.split_at_mut(matrix.len());
            matrix.put(own);
            rest = behind;
        }
    }
}

/// Of a frame that the model does not have: none passes the checks of names.
pub(super) fn still() -> Motion<f64> {
    Motion::new(Vector3::zeros(), Vector3::zeros())
}

/// `put!(to = from; …)`
macro_rules! put {
    ($($to:ident = $from:expr);* $(;)?) => { { $($from.put($to);)* } };
}
pub(super) use put;
