//! Regressors: what is linear in the bodies' inertial parameters, or in small errors of the joints' placements.
//!
//! Bodies have ten parameters each ([`Inertia::to_parameters`](crate::spatial::Inertia::to_parameters)), those of body `b`
//! in columns `10 b ..`; all of them are [`Model::inertial_parameters`]. What joints add by themselves (armature,
//! damping, friction) is not part of any regressor.

use super::com::share;
use super::energy::drive;
use super::jacobian::{add, check as check_state, check_sizes, clear, empty, place_path};
use super::placed::{Placed, update};
use super::reference::Attached;
use super::rnea::{base_acceleration, check_finite};
use super::slices::first_not_finite;
use super::{FrameRef, ReferenceFrame, Workspace, world};
use crate::at_level::at_level;
use crate::dynamics::by_plan::{self, Kernels};
use crate::dynamics::reference::view;
use crate::model::{InputError, Model, path, room};
use crate::spatial::{
    Motion, Transform, kinetic_energy_regressor as of_kinetic_energy, power_regressor, vector as v3, wrench_regressor,
};
use gradyn_derivatives::simd::Piece;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// Results of this file.
#[derive(Clone, Debug)]
pub(crate) struct Memory<T> {
    /// nv × 10 n.
    pub(super) torque: DMatrix<T>,
    /// 1 × 10 n.
    pub(super) energy: DMatrix<T>,
    /// 6 × 10.
    wrench: DMatrix<T>,
    /// 6 × 6 n.
    pub(super) kinematic: DMatrix<T>,
    /// 3 × 4 n.
    pub(super) com: DMatrix<T>,
    /// nv × (10 n + 3 m).
    pub(super) standard: DMatrix<T>,
}

impl<T> Memory<T> {
    /// The first block of the standard regressor, and the regressor.
    pub(super) fn torque_and_standard(&mut self) -> (&DMatrix<T>, &mut DMatrix<T>) {
        (&self.torque, &mut self.standard)
    }
}

impl<T: Real> Default for Memory<T> {
    fn default() -> Self {
        Self { torque: empty(), energy: empty(), wrench: empty(), kinematic: empty(), com: empty(), standard: empty() }
    }
}

impl<P: Real> Model<P> {
    /// The inertial parameters of all bodies, ten each: what regressors multiply.
    #[must_use]
    pub fn inertial_parameters(&self) -> Vec<P> {
        self.bodies.iter().flat_map(|body| body.inertia.to_parameters()).collect()
    }
}

/// `Y(q, v, a)` with `τ = Y π`: joint torques of inverse dynamics from the inertial parameters, nv × 10 n.
///
/// `q`: nq, `v`, `a`: nv; `π`: [`Model::inertial_parameters`]. Gravity is included; armature, damping and friction of the
/// joints are not ([`standard_regressor`](super::standard_regressor()) has them), nor wrenches from outside. Entries of bodies that a joint does not carry are exactly zero. Cost
/// O(n d); a second call allocates nothing. Pinocchio's `computeJointTorqueRegressor`.
///
/// ```
/// use gradyn::dynamics::{rnea, torque_regressor};
/// # use gradyn::{Model, UrdfOptions, Workspace};
/// # use nalgebra::DVector;
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model.with_joint_friction(false);
/// let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7]);
/// let mut workspace = Workspace::new(&model);
/// let parameters = DVector::from_vec(model.inertial_parameters());
/// let tau = torque_regressor(&model, &mut workspace, &q, &v, &a)? * parameters;
/// let expected = rnea(&model, &mut workspace, &q, &v, &a, &[])?;
/// # assert!(model.joint_dynamics().iter().all(|dof| dof.armature == 0.0));
/// assert!((tau[3] - expected[3]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[doc(alias = "computeJointTorqueRegressor")]
pub fn torque_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let shape = (model.nv, 10 * model.bodies.len());
    if ws.regressor.torque.shape() != shape {
        room::<T>("the regressor of torques", &[shape.0, shape.1])?;
    }
    if by_plan::of(model, ws).and_then(|kernels| kernels.torque_regressor(by_plan::state((q, v, a))?)).is_some() {
        return Ok(&ws.regressor.torque);
    }
    check_finite(model, q, v, a)?;
    update(model, ws, base_acceleration(model), (q, v, a));
    let Workspace { regressor: Memory { torque, .. }, placed, .. } = &mut *ws;
    if torque.shape() != shape {
        clear(torque, shape.0, shape.1); // what the tree makes zero is never written to
    }
    let surely = T::call(Torques { placed, torque });
    if !surely {
        finite(model, "torque_regressor", torque)?;
    }
    Ok(&ws.regressor.torque)
}

