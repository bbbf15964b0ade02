//! The tree of bodies.

use super::Kind::{Numbers, Text, UpTo, Word};
use super::{AUTO, AttributeSpec, ElementSpec, FLAG, Use, dubious, missing, read, unread};
use crate::model::source::Rank;

/// Where a frame stands.
const POSITION: [AttributeSpec; 1] = [read("pos", Numbers(3), "0 0 0")];
/// How it is turned: at most one of these.
pub(super) const ORIENTATION: [AttributeSpec; 5] = [
    read("quat", Numbers(4), "1 0 0 0"),
    read("axisangle", Numbers(4), ""),
    read("xyaxes", Numbers(6), ""),
    read("zaxis", Numbers(3), ""),
    read("euler", Numbers(3), ""),
];
const NAME: [AttributeSpec; 1] = [read("name", Text, "")];
const CLASS: [AttributeSpec; 1] = [read("class", Text, "")];
const CHILDCLASS: [AttributeSpec; 1] = [read("childclass", Text, "")];

/// What bodies, frames and replicas hold.
static TREE: [&ElementSpec; 14] = [
    &BODY, &INERTIAL, &JOINT, &FREEJOINT, &GEOM, &SITE, &FRAME, &REPLICATE, &ATTACH, &CAMERA, &LIGHT, &COMPOSITE,
    &FLEXCOMP, &PLUGIN,
];

pub(super) static WORLDBODY: ElementSpec =
    ElementSpec { name: "worldbody", defaults: "", used: Use::Read, attributes: &[], ignored: &[], children: &TREE };

static BODY: ElementSpec = ElementSpec {
    name: "body",
    defaults: "",
    used: Use::Read,
    attributes: &[
        &NAME,
        &POSITION,
        &ORIENTATION,
        &CHILDCLASS,
        &[
            dubious("mocap", FLAG, "false", "the body stands where the file puts it"),
            missing("gravcomp", Numbers(1), "0", "gravity is not compensated"),
        ],
    ],
    ignored: &["user", "sleep", "simple", "fuse"],
    children: &TREE,
};

static INERTIAL: ElementSpec = ElementSpec {
    name: "inertial",
    defaults: "",
    used: Use::Read,
    attributes: &[
        &[read("pos", Numbers(3), "")],
        &ORIENTATION,
        &[read("mass", Numbers(1), ""), read("diaginertia", Numbers(3), ""), read("fullinertia", Numbers(6), "")],
    ],
    ignored: &[],
    children: &[],
};

/// Why forces of a spring that is no straight line are left out.
const LINEAR: &str = "only its first coefficient is used: forces are linear";

pub(super) static JOINT: ElementSpec = ElementSpec {
    name: "joint",
    defaults: "joint",
    used: Use::Read,
    attributes: &[
        &NAME,
        &CLASS,
        &[
            read("type", Word(&["free", "ball", "slide", "hinge"]), "hinge"),
            read("pos", Numbers(3), "0 0 0"),
            read("axis", Numbers(3), "0 0 1"),
            read("ref", Numbers(1), "0"),
            read("range", Numbers(2), "0 0"),
            read("limited", AUTO, "auto"),
            read("actuatorfrcrange", Numbers(2), "0 0"),
            read("actuatorfrclimited", AUTO, "auto"),
            read("armature", Numbers(1), "0"),
            read("damping", UpTo(3), "0 0 0"),
            read("frictionloss", Numbers(1), "0"),
            read("stiffness", UpTo(3), "0 0 0"),
            read("springref", Numbers(1), "0"),
            read("springdamper", Numbers(2), "0 0"),
            missing("springyield", Numbers(1), "0", "the spring does not yield"),
        ],
    ],
    ignored: &[
        "group",
        "margin",
        "solreflimit",
        "solimplimit",
        "solreffriction",
        "solimpfriction",
        "actuatorgravcomp",
        "user",
    ],
    children: &[],
};
/// Said of `damping` and `stiffness` with more than one coefficient.
pub(in crate::model::mjcf) const ONLY_LINEAR: &str = LINEAR;

