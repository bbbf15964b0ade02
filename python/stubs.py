"""Writes the stubs of the compiled module, and the documentation of its functions, from their table.

    python python/stubs.py            # writes what is not current
    python python/stubs.py --check    # says what is not, and exits with 1

Classes are written by hand in `stubs/_gradyn.pyi`, and what the table does not say of names in `stubs/words.toml`.
Written are `gradyn/_gradyn.pyi`, `gradyn/results.pyi` and, for `help()`, `stubs/docs.in`.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from gradyn import _gradyn

HERE = Path(__file__).resolve().parent
WIDTH = 118

#: Types of arguments that are not arrays with a row a state.
TYPES = {
    "wrenches": "_Wrenches | None",
    "method": "_Method",
    "frame": "str",
    "frames": "Sequence[str]",
    "seen_from": "str",
    "reference": "_Reference",
    "body": "str",
    "subtree": "str | None",
    "point": "ArrayLike",
    "force": "ArrayLike",
    "constraints": "_Constraints",
    "restitution": "float",
}


@cache
def words() -> dict[str, dict[str, Any]]:
    import tomllib

    return tomllib.loads((HERE / "stubs" / "words.toml").read_text())


def shape(*dims: str) -> str:
    """A shape as documentation writes it."""
    return f"shape ({', '.join(['...', *(dim for dim in dims if dim)])})" if any(dims) else "shape (...)"


def wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 8, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


# --- documentation of one function ---------------------------------------------


def of_output(name: str) -> str:
    """What one array of a result is."""
    known = words()["outputs"].get(name)
    if known is not None:
        return str(known)
    of, by = words()["derivatives"], words()["by"]
    if name.startswith("d2"):
        value, variables = name.rsplit("_", 1)
        one, two = variables.removeprefix("d").split("d", 1)
        return f"Second derivative of the {of[value]} by {one} and {two}: of entry i by the directions j and k."
    value, _, variable = name.partition("_d")
    return f"Derivative of the {of[value]} by {by[variable]}."


def of_argument(function: str, argument: str) -> str:
    special = words()["arguments_of"].get(f"{function}.{argument}")
    return str(special or words()["arguments"][argument])


def out_type(row: dict[str, Any]) -> str:
    return (
        "_Array | None"
        if row["result"] is None
        else f"tuple[{', '.join(['_Array | None'] * len(row['outputs']))}] | None"
    )


def documentation(row: dict[str, Any]) -> list[str]:
    """A docstring in NumPy's form, line by line."""
    said = " ".join(row["doc"].split())
    summary = words()["summaries"].get(row["name"])
    if summary is None:
        first, _, rest = said.partition(". ")
        summary, said = first.removesuffix(".") + ".", rest
    lines = [summary, *(["", *wrapped(said, "")] if said else [])]
    lines += ["", "Parameters", "----------"]
    for argument, dim in row["arguments"]:
        lines += [f"{argument} : array_like, {shape(dim)}", *wrapped(of_argument(row["name"], argument), "    ")]
    for choice, _ in (*row["choices"], ("threads", None)):
        kind, text = words()["choices"][choice]
        lines += [f"{choice} : {kind}", *wrapped(text, "    ")]
    if row["result"] is None:
        lines += [
            "out : ndarray of float64, optional",
            "    Filled with the result and returned, whatever its strides.",
        ]
    else:
        lines += [f"out : tuple of {len(row['outputs'])} ndarrays of float64 or None, optional"]
        lines += ["    Filled with the results and returned, whatever their strides; None for those to be made."]
    lines += ["", "Returns", "-------"]
    indent = ""
    if row["result"] is not None:
        lines += [f"gradyn.results.{row['result']}", "    A named tuple:", ""]
        indent = "    "
    for output, dims in row["outputs"]:
        kind = f"ndarray, {shape(*dims)}" if dims else "float, or ndarray of shape (...)"
        lines += [f"{indent}{output} : {kind}", *wrapped(of_output(output), indent + "    ")]
    lines += [
        "",
        "Raises",
        "------",
        "InputError",
        "    For arguments of a wrong shape or type, that are not finite, or that name nothing.",
    ]
    if row["name"] in words()["sources"]:
        lines += ["", "References", "----------", *wrapped(words()["sources"][row["name"]], "")]
    if row["name"] in words()["examples"]:
        lines += ["", "Examples", "--------", *words()["examples"][row["name"]].strip("\n").splitlines()]
    return lines


# --- stubs ----------------------------------------------------------------------


def method(row: dict[str, Any]) -> list[str]:
    parts = ["self", *(f"{argument}: ArrayLike" for argument, _ in row["arguments"])]
    parts += [f"{choice}: {TYPES[choice]}" for choice, default in row["choices"] if default is None]
    parts += ["*"]
    seen = inspect.signature(getattr(_gradyn.Model, row["name"])).parameters
    for choice, default in row["choices"]:
        if default is not None:
            # What the compiled method does not say, its stub does not either.
            shown = "..." if seen[choice].default is ... else default
            parts.append(f"{choice}: {TYPES[choice]} = {shown}")
    parts += ["threads: int | None = None", f"out: {out_type(row)} = None"]
    if row["result"] is not None:
        result = f"results.{row['result']}"
    else:
        # A number for one state.
        result = "_Array" if row["outputs"][0][1] else "Any"
    lines = [f"def {row['name']}(", *(f"    {part}," for part in parts), f") -> {result}:"]
    return lines + docstring(documentation(row))


