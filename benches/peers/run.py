#!/usr/bin/env python3
"""Measures gradyn and its peers on the same robots and states, and writes docs/benchmarks.md.

    python3 benches/peers/run.py                     # everything: some ten minutes after the first time
    python3 benches/peers/run.py --robots panda,g1   # a few robots
    python3 benches/peers/run.py --more              # further rounds, beside those of the last run of this commit
    python3 benches/peers/run.py --report            # only write the page again, from the last results

Programs take turns on one core, several rounds; the least and the median of all rounds are given. Where other machines share
the processor a minute can be slow as a whole: rounds taken at several times are better than many at one.
First of all their results are compared.
The cache directory (`--cache`, else GRADYN_PEERS, else target/peers) holds packages and programs.

Exit codes: 0 measured, 1 results disagree, 2 bad usage, 3 something cannot be had on this machine.
"""

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import report
from setup import FLAGS, ROOT, Missing, Peers, tree

OWN = ROOT / "robots"
# name: floating base
ROBOTS = {"panda": False, "ur5": False, "solo12": True, "g1": True}
TREES = {
    "chain30": (30, lambda i: i - 1),
    "chain100": (100, lambda i: i - 1),
    "chain300": (300, lambda i: i - 1),
    "tree31": (31, lambda i: (i - 1) // 2 if i else -1),
    "tree127": (127, lambda i: (i - 1) // 2 if i else -1),
}
MUJOCO = ["panda", "ur5", "solo12", "g1", "chain30", "chain100"]
GENERATED = ["panda", "ur5", "solo12"]
LEVELS = ["panda", "ur5", "solo12", "g1"]
# Differences and the dual numbers of everything but inverse dynamics are not what anybody has a peer for.
OURS = [
    "rnea", "crba", "aba", "computeMinverse", "computeRNEADerivatives", "computeABADerivatives", "nonLinearEffects",
    "computeGeneralizedGravity", "computeCoriolisMatrix", "forwardKinematics", "computeJointJacobians",
    "computeForwardKinematicsDerivatives", "ComputeRNEASecondOrderDerivatives", "computeCentroidalDynamicsDerivatives",
    "jacobianCenterOfMass", "computeMechanicalEnergy", "computeJointTorqueRegressor", "integrate", "difference",
    "computeStaticTorqueDerivatives", "computeGeneralizedGravityDerivatives", "centerOfMass", "constraintDynamics",
    "computeConstraintDynamicsDerivatives", "impulseDynamics", "computeImpulseDynamicsDerivatives",
    "computeKineticEnergyRegressor", "computePotentialEnergyRegressor", "computeStatic", "computeFrameJacobian",
    "getPointClassicAccelerationDerivatives", "computeJointKinematicRegressor", "CentroidalMomentum", "ccrba", "crba+",
    "jacobianSubtreeCenterOfMass", "getCenterOfMassVelocityDerivatives", "Energy", "jointBodyRegressor",
    "getConstraintsJacobian", "interpolate", "normalize", "dIntegrate", "dDifference",
]  # fmt: skip
AT_LEVELS = "rnea,crba,aba,computeMinverse,computeRNEADerivatives,computeABADerivatives"
# Of a quantity's largest entry. Forward dynamics divides by inertias that differ by orders of magnitude.
TOLERANCE = {
    "default": 1e-9, "ddq": 1e-7, "ddq_dq": 1e-6, "ddq_dv": 1e-6, "mass_matrix_inverse": 1e-7, "constrained_ddq": 1e-6,
    "constrained_ddq_dq": 1e-5, "constraint_forces_dq": 1e-5, "impulse_v": 1e-6, "impulse_v_dv": 1e-6,
}  # fmt: skip


def pinned(cpu, command):
    prefix = ["taskset", "-c", str(cpu)] if cpu is not None and shutil.which("taskset") else []
    answer = subprocess.run([*prefix, *map(str, command)], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(answer.stdout)


def deviation(found, expected):
    size = max((abs(x) for x in expected), default=0.0)
    return max((abs(x - y) for x, y in zip(found, expected, strict=True)), default=0.0) / (size or 1.0)


def flat(x):
    return [y for part in x for y in flat(part)] if isinstance(x, list) else [x]


class Robot:
    def __init__(self, name, urdf, floating, peers, gradyn):
        self.name, self.folder = name, peers.describe(name, urdf, floating)
        self.text = self.folder / "robot.txt"
        # The coordinates and joints of Pinocchio, which knows no damping.
        self.flags = [urdf, "--joint-order", "pinocchio", "--continuous", "cos-sin", "--no-joint-friction"]
        self.flags += ["--floating-base"] if floating else []
        self.gradyn, self.states = gradyn, self.folder / "states.json"
        self.programs = {"pinocchio": [peers.pinocchio, self.text]}
        self.notes, self.code = [], None
        if name in GENERATED:
            commands, self.code = peers.generated(name, self.text)
            self.programs.update({f"casadi, {compiler}": command for compiler, command in commands.items()})
        if name in MUJOCO:
            error = self.folder / "mujoco.error"
            if error.exists():
                self.notes.append(f"MuJoCo does not read it: {error.read_text().strip()}")
            else:
                self.programs["mujoco"] = [peers.mujoco(), self.folder / "mujoco.mjb", self.folder / "mujoco.txt"]

    def bench(self, cpu, only, *more):
        command = [self.gradyn, "bench", *self.flags, "--states", self.states, "--only", only, "--json", *more]
        return pinned(cpu, command)

    def check(self):
        """Do all agree at the first state? Returns the worst deviation of each quantity."""
        theirs_of = {name: pinned(None, [*program, "check"]) for name, program in self.programs.items()}
        quantities = "tau,bias,gravity,mass_matrix,mass_matrix_inverse,dtau_dq,dtau_dv,ddq,ddq_dq,ddq_dv,constrained_ddq,"
        quantities += "constrained_ddq_dq,constraint_forces_dq,impulse_v,impulse_v_dv,constraint_rank"
        quantities = [*quantities.split(","), *(name for name in theirs_of["pinocchio"] if name.startswith("d2tau"))]
        given, first = json.loads(self.states.read_text()), self.folder / "first.json"
        first.write_text(json.dumps({**given, "states": given["states"][:1]}))
        command = [self.gradyn, "evaluate", *self.flags, "--states", first, "--method", "analytical"]
        answer = pinned(None, [*command, "--quantities", ",".join(quantities)])
        ours = answer["states"][0]
        # Where they depend on each other, Pinocchio divides by what is zero but for rounding.
        independent = ours["constraint_rank"] == len(answer["constraint_rows"])
        worst = {}
        for name, theirs in theirs_of.items():
            if name.startswith("casadi"):
                names = {"rnea_0": "tau", "aba_0": "ddq", "drnea_0": "dtau_dq", "drnea_1": "dtau_dv",
                         "drnea_2": "mass_matrix", "arnea_0": "dtau_dq", "arnea_1": "dtau_dv",
                         "arnea_2": "mass_matrix", "rnea_open_0": "tau"}  # fmt: skip
                pairs = [(ours_name, theirs[key]) for key, ours_name in names.items()]
            elif name == "mujoco":
                if "--floating-base" in self.flags:
                    continue  # its velocities and accelerations of a floating base are other ones
                order = json.loads((self.folder / "mujoco.order").read_text())
                pairs = [("tau", [theirs["tau"][order.index(k)] for k in range(len(order))])]
            else:
                held = ("constrained_", "constraint_", "impulse_")
                pairs = [(quantity, values) for quantity, values in theirs.items()
                         if independent or not quantity.startswith(held)]  # fmt: skip
            for quantity, values in pairs:
                size = deviation(flat(ours[quantity]), values) if values is not None else math.inf
                key = f"{quantity} ({name})"
                worst[key] = max(worst.get(key, 0.0), size)
                if not size <= TOLERANCE.get(quantity, TOLERANCE["default"]):
                    raise SystemExit(f"{self.name}: {quantity} differs from {name}'s by {size:.1e} of its largest entry")
        return worst


def merge(rounds):
    """Medians of medians, and the least of all."""
    names = dict.fromkeys(name for results in rounds for name in results)
    merged = {}
    for name in names:
        found = [results[name] for results in rounds if name in results]
        merged[name] = {
            "median_ns": statistics.median(x["median_ns"] for x in found),
            "min_ns": min(x["min_ns"] for x in found),
        }
    return merged


def measure(robot, rounds, cpu, before):
    """Takes further rounds after those taken `before`."""
    only = ",".join(OURS)
    taken = before.get("rounds") or {"gradyn": [], **{name: [] for name in robot.programs}}
    threads, known = [before.get("threads", {})], before.get("levels", {})
    here = ("plain", "avx2", "avx512", "neon") if robot.name in LEVELS else ()
    levels = {level: [known.get(level, {})] for level in here if available(robot, level)}
    for _ in range(rounds):
        answer = robot.bench(cpu, only)
        names = [name for name in answer["results"] if "/difference" not in name]
        taken["gradyn"].append({name: answer["results"][name] for name in names})
        for name, program in robot.programs.items():
            taken[name].append(pinned(cpu, [*program, "time"])["results"])
        if len(os.sched_getaffinity(0)) > 1:
            # All processors, not pinned.
            threads.append(robot.bench(None, "thread")["results"])
        for level, found in levels.items():
            found.append(robot.bench(cpu, AT_LEVELS, "--level", level)["results"])
    merged = {name: merge(rounds) for name, rounds in taken.items()}
    result = {"nv": answer["nv"], "notes": robot.notes, "rounds": taken, **merged}
    if robot.code:
        result["code"] = robot.code
    result["threads"] = merge(threads)
    result["gradyn"].update(result["threads"])
    if levels:
        result["levels"] = {level: merge(rounds) for level, rounds in levels.items()}
    return result


def available(robot, level):
    command = [robot.gradyn, "bench", *robot.flags, "--only", "integrate", "--level", level]
    return subprocess.run(list(map(str, command)), capture_output=True, check=False).returncode == 0


def machine(peers):
    def first(path, key):
        lines = Path(path).read_text().splitlines() if Path(path).exists() else []
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), platform.processor())

    def output(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        return done.stdout.strip()

    return {
        "processor": first("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "flags": first("/proc/cpuinfo", "flags"),
        "system": f"{platform.system()} {platform.machine()}",
        "rustc": output("rustc", "--version"),
        "compiler": peers.compiler_version,
        "compiler_flags": " ".join(FLAGS),
        "packages": peers.packages,
        "commit": output("git", "rev-parse", "--short", "HEAD") or "unknown",
        "date": time.strftime("%Y-%m-%d"),
        "load": os.getloadavg()[0],
    }


def build():
    """The command and the program that counts operations."""
    command = "cargo build --release --message-format=json-render-diagnostics --package gradyn-cli --package gradyn"
    command = [*command.split(), "--bin", "gradyn", "--bench", "operations"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    found = {m["target"]["name"]: Path(m["executable"]) for m in messages if m.get("executable")}
    return found["gradyn"], found["operations"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    everything = [*ROBOTS, *TREES]
    parser.add_argument("--robots", default=",".join(everything), help="some of: " + ", ".join(everything))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", default=os.environ.get("GRADYN_PEERS", ROOT / "target" / "peers"))
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core, default the last")
    parser.add_argument("--more", action="store_true", help="add rounds to those of the last run")
    parser.add_argument("--report", action="store_true", help="write the page from the last results")
    arguments = parser.parse_args()
    file = Path(arguments.cache) / "results.json"
    if not arguments.report:
        names = arguments.robots.split(",")
        if unknown := [name for name in names if name not in everything]:
            parser.error(f"unknown robots: {', '.join(unknown)}")
        gradyn, count_operations = build()
        try:
            peers = Peers(arguments.cache)
            here = {**machine(peers), "c_compilers": [version for _, version in peers.c_compilers]}
            results = {"machine": here, "robots": {}, "deviations": {}}
            if arguments.more and file.exists():
                last = json.loads(file.read_text())
                for what in ("commit", "processor", "rustc", "compiler", "packages"):
                    if last["machine"][what] != here[what]:
                        parser.error(f"--more: {what} was {last['machine'][what]}, is {here[what]}")
                results = last
            for name in names:
                if name in ROBOTS:
                    urdf, floating = OWN / f"{name}.urdf", ROBOTS[name]
                else:
                    urdf, floating = Path(arguments.cache) / f"{name}.urdf", False
                    urdf.write_text(tree(name, *TREES[name]))
                robot = Robot(name, urdf, floating, peers, gradyn)
                results["deviations"][name] = robot.check()
                print(f"{name}: all agree; measuring", flush=True)
                results["robots"][name] = measure(robot, arguments.rounds, arguments.cpu, results["robots"].get(name, {}))
            counts = sorted({len(robot["rounds"]["gradyn"]) for robot in results["robots"].values()})
            results["rounds"] = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
            results["operations"] = pinned(arguments.cpu, [count_operations, "--bench"])
        except Missing as error:
            print(f"not measured: {error}", file=sys.stderr)
            return 3
        file.write_text(json.dumps(results, indent=1))
    report.write(json.loads(file.read_text()), ROOT / "docs")
    print("written: docs/benchmarks.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
