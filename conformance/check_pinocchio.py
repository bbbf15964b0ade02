#!/usr/bin/env python3
"""Writes what Pinocchio computes for robots with joints whose axes move with the joint's own angles, for
`cargo run --example check_other_program` to check. docs/check-pinocchio.md tells what comes out.

    pip install pin==4.1.0
    python3 conformance/check_pinocchio.py > examples/data/pinocchio.json

Each robot is a two-link arm: the joint in question, and an elbow that turns about y.
"""

import json
import sys

try:
    import numpy as np
    import pinocchio as pin
except ImportError:
    sys.exit("Pinocchio is not here: pip install pin==4.1.0")

STATES, SEED = 3, 0
JOINTS = {
    "two hinges": None,
    "universal": pin.JointModelUniversal(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])),
    "ZYX": pin.JointModelSphericalZYX(),
}


def arm(name, joint):
    model = pin.Model()
    if joint is None:
        # The same motion as the universal joint's, by two joints and a body between them that weighs next to nothing.
        first = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "gimbal_x")
        model.appendBodyToJoint(first, pin.Inertia(1e-3, np.zeros(3), 1e-6 * np.eye(3)), pin.SE3.Identity())
        shoulder = model.addJoint(first, pin.JointModelRY(), pin.SE3.Identity(), "gimbal_y")
    else:
        shoulder = model.addJoint(0, joint, pin.SE3.Identity(), "gimbal")
    upper = pin.Inertia(2.0, np.array([0.05, -0.02, -0.2]), np.diag([0.03, 0.04, 0.02]))
    model.appendBodyToJoint(shoulder, upper, pin.SE3.Identity())
    elbow = model.addJoint(shoulder, pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.4])), "elbow")
    lower = pin.Inertia(1.0, np.array([0.0, 0.0, -0.15]), np.diag([0.01, 0.01, 0.002]))
    model.appendBodyToJoint(elbow, lower, pin.SE3.Identity())
    return model


def state(model, rng):
    q, v, a = (rng.uniform(-1, 1, model.nv) for _ in range(3))
    data = model.createData()
    pin.computeRNEADerivatives(model, data, q, v, a)
    upper = pin.crba(model, model.createData(), q)
    values = {"q": q, "v": v, "a": a, "tau": pin.rnea(model, model.createData(), q, v, a)}
    values |= {"mass_matrix": np.triu(upper) + np.triu(upper, 1).T, "dtau_dq": data.dtau_dq, "dtau_dv": data.dtau_dv}
    return {key: value.tolist() for key, value in values.items()}


def main():
    robots = {}
    for name, joint in JOINTS.items():
        rng = np.random.default_rng(SEED)
        model = arm(name, joint)
        robots[name] = {"states": [state(model, rng) for _ in range(STATES)]}
    # A state a line.
    text = json.dumps({"program": f"Pinocchio {pin.__version__}", "robots": robots})
    print(text.replace('{"q"', '\n{"q"'))


if __name__ == "__main__":
    main()
