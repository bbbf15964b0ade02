//! `gradyn optimize` on the ground: axes of soles, normals, and pyramids of friction.

use super::optimize::flat;
use super::optimize_broken::refused_at;
use super::{directory, good, json, robots, run};
use std::fs;
use std::path::Path;

/// A humanoid that leans over its soles of 16 cm by 2 cm, turned by an angle about the vertical; `goal`: where to, from
/// where it stands.
fn leans(folder: &Path, yaw: f64, goal: [f64; 2], more: &str) -> String {
    let robot = robots().join("g1.urdf");
    let [x, y] = goal;
    let text = format!(
        "[robot]\nfile = {robot:?}\nfloating_base = true\n\
         [poses.stand]\nroot_joint = {{ xyz = [0.0, 0.0, 0.8], rpy = [0.0, 0.0, {yaw:?}] }}\n\
         left_hip_pitch_joint = -0.3\nright_hip_pitch_joint = -0.3\nleft_knee_joint = 0.6\nright_knee_joint = 0.6\n\
         left_ankle_pitch_joint = -0.3\nright_ankle_pitch_joint = -0.3\nground = [\"left_ankle_roll_link\", \"right_ankle_roll_link\"]\n\
         [start]\nq = \"stand\"\n\
         [contacts]\nleft = {{ frame = \"left_ankle_roll_link\", type = \"surface\" }}\n\
         right = {{ frame = \"right_ankle_roll_link\", type = \"surface\" }}\n\
         [steps]\ndt = 0.03\n[report]\nsteps = false\n\
         [[phases]]\nname = \"lean\"\nnodes = 20\ncontacts = [\"left\", \"right\"]\n\
         [[costs]]\nname = \"com\"\nkind = \"center-of-mass\"\ngoal = {{ offset = [{x:?}, {y:?}, 0.0] }}\nweight = 100.0\n\
         [[costs]]\nname = \"torque\"\nkind = \"control\"\nweight = 1e-3\n\
         [[costs]]\nname = \"posture\"\nkind = \"state\"\nweights = {{ q = 1.0, v = 1.0 }}\n\
         [[constraints]]\nname = \"cop\"\nkind = \"center-of-pressure\"\ncontact = [\"left\", \"right\"]\n\
         half_length_x = 0.08\nhalf_length_y = 0.01\n{more}"
    );
    let file = folder.join("leans.toml");
    fs::write(&file, text).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// The answer of a task that converges.
fn solved(file: &str) -> serde_json::Value {
    let out = Path::new(file).with_extension("out");
    good(["optimize", file, "--output", out.to_str().expect("UTF-8")]);
    let answer = json(&fs::read_to_string(out.join("trajectory.json")).expect("is there"));
    assert_eq!(answer["status"], "converged");
    answer
}

fn cost(answer: &serde_json::Value) -> f64 {
    answer["cost"].as_f64().expect("a number")
}

/// The forces of a contact at all nodes where it is held.
fn forces(answer: &serde_json::Value, contact: &str) -> Vec<Vec<f64>> {
    let nodes = answer["forces"].as_array().expect("a list");
    let all: Vec<_> = nodes.iter().filter_map(|node| node.get(contact)).map(flat).collect();
    assert!(all.len() > 5, "{contact}: {}", all.len());
    all
}

/// A robot that stands turned by a quarter leans along its soles as far as one that is not; in axes of the world it
/// does not.
#[test]
fn soles_turn_with_the_robot() {
    let folder = directory("soles");
    let quarter = std::f64::consts::FRAC_PI_2;
    let ahead = cost(&solved(&leans(&folder, 0.0, [0.05, 0.0], "")));
    let turned = cost(&solved(&leans(&folder, quarter, [0.0, 0.05], "")));
    // Measured to five digits, with axes of the world before and with those of the frame; optima are found to 1e-8 of
    // their conditions.
    assert!((ahead - 0.14696).abs() < 5e-6 && (turned - ahead).abs() < 1e-7, "{ahead} {turned}");
    let world = cost(&solved(&leans(&folder, quarter, [0.0, 0.05], "axes = \"world\"\n")));
    assert!((world - 0.19208).abs() < 5e-6, "{world}");
    // Toward its side, the pressure stays inside of the narrow sole: across it is along the world's x.
    let answer = solved(&leans(&folder, quarter, [0.05, 0.0], ""));
    for contact in ["left", "right"] {
        for f in forces(&answer, contact) {
            // The solver keeps rows, N m, to 1e-8; forces are some 100 N.
            assert!(f[4].abs() <= 0.01 * f[2] + 1e-6, "{contact}: {} mm", 1e3 * f[4] / f[2]);
        }
    }
}

/// A quadruped on four feet that is to move aside within 0.3 s; `more`: what follows the kind of its cone, and the
/// solver.
fn pushes(folder: &Path, more: &str) -> String {
    pushes_by(folder, 30, 0.08, more)
}

/// The same in so many nodes, by this much.
fn pushes_by(folder: &Path, nodes: usize, offset: f64, more: &str) -> String {
    let robot = robots().join("solo12.urdf");
    let text = format!(
        "[robot]\nfile = {robot:?}\nfloating_base = true\n\
         [poses.stand]\nFL_HFE = 0.7\nFR_HFE = 0.7\nHL_HFE = -0.7\nHR_HFE = -0.7\nFL_KFE = -1.4\nFR_KFE = -1.4\nHL_KFE = 1.4\nHR_KFE = 1.4\n\
         ground = [\"FL_FOOT\", \"FR_FOOT\", \"HL_FOOT\", \"HR_FOOT\"]\n[start]\nq = \"stand\"\n[report]\nsteps = false\n\
         [[phases]]\nname = \"push\"\nnodes = {nodes}\ncontacts = [\"FL_FOOT\", \"FR_FOOT\", \"HL_FOOT\", \"HR_FOOT\"]\n\
         [[costs]]\nname = \"go\"\nkind = \"center-of-mass\"\ngoal = {{ offset = [{offset}, {offset}, 0.0] }}\nweight = 1e3\nat = \"last\"\n\
         [[costs]]\nkind = \"control\"\nweight = 1e-3\n\
         [[constraints]]\nname = \"cone\"\ncontacts = [\"FL_FOOT\", \"FR_FOOT\", \"HL_FOOT\", \"HR_FOOT\"]\nfriction = 0.5\n{more}"
    );
    let file = folder.join("pushes.toml");
    fs::write(&file, text).expect("writes");
    file.to_str().expect("UTF-8").to_owned()
}

/// The largest share of the normal force that forces along the ground have.
fn share(answer: &serde_json::Value, n: [f64; 3]) -> f64 {
    let size = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    let of = |f: &Vec<f64>| {
        let along: f64 = f.iter().zip(n).map(|(f, n)| f * n / size).sum();
        let square: f64 = f.iter().take(3).map(|f| f * f).sum();
        (square - along * along).max(0.0).sqrt() / along
    };
    let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"];
    feet.into_iter().flat_map(|foot| forces(answer, foot)).map(|f| of(&f)).fold(0.0, f64::max)
}

/// A pyramid lies inside of the cone of friction: it lets through what friction gives and no more; outside of it a
/// warning says how much. The first barrier is no trap for forces that cost little.
#[test]
fn pyramids_lie_inside_of_the_cone() {
    let folder = directory("pyramids");
    let pyramid = |more: &str| solved(&pushes(&folder, &format!("kind = \"friction-cone\"\n{more}")));
    let newton = "[solver]\nname = \"newton\"\n";
    let inside = pyramid(newton);
    assert!(share(&inside, [0.0, 0.0, 1.0]) <= 0.5 + 1e-6, "{}", share(&inside, [0.0, 0.0, 1.0]));
    let warned = |answer: &serde_json::Value| {
        let all = answer["warnings"].as_array().expect("a list").clone();
        all.into_iter().find(|of| of["about"] == "cone FL_FOOT")
    };
    assert!(warned(&inside).is_none(), "{}", inside["warnings"]);
    let outside = pyramid(&format!("inside = false\n{newton}"));
    assert!(share(&outside, [0.0, 0.0, 1.0]) > 0.55, "{}", share(&outside, [0.0, 0.0, 1.0]));
    let warning = warned(&outside).expect("is told");
    let text = warning["text"].as_str().expect("a text");
    for part in [
        "constraint `cone FL_FOOT` and 3 more",
        "`inside = false`",
        "0.70711 of the normal force",
        "friction gives 0.5",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for answer in [&inside, &outside] {
        // It took 500 of the first solver and 203 of the second one, before the first barrier became less.
        let iterations = answer["iterations"].as_u64().expect("a number");
        assert!(iterations < 150, "{iterations}");
        assert_eq!(answer["attempts"].as_array().map(Vec::len), Some(1), "{}", answer["attempts"]);
    }
    assert!(cost(&inside) >= cost(&outside));
}

/// On a slope, forces stay in the cone about its normal, which the contact says or the cone itself.
#[test]
fn cones_have_the_normal_of_a_slope() {
    let folder = directory("slope");
    let normal = [0.0, -0.2, 1.0];
    let contacts: String = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]
        .iter()
        .map(|foot| format!("{foot} = {{ normal = [0.0, -0.2, 1.0] }}\n"))
        .collect();
    let mut costs = Vec::new();
    for (kind, of_cone) in [("friction-cone", true), ("coulomb-cone", true), ("coulomb-cone", false)] {
        let (own, more) = match of_cone {
            true => ("normal = [0.0, -1.0, 5.0]\n", String::new()),
            false => ("", format!("[contacts]\n{contacts}")),
        };
        let file = pushes_by(&folder, 12, 0.015, &format!("kind = \"{kind}\"\n{own}{more}"));
        let answer = solved(&file);
        assert!(share(&answer, normal) <= 0.5 + 1e-6, "{kind}: {}", share(&answer, normal));
        costs.push(cost(&answer));
        if !of_cone {
            assert!(good(["optimize", &file, "--explain"]).contains("FL_FOOT (point, normal 0 -0.19612 0.98058)"));
        }
    }
    assert!((costs[1] - costs[2]).abs() < 1e-9, "{costs:?}");
}

#[test]
fn broken_grounds_are_refused_with_their_line() {
    let folder = directory("broken-grounds");
    let cases: [(&str, &str, &[&str]); 12] = [
        ("axes = \"frme\"\n", "axes", &["key `constraints[0].axes`", "no axes `frme`", "did you mean `frame`?"]),
        ("axes = 1\n", "axes", &["key `constraints[0].axes`", "axes: frame, world", "the number 1"]),
        ("axis = \"frame\"\n", "axis", &["key `constraints[0].axis`", "did you mean `axes`?"]),
        (
            "normal = [0.0, 0.0, 0.0]\n",
            "normal",
            &["key `constraints[0].normal`", "away from the ground", "the zero vector"],
        ),
        ("normal = [0.0, 1.0]\n", "normal", &["key `constraints[0].normal`", "expected 3 numbers", "found 2"]),
        ("normal = [0.0, nan, 1.0]\n", "normal", &["key `constraints[0].normal[1]`", "a finite number", "nan"]),
        ("normal = \"z\"\n", "normal", &["key `constraints[0].normal`", "a list of 3 numbers", "the text `z`"]),
        ("normel = [0.0, 0.0, 1.0]\n", "normel", &["key `constraints[0].normel`", "did you mean `normal`?"]),
        (
            "axes = \"world\"\nnormal = [1.0, 0.0, 0.0]\n",
            "axes",
            &["key `constraints[0].axes`", "the normal is along the world's x axis"],
        ),
        (
            "normal = [1.0, 0.0, 0.0]\n",
            "normal",
            &["`constraints[0].normal`", "the x axis of `left_ankle_roll_link`", "`axes = \"world\"`"],
        ),
        ("inside = true\n", "inside", &["key `constraints[0].inside`", "no key `inside`"]),
        (
            "contacts = [\"left\"]\n",
            "contact = ",
            &["key `constraints[0].contact`", "`contact` or `contacts`, found both"],
        ),
    ];
    for (more, at, said) in cases {
        let file = leans(&folder, 0.0, [0.05, 0.0], more);
        let text = fs::read_to_string(&file).expect("is there");
        // The line that was added is the last one with this key.
        let line = text.lines().rev().find(|line| line.starts_with(at)).expect("is there").to_owned();
        refused_at(&file, &line, said);
    }
    let cone = |more: &str| pushes(&folder, &format!("kind = \"friction-cone\"\n{more}"));
    let cases: [(&str, &str, &[&str]); 4] = [
        ("inside = 1\n", "inside = 1", &["key `constraints[0].inside`", "expected true or false", "the number 1"]),
        ("insde = true\n", "insde", &["key `constraints[0].insde`", "did you mean `inside`?"]),
        ("axes = \"frame\"\n", "axes", &["key `constraints[0].axes`", "no axes `frame`", "start, world"]),
        (
            "[contacts]\nFL_FOOT = { normal = [0.0, 0.0, inf] }\n",
            "FL_FOOT = { normal",
            &["key `contacts.FL_FOOT.normal[2]`", "a finite number", "inf"],
        ),
    ];
    for (more, at, said) in cases {
        refused_at(&cone(more), at, said);
    }
    let file = pushes(&folder, "kind = \"coulomb-cone\"\n").replace(".toml", "-none.toml");
    let text = fs::read_to_string(file.replace("-none", "")).expect("is there");
    let feet = "[\"FL_FOOT\", \"FR_FOOT\", \"HL_FOOT\", \"HR_FOOT\"]\nfriction";
    fs::write(&file, text.replace(&format!("contacts = {feet}"), "contact = []\nfriction")).expect("writes");
    refused_at(&file, "contact = []", &["key `constraints[0].contact`", "expected one contact at least"]);
    assert_eq!(run(["optimize", &file]).status.code(), Some(2));
}
