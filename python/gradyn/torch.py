"""gradyn's functions in PyTorch, with exact derivatives of first and second order.

>>> import torch, gradyn, gradyn.torch as gt
>>> model = gradyn.Model.from_urdf("robots/panda.urdf")
>>> q = torch.zeros(4096, 7, dtype=torch.float64, requires_grad=True)
>>> gt.crba(model, q).sum().backward()
>>> q.grad.shape
torch.Size([4096, 7])

Tensors are of float64 and stand on the CPU; their memory is read and written in place. Many states are computed in one
call, on all threads of the machine. Backward passes are differentiable once: second derivatives are exact, third ones
are refused. Custom operators of ``torch.library`` make the functions known to ``torch.compile``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from gradyn import Constraint, Model, _functions
from gradyn._smooth import Array, Smooth, array

__all__ = [
    "aba",
    "constraint_dynamics",
    "crba",
    "difference",
    "frame_pose",
    "integrate",
    "rnea",
]

#: Functions of robots by their number, which operators take: operators know tensors and numbers alone.
_SMOOTH: list[Smooth] = []
_NUMBERS: dict[tuple[Any, ...], int] = {}
_LOCK = threading.Lock()


def _numbered(kind: type[Smooth], model: Model, *choices: Any) -> int:
    key = (kind, model, *choices)
    with _LOCK:
        if key not in _NUMBERS:
            _SMOOTH.append(kind(model, *choices))
            _NUMBERS[key] = len(_SMOOTH) - 1
        return _NUMBERS[key]


#: The same, which `torch.compile` calls when it traces.
_number: Callable[..., int] = cast(Any, torch.compiler).assume_constant_result(_numbered)


def _array(tensor: Tensor) -> Array:
    return array(tensor.detach().numpy())


def _tensor(x: Array) -> Tensor:
    return torch.from_numpy(x if x.flags.writeable else x.copy())


@torch.library.custom_op("gradyn::value", mutates_args=(), device_types="cpu")
def _value(number: int, x: list[Tensor]) -> Tensor:
    return _tensor(_SMOOTH[number].value(*(_array(t) for t in x)))


@_value.register_fake
def _(number: int, x: list[Tensor]) -> Tensor:
    return x[0].new_empty((*x[0].shape[:-1], _SMOOTH[number].size))


@torch.library.custom_op("gradyn::gradient", mutates_args=(), device_types="cpu")
def _gradient(number: int, on: Tensor, x: list[Tensor]) -> list[Tensor]:
    made = _SMOOTH[number].gradient(_array(on), *(_array(t) for t in x))
    return [_tensor(np.ascontiguousarray(g)) for g in made]


@_gradient.register_fake
def _(number: int, on: Tensor, x: list[Tensor]) -> list[Tensor]:
    return [torch.empty_like(t, memory_format=torch.contiguous_format) for t in x]


@torch.library.custom_op("gradyn::second", mutates_args=(), device_types="cpu")
def _second(number: int, on: Tensor, x: list[Tensor], along: list[Tensor]) -> list[Tensor]:
    """What `along^T gradient` changes by: with `on`, then with each argument."""
    smooth = _SMOOTH[number]
    arrays, t = [_array(a) for a in x], [_array(a) for a in along]
    by_on = sum(np.einsum("...ij,...j->...i", d, a) for d, a in zip(smooth.first(*arrays), t, strict=True))
    _, blocks = smooth.second(_array(on), *arrays)
    made = [np.asarray(by_on)]
    for b, x_b in enumerate(arrays):
        total = np.zeros(x_b.shape)
        for a, direction in enumerate(t):
            block = blocks[a][b]
            if block is not None:
                total += np.einsum("...ij,...i->...j", block, direction)
        made.append(total)
    return [_tensor(np.ascontiguousarray(a)) for a in made]


@_second.register_fake
def _(number: int, on: Tensor, x: list[Tensor], along: list[Tensor]) -> list[Tensor]:
    return [torch.empty_like(t, memory_format=torch.contiguous_format) for t in (on, *x)]


def _keep_value(ctx: Any, inputs: Any, output: Any) -> None:
    number, x = inputs
    ctx.number = number
    ctx.save_for_backward(*x)


def _value_backward(ctx: Any, on: Tensor) -> Any:
    return None, _gradient(ctx.number, on, list(ctx.saved_tensors))


def _keep_gradient(ctx: Any, inputs: Any, output: Any) -> None:
    number, on, x = inputs
    ctx.number = number
    ctx.save_for_backward(on, *x)


def _gradient_backward(ctx: Any, along: list[Tensor | None]) -> Any:
    on, *x = ctx.saved_tensors
    given = [torch.zeros_like(t) if a is None else a for t, a in zip(x, along, strict=True)]
    by_on, *by_x = _second(ctx.number, on, x, given)
    return None, by_on, by_x


def _second_backward(ctx: Any, *grads: Any) -> Any:
    raise NotImplementedError("gradyn.torch: third derivatives are not available, second ones are")


_value.register_autograd(_value_backward, setup_context=_keep_value)
_gradient.register_autograd(_gradient_backward, setup_context=_keep_gradient)
_second.register_autograd(_second_backward)


def _vmap(info: Any, dims: Any, number: int, x: list[Tensor]) -> tuple[Tensor, int]:
    """One call of many states."""
    pairs = zip(x, dims[1] or [None] * len(x), strict=True)
    size = info.batch_size
    return _value(number, [t.expand(size, *t.shape) if d is None else t.movedim(d, 0) for t, d in pairs]), 0


if hasattr(_value, "register_vmap"):
    # From PyTorch 2.5 on.
    _value.register_vmap(_vmap)


def _call(kind: type[Smooth], model: Model, given: Sequence[Tensor], *choices: Any) -> Tensor:
    number = _number(kind, model, *choices)
    smooth = _SMOOTH[number]
    for name, tensor, size in zip(smooth.arguments, given, smooth.sizes(), strict=True):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"`{name}` is of type {type(tensor).__name__}, expected a torch.Tensor")
        if tensor.dtype != torch.float64:
            raise TypeError(f"`{name}` is of {tensor.dtype}, expected torch.float64: `{name}.double()` converts it")
        if tensor.device.type != "cpu":
            raise TypeError(f"`{name}` is on {tensor.device}, expected the CPU: `{name}.cpu()` moves it")
        if tensor.ndim == 0 or tensor.shape[-1] != size:
            raise ValueError(f"`{name}` has shape {tuple(tensor.shape)}, expected (..., {size})")
    broadcast: Any = torch.broadcast_shapes
    lead = broadcast(*(tensor.shape[:-1] for tensor in given))
    y: Tensor = _value(number, [tensor.expand(*lead, tensor.shape[-1]) for tensor in given])
    return y


def _direct(out: Tensor, given: Sequence[Tensor]) -> Array:
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in given):
        raise ValueError("`out` cannot be given where gradients are wanted: call within torch.no_grad()")
    return _array(out)


def rnea(
    model: Model,
    q: Tensor,
    v: Tensor,
    a: Tensor,
    *,
    wrenches: Mapping[_functions.WrenchKey, Tensor] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Inverse dynamics: joint torques.

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    q : torch.Tensor, (..., nq)
        Configurations.
    v, a : torch.Tensor, (..., nv)
        Velocities and accelerations.
    wrenches : mapping from str or (str, "world") to torch.Tensor, (..., 6), optional
        External wrenches on frames: force, then moment, in the frame's own axes, or about the world's origin in those
        of the world.
    out : torch.Tensor, (..., nv), optional
        Filled in place, where no gradients are wanted.

    Returns
    -------
    torch.Tensor, (..., nv)
        N m or N.
    """
    keys, x = tuple(wrenches or ()), (q, v, a, *(wrenches or {}).values())
    if out is not None:
        on: Any = {key: _array(wrench) for key, wrench in (wrenches or {}).items()} or None
        model.rnea(_array(q), _array(v), _array(a), wrenches=on, out=_direct(out, x))
        return out
    return _call(_functions.Rnea, model, x, keys)


