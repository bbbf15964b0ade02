"""Every function of the table: shapes, memory, many states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from robots import CASES, TABLE, Call, layouts, load, relative

import gradyn

# Many states are computed by eight lanes that sum in another order; mass matrices have conditions of up to 1e4.
ROUNDING = 1e-11

functions = pytest.mark.parametrize("function", sorted(TABLE))
robots = pytest.mark.parametrize("name", sorted(CASES))


@functions
@robots
@pytest.mark.parametrize("wrenches", [False, True])
def test_shapes_are_those_of_the_table(name: str, function: str, wrenches: bool) -> None:
    for lead in [(), (3,), (2, 3)]:
        call = Call(name, function, lead, wrenches)
        result = call.raw()
        if call.row["result"] is not None:
            assert type(result).__name__ == call.row["result"]
            assert result._fields == tuple(name for name, _ in call.row["outputs"])
        for (output, _), array, shape in zip(call.row["outputs"], call(), call.shapes(), strict=True):
            if shape == ():
                assert type(array) is float, output
            else:
                assert type(array) is np.ndarray and array.dtype == np.float64
                assert array.shape == shape, output
                assert array.flags.writeable and array.flags.owndata
            assert np.isfinite(array).all(), output


@functions
@robots
@pytest.mark.parametrize("wrenches", [False, True])
def test_many_states_are_as_each(name: str, function: str, wrenches: bool) -> None:
    # Eleven: a whole group of lanes, and some more.
    call = Call(name, function, (11,), wrenches)
    for threads in (None, 1, 2, 5):
        together = call(threads=threads)
        for k in range(11):
            for one, many in zip(call.state(k)(), together, strict=True):
                assert relative(many[k], one) < ROUNDING


@functions
def test_the_number_of_threads_changes_no_bit(function: str) -> None:
    call = Call("panda", function, (100,))
    one, *others = (call(threads=threads) for threads in (1, 2, 3))
    for other in others:
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


@functions
@robots
@pytest.mark.parametrize("lead", [(), (3,), (2, 9)])
def test_out_is_filled_in_place(name: str, function: str, lead: tuple[int, ...]) -> None:
    call = Call(name, function, lead, wrenches=True)
    expected = call()
    for layout in layouts((1,)):
        arrays = [layouts(shape)[layout] for shape in call.shapes()]
        out: Any = arrays[0] if call.row["result"] is None else tuple(arrays)
        result = call.raw(out=out)
        if call.row["result"] is None:
            assert result is out
        else:
            assert all(a is b for a, b in zip(result, arrays, strict=True))
        for array, known in zip(arrays, expected, strict=True):
            np.testing.assert_array_equal(array, known, err_msg=layout)


@functions
def test_gaps_of_out_are_left_alone(function: str) -> None:
    call = Call("panda", function, (9,), wrenches=True)
    wide = [np.full([2 * n for n in shape], np.nan) for shape in call.shapes()]
    every: Any = [(..., *(slice(None, None, 2) for _ in array.shape)) for array in wide]
    arrays = [array[place] for array, place in zip(wide, every, strict=True)]
    call.raw(out=arrays[0] if call.row["result"] is None else tuple(arrays))
    for array, whole in zip(arrays, wide, strict=True):
        assert np.isfinite(array).all()
        assert np.isfinite(whole).sum() == array.size


@functions
def test_some_of_several_results_go_to_out(function: str) -> None:
    row = TABLE[function]
    if row["result"] is None:
        pytest.skip("one result")
    call = Call("floating", function, (4,))
    for k, shape in enumerate(call.shapes()):
        out: list[Any] = [None] * len(row["outputs"])
        out[k] = np.full(shape, np.nan)
        result = call.raw(out=tuple(out))
        assert result[k] is out[k]
        for a, b in zip(result, call(), strict=True):
            np.testing.assert_array_equal(a, b)


def fits(call: Call) -> list[tuple[int, str]]:
    """Results that have the shape of an argument."""
    shapes = call.shapes()
    return [(k, a) for k, shape in enumerate(shapes) for a, array in call.arrays.items() if array.shape == shape]


@functions
@robots
@pytest.mark.parametrize("lead", [(), (5,), (40,)])
def test_out_may_be_an_argument(name: str, function: str, lead: tuple[int, ...]) -> None:
    for k, argument in fits(Call(name, function, lead)):
        call = Call(name, function, lead, wrenches=True)
        expected = call()
        given = call.arrays[argument].copy()
        out: list[Any] = [None] * len(expected)
        out[k] = given
        result = call(**{argument: given, "out": given if call.row["result"] is None else tuple(out)})
        for a, b in zip(result, expected, strict=True):
            np.testing.assert_array_equal(a, b)


@functions
@pytest.mark.parametrize("threads", [1, 2])
def test_out_may_hold_the_argument_of_other_states(function: str, threads: int) -> None:
    """States whose results stand where arguments of later states do, and the other way."""
    for k, argument in fits(Call("floating", function, (40,))):
        call = Call("floating", function, (40,))
        row, expected = call.row, call()
        for step in (1, -1):
            memory = np.empty((41, call.arrays[argument].shape[-1]))
            given, place = (memory[:-1], memory[1:]) if step == 1 else (memory[1:], memory[:-1])
            given[...] = call.arrays[argument]
            out: list[Any] = [None] * len(expected)
            out[k] = place
            result = call(**{argument: given, "out": place if row["result"] is None else tuple(out)}, threads=threads)
            for a, b in zip(result, expected, strict=True):
                assert relative(a, b) < ROUNDING


@functions
@pytest.mark.parametrize("threads", [1, 2])
def test_out_may_hold_what_stands_for_all_states(function: str, threads: int) -> None:
    for k, argument in fits(Call("floating", function, (40,))):
        call = Call("floating", function, (40,))
        row = call.row
        memory = call.arrays[argument].copy()
        call.arrays[argument] = memory[3].copy()
        if call.arrays.keys() == {argument}:
            continue
        expected = call()
        out: list[Any] = [None] * len(expected)
        out[k] = memory
        result = call(**{argument: memory[3], "out": memory if row["result"] is None else tuple(out)}, threads=threads)
        for a, b in zip(result, expected, strict=True):
            assert relative(a, b) < ROUNDING


@functions
@robots
def test_leading_dimensions_broadcast(name: str, function: str) -> None:
    call = Call(name, function, (4, 3))
    names = list(call.arrays)
    # The first argument has states along one dimension, the second along the other, the rest one state.
    parts = {
        argument: array[:, :1] if k == 0 else array[0] if k == 1 else array[0, 0]
        for k, (argument, array) in enumerate(call.arrays.items())
    }
    lead = (4, 3) if len(names) > 1 else (4, 1)
    call.arrays = {
        argument: np.broadcast_to(part, lead + call.arrays[argument].shape[2:]).copy()
        for argument, part in parts.items()
    }
    for a, b in zip(call(**parts), call(), strict=True):
        assert np.shape(a)[:2] == lead
        assert relative(a, b) < ROUNDING


@functions
def test_no_states_give_empty_arrays(function: str) -> None:
    call = Call("panda", function, (3, 0))
    assert [np.shape(array) for array in call()] == call.shapes()


@functions
@robots
def test_what_can_be_an_array_is_one(name: str, function: str) -> None:
    call = Call(name, function, (3,), wrenches=True)
    expected = call()

    def same(**arrays: Any) -> None:
        for a, b in zip(call(**arrays), expected, strict=True):
            np.testing.assert_array_equal(a, b)

    same(**{argument: array.tolist() for argument, array in call.arrays.items()})
    same(**{argument: tuple(array.tolist()) for argument, array in call.arrays.items()})
    same(**{argument: np.asfortranarray(array) for argument, array in call.arrays.items()})
    same(**{argument: np.repeat(array, 2, axis=-1)[..., ::2] for argument, array in call.arrays.items()})
    same(**{argument: np.flip(np.flip(array).copy()) for argument, array in call.arrays.items()})
    same(**{argument: array.astype(">f8") for argument, array in call.arrays.items()})
    same(**{argument: np.ma.array(array) for argument, array in call.arrays.items()})
    readonly = {argument: array.copy() for argument, array in call.arrays.items()}
    for array in readonly.values():
        array.flags.writeable = False
    same(**readonly)
    # Bytes that stand where no float64 may.
    unaligned = {}
    for argument, array in call.arrays.items():
        raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(array.shape)
        raw[...] = array
        unaligned[argument] = raw
    same(**unaligned)


def test_single_precision_and_integers_are_converted(panda: gradyn.Model) -> None:
    q, v = panda.random(seed=5), np.arange(7)
    assert (panda.rnea(q, v, v % 2 == 0) == panda.rnea(q, v.astype(float), [1.0, 0, 1, 0, 1, 0, 1])).all()
    single = q.astype(np.float32)
    assert (panda.rnea(single, v, v) == panda.rnea(single.astype(float), v, v)).all()


def test_a_number_stands_for_all_entries(panda: gradyn.Model) -> None:
    q = panda.random(4, seed=5)
    expected = panda.rnea(q, np.full(7, 0.3), np.zeros((4, 7)))
    np.testing.assert_array_equal(panda.rnea(q, 0.3, 0), expected)
    np.testing.assert_array_equal(panda.rnea(q, np.float64(0.3), np.array(0)), expected)


def test_matrices_stand_column_by_column(panda: gradyn.Model) -> None:
    q = panda.random(3, seed=1)
    assert panda.crba(q[0]).flags.f_contiguous
    jacobian = panda.frame_jacobian(q, "panda_link8")
    assert jacobian[0].strides == (8, 48)


def test_wrenches_in_the_world_and_in_the_link_agree() -> None:
    for name, case in CASES.items():
        model = load(name)
        q, wrench = model.random(seed=3), np.array([1.0, 2, 3, 4, 5, 6])
        for frame in (*case.frames, case.body):
            # The same force, carried from the frame to the world's origin.
            pose = model.frame_pose(q, frame)
            force, moment = pose[:3, :3] @ wrench[:3], pose[:3, :3] @ wrench[3:]
            in_world = np.concatenate([force, moment + np.cross(pose[:3, 3], force)])
            local = model.static_torque(q, wrenches={frame: wrench})
            world = model.static_torque(q, wrenches={(frame, "world"): in_world})
            # Two roundings of the pose, of order one.
            assert relative(local, world) < 1e-13
            torque = model.generalized_gravity(q) - model.frame_jacobian(q, frame).T @ wrench
            assert relative(local, torque) < 1e-13
