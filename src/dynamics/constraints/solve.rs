//! Accelerations and impulses under constraints.

use super::constraint::{Constraint, attached, check as check_constraints, check_rows};
use super::factor;
use super::margin::RankMargin;
use super::memory::{ConstraintsMemory, FactorsOfMass};
use super::vectors::{add_product, dot, is_negative};
use crate::dynamics::external::{self, ExternalWrench};
use crate::dynamics::jacobian::check;
use crate::dynamics::rnea::check_finite_dofs;
use crate::dynamics::slice_ops::{negate, subtract};
use crate::dynamics::{Workspace, bias, by_plan, ltl, placed};
use crate::kernels::by_joint::constraints::solve::ConstraintRows;
use crate::level::at_level;
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
    /// How clear that is.
    pub margin: RankMargin,
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
    /// How clear that is.
    pub margin: RankMargin,
    /// The largest entry of `|J v⁺ + ε J v⁻|`: rounding errors, unless constraints contradict each other.
    pub residual: T,
}

/// Joint accelerations under constraints: `M q̈ + c = τ + Σ Jᵀ φ + Jᵀ λ` with `J q̈ = −γ`.
///
/// `q`: nq, `v`, `tau`: nv; `γ` as in [`constraint_bias`](super::constraint_bias). Gravity, armature, damping, friction and
/// mimic joints are the model's. Where rows depend on each other, `λ` is that of least norm among all that give the same
/// `q̈`; where they contradict each other, `q̈` leaves the least sum of squares of `J q̈ + γ`. Rows count as dependent below a
/// relative 1e-8 in the norm of kinetic energy; [`ConstraintDynamics::rank`] says how many are left, and
/// [`ConstraintDynamics::margin`] how near the others, and the last of them, are to that bound.
///
/// Cost O(n d²) for the factors of the mass matrix, d the depth of the tree, and O(m² nv) for m rows. A second call for
/// as many rows allocates nothing.
/// Dual numbers pass through, where the rank does not change nearby. With several states in one number
/// ([`Lanes`](gradyn_derivatives::Lanes)) all must have one rank.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a number is not finite, or a wrench or a constraint
/// is not one of this model; [`InputError::SingularMassMatrix`] names a joint that moves nothing with inertia, even if the
/// constraints hold it.
#[inline(never)]
#[doc(alias("constraintDynamics", "contact dynamics", "KKT"))]
pub fn constraint_dynamics<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    constraints: &[Constraint<P>],
    wrenches: &[ExternalWrench<T>],
) -> Result<ConstraintDynamics<'w, T>, InputError> {
    model.check_length("v", "nv", v.len(), model.nv)?;
    model.check_length("tau", "nv", tau.len(), model.nv)?;
    check(model, ws, q, v)?;
    check_finite_dofs(model, "tau", tau)?;
    external::check(model, wrenches)?;
    check_constraints(model, constraints)?;
    let (memory, residual) = with_memory(ws, |ws, memory| {
        memory.motion.resize(model.nv, T::zero());
        memory.by = unconstrained(model, ws, memory, (q, v, tau), wrenches, constraints)?;
        memory.rows.place(model, ws, constraints, memory.by != FactorsOfMass::Paths)?;
        if memory.by == FactorsOfMass::Paths {
            placed::drift(model, ws, v);
        }
        memory.rows.drive(model, ws, v, constraints)?;
        memory.rhs.clone_from(&memory.rows.bias); //                γ
        memory.hold(model, ws)
    })?;
    let ConstraintsMemory { factor, motion, lambda, .. } = memory;
    model.check_result("ddq", motion)?;
    check_rows(model, constraints, "lambda", lambda)?;
    Ok(ConstraintDynamics { ddq: motion, lambda, rank: factor.rank, margin: RankMargin::of(factor), residual })
}

