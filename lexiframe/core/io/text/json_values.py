"""Values in JSON."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from lexiframe.core.io.column_forms.numbers import EXACT, NumberAsWritten


class RepeatedNameError(ValueError):
    """An object of JSON has several fields of one name; ``names`` are all such names."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"two fields are named {names[0]!r}")
        self.names = names


def load_json(text: str, *, exact: bool = False, any_length: bool = False) -> Any:
    r"""Parse JSON as Python does, but raise for repeated names and unpaired surrogates.

    Of two fields of one name, Python would keep only the second. An unpaired surrogate is half a
    character, which no valid text has. With ``exact`` (slower), floats from 2^53 on become
    `NumberAsWritten`. With ``any_length`` (slower), so do whole numbers of more digits than Python
    converts; without ``exact`` they are infinite.

    Examples
    --------
    >>> load_json('{"q1": {"d1": 1, "d1": 2}}')
    Traceback (most recent call last):
    lexiframe.core.io.text.json_values.RepeatedNameError: two fields are named 'd1'
    """
    value = (OF_ANY_LENGTH if any_length else DECODERS)[exact].decode(text)
    if r"\ud" in text.lower() and (half := half_character(value)):
        raise ValueError(half)
    return value


def _unique_fields(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(fields)
    if len(record) < len(fields):
        counts = Counter(name for name, _ in fields)
        raise RepeatedNameError([name for name, n in counts.items() if n > 1])
    return record


def _exact_number(text: str) -> float | str:
    value = float(text)
    return value if abs(value) < EXACT else NumberAsWritten(text)


def _long_whole_number(text: str) -> float | str:
    """Return a whole number, or its text where Python refuses to convert so many digits."""
    try:
        return int(text)
    except ValueError:
        return NumberAsWritten(text)


def whole_or_infinite(text: str) -> float:
    """Return a whole number, or infinity where Python refuses to convert so many digits."""
    try:
        return int(text)
    except ValueError:
        return float(text)


AS_IT_IS = json.JSONDecoder(parse_float=_exact_number, parse_int=_long_whole_number)
DECODERS = {
    False: json.JSONDecoder(object_pairs_hook=_unique_fields),
    True: json.JSONDecoder(object_pairs_hook=_unique_fields, parse_float=_exact_number),  # exact
}
OF_ANY_LENGTH = {
    False: json.JSONDecoder(object_pairs_hook=_unique_fields, parse_int=whole_or_infinite),
    True: json.JSONDecoder(
        object_pairs_hook=_unique_fields, parse_float=_exact_number, parse_int=_long_whole_number
    ),
}
"""Take more time, and whole numbers of any length, of which Python converts 4,300 digits."""


def half_character(value: Any) -> str:
    """Describe the unpaired surrogate in a value; return an empty text if there is none."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return f"{error.object[error.start]!r}: surrogates not allowed"
    return ""
