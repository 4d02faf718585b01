"""Candidates that changed nothing: what is a fact, and what equal values alone do not tell."""

import shutil

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.decide.gates import same_rankings
from tests.small_tables import scores

EXAMPLE = lf.bundled("example")
QRELS, OLD = EXAMPLE / "qrels.txt", EXAMPLE / "runs" / "pixels_euclidean.run"
TWO = {"baseline": "old", "candidate": "new"}
SAME = "PASS: nothing changed: new ranks the same documents as old in the same order, in all judged"
QUERIES = sorted(set(lf.read_qrels(QRELS)["query_id"].to_pylist()))
KINDS = pl.DataFrame({"query_id": QUERIES, "kind": [*"xyxyy"]})


def rows_of(path=OLD):
    return pl.DataFrame(lf.read_runs(path)).drop("run")


def moved(query, judged):
    """The old run, but that two documents of one request have changed places.

    They are the first that are ``judged``, or are not, and follow one another.
    """
    known = {*pl.DataFrame(lf.read_qrels(QRELS)).filter(query_id=query)["doc_id"]}
    rows = rows_of()
    mine = rows.with_row_index("row").filter(query_id=query).sort("score", descending=True)
    alike = [doc in known for doc in mine["doc_id"]]
    place = next(n for n in range(mine.height) if alike[n : n + 2] == [judged] * 2)
    one, other = mine["row"][place], mine["row"][place + 1]
    score = rows["score"].to_list()
    score[one], score[other] = score[other], score[one]
    return rows.with_columns(score=pl.Series(score))


def gated(old, new, measures="AP", **options):
    """The gate of an evaluation, which knows the rankings."""
    known = {name: options.pop(name) for name in ("depth", "requests", "by") if name in options}
    e = lf.evaluate({"old": old, "new": new}, QRELS, measures, **known)
    return lf.gate(e, 0.05, **TWO, **options)


@pytest.mark.slow
def test_another_file_with_the_same_rankings_has_changed_nothing(tmp_path):
    copy = shutil.copy(OLD, tmp_path / "copy.run")
    for new in (copy, rows_of(), rows_of().with_columns(pl.col("score") * 2)):
        g = gated(OLD, new, ["AP", "RPP"])
        assert g["outcome"].to_list() == ["pass"] * 2
        assert all(why.startswith(SAME) for why in g["why"])
        assert g["test"].to_list() == ["none"] * 2
        assert (
            g.select("p_value", "p_adjusted", "ci_low", "required").null_count().row(0) == (2,) * 4
        )
    better = gated(OLD, copy, require="better").row(0, named=True)
    assert better["outcome"] == "fail"
    assert better["why"].startswith("FAIL: nothing changed: ")
    assert better["why"].endswith(", so that new is not better than old by 0.05.")
    assert gated(OLD, copy, require=["equivalent", "any"])["outcome"].item() == "pass"


def test_two_runs_of_one_table_are_not_one_file():
    both = pl.concat([rows_of().with_columns(run=pl.lit(name)) for name in ("old", "new")])
    e = lf.evaluate(both, QRELS, "AP")
    assert lf.gate(e, 0.05, **TWO)["why"].item().startswith(SAME)


def test_documents_without_judgments_are_seen_too():
    """No measure tells these rankings apart, and yet something has changed."""
    g = gated(OLD, moved(QUERIES[0], judged=False), ["AP", "RPP"])
    assert g["outcome"].to_list() == ["undecided"] * 2
    assert all(why.endswith("; the rankings differ, though no value does.") for why in g["why"])


def test_equal_values_by_one_measure_are_no_equal_rankings():
    """Where a request has one relevant item, or a measure looks at the first only."""
    new = moved(QUERIES[0], judged=True)
    row = gated(OLD, new, "RR").row(0, named=True)
    assert (row["outcome"], row["mean_difference"]) == ("undecided", 0.0)
    assert "the rankings differ" in row["why"]
    both = gated(OLD, new, ["RR", "bpref"])
    assert {*both["outcome"]} <= {"undecided", "pass"}
    assert not both["why"].str.contains("nothing changed").any()


@pytest.mark.slow
def test_a_group_where_nothing_differs_is_tested():
    """The candidate has changed requests of the other group, so that it may lose in this one."""
    new = moved(QUERIES[0], judged=False)
    how = {"requests": KINDS, "by": "kind"}
    assert gated(OLD, new, **how)["outcome"].to_list() == ["undecided"] * 2
    assert gated(OLD, rows_of(), **how)["outcome"].to_list() == ["pass"] * 2


