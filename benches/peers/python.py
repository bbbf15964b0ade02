#!/usr/bin/env python3
"""gradyn and Pinocchio from Python, in one process, in turns: writes a part of docs/python.md.

    python benches/peers/python.py                     # a table in Markdown, some two minutes
    python benches/peers/python.py --json out.json     # the figures, too
    python benches/peers/python.py --page              # puts the table into docs/python.md
    python benches/peers/python.py --wheel gradyn.whl  # the size of this wheel

Runs in a Python that has gradyn and `pin`, as from `pip install ./python pin`. Results are compared before they are timed. Each figure
is the least of many repeats; programs take turns, on one core where one thread computes.

Exit codes: 0 measured, 1 results disagree, 2 bad usage, 3 gradyn or Pinocchio cannot be had.
"""

import argparse
import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import threading
import time
import timeit
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Not this folder: it has files of the names of packages.
sys.path = [folder for folder in sys.path if Path(folder or ".").resolve() != Path(__file__).resolve().parent]
ROBOTS = {"panda": False, "solo12": True, "g1": True}
STATES = 10_000
NOT_HERE = 3
# Of a quantity's largest entry.
TOLERANCE = 1e-10


class Disagree(Exception):
    pass


class Robot:
    """One robot, read by both, and a state."""

    def __init__(self, name, floating):
        file = str(ROOT / "robots" / f"{name}.urdf")
        self.m = gradyn.Model.from_urdf(
            file,
            floating_base=floating,
            joint_friction=False,
            joint_order="pinocchio",
            continuous="cos-sin",
            mimic="independent",
        )
        self.model = (
            pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(file)
        )
        self.data = self.model.createData()
        self.q = self.m.random(seed=1)
        self.v, self.a = np.random.default_rng(1).uniform(-1, 1, (2, self.m.nv))

    def names(self):
        """What timed statements see."""
        return {"m": self.m, "q": self.q, "v": self.v, "a": self.a, "model": self.model, "data": self.data, "pin": pin}


def least(statements, names, seconds):
    """The least time of each statement, s: they take turns until the time is over."""
    timers = {key: timeit.Timer(text, globals=names) for key, text in statements.items()}
    numbers, best = {}, dict.fromkeys(timers, float("inf"))
    for key, timer in timers.items():
        once = min(timer.repeat(5, 1))
        numbers[key] = max(1, int(2e-3 / max(once, 1e-9)))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for key, timer in timers.items():
            best[key] = min(best[key], timer.timeit(numbers[key]) / numbers[key])
    return best


def same(what, found, expected):
    size = max(np.abs(expected).max(initial=0.0), 1.0)
    if np.abs(np.asarray(found) - expected).max(initial=0.0) > TOLERANCE * size:
        raise Disagree(what)


def upper(matrix):
    return np.triu(matrix) + np.triu(matrix, 1).T


def calls(robot, seconds):
    """One state a call."""
    m, model, q, v, a = robot.m, robot.model, robot.q, robot.v, robot.a
    names = robot.names()
    names["t"] = np.empty(m.nv)
    names["d"] = tuple(np.empty(np.shape(array), order="F") for array in m.rnea_derivatives(q, v, a))
    names["f"] = tuple(np.empty(np.shape(array), order="F") for array in m.aba_derivatives(q, v, a))
    names["M"] = np.empty((m.nv, m.nv), order="F")
    same("rnea", m.rnea(q, v, a), pin.rnea(model, robot.data, q, v, a))
    same("aba", m.aba(q, v, a), pin.aba(model, robot.data, q, v, a))
    same("crba", m.crba(q), upper(pin.crba(model, model.createData(), q)))
    by = model.createData()
    pin.computeRNEADerivatives(model, by, q, v, a)
    same("dtau_dq", m.rnea_derivatives(q, v, a).dtau_dq, by.dtau_dq)
    pin.computeABADerivatives(model, by, q, v, a)
    same("ddq_dq", m.aba_derivatives(q, v, a).ddq_dq, by.ddq_dq)
    table = {
        "rnea": ("m.rnea(q, v, a)", "m.rnea(q, v, a, out=t)", "pin.rnea(model, data, q, v, a)"),
        "rnea_derivatives": (
            "m.rnea_derivatives(q, v, a)", "m.rnea_derivatives(q, v, a, out=d)", "pin.computeRNEADerivatives(model, data, q, v, a)",
        ),
        "aba": ("m.aba(q, v, a)", "m.aba(q, v, a, out=t)", "pin.aba(model, data, q, v, a)"),
        "aba_derivatives": (
            "m.aba_derivatives(q, v, a)", "m.aba_derivatives(q, v, a, out=f)", "pin.computeABADerivatives(model, data, q, v, a)",
        ),
        "crba": ("m.crba(q)", "m.crba(q, out=M)", "pin.crba(model, data, q)"),
    }  # fmt: skip
    return {
        name: least(dict(zip(("new", "out", "pin"), statements, strict=True)), names, seconds)
        for name, statements in table.items()
    }


