//! What SDF has: elements, their values and defaults, and whether they touch the dynamics.
//!
//! The reader takes defaults from here, the report what is not used, and `docs/robots.md` its table.

use crate::model::source::Rank;
use std::fmt::Write;

/// An element.
#[derive(Debug)]
pub(super) struct Spec {
    /// Its name.
    pub(super) name: &'static str,
    /// What it holds as text.
    pub(super) value: Value,
    /// Its value where the file has none; empty for none.
    pub(super) default: &'static str,
    /// Whether it is read.
    pub(super) used: Use,
    /// Attributes that are read.
    pub(super) attributes: &'static [&'static str],
    /// Attributes that are not dynamics.
    pub(super) ignored: &'static [&'static str],
    /// What it may hold.
    pub(super) children: &'static [&'static Spec],
}

/// What an element holds as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Other elements alone.
    None,
    /// A name or a path.
    Text,
    /// `true`, `false`, `1` or `0`.
    Flag,
    /// So many numbers.
    Numbers(usize),
    /// Six numbers, or seven with a quaternion.
    Pose,
}

/// Whether something is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It is.
    Read,
    /// It is not: what that means where it has another value than its default, and what is said about it.
    Not(Rank, &'static str),
}

impl Spec {
    /// What it may hold of this name.
    pub(super) fn child(&self, name: &str) -> Option<&'static Self> {
        self.children.iter().copied().find(|spec| spec.name == name)
    }
}

const NOT_DYNAMICS: Use = Use::Not(Rank::NotDynamics, "it is not dynamics");

/// An element that is read for its text.
const fn value(name: &'static str, value: Value, default: &'static str) -> Spec {
    Spec { name, value, default, used: Use::Read, attributes: &[], ignored: &[], children: &[] }
}

