//! Parameters of a problem, and the node before all others that chooses them and durations.

use super::{NodeEntry, PhaseContent, PhaseEntry, Problem};
use crate::fault::{Item, ProblemError, ProblemPlace};
use crate::parameter::{Parameter, ParameterId, RobotNumbers};
use crate::stage::{Domain, ParameterNode, StaticVariables};
use crate::trajectory::Trajectory;
use gradyn::Model;
use std::ops::Range;
use std::sync::Arc;

/// The phase of the node that chooses durations, and where there are parameters, these.
pub(super) const DURATIONS: &str = "durations";
pub(super) const PARAMETERS: &str = "parameters";

/// Where parameters stand; their guesses and bounds go behind those of durations.
pub(super) fn named(
    model: &Model,
    parameters: &[Parameter],
    rates: usize,
    guesses: &mut Vec<f64>,
    bounds: &mut Vec<[f64; 2]>,
    least: &mut Vec<f64>,
) -> Result<StaticVariables, ProblemError> {
    let mut carried = StaticVariables::default();
    let mut numbers: Vec<ParameterId> = Vec::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let name = parameter.name.clone();
        if carried.names.iter().any(|(known, _)| *known == name) {
            return Err(ProblemError::Twice { place: "the problem".into(), what: "parameters", name });
        }
        let checked = parameter.checked(index, model)?;
        let first = rates + guesses.len();
        if let Some(number) = parameter.of {
            if numbers.contains(&number) {
                let place = ProblemPlace::Parameter(Item::new(index, name));
                let what = "another parameter is the same number of the robot";
                return Err(ProblemError::Missing { place, what });
            }
            numbers.push(number);
            carried.places.push(first);
        }
        // Those that are fixed are what their bounds are.
        let clamped = checked.guess.iter().zip(checked.lower.iter().zip(&checked.upper));
        guesses.extend(clamped.map(|(x, (l, u))| x.max(*l).min(*u)));
        let never_negative = parameter.of.is_some_and(ParameterId::is_never_negative);
        least.resize(guesses.len(), if never_negative { 0.0 } else { f64::NEG_INFINITY });
        bounds.extend(checked.lower.iter().zip(&checked.upper).map(|(l, u)| [*l, *u]));
        carried.names.push((name, first..rates + guesses.len()));
    }
    if !numbers.is_empty() {
        let made = RobotNumbers::new(model, &numbers);
        let made =
            made.map_err(|error| ProblemError::Input { place: "the parameters".into(), error: Box::new(error) })?;
        carried.numbers = Some(Arc::new(made));
    }
    Ok(carried)
}

impl Problem {
    /// The node that chooses durations and parameters, before all others.
    pub(super) fn add_choice(&mut self, bounds: &[[f64; 2]], least: Vec<f64>, durations: usize, rates: usize) {
        let space = self.space();
        let places: Vec<usize> = self.carried.places.iter().map(|place| place - rates).collect();
        // Who begins with an inertia that no body has does not ask for one that a body has.
        let begin = self.carried_of(&self.start);
        let numbers = self.carried.numbers.clone().filter(|of| of.are_physical(|value| begin[places[value]]));
        let domain = Domain { least, durations, numbers, places };
        let choice = ParameterNode::new([space.nx(), space.ndx()], bounds, domain);
        let name = if bounds.len() > durations { PARAMETERS } else { DURATIONS };
        self.nodes.push(NodeEntry { phase: 0, time: 0.0, dt: 0.0, parameters: 0..0 });
        self.phases.push(PhaseEntry { name: name.into(), content: PhaseContent::ParameterNode(choice), first: 0 });
    }
    /// How many numbers states carry along unchanged: durations that are free, and parameters.
    pub(crate) fn carried(&self) -> usize {
        self.memory.durations + self.memory.parameters
    }
    /// The node that chooses durations and parameters, if there are any: the first.
    pub(crate) fn choice(&self) -> Option<&ParameterNode> {
        match self.phases.first().map(|phase| &phase.content) {
            Some(PhaseContent::ParameterNode(choice)) => Some(choice),
            _ => None,
        }
    }
    /// Numbers that a state carries along unchanged.
    pub(crate) fn carried_of<'x>(&self, x: &'x [f64]) -> &'x [f64] {
        &x[x.len() - self.carried()..]
    }
    /// Controls of the node that chooses durations and parameters: those of the start.
    pub(crate) fn write_choice(&self, guess: &mut Trajectory) {
        if let Some(choice) = self.choice() {
            choice.write(self.carried_of(&self.start), guess.u_mut(0));
        }
    }
    /// Names of the parameters, in the order in which they were given.
    pub fn parameter_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.carried.names.iter().map(|(name, _)| name.as_str())
    }
    /// The numbers of a [parameter](crate::Parameter) in a trajectory.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such parameter, [`ProblemError::Missing`] if the trajectory has other
    /// sizes than the problem.
    pub fn parameter<'t>(&self, name: &str, at: &'t Trajectory) -> Result<&'t [f64], ProblemError> {
        self.check_sizes(at)?;
        let place = self.place_of(name)?;
        // Node 0 chooses them.
        Ok(&at.x(1)[self.model.nq() + self.model.nv()..][place])
    }
    /// Writes the numbers of a parameter into a guess, at all nodes.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such parameter, [`ProblemError::Length`] if it has not so many numbers,
    /// [`ProblemError::Missing`] if the guess has other sizes than the problem.
    pub fn set_parameter(&self, name: &str, numbers: &[f64], guess: &mut Trajectory) -> Result<(), ProblemError> {
        self.check_sizes(guess)?;
        let place = self.place_of(name)?;
        let index = self.carried.names.iter().position(|(known, _)| known == name).unwrap_or(0);
        let parameter = ProblemPlace::Parameter(Item::new(index, name));
        parameter.check_length("the list of its numbers", place.len(), numbers.len())?;
        self.carry(place, numbers, guess);
        Ok(())
    }
    /// Writes what states carry along from the first node on, and the controls of the node that chooses it.
    pub(super) fn carry(&self, place: Range<usize>, numbers: &[f64], guess: &mut Trajectory) {
        let (nx, rates) = (self.model.nq() + self.model.nv(), self.memory.rates);
        for k in 1..=self.steps() {
            guess.x_mut(k)[nx..][place.clone()].copy_from_slice(numbers);
        }
        if let Some(choice) = self.choice() {
            for (i, x) in place.zip(numbers) {
                if let Some(control) = choice.control(i - rates) {
                    guess.u_mut(0)[control] = *x;
                }
            }
        }
    }
    /// The control of node 0 that chooses a number of a parameter:
    /// [`Newton::control_multiplier`](crate::Newton::control_multiplier) has the multiplier of its bound. `None` if the
    /// parameter has no such number, or its bounds are equal.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such parameter.
    pub fn parameter_control(&self, name: &str, number: usize) -> Result<Option<usize>, ProblemError> {
        let (place, rates) = (self.place_of(name)?, self.memory.rates);
        let control = |i: usize| self.choice().and_then(|choice| choice.control(i - rates));
        Ok(place.clone().nth(number).and_then(control))
    }
    fn place_of(&self, name: &str) -> Result<Range<usize>, ProblemError> {
        let found = self.carried.names.iter().find(|(known, _)| known == name).map(|(_, place)| place.clone());
        found.ok_or_else(|| ProblemError::Unknown {
            place: "the problem".into(),
            what: "parameter",
            name: name.into(),
            nearest: None,
        })
    }
}
