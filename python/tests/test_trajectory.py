"""Trajectories: task files, tasks built in Python, residuals of one's own, what a solver tells and gives."""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradyn
from gradyn import trajectory

ROOT = Path(__file__).resolve().parents[2]
TASKS = sorted((ROOT / "examples" / "tasks").glob("*.toml"))
GOAL = {"xyz": [0.4, 0.3, 0.4], "rpy": [3.14159, 0.0, 0.5]}
Q0 = [0.0, -0.3, 0.0, -1.8, 0.0, 1.5, 0.7]


def path(name: str) -> Path:
    return ROOT / "examples" / "tasks" / f"{name}.toml"


def robot(name: str, **options: Any) -> gradyn.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.RobotWarning)
        return gradyn.Model.from_urdf(ROOT / "robots" / f"{name}.urdf", **options)


@pytest.fixture(scope="module")
def panda() -> gradyn.Model:
    return robot("panda")


@pytest.fixture(scope="module")
def jump() -> gradyn.Solution:
    return gradyn.optimize(path("solo12_jump"))


# Task files.


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.stem)
def test_a_task_file_is_solved_as_by_the_command(task: Path, tmp_path: Path) -> None:
    solution = gradyn.optimize(task)
    if task.stem == "arm_too_fast":
        # As the command's own tests expect of it.
        assert solution.status == "infeasible"
        assert not solution
        assert "`hand` of phase `end`" in solution.message
    else:
        assert solution.status == "converged", solution.message
        assert solution
    n = len(solution.time) - 1
    assert solution.q.shape[0] == solution.v.shape[0] == n + 1
    assert solution.u.shape == (n, len(solution.controls))
    assert solution.tau.shape == (n, solution.v.shape[1])
    assert len(solution.phases) == n + 1
    assert solution.phases[-1] == "end"
    # Costs are the cost's parts: a sum of a few numbers.
    assert sum(solution.costs.values()) == pytest.approx(solution.cost, rel=1e-12)
    command = os.environ.get("GRADYN_COMMAND")
    if command:
        subprocess.run([command, "optimize", str(task), "--output", str(tmp_path)], check=False, capture_output=True)
        by_command = json.loads((tmp_path / "trajectory.json").read_text())
        ours = json.loads(solution.json)
        # But for the clock, and for warnings that name an option of the command.
        other = {"seconds": 0, "warnings": 0}
        assert {**ours, **other} == {**by_command, **other}


def test_numbers_are_those_that_can_be_known() -> None:
    # Closed form, in the file: M = A B / (B² + w). To the solver's tolerance of 1e-8, on a curvature of order one.
    solution = gradyn.optimize(path("pendulum_counterweight"))
    assert solution.parameters["counterweight"][0] == pytest.approx(2.4440, abs=5e-5)
    # As the command's tests have it: it lasts between 0.6 s and 0.75 s, and times follow.
    hurry = gradyn.optimize(path("arm_in_a_hurry"))
    (seconds,) = hurry.durations.values()
    assert 0.6 <= seconds < 0.75
    np.testing.assert_allclose(hurry.time, np.linspace(0, seconds, len(hurry.time)), atol=1e-14)
    # Limits of a file hold, to the solver's tolerance.
    limits = gradyn.optimize(path("quadrotor_limits"))
    assert limits.violation < 1e-8


