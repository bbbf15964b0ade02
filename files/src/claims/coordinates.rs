//! The coordinates of the other side: its order of joints, and its way to describe a floating base.
//!
//! Primed are the other side's, and `v = T(q) v′`. `T` is orthogonal for all layouts here, so `τ = T τ′` and
//! `τ′ = Tᵀ τ`; accelerations are rates, `a = T a′ + Ṫ v′`. Everything is generic over the number type: derivatives in
//! the other side's coordinates, with what `T` contributes by depending on `q`, come from running dual numbers or
//! differences through it.

use super::Layout;
use super::table::JointPlace;
use crate::quantity::Axis;
use gradyn::joint::{Elementary, Joint, JointKind};
use gradyn::model::{Body, Model};
use gradyn::nalgebra::{DMatrix, Matrix3, Vector3};
use gradyn::spatial::{Quaternion, Transform, vector as v3};
use gradyn::{Real, Scalar};
use std::ops::Range;

/// How a joint's coordinates there are made of those here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As here.
    Same,
    /// `q′ = (p, quaternion w x y z)`, `v′ = (ṗ in the axes outside, ω in the body's)`.
    MujocoFree,
    /// `q′ = quaternion w x y z`, `v′` as here.
    MujocoBall,
    /// `q′ = (quaternion w x y z, p)`, `v′ = (ω, ṗ)`, both in the axes outside.
    DrakeFree,
    /// `q′ = (x, y, θ)`, `v′` their rates.
    PlanarRates,
}

#[derive(Clone, Debug)]
struct Block {
    form: Form,
    /// Here.
    q: Range<usize>,
    v: Range<usize>,
    /// There.
    q_there: Range<usize>,
    v_there: Range<usize>,
}

/// The way between the other side's coordinates and those of the model.
#[derive(Clone, Debug)]
pub struct Coordinates {
    blocks: Vec<Block>,
    /// Sizes there.
    pub nq: usize,
    /// Number of velocities there.
    pub nv: usize,
    /// A name for each coordinate and each velocity there.
    pub q_names: Vec<String>,
    /// A name for each velocity there.
    pub v_names: Vec<String>,
}

/// The form of a joint in a layout, and its sizes there.
fn form(layout: Layout, body: &Body) -> Result<(Form, usize, usize), String> {
    let (nq, nv) = (body.q_range().len(), body.v_range().len());
    let same = Ok((Form::Same, nq, nv));
    match (layout, body.joint()) {
        (Layout::Mujoco, Joint::Elementary(Elementary::FreeFlyer(_))) => {
            let placement = body.placement();
            let at_the_origin = *placement == Transform::identity();
            if body.parent().is_some() || !at_the_origin {
                return Err(format!(
                    "joint `{}`: a free joint of MuJoCo moves in the world's axes; this one hangs elsewhere",
                    body.joint_name()
                ));
            }
            Ok((Form::MujocoFree, 7, 6))
        }
        (Layout::Mujoco, Joint::Elementary(Elementary::Spherical(_))) => Ok((Form::MujocoBall, 4, 3)),
        (Layout::Drake, Joint::Elementary(Elementary::Spherical(_))) => Err(format!(
            "joint `{}`: a ball joint of Drake has roll, pitch and yaw for coordinates, which have no counterpart here",
            body.joint_name()
        )),
        (Layout::Drake, Joint::Elementary(Elementary::FreeFlyer(_))) => Ok((Form::DrakeFree, 7, 6)),
        (Layout::Mujoco | Layout::Drake, Joint::Elementary(Elementary::Planar(_))) => Ok((Form::PlanarRates, 3, 3)),
        _ => same,
    }
}

