"""One table: CPU seconds of lexiframe, of the fastest other library, and of Polars or NumPy alone.

    python tests/benchmarks/table.py            write `last.json`, which the documentation shows
    python tests/benchmarks/table.py --short    one round without peers, beside the last ratios

Data are generated. Those who do a work take turns, and the least time counts; all have run once
before, so that nothing is imported or compiled under the clock. The limit is the least part of the
work that cannot be left out, written with Polars or NumPy alone. The exit status is 0 whatever the
times are: they depend on the machine.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import growth
import numpy as np
import polars as pl
import recommender
from fixed_costs import IN_PYTHON
from rows import line
from run import ROOT, cores

import lexiframe as lf

LAST = Path(__file__).with_name("last.json")
Call = Callable[[], Any]


class Work(NamedTuple):
    """What is done, by whom: lexiframe, another library under its name, Polars or NumPy alone."""

    name: str
    ours: Call
    limit: Call
    limit_is: str
    peer: Call | None = None
    peer_is: str = "—"
    cpu: Callable[[Call], float] = growth.cpu_of


def reading(folder: Path) -> Iterator[Work]:
    """Yield the reading of four runs of 200,000 rows, from Parquet and from text."""
    import pytrec_eval

    n_runs, requests, depth = 4, 200, 1000
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(requests), depth)
    score = -np.sort(-rng.random((requests, depth)), axis=1).round(6).ravel()
    parquet, text = [], []
    for n in range(n_runs):
        document = rng.permuted(np.tile(np.arange(2 * depth), (requests, 1)), axis=1)[:, :depth]
        run = pl.DataFrame({"q": query, "d": document.ravel()}).select(
            query_id=pl.format("q{}", "q"), doc_id=pl.format("doc-{}", "d"), score=score
        )
        parquet.append(folder / f"run{n}.parquet")
        text.append(folder / f"run{n}.run")
        lf.write_parquet(lf.read_runs({f"run{n}": run}), parquet[-1])
        ranks = np.tile(np.arange(1, depth + 1), requests)
        further = {"q0": pl.lit("Q0"), "rank": ranks, "tag": pl.lit(f"run{n}")}
        fields = run.with_columns(**further).select(
            "query_id", "q0", "doc_id", "rank", "score", "tag"
        )
        fields.write_csv(text[-1], separator=" ", include_header=False)
    judged = pl.DataFrame(
        {"q": np.repeat(np.arange(requests), 50), "d": np.tile(np.arange(50), requests)}
    )
    qrels = judged.select(
        query_id=pl.format("q{}", "q"), doc_id=pl.format("doc-{}", "d"), relevance=pl.lit(1)
    )
    of_peer = {
        query_id: dict.fromkeys(rows["doc_id"], 1)
        for (query_id,), rows in qrels.partition_by("query_id", as_dict=True).items()
    }

    def by_pytrec_eval() -> None:
        measures = {"map", "ndcg", "recip_rank", "recall_1000"}
        evaluator = pytrec_eval.RelevanceEvaluator(of_peer, measures)
        for path in text:
            with path.open() as file:
                evaluator.evaluate(pytrec_eval.parse_run(file))

    def split() -> None:
        types = dict.fromkeys("abcd", pl.String) | {"score": pl.Float64, "run": pl.String}
        for path in text:
            pl.read_csv(path, separator=" ", has_header=False, schema=types, columns=[0, 2, 4])

    three = ["query_id", "doc_id", "score"]
    yield Work(
        "Parquet to positions, 4 runs of 200,000 rows",
        lambda: lf.positions(lf.scan_runs(parquet), qrels),
        lambda: pl.scan_parquet(parquet).select(three).collect(),
        "Polars reads three columns",
    )
    yield Work(
        "text to four measures, 4 runs of 200,000 rows",
        lambda: lf.scores(lf.positions(lf.scan_runs(text), qrels), ["AP", "nDCG", "RR", "R@1000"]),
        split,
        "Polars splits three fields",
        by_pytrec_eval,
        "pytrec_eval",
    )


CUTOFFS = (5, 10, 20, 100)


def recommending(_: Path) -> Iterator[Work]:
    """Yield the 24 measures of one run of 10,000 users, each with 100 items."""
    import ranx

    run, judgments = recommender.movielens(10_000)
    stems = {"AP": "map", "nDCG": "ndcg", "RR": "mrr", "P": "precision", "R": "recall"}
    stems["Success"] = "hit_rate"
    ours = [f"{stem}@{k}" for stem in stems for k in CUTOFFS]
    theirs = [f"{stem}@{k}" for stem in stems.values() for k in CUTOFFS]
    texts = [frame.cast({"user_id": pl.String, "item_id": pl.String}) for frame in (run, judgments)]
    names = {"q_id_col": "user_id", "doc_id_col": "item_id"}
    run_of_peer, qrels_of_peer = (
        frame.with_columns(pl.col(value).cast(kind))
        .to_pandas()
        .astype(dict.fromkeys(texts[0].columns[:2], object))
        for frame, value, kind in zip(
            texts, ("score", "rating"), (pl.Float64, pl.Int64), strict=True
        )
    )

    def by_ranx() -> None:
        qrels = ranx.Qrels.from_df(qrels_of_peer, **names, score_col="rating")
        found = ranx.Run.from_df(run_of_peer, **names, score_col="score")
        ranx.evaluate(qrels, found, theirs, make_comparable=True)

    def by_polars() -> None:
        ids = ["user_id", "item_id"]
        joined = run.lazy().sort("user_id", "score", descending=[False, True])
        joined = joined.with_columns(rank=pl.int_range(1, pl.len() + 1).over("user_id"))
        hits = (
            joined.join(judgments.lazy(), on=ids)
            .group_by("user_id")
            .agg(
                [(pl.col("rank") <= k).sum().alias(f"hits{k}") for k in CUTOFFS]
                + [
                    (1 / pl.col("rank")).filter(pl.col("rank") <= k).max().alias(f"rr{k}")
                    for k in CUTOFFS
                ]
                + [
                    (1 / (1 + pl.col("rank")).log(2))
                    .filter(pl.col("rank") <= k)
                    .sum()
                    .alias(f"dcg{k}")
                    for k in CUTOFFS
                ]
            )
        )
        hits.mean().collect()

    yield Work(
        "evaluate one run of 1,000,000 rows by 24 measures",
        lambda: lf.evaluate({"a": run}, judgments, ours),
        by_polars,
        "Polars joins, and sums hits, RR and DCG",
        by_ranx,
        "ranx",
    )


def beyond(_: Path) -> Iterator[Work]:
    """Yield the reading of a history, and what lists of 50,000 users reach of 27,000 items."""
    rng, users, n_items, k = np.random.default_rng(0), 50_000, 27_000, 10
    item = (rng.integers(n_items, size=(users, 1)) + np.arange(k) * 997) % n_items
    run = pl.DataFrame({"user_id": np.repeat(np.arange(users), k), "item_id": item.ravel()})
    run = run.with_columns(score=np.tile(np.linspace(1, 0, k), users))
    past = pl.DataFrame(
        {"user_id": np.repeat(np.arange(users), 20), "item_id": rng.zipf(1.3, users * 20) % n_items}
    )
    table = pl.DataFrame({"item_id": np.arange(n_items)})
    items = lf.read_items(table, history=past)
    yield Work(
        "read_items with a history of 1,000,000 rows",
        lambda: lf.read_items(table, history=past),
        lambda: past.unique().group_by("item_id").len(),
        "Polars counts distinct users",
    )
    yield Work(
        "Coverage, Gini, Entropy of 50,000 lists of 10, with intervals",
        lambda: lf.catalogue({"a": run}, ["Coverage@10", "Gini@10", "Entropy@10"], items),
        lambda: [np.sort(np.bincount(run["item_id"], minlength=n_items)) for _ in range(3)],
        "NumPy counts and sorts the items thrice, without intervals",
    )


def pairs(_: Path) -> Iterator[Work]:
    """Yield the comparison of all pairs of 20 runs."""
    from scipy import stats

    runs, requests = 20, 10_000
    s = growth.scores(runs, requests, 3)
    cube = s["value"].to_numpy().reshape(runs, requests, 3)
    a, b = np.triu_indices(runs, k=1)

    def by_numpy() -> None:
        for n in range(3):
            x = np.ascontiguousarray(cube[:, :, n])
            d = x[a] - x[b]
            d.mean(axis=1) / d.std(axis=1, ddof=1)

    def by_scipy() -> None:
        for n in range(3):
            x = np.ascontiguousarray(cube[:, :, n])
            for one, other in zip(a, b, strict=True):
                stats.ttest_rel(x[one], x[other])

    yield Work(
        "evaluate_scores of 20 runs, 10,000 requests, 3 measures",
        lambda: lf.evaluate_scores(s),
        by_numpy,
        "NumPy: mean and deviation of all differences",
        by_scipy,
        "scipy.stats.ttest_rel, t alone",
    )


def flips(_: Path) -> Iterator[Work]:
    """Yield the greatest t of all pairs over flipped signs."""
    runs, requests, trials = 37, 250, 2_000
    s = growth.scores(runs, requests)
    x = s["value"].to_numpy().reshape(runs, requests)
    a, b = np.triu_indices(runs, k=1)
    d = (x[a] - x[b]).T

    def by_numpy() -> None:
        signs = np.random.default_rng(0).integers(0, 2, (trials, requests)) * 2.0 - 1.0
        scaled = d / np.sqrt((d**2).sum(axis=0))
        np.maximum.accumulate(np.abs(signs @ scaled), axis=1)

    yield Work(
        "compare 666 pairs over 250 requests by 2,000 joint sign flips",
        lambda: lf.compare(s, "randomization", "max_t", trials=trials),
        by_numpy,
        "NumPy: one product, and its running maxima",
    )


EXAMPLE = ROOT / "data" / "example"
IN_IR_MEASURES = """
import ir_measures
qrels = [*ir_measures.read_trec_qrels({0})]
for path in {1}:
    run = ir_measures.read_trec_run(path)
    print(path, ir_measures.calc_aggregate([ir_measures.AP, ir_measures.nDCG @ 10], qrels, run))
