#!/usr/bin/env python3
"""Iterations of Crocoddyl 3.2.1 on several problems, as JSON: what `tests/all/crocoddyl.rs` compares with.

    python -m venv croc && croc/bin/pip install crocoddyl==3.2.1 pin==4.0.0
    croc/bin/python trajectory/tests/golden/with_crocoddyl.py trajectory/tests/golden/crocoddyl.json

The problems are those of `trajectory/problems/mod.rs`, number by number. With pin 4.1.0 Crocoddyl 3.2.1 crashes.
"""

import json
import sys
from pathlib import Path

import crocoddyl
import numpy as np
import pinocchio as pin

ROBOTS = Path(__file__).resolve().parent.parent.parent.parent / "robots"


def model_of(name, *base):
    return pin.buildModelFromUrdf(str(ROBOTS / f"{name}.urdf"), *base)


def cost(state, residual, activation=None):
    return crocoddyl.CostModelResidual(state, *([activation] if activation else []), residual)


def squared(weights):
    return crocoddyl.ActivationModelWeightedQuad(np.array(weights) ** 2)


def barrier(lower, upper):
    return crocoddyl.ActivationModelQuadraticBarrier(crocoddyl.ActivationBounds(lower, upper))


def panda_reach(most=None):
    """The arm's hand to a pose, in one second; torques within `most`, N m."""
    model = model_of("panda")
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state)
    hand = model.getFrameId("panda_link8")
    goal = pin.SE3(np.eye(3), np.array([0.4, 0.2, 0.4]))
    running, last = crocoddyl.CostModelSum(state), crocoddyl.CostModelSum(state)
    for costs, weight in ((running, 1.0), (last, 1e3)):
        costs.addCost("hand", cost(state, crocoddyl.ResidualModelFramePlacement(state, hand, goal)), weight)
        costs.addCost("state", cost(state, crocoddyl.ResidualModelState(state)), 1e-1)
    running.addCost("torque", cost(state, crocoddyl.ResidualModelControl(state)), 1e-1)
    nodes = [
        crocoddyl.IntegratedActionModelEuler(
            crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs), dt
        )
        for costs, dt in ((running, 1e-2), (last, 0.0))
    ]
    if most is not None:
        nodes[0].u_lb, nodes[0].u_ub = np.full(7, -most), np.full(7, most)
    start = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8] + [0.0] * 7)
    return crocoddyl.ShootingProblem(start, [nodes[0]] * 100, nodes[1])


