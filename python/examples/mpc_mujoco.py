"""A cart keeps its pole upright in MuJoCo, planned 500 times a second; somebody pushes the pole's tip with 0.4 N.

    pip install mujoco
    python python/examples/mpc_mujoco.py

Exit codes: 0 the pole is upright in the end and the limits were kept, 1 they were not.
"""

import sys
from pathlib import Path

import gradyn
import mujoco
import numpy as np

ROBOT = Path(__file__).resolve().parents[2] / "robots" / "cart_pole.urdf"
PERIOD, SECONDS, FORCE, RAIL = 0.002, 2.5, 12.0, 0.25


def controller() -> gradyn.Mpc:
    model = gradyn.Model.from_urdf(ROBOT, joint_friction=False)
    upright = [0.0, np.pi]
    task = gradyn.Task(
        model,
        start=upright,
        dt=0.025,
        actuation={"joints": [model.joint_names[0]], "bounds": {"lower": -FORCE, "upper": FORCE}},
    )
    task.phase("balance", nodes=40)
    task.cost("state", goal={"q": upright}, weights=[4.0, 20.0, 0.4, 1.0])
    task.cost("state", name="end", goal={"q": upright}, weights=[20.0, 100.0, 2.0, 5.0], at="last")
    task.cost("control", weight=1e-3)
    return gradyn.Mpc(task, time=1.2e-3)


def main() -> int:
    plant = mujoco.MjModel.from_xml_path(str(ROBOT))
    plant.opt.timestep = PERIOD
    data = mujoco.MjData(plant)
    data.qpos[:] = 0.0, np.pi
    pole = plant.body("pole").id
    mpc = controller()
    log = []
    for step in range(round(SECONDS / PERIOD)):
        q, v = data.qpos.copy(), data.qvel.copy()
        data.qfrc_applied[:] = mpc.feedback(q, v)[0], 0.0
        if 0.5 <= step * PERIOD < 0.6:
            push, tip = np.zeros(2), data.xpos[pole] - data.xmat[pole].reshape(3, 3)[:, 2]
            mujoco.mj_applyFT(plant, data, np.array([0.4, 0.0, 0.0]), np.zeros(3), tip, pole, push)
            data.qfrc_applied[:] += push
        mujoco.mj_step(plant, data)
        mpc.replan(q, v, PERIOD)
        log.append((q[0], q[1] - np.pi))
    cart, lean = np.abs(np.array(log)).T
    print(f"largest lean {np.degrees(lean.max()):.1f} deg, in the end {np.degrees(lean[-100:].max()):.2f}; cart {cart.max():.3f} m")
    return int(np.degrees(lean[-100:].max()) > 2.0 or cart.max() > RAIL)


if __name__ == "__main__":
    sys.exit(main())
