//! `gradyn optimize` with `[[constraints]]`.

use super::optimize::{flat, small, task};
use super::optimize_broken::refused_at;
use super::{directory, good, json, refused, robots, run};
use std::fs;

/// The small task with constraints: what follows `[[costs]]` of the tip becomes a constraint, and limits are kept.
pub(super) fn constrained(text: &str) -> String {
    let hard = "[limits]\nposition = true\nvelocity = 0.5\ntorque = 0.5\n\n[[constraints]]\nname = \"tip\"\n";
    let text = text.replacen("[[costs]]\nname = \"tip\"\n", hard, 1);
    let text = text.replacen(
        "goal = [0.5, 0.0, -1.5]\nweight = 100.0\n",
        "equal = [0.5, 0.0, -1.8]\nrows = [\"x\", \"z\"]\n",
        1,
    );
    text.replacen("name = \"fddp\"\niterations = 50\n", "name = \"newton\"\niterations = 100\n", 1)
}

/// The augmented Lagrangian keeps constraints too, and says what its μ is called.
#[test]
fn another_solver_keeps_all_constraints() {
    let folder = directory("proximal");
    let file = small(&folder, |text| {
        constrained(text).replace("name = \"newton\"", "name = \"proximal\"\nsoftness = 0.02\nhessian = \"automatic\"")
    });
    assert!(good(["optimize", &file, "--explain"]).contains("mu_init 0.02"));
    let text = good(["optimize", &file]);
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("converged: ") && last.contains("KKT error"), "{last}");
    assert!(text.contains(" penalty ") && !text.contains(" mu "), "{text}");
}

