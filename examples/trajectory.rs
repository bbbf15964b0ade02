//! How does a trajectory optimizer use this? Torques that bring an arm to a goal, by descent along the gradient.
//!
//! The robot and its functions come from the root of the crate. Steps are `v⁺ = v + h q̈`, `q⁺ = q ⊕ h v⁺`; the cost is how far
//! from the goal, and how fast, the arm is in the end, and the torques beyond those that hold it up. Its gradient by all torques comes
//! from one sweep back through the steps, with `∂q̈/∂(q, v, τ)` of `aba_derivatives` and the Jacobians of `⊕`. Expect the gradient to be what the cost
//! changes by, to the ten digits that an extrapolated difference has, and the cost to fall to a part of what it was.
//!
//! `cargo run --release --example trajectory`

use gradyn::derivatives::difference::{self, Euclidean};
use gradyn::nalgebra::DVector;
use gradyn::{
    DerivativeWorkspace, InputError, Method, Model, UrdfOptions, Workspace, aba, aba_derivatives, crba, rnea,
};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
const START: [f64; 7] = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8];
const GOAL: [f64; 7] = [0.3, -0.2, 0.1, -1.7, 0.0, 1.5, 0.6];
const STEPS: usize = 20;
/// Length of a step, s.
const H: f64 = 0.02;
/// How far off the goal counts as much as 1 rad/s, rad.
const NEAR: f64 = 0.1;
/// What torques cost beside that, 1/(N² m² s).
const EFFORT: f64 = 1e-4;

fn main() -> Result<(), Box<dyn Error>> {
    let result = run()?;
    println!("gradient along a direction: {:.9e}", result.exact);
    println!("  by a difference of costs: {:.9e} ± {:.0e}", result.by_difference, result.error);
    println!("cost: {:.6} at the start, {:.6} in the end", result.before, result.after);
    Ok(())
}

/// One direction of the gradient in two ways, and the cost before and after.
pub(crate) struct Outcome {
    pub(crate) exact: f64,
    pub(crate) by_difference: f64,
    /// Estimated error of the difference.
    pub(crate) error: f64,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

pub(crate) fn run() -> Result<Outcome, Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;
    let mut shooting = Shooting::new(&model)?;
    let mut torques: Vec<DVector<f64>> = vec![shooting.hold.clone(); STEPS];

    let (before, gradient) = shooting.gradient(&torques)?;
    let along: Vec<_> =
        (0..STEPS).map(|k| DVector::from_fn(model.nv(), |i, _| (1.0 + (3 * k + i) as f64).sin())).collect();
    let method = difference::Method::Ridders { step: 0.01, rows: 10 };
    let slope = difference::along(method, &Euclidean(1), |t, cost: &mut [f64]| {
        let moved: Vec<_> = torques.iter().zip(&along).map(|(u, x)| u + t * x).collect();
        cost[0] = shooting.cost(&moved)?;
        Ok::<(), InputError>(())
    })?;
    let (by_difference, error) = (slope.value[0], slope.error[0]);
    let exact = gradient.iter().zip(&along).map(|(g, x)| g.dot(x)).sum();

    let (mut after, mut step) = (before, 1.0);
    let mass = crba(&model, &mut Workspace::new(&model), &START)?.clone();
    for _ in 0..60 {
        let (cost, gradient) = shooting.gradient(&torques)?;
        // Along M² g, which is M times a change of accelerations, so that light joints do not set the pace.
        let along: Vec<_> = gradient.iter().map(|g| &mass * (&mass * g)).collect();
        let slope: f64 = gradient.iter().zip(&along).map(|(g, x)| g.dot(x)).sum();
        // Twice as far as last time, or half as far until it pays.
        step *= 2.0;
        (torques, after) = loop {
            let tried: Vec<_> = torques.iter().zip(&along).map(|(u, x)| u - step * x).collect();
            let found = shooting.cost(&tried)?;
            if found <= cost - 0.3 * step * slope || step < 1e-9 {
                break (tried, found);
            }
            step /= 2.0;
        };
    }
    Ok(Outcome { exact, by_difference, error, before, after })
}

/// The arm, and memory for its motion.
struct Shooting<'m> {
    model: &'m Model,
    workspace: Workspace,
    derivatives: DerivativeWorkspace,
    /// Torques that hold the arm where it starts.
    hold: DVector<f64>,
    /// Configurations and velocities, one more than steps.
    states: Vec<(Vec<f64>, Vec<f64>)>,
}

impl<'m> Shooting<'m> {
    fn new(model: &'m Model) -> Result<Self, InputError> {
        let (mut workspace, rest) = (Workspace::new(model), vec![0.0; model.nv()]);
        let hold = DVector::from_column_slice(rnea(model, &mut workspace, &START, &rest, &rest, &[])?);
        Ok(Self { model, workspace, derivatives: DerivativeWorkspace::new(model), hold, states: Vec::new() })
    }

    /// Rolls out, and adds up what it costs.
    fn cost(&mut self, torques: &[DVector<f64>]) -> Result<f64, InputError> {
        self.states.clear();
        self.states.push((START.to_vec(), vec![0.0; self.model.nv()]));
        let mut cost = 0.0;
        for (k, tau) in torques.iter().enumerate() {
            let (q, v) = &self.states[k];
            let ddq = aba(self.model, &mut self.workspace, q, v, tau.as_slice(), &[])?;
            let v: Vec<f64> = v.iter().zip(ddq).map(|(v, a)| v + H * a).collect();
            let step: Vec<f64> = v.iter().map(|v| H * v).collect();
            let q = self.model.integrate(q, &step)?;
            self.states.push((q, v));
            cost += 0.5 * EFFORT * H * (tau - &self.hold).norm_squared();
        }
        let (q, v) = &self.states[torques.len()];
        let off = DVector::from_vec(self.model.difference(&GOAL, q)?) / NEAR;
        Ok(cost + 0.5 * (off.norm_squared() + v.iter().map(|v| v * v).sum::<f64>()))
    }

    /// The cost and its gradient by the torques of each step.
    fn gradient(&mut self, torques: &[DVector<f64>]) -> Result<(f64, Vec<DVector<f64>>), InputError> {
        let cost = self.cost(torques)?;
        let (q, v) = &self.states[torques.len()];
        let off = DVector::from_vec(self.model.difference(&GOAL, q)?) / (NEAR * NEAR);
        // How the cost changes with q and v after the step at hand.
        let mut by_q = self.model.difference_dq1(&GOAL, q)?.tr_mul(&off);
        let mut by_v = DVector::from_column_slice(v);

        let mut gradient = vec![DVector::zeros(self.model.nv()); torques.len()];
        for k in (0..torques.len()).rev() {
            let ((q, v), tau) = (&self.states[k], &torques[k]);
            let step: Vec<f64> = self.states[k + 1].1.iter().map(|v| H * v).collect();
            by_v += H * self.model.integrate_dv(&step)?.tr_mul(&by_q);
            by_q = self.model.integrate_dq(&step)?.tr_mul(&by_q);
            let by = aba_derivatives(self.model, &mut self.derivatives, Method::Analytical, q, v, tau.as_slice(), &[])?;
            gradient[k] = H * by.ddq_dtau.tr_mul(&by_v) + EFFORT * H * (tau - &self.hold);
            by_q += H * by.ddq_dq.tr_mul(&by_v);
            by_v += H * by.ddq_dv.tr_mul(&by_v);
        }
        Ok((cost, gradient))
    }
}
