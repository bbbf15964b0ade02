//! What is held to what.

use crate::dynamics::reference::Attached;
use crate::model::{BodyId, InputError, Model};
use crate::spatial::Transform;
use gradyn_derivatives::Real;
use nalgebra::Vector3;

/// Two points, or two frames, that are held together: one of a body A, or of the world, and one of a body B.
///
/// The error `e` is what B is off from A, in axes of the world:
///
/// | constraint | rows | `e` |
/// |---|---|---|
/// | [`point`](Self::point) | 3 | `p_b − p_a`, m |
/// | [`frame`](Self::frame) | 6 | `p_b − p_a`, m; then the rotation vector of `R_b R_aᵀ`, rad |
///
/// Velocities and accelerations of the constraint are `ṗ_b − ṗ_a` and `p̈_b − p̈_a`; then `ω_b − ω_a` and `ω̇_b − ω̇_a`. The
/// latter are rates of the rotation vector while that is small. Its multiplier is the force (N), then the moment (N m), on
/// B at `p_b`, in axes of the world; A bears the opposite at `p_a`.
///
/// ```
/// use gradyn::dynamics::{Constraint, Workspace, constraint_dynamics};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
/// // One foot stands on the ground.
/// let frame = &model.frames()[model.find_frame("FL_FOOT").expect("is there").index()];
/// let contact = Constraint::contact(frame.body().expect("moves"), frame.placement().translation, [0.2, 0.1, 0.0].into());
/// let (q, v) = (model.neutral::<f64>(), vec![0.0; model.nv()]);
/// let mut workspace = Workspace::new(&model);
/// let by = constraint_dynamics(&model, &mut workspace, &q, &v, &v, &[], &[contact.with_gains(100.0, 20.0)])?;
/// assert_eq!((by.ddq.len(), by.lambda.len(), by.rank), (model.nv(), 3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Constraint<P = f64> {
    pub(super) a: Attached<P>,
    pub(super) b: Attached<P>,
    /// Are rotations held too?
    pub(super) rotations: bool,
    pub(super) kp: P,
    pub(super) kd: P,
}

impl<P: Real> Constraint<P> {
    /// A point of A and a point of B coincide; each in coordinates of its body, m. `None` is the world.
    #[must_use]
    pub fn point(
        a: impl Into<Option<BodyId>>,
        point_a: Vector3<P>,
        b: impl Into<Option<BodyId>>,
        point_b: Vector3<P>,
    ) -> Self {
        let (x_a, x_b) = (Transform::from_translation(point_a), Transform::from_translation(point_b));
        Self { rotations: false, ..Self::frame(a, x_a, b, x_b) }
    }

    /// A frame fixed in A and a frame fixed in B coincide; each by its pose in its body. `None` is the world.
    #[must_use]
    pub fn frame(
        a: impl Into<Option<BodyId>>,
        x_a: Transform<P>,
        b: impl Into<Option<BodyId>>,
        x_b: Transform<P>,
    ) -> Self {
        let side = |body: Option<BodyId>, placement| Attached { body: body.map(BodyId::index), placement };
        Self { a: side(a.into(), x_a), b: side(b.into(), x_b), rotations: true, kp: P::zero(), kd: P::zero() }
    }

    /// A point of a body, in its coordinates, stands at a place in the world, m.
    #[must_use]
    pub fn contact(body: BodyId, point: Vector3<P>, place: Vector3<P>) -> Self {
        Self::point(None, place, body, point)
    }

    /// With `ë + k_d ė + k_p e = 0` asked for instead of `ë = 0`: `kp` in 1/s², `kd` in 1/s, neither negative.
    #[must_use]
    pub fn with_gains(mut self, kp: P, kd: P) -> Self {
        (self.kp, self.kd) = (kp, kd);
        self
    }

    /// Its rows: 3 for points, 6 for frames.
    #[must_use]
    pub fn rows(&self) -> usize {
        if self.rotations { 6 } else { 3 }
    }
}

/// Rows of all of them.
pub(super) fn rows_of<P: Real>(constraints: &[Constraint<P>]) -> usize {
    constraints.iter().map(Constraint::rows).sum()
}

/// Are they between bodies of the model, and of sound numbers?
pub(super) fn check<P: Real>(model: &Model<P>, constraints: &[Constraint<P>]) -> Result<(), InputError> {
    let bodies = model.bodies.len();
    for (index, c) in constraints.iter().enumerate() {
        if let Some(unknown) = [c.a.body, c.b.body].into_iter().flatten().find(|b| *b >= bodies) {
            return Err(InputError::UnknownBody { index: unknown, bodies });
        }
        let refuse = |reason| {
            let name = |body: Option<usize>| body.map_or("world", |b| &model.bodies[b].name).to_owned();
            Err(InputError::Constraint { index, a: name(c.a.body), b: name(c.b.body), reason })
        };
        if c.a.body == c.b.body {
            return refuse("both sides are fixed to the same thing");
        }
        let poses = [&c.a.placement, &c.b.placement];
        let mut numbers = poses.into_iter().flat_map(|x| x.rotation.iter().chain(x.translation.iter()));
        if !(numbers.all(|x| x.is_finite()) && c.kp.is_finite() && c.kd.is_finite()) {
            return refuse("a number is not finite");
        }
        if [c.kp, c.kd].into_iter().any(|k| super::is_negative(k) != Some(false)) {
            return refuse("a gain is negative");
        }
    }
    Ok(())
}
