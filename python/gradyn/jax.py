"""gradyn's functions in JAX, with exact derivatives.

>>> import jax
>>> jax.config.update("jax_enable_x64", True)
>>> import gradyn, gradyn.jax as gj
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> q = jax.numpy.zeros(7)
>>> jax.jacobian(lambda q: gj.crba(model, q))(q).shape
(7, 7, 7)

A call runs the compiled engine by XLA's interface for foreign functions: nothing of the dynamics is traced or compiled.
``vmap`` makes one call of many states. Forward and reverse mode work, nested twice; third derivatives are refused.
Arrays are of float64 and stand on the CPU.

A model is static: close over it, or name it in ``static_argnums``. Where ``nq`` is greater than ``nv``, derivatives by
the numbers of ``q`` are those along the configurations: a change of a quaternion's length changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gradyn import Constraint, Model, _jax

__all__ = [
    "ConstraintDynamics",
    "aba",
    "constraint_dynamics",
    "crba",
    "difference",
    "frame_jacobian",
    "frame_pose",
    "integrate",
    "rnea",
]


class ConstraintDynamics(NamedTuple):
    """Result of :func:`constraint_dynamics`."""

    ddq: Array
    """Accelerations, (..., nv)."""
    lambda_: Array
    """Forces of the constraints, (..., rows)."""


def _states(**given: tuple[Any, int]) -> list[Array]:
    """Arrays of float64, of the same leading dimensions."""
    arrays, config = [], cast(Any, jax.config)
    for name, (x, size) in given.items():
        array = jnp.asarray(x) if hasattr(x, "dtype") else jnp.asarray(np.asarray(x, np.float64))
        if not config.jax_enable_x64:
            raise TypeError(
                'gradyn.jax computes in float64: call jax.config.update("jax_enable_x64", True) before arrays are made'
            )
        if array.dtype != jnp.float64:
            raise TypeError(f"`{name}` is of {array.dtype}, expected float64: `{name}.astype(jnp.float64)` converts it")
        if array.ndim == 0 or array.shape[-1] != size:
            raise ValueError(f"`{name}` has shape {array.shape}, expected (..., {size})")
        arrays.append(array)
    lead = jnp.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    return [jnp.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]


def _wrenches(
    given: Mapping[str | tuple[str, str], Any] | None,
) -> tuple[tuple[tuple[str, str], ...], dict[str, tuple[Any, int]]]:
    """Frames with "local" or "world", and the wrenches' numbers by what to call them."""
    given = given or {}
    keys = tuple((key, "local") if isinstance(key, str) else key for key in given)
    return keys, {f"wrenches[{key!r}]": (wrench, 6) for key, wrench in given.items()}


def rnea(
    model: Model,
    q: Any,
    v: Any,
    a: Any,
    *,
    wrenches: Mapping[str | tuple[str, str], Any] | None = None,
    threads: int | None = None,
) -> Array:
    """Inverse dynamics: joint torques.

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q : array_like, (..., nq)
        Configurations.
    v, a : array_like, (..., nv)
        Velocities and accelerations.
    wrenches : mapping from str or (str, "world") to array_like, (..., 6), optional
        External wrenches on frames: force, then moment, in the frame's own axes, or about the world's origin in those
        of the world. Frames are static, numbers are not.
    threads : int, optional
        For many states; all of the machine's without it.

    Returns
    -------
    jax.Array, (..., nv)
        N m or N.
    """
    keys, acting = _wrenches(wrenches)
    x = _states(q=(q, model.nq), v=(v, model.nv), a=(a, model.nv), **acting)
    return _jax.rnea(model, keys, threads)(*x)


