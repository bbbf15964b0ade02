//! Measured motion and torques, and their checks.

use super::Warning;
use super::differences::segments;
use crate::error::SensitivityError;
use gradyn::dynamics::{FrameRef, ReferenceFrame, frame_jacobian};
use gradyn::{Model, Workspace};
use nalgebra::DVector;
use std::ops::Range;

/// Samples of a motion: rows of nq, nv numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// s
    pub time: Vec<f64>,
    /// nq each.
    pub q: Vec<Vec<f64>>,
    /// nv each.
    pub v: Vec<Vec<f64>>,
    /// nv each.
    pub a: Vec<Vec<f64>>,
    /// Measured torques, nv each: for a floating base, the wrench on it, along its velocities.
    pub tau: Vec<Vec<f64>>,
    /// The degrees of freedom, by their indices, whose torques were measured; the others do not count. Empty: all were.
    /// Those of a floating base alone identify inertias without any torque of a motor.
    pub measured: Vec<usize>,
}

/// Measured forces of a contact on the robot, along a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactForces {
    /// The point: the origin of a frame, or of a body.
    pub frame: FrameRef,
    /// The axes: those of the world, or of the frame. The moment is about the origin of the frame
    /// ([`ReferenceFrame::World`]: of the world).
    pub axes: ReferenceFrame,
    /// One per sample: force, N, then moment, N m.
    pub wrenches: Vec<[f64; 6]>,
}

/// The number of consecutive samples at the largest torque that count as clipped.
const CLIPPED: usize = 5;
/// Velocities with a larger relative deviation are not those of the positions.
const OFF: f64 = 0.05;
/// The multiple of an effort limit, or of a joint's range (or a turn) beyond its limits, that indicates another unit:
/// units differ by factors of 57 and more.
const BEYOND: f64 = 4.0;
/// The relative noise in a regressor, whose square biases least squares, above which a warning is given.
const NOISY: f64 = 0.02;

/// The standard deviation of white noise in a series that changes slowly, by its differences of sixth order: their
/// variance is 924 times that of the noise, and a sine with a period of 20 samples passes with 0.3⁶ = 7e-4.
pub(super) fn noise_of(series: &[f64], segments: &[std::ops::Range<usize>]) -> Option<f64> {
    let weights = [1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0];
    let mut squares: Vec<f64> = Vec::new();
    for segment in segments {
        let windows = series[segment.clone()].windows(weights.len());
        squares.extend(windows.map(|w| w.iter().zip(weights).map(|(x, c)| x * c).sum::<f64>().powi(2)));
    }
    if squares.is_empty() {
        return None;
    }
    // The median: turns of dry friction are rare and sharp. Of χ² with one degree of freedom it is 0.455.
    squares.sort_by(f64::total_cmp);
    Some((squares[squares.len() / 2] / 0.455 / 924.0).sqrt())
}

impl Data {
    /// The number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.time.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// The degrees of freedom, by their indices, whose torques count, for a robot with nv of them.
    pub(crate) fn rows(&self, nv: usize) -> Vec<usize> {
        if self.measured.is_empty() { (0..nv).collect() } else { self.measured.clone() }
    }

    /// The samples of some ranges, with gaps between these.
    pub(crate) fn only(&self, ranges: &[Range<usize>]) -> Self {
        let pick = |rows: &[Vec<f64>]| ranges.iter().flat_map(|range| rows[range.clone()].iter().cloned()).collect();
        Self {
            time: ranges.iter().flat_map(|range| self.time[range.clone()].iter().copied()).collect(),
            q: pick(&self.q),
            v: pick(&self.v),
            a: pick(&self.a),
            tau: pick(&self.tau),
            measured: self.measured.clone(),
        }
    }

