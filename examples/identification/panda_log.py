#!/usr/bin/env python3
"""Filters a log of a Panda and writes the CSV that `gradyn identify --data` reads.

    python3 examples/identification/panda_log.py FOLDER log.csv

FOLDER holds exciting_traj_{time,positions,velocity,torques}.txt, a number a line, the seven joints of a sample one after the
other: the log matlab/data/Exciting_Traj/Trajectory_1/rbt_log of https://github.com/marcocognetti/FrankaEmikaPandaDynModel
(GPL-3.0, not part of gradyn), of Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca, "Dynamic identification of the Franka Emika
Panda robot with retrieval of feasible parameters using penalty-based optimization", IEEE RA-L 4 (2019) 4147.

All signals are resampled to equal steps and go through the same Butterworth filter, forwards and backwards, so that none is late;
accelerations are central differences of the filtered velocities at the full rate. Then every so many samples are kept.
Needs NumPy and SciPy.

Exit codes: 0 written, 2 bad usage or files.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.signal import butter, sosfiltfilt

JOINTS = [f"panda_joint{i}" for i in range(1, 8)]


def numbers(folder, name):
    return np.loadtxt(folder / f"exciting_traj_{name}.txt", dtype=float)


def read(folder):
    """Time, n; positions, velocities, torques, n by 7."""
    time = numbers(folder, "time")
    signals = []
    for name in ("positions", "velocity", "torques"):
        flat = numbers(folder, name)
        if flat.size != len(JOINTS) * time.size:
            raise ValueError(f"{name}: {flat.size} numbers, expected {len(JOINTS)} for each of {time.size} times")
        signals.append(flat.reshape(time.size, len(JOINTS)))
    if not np.all(np.diff(time) > 0):
        raise ValueError("times do not grow")
    return time, signals


def filtered(time, signals, rate, cutoff, order):
    """At equal steps: time, q, v, a, tau."""
    even = np.arange(time[0], time[-1], 1 / rate)
    filter_ = butter(order, cutoff, fs=rate, output="sos")

    def smooth(signal):
        columns = [np.interp(even, time, column) for column in signal.T]
        return sosfiltfilt(filter_, np.stack(columns, axis=1), axis=0)

    q, v, tau = map(smooth, signals)
    return even, q, v, np.gradient(v, 1 / rate, axis=0), tau


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the log is")
    parser.add_argument("output", type=Path, help="the CSV to write")
    parser.add_argument("--rate", type=float, default=500, help="samples a second after resampling (500)")
    parser.add_argument("--cutoff", type=float, default=10, help="of the filter, Hz (10)")
    parser.add_argument("--order", type=int, default=4, help="of the filter (4)")
    parser.add_argument("--every", type=int, default=10, help="keep one sample of so many (10)")
    arguments = parser.parse_args()
    if arguments.every < 1 or arguments.order < 1 or not 0 < arguments.cutoff < arguments.rate / 2:
        parser.error("--every and --order are 1 or more, --cutoff is above 0 and below half of --rate")
    try:
        time, signals = read(arguments.folder)
    except (OSError, ValueError) as error:
        print(f"panda_log.py: {arguments.folder}: {error}", file=sys.stderr)
        return 2
    even, *parts = filtered(time, signals, arguments.rate, arguments.cutoff, arguments.order)
    heading = ["time", *(f"{what}.{joint}" for what in ("q", "v", "a", "tau") for joint in JOINTS)]
    table = np.column_stack([even, *parts])[:: arguments.every]
    np.savetxt(arguments.output, table, fmt="%.9g", delimiter=",", header=",".join(heading), comments="")
    print(f"{arguments.output}: {len(table)} of {time.size} samples, {even[-1] - even[0]:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
