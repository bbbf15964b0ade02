//! From a file to claims about the robot: every number has its place, every error names it.

use super::Layout;
use super::claimed::Claimed;
use super::coordinates::Coordinates;
use super::table::{Array, Content, CsvCell, Entry, Shape, Table};
use super::{Claim, Claims, StateClaims};
use crate::constraints::{self, Constraints};
use crate::evaluation::Places;
use crate::labels::Labels;
use crate::quantity::{self, Axis, Parts, Quantity};
use crate::robot::Robot;
use crate::states::{DIRECTION, LinkWrench, State, one_each, unknown_link};
use gradyn::dynamics::{ReferenceFrame, WrenchFrame};
use gradyn::model::InputError;
use nalgebra::DMatrix;
use std::collections::HashMap;

pub(super) fn claims(table: Table, robot: &Robot, layout: Layout, held: Constraints) -> Result<Claims, String> {
    let coordinates = Coordinates::new(&robot.model, layout, table.joints.as_deref())?;
    for (what, said, expected) in [("nq", table.nq, coordinates.nq), ("nv", table.nv, coordinates.nv)] {
        #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "small whole numbers")]
        if let Some(said) = said
            && said != expected as f64
        {
            let hint = hint(robot);
            return Err(format!("`{what}`: expected {expected} for this robot, found {said}{hint}"));
        }
    }
    if table.states.is_empty() {
        return Err(String::from("it holds no state, expected one at least"));
    }
    let constraints = match (&held.given, &table.constraints, &table.restitution) {
        (None, ..) => constraints::read(table.constraints, table.restitution, &robot.model)?,
        (Some(_), None, None) => held,
        _ => return Err(String::from("it says what holds the robot, and so does the command line: give one of them")),
    };
    let labels = Labels::new(coordinates.v_names.clone(), &constraints, &robot.model);
    let reader = Reader { robot, layout, coordinates: &coordinates, constraints: &constraints, labels };
    let state = |(k, entries)| reader.state(entries).map_err(|reason| format!("state {k}{reason}"));
    let states = table.states.into_iter().enumerate().map(state).collect::<Result<_, _>>()?;
    Ok(Claims { coordinates, constraints, states })
}

/// What else the robot may have to be for the sizes to fit.
fn hint(robot: &Robot) -> &'static str {
    let has_root = robot.model.bodies().iter().any(|body| body.joint().kind() == "free-flyer");
    if has_root { "" } else { "; is `--floating-base` missing, or another `--continuous`?" }
}

struct Reader<'a> {
    robot: &'a Robot,
    layout: Layout,
    coordinates: &'a Coordinates,
    constraints: &'a Constraints,
    labels: Labels,
}

