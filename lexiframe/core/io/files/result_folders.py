"""Folders of tables that replace the earlier tables as a whole, even if a process is stopped.

New tables are written to ``.new`` in the folder, and last a list of them, which says that they are
whole. Who finds the list, a writer or a reader, gives them their places; without it they go.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_NEW, _LIST = ".new", "complete.json"
_TABLE = re.compile(r"(collections/(?!\.)[^/\\]+/)?(\w+/)?[\w-]+\.parquet")
"""A table, or a part of one in a folder of its own; perhaps of a collection, in that of it."""


@dataclass(frozen=True)
class NewTables:
    """Tables that are written to a folder together: their files, and the files they replace."""

    folder: Path
    names: Sequence[str]
    earlier: Sequence[Path] = ()

    @contextmanager
    def made(self) -> Iterator[Path]:
        """Lock the folder, and provide the one for new files."""
        from lexiframe.core.io.files.output_files import alone_in

        new = self.folder / _NEW
        with alone_in(self.folder):
            _settle(self.folder)
            new.mkdir()
            try:
                yield new
            finally:
                shutil.rmtree(new, ignore_errors=True)

    @contextmanager
    def declared(self) -> Iterator[None]:
        """Say that the new files are whole while they are renamed; then remove earlier ones."""
        from lexiframe.core.io.files import kept_json
        from lexiframe.core.io.files.output_files import wait_for_disk

        path = self.folder / _NEW / _LIST
        earlier = [one.relative_to(self.folder).as_posix() for one in self.earlier]
        told = {"names": [*self.names], "earlier": earlier}
        try:
            path.write_text(kept_json.text_with_checksum(told), encoding="utf-8")
            wait_for_disk(path)
            yield
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        _settle(self.folder)


@contextmanager
def tables_in(folder: Path) -> Iterator[dict[str, Path]]:
    """Yield where the tables in a folder are, by name, while no other process replaces them.

    Where nothing can be written, whole new tables are read in the place where they were written.
    """
    from lexiframe.core.io.files.output_files import alone_in

    with alone_in(folder) as is_locked:
        if is_locked:
            _settle(folder)
        told = _told(folder)
        places = (folder, folder / _NEW) if told else (folder,)
        paths = [path for place in places for path in place.glob("*.parquet") if path.is_file()]
        yield {path.stem: path for path in paths if path.name not in told.get("earlier", ())}


def _settle(folder: Path) -> None:
    """Give new tables that are whole their places, as the process that wrote them would have."""
    told, new = _told(folder), folder / _NEW
    for name in told.get("names", ()):
        if (new / name).is_file():
            (new / name).replace(folder / name)
    for name in told.get("earlier", ()):
        (folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # other files stay, and their folder with them
            (folder / name).parent.rmdir()
    shutil.rmtree(new, ignore_errors=True)


def _told(folder: Path) -> Mapping[str, Iterable[str]]:
    """Return the list of new tables; empty unless it is whole and all its tables are there.

    A folder may come from elsewhere and its list may be edited: files outside it are not touched.
    """
    from lexiframe.core.io.files import kept_json

    path = folder / _NEW / _LIST
    with suppress(OSError, ValueError, KeyError, TypeError):
        if path.is_file() and not path.parent.is_symlink():
            told = kept_json.contents_of(path.read_text(encoding="utf-8"))
            given = [*told["names"], *told["earlier"]]
            between = {folder / p for name in given for p in Path(name).parents if p.name}
            elsewhere = any(path.is_symlink() for path in between)
            if not elsewhere and all(_TABLE.fullmatch(name) for name in given):
                return told
    return {}
