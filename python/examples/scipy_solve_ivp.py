"""A robot falls: its motion by SciPy's integrator, with the exact Jacobian for a stiff one.

Run it with a URDF file, or without one in a clone of the repository.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import gradyn

PANDA = Path(__file__).resolve().parents[2] / "robots" / "panda.urdf"


def main(path: str | Path = PANDA, duration: float = 1.0) -> dict[str, float]:
    """Lets the robot fall without friction; returns how much each method changes its energy, J."""
    model = gradyn.Model.from_urdf(path, joint_friction=False)
    nv, tau = model.nv, np.zeros(model.nv)

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:nv], x[nv:]
        return np.concatenate([v, model.aba(q, v, tau)])

    def jacobian(t: float, x: np.ndarray) -> np.ndarray:
        d = model.aba_derivatives(x[:nv], x[nv:], tau)
        return np.block([[np.zeros((nv, nv)), np.eye(nv)], [d.ddq_dq, d.ddq_dv]])

    start = np.zeros(2 * nv)
    start[:nv] = 0.3
    changes = {}
    for method, options in [("DOP853", {}), ("Radau", {"jac": jacobian})]:
        solution = solve_ivp(rate, (0, duration), start, method=method, rtol=1e-8, atol=1e-10, **options)
        energies = [model.mechanical_energy(x[:nv], x[nv:]) for x in (start, solution.y[:, -1])]
        changes[method] = energies[1] - energies[0]
        counts = f"{solution.nfev} evaluations, {solution.njev} Jacobians"
        print(f"{method}: {counts}, energy changed by {changes[method]:.1e} J")
    return changes


if __name__ == "__main__":
    main(*sys.argv[1:2])
