//! Constraints between bodies.

use super::vectors::is_negative;
use crate::dynamics::FrameRef;
use crate::dynamics::reference::Attached;
use crate::dynamics::slice_ops::first_not_finite;
use crate::formulas::constraints::Relation;
use crate::joint::Elementary;
use crate::model::source::LoopJoint;
use crate::model::{BodyId, InputError, Model};
use crate::spatial::Transform;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// Two points, or two frames, that are held together: one of a body A, or of the world, and one of a body B.
///
/// The error `e` is what B is off from A, in axes of the world:
///
/// | constraint | rows | `e` |
/// |---|---|---|
/// | [`point`](Self::point) | 3 | `p_b − p_a`, m |
/// | [`frame`](Self::frame) | 6 | `p_b − p_a`, m; then the rotation vector of `R_b R_aᵀ`, rad |
/// | [`joint`](Self::joint) | 1 to 6 | what the joint does not let B do, in axes of A |
///
/// Of points and frames, velocities and accelerations of the constraint are `ṗ_b − ṗ_a` and `p̈_b − p̈_a`; then
/// `ω_b − ω_a` and `ω̇_b − ω̇_a`. The latter are rates of the rotation vector while that is small. Its multiplier is
/// the force (N), then the moment (N m), on B at `p_b`, in axes of the world; A bears the opposite at `p_a`. Of joints,
/// velocities are `ė`, and multipliers what does work with them.
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
/// let by = constraint_dynamics(&model, &mut workspace, &q, &v, &v, &[contact.with_gains(100.0, 20.0)], &[])?;
/// assert_eq!((by.ddq.len(), by.lambda.len(), by.rank), (model.nv(), 3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[doc(alias("RigidConstraintModel", "RigidContactModel", "contact", "loop joint", "equality constraint"))]
pub struct Constraint<P = f64> {
    pub(crate) a: Attached<P>,
    pub(crate) b: Attached<P>,
    /// The bodies of A and of B.
    bodies: [Option<BodyId>; 2],
    pub(crate) relation: Relation<P>,
    pub(crate) kp: P,
    pub(crate) kd: P,
    /// Whether both placements are poses. Checked once, here, and not in every call.
    sound: bool,
}