class Trot:
    """`SimpleQuadrupedalGaitProblem.createTrottingProblem` of Crocoddyl's utilities, for solo12."""

    DT, STEP, HEIGHT, STEP_KNOTS, SUPPORT_KNOTS, MU = 1e-2, 0.15, 0.1, 25, 2, 0.7

    def __init__(self):
        self.model = model_of("solo12", pin.JointModelFreeFlyer())
        self.state = crocoddyl.StateMultibody(self.model)
        self.actuation = crocoddyl.ActuationModelFloatingBase(self.state)
        self.nu = self.actuation.nu
        front, hind = [0.0, 0.8, -1.6], [0.0, -0.8, 1.6]
        q = np.array([0.0, 0.0, 0.24, 0.0, 0.0, 0.0, 1.0] + 2 * front + 2 * hind)
        self.start = np.concatenate([q, np.zeros(self.model.nv)])
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, q)
        self.feet = {name: self.model.getFrameId(f"{name}_FOOT") for name in ("FL", "FR", "HL", "HR")}
        self.places = {name: data.oMf[foot].translation.copy() for name, foot in self.feet.items()}
        self.center = sum(self.places.values()) / 4
        self.center[2] = pin.centerOfMass(self.model, data, q)[2]

    def problem(self):
        names = list(self.feet)
        support = [self.node(names) for _ in range(self.SUPPORT_KNOTS)]
        nodes = support + self.step(["FR", "HL"], ["FL", "HR"], 0.5 * self.STEP)
        nodes += support + self.step(["FL", "HR"], ["FR", "HL"], self.STEP)
        return crocoddyl.ShootingProblem(self.start, nodes, support[0])

    def step(self, swing, stand, length):
        nodes, knots = [], self.STEP_KNOTS
        share = len(swing) / 4
        for k in range(knots):
            half = knots / 2
            up = k / half if k < half else 1 - (k - half) / half
            forth = length * (k + 1) / knots
            goals = {name: self.places[name] + [forth, 0.0, self.HEIGHT * up] for name in swing}
            nodes.append(self.node(stand, self.center + [forth * share, 0.0, 0.0], goals))
        nodes.append(self.landing(swing, goals))
        self.center = self.center + [length * share, 0.0, 0.0]
        for name in swing:
            self.places[name] = self.places[name] + [length, 0.0, 0.0]
        return nodes

    def node(self, stand, center=None, goals=None):
        state, nu, nv = self.state, self.nu, self.model.nv
        contacts = crocoddyl.ContactModelMultiple(state, nu)
        costs = crocoddyl.CostModelSum(state, nu)
        for name in stand:
            gains = np.array([0.0, 50.0])
            contact = crocoddyl.ContactModel3D(
                state, self.feet[name], np.zeros(3), pin.LOCAL_WORLD_ALIGNED, nu, gains
            )
            contacts.addContact(name, contact)
            cone = crocoddyl.FrictionCone(np.eye(3), self.MU, 4, False)
            residual = crocoddyl.ResidualModelContactFrictionCone(state, self.feet[name], cone, nu, True)
            costs.addCost(f"{name} cone", cost(state, residual, barrier(cone.lb, cone.ub)), 1e1)
        if center is not None:
            costs.addCost("center", cost(state, crocoddyl.ResidualModelCoMPosition(state, center, nu)), 1e6)
        for name, goal in (goals or {}).items():
            residual = crocoddyl.ResidualModelFrameTranslation(state, self.feet[name], goal, nu)
            costs.addCost(f"{name} track", cost(state, residual), 1e6)
        weights = [0.0] * 3 + [500.0] * 3 + [0.01] * (nv - 6) + [10.0] * 6 + [1.0] * (nv - 6)
        costs.addCost("state", cost(state, crocoddyl.ResidualModelState(state, self.start, nu), squared(weights)), 1e1)
        costs.addCost("control", cost(state, crocoddyl.ResidualModelControl(state, nu)), 1e-1)
        lower = np.concatenate([state.lb[1 : nv + 1], state.lb[-nv:]])
        upper = np.concatenate([state.ub[1 : nv + 1], state.ub[-nv:]])
        residual = crocoddyl.ResidualModelState(state, nu)
        costs.addCost("bounds", cost(state, residual, barrier(lower, upper)), 1e3)
        dynamics = crocoddyl.DifferentialActionModelContactFwdDynamics(
            state, self.actuation, contacts, costs, 0.0, True
        )
        return crocoddyl.IntegratedActionModelEuler(dynamics, self.DT)

    def landing(self, feet, goals):
        state, nv = self.state, self.model.nv
        impulses, costs = crocoddyl.ImpulseModelMultiple(state), crocoddyl.CostModelSum(state, 0)
        for name in feet:
            impulses.addImpulse(name, crocoddyl.ImpulseModel3D(state, self.feet[name], pin.LOCAL_WORLD_ALIGNED))
        for name, goal in goals.items():
            residual = crocoddyl.ResidualModelFrameTranslation(state, self.feet[name], goal, 0)
            costs.addCost(f"{name} track", cost(state, residual), 1e7)
        weights = [1.0] * 6 + [10.0] * (nv - 6) + [10.0] * nv
        costs.addCost("state", cost(state, crocoddyl.ResidualModelState(state, self.start, 0), squared(weights)), 1e1)
        node = crocoddyl.ActionModelImpulseFwdDynamics(state, impulses, costs)
        node.JMinvJt_damping, node.r_coeff = 1e-12, 0.0
        return node


