"""The handler that XLA calls: what it says to an interface of another version. JAX is not needed."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p, pointer, sizeof
from typing import Any

import pytest
from gradyn import _gradyn

#: With the functions that have no stubs.
ENGINE: Any = _gradyn


class Version(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("major", c_int), ("minor", c_int)]


class ErrorArguments(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("message", c_char_p), ("code", c_int)]


Create = ctypes.CFUNCTYPE(c_void_p, POINTER(ErrorArguments))


class Api(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("version", Version),
        ("internal", c_void_p),
        ("error_create", Create),
    ]


class Metadata(Structure):
    _fields_ = [("struct_size", c_size_t), ("version", Version), ("traits", c_uint32), ("state_type", c_int64)]


class Extension(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("next", c_void_p),
        ("metadata", POINTER(Metadata)),
    ]


class Buffers(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("size", c_int64),
        ("types", c_void_p),
        ("list", c_void_p),
    ]


class Attributes(Structure):
    _fields_ = [*Buffers._fields_[:4], ("names", c_void_p), ("list", c_void_p)]


class Frame(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", POINTER(Extension)),
        ("api", POINTER(Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", Buffers),
        ("results", Buffers),
        ("attributes", Attributes),
        ("future", c_void_p),
    ]


class Called:
    """One call of the handler, by an XLA of a version."""

    def __init__(self, major: int, minor: int, metadata: bool = True) -> None:
        self.messages: list[str] = []

        def create(arguments: Any) -> int:
            self.messages.append(arguments.contents.message.decode())
            return 1

        self.create = Create(create)
        version = Version(sizeof(Version), None, major, minor)
        self.api = Api(sizeof(Api), None, version, None, self.create)
        self.metadata = Metadata(sizeof(Metadata))
        self.extension = Extension(sizeof(Extension), 1, None, pointer(self.metadata))
        frame = Frame(sizeof(Frame), pointer(self.extension) if metadata else None, pointer(self.api), None, 3)
        handler = ctypes.CFUNCTYPE(c_void_p, POINTER(Frame))(ENGINE._xla_handler()["address"])
        self.error = handler(byref(frame))


@pytest.mark.parametrize("minor", [1, 2, 3, 9])
def test_versions_with_the_same_structures_are_taken(minor: int) -> None:
    called = Called(0, minor)
    assert not called.error and not called.messages
    # Never a newer one than the handler is written for.
    assert (called.metadata.version.major, called.metadata.version.minor) == (0, min(minor, 3))


def test_another_version_is_refused_with_a_sentence() -> None:
    called = Called(1, 0)
    assert called.error == 1
    (message,) = called.messages
    assert "written for version 0.3" in message and "this jaxlib has 1.0" in message
    assert called.metadata.version.major == 0 and called.metadata.version.minor == 0


def test_a_call_of_no_function_is_refused() -> None:
    called = Called(0, 3, metadata=False)
    assert called.error == 1 and called.messages == ["gradyn: a call without the number of its function"]
