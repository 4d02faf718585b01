"""Files of JSON that are kept from one call to a later one, with a checksum of their contents.

The checksum is that of the contents and not of the bytes: it still holds when a tool has indented
the file, or has ended its lines in another way. Whatever else was changed is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from lexiframe.core.base import Problem, ReadError, errors
from lexiframe.core.io.files.data_sources import File
from lexiframe.core.io.text.json_values import load_json

CHECKSUM = "checksum"
"""The field with the sha256 of all other fields, which contents may not have themselves."""


class DamagedError(ValueError):
    """The contents of a file do not match the checksum in it."""


def text_with_checksum(contents: Mapping[str, Any], indent: int | None = None) -> str:
    """Return contents as JSON with their checksum, which `contents_of` verifies."""
    plain = json.loads(json.dumps(contents))  # as they will be read: without tuples, say
    return json.dumps({CHECKSUM: _checksum(plain), **plain}, indent=indent) + "\n"


def contents_of(text: str) -> dict[str, Any]:
    """Return the contents of JSON that `text_with_checksum` made."""
    try:
        found = load_json(text)
        if not isinstance(found, dict) or CHECKSUM not in found:
            raise ValueError("it has no checksum, as those of version 1")
        checksum = found.pop(CHECKSUM)
        if checksum != _checksum(found):
            raise DamagedError("its contents do not match the checksum in it")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return found


def _checksum(contents: Mapping[str, Any]) -> str:
    text = json.dumps(contents, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class KeptJson:
    """A kind of kept file: its name, version and fields, and the way to get a new one.

    ``again`` is the advice at the end of each error. ``version`` is one of the fields in the file.
    """

    what: str
    version: int
    fields: tuple[str, ...]
    again: str

    def write(self, path: Path, contents: Mapping[str, Any]) -> None:
        """Write contents whole or not at all; after an error the earlier file is still there."""
        from lexiframe.core.io.files.output_files import replacing

        text = text_with_checksum({"version": self.version, **contents}, indent=1)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def read(self, path: Path) -> dict[str, Any]:
        """Return the contents, whose fields are exactly the expected ones."""
        try:
            contents = contents_of(File(str(path)).read().decode("utf-8"))
        except DamagedError as error:
            found = f"is damaged or was edited: {error}"
            raise ReadError(Problem(str(path), "", found, self.again)) from None
        except ValueError as error:
            raise self.other(path, f"another file ({errors.one_line(error)})") from None
        if (version := contents.pop("version", None)) != self.version:
            raise self.other(
                path, f"version {errors.shown(version)}", f" of version {self.version}"
            )
        if {*contents} != {*self.fields}:
            raise self.other(path, f"the fields {', '.join(contents) or 'of none'}")
        return contents

    def other(self, path: Path, found: str, more: str = "") -> ReadError:
        """Build the error for a file with something else in it than was expected."""
        return ReadError(Problem(str(path), f"{self.what}{more}", found, self.again))


def is_number(value: Any) -> bool:
    """Return whether a value of JSON is a finite number, which true and false are not."""
    try:
        is_real = isinstance(value, int | float) and not isinstance(value, bool)
        return is_real and math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False
