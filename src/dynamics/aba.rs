//! Forward dynamics: the articulated-body algorithm (RBDA, table 7.1), in coordinates of the bodies.
//!
//! A joint with several degrees of freedom is eliminated one degree of freedom after the other, like a series of joints
//! with massless links between them: the block `D` of the book is eliminated by columns, and never formed.

use super::external::{self, ExternalWrench};
use super::rnea::{base_acceleration, check_finite, check_finite_dofs};
use super::slice_ops::{fill, first_not_finite, subtract};
use super::{Workspace, bias, ltl, placed, step};
use crate::default_fields::default_of_fields;
use crate::dynamics::by_plan;
use crate::formulas::articulated_body::{self, ArticulatedBody, Eliminated};
use crate::formulas::joint_dynamics::JointDynamics;
use crate::formulas::joint_forces::JointForces;
use crate::level::at_level;
use crate::model::{Body, InputError, Model};
use crate::spatial::{Force, InertiaAboutOrigin, Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Joint accelerations that the torques `τ` and wrenches from outside give at `(q, v)`:
/// `M(q) q̈ = τ − c(q, v) + Σ Jᵀ φ`.
///
/// `q`: nq, `v`, `tau`: nv; returns nv accelerations, which borrow from the workspace. Gravity, armature, damping,
/// friction and springs are the model's. Cost O(n). The articulated-body algorithm takes each joint by itself, which mimic joints
/// do not allow: a model that has any is solved with the sparse factors of its mass matrix
/// ([`factorize_mass_matrix`](super::factorize_mass_matrix)), O(n d²), d the depth of the tree. A second call allocates
/// nothing.
///
/// ```
/// use gradyn::dynamics::{Workspace, aba};
/// # use gradyn::joint::{Axis, Revolute};
/// # use gradyn::model::ModelBuilder;
/// # use gradyn::spatial::{Inertia, Symmetric3, Transform};
/// # use nalgebra::Vector3;
/// # let mut builder = ModelBuilder::new("pendulum");
/// # let point = Inertia::new(2.0, Vector3::new(0.0, 0.0, -0.5), Symmetric3::diagonal(0.0, 0.0, 0.0));
/// # builder.add_body(None, "rod", "hinge", Transform::identity(), Revolute { axis: Axis::Y }, point)?;
/// # let model = builder.build()?;
/// // A mass at the end of 0.5 m, let go where it is level: g / l.
/// let mut workspace = Workspace::new(&model);
/// let a = aba(&model, &mut workspace, &[std::f64::consts::FRAC_PI_2], &[0.0], &[0.0], &[])?;
/// assert!((a[0] + 9.81 / 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a number is not finite, or a wrench acts on a
/// body that the model does not have; [`InputError::SingularMassMatrix`] names a joint that moves nothing with inertia.
#[doc(alias("forward_dynamics", "forward dynamics", "articulated body algorithm", "mj_forward", "FD"))]
#[inline(never)]
pub fn aba<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w [T], InputError> {
    accelerations(model, ws, (q, v, tau), wrenches, false)
}

/// The same, and what the mass matrix has been eliminated by stays in the workspace, for [`solve`] and derivatives.
pub(crate) fn aba_kept<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<&'w [T], InputError> {
    accelerations(model, ws, (q, v, tau), wrenches, true)
}

#[inline(never)]
fn accelerations<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    wrenches: &[ExternalWrench<T>],
    kept: bool,
) -> Result<&'w [T], InputError> {
    model.check_q(q)?;
    model.check_length("v", "nv", v.len(), model.nv)?;
    model.check_length("tau", "nv", tau.len(), model.nv)?;
    ws.check(model)?;
    external::check(model, wrenches)?;
    check_finite(model, q, v, &[])?;
    check_finite_dofs(model, "tau", tau)?;
    if let Some(error) = external::not_finite(model, wrenches) {
        return Err(error);
    }
    ws.aba.size(model, ws.dof.len());
    let quick =
        by_plan::of(model, ws).and_then(|kernels| kernels.under(wrenches).aba(by_plan::state((q, v, tau))?, kept));
    // What loses digits, or is lost, comes here too: see `singular`.
    ws.aba.by_page = !matches!(quick, Some(Ok(())));
    let lost = if !ws.aba.by_page {
        None
    } else if has_mimic_joints(model, ws) {
        by_factors(model, ws, q, v, tau, wrenches)?;
        None
    } else {
        let lost = sweeps(model, ws, q, v, tau, wrenches);
        lost.map(|(index, pivot)| (index, pivot.is_finite()))
    };
    // Numbers that are too large come before pivots that they made meaningless.
    if let Some((index, true)) = lost {
        return Err(model.singular(index));
    }
    match lost.map(|(index, _)| index).or_else(|| first_not_finite(&ws.aba.ddq)) {
        Some(index) => Err(model.overflow("ddq", index)),
        None => Ok(&ws.aba.ddq),
    }
}

