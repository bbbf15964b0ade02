#!/usr/bin/env python3
"""How long does a cycle of predictive control take, by `Newton` and by Aligator's ProxDDP? Writes a part of docs/benchmarks-trajectory.md.

    python3 benches/peers/mpc.py                  # some minutes; the first time more, to compile
    python3 benches/peers/mpc.py --rounds 1

Both make two iterations from the last solution each cycle, of the same two problems; programs take turns on one core. First of all
the cost that Aligator finds for the controls of our first solution must be ours.
The cache directory (`--cache`, else GRADYN_PEERS, else target/peers) holds packages and what was compiled.

Exit codes: 0 measured, 1 costs of the same controls disagree, 2 bad usage, 3 something cannot be had on this machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from aligator import FLAGS, PACKAGES, Aligator
from page import put
from run import machine, pinned
from setup import ROOT, Missing
from trajectory import build

PROBLEMS = {
    "panda": "panda, 50 nodes of 20 ms to a pose, torques within 15 N m; shifts by a node each cycle",
    "solo12": "solo12, two steps of a trot, 50 nodes of 20 ms, torques within 2.7 N m; restarts at its start each cycle",
}
PENALTIES = [1e-1, 1e-2, 1e-3]
# Costs are sums of some hundred squares that both round in another order.
SAME = 1e-8
WANTED, STEADY = 0.5, 1.5


def measure(bench, peer, arguments, robot):
    """Ms of all cycles of each program: {program: [ms]}, and of our `feedback`."""
    found, feedback = {}, []
    for _ in range(arguments.rounds):
        ours = pinned(arguments.cpu, [bench, f"{robot}_mpc", arguments.cycles, "json"])
        for hessian, entry in ours.items():
            found.setdefault(f"Newton, {hessian}", []).extend(entry["cycles"])
            feedback += entry["feedback"]
        entry = ours["Gauss-Newton"]
        text = peer.cache / "controls.txt"
        text.write_text(" ".join(map(repr, entry["u"])))
        for mu in PENALTIES:
            command = [peer.program, ROOT / "robots" / f"{robot}.urdf", robot, text, arguments.cycles, mu]
            theirs = pinned(arguments.cpu, command)
            off = abs(theirs["other"] - entry["cost"]) / entry["cost"]
            print(f"{robot}, μ {mu:g}: cost of our controls off by {off:.1e}", flush=True)
            if not off <= SAME:
                raise SystemExit(f"{robot}: Aligator's cost of our controls differs from ours by {off:.1e}")
            found.setdefault(f"ProxDDP, μ {mu:g}", []).extend(theirs["cycles"])
    return found, feedback


def late(times):
    return sorted(times)[int((len(times) - 1) * 0.99)]


def page(results, here, arguments):
    count = arguments.rounds * arguments.cycles
    lines = [
        "# A cycle of predictive control, against Aligator",
        "",
        "Written by `python3 benches/peers/mpc.py`, which sets up Aligator, measures both in turn and writes this part.",
        f"{here['date']}, commit {here['commit']}. Machine: {here['processor']}, {here['cores']} cores, {here['system']}; one core, one thread,",
        f"{count} cycles of each in {arguments.rounds} turns. Load of the machine at the start: {here['load']:.1f}. gradyn: the default build, {here['rustc']}, no",
        f"flags. Aligator: {', '.join(PACKAGES[:3])} of PyPI, which are compiled for any x86-64 processor",
        f"(SSE2); the calling code is compiled by {here['compiler']}, `{' '.join(FLAGS)}`.",
        "",
        "Each cycle is two iterations from the last solution, with its multipliers, from a state that is off by up to 1e-3 in each direction.",
        "ProxDDP: Gauss-Newton, `cycleProblem` where the problem shifts, penalties that restart at μ each cycle. **By ProxDDP's**: our median over that of its",
        "fastest penalty. For the controls of our first solution both compute the same cost, to 1e-8.",
        "",
    ]
    for robot, (found, feedback) in results.items():
        fastest = min(statistics.median(times) for name, times in found.items() if name.startswith("ProxDDP"))
        lines += [f"{PROBLEMS[robot]}:", "", "| solver | cycle, ms: median | 99 % | 99 % by median | by ProxDDP's |", "|---|---|---|---|---|"]
        for name, times in found.items():
            middle = statistics.median(times)
            ratio = f"**{middle / fastest:.2f}**" if name.startswith("Newton") else ""
            lines.append(f"| {name} | {middle:.2f} | {late(times):.2f} | {late(times) / middle:.2f} | {ratio} |")
        lines += ["", f"`feedback`: {1e3 * statistics.median(feedback):.1f} µs, 99 % {1e3 * late(feedback):.1f}.", ""]
    lines.append(f"The targets are {WANTED} of ProxDDP's time, and 99 % of all cycles within {STEADY} of the median.")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=300, help="in a row")
    parser.add_argument("--rounds", type=int, default=3, help="turns of all programs")
    parser.add_argument("--bench", help="our program, else it is built")
    parser.add_argument("--cache", default=os.environ.get("GRADYN_PEERS", ROOT / "target" / "peers"))
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core, default the last")
    arguments = parser.parse_args()
    if arguments.cycles < 1 or arguments.rounds < 1:
        parser.error("--cycles, --rounds: at least one")
    bench = arguments.bench or build("mpc")
    try:
        peer = Aligator(Path(arguments.cache).resolve(), "mpc")
        here = machine(peer)
    except (Missing, subprocess.CalledProcessError) as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 3
    results = {robot: measure(bench, peer, arguments, robot) for robot in PROBLEMS}
    text = page(results, here, arguments)
    put(ROOT / "docs" / "benchmarks-trajectory.md", "mpc", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
