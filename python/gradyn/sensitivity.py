"""Which parameters of a robot matter: derivatives, shares of variance, screening; with what data say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _gradyn, _toml, executors
from gradyn._gradyn import Constraint, Model, Parameters, Priors
from gradyn._question import Asked, Patterns, asked, evaluate
from gradyn.identification import Excitation, Fit, excite, identify
from gradyn.solution import Solution

__all__ = ["Excitation", "Fit", "Local", "Morris", "Parameters", "Priors", "Sobol", "Uncertainty"]
__all__ += ["excite", "identify", "local", "morris", "sobol", "uncertainty"]

Array = NDArray[np.float64]
Given = Mapping[str, Mapping[str, float]] | Priors | None

#: The share of each value that priors have for a standard deviation, where nothing is said.
SHARE = 0.1


def _priors(parameters: Parameters, given: Given, share: float) -> Priors:
    if isinstance(given, Priors):
        if len(given) != len(parameters):
            raise ValueError(f"`priors` has {len(given)} entries, expected {len(parameters)}: one a parameter")
        return given
    if given is None:
        found: Priors = parameters.default_priors(share)
    else:
        found = parameters.priors(_toml.document(given), "priors", share)
    return found


class _Result:
    """Arrays of numbers by output and parameter."""

    #: Names of what `to_frame` has a column for.
    _measures: tuple[str, ...] = ()

    def __init__(self, outputs: list[str], parameters: list[str], warnings: list[str]) -> None:
        self.outputs = outputs
        self.parameters = parameters
        self.warnings = warnings

    def to_frame(self) -> Any:
        """All numbers as a pandas frame: a row for each output and parameter."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        index = pandas.MultiIndex.from_product([self.outputs, self.parameters], names=["output", "parameter"])
        columns = {name: np.ravel(getattr(self, name)) for name in self._measures}
        return pandas.DataFrame(columns, index=index)

    def plot(self, axes: Any = None) -> Any:
        """Plot with Matplotlib; gives the figure."""
        from gradyn import plots

        return plots.sensitivity(self, axes)


class Local(_Result):
    """Derivatives of an output by parameters.

    Attributes
    ----------
    value : ndarray, shape (m,)
    jacobian : ndarray, shape (m, k)
    outputs, parameters : list of str
    """

    _measures = ("jacobian",)

    value: Array
    jacobian: Array

    def __init__(self, question: Asked, method: str, values: ArrayLike | None) -> None:
        self.value, self.jacobian, rows = question.local(method, values)
        super().__init__(rows, question.parameters.names, question.warnings)


class Sobol(_Result):
    """Variance-based indices.

    Attributes
    ----------
    first, total : ndarray, shape (m, k)
        The share of each parameter (or group) in each output's variance: alone, and with others. NaN where an output does not
        scatter beyond its rounding.
    first_half_width, total_half_width : ndarray, shape (m, k)
        Half the width of their intervals.
    second : ndarray, shape (m, k (k - 1) / 2)
        Of pairs, if asked.
    mean, variance : ndarray, shape (m,)
    outputs, parameters, warnings : list of str
    """

    _measures = ("first", "first_half_width", "total", "total_half_width")

    first: Array
    total: Array
    first_half_width: Array
    total_half_width: Array
    mean: Array
    variance: Array

    def __init__(self, found: Mapping[str, Array], outputs: list[str], names: list[str], warnings: list[str]) -> None:
        super().__init__(outputs, names, warnings)
        for name, array in found.items():
            setattr(self, name, array)


class Morris(_Result):
    """Elementary effects, per unit of probability.

    Attributes
    ----------
    mean, magnitude, deviation : ndarray, shape (m, k)
        Of the effects: mean, mean of their sizes, and standard deviation; with ``…_half_width``.
    outputs, parameters, warnings : list of str
    """

    _measures = ("mean", "magnitude", "deviation")

    mean: Array
    magnitude: Array
    deviation: Array

    def __init__(self, found: Mapping[str, Array], outputs: list[str], names: list[str], warnings: list[str]) -> None:
        super().__init__(outputs, names, warnings)
        for name, array in found.items():
            setattr(self, name, array)


