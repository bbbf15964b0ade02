//! Roll-outs as documents, for other processes: all but the robot and its parameters, which these have.

use super::{Feedback, Rollout};
use crate::error::SensitivityError;
use crate::parameters::Parameters;
use gradyn::dynamics::ConstraintKind;
use gradyn::joint::Elementary;
use gradyn::{BodyId, Constraint, Model, Transform};
use gradyn_trajectory::step::{Actuation, Scheme};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// A [`Rollout`] without its parameters: [`Rollout::document`] makes it, [`rollout`](Self::rollout) the same of it again.
/// Numbers are written as they are, so that states have the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolloutDocument {
    scheme: String,
    dt: Vec<f64>,
    actuation: Drives,
    controls: Vec<Vec<f64>>,
    each_for: usize,
    held: Vec<(usize, usize, Vec<Held>)>,
    impacts: Vec<(usize, Vec<Held>, f64)>,
    feedback: Option<Law>,
}

/// `τ = B u`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Drives {
    Full(usize),
    Joints { nv: usize, dofs: Vec<usize> },
    Matrix(Matrix),
}

/// Rows by columns, column by column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Matrix(usize, usize, Vec<f64>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Law {
    gains: Vec<Matrix>,
    q: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Held {
    kind: Kind,
    /// Places of both bodies; none for the world.
    bodies: [Option<usize>; 2],
    placements: [Transform<f64>; 2],
    kp: f64,
    kd: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Point,
    Frame,
    Joint(Elementary<f64>),
}

impl Rollout<'_> {
    /// All but the parameters, for another process.
    #[must_use]
    pub fn document(&self) -> RolloutDocument {
        let all = |constraints: &[Constraint]| constraints.iter().map(Held::of).collect();
        RolloutDocument {
            scheme: self.scheme.name().to_owned(),
            dt: self.dt.clone(),
            actuation: match &self.actuation {
                Actuation::Full(nv) => Drives::Full(*nv),
                Actuation::Joints { nv, dofs } => Drives::Joints { nv: *nv, dofs: dofs.clone() },
                Actuation::Matrix(b) => Drives::Matrix(Matrix::of(b)),
            },
            controls: self.controls.clone(),
            each_for: self.each_for,
            held: self.held.iter().map(|(steps, held)| (steps.start, steps.end, all(held))).collect(),
            impacts: self.impacts.iter().map(|(at, of)| (*at, all(&of.constraints), of.restitution)).collect(),
            feedback: self.feedback.as_ref().map(|law| Law {
                gains: law.gains.iter().map(Matrix::of).collect(),
                q: law.q.clone(),
                v: law.v.clone(),
            }),
        }
    }
}

impl RolloutDocument {
    /// The roll-out of a robot with these parameters.
    ///
    /// # Errors
    /// As the functions of [`Rollout`]; [`SensitivityError::Number`] for a body that the robot does not have,
    /// [`SensitivityError::Other`] for a scheme that there is not.
    pub fn rollout<'p>(&self, parameters: &'p Parameters) -> Result<Rollout<'p>, SensitivityError> {
        let scheme = Scheme::ALL.into_iter().find(|scheme| scheme.name() == self.scheme);
        let scheme = scheme.ok_or_else(|| SensitivityError::Other(format!("no scheme is called `{}`", self.scheme)))?;
        let nv = parameters.robot().nv();
        let actuation = match &self.actuation {
            Drives::Full(nv) => Actuation::Full(*nv),
            Drives::Joints { nv, dofs } => Actuation::Joints { nv: *nv, dofs: dofs.clone() },
            Drives::Matrix(b) => Actuation::Matrix(b.matrix()?),
        };
        let driven = match &actuation {
            Actuation::Joints { dofs, .. } => dofs.iter().max().map_or(0, |last| last + 1),
            _ => nv,
        };
        if actuation.degrees_of_freedom() != nv || driven > nv {
            let found = actuation.degrees_of_freedom().max(driven);
            return Err(SensitivityError::Length { what: "degrees of freedom of the actuation", expected: nv, found });
        }
        let first = self.dt.first().copied().unwrap_or(f64::NAN);
        let mut run = Rollout::with_actuation(parameters, scheme, first, actuation, self.controls.clone())?;
        run = run.each_for(self.each_for)?;
        if self.dt.len() != 1 {
            run = run.lengths(&self.dt)?;
        }
        let all = |held: &[Held]| -> Result<Vec<Constraint>, SensitivityError> {
            held.iter().map(|held| held.constraint(parameters.robot())).collect()
        };
        for (start, end, held) in &self.held {
            run = run.hold(*start..*end, &all(held)?);
        }
        for (step, held, restitution) in &self.impacts {
            run = run.impact(*step, &all(held)?, *restitution);
        }
        match &self.feedback {
            None => Ok(run),
            Some(law) => run.feedback(Feedback {
                gains: law.gains.iter().map(Matrix::matrix).collect::<Result<_, _>>()?,
                q: law.q.clone(),
                v: law.v.clone(),
            }),
        }
    }
}

impl Matrix {
    fn of(b: &DMatrix<f64>) -> Self {
        Self(b.nrows(), b.ncols(), b.as_slice().to_vec())
    }
    fn matrix(&self) -> Result<DMatrix<f64>, SensitivityError> {
        let Self(rows, columns, numbers) = self;
        let expected = rows.saturating_mul(*columns);
        if numbers.len() != expected {
            return Err(SensitivityError::Length { what: "numbers of a matrix", expected, found: numbers.len() });
        }
        Ok(DMatrix::from_column_slice(*rows, *columns, numbers))
    }
}

impl Held {
    fn of(constraint: &Constraint) -> Self {
        let (kp, kd) = constraint.gains();
        let kind = match constraint.kind() {
            ConstraintKind::Frame => Kind::Frame,
            ConstraintKind::Joint(joint) => Kind::Joint(joint),
            _ => Kind::Point,
        };
        let bodies = constraint.bodies().map(|body| body.map(BodyId::index));
        Self { kind, bodies, placements: constraint.placements().map(|x| *x), kp, kd }
    }

    fn constraint(&self, robot: &Model) -> Result<Constraint, SensitivityError> {
        let body = |place: Option<usize>| match place {
            None => Ok(None),
            Some(k) => robot.body_id(k).map(Some).ok_or_else(|| SensitivityError::Number {
                what: "a body of a constraint".into(),
                value: k as f64,
                rule: "expected one of the robot's",
            }),
        };
        let ([a, b], [x_a, x_b]) = ([body(self.bodies[0])?, body(self.bodies[1])?], self.placements);
        let made = match self.kind {
            Kind::Point => Constraint::point(a, x_a.translation, b, x_b.translation),
            Kind::Frame => Constraint::frame(a, x_a, b, x_b),
            Kind::Joint(joint) => Constraint::joint(a, x_a, b, x_b, joint)?,
        };
        Ok(made.with_gains(self.kp, self.kd))
    }
}
