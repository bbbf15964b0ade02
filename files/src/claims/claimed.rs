//! What can be claimed of a state: quantities, their shapes, and what they are derivatives of.

use crate::quantity::{self, Axis, Field, Parts, Quantity};
use gradyn::dynamics::ReferenceFrame;

/// A quantity, or the part of one that belongs to a link, or is a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The quantity.
    pub quantity: Quantity,
    /// A link, a frame, or a field such as `kinetic`; empty if the quantity has no parts.
    pub part: String,
}

/// A function of the state, written once for every number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Torques of inverse dynamics, nv.
    Torques,
    /// Accelerations of forward dynamics, nv.
    Accelerations,
    /// The center of mass, 3.
    Com,
    /// Centroidal momentum, 6.
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
pub enum Input {
    /// Motions of the configuration.
    Configuration,
    /// The velocity.
    Velocity,
    /// The acceleration.
    Acceleration,
    /// Torques of joints.
    Torque,
    /// The wrench on the link that the claim names.
    Wrench,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The derivative of a function of the state.
    Jacobian(Output, Input),
    /// Not a derivative: it is compared as it is.
    Value,
}

impl Claimed {
    /// From a name such as `dtau_dq`, `dtau_df_ext.LINK`, `energy.kinetic`.
    pub(super) fn parse(key: &str) -> Result<Self, String> {
        let (head, part) = key.split_once('.').map_or((key, ""), |(head, part)| (head, part));
        let quantity = quantity::parse(head).map_err(|expected| {
            format!("{expected}; inputs are q, v, a, tau, tau_given, f_ext.LINK, f_ext_world.LINK, lambda, direction.v")
        })?;
        let expected = match quantity.parts() {
            Parts::Whole => (!part.is_empty()).then(|| format!("unknown part `{part}`; expected `{head}` alone")),
            Parts::Fields(fields) => fields.iter().all(|field| field.name != part).then(|| {
                let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
                format!("unknown part `{part}`; expected one of {}", names.join(", "))
            }),
            _ if !part.is_empty() => None,
            Parts::Wrenches => Some(format!("expected {head}.LINK, for a link with a wrench")),
            Parts::Frames | Parts::Places => Some(format!("expected {head}.FRAME, for a link or joint")),
            Parts::Points => Some(format!("expected {head}.LINK,x,y,z, for a point of a link")),
            Parts::Pairs => Some(format!("expected {head}.A,B, for two links or joints")),
            Parts::Subtrees => Some(format!("expected {head}.LINK, for what hangs from its joint")),
            Parts::Bodies => Some(format!("expected {head}.LINK, for a link with a joint of its own")),
        };
        if let Some(expected) = expected {
            return Err(expected);
        }
        Ok(Self { quantity, part: part.to_owned() })
    }

    /// As in files.
    pub fn name(&self) -> String {
        let name = self.quantity.name();
        if self.part.is_empty() { name.to_owned() } else { format!("{name}.{}", self.part) }
    }

    /// As people write it.
    pub fn symbol(&self) -> String {
        let symbol = self.quantity.symbol();
        if symbol == self.quantity.name() {
            return self.name();
        }
        if self.part.is_empty() { symbol.to_owned() } else { format!("{symbol} {}", self.part) }
    }

    /// What the claim is about; `reference`: the coordinates of frames' motions.
    pub fn meaning(&self, reference: ReferenceFrame) -> Meaning {
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

    /// The field, of a quantity that has some.
    fn field(&self) -> Option<Field> {
        match self.quantity.parts() {
            Parts::Fields(fields) => fields.iter().find(|field| field.name == self.part).copied(),
            _ => None,
        }
    }

    /// Rows and columns.
    pub fn axes(&self) -> (Axis, Axis) {
        self.field().map_or_else(|| self.quantity.axes(), |field| field.axes)
    }

    /// The inputs besides `q` that it depends on, and whether it does.
    pub(super) fn needs(&self) -> [(&'static str, bool); 5] {
        let inputs = self.field().map_or_else(|| self.quantity.inputs(), |field| field.inputs);
        [("v", 'v'), ("a", 'a'), ("tau", 't'), ("lambda", 'l'), ("direction", 'd')]
            .map(|(input, letter)| (input, inputs.contains(letter)))
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
            ("mass_matrx", "did you mean `mass_matrix`"),
            ("dtau_dq.x", "`dtau_dq` alone"),
            ("energy", "kinetic, potential"),
            ("energy.total", "kinetic, potential"),
            ("dtau_df_ext", "dtau_df_ext.LINK"),
        ] {
            assert!(Claimed::parse(wrong).is_err_and(|message| message.contains(part)), "{wrong}");
        }
    }
}
