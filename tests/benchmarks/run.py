"""Measure lexiframe's stages, beside other libraries, on a collection of the size of Robust 2004.

Each stage runs in a process of its own. The clock runs for the stage alone: importing libraries,
compiling (ranx) and loading the tables of earlier stages come before it. Wall and CPU time (user
and system, all threads) are medians over the repetitions; stages that take minutes run once. The
peak is the largest resident memory that the process had until the stage's end; the column beside it
is the part of that peak which was there when the clock started (libraries, loaded tables), so it
tells how much the stage added.

Comparisons take the competitors in turn, so that noise hits all of them; a ratio is the median over
the rounds. All values of the other libraries are compared with lexiframe's; those of ranx differ,
because it breaks ties between scores otherwise than trec_eval. With --peer-runs, the other
libraries' times are scaled up to all runs (their peak memory is not), and marked with *.

The exit status is 0 when everything ran and lexiframe's values equal pytrec_eval's, even if a
target was missed: times depend on the machine.
"""

import argparse
import gc
import importlib.metadata
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

# Only the standard library here: a forked process inherits what this one holds in memory.
from peers import PEERS
from sizes import DEFAULTS, add_sizes, sizes_of
from stages import KEPT, LONG, MEASURES, STAGES, Collection, Stage, Thunk, text, text_to_scores

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

LIBRARIES = [
    "lexiframe",
    "polars",
    "pyarrow",
    "numpy",
    "pytrec_eval-terrier",
    "ir_measures",
    "ranx",
]


def keep(table: Any, path: Path) -> None:
    """Write a table, or rows of scores, as Parquet."""
    import polars as pl

    if isinstance(table, list):
        table = pl.DataFrame(table, ["run", "query_id", "measure", "value"], orient="row")
    table.write_parquet(path)


def largest_difference(collection: Collection, peer: str) -> float:
    """Return the largest difference of a peer's scores from lexiframe's; a missing one is 1."""
    import polars as pl

    ours, theirs = (
        pl.read_parquet(collection.path(f"{name} scores")) for name in ("lexiframe", peer)
    )
    both = theirs.join(ours, on=["run", "query_id", "measure"], how="left")
    difference = pl.col("value") - pl.col("value_right")
    return both.select(difference.abs().fill_nan(1.0).fill_null(1.0).max()).item()


# ------------------------------------------------------------------------------- measuring


def in_child(function: Thunk) -> Any:
    """Return what `function` returns (plain values) in a forked process, or ``{"error": …}``."""
    receiver, sender = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receiver)
        warnings.simplefilter("ignore")
        answer = None
        try:
            answer = function()
        finally:  # whatever went wrong, the parent is told, and this process ends here
            if error := sys.exception():
                answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            os.write(sender, json.dumps(answer).encode())
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver) as pipe:
        answer = pipe.read()
    _, status, _ = os.wait4(pid, 0)
    if not answer:
        return {"error": f"the process ended with status {os.waitstatus_to_exitcode(status)}"}
    return json.loads(answer)


def usage() -> tuple[float, float, float]:
    """Return the wall clock and CPU time in seconds, and the peak memory in MB (10^6 bytes)."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter(), used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6


def timed(stage: Stage, collection: Collection, table: str | None = None) -> dict[str, float]:
    """Prepare a stage, run it under the clock, and keep its `table` afterwards."""
    thunk = stage(collection)
    gc.collect()
    wall, cpu, start = usage()
    result = thunk()
    wall_after, cpu_after, peak = usage()
    if table:
        keep(result, collection.path(table))
    return {"wall": wall_after - wall, "cpu": cpu_after - cpu, "peak": peak, "start": start}


def measure(stage: Stage, collection: Collection, table: str | None = None) -> dict[str, Any]:
    """Return what `timed` says of a stage in a process of its own."""
    return in_child(lambda: timed(stage, collection, table))


def summary(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the median times and the largest memory of several rounds, or their first error."""
    for one in rounds:
        if "error" in one:
            return one
    how = {"wall": statistics.median, "cpu": statistics.median, "peak": max, "start": max}
    return {key: of([one[key] for one in rounds]) for key, of in how.items()}


def compare_scores(collection: Collection, peers: list[str], repeat: int) -> dict[str, list[dict]]:
    """Measure text to scores by lexiframe and by each of `peers`, in turn, `repeat` times."""
    competitors = {"lexiframe": text(text_to_scores), **{peer: PEERS[peer] for peer in peers}}
    rounds: dict[str, list[dict]] = {name: [] for name in competitors}
    for _ in range(repeat):
        for name, stage in competitors.items():
            rounds[name].append(measure(stage, collection, f"{name} scores"))
            progress(f"text to scores, {name}")
    share = len(collection.runs) / collection.peer_runs
    for peer in peers if share > 1 else []:
        # Reading the qrels is not repeated for more runs: only what is above it is scaled.
        fixed = measure(PEERS[peer], collection._replace(peer_runs=0))
        for one in rounds[peer]:
            for key in {"wall", "cpu"} & one.keys() & fixed.keys():
                one[key] = fixed[key] + (one[key] - fixed[key]) * share
    return rounds


