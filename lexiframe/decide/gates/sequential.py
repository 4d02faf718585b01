"""A gate that is looked at night after night, and keeps its data in a file: `gate_so_far`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    n_and_first,
    resampling,
    shown,
    sums,
    to_polars,
    typed,
)
from lexiframe.core.io import kept_json, output_files
from lexiframe.core.pairwise import PairCube, PairsLike
from lexiframe.core.significance.differences import cube_of
from lexiframe.core.significance.margins import Margin
from lexiframe.decide.gates.deciding import gate
from lexiframe.decide.gates.gate_coverage import RankedPairs
from lexiframe.decide.gates.gate_in_words import Decision
from lexiframe.decide.gates.gate_tables import margins_by_name, rows_of_measures, rows_of_two_runs


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
        was asked, and the outcome. It is made the first time. Of several processes that look at
        once, each waits for the one before, so that none loses what another has seen.
    n_planned : int
        How many requests there will be in the end at most.
    **options
        Further options of `gate`: ``require``, ``alpha``, ``bounds``, ``missing`` and others, but
        for ``test``, ``order`` and ``candidate`` lists. ``seed`` draws the order of requests that
        come in one look.

    Returns
    -------
    polars.DataFrame
        The table of `gate`, decided by ``betting``. Once every row has passed or failed, the
        outcome stands: requests that come later are not looked at.

    Raises
    ------
    LexiframeError
        As `gate`; when earlier requests are missing or have other differences than they had, when
        something else is asked than before or by other measures, and for a file that is no state of
        a gate, was edited or is damaged. The file then stays as it was.

    Notes
    -----
    Bets are made on the requests in the order in which they came; new ones of one look are in an
    order that the seed draws, because that of their ids often follows topics. However often one
    looks, the probability of passing wrongly is at most alpha (see `compare`), as long as the looks
    bring requests in random order, not one topic after another, and the candidate and what is asked
    stay the same. Earlier requests whose differences changed, because judgments were mended say,
    would let one try again: start anew with another file and count both attempts.

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
    path = output_files.output_path(state)
    asked = _asked(margin, n_planned, baseline, candidate, options)
    output_files.output_folder(path.parent)
    with output_files.one_at_a_time(path):
        before = _read_state(path, asked)
        seen = _margin_differences(d, margin, baseline, candidate)
        _refuse_changed_results(path, before, seen)
        order = before["requests"]
        if before["decided_at"] is None:
            order = order + _drawn_order({*seen["query_id"]} - {*order}, len(order), options)
        table = gate(
            _chosen_rows(d, order), margin, baseline=baseline, candidate=candidate, test="betting",
            order=order, n_planned=n_planned, **options,
        )  # fmt: skip
        is_decided = not (table["outcome"] == "undecided").any()
        if before["decided_at"] is not None and not is_decided:
            found = f"{before['decided_at']} requests that do not decide it"
            raise _STATE.other(path, found, " that was decided")
        now = {
            "asked": asked,
            "requests": order,
            "differences": _ordered_values(seen, order),
            "decided_at": len(order) if is_decided else None,
        }
        _STATE.write(path, now)
    return Decision.whole(table.with_columns(seed=pl.lit(options.get("seed", 0), pl.Int64)))


def _drawn_order(new: set[str], before: int, options: Mapping[str, Any]) -> list[str]:
    """Return the new requests of one look in an order that hangs on the seed alone."""
    seed = options.get("seed", 0)
    resampling.check_draws("gate_so_far", "requests", 1, seed)
    ids = sorted(new)
    return [ids[place] for place in np.random.default_rng([seed, before]).permutation(len(ids))]


def _asked(
    margin: Margin, n_planned: int, baseline: str, candidate: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments that may not change, in the types of JSON."""
    for name in ("test", "order", "requests", "by", "cluster"):
        if name in options:
            raise LexiframeError(
                f"gate_so_far: expected no {name}: it tests sequentially, by betting, one group of "
                "requests in the order in which they came"
            )
    found = {"margin": margin, "n_planned": n_planned, "baseline": baseline}
    found |= {"candidate": candidate, **options}
    return dict(json.loads(json.dumps(found, default=str)))


