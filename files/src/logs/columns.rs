//! Which column of a table is which number of a robot.
//!
//! | of | columns |
//! |---|---|
//! | all | `time` |
//! | a joint with one number | `q.JOINT`, `v.JOINT`, `a.JOINT`, `tau.JOINT`; q is an angle where configurations hold its cosine and sine |
//! | a floating base | `q.JOINT.x`, `.y`, `.z`, `.qx`, `.qy`, `.qz`, `.qw`; `v.JOINT.vx` to `.wz`, `a.` and `tau.` alike, in its own axes |
//! | a ball joint | `q.JOINT.qx`, `.qy`, `.qz`, `.qw` |
//! | a planar joint | `q.JOINT.x`, `.y`, `.theta` |
//! | a contact | `f.FRAME.x`, `.y`, `.z`, and moments `.rx`, `.ry`, `.rz` |
//!
//! Columns of v, a and tau are those of all joints or of none; those of a base that floats, for itself, may be left
//! out.

use crate::nearest::nearest;
use gradyn::Model;
use gradyn::model::{Body, FrameId};
use std::f64::consts::PI;

/// A number of a configuration, or several, from columns.
#[derive(Clone, Copy, Debug)]
enum Coordinate {
    Length(usize),
    Angle(usize),
    /// Its cosine and its sine.
    Direction(usize),
    /// x, y, z, w.
    Quaternion([usize; 4]),
}

/// Columns of one contact.
#[derive(Clone, Debug)]
pub struct Contact {
    /// What is in contact.
    pub frame: FrameId,
    force: [usize; 3],
    moment: Option<[usize; 3]>,
}

/// Columns of configurations.
#[derive(Clone, Debug)]
pub struct Configuration(Vec<Coordinate>);

/// Where the numbers of a robot stand.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The column of time.
    pub time: usize,
    /// Of configurations.
    pub q: Configuration,
    /// One a degree of freedom; `None` where it is not there.
    pub v: Vec<Option<usize>>,
    /// The same of accelerations.
    pub a: Vec<Option<usize>>,
    /// The same of torques.
    pub tau: Vec<Option<usize>>,
    /// Of all contacts.
    pub contacts: Vec<Contact>,
    /// Columns that are not read, or stand twice, and what is made of those that are not there.
    pub odd: Vec<String>,
    /// Whether the rate of a degree of freedom is that of an angle.
    angular: Vec<bool>,
    /// Degrees of freedom of bases that float.
    base: Vec<bool>,
}

/// Quaternions whose length is off by no more are normalized: those of files have few digits.
const LENGTH: f64 = 0.01;

impl Configuration {
    /// Of a heading; the names are added to those that are known.
    pub fn new(heading: &[String], model: &Model, known: &mut Vec<String>) -> Result<Self, String> {
        let need = |name: &str| need(heading, name);
        let (names, mut q) = (model.dof_names(), Vec::new());
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let wanted = coordinate_names(body, &names)?;
            let columns = wanted.iter().map(|name| need(name)).collect::<Result<Vec<_>, _>>()?;
            known.extend(wanted);
            match (body.joint().kind(), &columns[..]) {
                ("free-flyer", [x, y, z, quaternion @ ..]) => {
                    q.extend([x, y, z].map(|column| Coordinate::Length(*column)));
                    q.push(quaternion_of(quaternion)?);
                }
                ("spherical", quaternion) => q.push(quaternion_of(quaternion)?),
                ("planar", [x, y, theta]) => {
                    q.extend([Coordinate::Length(*x), Coordinate::Length(*y), Coordinate::Direction(*theta)]);
                }
                ("prismatic" | "translation", lengths) => {
                    q.extend(lengths.iter().map(|column| Coordinate::Length(*column)));
                }
                (_, [angle]) if body.q_range().len() == 2 => q.push(Coordinate::Direction(*angle)),
                (_, angles) => q.extend(angles.iter().map(|column| Coordinate::Angle(*column))),
            }
        }
        Ok(Self(q))
    }

    /// A configuration from the numbers of a line.
    pub fn read(&self, degrees: bool, number: &impl Fn(usize) -> Result<f64, String>) -> Result<Vec<f64>, String> {
        let turn = if degrees { PI / 180.0 } else { 1.0 };
        let mut to = Vec::new();
        for coordinate in &self.0 {
            match coordinate {
                Coordinate::Length(column) => to.push(number(*column)?),
                Coordinate::Angle(column) => to.push(turn * number(*column)?),
                Coordinate::Direction(column) => {
                    let (sin, cos) = (turn * number(*column)?).sin_cos();
                    to.extend([cos, sin]);
                }
                Coordinate::Quaternion(columns) => to.extend(quaternion(columns, number)?),
            }
        }
        Ok(to)
    }
}

