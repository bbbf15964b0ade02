//! A motion on a fine grid: its use of limits, and the scale at which it fits.

use super::information::State;
use super::limits::Uses;
use super::robot::Robot;
use super::series::Series;
use crate::error::SensitivityError;
use gradyn::Workspace;

/// Room for the rise between the points of the grid, at which states are checked: a wave of a twentieth of its
/// frequency rises by at most 1e-3 of itself between them.
pub(super) const ROOM: f64 = 1e-3;
/// Bisections of a size: down to rounding; for motions whose legs follow, which are twenty times as expensive, down to
/// a share of 1e-5.
const BISECTIONS: [usize; 2] = [50, 16];
/// Doublings of a size.
const DOUBLINGS: usize = 40;

/// A motion that can be scaled about its start.
pub(super) struct Motion<'a> {
    robot: Robot<'a>,
    start: Vec<f64>,
    states: Vec<State>,
}

impl<'a> Motion<'a> {
    /// The motion at so many times over a period, both ends included.
    pub(super) fn new(robot: Robot<'a>, series: &Series, points: usize) -> Self {
        let time = |i: usize| series.period * i as f64 / (points - 1) as f64;
        let states = (0..points).map(|i| <[Vec<f64>; 3]>::from(series.at(time(i)))).collect();
        Self { robot, start: series.start.clone(), states }
    }

    /// Its use of the limits if it is scaled by `size`.
    pub(super) fn uses(&self, size: f64) -> Result<Uses, SensitivityError> {
        let nv = self.robot.model.nv();
        let ws = &mut Workspace::new(self.robot.model);
        let times = |x: &[f64]| -> Vec<f64> { x.iter().map(|x| size * x).collect() };
        let sized = |[q, v, a]: &State| {
            let q = q.iter().zip(&self.start).map(|(q, start)| start + size * (q - start)).collect();
            [q, times(v), times(a)]
        };
        let Some(states) = self.robot.states(self.states.iter().map(sized).collect())? else {
            return Ok(Uses::endless(nv));
        };
        let mut uses = Uses::none(nv);
        for state in &states {
            uses.add(self.robot.limits, self.robot.limited(ws, state)?.each_ref().map(|x| &**x));
        }
        Ok(uses)
    }

    /// Whether it is within the limits at this size.
    fn fits(&self, size: f64) -> Result<bool, SensitivityError> {
        Ok(self.uses(size)?.worst().2 <= 1.0 - ROOM)
    }

    /// A size at which it fits: one if it fits unscaled, otherwise less. Zero if it fits at none.
    pub(super) fn fitting(&self) -> Result<f64, SensitivityError> {
        if self.fits(1.0)? { Ok(1.0) } else { self.between(0.0, 1.0) }
    }

    /// The largest size at which it fits.
    pub(super) fn largest(&self) -> Result<f64, SensitivityError> {
        let mut size = 1.0;
        for _ in 0..DOUBLINGS {
            if !self.fits(size)? {
                break;
            }
            size *= 2.0;
        }
        self.between(0.0, size)
    }

    /// The larger end does not fit.
    fn between(&self, mut fits: f64, mut does_not: f64) -> Result<f64, SensitivityError> {
        for _ in 0..BISECTIONS[usize::from(self.robot.stance.is_some())] {
            let middle = 0.5 * (fits + does_not);
            if self.fits(middle)? { fits = middle } else { does_not = middle }
        }
        Ok(fits)
    }
}
