//! Costs: a table of kinds, and where each one counts.

use super::goal::{Form, Goal, Ground};
use super::pose::by_dof;
use super::source::{Item, Sign, Table};
use super::{PhaseTask, Start, contacts};
use crate::error::Error;
use gradyn::Transform;
use gradyn::dynamics::{Workspace, center_of_mass, frame_pose};
use gradyn::model::FrameId;
use gradyn_trajectory::residual::{CenterOfMass, Control, FramePlacement, FrameTranslation, Residual, StateError};
use gradyn_trajectory::{Cost, Loss};
use nalgebra::Vector3;
use std::fmt;

/// What a residual is made of.
pub(super) struct Made<'a, 'b> {
    table: &'a Table<'b>,
    start: &'a Start,
    frame: Option<FrameId>,
    goal: &'a Goal,
}

impl Made<'_, '_> {
    /// The frame of a kind that has one.
    fn frame(&self) -> Result<FrameId, Error> {
        self.frame.ok_or_else(|| self.table.refuse("missing key `frame`"))
    }
}

type Make = fn(&Made<'_, '_>) -> Result<Box<dyn Residual>, Error>;

/// A kind of cost.
struct Kind {
    name: &'static str,
    /// Does it have the key `frame`?
    frame: bool,
    goal: Form,
    /// What its entries are.
    entries: Entries,
    make: Make,
}

/// Entries of a residual, for weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entries {
    /// So many numbers.
    Numbers(usize),
    /// Three linear ones, three angular ones.
    Twist,
    /// `(δq, δv)`, by joint.
    State,
    /// One a control.
    Controls,
}

/// All kinds.
const KINDS: [Kind; 5] = [
    Kind {
        name: "state",
        frame: false,
        goal: Form::State,
        entries: Entries::State,
        make: |on| match on.goal {
            Goal::State(q, v) => Ok(Box::new(StateError::at(&on.start.model, q, v))),
            _ => Err(on.table.refuse("missing key `goal`")),
        },
    },
    Kind {
        name: "control",
        frame: false,
        goal: Form::Controls,
        entries: Entries::Controls,
        // Of phases that have other controls than most, such as impacts, the goal is zero.
        make: |on| match on.goal {
            Goal::Vector(u) if u.iter().any(|u| *u != 0.0) => Ok(Box::new(Control::at(u))),
            _ => Ok(Box::new(Control::zero())),
        },
    },
    Kind {
        name: "frame-placement",
        frame: true,
        goal: Form::Pose,
        entries: Entries::Twist,
        make: |on| Ok(Box::new(FramePlacement::new(on.frame()?, on.goal.pose()))),
    },
    Kind {
        name: "frame-translation",
        frame: true,
        goal: Form::Vector(3),
        entries: Entries::Numbers(3),
        make: |on| Ok(Box::new(FrameTranslation::new(on.frame()?, on.goal.vector()))),
    },
    Kind {
        name: "center-of-mass",
        frame: false,
        goal: Form::Vector(3),
        entries: Entries::Numbers(3),
        make: |on| Ok(Box::new(CenterOfMass::new(on.goal.vector()))),
    },
];

/// Where a cost counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Along phases: an integral.
    Along,
    /// At the last node of the trajectory.
    End,
    /// At these nodes of phases; from the end if negative.
    Nodes(Vec<i64>),
}

/// A cost of the task.
pub(crate) struct CostTask {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    /// Where it stands in the file.
    pub(crate) span: usize,
    pub(crate) key: String,
    pub(crate) frame: Option<FrameId>,
    pub(crate) weight: f64,
    pub(crate) loss: Loss,
    pub(crate) at: At,
    /// Indices of the phases that it counts in; none at the end.
    pub(crate) phases: Vec<usize>,
    pub(crate) goals: Vec<Goal>,
    /// One residual for each phase, or one for the end.
    residuals: Vec<Box<dyn Residual>>,
}

