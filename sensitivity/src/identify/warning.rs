//! Warnings about data and fits.

use std::fmt;

/// A warning about data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Times do not increase by equal steps.
    Time {
        /// The first sample with a different step.
        sample: usize,
        /// Its step, s.
        step: f64,
        /// The median step, s.
        median: f64,
    },
    /// A torque stays at its largest value for several samples: a limit of the drive, not of the motion.
    Clipped {
        /// The joint.
        joint: String,
        /// The clipped torque, N m.
        torque: f64,
        /// Samples in a row.
        samples: usize,
    },
    /// The velocity is not the derivative of the position.
    Velocity {
        /// The joint.
        joint: String,
        /// The deviation, root mean square, relative to that of the velocity.
        relative: f64,
        /// The delay, s, that explains most of it; zero if none does.
        delay: f64,
    },
    /// A joint does not move.
    Still {
        /// The joint.
        joint: String,
    },
    /// A torque is far beyond the effort limit of the robot: its unit or its column is probably wrong.
    Effort {
        /// The joint.
        joint: String,
        /// The largest torque, N m.
        torque: f64,
        /// The limit, N m.
        limit: f64,
    },
    /// A position is far beyond the limits of the joint: its unit or its column is probably wrong.
    Position {
        /// The joint.
        joint: String,
        /// The position that is farthest beyond, rad.
        position: f64,
        /// The limit, rad.
        limit: f64,
    },
    /// Velocities or accelerations have so much noise that least squares is biased, and intervals do not hold.
    Noise {
        /// The joint.
        joint: String,
        /// "velocity" or "acceleration".
        what: &'static str,
        /// Root mean square of the noise, relative to that of the signal.
        relative: f64,
    },
    /// Noise of the motion biases an estimate and its interval, mostly toward zero.
    Attenuated {
        /// The parameter.
        parameter: String,
        /// The approximate bias, in its standard deviations.
        deviations: f64,
    },
    /// The residual exceeds the torque itself, and is not noise.
    Unexplained {
        /// The joint.
        joint: String,
        /// The residual, relative to the torque, on held-out data.
        left: f64,
    },
    /// The residual of a torque is not white: the noise of neighbors is correlated. Intervals are those of fewer
    /// samples.
    Color {
        /// The joint.
        joint: String,
        /// Correlation of neighbors.
        correlation: f64,
        /// The effective number of independent samples.
        effective: f64,
        /// The number of fitted samples.
        samples: usize,
    },
    /// Torques are later than the motion.
    Late {
        /// The delay, s; negative if torques are early.
        delay: f64,
        /// Its standard deviation, s.
        deviation: f64,
        /// Whether the delay was removed.
        corrected: bool,
    },
    /// The data contradict the prior.
    Prior {
        /// The parameter.
        parameter: String,
        /// The difference, in standard deviations of both together.
        deviations: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time { sample, step, median } => {
                write!(f, "time is not uniform: the step before sample {sample} is {step} s, the median {median} s")
            }
            Self::Clipped { joint, torque, samples } => {
                write!(f, "the torque of `{joint}` stays at {torque} N m for {samples} samples: it is clipped")
            }
            Self::Velocity { joint, relative, delay } => {
                write!(
                    f,
                    "the velocity of `{joint}` is not the derivative of its position: off by {:.1} %",
                    100.0 * relative
                )?;
                if *delay == 0.0 { Ok(()) } else { write!(f, ", most of it a delay of {delay} s") }
            }
            Self::Effort { joint, torque, limit } => write!(
                f,
                "the torque of `{joint}` is {torque} N m, and the effort limit of the robot is {limit} N m: \
                 is the torque in another unit, or of another joint?"
            ),
            Self::Position { joint, position, limit } => write!(
                f,
                "the position of `{joint}` is {position} rad, and its limit is {limit} rad: \
                 is the position in degrees, or of another joint?"
            ),
            Self::Noise { joint, what, relative } => write!(
                f,
                "the {what} of `{joint}` is {:.1} % noise: estimates are biased, and intervals do not hold; \
                 smooth the motion before it is differentiated",
                100.0 * relative
            ),
            Self::Attenuated { parameter, deviations } => write!(
                f,
                "noise of positions, velocities and accelerations pulls `{parameter}` by about {:.1} standard deviations: \
                 its interval does not hold; smooth the motion, or measure it better",
                deviations.abs()
            ),
            Self::Unexplained { joint, left } if left.is_infinite() => {
                write!(
                    f,
                    "the torque of `{joint}` is zero in all samples, but that of the robot is not: it was probably not measured"
                )
            }
            Self::Unexplained { joint, left } => write!(
                f,
                "{:.0} % of the torque of `{joint}` remain: its sign, its unit, or a load is probably wrong",
                100.0 * left
            ),
            Self::Color { joint, correlation, effective, samples } => write!(
                f,
                "what is left of the torque of `{joint}` is not white (correlation of neighbors {correlation:.2}): \
                 {samples} samples are worth {effective:.0}"
            ),
            Self::Late { delay, deviation, corrected } => {
                let (size, word) = (1e3 * delay.abs(), if *delay < 0.0 { "early" } else { "late" });
                let end = if *corrected {
                    "removed to first order: intervals are too narrow"
                } else {
                    "not removed: intervals do not hold"
                };
                write!(
                    f,
                    "the torques are {size:.3} ± {:.3} ms {word} (one standard deviation): {end}",
                    1e3 * deviation
                )
            }
            Self::Prior { parameter, deviations } => write!(
                f,
                "the data put `{parameter}` {:.1} standard deviations from its prior: prior and data contradict each other",
                deviations.abs()
            ),
            Self::Still { joint } => {
                write!(f, "`{joint}` does not move: friction and inertia there cannot be identified")
            }
        }
    }
}
