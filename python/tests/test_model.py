"""Robots: how they are read, shown, copied, changed."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robots import CASES, FOLDER, URDF, arm, load

import gradyn

PANDA = FOLDER / "panda.urdf"

# --- reading ------------------------------------------------------------------


def test_path_text_and_options() -> None:
    from_path = gradyn.Model.from_urdf(PANDA)
    assert from_path == gradyn.Model.from_urdf(str(PANDA)) == gradyn.Model.from_urdf(PANDA.read_text())
    assert from_path.path == PANDA
    assert gradyn.Model.from_urdf(PANDA.read_text()).path is None
    assert gradyn.Model.from_urdf("\n  " + URDF.format(more="")).name == "arm"


def test_floating_base() -> None:
    fixed, floating = arm(), arm(floating_base=True)
    assert (fixed.nq, fixed.nv) == (1, 1)
    assert (floating.nq, floating.nv) == (8, 7)
    assert floating.q_slices == {"root_joint": slice(0, 7, 1), "shoulder": slice(7, 8, 1)}
    assert floating.v_slices == {"root_joint": slice(0, 6, 1), "shoulder": slice(6, 7, 1)}
    np.testing.assert_array_equal(floating.neutral(), [0, 0, 0, 0, 0, 0, 1, 0])


def test_joint_friction() -> None:
    with_it, without = arm(), arm(joint_friction=False)
    assert with_it.has_joint_friction and not without.has_joint_friction
    # Damping and Coulomb friction, which is smooth: at 20 rad/s it is a few ppm away from its limit.
    assert with_it.rnea(0, 20, 0) - without.rnea(0, 20, 0) == pytest.approx([0.5 * 20 + 0.25], rel=1e-6)
    assert with_it.with_joint_friction(False) == without


def test_joint_order() -> None:
    more = """<link name="a"/><link name="b"/>
      <joint name="zulu" type="continuous"><parent link="upper"/><child link="a"/></joint>
      <joint name="alpha" type="continuous"><parent link="upper"/><child link="b"/></joint>"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)
        assert arm(more).joint_names == ["shoulder", "zulu", "alpha"]
        assert arm(more, joint_order="pinocchio").joint_names == ["shoulder", "alpha", "zulu"]


def test_mimic() -> None:
    assert load("mimic").nv == 3
    free = gradyn.Model.from_urdf(FOLDER / "mimic.urdf", mimic="independent")
    assert free.nv == 5


def test_continuous() -> None:
    angle, pair = gradyn.Model.from_urdf(FOLDER / "continuous.urdf"), load("continuous")
    assert angle.nv == pair.nv == angle.nq < pair.nq


def test_gravity() -> None:
    assert arm().gravity == [0, 0, -9.81]
    moon = arm(gravity=(0, 0, -1.62))
    assert moon.gravity == [0, 0, -1.62]
    assert moon == arm().with_gravity([0, 0, -1.62])
    assert arm(gravity=[0, 0, 0]).generalized_gravity(0.3) == pytest.approx([0.0])


def test_armature() -> None:
    heavy = arm(armature={"shoulder": 0.125})
    assert heavy.crba(0.3) - arm().crba(0.3) == pytest.approx(0.125)
    assert heavy == arm(armature={"shoulder": [0.125]})
    assert heavy == arm().with_armature({"shoulder": 0.125})


def test_merge_fixed_joints() -> None:
    assert len(gradyn.Model.from_urdf(PANDA, merge_fixed_joints=False).body_names) > 7


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("joint_order", "name"),
        ("mimic", "lead"),
        ("continuous", "sin-cos"),
        ("gravity", [1.0]),
        ("gravity", [0, 0, np.nan]),
    ],
)
def test_wrong_options(option: str, wrong: Any) -> None:
    with pytest.raises(gradyn.InputError) as caught:
        arm(**{option: wrong})
    assert caught.value.argument == option


def test_armature_of_an_unknown_joint() -> None:
    with pytest.raises(ValueError, match="elbow"):
        arm(armature={"elbow": 1.0})


# --- what the file has besides ------------------------------------------------


def test_the_report_and_its_warnings() -> None:
    more = "<strange/>\n<unknown/>"
    with pytest.warns(gradyn.RobotWarning) as caught:
        model = arm(more)
    report = model.report
    assert report is not None
    assert len(report) == len(report.warnings) == len(caught) == 2
    assert "line 8" in str(caught[0].message) and "line 9" in str(caught[1].message)
    assert Path(caught[0].filename).name == "robots.py"  # Where `arm` reads the robot.
    note = report.warnings[0]
    assert (note.line, note.severity) == (8, "warning")
    assert note.message in str(note) and "line 8" in str(note) and "8" in repr(note)
    assert sum(report.counts.values()) == len(report.notes)
    assert note.code in report.counts
    assert str(note.line) in str(report)
    assert "gradyn.LoadReport" in repr(report)
    with pytest.raises(gradyn.RobotError) as refused:
        arm(more, strict=True)
    assert refused.value.line == 8


