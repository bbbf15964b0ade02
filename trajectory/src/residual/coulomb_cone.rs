//! The force of a contact relative to the cone of dry friction itself, without facets.
//!
//! With the axes `x y n` of the surface, n its normal, the coefficient μ and the force `f` on the foot, the foot does
//! not slip while
//!
//! ```text
//! (μ n·f, x·f, y·f)   is in the second-order cone   t ≥ |w| ,       that is   |f_t| ≤ μ n·f
//! ```
//!
//! C. A. de Coulomb, *Théorie des machines simples*, 1785; as a cone: F. Alizadeh and D. Goldfarb, *Second-order cone
//! programming*, Mathematical Programming 95 (2003). [`FrictionCone`](super::FrictionCone) has plane facets instead.

use super::force_rows::{ForceRows, check_axes, wrench_in};
use super::{Depends, Jacobian, PhaseInfo, Residual, ResidualPoint};
use crate::fault::{ProblemError, ProblemPlace, Reason};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// `r = (μ n·f, x·f, y·f)`, 3 numbers, N (of impulses N s), of the force on the robot at a contact.
///
/// Of contacts of six rows it is the force that counts. To be kept by
/// [`PathConstraint::second_order_cone`](crate::PathConstraint::second_order_cone): the ground then neither pulls nor
/// lets the foot slip.
#[derive(Clone, Debug)]
#[doc(alias("friction", "Coulomb friction"))]
pub struct CoulombCone {
    contact: String,
    friction: f64,
    surface: Matrix3<f64>,
    force: ForceRows,
}

impl CoulombCone {
    /// Of a contact of the phase, by name: friction 0.7, level ground.
    #[must_use]
    pub fn of(contact: impl Into<String>) -> Self {
        let contact = contact.into();
        let force = ForceRows::of(&contact);
        Self { contact, friction: 0.7, surface: Matrix3::identity(), force }
    }
    /// With this coefficient μ.
    #[must_use]
    pub fn friction(mut self, coefficient: f64) -> Self {
        self.friction = coefficient;
        self
    }
    /// On a surface whose axes in the world are the columns of this rotation; the third is its normal.
    #[must_use]
    pub fn surface(mut self, axes: Matrix3<f64>) -> Self {
        self.surface = axes;
        self
    }
    /// On a surface with this normal, in axes of the world, away from the ground; of any length.
    #[must_use]
    pub fn normal(mut self, normal: Vector3<f64>) -> Self {
        let n = normal.normalize();
        // Any two axes across it will do. The one of the world that is least along it is never parallel to it.
        let x = Matrix3::<f64>::identity().column(n.iamin()).cross(&n).normalize();
        self.surface = Matrix3::from_columns(&[x, n.cross(&x), n]);
        self
    }

    fn check(&self, place: &ProblemPlace) -> Result<(), ProblemError> {
        if !(self.friction.is_finite() && self.friction > 0.0) {
            let (what, rule) = ("the coefficient of friction", "it must be finite and positive");
            return Err(ProblemError::Number { place: place.clone(), what, value: self.friction, rule });
        }
        check_axes(&self.surface, place.part("axes of the surface"))
    }
}

impl Residual for CoulombCone {
    fn rows(&self) -> usize {
        3
    }
    fn depends(&self) -> Depends {
        Depends::F
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let place = phase.place.part(format!("Coulomb cone of `{}`", self.contact));
        self.check(&place)?;
        let found = self.force.bind_force(phase, &place)?;
        let axes = wrench_in(&self.surface);
        let mut matrix = DMatrix::zeros(3, found);
        matrix.row_mut(0).copy_from(&(axes.view((2, 0), (1, found)) * self.friction));
        matrix.rows_mut(1, 2).copy_from(&axes.view((0, 0), (2, found)));
        self.force.matrix = matrix;
        Ok(())
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.force.value(on.f, r);
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.force.jacobian(out);
        self.value(on, r)
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}
