"""Folders of tables that replace those before as a whole, whenever a process is stopped.

New tables are written to ``.new`` in the folder, and last a list of them, which says that they are
whole. Who finds the list, a writer or a reader, gives them their places; without it they go.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lexiframe.io.files import kept_json
from lexiframe.io.files.output_files import alone_in

_NEW, _LIST = ".new", "complete.json"
_ENDING = ".parquet"


@dataclass(frozen=True)
class NewTables:
    """Tables that are written to a folder together: their files, and those that go then."""

    folder: Path
    names: Sequence[str]
    earlier: Sequence[Path] = ()

    @contextmanager
    def made(self) -> Iterator[Path]:
        """Lock the folder, and provide the one for new files."""
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
        path = self.folder / _NEW / _LIST
        told = {
            "names": [*self.names],
            "earlier": [one.relative_to(self.folder).as_posix() for one in self.earlier],
        }
        try:
            with path.open("w", encoding="utf-8") as file:
                file.write(kept_json.text_with_checksum(told))
                file.flush()
                os.fsync(file.fileno())
            yield
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        _settle(self.folder)


@contextmanager
def tables_in(folder: Path) -> Iterator[dict[str, Path]]:
    """Yield where the tables in a folder are, by name, while no other process replaces them.

    Where nothing can be written, new ones that are whole are read where they are.
    """
    with alone_in(folder) as is_locked:
        if is_locked:
            _settle(folder)
        told = _told(folder)
        places = (folder, folder / _NEW) if told else (folder,)
        paths = [path for place in places for path in place.glob(f"*{_ENDING}") if path.is_file()]
        yield {path.stem: path for path in paths if path.name not in told.get("earlier", ())}


def _settle(folder: Path) -> None:
    """Give new tables that are whole their places, as the process that wrote them would have."""
    told, new = _told(folder), folder / _NEW
    for name in told.get("names", ()):
        if (new / name).is_file():
            (new / name).replace(folder / name)
    for name in told.get("earlier", ()):
        (folder / name).unlink(missing_ok=True)
        if Path(name).parent.name:
            with suppress(OSError):  # other files stay, and their folder with them
                (folder / name).parent.rmdir()
    shutil.rmtree(new, ignore_errors=True)


def _told(folder: Path) -> Mapping[str, Iterable[str]]:
    """Return what the list of new tables says; nothing unless it is whole, and names tables there.

    Folders are handed over, and the list may have been edited: what is elsewhere is not touched.
    """
    path = folder / _NEW / _LIST
    try:
        if path.parent.is_symlink() or not path.is_file():
            return {}
        told = kept_json.contents_of(path.read_text(encoding="utf-8"))
        names, earlier = ([*map(Path, told[which])] for which in ("names", "earlier"))
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    plain = {path.name for path in names} == {*told["names"]} and all(
        path.name == str(path) or (path.parent.name == str(path.parent) != "..") for path in earlier
    )
    linked = any((folder / path).parent.is_symlink() for path in earlier if path.parent.name)
    tables = all(path.suffix == _ENDING for path in (*names, *earlier))
    return told if plain and tables and not linked else {}
