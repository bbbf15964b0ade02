//! A constraint of a phase: a residual that is zero, stays between bounds, or in a cone.

use crate::cost::Where;
use crate::fault::{ProblemError, ProblemPlace};
use crate::residual::{Affine, Residual};

/// A constraint that holds at nodes: `r(x, u) = 0`, or `lower ≤ r(x, u) ≤ upper`, row by row, or `r(x, u)` in a
/// second-order cone.
///
/// Rows whose bounds are equal are equalities. A bound may be infinite. [`crate::solver`] lists the solvers that
/// support constraints.
///
/// ```
/// use gradyn_trajectory::PathConstraint;
/// use gradyn_trajectory::residual::{Control, CoulombCone};
/// let slip = PathConstraint::second_order_cone("FL does not slip", CoulombCone::of("FL").friction(0.7));
/// let torque = PathConstraint::norm_at_most("torque", Control::zero(), 20.0);
/// # let _ = (slip, torque);
/// ```
#[derive(Debug)]
#[doc(alias("StageConstraint", "ConstraintModel"))]
pub struct PathConstraint {
    pub(crate) name: String,
    pub(crate) residual: Box<dyn Residual>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    /// Whether `r` is in a second-order cone. It then has no bounds.
    pub(crate) is_cone: bool,
    pub(crate) place: Where,
    /// Goals of single nodes.
    pub(crate) goals: Vec<(usize, Vec<f64>)>,
}

impl PathConstraint {
    /// `r = 0`.
    pub fn equal(name: impl Into<String>, residual: impl Residual + 'static) -> Self {
        Self::boxed(name, Box::new(residual), vec![0.0], vec![0.0])
    }
    /// `lower ≤ r ≤ upper`: one number for all rows, or one per row.
    pub fn within(name: impl Into<String>, residual: impl Residual + 'static, lower: &[f64], upper: &[f64]) -> Self {
        Self::boxed(name, Box::new(residual), lower.to_vec(), upper.to_vec())
    }
    /// `r ≥ lower` in all rows.
    pub fn at_least(name: impl Into<String>, residual: impl Residual + 'static, lower: f64) -> Self {
        Self::boxed(name, Box::new(residual), vec![lower], vec![f64::INFINITY])
    }
    /// `r ≤ upper` in all rows.
    pub fn at_most(name: impl Into<String>, residual: impl Residual + 'static, upper: f64) -> Self {
        Self::boxed(name, Box::new(residual), vec![f64::NEG_INFINITY], vec![upper])
    }
    /// [`within`](Self::within), for a residual whose kind is not known at compile time.
    pub fn boxed(name: impl Into<String>, residual: Box<dyn Residual>, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        Self { name: name.into(), residual, lower, upper, is_cone: false, place: Where::Along, goals: Vec::new() }
    }
    /// `r = (t, w)` in the second-order cone `t ≥ |w|`, the first row t. [`Affine`] makes such rows from other
    /// residuals, [`CoulombCone`](crate::residual::CoulombCone) from a contact's force. Supported by
    /// [`Newton`](crate::Newton) and [`Proximal`](crate::Proximal).
    #[doc(alias("Lorentz cone", "ice cream cone", "SOC"))]
    pub fn second_order_cone(name: impl Into<String>, residual: impl Residual + 'static) -> Self {
        Self::boxed_cone(name, Box::new(residual))
    }
    /// `|r| ≤ radius`, the norm of all rows together: the cone of `(radius, r)`. The radius must be positive, in units
    /// of r. A zero radius is an [equality](Self::equal).
    pub fn norm_at_most(name: impl Into<String>, residual: impl Residual + 'static, radius: f64) -> Self {
        Self::second_order_cone(name, Affine::ball(Box::new(residual), radius))
    }
    /// [`second_order_cone`](Self::second_order_cone), for a residual whose kind is not known at compile time.
    pub fn boxed_cone(name: impl Into<String>, residual: Box<dyn Residual>) -> Self {
        let (lower, upper) = (vec![f64::NEG_INFINITY], vec![f64::INFINITY]);
        Self { is_cone: true, ..Self::boxed(name, residual, lower, upper) }
    }
    /// At these nodes of the phase only.
    #[must_use]
    pub fn only_at(mut self, nodes: &[usize]) -> Self {
        self.place = Where::At(nodes.to_vec());
        self
    }
    /// With another goal of its residual at one node of the phase.
    #[must_use]
    pub fn goal_at(mut self, node: usize, goal: Vec<f64>) -> Self {
        self.goals.push((node, goal));
        self
    }
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bounds of so many rows, each checked.
    pub(crate) fn bounds(&self, rows: usize, place: &ProblemPlace) -> Result<(Vec<f64>, Vec<f64>), ProblemError> {
        let of = |what, x: &[f64]| match x.len() {
            1 => Ok(vec![x[0]; rows]),
            n if n == rows => Ok(x.to_vec()),
            found => Err(ProblemError::Length { place: place.clone(), what, expected: rows, found }),
        };
        let lower = of("the list of lower bounds", &self.lower)?;
        let upper = of("the list of upper bounds", &self.upper)?;
        check_bounds(place, &lower, &upper)?;
        Ok((lower, upper))
    }
}

/// Checks that there is a number between all bounds.
fn check_bounds(place: &ProblemPlace, lower: &[f64], upper: &[f64]) -> Result<(), ProblemError> {
    let none =
        |(l, u): &(&f64, &f64)| l.is_nan() || u.is_nan() || l > u || **l == f64::INFINITY || **u == f64::NEG_INFINITY;
    match lower.iter().zip(upper).find(none) {
        Some((l, _)) => Err(ProblemError::Number {
            place: place.clone(),
            what: "a lower bound",
            value: *l,
            rule: "it must be a number not above the upper one, with a finite number between them",
        }),
        None => Ok(()),
    }
}
