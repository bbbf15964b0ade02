//! Writing robots: the text of a URDF or MJCF file, from the model alone.
//!
//! [`Model::to_urdf`] and [`Model::to_mjcf`] write a model whose file is read again as a robot with the same dynamics. What the format cannot
//! say is an error that names it, or, where [`WriteOptions`] allow, left out and listed. `docs/robots.md` has a table.
//!
//! Numbers are written with as many digits as bring back the same bits. Rotations become three angles (URDF) or a quaternion (MJCF),
//! and axes are brought to length one when they are read: they come back to rounding. A rotation or an axis that the model takes though
//! it is off by up to 1e-9 comes back without that error.

mod error;
mod joint_frames;
mod mjcf;
mod mjcf_actuators;
mod mjcf_joints;
mod motors;
mod names;
mod steps;
mod urdf;
mod xml;

pub use error::{Restated, Unsaid, WriteError};

use crate::model::source::{Format, Owner, Rank};
use crate::model::{Model, ModelBuilder};

/// What may be left out of a file whose format has no word for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaveOut {
    /// Nothing: it is an error.
    #[default]
    Nothing,
    /// What is no part of the dynamics: limits, frames, actuators.
    NotDynamics,
    /// Everything that a robot can be without: springs, friction and gravity too. The file has other dynamics then.
    Anything,
}

/// Choices to make when a robot is written.
///
/// ```
/// use gradyn::model::write::{LeaveOut, WriteOptions};
/// let options = WriteOptions::new().leave_out(LeaveOut::NotDynamics);
/// assert_eq!(options.leave_out, LeaveOut::NotDynamics);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// What may be left out. Default: nothing.
    pub leave_out: LeaveOut,
}

impl WriteOptions {
    /// The defaults: what cannot be said is an error.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`leave_out`](Self::leave_out).
    #[must_use]
    pub fn leave_out(mut self, leave_out: LeaveOut) -> Self {
        self.leave_out = leave_out;
        self
    }
}

/// The text of a robot's file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The text.
    pub text: String,
    /// What was left out, in the order of the model.
    pub left_out: Vec<Unsaid>,
    /// Joints whose coordinates are others in the file, so that the same numbers mean another state there; and the width that friction is to be
    /// read with.
    pub restated: Vec<Restated>,
}

impl Model {
    /// The text of a URDF file that is read as a robot with the same dynamics, coordinates in the same order.
    ///
    /// Joints with several axes become rows of hinges and slides between links without mass: cylindrical, universal, ZYX, translation,
    /// and composite ones of these. A screw is a hinge, and a slide that mimics it. Frames are links that fixed joints hold. The root
    /// is the first frame of the world that stands at its origin, or a link `world`. Armature stands in `dynamics`, as the reader of
    /// this crate takes it. An actuator that drives one hinge or slide, within the limits of this joint, is a `transmission` with its gear as
    /// `mechanicalReduction`. A hinge without limits is `continuous`. Without [joint friction](Self::has_joint_friction), damping and friction
    /// are not written.
    ///
    /// ```
    /// use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// let panda = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// let again = Model::from_urdf_text(&panda.to_urdf()?, &UrdfOptions::new())?.model;
    /// assert_eq!((again.nv(), again.limits()), (panda.nv(), panda.limits()));
    ///
    /// let error = panda.with_gravity([0.0, 0.0, -1.62].into()).to_urdf().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "robot `panda`: gravity 0 0 -1.62 m/s² cannot be written to URDF: it has no gravity, and readers take 0 0 -9.81"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WriteError`]: springs, spherical joints, gravity other than 0 0 −9.81, a friction width other than 0.01, limits on one side,
    /// damping, armature and limits of planar and floating joints, names that XML cannot hold.
    #[doc(alias("write_urdf", "export"))]
    pub fn to_urdf(&self) -> Result<String, WriteError> {
        Ok(self.write(Format::Urdf, &WriteOptions::new())?.text)
    }

    /// The text of an MJCF file that is read as a robot with the same dynamics, coordinates in the same order.
    ///
    /// Joints with several axes become several joints of one body. Bodies without mass, which MuJoCo cannot move, become joints of the
    /// one body that they carry. Joints that mimic others are tied by an equality, which MuJoCo keeps as a soft constraint. Frames are
    /// sites.
    ///
    /// Two kinds have other coordinates in MJCF. A planar joint becomes two slides and a hinge: its angle is one coordinate, and its
    /// linear velocity is in the axes of the mounting frame. The linear velocity of a free joint is in the axes of the world; where a
    /// free joint does not stand at the world's origin, it becomes three slides and a ball joint.
    ///
    /// Dry friction of MJCF has no width: the file is read as the same robot with
    /// [`MjcfOptions::friction_width`](super::mjcf::MjcfOptions::friction_width) of this one's.
    ///
    /// # Errors
    /// [`WriteError`]: velocity limits, limits on one side, effort limits of ball and free
    /// joints; a mass or a moment of inertia of a body that moves below 1e-15; an inertia that no rigid body has; more than 495 bodies one
    /// within the other; names that XML cannot hold.
    #[doc(alias("write_mjcf", "mj_saveLastXML"))]
    pub fn to_mjcf(&self) -> Result<String, WriteError> {
        Ok(self.write(Format::Mjcf, &WriteOptions::new())?.text)
    }

    /// The text of a file of this format, and what was left out of it: [`to_urdf`](Self::to_urdf) and [`to_mjcf`](Self::to_mjcf) with options.
    ///
    /// # Errors
    /// [`WriteError`]: what the format cannot say and the options do not leave out; [`WriteError::Format`] for a format that is only read.
    pub fn write(&self, format: Format, options: &WriteOptions) -> Result<Written, WriteError> {
        let builder = self.to_builder();
        // Numbers that a caller changed may be anything, and so may names.
        builder.clone().build()?;
        let mut written = Writing { model: self, builder, format, options, left_out: Vec::new(), restated: Vec::new() };
        let text = match format {
            Format::Urdf => urdf::text(&mut written)?,
            Format::Mjcf => mjcf::text(&mut written)?,
            format => return Err(WriteError::Format { format: error::word(format) }),
        };
        Ok(Written { text, left_out: written.left_out, restated: written.restated })
    }
}

/// A model while it is written.
struct Writing<'m> {
    model: &'m Model,
    /// The same, each joint with all that is its own.
    builder: ModelBuilder,
    format: Format,
    options: &'m WriteOptions,
    left_out: Vec<Unsaid>,
    restated: Vec<Restated>,
}

impl Writing<'_> {
    /// Leaves something out if that is allowed.
    fn leave_out(&mut self, owner: Owner, what: String, reason: &'static str, rank: Rank) -> Result<(), WriteError> {
        let unsaid = Unsaid { format: self.format, owner, what, reason, rank };
        let allowed = match self.options.leave_out {
            LeaveOut::Nothing => false,
            LeaveOut::NotDynamics => rank == Rank::NotDynamics,
            LeaveOut::Anything => true,
        };
        if !allowed {
            return Err(WriteError::Unsaid(unsaid));
        }
        self.left_out.push(unsaid);
        Ok(())
    }

    /// Notes that the file says something in another way.
    fn restate(&mut self, owner: Owner, how: impl Into<String>) {
        self.restated.push(Restated { format: self.format, owner, how: how.into() });
    }

    /// The error of what no robot can be without.
    fn refuse(&self, owner: Owner, what: String, reason: &'static str) -> WriteError {
        let (format, rank) = (self.format, Rank::ChangesDynamics);
        WriteError::Unsaid(Unsaid { format, owner, what, reason, rank })
    }
}
