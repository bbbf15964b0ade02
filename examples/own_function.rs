//! How do I differentiate a function of my own that uses the robot?
//!
//! The squared distance of a flange from a target is written once, generic over the number type, as a
//! [`ScalarFunction`]; the drivers give its gradient and its Hessian. Newton's method then brings the flange to the
//! target. Seven joints for three coordinates: the Hessian is singular at the solution, so a little is added to its
//! diagonal. Expect the distance to fall quadratically. The last line is the distance at the end.
//!
//! `cargo run --example own_function`

use gradyn::derivatives::drivers::hessian;
use gradyn::model::FrameId;
use gradyn::nalgebra::{DMatrix, DVector};
use gradyn::{Model, Scalar, ScalarFunction, UrdfOptions, Workspace, forward_kinematics};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");

fn main() -> Result<(), Box<dyn Error>> {
    println!("distance: {:.1e} m", run()?);
    Ok(())
}

/// `½ |p(q) − target|²` for the origin `p` of a frame.
pub(crate) struct PositionError<'a> {
    pub(crate) model: &'a Model,
    pub(crate) frame: FrameId,
    pub(crate) target: [f64; 3],
}

impl ScalarFunction for PositionError<'_> {
    fn inputs(&self) -> usize {
        self.model.nq()
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, q: &[T]) -> T {
        let still = vec![T::zero(); self.model.nv()];
        let mut ws = Workspace::new(self.model);
        let kinematics = forward_kinematics(self.model, &mut ws, q, &still, &still);
        // The driver names a value that is not finite, so an error need not be lost.
        let Some(pose) = kinematics.ok().and_then(|kinematics| kinematics.frame_pose(self.frame)) else {
            return T::from(f64::NAN);
        };
        let (p, t) = (pose.translation, self.target);
        let (x, y, z) = (p.x - t[0], p.y - t[1], p.z - t[2]);
        (x * x + y * y + z * z) * 0.5
    }
}

/// The distance at the end.
pub(crate) fn run() -> Result<f64, Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;
    let frame = model.find_frame("panda_link8").ok_or("no such frame")?;
    let error = PositionError { model: &model, frame, target: [0.4, 0.2, 0.5] };

    let mut q = vec![0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];
    for step in 0..20 {
        let (value, gradient, hessian) = hessian(&error, &q)?;
        let distance = (2.0 * value).sqrt();
        println!(
            "step {step}: distance {distance:.3e} m, |gradient| {:.1e}",
            DVector::from_vec(gradient.clone()).norm()
        );
        if distance < 1e-9 {
            return Ok(distance);
        }
        // (H + μ 1) dq = −g, with μ large enough for a positive definite matrix.
        let (h, g) = (DMatrix::from_row_slice(7, 7, &hessian), DVector::from_vec(gradient));
        let lowest = h.symmetric_eigenvalues().min();
        let damped = h + DMatrix::identity(7, 7) * (1e-6 + (-2.0 * lowest).max(0.0));
        let dq = -damped.cholesky().ok_or("not positive definite")?.solve(&g);
        q = model.integrate(&q, dq.as_slice())?;
    }
    Err("no convergence in 20 steps".into())
}
