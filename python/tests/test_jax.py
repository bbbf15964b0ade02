"""gradyn in JAX: values, derivatives of both orders in both modes, batches, refusals."""

from __future__ import annotations

import doctest
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="JAX is not installed", exc_type=ImportError)
    from jax.test_util import check_grads

import jax.numpy as jnp  # noqa: E402

import gradyn  # noqa: E402
import gradyn.jax as bridge  # noqa: E402

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
Function = Callable[..., Any]


@pytest.fixture(autouse=True, scope="module")
def float64() -> Any:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def load(name: str) -> gradyn.Model:
    return gradyn.Model.from_urdf(ROBOTS / f"{name.rstrip('+')}.urdf", floating_base=name.endswith("+"))


def state(model: gradyn.Model, *lead: int) -> tuple[Any, Any, Any]:
    count = int(np.prod(lead))
    random = np.random.default_rng(5)
    q = model.random(count, seed=5).reshape(*lead, model.nq)
    v, a = (random.uniform(-0.5, 0.5, (*lead, model.nv)) for _ in range(2))
    return q, v, a


def functions(model: gradyn.Model, q: Any) -> dict[str, tuple[Function, int]]:
    """Functions of a step from `q` and two vectors, and how often they can be differentiated."""
    frame = model.frame_names[-1]
    contact = model.contact(frame)

    def at(step: Any) -> Any:
        return bridge.integrate(model, q, step)

    return {
        "rnea": (lambda s, v, a: bridge.rnea(model, at(s), v, a), 2),
        "aba": (lambda s, v, a: bridge.aba(model, at(s), v, a), 2),
        "rnea with wrenches": (
            lambda s, v, a: bridge.rnea(model, at(s), v, a, wrenches={frame: a[:6], (frame, "world"): v[:6]}),
            2,
        ),
        "aba with wrenches": (
            lambda s, v, a: bridge.aba(model, at(s), v, a, wrenches={frame: a[:6], (frame, "world"): v[:6]}),
            2,
        ),
        "crba": (lambda s, v, a: bridge.crba(model, at(s)), 2),
        "frame_pose": (lambda s, v, a: bridge.frame_pose(model, at(s), frame), 2),
        "frame_jacobian": (lambda s, v, a: bridge.frame_jacobian(model, at(s), frame, reference="world"), 1),
        "constraint_dynamics": (lambda s, v, a: bridge.constraint_dynamics(model, at(s), v, a, contact), 2),
        "integrate": (lambda s, v, a: bridge.integrate(model, at(s), v), 2),
        "difference": (lambda s, v, a: bridge.difference(model, at(s), at(v)), 2),
    }


NAMES = [
    "rnea",
    "aba",
    "rnea with wrenches",
    "aba with wrenches",
    "crba",
    "frame_pose",
    "frame_jacobian",
    "constraint_dynamics",
    "integrate",
    "difference",
]


#: Quaternions take part in all rules; these have ways of their own where there are none.
CASES = [("quadrotor+", name) for name in NAMES] + [("panda", name) for name in ("rnea", "aba", "integrate", "difference")]


@pytest.mark.parametrize(("robot", "name"), CASES)
def test_derivatives_agree_with_differences(robot: str, name: str) -> None:
    model = load(robot)
    q, v, a = state(model)
    function, order = functions(model, q)[name]
    # Central differences of step 6e-6, of functions of size 1e2 at most: rounding 1e-16 / 6e-6 times the size, and the
    # third derivative times 4e-11.
    check_grads(function, (0.1 * a, v, a), order=order, modes=["fwd", "rev"], eps=6e-6, atol=1e-6, rtol=1e-6)


