"""The colours of charts, and the shapes of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000 #882255".split()
"""Colours that colour-blind people can tell apart, those that print best first.

Seven of Okabe & Ito; for their yellow, which cannot be seen on white, the wine red of Tol.
"""
BLACK = "#000000"
"""One of them, which a mean has alone where the lines that it is of are beside it."""
GREY = "#767676"
"""What is not in the foreground; on white it has a contrast of 4.5."""
SHARES: dict[str, Any] = {"scheme": "blues", "domain": [0, 1]}
"""The scale of a quantity from none to all: darker is more."""
SIDES: dict[str, Any] = {"scheme": "blueorange", "domain": [-1, 1], "reverse": True}
"""The scale of a quantity with a middle: blue is above it, orange below."""


def cycled(kinds: Sequence[Any], n: int, *, skip: bool = False) -> list[Any]:
    """Return n kinds by repeating them in turn; with ``skip``, each repetition begins one later."""
    return [kinds[(i + skip * (i // len(kinds))) % len(kinds)] for i in range(n)]
