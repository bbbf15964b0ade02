//! A robot with a floating base, whose feet are held.
//!
//! With p the displacement of the base from its standing pose, in its tangent space, and the coordinates of the joints:
//!
//! ```text
//! q = q₀ ⊕ p ,   v = D ṗ ,   a = D p̈ + Ḋ ṗ            D = ∂(q₀ ⊕ p)/∂p
//! e(q) = 0 ,   J v = 0 ,   J a = −J̇ v                  of what is held
//! ```
//!
//! The base and the joints that no foot needs are free; the other joints follow: p by Newton's method, ṗ and p̈ by
//! linear equations. The forces of the feet are the smallest that carry the base, `λ = J_b (J_bᵀ J_b)⁻¹ τ_b`, and the
//! motors provide the rest, `τ − Jᵀ λ`.

use super::information::State;
use super::limits::JointLimits;
use super::series::Series;
use crate::error::SensitivityError;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::dynamics::{Constraint, constraint_bias, constraint_error, constraint_jacobian};
use gradyn::{Model, Workspace, rnea};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// A robot with a floating base, standing on contacts that hold.
#[derive(Clone, Debug)]
pub struct Stance {
    /// The standing pose of the base, with all joints at zero; nq.
    origin: Vec<f64>,
    /// The displacement at the start, nv: zero for the base, the standing coordinates for the joints.
    start: Vec<f64>,
    constraints: Vec<Constraint>,
    /// Degrees of freedom of the base.
    base: Range<usize>,
    free: Vec<usize>,
    dependent: Vec<usize>,
}

/// Pivots below this share of the largest are those of a singular leg: joints would turn a thousand times as fast as
/// the base moves.
const SINGULAR: f64 = 1e-3;
/// The tolerance of held feet, m and rad: a hundred times less than documented, and above the rounding of positions of
/// some 100 m.
const HELD: f64 = 1e-11;
/// The step limit of Newton's method, which doubles the digits at each step: from a good guess five are enough.
const STEPS: usize = 15;
/// The longest step, rad or m: a longer one leads to another posture.
const LONGEST: f64 = 1.0;
/// The default limits of the base, m and rad, each way: less than the legs of most robots allow.
const BASE: [f64; 2] = [0.1, 0.3];

impl Stance {
    /// A stance at a configuration (nq) at which the contacts and loops hold, or nearly: joints of the legs are moved
    /// until they do. Gains of constraints are ignored.
    ///
    /// # Errors
    /// [`SensitivityError::Other`] if the base does not float, or another joint has more coordinates than velocities;
    /// if joints cannot follow the base, feet cannot carry it, or feet cannot reach where they are held; input that the
    /// engine rejects.
    pub fn new(model: &Model, start: &[f64], constraints: &[Constraint]) -> Result<Self, SensitivityError> {
        let other = |text: String| Err(SensitivityError::Other(text));
        let floats = |body: &&gradyn::model::Body| body.joint().kind() == "free-flyer";
        let Some(root) = model.bodies().iter().find(|body| body.parent().is_none() && floats(body)) else {
            return other(format!("the base of `{}` does not float: held feet need a floating base", model.name()));
        };
        let is_odd = |body: &&gradyn::model::Body| {
            body.q_range() != root.q_range() && body.q_range().len() != body.v_range().len()
        };
        if let Some(body) = model.bodies().iter().find(is_odd) {
            let (joint, nq, nv) = (body.joint_name(), body.q_range().len(), body.v_range().len());
            return other(format!(
                "joint `{joint}` has {nq} coordinates and {nv} velocities: a Fourier series needs joints with equal numbers of both"
            ));
        }
        if start.len() != model.nq() {
            return Err(SensitivityError::Length { what: "the start", expected: model.nq(), found: start.len() });
        }
        let constraints: Vec<Constraint> = constraints.iter().map(|held| held.with_gains(0.0, 0.0)).collect();
        let base = root.v_range();
        let (mut origin, mut at) = (model.neutral::<f64>(), vec![0.0; model.nv()]);
        origin[root.q_range()].copy_from_slice(&start[root.q_range()]);
        for body in model.bodies().iter().filter(|body| body.owns_coordinates() && body.q_range() != root.q_range()) {
            at[body.v_range()].copy_from_slice(&start[body.q_range()]);
            origin[body.q_range()].fill(0.0);
        }
        let ws = &mut Workspace::new(model);
        let q = model.integrate(&origin, &at)?;
        let jacobian = constraint_jacobian(model, ws, &q, &constraints)?.clone();
        let joints: Vec<usize> = (0..model.nv()).filter(|dof| !base.contains(dof)).collect();
        let mut dependent = independent(&jacobian, &joints);
        dependent.sort_unstable();
        let rank = |of: &DMatrix<f64>| if of.is_empty() { 0 } else { of.rank(SINGULAR * SINGULAR * of.amax()) };
        let (all, carried) = (rank(&jacobian), rank(&jacobian.columns(base.start, base.len()).into_owned()));
        if carried < base.len() {
            return other(format!(
                "the contacts carry the base in {carried} of {} directions: expected three points that are not in a line, or a sole",
                base.len()
            ));
        }
        if dependent.len() < all {
            return other(format!(
                "the contacts hold {all} directions, but the joints can follow in only {} at the start: the base cannot move; \
                 expected a pose with bent legs (the start)",
                dependent.len()
            ));
        }
        let free = (0..model.nv()).filter(|dof| !dependent.contains(dof)).collect();
        let mut stance = Self { origin, start: at, constraints, base, free, dependent };
        let still = vec![0.0; stance.free.len()];
        let here = [stance.free_start(), still.clone(), still];
        let mut near = stance.of_dependent(&stance.start);
        if stance.state(model, ws, &here, &mut near)?.is_none() {
            return other(
                "at the start the feet cannot reach where they are held: expected a pose nearer to that".into(),
            );
        }
        for (dof, x) in stance.dependent.iter().zip(near) {
            stance.start[*dof] = x;
        }
        Ok(stance)
    }

