//! What speed leaves of the torque of motors, for constraints that keep them on their side of their speed-torque lines.

use super::{Depends, Jacobian, PhaseInfo, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::{ProblemError, Reason};
use gradyn::model::{Actuator, InputError};
use gradyn::{Model, Scalar};
use nalgebra::DMatrix;

/// `r = u / stall + ω / no_load`, `ω = Σ gear v`, a row for each actuator that has a [speed-torque line](gradyn::model::SpeedTorque): shares
/// of what the motor can do. It can do what is [within −1 and 1](Self::bounds), [`Actuator::bounds`].
///
/// For controls that are those of the robot's [actuators](Model::actuators), in their order.
///
/// ```
/// # use gradyn::joint::{Axis, Revolute};
/// # use gradyn::model::{ModelBuilder, SpeedTorque};
/// # use gradyn::spatial::{Inertia, Symmetric3, Transform};
/// use gradyn_trajectory::PathConstraint;
/// use gradyn_trajectory::residual::SpeedTorqueLines;
/// # let mut builder = ModelBuilder::new("arm");
/// # let rod = Inertia::new(1.0, [0.0, 0.0, -0.5].into(), Symmetric3::diagonal(0.1, 0.1, 0.01));
/// # let arm = builder.add_body(None, "rod", "hinge", Transform::identity(), Revolute { axis: Axis::Y }, rod)?;
/// # let motor = builder.add_actuator("motor", &[(arm, 0, 20.0)])?;
/// # builder.set_speed_torque(motor, SpeedTorque { stall: 0.5, no_load: 300.0 })?;
/// # let model = builder.build()?;
/// let lines = SpeedTorqueLines::new(&model);
/// let (lower, upper) = lines.bounds();
/// let constraint = PathConstraint::within("speed-torque lines", lines, &lower, &upper);
/// # let _ = constraint;
/// # Ok::<(), gradyn::model::ModelError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias("torque-speed curve", "motor curve", "back EMF"))]
pub struct SpeedTorqueLines {
    lines: Vec<Line>,
    nu: usize,
    nv: usize,
}

#[derive(Clone, Debug)]
struct Line {
    control: usize,
    actuator: Actuator,
    /// `1 / stall`
    by_u: f64,
    /// `1 / no_load`
    by_speed: f64,
}

impl SpeedTorqueLines {
    const DEPENDS: Depends = Depends { u: true, ..Depends::V };
    /// Of all actuators that have one.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let line = |(control, actuator): (usize, &Actuator)| {
            let of = actuator.speed_torque?;
            let (by_u, by_speed) = (of.stall.recip(), of.no_load.recip());
            Some(Line { control, actuator: actuator.clone(), by_u, by_speed })
        };
        let lines = model.actuators().iter().enumerate().filter_map(line).collect();
        Self { lines, nu: model.actuators().len(), nv: model.nv() }
    }
    /// Least and greatest shares that motors can do: −1 and 1.
    #[must_use]
    pub fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        (vec![-1.0; self.lines.len()], vec![1.0; self.lines.len()])
    }
    fn of<T: Scalar>(&self, v: &[T], u: &[T], r: &mut [T]) {
        for (r, line) in r.iter_mut().zip(&self.lines) {
            *r = u[line.control] * line.by_u;
            line.actuator.gears.iter().for_each(|(dof, gear)| *r += v[*dof] * (line.by_speed * gear));
        }
    }
}

impl Quantity for SpeedTorqueLines {
    fn rows(&self, _model: &Model) -> usize {
        self.lines.len()
    }
    fn depends(&self) -> Depends {
        Self::DEPENDS
    }
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        self.of(on.v, on.u, r);
        Ok(())
    }
}

impl Residual for SpeedTorqueLines {
    fn rows(&self) -> usize {
        self.lines.len()
    }
    fn depends(&self) -> Depends {
        Self::DEPENDS
    }
    fn row_name(&self, _model: &Model, row: usize) -> Option<String> {
        self.lines.get(row).map(|line| line.actuator.name.clone())
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        phase.place.check_length("the actuators that speed-torque lines are of", phase.nu, self.nu)?;
        phase.place.check_length("the velocity that speed-torque lines are of", phase.model.nv(), self.nv)
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.of(on.v, on.u, r);
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        for (row, line) in self.lines.iter().enumerate() {
            out.du[(row, line.control)] = line.by_u;
            // Each degree of freedom is there once.
            line.actuator.gears.iter().for_each(|(dof, gear)| out.dv[(row, *dof)] = line.by_speed * gear);
        }
        self.value(on, r)
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}
