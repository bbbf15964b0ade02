#!/usr/bin/env python3
"""Measures an iteration of gradyn-trajectory and of Crocoddyl, and writes it into docs/benchmarks-trajectory.md.

    python3 benches/peers/trajectory.py               # some minutes; the first time a quarter of an hour, to compile
    python3 benches/peers/trajectory.py --no-native   # against the package of PyPI alone

Three programs take turns on one core: ours, Crocoddyl's package from PyPI, and the same with its library compiled from source for
this processor. All solve the same three problems; first of all their solutions are compared.
The cache directory (`--cache`, else GRADYN_PEERS, else target/peers) holds packages and what was compiled.

Exit codes: 0 measured, 1 results disagree, 2 bad usage, 3 something cannot be had on this machine.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from page import put
from run import machine, pinned
from setup import BOOST, FLAGS, HERE, ROOT, Missing, Tools, run

VERSION = "3.2.1"
# With Pinocchio 4.1 it crashes.
PACKAGES = [f"crocoddyl=={VERSION}", "pin==4.0.0", "cmeel-eigen==3.4.1", "numpy"]
PARTS = {"model": "model", "sweep": "sweep", "roll_out": "roll-out"}
TITLES = {
    "panda_reach": "panda, reach: 7 joints, 100 steps",
    "solo12_trot": "solo12, trot: 12 joints and a floating base, 56 steps, point contacts, impulses",
    "g1_squat": "g1, squat: 43 joints and a floating base, 60 steps, two flat feet",
}
# Solutions stop within 1e-9 of what is to be gained; gains and value functions there are good to some digits less.
TOLERANCE = {"cost": 1e-8, "gain": 1e-5, "vxx": 1e-5}
# Parts of the library that none of the problems calls.
UNUSED = (
    "numdiff codegen ipopt quadruped invdyn lqr unicycle 1d 2d exp log smooth thrusters poly-one poly-two rk box-qp cop"
).split()
# A stand-in for OpenMP: all runs on one thread.
OMP = """#pragma once
inline int omp_get_max_threads() { return 1; }
inline int omp_get_num_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
inline void omp_set_num_threads(int) {}
"""
# The package aligns data at 16 bytes, and frees what this library has allocated; Eigen's products want 64 for their own.
MALLOC = """#include <stdlib.h>
extern "C" void *__libc_malloc(size_t);
extern "C" void *malloc(size_t n) { return n < 64 ? __libc_malloc(n) : aligned_alloc(64, (n + 63) / 64 * 64); }
"""


class Crocoddyl(Tools):
    """Crocoddyl's package, and its library compiled for this processor."""

    def __init__(self, cache):
        super().__init__(cache, PACKAGES, "crocoddyl")

    def sources(self):
        """The library's source, from PyPI."""
        found = self.cache / f"libcrocoddyl-{VERSION}"
        if not found.exists():
            # pip unpacks it, and would build it to learn its name: without CMake it cannot, which is as well here.
            scratch = self.cache / "download"
            scratch.mkdir(exist_ok=True)
            package = ["--no-binary", ":all:", f"libcrocoddyl=={VERSION}"]
            command = [self.python, "-m", "pip", "download", "--no-deps", "--no-clean", "--no-build-isolation", *package]
            environment = {**os.environ, "TMPDIR": str(scratch), "PATH": ""}
            subprocess.run(list(map(str, command)), env=environment, cwd=scratch, capture_output=True, check=False)
            source = next(scratch.rglob("src/core/solvers/fddp.cpp"), None)
            if source is None:
                raise Missing("the source of Crocoddyl cannot be had from PyPI")
            shutil.move(source.parents[3], found)
            shutil.rmtree(scratch)
        return found / "src"

    def native(self):
        """The library for this processor, to be loaded before the package's: double precision, what the problems call."""
        folder = self.cache / "native"
        folder.mkdir(exist_ok=True)
        (folder / "omp.h").write_text(OMP)
        prefix, source = self.prefix / "include", self.sources()
        names = sorted(path for path in source.rglob("*") if path.suffix in (".cpp", ".in", ".cpp_fptype"))
        names = [path for path in names if not any(word in str(path.relative_to(source)) for word in UNUSED)]
        defines = ["NDEBUG", "PINOCCHIO_ENABLE_COMPATIBILITY_WITH_VERSION_2"]
        defines += ["EIGEN_MAX_ALIGN_BYTES=16", "EIGEN_MALLOC_ALREADY_ALIGNED=1"]
        defines += ["CROCODDYL_WITH_MULTITHREADING", "CROCODDYL_WITH_NTHREADS=1"]
        flags = ["-std=c++17", *FLAGS, "-fPIC", "-w", *(f"-D{define}" for define in defines), *BOOST]
        include = [prefix, prefix / "eigen3", prefix / "pinocchio" / "deprecated"]
        include = [part for path in include for part in ("-isystem", path)]
        texts = {"malloc": MALLOC}
        for path in names:
            part = str(path.relative_to(source))
            group = "actions" if part.startswith("multibody/actions") else part.split("/")[0]
            texts[group] = texts.get(group, "") + path.read_text().replace("@SCALAR_TYPE@", "double") + "\n"
        for group, text in texts.items():
            out, unit = folder / f"{group}.o", folder / f"{group}.cpp"
            if self._stale(out, text, self.compiler_version, flags, PACKAGES):
                print(f"compiling Crocoddyl's {group}", flush=True)
                unit.write_text(text)
                run([self.compiler, *flags, *include, "-I", folder, "-c", unit, "-o", out])
        objects = [folder / f"{group}.o" for group in texts]
        library = folder / "libcrocoddyl_native.so"
        # Its own calls stay within it; what it lacks is the package's.
        here = self.prefix / "lib"
        rest = [f"-L{here}", "-lcrocoddyl", f"-Wl,-Bsymbolic,--disable-new-dtags,-rpath,{here}"]
        run([self.compiler, "-shared", *objects, "-o", library, *rest])
        return library


