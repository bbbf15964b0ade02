//! `gradyn check`: the methods against each other on random states, or what another program computed against evidence.

mod against;
mod compare;
mod evidence;
mod identity;
mod own;
mod page;
mod show;

use super::{Report, progress};
use crate::answer::StateAnswer;
use crate::args::Check;
use crate::error::Error;
use crate::output::Output;
use crate::robot::Robot;
use crate::{evaluation, states};
use compare::Comparison;
use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives};
use identity::Identity;
use serde::Serialize;

/// All that a check found.
#[derive(Debug)]
struct Findings {
    seed: u64,
    /// The states that were looked at, by their numbers.
    first: u64,
    samples: u64,
    comparisons: Vec<Comparison>,
    identities: Vec<Identity>,
    /// Numbers of the states where something deviates.
    deviating: Vec<u64>,
}

impl Findings {
    fn agree(&self) -> bool {
        self.deviating.is_empty()
    }
}

pub(crate) fn check(args: &Check) -> Result<Report, Error> {
    if let Some(path) = &args.against {
        return against::check(args, path);
    }
    let robot = Robot::load(&args.robot)?;
    let output = args.report.as_deref().map(|report| Output::new(Some(report), &[&robot.path])).transpose()?;
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
    Ok(Report { text: show::readable(&robot, &args.robot, &findings), warnings, failed, ..Report::default() })
}

/// Every pair of methods, on every state.
fn examine(robot: &Robot, args: &Check) -> Result<Findings, Error> {
    let (first, samples) = args.state.map_or((0, args.samples), |state| (state, 1));
    let mut findings = Findings {
        seed: args.seed,
        first,
        samples,
        comparisons: compare::all(),
        identities: identity::all(robot),
        deviating: Vec::new(),
    };
    let mut workspaces = Method::ALL.map(|_| DerivativeWorkspace::new(&robot.model));
    let mut spare = DerivativeWorkspace::new(&robot.model);
    let bar = progress(samples, "states");
    for index in first..first.saturating_add(samples) {
        let state = states::random(robot, args.seed, index);
        let refused = |error| Error::Input {
            place: format!("{}: random state {index} (seed {})", robot.path.display(), args.seed),
            error,
        };
        let mut by_method: Vec<(Method, RneaDerivatives)> = Vec::with_capacity(Method::ALL.len());
        for (method, workspace) in Method::ALL.into_iter().zip(&mut workspaces) {
            let by = evaluation::derivatives(robot, workspace, method, &state).map_err(refused)?;
            by_method.push((method, by.clone()));
        }
        let mut agree = true;
        for comparison in &mut findings.comparisons {
            agree &= comparison.look(&by_method, index);
        }
        if let Some((_, by)) = by_method.iter().find(|(method, _)| *method == Method::Dual) {
            for identity in &mut findings.identities {
                agree &= identity.look(robot, &state, by, &mut spare, index).map_err(refused)?;
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
    comparisons: Vec<compare::Answer<'a>>,
    identities: Vec<identity::Answer>,
    states: Vec<StateAnswer<'a>>,
}

fn json(robot: &Robot, findings: &Findings) -> Result<Vec<u8>, Error> {
    /// So many deviating states are written out.
    const WRITTEN: usize = 20;
    let written = findings.deviating.iter().take(WRITTEN);
    let states: Vec<_> = written.map(|index| states::random(robot, findings.seed, *index)).collect();
    let names = robot.model.dof_names();
    let answer = Answer {
        robot: robot.model.name(),
        seed: findings.seed,
        first: findings.first,
        samples: findings.samples,
        agree: findings.agree(),
        deviating: &findings.deviating,
        comparisons: findings.comparisons.iter().map(|comparison| comparison.answer(&names)).collect(),
        identities: findings.identities.iter().map(Identity::answer).collect(),
        states: states.iter().map(StateAnswer::new).collect(),
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
            (method, evaluation::derivatives(&robot, &mut workspace, method, &state).expect("runs").clone())
        });
        by[0].1.dtau_dv[(1, 0)] += 1e-6;
        for comparison in &mut findings.comparisons {
            if !comparison.look(&by, 7) {
                findings.deviating.push(7);
            }
        }
        // By one of three methods, so in two of three pairs.
        assert_eq!(findings.deviating, [7, 7]);
        findings.deviating.dedup();
        let text = anstream::adapter::strip_str(&show::readable(&robot, &args.robot, &findings)).to_string();
        let row = text.lines().find(|line| line.contains("DEVIATES")).expect("there is one");
        assert!(row.starts_with("∂τ/∂v") && row.contains("elbow") && row.contains("shoulder"), "{text}");
        assert!(text.contains("1 of 1 states deviate: ∂τ/∂v; again: gradyn check "), "{text}");
        assert!(text.trim_end().ends_with(" --gravity 0,0,-1 --seed 0 --state 7"), "{text}");
        let value: serde_json::Value = serde_json::from_slice(&json(&robot, &findings).expect("writes")).expect("JSON");
        assert_eq!((&value["agree"], &value["states"][0]["q"].as_array().map(Vec::len)), (&false.into(), &Some(2)));
    }
}