/// `x := M⁻¹ x` with what the last call of [`aba_kept`] has left of `M`. By articulated bodies it is O(n): `D⁻¹` and
/// `U` of each column stay as they are, and `x` pushes where torques did, at rest and without gravity. `x`: nv.
pub(crate) fn solve<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, x: &mut Vec<T>) {
    if !ws.aba.by_page && by_plan::solve(ws, x).is_some() {
        return;
    }
    match has_mimic_joints(model, ws) {
        true => ws.ltl.solve(x),
        false => again(model, ws, x),
    }
}

/// Whether several columns have the same degree of freedom.
pub(crate) fn has_mimic_joints<P: Real, T: Real>(model: &Model<P>, ws: &Workspace<T>) -> bool {
    ws.dof.len() > model.nv
}

/// `q̈ = M⁻¹ (τ − c + Σ Jᵀ φ)`
#[inline(never)]
fn by_factors<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<(), InputError> {
    bias::bias(model, ws, q, v, wrenches)?;
    placed::place_inertias(model, ws, q);
    ltl::factorize(model, ws)?;
    subtract(tau, &ws.tau, &mut ws.aba.ddq);
    ws.ltl.solve(&mut ws.aba.ddq);
    Ok(())
}

/// What forward dynamics are made in, and the accelerations.
#[derive(Clone, Debug)]
pub(crate) struct AbaMemory<T> {
    bodies: Vec<ArticulatedBody<T>>,
    /// `ζ = v × S q̇ + c` of each body.
    drift: Vec<Motion<T>>,
    /// Acceleration of each body, with that of the world.
    motion: Vec<Motion<T>>,
    /// `U = I^A S` of each column.
    reaction: Vec<Force<T>>,
    /// `1 / D`
    reciprocal: Vec<T>,
    /// `u = τ − Sᵀ p^A` of each column.
    rest: Vec<T>,
    /// Armature of each degree of freedom.
    armature: Vec<T>,
    /// Whether the last call used this page, or the plain factors, and not a form for `f64`.
    pub(crate) by_page: bool,
    /// `q̈`
    pub(crate) ddq: Vec<T>,
}

default_of_fields!(AbaMemory: bodies, drift, motion, reaction, reciprocal, rest, armature, by_page, ddq);

impl<T: Real> AbaMemory<T> {
    fn size<P: Real>(&mut self, model: &Model<P>, columns: usize) {
        let n = model.bodies.len();
        if self.bodies.len() == n {
            return;
        }
        self.bodies = vec![ArticulatedBody::zero(); n];
        self.drift = vec![Motion::zero(); n];
        self.motion = vec![Motion::zero(); n];
        self.reaction = vec![Force::zero(); columns];
        self.reciprocal = vec![T::zero(); columns];
        self.rest = vec![T::zero(); columns];
        self.armature = vec![T::zero(); model.nv];
        self.ddq = vec![T::zero(); model.nv];
    }
}

