"""Calls of the engine from XLA, and what their rules of derivatives share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.custom_derivatives import SymbolicZero

from gradyn import Model, _gradyn
from gradyn._smooth import numbers

#: Functions that have no stubs.
_engine: Any = _gradyn
_TARGET = "gradyn"
Arrays = tuple[Array, ...]
Function = Callable[..., Any]
Differentiable = Callable[..., Array]
_shape: Any = jax.ShapeDtypeStruct


@functools.cache
def _register() -> None:
    ffi: Any = getattr(jax, "ffi", None)
    if ffi is None:
        raise ImportError(f"gradyn.jax needs JAX 0.5 or newer, this is {jax.__version__}")
    capsule = ffi.pycapsule(_engine._xla_handler()["address"])
    ffi.register_ffi_target(_TARGET, capsule, platform="cpu")


def kernel(model: Model, name: str, **choices: Any) -> Function:
    """A function of the engine, from arrays to a tuple of arrays."""
    _register()
    key, _, shapes = _engine._xla_register(model, name, **choices)
    number = np.int64(key)

    def call(*arrays: Array) -> Arrays:
        lead = arrays[0].shape[:-1]
        kinds = [_shape((*lead, *shape), jnp.float64) for shape, _ in shapes]
        made = jax.ffi.ffi_call(_TARGET, kinds, vmap_method="broadcast_all")(*arrays, entry=number)
        # The engine's matrices stand column by column.
        return tuple(
            jnp.swapaxes(array, -1, -2) if exchanged else array
            for array, (_, exchanged) in zip(made, shapes, strict=True)
        )

    return call


def last_one(kernel: Function, name: str) -> Function:
    """The same function, which refuses to be differentiated with a sentence."""
    wrapped = jax.custom_jvp(kernel)

    @wrapped.defjvp
    def _(primals: Arrays, tangents: Arrays) -> Any:
        raise NotImplementedError(f"gradyn.jax: third derivatives of `{name}` are not available, second ones are")

    return wrapped


def dot(matrix: Array, vector: Any) -> Any:
    """A matrix, or a tensor's last dimension, times a vector that may be a zero that is known to be one."""
    if vector is None:
        return None
    kept = "ijk"[: matrix.ndim - vector.ndim]
    return jnp.einsum(f"...{kept}l,...l->...{kept}", matrix, vector)


def total(like: Array, *terms: Any) -> Array:
    there = [term for term in terms if term is not None]
    return functools.reduce(jnp.add, there) if there else jnp.zeros_like(like)


def swap(tensor: Array) -> Array:
    return jnp.swapaxes(tensor, -1, -2)


class Robot:
    """What functions of one robot share."""

    def __init__(self, model: Model) -> None:
        of = numbers(model)
        self.flat, self.scale, self.together = of.flat, of.scale, of.together
        self.free = 1 - np.diag(of.together)
        value, second = kernel(model, "_rates"), last_one(kernel(model, "_rates_derivatives"), "rates of q")

        @jax.custom_jvp
        def rates_of(q: Array) -> Array:
            return jnp.asarray(value(q)[0])

        @rates_of.defjvp
        def _(primals: Arrays, tangents: Arrays) -> tuple[Array, Array]:
            (q,), (t,) = primals, tangents
            return rates_of(q), dot(second(q)[0], self.tangent(q, t))

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
        return v if self.flat else dot(self.rates(q), v)


@functools.lru_cache(maxsize=128)
def robot_of(model: Model) -> Robot:
    return Robot(model)


def some(t: Any) -> Any:
    return None if isinstance(t, SymbolicZero) else t


def smooth(robot: Robot, value: Function, first: Function, second: Function, name: str) -> Differentiable:
    """`y(q, v, u, *f)`, linear in `u` and each `f`, none of which multiplies `v` or another one.

    `first` gives `y` and a matrix for each argument. `second` gives tensors by q q, q v, v v, q u and q f: entry (i, j,
    k) is the derivative of `y[i]` by the j-th of the first and the k-th of the second.
    """
    last = last_one(second, name)

    @jax.custom_jvp
    def matrices(*x: Array) -> Arrays:
        return tuple(first(*x))

    def along(x: Arrays, t: tuple[Any, ...]) -> list[Any]:
        return [robot.tangent(x[0], t[0]), *map(some, t[1:])]

    def matrices_jvp(x: Arrays, t: tuple[Any, ...]) -> tuple[Arrays, Arrays]:
        y, dq, *others = made = matrices(*x)
        tq, tv, *ts = along(x, t)
        qq, qv, vv, *qs = last(*x)
        changes = [total(y, *map(dot, made[1:], (tq, tv, *ts)))]
        changes += [total(dq, dot(qq, tq), dot(qv, tv), *map(dot, qs, ts))]
        changes += [total(others[0], dot(swap(qv), tq), dot(vv, tv))]
        changes += [total(matrix, dot(swap(tensor), tq)) for matrix, tensor in zip(others[1:], qs, strict=True)]
        return made, tuple(changes)

    matrices.defjvp(matrices_jvp, symbolic_zeros=True)

    @jax.custom_jvp
    def function(*x: Array) -> Array:
        (y, *_) = value(*x)
        return jnp.asarray(y)

    def function_jvp(x: Arrays, t: tuple[Any, ...]) -> tuple[Array, Array]:
        y, *by = matrices(*x)
        return y, total(y, *map(dot, by, along(x, t)))

    function.defjvp(function_jvp, symbolic_zeros=True)
    return function
