//! A trajectory from a file: ours, or another program's. `.npz` or JSON, with `q`, `v`, `u`, or with `xs`, `us`, and with `time` if it is
//! there.

use crate::claims;
use crate::error::Error;
use crate::input;
use crate::json::{self, Json};
use crate::task::Task;
use gradyn_trajectory::{Trajectory, guess};
use std::path::Path;

/// States and controls, one a node.
#[derive(Debug)]
pub(super) struct Theirs {
    file: String,
    time: Option<Vec<f64>>,
    /// `(q, v)`
    x: Vec<Vec<f64>>,
    u: Vec<Vec<f64>>,
    /// Parameters, by name.
    parameters: Vec<(String, Vec<f64>)>,
}

/// What stands before the name of a parameter, where it is one of many arrays.
const PARAMETER: &str = "parameter.";

/// A list of lists.
type Lists = Vec<Vec<f64>>;

pub(super) fn read(path: &Path, task: &Task) -> Result<Theirs, Error> {
    let (file, bytes) = input::bytes(path)?;
    let refuse = |reason: String| Error::States { file: file.clone(), reason };
    let parts = if bytes.starts_with(b"PK") {
        claims::arrays(&bytes).map_err(refuse)?.into_iter().map(|(name, array)| (name, rows(array))).collect()
    } else {
        let text =
            String::from_utf8(bytes).map_err(|_| refuse(String::from("it is neither .npz nor text in UTF-8")))?;
        match json::parse(&text).map_err(|error| refuse(error.to_string()))? {
            Json::Object(entries) => {
                let lists = entries.into_iter().flat_map(|(key, value)| match value {
                    Json::Object(of) if key == "parameters" => {
                        let of = of.iter().filter_map(|(name, x)| Some((format!("{PARAMETER}{name}"), lists(x)?)));
                        of.collect()
                    }
                    value => lists(&value).map(|lists| (key, lists)).into_iter().collect::<Vec<_>>(),
                });
                lists.collect::<Vec<_>>()
            }
            other => return Err(refuse(format!("expected an object with q, v and u, found {}", other.describe()))),
        }
    };
    let of = |key: &str| parts.iter().find(|(known, _)| known == key).map(|(_, lists)| lists.clone());
    let need = |key: &str| of(key).ok_or_else(|| refuse(format!("missing `{key}`, expected q, v and u, or xs and us")));
    let time = of("time").map(|time| time.concat());
    let (x, u) = if of("xs").is_some() {
        (need("xs")?, need("us")?)
    } else {
        let (q, v) = (need("q")?, need("v")?);
        if q.len() != v.len() {
            return Err(refuse(format!("`q` has {} nodes, `v` has {}", q.len(), v.len())));
        }
        (q.into_iter().zip(v).map(|(q, v)| [q, v].concat()).collect(), need("u")?)
    };
    let expected = task.start.model.nq() + task.start.model.nv();
    if let Some((k, x)) = x.iter().enumerate().find(|(_, x)| x.len() != expected) {
        let found = x.len();
        return Err(refuse(format!("state {k} has {found} numbers, expected nq + nv = {expected}")));
    }
    if let Some(x) = x.iter().chain(&u).flatten().chain(time.iter().flatten()).find(|x| !x.is_finite()) {
        return Err(refuse(format!("expected finite numbers, found {x}")));
    }
    let of = |(key, lists): &(String, Lists)| Some((key.strip_prefix(PARAMETER)?.to_owned(), lists.concat()));
    let parameters = parts.iter().filter_map(of).collect();
    Ok(Theirs { file, time, x, u, parameters })
}

/// An array by its first axis.
fn rows((shape, numbers): claims::Numbers) -> Lists {
    let n = shape.first().copied().unwrap_or(1);
    let width = numbers.len().checked_div(n).unwrap_or(0);
    (0..n).map(|k| numbers[k * width..(k + 1) * width].to_vec()).collect()
}

fn lists(value: &Json) -> Option<Lists> {
    match value {
        Json::Numbers(numbers) => Some(numbers.iter().map(|x| vec![*x]).collect()),
        Json::List(list) => list
            .iter()
            .map(|entry| if let Json::Numbers(numbers) = entry { Some(numbers.clone()) } else { None })
            .collect(),
        _ => None,
    }
}

impl Theirs {
    fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::States { file: self.file.clone(), reason: reason.into() }
    }

    /// At the nodes of the problem, one to one.
    pub(super) fn exactly(&self, task: &Task) -> Result<Trajectory, Error> {
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
        if let Some(time) = self.time.as_ref().filter(|time| time.len() == states) {
            for phase in task.free_phases() {
                let nodes = problem.nodes_of(&phase.name).map_err(|error| self.refuse(error.to_string()))?;
                let lasts = time[nodes.end - first] - time[nodes.start - first];
                problem.set_duration(&phase.name, lasts, &mut all).map_err(|error| self.refuse(error.to_string()))?;
            }
        }
        self.choose(task, &mut all)?;
        Ok(all)
    }

    /// At the times of the problem's nodes; without times, one to one, and where phases last as long as in a trajectory of as many nodes.
    pub(super) fn resampled(&self, task: &Task) -> Result<Trajectory, Error> {
        let Some(time) = &self.time else { return self.exactly(task) };
        if task.free_phases().next().is_some() && self.x.len() == task.nodes() {
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
