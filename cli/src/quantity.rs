//! What `evaluate` computes at a state.

/// A quantity that can be asked for. Its name is its field in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Tau,
    MassMatrix,
    DtauDq,
    DtauDv,
    DtauDa,
    DtauDfExt,
    Ddq,
    DdqDq,
    DdqDv,
    DdqDtau,
    DdqDfExt,
    MassMatrixInverse,
    Coriolis,
    Bias,
    Gravity,
    Energy,
    FrameJacobians,
    JointJacobians,
    Com,
    ComJacobian,
    Centroidal,
    ConstrainedDdq,
    ConstrainedDdqDq,
    ConstrainedDdqDv,
    ConstrainedDdqDtau,
    ConstrainedDdqDfExt,
    ConstraintForces,
    ConstraintForcesDq,
    ConstraintForcesDv,
    ConstraintForcesDtau,
    ConstraintForcesDfExt,
    ImpulseV,
    ImpulseVDq,
    ImpulseVDv,
    Impulse,
    ImpulseDq,
    ImpulseDv,
    ConstraintRank,
    ConstraintError,
    ConstraintJacobian,
    ConstraintBias,
}

impl Quantity {
    /// All, in the order of the answer.
    pub(crate) const ALL: [Self; 41] = [
        Self::Tau,
        Self::MassMatrix,
        Self::DtauDq,
        Self::DtauDv,
        Self::DtauDa,
        Self::DtauDfExt,
        Self::Ddq,
        Self::DdqDq,
        Self::DdqDv,
        Self::DdqDtau,
        Self::DdqDfExt,
        Self::MassMatrixInverse,
        Self::Coriolis,
        Self::Bias,
        Self::Gravity,
        Self::Energy,
        Self::FrameJacobians,
        Self::JointJacobians,
        Self::Com,
        Self::ComJacobian,
        Self::Centroidal,
        Self::ConstrainedDdq,
        Self::ConstrainedDdqDq,
        Self::ConstrainedDdqDv,
        Self::ConstrainedDdqDtau,
        Self::ConstrainedDdqDfExt,
        Self::ConstraintForces,
        Self::ConstraintForcesDq,
        Self::ConstraintForcesDv,
        Self::ConstraintForcesDtau,
        Self::ConstraintForcesDfExt,
        Self::ImpulseV,
        Self::ImpulseVDq,
        Self::ImpulseVDv,
        Self::Impulse,
        Self::ImpulseDq,
        Self::ImpulseDv,
        Self::ConstraintRank,
        Self::ConstraintError,
        Self::ConstraintJacobian,
        Self::ConstraintBias,
    ];

