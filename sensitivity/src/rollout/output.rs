//! Outputs along a trajectory: what every parameter does to a function of the robot at a node, by the motion and by
//! itself.

use super::Rollout;
use super::forward::Forward;
use crate::error::SensitivityError;
use crate::local::{Output, OutputPoint, check_entries, driven};
use gradyn::Workspace;
use gradyn::derivatives::num_dual::Dual64;
use nalgebra::DMatrix;

impl Rollout<'_> {
    /// `dy/dp` of an output at a node, rows by parameters: with `y = f(x, u, p)` and the sensitivities of the state,
    /// `∂f/∂x ∂x/∂p + ∂f/∂p`, by dual numbers. The output is asked for at the state of the node, not at its own; `u` is
    /// held: torques or accelerations as it takes them, and its own if `u` is empty.
    ///
    /// Cost: an evaluation of the output over dual numbers for each parameter.
    ///
    /// # Errors
    /// What the output and the engine refuse, and lists of wrong lengths.
    pub fn output(
        &self,
        values: &[f64],
        forward: &Forward,
        node: usize,
        output: &impl Output,
        u: &[f64],
    ) -> Result<DMatrix<f64>, SensitivityError> {
        let nominal = self.parameters().robot();
        let (nv, rows) = (nominal.nv(), output.rows(nominal).len());
        let (Some((q, v)), Some(by)) = (forward.states.get(node), forward.by.get(node)) else {
            return Err(SensitivityError::Length { what: "nodes", expected: node + 1, found: forward.states.len() });
        };
        let u = if u.is_empty() { output.state().u } else { u };
        let u: Vec<Dual64> = u.iter().map(|x| Dual64::from(*x)).collect();
        let here: Vec<Dual64> = q.iter().map(|x| Dual64::from(*x)).collect();
        let mut jacobian = DMatrix::zeros(rows, forward.parameters);
        for k in 0..forward.parameters {
            let seed = |(i, x): (usize, &f64)| Dual64::new(*x, f64::from(u8::from(i == k)));
            let at: Vec<Dual64> = values.iter().enumerate().map(seed).collect();
            let robot = self.parameters().robot_at(&at)?;
            let u = driven(output, self.parameters(), &at, u.clone())?;
            let step: Vec<Dual64> = (0..nv).map(|i| Dual64::new(0.0, by[(i, k)])).collect();
            let mut q = here.clone();
            nominal.integrate_into(&here, &step, &mut q)?;
            let v: Vec<Dual64> = v.iter().enumerate().map(|(i, x)| Dual64::new(*x, by[(nv + i, k)])).collect();
            let workspace = &mut Workspace::new(&robot);
            let found = output.value(&mut OutputPoint { model: &robot, workspace, nominal, q: &q, v: &v, u: &u })?;
            check_entries(rows, found.len())?;
            jacobian.column_mut(k).iter_mut().zip(found).for_each(|(to, x)| *to = x.eps);
        }
        Ok(jacobian)
    }
}
