#!/usr/bin/env python3
"""Do `Newton` and Aligator's ProxDDP solve the same reaches of the UR5? Writes a part of docs/benchmarks-trajectory.md.

    python3 benches/peers/aligator.py                             # 80 reaches, plain and with limits of velocities: an hour or two
    python3 benches/peers/aligator.py --count 20
    python3 benches/peers/aligator.py --minutes 15                # as many of them as can be had in this time

The problems are those of aligator-bench: families `ur5_reach` and `ur5_reach_bounded` of `trajectory/problems/arms.rs`. Aligator is its
package of PyPI, called from C++; it solves with penalties that begin at 1 and 0.1, and with both of its roll-outs. Programs take turns on
one core, reach by reach. The first reaches are looked at by both: the cost that Aligator finds for our controls must be ours.
The cache directory (`--cache`, else GRADYN_PEERS, else target/peers) holds packages, what was compiled, and results.

Exit codes: 0 measured, 1 costs of the same controls disagree, 2 bad usage, 3 something cannot be had on this machine.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from page import put
from run import machine, pinned
from setup import BOOST, HERE, ROOT, Missing, Tools, run
from trajectory import build

PACKAGES = ["libaligator==0.19.1", "libpinocchio==4.1.0", "cmeel-eigen==3.4.1", "cmeel-urdfdom-headers==3.0.0"]
# The package is compiled for any x86-64 processor; with -march=native Eigen would align data otherwise than it does.
FLAGS = ["-O3", "-DNDEBUG"]
DEFINES = "ALIGATOR_ENABLE_TEMPLATE_INSTANTIATION ALIGATOR_WITH_PINOCCHIO ALIGATOR_PINOCCHIO_V4 PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"
LIBRARIES = ["-laligator", "-lpinocchio_parsers", "-lpinocchio_default", "-lfmt"]
FAMILIES = {"ur5_reach": "plain", "ur5_reach_bounded": "bounded"}
TITLES = {"ur5_reach": "plain", "ur5_reach_bounded": "velocities limited"}
SETTINGS = [(mu, roll_out) for mu in (1, 0.1) for roll_out in ("linear", "nonlinear")]
TOLERANCE, LOWEST = 1e-5, 1e-8
# Of costs: of the same controls, and of the same local optimum, where one solver stops at 1e-5.
SAME_CONTROLS, SAME_OPTIMUM = 1e-6, 1e-3


class Aligator(Tools):
    """Aligator's package, and a program that calls it: `NAME.cpp`."""

    def __init__(self, cache, name="aligator"):
        super().__init__(cache, PACKAGES, "aligator")
        source, out = HERE / f"{name}.cpp", self.cache / "bin" / name
        out.parent.mkdir(exist_ok=True)
        texts = [text.read_text() for text in (source, HERE / "clock.hpp")]
        self.program = out
        if not self._stale(out, texts, self.compiler_version, FLAGS, DEFINES, PACKAGES):
            return
        print("compiling", source.name, flush=True)
        include = self.prefix / "include"
        folders = [include, include / "pinocchio" / "deprecated", include / "eigen3", include / "urdfdom_headers"]
        flags = ["-std=c++17", "-w", *FLAGS, *BOOST, "-DPINOCCHIO_WITH_URDFDOM", *(f"-D{d}" for d in DEFINES.split())]
        flags += [part for folder in folders for part in ("-isystem", folder)]
        library = self.prefix / "lib"
        run([self.compiler, *flags, source, "-o", out, f"-L{library}", f"-Wl,-rpath,{library}", *LIBRARIES])


def name_of(mu, roll_out):
    return f"ProxDDP, μ {mu}, {roll_out}"


def one(bench, peer, arguments, family, seed):
    """What all find of one reach: {solver: {converged, iterations, processor_ms, cost, …}}."""
    ours = pinned(arguments.cpu, [bench, family, 1, seed, "json"])
    controls = [x for u in ours.pop("u") for x in u] if seed < arguments.checked else []
    text = peer.cache / "reach.txt"
    text.write_text(" ".join(map(str, [seed, *map(repr, ours["target"]), len(controls), *map(repr, controls)])))
    found = {"Newton": ours}
    for mu, roll_out in SETTINGS:
        numbers = [arguments.tolerance, mu, LOWEST]
        command = [peer.program, ROOT / "robots" / "ur5.urdf", text, FAMILIES[family], *numbers, roll_out]
        theirs = pinned(arguments.cpu, command)
        found[name_of(mu, roll_out)] = theirs["own"]
        if ours["converged"] and "other" in theirs:
            off = abs(theirs["other"]["cost"] - ours["cost"]) / ours["cost"]
            print(f"{family} {seed}: cost of our controls off by {off:.1e}, {theirs['other']}, from there {theirs['from_other']}")
            if not off <= SAME_CONTROLS:
                raise SystemExit(f"{family} {seed}: Aligator's cost of our controls differs from ours by {off:.1e}")
    return found


