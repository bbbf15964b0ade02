//! Files that files name: includes, models, meshes.

use super::assert_near;
use gradyn::Model;
use gradyn::model::mjcf::{Files, Loaded, MjcfError, MjcfOptions};

/// Reads the first of these files.
fn read(files: &'static [(&'static str, &'static str)]) -> Result<Loaded, MjcfError> {
    let find = move |path: &str| {
        let file = files.iter().find(|(name, _)| *name == path);
        file.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "there is no such file".to_owned())
    };
    Model::from_mjcf_text(files[0].1, &MjcfOptions::new().files(Files::new(find)))
}

/// An included file stands in the place of `include`; one within it is found beside the model or beside it.
#[test]
fn included_files_stand_where_they_are_included() {
    let loaded = read(&[
        ("a.xml", "<mujoco><include file='parts/b.xml'/><worldbody><body><include file='./body.xml'/></body></worldbody></mujoco>"),
        ("parts/b.xml", "<mujoco><compiler angle='radian'/><include file='c.xml'/></mujoco>"),
        ("parts/c.xml", "<mujoco><default>\n<joint damping='2' wrong='1'/></default></mujoco>"),
        ("body.xml", "<part><joint name='j' range='-1 1'/><geom size='0.1'/></part>"),
    ])
    .expect("reads");
    let joint = &loaded.description.joints[0];
    assert_eq!((joint.damping, joint.range), (2.0, Some([-1.0, 1.0])));
    let notes: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
    assert_eq!(notes, ["`parts/c.xml`, line 2: joint: unknown attribute `wrong` of `joint` is ignored"]);
}

/// What is said after all files are read has the file of its line, too.
#[test]
fn notes_of_joints_name_their_file() {
    let body = "<worldbody><body><geom size='1'/>\n<joint name='j' frictionloss='1'/></body></worldbody>";
    let part: &'static str = Box::leak(format!("<part>{body}</part>").into_boxed_str());
    let files = Box::leak(Box::new([("a.xml", "<mujoco><include file='b.xml'/></mujoco>"), ("b.xml", part)]));
    let notes: Vec<_> = read(files).expect("reads").report.warnings().map(ToString::to_string).collect();
    assert!(notes.len() == 1 && notes[0].starts_with("`b.xml`, line 2: joint `j`: `frictionloss` of"), "{notes:?}");
}

/// A file may be included once: no circle, and no second time.
#[test]
fn circles_of_includes_are_refused() {
    let twice =
        read(&[("a.xml", "<mujoco><include file='b.xml'/>\n<include file='b.xml'/></mujoco>"), ("b.xml", "<x/>")]);
    assert_eq!(
        twice.unwrap_err().to_string(),
        "line 2: `include` of `b.xml`: it is included already: a file may be included once"
    );
    let circle =
        read(&[("a.xml", "<mujoco><include file='b.xml'/></mujoco>"), ("b.xml", "<x>\n<include file='b.xml'/></x>")]);
    assert_eq!(
        circle.unwrap_err().to_string(),
        "`b.xml`, line 2: `include` of `b.xml`: it is included already: a file may be included once"
    );
    let missing = read(&[("a.xml", "<mujoco><include file='b.xml'/></mujoco>")]);
    assert_eq!(missing.unwrap_err().to_string(), "line 1: `include` of `b.xml`: cannot be read: there is no such file");
}

/// An attached model keeps its own compiler and classes; its names get the prefix.
#[test]
fn attached_models_keep_their_settings() {
    let loaded = read(&[
        (
            "a.xml",
            "<mujoco><asset><model name='arm' file='arm.xml'/></asset><worldbody><frame pos='0 0 1'>\
             <attach model='arm' body='link' prefix='left_'/></frame>\
             <frame pos='0 0 2'><attach model='arm' body='link' prefix='right_'/></frame></worldbody></mujoco>",
        ),
        (
            "arm.xml",
            "<mujoco><compiler angle='radian'/><default><joint damping='3'/></default>\
             <worldbody><body name='link'><joint name='j' range='-1 1'/><geom size='0.1'/></body></worldbody>\
             <actuator><motor name='m' joint='j'/></actuator></mujoco>",
        ),
    ])
    .expect("reads");
    let joints = &loaded.description.joints;
    assert_eq!((joints[0].name.as_str(), joints[1].name.as_str()), ("left_j", "right_j"));
    assert_eq!((joints[1].damping, joints[1].range), (3.0, Some([-1.0, 1.0])));
    assert_near(loaded.description.bodies[1].pose.translation.as_slice(), &[0.0, 0.0, 2.0]);
    let motors: Vec<_> = loaded.description.actuators.iter().map(|motor| motor.name.as_deref().unwrap_or("")).collect();
    assert_eq!(motors, ["left_m", "right_m"]);
    let circle = read(&[
        ("a.xml", "<mujoco><asset><model name='b' file='b.xml'/></asset></mujoco>"),
        ("b.xml", "<mujoco><asset><model name='b' file='b.xml'/></asset></mujoco>"),
    ]);
    assert_eq!(circle.unwrap_err().to_string(), "`b.xml`, line 1: `model` of `b.xml`: it attaches itself");
}

/// A mesh is read where the mass of a moving body is its, and only there.
#[test]
fn meshes_are_read_where_their_mass_is_needed() {
    const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let loaded = read(&[
        (
            "a.xml",
            "<mujoco><compiler meshdir='m'/><asset><mesh name='t' file='t.obj' scale='2 2 2' inertia='exact'/><mesh name='no' file='no.stl'/></asset>\
             <worldbody><geom type='mesh' mesh='no'/><body name='wall'><geom type='mesh' mesh='no'/></body>\
             <body name='b'><joint/><geom type='mesh' mesh='t' density='3'/></body>\
             <body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='no'/></body></worldbody></mujoco>",
        ),
        ("m/t.obj", TETRAHEDRON),
    ])
    .expect("reads");
    let y = loaded.model.bodies()[0].inertia();
    // Volume 8/6 m³, its center at a quarter of each edge.
    assert_near(&[y.mass, y.com.x, y.com.y, y.com.z], &[4.0, 0.5, 0.5, 0.5]);
    // m a² 3/80 + 3/80 for edges a along the axes.
    assert_near(&[y.rotational.xx, y.rotational.xy], &[4.0 * 4.0 * 3.0 / 40.0, 4.0 * 4.0 / 80.0]);
    assert_eq!(loaded.report.warning_count(), 1, "{}", loaded.report); // of the wall
    let moving = read(&[(
        "a.xml",
        "<mujoco><asset><mesh name='no' file='no.stl'/></asset><worldbody><body><joint/>\n<geom type='mesh' mesh='no'/></body></worldbody></mujoco>",
    )]);
    assert_eq!(moving.unwrap_err().to_string(), "line 1: `mesh` of `no.stl`: cannot be read: there is no such file");
}
