//! A trajectory from a file: ours, or another program's. `.npz` or JSON, with `q`, `v`, `u`, or with `xs`, `us`, and
//! with `time` if it is there; in the order of `joints` and `controls`, if it names them.

use super::motion::Motion;
use super::warm::{self, Warm};
use crate::Error;
use crate::claims::{self, Coordinates, JointPlace};
use crate::input;
use crate::json::{self, Json};
use crate::nearest::nearest;
use crate::npz::{self, Array};
use crate::task::Task;
use gradyn_trajectory::{Trajectory, guess};
use std::path::Path;

/// States and controls, one a node, in the order of the robot and of the task.
#[derive(Debug)]
pub struct Reference {
    file: String,
    time: Option<Vec<f64>>,
    /// `(q, v)`
    x: Vec<Vec<f64>>,
    u: Vec<Vec<f64>>,
    /// Parameters, and durations of phases, by name.
    parameters: Vec<(String, Vec<f64>)>,
    durations: Vec<(String, Vec<f64>)>,
    /// Where its solver has ended.
    pub(super) warm: Option<Warm>,
}

/// What stands before the name of a parameter or of a phase, where it is one of many arrays.
const PARAMETER: &str = "parameter.";
const DURATION: &str = "duration.";

/// A list of lists.
type Lists = Vec<Vec<f64>>;

/// Entries of a file by key, whatever its form.
#[derive(Debug, Default)]
struct Entries {
    numbers: Vec<(String, Lists)>,
    texts: Vec<(String, Vec<String>)>,
    joints: Option<Vec<JointPlace>>,
    warm: Option<Json>,
    /// What is neither, described.
    others: Vec<(String, String)>,
}

/// Words in keys of names that are read under other keys, if at all.
const NAMES: [&str; 5] = ["name", "joint", "control", "motor", "actuator"];

impl Entries {
    fn of_npz(bytes: &[u8]) -> Result<Self, String> {
        let mut all = Self::default();
        for (key, array) in npz::read(bytes)?.0 {
            match array {
                Array::Numbers(shape, numbers) => all.numbers.push((key, rows(&shape, &numbers))),
                Array::Texts(names) if key == "joints" => {
                    all.joints = Some(names.into_iter().map(|name| JointPlace { name, start: None }).collect());
                }
                Array::Texts(texts) => all.texts.push((key, texts)),
            }
        }
        Ok(all)
    }

    fn of_json(text: &str) -> Result<Self, String> {
        let Json::Object(entries) = json::parse(text).map_err(|error| error.to_string())? else {
            return Err(String::from("expected an object with q, v and u"));
        };
        let mut all = Self::default();
        for (key, value) in entries {
            match value {
                value if key == "joints" => all.joints = Some(claims::joints(value)?),
                value if key == warm::KEY => all.warm = Some(value),
                Json::Object(of) if key == "parameters" || key == "durations" => {
                    let before = if key == "parameters" { PARAMETER } else { DURATION };
                    let of = of.iter().map(|(name, x)| (format!("{before}{name}"), lists(x)));
                    all.numbers.extend(of.filter_map(|(name, lists)| Some((name, lists?))));
                }
                value => {
                    let texts = texts(&value).filter(|texts| !texts.is_empty());
                    match (lists(&value), texts) {
                        (Some(lists), _) => all.numbers.push((key, lists)),
                        (None, Some(texts)) => all.texts.push((key, texts)),
                        (None, None) => all.others.push((key, value.describe())),
                    }
                }
            }
        }
        Ok(all)
    }

