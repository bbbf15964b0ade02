//! Inverse dynamics: the recursive Newton-Euler algorithm (RBDA, table 5.1), in body coordinates.

use super::external::{self, ExternalWrench};
use super::slice_ops::{fill, first_not_finite, state_is_finite};
use super::{Workspace, step};
use crate::dynamics::by_plan;
use crate::formulas::joint_dynamics::JointDynamics;
use crate::formulas::joint_forces::JointForces;
use crate::joint::value;
use crate::model::{InputError, Model};
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::{Piece, Real, Scalar};

/// Joint torques that give the accelerations `a` at `(q, v)` under wrenches `φ` from outside:
/// `τ = M(q) a + c(q, v) + friction + springs − Σ Jᵀ φ`.
///
/// `q`: nq, `v`, `a`: nv; returns nv torques, which borrow from the workspace. Gravity, armature, damping, friction and
/// [springs](Model::springs) are the model's; `wrenches` may be empty, `&[]`. Cost O(n); allocates nothing.
///
/// Over dual numbers this is the algorithm over dual numbers.
///
/// ```
/// use gradyn::dynamics::{Workspace, rnea};
/// # use gradyn::joint::{Axis, Revolute};
/// # use gradyn::model::ModelBuilder;
/// # use gradyn::spatial::{Inertia, Symmetric3, Transform};
/// # use nalgebra::{Matrix3, Vector3};
/// # let mut builder = ModelBuilder::new("pendulum");
/// # let point = Inertia::new(2.0, Vector3::new(0.0, 0.0, -0.5), Symmetric3::diagonal(0.0, 0.0, 0.0));
/// # builder.add_body(None, "rod", "hinge", Transform::identity(), Revolute { axis: Axis::Y }, point)?;
/// # let model = builder.build()?;
/// // A mass of 2 kg at the end of 0.5 m, held level: m g l.
/// let mut workspace = Workspace::new(&model);
/// let tau = rnea(&model, &mut workspace, &[std::f64::consts::FRAC_PI_2], &[0.0], &[0.0], &[])?;
/// assert!((tau[0] - 2.0 * 9.81 * 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a wrench acts on a body that the model does
/// not have, or a number is not finite.
#[inline]
#[doc(alias("inverse_dynamics", "inverse dynamics", "CalcInverseDynamics", "mj_inverse", "ID"))]
pub fn rnea<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w [T], InputError> {
    check(model, ws, q, v, a, wrenches)?;
    let finite =
        match by_plan::of(model, ws).and_then(|kernels| kernels.under(wrenches).rnea(by_plan::state((q, v, a))?)) {
            Some(finite) => finite,
            None => T::call(Sweep { model, ws: &mut *ws, q, v, a, wrenches }),
        };
    if !finite {
        return Err(not_finite(model, q, v, a, wrenches, &ws.tau));
    }
    Ok(&ws.tau)
}

/// Checks that lengths, workspace and wrenches belong to the model.
#[inline]
pub(crate) fn check<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<(), InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    external::check(model, wrenches)
}

/// Both sweeps; lengths have been checked.
pub(crate) struct Sweep<'a, P, T> {
    pub(crate) model: &'a Model<P>,
    pub(crate) ws: &'a mut Workspace<T>,
    pub(crate) q: &'a [T],
    pub(crate) v: &'a [T],
    pub(crate) a: &'a [T],
    pub(crate) wrenches: &'a [ExternalWrench<T>],
}

impl<P: Real, T: Scalar<P>> Piece for Sweep<'_, P, T> {
    /// Whether all torques are finite.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { model, ws, q, v, a, wrenches } = self;
        let mut motions = step::Motions {
            ground: ground(model),
            velocity: &mut ws.velocity,
            acceleration: &mut ws.acceleration,
            force: &mut ws.force,
        };
        for (i, body) in model.bodies.iter().enumerate() {
            let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
            let (q, v, a) = (&q[body.q.clone()], &v[body.v.clone()], &a[body.v.clone()]);
            let x_pb = &mut ws.x_pb[i];
            T::call(step::Pose { body, q, columns: &mut *columns, trig: &mut ws.trig[i], x_pb: &mut *x_pb });
            if body.subspace_varies {
                ws.bias[i] = step::bias(body, q, v);
            }
            T::call(motions.outward((i, body), (x_pb, columns), &ws.bias[i], (v, a)));
        }

        if !wrenches.is_empty() {
            external::subtract(model, ws, wrenches); //             φ_i −= φ_ext
        }
        fill(&mut ws.tau, T::zero());
        let order = (0..model.bodies.len()).rev();
        T::call(step::Inward {
            bodies: &model.bodies,
            order,
            x_pb: &ws.x_pb,
            columns: &ws.columns,
            first: &ws.first,
            force: &mut ws.force,
            tau: &mut ws.tau,
        });
        JointDynamics::of(model).add_torques(v, a, &mut ws.tau);
        JointForces::of(model).add_torques(q, v, &mut ws.tau);
        ws.tau.iter().all(|tau| tau.is_finite())
    }
}

/// Velocity and acceleration of what the trees stand on.
#[inline(always)]
pub(crate) fn ground<P: Real, V: Real, A: Scalar<P>>(model: &Model<P>) -> (Motion<V>, Motion<A>) {
    (Motion::zero(), base_acceleration(model))
}

/// The base accelerates at −g, so gravity needs no term of its own.
#[inline(always)]
pub(crate) fn base_acceleration<P: Real, A: Scalar<P>>(model: &Model<P>) -> Motion<A> {
    Motion::new(v3::neg(v3::lift(model.gravity)), v3::zero())
}

/// Which argument made a result that is not finite.
#[cold]
#[inline(never)]
pub(crate) fn not_finite<P: Real, T: Real>(
    model: &Model<P>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
    tau: &[T],
) -> InputError {
    state_not_finite(model, q, v, a).or_else(|| external::not_finite(model, wrenches)).unwrap_or_else(|| {
        let index = first_not_finite(tau).unwrap_or(0);
        model.overflow("tau", index)
    })
}

/// Whether all numbers of a state are finite. Slices that an algorithm does not use are empty.
#[inline]
pub(crate) fn check_finite<P: Real, T: Real>(model: &Model<P>, q: &[T], v: &[T], a: &[T]) -> Result<(), InputError> {
    if state_is_finite(q, v, a) { Ok(()) } else { state_not_finite(model, q, v, a).map_or(Ok(()), Err) }
}

/// Whether all numbers of an argument with one entry per degree of freedom are finite.
#[inline]
pub(crate) fn check_finite_dofs<P: Real, T: Real>(
    model: &Model<P>,
    what: &'static str,
    x: &[T],
) -> Result<(), InputError> {
    match first_not_finite(x) {
        Some(index) => {
            Err(InputError::NotFinite { what, index, joint: model.dof_label(index), value: value(x[index]) })
        }
        None => Ok(()),
    }
}

/// The first number of a state that is not finite.
#[cold]
pub(crate) fn state_not_finite<P: Real, T: Real>(model: &Model<P>, q: &[T], v: &[T], a: &[T]) -> Option<InputError> {
    let of_q = model.coordinate_not_finite("q", q);
    of_q.or_else(|| [("v", v), ("a", a)].into_iter().find_map(|(what, x)| check_finite_dofs(model, what, x).err()))
}
