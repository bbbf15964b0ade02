"""Checks of derivatives: a claimed matrix against evidence from the function itself.

A check says *agrees*, *disagrees*, or *cannot tell* with the reason, entry by entry, and guesses at the mistake.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _gradyn
from gradyn._gradyn import CheckReport, FileError, Model

__all__ = [
    "CheckReport",
    "ModelReport",
    "assert_derivatives",
    "check_claim",
    "check_gradient",
    "check_hessian",
    "check_jacobian",
    "check_model",
]

Parts = Model | Sequence[Model | int] | None
Function = Callable[[NDArray[np.float64]], Any]


def _parts(parts: Parts) -> list[Model | int] | None:
    if parts is None:
        return None
    return [parts] if isinstance(parts, Model) else list(parts)


def _asked(options: Mapping[str, Any]) -> dict[str, Any]:
    known = {
        "name": None,
        "rows": None,
        "columns": None,
        "tolerance": None,
        "floor": None,
        "step": None,
        "seed": 0,
        "symmetric": False,
        "pictures": False,
    }
    wrong = sorted(set(options) - set(known))
    if wrong:
        raise TypeError(f"unexpected keyword argument '{wrong[0]}', expected one of {', '.join(known)}")
    return known | dict(options)


def _vector(x: ArrayLike) -> NDArray[np.float64]:
    return np.atleast_1d(np.asarray(x, dtype=np.float64)).ravel()


def _claim(claim: ArrayLike | Function, x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(claim(x) if callable(claim) else claim, dtype=np.float64)


def check_jacobian(
    f: Function,
    jacobian: ArrayLike | Function,
    x: ArrayLike,
    *,
    inputs: Parts = None,
    outputs: Parts = None,
    **options: Any,
) -> CheckReport:
    """Check a Jacobian against differences of its function.

    Parameters
    ----------
    f : callable
        ``f(x)`` with ``x`` of shape (n,); gives numbers, m in all.
    jacobian : array_like or callable
        The claim of shape (m, n), or a function of ``x`` that gives it.
    x : array_like
        The point, shape (n,).
    inputs, outputs : Model or sequence of Model and int, optional
        Where ``x`` and ``f(x)`` are: a robot's configurations, of which derivatives are along ``integrate(q, e_k)`` and
        have nv columns; or parts one after the other, as ``[model, model.nv]`` for ``(q, v)``. Numbers without it.
    **options
        ``tolerance`` (relative to the entry), ``floor`` (relative to the largest entry), ``step`` (the longest), ``name``,
        ``rows`` and ``columns`` (names), ``symmetric``, ``seed``, ``pictures``.

    Returns
    -------
    CheckReport
        True where every entry agrees.

    Examples
    --------
    >>> import numpy as np, gradyn
    >>> report = gradyn.check_jacobian(lambda x: [x[0] * x[1]], [[3.0, 2.0]], [2.0, 3.0])
    >>> report.agrees
    True
    """
    x = _vector(x)
    claim = np.atleast_2d(_claim(jacobian, x))
    report: CheckReport = _gradyn.check_jacobian(f, x, claim, _parts(inputs), _parts(outputs), _asked(options))
    return report


def check_gradient(
    f: Function, gradient: ArrayLike | Function, x: ArrayLike, *, inputs: Parts = None, **options: Any
) -> CheckReport:
    """Check the gradient, shape (n,), of a function that gives one number; see `check_jacobian`."""
    x = _vector(x)
    claim = _vector(_claim(gradient, x))
    report: CheckReport = _gradyn.check_gradient(f, x, claim, _parts(inputs), _asked(options))
    return report


def check_hessian(
    f: Function, hessian: ArrayLike | Function, x: ArrayLike, *, inputs: Parts = None, **options: Any
) -> CheckReport:
    """Check the Hessian, shape (n, n), of a function that gives one number; see `check_jacobian`."""
    x = _vector(x)
    claim = np.atleast_2d(_claim(hessian, x))
    report: CheckReport = _gradyn.check_hessian(f, x, claim, _parts(inputs), _asked(options))
    return report


def assert_derivatives(
    f: Function,
    x: ArrayLike,
    *,
    jacobian: ArrayLike | Function | None = None,
    gradient: ArrayLike | Function | None = None,
    hessian: ArrayLike | Function | None = None,
    inputs: Parts = None,
    outputs: Parts = None,
    allow_unclear: bool = False,
    **options: Any,
) -> None:
    """Raise ``AssertionError`` with the report if a derivative is wrong, or cannot be told: for tests.

    Raises
    ------
    AssertionError
        If an entry disagrees, or is undecided and ``allow_unclear`` is not set.
    """
    reports = []
    if jacobian is not None:
        reports.append(check_jacobian(f, jacobian, x, inputs=inputs, outputs=outputs, **options))
    if gradient is not None:
        reports.append(check_gradient(f, gradient, x, inputs=inputs, **options))
    if hessian is not None:
        reports.append(check_hessian(f, hessian, x, inputs=inputs, **options))
    if not reports:
        raise TypeError("give `jacobian`, `gradient` or `hessian`")
    bad = [report for report in reports if report.disagrees or not (report.agrees or allow_unclear)]
    if bad:
        raise AssertionError("\n\n".join(str(report) for report in bad))


class ModelReport:
    """What `check_claim` and `check_model` found: the reports of all states and quantities.

    Attributes
    ----------
    reports : list of (int, CheckReport)
        The state's index, and the report of one quantity there.
    notices : list of str
        What could not be checked, and why.
    """

    def __init__(self, reports: list[tuple[int, CheckReport]], notices: list[str]) -> None:
        self.reports = reports
        self.notices = notices

    @property
    def agrees(self) -> bool:
        """Whether every entry of every report agrees, and there is one."""
        return bool(self.reports) and all(report.agrees for _, report in self.reports)

    @property
    def disagrees(self) -> bool:
        """Whether an entry disagrees."""
        return any(report.disagrees for _, report in self.reports)

    def __bool__(self) -> bool:
        return self.agrees

    def __repr__(self) -> str:
        verdict = "agrees" if self.agrees else "disagrees" if self.disagrees else "cannot tell"
        return f"<gradyn.ModelReport: {verdict}, {len(self.reports)} reports>"

    def __str__(self) -> str:
        lines = []
        totals: dict[str, list[int]] = {}
        for _, report in self.reports:
            counts = report.counts
            total = totals.setdefault(report.name, [0, 0, 0])
            for k, key in enumerate(("agree", "disagree", "cannot_tell")):
                total[k] += counts[key]
        width = max((len(name) for name in totals), default=0)
        for name, (agree, disagree, unclear) in totals.items():
            lines.append(f"{name:<{width}}  {agree} agree, {disagree} disagree, {unclear} undecided")
        for state, report in self.reports:
            if report.disagrees:
                lines.append(f"\nstate {state}: {report}")
        lines.extend(f"not checked: {notice}" for notice in self.notices)
        return "\n".join(lines)


def check_claim(
    model: Model,
    states: Mapping[str, ArrayLike],
    claims: Mapping[str, ArrayLike],
    *,
    layout: str = "gradyn",
    joints: Sequence[str] | None = None,
    tolerance: float = 1e-6,
    floor: float = 1e-12,
) -> ModelReport:
    """Check what another program computed for a robot, as ``gradyn check --against`` does.

    Parameters
    ----------
    model : Model
        The robot. For Pinocchio's numbers read it with ``joint_order="pinocchio", continuous="cos-sin"``.
    states : mapping
        Inputs: ``q`` of shape (N, n) or (n,), and ``v``, ``a``, ``tau`` of shape (N, nv) or (nv,), as far as claims depend on
        them; ``f_ext.LINK``, six numbers a state.
    claims : mapping
        By name: ``tau``, ``dtau_dq``, ``mass_matrix``, ``ddq_dtau``, …, of shape (N, …) or of one state.
        ``docs/check-against.md`` lists them.
    layout : {"gradyn", "pinocchio", "mujoco", "drake"}
        Whose coordinates of a floating base, and of planar joints, the numbers have.
    joints : sequence of str, optional
        The joints in the order that ``q`` and ``v`` have them, with that of a floating base; the model's order without it.
    tolerance, floor : float
        The deviation that is allowed, relative to the entry, and to its scale: the change of its output along any input.
        Single precision needs a floor of 1e-6.

    Returns
    -------
    ModelReport

    Raises
    ------
    FileError
        If a name or a shape is not what it must be.
    """
    given = {name: np.asarray(array, dtype=np.float64) for name, array in states.items()}
    claimed = {name: np.asarray(array, dtype=np.float64) for name, array in claims.items()}
    if "q" not in given:
        raise ValueError("`states` has no `q`")
    if not claimed:
        raise ValueError("`claims` is empty")
    # Torques are a claim and an input: by two names where they are given.
    if "tau" in given:
        given["tau_given"] = given.pop("tau")
    both = sorted(set(given) & set(claimed))
    if both:
        raise ValueError(f"`{both[0]}` is both in `states` and in `claims`")
    arrays: dict[str, Any] = {**given, **claimed}
    if given["q"].ndim == 1:
        arrays = {name: array[None] for name, array in arrays.items()}
    if joints is not None:
        arrays["joints"] = np.array(list(joints))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "claims.npz")
        np.savez(path, **arrays)
        try:
            reports, notices = _gradyn.check_claims(model, path, layout, tolerance, floor, False)
        except FileError as error:
            # The file is this function's own.
            text = str(error).replace(f"{path}: ", "")
            told = FileError(text.replace("`--floating-base`", "`floating_base`").replace("`--continuous`", "`continuous`"))
            told.__dict__.update(error.__dict__, path=None)
            raise told from None
    if "tau" in claimed and "tau_given" not in given and not any(report.name == "τ" for _, report in reports):
        raise ValueError("`states` has no `tau`, which claimed accelerations depend on")
    return ModelReport(reports, notices)


def check_model(model: Model, *, samples: int = 5, seed: int = 0) -> ModelReport:
    """Check the derivatives of a robot's dynamics by formulas against differences and dual numbers, on random states.

    Parameters
    ----------
    model : Model
        The robot.
    samples : int
        How many random states.
    seed : int
        Of the states.
    """
    rng = np.random.default_rng(seed)
    q = model.random(samples, seed=seed)
    v, a, tau = rng.standard_normal((3, samples, model.nv))
    inverse = model.rnea_derivatives(q, v, a)
    forward = model.aba_derivatives(q, v, tau)
    claims = {
        "dtau_dq": inverse.dtau_dq,
        "dtau_dv": inverse.dtau_dv,
        "dtau_da": inverse.dtau_da,
        "ddq_dq": forward.ddq_dq,
        "ddq_dv": forward.ddq_dv,
        "ddq_dtau": forward.ddq_dtau,
    }
    return check_claim(model, {"q": q, "v": v, "a": a, "tau": tau}, claims)
