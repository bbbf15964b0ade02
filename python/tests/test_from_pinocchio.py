"""Robots of Pinocchio, taken over joint by joint."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from robots import FOLDER, Array, relative

import gradyn

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: `pip install pin`")

# Rounding of chains of some ten bodies.
ROUNDING = 1e-12


def symmetric(upper: Array) -> Array:
    return np.triu(upper) + np.triu(upper, 1).T


def frame_of(model: Any, name: str) -> int:
    """Of frames of one name, that of the link."""
    for kind in (
        pin.FrameType.BODY,
        pin.FrameType.JOINT,
        pin.FrameType.FIXED_JOINT,
        pin.FrameType.OP_FRAME,
        pin.FrameType.SENSOR,
    ):
        if model.existFrame(name, kind):
            return int(model.getFrameId(name, kind))
    raise AssertionError(name)


def agrees(model: Any, m: gradyn.Model, derivatives: bool = True) -> None:
    """Torques, mass matrix, frames, and derivatives where Pinocchio's are right."""
    assert (m.nq, m.nv) == (model.nq, model.nv)
    np.testing.assert_array_equal(m.neutral(), pin.neutral(model))
    rng, data = np.random.default_rng(2), model.createData()
    for _ in range(2):
        q = m.integrate(m.neutral(), 1.5 * rng.uniform(-1, 1, m.nv))
        v, a = rng.uniform(-1, 1, (2, m.nv))
        assert relative(m.integrate(q, v), pin.integrate(model, q, v)) < ROUNDING
        assert relative(m.rnea(q, v, a), pin.rnea(model, data, q, v, a)) < ROUNDING
        assert relative(m.crba(q), symmetric(pin.crba(model, model.createData(), q))) < ROUNDING
        pin.framesForwardKinematics(model, data, q)
        names = m.frame_names
        assert set(names) >= {frame.name for frame in model.frames} - {"universe"}
        for name, pose in zip(names, m.frame_poses(q, names), strict=True):
            frame = frame_of(model, name) if model.existFrame(name) else None
            if frame is not None:
                assert relative(pose, data.oMf[frame].homogeneous[:3]) < ROUNDING, name
        if derivatives:
            by = model.createData()
            pin.computeRNEADerivatives(model, by, q, v, a)
            d = m.rnea_derivatives(q, v, a)
            assert relative(d.dtau_dq, by.dtau_dq) < 1e-10
            assert relative(d.dtau_dv, by.dtau_dv) < 1e-10


@pytest.mark.parametrize(
    "make", ["buildSampleModelManipulator", "buildSampleModelHumanoid", "buildSampleModelHumanoidRandom"]
)
def test_sample_models(make: str) -> None:
    pin.seed(1)
    model = getattr(pin, make)()
    agrees(model, gradyn.from_pinocchio(model))


def robots_of_example_robot_data() -> list[Any]:
    from importlib import util

    found = util.find_spec("pinocchio")
    assert found is not None and found.origin is not None
    from pathlib import Path

    for folder in Path(found.origin).resolve().parents:
        robots = folder / "share" / "example-robot-data" / "robots"
        if robots.is_dir():
            return sorted(robots.rglob("*.urdf"))
    return []


FILES = robots_of_example_robot_data()


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
def test_robots_of_example_robot_data(floating: bool) -> None:
    if not FILES:
        pytest.skip("example-robot-data is not installed")
    taken = 0
    for file in FILES:
        try:
            model = (
                pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
                if floating
                else pin.buildModelFromUrdf(str(file))
            )
        except ValueError:
            continue
        m = gradyn.from_pinocchio(model)
        assert m.joint_names == list(model.names)[1:]
        # Pinocchio's own derivatives are compared in test_pinocchio.py.
        agrees(model, m, derivatives=False)
        taken += 1
    assert taken >= 75


