//! What costs and constraints have in common: a residual, its goals, and where it counts.

use super::goal::{Form, Goal, Ground};
use super::kinds::{self, KINDS, TermKind, held_by};
use super::named;
use super::phases::PhaseTask;
use super::places::{At, places};
use super::residual_spec::ResidualSpec;
use super::source::{Item, Table};
use super::start::Start;
use crate::error::Error;
use gradyn::Transform;
use gradyn::dynamics::{Workspace, center_of_mass, frame_pose};
use gradyn::model::FrameId;
use gradyn_trajectory::Loss;
use gradyn_trajectory::residual::{Capsule, Residual};
use nalgebra::Vector3;

/// A residual of the task, and where it counts.
pub struct Term {
    /// Its name.
    pub name: String,
    /// Its kind in the file.
    pub kind: &'static str,
    /// Where it stands in the file.
    pub span: usize,
    /// Its key in the file.
    pub key: String,
    /// The frame that it is about.
    pub frame: Option<FrameId>,
    /// The contact that it is about.
    pub contact: Option<String>,
    /// Coefficient of friction, of cones that have one.
    pub friction: Option<f64>,
    /// The parameter that is subtracted, or shown.
    pub parameter: Option<String>,
    /// The nodes that it counts at.
    pub at: At,
    /// Indices of the phases that it counts in.
    pub phases: Vec<usize>,
    /// Whether it applies at the last node of the trajectory.
    pub end: bool,
    /// Whether it applies at the first node of the trajectory. Its state is given.
    pub(super) start: bool,
    /// One for all nodes, or one a node.
    pub goals: Vec<Goal>,
    /// What it keeps apart, if it is a distance.
    pub capsules: Vec<Capsule>,
    /// Controls before the first step, if it says so.
    pub(super) before: Option<Vec<f64>>,
    /// What is to be known of it.
    pub note: Option<String>,
    /// One residual for each phase, then one for the end.
    pub(super) residuals: Vec<Box<dyn Residual>>,
}

/// What of a term goes into one phase, or to the end.
pub(super) struct Piece {
    /// The phase; `None` is the end.
    pub(super) phase: Option<usize>,
    pub(super) residual: Box<dyn Residual>,
    /// `None`: at all nodes.
    pub(super) nodes: Option<Vec<usize>>,
    /// Goals of single nodes.
    pub(super) goals: Vec<(usize, Vec<f64>)>,
}

/// A term as it is read, with what its kind says of it.
pub(super) struct TermFound {
    pub(super) term: Term,
    pub(super) kind: &'static TermKind,
    /// The loss of the kind.
    pub(super) own: Option<Loss>,
}

/// A place to read terms from.
pub(super) struct Reader<'a> {
    pub(super) start: &'a Start,
    pub(super) phases: &'a [PhaseTask],
    /// What the list is called, and one of it.
    pub(super) list: &'static str,
    pub(super) one: &'static str,
    /// Keys that all kinds have.
    pub(super) keys: &'static [&'static str],
    /// Keys that are other names of `goal`.
    pub(super) goals: &'static [&'static str],
}

impl Term {
    /// The goal at a node of a phase.
    pub fn goal(&self, node: usize, phase: &PhaseTask, start: &Start) -> Goal {
        Goal::at(&self.goals, phase.position(node), phase.asked(), &start.model)
    }

    /// Takes out what goes into the problem.
    pub(super) fn pieces(&mut self, phases: &[PhaseTask], start: &Start) -> Vec<Piece> {
        let places: Vec<Option<usize>> =
            self.phases.iter().copied().map(Some).chain(self.end.then_some(None)).collect();
        let residuals = std::mem::take(&mut self.residuals);
        let piece = |(phase, residual): (Option<usize>, Box<dyn Residual>)| {
            let Some(k) = phase else {
                let last = self.goals.last().filter(|_| self.goals.len() > 1);
                let goals = last.map(|goal| (0, goal.numbers())).into_iter().collect();
                return Piece { phase, residual, nodes: None, goals };
            };
            let mut nodes = self.at.nodes_of(&phases[k]);
            let skips = k == 0 && !self.start;
            if skips {
                nodes.retain(|node| *node > 0);
            }
            // Where there are no controls, a goal of controls has no numbers.
            let several = self.goals.len() > 1 && !(self.kind == "control" && phases[k].controls(start) == 0);
            let goals = nodes
                .iter()
                .filter(|_| several)
                .map(|node| (*node, self.goal(*node, &phases[k], start).numbers()))
                .collect();
            let nodes = (self.at != At::Along || skips).then_some(nodes);
            Piece { phase, residual, nodes, goals }
        };
        places.into_iter().zip(residuals).map(piece).collect()
    }

    /// Whether both share a node.
    fn meets(&self, other: &Self) -> bool {
        (self.end && other.end) || self.phases.iter().any(|phase| other.phases.contains(phase))
    }
}

