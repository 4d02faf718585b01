"""The rules of the house: what imports what, what is public, what every table looks like."""

import ast
import importlib
import inspect
import json
import os
import pickle
import re
import subprocess
import sys
import typing
import warnings
from functools import cache
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base import schemas
from lexiframe.core.base.face import listed, user_names
from lexiframe.core.metrics.kinds.derived import every_metric, metrics_of_items
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.orderings.rules import RULES

PACKAGE = Path(lf.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
WHOLE = {name for name in lf.__all__ if inspect.ismodule(getattr(lf, name))}
"""The public names that are rooms, or modules."""


# --- Imports ------------------------------------------------------------------------------------


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@cache
def tree(path):
    """The syntax of a file, which many rules look at."""
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path):
    """The modules that a file imports."""
    return {*imported(tree(path))}


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


NAMES = {module_name(path) for path in MODULES}


PARTS = ("core", "decide", "connect", "study")
FACES = ("charts", "collection", "io", "significance", "spark", "testing", "theory", "views")
"""Modules of a few lines, by which users reach names of rooms."""


def part(name):
    """The room that a module belongs to, such as core.io; nothing for the package itself.

    The faces, and `lexiframe.features`, which names all features, belong to no room.
    """
    _, *places = f"{name}..".split(".")
    return ".".join(places[:2]).strip(".") if places[0] in PARTS else ""


def arrows(name_of):
    """What imports what, each module or room under the name that ``name_of`` gives it."""
    found = {}
    for path in MODULES:
        own = name_of(module_name(path))
        uses = found.setdefault(own, set())
        for name in imports(path):
            module = name if name in NAMES else name.rpartition(".")[0]
            uses |= {name_of(module)} - {own, ""}
    return found


