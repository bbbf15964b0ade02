//! What would have been claimed if one of the usual mistakes had been made with a robot.

use super::claim::{State, row_major};
use super::{Guess, Quantity};
use crate::dynamics::{ReferenceFrame, Workspace, frame_jacobian};
use crate::model::{InputError, Model};
use crate::partials::StateJacobian;
use nalgebra::DMatrix;

type Mistakes = Vec<(Guess, Vec<f64>)>;

/// Of a derivative, whose right value is `exact`; `all` holds those by the other variables.
pub(super) fn of_derivative(
    model: &Model,
    quantity: Quantity,
    state: &State<'_>,
    all: &StateJacobian,
    exact: &DMatrix<f64>,
) -> Result<Mistakes, InputError> {
    let mut mistakes = Mistakes::new();
    let mut add = |guess: Guess, matrix: &DMatrix<f64>| mistakes.push((guess, row_major(matrix)));
    if let Quantity::FrameJacobian(frame, right) = quantity {
        let mut ws = Workspace::new(model);
        for reference in [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned] {
            let (found, expected) = (reference.name().to_owned(), right.name().to_owned());
            add(Guess::Frame { found, expected }, frame_jacobian(model, &mut ws, state.q, frame, reference)?);
        }
        add(Guess::LinearAngularSwapped, &DMatrix::from_fn(6, model.nv(), |i, j| exact[((i + 3) % 6, j)]));
    }
    for (name, matrix) in [("by q", &all.dq), ("by v", &all.dv), ("by a or τ", &all.du)] {
        if matrix.shape() == exact.shape() && matrix != exact {
            add(Guess::PartsExchanged { found: name.to_owned() }, matrix);
        }
    }
    Ok(mistakes)
}

/// Of a value.
pub(super) fn of_value(_model: &Model, _quantity: Quantity, _state: &State<'_>, _found: &[f64]) -> Mistakes {
    Vec::new()
}

/// A matrix with nq columns or rows: is it by coefficients?
pub(super) fn of_coordinates(
    _model: &Model,
    _quantity: Quantity,
    _state: &State<'_>,
    _claimed: &DMatrix<f64>,
) -> Option<Guess> {
    None
}
