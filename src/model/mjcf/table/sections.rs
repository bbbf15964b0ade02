//! Sections beside the tree of bodies.

use super::Kind::{List, Numbers, Text, UpTo, Word};
use super::actuators;
use super::bodies::{GEOM, JOINT, SITE};
use super::{AUTO, AttributeSpec, ElementSpec, FLAG, Use, dubious, missing, read, unread};
use crate::model::source::Rank;

const NAME: [AttributeSpec; 1] = [read("name", Text, "")];
const CLASS: [AttributeSpec; 1] = [read("class", Text, "")];

/// A section that is read.
const fn section(
    name: &'static str,
    attributes: &'static [&'static [AttributeSpec]],
    ignored: &'static [&'static str],
    children: &'static [&'static ElementSpec],
) -> ElementSpec {
    ElementSpec { name, defaults: "", used: Use::Read, attributes, ignored, children }
}

pub(super) static COMPILER: ElementSpec = section(
    "compiler",
    &[&[
        read("angle", Word(&["radian", "degree"]), "degree"),
        read("autolimits", FLAG, "true"),
        read("eulerseq", Text, "xyz"),
        read("inertiafromgeom", AUTO, "auto"),
        read("inertiagrouprange", Numbers(2), "0 5"),
        read("boundmass", Numbers(1), "0"),
        read("boundinertia", Numbers(1), "0"),
        read("balanceinertia", FLAG, "false"),
        read("settotalmass", Numbers(1), "-1"),
        read("coordinate", Word(&["local", "global"]), "local"),
        read("alignfree", FLAG, "false"),
        read("meshdir", Text, ""),
        read("assetdir", Text, ""),
        read("strippath", FLAG, "false"),
        read("fitaabb", FLAG, "false"),
    ]],
    &[
        "texturedir",
        "discardvisual",
        "usethread",
        "fusestatic",
        "saveinertial",
        "savecompiled",
        "savecanonical",
        "conflict",
        "passthrough",
        "convexhull",
        "exactmeshinertia",
    ],
    &[&LENGTHRANGE],
);
static LENGTHRANGE: ElementSpec = unread("lengthrange", Rank::NotDynamics, "");

/// Why nothing swims.
const NO_FLUID: &str = "forces of a fluid are left out";

pub(super) static OPTION: ElementSpec = section(
    "option",
    &[&[
        read("gravity", Numbers(3), "0 0 -9.81"),
        read("timestep", Numbers(1), "0.002"),
        missing("density", Numbers(1), "0", NO_FLUID),
        missing("viscosity", Numbers(1), "0", NO_FLUID),
    ]],
    &[
        "wind",
        "magnetic",
        "impratio",
        "integrator",
        "cone",
        "jacobian",
        "solver",
        "iterations",
        "tolerance",
        "ls_iterations",
        "ls_tolerance",
        "noslip_iterations",
        "noslip_tolerance",
        "ccd_iterations",
        "ccd_tolerance",
        "mpr_iterations",
        "mpr_tolerance",
        "sdf_iterations",
        "sdf_initpoints",
        "sleep_tolerance",
        "o_margin",
        "o_solref",
        "o_solimp",
        "o_friction",
        "actuatorgroupdisable",
        "collision",
        "apirate",
    ],
    &[&OPTION_FLAG],
);
const SWITCH: super::Kind = Word(&["enable", "disable"]);
static OPTION_FLAG: ElementSpec = section(
    "flag",
    &[&[
        read("gravity", SWITCH, "enable"),
        read("spring", SWITCH, "enable"),
        read("damper", SWITCH, "enable"),
        read("passive", SWITCH, "enable"),
        read("frictionloss", SWITCH, "enable"),
    ]],
    &[
        "constraint",
        "equality",
        "limit",
        "contact",
        "clampctrl",
        "warmstart",
        "filterparent",
        "actuation",
        "refsafe",
        "sensor",
        "midphase",
        "eulerdamp",
        "override",
        "energy",
        "fwdinv",
        "invdiscrete",
        "multiccd",
        "nativeccd",
        "island",
        "autoreset",
        "sensornoise",
        "sleep",
        "speculative",
        "ipc",
        "diagexact",
    ],
    &[],
);

