//! Poses as matrices: homogeneous 4×4, and the 6×6 actions on motions and forces.

use super::{PoseError, Transform};
use crate::spatial::matrix6::{self, Triangular};
use crate::spatial::vector as v3;
use gradyn_derivatives::Real;
use nalgebra::{Matrix3, Matrix4, Matrix6, Vector3};

impl<T: Real> Transform<T> {
    /// Homogeneous matrix, 4×4: `[[R, p], [0, 1]]`.
    #[inline(always)]
    #[doc(alias = "toHomogeneousMatrix")]
    pub fn matrix4(&self) -> Matrix4<T> {
        let (r, p, o, i) = (&self.rotation, &self.translation, T::zero(), T::one());
        #[rustfmt::skip]
        let m = Matrix4::new(
            r.m11, r.m12, r.m13, p.x,
            r.m21, r.m22, r.m23, p.y,
            r.m31, r.m32, r.m33, p.z,
            o,     o,     o,     i,
        );
        m
    }

    /// The action on motions, 6×6, linear part first: `[[R, [p]× R], [0, R]]` (adjoint of `x_ab`; RBDA, section 2.8).
    #[inline(always)]
    #[doc(alias("toActionMatrix", "adjoint", "Xmotion"))]
    pub fn action(&self) -> Matrix6<T> {
        matrix6::from_blocks(&self.rotation, &self.p_cross_r(), &v3::zero_matrix(), &self.rotation)
    }

    /// The action on forces, 6×6, linear part first: `[[R, 0], [[p]× R, R]]`, the inverse transpose of
    /// [`action`](Self::action) (RBDA, section 2.8).
    #[inline(always)]
    #[doc(alias("toDualActionMatrix", "Xforce"))]
    pub fn dual_action(&self) -> Matrix6<T> {
        matrix6::from_blocks(&self.rotation, &v3::zero_matrix(), &self.p_cross_r(), &self.rotation)
    }

    /// The inverse action on motions, 6×6: `[[Rᵀ, −Rᵀ [p]×], [0, Rᵀ]]`.
    #[inline(always)]
    pub fn inv_action(&self) -> Matrix6<T> {
        self.inv_action_blocks().to_matrix()
    }

    /// [`inv_action`](Self::inv_action) by blocks.
    #[inline(always)]
    pub(crate) fn inv_action_blocks(&self) -> Triangular<T> {
        Triangular { diagonal: self.rotation.transpose(), corner: self.p_cross_r().transpose() }
    }

    /// The inverse action on forces, 6×6: `[[Rᵀ, 0], [−Rᵀ [p]×, Rᵀ]]`.
    #[inline(always)]
    pub fn inv_dual_action(&self) -> Matrix6<T> {
        let rt = self.rotation.transpose();
        matrix6::from_blocks(&rt, &v3::zero_matrix(), &self.p_cross_r().transpose(), &rt)
    }

    /// `[p]× R`, with transpose `−Rᵀ [p]×`.
    #[inline(always)]
    fn p_cross_r(&self) -> Matrix3<T> {
        let (p, r) = (self.translation, &self.rotation);
        v3::from_columns(v3::cross(p, v3::column(r, 0)), v3::cross(p, v3::column(r, 1)), v3::cross(p, v3::column(r, 2)))
    }
}

impl Transform<f64> {
    /// From a homogeneous matrix, 4×4, checked.
    ///
    /// # Errors
    /// [`PoseError::BottomRow`] if the last row is not `[0, 0, 0, 1]` exactly; otherwise as
    /// [`validity`](Self::validity).
    pub fn from_matrix4(m: &Matrix4<f64>) -> Result<Self, PoseError> {
        let row = [m.m41, m.m42, m.m43, m.m44];
        let off = |x: f64, y: f64| x.is_nan() || (x - y).abs() > 0.0;
        if row.iter().zip([0.0, 0.0, 0.0, 1.0]).any(|(&x, y)| off(x, y)) {
            return Err(PoseError::BottomRow { row });
        }
        let rotation = Matrix3::new(m.m11, m.m12, m.m13, m.m21, m.m22, m.m23, m.m31, m.m32, m.m33);
        let x = Self::new(rotation, Vector3::new(m.m14, m.m24, m.m34));
        x.validity()?;
        Ok(x)
    }
}