impl Reader<'_> {
    /// One state; errors begin with what follows "state 3".
    fn state(&self, entries: Vec<Entry>) -> Result<StateClaims, String> {
        let model = &self.robot.model;
        let (nq, nv) = (self.coordinates.nq, self.coordinates.nv);
        let (mut q, mut v, mut a, mut tau, mut tau_given, mut lambda) = (None, None, None, None, None, None);
        let mut direction: Option<[Vec<f64>; 4]> = None;
        let mut f_ext: Option<Vec<LinkWrench>> = None;
        let mut reference: Option<ReferenceFrame> = None;
        let mut claimed: Vec<(Claimed, Content)> = Vec::new();
        let links = self.robot.links();
        let velocities = &self.coordinates.v_names;
        for Entry { key, value } in entries {
            let named = |reason: String| format!(", `{key}`: {reason}");
            let vector = |names, size| vector(value_of(&key, &value)?, names, size).map_err(named);
            match key.as_str() {
                "q" => q = Some(vector(&self.coordinates.q_names, "nq").map_err(|reason| self.with_hint(reason))?),
                "v" => v = Some(vector(velocities, "nv")?),
                "a" => a = Some(vector(velocities, "nv")?),
                "tau" => tau = Some(vector(velocities, "nv")?),
                "tau_given" => tau_given = Some(vector(velocities, "nv")?),
                "lambda" => lambda = Some(vector(velocities, "nv")?),
                _ if is_reference(&key) => {
                    let found = self::reference(&value).map_err(named)?;
                    let before = *reference.get_or_insert(found);
                    if before != found {
                        let (before, found) = (before.name(), found.name());
                        return Err(named(format!("the state has one reference; found `{found}` beside `{before}`")));
                    }
                }
                _ => match key.split_once('.') {
                    Some(("direction", part)) => {
                        let Some(part) = DIRECTION.iter().position(|known| *known == part) else {
                            return Err(named(format!("unknown part, expected one of {}", DIRECTION.join(", "))));
                        };
                        let numbers = vector(velocities, "nv")?;
                        direction.get_or_insert_with(|| DIRECTION.map(|_| vec![0.0; nv]))[part] = numbers;
                    }
                    Some((input @ ("f_ext" | "f_ext_world"), link)) => {
                        let numbers = vector(&self.labels.along(Axis::Wrench), "fx,fy,fz,nx,ny,nz")?;
                        let Some(place) = links.get(link).copied() else {
                            return Err(unknown_link(input, link, &links));
                        };
                        let mut wrench = [0.0; 6];
                        wrench.copy_from_slice(&numbers);
                        let frame = if input == "f_ext" { WrenchFrame::Body } else { WrenchFrame::World };
                        let wrench = LinkWrench { link: link.to_owned(), wrench, frame, place };
                        f_ext.get_or_insert_default().push(wrench);
                    }
                    _ => {
                        let what = Claimed::parse(&key).map_err(named)?;
                        if claimed.iter().any(|(before, _)| *before == what) {
                            return Err(named(String::from("is there twice")));
                        }
                        claimed.push((what, value));
                    }
                },
            }
        }
        let q = q.ok_or_else(|| format!(": missing `q`, expected {nq} numbers (nq)"))?;

        // Torques are what accelerations come from, or else a claim.
        let forward = claimed.iter().any(|(what, _)| what.quantity.needs_tau());
        let (given, tau) = match (tau_given, tau) {
            (Some(given), tau) => (Some(given), tau),
            (None, tau) if forward => (tau, None),
            (None, tau) => (None, tau),
        };
        if claimed.is_empty() && tau.is_none() {
            return Err(String::from(": it claims nothing, expected quantities such as `dtau_dq` beside q, v and a"));
        }
        one_each(f_ext.as_deref().unwrap_or_default()).map_err(|reason| format!(": {reason}"))?;
        let present = [v.is_some(), a.is_some(), given.is_some(), lambda.is_some(), direction.is_some()];
        let torques = Claimed { quantity: Quantity::Tau, part: String::new() };
        for what in claimed.iter().map(|(what, _)| what).chain(tau.is_some().then_some(&torques)) {
            for ((input, needed), present) in what.needs().into_iter().zip(present) {
                if needed && !present {
                    return Err(format!(": missing `{input}`, expected {nv} numbers (nv) for `{}`", what.name()));
                }
            }
        }

        let (v, a) = (v.unwrap_or_else(|| vec![0.0; nv]), a.unwrap_or_else(|| vec![0.0; nv]));
        let given = given.unwrap_or_else(|| vec![0.0; nv]);
        let here = self.coordinates.configuration(&q);
        model.check_configuration(&here).map_err(|error| not_normalized(&error))?;
        let v_here = self.coordinates.velocity(&here, &v);
        let a_here = self.coordinates.acceleration(&here, &v_here, &a);
        let tau_here = self.coordinates.velocity(&here, &given);
        let mut claims = Vec::with_capacity(claimed.len() + 1);
        if let Some(tau) = tau {
            claims.push(Claim { what: torques, value: DMatrix::from_vec(nv, 1, tau) });
        }
        for (what, content) in claimed {
            self.check_part(&what, f_ext.as_deref()).map_err(|reason| format!(", `{}`: {reason}", what.name()))?;
            let value = self.matrix(&what, content, &here).map_err(|reason| format!(", `{}`{reason}", what.name()))?;
            claims.push(Claim { what, value });
        }
        // Whatever the order of the file.
        claims.sort_by(|a, b| (a.what.quantity, &a.what.part).cmp(&(b.what.quantity, &b.what.part)));
        // As velocities and torques.
        let turned = |there: Vec<f64>| self.coordinates.velocity(&here, &there);
        let (lambda, direction) = (lambda.map(turned), direction.map(|parts| parts.map(turned)));
        let reference = reference.unwrap_or(ReferenceFrame::Local);
        let state = State { q: here, v: v_here, a: a_here, tau: Some(tau_here), f_ext, lambda, direction };
        Ok(StateClaims { state, v, a, tau: given, reference, claims })
    }

    fn with_hint(&self, reason: String) -> String {
        format!("{reason}{}", hint(self.robot))
    }

    /// Checks that there is such a link with a wrench, such a frame, or what constraints need.
    fn check_part(&self, what: &Claimed, f_ext: Option<&[LinkWrench]>) -> Result<(), String> {
        let (robot, part) = (self.robot, &what.part);
        match what.quantity.parts() {
            _ if what.quantity.needs_constraints() && self.constraints.given.is_none() => {
                Err(String::from("missing `constraints`, or `--contact FRAME`"))
            }
            Parts::Wrenches if !f_ext.unwrap_or_default().iter().any(|link| link.link == *part) => {
                Err(format!("missing `f_ext.{part}`, the wrench on that link"))
            }
            Parts::Whole | Parts::Fields(_) | Parts::Wrenches => Ok(()),
            _ => Places::one(robot, what.quantity, part, ReferenceFrame::Local).map(|_| ()),
        }
    }

    /// The numbers of a claim, in the other side's coordinates; errors begin with what follows the quantity's name.
    fn matrix(&self, what: &Claimed, content: Content, q: &[f64]) -> Result<DMatrix<f64>, String> {
        let (rows, columns) = what.axes();
        let (row_names, column_names) = (self.labels.along(rows), self.labels.along(columns));
        let (n, m) = (row_names.len(), column_names.len());
        let array = match content {
            Content::Array(array) => array,
            Content::Text(_) => return Err(String::from(": expected numbers, found a string")),
            Content::Scattered(places) => {
                let numbers = gather(&places, &row_names, &column_names)?;
                return Ok(DMatrix::from_row_slice(n, m, &numbers));
            }
        };
        let (nq, nv) = (self.coordinates.nq, self.coordinates.nv);
        let Array { shape, numbers } = array;
        let fits = match (rows, columns) {
            (Axis::One, Axis::One) => matches!(shape.as_slice(), [] | [1]),
            (Axis::One, _) => shape == [m],
            (_, Axis::One) => shape == [n],
            // No joint moves.
            (_, Axis::DofPairs) => shape == [n, nv, nv] || (n == 0 && numbers.is_empty()),
            _ => shape == [n, m] || (n * m == 0 && numbers.is_empty()),
        };
        if fits {
            return Ok(DMatrix::from_row_slice(n, m, &numbers));
        }
        if what.quantity.is_by_configuration() && nq != nv && shape == [n, nq] {
            if self.layout == Layout::Drake {
                let by_coordinates = DMatrix::from_row_slice(n, nq, &numbers);
                return Ok(by_coordinates * self.coordinates.rates(&self.robot.model, q));
            }
            return Err(format!(
                ": its {nq} columns are derivatives by the numbers of q (nq), expected {nv} (nv), one for each \
                 direction of motion"
            ));
        }
        let expected = match (rows, columns) {
            (Axis::One, Axis::One) => Vec::new(),
            (Axis::One, _) => vec![m],
            (_, Axis::One) => vec![n],
            (_, Axis::DofPairs) => vec![n, nv, nv],
            _ => vec![n, m],
        };
        Err(format!(": expected {}, found {}", Shape(&expected), Shape(&shape)))
    }
}

