#!/usr/bin/env python3
"""An arm's reach, solved by Ipopt with generated C: `casadi.external` loads it, with exact first and second derivatives.

    cargo build --release && python examples/generated/reach.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import casadi
import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent


def library(room, gradyn=ROOT / "target/release/gradyn", functions="rnea,frame_pose"):
    """Generates and compiles functions of an arm."""
    command = [gradyn, "generate", ROOT / "robots/panda.urdf", "--function", functions, "--frame", "panda_link8"]
    command += ["--language", "c", "--derivatives", "2", "--output", Path(room) / "generated"]
    subprocess.run([str(of) for of in command], check=True, stdout=subprocess.DEVNULL)
    found = Path(room) / "panda.so"
    source = Path(room) / "generated/panda.c"
    subprocess.run(["cc", "-std=c99", "-O1", "-fPIC", "-shared", str(source), "-lm", "-o", str(found)], check=True)
    return str(found)


def reach(rnea, position, steps=20, h=0.05):
    """The hand comes to a place in a second: torques and states of all steps are variables, inverse dynamics is a constraint."""
    q0 = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    variables, constraints, start, cost = [], [], [], 0
    q, v = casadi.MX(q0), casadi.MX.zeros(7)
    for k in range(steps):
        u, q_next, v_next = casadi.MX.sym(f"u{k}", 7), casadi.MX.sym(f"q{k}", 7), casadi.MX.sym(f"v{k}", 7)
        constraints += [u - rnea(q, v, (v_next - v) / h), q_next - q - h * v_next]
        variables += [u, q_next, v_next]
        start += [np.zeros(7), q0, np.zeros(7)]
        cost += 1e-3 * casadi.sumsqr(u) + 1e-2 * casadi.sumsqr(v)
        q, v = q_next, v_next
    cost += 1e3 * casadi.sumsqr(position(q) - casadi.DM([0.5, 0.2, 0.5])) + casadi.sumsqr(v)
    problem = {"x": casadi.vertcat(*variables), "f": cost, "g": casadi.vertcat(*constraints)}
    solver = casadi.nlpsol("reach", "ipopt", problem, {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes"}})
    found = solver(x0=np.concatenate(start), lbg=0, ubg=0)
    return solver.stats()["iter_count"], float(found["f"]), solver.stats()["return_status"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as room:
        path = library(room)
        pose = casadi.external("frame_pose", path)
        iterations, cost, status = reach(casadi.external("rnea", path), lambda q: pose(q)[1])
        print(f"{status} in {iterations} iterations, cost {cost:.6g}")
        sys.exit(status != "Solve_Succeeded")
