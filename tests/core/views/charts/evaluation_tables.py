"""Tables of an evaluation, made up: as the library computes them from drawn scores."""

from functools import cache

import numpy as np
import polars as pl

import lexiframe as lf
from lexiframe.core.orderings.means import run_means

UGLY = [
    "a</script><b>",
    "BM25: k1=0.9/b=0.4",
    'it\'s "quoted" & <i>\\x',
    "long_" * 40,
    "e\nf <script>",
]
"""Names of runs that may break a page, a specification or a line."""
PLAIN = [f"{place} plain" for place in range(len(UGLY))]
UGLY_MEASURE = "m</script>:<!--'\"/\\x"


@cache
def drawn_scores(n_runs, n_requests=12, measures=("AP", "RR", "nDCG@10"), names="many"):
    """Scores in 0..1 of runs that get worse; measures agree more or less."""
    rng = np.random.default_rng(n_runs)
    good = np.linspace(0.75, 0.25, n_runs)[:, None]
    requests = rng.normal(0, 0.1, n_requests)
    known = {"ugly": UGLY, "plain": PLAIN, "many": [f"run{n:03}" for n in range(n_runs)]}[names]
    tables = [
        pl.DataFrame(
            {
                "run": np.repeat(known[:n_runs], n_requests),
                "query_id": [f"q{n:02}" for n in range(n_requests)] * n_runs,
                "measure": measure,
                "value": np.clip(good + requests + rng.normal(0, 0.12, (n_runs, n_requests)), 0, 1)
                .round(3)
                .ravel(),
            }
        )
        for measure in measures
    ]
    return pl.concat(tables).sort("run", "query_id", "measure")


@cache
def tables(n_runs, n_requests=12, measures=("AP", "RR", "nDCG@10"), names="many"):
    """The tables that charts of an evaluation take, by name."""
    s = drawn_scores(n_runs, n_requests, measures, names)
    o = pl.concat([lf.order_runs(s, "mean"), lf.order_runs(s, "borda")])
    c = lf.compare(s, "t", "holm")
    return {
        "means": run_means(s),
        "orderings": o.sort("measure", "method", "rank", "run"),
        "win_rates": lf.win_rates(s),
        "comparisons": c,
        "equivalences": lf.equivalence(s, 0.1),
        "power": lf.discriminative_power(c),
        "asl_curve": lf.asl_curve(c),
        "correlations": lf.rank_correlations(lf.order_runs(s, "mean")),
        "rank_distributions": lf.rank_distributions(s, samples=200),
        "power_curve": lf.power_curve(s.filter(measure="AP"), [5, 10, 20, 50]),
    }
