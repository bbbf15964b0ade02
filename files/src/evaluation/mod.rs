//! Computes what is asked for at a state.

mod accelerations;
mod kinematics;
mod masses;
mod places;
mod second;
mod torques;
mod value;

pub use places::{NamedPlace, Places, Point};
pub use value::{Derivative, Value};

use crate::constraints::Constraints;
use crate::json::Entries;
use crate::quantity::{Family, Parts, Quantity};
use crate::robot::Robot;
use crate::states::State;
use gradyn::dynamics::{ExternalWrench, Workspace};
use gradyn::model::{InputError, Model};
use gradyn::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, RneaDerivatives, SecondOrderWorkspace, rnea_derivatives,
};
use nalgebra::DMatrix;
use value::Answers;

/// Computes quantities of one robot.
#[derive(Debug)]
pub struct Evaluator<'a> {
    robot: &'a Robot,
    constraints: &'a Constraints,
    method: Method,
    quantities: &'a [Quantity],
    places: &'a Places,
    workspace: LazyWorkspace<'a, Workspace<f64>>,
    derivatives: LazyWorkspace<'a, DerivativeWorkspace>,
    second: LazyWorkspace<'a, SecondOrderWorkspace>,
    hessians: LazyWorkspace<'a, HessianWorkspace>,
}

/// Memory for a robot, made when first needed.
#[derive(Debug)]
struct LazyWorkspace<'a, W> {
    model: &'a Model,
    make: fn(&Model) -> W,
    made: Option<W>,
}

impl<'a, W> LazyWorkspace<'a, W> {
    fn new(robot: &'a Robot, make: fn(&Model) -> W) -> Self {
        Self { model: &robot.model, make, made: None }
    }

    fn get(&mut self) -> &mut W {
        self.made.get_or_insert_with(|| (self.make)(self.model))
    }
}

/// A state, with its wrenches on bodies.
#[derive(Debug)]
struct At<'a> {
    state: &'a State,
    wrenches: Vec<ExternalWrench>,
    /// For inputs that a state need not have; nv.
    zeros: Vec<f64>,
}

impl At<'_> {
    /// That each state has torques where they are needed has been checked.
    fn tau(&self) -> &[f64] {
        self.state.tau.as_ref().unwrap_or(&self.zeros)
    }

    fn lambda(&self) -> &[f64] {
        self.state.lambda.as_ref().unwrap_or(&self.zeros)
    }

    /// By q, v, a and torques.
    fn direction(&self) -> [&[f64]; 4] {
        let zeros = &self.zeros[..];
        self.state.direction.as_ref().map_or([zeros; 4], |direction| direction.each_ref().map(Vec::as_slice))
    }
}

impl<'a> Evaluator<'a> {
    /// For a robot: what it computes, by a method, at places, under constraints.
    pub fn new(
        robot: &'a Robot,
        constraints: &'a Constraints,
        method: Method,
        quantities: &'a [Quantity],
        places: &'a Places,
    ) -> Self {
        Self {
            robot,
            constraints,
            method,
            quantities,
            places,
            workspace: LazyWorkspace::new(robot, Workspace::new),
            derivatives: LazyWorkspace::new(robot, DerivativeWorkspace::new),
            second: LazyWorkspace::new(robot, SecondOrderWorkspace::new),
            hessians: LazyWorkspace::new(robot, HessianWorkspace::new),
        }
    }

    /// The quantities in order. Those of wrenches are left out where a state does not speak of any.
    pub fn evaluate(&mut self, state: &State) -> Result<Vec<(Quantity, Value)>, InputError> {
        let at = At { state, wrenches: state.wrenches(), zeros: vec![0.0; self.robot.model.nv()] };
        let mut answers = Answers::new(self.quantities, state.f_ext.is_some());
        let mut families: Vec<Family> = self.quantities.iter().map(|quantity| quantity.family()).collect();
        families.dedup();
        for family in families {
            let answers = &mut answers;
            match family {
                Family::Torques => self.torques(&at, answers)?,
                Family::Accelerations => self.accelerations(&at, answers)?,
                Family::Terms => self.terms(&at, answers)?,
                Family::Masses => self.masses(&at, answers)?,
                Family::Frames => self.frames(&at, answers)?,
                Family::Points => self.points(&at, answers)?,
                Family::Centers => self.centers(&at, answers)?,
                Family::Momenta => self.momenta(&at, answers)?,
                Family::Regressors => self.regressors(&at, answers)?,
                Family::TorqueTensors => self.torque_tensors(&at, answers)?,
                Family::AccelerationTensors => self.acceleration_tensors(&at, answers)?,
                Family::Contractions => self.contractions(&at, answers)?,
                Family::Constrained => self.constrained(&at, answers)?,
                Family::Impulses => self.impulses(&at, answers)?,
                Family::Constraints => self.constraints(&at, answers)?,
            }
        }
        Ok(answers.finish())
    }

    /// The same by name, as they are answered.
    pub fn answer(&mut self, state: &State) -> Result<Entries<Value>, InputError> {
        let reference = self.places.reference;
        let named = |(quantity, value): (Quantity, Value)| {
            let parts = match quantity.parts() {
                Parts::Frames => "frames",
                Parts::Points => "points",
                Parts::Pairs => "pairs",
                _ => return (quantity.name().to_owned(), value),
            };
            let value = Value::fields([("reference", Value::Text(reference.name())), (parts, value)]);
            (quantity.name().to_owned(), value)
        };
        Ok(Entries(self.evaluate(state)?.into_iter().map(named).collect()))
    }
}

/// Derivatives of so many rows by the wrenches, for each link that has one.
fn by_link(
    at: &At<'_>,
    answers: &mut Answers<'_>,
    quantity: Quantity,
    rows: usize,
    (by_body, errors): (&[DMatrix<f64>], Option<&Vec<DMatrix<f64>>>),
    size: f64,
) {
    let mut errors = errors.map(|errors| at.state.by_link(errors, rows)).into_iter().flatten();
    for (link, value) in at.state.by_link(by_body, rows) {
        let error = errors.next().map(|(_, error)| error.abs());
        answers.part(quantity, &link, || Value::Derivative(Derivative { value, error, size }));
    }
}

/// The library's derivatives at a state, all of them finite.
pub fn derivatives<'w>(
    robot: &Robot,
    workspace: &'w mut DerivativeWorkspace,
    method: Method,
    state: &State,
) -> Result<&'w RneaDerivatives, InputError> {
    let by = rnea_derivatives(&robot.model, workspace, method, &state.q, &state.v, &state.a, &state.wrenches())?;
    by.dtau_df_ext.iter().try_for_each(|matrix| finite(&robot.model, "dtau_df_ext", matrix.as_slice()))?;
    Ok(by)
}

/// Checks that all entries of a vector, or of a matrix with a row for each degree of freedom, are finite.
fn finite(model: &Model, what: &'static str, numbers: &[f64]) -> Result<(), InputError> {
    let Some(at) = numbers.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let index = at % model.nv();
    let joint = model.dof_names().swap_remove(index);
    Err(InputError::Overflow { what, index, joint: format!("joint {joint}") })
}
