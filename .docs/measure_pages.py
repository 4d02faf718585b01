"""A page for each measure, from `lexiframe.measures`, its docstring, and what an example prints."""

import contextlib
import functools
import inspect
import io
import re
from typing import Any

import polars as pl
from gallery import pictures_with
from listed import parts_of

import lexiframe as lf
from lexiframe.core.metrics import needed, notation
from lexiframe.core.metrics.catalogues import symbols
from lexiframe.decide.nuggets import measures as answers

EXAMPLE = """\
import lexiframe as lf
import polars as pl

runs = lf.read_runs(
    {
        "A": {"q": {"a": 9, "x": 8, "b": 7, "u": 6, "c": 5}},
        "B": {"q": {"x": 9, "a": 8, "b": 7, "c": 6, "y": 5, "d": 4}},
    }
)
judgments = {"doc_id": list("abcdxy"), "relevance": [2, 1, 2, 1, 0, 0]}
subtopics = {"query_id": ["q"] * 6, "iteration": list("121212")}
qrels = lf.read_qrels(pl.DataFrame({**subtopics, **judgments}))
"""
"""Two rankings of one request: with graded, judged and unjudged items, and one that A misses."""

SHOWN = {  # measures that need a parameter or a cut-off, and how the example gives it
    "linear": "linear(n=20)",
    "P": "P@5",
    "R": "R@5",
    "Success": "Success@5",
    "F1": "F1@5",
    "PRES": "PRES@5",
    "relative_P": "relative_P@5",
    "Judged": "Judged@5",
    "IPrec": "IPrec@0.5",
    "WSS": "WSS@95",
    "Rprec_mult": "Rprec_mult@0.8",
    "utility": "utility(n=20)",
    "P-IA": "P-IA@5",
    "ERR-IA": "ERR-IA@5",
    "strec": "strec@1",
    "alpha-DCG": "alpha-DCG@5",
    "SDCG": "SDCG(max_rel=2)@5",
    "BPM": "BPM(max_rel=2)@5",
    "NERR8": "NERR8(max_rel=2)@5",
    "NERR9": "NERR9(max_rel=2)@5",
    "INST": "INST(max_rel=2)",
    "INSQ": "INSQ(max_rel=2)",
    "NERR10": "NERR10(max_rel=2)",
    "NERR11": "NERR11(max_rel=2)",
    "ERR": "ERR(max=2)",
    "gRBP": "gRBP(max=2)",
    "LR.metric": "LR.metric(n=20)",
}
POSITIONS = {"judged items": "judged=True", "pool or corpus size": "pool=True"} | {
    "subtopics": "subtopics=True"
}
_ITEMS = """
table = {"doc_id": list("abcdxyuz"), "users": [9, 4, 2, 1, 5, 1, 1, 3]}
table["categories"] = ["p", "pq", "q", "r", "p", "q", "r", "pr"]
films = pl.DataFrame(table).with_columns(pl.col("categories").str.split(""))
owners = pl.DataFrame({"doc_id": list("abcdxyuz"), "provider": list("AABBABAB")})
past = pl.DataFrame({"query_id": ["q"], "doc_id": ["z"]})
items = lf.read_items(films, history=past, users=10)
""".strip().split("\n")
"""A catalogue of items, for measures of lists."""
_ANSWERS = """
facts = {"query_id": "q", "nugget_id": ["a", "b", "c"], "importance": ["vital", "vital", "okay"]}
stated = {"run": list("AAB"), "query_id": "q", "nugget_id": list("aba"), "credit": [1.0, 0.5, 0.5]}
cited = {"run": list("AAB"), "query_id": "q", "sentence": [1, 2, 1], "doc_id": list("dee")}
cited |= {"support": [1.0, 0.5, 1.0], "relevant": [True, False, True]}
sentences = {"run": list("AAB"), "query_id": "q", "sentence": [1, 2, 1]}
n = lf.Nuggets(*map(pl.DataFrame, (facts, stated, cited, sentences)))
""".strip().split("\n")
"""Judgments of two answers, for measures of nuggets and citations."""
SAME_IN_TREC_EVAL = """
    bpref infAP gm_map gm_bpref num_ret num_rel num_rel_ret num_nonrel_judged_ret num_q utility
    11pt_avg ndcg_rel Rndcg G binG yaap
""".split()
SAME_IN_IR_MEASURES = """
    AP Accuracy BPM Compat ERR INSQ INST IPrec Judged NERR10 NERR11 NERR8 NERR9 NRBP P R RBP RR
    Rprec SDCG SetAP SetF SetP SetR Success infAP nDCG nNRBP
""".split()
INTRODUCTION = """\
A page for each measure: its formula, its range, its source, an example, and what other libraries
call it. ``lf.measures()`` prints this list, and ``help(lf.nDCG)`` the first part of a page.
In formulas p_i is the rank of the i-th of m relevant items, y a grade, e an exposure and s_i the
sign of p′_i − p_i; :doc:`the glossary </glossary>` explains the words. All measures accept ``rel``,
the least grade that counts as relevant.

:doc:`conventions` lists where libraries mean different things by one name.
"""
CONVENTIONS = """\
Where this library and others define a measure differently, as ``lf.conventions()`` lists it; a dash
stands where a library lacks the measure. m is the number of relevant items, N that of judged
items that are not relevant, ñ that of retrieved documents.
"""


