"""The functions that frameworks are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradyn import Constraint, Model
from gradyn._smooth import Array, Second, Smooth, array, on_left, transposed


#: A frame whose axes a wrench is in, or its name and "world".
WrenchKey = str | tuple[str, str]


class Dynamics(Smooth):
    """A function of `q`, `v` and `u`, linear in `u` and in wrenches, none of which multiplies `v` or another one."""

    def __init__(self, model: Model, wrenches: Sequence[WrenchKey] = (), threads: int | None = None) -> None:
        super().__init__(model, threads)
        self.keys = tuple(wrenches)
        self.arguments = (*type(self).arguments, *(f"wrench{k}" for k in range(len(self.keys))))
        self.frames = [
            {"frame": key, "reference": "local"} if isinstance(key, str) else {"frame": key[0], "reference": "world"}
            for key in self.keys
        ]
        for key in self.keys:
            if not isinstance(key, str) and key[1] != "world":
                raise ValueError(f"`wrenches`: {key!r} is neither a frame's name nor (name, 'world')")

    def tangent_size(self, argument: int) -> int:
        return self.model.nv if argument < 3 else 6

    def given(self, x: Sequence[Array]) -> dict[str, Any]:
        """Wrenches and threads as the engine takes them."""
        options: dict[str, Any] = {"threads": self.threads}
        if self.keys:
            options["wrenches"] = dict(zip(self.keys, x[3:], strict=True))
        return options

    def by_wrenches(self, matrices: Array) -> list[Array]:
        """One matrix a wrench."""
        return [matrices[..., k, :, :] for k in range(len(self.keys))]

    def pattern_second(self, first: int, second: int) -> Array:
        if 0 in (first, second) or first == second == 1:
            return self.pattern_of(first, second)
        return np.zeros((self.tangent_size(first), self.tangent_size(second)))

    def pattern_of(self, first: int, second: int) -> Array:
        """Of blocks that are not zero."""
        return super().pattern_second(first, second)

    def rates(self, k: int, q: Array) -> Array:
        """How the Jacobian of a wrench's frame changes along each degree of freedom, (..., nv, 6, nv)."""
        eye = np.eye(self.model.nv)
        return array(self.engine.frame_jacobian_rate(q[..., None, :], eye, **self.frames[k], threads=self.threads))

    def blocks(self, qq: Array, vq: Array, uq: Array, vv: Array, fq: Sequence[Array]) -> list[list[Array | None]]:
        """Rows and columns of all arguments, of those blocks that are not zero."""
        below = [vq, uq, *fq]
        rows: list[list[Array | None]] = [[qq, *map(transposed, below)]]
        rows += [[block, *[None] * len(below)] for block in below]
        rows[1][1] = vv
        return rows


class Rnea(Dynamics):
    """Inverse dynamics."""

    arguments = ("q", "v", "a")

    def __init__(self, model: Model, wrenches: Sequence[WrenchKey] = (), threads: int | None = None) -> None:
        super().__init__(model, wrenches, threads)
        self.outputs = (("tau", (model.nv,)),)
        self._one = self.engine.rnea

    def value(self, *x: Array) -> Array:
        return array(self.engine.rnea(*x[:3], **self.given(x)))

    def value_into(self, out: Array, *x: Array) -> None:
        if self.keys:
            self._one(*x[:3], out=out, **self.given(x))
        else:
            self._one(*x, out=out)

    def tangent_first(self, *x: Array) -> list[Array]:
        d = self.engine.rnea_derivatives(*x[:3], **self.given(x))
        return [d.dtau_dq, d.dtau_dv, d.dtau_da, *self.by_wrenches(d.dtau_df_ext)]

    def tangent_gradient(self, on: Array, *x: Array) -> list[Array]:
        g = self.engine.rnea_gradient(*x[:3], on, **self.given(x))
        return [g.dq, g.dv, g.da, *(g.df_ext[..., k, :] for k in range(len(self.keys)))]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        h = self.engine.rnea_hessian(*x[:3], on, **self.given(x))
        # Torques have the term -J^T f.
        fq = [-np.einsum("...kij,...j->...ik", self.rates(k, x[0]), on) for k in range(len(self.keys))]
        gradients = [h.dq, h.dv, h.da]
        if self.keys:
            gradients += self.tangent_gradient(on, *x)[3:]
        return gradients, self.blocks(h.dqq, h.dvq, h.daq, h.dvv, fq)

    def pattern(self, result: int, argument: int) -> Array:
        if argument < 3:
            return array(self.engine.sparsity("torques").toarray())
        return np.outer(supports(self.engine, self.frames[argument - 3]["frame"]), np.ones(6))

    def pattern_of(self, first: int, second: int) -> Array:
        if max(first, second) < 3:
            return _pattern_second(self.engine, "mass_matrix" if 2 in (first, second) else "torques", first > second)
        by_q = np.outer(np.ones(6), supports(self.engine, self.frames[max(first, second) - 3]["frame"]))
        return by_q if first > second else by_q.T