def aba(
    model: Model,
    q: Tensor,
    v: Tensor,
    tau: Tensor,
    *,
    wrenches: Mapping[_functions.WrenchKey, Tensor] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Forward dynamics: joint accelerations.

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    q : torch.Tensor, (..., nq)
        Configurations.
    v, tau : torch.Tensor, (..., nv)
        Velocities and torques.
    wrenches : mapping from str or (str, "world") to torch.Tensor, (..., 6), optional
        External wrenches on frames: force, then moment, in the frame's own axes, or about the world's origin in those
        of the world.
    out : torch.Tensor, (..., nv), optional
        Filled in place, where no gradients are wanted.

    Returns
    -------
    torch.Tensor, (..., nv)
        rad/s^2 or m/s^2.
    """
    keys, x = tuple(wrenches or ()), (q, v, tau, *(wrenches or {}).values())
    if out is not None:
        on: Any = {key: _array(wrench) for key, wrench in (wrenches or {}).items()} or None
        model.aba(_array(q), _array(v), _array(tau), wrenches=on, out=_direct(out, x))
        return out
    return _call(_functions.Aba, model, x, keys)


def crba(model: Model, q: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The mass matrix, (..., nv, nv).

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    q : torch.Tensor, (..., nq)
        Configurations.
    out : torch.Tensor, (..., nv, nv), optional
        Filled in place, where no gradients are wanted.
    """
    if out is not None:
        # Symmetric: transposed, it stands as the engine computes it.
        model.crba(_array(q), out=np.swapaxes(_direct(out, (q,)), -1, -2))
        return out
    flat = _call(_functions.Crba, model, (q,))
    return flat.reshape(*flat.shape[:-1], model.nv, model.nv)


def frame_pose(model: Model, q: Tensor, frame: str) -> Tensor:
    """The pose of a frame in the world, (..., 4, 4).

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    q : torch.Tensor, (..., nq)
        Configurations.
    frame : str
        A name of `Model.frame_names` or `Model.body_names`.
    """
    flat = _call(_functions.FramePose, model, (q,), frame)
    return flat.reshape(*flat.shape[:-1], 4, 4).transpose(-1, -2)


def constraint_dynamics(
    model: Model, q: Tensor, v: Tensor, tau: Tensor, constraints: Constraint | Sequence[Constraint]
) -> tuple[Tensor, Tensor]:
    """Forward dynamics under contacts and loops.

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    q : torch.Tensor, (..., nq)
        Configurations.
    v, tau : torch.Tensor, (..., nv)
        Velocities and torques.
    constraints : gradyn.Constraint or sequence of them
        As `Model.contact`, `Model.connect` and `Model.weld` make them.

    Returns
    -------
    ddq : torch.Tensor, (..., nv)
        Accelerations.
    lambda_ : torch.Tensor, (..., rows)
        Forces that hold the constraints.
    """
    given = (constraints,) if isinstance(constraints, Constraint) else tuple(constraints)
    both = _call(_functions.ConstraintDynamics, model, (q, v, tau), given)
    return both[..., : model.nv], both[..., model.nv :]


def integrate(model: Model, q: Tensor, v: Tensor) -> Tensor:
    """Moves along the configurations by a step in the tangent space, (..., nq).

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    q : torch.Tensor, (..., nq)
        Configurations.
    v : torch.Tensor, (..., nv)
        Steps: a velocity times a time.
    """
    return _call(_functions.Integrate, model, (q, v))


def difference(model: Model, q0: Tensor, q1: Tensor) -> Tensor:
    """The step from one configuration to another, (..., nv): `integrate(q0, difference(q0, q1))` is `q1`.

    Parameters
    ----------
    model : gradyn.Model
        The robot.
    q0, q1 : torch.Tensor, (..., nq)
        Configurations.
    """
    return _call(_functions.Difference, model, (q0, q1))
