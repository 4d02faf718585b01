"""A gate that is looked at night after night, and keeps in a file what it saw: `gate_so_far`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, n_and_first, sums, to_polars, typed
from lexiframe.io import output_files
from lexiframe.pairwise import PairCube, PairsLike
from lexiframe.significance.differences import cube_of
from lexiframe.significance.gates.deciding import gate
from lexiframe.significance.gates.gate_coverage import RankedPairs
from lexiframe.significance.margins import Margin

VERSION = 1


@typed
def gate_so_far(
    d: PairsLike,
    /,
    margin: Margin,
    *,
    state: str | Path,
    n_planned: int,
    baseline: str,
    candidate: str,
    **options: Any,
) -> pl.DataFrame:
    """Decide a gate by the requests that are there so far, and go on from there the next time.

    Parameters
    ----------
    d
        The table of `preferences` or `scores` of all requests so far, earlier ones included.
    margin, baseline, candidate
        As for `gate`.
    state : path
        The file that keeps the requests in the order in which they came, their differences, what
        was asked, and the outcome. It is made the first time.
    n_planned : int
        How many requests there will be in the end at most.
    **options
        Further options of `gate`: ``require``, ``alpha``, ``bounds``, ``missing`` and others, but
        for ``test``, ``order`` and ``candidate`` lists.

    Returns
    -------
    polars.DataFrame
        The table of `gate`, decided by ``betting``. Once every row has passed or failed, the
        outcome stands: requests that come later are not looked at.

    Raises
    ------
    LexiframeError
        As `gate`; when earlier requests are missing or have other differences than they had, when
        something else is asked than before, and for a file that is no state of a gate.

    Notes
    -----
    Bets are made on the requests in the order in which they came; new ones of one look are in the
    order of their ids. However often one looks, the probability of passing wrongly is at most alpha
    (see `compare`), as long as the candidate and what is asked stay the same. Earlier requests
    whose differences changed, because judgments were mended say, would let one try again: start
    anew with another file and count both attempts.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl, tempfile
    >>> d = pl.DataFrame({"query_id": [f"q{n:03d}" for n in range(200)], "run_a": "new",
    ...                   "run_b": "old", "measure": "AP", "preference": [0.0, 0.01] * 100})
    >>> file = tempfile.mkdtemp() + "/state.json"
    >>> how = {"state": file, "n_planned": 200, "baseline": "old", "candidate": "new"}
    >>> lf.significance.gate_so_far(d.head(50), 0.05, **how)["outcome"].item()
    'undecided'
    >>> lf.significance.gate_so_far(d, 0.05, **how)["outcome"].item()
    'pass'
    """
    path = Path(state)
    asked = _asked(margin, n_planned, baseline, candidate, options)
    before = _read(path, asked)
    seen = _differences(d, baseline, candidate)
    order = before["requests"] + sorted({*seen["query_id"]} - {*before["requests"]})
    _refuse_changed(before, seen)
    if before["decided_at"] is not None:
        order = order[: before["decided_at"]]
    table = gate(
        _of_requests(d, order), margin, baseline=baseline, candidate=candidate, test="betting",
        order=order, n_planned=n_planned, **options,
    )  # fmt: skip
    is_decided = not (table["outcome"] == "undecided").any()
    now = {
        "version": VERSION,
        "asked": asked,
        "requests": order,
        "differences": _values(seen, order),
        "decided_at": len(order) if is_decided else None,
    }
    with output_files.replacing(path) as temporary:
        temporary.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    return table


def _asked(
    margin: Margin, n_planned: int, baseline: str, candidate: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what may not change, as JSON has it."""
    for name in ("test", "order", "requests", "by", "cluster"):
        if name in options:
            raise LexiframeError(
                f"gate_so_far: expected no {name}: bets decide, on the requests in the order in "
                "which they came, of one group"
            )
    found = {"margin": margin, "n_planned": n_planned, "baseline": baseline}
    found |= {"candidate": candidate, **options}
    return dict(json.loads(json.dumps(found, default=str)))


def _read(path: Path, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state before, or an empty one; raise if it is of another gate."""
    if not output_files.found_at(path):
        return {"requests": [], "differences": {}, "decided_at": None}
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
        known = before["version"], before["asked"], before["requests"], before["differences"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise LexiframeError(
            f"{path}: expected the state of a gate, found something else; name another file, or "
            "remove it to start anew"
        ) from None
    if known[0] != VERSION:
        raise LexiframeError(
            f"{path}: expected a state of version {VERSION}, found {known[0]!r}; start anew"
        )
    for name in {*asked, *known[1]}:
        if asked.get(name) != known[1].get(name):
            raise LexiframeError(
                f"{path}: expected the gate that was begun, with {name} = {known[1].get(name)!r}, "
                f"found {asked.get(name)!r}; ask the same, or begin another gate with another file"
            )
    return dict(before)


def _pairs_of(d: Any) -> Any:
    return d.pairs if isinstance(d, RankedPairs) else d


def _differences(d: Any, baseline: str, candidate: str) -> pl.DataFrame:
    """Return ``query_id``, and for each measure the candidate's differences."""
    cube = cube_of(_pairs_of(d), baseline)
    columns: dict[str, Any] = {"query_id": cube.queries}
    for measure, values in zip(cube.measures, cube.values, strict=True):
        column = np.flatnonzero(cube.runs.gather(cube.a) == candidate)
        columns[measure] = values[:, column[0]] if len(column) else np.full(len(values), np.nan)
    return pl.DataFrame(columns)


def _refuse_changed(before: Mapping[str, Any], seen: pl.DataFrame) -> None:
    missing = [query for query in before["requests"] if query not in {*seen["query_id"]}]
    if missing:
        raise LexiframeError(
            "gate_so_far: expected all requests that the gate has bet on, found "
            f"{n_and_first(missing)} missing; give them too, as they were"
        )
    now = _values(seen, before["requests"])
    for measure, values in before["differences"].items():
        old, new = (np.array(x, float) for x in (values, now.get(measure, [np.nan] * len(values))))
        same = np.isclose(old, new, rtol=0, atol=sums.TIE, equal_nan=True)
        if not same.all():
            changed = [before["requests"][place] for place in np.flatnonzero(~same)]
            raise LexiframeError(
                f"gate_so_far: expected the differences of {measure} that the gate has bet on, "
                f"found others in {n_and_first(changed)}; give the runs and judgments as they "
                "were, or begin another gate"
            )


def _values(seen: pl.DataFrame, order: list[str]) -> dict[str, list[float | None]]:
    """Return the differences of each measure in the order of the requests; None for none."""
    rows = pl.DataFrame({"query_id": order}, {"query_id": pl.String})
    found = rows.join(seen, on="query_id", how="left", maintain_order="left")
    return {name: found[name].fill_nan(None).to_list() for name in seen.columns[1:]}


def _of_requests(d: Any, order: list[str]) -> Any:
    """Return the differences in some requests."""
    if isinstance(d, RankedPairs):
        return replace(d, pairs=_of_requests(d.pairs, order))
    if isinstance(d, PairCube):
        return d.of_queries(d.queries.is_in(order).to_numpy())
    return to_polars(d).filter(pl.col("query_id").cast(pl.String).is_in(order))
