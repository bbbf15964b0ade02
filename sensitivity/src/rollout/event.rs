//! Events at times that depend on the state, found within a step and differentiated as they are found.
//!
//! A step in which the guard becomes negative is split at the event, whose time solves `g(step(x, h)) = 0`: up to it,
//! through the reset, and on to the end of the step, which is split again if another event follows. Over dual numbers,
//! one step of Newton's method at an event gives its time with derivatives, so the sensitivities are those of the
//! discrete steps: saltation, exact for the integrator.

use super::scheme::Robot;
use super::{Rollout, State, TrajectoryCost};
use crate::error::SensitivityError;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::{Model, Scalar};
use nalgebra::DMatrix;

/// A guard and a reset, over any number type.
pub trait Event {
    /// The guard, which decreases through zero at the event. `values` are those of the parameters.
    ///
    /// # Errors
    /// The reason why it is undefined.
    fn guard<P: Scalar<f64> + Scalar<P>>(
        &self,
        model: &Model<P>,
        values: &[P],
        q: &[P],
        v: &[P],
    ) -> Result<P, SensitivityError>;
    /// The state after the event.
    ///
    /// # Errors
    /// The reason why it is undefined.
    fn reset<P: Scalar<f64> + Scalar<P>>(
        &self,
        model: &Model<P>,
        values: &[P],
        q: &[P],
        v: &[P],
    ) -> Result<(Vec<P>, Vec<P>), SensitivityError>;
}

/// The status of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventStatus {
    /// The guard was crossed, at this rate, 1/s.
    Crossed {
        /// `dg/dt`
        rate: f64,
    },
    /// The guard was touched and hardly crossed: derivatives by the state are unbounded.
    Grazing {
        /// `dg/dt`
        rate: f64,
    },
    /// The event is at the start of a step to within rounding: the last bit decides which of two steps it belongs to.
    /// Derivatives are those of the step in which it was found, and the same in the other to first order.
    OnSample {
        /// `dg/dt`
        rate: f64,
    },
    /// It coincides with the one before, to within rounding: the last bit decides which of them is first.
    Simultaneous,
}

/// One event of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// The step.
    pub step: usize,
    /// The time, s.
    pub time: f64,
    /// The status.
    pub status: EventStatus,
}

/// States of a run with events.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridRun {
    /// `(q, v)` of each node.
    pub states: Vec<State>,
    /// Its events, in order.
    pub events: Vec<EventRecord>,
}

impl HybridRun {
    /// Whether its derivatives can be trusted: each guard was crossed, and one at a time.
    #[must_use]
    pub fn is_regular(&self) -> bool {
        self.events.iter().all(|e| matches!(e.status, EventStatus::Crossed { .. } | EventStatus::OnSample { .. }))
    }
}

/// A roll-out with events.
#[derive(Clone, Debug)]
pub struct Hybrid<'r, 'p, E> {
    run: &'r Rollout<'p>,
    event: E,
}

/// An event grazes if its rate is below this times the mean speed of the guard over the step.
const SLOW: f64 = 1e-6;

/// A remainder of a step below this share of it counts as zero: some ten thousand roundings of a time within it.
const SHORT: f64 = 1e-12;

/// Slopes at the ends of a step are differences over this share of it.
const NEAR: f64 = 1e-6;

/// The most events in a step: bounces at ever shorter intervals do not end (Zeno), nor does a reset that leaves the
/// guard unchanged.
const EVENTS_IN_A_STEP: usize = 100;

impl<'r, 'p, E: Event> Hybrid<'r, 'p, E> {
    /// Adds events to this roll-out.
    pub fn new(run: &'r Rollout<'p>, event: E) -> Self {
        Self { run, event }
    }

    /// Computes the states. A step is split at each of its events.
    ///
    /// # Errors
    /// Input that the engine rejects; more than 100 events in one step, as of a ball that comes to rest: the error
    /// names the step.
    pub fn simulate(&self, values: &[f64], q0: &[f64], v0: &[f64]) -> Result<HybridRun, SensitivityError> {
        let mut states = Vec::new();
        let mut events = Vec::new();
        self.over(values, values, (q0, v0), |v| v, |_, q, v| states.push((q.to_vec(), v.to_vec())), &mut events)?;
        Ok(HybridRun { states, events })
    }

