//! `gradyn optimize`: every pair of features that a task can combine, on a hopper of a few nodes.
//!
//! A task has one option of each feature. Pairs of options that cannot be together are refused, each alone with all
//! else as by default. All other pairs stand in some task that is solved, or ends with a status that is none of a
//! fault: derivatives agree with differences, and what is written are numbers.

use super::optimize_broken::refused_at;
use super::{directory, json, refused, robots, run, text_of};
use std::fs;
use std::path::{Path, PathBuf};

/// Options of each feature, the default first.
const FEATURES: [(&str, &[&str]); 10] = [
    ("scheme", &["semi-implicit-euler", "euler", "rk4", "implicit-midpoint"]),
    ("impact", &["none", "plastic", "bounce", "held"]),
    ("loop", &["open", "closed"]),
    ("duration", &["given", "before", "after", "both", "fixed"]),
    ("parameter", &["none", "own", "mass", "moment", "armature", "damping", "fixed"]),
    ("rate", &["free", "costs"]),
    ("cone", &["none", "norm", "friction"]),
    ("bounds", &["none", "effort", "equal", "limits"]),
    ("guess", &["standing", "interpolated"]),
    ("solver", &["newton", "proximal", "fddp"]),
];

/// Which option of each feature.
type Choice = [usize; FEATURES.len()];

fn option(of: &Choice, feature: &str) -> &'static str {
    let k = FEATURES.iter().position(|(name, _)| *name == feature).expect("is a feature");
    FEATURES[k].1[of[k]]
}

/// What cannot be together, and what is said of it.
fn why_refused(of: &Choice) -> Option<&'static str> {
    let is = |feature: &str, any: &[&str]| any.contains(&option(of, feature));
    let euler = is("scheme", &["semi-implicit-euler", "euler"]);
    let solver = option(of, "solver");
    let kept = match solver {
        "fddp" => is("cone", &["none"]) && !is("bounds", &["limits"]),
        _ => true,
    };
    match (is("cone", &["friction"]) && is("impact", &["none"]), euler || is("duration", &["given"]), kept) {
        (true, ..) => Some("there is no contact"),
        (_, false, _) => Some("only Euler's steps"),
        (.., false) => Some("does not keep"),
        _ => None,
    }
}

/// The robot: a hopper on a slide, with a four-bar linkage at its body where that is asked for.
fn robot(folder: &Path, closed: bool) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hop.urdf");
    let hopper = fs::read_to_string(data).expect("is there");
    let linkage = fs::read_to_string(robots().join("four_bar.urdf")).expect("is there");
    let linkage = linkage.split_once("<link name=\"ground\"/>").expect("begins with the ground").1;
    let linkage = linkage.replace("<parent link=\"ground\"/>", "<parent link=\"slide\"/>");
    let (text, name) =
        if closed { (hopper.replace("</robot>", &linkage), "closed.urdf") } else { (hopper, "open.urdf") };
    let file = folder.join(name);
    fs::write(&file, text).expect("writes");
    file
}

