"""Outputs of a robot at a state, and their values for the samples of a plan, on any executor."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time as clock
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradyn import _constraints, _gradyn, executors
from gradyn._gradyn import Constraint, Model, Parameters, Priors
from gradyn.solution import Solution

Array = NDArray[np.float64]
Patterns = str | Sequence[str] | Parameters


def chosen_parameters(model: Model, patterns: Patterns) -> Parameters:
    """Parameters by patterns, if they are not chosen yet."""
    return patterns if isinstance(patterns, Parameters) else Parameters(model, patterns)


class Question:
    """An output at a state, which other processes can be asked too."""

    warnings: list[str] = []

    def __init__(
        self,
        model: Model,
        parameters: Parameters,
        of: str,
        q: ArrayLike,
        v: ArrayLike | None,
        a: ArrayLike | None,
        tau: ArrayLike | None,
        frame: str | None,
        constraints: Sequence[Constraint] | None,
    ) -> None:
        rest = np.zeros(model.nv)
        u = tau if of in ("accelerations", "contact-forces") else a
        state = [np.ascontiguousarray(rest if x is None else x, dtype=np.float64) for x in (q, v, u)]
        self.model: Model = model
        self.parameters: Parameters = parameters
        self.of: str = of
        self.state: list[Array] = state
        self.frame: str | None = frame
        self.constraints: list[Constraint] | None = None if constraints is None else list(constraints)
        q, v, u = state
        self.output: Any = _gradyn._Output(model, of, q, v, u, frame, self.constraints)

    def local(self, method: str = "analytical", values: ArrayLike | None = None) -> tuple[Array, Array, list[str]]:
        values = self.parameters.nominal if values is None else np.asarray(values, dtype=np.float64)
        found: tuple[Array, Array, list[str]]
        found = _gradyn.sensitivity_local(self.parameters, values, self.output, method)
        return found

    def spec(self) -> str:
        """What a worker makes it of again."""
        return json.dumps(
            {
                "model": self.model.to_json(),
                "parameters": self.parameters.names,
                "of": self.of,
                "state": [x.tolist() for x in self.state],
                "frame": self.frame,
                "constraints": self.constraints and _constraints.plain(self.constraints),
            }
        )


class Along:
    """Where a trajectory ends, which other processes can be asked too."""

    def __init__(self, parameters: Parameters, output: Any) -> None:
        self.parameters: Parameters = parameters
        self.output: Any = output
        self.warnings: list[str] = output.warnings

    @staticmethod
    def of(solution: Solution, parameters: Patterns, of: str, frame: str | None, closed_loop: bool) -> Along:
        if of not in ("configuration", "pose"):
            raise ValueError(f"`of` is '{of}', along a solution expected 'configuration' or 'pose'")
        if of == "pose" and frame is None:
            raise ValueError("`frame` is needed: the frame whose pose it is")
        inner = solution._live()
        chosen = chosen_parameters(inner.model(), parameters)
        return Along(chosen, inner.along(chosen, frame if of == "pose" else None, closed_loop))

    def local(self, method: str = "analytical", values: ArrayLike | None = None) -> tuple[Array, Array, list[str]]:
        if method != "analytical" or values is not None:
            raise ValueError("`method` and `values` are for states: along a solution derivatives are exact, at the robot's values")
        found: tuple[Array, Array, list[str]]
        found = _gradyn.sensitivity_local(self.parameters, self.parameters.nominal, self.output, method)
        return found

    def spec(self) -> str:
        """What a worker makes it of again."""
        names = self.parameters.names
        return json.dumps({"model": self.parameters.model.to_json(), "parameters": names, "along": self.output.to_json()})


Asked = Question | Along


def asked(
    model: Model | Solution,
    parameters: Patterns,
    of: str,
    q: ArrayLike | None,
    v: ArrayLike | None,
    a: ArrayLike | None,
    tau: ArrayLike | None,
    frame: str | None,
    constraints: Sequence[Constraint] | None,
    closed_loop: bool,
) -> Asked:
    """What is asked: at a state of a robot, or along a solution."""
    if isinstance(model, Solution):
        given = {"q": q, "v": v, "a": a, "tau": tau, "constraints": constraints}
        for name, x in given.items():
            if x is not None:
                raise ValueError(f"`{name}` is the solution's own: expected none")
        return Along.of(model, parameters, of, frame, closed_loop)
    if q is None:
        raise ValueError("`q` is needed: the configuration, (nq,)")
    if closed_loop:
        raise ValueError("`closed_loop` is for solutions: a state has no feedback")
    return Question(model, chosen_parameters(model, parameters), of, q, v, a, tau, frame, constraints)


@functools.lru_cache(maxsize=4)
def _question(spec: str) -> Asked:
    made = json.loads(spec)
    model = Model.from_json(made["model"])
    parameters = Parameters(model, [_exactly(name) for name in made["parameters"]])
    if "along" in made:
        return Along(parameters, _gradyn._Along.from_json(model, made["along"]))
    q, v, u = made["state"]
    constraints = made["constraints"] and _constraints.made(model, made["constraints"])
    return Question(model, parameters, made["of"], q, v, u, u, made["frame"], constraints)


def _exactly(name: str) -> str:
    """A pattern that fits this name alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _chunk(spec: str, samples: Array, entries: int) -> Array:
    """Outputs of some samples: the same bits wherever they are computed."""
    question = _question(spec)
    outputs: Array = _gradyn.sensitivity_evaluate(question.parameters, question.output, samples, entries, 1)
    return outputs


