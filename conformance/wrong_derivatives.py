#!/usr/bin/env python3
"""Where Pinocchio's derivatives of inverse dynamics are wrong: against differences of its own torques, and against gradyn.

    python3 conformance/wrong_derivatives.py

The robots are those of `examples/unusual_joints.rs`, which is built and run; docs/pinocchio.md says what is to be seen.
Exit codes: 0 gradyn agrees with the differences everywhere, 1 it does not, 3 the packages cannot be had (no network).
"""

import json
import subprocess
import sys

import run

# Differences of order h⁴ at h = 1e-3 of numbers with sixteen digits: their error, relative to the largest entry.
TOLERANCE = 1e-9
WRONG = 1e-6
ELLIPSOID = (0.3, 0.2, 0.1)  # half axes, m


def joint(kind, inner):
    """Pinocchio's joint of this kind."""
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])

    def row(first, second):
        both = pin.JointModelComposite()
        both.addJoint(first, pin.SE3.Identity())
        both.addJoint(second, inner)
        return both

    return {
        "revolute": pin.JointModelRZ,
        "helical": lambda: pin.JointModelHX(0.3),
        "planar": pin.JointModelPlanar,
        "translation": pin.JointModelTranslation,
        "spherical": pin.JointModelSpherical,
        "free-flyer": pin.JointModelFreeFlyer,
        "universal": lambda: pin.JointModelUniversal(x, y),
        "spherical ZYX": pin.JointModelSphericalZYX,
        "ellipsoid": lambda: pin.JointModelEllipsoid(*ELLIPSOID),
        "composite: two prismatic": lambda: row(pin.JointModelPX(), pin.JointModelPY()),
        "composite: revolute, prismatic": lambda: row(pin.JointModelRZ(), pin.JointModelPX()),
        "composite: spherical, revolute": lambda: row(pin.JointModelSpherical(), pin.JointModelRX()),
    }[kind]()


def pose(x):
    return pin.SE3(np.array(x["rotation"]), np.array(x["translation"]))


def build(chain, kind):
    """The same robot in Pinocchio."""
    joints = [joint(kind, pose(chain["inner"])), pin.JointModelRX()]
    if not chain["at_root"]:
        joints.insert(0, pin.JointModelRY())
    model, parent = pin.Model(), 0
    for i, (own, body) in enumerate(zip(joints, chain["bodies"])):
        parent = model.addJoint(parent, own, pose(body["placement"]), f"joint{i}")
        xx, xy, xz, yy, yz, zz = body["inertia"]
        rotational = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia = pin.Inertia(body["mass"], np.array(body["com"]), rotational)
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


def slope(f):
    """df/dt at 0, by differences of fourth order."""

    def central(h):
        return (f(h) - f(-h)) / (2 * h)

    return (4 * central(1e-3) - central(2e-3)) / 3


def differences(model, data, q, v, a):
    """∂τ/∂q and ∂τ/∂v, and ∂q̈/∂q with `a` for torques, by differences of what Pinocchio computes."""
    units = np.eye(model.nv)
    by_q = [slope(lambda t: pin.rnea(model, data, pin.integrate(model, q, t * e), v, a)) for e in units]
    by_v = [slope(lambda t: pin.rnea(model, data, q, v + t * e, a)) for e in units]
    forward = [slope(lambda t: pin.aba(model, data, pin.integrate(model, q, t * e), v, a)) for e in units]
    return [np.array(columns).T for columns in (by_q, by_v, forward)]


def off(found, expected):
    """The largest deviation, relative to the largest entry (at least 1)."""
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1.0)