def build(name):
    """A benchmark of gradyn-trajectory."""
    command = "cargo bench --no-run --message-format=json-render-diagnostics --package gradyn-trajectory --bench " + name
    done = subprocess.run(command.split(), check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return next(m["executable"] for m in messages if m.get("executable"))


def compare(results):
    """Do all have the same solution?"""
    ours = results["gradyn"]
    for program, theirs in results.items():
        for problem, expected in ours.items():
            found = theirs[problem]
            for what, tolerance in TOLERANCE.items():
                off = abs(found[what] - expected[what]) / abs(expected[what])
                if not off <= tolerance:
                    raise SystemExit(f"{problem}: {what} of {program} differs from ours by {off:.1e}")
            if abs(found["iterations"] - expected["iterations"]) > 1:
                raise SystemExit(f"{problem}: {program} takes {found['iterations']} iterations, ours {expected['iterations']}")


def least(before, after):
    """The least times of both."""
    if before is None:
        return after
    best = {}
    for problem, found in after.items():
        best[problem] = {**found, **{part: min(found[part], before[problem][part]) for part in PARTS}}
    return best


def ms(ns):
    return f"{ns / 1e6:.3g}"


def page(results, here, rounds, iterations):
    theirs = [name for name in results if name != "gradyn"]
    native = len(theirs) > 1
    head = "| | gradyn | " + " | ".join(f"{name} | ratio" for name in theirs) + " |"
    lines = [
        "# An iteration of trajectory optimization, against Crocoddyl",
        "",
        "Written by `python3 benches/peers/trajectory.py`, which sets up Crocoddyl, compares solutions, measures and writes this",
        f"page. {here['date']}, commit {here['commit']}.",
        "",
        f"Machine: {here['processor']}, {here['cores']} cores, {here['system']}; one core, programs in turn, {rounds} rounds of",
        f"{iterations} iterations at the solution. Load of the machine at the start: {here['load']:.1f}. The times are the **least** of",
        f"each part, ms, because other programs on the machine disturb it the least. gradyn: the default build, {here['rustc']}, no flags.",
        f"Crocoddyl {VERSION}, {', '.join(PACKAGES[1:3])}; its package on PyPI is compiled for any x86-64 processor.",
    ]
    if native:
        lines += [
            f"\"Native\" is its library compiled from PyPI's source by {here['compiler']}, `{here['compiler_flags']}`: solver, actions,",
            "contacts, impulses, costs, states, and the algorithms of Pinocchio in them. Code that only sets up problems (Python's module,",
            "the reader of URDF) is the package's, and so is its alignment of data to 16 bytes; `malloc` gives 64.",
        ]
    lines += [
        "",
        "All solve the same problem from the same guess by FDDP, in the same number of iterations, with the same costs;",
        "`trajectory/tests/all/crocoddyl.rs` compares them. An iteration is one linearization of all nodes, one sweep, one roll-out.",
        "Crocoddyl's model is `calcDiff` alone, because its roll-out has already computed the values; gradyn computes them again.",
        "",
    ]
    for problem, title in TITLES.items():
        if problem not in results["gradyn"]:
            continue
        ours = results["gradyn"][problem]
        lines += [f"## {title}", "", f"{ours['iterations']} iterations.", "", head, "|---|---|" + "---|---|" * len(theirs)]
        for part, label in [*PARTS.items(), ("all", "**iteration**")]:
            time = lambda found: sum(found[p] for p in PARTS) if part == "all" else found[part]
            row = [label, ms(time(ours))]
            for name in theirs:
                row += [ms(time(results[name][problem])), f"**{time(ours) / time(results[name][problem]):.2f}**"]
            lines.append("| " + " | ".join(row) + " |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=60, help="a round, at least 50")
    parser.add_argument("--problems", default=",".join(TITLES), help="some of: " + ", ".join(TITLES))
    parser.add_argument("--no-native", action="store_true", help="do not compile Crocoddyl")
    parser.add_argument("--cache", default=os.environ.get("GRADYN_PEERS", ROOT / "target" / "peers"))
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core, default the last")
    arguments = parser.parse_args()
    problems = arguments.problems.split(",")
    if unknown := [name for name in problems if name not in TITLES]:
        parser.error(f"unknown problems: {', '.join(unknown)}")
    if arguments.iterations < 50:
        parser.error("--iterations: the least of fewer than 50 is chance")
    ours = build("iteration")
    try:
        peer = Crocoddyl(arguments.cache)
        here = machine(peer)
        theirs = ["env", "OMP_NUM_THREADS=1", peer.python, HERE / "iteration.py", arguments.iterations, *problems]
        programs = {"gradyn": [ours, arguments.iterations, *problems], "PyPI": theirs}
        if not arguments.no_native:
            programs["native"] = ["env", f"LD_PRELOAD={peer.native()}", *theirs[1:]]
    except Missing as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 3
    results = dict.fromkeys(programs)
    for _ in range(arguments.rounds):
        for name, command in programs.items():
            results[name] = least(results[name], pinned(arguments.cpu, command))
    compare(results)
    text = page(results, here, arguments.rounds, arguments.iterations)
    put(ROOT / "docs" / "benchmarks-trajectory.md", "iteration", text)
    print("written: docs/benchmarks-trajectory.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