/// Constraints hold, and are told of: by the table, the files, the page, `--explain` and `--check`.
#[test]
fn constraints_are_kept_and_reported() {
    let folder = directory("constrained");
    let out = folder.join("out");
    let file = small(&folder, constrained);
    let text = good(["optimize", &file, "--check", "--output", out.to_str().expect("UTF-8")]);
    let first = text.lines().next().expect("lines");
    assert!(first.starts_with("all ") && first.ends_with(" derivatives agree"), "{first}");
    assert!(text.contains(" violation ") && text.contains(" mu ") && text.contains(" hessian"), "{text}");
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("converged: ") && last.contains(", violation "), "{last}");

    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    assert!(answer["violation"].as_f64().expect("a number") < 1e-6, "{}", answer["violation"]);
    let held = &answer["constraints"];
    for name in ["tip", "position limits", "velocity limits", "bounds of controls"] {
        assert!(held[name]["violation"].as_f64().expect("a number") < 1e-6, "{name}: {held}");
    }
    assert_eq!(held["tip"]["rows"], 2);
    // By the file of the robot, 20 rad/s and 100 N m.
    let greatest = |key: &str| flat(&answer[key]).into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(greatest("v") <= 10.0 + 1e-6, "{}", greatest("v"));
    assert!(greatest("u") <= 50.0, "{}", greatest("u"));
    let history = answer["history"].as_array().expect("a list");
    assert!(history[0]["mu"].as_f64() > history[history.len() - 1]["mu"].as_f64());
    let page = fs::read_to_string(out.join("report.html")).expect("is there");
    for part in ["<h2>Constraints</h2>", "velocity limits", "μ of the barriers"] {
        assert!(page.contains(part), "{part}");
    }

    let text = good(["optimize", &file, "--explain"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "newton, at most 100 iterations, tolerance 1e-8, 1 thread, hessian automatic, roll-out automatic, barrier 0.1",
        "tip frame-translation tip = 0 (2 of 3 rows) at the end",
        "velocity limits joint-limits -10 to 10 along move, and at the end",
        "bounds -50 to 50",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let theirs = out.join("trajectory.npz");
    let text = good(["optimize", &file, "--compare", theirs.to_str().expect("UTF-8")]);
    assert!(text.contains("largest violation"), "{text}");
    // With a constraint, the solver is the one that keeps it.
    let file = small(&folder, |text| constrained(text).replace("name = \"newton\"\n", ""));
    assert!(good(["optimize", &file, "--explain"]).contains("newton, at most 100 iterations"));
}

/// A norm is kept and told of, as one row.
#[test]
fn norms_are_kept_and_reported() {
    let folder = directory("norm");
    let out = folder.join("out");
    let near = |text: &str| constrained(text).replacen("equal = [0.5, ", "norm_at_most = 0.05\ngoal = [0.5, ", 1);
    let file = small(&folder, near);
    let text = good(["optimize", &file, "--check", "--output", out.to_str().expect("UTF-8")]);
    assert!(text.lines().last().expect("lines").starts_with("converged: "), "{text}");
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    let held = &answer["constraints"]["tip"];
    assert!(held["violation"].as_f64().expect("a number") < 1e-6, "{held}");
    // It would cost less to go less far.
    assert_eq!((&held["rows"], &held["active"]), (&1.into(), &1.into()), "{held}");
    assert!(held["multiplier"].as_f64().expect("a number") > 1e-3, "{held}");
    let text = good(["optimize", &file, "--explain"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("tip frame-translation tip norm <= 0.05 (2 of 3 rows) at the end"), "{text}");
}

/// A refusal names the constraint, the line of the solver, what it keeps, and the solvers that keep the constraint.
#[test]
fn refusals_name_the_solvers_that_keep_a_constraint() {
    let folder = directory("abilities");
    let near = |text: &str| constrained(text).replacen("equal = [0.5, ", "norm_at_most = 0.05\ngoal = [0.5, ", 1);
    let file = small(&folder, |text| near(text).replace("name = \"newton\"", "name = \"fddp\""));
    let keeps = "it keeps bounds of controls, durations and parameters only; `newton` and `proximal` keep it";
    refused_at(&file, "[[constraints]]", &["the constraint `tip`", "the solver `fddp` of line", keeps]);
    // A solver that was there names its successor.
    let file = small(&folder, |text| text.replace("name = \"fddp\"", "name = \"multiple-shooting\""));
    refused_at(&file, "name = \"multiple-shooting\"", &["`multiple-shooting` is gone: use `newton`"]);
    let free = |text: &str| text.replace("nodes = 20", "nodes = 20\nfree_duration = [0.2, 0.6]");
    for solver in ["fddp", "newton", "proximal"] {
        let file = small(&folder, |text| free(text).replace("name = \"fddp\"", &format!("name = \"{solver}\"")));
        let text = good(["optimize", &file]);
        assert!(text.lines().last().expect("lines").starts_with("converged: "), "{solver}: {text}");
    }
}

/// Multipliers of bounds of controls are written by all solvers that keep them, and agree.
#[test]
fn bounds_of_controls_have_multipliers() {
    let folder = directory("control-multipliers");
    let found = ["fddp", "newton", "proximal"].map(|solver| {
        let file = small(&folder, |text| {
            let text = text.replace("name = \"fddp\"", &format!("name = \"{solver}\""));
            text.replace("joints = [", "bounds = { lower = -6.0, upper = 6.0 }\njoints = [")
        });
        let out = folder.join(solver);
        good(["optimize", &file, "--output", out.to_str().expect("UTF-8")]);
        let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
        let held = &answer["constraints"]["bounds of controls"];
        assert!(held["active"].as_u64() > Some(0), "{solver}: {held}");
        held["multiplier"].as_f64().expect("a number")
    });
    // A barrier ends at 1e-9 of slacks and prices together, and tolerances are 1e-8 and 1e-9 of an expected
    // improvement, the square of prices' errors.
    assert!(found[0] > 1e-2 && found.iter().all(|y| (y - found[0]).abs() < 1e-3 * found[0]), "{found:?}");
}

/// A cone has no bounds, and no cost.
#[test]
fn cones_of_friction_have_no_bounds() {
    let folder = directory("coulomb");
    let text = fs::read_to_string(task("solo12_jump_cones")).expect("is there");
    let robot = robots().join("solo12.urdf");
    let text = text.replace("../../robots/solo12.urdf", robot.to_str().expect("UTF-8"));
    let text = text.replace("\"friction-cone\"", "\"coulomb-cone\"");
    let file = folder.join("jump.toml");
    let refuse = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replacen(from, to, 1)).expect("writes");
        refused(&run(["optimize", file.to_str().expect("UTF-8")]))
    };
    for (key, said) in
        [("lower = 0.0", "found `lower`"), ("rows = [0]", "found `rows`"), ("norm_at_most = 1.0", "is a cone")]
    {
        let message = refuse("friction = 0.7", &format!("friction = 0.7\n{key}"));
        assert!(message.contains(said) && message.contains("`coulomb-cone`"), "{message}");
    }
    let message = refuse("[[constraints]]\nname = \"cone\"", "[[costs]]\nname = \"cone\"");
    assert!(message.contains("`coulomb-cone` is for `[[constraints]]`"), "{message}");
    let message = refuse("friction = 0.7", "friction = 0.0");
    assert!(
        message.contains("the coefficient of friction") && message.contains("Coulomb cone of `FL_FOOT`"),
        "{message}"
    );
}
