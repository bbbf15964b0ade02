//! A function of a robot at a state that is asked for its derivatives by parameters, written once for every number
//! type.

use crate::error::SensitivityError;
use crate::parameters::{Parameters, scaled};
use gradyn::{Model, Scalar, Workspace};
use nalgebra::DMatrix;

/// A robot at a state, over any number type.
#[derive(Debug)]
pub struct OutputPoint<'a, P> {
    /// The robot, whose parameters may carry derivatives.
    pub model: &'a Model<P>,
    /// Memory of the engine.
    pub workspace: &'a mut Workspace<P>,
    /// The robot that differences such as those of poses are measured from.
    pub nominal: &'a Model,
    /// Configuration, nq.
    pub q: &'a [P],
    /// Velocity, nv.
    pub v: &'a [P],
    /// Torques or accelerations, as the output takes them.
    pub u: &'a [P],
}

/// The state at which an output is asked for.
#[derive(Clone, Copy, Debug)]
pub struct AtState<'a> {
    /// Configuration, nq.
    pub q: &'a [f64],
    /// Velocity, nv; empty if the output takes none.
    pub v: &'a [f64],
    /// Torques or accelerations; empty if the output takes none.
    pub u: &'a [f64],
}

/// A function of a robot at a state. [`StateOutput`](super::StateOutput) has those of the library; others are written
/// once, generic over the number type, and have the same sensitivities: [`local`](super::local()),
/// [`local_second`](super::local_second), [`evaluate_many`](super::evaluate_many) for the methods of
/// [`global`](crate::global), and [`Rollout::output`](crate::Rollout::output) along a trajectory.
///
/// ```
/// use gradyn::dynamics::center_of_mass;
/// use gradyn::{Method, Model, Scalar, UrdfOptions};
/// use gradyn_sensitivity::{AtState, Output, Parameters, SensitivityError, OutputPoint, local};
///
/// /// How far the center of mass is from the axis of the base, m.
/// struct Overhang<'a>(&'a [f64]);
/// impl Output for Overhang<'_> {
///     fn name(&self) -> &str {
///         "overhang"
///     }
///     fn rows(&self, _model: &Model) -> Vec<String> {
///         vec![String::from("overhang")]
///     }
///     fn state(&self) -> AtState<'_> {
///         AtState { q: self.0, v: &[], u: &[] }
///     }
///     fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError> {
///         let rest = vec![P::from(0.0); on.model.nv()];
///         let com = center_of_mass(on.model, on.workspace, on.q, &rest, &rest)?.whole.position;
///         Ok(vec![(com.x * com.x + com.y * com.y).sqrt()])
///     }
/// }
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let p = Parameters::of(&model).select("*.mass")?;
/// let q = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];
/// let by = local(&p, &p.nominal(), Overhang(&q), Method::Dual)?;
/// println!("{} m/kg by {}", by.jacobian[(0, 6)], by.parameters[6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Output: Sync {
    /// What it is called.
    fn name(&self) -> &str;
    /// A name for each entry.
    fn rows(&self, model: &Model) -> Vec<String>;
    /// The unit of each entry; without units unless the output says some.
    fn units(&self, model: &Model) -> Vec<&'static str> {
        vec![""; self.rows(model).len()]
    }
    /// Where it is asked for.
    fn state(&self) -> AtState<'_>;
    /// Whether `u` are torques that motors make: those of the given robot, of other torque constants others.
    fn takes_torques(&self) -> bool {
        false
    }
    /// Its entries, of a robot whose numbers may carry derivatives.
    ///
    /// # Errors
    /// Why it has none there.
    fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError>;
    /// `∂(output)/∂p` by formulas, at these values and the robot that has them: rows by parameters. `None` without
    /// formulas; then [`Method::Analytical`](gradyn::Method::Analytical) runs dual numbers.
    ///
    /// # Errors
    /// Why there is none.
    fn jacobian(
        &self,
        parameters: &Parameters,
        values: &[f64],
        model: &Model,
    ) -> Result<Option<DMatrix<f64>>, SensitivityError> {
        let _ = (parameters, values, model);
        Ok(None)
    }
    /// Whether [`evaluate_many`](super::evaluate_many) computes it for eight robots at once, one to a lane of the
    /// vector registers. Worth it where the output takes more time than making a robot, and takes no branch by its
    /// numbers.
    fn is_batched(&self) -> bool {
        false
    }
    /// Its entries of eight robots at once, for outputs that are [batched](Self::is_batched).
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn value_batched<P: Scalar<f64> + Scalar<P>>(
        &self,
        on: &mut OutputPoint<'_, P>,
    ) -> Result<Vec<P>, SensitivityError> {
        self.value(on)
    }
}

impl<O: Output> Output for &O {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn rows(&self, model: &Model) -> Vec<String> {
        (**self).rows(model)
    }
    fn units(&self, model: &Model) -> Vec<&'static str> {
        (**self).units(model)
    }
    fn state(&self) -> AtState<'_> {
        (**self).state()
    }
    fn takes_torques(&self) -> bool {
        (**self).takes_torques()
    }
    fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError> {
        (**self).value(on)
    }
    fn jacobian(
        &self,
        parameters: &Parameters,
        values: &[f64],
        model: &Model,
    ) -> Result<Option<DMatrix<f64>>, SensitivityError> {
        (**self).jacobian(parameters, values, model)
    }
    fn is_batched(&self) -> bool {
        (**self).is_batched()
    }
    fn value_batched<P: Scalar<f64> + Scalar<P>>(
        &self,
        on: &mut OutputPoint<'_, P>,
    ) -> Result<Vec<P>, SensitivityError> {
        (**self).value_batched(on)
    }
}

/// The value of an output at its own state, of the robot with these values; `nominal` is the robot that poses are measured from, if that is
/// not this one.
pub(super) fn value<P: Scalar<f64> + Scalar<P>>(
    output: &impl Output,
    (parameters, values): (&Parameters, &[P]),
    nominal: &Model,
) -> Result<Vec<P>, SensitivityError> {
    let model = &parameters.robot_at(values)?;
    let lift = |x: &[f64]| x.iter().map(|x| P::from(*x)).collect::<Vec<P>>();
    let AtState { q, v, u } = output.state();
    let (q, v, u) = (lift(q), lift(v), driven(output, parameters, values, lift(u))?);
    let workspace = &mut Workspace::new(model);
    output.value(&mut OutputPoint { model, workspace, nominal, q: &q, v: &v, u: &u })
}

/// Torques at these values of torque constants, if the output takes torques.
pub(crate) fn driven<P: Scalar<f64>>(
    output: &impl Output,
    parameters: &Parameters,
    values: &[P],
    u: Vec<P>,
) -> Result<Vec<P>, SensitivityError> {
    if !output.takes_torques() {
        return Ok(u);
    }
    Ok(scaled(u, &parameters.torque_factors(values)?))
}
