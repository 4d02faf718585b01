"""Results that are equal where their tables are, and the table of how two of them differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError

Comparable = tuple[Mapping[str, Any], Mapping[str, Callable[[], Any]]]
"""What was asked of a result; and its tables by name, as functions that make them."""


class Compared:
    """A result that equals another of its type if they were asked the same, and tables are equal.

    As with frames there is no hash, because equal results would need equal ones.
    """

    __hash__ = None  # type: ignore[assignment]

    def _compared(self) -> Comparable:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Compared) or other.__class__ is not type(self):
            return NotImplemented
        from lexiframe.core.io import differing_cells

        if other is self:
            return True
        cells = differing_cells.by_table(self._compared(), other._compared(), 0.0)
        return next(cells, None) is None

    def differences(self, other: Any, *, tolerance: float = 0.0) -> pl.DataFrame:
        """Return the tables, rows and columns in which another result differs, and by how much.

        Two results are equal (``==``) if there are none: the files do not count from which they
        were computed, nor whether frames are of Polars or pandas. Results have no hash.

        Parameters
        ----------
        other
            Another result of the same type.
        tolerance
            Numbers that differ by at most this much count as equal.

        Returns
        -------
        polars.DataFrame
            A row for each cell that differs, in the order of the tables: its ``table``, or
            ``asked`` for measures and options; its ``row``, by the names in it (``run=bm25,
            measure=AP``); its ``column``; ``value`` here and in the ``other``, as text; and
            ``difference``, other − value, null unless both are numbers. A row that only one has is
            a row without ``column``, a column that only one has one without ``row``, and a table
            one without both.

        Raises
        ------
        LexiframeError
            For a result of another type, and for a tolerance below 0.
        ReadError
            When a table is to be computed now, and a file has changed since the evaluation.

        Examples
        --------
        >>> import lexiframe as lf, polars as pl
        >>> folder = lf.bundled("example")
        >>> e, again, short = (lf.evaluate(folder / "runs", folder / "qrels.txt", "P@10", depth=k)
        ...                    for k in (10, 10, 5))
        >>> e == again, e == short
        (True, False)
        >>> found = e.differences(short)
        >>> found.filter(table="asked").select("row", "value", "other").rows()
        [('option=policies.depth', '10', '5')]
        >>> found.filter(column="mean").select("row", pl.col("difference").round(2)).row(0)
        ('run=pixels_euclidean, measure=P@10', -0.44)
        """
        if other.__class__ is not type(self):  # `type` would say that it has frames of pandas
            raise LexiframeError(
                f"differences: expected another {type(self).__name__}, found a "
                f"{other.__class__.__name__}; compare results of one type"
            )
        if not tolerance >= 0:
            raise LexiframeError(f"differences: expected a tolerance from 0, found {tolerance!r}")
        from lexiframe.core.io import differing_cells

        cells = differing_cells.by_table(self._compared(), other._compared(), tolerance)
        return pl.concat([differing_cells.NONE, *cells])