def batches(robot, seconds):
    """Many states a call, on one thread: a state's time."""
    m, model = robot.m, robot.model
    q = m.random(STATES, seed=2)
    v, a = np.random.default_rng(2).uniform(-1, 1, (2, STATES, m.nv))
    names = robot.names() | {"Q": q, "V": v, "A": a, "T": np.empty((STATES, m.nv))}
    names |= {"pool": pin.ModelPool(model, 2), "QT": np.asfortranarray(q.T), "VT": np.asfortranarray(v.T)}
    names |= {"AT": np.asfortranarray(a.T), "TT": np.empty((m.nv, STATES), order="F")}
    # One after the other: memory of its own for each state, as results of one call are.
    names["D"] = m.rnea_derivatives(q, v, a, threads=1)
    same("rnea of many", m.rnea(q, v, a), pin.rneaInParallel(1, names["pool"], names["QT"], names["VT"], names["AT"]).T)
    statements = {
        "one thread": "m.rnea(Q, V, A, out=T, threads=1)",
        "two threads": "m.rnea(Q, V, A, out=T, threads=2)",
        "derivatives, one thread": "m.rnea_derivatives(Q, V, A, out=D, threads=1)",
        "pin, loop": "for q, v, a in zip(Q, V, A): pin.rnea(model, data, q, v, a)",
        "pin, one thread": "pin.rneaInParallel(1, pool, QT, VT, AT, TT)",
        "pin, two threads": "pin.rneaInParallel(2, pool, QT, VT, AT, TT)",
        "pin, derivatives, loop": "for q, v, a in zip(Q, V, A): pin.computeRNEADerivatives(model, data, q, v, a)",
    }
    return {key: value / STATES for key, value in least(statements, names, seconds).items()}


def at_once(work, threads):
    """The time that so many threads take for the same work each."""
    start = threading.Barrier(threads + 1)

    def run(number):
        start.wait()
        work(number)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in running:
        thread.join()
    return time.perf_counter() - began


def threads(robot, repeats):
    """Two Python threads at derivatives: their time over that of one."""
    m, model, q, v, a = robot.m, robot.model, robot.q, robot.v, robot.a
    outs = [tuple(np.empty(np.shape(array), order="F") for array in m.rnea_derivatives(q, v, a)) for _ in range(2)]
    datas = [model.createData() for _ in range(2)]

    def ours(number):
        for _ in range(2_000):
            m.rnea_derivatives(q, v, a, out=outs[number])

    def theirs(number):
        for _ in range(500):
            pin.computeRNEADerivatives(model, datas[number], q, v, a)

    def machines(_):
        # Of Python's own, without the interpreter: what this machine gives to two threads.
        for _ in range(2_000):
            hashlib.sha256(text)

    best, text = {}, bytes(12_000)
    for _ in range(repeats):
        for key, work in (("gradyn", ours), ("pin", theirs), ("machine", machines)):
            for count in (1, 2):
                best[key, count] = min(best.get((key, count), float("inf")), at_once(work, count))
    return {key: best[key, 2] / best[key, 1] for key in ("gradyn", "pin", "machine")}