def ratio(
    rounds: dict[str, list[dict]], name: str, key: str = "wall", ours: str = "lexiframe"
) -> float | None:
    """Return how many times lexiframe's time a peer needs: the median over the rounds."""
    pairs = list(zip(rounds[name], rounds[ours], strict=True))
    if any("error" in one for pair in pairs for one in pair):
        return None
    return statistics.median(theirs[key] / ours[key] for theirs, ours in pairs)


def import_seconds(modules: str, bytecode: str) -> float:
    """Return how long a fresh interpreter needs to import `modules`; NaN if it cannot.

    Compiled modules are kept in the folder `bytecode`, also where Python is told to write none:
    what lies in a checkout would be compiled anew each time then, and what was installed not.
    """
    code = f"import time; t = time.perf_counter(); import {modules}; print(time.perf_counter() - t)"
    compiled = {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **compiled},
        capture_output=True,
        text=True,
        check=False,
    )
    return float(done.stdout) if done.returncode == 0 else float("nan")


def compare_imports(rounds: int = 15) -> dict[str, float]:
    """Return the median times of importing lexiframe and what it stands on, taken in turn.

    ``import lexiframe`` loads nothing; what is timed is what reading, scores and preferences load.
    """
    core = "io.runs io.qrel_files projection.positions_table metrics.scored pairwise.pairs".split()
    modules = {
        "polars, pyarrow": "polars, pyarrow",
        "lexiframe": ", ".join(f"lexiframe.{module}" for module in core),
    }
    seconds: dict[str, list[float]] = {name: [] for name in modules}
    with tempfile.TemporaryDirectory() as bytecode:
        for _ in range(rounds + 1):  # the first one compiles
            for name, taken in seconds.items():
                taken.append(import_seconds(modules[name], bytecode))
    return {name: statistics.median(taken[1:]) for name, taken in seconds.items()}


COMMANDS = {"--version": 0.3, "--help": 0.3, "compare": 0.6, "evaluate": 0.9}
"""Commands, of the bundled example where they take files, and the seconds that they should take."""
STANDS_ON = "polars, pyarrow, scipy.special, typer"
"""What both commands of the example import of other libraries, which is the least they can take."""


