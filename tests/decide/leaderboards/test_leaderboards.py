"""`leaderboard`: rules, gaps, intervals, and everything that is degenerate."""

import json
import statistics
from collections import Counter

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base import resampling
from lexiframe.decide.leaderboards.ranked import own_values

RULES = ["mean", "mean_z", "mean_rank", "borda", "win_rate", "copeland", "mc4"]
X = pl.DataFrame(
    {
        "model": ["a", "b", "c", "d"],
        "news": [0.5, 0.4, 0.3, 0.45],
        "law": [0.6, 0.7, 0.2, 0.65],
        "sport": [0.7, 0.6, 0.1, 0.5],
    }
)
GAPS = X.with_columns(
    law=pl.when(pl.col("model") == "b").then(None).otherwise("law"),
    sport=pl.when(pl.col("model") == "a").then(None).otherwise("sport"),
)


def loop_points(rule, cells):
    """Return what a rule averages, collections × runs, as plain loops."""
    found = []
    for row in cells:
        n = len(row)
        if rule == "mean":
            found.append(list(row))
        elif rule == "mean_z":
            mean = sum(row) / n
            sd = (sum((x - mean) ** 2 for x in row) / (n - 1)) ** 0.5
            found.append([(x - mean) / sd if max(row) > min(row) else 0.0 for x in row])
        else:
            mid = [1 + sum(y > x for y in row) + (sum(y == x for y in row) - 1) / 2 for x in row]
            found.append(
                {
                    "mean_rank": [-m for m in mid],
                    "borda": [n - m for m in mid],
                    "win_rate": [(n - m) / (n - 1) for m in mid],
                }[rule]
            )
    return found


@pytest.mark.parametrize("rule", RULES[:5])
def test_values_are_those_of_plain_loops(rule):
    rng = np.random.default_rng(5)
    cells = rng.integers(0, 6, (7, 5)) / 4
    weights = {f"c{n}": n + 1 for n in range(7)}
    x = pl.DataFrame({"model": list("abcde"), **{f"c{n}": cells[n] for n in range(7)}})
    found = lf.leaderboard(x, rule, weights=weights).ranking.sort("run")
    points = loop_points(rule, cells.tolist())
    total = sum(weights.values())
    expected = [sum((c + 1) / total * points[c][r] for c in range(7)) for r in range(5)]
    shown = [-x if rule == "mean_rank" else x for x in expected]  # places are shown as such
    assert found["value"].to_list() == pytest.approx(shown)
    ranks = [1 + sum(y > x + 1e-12 for y in expected) for x in expected]
    assert found["rank"].to_list() == ranks


