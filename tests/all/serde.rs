//! Models as documents: what is read is what was written, and nothing that a builder would refuse.

use gradyn::dynamics::{ExternalWrench, rnea};
use gradyn::model::Model;
use gradyn::{DerivativeWorkspace, Method, Workspace, rnea_derivatives};
use serde_json::{Value, from_str, from_value, json, to_string, to_value};
use testing::{assert_same, models, state, tree_of_every_joint};

#[test]
fn a_model_is_read_as_it_was_written_and_has_the_same_torques_to_the_bit() {
    for (n, (what, model)) in models().iter().enumerate() {
        let text = to_string(model).expect("can be written");
        let read: Model = from_str(&text).expect("can be read");
        assert!(read == *model, "{what}");
        let (q, v, a) = state(model, n as u64);
        let torques = |model: &Model| rnea(model, &mut Workspace::new(model), &q, &v, &a, &[]).expect("runs").to_vec();
        assert_same(&torques(&read), &torques(model), what);
        let none: [ExternalWrench; 0] = [];
        let derivatives = |model: &Model| {
            let mut ws = DerivativeWorkspace::new(model);
            rnea_derivatives(model, &mut ws, Method::Analytical, &q, &v, &a, &none).expect("runs").clone()
        };
        assert!(derivatives(&read) == derivatives(model), "{what}: derivatives");
    }
}

/// One change to a good document at a time.
#[test]
fn documents_are_checked_as_by_the_builder() {
    let good = to_value(tree_of_every_joint(0)).expect("can be written");
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut document = good.clone();
        change(&mut document);
        from_value::<Model>(document).expect_err("is refused").to_string()
    };
    let first = good["bodies"][0]["name"].as_str().expect("is text").to_owned();
    let joint = good["bodies"][0]["joint_name"].as_str().expect("is text").to_owned();
    assert_eq!(
        refused(&|d| d["gradyn_model"] = json!(7)),
        "`gradyn_model` is 7, expected 1: another form of documents"
    );
    assert_eq!(refused(&|d| d["bodies"][1]["name"] = json!(first)), format!("body `{first}` is there twice"));
    assert!(refused(&|d| d["bodies"][0]["parent"] = json!(5)).contains("its body is not one of this builder's"));
    assert!(refused(&|d| d["friction_width"] = json!(0.0)).starts_with("friction width of `tree 0` is 0"));
    let text = refused(&|d| d["bodies"][0]["placement"]["rotation"][0] = json!([2.0, 0.0, 0.0]));
    assert!(text.starts_with(&format!("placement of `{joint}`")), "{text}");
    let text = refused(&|d| d["bodies"][0]["joint"] = json!({"revolute": {"axis": {"any": [0.0, 2.0, 0.0]}}}));
    assert!(text.contains(&joint), "{text}"); // its limits are as many as before, or the axis is not of length one
    assert!(refused(&|d| d["colour"] = json!("red")).contains("unknown field `colour`"));
    let composite = json!({"composite": [[good["bodies"][0]["placement"], {"composite": []}]]});
    assert!(refused(&|d| d["bodies"][0]["joint"] = composite.clone()).contains("list their parts"));
    let more = json!([{"index": 9, "multiplier": 1.0, "armature": 0.0, "damping": 0.0, "friction": 0.0}]);
    let text = refused(&|d| d["bodies"][0]["more_dynamics"] = more.clone());
    assert!(text.starts_with(&format!("more_dynamics of joint `{joint}` has 10 entries")), "{text}");
}
