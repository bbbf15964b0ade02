"""Python's dictionaries as TOML: what a task or a prior is written as."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isascii() and bare.isalnum() else _text(key)


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def value(x: Any, place: str) -> str:
    """One value; ``place`` is its key, for errors."""
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if isinstance(x, float):
        if math.isnan(x):
            raise ValueError(f"`{place}` is not a number")
        return repr(x)
    if isinstance(x, str):
        return _text(x)
    if isinstance(x, os.PathLike):
        return _text(os.fspath(x))
    if isinstance(x, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {value(of, f'{place}.{k}')}" for k, of in x.items() if of is not None) + " }"
    if isinstance(x, list | tuple):
        return "[" + ", ".join(value(of, f"{place}[{k}]") for k, of in enumerate(x)) + "]"
    raise TypeError(f"`{place}` is of type {type(x).__name__}, expected a number, a text, a list or a dictionary")


def document(entries: Mapping[str, Any]) -> str:
    """A document: an entry a line."""
    return "".join(f"{_key(k)} = {value(x, k)}\n" for k, x in entries.items() if x is not None)
