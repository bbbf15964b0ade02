//! How constraints and the torques under them vary with the state, accelerations and multipliers held.

use crate::dynamics::constraints::{Side, rows_of};
use crate::dynamics::frame_derivatives::{Column, classical, path_columns};
use crate::dynamics::jacobian::{clear, empty};
use crate::dynamics::links::{Links, update};
use crate::dynamics::reference::Attached;
use crate::dynamics::seen::Seen;
use crate::dynamics::{Constraint, ExternalWrench, ReferenceFrame, Workspace, wide};
use crate::model::{BodyId, Model};
use crate::partials::DerivativeWorkspace;
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::Scalar;
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, Matrix3, Vector3};

/// What of the constraints is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// `J q̈ + γ`
    Accelerations,
    /// `J v`
    Rates,
}

/// Derivatives at held accelerations and multipliers.
#[derive(Clone, Debug)]
pub(super) struct Variation {
    /// Of the rows by q, rows × nv.
    pub(super) rows_q: DMatrix<f64>,
    /// Of the rows by v, rows × nv.
    pub(super) rows_v: DMatrix<f64>,
    /// Of the torques that the motion needs, less those of all wrenches, by q: nv × nv.
    pub(super) torques_q: DMatrix<f64>,
    /// Wrenches from outside, then those of the multipliers, in coordinates of their bodies.
    pub(super) wrenches: Vec<ExternalWrench>,
    /// Of the latter by q, 6 rows a wrench, nv columns.
    wrenches_q: DMatrix<f64>,
    /// The torques by the latter, nv × 6 a wrench.
    by_wrenches: DMatrix<f64>,
}

impl Default for Variation {
    fn default() -> Self {
        let [rows_q, rows_v, torques_q, wrenches_q, by_wrenches] = [(); 5].map(|()| empty());
        Self { rows_q, rows_v, torques_q, wrenches: Vec::new(), wrenches_q, by_wrenches }
    }
}

