//! What can be wrong with a model, and with what is asked of it.

use super::size::size;
use crate::spatial::PoseError;
use thiserror::Error;

/// Why a model could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Two bodies, or two joints, have the same name.
    #[error("{what} `{name}` is there twice")]
    DuplicateName {
        /// "body", "joint" or "frame".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A key does not come from this builder.
    #[error("{what} `{name}`: its body is not one of this builder's")]
    UnknownBody {
        /// "body", "frame", …
        what: &'static str,
        /// Name of the thing that asks for the body.
        name: String,
    },
    /// A number is not what it must be: finite, not negative, a unit vector's length, …
    #[error("{what} of `{name}` is {value}: {rule}")]
    BadNumber {
        /// What it is: "mass", "damping", …
        what: &'static str,
        /// Name of the body or joint.
        name: String,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// The pose of a joint's mounting frame, or of a frame, is invalid.
    #[error("placement of `{name}`: {error}")]
    Placement {
        /// Name of the joint or frame.
        name: String,
        /// Why not.
        error: Box<PoseError>,
    },
    /// A list for a joint does not have one entry a degree of freedom.
    #[error("{what} of joint `{name}` has {found} entries, expected {expected}")]
    Length {
        /// What the list holds.
        what: &'static str,
        /// Name of the joint.
        name: String,
        /// Degrees of freedom, or coordinates, of the joint.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// A joint follows one that cannot lead: itself, one that follows it, or one without exactly one coordinate.
    #[error("joint `{joint}` cannot follow joint `{leader}`: {reason}")]
    Mimic {
        /// Name of the joint that follows.
        joint: String,
        /// Name of the joint that it should follow.
        leader: String,
        /// Why not.
        reason: &'static str,
    },
    /// A composite joint in a document is made of composite ones.
    #[error("a composite joint is made of joints that are composite themselves: list their parts")]
    NestedComposite,
    /// A joint cannot be locked.
    #[error("joint `{joint}` cannot be locked: {reason}")]
    Lock {
        /// Name of the joint.
        joint: String,
        /// Why not.
        reason: String,
    },
    /// A robot cannot be described from the body that a joint leads to.
    #[error("joint `{joint}` does not lead back: {reason}")]
    Reroot {
        /// Name of the joint.
        joint: String,
        /// Why not.
        reason: String,
    },
    /// An argument is not what it must be.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// What is wrong with the arguments of a computation.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// A slice does not have the length it should have.
    #[error("`{what}` has {found} entries, expected {expected} ({size} of the model)")]
    Length {
        /// Which argument.
        what: &'static str,
        /// Which size of the model: "nq" or "nv".
        size: &'static str,
        /// That size.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A matrix does not have as many columns as another one.
    #[error("`{what}` has {found} columns, expected {expected}, as many as `{like}`")]
    Columns {
        /// Which matrix.
        what: &'static str,
        /// Which other one.
        like: &'static str,
        /// Columns of that one.
        expected: usize,
        /// Columns found.
        found: usize,
    },
    /// A number is infinite or not a number.
    #[error("`{what}[{index}]` ({joint}) is {value}, which is not finite")]
    NotFinite {
        /// Which argument.
        what: &'static str,
        /// Which entry.
        index: usize,
        /// The joint, or body, that it belongs to.
        joint: String,
        /// The number.
        value: f64,
    },
    /// The arguments are finite and the result is not: numbers were too large.
    #[error("the result `{what}[{index}]` ({joint}) is not finite although all arguments are: they are too large")]
    Overflow {
        /// Which result.
        what: &'static str,
        /// Which entry.
        index: usize,
        /// The joint, or whatever else, that it belongs to.
        joint: String,
    },
    /// A derivative of a function of yours is not finite.
    #[error("the derivative `{what}[({row}, {column})]` is not finite: there is none here, or numbers are too large")]
    NoDerivative {
        /// Which matrix: "dq", "dv", "du" or "df_ext".
        what: &'static str,
        /// Which output of the function.
        row: usize,
        /// Which direction.
        column: usize,
    },
    /// A configuration is not one: its quaternion, or (cos, sin), is not of length one.
    #[error(
        "joint `{joint}`: the {direction} in {what}[{start}..{end}] has length {norm}, not 1 (tolerance 1e-6); `Model::normalize` makes it so"
    )]
    NotNormalized {
        /// Which argument: "q", "q0" or "q1".
        what: &'static str,
        /// First entry of the quaternion, or of (cos, sin).
        start: usize,
        /// One past the last entry.
        end: usize,
        /// Name of the joint.
        joint: String,
        /// Its kind, or that of its part.
        kind: &'static str,
        /// "quaternion" or "(cos, sin)".
        direction: &'static str,
        /// Length of the quaternion or of (cos, sin).
        norm: f64,
    },
    /// The pose of a joint's mounting frame is invalid.
    #[error("placement of joint `{joint}`: {error}")]
    Placement {
        /// Name of the joint.
        joint: String,
        /// Why not.
        error: Box<PoseError>,
    },
    /// The pose of a frame is invalid.
    #[error("placement of frame `{frame}`: {error}")]
    FramePlacement {
        /// Name of the frame.
        frame: String,
        /// Why not.
        error: Box<PoseError>,
    },
    /// A body's own frame is where the body is.
    #[error("frame `{body}` is the body's own: its placement is the identity; add another frame with `with_frame`")]
    OwnFrame {
        /// Name of the body and of its frame.
        body: String,
    },
    /// A parameter of a model is not what it must be.
    #[error("{what} ({name}) is {value}: {rule}")]
    Parameter {
        /// What it is: "friction width", "lower limit", …
        what: &'static str,
        /// The joint, or whatever else, that it belongs to.
        name: String,
        /// The number; NaN if it is of another type than `f64`.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A list for a joint does not have one entry a degree of freedom, or a coordinate.
    #[error("{what} of joint `{joint}` has {found} entries, expected {expected}")]
    JointLength {
        /// What the list holds.
        what: &'static str,
        /// Name of the joint.
        joint: String,
        /// Degrees of freedom, or coordinates, of the joint.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// Inertial parameters are not ten a body.
    #[error("there are {found} inertial parameters, expected {expected}: ten for each of {bodies} bodies")]
    Parameters {
        /// Ten times the bodies.
        expected: usize,
        /// Parameters given.
        found: usize,
        /// Bodies of the model.
        bodies: usize,
    },
    /// Parameters can only be those of a model with the same joints.
    #[error(
        "`{found}`, nv = {found_nv}, has other joints than `{expected}`, nv = {expected_nv}: its parameters do not fit"
    )]
    Structure {
        /// Name of the model that is changed.
        expected: String,
        /// Its nv.
        expected_nv: usize,
        /// Name of the other model.
        found: String,
        /// Its nv.
        found_nv: usize,
    },
    /// No joint with coordinates of its own has the name.
    #[error("there is no joint `{name}` with coordinates of its own")]
    UnknownJoint {
        /// The name.
        name: String,
    },
    /// A body or a frame of another model: ids belong to the model that gave them, its clones and its variants.
    #[error("{what} {index} is one of {owner}, not of {model}: ids belong to the model that gave them")]
    OtherModel {
        /// "body" or "frame".
        what: &'static str,
        /// Its place there.
        index: usize,
        /// The model that it is of, by name and number.
        owner: String,
        /// The model that it was used with.
        model: String,
    },
    /// Nothing that moves has mass, and so there is no center of mass.
    #[error("`{body}`: nothing that moves has mass, so there is no center of mass")]
    Massless {
        /// Name of the robot, or of the root of the subtree.
        body: String,
    },
    /// The workspace was made for another model.
    #[error(
        "the workspace was made for a model of other joints, with {found} bodies and nv = {found_nv}; this one has {expected} and nv = {expected_nv}"
    )]
    Workspace {
        /// Bodies of the model.
        expected: usize,
        /// Bodies of the workspace.
        found: usize,
        /// nv of the model.
        expected_nv: usize,
        /// nv of the workspace.
        found_nv: usize,
    },
    /// A degree of freedom has no inertia of its own: accelerations do not exist, or are not unique.
    #[error(
        "the mass matrix is singular at `v[{index}]` ({joint}): what it moves has no inertia along its axis, or other joints take that up; armature would help"
    )]
    SingularMassMatrix {
        /// The degree of freedom.
        index: usize,
        /// The joint that it belongs to.
        joint: String,
    },
    /// A constraint cannot be one of this model.
    #[error("constraint {index}, between `{a}` and `{b}`: {reason}")]
    Constraint {
        /// Which one.
        index: usize,
        /// Name of the body A, or "world".
        a: String,
        /// Name of the body B, or "world".
        b: String,
        /// Why not.
        reason: &'static str,
    },
    /// A loop cannot be closed by this kind of joint.
    #[error("a joint of kind `{kind}` cannot close a loop")]
    LoopJoint {
        /// The kind.
        kind: &'static str,
    },
    /// A constant of a joint that closes a loop is not what it must be.
    #[error("{what} of the joint of kind `{kind}` that closes a loop is {value}: {rule}")]
    LoopNumber {
        /// The kind.
        kind: &'static str,
        /// Which constant.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A coefficient of restitution that none can be.
    #[error("the coefficient of restitution is not in [0, 1]")]
    Restitution,
    /// Several states were asked about at once, and constraints have another rank at some of them.
    #[error("the rank of the constraints differs between the states of one number: ask about them one by one")]
    RanksDiffer,
    /// A result, or what it is computed in, takes more memory than there is.
    #[error("{what} takes {} of memory, which is not to be had", size(bytes))]
    Memory {
        /// What it is for.
        what: &'static str,
        /// So much of it; `usize::MAX` for more than there are addresses.
        bytes: usize,
    },
    /// The method cannot do this.
    #[error("method `{method}` is not available for {what}")]
    Method {
        /// Name of the method.
        method: &'static str,
        /// What was asked.
        what: &'static str,
    },
}
