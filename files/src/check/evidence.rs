//! The evidence for one claim: differences and dual numbers through the function itself.

use super::compare;
use super::methods::Conditions;
use crate::claims::{Claim, Claimed, Coordinates, Differentiated, Input, Meaning, Output, StateClaims};
use crate::constraints::Constraints;
use crate::evaluation::{Derivative, Evaluator, Places, Value};
use crate::labels::Labels;
use crate::quantity::{Axis, Quantity};
use crate::robot::Robot;
use crate::states::State;
use gradyn::Function;
use gradyn::check::ClaimError;
use gradyn::derivatives::check::{self, CheckError, Guess, Knowledge, Options, Report};
use gradyn::derivatives::difference::Euclidean;
use gradyn::derivatives::drivers;
use gradyn::model::InputError;
use gradyn::partials::Method;
use nalgebra::DMatrix;

/// How strictly claims are checked, and how much there is to be seen.
#[derive(Clone, Copy, Debug)]
pub struct Strictness {
    /// Allowed deviation of an entry, relative to itself.
    pub tolerance: f64,
    /// The same relative to the largest entry of its matrix.
    pub floor: f64,
    /// Curves of the difference over the step, and directions of Taylor tests.
    pub pictures: usize,
}

/// Why a claim cannot be checked.
#[derive(Debug)]
pub enum Failure {
    /// The robot's dynamics refuse the state.
    Input(InputError),
    /// The checker refuses the claim.
    Check(CheckError),
    /// The quantity has no meaning in these coordinates.
    Undefined(String),
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        Self::Check(error)
    }
}

/// Checks one claim.
pub fn examine(
    robot: &Robot,
    (coordinates, constraints): (&Coordinates, &Constraints),
    state: &StateClaims,
    claim: &Claim,
    strictness: Strictness,
) -> Result<Report, Failure> {
    let Claim { what, value } = claim;
    let (rows, columns) = what.axes();
    let options = Options::new(what.symbol()).tolerance(strictness.tolerance).floor(strictness.floor);
    let options = options.pictures(strictness.pictures, strictness.pictures);
    if coordinates.same_velocities()
        && let Some(quantity) = known(robot, state, what)
    {
        let here = coordinates.reordered(value, [rows, columns].map(|axis| axis == Axis::Dofs));
        let tau = state.state.tau.as_deref().unwrap_or_default();
        let (State { q, v, a, .. }, wrenches) = (&state.state, state.state.wrenches());
        let at = gradyn::check::State { q, v, a, tau, wrenches: &wrenches };
        return gradyn::check::check_claim(&robot.model, quantity, at, &here, &options).map_err(|error| match error {
            ClaimError::Input(error) => Failure::Input(error),
            ClaimError::Check(error) => Failure::Check(error),
            error => Failure::Undefined(error.to_string()),
        });
    }
    let conditions = Conditions::new(robot, constraints, &state.state)?;
    let options = options.size(conditions.cancels(what.quantity));
    let labels = Labels::new(coordinates.v_names.clone(), constraints, &robot.model);
    let mut options = options.rows(labels.along(rows)).columns(labels.along(columns));
    let row_major: Vec<f64> = value.transpose().iter().copied().collect();
    let claimed = check::Claim::new(value.nrows(), value.ncols(), &row_major)?;
    match what.meaning(state.reference) {
        Meaning::Jacobian(output, input) => {
            if matches!(what.quantity, Quantity::MassMatrix | Quantity::DtauDa | Quantity::MassMatrixInverse) {
                options = options.symmetric();
            }
            let f = differentiated(robot, (coordinates, constraints), state, what, output, input);
            let x = f.origin();
            // The function's own reason, where it fails at the state itself.
            f.evaluate(&x, &mut vec![f64::NAN; f.outputs()])?;
            let exact = drivers::plain_jacobian(&f, &x).ok().map(|(_, jacobian)| jacobian);
            let (inputs, outputs) = (Euclidean(f.inputs()), Euclidean(f.outputs()));
            let run = |x: &[f64], y: &mut [f64]| f.evaluate(x, y);
            let isolated =
                what.quantity.needs_constraints() && input == Input::Configuration && conditions.rank_changes;
            let mut knowledge = Knowledge { exact, isolated, ..Knowledge::default() };
            if what.quantity.needs_constraints()
                && let Some(Value::Derivative(Derivative { size, .. })) = evaluated(robot, constraints, state, what)?
            {
                let rounding = rounding_of(what.quantity, size, &conditions);
                knowledge.rounding = Some(vec![rounding; f.outputs() * f.inputs()]);
                // What constraints hold is zero to roundings of what they hold against.
                options = options.size(conditions.cancels(what.quantity).max(size));
            }
            let mut report = check::jacobian_with(&options, &inputs, &outputs, run, &x, &claimed, &knowledge)?;
            if isolated {
                let note = "no derivative here: the rank of the constraints changes at this configuration";
                report.notes.push(note.to_owned());
                return Ok(report);
            }
            if !report.disagrees() {
                return Ok(report);
            }
            knowledge.mistakes = mistakes(&f);
            Ok(check::jacobian_with(&options, &inputs, &outputs, run, &x, &claimed, &knowledge)?)
        }
        // A value is the derivative of its multiples.
        Meaning::Value => {
            let (expected, size) = expected(robot, (coordinates, constraints), state, what)?;
            let exact: Vec<f64> = expected.transpose().iter().copied().collect();
            let columns = value.ncols();
            let multiples = |x: &[f64], y: &mut [f64]| {
                for (y, row) in y.iter_mut().zip(exact.chunks(columns)) {
                    *y = row.iter().zip(x).map(|(a, x)| a * x).sum();
                }
            };
            let options = options.pictures(0, 0);
            let (inputs, outputs) = (Euclidean(columns), Euclidean(value.nrows()));
            let mut knowledge = Knowledge { exact: Some(exact.clone()), ..Knowledge::default() };
            if let Some(size) = size {
                let rounding = rounding_of(what.quantity, size, &conditions);
                knowledge.rounding = Some(vec![rounding; exact.len()]);
            }
            let origin = vec![0.0; columns];
            Ok(check::jacobian_with(&options, &inputs, &outputs, multiples, &origin, &claimed, &knowledge)?)
        }
    }
}

