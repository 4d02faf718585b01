"""The command line and the library are one: every measure of the catalogue, under every policy."""

import json
import random
import sys
import warnings
from fractions import Fraction

import polars as pl
import pytest
import scipy
from polars.testing import assert_frame_equal

import lexiframe as lf
from lexiframe.connect.measures.user_models import USER_MODELS
from lexiframe.core.cli import app as cli
from lexiframe.core.metrics.catalogues.subtopics import SUBTOPIC_METRICS
from lexiframe.core.metrics.kinds.derived import every_metric
from lexiframe.core.metrics.needed import SUBTOPICS
from lexiframe.core.pairwise.measured import project_runs
from lexiframe.core.pairwise.pairs import tables_of
from lexiframe.core.pairwise.preference_entries import PREFERENCES, parse_measure
from lexiframe.core.projection.policies import Policies

METRICS = {metric.name: metric for metric in every_metric()}
NEEDS_MORE = {
    "linear": "linear(n=1000)",
    "P": "P@5",
    "Success": "Success@3",
    "LR.metric": "LR.metric(n=60)",
    "IPrec": "IPrec@0.5",
    "Rprec_mult": "Rprec_mult@0.5",
    "F1": "F1@5",
    "WSS": "WSS@95",
    "relative_P": "relative_P@5",
    "PRES": "PRES@5",
} | {name: f"{name}@5" for name in SUBTOPIC_METRICS if METRICS[name].cuts_off}
NEEDS_MORE |= {name: f"{name}(max_rel=3)" + "@5" * METRICS[name].cuts_off for name in USER_MODELS}
del NEEDS_MORE["Compat"], NEEDS_MORE["Accuracy"]
MEASURES = [NEEDS_MORE.get(name, name) for name in (*METRICS, *PREFERENCES)]
MEASURES += ["TSE(AP)", "eta(AP)", "WC(AP)", "AP@5", "Judged@5", "bpref(rel=3)", "ASL(n=60)"]
LOTS = 4
"""Measures are evaluated in lots, as each measure is correlated with all others that are asked."""
POLICIES = [
    {},
    {"rel": 2},
    {"ties": "doc_id_asc"},
    {"ties": "input"},
    {"ties": "rank"},
    {"score_type": "float32"},
    {"no_relevant": "zero"},
    {"duplicates": "best"},
    {"unjudged": "remove"},
]


def collection(duplicates):
    """Three runs with ties and gaps; judgments by subtopic, in part of pooled documents only."""
    draw = random.Random(7)
    documents = [f"d{n}" for n in range(20)]
    qrels = [
        (query, subtopic, document, draw.choice([-1, 0, 0, 1, 2, 3]) if query != "q4" else 0)
        for query in ("q1", "q2", "q3", "q4")
        for subtopic in ("s", "t")
        for document in sorted(draw.sample(documents, 6))
    ]
    rows = [
        (run, query, document, rank, draw.choice([1.0, 1 + 2.0**-40, 2.0, 3.0]))
        for run in "abc"
        for query in ("q1", "q2", "q3", "q4", "q5")
        if (run, query) != ("b", "q2")
        for rank, document in enumerate(draw.sample(documents, 12), start=1)
    ]
    rows += [(*rows[0][:3], 99, 0.5)] * duplicates
    names = ["run", "query_id", "doc_id", "rank", "score"]
    judged = ["query_id", "iteration", "doc_id", "relevance"]
    return pl.DataFrame(rows, names, orient="row"), pl.DataFrame(qrels, judged, orient="row")


@pytest.fixture(params=POLICIES, ids=lambda policies: "-".join(map(str, policies.values())) or "-")
def case(request, tmp_path):
    """The policies, the frames, and the arguments of a command for the same in files."""
    runs, qrels = collection(request.param.get("duplicates") == "best")
    (tmp_path / "runs").mkdir()
    for (run,), rows in runs.partition_by("run", as_dict=True).items():
        lines = rows.select(
            "query_id", pl.lit("Q0").alias("q0"), "doc_id", "rank", "score", tag="run"
        )
        lines.write_csv(tmp_path / "runs" / f"{run}.run", separator=" ", include_header=False)
    qrels.write_csv(tmp_path / "qrels.txt", separator=" ", include_header=False)
    said = [f"--{name.replace('_', '-')}={value}" for name, value in request.param.items()]
    return request.param, runs, qrels, [tmp_path / "qrels.txt", tmp_path / "runs", *said]


