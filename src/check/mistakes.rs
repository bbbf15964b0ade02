//! The usual mistakes with a robot, and the claims that they lead to.

use super::frames::{Convention, coefficients, to_convention, turning};
use super::functions::{By, Of};
use super::{Guess, Quantity};
use crate::dynamics::{ExternalWrench, FrameRef, ReferenceFrame, Workspace, frame_jacobian};
use crate::model::{Body, DofDynamics, InputError, Model};
use crate::partials::{self, StateJacobian};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, Vector3};

/// Mistakes, and the claim that each leads to.
pub(super) type Mistakes = Vec<(Guess, DMatrix<f64>)>;

/// Mistakes of a derivative, whose right value is `exact`; `all` holds those by the other variables.
pub(super) fn of_derivative(
    model: &Model,
    (of, by): (Of, By),
    state: partials::State<'_>,
    all: &StateJacobian,
    exact: &DMatrix<f64>,
) -> Result<Mistakes, InputError> {
    let mut mistakes = Mistakes::new();
    for (name, matrix) in [("by q", &all.dq), ("by v", &all.dv), ("by a, or by τ", &all.du)] {
        if matrix.shape() == exact.shape() && matrix != exact {
            mistakes.push((Guess::PartsExchanged { found: name.to_owned() }, matrix.clone()));
        }
    }
    if let Of::Velocity(frame, right) = of {
        other_references(model, state.q, frame, right, &mut mistakes)?;
    }
    conventions(model, state.q, (of, by), exact, &mut mistakes);
    swapped(model, (of, by), exact, &mut mistakes);
    if by == By::Q {
        for by_coefficients in [exact * coefficients(model, state.q).1, raw(model, of, state)?] {
            let coordinates: Vec<usize> = of_directions(model);
            let matrix = DMatrix::from_fn(exact.nrows(), exact.ncols(), |i, j| by_coefficients[(i, coordinates[j])]);
            mistakes.push((Guess::QuaternionCoefficients, matrix));
        }
    }
    for (text, other) in variants(model) {
        if let Some(matrix) = of.exact(&other, state).ok().as_ref().and_then(|all| by.of(all)) {
            mistakes.push((Guess::Other { text: text.to_owned() }, matrix.clone()));
        }
    }
    Ok(mistakes)
}

/// Mistakes of a vector with one entry per degree of freedom.
pub(super) fn of_vector(model: &Model, of: Of, state: partials::State<'_>, right: &DMatrix<f64>) -> Mistakes {
    let mut mistakes = Mistakes::new();
    conventions(model, state.q, (of, By::U), right, &mut mistakes);
    swapped(model, (of, By::U), right, &mut mistakes);
    for (text, other) in variants(model) {
        let mut values = vec![0.0; right.nrows()];
        if of.value(&other, &mut Workspace::new(&other), state, &mut values).is_ok() {
            let matrix = DMatrix::from_column_slice(right.nrows(), 1, &values);
            mistakes.push((Guess::Other { text: text.to_owned() }, matrix));
        }
    }
    mistakes
}

/// The mistake of a matrix with nq columns, by the coordinates themselves.
///
/// Then `C G` is the derivative along the tangent, with `q̇ = G v`, whatever the function is away from unit
/// quaternions.
pub(super) fn of_coordinates(
    model: &Model,
    quantity: Quantity,
    state: partials::State<'_>,
    claimed: &DMatrix<f64>,
) -> Option<Guess> {
    let (of, by) = Of::derivative(quantity).filter(|(_, by)| *by == By::Q)?;
    let all = of.exact(model, state).ok()?;
    let exact = by.of(&all)?;
    if claimed.shape() != (exact.nrows(), model.nq()) {
        return None;
    }
    let left = (claimed * coefficients(model, state.q).0 - exact).amax();
    (left <= 1e-5 * exact.amax()).then_some(Guess::QuaternionCoefficients)
}

/// A Jacobian of the same frame in the other references.
fn other_references(
    model: &Model,
    q: &[f64],
    frame: FrameRef,
    right: ReferenceFrame,
    mistakes: &mut Mistakes,
) -> Result<(), InputError> {
    let mut ws = Workspace::new(model);
    for reference in [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned] {
        if reference != right {
            let (found, expected) = (reference.name().to_owned(), right.name().to_owned());
            let matrix = frame_jacobian(model, &mut ws, q, frame, reference)?.clone();
            mistakes.push((Guess::Frame { found, expected }, matrix));
        }
    }
    Ok(())
}

/// Velocities of joints with rotations are those of the body, in its axes. These are the mistakes of other conventions.
///
/// With `u = C v` in another convention, columns become `E C⁻¹`, those by torques `E Cᵀ`; rows that are torques
/// `C⁻ᵀ E`, rows that are accelerations `C E`. The inverses are those of a conversion the wrong way.
fn conventions(model: &Model, q: &[f64], (of, by): (Of, By), exact: &DMatrix<f64>, mistakes: &mut Mistakes) {
    let turning = turning(model);
    // All joints together, or one alone, unless there are many.
    let mut some = vec![turning.clone()];
    some.extend(turning.iter().filter(|_| (2..=8).contains(&turning.len())).map(|body| vec![*body]));
    for (convention, bodies) in Convention::ALL.into_iter().flat_map(|c| some.iter().map(move |bodies| (c, bodies))) {
        let Some((to, from)) = to_convention(model, q, convention, bodies) else { continue };
        let (to_transposed, from_transposed) = (to.transpose(), from.transpose());
        let columns = match (of, by) {
            _ if exact.ncols() != model.nv() => vec![None],
            (_, By::Wrench(_)) => vec![None],
            (Of::Acceleration, By::U) => vec![None, Some(&to_transposed), Some(&from_transposed)],
            _ => vec![None, Some(&from), Some(&to)],
        };
        let rows = match of {
            Of::Torque => vec![None, Some(&from_transposed), Some(&to_transposed)],
            Of::Acceleration => vec![None, Some(&to), Some(&from)],
            _ => vec![None],
        };
        for (left, right) in rows.iter().flat_map(|left| columns.iter().map(move |right| (left, right))) {
            let matrix = match (left, right) {
                (None, None) => continue,
                (Some(left), None) => *left * exact,
                (None, Some(right)) => exact * *right,
                (Some(left), Some(right)) => *left * exact * *right,
            };
            mistakes.push((convention.guess(), matrix));
        }
    }
}