def test_many_warnings_are_a_few() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = arm("<odd/>" * 30)
    assert model.report is not None and len(model.report) > 6
    assert len(caught) == 6
    assert "Model.report" in str(caught[-1].message)


def test_a_robot_in_order_warns_of_nothing() -> None:
    model = arm()
    assert model.report is not None and len(model.report) == 0
    assert gradyn.Model.from_json(model.to_json()).report is None


# --- errors -------------------------------------------------------------------


def test_a_missing_file() -> None:
    with pytest.raises(gradyn.FileError, match="nowhere.urdf") as caught:
        gradyn.Model.from_urdf("nowhere.urdf")
    assert caught.value.path == "nowhere.urdf"
    assert caught.value.line is None


def test_an_error_says_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(more="").replace('value="2"', 'value="two"'))
    with pytest.raises(gradyn.RobotError) as caught:
        gradyn.Model.from_urdf(path)
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.path == str(path)
    assert error.line == 4
    assert str(path) in str(error) and "line 4" in str(error) and "two" in str(error)
    assert error.value == "two"
    assert pickle.loads(pickle.dumps(error)).line == 4


def test_an_unknown_link_is_named() -> None:
    with pytest.raises(gradyn.RobotError) as caught:
        arm('<joint name="wrist" type="fixed"><parent link="uper"/><child link="base"/></joint>')
    assert caught.value.line == 8
    assert "uper" in str(caught.value)
    assert caught.value.name == "wrist"
    assert caught.value.element == "joint"


def test_text_that_is_no_robot() -> None:
    for text in ("<robot", "<sdf/>", "<robot name='x'/>", "\ufeff<a>"):
        with pytest.raises(gradyn.RobotError):
            gradyn.Model.from_urdf(text)
    read: Any = gradyn.Model.from_urdf
    for thing in (3, None, b"<robot/>", ["a"]):
        with pytest.raises((TypeError, gradyn.RobotError)):
            read(thing)
    with pytest.raises(gradyn.RobotError):
        gradyn.Model.from_json("{}")
    with pytest.raises(gradyn.RobotError):
        gradyn.Model.from_json("not JSON")


def test_a_robot_is_made_by_reading_only() -> None:
    with pytest.raises(TypeError):
        gradyn.Model()


