"""Times an iteration of Crocoddyl on the three problems of trajectory/problems. Runs in the peers' Python.

    iteration.py ITERATIONS [PROBLEM ...]

Prints JSON as the benchmark `iteration` of gradyn-trajectory does: the least time of the model (`calcDiff`), of the sweep
(`backwardPass`) and of a roll-out (`forwardPass`, which calls `calc`), ns, at the solution.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "trajectory" / "tests" / "golden"))
import with_crocoddyl


def measure(problem, iterations):
    solver, found = with_crocoddyl.solve(problem)
    solver.setCallbacks([])
    # From its second iteration on, the solver does not compute values again that the roll-out has left.
    assert solver.iter > 0 and solver.isFeasible
    parts = [solver.calcDiff, solver.backwardPass, lambda: solver.forwardPass(1.0)]
    least = [float("inf")] * 4
    for _ in range(iterations):
        problem.calc(list(solver.xs), list(solver.us))  # as an accepted roll-out leaves it; not timed
        times = [time.perf_counter_ns()]
        for part in parts:
            part()
            times.append(time.perf_counter_ns())
        spent = [end - start for start, end in zip(times, times[1:])]
        least = [min(pair) for pair in zip(least, [*spent, times[-1] - times[0]])]
    names = ("model", "sweep", "roll_out", "iteration")
    norm = np.linalg.norm
    return {
        "nodes": problem.T + 1, "ndx": problem.ndx, "nu": problem.runningModels[0].nu, "iterations": len(found["iterations"]),
        **dict(zip(names, least)), "cost": solver.cost, "gain": norm(solver.K[0]), "vxx": norm(solver.Vxx[0]),
    }  # fmt: skip


def main():
    names = sys.argv[2:] or list(with_crocoddyl.PROBLEMS)
    print(json.dumps({name: measure(with_crocoddyl.PROBLEMS[name](), int(sys.argv[1])) for name in names}))


main()
