# Written by python/stubs.py: do not edit.
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Array: TypeAlias = NDArray[np.float64]

class RneaDerivatives(NamedTuple):
    """Result of `Model.rnea_derivatives`.

    Attributes
    ----------
    tau : ndarray, shape (..., nv)
        Torques or forces of the joints, N m or N.
    dtau_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques by q.
    dtau_dv : ndarray, shape (..., nv, nv)
        Derivative of the torques by v.
    dtau_da : ndarray, shape (..., nv, nv)
        Derivative of the torques by a.
    dtau_df_ext : ndarray, shape (..., wrenches, nv, 6)
        Derivative of the torques by each wrench, six columns.
    """

    tau: _Array
    dtau_dq: _Array
    dtau_dv: _Array
    dtau_da: _Array
    dtau_df_ext: _Array

class AbaDerivatives(NamedTuple):
    """Result of `Model.aba_derivatives`.

    Attributes
    ----------
    ddq : ndarray, shape (..., nv)
        Accelerations, rad/s^2 or m/s^2.
    ddq_dq : ndarray, shape (..., nv, nv)
        Derivative of the accelerations by q.
    ddq_dv : ndarray, shape (..., nv, nv)
        Derivative of the accelerations by v.
    ddq_dtau : ndarray, shape (..., nv, nv)
        Derivative of the accelerations by tau.
    ddq_df_ext : ndarray, shape (..., wrenches, nv, 6)
        Derivative of the accelerations by each wrench, six columns.
    """

    ddq: _Array
    ddq_dq: _Array
    ddq_dv: _Array
    ddq_dtau: _Array
    ddq_df_ext: _Array

class BiasDerivatives(NamedTuple):
    """Result of `Model.bias_derivatives`.

    Attributes
    ----------
    bias : ndarray, shape (..., nv)
        Bias torques, N m or N.
    dbias_dq : ndarray, shape (..., nv, nv)
        Derivative of the bias torques by q.
    dbias_dv : ndarray, shape (..., nv, nv)
        Derivative of the bias torques by v.
    dbias_df_ext : ndarray, shape (..., wrenches, nv, 6)
        Derivative of the bias torques by each wrench, six columns.
    """

    bias: _Array
    dbias_dq: _Array
    dbias_dv: _Array
    dbias_df_ext: _Array

class GravityDerivatives(NamedTuple):
    """Result of `Model.generalized_gravity_derivatives`.

    Attributes
    ----------
    gravity : ndarray, shape (..., nv)
        Torques of gravity, N m or N.
    dgravity_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques of gravity by q.
    """

    gravity: _Array
    dgravity_dq: _Array

class StaticTorqueDerivatives(NamedTuple):
    """Result of `Model.static_torque_derivatives`.

    Attributes
    ----------
    tau : ndarray, shape (..., nv)
        Torques or forces of the joints, N m or N.
    dtau_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques by q.
    dtau_df_ext : ndarray, shape (..., wrenches, nv, 6)
        Derivative of the torques by each wrench, six columns.
    """

    tau: _Array
    dtau_dq: _Array
    dtau_df_ext: _Array

class MassProductDerivatives(NamedTuple):
    """Result of `Model.mass_product_derivatives`.

    Attributes
    ----------
    product : ndarray, shape (..., nv)
        The product of mass matrix and accelerations, N m or N.
    dproduct_dq : ndarray, shape (..., nv, nv)
        Derivative of the product by q.
    mass_matrix : ndarray, shape (..., nv, nv)
        The mass matrix, symmetric, armature included.
    """

    product: _Array
    dproduct_dq: _Array
    mass_matrix: _Array

