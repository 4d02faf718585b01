"""Reading side-by-side judgments in the forms in which people have them."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.conftest import SHARED


def read(rows, **options):
    return lf.read_preferences(pl.DataFrame(rows), **options)


def winners(rows, **options):
    return read(rows, **options).judgments.sort("query_id")["winner"].to_list()


def two(a, b, winner, **more):
    n = len(winner)
    return {
        "query_id": [str(i) for i in range(n)],
        a: ["x"] * n,
        b: ["y"] * n,
        "winner": winner,
        **more,
    }


FORMS = {
    "sides": (two("left", "right", ["left", "right", "tie"]), ["a", "b", "tie"]),
    "arena": (two("model_a", "model_b", ["model_a", "model_b", "Tie"]), ["a", "b", "tie"]),
    "letters": (two("system_a", "system_b", ["A", "B", "C"]), ["a", "b", "tie"]),
    "names": (two("run_a", "run_b", ["x", "y", "tie"]), ["a", "b", "tie"]),
    "signs": (two("run_1", "run_2", [1, -1, 0]), ["a", "b", "tie"]),
    "AlpacaEval": (two("generator_1", "generator_2", [1.0, 2.0, 1.5]), ["a", "b", "tie"]),
    "LMSYS": (
        {
            "id": [0, 1, 2], "model_a": ["x"] * 3, "model_b": ["y"] * 3,
            "winner_model_a": [1, 0, 0], "winner_model_b": [0, 1, 0], "winner_tie": [0, 0, 1],
        },
        ["a", "b", "tie"],
    ),
    "reward models": (
        {"prompt": ["0", "1"], "chosen_model": ["x", "y"], "rejected_model": ["y", "x"]},
        ["a", "b"],
    ),
    "winners and losers": (
        {"qid": ["0", "1"], "winner": ["x", "y"], "loser": ["y", "x"]}, ["a", "b"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_judgments(name):
    columns, expected = FORMS[name]
    assert winners(columns) == expected


def test_sides_are_called_like_columns_of_two_words():
    rows = {"Question ID": ["0", "1"], "Model A": ["x"] * 2, "Model B": ["y"] * 2}
    assert winners(rows | {"Winner": ["Model A", "model b"]}) == ["a", "b"]


def test_columns_that_differ_in_case_alone_are_not_renamed():
    rows = two("model_a", "model_b", ["model_a"], Winner=["model_b"])
    assert winners(rows) == ["a"]
    assert winners(rows, columns={"winner": "Winner"}) == ["b"]


def test_runs_are_put_in_order_with_the_winner_and_who_was_first():
    v = read(
        {"qid": ["1", "1"], "left": ["y", "x"], "right": ["x", "y"], "winner": ["left", "left"]}
    )
    assert v.judgments.select("run_a", "run_b", "winner", "first", "replicate").rows() == [
        ("x", "y", "b", "b", "1"),
        ("x", "y", "a", "a", "2"),
    ]
    assert v.preferences.rows() == [("1", "x", "y", "stated", 0.0, 2)]


def test_both_bad_is_a_tie_that_is_counted_and_said():
    with pytest.warns(lf.LexiframeWarning, match="both are bad, counted as ties: 1"):
        v = read(two("model_a", "model_b", ["tie (bothbad)", "model_a"]))
    assert v.both_bad == 1
    assert "1 is a tie, 1 of them of two bad answers" in str(v)


def test_judgments_without_a_winner_are_counted_and_said():
    with pytest.warns(lf.LexiframeWarning, match="without a winner, left out: 1 rows"):
        v = read(two("model_a", "model_b", [None, "model_a"]))
    assert v.left_out == 1


def test_judges_are_columns_or_keys():
    v = read(two("left", "right", ["left", "tie"], worker=[7, 8]))
    assert v.judgments["judge"].to_list() == ["7", "8"]
    one = pl.DataFrame(two("left", "right", ["left"]))
    both = lf.read_preferences({"ann": one, "bob": one})
    assert both.judgments["judge"].to_list() == ["ann", "bob"]


def test_what_it_returns_stands_for_its_preferences():
    v = read(two("left", "right", ["left", "right", "left"]))
    assert lf.win_rates(v).row(0, named=True)["wins"] == 2


BAD = {
    r"row 1: .*a side or a tie, found 1 \('maybe'\)": (two("left", "right", ["maybe", "left"]), {}),
    r"expected a winner, found 0 and 1 alone, and 0 may be a tie; say it: values": (
        two("left", "right", [0, 1]), {}),
    r"0 and 1 and 2 alone, and 0 may be a tie; .* or values=\{'0': 'a', '1': 'b', '2': 'tie'\}": (
        two("left", "right", [0, 1, 2]), {}),
    r"0 and 1 and 2 alone": (two("model_1", "model_2", ["2", "0", "0"]), {}),
    r"found '1' and '2', which may be the name of a run and the other side": (
        {"qid": ["1", "2"], "left": [2, 2], "right": [1, 1], "winner": [1, 2]}, {}),
    r"'1': 'a'\} or .*'0': 'tie', '1': 'a'\} for sides; or values=\{'tie': 'tie'\} for names": (
        {"qid": ["1", "2"], "left": [0, 1], "right": [1, 0], "winner": [0, 1]}, {}),
    r"'tie', which may be the name of a run": (
        {"qid": [1, 2], "left": ["tie", "tie"], "right": ["x", "y"], "winner": ["tie", "x"]}, {}),
    r"text or numbers, found List.* in chosen; it may hold messages": (
        {"prompt": ["1"], "chosen": [[{"role": "user"}]], "rejected": [[{"role": "user"}]]}, {}),
    r"text or numbers, found Struct.* in question": (
        {"question": [{"text": "?"}], "left": ["x"], "right": ["y"], "winner": ["left"]}, {}),
    r"in one request each: 4 \('Never.', .*; they look like answers; the columns chosen_model": (
        {"prompt": ["1", "2"], "chosen": ["Sure.", "Yes."], "rejected": ["No.", "Never."]}, {}),
    r"found texts of several lines \('One,.ntwo.'\); they look like answers": (
        {"qid": ["1"], "left": ["One,\ntwo."], "right": ["One."], "winner": ["left"]}, {}),
    r"winners 1, 0, -1 or 1, 2, 1.5, or 1, 0.5, 0, found": (two("left", "right", [3, 1]), {}),
    r"the name of a run and the other side": (
        {"qid": ["1"], "left": ["b"], "right": ["a"], "winner": ["a"]}, {}),
    r"expected a request, two runs and a winner; winner is missing": (
        {"qid": ["1"], "left": ["x"], "right": ["y"]}, {}),
    r"two columns that name the runs, found none": ({"qid": ["1"], "winner": ["tie"]}, {}),
    r"found left, right and model_a, model_b": (
        two("left", "right", ["tie"], model_a=["x"], model_b=["y"]), {}),
    r"winner and vote could each be winner": (two("left", "right", ["tie"], vote=["tie"]), {}),
    r"an id in left, found none in row 1 .*; give it one": (
        {"qid": ["1"], "left": [""], "right": ["y"], "winner": ["tie"]}, {}),
    r"1 in at most one of": ({**FORMS["LMSYS"][0], "winner_tie": [1, 0, 1]}, {}),
    r"expected lexiframe's names .* found 'who'": (
        two("left", "right", ["tie"]), {"columns": {"who": "left"}}),
    r"columns names 'nobody', which is not there": (
        two("left", "right", ["tie"]), {"columns": {"judge": "nobody"}}),
    r"values: expected 'a', 'b', 'tie' or 'both_bad' for 'x', found 'left'": (
        two("left", "right", ["x"]), {"values": {"x": "left"}}),
    r"one of 'yes', as values says, or a run of the row, found 1 \('no'\)": (
        two("left", "right", ["no"]), {"values": {"yes": "a"}}),
}  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_what_cannot_be_read_is_refused(message):
    columns, options = BAD[message]
    with pytest.raises(lf.LexiframeError, match=message):
        read(columns, **options)


@pytest.mark.parametrize("options", [{"columns": "run"}, {"values": [1]}, {"columns": {1: "x"}}])
def test_names_are_mapped(options):
    with pytest.raises(lf.LexiframeError, match=r"to map names, \{'run': 'engine'\}, found"):
        read(two("left", "right", ["left"]), **options)


@pytest.mark.conformance
def test_real_judgments_become_the_rows_of_a_plain_loop():
    v = lf.read_preferences(SHARED / "data" / "llmfao" / "votes.csv")
    assert v.judgments.height == 8931
    loop = pl.read_parquet(SHARED / "conformance" / "llmfao" / "llmfao_preferences.parquet")
    assert v.preferences.height == loop.height == 2139

    prompts = sorted(v.preferences["query_id"].unique(), key=int)  # which the loop numbers from 0
    loop = loop.select(
        "run_a",
        "run_b",
        query_id=pl.col("request").replace_strict(dict(enumerate(prompts))),
        theirs="preference",
        n_theirs=pl.col("n_judgments").cast(pl.Int64),
    )
    both = v.preferences.join(loop, on=["query_id", "run_a", "run_b"])
    assert both.height == 2139
    assert both["preference"].to_list() == pytest.approx(both["theirs"].to_list(), abs=1e-12)
    assert both["n_judgments"].equals(both["n_theirs"], null_equal=False)


def position_by_loops(judgments, both_orders):
    """The share that the first run won, and its standard error by requests, as plain loops."""
    share = {"a": 1.0, "tie": 0.5, "b": 0.0}
    rows = [
        (q, (a, b), share[w] if first == "a" else 1 - share[w], first == "a", share[w])
        for q, a, b, _, _, w, first in judgments.rows()
        if first is not None
    ]
    if not both_orders:
        rate = sum(x for _, _, x, _, _ in rows) / len(rows)
        scores = {}
        for q, _, x, _, _ in rows:
            scores[q] = scores.get(q, 0) + x - rate
        weight = len(rows)
    else:
        pairs = {}
        for _, pair, _, z, y in rows:
            pairs.setdefault(pair, []).append((float(z), y))
        mean = {pair: np.mean(values, axis=0) for pair, values in pairs.items()}
        moved = [(q, z - mean[p][0], y - mean[p][1]) for q, p, _, z, y in rows]
        weight = sum(z * z for _, z, _ in moved)
        slope = sum(z * y for _, z, y in moved) / weight
        rate, scores = 0.5 + slope / 2, {}
        for q, z, y in moved:
            if z:
                scores[q] = scores.get(q, 0) + z * (y - slope * z) / 2
    k = len(scores)
    half = stats.t.ppf(0.975, k - 1) * np.sqrt(sum(u * u for u in scores.values()) * k / (k - 1))
    return rate, rate - half / weight, rate + half / weight


@pytest.mark.conformance
def test_the_bias_of_position_is_that_of_plain_loops():
    v = lf.read_preferences(SHARED / "data" / "llmfao" / "votes.csv")
    row = v.position.row(0, named=True)
    found = [row[c] for c in ("win_rate", "ci_low", "ci_high")]
    assert found == pytest.approx(position_by_loops(v.judgments, False), abs=1e-12)
    names = ("win_rate_both_orders", "both_orders_low", "both_orders_high")
    expected = position_by_loops(v.judgments, True)
    assert [row[c] for c in names] == pytest.approx(expected, abs=1e-12)
    judge = v.position.filter(judge="97").row(0, named=True)
    one = v.judgments.filter(judge="97")
    assert judge["win_rate"] == pytest.approx(position_by_loops(one, False)[0], abs=1e-12)
    assert [judge[c] for c in names] == pytest.approx(position_by_loops(one, True), abs=1e-12)


def test_better_runs_that_stand_first_are_no_bias_of_position():
    """x wins 8 of 10 in either order, and stands first in 8 of 10 judgments."""
    rows = [
        (f"q{n % 7}", *(("x", "y") if n % 10 < 8 else ("y", "x")), "x" if n // 10 < 8 else "y")
        for n in range(100)
    ]
    v = read(pl.DataFrame(rows, schema=["qid", "left", "right", "winner"], orient="row"))
    row = v.position.row(0, named=True)
    assert row["win_rate"] == pytest.approx(0.68)
    assert row["win_rate_both_orders"] == pytest.approx(0.5)
    assert "so a bias of position is not shown" in str(v).replace("\n", " ")
    one_order = read(two("left", "right", ["left"] * 9))
    assert "better runs may stand first more often" in str(one_order).replace("\n", " ")
    one_request = read({"qid": ["1"], "left": ["x"], "right": ["y"], "winner": ["left"]})
    assert "one request does not say how sure" in str(one_request).replace("\n", " ")
    assert read(two("run_a", "run_b", ["a"])).position.is_empty()


def test_two_games_of_mt_bench_are_two_judgments(tmp_path):
    games = [
        {"question_id": 81, "model_1": "x", "model_2": "y", "g1_winner": "model_2",
         "g2_winner": "tie", "judge": ["gpt-4", "pair-v2"], "g1_judgment": "...", "turn": 1},
        {"question_id": 82, "model_1": "y", "model_2": "x", "g1_winner": "model_1",
         "g2_winner": "error", "judge": ["gpt-4", "pair-v2"], "g1_judgment": "...", "turn": 1},
    ]  # fmt: skip
    path = tmp_path / "gpt-4_pair.jsonl"
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    expected = [("81", "b", "a"), ("81", "tie", "b"), ("82", "b", "b")]
    for source in (path, pl.DataFrame(games)):
        with pytest.warns(lf.LexiframeWarning, match="without a winner, left out: 1 rows"):
            v = lf.read_preferences(source)
        assert v.judgments.select("query_id", "winner", "first").rows() == expected
        assert v.judgments["judge"].unique().to_list() == ["gpt-4 pair-v2"]
        assert v.left_out == 1


def test_reward_models_say_by_scores_or_results_who_won():
    pair = {"id": [1, 2, 3], "chosen_model": ["x"] * 3, "rejected_model": ["y"] * 3}
    assert winners({**pair, "results": [1.0, 0.0, 0.5]}) == ["a", "b", "tie"]
    scores = {"scores_chosen": [2.5, -1.0, 0.5], "scores_rejected": [1.0, 3.0, 0.5]}
    assert winners({**pair, **scores, "results": [1, 0, 0]}) == ["a", "b", "tie"]
    with pytest.raises(lf.ReadError, match=r"1, 0.5 or 0 in results, found 7.* in row 2"):
        read({**pair, "results": [1, 7, 0]})


def test_what_it_returns_goes_where_preferences_go(tmp_path):
    rows = [
        (str(q), a, b, w)
        for q in range(8)
        for (a, b), w in zip(["xy", "xz", "yz"], "aab", strict=True)
    ]
    v = read(pl.DataFrame(rows, schema=["qid", "left", "right", "winner"], orient="row"))
    assert lf.order_runs(v, "win_rate")["run"].to_list() == ["x", "z", "y"]
    assert lf.compare(v, "sign")["n"].to_list() == [8, 8, 8]
    assert lf.tie_rates(v)["ties"].to_list() == [0]
    assert lf.views.charts.win_rate_chart(lf.win_rates(v), "stated").to_dict()
    assert [path.name for path in v.write(tmp_path)] == [
        "judgments.parquet",
        "preferences.parquet",
        "position.parquet",
    ]


def test_rows_without_a_winner_alone_are_counted_in_the_error():
    for winner, found in (([None, None], "2 rows without a winner"), ([], "no rows")):
        frame = pl.DataFrame(two("left", "right", winner)).cast({"winner": pl.String})
        with pytest.raises(lf.SchemaError, match=f"at least one judgment, found {found}"):
            lf.read_preferences(frame)


def test_requests_that_are_all_alike_show_no_bias_of_position():
    v = read(two("left", "right", ["left"] * 3))
    assert v.position.select("win_rate", "ci_low", "ci_high").row(0) == (1.0, None, None)
    assert "requests that are all alike do not say" in str(v).replace("\n", " ")
    assert "is shown" not in str(v)


def many(ids, winner, n=60):
    """Votes of pairs of runs, of which ``winner`` returns the first (a, b) or another word."""
    rng = np.random.default_rng(0)
    pairs = [rng.permutation(ids)[:2].tolist() for _ in range(n)]
    rows = [(f"q{i}", a, b, winner(a, b, rng.random())) for i, (a, b) in enumerate(pairs)]
    return pl.DataFrame(rows, schema=["qid", "left", "right", "winner"], orient="row")


def won(table, **options):
    """How often each run wins, as `read_preferences` understands a table."""
    rows = lf.read_preferences(table, **options).judgments.select("winner", "run_a", "run_b").rows()
    names = ["tie" if w == "tie" else {"a": a, "b": b}[w] for w, a, b in rows]
    return {name: names.count(name) for name in sorted(set(names))}


@pytest.mark.parametrize("ids", [[0, 1, 2], [7, 8, 9], [-1, 0, 1, 5], ["a", "b", "c"]])
def test_winners_that_are_always_a_run_of_their_row_are_names(ids):
    table = many(ids, lambda a, b, x: min(a, b) if x < 0.9 else max(a, b))
    counts = table["winner"].cast(pl.String).value_counts().rows()
    assert won(table) == dict(counts)
    # pandas makes floats of a column in which some winner is missing.
    if table["winner"].dtype != pl.String:
        assert won(table.cast({"winner": pl.Float64})) == dict(counts)


def test_words_for_ties_may_stand_beside_names_that_look_like_sides():
    table = many(["a", "b", "c"], lambda a, b, x: "tie" if x < 0.2 else min(a, b))
    counts = dict(table["winner"].value_counts().rows())
    assert counts["tie"] > 5
    assert won(table) == counts


def test_a_run_may_be_called_like_a_tie():
    table = many(["tie", "none", "w"], lambda a, b, x: min(a, b) if x < 0.8 else max(a, b))
    assert won(table) == dict(table["winner"].value_counts().rows())
    tied = many(["tie", "none", "w"], lambda a, b, x: "tie" if x < 0.3 else max(a, b))
    with pytest.raises(lf.ReadError, match=r"'tie', which .* values=\{'draw': 'tie'\} for names"):
        lf.read_preferences(tied)


@pytest.mark.parametrize("ids", [[1, 2, 3, 4], [5, 6, 7]])
def test_winners_that_are_no_run_of_their_row_are_sides_if_that_is_said(ids):
    table = many(ids, lambda a, b, x: 1 if x < 0.5 else 2)
    first = table.filter(winner=1)["left"].to_list() + table.filter(winner=2)["right"].to_list()
    wins = {str(i): first.count(i) for i in ids}
    assert won(table, values={"1": "a", "2": "b"}) == wins
    if 1 not in ids:
        assert won(table) == wins
        return
    with pytest.raises(lf.ReadError, match="which may be the name of a run and the other side"):
        lf.read_preferences(table)


def test_what_is_said_decides_between_names_and_sides():
    table = many([1, 2], lambda a, b, x: 1)
    assert won(table, values={"tie": "tie"}) == {"1": 60}
    ones = table["left"].to_list().count(1)
    assert won(table, values={"1": "a", "2": "b"}) == {"1": ones, "2": 60 - ones}


def test_zero_is_a_tie_in_the_files_of_alpaca_eval():
    assert winners(two("generator_1", "generator_2", [1, 0, 2])) == ["a", "tie", "b"]


def test_the_winners_of_games_may_be_numbers():
    game = {"question_id": [1], "model_1": ["x"], "model_2": ["y"]}
    assert winners({**game, "g1_winner": [1], "g2_winner": [2]}) == ["a", "b"]


def test_few_runs_of_one_request_are_no_answers():
    once = {"qid": ["1", "1"], "left": ["v", "w"], "right": ["x", "y"], "winner": ["left", "tie"]}
    assert read(once).judgments.height == 2
    assert read({**once, "qid": ["1", "2"]}).judgments.height == 2
    chosen = {"qid": ["1", "2"], "chosen": ["v", "w"], "rejected": ["w", "x"]}
    assert read(chosen).judgments.height == 2