/// Linear and angular parts of free-flyers exchanged, in columns, rows or both; or of a spatial vector.
fn swapped(model: &Model, (of, by): (Of, By), exact: &DMatrix<f64>, mistakes: &mut Mistakes) {
    let same = |n: usize| (0..n).collect::<Vec<_>>();
    let is_free = |body: &&Body| body.owns_coordinates() && body.joint().kind() == "free-flyer";
    let starts: Vec<usize> = model.bodies().iter().filter(is_free).map(|body| body.v_range().start).collect();
    // Of all free-flyers, or of one of them.
    let mut some = vec![starts.clone()];
    some.extend(starts.iter().filter(|_| starts.len() > 1).map(|start| vec![*start]));
    for starts in some {
        let mut dofs = same(model.nv());
        for start in starts {
            (0..6).for_each(|k| dofs[start + k] = start + (k + 3) % 6);
        }
        let spatial: Vec<usize> = (0..6).map(|k| (k + 3) % 6).collect();
        let rows = match of {
            Of::Torque | Of::Acceleration => dofs.clone(),
            Of::Velocity(..) => spatial.clone(),
            Of::Com | Of::Potential => same(exact.nrows()),
        };
        let columns = match by {
            By::Wrench(_) => spatial,
            _ if exact.ncols() == model.nv() => dofs,
            _ => same(exact.ncols()),
        };
        let (all_rows, all_columns) = (same(exact.nrows()), same(exact.ncols()));
        for (rows, columns) in [(&rows, &columns), (&rows, &all_columns), (&all_rows, &columns)] {
            if *rows == all_rows && *columns == all_columns {
                continue;
            }
            let matrix = DMatrix::from_fn(exact.nrows(), exact.ncols(), |i, j| exact[(rows[i], columns[j])]);
            mistakes.push((Guess::LinearAngularSwapped, matrix));
        }
    }
}

/// The coordinate in the place of each direction, as if there were as many.
fn of_directions(model: &Model) -> Vec<usize> {
    let mut coordinates = vec![0; model.nv()];
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        for (q, v) in body.joint().blocks(body.q_range().start, body.v_range().start) {
            v.enumerate().for_each(|(k, v)| coordinates[v] = q.start + k);
        }
    }
    coordinates
}

/// The derivative by the coordinates, of the function as it is away from unit quaternions: by dual numbers, whose
/// values are at the state.
fn raw(model: &Model, of: Of, state: partials::State<'_>) -> Result<DMatrix<f64>, InputError> {
    let outputs = partials::StateFunction::outputs(&of, model);
    let constant = |x: &[f64]| x.iter().copied().map(Dual64::from).collect::<Vec<_>>();
    let (mut q, v, u) = (constant(state.q), constant(state.v), constant(state.u));
    let wrenches: Vec<_> = state.wrenches.iter().map(ExternalWrench::lift).collect();
    let mut ws = Workspace::new(model);
    let mut matrix = DMatrix::zeros(outputs, model.nq());
    let mut out = vec![Dual64::from(0.0); outputs];
    for c in 0..model.nq() {
        q[c].eps = 1.0;
        let state = partials::State { q: &q, v: &v, u: &u, wrenches: &wrenches };
        partials::StateFunction::evaluate(&of, model, &mut ws, state, &mut out)?;
        q[c].eps = 0.0;
        for (i, x) in out.iter().enumerate() {
            matrix[(i, c)] = x.eps;
        }
    }
    Ok(matrix)
}

/// Variants of the robot without a part of its dynamics.
fn variants(model: &Model) -> Vec<(&'static str, Model)> {
    let without = |change: fn(&mut DofDynamics)| {
        let mut dofs = model.joint_dynamics().to_vec();
        dofs.iter_mut().for_each(change);
        model.clone().with_joint_dynamics(dofs).ok()
    };
    let turned = |factor: f64| Some(model.clone().with_gravity(model.gravity() * factor));
    let candidates = [
        ("gravity is left out", model.gravity() != Vector3::zeros(), turned(0.0)),
        ("gravity points the other way", model.gravity() != Vector3::zeros(), turned(-1.0)),
        ("armature is left out", true, without(|dof| dof.armature = 0.0)),
        ("damping of joints is left out", model.has_joint_friction(), without(|dof| dof.damping = 0.0)),
        ("friction of joints is left out", model.has_joint_friction(), without(|dof| dof.friction = 0.0)),
        ("springs of joints are left out", model.has_springs(), Some(model.clone().without_springs())),
        (
            "Stribeck friction and asymmetry are left out",
            model.has_joint_friction() && !model.friction_curves().is_empty(),
            Some(model.clone().without_friction_curves()),
        ),
        (
            "damping and friction of joints are left out",
            model.has_joint_friction(),
            Some(model.clone().with_joint_friction(false)),
        ),
    ];
    candidates.into_iter().filter(|(_, has, _)| *has).filter_map(|(text, _, model)| Some((text, model?))).collect()
}
