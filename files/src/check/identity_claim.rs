//! What must hold of results, by name.

/// What must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The mass matrix is symmetric.
    Symmetric,
    /// The mass matrix is positive definite.
    Positive,
    /// Torques are linear in accelerations, by the mass matrix.
    Linear,
    /// `dM/dt − 2 C` is skew-symmetric.
    Skew,
    /// The rate of the energy is the power.
    Power,
    /// Gravity's torques are those of the weight at the center of mass.
    Weight,
    /// The rate of momentum is the total wrench.
    MomentumRate,
    /// The regressor times the parameters is the torques.
    Regressor,
    /// Jacobian rates are rates of Jacobians.
    FrameRate,
    /// The gradient of a combination of torques is the combination of derivatives.
    RneaGradient,
    /// Forward dynamics undo inverse dynamics.
    RoundTrip,
    /// The mass matrix times its inverse is the identity.
    Inverse,
    /// The gradient of a combination of accelerations is the combination of derivatives.
    AbaGradient,
}

impl Claim {
    pub(super) const ALL: [Self; 13] = [
        Self::Symmetric,
        Self::Positive,
        Self::Linear,
        Self::Skew,
        Self::Power,
        Self::Weight,
        Self::MomentumRate,
        Self::Regressor,
        Self::FrameRate,
        Self::RneaGradient,
        Self::RoundTrip,
        Self::Inverse,
        Self::AbaGradient,
    ];

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Symmetric => "M = Mᵀ",
            Self::Positive => "xᵀ M x ≥ 0",
            Self::Linear => "τ(a) − τ(0) = M a",
            Self::Skew => "xᵀ (Ṁ − 2 C) x = 0",
            Self::Power => "vᵀ τ = d/dt (kinetic + potential energy)",
            Self::Weight => "gravity = −m g ∂com/∂q",
            Self::MomentumRate => "d/dt (A v) = A a + Ȧ v",
            Self::Regressor => "Y π = τ",
            Self::FrameRate => "frame acceleration = J a + J̇ v",
            Self::RneaGradient => "∇(λᵀ τ) = λᵀ ∂τ",
            Self::RoundTrip => "τ(q̈(τ)) = τ",
            Self::Inverse => "M ∂q̈/∂τ = 1",
            Self::AbaGradient => "∇(λᵀ q̈) = λᵀ ∂q̈",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Symmetric => "mass_matrix_symmetric",
            Self::Positive => "mass_matrix_positive_semidefinite",
            Self::Linear => "tau_linear_in_a",
            Self::Skew => "mass_matrix_rate_less_twice_coriolis_skew",
            Self::Power => "power_is_rate_of_energy",
            Self::Weight => "gravity_by_center_of_mass",
            Self::MomentumRate => "momentum_rate_by_centroidal_matrix",
            Self::Regressor => "regressor_times_parameters",
            Self::FrameRate => "frame_acceleration_by_jacobian_rate",
            Self::RneaGradient => "gradient_of_lambda_tau",
            Self::RoundTrip => "tau_of_ddq",
            Self::Inverse => "mass_matrix_times_ddq_dtau",
            Self::AbaGradient => "gradient_of_lambda_ddq",
        }
    }

    /// Whether it is answered by yes or no.
    pub fn is_yes_or_no(self) -> bool {
        self == Self::Positive
    }

    pub(super) fn needs_accelerations(self) -> bool {
        matches!(self, Self::RoundTrip | Self::Inverse | Self::AbaGradient)
    }
}