/// The quantity by its name in the library, if that knows it.
fn known(robot: &Robot, state: &StateClaims, what: &Claimed) -> Option<gradyn::check::Quantity> {
    use gradyn::check::Quantity as Known;
    // The wrench in coordinates of its body: that of a link which is its body.
    let wrench = || {
        let links = state.state.f_ext.iter().flatten().filter(|link| link.place.body.is_some());
        let (k, link) = links.enumerate().find(|(_, link)| link.link == what.part)?;
        link.is_of_body().then_some(k)
    };
    Some(match what.quantity {
        Quantity::Tau => Known::Tau,
        Quantity::MassMatrix => Known::MassMatrix,
        Quantity::DtauDq => Known::DtauDq,
        Quantity::DtauDv => Known::DtauDv,
        Quantity::DtauDa => Known::DtauDa,
        Quantity::DtauDfExt => Known::DtauDfExt(wrench()?),
        Quantity::Ddq => Known::Ddq,
        Quantity::DdqDq => Known::DdqDq,
        Quantity::DdqDv => Known::DdqDv,
        Quantity::DdqDtau => Known::DdqDtau,
        Quantity::DdqDfExt => Known::DdqDfExt(wrench()?),
        Quantity::MassMatrixInverse => Known::MassMatrixInverse,
        Quantity::Coriolis => Known::Coriolis,
        Quantity::Bias => Known::Bias,
        Quantity::Gravity => Known::Gravity,
        Quantity::ComJacobian => Known::ComJacobian,
        Quantity::FrameJacobians => Known::FrameJacobian(robot.model.find_frame(&what.part)?.into(), state.reference),
        Quantity::Com if what.part == "position" => Known::Com,
        _ => return None,
    })
}

fn differentiated<'a>(
    robot: &'a Robot,
    (coordinates, constraints): (&'a Coordinates, &'a Constraints),
    state: &'a StateClaims,
    what: &Claimed,
    output: Output,
    input: Input,
) -> Differentiated<'a> {
    let links = state.state.f_ext.as_deref().unwrap_or_default();
    Differentiated {
        model: &robot.model,
        coordinates,
        constraints,
        state,
        output,
        input,
        frame: robot.model.find_frame(&what.part),
        // That there is one has been checked.
        wrench: links.iter().position(|link| link.link == what.part).unwrap_or(0),
    }
}

/// What would be claimed instead, had a usual mistake been made that takes the robot to know.
fn mistakes(f: &Differentiated<'_>) -> Vec<(Guess, Vec<f64>)> {
    let mut mistakes = Vec::new();
    let others = [
        (Input::Configuration, "by position"),
        (Input::Velocity, "by velocity"),
        (Input::Acceleration, "by acceleration"),
        (Input::Torque, "by torque"),
    ];
    for (input, name) in others {
        if input != f.input
            && f.input != Input::Wrench
            && let Ok((_, jacobian)) = drivers::plain_jacobian(&f.with(input), &f.with(input).origin())
            && jacobian.iter().any(|x| *x != 0.0)
        {
            mistakes.push((Guess::PartsExchanged { found: format!("the derivative {name}") }, jacobian));
        }
    }
    mistakes
}

