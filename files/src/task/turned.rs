//! A robot, its world and its goals turned about the vertical together: nothing costs more, and nothing is violated
//! more.

use super::kinds::KINDS;
use super::source::Source;
use super::{Given, OwnResidual, Task, Term};
use gradyn_trajectory::node::ConstraintRow;
use gradyn_trajectory::residual::Control;
use gradyn_trajectory::{Problem, guess};
use nalgebra::{Rotation3, Vector3};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// A vector of the world, turned.
fn turned(angle: f64, x: [f64; 3]) -> String {
    let x = Rotation3::from_axis_angle(&Vector3::z_axis(), angle) * Vector3::from(x);
    format!("{:?}, {:?}, {:?}", x.x, x.y, x.z)
}

/// A task with all kinds of residuals, turned by an angle about the vertical. The ground is a slope.
fn task(angle: f64) -> String {
    let vector = |x: [f64; 3]| format!("[{}]", turned(angle, x));
    let pose = |x: [f64; 3], yaw: f64| format!("{{ xyz = {}, rpy = [0.1, -0.2, {:?}] }}", vector(x), yaw + angle);
    let twist = |linear, angular| format!("[{}, {}]", turned(angle, linear), turned(angle, angular));
    let normal = vector([0.2, -0.1, 1.0]);
    let mut text = format!(
        "[robot]\nfile = \"solo12.urdf\"\nfloating_base = true\n\
         [poses.stand]\nroot_joint = {}\nFL_HFE = 0.7\nFR_HFE = 0.5\nHL_HFE = -0.7\nHR_HFE = -0.6\nFL_KFE = -1.4\nFR_KFE = -1.2\n\
         HL_KFE = 1.4\nHR_KFE = 1.3\nground = [\"FL_FOOT\"]\n[start]\nq = \"stand\"\n\
         [contacts]\nFL_FOOT = {{ normal = {normal} }}\nHR_FOOT = {{ type = \"surface\", normal = {normal} }}\n\
         [[parameters]]\nname = \"place\"\nguess = [0.1, 0.2, 0.3]\n\
         [[phases]]\nname = \"stand\"\nnodes = 2\nfree_duration = [0.01, 0.1]\ncontacts = [\"FL_FOOT\", \"HR_FOOT\"]\n",
        pose([0.3, -0.2, 0.4], 0.4)
    );
    let place = vector([0.3, -0.1, 0.2]);
    let velocity = twist([0.3, -0.1, 0.2], [0.2, 0.4, -0.3]);
    let own = "goal = [0.3, -0.1, 0.2, 0.2, 0.4, -0.3]";
    let sole = "half_length_x = 0.05\nhalf_length_y = 0.01";
    // Kind and keys; a bound of them all together, where they have none of their own.
    let terms: Vec<(&str, String, &str)> = vec![
        ("state", format!("goal = {{ q = {{ root_joint = {}, FL_HFE = 0.3 }} }}", pose([0.2, -0.4, 0.5], 0.9)), "0.1"),
        ("control", String::new(), "0.1"),
        ("control-rate", String::new(), "0.1"),
        ("joint-limits", String::new(), ""),
        ("frame-placement", format!("frame = \"FR_FOOT\"\ngoal = {}", pose([0.2, -0.4, 0.5], 0.9)), "0.1"),
        ("frame-translation", format!("frame = \"FR_FOOT\"\ngoal = {place}"), "0.1"),
        ("frame-rotation", format!("frame = \"FR_FOOT\"\ngoal = {{ rpy = [0.2, 0.3, {:?}] }}", 0.8 + angle), "0.1"),
        ("frame-velocity", format!("frame = \"FR_FOOT\"\ngoal = {velocity}"), "0.1"),
        ("frame-velocity", format!("frame = \"FR_FOOT\"\nreference = \"world\"\ngoal = {velocity}"), "0.1"),
        ("frame-velocity", format!("frame = \"FR_FOOT\"\nreference = \"local\"\n{own}"), "0.1"),
        ("frame-acceleration", format!("frame = \"FR_FOOT\"\ngoal = {velocity}"), "0.1"),
        ("frame-acceleration", format!("frame = \"FR_FOOT\"\nreference = \"world\"\ngoal = {velocity}"), "0.1"),
        ("frame-acceleration", format!("frame = \"FR_FOOT\"\nreference = \"local\"\n{own}"), "0.1"),
        ("center-of-mass", format!("goal = {place}"), "0.1"),
        ("centroidal-momentum", format!("goal = {velocity}"), "0.1"),
        ("contact-force", format!("contact = \"FL_FOOT\"\ngoal = {place}"), "0.1"),
        ("contact-force", format!("contact = \"HR_FOOT\"\ngoal = {velocity}"), "0.1"),
        ("friction-cone", String::from("contact = [\"FL_FOOT\", \"HR_FOOT\"]"), ""),
        ("friction-cone", format!("contact = \"HR_FOOT\"\nnormal = {}\ninside = false", vector([-0.1, 0.3, 1.0])), ""),
        ("coulomb-cone", String::from("contacts = [\"FL_FOOT\", \"HR_FOOT\"]"), ""),
        ("center-of-pressure", format!("contact = \"HR_FOOT\"\n{sole}"), ""),
        ("wrench-cone", format!("contact = \"HR_FOOT\"\n{sole}"), ""),
        ("wrench-cone", format!("contact = \"HR_FOOT\"\nnormal = {}\n{sole}", vector([-0.1, 0.3, 1.0])), ""),
        (
            "distance",
            format!(
                "a = {{ frame = \"FR_FOOT\", radius = 0.1 }}\nb = {{ from = {place}, to = {}, radius = 0.2 }}\nleast = 0.5",
                vector([0.3, 0.5, 0.6])
            ),
            "",
        ),
        ("duration", String::new(), ""),
        ("parameter", String::from("parameter = \"place\""), "0.1"),
        ("own", String::from("function = \"controls\""), ""),
    ];
    for kind in KINDS {
        assert!(terms.iter().any(|(name, ..)| *name == kind.name), "`{}` is not tried", kind.name);
    }
    for (k, (kind, keys, bound)) in terms.iter().enumerate() {
        for list in ["costs", "constraints"] {
            let only = if *kind == "coulomb-cone" { "constraints" } else { "costs" };
            if (matches!(*kind, "coulomb-cone" | "duration" | "own") && list != only)
                || (*kind == "state" && list == "constraints")
            {
                continue;
            }
            let bound = match (list, *bound) {
                ("costs", _) | (_, "") => String::new(),
                (_, bound) => format!("norm_at_most = {bound}\n"),
            };
            writeln!(text, "[[{list}]]\nname = \"{list} {k}\"\nkind = \"{kind}\"\n{keys}\n{bound}").expect("a text");
        }
    }
    text
}

