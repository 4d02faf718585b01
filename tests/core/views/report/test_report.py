"""The report: its data are those of the tables, and it stands alone."""

import base64
import json
import re
import zlib
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.views.report.data import OF_MEANS, OF_PREFERENCES
from lexiframe.core.views.report.packing import Packing
from lexiframe.core.views.sentences.verdict_on_baseline import baseline_sentences

pytestmark = pytest.mark.slow

TABLES = """
    means orderings win_rates comparisons correlations tie_rates sign_agreement power coverage
""".split()
ODD = ["a:b/c", "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"]
ODD += ["say \"x\" & 'y'", "long" * 100, "two\u2028lines", "{{facts}}", "`${alert(3)}`", "<!--"]


class Page:
    """What a page holds: its facts, and the numbers that they refer to."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.facts = json.loads(self.script("facts"))
        self.numbers = zlib.decompress(base64.b64decode(self.script("numbers")))

    def script(self, name):
        (found,) = re.findall(rf'<script type="[\w/]+" id="{name}">(.*?)</script>', self.text, re.S)
        return found

    def array(self, place):
        of = {"type": f"<{place['type']}", "at": place["at"], "n": place["n"]}
        return np.frombuffer(self.numbers, of["type"], of["n"], of["at"])

    def table(self, name):
        stored = self.facts["tables"][name]
        columns = {column: self.column(of) for column, of in stored["columns"].items()}
        assert {len(values) for values in columns.values()} <= {stored["n"]}
        return pl.DataFrame(columns)

    def column(self, stored):
        if "lists" in stored:
            return stored["lists"]
        values = self.array(stored)
        if "words" in stored:
            return [stored["words"][code] for code in values]
        return values

    def contrasts(self, measure):
        """The preferences of all pairs, requests × pairs, computed as the page computes them."""
        n = len(self.facts["runs"])
        (cells,) = (m["cells"] for m in self.facts["measures"] if m["name"] == measure)
        a, b = np.triu_indices(n, k=1)
        if cells["kind"] == "values":
            places = self.array(cells["places"]).reshape(-1, len(a)).astype(np.int64)
            first = self.array(cells["first"]).astype(np.int64)
            return self.array(cells["different"])[places + first[:-1, None]]
        values = self.array(cells["values"]).reshape(-1, n).astype(float)
        gain = values[:, a] - values[:, b]
        if cells["kind"] == "order":
            return np.sign(gain)
        gain = -gain if cells["smaller"] else gain
        size = np.maximum(1, np.maximum(abs(values[:, a]), abs(values[:, b])))
        return np.where(abs(gain) <= self.facts["tie"] * size, 0, gain)


def collection(runs, n_requests=6, seed=0):
    """Runs with random scores: 20 documents a request, every second one judged from 0 to 2."""
    rng = np.random.default_rng(seed)
    ids = [(q, d) for q in range(n_requests) for d in range(20)]
    ranked = pl.DataFrame(
        {
            "run": [run for run in runs for _ in ids],
            "query_id": [f"q{q}" for q, _ in ids] * len(runs),
            "doc_id": [f"d{d}" for _, d in ids] * len(runs),
            "score": rng.random(len(ids) * len(runs)),
        }
    )
    judged = [(f"q{q}", f"d{d}", float(rng.integers(3))) for q, d in ids if d % 2]
    qrels = pl.DataFrame(judged, ["query_id", "doc_id", "relevance"], orient="row")
    # a fifth of the documents is missing in each ranking
    return ranked.filter(pl.Series(rng.random(ranked.height) < 0.8)), qrels


MEASURES = ["RPP", "LR", "LP@5", "rrLP", "AP", "nDCG@10", "SL1", "LR(rel=2)"]


@pytest.fixture(scope="module")
def e():
    how = {"test": ["t", "sign"], "correction": ["holm", "bh"], "no_relevant": "zero"}
    measures = [name for name in MEASURES if name != "SL1"]
    return lf.evaluate(*collection("abcde"), measures, **how)


@pytest.fixture(scope="module")
def page(e, tmp_path_factory):
    return Page(e.report(tmp_path_factory.mktemp("report") / "report.html"))


@pytest.fixture(scope="module")
def small():
    return lf.evaluate(*collection("ab"), "AP")


def same(found, expected):
    """Whether two tables are equal: a null is NaN in one of them, numbers may be narrower."""
    expected = expected.with_columns(
        pl.col(pl.Boolean).cast(pl.UInt8), pl.selectors.float().fill_null(float("nan"))
    )
    return all(
        found[name].cast(expected.schema[name], strict=False).equals(expected[name])
        for name in expected.columns
    )


WITHIN = {"comparisons": (-1, 1)}
"""The bounds of all measures here but counts: intervals of differences are shown cut at them."""


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_are_those_of_the_evaluation(e, page, name):
    found, expected = page.table(name), e.tables()[name]
    assert found.height == expected.height > 0
    assert found["group"].unique().to_list() == [""]
    if name in WITHIN:
        expected = expected.with_columns(pl.col("ci_low", "ci_high").clip(*WITHIN[name]))
    assert same(found, expected)


def test_each_measure_has_the_test_that_was_chosen_for_it(tmp_path):
    """The page shows the comparisons by one name, and which test each measure has."""
    folder = lf.bundled("example")
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "LR", "RPP"])
    inference = Page(e.report(tmp_path / "one.html")).facts["inference"]
    assert (inference["tests"], inference["corrections"]) == (["randomization"], ["max_t"])
    assert inference["chosen"] == {}
    many = np.linspace(0, 1, 1001)  # more than joint sign flips are made of
    of = {"AP": (many, many[::-1] ** 2), "RR": (np.ones(8), np.arange(8) / 8)}
    rows = [
        (run, f"q{q}", measure, float(x))
        for measure, values in of.items()
        for run, of_run in zip("ab", values, strict=True)
        for q, x in enumerate(of_run)
    ]
    s = pl.DataFrame(rows, ["run", "query_id", "measure", "value"], orient="row")
    e = lf.evaluate_scores(s, missing="own")
    page = Page(e.report(tmp_path / "r.html"))
    inference = page.facts["inference"]
    assert (inference["tests"], inference["corrections"]) == (["auto"], ["auto"])
    assert inference["chosen"] == {"": {"AP": "t", "RR": "randomization"}}
    for name in ("comparisons", "conclusions", "marks"):
        found = page.table(name)
        assert found["test"].unique().to_list() == ["auto"]
        assert found["measure"].n_unique() == 2
    assert page.table("comparisons")["p_value"].to_list() == e.comparisons["p_value"].to_list()


def test_the_ranks_in_samples_are_those_of_rank_distributions(e, page):
    of_metrics = lf.rank_distributions(e.scores, samples=OF_MEANS)
    preferences = e.preferences.filter(~pl.col("measure").is_in(of_metrics["measure"].implode()))
    others = lf.rank_distributions(preferences, "win_rate", samples=OF_PREFERENCES)
    assert same(page.table("rank_distributions"), pl.concat([of_metrics, others]))
    assert any(f"{OF_MEANS} samples, by mean" in note for note in page.facts["notes"]["stability"])


@pytest.mark.parametrize("measure", [name for name in MEASURES if name != "SL1"])
def test_differences_of_requests_are_the_preferences(e, page, measure):
    d = e.preferences.filter(measure=measure).sort("query_id", "run_a", "run_b")
    found = page.contrasts(measure)
    assert page.facts["queries"]["ids"] == d["query_id"].unique().sort().to_list()
    np.testing.assert_allclose(found.ravel(), d["preference"], rtol=0, atol=1e-15)
    assert (np.sign(found.ravel()) == np.sign(d["preference"].to_numpy())).all()


def test_each_kind_of_measure_is_there(page):
    kinds = {m["name"]: m["cells"]["kind"] for m in page.facts["measures"]}
    assert kinds["AP"] == "scores"
    assert kinds["LR"] == "order"
    assert kinds["RPP"] == kinds["rrLP"] == "values"
    decides = {m["name"]: m["decides"] for m in page.facts["measures"]}
    assert decides["LP@5"] == {"direction": "precision", "rel": None, "cutoff": 5}
    assert decides["LR(rel=2)"] == {"direction": "recall", "rel": 2.0, "cutoff": None}
    assert decides["RPP"] is decides["AP"] is None


def test_smaller_values_that_are_better_and_missing_requests(tmp_path):
    runs, qrels = collection("abc")
    p = lf.impute(lf.positions(runs, qrels, pool=True), "pool")
    s = lf.scores(p, ["SL1", "AP"]).filter(~((pl.col("run") == "a") & (pl.col("query_id") == "q1")))
    with pytest.warns(lf.LexiframeWarning, match="request"):
        e = lf.evaluate_scores(s)
    page = Page(e.report(tmp_path / "r.html"))
    d = e.preferences.filter(measure="SL1")
    found = page.contrasts("SL1")
    assert np.isnan(found).sum() == 2
    cells = d.select("query_id", "run_a", "run_b", "preference").rows()
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    for query, run_a, run_b, preference in cells:
        q = page.facts["queries"]["ids"].index(query)
        assert found[q, pairs.index((run_a, run_b))] == preference
    assert page.facts["positions"] is None
    assert "scores of other tools" in page.facts["why_none"]


def test_positions_are_those_of_the_evaluation(e, page):
    facts = page.facts["positions"]
    n = len(page.facts["runs"])
    ranks, first = page.array(facts["ranks"]).reshape(-1, n), page.array(facts["first"])
    depth = page.array(facts["depth"]).reshape(-1, n)
    p = e.positions.filter(pl.col("level").is_not_null())
    assert ranks.size == p.height
    for q, query in enumerate(page.facts["queries"]["ids"]):
        items = slice(first[q], first[q + 1])
        for r, run in enumerate(page.facts["runs"]):
            rows = p.filter(query_id=query, run=run).sort("doc_id")
            assert rows["doc_id"].to_list() == page.facts["documents"][items]
            assert rows["position"].fill_null(0).to_list() == ranks[items, r].tolist()
            assert (rows["relevance"] == page.array(facts["relevance"])[items]).all()
            of_ranking = e.positions.filter(query_id=query, run=run)["n_retrieved"]
            assert (of_ranking == depth[q, r]).all()


def test_shares_won_are_the_cells_of_the_win_rate_matrix(e, page):
    wins = page.table("win_rates")
    for measure in ("AP", "LR"):
        matrix = lf.win_rate_matrix(e.preferences, measure).rows_by_key("run", unique=True)
        runs = page.facts["runs"]
        for row in wins.filter(measure=measure).iter_rows(named=True):
            a, b = row["run_a"], row["run_b"]
            assert row["half_wins"] == pytest.approx(matrix[a][runs.index(b)], abs=1e-15)
            assert row["half_losses"] == pytest.approx(matrix[b][runs.index(a)], abs=1e-15)


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon"])
def test_a_comparison_turned_around_is_that_of_runs_that_changed_names(test, tmp_path):
    runs, qrels = collection("ab", 12)
    page = Page(lf.evaluate(runs, qrels, "AP", test=test).report(tmp_path / "r.html"))
    swapped = runs.with_columns(pl.col("run").replace({"a": "b", "b": "a"}))
    turned = lf.evaluate(swapped, qrels, "AP", test=test).comparisons
    found = page.table("comparisons").row(0, named=True)
    assert found["effect_turned"] == pytest.approx(turned["effect_size"].item(), rel=1e-12)
    assert -found["mean_difference"] == pytest.approx(turned["mean_difference"].item())
    assert found["p_value"] == pytest.approx(turned["p_value"].item())


def test_marks_are_those_of_the_summary(e, page):
    marks = page.table("marks")
    assert set(marks.select("test", "correction").rows()) == {
        (test, correction) for test in ("t", "sign") for correction in ("holm", "bh")
    }
    best = marks.filter(pl.col("mark").str.starts_with("*"), test="t", correction="holm")
    first = e.means.filter(pl.col("rank") == pl.col("rank").min().over("measure"))
    assert set(best.select("run", "measure").rows()) == set(first.select("run", "measure").rows())


def test_the_sentences_are_those_of_the_verdict(e, page):
    v = lf.verdict(e)
    found = page.table("conclusions")
    assert found["sentence"].to_list() == v["sentence"].to_list()
    assert found["best"].to_list() == v["best"].to_list()
    told = v.select(pl.when(~pl.col("too_few")).then("not_worse").otherwise([])).to_series()
    assert found["near"].to_list() == told.to_list()
    assert v["too_few"].any()
    assert not v["too_few"].all()


def test_a_baseline_and_one_sided_tests_have_sentences(tmp_path):
    runs, qrels = collection("abcd", 12)
    e = lf.evaluate(runs, qrels, "AP", baseline="b", correction="none")
    page = Page(e.report(tmp_path / "r.html"))
    assert page.table("conclusions")["sentence"].to_list() == baseline_sentences(e)
    assert page.facts["inference"]["baseline"] == "b"
    e = lf.evaluate(runs, qrels, "AP", alternative="greater")
    (said,) = Page(e.report(tmp_path / "r.html")).table("conclusions")["sentence"]
    assert f"{e.comparisons['reject'].sum()} of 6 pairs of runs differ significantly" in said
    assert "one-sided" in said


@pytest.mark.parametrize(
    "how", [{}, {"baseline": "b"}, {"alternative": "greater"}], ids=["all", "baseline", "one-sided"]
)
def test_more_of_a_count_is_not_better(tmp_path, how):
    e = lf.evaluate(*collection("abc"), ["num_ret", "AP"], **how)
    assert set(e.comparisons["measure"]) == {"num_ret", "AP"}
    page = Page(e.report(tmp_path / "r.html"))
    assert page.table("conclusions")["measure"].to_list() == ["AP"]
    assert "num_ret" not in str(page.facts["headlines"])
    assert {m["name"]: m["is_count"] for m in page.facts["measures"]} == {
        "num_ret": True,
        "AP": False,
    }


def test_a_single_run_has_its_mean_in_words(tmp_path):
    e = lf.evaluate(*collection("a"), "AP")
    page = Page(e.report(tmp_path / "r.html"))
    (said,) = page.table("conclusions")["sentence"]
    assert f"the mean of a over 6 requests is {e.means['mean'].item():.4f}" in said
    ends = e.means.select(pl.col("ci_low", "ci_high").clip(0, 1)).row(0)
    assert f"{ends[0]:.4f} to {ends[1]:.4f}" in said


def test_groups_of_requests(tmp_path):
    """Even an attribute that has the name of the page's own column."""
    runs, qrels = collection("abc")
    requests = pl.DataFrame({"query_id": [f"q{n}" for n in range(6)], "group": [*"xyxyx", None]})
    e = lf.evaluate(runs, qrels, ["RPP", "AP"], requests=requests, by="group")
    page = Page(e.report(tmp_path / "r.html"))
    assert set(page.facts["groups"]) == {"group = x", "group = y", "no group"}
    assert len(page.facts["headlines"]) == 3
    places = page.array(page.facts["queries"]["groups"])
    named = [page.facts["groups"][place] for place in places]
    assert named == ["group = x", "group = y"] * 2 + ["group = x", "no group"]
    means, of_x = page.table("means"), e.means.filter(group="x").drop("group")
    of_x = of_x.with_columns(pl.col("ci_low", "ci_high").clip(0, 1))
    assert same(means.filter(group="group = x").drop("group"), of_x)
    assert page.table("rank_distributions").filter(group="no group").height > 0


