"""Pinocchio and gradyn in one process, over the same arrays: every quantity that both have.

The quantities by Pinocchio are those of `conformance/by_pinocchio.py`, where `conformance/run.py` has them from the
command. A few robots are compared; all of example-robot-data where the environment has `GRADYN_ALL_ROBOTS=1`.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from robots import FOLDER, TABLE, Array

import gradyn

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: `pip install pin`")

sys.path.insert(0, str(FOLDER.parent / "conformance"))
by_pinocchio = pytest.importorskip("by_pinocchio", reason="the folder conformance/ of the repository is not here")
conformance = pytest.importorskip("run", reason="the folder conformance/ of the repository is not here")
conformance.np = np
sys.path.pop(0)

ROBOTS = conformance.robot_data()
if ROBOTS is None:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)

#: Files that neither program reads.
BROKEN = {"falcon", "ur3"}
FILES = {file.stem if file.stem != "anymal" else file.parents[1].name: file for file in sorted(ROBOTS.rglob("*.urdf"))}
SMALL = ["double_pendulum_continuous", "panda", "solo12", "ur5_robot", "iris"]
NAMES = sorted(FILES.keys() - BROKEN) if os.environ.get("GRADYN_ALL_ROBOTS") == "1" else SMALL

STATES = 2


def read(file: Path, floating: bool, **options: Any) -> gradyn.Model:
    """With Pinocchio's coordinates: the same q and v, entry by entry."""
    pinocchios: dict[str, Any] = {
        "joint_order": "pinocchio",
        "continuous": "cos-sin",
        "mimic": "independent",
        "joint_friction": False,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)
        return gradyn.Model.from_urdf(file, floating_base=floating, **(pinocchios | options))


def coordinates(model: Any, gradyns: gradyn.Model) -> SimpleNamespace:
    """What `by_pinocchio` asks where coordinates differ: here they do not."""
    joints = [(name, model.getJointId(name)) for name in gradyns.joint_names]
    bodies = list(zip(gradyns.body_names, [joint for _, joint in joints], strict=True))
    return SimpleNamespace(
        model=model, nq=model.nq, nv=model.nv, E=np.eye(model.nv), mimic=False, bodies=bodies, by_body=lambda x, _: x
    )


class Places:
    """Frames, points and links that are asked about."""

    def __init__(self, model: Any, rng: np.random.Generator):
        links = [frame.name for frame in model.frames if frame.type == pin.FrameType.BODY and frame.parentJoint != 0]
        self.every = sorted({frame.name for frame in model.frames} - {"universe"})
        self.frames = [str(name) for name in rng.choice(self.every, min(4, len(self.every)), replace=False)]
        self.loaded = [str(name) for name in rng.choice(links, min(2, len(links)), replace=False)]
        self.body, self.point = links[-1], [0.1, -0.2, 0.3]


def torques(m: gradyn.Model, q: Array, v: Array, a: Array, f: dict[str, Array]) -> dict[str, Array]:
    d, b, s = (
        m.rnea_derivatives(q, v, a, wrenches=f),
        m.bias_derivatives(q, v, wrenches=f),
        m.static_torque_derivatives(q, wrenches=f),
    )
    p, g = m.mass_product_derivatives(q, a), m.generalized_gravity_derivatives(q)
    x = {
        "tau": m.rnea(q, v, a, wrenches=f),
        "dtau_dq": d.dtau_dq,
        "dtau_dv": d.dtau_dv,
        "dtau_da": d.dtau_da,
        "mass_matrix": m.crba(q),
        "bias": m.bias(q, v, wrenches=f),
        "bias_dq": b.dbias_dq,
        "bias_dv": b.dbias_dv,
        "gravity": m.generalized_gravity(q),
        "gravity_dq": g.dgravity_dq,
        "static_torque": m.static_torque(q, wrenches=f),
        "static_torque_dq": s.dtau_dq,
        "mass_product": p.product,
        "mass_product_dq": p.dproduct_dq,
        "coriolis": m.coriolis_matrix(q, v),
        "energy.kinetic": m.kinetic_energy(q, v),
        "energy.potential": m.potential_energy(q),
    }
    for k, link in enumerate(f):
        x |= {f"dtau_df_ext.{link}": d.dtau_df_ext[:, k], f"bias_df_ext.{link}": b.dbias_df_ext[:, k]}
        x[f"static_torque_df_ext.{link}"] = s.dtau_df_ext[:, k]
        one = [m.jacobian_transpose_derivatives(q[state], link, f[link][state]) for state in range(len(q))]
        x[f"wrench_torques.{link}"] = np.stack([by.torque for by in one])
        x[f"wrench_torques_dq.{link}"] = np.stack([by.dtorque_dq for by in one])
    return x


