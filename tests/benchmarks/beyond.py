"""Do intervals and tests of coverage, evenness and exposure hold what they promise?

Users of MovieLens 100K are drawn at random, with replacement; each keeps the ten items that five
recommenders showed him. The truth is the mean over many draws of as many users, which is what an
interval is about. The table has how often the intervals hold it, of values and of differences of
two runs, and how often two exchangeable runs are found to differ at .05: for each user one of the
lists of two recommenders, at random, goes to one run, and the other list to the other run. Then
come the shares of single runs.

    python tests/benchmarks/beyond.py [TRIALS] [USERS …]

With ``speed`` it measures the processor time of measures of lists of the size of MovieLens 20M
(138,493 users with ten items each, of 27,000; 30 interactions of each user; vectors of 64 numbers),
as a multiple of that of evaluating nDCG@10 in the same run; the least of three rounds:

    python tests/benchmarks/beyond.py speed
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

import lexiframe as lf

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("LEXIFRAME_SHARED") or ROOT.parent / "shared")
DATA = SHARED / "data" / "movielens_100k" / "runs"
RUNS = ["ease_l5000", "itemknn_cos_ratings_k50", "pop_count", "puresvd_25", "random_seed1"]
LIKE = ("ease_l5000", "puresvd_25")
"""Two runs of about the same coverage, whose lists are mixed."""
MEASURES = ["Coverage@10", "Gini@10", "Entropy@10", "Exposure(provider=p0)@10"]
USERS = [50, 100, 400, 2000]
DEPTH, PROVIDERS = 10, 20


def lists(folder: Path = DATA) -> dict[str, np.ndarray]:
    """Return the items of each run, users × ranks, as numbers."""
    paths = {name: folder / f"{name}.trec.gz" for name in RUNS}
    table = pl.DataFrame(lf.read_runs(paths)).filter(
        pl.col("score").rank("ordinal", descending=True).over("run", "query_id") <= DEPTH
    )
    table = table.sort("run", "query_id", "score", descending=[False, False, True])
    number = table["doc_id"].cast(pl.Int64).to_numpy().reshape(len(RUNS), -1, DEPTH)
    return dict(zip(RUNS, number, strict=True))


def catalogue_of(n_items: int) -> tuple[lf.Items, pl.DataFrame]:
    """Return the catalogue, and a provider of each item."""
    ids = [str(n) for n in range(1, n_items + 1)]
    providers = [f"p{n % PROVIDERS}" for n in range(n_items)]
    return lf.read_items(pl.DataFrame({"doc_id": ids})), pl.DataFrame(
        {"doc_id": ids, "provider": providers}
    )


def frame(drawn: dict[str, np.ndarray]) -> pl.DataFrame:
    """Return drawn lists as runs."""
    parts = []
    for name, items in drawn.items():
        n = len(items)
        parts.append(
            pl.DataFrame(
                {
                    "run": pl.repeat(name, n * DEPTH, eager=True),
                    "query_id": np.repeat(np.arange(n), DEPTH),
                    "doc_id": items.ravel(),
                    "score": np.tile(np.arange(DEPTH, 0, -1.0), n),
                }
            )
        )
    return pl.concat(parts).with_columns(pl.col("query_id", "doc_id").cast(pl.String))


def truth(of: dict[str, np.ndarray], n: int, draws: int, n_items: int) -> dict[str, np.ndarray]:
    """Return the mean of each measure of each run over draws of n users, by counting."""
    random = np.random.default_rng(1)
    found = np.zeros((len(MEASURES), len(of)))
    rank = np.arange(1, n_items + 1)
    for _ in range(draws):
        users = random.integers(0, len(next(iter(of.values()))), n)
        for r, items in enumerate(of.values()):
            exposure = np.bincount(items[users].ravel() - 1, minlength=n_items)
            share = exposure[exposure > 0] / exposure.sum()
            gini = ((2 * rank - n_items - 1) * np.sort(exposure)).sum() / n_items / exposure.sum()
            entropy = -(share * np.log2(share)).sum()
            p0 = exposure[::PROVIDERS].sum() / exposure.sum()
            found[:, r] += [(exposure > 0).mean(), gini, entropy, p0]
    return dict(zip(MEASURES, found / draws, strict=True))


def measured(n: int, trials: int, of: dict[str, np.ndarray], n_items: int) -> pl.DataFrame:
    """Return how often intervals hold the truth, and how often exchangeable runs differ."""
    random = np.random.default_rng(0)
    expected = truth(of, n, 4 * trials, n_items)
    items, providers = catalogue_of(n_items)
    names, hits = sorted(of), {m: np.zeros(3) for m in MEASURES}
    worst = {m: np.zeros(len(names)) for m in MEASURES}
    for _ in range(trials):
        users = random.integers(0, len(next(iter(of.values()))), n)
        swap = random.random(n) < 0.5
        drawn = {name: lists_of[users] for name, lists_of in of.items()}
        one, other = (drawn[name] for name in LIKE)
        mixed = {
            "one": np.where(swap[:, None], one, other),
            "other": np.where(swap[:, None], other, one),
        }
        c = lf.catalogue(frame(drawn), MEASURES, items, providers=providers)
        m = lf.catalogue(frame(mixed), MEASURES, items, providers=providers)
        for name in MEASURES:
            of_measure = expected[name]
            values = c.values.filter(measure=name).sort("run")
            low, high = (values[end].fill_null(np.nan).to_numpy() for end in ("ci_low", "ci_high"))
            inside = (low <= of_measure) & (of_measure <= high)
            worst[name] += inside
            pairs = c.comparisons.filter(measure=name)
            at = {run: i for i, run in enumerate(names)}
            difference = np.array(
                [of_measure[at[a]] - of_measure[at[b]] for a, b in pairs["run_a", "run_b"].rows()]
            )
            ends = (pairs[end].to_numpy() for end in ("ci_low", "ci_high"))
            low, high = ends
            p_value = m.comparisons.filter(measure=name)["p_value"].item()
            hits[name] += [
                inside.mean(),
                ((low <= difference) & (difference <= high)).mean(),
                p_value <= 0.05,
            ]
    rows = [
        (n, name, *(hits[name] / trials).tolist(), *(worst[name] / trials).tolist())
        for name in MEASURES
    ]
    columns = ["users", "measure", "values", "differences", "errors", *names]
    return pl.DataFrame(rows, schema=columns, orient="row")


def speed() -> pl.DataFrame:
    """Return the processor time of measures of lists beside that of nDCG@10."""
    from recommender import movielens

    run, qrels = movielens()
    run = run.group_by("user_id", maintain_order=True).head(DEPTH)
    random, n = np.random.default_rng(0), int(max(run["item_id"].max(), qrels["item_id"].max()))
    users = run["user_id"].unique(maintain_order=True).to_numpy()
    genres = pl.Series([[f"g{a}", f"g{b}"] for a, b in random.integers(0, 20, (n, 2))])
    films = pl.DataFrame(
        {
            "doc_id": np.arange(1, n + 1),
            "categories": genres.list.unique(),
            "vector": pl.Series(random.normal(size=(n, 64)), dtype=pl.Array(pl.Float64, 64)),
        }
    )
    seen = {"query_id": np.repeat(users, 30), "doc_id": random.integers(1, n + 1, len(users) * 30)}
    items = lf.read_items(films, history=pl.DataFrame(seen).unique())
    single = [
        "Novelty@10", "CategoryEntropy@10", "Miscalibration@10", "ARP@10", "PopularityLift@10",
        "APLT@10", "Serendipity@10",
    ]  # fmt: skip
    calls = {
        "nDCG@10 (evaluate)": lambda: lf.evaluate(run, qrels, ["nDCG@10"]),
        "seven measures of lists": lambda: lf.list_scores(run, single, items, qrels=qrels),
        "ILD@10": lambda: lf.list_scores(run, "ILD@10", items),
        "Coverage, Gini, Entropy": lambda: lf.catalogue(run, MEASURES[:3], items),
    }
    seconds = dict.fromkeys(calls, np.inf)
    for _ in range(3):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name] = min(seconds[name], time.process_time() - start)
    table = pl.DataFrame({"what": [*seconds], "seconds": [*seconds.values()]})
    return table.with_columns(times=pl.col("seconds") / table["seconds"][0])


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    if arguments[:1] == ["speed"]:
        with warnings.catch_warnings(action="ignore"):  # lists have items of the history
            print(speed())
        return
    trials = int(arguments[0]) if arguments else 1000
    of = lists()
    n_items = int(max(items.max() for items in of.values()))
    for n in [int(one) for one in arguments[1:]] or USERS:
        table = measured(n, trials if n <= 1000 else max(trials // 5, 1), of, n_items)
        with pl.Config(
            float_precision=3, tbl_cols=-1, tbl_width_chars=140, tbl_hide_dtype_separator=True
        ):
            print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
