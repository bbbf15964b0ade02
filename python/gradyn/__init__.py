"""Dynamics of robots and their exact derivatives.

>>> import gradyn
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> q, v, a = model.neutral(), [0.1] * 7, [0.0] * 7
>>> tau = model.rnea(q, v, a)
>>> d = model.rnea_derivatives(q, v, a)
>>> d.dtau_dq.shape
(7, 7)

What is not needed by all is imported when it is first asked for: ``gradyn.check_jacobian``, ``gradyn.Task``,
``gradyn.sensitivity``, ``gradyn.casadi``, ``gradyn.jax``, ``gradyn.torch``, …
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradyn._gradyn import (
    CheckReport,
    Constraint,
    FileError,
    InputError,
    LoadReport,
    Model,
    Note,
    RobotError,
    RobotWarning,
    __version__,
    build_info,
)

if TYPE_CHECKING:
    from gradyn.check import assert_derivatives, check_claim, check_gradient, check_hessian, check_jacobian, check_model
    from gradyn.mpc import Mpc
    from gradyn.pinocchio import from_pinocchio
    from gradyn.solution import Solution
    from gradyn.sweeps import map_states, optimize_many
    from gradyn.trajectory import Residual, Task, optimize

_LAZY = {
    "assert_derivatives": "check",
    "check_claim": "check",
    "check_gradient": "check",
    "check_hessian": "check",
    "check_jacobian": "check",
    "check_model": "check",
    "Mpc": "mpc",
    "map_states": "sweeps",
    "optimize_many": "sweeps",
    "Residual": "trajectory",
    "Solution": "solution",
    "Task": "trajectory",
    "from_pinocchio": "pinocchio",
    "optimize": "trajectory",
}
_MODULES = (
    "casadi",
    "check",
    "executors",
    "identification",
    "jax",
    "mpc",
    "pinocchio",
    "plots",
    "results",
    "sensitivity",
    "solution",
    "sweeps",
    "torch",
    "trajectory",
)

__all__ = [
    "CheckReport",
    "Constraint",
    "FileError",
    "InputError",
    "LoadReport",
    "Model",
    "Mpc",
    "Note",
    "Residual",
    "RobotError",
    "RobotWarning",
    "Solution",
    "Task",
    "__version__",
    "assert_derivatives",
    "build_info",
    "check_claim",
    "check_gradient",
    "check_hessian",
    "check_jacobian",
    "check_model",
    "from_pinocchio",
    "map_states",
    "optimize",
    "optimize_many",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            found = getattr(import_module(f"gradyn.{_LAZY[name]}"), name)
            globals()[name] = found
            return found
        if name in _MODULES:
            return import_module(f"gradyn.{name}")
        raise AttributeError(f"module 'gradyn' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
