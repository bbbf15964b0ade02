//! Constraints in numbers, and the change of their rows with the geometry of the robot.
//!
//! Rows are those of [`Constraint`]. They are linear in poses of the two sides, or of one seen from the other. With `T`
//! such a pose (4×4), `ξ` the velocity in it, in its own coordinates, and hats for the matrices of motions:
//!
//! ```text
//! e = ⟨G, T⟩ + c ,   ė = ⟨G, T ξ̂⟩ ,   ë = ⟨G, T (ξ̂² + dξ̂/dt)⟩                                          (1)
//! δT = T η̂ ,   δė = ⟨G, T (η̂ ξ̂ + δξ̂)⟩ ,   δë = ⟨G, T (η̂ (ξ̂² + dξ̂/dt) + δξ̂ ξ̂ + ξ̂ δξ̂ + δ(dξ̂/dt))⟩   (2)
//! ```
//!
//! The rotations of frames are held by `e = log E`, `E = R_b C R_aᵀ`, and their rates are those of the frames in axes
//! of the world. If B rotates by θ there, `δe = J_l⁻¹(e) θ`; if A does, `δe = −J_r⁻¹(e) θ`. A [helical
//! joint](HelicalRow) subtracts an angle.

use super::helical::HelicalRow;
use super::joint_geometry::{BodyState, Change, JointGeometry};
use super::linear::{Shares, along, angle};
use crate::error::SensitivityError;
use gradyn::dynamics::ConstraintKind;
use gradyn::joint::{Axis, Continuous, Elementary, Planar, Revolute};
use gradyn::spatial::{jlog3, log3};
use gradyn::{Constraint, Model, Motion, Transform};
use nalgebra::{DMatrix, Matrix3, Matrix4, Vector3};

/// A constraint, in numbers.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintRows {
    /// The bodies that it holds, except the world.
    pub(super) bodies: Vec<usize>,
    pub(super) linear: Vec<Linear>,
    pub(super) turn: Option<Turn>,
    pub(super) thread: Option<HelicalRow>,
    pub(super) kp: f64,
    pub(super) kd: f64,
    pub(super) rows: usize,
}

/// (1): the pose of one body, seen from another one; `None` is the world.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) from: Option<usize>,
    pub(super) to: Option<usize>,
    /// `G`, one per row.
    pub(super) weights: Vec<Matrix4<f64>>,
}

/// Rows 3 to 5 of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    /// `C`
    pub(super) between: Matrix3<f64>,
}

/// Constraints in numbers.
///
/// # Errors
/// [`SensitivityError::Other`] for a constraint of another kind.
pub(crate) fn constraint_rows(constraints: &[Constraint]) -> Result<Vec<ConstraintRows>, SensitivityError> {
    let of = |(index, c)| {
        let what = "has no closed form by the geometry here: use dual numbers";
        ConstraintRows::of(c).ok_or_else(|| SensitivityError::Other(format!("constraint {index} {what}")))
    };
    constraints.iter().enumerate().map(of).collect()
}

impl ConstraintRows {
    fn of(c: &Constraint) -> Option<Self> {
        let [a, b] = c.bodies().map(|body| body.map(|body| body.index()));
        let [x_a, x_b] = c.placements();
        let (linear, turn, thread) = match c.kind() {
            ConstraintKind::Point => (offset([a, b], [x_a, x_b]), None, None),
            ConstraintKind::Frame => {
                let between = x_b.rotation * x_a.rotation.transpose();
                (offset([a, b], [x_a, x_b]), Some(Turn { a, b, between }), None)
            }
            ConstraintKind::Joint(joint) => {
                let weights = weights(&joint, x_a, x_b)?;
                (vec![Linear { from: a, to: b, weights }], None, HelicalRow::of(&joint, x_a, x_b))
            }
            _ => return None,
        };
        let (kp, kd) = c.gains();
        Some(Self { bodies: [a, b].into_iter().flatten().collect(), linear, turn, thread, kp, kd, rows: c.rows() })
    }
}

/// `p_b − p_a`, in axes of the world.
fn offset(bodies: [Option<usize>; 2], placements: [&Transform<f64>; 2]) -> Vec<Linear> {
    let signs = [-1.0, 1.0];
    let of = |k: usize| {
        let weights = (0..3).map(|i| along(Vector3::ith(i, signs[k]), placements[k])).collect();
        bodies[k].map(|body| Linear { from: None, to: Some(body), weights })
    };
    [0, 1].into_iter().filter_map(of).collect()
}

