"""Progress on standard error, for what takes longer than two seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Pass the items on; show a bar once two seconds have gone by.

    Examples
    --------
    >>> list(progress([1, 2], total=2, label="adding"))
    [1, 2]
    """
    from tqdm import tqdm

    yield from tqdm(items, label, total, leave=False, file=sys.stderr, delay=2, mininterval=0.5)
