//! Limits of joints and motors, as the robot's file has them: a line each.

use super::actuation::Actuated;
use super::cones::Set;
use super::constraints::ConstraintTask;
use super::goal::Goal;
use super::named::joints;
use super::phases::PhaseTask;
use super::places::At;
use super::source::Item;
use super::start::Start;
use super::term::Term;
use crate::error::Error;
use gradyn::model::Model;
use gradyn_trajectory::residual::{JointLimits, Residual};

/// What can be limited.
const NAMES: [&str; 3] = ["position", "velocity", "torque"];

/// The key `limits`: which ones are kept, and the share of each that may be used.
#[derive(Debug)]
pub(super) struct Limits<'a> {
    pub(super) item: Item<'a>,
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
            table.only(&NAMES)?;
            for (to, name) in kept.iter_mut().zip(NAMES) {
                let Some(item) = table.get(name) else { continue };
                let share = match item.as_number() {
                    Some(share) if share > 0.0 && share <= 1.0 => Some(share),
                    Some(_) => return Err(item.expected("a share of the limits, above 0 and not above 1")),
                    None => item
                        .flag()
                        .map_err(|_| item.expected("true, or a share of the limits, above 0 and not above 1"))?
                        .then_some(1.0),
                };
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
        Ok(Some(Self { item, kept }))
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
                parameter: None,
                at: At::Along,
                phases: (0..phases.len()).collect(),
                end: true,
                start: false,
                goals: vec![Goal::None],
                capsules: Vec::new(),
                residuals,
            };
            all.push(ConstraintTask { term, lower, upper, set: Set::Between });
        }
        Ok(all)
    }
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
