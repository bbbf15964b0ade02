//! The motion that tells the most.

use super::base::Base;
use super::information::{Information, State};
use super::limits::{JointLimits, Use, Uses};
use super::motion::{Motion, ROOM};
use super::options::ExciteOptions;
use super::problem::Problem;
use super::quality::Quality;
use super::quasi_newton::{End, minimise};
use super::robot::Robot;
use super::series::{Coordinates, Series};
use super::stance::Stance;
use crate::error::SensitivityError;
use crate::identify::Data;
use crate::parameters::Parameters;
use crate::statistics::{normal_quantile, stream};
use gradyn::{Model, Workspace, rnea};
use rand::RngExt;
use std::f64::consts::TAU;
use std::fmt;
use std::ops::ControlFlow;

/// Why the optimiser ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Nothing near the motion tells more within the limits.
    Converged,
    /// No step tells more, however short, and the slope is not zero: rounding.
    NoDecrease,
    /// The limit of iterations.
    Iterations,
    /// Whoever asked has stopped it.
    Stopped,
}

impl Status {
    /// Whether the optimizer converged.
    #[must_use]
    pub fn converged(self) -> bool {
        self == Self::Converged
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged: nothing near it tells more within the limits",
            Self::NoDecrease => "stopped: no step tells more, however short",
            Self::Iterations => "stopped: the limit of iterations is reached",
            Self::Stopped => "stopped from outside",
        })
    }
}

/// How far the optimiser is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken.
    pub iterations: usize,
    /// At most.
    pub most: usize,
    /// The factor by which the mean deviation has fallen since the start, limits not yet counted.
    pub gain: f64,
}

/// What feet and motors bear, one row a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loads {
    /// The smallest forces that carry the base: multipliers of the contacts in their order, N and N m.
    pub forces: Vec<Vec<f64>>,
    /// Torques of the motors with them, nv each; zero for the base.
    pub motors: Vec<Vec<f64>>,
}

/// A motion that tells much.
#[derive(Clone, Debug, PartialEq)]
pub struct Excitation {
    /// Names of the parameters that were chosen.
    pub parameters: Vec<String>,
    /// Base parameters, in names: what motions tell.
    pub base: Vec<String>,
    /// Of each base parameter, the chosen one that it is named after.
    pub columns: Vec<usize>,
    /// The motion, of these degrees of freedom.
    pub series: Series,
    /// What moves by the series: all, or what the feet leave free.
    pub degrees_of_freedom: Vec<usize>,
    /// Its samples, with the torques of the robot as it is; of a robot on its feet, with what their forces do
    /// ([`Data::with_contact_forces`]).
    pub samples: Data,
    /// Of a robot on its feet, what these and the motors bear.
    pub loads: Option<Loads>,
    /// The random motion that it began with, as large as the limits let it be.
    pub random: Quality,
    /// The motion found.
    pub found: Quality,
    /// How many times the deviations of the random motion are those of this one, in the (geometric) mean. Infinite if the random motion leaves
    /// something untold.
    pub gain: f64,
    /// What is used of the limits, at ten points a sample or more.
    pub uses: Vec<Use>,
    /// By how much what the optimiser found was made smaller, for limits exceeded between its nodes: one if not at all.
    pub size: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Why it ended.
    pub status: Status,
    /// For each parameter, whether it is a base parameter by itself.
    alone: Vec<bool>,
}

impl Excitation {
    /// The expected standard deviation of a parameter: infinite if it is told only together with others, or not at all. `None` if there is
    /// none at this place.
    #[must_use]
    pub fn deviation(&self, parameter: usize) -> Option<f64> {
        if !*self.alone.get(parameter)? {
            return Some(f64::INFINITY);
        }
        let at = self.columns.iter().position(|k| *k == parameter)?;
        self.found.deviations.get(at).copied()
    }
}

