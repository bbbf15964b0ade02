//! Jacobians of frames and points: `6 × nv`, linear rows first, or `3 × nv`.
//!
//! The Jacobian is computed column by column. The motion that a degree of freedom gives to the frame's body is the
//! column `S_k` of the motion subspace of its joint. Only bodies on the path from the frame to the root contribute, and
//! only these are placed, so the cost is that of the path. Columns are transformed to the frame joint by joint, not
//! through the world, so that no digits are lost if a robot is far from the world's origin.

use super::reference::{Attached, check_body};
use super::slice_ops::{fill, first_not_finite};
use super::{FrameRef, ReferenceFrame, Workspace, check_finite, world};
use crate::default_fields::default_of_fields;
use crate::dynamics::by_plan::{self, Kernels};
use crate::kernels::finite;
use crate::level::at_level;
use crate::model::{Body, BodyId, InputError, Model, path};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// Results of this file, and of its derivatives in time.
#[derive(Clone, Debug)]
pub(crate) struct JacobianMemory<T> {
    /// 6 × nv.
    pub(crate) frame: DMatrix<T>,
    /// 3 × nv.
    pub(super) point: DMatrix<T>,
    /// 6 × nv, of all joints.
    pub(super) joints: DMatrix<T>,
    /// 6 × nv, of the derivative in time.
    pub(super) rate: DMatrix<T>,
    /// Joint accelerations of zero, nv.
    pub(super) zeros: Vec<T>,
}

default_of_fields!(JacobianMemory: frame, point, joints, rate, zeros);

/// Jacobian of a frame: `J(q) q̇` is its velocity in the reference, 6 × nv, linear rows first.
///
/// `q`: nq. For a body, it is the Jacobian of its joint (Pinocchio's `computeJointJacobian`). Columns of degrees of
/// freedom that do not move the frame are exactly zero; one that moves it through several joints, because they mimic,
/// has the sum. Cost O(depth); a second call allocates nothing.
///
/// ```
/// use gradyn::dynamics::{ReferenceFrame, frame_jacobian};
/// # use gradyn::{Model, UrdfOptions, Workspace};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let hand = model.find_frame("panda_link8").expect("is there");
/// let mut workspace = Workspace::new(&model);
/// let q = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];
/// let jacobian = frame_jacobian(&model, &mut workspace, &q, hand, ReferenceFrame::Local)?;
/// assert_eq!(jacobian.shape(), (6, model.nv()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the model has no such frame, or a number is
/// not finite.
#[doc(alias(
    "computeFrameJacobian",
    "getFrameJacobian",
    "getJointJacobian",
    "GeometricJacobian",
    "CalcJacobianSpatialVelocity",
    "mj_jacBody"
))]
pub fn frame_jacobian<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w DMatrix<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    check_sizes(model, ws, q)?;
    let quick = |kernels: Kernels<'_>| kernels.frame_jacobian(T::as_f64s(q)?, by_plan::same(&at)?, reference);
    if by_plan::of(model, ws).and_then(quick).is_none() {
        check_finite(model, q, &[], &[])?;
        place_path(model, ws, q, at.body);
        fill_frame(model, ws, &at, reference);
        finite(model, "frame_jacobian", &ws.jacobian.frame)?;
    }
    Ok(&ws.jacobian.frame)
}

/// The columns of all joints in coordinates of the world: column `k` is the motion that the degree of freedom `k` gives
/// to all that its joint carries; 6 × nv, linear rows first.
///
/// `q`: nq. The Jacobian of any body or frame in [`ReferenceFrame::World`] has those of its columns whose joints are on
/// the path to the root, and zero elsewhere; so one call serves all bodies (Pinocchio's `computeJointJacobians`). A
/// degree of freedom that several joints share, because they mimic, has the sum of their columns: what is carried by
/// all of them. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[doc(alias = "computeJointJacobians")]
pub fn joint_jacobians<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    check_sizes(model, ws, q)?;
    if by_plan::of(model, ws).and_then(|kernels| kernels.joint_jacobians(T::as_f64s(q)?)).is_none() {
        check_finite(model, q, &[], &[])?;
        of_joints(model, ws, q);
        finite(model, "joint_jacobians", &ws.jacobian.joints)?;
    }
    Ok(&ws.jacobian.joints)
}

