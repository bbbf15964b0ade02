//! `gradyn check --against`

use super::{all_robots, directory, json, refused, robot, run, run_with, text_of};
use gradyn::dynamics::{ReferenceFrame, Workspace, frame_jacobian};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Output;

const SMALL: [&str; 4] = ["tau", "mass_matrix", "dtau_dq", "dtau_dv"];

/// A file of other programs' results.
pub(super) fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).to_str().expect("UTF-8").to_owned()
}

/// What `gradyn evaluate` answers at random states.
fn evaluated(file: &str, flags: &[&str], quantities: &[&str], states: usize, seed: u64) -> Value {
    let options = UrdfOptions::new().floating_base(flags.contains(&"--floating-base"));
    let model = Model::from_urdf_file(file, &options).expect("the robot is good").model;
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let link = model.bodies().last().expect("is there").name();
    let state = |rng: &mut ChaCha8Rng| {
        let q = model.random(rng);
        let [v, a, tau] = std::array::from_fn(|_| (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect());
        let wrench: [f64; 6] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let [v, a, tau]: [Vec<f64>; 3] = [v, a, tau];
        json!({"q": q, "v": v, "a": a, "tau": tau, "f_ext": {link: wrench}})
    };
    let input = json!({"states": (0..states).map(|_| state(rng)).collect::<Vec<_>>()}).to_string();
    let list = quantities.join(",");
    let arguments = ["evaluate", file, "--states", "-", "--method", "analytical", "--quantities", &list];
    json(&text_of(&run_with([&arguments[..], flags].concat(), input.as_bytes())))
}

pub(super) fn check(file: &str, flags: &[&str], claims: &Value) -> Output {
    check_text(file, flags, claims.to_string().as_bytes())
}

fn check_text(file: &str, flags: &[&str], claims: &[u8]) -> Output {
    run_with([&["check", file, "--against", "-"], flags].concat(), claims)
}

/// What it says where something disagrees.
#[track_caller]
pub(super) fn disagrees(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[track_caller]
pub(super) fn has(message: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| message.contains(part)), "{message}\nlacks one of {parts:?}");
}

/// Of every robot, fixed and floating: what `evaluate` writes agrees.
#[test]
fn what_evaluate_writes_agrees() {
    for file in all_robots() {
        for flags in [&[][..], &["--floating-base"]] {
            let text = text_of(&check(&file, flags, &evaluated(&file, flags, &SMALL, 1, 1)));
            assert!(text.ends_with("\nthe state agrees\n"), "{file}: {text}");
        }
    }
}

/// Every quantity that `evaluate` knows is one that can be claimed.
#[test]
fn every_quantity_can_be_claimed() {
    let all = [
        "tau,mass_matrix,dtau_dq,dtau_dv,dtau_da,dtau_df_ext,ddq,ddq_dq,ddq_dv,ddq_dtau,ddq_df_ext",
        "mass_matrix_inverse,coriolis,bias,gravity,energy,frame_jacobians,joint_jacobians,com,com_jacobian",
        "centroidal",
    ];
    for (name, flags) in [("mimic", &[][..]), ("planar", &[]), ("panda", &["--floating-base"]), ("continuous", &[])] {
        let file = robot(name);
        let claims = evaluated(&file, flags, &all, 1, 2);
        let text = text_of(&check(&file, flags, &claims));
        for symbol in
            ["τ ", "∂q̈/∂q", "∂q̈/∂f_ext", "M⁻¹", "coriolis", "energy.kinetic", "centroidal.matrix_rate", "com.mass"]
        {
            assert!(text.contains(symbol), "{name}: {text}");
        }
        assert!(text.ends_with("\nthe state agrees\n"), "{name}: {text}");
    }
}

/// The reference of Jacobians is a text, in arrays too; in another one they are wrong.
#[test]
fn arrays_say_their_reference() {
    let file = robot("double_pendulum");
    let model = Model::from_urdf_file(&file, &UrdfOptions::new()).expect("the robot is good").model;
    let (tip, q) = (model.find_body("rod_2").expect("is there"), [0.3, 0.5, -0.2, 0.9]);
    let jacobian = |q: &[f64]| {
        let world = ReferenceFrame::World;
        let j = frame_jacobian(&model, &mut Workspace::new(&model), q, tip, world).expect("fits").clone();
        j.transpose().as_slice().to_vec()
    };
    let numbers = [jacobian(&q[..2]), jacobian(&q[2..])].concat();
    for (texts, code) in [(&["world"][..], 0), (&["world", "world"], 0), (&["local"], 1), (&[], 1)] {
        let texts: &[_] = if texts.is_empty() { &[] } else { &[("frame_jacobians.reference", texts)] };
        let claims = npz_with(&[("q", &[2, 2], &q), ("frame_jacobians.rod_2", &[2, 6, 2], &numbers)], texts);
        assert_eq!(check_text(&file, &[], &claims).status.code(), Some(code), "{texts:?}");
    }
}