def frameworks(robots, seconds):
    """The time of JAX and PyTorch over that of the same states in one call of NumPy's, where they are installed."""
    found = {}
    m = robots["panda"].m
    q, (v, a) = m.random(1000, seed=3), np.random.default_rng(3).uniform(-1, 1, (2, 1000, m.nv))
    try:
        import jax

        import gradyn.jax

        jax.config.update("jax_enable_x64", True)
    except ImportError:
        pass
    else:
        f = jax.jit(jax.vmap(lambda q, v, a: gradyn.jax.rnea(m, q, v, a)))
        own = [jax.numpy.asarray(x) for x in (q, v, a)]
        same("rnea in JAX", np.asarray(f(*own)), m.rnea(q, v, a))
        names = {"f": f, "x": own, "m": m, "q": q, "v": v, "a": a}
        by = least({"jax": "f(*x).block_until_ready()", "gradyn": "m.rnea(q, v, a)"}, names, seconds)
        found["JAX, `rnea` of panda under `vmap`, 1000 states"] = by["jax"] / by["gradyn"]
    try:
        import torch

        import gradyn.torch
    except ImportError:
        pass
    else:
        m = robots["g1"].m
        q = m.random(4096, seed=3)
        out = np.empty((4096, m.nv, m.nv))
        names = {"m": m, "q": q, "out": out.swapaxes(1, 2), "gt": gradyn.torch}
        names |= {"t": torch.from_numpy(q), "made": torch.empty(4096, m.nv, m.nv, dtype=torch.float64)}
        by = least({"torch": "gt.crba(m, t, out=made)", "gradyn": "m.crba(q, out=out)"}, names, seconds)
        found["PyTorch, `crba` of g1 into `out=`, 4096 states"] = by["torch"] / by["gradyn"]
    return found


def imports(repeats):
    """Seconds of an import after that of NumPy."""
    code = "import numpy, time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"

    def once(name):
        done = subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=True)
        return float(done.stdout)

    return {name: min(once(name) for _ in range(repeats)) for name in ("gradyn", "pinocchio")}


def size(wheel):
    """Megabytes of a wheel, or of the package as a wheel has it."""
    if wheel is not None:
        return wheel.stat().st_size / 1e6
    buffer, folder = io.BytesIO(), Path(gradyn.__file__).parent
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                file.write(path, path.relative_to(folder.parent))
    return len(buffer.getvalue()) / 1e6


def machine():
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    processor = next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
    return {
        "processor": processor, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(), "numpy": np.__version__, "gradyn": gradyn.build_info(), "pin": pin.__version__,
        "date": time.strftime("%Y-%m-%d"),
    }  # fmt: skip


def measure(args):
    robots = {name: Robot(name, floating) for name, floating in ROBOTS.items()}
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    found = {"threads": threads(robots["g1"], args.repeats)}
    if allowed is not None:
        os.sched_setaffinity(0, {max(allowed)})
    found["calls"] = {name: calls(robot, args.seconds) for name, robot in robots.items()}
    if allowed is not None:
        os.sched_setaffinity(0, allowed)
    found["batch"] = batches(robots["panda"], 5 * args.seconds)
    found["frameworks"] = frameworks(robots, 3 * args.seconds)
    found["import"] = imports(args.repeats)
    found["wheel"] = {"megabytes": size(args.wheel), "of": "a wheel" if args.wheel else "the package, compressed"}
    return found | {"machine": machine()}


def us(seconds):
    return f"{seconds * 1e6:.2f}" if seconds < 1e-5 else f"{seconds * 1e6:.1f}"