def test_the_depth_is_how_far_rankings_are_looked_at():
    first = rows_of().sort("score", descending=True).group_by("query_id").head(20)
    assert "order, down to rank 20, in all" in gated(OLD, first, depth=20)["why"].item()
    assert "nothing changed" not in gated(OLD, first, depth=21)["why"].item()


def test_a_ranking_that_is_missing_is_a_change():
    fewer = rows_of().filter(pl.col("query_id") != QUERIES[0])
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        e = lf.evaluate({"old": OLD, "new": fewer}, QRELS, "AP")
    row = lf.gate(e, 0.05, **TWO, missing="drop").row(0, named=True)
    assert (row["outcome"], row["n"], row["mean_difference"]) == ("undecided", 4, 0.0)
    assert "nothing changed" not in row["why"]


def test_of_several_candidates_each_is_looked_at(tmp_path):
    copy, worse = shutil.copy(OLD, tmp_path / "copy.run"), EXAMPLE / "runs" / "random.run"
    e = lf.evaluate({"old": OLD, "new": copy, "worse": worse}, QRELS, "AP")
    g = lf.gate(e, 0.05, baseline="old", candidate=["new", "worse"])
    assert dict(g.select("candidate", "outcome").iter_rows()) == {"new": "pass", "worse": "fail"}
    assert [said.split()[0] for said in lf.verdict(g)["sentence"]] == ["PASS:", "FAIL:"]
    assert " by AP, worse is worse than old" in lf.verdict(g)["sentence"][1]


def test_scores_do_not_tell_whether_rankings_are_the_same():
    values = [0.1, 0.2, 0.3]
    same = scores({"old": values, "new": values}, "AP")
    with pytest.raises(lf.LexiframeError, match="new has the same values as old in all requests"):
        lf.gate(same, 0.05, **TWO)
    row = lf.gate(same, 0.05, **TWO, same_ok=True).row(0, named=True)
    assert row["why"] == "PASS: nothing changed: new has the same values as old in all requests."
    other = scores({"old": values, "new": [0.1, 0.2, 0.4]}, "RR")
    row = lf.gate(pl.concat([same, other]), {"AP": 0.05}, **TWO).row(0, named=True)
    assert row["outcome"] == "undecided"
    assert row["why"].endswith("; by other measures the two runs differ.")
    lone = same.filter((pl.col("run") == "old") | (pl.col("query_id") != same["query_id"][0]))
    row = lf.gate(lone, 0.05, **TWO, same_ok=True, missing="drop").row(0, named=True)
    assert row["outcome"] == "undecided"


def test_results_without_their_runs(tmp_path):
    """Values that were read back do not tell either, and a file that has changed since is gone."""
    new = shutil.copy(OLD, tmp_path / "new.run")
    e = lf.evaluate({"old": OLD, "new": new}, QRELS, "AP")
    e.write(tmp_path / "results")
    assert lf.gate(lf.read_results(tmp_path / "results"), 0.05, **TWO)["outcome"].item() == "pass"
    with new.open("a") as file:
        file.write("another Q0 document 1 1.0 new\n")
    with pytest.raises(lf.LexiframeError, match="new has the same values as old in all requests"):
        lf.gate(e, 0.05, **TWO)
    assert lf.gate(e, 0.05, **TWO, same_ok=True)["outcome"].item() == "pass"


def test_documents_that_were_removed_do_not_count():
    """With unjudged="remove" a ranking has judged documents alone."""
    new = moved(QUERIES[0], judged=False)
    with pytest.warns(lf.LexiframeWarning, match="rows of unjudged documents, removed"):
        e = lf.evaluate({"old": OLD, "new": new}, QRELS, "AP", unjudged="remove")
    assert lf.gate(e, 0.05, **TWO)["outcome"].item() == "pass"


def test_only_two_runs_are_read_again(monkeypatch):
    """Those of the gate, and only where the judged documents have the same ranks."""
    read, rank_runs = [], same_rankings.rank_runs

    def noted(scan, *arguments, **options):
        read.append(len(scan))
        return rank_runs(scan, *arguments, **options)

    monkeypatch.setattr(same_rankings, "rank_runs", noted)
    runs = {"old": OLD, "new": rows_of(), "other": EXAMPLE / "runs" / "random.run"}
    e = lf.evaluate(runs, QRELS, "AP")
    assert lf.gate(e, 0.05, **TWO)["outcome"].item() == "pass"
    assert read == [2]
    lf.gate(e, 0.05, baseline="old", candidate="other")
    assert read == [2]
