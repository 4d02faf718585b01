"""Calls of every public function with a wrong value of one argument: what may come of them.

A call returns, or raises LexiframeError, or a TypeError with a sentence of the library. Whatever
else it raises is an error of Python, NumPy or Polars that the library should have seen coming.
"""

import inspect
import linecache
import random
import signal
import traceback
import warnings
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

import lexiframe as lf
from lexiframe.core.base.face import user_names

QUERIES = [f"q{n}" for n in range(8)]
RUNS = {
    run: {
        q: {f"d{d}": float((5 * n + 3 * d + k) % 7) for d in range(6)}
        for n, q in enumerate(QUERIES)
    }
    for k, run in enumerate("abc")
}
ITEMS = pl.DataFrame({"doc_id": [f"d{n}" for n in range(20)], "users": range(20)})
QRELS = {q: {f"d{d}": (n + d) % 3 for d in range(5)} for n, q in enumerate(QUERIES)}
OTHER = {q: {f"d{d}": (n + 2 * d) % 3 for d in range(5)} for n, q in enumerate(QUERIES)}
BOARD = pl.DataFrame(
    [(run, f"c{c}", float((5 * c + 3 * k) % 7)) for k, run in enumerate("abc") for c in range(6)],
    schema=["run", "collection", "value"],
    orient="row",
)
GROUPS = pl.DataFrame({"query_id": QUERIES, "kind": ["x", "y"] * 4})

ANSWERS = pl.DataFrame(
    [(q, run, (3 * n + 2 * k) % 7) for n, q in enumerate(QUERIES) for k, run in enumerate("ab")],
    schema=["query_id", "run", "length"],
    orient="row",
)
VOTES = pl.DataFrame({"query_id": QUERIES, "run_a": "a", "run_b": "b", "winner": ["a", "b"] * 4})

FAMILIES = pl.DataFrame({"run": [*"abc"], "family": [*"xyz"]})
NUGGETS = pl.DataFrame({"query_id": "q", "nugget_id": ["1", "2"], "importance": "vital"})
STATED = pl.DataFrame(
    {"run": [*"aabb"], "query_id": "q", "nugget_id": [*"1212"], "credit": 1.0, "sentence": 1}
)
JUDGED = pl.concat([VOTES.with_columns(judge=pl.lit(judge)) for judge in ("ann", "bob", "cat")])


