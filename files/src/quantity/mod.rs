//! What can be computed at a state: a table of names, shapes and inputs.

mod axis;
mod fields;

pub use axis::{Axis, Family, Field, Parts};

use crate::nearest::nearest;
use fields::{CENTROIDAL, COM, DDQ_GRADIENT, DDQ_HESSIAN, DDQ_PRODUCT, ENERGY, TAU_GRADIENT, TAU_HESSIAN, TAU_PRODUCT};
use std::fmt;

/// How a quantity comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By one algorithm.
    Value,
    /// A derivative, by any method.
    Derivative,
}

/// `Variant "name" "symbol": rows columns "inputs" parts family way;` with the inputs besides `q` that it depends on,
/// one letter each: `v`, `a`, `t` for torques, `l` for lambda, `d` for a direction.
macro_rules! quantities {
    ($($variant:ident $name:literal $symbol:literal: $rows:ident $columns:ident $inputs:literal $parts:expr, $family:ident $way:ident;)*) => {
        /// A quantity that can be asked for. Its name is its field in the answer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Quantity {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        /// All, in the order of the answer.
        const ALL: &[Quantity] = &[$(Quantity::$variant,)*];

        impl Quantity {
            fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        name: $name,
                        symbol: $symbol,
                        axes: (Axis::$rows, Axis::$columns),
                        inputs: $inputs,
                        parts: $parts,
                        family: Family::$family,
                        way: Way::$way,
                    },)*
                }
            }
        }
    };
}

/// A row of the table.
struct Row {
    name: &'static str,
    symbol: &'static str,
    axes: (Axis, Axis),
    inputs: &'static str,
    parts: Parts,
    family: Family,
    way: Way,
}

