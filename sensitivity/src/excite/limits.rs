//! Limits of the joints, and how much of them a motion uses.

use crate::error::SensitivityError;
use gradyn::Model;
use std::fmt;

/// Limits of each joint; infinite where it has none. nv numbers each.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLimits {
    /// Least and greatest q, rad or m.
    pub position: Vec<(f64, f64)>,
    /// Greatest |v|, rad/s or m/s.
    pub velocity: Vec<f64>,
    /// Greatest |a|, rad/s² or m/s², which robot files do not have.
    pub acceleration: Vec<f64>,
    /// Greatest |τ|, N m or N.
    pub effort: Vec<f64>,
}

/// A kind of limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Of q.
    Position,
    /// Of v.
    Velocity,
    /// Of a.
    Acceleration,
    /// Of τ.
    Effort,
}

impl LimitKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Position, Self::Velocity, Self::Acceleration, Self::Effort];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::Effort => "effort",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The largest use of the limits of a joint; at one, a limit is reached. For a position, it is the distance from the
/// middle of the range over half the range. `None` where there is no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The joint.
    pub joint: String,
    /// In the order of [`LimitKind::ALL`].
    pub largest: [Option<f64>; 4],
}

impl JointLimits {
    /// The limits of the model, which has none of accelerations.
    ///
    /// # Errors
    /// [`SensitivityError::Other`] if a joint has more coordinates than velocities: a quaternion, an angle by (cos,
    /// sin).
    pub fn of(model: &Model) -> Result<Self, SensitivityError> {
        if let Some(body) = model.bodies().iter().find(|body| body.q_range().len() != body.v_range().len()) {
            let (joint, nq, nv) = (body.joint_name(), body.q_range().len(), body.v_range().len());
            return Err(SensitivityError::Other(format!(
                "joint `{joint}` has {nq} coordinates and {nv} velocities: a Fourier series needs joints with equal numbers of both"
            )));
        }
        let limits = model.limits();
        Ok(Self {
            position: limits.q_lower.iter().copied().zip(limits.q_upper.iter().copied()).collect(),
            velocity: limits.velocity.clone(),
            acceleration: vec![f64::INFINITY; model.nv()],
            effort: limits.effort.clone(),
        })
    }

    /// A share of each limit; of positions, about the middle of their range.
    #[must_use]
    pub fn shared(mut self, share: f64) -> Self {
        for range in &mut self.position {
            let (middle, half) = middle(*range);
            if half.is_finite() {
                *range = (middle - share * half, middle + share * half);
            }
        }
        for x in self.velocity.iter_mut().chain(&mut self.acceleration).chain(&mut self.effort) {
            *x *= share;
        }
        self
    }

    /// Checks that there is one valid limit per joint.
    pub(super) fn check(&self, names: &[String]) -> Result<(), SensitivityError> {
        let expected = names.len();
        for (what, found) in [
            ("limits of position", self.position.len()),
            ("limits of velocity", self.velocity.len()),
            ("limits of acceleration", self.acceleration.len()),
            ("limits of effort", self.effort.len()),
        ] {
            if found != expected {
                return Err(SensitivityError::Length { what, expected, found });
            }
        }
        for (j, name) in names.iter().enumerate() {
            let (lower, upper) = self.position[j];
            if lower.is_nan() || upper.is_nan() || lower >= upper {
                let what = format!("the greatest position of `{name}`");
                return Err(SensitivityError::Other(format!(
                    "{what} is {upper}: expected more than the least, {lower}"
                )));
            }
            if lower.is_finite() != upper.is_finite() {
                return Err(SensitivityError::Other(format!(
                    "the positions of `{name}` go from {lower} to {upper}: expected two limits, or none"
                )));
            }
            for (kind, value) in [
                (LimitKind::Velocity, self.velocity[j]),
                (LimitKind::Acceleration, self.acceleration[j]),
                (LimitKind::Effort, self.effort[j]),
            ] {
                if value.is_nan() || value <= 0.0 {
                    let what = format!("the greatest {kind} of `{name}`");
                    return Err(SensitivityError::Number { what, value, rule: "expected a positive number" });
                }
            }
            if lower.is_infinite() && self.velocity[j].is_infinite() && self.acceleration[j].is_infinite() {
                return Err(SensitivityError::Other(format!(
                    "`{name}` has no limit of position, velocity or acceleration: its motion could grow without bound"
                )));
            }
        }
        Ok(())
    }

    /// The middle of what is limited, and half of its width: `|x − middle| ≤ half`. Of joint j, in the order of
    /// [`LimitKind::ALL`].
    pub(super) fn of_joint(&self, j: usize) -> [(f64, f64); 4] {
        [middle(self.position[j]), (0.0, self.velocity[j]), (0.0, self.acceleration[j]), (0.0, self.effort[j])]
    }
}

/// The middle of a range and half its width; zero and infinity of one without ends.
fn middle((lower, upper): (f64, f64)) -> (f64, f64) {
    let half = 0.5 * upper - 0.5 * lower;
    if half.is_finite() { (0.5 * lower + 0.5 * upper, half) } else { (0.0, f64::INFINITY) }
}

/// The largest uses over states and their torques.
#[derive(Clone, Debug)]
pub(super) struct Uses(Vec<[f64; 4]>);

impl Uses {
    pub(super) fn none(joints: usize) -> Self {
        Self(vec![[0.0; 4]; joints])
    }

    pub(super) fn add(&mut self, limits: &JointLimits, x: [&[f64]; 4]) {
        for (j, largest) in self.0.iter_mut().enumerate() {
            for ((largest, (middle, half)), x) in largest.iter_mut().zip(limits.of_joint(j)).zip(x) {
                let used = (x[j] - middle).abs() / half;
                // What is not a number is within no limit.
                *largest = largest.max(if used.is_nan() { f64::INFINITY } else { used });
            }
        }
    }

    /// More than any limit.
    pub(super) fn endless(joints: usize) -> Self {
        Self(vec![[f64::INFINITY; 4]; joints])
    }

    /// Of each joint, in the order of [`LimitKind::ALL`].
    pub(super) fn each(&self) -> &[[f64; 4]] {
        &self.0
    }

    /// Where most is used, and how much.
    pub(super) fn worst(&self) -> (usize, LimitKind, f64) {
        let mut worst = (0, LimitKind::Position, 0.0);
        for (j, of_joint) in self.0.iter().enumerate() {
            for (kind, used) in LimitKind::ALL.into_iter().zip(of_joint) {
                if *used > worst.2 {
                    worst = (j, kind, *used);
                }
            }
        }
        worst
    }

    pub(super) fn named(&self, limits: &JointLimits, names: &[String]) -> Vec<Use> {
        let of = |(j, largest): (usize, &[f64; 4])| {
            let limited = limits.of_joint(j).map(|(_, half)| half.is_finite());
            Use { joint: names[j].clone(), largest: std::array::from_fn(|k| limited[k].then_some(largest[k])) }
        };
        self.0.iter().enumerate().map(of).collect()
    }
}
