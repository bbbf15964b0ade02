//! Named configurations and groups from SRDF.

use gradyn::model::srdf::Srdf;
use gradyn::model::{Model, urdf::ContinuousForm, urdf::UrdfOptions};

const ROBOT: &str = "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>
    <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='c'><inertial><mass value='1'/>
    <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
    <joint name='turn' type='continuous'><parent link='a'/><child link='b'/></joint>
    <joint name='bend' type='revolute'><parent link='b'/><child link='c'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";

const SRDF: &str = "<robot name='r'>
<group name='arm'><joint name='turn'/><chain base_link='a' tip_link='c'/><group name='hand'/></group>
<group_state name='up' group='arm'><joint name='turn' value='2.0'/><joint name='bend' value='-0.5'/></group_state>
<group_state name='stand' group='arm'><joint name='root_joint' value='1 2 3 0 0 0 2'/><joint name='gone' value='1'/></group_state>
<disable_collisions link1='a' link2='b' reason='Adjacent'/><disable_collisions link1='a' link2='c'/></robot>";

fn robot(options: &UrdfOptions) -> Model {
    Model::from_urdf_text(ROBOT, options).expect("is right").model
}

#[test]
fn states_are_configurations() {
    let srdf = Srdf::from_text(SRDF).expect("is right");
    assert_eq!(srdf.configuration(&robot(&UrdfOptions::new()), "up").expect("is there"), [2.0, -0.5]);
    let circle = robot(&UrdfOptions::new().continuous(ContinuousForm::CosSin));
    assert_eq!(srdf.configuration(&circle, "up").expect("is there"), [2.0_f64.cos(), 2.0_f64.sin(), -0.5]);
    // A quaternion of length two, and a joint that the robot does not have.
    let floating = robot(&UrdfOptions::new().floating_base(true));
    let q = srdf.configuration(&floating, "stand").expect("is there");
    assert_eq!(q, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(srdf.unknown_joints(&floating).collect::<Vec<_>>(), [(4, "gone")]);
    let error = srdf.configuration(&floating, "stant").expect_err("is wrong").to_string();
    assert_eq!(error, "there is no state `stant`: perhaps `stand`");
}

#[test]
fn groups_are_listed_and_the_rest_is_reported() {
    let srdf = Srdf::from_text(SRDF).expect("is right");
    assert_eq!((srdf.groups.len(), srdf.groups[0].joints.len(), srdf.groups[0].chains.len()), (1, 1, 1));
    let report = srdf.report.to_string();
    assert!(report.contains("`hand`: there is no group of this name"), "{report}");
    assert!(report.contains("disable_collisions (2)"), "{report}");
}

#[test]
fn what_makes_no_sense_is_refused_by_line() {
    for (text, message) in [
        ("<sdf/>", "line 1: the root element is `sdf`, not `robot`"),
        ("<robot/>", "line 1: a robot has no name"),
        (
            "<robot name='r'>\n<group_state name='s'><joint name='j'/></group_state></robot>",
            "line 2: joint `j`: `joint` has no attribute `value`",
        ),
        (
            "<robot name='r'>\n<group_state name='s'><joint name='j' value='1 x'/></group_state></robot>",
            "line 2: joint `j`: `value` of `joint`: `x` is not a number",
        ),
        (
            "<robot name='r'><group_state name='s'/>\n<group_state name='s'/></robot>",
            "line 2: the state `s` is there already, in line 1",
        ),
        (
            "<robot name='r'><group_state name='s' group='arm'/>\n<group_state name='s' group='arm'/></robot>",
            "line 2: the state `s` of the group `arm` is there already, in line 1",
        ),
    ] {
        assert_eq!(Srdf::from_text(text).expect_err("is wrong").to_string(), message);
    }
    let two = "<robot name='r'><group_state name='s'><joint name='bend' value='1 2'/></group_state></robot>";
    let error = Srdf::from_text(two).expect("is right").configuration(&robot(&UrdfOptions::new()), "s");
    assert_eq!(error.expect_err("is wrong").to_string(), "line 1: joint `bend`: 2 values instead of 1");
}

/// Two arms have a home each: together they are the robot's.
#[test]
fn states_of_one_name_in_several_groups_belong_together() {
    let of = |bend: &str| {
        let text = format!(
            "<robot name='r'><group_state name='home' group='one'><joint name='turn' value='2'/></group_state>
<group_state name='home' group='two'><joint name='bend' value='-0.5'/></group_state>
<group_state name='home' group='both'><joint name='bend' value='{bend}'/></group_state>
<group_state name='up' group='one'><joint name='turn' value='1'/></group_state></robot>"
        );
        Srdf::from_text(&text).expect("is right")
    };
    let robot = robot(&UrdfOptions::new());
    let names = |srdf: &Srdf| -> Vec<(String, Vec<f64>)> {
        let all = srdf.configurations(&robot).expect("is right");
        for of in &all {
            assert_eq!(srdf.configuration(&robot, &of.name).as_ref(), Ok(&of.q), "{}", of.name);
        }
        all.into_iter().map(|of| (of.name, of.q)).collect()
    };
    let alone = [
        ("one/home".to_owned(), vec![2.0, 0.0]),
        ("two/home".to_owned(), vec![0.0, -0.5]),
        ("both/home".to_owned(), vec![0.0, -0.5]),
        ("up".to_owned(), vec![1.0, 0.0]),
    ];
    let found = names(&of("-0.5"));
    assert_eq!((&found[0], &found[1..]), (&("home".to_owned(), vec![2.0, -0.5]), &alone[..]));

    // They contradict each other: each is there by its own.
    let srdf = of("0.25");
    let found = names(&srdf);
    assert_eq!((&found[..2], &found[2]), (&alone[..2], &("both/home".to_owned(), vec![0.0, 0.25])));
    assert_eq!(
        srdf.configuration(&robot, "home").expect_err("is wrong").to_string(),
        "the states `home` of the groups `two` and `both` give joint `bend` different values, in lines 2 and 3: ask for `two/home` or `both/home`"
    );
    assert_eq!(srdf.configuration(&robot, "one/up"), Ok(vec![1.0, 0.0]));
    let error = srdf.configuration(&robot, "two/hom").expect_err("is wrong").to_string();
    assert_eq!(error, "there is no state `two/hom`: perhaps `two/home`");
}

/// What a state says and no robot can do, and what SRDF says of dynamics, is told.
#[test]
fn what_a_state_says_in_vain_is_told() {
    let text = ROBOT.replace("<limit lower='-1'", "<mimic joint='turn' multiplier='2' offset='0.1'/><limit lower='-1'");
    let robot = Model::from_urdf_text(&text, &UrdfOptions::new()).expect("is right").model;
    let told = |states: &str| -> Vec<String> {
        let srdf = Srdf::from_text(&format!("<robot name='r'>\n{states}</robot>")).expect("is right");
        srdf.report_for(&robot).warnings().map(ToString::to_string).collect()
    };
    let state = |turn: f64, bend: f64| {
        format!(
            "<group_state name='s' group='g'><joint name='turn' value='{turn}'/><joint name='bend' value='{bend}'/></group_state>"
        )
    };
    assert_eq!(told(&state(0.5, 1.1)), Vec::<String>::new());
    assert_eq!(told(&state(0.5, 1.105)), Vec::<String>::new()); // rounded
    let off =
        "line 2: joint `bend`: `value` of `joint`: it follows another joint, is not where it belongs, and goes there";
    assert_eq!(told(&state(0.5, 0.7)), [off]);
    let twice = "<group_state name='s'><joint name='turn' value='1'/>\n<joint name='turn' value='2'/></group_state>";
    let first = "line 3: joint `turn`: a second element `joint` is ignored: the first, in line 2, counts";
    assert_eq!(told(twice), [first]);
    let srdf = Srdf::from_text(&format!("<robot name='r'>{twice}</robot>")).expect("is right");
    assert_eq!(srdf.configuration(&robot, "s"), Ok(vec![1.0]));
    let more =
        told("<passive_joint name='bend'/>\n<rotor_params><joint name='turn' mass='1' gear_ratio='2'/></rotor_params>");
    assert!(more[0].starts_with("line 2: robot `r`: `passive_joint`: the joint counts as driven"), "{more:?}");
    assert!(more[1].starts_with("line 3: robot `r`: `rotor_params`: rotors of SRDF are not read"), "{more:?}");
    assert!(more[1].ends_with(" (changes the dynamics)"), "{more:?}");

    let floating = Model::from_urdf_text(&text, &UrdfOptions::new().floating_base(true)).expect("is right").model;
    let zero =
        "<robot name='r'><group_state name='s'><joint name='root_joint' value='1 2 3 0 0 0 0'/></group_state></robot>";
    let error = Srdf::from_text(zero).expect("is right").configuration(&floating, "s").expect_err("is wrong");
    assert_eq!(error.to_string(), "line 1: joint `root_joint`: its quaternion has length zero");
}
