//! Phases: nodes with the same step and the same contacts, and impacts between them.

use super::contacts::{Contacts, HeldContact};
use super::source::{Item, Sign, SourcePlace, Table};
use super::start::Start;
use crate::error::Error;
use gradyn::dynamics::{Workspace, constraint_jacobian};
use gradyn_trajectory::Phase;
use gradyn_trajectory::step::{ForwardDynamics, Impulse, Scheme, SemiImplicitEuler, Step};

/// A phase of the task.
#[derive(Clone, Debug)]
pub struct PhaseTask {
    /// Its name.
    pub name: String,
    /// Where it stands in the file.
    pub span: usize,
    /// Its key in the file.
    pub key: String,
    /// `None`: an impact.
    pub scheme: Option<Scheme>,
    /// Lengths of its steps, s.
    pub dt: Vec<f64>,
    /// Where its nodes stand among those of the file: numbers from 0, and shares where steps are split.
    positions: Vec<f64>,
    /// Whether damping and friction act at the end of steps.
    pub implicit_friction: bool,
    /// The least and the most that it lasts, s, where the solver chooses.
    pub free: Option<[f64; 2]>,
    /// Where that stands.
    pub(super) free_at: Option<SourcePlace>,
    /// Contacts, or those that are gained, and loops.
    pub held: Vec<HeldContact>,
    /// Of an impact: the share of its velocity with which a contact leaves again.
    pub restitution: f64,
    /// Whether contacts that the impact would have to pull are released.
    pub release: bool,
}

/// Lengths of steps, and where they begin among those of the file.
#[derive(Clone, Debug)]
pub struct Pieces {
    dt: Vec<f64>,
    positions: Vec<f64>,
}

impl PhaseTask {
    /// Its steps, each in so many pieces of one length.
    pub fn split(&self, pieces: &[usize]) -> Pieces {
        let (mut dt, mut positions) = (Vec::new(), Vec::new());
        for (k, n) in pieces.iter().enumerate().take(self.nodes()) {
            #[expect(clippy::cast_precision_loss, reason = "counts of nodes are small")]
            let (count, end) = (*n as f64, self.positions.get(k + 1).copied().unwrap_or(self.asked() as f64));
            let width = end - self.positions[k];
            #[expect(clippy::cast_precision_loss, reason = "counts of nodes are small")]
            let share = |s: usize| s as f64 / count;
            dt.extend(std::iter::repeat_n(self.dt[k] / count, *n));
            positions.extend((0..*n).map(|s| self.positions[k] + width * share(s)));
        }
        Pieces { dt, positions }
    }
    /// Takes other steps.
    pub(super) fn take(&mut self, Pieces { dt, positions }: &Pieces) {
        (self.dt, self.positions) = (dt.clone(), positions.clone());
    }
    /// How many nodes the file says that it has.
    pub fn asked(&self) -> usize {
        self.positions.iter().filter(|at| at.fract() == 0.0).count()
    }
    /// The node that stands where the file's node k does.
    pub fn node(&self, k: usize) -> usize {
        #[expect(clippy::cast_precision_loss, reason = "counts of nodes are small")]
        let at = k as f64;
        self.positions.partition_point(|position| *position < at)
    }
    /// Where a node stands among those of the file.
    pub fn position(&self, node: usize) -> f64 {
        self.positions.get(node).copied().unwrap_or(0.0)
    }
    /// Whether it is an impact.
    pub fn is_jump(&self) -> bool {
        self.scheme.is_none()
    }
    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.dt.len()
    }
    /// How many controls it has.
    pub(super) fn controls(&self, start: &Start) -> usize {
        if self.is_jump() { 0 } else { start.actuated.names.len() }
    }
    /// The phase of the problem, without costs.
    pub(super) fn build(&self, start: &Start) -> Phase {
        let contacts: Vec<_> = self.held.iter().map(|held| held.contact.clone()).collect();
        let Some(scheme) = self.scheme else {
            return Phase::jump(self.name.clone(), Impulse::new(&contacts, self.restitution));
        };
        let mut dynamics = ForwardDynamics::new(start.actuated.actuation.clone());
        if !contacts.is_empty() {
            dynamics = dynamics.with_contacts(&contacts);
        }
        let step: Box<dyn Step> = match self.implicit_friction {
            true => Box::new(SemiImplicitEuler::new(&start.model, dynamics).implicit_friction()),
            false => scheme.kernel(&start.model, dynamics),
        };
        let mut phase = Phase::boxed(self.name.clone(), self.nodes(), 1.0, step).steps(&self.dt);
        if let Some([least, most]) = self.free {
            phase = phase.free_duration(least, most);
        }
        match &start.actuated.bounds {
            Some((lower, upper)) => phase.control_bounds(lower, upper),
            None => phase,
        }
    }
}

