//! Bad input: exit code 2, one line, nothing else touched.

use super::{directory, refused, robot, run, run_with};
use std::io::Read;
use std::process::{Command, Stdio};
use testing::{Running, within_limit};

/// The message for these states of the double pendulum (nq 2, nv 2).
fn states(text: &str) -> String {
    refused(&run_with(["evaluate", &robot("double_pendulum"), "--states", "-"], text.as_bytes()))
}

/// The message for one state whose `q`, `v`, `a` and other keys are given as JSON.
fn state(q: &str, v: &str, a: &str, more: &str) -> String {
    let fine = r#"{"q": [0, 0], "v": [0, 0], "a": [0, 0]}"#;
    states(&format!(r#"{{"states": [{fine}, {{"q": {q}, "v": {v}, "a": {a}{more}}}]}}"#))
}

#[track_caller]
fn has(message: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| message.contains(part)), "{message}\nlacks one of {parts:?}");
}

#[test]
fn messages_name_state_key_expected_and_found() {
    let z = "[0, 0]";
    has(&state("[1]", z, z, ""), &["state 1", "`q`", "expected 2 numbers (nq)", "found 1"]);
    has(&state(z, "[1,2,3]", z, ""), &["state 1", "`v`", "expected 2 numbers (nv)", "found 3"]);
    has(&state(z, z, "[]", ""), &["state 1", "`a`", "expected 2 numbers (nv)", "found 0"]);
    has(&state(z, z, z, r#", "tau": [1]"#), &["state 1", "`tau`", "expected 2", "found 1"]);
    has(&state(z, z, z, r#", "tau": null"#), &["state 1", "`tau`", "found null"]);
    has(&state(z, r#"[1, "2"]"#, z, ""), &["state 1", "`v`, entry 1", "expected a number, found a string"]);
    has(&state("[[1],2]", z, z, ""), &["state 1", "`q`, entry 0", "found a list"]);
    has(&state("{}", z, z, ""), &["state 1", "`q`", "found an object"]);
    has(&state(z, z, z, r#", "b": 1"#), &["state 1", "unknown key `b`", "`f_ext`"]);
    has(&states(r#"{"states": [{"q": [0,0], "v": [0,0]}]}"#), &["state 0", "missing key `a`", "2 numbers (nv)"]);
    has(&states(r#"{"states": [7]}"#), &["state 0", "expected an object", "found the number 7"]);
    has(&states(r#"{"states": {}}"#), &["`states`", "expected a list", "found an object"]);
    has(&states(r#"{"state": []}"#), &["unknown key `state`", "`states`"]);
    has(&states("{}"), &["missing key `states`"]);
    has(&states("[]"), &["expected an object with the key `states`", "found a list"]);
}

#[test]
fn messages_name_what_is_wrong_with_wrenches() {
    let f_ext = |value: &str| state("[0,0]", "[0,0]", "[0,0]", &format!(r#", "f_ext": {value}"#));
    has(&f_ext(r#"{"rod_3": [0,0,0,0,0,0]}"#), &["state 1", "`f_ext`", "found `rod_3`", "did you mean `rod_"]);
    has(&f_ext(r#"{"elbow": [0,0,0,0,0,0]}"#), &["expected a link of the robot, found `elbow`"]); // a joint
    has(&f_ext(r#"{"tip": [0,0,0]}"#), &["state 1", "`f_ext`, link `tip`", "expected 6 numbers", "found 3"]);
    has(&f_ext(r#"{"tip": [0,0,0,0,0,false]}"#), &["link `tip`, entry 5", "found true or false"]);
    has(&f_ext(r#"{"tip": [0,0,0,0,0,NaN]}"#), &["state 1", "key `f_ext`, key `tip`, entry 5", "found `NaN`"]);
    has(&f_ext("[]"), &["state 1", "`f_ext`", "found a list"]);
    has(&f_ext(r#"{"tip": [0,0,0,0,0,0], "tip": []}"#), &["state 1", "key `tip` is there twice"]);
}

#[test]
fn numbers_that_are_none_are_named() {
    for wrong in ["NaN", "Infinity", "-Infinity", "inf", "1e400", "-1e999", "+1", ".5", "1."] {
        let message = state(&format!("[0, {wrong}]"), "[0,0]", "[0,0]", "");
        has(&message, &["state 1, key `q`, entry 1", "expected a finite number", &format!("found `{wrong}`")]);
    }
    // Large ones whose torques are not finite.
    has(&state("[0,0]", "[1e300, 1e300]", "[0,0]", ""), &["state 1", "not finite", "too large"]);
}

#[test]
fn texts_that_are_not_json_are_refused() {
    has(&states(""), &["line 1", "empty"]);
    has(&states(r#"{"states": [{"q": [0, 0], "v": [0,"#), &["state 0, key `v`", "the text ends within a value"]);
    has(&states(&format!(r#"{{"states": {}"#, "[".repeat(100_000))), &["nested too deeply"]);
    has(&states(&"{\"a\":".repeat(100_000)), &["nested too deeply"]);
    has(&states(r#"{"states": []} {}"#), &["trailing"]);
    has(&states(r#"{"states": [], "states": []}"#), &["key `states` is there twice"]);
    has(
        &states(r#"{"states": [{"q": [0,0], "q": [0,0], "v": [0,0], "a": [0,0]}]}"#),
        &["state 0", "key `q` is there twice"],
    );
    has(&states("{'states': []}"), &["line 1, column 2"]);
    let arguments = ["evaluate", &robot("ur5"), "--states", "-"];
    has(&refused(&run_with(arguments, b"\xff\xfe{\x00")), &["not UTF-8"]);
    assert!(states(&format!(r#"{{"{}": 1}}"#, "x".repeat(100_000))).len() < 5_000, "a message fits on the screen");
}

#[test]
fn quaternions_must_have_length_one() {
    let arguments = ["evaluate", &robot("pendulum"), "--floating-base", "--states", "-"];
    let state = |q: &str| format!(r#"{{"states": [{{"q": [{q}], "v": [0,0,0,0,0,0,0], "a": [0,0,0,0,0,0,0]}}]}}"#);
    let refused = |q: &str| refused(&run_with(arguments, state(q).as_bytes()));
    has(
        &refused("0,0,0, 0,0,0,2, 0"),
        &["state 0", "key `q`", "quaternion of length 1", "root_joint", "found length 2"],
    );
    has(&refused("0,0,0, 0,0,0,0, 0"), &["found length 0"]);
    // Nine digits of a file are enough.
    assert!(run_with(arguments, state("0,0,0, 0.707106781,0,0,0.707106781, 0").as_bytes()).status.success());
    let arguments = ["evaluate", &robot("planar"), "--states", "-"];
    let message = super::refused(&run_with(
        arguments,
        br#"{"states": [{"q": [0,0,0,0,0,0,0], "v": [0,0,0,0,0,0], "a": [0,0,0,0,0,0]}]}"#,
    ));
    has(&message, &["state 0", "key `q`", "(cos, sin) of length 1"]);
}

/// Whatever goes wrong, a file that is there stays as it is, and nothing is left beside it.
#[test]
fn an_existing_output_is_untouched() {
    let here = directory("untouched");
    let output = here.join("answer.json");
    std::fs::write(&output, "precious").expect("writes");
    let path = output.to_str().expect("UTF-8");
    let overflow =
        r#"{"states": [{"q": [0,0], "v": [0,0], "a": [0,0]}, {"q": [0,0], "v": [1e300,1e300], "a": [0,0]}]}"#;
    for input in ["", r#"{"states": [{}]}"#, r#"{"states": [{"q": [NaN, 0]}]}"#, overflow] {
        let arguments = ["evaluate", &robot("double_pendulum"), "--states", "-", "--output", path];
        refused(&run_with(arguments, input.as_bytes()));
        assert_eq!(std::fs::read_to_string(&output).expect("is there"), "precious");
    }
    refused(&run(["evaluate", "nowhere.urdf", "--states", "-", "--output", path]));
    assert_eq!(std::fs::read_to_string(&output).expect("is there"), "precious");
    assert_eq!(std::fs::read_dir(&here).expect("reads").count(), 1, "nothing is left behind");
    let inside = here.join("no/such/place.json");
    let message = refused(&run_with(
        ["evaluate", &robot("ur5"), "--states", "-", "--output", inside.to_str().expect("UTF-8")],
        br#"{"states": []}"#,
    ));
    has(&message, &["cannot write", "place.json"]);
}

#[test]
fn an_input_is_not_overwritten() {
    let here = directory("overwritten");
    let states = here.join("states.json");
    std::fs::write(&states, r#"{"states": []}"#).expect("writes");
    let path = states.to_str().expect("UTF-8");
    has(
        &refused(&run(["evaluate", &robot("ur5"), "--states", path, "--output", path])),
        &["input of the same command"],
    );
    assert_eq!(std::fs::read_to_string(&states).expect("is there"), r#"{"states": []}"#);
}

#[test]
fn robots_that_make_no_sense_are_refused() {
    let here = directory("robots");
    let file = |name: &str, text: &[u8]| {
        let path = here.join(name);
        std::fs::write(&path, text).expect("writes");
        path.to_str().expect("UTF-8").to_owned()
    };
    let info = |file: &str| refused(&run(["info", file]));
    has(&info("nowhere.urdf"), &["cannot read nowhere.urdf"]);
    has(&info(here.to_str().expect("UTF-8")), &["cannot read"]);
    has(&info(&file("empty", b"")), &["empty: line 1"]);
    has(&info(&file("latin", b"<robot name='\xe9'/>")), &["line 1 is not UTF-8"]);
    has(
        &info(&file("loose", b"<robot name='r'>\n<link name='a'/>\n<link name='b'/></robot>")),
        &["loose: line 3: link `b`"],
    );
}

#[test]
fn wrong_arguments_are_one_line_too() {
    let r = robot("panda");
    has(&refused(&run([] as [&str; 0])), &["no command"]);
    has(&refused(&run(["inf", &r])), &["'inf'", "'info'"]);
    has(&refused(&run(["info"])), &["<ROBOT>"]);
    has(&refused(&run(["info", &r, "--jsn"])), &["'--jsn'", "'--json'"]);
    has(&refused(&run(["evaluate", &r])), &["--states <FILE>"]);
    has(
        &refused(&run(["evaluate", &r, "--states", "x", "--method", "magic"])),
        &["'magic'", "analytical, dual, difference"],
    );
    has(&refused(&run(["check", &r, "--samples", "0"])), &["'0'", "--samples"]);
    has(&refused(&run(["check", &r, "--samples", "-1"])), &["'-1'"]);
    has(&refused(&run(["check", &r, "--seed", "x"])), &["'x'", "--seed"]);
    has(&refused(&run(["check", &r, "--state", &u64::MAX.to_string()])), &["--state", "is not in 0.."]);
    has(&refused(&run(["info", &r, "--gravity", "0,0"])), &["'0,0'", "three finite numbers"]);
    has(&refused(&run(["info", &r, "--gravity", "0,0,nan"])), &["three finite numbers"]);
    has(&refused(&run(["derivatives", &r, "--json", "--csv"])), &["--json", "--csv"]);
    has(&refused(&run(["derivatives", &r, "--state", "nowhere.json"])), &["cannot read nowhere.json"]);
}

/// `gradyn info … | head -1`: whoever reads has gone, and that is no error.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradyn"));
    command.args(["derivatives", &robot("g1"), "--csv"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = Running::start(&mut command);
    // One byte is read of half a megabyte, more than a pipe holds.
    let mut stdout = program.take_stdout().expect("is piped");
    let (read, stdout) = within_limit(move || (stdout.read_exact(&mut [0]), stdout));
    read.expect("there is one");
    drop(stdout);
    let output = program.finish(b"");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

/// `-` is standard output, and never a file of that name.
#[test]
fn a_dash_is_standard_output() {
    let arguments = |output: &'static [&'static str]| {
        [&["derivatives", &robot("double_pendulum"), "--json"], output]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    let run_at = |arguments: Vec<String>| run(arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let (plain, dash) = (run_at(arguments(&[])), run_at(arguments(&["--output", "-"])));
    assert_eq!(plain.stdout, dash.stdout);
    assert!(!plain.stdout.is_empty() && !std::path::Path::new("-").exists());
    let message = refused(&run(["check", &robot("double_pendulum"), "--report", "-"]));
    has(&message, &["--report", "standard output has the table"]);
}
