//! What the controls are: motors of joints, a matrix, thrusters.

use super::named::{frame, joint};
use super::source::{Item, Sign, Table};
use crate::error::Error;
use gradyn::model::{Actuation, FrameId, Model};
use gradyn::spatial::Force;
use nalgebra::{DMatrix, DVector, Vector3};

/// Controls by name, `τ = B u`, and their bounds if any were asked for.
#[derive(Clone, Debug)]
pub struct Actuated {
    /// What controls do to the robot.
    pub actuation: Actuation,
    /// A name for each control.
    pub names: Vec<String>,
    /// Lower and upper, one a control.
    pub bounds: Option<Bounds>,
    /// What motors and thrusters can do: infinite where nothing is known.
    pub effort: Bounds,
    /// Those of the controls that are thrusters.
    pub thrusters: Vec<Thruster>,
    /// Whether the controls are those of the robot's actuators.
    pub of_robot: bool,
}

/// A force that is a control.
#[derive(Clone, Copy, Debug)]
pub struct Thruster {
    /// Which control it is.
    pub control: usize,
    /// Where it acts.
    pub frame: FrameId,
    /// Along what, in axes of the frame.
    pub axis: Vector3<f64>,
}

impl Actuated {
    /// Whether a control moves this degree of freedom.
    pub(super) fn moves(&self, dof: usize) -> bool {
        self.actuation.matrix().row(dof).iter().any(|x| *x != 0.0)
    }
}

/// Least and greatest controls, nu each.
pub(super) type Bounds = (Vec<f64>, Vec<f64>);

/// Columns of `B`, one after the other.
struct Columns {
    names: Vec<String>,
    columns: Vec<DVector<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Degrees of freedom, while all columns are those of the identity.
    dofs: Option<Vec<usize>>,
    thrusters: Vec<Thruster>,
}

impl Columns {
    fn motor(&mut self, model: &Model, dof: usize) {
        let effort = model.limits().effort[dof];
        let mut column = DVector::zeros(model.nv());
        column[dof] = 1.0;
        self.add(model.dof_names()[dof].clone(), column, (-effort, effort));
        if let Some(dofs) = &mut self.dofs {
            dofs.push(dof);
        }
    }
    fn add(&mut self, name: String, column: DVector<f64>, (lower, upper): (f64, f64)) {
        self.names.push(name);
        self.columns.push(column);
        self.lower.push(lower);
        self.upper.push(upper);
    }
}

/// The table `actuation`, or the robot's actuators, or all joints but the floating base; `robot`: what is named where these have no motor.
pub(super) fn read(item: Option<Item<'_>>, robot: &Item<'_>, model: &Model) -> Result<Actuated, Error> {
    let (names, columns, lower, upper) = (vec![], vec![], vec![], vec![]);
    let mut all = Columns { names, columns, lower, upper, dofs: Some(vec![]), thrusters: vec![] };
    let table = item.map(|item| item.table("a table")).transpose()?;
    let get = |key: &str| table.as_ref().and_then(|table| table.get(key));
    if let Some(table) = &table {
        table.only(&["joints", "matrix", "thrusters", "bounds"])?;
    }
    match (get("joints"), get("matrix")) {
        (Some(joints), None) => {
            for (item, name) in joints.texts("names of joints")? {
                let dofs = joint(&item, name, model)?.v_range();
                if all.dofs.iter().flatten().any(|dof| dofs.contains(dof)) {
                    return Err(item.refuse(format!("joint `{name}` is there twice")));
                }
                dofs.for_each(|dof| all.motor(model, dof));
            }
        }
        (None, Some(item)) => {
            all.dofs = None;
            for (k, column) in matrix(&item, model)?.column_iter().enumerate() {
                all.add(format!("u[{k}]"), column.into_owned(), (f64::NEG_INFINITY, f64::INFINITY));
            }
        }
        (Some(_), Some(item)) => return Err(item.refuse("expected `joints` or `matrix`, found both")),
        (None, None) if get("thrusters").is_none() && !model.actuators().is_empty() => {
            let direct = matches!(Actuation::of(model), Actuation::Full(_) | Actuation::Joints { .. });
            all.dofs = direct.then(|| model.actuators().iter().map(|actuator| actuator.gears[0].0).collect());
            let limits = model.control_limits();
            let b = Actuation::of(model).matrix();
            for ((column, actuator), limits) in b.column_iter().zip(model.actuators()).zip(limits) {
                all.add(actuator.name.clone(), column.into_owned(), limits);
            }
        }
        (None, None) if get("thrusters").is_none() => {
            let b = Actuation::of(model).matrix();
            for column in b.column_iter() {
                if let Some(dof) = column.iter().position(|x| *x > 0.0) {
                    all.motor(model, dof);
                }
            }
        }
        (None, None) => {}
    }
    if let Some(item) = get("thrusters") {
        all.dofs = None;
        for item in item.list("a list of thrusters")? {
            thruster(&item.table("a table")?, model, &mut all)?;
        }
    }
    if all.columns.is_empty() {
        let why = "no joint has a motor: there is nothing to control";
        return Err(table.map_or_else(|| robot.refuse(why), |table| table.refuse(why)));
    }
    let bounds = get("bounds").map(|item| bounds(&item, &all)).transpose()?.flatten();
    let nv = model.nv();
    let actuation = match all.dofs {
        Some(dofs) if dofs.len() == nv && dofs.iter().enumerate().all(|(k, dof)| k == *dof) => Actuation::Full(nv),
        Some(dofs) => Actuation::Joints { nv, dofs },
        None => Actuation::Matrix(DMatrix::from_columns(&all.columns)),
    };
    let of_robot = table
        .is_none_or(|table| ["joints", "matrix", "thrusters"].iter().all(|key| table.get(key).is_none()))
        && !model.actuators().is_empty();
    let Columns { names, lower, upper, thrusters, .. } = all;
    Ok(Actuated { actuation, names, bounds, effort: (lower, upper), thrusters, of_robot })
}