def _read_state(path: Path, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state before, or an empty one; raise if it is damaged or of another gate."""
    if not output_files.found_at(path):
        return {"requests": [], "differences": {}, "decided_at": None}
    before = _STATE.read(path)
    for name, is_right in _RIGHT.items():
        if not is_right(before):
            raise _STATE.other(path, f"{name} that no gate writes")
    known, usual = before["asked"], inspect.signature(gate).parameters
    for name in {**asked, **known}:
        then, now = (
            one.get(name, usual[name].default if name in usual else None) for one in (known, asked)
        )
        if then != now:
            raise LexiframeError(
                f"{path}: expected the gate that was begun, with {name} = {shown(then)}, found "
                f"{shown(now)}; ask the same, or begin another gate with another file"
            )
    return before


_STATE = kept_json.KeptJson(
    "the state of a gate",
    version=2,
    fields=("asked", "requests", "differences", "decided_at"),
    again="give back the file as it was, or begin the gate anew with another file, and count both "
    "attempts",
)
_RIGHT: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "asked": lambda found: isinstance(found["asked"], dict),
    "requests": lambda found: _are_ids(found["requests"]),
    "differences": lambda found: _are_differences(found["differences"], len(found["requests"])),
    "decided_at": lambda found: found["decided_at"] in (None, len(found["requests"])),
}
"""Whether the values of a state are what they should be; each is looked at if those before it are.

A right checksum does not tell: anyone can compute one.
"""


def _are_ids(found: Any) -> bool:
    """Return whether a value of JSON is a list of requests, each once."""
    is_list = isinstance(found, list) and all(isinstance(one, str) for one in found)
    return is_list and 0 < len({*found}) == len(found)


def _are_differences(found: Any, n: int) -> bool:
    """Return whether a value of JSON has, for each measure, ``n`` numbers or nulls."""
    return (
        isinstance(found, dict)
        and len(found) > 0
        and all(isinstance(values, list) and len(values) == n for values in found.values())
        and all(
            value is None or kept_json.is_number(value)
            for values in found.values()
            for value in values
        )
    )


def _pairs_of(d: Any) -> Any:
    return d.pairs if isinstance(d, RankedPairs) else d


def _margin_differences(d: Any, margin: Margin, baseline: str, candidate: str) -> pl.DataFrame:
    """Return ``query_id``, and the candidate's differences by each measure that has a margin."""
    pairs = _pairs_of(d)
    sizes, _ = margins_by_name(margin, pairs)
    cube = cube_of(rows_of_measures(rows_of_two_runs(pairs, baseline, candidate), sizes), baseline)
    columns: dict[str, Any] = {"query_id": cube.queries}
    for measure, values in zip(cube.measures, cube.values, strict=True):
        column = np.flatnonzero(cube.runs.gather(cube.a) == candidate)
        columns[measure] = values[:, column[0]] if len(column) else np.full(len(values), np.nan)
    return pl.DataFrame(columns)


def _refuse_changed_results(path: Path, before: Mapping[str, Any], seen: pl.DataFrame) -> None:
    """Raise when earlier requests, measures or differences are missing or changed."""
    measures, order = [*before["differences"]], before["requests"]
    if order and {*measures} != {*seen.columns[1:]}:
        raise LexiframeError(
            f"{path}: expected the gate that was begun, by {', '.join(measures)}, found "
            f"{', '.join(seen.columns[1:])}; give the same measures, or begin another gate with "
            "another file"
        )
    known = {*seen["query_id"]}
    if missing := [query for query in order if query not in known]:
        raise LexiframeError(
            f"{path}: expected all requests that the gate has used, found "
            f"{n_and_first(missing)} missing; give them too, as they were"
        )
    now = _ordered_values(seen, order)
    for measure, values in before["differences"].items():
        old, new = (np.array(x, float) for x in (values, now[measure]))
        same = np.isclose(old, new, rtol=0, atol=sums.TIE, equal_nan=True)
        if not same.all():
            changed = [order[place] for place in np.flatnonzero(~same)]
            raise LexiframeError(
                f"{path}: expected the differences of {measure} that the gate has used, found "
                f"others in {n_and_first(changed)}; give the runs and judgments as they were, or "
                "begin another gate with another file"
            )


def _ordered_values(seen: pl.DataFrame, order: list[str]) -> dict[str, list[float | None]]:
    """Return the differences of each measure in the order of the requests; None for none."""
    rows = pl.DataFrame({"query_id": order}, {"query_id": pl.String})
    found = rows.join(seen, on="query_id", how="left", maintain_order="left")
    return {name: found[name].fill_nan(None).to_list() for name in seen.columns[1:]}


def _chosen_rows(d: Any, order: list[str]) -> Any:
    """Return the differences in some requests."""
    if isinstance(d, RankedPairs):
        return replace(d, pairs=_chosen_rows(d.pairs, order))
    if isinstance(d, PairCube):
        return d.select_queries(d.queries.is_in(order).to_numpy())
    return to_polars(d).filter(pl.col("query_id").cast(pl.String).is_in(order))
