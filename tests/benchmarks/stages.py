"""What is measured of lexiframe: a list of stages, each from the text or from an earlier table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import recommender

MEASURES = ["AP", "nDCG", "RR", "R@1000"]
EVERY = """
    AP AP@100 nDCG nDCG@10 nDCG@100 RR P@5 P@10 R@100 R@1000 Rprec Success@1 Success@10 RBP gRBP
    ERR@20
    RR(level=2) linear(n=528155) TSE(AP) TSE(nDCG) eta(AP) ISL TSL ASL SL1 SL3 RE
    bpref infAP num_ret num_rel num_rel_ret Judged@10 RBP_residual
""".split()
PREFERENCES = ["RPP", "LR", "LP", "rrLP"]
EIGHT = [*PREFERENCES, "dcgRPP", "AP", "nDCG@10", "RR"]
DEGRADED = ["RPP", "LR", "LP", "AP", "nDCG", "RR", "R@1000", "Rprec"]

Thunk = Callable[[], Any]


class Collection(NamedTuple):
    """Files of a collection, where tables are kept for later stages, how much peers have to do."""

    qrels: str
    runs: list[str]
    tables: Path
    peer_runs: int

    def path(self, table: str) -> Path:
        """Return the file in which `table` is kept."""
        return self.tables / f"{table}.parquet"


Stage = Callable[[Collection], Thunk]  # prepares, and returns what is to be timed


def all_names() -> Any:
    """Return lexiframe with all of its modules loaded, which it does when a name is first used."""
    import lexiframe as lf

    for name in lf.__all__:
        getattr(lf, name)
    return lf


def text(call: Callable[[Any, Collection], Any]) -> Stage:
    """Make a stage that starts from the files: `call(lexiframe, collection)`."""

    def stage(collection: Collection) -> Thunk:
        lf = all_names()
        return lambda: call(lf, collection)

    return stage


def on(table: str, call: Callable[[Any, Any], Any]) -> Stage:
    """Make a stage that starts from the table of an earlier stage: `call(lexiframe, frame)`."""

    def stage(collection: Collection) -> Thunk:
        import polars as pl

        lf = all_names()
        frame = pl.read_parquet(collection.path(table))
        return lambda: call(lf, frame)

    return stage


def text_to_positions(lf: Any, c: Collection) -> Any:
    """Locate the relevant documents of all runs, one file at a time."""
    return lf.positions(lf.scan_runs(c.runs), lf.read_qrels(c.qrels))


def text_to_scores(lf: Any, c: Collection) -> Any:
    """Score all runs from their files, by MEASURES."""
    return lf.scores(text_to_positions(lf, c), MEASURES)


def text_to_preferences(lf: Any, c: Collection) -> Any:
    """Compare all pairs of runs from their files, by PREFERENCES."""
    return lf.preferences(text_to_positions(lf, c), PREFERENCES)


def text_to_interleaving(lf: Any, c: Collection) -> Any:
    """Compare all pairs of runs from their files, by the clicks on both interleaved."""
    return lf.interleaving(lf.scan_runs(c.runs), lf.read_qrels(c.qrels))


def text_to_degradation(lf: Any, c: Collection) -> Any:
    """Take labels away, 9 fractions × 10 samples, and compare all pairs of runs each time."""
    return lf.degradation(c.runs, c.qrels, DEGRADED, what="labels", samples=10)


def preferences(*names: str) -> Stage:
    """Make a stage that compares all pairs of runs by the preferences `names`."""
    return on("positions", lambda lf, p: lf.preferences(p, list(names)))


def ordering(method: str) -> Stage:
    """Make a stage that orders the runs by `method`."""
    return on("preferences", lambda lf, d: lf.order_runs(d, method=method))


def comparison(test: str) -> Stage:
    """Make a stage that tests all pairs of runs."""
    return on("preferences", lambda lf, d: lf.compare(d, test=test, correction="holm"))


def hsd(table: str, measure: str, trials: int) -> Stage:
    """Make a stage that tests all pairs of runs by one measure, with the randomized HSD."""
    return on(table, lambda lf, t: lf.tukey_hsd(t.filter(measure=measure), trials=trials))


def evaluating(measure: str) -> Stage:
    """Make a stage that evaluates all runs from their files by one measure, as users do."""
    return text(lambda lf, c: lf.evaluate(c.runs, c.qrels, [measure]).power)


def of_users(*names: str) -> Stage:
    """Make a stage that compares the runs of a recommender by the preferences `names`."""

    def stage(collection: Collection) -> Thunk:
        lf = all_names()
        p = recommender.positions()
        return lambda: lf.preferences(p, list(names))

    return stage


def large_run(collection: Collection) -> Thunk:
    """Prepare finding the positions of one large run with integer ids."""
    lf = all_names()
    run, judgments = recommender.large_run()
    return lambda: lf.positions({"large": run}, judgments)


# The long table of preferences of all four is what the tables after it are made from.
STAGES: dict[str, Stage] = {
    "text: read_runs": text(lambda lf, c: lf.read_runs(c.runs)),
    "text: scan_runs, coverage": text(
        lambda lf, c: lf.coverage(lf.scan_runs(c.runs), lf.read_qrels(c.qrels))
    ),
    "text: scan_runs, positions": text(text_to_positions),
    "text: all to RPP, LR, LP, rrLP": text(text_to_preferences),
    "text: interleaving": text(text_to_interleaving),
    "positions: scores": on("positions", lambda lf, p: lf.scores(p, MEASURES)),
    "text: scan_runs, judged positions": text(
        lambda lf, c: lf.positions(
            lf.scan_runs(c.runs), lf.read_qrels(c.qrels), judged=True, pool=True
        )
    ),
    "judged positions: 34 metrics": on("judged positions", lambda lf, p: lf.scores(p, EVERY)),
    "positions: RPP": preferences("RPP"),
    "positions: dcgRPP": preferences("dcgRPP"),
    "positions: invRPP": preferences("invRPP"),
    "positions: LR": preferences("LR"),
    "positions: LP": preferences("LP"),
    "positions: rrLP": preferences("rrLP"),
    "positions: AP difference": preferences("AP"),
    "positions: RPP, LR, LP, rrLP": preferences(*PREFERENCES),
    "preferences: win_rates": on("preferences", lambda lf, d: lf.win_rates(d)),
    "preferences: order_runs mean": ordering("mean"),
    "preferences: order_runs win_rate": ordering("win_rate"),
    "preferences: order_runs borda": ordering("borda"),
    "preferences: order_runs copeland": ordering("copeland"),
    "preferences: order_runs mc4": ordering("mc4"),
    "scores: order_runs mean": on("scores", lambda lf, s: lf.order_runs(s, method="mean")),
    "orderings: rank_correlations": on("orderings", lambda lf, o: lf.rank_correlations(o)),
    "preferences: tie_rates": on("preferences", lambda lf, d: lf.tie_rates(d)),
    "preferences: sign_agreement": on("preferences", lambda lf, d: lf.sign_agreement(d)),
    "text: evaluate AP": evaluating("AP"),
    "text: evaluate bpref": evaluating("bpref"),
    "text: degradation, 8 measures": text(text_to_degradation),
    "100,000 users: RPP": of_users("RPP"),
    "100,000 users: RPP, LR, LP, rrLP": of_users(*PREFERENCES),
    "100,000 users: AP, nDCG differences": of_users("AP", "nDCG"),
    "one run of 13.8 million rows": large_run,
    "positions: 8 measures": on("positions", lambda lf, p: lf.preferences(p, EIGHT)),
    "8 measures: compare t and sign": on(
        "preferences of 8", lambda lf, d: lf.compare(d, ["t", "sign"])
    ),
    "scores: compare randomization": on(
        "scores", lambda lf, s: lf.compare(s.filter(measure="AP"), "randomization")
    ),
    "preferences: compare t, holm": comparison("t"),
    "preferences: compare sign, holm": comparison("sign"),
    "scores: tukey_hsd AP, 10,000 trials": hsd("scores", "AP", 10_000),
    "preferences: tukey_hsd LR, 10,000": hsd("preferences", "LR", 10_000),
    "preferences: tukey_hsd RPP, 1,000": hsd("preferences", "RPP", 1_000),
    "comparisons: discriminative_power": on(
        "comparisons", lambda lf, c: lf.discriminative_power(c)
    ),
}

# These take minutes, and are measured once.
LONG = {"text: degradation, 8 measures"}

# What these stages return is kept, for the stages that start from it.
KEPT = {
    "text: scan_runs, positions": "positions",
    "text: scan_runs, judged positions": "judged positions",
    "positions: scores": "scores",
    "positions: RPP, LR, LP, rrLP": "preferences",
    "positions: 8 measures": "preferences of 8",
    "preferences: order_runs win_rate": "orderings",
    "preferences: compare t, holm": "comparisons",
}
