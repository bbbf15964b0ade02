//! The JSON that scripts read.

use crate::constraints::Constraints;
use crate::error::Error;
use crate::evaluation::{Evaluator, Places, Value};
use crate::json::{Entries, Json};
use crate::quantity::Quantity;
use crate::robot::Robot;
use crate::states::{DIRECTION, LinkWrench, State};
use gradyn::dynamics::WrenchFrame;
use gradyn::joint::Joint;
use gradyn::partials::Method;
use serde::Serialize;

/// A moving joint with coordinates of its own.
#[derive(Debug, Serialize)]
pub struct JointAnswer<'a> {
    name: &'a str,
    kind: &'static str,
    q_index: usize,
    nq: usize,
    v_index: usize,
    nv: usize,
}

impl JointAnswer<'_> {
    /// Its name.
    pub fn name(&self) -> &str {
        self.name
    }
}

/// A joint that stands at `multiplier * q[q_index] + offset`; where `nq` is 2, by the angle of (cos, sin) instead.
#[derive(Debug, Serialize)]
pub struct MimicAnswer<'a> {
    name: &'a str,
    kind: &'static str,
    q_index: usize,
    nq: usize,
    v_index: usize,
    multiplier: f64,
    offset: f64,
}

/// The moving joints with coordinates of their own, in order.
pub fn joints(robot: &Robot) -> Vec<JointAnswer<'_>> {
    let moving = robot.model.bodies().iter().filter(|body| body.owns_coordinates() && !body.v_range().is_empty());
    let answer = moving.map(|body| JointAnswer {
        name: body.joint_name(),
        kind: body.joint().kind(),
        q_index: body.q_range().start,
        nq: body.q_range().len(),
        v_index: body.v_range().start,
        nv: body.v_range().len(),
    });
    answer.collect()
}

/// The joints that follow others.
pub fn mimics(robot: &Robot) -> Vec<MimicAnswer<'_>> {
    let answer = robot.model.bodies().iter().filter_map(|body| match body.joint() {
        Joint::Mimic(mimic) => Some(MimicAnswer {
            name: body.joint_name(),
            kind: mimic.inner().name(),
            q_index: body.q_range().start,
            nq: body.q_range().len(),
            v_index: body.v_range().start,
            multiplier: mimic.multiplier(),
            offset: mimic.offset(),
        }),
        _ => None,
    });
    answer.collect()
}

/// A state as `evaluate` repeats it.
#[derive(Debug, Serialize)]
pub struct StateAnswer<'a> {
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    /// The torques that accelerations were computed from; `tau` is the answer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    tau_given: Option<&'a [f64]>,
    /// The same, in a file that is to be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    tau: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f_ext: Option<Entries<[f64; 6]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f_ext_world: Option<Entries<[f64; 6]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<Entries<&'a [f64]>>,
}

impl<'a> StateAnswer<'a> {
    /// Of a state whose torques are computed: what it gives is `tau_given`.
    pub fn new(state: &'a State) -> Self {
        let wrenches = |frame: WrenchFrame| {
            let links = state.f_ext.iter().flatten().filter(move |link| link.frame == frame);
            links.map(|link: &LinkWrench| (link.link.clone(), link.wrench)).collect::<Vec<_>>()
        };
        let in_world = wrenches(WrenchFrame::World);
        let direction = |direction: &'a [Vec<f64>; 4]| {
            let parts = DIRECTION.into_iter().zip(direction);
            Entries(parts.map(|(key, part)| (key.to_owned(), part.as_slice())).collect())
        };
        Self {
            q: &state.q,
            v: &state.v,
            a: &state.a,
            tau_given: state.tau.as_deref(),
            tau: None,
            f_ext: state.f_ext.as_ref().map(|_| Entries(wrenches(WrenchFrame::Body))),
            f_ext_world: (!in_world.is_empty()).then_some(Entries(in_world)),
            lambda: state.lambda.as_deref(),
            direction: state.direction.as_ref().map(direction),
        }
    }

    /// As an input.
    pub fn input(state: &'a State) -> Self {
        let answer = Self::new(state);
        Self { tau: answer.tau_given, tau_given: None, ..answer }
    }
}

/// A state and what was computed there.
#[derive(Debug, Serialize)]
struct Evaluated<'a> {
    #[serde(flatten)]
    state: StateAnswer<'a>,
    #[serde(flatten)]
    quantities: Entries<Value>,
}

/// The beginning of the answer, up to the list of states.
#[derive(Debug, Serialize)]
struct Head<'a> {
    robot: &'a str,
    method: &'static str,
    nq: usize,
    nv: usize,
    joints: Vec<JointAnswer<'a>>,
    mimic: Vec<MimicAnswer<'a>>,
    /// As they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<&'a [Json]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restitution: Option<f64>,
    /// A name for each of their rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint_rows: Option<&'a [String]>,
    /// Filled in piece by piece.
    states: [(); 0],
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// How derivatives are computed.
    pub method: Method,
    /// What is computed, in the order of the answer.
    pub quantities: &'a [Quantity],
    /// What holds the robot.
    pub constraints: &'a Constraints,
    /// Where quantities of places are computed.
    pub places: &'a Places,
}

/// Writes the whole answer, a state a line, piece by piece to `output`. `place` names a state in errors; `done` is
/// called after each.
pub fn write<E: From<Error>>(
    robot: &Robot,
    question: Question<'_>,
    states: &[State],
    mut output: impl FnMut(&[u8]) -> Result<(), E>,
    place: impl Fn(usize) -> String,
    mut done: impl FnMut(),
) -> Result<(), E> {
    let Question { method, quantities, constraints, places } = question;
    let held = constraints.given.is_some();
    let head = Head {
        robot: robot.model.name(),
        method: method.name(),
        nq: robot.model.nq(),
        nv: robot.model.nv(),
        joints: joints(robot),
        mimic: mimics(robot),
        constraints: constraints.given.as_deref(),
        restitution: held.then_some(constraints.restitution),
        constraint_rows: held.then_some(&constraints.rows),
        states: [],
    };
    let text = json(&head)?;
    // Ends in `"states":[]}`: the list is opened again.
    output(text.strip_suffix(b"]}").unwrap_or(&text))?;
    let mut evaluator = Evaluator::new(robot, constraints, method, quantities, places);
    for (k, state) in states.iter().enumerate() {
        output(if k == 0 { b"\n" } else { b",\n" })?;
        let quantities = evaluator.answer(state).map_err(|error| Error::Input { place: place(k), error })?;
        let answer = Evaluated { state: StateAnswer::new(state), quantities };
        output(&json(&answer)?)?;
        done();
    }
    output(if states.is_empty() { b"]}\n" } else { b"\n]}\n" })
}

/// As JSON. Numbers are finite, and keys are texts, so it never fails.
fn json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::content("the answer", error.to_string()))
}