    /// `∂x/∂(p, q₀, v₀)` of each node: 2 nv × (np + 2 nv), through all events.
    ///
    /// # Errors
    /// Input that the engine rejects; an event that grazes or coincides with another has no derivative, and is named.
    pub fn forward(
        &self,
        values: &[f64],
        q0: &[f64],
        v0: &[f64],
    ) -> Result<(HybridRun, Vec<DMatrix<f64>>), SensitivityError> {
        let run = self.simulate(values, q0, v0)?;
        if let Some(bad) =
            run.events.iter().find(|e| matches!(e.status, EventStatus::Grazing { .. } | EventStatus::Simultaneous))
        {
            return Err(SensitivityError::Other(format!(
                "the event at {} s has no derivative: {}",
                bad.time,
                if bad.status == EventStatus::Simultaneous { "another event coincides with it" } else { "it grazes" }
            )));
        }
        let (np, nv) = (values.len(), v0.len());
        let columns = np + 2 * nv;
        let mut by = vec![DMatrix::zeros(2 * nv, columns); run.states.len()];
        let model = self.run.parameters.robot();
        for column in 0..columns {
            let one = |k: usize| f64::from(u8::from(k == column));
            let at: Vec<Dual64> = values.iter().enumerate().map(|(k, x)| Dual64::new(*x, one(k))).collect();
            let mut failed = None;
            let see = |node: usize, q: &[Dual64], v: &[Dual64]| {
                let here: Vec<Dual64> = run.states[node].0.iter().map(|x| Dual64::from(*x)).collect();
                let mut tangent = vec![Dual64::from(0.0); nv];
                if let Err(error) = model.difference_into(&here, q, &mut tangent) {
                    failed = Some(error);
                }
                for (row, x) in tangent.iter().chain(v).enumerate() {
                    by[node][(row, column)] = x.eps;
                }
            };
            let dq: Vec<Dual64> = (0..nv).map(|k| Dual64::new(0.0, one(np + k))).collect();
            let dv: Vec<Dual64> = (0..nv).map(|k| Dual64::new(0.0, one(np + nv + k))).collect();
            let q: Vec<Dual64> = q0.iter().map(|x| Dual64::from(*x)).collect();
            let mut moved = q.clone();
            model.integrate_into(&q, &dq, &mut moved)?;
            let v: Vec<Dual64> = v0.iter().zip(dv).map(|(x, d)| d + *x).collect();
            self.along(values, &at, (moved, v), |x| x.re, see, &mut Vec::new())?;
            if let Some(error) = failed {
                return Err(error.into());
            }
        }
        Ok((run, by))
    }

    /// The gradient of a cost of the state at the end, by parameters, `q₀` and `v₀`: the transposed sensitivities times
    /// the cost's gradient.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), and errors of the cost.
    pub fn gradient(
        &self,
        values: &[f64],
        q0: &[f64],
        v0: &[f64],
        cost: &dyn TrajectoryCost,
    ) -> Result<(f64, Vec<f64>), SensitivityError> {
        let (run, by) = self.forward(values, q0, v0)?;
        let (Some((q, v)), Some(by)) = (run.states.last(), by.last()) else {
            return Err(SensitivityError::Other("a run without states".into()));
        };
        let mut of_x = vec![0.0; 2 * v.len()];
        let model = self.run.parameters.robot_at(values)?;
        let value = cost.end(&model, (q, v), &mut of_x)?;
        Ok((value, by.tr_mul(&nalgebra::DVector::from_vec(of_x)).as_slice().to_vec()))
    }

    fn over<P: Scalar<f64> + Scalar<P>>(
        &self,
        values: &[f64],
        at: &[P],
        (q0, v0): (&[f64], &[f64]),
        value: impl Fn(P) -> f64 + Copy,
        see: impl FnMut(usize, &[P], &[P]),
        events: &mut Vec<EventRecord>,
    ) -> Result<(), SensitivityError> {
        let lift = |x: &[f64]| x.iter().map(|x| P::from(*x)).collect::<Vec<P>>();
        self.along(values, at, (lift(q0), lift(v0)), value, see, events)
    }