@pytest.mark.parametrize("file", ["panda", "solo12", "g1", "mimic", "continuous", "four_bar", "ur5"])
def test_as_the_same_file_read_by_gradyn(file: str) -> None:
    """Names, limits and parameters, too."""
    model = pin.buildModelFromUrdf(str(FOLDER / f"{file}.urdf"))
    m = gradyn.from_pinocchio(model)
    own = gradyn.Model.from_urdf(
        FOLDER / f"{file}.urdf",
        joint_order="pinocchio",
        continuous="cos-sin",
        mimic="independent",
        joint_friction=False,
    )
    assert m.name == own.name
    assert m.body_names == own.body_names
    assert m.joint_names == own.joint_names
    assert set(m.frame_names) == set(own.frame_names)
    assert m.gravity == own.gravity
    for limit in ("q_lower", "q_upper", "velocity_limit", "effort_limit"):
        np.testing.assert_array_equal(getattr(m, limit), getattr(own, limit))
    assert relative(m.inertial_parameters, own.inertial_parameters) < ROUNDING
    q, v = m.random(seed=1), np.linspace(-1, 1, m.nv)
    assert relative(m.rnea(q, v, v), own.rnea(q, v, v)) < ROUNDING


AXIS = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)


def composite(*parts: Any) -> Any:
    rng, joint = np.random.default_rng(5), pin.JointModelComposite()
    for part in parts:
        joint.addJoint(part, pose(rng))
    return joint


def pose(rng: np.random.Generator) -> Any:
    return pin.exp6(pin.Motion(rng.uniform(-1, 1, 6)))


JOINTS: dict[str, Any] = {
    **{
        f"{kind}{axis}": lambda name=f"JointModel{kind}{axis}": getattr(pin, name)()
        for kind in ("R", "P", "RUB")
        for axis in "XYZ"
    },
    **{f"H{axis}": lambda name=f"JointModelH{axis}": getattr(pin, name)(0.3) for axis in "XYZ"},
    "RevoluteUnaligned": lambda: pin.JointModelRevoluteUnaligned(AXIS),
    "PrismaticUnaligned": lambda: pin.JointModelPrismaticUnaligned(AXIS),
    "HelicalUnaligned": lambda: pin.JointModelHelicalUnaligned(AXIS, -0.2),
    "FreeFlyer": lambda: pin.JointModelFreeFlyer(),
    "Spherical": lambda: pin.JointModelSpherical(),
    "SphericalZYX": lambda: pin.JointModelSphericalZYX(),
    "Planar": lambda: pin.JointModelPlanar(),
    "Translation": lambda: pin.JointModelTranslation(),
    "Universal": lambda: pin.JointModelUniversal(np.array([0.6, 0.8, 0.0]), np.array([0.0, 0.0, 1.0])),
    "Composite": lambda: composite(
        pin.JointModelRX(), pin.JointModelSpherical(), pin.JointModelPrismaticUnaligned(AXIS)
    ),
    "Composite within": lambda: composite(
        pin.JointModelRX(), composite(pin.JointModelPY(), pin.JointModelRZ()), pin.JointModelRY()
    ),
}

#: Whose derivatives by Pinocchio are wrong: docs/pinocchio.md.
MOVING_SUBSPACE = {"SphericalZYX", "Universal", "Composite", "Composite within"}


def chain(joint: Any) -> Any:
    """The joint within a chain, and a branch."""
    rng, model, parent = np.random.default_rng(4), pin.Model(), 0
    model.name = "chain"
    for k, own in enumerate([pin.JointModelRY(), joint, pin.JointModelRX(), pin.JointModelRZ()]):
        # The last one hangs from the second body.
        parent = model.addJoint(2 if k == 3 else parent, own, pose(rng), f"joint{k}")
        model.appendBodyToJoint(parent, pin.Inertia.Random(), pose(rng))
        model.addJointFrame(parent)
        model.addBodyFrame(f"link{k}", parent, pin.SE3.Identity(), -1)
    model.addFrame(pin.Frame("tool", parent, pose(rng), pin.FrameType.OP_FRAME))
    model.addFrame(pin.Frame("table", 0, pose(rng), pin.FrameType.OP_FRAME))
    return model


@pytest.mark.parametrize("kind", JOINTS)
def test_joints(kind: str) -> None:
    pin.seed(3)
    model = chain(JOINTS[kind]())
    m = gradyn.from_pinocchio(model)
    assert m.body_names == ["link0", "link1", "link2", "link3"]
    assert {"tool", "table", "joint0", "joint3"} <= set(m.frame_names)
    agrees(model, m, derivatives=kind not in MOVING_SUBSPACE)


