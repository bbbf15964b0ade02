"""Loops on executors: the same bits whatever runs them, and a death costs its chunk alone."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradyn
from gradyn import executors, sensitivity
from gradyn.executors import ATTEMPTS, LANES, Processes

ROOT = Path(__file__).resolve().parents[2]
ROBOTS = ROOT / "robots"
TASKS = ROOT / "examples" / "tasks"
QUICK = ["pendulum_counterweight.toml", "cart_pole_swing_up.toml", "double_pendulum_swing_up.toml"]


# What workers call.


def noted(k: int, folder: str, seconds: float = 0.05) -> int:
    """Says that chunk k has begun, and in which process."""
    with open(os.path.join(folder, f"begun-{k}"), "a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    return k * k


def begun(folder: Path) -> dict[int, list[int]]:
    """The processes that have begun each chunk."""
    return {int(path.name.split("-")[1]): [int(pid) for pid in path.read_text().split()] for path in folder.glob("begun-*")}


def deadly(k: int, deadly_one: int) -> int:
    if k == deadly_one:
        os.kill(os.getpid(), signal.SIGKILL)
    return k


def refuse(k: int, folder: str) -> int:
    noted(k, folder, 0.01)
    if k == 1:
        error = gradyn.InputError("it is wrong")
        error.argument = "q"  # type: ignore[attr-defined]
        raise error
    return k


class Stubborn(Exception):
    """Cannot be read again: it wants two arguments."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def stubborn(k: int) -> int:
    raise Stubborn(k, 2)


def unsendable(k: int) -> Any:
    return lambda: k


def nothing(k: int, folder: str) -> None:
    noted(k, folder, 0)


class Killer:
    """Kills a worker once: the process that has begun the latest chunk, after some have been finished."""

    def __init__(self, folder: Path, after: int = 2) -> None:
        self.folder, self.after, self.killed, self.told = folder, after, 0, []  # type: ignore[var-annotated]

    def __call__(self, done: int, total: int) -> None:
        self.told.append((done, total))
        if self.killed or done < self.after:
            return
        runs = begun(self.folder)
        latest = runs[max(runs)][-1]
        os.kill(latest, signal.SIGKILL)
        self.killed = latest


@pytest.fixture(scope="module")
def pool() -> Any:
    with Processes(2) as made:
        yield made


@pytest.fixture(scope="module")
def panda() -> gradyn.Model:
    return gradyn.Model.from_urdf(ROBOTS / "panda.urdf")


@pytest.fixture(scope="module")
def solo() -> gradyn.Model:
    return gradyn.Model.from_urdf(ROBOTS / "solo12.urdf", floating_base=True)


def states(model: gradyn.Model, n: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    v, a = rng.standard_normal((2, n, model.nv))
    return model.random(n, seed=1), v, a


def same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    for x, y in zip(*(of if isinstance(of, tuple) else (of,) for of in (found, expected)), strict=True):
        np.testing.assert_array_equal(x, y)
        # A matrix stands in memory as the method makes it.
        assert x.strides == y.strides


# Chunks.


@pytest.mark.parametrize("total", [1, 63, 64, 65, 127, 128, 129, 1000, 4096, 4097])
@pytest.mark.parametrize("size", [64, 128, 1024])
def test_chunks_cover_all_once_and_keep_states_in_registers_together(total: int, size: int) -> None:
    pieces = executors.split(total, size)
    assert [k for first, count in pieces for k in range(first, first + count)] == list(range(total))
    assert all(first % LANES == 0 for first, _ in pieces)
    assert len(pieces) == 1 or all(count >= LANES for _, count in pieces)


def test_size_of_chunks_amortizes_and_shares() -> None:
    # A quarter of a second each, of 1 ms a state; as many for each of two workers that both end at one time.
    assert executors.chunk_size(10**6, 1e-3, 100, 2, False) == 256
    assert executors.chunk_size(1024, 1e-6, 100, 2, False) == 128
    # No more bytes than a scheduler likes to hold.
    assert executors.chunk_size(10**7, 1e-9, 10_000, 1, False) * 10_000 <= executors.CHUNK_BYTES
    # In a folder: of the study alone.
    assert executors.chunk_size(10**6, 1e-3, 100, 2, True) == executors.chunk_size(10**6, 1e-7, 100, 64, True)
    assert executors.chunk_size(10, 1e-3, 100, 2, True) == LANES


# Many states.


@pytest.mark.parametrize(
    ("function", "choices"),
    [
        ("rnea", {}),
        ("rnea_derivatives", {}),
        ("rnea_derivatives", {"method": "dual"}),
        ("frame_jacobian", {"frame": "panda_link8", "reference": "world"}),
        ("kinetic_energy", {}),
        ("rnea_second_derivatives", {}),
    ],
)
def test_states_have_the_same_bits_in_chunks(panda: gradyn.Model, pool: Executor, function: str, choices: dict[str, Any]) -> None:
    n = 2 * LANES + 7
    given = states(panda, n)[: {"frame_jacobian": 1, "kinetic_energy": 2}.get(function, 3)]
    expected = getattr(panda, function)(*given, **choices)
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads, pool):
            same(gradyn.map_states(panda, function, *given, executor=executor, progress=lambda *_: None, **choices), expected)