def accelerations(m: gradyn.Model, q: Array, v: Array, tau: Array, f: dict[str, Array]) -> dict[str, Array]:
    d = m.aba_derivatives(q, v, tau, wrenches=f)
    x = {"ddq": m.aba(q, v, tau, wrenches=f), "ddq_dq": d.ddq_dq, "ddq_dv": d.ddq_dv, "ddq_dtau": d.ddq_dtau}
    x["mass_matrix_inverse"] = m.minv(q)
    return x | {f"ddq_df_ext.{link}": d.ddq_df_ext[:, k] for k, link in enumerate(f)}


def motions(m: gradyn.Model, q: Array, v: Array, a: Array, places: Places) -> dict[str, Array]:
    x = {"joint_jacobians": m.joint_jacobians(q)}
    poses, jacobians = m.frame_poses(q, places.every), m.frame_jacobians(q, places.every)
    for k, frame in enumerate(places.every):
        x[f"frame_placements.{frame}"] = np.concatenate(
            [poses[:, k], np.broadcast_to([[[0.0, 0.0, 0.0, 1.0]]], (len(q), 1, 4))], axis=1
        )
        x[f"frame_jacobians[local].{frame}"] = jacobians[:, k]
    for frame in places.frames:
        np.testing.assert_allclose(m.frame_pose(q, frame), x[f"frame_placements.{frame}"], atol=1e-14)
        for reference in by_pinocchio.REFERENCES:
            of: dict[str, Any] = {"frame": frame, "reference": reference}
            d, c, bias = (
                m.frame_derivatives(q, v, a, **of),
                m.classical_frame_derivatives(q, v, a, **of),
                m.frame_bias_acceleration(q, v, **of),
            )
            values = {
                "frame_velocities": m.frame_velocity(q, v, **of),
                "frame_accelerations": m.frame_acceleration(q, v, a, **of),
                "frame_velocities_dq": d.dvelocity_dq,
                "frame_velocities_dv": d.dvelocity_dv,
                "frame_accelerations_dq": d.dacceleration_dq,
                "frame_accelerations_dv": d.dacceleration_dv,
                "frame_accelerations_da": d.dacceleration_da,
                "classical_accelerations": m.classical_frame_acceleration(q, v, a, **of),
                "frame_bias_accelerations": bias.spatial,
                "classical_bias_accelerations": bias.classical,
                "frame_jacobians": m.frame_jacobian(q, **of),
                "frame_jacobian_rates": m.frame_jacobian_rate(q, v, **of),
                "kinematic_regressors": m.kinematic_regressor(q, **of),
            }
            np.testing.assert_allclose(c.acceleration, values["classical_accelerations"], rtol=1e-12, atol=1e-12)
            x |= {f"{name}[{reference}].{frame}": value for name, value in values.items()}
    return x


def points(m: gradyn.Model, q: Array, v: Array, a: Array, body: str, point: list[float], name: str) -> dict[str, Array]:
    """Of a point of a body, in axes of the body and of the world."""
    x: dict[str, Array] = {}
    both: list[tuple[str, Any]] = [("local", "local"), ("world", "local-world-aligned")]
    for reference, axes in both:
        d = m.point_derivatives(q, v, a, body, point, reference=axes)
        values = {
            "point_velocities": d.velocity,
            "point_velocities_dq": d.dvelocity_dq,
            "point_velocities_dv": d.dvelocity_dv,
            "point_accelerations": d.acceleration,
            "point_accelerations_dq": d.dacceleration_dq,
            "point_accelerations_dv": d.dacceleration_dv,
            "point_accelerations_da": d.dacceleration_da,
        }
        x |= {f"{key}[{reference}].{name}": value for key, value in values.items()}
        np.testing.assert_allclose(m.point_jacobian(q, body, point, reference=axes), d.dvelocity_dv, atol=1e-13)
    return x


def masses(m: gradyn.Model, q: Array, v: Array, a: Array) -> dict[str, Array]:
    com, c, d = m.center_of_mass(q, v, a), m.center_of_mass_derivatives(q, v, a), m.centroidal_derivatives(q, v, a)
    h = m.centroidal(q, v, a)
    x = {
        "com.mass": com.mass,
        "com.position": com.position,
        "com.velocity": com.velocity,
        "com.acceleration": com.acceleration,
        "com_jacobian": m.com_jacobian(q),
        "com_position_dq": c.dposition_dq,
        "com_velocity_dq": c.dvelocity_dq,
        "com_velocity_dv": c.dvelocity_dv,
        "com_acceleration_da": c.dacceleration_da,
        "centroidal.matrix": h.matrix,
        "centroidal.matrix_rate": h.matrix_rate,
        "centroidal.momentum": h.momentum,
        "centroidal.momentum_rate": h.momentum_rate,
        "momentum_dq": d.dmomentum_dq,
        "momentum_rate_dq": d.drate_dq,
        "momentum_rate_dv": d.drate_dv,
        "momentum_rate_da": d.drate_da,
        "torque_regressor": m.torque_regressor(q, v, a),
        "static_torque_regressor": m.static_torque_regressor(q),
        "com_regressor": m.com_regressor(q),
        "kinetic_energy_regressor": m.kinetic_energy_regressor(q, v)[:, 0],
        "potential_energy_regressor": m.potential_energy_regressor(q)[:, 0],
        "inertial_parameters": np.broadcast_to(m.inertial_parameters, (len(q), len(m.inertial_parameters))),
    }
    return x


