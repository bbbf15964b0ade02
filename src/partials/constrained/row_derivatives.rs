//! How constraints and the torques under them vary with the state, accelerations and multipliers held.

use crate::dynamics::constraints::{AtState, BodyState, Rows, Side, Varied, in_body, rows_of};
use crate::dynamics::frame_derivatives::{column, path_columns};
use crate::dynamics::jacobian::clear;
use crate::dynamics::placed::update;
use crate::dynamics::reference::{Attached, view};
use crate::dynamics::{Constraint, ExternalWrench, ReferenceFrame, Workspace, by_plan};
use crate::kernels::blocks::product;
use crate::kernels::by_joint::constraints::derivatives::Sums;
use crate::kernels::by_joint::constraints::operators::Changes;
use crate::model::Model;
use crate::partials::{DerivativeWorkspace, RneaDerivatives};
use crate::spatial::{Motion, Transform, vector as v3};
use nalgebra::{DMatrix, Vector3};

/// Derivatives at held accelerations and multipliers.
#[derive(Clone, Debug, Default)]
pub(super) struct Variation {
    /// Of the rows by q, rows × nv.
    pub(super) rows_q: DMatrix<f64>,
    /// Of the rows by v, rows × nv.
    pub(super) rows_v: DMatrix<f64>,
    /// Of the torques that the motion needs, less those of all wrenches, by q: nv × nv.
    pub(super) torques_q: DMatrix<f64>,
    /// Wrenches from outside, then those of the multipliers, in coordinates of their bodies.
    pub(super) wrenches: Vec<ExternalWrench>,
    /// By what those of points and frames fall behind when their bodies turn, rows × nv.
    pub(super) turned: DMatrix<f64>,
    /// Of the latter by q, 6 rows a wrench, nv columns.
    wrenches_q: DMatrix<f64>,
    /// The torques by the latter, nv × 6 a wrench.
    by_wrenches: DMatrix<f64>,
}

/// Constraints and their multipliers.
type WithMultipliers<'a> = (&'a [Constraint], &'a [f64]);

impl Variation {
    /// Rows and wrenches at a state, for constraints with their multipliers. What is not differentiated by is left at zero.
    pub(super) fn of_constraints(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        what: Rows,
        state: (&[f64], &[f64], &[f64]),
        external: &[ExternalWrench],
        (constraints, lambda): WithMultipliers<'_>,
    ) {
        let placed = update(model, ws, Motion::zero(), state);
        let place = |b: usize| {
            let (velocity, acceleration) = (placed.velocity[b], placed.acceleration[b]);
            Some(BodyState { pose: placed.pose[b], origin: placed.origin(b), velocity, acceleration })
        };
        self.wrenches_on(model, external, (constraints, lambda), place);
        self.clear(model, constraints);
        let mut start = Start::default();
        for c in constraints {
            let at = at_state(c, what, &lambda[start.row..], place);
            for (s, b) in [c.a.body, c.b.body].into_iter().enumerate() {
                let Some(b) = b else { continue };
                let seen = view(placed, b, [&c.a, &c.b][s], ReferenceFrame::LocalWorldAligned);
                for k in path_columns(placed, b) {
                    let varied = at.vary(&c.relation, s, &column(placed, b, k, &seen));
                    self.add(&start, c, placed.dof[k], &varied);
                }
            }
            start = start.after(c);
        }
    }

    /// The same wrenches, if the constraints hold points and frames of bodies to the world, which [kernels](crate::kernels) has just placed.
    pub(super) fn wrenches_of_axes(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        external: &[ExternalWrench],
        (constraints, lambda): WithMultipliers<'_>,
    ) -> Option<()> {
        let is_one = |c: &Constraint| c.relation.axes().is_some() && (c.a.body.is_none() || c.b.body.is_none());
        if !constraints.iter().all(is_one) {
            return None;
        }
        let kernels = by_plan::of(model, ws)?;
        self.wrenches_on(model, external, (constraints, lambda), |b| kernels.body_state(b));
        Some(())
    }

    /// The same rows of such constraints, eight columns at a time, at the state of the last sweep of [kernels](crate::kernels).
    pub(super) fn of_axes(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        what: Rows,
        (constraints, lambda): WithMultipliers<'_>,
    ) -> Option<()> {
        let rows = rows_of(constraints);
        for m in [&mut self.rows_q, &mut self.rows_v, &mut self.turned] {
            clear(m, rows, model.nv);
        }
        let mut kernels = by_plan::of(model, ws)?;
        let mut start = 0;
        for c in constraints {
            let at = at_state(c, what, &lambda[start..], |b| kernels.body_state(b));
            let [rows_q, rows_v, turned] = [&mut self.rows_q, &mut self.rows_v, &mut self.turned]
                .map(|m| m.as_mut_slice().get_mut(start..).unwrap_or_default());
            let mut sums = Sums { rows_q, rows_v, turned, height: rows };
            for (s, b) in [c.a.body, c.b.body].into_iter().enumerate() {
                if let Some(b) = b {
                    kernels.add_row_derivatives((c.relation.axes()?, &at), (s, b), &mut sums)?;
                }
            }
            start += c.rows();
        }
        Some(())
    }

    /// What accelerations vary with by the configuration: after [`of_axes`](Self::of_axes) and derivatives of inverse dynamics under
    /// these wrenches as if they kept their coordinates in their bodies, or after [`of_torques`](Self::of_torques).
    pub(super) fn changes<'a>(&'a self, of_axes: bool, by: &'a RneaDerivatives) -> Changes<'a> {
        let rows = self.rows_q.as_slice();
        if of_axes {
            return Changes { torques: by.dtau_dq.as_slice(), turned: self.turned.as_slice(), rows, sparse: true };
        }
        Changes { torques: self.torques_q.as_slice(), rows, ..Changes::default() }
    }