def table(found):
    """The page's part: one line a figure, with what it was to be."""
    m, batch = found["machine"], found["batch"]
    lines = [
        f"{m['processor']}, {m['cores']} cores, {m['system']}; CPython {m['python']}, NumPy {m['numpy']}, gradyn "
        f"{m['gradyn']['version']} ({m['gradyn']['level']}), pin {m['pin']}; {m['date']}. Least of many repeats, in turns.",
        "",
        "One state a call, μs:",
        "",
        "| | robot | new arrays | `out=` | pin | of pin's |",
        "|---|---|---|---|---|---|",
    ]
    for function in next(iter(found["calls"].values())):
        for robot, of in found["calls"].items():
            x = of[function]
            lines.append(
                f"| `{function}` | {robot} | {us(x['new'])} | {us(x['out'])} | {us(x['pin'])} | {x['new'] / x['pin']:.2f} |"
            )
    lines += [
        "",
        f"{STATES} states of panda a call, μs a state:",
        "",
        "| | gradyn | pin | of pin's |",
        "|---|---|---|---|",
    ]
    rows = [
        ("inverse dynamics, one thread", "one thread", "pin, one thread", "`rneaInParallel`"),
        ("inverse dynamics, two threads", "two threads", "pin, two threads", "`rneaInParallel`"),
        ("inverse dynamics, a loop in pin", "one thread", "pin, loop", "loop"),
        ("derivatives, one thread, a loop in pin", "derivatives, one thread", "pin, derivatives, loop", "loop"),
    ]
    for name, ours, theirs, how in rows:
        lines.append(
            f"| {name} | {batch[ours] * 1e6:.3f} | {batch[theirs] * 1e6:.2f} ({how}) | {batch[ours] / batch[theirs]:.2f} |"
        )
    lines += [
        "",
        "| | gradyn | pin |",
        "|---|---|---|",
        f"| two Python threads, derivatives of g1, over one's time (SHA-256 of `hashlib`: {found['threads']['machine']:.2f}) "
        f"| {found['threads']['gradyn']:.2f} | {found['threads']['pin']:.2f} |",
        f"| import after NumPy's, ms | {found['import']['gradyn'] * 1e3:.1f} | {found['import']['pinocchio'] * 1e3:.1f} |",
        *(f"| {name}, over the call with NumPy's arrays | {x:.2f} | – |" for name, x in found["frameworks"].items()),
        f"| size of {found['wheel']['of']}, MB | {found['wheel']['megabytes']:.1f} | – |",
    ]
    return "\n".join(lines)


def goals(found):
    """What was to be reached: name, found, at most."""
    calls, batch = found["calls"], found["batch"]
    panda = calls["panda"]["rnea"]
    return [
        ("rnea of panda, μs", panda["new"] * 1e6, 0.50),
        ("rnea of panda, of pin's", panda["new"] / panda["pin"], 0.40),
        *(
            (
                f"rnea_derivatives of {name}, of pin's",
                of["rnea_derivatives"]["new"] / of["rnea_derivatives"]["pin"],
                0.30,
            )
            for name, of in calls.items()
        ),
        ("10 000 states, of rneaInParallel's", batch["one thread"] / batch["pin, one thread"], 0.15),
        ("two Python threads, of one's time", found["threads"]["gradyn"], 1.2),
        *((f"{name}, of NumPy's", x, 2.0 if "JAX" in name else 1.3) for name, x in found["frameworks"].items()),
        ("import after NumPy's, ms", found["import"]["gradyn"] * 1e3, 10.0),
        ("wheel, MB", found["wheel"]["megabytes"], 8.0),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each function and robot (default: 2)")
    parser.add_argument("--repeats", type=int, default=15, help="of threads and imports (default: 15)")
    parser.add_argument("--wheel", type=Path, help="a wheel whose size is given")
    parser.add_argument("--json", type=Path, help="where the figures go")
    parser.add_argument("--page", action="store_true", help="puts the table into docs/python.md")
    args = parser.parse_args()
    global gradyn, np, pin
    try:
        import gradyn
        import numpy as np
        import pinocchio as pin
    except ImportError as error:
        print(f"no comparison: {error}", file=sys.stderr)
        return NOT_HERE
    try:
        found = measure(args)
    except Disagree as error:
        print(f"results disagree: {error}", file=sys.stderr)
        return 1
    text = table(found)
    print(text)
    print("\n| | found | at most |\n|---|---|---|")
    for name, x, most in goals(found):
        print(f"| {name} | {x:.2f} | {most:g}{'' if x <= most else ' **more**'} |")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1, default=str) + "\n")
    if args.page:
        sys.path.append(str(Path(__file__).resolve().parent))
        import page

        page.put(ROOT / "docs" / "python.md", "speed", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
