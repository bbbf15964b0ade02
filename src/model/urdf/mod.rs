//! Reading robots from URDF, the XML format of ROS.
//!
//! [`Model::from_urdf_file`](crate::model::Model::from_urdf_file) makes a model of a file. Its first step, [`parse`],
//! turns a text into a checked [`Description`]: plain data, every number finite, every name known, the links one tree. A
//! file that does not make sense is refused with an [`UrdfError`] that names the line, the element and the
//! values. What makes sense but is ignored, or dubious, is listed line by line in a [`LoadReport`].
//!
//! What is read: `link` with `inertial`; `joint` with `origin`, `axis`, `limit`, `dynamics` and `mimic`; of `transmission` the
//! inertia of a rotor, which some programs write there, and the reduction, the gear of an actuator. Meshes are never opened. Frames follow the URDF specification: `rpy` are angles about fixed axes, the child's frame at zero
//! position is the joint's frame, and the axes of `inertia` are those of the `inertial` origin.
//!
//! [`rewrite`] is the way back: it writes the parameters of a changed model into the text, and changes nothing else there.

mod assembly;
mod description;
mod error;
mod joint;
mod link;
mod load;
mod mass;
mod mimic;
mod motor;
mod options;
mod placement;
mod rewrite;
mod rotor;
mod size;
mod tree;
mod tree_error;
mod xacro;

pub use crate::model::rewrite::{Change, NotWritten, RewriteError, Rewritten};
pub use crate::model::source::{JointType, LoadReport, MimicForm, Note, NoteKind, Owner, Rank, Severity, Unphysical};
pub use description::{Description, JointElement, Limits, LinkElement, Mimic, MotorElement};
pub use error::UrdfError;
pub use load::Loaded;
pub use options::{ContinuousForm, JointOrder, UrdfOptions};
pub use rewrite::rewrite;
pub use tree_error::TreeError;

use crate::model::source::guard;
use crate::model::source::xml::{self, Reader};
use roxmltree::Node;
use std::collections::HashMap;

/// Name of the joint between a floating base and the world: Pinocchio's name.
pub const ROOT_JOINT: &str = "root_joint";

/// Elements that URDF or a common extension knows and the dynamics does not use.
const KNOWN: [&str; 8] =
    ["visual", "collision", "material", "transmission", "gazebo", "ros2_control", "safety_controller", "calibration"];

/// Whether it is an element of URDF, or of a common extension.
fn is_known(element: &str) -> bool {
    KNOWN.contains(&element)
}

/// Reads a robot from the text of a URDF file.
///
/// ```
/// use gradyn::model::urdf::{UrdfOptions, parse};
/// let text = r#"<robot name="door">
///   <link name="frame"/>
///   <link name="leaf">
///     <inertial> <mass value="20"/> <inertia ixx="7" ixy="0" ixz="0" iyy="6" iyz="0" izz="1"/> </inertial>
///     <visual/>
///   </link>
///   <joint name="hinge" type="revolute">
///     <parent link="frame"/> <child link="leaf"/> <axis xyz="0 0 1"/>
///     <limit lower="0" upper="1.5" effort="10" velocity="1"/>
///   </joint>
/// </robot>"#;
/// let (robot, report) = parse(text, &UrdfOptions::new())?;
/// assert_eq!(robot.joints[0].name, "hinge");
/// assert_eq!(report.to_string(), "no warnings\nnot used: visual (1)");
///
/// let error = parse(&text.replace("0 0 1", "0 0 0"), &UrdfOptions::new()).unwrap_err();
/// assert_eq!(error.to_string(), "line 8: joint `hinge`: axis is zero");
/// # Ok::<(), gradyn::model::urdf::UrdfError>(())
/// ```
///
/// # Errors
/// The first thing that makes no sense; under [`UrdfOptions::strict`], else, the first warning.
pub fn parse(text: &str, options: &UrdfOptions) -> Result<(Description, LoadReport), UrdfError> {
    let checked = guard::check(text)?;
    let document = xml::document(&checked)?;
    let mut reader = Reader::of(&checked).knowing(is_known);
    xacro::look(&mut reader, &document)?;
    let Elements { name, mut links, joints, rotors, motors } = read_robot(&mut reader, document.root_element())?;
    if options.floating_base
        && let Some(joint) = joints.iter().find(|joint| joint.name == ROOT_JOINT)
    {
        return Err(UrdfError::RootJointNameTaken { line: joint.line, joint: joint.name.clone() });
    }
    let (mut joints, root) = tree::assemble(&mut links, joints, options, &mut reader.report)?;
    rotor::mount(rotors, &mut joints, &mut reader)?;
    let motors = motor::mount(motors, &joints, &mut reader);
    rotor::set(options, &mut joints)?;
    let description = Description { name, links, joints, root, motors };

    let mut report = reader.report;
    mass::inspect(&description, options.floating_base, &mut report)?;
    size::inspect(&description, &mut report);
    if options.floating_base {
        let floating = |joint: &&JointElement| joint.parent == root && joint.joint_type == JointType::Floating;
        for joint in description.joints.iter().filter(floating) {
            report.push(joint.line, NoteKind::SecondFloatingBase { joint: joint.name.clone() });
        }
    }
    let link_names: HashMap<_, _> = description.links.iter().enumerate().map(|(i, link)| (&link.name, i)).collect();
    let clashes = |joint: &&JointElement| link_names.get(&joint.name).is_some_and(|link| *link != joint.child);
    for joint in description.joints.iter().filter(clashes) {
        report.push(joint.line, NoteKind::NameOfLink { joint: joint.name.clone() });
    }
    report.sort();
    if options.strict
        && let Some(first) = report.warnings().next()
    {
        return Err(UrdfError::Strict { first: Box::new(first.clone()), count: report.warning_count() });
    }
    Ok((description, report))
}

