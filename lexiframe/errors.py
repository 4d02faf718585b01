"""The errors and the warning that lexiframe raises about data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

MANY = 100
"""How many known names an error lists."""


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
    meant = nearest([*others, *known], [sought])[:3]
    hint = f"; did you mean {' or '.join(meant)}?" if meant else "."
    shown = ", ".join(known[:MANY]) + (f", ... ({len(known)} in all)" if len(known) > MANY else "")
    return UnknownNameError(f"unknown {kind} {name!r}{hint} Known: {shown}{advice}")


def nearest(names: Iterable[str], words: Iterable[str], *, cutoff: float = 0.6) -> list[str]:
    """Give the names that some words may mean: those spelled alike, then those with a word inside.

    Parameters
    ----------
    names
        What may be meant.
    words
        What was written, or what it may be called.
    cutoff
        How much of the letters of two names that are spelled alike is the same, from 0 to 1.

    Examples
    --------
    >>> nearest(["title", "my_score", "Scores"], ["score", "sim"])
    ['Scores', 'my_score']
    """
    by_fold = {name.casefold(): name for name in names}
    folds = [word.casefold() for word in words]
    alike = [f for word in folds for f in get_close_matches(word, by_fold, n=3, cutoff=cutoff)]
    inside = [fold for fold in by_fold if any(word in fold for word in folds if len(word) > 2)]
    return [by_fold[fold] for fold in dict.fromkeys([*alike, *inside])]


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
