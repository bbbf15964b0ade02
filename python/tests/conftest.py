"""What the tests share: robots of the repository."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import robots

import gradyn


@pytest.fixture(scope="session")
def load() -> Callable[[str], gradyn.Model]:
    """Robots by their names, each read once."""
    return robots.load


@pytest.fixture(scope="session")
def panda() -> gradyn.Model:
    return robots.load("panda")