def aba(
    model: Model,
    q: Any,
    v: Any,
    tau: Any,
    *,
    wrenches: Mapping[str | tuple[str, str], Any] | None = None,
    threads: int | None = None,
) -> Array:
    """Forward dynamics: joint accelerations.

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q : array_like, (..., nq)
        Configurations.
    v, tau : array_like, (..., nv)
        Velocities and torques.
    wrenches : mapping from str or (str, "world") to array_like, (..., 6), optional
        External wrenches on frames: force, then moment, in the frame's own axes, or about the world's origin in those
        of the world. Frames are static, numbers are not.
    threads : int, optional
        For many states; all of the machine's without it.

    Returns
    -------
    jax.Array, (..., nv)
        rad/s^2 or m/s^2.
    """
    keys, acting = _wrenches(wrenches)
    x = _states(q=(q, model.nq), v=(v, model.nv), tau=(tau, model.nv), **acting)
    return _jax.aba(model, keys, threads)(*x)


def crba(model: Model, q: Any, *, threads: int | None = None) -> Array:
    """The mass matrix, (..., nv, nv).

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q : array_like, (..., nq)
        Configurations.
    threads : int, optional
        For many states; all of the machine's without it.
    """
    return _jax.crba(model, threads)(*_states(q=(q, model.nq)))


def frame_pose(model: Model, q: Any, frame: str, *, threads: int | None = None) -> Array:
    """The pose of a frame in the world, (..., 4, 4).

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q : array_like, (..., nq)
        Configurations.
    frame : str
        A name of `Model.frame_names` or `Model.body_names`.
    threads : int, optional
        For many states; all of the machine's without it.
    """
    return _jax.pose(model, frame, threads)(*_states(q=(q, model.nq)))


def frame_jacobian(
    model: Model, q: Any, frame: str, *, reference: str = "local", threads: int | None = None
) -> Array:
    """The Jacobian of a frame, linear rows first, (..., 6, nv). It can be differentiated once.

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q : array_like, (..., nq)
        Configurations.
    frame : str
        A name of `Model.frame_names` or `Model.body_names`.
    reference : {"local", "world", "local-world-aligned"}
        Where the velocity is expressed.
    threads : int, optional
        For many states; all of the machine's without it.
    """
    made = _jax.jacobian(model, frame, reference, threads)
    return made(*_states(q=(q, model.nq)))


def constraint_dynamics(
    model: Model,
    q: Any,
    v: Any,
    tau: Any,
    constraints: Constraint | Sequence[Constraint],
    *,
    threads: int | None = None,
) -> ConstraintDynamics:
    """Forward dynamics under contacts and loops: accelerations, and the forces that hold the constraints.

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q : array_like, (..., nq)
        Configurations.
    v, tau : array_like, (..., nv)
        Velocities and torques.
    constraints : gradyn.Constraint or sequence of them
        As `Model.contact`, `Model.connect` and `Model.weld` make them, static.
    threads : int, optional
        For many states; all of the machine's without it.
    """
    given = (constraints,) if isinstance(constraints, Constraint) else tuple(constraints)
    x = _states(q=(q, model.nq), v=(v, model.nv), tau=(tau, model.nv))
    both = _jax.constrained(model, given, threads)(*x)
    return ConstraintDynamics(both[..., : model.nv], both[..., model.nv :])


def integrate(model: Model, q: Any, v: Any, *, threads: int | None = None) -> Array:
    """Moves along the configurations by a step in the tangent space, (..., nq).

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q : array_like, (..., nq)
        Configurations.
    v : array_like, (..., nv)
        Steps: a velocity times a time.
    threads : int, optional
        For many states; all of the machine's without it.
    """
    x = _states(q=(q, model.nq), v=(v, model.nv))
    return _jax.integrate(model, threads)(*x)


def difference(model: Model, q0: Any, q1: Any, *, threads: int | None = None) -> Array:
    """The step from one configuration to another, (..., nv): `integrate(q0, difference(q0, q1))` is `q1`.

    Parameters
    ----------
    model : gradyn.Model
        The robot, static.
    q0, q1 : array_like, (..., nq)
        Configurations.
    threads : int, optional
        For many states; all of the machine's without it.
    """
    x = _states(q0=(q0, model.nq), q1=(q1, model.nq))
    return _jax.difference(model, threads)(*x)
