//! What the URDF reader makes of good, dubious and broken files.

use gradyn::model::source::SourceError;
use gradyn::model::urdf::{
    ContinuousForm, Description, JointOrder, JointType, LoadReport, MimicForm, NoteKind, Owner, Severity, TreeError,
    Unphysical, UrdfError, UrdfOptions, parse, rewrite,
};
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "urdf"));
    files.sort();
    files
}

fn robot(path: &str, options: &UrdfOptions) -> (Description, LoadReport) {
    parse(&read(path), options).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn refused(path: &str) -> UrdfError {
    parse(&read(path), &UrdfOptions::new()).expect_err(path)
}

/// A robot of two links and one joint, with these pieces in it.
fn two_links(link: &str, joint_type: &str, joint: &str) -> String {
    format!(
        r#"<robot name="r">
<link name="base"/>
<link name="arm">{link}</link>
<joint name="j" type="{joint_type}"><parent link="base"/><child link="arm"/>{joint}</joint>
</robot>"#
    )
}

const INERTIAL: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;
const LIMIT: &str = r#"<limit lower="-1" upper="1" effort="1" velocity="1"/>"#;

/// The message of every file in `tests/urdf/bad`, which names the line, the element and the values.
#[test]
fn every_broken_file_is_refused_with_its_own_message() {
    let expected = [
        ("armature_negative", "line 8: joint `j`: armature -0.1 is negative"),
        ("axis_not_finite", "line 21: joint `shoulder`: `xyz` of `axis`: `inf` is not finite"),
        ("axis_zero", "line 21: joint `shoulder`: axis is zero"),
        ("damping_negative", "line 23: joint `shoulder`: damping -0.1 is negative"),
        (
            "doctype",
            "line 2: a document type definition (DTD, `<!DOCTYPE`) is not read: remove it, and write what its entities \
             stand for",
        ),
        ("duplicate_joint_name", "line 31: joint `shoulder`: the name is taken by the joint in line 24"),
        ("duplicate_link_name", "line 17: link `arm`: the name is taken by the link in line 10"),
        ("empty_file", "line 1, column 1: not well-formed XML: the document does not have a root node"),
        ("friction_negative", "line 23: joint `shoulder`: friction -0.1 is negative"),
        ("gear_ratio_zero", "line 7: transmission `t`: the gear ratio of its rotor is zero"),
        ("inertia_missing_entry", "line 14: link `arm`: `inertia` has no attribute `iyz`"),
        ("inertia_not_finite", "line 14: link `arm`: `iyy` of `inertia`: `inf` is not finite"),
        (
            "link_with_two_parents",
            "line 52: joint `other_elbow`: link `tip` already hangs from joint `elbow` in line 45",
        ),
        ("mass_nan", "line 13: link `arm`: `value` of `mass`: `nan` is not finite"),
        ("mass_negative", "line 13: link `arm`: mass -1 kg is negative"),
        ("mass_not_a_number", "line 13: link `arm`: `value` of `mass`: `heavy` is not a number"),
        ("mimic_cycle", "line 30: joint `shoulder`: it mimics joint `elbow`, which in turn follows it"),
        ("mimic_fixed_joint", "line 35: joint `elbow`: it mimics joint `shoulder`, which is fixed"),
        ("mimic_itself", "line 23: joint `shoulder`: it mimics itself"),
        ("missing_child", "line 17: joint `shoulder`: `joint` has no element `child`"),
        ("missing_joint_name", "line 17: a joint has no name"),
        ("missing_joint_type", "line 17: joint `shoulder`: `joint` has no attribute `type`"),
        ("missing_link_name", "line 10: a link has no name"),
        ("missing_parent", "line 17: joint `shoulder`: `joint` has no element `parent`"),
        ("no_link", "line 2: robot `no_link`: it has no link"),
        ("no_root_cycle", "line 38: joint `wrist`: it closes a loop at link `base`, and no link is the root"),
        ("not_xml", "line 8, column 3: not well-formed XML: expected 'inertial' tag, not 'link'"),
        ("origin_rpy_not_finite", "line 20: joint `shoulder`: `rpy` of `origin`: `nan` is not finite"),
        ("origin_xyz_four_components", "line 20: joint `shoulder`: `xyz` of `origin`: 4 numbers instead of 3"),
        ("origin_xyz_not_a_number", "line 20: joint `shoulder`: `xyz` of `origin`: `zero` is not a number"),
        ("origin_xyz_two_components", "line 20: joint `shoulder`: `xyz` of `origin`: 2 numbers instead of 3"),
        ("parent_is_child", "line 24: joint `elbow`: link `arm` is both parent and child"),
        ("parent_without_link_attribute", "line 18: joint `shoulder`: `parent` has no attribute `link`"),
        ("quaternion_zero", "line 8: joint `j`: `quat_xyzw` of `origin` is zero"),
        ("root_element_not_robot", "line 2: the root element is `model`, not `robot`"),
        ("rotor_negative", "line 9: transmission `t`: rotor inertia -0.00001 is negative"),
        ("two_roots", "line 24: link `island`: no joint leads to it, nor to link `base` in line 3"),
        ("two_rotations", "line 8: joint `j`: `origin` has both `rpy` and `quat_xyzw`"),
        ("unknown_child_link", "line 26: joint `elbow`: child link `hand` is not declared"),
        ("unknown_joint_type", "line 17: joint `shoulder`: `hinge` is not a joint type"),
        ("unknown_parent_link", "line 32: joint `elbow`: parent link `forearm` is not declared"),
        ("xacro", "line 5: `<xacro:arm>` is xacro, not URDF: run `xacro FILE > robot.urdf` first"),
        ("xacro_expression", "line 8: `${mass}` is xacro, not URDF: run `xacro FILE > robot.urdf` first"),
    ];
    let mut wrong = String::new();
    for (name, message) in expected {
        let error = refused(&format!("tests/urdf/bad/{name}.urdf")).to_string();
        if error != message {
            wrong += &format!("{name}: {error}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(files("tests/urdf/bad").len(), expected.len(), "a file of tests/urdf/bad has no expectation");
}

#[test]
fn errors_carry_the_names_and_values_as_data() {
    let joint = || "shoulder".to_owned();
    assert_eq!(refused("tests/urdf/bad/axis_zero.urdf"), UrdfError::ZeroAxis { line: 21, joint: joint() });
    assert_eq!(
        refused("tests/urdf/bad/origin_xyz_two_components.urdf"),
        UrdfError::from(SourceError::WrongCount {
            line: 20,
            owner: Owner::Joint(joint()),
            element: "origin".into(),
            attribute: "xyz".into(),
            expected: 3,
            found: 2
        })
    );
}

#[test]
fn every_dubious_file_loads_with_its_warnings_and_strict_refuses_it() {
    let expected: [(&str, &[&str]); 15] = [
        (
            "ignored_elements",
            &[
                "line 13: link `arm`: unknown attribute `colour` of `link` is ignored",
                "line 31: link `arm`: unknown element `contact` is ignored",
            ],
        ),
        (
            "limit_lower_above_upper",
            &["line 22: joint `shoulder`: lower limit 1 is above upper limit -1: they are exchanged"],
        ),
        ("limits_reversed", &["line 2: joint `j`: lower limit 1 is above upper limit -1: they are exchanged"]),
        (
            "massless_leaf",
            &[
                "line 24: link `tip`: it moves by joint `elbow` but has no `inertial`",
                "line 25: joint `elbow`: what it moves has no inertia along its motion",
            ],
        ),
        (
            "mimic_unknown_joint",
            &["line 37: joint `elbow`: it mimics joint `wrist`, which is not declared: it moves by itself"],
        ),
        (
            "missing_inertia",
            &["line 11: link `arm`: `inertial` has no element `inertia`: it is taken as a point of 1 kg"],
        ),
        (
            "left_over_xacro",
            &["line 2: element `xacro:grey` of xacro is left over: it is ignored, and has no effect on the dynamics"],
        ),
        (
            "missing_mass",
            &[
                "line 11: link `arm`: `inertial` has no element `mass`: the mass is taken as 0, and the moments of inertia \
               count",
            ],
        ),
        (
            "planar_without_axis",
            &[
                "line 3: joint `base`: it is planar and has no `axis`: it moves in the plane of y and z, with the normal x \
               that URDF specifies (other programs take x and y: write `<axis xyz=\"0 0 1\"/>` for these)",
            ],
        ),
        ("revolute_without_limit", &["line 17: joint `shoulder`: no position limits"]),
        ("two_inertials", &["line 1: link `b`: a second element `inertial` is ignored: the first, in line 1, counts"]),
        (
            "undeclared_prefix",
            &[
                "line 2: namespace prefix `drake` is not declared: it is read as if it were",
                "line 2: joint `j`: unknown attribute `drake:acceleration` of `limit` is ignored",
            ],
        ),
        (
            "unphysical_inertia",
            &["line 14: link `arm`: principal moments break the triangle inequality \
               (mass 1 kg, principal moments 1.0000e-2, 1.0000e-2, 5.0000e-2 kg m²)"],
        ),
        (
            "wrong_units",
            &[
                "line 5: link `arm`: mass 2 kg and moment of inertia 8.0000e3 kg m² make a radius of gyration of 63.246 m, but \
               the robot reaches no further than 0.400 m: is the file in g or mm?",
            ],
        ),
        (
            "zero_limits",
            &[
                "line 15: joint `shoulder`: effort limit 0: its motor can do nothing, or the limit is not known",
                "line 15: joint `shoulder`: velocity limit 0: it stands still, or the limit is not known",
            ],
        ),
    ];
    for (name, warnings) in expected {
        let text = read(&format!("tests/urdf/warn/{name}.urdf"));
        let (_, report) = parse(&text, &UrdfOptions::new()).unwrap();
        let found: Vec<_> = report.warnings().map(ToString::to_string).collect();
        assert_eq!(found, warnings, "{name}");
        let strict = parse(&text, &UrdfOptions::new().strict(true)).unwrap_err();
        assert_eq!(strict.to_string(), format!("{} (warning 1 of {}, refused by `strict`)", found[0], found.len()));
    }
    assert_eq!(files("tests/urdf/warn").len(), expected.len(), "a file of tests/urdf/warn has no expectation");
}

#[test]
fn warnings_carry_names_and_values_as_data() {
    let (_, report) = robot("tests/urdf/warn/unphysical_inertia.urdf", &UrdfOptions::new());
    let expected = NoteKind::UnphysicalInertia {
        link: "arm".into(),
        mass: 1.0,
        moments: [0.01, 0.01, 0.05],
        reason: Unphysical::TriangleInequality,
    };
    assert_eq!(report.notes()[0].kind, expected);
}

#[test]
fn the_report_lists_what_was_ignored_in_the_order_of_the_file() {
    let (_, report) = robot("tests/urdf/warn/ignored_elements.urdf", &UrdfOptions::new());
    let elements: Vec<_> = report.ignored_elements().into_iter().collect();
    let expected =
        [("collision", 26), ("contact", 31), ("gazebo", 47), ("material", 3), ("transmission", 42), ("visual", 19)];
    assert_eq!(elements, expected.map(|(name, line)| (name, vec![line])));
    assert!(report.notes().is_sorted_by_key(|note| note.line));
    assert_eq!(report.notes().iter().filter(|note| note.severity() == Severity::Information).count(), 5);
    assert_eq!(
        report.to_string(),
        "2 warnings:\n  \
           line 13: link `arm`: unknown attribute `colour` of `link` is ignored\n  \
           line 31: link `arm`: unknown element `contact` is ignored\n\
         not used: collision (1), gazebo (1), material (1), transmission (1), visual (1)"
    );
}

#[test]
fn the_robots_of_the_repository_load_without_warnings() {
    for path in files("robots") {
        let text = fs::read_to_string(&path).unwrap();
        for floating_base in [false, true] {
            let options = UrdfOptions::new().floating_base(floating_base);
            let (_, report) = parse(&text, &options).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            // A fixed-base robot made to float has a root without inertia, or a floating joint of its own.
            let dubious = report.warnings().filter(|note| {
                !(floating_base
                    && matches!(note.kind, NoteKind::MissingInertial { .. } | NoteKind::SecondFloatingBase { .. }))
            });
            let dubious: Vec<_> = dubious.map(ToString::to_string).collect();
            assert!(dubious.is_empty(), "{}: {dubious:?}", path.display());
        }
    }
}

/// Names of the joints in a golden file, in Pinocchio's order, root joint of a floating base left out.
fn golden_joints(text: &str) -> Vec<&str> {
    let list = text.split_once("\"joints\":[").and_then(|(_, rest)| rest.split_once("]")).unwrap().0;
    let names = list.split("{\"name\":\"").skip(1).map(|rest| rest.split_once('"').unwrap().0);
    names.filter(|name| *name != "root_joint").collect()
}

#[test]
fn pinocchios_order_is_that_of_the_golden_files() {
    let mut compared = 0;
    for path in files("robots") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.json"));
        let Ok(golden) = fs::read_to_string(golden) else { continue };
        let options = UrdfOptions::new().joint_order(JointOrder::Pinocchio);
        let (robot, _) = parse(&fs::read_to_string(&path).unwrap(), &options).unwrap();
        let moving = robot.joints.iter().filter(|joint| joint.joint_type != JointType::Fixed);
        let names: Vec<_> = moving.map(|joint| joint.name.as_str()).collect();
        // Pinocchio's mimic model drops the joints that follow; the golden file lists those that are free, or all.
        let golden = golden_joints(&golden);
        let names: Vec<_> = names.into_iter().filter(|name| golden.contains(name)).collect();
        assert_eq!(names, golden, "{name}");
        compared += 1;
    }
    assert!(compared >= 9, "{compared} golden files found");
}

#[test]
fn joints_come_depth_first_in_the_order_of_the_file_by_default() {
    let (robot, _) = robot("robots/floating.urdf", &UrdfOptions::new());
    let names: Vec<_> = robot.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["mount", "free", "shoulder_right", "elbow_right", "shoulder_left"]);
    let parents: Vec<_> = robot.joints.iter().map(|joint| joint.parent_joint).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(1)]);
    for (i, joint) in robot.joints.iter().enumerate() {
        assert_eq!(robot.links[joint.child].joint, Some(i));
        assert_eq!(robot.links[joint.parent].joint, joint.parent_joint);
    }
    assert_eq!(robot.links[robot.root].name, "world");
}

