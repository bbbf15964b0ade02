"""Writes written.json: what MuJoCo says of the files in `written/`, which gradyn wrote (`tests/all/write/mujoco.rs`).

    pip install mujoco==4.0.0
    cargo test --test all -- --ignored write_the_files_for_mujoco
    python tests/golden/mujoco/written.py

Joints that an equality makes follow others are eliminated: coordinates are those of the others.
"""

import json
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).parent


def of_file(path, seed):
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    # follower: leader, factor, offset
    rules = {
        int(model.eq_obj1id[e]): (int(model.eq_obj2id[e]), model.eq_data[e][1], model.eq_data[e][0])
        for e in range(model.neq)
    }
    is_one = [t in (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE) for t in model.jnt_type]

    def resolved(joint, factor=1.0, offset=0.0):
        if joint not in rules:
            return joint, factor, offset
        leader, k, b = rules[joint]
        return resolved(leader, factor * k, factor * b + offset)

    # qvel = lift @ v
    own = [j for j in range(model.njnt) if j not in rules]
    columns, lift = {}, np.zeros((model.nv, model.nv))
    for j in own:
        n = {0: 6, 1: 3}.get(int(model.jnt_type[j]), 1)
        for k in range(n):
            columns[(j, k)] = len(columns)
            lift[model.jnt_dofadr[j] + k, columns[(j, k)]] = 1
    for j in rules:
        leader, k, _ = resolved(j)
        lift[model.jnt_dofadr[j], columns[(leader, 0)]] = k
    lift = lift[:, : len(columns)]

    random = np.random.default_rng(seed)
    states = []
    for _ in range(3):
        qpos = random.uniform(-1, 1, model.nq)
        for j in own:
            if not is_one[j]:
                at = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 0)
                qpos[at : at + 4] /= np.linalg.norm(qpos[at : at + 4])
        for j in rules:
            leader, k, b = resolved(j)
            qpos[model.jnt_qposadr[j]] = k * qpos[model.jnt_qposadr[leader]] + b
        v, a = random.uniform(-1, 1, (2, len(columns)))
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos, lift @ v, lift @ a
        mujoco.mj_inverse(model, data)
        inverse = lift.T @ data.qfrc_inverse
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        kept = [
            model.jnt_qposadr[j] + k for j in own for k in range({0: 7, 1: 4}.get(int(model.jnt_type[j]), 1))
        ]
        states.append(
            {
                "q": qpos[kept].tolist(),
                "v": v.tolist(),
                "a": a.tolist(),
                "inverse": inverse.tolist(),
                "mass_matrix": (lift.T @ full @ lift).tolist(),
                "potential_energy": data.energy[0],
                "sites": {
                    model.site(s).name: [*data.site_xpos[s], *data.site_xmat[s]] for s in range(model.nsite)
                },
            }
        )
    return states


def main():
    files = sorted((HERE / "written").glob("*.xml"))
    content = {path.stem: of_file(path, seed) for seed, path in enumerate(files)}
    (HERE / "written.json").write_text(json.dumps(content) + "\n")


main()
