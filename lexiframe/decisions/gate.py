"""Whether a candidate may take the place of a baseline: `gate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.decisions.equivalence import MarginTest, equivalence
from lexiframe.decisions.gate_reasons import reason
from lexiframe.decisions.gate_sizes import requests_to_decide
from lexiframe.errors import LexiframeError, check_choice, unknown_name
from lexiframe.layouts.arrays import PairCube
from lexiframe.layouts.cube import PairsLike, is_scores
from lexiframe.layouts.groups import By
from lexiframe.layouts.reduced import Reduced, ScoreSums
from lexiframe.metrics.derived import known_metric
from lexiframe.resampling import check_share
from lexiframe.schemas import GATES, to_polars
from lexiframe.significance.corrections import CORRECTIONS, correct
from lexiframe.significance.margins import Margin
from lexiframe.significance.paired import Correction
from lexiframe.typing import RequestsLike

Require = Literal["not-worse", "better", "equivalent"]


def gate(
    d: PairsLike,
    /,
    margin: Margin,
    *,
    baseline: str,
    candidate: str,
    require: Require = "not-worse",
    test: MarginTest = "t",
    correction: Correction = "none",
    alpha: float = 0.05,
    power: float = 0.8,
    trials: int = 10_000,
    seed: int = 0,
    requests: RequestsLike = None,
    by: By = None,
) -> pl.DataFrame:
    """Decide for each measure whether a candidate passes: is it shown to be not worse, say?

    Parameters
    ----------
    d
        The table of `preferences`, or of `scores`, whose differences are taken. Other runs than the
        two are left out.
    margin : float, str or dict
        The margin δ of all measures, or of each measure, as for `equivalence`: ``0.01``, ``"2%"``
        (of the baseline's mean, for scores), ``{"nDCG@10": 0.01, "AP": "2%"}``. Measures may have
        the names of other libraries (``"ndcg_cut_10"``).
    baseline, candidate : str
        The run that is in use, and the one that may take its place.
    require : {"not-worse", "better", "equivalent"}
        What has to be shown of the mean difference: that it is above −δ, above 0, or between −δ
        and δ.
    test : {"t", "bootstrap", "randomization"}
        The paired test, as for `equivalence`.
    correction : {"none", "holm", "bonferroni", "bh"}
        How p-values are corrected over all rows of the table. None is needed for the whole: see the
        notes.
    alpha : float
        Significance level: the probability with which a row may pass although what is required is
        not so.
    power : float
        The probability, between 0 and 1, with which ``required`` requests decide.
    trials, seed
        As for `compare`.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. Each group of requests has to pass; its attributes are the first columns.

    Returns
    -------
    polars.DataFrame
        Key ``measure``, after the attributes of groups, sorted by it; ``baseline``, ``candidate``,
        ``require``, ``test``, ``correction`` and ``alpha`` as they were given. ``n`` is the number
        of requests. ``mean_difference`` is the candidate's mean minus the baseline's, positive when
        the candidate is better (for search lengths, when its mean is smaller), with the ``margin``
        in the same unit and the interval ``ci_low, ci_high`` of `equivalence`, of level 1 − 2
        alpha. ``p_value`` belongs to what is required and ``p_opposite`` to its opposite, corrected
        to ``p_adjusted`` and ``p_opposite_adjusted``. ``outcome`` is ``"pass"``, ``"fail"`` or
        ``"undecided"``, and ``why`` says it in a sentence. ``required`` is the number of requests
        that would decide an undecided row, null for the others.

    Raises
    ------
    LexiframeError
        As `equivalence`; for an unknown ``require``, correction or run, and when the candidate is
        the baseline.

    Notes
    -----
    A row passes when what is required is shown at the level alpha. It fails when the opposite is
    shown, and is undecided when neither is. With μ, the true mean difference:

    ============= ================= ========================= =====================================
    require       passes if shown   fails if shown            p of pass, p of fail in `equivalence`
    ============= ================= ========================= =====================================
    not-worse     μ > −δ            μ < −δ                    p_not_worse_a, p_better_by_margin_b
    better        μ > 0             μ < δ, and μ > 0 is not   p_better (two-sided), p_not_worse_b
    equivalent    −δ < μ < δ        μ > δ or μ < −δ           p_equivalent, twice the smaller of
                                                              p_better_by_margin_a and _b
    ============= ================= ========================= =====================================

    With ``"better"``, any improvement passes, however small, because "better" is what was asked
    for; and a candidate fails, at the latest, when an improvement of δ, the least that matters, is
    excluded. (If only a worse candidate failed, one that is as good as the baseline would stay
    undecided for ever, however many requests there are.) A candidate that is better by less than δ
    may therefore pass or fail. For the three, the probability of a pass is at most alpha if
    μ ≤ −δ, μ ≤ 0, and \\|μ\\| ≥ δ; that of a fail if μ ≥ −δ, μ ≥ δ, and \\|μ\\| ≤ δ.

    A candidate passes the gate when all rows pass. The probability that it does so wrongly, that
    is, although in some row what is required is not so, is then at most alpha without any
    correction, because all rows have to show it: this is an intersection-union test (Berger,
    Technometrics 1982, doi:10.1080/00401706.1982.10487790; Berger & Hsu, Statistical Science 1996,
    doi:10.1214/ss/1032280304, section 4). A correction is needed by who takes single rows for
    results: with Holm's, the probability that any of them passes wrongly is at most alpha, and the
    same holds for rows that fail wrongly. Fewer rows are then decided.

    ``required`` assumes normal differences with the mean and standard deviation observed, and a
    t-test at the level alpha (with a correction: alpha divided by the number of rows); it is the
    least number of requests with which the row would pass, or with which it would fail, with the
    probability ``power``. It is null where this takes more than 10^9 requests, as on the margin,
    and with one request. It rests on the observed difference, which is an estimate itself.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> p = lf.positions(folder / "runs", folder / "qrels.parquet")
    >>> s = lf.scores(p, ["nDCG@10", "AP"])
    >>> g = lf.gate(s, {"nDCG@10": 0.05, "map": "2%"}, baseline="pixels_euclidean",
    ...             candidate="pca8_euclidean")
    >>> g.select("measure", pl.col("mean_difference", "margin").round(4), "outcome").rows()
    []
    >>> print(lf.verdict(g)["sentence"][0])
    """
    check_choice("gate", require, get_args(Require), "require")
    check_choice("gate", correction, CORRECTIONS, "correction")
    check_share("gate", "power", power)
    if baseline == candidate:
        raise LexiframeError(
            f"gate: expected two runs, found {candidate!r} as baseline and as candidate; give the "
            "runs different names"
        )
    two = _of_two_runs(d, baseline, candidate)
    how: dict[str, Any] = {"alpha": alpha, "baseline": baseline, "trials": trials, "seed": seed}
    margins = _by_names_of(margin, two)
    tested = equivalence(two, margins, test, "none", **how, requests=requests, by=by)
    tested = tested.filter(run_a=candidate)
    if not tested.height:
        raise unknown_name("run", candidate, _runs_of(d))
    groups = tested.columns[: tested.columns.index("measure")]
    table = _decided(tested, require, correction, alpha)
    sizes = requests_to_decide(two, table, (baseline, candidate), power, requests, by)
    table = table.with_columns(
        baseline=pl.lit(baseline),
        candidate=pl.lit(candidate),
        required=pl.when(outcome="undecided").then(sizes),
    )
    table = table.with_columns(why=pl.struct(pl.all()).map_elements(reason, pl.String))
    return table.select(*groups, *GATES.columns).sort(*groups, *GATES.key)


_MEAN, _ABOVE, _BELOW = (
    pl.col(name) for name in ("mean_difference", "p_better_by_margin_a", "p_better_by_margin_b")
)
_QUESTIONS = {
    "not-worse": (pl.col("p_not_worse_a"), _BELOW),
    # The test is two-sided: it also finds candidates that are worse.
    "better": (pl.when(_MEAN > 0).then("p_better").otherwise(1.0), pl.col("p_not_worse_b")),
    # One of two claims is shown with probability alpha at most, if each is with alpha / 2.
    "equivalent": (
        pl.col("p_equivalent"),
        pl.min_horizontal(2 * pl.min_horizontal(_ABOVE, _BELOW), 1.0),
    ),
}
"""For what may be required, its p-value and that of its opposite."""


def _decided(
    tested: pl.DataFrame, require: str, correction: str, alpha: float
) -> pl.DataFrame:
    """Add the p-values of what is required and of its opposite, and the outcome."""
    shown, opposite = _QUESTIONS[require]
    table = tested.with_columns(p_value=shown, p_opposite=opposite)
    outcome = pl.when(pl.col("p_adjusted") < alpha).then(pl.lit("pass"))
    outcome = outcome.when(pl.col("p_opposite_adjusted") < alpha).then(pl.lit("fail"))
    return table.with_columns(
        p_adjusted=correct(table["p_value"].to_numpy(), correction),
        p_opposite_adjusted=correct(table["p_opposite"].to_numpy(), correction),
        correction=pl.lit(correction),
        require=pl.lit(require),
        alpha=pl.lit(alpha),
    ).with_columns(outcome=outcome.otherwise(pl.lit("undecided")))


def _of_two_runs(d: Any, baseline: str, candidate: str) -> Any:
    """Return the rows of two runs; arrays and sums over requests stay as they are."""
    if isinstance(d, PairCube | Reduced | ScoreSums):
        return d
    table = to_polars(d)
    names = ["run"] if is_scores(table) else ["run_a", "run_b"]
    if not {*names} <= {*table.columns}:
        return table  # which is refused where its columns are checked
    two = [baseline, candidate]
    runs = _runs_of(table)
    for run in two:
        if run not in runs:
            raise unknown_name("run", run, runs)
    return table.filter(pl.col(name).cast(pl.String).is_in(two) for name in names)


def _runs_of(d: Any) -> list[str]:
    if isinstance(d, PairCube | Reduced | ScoreSums):
        return list(d.runs)
    table = to_polars(d)
    names = [name for name in ("run", "run_a", "run_b") if name in table.columns]
    return pl.concat(table[name].cast(pl.String) for name in names).unique().sort().to_list()


def _by_names_of(margin: Margin, d: Any) -> Margin:
    """Return margins by the names that the table gives the measures."""
    if not isinstance(margin, Mapping):
        return margin
    known = list(d.measures if isinstance(d, PairCube) else to_polars(d)["measure"].unique())
    return {_name_among(str(name), known): size for name, size in margin.items()}
