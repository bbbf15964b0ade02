#!/usr/bin/env python3
"""A cart balances its pole in MuJoCo, by a program of gradyn that gets measurements and gives forces. README.md says how it works.

    python3 examples/mpc/run.py             # four seconds with a kick, and what came of it
    python3 examples/mpc/run.py --kick 0.8  # one that is too hard, N
    python3 examples/mpc/run.py --realtime  # the plant does not wait for the program

Exit codes: 0 it stays upright within its limits, 1 it does not, 2 bad usage, 3 MuJoCo cannot be had (no network).
"""

import argparse
import math
import os
import subprocess
import sys
import venv
from pathlib import Path

MUJOCO = "4.0.0"
ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / "target" / "mpc-venv"
NO_PACKAGES = 3

PERIOD = 0.002  # s, between measurements
SUBSTEPS = 4  # of MuJoCo in one of them
KICK = (0.5, 0.6)  # s, from when to when somebody pushes the tip of the pole
FORCE, RAIL = 12.0, 0.25  # what planner.rs has to keep, N and m
UPRIGHT = math.radians(2.0)  # the pole's lean in the last half second, at most: a fifth of what the push does
NOISE = (1e-4, 2e-4, 2e-3, 5e-3)  # standard deviations of x, theta and their rates
# The plant is not the model: a pole that is heavier by a tenth, and friction that nobody told the planner of.
HEAVIER, DAMPING = 1.1, (0.2, 0.005)


def enter_venv():
    """Starts the script again in an environment of its own, made on first use."""
    python = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
    if Path(sys.prefix).resolve() == VENV.resolve():
        sys.exit(f"{VENV} does not hold mujoco {MUJOCO}: remove it and try again")
    done = VENV / f"mujoco-{MUJOCO}"
    if not done.exists():
        print(f"making {VENV.relative_to(ROOT)}", flush=True)
        try:
            venv.create(VENV, with_pip=True, clear=True)
            pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            subprocess.run([*pip, "--timeout", "10", "--retries", "1", f"mujoco=={MUJOCO}"], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"not run: cannot install mujoco: {error}", file=sys.stderr)
            sys.exit(NO_PACKAGES)
        done.touch()
    sys.exit(subprocess.run([python, __file__, *sys.argv[1:]]).returncode)


try:
    import mujoco
    import numpy as np
except ImportError:
    if __name__ == "__main__":
        enter_venv()


def plant():
    """The robot's own file, with what the planner does not know."""
    model = mujoco.MjModel.from_xml_path(str(ROOT / "robots" / "cart_pole.urdf"))
    pole = model.body("pole").id
    model.body_mass[pole] *= HEAVIER
    model.body_inertia[pole] *= HEAVIER
    model.dof_damping[:] = DAMPING
    model.opt.timestep = PERIOD / SUBSTEPS
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    data.qpos[:] = (0.0, math.pi)
    mujoco.mj_forward(model, data)
    return model, data


def planner(profile):
    """The program, built and started."""
    build = ["cargo", "build", "--quiet", "--example", "mpc"] + (["--release"] if profile == "release" else [])
    subprocess.run(build, cwd=ROOT, check=True)
    program = ROOT / "target" / profile / "examples" / "mpc"
    return subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def answer(process, word):
    line = process.stdout.readline().split()
    if not line or line[0] != word:
        sys.exit(f"the program ended: exit code {process.wait()}")
    return line[1:]


def run(args):
    model, data = plant()
    process = planner(args.profile)
    noise = np.random.default_rng(0)
    pole = model.body("pole").id
    log = []
    force, ready = 0.0, 0  # the period that the program is ready in
    for step in range(round(args.seconds / PERIOD)):
        time = step * PERIOD
        late = step < ready
        measured = np.concatenate([data.qpos, data.qvel]) + noise.normal(0.0, NOISE)
        if not late:
            process.stdin.write(" ".join(map(repr, [time, *measured.tolist()])) + "\n")
            force, micros = map(float, answer(process, "u"))
        data.qfrc_applied[0] = force
        for _ in range(SUBSTEPS):
            data.qfrc_applied[1] = 0.0
            if KICK[0] <= time < KICK[1]:
                tip = data.xpos[pole] + data.xmat[pole].reshape(3, 3) @ (0.0, 0.0, -1.0)
                push = np.zeros(model.nv)
                mujoco.mj_applyFT(model, data, np.array([args.kick, 0.0, 0.0]), np.zeros(3), tip, pole, push)
                data.qfrc_applied[:] = push + (force, 0.0)
            mujoco.mj_step(model, data)
        if not late:
            status, millis = answer(process, "ready")
            millis = float(millis)
            # The plant waits for the program, or holds the last force until it is ready.
            ready = step + (max(1, math.ceil(millis / (1e3 * PERIOD))) if args.realtime else 1)
        log.append((time, data.qpos[0], data.qpos[1] - math.pi, force, micros, millis, status, late))
    process.stdin.close()
    process.wait()
    return log


def report(log):
    time, cart, lean, force, micros, millis = (np.array([row[k] for row in log]) for k in range(6))
    fresh = np.array([not row[7] for row in log])
    statuses = [row[6] for row in log if not row[7]]
    micros, millis = micros[fresh], millis[fresh]
    end = np.abs(lean[time >= time[-1] - 0.5]).max()
    print(f"{len(log)} periods, {len(statuses)} plans: " + ", ".join(f"{statuses.count(s)} {s}" for s in sorted(set(statuses))))
    print(f"feedback        median {np.median(micros):8.1f} us   99 % {np.quantile(micros, 0.99):8.1f} us")
    print(f"rest of a cycle median {np.median(millis):8.3f} ms   99 % {np.quantile(millis, 0.99):8.3f} ms, "
          f"{(millis > 1e3 * PERIOD).sum()} longer than the period, {(~fresh).sum()} periods without an answer")
    print(f"largest lean    {np.degrees(np.abs(lean).max()):.2f} deg after {time[np.abs(lean).argmax()]:.3f} s, "
          f"in the last half second {np.degrees(end):.2f}")
    print(f"largest way     {np.abs(cart).max():.4f} m of {RAIL}")
    print(f"largest force   {np.abs(force).max():.3f} N of {FORCE}, at its limit in {(np.abs(force) >= FORCE - 1e-6).sum()} periods")
    kept = np.abs(cart).max() <= RAIL and np.abs(force).max() <= FORCE and end <= UPRIGHT
    print("upright, limits kept" if kept else "FAILED")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kick", type=float, default=0.6, help="N at the tip, for a tenth of a second")
    parser.add_argument("--seconds", type=float, default=4.0, help="of the plant, 2.5 at least")
    parser.add_argument("--realtime", action="store_true", help="hold the last force where the program is late")
    parser.add_argument("--profile", choices=["release", "debug"], default="release")
    arguments = parser.parse_args()
    if not (2.5 <= arguments.seconds < math.inf and math.isfinite(arguments.kick)):
        parser.error("expected --seconds of at least 2.5, and a --kick that is finite")
    sys.exit(report(run(arguments)))
