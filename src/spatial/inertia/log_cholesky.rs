//! Parameters of an inertia that are always physical: ten numbers without any constraint.
//!
//! C. Rucker, P. Wensing, *Smooth parameterization of rigid-body inertia*, RA-L 7(2), 2022. A body with mass in three
//! dimensions has a positive definite pseudo-inertia `J`, 4×4 ([`Inertia::pseudo_inertia`]), and so a Cholesky factor,
//! upper triangular with positive diagonal; its logarithms and the other entries are free:
//!
//! ```text
//!                        ⎡ exp d₁   s₁₂     s₁₃     t₁ ⎤
//! J = U Uᵀ,   U = exp(α) ⎢   0     exp d₂   s₂₃     t₂ ⎥
//!                        ⎢   0       0     exp d₃   t₃ ⎥
//!                        ⎣   0       0       0      1  ⎦
//! ```
//!
//! So the mass is `exp(2 α)`, the center of mass `t`, and the second moments of mass about it, for one kilogram, the
//! square of the upper left block.

use super::{Inertia, InertiaError};
use crate::spatial::Symmetric3;
use gradyn_derivatives::Real;
use nalgebra::{SMatrix, Vector3};

/// Log-Cholesky parameters `θ = [α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃]` of an inertia.
///
/// Any ten finite numbers are the parameters of a body that can exist, and a body with mass in three dimensions has
/// exactly one such set: an identification over `θ` needs no constraints.
///
/// ```
/// use gradyn::spatial::{Inertia, LogCholesky};
///
/// let inertia = LogCholesky::from_array([0.3, -1.0, -0.5, -2.0, 0.1, 0.0, -0.2, 0.05, 0.0, 0.4]).inertia();
/// assert!(inertia.validity().is_ok());
/// let again = inertia.log_cholesky()?;
/// assert!((again.scale - 0.3).abs() < 1e-12);
/// # Ok::<(), gradyn::spatial::InertiaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogCholesky<T> {
    /// `α`, half the logarithm of the mass in kg.
    pub scale: T,
    /// `d₁, d₂, d₃`: logarithms of lengths in m.
    pub stretch: [T; 3],
    /// `s₁₂, s₂₃, s₁₃`, m.
    pub shear: [T; 3],
    /// `t`: the center of mass, m.
    pub com: Vector3<T>,
}

/// `∂π/∂θ`, 10 × 10.
pub type ParameterJacobian<T> = SMatrix<T, 10, 10>;

impl<T: Real> LogCholesky<T> {
    /// From `θ`.
    #[must_use]
    pub fn from_array([alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3]: [T; 10]) -> Self {
        Self { scale: alpha, stretch: [d1, d2, d3], shear: [s12, s23, s13], com: Vector3::new(t1, t2, t3) }
    }

    /// `θ`
    #[must_use]
    pub fn to_array(&self) -> [T; 10] {
        let ([d1, d2, d3], [s12, s23, s13]) = (self.stretch, self.shear);
        [self.scale, d1, d2, d3, s12, s23, s13, self.com.x, self.com.y, self.com.z]
    }

    /// The inertia; physical for any finite parameters that do not overflow.
    #[must_use]
    pub fn inertia(&self) -> Inertia<T> {
        let ([d1, d2, d3], [s12, s23, s13]) = (self.stretch, self.shear);
        let (e1, e2, e3) = (d1.exp(), d2.exp(), d3.exp());
        let second = Symmetric3::new(
            e1 * e1 + s12 * s12 + s13 * s13,
            s12 * e2 + s13 * s23,
            s13 * e3,
            e2 * e2 + s23 * s23,
            s23 * e3,
            e3 * e3,
        );
        Inertia::from_unit((self.scale * 2.0).exp(), self.com, second.trace_minus())
    }

    /// `∂π/∂θ`: how the ten parameters of [`Inertia::to_parameters`] change, the moments about the frame's origin.
    ///
    /// `Y ∂π/∂θ` with a [regressor](crate::dynamics::torque_regressor) `Y` are the derivatives of torques. Regular
    /// wherever `θ` is finite (Rucker & Wensing, section III).
    #[must_use]
    pub fn jacobian(&self) -> ParameterJacobian<T> {
        let ([d1, d2, d3], [s12, s23, s13], t) = (self.stretch, self.shear, self.com);
        let (e1, e2, e3, m) = (d1.exp(), d2.exp(), d3.exp(), (self.scale * 2.0).exp());
        let o = T::zero();
        let mut jacobian = SMatrix::from_element(o);
        // π is proportional to exp(2 α).
        let parameters = self.inertia().to_parameters();
        for (row, x) in parameters.into_iter().enumerate() {
            jacobian[(row, 0)] = x * 2.0;
        }
        // Derivatives of the second moments of mass about the origin, of one kilogram: xx, xy, xz, yy, yz, zz.
        let (two, u) = (T::from(2.0), T::one());
        let by_moments = [
            (1, [two * e1 * e1, o, o, o, o, o]),
            (2, [o, s12 * e2, o, two * e2 * e2, o, o]),
            (3, [o, o, s13 * e3, o, s23 * e3, two * e3 * e3]),
            (4, [two * s12, e2, o, o, o, o]),
            (5, [o, s13, o, two * s23, e3, o]),
            (6, [two * s13, s23, e3, o, o, o]),
            (7, [two * t.x, t.y, t.z, o, o, o]),
            (8, [o, t.x, o, two * t.y, t.z, o]),
            (9, [o, o, t.x, o, t.y, two * t.z]),
        ];
        for (column, [xx, xy, xz, yy, yz, zz]) in by_moments {
            let i = Symmetric3::new(xx, xy, xz, yy, yz, zz).trace_minus();
            for (row, x) in [i.xx, i.xy, i.yy, i.xz, i.yz, i.zz].into_iter().enumerate() {
                jacobian[(4 + row, column)] = x * m;
            }
        }
        for k in 0..3 {
            jacobian[(1 + k, 7 + k)] = u * m;
        }
        jacobian
    }
}

/// Semi-axes of the mass may differ by this factor: beyond, logarithms are made of rounding errors.
const FLAT: f64 = 1e-7;

impl Inertia<f64> {
    /// The log-Cholesky parameters of this inertia.
    ///
    /// # Errors
    /// [`InertiaError::Flat`] if the body has no mass, or none in some direction (a point, a rod, a plate: one
    /// semi-axis below 1e-7 of the largest): there are no finite parameters then. Else as [`validity`](Self::validity).
    pub fn log_cholesky(&self) -> Result<LogCholesky<f64>, InertiaError> {
        self.validity()?;
        // The second moments of mass of one kilogram, S = U Uᵀ: the last column of U first.
        let s = self.unit_rotational().half_trace_minus();
        let flat = || InertiaError::Flat { mass: self.mass, second_moments: [s.xx, s.yy, s.zz].map(|x| x * self.mass) };
        let floor = FLAT * FLAT * s.trace();
        let root = |square: f64| if self.mass > 0.0 && square > floor { Ok(square.sqrt()) } else { Err(flat()) };
        let e3 = root(s.zz)?;
        let (s13, s23) = (s.xz / e3, s.yz / e3);
        let e2 = root(s.yy - s23 * s23)?;
        let s12 = (s.xy - s13 * s23) / e2;
        let e1 = root(s.xx - s12 * s12 - s13 * s13)?;
        Ok(LogCholesky {
            scale: self.mass.ln() * 0.5,
            stretch: [e1.ln(), e2.ln(), e3.ln()],
            shear: [s12, s23, s13],
            com: self.com,
        })
    }
}
