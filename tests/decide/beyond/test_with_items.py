"""`evaluate` with items: measures of lists among the others, and those of all lists beside them."""

import random
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import lexiframe as lf
from lexiframe.connect.engines.parts import batches
from lexiframe.connect.engines.parts.batches import evaluate_one

N, USERS = 60, 20


def _collection():
    rng = np.random.default_rng(0)
    items = pl.DataFrame(
        {
            "doc_id": [f"d{i}" for i in range(N)],
            "users": rng.integers(0, 30, N),
            "categories": [["x"] if i % 3 else ["y", "z"] for i in range(N)],
        }
    )

    def ranking(user):
        documents = rng.permutation(N)[: 5 if user % 4 else 1]
        return {f"d{d}": 10.0 - rank for rank, d in enumerate(documents)}

    runs = {run: {f"u{u}": ranking(u) for u in range(USERS)} for run in "abc"}
    qrels = {f"u{u}": {f"d{d}": 1 for d in rng.permutation(N)[:6]} for u in range(USERS)}
    return runs, qrels, lf.read_items(items, users=30)


RUNS, QRELS, ITEMS = _collection()
MEASURES = ["RPP", "Coverage@5", "nDCG@5", "ILD@5", "Novelty@5", "Gini(exposure=dcg)@5"]


@pytest.fixture(scope="module")
def e():
    return lf.evaluate(RUNS, QRELS, MEASURES, items=ITEMS)


@pytest.mark.slow
def test_rows_of_scores_are_those_of_list_scores_and_of_scores(e):
    expected = lf.list_scores(RUNS, ["Novelty@5", "ILD@5"], ITEMS, qrels=QRELS).drop_nulls()
    assert_frame_equal(e.scores.filter(pl.col("measure") != "nDCG@5"), expected)
    alone = lf.evaluate(RUNS, QRELS, ["RPP", "nDCG@5"])
    assert_frame_equal(e.scores.filter(measure="nDCG@5"), alone.scores)
    for measure in ("RPP", "nDCG@5"):
        same = [x.comparisons.filter(measure=measure) for x in (e, alone)]
        assert_frame_equal(*same)
    assert e.provenance["measures"] == ["RPP", "nDCG@5", "ILD@5", "Novelty@5"]


def test_the_comparisons_of_lists_are_those_of_their_scores(e):
    s = lf.list_scores(RUNS, ["Novelty@5", "ILD@5"], ITEMS, qrels=QRELS).drop_nulls()
    expected = lf.compare(s)
    found = e.comparisons.filter(pl.col("measure").is_in(["Novelty@5", "ILD@5"]))
    assert_frame_equal(found, expected)
    n = e.means.filter(measure="ILD@5")["n"].unique().to_list()
    assert n == [15]  # one item has no distance


def test_the_catalogue_is_that_of_the_function(e):
    c = lf.catalogue(RUNS, ["Coverage@5", "Gini(exposure=dcg)@5"], ITEMS, qrels=QRELS)
    assert_frame_equal(e.catalogue.values, c.values)
    assert_frame_equal(e.catalogue.comparisons, c.comparisons)
    assert lf.evaluate(RUNS, QRELS, ["nDCG@5"]).catalogue is None


@pytest.mark.slow
def test_it_is_shown_beside_the_means(e, tmp_path):
    assert "All lists of a run together, with 95 % intervals (n = 20)" in str(e)
    assert "│ a    Coverage@5  " in str(e.summary("all"))
    e.report(tmp_path / "page.html")
    assert "All lists of a run together" in (tmp_path / "page.html").read_text("utf-8")
    value = e.catalogue.values.filter(measure="Coverage@5", run="a")["value"][0]
    latex = e.latex(rename={"a": "A"}, intervals=True)
    (row,) = (line for line in latex.splitlines() if " & A & " in line)
    assert f"& {value:.4f} & " in row
    assert "all lists of a run together" in latex
    assert "together (n~=~20); smaller is better: Gini(exposure=dcg)@5." in latex
    few = {
        "a": {"u1": {"d1": 1, "d2": 0}, "u2": {"d3": 1}},
        "b": {"u1": {"d1": 1}, "u2": {"d2": 1}},
    }
    judged = {"u1": {"d1": 1}, "u2": {"d3": 1}}
    two = lf.evaluate(few, judged, ["nDCG@5", "Coverage@5", "Gini@5"], items=ITEMS)
    rows = two.markdown(["nDCG@5", "Gini(exposure=uniform)@5"], intervals=True).splitlines()
    assert two.catalogue.values.filter(run="a", measure="Gini@5")["ci_high"].item() == 1  # cut
    assert "–1.000 |" in rows[-2]  # at the bound
    assert rows[-1].endswith("| —           |")  # all requests change it alike
    short = e.markdown(["Coverage@5", "nDCG@5"], decimals=0)
    assert "Gini" not in short
    assert "Coverage" not in e.markdown(["nDCG@5"])
    with pytest.raises(lf.LexiframeError, match="name a measure of requests too, whose table"):
        e.markdown(["Coverage@5"])


