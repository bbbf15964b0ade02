//! What can be claimed of a state: quantities, their shapes, and what they are derivatives of.

use super::coordinates::Coordinates;
use crate::constraints::Constraints;
use crate::quantity::{self, Quantity};
use gradyn::dynamics::ReferenceFrame;

/// A quantity, or the part of one that belongs to a link, or is a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) quantity: Quantity,
    /// A link, a frame, or a field such as `kinetic`; empty if the quantity has no parts.
    pub(crate) part: String,
}

/// A function of the state, written once for every number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Torques,
    Accelerations,
    Com,
    Momentum,
    /// The velocity of a frame.
    Frame(ReferenceFrame),
    /// Accelerations under constraints.
    Constrained,
    /// The multipliers of these.
    Multipliers,
    /// Velocities after an impact.
    After,
    /// The impulses of it.
    Impulses,
    /// How fast constraints are left, `J v`.
    Rates,
}

/// What it is differentiated by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Configuration,
    Velocity,
    Acceleration,
    Torque,
    /// The wrench on the link that the claim names.
    Wrench,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Jacobian(Output, Input),
    Value,
}

/// Names along an axis of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    /// A single number.
    One,
    Velocities,
    Wrench,
    Motion,
    Momentum,
    Space,
    /// Rows of constraints.
    Rows,
}

impl Axis {
    pub(crate) fn names(self, coordinates: &Coordinates, constraints: &Constraints) -> Vec<String> {
        let fixed: &[&str] = match self {
            Self::Velocities => return coordinates.v_names.clone(),
            Self::Rows => return constraints.rows.clone(),
            Self::One => &[""],
            Self::Wrench => &["fx", "fy", "fz", "nx", "ny", "nz"],
            Self::Motion => &["vx", "vy", "vz", "wx", "wy", "wz"],
            Self::Momentum => &["px", "py", "pz", "lx", "ly", "lz"],
            Self::Space => &["x", "y", "z"],
        };
        fixed.iter().copied().map(String::from).collect()
    }
}

impl Claimed {
    /// From a name such as `dtau_dq`, `dtau_df_ext.LINK`, `energy.kinetic`.
    pub(super) fn parse(key: &str) -> Result<Self, String> {
        let (head, part) = key.split_once('.').map_or((key, ""), |(head, part)| (head, part));
        let quantity = quantity::parse(head).map_err(|expected| {
            format!("unknown quantity; {expected}, or of the inputs q, v, a, tau, tau_given, f_ext.LINK")
        })?;
        let fields: &[&str] = match quantity {
            quantity if quantity.is_by_wrench() && part.is_empty() => {
                return Err(format!("expected {head}.LINK, for a link with a wrench"));
            }
            Quantity::FrameJacobians if part.is_empty() => {
                return Err(format!("expected {head}.FRAME, for a link or joint"));
            }
            quantity if quantity.is_by_wrench() || quantity == Quantity::FrameJacobians => &[part],
            Quantity::Energy => &["kinetic", "potential"],
            Quantity::Com => &["mass", "position", "velocity", "acceleration"],
            Quantity::Centroidal => &["matrix", "matrix_rate", "momentum", "momentum_rate"],
            _ => &[""],
        };
        if !fields.contains(&part) {
            let expected = match fields {
                [""] => format!("expected `{head}` alone"),
                fields => format!("expected one of {}", fields.join(", ")),
            };
            return Err(format!("unknown part `{part}`; {expected}"));
        }
        Ok(Self { quantity, part: part.to_owned() })
    }

    /// As in files.
    pub(crate) fn name(&self) -> String {
        let name = self.quantity.name();
        if self.part.is_empty() { name.to_owned() } else { format!("{name}.{}", self.part) }
    }

    /// As people write it.
    pub(crate) fn symbol(&self) -> String {
        let symbol = self.quantity.symbol();
        if symbol == self.quantity.name() {
            return self.name();
        }
        if self.part.is_empty() { symbol.to_owned() } else { format!("{symbol} {}", self.part) }
    }

    pub(crate) fn meaning(&self, reference: ReferenceFrame) -> Meaning {
        use Input::{Acceleration, Configuration, Torque, Velocity, Wrench};
        use Meaning::{Jacobian, Value};
        match (self.quantity, self.part.as_str()) {
            (Quantity::DtauDq, _) => Jacobian(Output::Torques, Configuration),
            (Quantity::DtauDv, _) => Jacobian(Output::Torques, Velocity),
            (Quantity::MassMatrix | Quantity::DtauDa, _) => Jacobian(Output::Torques, Acceleration),
            (Quantity::DtauDfExt, _) => Jacobian(Output::Torques, Wrench),
            (Quantity::DdqDq, _) => Jacobian(Output::Accelerations, Configuration),
            (Quantity::DdqDv, _) => Jacobian(Output::Accelerations, Velocity),
            (Quantity::DdqDtau | Quantity::MassMatrixInverse, _) => Jacobian(Output::Accelerations, Torque),
            (Quantity::DdqDfExt, _) => Jacobian(Output::Accelerations, Wrench),
            (Quantity::ComJacobian, _) => Jacobian(Output::Com, Configuration),
            (Quantity::Centroidal, "matrix") => Jacobian(Output::Momentum, Velocity),
            (Quantity::FrameJacobians, _) => Jacobian(Output::Frame(reference), Velocity),
            (Quantity::ConstrainedDdqDq, _) => Jacobian(Output::Constrained, Configuration),
            (Quantity::ConstrainedDdqDv, _) => Jacobian(Output::Constrained, Velocity),
            (Quantity::ConstrainedDdqDtau, _) => Jacobian(Output::Constrained, Torque),
            (Quantity::ConstrainedDdqDfExt, _) => Jacobian(Output::Constrained, Wrench),
            (Quantity::ConstraintForcesDq, _) => Jacobian(Output::Multipliers, Configuration),
            (Quantity::ConstraintForcesDv, _) => Jacobian(Output::Multipliers, Velocity),
            (Quantity::ConstraintForcesDtau, _) => Jacobian(Output::Multipliers, Torque),
            (Quantity::ConstraintForcesDfExt, _) => Jacobian(Output::Multipliers, Wrench),
            (Quantity::ImpulseVDq, _) => Jacobian(Output::After, Configuration),
            (Quantity::ImpulseVDv, _) => Jacobian(Output::After, Velocity),
            (Quantity::ImpulseDq, _) => Jacobian(Output::Impulses, Configuration),
            (Quantity::ImpulseDv, _) => Jacobian(Output::Impulses, Velocity),
            (Quantity::ConstraintJacobian, _) => Jacobian(Output::Rates, Velocity),
            _ => Value,
        }
    }

