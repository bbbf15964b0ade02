#!/usr/bin/env python3
"""Compares the optima of `Newton` with those of Ipopt and Fatrop on the same programs: our functions, our derivatives, the same guess.

    cargo build --release -p gradyn-trajectory --example nlp_library
    python3 conformance/optima.py                                # every problem, as it is
    python3 conformance/optima.py panda_limits quadrotor
    python3 conformance/optima.py double_pendulum --starts 10    # from random starts
    python3 conformance/optima.py solo12_jump --starts 1         # from a stand, with the torques that it takes

Both solvers come with CasADi's wheel: Ipopt 3.14 with MUMPS, Fatrop 1.1; they call the library directly, no Python in between. The
first run makes an environment in `target/optima-venv`. Times are wall times of solving; for Newton the least of three, for the others
of one. Exit codes: 0 all agree, 1 some deviate, 2 bad usage, 3 the packages or the library cannot be had.
"""

import argparse
import ctypes as c
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "optima-venv"
PACKAGES = ["casadi==3.8.2", "numpy"]
LIBRARY = ROOT / "target" / "release" / "examples" / "libnlp_library.so"
NO_PACKAGES = 3

PROBLEMS = ["panda_reach", "panda_bounded", "panda_limits", "panda_capsule", "quadrotor", "double_pendulum"]
ITERATIONS, TOLERANCE = 500, 1e-9
# Of costs and multipliers, relative to the largest; of what bounds are violated by, relative to their size: `Newton` widens them by 1e-8 of
# that, as Ipopt does, and ends at 1e-9.
COST, MULTIPLIERS, VIOLATION = 1e-7, 1e-4, 1.1e-8


