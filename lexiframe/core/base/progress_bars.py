"""Work in threads, with a progress bar on a terminal when it takes longer than two seconds."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

S = TypeVar("S")
T = TypeVar("T")


def progress(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the items; show a progress bar after two seconds if standard error is a terminal.

    Files and notebooks would keep what a terminal overwrites.
    """
    bar = _bar(total, label, iterable=items)
    yield from items if bar is None else bar


def _bar(total: int, label: str, **more: Any) -> Any:
    """Return a progress bar, or nothing if standard error is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from tqdm import tqdm

    how: dict[str, Any] = {"leave": False, "delay": 2, "mininterval": 0.5}
    return tqdm(total=total, desc=label, file=sys.stderr, **how, **more)


FEW = 10_000
"""Work on fewer rows is done before the threads for it have started."""


def in_threads(
    function: Callable[[S], T],
    items: Iterable[S],
    label: str = "",
    rows: int = FEW,
    total: int | None = None,
) -> Iterator[T]:
    """Return an iterator over the function's results, in the order of the items.

    Without a label there is no progress bar: nested work leaves it to the outer loop. ``rows``, if
    it is known, is the number of rows that all items have together: few are worth no threads.
    ``total`` is the number of items where these are made one after the other.
    """
    if total is None:
        items = [*items]
        total = len(items)
    if total == 1 or rows < FEW:
        return map(function, items)
    return _found_in_threads(function, items, label, total)


def _found_in_threads(
    function: Callable[[S], T], items: Iterable[S], label: str, total: int
) -> Iterator[T]:
    workers = min(4, (os.cpu_count() or 1) + 1)  # one more, as each waits for Python's lock
    with ThreadPoolExecutor(workers) as executor:
        results = _results_in_order(executor, function, items, 2 * workers)
        yield from progress(results, total, label) if label else results


def _results_in_order(
    executor: ThreadPoolExecutor, function: Callable[[S], T], items: Iterable[S], most: int
) -> Iterator[T]:
    """Yield the results in order; of at most so many items they are found before they are taken."""
    begun = deque[Future[T]]()
    for item in items:
        # in the caller's context, which says who reads the advice of errors
        begun.append(executor.submit(copy_context().run, function, item))
        if len(begun) >= most:
            yield begun.popleft().result()
    while begun:
        yield begun.popleft().result()


@contextmanager
def counted(total: int, label: str) -> Iterator[Callable[[int], None]]:
    """Provide a function that counts finished rows for a bar like the bar of `progress`.

    Threads may call it. The bar shows the rows of a second, and the time that is left.
    """
    bar = _bar(total, label, unit=" rows", unit_scale=True)
    if bar is None:
        yield lambda n: None
        return
    with bar:
        yield bar.update
