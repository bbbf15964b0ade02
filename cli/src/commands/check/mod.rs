//! `gradyn check`: the methods against each other on random states, or what another program computed against evidence.

mod against;
mod compare;
mod evidence;
mod identity;
mod methods;
mod own;
mod page;
mod show;

use super::{Report, progress};
use crate::answer::StateAnswer;
use crate::args::Check;
use crate::constraints::{self, Constraints};
use crate::error::Error;
use crate::output::Output;
use crate::robot::Robot;
use crate::states::json::Json;
use crate::states::{self, State};
use compare::{Comparison, Names};
use gradyn::partials::{DerivativeWorkspace, Method};
use identity::Identity;
use methods::{At, Derivatives};
use serde::Serialize;
use std::path::Path;

/// All that a check found.
#[derive(Debug)]
struct Findings {
    seed: u64,
    /// The states that were looked at, by their numbers.
    first: u64,
    samples: u64,
    constraints: Constraints,
    comparisons: Vec<Comparison>,
    identities: Vec<Identity>,
    /// Numbers of the states where something deviates.
    deviating: Vec<u64>,
    /// Of those where constraints are about to lose a row, so that nothing is compared under them.
    singular: Vec<u64>,
}

impl Findings {
    fn agree(&self) -> bool {
        self.deviating.is_empty()
    }

    /// A state by its number; under constraints it has torques.
    fn state(&self, robot: &Robot, index: u64) -> State {
        let random = if self.constraints.list.is_empty() { states::random } else { states::random_held };
        random(robot, self.seed, index)
    }
}

pub(crate) fn check(args: &Check) -> Result<Report, Error> {
    if let Some(path) = &args.against {
        return against::check(args, path);
    }
    let robot = Robot::load(&args.robot)?;
    let inputs: Vec<&Path> =
        [Some(robot.path.as_path()), args.held.constraints.as_deref()].into_iter().flatten().collect();
    let output = args.report.as_deref().map(|report| Output::new(Some(report), &inputs)).transpose()?;
    let findings = examine(&robot, args)?;
    let (warnings, failed) = (robot.warnings(), !findings.agree());
    if let Some(mut output) = output {
        let page = own::page(&robot, args, &findings)?;
        output.write(|to| to.write_all(page.as_bytes()))?;
        output.finish()?;
    }
    if args.json {
        let mut data = json(&robot, &findings)?;
        data.push(b'\n');
        return Ok(Report { data, warnings, failed, ..Report::default() });
    }
    Ok(Report { text: show::readable(&robot, args, &findings), warnings, failed, ..Report::default() })
}