class RneaSecondDerivatives(NamedTuple):
    """Result of `Model.rnea_second_derivatives`.

    Attributes
    ----------
    d2tau_dqdq : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by q and q: of entry i by the directions j and k.
    d2tau_dqdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by q and v: of entry i by the directions j and k.
    d2tau_dvdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by v and v: of entry i by the directions j and k.
    d2tau_dadq : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by a and q: of entry i by the directions j and k.
    """

    d2tau_dqdq: _Array
    d2tau_dqdv: _Array
    d2tau_dvdv: _Array
    d2tau_dadq: _Array

class AbaSecondDerivatives(NamedTuple):
    """Result of `Model.aba_second_derivatives`.

    Attributes
    ----------
    d2ddq_dqdq : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by q and q: of entry i by the directions j and k.
    d2ddq_dqdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by q and v: of entry i by the directions j and k.
    d2ddq_dvdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by v and v: of entry i by the directions j and k.
    d2ddq_dqdtau : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by q and tau: of entry i by the directions j and k.
    """

    d2ddq_dqdq: _Array
    d2ddq_dqdv: _Array
    d2ddq_dvdv: _Array
    d2ddq_dqdtau: _Array

class RneaGradient(NamedTuple):
    """Result of `Model.rnea_gradient`.

    Attributes
    ----------
    value : float, or ndarray of shape (...)
        The combination.
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    da : ndarray, shape (..., nv)
        Derivative by a.
    df_ext : ndarray, shape (..., wrenches, 6)
        Derivative by each wrench, six numbers.
    """

    value: Any
    dq: _Array
    dv: _Array
    da: _Array
    df_ext: _Array

class RneaHessian(NamedTuple):
    """Result of `Model.rnea_hessian`.

    Attributes
    ----------
    value : float, or ndarray of shape (...)
        The combination.
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    da : ndarray, shape (..., nv)
        Derivative by a.
    dqq : ndarray, shape (..., nv, nv)
        Hessian, by q twice.
    dvq : ndarray, shape (..., nv, nv)
        Hessian, a row for each entry of v, a column for each direction of q.
    daq : ndarray, shape (..., nv, nv)
        Hessian, a row for each entry of a, a column for each direction of q.
    dvv : ndarray, shape (..., nv, nv)
        Hessian, by v twice.
    """

    value: Any
    dq: _Array
    dv: _Array
    da: _Array
    dqq: _Array
    dvq: _Array
    daq: _Array
    dvv: _Array

class RneaHessianProduct(NamedTuple):
    """Result of `Model.rnea_hessian_product`.

    Attributes
    ----------
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    da : ndarray, shape (..., nv)
        Derivative by a.
    """

    dq: _Array
    dv: _Array
    da: _Array

class AbaGradient(NamedTuple):
    """Result of `Model.aba_gradient`.

    Attributes
    ----------
    value : float, or ndarray of shape (...)
        The combination.
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    dtau : ndarray, shape (..., nv)
        Derivative by tau.
    df_ext : ndarray, shape (..., wrenches, 6)
        Derivative by each wrench, six numbers.
    """

    value: Any
    dq: _Array
    dv: _Array
    dtau: _Array
    df_ext: _Array

class AbaHessian(NamedTuple):
    """Result of `Model.aba_hessian`.

    Attributes
    ----------
    value : float, or ndarray of shape (...)
        The combination.
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    dtau : ndarray, shape (..., nv)
        Derivative by tau.
    dqq : ndarray, shape (..., nv, nv)
        Hessian, by q twice.
    dvq : ndarray, shape (..., nv, nv)
        Hessian, a row for each entry of v, a column for each direction of q.
    dtauq : ndarray, shape (..., nv, nv)
        Hessian, a row for each entry of tau, a column for each direction of q.
    dvv : ndarray, shape (..., nv, nv)
        Hessian, by v twice.
    """

    value: Any
    dq: _Array
    dv: _Array
    dtau: _Array
    dqq: _Array
    dvq: _Array
    dtauq: _Array
    dvv: _Array

class AbaHessianProduct(NamedTuple):
    """Result of `Model.aba_hessian_product`.

    Attributes
    ----------
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    dtau : ndarray, shape (..., nv)
        Derivative by tau.
    """

    dq: _Array
    dv: _Array
    dtau: _Array

