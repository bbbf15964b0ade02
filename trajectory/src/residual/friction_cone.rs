//! The force of a contact relative to a friction cone of plane facets.
//!
//! With the axes `x y n` of the surface, n its normal, the directions `t_i = cos(2πi/k) x + sin(2πi/k) y` of k facets,
//! and the force `f` on the foot, the foot does not slip while
//!
//! ```text
//! (±t_i − μ n) · f ≤ 0 ,  i < k/2        least ≤ n · f ≤ most
//! ```
//!
//! Facets touch the cone `|f_t| ≤ μ n·f` from outside. From [inside](FrictionCone::inside) they touch it with
//! `μ cos(π/k)` for μ.

use super::force_rows::{ForceRows, check_axes};
use super::{Depends, Jacobian, PhaseInfo, Residual, ResidualPoint};
use crate::fault::{ProblemError, ProblemPlace, Reason};
use crate::loss::Loss;
use nalgebra::{DMatrix, Matrix3, Vector3};
use std::f64::consts::PI;

/// `r = ((±t_i − μ n) · f …, n · f)`, facets + 1 numbers, N, of the force on the robot at a contact.
///
/// Of contacts of six rows it is the force that counts. [`loss`](Self::loss) is the barrier that keeps it in the cone.
/// Rows are those of Crocoddyl's `FrictionCone`.
///
/// ```
/// use gradyn_trajectory::Cost;
/// use gradyn_trajectory::residual::FrictionCone;
/// let cone = FrictionCone::of("FL").friction(0.7);
/// let cost = Cost::new("FL does not slip", cone.clone()).loss(cone.loss()).weight(10.0);
/// # let _ = cost;
/// ```
#[derive(Clone, Debug)]
#[doc(alias("ResidualModelContactFrictionCone", "friction pyramid"))]
pub struct FrictionCone {
    force: ForceRows,
    friction: f64,
    facets: usize,
    inside: bool,
    surface: Matrix3<f64>,
    normal: [f64; 2],
}

impl FrictionCone {
    /// Of a contact, by name: friction 0.7, four facets outside of the cone, level ground that does not pull.
    #[must_use]
    pub fn of(contact: impl Into<String>) -> Self {
        Self {
            force: ForceRows::of(&contact.into()),
            friction: 0.7,
            facets: 4,
            inside: false,
            surface: Matrix3::identity(),
            normal: [0.0, f64::INFINITY],
        }
    }
    /// With this coefficient μ.
    #[must_use]
    pub fn friction(mut self, coefficient: f64) -> Self {
        self.friction = coefficient;
        self
    }
    /// With so many facets, an even number.
    #[must_use]
    pub fn facets(mut self, count: usize) -> Self {
        self.facets = count;
        self
    }
    /// With facets inside of the cone, so that what they allow is never too much.
    #[must_use]
    pub fn inside(mut self) -> Self {
        self.inside = true;
        self
    }
    /// On a surface whose axes in the world are the columns of this rotation; the third is its normal.
    #[must_use]
    pub fn surface(mut self, axes: Matrix3<f64>) -> Self {
        self.surface = axes;
        self
    }
    /// With a normal force from `least` to `most`, N.
    #[must_use]
    pub fn normal_force(mut self, least: f64, most: f64) -> Self {
        self.normal = [least, most];
        self
    }

