//! Tasks with mistakes: what `gradyn optimize` says of them, and where.

use super::optimize::{SMALL, small};
use super::optimize_constraints::constrained;
use super::{directory, refused, run};
use std::fs;

/// One line, with the file, the line where `at` stands, and what must be said.
pub(super) fn refused_at(file: &str, at: &str, said: &[&str]) {
    let text = fs::read_to_string(file).expect("is there");
    let message = refused(&run(["optimize", file]));
    let line = text.lines().position(|line| line.contains(at)).expect("is there") + 1;
    assert!(message.starts_with(&format!("{file}, line {line}: ")), "line {line}: {message}");
    for part in said {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// What is wrong is said on one line, with the file, the line of what is wrong, its key, and what it should be.
#[test]
fn broken_tasks_are_refused_with_their_line() {
    // What is replaced, by what, where that stands (its line is the one to be named), and what must be said.
    let cases: [(&str, &str, &str, &[&str]); 31] = [
        ("dt = 0.02", "dt = = 1", "dt = =", &["not TOML"]),
        ("dt = 0.02", "dt = 0.02\ndt = 0.01", "dt = 0.01", &["not TOML", "duplicate key"]),
        ("[steps]", "[stepps]", "[stepps]", &["key `stepps`", "did you mean `steps`?"]),
        ("file = ", "flie = ", "flie = ", &["key `robot.flie`", "did you mean `file`?"]),
        ("double_pendulum.urdf", "no.urdf", "file = ", &["key `robot.file`", "there is no file", "no.urdf"]),
        ("q = \"bent\"", "q = \"bend\"", "q = \"bend\"", &["key `start.q`", "did you mean `bent`?"]),
        ("q = \"bent\"", "q = [1.0]", "q = [1.0]", &["key `start.q`", "expected 2 numbers", "found 1"]),
        ("elbow = -0.3", "elbw = -0.3", "bent = {", &["key `poses.bent.elbw`", "did you mean `elbow`?"]),
        ("shoulder = 0.5", "shoulder = \"x\"", "bent = {", &["`poses.bent.shoulder`", "a finite number", "text `x`"]),
        ("dt = 0.02", "dt = -0.02", "dt = -0.02", &["key `steps.dt`", "positive", "-0.02"]),
        ("dt = 0.02", "dt = nan", "dt = nan", &["key `steps.dt`", "positive", "nan"]),
        ("semi-implicit-euler", "semi-implizit-euler", "scheme = ", &["did you mean `semi-implicit-euler`?"]),
        ("\"elbow\"]", "\"elbo\"]", "joints = [", &["key `actuation.joints[1]`", "did you mean `elbow`?"]),
        (
            "nodes = 20",
            "nodes = 0",
            "nodes = 0",
            &["key `phases[0].nodes`", "a whole number from 1", "found the number 0"],
        ),
        ("nodes = 20", "nodes = 2.5", "nodes = 2.5", &["key `phases[0].nodes`", "a whole number", "2.5"]),
        ("nodes = 20", "nodes = 20\nduration = 1.0", "duration", &["key `phases[0].duration`", "found both"]),
        ("nodes = 20", "", "[[phases]]", &["key `phases[0]`", "missing key `nodes`"]),
        (
            "nodes = 20",
            "nodes = 20\ncontacts = [\"tipp\"]",
            "contacts",
            &["`phases[0].contacts[0]`", "did you mean `tip`?"],
        ),
        ("frame-translation", "frame-translatoin", "kind = ", &["did you mean `frame-translation`?"]),
        ("frame = \"tip\"", "frame = \"tipp\"", "frame = ", &["key `costs[0].frame`", "did you mean `tip`?"]),
        ("frame = \"tip\"", "", "[[costs]]", &["key `costs[0]`", "missing key `frame`"]),
        ("goal = [0.5, 0.0, -1.5]", "goal = [0.5, 0.0]", "goal = ", &["key `costs[0].goal`", "3 numbers", "found 2"]),
        ("goal = [0.5, 0.0, -1.5]", "", "[[costs]]", &["key `costs[0]`", "missing key `goal`"]),
        ("weight = 100.0", "weight = -1", "weight = -1", &["key `costs[0].weight`", "not negative", "-1"]),
        ("weight = 100.0", "wieght = 1", "wieght", &["key `costs[0].wieght`", "did you mean `weight`?"]),
        ("at = \"last\"", "at = \"lost\"", "at = ", &["key `costs[0].at`", "did you mean `last`?"]),
        ("at = \"last\"", "at = [20]", "at = ", &["key `costs[0].at`", "no node 20", "phase `move`", "20"]),
        ("at = \"last\"", "phases = [\"mover\"]", "phases = [", &["`costs[0].phases[0]`", "did you mean `move`?"]),
        (
            // It is named where its own table begins.
            "[[costs]]\nname = \"torque\"",
            "[[costs]] # again\nname = \"calm\"",
            "# again",
            &["a cost `calm`", "another name"],
        ),
        ("name = \"fddp\"", "name = \"fdpp\"", "name = \"fdpp\"", &["key `solver.name`", "did you mean `fddp`?"]),
        ("\"static\"", "\"statik\"", "controls = \"statik\"", &["key `guess.controls`", "did you mean `static`?"]),
    ];
    let folder = directory("broken-tasks");
    for (from, to, at, said) in cases {
        assert!(SMALL.replace("ROBOT", "double_pendulum.urdf").contains(from), "{from}");
        let file = small(&folder, |text| text.replacen(from, to, 1));
        refused_at(&file, at, said);
    }
}

#[test]
fn broken_constraints_are_refused_with_their_line() {
    let cases: [(&str, &str, &str, &[&str]); 23] = [
        ("velocity = 0.5", "velocty = 0.5", "velocty", &["key `limits.velocty`", "did you mean `velocity`?"]),
        ("velocity = 0.5", "velocity = 1.5", "velocity", &["key `limits.velocity`", "above 0 and not above 1", "1.5"]),
        ("velocity = 0.5", "velocity = \"x\"", "velocity", &["key `limits.velocity`", "true, or a share", "text `x`"]),
        ("q = \"bent\"", "q = [7.0, 0.0]", "position", &["`limits.position`", "joint `shoulder`", "7", "6.28"]),
        ("joints = [", "bounds = \"effort\"\njoints = [", "torque = 0.5", &["`limits.torque`", "`actuation.bounds`"]),
        ("equal = ", "eqaul = ", "eqaul", &["key `constraints[0].eqaul`", "did you mean `equal`?"]),
        ("equal = [0.5, 0.0, -1.8]", "equal = [0.5]", "equal", &["key `constraints[0].equal`", "3 numbers", "found 1"]),
        ("equal = [0.5, 0.0, -1.8]\n", "", "[[constraints]]", &["key `constraints[0]`", "missing key `goal`"]),
        ("rows = ", "upper = 1.0\nrows = ", "upper", &["key `constraints[0].upper`", "found both"]),
        (
            "equal = [0.5, 0.0, -1.8]",
            "lower = 2.0\nupper = 1.0",
            "lower = 2.0",
            &["a lower bound, 2", "the upper one, 1"],
        ),
        ("equal = [0.5, 0.0, -1.8]", "lower = -inf", "lower = -inf", &["it bounds nothing"]),
        ("equal = [0.5, 0.0, -1.8]", "lower = nan", "lower = nan", &["a number, inf or -inf", "nan"]),
        ("equal = [0.5, 0.0, -1.8]", "upper = [1.0, inf]", "upper = ", &["expected 3 numbers", "found 2"]),
        (
            "equal = [",
            "norm_at_most = -1.0\ngoal = [",
            "norm_at_most",
            &["`constraints[0].norm_at_most`", "positive", "-1"],
        ),
        ("equal = [", "norm_at_most = 1.0\nequal = [", "equal", &["expected `norm_at_most` alone, found `equal`"]),
        ("equal = [", "norm_at_most = 1.0\nlower = 0\ngoal = [", "lower", &["`norm_at_most` alone, found `lower`"]),
        ("\"x\", \"z\"", "\"x\", \"w\"", "rows = ", &["key `constraints[0].rows[1]`", "no row `w`", "x, y, z"]),
        ("\"x\", \"z\"", "3", "rows = ", &["key `constraints[0].rows[0]`", "a row from 0 to 2", "found the number 3"]),
        ("frame = \"tip\"", "frame = \"tipp\"", "frame = ", &["key `constraints[0].frame`", "did you mean `tip`?"]),
        ("at = \"last\"", "at = [0]", "at = ", &["key `constraints[0].at`", "is the start, which is given"]),
        (
            "name = \"newton\"",
            "name = \"fddp\"",
            "[[constraints]]",
            &["the constraint `tip`", "`fddp` of line", "`newton` and `proximal` keep it"],
        ),
        (
            "name = \"newton\"",
            "name = \"newton\"\nhessian = \"exat\"",
            "hessian",
            &["`solver.hessian`", "did you mean `exact`?"],
        ),
        ("name = \"newton\"", "name = \"newton\"\nbarrier = 0", "barrier", &["key `solver.barrier`", "positive", "0"]),
    ];
    let folder = directory("broken-constraints");
    for (from, to, at, said) in cases {
        let file = small(&folder, |text| {
            let text = constrained(text);
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        refused_at(&file, at, said);
    }
    // What only one solver has, another one refuses.
    let file = small(&folder, |text| text.replace("name = \"fddp\"", "name = \"fddp\"\nbarrier = 0.1"));
    let message = refused(&run(["optimize", &file]));
    assert!(message.contains("key `solver.barrier`: only the solver `newton` has this"), "{message}");
    for (key, owners) in [
        ("mu_init", "solver `proximal` has this"),
        ("softness", "solver `proximal` has this"),
        ("hessian", "solvers `newton` and `proximal` have"),
    ] {
        let file = small(&folder, |text| text.replace("name = \"fddp\"", &format!("name = \"fddp\"\n{key} = 0.1")));
        let message = refused(&run(["optimize", &file]));
        assert!(message.contains(&format!("key `solver.{key}`: only the {owners}")), "{message}");
    }
    // One number has one name.
    let both = "name = \"proximal\"\nmu_init = 0.1\nsoftness = 0.1";
    let file = small(&folder, |text| text.replace("name = \"fddp\"", both));
    let message = refused(&run(["optimize", &file]));
    assert!(message.contains("key `solver.softness`: `softness` is the former name of `mu_init`"), "{message}");
}
