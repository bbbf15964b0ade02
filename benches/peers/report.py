"""The page docs/benchmarks.md, with its plots, from the results of run.py."""

import json
import math
from pathlib import Path

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
    ("crba+cholesky", ["crba+cholesky"], "mass matrix and its factors"),
    ("forwardKinematics", ["forwardKinematics"], "poses, velocities, accelerations"),
    ("computeJointJacobians", ["computeJointJacobians"], "all Jacobians"),
    ("computeJointJacobiansTimeVariation", ["computeJointJacobiansTimeVariation"], "rate of one body's Jacobian"),
    ("computeForwardKinematicsDerivatives", ["computeForwardKinematicsDerivatives"], "of one body's motion"),
    ("ccrba", ["ccrba"], "centroidal momentum matrix"),
    ("dccrba", ["dccrba"], "and its rate"),
    ("computeCentroidalDynamicsDerivatives", ["computeCentroidalDynamicsDerivatives"], "centroidal derivatives"),
    ("jacobianCenterOfMass", ["jacobianCenterOfMass"], "Jacobian of the centre of mass"),
    ("computeTotalEnergy", ["computeTotalEnergy"], "energy"),
    ("computeJointTorqueRegressor", ["computeJointTorqueRegressor"], "regressor"),
    ("integrate", ["integrate"], "q ⊕ v"),
    ("difference", ["difference"], "q₁ ⊖ q₀"),
]
BATCHES = [
    ("batch/rnea", ["rnea"]),
    ("batch/crba", ["crba/local", "crba/world"]),
    ("batch/aba", ["aba/local", "aba/world"]),
    ("batch/computeRNEADerivatives", ["computeRNEADerivatives"]),
]
CURVES = ["rnea", "crba", "aba", "computeRNEADerivatives", "computeABADerivatives"]
COLORS = ["#0b6e99", "#c4532d", "#4b8b3b", "#8457a8", "#a88a1f"]


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


def exponent(robots, family, program, names, key):
    """The slope of log time over log size, between the family's smallest and largest."""
    at = [(robots[r]["nv"], best(robots[r][program], names, key)) for r in family if r in robots]
    at = [(n, t) for n, t in at if t]
    if len(at) < 2:
        return "–"
    (n0, t0), (n1, t1) = at[0], at[-1]
    return f"{math.log(t1 / t0) / math.log(n1 / n0):.2f}"


def plot(title, x_label, series, path, x_ticks):
    """Lines over logarithmic axes, as SVG. series: (name, color, dashed, [(x, y)])."""
    points = [p for *_, line in series for p in line]
    if not points:
        return
    width, height, left, right, top, bottom = 720, 420, 70, 210, 36, 48
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    x0, x1 = min(xs), max(xs)
    y0, y1 = math.floor(min(ys)), math.ceil(max(ys))
    x_of = lambda x: left + (math.log10(x) - x0) / ((x1 - x0) or 1) * (width - left - right)
    y_of = lambda y: height - bottom - (math.log10(y) - y0) / ((y1 - y0) or 1) * (height - top - bottom)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="20" font-size="14">{title}</text>',
        f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">{x_label}</text>',
    ]
    for decade in range(y0, y1 + 1):
        y = y_of(10.0**decade)
        name = {-2: "10 ns", -1: "100 ns", 0: "1 µs", 1: "10 µs", 2: "100 µs", 3: "1 ms", 4: "10 ms"}.get(decade, "")
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
    for x, name in x_ticks:
        out.append(f'<text x="{x_of(x):.1f}" y="{height - bottom + 18}" text-anchor="middle">{name}</text>')
    for k, (name, color, dashed, line) in enumerate(series):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        path_points = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in line)
        out.append(f'<polyline points="{path_points}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{color}"/>' for x, y in line]
        y = top + 10 + 18 * k
        out.append(f'<line x1="{width - right + 14}" x2="{width - right + 38}" y1="{y}" y2="{y}" stroke="{color}" '
                   f'stroke-width="2"{dash}/>')
        out.append(f'<text x="{width - right + 44}" y="{y + 4}">{name}</text>')
    path.write_text("\n".join([*out, "</svg>"]) + "\n")


def growth(robots, family, what, docs):
    series = []
    for color, name in zip(COLORS, CURVES):
        theirs = dict((p[0], p[1]) for p in PAIRS)[name]
        for program, names, dashed in (("gradyn", [name], False), ("pinocchio", theirs, True)):
            line = [(robots[r]["nv"], best(robots[r][program], names, "min_ns")) for r in family if r in robots]
            line = [(n, t * 1e-3) for n, t in line if t]
            short = name.replace("compute", "").replace("Derivatives", " derivatives")
            if line:
                series.append((f"{short}{', Pinocchio' if dashed else ''}", color, dashed, line))
    ticks = [(robots[r]["nv"], str(robots[r]["nv"])) for r in family if r in robots]
    plot(f"Time of a call, {what}", "joints", series, docs / f"benchmarks-{what}.svg", ticks)


