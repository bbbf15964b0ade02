//! SDF and SRDF files with random faults: nothing panics, and what loads is sane.

use crate::faults::{Random, are_refused_or_sane, damage};
use gradyn::dynamics::Constraint;
use gradyn::model::sdf::{Loaded, SdfError, SdfOptions};
use gradyn::model::srdf::{Srdf, SrdfError};
use gradyn::model::{Model, source::Files};
use gradyn::once;

const ROBOT: &str = r#"<?xml version="1.0"?>
<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity>
<model name="m"><pose>0 0 1 0 0 0.1</pose><frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>
<link name="a"><inertial><pose>0.1 0 0 0 0 0.2</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0.1</ixy></inertia></inertial></link>
<link name="b"><pose relative_to="f">0 0 1 0 0.1 0</pose><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<link name="c"><pose relative_to="b">0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link>
<link name="d"><pose relative_to="c" degrees="true">0 0 1 0 0 90</pose></link>
<joint name="base" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="one" type="revolute"><parent>a</parent><child>b</child><axis><xyz expressed_in="__model__">1 0 0</xyz>
<limit><lower>-1</lower><upper>1</upper><effort>3</effort></limit><dynamics><damping>0.1</damping><spring_stiffness>2</spring_stiffness></dynamics></axis></joint>
<joint name="two" type="ball"><pose>0 0 -0.1 0 0 0</pose><parent>b</parent><child>c</child></joint>
<joint name="three" type="universal"><parent>c</parent><child>d</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
<joint name="closing" type="revolute"><parent>a</parent><child>d</child><axis><xyz>0 0 1</xyz></axis></joint>
<include><uri>other.sdf</uri><name>inner</name><placement_frame>a</placement_frame></include>
</model></world></sdf>"#;

const INCLUDED: &str = "<sdf version='1.8'><model name='other'><link name='a'/></model></sdf>";

const WORDS: [&str; 22] = [
    "",
    "0",
    "-1",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "0 0 0",
    "1 2",
    "0 0 0 0 0 0",
    "a",
    "b",
    "d",
    "world",
    "__model__",
    "f",
    "fixed",
    "screw",
    "revolute2",
    "true",
    "\u{e9}\u{2028}",
    "&#10;",
];
const JUNK: [&str; 12] = [
    "<link name='a'/>",
    "<link name='e'/>",
    "</link>",
    "<model name='n'>",
    "</model>",
    "<pose>1 2 3 0 0 0</pose>",
    "<frame name='g' attached_to='g'/>",
    "<joint name='more' type='fixed'><parent>c</parent><child>e</child></joint>",
    "<include><uri>other.sdf</uri></include>",
    "<include merge='true'><uri>other.sdf</uri></include>",
    "<!--",
    "<static>1</static>",
];

fn assert_sane(loaded: &Loaded) {
    let model = &loaded.model;
    assert!(model.check_configuration(&loaded.configuration).is_ok());
    let ones = vec![1.0; model.nv()];
    if let Ok(tau) = once::rnea(model, &loaded.configuration, &ones, &ones, &[]) {
        assert!(tau.iter().all(|x| x.is_finite()));
    }
    for closed in &loaded.loops {
        let _ = Constraint::of_loop(closed);
    }
    assert!(loaded.report.notes().iter().all(|note| !note.to_string().contains('\n') && note.line > 0));
    let _ = loaded.report.to_string();
}

#[test]
fn files_with_random_faults_are_refused_or_give_a_sane_model() {
    let files = || Files::new(|_| Ok(INCLUDED.as_bytes().to_vec()));
    let options = SdfOptions::new().files(files());
    let whole = Model::from_sdf_text(ROBOT, &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(whole.loops.len(), 1);
    let damaged = |random: &mut Random| {
        let mut text = ROBOT.to_owned();
        for _ in 0..1 + random.below(3) {
            damage(&mut text, random, &WORDS, &JUNK);
        }
        text
    };
    let read = |text: &str, random: &mut Random| {
        let options = SdfOptions::new().files(files()).fixed_base(random.below(2) == 0);
        Model::from_sdf_text(text, &options).map(|loaded| assert_sane(&loaded))
    };
    are_refused_or_sane(damaged, read, |error| matches!(error, SdfError::Model(_)));
}

const STATES: &str = r#"<robot name="r">
<group name="arm"><joint name="turn"/><chain base_link="a" tip_link="c"/><group name="hand"/></group>
<group_state name="up" group="arm"><joint name="one" value="2.0"/>
<joint name="two" value="0 0 0 2"/></group_state>
<group_state name="gone" group="arm"><joint name="none" value="1"/></group_state>
<disable_collisions link1="a" link2="b" reason="Adjacent"/></robot>"#;

#[test]
fn named_configurations_with_random_faults_are_refused_or_sane() {
    let files = Files::new(|_| Ok(INCLUDED.as_bytes().to_vec()));
    let model = Model::from_sdf_text(ROBOT, &SdfOptions::new().files(files)).expect("reads").model;
    let damaged = |random: &mut Random| {
        let mut text = STATES.to_owned();
        damage(&mut text, random, &WORDS, &JUNK);
        text
    };
    let read = |text: &str, _: &mut Random| {
        let srdf = Srdf::from_text(text)?;
        assert!(srdf.report_for(&model).notes().iter().all(|note| !note.to_string().contains('\n')));
        for state in &srdf.states {
            match srdf.configuration(&model, &state.name) {
                Ok(q) => assert!(model.check_configuration(&q).is_ok()),
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
        Ok::<_, SrdfError>(())
    };
    are_refused_or_sane(damaged, read, |_| false);
}
