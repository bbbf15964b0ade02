"""What `gradyn.jax` is made of: calls of the engine from XLA, and rules of derivatives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.custom_derivatives import SymbolicZero

from gradyn import Constraint, Model, _gradyn
from gradyn._smooth import numbers

#: Functions that have no stubs.
_engine: Any = _gradyn
_TARGET = "gradyn"
_Arrays = tuple[Array, ...]
_Function = Callable[..., Any]
_Differentiable = Callable[..., Array]
_shape: Any = jax.ShapeDtypeStruct


@functools.cache
def _register() -> None:
    ffi: Any = getattr(jax, "ffi", None)
    if ffi is None:
        raise ImportError(f"gradyn.jax needs JAX 0.5 or newer, this is {jax.__version__}")
    capsule = ffi.pycapsule(_engine._xla_handler()["address"])
    ffi.register_ffi_target(_TARGET, capsule, platform="cpu")


def _kernel(model: Model, name: str, **choices: Any) -> _Function:
    """A function of the engine, from arrays to a tuple of arrays."""
    _register()
    key, _, shapes = _engine._xla_register(model, name, **choices)
    number = np.int64(key)

    def call(*arrays: Array) -> _Arrays:
        lead = arrays[0].shape[:-1]
        kinds = [_shape((*lead, *shape), jnp.float64) for shape, _ in shapes]
        made = jax.ffi.ffi_call(_TARGET, kinds, vmap_method="broadcast_all")(*arrays, entry=number)
        # The engine's matrices stand column by column.
        return tuple(
            jnp.swapaxes(array, -1, -2) if exchanged else array
            for array, (_, exchanged) in zip(made, shapes, strict=True)
        )

    return call


def _last(kernel: _Function, name: str) -> _Function:
    """The same function, which refuses to be differentiated with a sentence."""
    wrapped = jax.custom_jvp(kernel)

    @wrapped.defjvp
    def _(primals: _Arrays, tangents: _Arrays) -> Any:
        raise NotImplementedError(f"gradyn.jax: third derivatives of `{name}` are not available, second ones are")

    return wrapped


def _dot(matrix: Array, vector: Any) -> Any:
    """A matrix, or a tensor's last dimension, times a vector that may be a zero that is known to be one."""
    if vector is None:
        return None
    kept = "ijk"[: matrix.ndim - vector.ndim]
    return jnp.einsum(f"...{kept}l,...l->...{kept}", matrix, vector)


def _sum(like: Array, *terms: Any) -> Array:
    there = [term for term in terms if term is not None]
    return functools.reduce(jnp.add, there) if there else jnp.zeros_like(like)


def _swap(tensor: Array) -> Array:
    return jnp.swapaxes(tensor, -1, -2)


class _Robot:
    """What functions of one robot share."""

    def __init__(self, model: Model) -> None:
        of = numbers(model)
        self.flat, self.scale, self.together = of.flat, of.scale, of.together
        self.free = 1 - np.diag(of.together)
        value, second = _kernel(model, "_rates"), _last(_kernel(model, "_rates_derivatives"), "rates of q")

        @jax.custom_jvp
        def rates_of(q: Array) -> Array:
            return jnp.asarray(value(q)[0])

        @rates_of.defjvp
        def _(primals: _Arrays, tangents: _Arrays) -> tuple[Array, Array]:
            (q,), (t,) = primals, tangents
            return rates_of(q), _dot(second(q)[0], self.tangent(q, t))

        self.rates = rates_of

    def tangent(self, q: Array, t: Any) -> Any:
        """The velocity at which the numbers of `q` change so."""
        if isinstance(t, SymbolicZero):
            return None
        if self.flat:
            return t
        # Functions do not depend on a quaternion's length, which is one: derivatives by its numbers shrink with it.
        length = jnp.sqrt(q**2 @ self.together + self.free)
        return jnp.einsum("...ij,...i->...j", self.rates(q), t / length) * self.scale

    def numbers(self, q: Array, v: Array) -> Array:
        """How the numbers of `q` change at a velocity."""
        return v if self.flat else _dot(self.rates(q), v)


