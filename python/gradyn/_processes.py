"""Processes of this machine, of which one can die without the others."""

from __future__ import annotations

import pickle
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any


@dataclass
class _Work:
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    future: Future[Any] = field(default_factory=Future)


class _Remote(Exception):
    """Where an exception of another process comes from."""

    def __init__(self, text: str) -> None:
        super().__init__(f'\n"""\n{text}"""')


def _sendable(error: BaseException) -> BaseException:
    """The exception itself, if it can be read again."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _serve(connection: Connection, initializer: Callable[..., Any] | None, arguments: tuple[Any, ...]) -> None:
    """What a process does until the one that started it has gone."""
    # Ctrl-C is for the process that started this one, which ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if initializer is not None:
        initializer(*arguments)
    while True:
        try:
            content = connection.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            function, given, keywords = pickle.loads(content)
            answer = pickle.dumps((function(*given, **keywords), None, ""), pickle.HIGHEST_PROTOCOL)
        except BaseException as error:
            answer = pickle.dumps((None, _sendable(error), traceback.format_exc()))
        try:
            connection.send_bytes(answer)
        except OSError:
            return


#: `multiprocessing` starts one process at a time.
_STARTING = threading.Lock()


class _Worker(threading.Thread):
    """Has a process of its own, and gives it one call after the other."""

    def __init__(self, pool: Processes) -> None:
        super().__init__(daemon=True)
        self.pool = pool
        self.process: Any = None
        self.connection: Connection | None = None

    def run(self) -> None:
        while (work := self.pool._waiting.get()) is not None:
            if work.future.set_running_or_notify_cancel():
                try:
                    result, error, trace = self._called(work)
                except BaseException as own:
                    result, error, trace = None, own, ""
                if error is None:
                    work.future.set_result(result)
                else:
                    if trace:
                        error.__cause__ = _Remote(trace)
                    work.future.set_exception(error)
            # Nothing of a call is held until the next one comes.
            del work
            result = error = None
        self._end()

    def _called(self, work: _Work) -> tuple[Any, BaseException | None, str]:
        content = pickle.dumps((work.function, work.arguments, work.keywords), pickle.HIGHEST_PROTOCOL)
        try:
            self._send(content)
        except OSError:
            # It has died while it had nothing to do.
            self._end()
            self._send(content)
        try:
            assert self.connection is not None
            answer = self.connection.recv_bytes()
        except (EOFError, OSError):
            process = self.process
            self._end()
            raise BrokenExecutor(f"the process has died, exit code {process.exitcode}") from None
        found: tuple[Any, BaseException | None, str] = pickle.loads(answer)
        return found

    def _send(self, content: bytes) -> None:
        if self.connection is None:
            self._start()
        assert self.connection is not None
        self.connection.send_bytes(content)

    def _start(self) -> None:
        context = self.pool._context
        with _STARTING:
            if self.pool._ended:
                raise BrokenExecutor("the executor has been terminated")
            self.connection, other = context.Pipe()
            self.process = context.Process(target=_serve, args=(other, *self.pool._initializer), daemon=True)
            try:
                self.process.start()
            except BaseException:
                self.connection.close()
                self.connection = None
                raise
            finally:
                # With the process its end of the pipe goes: this thread then waits no longer.
                other.close()

    def _end(self) -> None:
        if self.connection is None:
            return
        self.connection.close()
        self.connection = None
        self.process.join()


class Processes(Executor):
    """Processes that are started again one by one.

    A `concurrent.futures.ProcessPoolExecutor` breaks as a whole when one of its processes dies. Here the call that the process
    was at fails with ``BrokenExecutor``, and another process takes its place. A call is sent when a process is free for it.

    Parameters
    ----------
    max_workers : int
        How many processes.
    mp_context : optional
        Of `multiprocessing`, "spawn" or "forkserver"; "spawn" without it. A fork would lack the threads of NumPy and of this
        package.
    initializer, initargs : optional
        Called in each process that is started.
    """

    def __init__(
        self,
        max_workers: int,
        mp_context: Any = None,
        initializer: Callable[..., Any] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        if max_workers < 1:
            raise ValueError(f"`max_workers` is {max_workers}, expected one at least")
        self._max_workers = max_workers
        self._context = get_context("spawn") if mp_context is None else mp_context
        if self._context.get_start_method() == "fork":
            raise ValueError('`mp_context` is "fork", expected "spawn" or "forkserver"')
        self._initializer = (initializer, initargs)
        self._waiting: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        self._closed = False
        self._ended = False

    @classmethod
    def like(cls, pool: ProcessPoolExecutor) -> Processes:
        """As many, started as those of a pool are; spawned where those are forked."""
        context = getattr(pool, "_mp_context", None)
        if context is not None and context.get_start_method() == "fork":
            context = None
        count = getattr(pool, "_max_workers", 1)
        return cls(count, context, getattr(pool, "_initializer", None), getattr(pool, "_initargs", ()))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        work = _Work(fn, args, kwargs)
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._waiting.put(work)
            if len(self._workers) < self._max_workers:
                self._workers.append(_Worker(self))
                self._workers[-1].start()
        return work.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            if cancel_futures:
                self._cancel()
            if not self._closed:
                self._closed = True
                for _ in self._workers:
                    self._waiting.put(None)
        if wait:
            for worker in self._workers:
                worker.join()

    def _cancel(self) -> None:
        ends = 0
        while True:
            try:
                work = self._waiting.get_nowait()
            except queue.Empty:
                break
            if work is None:
                ends += 1
            else:
                work.future.cancel()
                work.future.set_running_or_notify_cancel()
        for _ in range(ends):
            self._waiting.put(None)

    def terminate(self) -> None:
        """Ends at once what runs, whose calls fail with ``BrokenExecutor``."""
        with _STARTING:
            self._ended = True
        for worker in self._workers:
            if worker.process is not None:
                worker.process.kill()
        self.shutdown(cancel_futures=True)
