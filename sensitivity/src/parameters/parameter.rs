//! One parameter, with its name, value and unit.

use super::Kind;

/// One number of a robot, or of the state that it starts in.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) nominal: f64,
}

impl Parameter {
    /// Its name, `element.kind` or `element.kind.component`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Its value in the given robot. Parameters that are deviations are zero there: placements, axes, states at the
    /// start.
    #[must_use]
    pub fn nominal(&self) -> f64 {
        self.nominal
    }
    /// Its unit; with a bar, that of a revolute and of a prismatic joint.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.kind.unit()
    }
    /// What is held constant while it varies: derivatives by a mass differ if moments about the origin are held.
    #[must_use]
    pub fn held(&self) -> &'static str {
        self.kind.held()
    }
    /// Whether no robot has a negative value: it is a friction, a damping or an armature.
    #[must_use]
    pub fn is_never_negative(&self) -> bool {
        self.kind.is_never_negative()
    }
    /// Whether it changes the state at the start, and not the robot.
    #[must_use]
    pub fn is_of_the_start(&self) -> bool {
        self.kind.is_of_the_start()
    }
}
