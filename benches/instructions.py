#!/usr/bin/env python3
"""Counts the instructions of a call with valgrind's callgrind, and compares them with those of instructions.json.

    python3 benches/instructions.py            # compare
    python3 benches/instructions.py --write    # store

Then those of every public generic function over numbers with eight derivatives, at the plain level and at AVX2: where a
function does not run at the level of its numbers, each operation on a register is a call, and AVX2 takes several times as
many. Of these nothing is stored; the levels are compared with each other.

Times on shared machines wander by tens of percents; instructions do not. AVX-512 is nothing that valgrind knows, so the
level is AVX2. What the compiler makes depends on its version: counts of another one are shown, and fail nothing.

Exit codes: 0 as stored, 1 some take more instructions than they did or than at a lower level, 3 there is no valgrind.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORED = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.03
# Registers twice as wide take about half of the instructions; more than those of the level below is a fault.
ABOVE = 1.1
# The difference is what the calls take, without all that comes before. What comes before wanders by 10 000 instructions
# from run to run (hash tables with random keys, while the robot file is read), so that 20 calls of 4 000 would wander by
# an eighth; over 1 000 calls it is less than 0.3 % of the shortest.
FEW, MANY = 4, 1004
CASES = [
    *(f"{function} panda" for function in (
        "rnea", "rnea/dual8", "crba", "aba", "minv", "coriolis_matrix", "rnea_gradient", "rnea_derivatives",
        "rnea_derivatives/dual",
        "aba_derivatives", "rnea_second_derivatives", "batch/rnea", "batch/rnea_derivatives")),
    *(f"{function} solo12" for function in (
        "rnea", "aba", "rnea_derivatives", "aba_derivatives", "constraint_dynamics_derivatives", "batch/rnea_derivatives")),
]  # fmt: skip


def programs(*names):
    benches = [x for name in names for x in ("--bench", name)]
    command = ["cargo", "bench", *benches, "--no-run", "--message-format", "json", "--locked"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    made = {x["target"]["name"]: x["executable"] for x in found if x.get("executable")}
    return [made[name] for name in names]


def total(executable, case, calls):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", executable, *case.split(), str(calls)]
        environment = {**os.environ, "GRADYN_LEVEL": "avx2"}
        subprocess.run(command, check=True, capture_output=True, env=environment)
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1])


def at_level(executable, level):
    """Instructions of three calls of each case: callgrind writes what it has counted at each call of `mark`."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        options = [f"--callgrind-out-file={out}", "--dump-before=*levels::mark*"]
        command = ["valgrind", "--tool=callgrind", *options, executable, "3"]
        environment = {**os.environ, "GRADYN_LEVEL": level}
        ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        cases = ran.stdout.splitlines()
        # What comes before a case, the case, what comes before the next one, …
        dumps = [Path(f"{out}.{2 * k + 2}") for k in range(len(cases))]
        counts = [int(re.search(r"^(?:summary|totals): (\d+)", dump.read_text(), re.M)[1]) for dump in dumps]
        return dict(zip(cases, counts))


# Not generic.
OVER_F64 = {"constraint_rank"}


def functions():
    """Names of the public generic functions of the engine, as `src/dynamics/mod.rs` exports them."""
    source = (ROOT / "src/dynamics/mod.rs").read_text()
    exports = re.findall(r"^pub use \w+::(?:\{([^}]*)\}|(\w+));", source, re.M)
    return {name for group in exports for name in re.findall(r"\b[a-z]\w*", " ".join(group))} - OVER_F64


def compare_levels(executable):
    """Are there functions that take more at AVX2 than at the plain level, or that are not counted?"""
    plain, wide = at_level(executable, "plain"), at_level(executable, "avx2")
    worse = []
    for case, count in plain.items():
        ratio = wide[case] / count
        print(f"{case:40} {count:>10} {wide[case]:>10} {ratio:8.2f}")
        if ratio > ABOVE:
            worse.append(case)
    missing = sorted(name for name in functions() if name not in plain)
    if worse:
        print(f"more than {ABOVE} of the plain level at AVX2: {', '.join(worse)}")
        print("what does arithmetic over T has to be inlined into a piece: see src/level.rs")
    if missing:
        print(f"no case in benches/levels.rs: {', '.join(missing)}")
    return bool(worse or missing)


def main():
    if not shutil.which("valgrind"):
        print("not counted: there is no valgrind here")
        return 3
    executable, levels = programs("instructions", "levels")
    # Not a matter of the compiler's version.
    failed = "--write" not in sys.argv and compare_levels(levels)
    counted = {case: (total(executable, case, MANY) - total(executable, case, FEW)) // (MANY - FEW) for case in CASES}
    rustc = subprocess.check_output(["rustc", "--version"], text=True).strip()
    if "--write" in sys.argv:
        STORED.write_text(json.dumps({"rustc": rustc, "level": "avx2", "instructions": counted}, indent=1) + "\n")
        return 0
    if not STORED.exists():
        for case, now in counted.items():
            print(f"{case:40} {now:>10}")
        print("there is nothing to compare with yet: python3 benches/instructions.py --write")
        return int(failed)
    stored = json.loads(STORED.read_text())
    worse = []
    for case, now in counted.items():
        before = stored["instructions"].get(case)
        change = now / before - 1 if before else 0.0
        print(f"{case:40} {now:>10} {change:+8.1%}")
        if change > TOLERANCE or not before:
            worse.append(case)
    if stored["rustc"] != rustc:
        print(f"stored of {stored['rustc']}, here is {rustc}: not judged")
        return int(failed)
    if worse:
        print(f"more than {TOLERANCE:.0%} above what is stored, or not stored: {', '.join(worse)}")
        print("if that is right: python3 benches/instructions.py --write")
    return int(failed or bool(worse))


if __name__ == "__main__":
    sys.exit(main())