/// One entry, off by 1e-5 of itself: found, and named by its joints.
#[test]
fn a_single_wrong_entry_is_found() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    for (name, flags) in [("double_pendulum", &[][..]), ("panda", &[]), ("solo12", &["--floating-base"])] {
        let file = robot(name);
        let model = {
            let options = UrdfOptions::new().floating_base(!flags.is_empty());
            Model::from_urdf_file(&file, &options).expect("the robot is good").model
        };
        let names = model.dof_names();
        let good = evaluated(&file, flags, &["mass_matrix", "dtau_dq", "dtau_dv", "ddq_dq"], 2, 3);
        for (key, symbol) in [("dtau_dq", "∂τ/∂q"), ("dtau_dv", "∂τ/∂v"), ("mass_matrix", "M"), ("ddq_dq", "∂q̈/∂q")]
        {
            let mut claims = good.clone();
            let matrix = &mut claims["states"][1][key];
            // An entry of some size: what cancels to nothing has no relative error to be seen.
            let (row, column) = loop {
                let (i, k) = (rng.random_range(0..names.len()), rng.random_range(0..names.len()));
                if matrix[i][k].as_f64().expect("a number").abs() > 1e-3 {
                    break (i, k);
                }
            };
            let entry = &mut matrix[row][column];
            *entry = json!(entry.as_f64().expect("a number") * (1.0 + 1e-5));
            let text = disagrees(&check(&file, flags, &claims));
            let table = text.split("Entries that disagree").nth(1).expect("there is a table");
            let line = table.lines().find(|line| line.starts_with(symbol)).expect("a row");
            assert!(
                line.contains(&names[row]) && line.contains(&names[column]),
                "{line}\n{} {}",
                names[row],
                names[column]
            );
            has(&text, &[&format!("\n1 of 2 states disagrees: {symbol}\n")]);
            let answer = run_with(
                [&["check", &file, "--against", "-", "--json"], flags].concat(),
                claims.to_string().as_bytes(),
            );
            let answer = json(&disagrees(&answer));
            assert_eq!(answer["agree"], false);
            let wrong = answer["checked"].as_array().expect("a list").iter().find(|c| c["agrees"] == false);
            let wrong = wrong.expect("one is wrong");
            assert_eq!((&wrong["quantity"], &wrong["state"], &wrong["disagree"]), (&json!(key), &json!(1), &json!(1)));
            assert_eq!(
                (&wrong["worst"][0]["row"], &wrong["worst"][0]["column"]),
                (&json!(names[row]), &json!(names[column]))
            );
        }
    }
}

#[test]
fn the_usual_mistakes_are_guessed() {
    let file = robot("panda");
    let good = evaluated(&file, &[], &["mass_matrix", "dtau_dq", "dtau_dv"], 1, 4);
    let rows = |key: &str| good["states"][0][key].clone();
    let by_entry = |change: &dyn Fn(&Value, usize, usize) -> f64| {
        let matrix = rows("dtau_dq");
        (0..7).map(|i| (0..7).map(|k| change(&matrix, i, k)).collect()).collect::<Vec<Vec<f64>>>()
    };
    let number = |matrix: &Value, i: usize, k: usize| matrix[i][k].as_f64().expect("a number");
    let mistakes: [(Value, &str); 4] = [
        (json!(by_entry(&|m, i, k| number(m, k, i))), "transposed"),
        (json!(by_entry(&|m, i, k| -number(m, i, k))), "sign"),
        (json!(by_entry(&|m, i, k| 2.0 * number(m, i, k))), "2 times too large"),
        (rows("dtau_dv"), "exchanged"),
    ];
    for (matrix, word) in mistakes {
        let mut claims = good.clone();
        claims["states"][0]["dtau_dq"] = matrix;
        let text = disagrees(&check(&file, &[], &claims));
        let guess = text.lines().find(|line| line.starts_with("probably")).unwrap_or_else(|| panic!("{text}"));
        assert!(guess.contains(word) && guess.contains("∂τ/∂q"), "{guess}");
    }
}

