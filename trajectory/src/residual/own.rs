//! A user-defined residual, written once for every number type: its derivatives come from dual numbers.

use super::{Depends, Jacobian, Residual, ResidualPoint};
use crate::fault::{Reason, memory_of};
use gradyn::model::InputError;
use gradyn::num_dual::HyperDual64;
use gradyn::partials::{State, StateFunction, StateJacobian, StateWorkspace, by_duals, state_jacobian};
use gradyn::{Model, Scalar, Workspace};
use nalgebra::DMatrix;
use std::any::Any;
use std::fmt;

/// The robot at a node, in any number type.
#[derive(Debug)]
pub struct QuantityPoint<'a, T> {
    /// The robot.
    pub model: &'a Model,
    /// Memory of the engine.
    pub workspace: &'a mut Workspace<T>,
    /// Configuration, nq.
    pub q: &'a [T],
    /// Velocity, nv.
    pub v: &'a [T],
    /// Controls, nu.
    pub u: &'a [T],
    /// Acceleration that the step makes, nv.
    pub a: &'a [T],
    /// Multipliers of contacts, or impulses, in axes of the world.
    pub f: &'a [T],
    /// Time of the node, s.
    pub time: f64,
    /// The goal at this node.
    pub goal: &'a [f64],
}

/// A quantity of a robot at a node: what a cost, a residual or a constraint is made of. Written once, generic over the
/// number type; values, Jacobians and Hessians come from it.
///
/// ```
/// use gradyn::dynamics::frame_pose;
/// use gradyn::model::{FrameId, InputError};
/// use gradyn::{Model, Scalar};
/// use gradyn_trajectory::residual::{Depends, AutodiffResidual, Quantity, QuantityPoint};
///
/// /// How far a frame is from an axis along z through the origin, m, less the radius of a tube.
/// #[derive(Debug)]
/// struct Tube(FrameId, f64);
/// impl Quantity for Tube {
///     fn rows(&self, _model: &Model) -> usize {
///         1
///     }
///     fn depends(&self) -> Depends {
///         Depends::Q
///     }
///     #[inline(always)]
///     fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
///         let p = frame_pose(on.model, on.workspace, on.q, self.0)?.translation;
///         r[0] = (p.x * p.x + p.y * p.y).sqrt() - T::from(self.1);
///         Ok(())
///     }
/// }
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
/// let hand = model.find_frame("panda_link8").expect("is there");
/// let residual = AutodiffResidual::new(&model, Tube(hand, 0.3));
/// # let _ = residual;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Quantity: Send + Sync + fmt::Debug + 'static {
    /// How many numbers it has.
    fn rows(&self, model: &Model) -> usize;
    /// What it depends on; other inputs are not differentiated by.
    fn depends(&self) -> Depends;
    /// Its goal, if it has one that may differ between nodes: comes in as [`QuantityPoint::goal`].
    fn goal(&self) -> Vec<f64> {
        Vec::new()
    }
    /// Its numbers. To be marked `#[inline(always)]`, and what it calls that is generic over `T` and no function of
    /// `gradyn`: only what is inlined runs at full register width.
    ///
    /// # Errors
    /// [`InputError`], as the algorithms that it calls.
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError>;
}

/// A [`Quantity`] as a residual. Quantities see `(q, v, u, a, f)`; of what is remembered ([`ResidualPoint::w`]) there is
/// [`ControlRate`](super::ControlRate).
pub struct AutodiffResidual<Q> {
    quantity: Q,
    rows: usize,
}

impl<Q: Quantity> AutodiffResidual<Q> {
    /// Of a quantity of this robot.
    pub fn new(model: &Model, quantity: Q) -> Self {
        let rows = quantity.rows(model);
        Self { quantity, rows }
    }
    /// The quantity.
    pub fn quantity(&self) -> &Q {
        &self.quantity
    }
}

impl<Q: Quantity> fmt::Debug for AutodiffResidual<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.quantity.fmt(f)
    }
}

/// A quantity with goal and time put in: a function of `(q, v)` and of `(u, a, f)` one after the other.
pub(crate) struct Bound<'a, Q> {
    pub(crate) quantity: &'a Q,
    pub(crate) goal: &'a [f64],
    pub(crate) time: f64,
    pub(crate) rows: usize,
    pub(crate) sizes: [usize; 3],
}

