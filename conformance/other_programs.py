#!/usr/bin/env python3
"""Writes what MuJoCo and Pinocchio compute for a floating quadruped: data of the tests of `gradyn check --against`.

    pip install pin==4.1.0 mujoco==4.0.0
    python3 conformance/other_programs.py

MuJoCo's derivatives are forward differences, right to seven digits or so; Pinocchio's are formulas.
"""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

ROOT = Path(__file__).resolve().parent.parent
ROBOT = ROOT / "robots" / "solo12.urdf"
DATA = ROOT / "cli" / "tests" / "data"


def by_mujoco(rng):
    robot = ET.parse(ROBOT).getroot()
    for element in robot.findall("link") + robot.findall("joint"):
        for part in [part for part in element if part.tag in ("visual", "collision", "dynamics")]:
            element.remove(part)
    compiler = {"fusestatic": "false", "balanceinertia": "false", "boundmass": "0", "boundinertia": "0"}
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", compiler)
    spec = mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"))
    spec.worldbody.first_body().add_freejoint(name="root_joint")
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model = spec.compile()
    data = mujoco.MjData(model)
    q, v, a = (rng.uniform(-1, 1, n) for n in (model.nq, model.nv, model.nv))
    q[3:7] /= np.linalg.norm(q[3:7])
    data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
    mujoco.mj_inverse(model, data)
    state = {"q": q, "v": v, "a": a, "tau": data.qfrc_inverse.copy()}
    mass_matrix, dq, dv, da = (np.zeros((model.nv, model.nv)) for _ in range(4))
    mujoco.mj_fullM(model, data, mass_matrix)
    mujoco.mjd_inverseFD(model, data, 1e-6, False, dq, dv, da, None, None, None, None)
    # These come transposed.
    state |= {"mass_matrix": mass_matrix, "dtau_dq": dq.T, "dtau_dv": dv.T, "dtau_da": da.T}
    joints = [model.joint(k).name for k in range(model.njnt)]
    state = {key: value.tolist() for key, value in state.items()}
    answer = {"program": f"MuJoCo {mujoco.__version__}", "joints": joints, "states": [state]}
    (DATA / "mujoco_solo12.json").write_text(json.dumps(answer) + "\n")


def by_pinocchio(rng, states=2):
    model = pin.buildModelFromUrdf(str(ROBOT), pin.JointModelFreeFlyer())
    data = model.createData()
    arrays = {key: [] for key in ("q", "v", "a", "tau", "mass_matrix", "dtau_dq", "dtau_dv")}
    for _ in range(states):
        q = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
        v, a = rng.uniform(-1, 1, model.nv), rng.uniform(-1, 1, model.nv)
        pin.computeRNEADerivatives(model, data, q, v, a)
        upper = pin.crba(model, model.createData(), q)
        values = [q, v, a, data.tau, np.triu(upper) + np.triu(upper, 1).T, data.dtau_dq, data.dtau_dv]
        for list_, value in zip(arrays.values(), values, strict=True):
            list_.append(value.copy())
    arrays = {key: np.array(value) for key, value in arrays.items()}
    names = np.array(list(model.names)[1:])
    np.savez(DATA / "pinocchio_solo12.npz", joints=names, **arrays)
    # A single state, packed, its matrices as Fortran has them, without names.
    single = {key: np.asfortranarray(value[0]) for key, value in arrays.items()}
    np.savez_compressed(DATA / "pinocchio_solo12_single.npz", **single)


if __name__ == "__main__":
    by_mujoco(np.random.default_rng(0))
    by_pinocchio(np.random.default_rng(1))