def heading(title: str, line: str = "=") -> str:
    """Return a title with the line under it that reStructuredText wants."""
    return f"{title}\n{line * len(title)}\n\n"


def is_measure(thing: Any) -> bool:
    """Whether a public name is a metric or a preference, and not a class of them."""
    return hasattr(thing, "formula") and not isinstance(thing, type)


def link_of(measure: Any) -> str:
    """Return a link to the page of a measure."""
    return f":doc:`{measure} </measures/{_slug(str(measure))}>`"


def summary(measure: Any) -> str:
    """Return the first sentence of what a measure is, or else its formula."""
    text = " ".join(_parts(measure)[0].split())
    return re.split(r"(?<=[a-z)`’]\.) ", text)[0] if text else f"``{measure.formula}``"


def measure_pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    rows = list(lf.measures().iter_rows(named=True))
    pages = {f"{_slug(row['name'])}.rst": _page(row) for row in rows}
    if len({page.casefold() for page in pages}) < len(rows):
        raise ValueError("two measures have one page where capitals are small letters")
    return {"index.rst": _index(rows), "conventions.rst": _conventions(), **pages}


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-")


def _object(row: dict[str, str]) -> Any:
    return None if row["name"] == "OI" else lf.parse_measure(row["name"])


def _public(row: dict[str, str]) -> str | None:
    name = row["name"].partition("(")[0]
    same = (n for n in lf.__all__ if getattr(getattr(lf, n), "name", None) == name)
    return next((n for n in same if is_measure(getattr(lf, n))), None)