class Aba(Dynamics):
    """Forward dynamics."""

    arguments = ("q", "v", "tau")

    def __init__(self, model: Model, wrenches: Sequence[WrenchKey] = (), threads: int | None = None) -> None:
        super().__init__(model, wrenches, threads)
        self.outputs = (("ddq", (model.nv,)),)
        self._one = self.engine.aba

    def value(self, *x: Array) -> Array:
        return array(self.engine.aba(*x[:3], **self.given(x)))

    def value_into(self, out: Array, *x: Array) -> None:
        if self.keys:
            self._one(*x[:3], out=out, **self.given(x))
        else:
            self._one(*x, out=out)

    def tangent_first(self, *x: Array) -> list[Array]:
        d = self.engine.aba_derivatives(*x[:3], **self.given(x))
        return [d.ddq_dq, d.ddq_dv, d.ddq_dtau, *self.by_wrenches(d.ddq_df_ext)]

    def tangent_gradient(self, on: Array, *x: Array) -> list[Array]:
        g = self.engine.aba_gradient(*x[:3], on, **self.given(x))
        return [g.dq, g.dv, g.dtau, *(g.df_ext[..., k, :] for k in range(len(self.keys)))]

    def tangent_second(self, on: Array, *x: Array) -> Second:
        h = self.engine.aba_hessian(*x[:3], on, **self.given(x))
        gradients, fq = [h.dq, h.dv, h.dtau], []
        for k in range(len(self.keys)):
            # A wrench acts as the torques J^T f.
            jacobian = self.engine.frame_jacobian(x[0], **self.frames[k], threads=self.threads)
            gradients.append(np.einsum("...ij,...j->...i", jacobian, h.dtau))
            turned = np.einsum("...kij,...j->...ik", self.rates(k, x[0]), h.dtau)
            fq.append(jacobian @ h.dtauq + turned)
        return gradients, self.blocks(h.dqq, h.dvq, h.dtauq, h.dvv, fq)

    def pattern(self, result: int, argument: int) -> Array:
        if argument < 3:
            return array(self.engine.sparsity("accelerations").toarray())
        return super().pattern(result, argument)


class Crba(Smooth):
    """The mass matrix."""

    arguments = ("q",)

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

    def tangent_second(self, on: Array, *x: Array) -> Second:
        nv, still = self.model.nv, np.zeros(self.model.nv)
        weights = on.reshape(*on.shape[:-1], nv, nv)
        # A column of M is the torques at the acceleration e_j, without those at rest.
        moving = np.concatenate([transposed(weights), weights.sum(-1)[..., None, :]], -2)
        unit = np.concatenate([np.eye(nv), np.zeros((1, nv))])
        of = self.engine.rnea_hessian(x[0][..., None, :], still, unit, moving, threads=self.threads).dqq
        return self.tangent_gradient(on, *x), [[of[..., :nv, :, :].sum(-3) - of[..., nv, :, :]]]

    def pattern_second(self, first: int, second: int) -> Array:
        return _pattern_second(self.engine, "torques", False)

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
        super().__init__(model, (), threads)
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
        return [h.dq, h.dv, h.dtau], self.blocks(h.dqq, h.dvq, h.dtauq, h.dvv, [])

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
