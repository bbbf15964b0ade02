"""Ray's tasks as an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class _RayFuture(Future[Any]):
    """Ray's task; cancelling this cancels it."""

    reference: Any = None
    stop: Callable[[Any], Any] | None = None

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled and self.stop is not None:
            self.stop(self.reference)
        return cancelled


class RayExecutor(Executor):
    """Ray's tasks as an `Executor`: the least that `run` needs.

    Parameters
    ----------
    **options
        Of ``ray.remote``: ``num_cpus``, ``resources``, …
    """

    def __init__(self, **options: Any) -> None:
        import ray

        if not ray.is_initialized():
            ray.init()
        self._ray: Any = ray
        # Workers that die are this module's to replace: chunks are given out again one by one.
        self._options = {"max_retries": 0, **options}
        self._remotes: dict[Callable[..., Any], Any] = {}
        self._futures: set[_RayFuture] = set()
        self._closed = False

    @property
    def num_workers(self) -> int:
        """CPUs of the cluster as it is now."""
        resources: Any = self._ray.cluster_resources()
        return int(resources.get("CPU", 1))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        if fn not in self._remotes:
            self._remotes[fn] = self._ray.remote(**self._options)(fn)
        reference = self._remotes[fn].remote(*args, **kwargs)
        outer = _RayFuture()
        outer.reference, outer.stop = reference, self._ray.cancel
        self._futures.add(outer)

        def finish(inner: Future[Any]) -> None:
            self._futures.discard(outer)
            if not outer.set_running_or_notify_cancel():
                return
            error = inner.exception()
            if error is None:
                outer.set_result(inner.result())
            else:
                # Ray wraps what the function has raised.
                cause = getattr(error, "cause", None)
                outer.set_exception(cause if isinstance(cause, BaseException) else error)

        reference.future().add_done_callback(finish)
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._closed = True
        futures = list(self._futures)
        for future in futures:
            if cancel_futures:
                future.cancel()
        if wait:
            for future in futures:
                if not future.cancelled():
                    future.exception()