impl fmt::Debug for CostTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CostTask").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl CostTask {
    /// The goal at node `k` of `n` of a phase.
    pub(crate) fn goal(&self, k: usize, n: usize, start: &Start) -> Goal {
        Goal::at(&self.goals, k, n, &start.model)
    }
    /// The nodes of a phase of `n` that it counts at; `None` if there is one that the phase does not have.
    pub(crate) fn nodes(&self, n: usize) -> Result<Vec<usize>, i64> {
        match &self.at {
            At::Along => Ok((0..n).collect()),
            At::End => Ok(vec![0]),
            At::Nodes(nodes) => {
                let of = |k: &i64| {
                    let at = if *k < 0 { i64::try_from(n).unwrap_or(i64::MAX) + k } else { *k };
                    usize::try_from(at).ok().filter(|at| *at < n).ok_or(*k)
                };
                nodes.iter().map(of).collect()
            }
        }
    }
    /// Takes out the costs of the problem: of the end, or by phase.
    pub(super) fn build(
        &mut self,
        phases: &[PhaseTask],
        start: &Start,
        controls: &[usize],
    ) -> Vec<(Option<usize>, Cost)> {
        let residuals = std::mem::take(&mut self.residuals);
        let places: Vec<Option<usize>> = match self.at {
            At::End => vec![None],
            _ => self.phases.iter().copied().map(Some).collect(),
        };
        let cost = |(place, residual): (Option<usize>, Box<dyn Residual>)| {
            let mut cost = Cost::boxed(self.name.clone(), residual).weight(self.weight).loss(self.loss.clone());
            let Some(phase) = place else { return (None, cost) };
            let n = phases[phase].nodes();
            // They were checked when the cost was read.
            let nodes = self.nodes(n).unwrap_or_default();
            if self.at != At::Along {
                cost = cost.only_at(&nodes);
            }
            // Where there are no controls, a goal of controls has no numbers.
            if self.goals.len() > 1 && !(self.kind == "control" && controls[phase] == 0) {
                for k in nodes {
                    cost = cost.goal_at(k, self.goal(k, n, start).numbers());
                }
            }
            (Some(phase), cost)
        };
        places.into_iter().zip(residuals).map(cost).collect()
    }
}

/// Keys of all kinds.
const KEYS: [&str; 10] = ["name", "kind", "frame", "goal", "goals", "weight", "weights", "loss", "at", "phases"];

/// The list `costs`.
pub(super) fn read(root: &Table<'_>, start: &Start, phases: &[PhaseTask]) -> Result<Vec<CostTask>, Error> {
    let item = root.need("costs", "a list of costs: `[[costs]]`")?;
    let mut costs: Vec<CostTask> = Vec::new();
    for item in item.list("a list of costs: `[[costs]]`")? {
        let cost = cost(&item.table("a table")?, start, phases)?;
        let twice = costs.iter().any(|other| {
            let same = (other.at == At::End) == (cost.at == At::End);
            other.name == cost.name
                && same
                && (cost.at == At::End || cost.phases.iter().any(|p| other.phases.contains(p)))
        });
        if twice {
            return Err(
                item.refuse(format!("there is a cost `{}` in this place already: give it another name", cost.name))
            );
        }
        costs.push(cost);
    }
    if costs.is_empty() {
        return Err(item.refuse("expected one cost at least"));
    }
    Ok(costs)
}

fn cost(table: &Table<'_>, start: &Start, phases: &[PhaseTask]) -> Result<CostTask, Error> {
    table.only(&KEYS)?;
    let names = KINDS.map(|kind| kind.name);
    let kind = &KINDS[table.need("kind", &format!("one of {}", names.join(", ")))?.one_of("kind", &names)?];
    let name = match table.get("name") {
        Some(item) => item.text("a name")?.to_owned(),
        None => kind.name.to_owned(),
    };
    let frame = match (kind.frame, table.get("frame")) {
        (true, item) => {
            let item = match item {
                Some(item) => item,
                None => table.need("frame", "the name of a link or joint")?,
            };
            Some(contacts::frame(&item, item.text("the name of a link or joint")?, &start.model)?)
        }
        (false, Some(item)) => return Err(item.refuse(format!("a cost of the kind `{}` has no frame", kind.name))),
        (false, None) => None,
    };
    let ground = Ground { start, controls: start.actuated.names.len(), here: here(kind, frame, start) };
    let goals = goals(table, kind, &ground)?;
    let weight = table.get("weight").map_or(Ok(1.0), |item| item.number(Sign::NotNegative))?;
    let loss = loss(table, kind, start)?;
    let (at, phases_of) = places(table, phases)?;
    let mut residuals = Vec::new();
    for _ in 0..phases_of.len().max(1) {
        residuals.push((kind.make)(&Made { table, start, frame, goal: &goals[0] })?);
    }
    Ok(CostTask {
        name,
        kind: kind.name,
        span: table.span.start,
        key: table.key.clone(),
        frame,
        weight,
        loss,
        at,
        phases: phases_of,
        goals,
        residuals,
    })
}

