"""How often intervals and tests of Coverage, Gini, Entropy and Exposure hold, and how fast.

``python tests/benchmarks/beyond.py intervals --requests 100 2000`` draws requests again and again,
as many as it says, and counts how often the interval of a number holds its expectation, how often
that of the difference of two runs does, and how often a test of two exchangeable runs rejects. The
promise is 95 %, 95 % and 5 %. Lists are drawn at random: items of a user's own tastes are five
times as probable as others, and few items are popular; ``--runs FOLDER`` draws the users of real
runs with replacement instead, from ``runs/`` and ``qrels.trec`` in that folder. Intervals are those
of `catalogue`, with groups of requests above 1,000, or as ``--groups`` says.

``python tests/benchmarks/beyond.py leaderboards`` counts the same for leaderboards of three
collections over other requests.

``python tests/benchmarks/beyond.py speed`` times measures of lists, one by one and all at once,
beside nDCG@10 of `evaluate`, for users and items of the number of MovieLens 20M; with
``--rectools-python PATH``, a Python that has RecTools, also those of its measures that mean the
same, of which the values are printed.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import lexiframe as lf
from lexiframe.core.projection import Policies
from lexiframe.decide import beyond
from lexiframe.decide.beyond.catalogue_measures import share_of
from lexiframe.decide.beyond.lists import Lists

K, ITEMS, TASTES = 10, 1_682, 20
EVENLY = {"diverse": 0.3, "usual": 0.8, "popular": 1.6}
"""The exponent of popularity by which each simulated run recommends."""


def simulated(exponent, seed):
    """Return a function that draws the lists of some users, requests × K numbers of items."""
    rng = np.random.default_rng(seed)
    log_popularity = -exponent * np.log1p(np.random.default_rng(0).permutation(ITEMS))
    taste = np.random.default_rng(1).integers(TASTES, size=ITEMS)

    def draw(n):
        own = rng.integers(TASTES, size=n)[:, None] == taste
        keys = log_popularity + own * np.log(5) + rng.gumbel(size=(n, ITEMS))
        return np.argpartition(-keys, K, axis=1)[:, :K]

    return draw


def resampled(lists, seed):
    """Return a function that draws users of a real run with replacement."""
    rng = np.random.default_rng(seed)
    return lambda n: lists[rng.integers(len(lists), size=n)]


def real_runs(folder):
    """Return the items' number, and each run's lists of K items, of users with as many."""
    documents = pl.DataFrame(lf.read_runs(folder / "runs"))["doc_id"].unique()
    items = lf.read_items(pl.DataFrame({"doc_id": documents}))
    found = beyond.lists_of(folder / "runs", items, Policies(), folder / "qrels.trec", cutoff=K)
    whole = {one.name: one for one in found if (one.length == K).all()}
    return len(items), {name: one.item.reshape(-1, K) for name, one in whole.items()}


def as_lists(drawn, items):
    """Return drawn items as the lists of a run."""
    n = len(drawn)
    request, rank = np.repeat(np.arange(n), K), np.tile(np.arange(1, K + 1), n)
    queries = pl.Series([f"u{i:07}" for i in range(n)])
    return Lists("r", request, drawn.ravel(), rank, queries, items, None, None, {})


def measures(n_items):
    """Return the measures, Exposure as that of a provider who has every tenth item."""
    owned = (np.arange(n_items) % 10 == 0).astype(float)
    of_totals, without_each = share_of(owned)
    exposure = beyond.CatalogueMetric("Exposure", of_totals, without_each)
    return [*(lf.Coverage @ K, lf.Gini @ K, lf.Entropy @ K), exposure @ K]


def held(draw, other, n_requests, n_items, draws, groups=None):
    """Return for each measure the rates at which intervals hold, and tests of two draws reject.

    ``other`` draws a second run; the test is of two draws of the first.
    """
    items = lf.read_items(pl.DataFrame({"doc_id": [f"d{i:05}" for i in range(n_items)]}))
    plan = beyond.How(measures(n_items), groups, "t", 0.05, 0, 0)
    rows = []
    for number in range(draws):
        three = [as_lists(one(n_requests), items) for one in (draw, draw, other)]
        named = [
            Lists(**{**vars_of(one), "name": name}) for one, name in zip(three, "abc", strict=True)
        ]
        v, c = plan.tables(named)
        value = v.filter(run="a").select("measure", "value", "ci_low", "ci_high")
        same = c.filter(run_a="a", run_b="b").select("measure", "p_value")
        apart = c.filter(run_a="a", run_b="c").select(
            "measure", "mean_difference", low="ci_low", high="ci_high"
        )
        rows.append(value.join(same, on="measure").join(apart, on="measure").with_columns(n=number))
    table = pl.concat(rows)
    means = table.group_by("measure").agg(truth=pl.mean("value"), gap=pl.mean("mean_difference"))
    return (
        table.join(means, on="measure")
        .group_by("measure", maintain_order=True)
        .agg(
            interval=pl.col("truth").is_between("ci_low", "ci_high").fill_null(False).mean(),
            difference=pl.col("gap").is_between("low", "high").fill_null(False).mean(),
            rejected=(pl.col("p_value") < 0.05).mean(),
        )
    )


def vars_of(one):
    """Return the fields of lists, without what was computed of them."""
    return {name: getattr(one, name) for name in Lists.__dataclass_fields__}


def intervals(arguments):
    """Print the rates for each number of requests and each run."""
    if arguments.runs:
        n_items, lists = real_runs(arguments.runs)
        names = [*lists][: arguments.most]
        draws = {name: (lambda seed, of=lists[name]: resampled(of, seed)) for name in names}
    else:
        n_items = ITEMS
        draws = {n: (lambda seed, e=e: simulated(e, seed)) for n, e in EVENLY.items()}
    names = [*draws]
    for n in arguments.requests:
        for name, other in zip(names, names[1:] + names[:1], strict=True):
            first, second = draws[name](7), draws[other](8)
            found = held(first, second, n, n_items, arguments.draws, arguments.groups)
            said = (f"{m} {i:.3f}/{d:.3f}/{r:.3f}" for m, i, d, r in found.rows())
            print(f"Q = {n:,}, {name} (and {other}): {'; '.join(said)}", flush=True)


def over_requests(draws, exponents, other, sizes=(50, 100, 200)):
    """Return by measure the rates at which intervals of leaderboards hold, and tests reject.

    Two runs recommend in a collection for each of the exponents of their popularity.
    """
    items = lf.read_items(pl.DataFrame({"doc_id": [f"d{i:05}" for i in range(ITEMS)]}))
    named = [lf.Coverage @ K, lf.Gini @ K, lf.Entropy @ K]
    plan = beyond.How(named, None, "t", 0.05, 0, 0)
    both = [
        [simulated(one, seed) for seed, one in enumerate(of_run, start)]
        for of_run, start in ((exponents, 0), (other, 50))
    ]
    rows = []
    for _ in range(draws):
        reached = {}
        for n, two in zip(sizes, zip(*both, strict=True), strict=True):
            lists = [vars_of(as_lists(draw(n), items)) for draw in two]
            runs = [Lists(**of | {"name": name}) for of, name in zip(lists, "ab", strict=True)]
            reached[str(n)] = beyond.catalogue_of(runs, plan, ["holm"], "measure", (None, None))
        for measure in map(str, named):
            c = lf.leaderboard(reached, measure=measure, over="requests").comparisons
            rows.append(
                c.select("mean_difference", "ci_low", "ci_high", "p_value", m=pl.lit(measure))
            )
    table = pl.concat(rows).with_columns(truth=pl.col("mean_difference").mean().over("m"))
    return table.group_by("m", maintain_order=True).agg(
        interval=pl.col("truth").is_between("ci_low", "ci_high").mean(),
        rejected=(pl.col("p_value") < 0.05).mean(),
    )


def leaderboards(arguments):
    """Print the rates of leaderboards over requests: of runs that are alike, and of others."""
    for exponents, other in [((0.8, 0.8, 0.8),) * 2, ((0.8, 0.3, 0.8), (1.6, 0.8, 0.3))]:
        for measure, held, rejected in over_requests(arguments.draws, exponents, other).rows():
            print(f"{exponents} and {other}, {measure}: {held:.3f}, {rejected:.3f}", flush=True)


def seconds(call):
    """Return the least of three times."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def speed(arguments):
    """Print times beside that of nDCG by `evaluate`, as ratios."""
    rng, users, n_items = np.random.default_rng(0), arguments.users, 27_000
    item = (rng.integers(n_items, size=(users, 1)) + np.arange(K) * 997) % n_items
    run = pl.DataFrame(
        {
            "user_id": np.repeat(np.arange(users), K),
            "item_id": item.ravel(),
            "score": np.tile(np.linspace(1, 0, K), users),
        }
    )
    past = pl.DataFrame(
        {"user_id": np.repeat(np.arange(users), 20), "item_id": rng.zipf(1.3, users * 20) % n_items}
    )
    qrels = pl.DataFrame({"user_id": np.arange(users), "item_id": item[:, 3], "relevance": 1.0})
    table = pl.DataFrame({"item_id": np.arange(n_items)}).with_columns(
        categories=pl.Series([[f"c{n % 18}", f"c{n % 7}"] for n in range(n_items)]),
        vector=pl.Series(rng.normal(size=(n_items, 64)).tolist()),
    )
    items = lf.read_items(table, history=past)
    runs = {"model": run}
    base = seconds(lambda: lf.evaluate(runs, qrels, "nDCG@10"))
    print(
        f"evaluate, nDCG@10, values and intervals: {base:.2f} s "
        f"({users:,} users, top {K}, {n_items:,} items)"
    )
    each = ["Novelty@10", "CategoryEntropy@10", "Miscalibration@10", "ARP@10", "PopularityLift@10",
            "APLT@10", "Serendipity@10"]  # fmt: skip
    asked = {name: [name] for name in each} | {"all without ILD": each, "ILD@10": ["ILD@10"]}
    for name, some in asked.items():
        took = seconds(lambda some=some: lf.list_scores(runs, some, items, qrels=qrels))
        print(f"list_scores, {name}, values: {took:.2f} s, {took / base:.2f} times", flush=True)
    took = seconds(lambda: lf.catalogue(runs, ["Coverage@10", "Gini@10", "Entropy@10"], items))
    said = "catalogue, Coverage, Gini, Entropy, values and intervals"
    print(f"{said}: {took:.2f} s, {took / base:.2f} times")
    if arguments.rectools_python:
        beside_rectools(arguments, run, past.unique(maintain_order=True))