def test_the_folders_are_the_parts_in_which_contributors_find_their_way():
    """Besides them only faces, the list of features, the way in, and types of what users give."""
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__", "data"}
    files = {"__init__.py", "__init__.pyi", "__main__.py", "py.typed", "typing.py", "features.py"}
    faces = {f"{name}{ending}" for name in FACES for ending in (".py", ".pyi")}
    assert entries == files | faces | {*PARTS}
    rooms = "base io projection metrics pairwise orderings significance views evaluation cli"
    folders = {path.name for path in (PACKAGE / "core").iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == {*rooms.split()}


def test_rooms_import_only_from_rooms_before_them():
    """An order of the rooms exists, or else this is an error that names the circle."""
    rooms = arrows(part)
    order = [*TopologicalSorter(rooms).static_order()]
    flow = "base io projection metrics pairwise orderings significance".split()
    assert [name for name in order if name.removeprefix("core.") in flow] == [
        f"core.{name}" for name in flow
    ]
    assert rooms["core.base"] == set()
    core = {room for room in rooms if room.startswith("core.")}
    assert {room for room in core if "core.evaluation" in rooms[room]} <= {"core.cli"}


def through(path):
    """The modules in other rooms that a module imports from, and the names that it takes there."""
    own = part(module_name(path))
    for node in ast.walk(tree(path)):
        place = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
        if place and place.startswith("lexiframe.") and part(place) not in (own, ""):
            yield from ((place, alias.name) for alias in node.names)


INSIDE = [path for path in MODULES if part(module_name(path))]
ASIDE = ("lexiframe.core.base.face", "lexiframe.core.base.feature")
"""What every room may import: how a door is made, and what a feature offers."""


@cache
def taken_by(of):
    """The names that the core, or features, take from other rooms, each with its place."""
    paths = [p for p in INSIDE if part(module_name(p)).startswith("core.") == (of == "core")]
    return {pair for path in paths for pair in through(path) if pair[0] not in ASIDE}


FOR_FEATURES = "For features"
"""The group of a stub with modules whose names features use."""


def test_other_rooms_import_through_the_door_of_a_room_alone():
    """The core imports no feature, and nobody the command line but for its way in."""
    taken = {
        pair for pair in taken_by("core") | taken_by("features")
        if pair in taken_by("core") or not pair[0].startswith("lexiframe.core")
    }  # fmt: skip
    doors = {f"lexiframe.{room}" for room in arrows(part) if room}
    parts = {f"lexiframe.{name}" for name in PARTS}  # for those who take a whole room
    assert {place for place, _ in taken} <= doors | parts
    assert not {place for place, _ in taken_by("core") if not place.startswith("lexiframe.core")}
    assert not {name for place, name in taken_by("core") if place == "lexiframe.core.cli"}
    for door in sorted({place for place, _ in taken} - parts):
        room = importlib.import_module(door)
        offered = {name for name in room.__all__ if getattr(room, name) is not None}
        used = {name for place, name in taken_by("core") | taken_by("features") if place == door}
        assert used <= offered, door
        users = {*user_names(room), *listed(room, FOR_FEATURES)}
        users |= {"charts", "display"} if door == "lexiframe.core.views" else set()
        many = f"{door} has more than 25 names: offer a module that has several of them"
        assert len(offered - users) <= 25, many
        # What nobody takes is hidden, but for what users reach by a face.
        is_core = door.startswith("lexiframe.core")
        assert not is_core or offered - used <= users, (door, offered - used - users)


def test_features_take_names_of_the_core_from_doors_and_from_modules_that_doors_offer():
    """A door offers a module of a folder of the core in its group "For features"."""
    offered = {}
    for place, name in sorted(taken_by("features")):
        if not place.startswith("lexiframe.core"):
            continue
        assert name == "__version__" or not name.startswith("_"), (place, name)
        if hasattr(importlib.import_module(place), "__path__"):  # a folder, by its door
            continue
        door, _, module = place.rpartition(".")
        if door not in offered:
            room = importlib.import_module(door)  # a folder with code of its own has no stub
            offered[door] = getattr(room, "__all__", None) or [*vars(room)]
        assert module in offered[door], f"name {module} in a group {FOR_FEATURES!r} of {door}"


def test_modules_import_one_another_in_no_circle():
    """Wherever an import stands: also those for type checkers, and those inside functions."""
    TopologicalSorter(arrows(lambda name: name)).prepare()


def test_one_module_alone_computes_students_t():
    """Whoever has a mean, its standard error and degrees of freedom hands them to `Estimates`."""
    known = {path.relative_to(PACKAGE) for path in MODULES if "stdtr" in path.read_text("utf-8")}
    assert known == {Path("core/base/sums/estimates.py")}


def test_only_faces_are_called_like_a_public_name():
    """`lexiframe.positions` would be one or the other, as it was imported last."""
    beside = {path.stem for path in PACKAGE.iterdir()} & set(lf.__all__)
    assert beside == WHOLE == {*FACES} - {"charts"}


def test_no_function_of_a_door_is_called_like_its_module():
    """Python puts a module under its name into the folder when anything in it is first imported."""
    stubs = {path: tree(path) for path in PACKAGE.rglob("__init__.pyi")}
    froms = [
        (path, one) for path, stub in stubs.items() for one in stub.body if hasattr(one, "names")
    ]
    named = {(path.parent.name, one.module, n.name) for path, one in froms for n in one.names}
    assert not [of for of in named if of[1] == of[2]]


HEAVY = """
    scipy.stats statsmodels pandas typer click tqdm pyarrow.parquet pyarrow.csv pyarrow.dataset
    altair great_tables vl_convert pyspark alembic sqlalchemy mlflow duckdb ir_datasets
    sklearn pyterrier ranx ir_measures pytrec_eval matplotlib IPython sqlite3 urllib.request
""".split()


CORE = "lexiframe.read_runs, lexiframe.positions, lexiframe.scores, lexiframe.preferences"


PREPOSITIONS = set(
    "of by for to in on with without from at as into beside over under between per after before "
    "against".split()
)
GENERIC = set(
    "of of_each of_pairs of_group of_requests of_units _agreement _checked _drawn _first _found "
    "_joined _means _named _number _places _read _rows _table".split()
)
"""Names that say nothing about what is returned."""


def defined():
    """The names of all functions, each with its module."""
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
                yield module_name(path), node.name


def test_functions_are_called_by_what_they_return_or_do():
    """Few begin with a preposition: conversions, and methods that return a changed copy."""
    names = [name for _, name in defined()]
    prepositions = [n for n in names if n.lstrip("_").partition("_")[0] in PREPOSITIONS]
    assert len(prepositions) <= 0.025 * len(names), sorted(prepositions)


def test_a_name_that_says_nothing_stands_in_two_modules_at_most():
    modules = {}
    for module, name in defined():
        modules.setdefault(name, set()).add(module)
    assert {n: m for n, m in modules.items() if n in GENERIC and len(m) > 2} == {}


def given(node):
    """The names that a statement of a module or class gives to something."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = getattr(node, "targets", None) or [node.target]
        names = [name for target in targets for name in ast.walk(target)]
        yield from (n.id for n in names if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def names_given_twice(module):
    """The names that stand twice in a module, or in a class of it, but for properties."""
    for scope in (node for node in ast.walk(module) if isinstance(node, ast.Module | ast.ClassDef)):
        plain = [node for node in scope.body if not getattr(node, "decorator_list", None)]
        names = [name for node in plain for name in given(node)]
        yield from (name for name in {*names} if names.count(name) > 1)


@pytest.mark.parametrize(
    "text", ["_A = 6\n_A, _B = 1, 2", "def a(): ...\na: int = 1", "class C:\n    a = 1\n    a = 2"]
)
def test_names_that_are_given_twice_are_found(text):
    assert len([*names_given_twice(ast.parse(text))]) == 1


def test_no_name_is_given_twice_in_a_module():
    """What uses the first would use the second, and no error would say so."""
    twice = {path.name: [*names_given_twice(tree(path))] for path in MODULES}
    assert {name: names for name, names in twice.items() if names} == {}


def loaded(code):
    """The modules that a new process has loaded after running code."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    code = f"import sys, json; {code}; print(json.dumps(list(sys.modules)))"
    command = [sys.executable, "-c", code]
    return set(json.loads(subprocess.check_output(command, env=environment)))


def test_importing_it_loads_nothing_heavy():
    """Each name loads its module when it is first used; those of the core load no more."""
    ours = {name for name in loaded("import lexiframe") if name.partition(".")[0] == "lexiframe"}
    rooms = {f"lexiframe.core{name}" for name in ("", ".base", ".base.face")}
    assert ours == {"lexiframe", *rooms}
    modules = loaded(f"import lexiframe; {CORE}")
    assert modules & set(HEAVY) == set()
    assert {"lexiframe.core.pairwise.pairs", "polars", "pyarrow", "numpy"} <= modules
    later = re.compile("lexiframe[.]core[.](orderings|significance|views|evaluation|cli)")
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
    assert len(ours) <= 150


NEIGHBOURS = "mlflow ir_measures pytrec_eval pytest hypothesis pyterrier".split()
"""Tools inside which the library can be used, as `lf.io` and `lf.testing` say."""
VERSION = (
    "import os; shown, sys.stdout = sys.stdout, open(os.devnull, 'w'); "
    "sys.argv = ['lexiframe', '--version']; from lexiframe.__main__ import main; "
    "exec('try: main()\\nexcept SystemExit: pass'); sys.stdout = shown"
)
EVALUATED = (
    "import lexiframe as lf; folder = lf.bundled('example'); "
    "lf.evaluate(folder / 'runs', folder / 'qrels.txt', ['AP', 'RPP']).means"
)
REACHED = (
    "import lexiframe as lf; lf.io.use_in_ir_measures, lf.io.log_mlflow, lf.io.log_folder; "
    "lf.testing.assert_not_worse, lf.testing.check_metric"
)


@pytest.mark.parametrize("code", ["import lexiframe", VERSION, EVALUATED, REACHED])
def test_none_of_the_neighbours_is_imported_before_it_is_used(code):
    modules = loaded(code)
    assert "lexiframe" in modules
    assert not {name.partition(".")[0] for name in modules} & {*NEIGHBOURS}


@pytest.mark.parametrize("command, most", [("compare", 203), ("evaluate", 260)])
def test_a_command_on_few_runs_loads_none_of_the_large_parts_of_scipy_and_pyarrow(command, most):
    """They take longer to import than small data take to evaluate."""
    example = Path(PACKAGE, "..", "data", "example").resolve()
    arguments = ["lexiframe", command, str(example / "qrels.txt"), str(example / "runs")]
    run = "exec('try: main()\\nexcept SystemExit: pass')"
    hidden = "sys.stdout = open(os.devnull, 'w')"
    code = f"import os; shown = sys.stdout; {hidden}; sys.argv = {arguments}"
    modules = loaded(f"{code}; from lexiframe.__main__ import main; {run}; sys.stdout = shown")
    heavy = "stats sparse linalg optimize ndimage spatial".split()
    heavy = {*HEAVY, *(f"scipy.{name}" for name in heavy)}
    heavy |= {"pyarrow.compute", "pydantic", "rich"}
    assert modules & heavy == {"typer", "pyarrow.csv"}
    ours = {name for name in modules if name.partition(".")[0] == "lexiframe"}
    # Families are loaded whole: a test, a rule or a form more, by the recipes, is a module more.
    assert len([name for name in ours if not name.startswith(FAMILIES)]) <= most


FAMILIES = tuple(
    f"lexiframe.core.{name}." for name in ("io.forms", "orderings.rules", "significance.tests")
)


@pytest.mark.slow
def test_a_name_of_a_later_stage_loads_its_module_alone():
    modules = loaded("import lexiframe; lexiframe.win_rates")
    assert "lexiframe.core.orderings.wins" in modules
    assert (
        not {"lexiframe.core.evaluation.evaluation", "lexiframe.core.significance.paired"} & modules
    )
    assert {"lexiframe.core.evaluation.evaluation"} <= loaded("from lexiframe import evaluate")


# --- What is public -----------------------------------------------------------------------------

PUBLIC = lf.__all__
OF_ROOMS = {name: getattr(lf, room) for room in sorted(WHOLE - {"spark", "theory", "views"})
            for name in user_names(getattr(lf, room))}  # fmt: skip
"""What users reach as lf.ROOM.NAME, and its room."""
CALLABLE = [
    n for n in PUBLIC if inspect.isfunction(getattr(lf, n)) or isinstance(getattr(lf, n), type)
]


def public_thing(name):
    return getattr(OF_ROOMS.get(name, lf), name)


def test_each_public_name_stands_once_in_the_stub_and_is_where_it_says():
    """The stub is what type checkers read; at run time names are loaded from it."""
    body = ast.parse((PACKAGE / "__init__.pyi").read_text()).body[1:]
    groups, names = [], []
    for node in body:
        if isinstance(node, ast.Expr):
            groups.append([])
            assert ": " in node.value.value
            continue
        groups[-1] += [alias.name for alias in node.names]
        assert all(alias.name == alias.asname for alias in node.names), "X as X: it is public"
        module = f"lexiframe.{node.module}" if node.module else "lexiframe"
        for alias in node.names:
            place = importlib.import_module(module)
            found = getattr(lf, alias.name)  # functions are wrapped once, on their way out
            assert getattr(place, alias.name) in (found, getattr(found, "__wrapped__", None))
    names = [name for group in groups for name in group]
    assert names == lf.__all__
    assert len(set(names)) == len(names)
    full = [group[0] for group in groups if len(group) > 12]
    assert not full, f"a group has at most 12 names: begin another beside that of {full}"


def test_nothing_else_is_public():
    public = {name for name in vars(lf) if not name.startswith("_")}
    assert public - set(lf.__all__) <= {*PARTS, "charts", "features", "typing"}


def test_the_stub_has_each_measure_of_the_catalogues():
    measures = {name for name in lf.__all__ if isinstance(getattr(lf, name), Metric)}
    named = {
        m.name.replace("-", "_")
        for m in (*every_metric(), *metrics_of_items())
        if not m.name.startswith(("LR", "LP", "sgn"))
    }
    others = {"11pt_avg": "eleven_point_avg", "set_P": "SetP"}
    assert measures == {others.get(name, name) for name in named}


@pytest.mark.slow
def test_all_names_are_there_before_they_are_used():
    """To ``import *``, some of them to `dir`; and what is no name is an error."""
    code = "import lexiframe as lf; names = set(dir(lf)); assert names < {*lf.__all__}"
    loaded(f"{code}; exec('from lexiframe import *'); assert {{*lf.__all__}} <= {{*globals()}}")
    with pytest.raises(AttributeError, match="module 'lexiframe' has no attribute 'evalute'"):
        lf.evalute  # noqa: B018
    for name in PUBLIC:
        if inspect.isfunction(getattr(lf, name)) or isinstance(getattr(lf, name), type):
            assert pickle.loads(pickle.dumps(getattr(lf, name))) is getattr(lf, name)


@pytest.mark.parametrize("name", [*CALLABLE, *OF_ROOMS])
def test_public_names_are_documented(name):
    """In numpy's style, every parameter named, and with an example that the tests run."""
    public = public_thing(name)
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


FUNCTIONS = [name for name in [*CALLABLE, *OF_ROOMS] if inspect.isfunction(public_thing(name))]
GROUPED = [name for name in FUNCTIONS if "by" in inspect.signature(public_thing(name)).parameters]


@pytest.mark.parametrize("name", GROUPED)
def test_groups_are_asked_for_by_keyword(name):
    """`by_groups` leaves the signature as it is, and takes no argument that is not in it."""
    function, parameters = public_thing(name), inspect.signature(public_thing(name)).parameters
    assert parameters["by"].kind is inspect.Parameter.KEYWORD_ONLY
    if "requests" not in parameters:
        with pytest.raises(TypeError, match="unexpected keyword argument 'requests'"):
            function(pl.DataFrame(), requests=pl.DataFrame(), by="length")


DATA = """VotesLike CollectionLike Frame LogLike PairsLike RunsLike QrelsLike
ScoresLike
Evaluated Told Evaluation JudgesLike ComparisonsLike TablesLike PositionsTable ScoresTable
BaselineLike
OrderingsTable ComparisonsTable arrays.PairsByKind arrays.PairsOrReplicates ToDecide
ValuesLike""".split()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_say_what_they_take(name):
    """Each argument has a type of its own; data have names that people write, or none at all."""
    function = public_thing(name)
    assert typing.get_type_hints(function)
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.kind is parameter.VAR_KEYWORD or parameter.annotation != "Any", parameter
        are_data = {*parameter.annotation.split(" | ")} <= {*DATA}
        is_short = len(parameter.name) == 1 or parameter.name in ("c1", "s_or_d", "s_or_components")
        assert (parameter.kind is parameter.POSITIONAL_ONLY) == (are_data and is_short), parameter


def test_measures_are_documented_where_they_are_defined():
    """A string behind the assignment, which says the formula."""
    documented = set()
    for path in MODULES:
        body = tree(path).body
        for node, behind in pairwise(body):
            if isinstance(node, ast.Assign) and isinstance(behind, ast.Expr):
                documented |= {name.id for name in node.targets if isinstance(name, ast.Name)}
    measures = {name for name in PUBLIC if name not in {*CALLABLE, *WHOLE, "__version__"}}
    assert {"AP", "RPP", "strec", "SetF"} <= measures
    assert measures <= documented


CATALOGUES = [
    *(f"core/metrics/catalogues/{name}.py" for name in ("ranked", "subtopics")),
    *(f"connect/measures/{name}.py" for name in ("sets", "user_models")),
    "core/pairwise/preference_entries.py",
]


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
    for name in PUBLIC:
        assert f"`{name}`" in lf.__doc__, name


# --- What every table looks like ----------------------------------------------------------------


def items_of(runs):
    """The catalogue of all that runs retrieved."""
    return lf.read_items(pl.DataFrame(runs).select(pl.col("doc_id").unique()))


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
        "facts": e.facts,
        "catalogue": lf.catalogue(runs, "Coverage@3 Gini@3", items_of(runs)).values,
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
        "replicated_scores": (seeds := replicates(s)),
        "gate_curves": lf.significance.gate_curve(
            s, 0.1, baseline="random", candidate="pca8_euclidean", sizes=[9], trials=9
        ),
        "confidence_sequences": lf.significance.confidence_sequence(
            s.filter(pl.col("measure") == "AP"),
            baseline="random",
            candidate="pca8_euclidean",
            n_planned=99,
            every=2,
        ),
        "components": lf.significance.variance_components(seeds, "run"),
        "effects": lf.significance.anova(seeds, "run + query_id"),
        "generalisability": lf.significance.generalisability(seeds, "run"),
        **by_people_and_model(s, d),
        **judged_tables(runs, qrels),
        **stated_tables(),
        **leaderboard_tables(),
        "overlap": lf.overlap(runs),
        "contrasting": lf.contrasting(runs, "pca8_euclidean", "random", qrels=qrels),
        "unjudged": lf.unjudged(runs, pl.DataFrame(qrels).group_by("query_id").head(2)),
        **served_worst(s),
        "problems": problems(tmp_path_factory.mktemp("problems") / "bad.run"),
    }


