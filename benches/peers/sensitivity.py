#!/usr/bin/env python3
"""Measures sensitivities along a trajectory by gradyn, CasADi's C and phyz-diff; writes docs/benchmarks-sensitivity.md.

    python3 benches/peers/sensitivity.py               # some minutes; the first time a quarter of an hour, to compile
    python3 benches/peers/sensitivity.py --rounds 5

Programs take turns on one core, several rounds; seconds are the processor's, so that others' work on it does not count. All
simulate the same arm; first of all their states, derivatives and gradients are compared.
The cache directory (`--cache`, else GRADYN_PEERS, else target/peers) holds packages and what was compiled.

Exit codes: 0 measured, 1 results disagree, 2 bad usage, 3 something cannot be had on this machine.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from page import put
from run import deviation, machine, pinned
from setup import BOOST, FLAGS, HERE, ROOT, Missing, Tools, run

PACKAGES = ["pin==4.1.0", "cmeel-eigen==3.4.1", "casadi==3.8.2", "numpy==2.4.6"]
PHYZ = "0.4.0"
URDF = ROOT / "robots" / "panda.urdf"
STEPS = 200
# Of the largest entry of each: sums of 200 steps.
TOLERANCE = {"q": 1e-12, "v": 1e-11, "by": 1e-9, "cost": 1e-12, "gradient": 1e-9}
VARIANTS = {
    "jacobian": "its automatic differentiation of ABA",
    "analytical": "Pinocchio's derivatives of ABA and its regressor, traced",
}


class Programs(Tools):
    """CasADi's C of the arm, and the arm in gradyn and phyz-diff."""

    def __init__(self, cache):
        super().__init__(cache, PACKAGES, "sensitivity")
        self.robot = self.cache / "robots" / "panda-sensitivity"
        self.robot.mkdir(parents=True, exist_ok=True)
        run([self.python, HERE / "describe.py", URDF, self.robot])
        self.text = self.robot / "robot.txt"

    def _compile(self, name, flags, more):
        out, source = self.cache / "bin" / name, HERE / f"{name}.cpp"
        out.parent.mkdir(exist_ok=True)
        texts = [file.read_text() for file in (source, HERE / "robot.hpp")]
        if self._stale(out, texts, self.compiler_version, flags, PACKAGES):
            print(f"compiling {name}", flush=True)
            include = ["-isystem", self.prefix / "include", "-isystem", self.prefix / "include" / "eigen3"]
            run([self.compiler, "-std=c++17", "-DNDEBUG", "-w", *BOOST, *include, *flags, source, "-o", out, *more])
        return out

    def casadi(self):
        """Commands by compiler and variant, and the operations of each variant."""
        folder, libraries = self.site / "casadi", self.prefix / "lib"
        paths = [flag for path in (libraries, folder) for flag in (f"-L{path}", f"-Wl,-rpath,{path}")]
        writer = self._compile("step", ["-O1"], ["-isystem", folder / "include", *paths, "-lcasadi"])
        caller = self._compile("forward", FLAGS, ["-ldl"])
        code, counts = self.robot / "step.c", self.robot / "step.json"
        if self._stale(code, self.text.read_text(), (self.cache / "bin" / "step.made-of").read_text()):
            print("generating code", flush=True)
            counts.write_text(subprocess.check_output([writer, self.text, code], text=True))
        commands = {}
        compilers = [Path(self.compiler).name.replace("clang++", "clang").replace("g++", "gcc"), "gcc"]
        for compiler in dict.fromkeys(name for name in compilers if shutil.which(name)):
            library = self.robot / f"step.{compiler.split('-')[0]}.so"
            if self._stale(library, code.read_text(), self._version(compiler), FLAGS):
                print(f"compiling it by {compiler}", flush=True)
                run([compiler, *FLAGS, "-w", "-fPIC", "-shared", code, "-o", library, "-lm"], timeout=1800)
            for variant in VARIANTS:
                commands[compiler, variant] = [caller, library, self.text, variant, STEPS]
        return commands, json.loads(counts.read_text())

    def phyz(self):
        """The program that has gradyn and phyz-diff in it."""
        target = self.cache / "phyz"
        command = ["cargo", "build", "--release", "--quiet", "--manifest-path", HERE / "phyz" / "Cargo.toml"]
        run(command, env={**os.environ, "CARGO_TARGET_DIR": str(target)})
        return [target / "release" / "gradyn-peers-phyz", URDF, STEPS]


def compare(ours, found, who, worst):
    for what in ("q", "v", "by", "cost", "gradient"):
        if what not in found:
            continue
        mine, theirs = (x if isinstance(x, list) else [x] for x in (ours[what], found[what]))
        off = deviation(mine, theirs)
        worst[who] = max(off, worst.get(who, 0.0))
        if not off <= TOLERANCE[what]:
            raise SystemExit(f"{what} of {who} differs from ours by {off:.1e} of its largest entry")