def test_states_broadcast_as_the_method_does(solo: gradyn.Model, pool: Executor) -> None:
    q, v, a = states(solo, 150)
    q, v = q.reshape(3, 50, -1), v[:50]
    same(gradyn.map_states(solo, "rnea", q, v, a[0], executor=pool), solo.rnea(q, v, a[0]))
    forces = {"FL_FOOT": np.random.default_rng(2).standard_normal((50, 6)), ("FR_FOOT", "world"): np.ones(6)}
    found = gradyn.map_states(solo, "rnea_derivatives", q, v, a[0], executor=pool, wrenches=forces)
    same(found, solo.rnea_derivatives(q, v, a[0], wrenches=forces))
    t = np.linspace(0, 1, 50)
    same(gradyn.map_states(solo, "interpolate", q[0], q[1], t, executor=pool), solo.interpolate(q[0], q[1], t))
    same(gradyn.map_states(solo, "rnea", q[0, 0], v[0], a[0], executor=pool), solo.rnea(q[0, 0], v[0], a[0]))
    same(gradyn.map_states(solo, "rnea", q[:0], v, a[0], executor=pool), solo.rnea(q[:0], v, a[0]))


def test_errors_of_states_are_those_of_the_method(panda: gradyn.Model, pool: Executor) -> None:
    q, v, a = (x.reshape(2, 150, 7) for x in states(panda, 300))
    q[1, 149, 3] = np.nan
    with pytest.raises(gradyn.InputError) as expected:
        panda.rnea(q, v, a)
    for executor in (pool, None):
        with pytest.raises(gradyn.InputError) as found:
            gradyn.map_states(panda, "rnea", q, v, a, executor=executor, progress=lambda *_: None)
        assert str(found.value) == str(expected.value)
        assert str(found.value.__dict__) == str(expected.value.__dict__)
    with pytest.raises(gradyn.InputError, match="broadcast"):
        gradyn.map_states(panda, "rnea", q, v[0, :10], a, executor=pool)
    with pytest.raises(ValueError, match="expected a method of Model"):
        gradyn.map_states(panda, "from_urdf", q)
    with pytest.raises(TypeError, match="takes 3 arrays"):
        gradyn.map_states(panda, "rnea", q, v)


def test_constraints_go_to_other_processes(pool: Executor, panda: gradyn.Model) -> None:
    q, v, tau = states(panda, 150)
    held = panda.contact("panda_link8", at=[0.4, 0.0, 0.5], kp=3.0)
    for constraints in (held, [held]):
        here = panda.constraint_dynamics(q, v, tau, constraints=constraints)
        there = gradyn.map_states(panda, "constraint_dynamics", q, v, tau, constraints=constraints, executor=pool)
        for x, y in zip(here, there, strict=True):
            np.testing.assert_array_equal(x, y)


# Deaths.


def test_a_killed_process_costs_its_chunk_alone(tmp_path: Path) -> None:
    kill = Killer(tmp_path)
    found = executors.run(noted, [(k, str(tmp_path)) for k in range(12)], executor=2, progress=kill)
    assert found == [k * k for k in range(12)]
    assert kill.killed
    assert kill.told == [(k + 1, 12) for k in range(12)]
    again = {k: pids for k, pids in begun(tmp_path).items() if len(pids) > 1}
    # It ran one chunk at most; none if it had just ended one.
    assert len(again) <= 1
    assert all(len(pids) == 2 and pids[0] == kill.killed for pids in again.values())