def same(a, b):
    return abs(a["cost"] - b["cost"]) <= SAME_OPTIMUM * max(a["cost"], b["cost"])


def rows(family, entries):
    """Of each solver a row."""
    for solver in entries[0]:
        solved = [found[solver] for found in entries if found[solver]["converged"]]
        both = [(found["Newton"], found[solver]) for found in entries if found[solver]["converged"] and found["Newton"]["converged"]]
        middle = lambda what: f"{statistics.median(entry[what] for entry in solved):.3g}" if solved else "–"
        row = [TITLES[family], solver, f"**{len(solved)}** of {len(entries)}", middle("iterations"), middle("processor_ms"), middle("cost")]
        if solver == "Newton":
            row += ["", "", ""]
        elif both:
            ratio = math.exp(statistics.fmean(math.log(a["processor_ms"] / b["processor_ms"]) for a, b in both))
            row += [f"**{ratio:.2f}**", f"{sum(same(a, b) for a, b in both)} of {len(both)}"]
            row += [f"{sum(a['cost'] < b['cost'] and not same(a, b) for a, b in both)} of {len(both)}"]
        else:
            row += ["–", "–", "–"]
        yield "| " + " | ".join(row) + " |"


def page(results, here, arguments):
    count = len(next(iter(results.values())))
    lines = [
        "# Reaches of the UR5, against Aligator",
        "",
        "Written by `python3 benches/peers/aligator.py`, which sets up Aligator, solves all problems with all solvers and writes this part.",
        f"{here['date']}, commit {here['commit']}; the first {count} reaches of 80. Machine: {here['processor']}, {here['cores']} cores,",
        f"{here['system']}; one core, one thread, programs in turn, one run of each. Load of the machine at the start: {here['load']:.1f}.",
        f"Times are processor times of solving alone. gradyn: the default build, {here['rustc']}, no flags.",
        f"Aligator: {', '.join(PACKAGES[:3])} of PyPI, which are compiled",
        f"for any x86-64 processor (SSE2); the calling code is compiled by {here['compiler']}, `{' '.join(FLAGS)}`.",
        "",
        "The problems are those of aligator-bench, with targets of our seeds: from the stretched arm at rest, the tool moves to a position in",
        "100 steps of 10 ms, semi-implicit Euler, weights 1e-4 of states and 1e-3 of torques along the way, the position as an equality at the end, with or",
        "without limits of the joints' velocities. The guess is the start at all nodes, and no torques. `Newton`: its default options, a KKT",
        f"residual of at most 1e-8. ProxDDP: {arguments.tolerance:g}, 400 iterations at most, its default options except for the initial penalty, μ,",
        "and the roll-out. **Solved** is the solver's own verdict. Medians: of those solved. **Ratio**: the geometric mean of our time over",
        f"theirs, over problems solved by both. **Same**: costs within {SAME_OPTIMUM:.0e}; **less**: ours is lower by more. There are many local optima.",
        "",
        "| reaches | solver | solved | iterations | ms | cost | ratio | same | less |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for family, entries in results.items():
        lines += rows(family, entries)
    lines.append("")
    for family, entries in results.items():
        solved = sum(any(found[name_of(*setting)]["converged"] for setting in SETTINGS) for found in entries)
        lines.append(f"Solved with at least one of ProxDDP's four settings, {TITLES[family]}: {solved} of {len(entries)}.")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=80, help="reaches of each kind")
    parser.add_argument("--minutes", type=float, default=math.inf, help="no reach is begun after this time")
    parser.add_argument("--checked", type=int, default=2, help="so many are looked at by both")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="of ProxDDP")
    parser.add_argument("--bench", help="our program, else it is built")
    parser.add_argument("--cache", default=os.environ.get("GRADYN_PEERS", ROOT / "target" / "peers"))
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core, default the last")
    arguments = parser.parse_args()
    if arguments.count < 1:
        parser.error("--count: at least one")
    bench = arguments.bench or build("newton")
    try:
        peer = Aligator(Path(arguments.cache).resolve())
        here = machine(peer)
    except (Missing, subprocess.CalledProcessError) as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 3
    results, began = {family: [] for family in FAMILIES}, time.monotonic()
    for seed in range(arguments.count):
        if seed and time.monotonic() - began > 60 * arguments.minutes:
            break
        for family, entries in results.items():
            entries.append(one(bench, peer, arguments, family, seed))
        print(f"{seed + 1} of {arguments.count}", flush=True)
        # As it goes: who stops it keeps what has been measured.
        (peer.cache / "aligator.json").write_text(json.dumps(results))
        put(ROOT / "docs" / "benchmarks-trajectory.md", "aligator", page(results, here, arguments))
    print(page(results, here, arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