    /// `½ |what is outside|²`
    #[must_use]
    pub fn loss(&self) -> Loss {
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; self.facets], vec![0.0; self.facets]);
        lower.push(self.normal[0]);
        upper.push(self.normal[1]);
        Loss::QuadraticBarrier { lower, upper }
    }

    /// What the force is multiplied by.
    fn directions(&self) -> Vec<Vector3<f64>> {
        let sector = 2.0 * PI / self.facets as f64;
        let friction = if self.inside { self.friction * (0.5 * sector).cos() } else { self.friction };
        let normal = self.surface.column(2).into_owned();
        let mut rows = Vec::with_capacity(self.facets + 1);
        for i in 0..self.facets / 2 {
            let angle = sector * i as f64;
            let along = self.surface.column(0) * angle.cos() + self.surface.column(1) * angle.sin();
            rows.push(along - normal * friction);
            rows.push(-along - normal * friction);
        }
        rows.push(normal);
        rows
    }

    fn check(&self, place: &ProblemPlace) -> Result<(), ProblemError> {
        let number = |what, value, rule| Err(ProblemError::Number { place: place.clone(), what, value, rule });
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return number("the coefficient of friction", self.friction, "it must be finite and not negative");
        }
        if self.facets < 4 || !self.facets.is_multiple_of(2) {
            return number("the number of facets", self.facets as f64, "it must be even, and at least four");
        }
        check_axes(&self.surface, place.part("axes of the surface"))
    }
}

impl Residual for FrictionCone {
    fn rows(&self) -> usize {
        self.facets + 1
    }
    fn depends(&self) -> Depends {
        Depends::F
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let place = phase.place.part(format!("friction cone of `{}`", self.force.contact()));
        self.check(&place)?;
        let found = self.force.bind_force(phase, &place)?;
        let mut matrix = DMatrix::zeros(self.facets + 1, found);
        for (i, row) in self.directions().iter().enumerate() {
            matrix.view_mut((i, 0), (1, 3)).copy_from(&row.transpose());
        }
        self.force.matrix = matrix;
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use gradyn::Model;
    use gradyn::model::ModelBuilder;
    use serde_json::Value;

    fn numbers(x: &Value) -> Vec<f64> {
        match x {
            Value::Array(list) => list.iter().flat_map(numbers).collect(),
            x => vec![x.as_f64().expect("a number")],
        }
    }

    #[test]
    fn rows_are_those_of_crocoddyl() {
        let golden: Value = serde_json::from_str(include_str!("../../tests/golden/crocoddyl.json")).expect("is JSON");
        let cones = golden["friction_cones"].as_array().expect("a list");
        assert!(!cones.is_empty());
        for expected in cones {
            let cone = FrictionCone::of("foot")
                .friction(expected["friction"].as_f64().expect("a number"))
                .facets(numbers(&expected["facets"])[0] as usize)
                .surface(Matrix3::from_row_slice(&numbers(&expected["surface"])));
            let cone = if expected["inside"] == true { cone.inside() } else { cone };
            let found: Vec<f64> = cone.directions().iter().flat_map(|row| [row.x, row.y, row.z]).collect();
            let expected = numbers(&expected["rows"]);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                // Rounding of numbers of about one.
                assert!((found - expected).abs() < 1e-14, "{found} {expected}");
            }
        }
    }

    fn robot() -> Model {
        ModelBuilder::new("none").build().expect("a robot without bodies is one")
    }

    #[test]
    fn what_is_no_cone_is_refused_by_name() {
        let model = robot();
        let contacts =
            [crate::step::ContactRows { name: "foot".into(), rows: 3..6, constraint: None, normal: Vector3::z() }];
        let place = ProblemPlace::Argument("stand");
        let phase =
            PhaseInfo { name: "stand", place: &place, model: &model, nu: 0, contacts: &contacts, remembered: 0 };
        assert_eq!(FrictionCone::of("foot").bind(&phase), Ok(()));
        let refused = |mut cone: FrictionCone| cone.bind(&phase).expect_err("is refused").to_string();
        assert!(refused(FrictionCone::of("hand")).contains("`hand`"));
        assert!(refused(FrictionCone::of("foot").friction(-0.1)).contains("-0.1"));
        assert!(refused(FrictionCone::of("foot").friction(f64::NAN)).contains("NaN"));
        assert!(refused(FrictionCone::of("foot").facets(5)).contains('5'));
        assert!(refused(FrictionCone::of("foot").surface(Matrix3::identity() * 2.0)).contains("axes of the surface"));
    }
}