/// Suffixes of a joint's coordinates there.
fn suffixes(form: Form, kind: &str, nq: usize) -> (Vec<String>, Option<[&'static str; 6]>) {
    let q: &[&str] = match (form, kind, nq) {
        (_, _, 1) => &[""],
        (Form::MujocoFree, ..) => &[".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"],
        (Form::MujocoBall, ..) => &[".qw", ".qx", ".qy", ".qz"],
        (Form::DrakeFree, ..) => &[".qw", ".qx", ".qy", ".qz", ".x", ".y", ".z"],
        (Form::PlanarRates, ..) => &[".x", ".y", ".angle"],
        (_, "free-flyer", _) => &[".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"],
        (_, "spherical", _) => &[".qx", ".qy", ".qz", ".qw"],
        (_, "planar", _) => &[".x", ".y", ".cos", ".sin"],
        (_, "continuous", _) => &[".cos", ".sin"],
        _ => &[],
    };
    let q = (0..nq).map(|k| q.get(k).map_or_else(|| format!(".{k}"), ToString::to_string)).collect();
    let v = (form == Form::DrakeFree).then_some([".wx", ".wy", ".wz", ".vx", ".vy", ".vz"]);
    (q, v)
}

impl Coordinates {
    /// `joints`: the other side's joints in its order; without them they stand in the model's order.
    pub fn new(model: &Model, layout: Layout, joints: Option<&[JointPlace]>) -> Result<Self, String> {
        let moving = |body: &&Body| body.owns_coordinates() && !body.v_range().is_empty();
        let bodies: Vec<&Body> = model.bodies().iter().filter(moving).collect();
        let default: Vec<JointPlace>;
        let joints = match joints {
            Some(joints) => joints,
            None => {
                if layout == Layout::Drake && bodies.iter().enumerate().any(|(k, b)| is_sibling(b, &bodies[..k])) {
                    return Err(String::from(
                        "the joints branch and Drake numbers them in an order of its own: name them by `joints`, in its order",
                    ));
                }
                let place = |body: &&Body| JointPlace { name: body.joint_name().to_owned(), start: None };
                default = bodies.iter().map(place).collect();
                &default
            }
        };
        let names = model.dof_names();
        let mut blocks = Vec::with_capacity(bodies.len());
        let (mut q, mut v) = (0, 0);
        let (mut q_names, mut v_names) = (Vec::new(), Vec::new());
        for (k, place) in joints.iter().enumerate() {
            if joints[..k].iter().any(|before| before.name == place.name) {
                return Err(format!("`joints`, entry {k}: `{}` is there twice", place.name));
            }
            let body = bodies.iter().find(|body| body.joint_name() == place.name);
            let body = body.ok_or_else(|| unknown(k, &place.name, &bodies))?;
            let (form, nq, nv) = form(layout, body)?;
            if let Some(start) = place.start
                && start != (q, v)
            {
                return Err(format!(
                    "`joints`, entry {k} (`{}`): its coordinates begin at {} in q and {} in v, expected {q} and {v}, \
                     where those of the joint before end",
                    place.name, start.0, start.1
                ));
            }
            let (q_suffixes, v_suffixes) = suffixes(form, body.joint().kind(), nq);
            q_names.extend(q_suffixes.into_iter().map(|suffix| format!("{}{suffix}", place.name)));
            match v_suffixes {
                Some(suffixes) => v_names.extend(suffixes.map(|suffix| format!("{}{suffix}", place.name))),
                None => v_names.extend(names[body.v_range()].iter().cloned()),
            }
            let (q_there, v_there) = (q..q + nq, v..v + nv);
            blocks.push(Block { form, q: body.q_range(), v: body.v_range(), q_there, v_there });
            (q, v) = (q + nq, v + nv);
        }
        if let Some(missing) = bodies.iter().find(|body| joints.iter().all(|place| place.name != body.joint_name())) {
            return Err(format!(
                "`joints` lacks `{}`: it has {} of the robot's {} moving joints",
                missing.joint_name(),
                joints.len(),
                bodies.len()
            ));
        }
        Ok(Self { blocks, nq: q, nv: v, q_names, v_names })
    }

    /// Whether velocities are the same numbers in both programs, up to their order.
    pub fn same_velocities(&self) -> bool {
        self.blocks.iter().all(|block| matches!(block.form, Form::Same | Form::MujocoBall))
    }

    /// The configuration here.
    pub fn configuration(&self, there: &[f64]) -> Vec<f64> {
        let mut q = vec![0.0; self.blocks.iter().map(|block| block.q.end).max().unwrap_or(0)];
        for block in &self.blocks {
            let (here, there) = (&mut q[block.q.clone()], &there[block.q_there.clone()]);
            match (block.form, there) {
                (Form::MujocoFree, [x, y, z, qw, qx, qy, qz]) | (Form::DrakeFree, [qw, qx, qy, qz, x, y, z]) => {
                    here.copy_from_slice(&[*x, *y, *z, *qx, *qy, *qz, *qw]);
                }
                (Form::MujocoBall, [qw, qx, qy, qz]) => here.copy_from_slice(&[*qx, *qy, *qz, *qw]),
                (Form::PlanarRates, [x, y, angle]) => here.copy_from_slice(&[*x, *y, angle.cos(), angle.sin()]),
                _ => here.copy_from_slice(there),
            }
        }
        q
    }

    /// `∂q′/∂v′`, nq′ × nv′: how the coordinates there change along each velocity there.
    pub fn rates(&self, model: &Model, q: &[f64]) -> DMatrix<f64> {
        let mut rates = DMatrix::zeros(self.nq, self.nv);
        let mut unit = vec![0.0; self.nv];
        for k in 0..self.nv {
            unit[k] = 1.0;
            let v = self.velocity(q, &unit);
            unit[k] = 0.0;
            let mut q_dot = vec![0.0; q.len()];
            for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
                let (rq, rv) = (body.q_range(), body.v_range());
                body.joint().q_dot(&q[rq.clone()], &v[rv], &mut q_dot[rq]);
            }
            for block in &self.blocks {
                let (here, at) = (&q_dot[block.q.clone()], block.q_there.start);
                let there = match (block.form, here) {
                    (Form::MujocoFree, [x, y, z, qx, qy, qz, qw]) => vec![*x, *y, *z, *qw, *qx, *qy, *qz],
                    (Form::DrakeFree, [x, y, z, qx, qy, qz, qw]) => vec![*qw, *qx, *qy, *qz, *x, *y, *z],
                    (Form::MujocoBall, [qx, qy, qz, qw]) => vec![*qw, *qx, *qy, *qz],
                    (Form::PlanarRates, [x, y, ..]) => vec![*x, *y, v[block.v.end - 1]],
                    (_, here) => here.to_vec(),
                };
                for (row, rate) in there.into_iter().enumerate() {
                    rates[(at + row, k)] = rate;
                }
            }
        }
        rates
    }

    /// `v = T(q) v′`, and `τ = T(q) τ′`.
    pub fn velocity<Q: Real, T: Scalar<Q>>(&self, q: &[Q], there: &[T]) -> Vec<T> {
        let mut v = vec![T::zero(); self.nv];
        for block in &self.blocks {
            let (here, there) = (&mut v[block.v.clone()], &there[block.v_there.clone()]);
            match (block.form, there) {
                (Form::MujocoFree, [x, y, z, wx, wy, wz]) => {
                    let linear = v3::rotate_back(&rotation(&q[block.q.clone()]), Vector3::new(*x, *y, *z));
                    here.copy_from_slice(&[linear.x, linear.y, linear.z, *wx, *wy, *wz]);
                }
                (Form::DrakeFree, [wx, wy, wz, x, y, z]) => {
                    let r = rotation(&q[block.q.clone()]);
                    let linear = v3::rotate_back(&r, Vector3::new(*x, *y, *z));
                    let angular = v3::rotate_back(&r, Vector3::new(*wx, *wy, *wz));
                    here.copy_from_slice(&[linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]);
                }
                (Form::PlanarRates, [x, y, w]) => {
                    let (c, s) = (q[block.q.start + 2], q[block.q.start + 3]);
                    here.copy_from_slice(&[*x * c + *y * s, *y * c - *x * s, *w]);
                }
                _ => here.copy_from_slice(there),
            }
        }
        v
    }

    /// `τ′ = Tᵀ(q) τ`.
    pub fn torques_there<Q: Real, T: Scalar<Q>>(&self, q: &[Q], here: &[T]) -> Vec<T> {
        let mut there = vec![T::zero(); self.nv];
        for block in &self.blocks {
            let (here, there) = (&here[block.v.clone()], &mut there[block.v_there.clone()]);
            match (block.form, here) {
                (Form::MujocoFree, [x, y, z, nx, ny, nz]) => {
                    let force = v3::rotate(&rotation(&q[block.q.clone()]), Vector3::new(*x, *y, *z));
                    there.copy_from_slice(&[force.x, force.y, force.z, *nx, *ny, *nz]);
                }
                (Form::DrakeFree, [x, y, z, nx, ny, nz]) => {
                    let r = rotation(&q[block.q.clone()]);
                    let force = v3::rotate(&r, Vector3::new(*x, *y, *z));
                    let moment = v3::rotate(&r, Vector3::new(*nx, *ny, *nz));
                    there.copy_from_slice(&[moment.x, moment.y, moment.z, force.x, force.y, force.z]);
                }
                (Form::PlanarRates, [x, y, n]) => {
                    let (c, s) = (q[block.q.start + 2], q[block.q.start + 3]);
                    there.copy_from_slice(&[*x * c - *y * s, *y * c + *x * s, *n]);
                }
                _ => there.copy_from_slice(here),
            }
        }
        there
    }

    /// A matrix from the order there, of its rows, columns or both, to the order here. For equal
    /// [velocities](Self::same_velocities).
    pub fn reordered(&self, there: &DMatrix<f64>, [rows, columns]: [bool; 2]) -> DMatrix<f64> {
        let mut order: Vec<usize> = (0..there.nrows().max(there.ncols()).max(self.nv)).collect();
        for block in &self.blocks {
            for (there, here) in block.v_there.clone().zip(block.v.clone()) {
                order[here] = there;
            }
        }
        let at = |k: usize, is: bool| if is { order[k] } else { k };
        DMatrix::from_fn(there.nrows(), there.ncols(), |i, k| there[(at(i, rows), at(k, columns))])
    }

    /// A matrix in the order there. For equal [velocities](Self::same_velocities), where axes belong to them.
    pub fn ordered_there(&self, here: &DMatrix<f64>, (rows, columns): (Axis, Axis)) -> DMatrix<f64> {
        let dofs: Vec<usize> = self.blocks.iter().flat_map(|block| block.v.clone()).collect();
        let order = |axis: Axis, n: usize| -> Vec<usize> {
            match axis {
                Axis::Dofs => dofs.clone(),
                Axis::DofPairs => dofs.iter().flat_map(|j| dofs.iter().map(move |k| j * self.nv + k)).collect(),
                _ => (0..n).collect(),
            }
        };
        let (rows, columns) = (order(rows, here.nrows()), order(columns, here.ncols()));
        DMatrix::from_fn(rows.len(), columns.len(), |i, k| here[(rows[i], columns[k])])
    }

    /// `a = T a′ + Ṫ v′`, with `v = T v′`.
    pub fn acceleration<T: Scalar>(&self, q: &[T], v: &[T], there: &[T]) -> Vec<T> {
        let mut a = self.velocity(q, there);
        for (at, bias) in self.turning(v) {
            a[at] -= bias;
        }
        a
    }

    /// `a′ = T⁻¹ (a − Ṫ v′)`, with `v = T v′`.
    pub fn acceleration_there<T: Scalar>(&self, q: &[T], v: &[T], here: &[T]) -> Vec<T> {
        let mut a = here.to_vec();
        for (at, bias) in self.turning(v) {
            a[at] += bias;
        }
        self.torques_there(q, &a)
    }

    /// `−Ṫ v′ = (ω × v, 0)`: velocities in the axes outside do not turn with the body. By entries here.
    fn turning<T: Scalar>(&self, v: &[T]) -> Vec<(usize, T)> {
        let mut entries = Vec::new();
        for block in &self.blocks {
            let at = block.v.start;
            match (block.form, &v[block.v.clone()]) {
                (Form::MujocoFree | Form::DrakeFree, [x, y, z, wx, wy, wz]) => {
                    let turning = v3::cross(Vector3::new(*wx, *wy, *wz), Vector3::new(*x, *y, *z));
                    entries.extend([(at, turning.x), (at + 1, turning.y), (at + 2, turning.z)]);
                }
                (Form::PlanarRates, [x, y, w]) => entries.extend([(at, -(*w * *y)), (at + 1, *w * *x)]),
                _ => {}
            }
        }
        entries
    }
}

/// The rotation of a free-flyer.
fn rotation<T: Real>(q: &[T]) -> Matrix3<T> {
    Quaternion::from_array([q[3], q[4], q[5], q[6]]).rotation()
}

/// Whether one of the bodies before has the same parent.
fn is_sibling(body: &Body, before: &[&Body]) -> bool {
    before.iter().any(|other| other.parent() == body.parent())
}

fn unknown(k: usize, name: &str, bodies: &[&Body]) -> String {
    let similarity = |body: &&&Body| strsim::jaro_winkler(&body.joint_name().to_lowercase(), &name.to_lowercase());
    let nearest = bodies.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    let hint = match nearest {
        Some(body) if similarity(&body) > 0.8 => format!("; did you mean `{}`?", body.joint_name()),
        _ => String::from("; `gradyn info` shows the joints"),
    };
    let name = name.chars().take(100).collect::<String>();
    format!("`joints`, entry {k}: expected a moving joint of the robot, found `{name}`{hint}")
}
