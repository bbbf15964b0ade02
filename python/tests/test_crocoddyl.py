"""A Crocoddyl user's own action model, on gradyn: it converges as theirs does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradyn

crocoddyl = pytest.importorskip("crocoddyl")
pinocchio = pytest.importorskip("pinocchio")

ROBOT = Path(__file__).resolve().parents[2] / "robots" / "panda.urdf"
NODES, DT = 30, 0.02
START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
GOAL = np.array([0.5, 0.1, -0.3, -1.5, 0.2, 1.2, 0.4])


class Dynamics(crocoddyl.DifferentialActionModelAbstract):  # type: ignore[misc]
    """Forward dynamics of gradyn, and quadratic costs of state and controls."""

    def __init__(self, state: Any, model: gradyn.Model, weights: tuple[float, float], goal: np.ndarray) -> None:
        super().__init__(state, model.nv, 0)
        self.model, self.weights, self.goal = model, weights, goal

    def calc(self, data: Any, x: np.ndarray, u: np.ndarray | None = None) -> None:
        nq = self.model.nq
        u = np.zeros(self.model.nv) if u is None else u
        data.xout = self.model.aba(x[:nq], x[nq:], u)
        error = x - self.goal
        data.cost = 0.5 * self.weights[0] * error @ error + 0.5 * self.weights[1] * u @ u

    def calcDiff(self, data: Any, x: np.ndarray, u: np.ndarray | None = None) -> None:
        nq, nv = self.model.nq, self.model.nv
        u = np.zeros(nv) if u is None else u
        by = self.model.aba_derivatives(x[:nq], x[nq:], u)
        data.Fx, data.Fu = np.hstack([by.ddq_dq, by.ddq_dv]), by.ddq_dtau
        data.Lx, data.Lu = self.weights[0] * (x - self.goal), self.weights[1] * u
        data.Lxx, data.Luu = self.weights[0] * np.eye(2 * nv), self.weights[1] * np.eye(nv)
        data.Lxu = np.zeros((2 * nv, nv))


def theirs(state: Any, weights: tuple[float, float], goal: np.ndarray) -> Any:
    actuation = crocoddyl.ActuationModelFull(state)
    costs = crocoddyl.CostModelSum(state, state.nv)
    costs.addCost("state", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelState(state, goal, state.nv)), weights[0])
    costs.addCost("control", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, state.nv)), weights[1])
    dynamics = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
    # Without this, Crocoddyl 3.2.1 over Pinocchio 4.1 leaves gravity out: its accelerations are M^-1 g from `pinocchio.aba`.
    dynamics.armature = np.zeros(state.nv)
    return dynamics


def solved(make: Any) -> Any:
    running = crocoddyl.IntegratedActionModelEuler(make((1e-2, 1e-3)), DT)
    last = crocoddyl.IntegratedActionModelEuler(make((1e2, 1e-3)), 0.0)
    problem = crocoddyl.ShootingProblem(np.r_[START, np.zeros(7)], [running] * NODES, last)
    solver = crocoddyl.SolverFDDP(problem)
    assert solver.solve([], [], 100)
    return solver


def test_an_own_action_model_converges_as_crocoddyls_does() -> None:
    robot = pinocchio.buildModelFromUrdf(str(ROBOT))
    model = gradyn.Model.from_urdf(ROBOT, joint_friction=False, joint_order="pinocchio")
    state = crocoddyl.StateMultibody(robot)
    goal = np.r_[GOAL, np.zeros(7)]
    own = solved(lambda weights: Dynamics(state, model, weights, goal))
    other = solved(lambda weights: theirs(state, weights, goal))
    assert own.iter == other.iter
    # Both stop at a gradient below 1e-9 of the same problem: costs agree to its square, and to rounding of sums.
    assert own.cost == pytest.approx(other.cost, rel=1e-9)
    # States to the square root of that, over the curvature of the cost.
    np.testing.assert_allclose(np.array(own.xs), np.array(other.xs), atol=1e-5)