/// The task.
fn task(of: &Choice, robot: &Path) -> String {
    let is = |feature: &str, name: &str| option(of, feature) == name;
    let closed = is("loop", "closed");
    let mut text = String::new();
    let mut add = |part: &str| {
        text += part;
        text.push('\n');
    };
    if is("bounds", "limits") {
        add("limits = [\"position\", \"velocity\", \"torque\"]");
    }
    add(&format!("[robot]\nfile = \"{}\"", robot.display()));
    if is("parameter", "damping") {
        add("joint_friction = true");
    }
    let (q, v) = match closed {
        true => {
            ("[1.0, 0.5, -1.5707963267948966, 1.1900916759182911, -1.666404537418756]", "[-1.0, 0.1, 0.0, 0.0, 0.0]")
        }
        false => ("[1.0, 0.5]", "[-1.0, 0.1]"),
    };
    add(&format!("[start]\nq = {q}\nv = {v}"));
    add(&format!("[steps]\ndt = 0.02\nscheme = \"{}\"", option(of, "scheme")));
    add(if closed { "[actuation]\njoints = [\"leg\", \"crank_hinge\"]" } else { "[actuation]\njoints = [\"leg\"]" });
    match option(of, "bounds") {
        "effort" => add("bounds = \"effort\""),
        "equal" => add("bounds = { lower = 1.0, upper = 1.0 }"),
        _ => {}
    }
    if closed {
        add("[loops.tip]\nframe = \"rocker_end\"\nto = \"coupler_end\"\ntype = \"revolute\"\naxis = [0.0, 1.0, 0.0]");
    }
    let free = |phase: &str| match option(of, "duration") {
        "both" => "free_duration = [0.02, 0.5]",
        "fixed" => "free_duration = [0.07, 0.07]",
        one if one == phase => "free_duration = [0.02, 0.5]",
        _ => "",
    };
    add(&format!("[[phases]]\nname = \"fall\"\nnodes = 3\n{}", free("before")));
    let contact = match option(of, "impact") {
        "plastic" => "contacts = [\"foot\"]",
        "bounce" => "contacts = [\"foot\"]\nrestitution = 0.5",
        "held" => "contacts = [\"foot\"]\nimpulse = false",
        _ => "",
    };
    add(&format!("[[phases]]\nname = \"stand\"\nnodes = 3\n{contact}\n{}", free("after")));
    let parameter = match option(of, "parameter") {
        "own" => "guess = [0.1, 0.2]\nlower = 0.0\nupper = 1.0",
        "mass" => "kind = \"mass\"\nlink = \"foot\"\nlower = 0.1\nupper = 0.4",
        "moment" => "kind = \"moment\"\nlink = \"foot\"\nentry = \"xx\"\nlower = 0.0009\nupper = 0.0015",
        "armature" => "kind = \"armature\"\njoint = \"leg\"\nupper = 1.0",
        "damping" => "kind = \"damping\"\njoint = \"leg\"\nupper = 1.0",
        "fixed" => "kind = \"mass\"\nlink = \"slide\"\nguess = 1.5\nlower = 1.5\nupper = 1.5",
        _ => "",
    };
    if !parameter.is_empty() {
        add(&format!("[[parameters]]\nname = \"chosen\"\n{parameter}"));
        add("[[costs]]\nkind = \"parameter\"\nparameter = \"chosen\"\nweight = 0.1");
    }
    add("[[costs]]\nkind = \"control\"\nweight = 1e-2");
    add(&format!("[[costs]]\nkind = \"state\"\ngoal = {{ q = {q}, v = 0.0 }}\nat = \"last\""));
    if !is("duration", "given") {
        add("[[costs]]\nkind = \"duration\"\nweight = 0.1");
    }
    if is("rate", "costs") {
        add("[[costs]]\nkind = \"control-rate\"\nweight = 1e-6");
    }
    match option(of, "cone") {
        "norm" => add("[[constraints]]\nkind = \"control\"\nnorm_at_most = 5.0"),
        "friction" => add("[[constraints]]\nkind = \"coulomb-cone\"\ncontact = \"foot\""),
        _ => {}
    }
    if is("guess", "interpolated") {
        add(&format!("[guess]\nstates = \"interpolation\"\nto = {}", q.replacen("0.5", "0.4", 1)));
    }
    add(&format!("[solver]\nname = \"{}\"\niterations = 30", option(of, "solver")));
    text
}

/// All pairs of options.
fn pairs() -> Vec<[(usize, usize); 2]> {
    let options = || FEATURES.iter().enumerate().flat_map(|(k, (_, names))| (0..names.len()).map(move |i| (k, i)));
    options().flat_map(|a| options().filter(move |b| a.0 < b.0).map(move |b| [a, b])).collect()
}

