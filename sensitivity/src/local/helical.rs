//! A helical joint that closes a loop: its middle row is the coordinate along the axis, minus the pitch times the angle
//! about it.
//!
//! With the axis n and e, f across it, fixed in A, and a direction e' fixed in B, `c = e·e'` and `s = f·e'` are linear
//! in poses:
//!
//! ```text
//! e = n·d − h θ ,   θ = atan2(s, c) ,   θ̇ = (c ṡ − s ċ)/ρ ,   θ̈ = (c s̈ − s c̈ − ρ̇ θ̇)/ρ ,   ρ = c² + s²
//! ```

use super::linear::{Shares, angle};
use gradyn::Transform;
use gradyn::joint::{Elementary, Planar};
use nalgebra::Matrix4;

/// The subtracted angle.
#[derive(Clone, Copy, Debug)]
pub(super) struct HelicalRow {
    /// `h`, m/rad.
    pitch: f64,
    /// The weights of c and of s.
    weights: [Matrix4<f64>; 2],
}

impl HelicalRow {
    /// Its row: those of a cylindrical joint come before and after.
    pub(super) const ROW: usize = 2;

    /// `None` for other joints.
    pub(super) fn of(joint: &Elementary, x_a: &Transform<f64>, x_b: &Transform<f64>) -> Option<Self> {
        let Elementary::Helical(joint) = joint else { return None };
        let (e, f) = Planar::new(joint.axis).in_plane();
        let weights = [e, f].map(|n| angle(x_a.vector(n), x_b.vector(e)));
        Some(Self { pitch: joint.pitch, weights })
    }

    /// `−h δθ`, and the same of the rates, from poses with their two rates and the changes of these.
    pub(super) fn moved(&self, values: &[Matrix4<f64>; 3], moved: &[Matrix4<f64>; 3], shares: Shares) -> f64 {
        let [c, s] = self.weights.map(|g| values.map(|x| g.dot(&x)));
        let [dc, ds] = self.weights.map(|g| moved.map(|x| g.dot(&x)));
        let square = c[0] * c[0] + s[0] * s[0];
        let square_rate = 2.0 * (c[0] * c[1] + s[0] * s[1]);
        let rate = (c[0] * s[1] - s[0] * c[1]) / square;
        let second = (c[0] * s[2] - s[0] * c[2] - square_rate * rate) / square;
        let d_square = 2.0 * (c[0] * dc[0] + s[0] * ds[0]);
        let d_square_rate = 2.0 * (dc[0] * c[1] + c[0] * dc[1] + ds[0] * s[1] + s[0] * ds[1]);
        // c x − s y, of rates x of s and y of c.
        let d_across = |k: usize| dc[0] * s[k] + c[0] * ds[k] - ds[0] * c[k] - s[0] * dc[k];
        let d_angle = (c[0] * ds[0] - s[0] * dc[0]) / square;
        let d_rate = (d_across(1) - rate * d_square) / square;
        let d_second = (d_across(2) - d_square_rate * rate - square_rate * d_rate - second * d_square) / square;
        -self.pitch * (shares.error * d_angle + shares.rate * d_rate + shares.acceleration * d_second)
    }
}