def g1_squat():
    """Down and up on two feet that stay flat on the ground, 60 nodes."""
    model = model_of("g1", pin.JointModelFreeFlyer())
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    nu, nv = actuation.nu, model.nv
    q = pin.neutral(model)
    q[2] = 0.75
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            q[model.joints[model.getJointId(f"{side}_{joint}_joint")].idx_q] = angle
    start = np.concatenate([q, np.zeros(nv)])
    stand = pin.centerOfMass(model, model.createData(), q).copy()
    feet = [model.getFrameId(f"{side}_ankle_roll_link") for side in ("left", "right")]

    def costs_of(center, weight):
        costs = crocoddyl.CostModelSum(state, nu)
        costs.addCost("center", cost(state, crocoddyl.ResidualModelCoMPosition(state, center, nu)), weight)
        weights = [0.0] * 3 + [10.0] * 3 + [0.1] * (nv - 6) + [1.0] * nv
        residual = crocoddyl.ResidualModelState(state, start, nu)
        costs.addCost("state", cost(state, residual, squared(weights)), 1.0)
        return costs

    def node(center, dt, last=False):
        contacts = crocoddyl.ContactModelMultiple(state, nu)
        costs = costs_of(center, 1e4)
        for side, foot in zip(("left", "right"), feet):
            contact = crocoddyl.ContactModel6D(
                state, foot, pin.SE3.Identity(), pin.LOCAL_WORLD_ALIGNED, nu, np.array([0.0, 50.0])
            )
            contacts.addContact(side, contact)
            if not last:
                cone = crocoddyl.WrenchCone(np.eye(3), 0.7, np.array([0.1, 0.05]), 4, False)
                residual = crocoddyl.ResidualModelContactWrenchCone(state, foot, cone, nu, True)
                costs.addCost(f"{side} cone", cost(state, residual, barrier(cone.lb, cone.ub)), 1.0)
        if not last:
            costs.addCost("control", cost(state, crocoddyl.ResidualModelControl(state, nu)), 1e-3)
        dynamics = crocoddyl.DifferentialActionModelContactFwdDynamics(
            state, actuation, contacts, costs, 0.0, True
        )
        return crocoddyl.IntegratedActionModelEuler(dynamics, dt)

    down, up = node(stand - [0.0, 0.0, 0.15], 0.02), node(stand, 0.02)
    return crocoddyl.ShootingProblem(start, [down] * 30 + [up] * 30, node(stand, 0.0, last=True))


class Motors(crocoddyl.ActuationModelAbstract):
    """Motors at some degrees of freedom, or any constant matrix: `tau = B u`."""

    def __init__(self, state, matrix):
        super().__init__(state, matrix.shape[1])
        self.matrix = matrix

    def createData(self):
        data = crocoddyl.ActuationDataAbstract(self)
        data.dtau_du = self.matrix
        data.Mtau = np.linalg.pinv(self.matrix)
        return data

    def calc(self, data, x, u):
        data.tau = self.matrix @ u

    def calcDiff(self, data, x, u):
        pass


def free(state, actuation, costs, dt):
    dynamics = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
    return crocoddyl.IntegratedActionModelEuler(dynamics, dt)


def double_pendulum():
    """A double pendulum swings up by a motor at its shoulder alone, in three seconds."""
    model = model_of("double_pendulum")
    state = crocoddyl.StateMultibody(model)
    actuation = Motors(state, np.array([[1.0], [0.0]]))
    running, last = crocoddyl.CostModelSum(state, 1), crocoddyl.CostModelSum(state, 1)
    up = crocoddyl.ResidualModelState(state, np.array([np.pi, 0.0, 0.0, 0.0]), 1)
    weights = crocoddyl.ActivationModelWeightedQuad(np.array([0.1, 0.1, 0.01, 0.01]))
    running.addCost("calm", cost(state, up, weights), 1.0)
    running.addCost("torque", cost(state, crocoddyl.ResidualModelControl(state, 1)), 1e-2)
    last.addCost("up", cost(state, up), 1e3)
    swing = free(state, actuation, running, 0.02)
    return crocoddyl.ShootingProblem(np.zeros(4), [swing] * 150, free(state, actuation, last, 0.0))