/// The quantity, or its part, as the library has it; `None` if the state does not.
fn evaluated(
    robot: &Robot,
    constraints: &Constraints,
    state: &StateClaims,
    what: &Claimed,
) -> Result<Option<Value>, Failure> {
    let places = Places::one(robot, what.quantity, &what.part, state.reference).map_err(Failure::Undefined)?;
    let quantities = [what.quantity];
    let mut evaluator = Evaluator::new(robot, constraints, Method::Analytical, &quantities, &places);
    let values = evaluator.evaluate(&state.state)?.into_iter();
    Ok(values.map(|(_, value)| value).next().and_then(|value| value.part(&what.part)))
}

/// What rounding may do to a derivative of a quantity of this size.
fn rounding_of(quantity: Quantity, size: f64, conditions: &Conditions) -> f64 {
    size * compare::of_size(quantity, [Method::Analytical, Method::Dual], conditions)
}

/// The value of a quantity in the other side's coordinates; of a derivative, also the size of what is differentiated.
fn expected(
    robot: &Robot,
    (coordinates, constraints): (&Coordinates, &Constraints),
    state: &StateClaims,
    what: &Claimed,
) -> Result<(DMatrix<f64>, Option<f64>), Failure> {
    let of = |output, state: &StateClaims| -> Result<(DMatrix<f64>, Option<f64>), Failure> {
        let f = differentiated(robot, (coordinates, constraints), state, what, output, Input::Configuration);
        let mut y = vec![f64::NAN; f.outputs()];
        f.evaluate(&f.origin(), &mut y)?;
        Ok((DMatrix::from_vec(y.len(), 1, y), None))
    };
    match what.quantity {
        Quantity::Tau => return of(Output::Torques, state),
        Quantity::Ddq => return of(Output::Accelerations, state),
        Quantity::ConstrainedDdq => return of(Output::Constrained, state),
        Quantity::ConstraintForces => return of(Output::Multipliers, state),
        Quantity::ImpulseV => return of(Output::After, state),
        Quantity::Impulse => return of(Output::Impulses, state),
        Quantity::Bias => {
            let still = StateClaims { a: vec![0.0; coordinates.nv], ..state.clone() };
            return of(Output::Torques, &still);
        }
        _ => {}
    }
    let axes = what.axes();
    if !coordinates.same_velocities() && depends_on_velocities(what) {
        return Err(Failure::Undefined(format!(
            "`{}` depends on the velocity coordinates, which are others in this layout",
            what.name()
        )));
    }
    let value = evaluated(robot, constraints, state, what)?;
    let size = match &value {
        Some(Value::Derivative(derivative) | Value::Second(derivative)) => Some(derivative.size),
        _ => None,
    };
    let matrix = match value {
        Some(Value::Number(x)) => DMatrix::from_element(1, 1, x),
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        Some(Value::Count(n)) => DMatrix::from_element(1, 1, n as f64),
        Some(Value::Numbers(numbers)) if axes == (Axis::Dofs, Axis::One) => {
            let there = coordinates.torques_there(&state.state.q, &numbers);
            DMatrix::from_vec(there.len(), 1, there)
        }
        Some(Value::Numbers(numbers)) if axes.0 == Axis::One => DMatrix::from_vec(1, numbers.len(), numbers),
        Some(Value::Numbers(numbers)) => DMatrix::from_vec(numbers.len(), 1, numbers),
        Some(Value::Matrix(matrix)) => coordinates.ordered_there(&matrix, axes),
        Some(Value::Derivative(Derivative { value, .. }) | Value::Second(Derivative { value, .. })) => {
            coordinates.ordered_there(&value, axes)
        }
        _ => return Err(Failure::Undefined(format!("`{}` is not known for this state", what.name()))),
    };
    Ok((matrix, size))
}

/// Whether it is another number in other velocity coordinates. Torques that depend on `q` alone are rotated, and
/// quantities without degrees of freedom along their axes are the same.
fn depends_on_velocities(what: &Claimed) -> bool {
    let is_turned = matches!(what.quantity, Quantity::Gravity | Quantity::StaticTorque | Quantity::WrenchTorques);
    let rates = matches!(
        what.quantity,
        Quantity::ConstraintBias | Quantity::FrameBiasAccelerations | Quantity::ClassicalBiasAccelerations
    );
    let (rows, columns) = what.axes();
    rates || !is_turned && [rows, columns].iter().any(|axis| matches!(axis, Axis::Dofs | Axis::DofPairs))
}
