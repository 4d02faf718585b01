"""The face of a package: names that are listed in its stub, and loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Group = tuple[str, str, dict[str, str]]
"""A title, a line of text, and for each name the module that has it."""

_ONLY_AST = 0x400  # what `ast.parse` asks for; importing ast would take longer than all the rest


def read_stub(package: str, file: str) -> tuple[str, list[Group]]:
    """Return the docstring and the groups of the stub beside a package's ``__init__.py``.

    Type checkers read the same stub, so that each name stands in one list.

    Examples
    --------
    >>> import lexiframe
    >>> about, groups = read_stub("lexiframe", lexiframe.__file__)
    >>> groups[0][0], groups[0][2]["read_runs"]
    ('Start here', 'lexiframe.core.io.runs:read_runs')
    """
    path = f"{file.removesuffix('c')}i"
    with open(path, encoding="utf-8") as stub:  # noqa: PTH123 - without pathlib, which takes time
        tree: Any = compile(stub.read(), path, "exec", _ONLY_AST)
    about, *body = tree.body
    groups: list[Group] = []
    for node in body:
        if hasattr(node, "names"):
            # A later room may be called by two dots, or by its whole name.
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = f"{above}.{node.module or ''}".strip(".")
            groups[-1][2].update({a.asname or a.name: f"{module}:{a.name}" for a in node.names})
        else:
            title, _, text = node.value.value.partition(": ")
            groups.append((title, text, {}))
    return about.value.value, groups


Face = tuple[Callable[[str], object], Callable[[], list[str]], list[str]]


def _lacking(package: str, name: str, error: ModuleNotFoundError) -> Exception:
    """Return the error for a name of a feature that was taken away; any other error unchanged."""
    from lexiframe.core.base.errors import MissingFeatureError

    part = str(error.name).split(".")[:3]
    if part[0] != "lexiframe" or part[1] == "core":
        return error
    return MissingFeatureError(
        f"{package}.{name}: this copy of lexiframe lacks a feature, {'.'.join(part[1:])}; install "
        "the whole package"
    )


LESS = "Reached all the same"
"""The title in a stub from which on groups are left out by `dir`, which completion asks."""


def completed(groups: list[Group]) -> list[Group]:
    """Return the groups whose names completion offers: the groups above the title `LESS`."""
    titles = [title for title, _, _ in groups]
    return groups[: titles.index(LESS) if LESS in titles else None]


_INSIDE = ("core", "decide", "connect", "study")
"""The parts of the package, whose faces are for its own modules."""


def face(package: str, groups: list[Group]) -> Face:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package (PEP 562).

    Functions that users reach return the kind of frame that the users work with.
    """
    is_public = not {*package.split(".")[1:2]} & {*_INSIDE}
    places = {name: place for _, _, names in groups for name, place in names.items()}
    offered = [name for _, _, names in completed(groups) for name in names]
    wrapped: dict[str, object] = {}  # beside the package, or their examples would run there too

    def load(name: str) -> object:
        from importlib import import_module

        if name in wrapped:
            return wrapped[name]
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, called = places[name].partition(":")
        try:
            found = vars(import_module(module)).get(called)
            if found is None:  # the name is that of a module, which nobody has loaded yet
                found = import_module(f"{module}.{called}")
        except ModuleNotFoundError as error:
            raise _lacking(package, name, error) from None
        if is_public and type(found).__name__ == "function":
            from lexiframe.core.base.handed_over import outward

            function: Any = found
            wrapped[name] = found = outward(function)
            found.__module__, found.__qualname__ = package, name  # pickle looks it up there
            return found
        vars(import_module(package))[name] = found
        return found

    return load, lambda: list(offered), list(places)


def door(package: str, file: str) -> Face:
    """Return the face of a room, through which other rooms import, from the stub beside it."""
    return face(package, read_stub(package, file)[1])


USERS = "For users"
"""The title of the group in a room's stub that users reach by the name of the room."""


def listed(room: Any, title: str) -> list[str]:
    """Return the names in a group of a room's stub."""
    groups = read_stub(room.__name__, room.__file__)[1]
    return [name for called, _, names in groups if called == title for name in names]


def user_names(room: Any) -> list[str]:
    """Return the names that users reach as ``lf.ROOM.NAME``."""
    return listed(room, USERS)


def described(about: str, groups: list[Group]) -> str:
    """Return the docstring of a package: of its stub, then the groups of names with their texts.

    Examples
    --------
    >>> print(described("Fruit.", [("Red", "ripe ones", {"apple": "fruit.red:apple"})]))
    Fruit.
    - Red: ripe ones
      `apple`
    <BLANKLINE>
    """
    lines = [about]
    for title, text, places in groups:
        lines += [f"- {title}: {text}", *([" "] if places else [])]
        for name in places:
            if len(lines[-1]) + len(name) > 90:
                lines.append(" ")
            lines[-1] += f" `{name}`"
    return "\n".join(lines) + "\n"