/// Where the frame, or the centre of mass, is at the start.
fn here(kind: &Kind, frame: Option<FrameId>, start: &Start) -> Option<Transform<f64>> {
    let mut workspace = Workspace::new(&start.model);
    if let Some(frame) = frame {
        return frame_pose(&start.model, &mut workspace, &start.q, frame).ok();
    }
    let zero = vec![0.0; start.model.nv()];
    let of_mass = kind.name == "center-of-mass";
    let centers =
        of_mass.then(|| center_of_mass(&start.model, &mut workspace, &start.q, &zero, &zero).ok()).flatten()?;
    let p = centers.whole.position;
    Some(Transform::from_translation(Vector3::new(p[0], p[1], p[2])))
}

fn goals(table: &Table<'_>, kind: &Kind, ground: &Ground<'_>) -> Result<Vec<Goal>, Error> {
    match (table.get("goal"), table.get("goals")) {
        (Some(_), Some(item)) => Err(item.refuse("expected `goal` or `goals`, found both")),
        (Some(item), None) => Ok(vec![Goal::read(&item, kind.goal, ground)?]),
        (None, Some(item)) => {
            let list = item.list("a list of goals, evenly over the nodes")?;
            if list.len() < 2 {
                return Err(item.refuse(format!("expected two goals at least, found {}", list.len())));
            }
            list.iter().map(|item| Goal::read(item, kind.goal, ground)).collect()
        }
        (None, None) => match Goal::default(kind.goal, ground) {
            Some(goal) => Ok(vec![goal]),
            None => {
                let what = if kind.goal == Form::Pose { "{ xyz = [..], rpy = [..] }" } else { "[x, y, z]" };
                Err(table.refuse(format!("missing key `goal`, expected {what} or {{ offset = [x, y, z] }}")))
            }
        },
    }
}

/// `weights` and `loss`.
fn loss(table: &Table<'_>, kind: &Kind, start: &Start) -> Result<Loss, Error> {
    let loss = table.get("loss");
    let weights = table.get("weights").map(|item| weights(&item, kind, start)).transpose()?;
    let Some(item) = loss else { return Ok(weights.map_or(Loss::Quadratic, Loss::Diagonal)) };
    if item.as_text().is_some() {
        item.one_of("loss", &["quadratic"])?;
        return Ok(weights.map_or(Loss::Quadratic, Loss::Diagonal));
    }
    let what = "`quadratic`, or a table such as { outside = { lower = .., upper = .. } }";
    let inner = item.table(what)?;
    inner.only(&["outside"])?;
    if weights.is_some() {
        return Err(item.refuse("this loss has no `weights`"));
    }
    let range = inner.need("outside", "a table with `lower` and `upper`")?.table("a table with `lower` and `upper`")?;
    range.only(&["lower", "upper"])?;
    let rows = rows(kind, start);
    let side = |key: &str, default: f64| match range.get(key) {
        None => Ok(vec![default; rows]),
        Some(item) if item.is_list() => item.numbers(Some(rows), "one an entry"),
        Some(item) => Ok(vec![item.number(Sign::Any)?; rows]),
    };
    Ok(Loss::QuadraticBarrier { lower: side("lower", f64::NEG_INFINITY)?, upper: side("upper", f64::INFINITY)? })
}