    /// Adds measured contact forces: `τ + Σ Jᵀ f` is what the robot's inertias require. The sum depends on the geometry
    /// of the robot, and so is valid for parameters that do not move it: inertias, friction, gravity.
    ///
    /// # Errors
    /// As [`fits`](Self::fits); [`SensitivityError::Length`] if there is not one wrench per sample;
    /// [`SensitivityError::Number`] for one that is not finite; input that the engine rejects: a frame of another
    /// robot.
    pub fn with_contact_forces(mut self, model: &Model, contacts: &[ContactForces]) -> Result<Self, SensitivityError> {
        self.fits(model)?;
        let ws = &mut Workspace::new(model);
        for contact in contacts {
            if contact.wrenches.len() != self.len() {
                let (expected, found) = (self.len(), contact.wrenches.len());
                return Err(SensitivityError::Length { what: "the wrenches of a contact", expected, found });
            }
            for (i, wrench) in contact.wrenches.iter().enumerate() {
                if let Some(value) = wrench.iter().find(|x| !x.is_finite()) {
                    let what = format!("a contact force of sample {i}");
                    return Err(SensitivityError::Number { what, value: *value, rule: "expected a finite number" });
                }
                let jacobian = frame_jacobian(model, ws, &self.q[i], contact.frame, contact.axes)?;
                let torques = jacobian.tr_mul(&DVector::from_row_slice(wrench));
                self.tau[i].iter_mut().zip(torques.iter()).for_each(|(tau, x)| *tau += x);
            }
        }
        Ok(self)
    }

    /// Checks that the sizes are the robot's, and that all numbers are finite.
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
        if let Some(dof) = self
            .measured
            .iter()
            .enumerate()
            .find(|(k, dof)| **dof >= model.nv() || *k > 0 && **dof <= self.measured[k - 1])
        {
            let what = "a measured degree of freedom".to_owned();
            let rule = "expected those of the robot in order, each once";
            return Err(SensitivityError::Number { what, value: *dof.1 as f64, rule });
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

    /// Warnings about the data of this robot.
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
        let rows = self.rows(model.nv());
        for (dof, name) in names.iter().enumerate() {
            if rows.contains(&dof) {
                self.check_torque(dof, name, &mut warnings);
            }
            self.check_velocity(model, dof, name, median, &mut warnings)?;
            self.check_noise(dof, name, &mut warnings);
            if let Some(limit) = model.limits().effort.get(dof) {
                let most = self.tau.iter().map(|row| row[dof].abs()).fold(0.0, f64::max);
                if *limit > 0.0 && most > BEYOND * limit {
                    warnings.push(Warning::Effort { joint: name.clone(), torque: most, limit: *limit });
                }
            }
        }
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            // Joints with one name per number.
            if body.q_range().len() != body.v_range().len() {
                continue;
            }
            for (k, name) in body.q_range().zip(&names[body.v_range()]) {
                let (low, high) = (model.limits().q_lower[k], model.limits().q_upper[k]);
                let slack = (high - low).min(std::f64::consts::TAU);
                let beyond = |row: &Vec<f64>| (low - row[k]).max(row[k] - high);
                let worst = self.q.iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
                if let Some(row) = worst.filter(|row| high > low && beyond(row) > slack) {
                    let limit = if row[k] > high { high } else { low };
                    warnings.push(Warning::Position { joint: name.clone(), position: row[k], limit });
                }
            }
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

    /// White noise shows in sixth differences, slow motion does not.
    fn check_noise(&self, dof: usize, name: &str, warnings: &mut Vec<Warning>) {
        for (what, rows) in [("velocity", &self.v), ("acceleration", &self.a)] {
            let series: Vec<f64> = rows.iter().map(|row| row[dof]).collect();
            let size = (series.iter().map(|x| x * x).sum::<f64>() / series.len() as f64).sqrt();
            let Some(noise) = noise_of(&series, &segments(&self.time)) else { continue };
            if size > 1e-6 && noise > NOISY * size {
                warnings.push(Warning::Noise { joint: name.to_owned(), what, relative: noise / size });
            }
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
        // Not across gaps.
        let mut rate = vec![None; n];
        for segment in segments(&self.time) {
            let inner = segment.end.saturating_sub(1);
            for (i, rate) in rate.iter_mut().enumerate().take(inner).skip(segment.start + 1) {
                let moved = model.difference(&self.q[i - 1], &self.q[i + 1])?;
                *rate = Some(moved[dof] / (self.time[i + 1] - self.time[i - 1]));
            }
        }
        let off = |delay: usize| {
            let pairs: Vec<f64> = (1 + delay..n - 1).filter_map(|i| Some((v[i] - rate[i - delay]?).powi(2))).collect();
            if pairs.is_empty() { 0.0 } else { (pairs.iter().sum::<f64>() / pairs.len() as f64).sqrt() / size }
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
