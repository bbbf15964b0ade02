//! Events at times that depend on the state: found within a step, and differentiated as they are found.
//!
//! A step in which the guard falls below zero is taken in two parts: up to the event, whose time solves `g(step(x, h)) = 0`, through the
//! reset, and on to the end of the step. Over dual numbers one step of Newton's method at the event gives its time with derivatives, so
//! the sensitivities are those of the steps that are taken: saltation, exact for the integrator.

use super::scheme::Robot;
use super::{Rollout, State, TrajectoryCost};
use crate::error::SensitivityError;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::{Model, Scalar};
use nalgebra::DMatrix;

/// A guard and a reset, over any number type.
pub trait Event {
    /// Falls through zero at the event. `values` are the parameters'.
    ///
    /// # Errors
    /// Why there is none.
    fn guard<P: Scalar<f64> + Scalar<P>>(
        &self,
        model: &Model<P>,
        values: &[P],
        q: &[P],
        v: &[P],
    ) -> Result<P, SensitivityError>;
    /// The state behind it.
    ///
    /// # Errors
    /// Why there is none.
    fn reset<P: Scalar<f64> + Scalar<P>>(
        &self,
        model: &Model<P>,
        values: &[P],
        q: &[P],
        v: &[P],
    ) -> Result<(Vec<P>, Vec<P>), SensitivityError>;
}

/// How an event came about.
#[derive(Clone, Debug, PartialEq)]
pub enum EventStatus {
    /// The guard was crossed, at this rate, 1/s.
    Crossed {
        /// `dg/dt`
        rate: f64,
    },
    /// The guard was touched and hardly crossed: derivatives by the state grow beyond any bound.
    Grazing {
        /// `dg/dt`
        rate: f64,
    },
    /// The event stands at the start of a step to within rounding: which of two steps it belongs to hangs on the last bit. Derivatives are
    /// those of the step that it was found in, and the same in the other to first order.
    OnSample {
        /// `dg/dt`
        rate: f64,
    },
    /// More than one event in a step: the order of these hangs on the length of the step, and is not looked into.
    Simultaneous,
}

/// One event of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// The step.
    pub step: usize,
    /// When, s.
    pub time: f64,
    /// How.
    pub status: EventStatus,
}

/// States of a run with events.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridRun {
    /// `(q, v)` of each node.
    pub states: Vec<State>,
    /// Its events, in order.
    pub events: Vec<Happened>,
}

impl HybridRun {
    /// Can its derivatives be trusted: was each guard crossed, and one at a time?
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

/// Slower than this times the largest speed of the guard so far, an event grazes.
const SLOW: f64 = 1e-6;

impl<'r, 'p, E: Event> Hybrid<'r, 'p, E> {
    /// Of this roll-out.
    pub fn new(run: &'r Rollout<'p>, event: E) -> Self {
        Self { run, event }
    }

    /// The states.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn simulate(&self, values: &[f64], q0: &[f64], v0: &[f64]) -> Result<HybridRun, SensitivityError> {
        let mut states = Vec::new();
        let mut events = Vec::new();
        self.over(values, values, (q0, v0), |v| v, |_, q, v| states.push((q.to_vec(), v.to_vec())), &mut events)?;
        Ok(HybridRun { states, events })
    }

    /// `∂x/∂(p, q₀, v₀)` of each node: 2 nv × (np + 2 nv), through all events.
    ///
    /// # Errors
    /// What the engine refuses; an event that grazes, or comes with another, has no derivative and is named.
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
                if bad.status == EventStatus::Simultaneous { "another one is in the same step" } else { "it grazes" }
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

