"""Names that are almost right: one message with the nearest right name, never a traceback."""

import contextlib
import itertools

import pytest

import lexiframe as lf
from lexiframe.core.metrics import notation

ENDINGS = ["@10", "(rel=2)", "_@10", ".5@10", "_cap@7", "_at@5", "_5@10", "-l2@3"]
"""What people write behind a name that has no such part, or has it in another place."""


@pytest.mark.parametrize(
    "written, meant",
    [
        ("map_cut(rel=3)", "AP(rel=3)"),
        ("recall_at@50", "R@50"),
        ("recip_ranks@5", "RR@5"),
        ("relative_P_@4", "relative_P@4"),
        ("nDGC(rel=2)@5", "nDCG(rel=2)@5"),
        ("rppp", "RPP"),
    ],
)
def test_the_nearest_name_that_is_right_is_named_first(written, meant):
    with pytest.raises(lf.UnknownNameError) as error:
        lf.parse_measure(written)
    assert f"unknown measure {written!r}; did you mean {meant}" in str(error.value)
    assert lf.parse_measure(meant)


def refusal(name):
    """What is said of the name of a measure that cannot be read; empty for one that can."""
    with contextlib.suppress(lf.LexiframeError):
        lf.parse_measure(name)
        return ""
    with pytest.raises(lf.LexiframeError) as error:
        lf.parse_measure(name)
    return str(error.value)


@pytest.mark.filterwarnings("ignore:hits")
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_name_with_every_ending_is_a_measure_or_one_line(ending):
    names = [*notation.TREC_EVAL, *notation.OTHERS, *notation.IR_MEASURES]
    for name in names:
        said = refusal(f"{name}{ending}")
        assert "\n" not in said
        assert len(said) < 1000


@pytest.mark.parametrize(
    "call",
    [
        lambda name: lf.TSE(name),
        lambda name: lf.WC(f"eta({name})"),
        lambda name: lf.parse_measure(f"TSE({name})"),
        lambda name: lf.scores(lf.positions({"a": {"q": {"d": 1.0}}}, {"q": {"d": 1}}), name),
        lambda name: lf.evaluate("data/example/runs", "data/example/qrels.txt", [lf.AP, name]),
    ],
)
def test_a_wrong_name_inside_another_call_is_named(call):
    with pytest.raises(lf.LexiframeError, match="ndcg_cuts@10"):
        call("ndcg_cuts@10")


def test_the_command_line_says_it_in_one_line(lexiframe):
    found = lexiframe("measures", "recip_ranks@20")
    assert found.status == 1
    assert "RR@20" in found.err
    assert len(found.err.splitlines()) < 10


@pytest.mark.parametrize(
    "theirs, ours",
    [
        ("ndcg_at_10", "nDCG@10"),
        ("recall_at_1000", "R@1000"),
        ("mrr_at_5(rel=2)", "RR(rel=2)@5"),
        ("precision_at_3", "P@3"),
        ("HR@10", "Success@10"),
        ("hr_at_20", "Success@20"),
        ("recall_cap@100", "R(denominator='min')@100"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
    ],
)
def test_names_of_mteb_mlflow_and_recommenders_are_read(theirs, ours):
    assert str(lf.parse_measure(theirs)) == ours
    assert lf.parse_measure(theirs) == lf.parse_measure(ours)


def test_further_names_do_not_change_what_trec_eval_means():
    for name, level in itertools.product(("P", "recall", "success"), (5, 10)):
        assert lf.parse_measure(f"{name}_{level}") == lf.parse_measure(f"{name}.{level}")
    with pytest.raises(lf.UnknownNameError):
        lf.parse_measure("look_at_10")
