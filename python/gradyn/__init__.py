"""Dynamics of robots and their exact derivatives.

>>> import gradyn
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> q, v, a = model.neutral(), [0.1] * 7, [0.0] * 7
>>> tau = model.rnea(q, v, a)
>>> d = model.rnea_derivatives(q, v, a)
>>> d.dtau_dq.shape
(7, 7)
"""

from gradyn._gradyn import (
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

__all__ = [
    "Constraint",
    "FileError",
    "InputError",
    "LoadReport",
    "Model",
    "Note",
    "RobotError",
    "RobotWarning",
    "__version__",
    "build_info",
]