/// Rows of a joint, of the pose of B's body in A's; of a helical joint, the coordinate along its axis.
fn weights(joint: &Elementary, x_a: &Transform<f64>, x_b: &Transform<f64>) -> Option<Vec<Matrix4<f64>>> {
    let along = |n: Vector3<f64>| along(x_a.vector(n), x_b);
    let angle = |n: Vector3<f64>, u: Vector3<f64>| angle(x_a.vector(n), x_b.vector(u));
    let across = |axis: Axis| <[Vector3<f64>; 2]>::from(Planar::new(axis).in_plane());
    let all = [Vector3::x(), Vector3::y(), Vector3::z()];
    // An axis keeps its direction, as do three directions.
    let parallel = |axis: Axis| across(axis).map(|n| angle(n, axis.vector())).to_vec();
    let square = |[x, y, z]: [Vector3<f64>; 3]| vec![angle(x, y), angle(y, z), angle(z, x)];
    let (first, then) = match joint {
        Elementary::Revolute(Revolute { axis }) | Elementary::Continuous(Continuous { axis }) => {
            (all.map(along).to_vec(), parallel(*axis))
        }
        Elementary::Prismatic(joint) => {
            let [e, f] = across(joint.axis);
            (vec![along(e), along(f)], square([joint.axis.vector(), e, f]))
        }
        Elementary::Helical(joint) => {
            let [e, f] = across(joint.axis);
            (vec![along(e), along(f), along(joint.axis.vector())], parallel(joint.axis))
        }
        Elementary::Cylindrical(joint) => (across(joint.axis).map(along).to_vec(), parallel(joint.axis)),
        Elementary::Universal(joint) => {
            (all.map(along).to_vec(), vec![angle(joint.first.vector(), joint.second.vector())])
        }
        Elementary::Planar(joint) => (vec![along(joint.normal().vector())], parallel(joint.normal())),
        Elementary::Spherical(_) | Elementary::SphericalZyx(_) => (all.map(along).to_vec(), Vec::new()),
        Elementary::Translation(_) => (Vec::new(), square(all)),
        Elementary::Fixed(_) | Elementary::FreeFlyer(_) => return None,
    };
    Some([first, then].concat())
}

/// `∂(J a + γ)/∂p` at the state and the accelerations of these frames, where `γ = J̇ v + k_d J v + k_p e`: one column
/// per parameter of the engine.
pub(crate) fn accelerations_by_geometry(
    model: &Model,
    held: &[ConstraintRows],
    state: (&[f64], &[f64], &[f64]),
) -> DMatrix<f64> {
    let shares = |held: &ConstraintRows| Shares { error: held.kp, rate: held.kd, acceleration: 1.0 };
    by_geometry(model, held, &JointGeometry::new(model, state), shares)
}

/// `∂(J v)/∂p`
pub(crate) fn rates_by_geometry(model: &Model, held: &[ConstraintRows], (q, v): (&[f64], &[f64])) -> DMatrix<f64> {
    let shares = |_: &ConstraintRows| Shares { error: 0.0, rate: 1.0, acceleration: 0.0 };
    by_geometry(model, held, &JointGeometry::new(model, (q, v, &vec![0.0; v.len()])), shares)
}

fn by_geometry(
    model: &Model,
    held: &[ConstraintRows],
    places: &JointGeometry,
    shares: impl Fn(&ConstraintRows) -> Shares,
) -> DMatrix<f64> {
    let rows = held.iter().map(|held| held.rows).sum();
    let mut to = DMatrix::zeros(rows, model.parameter_layout().len());
    let mut start = 0;
    for held in held {
        let shares = shares(held);
        for body in &held.bodies {
            for change in places.changes(Some(*body)) {
                let mut column = to.column_mut(change.at);
                let mut rows = column.rows_mut(start, held.rows);
                for linear in &held.linear {
                    let Some(moved) = linear.moved(places, Some(*body), &change) else { continue };
                    let [error, rate, acceleration] = moved;
                    let sum = error * shares.error + rate * shares.rate + acceleration * shares.acceleration;
                    rows.iter_mut().zip(&linear.weights).for_each(|(row, g)| *row += g.dot(&sum));
                    if let Some(thread) = &held.thread {
                        rows[HelicalRow::ROW] += thread.moved(&linear.values(places), &moved, shares);
                    }
                }
                if let Some(turn) = &held.turn {
                    let moved = turn.moved(places, Some(*body), &change, shares);
                    (0..3).for_each(|k| rows[3 + k] += moved[k]);
                }
            }
        }
        start += held.rows;
    }
    to
}

