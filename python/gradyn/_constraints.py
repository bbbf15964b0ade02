"""Constraints as plain data, of which other processes make the same for their copy of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradyn._gradyn import Constraint, Model


def plain(constraints: Constraint | Sequence[Constraint]) -> list[list[Any]]:
    """Of each the method of `Model`, the names and the choices that make it."""
    described = []
    for constraint in [constraints] if isinstance(constraints, Constraint) else constraints:
        method = constraint.__reduce__()[0]
        choices = {k: x.tolist() if isinstance(x, np.ndarray) else x for k, x in method.keywords.items()}
        described.append([method.func.__name__, list(method.args), choices])
    return described


def made(model: Model, described: Sequence[Sequence[Any]]) -> list[Constraint]:
    """The constraints of a robot that are so described."""
    return [getattr(model, method)(*names, **choices) for method, names, choices in described]
