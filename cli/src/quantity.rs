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
    Com,
    ComJacobian,
    Centroidal,
}

impl Quantity {
    /// All, in the order of the answer.
    pub(crate) const ALL: [Self; 20] = [
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
        Self::Com,
        Self::ComJacobian,
        Self::Centroidal,
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
            Self::Com => "com",
            Self::ComJacobian => "com_jacobian",
            Self::Centroidal => "centroidal",
        }
    }

    /// Does it come from inverse dynamics, or one of its derivatives?
    pub(crate) fn is_of_torques(self) -> bool {
        Self::DEFAULT.contains(&self)
    }

    /// Does it come from forward dynamics, or one of its derivatives?
    pub(crate) fn needs_tau(self) -> bool {
        matches!(self, Self::Ddq | Self::DdqDq | Self::DdqDv | Self::DdqDtau | Self::DdqDfExt)
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
