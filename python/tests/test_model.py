"""Robots: how they are read, shown, copied, changed."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import gradyn
import numpy as np
import pytest
from robots import CASES, FOLDER, load, relative

PANDA = FOLDER / "panda.urdf"

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
      <joint name="zulu" type="revolute"><parent link="upper"/><child link="a"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
      <joint name="alpha" type="revolute"><parent link="upper"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"""
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
    [("joint_order", "name"), ("mimic", "lead"), ("continuous", "sin-cos"), ("gravity", [1.0]), ("gravity", [0, 0, np.nan])],
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
    assert Path(caught[0].filename).name == Path(__file__).name
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
    for thing in (3, None, b"<robot/>", ["a"]):
        with pytest.raises((TypeError, gradyn.RobotError)):
            gradyn.Model.from_urdf(thing)  # type: ignore[arg-type]
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
    assert (model.q_lower, model.q_upper) == ([-1.0], [2.0])
    assert (model.velocity_limit, model.effort_limit) == ([4.0], [30.0])
    assert model.mass == 2.0
    # m, m c, and the inertia about the joint: 0.02 + 2 * 0.2^2.
    np.testing.assert_allclose(model.inertial_parameters, [2, 0, 0, 0.4, 0.1, 0, 0.1, 0, 0, 0.01], rtol=1e-15)
    assert len(model.standard_parameters) == len(model.standard_parameter_names)
    assert model.standard_regressor(0.3, 0.4, 0.5) @ model.standard_parameters == pytest.approx(model.rnea(0.3, 0.4, 0.5))
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
    assert (model.effort_limit, model.velocity_limit) == ([7.0], [8.0])
    assert model.with_damping({"upper": 1.5}) == model  # A body is as good as its joint.
    for change in (model.with_damping, model.with_friction, model.with_armature, model.with_effort_limits):
        with pytest.raises(gradyn.InputError, match="elbow"):
            change({"elbow": 1.0})
        with pytest.raises(ValueError):
            change({"shoulder": [1.0, 2.0]})
        with pytest.raises(ValueError):
            change({"shoulder": -1.0})


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
    for wrong in ({"kind": "line"}, {"at": [1.0]}, {"kp": np.nan}, {"kd": np.inf}):
        with pytest.raises(gradyn.InputError):
            panda.contact("panda_link8", **wrong)  # type: ignore[arg-type]


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
        model = load(name)
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
        model = load(name)
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
        load("panda").second_sparsity("forces")
    with pytest.raises(gradyn.InputError, match="`frame`"):
        load("panda").sparsity("frame")
