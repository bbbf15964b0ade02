"""What a solver has found: arrays, files, a page, figures."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradyn import _gradyn

__all__ = ["Solution"]

Array = NDArray[np.float64]


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
        inner = self._live()
        if not isinstance(parameters, _gradyn.Parameters):
            parameters = _gradyn.Parameters(inner.model(), parameters)
        return inner.rollout(parameters, closed_loop)

    def _live(self) -> Any:
        """The solution as the solver left it, with its task.

        Raises
        ------
        ValueError
            If this is plain data.
        """
        if isinstance(self._inner, _Stored):
            raise ValueError("this solution was sent or read again: ask where the task was solved")
        return self._inner

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
