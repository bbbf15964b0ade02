//! `gradyn bench`

use super::{good, json, refused, robot, run, run_with, text_of};

#[test]
fn json_has_every_algorithm_by_its_name() {
    let value = json(&good(["bench", &robot("double_pendulum"), "--json"]));
    assert_eq!((&value["robot"], &value["nv"]), (&"double_pendulum".into(), &2.into()));
    assert!(value["level"].is_string() && value["skipped"] == serde_json::json!({}), "{value}");
    let results = value["results"].as_object().expect("an object");
    assert!(results.len() >= 40, "{results:?}");
    for name in [
        "rnea",
        "rnea/dual8",
        "crba",
        "aba",
        "computeMinverse",
        "computeRNEADerivatives",
        "computeRNEADerivatives/dual",
    ] {
        let of = |key: &str| results[name][key].as_f64().expect("a number");
        assert!(0.0 < of("min_ns") && of("min_ns") <= of("median_ns"), "{name}: {:?}", results[name]);
    }
}

#[test]
fn a_table_shows_what_is_asked_for() {
    let text = good(["bench", &robot("solo12"), "--floating-base", "--only", "crba", "--level", "plain"]);
    assert!(text.starts_with("solo12  nq 19, nv 18; level plain; one thread, µs a call\n"), "{text}");
    assert!(text.contains("\ncrba ") && text.contains("\nccrba ") && !text.contains("rnea"), "{text}");
}

/// A robot that cannot move has nothing to invert or to place, and is no error.
#[test]
fn a_robot_without_joints_is_measured() {
    let urdf = r#"<robot name="rock"><link name="stone"/></robot>"#;
    let path = super::directory("bench").join("rock.urdf");
    std::fs::write(&path, urdf).expect("can be written");
    let value = json(&good(["bench", path.to_str().expect("UTF-8"), "--json", "--only", "rnea,Jacobian"]));
    assert!(value["results"]["rnea"].is_object(), "{value}");
}

#[test]
fn states_come_from_a_file() {
    let states = br#"{"states": [{"q": [0, 1], "v": [2, 3], "a": [4, 5]}]}"#;
    text_of(&run_with(["bench", &robot("double_pendulum"), "--only", "aba", "--states", "-"], states));
    let none = run_with(["bench", &robot("double_pendulum"), "--states", "-"], br#"{"states": []}"#);
    assert!(refused(&none).contains("holds no state"));
}

#[test]
fn wrong_names_are_refused() {
    let message = refused(&run(["bench", &robot("panda"), "--only", "nothing"]));
    assert!(message.contains("`nothing`"), "{message}");
    let message = refused(&run(["bench", &robot("panda"), "--level", "mmx"]));
    assert!(message.contains("plain"), "{message}");
}
