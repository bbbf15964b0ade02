//! A helical joint that closes a loop: its row in the midst is a coordinate along the axis, less the pitch times the angle about it.
//!
//! With the axis n and e, f across it, fixed in A, and a direction e' fixed in B, `c = e·e'` and `s = f·e'` are linear in poses:
//!
//! ```text
//! e = n·d − h θ ,   θ = atan2(s, c) ,   θ̇ = (c ṡ − s ċ)/ρ ,   θ̈ = (c s̈ − s c̈ − ρ̇ θ̇)/ρ ,   ρ = c² + s²
//! ```

use super::held::Shares;
use crate::error::SensitivityError;
use gradyn::Transform;
use gradyn::spatial::exp3;
use nalgebra::{Matrix3, Matrix4, Vector3};

/// What it takes away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    /// `h`, m/rad.
    pitch: f64,
    /// Of c and of s.
    weights: [Matrix4<f64>; 2],
}

/// The error of the row at a pose of B in A.
type RowAt<'a> = &'a mut dyn FnMut(&Transform<f64>) -> Result<f64, SensitivityError>;

impl Thread {
    /// Its row: those of a cylindrical joint come before and after.
    pub(super) const ROW: usize = 2;

    /// `−h δθ`, and of the rates, from poses with their two rates and what changes of these.
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

    /// From the weights of the other rows and the row itself: also the weights of the coordinate along the axis.
    pub(super) fn read(
        others: &[Matrix4<f64>],
        row: RowAt<'_>,
    ) -> Result<Option<(Self, Matrix4<f64>)>, SensitivityError> {
        let [along_e, along_f, tilt, _] = others else { return Ok(None) };
        let column = |g: &Matrix4<f64>| g.fixed_view::<3, 1>(0, 3).into_owned();
        let turned = |g: &Matrix4<f64>| g.fixed_view::<3, 3>(0, 0).into_owned();
        let (e, f) = (column(along_e), column(along_f));
        let n = e.cross(&f);
        // The point of B, and the axis in B.
        let (point, axis) = (turned(along_e).tr_mul(&e), turned(tilt).tr_mul(&e));
        let block = |from: Vector3<f64>, to: Vector3<f64>| {
            let mut g = Matrix4::zeros();
            g.fixed_view_mut::<3, 3>(0, 0).copy_from(&(from * to.transpose()));
            g
        };
        let mut along = block(n, point);
        along.fixed_view_mut::<3, 1>(0, 3).copy_from(&n);
        // B with the axes upon each other and its point at A's origin.
        let first = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
        let second = axis.cross(&first);
        let upright = Matrix3::from_columns(&[e, f, n]) * Matrix3::from_columns(&[first, second, axis]).transpose();
        let mut at = |r: Matrix3<f64>| row(&Transform::new(r, -(r * point)));
        // −h times the angle, up to whole turns: of two steps one at most jumps.
        let here = at(upright)?;
        let (half, whole) = (at(exp3(n * 0.5) * upright)?, at(exp3(n) * upright)?);
        let step = if (half - here).abs() < (whole - half).abs() { half - here } else { whole - half };
        let pitch = -2.0 * step;
        if pitch.abs() < f64::MIN_POSITIVE {
            return Ok(None);
        }
        // A half turn about e makes the angle α of e' its opposite; another half turn about n changes no derivative.
        let back = at(exp3(e * std::f64::consts::PI) * upright)?;
        let (sin, cos) = ((back - here) / (2.0 * pitch)).sin_cos();
        let direction = first * cos + second * sin;
        Ok(Some((Self { pitch, weights: [block(e, direction), block(f, direction)] }, along)))
    }
}
