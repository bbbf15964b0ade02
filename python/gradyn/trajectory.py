"""Trajectories of least cost: task files, and problems built in Python."""

from __future__ import annotations

import copy
import inspect
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _gradyn, _toml
from gradyn._gradyn import CheckReport, Model

__all__ = ["Mpc", "Residual", "Solution", "Task", "optimize"]

Array = NDArray[np.float64]
Callback = Callable[[dict[str, Any]], Any]
Guess = Union["Solution", Mapping[str, Any], Sequence[Mapping[str, Any]]]

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


class Mpc:
    """Predictive control: answers a measurement at once, and plans again while the answer acts.

    Parameters
    ----------
    task : Task
        What is planned, from its start.
    solver : {"newton", "proximal"}
        The solver.
    iterations : int
        At most, in a cycle.
    time : float, optional
        Budget of a cycle, s: at its end the best plan counts.
    **options
        Further keys of ``[solver]``.

    Examples
    --------
    A cycle of 2 ms, where ``plant`` measures and moves the robot::

        mpc = gradyn.Mpc(task, time=1.2e-3)
        while True:
            q, v = plant.measure()
            plant.apply(mpc.feedback(q, v))
            mpc.replan(q, v, period=0.002)
    """

    def __init__(
        self, task: Task, *, solver: str = "newton", iterations: int = 2, time: float | None = None, **options: Any
    ) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self._inner = _gradyn._Mpc(task._made(folder, solver, None, options), iterations, time)

    def feedback(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Controls for a measured state, within their bounds: one product, of what was prepared."""
        q, v = np.ravel(np.asarray(q, dtype=np.float64)), np.ravel(np.asarray(v, dtype=np.float64))
        controls: Array = self._inner.feedback(q, v)
        return controls

    def replan(self, q: ArrayLike, v: ArrayLike, period: float) -> dict[str, Any]:
        """Plan from a measured state, and prepare the feedback of ``period`` seconds later.

        Returns
        -------
        dict
            ``status``, ``message``, ``iterations``, ``cost``, ``gap``. A plan that has not converged is the best so far.
        """
        q, v = np.ravel(np.asarray(q, dtype=np.float64)), np.ravel(np.asarray(v, dtype=np.float64))
        told: dict[str, Any] = self._inner.replan(q, v, period)
        return told

    def shift(self, seconds: float) -> None:
        """Move the plan by so many seconds, where a deadline was missed."""
        self._inner.shift(seconds)

    @property
    def plan(self) -> dict[str, Any]:
        """``time``, ``q``, ``v``, ``u`` of the plan."""
        plan: dict[str, Any] = self._inner.trajectory()
        return plan


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


class Solution:
    """What a solver has found.

    Attributes
    ----------
    converged : bool
    status, message : str
        One word, and a sentence.
    cost, gap, violation : float
    iterations : int
    seconds : float
    time : ndarray, shape (N + 1,)
        s
    q, v : ndarray, shape (N + 1, nq), (N + 1, nv)
    u, tau : ndarray, shape (N, nu), (N, nv)
        Controls, and the torques that they make; NaN where a node has none.
    forces : dict of ndarray
        Of each contact, in axes of the world; NaN at nodes without it.
    gains : list of ndarray
        Feedback ``u = u_k - K_k (x - x_k)`` of each step, in the tangent space; empty without.
    costs, parameters, durations, constraints : dict
    history : dict of ndarray
        ``cost``, ``gap``, ``violation``, … by iteration.
    warnings, blocked : list
    phases : list of str
        Of each node.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        found = json.loads(inner.json())
        self.task: str = found["task"]
        self.converged: bool = found["converged"]
        self.status: str = found["status"]
        self.message: str = found["message"]
        self.cost: float = found["cost"]
        self.gap: float = found["gap"]
        self.violation: float = found["violation"]
        self.iterations: int = found["iterations"]
        self.seconds: float = found["seconds"]
        self.warnings: list[dict[str, Any]] = found["warnings"]
        self.attempts: list[dict[str, Any]] = found["attempts"]
        self.blocked: list[str] = found["blocked"]
        self.controls: list[str] = found["controls"]
        self.phases: list[str] = found["phase"]
        self.costs: dict[str, float] = found["costs"]
        self.parameters: dict[str, Array] = {name: np.array(x) for name, x in found["parameters"].items()}
        self.durations: dict[str, float] = found["durations"]
        self.constraints: dict[str, Any] = found["constraints"]
        self.time: Array = np.array(found["time"])
        self.q: Array = np.array(found["q"])
        self.v: Array = np.array(found["v"])
        self.u: Array = _table(found["u"], len(self.controls))
        self.tau: Array = _table(found["tau"], found["nv"])
        self.gains: list[Array] = [np.array(gain) for gain in found["gains"]]
        self.forces: dict[str, Array] = _forces(found["forces"])
        history = found["history"]
        keys = history[0] if history else ()
        self.history: dict[str, Array] = {
            key: np.array([np.nan if of[key] is None else of[key] for of in history]) for key in keys
        }

    def __bool__(self) -> bool:
        return self.converged

    def __repr__(self) -> str:
        return f"<gradyn.Solution '{self.task}': {self.status}, cost {self.cost:.6g}, {self.iterations} iterations>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Solution, (self._stored(page=isinstance(self._inner, _Stored)),)

    def _stored(self, page: bool) -> _Stored:
        inner = self._inner
        return _Stored(inner.json(), inner.npz(), inner.csv(), inner.page() if page else None)

    def detached(self, *, page: bool = False) -> Solution:
        """The same as plain data, as it is after pickling; ``page``: with what `report` writes."""
        return Solution(self._stored(page))

    @property
    def json(self) -> str:
        """All of it as JSON."""
        return str(self._inner.json())

    def to_npz(self, path: str | os.PathLike[str]) -> None:
        """Write the trajectory as arrays of NumPy."""
        with open(path, "wb") as file:
            file.write(self._inner.npz())

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write all of it as JSON: a guess can begin there."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.json)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the trajectory as CSV, a node a line."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._inner.csv())

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page for a browser that needs no network."""
        page = self._inner.page()
        if page is None:
            raise ValueError("the page is made where the task was solved: `optimize_many(..., pages=True)`")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def sensitivity(self, parameters: Any, *, closed_loop: bool = False) -> Any:
        """Simulate the trajectory, and differentiate it by parameters of the robot and by the start.

        Parameters
        ----------
        parameters : str, sequence of str, or sensitivity.Parameters
            Patterns of names of ``model.parameters``; patterns are of the task's robot.
        closed_loop : bool
            With the solver's feedback.

        Returns
        -------
        object
            ``time`` (N + 1,), ``q``, ``v``, ``by_parameters`` (N + 1, 2 nv, k), ``by_start`` (N + 1, 2 nv, 2 nv): of
            (q, v) along the tangent; ``trustworthy``.
        """
        if isinstance(self._inner, _Stored):
            raise ValueError("this solution was sent or read again: ask where the task was solved")
        if not isinstance(parameters, _gradyn.Parameters):
            parameters = _gradyn.Parameters(self._inner.model(), parameters)
        return self._inner.rollout(parameters, closed_loop)

    def plot(self, axes: Any = None) -> Any:
        """Plot positions, velocities and controls over time with Matplotlib; gives the figure."""
        from gradyn.plots import trajectory

        return trajectory(self, axes)


@dataclass(frozen=True)
class _Stored:
    """What a solution is written as, without the solution itself."""

    _json: str
    _npz: bytes
    _csv: str
    _page: str | None

    def json(self) -> str:
        return self._json

    def npz(self) -> bytes:
        return self._npz

    def csv(self) -> str:
        return self._csv

    def page(self) -> str | None:
        return self._page


def _table(rows: list[list[float]], width: int) -> Array:
    table = np.full((len(rows), width), np.nan)
    for k, row in enumerate(rows):
        if len(row) == width:
            table[k] = row
    return table


def _forces(nodes: list[dict[str, list[float]]]) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for k, node in enumerate(nodes):
        for name, force in node.items():
            table = found.setdefault(name, np.full((len(nodes), len(force)), np.nan))
            table[k] = force
    return found