def quadrotor():
    """A quadrotor flies through a gate that leans, and hovers behind it."""
    model = model_of("quadrotor", pin.JointModelFreeFlyer())
    state = crocoddyl.StateMultibody(model)
    rotors = ((0.18, 0.18, 0.016), (0.18, -0.18, -0.016), (-0.18, 0.18, -0.016), (-0.18, -0.18, 0.016))
    actuation = Motors(state, np.array([[0.0, 0.0, 1.0, y, -x, moment] for x, y, moment in rotors]).T)
    trunk = model.getFrameId("trunk")
    gate = pin.SE3(pin.rpy.rpyToMatrix(0.7, 0.0, 0.0), np.array([2.0, 1.0, 1.8]))
    at = lambda *place: np.array([*place, 0.0, 0.0, 0.0, 1.0] + [0.0] * 6)

    def running(gated):
        costs = crocoddyl.CostModelSum(state, 4)
        calm = crocoddyl.ActivationModelWeightedQuad(np.array([0.0] * 6 + [0.05] * 6))
        costs.addCost("calm", cost(state, crocoddyl.ResidualModelState(state, state.zero(), 4), calm), 1.0)
        costs.addCost("thrust", cost(state, crocoddyl.ResidualModelControl(state, np.full(4, 2.4525))), 0.05)
        if gated:
            weights = crocoddyl.ActivationModelWeightedQuad(np.array([100.0] * 3 + [10.0] * 3))
            residual = crocoddyl.ResidualModelFramePlacement(state, trunk, gate, 4)
            # At a single node there it is not multiplied by the step.
            costs.addCost("gate", cost(state, residual, weights), 10.0 / 0.02)
        return free(state, actuation, costs, 0.02)

    last = crocoddyl.CostModelSum(state, 4)
    last.addCost("hover", cost(state, crocoddyl.ResidualModelState(state, at(4.0, 0.0, 1.0), 4)), 100.0)
    nodes = [running(False)] * 60 + [running(True)] + [running(False)] * 59
    return crocoddyl.ShootingProblem(at(0.0, 0.0, 1.0), nodes, free(state, actuation, last, 0.0))


PROBLEMS = {
    "panda_reach": panda_reach,
    "panda_bounded": lambda: panda_reach(15.0),
    "solo12_trot": lambda: Trot().problem(),
    "g1_squat": g1_squat,
    "double_pendulum": double_pendulum,
    "quadrotor": quadrotor,
}


def guess_of(problem):
    """The start at all nodes, and no controls."""
    return [problem.x0] * (problem.T + 1), [np.zeros(model.nu) for model in problem.runningModels]


class History(crocoddyl.CallbackAbstract):
    """What each iteration did."""

    def __init__(self):
        super().__init__()
        self.iterations = []

    def __call__(self, solver):
        entry = {"cost": solver.cost, "step": solver.stepLength, "regularization": solver.preg, "expected": solver.stop}
        self.iterations.append(entry)


def solve(problem, bounded=False, iterations=100):
    # Every model has bounds there, those of the file; only one solver keeps them.
    problem.nthreads = 1
    solver, history = (crocoddyl.SolverBoxFDDP if bounded else crocoddyl.SolverFDDP)(problem), History()
    solver.th_stop = 1e-9
    solver.setCallbacks([history])
    converged = solver.solve(*guess_of(problem), iterations, False, 1e-9)
    return solver, {"converged": converged, "iterations": history.iterations}


def cones():
    """Friction cones, on slopes and with facets inside too."""
    for facets, inside, turn in ((4, False, [0.0, 0.0, 0.0]), (6, True, [0.3, -0.2, 0.5])):
        surface = pin.exp3(np.array(turn))
        cone = crocoddyl.FrictionCone(surface, 0.6, facets, inside)
        rows = cone.A.tolist()
        yield {"surface": surface.tolist(), "friction": 0.6, "facets": facets, "inside": inside, "rows": rows}


def main():
    golden = {"crocoddyl": crocoddyl.__version__, "pinocchio": pin.__version__, "friction_cones": list(cones())}
    for name in ("panda_reach", "panda_bounded", "solo12_trot", "g1_squat"):
        problem = PROBLEMS[name]()
        solver, found = solve(problem, bounded=name.endswith("bounded"))
        steps = [entry["step"] for entry in found["iterations"]]
        print(name, problem.T, "steps,", len(steps), "iterations, cost", solver.cost, found["converged"], steps)
        found["start"], found["last"] = problem.x0.tolist(), solver.xs[-1].tolist()
        golden[name] = found
    Path(sys.argv[1]).write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
