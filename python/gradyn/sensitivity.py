"""Which parameters of a robot matter, what data say of them, and the motion that tells the most."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time as clock
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _gradyn, _toml, executors
from gradyn._gradyn import Constraint, Model, Parameters, Priors

__all__ = ["Excitation", "Fit", "Local", "Morris", "Parameters", "Priors", "Sobol", "Uncertainty"]
__all__ += ["excite", "identify", "local", "morris", "sobol", "uncertainty"]

Array = NDArray[np.float64]
Patterns = str | Sequence[str] | Parameters
Given = Mapping[str, Mapping[str, float]] | Priors | None

#: The share of each value that priors have for a standard deviation, where nothing is said.
SHARE = 0.1


def _parameters(model: Model, patterns: Patterns) -> Parameters:
    return patterns if isinstance(patterns, Parameters) else Parameters(model, patterns)


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


class _Question:
    """An output at a state, which other processes can be asked too."""

    def __init__(
        self,
        model: Model,
        parameters: Parameters,
        of: str,
        q: ArrayLike,
        v: ArrayLike | None,
        a: ArrayLike | None,
        tau: ArrayLike | None,
        frame: str | None,
        constraints: Sequence[Constraint] | None,
    ) -> None:
        rest = np.zeros(model.nv)
        u = tau if of in ("accelerations", "contact-forces") else a
        state = [np.ascontiguousarray(rest if x is None else x, dtype=np.float64) for x in (q, v, u)]
        self.model: Model = model
        self.parameters: Parameters = parameters
        self.of: str = of
        self.state: list[Array] = state
        self.frame: str | None = frame
        self.constraints: list[Constraint] | None = None if constraints is None else list(constraints)
        q, v, u = state
        self.output: Any = _gradyn._Output(model, of, q, v, u, frame, self.constraints)

    def local(self, method: str = "analytical", values: ArrayLike | None = None) -> tuple[Array, Array, list[str]]:
        values = self.parameters.nominal if values is None else np.asarray(values, dtype=np.float64)
        found: tuple[Array, Array, list[str]]
        found = _gradyn.sensitivity_local(self.parameters, values, self.output, method)
        return found

    def spec(self) -> str:
        """What a worker makes it of again."""
        if self.constraints:
            raise ValueError("contact forces stay in this process: leave out `executor`, `progress` and `resume`")
        return json.dumps(
            {
                "model": self.model.to_json(),
                "parameters": self.parameters.names,
                "of": self.of,
                "state": [x.tolist() for x in self.state],
                "frame": self.frame,
            }
        )


@functools.lru_cache(maxsize=4)
def _question(spec: str) -> _Question:
    made = json.loads(spec)
    model = Model.from_json(made["model"])
    q, v, u = made["state"]
    parameters = Parameters(model, [_exactly(name) for name in made["parameters"]])
    return _Question(model, parameters, made["of"], q, v, u, u, made["frame"], None)


def _exactly(name: str) -> str:
    """A pattern that fits this name alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _chunk(spec: str, samples: Array, entries: int) -> Array:
    """Outputs of some samples: the same bits wherever they are computed."""
    question = _question(spec)
    outputs: Array = _gradyn.sensitivity_evaluate(question.parameters, question.output, samples, entries, 1)
    return outputs


def _samples(plan: dict[str, Any], priors: Priors, first: int, count: int) -> Array:
    samples: Array
    if plan["kind"] == "sobol":
        of = (plan["groups"], plan["rows"], plan["second_order"], plan["seed"])
        samples = _gradyn.sobol_samples(priors, *of, first, count)
    else:
        samples = _gradyn.morris_samples(priors, plan["paths"], plan["levels"], plan["seed"], first, count)
    return samples


#: So many bytes of samples are made at a time: making some of a plan takes about as long as making all.
BLOCK_BYTES = 64 << 20