fn with(pair: [(usize, usize); 2]) -> Choice {
    let mut of = [0; FEATURES.len()];
    pair.into_iter().for_each(|(k, i)| of[k] = i);
    of
}

/// Whole numbers below n, from a small generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("has 31 bits") % n
    }
}

/// Tasks in which all pairs stand that can be together.
fn tasks() -> Vec<Choice> {
    let mut left: Vec<_> = pairs().into_iter().filter(|pair| why_refused(&alone(*pair)).is_none()).collect();
    let (mut random, mut all) = (Random(1), Vec::new());
    while !left.is_empty() {
        let has = |of: &Choice, pair: &[(usize, usize); 2]| pair.iter().all(|(k, i)| of[*k] == *i);
        let mut best = (0, alone(left[0]));
        for _ in 0..200 {
            // One that has the next pair, with all else by chance.
            let mut of: Choice = std::array::from_fn(|k| random.below(FEATURES[k].1.len()));
            left[0].iter().for_each(|(k, i)| of[*k] = *i);
            let count = left.iter().filter(|pair| has(&of, pair)).count();
            if count > best.0 && why_refused(&of).is_none() {
                best = (count, of);
            }
        }
        left.retain(|pair| !has(&best.1, pair));
        all.push(best.1);
    }
    all
}

/// A pair with all else as by default; a cone of friction takes a contact.
fn alone(pair: [(usize, usize); 2]) -> Choice {
    let mut of = with(pair);
    if option(&of, "cone") == "friction" && pair.iter().all(|(k, _)| FEATURES[*k].0 != "impact") {
        of[1] = 1;
    }
    of
}

