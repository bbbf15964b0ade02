"""Finished chunks of a study in a folder, each written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import threading
from pathlib import Path
from typing import Any

from gradyn._gradyn import __version__


class Kept:
    """A folder of finished chunks.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    study : dict
        What the chunks are of, as JSON has it. A folder of another study is refused, and of another version of gradyn, whose
        results may differ in their last bits.
    """

    def __init__(self, folder: str | os.PathLike[str], study: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        study = json.loads(json.dumps({"gradyn": __version__, **study}))
        mark = self.folder / "study.json"
        if not mark.exists():
            if any(self.folder.glob("chunk-*.pickle")):
                raise ValueError(f"{self.folder}: it has chunks, and no study.json that says of what")
            self._write(mark, json.dumps(study, sort_keys=True, indent=1).encode())
            return
        old = json.loads(mark.read_text(encoding="utf-8"))
        for key in sorted({*old, *study}):
            if old.get(key) != study.get(key):
                message = f"`{key}` is {old.get(key)!r}, of this study {study.get(key)!r}"
                raise ValueError(f"{mark} is of another study: {message}")

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            # The name must not be there before the content is.
            os.fsync(file.fileno())
        os.replace(part, path)

    def _path(self, chunk: int) -> Path:
        return self.folder / f"chunk-{chunk:06}.pickle"

    def load(self, chunk: int) -> tuple[Any] | None:
        """The result of a chunk, alone in a tuple; None if it is not there, or damaged."""
        try:
            digest, _, content = self._path(chunk).read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        if hashlib.sha256(content).hexdigest().encode() != digest:
            return None
        return (pickle.loads(content),)

    def save(self, chunk: int, result: Any) -> None:
        """Keep the result of a chunk."""
        content = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
        digest = hashlib.sha256(content).hexdigest().encode()
        self._write(self._path(chunk), digest + b"\n" + content)
