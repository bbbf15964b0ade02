"""What data say of a robot's parameters, and the motion that tells the most."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _gradyn
from gradyn._gradyn import Model, Parameters
from gradyn._question import Patterns, chosen_parameters

__all__ = ["Excitation", "Fit", "excite", "identify"]

Array = NDArray[np.float64]


class Fit:
    """What data say of parameters.

    Attributes
    ----------
    verdict : str
        The fit in a sentence.
    fitted : bool
        Whether it identifies all parameters and explains the data.
    values, half_widths : ndarray, shape (k,)
        Estimates, and half the width of their intervals (NaN where the data cannot tell).
    covariance : ndarray or None
    parameters, warnings, explanations, cannot_tell : list of str
    details : dict
        All of it, as ``gradyn identify --json`` writes it.
    model : Model
        The robot with these values.
    """

    def __init__(self, parameters: Parameters, found: tuple[str, bool, list[float], Array | None, str | None]) -> None:
        text, fitted, values, covariance, self._page = found
        self.fitted: bool = fitted
        self.covariance: Array | None = covariance
        self.details: dict[str, Any] = json.loads(text)
        self.verdict: str = self.details["verdict"]
        self.parameters: list[str] = parameters.names
        self.values: Array = np.array(values)
        halves = [of["half_width"] for of in self.details["parameters"]]
        self.half_widths: Array = np.array([np.nan if half is None else half for half in halves])
        self.warnings: list[str] = self.details["warnings"]
        self.explanations: list[str] = self.details["explanations"]
        self.cannot_tell: list[str] = self.details["cannot_tell"]
        self._chosen = parameters

    def __bool__(self) -> bool:
        return self.fitted

    def __repr__(self) -> str:
        return f"<gradyn.Fit: {self.verdict}>"

    @property
    def model(self) -> Model:
        """The robot with these values."""
        model: Model = self._chosen.robot_at(self.values.tolist())
        return model

    def to_frame(self) -> Any:
        """Estimates as a pandas frame: a row for each parameter."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        return pandas.DataFrame(self.details["parameters"]).set_index("name")

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page for a browser that needs no network."""
        if self._page is None:
            raise ValueError("ask for it: identify(..., report=True)")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page)

    def plot(self, axes: Any = None) -> Any:
        """Plot estimates and intervals with Matplotlib; gives the figure."""
        from gradyn import plots

        return plots.fit(self, axes)


def _column(model: Model, data: Mapping[str, Any], name: str, width: int) -> Array | None:
    """An array of the data, a row a time, or the columns ``name.JOINT`` of a frame."""
    if name in data:
        found = np.asarray(data[name], dtype=np.float64)
        return found[:, None] if found.ndim == 1 else found
    columns = [f"{name}.{dof}" for dof in model.dof_names]
    if width == model.nv and all(column in data for column in columns):
        return np.stack([np.asarray(data[column], dtype=np.float64) for column in columns], axis=1)
    return None


def identify(
    model: Model,
    parameters: Patterns,
    data: Mapping[str, ArrayLike] | Any,
    *,
    measured: Sequence[str] | None = None,
    robust: float | None = None,
    prior: float | Mapping[str, float] | None = None,
    entropic: float | None = None,
    hold_out: float = 0.3,
    blocks: int = 1,
    assume_white: bool = False,
    delay: bool = True,
    low_pass: float | None = None,
    every: int = 1,
    level: float = 0.95,
    report: bool = False,
) -> Fit:
    """Fit parameters to measured torques.

    Parameters
    ----------
    model : Model
        The robot, whose own values the fit begins at.
    parameters : str or sequence of str
        Patterns of names of ``model.parameters``.
    data : mapping or pandas.DataFrame
        ``time`` (N,), ``q`` (N, nq), ``v``, ``a``, ``tau`` (N, nv); a frame has the columns ``time``, ``q.JOINT``,
        ``v.JOINT``, ``a.JOINT``, ``tau.JOINT``. Without ``v`` and ``a`` these are differences of ``q`` along time.
    measured : sequence of str, optional
        Degrees of freedom whose torques were measured; all without it.
    robust : float, optional
        Huber's width, in standard deviations of the noise.
    prior : float or mapping, optional
        Standard deviations about the robot's own values: a share of each, or by name.
    entropic : float, optional
        Weight of the entropic regularizer of inertias.
    hold_out, blocks : float, int
        The share of the data that is held out: the end of each of so many blocks.
    assume_white, delay, low_pass, every
        As ``gradyn identify`` has them.
    level : float
        Of intervals.
    report : bool
        Prepares the page that `Fit.report` writes.
    """
    chosen = chosen_parameters(model, parameters)
    q, tau = _column(model, data, "q", model.nq), _column(model, data, "tau", model.nv)
    if "time" not in data or q is None or tau is None:
        missing = "time" if "time" not in data else "q" if q is None else "tau"
        columns = "" if missing == "time" else f", nor the columns {missing}.{model.dof_names[0]}, ..."
        raise ValueError(f"`data` has no `{missing}`{columns}")
    time = np.ravel(np.asarray(data["time"], dtype=np.float64))
    v, a = _column(model, data, "v", model.nv), _column(model, data, "a", model.nv)
    if v is None:
        v = _rates(model, time, q)
    if a is None:
        a = np.gradient(v, time, axis=0, edge_order=2)
    dofs = model.dof_names
    places = [] if measured is None else [_place(dofs, name) for name in measured]
    deviations = _deviations(chosen, prior)
    asked = {
        "robust": robust,
        "prior": deviations,
        "entropic": entropic,
        "hold_out": hold_out,
        "blocks": blocks,
        "assume_white": assume_white,
        "delay": delay,
        "low_pass": low_pass,
        "every": every,
        "level": level,
        "page": report,
    }
    return Fit(chosen, _gradyn.identify_fit(model, chosen, time.tolist(), q, v, a, tau, places, asked))


def _rates(model: Model, time: Array, q: Array) -> Array:
    """Central differences along the configurations, one-sided at the ends."""
    step = model.difference(q[:-1], q[1:]) / np.diff(time)[:, None]
    middle = model.difference(q[:-2], q[2:]) / (time[2:] - time[:-2])[:, None]
    return np.concatenate([step[:1], middle, step[-1:]])


def _place(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise ValueError(f"`measured`: there is no degree of freedom '{name}', expected some of {', '.join(names)}"[:200])
    return list(names).index(name)


def _deviations(chosen: Parameters, prior: float | Mapping[str, float] | None) -> list[float] | None:
    if prior is None:
        return None
    if isinstance(prior, Mapping):
        unknown = [name for name in prior if name not in chosen.names]
        if unknown:
            raise ValueError(f"`prior`: '{unknown[0]}' is none of the chosen parameters")
        return [float(prior.get(name, np.inf)) for name in chosen.names]
    sizes = np.abs(chosen.nominal)
    # A share of what is zero says nothing.
    return [float(prior * size) if size > 0 else float("inf") for size in sizes]


class Excitation:
    """A motion that is informative about parameters.

    Attributes
    ----------
    time, q, v, a, tau : ndarray
        Its samples, with the torques of the given robot.
    base : list of str
        Combinations of parameters that motions identify.
    deviations, random_deviations : ndarray
        Standard deviations to expect of them, and by the random motion that the search began with.
    gain : float
        How many times smaller they are, in the mean.
    converged : bool
    status, verdict : str
        How the search ended, and what the motion is worth, in a sentence.
    """

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._page: str = found["page"]
        for name, x in found.items():
            if name != "page":
                setattr(self, name, x)

    def __repr__(self) -> str:
        return f"<gradyn.Excitation: {self.status}, gain {self.gain:.3g}>"  # type: ignore[attr-defined]

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page for a browser that needs no network."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page)


def excite(
    model: Model,
    parameters: Patterns,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    rate: float = 100.0,
    noise: ArrayLike | None = None,
    start: ArrayLike | None = None,
    share: float = 0.9,
    seed: int = 0,
    iterations: int = 2000,
    callback: Callable[[int, float], Any] | None = None,
) -> Excitation:
    """Find the motion within the joint limits that tells the most about parameters.

    Parameters
    ----------
    model, parameters
        As of `identify`.
    period, harmonics, rate
        Of the motion: s, sines and cosines of each joint, samples a second.
    noise : array_like, optional
        Standard deviation of each measured torque, nv numbers; 0.1 without it.
    start : array_like, optional
        Where the motion begins and ends, nv numbers; chosen without it.
    share : float
        The share of the limits that may be used.
    seed, iterations
        Of the search.
    callback : callable, optional
        Called with steps and gain.
    """
    asked = {
        "period": period,
        "harmonics": harmonics,
        "rate": rate,
        "noise": None if noise is None else np.broadcast_to(np.asarray(noise, dtype=np.float64), model.nv).tolist(),
        "start": None if start is None else np.asarray(start, dtype=np.float64).tolist(),
        "share": share,
        "seed": seed,
        "iterations": iterations,
    }
    return Excitation(_gradyn.excite_find(chosen_parameters(model, parameters), asked, callback))
