//! The JSON that scripts read.

use crate::error::Error;
use crate::output::Output;
use crate::robot::Robot;
use crate::states::{LinkWrench, State};
use gradyn::joint::Joint;
use gradyn::model::InputError;
use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives, rnea_derivatives};
use nalgebra::DMatrix;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// A moving joint with coordinates of its own.
#[derive(Debug, Serialize)]
pub(crate) struct JointAnswer<'a> {
    name: &'a str,
    kind: &'static str,
    q_index: usize,
    nq: usize,
    v_index: usize,
    nv: usize,
}

/// A joint that stands at `multiplier * q[q_index] + offset`.
#[derive(Debug, Serialize)]
pub(crate) struct MimicAnswer<'a> {
    name: &'a str,
    kind: &'static str,
    q_index: usize,
    v_index: usize,
    multiplier: f64,
    offset: f64,
}

/// The moving joints with coordinates of their own, in order.
pub(crate) fn joints(robot: &Robot) -> Vec<JointAnswer<'_>> {
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
pub(crate) fn mimics(robot: &Robot) -> Vec<MimicAnswer<'_>> {
    let answer = robot.model.bodies().iter().filter_map(|body| match body.joint() {
        Joint::Mimic(mimic) => Some(MimicAnswer {
            name: body.joint_name(),
            kind: mimic.inner().name(),
            q_index: body.q_range().start,
            v_index: body.v_range().start,
            multiplier: mimic.multiplier(),
            offset: mimic.offset(),
        }),
        _ => None,
    });
    answer.collect()
}

/// A matrix as a list of its rows.
#[derive(Debug)]
pub(crate) struct Rows<'a>(pub(crate) &'a DMatrix<f64>);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.nrows()))?;
        let mut numbers = Vec::with_capacity(self.0.ncols());
        for row in self.0.row_iter() {
            numbers.clear();
            numbers.extend(row.iter().copied());
            rows.serialize_element(&numbers)?;
        }
        rows.end()
    }
}

/// Names with values, in this order, as an object.
#[derive(Debug)]
pub(crate) struct Entries<T>(pub(crate) Vec<(String, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Matrices by name, as lists of rows.
fn by_name(matrices: &[(String, DMatrix<f64>)]) -> Entries<Rows<'_>> {
    Entries(matrices.iter().map(|(name, matrix)| (name.clone(), Rows(matrix))).collect())
}

/// A state as `evaluate` reads it.
#[derive(Debug, Serialize)]
pub(crate) struct StateAnswer<'a> {
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    f_ext: Option<Entries<[f64; 6]>>,
}

impl<'a> StateAnswer<'a> {
    pub(crate) fn new(state: &'a State) -> Self {
        let entry = |link: &LinkWrench| (link.link.clone(), link.wrench);
        let f_ext = state.f_ext.as_ref().map(|links| Entries(links.iter().map(entry).collect()));
        Self { q: &state.q, v: &state.v, a: &state.a, f_ext }
    }
}

/// A state and what was computed there. Later quantities are later fields.
#[derive(Debug, Serialize)]
struct Evaluated<'a> {
    #[serde(flatten)]
    state: StateAnswer<'a>,
    tau: &'a [f64],
    mass_matrix: Rows<'a>,
    dtau_dq: Rows<'a>,
    dtau_dv: Rows<'a>,
    dtau_da: Rows<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtau_df_ext: Option<Entries<Rows<'a>>>,
}

/// The library's derivatives at a state, all of them finite.
pub(crate) fn derivatives<'w>(
    robot: &Robot,
    workspace: &'w mut DerivativeWorkspace,
    method: Method,
    state: &State,
) -> Result<&'w RneaDerivatives, InputError> {
    let by = rnea_derivatives(&robot.model, workspace, method, &state.q, &state.v, &state.a, &state.wrenches())?;
    for matrix in &by.dtau_df_ext {
        if let Some(at) = matrix.iter().position(|x| !x.is_finite()) {
            let index = at % matrix.nrows();
            let joint = robot.model.dof_names().swap_remove(index);
            return Err(InputError::Overflow { what: "dtau_df_ext", index, joint: format!("joint {joint}") });
        }
    }
    Ok(by)
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
    /// Filled in piece by piece.
    states: [(); 0],
}

/// Writes the whole answer, a state a line. `place` names a state in errors; `done` is called after each.
pub(crate) fn write(
    robot: &Robot,
    method: Method,
    states: &[State],
    output: &mut Output,
    place: impl Fn(usize) -> String,
    mut done: impl FnMut(),
) -> Result<(), Error> {
    let head = Head {
        robot: robot.model.name(),
        method: method.name(),
        nq: robot.model.nq(),
        nv: robot.model.nv(),
        joints: joints(robot),
        mimic: mimics(robot),
        states: [],
    };
    output.write(|to| {
        let text = serde_json::to_string(&head)?;
        // Ends in `"states":[]}`: the list is opened again.
        to.write_all(text.strip_suffix("]}").unwrap_or(&text).as_bytes())
    })?;
    let workspace = || DerivativeWorkspace::new(&robot.model);
    let (mut by_method, mut exact) = (workspace(), workspace());
    for (k, state) in states.iter().enumerate() {
        output.write(|to| to.write_all(if k == 0 { b"\n" } else { b",\n" }))?;
        let refused = |error| Error::Input { place: place(k), error };
        let by = derivatives(robot, &mut by_method, method, state).map_err(refused)?;
        // The mass matrix is exact whatever the method.
        let mass_matrix = match method {
            Method::Analytical | Method::Dual => &by.dtau_da,
            _ => &derivatives(robot, &mut exact, Method::Dual, state).map_err(refused)?.dtau_da,
        };
        let by_link = state.f_ext.is_some().then(|| state.by_link(&by.dtau_df_ext, robot.model.nv()));

        let answer = Evaluated {
            state: StateAnswer::new(state),
            tau: by.tau.as_slice(),
            mass_matrix: Rows(mass_matrix),
            dtau_dq: Rows(&by.dtau_dq),
            dtau_dv: Rows(&by.dtau_dv),
            dtau_da: Rows(&by.dtau_da),
            dtau_df_ext: by_link.as_deref().map(by_name),
        };
        output.write(|to| Ok(serde_json::to_writer(to, &answer)?))?;
        done();
    }
    output.write(|to| to.write_all(if states.is_empty() { b"]}\n" } else { b"\n]}\n" }))
}