def _page(row: dict[str, str]) -> str:
    parts = [
        heading(row["name"]) + ".. currentmodule:: lexiframe\n",
        _description(row),
        ".. code-block:: text\n   :class: formula\n\n" + _indented(row["formula"]),
        _symbols(row),
        _facts(row),
        pictures_with(row["name"], measure=True).rstrip(),
        heading("Example", "-") + _example(row),
        heading("Other libraries", "-") + _elsewhere(row),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _description(row: dict[str, str]) -> str:
    """Say what the measure is, below its name, which links then lead to."""
    measure, public = _object(row), _public(row)
    if measure is None:
        return "Offline interleaving, by the clicks of a simulated user: see `interleaving`."
    text, parameters = _parts(measure)
    listed = "\n".join(f"``{p}``\n   {what}" for p, what in parameters)
    text = f"{text}\n\n{listed}".strip()
    return f".. py:data:: {public}\n\n{_indented(text)}" if public else text


def _parts(measure: Any) -> tuple[str, list[tuple[str, str]]]:
    """Split the docstring of a measure into its description and its parameters."""
    text, _, parameters = (inspect.getdoc(measure) or "").partition("\nParameters, as in ")
    said = [part for part in text.strip().split("\n\n")[1:] if not part.startswith("Formula: ")]
    return "\n\n".join(said), [
        tuple(line.split(" : ", 1)) for line in parameters.splitlines() if " : " in line
    ]


def _symbols(row: dict[str, str]) -> str:
    """Say what the symbols of the formula mean."""
    name = row["name"].partition("(")[0]
    found = symbols.explained(name, row["kind"], row["formula"])
    return "\n".join(f"- ``{symbol}``: {meaning}" for symbol, meaning in found.items())


def _facts(row: dict[str, str]) -> str:
    doi = r"doi:(10\.[^\s;,]+)"
    facts = {
        "Notation": f"``{row['notation']}``",
        "Kind": row["kind"],
        "Range": row["range"],
        "Needs": row["needs"],
        "Source": re.sub(doi, r"`doi:\1 <https://doi.org/\1>`__", row["source"]),
        "Papers": parts_of(f"lexiframe.{_public(row)}"),
    }
    lines = "\n".join(f"   * - {name}\n     - {fact}" for name, fact in facts.items() if fact)
    return f".. list-table::\n   :widths: 15 85\n   :stub-columns: 1\n\n{lines}"


def _example(row: dict[str, str]) -> str:
    """Run the example and show what it prints: values, and the terms where there are some."""
    shown = SHOWN.get(row["name"], row["name"])
    if row["name"] == "OI":
        return _RANKINGS + _session(['lf.interleaving(runs, qrels, user="uniform")'])
    if row["needs"] == needed.ITEMS:
        how = ", providers=owners).values" if row["name"] == "Exposure" else ").values"
        what = f'lf.catalogue(runs, "{shown}@3", items{how}'
        if row["kind"] == "list":
            more = ", qrels=qrels" if row["name"] == "Serendipity" else ""
            what = f'lf.list_scores(runs, "{shown}@3", items{more})'
        return _RANKINGS + _session([*_ITEMS, what])
    if row["needs"] == answers.NuggetMetric.needs:
        how = "preferences" if row["kind"].endswith("preference") else "nugget_scores"
        return "Two answers to one request:\n\n" + _session([*_ANSWERS, f'lf.{how}(n, "{shown}")'])
    given = POSITIONS.get(row["needs"])
    first = f"p = lf.positions(runs, qrels{', ' + given if given else ''})"
    is_preference = row["kind"].endswith("preference")
    lines = [first, f'lf.{"preferences" if is_preference else "scores"}(p, "{shown}")']
    text = _RANKINGS + _session(lines)
    some = "" if is_preference else ".filter(threshold=1)"
    terms = [f'levels = lf.explain(p, "q", "A", "B", "{shown}")', f"levels{some}.{_OF_LEVELS}"]
    try:
        after = _session([first, *terms], hidden=1)
    except lf.LexiframeError:  # no sum over recall levels
        return text
    return f"{text}\n\n{_LEVELS}\n\n{after}"


_RANKINGS = "The two rankings of :ref:`the example <example>`:\n\n"
_OF_LEVELS = 'select(pl.exclude("^(doc|relevance)_.$", "sign", "decides"))'
_LEVELS = "Level by level (the last columns sum to what stands above):"


@functools.cache
def _names_after(*lines: str) -> dict[str, Any]:
    """Return the names of the example, and of lines after it that several pages begin with."""
    names: dict[str, Any] = {}
    exec("\n".join([EXAMPLE, *lines]), names)
    return names


def _session(lines: list[str], hidden: int = 0) -> str:
    """Run lines after the example, and return them with what the last one gives."""
    names = dict(_names_after(*lines[:-1][:1]))
    for line in lines[1:-1]:
        exec(line, names)
    with pl.Config(
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_formatting="UTF8_FULL_CONDENSED",
        tbl_width_chars=100,
        tbl_cols=-1,
        tbl_rows=-1,
    ):
        table = str(eval(lines[-1], names))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        print(*(f">>> {line}" for line in lines[hidden:]), table, sep="\n")
    return ".. code-block:: pycon\n\n" + _indented(printed.getvalue().rstrip())


def _elsewhere(row: dict[str, str]) -> str:
    """Say what other libraries call a measure, and where they define it differently."""
    text = "\n".join(
        f"- {library}: {', '.join(names)}" for library, names in other_names(row["name"]).items()
    )
    text = text or "None of the libraries that lexiframe reads from has this measure."
    rows = [r for r in lf.conventions().iter_rows(named=True) if row["name"] in _measures_in(r)]
    return f"{text}\n\n" + "\n\n".join(map(_convention, rows))


def other_names(name: str) -> dict[str, list[str]]:
    """Return the names by which other libraries know a measure, as this one understands them."""
    found = {
        "trec_eval": [n.replace("{}", "k") for n, ours in _TREC_EVAL if _is(ours, name)],
        "ir_measures": [n for n, ours in _IR_MEASURES if _is(ours, name)],
        "ranx, BEIR, LensKit, RecBole, RePlay or RecTools": [
            n for n, ours in notation.OTHERS.items() if _is(ours, name)
        ],
        "nuggetizer and Auto-ARGUE": [
            n for n, ours in answers.MEASURES.items() if ours.name == name != n
        ],
    }
    return {library: [f"``{n}``" for n in names] for library, names in found.items() if names}


_TREC_EVAL = [(f"{n}_{{}}" if "{}" in ours else n, ours) for n, ours in notation.TREC_EVAL.items()]
_TREC_EVAL += [(n, n) for n in SAME_IN_TREC_EVAL]
_IR_MEASURES = [(n, n) for n in SAME_IN_IR_MEASURES] + list(notation.IR_MEASURES.items())


def _is(written: str, name: str) -> bool:
    return re.split(r"[(@]", written)[0] == name


def _measures_in(convention: dict[str, str]) -> set[str]:
    return {_slug(re.sub(r"@.*", "", n)) for n in re.split(r", *", convention["measure"])}


def _convention(row: dict[str, str]) -> str:
    """Return a row of the conventions as a table of libraries."""
    libraries = {n: v for n, v in row.items() if n not in ("measure", "choice")}
    said = {n: v for n, v in libraries.items() if v != "–"}
    lines = "\n".join(f"   * - {n}\n     - {_escaped(v)}" for n, v in said.items())
    lines = lines.replace("   * - other\n", "   * - lexiframe, the other way\n")
    title = f"{row['measure']}: {row['choice']}"
    return f".. list-table:: {title}\n   :widths: 30 70\n\n{lines}"


def _escaped(text: str) -> str:
    return re.sub(r"([*`|_\\])", r"\\\1", text)


def _conventions() -> str:
    tables = "\n\n".join(_convention(row) for row in lf.conventions().iter_rows(named=True))
    return f"{heading('Where libraries disagree')}{CONVENTIONS}\n{tables}\n"


def _index(rows: list[dict[str, str]]) -> str:
    lines = "\n".join(
        f"   * - :doc:`{row['name']} <{_slug(row['name'])}>`\n     - {row['kind']}\n"
        f"     - {row['range']}\n     - {row['needs']}"
        for row in rows
    )
    tree = "\n".join(f"   {_slug(row['name'])}" for row in rows)
    return (
        f"{heading('Measures')}{INTRODUCTION}\n"
        ".. list-table::\n   :header-rows: 1\n\n"
        f"   * - measure\n     - kind\n     - range\n     - needs of the positions\n{lines}\n\n"
        f"{ABOUT}\n.. code-block:: python\n\n{_indented(EXAMPLE)}\n\n"
        f".. toctree::\n   :hidden:\n\n   conventions\n{tree}\n"
    )


ABOUT = """\
.. _example:

The example of these pages
--------------------------

Each page computes its measure for two rankings of one request. The items a to d are relevant, a
and c of grade 2, b and d of grade 1; x and y were judged and are not relevant; u was not judged. A
ranks a x b u c and misses d; B ranks x a b c y d. Items a, c and x belong to subtopic 1, the others
to subtopic 2.
"""


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" if line else "" for line in text.splitlines())
