//! Limits of joints and motors, as the robot's file has them: a line each.

use super::actuation::Actuated;
use super::cones::Set;
use super::constraints::ConstraintTask;
use super::goal::Goal;
use super::named::{joint, joints};
use super::phases::PhaseTask;
use super::places::At;
use super::source::{Item, Sign};
use super::start::Start;
use super::term::Term;
use crate::error::Error;
use gradyn::model::{Body, Model};
use gradyn_trajectory::residual::{JointLimits, Residual, SpeedTorqueLines};

/// What can be limited.
const NAMES: [&str; 3] = ["position", "velocity", "torque"];
/// The key of speed-torque lines, which are kept unless it says otherwise.
const SPEED_TORQUE: &str = "speed_torque";
/// The key of limits that are others than those of the robot's file, and what can be said of a joint.
const JOINTS: &str = "joints";
const OF_JOINT: [&str; 3] = ["position", "velocity", "effort"];

/// The key `limits`: which ones are kept, and the share of each that may be used.
#[derive(Debug)]
pub(super) struct Limits<'a> {
    /// Of positions, velocities and torques.
    kept: [Option<(Item<'a>, f64)>; 3],
}

impl<'a> Limits<'a> {
    /// `["position", "velocity", "torque"]`, or a table of these with `true` or a share each.
    pub(super) fn read(item: Option<Item<'a>>) -> Result<Option<Self>, Error> {
        let Some(item) = item else { return Ok(None) };
        let mut kept = [None, None, None];
        if item.is_table() {
            let table = item.table("a table")?;
            table.only(&[NAMES[0], NAMES[1], NAMES[2], SPEED_TORQUE, JOINTS])?;
            for (to, name) in kept.iter_mut().zip(NAMES) {
                let Some(item) = table.get(name) else { continue };
                let share = share(&item)?;
                *to = share.map(|share| (item, share));
            }
        } else {
            if !item.is_list() {
                return Err(item.expected(&format!("a list of {}, or a table of these", NAMES.join(", "))));
            }
            for entry in item.list("a list")? {
                let limit = entry.one_of("limit", &NAMES)?;
                kept[limit] = Some((entry, 1.0));
            }
        }
        Ok(Some(Self { kept }))
    }

    /// Whether any of them is in use.
    pub(super) fn keeps_any(&self) -> bool {
        self.kept.iter().any(Option::is_some)
    }
    /// A line for each limit that is kept and is zero, as programs write it where they know none; `bounds`: where the
    /// bounds of controls are asked for that are those of the robot's file.
    pub(super) fn zeros(limits: Option<&Self>, bounds: Option<Item<'_>>, start: &Start) -> Vec<String> {
        let (model, at) = (&start.model, start.model.limits());
        let kept = |k: usize| limits.and_then(|limits| limits.kept[k].as_ref()).map(|(item, _)| item.clone());
        let is_zero = |what: usize, body: &Body| {
            let (q, v) = (body.q_range(), body.v_range());
            // Neither sign of zero lets anything move.
            match what {
                0 => q.clone().all(|k| at.q_lower[k] >= 0.0 && at.q_upper[k] <= 0.0),
                1 => v.clone().any(|k| at.velocity[k] <= 0.0),
                _ => v.clone().any(|k| at.effort[k] <= 0.0) && v.clone().any(|k| start.actuated.moves(k)),
            }
        };
        let mut lines = Vec::new();
        for (what, item) in [kept(0), kept(1), kept(2).or(bounds)].into_iter().enumerate() {
            let Some(item) = item else { continue };
            let names = joints(model).filter(|body| is_zero(what, body)).map(|body| format!("`{}`", body.joint_name()));
            let names: Vec<String> = names.collect();
            let Some(first) = names.first() else { continue };
            let (plural, have) = if names.len() > 1 { ("s", "have") } else { ("", "has") };
            let (name, names) = (OF_JOINT[what], names.join(", "));
            let first = first.trim_matches('`');
            lines.push(item.refuse(format!(
                "joint{plural} {names} {have} a limit of 0 in the robot's file, which programs write where they know none: \
                 `limits.joints.{first}.{name}` says another one"
            )).to_string());
        }
        lines
    }

    /// Bounds of the controls.
    pub(super) fn of_torques(&self, actuated: &mut Actuated) -> Result<(), Error> {
        let Some((item, share)) = &self.kept[2] else { return Ok(()) };
        if actuated.bounds.is_some() {
            return Err(item.refuse("the controls have bounds already: `actuation.bounds`"));
        }
        let of = |x: &Vec<f64>| x.iter().map(|x| share * x).collect::<Vec<f64>>();
        let bounds = (of(&actuated.effort.0), of(&actuated.effort.1));
        if !bounds.0.iter().chain(&bounds.1).any(|x| x.is_finite()) {
            return Err(item.refuse("no motor has a limit of its torque, no thruster one of its force"));
        }
        actuated.bounds = Some(bounds);
        Ok(())
    }

    /// Constraints of positions and velocities, which must hold at the start.
    pub(super) fn constraints(&self, start: &Start, phases: &[PhaseTask]) -> Result<Vec<ConstraintTask>, Error> {
        let model = &start.model;
        let mut all = Vec::new();
        for ((kept, make), what) in
            self.kept.iter().zip([JointLimits::of_positions, JointLimits::of_velocities]).zip(["position", "velocity"])
        {
            let Some((item, share)) = kept else { continue };
            let residual = make(model);
            if residual.rows() == 0 {
                return Err(item.refuse(format!("no joint of the robot's file has a limit of its {what}")));
            }
            starts_inside(item, *share, what, start)?;
            let (lower, upper) = residual.bounds();
            let (lower, upper) = lower.iter().zip(upper).map(|(l, u)| of_range(*l, *u, *share)).unzip();
            // At all nodes of all phases, and at the end.
            let residuals = (0..=phases.len()).map(|_| Box::new(make(model)) as Box<dyn Residual>).collect();
            let term = Term {
                name: format!("{what} limits"),
                kind: "joint-limits",
                span: item.span.start,
                key: item.key.clone(),
                frame: None,
                contact: None,
                friction: None,
                parameter: None,
                at: At::Along,
                phases: (0..phases.len()).collect(),
                end: true,
                start: false,
                goals: vec![Goal::None],
                capsules: Vec::new(),
                before: None,
                note: None,
                residuals,
            };
            all.push(ConstraintTask { term, lower, upper, set: Set::Between });
        }
        Ok(all)
    }
}

/// The constraint that motors stay within their speed-torque lines, at all nodes that have controls: where the robot's actuators have such
/// lines, and are what is controlled, unless `limits.speed_torque` says otherwise. `robot`: what is named where there is no `limits`.
pub(super) fn speed_torque(
    limits: Option<&Item<'_>>,
    robot: &Item<'_>,
    start: &Start,
    phases: &[PhaseTask],
) -> Result<Option<ConstraintTask>, Error> {
    let table = limits.filter(|item| item.is_table()).map(|item| item.table("a table")).transpose()?;
    let key = table.and_then(|table| table.get(SPEED_TORQUE));
    let residual = SpeedTorqueLines::new(&start.model);
    let applies = start.actuated.of_robot && residual.rows() > 0;
    let share = match &key {
        None => Some(1.0),
        Some(item) => {
            let share = share(item)?;
            if share.is_some() && !applies {
                return Err(item.refuse("no actuator that is controlled has a speed-torque line"));
            }
            share
        }
    };
    let Some(share) = share.filter(|_| applies) else { return Ok(None) };
    let (lower, upper) = residual.bounds();
    let of = |bounds: Vec<f64>| bounds.into_iter().map(|x| share * x).collect::<Vec<f64>>();
    let driven: Vec<usize> = (0..phases.len()).filter(|k| phases[*k].controls(start) > 0).collect();
    let item = key.as_ref().unwrap_or(robot);
    let term = Term {
        name: String::from("speed-torque lines"),
        kind: "speed-torque",
        span: item.span.start,
        key: item.key.clone(),
        frame: None,
        contact: None,
        friction: None,
        parameter: None,
        at: At::Along,
        residuals: driven.iter().map(|_| Box::new(residual.clone()) as Box<dyn Residual>).collect(),
        phases: driven,
        end: false,
        start: true,
        goals: vec![Goal::None],
        capsules: Vec::new(),
        before: None,
        note: None,
    };
    Ok(Some(ConstraintTask { term, lower: of(lower), upper: of(upper), set: Set::Between }))
}

/// `true` is one, `false` none.
fn share(item: &Item<'_>) -> Result<Option<f64>, Error> {
    match item.as_number() {
        Some(share) if share > 0.0 && share <= 1.0 => Ok(Some(share)),
        Some(_) => Err(item.expected("a share of the limits, above 0 and not above 1")),
        None => {
            let flag =
                item.flag().map_err(|_| item.expected("true, or a share of the limits, above 0 and not above 1"))?;
            Ok(flag.then_some(1.0))
        }
    }
}

/// The robot with the limits of `limits.joints`, in the place of those of its file.
pub(super) fn overridden(item: Option<&Item<'_>>, mut model: Model) -> Result<Model, Error> {
    let Some(item) = item.filter(|item| item.is_table()) else { return Ok(model) };
    let Some(item) = item.table("a table")?.get(JOINTS) else { return Ok(model) };
    for (name, item) in item.table("a table of limits by joint")?.entries() {
        let body = joint(&item, name, &model)?;
        let (nq, nv, id) = (body.q_range().len(), body.v_range().len(), model.find_body(body.name()));
        let id = id.ok_or_else(|| item.refuse("the joint moves no body"))?;
        let table = item.table("a table with `position`, `velocity`, `effort`")?;
        table.only(&OF_JOINT)?;
        let refuse = |item: &Item<'_>, error: gradyn::model::InputError| item.refuse(error.to_string());
        if let Some(item) = table.get(OF_JOINT[0]) {
            if (nq, nv) != (1, 1) {
                return Err(item.refuse("only joints with one coordinate have limits of positions"));
            }
            let range = item.numbers_of(Some(2), "the least and the greatest", Sign::Bound)?;
            if range[0] > range[1] {
                return Err(item.refuse(format!("the lower limit, {}, is above the upper one, {}", range[0], range[1])));
            }
            model = model.with_q_limits(id, &[(range[0], range[1])]).map_err(|error| refuse(&item, error))?;
        }
        if let Some(item) = table.get(OF_JOINT[1]) {
            let limits = vec![greatest(&item)?; nv];
            model = model.with_velocity_limits(id, &limits).map_err(|error| refuse(&item, error))?;
        }
        if let Some(item) = table.get(OF_JOINT[2]) {
            let limits = vec![greatest(&item)?; nv];
            model = model.with_effort_limits(id, &limits).map_err(|error| refuse(&item, error))?;
        }
    }
    Ok(model)
}

/// A limit of a magnitude: positive, `inf` for none.
fn greatest(item: &Item<'_>) -> Result<f64, Error> {
    let what = "a positive number, or inf";
    let limit = item.number(Sign::Bound).map_err(|_| item.expected(what))?;
    if limit > 0.0 { Ok(limit) } else { Err(item.expected(what)) }
}

/// The share of a range about its middle; of one that is open at one side, all.
fn of_range(lower: f64, upper: f64, share: f64) -> (f64, f64) {
    if !(lower.is_finite() && upper.is_finite()) {
        return (lower, upper);
    }
    let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower));
    (middle - share * half, middle + share * half)
}

fn starts_inside(item: &Item<'_>, share: f64, what: &str, start: &Start) -> Result<(), Error> {
    let model: &Model = &start.model;
    let limits = model.limits();
    for body in joints(model) {
        let (range, at, lower, upper) = match what {
            "position" => (body.q_range(), &start.q, limits.q_lower.clone(), limits.q_upper.clone()),
            _ => (body.v_range(), &start.v, limits.velocity.iter().map(|v| -v).collect(), limits.velocity.clone()),
        };
        for k in range {
            let (lower, upper) = of_range(lower[k], upper[k], share);
            if at[k] < lower || at[k] > upper {
                let name = body.joint_name();
                let why = format!("joint `{name}` starts with a {what} of {}, outside of {lower} to {upper}", at[k]);
                return Err(item.refuse(why));
            }
        }
    }
    Ok(())
}
