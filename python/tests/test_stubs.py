"""Types and documentation: current, complete, and as the compiled module is."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from robots import TABLE

import gradyn

SOURCE = Path(__file__).resolve().parents[1]

#: Modules of the package that need another one.
NEEDS = {"casadi": ["casadi.py"], "jax": ["jax.py", "_jax.py"], "torch": ["torch.py"]}

# One memory for all runs: NumPy is read once.
MYPY = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=cache", f"--config-file={SOURCE / 'pyproject.toml'}"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, without what needs packages that are not installed."""
    missing = [file for name, files in NEEDS.items() if importlib.util.find_spec(name) is None for file in files]
    package, made = Path(gradyn.__file__).resolve().parent, tmp_path_factory.mktemp("package")
    shutil.copytree(package, made / "gradyn", ignore=shutil.ignore_patterns("__pycache__", *missing))
    return made


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    own = {"NO_COLOR": "1", "PYTHONPATH": str(cwd), "MYPYPATH": str(cwd), "PATH": path}
    return subprocess.run(command, cwd=cwd, env=os.environ | own, capture_output=True, text=True, timeout=300)


def stubs() -> ModuleType:
    pytest.importorskip("tomllib", reason="words are read by tomllib, of Python 3.11")
    spec = importlib.util.spec_from_file_location("stubs", SOURCE / "stubs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_written_files_are_current() -> None:
    assert [path.name for path in stubs().stale()] == [], "run python python/stubs.py"


@pytest.mark.parametrize("function", sorted(TABLE))
def test_documentation_has_all_arguments_and_results(function: str) -> None:
    row = TABLE[function]
    text = "\n".join(stubs().documentation(row))
    for name, _ in (*row["arguments"], *row["choices"], ("threads", None), ("out", None), *row["outputs"]):
        assert re.search(rf"^ *{name} : ", text, re.MULTILINE), name
    assert all(len(line) <= 110 or line.startswith(">>>") for line in text.splitlines())
    # The first line is a sentence.
    assert len(text.splitlines()[0]) <= 110 and text.splitlines()[0].endswith(".")


@pytest.mark.parametrize("function", sorted(TABLE))
def test_help_answers(function: str) -> None:
    """As the stub, where the compiled module has the text."""
    method = getattr(gradyn.Model, function)
    assert method.__doc__
    row, seen = TABLE[function], inspect.signature(method).parameters
    expected = [
        "self",
        *(name for name, _ in row["arguments"]),
        *(name for name, _ in row["choices"]),
        "threads",
        "out",
    ]
    assert list(seen) == expected
    assert "Parameters\n----------" in method.__doc__ and "Returns\n-------" in method.__doc__


def test_mypy(folder: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    done = run(*MYPY, "-p", "gradyn", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubtest(folder: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    done = run(sys.executable, "-m", "mypy.stubtest", "--concise", "gradyn._gradyn", "gradyn.results", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright(folder: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed")
    done = run(sys.executable, "-m", "pyright", "--verifytypes", "gradyn", "--ignoreexternal", cwd=folder)
    if "Type completeness score" not in done.stdout:
        pytest.skip("pyright cannot run here: it needs Node.js")
    assert "Type completeness score: 100%" in done.stdout, done.stdout


RIGHT = """
from collections.abc import Callable
import numpy as np
from numpy.typing import NDArray
import gradyn
from gradyn.results import RneaDerivatives

model = gradyn.Model.from_urdf("panda.urdf", joint_order="pinocchio", gravity=[0, 0, -9.81])
q: NDArray[np.float64] = model.random(10, seed=1)
tau: NDArray[np.float64] = model.rnea(q, 0.1, [0.0] * 7, wrenches={"panda_link8": np.zeros(6)})
out = (None, np.empty((10, 7, 7)), None, None, None)
d: RneaDerivatives = model.rnea_derivatives(q, q, q, method="dual", threads=2, out=out)
m: NDArray[np.float64] = d.dtau_da
rows: list[str] = model.contact("panda_link8", kind="point").rows
f: Callable[..., NDArray[np.float64]] = model.crba
try:
    model.crba("x")
except gradyn.InputError as error:
    print(error.argument, error.index)
"""

WRONG = [
    'gradyn.Model.from_urdf("x", joint_order="name")',
    "model.rnea(q)",
    'model.rnea_derivatives(q, q, q, method="forward")',
    "model.nq = 3",
    'model.frame_jacobian(q, "f", reference="body")',
    "model.rnea_derivatives(q, q, q).dtau_df",
    'model.contact("f", 1.0)',
    "gradyn.Robot",
]


def test_types_of_a_program(folder: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = folder / "program.py"
    head = RIGHT.split("tau:")[0]
    program.write_text(RIGHT + "\n")
    done = run(*MYPY, str(program), cwd=folder)
    assert done.returncode == 0, done.stdout
    program.write_text(head + "\n".join(WRONG) + "\n")
    done = run(*MYPY, str(program), cwd=folder)
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    start = len(head.splitlines())
    assert lines == set(range(start + 1, start + 1 + len(WRONG))), done.stdout


def test_the_table_is_what_the_class_has() -> None:
    members: dict[str, Any] = dict(vars(gradyn.Model))
    assert set(TABLE) <= set(members)
    names = [row for row in TABLE]
    assert len(names) == len(set(names)) >= 73
