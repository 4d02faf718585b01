"""Why the ids of two sources have nothing in common: `likely_cause`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from types import MappingProxyType
from urllib.parse import unquote

Spelling = Callable[[str], str]


def _composed(name: str) -> str:
    """Return an id with each letter and its accent as one character."""
    from unicodedata import normalize  # its tables are loaded only where ids differ

    return normalize("NFC", name)


_LEADING_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_SPELLINGS: dict[str, Spelling] = {  # in the order in which they are tried
    "white space": str.strip,
    "quotes": lambda name: name.strip("\"'"),
    "upper and lower case": str.casefold,
    "decimal points of whole numbers": lambda name: name.removesuffix(".0"),
    "leading zeros": lambda name: _LEADING_ZEROS.sub("", name),
    "composed and decomposed letters": _composed,
    "letters as in addresses, such as %20": unquote,
    "_ for a blank": lambda name: name.replace("_", " "),
}


def likely_cause(
    ours: Iterable[str],
    theirs: Iterable[str],
    more: Mapping[str, Spelling] = MappingProxyType({}),
    *,
    is_certain: bool = True,
) -> str:
    """Return the likely reason why no id of one source is an id of the other, or an empty text.

    The reason is a difference between the ids, with an id of each source as the example. ``more``
    is ``{a possible difference: the function that removes it from an id}``; these are tried before
    the usual ones (white space, quotes, case, leading zeros ...). Ids that begin another id (d1,
    d10) are a cause only where it ``is_certain`` that there is one.

    Examples
    --------
    >>> likely_cause(["1", "2"], ["q1", "q2"])
    "a prefix ('1' and 'q1')"
    >>> likely_cause(["CACM-756"], ["CACM-0756"])
    "leading zeros ('CACM-756' and 'CACM-0756')"
    >>> likely_cause(["151"], ["151001", "152001"])
    "one begins with the other ('151' and '151001')"
    """
    ours, theirs = sorted(filter(None, set(ours))), sorted(filter(None, set(theirs)))
    spellings = {cause: (alike, alike) for cause, alike in {**more, **_SPELLINGS}.items()}
    spellings["a prefix"] = (_prefix_remover(ours), _prefix_remover(theirs))
    for cause, (spell_ours, spell_theirs) in spellings.items():
        spelled = {
            spell_theirs(name): name for name in reversed(theirs)
        }  # of equal spellings the first name stays
        for name in ours:
            if (same := spell_ours(name)) and same in spelled:
                return f"{cause} ({name!r} and {spelled[same]!r})"
    pairs = _beginnings(ours, theirs) or [(a, b) for b, a in _beginnings(theirs, ours)]
    if not pairs:
        return ""
    short, long = sorted(pairs[0], key=len)
    shown = f"({pairs[0][0]!r} and {pairs[0][1]!r})"
    if not long[len(short)].isalnum():
        return f"an ending {shown}"  # as that of a passage: d1#0
    return f"one begins with the other {shown}" if is_certain else ""


def _prefix_remover(names: list[str]) -> Spelling:
    """Return a function that removes the common prefix of sorted names, up to its last digits."""
    alike = takewhile(lambda pair: len(set(pair)) == 1, zip(*names[:1], *names[-1:], strict=False))
    prefix = "".join(pair[0] for pair in alike).rstrip("0123456789")
    return lambda name: name.removeprefix(prefix)


def _beginnings(short: list[str], long: list[str]) -> list[tuple[str, str]]:
    """Pair names with longer names that begin with them; return no pairs if most have none."""
    nearest = [bisect_left(long, name) for name in short]
    pairs = [
        (name, long[n])
        for name, n in zip(short, nearest, strict=True)
        if n < len(long) and long[n].startswith(name)
    ]
    return pairs if 2 * len(pairs) >= len(short) else []