class _Chunks(Sequence[tuple[Any, ...]]):
    """Chunks of a plan, whose samples are made in blocks when they are asked for."""

    def __init__(
        self, plan: dict[str, Any], priors: Priors, spec: str, entries: int, pieces: list[tuple[int, int]]
    ) -> None:
        self.plan, self.priors, self.spec, self.entries, self.pieces = plan, priors, spec, entries, pieces
        self.first, self.block = 0, np.empty((0, len(priors)))

    def __len__(self) -> int:
        return len(self.pieces)

    def __getitem__(self, k: Any) -> Any:
        first, count = self.pieces[k]
        if first < self.first:
            # One that is given out again.
            return self.spec, _samples(self.plan, self.priors, first, count), self.entries
        if first + count > self.first + len(self.block):
            total = sum(self.pieces[-1])
            most = max(count, BLOCK_BYTES // (8 * max(1, len(self.priors))))
            self.first, self.block = first, _samples(self.plan, self.priors, first, min(most, total - first))
        return self.spec, self.block[first - self.first :][:count], self.entries


def _evaluate(
    question: _Question,
    plan: dict[str, Any],
    priors: Priors,
    total: int,
    entries: int,
    executor: Any,
    progress: executors.Progress | None,
    resume: str | os.PathLike[str] | None,
    threads: int | None,
) -> Array:
    if executor is None and resume is None and progress is None:
        samples = _samples(plan, priors, 0, total)
        count = threads or os.cpu_count() or 1
        outputs: Array = _gradyn.sensitivity_evaluate(question.parameters, question.output, samples, entries, count)
        return outputs
    samples = _samples(plan, priors, 0, min(executors.LANES, total))
    seconds = float("inf")
    for _ in range(2):
        # The first time memory is fetched.
        begin = clock.perf_counter()
        _gradyn.sensitivity_evaluate(question.parameters, question.output, samples, entries, 1)
        seconds = min(seconds, (clock.perf_counter() - begin) / len(samples))
    size = executors.chunk_size(total, seconds, 8 * (entries + len(priors)), executor, resume is not None)
    spec = question.spec()
    pieces = executors.split(total, size)
    digest = hashlib.sha256((spec + json.dumps(plan) + priors.to_json()).encode()).hexdigest()
    found = executors.run(
        _chunk,
        _Chunks(plan, priors, spec, entries, pieces),
        sizes=[count for _, count in pieces],
        executor=executor,
        progress=progress,
        resume=resume,
        study={"samples": total, "chunk": size, "hash": digest},
        what="samples",
    )
    return np.concatenate(found)


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

    def __init__(self, question: _Question, method: str, values: ArrayLike | None) -> None:
        self.value, self.jacobian, rows = question.local(method, values)
        super().__init__(rows, question.parameters.names, [])


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
    model: Model,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
    values: ArrayLike | None = None,
    method: str = "analytical",
) -> Local:
    """Derivatives of an output at a state by parameters.

    Parameters
    ----------
    model : Model
        The robot.
    parameters : str or sequence of str
        Patterns of names of ``model.parameters``: ``"*.mass"``, ``"panda_link[2-7].com.*"``.
    of : {"torques", "accelerations", "mass-matrix", "pose", "energy", "contact-forces"}
        The output. "pose" needs ``frame``, "contact-forces" needs ``constraints``.
    q, v, a, tau : array_like
        The state; at rest without them. ``a`` is for torques, ``tau`` for accelerations and contact forces.
    values : array_like, optional
        Values of the parameters; the robot's own without it.
    method : {"analytical", "dual", "difference"}
    """
    question = _Question(model, _parameters(model, parameters), of, q, v, a, tau, frame, constraints)
    return Local(question, method, values)