impl<Q: Quantity> StateFunction for Bound<'_, Q> {
    fn outputs(&self, _model: &Model) -> usize {
        self.rows
    }
    fn controls(&self, _model: &Model) -> usize {
        self.sizes.iter().sum()
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        workspace: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let (u, rest) = state.u.split_at(self.sizes[0].min(state.u.len()));
        let (a, f) = rest.split_at(self.sizes[1].min(rest.len()));
        let Self { goal, time, .. } = *self;
        let mut on = QuantityPoint { model, workspace, q: state.q, v: state.v, u, a, f, time, goal };
        self.quantity.evaluate(&mut on, out)
    }
}

/// Memory of derivatives by dual numbers.
#[derive(Default)]
pub(crate) struct ByDuals {
    workspace: StateWorkspace,
    inputs: Vec<f64>,
    second: Option<Box<Second>>,
}

/// The node in numbers with two directions, and what is differentiated.
struct Second {
    workspace: Workspace<HyperDual64>,
    /// The configuration before it is moved, and what it is moved by.
    base: Vec<HyperDual64>,
    step: Vec<HyperDual64>,
    q: Vec<HyperDual64>,
    /// `v`, `u`, `a`, `f`
    parts: [Vec<HyperDual64>; 4],
    r: Vec<HyperDual64>,
    /// Inputs that count: their row of the Hessian, and where they stand.
    inputs: Vec<(usize, (usize, usize))>,
}

impl Second {
    fn new(model: &Model) -> Self {
        let none = Vec::new;
        let (parts, workspace) = ([none(), none(), none(), none()], Workspace::new(model));
        Self { workspace, base: none(), step: none(), q: none(), parts, r: none(), inputs: Vec::new() }
    }
    fn begin(&mut self, on: &ResidualPoint<'_>, rows: usize) {
        let constant = |to: &mut Vec<HyperDual64>, from: &[f64]| {
            to.clear();
            to.extend(from.iter().map(|x| HyperDual64::from(*x)));
        };
        constant(&mut self.base, on.q);
        constant(&mut self.q, on.q);
        self.step.clear();
        self.step.resize(on.model.nv(), HyperDual64::from(0.0));
        for (to, from) in self.parts.iter_mut().zip([on.v, on.u, on.a, on.f]) {
            constant(to, from);
        }
        self.r.clear();
        self.r.resize(rows, HyperDual64::from(0.0));
    }
    /// Finds the inputs that the quantity depends on here, whatever its derivatives are: a derivative that is not a
    /// number goes wherever one can. Where the quantity does not want such, that counts as depending.
    fn find_inputs<Q: Quantity>(&mut self, on: &ResidualPoint<'_>, quantity: &Q) {
        let Depends { q, v, u, a, f, .. } = quantity.depends();
        let blocks = [(q, on.v), (v, on.v), (u, on.u), (a, on.a), (f, on.f)];
        self.inputs.clear();
        let mut first = 0;
        for (block, (depends, x)) in blocks.into_iter().enumerate() {
            for k in (0..x.len()).filter(|_| depends) {
                self.input((block, k)).eps1 = f64::NAN;
                let done = self.evaluate(on, quantity);
                self.input((block, k)).eps1 = 0.0;
                if done.is_err() || self.r.iter().any(|r| r.eps1.is_nan() || r.eps1eps2.is_nan()) {
                    self.inputs.push((first + k, (block, k)));
                }
            }
            first += x.len();
        }
    }
    fn evaluate<Q: Quantity>(&mut self, on: &ResidualPoint<'_>, quantity: &Q) -> Result<(), InputError> {
        let Self { workspace, base, step, q, parts: [v, u, a, f], r, .. } = self;
        on.model.integrate_into(base, step, q)?;
        let mut at = QuantityPoint { model: on.model, workspace, q, v, u, a, f, time: on.time, goal: on.goal };
        quantity.evaluate(&mut at, r)
    }
    fn input(&mut self, (block, k): (usize, usize)) -> &mut HyperDual64 {
        match block {
            0 => &mut self.step[k],
            _ => &mut self.parts[block - 1][k],
        }
    }
}

impl ByDuals {
    /// Values and Jacobian of a quantity at a view, eight directions at a time, at register width.
    fn jacobian<Q: Quantity>(
        &mut self,
        on: &ResidualPoint<'_>,
        quantity: &Q,
        r: &mut [f64],
        out: &mut Jacobian,
    ) -> Result<(), Reason> {
        let bound = bind(&mut self.inputs, on, quantity, r.len());
        let state = State { q: on.q, v: on.v, u: &self.inputs, wrenches: &[] };
        write(state_jacobian(on.model, &mut self.workspace, &bound, state)?, bound.sizes, r, out);
        Ok(())
    }

