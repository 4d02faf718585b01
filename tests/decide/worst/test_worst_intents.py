"""WorstIntents: a small example, its notation, values of loops, and what it is not made from."""

import polars as pl
import pytest

import lexiframe as lf

RUN = {"x": {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5, "e": 0.25}, "r": {"a": 1.0}}}
QRELS = pl.DataFrame(
    [("q", "s", "a"), ("q", "t", "b"), ("q", "u", "e"), ("r", "s", "z")],
    schema=["query_id", "subtopic", "doc_id"], orient="row",
).with_columns(relevance=1.0)  # fmt: skip


@pytest.mark.parametrize("share, value", [(0.5, 0.3), (0.1, 0.2), (1, 1.7 / 3)])
def test_the_worst_subtopics_count_the_last_one_in_part(share, value):
    p = lf.positions(RUN, QRELS, subtopics=True)
    s = lf.scores(p, lf.WorstIntents("RR", share=share))
    assert dict(s.select("query_id", "value").rows()) == {"q": pytest.approx(value), "r": 0.0}
    e = lf.evaluate(RUN, QRELS, [f"WorstIntents(RR,share={share})", "AP"])
    assert e.scores.filter(pl.col("measure") != "AP").equals(s)


def test_the_notation_has_the_metric_and_the_share():
    of = lf.WorstIntents
    assert str(of) == str(of(lf.AP, share=0.5)) == "WorstIntents(AP, share=0.5)"
    assert str(of("P@20", share=0.25)) == str(of("P", share=0.25) @ 20)
    for text in ("WorstIntents(RBP(p=0.5), share=1)", "WorstIntents(P, share=0.25, rel=2)@20"):
        assert str(lf.parse_measure(text)) == text
    assert lf.parse_measure("WorstIntents(AP(rel=2),share=1)") == of("AP", share=1, rel=2)
    assert lf.parse_measure("WorstIntents") == of
    assert of("RR") != of


@pytest.mark.parametrize("inside", ["ASL", "MAP-IA", "bpref", 3])
def test_other_measures_are_refused(inside):
    with pytest.raises(lf.LexiframeError, match="expected one metric of relevant items"):
        lf.WorstIntents(inside)
    with pytest.raises(lf.LexiframeError, match="share"):
        lf.WorstIntents("AP", share=0)


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_values_are_those_of_loops_and_all_subtopics_are_map_ia(shared):
    data = shared / "data/trec_web_2012"
    qrels = pl.DataFrame(lf.read_qrels(data / "qrels.ndeval.trec.gz"))
    binary = qrels.with_columns(pl.col("relevance").clip(upper_bound=1.0))
    wanted = pl.read_parquet(shared / "conformance/worst/intents.parquet")
    named = wanted.select("measure", "share").unique().rows()
    metrics = {str(lf.WorstIntents(name, share=share)): (name, share) for name, share in named}
    p = lf.positions(data / "runs", binary, subtopics=True)
    s = lf.scores(p, [*metrics, "MAP-IA", "P-IA@20"])
    found = s.filter(pl.col("measure").is_in([*metrics])).with_columns(
        measure=pl.col("measure").replace({n: of[0] for n, of in metrics.items()}),
        share=pl.col("measure").replace_strict({n: of[1] for n, of in metrics.items()}),
    )
    on = ["run", "query_id", "measure", "share"]
    both = wanted.join(found, on=on, how="full", suffix="_ours")
    assert both.height == found.height == wanted.height == 6400
    assert (both["value"] - both["value_ours"]).abs().max() < 1e-9
    values = {name: s.filter(measure=name)["value"] for name in s["measure"].unique()}
    for of, ia in (("AP, share=1)", "MAP-IA"), ("P, share=1)@20", "P-IA@20")):
        assert (values[f"WorstIntents({of}"] - values[ia]).abs().max() < 1e-15