def test_names_and_texts_cannot_leave_their_script(tmp_path):
    e = lf.evaluate(*collection(ODD), ["RPP", "AP"])
    texts = {f"d{n}": ODD[2] for n in range(20)}
    queries = {"q0": "two\n  lines", **{f"q{n}": ODD[2] for n in range(1, 6)}}
    page = Page(e.report(tmp_path / "r.html", texts=texts, queries=queries))
    assert page.facts["runs"] == sorted(name.replace("\u2028", r"\u2028") for name in ODD)
    assert page.facts["texts"]["d1"] == {"title": ODD[2]}
    assert page.facts["queries"]["texts"]["q0"] == "two lines"
    assert "<" not in page.script("facts")
    assert not {"\u2028", "\u2029"} & set(page.script("facts"))
    assert len(re.findall(r"<script", page.text)) == 3
    for name in ODD[1:3]:
        assert name not in page.text


def test_the_page_asks_for_nothing_from_a_network(page):
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)">', page.text)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "img-src data:" in policy
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page.text.partition("<script>")[0])


def test_the_same_inputs_give_the_same_bytes(small, tmp_path):
    first, second = (small.report(tmp_path / f"{n}.html").read_bytes() for n in range(2))
    assert first == second


def test_images_links_and_titles(small, tmp_path):
    (tmp_path / "one.png").write_bytes(b"\x89PNG")
    images = [str(tmp_path / "one.png"), "https://example.org/2.jpg", "data:image/gif;base64,R0lG"]
    texts = pl.DataFrame(
        {"docno": ["d1", "d3", "d5"], "title": ["One", None, "5"], "image": images}
    )
    with pytest.warns(lf.LexiframeWarning, match="texts: .*without a title or an image"):
        page = Page(small.report(tmp_path / "r.html", texts=texts))
    assert page.facts["texts"] == {
        "d1": {"title": "One", "image": "data:image/png;base64,iVBORw=="},
        "d3": {"link": "https://example.org/2.jpg"},
        "d5": {"title": "5", "image": "data:image/gif;base64,R0lG"},
    }


