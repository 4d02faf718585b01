"""One run whose ids match nothing in the judgments, while those of other runs do."""

import random
import re
import warnings
from zlib import crc32

import pytest

import lexiframe as lf

QUERIES = [f"q{n}" for n in range(12)]


def collection(**others):
    """Return judgments, and three runs; ``others`` change the ids of runs of these names."""
    rnd = random.Random(5)
    qrels = {q: {f"doc-{rnd.randrange(40):03}": 1 for _ in range(3)} for q in QUERIES}

    def ranking(q):
        documents = sorted({*qrels[q], *(f"doc-{rnd.randrange(40):03}" for _ in range(9))})
        rnd.shuffle(documents)
        return {d: float(-n) for n, d in enumerate(documents)}

    runs = {name: {q: ranking(q) for q in QUERIES} for name in ("bm25", "splade", *others)}
    for name, (query, document) in others.items():
        runs[name] = {
            query(q): {document(d): score for d, score in inner.items()}
            for q, inner in runs[name].items()
        }
    return runs, qrels


def same(name):
    return name


CASES = {
    "segments": (
        same,
        lambda d: f"{d}#0",
        "no judged document .*'other'.*likely cause: an ending",
    ),
    "prefix": (same, lambda d: f"corpus/{d}", "no judged document .*likely cause: a prefix"),
    "zeros": (same, lambda d: f"doc-{int(d[4:])}", "no judged document .*likely cause: leading"),
    "case": (same, str.upper, "no judged document .*likely cause: upper and lower case"),
    "other": (same, lambda d: f"{crc32(d.encode())}@", "no judged document .*same document ids"),
    "topics": (lambda q: f"{q}_1", same, "no judged request .*'other'.*likely cause: an ending"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("how", ["at once", "in parts"])
def test_the_run_is_named_and_left_out_of_the_verdict(tmp_path, case, how):
    *change, said = CASES[case]
    runs, qrels = collection(other=change)
    large = {"out": tmp_path, "keep": "scores"} if how == "in parts" else {}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        e = lf.evaluate(runs, qrels, ["AP", "RPP"], **large)
    assert any(re.match(said, str(one.message)) for one in told)
    assert e.provenance["unmatched"] == ["other"]
    left_out = "other is left out of the verdict: nothing that it retrieved is judged."
    assert str(e).startswith(left_out)
    for row in e.verdict.iter_rows(named=True):
        assert "other is left out" in row["sentence"]
        assert "other" not in [*row["best"], *row["not_worse"]]
        assert row["n_pairs"] == 1
    assert e.means.filter(run="other", measure="AP")["mean"].to_list() == [0.0]


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_two_runs_of_which_one_matches_have_no_verdict(tmp_path):
    runs, qrels = collection(dense=(same, lambda d: f"{d}#0"))
    del runs["splade"]
    e = lf.evaluate(runs, qrels, "AP")
    assert "One run is left: a verdict needs two." in str(e)
    assert not e.verdict.height
    page = e.report(tmp_path / "r.html").read_text()
    assert "dense is left out" in page
    assert "significantly worse" not in page.partition("<script")[0]


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("baseline", ["bm25", "dense"])
def test_nothing_is_said_of_it_against_a_baseline(baseline):
    runs, qrels = collection(dense=(same, lambda d: f"{d}#0"))
    (row,) = lf.evaluate(runs, qrels, "AP", baseline=baseline).verdict.iter_rows(named=True)
    assert "dense" not in [*row["better"], *row["worse"], *row["undecided"]]
    assert row["incomparable"] == (["dense"] if baseline == "bm25" else ["bm25", "splade"])


@pytest.mark.parametrize("baseline", [None, "bm25"])
def test_where_nothing_is_judged_nothing_is_concluded(baseline):
    """All runs tie at 0, which says nothing of who is first, nor that they are the same."""
    other = (same, lambda document: f"{document}#0")
    runs, qrels = collection(bm25=other, splade=other)
    with pytest.warns(lf.LexiframeWarning, match="no judged document was retrieved by any run"):
        e = lf.evaluate(runs, qrels, ["AP", "RPP"], baseline=baseline)
    said = "o run retrieved a judged document, so that nothing can be concluded."
    assert str(e).partition("\n\n")[0].replace("\n", " ") == f"N{said}"
    assert {*e.verdict["sentence"]} == {f"By AP and RPP, n{said}"}


def test_a_baseline_without_a_match_is_named_first():
    runs, qrels = collection(dense=(same, lambda document: f"{document}#0"))
    with pytest.warns(lf.LexiframeWarning, match="no judged document"):
        e = lf.evaluate(runs, qrels, "AP", baseline="dense")
    assert "\nNo run can be compared with dense by AP.\n" in str(e)
    (said,) = e.verdict["sentence"]
    assert said.startswith("By AP, no run can be compared with dense: no request or judged")


def test_of_many_runs_some_are_explained():
    ending = (same, lambda d: f"{d}#0")
    runs, qrels = collection(**{f"dense{n}": ending for n in range(5)})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lf.evaluate(runs, qrels, "AP")
    assert [str(one.message)[:40] for one in told] == [
        *[f"no judged document was retrieved by the run 'dense{n}'"[:40] for n in range(3)],
        "no judged document or request in common "[:40],
    ]