/// The table `steps`.
pub(super) struct Steps<'a> {
    scheme: Scheme,
    /// Length of a step, s.
    pub(super) dt: f64,
    /// Where damping and friction are asked to be implicit.
    implicit_friction: Option<Item<'a>>,
}

/// The table `steps`: scheme, length of a step, s, and how friction acts.
pub(super) fn steps<'a>(root: &Table<'a>) -> Result<Steps<'a>, Error> {
    let mut steps = Steps { scheme: Scheme::default(), dt: 0.01, implicit_friction: None };
    if let Some(item) = root.get("steps") {
        let table = item.table("a table")?;
        table.only(&["scheme", "dt", "implicit_friction"])?;
        steps.scheme = table.get("scheme").map_or(Ok(steps.scheme), |item| scheme(&item))?;
        steps.dt = table.get("dt").map_or(Ok(steps.dt), |item| item.number(Sign::Positive))?;
        if let Some(item) = table.get("implicit_friction") {
            steps.implicit_friction = item.flag()?.then_some(item);
        }
    }
    Ok(steps)
}

fn scheme(item: &Item<'_>) -> Result<Scheme, Error> {
    Ok(Scheme::ALL[item.one_of("scheme", &Scheme::ALL.map(Scheme::name))?])
}

/// A contact that an impact lets go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// The phase that is the impact.
    pub impact: String,
    /// The name of the contact.
    pub contact: String,
}

/// The list `phases`, with impacts where contacts are gained.
pub(super) fn read(
    root: &Table<'_>,
    start: &Start,
    contacts: &Contacts,
    steps: &Steps<'_>,
    released: &[Released],
) -> Result<Vec<PhaseTask>, Error> {
    let is_released = |impact: &str, held: &HeldContact| {
        released.iter().any(|of| of.impact == impact && of.contact == held.contact.name)
    };
    if let Some(item) = steps.implicit_friction.as_ref().filter(|_| !start.model.has_joint_friction()) {
        return Err(
            item.refuse("expected `joint_friction = true` in `[robot]`: without it no joint has damping or friction")
        );
    }
    let item = root.need("phases", "a list of phases: `[[phases]]`")?;
    let mut phases: Vec<PhaseTask> = Vec::new();
    for item in item.list("a list of phases: `[[phases]]`")? {
        let table = item.table("a table")?;
        let before = phases.iter().rev().find(|phase| !phase.is_jump());
        let (phase, impact) = phase(&table, start, contacts, steps, before)?;
        let gained: Vec<HeldContact> = match before {
            Some(before) => phase.held.iter().filter(|held| !holds(before, held)).cloned().collect(),
            // What is held from the start on, and moves there, is stopped.
            None => moving(start, &phase.held).map_or_else(Vec::new, |_| phase.held.clone()),
        };
        for key in ["restitution", "release"] {
            if let Some(item) = table.get(key).filter(|_| impact == Impact::None || gained.is_empty()) {
                let why = match impact {
                    Impact::None => "`impulse` is `false`",
                    _ => "it gains no contact",
                };
                return Err(item.refuse(format!("phase `{}` begins without an impact: {why}", phase.name)));
            }
        }
        if impact != Impact::None && !gained.is_empty() {
            let name = format!("{} impact", phase.name);
            let held = match impact {
                Impact::Gained => [gained, contacts.loops.clone()].concat(),
                _ => phase.held.iter().filter(|held| !is_released(&name, held)).cloned().collect(),
            };
            let (dt, positions, implicit_friction) = (vec![0.0], vec![0.0], false);
            let impact =
                PhaseTask { name, scheme: None, dt, positions, implicit_friction, free: None, held, ..phase.clone() };
            phases.push(impact);
        }
        if let Some(twice) = phases.iter().find(|other| other.name == phase.name) {
            return Err(item.refuse(format!("there is a phase `{}` already: give it another name", twice.name)));
        }
        phases.push(phase);
    }
    if phases.is_empty() {
        return Err(item.refuse("expected one phase at least"));
    }
    Ok(phases)
}