class RneaParameterGradient(NamedTuple):
    """Result of `Model.rnea_parameter_gradient`.

    Attributes
    ----------
    value : float, or ndarray of shape (...)
        The combination.
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    da : ndarray, shape (..., nv)
        Derivative by a.
    dp : ndarray, shape (..., parameters)
        Derivative by the parameters; `Model.parameter_blocks` says where they stand.
    """

    value: Any
    dq: _Array
    dv: _Array
    da: _Array
    dp: _Array

class AbaParameterGradient(NamedTuple):
    """Result of `Model.aba_parameter_gradient`.

    Attributes
    ----------
    value : float, or ndarray of shape (...)
        The combination.
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    dtau : ndarray, shape (..., nv)
        Derivative by tau.
    dp : ndarray, shape (..., parameters)
        Derivative by the parameters; `Model.parameter_blocks` says where they stand.
    """

    value: Any
    dq: _Array
    dv: _Array
    dtau: _Array
    dp: _Array

class BiasAcceleration(NamedTuple):
    """Result of `Model.frame_bias_acceleration`.

    Attributes
    ----------
    spatial : ndarray, shape (..., 6)
        The spatial acceleration: linear in m/s^2, then angular in rad/s^2.
    classical : ndarray, shape (..., 6)
        The acceleration of the frame's origin as a point, m/s^2, then the angular one, rad/s^2.
    """

    spatial: _Array
    classical: _Array

class FrameDerivatives(NamedTuple):
    """Result of `Model.frame_derivatives`.

    Attributes
    ----------
    velocity : ndarray, shape (..., 6)
        Velocity: linear in m/s, then angular in rad/s where it has six numbers.
    acceleration : ndarray, shape (..., 6)
        Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
    dvelocity_dq : ndarray, shape (..., 6, nv)
        Derivative of the velocity by q.
    dvelocity_dv : ndarray, shape (..., 6, nv)
        Derivative of the velocity by v.
    dacceleration_dq : ndarray, shape (..., 6, nv)
        Derivative of the acceleration by q.
    dacceleration_dv : ndarray, shape (..., 6, nv)
        Derivative of the acceleration by v.
    dacceleration_da : ndarray, shape (..., 6, nv)
        Derivative of the acceleration by a.
    """

    velocity: _Array
    acceleration: _Array
    dvelocity_dq: _Array
    dvelocity_dv: _Array
    dacceleration_dq: _Array
    dacceleration_dv: _Array
    dacceleration_da: _Array

class ClassicalFrameDerivatives(NamedTuple):
    """Result of `Model.classical_frame_derivatives`.

    Attributes
    ----------
    velocity : ndarray, shape (..., 6)
        Velocity: linear in m/s, then angular in rad/s where it has six numbers.
    acceleration : ndarray, shape (..., 6)
        Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
    dvelocity_dq : ndarray, shape (..., 6, nv)
        Derivative of the velocity by q.
    dvelocity_dv : ndarray, shape (..., 6, nv)
        Derivative of the velocity by v.
    dacceleration_dq : ndarray, shape (..., 6, nv)
        Derivative of the acceleration by q.
    dacceleration_dv : ndarray, shape (..., 6, nv)
        Derivative of the acceleration by v.
    dacceleration_da : ndarray, shape (..., 6, nv)
        Derivative of the acceleration by a.
    """

    velocity: _Array
    acceleration: _Array
    dvelocity_dq: _Array
    dvelocity_dv: _Array
    dacceleration_dq: _Array
    dacceleration_dv: _Array
    dacceleration_da: _Array