/// Jacobian of a point fixed in a body: `J(q) q̇` is its velocity, m/s, 3 × nv.
///
/// `q`: nq; `point`: in coordinates of the body, m. The reference says in which axes: those of the body for
/// [`ReferenceFrame::Local`], those of the world else. Cost O(depth); a second call allocates nothing.
///
/// # Errors
/// As [`frame_jacobian`].
#[doc(alias("CalcJacobianTranslationalVelocity", "mj_jac"))]
pub fn point_jacobian<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    body: BodyId,
    point: Vector3<P>,
    reference: ReferenceFrame,
) -> Result<&'w DMatrix<T>, InputError> {
    check_body(model, body)?;
    check_sizes(model, ws, q)?;
    let (at, reference) = (Attached::at_point(body, point), reference.of_point());
    let quick = |kernels: Kernels<'_>| kernels.point_jacobian(T::as_f64s(q)?, by_plan::same(&at)?, reference);
    if by_plan::of(model, ws).and_then(quick).is_none() {
        check_finite(model, q, &[], &[])?;
        of_point(model, ws, q, &at, reference);
        finite(model, "point_jacobian", &ws.jacobian.point)?;
    }
    Ok(&ws.jacobian.point)
}

/// Jacobian of the motion of a frame B relative to a frame A: `J(q) q̇` is the velocity of B seen from A, 6 × nv.
///
/// A takes the place that the world has in [`frame_jacobian`]; with `v_a`, `v_b` the velocities of both in the world:
///
/// | reference | coordinates of `v_b − v_a` |
/// |---|---|
/// | [`World`](ReferenceFrame::World) | of A: axes of A, the linear part is that of the point of B passing A's origin |
/// | [`Local`](ReferenceFrame::Local) | of B: axes of B, the linear part is that of B's origin |
/// | [`LocalWorldAligned`](ReferenceFrame::LocalWorldAligned) | axes of A, the linear part is `d/dt` of B's position in A |
///
/// Degrees of freedom that move both alike have columns that are exactly zero. Cost O(depth); a second call allocates
/// nothing.
///
/// # Errors
/// As [`frame_jacobian`].
pub fn relative_jacobian<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    a: impl Into<FrameRef>,
    b: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w DMatrix<T>, InputError> {
    let (a, b) = (Attached::of(model, a.into())?, Attached::of(model, b.into())?);
    check(model, ws, q, &[])?;
    of_frames(model, ws, q, &a, &b, reference);
    finite(model, "relative_jacobian", &ws.jacobian.frame)?;
    Ok(&ws.jacobian.frame)
}

at_level! {
    /// Jacobian of a frame into `ws.jacobian`; the bodies on its path have been placed.
    pub(crate) fn fill_frame<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        at: &Attached<P>,
        reference: ReferenceFrame,
    ) {
        let x_wf: Transform<T> = at.pose(ws);
        let Workspace { x_pb, columns, first, jacobian, .. } = ws;
        clear(&mut jacobian.frame, 6, model.nv);
        let mut x_bf: Transform<T> = at.placement.lift();
        for (i, body) in path(&model.bodies, at.body) {
            for (column, dof) in columns[first[i]..].iter().zip(body.v.clone()) {
                add(&mut jacobian.frame, dof, reference.motion_from_local(&x_wf, x_bf.inv_act(*column)));
            }
            x_bf = x_pb[i] * x_bf;
        }
    }

    /// The columns of [`joint_jacobians`].
    fn of_joints<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
        for i in 0..model.bodies.len() {
            world::place_body(model, ws, i, q);
        }
        let Workspace { x_wb, columns, first, jacobian, .. } = ws;
        clear(&mut jacobian.joints, 6, model.nv);
        for (i, body) in model.bodies.iter().enumerate() {
            for (column, dof) in columns[first[i]..].iter().zip(body.v.clone()) {
                add(&mut jacobian.joints, dof, x_wb[i].act(*column));
            }
        }
    }

    /// The columns of [`point_jacobian`].
    fn of_point<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        at: &Attached<P>,
        reference: ReferenceFrame,
    ) {
        place_path(model, ws, q, at.body);
        let x_wf: Transform<T> = at.pose(ws);
        let Workspace { x_pb, columns, first, jacobian, .. } = ws;
        clear(&mut jacobian.point, 3, model.nv);
        let mut x_bf: Transform<T> = at.placement.lift();
        for (i, body) in path(&model.bodies, at.body) {
            for (column, dof) in columns[first[i]..].iter().zip(body.v.clone()) {
                let moved = reference.motion_from_local(&x_wf, x_bf.inv_act(*column));
                add_rows(&mut jacobian.point, 0, dof, moved.linear);
            }
            x_bf = x_pb[i] * x_bf;
        }
    }

    /// The columns of [`relative_jacobian`].
    fn of_frames<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        a: &Attached<P>,
        b: &Attached<P>,
        reference: ReferenceFrame,
    ) {
        place_path(model, ws, q, a.body);
        place_path(model, ws, q, b.body);
        // The nearest body C that moves both moves neither relative to the other.
        let carrier =
            path(&model.bodies, a.body).map(|(i, _)| i).find(|i| b.body.is_some_and(|b| carries(&model.bodies, *i, b)));
        let (x_ca, x_cb) = (pose_from(model, ws, a, carrier), pose_from(model, ws, b, carrier));
        let x_ab = x_ca.inv_mul(&x_cb);
        let Workspace { x_pb, columns, first, jacobian, .. } = ws;
        clear(&mut jacobian.frame, 6, model.nv);
        let mut x_bb: Transform<T> = b.placement.lift();
        for (i, body) in path(&model.bodies, b.body).take_while(|(i, _)| Some(*i) != carrier) {
            for (column, dof) in columns[first[i]..].iter().zip(body.v.clone()) {
                add(&mut jacobian.frame, dof, reference.motion_from_local(&x_ab, x_bb.inv_act(*column)));
            }
            x_bb = x_pb[i] * x_bb;
        }
        let mut x_ba: Transform<T> = a.placement.lift();
        for (i, body) in path(&model.bodies, a.body).take_while(|(i, _)| Some(*i) != carrier) {
            for (column, dof) in columns[first[i]..].iter().zip(body.v.clone()) {
                let in_a: Motion<T> = x_ba.inv_act(*column);
                add(&mut jacobian.frame, dof, reference.motion_from_world(&x_ab, -in_a));
            }
            x_ba = x_pb[i] * x_ba;
        }
    }

    /// Pose of a frame in a body that carries it, or in the world.
    fn pose_from<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &Workspace<T>,
        at: &Attached<P>,
        carrier: Option<usize>,
    ) -> Transform<T> {
        let mut x: Transform<T> = at.placement.lift();
        for (i, _) in path(&model.bodies, at.body) {
            if Some(i) == carrier {
                break;
            }
            x = ws.x_pb[i] * x;
        }
        x
    }
}