/// The content, unless it is text.
fn value_of<'c>(key: &str, content: &'c Content) -> Result<&'c Content, String> {
    match content {
        Content::Text(_) => Err(format!(", `{key}`: expected numbers, found a string")),
        content => Ok(content),
    }
}

/// So many numbers as there are names.
fn vector(content: &Content, names: &[String], size: &str) -> Result<Vec<f64>, String> {
    let n = names.len();
    match content {
        Content::Array(array) if array.shape == [n] => Ok(array.numbers.clone()),
        Content::Array(array) => Err(format!("expected {n} numbers ({size}), found {}", Shape(&array.shape))),
        Content::Scattered(places) => gather(places, names, &[String::new()])
            .map_err(|reason| reason.trim_start_matches([':', ',', ' ']).to_owned()),
        Content::Text(_) => Err(String::from("expected numbers, found a string")),
    }
}

/// Puts numbers with names in their places, row by row.
fn gather(places: &[CsvCell], rows: &[String], columns: &[String]) -> Result<Vec<f64>, String> {
    let index = |names: &[String]| -> HashMap<String, usize> {
        let numbers = names.iter().enumerate().map(|(k, _)| (k.to_string(), k));
        // A name that is a number is a name.
        numbers.chain(names.iter().enumerate().map(|(k, name)| (name.clone(), k))).collect()
    };
    let (by_row, by_column) = (index(rows), index(columns));
    let mut lines = vec![None; rows.len() * columns.len()];
    let mut numbers = vec![0.0; lines.len()];
    for CsvCell { line, row, column, value } in places {
        let find = |what: &str, name: &str, by: &HashMap<String, usize>, names: &[String]| {
            by.get(name).copied().ok_or_else(|| {
                let (first, last) = (names.first().map_or("", String::as_str), names.last().map_or("", String::as_str));
                let expected = match names {
                    [only] if only.is_empty() => String::from("none"),
                    names => format!("one of {} such as `{first}`, `{last}`", names.len()),
                };
                format!(", line {line}: {what} `{name}`: expected {expected}")
            })
        };
        let at = find("row", row, &by_row, rows)? * columns.len() + find("column", column, &by_column, columns)?;
        if let Some(before) = lines[at].replace(*line) {
            return Err(format!(", row `{row}`, column `{column}` is given twice, in lines {before} and {line}"));
        }
        numbers[at] = *value;
    }
    if let Some(at) = lines.iter().position(Option::is_none) {
        let (row, column) = (&rows[at / columns.len()], &columns[at % columns.len()]);
        let found = lines.iter().flatten().count();
        return Err(format!(
            ": row `{row}`, column `{column}` is missing: expected {} numbers, found {found}",
            lines.len()
        ));
    }
    Ok(numbers)
}

/// Whether it is the key of a quantity's reference.
pub(super) fn is_reference(key: &str) -> bool {
    let quantity = key.strip_suffix(".reference").and_then(|head| quantity::parse(head).ok());
    quantity.is_some_and(|quantity| matches!(quantity.parts(), Parts::Frames | Parts::Points | Parts::Pairs))
}

fn reference(content: &Content) -> Result<ReferenceFrame, String> {
    let all = [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned];
    let expected = || all.map(ReferenceFrame::name).join(", ");
    let Content::Text(text) = content else { return Err(format!("expected one of {}", expected())) };
    let known = all.into_iter().find(|reference| reference.name() == text);
    known.ok_or_else(|| format!("expected one of {}, found `{text}`", expected()))
}

fn not_normalized(error: &InputError) -> String {
    match error {
        InputError::NotNormalized { joint, kind, direction, norm, .. } => {
            format!(", `q`: expected a {direction} of length 1 (joint `{joint}`, {kind}), found length {norm}")
        }
        error => format!(", `q`: {error}"),
    }
}