/// What a `robot` holds, in the order of the file.
struct Elements {
    name: String,
    links: Vec<LinkElement>,
    joints: Vec<joint::RawJoint>,
    rotors: Vec<rotor::Rotor>,
    motors: Vec<motor::Motor>,
}

fn read_robot(reader: &mut Reader, robot: Node) -> Result<Elements, UrdfError> {
    let line = reader.line(robot);
    let found = xml::full_name(robot);
    if found != "robot" {
        return Err(UrdfError::NotARobot { line, found: found.to_owned() });
    }
    let name = reader.name(robot, "robot")?;
    let owner = Owner::Robot(name.clone());
    let _ = reader.attributes(robot, &owner, ["name", "version"])?;

    let (mut links, mut joints, mut rotors, mut motors) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut without_rotor = Vec::new();
    let (mut link_lines, mut joint_lines) = (HashMap::new(), HashMap::new());
    for child in robot.children() {
        match (child.is_element(), xml::full_name(child)) {
            (false, _) => reader.note_text(child, robot, &owner),
            (true, "link") => {
                let link = link::read(reader, child)?;
                if let Some(first_line) = link_lines.insert(link.name.clone(), link.line) {
                    return Err(UrdfError::DuplicateLink { line: link.line, link: link.name, first_line });
                }
                links.push(link);
            }
            (true, "joint") => {
                let joint = joint::read(reader, child)?;
                if let Some(first_line) = joint_lines.insert(joint.name.clone(), joint.line) {
                    return Err(UrdfError::DuplicateJoint { line: joint.line, joint: joint.name, first_line });
                }
                joints.push(joint);
            }
            (true, "transmission") => {
                let (rotor, motor) = (rotor::read(reader, child)?, motor::read(reader, child)?);
                if rotor.is_none() {
                    without_rotor.push((child, motor.is_some()));
                }
                rotors.extend(rotor);
                motors.extend(motor);
            }
            (true, "ros2_control") => {
                for transmission in rotor::named(child, "transmission") {
                    motors.extend(motor::read(reader, transmission)?);
                }
                reader.note_element(child, &owner);
            }
            (true, _) => reader.note_element(child, &owner),
        }
    }
    if links.is_empty() {
        return Err(UrdfError::NoLink { line, robot: name });
    }
    let have_gears = motor::have_gears(&motors);
    for (transmission, is_motor) in without_rotor {
        if !(is_motor && have_gears) {
            reader.note_element(transmission, &owner);
        }
    }
    Ok(Elements { name, links, joints, rotors, motors })
}
