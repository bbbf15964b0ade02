#!/usr/bin/env python3
"""Counts base parameters of inertias with Pinocchio.

    pip install pin==4.1.0
    python base_parameters.py               # writes base_parameters.json: random trees, and their counts
    python base_parameters.py FILE.urdf ... # prints counts of files, fixed and with a free base, as the example base_parameters does

The count is the rank of the torque regressor over random states, its columns scaled to unit length. A tree is written only if its rank is
clear: no singular value between 1e-5 and 1e-11 of the largest.
"""

import json
import random
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

HERE = Path(__file__).resolve().parent
KINDS = ["revolute"] * 5 + ["prismatic"] * 2 + ["helical", "spherical", "zyx", "universal", "translation", "planar", "free", "fixed", "row"]
TREES = 32


def count(model, seed=1):
    """The rank, and the singular values around it."""
    if model.nv == 0:
        return 0, (0.0, 0.0)
    rng = np.random.default_rng(seed)
    data = model.createData()
    columns = 10 * (model.njoints - 1)
    states = 2 * columns // model.nv + 5
    rows = np.zeros((states * model.nv, columns))
    for k in range(states):
        q = pin.integrate(model, pin.neutral(model), 1.5 * rng.uniform(-1, 1, model.nv))
        v, a = rng.uniform(-1, 1, (2, model.nv))
        rows[k * model.nv : (k + 1) * model.nv] = pin.computeJointTorqueRegressor(model, data, q, v, a)
    lengths = np.linalg.norm(rows, axis=0)
    rows[:, lengths <= 1e-9 * lengths.max()] = 0.0
    rows /= np.where(lengths > 0, lengths, 1.0)
    values = np.linalg.svd(rows, compute_uv=False)
    values /= values[0]
    rank = int((values > 1e-10).sum())
    return rank, (values[rank - 1], values[rank] if rank < len(values) else 0.0)


def joint_model(joint):
    axes = [np.array(axis) for axis in joint["axes"]]
    match joint["kind"]:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(axes[0])
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(axes[0])
        case "helical":
            return pin.JointModelHelicalUnaligned(axes[0], joint["pitch"])
        case "spherical":
            return pin.JointModelSpherical()
        case "zyx":
            return pin.JointModelSphericalZYX()
        case "universal":
            return pin.JointModelUniversal(axes[0], axes[1])
        case "translation":
            return pin.JointModelTranslation()
        case "planar":
            return pin.JointModelPlanar()
        case "free":
            return pin.JointModelFreeFlyer()
        case "row":
            row = pin.JointModelComposite()
            row.addJoint(pin.JointModelRevoluteUnaligned(axes[0]))
            row.addJoint(pin.JointModelPrismaticUnaligned(axes[1]), placement(joint["between"]))
            return row
    raise ValueError(joint["kind"])


def placement(numbers):
    x, y, z, roll, pitch, yaw = numbers
    return pin.SE3(pin.rpy.rpyToMatrix(roll, pitch, yaw), np.array([x, y, z]))


def build(tree):
    """Pinocchio's model: what is fixed to a body moves with it and has no parameters of its own."""
    model = pin.Model()
    model.gravity = pin.Motion(np.array(tree["gravity"]), np.zeros(3))
    at = []  # of each body: its joint, and its pose there
    for i, joint in enumerate(tree["joints"]):
        parent, pose = (0, pin.SE3.Identity()) if joint["parent"] is None else at[joint["parent"]]
        pose = pose * placement(joint["placement"])
        if joint["kind"] == "fixed":
            at.append((parent, pose))
        else:
            at.append((model.addJoint(parent, joint_model(joint), pose, f"joint{i}"), pin.SE3.Identity()))
    return model


def generate(seed):
    """A random tree: axes that are parallel, at right angles or neither; places that are the same, along an axis, or anywhere."""
    rng = random.Random(seed)
    tidy = rng.random() < 0.7
    turns = [0.0, 0.0, np.pi / 2, -np.pi / 2]

    def axis():
        if tidy or rng.random() < 0.5:
            return rng.choice([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        x = np.array([rng.uniform(-1, 1) for _ in range(3)])
        return [float(c) for c in x / np.linalg.norm(x)]

    def place():
        where = [rng.choice([0.0, round(rng.uniform(-0.6, 0.6), 2)]) for _ in range(3)]
        turn = [rng.choice(turns) if tidy else rng.uniform(-3, 3) for _ in range(3)]
        return where + (turn if rng.random() < 0.6 else [0.0] * 3)

    joints = []
    for i in range(rng.randint(2, 7)):
        kind = rng.choice(KINDS)
        if i == 0:
            kind = "free" if seed % 4 == 0 else rng.choice(["revolute", "prismatic", "planar", "spherical", "universal"])
        parent = None if i == 0 else rng.randint(max(0, i - 2), i - 1)
        first, second = axis(), axis()
        if kind == "universal":
            while abs(np.dot(first, second)) > 0.99:
                second = axis()
        joints.append(
            {
                "kind": kind,
                "parent": parent,
                "placement": place(),
                "axes": [first, second],
                "pitch": round(rng.uniform(0.05, 0.4), 2),
                "between": place(),
            }
        )
    gravity = rng.choice([[0.0, 0.0, -9.81]] * 4 + [[0.0, 0.0, 0.0], [1.0, -2.0, -9.0]])
    return {"name": f"tree {seed}", "gravity": gravity, "joints": joints}


def write():
    trees, seed = [], 0
    while len(trees) < TREES:
        tree = generate(seed)
        seed += 1
        rank, (last, next_one) = count(build(tree))
        if last < 1e-5 or next_one > 1e-11:
            print(f"{tree['name']}: not clear, {last:.1e} {next_one:.1e}", file=sys.stderr)
            continue
        trees.append(tree | {"rank": rank})
    lines = ",\n".join(json.dumps(tree) for tree in trees)
    (HERE / "base_parameters.json").write_text(f"[\n{lines}\n]\n")


def files(paths):
    for path in paths:
        for base in [None, pin.JointModelFreeFlyer()]:
            model = pin.buildModelFromUrdf(path) if base is None else pin.buildModelFromUrdf(path, base)
            rank, (last, next_one) = count(model)
            print(f"{path} {'fixed' if base is None else 'free'} {rank}", flush=True)
            print(f"  {last:.1e} {next_one:.1e}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    files(sys.argv[1:]) if len(sys.argv) > 1 else write()
