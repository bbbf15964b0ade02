"""The examples run, and do what they say."""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is not installed")

ROOT = Path(__file__).resolve().parents[2]
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


def blocks() -> dict[str, str]:
    """The blocks of the page on bridges, by the framework that each imports first."""
    text = (ROOT / "docs" / "python-bridges.md").read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    return {re.split(r"[ ,\n]", block)[1]: block for block in found}


def test_the_page_has_a_block_a_framework() -> None:
    assert list(blocks()) == ["casadi", "jax", "torch", "numpy"]


@pytest.mark.parametrize("framework", ["casadi", "jax", "torch", "numpy"])
def test_blocks_of_the_page_run(framework: str, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip(framework, reason=f"{framework} is not installed", exc_type=ImportError)
    monkeypatch.chdir(ROOT)
    before = module.config.jax_enable_x64 if framework == "jax" else None
    names: dict[str, Any] = {}
    try:
        exec(compile(blocks()[framework], f"python-bridges.md, {framework}", "exec"), names)
    finally:
        if framework == "jax":
            module.config.update("jax_enable_x64", before)
    if framework == "casadi":
        assert names["solver"].stats()["success"]
        # Ipopt's own tolerance.
        tip = names["model"].frame_pose(np.array(names["posture"]).ravel(), "panda_link8")[:3, 3]
        np.testing.assert_allclose(tip, [0.3, 0.4, 0.5], atol=1e-7)
    elif framework == "jax":
        assert names["by_q"].shape == (7, 7, 7) and np.all(np.isfinite(names["gradient"]))
    elif framework == "torch":
        assert names["v"].grad.shape == names["v"].shape
        np.testing.assert_array_equal(names["mass"].numpy(), names["model"].crba(names["q"].numpy()))
    else:
        assert names["fall"].success and names["best"].success