def arguments(folder):
    """Valid arguments by name, and for functions in which a name means something else."""
    p = lf.positions(RUNS, QRELS, pool=True)
    s, d = lf.scores(p, ["AP", "RR"]), lf.preferences(p, ["RPP", "AP"])
    c, o = lf.compare(s), lf.order_runs(s, "mean")
    with warnings.catch_warnings(action="ignore"):
        signs = lf.compare(s, "sign")
    e = lf.evaluate(RUNS, QRELS, ["AP", "RPP"])
    run, qrels = folder / "a.run", folder / "qrels.txt"
    lines = (f"{q} Q0 {x} 1 {y} a\n" for q, docs in RUNS["a"].items() for x, y in docs.items())
    run.write_text("".join(lines))
    lines = (f"{q} 0 {x} {y}\n" for q, docs in QRELS.items() for x, y in docs.items())
    qrels.write_text("".join(lines))
    (folder / "log.csv").write_text("run,size\na,1\nb,2\n")
    (folder / "scores.csv").write_text(s.write_csv())
    names = {
        "runs": RUNS, "qrels": QRELS, "p": p, "s": s, "d": d, "c": c, "o": o, "e": e,
        "s_or_d": s, "evaluation": e, "new_runs": {"z": RUNS["a"]}, "table": s, "frame": s,
        "scores": s,
        "measures": ["AP", "RR"], "methods": ["AP"], "metric": "AP", "measure": "AP",
        "judges": {"one": QRELS, "two": OTHER}, "c1": c, "c2": signs,
        "real": (RUNS, QRELS), "other": (RUNS, OTHER), "query_id": "q1", "run_a": "a",
        "run_b": "b", "a": "a", "b": "b", "corpus_size": 100, "margin": 0.1, "baseline": "a",
        "candidate": "b", "sizes": [5, 9], "path": run, "text": "AP", "run": "a", "fraction": 0.5,
        "depth": 3, "providers": pl.DataFrame({"doc_id": ["d1"], "provider": ["x"]}),
        "attributes": GROUPS, "log": folder / "log.csv", "source": folder / "scores.csv",
        "tracking_uri": "sqlite:///" + str(folder / "nothing.db"), "n": 6, "m": 2,
        "method": "AP", "depths": [2, 3], "trials": 20, "inner_trials": 20, "samples": 5,
        "splits": 5, "pairs": 20, "tests": ["t"], "levels": 2, "following": 1, "requests": GROUPS,
        "comparisons": 3,
        "by": "kind", "fractions": [0.5], "seed": 1, "k": 3, "ranks": [1, 3],
        "labels": d.filter(measure="RPP"), "judgments": VOTES, "stated": VOTES,
        "answers": ANSWERS, "covariates": "length", "groups": "kind",
    }  # fmt: skip
    special = {
        "order_runs": {"method": "mc4"}, "rank_distributions": {"method": "mean"},
        "order_probabilities": {"method": "mean"}, "rank_correlations": {"method": "kendall"},
        "bootstrap_correlations": {"method": "kendall"},
        "group_correlations": {"method": "kendall"},
        "tukey_hsd": {"method": "parametric"}, "contrasting": {"measure": "RBO(p=0.9)"},
        "overlap": {"measures": "Jaccard@3"}, "tie_probability": {"method": "TSE"},
        "distinct_values": {"method": "RR"}, "order": {"method": "AP"},
        "simulate_agreement": {"m": (2, 3)}, "simulate_ties": {"m": (2, 3)},
        "simulate_collection": {"requests": 5, "runs": 3, "depth": 9, "seed": 0},
        "check_qrels": {"path": qrels}, "read_log": {"path": folder / "log.csv"},
        "with_log": {"table": o}, "with_attributes": {"table": s},
        "write_trec": {"table": lf.read_runs(RUNS), "path": folder / "out"},
        "write_parquet": {"path": folder / "out.parquet"}, "power_curve": {"d": d},
        "bundled": {"name": "example"}, "to_ir_measures": {"table": lf.read_runs(RUNS)},
        "to_ranx": {"table": lf.read_runs(RUNS)}, "to_pytrec_eval": {"table": lf.read_runs(RUNS)},
        "deciding_levels": {"measures": ["LP"]}, "lex": {"measures": "RR>AP"},
        "deciding_components": {
            "d": lf.preferences(lf.positions(RUNS, QRELS), "RR>AP", deciding_level=True),
        },
        "unjudged": {"depth": 5},
        "read_items": {"items": ITEMS},
        "list_scores": {"measures": "Novelty@2", "items": lf.read_items(ITEMS)},
        "catalogue": {"measures": "Gini@2", "items": lf.read_items(ITEMS)},
        "p_mrr": {"original": RUNS, "changed": RUNS, "lost": QRELS},
        "impute": {"p": lf.positions(RUNS, QRELS)}, "required_requests": {"margin": 0.1},
        "leaderboard": {"x": BOARD}, "read_preferences": {"source": VOTES},
        **{name: {"x": BOARD} for name in user_names(lf.collection)},
        "exposure_curve": {"runs": RUNS, "items": lf.read_items(ITEMS), "cutoff": 2},
        "own_family": {"people": s, "judges": s, "families": FAMILIES, "own": "x"},
        "nugget_positions": {"statements": STATED, "nuggets": NUGGETS},
        "nugget_scores": {"n": STATED, "nuggets": NUGGETS},
        "next_pairs": {"runs": ["c"], "n": 3}, "judge_consistency": {"stated": JUDGED},
        "bradley_terry": {
            "by": "request", "answers": ANSWERS, "requests": GROUPS, "groups": "kind",
        },
        "evaluate": {"measures": ["AP"]}, "measures": {"measure": "AP"},
        "conventions": {"measure": "AP"}, "win_rate_matrix": {"measure": "AP", "runs": ["a", "b"]},
    }  # fmt: skip
    return names, special


class Odd:
    """An object that is no argument of anything."""

    def __repr__(self):
        return "Odd()"


