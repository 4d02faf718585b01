def _read_stub() -> tuple[str, list[tuple[str, str, dict[str, str]]]]:
    """Return the docstring and the groups of `__init__.pyi`, the only list of public names.

    A group has a title, a line of text, and for each of its names the module that has it.
    """
    path = f"{__file__.removesuffix('c')}i"
    with open(path, encoding="utf-8") as stub:  # noqa: PTH123 - without pathlib, which takes time
        # 0x400 asks for the tree alone; importing ast would take longer than this whole module.
        about, *body = compile(stub.read(), path, "exec", 0x400).body
    groups: list[tuple[str, str, dict[str, str]]] = []
    for node in body:
        if hasattr(node, "names"):
            module = f"{__name__}.{node.module}" if node.module else __name__
            groups[-1][2].update((alias.name, module) for alias in node.names)
        else:
            title, _, text = node.value.value.partition(": ")
            groups.append((title, text, {}))
    return about.value.value, groups


def _described() -> str:
    """Return what ``help(lexiframe)`` shows first: the groups of names, each with its text."""
    lines = [_ABOUT]
    for title, text, places in _GROUPS:
        lines += [f"- {title}: {text}", " "]
        for name in places:
            if len(lines[-1]) + len(name) > 90:
                lines.append(" ")
            lines[-1] += f" `{name}`"
    return "\n".join(lines) + "\n"


_ABOUT, _GROUPS = _read_stub()
_PLACES = {name: module for _, _, places in _GROUPS for name, module in places.items()}
__all__ = list(_PLACES)
__doc__ = _described()


def __getattr__(name: str) -> object:
    """Load a public name from its module when it is first used (PEP 562)."""
    from importlib import import_module

    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _PLACES[name]
    found = vars(import_module(module)).get(name)
    if found is None:  # the name is that of a module, which nobody has loaded yet
        found = import_module(f"{module}.{name}")
    return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted(__all__)