def time_commands(rounds: int = 5) -> dict[str, float]:
    """Return the median CPU seconds of whole commands, and of imports alone, taken in turn.

    Compiled modules are kept, as they are where the library is installed: see `import_seconds`.
    """
    example = ROOT / "data" / "example"
    files = [str(example / "qrels.txt"), *map(str, sorted((example / "runs").iterdir()))]
    lexiframe = [sys.executable, "-m", "lexiframe"]
    commands = {"polars": [sys.executable, "-c", "import polars"]}
    commands["libraries"] = [sys.executable, "-c", f"import {STANDS_ON}"]
    commands |= {n: [*lexiframe, n, *([] if n.startswith("-") else files)] for n in COMMANDS}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as bytecode:
        compiled = {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(rounds + 1):  # the first one compiles
            for name, command in commands.items():
                process = subprocess.Popen(
                    command, cwd=ROOT, stdout=subprocess.DEVNULL, env={**os.environ, **compiled}
                )
                used = os.wait4(process.pid, 0)[2]
                seconds[name].append(used.ru_utime + used.ru_stime)
    return {name: statistics.median(taken[1:]) for name, taken in seconds.items()}


def compare_values(collection: Collection, peer: str) -> float:
    """Return `largest_difference`, or NaN with a message if the two cannot be compared."""
    answer = in_child(lambda: largest_difference(collection, peer))
    if isinstance(answer, float):
        return answer
    print(f"lexiframe's values and those of {peer} cannot be compared: {answer}")
    return float("nan")


# ------------------------------------------------------------------------------- reporting


def progress(what: str) -> None:
    """Say on standard error what has just been measured."""
    print(f"measured: {what}", file=sys.stderr, flush=True)


def row(name: str, figures: dict[str, Any], end: str = "") -> str:
    """Return a line of a table of measurements."""
    if "error" in figures:
        return f"{name:<36} failed: {figures['error']}"
    times = f"{figures['wall']:9.3f} {figures['cpu']:9.3f}"
    return f"{name:<36} {times} {figures['peak']:9.0f} {figures['start']:9.0f}{end}"


def header(title: str, end: str = "") -> str:
    """Return the head of a table of measurements."""
    return f"\n{title:<36} {'wall s':>9} {'CPU s':>9} {'peak MB':>9} {'at start':>9}{end}"


def targets(report: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Return each target: what, how much at most, how much was measured, whether it is reached."""
    stages, peers, imports = report["stages"], report["ratios"], report["imports"]
    rows = []
    if times := peers.get("pytrec_eval"):
        share = f"1/{times:.1f}"
        rows.append(("text to scores, of pytrec_eval's time", "1/9 (aim 1/11)", share, times >= 9))
    for what, stage, key, limit, unit, aim in [
        ("text to RPP, LR, LP, rrLP", "text: all to RPP, LR, LP, rrLP", "wall", 20, "s", 10),
        ("positions to RPP, LR, LP, rrLP", "positions: RPP, LR, LP, rrLP", "wall", 2.5, "s", None),
        ("preferences of 100,000 users", "100,000 users: RPP, LR, LP, rrLP", "wall", 3, "s", None),
        ("positions of one large run", "one run of 13.8 million rows", "wall", 3.5, "s", None),
        ("peak memory, evaluate bpref", "text: evaluate bpref", "peak", 1000, "MB", None),
        ("judged positions to 34 metrics", "judged positions: 34 metrics", "wall", 3, "s", None),
        ("text to interleaving of all pairs", "text: interleaving", "wall", 60, "s", None),
        ("t and sign tests, 8 measures", "8 measures: compare t and sign", "wall", 3, "s", None),
        ("peak memory of these", "8 measures: compare t and sign", "peak", 2000, "MB", None),
        ("HSD of AP, 10,000 trials", "scores: tukey_hsd AP, 10,000 trials", "wall", 15, "s", None),
        ("HSD of LR, 10,000 trials", "preferences: tukey_hsd LR, 10,000", "wall", 30, "s", None),
        ("HSD of RPP, 1,000 trials", "preferences: tukey_hsd RPP, 1,000", "wall", 30, "s", None),
        ("peak memory, HSD of RPP", "preferences: tukey_hsd RPP, 1,000", "peak", 2000, "MB", None),
        (
            "degradation of labels, 90 samples",
            "text: degradation, 8 measures",
            "wall",
            240,
            "s",
            None,
        ),
        ("peak memory of these", "text: degradation, 8 measures", "peak", 2000, "MB", None),
        ("peak memory, scan_runs", "text: scan_runs, positions", "peak", 1000, "MB", None),
    ]:
        if key in stages[stage]:
            value = stages[stage][key]
            limits = f"{limit} {unit}" + (f" (aim {aim} {unit})" if aim else "")
            rows.append((what, limits, f"{value:.2f} {unit}", value < limit))
    ap, bpref = (stages[f"text: evaluate {measure}"] for measure in ("AP", "bpref"))
    if "wall" in ap and "wall" in bpref:
        times = bpref["wall"] / ap["wall"]
        rows.append(("evaluate bpref, of AP's time", "1.5", f"{times:.2f}", times <= 1.5))
    times = imports["lexiframe"] / imports["polars, pyarrow"]
    rows.append(("import, of polars and pyarrow's time", "1.3", f"{times:.2f}", times <= 1.3))
    for name, limit in COMMANDS.items():
        taken, polars = report["commands"][name], report["commands"]["polars"]
        measured = f"{taken:.2f} s ({taken / polars:.1f} × importing polars)"
        rows.append((f"lexiframe {name}, CPU", f"{limit} s", measured, taken <= limit))
    return rows


def machine() -> str:
    """Return what the measurements were made with."""
    versions = []
    for library in LIBRARIES:
        try:
            versions.append(f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{library} not installed as a package")
    system = f"{platform.system()} {platform.machine()}, {cores()} cores"
    return f"{system}, Python {platform.python_version()}\n{', '.join(versions)}"


def cores() -> int:
    """Return how many cores this process may use."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1


# ------------------------------------------------------------------------------ the command


def open_collection(folder: Path, tables: Path, arguments: argparse.Namespace) -> Collection:
    """Make the collection if it is not there, and read it once, so that no stage waits for disk."""
    if not (folder / "qrels.txt").exists():
        sizes = [f"--{name}={value}" for name, value in sizes_of(arguments).items()]
        command = [sys.executable, str(HERE / "make_collection.py"), str(folder), *sizes]
        subprocess.run(command, check=True)
        print(f"made the collection in {folder}", file=sys.stderr)
    paths = sorted(path for path in (folder / "runs").iterdir() if path.is_file())
    for path in paths:
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass
    peer_runs = min(arguments.peer_runs or len(paths), len(paths))
    return Collection(str(folder / "qrels.txt"), [str(path) for path in paths], tables, peer_runs)


def print_collection(folder: Path, collection: Collection) -> bool:
    """Print the size of the collection; return whether it is the one that the targets are for."""
    size = sum(Path(path).stat().st_size for path in collection.runs) / 1e9
    told = folder / "sizes.json"
    sizes = json.loads(told.read_text()) if told.exists() else {}
    described = ", ".join(f"{name} {value}" for name, value in sizes.items())
    print(f"collection: {len(collection.runs)} runs, {size:.2f} GB of text; {described or 'own'}")
    return sizes == DEFAULTS


def benchmark(collection: Collection, peers: list[str], repeat: int) -> dict[str, Any]:
    """Measure everything, print the tables on the way, and return all figures."""
    imports = compare_imports()
    print(f"\n{'import (median of 15)':<36} {'wall s':>9}")
    for modules, seconds in imports.items():
        print(f"{modules:<36} {seconds:9.3f}")
    commands = time_commands()
    print(f"\n{'command (median of 5)':<36} {'CPU s':>9}")
    for name, seconds in commands.items():
        print(f"{name:<36} {seconds:9.3f}")

    print(header("stage"))
    stages = {}
    for name, stage in STAGES.items():
        table = KEPT.get(name)
        times = 1 if name in LONG else repeat
        stages[name] = summary([measure(stage, collection, table) for _ in range(times)])
        print(row(name, stages[name]), flush=True)

    rounds = compare_scores(collection, peers, repeat)
    scaled = collection.peer_runs < len(collection.runs)
    print(header(f"text to {', '.join(MEASURES)}", "   / lexiframe: wall, CPU   differs by"))
    ratios, differences, competitors = {}, {}, {}
    for name, of_name in rounds.items():
        competitors[name] = summary(of_name)
        end = ""
        if name != "lexiframe" and (times := ratio(rounds, name)) is not None:
            ratios[name] = times
            differences[name] = compare_values(collection, name)
            end = f" {times:18.1f} {ratio(rounds, name, 'cpu'):5.1f} {differences[name]:>12.1e}"
        label = f"{name} *" if scaled and name != "lexiframe" else name
        print(row(label, competitors[name], end))
    if scaled:
        print(f"* times scaled up to {len(collection.runs)} runs from {collection.peer_runs}")
    return {
        "imports": imports,
        "commands": commands,
        "stages": stages,
        "text to scores": competitors,
        "rounds": rounds,
        "ratios": ratios,
        "differences": differences,
    }


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--collection",
        type=Path,
        metavar="DIR",
        help="folder with qrels.txt and runs/; made there, in the sizes below, if there is no "
        "qrels.txt (default: a temporary folder)",
    )
    parser.add_argument(
        "--peers",
        default=",".join(PEERS),
        help="libraries to compare with, separated by commas; empty for none (%(default)s)",
    )
    parser.add_argument(
        "--peer-runs", type=int, metavar="N", help="evaluate N runs with the peers (default: all)"
    )
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="K", help="repetitions (%(default)s)"
    )
    parser.add_argument("--cores", type=int, metavar="N", help="use N cores only (Linux)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there, too")
    add_sizes(parser)
    arguments = parser.parse_args()
    arguments.peers = [peer for peer in arguments.peers.split(",") if peer]
    if unknown := set(arguments.peers) - PEERS.keys():
        parser.error(f"unknown peers {sorted(unknown)}; there are {', '.join(PEERS)}")
    if arguments.repeat < 1 or (arguments.peer_runs or 1) < 1:
        parser.error("--repeat and --peer-runs must be at least 1")
    return arguments