def command(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["lexiframe", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code


def by_the_library(function, runs, qrels, policies, measures):
    """Step by step: positions for what the measures need, then scores or preferences of them."""
    by_subtopic = [m for m in measures if parse_measure(m).needs == SUBTOPICS]
    others = [m for m in measures if m not in by_subtopic]
    p = lf.positions(runs, qrels, judged=True, pool=True, **policies)
    q = lf.positions(runs, qrels, subtopics=True, **policies)
    kept = policies.get("no_relevant", "drop")
    table = pl.concat(
        [function(p, others, no_relevant=kept), function(q, by_subtopic, no_relevant=kept)]
    )
    return table.sort(table.columns[:-1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_commands_are_the_library_step_by_step(case, tmp_path, monkeypatch, capsys):
    policies, runs, qrels, arguments = case
    metrics = [measure for measure in MEASURES if measure not in PREFERENCES]
    s = by_the_library(lf.scores, runs, qrels, policies, metrics)
    d = by_the_library(lf.preferences, runs, qrels, policies, MEASURES)
    assert d["measure"].n_unique() == len(MEASURES)
    for n in range(LOTS):
        named = [argument for measure in MEASURES[n::LOTS] for argument in ("-m", measure)]
        command(monkeypatch, "evaluate", *arguments, *named, "--out", tmp_path / f"{n}")
    for table, expected in (("scores", s), ("preferences", d)):
        found = [pl.read_parquet(tmp_path / f"{n}" / f"{table}.parquet") for n in range(LOTS)]
        found = pl.concat(found, how="diagonal").sort(expected.columns[:-1])
        assert_frame_equal(found.select(expected.columns), expected, check_exact=True)
    capsys.readouterr()

    named = [argument for measure in MEASURES for argument in ("-m", measure)]
    command(monkeypatch, "compare", *arguments, *named, "--test", "sign", "--format", "json")
    found = pl.DataFrame(json.loads(capsys.readouterr().out), infer_schema_length=None)
    expected = lf.compare(d, "sign")
    finite = pl.selectors.float().replace({float("inf"): None})  # JSON has no word for them
    assert found["p_value"].to_list() == expected["p_value"].to_list()
    same = ["measure", "run_a", "run_b", "n", "mean_difference", "p_adjusted", "reject"]
    assert_frame_equal(found.select(same), expected.select(same).with_columns(finite))


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("name", ["evaluate", "compare"])
@pytest.mark.parametrize("case", [{}], indirect=True)
def test_a_lower_rel_than_that_of_the_policies_is_refused(name, case, monkeypatch, capsys):
    arguments = [name, *case[-1], "-m", "RPP(rel=1)", "--rel", "2"]
    monkeypatch.setattr(sys, "argv", ["lexiframe", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert (
        "RPP(rel=1) counts grades from 1, but rel=2 removes lower grades" in capsys.readouterr().err
    )


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_judged_items_of_ranks_are_those_of_positions():
    """The two sources of judged items give the same values to the last bit."""
    runs, qrels = collection(duplicates=False)
    for policies in (Policies(), Policies(no_relevant="zero"), Policies(unjudged="remove")):
        names = ["bpref", "infAP", "Judged@5", "RBP_residual", "bpref(rel=2)"]
        metrics = [parse_measure(name) for name in names]
        with warnings.catch_warnings(action="ignore"):
            projected = project_runs(runs, qrels, metrics, policies)
            options = dict(no_relevant=policies.no_relevant, unjudged=policies.unjudged)
            p = lf.positions(runs, qrels, judged=True, **options)
        expected = lf.scores(p, metrics, no_relevant=policies.no_relevant)
        expected = expected.drop("answered", strict=False)  # an evaluation adds it to its tables
        found, _ = tables_of(projected.whole(metrics))
        assert_frame_equal(found, expected, check_exact=True)
        shuffled = p.sample(fraction=1.0, shuffle=True, seed=1)
        again = lf.scores(shuffled, metrics, no_relevant=policies.no_relevant)
        again = again.drop("answered", strict=False)
        assert_frame_equal(again, expected, check_exact=True)


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_search_lengths_of_large_corpora_tie_as_fractions_do(tmp_path, monkeypatch, capsys):
    """A difference of one rank is 1/3 or 1/7 whatever the size, so that rank tests see ties."""
    draw = random.Random(3)
    ranks = {"a": {}, "b": {}}
    qrels = {f"q{n:02}": dict.fromkeys("xyzuvwt"[: draw.choice([3, 7])], 1) for n in range(20)}
    for query in qrels:
        at, first, by = draw.randint(1, 30), draw.choice("aab"), draw.choice([1, 1, 2])
        ranks["a"][query], ranks["b"][query] = (at, at + by) if first == "a" else (at + by, at)
    runs = {
        run: {q: {"x" if k == at else f"{run}{k}": -k for k in range(40)} for q, at in of.items()}
        for run, of in ranks.items()
    }
    fractions = [Fraction(ranks["b"][q] - ranks["a"][q], len(of)) for q, of in qrels.items()]
    sizes = sorted({abs(number) for number in fractions})
    by_rank = [sizes.index(abs(f)) * (1 if f > 0 else -1) + (1 if f > 0 else -1) for f in fractions]
    expected = scipy.stats.wilcoxon(by_rank, method="asymptotic", correction=False).pvalue
    measure = "ASL(n=528155)"
    d = lf.preferences(lf.positions(runs, qrels), measure)
    assert d["preference"].to_list() == [float(fraction) for fraction in fractions]
    e = lf.evaluate(runs, qrels, measure, test="wilcoxon", correction="none")
    for name, found in (("a", runs["a"]), ("b", runs["b"])):
        lf.write_trec(lf.read_runs({name: found}), tmp_path / f"{name}.run")
    lf.write_trec(lf.read_qrels(qrels), tmp_path / "qrels.txt")
    files = (tmp_path / "qrels.txt", tmp_path / "a.run", tmp_path / "b.run")
    options = ("-m", measure, "--test", "wilcoxon", "--correction", "none", "--format", "json")
    command(monkeypatch, "compare", *files, *options)
    in_a_shell = json.loads(capsys.readouterr().out)[0]["p_value"]
    of_preferences = lf.compare(d, "wilcoxon", "none")["p_value"][0]
    assert {e.comparisons["p_value"][0], of_preferences} == {in_a_shell}
    assert in_a_shell == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_positions_without_rows():
    p = lf.positions(*collection(duplicates=False), judged=True, rel=2)[:0]
    for measures in ("AP", ["num_ret", "bpref", "nDCG", "LR.rank"]):
        assert lf.scores(p, measures).shape == (0, 4)
    with pytest.raises(lf.LexiframeError, match="expected at least two runs, found 0"):
        lf.preferences(p, ["RPP", "AP"])


def test_judged_measures_need_no_judged_item_that_is_not_relevant():
    p = lf.positions({"a": {"q": {"x": 2, "y": 1}}}, {"q": {"x": 1, "y": 1}}, judged=True)
    assert lf.scores(p, "bpref")["value"].to_list() == [1.0]