/// What a [`Constraint`] holds together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[doc(alias("ContactType", "CONTACT_3D", "CONTACT_6D"))]
pub enum ConstraintKind<P = f64> {
    /// Two points, as [`Constraint::point`] does: 3 rows.
    Point,
    /// Two frames, as [`Constraint::frame`] does: 6 rows. Of fixed joints too.
    Frame,
    /// What this joint does not let move, as [`Constraint::joint`] does; never a fixed joint or a free-flyer.
    Joint(Elementary<P>),
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
        Self { relation: Relation::Point, ..Self::frame(a, x_a, b, x_b) }
    }

    /// A frame fixed in A and a frame fixed in B coincide; each by its pose in its body. `None` is the world. What is
    /// no pose ([`Transform::validity`]) is refused when the constraint is used.
    #[must_use]
    pub fn frame(
        a: impl Into<Option<BodyId>>,
        x_a: Transform<P>,
        b: impl Into<Option<BodyId>>,
        x_b: Transform<P>,
    ) -> Self {
        Self::of([a.into(), b.into()], [x_a, x_b], Relation::Frame)
    }

    /// A joint closes a loop: its mounting frame is fixed in A, the frame that it moves in B, each by its pose in its
    /// body. `None` is the world.
    ///
    /// | joint | rows | `e` |
    /// |---|---|---|
    /// | revolute, continuous | 5 | `p_b − p_a` in axes of A; two directions of A across the axis, times the axis in B |
    /// | prismatic | 5 | two coordinates of `p_b` across the axis; three directions of A times directions of B |
    /// | helical | 5 | as cylindrical, and in their midst the coordinate along the axis, less the pitch times the angle about it |
    /// | cylindrical | 4 | two coordinates across the axis; two directions of A, times the axis in B |
    /// | universal | 4 | `p_b − p_a`; first axis in A times second axis in B, less what that is in the joint |
    /// | planar | 3 | the coordinate along the normal; two directions of A in the plane, times the normal in B |
    /// | spherical, in either form | 3 | `p_b − p_a` |
    /// | translation | 3 | three directions of A times directions of B |
    /// | fixed | 6 | as [`frame`](Self::frame), in axes of the world |
    ///
    /// The two directions across an axis are e, then f, of [`Planar::in_plane`](crate::joint::Planar::in_plane); the
    /// angle about it is that of `(e_a·e_b, f_a·e_b)`. The three directions are x, y, z, or the axis, e, f for
    /// prismatic joints; their products are those of the first in A and the second in B, second and third, third and
    /// first.
    ///
    /// Rows are in SI units, m or (for products of directions) 1. The joint brings no coordinates, friction or
    /// armature. A thread has many turns: its row is zero on each, and at most half a turn's pitch. Products of
    /// directions are zero elsewhere too, so start near where the loop is closed: those of revolute, continuous,
    /// cylindrical, helical and planar joints with the axis in B opposite to that in A; those of prismatic joints and
    /// translations after half turns of B about the axis and the two across it (about x, y, z), and after the four
    /// third turns that carry each of the three to the next or its opposite.
    ///
    /// ```
    /// use gradyn::dynamics::Constraint;
    /// use gradyn::joint::{Axis, Revolute};
    /// use gradyn::spatial::Transform;
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
    /// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
    /// # let (rod, crank) = (model.body_id(2).expect("is there"), model.body_id(5).expect("is there"));
    /// let here = Transform::<f64>::identity();
    /// let hinge = Constraint::joint(rod, here, crank, here, Revolute { axis: Axis::Y })?;
    /// assert_eq!(hinge.rows(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InputError::LoopJoint`] for a free-flyer, which holds nothing; [`InputError::LoopNumber`] for an axis that is
    /// not a unit vector, or a pitch that is not finite.
    pub fn joint(
        a: impl Into<Option<BodyId>>,
        x_a: Transform<P>,
        b: impl Into<Option<BodyId>>,
        x_b: Transform<P>,
        joint: impl Into<Elementary<P>>,
    ) -> Result<Self, InputError> {
        let joint = joint.into();
        if let Some((what, value, rule)) = joint.bad_number() {
            return Err(InputError::LoopNumber { kind: joint.name(), what, value, rule });
        }
        match Relation::of_joint(&joint) {
            Some(relation) => Ok(Self { relation, ..Self::frame(a, x_a, b, x_b) }),
            None => Err(InputError::LoopJoint { kind: joint.name() }),
        }
    }

    /// The same constraint with its numbers in a wider type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> Constraint<T> {
        let of = |at: &Attached<P>| Attached { body: at.body, placement: at.placement.lift() };
        Constraint {
            a: of(&self.a),
            b: of(&self.b),
            bodies: self.bodies,
            relation: self.relation.lift(),
            kp: T::from(self.kp),
            kd: T::from(self.kd),
            sound: self.sound,
        }
    }

    /// A point of a body, in its coordinates, stands at a place in the world, m.
    #[must_use]
    pub fn contact(body: BodyId, point: Vector3<P>, place: Vector3<P>) -> Self {
        Self::point(None, place, body, point)
    }

    /// The origin of a frame stands at a place in the world, m: [`contact`](Self::contact) of a foot by its name.
    ///
    /// ```
    /// use gradyn::dynamics::Constraint;
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
    /// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new().floating_base(true))?.model;
    /// let foot = model.find_frame("FL_FOOT").expect("is there");
    /// let contact = Constraint::frame_contact(&model, foot, [0.2, 0.1, 0.0].into())?;
    /// assert_eq!(contact.rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's frame.
    pub fn frame_contact(model: &Model<P>, frame: impl Into<FrameRef>, place: Vector3<P>) -> Result<Self, InputError> {
        let (body, x_b) = origin(model, frame.into())?;
        Ok(Self::of([None, body], [Transform::from_translation(place), x_b], Relation::Point))
    }

    /// The origins of two frames coincide: 3 rows, as [`point`](Self::point). Frames that are fixed to the world are
    /// places there.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's frame.
    pub fn connect(model: &Model<P>, a: impl Into<FrameRef>, b: impl Into<FrameRef>) -> Result<Self, InputError> {
        let [(a, x_a), (b, x_b)] = [origin(model, a.into())?, origin(model, b.into())?];
        Ok(Self::of([a, b], [x_a, x_b], Relation::Point))
    }

    /// Two frames coincide: 6 rows, as [`frame`](Self::frame). Frames that are fixed to the world are poses there.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's frame.
    pub fn weld(model: &Model<P>, a: impl Into<FrameRef>, b: impl Into<FrameRef>) -> Result<Self, InputError> {
        let [(a, x_a), (b, x_b)] = [place_of(model, a.into())?, place_of(model, b.into())?];
        Ok(Self::of([a, b], [x_a, x_b], Relation::Frame))
    }

    /// Without gains.
    fn of(bodies: [Option<BodyId>; 2], placements: [Transform<P>; 2], relation: Relation<P>) -> Self {
        let sound = placements.iter().all(|x| x.check().is_ok());
        let side = |k: usize| Attached { body: bodies[k].map(BodyId::index), placement: placements[k] };
        Self { a: side(0), b: side(1), bodies, relation, kp: P::zero(), kd: P::zero(), sound }
    }

    /// With `ë + k_d ė + k_p e = 0` asked for instead of `ë = 0`: `kp` in 1/s², `kd` in 1/s, neither negative.
    #[must_use]
    pub fn with_gains(mut self, kp: P, kd: P) -> Self {
        (self.kp, self.kd) = (kp, kd);
        self
    }

    /// The bodies of A and of B; `None` is the world.
    ///
    /// ```
    /// use gradyn::dynamics::{Constraint, ConstraintKind};
    /// use gradyn::joint::{Axis, Revolute};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
    /// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new().floating_base(true))?.model;
    /// let id = model.find_frame("FL_FOOT").expect("is there");
    /// let foot = &model.frames()[id.index()];
    /// let contact = Constraint::frame_contact(&model, id, [0.2, 0.1, 0.0].into())?.with_gains(100.0, 20.0);
    /// assert_eq!(contact.bodies(), [None, foot.body()]);
    /// let [place, at] = contact.placements();
    /// assert_eq!((place.translation, at.translation), ([0.2, 0.1, 0.0].into(), foot.placement().translation));
    /// assert_eq!((contact.kind(), contact.gains()), (ConstraintKind::Point, (100.0, 20.0)));
    ///
    /// let hinge = Revolute { axis: Axis::Y };
    /// let closed = Constraint::joint(None, *place, foot.body(), *at, hinge)?;
    /// assert_eq!(closed.kind(), ConstraintKind::Joint(hinge.into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[doc(alias("joint1_id", "joint2_id"))]
    pub fn bodies(&self) -> [Option<BodyId>; 2] {
        self.bodies
    }

    /// Poses of what is held, of A in its body and of B in its body, m; in the world where there is
    /// [no body](Self::bodies). Of points, translations.
    #[must_use]
    #[doc(alias("joint1_placement", "joint2_placement"))]
    pub fn placements(&self) -> [&Transform<P>; 2] {
        [&self.a.placement, &self.b.placement]
    }

    /// A point, a frame, or which joint.
    #[must_use]
    pub fn kind(&self) -> ConstraintKind<P> {
        match self.relation {
            Relation::Point => ConstraintKind::Point,
            Relation::Frame => ConstraintKind::Frame,
            Relation::Joint { joint, .. } => ConstraintKind::Joint(joint),
        }
    }

    /// `k_p` in 1/s² and `k_d` in 1/s, of [`with_gains`](Self::with_gains); zeros without them.
    #[must_use]
    #[doc(alias("corrector", "baumgarte_corrector_parameters"))]
    pub fn gains(&self) -> (P, P) {
        (self.kp, self.kd)
    }

    /// Its rows: 3 for points, 6 for frames, those of the table for [`joint`](Self::joint)s.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.relation.count()
    }

    /// Names of the bodies A and B, which are the model's.
    fn names<'m>(&self, model: &'m Model<P>) -> [&'m str; 2] {
        [&self.a, &self.b].map(|side| side.body.map_or("world", |b| &model.bodies[b].name))
    }

    /// The side, 0 for A and 1 for B, and the body of a point or a frame that is held to the world.
    pub(super) fn anchored(&self) -> Option<(usize, usize)> {
        match (&self.relation, self.a.body, self.b.body) {
            (Relation::Point | Relation::Frame, Some(b), None) => Some((0, b)),
            (Relation::Point | Relation::Frame, None, Some(b)) => Some((1, b)),
            _ => None,
        }
    }
}