def measure(programs, runs, rounds, cpu):
    """Seconds by row, all rounds; and how far results are apart."""
    (casadi, counts), both = programs.casadi(), programs.phyz()
    times, worst = {}, {}
    for _ in range(rounds):
        answer = pinned(cpu, [*both, runs])
        forward, adjoint, phyz = answer["forward"], answer["adjoint"], answer["phyz"]
        compare(adjoint, phyz, "phyz-diff", worst)
        taken = {
            ("forward", "gradyn"): forward["times"],
            ("adjoint", "gradyn"): adjoint["times"],
            ("simulation", "gradyn"): adjoint["simulation"],
            ("adjoint", "phyz"): phyz["times"],
            ("simulation", "phyz"): phyz["simulation"],
        }
        for key, command in casadi.items():
            found = pinned(cpu, [*command, runs])
            compare(forward, found, "CasADi", worst)
            taken["forward", *key] = found["times"]
        for key, seconds in taken.items():
            times.setdefault(key, []).extend(seconds)
    return times, worst, counts


def page(times, worst, counts, here, arguments):
    def cells(key, per=1.0, unit="ms"):
        scale = {"ms": 1e3, "us": 1e6}[unit] / per
        return f"{min(times[key]) * scale:.2f} | {statistics.median(times[key]) * scale:.2f}"

    ours = min(times["forward", "gradyn"])
    lines = [
        f"## Forward: 84 columns, {STEPS} steps",
        "",
        "Derivatives of every state by 70 inertial parameters, `q₀` and `v₀`; all matrices are stored.",
        "",
        "| | least, ms | median, ms | least / gradyn's |",
        "|---|---|---|---|",
        f"| gradyn | {cells(('forward', 'gradyn'))} | 1 |",
    ]
    for key in sorted((key for key in times if key[0] == "forward" and len(key) == 3), key=lambda key: min(times[key])):
        _, compiler, variant = key
        name = f"CasADi's C, {compiler}: {VARIANTS[variant]} ({counts[variant]} operations a step)"
        lines.append(f"| {name} | {cells(key)} | {min(times[key]) / ours:.1f} |")
    fastest = min(min(seconds) for key, seconds in times.items() if key[0] == "forward" and len(key) == 3)
    lines += [
        "",
        f"The fastest C takes {fastest / ours:.2f} of gradyn's time.",
        "",
        f"## Adjoint: one cost of the last state, {STEPS} steps",
        "",
        "By mass, center of mass and moments about it of all seven links, 70 numbers; gradyn's gradient also has `q₀`, `v₀` and all controls.",
        "",
        "| | step of the simulation, least µs | median | step of the gradient, least µs | median | gradient / simulation |",
        "|---|---|---|---|---|---|",
    ]
    for name, key in (("gradyn", "gradyn"), (f"phyz-diff {PHYZ}", "phyz")):
        adjoint, simulation = ("adjoint", key), ("simulation", key)
        ratio = min(times[adjoint]) / min(times[simulation])
        lines.append(f"| {name} | {cells(simulation, STEPS, 'us')} | {cells(adjoint, STEPS, 'us')} | {ratio:.1f} |")
    ratio = min(times["adjoint", "phyz"]) / min(times["adjoint", "gradyn"])
    lines += [
        "",
        f"phyz-diff's gradient takes {ratio:.0f} times gradyn's time.",
        "",
        "Deviations of states, derivatives and gradients from gradyn's, relative to the largest entry: "
        + "; ".join(f"{who} {off:.0e}" for who, off in worst.items())
        + ".",
        "",
        f"{here['processor']}, {here['cores']} cores shared with others (load {here['load']:.1f}), one thread, "
        f"seconds of the processor; {here['system']}; {here['date']}, commit {here['commit']}; "
        f"{arguments.rounds} rounds of {arguments.runs} runs, "
        f"programs in turn. {here['rustc']}, no flags; {here['compiler']}; {here['gcc']}; C and the loop around it: "
        f"`{here['compiler_flags']}`. {', '.join(PACKAGES)}, phyz-diff {PHYZ}.",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=30, help="a round")
    parser.add_argument("--cache", default=os.environ.get("GRADYN_PEERS", ROOT / "target" / "peers"))
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core, default the last")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.runs < 1:
        parser.error("--rounds and --runs are 1 or more")
    try:
        programs = Programs(arguments.cache)
        here = machine(programs)
        version = subprocess.check_output(["gcc", "--version"], text=True) if shutil.which("gcc") else "no gcc"
        here["gcc"] = version.splitlines()[0]
        found = measure(programs, arguments.runs, arguments.rounds, arguments.cpu)
    except Missing as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 3
    put(ROOT / "docs" / "benchmarks-sensitivity.md", "sensitivity", page(*found, here, arguments))
    print("written: docs/benchmarks-sensitivity.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
