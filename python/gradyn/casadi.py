"""gradyn's functions in CasADi, with exact derivatives of first and second order and exact sparsity.

>>> import casadi, gradyn, gradyn.casadi
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> rnea = gradyn.casadi.function(model, "rnea")
>>> q, v, a = (casadi.MX.sym(name, 7) for name in "qva")
>>> casadi.jacobian(rnea(q, v, a), q).shape
(7, 7)

A function is a callback: it takes part in expressions of MX, not of SX. Numbers go by buffers, without copies. CasADi's
``map`` over it must be serial (``f.map(n)``): with ``"thread"``, old versions of CasADi crash, and new ones gain
nothing.

Arguments ``q`` are numbers of configurations. Where a robot has quaternions, let the optimizer vary a step from a
configuration and take ``integrate`` of it: it would leave the unit sphere otherwise, and the engine refuses what is not
a rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np

from gradyn import Constraint, Model, _functions
from gradyn._smooth import Array, Smooth

__all__ = ["FUNCTIONS", "function"]

#: What `function` makes, by name.
FUNCTIONS: dict[str, Any] = {
    "rnea": _functions.Rnea,
    "aba": _functions.Aba,
    "crba": _functions.Crba,
    "frame_pose": _functions.FramePose,
    "frame_translation": _functions.FrameTranslation,
    "constraint_dynamics": _functions.ConstraintDynamics,
    "integrate": _functions.Integrate,
    "difference": _functions.Difference,
}

#: CasADi holds no references to objects of Python: they live here.
_MADE: dict[tuple[Any, ...], _Callback] = {}

_Evaluate = Callable[[list[Array | None], list[Array | None]], None]
_Port = tuple[str, casadi.Sparsity]


def function(
    model: Model,
    name: str,
    *,
    frame: str | None = None,
    constraints: Constraint | Sequence[Constraint] | None = None,
    wrenches: Sequence[_functions.WrenchKey] = (),
    label: str | None = None,
) -> casadi.Function:
    """A function of a robot as a CasADi function.

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    name : str
        One of `FUNCTIONS`: ``rnea(q, v, a)``, ``aba(q, v, tau)``, ``crba(q)``, ``frame_pose(q)``,
        ``frame_translation(q)``, ``constraint_dynamics(q, v, tau)`` with results ``ddq`` and ``lambda_``,
        ``integrate(q, v)``, ``difference(q0, q1)``.
    frame : str, optional
        Of the functions of a frame.
    constraints : gradyn.Constraint or sequence of them, optional
        Of ``constraint_dynamics``.
    wrenches : sequence of str or (str, "world"), optional
        Of ``rnea`` and ``aba``: frames that external wrenches act on. Each is an argument more, ``wrench0`` and so on:
        force, then moment, in the frame's own axes, or about the world's origin in those of the world.
    label : str, optional
        The CasADi function's own name, without which it is `name`.

    Returns
    -------
    casadi.Function
        With derivatives of first and second order. The same arguments give the same function, which stays alive until
        the process ends.
    """
    if name not in FUNCTIONS:
        raise ValueError(f"`name` is '{name}', expected one of {', '.join(FUNCTIONS)}")
    given = (constraints,) if isinstance(constraints, Constraint) else constraints and tuple(constraints)
    needed = {"frame": frame, "constraints": given}
    needs = {"frame_pose": "frame", "frame_translation": "frame", "constraint_dynamics": "constraints"}.get(name)
    for choice, value in needed.items():
        if (choice == needs) != (value is not None):
            raise ValueError(f"`{choice}` is {'needed' if choice == needs else 'not taken'} by '{name}'")
    if wrenches and name not in ("rnea", "aba"):
        raise ValueError(f"`wrenches` is not taken by '{name}'")
    key = (model, name, frame, given, tuple(wrenches), label)
    if key not in _MADE:
        choices = [needed[needs]] if needs else [tuple(wrenches)] if wrenches else []
        smooth = FUNCTIONS[name](model, *choices)
        _MADE[key] = _value(smooth, label or name)
    return _MADE[key]


class _Callback(casadi.Callback):
    """A function that reads and writes buffers."""

    def __init__(self, name: str, ins: list[_Port], outs: list[_Port], evaluate: _Evaluate) -> None:
        casadi.Callback.__init__(self)
        self._ins, self._outs, self._evaluate = ins, outs, evaluate
        self._jacobian: Callable[[str], _Callback] | None = None
        self._reverse: Callable[[str], _Callback] | None = None
        self._kept: list[_Callback] = []
        #: Computes the only result from all arguments: the short way.
        self.direct: Callable[..., None] | None = None

    def made(self, name: str) -> _Callback:
        self.construct(name, {})
        return self

    def get_n_in(self) -> int:
        return len(self._ins)

    def get_n_out(self) -> int:
        return len(self._outs)

    def get_name_in(self, i: int) -> str:
        return self._ins[i][0]

    def get_name_out(self, i: int) -> str:
        return self._outs[i][0]

    def get_sparsity_in(self, i: int) -> casadi.Sparsity:
        return self._ins[i][1]

    def get_sparsity_out(self, i: int) -> casadi.Sparsity:
        return self._outs[i][1]

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arg: Any, res: Any) -> int:
        read = np.frombuffer
        if self.direct is not None:
            try:
                self.direct(read(res[0]), *map(read, arg))
            except TypeError:
                # CasADi leaves out arguments that are zero, and results that nobody wants.
                pass
            else:
                return 0
        self._evaluate([None if x is None else read(x) for x in arg], [None if y is None else read(y) for y in res])
        return 0

    def has_jacobian(self) -> bool:
        return self._jacobian is not None

    def get_jacobian(self, name: str, inames: Any, onames: Any, opts: Any) -> _Callback:
        assert self._jacobian is not None
        self._kept.append(self._jacobian(name))
        return self._kept[-1]

    def has_reverse(self, nadj: int) -> bool:
        return nadj == 1 and self._reverse is not None

    def get_reverse(self, nadj: int, name: str, inames: Any, onames: Any, opts: Any) -> _Callback:
        assert self._reverse is not None
        self._kept.append(self._reverse(name))
        return self._kept[-1]


class _Block:
    """A matrix of which CasADi keeps the entries that can be nonzero."""

    def __init__(self, pattern: Array) -> None:
        rows, columns = pattern.shape
        self.columns, self.rows = np.nonzero(pattern.T)
        starts = np.concatenate([[0], np.cumsum(np.count_nonzero(pattern, axis=0))])
        self.sparsity = casadi.Sparsity(rows, columns, starts.tolist(), self.rows.tolist())
        self.full = (columns, rows) if len(self.rows) == rows * columns else None

    def put(self, matrix: Array | None, to: Array | None) -> None:
        if to is None or matrix is None:
            return
        if self.full is not None:
            to.reshape(self.full).T[:] = matrix
        else:
            to[:] = matrix[self.rows, self.columns]


def _none(rows: int, columns: int) -> casadi.Sparsity:
    return casadi.Sparsity(rows, columns)


class _Ports:
    """Names, sparsity and places of a function's arrays."""

    def __init__(self, smooth: Smooth) -> None:
        sizes = smooth.sizes()
        dense = casadi.Sparsity.dense
        self.arguments = [(name, dense(n)) for name, n in zip(smooth.arguments, sizes, strict=True)]
        self.outputs = [(name, dense(*shape)) for name, shape in smooth.outputs]
        ends = np.cumsum([0, *(int(np.prod(shape)) for _, shape in smooth.outputs)])
        self.ranges = [slice(int(a), int(b)) for a, b in zip(ends[:-1], ends[1:], strict=True)]
        self.sizes = sizes

    def unused(self, ports: list[_Port], prefix: str = "out_") -> list[_Port]:
        """Results of the function itself, which derivatives are given, and do not use."""
        return [(prefix + name, _none(*sparsity.shape)) for name, sparsity in ports]

    def weights(self, given: list[Array | None], size: int) -> Array:
        """Weights on the results, one after the other."""
        if len(given) == 1 and given[0] is not None:
            return given[0]
        on = np.zeros(size)
        for place, part in zip(self.ranges, given, strict=True):
            if part is not None:
                on[place] = part
        return on


