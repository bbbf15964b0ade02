"""Examples of the documentation run, in a clone of the repository."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import warnings

import numpy as np
import pytest
from robots import FOLDER, TABLE
from test_stubs import stubs

import gradyn

MODULES = [
    "gradyn",
    *(f"gradyn.{module.name}" for module in pkgutil.iter_modules(gradyn.__path__) if module.name != "_gradyn"),
]

#: Of modules, what they need, if it is not of the same name.
NEEDS = {"gradyn._jax": "jax", "gradyn.jax": "jax", "gradyn.casadi": "casadi", "gradyn.torch": "torch"}


def failures(tests: list[doctest.DocTest]) -> int:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)
        return sum(runner.run(test).failed for test in tests)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_modules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    monkeypatch.chdir(FOLDER.parent)
    module = importlib.import_module(name)
    needed = {"gradyn.pinocchio": "pinocchio"}.get(name)
    if needed:
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    assert failures(doctest.DocTestFinder().find(module, name, extraglobs={"gradyn": gradyn, "np": np})) == 0


@pytest.mark.parametrize("function", sorted(TABLE))
def test_examples_of_functions(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER.parent)
    text = "\n".join(stubs().documentation(TABLE[function]))
    examples = doctest.DocTestParser().get_doctest(text, {"gradyn": gradyn, "np": np}, function, None, 0)
    assert failures([examples]) == 0
