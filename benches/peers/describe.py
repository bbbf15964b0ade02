"""Writes a robot as the C++ programs read it, its states, and MuJoCo's model. Runs in the peers' Python.

    describe.py URDF DIRECTORY [--floating-base]

Files: robot.txt (Pinocchio's model and states), states.json (for gradyn), mujoco.mjb and mujoco.txt.
"""

import json
import re
import sys
from pathlib import Path

import numpy
import pinocchio as pin

STATES = 16


def numbers(*arrays):
    return " ".join(repr(float(x)) for array in arrays for x in numpy.asarray(array).flatten())


def pose(x):
    return numbers(x.rotation, x.translation)


def joint(model, i):
    kind = model.joints[i].shortname().replace("JointModel", "")
    axis = model.joints[i].extract().axis if "Unaligned" in kind else [0, 0, 0]
    y = model.inertias[i]
    name = model.names[i].replace(" ", "_")
    return (
        f"{name} {kind} {model.parents[i]} {numbers(axis)} {pose(model.jointPlacements[i])} "
        f"{numbers([y.mass], y.lever, y.inertia)}"
    )


def states(model):
    rng = numpy.random.default_rng(42)
    for _ in range(STATES):
        step, v, a, tau = rng.uniform(-1, 1, (4, model.nv))
        yield pin.integrate(model, pin.neutral(model), 1.5 * step), v, a, tau


def mujoco(urdf, floating, model, all_states, directory):
    """MuJoCo turns velocities of a floating base into others: there only times are compared, not torques."""
    import mujoco

    text = urdf.read_text()
    for tag in ("visual", "collision", "transmission", "gazebo", "mimic", "sensor"):
        text = re.sub(rf"<{tag}\b[^>]*/>", "", text)
        text = re.sub(rf"<{tag}\b.*?</{tag}>", "", text, flags=re.S)
    compiler = '<mujoco><compiler fusestatic="false" discardvisual="true" strippath="false"/></mujoco>'
    spec = mujoco.MjSpec.from_string(re.sub(r"(<robot\b[^>]*>)", r"\1" + compiler, text, count=1))
    if floating:
        spec.worldbody.first_body().add_freejoint()
    m = spec.compile()
    bits = mujoco.mjtDisableBit
    m.opt.disableflags |= int(bits.mjDSBL_CONTACT) | int(bits.mjDSBL_LIMIT)
    m.dof_damping[:], m.dof_frictionloss[:], m.dof_armature[:] = 0, 0, 0
    # Where a joint of this name has its coordinates.
    order_q, order_v = [], []
    for i in range(m.njnt):
        if m.jnt_type[i] == mujoco.mjtJoint.mjJNT_FREE:
            order_q += [0, 1, 2, 6, 3, 4, 5]  # w first
            order_v += range(6)
        else:
            name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, i)
            id = model.getJointId(name)
            order_q += [model.idx_qs[id]]
            order_v += [model.idx_vs[id]]
    mujoco.mj_saveModel(m, str(directory / "mujoco.mjb"), None)
    lines = [f"{len(order_q)} {len(order_v)} {len(all_states)}"]
    lines += [numbers(q[order_q], v[order_v], a[order_v]) for q, v, a, _ in all_states]
    (directory / "mujoco.txt").write_text("\n".join(lines))
    (directory / "mujoco.order").write_text(json.dumps([int(k) for k in order_v]))


def main():
    urdf, directory = Path(sys.argv[1]), Path(sys.argv[2])
    floating = "--floating-base" in sys.argv
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(urdf), *root)
    lines = [str(model.njoints - 1), *(joint(model, i) for i in range(1, model.njoints))]
    all_states = list(states(model))
    lines += [str(len(all_states)), *(numbers(*state) for state in all_states)]
    (directory / "robot.txt").write_text("\n".join(lines) + "\n")
    entries = [dict(zip(("q", "v", "a", "tau"), (x.tolist() for x in state))) for state in all_states]
    leaves = [i for i in range(1, model.njoints) if i not in list(model.parents)[1:]]
    contacts = [{"frame": model.names[i], "type": "point"} for i in leaves[:4]]
    (directory / "states.json").write_text(json.dumps({"constraints": contacts, "states": entries}))
    try:
        mujoco(urdf, floating, model, all_states, directory)
    except Exception as error:  # whatever its compiler says of this robot
        (directory / "mujoco.error").write_text(str(error))


main()