/// Where a column is.
pub fn need(heading: &[String], name: &str) -> Result<usize, String> {
    heading.iter().position(|column| column == name).ok_or_else(|| {
        let nearest = nearest(name, heading.iter().map(String::as_str)).unwrap_or_default();
        format!("there is no column `{name}`{nearest}")
    })
}

/// Columns that are not read, or stand twice.
pub fn odd(heading: &[String], known: &[String]) -> Vec<String> {
    let mut odd = Vec::new();
    for (k, name) in heading.iter().enumerate() {
        if heading.iter().position(|column| column == name) != Some(k) {
            odd.push(format!("column `{name}` stands twice: the first one is read"));
        } else if !known.contains(name) {
            let nearest = nearest(name, known.iter().map(String::as_str)).unwrap_or_default();
            odd.push(format!("column `{name}` is not read{nearest}"));
        }
    }
    odd
}

impl Columns {
    /// Of a heading; an error is a reason.
    pub fn new(heading: &[String], model: &Model) -> Result<Self, String> {
        let find = |name: &str| heading.iter().position(|column| column == name);
        let need = |name: &str| need(heading, name);
        let time = need("time")?;
        let names = model.dof_names();
        let mut known = vec!["time".to_owned()];
        let q = Configuration::new(heading, model, &mut known)?;
        let (mut angular, mut base) = (vec![true; names.len()], vec![false; names.len()]);
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let dofs = body.v_range();
            let lengths = match body.joint().kind() {
                "free-flyer" => 3,
                "planar" => 2,
                "prismatic" | "translation" => dofs.len(),
                _ => 0,
            };
            angular[dofs.start..dofs.start + lengths].fill(false);
            if body.parent().is_none() && dofs.len() > 1 {
                dofs.for_each(|dof| base[dof] = true);
            }
        }
        let mut odd = Vec::new();
        // Of the bases and of the joints: all or none.
        let mut rates = |what: &str, of_base: bool, of_joints: bool| -> Result<Vec<Option<usize>>, String> {
            let mut found = vec![None; names.len()];
            for part in [true, false] {
                let dofs: Vec<usize> = (0..names.len()).filter(|dof| base[*dof] == part).collect();
                let column = |dof: &usize| format!("{what}.{}", names[*dof]);
                known.extend(dofs.iter().map(column));
                let optional = if part { of_base } else { of_joints };
                if optional && dofs.iter().all(|dof| find(&column(dof)).is_none()) {
                    if what == "v" && !dofs.is_empty() {
                        let of = if part { "the base" } else { "joints" };
                        odd.push(format!("there are no velocities of {of}: they are differences of positions"));
                    }
                    continue;
                }
                for dof in dofs {
                    found[dof] = Some(need(&column(&dof))?);
                }
            }
            Ok(found)
        };
        let floats = base.contains(&true);
        let (v, a) = (rates("v", true, false)?, rates("a", true, true)?);
        let tau = rates("tau", true, floats)?;
        let contacts = contacts(heading, model, &mut known)?;
        odd.extend(self::odd(heading, &known));
        Ok(Self { time, q, v, a, tau, contacts, odd, angular, base })
    }

    /// Whether a floating base has no wrench, neither measured nor of contacts.
    pub fn is_free(&self) -> bool {
        self.contacts.is_empty() && (0..self.tau.len()).any(|dof| self.base[dof] && self.tau[dof].is_none())
    }

    /// Degrees of freedom whose torques are known: bases without columns have no wrench but that of contacts.
    pub fn measured(&self) -> Vec<usize> {
        (0..self.tau.len()).filter(|dof| self.tau[*dof].is_some() || self.base[*dof]).collect()
    }

    /// Rates, accelerations or torques; zero where there is no column.
    pub fn rates(
        &self,
        of: &[Option<usize>],
        degrees: bool,
        number: &impl Fn(usize) -> Result<f64, String>,
    ) -> Result<Vec<f64>, String> {
        let turn = |dof: usize| if degrees && self.angular[dof] { PI / 180.0 } else { 1.0 };
        let rate = |(dof, column): (usize, &Option<usize>)| column.map_or(Ok(0.0), |k| Ok(turn(dof) * number(k)?));
        of.iter().enumerate().map(rate).collect()
    }
}