    fn numbers(&self, key: &str) -> Result<Option<&Lists>, String> {
        let found = |what: &str| Err(format!("key `{key}`: expected lists of numbers, found {what}"));
        if let Some((_, lists)) = self.numbers.iter().find(|(known, _)| known == key) {
            return Ok(Some(lists));
        }
        if self.texts.iter().any(|(known, _)| known == key) {
            return found("texts");
        }
        self.others.iter().find(|(known, _)| known == key).map_or(Ok(None), |(_, what)| found(what))
    }
    fn need(&self, key: &str) -> Result<&Lists, String> {
        self.numbers(key)?.ok_or_else(|| format!("missing `{key}`, expected q, v and u, or xs and us"))
    }
    /// Numbers by what follows in their keys.
    fn after(&self, before: &str) -> Vec<(String, Vec<f64>)> {
        let of = |(key, lists): &(String, Lists)| Some((key.strip_prefix(before)?.to_owned(), lists.concat()));
        self.numbers.iter().filter_map(of).collect()
    }
    /// The names of controls in the order of the file, if it has them; other lists of names are refused.
    fn controls(&self) -> Result<Option<&[String]>, String> {
        if self.numbers.iter().any(|(key, _)| key == "controls") {
            return Err(String::from("key `controls`: expected names of controls, found numbers"));
        }
        if let Some((_, what)) = self.others.iter().find(|(key, _)| key == "controls") {
            return Err(format!("key `controls`: expected names of controls, found {what}"));
        }
        let is_of_names = |key: &str| NAMES.iter().any(|word| key.to_lowercase().contains(word));
        match self.texts.iter().find(|(key, _)| key != "controls" && is_of_names(key)) {
            Some((key, _)) => Err(format!(
                "key `{key}`: names are read from `joints`, in the order of q and v, and `controls`, in the order of u"
            )),
            None => Ok(self.texts.iter().find(|(key, _)| key == "controls").map(|(_, names)| names.as_slice())),
        }
    }
}

/// Where each control of the task stands in the file: by name, and of several with one name in their order.
fn order(theirs: &[String], ours: &[String]) -> Result<Vec<usize>, String> {
    let places = |name: &String| -> Vec<usize> { (0..theirs.len()).filter(|k| theirs[*k] == *name).collect() };
    for (k, name) in theirs.iter().enumerate() {
        let count = ours.iter().filter(|other| *other == name).count();
        if count == 0 {
            let hint = nearest(name, ours.iter().map(String::as_str)).unwrap_or_else(|| match ours.len() {
                n if n <= 12 => format!("; there are {}", ours.join(", ")),
                _ => String::new(),
            });
            let name: String = name.chars().take(60).collect();
            return Err(format!("key `controls`, entry {k}: there is no control `{name}`{hint}"));
        }
        if places(name).iter().position(|at| *at == k).is_some_and(|nth| nth >= count) {
            return Err(format!("key `controls`, entry {k}: `{name}` is there twice"));
        }
    }
    let mut order = Vec::with_capacity(ours.len());
    for (i, name) in ours.iter().enumerate() {
        let nth = ours[..i].iter().filter(|other| *other == name).count();
        let at = places(name).get(nth).copied();
        order.push(at.ok_or_else(|| {
            format!("key `controls` lacks `{name}`: it has {} of the task's {} controls", theirs.len(), ours.len())
        })?);
    }
    Ok(order)
}

