"""Loops over chunks of work on one machine or many: the same results whatever runs them.

`run` gives chunks to any `concurrent.futures.Executor`. A chunk whose worker dies is given out again, alone: nothing is
lost, and nothing is counted twice. With ``resume`` finished chunks are kept in a folder, and a study that was cut off goes on.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from gradyn._kept import Kept
from gradyn._processes import Processes
from gradyn._ray import RayExecutor

__all__ = ["Processes", "RayExecutor", "as_executor", "run"]

Progress = bool | Callable[[int, int], Any]

#: A chunk is given out so often before its worker's death is taken for its own fault.
ATTEMPTS = 4
#: A chunk takes about so long: sending it, a millisecond or two, is then a small part of it, s.
CHUNK_SECONDS = 0.25
#: A chunk's arguments and results have no more bytes than this: schedulers hold them in memory.
CHUNK_BYTES = 8 << 20
#: Chunks are multiples of this, so that states share registers as they do in one call: their bits are the same.
LANES = 64
#: A folder of finished chunks has about so many files at most.
KEPT = 256
#: Each worker is given so many chunks at least, so that all of them end at about the same time.
SHARES = 4
#: So many chunks are in flight for each worker: one that runs, and those that are on their way.
IN_FLIGHT = 4
#: Workers are taken for so many where an executor does not say.
UNKNOWN_WORKERS = 16
#: A cluster may grow and shrink, and a scheduler may be gone: both are looked at after so long, s.
LOOK = 5.0


@contextmanager
def as_executor(executor: Any) -> Iterator[Executor | None]:
    """What `run` gives chunks to.

    Parameters
    ----------
    executor : None, int, Executor, Dask client, or "ray"
        None runs in this process. A number starts so many processes (`Processes`), which end with the study. An `Executor` is
        taken as it is and left open, a Dask client by its ``get_executor()``, and "ray" stands for `RayExecutor`.
    """
    if executor is None or isinstance(executor, Executor):
        yield executor
    elif isinstance(executor, int) and not isinstance(executor, bool):
        if executor < 1:
            raise ValueError(f"`executor` is {executor}, expected one process at least")
        with _closed_after(Processes(executor)) as pool:
            yield pool
    elif isinstance(executor, str) and executor == "ray":
        yield RayExecutor()
    elif hasattr(executor, "get_executor"):
        # What failed is not taken for what a key stands for: each chunk that is given out has a key of its own.
        yield executor.get_executor(retries=0, pure=False)
    else:
        kind = repr(executor) if isinstance(executor, str | bool) else f"of type {type(executor).__name__}"
        raise TypeError(f"`executor` is {kind}, expected None, a number of processes, an Executor, a Dask client or 'ray'")


@contextmanager
def _closed_after(pool: Processes) -> Iterator[Processes]:
    try:
        yield pool
    except BaseException:
        # What runs is of no use any more, and may take long.
        pool.terminate()
        raise
    else:
        pool.shutdown()


def workers(executor: Any) -> int:
    """How many chunks an executor runs at a time, as far as it says."""
    if executor is None:
        return 1
    if isinstance(executor, int):
        return max(1, executor)
    client = getattr(executor, "_client", executor)
    if hasattr(client, "nthreads") and hasattr(client, "get_executor"):
        try:
            return max(1, sum(client.nthreads().values())) if client.status == "running" else UNKNOWN_WORKERS
        except (OSError, RuntimeError):
            return UNKNOWN_WORKERS
    for name in ("_max_workers", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return UNKNOWN_WORKERS


def chunk_size(total: int, seconds: float, size: int, executor: Any, kept: bool) -> int:
    """How many states or samples make a chunk.

    Parameters
    ----------
    total : int
        How many there are.
    seconds, size : float, int
        Time and bytes that each takes.
    executor
        Whose workers share them.
    kept : bool
        Whether chunks are kept in a folder: their size then depends on the study alone, not on the machine.
    """
    blocks = -(-total // LANES)
    most = max(1, CHUNK_BYTES // max(1, size * LANES))
    if kept:
        return LANES * max(1, min(most, -(-blocks // KEPT)))
    by_time = round(CHUNK_SECONDS / max(seconds, 1e-9) / LANES)
    shared = -(-blocks // (SHARES * workers(executor)))
    return LANES * max(1, min(most, by_time, shared))


def split(total: int, size: int) -> list[tuple[int, int]]:
    """The first one and the count of each chunk; less than `LANES` at the end go with the chunk before."""
    firsts = list(range(0, total, size))
    if len(firsts) > 1 and total - firsts[-1] < LANES:
        firsts.pop()
    return [(first, end - first) for first, end in zip(firsts, [*firsts[1:], total], strict=True)]


#: What Dask and Ray call the death of a worker, whose packages are not imported for it.
_DEATHS = {
    "CommClosedError",
    "KilledWorker",
    "LocalRayletDiedError",
    "NodeDiedError",
    "ObjectLostError",
    "OutOfMemoryError",
    "WorkerCrashedError",
}


def _worker_died(error: BaseException) -> bool:
    """Whether the worker has gone, not the function failed."""
    if isinstance(error, BrokenExecutor | CancelledError):
        return True
    return any(kind.__name__ in _DEATHS and kind.__module__.split(".")[0] in ("distributed", "ray") for kind in type(error).__mro__)


class _Told:
    """Progress, as a bar or by a function."""

    def __init__(self, progress: Progress | None, total: int, what: str) -> None:
        self.bar: Any = None
        self.tell: Callable[[int, int], Any] | None = progress if callable(progress) else None
        self.done, self.total = 0, total
        if progress is True:
            try:
                from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
            except ImportError:
                print(f"{total} {what}; for a bar install tqdm", file=sys.stderr)
            else:
                self.bar = tqdm(total=total, unit=f" {what}")

    def add(self, count: int) -> None:
        self.done += count
        if self.bar is not None:
            self.bar.update(count)
        if self.tell is not None:
            self.tell(self.done, self.total)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def run(
    function: Callable[..., Any],
    chunks: Sequence[tuple[Any, ...]],
    *,
    sizes: Sequence[int] | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    study: dict[str, Any] | None = None,
    what: str = "chunks",
) -> list[Any]:
    """Call ``function(*chunk)`` for each chunk; results in the chunks' order.

    Parameters
    ----------
    function : callable
        Of a module, so that other processes find it. Its result depends on the chunk alone.
    chunks : sequence of tuple
        Arguments, small enough to be sent.
    sizes : sequence of int, optional
        What each chunk counts for in the progress; one without it.
    executor
        See `as_executor`.
    progress : bool or callable, optional
        True shows a bar (tqdm); a function is called with what is done and the total.
    resume : path, optional
        A folder for finished chunks: what is there is not computed again. It is read by pickle: use folders of your own only.
    study : dict, optional
        What the folder's chunks are of; another study's folder is refused.
    what : str
        What is counted.

    Raises
    ------
    RuntimeError
        If workers die again and again at one chunk, or the executor is broken or closed.
    Exception
        What ``function`` raises first; the other chunks are cancelled. Those that had finished are kept with ``resume``.
    """
    sizes = [1] * len(chunks) if sizes is None else list(sizes)
    kept = None if resume is None else Kept(resume, {**(study or {}), "chunks": len(chunks)})
    results: list[Any] = [None] * len(chunks)
    open_chunks: list[int] = []
    told = _Told(progress, sum(sizes), what)
    try:
        for k in range(len(chunks)):
            found = None if kept is None else kept.load(k)
            if found is None:
                open_chunks.append(k)
            else:
                results[k] = found[0]
                told.add(sizes[k])

        def finish(k: int, result: Any) -> None:
            if kept is not None:
                kept.save(k, result)
            results[k] = result
            told.add(sizes[k])

        if not open_chunks:
            return results
        with as_executor(executor) as pool:
            if pool is None:
                for k in open_chunks:
                    finish(k, function(*chunks[k]))
            else:
                _spread(function, chunks, open_chunks, pool, finish)
    finally:
        told.close()
    return results


def _spread(
    function: Callable[..., Any],
    chunks: Sequence[tuple[Any, ...]],
    open_chunks: Sequence[int],
    pool: Executor,
    finish: Callable[[int, Any], None],
) -> None:
    """Give chunks out, and again those whose workers die, until all have been finished."""
    waiting = deque(open_chunks)
    deaths: Counter[int] = Counter()
    running: dict[Future[Any], tuple[int, Executor]] = {}
    own: Processes | None = None
    most, looked = 0, float("-inf")
    try:
        while waiting or running:
            if time.monotonic() - looked > LOOK:
                most, looked = IN_FLIGHT * workers(pool), time.monotonic()
            while waiting and len(running) < most:
                k = waiting[0]
                try:
                    future = pool.submit(function, *chunks[k])
                except BrokenExecutor as error:
                    pool = own = _replacement(pool, error)
                    continue
                running[future] = (k, pool)
                waiting.popleft()
            done, _ = wait(running, LOOK, FIRST_COMPLETED)
            if not done and _has_gone(pool):
                waiting.extend(k for k, by in running.values() if by is pool)
                running = {future: (k, by) for future, (k, by) in running.items() if by is not pool}
                pool = own = _replacement(pool, BrokenExecutor("a process has died, and was not noticed"))
            failed: BaseException | None = None
            for future in done:
                k, by = running.pop(future)
                raised = CancelledError() if future.cancelled() else future.exception()
                if raised is None:
                    finish(k, future.result())
                elif _worker_died(raised):
                    # A pool of many processes breaks with one of them: which chunk was at fault, nobody can say.
                    deaths[k] += not (isinstance(by, ProcessPoolExecutor) and isinstance(raised, BrokenExecutor))
                    if deaths[k] >= ATTEMPTS:
                        failed = failed or _died_again(k, by, raised)
                    waiting.append(k)
                else:
                    failed = failed or raised
            if failed is not None:
                raise failed
    except BaseException:
        for future, (_, by) in running.items():
            # Dask's own futures cannot be cancelled any more once the scheduler has gone.
            if getattr(getattr(by, "_client", None), "status", "running") == "running":
                future.cancel()
        if own is not None:
            own.terminate()
        raise
    if own is not None:
        own.shutdown()


def _died_again(k: int, pool: Executor, error: BaseException) -> RuntimeError:
    hint = ""
    if isinstance(pool, Processes):
        hint = "; does the script call it below `if __name__ == \"__main__\":`, and is there memory enough?"
    raised = RuntimeError(f"chunk {k}: its worker has died {ATTEMPTS} times ({type(error).__name__}: {error}){hint}")
    raised.__cause__ = error
    return raised


def _replacement(pool: Executor, error: BaseException) -> Processes:
    """Processes in place of a pool of them that is broken."""
    count = getattr(pool, "_max_workers", None)
    if not isinstance(pool, ProcessPoolExecutor) or not isinstance(count, int):
        raise RuntimeError(f"the executor {type(pool).__name__} is broken, and cannot be made again: {error}") from error
    return Processes.like(pool)


def _has_gone(pool: Executor) -> bool:
    """Notice what would be waited for in vain.

    A scheduler that has gone is an error. A pool of processes does not notice that one dies while it writes a result: then it
    is told, and has gone.
    """
    client = getattr(pool, "_client", None)
    if getattr(client, "status", None) in ("closed", "closing"):
        raise RuntimeError("the connection to Dask's scheduler has ended")
    processes = list((getattr(pool, "_processes", None) or {}).values()) if isinstance(pool, ProcessPoolExecutor) else []
    if all(process.is_alive() for process in processes):
        return False
    for process in processes:
        process.kill()
    writer = getattr(getattr(pool, "_result_queue", None), "_writer", None)
    if writer is not None:
        writer.close()
    return True