def _samples(plan: dict[str, Any], priors: Priors, first: int, count: int) -> Array:
    samples: Array
    if plan["kind"] == "sobol":
        of = (plan["groups"], plan["rows"], plan["second_order"], plan["seed"])
        samples = _gradyn.sobol_samples(priors, *of, first, count)
    else:
        samples = _gradyn.morris_samples(priors, plan["paths"], plan["levels"], plan["seed"], first, count)
    return samples


#: So many bytes of samples are made at a time: making some of a plan takes about as long as making all.
BLOCK_BYTES = 64 << 20


class _Chunks(Sequence[tuple[Any, ...]]):
    """Chunks of a plan, whose samples are made in blocks when they are asked for."""

    def __init__(
        self, plan: dict[str, Any], priors: Priors, spec: str, entries: int, pieces: list[tuple[int, int]]
    ) -> None:
        self.plan, self.priors, self.spec, self.entries, self.pieces = plan, priors, spec, entries, pieces
        self.first, self.block = 0, np.empty((0, len(priors)))

    def __len__(self) -> int:
        return len(self.pieces)

    def __getitem__(self, k: Any) -> Any:
        first, count = self.pieces[k]
        if first < self.first:
            # One that is given out again.
            return self.spec, _samples(self.plan, self.priors, first, count), self.entries
        if first + count > self.first + len(self.block):
            total = sum(self.pieces[-1])
            most = max(count, BLOCK_BYTES // (8 * max(1, len(self.priors))))
            self.first, self.block = first, _samples(self.plan, self.priors, first, min(most, total - first))
        return self.spec, self.block[first - self.first :][:count], self.entries


def evaluate(
    question: Asked,
    plan: dict[str, Any],
    priors: Priors,
    total: int,
    entries: int,
    executor: Any,
    progress: executors.Progress | None,
    resume: str | os.PathLike[str] | None,
    threads: int | None,
) -> Array:
    if executor is None and resume is None and progress is None:
        samples = _samples(plan, priors, 0, total)
        count = threads or os.cpu_count() or 1
        outputs: Array = _gradyn.sensitivity_evaluate(question.parameters, question.output, samples, entries, count)
        return outputs
    samples = _samples(plan, priors, 0, min(executors.LANES, total))
    seconds = float("inf")
    for _ in range(2):
        # The first time memory is fetched.
        begin = clock.perf_counter()
        _gradyn.sensitivity_evaluate(question.parameters, question.output, samples, entries, 1)
        seconds = min(seconds, (clock.perf_counter() - begin) / len(samples))
    size = executors.chunk_size(total, seconds, 8 * (entries + len(priors)), executor, resume is not None)
    spec = question.spec()
    pieces = executors.split(total, size)
    digest = hashlib.sha256((spec + json.dumps(plan) + priors.to_json()).encode()).hexdigest()
    found = executors.run(
        _chunk,
        _Chunks(plan, priors, spec, entries, pieces),
        sizes=[count for _, count in pieces],
        executor=executor,
        progress=progress,
        resume=resume,
        study={"samples": total, "chunk": size, "hash": digest},
        what="samples",
    )
    return np.concatenate(found)