def test_files_that_are_wrong_say_where(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    text = path("arm_reach").read_text()
    wrong.write_text(text.replace("[steps]", "[stepz]"))
    with pytest.raises(gradyn.FileError, match="stepz") as found:
        gradyn.optimize(wrong)
    assert found.value.path == str(wrong)
    assert found.value.line
    with pytest.raises(gradyn.FileError, match="nowhere"):
        gradyn.optimize(tmp_path / "nowhere.toml")


# Tasks in Python.


def reach(model: gradyn.Model) -> gradyn.Task:
    task = gradyn.Task(model, start=Q0, dt=0.02, name="reach")
    task.phase("reach", nodes=25)
    task.cost("frame-placement", frame="panda_link8", goal=GOAL, weight=100.0, at="last")
    task.cost("state", weight=1e-2)
    return task.cost("control", weight=1e-3)


REACH = f"""
name = "reach"
robot = {{ file = "{(ROOT / "robots" / "panda.urdf").as_posix()}", joint_friction = true }}
start = {{ q = {Q0} }}
steps = {{ dt = 0.02, scheme = "semi-implicit-euler" }}
[[phases]]
name = "reach"
nodes = 25
[[costs]]
kind = "frame-placement"
frame = "panda_link8"
goal = {{ xyz = [0.4, 0.3, 0.4], rpy = [3.14159, 0.0, 0.5] }}
weight = 100.0
at = "last"
[[costs]]
kind = "state"
weight = 1e-2
[[costs]]
kind = "control"
weight = 1e-3
"""


def same(one: gradyn.Solution, other: gradyn.Solution) -> None:
    for name in ("time", "q", "v", "u", "tau"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.cost == other.cost
    assert one.costs == other.costs
    assert one.iterations == other.iterations
    assert one.phases == other.phases


def test_a_task_built_in_python_is_the_same_as_its_file(panda: gradyn.Model, tmp_path: Path) -> None:
    file = tmp_path / "reach.toml"
    file.write_text(REACH)
    built = reach(panda)
    same(built.solve(), gradyn.optimize(file))
    same(gradyn.optimize(built), gradyn.optimize(file))
    # What it is written as is read again.
    file_of_robot = f'file = "{ROOT / "robots" / "panda.urdf"}", joint_friction = true'
    (tmp_path / "again.toml").write_text(built.to_toml().replace('file = "panda"', file_of_robot))
    same(gradyn.optimize(tmp_path / "again.toml"), gradyn.optimize(file))


def test_a_quadruped_built_in_python_is_the_same_as_its_file() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")
    document = tomllib.loads(path("solo12_jump").read_text())
    given = document.pop("robot")
    model = robot(Path(given["file"]).stem, floating_base=given.get("floating_base", False))
    model = model.with_joint_friction(given.get("joint_friction", True))
    if "armature" in given:
        pytest.fail("the file has an armature that this test must give the robot")
    start, steps = document.pop("start", {}), document.pop("steps")
    phases, costs, constraints = (document.pop(key, []) for key in ("phases", "costs", "constraints"))
    solver = document.pop("solver", {})
    task = gradyn.Task(model, start=start.get("q"), v=start.get("v"), **steps, **document)
    for phase in phases:
        task.phase(**phase)
    for cost in costs:
        task.cost(**cost)
    for constraint in constraints:
        task.constraint(**constraint)
    same(task.solve(solver.pop("name", None), **solver), gradyn.optimize(path("solo12_jump")))


def test_solver_options_are_of_one_call(panda: gradyn.Model) -> None:
    task = reach(panda)
    before = task.to_toml()
    few = task.solve(iterations=2)
    assert (few.iterations, few.status) == (2, "iteration-limit")
    assert task.to_toml() == before
    newton = task.solve("newton")
    assert newton.converged
    # The same minimum by another solver: costs agree to the square of how far each may be from it.
    assert newton.cost == pytest.approx(task.solve().cost, rel=1e-7)
    same(task.solve(threads=2), task.solve())
    with pytest.raises(gradyn.FileError, match="iterationz"):
        task.solve(iterationz=3)
    with pytest.raises(gradyn.FileError, match="sqp"):
        task.solve("sqp")


def test_a_pose_may_be_a_matrix(panda: gradyn.Model) -> None:
    pose = panda.frame_pose(Q0, "panda_link8")
    task = gradyn.Task(panda, start=Q0, dt=0.02)
    task.phase("stay", nodes=2).cost("frame-placement", frame="panda_link8", goal=pose, at="last", name="pose")
    task.cost("control", weight=1e-9)
    # Where it is at the start, up to what two steps of gravity's compensation move.
    value = gradyn.Task.solve(task, iterations=1).costs["pose"]
    assert value < 1e-6
    for q in panda.random(5, seed=2):
        made = trajectory._pose(panda.frame_pose(q, "panda_link8"))
        roll, pitch, yaw = made["rpy"]
        c, s = np.cos, np.sin
        x = np.array([[1, 0, 0], [0, c(roll), -s(roll)], [0, s(roll), c(roll)]])
        y = np.array([[c(pitch), 0, s(pitch)], [0, 1, 0], [-s(pitch), 0, c(pitch)]])
        z = np.array([[c(yaw), -s(yaw), 0], [s(yaw), c(yaw), 0], [0, 0, 1]])
        np.testing.assert_allclose(z @ y @ x, panda.frame_pose(q, "panda_link8")[:3, :3], atol=1e-14)


# Residuals of one's own.


def hand(model: gradyn.Model) -> tuple[Any, Any]:
    goal = np.array(GOAL["xyz"])

    def value(q: Any) -> Any:
        return model.frame_pose(q, "panda_link8")[:3, 3] - goal

    def jacobian(q: Any) -> Any:
        return model.frame_jacobian(q, "panda_link8", reference="local-world-aligned")[:3]

    return value, jacobian


def with_hand(model: gradyn.Model, residual: Any, **keys: Any) -> gradyn.Task:
    task = gradyn.Task(model, start=Q0, dt=0.02)
    task.phase("reach", nodes=25)
    task.cost(residual, name="hand", weight=100.0, at="last", **keys)
    task.cost("state", weight=1e-2)
    return task.cost("control", weight=1e-3)


def test_an_own_residual_leads_to_the_built_in_ones_solution(panda: gradyn.Model) -> None:
    value, jacobian = hand(panda)
    built_in = with_hand(panda, "frame-translation", frame="panda_link8", goal=GOAL["xyz"]).solve()
    given = with_hand(panda, gradyn.Residual(value, 3, jacobian=jacobian)).solve()
    assert given.converged
    # Gauss-Newton both: the same steps, up to rounding on the way.
    assert given.iterations == built_in.iterations
    np.testing.assert_allclose(given.q, built_in.q, atol=1e-8)
    assert given.cost == pytest.approx(built_in.cost, rel=1e-10)
    # A tuple of one is the same.
    same(with_hand(panda, gradyn.Residual(value, 3, jacobian=lambda q: (jacobian(q),))).solve(), given)
    # Differences are right to 1e-10 of the entries, and a minimum moves by no more than that.
    by_differences = with_hand(panda, gradyn.Residual(value, 3)).solve()
    assert by_differences.converged
    np.testing.assert_allclose(by_differences.q, built_in.q, atol=1e-6)


def test_an_own_constraint_leads_to_the_built_in_ones_solution(panda: gradyn.Model) -> None:
    value, jacobian = hand(panda)

    def task(kind: Any, **keys: Any) -> gradyn.Task:
        made = gradyn.Task(panda, start=Q0, dt=0.02)
        made.phase("reach", nodes=15).cost("state", weight=1e-2).cost("control", weight=1e-3)
        return made.constraint(kind, name="hand", at="last", **keys)

    built_in = task("frame-translation", frame="panda_link8", equal=GOAL["xyz"]).solve()
    own = task(gradyn.Residual(value, 3, jacobian=jacobian), equal=[0.0, 0.0, 0.0]).solve()
    assert built_in.converged
    assert own.converged
    assert own.violation < 1e-7
    # Both have a KKT residual of at most 1e-8, and curvatures of 1e-3 at least.
    np.testing.assert_allclose(own.q, built_in.q, atol=1e-4)
    assert own.cost == pytest.approx(built_in.cost, rel=1e-6)


def test_an_own_residual_of_several_arguments(panda: gradyn.Model) -> None:
    def power(v: Any, u: Any, time: float) -> Any:
        return v * u * (1.0 + time)

    def by(v: Any, u: Any, time: float) -> Any:
        return np.diag(u * (1.0 + time)), np.diag(v * (1.0 + time))

    solutions = []
    for residual in (gradyn.Residual(power, 7, jacobian=by), gradyn.Residual(power, 7)):
        task = reach(panda).cost(residual, name="power", weight=1e-2)
        assert all(task.check_residuals().values())
        solutions.append(task.solve())
        assert solutions[-1].converged
        assert solutions[-1].costs["power"] > 0
    np.testing.assert_allclose(solutions[0].q, solutions[1].q, atol=1e-6)


def test_differences_of_own_residuals_are_along_configurations() -> None:
    solo = robot("solo12", floating_base=True)

    def height(q: Any) -> Any:
        return [solo.frame_pose(q, "FL_FOOT")[2, 3]]

    def by(q: Any) -> Any:
        return solo.frame_jacobian(q, "FL_FOOT", reference="local-world-aligned")[2:3]

    residual = gradyn.Residual(height, 1)
    task = gradyn.Task(solo, dt=0.01).phase("one", nodes=1).cost(residual, name="height")
    assert residual.model is solo
    q = solo.random(seed=4)
    # Central differences: rounding of 1e-16 by steps of 6e-6, and their square.
    np.testing.assert_allclose(residual.jacobian(q)[0], by(q), atol=1e-9)
    assert all(task.check_residuals({"q": q}).values())


def test_a_wrong_jacobian_of_a_residual_is_found(panda: gradyn.Model) -> None:
    value, jacobian = hand(panda)
    task = with_hand(panda, gradyn.Residual(value, 3, jacobian=lambda q: -jacobian(q)))
    (report,) = task.check_residuals().values()
    assert report.disagrees
    with pytest.raises(ValueError, match="no argument 'w'"):
        task.check_residuals({"w": [1.0]})
    with pytest.raises(TypeError, match="gives 2, expected 1 matrices: by q"):
        gradyn.Residual(value, 3, jacobian=lambda q: (1, 2)).jacobian(np.zeros(7))
    two = gradyn.Residual(lambda q, v: q, 7, jacobian=lambda q, v: np.eye(7))
    with pytest.raises(TypeError, match="gives one ndarray, expected 2 matrices: by q, v"):
        two.jacobian(np.zeros(7), np.zeros(7))


def test_residuals_that_make_no_sense_are_refused(panda: gradyn.Model) -> None:
    with pytest.raises(TypeError, match="no argument 'x'"):
        gradyn.Residual(lambda x: x, 1)
    with pytest.raises(ValueError, match="`rows` is 0"):
        gradyn.Residual(lambda q: q, 0)
    with pytest.raises(TypeError, match="residual 'hand': 7 numbers, expected 3"):
        with_hand(panda, gradyn.Residual(lambda q: q, 3, jacobian=lambda q: np.eye(7))).solve()
    with pytest.raises(ValueError, match="reshape"):
        with_hand(panda, gradyn.Residual(lambda q: q[:3], 3, jacobian=lambda q: np.eye(7))).solve()


class Odd(Exception):
    pass


def test_what_a_residual_raises_is_raised(panda: gradyn.Model) -> None:
    calls = []

    def fails(q: Any) -> Any:
        calls.append(1)
        if len(calls) > 30:
            raise Odd("no more")
        return q[:1]

    with pytest.raises(Odd, match="no more"):
        with_hand(panda, gradyn.Residual(fails, 1)).solve()

    def interrupted(q: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        with_hand(panda, gradyn.Residual(interrupted, 1)).solve()


def test_a_jacobian_made_by_jax(panda: gradyn.Model) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with jax.enable_x64(True):

        def bend(q: Any) -> Any:
            return jax.numpy.stack([jax.numpy.sin(q[1]) * q[3], jax.numpy.cos(q[0] + q[2])])

        by = jax.jit(jax.jacobian(bend))
        solutions = []
        for residual in (gradyn.Residual(jax.jit(bend), 2, jacobian=by), gradyn.Residual(lambda q: np.asarray(bend(q)), 2)):
            task = with_hand(panda, residual)
            assert all(task.check_residuals().values())
            solutions.append(task.solve())
            assert solutions[-1].converged
        np.testing.assert_allclose(solutions[0].q, solutions[1].q, atol=1e-6)


# What a solver tells.


def test_a_callback_sees_each_iteration_and_may_stop(panda: gradyn.Model) -> None:
    seen: list[dict[str, Any]] = []
    solution = reach(panda).solve(callback=seen.append)
    assert solution.converged
    assert len(seen) >= solution.iterations
    assert [of["iteration"] for of in seen] == sorted(of["iteration"] for of in seen)
    assert {"iteration", "cost", "gap", "violation", "step", "accepted"} <= set(seen[0])
    assert len(solution.history["cost"]) >= solution.iterations
    # A history of costs ends where the solution is.
    assert solution.history["cost"][-1] == pytest.approx(solution.cost, rel=1e-6)

    def stop(of: dict[str, Any]) -> None:
        if of["iteration"] >= 2:
            raise StopIteration

    stopped = reach(panda).solve(callback=stop)
    assert stopped.status == "stopped"
    assert stopped.iterations <= 3
    assert not stopped

    for kind in (Odd, KeyboardInterrupt):

        def fails(of: dict[str, Any], kind: type[BaseException] = kind) -> None:
            raise kind("in a callback")

        with pytest.raises(kind, match="in a callback"):
            reach(panda).solve(callback=fails)
        with pytest.raises(kind, match="in a callback"):
            gradyn.optimize(path("arm_reach"), callback=fails)


def test_a_solution_is_where_another_begins(panda: gradyn.Model) -> None:
    task = reach(panda)
    for solver in ("newton", "proximal", "fddp"):
        first = task.solve(solver)
        again = task.solve(solver, guess=first)
        assert again.converged
        # From its own solution a solver has nothing left to do; "fddp" has no multipliers and looks twice.
        assert again.iterations <= (2 if solver == "fddp" else 1)
        # An expected decrease of less than 1e-9 is where "fddp" ends.
        assert again.cost == pytest.approx(first.cost, abs=2e-9)
    assert "guess" not in task.document
    near = gradyn.Task(panda, start=np.array(Q0) + 0.01, dt=0.02, name="reach")
    near.document.update(phases=task.document["phases"], costs=task.document["costs"])
    assert near.solve("newton", guess=first).iterations <= near.solve("newton").iterations
    # The table of a task does too, and several.
    assert task.solve("newton", guess={"states": "drawn", "to": Q0, "seed": 1, "width": 0.1}).converged


def test_refining_splits_steps() -> None:
    plain = gradyn.optimize(path("double_pendulum_swing_up"))
    finer = gradyn.optimize(path("double_pendulum_swing_up"), refine=True)
    assert finer.converged
    assert len(finer.time) >= len(plain.time)
    assert finer.time[-1] == pytest.approx(plain.time[-1], abs=1e-12)


# What a solution has.


def test_forces_of_a_quadruped_hold_it(jump: gradyn.Solution) -> None:
    assert set(jump.forces) == {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}
    solo = robot("solo12", floating_base=True)
    seen = set()
    for k, phase in enumerate(jump.phases[:-1]):
        forces = np.array([force[k] for force in jump.forces.values()])
        held = ~np.isnan(forces).any(axis=1)
        seen.add((phase, int(held.sum())))
        # In the air there is none, and no number stands for it.
        assert np.isnan(forces[~held]).all()
        if not held.all() or "impact" in phase:
            continue
        # Newton's law of the whole: forces and weight accelerate the center of mass, between this velocity and the next one.
        q, v, dt = jump.q[k], jump.v[k], jump.time[k + 1] - jump.time[k]
        a = (jump.v[k + 1] - v) / dt
        com = solo.center_of_mass(q, v, a)
        expected = solo.mass * (com.acceleration - np.array([0.0, 0.0, -9.81]))
        # Rounding of forces of some 10 N, and of differences of velocities by steps of 0.01 s.
        np.testing.assert_allclose(forces.sum(axis=0), expected, atol=1e-6)
    assert {count for _, count in seen} >= {0, 4}


def test_gains_are_a_feedback_of_each_step(panda: gradyn.Model) -> None:
    solution = reach(panda).solve("fddp")
    assert len(solution.gains) == len(solution.u)
    assert solution.gains[0].shape == (7, 14)


def test_files_of_a_solution_have_its_numbers(jump: gradyn.Solution, tmp_path: Path) -> None:
    jump.to_npz(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as arrays:
        for name in ("time", "q", "v", "tau"):
            np.testing.assert_array_equal(arrays[name], getattr(jump, name))
        known = ~np.isnan(jump.forces["FL_FOOT"])
        np.testing.assert_array_equal(arrays["force.FL_FOOT"][known], jump.forces["FL_FOOT"][known])
    jump.to_json(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text())["q"] == jump.q.tolist()
    jump.to_csv(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert len(lines) == len(jump.time) + 1
    jump.report(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert page.startswith("<!doctype html>") or page.lower().startswith("<!doctype html>")
    # It needs no network.
    assert 'src="http' not in page
    assert repr(jump).startswith("<gradyn.Solution 'solo12")


def test_a_solution_is_plotted(jump: gradyn.Solution, panda: gradyn.Model) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for solution, rows in ((jump, 4), (reach(panda).solve(), 3)):
        figure = solution.plot()
        assert len(figure.axes) == rows
        assert len(figure.axes[0].lines) >= solution.q.shape[1]
        assert figure.axes[-1].get_xlabel() == "time, s"
        figure.canvas.draw()
        pyplot.close(figure)
    figure, axes = pyplot.subplots(3, 1)
    assert reach(panda).solve().plot(axes) is figure
    pyplot.close(figure)


# Along a trajectory.


def test_a_trajectory_is_differentiated_by_parameters(panda: gradyn.Model) -> None:
    solution = reach(panda).solve()
    names = ["panda_link7.mass", "panda_link4.mass"]
    run = solution.sensitivity(names)
    n = len(solution.time) - 1
    assert run.by_parameters.shape == (n + 1, 14, 2)
    assert run.by_start.shape == (n + 1, 14, 14)
    # The solver's trajectory, simulated: gaps of 1e-9 grow little in half a second.
    np.testing.assert_allclose(run.q, solution.q, atol=1e-6)
    for k, name in enumerate(names):
        ends = []
        for h in (1e-5, -1e-5):
            model = panda.with_parameters({name: panda.parameters[name] + h})
            q, v = solution.q[0], solution.v[0]
            for u, dt in zip(solution.u, np.diff(solution.time), strict=True):
                v = v + dt * model.aba(q, v, u)
                q = model.integrate(q, dt * v)
            ends.append(np.concatenate([q, v]))
        # Central differences of step 1e-5: 1e-10 of curvature, and rounding of 1e-13 by 1e-5.
        np.testing.assert_allclose(run.by_parameters[-1, :, k], (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-6)
    (detached,) = gradyn.optimize_many([reach(panda)])
    with pytest.raises(ValueError, match="ask where the task was solved"):
        detached.sensitivity(names)