    /// Makes room, all zero.
    fn clear(&mut self, model: &Model, constraints: &[Constraint]) {
        let moving = constraints.iter().flat_map(|c| [c.a.body, c.b.body]).flatten().count();
        clear(&mut self.rows_q, rows_of(constraints), model.nv);
        clear(&mut self.rows_v, rows_of(constraints), model.nv);
        clear(&mut self.wrenches_q, 6 * moving, model.nv);
    }

    /// Wrenches from outside, then those of the multipliers.
    fn wrenches_on(
        &mut self,
        model: &Model,
        external: &[ExternalWrench],
        (constraints, lambda): WithMultipliers<'_>,
        place: impl Fn(usize) -> Option<BodyState>,
    ) {
        self.wrenches.clear();
        self.wrenches.extend_from_slice(external);
        let mut start = Start::default();
        for c in constraints {
            let sides = sides(c, &place);
            let lambda = &lambda[start.row..][..c.rows()];
            let forces = c.relation.wrenches(&sides[0].pose, &sides[1].pose, lambda);
            for (s, at) in [&c.a, &c.b].into_iter().enumerate() {
                if let Some(b) = at.body {
                    let wrench = in_body(&at.placement, &sides[s].pose, forces[s]);
                    self.wrenches.push(ExternalWrench::in_body(model.id_of(b), wrench));
                }
            }
            start = start.after(c);
        }
    }

    /// Adds what a column changes.
    fn add(&mut self, start: &Start, c: &Constraint, dof: usize, varied: &Varied) {
        for r in 0..c.rows() {
            self.rows_q[(start.row + r, dof)] += varied.rows_q[r];
            self.rows_v[(start.row + r, dof)] += varied.rows_v[r];
        }
        for (number, by) in start.numbers(c).into_iter().zip(&varied.wrenches_q) {
            if let Some(number) = number {
                by.iter().enumerate().for_each(|(i, x)| self.wrenches_q[(6 * number + i, dof)] += x);
            }
        }
    }

    /// Torques by the configuration, from derivatives of inverse dynamics under these wrenches, as if those of multipliers kept
    /// their coordinates in their bodies; `external` wrenches come before them.
    pub(super) fn of_torques(&mut self, nv: usize, ws: &DerivativeWorkspace, external: usize) {
        let Self { torques_q, wrenches_q, by_wrenches, .. } = self;
        clear(torques_q, nv, nv);
        torques_q.copy_from(&ws.result.dtau_dq);
        clear(by_wrenches, nv, wrenches_q.nrows());
        let each = by_wrenches.as_mut_slice().chunks_exact_mut((6 * nv).max(1));
        for (to, from) in each.zip(&ws.result.dtau_df_ext[external..]) {
            to.copy_from_slice(from.as_slice());
        }
        product::add_product(1.0, by_wrenches, wrenches_q, torques_q);
    }
}

/// Where a constraint's rows and wrenches begin.
#[derive(Clone, Copy, Debug, Default)]
struct Start {
    row: usize,
    wrench: usize,
}

impl Start {
    /// The number of each side's wrench.
    fn numbers(&self, c: &Constraint) -> [Option<usize>; 2] {
        let [a, b] = [c.a.body, c.b.body];
        [a.map(|_| self.wrench), b.map(|_| self.wrench + usize::from(a.is_some()))]
    }

    /// Of the next constraint.
    fn after(&self, c: &Constraint) -> Self {
        let moving = [c.a.body, c.b.body].into_iter().flatten().count();
        Self { row: self.row + c.rows(), wrench: self.wrench + moving }
    }
}

fn at_state<'a>(
    c: &'a Constraint,
    what: Rows,
    lambda: &[f64],
    place: impl Fn(usize) -> Option<BodyState>,
) -> AtState<'a> {
    let rows = c.rows();
    AtState {
        what,
        kp: c.kp,
        kd: c.kd,
        sides: sides(c, place),
        placements: [&c.a.placement, &c.b.placement],
        lambda: std::array::from_fn(|r| if r < rows { lambda[r] } else { 0.0 }),
        rows,
    }
}

/// Both sides at a state, their places seen from the origin of A's tree.
pub(super) fn sides(c: &Constraint, place: impl Fn(usize) -> Option<BodyState>) -> [Side<f64>; 2] {
    let (a, b) = (c.a.body.and_then(&place), c.b.body.and_then(&place));
    let about = a.as_ref().map_or_else(v3::zero, |a| a.origin);
    [side(&c.a, a.as_ref(), about), side(&c.b, b.as_ref(), about)]
}

#[inline]
fn side(at: &Attached<f64>, place: Option<&BodyState>, about: Vector3<f64>) -> Side<f64> {
    let from = |x: Transform<f64>, origin| Transform::new(x.rotation, v3::add(x.translation, v3::sub(origin, about)));
    let Some(&BodyState { pose, origin, velocity, acceleration }) = place else {
        let still = Motion::zero();
        return Side { pose: from(at.placement, v3::zero()), velocity: still, acceleration: still };
    };
    let frame = pose * at.placement;
    let velocity = velocity.shifted::<f64>(frame.translation);
    let acceleration = acceleration.shifted::<f64>(frame.translation).classical::<f64>(velocity);
    Side { pose: from(frame, origin), velocity, acceleration }
}