class PointDerivatives(NamedTuple):
    """Result of `Model.point_derivatives`.

    Attributes
    ----------
    velocity : ndarray, shape (..., 3)
        Velocity: linear in m/s, then angular in rad/s where it has six numbers.
    acceleration : ndarray, shape (..., 3)
        Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
    dvelocity_dq : ndarray, shape (..., 3, nv)
        Derivative of the velocity by q.
    dvelocity_dv : ndarray, shape (..., 3, nv)
        Derivative of the velocity by v.
    dacceleration_dq : ndarray, shape (..., 3, nv)
        Derivative of the acceleration by q.
    dacceleration_dv : ndarray, shape (..., 3, nv)
        Derivative of the acceleration by v.
    dacceleration_da : ndarray, shape (..., 3, nv)
        Derivative of the acceleration by a.
    """

    velocity: _Array
    acceleration: _Array
    dvelocity_dq: _Array
    dvelocity_dv: _Array
    dacceleration_dq: _Array
    dacceleration_dv: _Array
    dacceleration_da: _Array

class JacobianTransposeDerivatives(NamedTuple):
    """Result of `Model.jacobian_transpose_derivatives`.

    Attributes
    ----------
    torque : ndarray, shape (..., nv)
        Torques or forces of the joints, N m or N.
    dtorque_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques by q.
    """

    torque: _Array
    dtorque_dq: _Array

class CenterOfMass(NamedTuple):
    """Result of `Model.center_of_mass`.

    Attributes
    ----------
    mass : float, or ndarray of shape (...)
        Mass, kg.
    position : ndarray, shape (..., 3)
        Position in the world, m.
    velocity : ndarray, shape (..., 3)
        Velocity: linear in m/s, then angular in rad/s where it has six numbers.
    acceleration : ndarray, shape (..., 3)
        Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
    """

    mass: Any
    position: _Array
    velocity: _Array
    acceleration: _Array

class CenterOfMassDerivatives(NamedTuple):
    """Result of `Model.center_of_mass_derivatives`.

    Attributes
    ----------
    position : ndarray, shape (..., 3)
        Position in the world, m.
    velocity : ndarray, shape (..., 3)
        Velocity: linear in m/s, then angular in rad/s where it has six numbers.
    acceleration : ndarray, shape (..., 3)
        Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.
    dposition_dq : ndarray, shape (..., 3, nv)
        Derivative of the position by q.
    dvelocity_dq : ndarray, shape (..., 3, nv)
        Derivative of the velocity by q.
    dvelocity_dv : ndarray, shape (..., 3, nv)
        Derivative of the velocity by v.
    dacceleration_dq : ndarray, shape (..., 3, nv)
        Derivative of the acceleration by q.
    dacceleration_dv : ndarray, shape (..., 3, nv)
        Derivative of the acceleration by v.
    dacceleration_da : ndarray, shape (..., 3, nv)
        Derivative of the acceleration by a.
    """

    position: _Array
    velocity: _Array
    acceleration: _Array
    dposition_dq: _Array
    dvelocity_dq: _Array
    dvelocity_dv: _Array
    dacceleration_dq: _Array
    dacceleration_dv: _Array
    dacceleration_da: _Array

class Centroidal(NamedTuple):
    """Result of `Model.centroidal`.

    Attributes
    ----------
    momentum : ndarray, shape (..., 6)
        Momentum about the center of mass in axes of the world: linear in kg m/s, then angular in kg m^2/s.
    momentum_rate : ndarray, shape (..., 6)
        Time derivative of the momentum: force in N, then moment in N m.
    matrix : ndarray, shape (..., 6, nv)
        The centroidal momentum matrix: its product with v is the momentum.
    matrix_rate : ndarray, shape (..., 6, nv)
        Time derivative of the centroidal momentum matrix.
    """

    momentum: _Array
    momentum_rate: _Array
    matrix: _Array
    matrix_rate: _Array