    /// What is answered if nothing is asked for.
    pub(crate) const DEFAULT: [Self; 6] =
        [Self::Tau, Self::MassMatrix, Self::DtauDq, Self::DtauDv, Self::DtauDa, Self::DtauDfExt];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tau => "tau",
            Self::MassMatrix => "mass_matrix",
            Self::DtauDq => "dtau_dq",
            Self::DtauDv => "dtau_dv",
            Self::DtauDa => "dtau_da",
            Self::DtauDfExt => "dtau_df_ext",
            Self::Ddq => "ddq",
            Self::DdqDq => "ddq_dq",
            Self::DdqDv => "ddq_dv",
            Self::DdqDtau => "ddq_dtau",
            Self::DdqDfExt => "ddq_df_ext",
            Self::MassMatrixInverse => "mass_matrix_inverse",
            Self::Coriolis => "coriolis",
            Self::Bias => "bias",
            Self::Gravity => "gravity",
            Self::Energy => "energy",
            Self::FrameJacobians => "frame_jacobians",
            Self::JointJacobians => "joint_jacobians",
            Self::Com => "com",
            Self::ComJacobian => "com_jacobian",
            Self::Centroidal => "centroidal",
            Self::ConstrainedDdq => "constrained_ddq",
            Self::ConstrainedDdqDq => "constrained_ddq_dq",
            Self::ConstrainedDdqDv => "constrained_ddq_dv",
            Self::ConstrainedDdqDtau => "constrained_ddq_dtau",
            Self::ConstrainedDdqDfExt => "constrained_ddq_df_ext",
            Self::ConstraintForces => "constraint_forces",
            Self::ConstraintForcesDq => "constraint_forces_dq",
            Self::ConstraintForcesDv => "constraint_forces_dv",
            Self::ConstraintForcesDtau => "constraint_forces_dtau",
            Self::ConstraintForcesDfExt => "constraint_forces_df_ext",
            Self::ImpulseV => "impulse_v",
            Self::ImpulseVDq => "impulse_v_dq",
            Self::ImpulseVDv => "impulse_v_dv",
            Self::Impulse => "impulse",
            Self::ImpulseDq => "impulse_dq",
            Self::ImpulseDv => "impulse_dv",
            Self::ConstraintRank => "constraint_rank",
            Self::ConstraintError => "constraint_error",
            Self::ConstraintJacobian => "constraint_jacobian",
            Self::ConstraintBias => "constraint_bias",
        }
    }

    /// As people write it, where it has a symbol.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Tau => "τ",
            Self::MassMatrix => "M",
            Self::DtauDq => "∂τ/∂q",
            Self::DtauDv => "∂τ/∂v",
            Self::DtauDa => "∂τ/∂a",
            Self::DtauDfExt => "∂τ/∂f_ext",
            Self::Ddq => "q̈",
            Self::ConstrainedDdq => "q̈_c",
            Self::DdqDq => "∂q̈/∂q",
            Self::ConstrainedDdqDq => "∂q̈_c/∂q",
            Self::DdqDv => "∂q̈/∂v",
            Self::ConstrainedDdqDv => "∂q̈_c/∂v",
            Self::DdqDtau => "∂q̈/∂τ",
            Self::ConstrainedDdqDtau => "∂q̈_c/∂τ",
            Self::DdqDfExt => "∂q̈/∂f_ext",
            Self::ConstrainedDdqDfExt => "∂q̈_c/∂f_ext",
            Self::MassMatrixInverse => "M⁻¹",
            Self::ConstraintForces => "λ",
            Self::ConstraintForcesDq => "∂λ/∂q",
            Self::ConstraintForcesDv => "∂λ/∂v",
            Self::ConstraintForcesDtau => "∂λ/∂τ",
            Self::ConstraintForcesDfExt => "∂λ/∂f_ext",
            Self::ImpulseV => "v⁺",
            Self::ImpulseVDq => "∂v⁺/∂q",
            Self::ImpulseVDv => "∂v⁺/∂v",
            Self::Impulse => "Λ",
            Self::ImpulseDq => "∂Λ/∂q",
            Self::ImpulseDv => "∂Λ/∂v",
            _ => self.name(),
        }
    }

    /// Does it come from inverse dynamics, or one of its derivatives?
    pub(crate) fn is_of_torques(self) -> bool {
        Self::DEFAULT.contains(&self)
    }

    /// Does it come from forward dynamics, or one of its derivatives?
    pub(crate) fn is_of_accelerations(self) -> bool {
        matches!(self, Self::Ddq | Self::DdqDq | Self::DdqDv | Self::DdqDtau | Self::DdqDfExt)
    }

    /// Does it come from forward dynamics under constraints, or one of its derivatives?
    pub(crate) fn is_of_constrained(self) -> bool {
        matches!(
            self,
            Self::ConstrainedDdq
                | Self::ConstrainedDdqDq
                | Self::ConstrainedDdqDv
                | Self::ConstrainedDdqDtau
                | Self::ConstrainedDdqDfExt
                | Self::ConstraintForces
                | Self::ConstraintForcesDq
                | Self::ConstraintForcesDv
                | Self::ConstraintForcesDtau
                | Self::ConstraintForcesDfExt
        )
    }

    /// Does it come from an impulse, or one of its derivatives?
    pub(crate) fn is_of_impulses(self) -> bool {
        matches!(
            self,
            Self::ImpulseV | Self::ImpulseVDq | Self::ImpulseVDv | Self::Impulse | Self::ImpulseDq | Self::ImpulseDv
        )
    }

    /// Has it a row for each row of the constraints?
    pub(crate) fn is_of_rows(self) -> bool {
        matches!(
            self,
            Self::ConstraintForces
                | Self::ConstraintForcesDq
                | Self::ConstraintForcesDv
                | Self::ConstraintForcesDtau
                | Self::ConstraintForcesDfExt
                | Self::Impulse
                | Self::ImpulseDq
                | Self::ImpulseDv
                | Self::ConstraintError
                | Self::ConstraintJacobian
                | Self::ConstraintBias
        )
    }

    /// Is it a derivative by wrenches, with a matrix for each link?
    pub(crate) fn is_by_wrench(self) -> bool {
        matches!(self, Self::DtauDfExt | Self::DdqDfExt | Self::ConstrainedDdqDfExt | Self::ConstraintForcesDfExt)
    }

    /// Is it a function of torques?
    pub(crate) fn needs_tau(self) -> bool {
        self.is_of_accelerations() || self.is_of_constrained()
    }

    /// Is there none without constraints?
    pub(crate) fn needs_constraints(self) -> bool {
        self == Self::ConstraintRank || self.is_of_rows() || self.is_of_constrained() || self.is_of_impulses()
    }
}

/// The quantity of this name.
pub(crate) fn parse(name: &str) -> Result<Quantity, String> {
    let name = name.trim();
    Quantity::ALL.into_iter().find(|quantity| quantity.name() == name).ok_or_else(|| {
        let names = Quantity::ALL.map(Quantity::name).join(", ");
        format!("expected some of: {names}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_is_known_by_its_name() {
        for known in Quantity::ALL {
            assert_eq!(parse(known.name()), Ok(known));
        }
        assert!(parse("Tau").is_err_and(|message| message.contains("mass_matrix")));
    }
}
