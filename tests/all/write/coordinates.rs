//! Coordinates of a model, of those of its file. A joint (cos, sin) is an angle there, a planar joint of MJCF two slides and a hinge, and a free
//! joint of MuJoCo has its linear velocity in axes of the mounting frame.

use gradyn::joint::{Elementary, Joint, JointKind};
use gradyn::model::{Body, Model};
use gradyn::spatial::Quaternion;
use nalgebra::{DMatrix, Matrix3, Vector3};

/// What coordinates a file has.
#[derive(Clone, Copy)]
pub(super) struct Convention<'a> {
    /// Whether planar joints are slides and hinges.
    pub(super) planar_apart: bool,
    /// Whether the linear velocity of this free joint is in axes of the mounting frame.
    pub(super) free_apart: &'a dyn Fn(&str) -> bool,
    /// Whether quaternions begin with their real part.
    pub(super) real_first: bool,
}

/// A state of the model, and `J` with `v = J v'` for the velocities `v'` of the file: torques are `τ' = Jᵀ τ`.
pub(super) struct State {
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) a: Vec<f64>,
    pub(super) jacobian: DMatrix<f64>,
}

/// The joints in a row that a body's joint consists of.
fn parts(body: &Body) -> Vec<Elementary> {
    match body.joint() {
        Joint::Elementary(joint) => vec![*joint],
        Joint::Composite(joint) => joint.parts().iter().map(|part| part.joint).collect(),
        Joint::Mimic(_) => vec![],
    }
}

/// The state of the model at a state of the file.
pub(super) fn of_file(model: &Model, with: Convention, q1: &[f64], v1: &[f64], a1: &[f64]) -> State {
    let mut state = State { q: vec![], v: vec![], a: vec![], jacobian: DMatrix::identity(model.nv(), model.nv()) };
    let mut rest = q1.iter().copied();
    let quaternion = |numbers: [f64; 4]| match (with.real_first, numbers) {
        (true, [w, x, y, z]) => [x, y, z, w],
        (false, numbers) => numbers,
    };
    for body in model.bodies() {
        for joint in parts(body) {
            let mut next = || rest.next().expect("the file has as many coordinates");
            let dof = state.v.len();
            let nv = JointKind::<f64>::nv(&joint);
            let at = |x: &[f64], k: usize| Vector3::new(x[dof + k], x[dof + k + 1], x[dof + k + 2]);
            // Of linear velocities that are rotated, the rotation to the mounting frame, and the angular velocity in the body.
            let mut rotated: Option<(Matrix3<f64>, Vector3<f64>, usize)> = None;
            match joint {
                Elementary::Continuous(_) => {
                    let (sin, cos) = next().sin_cos();
                    state.q.extend([cos, sin]);
                }
                Elementary::Planar(_) if with.planar_apart => {
                    let (x, y, (sin, cos)) = (next(), next(), next().sin_cos());
                    state.q.extend([x, y, cos, sin]);
                    let turn = Matrix3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
                    rotated = Some((turn, Vector3::new(0.0, 0.0, v1[dof + 2]), 2));
                }
                Elementary::Spherical(_) => state.q.extend(quaternion([next(), next(), next(), next()])),
                Elementary::FreeFlyer(_) => {
                    let p = [next(), next(), next()];
                    let r = quaternion([next(), next(), next(), next()]);
                    state.q.extend(p.into_iter().chain(r));
                    if (with.free_apart)(body.joint_name()) {
                        rotated = Some((Quaternion::from_array(r).rotation(), at(v1, 3), 3));
                    }
                }
                _ => state.q.extend((0..JointKind::<f64>::nq(&joint)).map(|_| next())),
            }
            state.v.extend(&v1[dof..dof + nv]);
            state.a.extend(&a1[dof..dof + nv]);
            if let Some((r, w, linear)) = rotated {
                let of = |x: &[f64]| Vector3::from_fn(|k, _| if k < linear { x[dof + k] } else { 0.0 });
                // v = Rᵀ v', and so a = Rᵀ a' − ω × v.
                let v = r.transpose() * of(v1);
                let a = r.transpose() * of(a1) - w.cross(&v);
                for k in 0..linear {
                    (state.v[dof + k], state.a[dof + k]) = (v[k], a[k]);
                    for l in 0..linear {
                        state.jacobian[(dof + k, dof + l)] = r[(l, k)];
                    }
                }
            }
        }
    }
    assert!(rest.next().is_none(), "the file has more coordinates");
    state
}
