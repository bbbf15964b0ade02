//! `gradyn check`: the methods against each other on random states, or what another program computed against evidence.

mod against;
mod findings;
mod json;
mod own;
mod sampled;
mod show;

use super::{Report, progress};
use crate::args::Check;
use crate::error::Error;
use crate::memory::{Evaluation, MemoryLimit};
use crate::output::Output;
use findings::Findings;
use gradyn::model::InputError;
use gradyn::partials::Method;
use gradyn_files::check::compare;
use gradyn_files::check::identity::{self, Facts};
use gradyn_files::check::methods::{self, Conditions, Derivatives};
use gradyn_files::constraints::Constraints;
use gradyn_files::quantity::Quantity;
use gradyn_files::robot::Robot;
use gradyn_files::states::State;
use json::json;
use std::path::Path;

pub(crate) fn check(args: &Check) -> Result<Report, Error> {
    if let Some(path) = &args.against {
        return against::check(args, path);
    }
    if let Some(path) = &args.function {
        return sampled::check(args, path);
    }
    let robot = args.robot.load()?;
    let inputs: Vec<&Path> =
        [Some(robot.path.as_path()), args.held.constraints.as_deref()].into_iter().flatten().collect();
    let output = args.report.as_deref().map(|report| Output::new(Some(report), &inputs)).transpose()?;
    let findings = examine(&robot, args)?;
    let failed = !findings.agree() || findings.untold() > 0 && !args.allow_unclear;
    let warnings = robot.warnings();
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
    let constraints = args.held.constraints(robot)?;
    let quantities = quantities(robot, args, &constraints)?;
    // Of the three methods, differences take the most memory.
    let (method, places) = (Method::Difference, methods::places(&robot.model, first));
    Evaluation { robot, quantities: &quantities, method, places: &places, constraints: &constraints }.check(
        MemoryLimit::new(args.robot.max_memory),
        &[],
        false,
    )?;
    let mut findings = Findings {
        seed: args.seed,
        first,
        samples,
        comparisons: compare::all(&quantities),
        identities: identity::all(robot),
        deviating: Vec::new(),
        singular: Vec::new(),
        without_accelerations: Vec::new(),
        never_accelerates: false,
        without_differences: Vec::new(),
        constraints,
    };
    let bar = progress(samples, "states");
    let end = first.saturating_add(samples);
    // States at a change of rank, and the like, are drawn again: from the numbers after those asked for.
    let (mut next, mut draws) = (end, if args.state.is_some() { 0 } else { DRAWS });
    for index in first..end {
        let refused = |index: u64| {
            move |error| {
                Error::input(format!("{}: random state {index} (seed {})", robot.path.display(), args.seed), error)
            }
        };
        let mut told = look(robot, args, &quantities, &mut findings, index, draws == 0).map_err(refused(index))?;
        for _ in 0..draws {
            if told {
                break;
            }
            told = look(robot, args, &quantities, &mut findings, next, false).map_err(refused(next))?;
            next = next.saturating_add(1);
        }
        if !told {
            // It is so everywhere: no state is drawn again.
            draws = 0;
            look(robot, args, &quantities, &mut findings, index, true).map_err(refused(index))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !findings.without_accelerations.is_empty() {
        findings.never_accelerates = true;
        for index in (0..DRAWS as u64).map(|k| end.saturating_add(k)) {
            let refused = |error| {
                Error::input(format!("{}: random state {index} (seed {})", robot.path.display(), args.seed), error)
            };
            let state = findings.state(robot, index);
            let conditions = Conditions::new(robot, &findings.constraints, &state).map_err(refused)?;
            findings.never_accelerates &= conditions.hide_accelerations();
        }
    }
    Ok(findings)
}

/// What is compared: all, or what the command line asks for.
fn quantities(robot: &Robot, args: &Check, constraints: &Constraints) -> Result<Vec<Quantity>, Error> {
    let all = methods::compared(&robot.model, constraints);
    if let Some(other) = args.quantities.iter().find(|quantity| !all.contains(quantity)) {
        let reason = match other {
            other if !other.is_by_method() => "is not a derivative that several methods give",
            other if other.needs_constraints() => "needs constraints, such as --contact FRAME",
            _ => "is too large for this robot: its tensors are compared up to 64 degrees of freedom",
        };
        return Err(Error::Usage(format!("--quantities: `{other}` {reason}")));
    }
    let asked = |quantity: &Quantity| args.quantities.is_empty() || args.quantities.contains(quantity);
    Ok(all.into_iter().filter(asked).collect())
}

/// A state where something cannot be compared is drawn again so often.
const DRAWS: usize = 20;

/// Compares one more state. Returns whether all was compared. If not, nothing was, unless `anyway` is set.
fn look(
    robot: &Robot,
    args: &Check,
    quantities: &[Quantity],
    findings: &mut Findings,
    index: u64,
    anyway: bool,
) -> Result<bool, InputError> {
    let state = findings.state(robot, index);
    look_at(robot, args, quantities, findings, (index, &state), anyway)
}

/// One more state, by its number.
fn look_at(
    robot: &Robot,
    args: &Check,
    quantities: &[Quantity],
    findings: &mut Findings,
    (index, state): (u64, &State),
    anyway: bool,
) -> Result<bool, InputError> {
    let conditions = Conditions::new(robot, &findings.constraints, state)?;
    if !anyway && (conditions.lose_a_row() || conditions.hide_accelerations()) {
        return Ok(false);
    }
    findings.singular.extend(conditions.lose_a_row().then_some(index));
    findings.without_accelerations.extend(conditions.hide_accelerations().then_some(index));
    let chosen = args.state.is_some() || !args.quantities.is_empty();
    let turn = chosen || methods::is_turn_of_tensors(&robot.model, index);
    let asked = quantities.iter().copied().filter(|quantity| conditions.allow(*quantity));
    let asked: Vec<Quantity> = asked.filter(|quantity| turn || !quantity.is_second_derivative()).collect();
    let places = methods::places(&robot.model, index);
    let constraints = &findings.constraints;
    let by = |asked: &[Quantity], method| Derivatives::new(robot, constraints, (asked, &places), method, state);
    let mut by_method = Vec::new();
    for method in Method::ALL {
        by_method.push(match by(&asked, method) {
            Err(InputError::SingularMassMatrix { .. }) if method == Method::Difference && !anyway => return Ok(false),
            Err(InputError::SingularMassMatrix { .. }) if method == Method::Difference => {
                findings.without_differences.push(index);
                let rest: Vec<Quantity> = asked.iter().copied().filter(|of| !of.needs_tau()).collect();
                by(&rest, method)?
            }
            done => done?,
        });
    }
    let mut agree = true;
    for comparison in &mut findings.comparisons {
        agree &= comparison.look(&by_method, conditions, index);
    }
    let facts = Facts::new(robot, state, conditions)?;
    for identity in &mut findings.identities {
        agree &= identity.look(&facts, index)?;
    }
    if !agree {
        findings.deviating.push(index);
    }
    Ok(true)
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
        let robot = args.robot.load().expect("the robot is good");
        let mut findings = examine(&robot, &args).expect("runs");
        assert!(findings.agree());

        let (state, constraints) = (findings.state(&robot, 7), Constraints::default());
        let conditions = Conditions::new(&robot, &constraints, &state).expect("runs");
        let (quantities, places) = (methods::compared(&robot.model, &constraints), methods::places(&robot.model, 7));
        let mut by = Method::ALL.map(|method| {
            Derivatives::new(&robot, &constraints, (&quantities, &places), method, &state).expect("runs")
        });
        by[0].value_mut(Quantity::DtauDv).expect("is there")[(1, 0)] += 1e-6;
        for comparison in &mut findings.comparisons {
            if !comparison.look(&by, conditions, 7) {
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

    /// The first step of differences, 1/8, leads into a gimbal lock: the other methods are compared there all the same,
    /// and it is said.
    #[test]
    fn differences_that_run_into_a_lock_are_left_out() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/accuracy/handroot.urdf");
        let Ok(Cli { command: Command::Check(args), .. }) =
            Cli::try_parse_from(["gradyn", "check", file, "--samples", "1"])
        else {
            panic!("the arguments are good")
        };
        let robot = args.robot.load().expect("the robot is good");
        let mut findings = examine(&robot, &args).expect("runs");
        assert!(findings.agree() && findings.without_differences.is_empty());
        let mut state = findings.state(&robot, 0);
        state.q[4] = std::f64::consts::FRAC_PI_2 + 0.125;
        let quantities = methods::compared(&robot.model, &findings.constraints);
        look_at(&robot, &args, &quantities, &mut findings, (0, &state), true).expect("is no error");
        assert!(findings.agree());
        assert_eq!(findings.without_differences, [0]);
        let text = anstream::adapter::strip_str(&show::readable(&robot, &args, &findings)).to_string();
        assert!(text.contains("1 of 1 states without differences of accelerations"), "{text}");
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
        let robot = args.robot.load().expect("the robot is good");
        let mut findings = examine(&robot, &args).expect("runs");
        assert!(findings.agree());
        let state = findings.state(&robot, 3);
        let conditions = Conditions::new(&robot, &findings.constraints, &state).expect("runs");
        let quantities = [Quantity::ConstraintForcesDtau];
        let places = methods::places(&robot.model, 3);
        let mut by = Method::ALL.map(|method| {
            Derivatives::new(&robot, &findings.constraints, (&quantities, &places), method, &state).expect("runs")
        });
        by[1].value_mut(Quantity::ConstraintForcesDtau).expect("is there")[(2, 1)] += 1e-3;
        for comparison in &mut findings.comparisons {
            if !comparison.look(&by, conditions, 3) {
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
