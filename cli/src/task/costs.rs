//! Costs, and where each one counts.

use super::goal::{Form, Goal, Ground};
use super::kinds::{Entries, KINDS, Kind, Made, phases_with};
use super::named;
use super::phases::PhaseTask;
use super::pose::by_dof;
use super::source::{Item, Sign, Table};
use super::start::Start;
use crate::error::Error;
use gradyn::Transform;
use gradyn::dynamics::{Workspace, center_of_mass, frame_pose};
use gradyn::model::FrameId;
use gradyn_trajectory::residual::Residual;
use gradyn_trajectory::{Cost, Loss};
use nalgebra::Vector3;
use std::fmt;

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
    pub(crate) contact: Option<String>,
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
const KEYS: [&str; 9] = ["name", "kind", "goal", "goals", "weight", "weights", "loss", "at", "phases"];

/// The list `costs`.
pub(super) fn read(root: &Table<'_>, start: &Start, phases: &[PhaseTask]) -> Result<Vec<CostTask>, Error> {
    let item = root.need("costs", "a list of costs: `[[costs]]`")?;
    let mut costs: Vec<CostTask> = Vec::new();
    for item in item.list("a list of costs: `[[costs]]`")? {
        let table = item.table("a table")?;
        // The same cost of several frames, or of several contacts.
        let several =
            ["frame", "contact"].into_iter().find_map(|key| table.get(&format!("{key}s")).map(|list| (key, list)));
        let Some((key, list)) = several else {
            add(&item, cost(&table, None, start, phases)?, &mut costs)?;
            continue;
        };
        if let Some(item) = table.get(key) {
            return Err(item.refuse(format!("expected `{key}` or `{key}s`, found both")));
        }
        for (item, name) in list.texts("names")? {
            let mut cost = cost(&table, Some((key, item.clone())), start, phases)?;
            cost.name = format!("{} {name}", cost.name);
            add(&item, cost, &mut costs)?;
        }
    }
    if costs.is_empty() {
        return Err(item.refuse("expected one cost at least"));
    }
    Ok(costs)
}

/// One more; its name must be another than those of others in the same place.
fn add(item: &Item<'_>, cost: CostTask, costs: &mut Vec<CostTask>) -> Result<(), Error> {
    let twice = costs.iter().any(|other| {
        let same = (other.at == At::End) == (cost.at == At::End);
        other.name == cost.name && same && (cost.at == At::End || cost.phases.iter().any(|p| other.phases.contains(p)))
    });
    if twice {
        return Err(item.refuse(format!("there is a cost `{}` in this place already: give it another name", cost.name)));
    }
    costs.push(cost);
    Ok(())
}

