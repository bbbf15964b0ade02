#!/usr/bin/env python3
"""Writes the reference values of this folder with Pinocchio.

    pip install pin==4.1.0
    python generate.py              # every case
    python generate.py panda ur5    # only these

Each case reads ../../robots/NAME.urdf and writes NAME.json beside this script.
README.md explains the fields and conventions. The states come from a seeded
generator, so a second run writes the same numbers (to the last bit on the same
machine and build of Pinocchio, else to rounding).

Every derivative is compared with central differences before it is written.
"""

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin

VERSION = "4.1.0"
HERE = Path(__file__).resolve().parent
ROBOTS = HERE.parent.parent / "robots"

NOTE = (
    "No joint damping, friction or armature: Pinocchio reads damping and friction from "
    "the URDF but its inverse dynamics ignores them, and they are set to zero here."
)

# name: (floating base, number of states, seed)
CASES = {
    "double_pendulum": (False, 3, 101),
    "panda": (False, 3, 102),
    "ur5": (False, 3, 103),
    "solo12": (True, 2, 104),
    "g1": (True, 2, 105),
    "continuous": (False, 3, 106),
    "planar": (False, 3, 107),
    "floating": (False, 3, 108),
    "prismatic": (False, 3, 109),
    "mimic": (False, 3, 110),
}


# --- models ------------------------------------------------------------------


def load(path, floating_base, mimic=False):
    """The model of a URDF file, without joint friction."""
    if floating_base:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer(), mimic)
    else:
        model = pin.buildModelFromUrdf(str(path), mimic)
    for parameter in (model.damping, model.friction, model.armature):
        parameter[:] = 0.0
    return model


def mimic_rules(path):
    """{joint: (joint it follows, multiplier, offset)} of a URDF file."""
    rules = {}
    for joint in ET.parse(path).getroot().iter("joint"):
        rule = joint.find("mimic")
        if rule is not None:
            multiplier = float(rule.get("multiplier", 1.0))
            offset = float(rule.get("offset", 0.0))
            rules[joint.get("name")] = (rule.get("joint"), multiplier, offset)
    return rules


class Expansion:
    """q_full = G q + b: from the free coordinates to those of the model without mimic."""

    def __init__(self, model, full, rules):
        self.full = full
        self.G = np.zeros((full.nv, model.nv))
        self.b = np.zeros(full.nv)
        for name in list(full.names)[1:]:
            row = full.joints[full.getJointId(name)].idx_v
            source, multiplier, offset = rules.get(name, (name, 1.0, 0.0))
            column = model.joints[model.getJointId(source)].idx_v
            self.G[row, column] = multiplier
            self.b[row] = offset

    def state(self, q, v, a):
        return self.G @ q + self.b, self.G @ v, self.G @ a

    def project(self, values):
        """Torques of the full model to the free coordinates: G^T tau, G^T X G."""
        return {k: self.G.T @ x if x.ndim == 1 else self.G.T @ x @ self.G for k, x in values.items()}


# --- quantities --------------------------------------------------------------


def kinematics(model, q, v, a):
    """Joint poses in the world; velocity and acceleration in the joint's own frame."""
    data = model.createData()
    pin.forwardKinematics(model, data, q, v, a)
    joints = [(name, model.getJointId(name)) for name in list(model.names)[1:]]
    return {
        "placements": {
            name: {"rotation": data.oMi[i].rotation, "translation": data.oMi[i].translation}
            for name, i in joints
        },
        "velocity": {name: data.v[i].vector for name, i in joints},
        "acceleration": {name: data.a[i].vector for name, i in joints},
    }


def symmetric(upper):
    """Pinocchio fills only the upper triangle of M."""
    return np.triu(upper) + np.triu(upper, 1).T


def forces(model, f_ext):
    """The forces by joint index; index 0 is the universe."""
    none = np.zeros(6)
    return [pin.Force(f_ext.get(name, none)) for name in model.names]