#[test]
fn mimic_of_mimic_is_composed() {
    let text = format!(
        r#"<robot name="r"><link name="a"/><link name="b">{INERTIAL}</link><link name="c">{INERTIAL}</link>
        <link name="d">{INERTIAL}</link>
        <joint name="z" type="revolute"><parent link="a"/><child link="b"/>{LIMIT}
          <mimic joint="y" multiplier="2" offset="0.5"/></joint>
        <joint name="y" type="prismatic"><parent link="b"/><child link="c"/>{LIMIT}
          <mimic joint="x" multiplier="-3" offset="0.25"/></joint>
        <joint name="x" type="continuous"><parent link="c"/><child link="d"/></joint></robot>"#
    );
    let (robot, report) = parse(&text, &UrdfOptions::new()).unwrap();
    assert!(!report.has_warnings(), "{report}");
    let [z, y, x] = [0, 1, 2].map(|i| robot.joints[i].mimic.map(|m| (m.joint, m.multiplier, m.offset)));
    assert_eq!((z, y, x), (Some((2, -6.0, 1.0)), Some((2, -3.0, 0.25)), None)); // 2 (-3 x + 0.25) + 0.5
    // A slide that follows an angle of (cos, sin) jumps; a turn by a whole multiple does not.
    let (_, report) = parse(&text, &UrdfOptions::new().continuous(ContinuousForm::CosSin)).unwrap();
    let warnings: Vec<_> = report.warnings().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "line 6: joint `y`: it follows -3 times the angle of joint `x`, whose coordinates are (cos, sin): its position \
          jumps where that angle passes ±π"
        ]
    );
}