def served_worst(s):
    """The tables of the requests that runs serve worst."""
    half = pl.DataFrame({"query_id": s["query_id"].unique().sort()})
    w = lf.worst_served(s, 0.5, requests=half.with_columns(half=pl.Series([*"ababa"])))
    named = {"values": w.values, "comparisons": w.comparisons, "groups": w.groups()}
    named["requests"] = w.requests.drop("half")
    found = {f"worst_{name}": table for name, table in named.items()}
    return found | {"leximin": lf.leximin(s), "risk": lf.risk(s, "random")}


def leaderboard_tables():
    """The tables of a leaderboard with a gap, by two rules."""
    x = pl.DataFrame(
        {
            "run": list("abcdef"),
            "x": [0.5, 0.25, 0.75, 0.5, 0.25, 0.5],
            "y": [0.75, 0.5, 0.25, None, None, 0.5],
            "z": [0.75, 0.5, 0.25, 0.5, 0.0, 0.25],
        }
    )
    with warnings.catch_warnings(action="ignore"):
        found = lf.leaderboard(x, ["mean", "borda", "mc4"], group={"x": "g", "y": "g", "z": "h"})
    called = {
        "cells": "collection_scores",
        "comparisons": "collection_comparisons",
        "correlations": "collection_correlations",
        "components": "connected_parts",
    }
    return {called.get(name, name): table for name, table in found.tables().items()}


