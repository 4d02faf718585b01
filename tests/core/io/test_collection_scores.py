"""`read_scores` of leaderboards: tables, and the results that tools write."""

import json
import re

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

LONG = pl.DataFrame(
    {"model": ["a", "a", "b", "b"], "task": ["x", "y", "x", "y"], "score": [0.5, 0.25, 0.75, 0.5]}
)
ROWS = [("a", "x", 0.5), ("a", "y", 0.25), ("b", "x", 0.75), ("b", "y", 0.5)]


def test_bad_cells_are_named():
    text = LONG.with_columns(score=pl.Series(["0.5", "0.25", "good", "0.5"]))
    with pytest.raises(lf.ReadError, match=r"row 3: .* found 'good' for b in x"):
        lf.read_scores(text)
    infinite = LONG.with_columns(score=pl.Series([0.5, float("inf"), 0.75, 0.5]))
    with pytest.raises(lf.ReadError, match="found inf for a in y"):
        lf.read_scores(infinite)
    twice = pl.concat([LONG, LONG.head(1).with_columns(score=0.9)])
    with pytest.raises(lf.SchemaError, match="run 'a' has more than one value in collection 'x'"):
        lf.read_scores(twice)
    with pytest.warns(lf.LexiframeWarning, match="cells without a value are gaps.*1 \\(b in y\\)"):
        found = lf.read_scores(LONG.with_columns(score=pl.Series([0.5, 0.25, 0.75, float("nan")])))
    assert found.rows() == ROWS[:3]
    with pytest.warns(
        lf.LexiframeWarning, match="'x' the values of 1 run \\('a'\\).*mixed with percent"
    ):
        lf.read_scores(LONG.with_columns(score=pl.Series([0.5, 0.25, 75.0, 0.5])))


@pytest.mark.parametrize("dash", "-–—")
def test_a_dash_is_a_gap(dash):
    cells = pl.Series(["0.5", "0.25", "0.75", dash])
    with pytest.warns(lf.LexiframeWarning, match="cells without a value are gaps.*1 \\(b in y\\)"):
        assert lf.read_scores(LONG.with_columns(score=cells)).rows() == ROWS[:3]


def test_columns_that_could_mean_two_things_or_nothing():
    with pytest.raises(lf.SchemaError, match="task and dataset could each be the collection"):
        lf.read_scores(LONG.with_columns(dataset=pl.lit("d")))
    with pytest.raises(lf.SchemaError, match="expected a column of values"):
        lf.read_scores(LONG.select("model", "task"))
    with pytest.raises(lf.LexiframeError, match="do not say whose scores they are"):
        lf.read_scores(LONG.select("task", "score"))
    with pytest.raises(lf.ReadError, match="expected a name as collection, found none"):
        lf.read_scores(LONG.with_columns(task=pl.Series(["x", "", "x", "y"])))
    plain = pl.DataFrame({"run": ["a"], "qid": ["q"], "measure": ["AP"], "value": [0.5]})
    with pytest.raises(lf.SchemaError, match="all sources to have collections, or none"):
        lf.read_scores([LONG, plain])


# --- MTEB -----------------------------------------------------------------------------------------


def mteb(folder, model, revision, task, scores, version="1.0.0"):
    place = folder / model / revision
    place.mkdir(parents=True, exist_ok=True)
    (place / "model_meta.json").write_text(json.dumps({"name": model.replace("__", "/")}))
    content = {"task_name": task, "mteb_version": version, "scores": scores}
    (place / f"{task}.json").write_text(json.dumps(content))


def subset(score, language="eng-Latn"):
    return {"hf_subset": "default", "languages": [language], "main_score": score}


