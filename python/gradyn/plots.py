"""Figures with Matplotlib, which is imported when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gradyn.identification import Fit
    from gradyn.solution import Solution

#: So many lines share one axis before names are left out.
NAMED = 12


def _figure(axes: Any, rows: int, height: float) -> tuple[Any, Any]:
    from matplotlib import pyplot

    if axes is not None:
        axes = np.ravel(axes)
        if len(axes) != rows:
            raise ValueError(f"`axes` are {len(axes)}, expected {rows}")
        return axes[0].figure, axes
    figure, made = pyplot.subplots(rows, 1, figsize=(8, height), squeeze=False, layout="constrained")
    return figure, made[:, 0]


def trajectory(solution: Solution, axes: Any = None) -> Any:
    """Positions, velocities, controls, and forces along the world's z where there are contacts, over time."""
    # Of contacts that are a point or a surface, not of loops; at impacts there are impulses, which are no forces.
    forces = {name: force for name, force in solution.forces.items() if force.shape[1] in (3, 6)}
    rows = 3 + bool(forces)
    figure, axes = _figure(axes, rows, 2.2 * rows)
    controls = solution.controls
    for ax, lines, name, labels in (
        (axes[0], solution.q, "q", None),
        (axes[1], solution.v, "v, rad/s or m/s", None),
        (axes[2], solution.u, "u, N m or N", controls),
    ):
        time = solution.time[: len(lines)]
        for k in range(lines.shape[1]):
            label = labels[k] if labels is not None and len(labels) <= NAMED else None
            if lines is solution.u:
                ax.step(time, lines[:, k], where="post", label=label, linewidth=1)
            else:
                ax.plot(time, lines[:, k], label=label, linewidth=1)
        ax.set_ylabel(name)
        ax.grid(alpha=0.3)
    if len(controls) <= NAMED:
        axes[2].legend(fontsize="x-small", ncols=4)
    if forces:
        impacts = np.array([phase.endswith(" impact") for phase in solution.phases[:-1]])
        for name, force in forces.items():
            normal = np.where(impacts[: len(force)], np.nan, force[:, 2])
            axes[3].step(solution.time[: len(force)], normal, where="post", label=name, linewidth=1)
        axes[3].set_ylabel("force along z, N")
        axes[3].legend(fontsize="x-small", ncols=4)
        axes[3].grid(alpha=0.3)
    _phases(solution, axes)
    axes[-1].set_xlabel("time, s")
    figure.suptitle(f"{solution.task}: {solution.status}, cost {solution.cost:.4g}", fontsize="medium")
    return figure


def _phases(solution: Solution, axes: Any) -> None:
    for k in range(1, len(solution.phases)):
        if solution.phases[k] != solution.phases[k - 1] and solution.phases[k] != "end":
            for ax in axes:
                ax.axvline(solution.time[k], color="0.6", linewidth=0.8, linestyle=":")


def sensitivity(result: Any, axes: Any = None) -> Any:
    """Bars with intervals for one output, a map for several."""
    measure = next(name for name in ("total", "magnitude", "jacobian") if hasattr(result, name))
    numbers = getattr(result, measure)
    single = len(result.outputs) == 1
    figure, axes = _figure(axes, 1, 1.2 + 0.25 * len(result.parameters))
    ax = axes[0]
    if single:
        places = np.arange(len(result.parameters))
        halves = getattr(result, f"{measure}_half_width", None)
        ax.barh(places, numbers[0], xerr=None if halves is None else np.nan_to_num(halves[0]), color="0.75", label=measure)
        first = getattr(result, "first", None)
        if first is not None:
            ax.barh(places, first[0], height=0.4, color="C0", label="first order")
            ax.legend(fontsize="x-small")
        ax.set_yticks(places, result.parameters, fontsize="x-small")
        ax.invert_yaxis()
        ax.set_title(result.outputs[0], fontsize="medium")
    else:
        diverging = measure == "jacobian"
        largest = float(np.nanmax(np.abs(numbers))) if np.isfinite(numbers).any() else 1.0
        image = ax.imshow(
            numbers.T,
            aspect="auto",
            cmap="RdBu_r" if diverging else "Blues",
            vmin=-largest if diverging else 0,
            vmax=largest,
        )
        ax.set_xticks(range(len(result.outputs)), result.outputs, rotation=60, ha="right", fontsize="x-small")
        ax.set_yticks(range(len(result.parameters)), result.parameters, fontsize="x-small")
        figure.colorbar(image, ax=ax, label=measure)
    return figure


def fit(found: Fit, axes: Any = None) -> Any:
    """Estimates with their intervals, relative to the values before; the verdict above."""
    figure, axes = _figure(axes, 1, 1.2 + 0.25 * len(found.parameters))
    ax = axes[0]
    before = np.array([of["before"] for of in found.details["parameters"]], dtype=float)
    scale = np.where(before == 0, 1.0, np.abs(before))
    places = np.arange(len(before))
    ax.axvline(0, color="0.6", linewidth=0.8)
    known = np.isfinite(found.half_widths)
    change = (found.values - before) / scale
    ax.errorbar(change[known], places[known], xerr=(found.half_widths / scale)[known], fmt="o", markersize=3, capsize=2)
    ax.plot(change[~known], places[~known], "x", color="C3", label="cannot tell")
    if (~known).any():
        ax.legend(fontsize="x-small")
    ax.set_yticks(places, found.parameters, fontsize="x-small")
    ax.invert_yaxis()
    ax.set_xlabel("change, relative to the value before (absolute where that is zero)")
    ax.set_title(found.verdict, fontsize="small")
    return figure