/// An element that is read for what it holds.
const fn group(name: &'static str, attributes: &'static [&'static str], children: &'static [&'static Spec]) -> Spec {
    Spec { name, value: Value::None, default: "", used: Use::Read, attributes, ignored: &[], children }
}

/// One that is not dynamics.
const fn no_dynamics(name: &'static str) -> Spec {
    Spec { used: NOT_DYNAMICS, ..value(name, Value::None, "") }
}

/// One that is not read, where the model differs by it.
const fn missing(name: &'static str, of: Value, default: &'static str, why: &'static str) -> Spec {
    Spec { used: Use::Not(Rank::ChangesDynamics, why), ..value(name, of, default) }
}

/// One that is not read, where that is probably no matter.
const fn dubious(name: &'static str, of: Value, default: &'static str, why: &'static str) -> Spec {
    Spec { used: Use::Not(Rank::Dubious, why), ..value(name, of, default) }
}

const ONE: Value = Value::Numbers(1);
const THREE: Value = Value::Numbers(3);

const POSE: Spec = Spec {
    attributes: &["relative_to", "frame", "rotation_format", "degrees"],
    ..value("pose", Value::Pose, "0 0 0 0 0 0")
};

const INERTIA: Spec = group(
    "inertia",
    &[],
    &[
        &value("ixx", ONE, "1"),
        &value("ixy", ONE, "0"),
        &value("ixz", ONE, "0"),
        &value("iyy", ONE, "1"),
        &value("iyz", ONE, "0"),
        &value("izz", ONE, "1"),
    ],
);

const INERTIAL: Spec = group(
    "inertial",
    &["auto"],
    &[
        &POSE,
        &value("mass", ONE, "1"),
        &INERTIA,
        &missing("fluid_added_mass", Value::None, "", "the added mass of a fluid is left out"),
        &no_dynamics("density"),
        &no_dynamics("auto_inertia_params"),
    ],
);

const LINK: Spec = group(
    "link",
    &["name"],
    &[
        &POSE,
        &INERTIAL,
        &missing("gravity", Value::Flag, "true", "gravity acts on this link too"),
        &missing("enable_wind", Value::Flag, "false", "wind is left out"),
        &missing("kinematic", Value::Flag, "false", "the link moves as its dynamics say"),
        &missing("velocity_decay", Value::None, "", "the decay of its velocity is left out"),
        &no_dynamics("self_collide"),
        &no_dynamics("must_be_base_link"),
        &no_dynamics("collision"),
        &no_dynamics("visual"),
        &no_dynamics("sensor"),
        &no_dynamics("projector"),
        &no_dynamics("audio_sink"),
        &no_dynamics("audio_source"),
        &no_dynamics("battery"),
        &no_dynamics("light"),
        &no_dynamics("particle_emitter"),
    ],
);

const MIMIC: Spec = group(
    "mimic",
    &["joint", "axis"],
    &[&value("multiplier", ONE, "1"), &value("offset", ONE, "0"), &value("reference", ONE, "0")],
);

const LIMIT: Spec = group(
    "limit",
    &[],
    &[
        &value("lower", ONE, "-1e16"),
        &value("upper", ONE, "1e16"),
        &value("effort", ONE, "-1"),
        &value("velocity", ONE, "-1"),
        &dubious("stiffness", ONE, "1e8", "limits are bounds, without a stiffness of their own"),
        &dubious("dissipation", ONE, "1", "limits are bounds, without a damping of their own"),
    ],
);

const DYNAMICS: Spec = group(
    "dynamics",
    &[],
    &[
        &value("damping", ONE, "0"),
        &value("friction", ONE, "0"),
        &value("spring_reference", ONE, "0"),
        &value("spring_stiffness", ONE, "0"),
    ],
);

const XYZ: Spec = Spec { attributes: &["expressed_in"], ..value("xyz", THREE, "0 0 1") };
const AXIS_PARTS: &[&Spec] = &[
    &XYZ,
    &value("use_parent_model_frame", Value::Flag, "false"),
    &LIMIT,
    &DYNAMICS,
    &MIMIC,
    &dubious("initial_position", ONE, "0", "positions are given with each call"),
];

const AXIS: Spec = group("axis", &[], AXIS_PARTS);
const AXIS2: Spec = group("axis2", &[], AXIS_PARTS);

const JOINT: Spec = group(
    "joint",
    &["name", "type"],
    &[
        &value("parent", Value::Text, ""),
        &value("child", Value::Text, ""),
        &POSE,
        &AXIS,
        &AXIS2,
        // Rad/m, positive for a left-handed thread; m a turn, positive for a right-handed one.
        &value("thread_pitch", ONE, "1"),
        &value("screw_thread_pitch", ONE, "1"),
        &no_dynamics("gearbox_ratio"),
        &no_dynamics("gearbox_reference_body"),
        &no_dynamics("physics"),
        &no_dynamics("sensor"),
    ],
);

const FRAME: Spec = group("frame", &["name", "attached_to"], &[&POSE]);

const INCLUDE: Spec = Spec {
    ignored: &[],
    ..group(
        "include",
        &["merge"],
        &[
            &value("uri", Value::Text, ""),
            &value("name", Value::Text, ""),
            &POSE,
            &value("placement_frame", Value::Text, ""),
            &value("static", Value::Flag, "false"),
            &no_dynamics("plugin"),
        ],
    )
};

/// A model, which may hold models.
pub(super) static MODEL: Spec = group(
    "model",
    &["name", "canonical_link", "placement_frame"],
    &[
        &POSE,
        &value("static", Value::Flag, "false"),
        &LINK,
        &JOINT,
        &FRAME,
        &INCLUDE,
        &NESTED,
        &missing("gripper", Value::None, "", "the gripper's own joints are left out"),
        &missing("enable_wind", Value::Flag, "false", "wind is left out"),
        &no_dynamics("self_collide"),
        &no_dynamics("allow_auto_disable"),
        &no_dynamics("plugin"),
    ],
);
/// What stands where a model may hold models: [`MODEL`] again.
const NESTED: Spec = group("model", &["name", "canonical_link", "placement_frame"], &[]);

const WORLD: Spec = group(
    "world",
    &["name"],
    &[
        &value("gravity", THREE, "0 0 -9.8"),
        &MODEL_OF_WORLD,
        &INCLUDE,
        &FRAME,
        &JOINT,
        &missing("wind", Value::None, "", "wind is left out"),
        &missing("atmosphere", Value::None, "", "the atmosphere is left out"),
        &no_dynamics("audio"),
        &no_dynamics("light"),
        &no_dynamics("scene"),
        &no_dynamics("physics"),
        &no_dynamics("magnetic_field"),
        &no_dynamics("actor"),
        &no_dynamics("road"),
        &no_dynamics("spherical_coordinates"),
        &no_dynamics("state"),
        &no_dynamics("population"),
        &no_dynamics("gui"),
        &no_dynamics("plugin"),
    ],
);
const MODEL_OF_WORLD: Spec = NESTED;

/// The root.
pub(super) static SDF: Spec =
    group("sdf", &["version"], &[&WORLD, &NESTED, &no_dynamics("light"), &no_dynamics("actor")]);

/// The table for documentation, in Markdown.
pub(in crate::model) fn markdown() -> String {
    let mut text = String::from("| element | holds | default | in the model |\n|---|---|---|---|\n");
    for spec in
        [&SDF, &WORLD, &INCLUDE, &MODEL, &FRAME, &LINK, &INERTIAL, &INERTIA, &JOINT, &AXIS, &LIMIT, &DYNAMICS, &MIMIC]
    {
        let attributes = spec.attributes.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        _ = writeln!(text, "| **{}** | {attributes} | | |", spec.name);
        let leaf = |child: &&&'static Spec| child.children.is_empty() && child.name != "model";
        for child in spec.children.iter().filter(leaf) {
            let held = match child.value {
                Value::None => String::new(),
                Value::Text => String::from("text"),
                Value::Flag => String::from("flag"),
                Value::Numbers(1) => String::from("number"),
                Value::Numbers(n) => format!("{n} numbers"),
                Value::Pose => String::from("pose"),
            };
            let used = match child.used {
                Use::Read => String::from("read"),
                Use::Not(Rank::NotDynamics, _) => String::from("not dynamics"),
                Use::Not(rank, why) => format!("{rank}: {why}"),
            };
            _ = writeln!(text, "| &nbsp;&nbsp;{} | {held} | {} | {used} |", child.name, child.default);
        }
    }
    text
}
