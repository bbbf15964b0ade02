"""gradyn in CasADi: values, derivatives of both orders, sparsity, and an optimizer that uses them."""

from __future__ import annotations

import doctest
import gc
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

casadi = pytest.importorskip("casadi", reason="CasADi is not installed", exc_type=ImportError)

import gradyn  # noqa: E402
import gradyn.casadi as bridge  # noqa: E402

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
#: Central differences of step 1e-6 of functions of size 1 to 1e3: rounding 1e-16 / 1e-6 times the size, and the third
#: derivative times 1e-12.
STEP, TOLERANCE = 1e-6, 1e-7

#: Robots with a fixed base, and with quaternions.
ROBOT_NAMES = ["panda", "solo12+"]


def load(name: str) -> gradyn.Model:
    path = ROBOTS / f"{name.rstrip('+')}.urdf"
    return gradyn.Model.from_urdf(path, floating_base=name.endswith("+"))


def choices(model: gradyn.Model, name: str) -> dict[str, Any]:
    frame = model.frame_names[-1]
    if name.startswith("frame"):
        return {"frame": frame}
    return {"constraints": model.contact(frame)} if name == "constraint_dynamics" else {}


class Case:
    """A function at a state, and a motion of its arguments."""

    def __init__(self, robot: str, name: str, wrenches: bool = False) -> None:
        self.model = model = load(robot)
        self.name = name
        frames = [model.frame_names[-1], (model.frame_names[-1], "world"), model.body_names[1]] if wrenches else []
        self.f = bridge.function(model, name, wrenches=frames, **choices(model, name))
        self.on = bridge.FUNCTIONS[name].configurations
        random = np.random.default_rng(7)
        q = model.random(seed=3)
        # Near each other, so that the difference is within the range of the logarithm.
        near = model.integrate(q, 0.3 * random.standard_normal(model.nv))
        count = self.f.n_in()
        sizes = [model.nv if k < 3 else 6 for k in range(count)]
        self.x = [[q, near][k] if k in self.on else random.standard_normal(n) for k, n in enumerate(sizes)]
        self.d = [random.standard_normal(n) for n in sizes]
        self.symbols = [casadi.MX.sym(self.f.name_in(k), self.f.size1_in(k)) for k in range(count)]
        results = self.f.call(self.symbols)
        self.y = casadi.vertcat(*[casadi.vec(result) for result in results])
        self.weights = random.standard_normal(self.y.shape[0])

    def made(self, expression: Any) -> Any:
        return casadi.Function("made", self.symbols, [expression])

    def moved(self, step: float) -> list[Any]:
        pairs = enumerate(zip(self.x, self.d, strict=True))
        return [self.model.integrate(x, step * d) if k in self.on else x + step * d for k, (x, d) in pairs]

    def rate(self) -> Any:
        pairs = enumerate(zip(self.x, self.d, strict=True))
        return np.concatenate([self.model.q_dot(x, d) if k in self.on else d for k, (x, d) in pairs])

    def difference(self, f: Any) -> Any:
        return (np.array(f(*self.moved(STEP))) - np.array(f(*self.moved(-STEP)))).ravel() / (2 * STEP)


def close(a: Any, b: Any) -> None:
    a, b = np.asarray(a), np.asarray(b)
    np.testing.assert_allclose(a, b, rtol=0, atol=TOLERANCE * max(1.0, float(np.abs(b).max(initial=0))))


#: Functions, and those that external wrenches act on.
CASES = [(name, False) for name in bridge.FUNCTIONS] + [("rnea", True), ("aba", True)]


@pytest.mark.parametrize(("name", "wrenches"), CASES)
@pytest.mark.parametrize("robot", ROBOT_NAMES)
def test_jacobian_agrees_with_differences(robot: str, name: str, wrenches: bool) -> None:
    case = Case(robot, name, wrenches)
    jacobian = case.made(casadi.jacobian(case.y, casadi.vertcat(*case.symbols)))
    close(np.array(jacobian(*case.x)) @ case.rate(), case.difference(case.made(case.y)))


@pytest.mark.parametrize(("name", "wrenches"), CASES)
@pytest.mark.parametrize("robot", ROBOT_NAMES)
def test_hessian_agrees_with_differences(robot: str, name: str, wrenches: bool) -> None:
    case = Case(robot, name, wrenches)
    value = casadi.dot(case.weights, case.y)
    hessian, gradient = casadi.hessian(value, casadi.vertcat(*case.symbols))
    by_jacobian = case.made(casadi.mtimes(casadi.jacobian(case.y, casadi.vertcat(*case.symbols)).T, case.weights))
    gradient = case.made(gradient)
    # The same numbers by two ways: sums of some hundred products of size 1e3 at most.
    np.testing.assert_allclose(np.array(gradient(*case.x)), np.array(by_jacobian(*case.x)), rtol=1e-10, atol=1e-9)
    matrix = np.array(case.made(hessian)(*case.x))
    close(matrix @ case.rate(), case.difference(gradient))
    close(matrix, matrix.T)


