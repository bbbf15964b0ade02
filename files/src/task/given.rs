//! What a program gives a task beside its text: a robot that it has already, residuals of its own.

use crate::robot::Robot;
use gradyn_trajectory::residual::Residual;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Makes a residual, once for each phase that it counts in.
pub type OwnResidual = Arc<dyn Fn() -> Box<dyn Residual> + Send + Sync>;

/// What does not stand in a task's text.
#[derive(Clone, Default)]
pub struct Given {
    /// The folder that files are named from.
    pub folder: PathBuf,
    /// The robot, if it is not to be read from the file that the text names.
    pub robot: Option<Robot>,
    /// Residuals by name: what the text calls `kind = "own"`, `function = "NAME"`.
    pub own: Vec<(String, OwnResidual)>,
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own: Vec<_> = self.own.iter().map(|(name, _)| name).collect();
        f.debug_struct("Given").field("folder", &self.folder).field("robot", &self.robot).field("own", &own).finish()
    }
}