@functools.lru_cache(maxsize=128)
def _robot(model: Model) -> _Robot:
    return _Robot(model)


def _some(t: Any) -> Any:
    return None if isinstance(t, SymbolicZero) else t


def _smooth(robot: _Robot, value: _Function, first: _Function, second: _Function, name: str) -> _Differentiable:
    """`y(q, v, u, *f)`, linear in `u` and each `f`, none of which multiplies `v` or another one.

    `first` gives `y` and a matrix for each argument. `second` gives tensors by q q, q v, v v, q u and q f: entry (i, j,
    k) is the derivative of `y[i]` by the j-th of the first and the k-th of the second.
    """
    last = _last(second, name)

    @jax.custom_jvp
    def matrices(*x: Array) -> _Arrays:
        return tuple(first(*x))

    def along(x: _Arrays, t: tuple[Any, ...]) -> list[Any]:
        return [robot.tangent(x[0], t[0]), *map(_some, t[1:])]

    def matrices_jvp(x: _Arrays, t: tuple[Any, ...]) -> tuple[_Arrays, _Arrays]:
        y, dq, *others = made = matrices(*x)
        tq, tv, *ts = along(x, t)
        qq, qv, vv, *qs = last(*x)
        changes = [_sum(y, *map(_dot, made[1:], (tq, tv, *ts)))]
        changes += [_sum(dq, _dot(qq, tq), _dot(qv, tv), *map(_dot, qs, ts))]
        changes += [_sum(others[0], _dot(_swap(qv), tq), _dot(vv, tv))]
        changes += [_sum(matrix, _dot(_swap(tensor), tq)) for matrix, tensor in zip(others[1:], qs, strict=True)]
        return made, tuple(changes)

    matrices.defjvp(matrices_jvp, symbolic_zeros=True)

    @jax.custom_jvp
    def function(*x: Array) -> Array:
        (y, *_) = value(*x)
        return jnp.asarray(y)

    def function_jvp(x: _Arrays, t: tuple[Any, ...]) -> tuple[Array, Array]:
        y, *by = matrices(*x)
        return y, _sum(y, *map(_dot, by, along(x, t)))

    function.defjvp(function_jvp, symbolic_zeros=True)
    return function


#: Frames of wrenches, each with "local" or "world".
_Keys = tuple[tuple[str, str], ...]


def _by_wrenches(first: _Function) -> _Function:
    """The matrices of a function's derivatives, with one for each wrench."""

    def call(*x: Array) -> _Arrays:
        y, dq, dv, du, df = first(*x)
        return y, dq, dv, du, *(df[..., k, :, :] for k in range(len(x) - 3))

    return call


@functools.lru_cache(maxsize=128)
def rnea(model: Model, keys: _Keys, threads: int | None) -> _Differentiable:
    made = functools.partial(_kernel, model, wrenches=list(keys), threads=threads)
    tensors = made("rnea_second_derivatives")
    moved = [_jacobian_tensor(model, frame, axes, threads) for frame, axes in keys]

    def second(*x: Array) -> _Arrays:
        qq, qv, vv, aq = tensors(*x)
        # Torques have the term -J^T f.
        return qq, qv, vv, _swap(aq), *(-jnp.moveaxis(rates(x[0]), -3, -1) for rates in moved)

    return _smooth(_robot(model), made("rnea"), _by_wrenches(made("rnea_derivatives")), second, "rnea")


@functools.lru_cache(maxsize=128)
def aba(model: Model, keys: _Keys, threads: int | None) -> _Differentiable:
    made = functools.partial(_kernel, model, wrenches=list(keys), threads=threads)
    tensors, derivatives = made("aba_second_derivatives"), made("aba_derivatives")
    moved = [_jacobian_tensor(model, frame, axes, threads) for frame, axes in keys]
    jacobians = [_kernel(model, "frame_jacobian", frame=frame, reference=axes, threads=threads) for frame, axes in keys]

    def second(*x: Array) -> _Arrays:
        qq, qv, vv, qu = tensors(*x)
        if not keys:
            return qq, qv, vv, qu
        inverse, qf = derivatives(*x)[3], []
        for rates, jacobian in zip(moved, jacobians, strict=True):
            # A wrench acts as the torques J^T f.
            by_inverse = jnp.einsum("...ijl,...kl->...ijk", qu, jacobian(x[0])[0])
            qf.append(by_inverse + jnp.einsum("...il,...klj->...ijk", inverse, rates(x[0])))
        return qq, qv, vv, qu, *qf

    return _smooth(_robot(model), made("aba"), _by_wrenches(derivatives), second, "aba")


