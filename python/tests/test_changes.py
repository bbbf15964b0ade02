"""Robots: configurations, changed robots, what holds them, patterns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from robots import CASES, FOLDER, arm, load, relative

import gradyn

# --- configurations -----------------------------------------------------------


def test_random(panda: gradyn.Model) -> None:
    assert panda.random().shape == (7,)
    assert panda.random(3).shape == (3, 7)
    assert panda.random(0).shape == (0, 7)
    np.testing.assert_array_equal(panda.random(3, seed=1), panda.random(3, seed=1))
    np.testing.assert_array_equal(panda.random(3, seed=1)[0], panda.random(seed=1))
    assert (panda.random(seed=1) != panda.random(seed=2)).any()
    assert (panda.random() != panda.random()).any()
    q = panda.random(1000, seed=1)
    assert (q >= panda.q_lower).all() and (q <= panda.q_upper).all()


def test_neutral_and_normalize() -> None:
    for name in CASES:
        model = load(name)
        q = model.random((5), seed=1).reshape(1, 5, -1)
        assert model.crba(model.neutral()).shape == (model.nv, model.nv)
        assert relative(model.normalize(q), q) < 1e-15
    model = load("floating")
    q = model.neutral()
    q[3:7] = [0, 0, 0, 2]
    np.testing.assert_array_equal(model.normalize(q), model.neutral())
    with pytest.raises(gradyn.InputError):
        model.normalize(q[:-1])
    # What has no direction becomes neutral.
    q[3:7] = 0
    np.testing.assert_array_equal(model.normalize(q), model.neutral())
    q[3] = np.nan
    with pytest.raises(gradyn.InputError):
        model.normalize(q)


# --- changes ------------------------------------------------------------------


def test_damping_friction_and_limits() -> None:
    model = arm().with_damping({"shoulder": 1.5}).with_friction({"shoulder": [0.0]})
    assert model.rnea(0, 2.0, 0) - model.with_joint_friction(False).rnea(0, 2.0, 0) == pytest.approx([3.0])
    model = model.with_effort_limits({"shoulder": 7}).with_velocity_limits({"shoulder": 8})
    assert (model.effort_limit.tolist(), model.velocity_limit.tolist()) == ([7.0], [8.0])
    assert model.with_damping({"upper": 1.5}) == model  # A body is as good as its joint.
    for change in (model.with_damping, model.with_friction, model.with_armature, model.with_effort_limits):
        with pytest.raises(gradyn.InputError, match="elbow"):
            change({"elbow": 1.0})
        with pytest.raises(ValueError):
            change({"shoulder": [1.0, 2.0]})
        with pytest.raises(ValueError):
            change({"shoulder": -1.0})


def test_springs_and_friction_by_speed() -> None:
    model = arm()
    sprung = model.with_stiffness({"shoulder": 4.0}).with_spring_reference({"shoulder": -0.5})
    # Two sums of a few numbers near one.
    assert sprung.rnea(0.25, 0, 0) - model.rnea(0.25, 0, 0) == pytest.approx([4.0 * 0.75], rel=1e-14)
    assert sprung.rnea_derivatives(0.25, 0, 0).dtau_dq[0, 0] - model.rnea_derivatives(0.25, 0, 0).dtau_dq[0, 0] == pytest.approx(4.0)
    stuck = model.with_stribeck({"shoulder": 2.0}).with_stribeck_velocity({"shoulder": 0.5})
    stuck = stuck.with_friction_asymmetry({"shoulder": 0.25})
    off = stuck.rnea(0, 0.5, 0) - model.rnea(0, 0.5, 0)
    # At the speed over which it decays, its share is 1/e; the smooth sign has the width 0.01.
    sign = 0.5 / np.hypot(0.5, 0.01)
    assert off == pytest.approx([2.0 * np.exp(-1) * sign + 0.25 * sign**2], rel=1e-13)
    for change in (model.with_stiffness, model.with_stribeck, model.with_stribeck_velocity):
        with pytest.raises(gradyn.InputError):
            change({"shoulder": -1.0})


def test_another_root_and_less() -> None:
    solo = gradyn.Model.from_urdf(FOLDER / "solo12.urdf", floating_base=True)
    foot = solo.rerooted_at(solo.body_names[-1])
    assert foot.nv == solo.nv and foot.mass == pytest.approx(solo.mass, rel=1e-14)
    less = solo.remove_subtree(solo.body_names[-1])
    assert less.body_names == solo.body_names[:-1]
    with pytest.raises(gradyn.InputError, match="tail"):
        solo.remove_subtree("tail")


def test_controls() -> None:
    solo = gradyn.Model.from_urdf(FOLDER / "solo12.urdf", floating_base=True)
    assert solo.control_names == solo.dof_names[6:]
    np.testing.assert_array_equal(solo.actuation, np.eye(18)[:, 6:])
    np.testing.assert_array_equal(solo.control_upper, solo.effort_limit[6:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)  # its servos are taken for motors
        go1 = gradyn.Model.from_file(FOLDER / "go1.xml", friction_width=0.01)
    assert go1.control_names[0] == "FR_hip" and go1.actuation.shape == (18, 12)
    assert (go1.control_lower == -go1.control_upper).all() and np.isfinite(go1.control_upper).all()


def test_parameters_by_name() -> None:
    model = arm()
    name = next(name for name in model.parameters if name.endswith("mass"))
    heavier = model.with_parameters({name: 3.0})
    assert heavier.mass == pytest.approx(3.0)
    assert heavier.parameters[name] == pytest.approx(3.0)
    assert model.mass == 2.0
    with pytest.raises(gradyn.InputError, match="weight"):
        model.with_parameters({"weight": 1.0})


def test_reduced(panda: gradyn.Model) -> None:
    q = panda.random(seed=1)
    locked = panda.reduced({"panda_joint2": q[1], "panda_joint6": [q[5]]})
    assert locked.joint_names == [name for name in panda.joint_names if name[-1] not in "26"]
    keep = [0, 2, 3, 4, 6]
    # The same sums in another order.
    assert relative(locked.crba(q[keep]), panda.crba(q)[np.ix_(keep, keep)]) < 1e-13
    assert relative(locked.frame_pose(q[keep], "panda_link8"), panda.frame_pose(q, "panda_link8")) < 1e-14
    with pytest.raises(gradyn.InputError, match="panda_joint99"):
        panda.reduced({"panda_joint99": 0.0})
    with pytest.raises(ValueError):
        panda.reduced({"panda_joint2": [0.0, 1.0]})


def test_append(panda: gradyn.Model) -> None:
    both = panda.append(arm(), "panda_link8", prefix="tool_")
    assert both.nv == 8
    assert both.joint_names[-1] == "tool_shoulder"
    assert both.mass == pytest.approx(panda.mass + 4.0 + 2.0)
    q = np.append(panda.random(seed=1), 0.3)
    base = panda.frame_pose(q[:7], "panda_link8")
    assert relative(both.frame_pose(q, "tool_upper"), base @ arm().frame_pose(q[7:], "upper")) < 1e-14
    with pytest.raises(gradyn.InputError, match="hand"):
        panda.append(arm(), "hand")
    with pytest.raises(gradyn.RobotError):
        panda.append(panda, "panda_link8")


def test_attach(panda: gradyn.Model) -> None:
    inertia = np.diag([0.01, 0.02, 0.025])
    loaded = panda.attach("panda_link8", 1.5, com=[0, 0, 0.1], inertia=inertia)
    assert loaded.mass == pytest.approx(panda.mass + 1.5)
    q = panda.random(seed=1)
    pose = panda.frame_pose(q, "panda_link8")
    jacobian = panda.frame_jacobian(q, "panda_link8")
    lever = np.array([0, 0, 0.1])
    linear = jacobian[:3] + np.cross(jacobian[3:], lever, axisa=0, axisb=0, axisc=0)
    expected = panda.crba(q) + 1.5 * linear.T @ linear + jacobian[3:].T @ inertia @ jacobian[3:]
    assert relative(loaded.crba(q), expected) < 1e-13
    at = pose[:3, 3] + pose[:3, :3] @ lever
    assert loaded.potential_energy(q) - panda.potential_energy(q) == pytest.approx(1.5 * 9.81 * at[2])
    assert panda.attach("panda_link8", 0.0) == panda
    with pytest.raises(gradyn.InputError, match="hand"):
        panda.attach("hand", 1.0)
    with pytest.raises(gradyn.InputError):
        panda.attach("panda_link8", np.nan)


def test_with_frame(panda: gradyn.Model) -> None:
    pose = panda.frame_pose(panda.random(seed=4), "panda_link3")
    more = panda.with_frame("panda_link5", "camera", pose).with_frame(None, "table", [1, 2, 3])
    q = panda.random(seed=1)
    assert relative(more.frame_pose(q, "camera"), panda.frame_pose(q, "panda_link5") @ pose) < 1e-14
    np.testing.assert_array_equal(more.frame_pose(q, "table")[:3, 3], [1, 2, 3])
    for wrong in (np.zeros((4, 4)), np.eye(3), [1.0], np.full(3, np.nan)):
        with pytest.raises(gradyn.InputError) as caught:
            panda.with_frame("panda_link5", "camera", wrong)
        assert caught.value.argument == "placement"
    with pytest.raises(ValueError):
        panda.with_frame("panda_link5", "panda_link8", [0, 0, 0])


# --- constraints --------------------------------------------------------------


def test_a_contact_holds_a_point(panda: gradyn.Model) -> None:
    q = panda.random(seed=1)
    pose = panda.frame_pose(q, "panda_link8")
    contact = panda.contact("panda_link8", at=pose[:3, 3])
    assert len(contact) == 3
    assert contact.rows == ["panda_link8.x", "panda_link8.y", "panda_link8.z"]
    assert contact.gains == (0.0, 0.0)
    assert "panda_link8" in repr(contact)
    assert relative(panda.constraint_error(q, contact), np.zeros(3)) < 1e-15
    expected = panda.frame_jacobian(q, "panda_link8", reference="local-world-aligned")[:3]
    assert relative(panda.constraint_jacobian(q, contact), expected) < 1e-14
    v, tau = np.linspace(-1, 1, 7), np.linspace(2, 0, 7)
    d = panda.constraint_dynamics(q, v, tau, [contact])
    # The conditions that define accelerations and forces; forces are a few hundred newtons.
    jacobian, bias = panda.constraint_jacobian(q, contact), panda.constraint_bias(q, v, contact)
    assert relative(jacobian @ d.ddq, -bias) < 1e-11
    assert relative(panda.rnea(q, v, d.ddq), tau + jacobian.T @ d.lambda_) < 1e-11
    assert panda.contact("panda_link8", kp=4, kd=2).gains == (4.0, 2.0)


def test_a_contact_holds_a_frame(panda: gradyn.Model) -> None:
    q = panda.random(seed=1)
    contact = panda.contact("panda_link8", at=panda.frame_pose(q, "panda_link8"), kind="frame")
    assert len(contact) == 6
    assert contact.rows == [f"panda_link8.{axis}" for axis in ("x", "y", "z", "rx", "ry", "rz")]
    assert relative(panda.constraint_error(q, contact), np.zeros(6)) < 1e-14
    assert panda.constraint_rank(q, contact).rank == 6
    wrongs: list[dict[str, Any]] = [{"kind": "line"}, {"at": [1.0]}, {"kp": np.nan}, {"kd": np.inf}]
    for wrong in wrongs:
        with pytest.raises(gradyn.InputError):
            panda.contact("panda_link8", **wrong)


def test_loops_close() -> None:
    model = load("four_bar")
    loop = model.connect("coupler_tip", "rocker_tip", kp=1, kd=2)
    assert len(loop) == 3
    assert loop.gains == (1.0, 2.0)
    assert "coupler_tip" in repr(loop)
    assert model.constraint_error(model.neutral(), loop).shape == (3,)
    weld = model.weld("coupler_tip", "rocker_tip")
    assert len(weld) == 6
    q = model.random(seed=1)
    a, b = (model.frame_pose(q, frame)[:3, 3] for frame in ("coupler_tip", "rocker_tip"))
    assert np.linalg.norm(model.constraint_error(q, loop)) == pytest.approx(np.linalg.norm(a - b))
    with pytest.raises(gradyn.InputError, match="rocker_tp"):
        model.connect("coupler_tip", "rocker_tp")
    assert model.constraint_jacobian(q, [loop, weld]).shape == (9, 3)
    assert model.constraint_jacobian(q, []).shape == (0, 3)


# --- patterns -----------------------------------------------------------------


def test_sparsity_holds_every_nonzero() -> None:
    pytest.importorskip("scipy", reason="patterns are matrices of SciPy")
    for name in CASES:
        model: Any = load(name)
        contact = model.contact(CASES[name].frames[0])
        for seed in range(3):
            q, rng = model.random(seed=seed), np.random.default_rng(seed)
            v, a = rng.normal(size=(2, model.nv))
            d, f = model.rnea_derivatives(q, v, a), model.aba_derivatives(q, v, a)
            c = model.constraint_dynamics_derivatives(q, v, a, contact)
            matrices = {
                ("torques",): [d.dtau_dq, d.dtau_dv, d.dtau_da],
                ("accelerations",): [f.ddq_dq, f.ddq_dv, f.ddq_dtau],
                ("center_of_mass",): [model.com_jacobian(q)],
                ("centroidal",): [model.centroidal(q, v, a).matrix],
                ("torque_regressor",): [model.torque_regressor(q, v, a)],
                ("constraint_jacobian", "constraints"): [model.constraint_jacobian(q, contact)],
                ("constrained_accelerations", "constraints"): [c.ddq_dq, c.ddq_dv, c.ddq_dtau],
                ("multipliers", "constraints"): [c.dlambda_dq, c.dlambda_dv, c.dlambda_dtau],
                ("frame", "frame"): [model.frame_jacobian(q, CASES[name].frames[0])],
            }
            for (of, *needs), those in matrices.items():
                options: dict[str, Any] = {"constraints": contact} if needs == ["constraints"] else {}
                if needs == ["frame"]:
                    options = {"frame": CASES[name].frames[0]}
                pattern = model.sparsity(of, **options).toarray()
                for matrix in those:
                    assert pattern.shape == matrix.shape
                    assert not matrix[pattern == 0].any(), of


def test_second_sparsity_holds_every_nonzero() -> None:
    for name in CASES:
        model: Any = load(name)
        q, (v, a) = model.random(seed=1), np.random.default_rng(1).normal(size=(2, model.nv))
        by, forward = model.rnea_second_derivatives(q, v, a), model.aba_second_derivatives(q, v, a)
        for of, tensors in {
            "torques": [by.d2tau_dqdq, by.d2tau_dqdv, by.d2tau_dvdv],
            "mass_matrix": [by.d2tau_dadq],
            "accelerations": [forward.d2ddq_dqdq],
            "accelerations_by_velocities": [forward.d2ddq_dvdv],
        }.items():
            entries = model.second_sparsity(of)
            assert entries.shape[1] == 3
            for tensor in tensors:
                rest = tensor.copy()
                rest[tuple(entries.T)] = 0.0
                # Of entries that vanish, as of damping, differences of rounding remain.
                assert relative(rest, np.zeros_like(rest)) < 1e-9, of
    with pytest.raises(gradyn.InputError, match="'torques'"):
        model.second_sparsity("forces")
    with pytest.raises(gradyn.InputError, match="`frame`"):
        model.sparsity("frame")