    /// The gradient of a cost of the state at the end, by parameters, `q₀` and `v₀`: the transposed sensitivities times its own.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), and what the cost says.
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
        events: &mut Vec<Happened>,
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
        events: &mut Vec<Happened>,
    ) -> Result<(), SensitivityError> {
        let run = self.run;
        let mut robot = Robot::new(run.parameters.robot_at(at)?);
        let mut plain = Robot::new(run.parameters.robot_at(values)?);
        let values_of = |x: &[P]| x.iter().map(|x| value(*x)).collect::<Vec<f64>>();
        let (dq, dv) = run.parameters.start_at(at)?;
        let mut moved = q.clone();
        robot.model.integrate_into(&q, &dq, &mut moved)?;
        let (mut q, mut v) = (moved, v.iter().zip(dv).map(|(v, d)| *v + d).collect::<Vec<P>>());
        see(0, &q, &v);
        let mut began = 0.0;
        for step in 0..run.steps() {
            let length = run.length(step);
            let u = run.control(&robot, step, (&q, &v), &[])?;
            let (tau, held) = (run.torques(&u), run.held(step));
            let (q_f, v_f, tau_f) = (values_of(&q), values_of(&v), values_of(&tau));
            let mut guard_at = |h: f64| {
                let (q, v) = plain.step(run.scheme, &run.algebra, h, (&q_f, &v_f), &tau_f, &held)?;
                self.event.guard(&plain.model, values, &q, &v)
            };
            let (begin, end) = (guard_at(0.0)?, guard_at(length)?);
            // At rest on the guard, or rising from it, is no event.
            let rises = guard_at(1e-6 * length)? >= begin;
            if end < 0.0 && (begin > 0.0 || (begin == 0.0 && !rises)) {
                let (time, rate) = first_zero(&mut guard_at, begin, length)?;
                let before = P::from(time);
                // One step of Newton's method: the value stays to rounding, derivatives become exact.
                let (q_e, v_e) = robot.step(run.scheme, &run.algebra, before, (&q, &v), &tau, &held)?;
                let off = self.event.guard(&robot.model, at, &q_e, &v_e)?;
                let before = before - off * (1.0 / rate);
                let (q_e, v_e) = robot.step(run.scheme, &run.algebra, before, (&q, &v), &tau, &held)?;
                let (q_r, v_r) = self.event.reset(&robot.model, at, &q_e, &v_e)?;
                let rest = P::from(length) - before;
                (q, v) = robot.step(run.scheme, &run.algebra, rest, (&q_r, &v_r), &tau, &held)?;
                let after = self.event.guard(&plain.model, values, &values_of(&q), &values_of(&v))?;
                let speed = (begin - end).abs() / length;
                let status = if rate.abs() <= SLOW * speed.max(f64::MIN_POSITIVE) {
                    EventStatus::Grazing { rate }
                } else if after < 0.0 {
                    EventStatus::Simultaneous
                } else if time <= 1e-12 * length || time >= (1.0 - 1e-12) * length {
                    EventStatus::OnSample { rate }
                } else {
                    EventStatus::Crossed { rate }
                };
                events.push(Happened { step, time: began + time, status });
            } else {
                (q, v) = robot.step(run.scheme, &run.algebra, P::from(length), (&q, &v), &tau, &held)?;
            }
            began += length;
            v = run.hit(&mut robot, step + 1, &q, v)?;
            see(step + 1, &q, &v);
        }
        Ok(())
    }
}

/// The first time at which a function that falls below zero is zero, to rounding, and its slope there.
fn first_zero(
    g: &mut dyn FnMut(f64) -> Result<f64, SensitivityError>,
    begin: f64,
    end: f64,
) -> Result<(f64, f64), SensitivityError> {
    let (mut low, mut high) = (0.0, end);
    let mut at = if begin == 0.0 { 0.0 } else { 0.5 * end };
    if begin != 0.0 {
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
    }
    // Steps are smooth in their length, beyond the event too: central differences of functions of seconds, good to 1e-10.
    let d = 1e-5 * end;
    let rate = (8.0 * (g(at + d)? - g(at - d)?) - (g(at + 2.0 * d)? - g(at - 2.0 * d)?)) / (12.0 * d);
    Ok((at, rate))
}
