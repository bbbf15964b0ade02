"""Writes salib_sobol.csv and salib_morris.csv: samples, outputs and estimates of SALib 1.6.0 for the Ishigami function.

Run with SALib 1.6.0 and numpy: `python salib.py`. Numbers are written with repr, so they read back to the same bits.
"""

import numpy as np
from SALib.analyze import morris as analyze_morris
from SALib.analyze import sobol as analyze_sobol
from SALib.sample import morris as sample_morris
from SALib.sample import sobol as sample_sobol
from SALib.test_functions import Ishigami

PROBLEM = {"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[-np.pi, np.pi]] * 3}


def line(name, numbers):
    return name + "," + ",".join(repr(float(x)) for x in numbers) + "\n"


def sobol():
    x = sample_sobol.sample(PROBLEM, 64, calc_second_order=True, seed=1)
    y = Ishigami.evaluate(x)
    s = analyze_sobol.analyze(PROBLEM, y, calc_second_order=True, num_resamples=2, seed=1)
    with open("salib_sobol.csv", "w") as file:
        file.write(line("S1", s["S1"]))
        file.write(line("ST", s["ST"]))
        file.write(line("S2", [s["S2"][0, 1], s["S2"][0, 2], s["S2"][1, 2]]))
        for row, value in zip(x, y):
            file.write(line("sample", [*row, value]))


def morris():
    x = sample_morris.sample(PROBLEM, 16, num_levels=4, seed=1)
    y = Ishigami.evaluate(x)
    s = analyze_morris.analyze(PROBLEM, x, y, num_resamples=2, num_levels=4, seed=1)
    with open("salib_morris.csv", "w") as file:
        file.write(line("mu", s["mu"]))
        file.write(line("mu_star", s["mu_star"]))
        file.write(line("sigma", s["sigma"]))
        for row, value in zip(x, y):
            file.write(line("sample", [*row, value]))


sobol()
morris()
