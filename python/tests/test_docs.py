"""The blocks of Python in the pages run, one after the other, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "python/README.md", "docs/python.md", "docs/python-problems.md"]


def blocks(page: Path) -> list[tuple[int, str]]:
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)
    return [(text[: m.start()].count("\n") + 2, m.group(1)) for m in found]


@pytest.mark.parametrize("name", [name for name in PAGES if (ROOT / name).exists()])
def test_blocks_of_a_page_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = blocks(ROOT / name)
    assert found, f"{name} has no block of Python"
    namespace: dict[str, object] = {"__name__": "page"}
    for line, code in found:
        # Lines of errors are those of the page.
        exec(compile("\n" * (line - 1) + code, name, "exec"), namespace)


def test_the_tour_runs(tmp_path: Path) -> None:
    nbconvert = pytest.importorskip("nbconvert.preprocessors")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    notebook = nbformat.read(ROOT / "python" / "examples" / "tour.ipynb", as_version=4)
    runner = nbconvert.ExecutePreprocessor(timeout=120)
    runner.preprocess(notebook, {"metadata": {"path": str(ROOT / "python" / "examples")}})
    ran = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert ran and all(cell["execution_count"] for cell in ran)
