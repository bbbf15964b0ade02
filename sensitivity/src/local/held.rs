//! What constraints ask, read from what they do, and how their rows change with the geometry of the robot.
//!
//! A [`Constraint`] does not show what it is made of. But its errors are linear in poses of its two sides, or of one seen from the other,
//! and as many errors as there are unknowns tell the numbers. With `T` such a pose (4×4), `ξ` the velocity in it, in its own
//! coordinates, and hats for the matrices of motions:
//!
//! ```text
//! e = ⟨G, T⟩ + c ,   ė = ⟨G, T ξ̂⟩ ,   ë = ⟨G, T (ξ̂² + dξ̂/dt)⟩                                          (1)
//! δT = T η̂ ,   δė = ⟨G, T (η̂ ξ̂ + δξ̂)⟩ ,   δë = ⟨G, T (η̂ (ξ̂² + dξ̂/dt) + δξ̂ ξ̂ + ξ̂ δξ̂ + δ(dξ̂/dt))⟩   (2)
//! ```
//!
//! Of frames, rotations are held by `e = log E`, `E = R_b C R_aᵀ`, and their rates are those of the frames in axes of the world. When B
//! turns by θ there, `δe = J_l⁻¹(e) θ`; when A does, `δe = −J_r⁻¹(e) θ`. So the rows of points, frames and joints have one form each, which
//! shares nothing with the engine's. A thread (a helical joint that closes a loop) is no linear function of poses.

use super::places::{Change, Place, Places};
use crate::error::SensitivityError;
use gradyn::dynamics::{constraint_bias, constraint_error, constraint_jacobian};
use gradyn::joint::JointKind;
use gradyn::spatial::{exp3, exp6, jlog3, log3};
use gradyn::{Constraint, Model, Motion, Transform, Workspace};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix4, Vector3};
use std::slice::from_ref;

/// How much of the error of a constraint, of its rate and of its acceleration is asked about.
#[derive(Clone, Copy, Debug)]
struct Shares {
    error: f64,
    rate: f64,
    acceleration: f64,
}

/// A constraint, in numbers.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// The bodies that it holds, without the world.
    bodies: Vec<usize>,
    linear: Vec<Linear>,
    turn: Option<Turn>,
    kp: f64,
    kd: f64,
    rows: usize,
}

/// (1): the pose of one body, seen from another one; `None` is the world.
#[derive(Clone, Debug)]
struct Linear {
    from: Option<usize>,
    to: Option<usize>,
    /// `G`, one a row.
    weights: Vec<Matrix4<f64>>,
}

/// Rows 3 to 5 of a frame.
#[derive(Clone, Copy, Debug)]
struct Turn {
    a: Option<usize>,
    b: Option<usize>,
    /// `C`
    between: Matrix3<f64>,
}

/// `∂(J a + γ)/∂p` at the state and the accelerations of these places, where `γ = J̇ v + k_d J v + k_p e`: a column for each parameter of
/// the engine.
pub(crate) fn accelerations_by_geometry(model: &Model, held: &[Held], state: (&[f64], &[f64], &[f64])) -> DMatrix<f64> {
    let shares = |held: &Held| Shares { error: held.kp, rate: held.kd, acceleration: 1.0 };
    by_geometry(model, held, &Places::new(model, state), shares)
}

/// `∂(J v)/∂p`
pub(crate) fn rates_by_geometry(model: &Model, held: &[Held], (q, v): (&[f64], &[f64])) -> DMatrix<f64> {
    let shares = |_: &Held| Shares { error: 0.0, rate: 1.0, acceleration: 0.0 };
    by_geometry(model, held, &Places::new(model, (q, v, &vec![0.0; v.len()])), shares)
}

