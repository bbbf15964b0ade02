//! Where a solver has ended, in the file of its solution, so that another solution may begin there: `warm_start`.

use crate::json::Json;
use crate::nearest::nearest;
use crate::task::Task;
use gradyn_trajectory::solver::ConstrainedSolver;
use gradyn_trajectory::{Trajectory, WarmNode, WarmStart};
use serde::Serialize;

/// The key in the file.
pub(super) const KEY: &str = "warm_start";

/// Multipliers, slacks and μ, and whose they are.
#[derive(Debug)]
pub(super) struct Warm {
    solver: String,
    mu: f64,
    scale: f64,
    nodes: Vec<WarmNode>,
}

/// Keys of it, and of a node.
const KEYS: [&str; 4] = ["solver", "mu", "scale", "nodes"];
const NODE: [&str; 5] = ["costate", "equalities", "slacks", "lower", "upper"];

/// As it is written.
#[derive(Debug, Serialize)]
pub(super) struct Written<'a> {
    solver: &'a str,
    mu: f64,
    scale: f64,
    nodes: Vec<WrittenNode<'a>>,
}

#[derive(Debug, Serialize)]
struct WrittenNode<'a> {
    costate: &'a [f64],
    equalities: &'a [f64],
    slacks: &'a [f64],
    lower: &'a [f64],
    upper: &'a [f64],
}

impl<'a> Written<'a> {
    pub(super) fn new(solver: &'a str, warm: &'a WarmStart) -> Self {
        let node = |node: &'a WarmNode| WrittenNode {
            costate: &node.costate,
            equalities: &node.equalities,
            slacks: &node.slacks,
            lower: &node.lower,
            upper: &node.upper,
        };
        Self { solver, mu: warm.mu, scale: warm.scale, nodes: warm.nodes.iter().map(node).collect() }
    }
}

impl Warm {
    /// What a file says; its sizes are not looked at.
    pub(super) fn read(value: Json) -> Result<Self, String> {
        let mut read = Self { solver: String::new(), mu: f64::NAN, scale: f64::NAN, nodes: Vec::new() };
        let mut missing: Vec<&str> = KEYS.to_vec();
        for (key, value) in object(value, KEY)? {
            let place = format!("{KEY}.{key}");
            let wrong = |what: &str, found: &str| format!("key `{place}`: expected {what}, found {found}");
            match (key.as_str(), value) {
                ("solver", Json::String(name)) => read.solver = name,
                ("mu", Json::Number(x)) if x >= 0.0 => read.mu = x,
                ("scale", Json::Number(x)) if x > 0.0 => read.scale = x,
                ("nodes", Json::List(list)) => {
                    let node = |(k, value)| node(value, &format!("{place}, entry {k}"));
                    read.nodes = list.into_iter().enumerate().map(node).collect::<Result<_, _>>()?;
                }
                ("solver", other) => return Err(wrong("the name of a solver", &other.describe())),
                ("mu", other) => return Err(wrong("a number that is not negative", &other.describe())),
                ("scale", other) => return Err(wrong("a positive number", &other.describe())),
                ("nodes", other) => return Err(wrong("a list of objects, one a node", &other.describe())),
                _ => return Err(unknown(&place, &key, &KEYS)),
            }
            missing.retain(|known| *known != key);
        }
        missing.first().map_or(Ok(read), |key| Err(format!("key `{KEY}`: missing key `{key}`")))
    }

    /// With its trajectory, for the solver of its name and a problem of the same sizes; else why not.
    pub(super) fn with(self, trajectory: Trajectory, task: &Task) -> Result<(ConstrainedSolver, WarmStart), String> {
        let methods = [ConstrainedSolver::Newton, ConstrainedSolver::Proximal];
        let method = methods.into_iter().find(|method| method.name() == self.solver);
        let method = method
            .ok_or_else(|| format!("`{KEY}` is of the solver `{}`, not of `newton` or `proximal`", self.solver))?;
        let Self { mu, scale, nodes, .. } = self;
        let warm = WarmStart { trajectory, mu, scale, nodes };
        if warm.fits(&task.problem) {
            Ok((method, warm))
        } else {
            Err(format!("`{KEY}` has other sizes than the task"))
        }
    }
}

fn unknown(place: &str, key: &str, known: &[&str]) -> String {
    let hint = nearest(key, known.iter().copied()).unwrap_or_else(|| format!("; there are {}", known.join(", ")));
    format!("key `{place}`: there is no key `{key}`{hint}")
}

fn object(value: Json, place: &str) -> Result<Vec<(String, Json)>, String> {
    match value {
        Json::Object(entries) => Ok(entries),
        other => Err(format!("key `{place}`: expected an object, found {}", other.describe())),
    }
}

fn node(value: Json, place: &str) -> Result<WarmNode, String> {
    let mut node = WarmNode::default();
    let mut missing: Vec<&str> = NODE.to_vec();
    for (key, value) in object(value, place)? {
        let place = format!("{place}, {key}");
        let to = match key.as_str() {
            "costate" => &mut node.costate,
            "equalities" => &mut node.equalities,
            "slacks" => &mut node.slacks,
            "lower" => &mut node.lower,
            "upper" => &mut node.upper,
            _ => return Err(unknown(&place, &key, &NODE)),
        };
        *to = match value {
            Json::Numbers(numbers) => numbers,
            other => return Err(format!("key `{place}`: expected a list of numbers, found {}", other.describe())),
        };
        missing.retain(|known| *known != key);
    }
    missing.first().map_or(Ok(node), |key| Err(format!("key `{place}`: missing key `{key}`")))
}
