//! Inertia as ten parameters, as a 6×6 matrix, and as a 4×4 pseudo-inertia.

use super::{Inertia, InertiaError, one_if_zero};
use crate::spatial::{Symmetric3, matrix6, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::{Matrix3, Matrix4, Matrix6, Vector3};

impl<T: Real> Inertia<T> {
    /// The ten parameters `[m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz]`, the moments about the frame's
    /// **origin**. Dynamics is linear in them. Units kg, kg m, kg m². Pinocchio's order (`toDynamicParameters`).
    #[inline(always)]
    #[doc(alias = "toDynamicParameters")]
    pub fn to_parameters(&self) -> [T; 10] {
        let (h, i) = (self.first_moment(), self.moment_about_origin());
        [self.mass, h.x, h.y, h.z, i.xx, i.xy, i.yy, i.xz, i.yz, i.zz]
    }

    /// From the ten parameters of [`to_parameters`](Self::to_parameters); not checked. With no mass, the center of mass
    /// is the origin and `m c` is dropped: [`try_from_parameters`](Inertia::try_from_parameters) refuses that.
    #[inline(always)]
    #[doc(alias = "FromDynamicParameters")]
    pub fn from_parameters([m, hx, hy, hz, xx, xy, yy, xz, yz, zz]: [T; 10]) -> Self {
        let massless = |h: T| m.select_lt(0.0, h, (-m).select_lt(0.0, h, T::zero()));
        let h = Vector3::new(massless(hx), massless(hy), massless(hz));
        let com = v3::scale(one_if_zero(m).recip(), h);
        Self::about_origin(m, com, Symmetric3::new(xx, xy, xz, yy, yz, zz))
    }

    /// The spatial inertia as a matrix, 6×6, linear part first: `[[m 1, −m [c]×], [m [c]×, I − m [c]×²]]`
    /// (RBDA, section 2.13).
    #[inline(always)]
    pub fn matrix6(&self) -> Matrix6<T> {
        let (m, o) = (self.mass, T::zero());
        let h = v3::skew(self.first_moment());
        let mass = Matrix3::new(m, o, o, o, m, o, o, o, m);
        matrix6::from_blocks(&mass, &h.transpose(), &h, &self.moment_about_origin().matrix())
    }

    /// The pseudo-inertia, 4×4: `[[Σ, m c], [m cᵀ, m]]` with the second moments of mass `Σ = ½ tr(I_O) 1 − I_O`. A body
    /// can exist exactly if this matrix is positive semidefinite (P. Wensing, S. Kim, J.-J. Slotine, *Linear matrix
    /// inequalities for physically consistent inertial parameter identification*, 2018).
    #[inline(always)]
    pub fn pseudo_inertia(&self) -> Matrix4<T> {
        let (m, h) = (self.mass, self.first_moment());
        let s = self.moment_about_origin().half_trace_minus();
        #[rustfmt::skip]
        let p = Matrix4::new(
            s.xx, s.xy, s.xz, h.x,
            s.xy, s.yy, s.yz, h.y,
            s.xz, s.yz, s.zz, h.z,
            h.x, h.y, h.z, m,
        );
        p
    }
}

/// How much a matrix may deviate from its pattern, relative to its largest entry of the same unit: ten digits pass.
const PATTERN_WITHIN: f64 = 1e-9;

impl Inertia<f64> {
    /// From the ten parameters of [`to_parameters`](Self::to_parameters), checked.
    ///
    /// # Errors
    /// [`InertiaError::MasslessFirstMoment`], or as [`validity`](Self::validity).
    pub fn try_from_parameters(parameters: [f64; 10]) -> Result<Self, InertiaError> {
        let [m, hx, hy, hz, ..] = parameters;
        let any = |x: &f64| x.abs() > 0.0;
        if m.abs() <= 0.0 && [hx, hy, hz].iter().any(any) {
            return Err(InertiaError::MasslessFirstMoment { first_moment: [hx, hy, hz] });
        }
        let y = Self::from_parameters(parameters);
        y.validity()?;
        Ok(y)
    }

    /// From the matrix of [`matrix6`](Self::matrix6), checked.
    ///
    /// # Errors
    /// [`InertiaError::NotAnInertiaMatrix`] for the first entry that breaks the pattern by more than 1e-9 of the
    /// largest entry in its block; otherwise as [`try_from_parameters`](Self::try_from_parameters).
    pub fn from_matrix6(matrix: &Matrix6<f64>) -> Result<Self, InertiaError> {
        let [mass, _, h, i] = matrix6::to_blocks(matrix);
        let i = Symmetric3::from_matrix(&i);
        let m = mass.trace() / 3.0;
        let h = [h.m32 - h.m23, h.m13 - h.m31, h.m21 - h.m12].map(|x| x * 0.5);

        let skew = v3::skew(Vector3::from(h));
        let expected = matrix6::from_blocks(&(Matrix3::identity() * m), &skew.transpose(), &skew, &i.matrix());
        // blocks have different units, so each has its own scale
        let scales = matrix6::to_blocks(matrix).map(|block| block.amax());
        check_pattern(matrix.as_slice(), expected.as_slice(), 6, |row, column| scales[row / 3 * 2 + column / 3])?;
        Self::try_from_parameters([m, h[0], h[1], h[2], i.xx, i.xy, i.yy, i.xz, i.yz, i.zz])
    }

    /// From the matrix of [`pseudo_inertia`](Self::pseudo_inertia), checked: `I_O = tr(Σ) 1 − Σ`.
    ///
    /// # Errors
    /// [`InertiaError::NotAnInertiaMatrix`] if it is not symmetric; otherwise as
    /// [`try_from_parameters`](Self::try_from_parameters).
    pub fn from_pseudo_inertia(p: &Matrix4<f64>) -> Result<Self, InertiaError> {
        let expected = (p + p.transpose()) * 0.5;
        let sigma = p.fixed_view::<3, 3>(0, 0).into_owned();
        let h = [expected.m14, expected.m24, expected.m34];
        let scales = [sigma.amax(), h.iter().fold(0.0_f64, |m, x| m.max(x.abs())), p.m44.abs()];
        check_pattern(p.as_slice(), expected.as_slice(), 4, |row, column| scales[row / 3 + column / 3])?;
        let i = Symmetric3::from_matrix(&sigma).trace_minus();
        Self::try_from_parameters([p.m44, h[0], h[1], h[2], i.xx, i.xy, i.yy, i.xz, i.yz, i.zz])
    }
}

/// Checks that two matrices of `rows` rows, stored by columns, are equal within [`PATTERN_WITHIN`] of the scale of each
/// entry.
fn check_pattern(
    given: &[f64],
    expected: &[f64],
    rows: usize,
    scale: impl Fn(usize, usize) -> f64,
) -> Result<(), InertiaError> {
    for (k, (&value, &expected)) in given.iter().zip(expected).enumerate() {
        let (row, column) = (k % rows, k / rows);
        let fits = (value - expected).abs() <= PATTERN_WITHIN * scale(row, column);
        if !fits {
            return Err(InertiaError::NotAnInertiaMatrix { row, column, value, expected });
        }
    }
    Ok(())
}
