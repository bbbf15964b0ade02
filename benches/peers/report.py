"""The page docs/benchmarks.md, with its plots, from the results of run.py."""

import json
import math
import textwrap
from pathlib import Path

from plot import COLORS, plot

# Ours, Pinocchio's (the faster one of several), what it is.
PAIRS = [
    ("rnea", ["rnea"], "inverse dynamics"),
    ("crba", ["crba/local", "crba/world"], "mass matrix"),
    ("aba", ["aba/local", "aba/world"], "forward dynamics"),
    ("computeMinverse", ["computeMinverse"], "inverse of the mass matrix"),
    ("computeRNEADerivatives", ["computeRNEADerivatives"], "derivatives of inverse dynamics"),
    ("computeRNEADerivatives/dual", ["computeRNEADerivatives"], "the same by dual numbers, against formulas"),
    ("computeABADerivatives", ["computeABADerivatives"], "derivatives of forward dynamics"),
    ("ComputeRNEASecondOrderDerivatives", ["ComputeRNEASecondOrderDerivatives"], "second derivatives"),
    ("nonLinearEffects", ["nonLinearEffects"], "bias forces"),
    ("computeGeneralizedGravity", ["computeGeneralizedGravity"], "gravity"),
    ("computeCoriolisMatrix", ["computeCoriolisMatrix"], "Coriolis matrix"),
    ("computeStaticTorque", ["computeStaticTorque"], "torques that hold the robot still"),
    ("crba+cholesky", ["crba+cholesky"], "mass matrix and its factors"),
    ("crba+cholesky+solve", ["crba+cholesky+solve"], "and a system solved with them"),
    ("forwardKinematics", ["forwardKinematics"], "poses, velocities, accelerations"),
    ("computeJointJacobians", ["computeJointJacobians"], "all Jacobians"),
    ("computeFrameJacobian", ["computeFrameJacobian"], "one body's Jacobian"),
    ("computeJointJacobiansTimeVariation", ["computeJointJacobiansTimeVariation"], "rate of one body's Jacobian"),
    ("computeForwardKinematicsDerivatives", ["computeForwardKinematicsDerivatives"], "of one body's motion"),
    (
        "getPointClassicAccelerationDerivatives",
        ["getPointClassicAccelerationDerivatives"],
        "of a point's velocity and acceleration",
    ),
    ("computeJointKinematicRegressor", ["computeJointKinematicRegressor"], "one body's pose by placements of joints"),
    ("ccrba", ["ccrba", "computeCentroidalMap"], "centroidal momentum matrix"),
    ("dccrba", ["dccrba"], "and its rate"),
    (
        "computeCentroidalMomentumTimeVariation",
        ["computeCentroidalMomentumTimeVariation"],
        "centroidal momentum and its rate",
    ),
    ("computeCentroidalDynamicsDerivatives", ["computeCentroidalDynamicsDerivatives"], "centroidal derivatives"),
    ("jacobianCenterOfMass", ["jacobianCenterOfMass"], "Jacobian of the center of mass"),
    ("jacobianSubtreeCenterOfMass", ["jacobianSubtreeCenterOfMass"], "of that of a subtree"),
    ("getCenterOfMassVelocityDerivatives", ["getCenterOfMassVelocityDerivatives"], "derivatives of its motion"),
    ("centerOfMass", ["centerOfMass"], "its position, velocity and acceleration"),
    ("computeKineticEnergy", ["computeKineticEnergy"], "kinetic energy"),
    ("computePotentialEnergy", ["computePotentialEnergy"], "potential energy"),
    ("computeMechanicalEnergy", ["computeMechanicalEnergy"], "both"),
    ("computeJointTorqueRegressor", ["computeJointTorqueRegressor"], "regressor"),
    ("jointBodyRegressor", ["jointBodyRegressor"], "of one body's wrench"),
    ("computeStaticRegressor", ["computeStaticRegressor"], "of the center of mass"),
    ("computeKineticEnergyRegressor", ["computeKineticEnergyRegressor"], "of kinetic energy"),
    ("computePotentialEnergyRegressor", ["computePotentialEnergyRegressor"], "of potential energy"),
    ("computeGeneralizedGravityDerivatives", ["computeGeneralizedGravityDerivatives"], "derivatives of gravity"),
    ("computeStaticTorqueDerivatives", ["computeStaticTorqueDerivatives"], "derivatives of static torques"),
    ("getConstraintsJacobian", ["getConstraintsJacobian"], "Jacobian of points of four leaves"),
    ("constraintDynamics", ["constraintDynamics"], "these points held"),
    ("computeConstraintDynamicsDerivatives", ["computeConstraintDynamicsDerivatives"], "and all derivatives"),
    ("impulseDynamics", ["impulseDynamics"], "an impact on them"),
    ("computeImpulseDynamicsDerivatives", ["computeImpulseDynamicsDerivatives"], "and all derivatives"),
    ("integrate", ["integrate"], "q ⊕ v"),
    ("difference", ["difference"], "q₁ ⊖ q₀"),
    ("interpolate", ["interpolate"], "q₀ ⊕ t (q₁ ⊖ q₀)"),
    ("normalize", ["normalize"], "quaternions of length one"),
    ("dIntegrate", ["dIntegrate"], "by q and by v"),
    ("dDifference", ["dDifference"], "by q₀ and by q₁"),
    ("dIntegrateTransport", ["dIntegrateTransport"], "a matrix transported along a step"),
]
BATCHES = [
    ("batch/rnea", ["rnea"]),
    ("batch/crba", ["crba/local", "crba/world"]),
    ("batch/aba", ["aba/local", "aba/world"]),
    ("batch/computeRNEADerivatives", ["computeRNEADerivatives"]),
]
CURVES = ["rnea", "crba", "aba", "computeRNEADerivatives", "computeABADerivatives"]
THEIRS = {name: theirs for name, theirs, _ in PAIRS}
KEY = "min_ns"