/// The same claims as CSV, by names or by numbers.
fn csv(claims: &Value, names: Option<&[String]>) -> String {
    let mut text = String::from("state,quantity,row,column,value\n");
    for (k, state) in claims["states"].as_array().expect("a list").iter().enumerate() {
        for (key, value) in state.as_object().expect("an object") {
            let at = |i: usize| names.filter(|_| key != "q").map_or_else(|| i.to_string(), |names| names[i].clone());
            match value {
                Value::Object(links) => {
                    for (link, wrench) in links {
                        for (axis, x) in
                            ["fx", "fy", "fz", "nx", "ny", "nz"].iter().zip(wrench.as_array().expect("six"))
                        {
                            text.push_str(&format!("{k},{key}.{link},{axis},,{x}\n"));
                        }
                    }
                }
                value => {
                    for (i, row) in value.as_array().expect("a list").iter().enumerate() {
                        match row.as_array() {
                            Some(row) => {
                                for (j, x) in row.iter().enumerate() {
                                    text.push_str(&format!("{k},{key},{},{},{x}\n", at(i), at(j)));
                                }
                            }
                            None => text.push_str(&format!("{k},{key},{},,{row}\n", at(i))),
                        }
                    }
                }
            }
        }
    }
    text
}

#[test]
fn csv_is_the_same_as_json() {
    for (name, flags) in [("double_pendulum", &[][..]), ("solo12", &["--floating-base"])] {
        let file = robot(name);
        let options = UrdfOptions::new().floating_base(!flags.is_empty());
        let names = Model::from_urdf_file(&file, &options).expect("the robot is good").model.dof_names();
        let claims = evaluated(&file, flags, &SMALL, 2, 5);
        let expected = text_of(&check(&file, flags, &claims));
        for names in [None, Some(&names[..])] {
            assert_eq!(text_of(&check_text(&file, flags, csv(&claims, names).as_bytes())), expected);
        }
        // In any order of lines; one number changed.
        let text = csv(&claims, Some(&names));
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines[1..].reverse();
        assert_eq!(text_of(&check_text(&file, flags, lines.join("\n").as_bytes())), expected);
        let line = lines.iter_mut().find(|line| line.starts_with("1,dtau_dq,")).expect("is there");
        let (start, value) = line.rsplit_once(',').expect("has fields");
        *line = format!("{start},{}", value.parse::<f64>().expect("a number") + 1.0);
        has(&disagrees(&check_text(&file, flags, lines.join("\n").as_bytes())), &["1 of 2 states disagrees: ∂τ/∂q"]);
    }
}

/// Files that NumPy wrote: states along an axis and joints by name; a single state, packed, its matrices in Fortran's
/// order.
#[test]
fn npz_of_pinocchio_agrees() {
    let file = robot("solo12");
    let flags = ["--floating-base", "--no-joint-friction", "--layout", "pinocchio"];
    for (name, end) in
        [("pinocchio_solo12.npz", "all 2 states agree\n"), ("pinocchio_solo12_single.npz", "the state agrees\n")]
    {
        let path = data(name);
        let text = text_of(&run([&["check", &file, "--against", &path], &flags[..]].concat()));
        assert!(text.ends_with(end) && text.contains("∂τ/∂v"), "{text}");
    }
    // The joints' own order is the other one: with names it does not matter, without them it does.
    let order = ["--floating-base", "--no-joint-friction"];
    text_of(&run([&["check", &file, "--against", &data("pinocchio_solo12.npz")], &order[..]].concat()));
}

/// The order of joints is that of the names.
#[test]
fn joints_may_stand_in_any_order() {
    let file = robot("panda");
    let good = evaluated(&file, &[], &SMALL, 1, 8);
    let state = &good["states"][0];
    let order = [3, 0, 6, 2, 5, 1, 4];
    let vector = |key: &str| json!(order.map(|k| state[key][k].clone()));
    let matrix = |key: &str| json!(order.map(|i| order.map(|k| state[key][i][k].clone())));
    let names = order.map(|k| good["joints"][k]["name"].clone());
    let claims = json!({"joints": names, "states": [{
        "q": vector("q"), "v": vector("v"), "a": vector("a"), "tau": vector("tau"), "mass_matrix": matrix("mass_matrix"),
        "dtau_dq": matrix("dtau_dq"), "dtau_dv": matrix("dtau_dv"), "f_ext": state["f_ext"],
    }]});
    text_of(&check(&file, &[], &claims));
    let mut unnamed = claims.clone();
    unnamed.as_object_mut().expect("an object").remove("joints");
    disagrees(&check(&file, &[], &unnamed));
}