fn read_bytes(file: &str, bytes: Vec<u8>, task: &Task) -> Result<Reference, String> {
    let entries = if bytes.starts_with(b"PK") {
        Entries::of_npz(&bytes)?
    } else {
        Entries::of_json(&String::from_utf8(bytes).map_err(|_| String::from("it is neither .npz nor text in UTF-8"))?)?
    };
    let model = &task.start.model;
    let coordinates = Coordinates::new(model, claims::Layout::Gradyn, entries.joints.as_deref())?;
    let (nq, nv) = (model.nq(), model.nv());
    let has_xs = entries.numbers("xs")?.is_some();
    let mut x: Lists = if has_xs {
        entries.need("xs")?.clone()
    } else {
        let (q, v) = (entries.need("q")?, entries.need("v")?);
        if q.len() != v.len() {
            return Err(format!("`q` has {} nodes, `v` has {}", q.len(), v.len()));
        }
        for (key, lists, (what, n)) in [("q", q, ("nq", nq)), ("v", v, ("nv", nv))] {
            if let Some((k, found)) = lists.iter().map(Vec::len).enumerate().find(|(_, found)| *found != n) {
                return Err(format!("key `{key}`, entry {k}: it has {found} numbers, expected {what} = {n}"));
            }
        }
        q.iter().zip(v).map(|(q, v)| [q.as_slice(), v].concat()).collect()
    };
    let expected = nq + nv;
    if let Some((k, x)) = x.iter().enumerate().find(|(_, x)| x.len() != expected) {
        return Err(format!("key `xs`: state {k} has {} numbers, expected nq + nv = {expected}", x.len()));
    }
    let us = if has_xs { "us" } else { "u" };
    let mut u = entries.need(us)?.clone();
    let names = &task.start.actuated.names;
    // None at impacts.
    if let Some((k, u)) = u.iter().enumerate().find(|(_, u)| !u.is_empty() && u.len() != names.len()) {
        return Err(format!("key `{us}`: node {k} has {} controls, expected {}", u.len(), names.len()));
    }
    let time = entries.numbers("time")?.map(|time| time.concat());
    if let Some(x) = x.iter().chain(&u).flatten().chain(time.iter().flatten()).find(|x| !x.is_finite()) {
        return Err(format!("expected finite numbers, found {x}"));
    }
    if let Some(time) = &time {
        if time.len() != x.len() {
            return Err(format!("key `time`: it has {} entries, expected {}, one a state", time.len(), x.len()));
        }
        if let Some(k) = (1..time.len()).find(|k| time[*k] < time[k - 1]) {
            return Err(format!("key `time`, entry {k}: {} is before {}: times ascend", time[k], time[k - 1]));
        }
    }
    // In their order up to here.
    for x in &mut x {
        let q = coordinates.configuration(&x[..nq]);
        let v = coordinates.velocity(&q, &x[nq..]);
        *x = [q, v].concat();
    }
    if let Some(theirs) = entries.controls()? {
        let order = order(theirs, names)?;
        for u in u.iter_mut().filter(|u| !u.is_empty()) {
            *u = order.iter().map(|k| u[*k]).collect();
        }
    }
    let (parameters, durations) = (entries.after(PARAMETER), entries.after(DURATION));
    let warm = entries.warm.map(Warm::read).transpose()?;
    Ok(Reference { file: file.to_owned(), time, x, u, parameters, durations, warm })
}

/// An array by its first axis.
fn rows(shape: &[usize], numbers: &[f64]) -> Lists {
    let n = shape.first().copied().unwrap_or(1);
    let width = numbers.len().checked_div(n).unwrap_or(0);
    (0..n).map(|k| numbers[k * width..(k + 1) * width].to_vec()).collect()
}

fn lists(value: &Json) -> Option<Lists> {
    match value {
        Json::Number(x) => Some(vec![vec![*x]]),
        Json::Numbers(numbers) => Some(numbers.iter().map(|x| vec![*x]).collect()),
        Json::List(list) => list
            .iter()
            .map(|entry| if let Json::Numbers(numbers) = entry { Some(numbers.clone()) } else { None })
            .collect(),
        _ => None,
    }
}

fn texts(value: &Json) -> Option<Vec<String>> {
    let Json::List(list) = value else { return None };
    list.iter().map(|entry| if let Json::String(text) = entry { Some(text.clone()) } else { None }).collect()
}

/// Times that differ by less, s, are the same: what is left of sums of steps.
const SAME_TIME: f64 = 1e-9;

impl Reference {
    /// Reads a file for this task. The robot and the number of controls must be the task's; nodes need not.
    pub fn read(path: &Path, task: &Task) -> Result<Self, Error> {
        let (file, bytes) = input::bytes(path)?;
        read_bytes(&file, bytes, task).map_err(|reason| Error::content(file, reason))
    }

    fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::content(self.file.clone(), reason)
    }

    /// At the nodes of the problem, one to one.
    pub fn exactly(&self, task: &Task) -> Result<Trajectory, Error> {
        let problem = &task.problem;
        let mut all = guess::standing(problem);
        let (first, states, controls) = (task.first(), task.nodes(), task.nodes() - 1);
        if (self.x.len(), self.u.len()) != (states, controls) {
            let found = (self.x.len(), self.u.len());
            return Err(self.refuse(format!(
                "it has {} states and {} controls, expected {states} and {controls} as the task has",
                found.0, found.1
            )));
        }
        let nx = task.start.q.len() + task.start.v.len();
        for (k, x) in self.x.iter().enumerate() {
            all.x_mut(first + k)[..nx].copy_from_slice(x);
        }
        for (k, u) in self.u.iter().enumerate() {
            let to = all.u_mut(first + k);
            // At impacts nothing is controlled, whatever a rectangular array holds there.
            if to.is_empty() {
                continue;
            }
            if u.len() != to.len() {
                return Err(self.refuse(format!("node {k} has {} controls, expected {}", u.len(), to.len())));
            }
            to.copy_from_slice(u);
        }
        // What is remembered of the step before.
        let carried: usize = task.start.parameters.iter().map(|of| of.numbers).sum();
        let memory = problem.space().memory - carried - task.free_phases().count();
        for k in first..problem.steps() {
            let u = if all.u(k).len() == memory { all.u(k) } else { &all.x(k)[nx..nx + memory] }.to_vec();
            all.x_mut(k + 1)[nx..nx + memory].copy_from_slice(&u);
        }
        for phase in task.free_phases() {
            let said = self.durations.iter().find(|(name, _)| *name == phase.name);
            let lasts = match (said, &self.time) {
                (Some((_, seconds)), _) if seconds.len() == 1 => seconds[0],
                (Some(_), _) => return Err(self.refuse(format!("duration of `{}`: expected one number", phase.name))),
                (None, Some(time)) => {
                    let nodes = problem.nodes_of(&phase.name).map_err(|error| self.refuse(error.to_string()))?;
                    time[nodes.end - first] - time[nodes.start - first]
                }
                (None, None) => continue,
            };
            let set = problem.set_duration(&phase.name, lasts, &mut all);
            set.map_err(|error| self.refuse(format!("duration of `{}`: {error}", phase.name)))?;
        }
        self.choose(task, &mut all)?;
        Ok(all)
    }

    /// As it moves by itself: with forces if its nodes are those of the task, else with its states and torques alone.
    pub fn motion(&self, task: &Task) -> Result<Motion, Error> {
        let Some(time) = self.time.as_ref().filter(|time| !self.has_nodes_of(task, time)) else {
            return Ok(Motion::along(task, &self.exactly(task)?));
        };
        if time.is_empty() || self.u.len() >= time.len() {
            let (states, controls) = (self.x.len(), self.u.len());
            return Err(self.refuse(format!("it has {states} states and {controls} controls, expected fewer controls")));
        }
        Ok(Motion::of_states(task, time, &self.x, &self.u))
    }

    /// Whether these are the times of the problem's nodes.
    fn has_nodes_of(&self, task: &Task, time: &[f64]) -> bool {
        let first = task.first();
        let same = |(k, time): (usize, &f64)| (task.problem.time(first + k) - time).abs() <= SAME_TIME;
        self.x.len() == task.nodes()
            && self.u.len() + 1 == self.x.len()
            && (task.free_phases().next().is_some() || time.iter().enumerate().all(same))
    }

    /// At the times of the problem's nodes; without times, one to one, and where nodes are the same, or phases last as
    /// long as in a trajectory of as many nodes.
    pub fn resampled(&self, task: &Task) -> Result<Trajectory, Error> {
        let Some(time) = &self.time else { return self.exactly(task) };
        if self.has_nodes_of(task, time) {
            return self.exactly(task);
        }
        let made = guess::resampled(&task.problem, time, &self.x, &self.u);
        let mut made = made.map_err(|error| self.refuse(error.to_string()))?;
        self.choose(task, &mut made)?;
        Ok(made)
    }

    /// Parameters that the task has too.
    fn choose(&self, task: &Task, all: &mut Trajectory) -> Result<(), Error> {
        for (name, x) in &self.parameters {
            if task.start.parameters.iter().any(|of| of.parameter.name() == name) {
                task.problem.set_parameter(name, x, all).map_err(|error| self.refuse(error.to_string()))?;
            }
        }
        Ok(())
    }
}
