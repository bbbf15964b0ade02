"""The examples run, and do what they say."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_solve_ivp_keeps_the_energy() -> None:
    changes = example("scipy_solve_ivp")["main"]()
    assert set(changes) == {"DOP853", "Radau"}
    # Relative tolerance 1e-8 a step, some hundred steps, energies of 10 J.
    assert all(abs(change) < 1e-5 for change in changes.values())


def test_minimize_converges_as_newtons_method_does() -> None:
    result = example("scipy_minimize")["main"]()
    assert result.success
    # Quadratic convergence from a posture some radians away; methods of first order take over fifty steps.
    assert result.nit <= 25
    assert np.linalg.norm(result.jac) < 1e-7