    /// Rows and columns.
    pub(crate) fn axes(&self) -> (Axis, Axis) {
        let rows = if self.quantity.is_of_rows() { Axis::Rows } else { Axis::Velocities };
        match (self.quantity, self.part.as_str()) {
            (Quantity::Tau | Quantity::Ddq | Quantity::Bias | Quantity::Gravity, _) => (Axis::Velocities, Axis::One),
            (Quantity::ConstrainedDdq | Quantity::ImpulseV, _) => (Axis::Velocities, Axis::One),
            (Quantity::ConstraintForces | Quantity::Impulse, _) => (Axis::Rows, Axis::One),
            (Quantity::ConstraintError | Quantity::ConstraintBias, _) => (Axis::Rows, Axis::One),
            (Quantity::ConstraintRank, _) => (Axis::One, Axis::One),
            (quantity, _) if quantity.is_by_wrench() => (rows, Axis::Wrench),
            (Quantity::FrameJacobians | Quantity::JointJacobians, _) => (Axis::Motion, Axis::Velocities),
            (Quantity::Energy, _) | (Quantity::Com, "mass") => (Axis::One, Axis::One),
            (Quantity::Com, _) => (Axis::Space, Axis::One),
            (Quantity::ComJacobian, _) => (Axis::Space, Axis::Velocities),
            (Quantity::Centroidal, "matrix" | "matrix_rate") => (Axis::Momentum, Axis::Velocities),
            (Quantity::Centroidal, _) => (Axis::Momentum, Axis::One),
            _ => (rows, Axis::Velocities),
        }
    }

    /// Are its columns derivatives by the configuration?
    pub(super) fn is_by_configuration(&self) -> bool {
        matches!(
            self.quantity,
            Quantity::DtauDq
                | Quantity::DdqDq
                | Quantity::ComJacobian
                | Quantity::ConstrainedDdqDq
                | Quantity::ConstraintForcesDq
                | Quantity::ImpulseVDq
                | Quantity::ImpulseDq
        )
    }

    /// Which of `v`, `a` and torques it depends on.
    pub(super) fn needs(&self) -> [(&'static str, bool); 3] {
        let field = self.part.as_str();
        let (v, a) = match self.quantity {
            Quantity::Tau | Quantity::DtauDq => (true, true),
            Quantity::DtauDv | Quantity::Coriolis | Quantity::Bias => (true, false),
            Quantity::Com => (matches!(field, "velocity" | "acceleration"), field == "acceleration"),
            Quantity::Centroidal => (field != "matrix", field == "momentum_rate"),
            Quantity::Energy => (field == "kinetic", false),
            Quantity::DdqDtau | Quantity::ConstrainedDdqDtau | Quantity::ConstraintForcesDtau => (false, false),
            Quantity::ImpulseVDv | Quantity::ImpulseDv => (false, false),
            Quantity::ConstraintBias => (true, false),
            quantity => (quantity.needs_tau() || quantity.is_of_impulses(), false),
        };
        let tau = matches!(
            self.quantity,
            Quantity::Ddq
                | Quantity::DdqDq
                | Quantity::ConstrainedDdq
                | Quantity::ConstrainedDdqDq
                | Quantity::ConstraintForces
                | Quantity::ConstraintForcesDq
        );
        [("v", v), ("a", a), ("tau", tau)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["tau", "dtau_dq", "dtau_df_ext.tip.of.tool", "energy.kinetic", "com.position", "centroidal.matrix"]
        {
            assert_eq!(Claimed::parse(name).map(|claimed| claimed.name()), Ok(name.to_owned()));
        }
        for (wrong, part) in [
            ("torque", "mass_matrix"),
            ("dtau_dq.x", "`dtau_dq` alone"),
            ("energy", "kinetic, potential"),
            ("energy.total", "kinetic, potential"),
            ("dtau_df_ext", "dtau_df_ext.LINK"),
        ] {
            assert!(Claimed::parse(wrong).is_err_and(|message| message.contains(part)), "{wrong}");
        }
    }
}
