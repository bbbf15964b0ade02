"""Types of results that are several arrays: named tuples, made when first asked for."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from gradyn import _gradyn

_FIELDS: dict[str, list[str]] = {}


def _fields() -> dict[str, list[str]]:
    if not _FIELDS:
        for row in _gradyn._functions():
            if row["result"] is not None:
                _FIELDS[row["result"]] = [name for name, _ in row["outputs"]]
    return _FIELDS


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in _fields():
        raise AttributeError(f"module 'gradyn.results' has no attribute '{name}'")
    made = namedtuple(name, _fields()[name], module=__name__)  # type: ignore[misc]
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted(_fields())
