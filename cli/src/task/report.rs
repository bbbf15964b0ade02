//! What is looked at after a solution: the table `report`.

use super::source::{Item, Sign};
use crate::error::Error;
use gradyn_trajectory::Problem;
use gradyn_trajectory::resimulation::Tolerances;

/// Where the plan may end under its feedback gains, away from where it is planned to, m or rad: a per cent of a motion of one radian.
const END_DISTANCE: f64 = 1e-2;

/// The table `report`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportTask {
    /// Are steps left as they are?
    off: bool,
    step_defect: Option<f64>,
    constraint: Option<f64>,
    force: Option<f64>,
    end_distance: Option<f64>,
}

impl ReportTask {
    pub(super) fn read(item: Option<Item<'_>>) -> Result<Self, Error> {
        let mut report = Self::default();
        let Some(item) = item else { return Ok(report) };
        let table = item.table("a table")?;
        table.only(&["steps", "step_defect", "constraint", "force", "end_distance"])?;
        report.off = !table.get("steps").map_or(Ok(true), |item| item.flag())?;
        let number = |key: &str| table.get(key).map(|item| item.number(Sign::Positive)).transpose();
        report.step_defect = number("step_defect")?;
        report.constraint = number("constraint")?;
        report.force = number("force")?;
        report.end_distance = number("end_distance")?;
        Ok(report)
    }
    /// Are steps integrated again?
    pub(crate) fn steps(&self) -> bool {
        !self.off
    }
    pub(crate) fn tolerances(&self, problem: &Problem) -> Tolerances {
        let mut of = Tolerances::of(problem);
        of.step_defect = self.step_defect.unwrap_or(of.step_defect);
        of.constraint = self.constraint.unwrap_or(of.constraint);
        of.force = self.force.unwrap_or(of.force);
        of
    }
    pub(crate) fn end_distance(&self) -> f64 {
        self.end_distance.unwrap_or(END_DISTANCE)
    }
}
