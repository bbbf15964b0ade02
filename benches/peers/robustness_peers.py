"""Solves from random starts by Crocoddyl's FDDP and mim_solvers' SQP. Runs in the peers' Python.

    robustness_peers.py STARTS.json RESULTS.json

Takes what the benchmark `robustness` of gradyn-trajectory has written, solves the problems as `with_crocoddyl.py` states them, and
writes {problem: {solver: [{solved, iterations, cost, seconds, x, u}, …]}}.
"""

import json
import sys
import time
from pathlib import Path

import crocoddyl
import mim_solvers
import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "trajectory" / "tests" / "golden"))
import with_crocoddyl

ITERATIONS = 500


def fddp(problem):
    """Crocoddyl's solver with its own constants; its criterion is an expected improvement below 1e-9, and no gaps."""
    solver = crocoddyl.SolverFDDP(problem)
    solver.th_stop = 1e-9
    return solver


def sqp(problem):
    """mim_solvers' solver with its own constants and filter; its criterion is a KKT norm (largest entry) of 1e-6 at most."""
    solver = mim_solvers.SolverSQP(problem)
    assert solver.use_filter_line_search
    solver.termination_tolerance = 1e-6
    return solver


SOLVERS = {"Crocoddyl FDDP": fddp, "mim_solvers SQP": sqp}


def solve(make, problem, start):
    problem.x0 = np.array(start["x"])
    xs, us = [problem.x0] * (problem.T + 1), [np.array(u) for u in start["u"]]
    solver = make(problem)
    began = time.perf_counter()
    # An exception counts as not solved: there is no trajectory then.
    try:
        solved = solver.solve(xs, us, ITERATIONS, False, 1e-9)
    except Exception as error:
        return {"solved": False, "status": str(error).splitlines()[0], "iterations": solver.iter, "cost": None, "seconds": 0.0}
    x, u = ([list(map(float, part)) for part in parts] for parts in (solver.xs, solver.us))
    return {
        "solved": bool(solved), "status": "", "iterations": solver.iter, "cost": float(solver.cost),
        "seconds": time.perf_counter() - began, "x": x, "u": u,
    }  # fmt: skip


def main():
    all_starts, results = json.loads(Path(sys.argv[1]).read_text()), {}
    for name, starts in all_starts.items():
        problem = with_crocoddyl.PROBLEMS[name]()
        problem.nthreads = 1
        results[name] = {title: [] for title in SOLVERS}
        for k, start in enumerate(starts):
            for title, make in SOLVERS.items():
                results[name][title].append(solve(make, problem, start))
            print(f"\r{name}: {k + 1} of {len(starts)}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    Path(sys.argv[2]).write_text(json.dumps(results))


if __name__ == "__main__":
    main()
