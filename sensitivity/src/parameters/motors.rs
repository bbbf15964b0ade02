//! Motors: the torque that each makes of its control.

use super::Parameters;
use super::kind::Kind;
use super::values::Values;
use crate::error::SensitivityError;
use gradyn::model::Actuation;
use gradyn::{Model, Scalar};

/// A motor whose torque constant varies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motor {
    /// The degree of freedom that it drives.
    pub(crate) dof: usize,
    /// Which of the selected parameters it is.
    pub(crate) parameter: usize,
    /// The constant of the given robot.
    pub(crate) nominal: f64,
}

/// Degrees of freedom that one actuator drives alone, which drives no other, with their torque for each unit of its control; of a robot that names
/// no actuators, of motors that make torques of themselves.
pub(super) fn constants(model: &Model) -> Vec<(usize, f64)> {
    if model.actuators().is_empty() {
        let dofs = match Actuation::of(model) {
            Actuation::Full(nv) => (0..nv).collect(),
            Actuation::Joints { dofs, .. } => dofs,
            Actuation::Matrix(_) => Vec::new(),
        };
        return dofs.into_iter().map(|dof| (dof, 1.0)).collect();
    }
    let mut drivers = vec![0_usize; model.nv()];
    for (dof, _) in model.actuators().iter().flat_map(|actuator| &actuator.gears) {
        drivers[*dof] += 1;
    }
    let alone = model.actuators().iter().filter_map(|actuator| match actuator.gears[..] {
        [(dof, gear)] if drivers[dof] == 1 && gear != 0.0 => Some((dof, gear)),
        _ => None,
    });
    alone.collect()
}

impl Parameters {
    /// Motors whose torque constants are selected.
    pub(crate) fn motors(&self) -> Vec<Motor> {
        let of = |(parameter, members): (usize, &Vec<usize>)| {
            let each = members.iter().filter_map(|i| match self.all[*i].kind {
                Kind::TorqueConstant(dof) => Some(Motor { dof, parameter, nominal: self.all[*i].nominal }),
                _ => None,
            });
            each.collect::<Vec<_>>()
        };
        self.chosen.iter().enumerate().flat_map(of).collect()
    }

    /// What given torques are multiplied by at these values of torque constants, nv: those of the given robot make them of its controls.
    /// Empty if no torque constant is selected.
    ///
    /// # Errors
    /// [`SensitivityError::Length`]
    pub fn torque_factors<P: Scalar<f64>>(&self, values: &[P]) -> Result<Vec<P>, SensitivityError> {
        self.check(values.len())?;
        let values = Values(values);
        let mut factors = Vec::new();
        for (place, members) in self.chosen.iter().enumerate() {
            let leader = self.all[members[0]].nominal;
            for parameter in members.iter().map(|i| &self.all[*i]) {
                if let Kind::TorqueConstant(dof) = parameter.kind {
                    factors.resize(self.robot.nv(), P::from(1.0));
                    let x = values.of((place, parameter.nominal - leader));
                    factors[dof] = x * (1.0 / parameter.nominal);
                }
            }
        }
        Ok(factors)
    }
}

/// Torques times factors, if there are any.
pub(crate) fn scaled<P: Scalar<f64>>(mut torques: Vec<P>, factors: &[P]) -> Vec<P> {
    torques.iter_mut().zip(factors).for_each(|(torque, factor)| *torque *= *factor);
    torques
}
