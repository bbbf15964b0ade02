#!/usr/bin/env python3
"""How heavy this project is to build: seconds of the compiler, and code by crate.

    python3 benches/build.py           # from empty, in a temporary folder: the table of docs/building.md
    python3 benches/build.py --own     # code of examples/own_function.rs alone, against its bound

Seconds are those of processors, summed over the threads of the compiler; they depend on the machine, so compare two commits on one.
Code is what `nm` finds in what the compiler has made of a crate, and does not: a function of a user holds its own code, and no copy of
a page of the engine, which would be tens of kilobytes each.

Exit codes: 0, or 1 if the user's function has more code than its bound, 3 if there is no `nm`.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Kilobytes of code: 145 are there, the function and the driver of its Hessian at three levels; with copies of pages there were 1437.
OWN_BOUND = 220
CRATES = ["gradyn-derivatives", "gradyn", "gradyn-trajectory", "gradyn-sensitivity", "gradyn-files", "gradyn-cli"]


def run(*command, target, wrapper=None):
    """Seconds of processor, and of waiting."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0"}
    if wrapper:
        environment["RUSTC_WRAPPER"] = str(wrapper)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), os.times().elapsed
    subprocess.run(command, cwd=ROOT, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, os.times().elapsed - start


def functions(*files):
    """Sizes and names of functions in object files."""
    out = subprocess.run(["nm", "-CS", "-t", "d", *map(str, files)], check=True, capture_output=True, text=True).stdout
    found = [line.split(None, 3) for line in out.splitlines()]
    return [(int(row[1]), row[3]) for row in found if len(row) == 4 and row[1].isdigit() and row[2] in "tTW"]


def pages(found):
    """Copies of pages and their pieces: what registers call."""
    return [size for size, name in found if re.search(r"simd::(x86::)?call(_\w+)?\b|dispatch::at_", name)]


def own(target):
    """Kilobytes of code of the example, without what it links, and the copies among it."""
    folder = target / "release" / "examples"
    for old in folder.glob("own_function*.o"):
        old.unlink()
    # `cargo rustc` would build one package alone, with other features, and so the engine again.
    with tempfile.TemporaryDirectory() as wrappers:
        wrapper = Path(wrappers) / "rustc"
        wrapper.write_text(
            '#!/bin/sh\nfor a; do [ "$a" = own_function ] && exec "$@" -C save-temps; done\nexec "$@"\n'
        )
        wrapper.chmod(0o755)
        (ROOT / "examples" / "own_function.rs").touch()
        run("cargo", "build", "--locked", "--release", "--example", "own_function", target=target, wrapper=wrapper)
    objects = list(folder.glob("own_function*.rcgu.o"))
    found = functions(*objects)
    for path in folder.glob("own_function*"):
        if path.suffix in {".o", ".bc"}:
            path.unlink()
    return sum(size for size, _ in found) / 1000, len(pages(found))


def table(target):
    # All at once, as with `-p` cargo would pick other features.
    total = run("cargo", "build", "--locked", "--release", "--timings", target=target)
    page = max((target / "cargo-timings").glob("cargo-timing-*.html"), key=lambda p: p.stat().st_mtime).read_text()
    units = json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);\n", page, re.S)[1])
    waited = {unit["name"]: unit["duration"] for unit in sorted(units, key=lambda unit: unit["duration"])}
    print("| | s of waiting, others beside it | code, MB | copies of pieces |")
    print("|---|---|---|---|")
    for crate in CRATES:
        name = crate.replace("-", "_")
        found = functions(max((target / "release" / "deps").glob(f"lib{name}-*.rlib"), key=lambda p: p.stat().st_mtime))
        size = sum(size for size, _ in found) / 1e6
        print(f"| `{crate}` | {waited[crate]:.0f} | {size:.2f} | {len(pages(found))} |")
    print(f"| first build: {total[0]:.0f} s of processors | {total[1]:.0f} | | |", flush=True)
    run("cargo", "build", "--locked", "--release", "--example", "own_function", target=target)
    (ROOT / "examples" / "own_function.rs").touch()
    seconds, waiting = run("cargo", "build", "--locked", "--release", "--example", "own_function", target=target)
    kilobytes, copies = own(target)
    print(f"| an edit of `own_function`: {seconds:.1f} s | {waiting:.1f} | {kilobytes / 1000:.2f} | {copies} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--own", action="store_true", help="only the code of own_function, against its bound")
    arguments = parser.parse_args()
    if not shutil.which("nm"):
        print("there is no nm", file=sys.stderr)
        return 3
    if not arguments.own:
        with tempfile.TemporaryDirectory() as folder:
            table(Path(folder))
        return 0
    kilobytes, copies = own(Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")))
    print(f"own_function: {kilobytes:.0f} kB of code of its own, {copies} copies of pieces; at most {OWN_BOUND} kB")
    return int(kilobytes > OWN_BOUND)


if __name__ == "__main__":
    sys.exit(main())