quantities! {
    Tau "tau" "τ": Dofs One "va" Parts::Whole, Torques Value;
    MassMatrix "mass_matrix" "M": Dofs Dofs "" Parts::Whole, Torques Value;
    DtauDq "dtau_dq" "∂τ/∂q": Dofs Dofs "va" Parts::Whole, Torques Derivative;
    DtauDv "dtau_dv" "∂τ/∂v": Dofs Dofs "v" Parts::Whole, Torques Derivative;
    DtauDa "dtau_da" "∂τ/∂a": Dofs Dofs "" Parts::Whole, Torques Derivative;
    DtauDfExt "dtau_df_ext" "∂τ/∂f_ext": Dofs Wrench "" Parts::Wrenches, Torques Derivative;

    Ddq "ddq" "q̈": Dofs One "vt" Parts::Whole, Accelerations Value;
    DdqDq "ddq_dq" "∂q̈/∂q": Dofs Dofs "vt" Parts::Whole, Accelerations Derivative;
    DdqDv "ddq_dv" "∂q̈/∂v": Dofs Dofs "v" Parts::Whole, Accelerations Derivative;
    DdqDtau "ddq_dtau" "∂q̈/∂τ": Dofs Dofs "" Parts::Whole, Accelerations Derivative;
    DdqDfExt "ddq_df_ext" "∂q̈/∂f_ext": Dofs Wrench "" Parts::Wrenches, Accelerations Derivative;

    MassMatrixInverse "mass_matrix_inverse" "M⁻¹": Dofs Dofs "" Parts::Whole, Masses Value;
    Coriolis "coriolis" "": Dofs Dofs "v" Parts::Whole, Masses Value;
    Energy "energy" "": One One "v" ENERGY, Masses Value;
    MassProduct "mass_product" "M a": Dofs One "a" Parts::Whole, Terms Value;
    MassProductDq "mass_product_dq" "∂(M a)/∂q": Dofs Dofs "a" Parts::Whole, Terms Derivative;
    Bias "bias" "": Dofs One "v" Parts::Whole, Terms Value;
    BiasDq "bias_dq" "∂bias/∂q": Dofs Dofs "v" Parts::Whole, Terms Derivative;
    BiasDv "bias_dv" "∂bias/∂v": Dofs Dofs "v" Parts::Whole, Terms Derivative;
    BiasDfExt "bias_df_ext" "∂bias/∂f_ext": Dofs Wrench "" Parts::Wrenches, Terms Derivative;
    Gravity "gravity" "": Dofs One "" Parts::Whole, Terms Value;
    GravityDq "gravity_dq" "∂gravity/∂q": Dofs Dofs "" Parts::Whole, Terms Derivative;
    StaticTorque "static_torque" "": Dofs One "" Parts::Whole, Terms Value;
    StaticTorqueDq "static_torque_dq" "∂static/∂q": Dofs Dofs "" Parts::Whole, Terms Derivative;
    StaticTorqueDfExt "static_torque_df_ext" "∂static/∂f_ext": Dofs Wrench "" Parts::Wrenches, Terms Derivative;
    WrenchTorques "wrench_torques" "Jᵀ f": Dofs One "" Parts::Wrenches, Terms Value;
    WrenchTorquesDq "wrench_torques_dq" "∂(Jᵀ f)/∂q": Dofs Dofs "" Parts::Wrenches, Terms Derivative;

    FramePlacements "frame_placements" "": Homogeneous Homogeneous "" Parts::Places, Frames Value;
    FrameVelocities "frame_velocities" "": Motion One "v" Parts::Frames, Frames Value;
    FrameVelocitiesDq "frame_velocities_dq" "": Motion Dofs "v" Parts::Frames, Frames Derivative;
    FrameVelocitiesDv "frame_velocities_dv" "": Motion Dofs "" Parts::Frames, Frames Derivative;
    FrameAccelerations "frame_accelerations" "": Motion One "va" Parts::Frames, Frames Value;
    FrameAccelerationsDq "frame_accelerations_dq" "": Motion Dofs "va" Parts::Frames, Frames Derivative;
    FrameAccelerationsDv "frame_accelerations_dv" "": Motion Dofs "v" Parts::Frames, Frames Derivative;
    FrameAccelerationsDa "frame_accelerations_da" "": Motion Dofs "" Parts::Frames, Frames Derivative;
    ClassicalAccelerations "classical_accelerations" "": Motion One "va" Parts::Frames, Frames Value;
    ClassicalAccelerationsDq "classical_accelerations_dq" "": Motion Dofs "va" Parts::Frames, Frames Derivative;
    ClassicalAccelerationsDv "classical_accelerations_dv" "": Motion Dofs "v" Parts::Frames, Frames Derivative;
    ClassicalAccelerationsDa "classical_accelerations_da" "": Motion Dofs "" Parts::Frames, Frames Derivative;
    FrameJacobians "frame_jacobians" "": Motion Dofs "" Parts::Frames, Frames Value;
    FrameJacobianRates "frame_jacobian_rates" "": Motion Dofs "v" Parts::Frames, Frames Value;
    FrameBiasAccelerations "frame_bias_accelerations" "": Motion One "v" Parts::Frames, Frames Value;
    ClassicalBiasAccelerations "classical_bias_accelerations" "": Motion One "v" Parts::Frames, Frames Value;
    RelativeJacobians "relative_jacobians" "": Motion Dofs "" Parts::Pairs, Frames Value;
    JointJacobians "joint_jacobians" "": Motion Dofs "" Parts::Whole, Frames Value;

    PointVelocities "point_velocities" "": Space One "v" Parts::Points, Points Value;
    PointVelocitiesDq "point_velocities_dq" "": Space Dofs "v" Parts::Points, Points Derivative;
    PointVelocitiesDv "point_velocities_dv" "": Space Dofs "" Parts::Points, Points Derivative;
    PointAccelerations "point_accelerations" "": Space One "va" Parts::Points, Points Value;
    PointAccelerationsDq "point_accelerations_dq" "": Space Dofs "va" Parts::Points, Points Derivative;
    PointAccelerationsDv "point_accelerations_dv" "": Space Dofs "v" Parts::Points, Points Derivative;
    PointAccelerationsDa "point_accelerations_da" "": Space Dofs "" Parts::Points, Points Derivative;

    Com "com" "": Space One "va" COM, Centers Value;
    ComJacobian "com_jacobian" "": Space Dofs "" Parts::Whole, Centers Value;
    ComPositionDq "com_position_dq" "": Space Dofs "" Parts::Whole, Centers Derivative;
    ComVelocityDq "com_velocity_dq" "": Space Dofs "v" Parts::Whole, Centers Derivative;
    ComVelocityDv "com_velocity_dv" "": Space Dofs "" Parts::Whole, Centers Derivative;
    ComAccelerationDq "com_acceleration_dq" "": Space Dofs "va" Parts::Whole, Centers Derivative;
    ComAccelerationDv "com_acceleration_dv" "": Space Dofs "v" Parts::Whole, Centers Derivative;
    ComAccelerationDa "com_acceleration_da" "": Space Dofs "" Parts::Whole, Centers Derivative;
    SubtreePositions "subtree_com_positions" "": Space One "" Parts::Subtrees, Centers Value;
    SubtreeVelocities "subtree_com_velocities" "": Space One "v" Parts::Subtrees, Centers Value;
    SubtreeAccelerations "subtree_com_accelerations" "": Space One "va" Parts::Subtrees, Centers Value;
    SubtreePositionsDq "subtree_com_positions_dq" "": Space Dofs "" Parts::Subtrees, Centers Derivative;
    SubtreeVelocitiesDq "subtree_com_velocities_dq" "": Space Dofs "v" Parts::Subtrees, Centers Derivative;
    SubtreeVelocitiesDv "subtree_com_velocities_dv" "": Space Dofs "" Parts::Subtrees, Centers Derivative;
    SubtreeAccelerationsDq "subtree_com_accelerations_dq" "": Space Dofs "va" Parts::Subtrees, Centers Derivative;
    SubtreeAccelerationsDv "subtree_com_accelerations_dv" "": Space Dofs "v" Parts::Subtrees, Centers Derivative;
    SubtreeAccelerationsDa "subtree_com_accelerations_da" "": Space Dofs "" Parts::Subtrees, Centers Derivative;

    Centroidal "centroidal" "": Momentum One "va" CENTROIDAL, Momenta Value;
    MomentumDq "momentum_dq" "∂h/∂q": Momentum Dofs "v" Parts::Whole, Momenta Derivative;
    MomentumDv "momentum_dv" "∂h/∂v": Momentum Dofs "" Parts::Whole, Momenta Derivative;
    MomentumRateDq "momentum_rate_dq" "∂ḣ/∂q": Momentum Dofs "va" Parts::Whole, Momenta Derivative;
    MomentumRateDv "momentum_rate_dv" "∂ḣ/∂v": Momentum Dofs "v" Parts::Whole, Momenta Derivative;
    MomentumRateDa "momentum_rate_da" "∂ḣ/∂a": Momentum Dofs "" Parts::Whole, Momenta Derivative;

    PseudoInertias "pseudo_inertias" "": Homogeneous Homogeneous "" Parts::Bodies, Regressors Value;
    LogCholeskyParameters "log_cholesky_parameters" "": Shape One "" Parts::Bodies, Regressors Value;
    LogCholeskyJacobians "log_cholesky_jacobians" "": Body Shape "" Parts::Bodies, Regressors Value;
    InertialParameters "inertial_parameters" "": Bodies One "" Parts::Whole, Regressors Value;
    TorqueRegressor "torque_regressor" "": Dofs Bodies "va" Parts::Whole, Regressors Value;
    StaticTorqueRegressor "static_torque_regressor" "": Dofs Bodies "" Parts::Whole, Regressors Value;
    ComRegressor "com_regressor" "": Space Masses "" Parts::Whole, Regressors Value;
    KineticEnergyRegressor "kinetic_energy_regressor" "": One Bodies "v" Parts::Whole, Regressors Value;
    PotentialEnergyRegressor "potential_energy_regressor" "": One Bodies "" Parts::Whole, Regressors Value;
    FrameWrenchRegressors "frame_wrench_regressors" "": Wrench Body "va" Parts::Places, Regressors Value;
    KinematicRegressors "kinematic_regressors" "": Motion Placements "" Parts::Frames, Regressors Value;

    D2tauDqdq "d2tau_dqdq" "∂²τ/∂q∂q": Dofs DofPairs "va" Parts::Whole, TorqueTensors Derivative;
    D2tauDqdv "d2tau_dqdv" "∂²τ/∂q∂v": Dofs DofPairs "v" Parts::Whole, TorqueTensors Derivative;
    D2tauDvdv "d2tau_dvdv" "∂²τ/∂v∂v": Dofs DofPairs "v" Parts::Whole, TorqueTensors Derivative;
    D2tauDadq "d2tau_dadq" "∂²τ/∂a∂q": Dofs DofPairs "" Parts::Whole, TorqueTensors Derivative;
    D2ddqDqdq "d2ddq_dqdq" "∂²q̈/∂q∂q": Dofs DofPairs "vt" Parts::Whole, AccelerationTensors Derivative;
    D2ddqDqdv "d2ddq_dqdv" "∂²q̈/∂q∂v": Dofs DofPairs "v" Parts::Whole, AccelerationTensors Derivative;
    D2ddqDvdv "d2ddq_dvdv" "∂²q̈/∂v∂v": Dofs DofPairs "v" Parts::Whole, AccelerationTensors Derivative;
    D2ddqDqdtau "d2ddq_dqdtau" "∂²q̈/∂q∂τ": Dofs DofPairs "" Parts::Whole, AccelerationTensors Derivative;

    TauGradient "tau_gradient" "∇(λᵀτ)": Dofs One "val" TAU_GRADIENT, Contractions Value;
    TauHessian "tau_hessian" "∇²(λᵀτ)": Dofs Dofs "val" TAU_HESSIAN, Contractions Value;
    TauHessianProduct "tau_hessian_product" "∇²(λᵀτ) x": Dofs One "vald" TAU_PRODUCT, Contractions Value;
    DdqGradient "ddq_gradient" "∇(λᵀq̈)": Dofs One "vtl" DDQ_GRADIENT, Contractions Value;
    DdqHessian "ddq_hessian" "∇²(λᵀq̈)": Dofs Dofs "vtl" DDQ_HESSIAN, Contractions Derivative;
    DdqHessianProduct "ddq_hessian_product" "∇²(λᵀq̈) x": Dofs One "vtld" DDQ_PRODUCT, Contractions Value;

    ConstrainedDdq "constrained_ddq" "q̈_c": Dofs One "vt" Parts::Whole, Constrained Value;
    ConstrainedDdqDq "constrained_ddq_dq" "∂q̈_c/∂q": Dofs Dofs "vt" Parts::Whole, Constrained Derivative;
    ConstrainedDdqDv "constrained_ddq_dv" "∂q̈_c/∂v": Dofs Dofs "v" Parts::Whole, Constrained Derivative;
    ConstrainedDdqDtau "constrained_ddq_dtau" "∂q̈_c/∂τ": Dofs Dofs "" Parts::Whole, Constrained Derivative;
    ConstrainedDdqDfExt "constrained_ddq_df_ext" "∂q̈_c/∂f_ext": Dofs Wrench "" Parts::Wrenches, Constrained Derivative;
    ConstraintForces "constraint_forces" "λ": Rows One "vt" Parts::Whole, Constrained Value;
    ConstraintForcesDq "constraint_forces_dq" "∂λ/∂q": Rows Dofs "vt" Parts::Whole, Constrained Derivative;
    ConstraintForcesDv "constraint_forces_dv" "∂λ/∂v": Rows Dofs "v" Parts::Whole, Constrained Derivative;
    ConstraintForcesDtau "constraint_forces_dtau" "∂λ/∂τ": Rows Dofs "" Parts::Whole, Constrained Derivative;
    ConstraintForcesDfExt "constraint_forces_df_ext" "∂λ/∂f_ext": Rows Wrench "" Parts::Wrenches, Constrained Derivative;
    ImpulseV "impulse_v" "v⁺": Dofs One "v" Parts::Whole, Impulses Value;
    ImpulseVDq "impulse_v_dq" "∂v⁺/∂q": Dofs Dofs "v" Parts::Whole, Impulses Derivative;
    ImpulseVDv "impulse_v_dv" "∂v⁺/∂v": Dofs Dofs "" Parts::Whole, Impulses Derivative;
    Impulse "impulse" "Λ": Rows One "v" Parts::Whole, Impulses Value;
    ImpulseDq "impulse_dq" "∂Λ/∂q": Rows Dofs "v" Parts::Whole, Impulses Derivative;
    ImpulseDv "impulse_dv" "∂Λ/∂v": Rows Dofs "" Parts::Whole, Impulses Derivative;
    ConstraintRank "constraint_rank" "": One One "" Parts::Whole, Constraints Value;
    ConstraintError "constraint_error" "": Rows One "" Parts::Whole, Constraints Value;
    ConstraintJacobian "constraint_jacobian" "": Rows Dofs "" Parts::Whole, Constraints Value;
    ConstraintBias "constraint_bias" "": Rows One "v" Parts::Whole, Constraints Value;
}

