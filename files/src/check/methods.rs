//! The derivatives of a state by one method.

use crate::constraints::Constraints;
use crate::evaluation::{Derivative, Evaluator, NamedPlace, Places, Point};
use crate::quantity::{Family, Quantity};
use crate::robot::Robot;
use crate::states::State;
use gradyn::check::Scale;
use gradyn::dynamics::{ReferenceFrame, Workspace, constraint_jacobian, constraint_rank, crba};
use gradyn::model::{InputError, Model};
use gradyn::once;
use gradyn::partials::Method;
use nalgebra::{DMatrix, Vector3};

/// Beyond this, constraints are about to lose a row, and multipliers have no digits to compare.
const SINGULAR: f64 = 1e6;

/// Beyond this, accelerations have no more than four digits, and nothing is compared in them.
const NO_DIGITS: f64 = 1e12;

/// Up to so many degrees of freedom second derivatives are compared: eight tensors of nv³ numbers by each method.
const TENSORS: usize = 64;

/// What can be compared: every derivative that several methods give.
pub fn compared(model: &Model, constraints: &Constraints) -> Vec<Quantity> {
    let is_compared = |quantity: &Quantity| {
        quantity.is_by_method()
            && (!quantity.needs_constraints() || !constraints.list.is_empty())
            && (!quantity.is_second_derivative() || model.nv() <= TENSORS)
    };
    Quantity::all().filter(is_compared).collect()
}

/// Are second derivatives compared in state `index`? Differences of them take a second a state for 35 degrees of
/// freedom.
pub fn is_turn_of_tensors(model: &Model, index: u64) -> bool {
    const FEW: usize = 16;
    model.nv() <= FEW || index.is_multiple_of(4)
}

/// How near a state is to where accelerations have no derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// The condition of the mass matrix; infinite where it is singular.
    pub mass: f64,
    /// That of `J M⁻¹ Jᵀ` on its range; one without constraints.
    pub held: f64,
    /// Whether the rank of the constraints changes here, so that derivatives by the configuration do not exist.
    pub rank_changes: bool,
    /// Whether there is a center of mass.
    pub has_mass: bool,
    /// How large what cancels is in torques, motions of bodies, and accelerations.
    cancels: [f64; 3],
}

impl Conditions {
    /// At a state.
    pub fn new(robot: &Robot, constraints: &Constraints, state: &State) -> Result<Self, InputError> {
        let (model, list, ws) = (&robot.model, &constraints.list, &mut Workspace::new(&robot.model));
        let (mass, inverse) = match once::minv(model, &state.q) {
            Ok(inverse) => (ratio(crba(model, ws, &state.q)?, model.nv()), inverse.amax()),
            Err(InputError::SingularMassMatrix { .. }) => (f64::INFINITY, 0.0),
            Err(error) => return Err(error),
        };
        let scale = Scale::new(model, &state.q, &state.v, &state.wrenches())?;
        let torque = state.tau.iter().flatten().fold(scale.torque(&state.a), |most, tau| most.max(tau.abs()));
        let cancels = [torque, scale.motion(&state.a), inverse * torque];
        let has_mass = model.bodies().iter().any(|body| body.inertia().mass > 0.0);
        if list.is_empty() {
            return Ok(Self { mass, held: 1.0, rank_changes: false, has_mass, cancels });
        }
        let rank = constraint_rank(model, ws, &state.q, list)?;
        let jacobian = constraint_jacobian(model, ws, &state.q, list)?.clone();
        let compliance = &jacobian * once::minv(model, &state.q)? * jacobian.transpose();
        let (held, rank_changes) = (ratio(&compliance, rank.rank), !rank.is_locally_constant);
        Ok(Self { mass, held, rank_changes, has_mass, cancels })
    }

    /// Whether this can be compared here.
    pub fn allow(&self, quantity: Quantity) -> bool {
        match quantity.family() {
            Family::Constrained | Family::Impulses => !self.lose_a_row(),
            Family::Centers | Family::Momenta => self.has_mass,
            _ => !quantity.needs_tau() || !self.hide_accelerations(),
        }
    }