class CentroidalDerivatives(NamedTuple):
    """Result of `Model.centroidal_derivatives`.

    Attributes
    ----------
    momentum : ndarray, shape (..., 6)
        Momentum about the center of mass in axes of the world: linear in kg m/s, then angular in kg m^2/s.
    momentum_rate : ndarray, shape (..., 6)
        Time derivative of the momentum: force in N, then moment in N m.
    dmomentum_dq : ndarray, shape (..., 6, nv)
        Derivative of the momentum by q.
    dmomentum_dv : ndarray, shape (..., 6, nv)
        Derivative of the momentum by v.
    drate_dq : ndarray, shape (..., 6, nv)
        Derivative of the rate of the momentum by q.
    drate_dv : ndarray, shape (..., 6, nv)
        Derivative of the rate of the momentum by v.
    drate_da : ndarray, shape (..., 6, nv)
        Derivative of the rate of the momentum by a.
    """

    momentum: _Array
    momentum_rate: _Array
    dmomentum_dq: _Array
    dmomentum_dv: _Array
    drate_dq: _Array
    drate_dv: _Array
    drate_da: _Array

class ConstraintDynamics(NamedTuple):
    """Result of `Model.constraint_dynamics`.

    Attributes
    ----------
    ddq : ndarray, shape (..., nv)
        Accelerations, rad/s^2 or m/s^2.
    lambda_ : ndarray, shape (..., rows)
        Forces of the constraints on the robot, N or N m, a number a row.
    residual : float, or ndarray of shape (...)
        What dependent constraints that contradict each other leave, zero otherwise.
    """

    ddq: _Array
    lambda_: _Array
    residual: Any

class ConstraintDynamicsDerivatives(NamedTuple):
    """Result of `Model.constraint_dynamics_derivatives`.

    Attributes
    ----------
    ddq : ndarray, shape (..., nv)
        Accelerations, rad/s^2 or m/s^2.
    lambda_ : ndarray, shape (..., rows)
        Forces of the constraints on the robot, N or N m, a number a row.
    ddq_dq : ndarray, shape (..., nv, nv)
        Derivative of the accelerations by q.
    ddq_dv : ndarray, shape (..., nv, nv)
        Derivative of the accelerations by v.
    ddq_dtau : ndarray, shape (..., nv, nv)
        Derivative of the accelerations by tau.
    ddq_df_ext : ndarray, shape (..., wrenches, nv, 6)
        Derivative of the accelerations by each wrench, six columns.
    dlambda_dq : ndarray, shape (..., rows, nv)
        Derivative of the forces of the constraints by q.
    dlambda_dv : ndarray, shape (..., rows, nv)
        Derivative of the forces of the constraints by v.
    dlambda_dtau : ndarray, shape (..., rows, nv)
        Derivative of the forces of the constraints by tau.
    dlambda_df_ext : ndarray, shape (..., wrenches, rows, 6)
        Derivative of the forces of the constraints by each wrench, six columns.
    """

    ddq: _Array
    lambda_: _Array
    ddq_dq: _Array
    ddq_dv: _Array
    ddq_dtau: _Array
    ddq_df_ext: _Array
    dlambda_dq: _Array
    dlambda_dv: _Array
    dlambda_dtau: _Array
    dlambda_df_ext: _Array

class ConstraintInverseDynamicsDerivatives(NamedTuple):
    """Result of `Model.constraint_inverse_dynamics_derivatives`.

    Attributes
    ----------
    tau : ndarray, shape (..., nv)
        Torques or forces of the joints, N m or N.
    rows : ndarray, shape (..., rows)
        Accelerations of the constraints, `J a + gamma`.
    dtau_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques by q.
    dtau_dv : ndarray, shape (..., nv, nv)
        Derivative of the torques by v.
    dtau_da : ndarray, shape (..., nv, nv)
        Derivative of the torques by a.
    dtau_dlambda : ndarray, shape (..., nv, rows)
        Derivative of the torques by lambda_.
    drows_dq : ndarray, shape (..., rows, nv)
        Derivative of the accelerations of the constraints by q.
    drows_dv : ndarray, shape (..., rows, nv)
        Derivative of the accelerations of the constraints by v.
    drows_da : ndarray, shape (..., rows, nv)
        Derivative of the accelerations of the constraints by a.
    """

    tau: _Array
    rows: _Array
    dtau_dq: _Array
    dtau_dv: _Array
    dtau_da: _Array
    dtau_dlambda: _Array
    drows_dq: _Array
    drows_dv: _Array
    drows_da: _Array

