"""What `gradyn.jax` is made of: functions of a robot, with their derivatives."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gradyn import Constraint, Model
from gradyn._functions import HAT
from gradyn._jax_calls import (
    Arrays,
    Differentiable,
    Function,
    dot,
    kernel,
    last_one,
    robot_of,
    smooth,
    some,
    swap,
    total,
)

#: Frames of wrenches, each with "local" or "world".
_Keys = tuple[tuple[str, str], ...]


def _by_wrenches(first: Function) -> Function:
    """The matrices of a function's derivatives, with one for each wrench."""

    def call(*x: Array) -> Arrays:
        y, dq, dv, du, df = first(*x)
        return y, dq, dv, du, *(df[..., k, :, :] for k in range(len(x) - 3))

    return call


@functools.lru_cache(maxsize=128)
def rnea(model: Model, keys: _Keys, threads: int | None) -> Differentiable:
    made = functools.partial(kernel, model, wrenches=list(keys), threads=threads)
    tensors = made("rnea_second_derivatives")
    moved = [_jacobian_tensor(model, frame, axes, threads) for frame, axes in keys]

    def second(*x: Array) -> Arrays:
        qq, qv, vv, aq = tensors(*x)
        # Torques have the term -J^T f.
        return qq, qv, vv, swap(aq), *(-jnp.moveaxis(rates(x[0]), -3, -1) for rates in moved)

    return smooth(robot_of(model), made("rnea"), _by_wrenches(made("rnea_derivatives")), second, "rnea")


@functools.lru_cache(maxsize=128)
def aba(model: Model, keys: _Keys, threads: int | None) -> Differentiable:
    made = functools.partial(kernel, model, wrenches=list(keys), threads=threads)
    tensors, derivatives = made("aba_second_derivatives"), made("aba_derivatives")
    moved = [_jacobian_tensor(model, frame, axes, threads) for frame, axes in keys]
    jacobians = [kernel(model, "frame_jacobian", frame=frame, reference=axes, threads=threads) for frame, axes in keys]

    def second(*x: Array) -> Arrays:
        qq, qv, vv, qu = tensors(*x)
        if not keys:
            return qq, qv, vv, qu
        inverse, qf = derivatives(*x)[3], []
        for rates, jacobian in zip(moved, jacobians, strict=True):
            # A wrench acts as the torques J^T f.
            by_inverse = jnp.einsum("...ijl,...kl->...ijk", qu, jacobian(x[0])[0])
            qf.append(by_inverse + jnp.einsum("...il,...klj->...ijk", inverse, rates(x[0])))
        return qq, qv, vv, qu, *qf

    return smooth(robot_of(model), made("aba"), _by_wrenches(derivatives), second, "aba")


@functools.lru_cache(maxsize=128)
def constrained(model: Model, constraints: tuple[Constraint, ...], threads: int | None) -> Differentiable:
    made = functools.partial(kernel, model, constraints=list(constraints), threads=threads)
    names = ("constraint_dynamics", "constraint_dynamics_derivatives", "constraint_dynamics_hessian")
    values, derivatives, hessian = (made(name) for name in names)
    nv = model.nv
    rows = sum(len(constraint) for constraint in constraints)
    weights = np.eye(nv + rows)

    def both(a: Array, b: Array, axis: int) -> Array:
        return jnp.concatenate([a, b], axis)

    def value(*x: Array) -> Arrays:
        ddq, forces, _ = values(*x)
        return (both(ddq, forces, -1),)

    def first(*x: Array) -> Arrays:
        ddq, forces, aq, av, au, _, fq, fv, fu, _ = derivatives(*x)
        return both(ddq, forces, -1), both(aq, fq, -2), both(av, fv, -2), both(au, fu, -2)

    def second(*x: Array) -> Arrays:
        lead = x[0].shape[:-1]
        of = [jnp.broadcast_to(y[..., None, :], (*lead, nv + rows, y.shape[-1])) for y in x]
        on = [jnp.broadcast_to(w, (*lead, *w.shape)) for w in (weights[:, :nv], weights[:, nv:])]
        *_, qq, vq, uq, vv = hessian(*of, *on)
        return qq, swap(vq), vv, swap(uq)

    return smooth(robot_of(model), value, first, second, "constraint_dynamics")


@functools.lru_cache(maxsize=128)
def crba(model: Model, threads: int | None) -> Differentiable:
    robot, nv = robot_of(model), model.nv
    value, tensors, hessian = (
        kernel(model, name, threads=threads) for name in ("crba", "rnea_second_derivatives", "rnea_hessian")
    )

    def second(q: Array) -> Array:
        # Entry (i, j) of M is the i-th torque at the acceleration e_j, without that at rest.
        eye = np.eye(nv)
        unit = np.broadcast_to(np.concatenate([eye, np.zeros((1, nv))]), (nv, nv + 1, nv))
        on = np.broadcast_to(eye[:, None, :], unit.shape)
        lead = (*q.shape[:-1], nv, nv + 1)
        at = jnp.broadcast_to(q[..., None, None, :], (*lead, q.shape[-1]))
        qq = hessian(at, jnp.zeros((*lead, nv)), *(jnp.broadcast_to(x, (*lead, nv)) for x in (unit, on)))[4]
        return jnp.asarray(qq[..., :nv, :, :] - qq[..., nv:, :, :])

    last = last_one(second, "crba")

    @jax.custom_jvp
    def tensor(q: Array) -> Array:
        still = jnp.zeros((*q.shape[:-1], nv))
        return jnp.asarray(tensors(q, still, still)[3])

    @tensor.defjvp
    def _(primals: Arrays, tangents: Arrays) -> tuple[Array, Array]:
        (q,), (t,) = primals, tangents
        return tensor(q), dot(last(q), robot.tangent(q, t))

    @jax.custom_jvp
    def function(q: Array) -> Array:
        return jnp.asarray(value(q)[0])

    @function.defjvp
    def _(primals: Arrays, tangents: Arrays) -> tuple[Array, Array]:
        (q,), (t,) = primals, tangents
        return function(q), dot(tensor(q), robot.tangent(q, t))

    return function


