//! Constraints: terms that are zero, stay between bounds, or in cones.

use super::cones::{self, Set};
use super::entries::{Entries, by_entry};
use super::goal::Form;
use super::kinds::{DURATION, TermKind, held_by};
use super::phases::PhaseTask;
use super::places::At;
use super::residual_spec::ResidualSpec;
use super::source::{Item, Sign, Table};
use super::start::Start;
use super::term::{Reader, Term, TermFound};
use crate::error::Error;
use gradyn_trajectory::residual::Residual;
use gradyn_trajectory::{Loss, PathConstraint};
use std::fmt;

/// A constraint of the task.
pub struct ConstraintTask {
    /// Its residual, and where it counts.
    pub term: Term,
    /// One for all rows, or one a row.
    pub lower: Vec<f64>,
    /// Upper bounds, one a row.
    pub upper: Vec<f64>,
    /// Of cones all bounds are infinite.
    pub set: Set,
}

impl fmt::Debug for ConstraintTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Term { name, kind, .. } = &self.term;
        f.debug_struct("ConstraintTask").field("name", name).field("kind", kind).finish_non_exhaustive()
    }
}

impl ConstraintTask {
    /// Whether several of its rows are in a second-order cone together.
    pub fn is_cone(&self) -> bool {
        self.set != Set::Between
    }
    /// Whether each of its rows equals one number, or is unbounded.
    pub fn is_equality(&self) -> bool {
        let counts = |(lower, upper): &(&f64, &f64)| lower.is_finite() || upper.is_finite();
        self.lower.iter().zip(&self.upper).filter(counts).all(|(lower, upper)| lower >= upper)
    }
    /// Takes out the constraints of the problem: of the end, or by phase.
    pub(super) fn build(&mut self, phases: &[PhaseTask], start: &Start) -> Vec<(Option<usize>, PathConstraint)> {
        let mut all = Vec::new();
        for piece in self.term.pieces(phases, start) {
            // Of a phase whose only node is the start, nothing is left.
            if piece.nodes.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let mut constraint = self.set.constraint(&self.term.name, piece.residual, &self.lower, &self.upper);
            if let Some(nodes) = piece.nodes {
                constraint = constraint.only_at(&nodes);
            }
            let constraint = piece.goals.into_iter().fold(constraint, |of, (k, goal)| of.goal_at(k, goal));
            all.push((piece.phase, constraint));
        }
        all
    }
}

/// Keys of all kinds.
const KEYS: [&str; 11] =
    ["name", "kind", "goal", "goals", "equal", "lower", "upper", "norm_at_most", "rows", "at", "phases"];

/// The list `constraints`.
pub(super) fn read(root: &Table<'_>, start: &Start, phases: &[PhaseTask]) -> Result<Vec<ConstraintTask>, Error> {
    let Some(item) = root.get("constraints") else { return Ok(Vec::new()) };
    let reader = Reader { start, phases, list: "constraints", one: "constraint", keys: &KEYS, goals: &["equal"] };
    let make = |table: &Table<'_>, TermFound { mut term, kind, own }| {
        if kind.name == DURATION {
            let why = format!("`{DURATION}` is for `[[costs]]`: `free_duration` of a phase has its bounds");
            return Err(table.refuse(why));
        }
        let rows = match (&term.contact, kind.entries) {
            (_, Entries::Controls) => start.actuated.names.len(),
            (Some(contact), Entries::Any) => rows_of(contact, phases),
            _ => term.residuals[0].rows(),
        };
        let named = || table.get("rows").map(|item| chosen(&item, kind, start, rows)).transpose();
        let set = cones::read(table, kind, rows, named)?;
        let (lower, upper) = match set {
            Set::Between => range(table, kind, start, own, rows)?,
            _ => (vec![f64::NEG_INFINITY; rows], vec![f64::INFINITY; rows]),
        };
        place(table, kind, start, phases.len(), &mut term)?;
        Ok(ConstraintTask { term, lower, upper, set })
    };
    reader.read(&item, make, |constraint| &constraint.term)
}

fn rows_of(contact: &str, phases: &[PhaseTask]) -> usize {
    held_by(contact, phases).map_or(0, |held| held.contact.constraint.rows())
}

/// Whether it depends on the state alone, and not on the controls.
fn of_state(residual: &dyn Residual) -> bool {
    let depends = residual.depends();
    !(depends.u || depends.a || depends.f)
}

/// What sees the state alone also holds at impacts and at the end, if no place is named, but not at the start, which is
/// given.
fn place(table: &Table<'_>, kind: &TermKind, start: &Start, phases: usize, term: &mut Term) -> Result<(), Error> {
    let state = of_state(&*term.residuals[0]);
    if term.end && !state {
        let item = table.get("at");
        let refuse = |why: String| item.as_ref().map_or_else(|| table.refuse(&why), |item| item.refuse(&why));
        return Err(refuse(format!(
            "at the last node there are no controls and no forces, which `{}` is of",
            kind.name
        )));
    }
    if !state {
        return Ok(());
    }
    term.start = false;
    if let (At::Nodes(_), Some(0), Some(item)) = (&term.at, term.phases.first(), table.get("at"))
        && let Ok(list) = item.list("nodes")
        && list.iter().any(|item| item.integer().is_ok_and(|k| k == 0))
    {
        return Err(item.refuse("node 0 of the first phase is the start, which is given: no constraint can change it"));
    }
    if term.at == At::Along && table.get("phases").is_none() && term.contact.is_none() {
        everywhere(table, kind, start, phases, term)?;
    }
    Ok(())
}