@pytest.mark.parametrize("alpha", [0.05, 0.4])
def test_percentiles_of_ranks_are_those_of_a_loop_over_resamples(alpha):
    """The least rank that a share of α/2, and the least that one of 1 − α/2, is not above."""
    cells = np.random.default_rng(2).integers(0, 9, (7, 4)) / 8
    x = pl.DataFrame({"model": list("abcd"), **{f"c{n}": row for n, row in enumerate(cells)}})
    found = lf.leaderboard(x, samples=50, alpha=alpha).rank_percentiles.sort("run")
    ranks = []
    for counts in resampling.drawn_requests(7, 50, 0):
        means = [sum(w * v for w, v in zip(counts, cells[:, r], strict=True)) for r in range(4)]
        ranks.append([1 + sum(y > x + 1e-9 for y in means) for x in means])
    for r, row in enumerate(found.iter_rows(named=True)):
        of_run = sorted(one[r] for one in ranks)
        for end, share in (("low", alpha / 2), ("high", 1 - alpha / 2)):
            least = next(v for v in of_run if sum(u <= v for u in of_run) >= 50 * share - 1e-9)
            assert row[f"percentile_{end}"] == least
        assert row["share_first"] == of_run.count(1) / 50


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.4])
def test_holm_intervals_are_those_of_pairwise_t_tests(alpha):
    from scipy.stats import ttest_rel
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(1)
    cells = rng.normal(size=(12, 6)) * 0.1 + np.linspace(0, 0.5, 6)
    x = pl.DataFrame({"model": list("abcdef"), **{f"c{n:02}": row for n, row in enumerate(cells)}})
    found = lf.leaderboard(x, alpha=alpha)
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    p = [ttest_rel(cells[:, a], cells[:, b]).pvalue for a, b in pairs]
    assert found.comparisons["p_value"].to_list() == pytest.approx(p)
    adjusted = multipletests(p, method="holm")[1]
    assert found.comparisons["p_adjusted"].to_list() == pytest.approx(adjusted)
    better = Counter()
    worse = Counter()
    for (a, b), one in zip(pairs, adjusted, strict=True):
        if one < alpha:
            low, high = sorted((a, b), key=lambda r: cells[:, r].mean())
            better[low] += 1
            worse[high] += 1
    ranking = found.ranking.sort("run")
    assert ranking["rank_low"].to_list() == [1 + better[r] for r in range(6)]
    assert ranking["rank_high"].to_list() == [6 - worse[r] for r in range(6)]
    for r, row in enumerate(ranking.iter_rows(named=True)):  # of each run by itself
        others = [other for other in range(6) if other != r]
        own = [p[pairs.index(tuple(sorted((r, other))))] for other in others]
        is_told = multipletests(own, alpha, method="holm")[0]
        told = [other for other, differs in zip(others, is_told, strict=True) if differs]
        above = sum(cells[:, o].mean() > cells[:, r].mean() for o in told)
        ends = (row["rank_low_each"], row["rank_high_each"])
        assert ends == (1 + above, 6 - (len(told) - above))


def test_step_down_is_that_of_a_plain_loop():
    from lexiframe.core.significance import ranks

    rng = np.random.default_rng(3)
    cells = rng.normal(size=(9, 4)) + np.array([0, 0, 1.5, 3])
    design = ranks.Design.equal(cells)
    for draws in ("flip", "bootstrap"):
        together, _ = ranks.step_down(design, draws, 199, 0, 0.05)
        pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
        statistic, resampled = {}, {}
        for a, b in pairs:
            d = cells[:, a] - cells[:, b]
            statistic[a, b] = abs(d.mean()) / (d.std(ddof=1) / 3)
            signs = resampling.signs(9, 199, 0)
            counts = resampling.drawn_requests(9, 199, 0).astype(int)
            drawn = [d * s for s in signs] if draws == "flip" else [np.repeat(d, c) for c in counts]
            centre = 0 if draws == "flip" else d.mean()
            resampled[a, b] = np.array(
                [abs(x.mean() - centre) / (x.std(ddof=1) / 3) for x in drawn]
            )
        rejected, left = set(), set(pairs)
        while left:
            largest = np.sort(np.max([resampled[p] for p in left], axis=0))
            critical = largest[int(np.ceil((len(largest) + 1) * 0.95)) - 1]
            new = {p for p in left if statistic[p] > critical}
            if not new:
                break
            rejected |= new
            left -= new
        found = {(int(a), int(b)) for a, b in np.argwhere(np.triu(together))}
        assert found == rejected
        assert rejected


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["mean", "mean_z", "borda", "mean_rank", "win_rate"])
@pytest.mark.parametrize("n, applied", [(3, ("t", "none")), (5, ("t", "none")),
                                        (6, ("max_t", "step_down"))])  # fmt: skip