def micros(ns):
    us = ns * 1e-3
    return f"{us:.0f}" if us >= 1000 else f"{us:.1f}" if us >= 100 else f"{us:.2f}" if us >= 10 else f"{us:.3f}"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def best(results, names, key):
    found = [results[name][key] for name in names if name in results]
    return min(found) if found else None


def ratio(ours, theirs):
    return f"**{ours / theirs:.2f}**" if ours < theirs else f"{ours / theirs:.2f}"


def cell(robot, name, theirs, key):
    ours, other = robot["gradyn"].get(name), best(robot["pinocchio"], theirs, key)
    if ours is None:
        return "–"
    if other is None:
        return micros(ours[key])
    return f"{micros(ours[key])} / {micros(other)} = {ratio(ours[key], other)}"


def flops(counts):
    return counts["sums"] + counts["products"] + counts["quotients"]


def short(name):
    return name.replace("compute", "").replace("Derivatives", " derivatives")


def intro(results):
    m = results["machine"]
    return f"""# Benchmarks

Written by `python3 benches/peers/run.py`, which sets up the peers, compares results, measures and writes this page; `gradyn
bench ROBOT` measures one robot alone. {m["date"]}, commit {m["commit"]}.

Machine: {m["processor"]}, {m["cores"]} cores, {m["system"]}; one core, programs in turn, {results["rounds"]} rounds of 41
samples of 50 µs; 16 states take turns. Load of the machine at the start: {m["load"]:.1f}. Times are the **least** per
call in µs, because other programs on the machine disturb it the least (medians are below). gradyn: the default build,
{m["rustc"]}, no flags. Peers: {m["compiler"]}, `{m["compiler_flags"]}`; {", ".join(m["packages"])}.
"""


def pairs(robots, which, key):
    heads = ["", *(f"{r} ({robots[r]['nv']})" for r in which)]
    rows = [
        [f"`{name}`<br>{what}", *(cell(robots[r], name, theirs, key) for r in which)] for name, theirs, what in PAIRS
    ]
    return table(heads, rows)