def subtrees(m: gradyn.Model, q: Array, v: Array, a: Array, bodies: list[str]) -> dict[str, Array]:
    x: dict[str, Array] = {}
    for body in bodies:
        com = m.center_of_mass(q, v, a, subtree=body)
        x |= {f"subtree_com_positions.{body}": com.position, f"subtree_com_velocities.{body}": com.velocity}
        x |= {f"subtree_com_accelerations.{body}": com.acceleration}
        x[f"subtree_com_positions_dq.{body}"] = m.com_jacobian(q, subtree=body)
    return x


def held(m: gradyn.Model, q: Array, v: Array, tau: Array, link: str) -> dict[str, Array]:
    contact = m.contact(link)
    d, hit = (
        m.constraint_dynamics_derivatives(q, v, tau, contact),
        m.impulse_dynamics(q, v, contact, restitution=conformance.RESTITUTION),
    )
    return {
        "constrained_ddq": d.ddq,
        "constrained_ddq_dq": d.ddq_dq,
        "constrained_ddq_dv": d.ddq_dv,
        "constrained_ddq_dtau": d.ddq_dtau,
        "constraint_forces": d.lambda_,
        "constraint_forces_dq": d.dlambda_dq,
        "constraint_forces_dv": d.dlambda_dv,
        "constraint_forces_dtau": d.dlambda_dtau,
        "constraint_jacobian": m.constraint_jacobian(q, contact),
        "impulse_v": hit.v_after,
        "impulse": hit.impulse,
    }


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", NAMES)
def test_both_compute_the_same(name: str, floating: bool) -> None:
    model, m = by_pinocchio.load(FILES[name], floating), read(FILES[name], floating)
    if model.nv == 0:
        assert m.nv == 0
        return
    assert (m.nq, m.nv, m.joint_names) == (model.nq, model.nv, list(model.names)[1:])
    np.testing.assert_array_equal(m.neutral(), pin.neutral(model))
    at, rng = coordinates(model, m), np.random.default_rng(0)
    places = Places(model, rng)
    q = m.integrate(m.neutral(), 1.5 * rng.uniform(-1, 1, (STATES, m.nv)))
    v, a, tau = rng.uniform(-1, 1, (3, STATES, m.nv))
    f = {link: rng.uniform(-1, 1, (STATES, 6)) for link in places.loaded}
    states = [
        by_pinocchio.State(at, q[k], v[k], a[k], tau[k], {link: list(wrench[k]) for link, wrench in f.items()})
        for k in range(STATES)
    ]
    point = f"{places.body},{','.join(map(str, places.point))}"
    body = model.frames[by_pinocchio.frame_id(model, places.body)]
    mine = torques(m, q, v, a, f) | motions(m, q, v, a, places) | masses(m, q, v, a)
    mine |= points(
        m, q, v, a, m.body_names[body.parentJoint - 1], list(body.placement.act(np.array(places.point))), point
    )
    theirs = []
    for s in states:
        y = by_pinocchio.torques(s)
        y |= (
            by_pinocchio.motions(s, places.every, places.frames)
            | by_pinocchio.points(s, [point])
            | by_pinocchio.masses(s)
        )
        theirs.append(y)
    mine |= subtrees(
        m, q, v, a, [key.split(".", 1)[1] for key in theirs[0] if key.startswith("subtree_com_positions.")]
    )
    # Hands of massless bodies have no accelerations.
    forward = not any(by_pinocchio.is_singular(y["mass_matrix"]) for y in theirs)
    if forward:
        mine |= accelerations(m, q, v, tau, f)
        theirs = [y | by_pinocchio.accelerations(s, y) for s, y in zip(states, theirs, strict=True)]
    else:
        with pytest.raises(gradyn.InputError, match="singular"):
            m.aba(q, v, tau)
    conditions = [by_pinocchio.compliance(s, places.body) if forward else np.inf for s in states]
    may_be_held = all(condition < conformance.WELL_HELD for condition in conditions)
    if may_be_held:
        mine |= held(m, q, v, tau, places.body)
        for s, y in zip(states, theirs, strict=True):
            y |= by_pinocchio.held(s, places.body, conformance.RESTITUTION)
    if "com_velocity_dq" not in theirs[0]:
        # Pinocchio divides by the mass of each subtree.
        del mine["com_velocity_dq"]
    compared = 0
    for k, y in enumerate(theirs):
        condition = np.linalg.cond(y["mass_matrix"])
        for key, expected in y.items():
            quantity = key.split("[")[0].split(".")[0]
            if quantity == "pseudo_inertias":
                continue
            found = np.asarray(mine[key])[k]
            # Of the largest entry; where velocities cancel to nothing, of the size at a speed of 1. Solving by the mass
            # matrix makes of a rounding as much as its condition says.
            least = conformance.natural_size(quantity, y)
            if quantity == "constraint_forces_dv":
                least = np.abs(y["mass_matrix"]).max()
            deviation = conformance.deviation(found, expected, least)
            assert deviation <= conformance.tolerance(quantity, condition, conditions[k]), key
            compared += 1
    assert {key for y in theirs for key in y if not key.startswith("pseudo_inertias")} == mine.keys()
    assert compared >= 80


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", NAMES)
def test_configurations_are_the_same(name: str, floating: bool) -> None:
    model, m = by_pinocchio.load(FILES[name], floating), read(FILES[name], floating)
    rng = np.random.default_rng(1)
    q = m.random(4, seed=3)
    v = rng.uniform(-1, 1, (4, m.nv))
    moved, t = m.integrate(q, v), np.array([0.0, 0.3, 0.7, 1.0])
    difference, between = m.difference(q, moved), m.interpolate(q, moved, t)
    dq, dv = m.integrate_derivatives(v)
    dq0, dq1 = m.difference_derivatives(q, moved)
    for k in range(4):
        # Rotations and their logarithms, of order one.
        np.testing.assert_allclose(moved[k], pin.integrate(model, q[k], v[k]), atol=1e-12)
        np.testing.assert_allclose(difference[k], pin.difference(model, q[k], moved[k]), atol=1e-12)
        np.testing.assert_allclose(between[k], pin.interpolate(model, q[k], moved[k], t[k]), atol=1e-12)
        np.testing.assert_allclose(dq[k], pin.dIntegrate(model, q[k], v[k], pin.ARG0), atol=1e-12)
        np.testing.assert_allclose(dv[k], pin.dIntegrate(model, q[k], v[k], pin.ARG1), atol=1e-12)
        np.testing.assert_allclose(dq0[k], pin.dDifference(model, q[k], moved[k], pin.ARG0), atol=1e-12)
        np.testing.assert_allclose(dq1[k], pin.dDifference(model, q[k], moved[k], pin.ARG1), atol=1e-12)


