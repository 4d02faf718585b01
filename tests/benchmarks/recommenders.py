"""Measure lexiframe beside RePlay and RecTools: one run of a recommender, of the size of MovieLens.

The data are simulated (see `recommender.movielens`), because those of MovieLens 20M may not be
passed on: 138,493 users with 100 recommendations each, 13.8 million rows, and 3.2 million relevant
pairs, with integer ids. They are written once, as Parquet. Every tool then starts from frames in
memory of its own kind, with the columns that it wants, and returns the mean over the users of
HitRate, P, R, MAP, nDCG and MRR at 1, 5, 10 and 100:

lexiframe         Polars; ``aggregates(scores(positions(...), measures))``
evaluate          Polars; ``evaluate(...).means``, which adds coverage and confidence intervals
RePlay            Polars; OfflineMetrics with all metrics at once
RecTools          pandas, with a column of ranks, as its models return; calc_metrics, all at once

Each runs in a process of its own, in turn, several times, so that noise hits all of them. The clock
runs for that call alone: importing libraries and loading the frames come before it. Wall and CPU
time (user and system, all threads) are medians over the rounds, the peak is the largest resident
memory that the process had, and the column beside it is what was there when the clock started. A
ratio is the median over the rounds.

The means are compared, each with that of the measure that has its definition here (see
`lexiframe.conventions` for where names mean different things): RePlay's MAP@k is
AP(denominator='min')@k, and RecTools' NDCG@k is DCG@k, divided by that of k relevant items,
whatever a user has. These two are computed apart from the 24 measures that are under the clock.

RePlay and RecTools need versions of libraries that lexiframe's environment does not have. Give the
Python of their environments (one may hold both) as ``--replay-python`` and ``--rectools-python``:

    python -m venv PEERS && PEERS/bin/pip install replay-rec rectools polars pandas

The exit status is 0 when everything ran and the means agree, even if a target was missed: times
depend on the machine.
"""

import argparse
import json
import math
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # this checkout, whatever else is installed

CUTOFFS = [1, 5, 10, 100]
TARGETS = {
    ("RePlay", "lexiframe"): (8, 12),
    ("RePlay", "evaluate"): (5, 8),
    ("RecTools", "lexiframe"): (3, 4),
}
"""How many times our time each needs at least, and the aim."""
SAME = 1e-9
"""The greatest difference of two means that comes from the order of summation alone."""

Means = dict[str, float]
Call = Callable[[], Means]

# ------------------------------------------------------------- one tool, in a process of its own


def lexiframe_scores(run: Path, judgments: Path) -> Call:
    """Prepare the steps from frames to means."""
    import polars as pl

    import lexiframe as lf

    frames = pl.read_parquet(run), pl.read_parquet(judgments)
    measures = lexiframe_measures()

    def means() -> Means:
        s = lf.scores(lf.positions({"model": frames[0]}, frames[1]), [*measures.values()])
        return named(lf.aggregates(s), "value", measures)

    means_of_a_few(frames, lf)
    return means


def lexiframe_evaluate(run: Path, judgments: Path) -> Call:
    """Prepare the same in one call."""
    import polars as pl

    import lexiframe as lf

    frames = pl.read_parquet(run), pl.read_parquet(judgments)
    measures = lexiframe_measures()

    def means() -> Means:
        e = lf.evaluate({"model": frames[0]}, frames[1], [*measures.values()])
        return named(e.means, "mean", measures)

    means_of_a_few(frames, lf)
    return means


def means_of_a_few(frames: tuple[Any, Any], lf: Any) -> None:
    """Evaluate a few users, which loads the modules of lexiframe that are loaded when needed."""
    few = [frame.filter(frame["user_id"] <= 3) for frame in frames]
    lf.aggregates(lf.evaluate({"model": few[0]}, few[1], ["RR"]).scores)


def lexiframe_measures() -> dict[str, str]:
    """Return lexiframe's notation of each measure, by the names that this benchmark prints."""
    stems = {"HitRate": "Success@{}", "P": "P@{}", "R": "R@{}", "MAP": "AP@{}", "nDCG": "nDCG@{}"}
    return at_cutoffs(stems | {"MRR": "RR@{}"})


def lexiframe_others(run: Path, judgments: Path) -> Call:
    """Prepare the measures that have the other definitions of the peers; not under the clock."""
    import polars as pl

    import lexiframe as lf

    measures = at_cutoffs({"MAP, min(m, k)": "AP(denominator='min')@{}", "DCG": "DCG@{}"})
    p = lf.positions({"model": pl.read_parquet(run)}, pl.read_parquet(judgments))
    ideal = {k: math.fsum(1 / math.log2(rank + 1) for rank in range(1, k + 1)) for k in CUTOFFS}

    def means() -> Means:
        found = named(lf.aggregates(lf.scores(p, [*measures.values()])), "value", measures)
        dcg = {k: found.pop(at("DCG", k)) for k in CUTOFFS}
        return found | {at("nDCG, k relevant", k): dcg[k] / ideal[k] for k in CUTOFFS}

    return means


