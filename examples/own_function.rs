//! How do I differentiate a function of my own?
//!
//! A cost that calls the engine, `½ |p(q) − target|² + ½ w |q − rest|²` with the position `p` of a robot's hand, is written
//! once, generic over the number type, as a [`StateFunction`]. It gets a workspace for its numbers and may fail with `?`;
//! [`state_hessian`] gives value, gradient and Hessian at register width, and allocates nothing from the second call on.
//! Newton's method brings the gradient to zero. Expect it to fall quadratically at the end. The last line is the length of
//! the gradient there.
//!
//! `cargo run --release --example own_function`

use gradyn::dynamics::forward_kinematics;
use gradyn::model::{FrameId, InputError};
use gradyn::nalgebra::{DMatrix, DVector, Vector3};
use gradyn::partials::{State, StateFunction, StateWorkspace, state_hessian};
use gradyn::{Model, Scalar, UrdfOptions, Workspace};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");

fn main() -> Result<(), Box<dyn Error>> {
    println!("gradient: {:.1e}", run()?);
    Ok(())
}

/// `½ |p(q) − target|² + ½ w |q − rest|²`
struct Reach {
    hand: FrameId,
    target: Vector3<f64>,
    rest: [f64; 7],
    weight: f64,
}

impl StateFunction for Reach {
    fn outputs(&self, _model: &Model) -> usize {
        1
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let still = [T::zero(); 7];
        let kinematics = forward_kinematics(model, ws, state.q, &still, &still)?;
        let mut cost = T::zero();
        if let Some(pose) = kinematics.frame_pose(self.hand) {
            for i in 0..3 {
                cost += (pose.translation[i] - self.target[i]).powi(2);
            }
        }
        for (q, rest) in state.q.iter().zip(self.rest) {
            cost += (*q - rest).powi(2) * self.weight;
        }
        out[0] = cost * 0.5;
        Ok(())
    }
}

/// Length of the gradient at the end.
pub(crate) fn run() -> Result<f64, Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;
    let hand = model.find_frame("panda_link8").ok_or("no such frame")?;
    let rest = [0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8];
    let cost = Reach { hand, target: Vector3::new(0.4, 0.3, 0.5), rest, weight: 1e-2 };
    let mut workspace = StateWorkspace::new();
    let mut q = rest.to_vec();
    for step in 0..30 {
        let state = State { q: &q, v: &[], u: &[], wrenches: &[] };
        let at = state_hessian(&model, &mut workspace, &cost, state, &[1.0])?;
        let length = at.gradient.norm();
        println!("step {step}: cost {:.6}, gradient {length:.1e}", at.value[0]);
        if length < 1e-12 {
            return Ok(length);
        }
        // A step of −(H + μ 1)⁻¹ g, with μ large enough for a positive definite matrix.
        let lowest = at.hessian.symmetric_eigenvalues().min();
        let damped = &at.hessian + DMatrix::identity(7, 7) * (1e-6 + (-2.0 * lowest).max(0.0));
        let step: DVector<f64> = damped.cholesky().ok_or("not positive definite")?.solve(&-&at.gradient);
        q = model.integrate(&q, step.as_slice())?;
    }
    Err("no convergence in 30 steps".into())
}
