"""The translation of advice about Python arguments into advice about options."""

from __future__ import annotations

import re
from shlex import quote

from lexiframe.core.io import problems

_ARGUMENT = re.compile(
    r"\b(header|decimal|third|name_from|ties|score_type|no_relevant|duplicates|unjudged|requests|by|"
    r"baseline|exclude_self|depth|missing|better|ranked_by|rows|strata)"
    r"=(?:True|'([^']+)')"
)
_CHECKS = re.compile(r"\blexiframe\.check_(?:run|qrels)\b")
_RATINGS = re.compile(r"(grades are (?:ratings|relevant), )rel=")
_COLUMNS = re.compile(r"\bcolumns=\{([^}]*)\}")
_VALUES = re.compile(r"\bvalues=\{([^}]*)\}")
_GRADES = re.compile(r"\bgrades=\{'([^']*)': [^}]*\}")
_VALUE = re.compile(r"'([^']*)': '([^']*)'")
_COLUMN = re.compile(r"'(\w+)': '([^']*)'")
_OF_QRELS = re.compile(r"\bdoc_id, ?relevance\b")
"""The columns that only judgments have."""
_ELSE = " (of qrels --qrels-column)"


def as_options(message: str) -> str:
    """Translate advice about Python arguments into advice about options of the command line.

    Examples
    --------
    >>> as_options("a decimal comma: say so with decimal=','")
    'a decimal comma: say so with --decimal ,'
    >>> as_options("say so with header=True, or name_from='tag'")
    'say so with --header (of qrels --qrels-header), or --name-from tag'
    >>> as_options("attributes come from a file: requests='requests.csv', by='category'")
    'attributes come from a file: --requests FILE, --by category'
    >>> as_options("give shares={'head': ..., 'tail': ...}, parts of the traffic")
    'give --shares head=.6,tail=.4, parts of the traffic'
    >>> as_options("say which column it is: columns={'query_id': 'topic'}")
    'say which column it is: --column query_id=topic (of qrels --qrels-column)'
    >>> as_options("expected query_id, doc_id, relevance: columns={'relevance': 'stars'}")
    'expected query_id, doc_id, relevance: --qrels-column relevance=stars (of convert --column)'
    >>> as_options("give shares={'head': ..., 'tail': ...} of strata='segment'")
    'give --shares head=.6,tail=.4 of --strata segment'
    >>> as_options("say it: values={'0': 'tie', '1': 'a'} for sides")
    'say it: --value 0=tie --value 1=a for sides'
    >>> as_options("say what was measured (measure='AP'; evaluate_scores: measures='AP')")
    'say what was measured (-m AP)'
    >>> as_options("rankings missing, counted as empty: 4 (see lexiframe.coverage)")
    'rankings missing, counted as empty: 4 (see `lexiframe coverage`)'
    >>> as_options("if the grades are ratings, rel=4 counts only those from 4 on")
    'if the grades are ratings, --rel 4 counts only those from 4 on'
    >>> as_options("(4 more: lexiframe.check_run lists them)")
    '(4 more: `lexiframe check FILE` lists them)'
    """
    message = _CHECKS.sub("`lexiframe check FILE`", message)
    message = message.replace("see lexiframe.coverage", "see `lexiframe coverage`")
    message = message.replace(
        "say items=, what lexiframe.read_items returns; or ask lexiframe.list_scores or "
        "lexiframe.catalogue for it",
        "say --items FILE",
    )
    message = message.replace(
        problems.READ_AS_SCORES, "give --scores: `lexiframe evaluate --scores FILE`"
    )
    message = message.replace("shares={'head': ..., 'tail': ...}", "--shares head=.6,tail=.4")
    message = message.replace("measure='AP'; evaluate_scores: measures='AP'", "-m AP")
    message = _RATINGS.sub(r"\1--rel ", message)
    message = message.replace("whose they are (run='bm25')", "add a column run that says whose")
    message = re.sub(r"\bna_values=(-?\d+)", r"--na-values \1", message)
    message = message.replace("shares={'head': ..., 'tail': ...}", "--shares head=.6,tail=.4")
    message = _VALUES.sub(_as_values, message)
    message = _GRADES.sub(r"--grade \1=NUMBER ...", message).replace("in grades=", "by --grade")
    translated = _COLUMNS.sub(_as_column, _ARGUMENT.sub(_as_option, message))
    if _OF_QRELS.search(message):
        translated = translated.replace("--column ", "--qrels-column ")
        return translated.replace(_ELSE, " (of convert --column)")
    return translated


def _as_column(argument: re.Match[str]) -> str:
    columns = [quote(f"{ours}={theirs}") for ours, theirs in _COLUMN.findall(argument[1])]
    more = " ..." if argument[1].endswith(", ...") else ""
    options = " ".join(f"--column {column}" for column in columns)
    other = _ELSE * ("'run':" not in argument[1])  # judgments name no runs
    return f"{options}{more}{other}" if columns else argument[0]


def _as_values(argument: re.Match[str]) -> str:
    found = _VALUE.findall(argument[1])
    return " ".join(f"--value {quote(f'{ours}={theirs}')}" for ours, theirs in found)


def _as_option(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    if name == "header":
        return "--header (of qrels --qrels-header)"
    if name == "requests":
        return "--requests FILE"
    option = f"--{name.replace('_', '-')}"
    return option if value is None else f"{option} {value}"
