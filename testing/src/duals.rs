//! Numbers of another type, and of motions, forces and poses one after the other.

use gradyn::model::Model;
use gradyn::spatial::{Force, Motion, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::{Real, Scalar};

/// Constants in another number type.
pub fn lift<T: Scalar>(x: &[f64]) -> Vec<T> {
    x.iter().map(|x| T::from(*x)).collect()
}

/// `x + ε dx`
pub fn dual(x: &[f64], dx: &[f64]) -> Vec<Dual64> {
    assert_eq!(x.len(), dx.len());
    x.iter().zip(dx).map(|(x, dx)| Dual64::new(*x, *dx)).collect()
}

/// `q ⊕ ε v`
pub fn moved(model: &Model, q: &[f64], v: &[f64]) -> Vec<Dual64> {
    let mut rate = vec![0.0; q.len()];
    model.q_dot_into(q, v, &mut rate).expect("fits");
    dual(q, &rate)
}

/// The unit vector along axis `k`.
pub fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}

/// Derivatives in ε.
pub fn eps(x: &[Dual64]) -> Vec<f64> {
    x.iter().map(|x| x.eps).collect()
}

/// Both, linear part first.
pub fn motion<T: Real>(m: Motion<T>) -> [T; 6] {
    [m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z]
}

/// Both, linear part first.
pub fn force<T: Real>(f: Force<T>) -> [T; 6] {
    [f.linear.x, f.linear.y, f.linear.z, f.angular.x, f.angular.y, f.angular.z]
}

/// Rotation, column by column, then translation.
pub fn entries<T: Copy>(x: &Transform<T>) -> Vec<T> {
    x.rotation.iter().chain(x.translation.iter()).copied().collect()
}
