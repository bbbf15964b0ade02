"""Predictive control."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _gradyn
from gradyn.trajectory import Task

__all__ = ["Mpc"]

Array = NDArray[np.float64]


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
