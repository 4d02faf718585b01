"""Where to find the data that come with the library."""

from __future__ import annotations

import os
from pathlib import Path

from lexiframe.core.base import LexiframeError, typed


@typed
def bundled(name: str = "digits") -> Path:
    """Return the folder of a bundled collection, with a ``qrels`` file and a ``runs`` folder.

    Parameters
    ----------
    name : {"digits", "example", "leaderboard", "votes"}
        ``digits`` is image retrieval over handwritten digits, as Parquet, with a folder ``judges``
        of what two judges say of the same documents, and ``items`` and ``history`` for measures
        beyond relevance; ``example`` is a few of its queries, as TREC
        text; ``leaderboard`` has a file ``scores.csv`` of simulated models and tasks instead, and
        ``votes`` the files ``votes.csv``, ``answers.csv`` and ``judges.csv`` of simulated people
        who compare rankings of digits side by side.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    LexiframeError
        When no bundled collection has that name.

    Examples
    --------
    >>> import lexiframe as lf
    >>> sorted(path.name for path in lf.bundled("example").iterdir())
    ['qrels.txt', 'runs']
    """
    package = Path(__file__).parents[2]
    # Wheels hold data/ inside the package; an editable installation has it beside the package.
    for data in (package / "data", package.parent / "data"):
        if os.path.isdir(data / name):  # noqa: PTH112 - false, not an error, for a long name
            return data / name
    raise LexiframeError(
        f"there is no bundled collection {name!r}; expected digits, example, leaderboard or votes"
    )
