//! Measured motion and torques, and whether they are what they seem.

use crate::error::SensitivityError;
use gradyn::Model;
use std::fmt;

/// Samples of a motion: rows of nq, nv numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// s
    pub time: Vec<f64>,
    /// nq each.
    pub q: Vec<Vec<f64>>,
    /// nv each.
    pub v: Vec<Vec<f64>>,
    /// nv each.
    pub a: Vec<Vec<f64>>,
    /// Measured torques, nv each.
    pub tau: Vec<Vec<f64>>,
}

/// What is odd about data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Times do not grow by equal steps.
    Time {
        /// The first sample whose step is another one.
        sample: usize,
        /// Its step, s.
        step: f64,
        /// The median step, s.
        median: f64,
    },
    /// A torque stands at its largest value for a while: a limit of the drive, not of the motion.
    Clipped {
        /// The joint.
        joint: String,
        /// Where, N m.
        torque: f64,
        /// Samples in a row.
        samples: usize,
    },
    /// The velocity is not the derivative of the position.
    Velocity {
        /// The joint.
        joint: String,
        /// How far it is off, root mean square, relative to that of the velocity.
        relative: f64,
        /// The delay, s, that explains most of it; zero if none does.
        delay: f64,
    },
    /// A joint does not move.
    Still {
        /// The joint.
        joint: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time { sample, step, median } => {
                write!(f, "time is not uniform: the step before sample {sample} is {step} s, the median {median} s")
            }
            Self::Clipped { joint, torque, samples } => {
                write!(f, "the torque of `{joint}` stands at {torque} N m for {samples} samples: it is clipped")
            }
            Self::Velocity { joint, relative, delay } => {
                write!(
                    f,
                    "the velocity of `{joint}` is not the derivative of its position: off by {:.1} %",
                    100.0 * relative
                )?;
                if *delay == 0.0 { Ok(()) } else { write!(f, ", most of it a delay of {delay} s") }
            }
            Self::Still { joint } => write!(f, "`{joint}` does not move: friction and inertia there cannot be told"),
        }
    }
}

/// Samples at the same largest torque that make a limit of it.
const CLIPPED: usize = 5;
/// Velocities that are off by more are not those of the positions.
const OFF: f64 = 0.05;

impl Data {
    /// How many samples there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.time.len()
    }
    /// None at all?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// Do sizes fit the robot, and are all numbers finite?
    ///
    /// # Errors
    /// [`SensitivityError::Length`], or [`SensitivityError::Number`] by sample and entry.
    pub fn fits(&self, model: &Model) -> Result<(), SensitivityError> {
        let n = self.len();
        for (what, rows, width) in [
            ("q", &self.q, model.nq()),
            ("v", &self.v, model.nv()),
            ("a", &self.a, model.nv()),
            ("tau", &self.tau, model.nv()),
        ] {
            if rows.len() != n {
                return Err(SensitivityError::Length { what, expected: n, found: rows.len() });
            }
            for (i, row) in rows.iter().enumerate() {
                if row.len() != width {
                    return Err(SensitivityError::Length { what, expected: width, found: row.len() });
                }
                if let Some((k, value)) = row.iter().enumerate().find(|(_, x)| !x.is_finite()) {
                    let what = format!("{what}[{k}] of sample {i}");
                    return Err(SensitivityError::Number { what, value: *value, rule: "expected a finite number" });
                }
            }
        }
        if let Some((i, value)) = self.time.iter().enumerate().find(|(_, t)| !t.is_finite()) {
            let what = format!("the time of sample {i}");
            return Err(SensitivityError::Number { what, value: *value, rule: "expected a finite number" });
        }
        if n < 3 {
            return Err(SensitivityError::Length { what: "the data", expected: 3, found: n });
        }
        match self.time.windows(2).position(|t| t[1] <= t[0]) {
            Some(i) => {
                let what = format!("the time of sample {}", i + 1);
                Err(SensitivityError::Number {
                    what,
                    value: self.time[i + 1],
                    rule: "expected more than the one before",
                })
            }
            None => Ok(()),
        }
    }

    /// Accelerations by central differences of velocities; at both ends one-sided.
    #[must_use]
    pub fn with_differenced_accelerations(mut self) -> Self {
        let n = self.len();
        self.a = (0..n)
            .map(|i| {
                let (i0, i1) = (i.saturating_sub(1), (i + 1).min(n - 1));
                let dt = self.time[i1] - self.time[i0];
                self.v[i1].iter().zip(&self.v[i0]).map(|(after, before)| (after - before) / dt).collect()
            })
            .collect();
        self
    }

    /// What is odd about the data of this robot.
    ///
    /// # Errors
    /// As [`fits`](Self::fits).
    pub fn check(&self, model: &Model) -> Result<Vec<Warning>, SensitivityError> {
        self.fits(model)?;
        let mut warnings = Vec::new();
        let mut steps: Vec<f64> = self.time.windows(2).map(|t| t[1] - t[0]).collect();
        let given = steps.clone();
        steps.sort_by(f64::total_cmp);
        let median = steps[steps.len() / 2];
        // Times are often written with six digits.
        let uneven = |step: &f64| (step - median).abs() > 0.01 * median + 2e-6;
        if let Some(i) = given.iter().position(uneven) {
            warnings.push(Warning::Time { sample: i + 1, step: given[i], median });
        }
        let names = model.dof_names();
        for (dof, name) in names.iter().enumerate() {
            self.check_torque(dof, name, &mut warnings);
            self.check_velocity(model, dof, name, median, &mut warnings)?;
        }
        Ok(warnings)
    }

    fn check_torque(&self, dof: usize, name: &str, warnings: &mut Vec<Warning>) {
        let tau: Vec<f64> = self.tau.iter().map(|row| row[dof]).collect();
        let largest = tau.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            return;
        }
        let (mut run, mut longest) = (0, 0);
        for x in &tau {
            run = if x.abs() >= largest * (1.0 - 1e-9) { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        if longest >= CLIPPED {
            warnings.push(Warning::Clipped { joint: name.to_owned(), torque: largest, samples: longest });
        }
    }

    fn check_velocity(
        &self,
        model: &Model,
        dof: usize,
        name: &str,
        dt: f64,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), SensitivityError> {
        let n = self.len();
        let v: Vec<f64> = self.v.iter().map(|row| row[dof]).collect();
        let size = (v.iter().map(|v| v * v).sum::<f64>() / n as f64).sqrt();
        if size < 1e-6 {
            warnings.push(Warning::Still { joint: name.to_owned() });
            return Ok(());
        }
        let mut rate = vec![0.0; n];
        for (i, rate) in rate.iter_mut().enumerate().take(n - 1).skip(1) {
            let moved = model.difference(&self.q[i - 1], &self.q[i + 1])?;
            *rate = moved[dof] / (self.time[i + 1] - self.time[i - 1]);
        }
        let off = |delay: usize| {
            let pairs = (1 + delay..n - 1).map(|i| (v[i] - rate[i - delay]).powi(2));
            (pairs.sum::<f64>() / (n - 2 - delay) as f64).sqrt() / size
        };
        let relative = off(0);
        if relative > OFF {
            let best = (1..20.min(n / 4)).min_by(|a, b| off(*a).total_cmp(&off(*b)));
            let delay = best.filter(|best| off(*best) < 0.5 * relative).map_or(0.0, |best| best as f64 * dt);
            warnings.push(Warning::Velocity { joint: name.to_owned(), relative, delay });
        }
        Ok(())
    }
}
