//! The most informative motion.

use super::base::Base;
use super::excitation::{Excitation, Loads, Progress, Status};
use super::information::{Information, State};
use super::limits::{JointLimits, Uses};
use super::motion::{Motion, ROOM};
use super::options::ExciteOptions;
use super::problem::Problem;
use super::quality::Quality;
use super::quasi_newton::{End, minimize};
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
use std::ops::ControlFlow;

/// Nodes per shortest wave: a product of three waves still has more than six.
const NODES: usize = 20;
/// Points per node, and per sample, at which limits are checked.
const FINER: usize = 10;
/// The number of random starts that are tried until torques at rest are within the limits.
const DRAWS: u64 = 200;
/// The largest share of a torque limit that gravity may use at the start: the rest is for the motion.
const AT_REST: f64 = 0.9;
/// The tolerance of the slope of the mean logarithm of deviations by amplitudes: another amplitude as large as its
/// limits would decrease deviations by this share.
const SLOPE: f64 = 3e-3;
/// The share by which limits may be exceeded at the end; as much room is reserved for it.
const EXCESS: f64 = 2e-3;
/// ρ of the first round: excesses of some percent for slopes of one (measured on the arms).
const RHO: f64 = 4.0;
/// Rounds of multipliers, each with its part of the iterations; with ρ four times as large where the last did not halve
/// the excess.
const ROUNDS: usize = 30;

/// Finds the motion that is most informative about the parameters, at their current values, beginning with a random
/// motion. Results are the same for any number of threads.
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
/// [`SensitivityError`]: no parameters, or none that motions identify; invalid numbers in the options; a start at which
/// gravity alone exceeds a limit. A motion that did not converge is an [`Excitation`] whose [`Status`] says so.
pub fn excite(
    parameters: &Parameters,
    options: &ExciteOptions,
    progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Excitation, SensitivityError> {
    // An error if a joint has more coordinates than velocities.
    let _ = JointLimits::of(parameters.robot())?;
    design(parameters, options, None, progress)
}

/// Finds the motion of a robot on its feet that is most informative about the parameters: the base, and joints that no
/// foot needs, move by series, and the legs follow. Contact forces are taken as measured, so that all rows of torques
/// count. Limits of torques are those of the motors, while the feet bear the smallest forces that carry the base. The
/// motion starts and ends where the robot stands: `options.start` is ignored. A motion that the legs cannot follow is
/// not admissible.
///
/// Feet are held as if bolted: whether they would slip, or pull at the ground, is not checked. The gradient of the
/// motion is that of central differences through the legs.
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
        let reason =
            "contact forces depend on the geometry of the robot, which must not vary: leave out placements and axes";
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
        // Legs that follow are twenty times as expensive.
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
    let ended = optimize(&mut problem, (start, points), &scale, options.iterations, &mut progress)?;

    let series = coordinates.series(&ended.x);
    let size = Motion::new(here, &series, points).fitting()?;
    let times = |of: &[Vec<f64>]| of.iter().map(|of| of.iter().map(|x| size * x).collect()).collect();
    let series = Series { cosines: times(&series.cosines), sines: times(&series.sines), ..series };
    let (states, random_states) =
        (sampled(here, &series, options, samples)?, sampled(here, &at_start, options, samples)?);
    let (found, random) = (Quality::of(&information, &states)?, Quality::of(&information, &random_states)?);
    // A motion that was scaled down much may be less informative than the one from which it began.
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

/// Amplitudes in units of the limits at the frequency of the period.
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
            // Without limits, the position matters little or is periodic.
            None => (middle, if half.is_finite() { half } else { 1.0 }),
        });
    }
    Coordinates::new(options.period, options.harmonics, scale, start)
}

/// A random motion, scaled up to the limits.
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
            // A start in the inner half of the range; normal amplitudes.
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
        "at rest, `{}` needs {:.1} % of its {kind}: no motion within the limits begins there",
        names[joint],
        100.0 * used
    )))
}

/// The use of limits of a motion, on a fine grid.
fn fine(problem: &Problem<'_>, x: &[f64], points: usize) -> Result<Uses, SensitivityError> {
    Motion::new(problem.robot, &problem.coordinates.series(x), points).uses(1.0)
}

struct Ended {
    x: Vec<f64>,
    iterations: usize,
    status: Status,
}

/// Rounds of the augmented Lagrangian.
fn optimize(
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
        // Loose at first, because the multipliers are not accurate yet.
        let tolerance = (0.1 * 0.3_f64.powi(i32::try_from(round).unwrap_or(i32::MAX))).max(SLOPE);
        let f = |x: &[f64]| problem.value(x, &multipliers, scale).ok().map(|value| (value.lagrangian, value.gradient));
        let left = most.saturating_sub(iterations);
        let each = |value: f64| {
            iterations += 1;
            progress(Progress { iterations, most, gain: (first - value).exp() })
        };
        let found = minimize(x, (tolerance, left), f, each);
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
    // It was checked on a grid as fine.
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
