"""The posture near a given one that needs the least torque to hold, by products of the exact Hessian.

Run it with a URDF file, or without one in a clone of the repository.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, minimize

import gradyn

PANDA = Path(__file__).resolve().parents[2] / "robots" / "panda.urdf"


def main(path: str | Path = PANDA, weight: float = 1.0) -> OptimizeResult:
    """Minimizes `|g(q)|^2 / 2 + weight |q - start|^2 / 2`."""
    model = gradyn.Model.from_urdf(path)
    rest = np.zeros(model.nv)
    start = np.full(model.nv, 0.5)

    def cost(q: np.ndarray) -> tuple[float, np.ndarray]:
        by = model.generalized_gravity_derivatives(q)
        away = q - start
        return (by.gravity @ by.gravity + weight * away @ away) / 2, by.dgravity_dq.T @ by.gravity + weight * away

    def hessian_product(q: np.ndarray, x: np.ndarray) -> np.ndarray:
        by = model.generalized_gravity_derivatives(q)
        # Of torques weighted by themselves, held constant.
        curved = model.rnea_hessian_product(q, rest, rest, by.gravity, x, rest, rest).dq
        return by.dgravity_dq.T @ (by.dgravity_dq @ x) + curved + weight * x

    result = minimize(cost, start, jac=True, hessp=hessian_product, method="trust-ncg", options={"gtol": 1e-7})
    held = np.linalg.norm(model.generalized_gravity(start)), np.linalg.norm(model.generalized_gravity(result.x))
    print(f"{result.nit} steps, {result.nhev} products: torque {held[0]:.2f} -> {held[1]:.2f} N m")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