fn by_geometry(model: &Model, held: &[Held], places: &Places, shares: impl Fn(&Held) -> Shares) -> DMatrix<f64> {
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
                    if let Some(moved) = linear.moved(places, Some(*body), &change, shares) {
                        rows.iter_mut().zip(&linear.weights).for_each(|(row, g)| *row += g.dot(&moved));
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

impl Linear {
    /// (2), if it is of this body.
    fn moved(&self, places: &Places, body: Option<usize>, change: &Change, shares: Shares) -> Option<Matrix4<f64>> {
        let (a, b) = (places.of(self.from), places.of(self.to));
        let x = a.pose.inv_mul(&b.pose);
        let (v_a, a_a) = (x.inv_act(a.velocity), x.inv_act(a.acceleration));
        let xi = b.velocity - v_a;
        let xi_dot = b.acceleration - a_a + xi.cross(v_a);
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
        let rate = eta * xi + dxi;
        let acceleration = eta * (xi * xi + xi_dot) + dxi * xi + xi * dxi + dxi_dot;
        Some(matrix(&x) * (eta * shares.error + rate * shares.rate + acceleration * shares.acceleration))
    }
}

impl Turn {
    fn moved(&self, places: &Places, body: Option<usize>, change: &Change, shares: Shares) -> Vector3<f64> {
        let (a, b) = (places.of(self.a), places.of(self.b));
        let of_b = body == self.b;
        let (sign, Place { pose, velocity, acceleration }) = if of_b { (1.0, b) } else { (-1.0, a) };
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

/// Constraints of this robot, in numbers.
///
/// # Errors
/// [`SensitivityError::Input`] for constraints that the engine refuses, [`SensitivityError::Other`] for one that is no linear function of
/// poses.
pub(crate) fn read(model: &Model, constraints: &[Constraint]) -> Result<Vec<Held>, SensitivityError> {
    let mut probe = Probe::new(model);
    constraints.iter().enumerate().map(|(index, c)| probe.read(index, c)).collect()
}

/// The robot with all bodies put wherever they are wanted, by the placements of their joints.
struct Probe {
    model: Model,
    ws: Workspace,
    q: Vec<f64>,
}

/// More than the 25 unknowns of two poses, so that what is left over tells whether they are the right ones.
const POSES: usize = 40;

impl Probe {
    fn new(model: &Model) -> Self {
        Self { model: model.clone(), ws: Workspace::new(model), q: model.neutral() }
    }

    /// Bodies at these poses in the world, all others at its origin.
    fn put(&mut self, at: &[(usize, Transform<f64>)]) -> Result<(), SensitivityError> {
        let wanted = |b: usize| at.iter().find(|(of, _)| *of == b).map_or_else(Transform::identity, |(_, x)| *x);
        let placements: Vec<Transform<f64>> = self
            .model
            .bodies()
            .iter()
            .enumerate()
            .map(|(b, body)| {
                let parent = body.parent().map_or_else(Transform::identity, |parent| wanted(parent.index()));
                let joint: Transform<f64> = JointKind::<f64>::pose(body.joint(), &self.q[body.q_range()]);
                parent.inv_mul(&wanted(b)) * joint.inverse()
            })
            .collect();
        let ids: Vec<_> = (0..placements.len()).filter_map(|b| self.model.body_id(b)).collect();
        self.model.update_parameters(|to| {
            ids.iter().zip(placements).try_for_each(|(id, x)| to.set_placement(*id, x).map(|_| ()))
        })?;
        Ok(())
    }

    fn error(&mut self, c: &Constraint, at: &[(usize, Transform<f64>)]) -> Result<DVector<f64>, SensitivityError> {
        self.put(at)?;
        Ok(DVector::from_column_slice(constraint_error(&self.model, &mut self.ws, &self.q, from_ref(c))?))
    }

    fn read(&mut self, index: usize, c: &Constraint) -> Result<Held, SensitivityError> {
        let origin = self.error(c, &[])?;
        let mut bodies = Vec::new();
        for b in 0..self.model.bodies().len() {
            // A body that is none of the sides leaves rounding.
            if (self.error(c, &[(b, pose(0))])? - &origin).amax() > 1e-9 * (1.0 + origin.amax()) {
                bodies.push(b);
            }
        }
        let poses: Vec<Vec<_>> =
            (0..POSES).map(|i| bodies.iter().enumerate().map(|(k, b)| (*b, pose(2 * i + k))).collect()).collect();
        let errors: Vec<DVector<f64>> = poses.iter().map(|at| self.error(c, at)).collect::<Result<_, _>>()?;
        let rows = c.rows();
        // Six rows are a frame's: no joint leaves less than one degree of freedom but a fixed one, which is a frame.
        let count = if rows == 6 { 3 } else { rows };
        let (first, second) = (bodies.first().copied(), bodies.get(1).copied());
        let from_world: Vec<_> = bodies.iter().map(|b| (None, Some(*b))).collect();
        let forms = [from_world, vec![(first, second)], vec![(second, first)]];
        let linear = forms.iter().find_map(|form| fit(form, &poses, &errors, count)).ok_or_else(|| {
            let what = "has a thread, whose rows have no closed form by the geometry here: ask for dual numbers";
            SensitivityError::Other(format!("constraint {index} {what}"))
        })?;
        let turn = (rows == 6).then(|| {
            let of = |is: fn(f64) -> bool| linear.iter().find(|of| is(of.weights[0][(0, 3)])).and_then(|of| of.to);
            let between = exp3(Vector3::new(origin[3], origin[4], origin[5]));
            Turn { a: of(|x| x < 0.0), b: of(|x| x > 0.0), between }
        });
        let [kp, kd] = self.gains(c, &poses[0])?;
        Ok(Held { bodies, linear, turn, kp, kd, rows })
    }

    /// `γ` at rest is `k_p e`; what of it changes its sign with the velocity is `k_d J v`.
    fn gains(&mut self, c: &Constraint, at: &[(usize, Transform<f64>)]) -> Result<[f64; 2], SensitivityError> {
        let error = self.error(c, at)?;
        let Self { model, ws, q } = self;
        let v = DVector::from_fn(model.nv(), |k, _| number(k));
        let rate = constraint_jacobian(model, ws, q, from_ref(c))? * &v;
        let mut bias = |v: DVector<f64>| -> Result<DVector<f64>, SensitivityError> {
            Ok(DVector::from_column_slice(constraint_bias(model, ws, q, v.as_slice(), from_ref(c))?))
        };
        let rest = bias(&v * 0.0)?;
        let odd = (bias(v.clone())? - bias(-v)?) * 0.5;
        let ratio = |x: DVector<f64>, y: DVector<f64>| if y.amax() > 0.0 { x.dot(&y) / y.norm_squared() } else { 0.0 };
        Ok([ratio(rest, error), ratio(odd, rate)])
    }
}

/// Pairs of bodies, each seen from the other; `None` is the world.
type Form = [(Option<usize>, Option<usize>)];

/// (1) of poses of this form, if the errors are such functions of them.
fn fit(
    form: &Form,
    poses: &[Vec<(usize, Transform<f64>)>],
    errors: &[DVector<f64>],
    count: usize,
) -> Option<Vec<Linear>> {
    let mut features = DMatrix::from_element(poses.len(), 12 * form.len() + 1, 1.0);
    for (i, at) in poses.iter().enumerate() {
        let of = |body: Option<usize>| {
            let found = body.and_then(|body| at.iter().find(|(b, _)| *b == body));
            found.map_or_else(Transform::identity, |(_, x)| *x)
        };
        for (k, (from, to)) in form.iter().enumerate() {
            let twelve = matrix(&of(*from).inv_mul(&of(*to))).fixed_rows::<3>(0).into_owned();
            features.view_mut((i, 12 * k), (1, 12)).iter_mut().zip(&twelve).for_each(|(to, x)| *to = *x);
        }
    }
    let errors = DMatrix::from_fn(poses.len(), count, |i, row| errors[i][row]);
    let weights = features.clone().svd(true, true).solve(&errors, 1e-9).ok()?;
    let left = (&features * &weights - &errors).amax();
    let weights_of = |k: usize| {
        let of_row = |row: usize| {
            let mut g = Matrix4::zeros();
            (0..12).for_each(|i| g[(i % 3, i / 3)] = weights[(12 * k + i, row)]);
            g
        };
        (0..count).map(of_row).collect()
    };
    // Rounding of a fit of numbers of this size, with room: what does not fit is off by as much as the numbers themselves.
    (left <= 1e-9 * (1.0 + errors.amax())).then(|| {
        let of = |(k, (from, to)): (usize, &(Option<usize>, Option<usize>))| Linear {
            from: *from,
            to: *to,
            weights: weights_of(k),
        };
        form.iter().enumerate().map(of).collect()
    })
}

/// Numbers that follow no pattern, in [−1, 1].
fn number(k: usize) -> f64 {
    (1.0 + 12.9898 * k as f64 * (1.0 + k as f64)).sin()
}

fn pose(i: usize) -> Transform<f64> {
    let three = |at: usize| Vector3::new(number(at), number(at + 1), number(at + 2));
    exp6(Motion::new(three(6 * i), three(6 * i + 3) * 1.5))
}