@functools.lru_cache(maxsize=128)
def constrained(model: Model, constraints: tuple[Constraint, ...], threads: int | None) -> _Differentiable:
    made = functools.partial(_kernel, model, constraints=list(constraints), threads=threads)
    names = ("constraint_dynamics", "constraint_dynamics_derivatives", "constraint_dynamics_hessian")
    values, derivatives, hessian = (made(name) for name in names)
    nv = model.nv
    rows = sum(len(constraint) for constraint in constraints)
    weights = np.eye(nv + rows)

    def both(a: Array, b: Array, axis: int) -> Array:
        return jnp.concatenate([a, b], axis)

    def value(*x: Array) -> _Arrays:
        ddq, forces, _ = values(*x)
        return (both(ddq, forces, -1),)

    def first(*x: Array) -> _Arrays:
        ddq, forces, aq, av, au, _, fq, fv, fu, _ = derivatives(*x)
        return both(ddq, forces, -1), both(aq, fq, -2), both(av, fv, -2), both(au, fu, -2)

    def second(*x: Array) -> _Arrays:
        lead = x[0].shape[:-1]
        of = [jnp.broadcast_to(y[..., None, :], (*lead, nv + rows, y.shape[-1])) for y in x]
        on = [jnp.broadcast_to(w, (*lead, *w.shape)) for w in (weights[:, :nv], weights[:, nv:])]
        *_, qq, vq, uq, vv = hessian(*of, *on)
        return qq, _swap(vq), vv, _swap(uq)

    return _smooth(_robot(model), value, first, second, "constraint_dynamics")


@functools.lru_cache(maxsize=128)
def crba(model: Model, threads: int | None) -> _Differentiable:
    robot = _robot(model)
    value = _kernel(model, "crba", threads=threads)
    tensors = _kernel(model, "rnea_second_derivatives", threads=threads)
    last = _last(lambda q: tensors(q, *(jnp.zeros((*q.shape[:-1], model.nv)),) * 2)[3], "rnea")

    @jax.custom_jvp
    def function(q: Array) -> Array:
        return jnp.asarray(value(q)[0])

    @function.defjvp
    def _(primals: _Arrays, tangents: _Arrays) -> tuple[Array, Array]:
        (q,), (t,) = primals, tangents
        return function(q), _dot(last(q), robot.tangent(q, t))

    return function


def _jacobian_tensor(model: Model, frame: str, reference: str, threads: int | None) -> _Function:
    """How the Jacobian of a frame changes with `q`, (..., 6, nv, nv)."""
    rate = _kernel(model, "frame_jacobian_rate", frame=frame, reference=reference, threads=threads)
    nv = model.nv

    def tensor(q: Array) -> Array:
        # The rate at the velocity e_k is the derivative along it.
        lead = q.shape[:-1]
        at, eye = (jnp.broadcast_to(x, (*lead, nv, x.shape[-1])) for x in (q[..., None, :], np.eye(nv)))
        return jnp.moveaxis(rate(at, eye)[0], -3, -1)

    return tensor


@functools.lru_cache(maxsize=256)
def jacobian(model: Model, frame: str, reference: str, threads: int | None) -> _Differentiable:
    robot = _robot(model)
    value = _kernel(model, "frame_jacobian", frame=frame, reference=reference, threads=threads)
    last = _last(_jacobian_tensor(model, frame, reference, threads), "frame_pose")

    @jax.custom_jvp
    def function(q: Array) -> Array:
        return jnp.asarray(value(q)[0])

    @function.defjvp
    def _(primals: _Arrays, tangents: _Arrays) -> tuple[Array, Array]:
        (q,), (t,) = primals, tangents
        return function(q), _dot(last(q), robot.tangent(q, t))

    return function


