"""What stands beside tasks and is none: errors, counts, times, checkpoints, filters, means."""

import json

import polars as pl
import pytest

import lexiframe as lf

BOARD = {"model": ["a", "b", "c"], "nq": [0.5, 0.4, 0.3], "law": [0.25, 0.5, 0.125]}
SUFFIXES = ["_stderr", " (std)", "_std_err", "_se", "±", " +/-", "_ci_low", ".ci95_upper", "_n",
            " rank", "_time", " (Std Dev)", "-count"]  # fmt: skip
OF_ANOTHER = "called like another one and its error, number, rank or time, left out: 2"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_called_like_a_task_and_a_statistic_is_no_task(tmp_path, suffix):
    more = {f"{name}{suffix}": [0.01, 0.125, 0.5] for name in ("nq", "law")}
    path = tmp_path / "board.csv"
    pl.DataFrame(BOARD | more).write_csv(path)
    expected = lf.leaderboard(pl.DataFrame(BOARD)).ranking
    for given in (pl.DataFrame(BOARD | more), path):
        with pytest.warns(lf.LexiframeWarning, match=OF_ANOTHER):
            assert lf.leaderboard(given).ranking.equals(expected)


def test_statistics_of_tasks_in_rows_and_those_that_are_wanted():
    more = {f"{name}_stderr": [0.01, 0.125, 0.5] for name in ("nq", "law")}
    long = pl.DataFrame(BOARD | more).unpivot(index="model", variable_name="task")
    with pytest.warns(lf.LexiframeWarning, match=rf"{OF_ANOTHER} \('law_stderr', 'nq_stderr'\)"):
        assert lf.read_scores(long)["collection"].unique().sort().to_list() == ["law", "nq"]
    with pytest.warns(lf.LexiframeWarning, match=r"left out: 1 \('nq_stderr'\)"):
        found = lf.leaderboard(long, smaller_is_better=["law_stderr"])
    assert found.ranking["n_collections"].to_list() == [3, 3, 3]


@pytest.mark.parametrize("name", ["Average WER", "Avg. WER", "Average Test CER", "STS mean"])
def test_a_mean_of_a_measure_is_a_mean(name):
    x = {"model": list("abcd"), "T1": [5.1, 6.3, 5.2, 4.1], "Speed": [9.0, 3, 5, 7],
         name: [4.03, 5.08, 4.71, 3.63], "T2": [4.0, 4.9, 5.5, 3.3],
         "T3": [2.99, 4.04, 3.43, 3.49]}  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match="values are the means of the others, left out: 1"):
        found = lf.leaderboard(pl.DataFrame(x))
    assert found.ranking["n_collections"].to_list() == [4] * 4


def test_means_of_parts_alone_are_collections():
    x = {"model": list("abc"), "STS Average": [0.5, 0.4, 0.3], "QA Average": [0.2, 0.45, 0.7]}
    with pytest.warns(lf.LexiframeWarning, match="do not sum the others up: 2"):
        assert lf.leaderboard(pl.DataFrame(x)).ranking["n_collections"].to_list() == [2] * 3


COUNTS = "task,correct,total,unparsed,accuracy\nalgebra,2,5,1,0.4\nlaw,3,10,0,0.3\nart,1,5,0,0.2\n"


def test_counts_of_one_model_are_no_models(tmp_path, lexiframe):
    path = tmp_path / "accuracy_results.csv"
    path.write_text(COUNTS)
    table = pl.read_csv(path)
    other = table.select(dataset="task", Passed="correct", Failed="unparsed", F1="accuracy")
    refused = "expected a column for each run, found counts and measures of one run: {}"
    for given, n in ((path, 4), (table, 4), (other, 3)):
        with pytest.raises(lf.SchemaError, match=refused.format(n)):
            lf.leaderboard(given)
    assert refused.format(4) in lexiframe("leaderboard", path).err
    said = table.select("task", value="accuracy", run=pl.lit("a"))
    assert lf.read_scores(said).height == 3
    runs = table.select("task", total="accuracy", bm25="accuracy", dense="accuracy")
    assert lf.read_scores(runs)["run"].n_unique() == 3


CHECKPOINTS = "epoch,steps,cosine-MRR@10,cosine-NDCG@10\n" + "".join(
    f"{n},{500 * n},0.{5 + n}5,0.{4 + n}5\n" for n in range(4)
)


def test_checkpoints_are_no_requests(tmp_path, lexiframe):
    path = tmp_path / "a.csv"
    path.write_text(CHECKPOINTS)
    history = [{"global_step": 10 * n, "eval_ndcg": 0.1 * n} for n in range(3)]
    refused = "rows that look like checkpoints of one run, by {}.*lexiframe.read_log reads them"
    for given, n in ((path, 2), (pl.read_csv(path), 2), (history, 1)):
        with pytest.raises(lf.SchemaError, match=refused.format(n)):
            lf.read_scores({"a": given})
    assert "read_log reads them" in lexiframe("evaluate", "--scores", f"a={path}").err
    assert lf.read_log(path).height == 4
    of_agents = {"success": [1.0, 0.0, 1.0], "steps": [7, 30, 4]}
    assert lf.read_scores(pl.DataFrame(of_agents), run="a").height == 6
    by_request = pl.read_csv(path).with_row_index("query_id")
    assert lf.read_scores({"a": by_request})["query_id"].n_unique() == 4


def samples_of(folder, results, filters=(None,)):
    """Samples of lm-evaluation-harness by several filters, and the results beside them."""
    for model in ("org__a", "org__b"):
        (folder / model).mkdir()
        rows = [{"doc_id": i, "exact_match": float(i % 3 == n), **({"filter": one} if one else {})}
                for n, one in enumerate(filters) for i in range(6)]  # fmt: skip
        when = "2024-04-08T10-00-00.000000"
        text = "\n".join(map(json.dumps, rows))
        (folder / model / f"samples_gsm8k_{when}.jsonl").write_text(text)
        named = {"results": {"gsm8k": results}, "n-shot": {"gsm8k": 5}, "model_name": model}
        if results:
            (folder / model / f"results_{when}.json").write_text(json.dumps(named))
    return folder


SEVERAL = r"expected one 'exact_match' of a sample, found several in 24 rows, '0' of 'gsm8k' first"


def test_samples_without_results_are_refused_alike(tmp_path):
    with pytest.raises(lf.SchemaError, match=SEVERAL):
        lf.read_scores(samples_of(tmp_path, {}, (None, None)))
