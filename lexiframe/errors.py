"""The errors and the warning that lexiframe raises about data."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class LexiframeError(ValueError):
    """Bad data: the message says where, what was expected, what was found and what to do.

    It is one line, whatever stands in the data: line breaks and control characters are escaped.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(message))


class ReadError(LexiframeError):
    """A file that cannot be read, or a line in it that is malformed."""


class SchemaError(LexiframeError):
    """A frame that lacks a column, or whose rows break the rules of its table."""


class UnknownNameError(LexiframeError):
    """A measure, run or option by a name that does not exist."""


class LexiframeWarning(UserWarning):
    """Something was dropped, filled or ignored; the message counts it."""


def printable(text: str) -> str:
    r"""Escape what breaks a line or steers a terminal.

    Examples
    --------
    >>> print(printable("doc\nid of café"))
    doc\nid of café
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def unknown_name(
    kind: str, name: str, known: Iterable[str], *, near: Sequence[str] = (), advice: str = ""
) -> UnknownNameError:
    """Build the error for a name that does not exist, with its near matches.

    Parameters
    ----------
    kind, name
        What does not exist.
    known
        The names that do.
    near
        Which part of the name to look for instead of the whole, and names that may be meant besides
        the known ones.
    advice
        What to say behind.

    Examples
    --------
    >>> unknown_name("measure", "nDGC@5", ["AP", "nDCG"], near=["nDGC"])
    UnknownNameError("unknown measure 'nDGC@5'; did you mean nDCG? Known: AP, nDCG")
    """
    known = list(known)
    sought, *others = [*near] or [name]
    by_fold = {candidate.casefold(): candidate for candidate in [*others, *known]}
    folds = difflib.get_close_matches(sought.casefold(), by_fold, n=3)
    hint = f"; did you mean {' or '.join(by_fold[f] for f in folds)}?" if folds else "."
    return UnknownNameError(f"unknown {kind} {name!r}{hint} Known: {', '.join(known)}{advice}")


def in_one_line(error: object) -> str:
    r"""Give the message of another library's error as part of one of ours.

    Examples
    --------
    >>> in_one_line(OSError("Invalid data\n"))
    'Invalid data'
    """
    return " ".join(str(error).split())


def first_three(values: Iterable[object]) -> str:
    """Show how many values there are and the first three of them.

    Examples
    --------
    >>> first_three(["q1", "q2", "q3", "q4"])
    "4 ('q1', 'q2', 'q3', ...)"
    """
    values = list(values)
    shown = ", ".join(repr(value) for value in values[:3])
    return f"{len(values)} ({shown}{', ...' if len(values) > 3 else ''})"
