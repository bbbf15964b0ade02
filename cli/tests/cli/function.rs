//! `gradyn check --function`

use super::against::{disagrees, has};
use super::{good, json, refused, robot, run, run_with};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Output;

/// What `conformance/casadi_cvodes.py` has written.
fn claim(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/claims");
    folder.join(format!("{name}.json")).to_str().expect("UTF-8").to_owned()
}

fn check(claims: &Value) -> Output {
    run_with(["check", "--function", "-"], claims.to_string().as_bytes())
}

/// CasADi 3.8.2 integrates a function whose derivatives by three parameters it gets wrong, unless told to watch them
/// too (casadi/casadi#4383). Its own values refute it.
#[test]
fn a_wrong_jacobian_of_an_integrator_is_refuted_by_its_own_values() {
    for (name, found) in [("casadi_sum", [0.5, 0.5, 0.5]), ("casadi_hats", [0.25, 0.5, 0.25])] {
        let wrong = run(["check", "--function", &claim(name)]);
        let text = disagrees(&wrong);
        has(
            &text,
            &["CasADi 3.8.2, cvodes", "3 inputs, 1 output; 1 state", "DISAGREES", "1 of 1 state disagrees: ∂y/∂x"],
        );
        let answer = run(["check", "--function", &claim(name), "--json"]);
        let answer = json(&disagrees(&answer));
        let [checked] = answer["checked"].as_array().expect("a list").as_slice() else { panic!("one state: {answer}") };
        assert_eq!((&answer["agree"], &checked["disagree"]), (&json!(false), &json!(3)), "{answer}");
        for (entry, column) in checked["worst"].as_array().expect("a list").iter().zip(["p1", "p2", "p3"]) {
            let at = ["p1", "p2", "p3"].iter().position(|name| entry["column"] == *name).expect("is one");
            let of = entry["found"].as_f64().expect("a number");
            assert!((of - found[at]).abs() < 1e-9, "{column}: {entry}");
        }
        let right = claim(&format!("{name}_quad_err_con"));
        let text = good(["check", "--function", &right]);
        assert!(text.ends_with("\nthe state agrees\n"), "{text}");
    }
}

/// y = x², its values around x = 1.
fn square(slope: f64) -> Value {
    let steps = (0..5).map(|i| 0.125 * 0.5_f64.powi(i)).flat_map(|h| [1.0 + h, 1.0 - h]);
    let samples: Vec<Value> = steps.map(|x| json!({"x": [x], "y": [x * x]})).collect();
    json!({"inputs": ["x"], "outputs": ["y"], "states": [{"x": [1.0], "y": [1.0], "jacobian": [[slope]], "samples": samples}]})
}

#[test]
fn any_function_will_do() {
    assert_eq!(check(&square(2.0)).status.code(), Some(0));
    has(&disagrees(&check(&square(-2.0))), &["a function", "DISAGREES", "-2"]);
    let loose = run_with(["check", "--function", "-", "--tolerance", "0.1"], square(2.1).to_string().as_bytes());
    assert_eq!(loose.status.code(), Some(0));
}

#[test]
fn bad_files_are_refused_in_one_line() {
    let changed = |pointer: &str, value: Value| {
        let mut claims = square(2.0);
        *claims.pointer_mut(pointer).expect("is there") = value;
        refused(&check(&claims))
    };
    has(
        &changed("/states/0/jacobian", json!([[2.0, 1.0]])),
        &["state 0: key `jacobian`: expected 1 rows of 1 numbers"],
    );
    has(
        &changed("/states/0/samples", json!([{"x": [1.125], "y": [1.265625]}])),
        &["state 0: key `samples`: there is no value at `x` - 0.125"],
    );
    for (key, value, message) in [
        ("scale", json!([1.0, 2.0]), "key `scale`: expected 1 numbers, one an input, found 2"),
        ("steps", json!([0.0]), "key `steps`: number 0 is 0, expected a positive one"),
        ("steps", json!("long"), "key `steps`: expected a list of numbers, found"),
        ("step", json!([0.1]), "or `states`, a list of objects; did you mean `steps`?"),
    ] {
        let mut claims = square(2.0);
        claims[key] = value;
        has(&refused(&check(&claims)), &[message]);
    }
    has(&changed("/states/0/samples/3/y", json!([])), &["state 0: sample 3, key `y`: expected 1 numbers, found 0"]);
    has(
        &changed("/states/0/samples/3/y", json!([null])),
        &["state 0: sample 3: key `y`: entry 0 is null, expected a number; leave out samples that have no value"],
    );
    has(&changed("/states/0", json!({"x": [1.0]})), &["state 0: missing key `jacobian`"]);
    has(&changed("/inputs", json!([1, 2])), &["key `inputs`: expected a list of names"]);
    has(&changed("/states", json!([])), &["states"]);
    let text = square(2.0).to_string().replace("\"jacobian\":[[2.0]]", "\"jacobian\":[[NaN]]");
    has(&refused(&run_with(["check", "--function", "-"], text.as_bytes())), &["NaN"]);
}