def one_state(robots, own, generated):
    parts = ["## One state, against Pinocchio\n\ngradyn / Pinocchio = ratio; below one, gradyn is faster. nv is in parentheses; "
             "`solo12` and `g1` float.\n"]  # fmt: skip
    if own:
        parts.append(pairs(robots, own, KEY))
    if generated:
        parts.append("Chains and binary trees of revolute joints about rotated axes:\n")
        parts.append(pairs(robots, generated, KEY))
    return parts


def exponent(robots, family, program, names):
    """The slope of log time over log size, by least squares over the robots of a family."""
    at = [(robots[r]["nv"], best(robots[r][program], names, KEY)) for r in family]
    at = [(math.log(n), math.log(t)) for n, t in at if t]
    if len(at) < 2:
        return None
    x_mean, y_mean = (sum(column) / len(at) for column in zip(*at))
    return sum((x - x_mean) * (y - y_mean) for x, y in at) / sum((x - x_mean) ** 2 for x, _ in at)


def growth(robots, generated, docs):
    families = {what: [r for r in generated if r.startswith(what)] for what in ("chain", "tree")}
    families = {what: family for what, family in families.items() if len(family) > 1}
    if not families:
        return []
    rows = []
    for name, theirs, what in PAIRS:
        row = [f"`{name}`<br>{what}"]
        for family in families.values():
            both = exponent(robots, family, "gradyn", [name]), exponent(robots, family, "pinocchio", theirs)
            row += [f"{x:.2f}" if x else "–" for x in both]
        rows.append(row)
    sizes = {what: ", ".join(str(robots[r]["nv"]) for r in family) for what, family in families.items()}
    heads = [f"{what}s of {sizes[what]}: {program}" for what in families for program in ("gradyn", "Pinocchio")]
    parts = ["### Growth\n\nThe table gives the exponent of time over the number of joints: the slope of log t over log n, by least squares. "
             "One is linear.\n", table(["", *heads], rows)]  # fmt: skip
    for what, family in families.items():
        series = []
        for color, name in zip(COLORS, CURVES):
            for program, names, dashed in (("gradyn", [name], False), ("pinocchio", THEIRS[name], True)):
                line = [(robots[r]["nv"], best(robots[r][program], names, KEY)) for r in family]
                line = [(n, t * 1e-3) for n, t in line if t]
                if line:
                    series.append((f"{short(name)}{', Pinocchio' if dashed else ''}", color, dashed, line))
        ticks = [(robots[r]["nv"], str(robots[r]["nv"])) for r in family]
        plot(f"Time of a call, {what}s", "joints", series, docs / f"benchmarks-{what}s.svg", ticks)
        parts.append(f"![time against size, {what}s](benchmarks-{what}s.svg)\n")
    return parts


def batches(robots, order):
    names = [f"{r} ({robots[r]['nv']})" for r in order]
    rows = [[f"`{name}`", *(cell(robots[r], name, theirs, KEY) for r in order)] for name, theirs in BATCHES]
    parts = ["## Many states\n\nTime per state in a batch of 128 on one core, against one call of Pinocchio.\n"]
    parts.append(table(["", *names], rows))
    threads = sorted({n for r in order for n in robots[r]["gradyn"] if "threads" in n})
    if threads:
        rows = []
        for name in threads:
            single = f"{name.rsplit('/', 1)[0]}/1 thread"
            row = [f"`{name}`"]
            for r in order:
                both = [robots[r]["gradyn"].get(n) for n in (single, name)]
                row.append(f"{micros(both[1][KEY])}, × {both[0][KEY] / both[1][KEY]:.2f}" if all(both) else "–")
            rows.append(row)
        parts.append("On all cores, in a batch of 1024 states (fewer if matrices would take more than 64 MB each): time per state, and the speedup over one core. Batches of less than 0.1 ms of work stay on one thread.\n")
        parts.append(table(["", *names], rows))
    return parts