def test_the_test_of_few_collections_is_chosen(rule, n, applied):
    """T-tests of the mean alone; below six collections other rules have no possible ranks."""
    rng = np.random.default_rng(n)
    columns = {f"c{c}": rng.permutation(4) / 3 for c in range(n)}
    board = lf.leaderboard(pl.DataFrame({"model": list("abcd"), **columns}), rule, samples=99)
    assert board.comparisons.select("test", "correction").unique().rows() == [
        ("t", "holm") if rule == "mean" else applied
    ]
    is_none = rule != "mean" and n < 6
    limits = ("rank_low", "rank_high", "rank_low_each", "rank_high_each")
    for name in limits:
        assert board.ranking[name].null_count() == 4 * is_none
    said = " ".join(board.verdict["sentence"])
    too_few = f"; {n} collections are too few to say which ranks are possible by this rule, which"
    assert (too_few in said) == is_none
    assert ("%" in said) != is_none
    assert board.comparisons["reject"].is_null().all() == is_none
    assert board.among_first(1).height == 4 or not is_none


# --- Gaps -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_common_votes_and_adjust():
    common = lf.leaderboard(GAPS, missing="common", test="holm")
    assert common.ranking["run"].to_list() == ["a", "d", "b", "c"]
    assert "2 collections that not all runs have (law, sport) do not count" in " ".join(
        common.verdict["sentence"]
    )
    votes = lf.leaderboard(GAPS, "borda", "votes").ranking
    assert dict(votes.select("run", "incomplete").rows()) == {
        "a": True, "b": True, "c": False, "d": False,
    }  # fmt: skip
    adjusted = lf.leaderboard(GAPS, missing="adjust")
    assert adjusted.ranking["rank_low"].null_count() == 4
    assert "no intervals are given, because runs without" in " ".join(adjusted.verdict["sentence"])