"""


def fixed(folder: Path) -> Iterator[Work]:
    """Yield the example, evaluated and printed by a process of its own."""
    qrels, runs = str(EXAMPLE / "qrels.txt"), sorted(map(str, (EXAMPLE / "runs").iterdir()))

    def process(code: str) -> Call:
        return lambda: code

    def cpu(call: Call) -> float:
        compiled = {"PYTHONPYCACHEPREFIX": str(folder), "PYTHONDONTWRITEBYTECODE": ""}
        command, nothing = [sys.executable, "-c", call()], subprocess.DEVNULL
        env = {**os.environ, **compiled}
        one = subprocess.Popen(command, cwd=ROOT, env=env, stdout=nothing, stderr=nothing)
        used = os.wait4(one.pid, 0)[2]
        return used.ru_utime + used.ru_stime

    yield Work(
        "the example evaluated and printed, from the start of Python",
        process(IN_PYTHON.format(repr(qrels), repr(str(EXAMPLE / "runs")))),
        process("import polars, pyarrow"),
        "importing Polars and PyArrow",
        process(IN_IR_MEASURES.format(repr(qrels), runs)),
        "ir_measures, means alone",
        cpu,
    )


def wide(_: Path) -> Iterator[Work]:
    """Yield the reading of a file with 5,000 columns."""
    data = growth.wide(5000).write_csv().encode()
    yield Work(
        "a run in CSV with 5,000 further columns",
        growth.reading(data, "wide.csv"),
        lambda: pl.read_csv(data),
        "Polars reads the table",
    )


ITEMS = (reading, recommending, beyond, pairs, flips, fixed, wide)


def least(work: Work, rounds: int, *, with_peer: bool) -> dict[str, Any]:
    """Return the least CPU seconds of each, as a row."""
    calls = {"ours": work.ours, "limit": work.limit}
    calls |= {"peer": work.peer} if work.peer and with_peer else {}
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):  # the first one loads and compiles
        for name, call in calls.items():
            taken[name].append(work.cpu(call))
    seconds = {name: round(min(of_one[1:]), 4) for name, of_one in taken.items()}
    return {"work": work.name, **seconds, "peer is": work.peer_is, "limit is": work.limit_is}


def of_growths(rounds: int) -> dict[str, Any]:
    """Return the greatest exponent of all growths, as a row of the table."""
    found = {
        name: growth.exponent(sizes, growth.least_times(make, sizes, rounds))
        for name, (make, sizes) in growth.GROWTHS.items()
    }
    worst = max(found, key=lambda name: found[name])
    name = f"the greatest exponent of {len(found)} growths ({worst})"
    of_one = {"ours": round(found[worst], 2), "limit": 1.0}
    return {"work": name, **of_one, "peer is": "—", "limit is": "in proportion"}


def processor() -> str:
    """Return what the system calls the processor."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def facts() -> dict[str, Any]:
    """Return where and when the table was made."""
    libraries = ("polars", "numpy", "pyarrow", "pytrec_eval-terrier", "ranx", "scipy")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": f"{processor()}, {cores()} cores",
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "libraries": {name: importlib.metadata.version(name) for name in libraries},
    }


