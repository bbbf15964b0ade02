//! Approximate equality of the types over `f64`, number by number, by the traits of the `approx` crate.
//!
//! Quaternions are compared as four numbers: `q` and `−q` differ.

use super::{Force, Inertia, Motion, Quaternion, Symmetric3, Transform};
use approx::{AbsDiffEq, RelativeEq};

macro_rules! compare_numbers {
    ($($type:ident: |$a:ident| $numbers:expr;)*) => { $(
        impl AbsDiffEq for $type<f64> {
            type Epsilon = f64;
            fn default_epsilon() -> f64 {
                f64::default_epsilon()
            }
            /// Whether every number differs by at most `epsilon`.
            fn abs_diff_eq(&self, other: &Self, epsilon: f64) -> bool {
                let of = |$a: &Self| $numbers;
                of(self).iter().zip(of(other)).all(|(a, b)| a.abs_diff_eq(&b, epsilon))
            }
        }

        impl RelativeEq for $type<f64> {
            fn default_max_relative() -> f64 {
                f64::default_max_relative()
            }
            /// Whether every number differs by at most `epsilon`, or by `max_relative` of the larger one.
            fn relative_eq(&self, other: &Self, epsilon: f64, max_relative: f64) -> bool {
                let of = |$a: &Self| $numbers;
                of(self).iter().zip(of(other)).all(|(a, b)| a.relative_eq(&b, epsilon, max_relative))
            }
        }
    )* };
}
compare_numbers! {
    Motion: |m| m.to_array();
    Force: |f| f.to_array();
    Quaternion: |q| q.to_array();
    Symmetric3: |s| s.to_array();
    Transform: |x| {
        let (r, p) = (&x.rotation, &x.translation);
        [r.m11, r.m21, r.m31, r.m12, r.m22, r.m32, r.m13, r.m23, r.m33, p.x, p.y, p.z]
    };
    Inertia: |y| {
        let (c, r) = (y.com, y.rotational);
        [y.mass, c.x, c.y, c.z, r.xx, r.xy, r.xz, r.yy, r.yz, r.zz]
    };
}