def of_generated(robot, names):
    """The fastest of several functions, whichever compiler it is by."""
    found = [best(robot[program], names, KEY) for program in robot if program.startswith("casadi")]
    return min((x for x in found if x), default=None)


def against_generated(results, order):
    robots, m = results["robots"], results["machine"]
    which = [r for r in order if "code" in robots[r]]
    if not which:
        return []
    rows = []
    for name, theirs, what in [
        ("rnea", ["rnea"], "inverse dynamics"),
        ("computeRNEADerivatives", ["drnea", "arnea"], "its derivatives"),
        ("aba", ["aba"], "forward dynamics"),
    ]:
        row = [what]
        for r in which:
            ours, code = robots[r]["gradyn"][name][KEY], of_generated(robots[r], theirs)
            row.append(f"{micros(ours)} / {micros(code)} = {ratio(ours, code)}")
        rows.append(row)
    parts = [
        "## Against generated code\n",
        filled(f"""CasADi's C is generated for one robot: straight-line code with the robot's constants folded in, compiled for
            this processor by {" and by ".join(m["c_compilers"])} (the faster one counts; for derivatives, the faster of
            automatic differentiation and the traced analytical algorithm). gradyn reads the robot at run time."""),
        "",
        table(["", *which], rows),
    ]
    return parts + gap(results, which)


def gap(results, which):
    """What the difference to generated inverse dynamics is made of."""
    operations = results.get("operations")
    which = [r for r in which if operations and r in operations["parts"]]
    if not which:
        return []
    robots, chains = results["robots"], operations["chains"]
    ours = {r: robots[r]["gradyn"]["rnea"][KEY] for r in which}
    code = {r: {name: of_generated(robots[r], [name]) for name in ("rnea", "rnea_open", "sines")} for r in which}
    counts = {r: {name: flops(robots[r]["code"][name]) for name in ("rnea", "rnea_open")} for r in which}
    own = {r: operations["parts"][r] for r in which}

    def row(name, of):
        return [name, *(of(r) for r in which)]

    def ns(x):
        return f"{x:.0f} ns" if x >= 10 else f"{x:.1f} ns"

    rows = [
        row("gradyn", lambda r: ns(ours[r])),
        row("generated, constants folded", lambda r: ns(code[r]["rnea"])),
        row("**gap**", lambda r: f"{ours[r] - code[r]['rnea']:+.0f} ns"),
        row("generated, constants as arguments", lambda r: ns(code[r]["rnea_open"])),
        row("operations: gradyn", lambda r: str(flops(operations["robots"][r]["rnea"]))),
        row("operations: generated, constants as arguments", lambda r: str(counts[r]["rnea_open"])),
        row("operations: generated, constants folded", lambda r: str(counts[r]["rnea"])),
        row("sines and cosines alone: gradyn, in registers", lambda r: ns(own[r]["sines"])),
        row("sines and cosines alone: generated, by the C library", lambda r: ns(code[r]["sines"])),
        row("checking that each argument and torque is finite", lambda r: ns(own[r]["finite"])),
    ]

    def each(of):
        return ", ".join(f"{of(r)} ({r})" for r in which)

    entry, one, eight = (chains[n] for n in ("0", "1", "8"))
    folding = each(lambda r: f"{code[r]['rnea_open'] - code[r]['rnea']:.0f} ns")
    left_out = each(lambda r: f"{1 - counts[r]['rnea'] / counts[r]['rnea_open']:.0%}")
    against_open = each(lambda r: f"{ours[r] / code[r]['rnea_open']:.2f}")
    steps = ", ".join(f"{n} joints {ns(t)}" for n, t in chains.items() if n not in ("0", "1"))
    return [
        "### Parts of the gap in inverse dynamics\n",
        table(["", *which], rows),
        item(f"""**Constants folded**: the generated code omits the zeros and ones of axes and placements, and sums of constants:
            {left_out} of its operations. Compiled with the same constants as arguments it takes longer by
            {folding}; gradyn's time over that: {against_open}."""),
        item(f"""**No checks**: generated code checks neither lengths nor numbers. A call of gradyn for a robot without
            joints takes {ns(entry)}: it checks lengths, that the workspace is this model's, and the processor's level. Checking
            all numbers, one by one, would take what the table says; gradyn adds up zero times each torque in registers,
            and compares once."""),
        item(f"""**No run-time structure**: gradyn iterates over the joints, eight to a register. One joint takes
            {ns(one)}, because a register takes as long for one as for eight; {steps}. So each further joint of a register adds
            {ns((eight - one) / 7)}: its pose after its parent's, which nothing can overlap on a chain, and moving its
            numbers to their lane and back."""),
        item("""**In gradyn's favor**: sines and cosines of all joints at once, and full registers for the rest; straight-line
            scalar code uses one lane of them."""),
        "",
    ]