def stated_tables():
    """Four judgments, and the strengths of the runs by them."""
    rows = [("1", "x", "y", "a", "ann"), ("2", "x", "y", "b", "bob"), ("2", "x", "y", "a", "bob")]
    rows.append(("1", "y", "z", "tie", "ann"))
    names = ["query_id", "left", "right", "winner", "judge"]
    stated = lf.read_preferences(pl.DataFrame(rows, schema=names, orient="row"))
    found = lf.bradley_terry(stated)
    # The same judgments in two more requests of another kind.
    twice = pl.concat(
        [stated.judgments, stated.judgments.with_columns(query_id=pl.col("query_id") + "0")]
    )
    kinds = pl.DataFrame({"query_id": ["1", "2", "10", "20"], "kind": [*"gghh"]})
    shown = kinds.select("query_id").join(pl.DataFrame({"run": [*"xyz"]}), how="cross")
    shown = shown.with_columns(
        length=(pl.int_range(pl.len()) ** 2) % 7, links=(pl.int_range(pl.len()) ** 3) % 11
    )
    adjusted = lf.bradley_terry(twice, answers=shown, prior=1)
    grouped = lf.bradley_terry(twice, requests=kinds, groups="kind", prior=1)
    return {
        "next_pairs": lf.next_pairs(stated, 4),
        "strength_covariates": adjusted.covariates,
        "strengths_by_group": grouped.groups,
        "judgments": stated.judgments,
        "position_bias": stated.position,
        **concordance_tables(stated),
        **tables_of_stated_judges(),
        "strengths": found.strengths,
        "strength_pairs": found.pairs,
    }


