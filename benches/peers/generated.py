#!/usr/bin/env python3
"""Generated code beside CasADi's C and the engine, in one run: writes a part of docs/generate.md.

    cargo build --release && python benches/peers/generated.py          # a table in Markdown
    python benches/peers/generated.py --page                            # puts it into docs/generate.md

CasADi's C is what CasADi writes for the same expressions (`--language casadi`), with common subexpressions found, and derivatives by
its own differentiation. All is compiled for this processor, or for AVX2 alone; times are the least of many repeats, in turns. Pinocchio
is its library of PyPI in a C++ program, by clang where it can be had, as `run.py` compiles it (cache: GRADYN_PEERS, else target/peers).

Exit codes: 0 measured, 1 results disagree, 2 bad usage, 3 casadi or a compiler cannot be had.
"""

import argparse
import ctypes
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))
from setup import Missing, Peers  # noqa: E402

sys.path.pop(0)

ROBOTS = {"ur5": [], "panda": [], "solo12": ["--floating-base"]}
STATES = 64
NOT_HERE = 3
# Of the largest entry: other orders of sums.
TOLERANCE = 1e-11
BEGIN, END = "<!-- speed -->", "<!-- end of speed -->"

HARNESS = r"""
#include <time.h>
typedef int (*call)(const double**, double**, long long*, double*, int);
double measure(call f, int inputs, int outputs, const double* states, const int* sizes, int count, int repeats, double* work, double* to) {
  const double* arg[16];
  double* res[16];
  long long iw[16];
  for (int o = 0; o < outputs; ++o) res[o] = to + 4096 * o;
  double best = 1e300;
  int all = 0;
  for (int i = 0; i < inputs; ++i) all += sizes[i];
  for (int r = 0; r < repeats; ++r) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int s = 0; s < count; ++s) {
      const double* x = states + (long)s * all;
      for (int i = 0; i < inputs; ++i) { arg[i] = x; x += sizes[i]; }
      f(arg, res, iw, work, 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    double t = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
    if (t < best) best = t;
  }
  return best / count;
}
"""