@pytest.mark.parametrize("name", sorted(BROKEN & FILES.keys()))
def test_what_pinocchio_refuses_is_refused(name: str) -> None:
    with pytest.raises(ValueError):
        pin.buildModelFromUrdf(str(FILES[name]))
    with pytest.raises(gradyn.RobotError):
        read(FILES[name], False)


@pytest.mark.parametrize("name", NAMES)
def test_limits_are_the_same(name: str) -> None:
    model, m = by_pinocchio.load(FILES[name], False), read(FILES[name], False)
    # What is not limited has the greatest number there is, or infinity.
    for mine, theirs in ((m.effort_limit, model.effortLimit), (m.velocity_limit, model.velocityLimit)):
        np.testing.assert_array_equal(np.minimum(mine, np.finfo(float).max), np.minimum(theirs, np.finfo(float).max))


def test_the_names_of_the_manual_exist() -> None:
    """Of the table from Pinocchio, name by name."""
    text = (FOLDER.parent / "docs" / "python.md").read_text(encoding="utf-8")
    table = text.split("| Pinocchio | gradyn |")[1].split("\n\n")[0]
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    assert len(rows) >= 35
    theirs = {*dir(pin), *dir(pin.Model), *dir(pin.Data), *dir(pin.ContactType), "joints", "idx_q", "idx_v", "linear"}
    results = {field for row in TABLE.values() for field, _ in row["outputs"]}
    ours = {*dir(gradyn.Model), *results}
    for left, right in rows:
        for code in re.findall(r"`([^`]*)`", left):
            for name in re.findall(r"(?:pin|model|data)\.(\w+)|^(\w+)(?:\(|$)", code):
                assert set(name) & theirs, f"Pinocchio has no {name}"
        for code in re.findall(r"`([^`]*)`", right):
            for name in re.findall(r"(?:model|^a)\.(\w+)|^(\w+)(?:\(|$)", code):
                assert set(name) & ours, f"gradyn has no {name}"