def torques(model, q, v, a, f_ext):
    data = model.createData()
    return {
        "tau": pin.rnea(model, data, q, v, a).copy(),
        "tau_f_ext": pin.rnea(model, data, q, v, a, forces(model, f_ext)).copy(),
        "mass_matrix": symmetric(pin.crba(model, data, q)),
    }


def torque_derivatives(model, q, v, a, f_ext):
    """Fresh data for each call: the outputs are not cleared by Pinocchio."""
    free, loaded = model.createData(), model.createData()
    pin.computeRNEADerivatives(model, free, q, v, a)
    pin.computeRNEADerivatives(model, loaded, q, v, a, forces(model, f_ext))
    return {"dtau_dq": free.dtau_dq, "dtau_dv": free.dtau_dv, "dtau_dq_f_ext": loaded.dtau_dq}


def configuration(model, q, q2, dq):
    """integrate(q, dq), difference(q, q2) and their derivatives in the tangent space."""
    dintegrate_dq, dintegrate_dv = pin.dIntegrate(model, q, dq)
    ddifference_dq0, ddifference_dq1 = pin.dDifference(model, q, q2)
    return {
        "integrate": pin.integrate(model, q, dq),
        "difference": pin.difference(model, q, q2),
        "dintegrate_dq": dintegrate_dq,
        "dintegrate_dv": dintegrate_dv,
        "ddifference_dq0": ddifference_dq0,
        "ddifference_dq1": ddifference_dq1,
        "interpolate_03": pin.interpolate(model, q, q2, 0.3),
    }


# --- checks ------------------------------------------------------------------


def central(f, n, h=1e-5):
    """Columns (f(+h e_k) - f(-h e_k)) / 2h."""
    return np.column_stack([(f(h * e) - f(-h * e)) / (2 * h) for e in np.eye(n)])


def close(what, x, y, tolerance):
    error = np.abs(np.asarray(x) - np.asarray(y)).max() / max(1.0, np.abs(y).max())
    if not error <= tolerance:
        sys.exit(f"{what}: off by {error:.1e}, allowed {tolerance:.0e}")


def check_derivatives(name, model, expand, s):
    """What is written agrees with central differences on the manifold."""
    n, q, q2, v, a, dq = model.nv, s["q"], s["q2"], s["v"], s["a"], s["dq"]
    full = expand.full if expand else model

    def tau(q, v, key):
        state = expand.state(q, v, a) if expand else (q, v, a)
        values = torques(full, *state, s["f_ext"])
        return (expand.project(values) if expand else values)[key]

    def move(q, d):
        return pin.integrate(model, q, d)

    def diff(x, y):
        return pin.difference(model, x, y)

    end = s["integrate"]
    pairs = {
        "dtau_dq": lambda d: tau(move(q, d), v, "tau"),
        "dtau_dv": lambda d: tau(q, v + d, "tau"),
        "dtau_dq_f_ext": lambda d: tau(move(q, d), v, "tau_f_ext"),
        "dintegrate_dq": lambda d: diff(end, move(move(q, d), dq)),
        "dintegrate_dv": lambda d: diff(end, move(q, dq + d)),
        "ddifference_dq0": lambda d: diff(move(q, d), q2),
        "ddifference_dq1": lambda d: diff(q, move(q2, d)),
    }
    for key, f in pairs.items():
        close(f"{name}: {key}", s[key], central(f, n), 1e-6)


# --- cases -------------------------------------------------------------------


def random_state(model, rng):
    n = model.nv

    def random_q():
        return pin.integrate(model, pin.neutral(model), 1.5 * rng.uniform(-1, 1, n))

    return {
        "q": random_q(),
        "v": rng.uniform(-1, 1, n),
        "a": rng.uniform(-1, 1, n),
        "f_ext": {name: rng.uniform(-1, 1, 6) for name in list(model.names)[1:]},
        "q2": random_q(),
        "dq": rng.uniform(-1, 1, n),
    }