def wrong_values(random):
    """Values that hardly any argument takes, or that few take."""
    frame = pl.DataFrame({"x": [1, 2]})
    return [
        None, True, False, 0, 1, -1, 2, 5000, 10**9, 2**62, 2**63, 2**70, 10**30, -(10**30),
        0.0, 0.5, 1.0, -0.5, 1e-300, 1e308, float("nan"), float("inf"), -float("inf"), 1j,
        Decimal("0.5"), Fraction(1, 3), "", " ", "x", "AP", "a", "q1", "mean", "t", "é" * 300, "\0",
        "RBP(p={[1]})", "nDCG@0", "RPP LR", b"a", b"", bytearray(b"a"), Path("nowhere"), [], [1],
        [None], ["a"], ["AP", 1], [[1]], (), (1, 2), ("a", "b"), {}, {"a": 1}, {1: "a"},
        {"AP": 0.1},
        {1}, frozenset("a"), range(3), slice(1), np.array(1), np.array([1, 2]), np.array(["a"]),
        np.float64(0.5), np.int64(3), np.array([[0.5]]), frame, frame.lazy(), frame["x"],
        frame.to_arrow(), pa.array([1]), pa.table({"run": ["a"]}), pl.col("x"), pl.String, int, str,
        Odd, Odd(), len, lambda *_: 1, lf.AP, lf.RPP, lf, iter([1]), open, NotImplemented, ...,
        random.random(), random.randint(-9, 99), random.choice("abcdefgh"),
    ]  # fmt: skip


def functions():
    """Every public function, by its name."""
    found = {n: getattr(lf, n) for n in lf.__all__ if inspect.isfunction(getattr(lf, n))}
    found |= {n: getattr(lf.collection, n) for n in user_names(lf.collection)}
    found |= {"judge_consistency": lf.collection.judge_consistency}
    return found | {n: getattr(lf.theory, n) for n in lf.theory.__all__}


@contextmanager
def time_limit(seconds):
    def stop(*_):
        raise TimeoutError(f"took more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def is_ours(error):
    """Whether an error is LexiframeError, or a TypeError that a line of the library raises."""
    if isinstance(error, lf.LexiframeError):
        return True
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno).strip()
    inside = "lexiframe" in Path(frame.filename).parts and "site-packages" not in frame.filename
    return isinstance(error, TypeError) and inside and line.startswith("raise")


def outcome(function, given):
    """What is wrong with what came of a call; nothing if all is well."""
    with warnings.catch_warnings(), time_limit(20):
        warnings.simplefilter("ignore")
        try:
            parameters = inspect.signature(function).parameters
            kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL
            in_place = [n for n in given if parameters[n].kind in kinds]
            named = {n: value for n, value in given.items() if n not in in_place}
            function(*(given[n] for n in in_place), **named)
        except BaseException as error:  # noqa: BLE001 - a panic of Polars is no Exception
            if isinstance(error, KeyboardInterrupt) or is_ours(error):
                return None if is_ours(error) else "interrupted"
            place = traceback.extract_tb(error.__traceback__)
            ours = [f for f in place if "lexiframe" in f.filename and "tests" not in f.filename]
            where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
            return f"{type(error).__name__} at {where}: {str(error)[:100]!r}"
    return None


def calls(folder, n, seed):
    """Draw n calls: a function, the argument that is wrong, and all arguments."""
    draw = random.Random(seed)
    names, special = arguments(folder)
    every = functions()
    for _ in range(n):
        called = draw.choice(sorted(every))
        parameters = [
            p for p in inspect.signature(every[called]).parameters.values()
            if p.kind is not p.VAR_KEYWORD
        ]  # fmt: skip
        known = {**names, **special.get(called, {})}
        given = {
            p.name: known[p.name]
            for p in parameters
            if p.name in special.get(called, {})
            or (p.name in known and (p.default is p.empty or p.name in CHEAP))
        }
        may_be_wrong = [p.name for p in parameters if p.name not in WRITES]
        if not may_be_wrong:
            continue
        wrong = draw.choice(may_be_wrong)
        value = draw.choice(wrong_values(draw))
        if wrong in CHEAP and isinstance(value, int) and value >= 5000:
            continue  # that many trials are asked for rightly, and take long
        given = {p.name: value if p.name == wrong else given[p.name] for p in parameters
                 if p.name == wrong or p.name in given}  # fmt: skip
        yield called, wrong, value, every[called], given


CHEAP = {"fractions", "trials", "inner_trials", "samples", "splits", "pairs", "sizes"}
"""Options that are given, so that a call takes little time."""
WRITES = {"out", "path", "reuse"}
"""Where a wrong value could write: these have tests of their own."""