def test_continuous_joints_of_any_axis() -> None:
    model = pin.buildModelFromXML(
        """<robot name="wheel"><link name="base"/>
        <link name="wheel"><inertial><mass value="2"/><origin xyz="0.1 0 0.2"/>
        <inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hub" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="1 2 3"/></joint>
        </robot>"""
    )
    assert model.joints[1].shortname() == "JointModelRevoluteUnboundedUnaligned"
    agrees(model, gradyn.from_pinocchio(model))


def test_mimic_joints() -> None:
    model = pin.buildModelFromUrdf(str(FOLDER / "mimic.urdf"), mimic=True)
    m = gradyn.from_pinocchio(model)
    assert m.nv == 3 and len(m.joint_names) == 5
    agrees(model, m, derivatives=False)


def test_an_order_that_is_not_that_of_a_tree() -> None:
    """Bodies of two branches in turns: Pinocchio's own mass matrix is wrong for such a model."""
    rng, model, ends = np.random.default_rng(4), pin.Model(), [0, 0]
    for k in range(6):
        ends[k % 2] = model.addJoint(ends[k % 2], pin.JointModelRX(), pose(rng), f"joint{k}")
        model.appendBodyToJoint(ends[k % 2], pin.Inertia.Random(), pose(rng))
        model.addJointFrame(ends[k % 2])
    with pytest.raises(gradyn.RobotError, match="branch by branch"):
        gradyn.from_pinocchio(model)


def test_armature_damping_friction_limits_and_gravity() -> None:
    model = pin.buildSampleModelManipulator()
    rng = np.random.default_rng(1)
    for constant in ("armature", "damping", "friction"):
        setattr(model, constant, rng.uniform(0.1, 1, model.nv))
    model.gravity.linear = np.array([1.0, 2.0, 3.0])
    model.lowerPositionLimit[:3], model.upperPositionLimit[:3] = -1.5, 2.5
    model.effortLimit, model.velocityLimit = rng.uniform(1, 9, (2, model.nv))
    m = gradyn.from_pinocchio(model)
    agrees(model, m)
    assert m.gravity == [1.0, 2.0, 3.0]
    assert not m.has_joint_friction
    np.testing.assert_array_equal(m.effort_limit, model.effortLimit)
    np.testing.assert_array_equal(m.velocity_limit, model.velocityLimit)
    np.testing.assert_array_equal(m.q_lower[:3], -1.5)
    np.testing.assert_array_equal(m.q_upper[:3], 2.5)
    q, v = m.random(seed=1), np.full(m.nv, 20.0)
    rough = gradyn.from_pinocchio(model, joint_friction=True)
    assert rough == m.with_joint_friction(True)
    # Smooth friction, some ppm from its limit at this speed.
    expected = m.rnea(q, v, 0) + model.damping * v + model.friction
    assert relative(rough.rnea(q, v, 0), expected) < 1e-6


def test_the_universes_inertia_and_names_that_stand_twice() -> None:
    model = chain(pin.JointModelRX())
    model.inertias[0] = pin.Inertia.Random()
    # A frame of a link that has a joint's name, elsewhere.
    model.addFrame(pin.Frame("joint2", 3, pin.SE3.Random(), pin.FrameType.BODY))
    m = gradyn.from_pinocchio(model)
    agrees(model, m)
    assert len(set(m.frame_names)) == len(m.frame_names)


def test_what_cannot_be_taken_over() -> None:
    model = chain(pin.JointModelEllipsoid(0.1, 0.2, 0.3))
    with pytest.raises(gradyn.RobotError, match="joint 'joint1': gradyn has no Ellipsoid joint") as caught:
        gradyn.from_pinocchio(model)
    assert (caught.value.name, caught.value.value, caught.value.line) == ("joint1", "Ellipsoid", None)
    model = pin.buildSampleModelManipulator()
    model.gravity.angular = np.ones(3)
    with pytest.raises(gradyn.RobotError, match="gravity"):
        gradyn.from_pinocchio(model)
    model = pin.buildSampleModelManipulator()
    model.armature[2] = np.nan
    with pytest.raises(gradyn.RobotError, match="cannot take over"):
        gradyn.from_pinocchio(model)


def test_pinocchio_is_imported_when_it_is_asked_for() -> None:
    code = "import sys, gradyn; assert 'gradyn.pinocchio' not in sys.modules; gradyn.from_pinocchio"
    code += "; assert 'pinocchio' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert "from_pinocchio" in dir(gradyn) and "from_pinocchio" in gradyn.__all__
