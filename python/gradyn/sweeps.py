"""Many states through one function, and many tasks: on this machine's processes or a cluster's."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _constraints, _gradyn, _toml, executors, results
from gradyn._gradyn import InputError, Model
from gradyn.solution import Solution
from gradyn.trajectory import Task, guess_table, merged

__all__ = ["map_states", "optimize_many"]

Array = NDArray[np.float64]
Given = str | os.PathLike[str] | Task

#: So many states tell how long one takes.
PROBE = executors.LANES


def map_states(
    model: Model,
    function: str,
    *states: ArrayLike,
    executor: Any = None,
    progress: executors.Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    wrenches: Mapping[Any, ArrayLike] | None = None,
    **choices: Any,
) -> Any:
    """Call a function of a robot for many states, in chunks that an executor spreads.

    It is ``getattr(model, function)(*states, **choices)`` to the last bit, also of results that are named tuples. Processes
    pay where a state takes longer than to send it, some 0.3 µs for panda: for second derivatives or a humanoid, not for
    ``rnea``, which ``threads`` of this process share better.

    Parameters
    ----------
    model : Model
        The robot.
    function : str
        Name of a method that takes many states, as "rnea", "aba_derivatives".
    *states : array_like
        Its arguments, as ``q`` of shape (..., nq), ``v`` of shape (..., nv), whose leading dimensions broadcast.
    executor, progress, resume
        See `gradyn.executors.run`.
    threads : int, optional
        Without ``executor`` and ``resume``: threads of this process, all without it. Workers have one each.
    wrenches : mapping, optional
        As the method takes it; its arrays are spread with the states.
    **choices
        Further keywords of the method: ``frame``, ``method``, ``constraints``, …

    Returns
    -------
    ndarray or named tuple of ndarray
        Of shape (..., what the method gives for a state).

    Raises
    ------
    InputError
        As the method raises it; ``state`` is the index among all states.

    Examples
    --------
    Four processes::

        tau = gradyn.map_states(model, "rnea", q, v, a, executor=4)
    """
    row = _row(function)
    if len(states) != len(row["arguments"]):
        names = ", ".join(name for name, _ in row["arguments"])
        raise TypeError(f"{function}() takes {len(row['arguments'])} arrays ({names}), {len(states)} given")
    if "out" in choices:
        raise TypeError("map_states() makes its arrays: leave out `out`")
    wrenches = wrenches or {}
    arrays = [np.asarray(x, dtype=np.float64) for x in (*states, *wrenches.values())]
    depths = [0 if of == "" else 1 for _, of in row["arguments"]] + [1] * len(wrenches)
    keys = list(wrenches)
    lead = _lead(arrays, depths)
    in_process = executor is None and resume is None and progress is None
    if in_process or lead is None or not lead:
        given = {**choices, **({"wrenches": dict(wrenches)} if wrenches else {}), "threads": threads}
        return getattr(model, function)(*states, **given)

    total = int(np.prod(lead))
    if total == 0:
        return getattr(model, function)(*states, **choices)
    if choices.get("constraints"):
        choices["constraints"] = _constraints.plain(choices["constraints"])
    call = _Call(function, len(states), keys, choices)
    flat = [x if x.ndim == depth else _flat(x, depth, lead) for x, depth in zip(arrays, depths, strict=True)]
    spread = [x.ndim > depth for x, depth in zip(flat, depths, strict=True)]

    def part(first: int, count: int) -> list[Array]:
        return [x[first : first + count] if many else x for x, many in zip(flat, spread, strict=True)]

    text = model.to_json()
    probe = min(PROBE, total)
    begin = time.perf_counter()
    tried = _states(text, call, part(0, probe), 0, lead)
    seconds = (time.perf_counter() - begin) / probe
    bytes_each = sum(x.nbytes // total for x, many in zip(flat, spread, strict=True) if many)
    bytes_each += sum(base.nbytes for base, _ in tried) // probe
    size = executors.chunk_size(total, seconds, bytes_each, executor, resume is not None)
    pieces = executors.split(total, size)
    study = {}
    if resume is not None:
        study = {"states": total, "chunk": size, "hash": _hash(text, repr(call), *flat)}
    found = executors.run(
        _states,
        [(text, call, part(first, count), first, lead) for first, count in pieces],
        sizes=[count for _, count in pieces],
        executor=executor,
        progress=progress,
        resume=resume,
        study=study,
        what="states",
    )
    joined = []
    for k, (_, order) in enumerate(found[0]):
        base = np.concatenate([chunk[k][0] for chunk in found])
        # As the engine has it: matrices stand column by column.
        joined.append(base.transpose(np.argsort(order)).reshape(*lead, *base.transpose(np.argsort(order)).shape[1:]))
    return joined[0] if row["result"] is None else getattr(results, row["result"])(*joined)


@dataclass(frozen=True)
class _Call:
    """A function of a robot, without its states."""

    function: str
    states: int
    wrenches: list[Any]
    choices: dict[str, Any]


@functools.lru_cache(maxsize=1)
def _rows() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in _gradyn._functions()}


def _row(function: str) -> dict[str, Any]:
    row = _rows().get(function)
    if row is None:
        raise ValueError(f"`function` is '{function}', expected a method of Model that takes states: {', '.join(_rows())}"[:200])
    return row


def _lead(arrays: Sequence[Array], depths: Sequence[int]) -> tuple[int, ...] | None:
    """The leading dimensions of all; None if they do not fit, which the method says better."""
    if any(x.ndim < depth for x, depth in zip(arrays, depths, strict=True)):
        return None
    try:
        return np.broadcast_shapes(*(x.shape[: x.ndim - depth] for x, depth in zip(arrays, depths, strict=True)))
    except ValueError:
        return None


def _flat(x: Array, depth: int, lead: tuple[int, ...]) -> Array:
    """One row a state."""
    core = x.shape[x.ndim - depth :]
    return np.ascontiguousarray(np.broadcast_to(x, lead + core)).reshape(-1, *core)


def _hash(*of: str | Array) -> str:
    digest = hashlib.sha256()
    for x in of:
        digest.update(x.encode() if isinstance(x, str) else str(x.shape).encode() + np.ascontiguousarray(x).tobytes())
    return digest.hexdigest()


@functools.lru_cache(maxsize=4)
def _model(text: str) -> Model:
    return Model.from_json(text)


def _states(
    model: str, call: _Call, arrays: Sequence[Array], first: int, lead: tuple[int, ...]
) -> list[tuple[Array, tuple[int, ...]]]:
    """What the states of a chunk give: arrays as they stand in memory, and in which order their axes do."""
    states, forces = arrays[: call.states], arrays[call.states :]
    choices = dict(call.choices)
    if choices.get("constraints"):
        choices["constraints"] = _constraints.made(_model(model), choices["constraints"])
    if forces:
        choices["wrenches"] = dict(zip(call.wrenches, forces, strict=True))
    try:
        found = getattr(_model(model), call.function)(*states, **choices, threads=1)
    except InputError as error:
        raise _of_all(error, first, lead) from None
    return [_as_it_stands(x) for x in (found if isinstance(found, tuple) else (found,))]


def _as_it_stands(x: Array) -> tuple[Array, tuple[int, ...]]:
    order = (0, *sorted(range(1, x.ndim), key=lambda axis: -x.strides[axis]))
    return np.ascontiguousarray(x.transpose(order)), order


def _of_all(error: InputError, first: int, lead: tuple[int, ...]) -> InputError:
    """The same error, with the state's index among all."""
    state = getattr(error, "state", None)
    if not state:
        return error
    index = tuple(int(k) for k in np.unravel_index(first + state[0], lead))
    old, new = (", ".join(map(str, of)) for of in (state, index))
    made = InputError(str(error).replace(f"state [{old}]", f"state [{new}]", 1))
    made.__dict__.update(error.__dict__, state=index)
    return made