def install():
    """This program again, in an environment that has the packages."""
    python = VENV / "bin" / "python"
    try:
        if not python.exists():
            venv.create(VENV, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    except subprocess.CalledProcessError as error:
        print(f"the packages cannot be had from PyPI: {error}", file=sys.stderr)
        sys.exit(NO_PACKAGES)
    os.execv(python, [python, __file__, *sys.argv[1:]])


try:
    import casadi as ca
    import numpy as np
except ImportError:
    install()


def pointer(array):
    return array.ctypes.data_as(c.c_void_p)


class Program:
    """A problem of the library."""

    def __init__(self, library, name, seed, fatrop=False):
        self.library = library
        if library.gradyn_choose(name.encode(), c.c_int64(seed), int(fatrop)):
            raise ValueError(f"there is no program of `{name}`, seed {seed}")
        size = np.zeros(5, dtype=np.int64)
        library.gradyn_dimensions(pointer(size))
        self.variables, self.rows, self.nodes = (int(n) for n in size[:3])
        self.entries = size[3:]
        self.stages = np.zeros((self.nodes, 3), dtype=np.int64)
        library.gradyn_stages(pointer(self.stages))
        x, g = np.zeros((3, self.variables)), np.zeros((2, self.rows))
        library.gradyn_bounds(pointer(x), pointer(g))
        (self.lbx, self.ubx, self.guess), (self.lbg, self.ubg) = x, g

    def newton(self):
        w, bounds, lam, info = np.zeros(self.variables), np.zeros(self.variables), np.zeros(self.rows), np.zeros(5)
        status = c.create_string_buffer(200)
        if self.library.gradyn_newton(pointer(w), pointer(bounds), pointer(lam), pointer(info), status):
            raise ValueError("the trajectory is out of reach of the base")
        cost, iterations, _, solved, seconds = info
        return self.result("Newton", w, lam, bounds, cost, iterations, seconds, solved > 0, status.value.decode())

    def solve(self, solver):
        options = {"print_time": False, "error_on_fail": False, "record_time": True, "calc_lam_p": False}
        if solver == "ipopt":
            options["ipopt"] = {"print_level": 0, "sb": "yes", "tol": TOLERANCE, "max_iter": ITERATIONS}
            options["ipopt"] |= {"constr_viol_tol": TOLERANCE, "dual_inf_tol": 1e-6, "linear_solver": "mumps"}
        else:
            nx, nu, ng = (list(map(int, column)) for column in self.stages.T)
            options |= {"structure_detection": "manual", "N": self.nodes - 1, "nx": nx, "nu": nu, "ng": ng}
            options["fatrop"] = {"print_level": 0, "tol": TOLERANCE, "max_iter": ITERATIONS}
        function = ca.nlpsol("solver", solver, str(LIBRARY), options)
        args = {"x0": self.guess, "lbx": self.lbx, "ubx": self.ubx, "lbg": self.lbg, "ubg": self.ubg}
        found = function(**args)
        stats = function.stats()
        flat = {key: np.array(found[key]).flatten() for key in ("x", "lam_g", "lam_x")}
        iterations = stats.get("iter_count", -1)
        seconds = stats.get("t_wall_total", float("nan"))
        return self.result(
            solver.capitalize(), flat["x"], flat["lam_g"], flat["lam_x"], float(found["f"]), iterations, seconds,
            bool(stats["success"]), str(stats.get("return_status", stats.get("unified_return_status", ""))),
        )

    def result(self, name, x, lam, bounds, cost, iterations, seconds, solved, status):
        return {
            "solver": name, "x": x, "lam": lam, "bounds": bounds, "cost": cost, "iterations": int(iterations),
            "seconds": seconds, "solved": solved, "status": status, "violation": self.violation(x),
        }

    def violation(self, x):
        g = np.array(ca.external("nlp_g", str(LIBRARY))(x, ca.DM(0, 0))).flatten()
        most = 0.0
        for lower, at, upper in [(self.lbg, g, self.ubg), (self.lbx, x, self.ubx)]:
            for sign, bound in [(1, lower), (-1, upper)]:
                size = np.maximum(1.0, np.abs(np.where(np.isfinite(bound), bound, 0.0)))
                most = max(most, (sign * (bound - at) / size).max(initial=0.0))
        return most


def relative(a, b):
    return float(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


def compare(library, name, seed, solvers):
    """Lines of one problem; whether those that have solved it agree."""
    newton = Program(library, name, seed).newton()
    found = [newton]
    for solver in solvers:
        try:
            found.append(Program(library, name, seed, solver == "fatrop").solve(solver))
        except Exception as error:  # a program of others may do anything
            print(f"{name:16} {seed:4d} {solver:7} {error}")
    agree = True
    for result in found:
        line = (
            f"{name:16} {seed:4d} {result['solver']:7} {'yes' if result['solved'] else 'no ':3} "
            f"{result['iterations']:5d} {1e3 * result['seconds']:9.1f} {result['cost']:19.12e} {result['violation']:8.1e}"
        )
        if result is not newton and result["solved"] and newton["solved"]:
            cost = abs(result["cost"] - newton["cost"]) / max(1e-9, abs(result["cost"]))
            off = [relative(newton[key], result[key]) for key in ("x", "lam", "bounds")]
            same = cost <= COST
            good = same and max(off[1:]) <= MULTIPLIERS
            better = newton["cost"] < result["cost"]
            line += f"   cost {cost:.1e} x {off[0]:.1e} λ {off[1]:.1e} z {off[2]:.1e}"
            line += "" if good else "   ANOTHER OPTIMUM, " + ("Newton's is better" if better else "Newton's is worse")
            agree &= same and max(off[1:]) <= MULTIPLIERS
        elif not result["solved"]:
            line += f"   {result['status']}"
        print(line, flush=True)
    agree &= newton["solved"] and newton["violation"] <= VIOLATION
    return agree, [(r["solver"], r["solved"], r["iterations"], r["seconds"], r["cost"]) for r in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=PROBLEMS)
    parser.add_argument("--starts", type=int, default=0, help="random starts, in place of the problem's own")
    parser.add_argument("--solvers", nargs="+", default=["ipopt", "fatrop"], choices=["ipopt", "fatrop"])
    arguments = parser.parse_args()
    if not LIBRARY.exists():
        print(f"there is no {LIBRARY}: cargo build --release -p gradyn-trajectory --example nlp_library")
        return NO_PACKAGES
    library = c.CDLL(str(LIBRARY))
    print("problem          seed solver  ok  iterations      ms                cost violation   off from Newton's")
    all_agree, table = True, {}
    for name in arguments.problems:
        for seed in range(arguments.starts) if arguments.starts else [-1]:
            agree, lines = compare(library, name, seed, arguments.solvers)
            all_agree &= agree
            for line in lines:
                table.setdefault((name, line[0]), []).append(line)
    if arguments.starts:
        for (name, solver), lines in table.items():
            solved = [line for line in lines if line[1]]
            middle = lambda k: float(np.median([line[k] for line in solved])) if solved else float("nan")
            print(f"{name:16} {solver:7} solved {len(solved)} of {len(lines)}, median {middle(2):.0f} iterations, {1e3 * middle(3):.1f} ms")
    return 0 if all_agree else 1


if __name__ == "__main__":
    sys.exit(main())