/// Whether the body `i` is on the path from `tip` to the root.
#[inline(always)]
pub(crate) fn carries<P>(bodies: &[Body<P>], i: usize, tip: usize) -> bool {
    (i..bodies[i].subtree_end).contains(&tip)
}

at_level! {
    /// [`world::place`] for the bodies from the root to this one only.
    pub(crate) fn place_path<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        tip: Option<usize>,
    ) {
        let Some(tip) = tip else { return };
        for i in 0..=tip {
            if carries(&model.bodies, i, tip) {
                world::place_body(model, ws, i, q);
            }
        }
    }
}

/// Adds a motion to a column.
#[inline(always)]
pub(crate) fn add<T: Real>(to: &mut DMatrix<T>, column: usize, m: Motion<T>) {
    add_rows(to, 0, column, m.linear);
    add_rows(to, 3, column, m.angular);
}

/// Adds a vector to three rows of a column.
#[inline(always)]
pub(crate) fn add_rows<T: Real>(to: &mut DMatrix<T>, row: usize, column: usize, u: Vector3<T>) {
    to[(row, column)] += u.x;
    to[(row + 1, column)] += u.y;
    to[(row + 2, column)] += u.z;
}

/// Brings a matrix to this shape, all zero. Allocates the first time.
#[inline(always)]
pub(crate) fn clear<T: Real>(m: &mut DMatrix<T>, rows: usize, columns: usize) {
    if m.shape() == (rows, columns) {
        fill(m.as_mut_slice(), T::zero());
    } else {
        *m = DMatrix::from_element(rows, columns, T::zero());
    }
}

/// Checks the length of `q`, and that the workspace is the model's.
pub(crate) fn check_sizes<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &Workspace<T>,
    q: &[T],
) -> Result<(), InputError> {
    model.check_q(q)?;
    ws.check(model)
}

/// Checks lengths, that the workspace is the model's, and that numbers are finite. `v` is empty where it is not asked
/// for.
pub(crate) fn check<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<(), InputError> {
    check_sizes(model, ws, q)?;
    check_finite(model, q, v, &[])
}

/// Checks a result that has one column a degree of freedom.
pub(crate) fn finite<P: Real, T: Real>(model: &Model<P>, what: &'static str, m: &DMatrix<T>) -> Result<(), InputError> {
    if T::as_f64s(m.as_slice()).is_some_and(finite::all_finite) {
        return Ok(());
    }
    match first_not_finite(m.as_slice()) {
        None => Ok(()),
        Some(at) => Err(model.overflow(what, at / m.nrows())),
    }
}
