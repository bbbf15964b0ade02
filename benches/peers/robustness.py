#!/usr/bin/env python3
"""From how many random starts do gradyn-trajectory and its peers solve? Writes a part of docs/benchmarks-trajectory.md.

    python3 benches/peers/robustness.py                                # 100 starts each, 20 of g1: half an hour
    python3 benches/peers/robustness.py --starts 20 --problems quadrotor

Crocoddyl's FDDP and mim_solvers' SQP, both from PyPI, solve the same problems from the same starts, with 500 iterations at most.
Each says by its own criterion what it has solved; results of all are looked at by one yardstick too.
The cache directory (`--cache`, else GRADYN_PEERS, else target/peers) holds packages, starts and results.

Exit codes: 0 done, 2 bad usage, 3 something cannot be had on this machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from page import put
from run import machine
from setup import HERE, ROOT, Missing, Tools, run
from trajectory import PACKAGES, build

MIM = "mim-solvers==0.3.0"
TITLES = {
    "double_pendulum": "double pendulum, swing-up",
    "quadrotor": "quadrotor through a gate",
    "panda_reach": "panda, reach",
    "g1_squat": "g1, squat on two feet",
}
# Iterations of a humanoid take a tenth of a second there.
FEWER = {"g1_squat": 20}
# What counts by the yardstick: gaps, and what one sweep promises.
GAP, PROMISE = 1e-8, 1e-6


def output(command):
    return json.loads(run(command, stdout=subprocess.PIPE, text=True).stdout)


def measure(bench, peer, cache, problems, count):
    """All results of all solvers: {problem: {solver: [{solved, iterations, cost, seen}, …]}}."""
    starts, found = cache / "starts.json", cache / "results.json"
    all_starts = {}
    for name in problems:
        all_starts |= output([bench, "starts", min(count, FEWER.get(name, count)), name])
    starts.write_text(json.dumps(all_starts))
    results = output([bench, "solve", starts])
    run(["env", "OMP_NUM_THREADS=1", peer.python, HERE / "robustness_peers.py", starts, found])
    theirs, judged = json.loads(found.read_text()), output([bench, "judge", starts, found])
    for name, solvers in theirs.items():
        for solver, entries in solvers.items():
            seen = judged[name][solver]
            results[name][solver] = [{**entry, "seen": look} for entry, look in zip(entries, seen, strict=True)]
    return results


def is_good(entry):
    seen = entry["seen"] or {}
    gap, promise = seen.get("gap"), seen.get("expected")
    return gap is not None and promise is not None and gap < GAP and promise < PROMISE


def table(results, here):
    lines = [
        "# How many random starts are solved",
        "",
        "Written by `python3 benches/peers/robustness.py`, which sets up the peers, gives all of them the same starts and writes this part.",
        f"{here['date']}, commit {here['commit']}. Crocoddyl and mim_solvers of PyPI: {', '.join([MIM, *PACKAGES[:2]])}.",
        "",
        "A start is a random first state, which is the guess of all states, with random controls: `trajectory/problems/starts.rs`",
        "gives the ranges. The double pendulum is at any angle and has a motor at its shoulder alone; the quadrotor is in any",
        "attitude, without limits of its thrusts; the arm is anywhere in the middle 0.8 of its joints' ranges."
        + ("\nFor the humanoid, only the upper body is perturbed." if "g1_squat" in results else ""),
        "At most 500 iterations; all options are the programs' defaults.",
        "",
        "**Solved** is what a solver says. FDDP here and there: an expected decrease below 1e-9, and no gaps. `Newton`: a KKT",
        "residual of at most 1e-8. `MultiStart`: `newton` of task files, which draws further guesses where `Newton` ends without a",
        "solution. SQP: 1e-6 at most as the largest entry of the KKT conditions, its own tolerance.",
        f"**Good** is one yardstick for all: gaps below {GAP:.0e}, and one sweep at the result, by one program for all, promises less",
        f"than {PROMISE:.0e}. Iterations and cost: the median of those solved. There are many local optima; solvers need not find the same.",
        "For the humanoid, trajectories of the peers have gaps of 1e-5 by that measure, so none of them is good: their contact dynamics",
        "differ by as much from those of the measure, for an unknown reason. There, only the column **solved** is comparable.",
        "",
        "| problem | starts | solver | solved | good | iterations | cost |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, solvers in results.items():
        for solver, entries in solvers.items():
            solved = [entry for entry in entries if entry["solved"]]
            middle = lambda what: f"{statistics.median(entry[what] for entry in solved):.4g}" if solved else "–"
            row = [TITLES[name], len(entries), solver, f"**{len(solved)}**", sum(map(is_good, entries))]
            lines.append("| " + " | ".join(map(str, [*row, middle("iterations"), middle("cost")])) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=100, help="of each problem; of g1 20 at most")
    parser.add_argument("--problems", default=",".join(TITLES), help="some of: " + ", ".join(TITLES))
    parser.add_argument("--cache", default=os.environ.get("GRADYN_PEERS", ROOT / "target" / "peers"))
    arguments = parser.parse_args()
    problems = arguments.problems.split(",")
    if unknown := [name for name in problems if name not in TITLES]:
        parser.error(f"unknown problems: {', '.join(unknown)}")
    if arguments.starts < 1:
        parser.error("--starts: at least one")
    bench = build("robustness")
    try:
        peer = Tools(arguments.cache, [*PACKAGES, MIM], "mim")
        here = machine(peer)
    except Missing as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 3
    results = measure(bench, peer, Path(arguments.cache), problems, arguments.starts)
    put(ROOT / "docs" / "benchmarks-trajectory.md", "robustness", table(results, here))
    print(table(results, here))
    return 0


if __name__ == "__main__":
    sys.exit(main())
