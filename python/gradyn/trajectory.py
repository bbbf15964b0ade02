"""Trajectories of least cost: task files, and problems built in Python."""

from __future__ import annotations

import copy
import inspect
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _gradyn, _toml
from gradyn._gradyn import CheckReport, Model
from gradyn.solution import Solution

__all__ = ["Residual", "Solution", "Task", "optimize"]

Array = NDArray[np.float64]
Callback = Callable[[dict[str, Any]], Any]
Guess = Solution | Mapping[str, Any] | Sequence[Mapping[str, Any]]

_ARGUMENTS = ("q", "v", "u", "a", "f", "time")


class Residual:
    """A residual of one's own: a Python function of a node.

    Parameters
    ----------
    value : callable
        Gives m numbers. Its arguments' names say what it depends on: ``q`` (nq,), ``v`` (nv,), ``u`` (controls), ``a``
        (nv, the step's accelerations), ``f`` (rows of contacts), ``time`` (s).
    rows : int
        m.
    jacobian : callable, optional
        Of the same arguments: a tuple with a matrix (m, n) for each but ``time``, in their order, or the matrix itself if it
        is one; that by ``q`` is along ``model.integrate(q, e_k)`` and has nv columns. Without it: central differences, and
        `Task.check_residuals` says what these are worth.
    model : Model, optional
        The robot, for differences along configurations.
    """

    def __init__(
        self,
        value: Callable[..., ArrayLike],
        rows: int,
        *,
        jacobian: Callable[..., Any] | None = None,
        model: Model | None = None,
    ) -> None:
        self.arguments: list[str] = list(inspect.signature(value).parameters)
        unknown = [name for name in self.arguments if name not in _ARGUMENTS]
        if unknown:
            raise TypeError(f"a residual has no argument '{unknown[0]}', expected some of {', '.join(_ARGUMENTS)}")
        if rows < 1:
            raise ValueError(f"`rows` is {rows}, expected one at least")
        self.value = value
        self.rows = rows
        self.model = model
        self._given = jacobian

    def jacobian(self, *arguments: Any) -> tuple[Array, ...]:
        """A matrix for each argument but ``time``: as given, or by central differences."""
        if self._given is None:
            return self._differences(*arguments)
        found = self._given(*arguments)
        names = [name for name in self.arguments if name != "time"]
        # One matrix need not stand in a tuple.
        if len(names) == 1 and not isinstance(found, tuple):
            found = (found,)
        if not isinstance(found, tuple) or len(found) != len(names):
            got = len(found) if isinstance(found, tuple) else f"one {type(found).__name__}"
            raise TypeError(f"the Jacobian of a residual gives {got}, expected {len(names)} matrices: by {', '.join(names)}")
        return tuple(np.asarray(block, dtype=np.float64) for block in found)

    #: Of central differences: the cube root of the rounding unit, where their errors are least.
    STEP = float(np.finfo(np.float64).eps ** (1 / 3))

    def _moved(self, name: str, x: Array, k: int, h: float) -> Array:
        if name == "q" and self.model is not None:
            step = np.zeros(self.model.nv)
            step[k] = h
            return self.model.integrate(x, step)
        moved = x.copy()
        moved[k] += h
        return moved

    def _differences(self, *arguments: Any) -> tuple[Array, ...]:
        blocks = []
        for place, (name, x) in enumerate(zip(self.arguments, arguments, strict=True)):
            if name == "time":
                continue
            columns = self.model.nv if name == "q" and self.model is not None else len(x)
            block = np.empty((self.rows, columns))
            for k in range(columns):
                ends = []
                for h in (self.STEP, -self.STEP):
                    moved = list(arguments)
                    moved[place] = self._moved(name, x, k, h)
                    ends.append(np.ravel(np.asarray(self.value(*moved), dtype=np.float64)))
                block[:, k] = (ends[0] - ends[1]) / (2 * self.STEP)
            blocks.append(block)
        return tuple(blocks)


def _pose(goal: Any) -> Any:
    """A 4 x 4 pose as a task has it."""
    if isinstance(goal, np.ndarray) and goal.shape == (4, 4):
        r = goal[:3, :3]
        pitch = float(np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0])))
        roll, yaw = float(np.arctan2(r[2, 1], r[2, 2])), float(np.arctan2(r[1, 0], r[0, 0]))
        return {"xyz": goal[:3, 3].tolist(), "rpy": [roll, pitch, yaw]}
    return goal


