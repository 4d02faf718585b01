"""Degradation, statistic by statistic, from long tables and loops over their rows."""

from statistics import stdev

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import lexiframe as lf
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.study.less_data.degradation import degradation
from lexiframe.study.less_data.sampling import sample_labels, sample_requests, truncate_runs

MEASURES = ["RPP", "LR", "LP", "AP", "nDCG", "RR", "R@10", "Rprec"]


@pytest.fixture(scope="module")
def files(shared):
    folder = shared / "data" / "cranfield"
    runs = sorted((folder / "runs").iterdir())[:5]
    return runs, next(folder.glob("qrels*"))


@pytest.fixture(scope="module")
def p(files):
    whole = lf.positions(*files)
    return whole.filter(pl.col("query_id").is_in(whole["query_id"].unique().sort()[:40].implode()))


def signs(p, measures=MEASURES):
    """The sign of each preference, and of the mean preference of each pair of runs."""
    d = lf.preferences(p, measures)
    of_rankings = {row[:4]: np.sign(row[4]) for row in d.iter_rows()}
    means = d.group_by("measure", "run_a", "run_b").agg(pl.col("preference").mean())
    of_runs = {
        (measure, a, b): 0.0 if abs(value) < 1e-12 else np.sign(value)
        for measure, a, b, value in means.rows()
    }
    return of_rankings, of_runs


def ranks(p, order):
    found = {}
    for name in MEASURES:
        measure = lf.parse_measure(name)
        is_metric = isinstance(measure, Metric)
        table = lf.scores(p, measure) if is_metric else lf.preferences(p, measure)
        o = lf.order_runs(table, "mean" if is_metric else order)
        found[name] = o.sort("run")["rank"].to_list()
    return found


def agreement(target, found):
    """Over the pairs of both that the target tells apart."""
    known = [key for key, sign in target.items() if sign != 0 and key in found]
    return np.mean([target[key] == found[key] for key in known])


SAMPLE = {
    "labels": lambda p, fraction, seed: sample_labels(p, fraction, "retrieved", seed=seed),
    "requests": lambda p, fraction, seed: sample_requests(p, fraction, seed=seed),
    "depth": lambda p, fraction, seed: truncate_runs(p, int(fraction * p["n_retrieved"].max())),
}


@pytest.mark.parametrize("what", SAMPLE)
def test_statistics_by_loops(what, p, files, monkeypatch):
    monkeypatch.setattr("lexiframe.study.less_data.degradation.positions", lambda *_, **__: p)
    found = degradation(
        *files, MEASURES, what=what, how="retrieved", fractions=[0.4], samples=3, seed=9,
        reference="RR", order="borda",
    )  # fmt: skip
    n_samples = 1 if what == "depth" else 3
    seeds = np.random.SeedSequence(9).generate_state(n_samples)
    parts = [SAMPLE[what](p, 0.4, int(seed)) for seed in seeds]
    whole, of_parts = signs(p), [signs(part) for part in parts]
    order, orders = ranks(p, "borda"), [ranks(part, "borda") for part in parts]
    for row in found.iter_rows(named=True):
        name = row["measure"]
        expected = {statistic: [] for statistic in STATISTICS}
        for (less, of_runs), ordered in zip(of_parts, orders, strict=True):
            mine = {key[:3]: sign for key, sign in less.items() if key[3] == name}
            full = {key[:3]: sign for key, sign in whole[0].items() if key[3] == name}
            guide = {key[:3]: sign for key, sign in whole[0].items() if key[3] == "RR"}
            runs_less = {key[1:]: sign for key, sign in of_runs.items() if key[0] == name}
            runs_full = {key[1:]: sign for key, sign in whole[1].items() if key[0] == name}
            expected["tie_rate"].append(np.mean([sign == 0 for sign in mine.values()]))
            expected["agreement"].append(agreement(full, mine))
            expected["system_agreement"].append(agreement(runs_full, runs_less))
            expected["reference_agreement"].append(agreement(guide, mine))
            guide_runs = {key[1:]: sign for key, sign in whole[1].items() if key[0] == "RR"}
            expected["reference_system_agreement"].append(agreement(guide_runs, runs_less))
            expected["tau"].append(kendalltau(order[name], ordered[name]).statistic)
        for statistic, values in expected.items():
            assert row[statistic] == pytest.approx(np.mean(values), abs=1e-12), (name, statistic)
            spread = row[f"{statistic}_sd"]
            assert spread is None if n_samples == 1 else spread == pytest.approx(stdev(values))
        assert row["samples"] == n_samples
    assert found["measure"].to_list() == sorted(MEASURES)
    assert found["how"].unique().to_list() == (["retrieved"] if what == "labels" else [None])