def test_mteb_takes_the_newest_revision_or_all(tmp_path):
    mteb(tmp_path, "o__m", "old", "T", {"test": [subset(0.5)]}, "1.9.0")
    mteb(tmp_path, "o__m", "old", "U", {"test": [subset(0.7), subset(0.1, "deu-Latn")]}, "1.9.0")
    mteb(tmp_path, "o__m", "new", "T", {"test": [subset(0.6)]}, "1.12.0")
    with pytest.warns(lf.LexiframeWarning, match="several revisions: 1 \\('o__m'\\)"):
        found = lf.read_scores(tmp_path)
    assert found.select("collection", "value").rows() == [("T", 0.6), ("U", pytest.approx(0.4))]
    everything = lf.read_scores(tmp_path, revisions="all", languages="eng")
    assert everything.select("collection", "replicate", "value").rows() == [
        ("T", "new", 0.6), ("T", "old", 0.5), ("U", "old", 0.7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "scores, message",
    [
        ({"test": [{"hf_subset": "x"}]}, "a main_score in each subset"),
        ({"dev": [subset(1)], "train": [subset(1)]}, "found 'dev' and 'train' in 1 run each"),
        ({"test": [subset("good")]}, "found 'good' for run 'o__m' in collection 'T'"),
        ({}, "found no split"),
        (None, "scores by split"),
    ],
)
def test_files_of_mteb_that_are_not(tmp_path, scores, message):
    mteb(tmp_path, "o__m", "r", "T", scores)
    with pytest.raises(lf.ReadError, match=message):
        lf.read_scores(tmp_path)


def gaps_of(folder, match, **options):
    with pytest.warns(lf.LexiframeWarning, match=match):
        return lf.read_scores(folder, **options).select("run", "value").rows()


def named(score, name, language="eng-Latn"):
    return {**subset(score, language), "hf_subset": name}


def test_subsets_that_a_run_lacks_are_a_gap(tmp_path):
    """What most runs have is compared; of as many runs, the larger set of subsets."""
    whole = [named(0.75, "en"), named(0.25, "de", "deu-Latn")]
    mteb(tmp_path, "o__a", "r", "T", {"test": whole})
    mteb(tmp_path, "o__b", "r", "T", {"test": whole[:1]})
    assert gaps_of(tmp_path, r"are gaps: 1 \('o__b in T'\)") == [("o__a", 0.5)]
    assert lf.read_scores(tmp_path, languages="eng")["value"].to_list() == [0.75, 0.75]
    # Most runs have one subset, so that the other one of o__a does not count.
    mteb(tmp_path, "o__c", "r", "T", {"test": whole[:1]})
    assert lf.read_scores(tmp_path)["value"].to_list() == [0.75] * 3
    # Other names, as after a new version of the data, are another subset.
    mteb(tmp_path, "o__d", "r", "T", {"test": [named(0.9, "en-v2")]})
    assert len(gaps_of(tmp_path, r"are gaps: 1 \('o__d in T'\)")) == 3


def test_splits_that_a_run_lacks_are_a_gap(tmp_path):
    mteb(tmp_path, "o__a", "r", "T", {"dev": [subset(0.4)]})
    mteb(tmp_path, "o__b", "r", "T", {"test": [subset(0.5)]})
    assert gaps_of(tmp_path, r"1 \('o__a in T \(dev, not test\)'\)") == [("o__b", 0.5)]
    mteb(tmp_path, "o__c", "r", "T", {"dev": [subset(0.6)]})
    assert gaps_of(tmp_path, r"1 \('o__b in T \(test, not dev\)'\)") == [
        ("o__a", 0.4),
        ("o__c", 0.6),
    ]
    mteb(tmp_path, "o__b", "r", "T", {"test": [subset(0.5)], "dev": [subset(0.45)]})
    assert lf.read_scores(tmp_path)["value"].to_list() == [0.4, 0.45, 0.6]
    for model in "def":
        mteb(tmp_path, f"o__{model}", "r", "T", {"test": [subset(0.5)], "dev": [subset(0.1)]})
    assert len(gaps_of(tmp_path, r"are gaps: 2 \('o__a in T .*', 'o__c in T .*'\)")) == 4


def test_an_older_revision_with_all_subsets_goes_before_a_newer_gap(tmp_path):
    both = [named(0.5, "en"), named(0.5, "de", "deu-Latn")]
    for model in "ab":
        mteb(tmp_path, f"o__{model}", "old", "T", {"test": both}, "1.9.0")
    mteb(tmp_path, "o__b", "new", "T", {"test": both[:1]}, "1.10.0")
    assert lf.read_scores(tmp_path)["value"].to_list() == [0.5, 0.5]


@pytest.mark.slow
@pytest.mark.parametrize("newer, older", [
    ("2.0.0", "2.0.0.dev3"), ("2.0.0rc1", "2.0.0b9"), ("1.12.75", "1.12.9"),
    ("2.0.0.post1", "2.0.0"),
    ("2.0", "unknown"), ("1.0", None),
])  # fmt: skip
def test_versions_are_those_of_packages(tmp_path, newer, older):
    mteb(tmp_path, "o__a", "r1", "T", {"test": [subset(0.25)]}, newer)
    mteb(tmp_path, "o__a", "r2", "T", {"test": [subset(0.75)]}, older)
    assert gaps_of(tmp_path, "several revisions") == [("o__a", 0.25)]


def test_a_main_score_without_a_value_is_a_gap(tmp_path):
    mteb(tmp_path, "o__a", "r", "T", {"test": [named(0.5, "en"), named(None, "de")]})
    mteb(tmp_path, "o__b", "r", "T", {"test": [named(0.5, "en"), named(0.25, "de")]})
    assert gaps_of(tmp_path, r"without a value are gaps.*1 \(o__a in T\)") == [("o__b", 0.375)]


# --- lm-evaluation-harness ------------------------------------------------------------------------


def test_lm_evaluation_harness(tmp_path):
    place = tmp_path / "org__gpt"
    place.mkdir()
    results = {
        "results": {
            "arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": 0.1},
            "ppl": {"perplexity,none": 12.0, "acc,none": 0.25},
            "group": {"acc,none": 0.4},
        },
        "group_subtasks": {"group": ["arc", "ppl"]},
        "model_name": "org/gpt",
    }
    (place / "results_2024-01-01T00-00-00.json").write_text(json.dumps(results))
    lines = [{"doc_id": n, "filter": "none", "metrics": ["acc"], "acc": n} for n in (0, 1)]
    (place / "samples_arc_2024-01-01T00-00-00.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = lf.read_scores(tmp_path)
    assert found.rows() == [
        ("org__gpt", "arc", "0", "acc", 0.0),
        ("org__gpt", "arc", "1", "acc", 1.0),
        ("org__gpt", "ppl", None, "acc", 0.25),
        ("org__gpt", "ppl", None, "perplexity", 12.0),
    ]
    with pytest.raises(lf.SchemaError, match="expected scores by 'f1', found 2"):
        lf.read_scores(tmp_path, measure="f1")
    (place / "samples_arc_2024-01-01T00-00-00.jsonl").write_text("no")
    with pytest.raises(lf.ReadError, match=r"line 1: expected results of lm-eval.*found no JSON"):
        lf.read_scores(tmp_path)
    (place / "samples_arc_2024-01-01T00-00-00.jsonl").unlink()
    (place / "results_2024-01-01T00-00-00.json").write_text("[]")
    with pytest.raises(lf.ReadError, match="expected the results of tasks"):
        lf.read_scores(tmp_path)
    (place / "results_2024-01-01T00-00-00.json").write_text(json.dumps({"results": {}}))
    with pytest.raises(lf.ReadError, match="expected results with scores, found none"):
        lf.read_scores(tmp_path)


def harness(folder, model, when, values, name="results", **more):
    """What lm-evaluation-harness writes of a model: results and samples of one task."""
    folder.mkdir(parents=True, exist_ok=True)
    mean = sum(values) / len(values)
    results = {"results": {"arc": {"alias": "arc", "acc,none": mean}}, "model_name": model} | more
    (folder / f"{name}_{when}.json").write_text(json.dumps(results))
    samples = [
        {"doc_id": n, "filter": "none", "metrics": ["acc"], "acc": value}
        for n, value in enumerate(values)
    ]
    (folder / f"samples_arc_{when}.jsonl").write_text("\n".join(map(json.dumps, samples)))


FIRST, SECOND = "2025-01-01T00-00-00.123", "2025-01-02T00-00-00.456"


@pytest.mark.parametrize("model", ["llama3:8b", "a|b", 'q"x"', "org/a?b"])
def test_samples_belong_to_the_model_of_their_results(tmp_path, model):
    harness(tmp_path / re.sub(r'["<>:/|?]+', "__", model), model, FIRST, [1.0, 0.0])
    found = lf.read_scores(tmp_path)
    assert found.select("run", "query_id").rows() == [
        (model.replace("/", "__"), "0"), (model.replace("/", "__"), "1"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["results", "llama", "my.run_7"])
def test_several_models_may_lie_in_one_folder(tmp_path, name):
    harness(tmp_path, "org/a", FIRST, [1.0, 0.0, 0.0], name)
    harness(tmp_path, "org/b", SECOND, [1.0, 1.0, 0.0], name)
    found = lf.read_scores(tmp_path).group_by("run").agg(pl.col("value").sum()).sort("run").rows()
    assert found == [("org__a", 1.0), ("org__b", 2.0)]
    harness(tmp_path, "org/c", FIRST, [1.0], "other")
    with pytest.raises(lf.ReadError, match=r"samples of one model, .* found results of 2 models"):
        lf.read_scores(tmp_path)


@pytest.mark.parametrize("arguments", [
    {"pretrained": "org/a"}, {"dtype": "auto", "model": "org/a"}, "pretrained=org/a,dtype=auto",
    "dtype=auto,path=org/a",
])  # fmt: skip
def test_arguments_of_a_model_may_be_a_dictionary(tmp_path, arguments):
    config = {"model": "hf", "model_args": arguments}
    harness(tmp_path, None, FIRST, [1.0], config=config)
    assert lf.read_scores(tmp_path)["run"].to_list() == ["org__a"]


def test_two_evaluations_of_a_model_keep_their_own_requests(tmp_path):
    harness(tmp_path, "m", FIRST, [1.0, 0.0])
    harness(tmp_path, "m", SECOND, [1.0, 1.0])
    with pytest.warns(lf.LexiframeWarning, match="several revisions"):
        assert lf.read_scores(tmp_path)["value"].to_list() == [1.0, 1.0]


SET = {
    "n-shot": ({"arc": 0}, {"arc": 5}, "5-shot, not 0-shot"),
    "versions": ({"arc": 1.0}, {"arc": 2.0}, "version 2.0, not version 1.0"),
    "config": ({"limit": None}, {"limit": 10}, "0-shot, limit 10, not 0-shot"),
    "n-samples": (
        {"arc": {"original": 9, "effective": 9}}, {"arc": {"original": 9, "effective": 3}},
        "0-shot, 3 of 9 samples, not 0-shot"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SET)
@pytest.mark.parametrize("has_samples", [True, False])
def test_other_settings_of_a_task_are_a_gap(tmp_path, name, has_samples):
    usual, other, said = SET[name]
    shots = {"n-shot": {"arc": 0}} if name in ("config", "n-samples") else {}
    for model, value in (("a", usual), ("b", usual), ("c", other)):
        harness(tmp_path / model, model, FIRST, [1.0, 0.0], **shots, **{name: value})
        if not has_samples:
            (tmp_path / model / f"samples_arc_{FIRST}.jsonl").unlink()
    match = re.escape(f"than most runs have are gaps: 1 ('c in arc ({said})')")
    with pytest.warns(lf.LexiframeWarning, match=f"settings {match}$"):
        found = lf.read_scores(tmp_path)
    assert found["run"].unique().sort().to_list() == ["a", "b"]
    assert found.height == (4 if has_samples else 2)


def test_settings_of_which_no_one_is_usual_are_refused(tmp_path):
    for model, shots in (("a", 0), ("b", 5)):
        harness(tmp_path / model, model, FIRST, [1.0, 0.0], **{"n-shot": {"arc": shots}})
    with pytest.raises(lf.ReadError, match="found '0-shot' and '5-shot' in 1 run each; leave out"):
        lf.read_scores(tmp_path)
    harness(tmp_path / "b", "b", FIRST, [1.0, 0.0])  # earlier versions do not say how tasks are set
    assert lf.read_scores(tmp_path)["run"].n_unique() == 2


# --- HELM -----------------------------------------------------------------------------------------


def stat(name, split="test", mean=0.5, **more):
    return {
        "name": {"name": name, "split": split, **more},
        "count": 2,
        "sum": 2 * mean,
        "mean": mean,
    }


def test_helm(tmp_path):
    place = tmp_path / "mmlu:subject=law,model=openai_gpt"
    place.mkdir()
    spec = {"name": place.name, "adapter_spec": {"model": "openai/gpt"}}
    (place / "run_spec.json").write_text(json.dumps(spec))
    stats = [stat("em"), stat("em", "valid", 0.9), stat("em", mean=0.1, perturbation={"name": "t"})]
    (place / "stats.json").write_text(json.dumps(stats))
    each = [{"instance_id": f"id{n}", "stats": [stat("em", mean=float(n))]} for n in (0, 1)]
    (place / "per_instance_stats.json").write_text(json.dumps(each))
    assert lf.read_scores(tmp_path).rows() == [
        ("openai__gpt", "mmlu:subject=law", "id0", "em", 0.0),
        ("openai__gpt", "mmlu:subject=law", "id1", "em", 1.0),
    ]
    (place / "per_instance_stats.json").unlink()
    assert lf.read_scores(tmp_path).rows() == [("openai__gpt", "mmlu:subject=law", "em", 0.5)]
    (place / "stats.json").write_text("{}")
    with pytest.raises(lf.ReadError, match="expected a list of statistics"):
        lf.read_scores(tmp_path)
    (place / "stats.json").write_text("[]")
    (place / "run_spec.json").write_text("{}")
    with pytest.raises(lf.ReadError, match=r"name and adapter_spec\.model"):
        lf.read_scores(tmp_path)


def beir_file(path, share, **more):
    """What BEIR's ``util.save_results`` writes: means of measures, by their kind."""
    kinds = {"ndcg": {"NDCG@1": share, "NDCG@10": share / 2}, "map": {"MAP@10": share / 4}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kinds | {"recall": {"Recall@10": 0.5}} | more, indent=4))


def test_beir(tmp_path):
    for model, shares in {"bm25": (0.5, 0.25), "tas-b": (0.25, 0.75)}.items():
        for name, share in zip(("scifact", "nfcorpus"), shares, strict=True):
            beir_file(tmp_path / model / f"{name}.json", share)
    table = lf.read_scores(tmp_path, measure="NDCG@10")
    assert table.select("run", "collection", "value").rows() == [
        ("bm25", "nfcorpus", 0.125),
        ("bm25", "scifact", 0.25),
        ("tas-b", "nfcorpus", 0.375),
        ("tas-b", "scifact", 0.125),
    ]
    every = lf.read_scores(tmp_path)["measure"].unique().sort().to_list()
    assert every == ["MAP@10", "NDCG@1", "NDCG@10", "Recall@10"]
    one = lf.read_scores(tmp_path / "bm25" / "scifact.json")
    assert one["collection"].unique().to_list() == ["scifact"]
    assert "query_id" not in one.columns  # it is no {measure: {query: value}} of ranx
    board = lf.leaderboard(tmp_path, measure="NDCG@10")
    assert board.ranking["run"].to_list() == ["tas-b", "bm25"]


def test_files_of_beir_that_are_not(tmp_path):
    beir_file(tmp_path / "bm25" / "scifact.json", 0.5, extra=7)
    with pytest.raises(lf.ReadError, match="values by measure, as BEIR writes it, found 7 in ex"):
        lf.read_scores(tmp_path)
    beir_file(tmp_path / "bm25" / "scifact.json", 0.5, mrr={"MRR@10": "high"})
    with pytest.raises(lf.ReadError, match="expected a finite number as score, found 'high'"):
        lf.read_scores(tmp_path)


BOARD = pl.DataFrame({
    "model": ["a", "b", "c"],
    "news": [0.5131, 0.4172, 0.3019],
    "law": [0.6204, 0.5493, 0.6011],
    "code": [0.7007, 0.6619, 0.5432],
})  # fmt: skip
MEANS = pl.mean_horizontal("news", "law", "code")


def read_with_warning(table, match, **options):
    with pytest.warns(lf.LexiframeWarning, match=match):
        return lf.read_scores(table, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Average", "AVG", "Mean (Task)", "overall", "Score of all", "x"])
@pytest.mark.parametrize("decimals", [4, 15])
def test_a_collection_that_is_the_mean_of_the_others_is_no_evidence(name, decimals):
    table = BOARD.with_columns(MEANS.round(decimals).alias(name))
    are = "collections whose values are the means of the others"
    match = rf"{are}, left out: 1 \('{re.escape(name)}'\)"
    expected = lf.read_scores(BOARD).rows()
    assert read_with_warning(table, match).rows() == expected
    long = table.unpivot(index="model", variable_name="task", value_name="score")
    assert read_with_warning(long, match).rows() == expected


@pytest.mark.parametrize("name", ["Average", "human baseline"])
def test_a_run_that_is_the_mean_of_the_others_is_left_out(name):
    mean = BOARD.mean().with_columns(model=pl.lit(name))
    table = pl.concat([BOARD, mean])
    match = rf"runs whose values are the means of the others, left out: 1 \('{name}'\)"
    assert read_with_warning(table, match)["run"].unique().sort().to_list() == ["a", "b", "c"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Avg Rank", "mean_rank", "Borda rank", "ranking", "Position", "#", "CO₂ cost (kg)"]
)
def test_ranks_and_costs_do_not_turn_a_leaderboard_round(name):
    table = BOARD.with_columns(pl.Series(name, [1.0, 2.0, 3.0]))
    with pytest.warns(lf.LexiframeWarning, match="called like properties of the runs"):
        found = lf.leaderboard(table)
    assert found.ranking.equals(lf.leaderboard(BOARD).ranking)
    named = BOARD.rename({BOARD.columns[1]: "passage ranking"})  # a task
    assert "passage ranking" in lf.leaderboard(named).cells["collection"].to_list()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Model", "Model Name", "model_name", "MODEL", "System", " Run"])
def test_names_of_columns_are_known_in_capitals_and_with_blanks(name):
    expected = lf.read_scores(BOARD)
    assert lf.read_scores(BOARD.rename({"model": name})).equals(expected)
    long = BOARD.unpivot(index="model", variable_name="Task", value_name="Main Score")
    assert lf.read_scores(long.rename({"model": name})).equals(expected)


@pytest.mark.slow
def test_columns_of_text_are_named_with_the_call_that_leaves_them_out(tmp_path):
    texts = {
        "License": ["mit", None, "mit"],
        "Params": ["7B", "2B", "1B"],
        "Precision": ["bf16"] * 3,
    }
    table = BOARD.with_columns(**{name: pl.Series(values) for name, values in texts.items()})
    match = (
        r"columns of text, which are no scores, left out: 3 \('License', 'Params', 'Precision'\)"
    )
    table.write_csv(path := tmp_path / "board.csv")
    for source in (table, path):
        with pytest.warns(lf.LexiframeWarning, match=match):
            assert lf.read_scores(source).equals(lf.read_scores(BOARD))
    table = BOARD.with_columns(License=pl.lit("mit"), Params=pl.lit("7,5"))
    match = r"found text in 2 \('License', 'Params'\), '7,5'; give a frame without"
    table.write_csv(path)
    for source in (table, path):
        with pytest.raises(lf.SchemaError, match=match) as caught:
            lf.read_scores(source)
    call = re.search(r"\.drop\(\[.*?\]\)", str(caught.value))[0]
    assert lf.read_scores(eval(f"table{call}", {"table": table})).equals(lf.read_scores(BOARD))
    unknown = BOARD.rename({"model": "engine"})
    with pytest.raises(
        lf.SchemaError, match="call engine run or query_id, whichever it names, or say so"
    ) as caught:
        lf.read_scores(unknown)
    assert "columns={'run': 'engine'}" in str(caught.value)
    assert lf.read_scores(unknown, columns={"run": "engine"}).equals(lf.read_scores(BOARD))


def test_collections_in_a_much_larger_unit_are_named():
    table = BOARD.with_columns(elo=pl.Series([1200.0, 1100.0, 900.0]))
    with pytest.warns(lf.LexiframeWarning, match=r"above 100 in 1 collection \('elo'\) beside"):
        lf.leaderboard(table)


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [0, 1, 2, 4])
def test_no_chance_is_taken_for_a_mean(decimals):
    rng = np.random.default_rng(decimals)
    for n in (2, 3, 5):
        for runs in (1, 2, 4):
            values = rng.random((4, runs, n)).round(decimals)
            for x in values:
                table = pl.DataFrame(x, schema=[f"c{i}" for i in range(n)], orient="row")
                table = table.with_columns(run=pl.Series([f"r{i}" for i in range(runs)]))
                assert lf.read_scores(table).height == runs * n


def test_directions_of_lm_evaluation_harness(tmp_path):
    """A perplexity is better when it is smaller, as the results say."""
    larger = {"higher_is_better": {"wiki": {"ppl": False, "acc": True}}}
    for name, when, value in (("a", FIRST, 10.0), ("b", SECOND, 20.0)):
        of_task = {"results": {"wiki": {"ppl,none": value}}, "model_name": name} | larger
        (tmp_path / f"results_{when}.json").write_text(json.dumps(of_task))
    assert lf.read_scores(tmp_path)["smaller_is_better"].to_list() == [True, True]
    with pytest.warns(lf.LexiframeWarning, match="cannot show how much"):
        assert lf.leaderboard(tmp_path).ranking["run"].to_list() == ["a", "b"]


def test_groups_of_lm_evaluation_harness_are_no_tasks_of_their_own(tmp_path):
    values = {"mmlu": 0.5, "mmlu_law": 0.4, "mmlu_math": 0.6}
    results = {name: {"acc,none": value} for name, value in values.items()}
    whole = {"results": results, "groups": {"mmlu": results["mmlu"]}, "model_name": "a"}
    (tmp_path / f"results_{FIRST}.json").write_text(json.dumps(whole))
    (tmp_path / f"._results_{FIRST}.json").write_bytes(b"\0\5")  # of macOS
    assert lf.read_scores(tmp_path)["collection"].to_list() == ["mmlu_law", "mmlu_math"]