def optimize_many(
    tasks: Sequence[Given],
    overrides: Sequence[Mapping[str, Any] | None] | Mapping[str, Any] | None = None,
    *,
    seeds: Sequence[int] | None = None,
    guesses: Sequence[Solution | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None] | None = None,
    refine: bool = False,
    pages: bool = False,
    errors: Literal["raise", "return"] = "raise",
    executor: Any = None,
    progress: executors.Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> list[Any]:
    """Solve many tasks; the same bits whatever solves them, but for ``seconds``.

    Parameters
    ----------
    tasks : sequence of str, os.PathLike or Task
        Files in TOML; texts in TOML, which have several lines; tasks built in Python. With one task alone and several
        ``overrides``, ``seeds`` or ``guesses`` it is solved with each. Files are read where they are solved: workers on other
        machines need the same paths. A `Task` is sent with its robot; functions of its residuals must be found by workers.
    overrides : sequence of mapping, or mapping, optional
        What each task has instead, or all of them: tables within tables, ``{"solver": {"iterations": 50}}``.
    seeds : sequence of int, optional
        ``seed`` of ``[solver]`` for each task, of its random guesses, which "newton" and "proximal" have.
    guesses : sequence, optional
        Where each begins, as of `Task.solve`.
    refine : bool
        As of `Task.solve`.
    pages : bool
        Makes the page of each, which `Solution.report` then writes: about a megabyte.
    errors : {"raise", "return"}
        Whether a task that cannot be read or solved ends all, or stands as an exception in its place. A solver that does not
        converge is no error.
    executor, progress, resume
        See `gradyn.executors.run`. Each task is a chunk.

    Returns
    -------
    list of Solution
        In the order of the tasks.

    Notes
    -----
    Overrides and guesses of files need ``tomllib``, which Python has from 3.11 on, or the package tomli.

    Examples
    --------
    Twenty starts of one task, by four processes::

        found = gradyn.optimize_many(["reach.toml"], seeds=range(20), executor=4)
        best = min((of for of in found if of.converged), key=lambda of: of.cost)
    """
    if isinstance(tasks, str | os.PathLike | Task):
        tasks = [tasks]
    if errors not in ("raise", "return"):
        raise ValueError(f"`errors` is '{errors}', expected 'raise' or 'return'")
    each: list[Mapping[str, Any] | None]
    lists = {"seeds": seeds, "guesses": guesses, "overrides": None if isinstance(overrides, Mapping) else overrides}
    lengths = {name: len(of) for name, of in lists.items() if of is not None}
    count = max(lengths.values(), default=1) if len(tasks) == 1 else len(tasks)
    for name, length in lengths.items():
        if length != count:
            raise ValueError(f"`{name}` has {length} entries, expected {count}: one a task")
    tasks = list(tasks) * count if len(tasks) == 1 else list(tasks)
    each = [overrides] * count if overrides is None or isinstance(overrides, Mapping) else list(overrides)
    jobs = []
    for k, task in enumerate(tasks):
        changes: dict[str, Any] = dict(each[k] or {})
        if seeds is not None:
            changes = merged(changes, {"solver": {"seed": int(seeds[k])}})
        jobs.append(_Job(_sent(task), changes, None if guesses is None else guesses[k], refine, pages, errors == "return"))
    study = {} if resume is None else {"tasks": count, "hash": _hash(*(job.text() for job in jobs))}
    return executors.run(
        _solve,
        [(job,) for job in jobs],
        executor=executor,
        progress=progress,
        resume=resume,
        study=study,
        what="tasks",
    )


@dataclass(frozen=True)
class _Job:
    """A task as it is sent."""

    task: Any
    changes: dict[str, Any]
    guess: Any
    refine: bool
    page: bool
    keep_errors: bool

    def text(self) -> str:
        """What tells it from others; files by what they have now."""
        task = self.task
        if isinstance(task, Task):
            own = {name: [of.rows, of.arguments, _named(of.value)] for name, of in task.residuals.items()}
            said = [task.to_toml(), task.model.to_json(), own]
        else:
            said = [task.name, task.text if task.text is not None else Path(task.path).read_text(encoding="utf-8")]
        guess = repr(self.guess)
        if isinstance(self.guess, Solution):
            # How long it took is not what it is.
            guess = json.dumps({**json.loads(self.guess.json), "seconds": None})
        return json.dumps([said, _toml.document(self.changes), guess, self.refine, self.page, self.keep_errors])


@dataclass(frozen=True)
class _Written:
    """A task in TOML: a file, or a text and where its files are."""

    path: str
    text: str | None

    @property
    def name(self) -> str:
        return Path(self.path).stem if self.text is None else "task"


def _named(function: Any) -> str:
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(type(function)))}"