/// Where the limits of the robot's file are asked for as bounds, if they are.
pub(super) fn of_file(item: Option<Item<'_>>) -> Option<Item<'_>> {
    let bounds = item?.table("a table").ok()?.get("bounds")?;
    (bounds.as_text() == Some("effort")).then_some(bounds)
}

/// `"effort"`: the limits of the robot's file, and those of thrusters; or `{ lower, upper }`, a number or a list each.
fn bounds(item: &Item<'_>, all: &Columns) -> Result<Option<Bounds>, Error> {
    let what = "`effort`, `none`, or a table with `lower` and `upper`";
    if item.as_text().is_some() {
        return match item.one_of("bounds", &["effort", "none"])? {
            0 => Ok(Some((all.lower.clone(), all.upper.clone()))),
            _ => Ok(None),
        };
    }
    let table = item.table(what)?;
    table.only(&["lower", "upper"])?;
    let nu = all.names.len();
    let side = |key: &str| {
        let item = table.need(key, "a number, or a list with one a control")?;
        if item.is_list() { item.numbers(Some(nu), "one a control") } else { Ok(vec![item.number(Sign::Any)?; nu]) }
    };
    let (lower, upper) = (side("lower")?, side("upper")?);
    match (0..nu).find(|k| lower[*k] > upper[*k]) {
        Some(k) => {
            let (name, lower, upper) = (&all.names[k], lower[k], upper[k]);
            Err(item.refuse(format!("the lower bound of `{name}`, {lower}, is above the upper one, {upper}")))
        }
        None => Ok(Some((lower, upper))),
    }
}

/// Rows of `B`, nv of them.
fn matrix(item: &Item<'_>, model: &Model) -> Result<DMatrix<f64>, Error> {
    let rows = item.list("a list of rows")?;
    if rows.len() != model.nv() {
        return Err(item.refuse(format!("expected {} rows, nv of this robot, found {}", model.nv(), rows.len())));
    }
    let width = rows.first().map_or(Ok(0), |row| row.list("a row of numbers").map(|row| row.len()))?;
    let mut b = DMatrix::zeros(rows.len(), width);
    for (i, row) in rows.iter().enumerate() {
        for (j, x) in row.numbers(Some(width), "as in the first row")?.into_iter().enumerate() {
            b[(i, j)] = x;
        }
    }
    Ok(b)
}

/// A force along an axis of a frame that is fixed to the floating base, with a moment about it in proportion.
fn thruster(table: &Table<'_>, model: &Model, all: &mut Columns) -> Result<(), Error> {
    table.only(&["frame", "axis", "moment", "lower", "upper"])?;
    let item = table.need("frame", "the name of a link or joint")?;
    let name = item.text("the name of a link or joint")?;
    let frame = frame(&item, name, model)?;
    let axis = table.get("axis").map_or(Ok(Vector3::z()), |item| {
        let axis = item.vector("x, y, z")?;
        axis.try_normalize(1e-9).ok_or_else(|| item.refuse("expected a direction, found one of length 0"))
    })?;
    let number = |key: &str, default: f64| table.get(key).map_or(Ok(default), |item| item.number(Sign::Any));
    let moment = number("moment", 0.0)?;
    let (lower, upper) = (number("lower", f64::NEG_INFINITY)?, number("upper", f64::INFINITY)?);
    if lower > upper {
        let item = table.get("lower").or_else(|| table.get("upper")).unwrap_or_else(|| item.clone());
        return Err(item.refuse(format!("the lower bound, {lower}, is above the upper one, {upper}")));
    }
    let refuse = |error: gradyn::model::InputError| item.refuse(error.to_string());
    let torques = model.constant_torques(frame, Force::new(axis, moment * axis)).map_err(refuse)?;
    let why = "expected a frame fixed to the floating base: what its force does depends on the pose";
    let column = DVector::from_vec(torques.ok_or_else(|| item.refuse(why))?);
    all.thrusters.push(Thruster { control: all.names.len(), frame, axis });
    all.add(name.to_owned(), column, (lower, upper));
    Ok(())
}