at_level! {
    /// Root to leaves, to the root, and back; each degree of freedom is one column. Returns the first degree of freedom
    /// whose pivot is lost, and the pivot.
    #[inline(always)]
    fn sweeps<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        q: &[T],
        v: &[T],
        tau: &[T],
        wrenches: &[ExternalWrench<T>],
    ) -> Option<(usize, T)> {
        for (i, body) in model.bodies.iter().enumerate() {
            let (q, v) = (&q[body.q.clone()], &v[body.v.clone()]);
            let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
            let (trig, x_pb) = (&mut ws.trig[i], &mut ws.x_pb[i]);
            T::call(step::Pose { body, q, columns: &mut *columns, trig, x_pb: &mut *x_pb });
            let parent = body.parent.map_or_else(Motion::zero, |p| ws.velocity[p]);
            let to = (&mut ws.velocity[i], &mut ws.aba.drift[i], &mut ws.force[i], &mut ws.aba.bodies[i]);
            outward(body, x_pb, columns, v, parent, to);
            if body.subspace_varies {
                ws.aba.drift[i] += step::bias(body, q, v);
            }
        }
        if !wrenches.is_empty() {
            external::subtract(model, ws, wrenches); //             p −= φ_ext
        }
        let Workspace { x_pb, columns, first, force, aba, .. } = ws;
        let AbaMemory { bodies, drift, reaction, reciprocal, rest, armature, .. } = &mut *aba;
        rest.copy_from_slice(tau);
        articulated_body::armature(&model.dofs, armature);
        JointDynamics::of(model).subtract_friction(v, rest);
        JointForces::of(model).subtract_torques(q, v, rest);

        for (i, body) in model.bodies.iter().enumerate().rev() {
            let (mut articulated, mut p) = (bodies[i], force[i]);
            for (s, k) in columns[first[i]..].iter().zip(body.v.clone()).rev() {
                let (u, inverse) = match articulated.eliminate(*s, armature[k]) {
                    Ok(Eliminated { u, reciprocal }) => (u, reciprocal),
                    Err(pivot) => return Some((k, pivot)),
                };
                rest[k] -= s.power(p); //                          u = τ − Sᵀ p
                p = u.times(rest[k] * inverse) + p; //             p += U D⁻¹ u
                (reaction[k], reciprocal[k]) = (u, inverse);
            }
            if let Some(parent) = body.parent {
                p += articulated.inertia.times(drift[i]); //        p_λ += X (p + I ζ)
                force[parent] += x_pb[i].act(p);
                bodies[parent].carry(&articulated, &x_pb[i]);
            }
        }

        accelerate(model, aba, (x_pb, columns), base_acceleration(model));
        None
    }

    /// The first sweep at one body: its velocity, `ζ` and `p`.
    #[inline(always)]
    fn outward<P: Real, T: Scalar<P>>(
        body: &Body<P>,
        x_pb: &Transform<T>,
        columns: &[Motion<T>],
        v: &[T],
        parent: Motion<T>,
        to: (&mut Motion<T>, &mut Motion<T>, &mut Force<T>, &mut ArticulatedBody<T>),
    ) {
        let (velocity, drift, force, articulated) = to;
        let mut own = Motion::<T>::zero();
        for (column, v) in columns.iter().zip(v) {
            own = column.times_plus(*v, own);
        }
        *velocity = x_pb.inv_act(parent) + own; //                  v = X⁻¹ v_λ + S q̇
        *drift = velocity.cross(own); //                            ζ = v × S q̇ + c
        *force = velocity.cross_force(body.inertia * *velocity); // p = v ×* Y v − φ_ext
        *articulated = InertiaAboutOrigin::from(body.inertia.lift::<T>()).into();
    }

    /// Root to leaves: `q̈` by what is left to each column, the world accelerating at `a_0`. With where bodies are in
    /// their parents, and columns of joints.
    fn accelerate<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        memory: &mut AbaMemory<T>,
        placed: (&[Transform<T>], &[Motion<T>]),
        a_0: Motion<T>,
    ) {
        let AbaMemory { drift, motion, reaction, reciprocal, rest, ddq, .. } = memory;
        let (x_pb, columns) = placed;
        for (i, body) in model.bodies.iter().enumerate() {
            let mut a = drift[i] + x_pb[i].inv_act(body.parent.map_or(a_0, |p| motion[p]));
            for k in body.v.clone() {
                ddq[k] = (rest[k] - reaction[k].power(a)) * reciprocal[k]; // q̈ = D⁻¹ (u − Uᵀ a)
                a = columns[k].times_plus(ddq[k], a); //            a += S q̈
            }
            motion[i] = a;
        }
    }

    /// To the root and back with other torques, all else at rest and without weight.
    #[inline(always)]
    fn again<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, x: &mut [T]) {
        let Workspace { x_pb, columns, force, aba, .. } = ws;
        let AbaMemory { drift, reaction, reciprocal, rest, .. } = &mut *aba;
        rest.copy_from_slice(x);
        fill(force, Force::zero());
        fill(drift, Motion::zero());
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let mut p = force[i];
            for k in body.v.clone().rev() {
                rest[k] -= columns[k].power(p); //                 u = x − Sᵀ p
                p = reaction[k].times(rest[k] * reciprocal[k]) + p; // p += U D⁻¹ u
            }
            if let Some(parent) = body.parent {
                force[parent] += x_pb[i].act(p);
            }
        }
        accelerate(model, aba, (x_pb, columns), Motion::zero());
        x.copy_from_slice(&aba.ddq);
    }
}