/// How many numbers the residual has.
fn rows(kind: &Kind, start: &Start) -> usize {
    match kind.entries {
        Entries::Numbers(n) => n,
        Entries::Twist => 6,
        Entries::State => 2 * start.model.nv(),
        Entries::Controls => start.actuated.names.len(),
    }
}

/// One weight an entry: a list, or a table by the names of groups.
fn weights(item: &Item<'_>, kind: &Kind, start: &Start) -> Result<Vec<f64>, Error> {
    let rows = rows(kind, start);
    if item.is_list() {
        item.numbers(Some(rows), "one an entry")?;
        return item.list("numbers")?.iter().map(|item| item.number(Sign::NotNegative)).collect();
    }
    let table = item.table("a list with one weight an entry, or a table")?;
    let mut all = vec![1.0; rows];
    match kind.entries {
        Entries::Numbers(_) => return Err(item.expected("a list with one weight an entry")),
        Entries::State => {
            table.only(&["q", "v"])?;
            let nv = start.model.nv();
            for (key, to) in [("q", 0..nv), ("v", nv..2 * nv)] {
                if let Some(item) = table.get(key) {
                    all[to].copy_from_slice(&by_dof(&item, &start.model, Sign::NotNegative)?);
                }
            }
        }
        Entries::Twist => {
            table.only(&["linear", "angular"])?;
            for (key, to) in [("linear", 0..3), ("angular", 3..6)] {
                if let Some(item) = table.get(key) {
                    let to = &mut all[to];
                    if item.is_list() {
                        item.numbers(Some(3), "x, y, z")?;
                        for (to, item) in to.iter_mut().zip(item.list("numbers")?) {
                            *to = item.number(Sign::NotNegative)?;
                        }
                    } else {
                        to.fill(item.number(Sign::NotNegative)?);
                    }
                }
            }
        }
        Entries::Controls => {
            if let Some(item) = table.get("default") {
                all.fill(item.number(Sign::NotNegative)?);
            }
            let names = &start.actuated.names;
            for (name, item) in table.entries().into_iter().filter(|(name, _)| *name != "default") {
                let at = names.iter().position(|known| known == name);
                let at = at.ok_or_else(|| item.unknown("control", name, names.iter().map(String::as_str)))?;
                all[at] = item.number(Sign::NotNegative)?;
            }
        }
    }
    Ok(all)
}

/// `at` and `phases`.
fn places(table: &Table<'_>, phases: &[PhaseTask]) -> Result<(At, Vec<usize>), Error> {
    let named = match table.get("phases") {
        None => None,
        Some(item) => {
            let mut list = Vec::new();
            for (item, name) in item.texts("names of phases")? {
                let names = phases.iter().map(|phase| phase.name.as_str());
                let at = phases.iter().position(|phase| phase.name == name);
                list.push(at.ok_or_else(|| item.unknown("phase", name, names))?);
            }
            if list.is_empty() {
                return Err(item.refuse("expected one phase at least"));
            }
            Some(list)
        }
    };
    let all = || (0..phases.len()).filter(|k| !phases[*k].is_jump()).collect();
    let Some(item) = table.get("at") else { return Ok((At::Along, named.unwrap_or_else(all))) };
    let at = if item.as_text().is_some() {
        item.one_of("at", &["last"])?;
        if named.is_none() {
            return Ok((At::End, Vec::new()));
        }
        At::Nodes(vec![-1])
    } else if item.is_list() {
        let list = item.list("a list of nodes")?;
        At::Nodes(list.iter().map(Item::integer).collect::<Result<_, _>>()?)
    } else {
        return Err(item.expected("`last` or a list of nodes of the phases"));
    };
    let phases_of = named.unwrap_or_else(all);
    if let At::Nodes(nodes) = &at {
        for phase in &phases_of {
            let n = i64::try_from(phases[*phase].nodes()).unwrap_or(i64::MAX);
            if let Some(k) = nodes.iter().find(|k| !(-n..n).contains(k)) {
                return Err(
                    item.refuse(format!("there is no node {k} in phase `{}`, which has {n}", phases[*phase].name))
                );
            }
        }
    }
    Ok((at, phases_of))
}