def beside_rectools(arguments, run, past):
    """Print the times of RecTools, in its own environment, beside ours, in turn, as ratios.

    Both begin with frames; theirs ends with values, ours with values and intervals. All measures
    together are asked of one reading and ranking of the lists. Components of items, of which
    Hamming distances are, are 18 zeros or ones.
    """
    rng = np.random.default_rng(0)
    parts = pl.DataFrame(rng.integers(2, size=(27_000, 18)), [f"f{n}" for n in range(18)])
    table = pl.DataFrame({"item_id": np.arange(27_000), "vector": parts.to_numpy()})
    lists, runs = {"Novelty": "Novelty@10", "ARP": "ARP@10"}, {"model": run}
    lists["ILD"] = "ILD(distance=hamming)@10"

    def of_lists(*measures):
        needed = table if lists["ILD"] in measures else table.select("item_id")
        items = lf.read_items(needed, history=past)
        return lf.evaluate(runs, None, measures, items=items).means["mean"][0]

    def of_all():
        items = lf.read_items(table.select("item_id"))
        return lf.catalogue(runs, "Coverage@10", items).values["value"][0]

    ours = {name: (lambda one=one: of_lists(one)) for name, one in lists.items()}
    ours |= {"Coverage": of_all, "all": lambda: of_lists(*lists.values(), "Coverage@10")}
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        run.write_parquet(Path(folder, "run.parquet"))
        past.write_parquet(Path(folder, "past.parquet"))
        parts.insert_column(0, table["item_id"]).write_parquet(Path(folder, "parts.parquet"))
        command = [arguments.rectools_python, str(Path(__file__).with_name("beyond_rectools.py"))]
        for _ in range(3):
            done = subprocess.run([*command, folder], capture_output=True, text=True, check=True)
            theirs = json.loads(done.stdout.splitlines()[-1])
            for name, call in ours.items():
                start = time.perf_counter()
                value = call()
                rounds.append((name, time.perf_counter() - start, value, *theirs[name]))
    for name in ours:
        mine, value, theirs, its_value = zip(
            *(one[1:] for one in rounds if one[0] == name), strict=True
        )
        ratio = statistics.median(b / a for a, b in zip(mine, theirs, strict=True))
        print(
            f"{name}: values and intervals {statistics.median(mine):.2f} s, RecTools' values "
            f"{statistics.median(theirs):.2f} s, {ratio:.1f} times"
            + ("" if name == "all" else f" ({value[0]:.6f}, {its_value[0]:.6f})")
        )


def main():
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parts = parser.add_subparsers(required=True)
    one = parts.add_parser("intervals")
    one.set_defaults(run=intervals)
    one.add_argument("--requests", type=int, nargs="+", default=[50, 100, 400])
    one.add_argument("--draws", type=int, default=400)
    one.add_argument("--groups", type=int)
    one.add_argument("--runs", type=Path)
    one.add_argument("--most", type=int, default=6)
    boards = parts.add_parser("leaderboards")
    boards.set_defaults(run=leaderboards)
    boards.add_argument("--draws", type=int, default=300)
    two = parts.add_parser("speed")
    two.set_defaults(run=speed)
    two.add_argument("--users", type=int, default=138_000)
    two.add_argument("--rectools-python", metavar="PATH", help="a Python with RecTools")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
