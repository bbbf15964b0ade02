//! What an MJCF file says, checked, in plain data.

use super::place::Place;
use crate::model::SpeedTorque;
use crate::spatial::{Inertia, Transform};
use nalgebra::Vector3;

/// What an MJCF file says about bodies and what moves them: includes put in, classes of defaults applied, frames and replicas
/// worked out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Description {
    /// Name of the model.
    pub name: String,
    /// The bodies but the world, parents first: in the order of MuJoCo.
    pub bodies: Vec<BodyElement>,
    /// The joints, in the order of their bodies: that of MuJoCo.
    pub joints: Vec<JointElement>,
    /// The sites, in the order of the file.
    pub sites: Vec<SiteElement>,
    /// The actuators, in the order of the file.
    pub actuators: Vec<ActuatorElement>,
    /// The equalities, in the order of the file.
    pub equalities: Vec<EqualityElement>,
    /// The keyframes, in the order of the file.
    pub keyframes: Vec<KeyElement>,
    /// Gravity, m/s², in the world.
    pub gravity: Vector3<f64>,
    /// The time step of the simulation, s.
    pub timestep: f64,
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyElement {
    /// Where it is in the files.
    pub place: Place,
    /// Its name, or `body_N` with its number in MuJoCo.
    pub name: String,
    /// Index of its parent; none for the world.
    pub parent: Option<usize>,
    /// Its pose in its parent where no joint moves it.
    pub pose: Transform<f64>,
    /// Its inertia in its axes, the center of mass from its origin.
    pub inertia: Inertia<f64>,
}

/// The type of a joint, as MJCF names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// Rotation about the axis.
    Hinge,
    /// Translation along the axis.
    Slide,
    /// Rotation about a point.
    Ball,
    /// Free motion.
    Free,
}

/// A joint of a body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointElement {
    /// Where it is in the files.
    pub place: Place,
    /// Its name, or `joint_N` with its number in MuJoCo.
    pub name: String,
    /// Its type.
    pub kind: JointKind,
    /// Index of its body.
    pub body: usize,
    /// Its anchor in the body, m.
    pub position: Vector3<f64>,
    /// Unit vector in the axes of the body; without meaning for ball and free joints.
    pub axis: Vector3<f64>,
    /// Its coordinate where the body has the pose of the file, rad or m: `ref`.
    pub reference: f64,
    /// Lowest and highest coordinate, rad or m. Of ball joints the second is the largest angle.
    pub range: Option<[f64; 2]>,
    /// Least and greatest force of all actuators, N m or N.
    pub effort: Option<[f64; 2]>,
    /// Inertia of rotors, those of actuators included, kg m² or kg. Of each coordinate.
    pub armature: f64,
    /// Turns of the rotor per turn of the joint, where all of the armature is that of actuators behind this gear.
    pub gear_ratio: Option<f64>,
    /// Viscous damping, that of actuators and of `springdamper` included, N m s/rad or N s/m. Of each coordinate.
    pub damping: f64,
    /// Dry friction, N m or N. Of each coordinate.
    pub friction: f64,
    /// Stiffness, that of `springdamper` included, N m/rad or N/m.
    pub stiffness: f64,
    /// The coordinate where the spring is at rest, rad or m. `ref` does not shift it.
    pub spring_reference: f64,
    /// Time constant, s, and damping ratio from which stiffness and damping come, by the inertia at the reference.
    pub spring_damper: Option<[f64; 2]>,
}

/// A frame fixed to a body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SiteElement {
    /// Where it is in the files.
    pub place: Place,
    /// Its name; none for one without.
    pub name: Option<String>,
    /// Index of its body; none for the world.
    pub body: Option<usize>,
    /// Its pose in the body.
    pub pose: Transform<f64>,
}

/// What drives something.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ActuatorElement {
    /// Where it is in the files.
    pub place: Place,
    /// Its name; none for one without.
    pub name: Option<String>,
    /// Its kind: `motor`, `position`, …
    pub kind: &'static str,
    /// What it drives.
    pub transmission: Transmission,
    /// Force, or force and moment at a site, for each unit of its force.
    pub gear: [f64; 6],
    /// Its force, if that is a straight line in control, position and velocity.
    pub law: Option<ActuatorLaw>,
    /// Least and greatest control.
    pub control_range: Option<[f64; 2]>,
    /// Least and greatest force.
    pub force_range: Option<[f64; 2]>,
    /// Of a DC motor at its greatest voltage, if voltages have a range about zero.
    pub speed_torque: Option<SpeedTorque>,
}

/// What an actuator drives.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Transmission {
    /// A joint, by its index.
    Joint {
        /// Index of the joint.
        joint: usize,
        /// Whether the axes of the gear are those of the parent (`jointinparent`).
        in_parent: bool,
    },
    /// A site, by its index.
    Site {
        /// Index of the site, in whose axes the gear is.
        site: usize,
        /// Index of the site whose pose it is relative to.
        reference: Option<usize>,
    },
    /// A fixed tendon: joints by their indices, each with its coefficient.
    FixedTendon(Vec<(usize, f64)>),
    /// Something that the model does not have: a spatial tendon, a slider and crank, a body that sticks, or nothing.
    Other(&'static str),
}

/// `force = gain · control + bias[0] + bias[1] · length + bias[2] · rate`, length and rate those of the transmission.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ActuatorLaw {
    /// Force for each unit of control.
    pub gain: f64,
    /// Force without control: constant, by length, by rate.
    pub bias: [f64; 3],
}

/// Something that is held.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EqualityElement {
    /// Where it is in the files.
    pub place: Place,
    /// Its name; none for one without.
    pub name: Option<String>,
    /// Whether it counts from the start.
    pub active: bool,
    /// What is held.
    pub holds: Equality,
}

/// What an equality holds. Bodies are indices; none is the world.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Equality {
    /// A point of each body, m, in its axes.
    Connect {
        /// The bodies.
        bodies: [Option<usize>; 2],
        /// The points.
        points: [Vector3<f64>; 2],
    },
    /// A frame of each body.
    Weld {
        /// The bodies.
        bodies: [Option<usize>; 2],
        /// The frames.
        frames: [Transform<f64>; 2],
    },
    /// `q₁ − ref₁ = Σ c_k (q₂ − ref₂)^k`; without a second joint `q₁ − ref₁ = c₀`.
    Joint {
        /// The first joint.
        joint: usize,
        /// The second one.
        of: Option<usize>,
        /// The coefficients c₀ to c₄.
        coefficients: [f64; 5],
    },
}

/// A named state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeyElement {
    /// Where it is in the files.
    pub place: Place,
    /// Its name, or `key_N`, counted from 0.
    pub name: String,
    /// MuJoCo's `qpos`; none if the file does not say it.
    pub qpos: Option<Vec<f64>>,
    /// MuJoCo's `qvel`; none if the file does not say it.
    pub qvel: Option<Vec<f64>>,
}