/// A cost; `of`: which of several frames or contacts it is of.
fn cost<'a>(
    table: &Table<'a>,
    of: Option<(&str, Item<'a>)>,
    start: &Start,
    phases: &[PhaseTask],
) -> Result<CostTask, Error> {
    let names = KINDS.map(|kind| kind.name);
    let kind = &KINDS[table.need("kind", &format!("one of {}", names.join(", ")))?.one_of("kind", &names)?];
    let mut known = [&KEYS, kind.keys].concat();
    for (key, several) in [("frame", "frames"), ("contact", "contacts")] {
        if kind.keys.contains(&key) {
            known.push(several);
        }
    }
    table.only(&known)?;
    let name = match table.get("name") {
        Some(item) => item.text("a name")?.to_owned(),
        None => kind.name.to_owned(),
    };
    // What this kind is of: a frame, or a contact.
    let named = |key: &str, what: &str| match &of {
        _ if !kind.keys.contains(&key) => Ok(None),
        Some((found, item)) if *found == key => Ok(Some(item.clone())),
        _ => table.need(key, what).map(Some),
    };
    let frame = match named("frame", "the name of a link or joint")? {
        None => None,
        Some(item) => Some(named::frame(&item, item.text("the name of a link or joint")?, &start.model)?),
    };
    let contact_item = named("contact", "the name of a contact")?;
    let contact = contact_item.as_ref().map(|item| item.text("the name of a contact")).transpose()?;
    let (at, phases_of) = places(table, phases, contact_item.as_ref().zip(contact))?;
    let ground = Ground { start, controls: start.actuated.names.len(), here: here(kind, frame, start) };
    let goals = goals(table, kind, &ground)?;
    let weight = table.get("weight").map_or(Ok(1.0), |item| item.number(Sign::NotNegative))?;
    let mut residuals = Vec::new();
    let mut own = None;
    for _ in 0..phases_of.len().max(1) {
        let built = (kind.make)(&Made { table, start, frame, contact, goal: &goals[0] })?;
        residuals.push(built.residual);
        own = built.loss;
    }
    let loss = loss(table, kind, start, own, residuals[0].rows())?;
    Ok(CostTask {
        name,
        kind: kind.name,
        span: table.span.start,
        key: table.key.clone(),
        frame,
        contact: contact.map(str::to_owned),
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

/// Losses by name. Those in tables have numbers: `loss = { huber = 0.1 }`.
const LOSSES: [&str; 4] = ["huber", "smooth-l1", "outside", "log-barrier"];

/// `weights` and `loss`; `own` is the loss of the kind, and `rows` are those of its residual.
fn loss(table: &Table<'_>, kind: &Kind, start: &Start, own: Option<Loss>, rows: usize) -> Result<Loss, Error> {
    let rows = match kind.entries {
        Entries::Controls => start.actuated.names.len(),
        _ => rows,
    };
    let given = table.get("loss");
    if let Some(item) = table.get("weights") {
        if own.is_some() {
            return Err(item.refuse(format!("a cost of the kind `{}` has no `weights`, only a `weight`", kind.name)));
        }
        let weights = weights(&item, kind, start, rows)?;
        return match given {
            Some(item) if item.as_text() != Some("quadratic") => Err(item.refuse("this loss has no `weights`")),
            _ => Ok(Loss::Diagonal(weights)),
        };
    }
    let Some(item) = given else { return Ok(own.unwrap_or_default()) };
    if item.as_text().is_some() {
        item.one_of("loss", &["quadratic"])?;
        return Ok(Loss::Quadratic);
    }
    let inner = item.table("`quadratic`, or a table such as { huber = 0.1 }")?;
    inner.only(&LOSSES)?;
    let entries = inner.entries();
    let [(name, value)] = entries.as_slice() else {
        return Err(item.refuse(format!("expected one of {}", LOSSES.join(", "))));
    };
    match *name {
        "huber" => Ok(Loss::Huber { width: value.number(Sign::Positive)? }),
        "smooth-l1" => Ok(Loss::SmoothL1 { width: value.number(Sign::Positive)? }),
        "outside" => {
            let range = value.table("a table with `lower` and `upper`")?;
            range.only(&["lower", "upper"])?;
            let (lower, upper) = bounds(&range, rows)?;
            Ok(Loss::QuadraticBarrier { lower, upper })
        }
        _ => {
            let range = value.table("a table with `lower`, `upper` and `width`")?;
            range.only(&["lower", "upper", "width"])?;
            let (lower, upper) = bounds(&range, rows)?;
            let width = range.need("width", "where the logarithm ends")?.number(Sign::Positive)?;
            Ok(Loss::LogBarrier { lower, upper, width })
        }
    }
}

/// `lower` and `upper`, a number or one an entry; infinite where they are left out.
fn bounds(range: &Table<'_>, rows: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let side = |key: &str, default: f64| match range.get(key) {
        None => Ok(vec![default; rows]),
        Some(item) if item.is_list() => item.numbers(Some(rows), "one an entry"),
        Some(item) => Ok(vec![item.number(Sign::Any)?; rows]),
    };
    Ok((side("lower", f64::NEG_INFINITY)?, side("upper", f64::INFINITY)?))
}

/// One weight an entry: a list, or a table by the names of groups.
fn weights(item: &Item<'_>, kind: &Kind, start: &Start, rows: usize) -> Result<Vec<f64>, Error> {
    if item.is_list() {
        item.numbers(Some(rows), "one an entry")?;
        return item.list("numbers")?.iter().map(|item| item.number(Sign::NotNegative)).collect();
    }
    let table = item.table("a list with one weight an entry, or a table")?;
    let mut all = vec![1.0; rows];
    match kind.entries {
        Entries::Numbers(_) | Entries::Any => return Err(item.expected("a list with one weight an entry")),
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

/// `at` and `phases`. A cost of a contact counts, unless phases are named, in those that hold it.
fn places(
    table: &Table<'_>,
    phases: &[PhaseTask],
    contact: Option<(&Item<'_>, &str)>,
) -> Result<(At, Vec<usize>), Error> {
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
    if let Some((item, name)) = contact {
        let names = phases.iter().flat_map(|phase| phase.held.iter().map(|held| held.contact.name.as_str()));
        if !names.clone().any(|known| known == name) {
            return Err(item.unknown("contact of any phase", name, names));
        }
        let lacks = |k: &&usize| !phases[**k].held.iter().any(|held| held.contact.name == name);
        if let Some(k) = named.iter().flatten().find(lacks) {
            return Err(item.refuse(format!("phase `{}` does not hold the contact `{name}`", phases[*k].name)));
        }
    }
    let all = || match contact {
        Some((_, name)) => phases_with(name, phases),
        None => (0..phases.len()).filter(|k| !phases[*k].is_jump()).collect(),
    };
    let Some(item) = table.get("at") else { return Ok((At::Along, named.unwrap_or_else(all))) };
    let at = if item.as_text().is_some() {
        item.one_of("at", &["last"])?;
        if named.is_none() && contact.is_none() {
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