fn read(text: String) -> Task {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots");
    let source = Source { file: String::from("turned.toml"), text };
    let controls: OwnResidual = Arc::new(|| Box::new(Control::zero()));
    let given = Arc::new(Given { folder, own: vec![(String::from("controls"), controls)], ..Given::default() });
    Task::of_source(source, String::from("turned"), given, &[], &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// At each node what each cost is and its steepest slope, and the norm of the rows of each constraint; away from the
/// guess in a direction that is drawn, the same one in axes of the robot.
fn numbers(problem: &Problem) -> BTreeMap<String, f64> {
    let (space, base, mut memory) = (problem.space(), guess::standing(problem), problem.memory());
    let (nv, mut all) = (problem.model().nv(), BTreeMap::new());
    for k in 0..=problem.steps() {
        let draw = |i: usize, k: usize| (1.7 * i as f64 + 2.3 * k as f64).sin();
        let step: Vec<f64> =
            (0..problem.dims(k).ndx).map(|i| if i < 2 * nv { 0.2 * draw(i, k) } else { 0.0 }).collect();
        let mut x = base.x(k).to_vec();
        // The node that chooses has no state to move.
        if k > 0 {
            space.integrate(base.x(k), &step, &mut x).expect("is a step");
        }
        let u: Vec<f64> = base.u(k).iter().enumerate().map(|(i, u)| if k > 0 { u + draw(i, 7) } else { *u }).collect();
        for (name, cost) in problem.costs(k, &x, &u, &mut memory).expect("runs") {
            all.insert(format!("{k} {name}"), cost);
        }
        for (name, slope) in problem.gradients(k, &x, &u, &mut memory).expect("runs") {
            all.insert(format!("{k} {name}, its slope"), slope);
        }
        let dims = problem.dims(k);
        let (mut next, mut rows) =
            (vec![0.0; problem.dims((k + 1).min(problem.steps())).nx], vec![0.0; dims.n_eq + dims.n_in]);
        problem.value(k, &x, &u, &mut memory, &mut next, &mut rows).expect("runs");
        for (i, r) in rows.iter().enumerate() {
            let row = if i < dims.n_eq { ConstraintRow::Equality(i) } else { ConstraintRow::Inequality(i - dims.n_eq) };
            let name = problem.constraint_of(k, row).expect("has a name");
            *all.entry(format!("{k} {name}")).or_insert(0.0) += r * r;
        }
    }
    all
}

/// Costs, their slopes and constraints of every kind do not change, whatever the angle is.
#[test]
fn turns_about_the_vertical_change_no_residual() {
    let first = read(task(0.0));
    let expected = numbers(&first.problem);
    let terms: Vec<&Term> = first.costs.iter().map(|cost| &cost.term).collect();
    assert!(terms.len() > 25 && expected.len() > 100, "{} {}", terms.len(), expected.len());
    for angle in [0.7, std::f64::consts::FRAC_PI_2, -2.5] {
        let found = numbers(&read(task(angle)).problem);
        assert_eq!(found.len(), expected.len());
        for ((name, a), (other, b)) in expected.iter().zip(&found) {
            assert_eq!(name, other);
            // Rounding of some hundred products, and of the inverse of the mass matrix.
            assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "turned by {angle}, `{name}`: {a} and {b}");
        }
    }
    // In axes of the world it would be another sole, and another pyramid.
    let of_world = |angle: f64| {
        let axes = "half_length_y = 0.01\naxes = \"world\"";
        let text = task(angle).replace("half_length_y = 0.01", axes).replace("inside = false", "axes = \"world\"");
        numbers(&read(text).problem)
    };
    let (first, second) = (of_world(0.0), of_world(0.7));
    let others = first.iter().zip(&second).filter(|((_, a), (_, b))| (*a - *b).abs() > 1e-3 * a.abs());
    let others: Vec<&str> =
        others.map(|((name, _), _)| name.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')).collect();
    for k in [18, 20, 21, 22] {
        assert!(others.contains(&format!("costs {k}").as_str()), "{k}: {others:?}");
    }
}
