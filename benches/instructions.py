#!/usr/bin/env python3
"""Counts the instructions of a call with valgrind's callgrind, and compares them with those of instructions.json.

    python3 benches/instructions.py            # compare
    python3 benches/instructions.py --write    # store

Times on shared machines wander by tens of percents; instructions do not. AVX-512 is nothing that valgrind knows, so the
level is AVX2. What the compiler makes depends on its version: counts of another one are shown, and fail nothing.

Exit codes: 0 as stored, 1 some take more instructions than they did, 3 there is no valgrind.
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
# The difference is what the calls take, without all that comes before. What comes before wanders by 10 000 instructions
# from run to run (hash tables with random keys, while the robot file is read), so that 20 calls of 4 000 would wander by
# an eighth; over 1 000 calls it is less than 0.3 % of the shortest.
FEW, MANY = 4, 1004
CASES = [
    *(f"{function} panda" for function in (
        "rnea", "rnea/dual8", "rnea/dual8/formulas", "crba", "aba", "minv", "coriolis_matrix", "rnea_gradient", "rnea_derivatives",
        "rnea_derivatives/dual",
        "aba_derivatives", "rnea_second_derivatives", "batch/rnea", "batch/rnea_derivatives")),
    *(f"{function} solo12" for function in (
        "rnea", "aba", "rnea_derivatives", "aba_derivatives", "constraint_dynamics_derivatives", "batch/rnea_derivatives")),
]  # fmt: skip


def program():
    command = ["cargo", "bench", "--bench", "instructions", "--no-run", "--message-format", "json", "--locked"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return next(x["executable"] for x in found if x.get("executable") and x["target"]["name"] == "instructions")


def total(executable, case, calls):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", executable, *case.split(), str(calls)]
        environment = {**os.environ, "GRADYN_LEVEL": "avx2"}
        subprocess.run(command, check=True, capture_output=True, env=environment)
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1])


def main():
    if not shutil.which("valgrind"):
        print("not counted: there is no valgrind here")
        return 3
    executable = program()
    counted = {case: (total(executable, case, MANY) - total(executable, case, FEW)) // (MANY - FEW) for case in CASES}
    rustc = subprocess.check_output(["rustc", "--version"], text=True).strip()
    if "--write" in sys.argv:
        STORED.write_text(json.dumps({"rustc": rustc, "level": "avx2", "instructions": counted}, indent=1) + "\n")
        return 0
    if not STORED.exists():
        for case, now in counted.items():
            print(f"{case:40} {now:>10}")
        print("there is nothing to compare with yet: python3 benches/instructions.py --write")
        return 0
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
        return 0
    if worse:
        print(f"more than {TOLERANCE:.0%} above what is stored, or not stored: {', '.join(worse)}")
        print("if that is right: python3 benches/instructions.py --write")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
