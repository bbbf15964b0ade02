//! Numbers that are constant over time and are variables of a problem: a mass, a damping, a foothold.
//!
//! ```text
//! min over x, u and p of Σ_k ℓ_k(x_k, u_k; p)    subject to  x_{k+1} = f_k(x_k, u_k; p) ,   p_min ≤ p ≤ p_max
//! ```
//!
//! States carry them: `p⁺ = p`, and a node before all others, whose controls they are, chooses their initial values.
//! Every solver that supports control bounds therefore supports parameters, and sweeps only see a few more numbers in
//! the state.

mod numbers;
mod robot;

pub use gradyn::model::ParameterId;
pub use numbers::RobotNumbers;
pub(crate) use robot::{Response, RobotDerivatives};

use crate::fault::{Item, ProblemError, ProblemPlace};
use gradyn::Model;

/// A parameter of a [`Problem`](crate::Problem) that its solver chooses: one number of the robot, or independent
/// numbers, which costs and constraints use through [`ParameterValue`](crate::residual::ParameterValue) and
/// [`MinusParameter`](crate::residual::MinusParameter).
///
/// ```
/// use gradyn_trajectory::{Parameter, ParameterId};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/pendulum.urdf");
/// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
/// let rod = model.find_body("rod").expect("is there");
/// let mass = Parameter::of_robot("mass", ParameterId::Mass(rod)).within(&[0.5], &[3.0]);
/// let foothold = Parameter::new("foothold", &[0.3, 0.0, 0.0]).within(&[0.2, -0.1, 0.0], &[0.5, 0.1, 0.0]);
/// # let _ = (mass, foothold);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub(crate) name: String,
    pub(crate) of: Option<ParameterId>,
    guess: Option<Vec<f64>>,
    bounds: Option<[Vec<f64>; 2]>,
}

impl Parameter {
    /// Independent numbers. Solvers begin at `guess`.
    pub fn new(name: impl Into<String>, guess: &[f64]) -> Self {
        Self { name: name.into(), of: None, guess: Some(guess.to_vec()), bounds: None }
    }
    /// A number of the robot. Solvers begin at the robot's value.
    pub fn of_robot(name: impl Into<String>, number: ParameterId) -> Self {
        Self { name: name.into(), of: Some(number), guess: None, bounds: None }
    }
    /// The initial value; outside of the bounds, solvers begin inside, near it.
    #[must_use]
    pub fn beginning_at(mut self, guess: &[f64]) -> Self {
        self.guess = Some(guess.to_vec());
        self
    }
    /// Between these bounds, one per number; a number whose bounds are equal is fixed. There are no bounds by default,
    /// except zero for numbers that no robot has below zero ([`ParameterId::is_never_negative`]).
    #[must_use]
    pub fn within(mut self, lower: &[f64], upper: &[f64]) -> Self {
        self.bounds = Some([lower.to_vec(), upper.to_vec()]);
        self
    }
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Guess and bounds, checked.
    pub(crate) fn checked(&self, index: usize, model: &Model) -> Result<Checked, ProblemError> {
        let place = || ProblemPlace::Parameter(Item::new(index, &self.name));
        let nominal = match &self.of {
            Some(id) => Some(
                numbers::nominal(*id, model)
                    .map_err(|error| ProblemError::Input { place: place(), error: Box::new(error) })?,
            ),
            None => None,
        };
        let guess = self.guess.clone().unwrap_or_else(|| nominal.into_iter().collect());
        let n = guess.len();
        let number = |what, value, rule| Err(ProblemError::Number { place: place(), what, value, rule });
        if self.of.is_some() {
            place().check_length("the guess", 1, n)?;
        }
        if n == 0 {
            return Err(ProblemError::Missing { place: place(), what: "it has no number" });
        }
        if let Some(x) = guess.iter().find(|x| !x.is_finite()) {
            return number("the guess", *x, "it must be finite");
        }
        let least = if self.of.is_some_and(ParameterId::is_never_negative) { 0.0 } else { f64::NEG_INFINITY };
        let none = || [vec![least; n], vec![f64::INFINITY; n]];
        let [lower, upper] = self.bounds.clone().unwrap_or_else(none);
        place().check_length("the list of lower bounds", n, lower.len())?;
        place().check_length("the list of upper bounds", n, upper.len())?;
        for (l, u) in lower.iter().zip(&upper) {
            if l.is_nan() || u.is_nan() || l > u || *l == f64::INFINITY || *u == f64::NEG_INFINITY {
                return number(
                    "a lower bound",
                    *l,
                    "it must be a number not above the upper one, with a finite one between",
                );
            }
            if *l < least {
                return number("a lower bound", *l, "robots have none below zero of it");
            }
        }
        Ok(Checked { guess, lower, upper })
    }
}

/// Numbers of a parameter.
pub(crate) struct Checked {
    pub(crate) guess: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}