def at_cutoffs(notations: dict[str, str]) -> dict[str, str]:
    """Return the notation of each measure at each cut-off, by the names that are printed."""
    return {at(stem, k): text.format(k) for stem, text in notations.items() for k in CUTOFFS}


def at(stem: str, k: int) -> str:
    """Return the name of a measure at a cut-off."""
    return f"{stem} @ {k}"


def named(table: Any, column: str, measures: dict[str, str]) -> Means:
    """Return the means of a table by the names that this benchmark prints."""
    values = dict(table.select("measure", column).rows())
    return {name: values[measure] for name, measure in measures.items()}


def replay(run: Path, judgments: Path) -> Call:
    """Prepare RePlay on Polars."""
    import polars as pl
    from replay.metrics import MAP, MRR, NDCG, HitRate, OfflineMetrics, Precision, Recall

    frames = (
        pl.read_parquet(run).rename({"user_id": "query_id", "score": "rating"}),
        pl.read_parquet(judgments).select("item_id", query_id="user_id"),
    )
    kinds = {"HitRate": HitRate, "P": Precision, "R": Recall, "MAP, min(m, k)": MAP}
    kinds |= {"nDCG": NDCG, "MRR": MRR}
    metrics = [kind(CUTOFFS) for kind in kinds.values()]

    def means() -> Means:
        found = OfflineMetrics(metrics)(*frames)
        names = {kind.__name__: name for name, kind in kinds.items()}
        parts = {key: key.partition("@") for key in found}
        return {at(names[stem], int(k)): found[key] for key, (stem, _, k) in parts.items()}

    return means


def rectools(run: Path, judgments: Path) -> Call:
    """Prepare RecTools on pandas."""
    import pandas as pd
    from rectools.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall, calc_metrics

    table = pd.read_parquet(run)
    table["rank"] = table.groupby("user_id").cumcount() + 1  # rows of a user stand best first
    relevant = pd.read_parquet(judgments)[["user_id", "item_id"]]
    kinds = {"HitRate": HitRate, "P": Precision, "R": Recall, "MAP": MAP, "MRR": MRR}
    kinds |= {"nDCG, k relevant": NDCG}
    metrics = {at(name, k): kind(k=k) for name, kind in kinds.items() for k in CUTOFFS}
    return lambda: calc_metrics(metrics, table, relevant)


TOOLS: dict[str, Callable[[Path, Path], Call]] = {
    "lexiframe": lexiframe_scores,
    "other definitions": lexiframe_others,
    "evaluate": lexiframe_evaluate,
    "RePlay": replay,
    "RecTools": rectools,
}
LIBRARIES = {
    "lexiframe": ["lexiframe", "polars", "numpy"],
    "RePlay": ["replay-rec", "polars", "numpy"],
    "RecTools": ["RecTools", "pandas", "numpy"],
}


def work(tool: str, run: str, judgments: str) -> dict[str, Any]:
    """Run one tool in this process; return its figures and its means."""
    from run import timed

    means: Means = {}

    def stage(_: Any) -> Callable[[], None]:
        call = TOOLS[tool](Path(run), Path(judgments))
        return lambda: means.update({name: float(value) for name, value in call().items()})

    return {**timed(stage, None), "means": means}  # type: ignore[arg-type]


# ------------------------------------------------------------------------------- all of them


