//! What is looked at after a solution: the table `report`.

use super::source::{Item, Sign};
use crate::error::Error;
use gradyn_trajectory::Problem;
use gradyn_trajectory::contact_motion::{HeldFrame, Peak};
use gradyn_trajectory::resimulation::Tolerances;

/// Where the plan may end under its feedback gains, away from where it is planned to, m or rad: a per cent of a motion
/// of one radian.
const END_DISTANCE: f64 = 1e-2;

/// How far held frames may move, and loops open, before that is told.
#[derive(Clone, Copy, Debug)]
pub struct HeldLimits {
    /// m
    drift: f64,
    /// rad
    turn: f64,
    /// m/s
    speed: f64,
    /// rad/s
    angular_speed: f64,
    /// m and rad
    pub loop_gap: f64,
}

impl Default for HeldLimits {
    /// What a foot on rubber gives, and what bearings of a closed loop do not. Angular: the edge of a sole of 0.2 m at
    /// the speed of a point.
    fn default() -> Self {
        Self { drift: 1e-3, turn: 1e-3, speed: 1e-2, angular_speed: 0.1, loop_gap: 1e-4 }
    }
}

impl HeldLimits {
    /// What of a frame is limited: what it does, how much, its unit, the key, and the limit.
    pub fn of_frame(&self, of: &HeldFrame) -> Vec<(&'static str, Peak, &'static str, &'static str, f64)> {
        let all = [
            ("drifts by", Some(of.drift), "m", "drift", self.drift),
            ("turns by", of.turn, "rad", "turn", self.turn),
            ("moves at", Some(of.speed), "m/s", "speed", self.speed),
            ("turns at", of.angular_speed, "rad/s", "angular_speed", self.angular_speed),
        ];
        all.into_iter().filter_map(|(what, peak, unit, key, most)| Some((what, peak?, unit, key, most))).collect()
    }
}

/// The table `report`.
#[derive(Clone, Debug, Default)]
pub struct ReportTask {
    /// Whether steps are not integrated again.
    off: bool,
    step_defect: Option<f64>,
    constraint: Option<f64>,
    force: Option<f64>,
    end_distance: Option<f64>,
    held: HeldLimits,
}

impl ReportTask {
    pub(super) fn read(item: Option<Item<'_>>) -> Result<Self, Error> {
        let mut report = Self::default();
        let Some(item) = item else { return Ok(report) };
        let table = item.table("a table")?;
        let held = ["drift", "turn", "speed", "angular_speed", "loop_gap"];
        table.only(&[&["steps", "step_defect", "constraint", "force", "end_distance"][..], &held].concat())?;
        report.off = !table.get("steps").map_or(Ok(true), |item| item.flag())?;
        let number = |key: &str| table.get(key).map(|item| item.number(Sign::Positive)).transpose();
        report.step_defect = number("step_defect")?;
        report.constraint = number("constraint")?;
        report.force = number("force")?;
        report.end_distance = number("end_distance")?;
        let HeldLimits { drift, turn, speed, angular_speed, loop_gap } = &mut report.held;
        for (key, to) in held.into_iter().zip([drift, turn, speed, angular_speed, loop_gap]) {
            *to = number(key)?.unwrap_or(*to);
        }
        Ok(report)
    }
    /// Whether steps are integrated again.
    pub fn steps(&self) -> bool {
        !self.off
    }
    /// Of steps that are integrated again; those that the file does not say are the problem's.
    pub fn tolerances(&self, problem: &Problem) -> Tolerances {
        let mut of = Tolerances::of(problem);
        of.step_defect = self.step_defect.unwrap_or(of.step_defect);
        of.constraint = self.constraint.unwrap_or(of.constraint);
        of.force = self.force.unwrap_or(of.force);
        of
    }
    /// How far held frames may move.
    pub fn held(&self) -> HeldLimits {
        self.held
    }
    /// How far from the plan it may end under its gains, m or rad.
    pub fn end_distance(&self) -> f64 {
        self.end_distance.unwrap_or(END_DISTANCE)
    }
}