def compare(chain, kind, has_gradyn=True):
    """The largest deviations: Pinocchio's `C v + g` from its bias forces; its ∂q̈/∂q, ∂τ/∂q and ∂τ/∂v in motion, the latter two at
    rest, and gradyn's, from differences."""
    model = build(chain, kind)
    data = model.createData()
    coriolis, aba, q_moving, v_moving, at_rest, gradyn = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for state in chain["states"]:
        q, v, a = (np.array(state[key]) for key in ("q", "v", "a"))
        by_q, by_v, forward = differences(model, data, q, v, a)
        pin.computeRNEADerivatives(model, data, q, v, a)
        q_off, v_off = off(data.dtau_dq, by_q), off(data.dtau_dv, by_v)
        if np.any(v):
            q_moving, v_moving = max(q_moving, q_off), max(v_moving, v_off)
            pin.computeABADerivatives(model, data, q, v, a)
            aba = max(aba, off(data.ddq_dq, forward))
        else:
            at_rest = max(at_rest, q_off, v_off)
        bias = pin.nonLinearEffects(model, data, q, v).copy()
        product = pin.computeCoriolisMatrix(model, data, q, v) @ v + pin.computeGeneralizedGravity(model, data, q)
        coriolis = max(coriolis, off(product, bias))
        if has_gradyn:
            tau = pin.rnea(model, data, q, v, a)
            assert off(np.array(state["tau"]), tau) < 1e-12, f"{kind}: not the same robot"
            gradyn = max(gradyn, off(np.array(state["dtau_dq"]), by_q), off(np.array(state["dtau_dv"]), by_v))
    return (coriolis, aba, q_moving, v_moving, at_rest), gradyn


def of_frames():
    """In each reference, how far the derivatives by q of a frame's velocity and acceleration are from differences of these."""
    model = pin.buildSampleModelManipulator()
    rng = np.random.default_rng(0)
    q, frame = rng.uniform(-1, 1, model.nq), model.nframes - 1
    v, a = rng.uniform(-1, 1, (2, model.nv))

    def motion(q, reference):
        data = model.createData()
        pin.forwardKinematics(model, data, q, v, a)
        pin.updateFramePlacements(model, data)
        parts = [f(model, data, frame, reference) for f in (pin.getFrameVelocity, pin.getFrameAcceleration)]
        return np.concatenate([part.vector for part in parts])

    deviations = []
    for reference in (pin.LOCAL, pin.WORLD, pin.LOCAL_WORLD_ALIGNED):
        columns = [slope(lambda t: motion(pin.integrate(model, q, t * e), reference)) for e in np.eye(model.nv)]
        data = model.createData()
        pin.computeForwardKinematicsDerivatives(model, data, q, v, a)
        pin.updateFramePlacements(model, data)
        velocity, _ = pin.getFrameVelocityDerivatives(model, data, frame, reference)
        _, acceleration, _, _ = pin.getFrameAccelerationDerivatives(model, data, frame, reference)
        deviations.append((str(reference), off(np.concatenate([velocity, acceleration]), np.array(columns).T)))
    return deviations


def main():
    if not run.have_packages():
        run.enter_venv(__file__)
    global np, pin
    import numpy as np
    import pinocchio as pin

    command = ["cargo", "run", "--quiet", "--release", "--example", "unusual_joints", "--", "--json"]
    answer = subprocess.run(command, cwd=run.ROOT, stdout=subprocess.PIPE, check=True)
    chains = json.loads(answer.stdout)
    print(f"deviation from differences of torques, relative to the largest entry; Pinocchio {pin.__version__}, gradyn")
    print(f"{'':<32} {'at the':<7} {'Pinocchio, moving':>39} {'at rest':>9} {'gradyn':>9}")
    print(f"{'joint':<32} {'root':<7} {'C v + g':>9} {'∂q̈/∂q':>10} {'∂τ/∂q':>9} {'∂τ/∂v':>9} {'both':>9} {'both':>9}")
    wrong, failed = [], False
    for chain in chains:
        kinds = [(chain["joint"], True)]
        if chain["joint"] == "spherical ZYX":
            kinds.append(("ellipsoid", False))  # as many coordinates; gradyn has no such joint
        for kind, has_gradyn in kinds:
            pinocchio, gradyn = compare(chain, kind, has_gradyn)
            at_root = "yes" if chain["at_root"] else "no"
            last = f"{gradyn:9.1e}" if has_gradyn else f"{'–':>9}"
            numbers = " ".join(f"{x:9.1e}" for x in pinocchio)
            print(f"{kind:<32} {at_root:<7} {numbers} {last}")
            failed |= gradyn > TOLERANCE
            if max(pinocchio) > WRONG and kind not in wrong:
                wrong.append(kind)
    print(f"\nPinocchio's derivatives are wrong for: {', '.join(wrong) or 'none of these'}")
    print("\nPinocchio's derivatives by q of frames' motions, from differences of these:")
    for reference, deviation in of_frames():
        print(f"{reference:<22} {deviation:9.1e}")
    print("gradyn's torques deviate" if failed else "gradyn's are what differences of Pinocchio's torques give")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
