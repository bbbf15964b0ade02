//! What parameters there are beside those of the robot itself.

use gradyn::Model;
use gradyn::model::ParameterId;

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A number of the robot.
    Robot(ParameterId),
    /// Of the state at the start, by degree of freedom.
    StartQ(usize),
    StartV(usize),
    /// The bias of a torque sensor, by degree of freedom.
    TorqueOffset(usize),
    /// The torque of a motor for each unit of its control, by degree of freedom.
    TorqueConstant(usize),
    /// A user's own, with its unit.
    Own(&'static str),
}

impl Kind {
    /// The number of the robot, if it is one.
    pub(crate) fn robot(self) -> Option<ParameterId> {
        match self {
            Self::Robot(id) => Some(id),
            _ => None,
        }
    }

    /// The body whose inertia it changes, by its place.
    pub(crate) fn inertia_of(self) -> Option<usize> {
        self.robot()?.inertia_of().map(|body| body.index())
    }

    /// Its unit.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::Robot(id) => id.unit(),
            Self::TorqueOffset(_) => "N m|N",
            Self::TorqueConstant(_) => "N m|N for a unit of control",
            Self::StartQ(_) => "rad|m",
            Self::StartV(_) => "rad/s|m/s",
            Self::Own(unit) => unit,
        }
    }

    /// What is held constant while it varies.
    pub(crate) fn held(self) -> &'static str {
        match self {
            Self::Robot(id) => id.held(),
            Self::StartQ(_) | Self::StartV(_) => "the rest of the state at the start",
            Self::TorqueOffset(_) => "the robot: it is of what measures torques",
            Self::TorqueConstant(_) => "the robot, and the controls of its motors",
            Self::Own(_) => "everything else",
        }
    }

    /// Whether it is a number of a joint of which no robot has a negative one. Masses and densities are not among these: inertias are
    /// consistent as a whole or not.
    pub(crate) fn is_never_negative(self) -> bool {
        let is_of_inertia =
            |id| matches!(id, ParameterId::Mass(_) | ParameterId::Density(_) | ParameterId::PointMass(_));
        self.robot().is_some_and(|id| id.is_never_negative() && !is_of_inertia(id))
    }

    /// Whether it changes the state at the start, and not the robot.
    pub(crate) fn is_of_the_start(self) -> bool {
        matches!(self, Self::StartQ(_) | Self::StartV(_))
    }
}

/// All parameters of a robot, by name: those of [`Model::parameters`] but point masses, which payloads describe too,
/// then those of sensors and of the start.
pub(super) fn all(model: &Model) -> Vec<super::Parameter> {
    let mut all: Vec<super::Parameter> = Vec::new();
    for (name, id, nominal) in model.parameters() {
        if !matches!(id, ParameterId::PointMass(_)) {
            all.push(super::Parameter { name, kind: Kind::Robot(id), nominal });
        }
    }
    let known: std::collections::BTreeSet<String> = all.iter().map(|parameter| parameter.name.clone()).collect();
    let dofs = model.dof_names();
    let of = |name: fn(&str) -> String, kind: fn(usize) -> Kind| {
        let named = dofs.iter().enumerate().map(move |(k, dof)| (name(dof), kind(k)));
        named.collect::<Vec<_>>()
    };
    let more = [
        of(|dof| format!("{dof}.torque_offset"), Kind::TorqueOffset),
        of(|dof| format!("state.q.{dof}"), Kind::StartQ),
        of(|dof| format!("state.v.{dof}"), Kind::StartV),
    ];
    let constants = super::motors::constants(model).into_iter();
    let constants = constants.map(|(k, gear)| (format!("{}.torque_constant", dofs[k]), Kind::TorqueConstant(k), gear));
    // The first of a name counts.
    let more = more.into_iter().flatten().map(|(name, kind)| (name, kind, 0.0)).chain(constants);
    let more = more.filter(|(name, ..)| !known.contains(name));
    all.extend(more.map(|(name, kind, nominal)| super::Parameter { name, kind, nominal }));
    all
}
