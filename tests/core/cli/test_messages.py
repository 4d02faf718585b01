"""Advice about Python arguments as advice about options: all that there are."""

import pytest

from lexiframe.core.cli.messages import as_options

NAMED = """
    decimal third name_from
    ties score_type no_relevant duplicates unjudged baseline depth missing by
""".split()


@pytest.mark.parametrize("name", NAMED)
def test_an_argument_is_its_option(name):
    option = "--" + name.replace("_", "-")
    assert as_options(f"say so with {name}='x'") == f"say so with {option} x"


@pytest.mark.parametrize(
    "columns, expected",
    [
        ("'query_id': 'topic'", "--column query_id=topic"),
        ("'query_id': 'topic', ...", "--column query_id=topic ..."),
        ("'query_id': 'a b'", "--column 'query_id=a b'"),
        ("'query_id': 'q', 'doc_id': 'd', ...", "--column query_id=q --column doc_id=d ..."),
    ],
)
def test_columns_are_an_option_each(columns, expected):
    assert as_options(f"columns={{{columns}}}") == f"{expected} (of qrels --qrels-column)"