def test_texts_of_queries(small, tmp_path):
    frame = pl.DataFrame(
        {"qid": [f"q{n}" for n in range(6)], "query": [f"words {n}" for n in range(6)]}
    )
    frame.rename({"query": "text"}).write_csv(tmp_path / "queries.csv")
    for given in (frame.rename({"query": "text"}), tmp_path / "queries.csv", dict(frame.rows())):
        page = Page(small.report(tmp_path / "r.html", queries=given))
        assert page.facts["queries"]["texts"]["q3"] == "words 3"


@pytest.mark.parametrize(
    "given, message",
    [
        (
            {"texts": {"doc_id": ["d1"], "colour": ["red"]}},
            "texts: expected the column title or image",
        ),
        (
            {"queries": {"query_id": ["q1"], "colour": ["red"]}},
            "queries: expected one of the columns",
        ),
        (
            {"texts": {"doc_id": ["d1"], "image": ["javascript:alert(1)"]}},
            "expected an image as a data",
        ),
        ({"texts": {"doc_id": ["d1"], "image": ["none.png"]}}, "none.png: cannot be read"),
        ({"texts": {"title": ["One"]}}, "^texts: expected a column doc_id to join on, found title"),
        ({"queries": {"text": ["one"]}}, "^queries: expected a column query_id to join on, found"),
        (
            {"queries": {"query_id": ["q1", "q1"], "text": ["one", "two"]}},
            "^queries: expected one row for each query_id",
        ),
        (
            {"queries": {"query_id": ["x"], "text": ["one"]}},
            r"^queries: .* in the table and 1 \('x'\) in the queries",
        ),
        ({"queries": {"query_id": [], "text": []}}, "^queries: expected .*query_id"),
    ],
)
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_texts_that_cannot_be_used(small, tmp_path, given, message):
    frames = {name: pl.DataFrame(columns) for name, columns in given.items()}
    with pytest.raises(lf.LexiframeError, match=message):
        small.report(tmp_path / "r.html", **frames)
    assert not (tmp_path / "r.html").exists()


