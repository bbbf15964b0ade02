"""Writes springs.json: what MuJoCo says of a robot with springs (`tests/all/springs_mujoco.rs`).

    pip install mujoco==4.0.0
    python tests/golden/mujoco/generate.py
"""

import json
import pathlib

import mujoco
import numpy as np

# A slide, a hinge, a body with two hinges, and a hinge on a branch; springs with references, armature, damping.
ROBOT = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.3 -0.5 -9.6"/>
  <worldbody>
    <body name="cart" pos="0.1 -0.2 0.3">
      <joint name="rail" type="slide" axis="0.6 0 0.8" stiffness="35" springref="-0.2" armature="0.4" damping="0.7"/>
      <inertial pos="0.05 0.02 -0.03" mass="1.5" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
      <body name="upper" pos="0.2 0.1 0.05" quat="0.8 0 0.6 0">
        <joint name="shoulder" type="hinge" axis="0 0.8 0.6" stiffness="12" springref="0.4" damping="0.2"/>
        <inertial pos="0.1 0.03 0.2" mass="0.9" fullinertia="0.012 0.015 0.008 0.0005 0.001 -0.0004"/>
        <body name="fore" pos="0.05 -0.1 0.4">
          <joint name="wrist.0" type="hinge" axis="1 0 0" stiffness="3.5" armature="0.03"/>
          <joint name="wrist.1" type="hinge" axis="0 0.6 0.8" stiffness="7" springref="-0.9" armature="0.02" damping="0.1"/>
          <inertial pos="0.02 0.01 0.15" mass="0.5" fullinertia="0.004 0.005 0.003 0.0002 0.0001 -0.0003"/>
        </body>
        <body name="fin" pos="-0.1 0.2 0.1" quat="0.6 0.8 0 0">
          <joint name="flap" type="hinge" axis="0 0 1" stiffness="1.2" springref="1.5"/>
          <inertial pos="0 0.1 0.02" mass="0.2" fullinertia="0.001 0.0012 0.0009 0 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def main():
    model = mujoco.MjModel.from_xml_string(ROBOT)
    data = mujoco.MjData(model)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY

    def inverse(q, v, a):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    def forward(q, v, tau):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(model, data)
        return data.qacc.copy()

    def energy(q):
        data.qpos[:], data.qvel[:] = q, 0
        mujoco.mj_forward(model, data)
        return data.energy[0]

    def slope(f, x):
        """Central differences, extrapolated twice: errors of h^6 and of roundings over h."""

        def central(h):
            columns = []
            for k in range(len(x)):
                step = np.zeros(len(x))
                step[k] = h
                columns.append((f(x + step) - f(x - step)) / (2 * h))
            return np.array(columns).T

        table = [central(h) for h in (0.02, 0.01, 0.005)]
        first = [(4 * b - a) / 3 for a, b in zip(table, table[1:])]
        return (16 * first[1] - first[0]) / 15

    random = np.random.default_rng(7)
    states = []
    for _ in range(4):
        q, v, a, tau = random.uniform(-1, 1, (4, model.nv))
        states.append(
            {
                "q": q.tolist(),
                "v": v.tolist(),
                "a": a.tolist(),
                "tau": tau.tolist(),
                "potential_energy": energy(q),
                "inverse": inverse(q, v, a).tolist(),
                "inverse_dq": slope(lambda x: inverse(x, v, a), q).tolist(),
                "inverse_dv": slope(lambda x: inverse(q, x, a), v).tolist(),
                "forward": forward(q, v, tau).tolist(),
                "forward_dq": slope(lambda x: forward(x, v, tau), q).tolist(),
                "forward_dv": slope(lambda x: forward(q, x, tau), v).tolist(),
            }
        )
    to = pathlib.Path(__file__).with_name("springs.json")
    to.write_text(json.dumps({"mujoco": mujoco.__version__, "states": states}, indent=1) + "\n")


main()