/// `Y(q)` with `g = Y π`: the joint torques that hold the robot at rest, from the inertial parameters, nv × 10 n:
/// [`torque_regressor`] without motion.
///
/// # Errors
/// As [`torque_regressor`].
#[doc(alias = "computeStaticRegressor")]
pub fn static_torque_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    let mut still = std::mem::take(&mut ws.still);
    still.resize(model.nv, T::zero());
    let done = torque_regressor(model, ws, q, &still, &still).map(|_| ());
    ws.still = still;
    done.map(|()| &ws.regressor.torque)
}

/// The columns of each body: the power of its wrenches on all columns of motion from there to the root, in its coordinates.
struct Torques<'a, T> {
    placed: &'a Placed<T>,
    torque: &'a mut DMatrix<T>,
}

impl<T: Real + Scalar<T>> Piece for Torques<'_, T> {
    /// Are all entries surely finite?
    type Output = bool;
    #[inline(always)]
    fn run(self) -> bool {
        let Self { placed, torque } = self;
        let (rows, torque) = (torque.nrows(), torque.as_mut_slice());
        let mut sum = T::zero();
        for (b, pose) in placed.pose.iter().enumerate() {
            let (v, a) = (pose.inv_act(placed.velocity[b]), pose.inv_act(placed.acceleration[b]));
            let of_body = &mut torque[10 * b * rows..][..10 * rows];
            for link in placed.path(placed.carrier[b]) {
                for column in link.columns.clone() {
                    let dof = placed.dof[column];
                    for k in 0..10 {
                        of_body[k * rows + dof] = T::zero();
                    }
                }
            }
            for link in placed.path(placed.carrier[b]) {
                for column in link.columns.clone() {
                    let (s, dof) = (pose.inv_act(placed.columns[column]), placed.dof[column]);
                    for (k, x) in power_regressor(s, v, a).into_iter().enumerate() {
                        of_body[k * rows + dof] += x;
                        sum += x;
                    }
                }
            }
        }
        sum.is_finite()
    }
}

/// `W` with `f = W π_F`: the wrench that a body needs for its motion, gravity included, 6 × 10, linear rows first.
///
/// Everything is in coordinates of the frame F that is asked about: the wrench, with its moment about F's origin, and the
/// parameters `π_F` of the body that F belongs to (of any body fixed to F, such as a load whose parameters are sought).
/// `q`: nq, `v`, `a`: nv. For a frame fixed to the world, the wrench that holds a body there. Cost O(n); a second call
/// allocates nothing. Pinocchio's `computeFrameBodyRegressor`.
///
/// # Errors
/// As [`torque_regressor`], and if the model has no such frame.
#[doc(alias = "frameBodyRegressor")]
pub fn frame_wrench_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: impl Into<FrameRef>,
) -> Result<&'w DMatrix<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let quick = |kernels: Kernels<'_>| {
        let gravity: &Vector3<f64> = by_plan::same(&model.gravity)?;
        let found =
            kernels.frame_motion(*gravity, by_plan::state((q, v, a))?, by_plan::same(&at)?, ReferenceFrame::Local)?;
        by_plan::same(&found).copied()
    };
    let surely: Option<(Motion<T>, Motion<T>)> = by_plan::of(model, ws).and_then(quick);
    let (v, a) = match (surely, at.body) {
        (Some(found), _) => found,
        (None, Some(b)) => {
            check_finite(model, q, v, a)?;
            local_motion(&*update(model, ws, base_acceleration(model), (q, v, a)), b, &at)
        }
        (None, None) => {
            check_finite(model, q, v, a)?;
            (Motion::zero(), at.placement.lift::<T>().inv_act(base_acceleration(model)))
        }
    };
    let wrench = &mut ws.regressor.wrench;
    clear(wrench, 6, 10);
    of_wrench(&v, &a, wrench);
    finite(model, "frame_wrench_regressor", wrench)?;
    Ok(&ws.regressor.wrench)
}

