//! Accelerations and impulses under constraints.

use super::constraint::check as check_constraints;
use super::{Constraint, Memory, add_product};
use crate::dynamics::external::{self, ExternalWrench};
use crate::dynamics::jacobian::check;
use crate::dynamics::rnea::check_finite_dofs;
use crate::dynamics::{Workspace, bias, ltl, rooted};
use crate::model::{InputError, Model};
use gradyn_derivatives::{Real, Scalar};

/// Accelerations under constraints, and the forces that hold them; borrows from the workspace.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintDynamics<'w, T> {
    /// Joint accelerations `q̈`, nv.
    pub ddq: &'w [T],
    /// Multipliers `λ`, one entry a row: forces, N, and moments, N m, on the bodies B ([`Constraint`]).
    pub lambda: &'w [T],
    /// How many rows are independent. Less than all if constraints repeat each other, or cannot move at all.
    pub rank: usize,
    /// The largest entry of `|J q̈ + γ|`: rounding errors, unless constraints contradict each other.
    pub residual: T,
}

/// Velocities after an impact under constraints, and the impulses; borrows from the workspace.
#[derive(Clone, Copy, Debug)]
pub struct ImpulseDynamics<'w, T> {
    /// Velocities after it, `v⁺`, nv.
    pub v: &'w [T],
    /// Impulses `Λ`, one entry a row, N s and N m s, on the bodies B ([`Constraint`]).
    pub impulse: &'w [T],
    /// How many rows are independent.
    pub rank: usize,
    /// The largest entry of `|J v⁺ + ε J v⁻|`: rounding errors, unless constraints contradict each other.
    pub residual: T,
}

/// Joint accelerations under constraints: `M q̈ + c = τ + Σ Jᵀ φ + Jᵀ λ` with `J q̈ = −γ`.
///
/// `q`: nq, `v`, `tau`: nv; `γ` as in [`constraint_bias`](super::constraint_bias). Gravity, armature, damping, friction and
/// mimic joints are the model's. Where rows depend on each other, `λ` is that of least norm among all that give the same
/// `q̈`; where they contradict each other, `q̈` leaves the least sum of squares of `J q̈ + γ`. Rows count as dependent below a
/// relative 1e-8 in the norm of kinetic energy; [`ConstraintDynamics::rank`] says how many are left.
///
/// Cost O(n d²) for the factors of the mass matrix, O(m² nv) for m rows. A second call for as many rows allocates nothing.
/// Dual numbers pass through, where the rank does not change nearby. With several states in one number
/// ([`Lanes`](gradyn_derivatives::Lanes)) all must have one rank.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a number is not finite, or a wrench or a constraint
/// is not one of this model; [`InputError::SingularMassMatrix`] names a joint that moves nothing with inertia, even if the
/// constraints hold it.
pub fn constraint_dynamics<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    wrenches: &[ExternalWrench<T>],
    constraints: &[Constraint<P>],
) -> Result<ConstraintDynamics<'w, T>, InputError> {
    model.check_length("v", "nv", v.len(), model.nv)?;
    model.check_length("tau", "nv", tau.len(), model.nv)?;
    check(model, ws, q, v)?;
    check_finite_dofs(model, "tau", tau)?;
    external::check(model, wrenches)?;
    check_constraints(model, constraints)?;
    let (memory, residual) = with_memory(ws, |ws, memory| {
        let Memory { motion, .. } = memory;
        motion.clear();
        motion.extend(tau.iter().zip(bias(model, ws, q, v, wrenches)?).map(|(tau, c)| *tau - *c));
        factorize(model, ws, memory, q, constraints)?;
        memory.rows.drive(model, ws, q, v, constraints)?;
        ws.ltl.solve(&mut memory.motion); //                        q̈_free = M⁻¹ (τ − c)
        memory.rhs.clone_from(&memory.rows.bias); //                γ
        Ok(memory.hold(model.nv, ws))
    })?;
    let Memory { factor, motion, lambda, .. } = memory;
    check_result(model, "ddq", motion)?;
    Ok(ConstraintDynamics { ddq: motion, lambda, rank: factor.rank, residual })
}

