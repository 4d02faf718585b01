"""Results that consist of several tables: `JudgeComparison` and `HoleSensitivity`."""

from __future__ import annotations

import html
from dataclasses import dataclass, fields
from pathlib import Path

import polars as pl

from lexiframe.base import escaped
from lexiframe.io import to_parquet


@dataclass(frozen=True, repr=False, eq=False)
class Tables:
    """Tables with names, which are printed and written together.

    A subclass has a field for each table, and says in ``sections`` what to look at first.
    """

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def files(cls, folder: str | Path) -> list[Path]:
        """Return the paths of the files that ``write`` writes."""
        return [Path(folder, f"{field.name}.parquet") for field in fields(cls)]

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

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first: tables by titles."""
        return self.tables()

    def __str__(self) -> str:
        parts = self.sections().items()
        return "\n\n".join(f"{escaped(title)}\n{table}" for title, table in parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [(html.escape(escaped(title)), t) for title, t in self.sections().items()]
        return "\n".join(f"<h3>{title}</h3>\n{table._repr_html_()}" for title, table in parts)