/// Slower than this a held frame stands, m/s or rad/s: what is left of a start whose velocities are given in six
/// digits.
const STANDS: f64 = 1e-5;

/// The frame that is held and moves fastest at the start, and its speed, m/s or rad/s; `None` if all stand.
pub(super) fn moving<'h>(start: &Start, held: &'h [HeldContact]) -> Option<(&'h HeldContact, f64)> {
    let mut workspace = Workspace::new(&start.model);
    let mut speed = |held: &HeldContact| {
        let one = std::slice::from_ref(&held.contact.constraint);
        let rows = constraint_jacobian(&start.model, &mut workspace, &start.q, one).ok()?.row_iter();
        let rate = rows.map(|row| row.iter().zip(&start.v).map(|(j, v)| j * v).sum::<f64>());
        rate.map(f64::abs).reduce(f64::max)
    };
    let fastest = held.iter().filter_map(|held| Some((held, speed(held)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    fastest.filter(|(_, speed)| *speed > STANDS)
}

fn holds(phase: &PhaseTask, held: &HeldContact) -> bool {
    phase.held.iter().any(|other| other.contact.name == held.contact.name)
}

/// What takes part in the impact with which a phase begins that gains contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Impact {
    /// Nothing: there is no impact.
    None,
    /// The contacts that are gained, and loops.
    Gained,
    /// All that is held behind it.
    All,
}

impl Impact {
    fn read(item: &Item<'_>) -> Result<Self, Error> {
        match item.as_text() {
            Some(_) => Ok([Self::All, Self::Gained][item.one_of("contacts of the impact", &["all", "gained"])?]),
            None => match item.flag() {
                Ok(true) => Ok(Self::All),
                Ok(false) => Ok(Self::None),
                Err(_) => Err(item.expected("`true`, `false`, `all` or `gained`")),
            },
        }
    }
}

/// A phase, and what takes part in its impact, if there is one; `before`: the phase before it.
fn phase(
    table: &Table<'_>,
    start: &Start,
    contacts: &Contacts,
    steps: &Steps<'_>,
    before: Option<&PhaseTask>,
) -> Result<(PhaseTask, Impact), Error> {
    table.only(&[
        "name",
        "nodes",
        "duration",
        "free_duration",
        "dt",
        "scheme",
        "contacts",
        "impulse",
        "restitution",
        "release",
    ])?;
    let name = table.need("name", "a name")?.text("a name")?.to_owned();
    let scheme = table.get("scheme").map_or(Ok(steps.scheme), |item| scheme(&item))?;
    if let Some(item) = steps.implicit_friction.as_ref().filter(|_| scheme != Scheme::default()) {
        let (known, found) = (Scheme::default(), scheme);
        return Err(
            item.refuse(format!("only `{known}` takes friction implicitly, phase `{name}` has the scheme `{found}`"))
        );
    }
    let dt = lengths(table, steps.dt)?;
    let free_item = table.get("free_duration");
    let free_at = free_item.as_ref().map(Item::place);
    let free = free_item.map(|item| free_duration(&item)).transpose()?;
    let mut held = Vec::new();
    if let Some(item) = table.get("contacts") {
        for (item, name) in item.texts("names of contacts or frames")? {
            // Where it is at the start, a frame stays that is held from there on.
            let stays =
                before.is_none_or(|before| before.held.iter().any(|held| held.contact.name == name && held.stays));
            // Gains follow the first step of the phase.
            let contact = contacts.find(&item, name, start, dt[0], stays)?;
            if held.iter().any(|other: &HeldContact| other.contact.name == contact.contact.name) {
                return Err(item.refuse(format!("contact `{name}` is there twice")));
            }
            held.push(contact);
        }
    }
    held.extend(contacts.loops.iter().cloned());
    let impact = table.get("impulse").map_or(Ok(Impact::All), |item| Impact::read(&item))?;
    let release = table.get("release").map_or(Ok(false), |item| item.flag())?;
    if let Some(item) = table.get("release").filter(|_| release && impact == Impact::Gained) {
        return Err(
            item.refuse("`impulse` is `gained`: only contacts that are gained take part, and none of them is let go")
        );
    }
    let restitution = table.get("restitution").map_or(Ok(0.0), |item| share(&item))?;
    #[expect(clippy::cast_precision_loss, reason = "counts of nodes are small")]
    let positions = (0..dt.len()).map(|k| k as f64).collect();
    let (span, key, scheme) = (table.span.start, table.key.clone(), Some(scheme));
    let implicit_friction = steps.implicit_friction.is_some();
    let phase = PhaseTask {
        name,
        span,
        key,
        scheme,
        dt,
        positions,
        implicit_friction,
        free,
        free_at,
        held,
        restitution,
        release,
    };
    Ok((phase, impact))
}

/// A number from 0 to 1.
fn share(item: &Item<'_>) -> Result<f64, Error> {
    let number = item.number(Sign::NotNegative)?;
    if number > 1.0 { Err(item.expected("a number from 0 to 1")) } else { Ok(number) }
}

/// The least and the most that a phase lasts, s.
fn free_duration(item: &Item<'_>) -> Result<[f64; 2], Error> {
    let range = item.numbers_of(Some(2), "the least and the most, s", Sign::Positive)?;
    let [least, most] = [range[0], range[1]];
    if least > most {
        return Err(item.refuse(format!("the least duration, {least} s, is above the most, {most} s")));
    }
    Ok([least, most])
}

/// Lengths of steps: so many nodes of `dt`, or a duration in steps of about `dt`, or a list.
fn lengths(table: &Table<'_>, dt: f64) -> Result<Vec<f64>, Error> {
    let given = table.get("dt");
    if let Some(item) = given.as_ref().filter(|item| item.is_list()) {
        for key in ["nodes", "duration"] {
            if let Some(item) = table.get(key) {
                return Err(item.refuse("a list `dt` says how many nodes there are: leave this out"));
            }
        }
        let list = item.list("a list of lengths of steps, s")?;
        if list.is_empty() {
            return Err(item.refuse("expected one step at least"));
        }
        return list.iter().map(|item| item.number(Sign::Positive)).collect();
    }
    let dt = given.map_or(Ok(dt), |item| item.number(Sign::Positive))?;
    match (table.get("nodes"), table.get("duration")) {
        (Some(item), None) => Ok(vec![dt; item.count(1)?]),
        (None, Some(item)) => {
            let duration = item.number(Sign::Positive)?;
            let steps = (duration / dt).round().max(1.0);
            if steps > 1e6 {
                return Err(
                    item.refuse(format!("{duration} s in steps of {dt} s are {steps} nodes, more than a million"))
                );
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to a million")]
            Ok(vec![duration / steps; steps as usize])
        }
        (Some(_), Some(item)) => Err(item.refuse("expected `nodes` or `duration`, found both")),
        (None, None) => {
            Err(table.refuse("missing key `nodes`, expected how many nodes the phase has, or a `duration`"))
        }
    }
}