/// A claim about `f` at `x`, and its values up to a distance.
fn around(x: f64, longest: f64, f: fn(f64) -> f64, slope: f64) -> Value {
    let parts = [1.0, 0.61, 0.83].into_iter().flat_map(|part| (0..4).map(move |i| part * 0.5_f64.powi(i)));
    let at = parts.flat_map(|part| [x + part * longest, x - part * longest]).filter(|x| f(*x).is_finite());
    let samples: Vec<Value> = at.map(|x| json!({"x": [x], "y": [f(x)]})).collect();
    let state = json!({"x": [x], "y": [f(x)], "jacobian": [[slope]], "samples": samples});
    json!({"inputs": ["x"], "outputs": ["y"], "states": [state]})
}

/// What could not be told is no agreement: in the last line, in JSON, and in the exit code, unless that is allowed.
#[test]
fn what_cannot_be_told_is_no_agreement() {
    let slope = -1.0 / (2.6e-5 * 2.6e-5);
    let wide = around(2.6e-5, 0.125, |x| 1.0 / x, slope);
    let text = disagrees(&check(&wide));
    has(&text, &["CANNOT TELL", "bends over less than the shortest step", "add values at 2.6e-5 ± 3.25e-6, 1.62e-6"]);
    assert!(text.ends_with("cannot tell: 1 of 1 entry undecided; none disagrees (--allow-unclear)\n"), "{text}");
    let allowed = run_with(["check", "--function", "-", "--allow-unclear"], wide.to_string().as_bytes());
    assert_eq!(allowed.status.code(), Some(0));
    let answer = run_with(["check", "--function", "-", "--json"], wide.to_string().as_bytes());
    let answer = json(&disagrees(&answer));
    assert_eq!((&answer["verdict"], &answer["agree"]), (&json!("cannot tell"), &json!(false)), "{answer}");
    assert_eq!((&answer["disagree"], &answer["cannot_tell"]), (&json!(0), &json!(1)), "{answer}");
    assert!(answer["checked"][0]["notes"][0].as_str().is_some_and(|note| note.contains("add values")), "{answer}");

    let near = around(2.6e-5, 3.25e-6, |x| 1.0 / x, slope);
    assert_eq!(check(&near).status.code(), Some(0));
    // Of both, the longest steps are left out by `steps`.
    let mut both = near;
    let more = wide["states"][0]["samples"].as_array().expect("a list").clone();
    both["states"][0]["samples"].as_array_mut().expect("a list").extend(more);
    both["steps"] = json!([4e-6]);
    assert_eq!(check(&both).status.code(), Some(0));
}

/// A kink is no derivative; a claim that is a derivative on one side is named.
#[test]
fn kinks_are_named() {
    let text = disagrees(&check(&around(0.0, 0.125, f64::abs, 1.0)));
    has(&text, &["not smooth here", "y by x: -1 from behind, 1 from ahead; the claim is the derivative from ahead"]);
}

#[test]
fn a_function_is_no_robot() {
    let panda = robot("panda");
    has(&refused(&run(["check", &panda, "--function", &claim("casadi_sum")])), &["cannot be used with"]);
    has(&refused(&run(["check"])), &["required"]);
    has(&refused(&run(["check", "--function", &claim("casadi_sum"), "--gravity", "0,0,-1"])), &["cannot be used with"]);
    has(&refused(&run(["check", "--tolerance", "0.5"])), &["required"]);
}

/// The page shows what the command says.
#[test]
fn the_page_shows_this() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/check-function.md")).expect("is there");
    for name in ["casadi_sum", "casadi_sum_quad_err_con", "casadi_hats"] {
        let file = claim(name);
        let output = run(["check", "--function", &file]);
        let text =
            String::from_utf8(output.stdout).expect("UTF-8").replace(&file, &format!("conformance/claims/{name}.json"));
        assert!(page.contains(text.trim()), "{name}: the page lacks\n{text}");
    }
}