/// The body of a frame, and its pose there.
fn place_of<P: Real>(model: &Model<P>, frame: FrameRef) -> Result<(Option<BodyId>, Transform<P>), InputError> {
    let at = Attached::of(model, frame)?;
    Ok((at.body.map(|b| model.id_of(b)), at.placement))
}

/// The body of a frame, and the place of its origin there.
fn origin<P: Real>(model: &Model<P>, frame: FrameRef) -> Result<(Option<BodyId>, Transform<P>), InputError> {
    let (body, x) = place_of(model, frame)?;
    Ok((body, Transform::from_translation(x.translation)))
}

/// Rows of all of them.
pub(crate) fn rows_of<P: Real>(constraints: &[Constraint<P>]) -> usize {
    constraints.iter().map(Constraint::rows).sum()
}

/// Whether a result with one entry per row is finite.
#[inline]
pub(super) fn check_rows<P: Real, T: Real>(
    model: &Model<P>,
    constraints: &[Constraint<P>],
    what: &'static str,
    x: &[T],
) -> Result<(), InputError> {
    first_not_finite(x).map_or(Ok(()), |row| Err(overflow(model, constraints, what, row)))
}

#[cold]
fn overflow<P: Real>(model: &Model<P>, constraints: &[Constraint<P>], what: &'static str, row: usize) -> InputError {
    let mut end = 0;
    let of_row = constraints.iter().enumerate().find(|(_, c)| {
        end += c.rows();
        row < end
    });
    let owner = of_row.map_or_else(String::new, |(k, c)| {
        let [a, b] = c.names(model);
        format!("constraint {k}, between `{a}` and `{b}`")
    });
    InputError::Overflow { what, index: row, joint: owner }
}