/// `w(q, v)` with `½ vᵀ M v = w π`, J: kinetic energy from the inertial parameters, 1 × 10 n. That of rotors (armature) is
/// not included.
///
/// `q`: nq, `v`: nv. Cost O(n); a second call allocates nothing.
///
/// # Errors
/// As [`torque_regressor`].
#[doc(alias = "computeKineticEnergyRegressor")]
pub fn kinetic_energy_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_length("v", "nv", v.len(), model.nv)?;
    check_sizes(model, ws, q)?;
    let quick = |kernels: Kernels<'_>| kernels.energy_regressor(T::as_f64s(q)?, Some(T::as_f64s(v)?));
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.regressor.energy);
    }
    check_state(model, ws, q, v)?;
    drive(model, ws, q, v);
    let energy = &mut ws.regressor.energy;
    clear(energy, 1, 10 * model.bodies.len());
    kinetic_row(&ws.velocity, energy);
    finite(model, "kinetic_energy_regressor", energy)?;
    Ok(&ws.regressor.energy)
}

/// `w(q)` with `−Σ m g·c = w π`, J: potential energy in the gravitational field from the inertial parameters, 1 × 10 n.
///
/// `q`: nq. `−g·p` multiplies the mass of a body with its origin at `p`, `−Rᵀ g` its first moment. Cost O(n); a second
/// call allocates nothing.
///
/// # Errors
/// As [`torque_regressor`].
#[doc(alias = "computePotentialEnergyRegressor")]
pub fn potential_energy_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    check_sizes(model, ws, q)?;
    if by_plan::of(model, ws).and_then(|kernels| kernels.energy_regressor(T::as_f64s(q)?, None)).is_some() {
        return Ok(&ws.regressor.energy);
    }
    check_state(model, ws, q, &[])?;
    world::place(model, ws, q);
    let energy = &mut ws.regressor.energy;
    clear(energy, 1, 10 * model.bodies.len());
    potential_row(model, &ws.x_wb, energy);
    finite(model, "potential_energy_regressor", energy)?;
    Ok(&ws.regressor.energy)
}

/// `Y(q)` with `c = Y p`: the centre of mass in the world, m, from the masses and first moments of the bodies, 3 × 4 n.
///
/// `q`: nq; `p`: of each body the first four of its [`inertial parameters`](Model::inertial_parameters), kg and kg m. Columns
/// `4 b .. 4 b + 4`: the position of body `b`, m/kg, then its rotation, 1/kg, both over the mass of the model; so `c = Y p`
/// holds for `p` whose masses sum up to that. Cost O(n); a second call allocates nothing. Pinocchio's `computeStaticRegressor`.
///
/// # Errors
/// As [`torque_regressor`], and if the robot has no mass.
pub fn com_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    check_sizes(model, ws, q)?;
    let mass = model.bodies.iter().fold(P::zero(), |sum, body| sum + body.inertia.mass);
    let share = share(model, mass, None)?;
    let quick = |kernels: Kernels<'_>| kernels.com_regressor(T::as_f64s(q)?, *by_plan::same(&share)?);
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.regressor.com);
    }
    check_finite(model, q, &[], &[])?;
    world::place(model, ws, q);
    let Workspace { regressor: Memory { com, .. }, x_wb, .. } = ws;
    clear(com, 3, 4 * model.bodies.len());
    com_rows(x_wb, share, com);
    finite(model, "com_regressor", com)?;
    Ok(&ws.regressor.com)
}

/// How a frame moves by small errors of the joints' placements: geometric calibration, 6 × 6 n, linear rows first.
///
/// `q`: nq. Columns `6 b .. 6 b + 6`: the motion of the frame, in the reference, when the placement of body `b`'s joint
/// becomes `placement ∘ exp(ε e_k)` ([`Model::with_placement`]): small displacements along, then rotations about the
/// axes of the joint's mounting frame. Zero for joints that do not carry the frame. Cost O(n); a second call allocates
/// nothing. Pinocchio's `computeFrameKinematicRegressor`.
///
/// # Errors
/// As [`torque_regressor`], and if the model has no such frame.
#[doc(alias = "computeFrameKinematicRegressor")]
pub fn kinematic_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w DMatrix<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    check_sizes(model, ws, q)?;
    let quick = |kernels: Kernels<'_>| kernels.kinematic_regressor(T::as_f64s(q)?, by_plan::same(&at)?, reference);
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.regressor.kinematic);
    }
    check_finite(model, q, &[], &[])?;
    of_placements(model, ws, q, &at, reference);
    finite(model, "kinematic_regressor", &ws.regressor.kinematic)?;
    Ok(&ws.regressor.kinematic)
}