def test_value_is_the_engines_own() -> None:
    model = load("panda")
    q, v, a = model.random(seed=1), np.ones(7), np.full(7, 0.5)
    assert np.array_equal(np.array(bridge.function(model, "rnea")(q, v, a)).ravel(), model.rnea(q, v, a))


def test_sparsity_is_the_models() -> None:
    model = load("solo12")
    jacobian = bridge.function(model, "rnea").jacobian()
    expected = model.sparsity("torques").nnz
    assert expected < model.nv**2
    assert [jacobian.sparsity_out(k).nnz() for k in range(3)] == [expected] * 3
    # Legs do not move each other, and a column of the pose of a foot has no entries in the last row.
    pose = bridge.function(model, "frame_pose", frame=model.frame_names[-1]).jacobian()
    assert pose.sparsity_out(0).nnz() == 12 * 3


def test_functions_stay_alive() -> None:
    model = load("panda")
    x = casadi.MX.sym("x", 7)
    made = casadi.Function("made", [x], [bridge.function(model, "aba")(x, x, x)])
    expected = model.aba(np.ones(7), np.ones(7), np.ones(7))
    del model, x
    gc.collect()
    assert np.array_equal(np.array(made(np.ones(7))).ravel(), expected)


def test_serial_map_works() -> None:
    model = load("panda")
    q = model.random(5, seed=2)
    v = np.ones((5, 7))
    taus = np.array(bridge.function(model, "rnea").map(5)(q.T, v.T, v.T)).T
    # Many states in one call are summed in another order than one.
    np.testing.assert_allclose(taus, model.rnea(q, v, v), rtol=1e-12, atol=1e-12)


def test_errors_say_what_is_wrong() -> None:
    model = load("panda")
    with pytest.raises(ValueError, match="expected one of rnea, aba"):
        bridge.function(model, "rnee")
    with pytest.raises(ValueError, match="`frame` is needed by 'frame_pose'"):
        bridge.function(model, "frame_pose")
    with pytest.raises(ValueError, match="`frame` is not taken by 'rnea'"):
        bridge.function(model, "rnea", frame="panda_link8")


def test_ipopt_reaches_with_exact_hessians() -> None:
    """A seven-joint arm reaches a point in a second, with the least torques: 30 intervals, 434 variables."""
    model = load("panda")
    rnea, tip = bridge.function(model, "rnea"), bridge.function(model, "frame_translation", frame="panda_link8")
    intervals, step = 30, 1 / 30
    start, target = np.array([0, -0.5, 0, -2, 0, 1.5, 0.7]), np.array([0.3, 0.4, 0.5])
    q, v = (casadi.MX.sym(name, 7, intervals + 1) for name in "qv")
    cost, constraints = casadi.MX(0), [q[:, 0] - start, v[:, 0], v[:, -1], tip(q[:, -1]) - target]
    for k in range(intervals):
        a = (v[:, k + 1] - v[:, k]) / step
        cost += step * (1e-3 * casadi.sumsqr(rnea(q[:, k], v[:, k], a)) + 1e-2 * casadi.sumsqr(a))
        constraints.append(q[:, k + 1] - q[:, k] - step * v[:, k + 1])
    nlp = {"x": casadi.veccat(q, v), "f": cost, "g": casadi.vertcat(*constraints)}
    solver = casadi.nlpsol("reach", "ipopt", nlp, {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False})
    began = time.perf_counter()
    result = solver(x0=np.concatenate([np.tile(start, intervals + 1), np.zeros(7 * (intervals + 1))]), lbg=0, ubg=0)
    assert time.perf_counter() - began < 30
    stats = solver.stats()
    assert stats["return_status"] == "Solve_Succeeded"
    # Newton's method takes six steps with exact Hessians; with approximations of its own, Ipopt takes 232.
    assert stats["iter_count"] <= 12
    last = np.array(result["x"])[7 * intervals : 7 * (intervals + 1), 0]
    # Ipopt's own tolerance.
    np.testing.assert_allclose(model.frame_pose(last, "panda_link8")[:3, 3], target, atol=1e-7)


def test_ipopt_turns_a_floating_base() -> None:
    """Quaternions stay of length one where the optimizer varies a step."""
    model = load("solo12+")
    integrate, difference = (bridge.function(model, name) for name in ("integrate", "difference"))
    start, end = model.neutral(), model.integrate(model.neutral(), np.linspace(-0.8, 0.9, model.nv))
    step = casadi.MX.sym("step", model.nv)
    nlp = {"x": step, "f": casadi.sumsqr(difference(integrate(start, step), end))}
    solver = casadi.nlpsol("turn", "ipopt", nlp, {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False})
    found = np.array(solver(x0=np.zeros(model.nv))["x"]).ravel()
    assert solver.stats()["return_status"] == "Solve_Succeeded"
    # Ipopt stops at gradients of 1e-8, which are twice the distance.
    np.testing.assert_allclose(found, model.difference(start, end), rtol=0, atol=1e-7)


def test_the_example_of_the_docstring_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROBOTS.parent)
    done = doctest.testmod(bridge)
    assert done.attempted and not done.failed