def write(results, docs):
    docs, robots, m = Path(docs), results["robots"], results["machine"]
    key = "min_ns"
    parts = [f"""# Benchmarks

Written by `python3 benches/peers/run.py`, which sets up the peers, compares results, measures and writes this page; `gradyn
bench ROBOT` measures one robot alone. {m["date"]}, commit {m["commit"]}.

Machine: {m["processor"]}, {m["cores"]} cores, {m["system"]}; one core, programs in turn, {results["rounds"]} rounds of 41
samples of 50 µs; 16 states take turns. Load of the machine at the start: {m["load"]:.1f}. Given is the **least** time a
call in µs, which what else runs on a machine disturbs least (below, the medians). gradyn: the default build,
{m["rustc"]}, no flags. Peers: {m["compiler"]}, `{m["compiler_flags"]}`; {", ".join(m["packages"])}.
"""]
    order = [r for r in robots]
    if not order:
        return
    names = [f"{r} ({robots[r]['nv']})" for r in order]
    own = [r for r in order if not r.startswith(("chain", "tree"))]
    generated = [r for r in order if r not in own]

    def pairs(which, key):
        heads = ["", *(f"{r} ({robots[r]['nv']})" for r in which)]
        rows = [[f"`{name}`<br>{what}", *(cell(robots[r], name, theirs, key) for r in which)]
                for name, theirs, what in PAIRS]
        return table(heads, rows)

    parts.append("## One state, against Pinocchio\n\ngradyn / Pinocchio = ratio; below one, gradyn is faster. In "
                 "brackets nv; `solo12` and `g1` float.\n")
    if own:
        parts.append(pairs(own, key))
    if generated:
        parts.append(pairs(generated, key))
        rows = []
        for name in CURVES:
            theirs = dict((p[0], p[1]) for p in PAIRS)[name]
            row = [f"`{name}`"]
            for family in (["chain30", "chain100", "chain300"], ["tree31", "tree127"]):
                row += [exponent(robots, family, "gradyn", [name], key),
                        exponent(robots, family, "pinocchio", theirs, key)]
            rows.append(row)
        parts.append("Growth: the exponent of time over the number of joints.\n")
        parts.append(table(["", "chains, gradyn", "chains, Pinocchio", "trees, gradyn", "trees, Pinocchio"], rows))
        for what in ("chain", "tree"):
            family = [r for r in order if r.startswith(what)]
            if len(family) > 1:
                growth(robots, family, f"{what}s", docs)
                parts.append(f"![time against size, {what}s](benchmarks-{what}s.svg)\n")

    rows = []
    for name, theirs in BATCHES:
        rows.append([f"`{name}`", *(cell(robots[r], name, theirs, key) for r in order)])
    parts.append("## Many states\n\nA state's share of a batch of 128 on one core, against one call of Pinocchio.\n")
    parts.append(table(["", *names], rows))
    threads = sorted({n for r in order for n in robots[r]["gradyn"] if "threads" in n})
    if threads:
        rows = []
        for name in threads:
            single = name.rsplit("/", 1)[0]
            row = [f"`{name}`"]
            for r in order:
                both = [robots[r]["gradyn"].get(n) for n in (single, name)]
                row.append(f"{micros(both[1][key])}, × {both[0][key] / both[1][key]:.2f}" if all(both) else "–")
            rows.append(row)
        parts.append("On all cores: time a state, and how many times faster than on one.\n")
        parts.append(table(["", *names], rows))

    with_code = [r for r in order if "casadi" in robots[r]]
    if with_code:
        rows = []
        for name, theirs, what in [("rnea", ["rnea"], "inverse dynamics"),
                                   ("computeRNEADerivatives", ["drnea", "arnea"], "its derivatives"),
                                   ("aba", ["aba"], "forward dynamics")]:
            row = [what]
            for r in with_code:
                ours, code = robots[r]["gradyn"][name][key], best(robots[r]["casadi"], theirs, key)
                row.append(f"{micros(ours)} / {micros(code)} = {ratio(ours, code)}")
            rows.append(row)
        parts.append("## Against generated code\n\nCasADi's C for this one robot: straight lines of operations with the "
                     "robot's constants folded in, compiled for this processor (derivatives: the faster of automatic "
                     "differentiation and the traced analytical algorithm). gradyn reads the robot when it runs.\n")
        parts.append(table(["", *with_code], rows))

    with_mujoco = [r for r in order if "mujoco" in robots[r]]
    if with_mujoco:
        rows = []
        for name, theirs, what in [("rnea", "mj_inverse", "inverse dynamics"),
                                   ("computeRNEADerivatives", "mjd_inverseFD", "its derivatives"),
                                   ("aba", "mj_forward", "forward dynamics")]:
            row = [f"{what}, `{theirs}`"]
            for r in with_mujoco:
                ours, other = robots[r]["gradyn"][name][key], robots[r]["mujoco"][theirs][key]
                row.append(f"{micros(ours)} / {micros(other)} = {ratio(ours, other)}")
            rows.append(row)
        parts.append("## Against MuJoCo\n\nNot the same work: a call of MuJoCo also computes positions of geometry, the "
                     "mass matrix and constraints (there are none here), and its derivatives are differences, right to "
                     "some six digits. It answers what a user of either waits for.\n")
        parts.append(table(["", *with_mujoco], rows))

    with_levels = [r for r in order if "levels" in robots[r]]
    if with_levels:
        levels = list(robots[with_levels[0]]["levels"])
        rows = []
        functions = list(robots[with_levels[0]]["levels"][levels[0]])
        for name in functions:
            if "difference" in name or "threads" in name or "Gravity" in name or "dual" in name and "ABA" in name:
                continue
            row = [f"`{name}`"]
            for r in with_levels:
                found = [robots[r]["levels"][level].get(name) for level in levels]
                row.append(" / ".join(micros(x[key]) if x else "–" for x in found))
            rows.append(row)
        parts.append(f"## Levels\n\nThe same program held to each level of the processor: {' / '.join(levels)}.\n")
        parts.append(table(["", *with_levels], rows))
        series = []
        for color, name in zip(COLORS, ["rnea", "crba", "aba", "computeRNEADerivatives", "computeABADerivatives"]):
            for r, dashed in ((with_levels[0], False), (with_levels[-1], True)):
                found = [(k + 1, robots[r]["levels"][level][name][key] * 1e-3) for k, level in enumerate(levels)
                         if name in robots[r]["levels"][level]]
                series.append((f"{name.replace('compute', '').replace('Derivatives', ' derivatives')}, {r}", color,
                               dashed, found))
        plot("Time of a call at each level", "", series, docs / "benchmarks-levels.svg",
             [(k + 1, level) for k, level in enumerate(levels)])
        parts.append("![time at each level](benchmarks-levels.svg)\n")

    operations = results.get("operations")
    if operations:
        peak = operations["peak_flops_per_ns"]
        which = [r for r in own if r in operations["robots"]]
        rows = []
        for name in operations["robots"][which[0]] if which else []:
            row = [f"`{name}`"]
            for r in which:
                found = operations["robots"][r][name]
                flops = found["sums"] + found["products"] + found["quotients"]
                trig = f" + {found['functions']} functions" if found["functions"] else ""
                rates = []
                for key_of in (name, f"batch/{name}"):
                    time = robots[r]["gradyn"].get(key_of)
                    if time:
                        rates.append(f"{flops / time[key] / peak:.0%}")
                row.append(f"{flops}{trig}<br>{', '.join(rates)}")
            rows.append(row)
        parts.append(f"""## Operations

Sums, products and quotients of a call, counted by running the generic algorithm over a number type that counts; a sine
with its cosine is one function. Below: what share of this core's peak they are, of one state, then of a batch. The peak,
measured by fused multiply-adds in registers alone at level {operations["level"]}, is {peak:.0f} operations a nanosecond;
sums and products that do not come in pairs can reach half of it.
""")
        parts.append(table(["", *which], rows))

    worst = {}
    for by_robot in results["deviations"].values():
        for name, size in by_robot.items():
            worst[name] = max(worst.get(name, 0.0), size)
    parts.append("## Agreement\n\nBefore anything is timed, results at the first state are compared; the largest "
                 "deviations over all robots, relative to a quantity's largest entry:\n")
    parts.append(table(["", ""], [[name, f"{size:.1e}"] for name, size in worst.items()]))
    notes = [f"- {r}: {note}" for r in order for note in robots[r]["notes"]]
    parts.append("""## What is not comparable

- Pinocchio's `computeRNEADerivatives` fills the upper triangle of the mass matrix and writes no zeros; gradyn writes whole
  matrices, exact zeros included. Its `ccrba` and `dccrba` are also the bias and the inertia.
- gradyn checks that every argument and result is finite and says what is not. Pinocchio checks nothing.
- `computeJointJacobians`: Pinocchio's are all columns at once, gradyn's the Jacobian of every leaf of the tree in turn.
- `…TimeVariation` and `…KinematicsDerivatives`: Pinocchio's sweep over all bodies, then the matrices of the one asked for.
- Joints of `g1` follow each other in Pinocchio's order of names here, as they do for all others.
- MuJoCo's velocities of a floating base are in other coordinates, so there only its times are given.
- Drake, Crocoddyl and others with Python between them and the clock are left out.
""" + "\n".join(notes) + "\n")
    if own:
        parts.append("## Medians\n\nThe first table again, as medians of the rounds' medians.\n")
        parts.append(pairs(own, "median_ns"))
    (docs / "benchmarks.md").write_text("\n".join(parts))


def _main():
    import sys

    write(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))


if __name__ == "__main__":
    _main()
