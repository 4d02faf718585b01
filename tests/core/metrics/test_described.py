"""What help says of each measure, and lists that print whole."""

import copy
import html
import inspect
import pickle
import re
import typing

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.metrics.catalogues import symbols
from lexiframe.core.metrics.catalogues.described import Listing

NAMES = lf.measures().filter(pl.col("kind") != "interleaving")["name"].to_list()


WORDS = """i i-1 log2 over the ideal of judged items max min ln exp AP bpref DCG at end for not
retrieved mean where gain falls and while else that with itself rank among rankings request worst
largest smallest as LR LP sgn hits rounded ranking relevant first relative True if w_1 r""".split()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_symbols_of_each_formula_are_explained(name):
    measure = lf.parse_measure(name)
    names = [measure.name, "R", "P", "IPrec", *WORDS]
    found = symbols.explained(measure.name, measure.kind, measure.formula)
    left = [w for w in symbols.words_in(measure.formula) if w not in found and w not in names]
    assert [w for w in left if not (measure.kind == "level preference" and w == "p")] == []
    for symbol, meaning in found.items():
        assert re.search(rf"\n    .*{re.escape(symbol)}.*: {re.escape(meaning)}", measure.__doc__)


def test_help_of_classes_and_of_measures_of_ones_own():
    assert lf.GradedMetric.__doc__.startswith("μ = Σ g(y)")
    assert lf.LevelPreference.__doc__.startswith("Δ(π, π′)")
    mine = lf.RecallLevelMetric("mine", lambda p: 1 / p, weight=lambda i, m: 1 / m)
    assert inspect.getdoc(mine).splitlines()[0] == "mine"
    assert "Kind: recall level metric" in inspect.getdoc(mine)
    assert inspect.getdoc(lf.nDCG(ideal="full") @ 5).startswith("nDCG(ideal='full')@5\n")
    assert "n : a number above 0 (has to be given)" in inspect.getdoc(lf.linear)
    said = inspect.getdoc(lf.TSE("RBP(p=0.5)"))
    assert "total search efficiency" in said
    assert "as in TSE(RBP(p=0.5), rel=2) @ 10" in said
    assert copy.deepcopy(lf.AP) == lf.AP
    assert pickle.loads(pickle.dumps(lf.num_ret.__class__)) is lf.num_ret.__class__


def test_the_names_that_a_user_sees():
    """Completion offers what one needs first; all other names are there, too."""
    assert set(dir(lf)) < set(lf.__all__)
    assert 55 <= len(dir(lf)) <= 80
    assert {"evaluate", "gate", "read_runs", "scores", "RPP", "nDCG", "ReadError"} <= {*dir(lf)}
    assert {"read_nuggets", "win_rates", "list_scores", "catalogue", "with_log"} <= {*dir(lf)}
    assert "swap_curve" not in dir(lf)
    assert all(f"`{name}`" in lf.__doc__ for name in lf.__all__), "help(lf) names all"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["lf.read_nuggets", "lf.with_log", "lf.swap_curve", "e.win_rates", "e.catalogue"]
)
def test_an_editor_completes_names_from_the_stubs(name):
    """Without running the code, names that `dir` leaves out, too."""
    jedi = pytest.importorskip("jedi")
    code = f"import lexiframe as lf\ne = lf.evaluate(1, 2)\n{name[:-3]}"
    assert name.partition(".")[2] in [one.name for one in jedi.Script(code).complete()]


def test_the_rows_of_one_measure():
    """The command line had them, and here a name was one argument too many."""
    everything = lf.measures()
    for name, listed in {
        "nDCG": "nDCG",
        "ndcg_cut_10": "nDCG",
        "RPP": "RPP",
        "OI": "OI",
        "TSE": "TSE(AP)",
    }.items():
        assert lf.measures(name).rows() == everything.filter(name=listed).rows()
        assert str(lf.measures(name)).startswith(f"{listed}\n    notation:")
    assert lf.measures(lf.nDCG @ 10).equals(lf.measures("nDCG"))
    assert "p(λ) ∝ m_λ" in lf.measures("RPP")["formula"].item()
    c = lf.conventions("ERR@20")
    assert c["measure"].to_list() == ["nDCG, ERR", "ERR@k", "all", "all", "all", "all"]
    assert c.rows() == lf.conventions(lf.ERR).rows()
    assert str(c).startswith("nDCG, ERR\n    choice:      grades below rel")
    assert lf.conventions("RPP")["measure"].unique().to_list() == ["all"]
    for ask in (lf.measures, lf.conventions):
        with pytest.raises(lf.UnknownNameError, match="unknown measure 'nDGC'; did you mean nDCG"):
            ask("nDGC")


@pytest.mark.slow
@pytest.mark.parametrize("make", [lf.measures, lf.conventions])
def test_lists_print_whole(make):
    table = make()
    shown = table._repr_html_()
    for row in table.iter_rows():
        for cell in row:
            assert str(cell) in str(table)
            assert html.escape(str(cell)) in shown
    assert repr(table) == str(table)
    assert shown.count("<tr>") == table.height + 1
    assert table.equals(pl.DataFrame(table.rows(), schema=table.schema, orient="row"))
    assert str(Listing()) == ""


def test_a_cutoff_in_parentheses_is_told_where_it_stands():
    with pytest.raises(TypeError, match=r"P\(10\): a cut-off stands behind @: P @ 10; parameters"):
        lf.P(10)
    with pytest.raises(TypeError, match=r"num_ret\(10\): parameters are named: rel="):
        lf.num_ret(10)


def test_the_type_of_a_measure_with_a_cutoff_is_known():
    """Type checkers infer that of the measure."""
    for method in (type(lf.nDCG).__matmul__, type(lf.nDCG).__call__, type(lf.RPP).__matmul__):
        assert typing.get_type_hints(method)["return"] is typing.Self


def test_names_that_one_needs_first_come_first():
    assert {"evaluate", "compare", "explain", "gate", "verdict", "read_runs"} <= {*lf.__all__[:8]}
    assert lf.__doc__.index("`evaluate`") < lf.__doc__.index("`read_qrels`")
    assert lf.__doc__.index("`tukey_hsd`") < lf.__doc__.index("`AP`")  # metrics come after it


def test_metrics_of_one_name_and_other_formulas_are_not_equal():
    """Their notation is the same; an evaluation that takes them for one would reuse values."""

    def weight(i, m):
        return 1 / m

    def own(exposure):
        return lf.RecallLevelMetric("own", exposure=exposure, weight=weight)

    exposures = (lambda p: 1 / p), (lambda p: 1 / p**2)
    first, second = map(own, exposures)
    assert str(first) == str(second)
    assert first == own(exposures[0])
    assert first != second
    assert len({first, own(exposures[0]), second}) == 2