#[test]
fn mimic_joints_move_by_themselves_when_asked() {
    let options = UrdfOptions::new().mimic(MimicForm::Independent).strict(true);
    let (robot, report) = robot("robots/mimic.urdf", &options);
    assert!(robot.joints.iter().all(|joint| joint.mimic.is_none()));
    assert_eq!(report.counts(), [("mimic_left_out", 2)].into());
    assert_eq!(report.to_string(), "no warnings\nnot used: mimic (2)");
}

#[test]
fn defaults_are_those_of_the_specification() {
    let (robot, report) =
        parse(&two_links(INERTIAL, "prismatic", r#"<limit upper="2" effort="1" velocity="1"/>"#), &UrdfOptions::new())
            .unwrap();
    assert!(!report.has_warnings(), "{report}");
    let joint = &robot.joints[0];
    assert_eq!((joint.axis.x, joint.axis.y, joint.axis.z), (1.0, 0.0, 0.0));
    assert_eq!(joint.limits.position, Some([0.0, 2.0]));
    assert_eq!((joint.damping, joint.friction, joint.mimic), (0.0, 0.0, None));
    assert_eq!(joint.placement, gradyn::spatial::Transform::identity());
}

#[test]
fn axes_of_any_length_become_unit_vectors() {
    for axis in ["0 0 1e-200", "0 0 1e200", "0 0 4.9e-324", "0 0 1.7e308"] {
        let joint = format!("<axis xyz='{axis}'/>{LIMIT}");
        let (robot, _) = parse(&two_links(INERTIAL, "revolute", &joint), &UrdfOptions::new()).unwrap();
        assert_eq!(robot.joints[0].axis.z.to_bits(), 1f64.to_bits(), "{axis}");
    }
}

#[test]
fn inertia_is_turned_into_the_axes_of_the_link() {
    let link = r#"<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>
        <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/></inertial>"#;
    let (robot, _) = parse(&two_links(link, "revolute", LIMIT), &UrdfOptions::new()).unwrap();
    let y = robot.links[1].inertia.unwrap();
    let r = y.rotational;
    assert_eq!((y.mass, y.com.x, y.com.y, y.com.z), (2.0, 1.0, 2.0, 3.0));
    // a quarter turn about z: x becomes y, y becomes -x
    let expected = [1.5, -0.1, -0.3, 1.0, 0.2, 2.0];
    for (found, expected) in [r.xx, r.xy, r.xz, r.yy, r.yz, r.zz].into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{r:?}"); // rounding of pi/2
    }
}

#[test]
fn parts_without_meaning_for_the_joint_type_are_noted_and_not_read() {
    let fixed = r#"<axis xyz="0 0 0"/><limit lower="0" upper="0"/><dynamics/><mimic joint="j"/>"#;
    let (robot, report) = parse(&two_links("", "fixed", fixed), &UrdfOptions::new().strict(true)).unwrap();
    assert_eq!(robot.joints[0].mimic, None);
    assert_eq!(
        report.to_string(),
        "no warnings\nnot used: axis of fixed joints (1), dynamics of fixed joints (1), limit of fixed joints (1), \
         mimic of fixed joints (1)"
    );
    let (_, report) = parse(&two_links(INERTIAL, "continuous", LIMIT), &UrdfOptions::new().strict(true)).unwrap();
    assert_eq!(report.notes().len(), 2); // lower and upper
    let (_, report) =
        parse(&two_links(INERTIAL, "floating", r#"<dynamics damping="1"/>"#), &UrdfOptions::new()).unwrap();
    assert_eq!(report.notes()[0].to_string(), "line 4: joint `j`: `dynamics` of a floating joint is ignored");
    assert!(report.has_warnings());
}

#[test]
fn the_name_of_the_floating_joint_is_reserved_only_with_a_floating_base() {
    let text = two_links(INERTIAL, "floating", "").replace("\"j\"", "\"root_joint\"");
    assert!(parse(&text, &UrdfOptions::new()).is_ok());
    let error = parse(&text, &UrdfOptions::new().floating_base(true)).unwrap_err();
    assert_eq!(error, UrdfError::RootJointNameTaken { line: 4, joint: "root_joint".into() });
    let (_, report) = parse(&two_links(INERTIAL, "floating", ""), &UrdfOptions::new().floating_base(true)).unwrap();
    assert!(
        report.notes().iter().any(|note| matches!(&note.kind, NoteKind::SecondFloatingBase { joint } if joint == "j"))
    );
}

#[test]
fn a_repeated_element_stray_text_and_a_foreign_prefix_do_not_pass_silently() {
    let text = two_links("", "fixed", "<origin/>\n<origin xyz='1 0 0'/>");
    let (robot, report) = parse(&text, &UrdfOptions::new()).unwrap();
    assert_eq!(robot.joints[0].placement, gradyn::spatial::Transform::identity());
    let found: Vec<_> = report.warnings().map(ToString::to_string).collect();
    assert_eq!(found, ["line 5: joint `j`: a second element `origin` is ignored: the first, in line 4, counts"]);
    // Which links a joint connects must be clear.
    let error = parse(&two_links("", "fixed", "<child link='base'/>"), &UrdfOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "line 4: joint `j`: a second element `child`, the first is in line 4");
    let text = two_links("stray", "fixed", "<x:origin xmlns:x='u' xyz='1 1 1'/>");
    let (robot, report) = parse(&text, &UrdfOptions::new()).unwrap();
    assert_eq!(robot.joints[0].placement, gradyn::spatial::Transform::identity());
    let notes: Vec<_> = report.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["line 3: link `arm`: text in `link` is ignored", "line 4: joint `j`: unknown element `x:origin` is ignored"]
    );
    // A default namespace is no prefix.
    let text = two_links("", "fixed", "").replace("<robot", "<robot xmlns='http://www.ros.org'");
    assert!(parse(&text, &UrdfOptions::new().strict(true)).is_ok());
}

#[test]
fn a_chain_that_swings_back_on_its_axis_is_seen_as_massless() {
    // The mass sits on the axis of the joint, away from its origin.
    let link = r#"<inertial><origin xyz="0.7 0 0" rpy="0.3 0.2 0.1"/><mass value="1"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>"#;
    let warned = |axis: &str| {
        let joint = format!("<axis xyz='{axis}'/>{LIMIT}");
        parse(&two_links(link, "revolute", &joint), &UrdfOptions::new()).unwrap().1.has_warnings()
    };
    assert!(warned("1 0 0") && warned("-1 0 0"));
    assert!(!warned("0 1 0") && !warned("1 1e-3 0"));
}

#[test]
fn finite_numbers_that_overflow_together_are_refused() {
    for link in [
        r#"<inertial><origin xyz="1e200 0 0"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#,
        r#"<inertial><origin rpy="1 1 1"/><mass value="1"/><inertia ixx="1.7e308" ixy="1.7e308" ixz="1.7e308" iyy="1.7e308" iyz="1.7e308" izz="1.7e308"/></inertial>"#,
    ] {
        let error = parse(&two_links(link, "revolute", LIMIT), &UrdfOptions::new()).unwrap_err();
        assert!(matches!(error, UrdfError::Overflow { .. }), "{error}");
    }
}

/// Thirty thousand links in a row: nothing recurses, nothing is quadratic.
#[test]
fn a_very_long_chain_loads() {
    let n = 30_000;
    let mut text = String::from("<robot name='chain'><link name='l0'/>");
    for i in 1..=n {
        let mimic = if i == 1 { String::new() } else { format!("<mimic joint='j{}'/>", i - 1) };
        text += &format!(
            "<link name='l{i}'>{INERTIAL}</link>\n<joint name='j{i}' type='revolute'><parent link='l{}'/>\
             <child link='l{i}'/>{LIMIT}{mimic}</joint>",
            i - 1
        );
    }
    let (robot, report) = parse(&format!("{text}</robot>"), &UrdfOptions::new().strict(true)).unwrap();
    assert_eq!(robot.joints.len(), n);
    assert_eq!(robot.joints[n - 1].mimic.map(|mimic| mimic.joint), Some(0));
    assert!(report.notes().is_empty());

    let closed = text.replace(
        "<link name='l0'/>",
        "<link name='l0'/><joint name='back' type='fixed'><parent link='l30000'/><child link='l0'/></joint>",
    );
    let error = parse(&format!("{closed}</robot>"), &UrdfOptions::new()).unwrap_err();
    assert!(matches!(error, UrdfError::Tree(TreeError::NoRoot { .. })), "{error}");
}

#[test]
fn hostile_xml_is_refused_quickly() {
    let deep = "<a>".repeat(1_000_000);
    let bomb = format!(
        "<!DOCTYPE r [<!ENTITY a0 'x'>{}]><robot name='&a20;'/>",
        (1..=20).map(|i| format!("<!ENTITY a{i} '{}'>", format!("&a{};", i - 1).repeat(10))).collect::<String>()
    );
    let attributes = (0..300_000).map(|i| format!(" a{i}=''")).collect::<String>();
    let namespaces = (0..10_000).map(|i| format!(" xmlns:a{i}='{i}'")).collect::<String>();
    let started = std::time::Instant::now();
    for (text, what) in [
        (deep.clone(), "Xml"),
        (format!("<robot name='r'><link name='l'>{deep}{}</link></robot>", "</a>".repeat(1_000_000)), "Ok"),
        (bomb, "DocumentType"),
        (format!("<robot{attributes}/>"), "TooLarge"),
        (format!("<robot{namespaces}>{}</robot>", "<a xmlns:b='b'/>".repeat(100_000)), "TooLarge"),
        (format!("<robot name='r'>{}</robot>", "<a/>".repeat(5_000_000)), "TooLarge"),
        (" ".repeat((64 << 20) + 1), "TooLarge"),
        ("\u{feff}<robot name='r'><link name='l'/></robot>".to_owned(), "Ok"),
    ] {
        let result = match parse(&text, &UrdfOptions::new()) {
            Ok(_) => "Ok",
            Err(UrdfError::Source(error)) => match *error {
                SourceError::Xml { .. } => "Xml",
                SourceError::TooLarge { .. } => "TooLarge",
                SourceError::DocumentType { .. } => "DocumentType",
                _ => "other",
            },
            Err(_) => "other",
        };
        assert_eq!(result, what, "{}", &text.chars().take(60).collect::<String>());
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn quat_xyzw_is_the_rotation_with_the_vector_part_first() {
    let (robot, report) = robot("tests/urdf/good/quat.urdf", &UrdfOptions::new().strict(true));
    assert!(report.notes().is_empty());
    // A quarter turn about x: y becomes z, z becomes -y.
    let r = robot.joints[0].placement.rotation;
    let expected = nalgebra::Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
    assert!((r - expected).abs().max() < 1e-15, "{r}"); // rounding of the roots in the file
    // Of any length, and no other rotation than that of the same angles.
    let turned = |origin: &str| {
        let (robot, report) = parse(&two_links("", "fixed", origin), &UrdfOptions::new()).unwrap();
        (robot.joints[0].placement.rotation, report)
    };
    let (by_angles, _) = turned("<origin rpy='0.3 -0.2 0.9'/>");
    let q = nalgebra::UnitQuaternion::from_euler_angles(0.3, -0.2, 0.9).coords;
    for scale in [1.0_f64, -1.0, 1.0005, 1e-200, 1e200] {
        let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(|c| c * scale);
        let (by_quaternion, report) = turned(&format!("<origin quat_xyzw='{x} {y} {z} {w}'/>"));
        assert!((by_quaternion - by_angles).abs().max() < 1e-15 * 4.0, "{scale}"); // some roundings of numbers below 1
        assert_eq!(report.has_warnings(), scale.abs() < 0.1 || scale > 10.0, "{report}");
    }
}

#[test]
fn of_two_inertials_the_first_counts_and_what_is_missing_is_zero() {
    let (robot, _) = robot("tests/urdf/warn/two_inertials.urdf", &UrdfOptions::new());
    assert_eq!(robot.links[1].inertia.map(|y| y.mass), Some(2.0));
    let inertia = |name: &str| {
        let (robot, _) = parse(&read(&format!("tests/urdf/warn/{name}.urdf")), &UrdfOptions::new()).unwrap();
        robot.links.iter().find(|link| link.name == "arm").unwrap().inertia.unwrap()
    };
    let (point, ring) = (inertia("missing_inertia"), inertia("missing_mass"));
    assert_eq!((point.mass, point.com.z, point.rotational), (1.0, -0.1, gradyn::spatial::Symmetric3::zero()));
    assert_eq!((ring.mass, ring.rotational.xx), (0.0, 0.01));
    let (robot, report) =
        parse(&two_links("<inertial><origin/></inertial>", "fixed", ""), &UrdfOptions::new()).unwrap();
    assert_eq!(robot.links[1].inertia, None);
    let found: Vec<_> = report.warnings().map(ToString::to_string).collect();
    assert_eq!(found, ["line 3: link `arm`: `inertial` has neither `mass` nor `inertia`: it is ignored"]);
}

#[test]
fn reversed_limits_are_exchanged() {
    let (robot, report) = robot("tests/urdf/warn/limits_reversed.urdf", &UrdfOptions::new());
    assert_eq!(robot.joints[0].limits.position, Some([-1.0, 1.0]));
    let expected = NoteKind::LimitsReversed { joint: "j".into(), lower: 1.0, upper: -1.0 };
    assert_eq!(report.notes()[0].kind, expected);
}

#[test]
fn armature_is_read_from_the_places_where_programs_write_it() {
    let (robot, report) = robot("tests/urdf/good/rotors.urdf", &UrdfOptions::new().strict(true));
    let armature: Vec<_> = robot.joints.iter().map(|joint| joint.armature).collect();
    // 0.25; (-4)² 0.5; 2² 0.125; 8² 0.0625 + 1, as the ratio of the actuator comes first; as exporters write it
    assert_eq!(armature, [0.25, 8.0, 0.5, 5.0, 0.5]);
    assert_eq!(report.to_string(), "no warnings");
}

/// Where a transmission states a reduction, it and the others are motors behind gears; those of Drake have none, for its torques are
/// those of the joint.
#[test]
fn reductions_are_gears_of_motors() {
    let (robot, _) = robot("tests/urdf/good/rotors.urdf", &UrdfOptions::new().strict(true));
    let motors: Vec<_> = robot.motors.iter().map(|m| (m.name.as_str(), &*robot.joints[m.joint].name, m.gear)).collect();
    let expected = [("m", "jc", 1.0), ("ros", "jd", 8.0), ("second of the same joint", "jd", 1.0)];
    let more = [("without rotor", "je", -50.0), ("exported", "je", 1.0)];
    assert_eq!(motors, expected.into_iter().chain(more).collect::<Vec<_>>());

    let transmission = |joint: &str, inside: &str| {
        let text = two_links(INERTIAL, "revolute", "<limit lower='-1' upper='1' effort='30' velocity='1'/>");
        let inside = format!("\n<transmission name='t'><joint name='{joint}'/>{inside}</transmission></robot>");
        text.replace("</robot>", &inside)
    };
    let text = transmission("j", "<actuator name='motor'><mechanicalReduction>-60</mechanicalReduction></actuator>");
    let loaded = gradyn::Model::from_urdf_text(&text, &UrdfOptions::new()).unwrap();
    let [motor] = loaded.model.actuators() else { panic!("{:?}", loaded.model.actuators()) };
    // 30 N m at the joint are half one behind a gear of 60.
    assert_eq!((motor.name.as_str(), &motor.gears[..], motor.limits), ("motor", &[(0, -60.0)][..], (-0.5, 0.5)));
    assert_eq!(loaded.report.to_string(), "no warnings");
    // And back.
    let again = gradyn::Model::from_urdf_text(&loaded.model.to_urdf().unwrap(), &UrdfOptions::new()).unwrap();
    assert_eq!(again.model.actuators(), loaded.model.actuators());

    // None states one: a robot without motors of its own, as one without transmissions.
    let text = transmission("j", "<actuator name='motor'/>");
    let loaded = gradyn::Model::from_urdf_text(&text, &UrdfOptions::new()).unwrap();
    assert!(loaded.model.actuators().is_empty());
    assert_eq!(loaded.report.to_string(), "no warnings\nnot used: transmission (1)");
    // Beside one that states a reduction: what another says that cannot be used, and the gear that counts.
    let other = "<transmission name='other'><joint name='j'/><actuator name='a'><mechanicalReduction>3</mechanicalReduction></actuator></transmission>";
    let coupled = "2</mechanicalReduction></actuator><actuator name='n'><mechanicalReduction>2";
    for (joint, reduction, reason, gear) in [
        ("k", "2", "its joint is not declared", None),
        ("j", "0", "it is zero, and 1 is taken", Some(1.0)),
        ("j", "two", "it is no number, and 1 is taken", Some(1.0)),
        ("j", coupled, "its motors turn its joints together, and each joint has a motor of its own instead", Some(1.0)),
    ] {
        let inside = format!("<actuator name='m'><mechanicalReduction>{reduction}</mechanicalReduction></actuator>");
        let text = transmission(joint, &inside);
        // Alone it states none that can be used.
        let alone = gradyn::Model::from_urdf_text(&text, &UrdfOptions::new()).unwrap();
        assert!(alone.model.actuators().is_empty());
        let said: Vec<_> = alone.report.warnings().map(ToString::to_string).collect();
        let expected = format!("line 6: transmission `t`: its reduction is not used: {reason}");
        assert_eq!(said, [expected]);
        let loaded =
            gradyn::Model::from_urdf_text(&text.replace("</robot>", &format!("{other}</robot>")), &UrdfOptions::new());
        let loaded = loaded.unwrap();
        let warnings: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
        assert_eq!(warnings, [format!("line 6: transmission `t`: its reduction is not used: {reason}")]);
        let gears: Vec<f64> = loaded.model.actuators().iter().map(|actuator| actuator.gears[0].1).collect();
        assert_eq!(gears, gear.into_iter().chain([3.0]).collect::<Vec<_>>());
    }
    // The spelling of ROS 2, on its own and where ROS 2 has it.
    let motor = "<actuator name='m'/><joint name='j'><mechanical_reduction>7</mechanical_reduction></joint>";
    for inside in [
        format!("<transmission name='t'>{motor}</transmission>"),
        format!("<ros2_control name='c' type='system'><transmission name='t'>{motor}</transmission></ros2_control>"),
    ] {
        let text = two_links(INERTIAL, "revolute", "<limit lower='-1' upper='1' effort='30' velocity='1'/>");
        let text = text.replace("</robot>", &format!("{inside}</robot>"));
        let loaded = gradyn::Model::from_urdf_text(&text, &UrdfOptions::new()).unwrap();
        assert_eq!((loaded.model.actuators()[0].gears[0], loaded.report.warning_count()), ((0, 7.0), 0));
    }
    // Nothing drives a fixed joint.
    let fixed = text_of_fixed();
    let loaded = gradyn::Model::from_urdf_text(&fixed, &UrdfOptions::new()).unwrap();
    assert_eq!(
        (loaded.model.actuators().len(), loaded.report.to_string().as_str()),
        (0, "no warnings\nnot used: mechanicalReduction (1)")
    );
}

fn text_of_fixed() -> String {
    let motor = "<actuator name='m'><mechanicalReduction>2</mechanicalReduction></actuator>";
    let transmission = format!("<transmission name='t'><joint name='j'/>{motor}</transmission></robot>");
    two_links(INERTIAL, "fixed", "").replace("</robot>", &transmission)
}

/// XML allows no white space before its declaration; programs that fill in templates write it. Rewriting leaves it where it is.
#[test]
fn white_space_before_the_declaration_is_skipped_with_a_warning() {
    let robot = two_links(INERTIAL, "continuous", "<limit effort='1' velocity='1'/>");
    for blank in ["\n", " \t\r\n\n", "\u{feff}\n"] {
        let text = format!("{blank}<?xml version='1.0'?>{robot}");
        let (_, report) = parse(&text, &UrdfOptions::new()).unwrap();
        let line = 1 + blank.matches('\n').count();
        let expected =
            format!("line {line}: white space stands before the XML declaration, where XML allows none: it is skipped");
        assert_eq!(report.warnings().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
        let model = gradyn::Model::from_urdf_text(&text, &UrdfOptions::new()).unwrap().model;
        let joint = model.body_id(0).unwrap();
        let new = rewrite(&text, &UrdfOptions::new(), &model.with_damping(joint, &[0.5]).unwrap()).unwrap();
        assert!(
            new.text.starts_with(&format!("{blank}<?xml version='1.0'?>")) && new.changes.len() == 1,
            "{}",
            new.text
        );
    }
    for other in ["<?xml version='1.0'?>", "<!-- --><?xm_ a?>"] {
        let (_, report) = parse(&format!("{other}{robot}"), &UrdfOptions::new()).unwrap();
        assert!(!report.has_warnings(), "{report}");
    }
    // A second one is still a fault.
    assert!(parse(&format!("\n<?xml version='1.0'?><?xml version='1.0'?>{robot}"), &UrdfOptions::new()).is_err());
}