def tables_of_stated_judges():
    """Three judges of three requests, of whom the last one differs."""
    rows = [
        (q, "x", "y", "right" if judge == "c" and q != "1" else "left", judge)
        for q in "123"
        for judge in "abc"
    ]
    names = ["query_id", "left", "right", "winner", "judge"]
    stated = lf.read_preferences(pl.DataFrame(rows, schema=names, orient="row"))
    return {
        "stated_agreement": lf.judge_agreement(stated),
        "judge_consistency": lf.collection.judge_consistency(stated),
    }


def concordance_tables(stated):
    """Two measures beside people, of whom one lacks a pair."""
    rows = [("1", "x", "y", "RPP", 1.0), ("2", "x", "y", "RPP", -0.5), ("1", "x", "y", "RR", 0.0)]
    rows.append(("2", "x", "y", "AP", 0.25))
    names = ["query_id", "run_a", "run_b", "measure", "preference"]
    people = stated.judgments.with_columns(winner=pl.lit("a"))
    found = lf.concordance(
        pl.DataFrame(rows, schema=names, orient="row"), lf.read_preferences(people)
    )
    return {
        "concordance": found.measures,
        "concordance_pairs": found.pairs,
        "concordance_by_strength": found.by_strength,
        "concordance_requests": found.requests,
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
    s = lf.scores(lf.positions(runs, judges["c"]), ["AP", "RR"])
    names = s.select("run").unique().sort("run")
    lacking = {"c": s, "b": s.filter(pl.col("run") != names["run"][0])}
    with pytest.warns(lf.LexiframeWarning, match="a judge has no scores"):
        of_scores = lf.compare_judges(None, lacking, ["AP", "RR"], samples=9)
    families = names.with_columns(family=pl.col("run").rank("ordinal"))
    return {
        "left_out": of_scores.left_out,
        "own_family": lf.own_family(s, {"b": s, "a": s}, families, own="1"),
        "judge_agreement": found.agreement,
        "judge_confusion": lf.judge_confusion(judges),
        "judges": found.judges,
        "judge_orderings": found.orderings,
        "judge_correlations": found.correlations,
        "rank_shifts": found.rank_shifts,
        "judge_comparisons": found.comparisons,
        "conclusions": found.conclusions,
        "conclusion_pairs": found.conclusion_pairs,
        "judge_answers": found.answers,
    }


def replicates(s):
    """Each run's scores from two seeds."""
    shift = pl.lit(0.01) * pl.col("run").rank("dense").cast(pl.Float64)
    two = [s.with_columns(replicate=pl.lit(k), value=pl.col("value") + k * shift) for k in (0, 1)]
    both = pl.concat(two).with_columns(pl.col("replicate").cast(pl.String))
    return schemas.REPLICATED_SCORES.arranged(both)


def by_people_and_model(s, d):
    """What people and a model say, each table twice: people and model agree."""
    room, queries = lf.significance, d["query_id"].unique().sort()
    with pytest.warns(lf.LexiframeWarning, match="with 5 requests"):
        found = [room.prediction_powered(both, both) for both in (s, d)]
    return {
        "powered_means": found[0],
        "powered_differences": found[1],
        "inclusion": queries.to_frame().with_columns(probability=0.5 * pl.len() / pl.len()),
        "judgments_needed": room.how_many_judgments(s, s, 0.1),
        "judgments_needed_of_pairs": room.how_many_judgments(d, d, 0.1),
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


PLACES_OF_SCHEMAS = [importlib.import_module(n) for n in sorted(NAMES) if n.endswith(".schemas")]
SCHEMAS = {
    one.name: one
    for place in PLACES_OF_SCHEMAS
    for one in vars(place).values()
    if isinstance(one, schemas.TableSchema)
}


def test_every_schema_has_a_table(tables):
    assert set(tables) == set(SCHEMAS)


OF_THEIR_OWN_ORDER = """
    runs qrels means verdict pair_requests requests contrasting unjudged components effects
    gate_curves strengths facts worst_requests
""".split()


@pytest.mark.parametrize("name", SCHEMAS)
def test_columns_types_and_key(tables, name):
    table, schema = tables[name], SCHEMAS[name]
    expected = {k: v for k, v in schema.columns.items() if k not in schema.optional or k in table}
    assert dict(table.schema) == expected
    assert list(table.columns) == list(expected)
    assert table.height > 1
    key = [column for column in schema.key if column in table.columns]
    assert not table.select(key).is_duplicated().any()
    if name in ("orderings", "judge_orderings", "ranking", "rank_percentiles"):
        by_rank = [*schema.key[:-1], "rank", "run"]
        assert table.equals(table.sort(by_rank))
    elif name not in OF_THEIR_OWN_ORDER:
        assert table.equals(table.sort(key))


@pytest.mark.parametrize("method", RULES)
def test_orderings_come_sorted(tables, method):
    d = tables["scores" if method == "leximin" else "preferences"]
    if method == "bradley_terry":  # no run may win or lose always, as the random one does
        d = d.filter(pl.col("run_a") != "random", pl.col("run_b") != "random")
    o = lf.order_runs(d, method)
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


def test_private_docstrings_call_things_by_nouns():
    """Their first lines have no pronoun for a thing: those of, others, what, the same … as."""
    unclear = re.compile(
        r"\bthose\b|\bthat of\b|\bothers\b|\bof (which|whom)\b|\bas (it|they) (is|are|was|were)\b"
        r"|\bthe same\b.* as\b|\bwhat\b",
        re.IGNORECASE,
    )
    printed = {("votes_command", "votes")}  # as help of the command
    stubs = [ast.walk(ast.parse(path.read_text("utf-8"))) for path in PACKAGE.glob("*.pyi")]
    imports = [node for stub in stubs for node in stub if isinstance(node, ast.ImportFrom)]
    public = {alias.name for node in imports for alias in node.names}
    found = []
    for path in MODULES:
        module = tree(path)
        reached = [node for node in module.body if getattr(node, "name", None) in public]
        reached = {inside for node in reached for inside in ast.walk(node)}
        reached |= {module} if path.parent == PACKAGE else set()  # the faces
        for node in ast.walk(module):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                name = getattr(node, "name", "")
                if (node in reached and name[:1] != "_") or (path.stem, name) in printed:
                    continue
                first = (ast.get_docstring(node) or "").partition("\n\n")[0]
                if unclear.search(re.sub(r"`+[^`]*`+", "", first)):
                    found.append((path.name, first))
    assert found == []