/// One body seen from another one, at their poses.
struct Seen {
    x: Transform<f64>,
    /// Velocity and acceleration of the other body, in coordinates of the first.
    carried: [Motion<f64>; 2],
    xi: Motion<f64>,
    xi_dot: Motion<f64>,
}

impl Linear {
    fn seen(&self, places: &JointGeometry) -> Seen {
        let (a, b) = (places.of(self.from), places.of(self.to));
        let x = a.pose.inv_mul(&b.pose);
        let carried = [x.inv_act(a.velocity), x.inv_act(a.acceleration)];
        let xi = b.velocity - carried[0];
        Seen { x, carried, xi, xi_dot: b.acceleration - carried[1] + xi.cross(carried[0]) }
    }

    /// `T` and its two rates: (1).
    fn values(&self, places: &JointGeometry) -> [Matrix4<f64>; 3] {
        let Seen { x, xi, xi_dot, .. } = self.seen(places);
        let (x, xi, xi_dot) = (matrix(&x), hat(xi), hat(xi_dot));
        [x, x * xi, x * (xi * xi + xi_dot)]
    }

    /// The changes of these, if the change is of this body: (2).
    fn moved(&self, places: &JointGeometry, body: Option<usize>, change: &Change) -> Option<[Matrix4<f64>; 3]> {
        let Seen { x, carried: [v_a, a_a], xi, xi_dot } = self.seen(places);
        let none = Motion::zero();
        let (still, moved) = ([none; 3], [change.pose, change.velocity, change.acceleration]);
        let [by_a, by_b] = match body {
            body if body == self.to => [still, moved],
            body if body == self.from => [moved.map(|m| x.inv_act(m)), still],
            _ => return None,
        };
        let eta = by_b[0] - by_a[0];
        let (dv_a, da_a) = (by_a[1] - eta.cross(v_a), by_a[2] - eta.cross(a_a));
        let dxi = by_b[1] - dv_a;
        let dxi_dot = by_b[2] - da_a + dxi.cross(v_a) + xi.cross(dv_a);
        let [eta, xi, xi_dot, dxi, dxi_dot] = [eta, xi, xi_dot, dxi, dxi_dot].map(hat);
        let acceleration = eta * (xi * xi + xi_dot) + dxi * xi + xi * dxi + dxi_dot;
        Some([eta, eta * xi + dxi, acceleration].map(|m| matrix(&x) * m))
    }
}

impl Turn {
    fn moved(&self, places: &JointGeometry, body: Option<usize>, change: &Change, shares: Shares) -> Vector3<f64> {
        let (a, b) = (places.of(self.a), places.of(self.b));
        let of_b = body == self.b;
        let (sign, BodyState { pose, velocity, acceleration }) = if of_b { (1.0, b) } else { (-1.0, a) };
        let turn = change.pose.angular;
        let e = log3(&(b.pose.rotation * self.between * a.pose.rotation.transpose()));
        // J_l(e) = J_r(−e)
        let error = jlog3(if of_b { -e } else { e }) * pose.vector(turn);
        let rate = turn.cross(&velocity.angular) + change.velocity.angular;
        let second = turn.cross(&acceleration.angular) + change.acceleration.angular;
        (error * shares.error + pose.vector(rate * shares.rate + second * shares.acceleration)) * sign
    }
}

fn hat(m: Motion<f64>) -> Matrix4<f64> {
    let mut hat = m.angular.cross_matrix().to_homogeneous();
    hat[(3, 3)] = 0.0;
    hat.fixed_view_mut::<3, 1>(0, 3).copy_from(&m.linear);
    hat
}

fn matrix(x: &Transform<f64>) -> Matrix4<f64> {
    let mut matrix = x.rotation.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&x.translation);
    matrix
}