impl Variation {
    /// Rows and wrenches at a state, for constraints with their multipliers. What is not differentiated by is left at zero.
    pub(super) fn of_constraints(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        what: Rows,
        state: (&[f64], &[f64], &[f64]),
        external: &[ExternalWrench],
        (constraints, lambda): (&[Constraint], &[f64]),
    ) {
        let Self { rows_q, rows_v, wrenches, wrenches_q, .. } = self;
        let moving = constraints.iter().flat_map(|c| [c.a.body, c.b.body]).flatten().count();
        clear(rows_q, rows_of(constraints), model.nv);
        clear(rows_v, rows_of(constraints), model.nv);
        clear(wrenches_q, 6 * moving, model.nv);
        wrenches.clear();
        wrenches.extend_from_slice(external);
        let links = update(model, ws, Motion::zero(), state);
        let mut start = 0;
        for c in constraints {
            let (own, n) = (start..start + c.rows(), c.rows());
            let lambda = &lambda[own.clone()];
            let at = [&c.a, &c.b];
            let seats = at.map(|at| at.body.map(|b| (b, Seen::new(links, b, at, ReferenceFrame::LocalWorldAligned))));
            // About the origin of A's tree.
            let about = c.a.body.map_or_else(v3::zero, |a| links.origin(a));
            let sides = [side(links, at[0], &seats[0], about), side(links, at[1], &seats[1], about)];
            let first = wrenches.len() - external.len();
            let numbers = [seats[0].map(|_| first), seats[1].map(|_| first + usize::from(seats[0].is_some()))];
            let forces = c.relation.wrenches(&sides[0].pose, &sides[1].pose, lambda);
            for s in 0..2 {
                if let Some((b, _)) = seats[s] {
                    wrenches.push(ExternalWrench::in_body(BodyId(b), in_body(at[s], &sides[s].pose, forces[s])));
                }
            }
            let mut values = [Dual64::from(0.0); 6];
            let lambda: [Dual64; 6] = std::array::from_fn(|r| Dual64::from(lambda.get(r).copied().unwrap_or(0.0)));
            let still = sides.map(|side| dual(&side, &Motion::zero(), &Motion::zero(), &Motion::zero()));
            for s in 0..2 {
                let Some((b, seen)) = &seats[s] else { continue };
                for k in path_columns(links, *b) {
                    let (by, dof) = (Column::of(links, *b, k, seen), links.dof[k]);
                    let by_q = Motion::new(
                        classical(sides[s].velocity, by.acceleration_q, by.velocity_q),
                        by.acceleration_q.angular,
                    );
                    let mut moved = still;
                    moved[s] = dual(&sides[s], &by.subspace, &by.velocity_q, &by_q);
                    evaluate(c, what, &moved, &mut values[..n]);
                    own.clone().zip(&values).for_each(|(r, x)| rows_q[(r, dof)] += x.eps);
                    let forces = c.relation.wrenches(&moved[0].pose, &moved[1].pose, &lambda[..n]);
                    for t in 0..2 {
                        if let Some(number) = numbers[t] {
                            let force = in_body(at[t], &moved[t].pose, forces[t]).to_array();
                            force.iter().enumerate().for_each(|(i, x)| wrenches_q[(6 * number + i, dof)] += x.eps);
                        }
                    }
                    if what == Rows::Accelerations {
                        let by_v = Motion::new(
                            classical(sides[s].velocity, by.acceleration_v, by.subspace),
                            by.acceleration_v.angular,
                        );
                        moved[s] = dual(&sides[s], &Motion::zero(), &by.subspace, &by_v);
                        evaluate(c, what, &moved, &mut values[..n]);
                        own.clone().zip(&values).for_each(|(r, x)| rows_v[(r, dof)] += x.eps);
                    }
                }
            }
            start = own.end;
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
        wide::add_product(1.0, by_wrenches, wrenches_q, torques_q);
    }
}

/// One side at a state, its place seen from a point of the world.
fn side(links: &Links<f64>, at: &Attached<f64>, seat: &Option<(usize, Seen<f64>)>, about: Vector3<f64>) -> Side<f64> {
    let from = |x: Transform<f64>, origin| Transform::new(x.rotation, v3::add(x.translation, v3::sub(origin, about)));
    match seat {
        None => Side { pose: from(at.placement, v3::zero()), velocity: Motion::zero(), acceleration: Motion::zero() },
        Some((b, seen)) => {
            let pose = from(links.pose[*b] * at.placement, links.origin(*b));
            let velocity = seen.motion(links.velocity[*b]);
            let acceleration = seen.motion(links.acceleration[*b]).classical::<f64>(velocity);
            Side { pose, velocity, acceleration }
        }
    }
}

/// A side that moves by a motion of its origin, while velocity and acceleration vary.
fn dual(side: &Side<f64>, by: &Motion<f64>, velocity: &Motion<f64>, acceleration: &Motion<f64>) -> Side<Dual64> {
    let vector = |x: Vector3<f64>, dx: Vector3<f64>| x.zip_map(&dx, Dual64::new);
    let motion =
        |x: Motion<f64>, dx: &Motion<f64>| Motion::new(vector(x.linear, dx.linear), vector(x.angular, dx.angular));
    let turned: Matrix3<f64> = v3::product(&v3::skew(by.angular), &side.pose.rotation);
    let rotation = side.pose.rotation.zip_map(&turned, Dual64::new);
    Side {
        pose: Transform::new(rotation, vector(side.pose.translation, by.linear)),
        velocity: motion(side.velocity, velocity),
        acceleration: motion(side.acceleration, acceleration),
    }
}

fn evaluate(c: &Constraint, what: Rows, [a, b]: &[Side<Dual64>; 2], to: &mut [Dual64]) {
    match what {
        Rows::Rates => c.relation.rate(a, b, to),
        Rows::Accelerations => {
            let (mut rate, mut error) = ([Dual64::from(0.0); 6], [Dual64::from(0.0); 6]);
            c.relation.acceleration(a, b, to);
            c.relation.rate(a, b, &mut rate[..to.len()]);
            c.relation.error(&a.pose, &b.pose, &mut error[..to.len()]);
            for (r, x) in to.iter_mut().enumerate() {
                *x += rate[r] * c.kd + error[r] * c.kp;
            }
        }
    }
}

/// A wrench in axes of the world about the origin of a side, in coordinates of the side's body.
fn in_body<T: Scalar>(at: &Attached<f64>, pose: &Transform<T>, f: Force<T>) -> Force<T> {
    let back = |x: Vector3<T>| v3::rotate_back::<T, T>(&pose.rotation, x);
    at.placement.act(Force::new(back(f.linear), back(f.angular)))
}