at_level! {
    /// Velocity and acceleration of a frame of the body `b`, in its coordinates.
    fn local_motion<P: Real, T: Scalar<P>>(placed: &Placed<T>, b: usize, at: &Attached<P>) -> (Motion<T>, Motion<T>) {
        let seen = view(placed, b, at, ReferenceFrame::Local);
        (seen.motion(placed.velocity[b]), seen.motion(placed.acceleration[b]))
    }
}

at_level! {
    /// The wrench regressor of a body that moves like this, added up.
    fn of_wrench<T: Real>(v: &Motion<T>, a: &Motion<T>, to: &mut DMatrix<T>) {
        for (k, f) in wrench_regressor(*v, *a).into_iter().enumerate() {
            add(to, k, Motion::new(f.linear, f.angular));
        }
    }
}

at_level! {
    /// The row of kinetic energy, from the velocities of the bodies in their coordinates.
    fn kinetic_row<T: Real>(velocities: &[Motion<T>], energy: &mut DMatrix<T>) {
        for (b, velocity) in velocities.iter().enumerate() {
            energy.as_mut_slice()[10 * b..][..10].copy_from_slice(&of_kinetic_energy(*velocity));
        }
    }
}

at_level! {
    /// The row of potential energy, from the poses of the bodies.
    fn potential_row<P: Real, T: Scalar<P>>(model: &Model<P>, x_wb: &[Transform<T>], energy: &mut DMatrix<T>) {
        for (b, x_wb) in x_wb.iter().enumerate() {
            let first = x_wb.inv_vector(v3::neg(v3::lift::<P, T>(model.gravity)));
            let row = [-v3::dot(model.gravity, x_wb.translation), first.x, first.y, first.z];
            energy.as_mut_slice()[10 * b..][..4].copy_from_slice(&row);
        }
    }
}

at_level! {
    /// Of each body its position and then its rotation, times a share.
    fn com_rows<P: Real, T: Scalar<P>>(x_wb: &[Transform<T>], share: P, com: &mut DMatrix<T>) {
        for (to, x) in com.as_mut_slice().chunks_exact_mut(12).zip(x_wb) {
            let (position, rotation) = to.split_at_mut(3);
            for (to, x) in position.iter_mut().zip(x.translation.as_slice()) {
                *to = *x * share;
            }
            for (to, x) in rotation.iter_mut().zip(x.rotation.as_slice()) {
                *to = *x * share;
            }
        }
    }
}

at_level! {
    /// The columns of [`kinematic_regressor`].
    fn of_placements<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        at: &Attached<P>,
        reference: ReferenceFrame,
    ) {
        place_path(model, ws, q, at.body);
        let x_wf: Transform<T> = at.pose(ws);
        let kinematic = &mut ws.regressor.kinematic;
        clear(kinematic, 6, 6 * model.bodies.len());
        // Joint by joint, not by way of the world, as Jacobians.
        let mut x_bf: Transform<T> = at.placement.lift();
        for (b, body) in path(&model.bodies, at.body) {
            x_bf = ws.x_pb[b] * x_bf;
            let x_fm = x_bf.inv_mul(&body.placement.lift::<T>());
            let columns = reference.pose_from_local(&x_wf, x_fm).action();
            kinematic.as_mut_slice()[36 * b..][..36].copy_from_slice(columns.as_slice());
        }
    }
}

/// Are all entries finite?
fn finite<P: Real, T: Real>(model: &Model<P>, what: &'static str, matrix: &DMatrix<T>) -> Result<(), InputError> {
    match first_not_finite(matrix.as_slice()) {
        Some(index) => Err(model.overflow_of(what, index, model.whole_label())),
        None => Ok(()),
    }
}