class Uncertainty:
    """How far outputs scatter.

    Attributes
    ----------
    nominal, mean : ndarray, shape (m,)
    first_order, deviation : ndarray, shape (m,)
        Standard deviations: by derivatives, and of samples.
    disagree : ndarray of bool, shape (m,)
        Whether both differ by more than sampling explains: first order is then not to be trusted.
    kept_out : int
        How many samples do not count, since an output of theirs is not finite.
    outputs, warnings : list of str
    """

    def __init__(self, nominal: Array, first: Array, samples: Array, outputs: list[str], rounding: Array) -> None:
        finite = samples[np.all(np.isfinite(samples), axis=1)]
        self.outputs = outputs
        self.nominal = nominal
        self.kept_out: int = len(samples) - len(finite)
        self.warnings: list[str] = []
        if self.kept_out:
            self.warnings.append(f"outputs of {self.kept_out} of {len(samples)} samples are not finite, and do not count")
        if len(finite) < 2:
            raise ValueError(f"outputs of {self.kept_out} of {len(samples)} samples are not finite: are these priors of a robot?")
        self.mean: Array = finite.mean(axis=0)
        self.deviation: Array = finite.std(axis=0, ddof=1)
        self.first_order = first
        # The standard error of a standard deviation by its fourth moment; three of them, and a tenth of it.
        centered = finite - self.mean
        fourth = (centered**4).mean(axis=0)
        variance = self.deviation**2
        spread = np.sqrt(np.maximum(fourth - variance**2, 0.0) / len(finite)) / np.maximum(2 * self.deviation, 1e-300)
        # What scatters by its rounding alone tells nothing: at a hundred times it, about 1 % is rounding.
        told = self.deviation > 100 * rounding
        self.disagree: NDArray[np.bool_] = told & (np.abs(first - self.deviation) > 3 * spread + 0.1 * self.deviation)

    def to_frame(self) -> Any:
        """All numbers as a pandas frame: a row for each output."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        names = ("nominal", "mean", "first_order", "deviation", "disagree")
        return pandas.DataFrame({name: getattr(self, name) for name in names}, index=self.outputs)


def local(
    model: Model | Solution,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
    closed_loop: bool = False,
    values: ArrayLike | None = None,
    method: str = "analytical",
) -> Local:
    """Derivatives of an output at a state, or of where a trajectory ends, by parameters.

    Parameters
    ----------
    model : Model or Solution
        The robot; or the solution of a task, whose trajectory is simulated with other parameters.
    parameters : str or sequence of str
        Patterns of names of ``model.parameters``: ``"*.mass"``, ``"panda_link[2-7].com.*"``.
    of : {"torques", "accelerations", "mass-matrix", "pose", "energy", "contact-forces"}
        The output at a state. "pose" needs ``frame``, "contact-forces" needs ``constraints``. Along a solution: "configuration"
        or "pose", how far its end moves.
    q, v, a, tau : array_like
        The state, unless ``model`` is a solution; at rest without them. ``a`` is for torques, ``tau`` for accelerations and contact forces.
    values : array_like, optional
        Values of the parameters; the robot's own without it.
    method : {"analytical", "dual", "difference"}
    closed_loop : bool
        Along a solution: with the solver's feedback.
    """
    question = asked(model, parameters, of, q, v, a, tau, frame, constraints, closed_loop)
    return Local(question, method, values)


def sobol(
    model: Model | Solution,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
    closed_loop: bool = False,
    rows: int = 1024,
    priors: Given = None,
    share: float = SHARE,
    groups: Mapping[str, str | Sequence[str]] | None = None,
    second_order: bool = False,
    seed: int = 0,
    resamples: int = 100,
    level: float = 0.95,
    executor: Any = None,
    progress: executors.Progress | None = None,
    resume: str | PathLike[str] | None = None,
    threads: int | None = None,
) -> Sobol:
    """Sobol' indices of an output over priors of parameters: which of them make its variance.

    Parameters
    ----------
    model, parameters, of, q, v, a, tau, frame, constraints, closed_loop
        As of `local`.
    rows : int
        Rows of the sample, best a power of two; each takes a number of evaluations that grows with the parameters.
    priors : mapping, optional
        By pattern: ``{"*.mass": {"share": 0.1}, "gravity.z": {"sd": 0.01}}``, as files of priors have them. For all others
        ``share`` of the value.
    groups : mapping, optional
        From a name to patterns: parameters that move together. Each parameter is then in one group.
    second_order : bool
        Also indices of pairs.
    resamples, level : int, float
        Of the bootstrap of intervals.
    executor, progress, resume
        See `gradyn.executors.run`: the same bits whatever runs it.

    Returns
    -------
    Sobol
    """
    question = asked(model, parameters, of, q, v, a, tau, frame, constraints, closed_loop)
    chosen = question.parameters
    distribution = _priors(chosen, priors, share)
    names, members = _groups(chosen, groups)
    entries = question.local()[2]
    plan = {"kind": "sobol", "groups": members, "rows": rows, "second_order": second_order, "seed": seed}
    total = _gradyn.sobol_count(distribution, members, rows, second_order)
    values = evaluate(question, plan, distribution, total, len(entries), executor, progress, resume, threads)
    rounding = _gradyn.sensitivity_rounding(chosen, question.output)
    found, warnings = _gradyn.sobol_analyze(
        distribution, members, rows, second_order, seed, values, resamples, level, rounding
    )
    return Sobol(found, entries, names, question.warnings + warnings)


def _groups(chosen: Parameters, groups: Mapping[str, str | Sequence[str]] | None) -> tuple[list[str], list[list[int]]]:
    if groups is None:
        return chosen.names, []
    place = {name: k for k, name in enumerate(chosen.names)}
    model = chosen.model
    members = []
    for patterns in groups.values():
        fitting = [place[name] for name in Parameters(model, patterns).names if name in place]
        if not fitting:
            raise ValueError(f"`groups`: none of the chosen parameters fits {patterns!r}")
        members.append(fitting)
    return list(groups), members


def morris(
    model: Model | Solution,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
    closed_loop: bool = False,
    paths: int = 64,
    levels: int = 4,
    priors: Given = None,
    share: float = SHARE,
    seed: int = 0,
    resamples: int = 100,
    level: float = 0.95,
    executor: Any = None,
    progress: executors.Progress | None = None,
    resume: str | PathLike[str] | None = None,
    threads: int | None = None,
) -> Morris:
    """Elementary effects of parameters on an output: a cheap screening. Arguments as of `sobol`; ``paths`` of ``levels``."""
    question = asked(model, parameters, of, q, v, a, tau, frame, constraints, closed_loop)
    chosen = question.parameters
    distribution = _priors(chosen, priors, share)
    entries = question.local()[2]
    plan = {"kind": "morris", "paths": paths, "levels": levels, "seed": seed}
    total = _gradyn.morris_count(distribution, paths, levels)
    values = evaluate(question, plan, distribution, total, len(entries), executor, progress, resume, threads)
    rounding = _gradyn.sensitivity_rounding(chosen, question.output)
    found, warnings = _gradyn.morris_analyze(distribution, paths, levels, seed, values, resamples, level, rounding)
    return Morris(found, entries, chosen.names, question.warnings + warnings)


def uncertainty(
    model: Model | Solution,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
    closed_loop: bool = False,
    samples: int = 4096,
    priors: Given = None,
    share: float = SHARE,
    seed: int = 0,
    executor: Any = None,
    progress: executors.Progress | None = None,
    resume: str | PathLike[str] | None = None,
    threads: int | None = None,
) -> Uncertainty:
    """How far an output scatters over priors of parameters: by derivatives, and by samples. Arguments as of `sobol`."""
    question = asked(model, parameters, of, q, v, a, tau, frame, constraints, closed_loop)
    chosen = question.parameters
    distribution = _priors(chosen, priors, share)
    value, jacobian, entries = question.local()
    first = np.sqrt(np.square(jacobian) @ np.square(distribution.deviations))
    # All parameters as one group: samples A and B, which are independent, and the one of all.
    everything = [list(range(len(chosen)))]
    rows = max(2, samples // 2)
    plan = {"kind": "sobol", "groups": everything, "rows": rows, "second_order": False, "seed": seed}
    total = _gradyn.sobol_count(distribution, everything, rows, False)
    values = evaluate(question, plan, distribution, total, len(entries), executor, progress, resume, threads)
    # A row is A, A with the group from B, B: the first and the last.
    kept = values.reshape(rows, 3, -1)[:, [0, 2]].reshape(2 * rows, -1)
    found = Uncertainty(value, first, kept, entries, _gradyn.sensitivity_rounding(chosen, question.output))
    found.warnings += question.warnings
    return found
