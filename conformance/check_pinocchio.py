#!/usr/bin/env python3
"""Writes what Pinocchio computes for examples/gimbal/arm.urdf, for `gradyn check --against`: docs/check-pinocchio.md.

    pip install pin==4.1.0
    python3 conformance/check_pinocchio.py

Once as the file is, with two hinges in the shoulder, and once with one universal joint that moves just like them.
"""

import json
import sys
from pathlib import Path

try:
    import numpy as np
    import pinocchio as pin
except ImportError:
    sys.exit("Pinocchio is not here: pip install pin==4.1.0")

STATES, SEED = 3, 0
ARM = Path(__file__).resolve().parent.parent / "examples" / "gimbal" / "arm.urdf"
JOINTS = ["shoulder_x", "shoulder_y", "elbow"]


def with_universal_joint(hinges):
    """The same robot, its shoulder one joint: same bodies, same q and v."""
    model = pin.Model()
    _, _, upper, elbow = range(4)
    joint = pin.JointModelUniversal(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    shoulder = model.addJoint(0, joint, pin.SE3.Identity(), "shoulder")
    model.appendBodyToJoint(shoulder, hinges.inertias[upper], pin.SE3.Identity())
    last = model.addJoint(shoulder, pin.JointModelRY(), hinges.jointPlacements[elbow], "elbow")
    model.appendBodyToJoint(last, hinges.inertias[elbow], pin.SE3.Identity())
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
    hinges = pin.buildModelFromUrdf(str(ARM))
    for name, model in {"hinges": hinges, "universal": with_universal_joint(hinges)}.items():
        rng = np.random.default_rng(SEED)
        states = [state(model, rng) for _ in range(STATES)]
        answer = {"program": f"Pinocchio {pin.__version__}", "joints": JOINTS, "states": states}
        ARM.with_name(f"pinocchio_{name}.json").write_text(json.dumps(answer).replace('{"q"', '\n{"q"') + "\n")


if __name__ == "__main__":
    main()