impl Reader<'_> {
    /// The tables of the list, those of several frames or contacts once for each; `make` what one becomes.
    pub(super) fn read<T>(
        &self,
        list: &Item<'_>,
        make: impl Fn(&Table<'_>, TermFound) -> Result<T, Error>,
        of: impl Fn(&T) -> &Term,
    ) -> Result<Vec<T>, Error> {
        let mut all: Vec<T> = Vec::new();
        for item in list.list(&format!("a list of {0}: `[[{0}]]`", self.list))? {
            let table = item.table("a table")?;
            // The same of several frames, or of several contacts.
            let several = ["frame", "contact"].into_iter().find_map(|key| {
                let list = table.get(&format!("{key}s")).or_else(|| table.get(key).filter(Item::is_list));
                list.map(|list| (key, list))
            });
            let mut add = |found: TermFound| {
                let new = make(&table, found)?;
                let term = of(&new);
                if all.iter().any(|other| of(other).name == term.name && of(other).meets(term)) {
                    let (one, name) = (self.one, &term.name);
                    return Err(
                        item.refuse(format!("there is a {one} `{name}` in this place already: give it another name"))
                    );
                }
                all.push(new);
                Ok(())
            };
            let Some((key, names)) = several else {
                add(self.term(&table, None)?)?;
                continue;
            };
            if let (Some(item), Some(_)) = (table.get(key), table.get(&format!("{key}s"))) {
                return Err(item.refuse(format!("expected `{key}` or `{key}s`, found both")));
            }
            let list = names.texts("names")?;
            if list.is_empty() {
                return Err(names.refuse(format!("expected one {key} at least")));
            }
            for (item, name) in list {
                let mut found = self.term(&table, Some((key, item.clone())))?;
                found.term.name = format!("{} {name}", found.term.name);
                add(found)?;
            }
        }
        Ok(all)
    }

    /// A term; `of`: which of several frames or contacts it is of.
    fn term<'a>(&self, table: &Table<'a>, of: Option<(&str, Item<'a>)>) -> Result<TermFound, Error> {
        let (start, phases) = (self.start, self.phases);
        let names = KINDS.map(|kind| kind.name);
        let kind = &KINDS[table.need("kind", &format!("one of {}", names.join(", ")))?.one_of("kind", &names)?];
        let mut known = [self.keys, kind.keys].concat();
        if !known.contains(&"parameter") {
            known.push("parameter");
        }
        if kinds::is_cone(kind.name) {
            known.push("impacts");
        }
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
        let (mut at, mut phases_of) =
            places(table, phases, contact_item.as_ref().zip(contact), self.at_impacts(table, kind)?)?;
        // What does not change over time counts once.
        if kind.name == "parameter" && table.get("at").is_none() && table.get("phases").is_none() {
            (at, phases_of) = (At::End, Vec::new());
        }
        let ground =
            Ground { start, one: self.one, controls: start.actuated.names.len(), here: here(kind, frame, start) };
        let goals = self.goals(table, kind, &ground)?;
        let end = at == At::End;
        let (mut residuals, mut own, mut capsules, mut before, mut note) = (Vec::new(), None, Vec::new(), None, None);
        let held = contact.and_then(|name| held_by(name, phases));
        for _ in 0..phases_of.len().max(1) {
            let built = kind.built(&ResidualSpec { table, start, frame, contact: held, goal: &goals[0] })?;
            residuals.push(built.residual);
            (own, capsules, before, note) = (built.loss, built.capsules, built.before, built.note);
        }
        let term = Term {
            name,
            kind: kind.name,
            span: table.span.start,
            key: table.key.clone(),
            frame,
            contact: contact.map(str::to_owned),
            friction: kinds::friction(table, kind)?,
            parameter: table.get("parameter").and_then(|item| item.as_text()).map(str::to_owned),
            at,
            phases: phases_of,
            end,
            start: true,
            goals,
            capsules,
            before,
            note,
            residuals,
        };
        Ok(TermFound { term, kind, own })
    }

    /// Whether it applies at impacts if no place is named. A cone does, unless it bounds the magnitude of forces, N,
    /// which does not apply to impulses.
    fn at_impacts(&self, table: &Table<'_>, kind: &TermKind) -> Result<bool, Error> {
        let Some(item) = table.get("impacts") else {
            let bounds = |key: &str| table.get(key).and_then(|item| item.as_number()).is_some_and(|most| most > 0.0);
            return Ok(kinds::is_cone(kind.name) && !bounds("least") && table.get("most").is_none());
        };
        match item.flag()? {
            true if table.get("phases").is_some() || table.get("at").is_some() => {
                Err(item.refuse("`phases` and `at` say where it counts: name the impact there"))
            }
            counts => Ok(counts),
        }
    }

    fn goals(&self, table: &Table<'_>, kind: &TermKind, ground: &Ground<'_>) -> Result<Vec<Goal>, Error> {
        let bounded = table.get("lower").or_else(|| table.get("upper")).is_some();
        let other = self.goals.iter().find_map(|key| table.get(key)).filter(|_| kind.goal != Form::None);
        match (other.or_else(|| table.get("goal")), table.get("goals")) {
            (Some(_), Some(item)) => Err(item.refuse("expected one goal or `goals`, found both")),
            (Some(item), None) => Ok(vec![Goal::read(&item, kind.goal, ground)?]),
            (None, Some(item)) => {
                let list = item.list("a list of goals, evenly over the nodes")?;
                if list.len() < 2 {
                    return Err(item.refuse(format!("expected two goals at least, found {}", list.len())));
                }
                list.iter().map(|item| Goal::read(item, kind.goal, ground)).collect()
            }
            (None, None) => match (Goal::default(kind.goal, ground), kind.goal) {
                (Some(goal), _) => Ok(vec![goal]),
                // Bounds of a place are those of its coordinates, and of one that is chosen there is no other goal.
                (None, Form::Vector(n)) if (!self.goals.is_empty() && bounded) || table.get("parameter").is_some() => {
                    Ok(vec![Goal::Vector(vec![0.0; n])])
                }
                (None, _) => {
                    let what = if kind.goal == Form::Pose { "{ xyz = [..], rpy = [..] }" } else { "[x, y, z]" };
                    Err(table.refuse(format!("missing key `goal`, expected {what} or {{ offset = [x, y, z] }}")))
                }
            },
        }
    }
}

/// Where the frame, or the center of mass, is at the start.
fn here(kind: &TermKind, frame: Option<FrameId>, start: &Start) -> Option<Transform<f64>> {
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