STATISTICS = ["tie_rate", "agreement", "system_agreement", "tau", "reference_agreement"]
STATISTICS += ["reference_system_agreement"]


@pytest.mark.slow
def test_all_of_the_data_agree_with_themselves():
    folder = lf.bundled("example")
    arguments = (folder / "runs", folder / "qrels.txt", ["RPP", "AP"])
    found = degradation(*arguments, fractions=[1, 0.5], samples=2)
    whole = found.filter(pl.col("fraction") == 1)
    for statistic in ("agreement", "system_agreement", "tau"):
        assert whole[statistic].to_list() == [1, 1]
        assert whole[f"{statistic}_sd"].to_list() == [0, 0]
    assert found.equals(degradation(*arguments, fractions=[0.5, 1], samples=2))
    assert not found.equals(degradation(*arguments, fractions=[1, 0.5], samples=2, seed=1))
    key = ["what", "how", "fraction", "measure"]
    assert found.equals(found.sort(key))


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"what": "runs"},
            "expected what to be one of 'labels', 'requests', 'depth', found 'runs'",
        ),
        ({"how": "pooled"}, "expected how to be one of 'uniform', 'retrieved', found 'pooled'"),
        ({"order": "elo"}, "expected order to be one of 'mean', .*, found 'elo'"),
        ({"fractions": [0.5, 1.5]}, r"expected a fraction above 0 and at most 1, found 1\.5"),
        ({"fractions": []}, "degradation: expected fractions that are kept, found none"),
        ({"counts": [2]}, r"expected counts as whole numbers from 1 .* 5, with what='requests'"),
        ({"counts": [9], "what": "requests"}, r"expected counts .* found \[9\] with what='req"),
        ({"samples": 0}, "expected samples to be a whole number from 1, found 0"),
        ({"measures": "bpref"}, "bpref"),
    ],
)
def test_what_is_refused(options, message):
    folder = lf.bundled("example")
    arguments = {"measures": "AP", **options}
    with pytest.raises(lf.LexiframeError, match=message):
        degradation(folder / "runs", folder / "qrels.txt", **arguments)


@pytest.mark.slow
def test_counts_of_requests_are_fractions_of_them():
    folder = lf.bundled("example")
    options = {"what": "requests", "samples": 2, "seed": 3}
    given = (folder / "runs", folder / "qrels.txt", ["AP", "RPP"])
    found = degradation(*given, counts=[5, 2, 2], **options)
    assert found.columns[2:5] == ["fraction", "n_requests", "measure"]
    assert found["n_requests"].to_list() == [2, 2, 5, 5]
    assert found.drop("n_requests").equals(degradation(*given, fractions=[0.4, 1], **options))


def by_subtopics():
    return lf.simulate_collection(requests=6, runs=4, subtopics=3, depth=(20, 30), seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("what", SAMPLE)
def test_measures_by_subtopic_by_loops(what):
    runs, qrels = by_subtopics()
    measures = ["ST-RPP", "MAP-IA"]
    found = degradation(
        runs, qrels, measures, what=what, how="retrieved", fractions=[0.5], samples=2, seed=4
    )
    p = lf.positions(runs, qrels, subtopics=True)
    seeds = np.random.SeedSequence(4).generate_state(1 if what == "depth" else 2)
    parts = [SAMPLE[what](p, 0.5, int(seed)) for seed in seeds]
    whole, of_parts = signs(p, measures), [signs(part, measures) for part in parts]
    for row in found.iter_rows(named=True):
        name = row["measure"]
        full = {key[:3]: sign for key, sign in whole[0].items() if key[3] == name}
        less = [
            {key[:3]: sign for key, sign in of_pairs.items() if key[3] == name}
            for of_pairs, _ in of_parts
        ]
        ties = [np.mean([sign == 0 for sign in part.values()]) for part in less]
        assert row["tie_rate"] == pytest.approx(np.mean(ties))
        agreed = [agreement(full, part) for part in less]
        assert row["agreement"] == pytest.approx(np.mean(agreed))


def test_measures_with_and_without_subtopics_are_asked_for_apart():
    runs, qrels = by_subtopics()
    with pytest.raises(lf.LexiframeError, match=r"found others as well \(AP\)"):
        degradation(runs, qrels, ["ST-RPP", "AP"], samples=1)
