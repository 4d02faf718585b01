"""Results that consist of several tables, and print their sentences: `JudgeComparison` ...

A new result is a subclass of `Tables`: a frozen dataclass with a field for each table, or with
their names in ``_TABLES``, where fields are other things as well. Its property ``verdict`` makes
the sentences, and ``sections`` the tables to look at, the main one first. Printing,
``summary("all")``, ``write`` and `verdict` follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

import polars as pl

from lexiframe.core.base import check_choice, printed
from lexiframe.core.io import to_parquet
from lexiframe.core.io.compared import Comparable, Compared
from lexiframe.core.io.files import output_files


def _section(title: str, table: pl.DataFrame) -> printed.Section:
    """Return a table below its title; of a long one the first and the last rows."""
    left_out = f"the first and the last {printed.MOST // 2} of {table.height:,} rows"
    notes = (left_out,) if table.height > printed.MOST else ()
    return printed.Section(title, printed.join_interval_ends(printed.ends_of(table)), notes)


@dataclass(frozen=True, repr=False, eq=False)
class Tables(Compared):
    """Tables with names, which are printed and written together.

    A subclass has a field for each table, or names its tables in ``_TABLES``. It says in
    ``verdict`` what they say, and in ``sections`` what to look at first.
    """

    _TABLES: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return cls._TABLES or tuple(field.name for field in fields(cls))

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables by name; tables that are made on demand are made now."""
        return {name: getattr(self, name) for name in self._names()}

    def _compared(self) -> Comparable:
        """Return the plain values besides the tables, and the tables."""
        names, plain = self._names(), (str, int, float, tuple, dict)
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        asked = {n: v for n, v in values.items() if n not in names and isinstance(v, plain)}
        return asked, {name: partial(getattr, self, name) for name in names}

    @classmethod
    def files(cls, folder: str | Path) -> list[Path]:
        """Return the paths of the files that ``write`` writes."""
        return [output_files.output_path(folder) / f"{name}.parquet" for name in cls._names()]

    def write(self, folder: str | Path) -> list[Path]:
        """Write each table as Parquet, all of them or none.

        Parameters
        ----------
        folder
            The folder to write to; it is made if it does not exist.

        Returns
        -------
        list of pathlib.Path
            A file for each table, with its name: those of ``files``.

        Raises
        ------
        LexiframeError
            When the folder cannot be written to.
        """
        return to_parquet.write_tables(folder, self.tables())

    @property
    def verdict(self) -> printed.Verdict:
        """The verdict of the tables: a frame with a row for each sentence, which it prints."""
        return printed.Verdict(schema={"sentence": pl.String})

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return the tables to look at first, by titles, the main one first."""
        return self.tables()

    def summary(self, which: Literal["first", "all"] = "first") -> printed.Summary:
        """Return the printed summary: the sentences, and the main table or all tables to look at.

        Parameters
        ----------
        which : {"first", "all"}
            ``first`` is what ``print`` shows: the main table, and which others there are.

        Raises
        ------
        LexiframeError
            For another ``which``.
        """
        check_choice("summary", which, ("first", "all"), "which")
        main, *others = (_section(t, table) for t, table in self.sections().items())
        frames = printed.advice(python=f"as frames: .{', .'.join(self.tables())}")
        if which == "all":
            return printed.Summary.compose(self.verdict.sentences, main, *others, more=frames)
        n = printed.counted(len(others), "more table")
        how = printed.advice(python=".summary('all')", terminal="--all")
        more = "; ".join(part for part in (f"{n}: {how}" if others else "", frames) if part)
        return printed.Summary.compose(self.verdict.sentences, main, more=more)

    def __str__(self) -> str:
        return str(self.summary())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()