    /// Degrees of freedom that move freely: those of the base, and of joints that no foot needs.
    #[must_use]
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// The constraints.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Limits of the model's joints; 0.1 m and 0.3 rad each way for the displacement of the base, in the axes of its
    /// standing pose.
    #[must_use]
    pub fn limits(&self, model: &Model) -> JointLimits {
        let limits = model.limits();
        let mut position = vec![(f64::NEG_INFINITY, f64::INFINITY); model.nv()];
        for body in model.bodies().iter().filter(|body| body.q_range().len() == body.v_range().len()) {
            for (dof, k) in body.v_range().zip(body.q_range()) {
                position[dof] = (limits.q_lower[k], limits.q_upper[k]);
            }
        }
        for (k, dof) in self.base.clone().enumerate() {
            let most = BASE[usize::from(k >= 3)];
            position[dof] = (-most, most);
        }
        let (velocity, effort) = (limits.velocity.clone(), limits.effort.clone());
        JointLimits { position, velocity, acceleration: vec![f64::INFINITY; model.nv()], effort }
    }

    /// `(q, v, a)` of the whole robot at times of a motion of the free degrees of freedom, each from the one before.
    /// `None` where feet cannot be held.
    ///
    /// # Errors
    /// Input that the engine rejects.
    pub fn along(
        &self,
        model: &Model,
        series: &Series,
        times: &[f64],
    ) -> Result<Option<Vec<[Vec<f64>; 3]>>, SensitivityError> {
        let free: Vec<State> = times.iter().map(|time| series.at(*time).into()).collect();
        self.states(model, &free)
    }

    pub(super) fn free_start(&self) -> Vec<f64> {
        self.free.iter().map(|dof| self.start[*dof]).collect()
    }

    /// States of the whole robot from those of the free degrees of freedom.
    pub(super) fn states(&self, model: &Model, free: &[State]) -> Result<Option<Vec<State>>, SensitivityError> {
        let ws = &mut Workspace::new(model);
        let mut near = self.of_dependent(&self.start);
        free.iter().map(|free| self.state(model, ws, free, &mut near)).collect()
    }

    /// The quantities that limits of position apply to, nv: for the base its displacement from the standing pose, m and
    /// rad in the axes of that pose, for joints their coordinates. `q`: nq.
    ///
    /// # Errors
    /// Input that the engine rejects.
    pub fn positions(&self, model: &Model, q: &[f64]) -> Result<Vec<f64>, SensitivityError> {
        Ok(model.difference(&self.origin, q)?)
    }

    /// The dependent entries of a displacement.
    pub(super) fn of_dependent(&self, p: &[f64]) -> Vec<f64> {
        self.dependent.iter().map(|dof| p[*dof]).collect()
    }