/// Like states shrink: an archive may have more of them than bytes.
#[test]
fn like_states_in_few_bytes_agree() {
    const STATES: usize = 1000;
    let file = robot("double_pendulum");
    let input = br#"{"states": [{"q": [0.5, 0], "v": [0, 0], "a": [0, 0]}]}"#;
    let answer = super::json(&text_of(&run_with(["evaluate", &file, "--states", "-", "--quantities", "tau"], input)));
    let tau: Vec<f64> =
        answer["states"][0]["tau"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    let many = |one: &[f64]| one.repeat(STATES);
    let (q, still, tau) = (many(&[0.5, 0.0]), many(&[0.0, 0.0]), many(&tau));
    let shape: &[usize] = &[STATES, 2];
    let archive = npz(&[("q", shape, &q), ("v", shape, &still), ("a", shape, &still), ("tau", shape, &tau)]);
    assert!(archive.len() < STATES, "{} bytes", archive.len());
    let text = text_of(&check_text(&file, &[], &archive));
    assert!(text.ends_with("all 1000 states agree\n"), "{text}");

    // Of nothing there may be any number.
    let none = npz(&[("q", &[1 << 40, 0], &[]), ("v", &[1 << 40, 0], &[])]);
    has(&refused(&check_text(&file, &[], &none)), &["array `q`", "1099511627776 states of 2 arrays", "split it"]);
}

/// An archive of `.npy` arrays as NumPy writes them, packed.
fn npz(arrays: &[(&str, &[usize], &[f64])]) -> Vec<u8> {
    npz_with(arrays, &[])
}

/// And texts.
fn npz_with(arrays: &[(&str, &[usize], &[f64])], texts: &[(&str, &[&str])]) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    let numbers = arrays.iter().map(|(name, shape, numbers)| {
        (*name, "<f8", shape.to_vec(), numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
    });
    let texts = texts.iter().map(|(name, texts)| {
        let cell = |text: &&str| text.chars().chain(std::iter::repeat('\0')).take(20).collect::<Vec<_>>();
        let cells = texts.iter().flat_map(cell).flat_map(|c| u32::from(c).to_le_bytes()).collect();
        (*name, "<U20", vec![texts.len()], cells)
    });
    for (name, kind, shape, bytes) in numbers.chain(texts) {
        let file = archive.new_file(format!("{name}.npy")).compression_method(rawzip::CompressionMethod::DEFLATE);
        let (mut file, config) = file.start().expect("begins");
        let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut file, flate2::Compression::best()));
        let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}\n");
        let length = u16::try_from(header.len()).expect("short").to_le_bytes();
        writer.write_all(&[b"\x93NUMPY\x01\x00", &length[..], header.as_bytes()].concat()).expect("writes");
        writer.write_all(&bytes).expect("writes");
        let (packed, descriptor) = writer.finish().expect("ends");
        packed.finish().expect("ends");
        file.finish(descriptor).expect("ends");
    }
    archive.finish().expect("ends")
}

