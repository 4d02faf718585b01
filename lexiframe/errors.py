"""The errors and the warning that lexiframe raises about data."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MANY = 100
"""How many known names an error lists."""
_SHOWN = 80
"""So many characters of a value an error shows."""

LONGEST = 4000
"""How many characters of a message are shown: ids and names may be as long as a file."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a file or a place in it; as text the message of an error.

    Attributes
    ----------
    file
        What error messages call it.
    expected, found, advice
        What should be there (empty when ``found`` is all there is to say), what is, what to do.
    problem
        Its kind, as `check_run` lists it.
    line
        Where it is, in a file that has lines.
    at
        Where it is otherwise: ``"record 3"``.
    behind
        What is to be said behind what was found and where.
    order
        Sorts the problems of a file; null when the file as a whole is meant.
    joints
        What stands before what was found, and before the advice.
    is_first
        Whether it is known to be the first problem of its file; its advice counts the others then.

    Examples
    --------
    >>> str(Problem("a.run", "a number", "'x'", "mend it", line=3))
    "a.run, line 3: expected a number, found 'x'; mend it"
    """

    file: str
    expected: str
    found: str
    advice: str = ""
    problem: str = "file"
    line: int | None = None
    at: str = ""
    behind: str = ""
    order: int | None = None
    joints: tuple[str, str] = (", found ", "; ")
    is_first: bool = False

    def __str__(self) -> str:
        place = self.at or (f"line {self.line}" if self.line is not None else "")
        expected = f"expected {self.expected}{self.joints[0]}" if self.expected else ""
        advice = f"{self.joints[1]}{self.advice}" if self.advice else ""
        where = f"{self.file}, {place}" if place else self.file
        return f"{where}: {expected}{self.found}{self.behind}{advice}"


class LexiframeError(ValueError):
    """Bad data: the message says where, what was expected, what was found and what to do.

    It is one line, whatever stands in the data: line breaks and control characters are escaped.
    ``problem`` holds the parts of a message about a file.
    """

    def __init__(self, message: str | Problem = "") -> None:
        super().__init__(printable(str(message)))
        self.problem = message if isinstance(message, Problem) else None


class ReadError(LexiframeError):
    """A file that cannot be read, or a line in it that is malformed."""


class SchemaError(LexiframeError):
    """A frame that lacks a column, or whose rows break the rules of its table."""


class UnknownNameError(LexiframeError):
    """A measure, run or option by a name that does not exist."""


class LexiframeWarning(UserWarning):
    """Something was dropped, filled or ignored; the message counts it."""


_BETWEEN = {"lexiframe", "polars", "pandas"}
"""The libraries whose code may stand between a warning and the user's: the last two by ``pipe``."""


def warn(message: str) -> None:
    """Warn that something was dropped, filled or ignored; the warning points at the user's line.

    That is the nearest caller that is no module of this package. It has to be called in the thread
    of the user's call: what threads find, they return.
    """
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(printable(message), LexiframeWarning, stacklevel=level)


def printable(text: str) -> str:
    r"""Escape what breaks a line or steers a terminal; cut what is very long in the middle.

    Examples
    --------
    >>> print(printable("doc\nid of café"))
    doc\nid of café
    >>> len(printable("x" * 1_000_000))
    4030
    """
    if len(text) > LONGEST:
        half = LONGEST // 2
        text = f"{text[:half]}... ({len(text):,} characters) ...{text[-half:]}"
    return escaped(text)


def escaped(text: str) -> str:
    r"""Escape what breaks a line or steers a terminal.

    Examples
    --------
    >>> print(escaped("a\x1b[2Jb"))
    a\x1b[2Jb
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


def check_choice(where: str, value: object, choices: Iterable[object], name: str = "") -> None:
    """Raise when a value is none of those that an argument can have.

    Parameters
    ----------
    where
        The function that has the argument, or the argument where several functions have it.
    value, choices
        The value found, and those that are known.
    name
        The argument, when ``where`` is a function.

    Examples
    --------
    >>> check_choice("compare", "each", ["measure", "all"], "family")
    Traceback (most recent call last):
    lexiframe.errors.LexiframeError: compare: expected family to be one of 'measure', ...
    """
    known = list(choices)
    if value not in known:
        argument = f"{name} to be " if name else ""
        listed = ", ".join(map(repr, known))
        raise LexiframeError(f"{where}: expected {argument}one of {listed}, found {shown(value)}")


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
    from difflib import get_close_matches

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


def shown(value: object) -> str:
    """Show a value in an error message, a long one without its middle.

    Examples
    --------
    >>> shown([0.5]), shown("x" * 400)
    ('[0.5]', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxx' (402 characters)")
    """
    try:
        text = repr(value)
    except ValueError:  # Python does not write so long a number
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:40]}...{text[-20:]} ({len(text)} characters)"


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