def _jacobian_tensor(model: Model, frame: str, reference: str, threads: int | None) -> Function:
    """How the Jacobian of a frame changes with `q`, (..., 6, nv, nv)."""
    rate = kernel(model, "frame_jacobian_rate", frame=frame, reference=reference, threads=threads)
    nv = model.nv

    def tensor(q: Array) -> Array:
        # The rate at the velocity e_k is the derivative along it.
        lead = q.shape[:-1]
        at, eye = (jnp.broadcast_to(x, (*lead, nv, x.shape[-1])) for x in (q[..., None, :], np.eye(nv)))
        return jnp.moveaxis(rate(at, eye)[0], -3, -1)

    return tensor


@functools.lru_cache(maxsize=256)
def jacobian(model: Model, frame: str, reference: str, threads: int | None) -> Differentiable:
    robot = robot_of(model)
    value = kernel(model, "frame_jacobian", frame=frame, reference=reference, threads=threads)
    last = last_one(_jacobian_tensor(model, frame, reference, threads), "frame_pose")

    @jax.custom_jvp
    def function(q: Array) -> Array:
        return jnp.asarray(value(q)[0])

    @function.defjvp
    def _(primals: Arrays, tangents: Arrays) -> tuple[Array, Array]:
        (q,), (t,) = primals, tangents
        return function(q), dot(last(q), robot.tangent(q, t))

    return function


@functools.lru_cache(maxsize=256)
def pose(model: Model, frame: str, threads: int | None) -> Differentiable:
    robot = robot_of(model)
    value = kernel(model, "frame_pose", frame=frame, threads=threads)
    of_frame = jacobian(model, frame, "local", threads)

    @jax.custom_jvp
    def function(q: Array) -> Array:
        return jnp.asarray(value(q)[0])

    @function.defjvp
    def _(primals: Arrays, tangents: Arrays) -> tuple[Array, Array]:
        (q,), (t,) = primals, tangents
        pose = function(q)
        twist = dot(of_frame(q), robot.tangent(q, t))
        return pose, pose @ jnp.einsum("ijk,...k->...ij", HAT, twist)

    return function


@functools.lru_cache(maxsize=128)
def integrate(model: Model, threads: int | None) -> Differentiable:
    robot = robot_of(model)
    made = functools.partial(kernel, model, threads=threads)
    value, first = made("integrate"), made("integrate_derivatives")
    last = last_one(made("_integrate_second_derivatives"), "integrate")

    @jax.custom_jvp
    def matrices(v: Array) -> Arrays:
        return tuple(first(v))

    @matrices.defjvp
    def _(primals: Arrays, tangents: Arrays) -> tuple[Arrays, Arrays]:
        (v,), (t,) = primals, tangents
        return matrices(v), tuple(dot(tensor, t) for tensor in last(v))

    @jax.custom_jvp
    def function(q: Array, v: Array) -> Array:
        return jnp.asarray(value(q, v)[0])

    def jvp(x: Arrays, t: tuple[Any, ...]) -> tuple[Array, Array]:
        moved = function(*x)
        tq, tv = robot.tangent(x[0], t[0]), some(t[1])
        if robot.flat:
            return moved, total(moved, tq, tv)
        dq, dv = matrices(x[1])
        return moved, robot.numbers(moved, total(x[1], dot(dq, tq), dot(dv, tv)))

    function.defjvp(jvp, symbolic_zeros=True)
    return function


@functools.lru_cache(maxsize=128)
def difference(model: Model, threads: int | None) -> Differentiable:
    robot = robot_of(model)
    made = functools.partial(kernel, model, threads=threads)
    value, first = made("difference"), made("difference_derivatives")
    last = last_one(made("_difference_second_derivatives"), "difference")

    @jax.custom_jvp
    def matrices(q0: Array, q1: Array) -> Arrays:
        return tuple(first(q0, q1))

    @matrices.defjvp
    def _(primals: Arrays, tangents: Arrays) -> tuple[Arrays, Arrays]:
        t0, t1 = (robot.tangent(q, t) for q, t in zip(primals, tangents, strict=True))
        a0, a1, b0, b1 = last(*primals)
        return matrices(*primals), (dot(a0, t0) + dot(a1, t1), dot(b0, t0) + dot(b1, t1))

    @jax.custom_jvp
    def function(q0: Array, q1: Array) -> Array:
        return jnp.asarray(value(q0, q1)[0])

    def jvp(x: Arrays, t: tuple[Any, ...]) -> tuple[Array, Array]:
        step = function(*x)
        t0, t1 = robot.tangent(x[0], t[0]), robot.tangent(x[1], t[1])
        if robot.flat:
            return step, total(step, None if t0 is None else -t0, t1)
        by_q0, by_q1 = matrices(*x)
        return step, total(step, dot(by_q0, t0), dot(by_q1, t1))

    function.defjvp(jvp, symbolic_zeros=True)
    return function