/// Velocities after an impact that the constraints take up: `M (v⁺ − v⁻) = Jᵀ Λ` with `J v⁺ = −ε J v⁻`.
///
/// `q`: nq, `v` before: nv; `restitution`, `ε`: 0 for an impact after which the constraints hold, 1 for one that conserves
/// energy. Gains have no effect. Dependent rows as in [`constraint_dynamics`], and the same cost.
///
/// # Errors
/// As [`constraint_dynamics`]; [`InputError::Restitution`] if it is not in `[0, 1]`.
pub fn impulse_dynamics<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    restitution: P,
    constraints: &[Constraint<P>],
) -> Result<ImpulseDynamics<'w, T>, InputError> {
    model.check_length("v", "nv", v.len(), model.nv)?;
    check(model, ws, q, v)?;
    let below = [restitution, P::one() - restitution];
    if !restitution.is_finite() || below.into_iter().any(|x| super::is_negative(x) != Some(false)) {
        return Err(InputError::Restitution);
    }
    check_constraints(model, constraints)?;
    let (memory, residual) = with_memory(ws, |ws, memory| {
        factorize(model, ws, memory, q, constraints)?;
        memory.rows.rates(v);
        memory.motion.clear();
        memory.motion.extend_from_slice(v);
        memory.rhs.clear();
        memory.rhs.extend(memory.rows.rate.iter().map(|rate| *rate * restitution)); // ε J v⁻
        Ok(memory.hold(model.nv, ws))
    })?;
    let Memory { factor, motion, lambda, .. } = memory;
    check_result(model, "v", motion)?;
    Ok(ImpulseDynamics { v: motion, impulse: lambda, rank: factor.rank, residual })
}

/// Runs with the memory moved out, so that the sweeps can have the workspace; allocates the first time only.
fn with_memory<T: Real>(
    ws: &mut Workspace<T>,
    run: impl FnOnce(&mut Workspace<T>, &mut Memory<T>) -> Result<T, InputError>,
) -> Result<(&Memory<T>, T), InputError> {
    let mut memory = ws.constraints.take().unwrap_or_default();
    let done = run(ws, &mut memory);
    let memory = ws.constraints.insert(memory);
    done.map(|residual| (&**memory, residual))
}

/// Factors of the mass matrix, the Jacobian, and factors of `J M⁻¹ Jᵀ`.
fn factorize<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    memory: &mut Memory<T>,
    q: &[T],
    constraints: &[Constraint<P>],
) -> Result<(), InputError> {
    rooted::place(model, ws, q);
    ltl::factorize(model, ws)?;
    memory.rows.place(model, ws, constraints)?;
    let Memory { rows, factor, root, sums, .. } = memory;
    ws.ltl.roots(root);
    let jacobian = &rows.jacobian;
    sums.clear();
    sums.extend(rows.extent.iter().map(|extent| (T::zero(), *extent)));
    factor.y.clear();
    for r in 0..jacobian.nrows() {
        let start = factor.y.len();
        factor.y.extend(jacobian.row(r).iter());
        let column = &mut factor.y[start..];
        sums[rows.block[r]].0 += super::dot(column, column);
        ws.ltl.half(root, column); //                               Y = D^(−1/2) L⁻ᵀ Jᵀ
    }
    factor.factorize(model.nv, &rows.block, sums).map_err(|_| InputError::RanksDiffer)
}

impl<T: Real> Memory<T> {
    /// `motion := motion + M⁻¹ Jᵀ λ` so that `J motion = −rhs`; returns what is left of it.
    fn hold(&mut self, nv: usize, ws: &Workspace<T>) -> T {
        let Self { rows, factor, root, rhs, left, motion, change, lambda, .. } = self;
        let jacobian = &rows.jacobian;
        add_product(jacobian, motion, rhs);
        rhs.iter_mut().for_each(|b| *b = -*b);
        factor.solve(nv, rhs, lambda, change);
        ws.ltl.other_half(root, change);
        for (x, change) in motion.iter_mut().zip(&*change) {
            *x += *change;
        }
        let mut residual = T::zero();
        left.clear();
        left.extend(rhs.iter().map(|b| -*b));
        add_product(jacobian, change, left);
        for left in &*left {
            let left = *left;
            let size = left.select_lt(0.0, -left, left);
            residual = (residual - size).select_lt(0.0, size, residual);
        }
        residual
    }
}

fn check_result<P: Real, T: Real>(model: &Model<P>, what: &'static str, x: &[T]) -> Result<(), InputError> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(InputError::Overflow { what, index, joint: model.dof_label(index) }),
        None => Ok(()),
    }
}