/// Checks that they are between bodies of the model, and have valid numbers.
pub(crate) fn check<P: Real>(model: &Model<P>, constraints: &[Constraint<P>]) -> Result<(), InputError> {
    for (index, c) in constraints.iter().enumerate() {
        c.bodies.into_iter().flatten().try_for_each(|body| model.check_body(body).map(|_| ()))?;
        let refuse = |reason| {
            let [a, b] = c.names(model).map(str::to_owned);
            Err(InputError::Constraint { index, a, b, reason })
        };
        if c.a.body == c.b.body {
            return refuse("both sides are fixed to the same thing");
        }
        if !(c.a.placement.is_finite() && c.b.placement.is_finite() && c.kp.is_finite() && c.kd.is_finite()) {
            return refuse("a number is not finite");
        }
        if !c.sound {
            return refuse("a placement is not a pose: its rotation is not orthonormal and right-handed, within 1e-9");
        }
        if [c.kp, c.kd].into_iter().any(|k| is_negative(k) != Some(false)) {
            return refuse("a gain is negative");
        }
    }
    Ok(())
}

/// The bodies that constraints are attached to, and whether some rows are made from columns one by one.
pub(super) fn attached<P: Real>(constraints: &[Constraint<P>]) -> (impl Iterator<Item = usize>, bool) {
    let bodies = constraints.iter().flat_map(|c| [c.a.body, c.b.body]).flatten();
    (bodies, constraints.iter().any(|c| c.anchored().is_none()))
}

impl Constraint {
    /// The constraint that a joint of a file is, which closes a loop: [`frame`](Self::frame) for a fixed joint, else
    /// [`joint`](Self::joint).
    ///
    /// # Errors
    /// As [`joint`](Self::joint).
    pub fn of_loop(joint: &LoopJoint) -> Result<Self, InputError> {
        let ([a, b], [x_a, x_b]) = (joint.bodies, joint.placements);
        match joint.joint {
            Elementary::Fixed(_) => Ok(Self::frame(a, x_a, b, x_b)),
            kind => Self::joint(a, x_a, b, x_b, kind),
        }
    }
}
