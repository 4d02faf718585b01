"""The rules of the house: what imports what, what is public, what every table looks like."""

import ast
import inspect
import json
import os
import pickle
import re
import subprocess
import sys
import typing
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf
from lexiframe import errors, schemas
from lexiframe.metrics.metric import Metric

PACKAGE = Path(lf.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


# --- Imports ------------------------------------------------------------------------------------

STAGES = (
    "io projection metrics layouts pairwise orderings significance robustness decisions theory "
    "synthetic views"
).split()
IO = "tables files problems text score_forms logs".split()
FREE = """
    _version errors guards typing progress likeness codes hashing memory resampling schemas
""".split()
ABOVE = """
    example_data gaps fingerprints kept_ranks projected engines reuse asked all_tables origin
    evaluation evaluated_parts evaluated_runs added_runs spark evaluated_scores cli_advice
    cli_arguments cli_options cli_output cli_inputs cli_files cli_measures cli_runs cli_explain
    cli_gate_inputs cli_gate cli_judges cli_overlap cli __main__
""".split()


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imported(node):
    """The modules of the package that are imported, wherever; also those for type checkers."""
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports say the whole name"
        names = (f"{node.module}.{alias.name}" for alias in node.names)
        yield from (name for name in names if name.startswith("lexiframe."))
    elif isinstance(node, ast.Import):
        yield from (a.name for a in node.names if a.name.startswith("lexiframe"))
    for child in ast.iter_child_nodes(node):
        yield from imported(child)


def part(name):
    """The stage or module at the top that a module belongs to."""
    return f"{name}..".split(".")[1]


def test_the_stages_are_the_folders():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == {*STAGES, "engines"}
    inside = {path.name for path in (PACKAGE / "io").iterdir() if (path / "__init__.py").exists()}
    assert inside == set(IO)


def test_no_stage_or_module_is_called_like_a_public_name():
    """`lexiframe.positions` would be one or the other, as it was imported last."""
    """But for `spark`, `theory` and `views`, which are the modules and nothing else."""
    assert {part(module_name(path)) for path in MODULES} & set(lf.__all__) == {
        "spark",
        "theory",
        "views",
    }


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_imports_only_from_those_before_it(path):
    """Of `FREE` and `ABOVE` each imports those in front of it, and a stage those before it.

    The engines come after `projected`, the flow that they repeat for each part of the requests.
    """
    stage = part(module_name(path))
    if stage == "":  # the package itself, which knows where all names are
        return
    order = [*FREE, *STAGES, *ABOVE]
    uses = {part(name) for name in imported(ast.parse(path.read_text()))} - {""}
    assert uses <= {*order[: order.index(stage) + (stage in (*STAGES, "engines"))]}


@pytest.mark.parametrize("path", sorted((PACKAGE / "io").rglob("*/*.py")), ids=module_name)
def test_a_folder_of_io_imports_only_from_those_before_it(path):
    """None imports the modules beside the folders, but for the options of text."""
    inside = [
        name.split(".")[2]
        for name in imported(ast.parse(path.read_text()))
        if name.startswith("lexiframe.io.")
    ]
    assert set(inside) <= {*IO[: IO.index(path.parent.name) + 1], "options"}


HEAVY = """
    scipy.stats statsmodels pandas typer click tqdm pyarrow.parquet pyarrow.csv pyarrow.dataset
    altair great_tables vl_convert pyspark alembic sqlalchemy mlflow duckdb ir_datasets
    sklearn pyterrier ranx ir_measures pytrec_eval matplotlib IPython sqlite3 urllib.request
""".split()


CORE = "lexiframe.read_runs, lexiframe.positions, lexiframe.scores, lexiframe.preferences"


def loaded(code):
    """The modules that a new process has loaded after running code."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    code = f"import sys, json; {code}; print(json.dumps(list(sys.modules)))"
    command = [sys.executable, "-c", code]
    return set(json.loads(subprocess.check_output(command, env=environment)))


def test_importing_it_loads_nothing_heavy():
    """Each name loads its module when it is first used; those of the core load no more."""
    ours = {name for name in loaded("import lexiframe") if name.partition(".")[0] == "lexiframe"}
    assert ours == {"lexiframe", "lexiframe._version"}
    modules = loaded(f"import lexiframe; {CORE}")
    assert modules & set(HEAVY) == set()
    assert {"lexiframe.pairwise.pairs", "polars", "pyarrow", "numpy"} <= modules
    later = re.compile("lexiframe[.](orderings|significance|views|evaluation|cli)")
    assert not [name for name in modules if later.match(name)]


def test_its_core_loads_little_that_polars_and_pyarrow_do_not():
    """Besides what unpacks files, wherever a Python keeps that, only modules of its own.

    Of these no more than are worth 0.3 of the time that polars and pyarrow take: each is about
    0.002 of it. Times on a busy machine are no test; `tests/benchmarks/run.py` compares them.
    """
    more = loaded(f"import lexiframe; {CORE}") - loaded("import polars, pyarrow")
    ours = {name for name in more if name.partition(".")[0] == "lexiframe"}
    packed = {"bz2", "_bz2", "gzip", "lzma", "_lzma", "_compression", "compression"}
    assert {name.partition(".")[0] for name in more - ours} <= packed
    assert len(ours) <= 120


@pytest.mark.slow
def test_a_name_of_a_later_stage_loads_its_module_alone():
    modules = loaded("import lexiframe; lexiframe.win_rates")
    assert "lexiframe.orderings.win_rates" in modules
    assert not {"lexiframe.evaluation", "lexiframe.significance.paired"} & modules
    assert {"lexiframe.evaluation"} <= loaded("from lexiframe import evaluate")


# --- What is public -----------------------------------------------------------------------------

PUBLIC = """
    __version__ bundled
    read_runs scan_runs read_qrels read_scores check_run check_qrels run_metadata
    coverage positions impute
    scores AP RR nDCG RBP gRBP RBP_residual linear R P Rprec Success ERR bpref infAP Judged
    num_ret num_rel num_rel_ret ISL TSL ASL SL1 SL3 RE TSE eta WC
    strec MAP_IA P_IA ERR_IA nERR_IA alpha_DCG alpha_nDCG NRBP nNRBP
    SetP SetR SetF SetAP utility F1 relative_P Rprec_mult IPrec eleven_point_avg ndcg_rel Rndcg G
    binG DCG gm_map gm_bpref yaap num_nonrel_judged_ret num_q aggregates
    SDCG BPM INST INSQ NERR8 NERR9 NERR10 NERR11 Compat Accuracy CWLMetric
    RecallLevelMetric GradedMetric CascadeMetric SearchLength provider_exposure measures conventions
    preferences RPP dcgRPP invRPP LR LP sgnLR sgnLP rrLR rrLP ST_RPP ST_dcgRPP ST_invRPP
    LevelPreference LexicographicPreference parse_measure interleaving
    explain MatrixPreference
    win_rates win_rate_matrix request_win_rates order_runs majority_cycles
    rank_correlations sign_agreement tie_rates
    rank_distributions order_probabilities bootstrap_correlations
    agreement_matrix
    degradation sample_labels sample_requests truncate_runs leave_out_run
    hole_sensitivity HoleSensitivity
    tie_profile deciding_levels level_correlations level_regression predict_first_level theory
    judge_agreement judge_confusion compare_judges JudgeComparison conclusions conclusion_pairs
    simulate_collection collection_distances
    compare compare_groups group_correlations tukey_hsd discriminative_power
    asl_curve smallest_significant_differences swap_rates swap_curve required_requests power_curve
    overlap contrasting unjudged
    audit
    with_log with_attributes read_log read_mlflow
    write_trec write_parquet to_ir_measures to_ranx to_pytrec_eval
    evaluate add_runs evaluate_scores Evaluation verdict views spark
    LexiframeError LexiframeWarning ReadError SchemaError UnknownNameError
    equivalence gate
""".split()
CALLABLE = [
    n for n in PUBLIC if inspect.isfunction(getattr(lf, n)) or isinstance(getattr(lf, n), type)
]


def test_the_public_names():
    assert sorted(lf.__all__) == sorted(PUBLIC)
    assert len(set(lf.__all__)) == len(lf.__all__)
    public = {name for name in vars(lf) if not name.startswith("_")}
    submodules = {part(module_name(path)) for path in MODULES} | {*STAGES, *FREE}
    assert public - set(lf.__all__) <= submodules


def test_names_are_where_a_type_checker_finds_them():
    """What is imported for type checkers is what is loaded when it is used."""
    body = ast.parse((PACKAGE / "__init__.py").read_text()).body
    block = next(node for node in body if isinstance(node, ast.If))
    for_checkers = {(node.module, alias.name) for node in block.body for alias in node.names}
    whole = {("lexiframe", "spark"), ("lexiframe", "theory"), ("lexiframe", "views")}
    assert for_checkers == whole | {
        (f"lexiframe.{module}", name)
        for module, names in lf._MODULES.items()
        for name in names.split()
    }
    for module, name in for_checkers:
        assert getattr(lf, name) is getattr(sys.modules[module], name)
        assert name in lf.__all__


@pytest.mark.slow
def test_all_names_are_there_before_they_are_used():
    """To `dir`, to ``import *``; and what is no name is an error."""
    code = "import lexiframe as lf; names = set(dir(lf)); assert {*lf.__all__} <= names"
    loaded(f"{code}; exec('from lexiframe import *'); assert {{*lf.__all__}} <= {{*globals()}}")
    with pytest.raises(AttributeError, match="module 'lexiframe' has no attribute 'evalute'"):
        lf.evalute  # noqa: B018
    for name in PUBLIC:
        if inspect.isfunction(getattr(lf, name)) or isinstance(getattr(lf, name), type):
            assert pickle.loads(pickle.dumps(getattr(lf, name))) is getattr(lf, name)


@pytest.mark.parametrize("name", CALLABLE)
def test_public_names_are_documented(name):
    """In numpy's style, every parameter named, and with an example that the tests run."""
    public = getattr(lf, name)
    text = inspect.getdoc(public)
    assert text
    assert text.splitlines()[0].endswith((".", ":"))
    if isinstance(public, type) and issubclass(public, Exception | Warning):
        return
    assert "Examples\n--------\n" in text
    assert ">>> " in text.split("Examples\n--------\n")[1]
    if inspect.isfunction(public):
        for parameter in inspect.signature(public).parameters:
            assert parameter in text.partition("Parameters\n----------\n")[2], parameter
        assert "Returns\n-------\n" in text


FUNCTIONS = [name for name in CALLABLE if inspect.isfunction(getattr(lf, name))]
GROUPED = [name for name in FUNCTIONS if "by" in inspect.signature(getattr(lf, name)).parameters]


@pytest.mark.parametrize("name", GROUPED)
def test_groups_are_asked_for_by_keyword(name):
    """`by_groups` leaves the signature as it is, and takes no argument that is not in it."""
    function, parameters = getattr(lf, name), inspect.signature(getattr(lf, name)).parameters
    assert parameters["by"].kind is inspect.Parameter.KEYWORD_ONLY
    if "requests" not in parameters:
        with pytest.raises(TypeError, match="unexpected keyword argument 'requests'"):
            function(pl.DataFrame(), requests=pl.DataFrame(), by="length")


DATA = """CollectionLike Frame LogLike PairsLike PairsOrEvaluation RunsLike QrelsLike ScoresLike
Evaluated Evaluation JudgesLike ComparisonsLike""".split()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_say_what_they_take(name):
    """Each argument has a type of its own, and data are given by position alone."""
    function = getattr(lf, name)
    assert typing.get_type_hints(function)
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.kind is parameter.VAR_KEYWORD or parameter.annotation != "Any", parameter
        is_data = {*parameter.annotation.split(" | ")} <= {*DATA}
        assert is_data == (parameter.kind is parameter.POSITIONAL_ONLY), parameter


def test_measures_are_documented_where_they_are_defined():
    """A string behind the assignment, which says the formula."""
    documented = set()
    for path in MODULES:
        body = ast.parse(path.read_text()).body
        for node, behind in pairwise(body):
            if isinstance(node, ast.Assign) and isinstance(behind, ast.Expr):
                documented |= {name.id for name in node.targets if isinstance(name, ast.Name)}
    measures = {
        name
        for name in PUBLIC
        if name not in {*CALLABLE, "__version__", "spark", "theory", "views"}
    }
    assert len(measures) == 24 + 9 + 9 + 3 + 14 + 6 + 10
    assert measures <= documented


CATALOGUES = ["catalogue", "set_catalogue", "subtopic_catalogue", "user_model_catalogue"]
CATALOGUES = [*(f"metrics/{name}.py" for name in CATALOGUES), "pairwise/catalogue.py"]


@pytest.mark.parametrize("path", CATALOGUES)
def test_an_entry_of_a_catalogue_is_five_lines_at_most_and_cites_its_source(path):
    entries = [
        node
        for node in ast.parse((PACKAGE / path).read_text()).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and {"formula", "source", "bounds"} <= {word.arg for word in node.value.keywords}
    ]
    assert len(entries) >= 9
    assert all(node.end_lineno - node.lineno < 5 for node in entries)
    for name in (node.targets[0].id for node in entries):
        measure = getattr(lf, name)
        assert all([measure.formula, measure.source, measure.bounds]), name


def test_what_is_public_is_named_in_the_packages_docstring():
    for name in set(PUBLIC) - {"__version__", "Evaluation", *vars(errors)}:
        assert f"`{name}`" in lf.__doc__, name


# --- What every table looks like ----------------------------------------------------------------


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Each table of the schemas, from the function that makes it."""
    folder = lf.bundled("example")
    runs, qrels = lf.read_runs(folder / "runs"), lf.read_qrels(folder / "qrels.txt")
    p = lf.positions(runs, qrels)
    s = lf.scores(p, ["RR", lf.nDCG @ 10, "AP"])
    d = lf.preferences(p, ["rrLP", "RR", "AP", "LP"])
    o = pl.concat([lf.order_runs(s, "mean"), lf.order_runs(d, "mc4"), lf.order_runs(d, "borda")])
    o = o.sort("measure", "method", "rank", "run")
    cyclic = d.head(3).with_columns(
        query_id=pl.lit("1"),
        run_a=pl.Series(["a", "a", "b"]),
        run_b=pl.Series(["b", "c", "c"]),
        measure=pl.lit("RR"),
        preference=pl.Series([1.0, -1.0, 1.0]),
    )
    c = pl.concat([lf.compare(d, "t"), lf.compare(d, "sign", alpha=0.5)])
    c = c.sort(schemas.COMPARISONS.key)
    e = lf.evaluate(runs, qrels, ["AP", "LP"], baseline="random")
    return {
        "runs": pl.DataFrame(runs),
        "qrels": pl.DataFrame(qrels),
        "positions": p,
        "subtopic_positions": lf.positions(runs, qrels, subtopics=True),
        "scores": s,
        "aggregates": lf.aggregates(s),
        "providers": OWNERS,
        "provider_exposure": lf.provider_exposure(p, owners(p)),
        "preferences": d,
        "pair_requests": e.pair("pixels_euclidean", "random"),
        "requests": e.requests("random"),
        "win_rates": lf.win_rates(d),
        "request_win_rates": lf.request_win_rates(d),
        "orderings": o,
        "means": lf.evaluate(runs, qrels, ["AP", "RPP"]).means,
        "rank_distributions": lf.rank_distributions(d, samples=20),
        "order_probabilities": lf.order_probabilities(d, samples=20),
        "cycles": lf.majority_cycles(cyclic),
        "correlations": lf.rank_correlations(o),
        "group_correlations": lf.group_correlations(d, trials=9, **halves(d)),
        "tie_rates": lf.tie_rates(d),
        "sign_agreement": lf.sign_agreement(d),
        "comparisons": c,
        "group_comparisons": lf.compare_groups(d, ["welch", "permutation"], "none", **halves(d)),
        "power": lf.discriminative_power(c),
        "against_baseline": e.against_baseline,
        "verdict": lf.verdict(lf.evaluate(runs, qrels, ["AP", "RR"])),
        "asl_curve": lf.asl_curve(c),
        "smallest_differences": lf.smallest_significant_differences(c),
        "swap_rates": lf.swap_rates(d, splits=9),
        "swap_curve": lf.swap_curve(d, splits=9),
        "gates": lf.gate(s, 0.1, baseline="random", candidate="pca8_euclidean"),
        "equivalences": lf.equivalence(s, 0.1, ["t", "bootstrap"], trials=2000),
        "required_requests": lf.required_requests(d),
        "required_by_question": lf.required_requests(d, margin=0.1),
        "power_curve": lf.power_curve(d, [9, 99]),
        "audits": lf.audit(d, "t", trials=9),
        "hole_values": (holes := some_holes()).values,
        "hole_pairs": holes.pairs,
        "hole_calibration": holes.calibration,
        "coverage": lf.coverage(runs, qrels),
        **judged_tables(runs, qrels),
        "overlap": lf.overlap(runs),
        "contrasting": lf.contrasting(runs, "pca8_euclidean", "random", qrels=qrels),
        "unjudged": lf.unjudged(runs, pl.DataFrame(qrels).group_by("query_id").head(2)),
        "problems": problems(tmp_path_factory.mktemp("problems") / "bad.run"),
    }


def judged_tables(runs, qrels):
    """The tables about three judges, of whom the last two are careless in their own ways."""
    grades = pl.DataFrame(qrels).with_row_index("n")
    every = {"b": 3, "a": 4}
    judges = {"c": grades} | {
        name: grades.with_columns(relevance=(pl.col("n") % n > 0) * pl.col("relevance"))
        for name, n in every.items()
    }
    judges = {name: table.drop("n") for name, table in judges.items()}
    found = lf.compare_judges(runs, judges, ["AP", "LP"], samples=9)
    return {
        "judge_agreement": found.agreement,
        "judge_confusion": lf.judge_confusion(judges),
        "judges": found.judges,
        "judge_orderings": found.orderings,
        "judge_correlations": found.correlations,
        "rank_shifts": found.rank_shifts,
        "judge_comparisons": found.comparisons,
        "conclusions": found.conclusions,
        "conclusion_pairs": found.conclusion_pairs,
    }


def some_holes():
    runs, qrels = lf.simulate_collection(requests=5, runs=3, pool_depth=9, pool_share=0.7)
    return lf.hole_sensitivity(runs, qrels, "AP RPP", samples=9)


def halves(d):
    queries = d["query_id"].unique().sort()
    kinds = pl.DataFrame({"query_id": queries, "kind": [*"xyxyy"]})
    return {"requests": kinds, "by": "kind"}


OWNERS = pl.DataFrame({"doc_id": ["a", "b"], "provider": ["x", "x"]})


def owners(p):
    items = p.select("doc_id").unique().sort("doc_id")
    return items.with_columns(provider=pl.col("doc_id").str.slice(-1))


def problems(path):
    path.write_text("q1 Q0 d1 1 0.5 x\nq1\nq1 Q0 d2 2 high x\n")
    return lf.check_run(path)


SCHEMAS = {s.name: s for s in vars(schemas).values() if isinstance(s, schemas.TableSchema)}


def test_every_schema_has_a_table(tables):
    assert set(tables) == set(SCHEMAS)


OF_THEIR_OWN_ORDER = "runs qrels means verdict pair_requests requests contrasting unjudged".split()


@pytest.mark.parametrize("name", SCHEMAS)
def test_columns_types_and_key(tables, name):
    table, schema = tables[name], SCHEMAS[name]
    expected = {k: v for k, v in schema.columns.items() if k not in schema.optional or k in table}
    assert dict(table.schema) == expected
    assert list(table.columns) == list(expected)
    assert table.height > 1
    assert not table.select(schema.key).is_duplicated().any()
    if name in ("orderings", "judge_orderings"):
        by_rank = [*schema.key[:-1], "rank", "run"]
        assert table.equals(table.sort(by_rank))
    elif name not in OF_THEIR_OWN_ORDER:
        assert table.equals(table.sort(schema.key))


@pytest.mark.parametrize("method", ["mean", "win_rate", "borda", "copeland", "mc4", "kemeny"])
def test_orderings_come_sorted(tables, method):
    o = lf.order_runs(tables["preferences"], method)
    assert o.equals(o.sort("measure", "method", "rank", "run"))


@pytest.mark.parametrize("test", ["t", "sign"])
def test_comparisons_come_sorted(tables, test):
    c = lf.compare(tables["preferences"], test, alpha=0.5)
    assert c.equals(c.sort(schemas.COMPARISONS.key))


@pytest.mark.parametrize(
    "options", [{"pool": True}, {"judged": True}, {"no_relevant": "zero"}, {"rel": 1}]
)
def test_optional_rows_and_columns_of_positions(options):
    runs = pl.DataFrame({"run": "x", "query_id": ["2", "1"], "doc_id": ["a", "b"], "score": [1, 1]})
    qrels = pl.DataFrame({"query_id": ["2", "1"], "doc_id": ["a", "b"], "relevance": [1, 0]})
    with pytest.warns(lf.LexiframeWarning, match="requests without a relevant item: 1"):
        p = lf.positions(runs, qrels, **options)
    columns = dict(schemas.POSITIONS.columns)
    of_options = {"pool": "pool_size", "judged": "n_judged", "rel": "rel"}
    for name in schemas.POSITIONS.optional:
        if name != of_options.get(next(iter(options))):
            del columns[name]
    assert list(p.schema.items()) == list(columns.items())
    assert p.equals(p.sort(schemas.POSITIONS.key))
    assert p["query_id"].to_list() == (["1", "2"] if "no_relevant" in options else ["2"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_a_table_is_made_from_takes_tables_of_other_libraries(tables, name):
    """`check` gives the same table for whatever exports Arrow."""
    table = tables[name]
    for other in (table.lazy(), table.to_arrow(), table.to_pandas()):
        checked = schemas.check(other, SCHEMAS[name])
        assert checked.equals(table)
        assert checked.schema == table.schema


def test_measures_are_values():
    """Equal when they are written alike, and usable as keys."""
    assert lf.parse_measure("map") == lf.AP
    assert hash(lf.nDCG @ 10) == hash(lf.parse_measure("ndcg_cut_10"))
    assert lf.AP(rel=2) != lf.AP
    measures = [m for m in vars(lf).values() if isinstance(m, Metric)]
    preferences = [lf.RPP, lf.dcgRPP, lf.invRPP, lf.LR, lf.LP, lf.sgnLR, lf.sgnLP, lf.rrLR, lf.rrLP]
    preferences += [lf.ST_RPP, lf.ST_dcgRPP, lf.ST_invRPP]
    by_order = [lf.LR.rank, lf.LP.rank, lf.LR(rel=2).rank, lf.LR.rank @ 10]
    by_order += [lf.LR.metric(n=1000), lf.LR(rel=2).metric(n=1000)]
    assert len({*by_order}) == len(by_order)
    for measure in [*measures, *preferences, *by_order]:
        assert lf.parse_measure(str(measure)) == measure
        assert len({measure, lf.parse_measure(str(measure))}) == 1
