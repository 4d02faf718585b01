"""How much memory there is, and that too much work is refused before it is begun."""

import platform
import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base import memory_use as memory
from lexiframe.core.cli import app as cli
from lexiframe.core.evaluation.buckets import sizes
from lexiframe.core.pairwise import pairs

pytestmark = pytest.mark.slow

EXAMPLE = lf.bundled("example")
RUNS, QRELS = EXAMPLE / "runs", EXAMPLE / "qrels.txt"
LIMIT = 3 << 20


def machine(root, files):
    given = {"proc/meminfo": "MemAvailable: 8000 kB\nSwapFree: 2000 kB\n"} | files
    for name, text in given.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    "files, expected",
    [
        ({}, 10_240_000),
        ({"proc/meminfo": "MemAvailable: 8000 kB\n"}, 8_192_000),
        (
            {  # version 2, in a container: its group is the root that it sees
                "proc/self/cgroup": "0::/\n",
                "sys/fs/cgroup/memory.max": f"{LIMIT}\n",
                "sys/fs/cgroup/memory.current": "1000000\n",
                "sys/fs/cgroup/memory.stat": "anon 1\nactive_file 3000\ninactive_file 20000\n",
            },
            LIMIT - 977_000,
        ),
        (
            {  # a group inside of one with a limit
                "proc/self/cgroup": "0::/user/job\n",
                "sys/fs/cgroup/user/job/memory.max": "max\n",
                "sys/fs/cgroup/user/job/memory.current": "5\n",
                "sys/fs/cgroup/user/memory.max": f"{LIMIT}\n",
                "sys/fs/cgroup/user/memory.current": "5\n",
            },
            LIMIT - 5,
        ),
        (
            {  # version 1, in a container: the group's path is that outside of it
                "proc/self/cgroup": "5:devices:/x\n4:cpu,memory:/docker/1f\n0::/\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{LIMIT}\n",
                "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{LIMIT + 1}\n",
            },
            0,
        ),
        ({"proc/self/cgroup": "nonsense\n", "proc/meminfo": "MemAvailable: 1 kB\nx\n"}, 1024),
    ],
)
def test_what_is_available(tmp_path, files, expected):
    machine(tmp_path, files)
    assert memory.available(tmp_path) == expected


def test_the_limit_of_addresses():
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    code = "from lexiframe.core.base.memory_use import available; print(available())"
    options = {"cwd": Path(lf.__file__).parents[1], "preexec_fn": limited, "text": True}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, **options)
    assert 0 < int(done.stdout) < 4 << 30


# --- What is refused ----------------------------------------------------------------------------

MANY = [f"P@{k}" for k in range(1, 151)]  # 3 pairs × 5 requests × 150 measures
NUMBERS = r"3 runs \(3 pairs × 5 requests × 150 measures\) need about 0\.\d GB of memory, but 0"


@pytest.fixture
def there(monkeypatch):
    """Say how much memory there is."""

    def so_much(n_bytes):
        # Whether to evaluate in parts is another question, which asks for the memory there is.
        monkeypatch.setattr(sizes, "memory_use", SimpleNamespace(available=memory.available))
        monkeypatch.setattr(memory, "available", lambda: n_bytes)

    return so_much


def test_preferences_that_no_memory_holds(there):
    p = lf.positions(RUNS, QRELS)
    there(75_000)  # at 40 bytes each 2250 need 90,000
    with pytest.raises(lf.LexiframeError, match=rf"^preferences: the preferences of {NUMBERS}"):
        lf.preferences(p, MANY)
    assert lf.preferences(p, MANY, baseline="random").height == 1500
    assert lf.preferences(p, MANY[:100]).height == 1500
    there(1000)
    with pytest.raises(lf.LexiframeError, match=r"^differences of scores: .* 5 requests × 9 meas"):
        lf.compare(lf.scores(p, MANY[:9]), trials=1)
    with pytest.raises(lf.LexiframeError, match=r"^the positions of \d+ relevant items in 3 runs"):
        lf.positions(RUNS, QRELS)


def test_preferences_are_refused_before_metrics_are_computed(there, monkeypatch):
    p = lf.positions(RUNS, QRELS)
    there(75_000)
    monkeypatch.setattr(pairs, "values_of", lambda *_: pytest.fail("the work began"))
    with pytest.raises(lf.LexiframeError, match=rf"^preferences: the preferences of {NUMBERS}"):
        lf.preferences(p, MANY)


def test_interleaving_reads_no_runs_for_what_no_memory_holds(there):
    broken = {str(n): pl.DataFrame({"nothing": [1]}) for n in range(300)}
    there(7_000_000)  # 44,850 pairs × 5 requests at 40 bytes each need 8,970,000
    with pytest.raises(
        lf.LexiframeError, match=r"^interleaving: the preferences of 300 runs \(44,8"
    ):
        lf.interleaving(broken, QRELS)


def test_orderings_of_samples_that_no_memory_holds(there):
    """The ranks themselves are few, so that many runs are no reason to refuse them."""
    runs = [f"r{n:03}" for n in range(500) for _ in range(2)]
    s = pl.DataFrame({"run": runs, "query_id": ["a", "b"] * 500, "measure": "AP", "value": 0.5})
    there(3_000_000)
    message = r"order_probabilities: 124,750 pairs of 500 runs × 1 measures need about 0\.0 GB of"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.order_probabilities(s, samples=10)
    assert lf.rank_distributions(s, samples=10)["rank"].to_list() == [250.5] * 500
    message = (
        r"rank_distributions: the ranks of 500 runs in 1,000 samples need about 0\.0 GB of mem"
    )
    with pytest.raises(lf.LexiframeError, match=message):
        lf.rank_distributions(s, samples=1000)


