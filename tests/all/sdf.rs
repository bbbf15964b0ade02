//! Robots from SDF: poses by what they are relative to, axes by version, loops, included files, and what is refused.

use gradyn::dynamics::{Constraint, Workspace, aba, constraint_error, frame_pose, mechanical_energy, rnea};
use gradyn::model::sdf::{Loaded, SdfOptions};
use gradyn::model::source::{Files, Rank};
use gradyn::model::{Model, urdf::UrdfOptions};
use nalgebra::{DVector, Vector3};

/// Poses composed in another order differ by some roundings of numbers up to ten.
const ROUNDING: f64 = 1e-13;

fn read(text: &str) -> Loaded {
    Model::from_sdf_text(text, &SdfOptions::new()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refused(text: &str) -> String {
    Model::from_sdf_text(text, &SdfOptions::new()).expect_err("is wrong").to_string()
}

fn model(version: &str, inside: &str) -> String {
    format!("<sdf version='{version}'>\n<model name='m'>\n{inside}\n</model>\n</sdf>")
}

fn body(name: &str, inside: &str) -> String {
    format!(
        "<link name='{name}'>{inside}<inertial><pose>0.1 0.02 -0.3 0.3 0.2 0.1</pose><mass>2.5</mass><inertia><ixx>0.3</ixx><ixy>0.01</ixy>\
         <ixz>0.02</ixz><iyy>0.4</iyy><iyz>-0.03</iyz><izz>0.5</izz></inertia></inertial></link>"
    )
}

fn place(model: &Model, frame: &str, q: &[f64]) -> Vector3<f64> {
    let mut ws = Workspace::new(model);
    let id = model.find_frame(frame).unwrap_or_else(|| panic!("no frame {frame}"));
    frame_pose(model, &mut ws, q, id).expect("is a state").translation
}

const FIXED: &str = "<joint name='base' type='fixed'><parent>world</parent><child>a</child></joint>";

/// The same robot in both formats: inertias turned and off center, a fixed link, damping, friction, limits.
#[test]
fn a_robot_in_both_formats_is_the_same() {
    let inertial = "<inertial><origin xyz='0.1 0.02 -0.3' rpy='0.3 0.2 0.1'/><mass value='2.5'/>\
        <inertia ixx='0.3' ixy='0.01' ixz='0.02' iyy='0.4' iyz='-0.03' izz='0.5'/></inertial>";
    let link = |name: &str| format!("<link name='{name}'>{inertial}</link>");
    let urdf = format!(
        "<robot name='m'>{}{}{}{}
        <joint name='one' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0.1 0.2 0.3' rpy='0.4 -0.5 0.6'/>
          <axis xyz='1 2 3'/><limit lower='-1' upper='2' effort='30' velocity='4'/><dynamics damping='0.7' friction='0.2'/></joint>
        <joint name='stiff' type='fixed'><parent link='b'/><child link='c'/><origin xyz='0 0.3 0' rpy='0.1 0 0'/></joint>
        <joint name='two' type='prismatic'><parent link='c'/><child link='d'/><origin xyz='0.5 0 0' rpy='0 0.2 0'/>
          <axis xyz='0 1 0'/><limit lower='-0.5' upper='0.5' effort='9' velocity='1'/></joint></robot>",
        link("a"), link("b"), link("c"), link("d")
    );
    // Poses by what carries them.
    let sdf = model(
        "1.9",
        &format!(
            "{FIXED}{}{}{}{}
        <joint name='one' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 2 3</xyz>
          <limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>4</velocity></limit>
          <dynamics><damping>0.7</damping><friction>0.2</friction></dynamics></axis></joint>
        <joint name='stiff' type='fixed'><parent>b</parent><child>c</child></joint>
        <joint name='two' type='prismatic'><parent>c</parent><child>d</child><axis><xyz>0 1 0</xyz>
          <limit><lower>-0.5</lower><upper>0.5</upper><effort>9</effort><velocity>1</velocity></limit></axis></joint>",
            body("a", ""),
            body("b", "<pose relative_to='a'>0.1 0.2 0.3 0.4 -0.5 0.6</pose>"),
            body("c", "<pose relative_to='b'>0 0.3 0 0.1 0 0</pose>"),
            body("d", "<pose relative_to='c'>0.5 0 0 0 0.2 0</pose>")
        ),
    );
    let from_urdf = Model::from_urdf_text(&urdf, &UrdfOptions::new()).expect("is right").model;
    let from_sdf = read(&sdf).model;
    assert_eq!(from_sdf.dof_names(), from_urdf.dof_names());
    assert_eq!(from_sdf.limits(), from_urdf.limits());
    let (q, v, a) = ([0.4, -0.2], [1.5, -0.7], [0.3, 2.0]);
    let (mut ws, mut other) = (Workspace::new(&from_urdf), Workspace::new(&from_sdf));
    let expected = rnea(&from_urdf, &mut ws, &q, &v, &a, &[]).expect("is a state").to_vec();
    let found = rnea(&from_sdf, &mut other, &q, &v, &a, &[]).expect("is a state").to_vec();
    let scale = DVector::from(expected.to_vec()).amax();
    assert!((DVector::from(found) - DVector::from(expected)).amax() < ROUNDING * scale);
    let expected = aba(&from_urdf, &mut ws, &q, &v, &a, &[]).expect("is a state").to_vec();
    let found = aba(&from_sdf, &mut other, &q, &v, &a, &[]).expect("is a state").to_vec();
    let scale = DVector::from(expected.to_vec()).amax();
    // Accelerations lose the condition number of the mass matrix, here below 100.
    assert!((DVector::from(found) - DVector::from(expected)).amax() < 100.0 * ROUNDING * scale);
    for frame in ["a", "b", "c", "d", "one", "stiff", "two"] {
        assert!((place(&from_sdf, frame, &q) - place(&from_urdf, frame, &q)).amax() < ROUNDING, "{frame}");
    }
}

/// Turned links: an axis along x of the link is along y of the model.
#[test]
fn axes_are_in_the_frame_that_the_version_says() {
    let turned = body("b", "<pose>1 0 0 0 0 1.5707963267948966</pose>");
    let robot = |version: &str, xyz: &str| {
        let joint =
            format!("<joint name='j' type='prismatic'><parent>a</parent><child>b</child><axis>{xyz}</axis></joint>");
        let loaded = read(&model(version, &format!("{FIXED}{}{turned}{joint}", body("a", ""))));
        place(&loaded.model, "b", &[0.5]) - place(&loaded.model, "b", &[0.0])
    };
    let (in_joint, in_model) = (Vector3::new(0.0, 0.5, 0.0), Vector3::new(0.5, 0.0, 0.0));
    let plain = "<xyz>1 0 0</xyz>";
    let by_parent = "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>";
    for (version, xyz, expected) in [
        ("1.4", plain, in_model),
        ("1.5", plain, in_joint),
        ("1.6", plain, in_joint),
        ("1.6", by_parent, in_model),
        ("1.7", plain, in_joint),
        ("1.12", "<xyz expressed_in='__model__'>1 0 0</xyz>", in_model),
        ("1.12", "<xyz expressed_in='a'>1 0 0</xyz>", in_model),
        ("1.12", "<xyz expressed_in='b'>1 0 0</xyz>", in_joint),
    ] {
        let moved = robot(version, xyz);
        assert!((moved - expected).amax() < ROUNDING, "{version} {xyz}: {moved:?}");
    }
}

/// A joint away from its link's origin turns the link about its own.
#[test]
fn the_pose_of_a_joint_is_in_its_child() {
    let joint = "<joint name='j' type='revolute'><parent>a</parent><child>b</child><pose>-1 0 0 0 0 0</pose>\
        <axis><xyz>0 0 1</xyz></axis></joint>";
    let text = model("1.9", &format!("{FIXED}{}{}{joint}", body("a", ""), body("b", "<pose>3 0 0 0 0 0</pose>")));
    let loaded = read(&text);
    let quarter = std::f64::consts::FRAC_PI_2;
    assert!((place(&loaded.model, "b", &[0.0]) - Vector3::new(3.0, 0.0, 0.0)).amax() < ROUNDING);
    assert!((place(&loaded.model, "b", &[quarter]) - Vector3::new(2.0, 1.0, 0.0)).amax() < ROUNDING);
    assert!((place(&loaded.model, "j", &[quarter]) - Vector3::new(2.0, 0.0, 0.0)).amax() < ROUNDING);
}

#[test]
fn frames_nested_models_and_rotations_in_other_forms() {
    let inside = format!(
        "{FIXED}{}
        <frame name='f' attached_to='a'><pose degrees='true'>1 0 0 0 0 90</pose></frame>
        <frame name='g' attached_to='f'><pose rotation_format='quat_xyzw'>1 0 0  0 0 0 2</pose></frame>
        <model name='n' placement_frame='tip'><pose relative_to='g'>0 0 5 0 0 0</pose>{}
          <frame name='tip' attached_to='c'><pose>0 1 0 0 0 0</pose></frame></model>
        <joint name='weld' type='fixed'><parent>g</parent><child>n::c</child></joint>",
        body("a", ""),
        body("c", "")
    );
    let loaded = read(&model("1.10", &inside));
    assert_eq!(loaded.model.nv(), 0);
    let at = |frame: &str| place(&loaded.model, frame, &[]);
    assert!((at("f") - Vector3::new(1.0, 0.0, 0.0)).amax() < ROUNDING);
    assert!((at("g") - Vector3::new(1.0, 1.0, 0.0)).amax() < ROUNDING);
    assert!((at("n::tip") - Vector3::new(1.0, 1.0, 5.0)).amax() < ROUNDING);
    // One before it along its y, which is −x of the world.
    assert!((at("n::c") - Vector3::new(2.0, 1.0, 5.0)).amax() < ROUNDING);
    let codes = loaded.report.counts();
    assert_eq!(codes.get("quaternion_length"), Some(&1), "{}", loaded.report);
}

/// A link that no joint carries is free; the file's place of it is a configuration.
#[test]
fn what_nothing_holds_is_free() {
    let text = model("1.9", &body("a", "<pose>1 2 3 0 0 0.5</pose>"));
    let loaded = read(&text);
    assert_eq!((loaded.model.nq(), loaded.model.nv()), (7, 6));
    assert!((place(&loaded.model, "a", &loaded.configuration) - Vector3::new(1.0, 2.0, 3.0)).amax() < ROUNDING);
    let fixed = Model::from_sdf_text(&text, &SdfOptions::new().fixed_base(true)).expect("is right");
    assert_eq!(fixed.model.nv(), 0);
    assert!((place(&fixed.model, "a", &[]) - Vector3::new(1.0, 2.0, 3.0)).amax() < ROUNDING);
    let still = read(&text.replace("<link", "<static>1</static><link"));
    assert_eq!(still.model.nv(), 0);
}

/// A parallelogram of three hinges and one that closes it.
#[test]
fn a_joint_whose_child_is_carried_closes_a_loop() {
    let hinge = |name: &str, parent: &str, child: &str, pose: &str| {
        format!(
            "<joint name='{name}' type='revolute'><parent>{parent}</parent><child>{child}</child>{pose}\
             <axis><xyz>0 0 1</xyz><dynamics><damping>0.1</damping></dynamics></axis></joint>"
        )
    };
    let text = model(
        "1.9",
        &format!(
            "{FIXED}{}{}{}{}{}{}{}{}",
            body("a", ""),
            body("b", "<pose>0 0 0 0 0 0</pose>"),
            body("c", "<pose>0 1 0 0 0 0</pose>"),
            body("d", "<pose>2 0 0 0 0 0</pose>"),
            hinge("ab", "a", "b", ""),
            hinge("bc", "b", "c", ""),
            hinge("ad", "a", "d", ""),
            hinge("dc", "d", "c", "<pose>2 0 0 0 0 0</pose>"),
        ),
    );
    let loaded = read(&text);
    assert_eq!((loaded.model.nv(), loaded.loops.len()), (3, 1));
    assert_eq!(loaded.loops[0].name, "dc");
    assert_eq!(loaded.report.count_of(Rank::ChangesDynamics), 1, "{}", loaded.report);
    let constraint = Constraint::of_loop(&loaded.loops[0]).expect("a hinge");
    let mut ws = Workspace::new(&loaded.model);
    // b and d turn alike, c keeps its attitude.
    for angle in [0.0, 0.7] {
        let q = [angle, -angle, angle];
        let error = constraint_error(&loaded.model, &mut ws, &q, &[constraint]).expect("is a state");
        assert!(error.iter().all(|x| x.abs() < ROUNDING), "{angle}: {error:?}");
    }
    let error = constraint_error(&loaded.model, &mut ws, &[0.1, 0.0, 0.0], &[constraint]).expect("is a state");
    assert!(error.iter().any(|x| x.abs() > 1e-3), "an open loop is seen: {error:?}");
}

#[test]
fn every_type_of_joint_has_its_motion() {
    let robot = |joint: &str| read(&model("1.10", &format!("{FIXED}{}{}{joint}", body("a", ""), body("b", "")))).model;
    let with = |kind: &str, inside: &str| {
        robot(&format!("<joint name='j' type='{kind}'><parent>a</parent><child>b</child>{inside}</joint>"))
    };
    let axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>";
    for (kind, inside, size) in [
        ("ball", "", (4, 3)),
        ("universal", axes, (2, 2)),
        ("revolute2", axes, (2, 2)),
        ("continuous", "<axis><xyz>0 0 1</xyz></axis>", (1, 1)),
        ("fixed", "", (0, 0)),
    ] {
        let model = with(kind, inside);
        assert_eq!((model.nq(), model.nv()), size, "{kind}");
    }
    // A right-handed thread of 0.2 m a turn, in both forms.
    let turn = std::f64::consts::TAU;
    let screw = "<screw_thread_pitch>0.2</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis>";
    let old = format!("<thread_pitch>{}</thread_pitch><axis><xyz>0 0 1</xyz></axis>", -turn / 0.2);
    for inside in [screw, &old] {
        let model = with("screw", inside);
        assert!((place(&model, "b", &[turn]) - Vector3::new(0.0, 0.0, 0.2)).amax() < ROUNDING, "{inside}");
    }
    // Springs hold, and energy knows them.
    let spring = "<axis><xyz>0 0 1</xyz><dynamics><spring_stiffness>8</spring_stiffness><spring_reference>0.5</spring_reference>\
        </dynamics></axis>";
    let (with_spring, without) = (with("revolute", spring), with("revolute", "<axis><xyz>0 0 1</xyz></axis>"));
    let energy =
        |model: &Model, q: f64| mechanical_energy(model, &mut Workspace::new(model), &[q], &[0.0]).expect("is a state");
    // ½ 8 (0.9 − 0.5)²
    assert!((energy(&with_spring, 0.9) - energy(&without, 0.9) - 0.64).abs() < ROUNDING);
}

#[test]
fn joints_can_follow_others() {
    let text = model(
        "1.11",
        &format!(
            "{FIXED}{}{}{}
        <joint name='lead' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
        <joint name='slide' type='prismatic'><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz>
          <mimic joint='lead'><multiplier>2</multiplier><offset>0.1</offset><reference>0.3</reference></mimic></axis></joint>",
            body("a", ""),
            body("b", ""),
            body("c", "")
        ),
    );
    let loaded = read(&text);
    assert_eq!(loaded.model.nv(), 1);
    // 2 (0.5 − 0.3) + 0.1
    assert!((place(&loaded.model, "c", &[0.5]).z - 0.5).abs() < ROUNDING);
}

#[test]
fn included_files_are_put_in() {
    let arm = format!(
        "<sdf version='1.9'><model name='arm'>{}<frame name='tip'><pose>0 0 1 0 0 0</pose></frame></model></sdf>",
        body("link", "<pose>0 0 0.5 0 0 0</pose>")
    );
    let files = Files::new(move |path| match path {
        "arm/model.sdf" => Ok(arm.clone().into_bytes()),
        "self.sdf" => {
            Ok(b"<sdf version='1.9'><model name='s'><include><uri>self.sdf</uri></include></model></sdf>".to_vec())
        }
        _ => Err("there is no such file".to_owned()),
    });
    let options = SdfOptions::new().files(files).fixed_base(true);
    let with = |include: &str| {
        Model::from_sdf_text(&model("1.9", &format!("{}<include>{include}</include>", body("a", ""))), &options)
    };
    let loaded =
        with("<uri>model://arm</uri><name>left</name><pose relative_to='a'>1 0 0 0 0 0</pose>").expect("is right");
    assert!((place(&loaded.model, "left::link", &[]) - Vector3::new(1.0, 0.0, 0.5)).amax() < ROUNDING);
    let merged = Model::from_sdf_text(
        &model(
            "1.9",
            &format!("{}<include merge='true'><uri>model://arm</uri><pose>1 0 0 0 0 0</pose></include>", body("a", "")),
        ),
        &options,
    )
    .expect("is right");
    assert!((place(&merged.model, "tip", &[]) - Vector3::new(1.0, 0.0, 1.0)).amax() < ROUNDING);
    let wrong = |include: &str| with(include).expect_err("is wrong").to_string();
    assert_eq!(wrong("<uri>leg.sdf</uri>"), "line 3: include `leg.sdf`: `leg.sdf`: there is no such file");
    assert_eq!(wrong("<uri>self.sdf</uri>"), "`self.sdf`, line 1: include `self.sdf`: include leads back to itself");
    let fetched = "nothing is fetched: give its content by `SdfOptions::files`";
    assert!(wrong("<uri>https://host/arm</uri>").ends_with(fetched));
}

#[test]
fn several_models_have_names_of_their_own() {
    let world = format!(
        "<sdf version='1.9'><world name='w'><gravity>0 0 -1.6</gravity><model name='x'>{0}</model><model name='y'>{0}</model>\
         </world></sdf>",
        body("a", "")
    );
    let loaded = read(&world);
    assert_eq!(loaded.model.nv(), 12);
    assert_eq!(loaded.model.gravity(), Vector3::new(0.0, 0.0, -1.6));
    assert!(loaded.model.find_frame("x::a").is_some() && loaded.model.find_frame("y::a").is_some());
    // A world that says none has that of the specification, and a model without a world that of the engine.
    let silent = read(&world.replace("<gravity>0 0 -1.6</gravity>", ""));
    assert_eq!(silent.model.gravity(), Vector3::new(0.0, 0.0, -9.8));
    assert_eq!(read(&model("1.9", &body("a", ""))).model.gravity(), Vector3::new(0.0, 0.0, -9.81));
    let one = Model::from_sdf_text(&world, &SdfOptions::new().model("y")).expect("is right");
    assert!(one.model.nv() == 6 && one.model.find_frame("a").is_some());
    let error = Model::from_sdf_text(&world, &SdfOptions::new().model("z")).expect_err("is wrong");
    assert_eq!(error.to_string(), "line 1: there is no model `z`");
}

#[test]
fn what_is_not_read_is_ranked() {
    let link = "<link name='a'><gravity>0</gravity><visual name='v'/><collision name='c'/><thing/></link>\
        <joint name='gear' type='gearbox'><parent>a</parent><child>a</child><gearbox_ratio>3</gearbox_ratio></joint>";
    let report = read(&model("1.9", link)).report;
    let notes: Vec<_> = report.notes().iter().map(|note| (note.rank(), note.to_string())).collect();
    let has = |rank: Rank, text: &str| notes.iter().any(|(of, note)| *of == rank && note.contains(text));
    assert!(has(Rank::ChangesDynamics, "gravity acts on this link too"), "{notes:?}");
    assert!(has(Rank::ChangesDynamics, "gearbox"), "{notes:?}");
    assert!(has(Rank::Dubious, "1 kg and moments of 1 kg m²"), "{notes:?}");
    assert!(has(Rank::Dubious, "`thing`"), "{notes:?}");
    let reserved = read(&model("1.9", &format!("{FIXED}{}{}", body("a", ""), body("world", ""))));
    let warnings: Vec<_> = reserved.report.warnings().map(ToString::to_string).collect();
    let why = "SDF reserves it: joints of `world` are those of the world, and not of this link";
    assert_eq!(warnings, [format!("line 3: link `world`: `name` of `link`: {why}")]);
    assert!(has(Rank::NotDynamics, "visual"), "{notes:?}");
    let strict = Model::from_sdf_text(&model("1.9", link), &SdfOptions::new().strict(true));
    assert!(strict.is_err());
}

#[test]
fn what_makes_no_sense_is_refused_by_line() {
    let link = "<link name='a'/>\n<link name='b'/>\n";
    let joint = |inside: &str| model("1.9", &format!("{link}<joint name='j' {inside}</joint>"));
    let ends = "<parent>a</parent><child>b</child>";
    for (text, message) in [
        ("<robot/>".to_owned(), "line 1: the root element is `robot`, not `sdf`"),
        ("<sdf version='1.3'/>".to_owned(), "line 1: version `1.3` is not read: expected 1.4 to 1.12"),
        ("<sdf version='1.9'/>".to_owned(), "line 1: there is no model"),
        (model("1.9", "<link/>"), "line 3: a link has no name"),
        (
            model("1.9", "<link name='a'/>\n<link name='a'/>"),
            "line 4: link `a`: its name is taken by the element in line 3",
        ),
        (
            model("1.9", "<link name='arm'><pose relative_to='arn'>0 0 0 0 0 0</pose></link>"),
            "line 3: link `arm`: relative_to `arn` is unknown: perhaps `arm`",
        ),
        (
            model("1.9", "<link name='a'><pose relative_to='a'>0 0 0 0 0 0</pose></link>"),
            "line 3: link `a`: relative_to leads back to itself",
        ),
        (
            model("1.9", "<link name='a'/><frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"),
            "line 3: frame `f`: relative_to leads back to itself",
        ),
        (
            model("1.9", "<link name='a'><pose>0 0 x 0 0 0</pose></link>"),
            "line 3: link `a`: `text` of `pose`: `x` is not a number",
        ),
        (
            model("1.9", "<link name='a'><pose>0 0 0</pose></link>"),
            "line 3: link `a`: `text` of `pose`: 3 numbers instead of 6",
        ),
        (
            model("1.9", "<link name='a'><inertial><mass>-1</mass></inertial></link>"),
            "line 3: link `a`: mass is -1: expected a number that is not negative",
        ),
        (joint("type='fixed'><parent>a</parent>"), "line 5: joint `j`: there is no element `child`"),
        (joint(&format!("type='revolute'>{ends}")), "line 5: joint `j`: there is no element `axis`"),
        (joint(&format!("type='revolute'>{ends}<axis><xyz>0 0 0</xyz></axis>")), "line 5: joint `j`: its axis is zero"),
        (joint("type='fixed'><parent>a</parent><child>c</child>"), "line 5: joint `j`: child `c` is unknown"),
        (
            joint("type='ball'><parent>a</parent><child>world</child>"),
            "line 5: joint `j`: its child is the world: exchange parent and child",
        ),
        (
            joint("type='fixed'><parent>a</parent><child>a</child>"),
            "line 5: joint `j`: parent and child: the joint leads back to itself",
        ),
        (
            model(
                "1.9",
                &format!(
                    "{link}<joint name='i' type='ball'><parent>a</parent><child>b</child></joint>\n<joint name='j' type='ball'><parent>b</parent><child>a</child></joint>"
                ),
            ),
            "line 5: joint `i`: the chain of its parents leads back to itself",
        ),
    ] {
        let found = refused(&text);
        assert!(found.starts_with(message), "expected {message}\n   found {found}");
        assert!(!found.contains('\n'));
    }
    let unknown = refused(&joint(&format!("type='hinge'>{ends}")));
    assert!(unknown.starts_with("line 5: joint `j`: type is `hinge`: expected `revolute`"), "{unknown}");
}

/// Chains of 20 000 links, of frames that are relative to one another, and of joints: some tenths of a second, and no stack overflows.
#[test]
fn long_chains_take_linear_time() {
    let mut text = String::from("<sdf version='1.9'><model name='m'><link name='l0'/>");
    for k in 1..20_000 {
        let before = k - 1;
        text += &format!("<link name='l{k}'><pose relative_to='l{before}'>0 0 0.001 0 0 0</pose></link>");
        text += &format!("<joint name='j{k}' type='fixed'><parent>l{before}</parent><child>l{k}</child></joint>");
        text +=
            &format!("<frame name='f{k}' attached_to='{}'/>", if k == 1 { "l0".into() } else { format!("f{before}") });
    }
    text += "</model></sdf>";
    let begin = std::time::Instant::now();
    let loaded = Model::from_sdf_text(&text, &SdfOptions::new().fixed_base(true)).expect("is right");
    assert!((place(&loaded.model, "l19999", &[]).z - 19.999).abs() < 1e-9); // 20 000 roundings
    // A quadratic reader takes minutes; a linear one well below this on any machine.
    assert!(begin.elapsed().as_secs_f64() < 30.0, "{:?}", begin.elapsed());
    let deep = format!("<sdf version='1.9'>{}{}</sdf>", "<model name='m'>".repeat(1000), "</model>".repeat(1000));
    assert!(refused(&deep).contains("levels of elements"));
}

/// The page has the table that the reader has.
#[test]
fn the_page_has_the_table_of_the_reader() {
    let page = include_str!("../../docs/robots.md");
    let (_, after) =
        page.split_once("<!-- sdf: the reader's own table; a test compares them -->\n").expect("its begin");
    let (table, _) = after.split_once("<!-- end of sdf -->").expect("its end");
    let expected = gradyn::model::sdf::table();
    assert_eq!(table, expected, "put this into docs/robots.md:\n{expected}");
}