#: From a twist, linear part first, to the 4 x 4 matrix of its motion.
_HAT = np.zeros((4, 4, 6))
_HAT[[0, 1, 2], 3, [0, 1, 2]] = 1
_HAT[[2, 0, 1], [1, 2, 0], [3, 4, 5]] = 1
_HAT[[1, 2, 0], [2, 0, 1], [3, 4, 5]] = -1


@functools.lru_cache(maxsize=256)
def pose(model: Model, frame: str, threads: int | None) -> _Differentiable:
    robot = _robot(model)
    value = _kernel(model, "frame_pose", frame=frame, threads=threads)
    of_frame = jacobian(model, frame, "local", threads)

    @jax.custom_jvp
    def function(q: Array) -> Array:
        return jnp.asarray(value(q)[0])

    @function.defjvp
    def _(primals: _Arrays, tangents: _Arrays) -> tuple[Array, Array]:
        (q,), (t,) = primals, tangents
        pose = function(q)
        twist = _dot(of_frame(q), robot.tangent(q, t))
        return pose, pose @ jnp.einsum("ijk,...k->...ij", _HAT, twist)

    return function


@functools.lru_cache(maxsize=128)
def integrate(model: Model, threads: int | None) -> _Differentiable:
    robot = _robot(model)
    made = functools.partial(_kernel, model, threads=threads)
    value, first = made("integrate"), made("integrate_derivatives")
    last = _last(made("_integrate_second_derivatives"), "integrate")

    @jax.custom_jvp
    def matrices(v: Array) -> _Arrays:
        return tuple(first(v))

    @matrices.defjvp
    def _(primals: _Arrays, tangents: _Arrays) -> tuple[_Arrays, _Arrays]:
        (v,), (t,) = primals, tangents
        return matrices(v), tuple(_dot(tensor, t) for tensor in last(v))

    @jax.custom_jvp
    def function(q: Array, v: Array) -> Array:
        return jnp.asarray(value(q, v)[0])

    def jvp(x: _Arrays, t: tuple[Any, ...]) -> tuple[Array, Array]:
        moved = function(*x)
        tq, tv = robot.tangent(x[0], t[0]), _some(t[1])
        if robot.flat:
            return moved, _sum(moved, tq, tv)
        dq, dv = matrices(x[1])
        return moved, robot.numbers(moved, _sum(x[1], _dot(dq, tq), _dot(dv, tv)))

    function.defjvp(jvp, symbolic_zeros=True)
    return function


@functools.lru_cache(maxsize=128)
def difference(model: Model, threads: int | None) -> _Differentiable:
    robot = _robot(model)
    made = functools.partial(_kernel, model, threads=threads)
    value, first = made("difference"), made("difference_derivatives")
    last = _last(made("_difference_second_derivatives"), "difference")

    @jax.custom_jvp
    def matrices(q0: Array, q1: Array) -> _Arrays:
        return tuple(first(q0, q1))

    @matrices.defjvp
    def _(primals: _Arrays, tangents: _Arrays) -> tuple[_Arrays, _Arrays]:
        t0, t1 = (robot.tangent(q, t) for q, t in zip(primals, tangents, strict=True))
        a0, a1, b0, b1 = last(*primals)
        return matrices(*primals), (_dot(a0, t0) + _dot(a1, t1), _dot(b0, t0) + _dot(b1, t1))

    @jax.custom_jvp
    def function(q0: Array, q1: Array) -> Array:
        return jnp.asarray(value(q0, q1)[0])

    def jvp(x: _Arrays, t: tuple[Any, ...]) -> tuple[Array, Array]:
        step = function(*x)
        t0, t1 = robot.tangent(x[0], t[0]), robot.tangent(x[1], t[1])
        if robot.flat:
            return step, _sum(step, None if t0 is None else -t0, t1)
        by_q0, by_q1 = matrices(*x)
        return step, _sum(step, _dot(by_q0, t0), _dot(by_q1, t1))

    function.defjvp(jvp, symbolic_zeros=True)
    return function