class ConstraintDynamicsHessian(NamedTuple):
    """Result of `Model.constraint_dynamics_hessian`.

    Attributes
    ----------
    value : float, or ndarray of shape (...)
        The combination.
    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    dtau : ndarray, shape (..., nv)
        Derivative by tau.
    dqq : ndarray, shape (..., nv, nv)
        Hessian, by q twice.
    dvq : ndarray, shape (..., nv, nv)
        Hessian, a row for each entry of v, a column for each direction of q.
    dtauq : ndarray, shape (..., nv, nv)
        Hessian, a row for each entry of tau, a column for each direction of q.
    dvv : ndarray, shape (..., nv, nv)
        Hessian, by v twice.
    """

    value: Any
    dq: _Array
    dv: _Array
    dtau: _Array
    dqq: _Array
    dvq: _Array
    dtauq: _Array
    dvv: _Array

class ImpulseDynamics(NamedTuple):
    """Result of `Model.impulse_dynamics`.

    Attributes
    ----------
    v_after : ndarray, shape (..., nv)
        Velocities after the impact, rad/s or m/s.
    impulse : ndarray, shape (..., rows)
        Impulses of the constraints on the robot, N s or N m s, a number a row.
    residual : float, or ndarray of shape (...)
        What dependent constraints that contradict each other leave, zero otherwise.
    """

    v_after: _Array
    impulse: _Array
    residual: Any

class ImpulseDynamicsDerivatives(NamedTuple):
    """Result of `Model.impulse_dynamics_derivatives`.

    Attributes
    ----------
    v_after : ndarray, shape (..., nv)
        Velocities after the impact, rad/s or m/s.
    impulse : ndarray, shape (..., rows)
        Impulses of the constraints on the robot, N s or N m s, a number a row.
    dv_dq : ndarray, shape (..., nv, nv)
        Derivative of the velocities after the impact by q.
    dv_dv : ndarray, shape (..., nv, nv)
        Derivative of the velocities after the impact by v.
    dimpulse_dq : ndarray, shape (..., rows, nv)
        Derivative of the impulses by q.
    dimpulse_dv : ndarray, shape (..., rows, nv)
        Derivative of the impulses by v.
    """

    v_after: _Array
    impulse: _Array
    dv_dq: _Array
    dv_dv: _Array
    dimpulse_dq: _Array
    dimpulse_dv: _Array

class ConstraintRank(NamedTuple):
    """Result of `Model.constraint_rank`.

    Attributes
    ----------
    rank : float, or ndarray of shape (...)
        Number of independent rows.
    kept : float, or ndarray of shape (...)
        The least pivot of independent rows, relative.
    dropped : float, or ndarray of shape (...)
        The greatest pivot of dependent rows, relative.
    """

    rank: Any
    kept: Any
    dropped: Any

class IntegrateDerivatives(NamedTuple):
    """Result of `Model.integrate_derivatives`.

    Attributes
    ----------
    dq : ndarray, shape (..., nv, nv)
        Derivative by q.
    dv : ndarray, shape (..., nv, nv)
        Derivative by v.
    """

    dq: _Array
    dv: _Array

class DifferenceDerivatives(NamedTuple):
    """Result of `Model.difference_derivatives`.

    Attributes
    ----------
    dq0 : ndarray, shape (..., nv, nv)
        Derivative by q0.
    dq1 : ndarray, shape (..., nv, nv)
        Derivative by q1.
    """

    dq0: _Array
    dq1: _Array