def filled(text, first="", others=""):
    return textwrap.fill(" ".join(text.split()), 125, initial_indent=first, subsequent_indent=others)


def item(text):
    return filled(text, "- ", "  ")


def against_mujoco(robots, order):
    which = [r for r in order if "mujoco" in robots[r]]
    if not which:
        return []
    rows = []
    for name, theirs, what in [
        ("rnea", "mj_inverse", "inverse dynamics"),
        ("computeRNEADerivatives", "mjd_inverseFD", "its derivatives"),
        ("aba", "mj_forward", "forward dynamics"),
    ]:
        row = [f"{what}, `{theirs}`"]
        for r in which:
            ours, other = robots[r]["gradyn"][name][KEY], robots[r]["mujoco"][theirs][KEY]
            row.append(f"{micros(ours)} / {micros(other)} = {ratio(ours, other)}")
        rows.append(row)
    return ["## Against MuJoCo\n\nThe work differs: a call of MuJoCo also computes positions of geometry, the mass matrix and "
            "constraints (there are none here), and its derivatives are differences, right to some six digits. The table "
            "compares what a user of either waits for.\n", table(["", *which], rows)]  # fmt: skip


def levels(robots, order, docs):
    which = [r for r in order if "levels" in robots[r]]
    if not which:
        return []
    names = list(robots[which[0]]["levels"])
    rows = []
    for name in robots[which[0]]["levels"][names[0]]:
        if any(part in name for part in ("difference", "thread", "Gravity")) or ("dual" in name and "ABA" in name):
            continue
        row = [f"`{name}`"]
        for r in which:
            found = [robots[r]["levels"][level].get(name) for level in names]
            row.append(" / ".join(micros(x[KEY]) if x else "–" for x in found))
        rows.append(row)
    series = []
    for color, name in zip(COLORS, CURVES):
        for r, dashed in ((which[0], False), (which[-1], True)):
            found = [(k + 1, robots[r]["levels"][level].get(name)) for k, level in enumerate(names)]
            series.append((f"{short(name)}, {r}", color, dashed, [(k, t[KEY] * 1e-3) for k, t in found if t]))
    ticks = [(k + 1, level) for k, level in enumerate(names)]
    plot("Time of a call at each level", "", series, docs / "benchmarks-levels.svg", ticks)
    return [f"## Levels\n\nThe same program held to each level of the processor (`GRADYN_LEVEL`): {' / '.join(names)}. "
            "`rnea/dual8` has the torques' derivatives in eight directions too.\n",
            table(["", *which], rows), "![time at each level](benchmarks-levels.svg)\n"]  # fmt: skip