impl Contact {
    /// Force and moment.
    pub fn wrench(&self, number: &impl Fn(usize) -> Result<f64, String>) -> Result<[f64; 6], String> {
        let mut to = [0.0; 6];
        let columns = self.force.iter().chain(self.moment.iter().flatten());
        for (to, column) in to.iter_mut().zip(columns) {
            *to = number(*column)?;
        }
        Ok(to)
    }
}

/// Columns of the configuration of a joint.
fn coordinate_names(body: &Body, dof_names: &[String]) -> Result<Vec<String>, String> {
    let joint = body.joint_name();
    let suffixes: &[&str] = match body.joint().kind() {
        "free-flyer" => &["x", "y", "z", "qx", "qy", "qz", "qw"],
        "spherical" => &["qx", "qy", "qz", "qw"],
        "planar" => &["x", "y", "theta"],
        kind => {
            let (nq, nv) = (body.q_range().len(), body.v_range().len());
            if nq != nv && (nq, nv) != (2, 1) {
                return Err(format!("data of the joint `{joint}` cannot be read: it is {kind}"));
            }
            return Ok(dof_names[body.v_range()].iter().map(|name| format!("q.{name}")).collect());
        }
    };
    Ok(suffixes.iter().map(|suffix| format!("q.{joint}.{suffix}")).collect())
}

fn quaternion_of(columns: &[usize]) -> Result<Coordinate, String> {
    let columns = columns.try_into().map_err(|_| "expected four columns of a quaternion".to_owned())?;
    Ok(Coordinate::Quaternion(columns))
}

/// A quaternion of length one.
pub fn quaternion(columns: &[usize; 4], number: &impl Fn(usize) -> Result<f64, String>) -> Result<[f64; 4], String> {
    let mut numbers = [0.0; 4];
    for (to, column) in numbers.iter_mut().zip(columns) {
        *to = number(*column)?;
    }
    let length = numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (length - 1.0).abs() <= LENGTH {
        return Ok(numbers.map(|x| x / length));
    }
    Err(format!("the quaternion has length {length}: expected 1"))
}

/// All `f.FRAME.…`.
fn contacts(heading: &[String], model: &Model, known: &mut Vec<String>) -> Result<Vec<Contact>, String> {
    const NUMBERS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
    let mut names: Vec<&str> = Vec::new();
    for column in heading {
        let Some((name, number)) = column.strip_prefix("f.").and_then(|rest| rest.rsplit_once('.')) else { continue };
        if NUMBERS.contains(&number) && !names.contains(&name) {
            names.push(name);
        }
    }
    let mut found = Vec::new();
    for name in names {
        let Some(frame) = model.find_frame(name) else {
            let nearest = nearest(name, model.frames().iter().map(|frame| frame.name())).unwrap_or_default();
            return Err(format!("columns `f.{name}.…`: the robot has no frame `{name}`{nearest}"));
        };
        let column = |number: &str| format!("f.{name}.{number}");
        let find = |number: &str| heading.iter().position(|column_name| *column_name == column(number));
        let need = |number: &str| {
            find(number).ok_or_else(|| format!("there is no column `{}`, but others of this contact", column(number)))
        };
        let three = |numbers: &[&str]| -> Result<[usize; 3], String> {
            Ok([need(numbers[0])?, need(numbers[1])?, need(numbers[2])?])
        };
        let has_moment = NUMBERS[3..].iter().any(|number| find(number).is_some());
        let moment = if has_moment { Some(three(&NUMBERS[3..])?) } else { None };
        found.push(Contact { frame, force: three(&NUMBERS[..3])?, moment });
        known.extend(NUMBERS.map(column));
    }
    Ok(found)
}