MANY_RUNS = """
import polars as pl, lexiframe as lf
s = pl.DataFrame({"run": [f"r{i}" for i in range(20000) for _ in range(3)],
                  "query_id": ["a", "b", "c"] * 20000, "measure": "AP", "value": 0.5})
print(lf.rank_distributions(s, samples=10).height)
try:
    lf.order_probabilities(s, samples=10)
except lf.LexiframeError as error:
    print(error)
"""


def test_many_runs_within_a_limit():
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (5_000_000 << 10, 5_000_000 << 10))

    options = {"cwd": Path(lf.__file__).parents[1], "preexec_fn": limited, "text": True}
    command = [sys.executable, "-c", MANY_RUNS]
    done = subprocess.run(command, capture_output=True, check=True, **options)
    assert done.stdout.startswith("20000\norder_probabilities: 199,990,000 pairs of 20,000 runs")


def test_results_are_reused_where_memory_does_not_hold_all_preferences(there, tmp_path):
    lf.evaluate(RUNS, QRELS, "AP").write(tmp_path)
    whole = lf.evaluate(RUNS, QRELS, MANY)
    there(200_000)  # at 100 bytes each 2250 need 225,000
    e = lf.evaluate(RUNS, QRELS, MANY, reuse=tmp_path)
    assert e.comparisons.equals(whole.comparisons)
    broken = {name: pl.DataFrame({"nothing": [1]}) for name in "abc"}
    for measures in (MANY, MANY[:100]):
        with pytest.raises(lf.SchemaError, match="query_id"):
            lf.evaluate(broken, QRELS, measures, reuse=tmp_path)


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_preferences_that_memory_does_not_hold_are_summed_up(there, test):
    """The t-test needs sums alone; for Wilcoxon's the preferences wait on disk, in parts."""
    whole = lf.evaluate(RUNS, QRELS, MANY, test=test)
    there(200_000)
    e = lf.evaluate(RUNS, QRELS, MANY, test=test)
    assert whole.sums is None
    assert (e.sums is None) == (test == "t")
    assert e.comparisons.equals(whole.comparisons)


MANY_OF_WILCOXON = [str(QRELS), str(RUNS), *(f"-m{m}" for m in MANY), "--test", "wilcoxon"]


def test_the_command_line_evaluates_them_in_parts(there, monkeypatch, capsys):
    there(200_000)
    monkeypatch.setattr(sys, "argv", ["lexiframe", "evaluate", *MANY_OF_WILCOXON])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    out, err = capsys.readouterr()
    assert "; pixels_euclidean is first by P@1, " in out.partition("\n")[0]
    assert err.startswith("evaluated in parts, with ")


def test_the_command_line_refuses_to_compare_them(there, monkeypatch, capsys):
    there(200_000)
    monkeypatch.setattr(sys, "argv", ["lexiframe", "compare", *MANY_OF_WILCOXON])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "fewer measures or fewer runs, or compare with one run alone" in err
    assert "--baseline RUN" in err


def test_a_baseline_on_the_command_line_takes_less(there, monkeypatch, capsys):
    there(200_000)
    options = ["--baseline", "random", "--format", "csv", *(f"-m{measure}" for measure in MANY)]
    monkeypatch.setattr(sys, "argv", ["lexiframe", "compare", str(QRELS), str(RUNS), *options])
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    assert capsys.readouterr().out.count("\n") == 301


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "randomization", "bootstrap"])
def test_the_pairs_of_a_baseline_are_among_all(test):
    p = lf.positions(RUNS, QRELS)
    measures, options = (
        ["RPP", "LR", "LP", "AP", "ASL(n=1000)"],
        {"trials": 500, "correction": "bh"},
    )
    none = options | {"correction": "none"}
    d, s = lf.preferences(p, measures), lf.scores(p, measures[3:])
    for baseline in ("pca8_euclidean", "random"):
        of_baseline = (pl.col("run_a") == baseline) | (pl.col("run_b") == baseline)
        few = lf.preferences(p, measures, baseline=baseline, deciding_level=True)
        assert few.drop("deciding_level").equals(d.filter(of_baseline))
        assert few.equals(lf.preferences(p, measures, deciding_level=True).filter(of_baseline))
        c = lf.compare(d, test, baseline=baseline, **options)
        assert c.equals(lf.compare(few, test, baseline=baseline, **options))
        of_scores = lf.compare(s, test, **none).filter(of_baseline)
        key, found = ["measure", "p_value"], lf.compare(s, test, baseline=baseline, **none)
        assert found.select(key).sort(key).equals(of_scores.select(key).sort(key))
        assert (found["run_b"] == baseline).all()
    for table in (d, s):
        with pytest.raises(lf.UnknownNameError, match="unknown run 'nobody'"):
            lf.compare(table, baseline="nobody")
    with pytest.raises(lf.UnknownNameError, match=r"unknown run 'Random'; did you mean random\?"):
        lf.preferences(p, "RPP", baseline="Random")


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="the GNU C library alone has malloc_trim"
)
def test_freed_memory_is_given_back():
    pieces = [bytearray(20_000) for _ in range(5_000)]
    last = pieces[-1]  # what lies above the freed pieces keeps them from the system
    pieces.clear()
    before = _resident()
    memory.give_back()
    assert before - _resident() > 50_000_000
    assert len(last) == 20_000


def _resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
