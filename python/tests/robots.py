"""Robots of the repository, and calls of the functions of the table at random states."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import gradyn
from gradyn import _gradyn

Array = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parents[2] / "robots"

TABLE: dict[str, dict[str, Any]] = {row["name"]: row for row in _gradyn._functions()}


class Case(NamedTuple):
    """A robot and what its functions are asked about."""

    file: str
    options: dict[str, Any]
    #: Two frames that move, the first one farther from the root.
    frames: tuple[str, str]
    body: str


CASES = {
    # A fixed arm.
    "panda": Case("panda.urdf", {}, ("panda_link8", "panda_link4"), "panda_link6"),
    # A floating base.
    "floating": Case("floating.urdf", {}, ("forearm", "body"), "upper_arm"),
    # A planar joint, with (cos, sin).
    "planar": Case("planar.urdf", {}, ("forearm", "cart"), "upper_arm"),
    # Joints that follow others.
    "mimic": Case("mimic.urdf", {}, ("left_tip", "palm"), "right_finger"),
    # Joints with (cos, sin) for an angle.
    "continuous": Case("continuous.urdf", {"continuous": "cos-sin"}, ("pedal", "boom"), "crank"),
}


@functools.cache
def load(name: str) -> gradyn.Model:
    """A robot of `CASES`, or of the folder of robots."""
    case = CASES.get(name)
    file, options = (case.file, case.options) if case else (f"{name}.urdf", {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)
        return gradyn.Model.from_urdf(FOLDER / file, **options)


#: One joint with everything, after which things are put.
URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="4"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/></joint>
  {more}
</robot>"""


def arm(more: str = "", **options: Any) -> gradyn.Model:
    return gradyn.Model.from_urdf(URDF.format(more=more), **options)


def constraints(name: str) -> list[gradyn.Constraint]:
    """A contact whose rows are independent at all states but few."""
    model, case = load(name), CASES[name]
    return [model.contact(case.frames[0], at=[0.1, 0.2, 0.3], kp=3.0, kd=2.0)]


def size(name: str, dim: str, wrenches: int = 0, frames: int = 2) -> int:
    """A length as the table writes it."""
    model = load(name)
    bodies = len(model.body_names)
    sizes = {
        "nq": model.nq,
        "nv": model.nv,
        "rows": 3,
        "wrenches": wrenches,
        "frames": frames,
        "10 bodies": 10 * bodies,
        "6 bodies": 6 * bodies,
        "4 bodies": 4 * bodies,
        "standard": len(model.standard_parameters),
        "parameters": max(slice.stop for slice in model.parameter_blocks.values()),
    }
    return sizes[dim] if dim in sizes else int(dim)


class Call:
    """A call of a function: its arrays at random states, and what else it takes."""

    def __init__(self, name: str, function: str, lead: tuple[int, ...] = (), wrenches: bool = False, seed: int = 5):
        self.name, self.model, self.row = name, load(name), TABLE[function]
        self.lead = lead
        case, rng = CASES[name], np.random.default_rng([seed, len(function)])
        self.arrays: dict[str, Array] = {}
        for at, (argument, dim) in enumerate(self.row["arguments"]):
            # Without a name, it is one number a state.
            shape = (*lead, size(name, dim)) if dim else lead
            if dim == "nq":
                count = int(np.prod(lead, dtype=int))
                self.arrays[argument] = self.model.random(count, seed=100 * seed + at).reshape(shape)
            elif argument == "t":
                self.arrays[argument] = rng.uniform(0.1, 0.9, shape)
            else:
                self.arrays[argument] = rng.normal(size=shape)
        choices = dict(self.row["choices"])
        possible: dict[str, Any] = {
            "frame": case.frames[0],
            "seen_from": case.frames[1],
            "frames": list(case.frames),
            "body": case.body,
            "point": [0.1, -0.2, 0.3],
            "force": [1.0, 2.0, 3.0, 0.4, 0.5, 0.6],
            "constraints": constraints(name) if "constraints" in choices else None,
        }
        self.options = {key: value for key, value in possible.items() if key in choices}
        if wrenches and "wrenches" in choices:
            self.options["wrenches"] = {
                case.frames[0]: rng.normal(size=(*lead, 6)),
                (case.body, "world"): rng.normal(size=6),
            }

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the results, as the table says."""
        wrenches = len(self.options.get("wrenches", ()))
        return [(*self.lead, *(size(self.name, dim, wrenches) for dim in shape)) for _, shape in self.row["outputs"]]

    def raw(self, **options: Any) -> Any:
        """The result as the method gives it; arrays by name replace those of the call."""
        arrays = [options.pop(argument, array) for argument, array in self.arrays.items()]
        return getattr(self.model, self.row["name"])(*arrays, **{**self.options, **options})

    def __call__(self, **options: Any) -> list[Any]:
        """The results, one or several, as a list."""
        return as_list(self.row, self.raw(**options))

    def state(self, *index: int) -> Call:
        """The same for one of the states."""
        one = object.__new__(Call)
        one.name, one.model, one.row, one.lead = self.name, self.model, self.row, ()
        one.arrays = {argument: array[index] for argument, array in self.arrays.items()}
        one.options = dict(self.options)
        if "wrenches" in one.options:
            one.options["wrenches"] = {
                key: value[index] if value.ndim > 1 else value for key, value in self.options["wrenches"].items()
            }
        return one


def as_list(row: dict[str, Any], result: Any) -> list[Any]:
    return [result] if row["result"] is None else list(result)


def layouts(shape: tuple[int, ...]) -> dict[str, Array]:
    """Arrays of a shape that stand in memory in different ways, full of NaN."""
    backwards: Any = (..., *(slice(None, None, -1) for _ in shape))
    second: Any = (..., *(slice(None, None, 2) for _ in shape))
    return {
        "C": np.full(shape, np.nan),
        "Fortran": np.full(shape, np.nan, order="F"),
        "reversed": np.full(shape, np.nan)[backwards],
        "every second entry": np.full([2 * n for n in shape], np.nan)[second],
    }


def relative(found: Any, expected: Any) -> float:
    """The largest deviation, relative to the largest entry."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{found.shape} against {expected.shape}"
    if expected.size == 0:
        return 0.0
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))