static FREEJOINT: ElementSpec = ElementSpec {
    name: "freejoint",
    defaults: "",
    used: Use::Read,
    attributes: &[&NAME, &[read("align", AUTO, "auto")]],
    ignored: &["group"],
    children: &[],
};

/// Types of geoms.
const GEOMS: &[&str] = &["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
/// Why no wind is felt.
const NO_FLUID: &str = "forces of a fluid are left out";

pub(super) static GEOM: ElementSpec = ElementSpec {
    name: "geom",
    defaults: "geom",
    used: Use::Read,
    attributes: &[
        &NAME,
        &CLASS,
        &POSITION,
        &ORIENTATION,
        &[
            read("type", Word(GEOMS), "sphere"),
            read("size", UpTo(3), "0 0 0"),
            read("fromto", Numbers(6), ""),
            read("mass", Numbers(1), ""),
            read("density", Numbers(1), "1000"),
            read("shellinertia", FLAG, "false"),
            read("group", Numbers(1), "0"),
            read("mesh", Text, ""),
            read("hfield", Text, ""),
            read("fitscale", Numbers(1), "1"),
            dubious("fluidshape", Word(&["none", "ellipsoid"]), "none", NO_FLUID),
        ],
    ],
    ignored: &[
        "contype",
        "conaffinity",
        "condim",
        "priority",
        "friction",
        "solmix",
        "solref",
        "solimp",
        "margin",
        "gap",
        "adhesion",
        "surfacevel",
        "material",
        "rgba",
        "castshadow",
        "fluidcoef",
        "user",
    ],
    children: &[&GEOM_PLUGIN],
};

static GEOM_PLUGIN: ElementSpec = unread("plugin", Rank::Dubious, "shapes of plugins are not known");

pub(super) static SITE: ElementSpec = ElementSpec {
    name: "site",
    defaults: "site",
    used: Use::Read,
    attributes: &[
        &NAME,
        &CLASS,
        &POSITION,
        &ORIENTATION,
        &[read("fromto", Numbers(6), ""), read("type", Word(GEOMS), "sphere")],
    ],
    ignored: &["group", "material", "mesh", "rgba", "size", "user"],
    children: &[],
};

static FRAME: ElementSpec = ElementSpec {
    name: "frame",
    defaults: "",
    used: Use::Read,
    attributes: &[&NAME, &POSITION, &ORIENTATION, &CHILDCLASS],
    ignored: &[],
    children: &TREE,
};

static REPLICATE: ElementSpec = ElementSpec {
    name: "replicate",
    defaults: "",
    used: Use::Read,
    attributes: &[
        &CHILDCLASS,
        &[
            read("count", Numbers(1), ""),
            read("sep", Text, ""),
            read("offset", Numbers(3), "0 0 0"),
            read("euler", Numbers(3), "0 0 0"),
        ],
    ],
    ignored: &[],
    children: &TREE,
};

static ATTACH: ElementSpec = ElementSpec {
    name: "attach",
    defaults: "",
    used: Use::Read,
    attributes: &[&[
        read("model", Text, ""),
        read("body", Text, ""),
        read("frame", Text, ""),
        read("prefix", Text, ""),
    ]],
    ignored: &[],
    children: &[],
};

static CAMERA: ElementSpec = unread("camera", Rank::NotDynamics, "");
static LIGHT: ElementSpec = unread("light", Rank::NotDynamics, "");
static COMPOSITE: ElementSpec =
    unread("composite", Rank::ChangesDynamics, "the bodies that it stands for are left out");
static FLEXCOMP: ElementSpec = unread("flexcomp", Rank::ChangesDynamics, "the bodies that it stands for are left out");
static PLUGIN: ElementSpec = unread("plugin", Rank::ChangesDynamics, "forces of plugins are left out");
