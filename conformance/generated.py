#!/usr/bin/env python3
"""Generated code in CasADi: C by `casadi.external`, expressions of SX, and an arm's reach that Ipopt solves with either.

    cargo build --release && python conformance/generated.py

Exit codes: 0 all agrees, 1 something differs, 3 casadi or a C compiler cannot be had.
"""

import argparse
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_HERE = 3


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gradyn", default=ROOT / "target/release/gradyn", type=Path)
    given = parser.parse_args()
    try:
        import casadi
        import numpy as np

        subprocess.run(["cc", "--version"], capture_output=True, check=True)
    except (ImportError, OSError, subprocess.CalledProcessError) as error:
        print(f"not here: {error}")
        return NOT_HERE
    example = load(ROOT / "examples/generated/reach.py", "reach")
    bad = 0
    with tempfile.TemporaryDirectory() as room:
        room = Path(room)

        def generate(robot, language, functions, *more):
            folder = room / f"{robot}_{language}"
            command = [given.gradyn, "generate", ROOT / f"robots/{robot}.urdf", "--function", functions, "--language", language]
            subprocess.run([*map(str, command), *more, "--output", str(folder)], check=True, stdout=subprocess.DEVNULL)
            return next(folder.iterdir())

        functions = "rnea,crba,frame_pose,energy"
        frame = ("--frame", "panda_link8")
        library = example.library(room, given.gradyn, functions)
        module = load(generate("panda", "casadi", functions, *frame), "panda")
        rng = np.random.default_rng(1)
        symbols = [casadi.SX.sym(name, 7) for name in "qvu"]
        for name, count in (("rnea", 3), ("crba", 1), ("frame_pose", 1), ("energy", 2)):
            external = casadi.external(name, library)
            x = symbols[:count]
            found = getattr(module, name)(*x)
            symbolic = casadi.Function(name, x, list(found) if isinstance(found, tuple) else [found])
            # First and second derivatives: of C those that were generated, of SX those of CasADi.
            y = [casadi.MX.sym(f"y{k}", 7) for k in range(count)]
            pairs = []
            for f in (external, symbolic):
                out = f(*y)
                out = casadi.vertcat(*[casadi.vec(of) for of in (out if isinstance(out, tuple) else (out,))])
                first = casadi.jacobian(out, casadi.vertcat(*y))
                weighted = casadi.sum1(out * np.arange(1.0, 1 + out.numel()))
                second = casadi.hessian(weighted, casadi.vertcat(*y))[0]
                pairs.append(casadi.Function(f"{name}_all", y, [casadi.densify(of) for of in (out, first, second)]))
            worst = [0.0] * 3
            for _ in range(5):
                at = [rng.uniform(-1, 1, 7) for _ in range(count)]
                for k, (a, b) in enumerate(zip(pairs[0].call(at), pairs[1].call(at))):
                    a, b = np.array(a), np.array(b)
                    worst[k] = max(worst[k], np.abs(a - b).max() / np.abs(b).max())
            # Sums in other orders.
            allowed = (1e-14, 1e-12, 1e-11)
            fine = all(of <= most for of, most in zip(worst, allowed))
            bad += not fine
            print(f"{name:12} values {worst[0]:.0e}, first {worst[1]:.0e}, second derivatives {worst[2]:.0e}{'' if fine else '  DIFFERS'}")
        place = lambda f: (lambda q: f(q)[1])
        rnea, pose = casadi.external("rnea", library), casadi.external("frame_pose", library)
        by_c = example.reach(rnea, place(pose))
        rnea = casadi.Function("rnea", symbols, [module.rnea(*symbols)])
        pose = casadi.Function("pose", symbols[:1], [*module.frame_pose(symbols[0])])
        by_sx = example.reach(rnea, place(pose))
        solved = by_c[2] == by_sx[2] == "Solve_Succeeded" and by_c[0] == by_sx[0] and abs(by_c[1] - by_sx[1]) <= 1e-8 * abs(by_sx[1])
        bad += not solved
        print(f"reach by Ipopt: C {by_c}, SX {by_sx}{'' if solved else '  DIFFERS'}")
        try:
            import gradyn
            from gradyn import casadi as bridge
        except ImportError:
            print("gradyn's package for Python is not here: its callback was not compared")
        else:
            model = gradyn.Model.from_urdf(ROOT / "robots/panda.urdf")
            rnea, position = bridge.function(model, "rnea"), bridge.function(model, "frame_translation", frame="panda_link8")
            by_callback = example.reach(rnea, position)
            same = by_callback[0] == by_c[0]
            bad += not same
            print(f"               callback of gradyn's package {by_callback}{'' if same else '  DIFFERS'}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
