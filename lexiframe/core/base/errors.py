"""The errors and the warning that lexiframe raises about data, and how their messages are built."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

MANY = 12
"""The most known names that a message lists; more are not listed behind a suggestion."""
_SHOWN = 80
"""The number of characters up to which a value is shown whole in an error message."""

LONGEST = 4000
"""The number of characters of a message that are shown: an id may be as long as a file."""


@dataclass(frozen=True)
class Problem:
    """One problem of a file; ``str`` builds its error message.

    ``expected`` is empty when ``found`` says it all. ``problem`` is the kind of the problem, as
    `check_run` lists it. ``at`` is the place in a file that has no lines: ``"record 3"``.
    ``behind`` is text that follows what was found. ``order`` sorts the problems of a file; it is
    None for a problem of the file as a whole. ``joints`` are the text between ``expected`` and
    ``found``, and the text before the advice. ``is_first`` says whether this is known to be the
    file's first problem; the advice then counts the others.

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
    """Bad data, arguments or paths: the message says what was expected and found, and what to do.

    The message is always one line: line breaks and control characters in the data are escaped.
    ``problem`` is the ``Problem`` from which the message was built, else None.
    """

    __module__ = "lexiframe"  # the name by which users catch it

    def __init__(self, message: str | Problem = "") -> None:
        super().__init__(printable(str(message)))
        self.problem = message if isinstance(message, Problem) else None


class MissingFeatureError(LexiframeError, AttributeError):
    """A name of a feature that was taken away from this copy of the package."""


class ReadError(LexiframeError):
    """A file cannot be read, or one of its lines is malformed."""

    __module__ = "lexiframe"  # the name by which users catch it


class SchemaError(LexiframeError):
    """A frame lacks a column, or its rows break the rules of its table."""

    __module__ = "lexiframe"  # the name by which users catch it


class UnknownNameError(LexiframeError):
    """No measure, run, query, attribute or model parameter has this name."""

    __module__ = "lexiframe"  # the name by which users catch it


class WrongTypeError(LexiframeError, TypeError):
    """An argument of a type that it cannot have; it is a TypeError as well."""


class LexiframeWarning(UserWarning):
    """Some data were dropped, filled or ignored; the message counts them."""

    __module__ = "lexiframe"  # the name by which users catch it


_BETWEEN = {"lexiframe", "polars", "pandas", "contextlib"}
"""Libraries whose calls may lie between a warning and the user's code (``DataFrame.pipe``)."""


def warn(message: str) -> None:
    """Warn that data were dropped, filled or ignored; the warning points at the user's code.

    It names the line of the nearest caller outside lexiframe, Polars and pandas. Worker threads
    must not call this function, because the user's code is not among their callers: they return
    what they find, and the thread of the user's call warns.
    """
    frame, level = inspect.currentframe(), 1
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(printable(message), LexiframeWarning, stacklevel=level)


def warn_again(caught: warnings.WarningMessage, about: str) -> None:
    """Repeat a caught warning: about data with words in front, any other unchanged."""
    if issubclass(caught.category, LexiframeWarning):
        warn(f"{about}{caught.message}")
    else:
        warnings.warn_explicit(caught.message, caught.category, caught.filename, caught.lineno)


def printable(text: str) -> str:
    r"""Escape characters that break a line or control a terminal; shorten a very long text."""
    if len(text) > LONGEST:
        half = LONGEST // 2
        text = f"{text[:half]}... ({len(text):,} characters) ...{text[-half:]}"
    return escaped(text)