def _given(arrays: list[Array | None], sizes: Sequence[int]) -> list[Array]:
    """Arguments, of which CasADi leaves out those that are zero."""
    return [np.zeros(n) if x is None else x for x, n in zip(arrays, sizes, strict=False)]


def _value(smooth: Smooth, name: str) -> _Callback:
    ports = _Ports(smooth)
    count, places = len(ports.arguments), ports.ranges

    def evaluate(arg: list[Array | None], res: list[Array | None]) -> None:
        y = smooth.value(*_given(arg, ports.sizes))
        for place, to in zip(places, res, strict=True):
            if to is not None:
                to[:] = y[place]

    made = _Callback(name, ports.arguments, ports.outputs, evaluate)
    if len(places) == 1:
        made.direct = smooth.value_into
    patterns = _Patterns(smooth)
    first = [[_Block(patterns.first(k, a)) for a in range(count)] for k in range(len(places))]
    made._jacobian = lambda name: _jacobian(smooth, ports, first, name)
    made._reverse = lambda name: _reverse(smooth, ports, first, patterns, name)
    return made.made(name)


def _jacobian(smooth: Smooth, ports: _Ports, first: list[list[_Block]], name: str) -> _Callback:
    count = len(ports.arguments)
    ins = ports.arguments + ports.unused(ports.outputs)
    pairs = [(k, a) for k in range(len(first)) for a in range(count)]
    outs = [
        (f"jac_{ports.outputs[k][0]}_{ports.arguments[a][0]}", first[k][a].sparsity) for k, a in pairs
    ]

    def evaluate(arg: list[Array | None], res: list[Array | None]) -> None:
        matrices = smooth.first(*_given(arg, ports.sizes))
        for (k, a), to in zip(pairs, res, strict=True):
            first[k][a].put(matrices[a][ports.ranges[k]], to)

    return _Callback(name, ins, outs, evaluate).made(name)


