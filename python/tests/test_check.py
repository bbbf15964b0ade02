"""The checker: right claims agree, wrong ones do not, and where nothing can be known it says so."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradyn

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
MATRIX = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
X = np.array([0.3, 0.4, 0.5])


def robot(name: str, **options: Any) -> gradyn.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)
        return gradyn.Model.from_urdf(ROBOTS / f"{name}.urdf", **options)


@pytest.fixture(scope="module")
def panda() -> gradyn.Model:
    return robot("panda")


@pytest.fixture(scope="module")
def solo() -> gradyn.Model:
    return robot("solo12", floating_base=True, joint_friction=False)


def f(x: Any) -> Any:
    return MATRIX @ np.sin(x)


def jacobian(x: Any) -> Any:
    return MATRIX * np.cos(x)


# Right and wrong.


def test_a_right_jacobian_agrees() -> None:
    for claim in (jacobian, jacobian(X), jacobian(X).tolist()):
        report = gradyn.check_jacobian(f, claim, X, name="df/dx", rows=["a", "b"], columns=["x", "y", "z"])
        assert report
        assert report.agrees
        assert not report.disagrees
        assert report.counts == {"agree": 6, "disagree": 0, "cannot_tell": 0}
        assert (report.name, report.rows, report.columns) == ("df/dx", ["a", "b"], ["x", "y", "z"])
        np.testing.assert_array_equal(report.claimed, jacobian(X))
        # Within what it says of itself.
        assert np.all(np.abs(report.found - jacobian(X)) <= report.error + 1e-15)
        assert report.worst == []
        assert "all 6 entries agree" in str(report)
        assert "df/dx" in report._repr_html_()


def test_a_wrong_entry_is_named_and_guessed_at() -> None:
    wrong = jacobian(X)
    wrong[1, 2] *= -1
    report = gradyn.check_jacobian(f, wrong, X)
    assert report.disagrees
    assert not report
    assert report.counts == {"agree": 5, "disagree": 1, "cannot_tell": 0}
    ((row, column, claimed, found, _, verdict),) = report.worst
    assert (row, column, verdict) == ("y[1]", "x[2]", "disagrees")
    assert claimed == wrong[1, 2]
    assert found == pytest.approx(-wrong[1, 2])
    assert report.guesses == ["the sign is wrong"]
    assert report.verdicts[1] == ["agrees", "agrees", "disagrees"]
    assert "y[1] by x[2]" in str(report)


def test_an_error_of_a_millionth_is_found_and_of_rounding_is_not() -> None:
    right = jacobian(X)
    # The tolerance is 1e-6 of an entry.
    assert gradyn.check_jacobian(f, right * (1 + 1e-13), X)
    assert gradyn.check_jacobian(f, right * (1 + 1e-5), X).disagrees
    assert gradyn.check_jacobian(f, right * (1 + 1e-5), X, tolerance=1e-4)


def test_a_transposed_claim_is_guessed() -> None:
    square = np.array([[1.0, 2.0], [3.0, 4.0]])
    report = gradyn.check_jacobian(lambda x: square @ x, square.T, [1.0, 2.0])
    assert report.guesses[0].startswith("transposed")
    with pytest.raises(gradyn.InputError, match="3 × 2, expected 2 × 3: transposed"):
        gradyn.check_jacobian(f, jacobian(X).T, X)


def test_gradients_and_hessians() -> None:
    def g(x: Any) -> float:
        return float(x @ x + x[0] * x[1] * x[2])

    def gradient(x: Any) -> Any:
        return 2 * x + np.array([x[1] * x[2], x[0] * x[2], x[0] * x[1]])

    def hessian(x: Any) -> Any:
        return 2 * np.eye(3) + np.array([[0, x[2], x[1]], [x[2], 0, x[0]], [x[1], x[0], 0]])

    assert gradyn.check_gradient(g, gradient, X)
    assert gradyn.check_hessian(g, hessian, X)
    assert gradyn.check_gradient(g, lambda x: 2 * x, X).disagrees
    assert gradyn.check_hessian(g, 2 * np.eye(3), X).disagrees
    lower = np.tril(hessian(X))
    assert gradyn.check_hessian(g, lower, X).disagrees


def test_one_number_needs_no_brackets() -> None:
    assert gradyn.check_jacobian(lambda x: x[0] ** 2, 6.0, 3.0)
    assert gradyn.check_gradient(lambda x: x[0] ** 2, 6.0, 3.0)
    assert gradyn.check_hessian(lambda x: x[0] ** 2, 2.0, 3.0)


# Where nothing can be known.


def test_noise_and_kinks_and_edges_are_not_verdicts() -> None:
    noise = np.random.default_rng(0)
    noisy = gradyn.check_jacobian(lambda x: f(x) + 1e-3 * noise.standard_normal(2), jacobian, X)
    assert not noisy.agrees
    assert not noisy.disagrees
    assert all("noisy" in verdict for row in noisy.verdicts for verdict in row)

    kink = gradyn.check_jacobian(np.abs, np.eye(3), [0.0, 1.0, 2.0])
    assert not kink.agrees
    assert not kink.disagrees
    assert kink.counts == {"agree": 8, "disagree": 0, "cannot_tell": 1}
    assert "not smooth" in kink.verdicts[0][0]

    def edge(x: Any) -> Any:
        if x[0] > X[0]:
            raise ValueError("out of the domain")
        return f(x)

    one_sided = gradyn.check_jacobian(edge, jacobian, X)
    assert one_sided.agrees
    assert any("one side" in note for note in one_sided.notes)

    def point(x: Any) -> Any:
        if np.any(x != X):
            raise ArithmeticError("nowhere else")
        return f(x)

    alone = gradyn.check_jacobian(point, jacobian, X)
    assert not alone.agrees
    assert not alone.disagrees
    nan = gradyn.check_jacobian(lambda x: f(x) if np.all(x == X) else np.full(2, np.nan), jacobian, X)
    assert not nan.agrees
    assert not nan.disagrees


class Odd(Exception):
    pass


@pytest.mark.parametrize("kind", [Odd, KeyError, KeyboardInterrupt, TypeError])
def test_other_exceptions_of_a_function_are_raised(kind: type[BaseException]) -> None:
    calls = []

    def fails(x: Any) -> Any:
        calls.append(x)
        if len(calls) > 3:
            raise kind("of the function")
        return f(x)

    with pytest.raises(kind, match="of the function"):
        gradyn.check_jacobian(fails, jacobian, X)
    assert len(calls) == 4
    calls.clear()
    with pytest.raises(kind, match="of the function"):
        gradyn.check_gradient(lambda x: fails(x)[0], jacobian(X)[0], X)
    calls.clear()
    with pytest.raises(kind, match="of the function"):
        gradyn.check_hessian(lambda x: fails(x)[0], np.eye(3), X)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        gradyn.check_jacobian(lambda x: 1 / 0, [[1.0]], [1.0])
    with pytest.raises(TypeError, match="2 numbers, before 1"):
        gradyn.check_jacobian(lambda x: [1.0] * (1 + (x[0] != 1)), [[1.0]], [1.0])
    with pytest.raises(TypeError, match="3 numbers, before 1"):
        gradyn.check_gradient(lambda x: x, X, X)
    with pytest.raises(gradyn.InputError, match="NaN"):
        gradyn.check_jacobian(f, jacobian, [np.nan, 1.0, 2.0])
    with pytest.raises(TypeError, match="'tol', expected one of name, rows"):
        gradyn.check_jacobian(f, jacobian, X, tol=1e-3)
    with pytest.raises(ValueError, match="expected"):
        gradyn.check_gradient(lambda x: x @ x, X[:2], X)


def test_assertions_for_tests() -> None:
    gradyn.assert_derivatives(f, X, jacobian=jacobian)
    with pytest.raises(AssertionError, match="DISAGREE"):
        gradyn.assert_derivatives(f, X, jacobian=2 * jacobian(X))
    with pytest.raises(AssertionError, match="not smooth here"):
        gradyn.assert_derivatives(np.abs, [0.0, 1.0], jacobian=np.eye(2))
    gradyn.assert_derivatives(np.abs, [0.0, 1.0], jacobian=np.eye(2), allow_unclear=True)
    with pytest.raises(AssertionError):
        gradyn.assert_derivatives(np.abs, [0.0, 1.0], jacobian=2 * np.eye(2), allow_unclear=True)
    with pytest.raises(AssertionError, match="Hessian"):
        gradyn.assert_derivatives(lambda x: x @ x, X, gradient=lambda x: 2 * x, hessian=np.eye(3))
    with pytest.raises(TypeError, match="give `jacobian`"):
        gradyn.assert_derivatives(f, X)


# On manifolds.


def test_derivatives_are_along_configurations(solo: gradyn.Model) -> None:
    q = solo.random(seed=1)
    v = np.linspace(-1, 1, solo.nv)
    report = gradyn.check_jacobian(
        lambda q: solo.rnea(q, v, v), lambda q: solo.rnea_derivatives(q, v, v).dtau_dq, q, inputs=solo
    )
    assert report.agrees
    assert np.shape(report.found) == (18, 18)
    # As numbers, a quaternion's columns are others, and there are more of them.
    with pytest.raises(gradyn.InputError, match="expected 18 × 19"):
        gradyn.check_jacobian(lambda q: solo.rnea(q, v, v), solo.rnea_derivatives(q, v, v).dtau_dq, q)
    assert gradyn.check_gradient(solo.potential_energy, solo.generalized_gravity, q, inputs=solo)


def test_parts_of_a_point_and_results_on_manifolds(solo: gradyn.Model) -> None:
    q, v = solo.random(seed=2), 0.3 * np.linspace(-1, 1, solo.nv)
    nq, nv = solo.nq, solo.nv

    def step(x: Any) -> Any:
        return np.concatenate([solo.integrate(x[:nq], x[nq:]), x[nq:]])

    by = solo.integrate_derivatives(v)
    claim = np.block([[by.dq, by.dv], [np.zeros((nv, nv)), np.eye(nv)]])
    x = np.concatenate([q, v])
    report = gradyn.check_jacobian(step, claim, x, inputs=[solo, nv], outputs=[solo, nv])
    assert report.agrees
    claim[:nv, :nv] = np.eye(nv)
    assert gradyn.check_jacobian(step, claim, x, inputs=[solo, nv], outputs=[solo, nv]).disagrees
    with pytest.raises(gradyn.InputError, match="`inputs` has 37 coordinates, the point has 19"):
        gradyn.check_jacobian(lambda q: q, np.eye(18), q, inputs=[solo, nv])
    with pytest.raises(gradyn.InputError, match="`outputs`"):
        gradyn.check_jacobian(step, claim, x, inputs=[solo, nv], outputs=["panda"])  # type: ignore[list-item]


# What other programs claim.


def test_a_model_is_checked_with_itself(panda: gradyn.Model, solo: gradyn.Model) -> None:
    for model in (panda, solo):
        report = gradyn.check_model(model, samples=2, seed=3)
        assert report.agrees, str(report)
        assert len(report.reports) == 12
        assert {state for state, _ in report.reports} == {0, 1}
        assert "∂τ/∂q" in str(report)
        assert "agrees, 12 reports" in repr(report)


def test_claims_are_judged_by_state(panda: gradyn.Model) -> None:
    q, (v, a) = panda.random(3, seed=1), np.random.default_rng(1).standard_normal((2, 3, 7))
    d = panda.rnea_derivatives(q, v, a)
    claims = {"tau": d.tau, "dtau_dq": d.dtau_dq.copy(), "mass_matrix": panda.crba(q)}
    assert gradyn.check_claim(panda, {"q": q, "v": v, "a": a}, claims)
    # Of one state.
    one = {name: x[0] for name, x in claims.items()}
    assert gradyn.check_claim(panda, {"q": q[0], "v": v[0], "a": a[0]}, one)
    claims["dtau_dq"][1, 3, 4] += 1e-3
    report = gradyn.check_claim(panda, {"q": q, "v": v, "a": a}, claims)
    assert report.disagrees
    assert not report
    assert [(state, of.name) for state, of in report.reports if of.disagrees] == [(1, "∂τ/∂q")]
    assert "state 1" in str(report)
    assert "disagrees" in repr(report)


def test_torques_are_a_claim_and_an_input(panda: gradyn.Model) -> None:
    q, (v, a, tau) = panda.random(2, seed=1), np.random.default_rng(1).standard_normal((3, 2, 7))
    state = {"q": q, "v": v, "a": a, "tau": tau}
    both = {"tau": panda.rnea(q, v, a), "ddq": panda.aba(q, v, tau)}
    report = gradyn.check_claim(panda, state, both)
    assert report
    assert {of.name for _, of in report.reports} == {"τ", "q̈"}
    with pytest.raises(ValueError, match="`states` has no `tau`"):
        gradyn.check_claim(panda, {"q": q, "v": v, "a": a}, both)
    with pytest.raises(gradyn.FileError, match="^state 0: missing `tau`"):
        gradyn.check_claim(panda, {"q": q, "v": v}, {"ddq": a})
    with pytest.raises(gradyn.FileError, match="dtau_dx"):
        gradyn.check_claim(panda, state, {"dtau_dx": tau})
    with pytest.raises(ValueError, match="no `q`"):
        gradyn.check_claim(panda, {"v": v}, {"tau": tau})
    with pytest.raises(ValueError, match="empty"):
        gradyn.check_claim(panda, state, {})
    with pytest.raises(ValueError, match="both in"):
        gradyn.check_claim(panda, state, {"a": a})
    with pytest.raises(gradyn.InputError, match="one of 'gradyn', 'pinocchio'"):
        gradyn.check_claim(panda, state, both, layout="crocoddyl")


def test_joints_may_be_in_another_order(panda: gradyn.Model) -> None:
    q, (v, a) = panda.random(2, seed=1), np.random.default_rng(1).standard_normal((2, 2, 7))
    order = [6, 0, 3, 1, 2, 5, 4]
    names = [panda.joint_names[k] for k in order]
    states = {"q": q[:, order], "v": v[:, order], "a": a[:, order]}
    tau = panda.rnea(q, v, a)[:, order]
    assert gradyn.check_claim(panda, states, {"tau": tau}, joints=names)
    assert gradyn.check_claim(panda, states, {"tau": tau}).disagrees


@pytest.mark.parametrize("name", ["panda", "solo12", "continuous", "g1"])
def test_pinocchios_numbers_in_all_layouts(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    floating = name in ("solo12", "g1")
    path = str(ROBOTS / f"{name}.urdf")
    theirs = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(path)
    data = theirs.createData()
    # Pinocchio's algorithms leave friction and damping out.
    model = robot(name, floating_base=floating, joint_friction=False)
    ordered = robot(name, floating_base=floating, joint_friction=False, joint_order="pinocchio", continuous="cos-sin")
    pin.seed(1)
    nv = theirs.nv
    rng = np.random.default_rng(1)
    states: dict[str, list[Any]] = {"q": [], "v": [], "a": []}
    claims: dict[str, list[Any]] = {"tau": [], "mass_matrix": [], "dtau_dq": [], "dtau_dv": []}
    for _ in range(2):
        q = pin.integrate(theirs, pin.neutral(theirs), rng.standard_normal(nv))
        v, a = rng.standard_normal((2, nv))
        dq, dv, m = pin.computeRNEADerivatives(theirs, data, q, v, a)
        for key, x in (("q", q), ("v", v), ("a", a)):
            states[key].append(x)
        for key, x in (("tau", pin.rnea(theirs, data, q, v, a)), ("mass_matrix", m), ("dtau_dq", dq), ("dtau_dv", dv)):
            claims[key].append(np.array(x))
    q, v, a = (np.array(states[key]) for key in ("q", "v", "a"))
    everything = {key: np.array(x) for key, x in claims.items()}
    # Either the robot is read in Pinocchio's order, or the joints are named.
    report = gradyn.check_claim(ordered, {"q": q, "v": v, "a": a}, everything, layout="pinocchio")
    assert report.agrees, str(report)
    wrong = {**everything, "dtau_dq": everything["dtau_dq"].transpose(0, 2, 1)}
    assert gradyn.check_claim(ordered, {"q": q, "v": v, "a": a}, wrong, layout="pinocchio").disagrees
    if name == "continuous":
        # Angles are not (cos, sin).
        with pytest.raises(gradyn.FileError, match="another `continuous`"):
            gradyn.check_claim(model, {"q": q, "v": v, "a": a}, everything, layout="pinocchio")
        return
    names = [*list(model.joint_names)[:1], *list(theirs.names)[2:]] if floating else list(theirs.names)[1:]
    report = gradyn.check_claim(model, {"q": q, "v": v, "a": a}, everything, layout="pinocchio", joints=names)
    assert report.agrees, str(report)

    # The same in the coordinates of others: v = T v', with forces by the transpose.
    for layout in ("mujoco", "drake"):
        others: dict[str, list[Any]] = {key: [] for key in ("q", "v", "a", "tau", "mass_matrix")}
        for k in range(len(q)):
            t = np.eye(nv)
            base, base_rate = q[k][:0], np.zeros(nv)
            if floating:
                x, y, z, w = q[k][3:7]
                r = pin.Quaternion(w, x, y, z).matrix()
                linear, angular = v[k][:3], v[k][3:6]
                # d/dt of R^T is -[angular] R^T, with the angular velocity in the body's axes.
                base_rate[:3] = -np.cross(angular, linear)
                if layout == "mujoco":
                    t[:3, :3] = r.T
                    base = np.array([*q[k][:3], w, x, y, z])
                else:
                    t[:6, :6] = np.block([[np.zeros((3, 3)), r.T], [r.T, np.zeros((3, 3))]])
                    base = np.array([w, x, y, z, *q[k][:3]])
            others["q"].append(np.concatenate([base, q[k][len(base) :]]))
            others["v"].append(np.linalg.solve(t, v[k]))
            others["a"].append(np.linalg.solve(t, a[k] - base_rate))
            others["tau"].append(t.T @ everything["tau"][k])
            others["mass_matrix"].append(t.T @ everything["mass_matrix"][k] @ t)
        inputs = {key: np.array(others[key]) for key in ("q", "v", "a")}
        claimed = {key: np.array(others[key]) for key in ("tau", "mass_matrix")}
        report = gradyn.check_claim(model, inputs, claimed, layout=layout, joints=names)
        assert report.agrees, f"{layout}: {report}"
