#!/usr/bin/env python3
"""Writes what CasADi's CVODES claims of an integral by three parameters, with its default options and with `quad_err_con`.

    python3 -m venv venv && venv/bin/pip install casadi==3.8.2
    venv/bin/python conformance/casadi_cvodes.py

`gradyn check --function` reads the files, conformance/claims/casadi_*.json: docs/check-function.md. Beside the Jacobian of each
stand values of the same function by the same program, around the point.

The functions are those of https://github.com/casadi/casadi/issues/4383: x' = t (p1 + p2 + p3), of which every derivative of
x(1) is 1/2, and x' = p1 b1(t) + p2 b2(t) + p3 b3(t) with three hats on [0, 1], whose derivatives are 1/4, 1/2, 1/4.
"""

import json
from pathlib import Path

import casadi as ca

CLAIMS = Path(__file__).resolve().parent / "claims"
POINT = [1.0, 1.0, 1.0]
TOLERANCES = {"abstol": 1e-12, "reltol": 1e-12}
# The first steps of a check, and of its second and third look; each is halved so often.
STEPS, HALVES = (0.125, 0.125 * 0.61, 0.125 * 0.83), 6


def ramp(t, p):
    return t * (p[0] + p[1] + p[2])


def hats(t, p):
    return sum(p[i] * ca.fmax(0, 1 - ca.fabs(2 * t - i)) for i in range(3))


def functions(rate, options):
    """x(1) by p, and its Jacobian."""
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x"), ca.SX.sym("p", 3)
    ode = {"t": t, "x": x, "p": p, "ode": rate(t, p)}
    step = ca.integrator("step", "cvodes", ode, 0, 1, {**TOLERANCES, **options})
    p = ca.MX.sym("p", 3)
    end = step(x0=0, p=p)["xf"]
    return ca.Function("value", [p], [end]), ca.Function("jacobian", [p], [ca.jacobian(end, p)])


def around(value):
    """Values along each parameter."""
    for start in STEPS:
        for half in range(HALVES):
            for k in range(3):
                for step in (start / 2**half, -start / 2**half):
                    x = [*POINT[:k], POINT[k] + step, *POINT[k + 1 :]]
                    yield {"x": x, "y": [float(value(x))]}


def text(claim):
    """JSON with a sample a line."""
    (state,) = claim["states"]
    samples = ",\n".join(f"      {json.dumps(sample)}" for sample in state.pop("samples"))
    head = {key: value for key, value in claim.items() if key != "states"}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    inner = [f"    {json.dumps(key)}: {json.dumps(value)}," for key, value in state.items()]
    return "\n".join(["{", *lines, '  "states": [{', *inner, '    "samples": [', samples, "    ]", "  }]", "}", ""])


def main():
    CLAIMS.mkdir(exist_ok=True)
    for name, rate, formula in (
        ("sum", ramp, "x' = t (p1 + p2 + p3)"),
        ("hats", hats, "x' = sum of p_i times a hat at 0, 1/2, 1"),
    ):
        for suffix, options in (("", {}), ("_quad_err_con", {"quad_err_con": True})):
            value, jacobian = functions(rate, options)
            found = [float(entry) for entry in ca.vec(jacobian(POINT)).elements()]
            claim = {
                "program": f"CasADi {ca.__version__}, cvodes" + "".join(f", {key}" for key in options),
                "comment": f"{formula}, x(0) = 0; abstol = reltol = 1e-12; written by conformance/casadi_cvodes.py",
                "inputs": ["p1", "p2", "p3"],
                "outputs": ["x(1)"],
                "states": [
                    {"x": POINT, "y": [float(value(POINT))], "jacobian": [found], "samples": list(around(value))}
                ],
            }
            file = CLAIMS / f"casadi_{name}{suffix}.json"
            file.write_text(text(claim))
            print(f"{file.name}: {found}")


if __name__ == "__main__":
    main()
