//! What drives the joints.

use super::Kind::{Numbers, Text, UpTo, Word};
use super::{AUTO, AttributeSpec, ElementSpec, Kind, Use, missing, read};
use crate::model::source::Rank;

/// What all of them have.
const COMMON: [AttributeSpec; 16] = [
    read("name", Text, ""),
    read("class", Text, ""),
    read("joint", Text, ""),
    read("jointinparent", Text, ""),
    read("site", Text, ""),
    read("refsite", Text, ""),
    read("tendon", Text, ""),
    read("body", Text, ""),
    read("cranksite", Text, ""),
    read("gear", UpTo(6), "1 0 0 0 0 0"),
    read("ctrlrange", Numbers(2), "0 0"),
    read("ctrllimited", AUTO, "auto"),
    read("forcerange", Numbers(2), "0 0"),
    read("forcelimited", AUTO, "auto"),
    read("armature", Numbers(1), "0"),
    read("damping", UpTo(3), "0 0 0"),
];
/// What is not dynamics of the robot: how controls become forces in time, and names of more places.
const IGNORED: &[&str] = &[
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "inheritrange",
    "group",
    "user",
    "nsample",
    "interp",
    "delay",
    "lengthrange",
    "slidersite",
    "cranklength",
    "actlimited",
    "actrange",
    "actdim",
    "actearly",
    "velrange",
    "ffrange",
    "posrange",
    "input",
    "imax",
    "slewmax",
    "plugin",
    "instance",
    "thermal",
    "inductance",
    "saturation",
    "controller",
    "nominal",
    "ki",
    "bias",
    "area",
    "diameter",
    "force",
    "scale",
    "lmin",
    "lmax",
    "vmax",
    "fpmax",
    "fvmax",
    "tausmooth",
    "range",
    "gain",
    "dynprm",
];
const KP: [AttributeSpec; 4] = [
    read("kp", Numbers(1), "1"),
    read("dampratio", Numbers(1), "0"),
    read("timeconst", Numbers(1), "0"),
    read("inheritrange", Numbers(1), "0"),
];
const KV: [AttributeSpec; 1] = [read("kv", Numbers(1), "0")];
/// Gain and bias of an actuator in general.
const GENERAL_LAW: [AttributeSpec; 5] = [
    read("dyntype", Word(&["none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor", "pid"]), "none"),
    read("gaintype", Word(&["fixed", "affine", "muscle", "user", "dcmotor", "so3"]), "fixed"),
    read("biastype", Word(&["none", "affine", "muscle", "user", "dcmotor", "so3"]), "none"),
    read("gainprm", Kind::List, "1 0 0"),
    read("biasprm", Kind::List, "0 0 0"),
];

/// One that is read.
const fn actuator(name: &'static str, attributes: &'static [&'static [AttributeSpec]]) -> ElementSpec {
    ElementSpec { name, defaults: "actuator", used: Use::Read, attributes, ignored: IGNORED, children: &[] }
}

/// One whose law is not a straight line in position, velocity and control: its place is read, its force is not.
const fn other(name: &'static str) -> ElementSpec {
    actuator(name, &[&COMMON])
}

static GENERAL: ElementSpec = actuator("general", &[&COMMON, &GENERAL_LAW]);
static MOTOR: ElementSpec = actuator("motor", &[&COMMON]);
static POSITION: ElementSpec = actuator("position", &[&COMMON, &KP, &KV]);
static VELOCITY: ElementSpec = actuator("velocity", &[&COMMON, &[read("kv", Numbers(1), "1")]]);
static INTVELOCITY: ElementSpec = other("intvelocity");
static ORIENTATION: ElementSpec = other("orientation");
static PID: ElementSpec = other("pid");
static DAMPER: ElementSpec = other("damper");
static CYLINDER: ElementSpec = other("cylinder");
static MUSCLE: ElementSpec = other("muscle");
static ADHESION: ElementSpec = other("adhesion");
static DCMOTOR: ElementSpec = actuator(
    "dcmotor",
    &[
        &COMMON,
        &[
            read("motorconst", UpTo(2), "0 0"),
            read("resistance", Numbers(1), "0"),
            read("nominal", UpTo(3), "0 0 0"),
            read("saturation", UpTo(3), "0 0 0"),
            missing("cogging", UpTo(3), "0 0 0", "what a motor does to its joint is left out"),
            missing("lugre", UpTo(5), "0 0 0 0 0", "what a motor does to its joint is left out"),
        ],
    ],
);
static PLUGIN: ElementSpec = ElementSpec { children: &[&CONFIG], ..other("plugin") };
static CONFIG: ElementSpec = super::unread("config", Rank::NotDynamics, "");

/// Every kind, as defaults may hold them.
pub(super) const KINDS: &[&ElementSpec] = &[
    &GENERAL,
    &MOTOR,
    &POSITION,
    &VELOCITY,
    &INTVELOCITY,
    &ORIENTATION,
    &PID,
    &DAMPER,
    &CYLINDER,
    &MUSCLE,
    &ADHESION,
    &DCMOTOR,
    &PLUGIN,
];

pub(super) static ACTUATOR: ElementSpec =
    ElementSpec { name: "actuator", defaults: "", used: Use::Read, attributes: &[], ignored: &[], children: KINDS };