/// Nodes to the shortest wave: a product of three of them still has more than six.
const NODES: usize = 20;
/// Points to a node, and to a sample, on which limits are held.
const FINER: usize = 10;
/// Random starts whose torques at rest are within the limits: so many are tried.
const DRAWS: u64 = 200;
/// At the start the pull of gravity takes this part of a torque at most: the rest is for the motion.
const AT_REST: f64 = 0.9;
/// A slope of the mean logarithm of deviations by amplitudes: one more as large as its limits would let deviations fall by this part.
const SLOPE: f64 = 3e-3;
/// Limits may be exceeded by this part at the end: as much room is left for it.
const EXCESS: f64 = 2e-3;
/// ρ of the first round: excesses of some percent for slopes of one (measured on the arms).
const RHO: f64 = 4.0;
/// Rounds of multipliers, each with its part of the iterations; with ρ four times as large where the last did not halve the excess.
const ROUNDS: usize = 30;

/// The motion that tells the most of the parameters, at the values that they have, from a random motion on. Results are the same for
/// any number of threads.
///
/// ```
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// use gradyn_sensitivity::Parameters;
/// use gradyn_sensitivity::excite::{ExciteOptions, excite};
/// use std::ops::ControlFlow;
/// let parameters = Parameters::of(&model).select("*.pi.*")?;
/// let options = ExciteOptions { period: 5.0, harmonics: 3, ..ExciteOptions::new(&model)? };
/// let found = excite(&parameters, &options, |_| ControlFlow::Continue(()))?;
/// assert!(found.gain > 1.0 && found.base.len() == 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SensitivityError`]: no parameters, or none that motions tell; numbers of the options that are none; a start at which gravity alone breaks a
/// limit. A motion that did not converge is an [`Excitation`] whose [`Status`] says so.
pub fn excite(
    parameters: &Parameters,
    options: &ExciteOptions,
    progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Excitation, SensitivityError> {
    // Its joints have as many coordinates as velocities?
    let _ = JointLimits::of(parameters.robot())?;
    design(parameters, options, None, progress)
}

/// The motion of a robot on its feet that tells the most of the parameters: the base, and joints that no foot needs, move by series, and the legs
/// follow. Contact forces are taken as measured, so that all rows of torques count. Limits of torques are those of the motors, where the feet bear
/// the smallest forces that carry the base. It starts and ends where the robot stands: `options.start` is not looked at. A motion that the
/// legs cannot follow is not admissible.
///
/// Feet are held as if bolted: whether they would slip, or pull at the ground, is not looked at. The gradient of the motion is that of central
/// differences through the legs.
///
/// # Errors
/// As [`excite`]; parameters that move the geometry, along which forces of contacts act.
pub fn excite_stance(
    parameters: &Parameters,
    options: &ExciteOptions,
    stance: &Stance,
    progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Excitation, SensitivityError> {
    if parameters.moves_geometry() {
        let reason = "contact forces are taken along the geometry of the robot, which must not vary: leave out placements and axes";
        return Err(SensitivityError::Other(reason.into()));
    }
    design(parameters, &ExciteOptions { start: None, ..options.clone() }, Some(stance), progress)
}

fn design(
    parameters: &Parameters,
    options: &ExciteOptions,
    stance: Option<&Stance>,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Excitation, SensitivityError> {
    let model = parameters.robot();
    let names = model.dof_names();
    options.check(&names)?;
    let base = Base::of(parameters)?;
    let information = Information::new(parameters, &base, &options.noise)?;
    let coordinates = coordinates(model, options, stance);
    let nodes = NODES * options.harmonics;
    let samples = (options.rate * options.period + 1e-9).floor() as usize + 1;
    let points = match stance {
        None => FINER * nodes.max(samples) + 1,
        // Legs that follow cost twenty times as much.
        Some(_) => (FINER * nodes).max(samples) + 1,
    };
    let here = Robot { model, limits: &options.limits, stance };

    let start = random(here, (&coordinates, options.seed), points, &names)?;
    let at_start = coordinates.series(&start);
    let mut problem = Problem::new(here, &coordinates, &information, nodes);
    let scale: Vec<f64> = information
        .stack(&problem.states(&start)?)?
        .column_iter()
        .map(|column| column.norm())
        .map(|length| if length > 0.0 { length } else { 1.0 })
        .collect();
    let ended = optimise(&mut problem, (start, points), &scale, options.iterations, &mut progress)?;

    let series = coordinates.series(&ended.x);
    let size = Motion::new(here, &series, points).fitting()?;
    let times = |of: &[Vec<f64>]| of.iter().map(|of| of.iter().map(|x| size * x).collect()).collect();
    let series = Series { cosines: times(&series.cosines), sines: times(&series.sines), ..series };
    let (states, random_states) =
        (sampled(here, &series, options, samples)?, sampled(here, &at_start, options, samples)?);
    let (found, random) = (Quality::of(&information, &states)?, Quality::of(&information, &random_states)?);
    // A motion that had to be made much smaller may tell less than the one it began with.
    let worse = found.log_det < random.log_det || (found.log_det.is_infinite() && found.rank < random.rank);
    let (series, states, found, size) =
        if worse { (at_start, random_states, random.clone(), 1.0) } else { (series, states, found, size) };
    let uses = Motion::new(here, &series, points).uses(1.0)?;
    let gain = if random.log_det.is_finite() {
        ((found.log_det - random.log_det) / (2.0 * base.columns().len() as f64)).exp()
    } else {
        f64::INFINITY
    };
    let parameter_names = parameters.names();
    let (samples, loads) = with_torques(here, options.rate, states)?;
    Ok(Excitation {
        base: base.names(&parameter_names),
        columns: base.columns().to_vec(),
        alone: (0..parameters.len()).map(|k| base.alone(k)).collect(),
        parameters: parameter_names,
        samples,
        loads,
        degrees_of_freedom: stance.map_or_else(|| (0..model.nv()).collect(), |stance| stance.free().to_vec()),
        series,
        random,
        found,
        gain,
        uses: uses.named(&options.limits, &names),
        size,
        iterations: ended.iterations,
        status: if worse && ended.status == Status::Converged { Status::NoDecrease } else { ended.status },
    })
}

/// Amplitudes in units of what limits allow at the frequency of the period.
fn coordinates(model: &Model, options: &ExciteOptions, stance: Option<&Stance>) -> Coordinates {
    let omega = TAU / options.period;
    let (mut scale, mut start) = (Vec::new(), Vec::new());
    let free = stance.map_or_else(|| (0..model.nv()).collect(), |stance| stance.free().to_vec());
    let stands = stance.map(Stance::free_start);
    for (at, j) in free.into_iter().enumerate() {
        let [(middle, half), (_, velocity), (_, acceleration), _] = options.limits.of_joint(j);
        scale.push((omega * half).min(velocity).min(acceleration / omega));
        start.push(match stands.as_ref().or(options.start.as_ref()) {
            Some(start) => (start[at], 0.0),
            // Without limits, the position matters little or goes round.
            None => (middle, if half.is_finite() { half } else { 1.0 }),
        });
    }
    Coordinates::new(options.period, options.harmonics, scale, start)
}

/// A random motion, as large as the limits let it be.
fn random(
    here: Robot<'_>,
    (coordinates, seed): (&Coordinates, u64),
    points: usize,
    names: &[String],
) -> Result<Vec<f64>, SensitivityError> {
    let mut least: Option<(usize, super::LimitKind, f64)> = None;
    let is_fixed = coordinates.start.iter().all(|(_, free)| *free == 0.0);
    for draw in 0..if is_fixed { 1 } else { DRAWS } {
        let mut rng = stream(seed, draw);
        let mut x: Vec<f64> = Vec::with_capacity(coordinates.len());
        for i in 0..coordinates.len() {
            let u: f64 = rng.random_range(f64::EPSILON..1.0);
            // In the inner half of the range; amplitudes that are normal.
            x.push(if i % coordinates.of_joint() == 0 { u - 0.5 } else { normal_quantile(u).unwrap_or(0.0) });
        }
        let motion = Motion::new(here, &coordinates.series(&x), points);
        let at_rest = Motion::new(here, &coordinates.series(&x), 2).uses(0.0)?.worst();
        if at_rest.2 > if is_fixed { 1.0 - 2.0 * ROOM } else { AT_REST } {
            least = least.filter(|least| least.2 <= at_rest.2).or(Some(at_rest));
            continue;
        }
        let size = motion.largest()?;
        for (i, x) in x.iter_mut().enumerate() {
            if i % coordinates.of_joint() != 0 {
                *x *= size;
            }
        }
        return Ok(x);
    }
    let (joint, kind, used) = least.unwrap_or((0, super::LimitKind::Effort, f64::INFINITY));
    Err(SensitivityError::Other(format!(
        "at rest, `{}` needs {:.1} % of its {kind}: no motion begins there within the limits",
        names[joint],
        100.0 * used
    )))
}

/// What a motion uses on a fine grid.
fn fine(problem: &Problem<'_>, x: &[f64], points: usize) -> Result<Uses, SensitivityError> {
    Motion::new(problem.robot, &problem.coordinates.series(x), points).uses(1.0)
}

struct Ended {
    x: Vec<f64>,
    iterations: usize,
    status: Status,
}

/// Rounds of the augmented Lagrangian.
fn optimise(
    problem: &mut Problem<'_>,
    (mut x, points): (Vec<f64>, usize),
    scale: &[f64],
    most: usize,
    progress: &mut impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Ended, SensitivityError> {
    let mut multipliers = problem.multipliers(RHO);
    let (mut iterations, mut last) = (0, f64::INFINITY);
    problem.leave(ROOM + EXCESS, &fine(problem, &x, points)?, &x)?;
    let first = problem.value(&x, &multipliers, scale)?.cost;
    let mut status = Status::Iterations;
    for round in 0..ROUNDS {
        // Rough at first: the multipliers are not right yet.
        let tolerance = (0.1 * 0.3_f64.powi(i32::try_from(round).unwrap_or(i32::MAX))).max(SLOPE);
        let f = |x: &[f64]| problem.value(x, &multipliers, scale).ok().map(|value| (value.lagrangian, value.gradient));
        let left = most.saturating_sub(iterations);
        let each = |value: f64| {
            iterations += 1;
            progress(Progress { iterations, most, gain: (first - value).exp() })
        };
        let found = minimise(x, (tolerance, left), f, each);
        x = found.x;
        let value = problem.value(&x, &multipliers, scale)?;
        let excess = value.excess.max(0.0);
        match found.end {
            End::Stopped => {
                status = Status::Stopped;
                break;
            }
            End::Iterations => break,
            End::Gradient if tolerance <= SLOPE && excess <= EXCESS => {
                status = Status::Converged;
                break;
            }
            End::NoDecrease if excess <= EXCESS => {
                status = Status::NoDecrease;
                break;
            }
            End::Gradient | End::NoDecrease => {}
        }
        multipliers.follow(value);
        if excess > EXCESS && excess > 0.5 * last {
            multipliers.rho *= 4.0;
        }
        last = excess;
        problem.leave(ROOM + EXCESS, &fine(problem, &x, points)?, &x)?;
    }
    Ok(Ended { x, iterations, status })
}

/// States at the times of the samples.
fn sampled(
    robot: Robot<'_>,
    series: &Series,
    options: &ExciteOptions,
    samples: usize,
) -> Result<Vec<State>, SensitivityError> {
    let free = (0..samples).map(|i| <[Vec<f64>; 3]>::from(series.at(i as f64 / options.rate))).collect();
    // It was looked at on a grid as fine, where they can.
    robot.states(free)?.ok_or_else(|| SensitivityError::Other("the feet cannot stay where they are at a sample".into()))
}

/// Samples as a measurement without noise would give them.
fn with_torques(robot: Robot<'_>, rate: f64, states: Vec<State>) -> Result<(Data, Option<Loads>), SensitivityError> {
    let ws = &mut Workspace::new(robot.model);
    let (mut data, mut loads) = (Data::default(), robot.stance.map(|_| Loads::default()));
    for (i, state) in states.into_iter().enumerate() {
        data.time.push(i as f64 / rate);
        if let (Some(stance), Some(loads)) = (robot.stance, &mut loads) {
            let [all, forces, motors] = stance.loads(robot.model, ws, &state)?;
            data.tau.push(all);
            loads.forces.push(forces);
            loads.motors.push(motors);
        } else {
            let [q, v, a] = &state;
            data.tau.push(rnea(robot.model, ws, q, v, a, &[])?.to_vec());
        }
        let [q, v, a] = state;
        data.q.push(q);
        data.v.push(v);
        data.a.push(a);
    }
    Ok((data, loads))
}
