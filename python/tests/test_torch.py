"""gradyn in PyTorch: values, derivatives of both orders, memory, refusals."""

from __future__ import annotations

import doctest
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

with warnings.catch_warnings():
    # Of its own, where it was built with another NumPy or for a device that is not there.
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)

import gradyn  # noqa: E402
import gradyn.torch as bridge  # noqa: E402

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
Tensor = torch.Tensor
Function = Callable[[Tensor, Tensor, Tensor], Tensor]


def load(name: str) -> gradyn.Model:
    return gradyn.Model.from_urdf(ROBOTS / f"{name.rstrip('+')}.urdf", floating_base=name.endswith("+"))


def states(model: gradyn.Model, count: int) -> tuple[Tensor, Tensor, Tensor]:
    random = np.random.default_rng(4)
    q = model.random(count, seed=4)
    v, a = (random.uniform(-0.5, 0.5, (count, model.nv)) for _ in range(2))
    return torch.from_numpy(q), torch.from_numpy(v), torch.from_numpy(a)


def functions(model: gradyn.Model, q: Tensor) -> dict[str, Function]:
    """Functions of a step from `q`, and of two vectors."""
    frame = model.frame_names[-1]
    contact = model.contact(frame)

    def at(step: Tensor) -> Tensor:
        return bridge.integrate(model, q, step)

    return {
        "rnea": lambda s, v, a: bridge.rnea(model, at(s), v, a),
        "aba": lambda s, v, a: bridge.aba(model, at(s), v, a),
        "rnea with wrenches": (
            lambda s, v, a: bridge.rnea(model, at(s), v, a, wrenches={frame: a[..., :6], (frame, "world"): v[..., :6]})
        ),
        "aba with wrenches": (
            lambda s, v, a: bridge.aba(model, at(s), v, a, wrenches={frame: a[..., :6], (frame, "world"): v[..., :6]})
        ),
        "crba": lambda s, v, a: bridge.crba(model, at(s)),
        "frame_pose": lambda s, v, a: bridge.frame_pose(model, at(s), frame),
        "constraint_dynamics": (
            lambda s, v, a: torch.cat(bridge.constraint_dynamics(model, at(s), v, a, contact), -1)
        ),
        "integrate": lambda s, v, a: bridge.integrate(model, at(s), v),
        "difference": lambda s, v, a: bridge.difference(model, at(s), at(v)),
    }


NAMES = ["rnea", "aba", "rnea with wrenches", "aba with wrenches", "crba", "frame_pose", "constraint_dynamics"]
NAMES += ["integrate", "difference"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("robot", ["panda", "quadrotor+"])
def test_derivatives_agree_with_differences(robot: str, name: str) -> None:
    model = load(robot)
    q, *rest = states(model, 2)
    x = [0.1 * rest[1], *rest]
    for tensor in x:
        tensor.requires_grad_()
    function = functions(model, q)[name]
    size = function(*x).detach().abs().max()

    def scaled(s: Tensor, v: Tensor, a: Tensor) -> Tensor:
        return function(s, v, a) / size

    # Central differences of step 1e-6 of functions of size one: rounding 1e-16 / 1e-6, times some hundred for sums of
    # terms that cancel, and third derivatives times 1e-12.
    assert torch.autograd.gradcheck(scaled, x, eps=1e-6, atol=1e-7, rtol=1e-8)
    assert torch.autograd.gradgradcheck(scaled, x, eps=1e-6, atol=1e-6, rtol=1e-7)


def test_values_are_the_engines_own() -> None:
    model = load("g1")
    q, v, a = states(model, 3)
    assert np.array_equal(bridge.rnea(model, q, v, a).numpy(), model.rnea(q.numpy(), v.numpy(), a.numpy()))
    assert np.array_equal(bridge.crba(model, q).numpy(), model.crba(q.numpy()))
    frame = model.frame_names[-1]
    assert np.array_equal(bridge.frame_pose(model, q, frame).numpy(), model.frame_pose(q.numpy(), frame))
    # One state, and a state for all.
    assert bridge.rnea(model, q[0], v[0], a[0]).shape == (model.nv,)
    assert bridge.rnea(model, q, v[0], a[0]).shape == (3, model.nv)


def test_out_is_filled_in_place() -> None:
    model = load("g1")
    q, v, a = states(model, 5)
    matrices = torch.zeros(5, model.nv, model.nv, dtype=torch.float64)
    place = matrices.data_ptr()
    assert bridge.crba(model, q, out=matrices) is matrices
    assert matrices.data_ptr() == place
    assert np.array_equal(matrices.numpy(), model.crba(q.numpy()))
    taus = torch.zeros(5, model.nv, dtype=torch.float64)
    bridge.rnea(model, q, v, a, out=taus)
    assert np.array_equal(taus.numpy(), model.rnea(q.numpy(), v.numpy(), a.numpy()))
    with pytest.raises(ValueError, match="no_grad"):
        bridge.rnea(model, q, v.requires_grad_(), a, out=taus)


def test_third_derivatives_are_refused() -> None:
    model = load("pendulum")
    q = torch.zeros(model.nq, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(bridge.rnea(model, q, q, q).sum(), q, create_graph=True)
    (gradient,) = torch.autograd.grad(gradient.sum(), q, create_graph=True)
    with pytest.raises(NotImplementedError, match="third derivatives"):
        gradient.sum().backward()


def test_errors_say_what_is_wrong() -> None:
    model = load("panda")
    zeros = torch.zeros(7, dtype=torch.float64)
    with pytest.raises(TypeError, match=r"`v` is of torch.float32, expected torch.float64: `v.double\(\)`"):
        bridge.rnea(model, zeros, zeros.float(), zeros)
    with pytest.raises(ValueError, match=r"`a` has shape \(6,\), expected \(\.\.\., 7\)"):
        bridge.rnea(model, zeros, zeros, zeros[:6])
    with pytest.raises(gradyn.InputError, match="panda_joint3"):
        bridge.rnea(model, zeros.where(torch.arange(7) != 2, float("nan")), zeros, zeros)


def test_operators_pass_torchs_own_checks() -> None:
    model = load("panda")
    q, v, a = states(model, 2)
    number = bridge._number(bridge._functions.Rnea, model)
    for check in ("test_schema", "test_autograd_registration", "test_faketensor"):
        torch.library.opcheck(torch.ops.gradyn.value.default, (number, [q, v.requires_grad_(), a]), test_utils=check)


def test_vmap_is_one_call_of_many_states() -> None:
    model = load("panda")
    q, v, a = states(model, 4)
    mapped = torch.func.vmap(lambda q, v, a: bridge.rnea(model, q, v, a), in_dims=(0, None, 1))
    assert torch.equal(mapped(q, v[0], a.T), bridge.rnea(model, q, v[0], a))


def test_torch_compile_keeps_one_graph() -> None:
    model = load("panda")
    q, v, a = states(model, 3)

    def cost(q: Tensor) -> Tensor:
        return (bridge.rnea(model, q, v, a) ** 2).sum()

    # Without a compiler of C++, which may not be there; a break in the graph would be an error.
    compiled = torch.compile(cost, backend="aot_eager", fullgraph=True)
    gradients = []
    for function in (cost, compiled):
        x = q.clone().requires_grad_()
        function(x).backward()
        gradients.append(x.grad)
    assert torch.equal(*gradients)


def test_the_example_of_the_docstring_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROBOTS.parent)
    done = doctest.testmod(bridge)
    assert done.attempted and not done.failed