def test_texts_of_a_wrong_type_and_no_texts(small, tmp_path):
    for name, key in (("texts", "doc_id"), ("queries", "query_id")):
        with pytest.raises(TypeError, match=f"^{name}: expected a frame, .* by {key}, found list"):
            small.report(tmp_path / "r.html", **{name: ["q1"]})
        with pytest.raises(lf.SchemaError, match=f"^{name}: expected some {key} that is in both"):
            small.report(tmp_path / "r.html", **{name: {}})


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_images_that_are_too_large(small, tmp_path, monkeypatch):
    monkeypatch.setattr("lexiframe.core.views.report.texts._MOST", 10)
    texts = pl.DataFrame({"doc_id": ["d1"], "image": ["data:image/gif;base64,R0lG"]})
    with pytest.raises(lf.LexiframeError, match="images of at most 10 bytes in all, found 26"):
        small.report(tmp_path / "r.html", texts=texts)


def test_rankings_that_cannot_be_read_again_are_said_to_be_missing(tmp_path, monkeypatch):
    runs, qrels = collection("ab")
    paths = [tmp_path / "a.parquet", tmp_path / "qrels.parquet"]
    runs.write_parquet(paths[0])
    qrels.write_parquet(paths[1])
    monkeypatch.setattr(
        "lexiframe.core.evaluation.evaluated_data.memory_use", SimpleNamespace(available=lambda: 0)
    )  # so that positions are not kept
    e = lf.evaluate(paths[0], paths[1], ["AP", "LR"])
    runs.head(100).write_parquet(paths[0])
    with pytest.warns(
        lf.LexiframeWarning, match="report: without rankings, because they cannot be"
    ):
        page = Page(e.report(tmp_path / "r.html"))
    assert page.facts["positions"] is None
    assert "could not be read again" in page.facts["why_none"]