def test_values_are_the_engines_own() -> None:
    model = load("g1")
    q, v, a = state(model, 3, 2)
    frame = model.frame_names[-1]
    np.testing.assert_array_equal(bridge.rnea(model, q, v, a), model.rnea(q, v, a))
    np.testing.assert_array_equal(bridge.aba(model, q, v, a), model.aba(q, v, a))
    np.testing.assert_array_equal(bridge.crba(model, q), model.crba(q))
    np.testing.assert_array_equal(bridge.frame_pose(model, q, frame), model.frame_pose(q, frame))
    np.testing.assert_array_equal(bridge.frame_jacobian(model, q, frame), model.frame_jacobian(q, frame))
    assert bridge.rnea(model, q, v[0, 0], a[0]).shape == (3, 2, model.nv)


def test_wrenches_are_the_engines_own() -> None:
    model = load("solo12+")
    q, v, a = state(model, 4)
    foot, base = model.frame_names[-1], model.body_names[0]
    wrenches = {foot: np.arange(24.0).reshape(4, 6), (base, "world"): np.arange(6.0)}
    found = bridge.rnea(model, q, v, a, wrenches=wrenches)
    np.testing.assert_allclose(found, model.rnea(q, v, a, wrenches=wrenches), rtol=1e-14, atol=1e-14)
    with pytest.raises(ValueError, match=r"`wrenches\['.*'\]` has shape \(5,\), expected \(\.\.\., 6\)"):
        bridge.rnea(model, q, v, a, wrenches={foot: np.zeros(5)})
    with pytest.raises(gradyn.InputError, match="has no frame 'footy'"):
        bridge.rnea(model, q, v, a, wrenches={"footy": np.zeros(6)})


def test_vmap_is_one_call_of_many_states() -> None:
    model = load("panda")
    q, v, a = state(model, 6)

    def rnea(q: Any, v: Any, a: Any) -> Any:
        return bridge.rnea(model, q, v, a)

    mapped = jax.vmap(rnea, in_axes=(0, 0, None))
    np.testing.assert_array_equal(mapped(q, v, a[0]), model.rnea(q, v, a[0]))
    text = jax.jit(mapped).lower(q, v, a[0]).as_text()
    assert text.count("@gradyn(") == 1 and "while" not in text
    jacobians = jax.vmap(jax.jacobian(rnea))(q, v, a)
    np.testing.assert_allclose(jacobians, model.rnea_derivatives(q, v, a).dtau_dq, rtol=1e-12, atol=1e-12)