impl Quantity {
    /// What is answered if nothing is asked for.
    pub const DEFAULT: [Self; 6] =
        [Self::Tau, Self::MassMatrix, Self::DtauDq, Self::DtauDv, Self::DtauDa, Self::DtauDfExt];

    /// All, in the order of the answer.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    /// Its key in the answer.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// As people write it, where it has a symbol.
    pub fn symbol(self) -> &'static str {
        let Row { name, symbol, .. } = self.row();
        if symbol.is_empty() { name } else { symbol }
    }

    /// Rows and columns; those of a [`Parts::Fields`] have their own.
    pub fn axes(self) -> (Axis, Axis) {
        self.row().axes
    }

    /// The inputs besides `q` that it depends on, one letter each.
    pub fn inputs(self) -> &'static str {
        self.row().inputs
    }

    /// What it has a value for each of.
    pub fn parts(self) -> Parts {
        self.row().parts
    }

    /// What it is computed with.
    pub fn family(self) -> Family {
        self.row().family
    }

    /// Whether it is computed by the requested method.
    pub fn is_by_method(self) -> bool {
        self.row().way == Way::Derivative
    }

    /// Whether it is a tensor, or computed from one.
    pub fn is_second_derivative(self) -> bool {
        self.axes().1 == Axis::DofPairs || self == Self::DdqHessian
    }

    /// Whether it is a derivative by the configuration, with a column for each direction of motion.
    pub fn is_by_configuration(self) -> bool {
        self.name().ends_with("_dq") || self == Self::ComJacobian
    }

    /// Whether it is a function of torques, or a derivative of one.
    pub fn needs_tau(self) -> bool {
        matches!(self.family(), Family::Accelerations | Family::AccelerationTensors | Family::Constrained)
            || matches!(self, Self::DdqGradient | Self::DdqHessian | Self::DdqHessianProduct)
    }

    /// Whether it is a combination of others, by the state's `lambda`.
    pub fn needs_lambda(self) -> bool {
        self.inputs().contains('l')
    }

    /// Whether it is along the state's `direction`.
    pub fn needs_direction(self) -> bool {
        self.inputs().contains('d')
    }

    /// Whether it needs constraints.
    pub fn needs_constraints(self) -> bool {
        matches!(self.family(), Family::Constrained | Family::Impulses | Family::Constraints)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The quantity of this name.
pub fn parse(name: &str) -> Result<Quantity, String> {
    let name = name.trim();
    Quantity::all().find(|quantity| quantity.name() == name).ok_or_else(|| {
        const SHOWN: usize = 8;
        let names = || Quantity::all().map(Quantity::name);
        let longer: Vec<_> = names().filter(|known| name.len() > 2 && known.contains(name)).take(SHOWN).collect();
        let hint = match nearest(name, names()) {
            _ if !longer.is_empty() => format!("; did you mean one of: {}?", longer.join(", ")),
            hint => hint.unwrap_or_default(),
        };
        format!("unknown quantity{hint} (`gradyn help evaluate` lists all)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_is_known_by_its_name() {
        for known in Quantity::all() {
            assert_eq!(parse(known.name()), Ok(known));
        }
        assert!(parse("Tau").is_err_and(|message| message.contains("did you mean `tau`")));
        assert!(parse("torques!").is_err_and(|message| message.contains("gradyn help evaluate")));
    }
}
