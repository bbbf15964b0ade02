"""Loops over chunks of work on one machine or many: the same results whatever runs them.

`run` gives chunks to any `concurrent.futures.Executor`. A chunk whose worker dies is given out again, alone: nothing is
lost, and nothing is counted twice. With ``resume`` finished chunks are kept in a folder, and a study that was cut off goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RayExecutor", "as_executor", "run"]

Array = NDArray[np.float64]
Progress = bool | Callable[[int, int], Any]

#: A chunk is given out so often before its worker's death is taken for its own fault.
ATTEMPTS = 4


class RayExecutor(Executor):
    """Ray's tasks as an `Executor`: the least that `run` needs.

    Parameters
    ----------
    **options
        Of ``ray.remote``: ``num_cpus``, ``resources``, …
    """

    def __init__(self, **options: Any) -> None:
        import ray

        self._ray: Any = ray
        # Workers that die are this module's to replace: chunks are given out again one by one.
        self._options = {"max_retries": 0, **options}
        self._max_workers = int(self._ray.cluster_resources().get("CPU", 1)) if ray.is_initialized() else 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._ray.remote(**self._options)(fn).remote(*args, **kwargs).future()
        return future


def _process_pool(workers: int) -> ProcessPoolExecutor:
    # Not by fork: threads of NumPy and of this package would be missing in the child.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@contextmanager
def as_executor(executor: Any) -> Iterator[Executor | None]:
    """What `run` gives chunks to.

    Parameters
    ----------
    executor : None, int, Executor, dask client, or "ray"
        None runs in this process. A number starts so many processes. An `Executor` is taken as it is, a Dask client by its
        ``get_executor()``, and "ray" stands for `RayExecutor`.
    """
    if executor is None or isinstance(executor, Executor):
        yield executor
    elif isinstance(executor, int):
        if executor < 1:
            raise ValueError(f"`executor` is {executor}, expected one process at least")
        pool = _process_pool(executor)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
    elif executor == "ray":
        yield RayExecutor()
    elif hasattr(executor, "get_executor"):
        yield executor.get_executor(retries=0)
    elif hasattr(executor, "submit"):
        yield executor
    else:
        kind = type(executor).__name__
        raise TypeError(f"`executor` is of type {kind}, expected None, a number, an Executor, a Dask client or 'ray'")


def _worker_died(error: BaseException) -> bool:
    """Whether the worker has gone, not the function failed: by the names that Dask and Ray give it."""
    if isinstance(error, BrokenExecutor | CancelledError):
        return True
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"KilledWorker", "WorkerCrashedError", "CommClosedError", "NodeDiedError", "FutureCancelledError"})


class _Kept:
    """Finished chunks in a folder, each written whole or not at all."""

    def __init__(self, folder: str | os.PathLike[str], study: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        mark = self.folder / "study.json"
        text = json.dumps(study, sort_keys=True)
        if mark.exists():
            found = mark.read_text(encoding="utf-8")
            if found != text:
                old = json.loads(found)
                other = [key for key in sorted({*old, *study}) if old.get(key) != study.get(key)]
                key = other[0] if other else "study"
                raise ValueError(
                    f"{mark}: `{key}` is {old.get(key)!r}, this study has {study.get(key)!r}: it is another study"
                )
        else:
            self._write(mark, text.encode())

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_bytes(content)
        os.replace(part, path)

    def load(self, chunk: int) -> Any:
        path = self.folder / f"chunk-{chunk:06}.pickle"
        if not path.exists():
            return None
        digest, _, content = path.read_bytes().partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != digest:
            path.unlink()
            return None
        return pickle.loads(content)

    def save(self, chunk: int, result: Any) -> None:
        content = pickle.dumps(result)
        digest = hashlib.sha256(content).hexdigest().encode()
        self._write(self.folder / f"chunk-{chunk:06}.pickle", digest + b"\n" + content)


class _Told:
    """Progress, as a bar or by a function."""

    def __init__(self, progress: Progress | None, total: int, what: str) -> None:
        self.bar: Any = None
        self.tell: Callable[[int, int], Any] | None = progress if callable(progress) else None
        self.done, self.total = 0, total
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                print(f"{total} {what}; for a bar install tqdm", file=sys.stderr)
            else:
                self.bar = tqdm(total=total, unit=what)

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
        A folder for finished chunks: what is there is not computed again.
    study : dict, optional
        What the folder's chunks are of; another study's folder is refused.
    what : str
        What is counted.

    Raises
    ------
    RuntimeError
        If workers die again and again at one chunk.
    """
    sizes = [1] * len(chunks) if sizes is None else list(sizes)
    kept = None if resume is None else _Kept(resume, {**(study or {}), "chunks": len(chunks)})
    results: list[Any] = [None] * len(chunks)
    open_chunks: list[int] = []
    told = _Told(progress, sum(sizes), what)
    try:
        for k in range(len(chunks)):
            found = None if kept is None else kept.load(k)
            if found is None:
                open_chunks.append(k)
            else:
                results[k] = found
                told.add(sizes[k])

        def finish(k: int, result: Any) -> None:
            if kept is not None:
                kept.save(k, result)
            results[k] = result
            told.add(sizes[k])

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
    waiting: list[int],
    pool: Executor,
    finish: Callable[[int, Any], None],
) -> None:
    waiting = list(reversed(waiting))
    attempts = dict.fromkeys(waiting, 0)
    # Enough in flight that no worker waits; few enough that little is given out again.
    most = 4 * max(1, int(getattr(pool, "_max_workers", 0) or 16))
    running: dict[Future[Any], int] = {}
    own: Executor | None = None
    try:
        while waiting or running:
            while waiting and len(running) < most:
                k = waiting.pop()
                attempts[k] += 1
                try:
                    running[pool.submit(function, *chunks[k])] = k
                except BrokenExecutor:
                    attempts[k] -= 1
                    waiting.append(k)
                    pool = own = _replaced(pool, own)
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                k = running.pop(future)
                try:
                    result = future.result()
                except BaseException as error:
                    if not _worker_died(error):
                        raise
                    if attempts[k] >= ATTEMPTS:
                        raise RuntimeError(f"chunk {k}: its worker has died {ATTEMPTS} times: {error}") from error
                    waiting.append(k)
                    if isinstance(error, BrokenExecutor) and not running:
                        pool = own = _replaced(pool, own)
                else:
                    finish(k, result)
    finally:
        for future in running:
            future.cancel()
        if own is not None:
            own.shutdown(cancel_futures=True)


def _replaced(pool: Executor, own: Executor | None) -> Executor:
    """Another pool in place of one of processes that is broken."""
    workers = getattr(pool, "_max_workers", None)
    if not isinstance(pool, ProcessPoolExecutor) or workers is None:
        raise RuntimeError(f"the executor {type(pool).__name__} is broken, and cannot be made again")
    if own is not None:
        own.shutdown(wait=False)
    return _process_pool(workers)