def test_derivative_of_the_mass_matrix() -> None:
    model = load("panda")
    (q, *_), still = state(model), np.zeros(7)
    by = jax.jit(jax.jacobian(lambda q: bridge.crba(model, q)))(q)
    np.testing.assert_allclose(by, model.rnea_second_derivatives(q, still, still).d2tau_dadq, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("robot", ["panda", "quadrotor+"])
def test_gradient_of_a_rollout_of_200_steps(robot: str) -> None:
    model = load(robot)
    q, v, _ = state(model)

    @jax.jit
    def cost(torque: Any) -> Any:
        def step(x: Any, k: Any) -> tuple[Any, None]:
            q, v = x
            v = v + 1e-3 * bridge.aba(model, q, v, torque)
            return (bridge.integrate(model, q, 1e-3 * v), v), None

        (end, speed), _ = jax.lax.scan(step, (q, v), jnp.arange(200))
        return jnp.sum(bridge.difference(model, q, end) ** 2) + 0.1 * jnp.sum(speed**2)

    torque = jnp.asarray(0.1 * np.arange(1, model.nv + 1))
    gradient = jax.jit(jax.grad(cost))(torque)
    differences = [(cost(torque + e) - cost(torque - e)) / 2e-5 for e in 1e-5 * np.eye(model.nv)]
    # Rounding of the cost, 1e-16 / 1e-5 times its size, which grows in 200 steps, and third derivatives times 1e-10.
    np.testing.assert_allclose(gradient, differences, rtol=1e-7, atol=1e-8 * max(1.0, float(cost(torque))))


def test_hessian_of_a_cost_is_symmetric_and_agrees_with_the_engine() -> None:
    model = load("panda")
    q, v, a = state(model)
    weights = np.arange(1.0, 8.0)
    hessian = jax.jit(jax.hessian(lambda q: weights @ bridge.rnea(model, q, v, a)))(q)
    np.testing.assert_allclose(hessian, model.rnea_hessian(q, v, a, weights).dqq, rtol=1e-11, atol=1e-11)


def test_hessian_by_quaternions_is_symmetric() -> None:
    model = load("quadrotor+")
    q, v, a = state(model)
    weights = np.arange(1.0, model.nv + 1)
    hessian = jax.jit(jax.hessian(lambda q: weights @ bridge.rnea(model, q, v, a)))(q)
    np.testing.assert_allclose(hessian, hessian.T, rtol=0, atol=1e-13 * np.abs(hessian).max())
    backward = jax.jit(jax.jacrev(jax.grad(lambda q: weights @ bridge.rnea(model, q, v, a))))(q)
    np.testing.assert_allclose(hessian, backward, rtol=0, atol=1e-13 * np.abs(hessian).max())


def test_third_derivatives_are_refused() -> None:
    model = load("pendulum")
    with pytest.raises(NotImplementedError, match="third derivatives of `rnea`"):
        jax.grad(jax.grad(jax.grad(lambda q: bridge.rnea(model, q[None], q[None], q[None])[0])))(0.3)


def test_a_model_made_again_is_compiled_once() -> None:
    compiled = jax.jit(lambda model, q: bridge.crba(model, q), static_argnums=0)
    for _ in range(2):
        model = load("panda")
        compiled(model, np.zeros(7))
    assert compiled._cache_size() == 1


def test_errors_say_what_is_wrong() -> None:
    model = load("panda")
    zeros = np.zeros(7)
    with pytest.raises(TypeError, match=r"`v` is of float32, expected float64: `v.astype\(jnp.float64\)`"):
        bridge.rnea(model, zeros, zeros.astype(np.float32), zeros)
    with pytest.raises(ValueError, match=r"`a` has shape \(6,\), expected \(\.\.\., 7\)"):
        bridge.rnea(model, zeros, zeros, zeros[:6])
    states = np.zeros((4, 7))
    states[2, 1] = np.nan
    with pytest.raises(Exception, match=r"rnea: state \[2\]: .*panda_joint2"):
        jax.block_until_ready(bridge.rnea(model, states, zeros, zeros))


def test_float32_is_refused_with_what_to_do() -> None:
    code = (
        "import gradyn, gradyn.jax as g, sys\n"
        "try: g.crba(gradyn.Model.from_urdf(sys.argv[1]), [0.0] * 7)\n"
        "except TypeError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROBOTS / "panda.urdf")], capture_output=True, text=True, check=True
    )
    assert 'jax.config.update("jax_enable_x64", True)' in done.stdout


def test_programs_kept_on_disk_find_their_robots(tmp_path: Path) -> None:
    """Another process, which meets robots in another order, computes with the right ones."""
    code = (
        "import sys, jax, numpy as np, gradyn, gradyn.jax as g\n"
        "jax.config.update('jax_enable_x64', True)\n"
        "jax.config.update('jax_compilation_cache_dir', sys.argv[1])\n"
        "jax.config.update('jax_persistent_cache_min_compile_time_secs', 0.0)\n"
        "jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)\n"
        "for path in sys.argv[2:]:\n"
        "    model = gradyn.Model.from_urdf(path)\n"
        "    q = model.random(seed=1)\n"
        "    assert np.array_equal(jax.jit(lambda q: g.crba(model, q))(q), model.crba(q)), path\n"
    )
    # Of the same size, so that programs differ in the number of the function alone.
    paths = [str(ROBOTS / "ur5.urdf"), str(tmp_path / "heavier.urdf")]
    text = Path(paths[0]).read_text()
    heavier = text.replace('mass value="', 'mass value="1')
    assert heavier != text
    Path(paths[1]).write_text(heavier)
    for order in (paths, paths[::-1]):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / "kept"), *order], check=True, timeout=120)
    assert any((tmp_path / "kept").iterdir())


def test_the_example_of_the_docstring_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROBOTS.parent)
    done = doctest.testmod(bridge)
    assert done.attempted and not done.failed