/// Velocities after an impact that the constraints take up: `M (v⁺ − v⁻) = Jᵀ Λ` with `J v⁺ = −ε J v⁻`.
///
/// `q`: nq, `v` before: nv; `restitution`, `ε`: 0 for an impact after which the constraints hold, 1 for one that conserves
/// energy. Gains have no effect. Dependent rows as in [`constraint_dynamics`], and the same cost.
///
/// # Errors
/// As [`constraint_dynamics`]; [`InputError::Restitution`] if it is not in `[0, 1]`.
#[inline(never)]
#[doc(alias("impulseDynamics", "impact"))]
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
    if !restitution.is_finite() || below.into_iter().any(|x| is_negative(x) != Some(false)) {
        return Err(InputError::Restitution);
    }
    check_constraints(model, constraints)?;
    let (memory, residual) = with_memory(ws, |ws, memory| {
        memory.by = still(model, ws, q, constraints)?;
        memory.rows.place(model, ws, constraints, memory.by != FactorsOfMass::Paths)?;
        memory.rows.rates(v);
        memory.motion.clear();
        memory.motion.extend_from_slice(v);
        rebound(&memory.rows.rate, restitution, &mut memory.rhs); // ε J v⁻
        memory.hold(model, ws)
    })?;
    let ConstraintsMemory { factor, motion, lambda, .. } = memory;
    model.check_result("v", motion)?;
    check_rows(model, constraints, "impulse", lambda)?;
    Ok(ImpulseDynamics { v: motion, impulse: lambda, rank: factor.rank, margin: RankMargin::of(factor), residual })
}

/// Runs with the memory moved out, so that the sweeps can have the workspace; allocates the first time only.
fn with_memory<T: Real>(
    ws: &mut Workspace<T>,
    run: impl FnOnce(&mut Workspace<T>, &mut ConstraintsMemory<T>) -> Result<T, InputError>,
) -> Result<(&ConstraintsMemory<T>, T), InputError> {
    let mut memory = ws.constraints.take().unwrap_or_default();
    let done = run(ws, &mut memory);
    let memory = ws.constraints.insert(memory);
    done.map(|residual| (&**memory, residual))
}

/// Accelerations without constraints into `motion`, and where the bodies are and how they move without those of joints. Returns where
/// the factors of the mass matrix are.
fn unconstrained<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    memory: &mut ConstraintsMemory<T>,
    state: (&[T], &[T], &[T]),
    wrenches: &[ExternalWrench<T>],
    constraints: &[Constraint<P>],
) -> Result<FactorsOfMass, InputError> {
    let motion = &mut memory.motion;
    let quick = by_plan::of(model, ws).and_then(|kernels| {
        let ddq = by_plan::same_mut::<_, Vec<f64>>(motion)?;
        kernels.under(wrenches).free_accelerations(by_plan::state(state)?, attached(constraints), ddq)
    });
    if let Some(Ok(())) = quick
        && motion.iter().all(|x| x.is_finite())
    {
        return Ok(FactorsOfMass::Blocks);
    }
    let (q, v, tau) = state;
    subtract(tau, bias(model, ws, q, v, wrenches)?, motion);
    placed::place_inertias(model, ws, q);
    ltl::factorize(model, ws)?;
    ws.ltl.solve(motion); //                                        q̈_free = M⁻¹ (τ − c)
    Ok(FactorsOfMass::Paths)
}

/// Where the bodies are, and factors of the mass matrix. Returns where these are.
fn still<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    constraints: &[Constraint<P>],
) -> Result<FactorsOfMass, InputError> {
    let quick =
        by_plan::of(model, ws).and_then(|kernels| kernels.factorize_and_place(T::as_f64s(q)?, attached(constraints)));
    if let Some(Ok(())) = quick {
        return Ok(FactorsOfMass::Blocks);
    }
    placed::place_inertias(model, ws, q);
    ltl::factorize(model, ws)?;
    Ok(FactorsOfMass::Paths)
}