def test_the_page_says_why_it_does_not_know_how_stable_ranks_are(small, tmp_path, monkeypatch):
    def fail(*tables, **options):
        raise lf.LexiframeError("more than memory holds")

    monkeypatch.setattr("lexiframe.core.views.report.data.rank_distributions", fail)
    page = Page(small.report(tmp_path / "r.html"))
    assert page.table("rank_distributions").height == 0
    (said,) = page.facts["notes"]["stability"]
    assert said == "How stable the ranks by mean are is not known: more than memory holds"


def test_numbers_are_packed_in_the_narrowest_type_that_has_them():
    packing = Packing()
    for values in ([0, 255], [-128, 127], [65535], [-32768], [2**31 - 1], [2**40]):
        place = packing.array(np.array(values))
        raw = b"".join(packing.parts)
        assert place["at"] % 8 == 0
        found = np.frombuffer(raw, f"<{place['type']}", place["n"], place["at"])
        assert found.tolist() == values
    table = pl.DataFrame({"run": ["b", None, "b"], "n": [1, None, 3], "is": [True, False, True]})
    columns = packing.table(table)["columns"]
    assert columns["run"]["words"] == ["b", None]
    assert [columns[name]["type"] for name in ("run", "n", "is")] == ["u1", "f8", "u1"]


