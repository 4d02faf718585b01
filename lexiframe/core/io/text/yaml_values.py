"""Values in YAML, of ir_metadata and of the settings that other tools write."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from types import ModuleType
from typing import Any

from lexiframe.core.base import ReadError, errors
from lexiframe.core.io.text.json_values import half_character

_INT64 = range(-(2**63), 2**63)


def load_yaml(
    yaml: ModuleType, text: str, where: str, what: str, of: str, advice: str, *, repeated: int = 0
) -> Any:
    r"""Return the value that YAML holds, in types of JSON: dates become text in ISO 8601.

    Errors name ``what`` is wrong, the whole it is a part ``of``, and the ``advice``. References
    (``*name``) can expand a few lines to more than memory holds: the number of values is limited,
    names may not be repeated.
    """
    not_yaml = (yaml, f"{where}: {what}", of, advice)
    sizes: dict[int, float] = {}
    with _reading(*not_yaml):
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        n_repeated = _size(node, sizes) - len(sizes)
    if n_repeated > repeated:
        limit = f" where it stands for itself or for more than {repeated:,} values" * (repeated > 0)
        raise ReadError(
            f"{where}: {what} have a reference (*name), which is not read{limit}; "
            "write out what it stands for"
        )
    with _reading(*not_yaml):
        twice = next(_repeated_fields(node, loader), None)
        value = None if node is None else json_value(loader.construct_document(node))
        half = half_character(value)
    if twice is not None:
        raise ReadError(
            f"{where}: {what} have two fields that are called {twice!r} in one place; "
            "rename one, or write a list: each item begins with '- '"
        )
    if half:
        raise ReadError(f"{where}: {what}{of} are not YAML ({half}); {advice}")
    return value


@contextmanager
def _reading(yaml: ModuleType, what: str, of: str, advice: str) -> Iterator[None]:
    """Raise ReadError for the errors of PyYAML, and for conversion errors that it lets through."""
    try:
        yield
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise ReadError(f"{what}{of} are not YAML ({errors.one_line(error)}); {advice}") from None
    except RecursionError:
        raise ReadError(f"{what} are nested too deeply to be read") from None


def _parts(node: Any) -> list[Any]:
    """Return the items of a list in YAML, or the names and values of fields."""
    inside = node.value if hasattr(node, "flow_style") else []
    return [part for one in inside for part in (one if isinstance(one, tuple) else [one])]


def _size(node: Any, sizes: dict[int, float]) -> float:
    """Return how many values there are with references written out: no end of them in a circle."""
    if id(node) not in sizes:
        sizes[id(node)] = math.inf
        sizes[id(node)] = 1.0 + sum(_size(part, sizes) for part in _parts(node))
    return sizes[id(node)]


def _repeated_fields(node: Any, loader: Any) -> Iterator[str]:
    """Yield the names of repeated fields of a mapping, in a node of YAML and below it."""
    inside = node.value if hasattr(node, "flow_style") else []
    keys = [part[0] for part in inside if isinstance(part, tuple)]
    # Fields that are merged (<<) may be given again, beside it.
    names = [
        "<<" if key.tag.endswith(":merge") else yaml_text(loader.construct_object(key, deep=True))
        for key in keys
    ]
    yield from (name for name, n in Counter(names).items() if n > 1)
    for part in _parts(node):
        yield from _repeated_fields(part, loader)


def json_value(value: Any) -> Any:
    """Convert to types of JSON: names, dates, huge integers and bytes (base64) to text."""
    if isinstance(value, Mapping):
        return {yaml_text(key): json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [json_value(inner) for inner in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value) if isinstance(value, int) and value not in _INT64 else value


def yaml_text(value: Any) -> str:
    """Write a value as YAML does."""
    if isinstance(value, bool | None):
        return {True: "true", False: "false", None: ""}[value]
    return value.isoformat() if isinstance(value, date) else str(value)