    /// Runs from a start that may carry derivatives. Times of events are found over `f64` and then made exact over `P`.
    fn along<P: Scalar<f64> + Scalar<P>>(
        &self,
        values: &[f64],
        at: &[P],
        (q, v): (Vec<P>, Vec<P>),
        value: impl Fn(P) -> f64 + Copy,
        mut see: impl FnMut(usize, &[P], &[P]),
        events: &mut Vec<EventRecord>,
    ) -> Result<(), SensitivityError> {
        let run = self.run;
        let mut robot = Robot::at(run.parameters, at)?;
        let mut plain = Robot::at(run.parameters, values)?;
        let values_of = |x: &[P]| x.iter().map(|x| value(*x)).collect::<Vec<f64>>();
        let (dq, dv) = run.parameters.start_at(at)?;
        let mut moved = q.clone();
        robot.model.integrate_into(&q, &dq, &mut moved)?;
        let (mut q, mut v) = (moved, v.iter().zip(dv).map(|(v, d)| *v + d).collect::<Vec<P>>());
        see(0, &q, &v);
        // Whether the state is after a reset.
        let (mut began, mut behind) = (0.0, false);
        for step in 0..run.steps() {
            let length = run.length(step);
            let u = run.control(&robot, step, (&q, &v), &[])?;
            let (tau, held) = (robot.driven(run.torques(&u)), run.held(step));
            let tau_f = values_of(&tau);
            // The remainder of the step, which carries derivatives after the first event, and the number of events so
            // far.
            let (mut rest, mut count) = (P::from(length), 0);
            loop {
                let left = value(rest);
                let (q_f, v_f) = (values_of(&q), values_of(&v));
                let mut guard_at = |h: f64| {
                    let (q, v) = plain.step(run.scheme, &run.algebra, h, (&q_f, &v_f), &tau_f, &held)?;
                    self.event.guard(&plain.model, values, &q, &v)
                };
                let is_part = left > SHORT * length;
                let found = if is_part { next_zero(&mut guard_at, (left, length), behind)? } else { None };
                let Some(Zero { time, rate, speed }) = found else {
                    (q, v) = robot.step(run.scheme, &run.algebra, rest, (&q, &v), &tau, &held)?;
                    behind &= !is_part;
                    break;
                };
                (count, behind) = (count + 1, true);
                let at_time = began + (length - left) + time;
                if count > EVENTS_IN_A_STEP {
                    return Err(SensitivityError::Other(format!(
                        "step {step} has more than {EVENTS_IN_A_STEP} events up to {at_time} s: they do not end"
                    )));
                }
                let before = P::from(time);
                // One step of Newton's method: the value stays, derivatives become exact.
                let (q_e, v_e) = robot.step(run.scheme, &run.algebra, before, (&q, &v), &tau, &held)?;
                let off = self.event.guard(&robot.model, at, &q_e, &v_e)?;
                let off = off - P::from(value(off));
                let before = if rate == 0.0 { before } else { before - off * (1.0 / rate) };
                let (q_e, v_e) = robot.step(run.scheme, &run.algebra, before, (&q, &v), &tau, &held)?;
                (q, v) = self.event.reset(&robot.model, at, &q_e, &v_e)?;
                rest -= before;
                let status = if rate.abs() <= SLOW * speed.max(f64::MIN_POSITIVE) {
                    EventStatus::Grazing { rate }
                } else if count > 1 && time <= SHORT * length {
                    EventStatus::Simultaneous
                } else if time <= SHORT * length || value(rest) <= SHORT * length {
                    EventStatus::OnSample { rate }
                } else {
                    EventStatus::Crossed { rate }
                };
                events.push(EventRecord { step, time: at_time, status });
            }
            began += length;
            v = run.hit(&mut robot, step + 1, &q, v)?;
            see(step + 1, &q, &v);
        }
        Ok(())
    }
}

/// A zero of a guard.
struct Zero {
    /// s
    time: f64,
    /// Its slope there, 1/s.
    rate: f64,
    /// Its mean speed up to the end, 1/s.
    speed: f64,
}

/// The next time within `left`, a part of a step of this length, at which a guard becomes negative; `behind`: it begins
/// at zero to rounding, after an event.
fn next_zero(
    g: &mut dyn FnMut(f64) -> Result<f64, SensitivityError>,
    (left, length): (f64, f64),
    behind: bool,
) -> Result<Option<Zero>, SensitivityError> {
    let begin = if behind { 0.0 } else { g(0.0)? };
    if begin < 0.0 {
        return Ok(None);
    }
    // Steps are smooth in their length, also beyond the remainder.
    let (near, last) = (g(NEAR * length)?, g(left)?);
    // At rest on the guard, or rising from it, there is no event.
    let rises = near >= begin;
    let first = if begin == 0.0 && rises { NEAR * length } else { 0.0 };
    let high = if last < 0.0 {
        if first >= left || (first > 0.0 && near <= 0.0 && !behind) {
            return Ok(None);
        }
        left
    } else {
        // Positive at both ends, and possibly negative between them: at its minimum, where its slope changes sign.
        if begin == 0.0 || rises || last <= g(left - NEAR * left)? {
            return Ok(None);
        }
        let (mut low, mut high) = (0.0, left);
        // Two thirds of it each time, down to 1e-7 of the step: nearer to its minimum, a guard is flat to rounding.
        for _ in 0..40 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if g(a)? < g(b)? { high = b } else { low = a }
        }
        let least = 0.5 * (low + high);
        if g(least)? >= 0.0 {
            return Ok(None);
        }
        least
    };
    let time = match begin > 0.0 || near > 0.0 {
        true => bisected(g, first, high)?,
        false => first,
    };
    // Central differences of functions of seconds, accurate to 1e-10.
    let d = 1e-5 * length;
    let rate = (8.0 * (g(time + d)? - g(time - d)?) - (g(time + 2.0 * d)? - g(time - 2.0 * d)?)) / (12.0 * d);
    Ok(Some(Zero { time, rate, speed: (begin - last).abs() / left }))
}

/// The zero, to rounding, of a function that is positive at the first time and negative at the second.
fn bisected(
    g: &mut dyn FnMut(f64) -> Result<f64, SensitivityError>,
    mut low: f64,
    mut high: f64,
) -> Result<f64, SensitivityError> {
    let mut at = 0.5 * (low + high);
    for _ in 0..200 {
        let here = g(at)?;
        if here >= 0.0 {
            low = at;
        } else {
            high = at;
        }
        let next = 0.5 * (low + high);
        if here == 0.0 || next <= low || next >= high {
            break;
        }
        at = next;
    }
    Ok(at)
}
