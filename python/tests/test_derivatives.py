"""Derivatives of the table: by formulas as by dual numbers, and as differences converge to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from robots import CASES, TABLE, Array, Call, load, relative

robots = pytest.mark.parametrize("name", sorted(CASES))

WITH_METHOD = sorted(name for name, row in TABLE.items() if "method" in dict(row["choices"]))


@robots
@pytest.mark.parametrize("function", WITH_METHOD)
def test_formulas_agree_with_dual_numbers(name: str, function: str) -> None:
    for lead in [(), (3,)]:
        call = Call(name, function, lead, wrenches=True)
        for (output, _), a, b in zip(call.row["outputs"], call(), call(method="dual"), strict=True):
            # Both are exact but for rounding; accelerations divide by masses, of conditions of up to 1e4.
            assert relative(a, b) < 1e-10, output


@robots
@pytest.mark.parametrize("function", WITH_METHOD)
def test_the_engines_differences_agree(name: str, function: str) -> None:
    call = Call(name, function)
    # Second derivatives are differences of formulas; all are extrapolated to step zero.
    for (output, _), a, b in zip(call.row["outputs"], call(), call(method="difference"), strict=True):
        assert relative(a, b) < 1e-7, output


# Differences of four points: their error is the fourth power of the step times a fifth derivative, which friction near
# zero speed makes large, and rounding over the step, 1e-12, times the condition of the constraint, up to 1e4.
STEP, DIFFERENCES = 1e-4, 1e-7

#: Multiples of the step, and weights.
POINTS = {1: 8 / 12, -1: -8 / 12, 2: -1 / 12, -2: 1 / 12}


def moved(n: int) -> Array:
    """Steps along each of `n` directions, to each of the four points: (n, 4, n)."""
    return STEP * np.stack([k * np.eye(n) for k in POINTS], axis=1)


def slope(values: Any) -> Array:
    """The derivative by each direction, which comes last, from values at the points, (n, 4, ...)."""
    weights = np.array(list(POINTS.values())) / STEP
    derivative: Array = np.moveaxis(np.tensordot(values, weights, axes=(1, 0)), 0, -1)
    return derivative


def differences(call: Call, argument: str) -> list[Array]:
    """Of every result by an argument: the direction comes last."""
    array, model = call.arrays[argument], call.model
    if dict(call.row["arguments"])[argument] == "nq":
        points = model.integrate(array, moved(model.nv))
    else:
        points = array + moved(len(array))
    return [slope(values) for values in call(**{argument: points})]


#: Fields whose names do not say what they are derivatives of, or by.
VALUES = {
    "ddq": "ddq",
    "dlambda": "lambda_",
    "drate": "momentum_rate",
    "dv": "v_after",
    "dtau": "tau",
}
ARGUMENTS = {"lambda": "lambda_"}


def first_derivatives() -> list[tuple[str, str, str, str]]:
    """Function, derivative, value, argument: of what results have both."""
    found = []
    for function, row in TABLE.items():
        outputs = [name for name, _ in row["outputs"]]
        arguments = [name for name, _ in row["arguments"]]
        for output in outputs:
            head, _, tail = output.partition("_d")
            argument = ARGUMENTS.get(tail, tail)
            value = VALUES.get(head, head[1:])
            if tail and value in outputs and argument in arguments:
                found.append((function, output, value, argument))
    return found


def test_every_derivative_is_tested() -> None:
    tested = {(function, derivative) for function, derivative, *_ in first_derivatives()}
    for function, row in TABLE.items():
        for output, _ in row["outputs"]:
            if "_d" in output and not output.endswith("_df_ext") and not function.endswith("second_derivatives"):
                assert (function, output) in tested


@robots
@pytest.mark.parametrize(("function", "derivative", "value", "argument"), first_derivatives())
def test_first_derivatives(name: str, function: str, derivative: str, value: str, argument: str) -> None:
    call = Call(name, function, wrenches=True)
    outputs = [output for output, _ in call.row["outputs"]]
    expected = differences(call, argument)[outputs.index(value)]
    assert relative(call()[outputs.index(derivative)], expected) < DIFFERENCES


@robots
@pytest.mark.parametrize(
    "function",
    [
        "rnea_derivatives",
        "aba_derivatives",
        "bias_derivatives",
        "static_torque_derivatives",
        "constraint_dynamics_derivatives",
    ],
)
def test_derivatives_by_wrenches(name: str, function: str) -> None:
    call = Call(name, function, wrenches=True)
    given = call.options["wrenches"]
    result = call.raw()
    for k, key in enumerate(given):
        for field in [field for field in result._fields if field.endswith("_df_ext")]:
            value = {"ddq_df_ext": "ddq", "dlambda_df_ext": "lambda_"}.get(field, field[1:].removesuffix("_df_ext"))
            more = given | {key: given[key] + np.eye(6)}
            by = np.asarray(getattr(call.raw(wrenches=more), value)) - getattr(result, value)
            # Values are linear in wrenches: a difference is exact but for rounding.
            assert relative(getattr(result, field)[k], by.T) < 1e-9, field


@robots
@pytest.mark.parametrize("function", ["rnea_gradient", "aba_gradient"])
def test_gradients_by_wrenches(name: str, function: str) -> None:
    call = Call(name, function, wrenches=True)
    given, result = call.options["wrenches"], call.raw()
    for k, key in enumerate(given):
        more = call.raw(wrenches=given | {key: given[key] + np.eye(6)})
        # Linear, too.
        assert relative(result.df_ext[k], more.value - result.value) < 1e-9


def gradients(function: str) -> list[str]:
    return [
        argument for argument, _ in TABLE[function]["arguments"] if f"d{argument}" in dict(TABLE[function]["outputs"])
    ]


@robots
@pytest.mark.parametrize(
    "function",
    [
        "rnea_gradient",
        "rnea_hessian",
        "rnea_parameter_gradient",
        "aba_gradient",
        "aba_hessian",
        "aba_parameter_gradient",
        "constraint_dynamics_hessian",
    ],
)
def test_gradients(name: str, function: str) -> None:
    call = Call(name, function, wrenches=True)
    result = call.raw()
    assert gradients(function)
    for argument in gradients(function):
        assert relative(getattr(result, f"d{argument}"), differences(call, argument)[0]) < DIFFERENCES, argument


@robots
@pytest.mark.parametrize("function", ["rnea_hessian", "aba_hessian", "constraint_dynamics_hessian"])
def test_hessians(name: str, function: str) -> None:
    call = Call(name, function, wrenches=True)
    result = call.raw()
    outputs = list(result._fields)
    for output in outputs:
        for of in gradients(function):
            for by in gradients(function):
                if output == f"d{of}{by}":
                    expected = differences(call, by)[outputs.index(f"d{of}")]
                    assert relative(getattr(result, output), expected) < DIFFERENCES, output


@robots
@pytest.mark.parametrize("function", ["rnea_hessian_product", "aba_hessian_product"])
def test_hessian_products(name: str, function: str) -> None:
    call = Call(name, function, wrenches=True)
    base = Call(name, function.removesuffix("_product"))
    given = {argument: call.arrays[argument] for argument in base.arrays}
    h = base.raw(**given, wrenches=call.options["wrenches"])
    last = "a" if function.startswith("rnea") else "tau"
    along_q, along_v, along_last = (call.arrays[f"along_{part}"] for part in ("q", "v", last))
    mixed = getattr(h, f"d{last}q")
    product = call.raw()
    # Sums in another order.
    assert relative(product.dv, h.dvq @ along_q + h.dvv @ along_v) < 1e-10
    assert relative(getattr(product, f"d{last}"), mixed @ along_q) < 1e-10
    assert relative(product.dq, h.dqq @ along_q + h.dvq.T @ along_v + mixed.T @ along_last) < 1e-10


@robots
@pytest.mark.parametrize("function", ["rnea_second_derivatives", "aba_second_derivatives"])
def test_second_derivatives(name: str, function: str) -> None:
    call = Call(name, function, wrenches=True)
    result = call.raw()
    first = Call(name, function.replace("second_", ""))
    first.arrays, first.options = call.arrays, call.options
    fields = [field for field, _ in first.row["outputs"]]
    of = "dtau" if function.startswith("rnea") else "ddq"
    for field in result._fields:
        _, _, pair = field.partition("_d")
        one, two = pair.split("d", 1)
        derivative = differences(first, two)[fields.index(f"{of}_d{one}")]
        assert relative(getattr(result, field), derivative) < DIFFERENCES, field


@robots
def test_parameter_gradients(name: str) -> None:
    """By inertial parameters, of which torques are linear functions: by the regressor."""
    model = load(name)
    rng = np.random.default_rng(3)
    q, (v, a, lambda_) = model.random(seed=3), rng.normal(size=(3, model.nv))
    dp = model.rnea_parameter_gradient(q, v, a, lambda_).dp
    regressor = model.torque_regressor(q, v, a)
    # The same products, summed in another order.
    assert relative(dp[model.parameter_blocks["inertial"]], lambda_ @ regressor) < 1e-12


@robots
def test_integration_and_difference(name: str) -> None:
    model: Any = load(name)
    q, rng = model.random(seed=2), np.random.default_rng(2)
    v = 0.5 * rng.normal(size=model.nv)
    moved_q = model.integrate(q, v)
    # A rotation and its logarithm.
    assert relative(model.difference(q, moved_q), v) < 1e-12
    assert relative(model.integrate(q, model.difference(q, moved_q)), moved_q) < 1e-12
    assert relative(model.interpolate(q, moved_q, 0.25), model.integrate(q, v / 4)) < 1e-12
    steps = STEP * np.array(list(POINTS))[:, None] * v
    assert relative(model.q_dot(q, v), slope(model.integrate(q, steps)[None])[..., 0]) < DIFFERENCES

    def tangent(values: Array, at: Array) -> Array:
        return slope(model.difference(at, values))

    step = moved(model.nv)
    by = model.integrate_derivatives(v)
    assert relative(by.dq, tangent(model.integrate(model.integrate(q, step), v), moved_q)) < DIFFERENCES
    assert relative(by.dv, tangent(model.integrate(q, v + step), moved_q)) < DIFFERENCES
    by = model.difference_derivatives(q, moved_q)
    assert relative(by.dq0, slope(model.difference(model.integrate(q, step), moved_q))) < DIFFERENCES
    assert relative(by.dq1, slope(model.difference(q, model.integrate(moved_q, step)))) < DIFFERENCES