def docstring(lines: list[str]) -> list[str]:
    if len(lines) == 1:
        return [f'    """{lines[0]}"""']
    return [f'    """{lines[0]}', *(f"    {line}".rstrip() for line in lines[1:]), '    """']


def internal() -> Iterator[str]:
    """What is not for users: names with types that say little."""
    public = {
        "InputError",
        "RobotError",
        "FileError",
        "RobotWarning",
        "Note",
        "LoadReport",
        "Constraint",
        "CheckReport",
        "Model",
    }
    public |= {"build_info", "__version__"}
    for name in sorted(set(dir(_gradyn)) - public):
        found = getattr(_gradyn, name)
        if name.startswith("__"):
            continue
        if inspect.isclass(found):
            yield from internal_class(name, found)
        else:
            yield from signature(name, found, [])


def internal_class(name: str, found: type) -> Iterator[str]:
    yield "@final"
    yield f"class {name}:"
    members = []
    if "__new__" in vars(found):
        members += [f"    {line}" for line in signature("__new__", found, ["cls"])]
    for member, value in sorted(vars(found).items()):
        if inspect.isgetsetdescriptor(value):
            members += ["    @property", f"    def {member}(self) -> Any: ..."]
        elif isinstance(value, staticmethod):
            members += [
                "    @staticmethod",
                *(f"    {line}" for line in signature(member, getattr(found, member), [], name + ".")),
            ]
        elif inspect.ismethoddescriptor(value) and not member.startswith("__"):
            members += [f"    {line}" for line in signature(member, value, ["self"], name + ".")]
        elif member in ("__len__", "__bool__"):
            members += [f"    def {member}(self) -> {'int' if member == '__len__' else 'bool'}: ..."]
    yield from members or ["    ..."]


def signature(name: str, found: Any, first: list[str], of: str = "") -> Iterator[str]:
    parts, star = list(first), False
    for argument in inspect.signature(found).parameters.values():
        if argument.name == "self":
            continue
        if argument.kind == argument.KEYWORD_ONLY and not star:
            parts, star = [*parts, "*"], True
        default = "" if argument.default is argument.empty else " = ..."
        parts.append(f"{argument.name}: Any{default}")
    result = found.__name__ if name == "__new__" else words()["internal"].get(f"{of}{name}", "Any")
    yield f"def {name}({', '.join(parts)}) -> {result}: ..."


HEAD = "# Written by python/stubs.py: do not edit.\n"


def compiled() -> str:
    template = (HERE / "stubs" / "_gradyn.pyi").read_text()
    methods = [f"    {line}".rstrip() for row in _gradyn._functions() for line in method(row)]
    text = template.replace("    # Functions of the table.\n", "\n".join(methods) + "\n")
    text = text.replace(
        "__version__: str\n", f"__version__: str\n\n__all__ = {sorted(_gradyn.__all__)!r}\n".replace("'", '"')
    )
    return HEAD + text + "\n".join(internal()) + "\n"


def results() -> str:
    lines = [
        "from typing import Any, NamedTuple, TypeAlias",
        "",
        "import numpy as np",
        "from numpy.typing import NDArray",
        "",
    ]
    lines += ["_Array: TypeAlias = NDArray[np.float64]", ""]
    for row in _gradyn._functions():
        if row["result"] is None:
            continue
        lines += [f"class {row['result']}(NamedTuple):"]
        text = [f"Result of `Model.{row['name']}`.", "", "Attributes", "----------"]
        for output, dims in row["outputs"]:
            kind = f"ndarray, {shape(*dims)}" if dims else "float, or ndarray of shape (...)"
            text += [f"{output} : {kind}", *wrapped(of_output(output), "    ")]
        lines += docstring(text)
        lines += ["", *(f"    {output}: {'_Array' if dims else 'Any'}" for output, dims in row["outputs"]), ""]
    return HEAD + "\n".join(lines)


def rust() -> str:
    """Documentation of each function as a macro, for the compiled methods."""
    head = [
        "// Written by python/stubs.py: do not edit.",
        "",
        "//! What `help()` says of the functions of the table.",
        "",
    ]
    lines = [*head, "macro_rules! doc_of {"]
    for row in _gradyn._functions():
        text = "\n".join(documentation(row))
        assert '"#' not in text
        lines += [f"    ({row['name']}) => {{", f'        r#"{text}"#', "    };"]
    # One that is new in the table has none until this file is written again.
    lines += ["    ($other:ident) => {", '        "Of the package\'s own modules."', "    };", "}", "pub(crate) use doc_of;", ""]
    return "\n".join(lines)


def files() -> dict[Path, str]:
    return {
        HERE / "gradyn" / "_gradyn.pyi": compiled(),
        HERE / "gradyn" / "results.pyi": results(),
        HERE / "stubs" / "docs.in": rust(),
    }


def stale() -> list[Path]:
    """Files that are not what would be written."""
    return [path for path, text in files().items() if not path.is_file() or path.read_text() != text]


def main() -> int:
    old = stale()
    for path in old:
        if "--check" in sys.argv:
            print(f"{path.relative_to(HERE.parent)} is not current: run python python/stubs.py")
        else:
            path.write_text(files()[path])
            print(f"wrote {path.relative_to(HERE.parent)}")
    return 1 if old and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
