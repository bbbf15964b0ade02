"""The functions that frameworks are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradyn import Constraint, Model
from gradyn._smooth import Array, Second, Smooth, array, on_left, transposed


def blocks(qq: Array, vq: Array, uq: Array, vv: Array) -> list[list[Array | None]]:
    """Of `Dynamics`."""
    return [[qq, transposed(vq), transposed(uq)], [vq, vv, None], [uq, None, None]]


class Dynamics(Smooth):
    """A function of `q`, `v` and `u` that is linear in `u`, and `u` does not multiply `v`."""

    def pattern_second(self, first: int, second: int) -> Array:
        nv = self.model.nv
        return np.zeros((nv, nv)) if 2 in (first, second) and 0 not in (first, second) else self.pattern_of(first, second)

    def pattern_of(self, first: int, second: int) -> Array:
        """Of blocks that are not zero."""
        return super().pattern_second(first, second)


class Rnea(Dynamics):
    """Inverse dynamics."""

    arguments = ("q", "v", "a")

    def __init__(self, model: Model, threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.outputs = (("tau", (model.nv,)),)
        self._one = self.engine.rnea

    def value(self, *x: Array) -> Array:
        return array(self.engine.rnea(*x, threads=self.threads))

    def value_into(self, out: Array, *x: Array) -> None:
        self._one(*x, out=out)

    def tangent_first(self, *x: Array) -> list[Array]:
        d = self.engine.rnea_derivatives(*x, threads=self.threads)
        return [d.dtau_dq, d.dtau_dv, d.dtau_da]

    def tangent_gradient(self, on: Array, *x: Array) -> list[Array]:
        g = self.engine.rnea_gradient(*x, on, threads=self.threads)
        return [g.dq, g.dv, g.da]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        h = self.engine.rnea_hessian(*x, on, threads=self.threads)
        return [h.dq, h.dv, h.da], blocks(h.dqq, h.dvq, h.daq, h.dvv)

    def pattern(self, result: int, argument: int) -> Array:
        return array(self.engine.sparsity("torques").toarray())

    def pattern_of(self, first: int, second: int) -> Array:
        return _pattern_second(self.engine, "mass_matrix" if 2 in (first, second) else "torques", first > second)


class Aba(Dynamics):
    """Forward dynamics."""

    arguments = ("q", "v", "tau")

    def __init__(self, model: Model, threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.outputs = (("ddq", (model.nv,)),)
        self._one = self.engine.aba

    def value(self, *x: Array) -> Array:
        return array(self.engine.aba(*x, threads=self.threads))

    def value_into(self, out: Array, *x: Array) -> None:
        self._one(*x, out=out)

    def tangent_first(self, *x: Array) -> list[Array]:
        d = self.engine.aba_derivatives(*x, threads=self.threads)
        return [d.ddq_dq, d.ddq_dv, d.ddq_dtau]

    def tangent_gradient(self, on: Array, *x: Array) -> list[Array]:
        g = self.engine.aba_gradient(*x, on, threads=self.threads)
        return [g.dq, g.dv, g.dtau]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        h = self.engine.aba_hessian(*x, on, threads=self.threads)
        return [h.dq, h.dv, h.dtau], blocks(h.dqq, h.dvq, h.dtauq, h.dvv)

    def pattern(self, result: int, argument: int) -> Array:
        return array(self.engine.sparsity("accelerations").toarray())


class Crba(Smooth):
    """The mass matrix."""

    arguments = ("q",)
    twice = False

    def __init__(self, model: Model, threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.outputs = (("mass_matrix", (model.nv, model.nv)),)

    def value(self, *x: Array) -> Array:
        # Symmetric: transposed, it stands as a vector does, and nothing is copied.
        matrix = transposed(self.engine.crba(*x, threads=self.threads))
        return array(matrix.reshape(*matrix.shape[:-2], self.size))

    def tangent_first(self, *x: Array) -> list[Array]:
        still = np.zeros(self.model.nv)
        tensor = self.engine.rnea_second_derivatives(x[0], still, still, threads=self.threads).d2tau_dadq
        return [tensor.reshape(*tensor.shape[:-3], self.size, self.model.nv)]

    def pattern(self, result: int, argument: int) -> Array:
        nv = self.model.nv
        dense = np.zeros((nv, nv, nv))
        dense[tuple(self.engine.second_sparsity("mass_matrix").T)] = 1
        return dense.reshape(self.size, nv)


def _pattern_second(model: Any, of: str, mirrored: bool) -> Array:
    dense = np.zeros((model.nv, model.nv))
    _, j, k = model.second_sparsity(of).T
    dense[j, k] = 1
    # Rows are what is differentiated first: of "mass_matrix", the acceleration.
    return dense.T if of == "mass_matrix" and not mirrored else dense


#: From a twist, linear part first, to the 4 x 4 matrix of its motion.
HAT = np.zeros((4, 4, 6))
HAT[[0, 1, 2], 3, [0, 1, 2]] = 1
HAT[[2, 0, 1], [1, 2, 0], [3, 4, 5]] = 1
HAT[[1, 2, 0], [2, 0, 1], [3, 4, 5]] = -1


class FramePose(Smooth):
    """The pose of a frame in the world."""

    arguments = ("q",)

    def __init__(self, model: Model, frame: str, threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.frame = frame
        self.outputs = (("pose", (4, 4)),)

    def _pose(self, q: Array) -> Array:
        return array(self.engine.frame_pose(q, self.frame, threads=self.threads))

    def value(self, *x: Array) -> Array:
        pose = self._pose(x[0])
        return transposed(pose).reshape(*pose.shape[:-2], 16)

    def _moves(self, q: Array) -> Array:
        """The motion of the frame along each degree of freedom, (..., nv, 4, 4)."""
        jacobian = self.engine.frame_jacobian(q, self.frame, threads=self.threads)
        return array(np.einsum("ijt,...tk->...kij", HAT, jacobian))

    def tangent_first(self, *x: Array) -> list[Array]:
        (q,) = x
        # Column by column, hence transposed.
        moved = transposed(self._pose(q)[..., None, :, :] @ self._moves(q))
        return [np.moveaxis(moved.reshape(*moved.shape[:-2], 16), -1, -2)]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        (q,) = x
        pose, moves, eye = self._pose(q), self._moves(q), np.eye(self.model.nv)
        rates = self.engine.frame_jacobian_rate(q[..., None, :], eye, self.frame, threads=self.threads)
        weights = transposed(on.reshape(*on.shape[:-1], 4, 4))
        pulled = transposed(pose) @ weights
        twice = np.einsum("...ij,...lim,...kmj->...kl", pulled, moves, moves)
        turned = np.einsum("...ij,ijt,...ltk->...kl", pulled, HAT, rates)
        return [np.einsum("...ij,...kij->...k", pulled, moves)], [[twice + turned]]

    def pattern(self, result: int, argument: int) -> Array:
        dense = np.zeros((4, 4, self.model.nv))
        dense[:, :3] = supports(self.engine, self.frame)
        return dense.reshape(16, self.model.nv)

    def pattern_second(self, first: int, second: int) -> Array:
        column = supports(self.engine, self.frame)
        return np.outer(column, column)


class FrameTranslation(FramePose):
    """The origin of a frame in the world."""

    def __init__(self, model: Model, frame: str, threads: int | None = None) -> None:
        super().__init__(model, frame, threads)
        self.outputs = (("translation", (3,)),)

    def value(self, *x: Array) -> Array:
        return super().value(*x)[..., 12:15]

    def tangent_first(self, *x: Array) -> list[Array]:
        return [matrix[..., 12:15, :] for matrix in super().tangent_first(*x)]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        wide = np.zeros((*on.shape[:-1], 16))
        wide[..., 12:15] = on
        return super().tangent_second(wide, *x)

    def pattern(self, result: int, argument: int) -> Array:
        return super().pattern(result, argument)[12:15]


def supports(model: Any, frame: str) -> Array:
    """Which degrees of freedom move a frame."""
    return array((np.abs(model.sparsity("frame", frame=frame).toarray()).sum(0) > 0).astype(float))


class ConstraintDynamics(Dynamics):
    """Forward dynamics under contacts and loops: accelerations, then forces."""

    arguments = ("q", "v", "tau")

    def __init__(self, model: Model, constraints: Sequence[Constraint], threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.constraints = list(constraints)
        rows = sum(len(constraint) for constraint in constraints)
        self.outputs = (("ddq", (model.nv,)), ("lambda_", (rows,)))

    def _call(self, function: Callable[..., Any], *x: Array) -> Any:
        return function(*x, self.constraints, threads=self.threads)

    def value(self, *x: Array) -> Array:
        by = self._call(self.engine.constraint_dynamics, *x)
        return np.concatenate([by.ddq, by.lambda_], -1)

    def tangent_first(self, *x: Array) -> list[Array]:
        d = self._call(self.engine.constraint_dynamics_derivatives, *x)
        pairs = [(d.ddq_dq, d.dlambda_dq), (d.ddq_dv, d.dlambda_dv), (d.ddq_dtau, d.dlambda_dtau)]
        return [np.concatenate(pair, -2) for pair in pairs]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        nv = self.model.nv
        h = self._call(self.engine.constraint_dynamics_hessian, *x, on[..., :nv], on[..., nv:])
        return [h.dq, h.dv, h.dtau], blocks(h.dqq, h.dvq, h.dtauq, h.dvv)

    def pattern(self, result: int, argument: int) -> Array:
        of = ("constrained_accelerations", "multipliers")[result]
        return array(self.engine.sparsity(of, constraints=self.constraints).toarray())


class Integrate(Smooth):
    """A step along the configurations."""

    arguments = ("q", "v")

    def __init__(self, model: Model, threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.outputs = (("q_moved", (model.nq,)),)

    def value(self, *x: Array) -> Array:
        return array(self.engine.integrate(*x, threads=self.threads))

    def _steps(self, *x: Array) -> list[Array]:
        q, v = x
        by = self.engine.integrate_derivatives(np.broadcast_to(v, (*q.shape[:-1], v.shape[-1])), threads=self.threads)
        return [by.dq, by.dv]

    def tangent_first(self, *x: Array) -> list[Array]:
        rates = self.numbers.rates(self.value(*x))
        return [rates @ matrix for matrix in self._steps(*x)]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        moved, steps = self.value(*x), self._steps(*x)
        pulled = np.einsum("...ij,...i->...j", self.numbers.rates(moved), on)
        dq_dv, dv_dv = self.engine._integrate_second_derivatives(x[1])
        # The rates at the end change with where it is.
        turned = on_left(on, self.numbers.rates_derivatives(moved))
        both = [[transposed(a) @ turned @ b for b in steps] for a in steps]
        for row, tensor in zip(both, (dq_dv, dv_dv), strict=True):
            row[1] = row[1] + on_left(pulled, tensor)
        return [np.einsum("...ij,...i->...j", matrix, pulled) for matrix in steps], [list(row) for row in both]


class Difference(Smooth):
    """The step from one configuration to another."""

    arguments = ("q0", "q1")
    configurations = (0, 1)

    def __init__(self, model: Model, threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.outputs = (("v", (model.nv,)),)

    def value(self, *x: Array) -> Array:
        return array(self.engine.difference(*x, threads=self.threads))

    def tangent_first(self, *x: Array) -> list[Array]:
        by = self.engine.difference_derivatives(*x, threads=self.threads)
        return [by.dq0, by.dq1]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        a0, a1, b0, b1 = (on_left(on, tensor) for tensor in self.engine._difference_second_derivatives(*x))
        return self.tangent_gradient(on, *x), [[a0, a1], [b0, b1]]