def run(*command, **options):
    done = subprocess.run([str(of) for of in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def seconds(f):
    begin = time.perf_counter()
    f()
    return time.perf_counter() - begin


def wrapper(function, inputs, outputs):
    """A function of the generated Rust as CasADi calls it."""
    given = ", ".join(f"&*(*a.add({k}) as *const [f64; {n}])" for k, n in enumerate(inputs))
    taken = ", ".join(f"&mut *(*r.add({k}) as *mut [f64; {n}])" for k, n in enumerate(outputs))
    return f"""
#[unsafe(no_mangle)]
pub unsafe extern "C" fn c_{function}(a: *const *const f64, r: *const *mut f64, _: *mut i64, _: *mut f64, _: i32) -> i32 {{
    unsafe {{ generated::{function}({given}, {taken}) }};
    0
}}
"""  # Functions with legs in registers are unsafe to call, on processors without AVX2.


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--gradyn", default=ROOT / "target/release/gradyn", type=Path)
    given = parser.parse_args()
    try:
        import casadi
        import numpy as np
    except ImportError as error:
        print(error)
        return NOT_HERE
    lines, rows, built = [], [], {}
    try:
        programs = Peers(os.environ.get("GRADYN_PEERS", ROOT / "target" / "peers"))
    except Missing as error:
        print(error)
        return NOT_HERE
    with tempfile.TemporaryDirectory() as room:
        room = Path(room)
        (room / "harness.c").write_text(HARNESS)
        run("cc", "-O2", "-shared", "-fPIC", room / "harness.c", "-o", room / "harness.so")
        harness = ctypes.CDLL(str(room / "harness.so"))
        harness.measure.restype = ctypes.c_double
        for robot, options in ROBOTS.items():
            file = ROOT / "robots" / f"{robot}.urdf"
            folder = {}
            for language in ("rust", "c", "casadi"):
                folder[language] = room / f"{robot}_{language}"
                wanted = "rnea,rnea_derivatives" if language != "casadi" else "rnea"
                more = {"rust": ["--std", "--fuse", "--legs"], "c": ["--derivatives", "0", "--fuse", "--legs"], "casadi": []}[language]
                command = [given.gradyn, "generate", file, *options, "--function", wanted, "--language", language]
                built[robot, language] = seconds(lambda: run(*command, *more, "--output", folder[language]))
            name = next(folder["rust"].glob("*_test.rs")).name.removesuffix("_test.rs")
            spec = importlib.util.spec_from_file_location("module", folder["casadi"] / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            info = json.loads(run(given.gradyn, "info", file, *options, "--json"))
            nq, nv = info["nq"], info["nv"]
            q, v, a = casadi.SX.sym("q", nq), casadi.SX.sym("v", nv), casadi.SX.sym("a", nv)
            tau = module.rnea(q, v, a)
            share = {"cse": True}
            plain = casadi.Function("rnea", [q, v, a], [tau], share)
            # By the numbers of q: as many columns as CasADi's users have.
            by = casadi.Function("rnea_derivatives", [q, v, a], [tau, *(casadi.jacobian(tau, x) for x in (q, v, a))], share)
            writer = casadi.CodeGenerator("peer.c")
            writer.add(plain)
            writer.add(by)
            writer.generate(f"{room}/{robot}_")
            rng = np.random.default_rng(0)
            states = rng.uniform(-1, 1, (STATES, nq + 2 * nv))
            if nq > nv:
                states[:, 3:7] /= np.linalg.norm(states[:, 3:7], axis=1, keepdims=True)
            states = np.ascontiguousarray(states)
            text = programs.describe(robot, file, bool(options)) / "robot.txt"
            names = ("rnea", "computeRNEADerivatives")
            pinocchio = {name: json.loads(run(programs.pinocchio, text, "time", name))["results"][name] for name in names}
            levels = [("AVX2", "haswell", "haswell")]
            if "avx512f" in Path("/proc/cpuinfo").read_text():
                levels.append(("AVX-512", "native", "native"))
            for level, machine, rust in levels:
                libraries = {}
                flags = ["-O3", f"-march={machine}", "-shared", "-fPIC"]
                peer = []
                for compiler in ("gcc", "clang"):
                    out = room / f"{robot}_{level}_{compiler}.so"
                    try:
                        built[robot, level, compiler] = seconds(
                            lambda: run(compiler, *flags, "-ffast-math", room / f"{robot}_peer.c", "-lm", "-o", out)
                        )
                    except FileNotFoundError:
                        continue
                    peer.append(ctypes.CDLL(str(out)))
                ours = room / f"{robot}_{level}_ours.so"
                built[robot, level, "c"] = seconds(lambda: run("gcc", *flags, folder["c"] / f"{name}.c", "-lm", "-o", ours))
                libraries["C"] = ctypes.CDLL(str(ours))
                source = (folder["rust"] / f"{name}.rs").read_text()
                for_c = wrapper("rnea", [nq, nv, nv], [nv])
                for_c += wrapper("rnea_derivatives", [nq, nv, nv], [nv, nv * nv, nv * nv, nv * nv])
                (folder["rust"] / "generated.rs").write_text(source)
                (folder["rust"] / "lib.rs").write_text("mod generated;" + for_c)
                out = room / f"{robot}_{level}_rust.so"
                built[robot, level, "rust"] = seconds(
                    lambda: run("rustc", "--edition", "2024", "--crate-type", "cdylib", "-C", "opt-level=3", "-C", f"target-cpu={rust}", folder["rust"] / "lib.rs", "-o", out)
                )
                libraries["Rust"] = ctypes.CDLL(str(out))
                work, to = np.zeros(1 << 16), np.zeros((4, 4096))

                def time_of(library, function, outputs):
                    sizes = np.array([nq, nv, nv], dtype=np.int32)
                    pointer = lambda x: x.ctypes.data_as(ctypes.c_void_p)
                    best = harness.measure(getattr(library, function), 3, outputs, pointer(states), pointer(sizes), STATES, 3000, pointer(work), pointer(to))
                    return best, to[0, :nv].copy()

                environment = {**os.environ, **({"GRADYN_LEVEL": "avx2"} if level == "AVX2" else {})}
                bench = json.loads(run(given.gradyn, "bench", file, *options, "--json", env=environment))
                for function, outputs in (("rnea", 1), ("rnea_derivatives", 4)):
                    peers = [time_of(library, function, outputs) for library in peer]
                    found = {"Rust": time_of(libraries["Rust"], f"c_{function}", outputs), "C": time_of(libraries["C"], function, outputs)}
                    right = peers[0][1]
                    for language, (_, tau_found) in found.items():
                        if not np.allclose(tau_found, right, rtol=0, atol=TOLERANCE * np.abs(right).max()):
                            print(f"{robot} {function} {language}: {tau_found} {right}")
                            return 1
                    engine = engine_time(bench, function)
                    casadi_time = min(peer for peer, _ in peers)
                    ours = min(time for time, _ in found.values())
                    native = engine_time({"results": pinocchio}, function)
                    ratio = ours / min(casadi_time, engine)
                    rows.append((robot, function, level, found["Rust"][0], found["C"][0], casadi_time, native, engine, ratio))
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    lines.append(f"{cpu}, {os.cpu_count()} cores; casadi {casadi.__version__}, {run('gcc', '--version').splitlines()[0]}, {run('rustc', '--version').strip()}; {time.strftime('%Y-%m-%d')}.")
    lines.append(f"Least of 3 000 repeats of 64 states, ns; generated code with `--fuse --legs`, compiled for the processor as CasADi's is (`-O3 -march`; CasADi's with `-ffast-math`). Pinocchio 4.1.0, {programs.compiler_version}, `-O3 -march=native`.")
    lines.append("")
    lines.append("| robot | function | level | generated Rust | generated C | CasADi's C | Pinocchio | engine | generated, of the faster of these |")
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for robot, function, level, rust, c, peer, native, engine, ratio in rows:
        lines.append(f"| {robot} | `{function}` | {level} | {rust:.0f} | {c:.0f} | {peer:.0f} | {native:.0f} | {engine:.0f} | {ratio:.2f} |")
    lines.append("")
    lines.append(
        f"Generation of panda's Rust took {built['panda', 'rust']:.2f} s, its compilation {built['panda', level, 'rust']:.1f} s (Rust, `opt-level=3`) and "
        f"{built['panda', level, 'c']:.1f} s (C, `-O3`); CasADi's C took {built['panda', level, 'gcc']:.1f} s."
    )
    text = "\n".join(lines)
    print(text)
    if given.page:
        page = ROOT / "docs/generate.md"
        old = page.read_text()
        begin = old.index(BEGIN)
        end = old.index(END) + len(END) if END in old else begin + len(BEGIN)
        page.write_text(old[:begin] + f"{BEGIN}\n{text}\n{END}" + old[end:])
    return 0


def engine_time(bench, function):
    """ns a state, of the engine's formulas."""
    names = {"rnea": "rnea", "rnea_derivatives": "computeRNEADerivatives"}
    return bench["results"][names[function]]["min_ns"]


if __name__ == "__main__":
    sys.exit(main())