def _reverse(
    smooth: Smooth, ports: _Ports, first: list[list[_Block]], patterns: _Patterns, name: str
) -> _Callback:
    count, results = len(ports.arguments), len(ports.outputs)
    adjoint_in = [(f"adj_{name}", sparsity) for name, sparsity in ports.outputs]
    adjoint_out = [(f"adj_{name}", sparsity) for name, sparsity in ports.arguments]
    ins = ports.arguments + ports.unused(ports.outputs) + adjoint_in

    def evaluate(arg: list[Array | None], res: list[Array | None]) -> None:
        on = ports.weights(arg[count + results :], smooth.size)
        for gradient, to in zip(smooth.gradient(on, *_given(arg, ports.sizes)), res, strict=True):
            if to is not None:
                to[:] = gradient

    second = [[_Block(patterns.second(a, b)) for b in range(count)] for a in range(count)]

    def jacobian(name: str) -> _Callback:
        by = [*ports.arguments, *ports.unused(ports.outputs), *adjoint_in]
        outs: list[_Port] = []
        for a in range(count):
            row = [second[a][b].sparsity for b in range(count)]
            row += [_none(ports.sizes[a], int(np.prod(sparsity.shape))) for _, sparsity in ports.outputs]
            row += [first[k][a].sparsity.T for k in range(results)]
            outs += [
                (f"jac_{adjoint_out[a][0]}_{of}", sparsity) for (of, _), sparsity in zip(by, row, strict=True)
            ]
        turned = [[_Block(patterns.first(k, a).T) for k in range(results)] for a in range(count)]

        def evaluate(arg: list[Array | None], res: list[Array | None]) -> None:
            x = _given(arg, ports.sizes)
            on = ports.weights(arg[count + results : count + 2 * results], smooth.size)
            _, blocks = smooth.second(on, *x)
            width = count + 2 * results
            for a in range(count):
                own = res[a * width : (a + 1) * width]
                for b in range(count):
                    second[a][b].put(blocks[a][b], own[b])
            if any(res[a * width + count + results + k] is not None for a in range(count) for k in range(results)):
                matrices = smooth.first(*x)
                for a in range(count):
                    for k in range(results):
                        to = res[a * width + count + results + k]
                        turned[a][k].put(matrices[a][ports.ranges[k]].T, to)

        return _Callback(name, ins + ports.unused(adjoint_out), outs, evaluate).made(name)

    made = _Callback(name, ins, adjoint_out, evaluate)
    made._jacobian = jacobian
    return made.made(name)


class _Patterns:
    """Which derivatives by the arguments' numbers can be nonzero."""

    def __init__(self, smooth: Smooth) -> None:
        self.smooth, self.numbers = smooth, smooth.numbers
        if not self.numbers.flat:
            # Rates of a joint's numbers vanish at three random configurations only where they always do.
            q = smooth.model.random(3, seed=0)
            to = self.numbers.to_tangent(q)
            self.to = (np.abs(to).sum(0) > 0).astype(float)
            turned = self.numbers.change_of_gradient(q, np.ones(smooth.model.nv), to)
            self.turned = (np.abs(turned).sum(0) > 0).astype(float)

    def _map(self, argument: int) -> Array | None:
        return None if self.numbers.flat or argument not in self.smooth.configurations else self.to

    def first(self, result: int, argument: int) -> Array:
        pattern, to = self.smooth.pattern(result, argument), self._map(argument)
        return pattern if to is None else pattern @ to

    def second(self, a: int, b: int) -> Array:
        pattern = self.smooth.pattern_second(a, b)
        left, right = self._map(a), self._map(b)
        if left is not None:
            pattern = left.T @ pattern
        if right is not None:
            pattern = pattern @ right
        return pattern + self.turned if a == b and left is not None else pattern
