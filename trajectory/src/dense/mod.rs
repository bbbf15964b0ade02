//! Small dense factors and products: what the [linear-quadratic kernel](crate::riccati) is made of.

mod ldl;
mod qr;

pub(crate) use ldl::Ldl;
pub(crate) use qr::{Qr, add, dot};