/// Bad input: one line, exit code 2, naming file, state, quantity and both values.
#[test]
fn claims_that_make_no_sense_are_refused() {
    let file = robot("double_pendulum");
    let refuse = |text: &str| refused(&check_text(&file, &[], text.as_bytes()));
    let with = |more: &str| {
        refuse(&format!(
            r#"{{"states": [{{"q": [1, 2], "v": [3, 4], "a": [5, 6], "dtau_dq": [[1, 2], [3, 4]]}}, {{{more}}}]}}"#
        ))
    };
    let fine = r#""q": [1, 2], "v": [3, 4], "a": [5, 6]"#;
    has(&refuse(""), &["standard input", "empty", "state,quantity,row,column,value"]);
    has(&refuse("{}"), &["missing key `states`"]);
    has(&refuse(r#"{"states": []}"#), &["no state"]);
    has(&refuse(r#"{"states": [], "state": 1}"#), &["unknown key `state`"]);
    has(&refuse(r#"{"nv": 3, "states": []}"#), &["`nv`", "expected 2", "found 3"]);
    has(&refuse(r#"{"states": [{"q": [1, 2]"#), &["the text ends within"]);
    has(&with(r#""v": [3, 4]"#), &["state 1", "missing `q`", "2 numbers"]);
    has(&with(r#""q": [1, 2], "a": [3, 4], "dtau_dq": [[1, 2], [3, 4]]"#), &["state 1", "missing `v`", "`dtau_dq`"]);
    has(&with(r#""q": [1, 2], "v": [3, 4], "ddq": [3, 4]"#), &["state 1", "missing `tau`", "`ddq`"]);
    has(&with(fine), &["state 1", "claims nothing"]);
    has(&with(r#""q": [1], "v": [3, 4]"#), &["state 1", "`q`", "expected 2 numbers (nq)", "found 1"]);
    let wrong = |claim: &str| with(&format!("{fine}, {claim}"));
    has(&wrong(r#""dtau_dq": [[1, 2]]"#), &["state 1", "`dtau_dq`", "expected 2 by 2 numbers", "found 1 by 2"]);
    has(&wrong(r#""dtau_dq": [[1, 2], [3]]"#), &["state 1", "`dtau_dq`", "row 1", "expected 2 numbers", "found 1"]);
    has(&wrong(r#""dtau_dq": [1, 2, 3, 4]"#), &["state 1", "`dtau_dq`", "expected 2 by 2", "found 4 numbers"]);
    has(&wrong(r#""dtau_dq": [[1, 2], [3, NaN]]"#), &["state 1", "`dtau_dq`", "finite", "found `NaN`"]);
    has(&wrong(r#""dtau_dq": "x""#), &["state 1", "`dtau_dq`", "found a string"]);
    has(&wrong(r#""tau": [1, 2, 3]"#), &["state 1", "`tau`", "expected 2 numbers (nv)", "found 3"]);
    has(&wrong(r#""dtau": 1"#), &["state 1", "`dtau`", "unknown quantity", "dtau_dq"]);
    has(&wrong(r#""energy": {"total": 1}"#), &["state 1", "`energy.total`", "kinetic, potential"]);
    has(&wrong(r#""dtau_df_ext": {"tip": [[1,2,3,4,5,6],[1,2,3,4,5,6]]}"#), &["state 1", "missing `f_ext.tip`"]);
    has(
        &wrong(r#""f_ext": {"tipp": [0,0,0,0,0,0]}, "tau": [1, 2]"#),
        &["state 1", "found `tipp`", "did you mean `tip`"],
    );
    has(&wrong(r#""frame_jacobians": {"top": [[1,2]]}"#), &["`frame_jacobians.top`"]);
    let joints = |list: &str| refuse(&format!(r#"{{"joints": {list}, "states": [{{{fine}, "tau": [1, 2]}}]}}"#));
    has(&joints(r#"["shoulder", "elbo"]"#), &["`joints`", "entry 1", "found `elbo`", "did you mean `elbow`"]);
    has(&joints(r#"["shoulder"]"#), &["`joints` lacks `elbow`", "1 of the robot's 2"]);
    has(&joints(r#"["elbow", "elbow"]"#), &["`elbow` is there twice"]);

    let csv = |lines: &str| refuse(&format!("state,quantity,row,column,value\n{lines}"));
    let start = "0,q,shoulder,,1\n0,q,elbow,,2\n0,v,0,,1\n0,v,1,,1\n0,a,0,,1\n0,a,1,,1\n";
    has(&refuse("state,quantity\n"), &["line 1", "expected the heading"]);
    has(&csv("0,q,elbow\n"), &["line 2", "expected 5 fields, found 3"]);
    has(&csv("0,q,elbow,,nan\n"), &["line 2", "state 0", "`q`", "`elbow`", "finite", "found `nan`"]);
    has(&csv("x,q,elbow,,1\n"), &["line 2", "found `x`"]);
    has(&csv("2,q,elbow,,1\n"), &["state 0 is missing", "state 2"]);
    has(&csv("0,q,elbow,,1\n"), &["state 0", "`q`", "row `shoulder`", "missing", "expected 2 numbers, found 1"]);
    has(&csv(&format!("{start}0,tau,0,,1\n")), &["state 0", "`tau`", "row `elbow`", "missing"]);
    has(&csv(&format!("{start}0,tau,knee,,1\n")), &["state 0", "`tau`", "line 8", "`knee`", "`shoulder`"]);
    has(&csv(&format!("{start}0,tau,0,,1\n0,tau,shoulder,,1\n")), &["given twice", "lines 8 and 9"]);

    let refuse = |bytes: &[u8]| refused(&check_text(&file, &[], bytes));
    let vector = |name, numbers| (name, &[2, 2][..], numbers);
    let rest: &[f64] = &[0.0; 4];
    let whole = npz(&[vector("q", rest), vector("v", rest), vector("a", rest), ("dtau_dq", &[2, 2, 2], &[0.0; 8])]);
    has(&refuse(&whole[..whole.len() / 2]), &["standard input", "not a complete archive"]);
    has(&refuse(&[0xff, 0xfe]), &["neither", ".npz", "UTF-8"]);
    has(&refuse(&npz(&[vector("v", rest)])), &["missing array `q`"]);
    has(&refuse(&npz_with(&[], &[("q", &["1", "2"])])), &["array `q`: expected numbers, found texts"]);
    has(&refuse(&npz_with(&[vector("q", rest)], &[("dtau_dq", &["1"])])), &["array `dtau_dq`: expected numbers"]);
    let references: &[&str] = &["world", "world", "local"];
    has(
        &refuse(&npz_with(&[vector("q", rest)], &[("frame_jacobians.reference", references)])),
        &["array `frame_jacobians.reference`: expected 1 text, or 2, one a state, found 3"],
    );
    has(&refuse(&npz(&[vector("q", rest), ("v", &[3, 2], &[0.0; 6])])), &["`v`", "expected 2 states", "found 3 by 2"]);
    has(&refuse(&npz(&[("q", &[2, 3], &[0.0; 6])])), &["state 0", "`q`", "expected 2 numbers (nq)", "found 3"]);
    let short = npz(&[vector("q", rest), vector("v", rest), vector("a", rest), ("dtau_dq", &[2, 2, 1], &[0.0; 4])]);
    has(&refuse(&short), &["state 0", "`dtau_dq`", "expected 2 by 2 numbers", "found 2 by 1"]);
    has(&refuse(&npz(&[vector("q", rest), vector("q", rest)])), &["array `q`", "twice"]);
    let odd = npz(&[vector("q", &[0.0, 1.0, f64::NAN, 0.0])]);
    has(&refuse(&odd), &["`q`[1, 0]", "finite", "found NaN"]);
    has(&refuse(&npz(&[vector("q", &[0.0; 3])])), &["array `q`", "truncated", "expected 32 bytes", "found 24"]);
}

/// What is named as an archive and is none is told so, and not read as something else.
#[test]
fn an_archive_by_name_alone_is_refused() {
    let here = directory("named");
    for (name, text) in [("noise.npz", "\u{1}\u{2}, rubbish\n"), ("empty.NPZ", ""), ("json.npz", "{\"states\": []}")] {
        let path = here.join(name);
        std::fs::write(&path, text).expect("writes");
        let path = path.to_str().expect("UTF-8");
        let message = refused(&run(["check", &robot("double_pendulum"), "--against", path]));
        has(&message, &[name, "it is named .npz, but is not a zip archive"]);
    }
}

/// Large numbers whose torques are none are an error, and a report that is there stays as it is.
#[test]
fn an_existing_report_is_untouched_by_errors() {
    let here = directory("against");
    let report = here.join("report.html");
    std::fs::write(&report, "precious").expect("writes");
    let path = report.to_str().expect("UTF-8");
    for input in [
        "",
        r#"{"states": [{"q": [0, 0]}]}"#,
        r#"{"states": [{"q": [0, 0], "v": [1e300, 1e300], "a": [0, 0], "tau": [0, 0]}]}"#,
    ] {
        refused(&check_text(&robot("double_pendulum"), &["--report", path], input.as_bytes()));
        assert_eq!(std::fs::read_to_string(&report).expect("is there"), "precious");
    }
    assert_eq!(std::fs::read_dir(&here).expect("reads").count(), 1, "nothing is left behind");
    let claims = here.join("claims.json");
    std::fs::write(&claims, "{}").expect("writes");
    let claims = claims.to_str().expect("UTF-8");
    let message = refused(&run(["check", &robot("ur5"), "--against", claims, "--report", claims]));
    has(&message, &["cannot write", "input of the same command"]);
}

/// Files that were damaged on their way are refused, or read; nothing else happens.
#[test]
fn damaged_files_do_no_harm() {
    let flags = ["--floating-base", "--layout", "pinocchio"];
    let rng = &mut ChaCha8Rng::seed_from_u64(9);
    for name in ["pinocchio_solo12_single.npz", "pinocchio_solo12.npz"] {
        let whole = std::fs::read(data(name)).expect("is there");
        for k in 0..60 {
            let mut bytes = whole.clone();
            if k % 3 == 0 {
                bytes.truncate(rng.random_range(0..whole.len()));
            }
            for _ in 0..3 {
                // Most of a file is numbers; headers stand at its ends and between arrays.
                let reach = bytes.len().min(if k % 2 == 0 { 300 } else { usize::MAX });
                if reach > 0 {
                    let at = rng.random_range(0..reach);
                    bytes[at] ^= 1 << rng.random_range(0..8);
                }
            }
            let output = check_text(&robot("solo12"), &flags, &bytes);
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(matches!(output.status.code(), Some(0..=2)), "{k}: {errors}");
            assert!(output.status.code() != Some(2) || errors.lines().count() == 1, "{k}: {errors}");
        }
    }
    let text = csv(&evaluated(&robot("double_pendulum"), &[], &SMALL, 1, 9), None);
    for k in 0..40 {
        let mut bytes = text.clone().into_bytes();
        let at = rng.random_range(0..bytes.len());
        bytes[at] = *b"\"\n,x-9".get(k % 6).expect("is there");
        let output = check_text(&robot("double_pendulum"), &[], &bytes);
        assert!(matches!(output.status.code(), Some(0..=2)), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The worked example of `docs/check-pinocchio.md`: with hinges all agrees; with a universal joint derivatives are
/// wrong in its columns, and the page shows just that.
#[test]
fn a_wrong_derivative_of_pinocchio_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = |name: &str| root.join("examples/gimbal").join(name).to_str().expect("UTF-8").to_owned();
    let arm = path("arm.urdf");
    let text = text_of(&run(["check", &arm, "--against", &path("pinocchio_hinges.json")]));
    assert!(text.ends_with("\nall 3 states agree\n"), "{text}");
    let text = disagrees(&run(["check", &arm, "--against", &path("pinocchio_universal.json")]));
    assert!(text.ends_with("\n3 of 3 states disagree: ∂τ/∂q, ∂τ/∂v\n"), "{text}");
    let page = std::fs::read_to_string(root.join("docs/check-pinocchio.md")).expect("is there");
    let (summary, entries) = text.split_once("Entries that disagree").expect("there are some");
    for exact in ["τ  ", "M  "] {
        assert!(summary.lines().any(|line| line.starts_with(exact) && line.ends_with("  agrees")), "{text}");
    }
    let entries: Vec<&str> = entries.lines().filter(|line| line.starts_with('∂')).collect();
    assert_eq!(entries.len(), 21);
    for line in entries {
        assert!(page.contains(line), "the page lacks {line}");
        let column = line.split_whitespace().nth(3).expect("a column");
        assert!(column == "shoulder_y" || (line.starts_with("∂τ/∂v") && column == "shoulder_x"), "{line}");
    }
}

/// Where nothing is left but roundings, any roundings will do, and more than these will not.
#[test]
fn roundings_of_nothing_agree() {
    let file = directory("rotor").join("rotor.urdf");
    let text = r#"<robot name="rotor"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -0.3"/><mass value="1"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous">
        <parent link="base"/><child link="rod"/><axis xyz="1 1 0"/></joint></robot>"#;
    std::fs::write(&file, text).expect("writes");
    let claims = |off: f64| {
        let claims = format!(
            r#"{{"states": [{{"q": [0.7], "v": [1.3], "a": [0.4], "tau_given": [0.2], "dtau_dv": [[{off:e}]],
            "coriolis": [[{off:e}]], "ddq_dv": [[{off:e}]], "bias_dv": [[{off:e}]]}}]}}"#
        );
        let output = check_text(file.to_str().expect("UTF-8"), &[], claims.as_bytes());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = claims(3e-16);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("unclear"), "{text}");
    let (code, text) = claims(1e-8);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("∂τ/∂v, ∂q̈/∂v, coriolis, ∂bias/∂v"), "{text}");
}
