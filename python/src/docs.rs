// Written by python/stubs.py: do not edit.

//! What `help()` says of the functions of the table.

macro_rules! doc_of {
    (rnea) => {
        r#"Inverse dynamics: joint torques `tau = M(q) a + c(q, v) - sum J^T w`, N m or N.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
tau : ndarray, shape (..., nv)
    Torques or forces of the joints, N m or N.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 5.1.

Examples
--------
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> model.rnea(model.neutral(), np.zeros(7), np.zeros(7)).shape
(7,)
>>> model.rnea(model.random(100, seed=1), 0.1, 0).shape
(100, 7)"#
    };
    (aba) => {
        r#"Forward dynamics: joint accelerations `ddq = M(q)^-1 (tau - c(q, v) + sum J^T w)`, rad/s^2 or m/s^2.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
ddq : ndarray, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 7.1.

Examples
--------
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> q, v, tau = model.random(seed=1), np.full(7, 0.1), np.ones(7)
>>> bool(np.allclose(model.rnea(q, v, model.aba(q, v, tau)), tau))
True"#
    };
    (crba) => {
        r#"The mass matrix `M(q)`, symmetric, armature included.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
mass_matrix : ndarray, shape (..., nv, nv)
    The mass matrix, symmetric, armature included.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.2."#
    };
    (minv) => {
        r#"The inverse of the mass matrix, symmetric.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
inverse : ndarray, shape (..., nv, nv)
    The inverse of the mass matrix, symmetric.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (solve_mass_matrix) => {
        r#"`M(q)^-1 b`, by the factors of the mass matrix.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
b : array_like, shape (..., nv)
    Right-hand sides.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
x : ndarray, shape (..., nv)
    Solutions.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
R. Featherstone, Rigid Body Dynamics Algorithms, 2008, table 6.3."#
    };
    (bias) => {
        r#"Bias torques `c(q, v) - sum J^T w`: gravity, Coriolis and centrifugal terms, friction.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
torques : ndarray, shape (..., nv)
    Bias torques, N m or N.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (generalized_gravity) => {
        r#"Torques of gravity, `g(q)`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
gravity : ndarray, shape (..., nv)
    Torques of gravity, N m or N.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (static_torque) => {
        r#"Torques that hold the robot at rest, `g(q) - sum J^T w`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
tau : ndarray, shape (..., nv)
    Torques or forces of the joints, N m or N.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (coriolis_matrix) => {
        r#"The Coriolis matrix `C(q, v)`: `C v = c(q, v) - g(q)`, and `dM/dt - 2 C` is skew.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
coriolis : ndarray, shape (..., nv, nv)
    The Coriolis matrix.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (kinetic_energy) => {
        r#"Kinetic energy `v^T M v / 2`, J.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
energy : float, or ndarray of shape (...)
    Energy, J.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (potential_energy) => {
        r#"Potential energy in the gravitational field, J.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
energy : float, or ndarray of shape (...)
    Energy, J.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (mechanical_energy) => {
        r#"Kinetic and potential energy, J.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
energy : float, or ndarray of shape (...)
    Energy, J.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (rnea_derivatives) => {
        r#"Torques of inverse dynamics and their derivatives.

`dtau_da` is the mass matrix; `dtau_df_ext` has a matrix for each wrench, by its own numbers, minus the
transposed Jacobian.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 5 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.RneaDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra, RA-L 7(2), 2022.

Examples
--------
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> d = model.rnea_derivatives(model.random(100, seed=1), 0.1, 0)
>>> d.dtau_dq.shape
(100, 7, 7)
>>> fast = np.empty((100, 7, 7))
>>> model.rnea_derivatives(model.random(100, seed=1), 0.1, 0, out=(None, fast, None, None, None)).dtau_dq is fast
True"#
    };
    (aba_derivatives) => {
        r#"Accelerations of forward dynamics and their derivatives.

`ddq_dtau` is the inverse of the mass matrix; `ddq_df_ext` has a matrix for each wrench, by its own numbers.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 5 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.AbaDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (bias_derivatives) => {
        r#"Bias torques and their derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 4 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.BiasDerivatives
    A named tuple:

    bias : ndarray, shape (..., nv)
        Bias torques, N m or N.
    dbias_dq : ndarray, shape (..., nv, nv)
        Derivative of the bias torques by q.
    dbias_dv : ndarray, shape (..., nv, nv)
        Derivative of the bias torques by v.
    dbias_df_ext : ndarray, shape (..., wrenches, nv, 6)
        Derivative of the bias torques by each wrench, six columns.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (generalized_gravity_derivatives) => {
        r#"Torques of gravity and their derivative.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 2 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.GravityDerivatives
    A named tuple:

    gravity : ndarray, shape (..., nv)
        Torques of gravity, N m or N.
    dgravity_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques of gravity by q.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (static_torque_derivatives) => {
        r#"Torques that hold the robot at rest, and their derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 3 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.StaticTorqueDerivatives
    A named tuple:

    tau : ndarray, shape (..., nv)
        Torques or forces of the joints, N m or N.
    dtau_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques by q.
    dtau_df_ext : ndarray, shape (..., wrenches, nv, 6)
        Derivative of the torques by each wrench, six columns.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (mass_product_derivatives) => {
        r#"The product `M(q) a` and its derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 3 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.MassProductDerivatives
    A named tuple:

    product : ndarray, shape (..., nv)
        The product of mass matrix and accelerations, N m or N.
    dproduct_dq : ndarray, shape (..., nv, nv)
        Derivative of the product by q.
    mass_matrix : ndarray, shape (..., nv, nv)
        The mass matrix, symmetric, armature included.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (rnea_second_derivatives) => {
        r#"Second derivatives of the torques of inverse dynamics.

Entry (i, j, k) is that of `tau[i]` by the first and the second variable named.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 4 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.RneaSecondDerivatives
    A named tuple:

    d2tau_dqdq : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by q and q: of entry i by the directions j and k.
    d2tau_dqdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by q and v: of entry i by the directions j and k.
    d2tau_dvdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by v and v: of entry i by the directions j and k.
    d2tau_dadq : ndarray, shape (..., nv, nv, nv)
        Second derivative of the torques by a and q: of entry i by the directions j and k.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
S. Singh, R. Russell, P. Wensing, On second-order derivatives of rigid-body dynamics: theory and
implementation, T-RO 2024."#
    };
    (aba_second_derivatives) => {
        r#"Second derivatives of the accelerations of forward dynamics.

Entry (i, j, k) is that of `ddq[i]` by the first and the second variable named.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 4 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.AbaSecondDerivatives
    A named tuple:

    d2ddq_dqdq : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by q and q: of entry i by the directions j and k.
    d2ddq_dqdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by q and v: of entry i by the directions j and k.
    d2ddq_dvdv : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by v and v: of entry i by the directions j and k.
    d2ddq_dqdtau : ndarray, shape (..., nv, nv, nv)
        Second derivative of the accelerations by q and tau: of entry i by the directions j and k.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
S. Singh, R. Russell, P. Wensing, On second-order derivatives of rigid-body dynamics: theory and
implementation, T-RO 2024."#
    };
    (rnea_gradient) => {
        r#"The combination `lambda^T tau` of the torques of inverse dynamics, and its gradient, without matrices.

`df_ext` is the gradient by the wrenches, six numbers each.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 5 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.RneaGradient
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (rnea_hessian) => {
        r#"A combination of the torques of inverse dynamics, with its Hessian.

The combination `lambda^T tau` of the torques of inverse dynamics, its gradient, and its Hessian in blocks:
`dvq` has a row for each velocity and a column for each direction of `q`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 8 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.RneaHessian
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
S. Singh, R. Russell, P. Wensing, T-RO 2024, whose tensors it is a contraction of; J. Nganga, P. Wensing,
Accelerating second-order differential dynamic programming for rigid-body systems, RA-L 2021."#
    };
    (rnea_hessian_product) => {
        r#"The Hessian of `lambda^T tau` times a direction in `q`, `v` and `a`, without the matrix.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
along_q : array_like, shape (..., nv)
    Direction in the tangent space of q.
along_v : array_like, shape (..., nv)
    Direction in v.
along_a : array_like, shape (..., nv)
    Direction in a.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 3 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.RneaHessianProduct
    A named tuple:

    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    da : ndarray, shape (..., nv)
        Derivative by a.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (aba_gradient) => {
        r#"The combination `lambda^T ddq` of the accelerations of forward dynamics, and its gradient, without matrices.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 5 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.AbaGradient
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (aba_hessian) => {
        r#"A combination of the accelerations of forward dynamics, with its Hessian.

The combination `lambda^T ddq` of the accelerations of forward dynamics, its gradient, and its Hessian in
blocks.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 8 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.AbaHessian
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (aba_hessian_product) => {
        r#"The Hessian of `lambda^T ddq` times a direction in `q`, `v` and `tau`, without the matrix.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
along_q : array_like, shape (..., nv)
    Direction in the tangent space of q.
along_v : array_like, shape (..., nv)
    Direction in v.
along_tau : array_like, shape (..., nv)
    Direction in tau.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 3 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.AbaHessianProduct
    A named tuple:

    dq : ndarray, shape (..., nv)
        Derivative by q.
    dv : ndarray, shape (..., nv)
        Derivative by v.
    dtau : ndarray, shape (..., nv)
        Derivative by tau.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (rnea_parameter_gradient) => {
        r#"A combination of the torques of inverse dynamics, with its gradient by all parameters.

`lambda^T tau` of inverse dynamics, and its gradient by all parameters of the model, `Model.parameters`, by
the state too.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 5 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.RneaParameterGradient
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (aba_parameter_gradient) => {
        r#"A combination of the accelerations of forward dynamics, with its gradient by all parameters.

`lambda^T ddq` of forward dynamics, and its gradient by all parameters of the model, `Model.parameters`, by
the state too.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
lambda_ : array_like, shape (..., nv)
    Weights of the combination.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 5 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.AbaParameterGradient
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_pose) => {
        r#"The pose of a frame in the world, 4 x 4.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
frame : str
    Name of a frame: a link, a joint, or one that was added.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
pose : ndarray, shape (..., 4, 4)
    Poses in the world, homogeneous matrices, m.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_poses) => {
        r#"Poses of several frames in the world: rotation matrix and origin, 3 x 4 each.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
frames : sequence of str
    Names of frames.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
poses : ndarray, shape (..., frames, 3, 4)
    Poses in the world, rotation matrix and origin in m.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_velocity) => {
        r#"The velocity of a frame: linear, then angular, m/s and rad/s.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
velocity : ndarray, shape (..., 6)
    Velocity: linear in m/s, then angular in rad/s where it has six numbers.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_acceleration) => {
        r#"The spatial acceleration of a frame: linear, then angular.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
acceleration : ndarray, shape (..., 6)
    Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (classical_frame_acceleration) => {
        r#"The classical acceleration of a frame: that of its origin as a point, m/s^2, then the angular one.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
acceleration : ndarray, shape (..., 6)
    Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_jacobian) => {
        r#"The Jacobian of a frame, linear rows first: `J v` is its velocity.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
jacobian : ndarray, shape (..., 6, nv)
    The Jacobian.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

Examples
--------
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> model.frame_jacobian(model.neutral(), "panda_link8", reference="world").shape
(6, 7)"#
    };
    (frame_jacobians) => {
        r#"Jacobians of several frames, linear rows first.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
frames : sequence of str
    Names of frames.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
jacobians : ndarray, shape (..., frames, 6, nv)
    Jacobians.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (relative_jacobian) => {
        r#"The Jacobian of the motion of a frame as seen from another, linear rows first.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
frame : str
    Name of a frame: a link, a joint, or one that was added.
seen_from : str
    Name of the frame that the motion is relative to.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
jacobian : ndarray, shape (..., 6, nv)
    The Jacobian.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_jacobian_rate) => {
        r#"Time derivative of the Jacobian of a frame, linear rows first.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
rate : ndarray, shape (..., 6, nv)
    The time derivative.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (joint_jacobians) => {
        r#"Columns of all joints in the world, linear rows first.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
jacobian : ndarray, shape (..., 6, nv)
    The Jacobian.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_bias_acceleration) => {
        r#"Acceleration of a frame at `a = 0`, without gravity: spatial and classical.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 2 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.BiasAcceleration
    A named tuple:

    spatial : ndarray, shape (..., 6)
        The spatial acceleration: linear in m/s^2, then angular in rad/s^2.
    classical : ndarray, shape (..., 6)
        The acceleration of the frame's origin as a point, m/s^2, then the angular one, rad/s^2.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_derivatives) => {
        r#"Velocity and spatial acceleration of a frame, and their derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 7 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.FrameDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018."#
    };
    (classical_frame_derivatives) => {
        r#"Velocity and classical acceleration of a frame, and their derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 7 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ClassicalFrameDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (point_jacobian) => {
        r#"The Jacobian of a point fixed in a body.

The Jacobian of a point fixed in a body: `point` in coordinates of the body, m; axes of the body (`"local"`)
or of the world.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
body : str
    Name of a body, that is the link that moves with a joint, or of the joint.
point : array_like, shape (3,)
    The point in coordinates of the body, m.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
jacobian : ndarray, shape (..., 3, nv)
    The Jacobian.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (point_derivatives) => {
        r#"Velocity and acceleration of a point fixed in a body, and their derivatives.

Velocity and acceleration of a point fixed in a body, and their derivatives; `point` in coordinates of the
body, m.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
body : str
    Name of a body, that is the link that moves with a joint, or of the joint.
point : array_like, shape (3,)
    The point in coordinates of the body, m.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 7 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.PointDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (jacobian_transpose_derivatives) => {
        r#"Torques of a wrench on a frame, and their derivative.

Torques `J^T f` of a wrench on a frame, six numbers in coordinates of the reference, and their derivative by
`q`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
frame : str
    Name of a frame: a link, a joint, or one that was added.
force : array_like, shape (6,)
    Force in N, then moment in N m, in coordinates of the reference.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 2 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.JacobianTransposeDerivatives
    A named tuple:

    torque : ndarray, shape (..., nv)
        Torques or forces of the joints, N m or N.
    dtorque_dq : ndarray, shape (..., nv, nv)
        Derivative of the torques by q.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (center_of_mass) => {
        r#"The center of mass, its velocity and acceleration in the world.

Mass, position, velocity and acceleration of the center of mass in the world, of the robot or of the subtree
that hangs from a joint.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
subtree : str, optional
    Name of a body or joint: of what hangs from it, instead of the whole robot.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 4 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.CenterOfMass
    A named tuple:

    mass : float, or ndarray of shape (...)
        Mass, kg.
    position : ndarray, shape (..., 3)
        Position in the world, m.
    velocity : ndarray, shape (..., 3)
        Velocity: linear in m/s, then angular in rad/s where it has six numbers.
    acceleration : ndarray, shape (..., 3)
        Acceleration: linear in m/s^2, then angular in rad/s^2 where it has six numbers.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (com_jacobian) => {
        r#"The Jacobian of the center of mass in the world, of the robot or of a subtree.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
subtree : str, optional
    Name of a body or joint: of what hangs from it, instead of the whole robot.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
jacobian : ndarray, shape (..., 3, nv)
    The Jacobian.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (center_of_mass_derivatives) => {
        r#"Position, velocity and acceleration of the center of mass, and their derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
subtree : str, optional
    Name of a body or joint: of what hangs from it, instead of the whole robot.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 9 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.CenterOfMassDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (centroidal) => {
        r#"Centroidal momentum, its rate, and the matrix that gives it.

Centroidal momentum about the center of mass in axes of the world, linear first, its rate, the matrix `A_G`
with `h = A_G v`, and that one's rate.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 4 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.Centroidal
    A named tuple:

    momentum : ndarray, shape (..., 6)
        Momentum about the center of mass in axes of the world: linear in kg m/s, then angular in kg m^2/s.
    momentum_rate : ndarray, shape (..., 6)
        Time derivative of the momentum: force in N, then moment in N m.
    matrix : ndarray, shape (..., 6, nv)
        The centroidal momentum matrix: its product with v is the momentum.
    matrix_rate : ndarray, shape (..., 6, nv)
        Time derivative of the centroidal momentum matrix.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
D. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots 35, 2013."#
    };
    (centroidal_derivatives) => {
        r#"Centroidal momentum, its rate, and their derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 7 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.CentroidalDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

References
----------
J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018."#
    };
    (torque_regressor) => {
        r#"The regressor `Y` with `tau = Y p`, `p` the inertial parameters of all bodies, `Model.inertial_parameters`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., nv, 10 bodies)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (standard_regressor) => {
        r#"The regressor of torques by all parameters that they are linear in.

The regressor of torques by all parameters that they are linear in: inertial ones, friction, damping, armature
(`Model.standard_parameters`).

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., nv, standard)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (static_torque_regressor) => {
        r#"The regressor of the torques of gravity.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., nv, 10 bodies)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (com_regressor) => {
        r#"The regressor of the center of mass times the robot's mass: of mass and first moment of mass of each body.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., 3, 4 bodies)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (kinetic_energy_regressor) => {
        r#"The regressor of the kinetic energy.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., 1, 10 bodies)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (potential_energy_regressor) => {
        r#"The regressor of the potential energy.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., 1, 10 bodies)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (frame_wrench_regressor) => {
        r#"The regressor of the wrench that the body of a frame needs for its motion.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
frame : str
    Name of a frame: a link, a joint, or one that was added.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., 6, 10)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (kinematic_regressor) => {
        r#"How a frame moves by small errors of the joints' placements, six a body.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
frame : str
    Name of a frame: a link, a joint, or one that was added.
reference : {"local", "world", "local-world-aligned"}
    Axes and point that the result is expressed in: axes of the frame at its origin, axes of the world at the
    world's origin, or axes of the world at the frame's origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
regressor : ndarray, shape (..., 6, 6 bodies)
    The regressor, a column for each parameter.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (constraint_dynamics) => {
        r#"Forward dynamics under contacts and loops.

Forward dynamics under contacts and loops: accelerations, and forces `lambda_` that hold the constraints, with
`M ddq + c = tau + J^T lambda_` and `J ddq = -gamma`. `residual` is what dependent constraints leave.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 3 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ConstraintDynamics
    A named tuple:

    ddq : ndarray, shape (..., nv)
        Accelerations, rad/s^2 or m/s^2.
    lambda_ : ndarray, shape (..., rows)
        Forces of the constraints on the robot, N or N m, a number a row.
    residual : float, or ndarray of shape (...)
        What dependent constraints that contradict each other leave, zero otherwise.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

Examples
--------
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> hand = model.contact("panda_link8")
>>> model.constraint_dynamics(model.random(seed=1), np.zeros(7), np.zeros(7), hand).lambda_.shape
(3,)"#
    };
    (constraint_dynamics_derivatives) => {
        r#"Forward dynamics under contacts and loops, with the derivatives of accelerations and forces.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 10 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ConstraintDynamicsDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (constraint_inverse_dynamics_derivatives) => {
        r#"Inverse dynamics with given forces of constraints, and its derivatives.

Inverse dynamics with given forces of constraints: torques `tau = M a + c - J^T lambda_` and rows `J a +
gamma`, with their derivatives.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
a : array_like, shape (..., nv)
    Accelerations, rad/s^2 or m/s^2.
lambda_ : array_like, shape (..., rows)
    Forces of the constraints, a number a row, N or N m.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 9 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ConstraintInverseDynamicsDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (constraint_dynamics_hessian) => {
        r#"A combination of accelerations and forces of constraint dynamics, with its Hessian.

The combination `on_ddq^T ddq + on_lambda^T lambda_` of constraint dynamics, its gradient and Hessian in
blocks.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
tau : array_like, shape (..., nv)
    Torques or forces of the joints, N m or N.
on_ddq : array_like, shape (..., nv)
    Weights of the accelerations.
on_lambda : array_like, shape (..., rows)
    Weights of the forces of the constraints.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
wrenches : dict, optional
    External wrenches: from the name of a link or frame to arrays of shape (..., 6), force in N, then moment
    in N m, in axes of the frame and about its origin; from a pair of the name and "world", in axes of the
    world and about its origin.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 8 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ConstraintDynamicsHessian
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (impulse_dynamics) => {
        r#"An impact: velocities after it and impulses, `M (v+ - v-) = J^T impulse`, `J v+ = -restitution J v-`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
restitution : float
    Coefficient of restitution, 0 to 1.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 3 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ImpulseDynamics
    A named tuple:

    v_after : ndarray, shape (..., nv)
        Velocities after the impact, rad/s or m/s.
    impulse : ndarray, shape (..., rows)
        Impulses of the constraints on the robot, N s or N m s, a number a row.
    residual : float, or ndarray of shape (...)
        What dependent constraints that contradict each other leave, zero otherwise.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (impulse_dynamics_derivatives) => {
        r#"An impact, with the derivatives of velocities and impulses.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
restitution : float
    Coefficient of restitution, 0 to 1.
method : {"analytical", "dual", "difference"}
    How derivatives are computed: by closed formulas, by dual numbers through the algorithm, which are exact
    too and serve as a check, or by extrapolated differences.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 6 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ImpulseDynamicsDerivatives
    A named tuple:

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

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (constraint_error) => {
        r#"Errors of constraints, m and rad: zero where they are satisfied.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
error : ndarray, shape (..., rows)
    Errors of the constraints, m or rad, a number a row.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (constraint_jacobian) => {
        r#"The Jacobian of constraints.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
jacobian : ndarray, shape (..., rows, nv)
    The Jacobian.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (constraint_bias) => {
        r#"`gamma` of constraints: accelerations satisfy `J ddq = -gamma`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
gamma : ndarray, shape (..., rows)
    Accelerations of the constraints at a = 0, m/s^2 or rad/s^2, a number a row.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (constraint_rank) => {
        r#"How many rows of constraints are independent, and how clearly.

How many rows of constraints are independent, and how clearly: the least pivot kept and the greatest dropped,
relative.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
constraints : Constraint or sequence of Constraint
    Contacts and loops, made by `contact`, `connect` and `weld`.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 3 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.ConstraintRank
    A named tuple:

    rank : float, or ndarray of shape (...)
        Number of independent rows.
    kept : float, or ndarray of shape (...)
        The least pivot of independent rows, relative.
    dropped : float, or ndarray of shape (...)
        The greatest pivot of dependent rows, relative.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (integrate) => {
        r#"Moves along the configurations: `q ⊕ v`, v a step in the tangent space.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Steps in the tangent space, rad or m.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
q_moved : ndarray, shape (..., nq)
    Configurations.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

Examples
--------
>>> model = gradyn.Model.from_urdf("robots/floating.urdf")
>>> q = model.random(2, seed=1)
>>> bool(np.allclose(model.integrate(q[0], model.difference(q[0], q[1])), q[1]))
True"#
    };
    (difference) => {
        r#"The step from one configuration to another: `integrate(q0, difference(q0, q1))` is `q1`.

Parameters
----------
q0 : array_like, shape (..., nq)
    Configurations to start from.
q1 : array_like, shape (..., nq)
    Configurations to end at.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
v : ndarray, shape (..., nv)
    Steps in the tangent space, rad or m.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (interpolate) => {
        r#"The configuration at the fraction `t` of the way from one to another.

Parameters
----------
q0 : array_like, shape (..., nq)
    Configurations to start from.
q1 : array_like, shape (..., nq)
    Configurations to end at.
t : array_like, shape (...)
    Fractions of the way, 0 at the start, 1 at the end.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
q : ndarray, shape (..., nq)
    Configurations.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing.

Examples
--------
>>> model = gradyn.Model.from_urdf("robots/floating.urdf")
>>> q = model.random(2, seed=1)
>>> model.interpolate(q[0], q[1], np.linspace(0, 1, 5)).shape
(5, 10)"#
    };
    (q_dot) => {
        r#"Time derivative of the numbers of `q` at the velocity `v`.

Parameters
----------
q : array_like, shape (..., nq)
    Configurations.
v : array_like, shape (..., nv)
    Velocities, rad/s or m/s.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : ndarray of float64, optional
    Filled with the result and returned, whatever its strides.

Returns
-------
rate : ndarray, shape (..., nq)
    The time derivative.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (integrate_derivatives) => {
        r#"Derivatives of `integrate(q, v)` in the tangent space, by `q` and by `v`.

Parameters
----------
v : array_like, shape (..., nv)
    Steps in the tangent space, rad or m.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 2 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.IntegrateDerivatives
    A named tuple:

    dq : ndarray, shape (..., nv, nv)
        Derivative by q.
    dv : ndarray, shape (..., nv, nv)
        Derivative by v.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    (difference_derivatives) => {
        r#"Derivatives of `difference(q0, q1)` in the tangent space, by `q0` and by `q1`.

Parameters
----------
q0 : array_like, shape (..., nq)
    Configurations to start from.
q1 : array_like, shape (..., nq)
    Configurations to end at.
threads : int, optional
    Threads for many states; all processors without it. The result is the same, bit by bit.
out : tuple of 2 ndarrays of float64 or None, optional
    Filled with the results and returned, whatever their strides; None for those to be made.

Returns
-------
gradyn.results.DifferenceDerivatives
    A named tuple:

    dq0 : ndarray, shape (..., nv, nv)
        Derivative by q0.
    dq1 : ndarray, shape (..., nv, nv)
        Derivative by q1.

Raises
------
InputError
    For arguments of a wrong shape or type, that are not finite, or that name nothing."#
    };
    ($other:ident) => {
        "Of the package's own modules."
    };
}
pub(crate) use doc_of;