def test_a_pool_that_breaks_as_a_whole_is_replaced(tmp_path: Path) -> None:
    kill = Killer(tmp_path)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as broken:
        found = executors.run(noted, [(k, str(tmp_path)) for k in range(12)], executor=broken, progress=kill)
    assert found == [k * k for k in range(12)]
    assert kill.killed
    assert kill.told == [(k + 1, 12) for k in range(12)]


def test_a_chunk_that_kills_its_workers_ends_the_study() -> None:
    with pytest.raises(RuntimeError, match=f"chunk 1: its worker has died {ATTEMPTS} times .*-9"):
        executors.run(deadly, [(k, 1) for k in range(3)], executor=1)


class Flaky(Executor):
    """Loses calls at random: before they have run, or what they gave. It does not say how many workers it has."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.threads = ThreadPoolExecutor(3)
        self.lost: dict[Any, int] = {}

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        outer: Future[Any] = Future()
        chance = self.random.random()
        if self.lost.get(args, 0) < ATTEMPTS - 1 and chance < 0.4:
            self.lost[args] = self.lost.get(args, 0) + 1
            if chance < 0.1:
                outer.cancel()
                outer.set_running_or_notify_cancel()
                return outer
            if chance < 0.2:
                outer.set_exception(KilledWorker("it has gone"))
                return outer
            done = self.threads.submit(fn, *args, **kwargs)
            done.add_done_callback(lambda _: outer.set_exception(WorkerCrashedError("it has gone")))
            return outer
        return self.threads.submit(fn, *args, **kwargs)


# As they are known to be Dask's and Ray's.
KilledWorker = type("KilledWorker", (Exception,), {"__module__": "distributed.scheduler"})
WorkerCrashedError = type("WorkerCrashedError", (Exception,), {"__module__": "ray.exceptions"})


def square(k: int) -> int:
    return k * k


def test_nothing_is_lost_or_counted_twice_when_an_executor_fails_at_random() -> None:
    lost = 0
    for seed in range(20):
        told: list[tuple[int, int]] = []
        flaky = Flaky(seed)
        with flaky.threads:
            chunks = [(k,) for k in range(100)]
            sizes = [k + 1 for k in range(100)]
            found = executors.run(square, chunks, sizes=sizes, executor=flaky, progress=lambda *of: told.append(of))
        assert found == [k * k for k in range(100)]
        assert len(told) == 100
        assert told[-1] == (5050, 5050)
        lost += sum(flaky.lost.values())
    assert lost > 500


def test_an_executor_that_cannot_be_made_again_is_an_error() -> None:
    class Broken(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            raise BrokenExecutor("no worker is left")

    with pytest.raises(RuntimeError, match="the executor Broken is broken, and cannot be made again: no worker is left"):
        executors.run(square, [(1,)], executor=Broken())


def test_a_closed_executor_is_an_error() -> None:
    for closed in (ThreadPoolExecutor(1), Processes(1), ProcessPoolExecutor(1)):
        closed.shutdown()
        with pytest.raises(RuntimeError, match="after shutdown"):
            executors.run(square, [(1,)], executor=closed)


@pytest.mark.parametrize(("wrong", "kind"), [(0, ValueError), (True, TypeError), ("dask", TypeError), (1.5, TypeError)])
def test_what_is_no_executor_is_refused(wrong: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="`executor` is "):
        executors.run(square, [(1,)], executor=wrong)


class Waiting(ThreadPoolExecutor):
    """Never ends anything, as where a scheduler has gone."""

    class _client:
        status = "closed"

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future()


def test_a_scheduler_that_has_gone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "LOOK", 0.05)
    with pytest.raises(RuntimeError, match="connection to Dask's scheduler has ended"):
        executors.run(square, [(1,)], executor=Waiting())


def test_a_pool_that_does_not_notice_a_death_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    # Python's pool waits for ever if a process is killed while it writes a result.
    class Dead:
        def is_alive(self) -> bool:
            return False

        def kill(self) -> None:
            pass

    class Stuck(ProcessPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            self._processes = {1: Dead()}
            return Future()

    monkeypatch.setattr(executors, "LOOK", 0.05)
    stuck = Stuck(1, multiprocessing.get_context("spawn"))
    assert executors.run(square, [(k,) for k in range(5)], executor=stuck) == [k * k for k in range(5)]


# Exceptions.


def test_an_exception_has_its_type_and_ends_the_rest(tmp_path: Path) -> None:
    with pytest.raises(gradyn.InputError, match="it is wrong") as found:
        executors.run(refuse, [(k, str(tmp_path)) for k in range(200)], executor=2)
    assert found.value.argument == "q"  # type: ignore[attr-defined]
    assert "refuse" in str(found.value.__cause__)
    assert len(begun(tmp_path)) < 50


def test_exceptions_and_results_that_cannot_be_sent_are_exceptions(pool: Executor) -> None:
    with pytest.raises(RuntimeError, match="Stubborn: 0 and 2"):
        executors.run(stubborn, [(0,)], executor=pool)
    with pytest.raises((AttributeError, pickle.PicklingError), match="[Cc]an't pickle"):
        executors.run(unsendable, [(0,)], executor=pool)
    with pytest.raises((AttributeError, pickle.PicklingError), match="[Cc]an't pickle"):
        executors.run(lambda: 0, [()], executor=pool)
    # The processes are as good as before.
    assert executors.run(square, [(3,)], executor=pool) == [9]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_interrupt_ends_what_runs(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        # The first ends at once, the others would take a minute.
        executors.run(noted, [(k, str(tmp_path), 60 * (k > 0)) for k in range(4)], executor=2, progress=interrupt)
    assert time.monotonic() - begin < 20
    assert not any(alive(pid) for pids in begun(tmp_path).values() for pid in pids)


def test_ctrl_c_ends_a_script_and_its_processes(tmp_path: Path) -> None:
    script = tmp_path / "study.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            from gradyn import executors
            from test_executors import noted

            if __name__ == "__main__":
                executors.run(noted, [(k, sys.argv[1], 60.0) for k in range(4)], executor=2)
            """
        )
    )
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(gradyn.__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen([sys.executable, str(script), str(tmp_path)], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 30
        while len(begun(tmp_path)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert not any(alive(pid) for pids in begun(tmp_path).values() for pid in pids)


# Going on after a cut.


def test_a_study_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    kept, once, twice = (tmp_path / name for name in ("kept", "once", "twice"))
    once.mkdir()
    twice.mkdir()

    def cut(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        executors.run(noted, [(k, str(once), 0.0) for k in range(9)], resume=kept, progress=cut, study={"of": "squares"})
    # A chunk that was damaged is computed again.
    damaged = kept / "chunk-000002.pickle"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    told: list[int] = []
    chunks = [(k, str(twice), 0.0) for k in range(9)]
    found = executors.run(noted, chunks, resume=kept, study={"of": "squares"}, progress=lambda done, _: told.append(done))
    assert found == [k * k for k in range(9)]
    assert sorted(begun(twice)) == [2, 5, 6, 7, 8]
    assert told == list(range(1, 10))
    # All is there: no executor is needed any more.
    assert executors.run(noted, chunks, resume=kept, study={"of": "squares"}, executor="ray") == found
    assert not list(kept.glob("*.part"))


def test_a_folder_of_another_study_is_refused(tmp_path: Path) -> None:
    executors.run(square, [(1,)], resume=tmp_path, study={"of": "squares"})
    with pytest.raises(ValueError, match="of another study: `of` is 'squares', of this study 'cubes'"):
        executors.run(square, [(1,)], resume=tmp_path, study={"of": "cubes"})
    with pytest.raises(ValueError, match="`chunks` is 1, of this study 2"):
        executors.run(square, [(1,), (2,)], resume=tmp_path, study={"of": "squares"})
    mark = tmp_path / "study.json"
    mark.write_text(json.dumps({**json.loads(mark.read_text()), "gradyn": "0.0.1"}))
    with pytest.raises(ValueError, match="`gradyn` is '0.0.1'"):
        executors.run(square, [(1,)], resume=tmp_path, study={"of": "squares"})
    mark.unlink()
    with pytest.raises(ValueError, match="no study.json"):
        executors.run(square, [(1,)], resume=tmp_path, study={"of": "squares"})


def test_a_result_that_is_none_is_a_result(tmp_path: Path) -> None:
    (tmp_path / "once").mkdir()
    for _ in range(2):
        assert executors.run(nothing, [(0, str(tmp_path / "once"))], resume=tmp_path / "kept") == [None]
    assert len(begun(tmp_path / "once")[0]) == 1


def test_states_go_on_where_they_were_cut_off(panda: gradyn.Model, pool: Executor, tmp_path: Path) -> None:
    given = states(panda, 1000)
    expected = panda.rnea_derivatives(*given)
    told: list[int] = []
    for executor in (pool, None):
        told.clear()
        progress = lambda done, _: told.append(done)  # noqa: E731
        found = gradyn.map_states(panda, "rnea_derivatives", *given, executor=executor, resume=tmp_path, progress=progress)
        same(found, expected)
        assert told[-1] == 1000
    with pytest.raises(ValueError, match="another study: `hash`"):
        gradyn.map_states(panda, "rnea_derivatives", given[0], given[1], 2 * given[2], resume=tmp_path)


# Progress.


def test_a_bar_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm", reason="the bar is tqdm's")
    executors.run(square, [(k,) for k in range(3)], progress=True, what="squares")
    assert "3/3" in capsys.readouterr().err


# Samples.


def indices(found: Any) -> list[Any]:
    names = ("first", "total", "first_half_width", "mean", "variance", "magnitude", "deviation")
    return [getattr(found, name) for name in names if hasattr(found, name)]


def test_studies_of_samples_have_the_same_bits_everywhere(panda: gradyn.Model, pool: Executor, tmp_path: Path) -> None:
    q, v, a = (x[0] for x in states(panda, 1))
    # In an order of one's own, and a robot with a changed parameter: all of it is sent.
    model = panda.with_gravity([0.3, 0.0, -9.7])
    patterns = ["panda_link7.mass", "gravity.z", "*.damping"]
    for name, study, sizes in (
        ("sobol", sensitivity.sobol, {"rows": 100, "second_order": True, "seed": 3}),
        ("sobol", sensitivity.sobol, {"rows": 64, "groups": {"mass": "*.mass", "rest": ["gravity.*", "*.damping"]}}),
        ("morris", sensitivity.morris, {"paths": 50, "seed": 5}),
        ("uncertainty", sensitivity.uncertainty, {"samples": 500, "seed": 7}),
    ):
        priors = {"gravity.z": {"sd": 0.01}} if "groups" not in sizes else None
        asked = {"q": q, "v": v, "a": a, "priors": priors, **sizes}
        expected = study(model, patterns, "torques", **asked)
        folder = tmp_path / f"{name}-{len(sizes)}-{sizes.get('rows')}"
        with ThreadPoolExecutor(2) as threads:
            ways: list[dict[str, Any]] = [{"threads": 1}, {"executor": threads}, {"executor": pool}]
            for how in (*ways, {"executor": pool, "resume": folder}, {"resume": folder}):
                found = study(model, patterns, "torques", **asked, **how)
                assert len(indices(found)) >= 2
                for x, y in zip(indices(found), indices(expected), strict=True):
                    np.testing.assert_array_equal(x, y)


def test_a_study_of_another_seed_has_another_folder(panda: gradyn.Model, tmp_path: Path) -> None:
    sensitivity.sobol(panda, "*.mass", "torques", q=panda.neutral(), rows=16, resume=tmp_path)
    with pytest.raises(ValueError, match="another study"):
        sensitivity.sobol(panda, "*.mass", "torques", q=panda.neutral(), rows=16, seed=1, resume=tmp_path)


# Tasks.


def numbers(solution: gradyn.Solution) -> dict[str, Any]:
    """All of a solution but for the clock."""
    return {name: x for name, x in json.loads(solution.json).items() if name != "seconds"}


def test_tasks_have_the_same_bits_everywhere(pool: Executor, tmp_path: Path) -> None:
    paths = [TASKS / name for name in QUICK]
    expected = [numbers(gradyn.optimize(path)) for path in paths]
    told: list[int] = []
    for how in ({}, {"executor": pool}, {"executor": pool, "resume": tmp_path}, {"resume": tmp_path}):
        told.clear()
        found = gradyn.optimize_many(paths, progress=lambda done, _: told.append(done), **how)
        assert [numbers(of) for of in found] == expected
        assert told == [1, 2, 3]
    with pytest.raises(ValueError, match="another study: `hash`"):
        gradyn.optimize_many(paths, seeds=[1, 2, 3], resume=tmp_path)


def test_tasks_of_all_kinds_with_overrides_seeds_and_guesses(pool: Executor) -> None:
    path = TASKS / "pendulum_counterweight.toml"
    text = path.read_text().replace("../robots", str(ROOT / "examples" / "robots"))
    few = {"solver": {"iterations": 2}}
    found = gradyn.optimize_many([path, str(path), text], few, executor=pool)
    assert [of.iterations for of in found] == [2, 2, 2]
    assert not any(found)
    assert numbers(found[0]) == numbers(found[1])
    assert numbers(found[0])["q"] == numbers(found[2])["q"]
    # One task with many of something.
    first, second = gradyn.optimize_many([path], [few, {"solver": {"iterations": 3}}], executor=pool)
    assert (first.iterations, second.iterations) == (2, 3)
    assert len(gradyn.optimize_many(path, seeds=range(3))) == 3
    whole = gradyn.optimize(path)
    again, cold = gradyn.optimize_many(path, guesses=[whole, None], executor=pool)
    assert again.converged
    assert again.iterations <= 1 < cold.iterations
    with pytest.raises(ValueError, match="`seeds` has 3 entries, expected 2: one a task"):
        gradyn.optimize_many([path, path], seeds=range(3))


def swing(model: gradyn.Model) -> gradyn.Task:
    task = gradyn.Task(model, dt=0.05, name="swing")
    task.phase("swing", nodes=20)
    task.cost("control", weight=1e-2)
    task.cost("state", weights={"q": 0.0, "v": 1e-2})
    task.cost(gradyn.Residual(upright, 1), weight=10.0, at="last", name="upright")
    return task


def upright(q: Any) -> Any:
    return [np.cos(q[0]) + 1.0]


def test_tasks_built_in_python_are_sent(pool: Executor) -> None:
    task = swing(gradyn.Model.from_urdf(ROBOTS / "pendulum.urdf"))
    expected = numbers(task.solve())
    found = gradyn.optimize_many([task, task], [None, {"steps": {"dt": 0.04}}], executor=pool)
    assert numbers(found[0]) == expected
    assert found[1].time[-1] == pytest.approx(0.8)
    # The task itself is not changed.
    assert task.document["steps"]["dt"] == 0.05


def test_a_task_that_fails_ends_all_or_stands_in_its_place(pool: Executor, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('name = "wrong"\nrobot = { file = "nowhere.urdf" }\n')
    good = TASKS / QUICK[0]
    with pytest.raises(gradyn.FileError):
        gradyn.optimize_many([good, wrong], executor=pool)
    found = gradyn.optimize_many([good, wrong, good], executor=pool, errors="return")
    assert found[0].converged
    assert found[2].converged
    assert isinstance(found[1], gradyn.FileError)


def test_a_solution_can_be_sent_and_written(tmp_path: Path) -> None:
    whole = gradyn.optimize(TASKS / QUICK[0])
    sent = pickle.loads(pickle.dumps(whole))
    assert numbers(sent) == numbers(whole)
    for name in ("to_npz", "to_json", "to_csv"):
        for solution, file in ((whole, "whole"), (sent, "sent")):
            getattr(solution, name)(tmp_path / file)
        assert (tmp_path / "whole").read_bytes() == (tmp_path / "sent").read_bytes()
    with pytest.raises(ValueError, match="pages=True"):
        sent.report(tmp_path / "page.html")
    (with_page,) = gradyn.optimize_many([TASKS / QUICK[0]], pages=True)
    with_page.report(tmp_path / "page.html")
    assert "<html" in (tmp_path / "page.html").read_text().lower()


# Other executors.


# JAX, where it has been imported, warns of every fork.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*fork.*:RuntimeWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
def test_processes_by_fork_have_threads_again(panda: gradyn.Model) -> None:
    given = states(panda, 300)
    expected = panda.rnea_derivatives(*given)
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as forked:
        same(gradyn.map_states(panda, "rnea_derivatives", *given, executor=forked), expected)


@pytest.fixture(scope="module")
def dask_client() -> Any:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.filterwarnings("ignore")
def test_dask_has_the_same_bits_and_may_lose_a_worker(dask_client: Any, panda: gradyn.Model, tmp_path: Path) -> None:
    kill = Killer(tmp_path)
    found = executors.run(noted, [(k, str(tmp_path), 0.1) for k in range(16)], executor=dask_client, progress=kill)
    assert found == [k * k for k in range(16)]
    assert kill.killed
    assert kill.told == [(k + 1, 16) for k in range(16)]
    again = [k for k, pids in begun(tmp_path).items() if len(pids) > 1]
    # What it ran, and what it had finished and not yet handed over.
    assert len(again) <= 3

    q, v, a = (x[0] for x in states(panda, 1))
    expected = sensitivity.sobol(panda, "*.mass", "torques", q=q, v=v, a=a, rows=128)
    for executor in (dask_client, dask_client.get_executor()):
        sobol = sensitivity.sobol(panda, "*.mass", "torques", q=q, v=v, a=a, rows=128, executor=executor)
        np.testing.assert_array_equal(sobol.total, expected.total)
    same(gradyn.map_states(panda, "rnea", *states(panda, 300), executor=dask_client), panda.rnea(*states(panda, 300)))
    (solution,) = gradyn.optimize_many([TASKS / QUICK[0]], executor=dask_client)
    assert numbers(solution) == numbers(gradyn.optimize(TASKS / QUICK[0]))
    with pytest.raises(gradyn.InputError, match="it is wrong"):
        executors.run(refuse, [(k, str(tmp_path)) for k in range(4)], executor=dask_client)


@pytest.mark.filterwarnings("ignore")
def test_ray_has_the_same_bits_and_may_lose_a_worker(panda: gradyn.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(gradyn.__file__).parents[1])])
    monkeypatch.setenv("PYTHONPATH", path)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        kill = Killer(tmp_path)
        found = executors.run(noted, [(k, str(tmp_path), 0.1) for k in range(16)], executor="ray", progress=kill)
        assert found == [k * k for k in range(16)]
        assert kill.killed
        assert kill.told == [(k + 1, 16) for k in range(16)]
        # What it ran, and what it had finished and not yet handed over.
        assert len([k for k, pids in begun(tmp_path).items() if len(pids) > 1]) <= 2

        q, v, a = (x[0] for x in states(panda, 1))
        expected = sensitivity.sobol(panda, "*.mass", "torques", q=q, v=v, a=a, rows=128)
        sobol = sensitivity.sobol(panda, "*.mass", "torques", q=q, v=v, a=a, rows=128, executor="ray")
        np.testing.assert_array_equal(sobol.total, expected.total)
        same(gradyn.map_states(panda, "rnea", *states(panda, 300), executor="ray"), panda.rnea(*states(panda, 300)))
        with pytest.raises(gradyn.InputError, match="it is wrong") as raised:
            executors.run(refuse, [(k, str(tmp_path)) for k in range(4)], executor=executors.RayExecutor(num_cpus=1))
        assert type(raised.value) is gradyn.InputError
    finally:
        ray.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_mpi_has_the_same_bits(panda: gradyn.Model) -> None:
    futures = pytest.importorskip("mpi4py.futures", reason="mpi4py is not installed")
    given = states(panda, 300)
    with futures.MPIPoolExecutor(2) as mpi:
        same(gradyn.map_states(panda, "rnea", *given, executor=mpi), panda.rnea(*given))


def test_cancelled_chunks_are_given_out_again() -> None:
    # What Dask says when its scheduler is started again.
    assert executors._worker_died(CancelledError())


# The page about clusters.


def test_the_study_and_the_sweep_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    script = page.split("```python\n")[1].split("```")[0]
    defined: dict[str, Any] = {"__name__": "study"}
    exec(compile(script, "cluster.md", "exec"), defined)
    found = defined["study"](None, tmp_path / "study", rows=64)
    assert found.total.shape == (7, 7)
    # Folders may be used again, and from elsewhere.
    np.testing.assert_array_equal(defined["study"](None, tmp_path / "study", rows=64).total, found.total)
    solutions = defined["sweep"](None, tmp_path / "sweep", count=3)
    assert [of.converged for of in solutions] == [True] * 3
    assert len({of.cost for of in solutions}) == 3