def measured(python: str, tool: str, run: Path, judgments: Path) -> dict[str, Any]:
    """Run one tool in a new process; return what `work` does, or ``{"error": …}``."""
    command = [python, "-W", "ignore", str(Path(__file__)), "--work", tool, str(run)]
    done = subprocess.run([*command, str(judgments)], capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return {"error": last[0]}
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def versions(python: str, libraries: list[str]) -> str:
    """Return the versions of libraries in an environment."""
    code = "import importlib.metadata as m, json, sys; print(json.dumps([m.version(n) for n in "
    code += f"{libraries!r}]), sys.version.split()[0])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        return "versions unknown"
    numbers, _, own = done.stdout.rpartition(" ")
    pairs = zip(libraries, json.loads(numbers), strict=True)
    return ", ".join(f"{name} {number}" for name, number in pairs) + f", Python {own.strip()}"


def largest_difference(ours: Means, theirs: Means) -> float:
    """Return the largest difference of a tool's means from ours; infinite for a missing one."""
    return max(abs(theirs[name] - ours.get(name, math.inf)) for name in theirs)


def compare(pythons: dict[str, str], run: Path, judgments: Path, repeat: int) -> dict[str, list]:
    """Measure all tools in turn, `repeat` times."""
    rounds: dict[str, list[dict[str, Any]]] = {tool: [] for tool in pythons}
    for _ in range(repeat):
        for tool, python in pythons.items():
            rounds[tool].append(measured(python, tool, run, judgments))
            print(f"measured: {tool}", file=sys.stderr, flush=True)
    return rounds


def print_times(rounds: dict[str, list[dict[str, Any]]], ours: Means) -> None:
    """Print the table of times, with how many times lexiframe's time each tool needs."""
    from run import header, ratio, row, summary

    print(header("frames to means", "   / lexiframe: wall, CPU   differs by"))
    for tool, of_tool in rounds.items():
        end = ""
        if tool != "lexiframe" and (times := ratio(rounds, tool)) is not None:
            differs = largest_difference(ours, of_tool[0]["means"])
            end = f" {times:18.1f} {ratio(rounds, tool, 'cpu'):5.1f} {differs:>12.1e}"
        print(row(tool, summary(of_tool), end))


def print_means(rounds: dict[str, list[dict[str, Any]]], ours: Means) -> bool:
    """Print all means beside each other; return whether those of one definition are the same."""
    found = {tool: of[0]["means"] for tool, of in rounds.items() if "means" in of[0]}
    found = {**found, "lexiframe": ours}
    print(f"\n{'mean over the users':<24}", *(f"{tool:>18}" for tool in found))
    for name in ours:
        values = (of.get(name) for of in found.values())
        shown = (f"{'–':>18}" if value is None else f"{value:18.15f}" for value in values)
        print(f"{name:<24}", *shown)
    return all(largest_difference(ours, theirs) <= SAME for theirs in found.values())


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    from recommender import MOVIELENS_USERS

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replay-python", metavar="PATH", help="a Python with replay-rec")
    parser.add_argument("--rectools-python", metavar="PATH", help="a Python with RecTools")
    parser.add_argument(
        "--users", type=int, default=MOVIELENS_USERS, metavar="N", help="users (%(default)s)"
    )
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="K", help="repetitions (%(default)s)"
    )
    parser.add_argument("--shuffled", action="store_true", help="put all rows in a random order")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there, too")
    arguments = parser.parse_args()
    if min(arguments.repeat, arguments.users) < 1:
        parser.error("--repeat and --users must be at least 1")
    if arguments.shuffled and arguments.rectools_python:
        parser.error("RecTools' ranks are those of rows in order: leave one of the options out")
    return arguments


def write_data(folder: Path, users: int, *, shuffled: bool) -> tuple[Path, Path]:
    """Write the run and the judgments as Parquet, and print their sizes."""
    from recommender import movielens

    tables = dict(zip(("run", "judgments"), movielens(users), strict=True))
    if shuffled:
        tables = {name: t.sample(fraction=1, shuffle=True, seed=0) for name, t in tables.items()}
    sizes = ", ".join(f"{name} {table.height:,} rows" for name, table in tables.items())
    print(f"data: {users:,} users, {sizes}{', shuffled' * shuffled}")
    for name, table in tables.items():
        table.write_parquet(folder / f"{name}.parquet")
    return folder / "run.parquet", folder / "judgments.parquet"


def print_machine(pythons: dict[str, str]) -> None:
    """Print the machine and the versions of all libraries."""
    from run import cores

    print(f"{platform.system()} {platform.machine()}, {cores()} cores")
    for tool, python in pythons.items():
        if tool in LIBRARIES:
            print(f"{tool}: {versions(python, LIBRARIES[tool])}")


def main() -> int:
    """Run the benchmark; return the exit status."""
    from run import ratio

    arguments = parse_arguments()
    pythons = {"lexiframe": sys.executable, "evaluate": sys.executable}
    given = {"RePlay": arguments.replay_python, "RecTools": arguments.rectools_python}
    for tool, python in given.items():
        if python is None:
            print(f"{tool} is not compared: give --{tool.lower()}-python PATH")
        else:
            pythons[tool] = python
    print_machine(pythons)
    with tempfile.TemporaryDirectory() as folder:
        data = write_data(Path(folder), arguments.users, shuffled=arguments.shuffled)
        rounds = compare(pythons, *data, arguments.repeat)
        others = measured(sys.executable, "other definitions", *data)
    ours = rounds["lexiframe"][0].get("means", {}) | others.get("means", {})
    print_times(rounds, ours)
    agree = print_means(rounds, ours)
    print(f"\n{'target':<40} {'at least':<16} measured")
    for (tool, of_ours), (least, aim) in TARGETS.items():
        if tool in rounds and (times := ratio(rounds, tool, ours=of_ours)) is not None:
            reached = "reached" if times >= least else "missed"
            print(
                f"{f'{tool} / {of_ours}, wall':<40} {f'{least} (aim {aim})':<16} "
                f"{times:<8.1f} {reached}"
            )
    if not agree:
        print("\nsome means differ, or could not be computed")
    if arguments.json:
        arguments.json.write_text(json.dumps(rounds, indent=1) + "\n")
    return int(not agree or any("error" in one for of in rounds.values() for one in of))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--work"]:
        print(json.dumps(work(*sys.argv[2:])))
    else:
        sys.exit(main())
