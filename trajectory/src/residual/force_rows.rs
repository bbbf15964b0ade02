//! Numbers that are linear in the multipliers of one contact: `r = C f`.

use super::{Jacobian, PhaseInfo};
use crate::fault::{ProblemError, ProblemPlace};
use gradyn::Transform;
use nalgebra::{DMatrix, Matrix3, Vector3};
use std::ops::Range;

/// `r = C f`, with `f` the multipliers of a contact.
#[derive(Clone, Debug)]
pub(super) struct ForceRows {
    contact: String,
    /// C, m × rows of the contact.
    pub(super) matrix: DMatrix<f64>,
    /// Where the contact has its rows.
    rows: Range<usize>,
}

impl ForceRows {
    /// Of a contact by name; without rows until the phase is known.
    pub(super) fn of(contact: &str) -> Self {
        Self { contact: contact.into(), matrix: DMatrix::zeros(0, 0), rows: 0..0 }
    }
    /// Finds the contact: how many rows it has.
    pub(super) fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<usize, ProblemError> {
        let found = phase.contacts.iter().find(|contact| contact.name == self.contact);
        let found = found.ok_or_else(|| ProblemError::Unknown {
            place: phase.place.clone(),
            what: "contact",
            name: self.contact.clone(),
            nearest: None,
        })?;
        self.rows = found.rows.clone();
        Ok(self.rows.len())
    }
    /// Finds the contact, which must have a force and a moment.
    pub(super) fn bind_wrench(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let found = self.bind(phase)?;
        let place = phase.place.part(format!("contact `{}`", self.contact));
        place.check_length("the list of its multipliers, a force and a moment,", 6, found)
    }
    /// Finds the contact, which must have a force and at most a moment: how many rows it has.
    pub(super) fn bind_force(&mut self, phase: &PhaseInfo<'_>, place: &ProblemPlace) -> Result<usize, ProblemError> {
        let found = self.bind(phase)?;
        if found != 6 {
            place.check_length("the list of multipliers, a force and at most a moment,", 3, found)?;
        }
        Ok(found)
    }
    /// Its name.
    pub(super) fn contact(&self) -> &str {
        &self.contact
    }
    /// Where the contact has its rows.
    pub(super) fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }
    pub(super) fn value(&self, f: &[f64], r: &mut [f64]) {
        r.fill(0.0);
        for (column, f) in self.matrix.column_iter().zip(&f[self.rows.clone()]) {
            r.iter_mut().zip(column.iter()).for_each(|(r, c)| *r += c * f);
        }
    }
    pub(super) fn jacobian(&self, out: &mut Jacobian) {
        out.df.columns_mut(self.rows.start, self.rows.len()).copy_from(&self.matrix);
    }
}

/// Checks that axes are a rotation.
pub(super) fn check_axes(axes: &Matrix3<f64>, place: ProblemPlace) -> Result<(), ProblemError> {
    let valid = Transform::new(*axes, Vector3::zeros()).validity();
    valid.map_err(|error| ProblemError::Goal { place, why: error.to_string() })
}

/// Force and moment in axes whose rotation to the world is `rotation`, as a matrix, 6 × 6.
pub(super) fn wrench_in(rotation: &Matrix3<f64>) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(6, 6);
    for first in [0, 3] {
        m.fixed_view_mut::<3, 3>(first, first).copy_from(&rotation.transpose());
    }
    m
}