def limits(results, own):
    operations, robots = results.get("operations"), results["robots"]
    which = [r for r in own if operations and r in operations["robots"]]
    if not which:
        return []
    peak, rows = operations["peak_flops_per_ns"], []
    for name in operations["robots"][which[0]]:
        row = [f"`{name}`"]
        for r in which:
            found = operations["robots"][r][name]
            count = flops(found)
            sines = f" + {found['functions']} sines" if found["functions"] else ""
            times = [robots[r]["gradyn"].get(key) for key in (name, f"batch/{name}")]
            shares = ", ".join(f"{count / time[KEY] / peak:.0%}" for time in times if time)
            row.append(f"{count}{sines}<br>{micros(count / peak)}: {shares}")
        rows.append(row)
    return [f"""## Physical limit

The first line of a cell counts sums, products and quotients of a call, by running the generic algorithm over a counting number
type; a sine with its cosine is one function, counted by itself. The second line gives the µs they would take at this core's
peak, and the share of the peak that a call on one state reaches, then one in a batch. The peak, measured by fused
multiply-adds that stay in registers at level {operations["level"]}, is {peak:.0f} operations per nanosecond; sums and products that do not come in
pairs can reach half of it. The forms over `f64` need not perform the operations of the generic ones: those that use the
structure of a whole register perform more, those that compute their result differently perform fewer.
""", table(["", *which], rows)]  # fmt: skip


def agreement(results):
    worst = {}
    for by_robot in results["deviations"].values():
        for name, size in by_robot.items():
            worst[name] = max(worst.get(name, 0.0), size)
    return ["## Agreement\n\nBefore anything is timed, results at the first state are compared; the largest deviations over all "
            "robots, relative to a quantity's largest entry:\n",
            table(["", ""], [[name, f"{size:.1e}"] for name, size in worst.items()])]  # fmt: skip


NOT_COMPARABLE = """## What is not comparable

- Pinocchio's `computeRNEADerivatives` fills the upper triangle of the mass matrix and writes no zeros; gradyn writes whole
  matrices, exact zeros included. Its `ccrba` and `dccrba` also compute the bias and the inertia.
- gradyn checks that every argument and result is finite and reports what is not. Pinocchio checks nothing.
- `…JacobiansTimeVariation`, `…KinematicsDerivatives`, `getPoint…` and `getCenterOfMassVelocityDerivatives`, `jointBodyRegressor`:
  the time covers the sweep that Pinocchio requires, then the result for the one body. gradyn's derivatives of a point
  are those of velocity and acceleration, of the center of mass those of position, velocity and acceleration, by `q`, `v` and `a`
  in one call; Pinocchio's of the center of mass are those of its velocity by `q`.
- `dIntegrate` and `dDifference`: Pinocchio writes the blocks on the diagonal into matrices that hold zeros elsewhere; gradyn
  writes all entries, which is most of its work for `g1`.
- Second derivatives of the chain of 100 are 32 MB, more than the caches. Those of the chain of 300 are omitted: four tensors
  of 27 million numbers.
- Variants that begin with the same sweep (frames for joints, velocities without accelerations) are not timed twice.
- Joints of `g1` are in Pinocchio's order of names here, as for all others.
- MuJoCo's velocities of a floating base are in other coordinates, so only its times are given for these.
- Drake, Crocoddyl and others that can only be timed through Python are omitted.
"""


def write(results, docs):
    docs, robots = Path(docs), results["robots"]
    order = list(robots)
    own = [r for r in order if not r.startswith(("chain", "tree"))]
    generated = [r for r in order if r not in own]
    parts = [
        intro(results),
        *one_state(robots, own, generated),
        *growth(robots, generated, docs),
        *batches(robots, order),
        *against_generated(results, order),
        *against_mujoco(robots, order),
        *levels(robots, order, docs),
        *limits(results, own),
        *agreement(results),
        NOT_COMPARABLE + "\n".join(f"- {r}: {note}" for r in order for note in robots[r]["notes"]),
    ]
    if own:
        parts.append("## Medians\n\nThe first table again, as medians of the rounds' medians.\n")
        parts.append(pairs(robots, own, "median_ns"))
    (docs / "benchmarks.md").write_text("\n".join(parts))


def _main():
    import sys

    write(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))


if __name__ == "__main__":
    _main()