@pytest.mark.slow
def test_what_was_written_is_read_again(e, tmp_path):
    e.write(tmp_path)
    again = lf.read_results(tmp_path)
    assert str(again) == str(e)
    assert_frame_equal(again.catalogue.comparisons, e.catalogue.comparisons)
    lf.evaluate(RUNS, QRELS, ["nDCG@5"]).write(tmp_path)
    assert not (tmp_path / "catalogue.parquet").exists()


@pytest.mark.slow
def test_runs_in_files_are_looked_at_again(tmp_path):
    paths = []
    for run, queries in RUNS.items():
        rows = [f"{q} Q0 {d} 1 {s} {run}" for q, of in queries.items() for d, s in of.items()]
        paths.append(tmp_path / f"{run}.run")
        paths[-1].write_text("\n".join(rows))
    judged = tmp_path / "qrels.txt"
    judged.write_text("\n".join(f"{q} 0 {d} {g}" for q, of in QRELS.items() for d, g in of.items()))
    e = lf.evaluate(paths, judged, ["nDCG@5", "Novelty@5", "Coverage@5"], items=ITEMS)
    of_lists = lf.evaluate(paths, judged, "Novelty@5", items=ITEMS)
    assert of_lists.provenance["qrels"] == e.provenance["qrels"] != []
    e.write(tmp_path / "results")
    again = lf.read_results(tmp_path / "results")
    assert again.explain("u1", "a", "b").height == e.explain("u1", "a", "b").height
    assert_frame_equal(again.positions, e.positions)


@pytest.mark.slow
def test_groups_have_their_catalogue_and_results_are_reused(e, tmp_path):
    of = pl.DataFrame({"query_id": [f"u{u}" for u in range(USERS)], "age": ["young", "old"] * 10})
    grouped = {"requests": of, "by": "age", "items": ITEMS}
    g = lf.evaluate(RUNS, QRELS, ["nDCG@5", "Novelty@5", "Coverage@5"], **grouped)
    assert g.catalogue.values.select("age", "run").n_unique() == 6
    assert "(n = 10, age = old)" in str(g)
    assert "Coverage@5" in g.latex()
    e.write(tmp_path)
    again = lf.evaluate(RUNS, QRELS, MEASURES, items=ITEMS, reuse=tmp_path)
    assert again.provenance["reused"]["measures"] == 2
    assert_frame_equal(again.means, e.means)


def test_without_judgments_lists_alone_are_compared():
    e = lf.evaluate(RUNS, None, ["Novelty@5", "Coverage@5"], items=ITEMS)
    assert e.means["measure"].unique().to_list() == ["Novelty@5"]
    assert e.catalogue.values.height == 3
    assert_frame_equal(e.scores, lf.list_scores(RUNS, "Novelty@5", ITEMS))