    /// The same, one direction at a time: slow, and compiled soon.
    pub(crate) fn plain_jacobian<Q: Quantity>(
        &mut self,
        on: &ResidualPoint<'_>,
        quantity: &Q,
        r: &mut [f64],
        out: &mut Jacobian,
    ) -> Result<(), Reason> {
        let bound = bind(&mut self.inputs, on, quantity, r.len());
        let state = State { q: on.q, v: on.v, u: &self.inputs, wrenches: &[] };
        write(&by_duals(on.model, &bound, state)?, bound.sizes, r, out);
        Ok(())
    }

    /// Adds `Σ λ_i ∂²r_i` by `(q, v, u, a, f)`, by numbers with two directions, one pair of the inputs that the
    /// quantity depends on here at a time: over numbers made of registers each quantity would take seconds to compile.
    pub(crate) fn add_hessian<Q: Quantity>(
        &mut self,
        on: &ResidualPoint<'_>,
        quantity: &Q,
        lambda: &[f64],
        out: &mut DMatrix<f64>,
    ) -> Result<(), Reason> {
        let second = self.second.get_or_insert_with(|| Box::new(Second::new(on.model)));
        second.begin(on, lambda.len());
        second.find_inputs(on, quantity);
        for n in 0..second.inputs.len() {
            let (i, at_i) = second.inputs[n];
            second.input(at_i).eps1 = 1.0;
            for m in 0..=n {
                let (j, at_j) = second.inputs[m];
                second.input(at_j).eps2 = 1.0;
                second.evaluate(on, quantity)?;
                let sum: f64 = second.r.iter().zip(lambda).map(|(r, lambda)| lambda * r.eps1eps2).sum();
                out[(i, j)] += sum;
                if i != j {
                    out[(j, i)] += sum;
                }
                second.input(at_j).eps2 = 0.0;
            }
            second.input(at_i).eps1 = 0.0;
        }
        Ok(())
    }
}

fn bind<'q, Q: Quantity>(inputs: &mut Vec<f64>, on: &ResidualPoint<'q>, quantity: &'q Q, rows: usize) -> Bound<'q, Q> {
    inputs.clear();
    for part in [on.u, on.a, on.f] {
        inputs.extend_from_slice(part);
    }
    let sizes = [on.u.len(), on.a.len(), on.f.len()];
    Bound { quantity, goal: on.goal, time: on.time, rows, sizes }
}

fn write(by: &StateJacobian, [nu, na, nf]: [usize; 3], r: &mut [f64], out: &mut Jacobian) {
    r.copy_from_slice(by.value.as_slice());
    let copy = |to: &mut DMatrix<f64>, from: &DMatrix<f64>, first: usize, n: usize| {
        if to.ncols() > 0 {
            to.copy_from(&from.columns(first, n));
        }
    };
    copy(&mut out.dq, &by.dq, 0, by.dq.ncols());
    copy(&mut out.dv, &by.dv, 0, by.dv.ncols());
    copy(&mut out.du, &by.du, 0, nu);
    copy(&mut out.da, &by.du, nu, na);
    copy(&mut out.df, &by.du, nu + na, nf);
}

/// The numbers of a quantity over `f64`.
pub(crate) fn value_of<Q: Quantity>(on: &mut ResidualPoint<'_>, quantity: &Q, r: &mut [f64]) -> Result<(), Reason> {
    let ResidualPoint { model, q, v, u, a, f, time, goal, .. } = *on;
    let mut at = QuantityPoint { model, workspace: &mut *on.workspace, q, v, u, a, f, time, goal };
    quantity.evaluate(&mut at, r)?;
    Ok(())
}

/// Runs with the memory taken out of the view, which is read meanwhile.
pub(crate) fn with_memory<R>(
    on: &mut ResidualPoint<'_>,
    run: impl FnOnce(&mut ByDuals, &ResidualPoint<'_>) -> Result<R, Reason>,
) -> Result<R, Reason> {
    let mut memory = std::mem::take(memory_of::<ByDuals>(on.own)?);
    let done = run(&mut memory, on);
    *memory_of::<ByDuals>(on.own)? = memory;
    done
}

impl<Q: Quantity> Residual for AutodiffResidual<Q> {
    fn rows(&self) -> usize {
        self.rows
    }
    fn depends(&self) -> Depends {
        self.quantity.depends()
    }
    fn goal(&self) -> Vec<f64> {
        self.quantity.goal()
    }
    fn memory(&self) -> Box<dyn Any + Send> {
        Box::new(ByDuals::default())
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        value_of(on, &self.quantity, r)
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        with_memory(on, |memory, on| memory.jacobian(on, &self.quantity, r, out))
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        with_memory(on, |memory, on| memory.add_hessian(on, &self.quantity, lambda, out))
    }
}