    /// How large what cancels in a quantity is.
    pub fn cancels(&self, quantity: Quantity) -> f64 {
        let [torque, motion, acceleration] = self.cancels;
        match quantity.family() {
            _ if quantity.needs_tau() => acceleration,
            Family::Frames | Family::Points | Family::Centers | Family::Constraints => motion,
            Family::Impulses => motion.max(acceleration),
            _ => torque,
        }
    }

    /// Whether constraints are about to lose a row, or to gain one.
    pub fn lose_a_row(&self) -> bool {
        self.rank_changes || self.held.is_nan() || self.held >= SINGULAR
    }

    /// Whether there are no accelerations, or none with digits.
    pub fn hide_accelerations(&self) -> bool {
        self.mass.is_nan() || self.mass >= NO_DIGITS
    }
}

/// Of the largest singular value to that of this rank.
fn ratio(matrix: &DMatrix<f64>, rank: usize) -> f64 {
    if matrix.is_empty() {
        return 1.0;
    }
    let mut sizes: Vec<f64> = matrix.singular_values().iter().copied().collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    match (sizes.first(), rank.checked_sub(1).and_then(|last| sizes.get(last))) {
        (Some(largest), Some(least)) => largest / least,
        _ => 1.0,
    }
}

/// Frames, points and subtrees that are looked at in state `index`: one of each, so that states have all in turn.
pub fn places(model: &Model, index: u64) -> Places {
    let mut places = Places::all(model, ReferenceFrame::Local);
    let frames = std::mem::take(&mut places.frames);
    let references = [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned];
    if let Some(frame) = frames.get(turn(index, frames.len())) {
        let seen = |reference: ReferenceFrame| {
            let name = format!("{} ({})", frame.name, reference.name());
            NamedPlace { name, reference, ..frame.clone() }
        };
        places.frames = references.map(seen).into();
    }
    let subtree = turn(index, places.subtrees.len());
    places.subtrees = places.subtrees.into_iter().skip(subtree).take(1).collect();
    if let Some((link, body)) = places.subtrees.first() {
        let at = Point { body: *body, position: Vector3::new(0.1, -0.2, 0.3) };
        // Points are free vectors: there is no third reference.
        let seen =
            |reference: ReferenceFrame| NamedPlace { name: format!("{link} ({})", reference.name()), at, reference };
        places.points = [ReferenceFrame::Local, ReferenceFrame::World].map(seen).into();
    }
    places
}

/// One of `n` whose turn it is: spread evenly over any number of states, by the golden ratio.
fn turn(index: u64, n: usize) -> usize {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15; // 2⁶⁴ / 1.618…
    let fraction = u128::from(index.wrapping_mul(GOLDEN));
    usize::try_from((fraction * n as u128) >> 64).unwrap_or(0)
}

/// The derivatives of a state by one method.
#[derive(Clone, Debug)]
pub struct Derivatives {
    /// Which method.
    pub method: Method,
    entries: Vec<(Quantity, Vec<(String, Derivative)>)>,
}

impl Derivatives {
    /// Quantities at places, by a method.
    pub fn new(
        robot: &Robot,
        constraints: &Constraints,
        (quantities, places): (&[Quantity], &Places),
        method: Method,
        state: &State,
    ) -> Result<Self, InputError> {
        let values = Evaluator::new(robot, constraints, method, quantities, places).evaluate(state)?;
        let entries = values.into_iter().map(|(quantity, value)| (quantity, value.derivatives()));
        Ok(Self { method, entries: entries.collect() })
    }

    /// The matrices of a quantity with the names of its parts.
    pub fn of(&self, quantity: Quantity) -> &[(String, Derivative)] {
        self.entries.iter().find(|(of, _)| *of == quantity).map_or(&[], |(_, matrices)| matrices)
    }

    /// The matrix of a quantity, to be changed; the first one of a quantity with parts, `None` of one that was not
    /// asked for.
    pub fn value_mut(&mut self, quantity: Quantity) -> Option<&mut DMatrix<f64>> {
        let (_, matrices) = self.entries.iter_mut().find(|(of, _)| *of == quantity)?;
        matrices.first_mut().map(|(_, derivative)| &mut derivative.value)
    }
}