pub(super) static SIZE: ElementSpec = unread("size", Rank::NotDynamics, "");
pub(super) static VISUAL: ElementSpec = unread("visual", Rank::NotDynamics, "");
pub(super) static STATISTIC: ElementSpec = unread("statistic", Rank::NotDynamics, "");
pub(super) static CUSTOM: ElementSpec = unread("custom", Rank::NotDynamics, "");
pub(super) static SENSOR: ElementSpec = unread("sensor", Rank::NotDynamics, "");
pub(super) static EXTENSION: ElementSpec = unread("extension", Rank::Dubious, "plugins are not run");
pub(super) static DEFORMABLE: ElementSpec =
    unread("deformable", Rank::ChangesDynamics, "soft bodies, and their forces, are left out");
pub(super) static CONTACT: ElementSpec = section("contact", &[], &[], &[&PAIR, &EXCLUDE]);
static PAIR: ElementSpec = unread("pair", Rank::NotDynamics, "");
static EXCLUDE: ElementSpec = unread("exclude", Rank::NotDynamics, "");

/// Classes hold attributes of other elements, and classes.
pub(super) static DEFAULT: ElementSpec = section("default", &[&CLASS], &[], &DEFAULT_CHILDREN);
static DEFAULT_CHILDREN: [&ElementSpec; 25] = [
    &DEFAULT,
    &JOINT,
    &GEOM,
    &SITE,
    &MESH,
    &EQUALITY_DEFAULT,
    &TENDON_DEFAULT,
    &PICTURE[0],
    &PICTURE[1],
    &PICTURE[2],
    &PICTURE[3],
    &PICTURE[4],
    actuators::KINDS[0],
    actuators::KINDS[1],
    actuators::KINDS[2],
    actuators::KINDS[3],
    actuators::KINDS[4],
    actuators::KINDS[5],
    actuators::KINDS[6],
    actuators::KINDS[7],
    actuators::KINDS[8],
    actuators::KINDS[9],
    actuators::KINDS[10],
    actuators::KINDS[11],
    actuators::KINDS[12],
];
static PICTURE: [ElementSpec; 5] = [
    unread("texture", Rank::NotDynamics, ""),
    unread("material", Rank::NotDynamics, ""),
    unread("camera", Rank::NotDynamics, ""),
    unread("light", Rank::NotDynamics, ""),
    unread("pair", Rank::NotDynamics, ""),
];

pub(super) static ASSET: ElementSpec = section("asset", &[], &[], &ASSETS);
static ASSETS: [&ElementSpec; 6] = [&MESH, &HFIELD, &SKIN, &PICTURE[0], &PICTURE[1], &MODEL];
static HFIELD: ElementSpec = unread("hfield", Rank::NotDynamics, "");
static SKIN: ElementSpec = unread("skin", Rank::NotDynamics, "");
static MODEL: ElementSpec = section("model", &[&NAME, &MODEL_FILE], &[], &[]);
const MODEL_FILE: [AttributeSpec; 2] = [read("file", Text, ""), read("content_type", Text, "")];
static MESH: ElementSpec = ElementSpec {
    name: "mesh",
    defaults: "mesh",
    used: Use::Read,
    attributes: &[
        &NAME,
        &CLASS,
        &[
            read("file", Text, ""),
            read("content_type", Text, ""),
            read("vertex", List, ""),
            read("face", List, ""),
            read("refpos", Numbers(3), "0 0 0"),
            read("refquat", Numbers(4), "1 0 0 0"),
            read("scale", Numbers(3), "1 1 1"),
            read("inertia", Word(&["convex", "exact", "legacy", "shell"]), "legacy"),
            read("builtin", Text, "none"),
        ],
    ],
    ignored: &["normal", "texcoord", "smoothnormal", "maxhullvert", "material", "params", "octree_maxdepth"],
    children: &[&MESH_PLUGIN],
};
static MESH_PLUGIN: ElementSpec = unread("plugin", Rank::Dubious, "shapes of plugins are not known");

/// What every equality has.
const EQUALITY_COMMON: [AttributeSpec; 3] =
    [read("name", Text, ""), read("class", Text, ""), read("active", FLAG, "true")];