# --- copies -------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CASES, "solo12", "g1"])
def test_pickle_copy_and_json_keep_every_bit(name: str) -> None:
    model = load(name)
    q, v = model.random(seed=7), np.linspace(-1, 1, model.nv)
    expected = model.rnea(q, v, v)
    copies = [pickle.loads(pickle.dumps(model, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    copies += [copy.copy(model), copy.deepcopy(model), gradyn.Model.from_json(model.to_json())]
    for other in copies:
        assert other == model and not other != model
        assert hash(other) == hash(model)
        assert other.frame_names == model.frame_names
        np.testing.assert_array_equal(other.rnea(q, v, v), expected)


def test_constraints_can_be_pickled() -> None:
    model = load("panda")
    q, v = model.random(seed=7), np.linspace(-1, 1, model.nv)
    tip, before = model.frame_names[-1], model.frame_names[2]
    place = np.array([0.3, 0.1, 0.5])
    for held in (
        model.contact(tip, at=place, kp=3.0, kd=2.0),
        model.contact(tip, kind="frame"),
        model.connect(tip, before, kp=1.0),
        model.weld(tip, before),
    ):
        place[:] = 9.0
        other, robot = pickle.loads(pickle.dumps((held, model)))
        assert repr(other) == repr(held) and other.rows == held.rows and other.gains == held.gains
        here, there = model.constraint_dynamics(q, v, v, held), robot.constraint_dynamics(q, v, v, other)
        np.testing.assert_array_equal(there.lambda_, here.lambda_)


def test_equality() -> None:
    assert load("panda") != load("floating")
    assert load("panda") != load("panda").with_gravity([0, 0, -1])
    assert load("panda") != "panda"
    assert len({load("panda"), gradyn.Model.from_urdf(PANDA), load("floating")}) == 2


def test_a_robot_never_changes(panda: Any) -> None:
    for name in ("nq", "gravity", "other"):
        with pytest.raises(AttributeError):
            setattr(panda, name, 1)
    panda.q_lower[:] = 5.0
    panda.gravity[2] = 5.0
    assert panda.q_lower[0] != 5.0
    assert panda.gravity[2] == -9.81


# --- what is shown ------------------------------------------------------------


def test_repr_is_one_line(panda: gradyn.Model) -> None:
    assert repr(panda) == "<gradyn.Model 'panda': nq 7, nv 7, 7 bodies>"


def test_str_is_the_tree(panda: gradyn.Model) -> None:
    text = str(panda)
    for name in panda.joint_names + panda.body_names:
        assert name in text


def test_html_has_a_row_a_joint(panda: gradyn.Model) -> None:
    html = panda._repr_html_()
    assert html.count("<tr>") == 1 + 7
    strange = gradyn.Model.from_urdf(URDF.format(more="").replace("shoulder", "a&amp;&lt;b"))
    assert strange.joint_names == ["a&<b"]
    assert "a&<b" not in strange._repr_html_() and "a&amp;&lt;b" in strange._repr_html_()


def test_names_limits_and_masses() -> None:
    model = arm()
    assert model.name == "arm"
    assert model.body_names == ["upper"]
    assert model.joint_names == ["shoulder"]
    assert {"base", "upper", "shoulder"} <= set(model.frame_names)
    assert model.dof_names == ["shoulder"]
    limits = [model.q_lower, model.q_upper, model.velocity_limit, model.effort_limit]
    assert [limit.tolist() for limit in limits] == [[-1.0], [2.0], [4.0], [30.0]]
    assert model.mass == 2.0
    # m, m c, and the inertia about the joint: 0.02 + 2 * 0.2^2.
    np.testing.assert_allclose(model.inertial_parameters, [2, 0, 0, 0.4, 0.1, 0, 0.1, 0, 0, 0.01], rtol=1e-15)
    assert len(model.standard_parameters) == len(model.standard_parameter_names)
    assert model.standard_regressor(0.3, 0.4, 0.5) @ model.standard_parameters == pytest.approx(
        model.rnea(0.3, 0.4, 0.5)
    )
    assert model.parameters
    assert all(type(value) is float for value in model.parameters.values())


def test_parameter_blocks_cover_all_parameters(panda: gradyn.Model) -> None:
    size = len(panda.rnea_parameter_gradient(0, 0, 0, 1).dp)
    covered = np.zeros(size, int)
    for block in panda.parameter_blocks.values():
        covered[block] += 1
    assert (covered == 1).all()


def test_slices_stand_in_the_order_of_the_tree(panda: gradyn.Model) -> None:
    for model in (panda, load("solo12"), load("floating")):
        assert list(model.q_slices) == list(model.v_slices) == model.joint_names


MJCF = """<mujoco model='arm'><worldbody><body name='upper'><joint name='shoulder' axis='0 1 0'/>
<geom type='capsule' size='0.05' fromto='0 0 0 0 0 1'/></body></worldbody><keyframe><key name='up' qpos='0.5'/></keyframe></mujoco>"""
SDF = """<sdf version='1.9'><model name='m'><link name='a'><pose>1 2 3 0 0 0</pose><inertial><mass>2</mass></inertial></link></model></sdf>"""


def test_files_of_other_formats(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(MJCF)
    (tmp_path / "box.sdf").write_text(SDF)
    arm = gradyn.Model.from_file(tmp_path / "arm.xml")
    assert arm.nv == 1 and arm.joint_names == ["shoulder"]
    np.testing.assert_array_equal(arm.configurations["up"], [0.5])
    box = gradyn.Model.from_file(tmp_path / "box.sdf")
    assert box.nv == 6
    np.testing.assert_array_equal(box.configurations["file"][:3], [1, 2, 3])
    assert gradyn.Model.from_file(tmp_path / "box.sdf", fixed_base=True).nv == 0
    (tmp_path / "again.xml").write_text(arm.to_mjcf())
    (tmp_path / "again.urdf").write_text(arm.to_urdf())
    q, v = np.array([0.3]), np.array([1.1])
    for name in ("again.xml", "again.urdf"):
        again = gradyn.Model.from_file(tmp_path / name)
        # The numbers of the file come back to rounding.
        np.testing.assert_allclose(again.rnea(q, v, v), arm.rnea(q, v, v), rtol=1e-13)
    (tmp_path / "wrong.xml").write_text(MJCF.replace("0 1 0", "0 0 0"))
    with pytest.raises(gradyn.RobotError) as raised:
        gradyn.Model.from_file(tmp_path / "wrong.xml")
    assert raised.value.path == str(tmp_path / "wrong.xml")


def test_configurations_of_an_srdf_file(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(MJCF)
    state = "<group_state name='{}' group='{}'><joint name='shoulder' value='{}'/></group_state>"
    srdf = tmp_path / "arm.srdf"
    srdf.write_text(f"<robot name='arm'>{state.format('down', 'a', -1.5)}{state.format('down', 'b', -1)}</robot>")
    arm = gradyn.Model.from_file(tmp_path / "arm.xml", srdf=srdf)
    assert {name: q.tolist() for name, q in arm.configurations.items()} == {
        "up": [0.5], "file": [0], "a/down": [-1.5], "b/down": [-1],
    }
    srdf.write_text(f"<robot name='arm'>{state.format('up', '', 1)}</robot>")
    with pytest.raises(gradyn.FileError, match="line 1: the robot has a configuration `up` already"):
        gradyn.Model.from_file(tmp_path / "arm.xml", srdf=srdf)