@pytest.mark.filterwarnings("ignore")
def test_there_is_no_adjusted_order_without_the_collection_that_connects_a_run(tmp_path):
    x = pl.DataFrame(
        {"model": ["a", "b", "c"], "one": [0.5, 0.4, 0.9], "two": [0.6, 0.7, None]}
        | {"three": [0.2, 0.1, None]}
    )
    found = lf.leaderboard(x, missing="adjust")
    rows = found.leave_one_out.select("collection", "tau", "first", "first_changes").rows()
    assert rows == [
        ("one", None, None, None),
        ("three", pytest.approx(2 / 6**0.5), ["c"], False),  # a and b are equal there
        ("two", 1.0, ["c"], False),
    ]
    said = " ".join(found.verdict["sentence"])
    assert "c is first of 3 runs, with results in 1 of these collections; no intervals" in said
    assert "Without one, some runs share no collections, so that there is no order." in said
    assert "Whichever other collection is left out, the first place stays the same." in said
    found.write(tmp_path)
    assert str(lf.read_results(tmp_path)) == str(found)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "how, message",
    [
        (
            {"rule": "mean", "missing": "votes"},
            "lets a run lose where it has no result, which rule='mean' cannot count",
        ),
        ({"rule": "borda", "missing": "adjust"}, "for rule='mean' only, found 'borda'"),
        ({"rule": "mena"}, "did you mean|expected rule"),
        ({"over": "groups"}, "over='groups' generalises to other groups"),
        ({"over": "requests"}, "over='requests' needs the scores of requests"),
        ({"weights": "some"}, "expected weights='equal', 'groups' or"),
        ({"weights": "groups"}, "weights='groups' weighs groups of collections equally"),
        ({"weights": {"news": 1}}, "a weight for each collection, found none for 2"),
        ({"weights": {"news": -1, "law": 1, "sport": 1}}, "expected weights from 0"),
        ({"weights": dict.fromkeys(["news", "law", "sport"], "x")}, "expected numbers as weights"),
        ({"weights": {"newz": 1}}, "unknown collection 'newz'; did you mean news"),
        ({"group": {"news": "g"}}, "expected a group for each collection"),
        ({"smaller_is_better": ["newz"]}, "unknown collection 'newz'; did you mean news"),
        ({"rule": ["mean", "mean"]}, "rules with different names"),
        ({"rule": lambda cells, weights: cells[0, :1]}, "of 2 runs, found an array of the shape"),
        ({"rule": lambda cells, weights: "x"}, "to return a number for each of 2 runs, found 'x'"),
        (
            {"rule": lambda cells, weights: cells[0] / 0},
            "of 2 runs, found inf where a number is needed",
        ),
        (
            {"rule": len},
            "the rule len raised TypeError: .*it gets cells .units × runs., here 3 × 2",
        ),
        ({"rule": own_values}, "the rule own_values raised TypeError"),
        ({"rule": statistics.mean}, "the function mean is called like a rule of lexiframe; write"),
        ({"alpha": 2.0}, "alpha between 0 and 1"),
    ],
)
def test_what_cannot_be_ranked_is_an_error(how, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.leaderboard(GAPS, **how).ranking  # noqa: B018


@pytest.mark.filterwarnings("ignore")
def test_no_complete_run_no_common_collection_and_parts():
    apart = pl.DataFrame({"model": ["a", "b"], "news": [0.5, None], "law": [None, 0.5]})
    with pytest.raises(lf.LexiframeError, match="none of 2 runs has all 2 \\('a' has most, 1\\)"):
        lf.leaderboard(apart)
    with pytest.raises(lf.LexiframeError, match="no collection has all 2 runs: 'law' has most, 1"):
        lf.leaderboard(apart, missing="common")
    with pytest.raises(lf.LexiframeError, match="2 parts that share none \\(a; b\\)"):
        lf.leaderboard(apart, missing="adjust")
    assert lf.leaderboard(apart, "borda", "votes").components.rows() == [
        (1, "collection", "news"), (1, "run", "a"), (2, "collection", "law"), (2, "run", "b"),
    ]  # fmt: skip


# --- What is degenerate ---------------------------------------------------------------------------


def test_one_run_has_its_sentence():
    found = lf.leaderboard(X.head(1))
    assert found.ranking.select("rank", "rank_low").rows() == [(1, None)]
    assert "There is one run, a, over 3 collections" in found.verdict["sentence"][0]
    assert found.verdict.height == 1  # nothing else can be said of it


@pytest.mark.slow
def test_shares_beside_percent_are_warned_of_where_the_mean_counts():
    x = X.with_columns(pl.col("law", "sport") * 100)
    message = (
        r"up to 1 in 1 collection .'news'. and from 1 to 100 in 2 collections .'law', 'sport'. look"
    )
    with pytest.warns(lf.LexiframeWarning, match=message):
        lf.leaderboard(x)
    lf.leaderboard(x, "borda")  # asks only which run is better


def test_one_collection_has_no_interval_and_a_warning():
    with pytest.warns(
        lf.LexiframeWarning,
        match="leaderboard: there are no intervals, because 1 collection cannot show",
    ):
        found = lf.leaderboard(X.select("model", "news"))
    assert found.ranking["ci_low"].null_count() == 4
    assert "how sure the ranks are is unknown" in found.verdict["sentence"][0]
    assert found.leave_one_out.is_empty()
    assert found.collection_weights["share"].to_list() == [pytest.approx(1.0)]


def test_constant_collections_and_equal_runs():
    equal = X.with_columns(news=0.5)
    said = " ".join(lf.leaderboard(equal).verdict["sentence"])
    assert "All runs are equal in 1 collection (news), which tells nothing about them." in said
    twins = pl.concat([X, X.with_columns(model=pl.col("model") + "2")])
    found = lf.leaderboard(twins)
    assert found.ranking.head(2)["rank"].to_list() == [1, 1]
    pair = found.comparisons.filter(run_a="a", run_b="a2").row(0, named=True)
    assert (pair["mean_difference"], pair["p_value"], pair["reject"]) == (0.0, 1.0, False)
    same = X.with_columns(news=0.5, law=0.5, sport=0.5)
    assert lf.leaderboard(same).collection_weights["share"].null_count() == 3


def test_differences_that_do_not_vary_decide_nothing():
    x = pl.DataFrame({"model": ["a", "b"], **{f"c{n}": [0.5, 0.25] for n in range(20)}})
    found = lf.leaderboard(x)
    assert found.comparisons["p_value"].to_list() == [1.0]
    assert found.ranking["rank_high"].to_list() == [2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("test", ["holm", "max_t", "max_t_bootstrap"])
@pytest.mark.parametrize("rule", ["mean", "mean_z"])
@pytest.mark.parametrize("n", [7, 20])
def test_rounding_is_no_variation(n, rule, test):
    """The differences of each pair are equal but for the last bits of their numbers."""
    base = np.random.default_rng(0).random(n)
    columns = {f"c{j}": [x + 0.3, x + 0.1, x] for j, x in enumerate(base.tolist())}
    found = lf.leaderboard(pl.DataFrame({"model": ["a", "b", "c"], **columns}), rule, test=test)
    assert found.ranking.select("rank_low", "rank_high").rows() == [(1, 3)] * 3


def test_few_collections_cannot_reject_by_signs():
    with pytest.warns(lf.LexiframeWarning, match="too few choices of signs"):
        found = lf.leaderboard(X, test="max_t").ranking
    assert found["rank_low"].to_list() == [1] * 4


def test_several_rules_are_compared():
    def worst(cells, weights):
        """Order by the worst collection."""
        return cells.min(axis=0)

    found = lf.leaderboard(X, ["mean", "borda", "copeland", worst])
    assert found.rule_correlations.height == 6
    assert found.ranking["rule"].unique().sort().to_list() == ["borda", "copeland", "mean", "worst"]
    assert found.ranking.filter(rule="copeland")["rank_low"].null_count() == 4
    assert found.rank_percentiles["percentile_low"].null_count() == 0
    assert "have percentiles of resamples, and are not tested" in " ".join(
        found.verdict["sentence"]
    )


@pytest.mark.slow
def test_kemeny_has_mean_places_over_all_orders_and_refuses_many_runs():
    cycle = pl.DataFrame({"model": ["a", "b", "c"], "x": [3, 2, 1], "y": [1, 3, 2], "z": [2, 1, 3]})
    found = lf.leaderboard(cycle, "kemeny")
    assert found.ranking["value"].to_list() == [2.0] * 3
    assert "3 orders fit the results equally well" in " ".join(found.verdict["sentence"])
    many = pl.DataFrame({"model": [f"r{n}" for n in range(13)], "x": range(13), "y": range(13)})
    with pytest.raises(lf.LexiframeError, match="at most 12 runs, found 13"):
        lf.leaderboard(many, "kemeny")


@pytest.mark.slow
def test_among_first_needs_a_place():
    found = lf.leaderboard(X)
    assert found.among_first(4).height == 4
    with pytest.raises(lf.LexiframeError, match="expected k from 1, found 0"):
        found.among_first(0)


# --- Requests -------------------------------------------------------------------------------------


def requests_table(seed=0, n=(5, 9)):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        [
            (run, f"c{c}", f"q{q}", "AP", float(rng.random() + level))
            for run, level in (("a", 0.0), ("b", 0.1), ("c", 0.5))
            for c, size in enumerate(n)
            for q in range(size)
        ],
        schema=["run", "collection", "query_id", "measure", "value"],
        orient="row",
    )


@pytest.mark.slow
def test_requests_give_the_same_mean_and_one_collection_is_evaluate_scores():
    s = requests_table()
    of_collections = lf.leaderboard(s).ranking
    of_requests = lf.leaderboard(s, over="requests").ranking
    assert of_requests["value"].to_list() == pytest.approx(of_collections["value"].to_list())
    one = s.filter(collection="c1")
    e = lf.evaluate_scores(one.drop("collection"), test="t")
    found = lf.leaderboard(one, over="requests")
    expected = e.comparisons.select("mean_difference", "p_value", "p_adjusted")
    assert np.allclose(found.comparisons.select(expected.columns), expected)
    assert found.ranking["run"].to_list() == e.means.sort("rank")["run"].to_list()


@pytest.mark.slow
def test_evaluations_of_several_collections_are_ranked_together():
    s = requests_table()
    parts = {name: s.filter(collection=name).drop("collection") for name in ("c0", "c1")}
    evaluations = {name: lf.evaluate_scores(part) for name, part in parts.items()}
    assert lf.leaderboard(evaluations).ranking.equals(lf.leaderboard(s).ranking)
    assert lf.verdict(lf.leaderboard(s))["sentence"][0].startswith("By the mean over 2")


def test_over_requests_refuses_single_requests_and_gaps():
    s = requests_table()
    assert lf.leaderboard(requests_table(n=(2, 9)), over="requests").ranking.height == 3
    with pytest.raises(lf.LexiframeError, match="found 1 of 'c0'"):
        lf.leaderboard(requests_table(n=(1, 9)), over="requests")
    holed = s.filter(~((pl.col("run") == "b") & (pl.col("query_id") == "q3")))
    with pytest.raises(
        lf.LexiframeError, match="compares runs by the same requests, and run 'b' lacks 1 of 5"
    ):
        lf.leaderboard(holed, over="requests")


def test_a_measure_is_chosen():
    s = requests_table()
    both = pl.concat([s, s.with_columns(measure=pl.lit("RR"))])
    message = "one measure in each collection, found 2 \\('AP', 'RR'\\) in 'c0'; choose one: mea"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.leaderboard(both)
    assert lf.leaderboard(both, measure="RR").ranking.height == 3
    with pytest.raises(lf.LexiframeError, match="RX"):
        lf.leaderboard(both, measure="RX")


@pytest.mark.slow
def test_a_column_of_groups_exists_and_has_one_group_for_each_collection():
    s = requests_table().with_columns(kind=pl.col("run"))
    with pytest.raises(lf.LexiframeError, match="expected one kind for each collection, found sev"):
        lf.leaderboard(s, group="kind")
    with pytest.raises(lf.LexiframeError, match="found several or none for 2"):
        lf.leaderboard(s, group="run")
    with pytest.raises(lf.LexiframeError, match="unknown column 'kinds'; did you mean kind"):
        lf.leaderboard(s, group="kinds")
    with pytest.warns(lf.LexiframeWarning, match="2 collections in 2 groups cannot show how much"):
        assert lf.leaderboard(s, group="collection").ranking.height == 3
    with pytest.raises(TypeError, match="expected group to be the name of a column or"):
        lf.leaderboard(s, group=3)


def test_results_of_a_tool_have_no_columns_of_groups_but_their_own(tmp_path):
    subsets = {"test": [{"hf_subset": "default", "languages": ["eng"], "main_score": 0.5}]}
    for task in ("news", "law"):
        file = tmp_path / "model" / "1" / f"{task}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "model_meta.json").write_text(json.dumps({"name": "model"}))
        content = {"task_name": task, "mteb_version": "1.0.0", "scores": subsets}
        file.write_text(json.dumps(content))
    with pytest.raises(lf.LexiframeError, match="unknown column of groups 'kind'"):
        lf.leaderboard(tmp_path, group="kind")


# --- Written and shown ----------------------------------------------------------------------------


def test_charts_are_drawn():
    pytest.importorskip("altair")
    found = lf.leaderboard(X, "borda")
    for chart in (
        found.plot.ranks(), found.plot.cells(), found.plot.smallest_set(), found.plot.correlations()
    ):  # fmt: skip
        assert chart.to_dict()
    assert "ranks, cells" in repr(found.plot)
    with pytest.raises(lf.LexiframeError, match="a place from 1 to 4, found 9"):
        found.plot.ranks(start=9)
    with pytest.raises(lf.LexiframeError, match="a rule of the ranking"):
        found.plot.ranks(rule="mean")
    with pytest.raises(lf.LexiframeError, match="it takes two collections and four runs"):
        lf.leaderboard(X.head(2)).plot.smallest_set()


@pytest.mark.filterwarnings("ignore:.*there are no intervals")
def test_a_single_collection_agrees_with_none():
    pytest.importorskip("altair")
    with pytest.raises(lf.LexiframeError, match="found a single collection"):
        lf.leaderboard(X.select("model", "law")).plot.correlations()


def test_each_collection_that_makes_the_first_place_fragile_does_so_alone():
    source = lf.bundled("leaderboard") / "scores.csv"
    wide = pl.read_csv(source).pivot("task", index="model", values="score").drop_nulls()
    tasks = sorted({*wide.columns} - {"model"})
    total = wide.select(tasks).sum_horizontal()
    first = wide["model"][total.arg_max()]
    changes = [t for t in tasks if wide["model"][(total - wide[t]).arg_max()] != first]
    assert 1 < len(changes) < len(tasks)
    said = " ".join(lf.leaderboard(source).verdict["sentence"])
    assert f"is fragile: for each of {len(changes)} collections ({', '.join(changes[:3])}" in said


@pytest.mark.slow
def test_t_tests_of_votes_in_few_collections_are_said_to_be_liberal():
    """With nine collections `max_t` keeps its level, with three no test does."""
    rng = np.random.default_rng(0)

    def said(rule, n, **how):
        columns = {f"c{c:02}": rng.normal(size=4) for c in range(n)}
        board = lf.leaderboard(pl.DataFrame({"model": list("abcd"), **columns}), rule, **how)
        return " ".join(board.verdict["sentence"])

    t = {"test": "holm"}
    assert "often than α; test='max_t' keeps its level." in said("borda", 9, **t)
    assert "often than α; from 6 on, test='max_t' keeps its level." in said("mean_z", 3, **t)
    for quiet in (said("borda", 20, **t), said("mean", 9, **t), said("borda", 9, samples=99)):
        assert "often than α" not in quiet


def test_results_and_the_page_of_a_leaderboard_say_the_weights(tmp_path):
    board = lf.leaderboard(X, group={"news": "text", "law": "text", "sport": "video"})
    over = "over 3 collections in 2 groups of equal weight"
    assert f"<th>Value {over}</th>" in board.report(tmp_path / "page.html").read_text()
    board.write(tmp_path / "results")
    assert f"Ranking {over}" in str(lf.read_results(tmp_path / "results"))


def test_weights_after_collections_were_dropped():
    """They are divided by their sum again, so that groups may no longer weigh equally."""
    groups = {"news": "text", "law": "video", "sport": "video", "film": "video"}
    gap = X.unpivot(index="model", variable_name="collection", value_name="score")
    film = pl.DataFrame({"model": [*"acd"], "collection": "film", "score": [0.1, 0.2, 0.3]})
    common = lf.leaderboard(pl.concat([gap, film]), missing="common", group=groups)
    assert "over 3 collections of different weights" in " ".join(str(common).split())


# --- What is hostile or unusual ------------------------------------------------------------------

SMALL = pl.DataFrame({
    "run": list("abc"), "x": [0.5, 0.25, 0.375], "y": [0.5, 0.375, 0.25], "z": [0.75, 0.25, 0.4375],
})  # fmt: skip
EVERY_RULE = ["mean", "mean_z", "mean_rank", "borda", "win_rate", "copeland", "mc4", "kemeny"]


def all_of(board, folder):
    """Make everything that a leaderboard has."""
    board.write(folder / "tables")
    board.report(folder / "page.html")
    assert lf.read_results(folder / "tables").ranking.equals(board.ranking)
    return str(board)


@pytest.mark.slow
@pytest.mark.parametrize("rule", EVERY_RULE)
@pytest.mark.parametrize("factor", [2.0**-45, 2.0**-70, 2.0**60])
def test_the_tolerance_follows_the_values(rule, factor):
    scaled = SMALL.with_columns(pl.selectors.float() * factor)
    here, there = (lf.leaderboard(t, rule) for t in (SMALL, scaled))
    assert there.ranking["rank"].to_list() == [1, 2, 3]
    unscaled = ["rank", "rank_low", "rank_high", "run"]
    assert there.ranking.select(unscaled).equals(here.ranking.select(unscaled))
    for column in ("reject", "p_value"):
        if column in here.comparisons.columns:
            assert there.comparisons[column].equals(here.comparisons[column])


def test_rounding_of_tiny_values_is_no_difference():
    third = 1e-13 / 3
    table = pl.DataFrame({"run": list("ab"), "x": [third, 2 * third], "y": [2 * third, third]})
    mean = table.with_columns(z=pl.Series([0.1 * third, 0.3 * third - 0.2 * third]))
    assert lf.leaderboard(mean).ranking["rank"].to_list() == [1, 1]


def test_means_of_tiny_scores_of_requests_are_ranked_by_votes():
    rows = [(run, c, q, value * 1e-14) for run, value in (("a", 3.0), ("b", 2.0))
            for c in "xy" for q in "12"]  # fmt: skip
    table = pl.DataFrame(rows, schema=["run", "collection", "query_id", "value"], orient="row")
    assert lf.leaderboard(table, "borda").ranking["rank"].to_list() == [1, 2]


@pytest.mark.parametrize("table", [
    SMALL.with_columns(pl.selectors.float() * None), SMALL.with_columns(x=None, y=None, z=None),
    SMALL.unpivot(index="run", variable_name="task").with_columns(value=float("nan")),
])  # fmt: skip
def test_a_leaderboard_without_any_value_is_refused(table):
    with pytest.raises(lf.ReadError, match="expected some values, found none of any run"):
        lf.leaderboard(table)


@pytest.mark.parametrize("value", [1e308, -1.7e308, 1e151])
def test_values_whose_squares_are_infinite_are_refused(value):
    table = SMALL.with_columns(y=pl.Series([value, 0.5, 0.25]))
    with pytest.raises(lf.LexiframeError, match=r"values up to 1e\+150, found .* for 'a' in 'y'"):
        lf.leaderboard(table)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e308, 1e300, 5e-324])
