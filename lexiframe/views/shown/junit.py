"""A gate as JUnit XML, which services for continuous integration read: `junit_xml`."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import polars as pl

from lexiframe.base import escaped
from lexiframe.views.sentences.gates import coverage_of_row, name_of_row


def junit_xml(table: pl.DataFrame) -> str:
    """Return the table of `gate` as JUnit XML: each row is a test case, a failure unless it passes.

    The type and the message of a failure say whether the row fails or is undecided.

    Examples
    --------
    >>> g = pl.DataFrame({"measure": ["AP"], "baseline": "bm25", "candidate": "dense",
    ...                   "outcome": "fail", "why": "dense is worse than bm25 by more than 0.01."})
    >>> print(junit_xml(g))
    <?xml version="1.0" encoding="utf-8"?>
    <testsuites name="lexiframe gate" tests="1" failures="1" errors="0">
      <testsuite name="dense against bm25" tests="1" failures="1" errors="0" skipped="0">
        <testcase classname="lexiframe.gate" name="AP" time="0">
          <failure type="fail" message="fail: dense is worse than bm25 by more than 0.01." />
        </testcase>
      </testsuite>
    </testsuites>
    """
    rows = [*table.iter_rows(named=True)]
    counts = {"tests": len(rows), "failures": sum(row["outcome"] != "pass" for row in rows)}
    root = _element(None, "testsuites", name="lexiframe gate", **counts, errors=0)
    title = f"{rows[0]['candidate']} against {rows[0]['baseline']}"
    suite = _element(root, "testsuite", name=title, **counts, errors=0, skipped=0)
    for row in rows:
        name = name_of_row(row)
        case = _element(suite, "testcase", classname="lexiframe.gate", name=name, time=0)
        if covered := coverage_of_row(row):
            properties = _element(case, "properties")
            _element(properties, "property", name="coverage", value=covered)
        if row["outcome"] == "pass":
            ElementTree.SubElement(case, "system-out").text = escaped(row["why"])
        else:
            said = f"{row['outcome']}: {row['why']}"
            _element(case, "failure", type=row["outcome"], message=said)
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