impl<T: Real> ConstraintsMemory<T> {
    /// `motion := motion + M⁻¹ Jᵀ λ` so that `J motion = −rhs`; returns what is left of it.
    #[inline(never)]
    fn hold<P: Real>(&mut self, model: &Model<P>, ws: &mut Workspace<T>) -> Result<T, InputError>
    where
        T: Scalar<P>,
    {
        if self.by == FactorsOfMass::Blocks {
            let Self { rows, factor, rhs, motion, lambda, least, .. } = self;
            least.clear();
            least.extend(rows.extent.iter().map(|extent| factor::least(*extent)));
            lambda.resize(rhs.len(), T::zero());
            let residual = by_plan::of(model, ws).and_then(|kernels| {
                let jacobian = T::as_f64s(rows.jacobian.as_slice())?;
                let rows = ConstraintRows { jacobian, block: &rows.block, least: T::as_f64s(least)? };
                let [b, motion, lambda] = [&mut *rhs, motion, lambda].map(by_plan::same_mut::<_, Vec<f64>>);
                kernels.solve_constraints(rows, b?, motion?, lambda?)
            });
            if let Some((residual, part)) = residual {
                factor.rank = rhs.len();
                factor.parts = [T::from(part), T::zero()];
                return Ok(T::from(residual));
            }
            self.by = FactorsOfMass::Paths;
            by_plan::of(model, ws).and_then(|kernels| kernels.factors_by_paths());
        }
        self.factorize(model, ws)?;
        let Self { rows, factor, rhs, motion, change, lambda, .. } = self;
        add_product(&rows.jacobian, motion, rhs);
        negate(rhs);
        factor.solve(model.nv, rhs, lambda, change);
        ws.ltl.other_half(&self.root, &mut self.change);
        let Self { rows, rhs, left, motion, change, .. } = self;
        let jacobian = &rows.jacobian;
        add_to(change, motion);
        left.clone_from(rhs);
        negate(left);
        add_product(jacobian, change, left);
        Ok(largest(left))
    }

    /// Factors of `J M⁻¹ Jᵀ` from the Jacobian and those of the mass matrix.
    fn factorize<P: Real>(&mut self, model: &Model<P>, ws: &mut Workspace<T>) -> Result<(), InputError> {
        let Self { rows, factor, root, sums, by, .. } = self;
        if *by == FactorsOfMass::Paths {
            ws.ltl.roots(root);
        }
        let jacobian = &rows.jacobian;
        sums.clear();
        sums.extend(rows.extent.iter().map(|extent| (T::zero(), *extent)));
        factor.y.clear();
        for r in 0..jacobian.nrows() {
            let start = factor.y.len();
            factor.y.extend(jacobian.row(r).iter());
            let column = &mut factor.y[start..];
            add_squares(column, &mut sums[rows.block[r]].0);
            if *by == FactorsOfMass::Paths {
                ws.ltl.half(root, column); //                       Y = D^(−1/2) L⁻ᵀ Jᵀ
            }
        }
        factor.factorize(model.nv, &rows.block, sums).map_err(|_| InputError::RanksDiffer)
    }
}

at_level! {
    fn add_squares<T: Real>(x: &[T], sum: &mut T) {
        *sum += dot(x, x);
    }

    /// `ε J v⁻`
    fn rebound<P: Real, T: Scalar<P>>(rate: &[T], restitution: P, to: &mut Vec<T>) {
        to.clear();
        for rate in rate {
            to.push(*rate * restitution);
        }
    }

    /// `y += x`
    fn add_to<T: Real>(x: &[T], y: &mut [T]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += *x;
        }
    }

    /// The largest magnitude.
    fn largest<T: Real>(x: &[T]) -> T {
        let mut largest = T::zero();
        for x in x {
            let size = x.select_lt(0.0, -*x, *x);
            largest = (largest - size).select_lt(0.0, size, largest);
        }
        largest
    }
}