def test_weights_of_any_size_are_shares(size, tmp_path):
    found = lf.leaderboard(SMALL, weights={"x": size, "y": size, "z": size})
    assert found.collection_weights["weight"].to_list() == pytest.approx([1 / 3] * 3)
    all_of(found, tmp_path)
    with pytest.raises(lf.LexiframeError, match="expected numbers as weights"):
        lf.leaderboard(SMALL, weights={"x": 10**400, "y": 1, "z": 1})


def test_runs_with_collections_of_weight_0_alone_are_named():
    x = pl.DataFrame(
        {"run": ["a", "a", "b", "c", "c", "a", "c"], "value": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
         "collection": ["x", "y", "y", "x", "y", "z", "z"]}
    )  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match="collections of weight 0 alone are left out: 1 "):
        found = lf.leaderboard(x, weights={"x": 1, "y": 0, "z": 1}, samples=5).ranking
    assert found["run"].to_list() == ["c", "a"]


def test_what_has_no_collections_and_bad_options_are_refused():
    with pytest.raises(lf.LexiframeError, match="expected weights='equal', 'groups' or"):
        lf.leaderboard(SMALL, weights="some")
    one = SMALL.select("run", value="x").with_columns(query_id=pl.lit("q"), measure=pl.lit("AP"))
    with pytest.raises(lf.LexiframeError, match="expected scores of several collections"):
        lf.leaderboard(one)
    for bad in ({"missing": "some"}, {"alpha": 2.0}):
        with pytest.raises(lf.LexiframeError, match=next(iter(bad))):
            lf.leaderboard(SMALL, **bad)