def rows_of(folder: Path, rounds: int, *, with_peers: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table."""
    for item in ITEMS:
        yield from (least(work, rounds, with_peer=with_peers) for work in item(folder))


def main() -> None:
    """Print the table, row by row, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="one round, beside the last table")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the whole table")
    asked = parser.parse_args()
    is_short, rounds = asked.short, 1 if asked.short else asked.rounds
    warnings.simplefilter("ignore")
    last = (
        json.loads(LAST.read_text(encoding="utf-8"))
        if is_short and LAST.is_file()
        else {"rows": []}
    )
    before = {row["work"]: f"{row['ours'] / row['limit']:.2f}" for row in last["rows"]}
    head = ["work", "ours, CPU s", "peer", "limit", "ours / limit", *["last time"] * is_short]
    print(f"| {' | '.join(head)} |\n|---|{'--:|' * (len(head) - 1)}")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows_of(Path(folder), rounds, with_peers=not is_short):
            print(line(row, *[before.get(row["work"], "—")] * is_short), flush=True)
            found.append(row)
    if not is_short:
        found.append(of_growths(rounds))
        print(line(found[-1]))
        text = json.dumps(
            {**facts(), "rounds": rounds, "rows": found}, indent=1, ensure_ascii=False
        )
        LAST.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