def escaped(text: str) -> str:
    r"""Escape characters that break a line or control a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def unknown_name(
    kind: str,
    name: str,
    known: Iterable[str],
    *,
    near: Sequence[str] = (),
    advice: str = "",
    suggested: Callable[[str], str | None] = str,
) -> UnknownNameError:
    """Build the error for a name that does not exist, with the known names most like it.

    ``near[0]``, if given, is compared with the known names instead of ``name``; ``near[1:]`` are
    further names that may be suggested. ``suggested`` writes a known name as it is suggested, or
    returns None if it does not fit. ``advice`` ends the message. Known names are listed if there
    are few, or if none is alike.

    Examples
    --------
    >>> unknown_name("measure", "nDGC@5", ["AP", "nDCG"], near=["nDGC"])
    UnknownNameError("unknown measure 'nDGC@5'; did you mean nDCG? Known: AP, nDCG")
    """
    known = list(known)
    sought, *others = map(str, [*near] or [name])
    written = map(suggested, nearest([*others, *known], [sought])[:3])
    alike = [*dict.fromkeys(one for one in written if one is not None)]
    hint = f"; did you mean {' or '.join(alike)}?" if alike else "."
    listed = ", ".join(known[:MANY])
    listed += f", ... ({len(known)} in all)" if len(known) > MANY else ""
    said = f" Known: {listed}"
    if alike and len(known) > MANY:
        said, advice = "", advice and f" {advice[2:3].upper()}{advice[3:]}"
    return UnknownNameError(f"unknown {kind} {name!r}{hint}{said}{advice}")


def check_choice(where: str, value: object, choices: Iterable[object], name: str = "") -> None:
    """Raise when an argument has a value that is not among its choices.

    ``where`` names the function and ``name`` its argument; without ``name``, ``where`` is the
    argument, one that several functions have.
    """
    known = list(choices)
    if not isinstance(value, str | int | float | None) or value not in known:
        argument = f"{name} to be " if name else ""
        listed = ", ".join(map(repr, known))
        raise LexiframeError(f"{where}: expected {argument}one of {listed}, found {shown(value)}")


def nearest(names: Iterable[str], words: Iterable[str], *, cutoff: float = 0.6) -> list[str]:
    """Return the names likely for some words: similar spellings, then names that contain a word.

    ``cutoff`` is the least similarity of spelling, from 0 to 1 (equal), as `difflib` measures it.

    Examples
    --------
    >>> nearest(["title", "my_score", "Scores"], ["score", "sim"])
    ['Scores', 'my_score']
    """
    by_fold = {name.casefold(): name for name in names}
    folds = [word.casefold() for word in words]
    alike = [fold for word in folds for fold in _alike(word, by_fold, cutoff)]
    inside = [fold for fold in by_fold if any(word in fold for word in folds if len(word) > 2)]
    return [by_fold[fold] for fold in dict.fromkeys([*alike, *inside])]


def _alike(word: str, names: Iterable[str], cutoff: float) -> list[str]:
    """Return the three names that are spelled most like a word.

    First come names that differ in signs alone (run-2), then names whose numbers have more or fewer
    leading zeros (run02). Among equally similar names, equal numbers come first: a wrong letter is
    a likelier slip than another digit of the number of a run.
    """
    from difflib import SequenceMatcher, get_close_matches

    names = list(names)
    plain, numbers = _parts(word)
    same = [name for name in names if _parts(name)[0] == plain] if plain else []

    def order(name: str) -> tuple[object, ...]:
        theirs = _parts(name)
        ratio = SequenceMatcher(None, name, word).ratio()
        differs = theirs[0] != plain
        exact = "".join(filter(str.isalnum, name)) == "".join(filter(str.isalnum, word))
        return differs, not exact, -ratio, theirs[1] != numbers, abs(len(name) - len(word)), name

    alike = get_close_matches(word, names, n=_TIED, cutoff=cutoff)
    return sorted({*same[:_TIED], *alike}, key=order)[:3]


_TIED = 50  # names that may be equally like a word


def _parts(name: str) -> tuple[str, list[str]]:
    """Return a name without signs and leading zeros, and the numbers in it."""
    numbers = re.findall(r"[0-9]+", name)
    text = re.sub(r"[0-9]+", lambda match: f" {match[0].lstrip('0') or '0'} ", name)
    words = re.sub(r"[^\w ]|_", "", text).split()
    return " ".join(words), [n.lstrip("0") for n in numbers]


def one_line(error: object) -> str:
    r"""Return the message of another library's error as one line, to quote it."""
    return " ".join(str(error).split())


def shown(value: object) -> str:
    """Return a value for an error message: a long one without its middle."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:40]}...{text[-20:]} ({len(text)} characters)"


def n_and_first(values: Iterable[object], n: int | None = None) -> str:
    """Return the number of values and the first three of them, as text.

    ``n`` is their number if only the first are given.

    Examples
    --------
    >>> n_and_first(["q1", "q2", "q3", "q4"])
    "4 ('q1', 'q2', 'q3', ...)"
    """
    values = list(values)
    listed = ", ".join(repr(value) for value in values[:3])
    n = len(values) if n is None else n
    return f"{n} ({listed}{', ...' if n > 3 else ''})"