const EQUALITY_IGNORED: &[&str] = &["solref", "solimp"];
const TWO_PLACES: [AttributeSpec; 5] = [
    read("body1", Text, ""),
    read("body2", Text, ""),
    read("site1", Text, ""),
    read("site2", Text, ""),
    read("anchor", Numbers(3), ""),
];
const fn equality(name: &'static str, attributes: &'static [&'static [AttributeSpec]]) -> ElementSpec {
    ElementSpec { name, defaults: "equality", used: Use::Read, attributes, ignored: EQUALITY_IGNORED, children: &[] }
}
static EQUALITY_DEFAULT: ElementSpec = equality("equality", &[&EQUALITY_COMMON]);
static CONNECT: ElementSpec = equality("connect", &[&EQUALITY_COMMON, &TWO_PLACES]);
const RELPOSE: [AttributeSpec; 1] = [read("relpose", Numbers(7), "0 0 0 0 0 0 0")];
static WELD: ElementSpec = ElementSpec {
    ignored: &["solref", "solimp", "torquescale"],
    ..equality("weld", &[&EQUALITY_COMMON, &TWO_PLACES, &RELPOSE])
};
static JOINT_EQUALITY: ElementSpec = equality("joint", &[&EQUALITY_COMMON, &JOINT_EQUALITY_OWN]);
const JOINT_EQUALITY_OWN: [AttributeSpec; 3] =
    [read("joint1", Text, ""), read("joint2", Text, ""), read("polycoef", UpTo(5), "0 1 0 0 0")];
static OTHER_EQUALITIES: [ElementSpec; 4] = [
    unread("tendon", Rank::ChangesDynamics, "tendons do not hold anything"),
    unread("flex", Rank::ChangesDynamics, "soft bodies are left out"),
    unread("flexvert", Rank::ChangesDynamics, "soft bodies are left out"),
    unread("flexstrain", Rank::ChangesDynamics, "soft bodies are left out"),
];
pub(super) static EQUALITY: ElementSpec = section("equality", &[], &[], &EQUALITIES);
static EQUALITIES: [&ElementSpec; 7] = [
    &CONNECT,
    &WELD,
    &JOINT_EQUALITY,
    &OTHER_EQUALITIES[0],
    &OTHER_EQUALITIES[1],
    &OTHER_EQUALITIES[2],
    &OTHER_EQUALITIES[3],
];

/// What a tendon does that moves bodies.
const TENDON_FORCES: [AttributeSpec; 6] = [
    missing("stiffness", UpTo(3), "0 0 0", "springs along tendons are left out"),
    missing("damping", UpTo(3), "0 0 0", "damping along tendons is left out"),
    missing("frictionloss", Numbers(1), "0", "friction along tendons is left out"),
    missing("armature", Numbers(1), "0", "inertia along tendons is left out"),
    dubious("limited", AUTO, "auto", "limits of tendons are left out"),
    dubious("range", Numbers(2), "0 0", "limits of tendons are left out"),
];
const TENDON_IGNORED: &[&str] = &[
    "group",
    "margin",
    "material",
    "rgba",
    "solreffriction",
    "solimpfriction",
    "solreflimit",
    "solimplimit",
    "springlength",
    "springyield",
    "user",
    "width",
    "actuatorfrcrange",
    "actuatorfrclimited",
];
const TENDON_OWN: [AttributeSpec; 2] = [read("name", Text, ""), read("class", Text, "")];
const fn tendon(name: &'static str, children: &'static [&'static ElementSpec]) -> ElementSpec {
    ElementSpec {
        name,
        defaults: "tendon",
        used: Use::Read,
        attributes: &[&TENDON_OWN, &TENDON_FORCES],
        ignored: TENDON_IGNORED,
        children,
    }
}
static TENDON_DEFAULT: ElementSpec = tendon("tendon", &[]);
static SPATIAL: ElementSpec = tendon("spatial", &SPATIAL_PARTS);
static FIXED: ElementSpec = tendon("fixed", &FIXED_PARTS);
static SPATIAL_PARTS: [&ElementSpec; 3] = [&TENDON_PARTS[0], &TENDON_PARTS[1], &TENDON_PARTS[2]];
static FIXED_PARTS: [&ElementSpec; 1] = [&FIXED_JOINT];
static FIXED_JOINT: ElementSpec =
    section("joint", &[&[read("joint", Text, ""), read("coef", Numbers(1), "")]], &[], &[]);
static TENDON_PARTS: [ElementSpec; 3] = [
    unread("site", Rank::NotDynamics, ""),
    unread("geom", Rank::NotDynamics, ""),
    unread("pulley", Rank::NotDynamics, ""),
];
pub(super) static TENDON: ElementSpec = section("tendon", &[], &[], &[&SPATIAL, &FIXED]);

pub(super) static KEYFRAME: ElementSpec = section("keyframe", &[], &[], &[&KEY]);
static KEY: ElementSpec = section(
    "key",
    &[&NAME, &[read("qpos", List, ""), read("qvel", List, "")]],
    &["time", "act", "ctrl", "mpos", "mquat", "plastic"],
    &[],
);