@pytest.mark.parametrize(
    "how, message",
    [
        ({"measures": ["Coverage@5"]}, "no measure of requests was asked for"),
        ({"measures": ["AP"], "replicates": "run"}, "items are for runs of one collection"),
        ({"measures": ["Novelty@5", "AP"], "qrels": None}, "for AP, found none as qrels"),
        (
            {"measures": ["AP", "Coverage@5"], "keep": "scores", "test": "randomization"},
            "Coverage@5: the test 'randomization' swaps lists",
        ),
        (
            {"measures": ["AP", "Novelty@5"], "keep": "scores", "reuse": "."},
            "with reuse, lists are looked at all at once, .* leave reuse out",
        ),
        (
            {"measures": ["Novelty@5"], "qrels": None, "memory": "1kB"},
            "without judgments, lists are looked at all at once, .*; give qrels",
        ),
        (
            {"measures": ["AP", "Novelty@5"], "keep": "scores", "items": "cold"},
            "unknown='cold' adds the items of all runs",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(how, message, tmp_path):
    how = {"qrels": QRELS, "out": tmp_path if "keep" in how else None, **how}
    cold = lf.read_items(pl.DataFrame({"doc_id": ["d0"], "users": [1]}), unknown="cold")
    how["items"] = cold if how.get("items") == "cold" else ITEMS
    with pytest.raises(lf.LexiframeError, match=message):
        lf.evaluate(RUNS, how.pop("qrels"), how.pop("measures"), **how)


# --- In parts -----------------------------------------------------------------------------------

MANY = 1100  # the jackknife leaves out groups of so many requests
IN_PARTS = [
    *["RPP", "nDCG@5", "ILD@5", "Novelty@5", "ARP@3", "Serendipity@5", "Miscalibration@5"],
    *["Serendipity(baseline=a)@5", "Coverage@5", "Gini@5", "Entropy(exposure=dcg)@3"],
]


def large_collection():
    """Runs of many requests, some of which they do not answer; judgments, items and attributes."""
    rng = np.random.default_rng(1)
    rows = [
        (run, f"u{user}", f"d{int(N * rng.random() ** power)}", -float(rank))
        for run, power in zip("abc", (1, 2, 3), strict=True)
        for user in range(MANY)
        if run != "b" or user % 50
        for rank in range(int(rng.integers(0, 7)))
    ]
    schema = ["run", "query_id", "doc_id", "score"]
    runs = pl.DataFrame(rows, schema=schema, orient="row")
    runs = runs.unique(schema[:3], keep="first", maintain_order=True)
    pairs = [(f"u{user}", f"d{d}") for user in range(MANY) for d in rng.permutation(N)[:4]]
    judged = pl.DataFrame(pairs, schema=["query_id", "doc_id"], orient="row")
    judged = judged.with_columns(relevance=pl.Series(rng.integers(0, 2, len(pairs))))
    seen = [(f"u{user}", f"d{d}") for user in range(MANY + 50) for d in rng.permutation(N)[:3]]
    categories = [["x"] if i % 3 else ["y", "z"] for i in range(N)]
    items = pl.DataFrame({"doc_id": [f"d{i}" for i in range(N)], "categories": categories})
    history = pl.DataFrame(seen, schema=["user_id", "doc_id"], orient="row")
    ages = pl.DataFrame(
        {
            "query_id": [f"u{user}" for user in range(MANY)],
            "age": ["old" if user % 20 else "young" for user in range(MANY)],
        }
    )
    return runs, judged, lf.read_items(items, history=history), ages


def said_of(*given, **how):
    """Return an evaluation, and what was warned of."""
    with pytest.warns(lf.LexiframeWarning) as caught:
        e = lf.evaluate(*given, IN_PARTS, **how)
    return e, {str(one.message) for one in caught}


def assert_same_tables(found, expected):
    """Assert equal bits, and sums of exposures that are equal but for rounding."""
    ours, theirs = (one.tables(of_requests=False) for one in (found, expected))
    assert ours.keys() == theirs.keys()
    for name, table in theirs.items():
        is_exact = not name.startswith("catalogue")
        how = {} if is_exact else {"rel_tol": 1e-10, "abs_tol": 1e-12}
        assert_frame_equal(ours[name], table, check_exact=is_exact, **how)
    assert found.provenance.get("lacking") == expected.provenance.get("lacking")


@pytest.mark.slow
@pytest.mark.parametrize("grouped", [False, True])
def test_in_parts_the_tables_are_the_same(grouped, tmp_path):
    runs, judged, items, ages = large_collection()
    how = {"items": items} | ({"requests": ages, "by": "age"} if grouped else {})
    whole, said = said_of(runs, judged, **how)
    parts, again = said_of(runs, judged, memory="4MB", out=tmp_path, keep="scores", **how)
    assert not parts.has_requests
    assert_same_tables(parts, whole)
    kept = pl.read_parquet(tmp_path / "scores").sort("run", "query_id", "measure")
    assert len([*(tmp_path / "scores").iterdir()]) > 3
    assert_frame_equal(kept, whole.scores, check_exact=True)
    assert said == again
    assert any("the user's history has already: " in one for one in again)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_in_parts_of_lists_alone_no_request_is_lost():
    runs, judged, items, _ = large_collection()
    measures = ["Novelty@5", "Entropy@5"]
    whole, parts = (
        lf.evaluate(runs, judged, measures, items=items, **how) for how in ({}, {"memory": "1MB"})
    )
    for name in ("means", "comparisons", "tie_rates", "coverage"):
        assert getattr(parts, name).equals(getattr(whole, name)), name
    assert_frame_equal(parts.catalogue.values, whole.catalogue.values)


def test_in_parts_candidates_are_doubted_once(tmp_path):
    n = 1000
    items = lf.read_items(pl.DataFrame({"doc_id": [f"d{i}" for i in range(n)], "users": 1}))
    runs = {
        run: {f"u{u}": {f"d{(u * 7 + i) % n}": i * sign for i in range(20)} for u in range(20)}
        for run, sign in {"a": 1, "b": -1}.items()
    }
    judged = {f"u{u}": {f"d{u * 7 % n}": 1} for u in range(40)}  # half of them have no list
    measures = ["nDCG@5", "Coverage@5"]
    same = "same items in 100% of the requests"
    with pytest.warns(lf.LexiframeWarning) as caught:
        lf.evaluate(runs, judged, measures, items=items, out=tmp_path, memory="1MB", keep="scores")
    assert [same in str(one.message) for one in caught].count(True) == 1


@pytest.mark.slow
def test_a_job_that_is_resumed_has_the_same_items(tmp_path, monkeypatch):
    runs, judged, items, _ = large_collection()
    how = {"items": items, "out": tmp_path, "memory": "4MB", "keep": "scores"}
    done = []

    def fail_later(*given):
        done.append(1)
        if len(done) == 3:
            raise KeyboardInterrupt
        return evaluate_one(*given)

    monkeypatch.setattr(batches, "evaluate_one", fail_later)
    monkeypatch.setattr(batches, "_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        lf.evaluate(runs, judged, IN_PARTS, **how)
    monkeypatch.undo()
    others = lf.read_items(pl.DataFrame({"doc_id": items.ids, "users": 1}))
    with pytest.raises(lf.LexiframeError, match="lists"):
        lf.evaluate(runs, judged, ["RPP", *IN_PARTS[1:]], **{**how, "items": others}, resume=True)
    again, _ = said_of(runs, judged, **how, resume=True)
    whole, _ = said_of(runs, judged, items=items)
    assert_same_tables(again, whole)


def test_a_measure_without_any_value_is_refused():
    one = {"a": {"u": {"d1": 1.0}}, "b": {"u": {"d2": 1.0}}}
    with pytest.raises(lf.LexiframeError, match="ILD@5: says nothing of any list"):
        lf.evaluate(one, {"u": {"d1": 1}}, ["AP", "Novelty@5", "ILD@5"], items=ITEMS)


@pytest.mark.slow
def test_nothing_of_it_is_imported_without_items():
    code = (
        "import sys, lexiframe as lf; f = lf.bundled('example');"
        "print(lf.evaluate(f / 'runs', f / 'qrels.txt', ['AP', 'RPP']));"
        "assert not [m for m in sys.modules if 'beyond' in m or 'with_items' in m]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


MARGINS = {"nDCG@5": 0.3, "Coverage@5": 0.25, "Gini(exposure=dcg)@5": "50%"}
TWO = {"baseline": "a", "candidate": "b"}


def test_a_gate_takes_measures_of_all_lists(e):
    g = lf.gate(e, MARGINS, **TWO)
    assert g["measure"].to_list() == ["Coverage@5", "Gini(exposure=dcg)@5", "nDCG@5"]
    assert_frame_equal(g.filter(measure="nDCG@5"), lf.gate(e, {"nDCG@5": 0.3}, **TWO))
    c = e.catalogue.comparisons.filter(run_a="a", run_b="b")
    of_gini = c.filter(measure="Gini(exposure=dcg)@5").row(0, named=True)
    row = g.filter(measure="Gini(exposure=dcg)@5").row(0, named=True)
    assert row["mean_difference"] == pytest.approx(of_gini["mean_difference"])  # smaller is better
    value = e.catalogue.values.filter(run="a", measure="Gini(exposure=dcg)@5")["value"].item()
    assert row["margin"] == pytest.approx(value / 2)
    assert row["required"] is None
    # its interval has the level 1 − 2α: that of comparisons with twice the α
    wider = lf.catalogue(RUNS, ["Coverage@5"], ITEMS, qrels=QRELS, alpha=0.1).comparisons
    ends = wider.filter(run_a="a", run_b="b").select("ci_low", "ci_high").row(0)
    found = g.filter(measure="Coverage@5").select("ci_low", "ci_high").row(0)
    assert (-found[1], -found[0]) == pytest.approx(ends)
    assert "Coverage@5" in str(g)


def test_what_a_gate_refuses_of_all_lists(e):
    with pytest.raises(lf.LexiframeError, match="Coverage@5"):
        lf.gate(e, {"Coverage@5": 1.0}, **TWO)  # as wide as its range
    of = pl.DataFrame({"query_id": [f"u{u}" for u in range(USERS)], "age": ["young", "old"] * 10})
    other = lf.evaluate(RUNS, QRELS, ["nDCG@5", "Coverage@5"], items=ITEMS, baseline="c")
    with pytest.raises(lf.LexiframeError, match="expected differences of b and a for measures"):
        lf.gate(other, {"Coverage@5": 0.1}, **TWO)
    weights = {f"u{u}": u + 1 for u in range(USERS)}
    with pytest.raises(lf.LexiframeError, match="Coverage@5 has no weights, as it is of all lists"):
        lf.gate(e, MARGINS, **TWO, weights=weights)
    with pytest.raises(lf.LexiframeError, match="items= has no weights; give lexiframe"):
        lf.evaluate(RUNS, QRELS, ["nDCG@5"], items=ITEMS, weights=weights)
    with pytest.raises(lf.LexiframeError, match="groups of the evaluation for measures of all"):
        lf.gate(e, MARGINS, **TWO, requests=of, by="age")
    for d in (e, e.catalogue):
        with pytest.raises(
            lf.LexiframeError, match=r"Coverage@5 is of all lists .* go with cluster"
        ):
            lf.gate(d, {"Coverage@5": 0.1}, **TWO, requests=of, cluster="age")
        with pytest.raises(lf.UnknownNameError, match=r"unknown measure .Coverage@6.*Coverage@5"):
            lf.gate(d, {"Coverage@6": 0.1}, **TWO)
    assert lf.gate(e, {"nDCG@5": 0.3}, **TWO, requests=of, cluster="age").height == 1


ALONE = {"Coverage@5": 0.25, "Gini(exposure=dcg)@5": "50%"}


@pytest.mark.slow
def test_a_gate_on_measures_of_all_lists_alone(e):
    g = lf.gate(e, ALONE, **TWO)
    assert_frame_equal(g, lf.gate(e, MARGINS, **TWO).filter(pl.col("measure") != "nDCG@5"))
    c = lf.catalogue(RUNS, [*ALONE], ITEMS, qrels=QRELS, alpha=0.2)  # the gate has an α of its own
    assert_frame_equal(lf.gate(c, ALONE, **TWO), g)
    same = {
        "a": RUNS["a"],
        "b": {u: {d: 2 * s for d, s in of.items()} for u, of in RUNS["a"].items()},
    }
    again = lf.evaluate({**same, "c": RUNS["c"]}, QRELS, ["nDCG@5", "Coverage@5"], items=ITEMS)
    (row,) = lf.gate(again, {"Coverage@5": 0.1}, **TWO).rows(named=True)
    assert row["outcome"] == "pass"
    assert "nothing changed: b ranks the same documents" in row["why"]
    (row,) = lf.gate(e, {"Coverage@5": 0.001}, **TWO).rows(named=True)
    assert row["why"].endswith("is not known, as the measure depends on them.")
    # a catalogue alone does not know the lists
    (row,) = lf.gate(again.catalogue, {"Coverage@5": 0.1}, **TWO).rows(named=True)
    assert row["outcome"] == "undecided"
    assert str(row["mean_difference"]) == "0.0"
    assert row["why"].endswith("as all requests change it alike or a run has one list.")


def test_a_gate_on_a_catalogue_in_groups():
    of = pl.DataFrame({"query_id": [f"u{u}" for u in range(USERS)], "age": ["young", "old"] * 10})
    grouped = {"requests": of, "by": "age"}
    c = lf.catalogue(RUNS, "Coverage@5", ITEMS, qrels=QRELS, groups=5, **grouped)
    g = lf.gate(c, 0.25, **TWO)
    assert g["age"].to_list() == ["old", "young"]
    # of 5 groups of requests: the interval is that of 4 degrees of freedom
    wider = lf.catalogue(RUNS, "Coverage@5", ITEMS, qrels=QRELS, groups=5, alpha=0.1, **grouped)
    ends = wider.comparisons.filter(run_a="a", run_b="b").select(-pl.col("ci_high"), "ci_low")
    assert g["ci_low"].to_list() == pytest.approx(ends["ci_high"].to_list())


def test_a_catalogue_has_no_values_of_requests(e):
    assert lf.asl_curve(e.catalogue)["measure"].n_unique() == 2
    with pytest.raises(TypeError, match="expected values of requests, found a Catalogue"):
        lf.compare(e.catalogue)


@pytest.mark.slow
def test_leaderboards_take_measures_of_lists_and_of_all_lists(e):
    board = lf.leaderboard({"x": e, "y": e}, measure="Novelty@5")
    first = e.means.filter(measure="Novelty@5", rank=1)["run"].item()
    assert board.ranking.filter(rank=1)["run"].item() == first
    # one number of each run and collection, larger ones better
    several = {name: _other_lists(seed) for seed, name in enumerate("uvwxyz")}
    for measure, sign in (("Coverage@5", 1), ("Gini(exposure=dcg)@5", -1)):
        board = lf.leaderboard(several, measure=measure)
        values = pl.concat(
            c.values.with_columns(collection=pl.lit(name)) for name, c in several.items()
        ).filter(measure=measure)
        low = {} if sign > 0 else {"smaller_is_better": [*several]}
        given = lf.leaderboard(values.select("run", "collection", "value"), **low)
        assert_frame_equal(board.ranking, given.ranking)
        assert_frame_equal(board.comparisons, given.comparisons)
    beside = {
        name: lf.evaluate(RUNS, QRELS, ["nDCG@5", "Coverage@5"], items=ITEMS) for name in "xy"
    }
    cells = lf.leaderboard(beside, measure="Coverage@5").cells
    assert lf.leaderboard(beside, measure="ndcg_cut_5").cells.height == 6
    named = lf.leaderboard(_reached_by_gini(), measure="Gini(exposure=uniform)@5")
    assert_frame_equal(named.cells, lf.leaderboard(_reached_by_gini(), measure="Gini@5").cells)
    found = beside["x"].catalogue.values.select("run", "value")
    assert_frame_equal(cells.filter(collection="x").select("run", "value"), found)


def _reached_by_gini():
    return {name: lf.catalogue(RUNS, ["Gini@5", "Coverage@5"], ITEMS) for name in "xy"}


def test_a_run_without_any_value_is_no_silent_gap():
    items = lf.read_items(pl.DataFrame({"doc_id": [*"ab"]}))
    qrels = {"x": {"a": 1}, "y": {"a": 1}}
    some = {"x": {"a": 1}, "y": {"b": 1}}
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        c = lf.catalogue({"r": some, "e": {"z": {"a": 1}}}, "Gini@1", items, qrels=qrels)
    with pytest.warns(lf.LexiframeWarning, match=r"no collection has a value, left out: 1 \('e'\)"):
        assert lf.leaderboard({"m": c, "n": c}, measure="Gini@1").ranking.height == 1
    with pytest.raises(lf.LexiframeError, match="found that r or e has no list at all; give it"):
        lf.gate(c, {"Gini@1": 0.1}, baseline="r", candidate="e")


def _other_lists(seed):
    rng = np.random.default_rng(seed)
    runs = {
        run: {
            f"u{u}": {f"d{d}": 1 / (1 + r) for r, d in enumerate(rng.permutation(n)[:5])}
            for u in range(USERS)
        }
        for run, n in (("a", 20), ("b", 30), ("c", 40))
    }
    return lf.catalogue(runs, ["Coverage@5", "Gini(exposure=dcg)@5"], ITEMS)


def test_over_other_requests_the_jackknife_of_each_collection_counts():
    several = {name: _other_lists(seed) for seed, name in enumerate("xyz")}
    how = {"measure": "Gini(exposure=dcg)@5", "over": "requests"}
    board = lf.leaderboard(several, weights={"x": 2, "y": 1, "z": 1}, **how)
    apart = pl.concat(
        [c.pair_differences().filter(measure=how["measure"]) for c in several.values()]
    )
    weight = np.array([0.5, 0.25, 0.25])
    for run_a, run_b, found, t, df in board.comparisons.select(
        "run_a", "run_b", "mean_difference", "statistic", "df"
    ).iter_rows():
        d, se, n = (
            apart.filter(run_a=run_a, run_b=run_b)
            .select("mean_difference", "se", "df")
            .to_numpy()
            .T
        )
        parts = (weight * se) ** 2
        assert found == pytest.approx(weight @ d)
        assert t == pytest.approx(found / np.sqrt(parts.sum()))
        assert df == pytest.approx(parts.sum() ** 2 / (parts**2 / n).sum())  # Welch, Satterthwaite
    with pytest.raises(lf.LexiframeError, match="borda cannot count requests; take rule='mean'"):
        lf.leaderboard(several, "borda", **how)


def test_gates_and_leaderboards_of_results_that_are_read_again(e, tmp_path):
    e.write(tmp_path)
    again = lf.read_results(tmp_path)
    for how in ({}, {"over": "requests"}):
        both = [
            lf.leaderboard({"x": one, "y": one}, measure="Coverage@5", **how) for one in (e, again)
        ]
        assert_frame_equal(both[0].ranking, both[1].ranking)
    assert_frame_equal(lf.gate(again, ALONE, **TWO), lf.gate(e, ALONE, **TWO))
    (tmp_path / "catalogue_units.parquet").unlink()  # one number of each run is left
    again = lf.read_results(tmp_path)
    with pytest.raises(lf.LexiframeError, match="found one number for each run and collection"):
        lf.leaderboard({"x": again, "y": again}, measure="Coverage@5", over="requests")


def test_gates_and_leaderboards_of_evaluations_in_parts(e, tmp_path):
    parts = lf.evaluate(RUNS, QRELS, MEASURES, items=ITEMS, keep="scores", out=tmp_path)
    columns = ["measure", "outcome", "p_value", "ci_low"]
    assert_frame_equal(
        lf.gate(parts, ALONE, **TWO).select(columns), lf.gate(e, ALONE, **TWO).select(columns)
    )
    how = {"measure": "Coverage@5", "over": "requests"}
    found, expected = (lf.leaderboard({"x": one, "y": one}, **how).ranking for one in (parts, e))
    assert_frame_equal(found, expected)


@pytest.mark.slow
def test_leaderboards_refuse_groups_of_all_lists():
    of = pl.DataFrame({"query_id": [f"u{u}" for u in range(USERS)], "age": ["young", "old"] * 10})
    c = lf.catalogue(RUNS, "Coverage@5", ITEMS, requests=of, by="age")
    grouped = lf.evaluate(RUNS, QRELS, MEASURES, items=ITEMS, requests=of, by="age")
    assert lf.leaderboard({"x": grouped, "y": grouped}, measure="nDCG@5").cells.height == 6
    with pytest.raises(lf.LexiframeError, match=r"found those of groups \(age\)"):
        lf.leaderboard({"x": c, "y": c})


def test_one_margin_is_that_of_all_lists_too(e):
    one = lf.evaluate(RUNS, QRELS, ["nDCG@5", "Coverage@5"], items=ITEMS)
    found = lf.gate(one, 0.25, **TWO)
    assert found.equals(lf.gate(one, {"nDCG@5": 0.25, "Coverage@5": 0.25}, **TWO))
    assert found.height == 2


@pytest.mark.slow
def test_leaderboards_know_that_smaller_is_better():
    e = lf.evaluate(RUNS, QRELS, ["nDCG@5", "ARP@5"], items=ITEMS)
    board = lf.leaderboard({"x": e, "y": e}, measure="ARP@5")
    first = e.means.filter(measure="ARP@5", rank=1)["run"].item()
    assert board.ranking.filter(rank=1)["run"].item() == first


@pytest.mark.slow
def test_many_runs_show_the_first_ten_within_the_bounds():
    runs = {f"run{n:02}": RUNS["abc"[n % 3]] for n in range(21)}
    e = lf.evaluate(runs, QRELS, ["nDCG@5", "Coverage@5", "Gini@5"], items=ITEMS)
    text = str(e).partition("All lists of a run together")[2]
    assert text.partition("\nBy ")[0].count("Coverage@5") == 10  # the sentence is of all runs
    assert "Gini@5, smaller is better" in text
    assert "more runs: e.catalogue has all" in " ".join(text.split())


def test_missing_rankings_are_warned_of_once():
    lacking = {"a": RUNS["a"], "b": {"u1": RUNS["b"]["u1"]}}
    with pytest.warns(lf.LexiframeWarning, match="rankings missing, counted as empty: 19") as said:
        e = lf.evaluate(lacking, QRELS, ["nDCG@5", "Coverage@5"], items=ITEMS)
    assert len(said) == 1
    with pytest.raises(lf.LexiframeError, match=r"Coverage@5 .* does not go with missing='drop'"):
        lf.gate(e, 0.1, **TWO, missing="drop")
    assert lf.gate(e, {"nDCG@5": 0.1}, **TWO, missing="drop")["n"].item() == 1


def test_a_number_without_an_interval_says_why():
    one = {run: {"u1": of["u1"]} for run, of in RUNS.items()}
    e = lf.evaluate(one, {"u1": QRELS["u1"]}, ["nDCG@5", "Coverage@5"], items=ITEMS)
    assert "—: no list, one alone, or all requests change it alike" in str(e)


@pytest.mark.slow
def test_who_is_first_by_measures_of_all_lists_is_said_and_marked(tmp_path):
    rnd = random.Random(3)

    def among(n):
        return {
            f"u{u}": {f"d{i}": -float(k) for k, i in enumerate(rnd.sample(range(n), 3))}
            for u in range(USERS)
        }

    narrow, wide = among(4), among(10)
    runs = {"narrow": narrow, "wide": wide, "wider": wide}
    first = "By Gini@3, wide and wider are first; narrow is significantly worse."
    beside = "By Gini@3, narrow is the baseline; wide and wider are significantly better."
    items = lf.read_items(pl.DataFrame({"doc_id": [f"d{n}" for n in range(10)]}))
    for baseline, said in ((None, first), ("narrow", beside)):
        e = lf.evaluate(runs, QRELS, ["RR", "Gini@3"], items=items, baseline=baseline)
        assert lf.verdict(e.catalogue)["sentence"].to_list() == [said]
        page = e.report(tmp_path / "page.html").read_text()
        assert said in page.partition("<main")[2].partition("</main>")[0]
        assert said in " ".join(str(e).split())
        assert (str(e).partition("All lists")[2].count("*") == 2) == (baseline is None)
    assert first in " ".join(str(lf.catalogue(runs, ["Gini@3"], items)).split())


def test_a_difference_without_a_standard_error_is_not_tested():
    lists = {f"u{u}": {"d0": 1.0} for u in range(USERS)}
    other = {f"u{u}": {"d0": 1.0, "d1": 0.5} for u in range(USERS)}
    c = lf.catalogue({"one": lists, "two": other}, ["Coverage@2"], ITEMS)
    said = "By Coverage@2, two is first; one is not tested."
    assert lf.verdict(c)["sentence"].to_list() == [said]
    with pytest.raises(TypeError, match="alpha and family are for the result of evaluate"):
        lf.verdict(c, alpha=0.1)