def evaluate(name, model, expand, rng):
    s = random_state(model, rng)
    q, v, a, f_ext = s["q"], s["v"], s["a"], s["f_ext"]
    if expand is None:
        s |= kinematics(model, q, v, a)
        s |= torques(model, q, v, a, f_ext)
        s |= torque_derivatives(model, q, v, a, f_ext)
    else:
        state = expand.state(q, v, a)
        s |= kinematics(expand.full, *state)
        s |= expand.project(torques(expand.full, *state, f_ext))
        s |= expand.project(torque_derivatives(expand.full, *state, f_ext))
        for key, x in torques(model, q, v, a, f_ext).items():
            close(f"{name}: {key}, projected and by Pinocchio's mimic joints", s[key], x, 1e-13)
        for key, joints in kinematics(model, q, v, a).items():
            for joint, x in joints.items():
                parts = x if key == "placements" else {"": x}
                for part, value in parts.items():
                    expected = s[key][joint][part] if part else s[key][joint]
                    close(f"{name}: {joint} {key} {part}", expected, value, 1e-13)
    s |= configuration(model, q, s["q2"], s["dq"])
    check_derivatives(name, model, expand, s)
    return s


def describe_joints(model, rules):
    joints = []
    for i in range(1, model.njoints):
        j = model.joints[i]
        entry = {
            "name": model.names[i],
            "type": j.shortname(),
            "parent": model.names[model.parents[i]],
            "idx_q": j.idx_q,
            "nq": j.nq,
            "idx_v": j.idx_v,
            "nv": j.nv,
        }
        if model.names[i] in rules:
            entry["mimic"] = dict(zip(("joint", "multiplier", "offset"), rules[model.names[i]]))
        joints.append(entry)
    return joints


def generate(name):
    floating_base, states, seed = CASES[name]
    path = ROBOTS / f"{name}.urdf"
    rules = mimic_rules(path)
    model = load(path, floating_base, mimic=bool(rules))
    expand = None
    method = "Pinocchio's algorithms on the model"
    if rules:
        expand = Expansion(model, load(path, floating_base), rules)
        method = (
            "Computed on the model without mimic and projected: q_full = G q + b, G^T tau, "
            "G^T X G. Torques, M and kinematics agree to 1e-13 with Pinocchio's own mimic "
            "joints, for which it offers no derivatives."
        )
    rng = np.random.default_rng(seed)
    head = {
        "pinocchio": pin.__version__,
        "robot": path.name,
        "floating_base": floating_base,
        "nq": model.nq,
        "nv": model.nv,
        "gravity": model.gravity.linear,
        "note": NOTE,
        "method": method,
        "seed": seed,
        "joints": describe_joints(model, rules),
    }
    write(HERE / f"{name}.json", head, [evaluate(name, model, expand, rng) for _ in range(states)])


# --- output ------------------------------------------------------------------


def plain(x):
    """Lists, and numbers that read back to the same bits; zeros are written `0`."""
    if isinstance(x, dict):
        return {k: plain(y) for k, y in x.items()}
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, list):
        return [plain(y) for y in x]
    if isinstance(x, float):
        if not np.isfinite(x):
            sys.exit("a value is not finite")
        return int(x) if x == 0.0 else x
    return x


def write(path, head, states):
    """One field of the head per line, then one state per line."""

    def compact(x):
        return json.dumps(plain(x), separators=(",", ":"))

    lines = [f'"{key}":{compact(value)}' for key, value in head.items()]
    body = ",\n".join(compact(s) for s in states)
    path.write_text("{\n" + ",\n".join(lines) + ',\n"states":[\n' + body + "\n]}\n")
    print(f"{path.name}: nq {head['nq']}, nv {head['nv']}, {path.stat().st_size / 1024:.0f} KiB")


def main():
    if pin.__version__ != VERSION:
        sys.exit(f"these files are made with pin {VERSION}, this is {pin.__version__}")
    names = sys.argv[1:] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"unknown case {', '.join(unknown)}; known: {', '.join(CASES)}")
    for name in names:
        generate(name)


if __name__ == "__main__":
    main()