def main() -> int:
    """Run the benchmark; return the exit status."""
    arguments = parse_arguments()
    sys.path.insert(0, str(ROOT))  # this checkout, whatever else is installed
    if arguments.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.cores])
    print(machine())
    peers = [peer for peer in arguments.peers if importlib.util.find_spec(peer)]
    for peer in arguments.peers:
        if peer not in peers:
            print(f"{peer} is not installed: not compared")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.collection or Path(temporary) / "collection"
        collection = open_collection(folder, Path(temporary), arguments)
        usual = print_collection(folder, collection)
        report = benchmark(collection, peers, arguments.repeat)

    print(f"\n{'target':<40} {'at most':<16} measured")
    for what, limit, value, reached in targets(report):
        print(f"{what:<40} {limit:<16} {value:<12} {'reached' if reached else 'missed'}")
    if not usual or cores() != 2:
        print("(the targets are meant for the default sizes on 2 cores)")

    agrees = report["differences"].get("pytrec_eval", 0.0) <= 1e-9
    if not agrees:
        print("\nlexiframe's values differ from pytrec_eval's by more than 1e-9")
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), **report}, indent=1) + "\n")
    figures = [*report["stages"].values(), *report["text to scores"].values()]
    return int(not agrees or any("error" in one for one in figures))


if __name__ == "__main__":
    sys.exit(main())
