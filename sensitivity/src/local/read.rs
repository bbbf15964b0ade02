//! Constraints in numbers, read from what they do.
//!
//! A [`Constraint`] does not show what it is made of. But its errors are linear in poses ([`held`](super::held)), and as many errors as there
//! are unknowns, of the robot with its bodies put wherever they are wanted, tell the numbers. So these rows share nothing with the engine's.

use super::held::{Held, Linear, Turn, matrix};
use super::thread::Thread;
use crate::error::SensitivityError;
use gradyn::dynamics::{constraint_bias, constraint_error, constraint_jacobian};
use gradyn::joint::JointKind;
use gradyn::spatial::{exp3, exp6};
use gradyn::{Constraint, Model, Motion, Transform, Workspace};
use nalgebra::{DMatrix, DVector, Matrix4, Vector3};
use std::slice::from_ref;

/// Constraints of this robot, in numbers.
///
/// # Errors
/// [`SensitivityError::Input`] for constraints that the engine refuses, [`SensitivityError::Other`] for one of another kind than these.
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
        let linear_rows: Vec<usize> = (0..if rows == 6 { 3 } else { rows }).collect();
        let (first, second) = (bodies.first().copied(), bodies.get(1).copied());
        let from_world: Vec<_> = bodies.iter().map(|b| (None, Some(*b))).collect();
        let pairs = [[(first, second)], [(second, first)]];
        let mut forms = std::iter::once(&from_world[..]).chain(pairs.iter().map(|pair| &pair[..]));
        let (linear, thread) = match forms.find_map(|form| fit(form, &poses, &errors, &linear_rows)) {
            Some(linear) => (linear, None),
            None => {
                let of_pair = |pair| self.thread(c, pair, &poses, &errors);
                let found = pairs.iter().map(of_pair).collect::<Result<Vec<_>, _>>()?;
                let (linear, thread) = found.into_iter().flatten().next().ok_or_else(|| {
                    let what = "has no closed form by the geometry here: ask for dual numbers";
                    SensitivityError::Other(format!("constraint {index} {what}"))
                })?;
                (vec![linear], Some(thread))
            }
        };
        let turn = (rows == 6).then(|| {
            let of = |is: fn(f64) -> bool| linear.iter().find(|of| is(of.weights[0][(0, 3)])).and_then(|of| of.to);
            let between = exp3(Vector3::new(origin[3], origin[4], origin[5]));
            Turn { a: of(|x| x < 0.0), b: of(|x| x > 0.0), between }
        });
        let [kp, kd] = self.gains(c, &poses[0])?;
        Ok(Held { bodies, linear, turn, thread, kp, kd, rows })
    }

    /// A thread between these two, if it is one.
    fn thread(
        &mut self,
        c: &Constraint,
        pair: &[(Option<usize>, Option<usize>); 1],
        poses: &[Vec<(usize, Transform<f64>)>],
        errors: &[DVector<f64>],
    ) -> Result<Option<(Linear, Thread)>, SensitivityError> {
        let others = [0, 1, 3, 4];
        let [(from, to)] = *pair;
        let Some(linear) = fit(pair, poses, errors, &others).filter(|_| c.rows() == 5) else { return Ok(None) };
        let mut error = |x: &Transform<f64>| -> Result<f64, SensitivityError> {
            let at = match (from, to) {
                (_, Some(b)) => (b, *x),
                (Some(a), None) => (a, x.inverse()),
                (None, None) => return Ok(0.0),
            };
            Ok(self.error(c, &[at])?[Thread::ROW])
        };
        let Some((thread, along)) = Thread::read(&linear[0].weights, &mut error)? else { return Ok(None) };
        let mut weights = linear[0].weights.clone();
        weights.insert(Thread::ROW, along);
        Ok(Some((Linear { from, to, weights }, thread)))
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

/// Functions of poses of this form, if these rows of the errors are such.
fn fit(
    form: &Form,
    poses: &[Vec<(usize, Transform<f64>)>],
    errors: &[DVector<f64>],
    rows: &[usize],
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
    let errors = DMatrix::from_fn(poses.len(), rows.len(), |i, k| errors[i][rows[k]]);
    let weights = features.clone().svd(true, true).solve(&errors, 1e-9).ok()?;
    let left = (&features * &weights - &errors).amax();
    let weights_of = |k: usize| {
        let of_row = |row: usize| {
            let mut g = Matrix4::zeros();
            (0..12).for_each(|i| g[(i % 3, i / 3)] = weights[(12 * k + i, row)]);
            g
        };
        (0..rows.len()).map(of_row).collect()
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
