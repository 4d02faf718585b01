"""The page of strengths: runs by people's preferences, each beside every run that it met."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, printed, typed
from lexiframe.core.io import output_files
from lexiframe.decide.leaderboards import ranked_page
from lexiframe.typing import Told

_SHOWN = 50
"""How many rows of each further table are on the page."""
_COLUMNS = (
    ("n_judgments", "Judgments", "same"),
    ("observed_share", "Observed share", "rest"),
    ("expected_share", "Expected share", "rest"),
    ("residual", "Standard deviations away", "sign"),
    ("p_a_wins", "Probability to win", "p_b_wins"),
    ("difference", "Difference of strengths", "sign"),
    ("p_adjusted", "p of no difference, over all pairs", "same"),
)
"""What is shown of a run and another, and what that is when the runs change places."""


@typed
def strength_report(strengths: Told, path: str | Path, stated: Told | None = None) -> Path:
    """Write strengths as one HTML page to look around in; it loads nothing else.

    Its main picture is the runs in their order with the intervals of their strengths. A click on a
    run shows it beside every other run: what it won of the judgments, and what the strengths
    expect.

    Parameters
    ----------
    strengths : Strengths
        What `bradley_terry` returns.
    path
        The file to write.
    stated : StatedPreferences, optional
        What `read_preferences` returned: then the page says as well what was read, whether the run
        that was shown first has an advantage, and, where judges are named, what they agree about.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    LexiframeError
        When the file cannot be written, and when what is given are no strengths.

    Examples
    --------
    >>> import polars as pl, tempfile
    >>> from pathlib import Path
    >>> import lexiframe as lf
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3"], "run_a": "x", "run_b": "y",
    ...                       "winner": ["a", "a", "b"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = lf.views.strength_report(lf.bradley_terry(votes), Path(folder, "page.html"))
    ...     "Strengths of 2 runs" in page.read_text(encoding="utf-8")
    True
    """
    return output_files.write_page(path, strength_page(strengths, stated))


def strength_page(strengths: Any, stated: Any = None) -> str:
    """Return strengths as one HTML page, which makes no request to a network."""
    found: dict[str, pl.DataFrame] = getattr(strengths, "tables", dict)()
    if not {"strengths", "pairs"} <= {*found}:
        raise LexiframeError(
            "strength_report: expected what bradley_terry returns, found "
            f"{type(strengths).__name__}"
        )
    rows = found["strengths"].rename({"strength": "value", "ci_low": "low", "ci_high": "high"})
    said = strengths.verdict["sentence"].to_list()
    tables = {"Pairs that the strengths describe worst": ("", _largest_residuals(strengths))}
    if stated is not None:
        said += stated.verdict["sentence"].to_list()[1:]  # the first counts what strengths do
        tables |= _stated_tables(stated)
    words = {
        "title": f"Strengths of {printed.counted(rows.height, 'run')}",
        "value": "Strength β",
        "interval": f"Strength with the {100 * strengths.level:g} % interval of the run by itself",
        "beside": "One run against each other",
    }
    return ranked_page(said, words, rows, found["pairs"], _COLUMNS, tables)


def _largest_residuals(strengths: Any) -> pl.DataFrame:
    worst: pl.DataFrame = strengths.largest_residuals(20)
    return worst.select("run_a", "run_b", "n_judgments", "observed_share", "expected_share",
                        "residual")  # fmt: skip


def _stated_tables(stated: Any) -> dict[str, tuple[str, pl.DataFrame]]:
    position = stated.position
    if not position.height:
        return {}
    title = printed.begun("What the run that was shown first won", position.height, _SHOWN)
    shown = position.with_columns(pl.col("judge").fill_null("all together")).head(_SHOWN)
    note = "Ties are half wins; intervals of 95 % take the judgments of a request together."
    return {title: (note, shown)}
