"""A gate on a terminal, as Markdown for the summary of a job, and as XML for other services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import polars as pl

from lexiframe.core.base import escaped, printed
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.core.views.shown.markdown import markdown_of, markdown_table
from lexiframe.decide import gates


def gate_text(table: pl.DataFrame, measures: Sequence[str] = ()) -> str:
    """Return the table of `gate` as text: the verdict, the rows, the reasons for not passing.

    Rows are in the order of ``measures``, if there are any.
    """
    table = table.sort(*_group_columns(table), printed.place_among(measures), maintain_order=True)
    said = [f"{name}: {why}" for name, why in _not_passed(table)]
    cut, notes = cut_at_bounds(table, "mean_difference")
    rows = gates.rows_to_read(cut)
    # The interval and the margin say as much as the p-value.
    rows = rows if printed.fits(rows) else rows.drop("p_value")
    main = printed.Section(gates.differences_title(table), rows, (*notes, *_coverage(table), *said))
    return str(printed.Summary.compose(gates.gate_sentences(table)["sentence"], main))


def gate_markdown(table: pl.DataFrame) -> str:
    """Return the table of `gate` as Markdown: a heading, the verdict, the rows, and why."""
    verdict = gates.gate_sentences(table)
    said = [f"- {markdown_of(name)}: {markdown_of(why)}" for name, why in _not_passed(table)]
    cut, notes = cut_at_bounds(table, "mean_difference")
    rows = gates.rows_to_read(cut)
    below = " ".join([*(f"{note}." for note in notes), *_coverage(table)])
    parts = [
        f"### {', '.join(verdict['outcome']).upper()}: lexiframe gate",
        *map(markdown_of, verdict["sentence"]),
        markdown_of(gates.differences_title(table)) + ":",
        markdown_table(rows),
        *([markdown_of(below)] if below else []),
        *(["\n".join(said)] if said else []),
    ]
    return "\n\n".join(parts)


def _coverage(table: pl.DataFrame) -> list[str]:
    """Describe the answers of the runs, once for all rows with equal ones."""
    rows = table.iter_rows(named=True)
    found = {gates.name_of_row(row): gates.coverage_of_row(row) for row in rows}
    different = {*found.values()}
    if len(different) == 1:
        return [f"Coverage: {said}." for said in different if said]
    return sorted(f"Coverage of {name}: {said}." for name, said in found.items() if said)


def _not_passed(table: pl.DataFrame) -> list[tuple[str, str]]:
    rows = table.filter(pl.col("outcome") != "pass").iter_rows(named=True)
    return [(gates.name_of_row(row), row["why"]) for row in rows]


def _group_columns(table: pl.DataFrame) -> list[str]:
    return table.columns[: table.columns.index("measure")]


def junit_xml(table: pl.DataFrame) -> str:
    """Return the table of `gate` as JUnit XML: each row is a test case, a failure unless it passes.

    Services for continuous integration read it. The type and the message of a failure tell a failed
    row from an undecided one.
    """
    rows = [*table.iter_rows(named=True)]
    counts = {"tests": len(rows), "failures": sum(row["outcome"] != "pass" for row in rows)}
    root = _element(None, "testsuites", name="lexiframe gate", **counts, errors=0)
    title = f"{rows[0]['candidate']} against {rows[0]['baseline']}"
    suite = _element(root, "testsuite", name=title, **counts, errors=0, skipped=0)
    for row in rows:
        name = gates.name_of_row(row)
        case = _element(suite, "testcase", classname="lexiframe.gate", name=name, time=0)
        if covered := gates.coverage_of_row(row):
            properties = _element(case, "properties")
            _element(properties, "property", name="coverage", value=covered)
        if row["outcome"] == "pass":
            ElementTree.SubElement(case, "system-out").text = escaped(row["why"])
        else:
            _element(case, "failure", type=row["outcome"], message=row["why"])
    ElementTree.indent(root)
    head = '<?xml version="1.0" encoding="utf-8"?>'
    return f"{head}\n{ElementTree.tostring(root, encoding='unicode')}"


def _element(
    parent: ElementTree.Element | None, tag: str, /, **attributes: Any
) -> ElementTree.Element:
    """Make an element; control characters, which XML forbids even escaped, are written out."""
    texts = {name: escaped(str(value)) for name, value in attributes.items()}
    if parent is None:
        return ElementTree.Element(tag, texts)
    return ElementTree.SubElement(parent, tag, texts)