fn name(of: &Choice) -> String {
    FEATURES
        .iter()
        .zip(of)
        .map(|((feature, names), i)| format!("{feature} {}", names[*i]))
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn all_pairs_are_solved_or_end_honestly() {
    let folder = directory("pairs");
    let robots = [robot(&folder, false), robot(&folder, true)];
    let mut solved = 0;
    let all = tasks();
    for of in &all {
        let (file, out) = (folder.join("task.toml"), folder.join("out"));
        fs::write(&file, task(of, &robots[of[2]])).expect("writes");
        let done =
            run(["optimize".as_ref(), "--check".as_ref(), "--output".as_ref(), out.as_os_str(), file.as_os_str()]);
        let (text, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        let code = done.status.code();
        assert!(matches!(code, Some(0 | 1)), "{}: {code:?}\n{text}\n{errors}", name(of));
        assert!(text.starts_with("all "), "{}: {text}", name(of));
        let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
        let status = answer["status"].as_str().expect("a text");
        assert!(!status.contains("fault") && !status.contains("diverged"), "{}: {text}", name(of));
        let numbers = ["q", "v"].iter().flat_map(|key| answer[key].as_array().expect("a list"));
        let mut numbers = numbers.flat_map(|x| x.as_array().expect("a list")).chain([&answer["cost"]]);
        assert!(numbers.all(|x| x.as_f64().is_some_and(f64::is_finite)), "{}: {answer}", name(of));
        solved += usize::from(code == Some(0));
    }
    // Some lack iterations, or have bounds that contradict each other.
    assert!(2 * solved > all.len(), "{solved} of {} are solved", all.len());
}

#[test]
fn pairs_that_cannot_be_together_are_refused_with_one_line() {
    let folder = directory("pairs-refused");
    let robots = [robot(&folder, false), robot(&folder, true)];
    let mut count = 0;
    for pair in pairs() {
        let of = with(pair);
        let Some(said) = why_refused(&of) else { continue };
        let file = folder.join("task.toml");
        fs::write(&file, task(&of, &robots[of[2]])).expect("writes");
        let message = refused(&run(["optimize".as_ref(), file.as_os_str()]));
        let place = format!("{}, line ", file.display());
        assert!(message.starts_with(&place) && message.contains("key `"), "{}: {message}", name(&of));
        assert!(message.contains(said), "{}: {message}", name(&of));
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

/// No force is needed, and none is used: the hopper falls, meets the ground and stands, as long as it may take.
#[test]
fn a_hop_of_free_duration_is_solved_by_all_solvers() {
    let folder = directory("hop");
    let robot = robot(&folder, false);
    let hop = format!(
        "[robot]\nfile = \"{}\"\n[start]\nq = [1.0, 0.5]\n[steps]\ndt = 0.02\n[actuation]\njoints = [\"leg\"]\n\
         [[phases]]\nname = \"fall\"\nnodes = 15\nfree_duration = [0.1, 1.0]\n\
         [[phases]]\nname = \"stand\"\nnodes = 15\ncontacts = [\"foot\"]\n\
         [[costs]]\nkind = \"control\"\nweight = 1e-3\n",
        robot.display()
    );
    for solver in ["fddp", "newton", "proximal"] {
        let (file, out) = (folder.join("hop.toml"), folder.join("out"));
        fs::write(&file, format!("{hop}[solver]\nname = \"{solver}\"\n")).expect("writes");
        let text = text_of(&run([
            "optimize".as_ref(),
            "--check".as_ref(),
            "--output".as_ref(),
            out.as_os_str(),
            file.as_os_str(),
        ]));
        let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
        let seconds = answer["durations"]["fall"].as_f64().expect("a number");
        assert!((0.1 - 1e-7..=1.0 + 1e-7).contains(&seconds), "{solver}: {seconds}");
        // Below the tolerances of all solvers.
        assert!(answer["cost"].as_f64().expect("a number") < 1e-8, "{solver}: {text}");
        // At the impact the foot stops, and the body falls on: z, leg.
        let v = |k: usize, i: usize| answer["v"][k][i].as_f64().expect("a number");
        // What is left of forces is the tolerance over weight and step, 1e-8 / (1e-3 · 1e-2 s), for 0.1 s on 1 kg.
        assert!((v(15, 0) + 9.81 * seconds).abs() < 1e-4, "{solver}: {}", v(15, 0));
        assert!((v(16, 0) - v(16, 1)).abs() < 1e-9, "{solver}: {} {}", v(16, 0), v(16, 1));
    }
}

/// A foot leaves the ground again with a share of its velocity; what is none of the sort is refused.
#[test]
fn restitution_is_the_share_of_velocity_that_is_left() {
    let folder = directory("bounce");
    let robot = robot(&folder, false);
    let file = folder.join("bounce.toml");
    let write = |phase: &str| {
        let text = format!(
            "[robot]\nfile = \"{}\"\n[start]\nq = [1.0, 0.5]\nv = [-1.0, 0.2]\n[steps]\ndt = 0.01\n[actuation]\n\
             joints = [\"leg\"]\n[[phases]]\nname = \"fall\"\nnodes = 2\n[[phases]]\nname = \"stand\"\nnodes = 2\n{phase}\n\
             [[costs]]\nkind = \"control\"\n",
            robot.display()
        );
        fs::write(&file, text).expect("writes");
    };
    let path = file.to_str().expect("UTF-8");
    for share in [0.0, 0.3, 1.0] {
        write(&format!("contacts = [\"foot\"]\nrestitution = {share}"));
        let out = folder.join("out");
        text_of(&run(["optimize", "--check", "--output", out.to_str().expect("UTF-8"), path]));
        let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
        // The foot goes by z less the leg.
        let foot =
            |k: usize| answer["v"][k][0].as_f64().expect("a number") - answer["v"][k][1].as_f64().expect("a number");
        // Rounding of velocities of 1 m/s.
        assert!(foot(2) < -1.0 && (foot(3) + share * foot(2)).abs() < 1e-12, "{share}: {} {}", foot(2), foot(3));
    }
    let cases: [(&str, &str, &[&str]); 6] = [
        ("contacts = [\"foot\"]\nrestitution = 1.5", "restitution", &["`phases[1].restitution`", "from 0 to 1", "1.5"]),
        ("contacts = [\"foot\"]\nrestitution = -0.1", "restitution", &["`phases[1].restitution`", "-0.1"]),
        (
            "contacts = [\"foot\"]\nrestitution = \"half\"",
            "restitution",
            &["`phases[1].restitution`", "number", "half"],
        ),
        (
            "contacts = [\"foot\"]\nrestitutoin = 0.5",
            "restitutoin",
            &["`phases[1].restitutoin`", "did you mean `restitution`?"],
        ),
        ("restitution = 0.5", "restitution", &["`phases[1].restitution`", "phase `stand`", "gains no contact"]),
        (
            "contacts = [\"foot\"]\nimpulse = false\nrestitution = 0.5",
            "restitution",
            &["without an impact", "`impulse` is `false`"],
        ),
    ];
    for (phase, at, said) in cases {
        write(phase);
        refused_at(path, at, said);
    }
}

/// A mass at 1 m with 2 m/s away from its goal, a force of 1 N at most, to rest there in the least time: 2 + 2 √3 s of
/// steps that are short, and 5.4025 s of 50 semi-implicit ones.
#[test]
fn a_duration_stays_between_its_bounds_with_all_solvers() {
    let folder = directory("least-time");
    let robot = folder.join("cart.urdf");
    let cart = "<robot name=\"cart\"><link name=\"world\"/><link name=\"cart\"><inertial><mass value=\"1\"/>\
                <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\
                <joint name=\"x\" type=\"prismatic\"><parent link=\"world\"/><child link=\"cart\"/><axis xyz=\"1 0 0\"/>\
                <limit lower=\"-10\" upper=\"10\" effort=\"1\" velocity=\"30\"/></joint></robot>";
    fs::write(&robot, cart).expect("writes");
    let task = |solver: &str, free: &str, iterations: usize| {
        format!(
            "limits = [\"torque\"]\n[robot]\nfile = \"{}\"\n[start]\nq = [1.0]\nv = [2.0]\n[steps]\ndt = 0.1\n\
             [[phases]]\nname = \"go\"\nnodes = 50\nfree_duration = {free}\n[[costs]]\nkind = \"duration\"\n\
             [[constraints]]\nname = \"end\"\nkind = \"state\"\nequal = {{ q = [0.0], v = [0.0] }}\nat = \"last\"\n\
             [solver]\nname = \"{solver}\"\niterations = {iterations}\n",
            robot.display()
        )
    };
    let (file, out) = (folder.join("task.toml"), folder.join("out"));
    let solve = |solver: &str, free: &str, iterations: usize| {
        fs::write(&file, task(solver, free, iterations)).expect("writes");
        let paths = [out.to_str().expect("UTF-8"), file.to_str().expect("UTF-8")];
        let done = run(["optimize", "--output", paths[0], paths[1]]);
        assert!(matches!(done.status.code(), Some(0 | 1)), "{solver}: {}", String::from_utf8_lossy(&done.stderr));
        let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
        let seconds = answer["durations"]["go"].as_f64().expect("a number");
        (done.status.code() == Some(0), seconds, answer)
    };
    let (solved, seconds, answer) = solve("proximal", "[0.1, 20.0]", 50);
    assert!(solved && (seconds - 5.4025).abs() < 1e-3, "{seconds}: {answer}");
    // Where the bounds have no time that is enough, what is chosen stays between them all the same.
    for solver in ["newton", "proximal"] {
        for (free, [least, most]) in
            [("[0.1, 3.0]", [0.1, 3.0]), ("[1e-9, 1.0]", [1e-9, 1.0]), ("[7.0, 9.0]", [7.0, 9.0])]
        {
            let (solved, seconds, answer) = solve(solver, free, 50);
            // Newton's bounds are relaxed by 1e-8.
            assert!(seconds > 0.0 && seconds >= least - 1e-7 && seconds <= most + 1e-6, "{solver}: {seconds}");
            assert!(solved == (least > 5.5), "{solver}, {free}: {answer}");
            assert_ne!(answer["status"], "fault", "{solver}, {free}: {answer}");
        }
    }
}

/// Controls whose bounds are equal leave nothing to choose: the guess, which hangs at rest, is the solution.
#[test]
fn controls_of_equal_bounds_converge_with_all_solvers() {
    let folder = directory("equal-bounds");
    let file = folder.join("task.toml");
    for (start, lower, upper) in
        [("[0.0, 0.0]", "0.0", "0.0"), ("[0.4, -0.3]", "0.0", "0.0"), ("[0.4, -0.3]", "[-1.0, 0.5]", "[1.0, 0.5]")]
    {
        let mut costs = Vec::new();
        for solver in ["fddp", "newton", "proximal"] {
            let text = format!(
                "[robot]\nfile = \"{}\"\n[start]\nq = {start}\n[steps]\ndt = 0.02\n[[phases]]\nname = \"swing\"\nnodes = 20\n\
                 [[costs]]\nkind = \"control\"\nweight = 1e-2\n\
                 [[costs]]\nkind = \"state\"\ngoal = {{ q = [0.5, 0.2], v = 0.0 }}\nweight = 100.0\nat = \"last\"\n\
                 [actuation]\nbounds = {{ lower = {lower}, upper = {upper} }}\n[solver]\nname = \"{solver}\"\n",
                robots().join("double_pendulum.urdf").display()
            );
            fs::write(&file, text).expect("writes");
            let out = folder.join("out");
            text_of(&run(["optimize", "--output", out.to_str().expect("UTF-8"), file.to_str().expect("UTF-8")]));
            let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
            costs.push(answer["cost"].as_f64().expect("a number"));
        }
        // Newton's and the proximal method's bounds give way by 1e-8, times multipliers of at most some tens.
        assert!(costs.iter().all(|cost| (cost - costs[0]).abs() < 1e-5 * costs[0]), "{start}: {costs:?}");
        if start == "[0.0, 0.0]" {
            // ½ · 100 · (0.5² + 0.2²)
            assert!((costs[0] - 14.5).abs() < 1e-6, "{costs:?}");
        }
    }
}

/// A quadruped's jump whose flight lasts as long as the solver likes, with impacts on four feet: the same optimum with
/// all solvers that choose durations.
#[test]
fn a_jump_of_free_duration_has_one_optimum() {
    let folder = directory("free-jump");
    let task = fs::read_to_string(robots().join("../examples/tasks/solo12_jump.toml")).expect("is there");
    let task = task.replace("../../robots", robots().to_str().expect("UTF-8"));
    let task = task.replace("nodes = 25\n", "nodes = 25\nfree_duration = [0.15, 0.5]\n");
    let costs = ["fddp", "newton"].map(|solver| {
        let (file, out) = (folder.join(format!("{solver}.toml")), folder.join(solver));
        let time = "[[costs]]\nname = \"time\"\nkind = \"duration\"\n[report]\nsteps = false\n[solver]\nname = ";
        fs::write(&file, format!("{task}\n{time}{solver:?}\n")).expect("writes");
        let ended = run(["optimize".as_ref(), file.as_os_str(), "--output".as_ref(), out.as_os_str()]);
        text_of(&ended);
        let found = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
        let lasts = found["durations"]["flight"].as_f64().expect("a number");
        assert!((0.15..=0.5).contains(&lasts), "{solver}: {lasts}");
        found["cost"].as_f64().expect("a number")
    });
    // Both end where the gradient is below 1e-8: the cost is known to its square.
    assert!((costs[0] - costs[1]).abs() < 1e-6, "{costs:?}");
}
