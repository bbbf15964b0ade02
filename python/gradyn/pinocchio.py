"""Robots of Pinocchio.

>>> import numpy as np
>>> import pinocchio as pin
>>> from gradyn.pinocchio import from_pinocchio
>>> theirs = pin.buildSampleModelManipulator()
>>> ours = from_pinocchio(theirs)
>>> q, v, a = ours.random(seed=1), np.full(6, 0.1), np.full(6, 0.2)
>>> bool(np.allclose(ours.rnea(q, v, a), pin.rnea(theirs, theirs.createData(), q, v, a)))
True
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from gradyn._gradyn import Model, RobotError

__all__ = ["from_pinocchio"]

#: The form of documents that `Model.from_json` reads.
_FORM = 1

#: Of smooth Coulomb friction, rad/s or m/s; Pinocchio has none.
_FRICTION_WIDTH = 0.01

#: Numbers from here on stand for no limit.
_UNLIMITED = 1e300

#: Joints that have no parameters.
_SIMPLE: dict[str, Any] = {
    "FreeFlyer": "free_flyer",
    "Spherical": "spherical",
    "SphericalZYX": "spherical_zyx",
    "Translation": "translation",
    "Planar": {"planar": {"normal": "z"}},
}

#: Joints along or about an axis, with how the name goes on: X, Y, Z, or an axis of their own.
_ALONG: dict[str, str] = {
    "RevoluteUnboundedUnaligned": "continuous",
    "RevoluteUnaligned": "revolute",
    "PrismaticUnaligned": "prismatic",
    "HelicalUnaligned": "helical",
    "RUB": "continuous",
    "R": "revolute",
    "P": "prismatic",
    "H": "helical",
}

#: Coordinates that have no limits of their own, by joint: of quaternions and of (cos, sin).
_ON_SPHERES: dict[str, range] = {
    "free_flyer": range(3, 7),
    "spherical": range(4),
    "planar": range(2, 4),
    "continuous": range(2),
}


def from_pinocchio(model: Any, *, joint_friction: bool = False) -> Model:
    """The robot of a `pinocchio.Model`, joint by joint.

    Configurations, velocities, torques and matrices are the same, entry by entry. Bodies have the names of Pinocchio's
    frames of type BODY that stand in their joints' frames; bodies without one have the joint's name. Of frames of the
    same name, that of a link is kept.

    Parameters
    ----------
    model : pinocchio.Model
        Joints of every kind but `JointModelEllipsoid`; with mimic joints, too.
    joint_friction : bool
        Whether torques have the model's damping and friction, which Pinocchio's have not. They are taken over in both
        cases: `with_joint_friction(True)` makes them count.

    Returns
    -------
    Model
        With the model's inertias, frames, gravity, armature, damping, friction and limits.

    Raises
    ------
    RobotError
        For a joint that gradyn does not have, or numbers that are no robot's. Its attribute `name` is the joint's.
    """
    document = {
        "gradyn_model": _FORM,
        "name": model.name,
        "gravity": _gravity(model),
        "friction_width": _FRICTION_WIDTH,
        "joint_friction": joint_friction,
        "fixed_inertia": _inertia(model.inertias[0]),
        "bodies": list(_bodies(model)),
        "frames": list(_frames(model)),
    }
    try:
        made = Model.from_json(json.dumps(document, allow_nan=False))
    except ValueError as error:
        raise _refused(f"cannot take over {model.name!r}: {error}") from None
    for name, joint in _joints(model):
        q, v = made.q_slices[name], made.v_slices[name]
        if joint.nq and (q.start, q.stop, v.start) != (joint.idx_q, joint.idx_q + joint.nq, joint.idx_v):
            raise _refused(f"cannot take over {model.name!r}: its joints do not stand branch by branch: {name!r}", name)
    return made


def _refused(message: str, name: str | None = None, value: str | None = None) -> RobotError:
    error = RobotError(message)
    error.path = error.line = error.element = None
    error.name, error.value = name, value
    return error


def _joints(model: Any) -> Iterator[tuple[str, Any]]:
    """Names and joints, without the universe."""
    for index in range(1, model.njoints):
        yield model.names[index], _concrete(model.joints[index])


def _concrete(joint: Any) -> Any:
    return joint.extract() if hasattr(joint, "extract") else joint


def _gravity(model: Any) -> list[float]:
    if any(model.gravity.angular):
        raise _refused(f"cannot take over {model.name!r}: its gravity has an angular part")
    return _numbers(model.gravity.linear)


def _bodies(model: Any) -> Iterator[dict[str, Any]]:
    leaders = (
        dict(zip(model.mimicking_joints, model.mimicked_joints, strict=True))
        if hasattr(model, "mimicking_joints")
        else {}
    )
    names = _body_names(model)
    for index, (name, joint) in enumerate(_joints(model), 1):
        leader = leaders.get(index)
        kind = _kind(name, joint) if leader is None else _followers_kind(name, model.joints[index])
        own_q, own_v = slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv)
        parent = model.parents[index]
        body = {
            "name": names[index],
            "parent": None if parent == 0 else parent - 1,
            "inertia": _inertia(model.inertias[index]),
            "joint_name": name,
            "placement": _pose(model.jointPlacements[index]),
            "joint": kind,
            "mimic": None,
            "armature": None,
            "damping": None,
            "friction": None,
            "more_dynamics": [],
        }
        if leader is not None:
            # Its joint has a coordinate, though the robot has none for it.
            body |= {"q_limits": [[None, None]], "velocity_limits": [None], "effort_limits": [None]}
            body["mimic"] = {"leader": leader - 1, "multiplier": joint.scaling, "offset": joint.offset}
        else:
            for constant in ("armature", "damping", "friction"):
                body[constant] = (
                    _numbers(getattr(model, constant)[own_v]) if any(getattr(model, constant)[own_v]) else None
                )
            lower, upper = _limits(model.lowerPositionLimit[own_q]), _limits(model.upperPositionLimit[own_q])
            body["q_limits"] = [
                [None, None] if k in _spheres(kind) else [a, b]
                for k, (a, b) in enumerate(zip(lower, upper, strict=True))
            ]
            body["velocity_limits"] = _limits(model.velocityLimit[own_v])
            body["effort_limits"] = _limits(model.effortLimit[own_v])
        yield body


def _body_names(model: Any) -> dict[int, str]:
    """Names of the bodies by their joints."""
    names: dict[int, str] = {}
    for frame in model.frames:
        in_place = frame.placement.isIdentity(1e-12)
        if _is_body(frame) and frame.parentJoint and in_place and frame.name not in names.values():
            names.setdefault(frame.parentJoint, frame.name)
    for index in range(1, model.njoints):
        names.setdefault(index, model.names[index])
    return names


def _is_body(frame: Any) -> bool:
    return bool(frame.type == type(frame.type).BODY)


def _frames(model: Any) -> Iterator[dict[str, Any]]:
    known = set(_body_names(model).values())
    # Frames of links go before those of joints of the same name.
    for frame in sorted(list(model.frames)[1:], key=lambda frame: not _is_body(frame)):
        if frame.name not in known:
            known.add(frame.name)
            body = None if frame.parentJoint == 0 else frame.parentJoint - 1
            yield {"name": frame.name, "body": body, "placement": _pose(frame.placement)}


def _kind(name: str, joint: Any) -> Any:
    """A joint as the document has it."""
    kind = joint.shortname().removeprefix("JointModel")
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind == "Universal":
        return {"universal": {"first": {"any": _numbers(joint.axis1)}, "second": {"any": _numbers(joint.axis2)}}}
    if kind == "Composite":
        return {"composite": list(_parts(name, joint, None))}
    subspace = _numbers(joint.createData().S) if kind.endswith("Unaligned") else None
    return _along(name, kind, subspace, getattr(joint, "axis", None), getattr(joint, "pitch", None))


def _followers_kind(name: str, joint: Any) -> Any:
    """Of a mimic joint, whose motion is the multiplier times that of the joint it is made of."""
    (kind,) = [line.split(":")[1].strip() for line in str(joint.extract()).splitlines() if "joint type:" in line] or [
        ""
    ]
    multiplier = joint.extract().scaling
    if multiplier == 0.0:
        raise _refused(f"cannot take over joint {name!r}: it follows another with the multiplier 0", name, "0")
    return _along(name, kind.removeprefix("JointModel"), [x / multiplier for x in _numbers(joint.createData().S)])


def _along(name: str, kind: str, subspace: list[float] | None, axis: Any = None, pitch: float | None = None) -> Any:
    """A joint along or about an axis: of its name, its own, or that of its subspace, linear, then angular part."""
    start = next((start for start in _ALONG if kind.startswith(start)), "")
    rest = kind.removeprefix(start)
    if not start or rest not in ("", "X", "Y", "Z") or (start.startswith("H") and pitch is None):
        raise _refused(f"cannot take over joint {name!r}: gradyn has no {kind} joint", name, kind)
    own: Any = rest.lower()
    if not rest and axis is not None:
        own = {"any": _numbers(axis)}
    elif not rest and subspace is not None:
        own = {"any": subspace[:3] if _ALONG[start] == "prismatic" else subspace[3:]}
    return {_ALONG[start]: {"axis": own} if pitch is None else {"axis": own, "pitch": float(pitch)}}


def _parts(name: str, joint: Any, before: Any) -> Iterator[tuple[Any, Any]]:
    """Placements and joints of a composite joint; those of one within it follow one by one."""
    for k, (part, placement) in enumerate(zip(joint.joints, joint.jointPlacements, strict=True)):
        own = _concrete(part)
        pose = placement if before is None or k > 0 else before * placement
        if own.shortname() == "JointModelComposite":
            yield from _parts(name, own, pose)
        else:
            yield _pose(pose), _kind(name, own)


def _spheres(kind: Any) -> Iterable[int]:
    """Coordinates of a joint that have no limits of their own."""
    of = kind if isinstance(kind, str) else next(iter(kind))
    if of != "composite":
        return _ON_SPHERES.get(of, ())
    return range(1000)


def _inertia(inertia: Any) -> dict[str, Any]:
    about_com = inertia.inertia
    upper = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    return {
        "mass": float(inertia.mass),
        "com": _numbers(inertia.lever) if inertia.mass else [0.0, 0.0, 0.0],
        "rotational": [float(about_com[at]) for at in upper],
    }


def _pose(pose: Any) -> dict[str, Any]:
    return {"rotation": [_numbers(row) for row in pose.rotation], "translation": _numbers(pose.translation)}


def _numbers(array: Any) -> list[float]:
    return [float(x) for x in array]


def _limits(array: Any) -> list[float | None]:
    return [x if math.isfinite(x) and abs(x) < _UNLIMITED else None for x in _numbers(array)]
