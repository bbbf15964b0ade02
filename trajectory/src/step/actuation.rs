//! Errors of actuations, as those of problems.

use crate::fault::{ProblemError, ProblemPlace};
use gradyn::Model;
use gradyn::model::Actuation;

/// Checks that it fits the robot.
pub(crate) fn check(actuation: &Actuation, place: &ProblemPlace, model: &Model) -> Result<(), ProblemError> {
    place.check_length("the actuation matrix, by rows,", model.nv(), actuation.degrees_of_freedom())?;
    actuation.check(model).map_err(|error| ProblemError::Input { place: place.clone(), error: Box::new(error) })
}