/// Every pair of methods, on every state.
fn examine(robot: &Robot, args: &Check) -> Result<Findings, Error> {
    let (first, samples) = args.state.map_or((0, args.samples), |state| (state, 1));
    let constraints = constraints::of_arguments(&args.held, robot)?;
    let mut findings = Findings {
        seed: args.seed,
        first,
        samples,
        comparisons: compare::all(&constraints),
        identities: identity::all(robot),
        deviating: Vec::new(),
        singular: Vec::new(),
        constraints,
    };
    let mut workspaces = Method::ALL.map(|_| DerivativeWorkspace::new(&robot.model));
    let mut spare = DerivativeWorkspace::new(&robot.model);
    let bar = progress(samples, "states");
    for index in first..first.saturating_add(samples) {
        let state = findings.state(robot, index);
        let refused = |error| Error::Input {
            place: format!("{}: random state {index} (seed {})", robot.path.display(), args.seed),
            error,
        };
        let mut by_method: Vec<Derivatives> = Vec::with_capacity(Method::ALL.len());
        let held = At::new(robot, &findings.constraints, &state).map_err(refused)?;
        findings.singular.extend(held.filter(At::is_singular).map(|_| index));
        let held = held.filter(|held| !held.is_singular());
        for (method, workspace) in Method::ALL.into_iter().zip(&mut workspaces) {
            let by = Derivatives::new(robot, held, workspace, method, &state);
            by_method.push(by.map_err(refused)?);
        }
        let mut agree = true;
        for comparison in &mut findings.comparisons {
            agree &= comparison.look(&by_method, index);
        }
        if let Some(by) = by_method.iter().find(|by| by.method == Method::Dual) {
            for identity in &mut findings.identities {
                agree &= identity.look(robot, &state, &by.torques, &mut spare, index).map_err(refused)?;
            }
        }
        if !agree {
            findings.deviating.push(index);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(findings)
}

/// The findings for programs. Deviating states stand in the form that `evaluate` reads.
#[derive(Serialize)]
struct Answer<'a> {
    robot: &'a str,
    seed: u64,
    first: u64,
    samples: u64,
    agree: bool,
    deviating: &'a [u64],
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    singular: &'a [u64],
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<&'a [Json]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restitution: Option<f64>,
    comparisons: Vec<compare::Answer<'a>>,
    identities: Vec<identity::Answer>,
    states: Vec<StateAnswer<'a>>,
}

fn json(robot: &Robot, findings: &Findings) -> Result<Vec<u8>, Error> {
    /// So many deviating states are written out.
    const WRITTEN: usize = 20;
    let written = findings.deviating.iter().take(WRITTEN);
    let states: Vec<_> = written.map(|index| findings.state(robot, *index)).collect();
    let names = Names::new(&robot.model, &findings.constraints);
    let given = findings.constraints.given.as_deref();
    let answer = Answer {
        robot: robot.model.name(),
        seed: findings.seed,
        first: findings.first,
        samples: findings.samples,
        agree: findings.agree(),
        deviating: &findings.deviating,
        singular: &findings.singular,
        constraints: given,
        restitution: given.map(|_| findings.constraints.restitution),
        comparisons: findings.comparisons.iter().map(|comparison| comparison.answer(&names)).collect(),
        identities: findings.identities.iter().map(Identity::answer).collect(),
        states: states.iter().map(StateAnswer::input).collect(),
    };
    serde_json::to_vec_pretty(&answer).map_err(|error| Error::Stdout(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    /// A wrong derivative is found, at its place, and the way to see it again is shown.
    #[test]
    fn a_wrong_derivative_is_found() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
        let Ok(Cli { command: Command::Check(args), .. }) =
            Cli::try_parse_from(["gradyn", "check", file, "--gravity", "0,0,-1", "--samples", "1"])
        else {
            panic!("the arguments are good")
        };
        let robot = Robot::load(&args.robot).expect("the robot is good");
        let mut findings = examine(&robot, &args).expect("runs");
        assert!(findings.agree());

        let state = states::random(&robot, 0, 7);
        let mut by = Method::ALL.map(|method| {
            let mut workspace = DerivativeWorkspace::new(&robot.model);
            let held = At::new(&robot, &findings.constraints, &state).expect("runs");
            Derivatives::new(&robot, held, &mut workspace, method, &state).expect("runs")
        });
        by[0].torques.dtau_dv[(1, 0)] += 1e-6;
        for comparison in &mut findings.comparisons {
            if !comparison.look(&by, 7) {
                findings.deviating.push(7);
            }
        }
        // By one of three methods, so in two of three pairs.
        assert_eq!(findings.deviating, [7, 7]);
        findings.deviating.dedup();
        let text = anstream::adapter::strip_str(&show::readable(&robot, &args, &findings)).to_string();
        let row = text.lines().find(|line| line.contains("DEVIATES")).expect("there is one");
        assert!(row.starts_with("∂τ/∂v") && row.contains("elbow") && row.contains("shoulder"), "{text}");
        assert!(text.contains("1 of 1 states deviate: ∂τ/∂v; again: gradyn check "), "{text}");
        assert!(text.trim_end().ends_with(" --gravity 0,0,-1 --seed 0 --state 7"), "{text}");
        let value: serde_json::Value = serde_json::from_slice(&json(&robot, &findings).expect("writes")).expect("JSON");
        assert_eq!((&value["agree"], &value["states"][0]["q"].as_array().map(Vec::len)), (&false.into(), &Some(2)));
    }

    /// So is one under constraints, at its row.
    #[test]
    fn a_wrong_derivative_under_constraints_is_found() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
        let Ok(Cli { command: Command::Check(args), .. }) =
            Cli::try_parse_from(["gradyn", "check", file, "--contact", "tip", "--samples", "1"])
        else {
            panic!("the arguments are good")
        };
        let robot = Robot::load(&args.robot).expect("the robot is good");
        let mut findings = examine(&robot, &args).expect("runs");
        assert!(findings.agree());
        let state = findings.state(&robot, 3);
        let mut by = Method::ALL.map(|method| {
            let mut workspace = DerivativeWorkspace::new(&robot.model);
            let held = At::new(&robot, &findings.constraints, &state).expect("runs");
            Derivatives::new(&robot, held, &mut workspace, method, &state).expect("runs")
        });
        by[1].held.as_mut().expect("is held").dynamics.dlambda_dtau[(2, 1)] += 1e-3;
        for comparison in &mut findings.comparisons {
            if !comparison.look(&by, 3) {
                findings.deviating.push(3);
            }
        }
        assert_eq!(findings.deviating, [3, 3]);
        findings.deviating.dedup();
        let text = anstream::adapter::strip_str(&show::readable(&robot, &args, &findings)).to_string();
        let row = text.lines().find(|line| line.contains("DEVIATES")).expect("there is one");
        assert!(row.starts_with("∂λ/∂τ") && row.contains("tip.z") && row.contains("elbow"), "{text}");
        assert!(text.trim_end().ends_with(" --contact tip --seed 0 --state 3"), "{text}");
        let value: serde_json::Value = serde_json::from_slice(&json(&robot, &findings).expect("writes")).expect("JSON");
        assert_eq!(value["constraints"][0]["frame"], "tip");
        assert_eq!(value["states"][0]["tau"].as_array().map(Vec::len), Some(2));
    }
}