def test_a_page_of_30_runs_and_250_requests_is_small(tmp_path):
    runs, qrels = collection([f"run{n}" for n in range(30)], 250)
    e = lf.evaluate(runs, qrels)
    assert e.report(tmp_path / "r.html").stat().st_size < 5_000_000


def test_the_headline_says_best_only_of_a_run_told_apart_from_all_others(tmp_path):
    """Ranks of the one relevant document: a is ahead of b in nine of twelve requests."""
    ranks = {"a": [1] * 12, "b": [2, 2, 2, 1] * 3, "c": [8, 9] * 6}
    frames = [
        {
            "run": run,
            "query_id": f"q{q}",
            "doc_id": "d" if at == rank else f"n{rank}",
            "score": -rank,
        }
        for run, places in ranks.items()
        for q, at in enumerate(places)
        for rank in range(1, 11)
    ]
    qrels = pl.DataFrame(
        {"query_id": [f"q{q}" for q in range(12)], "doc_id": "d", "relevance": 1.0}
    )
    for alpha, headline in ((0.05, "a is best by RR: "), (0.003, "a is first by RR; ")):
        e = lf.evaluate(pl.DataFrame(frames), qrels, "RR", alpha=alpha)
        page = Page(e.report(tmp_path / "r.html"))
        ((said,),) = page.facts["headlines"]
        assert said.startswith(headline)
        assert said in " ".join(str(e).split())  # one source for the page and the terminal
        assert page.table("conclusions")["is_best"].to_list() == [alpha == 0.05]
    both = lf.evaluate(
        pl.DataFrame(frames), qrels, "RR", test=["t", "sign"], correction=["holm", "none"]
    )
    page = Page(both.report(tmp_path / "r.html"))
    assert page.facts["headlines"][0][0] in " ".join(str(both).split())
    baseline = lf.evaluate(pl.DataFrame(frames), qrels, "RR", baseline="c")
    ((said,),) = Page(baseline.report(tmp_path / "r.html")).facts["headlines"]
    assert said.startswith("a and b are significantly better than c by RR")