class Task:
    """A problem of optimal control: a robot, phases, costs, constraints, a solver.

    Names and keys are those of task files, which ``docs/optimize.md`` lists: every key can be given as a keyword.

    Parameters
    ----------
    model : Model
        The robot, with its joint friction if it has any (task files have none unless they ask for it).
    start : array_like or mapping, optional
        Configuration at the start: nq numbers, or a dictionary from joint to numbers. Neutral without it.
    v : array_like, optional
        Velocity at the start; at rest without it.
    dt : float
        Length of a step, s.
    scheme : str
        "semi-implicit-euler", "euler", "rk4" or "implicit-midpoint".
    **tables
        Further tables of a task: ``actuation``, ``limits``, ``contacts``, ``loops``, ``parameters``, ``poses``, ``report``.

    Examples
    --------
    >>> import numpy as np, gradyn
    >>> model = gradyn.Model.from_urdf("robots/panda.urdf")
    >>> q0 = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> goal = model.frame_pose(q0 + 0.1, "panda_link8")
    >>> task = gradyn.Task(model, start=q0, dt=0.01)
    >>> _ = task.phase("reach", nodes=50)
    >>> _ = task.cost("frame-placement", frame="panda_link8", goal=goal, weight=1e3, at="last")
    >>> _ = task.cost("state", weight=0.1)
    >>> _ = task.cost("control", weight=1e-3)
    >>> task.solve().converged
    True
    """

    def __init__(
        self,
        model: Model,
        *,
        start: ArrayLike | Mapping[str, Any] | str | None = None,
        v: ArrayLike | Mapping[str, Any] | None = None,
        dt: float = 0.01,
        scheme: str = "semi-implicit-euler",
        name: str = "task",
        **tables: Any,
    ) -> None:
        self.model = model
        self.name = name
        self.document: dict[str, Any] = {"name": name, "robot": {"file": model.name}}
        begin = {key: self._plain(x) for key, x in (("q", start), ("v", v)) if x is not None}
        if begin:
            self.document["start"] = begin
        self.document["steps"] = {"dt": dt, "scheme": scheme}
        self.document.update(tables)
        self.document["phases"] = []
        self.document["costs"] = []
        self.document["constraints"] = []
        self.residuals: dict[str, Residual] = {}

    @staticmethod
    def _plain(x: Any) -> Any:
        return x if isinstance(x, str | Mapping) else np.asarray(x, dtype=np.float64).tolist()

    def phase(self, name: str, **keys: Any) -> Task:
        """Add a phase: ``nodes`` or ``duration``, ``contacts``, ``dt``, ``free_duration``, ``impact``, …"""
        self.document["phases"].append({"name": name, **keys})
        return self

    def _term(self, kind: str | Residual, keys: dict[str, Any]) -> dict[str, Any]:
        keys = {key: _pose(x) for key, x in keys.items()}
        if not isinstance(kind, Residual):
            return {"kind": kind, **keys}
        name = str(keys.get("name", f"own {len(self.residuals) + 1}"))
        self.residuals[name] = kind
        if kind.model is None:
            kind.model = self.model
        return {"name": name, "kind": "own", "function": name, **keys}

    def cost(self, kind: str | Residual, **keys: Any) -> Task:
        """Add a cost: a kind by its name, as "frame-placement", or a `Residual`; ``weight``, ``at``, ``phases``, …"""
        self.document["costs"].append(self._term(kind, keys))
        return self

    def constraint(self, kind: str | Residual, **keys: Any) -> Task:
        """Add a constraint: a kind by its name, or a `Residual`; ``equals``, or ``lower`` and ``upper``; ``at``, …"""
        self.document["constraints"].append(self._term(kind, keys))
        return self

    def changed(self, changes: Mapping[str, Any]) -> Task:
        """The same task with other tables, ``{"solver": {"iterations": 50}}``; what is not named stays."""
        other = copy.copy(self)
        other.document = merged(self.document, changes)
        return other

    def check_residuals(self, at: Mapping[str, ArrayLike] | None = None, *, seed: int = 0) -> dict[str, CheckReport]:
        """Check the Jacobians of one's own residuals along every argument; see `gradyn.check_jacobian`.

        Parameters
        ----------
        at : mapping, optional
            Where, by argument: ``q`` (nq,), ``v`` (nv,), ``u`` (controls), ``a`` (nv,), ``f`` (rows), ``time``. Random
            without it: then ``u`` has nv numbers and ``f`` six, which must be given where there are others.
        seed : int
            Of the random numbers.

        Returns
        -------
        dict of CheckReport
            By "NAME by ARGUMENT".
        """
        from gradyn.check import check_jacobian

        rng = np.random.default_rng(seed)
        given = {name: np.asarray(x, dtype=np.float64) for name, x in (at or {}).items()}
        sizes = {"v": self.model.nv, "u": self.model.nv, "a": self.model.nv, "f": 6}
        point: dict[str, Any] = {"q": self.model.random(seed=seed), "time": float(given.pop("time", rng.random()))}
        point |= {name: rng.standard_normal(size) for name, size in sizes.items()}
        unknown = [name for name in given if name not in point]
        if unknown:
            raise ValueError(f"`at` has no argument '{unknown[0]}', expected some of {', '.join(_ARGUMENTS)}")
        point |= given
        reports = {}
        for name, residual in self.residuals.items():
            values = [point[of] for of in residual.arguments]
            blocks = iter(residual.jacobian(*values))
            for place, of in enumerate(residual.arguments):
                if of == "time":
                    continue

                def f(x: Array, place: int = place, residual: Residual = residual, values: list[Any] = values) -> Any:
                    return residual.value(*(x if i == place else y for i, y in enumerate(values)))

                what = f"{name} by {of}"
                inputs = self.model if of == "q" else None
                reports[what] = check_jacobian(f, next(blocks), values[place], inputs=inputs, name=what)
        return reports

    def to_toml(self) -> str:
        """The task as TOML; ``robot.file`` is the model's name, and own residuals are named only."""
        return _text(self.document)

    def solve(
        self,
        solver: str | None = None,
        *,
        guess: Guess | None = None,
        callback: Callback | None = None,
        refine: bool = False,
        **options: Any,
    ) -> Solution:
        """Solve the task.

        Parameters
        ----------
        solver : {"newton", "proximal", "fddp"}, optional
            As task files have it: "fddp" without constraints, else "newton".
        guess : Solution or mapping, optional
            Where the solver begins: a solution, whose multipliers are taken too, or the table ``[guess]`` of a task.
        callback : callable, optional
            Called after each iteration with a dictionary: ``iteration``, ``cost``, ``gap``, ``violation``, … Raise
            ``StopIteration`` to end the solver there; any other exception ends it and is raised.
        refine : bool
            Splits steps that are too long, and solves again.
        **options
            Keys of ``[solver]``: ``iterations``, ``tolerance``, ``threads``, ``time``, ``hessian``, …
        """
        with tempfile.TemporaryDirectory() as folder:
            return Solution(self._made(folder, solver, guess, options).solve(callback, refine))

    def _made(self, folder: str, solver: str | None, guess: Guess | None, options: Mapping[str, Any]) -> Any:
        """The task with these options, as the solvers have it."""
        document = dict(self.document)
        if solver is not None or options:
            name = {} if solver is None else {"name": solver}
            document["solver"] = {**document.get("solver", {}), **name, **options}
        if guess is not None:
            document["guess"] = guess_table(guess, folder)
        own = [(name, of.rows, of.arguments, of.value, of.jacobian) for name, of in self.residuals.items()]
        return _gradyn._Task.parse(_text(document), self.name, self.name, folder, self.model, own)


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of a task with others over them."""
    made = dict(under)
    for key, x in over.items():
        old = made.get(key)
        made[key] = merged(old, x) if isinstance(old, Mapping) and isinstance(x, Mapping) else x
    return made


def guess_table(guess: Guess, folder: str) -> Any:
    """The table ``[guess]``; a solution is written into the folder."""
    if not isinstance(guess, Solution):
        return guess
    path = os.path.join(folder, "guess.json")
    guess.to_json(path)
    return {"file": path}


def _text(document: Mapping[str, Any]) -> str:
    return _toml.document({key: x for key, x in document.items() if x or key == "phases"})


def optimize(
    task: str | os.PathLike[str] | Task,
    *,
    callback: Callback | None = None,
    refine: bool = False,
) -> Solution:
    """Solve a task file, as ``gradyn optimize`` does, or a `Task`.

    Parameters
    ----------
    task : str, os.PathLike or Task
        The file, in TOML, or a task built in Python.
    callback, refine
        As of `Task.solve`.
    """
    if isinstance(task, Task):
        return task.solve(callback=callback, refine=refine)
    return Solution(_gradyn._Task.read(task).solve(callback, refine))
