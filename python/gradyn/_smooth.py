"""Functions of the engine as frameworks see them: vectors in, one vector out, with first derivatives, and second ones
of a combination of the results.

Derivatives are by the numbers of a configuration, along the configurations: where ``nq`` is greater than ``nv``, a
change of a quaternion's length changes nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradyn import Model

Array = NDArray[np.float64]
#: Gradients by each argument, and their derivatives by each argument; None for zero.
Second = tuple[list[Array], list[list[Array | None]]]


def array(x: Any) -> Array:
    """What the engine gives is an array."""
    made: Array = x
    return made


def transposed(matrix: Array) -> Array:
    """Of the last two dimensions."""
    return np.swapaxes(matrix, -1, -2)


def on_left(weights: Array, tensor: Array) -> Array:
    """`sum_i w_i T_ijk`"""
    return array(np.einsum("...i,...ijk->...jk", weights, tensor))


class Numbers:
    """How numbers of a configuration and degrees of freedom belong together."""

    def __init__(self, model: Model) -> None:
        # Functions of the engine that have no stubs.
        self._model: Any = model
        eye = np.eye(model.nv)
        both = np.stack([model.neutral(), *model.random(2, seed=1)])
        rates = self.rates(both)
        #: Whether rates of `q` are `v`: then there is nothing to convert.
        self.flat = model.nq == model.nv and bool(np.all(rates == eye))
        # Columns of `G` are orthogonal, and of constant length.
        self.scale: Array = 1 / np.sum(rates[0] ** 2, axis=0)
        # What is normal to all motions: numbers of one quaternion, or one pair of cosine and sine, to each other.
        normal = np.eye(model.nq) - (rates * self.scale) @ transposed(rates)
        #: Which numbers are of length one together.
        self.together = (np.abs(normal).max(0) > 1e-9).astype(np.float64)

    def rates(self, q: Array) -> Array:
        """`G` with `q_dot = G v`, (..., nq, nv)."""
        return array(self._model._rates(q))

    def rates_derivatives(self, q: Array) -> Array:
        """How `G` changes along each degree of freedom, (..., nq, nv, nv)."""
        return array(self._model._rates_derivatives(q))

    def to_tangent(self, q: Array) -> Array:
        """The matrix from rates of `q` to `v`, (..., nv, nq)."""
        return transposed(array(self.rates(q) * self.scale))

    def change_of_gradient(self, q: Array, gradient: Array, to_tangent: Array) -> Array:
        """How the gradient by the numbers of `q` changes with `q`, at a constant gradient in the tangent space."""
        turned = np.einsum("...ijk,...j->...ik", self.rates_derivatives(q), gradient * self.scale)
        # A function that does not depend on a quaternion's length has a gradient that is inversely proportional to it.
        by_numbers = np.einsum("...ji,...j->...i", to_tangent, gradient)
        shrunk = by_numbers[..., :, None] * q[..., None, :] * self.together
        return array(turned @ to_tangent - shrunk)


@functools.lru_cache(maxsize=128)
def numbers(model: Model) -> Numbers:
    """Made once for a robot."""
    return Numbers(model)


class Smooth:
    """A function with its derivatives. Subclasses give it and its derivatives in the tangent space."""

    #: Names of the arguments; those of `configurations` are configurations.
    arguments: tuple[str, ...]
    configurations: tuple[int, ...] = (0,)

    def __init__(self, model: Model, threads: int | None = None) -> None:
        self.model, self.threads = model, threads
        #: With the functions that have no stubs.
        self.engine: Any = model
        self.numbers = numbers(model)
        #: Names and shapes of the results, which stand one after the other, matrices column by column.
        self.outputs: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def tangent_size(self, argument: int) -> int:
        """Directions in which an argument can change."""
        return self.model.nv

    def sizes(self) -> tuple[int, ...]:
        """Numbers of each argument."""
        count = len(self.arguments)
        return tuple(self.model.nq if k in self.configurations else self.tangent_size(k) for k in range(count))

    @property
    def size(self) -> int:
        """Numbers of the result."""
        return sum(int(np.prod(shape)) for _, shape in self.outputs)

    def value(self, *x: Array) -> Array:
        """(..., size)"""
        raise NotImplementedError

    def value_into(self, out: Array, *x: Array) -> None:
        """The same, of one state, into an array."""
        out[:] = self.value(*x)

    def tangent_first(self, *x: Array) -> list[Array]:
        """A matrix for each argument, (..., size, directions)."""
        raise NotImplementedError

    def tangent_second(self, on: Array, *x: Array) -> Second:
        """Of `on^T y`: gradients, and in row a and column b the derivative of the a-th by the b-th argument."""
        raise NotImplementedError

    def tangent_gradient(self, on: Array, *x: Array) -> list[Array]:
        """Of `on^T y`."""
        return [np.einsum("...ij,...i->...j", matrix, on) for matrix in self.tangent_first(*x)]

    def pattern(self, result: int, argument: int) -> Array:
        """Which entries of the derivative in the tangent space can be nonzero."""
        return np.ones((int(np.prod(self.outputs[result][1])), self.tangent_size(argument)))

    def pattern_second(self, first: int, second: int) -> Array:
        """The same of the second derivatives of a combination."""
        return np.ones((self.tangent_size(first), self.tangent_size(second)))

    def _maps(self, x: Sequence[Array]) -> list[Array | None]:
        if self.numbers.flat:
            return [None] * len(x)
        return [self.numbers.to_tangent(x[k]) if k in self.configurations else None for k in range(len(x))]

    def first(self, *x: Array) -> list[Array]:
        """A matrix for each argument, (..., size, n), by its numbers."""
        pairs = zip(self.tangent_first(*x), self._maps(x), strict=True)
        return [matrix if to is None else matrix @ to for matrix, to in pairs]

    def gradient(self, on: Array, *x: Array) -> list[Array]:
        """Of `on^T y`, by the numbers of each argument."""
        pairs = zip(self.tangent_gradient(on, *x), self._maps(x), strict=True)
        return [g if to is None else np.einsum("...ji,...j->...i", to, g) for g, to in pairs]

    def second(self, on: Array, *x: Array) -> Second:
        """Of `on^T y`, by the numbers of each argument."""
        gradients, blocks = self.tangent_second(on, *x)
        if self.numbers.flat:
            return gradients, blocks
        maps = self._maps(x)
        for a, left in enumerate(maps):
            for b, right in enumerate(maps):
                block = blocks[a][b]
                if block is not None and left is not None:
                    block = transposed(left) @ block
                if block is not None and right is not None:
                    block = block @ right
                if a == b and left is not None:
                    turned = self.numbers.change_of_gradient(x[a], gradients[a], left)
                    block = turned if block is None else block + turned
                blocks[a][b] = block
        pairs = zip(gradients, maps, strict=True)
        return [g if to is None else np.einsum("...ji,...j->...i", to, g) for g, to in pairs], blocks
