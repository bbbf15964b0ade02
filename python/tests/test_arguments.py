"""Arguments of every shape, stride and type: right ones are right, wrong ones say what is wrong."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from robots import CASES, TABLE, Array, Call, constraints, layouts, load, relative

import gradyn

# The same examples at each run.
settings.register_profile(
    "gradyn", derandomize=True, deadline=None, max_examples=60, suppress_health_check=list(HealthCheck)
)
settings.load_profile("gradyn")

LONGEST = 200

functions = pytest.mark.parametrize("function", sorted(TABLE))


def refused(call: Any, *args: Any, **options: Any) -> gradyn.InputError:
    """The error of a call, which is short."""
    with pytest.raises(ValueError) as caught:
        call(*args, **options)
    error = caught.value
    assert isinstance(error, gradyn.InputError)
    assert 0 < len(str(error)) <= LONGEST
    return error


# --- right ones ---------------------------------------------------------------


@st.composite
def strided(draw: st.DrawFn, array: Array) -> Any:
    """The same numbers in other memory, of another type where they are not changed by it."""
    form = draw(
        st.sampled_from(["as it is", "Fortran", "steps", "reversed", "list", "big-endian", "unaligned", "object"])
    )
    match form:
        case "Fortran":
            return np.asfortranarray(array)
        case "steps":
            steps = [draw(st.integers(1, 3)) for _ in array.shape]
            wide = np.full([n * step for n, step in zip(array.shape, steps, strict=True)], np.nan)
            every: Any = (..., *(slice(None, None, step) for step in steps))
            view = wide[every]
            view[...] = array
            return view
        case "reversed":
            backwards: Any = (..., *(slice(None, None, -1) for _ in array.shape))
            return array[backwards].copy()[backwards]
        case "list" if array.size:
            return array.tolist()
        case "big-endian":
            return array.astype(">f8")
        case "unaligned":
            raw = np.zeros(array.nbytes + 3, np.uint8)[3:].view(np.float64).reshape(array.shape)
            raw[...] = array
            return raw
    return array


@given(data=st.data())
@pytest.mark.parametrize("function", ["rnea", "crba", "aba_derivatives", "rnea_gradient", "interpolate", "centroidal"])
def test_what_broadcasts_is_computed(function: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(CASES)))
    row = TABLE[function]
    shapes = data.draw(
        arrays.mutually_broadcastable_shapes(num_shapes=len(row["arguments"]), max_dims=3, max_side=3, min_side=0)
    )
    full = Call(name, function, shapes.result_shape)
    parts = {
        argument: Call(name, function, lead).arrays[argument]
        for argument, lead in zip(full.arrays, shapes.input_shapes, strict=True)
    }
    full.arrays = {
        argument: np.broadcast_to(part, full.arrays[argument].shape).copy() for argument, part in parts.items()
    }
    given = {argument: data.draw(strided(part)) for argument, part in parts.items()}
    threads = data.draw(st.sampled_from([None, 1, 2]))
    layout = data.draw(st.sampled_from([None, *layouts((1,))]))
    options: dict[str, Any] = {"threads": threads}
    if layout is not None:
        out = tuple(layouts(shape)[layout] for shape in full.shapes())
        options["out"] = out[0] if row["result"] is None else out
    for a, b in zip(full(**given, **options), full(), strict=True):
        # Lanes sum in another order.
        assert relative(a, b) < 1e-11


@given(data=st.data())
def test_other_numbers_are_converted(data: st.DataObject) -> None:
    model = load("panda")
    dtype = data.draw(st.sampled_from(["f2", "f4", "i1", "i4", "i8", "u1", "u2", "?", "g"]))
    v = data.draw(
        arrays.arrays(
            dtype,
            (3, 7),
            elements=arrays.from_dtype(np.dtype(dtype), min_value=0, max_value=5) if dtype != "?" else st.booleans(),
        )
    )
    q = model.random(seed=1)
    np.testing.assert_array_equal(model.rnea(q, v, 0.0), model.rnea(q, v.astype(np.float64), 0.0))


# --- wrong ones ---------------------------------------------------------------


@functions
def test_a_wrong_length_is_refused(function: str) -> None:
    for name in CASES:
        call = Call(name, function, (2,))
        for argument, array in call.arrays.items():
            if array.ndim == 1:
                continue
            for wrong in (array[:, :-1], np.concatenate([array, array], axis=-1)):
                if wrong.shape[-1] == 0:
                    continue
                error = refused(call.raw, **{argument: wrong})
                assert error.argument == argument
                assert error.expected == f"(…, {array.shape[-1]})"
                assert error.got == f"(2, {wrong.shape[-1]})"
                assert f"`{argument}`" in str(error) and error.got in str(error) and error.expected in str(error)


@functions
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(function: str, value: float) -> None:
    """In every entry, whether the result depends on it or not."""
    for name in ("panda", "floating"):
        for lead in [(), (3, 4)]:
            call = Call(name, function, lead)
            for argument, array in call.arrays.items():
                for k in range(array.shape[-1] if array.ndim > len(lead) else 1):
                    bad = np.array(array)
                    place: Any = (*[1] * len(lead), ...)
                    bad[place].flat[k] = value
                    error = refused(call.raw, **{argument: bad})
                    assert (error.argument, error.index) == (argument, k), str(error)
                    assert np.array_equal(np.array([error.value]), np.array([value]), equal_nan=True)
                    assert error.state == (None if lead == () else (1, 1))
                    joint = joint_of(call, argument, k)
                    assert error.joint == joint
                    assert joint is None or joint in str(error)


def joint_of(call: Call, argument: str, k: int) -> str | None:
    """The joint that an entry of an argument belongs to, or its degree of freedom."""
    dim = dict(call.row["arguments"])[argument]
    if dim == "nv":
        return call.model.dof_names[k]
    slices = call.model.q_slices if dim == "nq" else {}
    return next((joint for joint, place in slices.items() if place.start <= k < place.stop), None)


@functions
def test_what_is_no_array_of_numbers_is_refused(function: str) -> None:
    call = Call("panda", function)
    things: list[Any] = [
        "text",
        b"bytes",
        None,
        {"a": 1},
        {1.0},
        object(),
        [1.0, "x"],
        [[1.0], [1.0, 2.0]],
        1j,
        np.array(["a"] * 7),
        np.zeros(7, complex),
        np.zeros(7, "M8[s]"),
        np.zeros(7, object),
        iter([1.0]),
    ]
    for argument in call.arrays:
        for thing in things:
            error = refused(call.raw, **{argument: thing})
            assert error.argument == argument
            assert error.expected == "float64"
            assert error.got


@functions
def test_what_does_not_broadcast_is_refused(function: str) -> None:
    call = Call("panda", function, (4,))
    *_, last = call.arrays
    if len(call.arrays) == 1:
        pytest.skip("one argument")
    error = refused(call.raw, **{last: call.arrays[last][:3]})
    assert error.argument == last
    assert (error.got, error.expected) == ("(3)", "(4)") or (error.got, error.expected) == ("(3,)", "(4,)")


@functions
def test_a_wrong_out_is_refused(function: str) -> None:
    call = Call("panda", function, (4,), wrenches=True)
    row = call.row
    for k, shape in enumerate(call.shapes()):
        readonly = np.zeros(shape)
        readonly.flags.writeable = False
        wrongs: list[Any] = [
            np.zeros((*shape, 1)),
            np.zeros((3, *shape[1:])),
            np.zeros(shape, np.float32),
            [0.0],
            readonly,
            np.zeros(shape, ">f8"),
            np.zeros(shape, complex),
        ]
        for wrong in wrongs:
            out: list[Any] = [None] * len(call.shapes())
            out[k] = wrong
            error = refused(call.raw, out=wrong if row["result"] is None else tuple(out))
            assert error.argument == "out"
            assert f"`{row['outputs'][k][0]}`" in str(error)
            assert "float64 of shape" in str(error)
    if row["result"] is not None:
        for wrong in (np.zeros(3), (), tuple([None] * (len(row["outputs"]) + 1)), [None] * len(row["outputs"])):
            assert refused(call.raw, out=wrong).argument == "out"


def test_more_dimensions_than_can_be_are_refused(panda: gradyn.Model) -> None:
    assert "dimensions" in str(refused(panda.crba, np.zeros((1,) * 9 + (7,))))
    assert panda.crba(np.zeros((1,) * 8 + (7,))).shape == (1,) * 8 + (7, 7)


def test_quaternions_of_another_length_are_refused() -> None:
    model = load("floating")
    q = model.random(3, seed=1)
    q[1, 3:7] *= 1.1
    error = refused(model.crba, q)
    assert (error.argument, error.joint, error.state) == ("q", "free", (1,))
    assert error.value == pytest.approx(1.1)
    assert model.normalize(q) == pytest.approx(model.random(3, seed=1))


def test_overflow_is_refused(panda: gradyn.Model) -> None:
    q = panda.random(3, seed=1)
    v = np.zeros((3, 7))
    v[2] = 1e200
    assert refused(panda.rnea, q, v, v).state == (2,)
    assert refused(panda.rnea, q[2], v[2], v[2]).state is None
    assert refused(panda.mechanical_energy, q, v).state == (2,)


CHOICES: dict[str, list[Any]] = {
    "method": ["analytic", "", 3, None],
    "reference": ["body", "Local", 1.0],
    "frame": ["panda_link99", "", 3, None],
    "seen_from": ["panda_link99", 3],
    "frames": [["panda_link4", "panda_link99"], "panda_link4", 3, [3], None],
    "body": ["panda_link99", 3],
    "subtree": ["panda_link99", 3],
    "point": [[1.0, 2.0], [1.0, 2.0, np.nan], "x", None, np.zeros((2, 3))],
    "force": [[1.0, 2.0], [1.0, 2.0, 3, 4, 5, np.inf], "x", None],
    "constraints": [3, "foot", [3], None],
    "restitution": [np.nan, -0.5, "x"],
    "threads": [-1, 1.5, "two"],
    "wrenches": [
        3,
        [1.0],
        {"panda_link99": [0.0] * 6},
        {"panda_link4": [0.0] * 5},
        {"panda_link4": "x"},
        {("panda_link4", "moon"): [0.0] * 6},
        {3: [0.0] * 6},
        {("panda_link4",): [0.0] * 6},
        {"panda_link0": [0.0] * 6},
        {"panda_link4": [np.nan] * 6},
    ],
}


@functions
def test_wrong_choices_are_refused(function: str) -> None:
    call = Call("panda", function)
    for choice, _ in (*call.row["choices"], ("threads", None)):
        for wrong in CHOICES[choice]:
            if choice == "frames" and wrong == "panda_link4":
                continue
            with pytest.raises((ValueError, TypeError, OverflowError)) as caught:
                call.raw(**{choice: wrong})
            assert len(str(caught.value)) <= LONGEST, str(caught.value)
            if isinstance(caught.value, gradyn.InputError):
                assert caught.value.argument is not None, str(caught.value)
                assert choice in str(caught.value)


def test_names_that_are_almost_right_are_proposed(panda: gradyn.Model) -> None:
    q = panda.neutral()
    assert "panda_link8" in str(refused(panda.frame_pose, q, "panda_lnk8"))
    assert "panda_joint2" in str(refused(panda.point_jacobian, q, "panda_jont2", [0, 0, 0]))


def test_missing_and_unknown_arguments_are_type_errors(panda: gradyn.Model) -> None:
    model: Any = panda
    calls: list[Any] = [
        lambda: model.rnea(0, 0),
        lambda: model.rnea(0, 0, 0, 0),
        lambda: model.rnea(0, 0, 0, wrench=0),
        lambda: model.frame_pose(0),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


def test_constraints_of_another_robot_are_refused(panda: gradyn.Model) -> None:
    error = refused(panda.constraint_jacobian, panda.neutral(), constraints("floating"))
    assert error.argument == "constraints"


@given(text=st.text(max_size=300))
def test_messages_stay_short_whatever_is_asked(text: str) -> None:
    panda = load("panda")
    refused(panda.frame_pose, 0.0, text + "?")
    refused(panda.rnea, 0.0, 0.0, 0.0, wrenches={text + "?": 0.0})


@given(shape=arrays.array_shapes(min_dims=0, max_dims=12, min_side=0, max_side=4))
def test_any_shape_is_computed_or_refused(shape: tuple[int, ...]) -> None:
    panda = load("panda")
    for call in (panda.rnea, panda.rnea_derivatives):
        try:
            call(np.zeros(shape), 0.0, 0.0)
        except gradyn.InputError as error:
            assert shape[-1:] != (7,) or len(shape) > 9
            assert len(str(error)) <= LONGEST
        else:
            assert shape == () or shape[-1] == 7


def test_errors_keep_their_attributes() -> None:
    panda = load("panda")
    error = refused(panda.crba, np.full((2, 7), np.nan))
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert str(other) == str(error)
        for attribute in ("argument", "index", "joint", "state", "expected", "got"):
            assert getattr(other, attribute) == getattr(error, attribute)


def test_a_refused_call_leaves_no_trace(panda: gradyn.Model) -> None:
    q = panda.random(20, seed=1)
    expected = panda.rnea_derivatives(q, 0.1, 0.2).dtau_dq
    bad = q.copy()
    bad[7, 3] = np.nan
    refused(panda.rnea_derivatives, bad, 0.1, 0.2)
    np.testing.assert_array_equal(panda.rnea_derivatives(q, 0.1, 0.2).dtau_dq, expected)