    /// Solves for the whole robot at its free coordinates; the others begin at `near`, and are written there.
    pub(super) fn state(
        &self,
        model: &Model,
        ws: &mut Workspace,
        [p_free, rate, rate_of_rate]: &State,
        near: &mut [f64],
    ) -> Result<Option<State>, SensitivityError> {
        let spread = |free: &[f64], others: &[f64]| {
            let mut all = vec![0.0; model.nv()];
            self.free.iter().zip(free).for_each(|(dof, x)| all[*dof] = *x);
            self.dependent.iter().zip(others).for_each(|(dof, x)| all[*dof] = *x);
            all
        };
        let none = vec![0.0; near.len()];
        let mut guess = near.to_vec();
        for _ in 0..STEPS {
            let p = spread(p_free, &guess);
            let q = model.integrate(&self.origin, &p)?;
            let error = DVector::from_row_slice(constraint_error(model, ws, &q, &self.constraints)?);
            let jacobian = constraint_jacobian(model, ws, &q, &self.constraints)?.clone();
            let Some(followers) = Followers::new(jacobian.select_columns(&self.dependent)) else { return Ok(None) };
            if error.amax() > HELD {
                let step = followers.solve(-error);
                if step.amax().is_nan() || step.amax() > LONGEST {
                    return Ok(None);
                }
                guess.iter_mut().zip(step.iter()).for_each(|(x, step)| *x += step);
                continue;
            }
            // The others compensate J (D ṗ)_free.
            let moves = model.integrate_dv(&p)?;
            let forced = &moves * DVector::from_vec(spread(rate, &none));
            let others = followers.solve(-(&jacobian * &forced));
            let rates = spread(rate, others.as_slice());
            let v = &moves * DVector::from_row_slice(&rates);
            // Ḋ ṗ, along ṗ.
            let along: Vec<Dual64> = p.iter().zip(&rates).map(|(p, rate)| Dual64::new(*p, *rate)).collect();
            let turning = model.integrate_dv(&along)?.map(|x| x.eps) * DVector::from_row_slice(&rates);
            let forced = &moves * DVector::from_vec(spread(rate_of_rate, &none)) + turning;
            let bias = constraint_bias(model, ws, &q, v.as_slice(), &self.constraints)?;
            let others = followers.solve(-(&jacobian * &forced) - DVector::from_row_slice(bias));
            let a = forced + DVector::from_vec(spread(&vec![0.0; self.free.len()], others.as_slice()));
            near.copy_from_slice(&guess);
            return Ok(Some([q, v.as_slice().to_vec(), a.as_slice().to_vec()]));
        }
        Ok(None)
    }

    /// Torques of the robot without contacts, the smallest forces of the contacts that carry the base, and the torques
    /// of the motors. NaN where the contacts cannot carry it.
    pub(super) fn loads(
        &self,
        model: &Model,
        ws: &mut Workspace,
        [q, v, a]: &State,
    ) -> Result<[Vec<f64>; 3], SensitivityError> {
        let all = rnea(model, ws, q, v, a, &[])?.to_vec();
        let jacobian = constraint_jacobian(model, ws, q, &self.constraints)?;
        let of_base = jacobian.columns(self.base.start, self.base.len());
        let wrench = DVector::from_row_slice(&all[self.base.clone()]);
        let Some(root) = (of_base.transpose() * of_base).cholesky() else {
            return Ok([all, vec![f64::NAN; jacobian.nrows()], vec![f64::NAN; model.nv()]]);
        };
        let forces = of_base * root.solve(&wrench);
        let mut motors = DVector::from_row_slice(&all) - jacobian.tr_mul(&forces);
        motors.rows_mut(self.base.start, self.base.len()).fill(0.0);
        Ok([all, forces.as_slice().to_vec(), motors.as_slice().to_vec()])
    }
}

/// Linearly independent columns, the largest first.
fn independent(of: &DMatrix<f64>, columns: &[usize]) -> Vec<usize> {
    let (mut left, mut found, mut first) = (of.clone(), Vec::new(), 0.0);
    loop {
        let size = |k: &usize| left.column(*k).norm();
        let next = columns.iter().filter(|k| !found.contains(*k)).max_by(|a, b| size(a).total_cmp(&size(b)));
        let Some(next) = next.copied().filter(|k| size(k) > SINGULAR * first && size(k) > 0.0) else { return found };
        if found.is_empty() {
            first = size(&next);
        }
        let direction = left.column(next).normalize();
        for k in columns {
            let part = direction.dot(&left.column(*k));
            left.column_mut(*k).axpy(-part, &direction, 1.0);
        }
        found.push(next);
    }
}

/// Least squares with the columns of the dependent degrees of freedom.
struct Followers {
    reflections: nalgebra::QR<f64, nalgebra::Dyn, nalgebra::Dyn>,
    root: DMatrix<f64>,
}

impl Followers {
    /// `None` if they are nearly singular.
    fn new(columns: DMatrix<f64>) -> Option<Self> {
        let reflections = columns.qr();
        let root = reflections.r();
        let pivots = root.diagonal().map(f64::abs);
        (pivots.min() > SINGULAR * pivots.max()).then_some(Self { reflections, root })
    }

    fn solve(&self, mut right: DVector<f64>) -> DVector<f64> {
        let r = self.root.ncols();
        self.reflections.q_tr_mul(&mut right);
        let mut x = right.rows(0, r).into_owned();
        // Pivots are not zero.
        self.root.solve_upper_triangular_mut(&mut x);
        x
    }
}
