"""Where the data that come with the library are."""

from __future__ import annotations

from pathlib import Path

from lexiframe.errors import LexiframeError


def bundled(name: str = "digits") -> Path:
    """Give the folder of a bundled collection: ``qrels`` file and ``runs`` folder inside.

    Parameters
    ----------
    name : {"digits", "example"}
        ``digits``: image retrieval over handwritten digits, Parquet. ``example``: a few queries of
        it as TREC text.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    LexiframeError
        When there is no such collection.

    Examples
    --------
    >>> import lexiframe as lf
    >>> sorted(path.name for path in lf.bundled("example").iterdir())
    ['qrels.txt', 'runs']
    """
    package = Path(__file__).parent
    for data in (package / "data", package.parent / "data"):
        if (data / name).is_dir():
            return data / name
    raise LexiframeError(f"there is no bundled collection {name!r}; expected digits or example")