/// At all nodes of all phases and at the end.
fn everywhere(table: &Table<'_>, kind: &TermKind, start: &Start, phases: usize, term: &mut Term) -> Result<(), Error> {
    while term.residuals.len() < phases + 1 {
        // What is of a contact does not come here.
        let made = ResidualSpec { table, start, frame: term.frame, contact: None, goal: &term.goals[0] };
        term.residuals.push(kind.built(&made)?.residual);
    }
    term.phases = (0..phases).collect();
    term.end = true;
    Ok(())
}

/// `equal`, or `lower` and `upper`, a number, a list or a table each; and which `rows` count.
fn range(
    table: &Table<'_>,
    kind: &TermKind,
    start: &Start,
    own: Option<Loss>,
    rows: usize,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let (equal, lower, upper) = (table.get("equal"), table.get("lower"), table.get("upper"));
    if let (Some(_), Some(item)) = (&equal, lower.as_ref().or(upper.as_ref())) {
        return Err(item.refuse("expected `equal` or bounds, found both"));
    }
    let side = |item: &Item<'_>, default: f64, sign: Sign| match item.is_list() || item.is_table() {
        true => by_entry(item, kind.entries, start, vec![default; rows], sign),
        false => Ok(vec![item.number(sign)?; rows]),
    };
    let infinite = f64::INFINITY;
    let bounds = match (equal, lower, upper, own) {
        (Some(item), ..) if kind.goal == Form::None => {
            let goal = side(&item, 0.0, Sign::Any)?;
            Some((goal.clone(), goal))
        }
        // It is the goal.
        (Some(_), ..) => Some((vec![0.0; rows], vec![0.0; rows])),
        (None, None, None, Some(Loss::QuadraticBarrier { lower, upper })) => Some((lower, upper)),
        (None, None, None, _) => {
            let zero = table.get("goal").or_else(|| table.get("goals")).or_else(|| table.get("parameter"));
            zero.filter(|_| kind.name != "parameter").map(|_| (vec![0.0; rows], vec![0.0; rows]))
        }
        (None, lower, upper, _) => {
            let of = |item: Option<Item<'_>>, default: f64| match item {
                None => Ok(vec![default; rows]),
                Some(item) => side(&item, default, Sign::Bound),
            };
            Some((of(lower, -infinite)?, of(upper, infinite)?))
        }
    };
    let Some((mut lower, mut upper)) = bounds else {
        return Err(table.refuse(
            "missing key `equal`, expected what it is to be, or `lower` or `upper`, its bounds, or `norm_at_most`",
        ));
    };
    let at = table.get("lower").or_else(|| table.get("upper"));
    let refuse = |why: String| at.as_ref().map_or_else(|| table.refuse(&why), |item| item.refuse(&why));
    if let Some((l, u)) = lower.iter().zip(&upper).find(|(l, u)| l > u) {
        return Err(refuse(format!("a lower bound, {l}, is above the upper one, {u}")));
    }
    if let Some(item) = table.get("rows") {
        let chosen = chosen(&item, kind, start, rows)?;
        for k in (0..rows).filter(|k| !chosen.contains(k)) {
            (lower[k], upper[k]) = (-infinite, infinite);
        }
    }
    if lower.iter().zip(&upper).all(|(l, u)| l.is_infinite() && u.is_infinite()) {
        return Err(refuse(String::from("it bounds nothing: all its bounds are infinite")));
    }
    Ok((lower, upper))
}

/// Rows by number or by name.
fn chosen(item: &Item<'_>, kind: &TermKind, start: &Start, rows: usize) -> Result<Vec<usize>, Error> {
    let nv = start.model.nv();
    let mut names: Vec<(String, std::ops::Range<usize>)> = match kind.entries {
        Entries::State => vec![("q".into(), 0..nv), ("v".into(), nv..2 * nv)],
        Entries::Twist => vec![("linear".into(), 0..3), ("angular".into(), 3..6)],
        Entries::Controls => Vec::new(),
        Entries::Numbers(3) => ["x", "y", "z"].iter().enumerate().map(|(k, x)| ((*x).into(), k..k + 1)).collect(),
        Entries::Numbers(_) | Entries::Any => Vec::new(),
    };
    match kind.entries {
        Entries::State => {
            for (k, dof) in start.model.dof_names().iter().enumerate() {
                names.push((format!("q.{dof}"), k..k + 1));
                names.push((format!("v.{dof}"), nv + k..nv + k + 1));
            }
        }
        Entries::Controls => {
            names.extend(start.actuated.names.iter().enumerate().map(|(k, name)| (name.clone(), k..k + 1)));
        }
        _ => {}
    }
    let mut chosen = Vec::new();
    for item in item.list("a list of rows, by number or name")? {
        if let Some(name) = item.as_text() {
            let found = names.iter().find(|(known, _)| known == name);
            let known = names.iter().map(|(name, _)| name.as_str());
            chosen.extend(found.ok_or_else(|| item.unknown("row", name, known))?.1.clone());
        } else {
            let row = usize::try_from(item.integer()?).ok().filter(|row| *row < rows);
            chosen.push(row.ok_or_else(|| item.expected(&format!("a row from 0 to {}", rows.saturating_sub(1))))?);
        }
    }
    Ok(chosen)
}