def sobol(
    model: Model,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
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
    resume: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> Sobol:
    """Sobol' indices of an output over priors of parameters: which of them make its variance.

    Parameters
    ----------
    model, parameters, of, q, v, a, tau, frame, constraints
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
    chosen = _parameters(model, parameters)
    question = _Question(model, chosen, of, q, v, a, tau, frame, constraints)
    distribution = _priors(chosen, priors, share)
    names, members = _groups(chosen, groups)
    entries = question.local()[2]
    plan = {"kind": "sobol", "groups": members, "rows": rows, "second_order": second_order, "seed": seed}
    total = _gradyn.sobol_count(distribution, members, rows, second_order)
    values = _evaluate(question, plan, distribution, total, len(entries), executor, progress, resume, threads)
    rounding = _gradyn.sensitivity_rounding(chosen, question.output)
    found, warnings = _gradyn.sobol_analyze(
        distribution, members, rows, second_order, seed, values, resamples, level, rounding
    )
    return Sobol(found, entries, names, warnings)


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
    model: Model,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
    paths: int = 64,
    levels: int = 4,
    priors: Given = None,
    share: float = SHARE,
    seed: int = 0,
    resamples: int = 100,
    level: float = 0.95,
    executor: Any = None,
    progress: executors.Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> Morris:
    """Elementary effects of parameters on an output: a cheap screening. Arguments as of `sobol`; ``paths`` of ``levels``."""
    chosen = _parameters(model, parameters)
    question = _Question(model, chosen, of, q, v, a, tau, frame, constraints)
    distribution = _priors(chosen, priors, share)
    entries = question.local()[2]
    plan = {"kind": "morris", "paths": paths, "levels": levels, "seed": seed}
    total = _gradyn.morris_count(distribution, paths, levels)
    values = _evaluate(question, plan, distribution, total, len(entries), executor, progress, resume, threads)
    rounding = _gradyn.sensitivity_rounding(chosen, question.output)
    found, warnings = _gradyn.morris_analyze(distribution, paths, levels, seed, values, resamples, level, rounding)
    return Morris(found, entries, chosen.names, warnings)


def uncertainty(
    model: Model,
    parameters: Patterns,
    of: str,
    *,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    frame: str | None = None,
    constraints: Sequence[Constraint] | None = None,
    samples: int = 4096,
    priors: Given = None,
    share: float = SHARE,
    seed: int = 0,
    executor: Any = None,
    progress: executors.Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> Uncertainty:
    """How far an output scatters over priors of parameters: by derivatives, and by samples. Arguments as of `sobol`."""
    chosen = _parameters(model, parameters)
    question = _Question(model, chosen, of, q, v, a, tau, frame, constraints)
    distribution = _priors(chosen, priors, share)
    value, jacobian, entries = question.local()
    first = np.sqrt(np.square(jacobian) @ np.square(distribution.deviations))
    # All parameters as one group: samples A and B, which are independent, and the one of all.
    everything = [list(range(len(chosen)))]
    rows = max(2, samples // 2)
    plan = {"kind": "sobol", "groups": everything, "rows": rows, "second_order": False, "seed": seed}
    total = _gradyn.sobol_count(distribution, everything, rows, False)
    values = _evaluate(question, plan, distribution, total, len(entries), executor, progress, resume, threads)
    # A row is A, A with the group from B, B: the first and the last.
    kept = values.reshape(rows, 3, -1)[:, [0, 2]].reshape(2 * rows, -1)
    return Uncertainty(value, first, kept, entries, _gradyn.sensitivity_rounding(chosen, question.output))


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

    def report(self, path: str | os.PathLike[str]) -> None:
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
    chosen = _parameters(model, parameters)
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
    status : str
    """

    def __init__(self, found: Mapping[str, Any]) -> None:
        for name, x in found.items():
            setattr(self, name, x)

    def __repr__(self) -> str:
        return f"<gradyn.Excitation: {self.status}, gain {self.gain:.3g}>"  # type: ignore[attr-defined]


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
    return Excitation(_gradyn.excite_find(_parameters(model, parameters), asked, callback))