def _sent(task: Given) -> Task | _Written:
    if isinstance(task, Task):
        return task
    if isinstance(task, str) and "\n" in task:
        return _Written(os.getcwd(), task)
    # Workers may have another working directory.
    return _Written(os.path.abspath(task), None)


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        toml = import_module("tomllib")
    except ImportError:
        toml = import_module("tomli")  # Python 3.10
    try:
        found: dict[str, Any] = toml.loads(text)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    return found


def _solve(job: _Job) -> Any:
    try:
        solution = _solved(job)
        # What is sent back, and kept, is what this process has too.
        return solution.detached(page=job.page)
    except Exception as error:
        if not job.keep_errors:
            raise
        return error


def _solved(job: _Job) -> Solution:
    task = job.task
    guess = job.guess
    if isinstance(task, Task):
        return task.changed(job.changes).solve(guess=guess, refine=job.refine)
    if task.text is not None:
        folder, file, text = task.path, task.name, task.text
    elif not job.changes and guess is None:
        return Solution(_gradyn._Task.read(task.path).solve(None, job.refine))
    else:
        folder, file, text = os.path.dirname(task.path), task.path, Path(task.path).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as room:
        if job.changes or guess is not None:
            changes = job.changes if guess is None else {**job.changes, "guess": guess_table(guess, room)}
            text = _toml.document(merged(_parsed(text, file), changes))
        return Solution(_gradyn._Task.parse(text, file, task.name, folder, None, []).solve(None, job.refine))
