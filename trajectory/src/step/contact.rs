//! Contacts and closed loops of a phase, by name.

use crate::fault::{ProblemError, ProblemPlace};
use gradyn::dynamics::frame_pose;
use gradyn::{Constraint, FrameId, Model, Transform, Workspace};
use nalgebra::Vector3;
use std::ops::Range;

/// A constraint with a name: a foot on the ground, the hinge that closes a loop.
///
/// Multipliers are as [`Constraint`] says: of points and frames the force (N), then the moment (N m), on body B at
/// `p_b`, in axes of the world. B is the robot where A is the ground.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Its name: that of a foot, for instance. Phases that have it one after the other hold the same contact.
    pub name: String,
    /// What is held.
    pub constraint: Constraint,
    /// The normal of the ground, away from it, in axes of the world, of length 1: what [reports](crate::contact_motion)
    /// measure forces by.
    pub normal: Vector3<f64>,
}

impl Contact {
    /// Of this name: any constraint, such as a closed loop.
    #[must_use]
    pub fn new(name: impl Into<String>, constraint: Constraint) -> Self {
        Self { name: name.into(), constraint, normal: Vector3::z() }
    }
    /// The origin of a frame stands at a place in the world, m: 3 rows, of the frame's name.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such frame.
    ///
    /// ```
    /// use gradyn_trajectory::step::Contact;
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/solo12.urdf");
    /// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new().floating_base(true))?.model;
    /// let foot = Contact::point(&model, "FL_FOOT", [0.2, 0.1, 0.0].into())?.with_default_gains(0.01);
    /// assert_eq!((foot.name.as_str(), foot.constraint.rows()), ("FL_FOOT", 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "ContactModel3D")]
    pub fn point(model: &Model, frame: &str, place: Vector3<f64>) -> Result<Self, ProblemError> {
        let constraint = Constraint::frame_contact(model, find(model, frame)?, place);
        Ok(Self::new(frame, constraint.map_err(|error| input(frame, error))?))
    }
    /// A frame stands at a pose in the world: 6 rows, of the frame's name.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such frame.
    #[doc(alias = "ContactModel6D")]
    pub fn frame(model: &Model, frame: &str, pose: Transform<f64>) -> Result<Self, ProblemError> {
        let at = &model.frames()[find(model, frame)?.index()];
        Ok(Self::new(frame, Constraint::frame(None, pose, at.body(), *at.placement())))
    }
    /// [`point`](Self::point), where it is at a configuration.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such frame, [`ProblemError::Input`] if `q` is no configuration.
    pub fn point_at(model: &Model, frame: &str, q: &[f64]) -> Result<Self, ProblemError> {
        Self::point(model, frame, place(model, frame, q)?.translation)
    }
    /// [`frame`](Self::frame), where it is at a configuration.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such frame, [`ProblemError::Input`] if `q` is no configuration.
    pub fn frame_at(model: &Model, frame: &str, q: &[f64]) -> Result<Self, ProblemError> {
        Self::frame(model, frame, place(model, frame, q)?)
    }
    /// A closed loop: the origins of two frames of the robot coincide, 3 rows.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such frame.
    pub fn connect(name: &str, model: &Model, a: &str, b: &str) -> Result<Self, ProblemError> {
        let constraint = Constraint::connect(model, find(model, a)?, find(model, b)?);
        Ok(Self::new(name, constraint.map_err(|error| input(name, error))?))
    }
    /// A closed loop: two frames of the robot coincide, 6 rows.
    ///
    /// # Errors
    /// [`ProblemError::Unknown`] if there is no such frame.
    pub fn weld(name: &str, model: &Model, a: &str, b: &str) -> Result<Self, ProblemError> {
        let constraint = Constraint::weld(model, find(model, a)?, find(model, b)?);
        Ok(Self::new(name, constraint.map_err(|error| input(name, error))?))
    }

    /// On ground with this normal, in axes of the world, away from the ground; of any length. One that is zero or not
    /// finite leaves it level.
    #[must_use]
    pub fn with_normal(mut self, normal: Vector3<f64>) -> Self {
        // The largest entry first: squares of large or small ones are infinite or zero.
        let n = (normal / normal.amax()).normalize();
        self.normal = if n.iter().all(|x| x.is_finite()) { n } else { Vector3::z() };
        self
    }
    /// With gains of Baumgarte: `ë + k_d ė + k_p e = 0` is held, `kp` in 1/s², `kd` in 1/s.
    #[must_use]
    pub fn with_gains(mut self, kp: f64, kd: f64) -> Self {
        self.constraint = self.constraint.with_gains(kp, kd);
        self
    }
    /// With gains that fit steps of this length, s: critically damped, `k_p = ω²`, `k_d = 2 ω`, `ω = 1/(4 h)`.
    ///
    /// Semi-implicit Euler makes of `ë + 2 ω ė + ω² e = 0`, with `z = ω h`, a map of `(e, h ė)` with the trace
    /// `2 − 2 z − z²` and the determinant `1 − 2 z`. It is stable for `z < √8 − 2 = 0.83` and does not alternate for
    /// `z ≤ ½`. At `z = ¼` errors shrink by 0.59 and 0.85 a step, from rest to a tenth in 16 steps, and steps may
    /// become 3.3 times as long before it is unstable. Explicit Euler shrinks them by 0.75. Where steps take 10 ms,
    /// `k_d` is 50 1/s.
    #[must_use]
    pub fn with_default_gains(self, dt: f64) -> Self {
        let omega = 0.25 / dt;
        self.with_gains(omega * omega, 2.0 * omega)
    }
}

fn find(model: &Model, frame: &str) -> Result<FrameId, ProblemError> {
    model.find_frame(frame).ok_or_else(|| ProblemError::Unknown {
        place: "contact".into(),
        what: "frame",
        name: frame.into(),
        nearest: None,
    })
}

fn input(contact: &str, error: gradyn::InputError) -> ProblemError {
    ProblemError::Input { place: ProblemPlace::Contact(contact.into()), error: Box::new(error) }
}

fn place(model: &Model, frame: &str, q: &[f64]) -> Result<Transform<f64>, ProblemError> {
    frame_pose(model, &mut Workspace::new(model), q, find(model, frame)?).map_err(|error| input(frame, error))
}

/// Where a contact has its rows in the multipliers.
#[derive(Clone, Debug)]
pub struct ContactRows {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: Range<usize>,
    /// What it holds; `None` if multipliers are all that is known of it.
    pub constraint: Option<Constraint>,
    /// The normal of the ground, as of [`Contact`].
    pub normal: Vector3<f64>,
}

/// Rows of contacts one after the other.
pub(crate) fn rows_of(contacts: &[Contact]) -> Vec<ContactRows> {
    let mut first = 0;
    let rows = |contact: &Contact| {
        let rows = first..first + contact.constraint.rows();
        first = rows.end;
        ContactRows { name: contact.name.clone(), rows, constraint: Some(contact.constraint), normal: contact.normal }
    };
    contacts.iter().map(rows).collect()
}
