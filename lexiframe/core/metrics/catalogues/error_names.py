"""Names of errors, losses and times that other tools measure: the smaller, the better."""

from __future__ import annotations

import re

_ERRORS = frozenset(
    "wer cer perplexity ppl loss losses error errors mae mse rmse mape fid ece nll brier latency "
    "latencies".split()
)
_LIKE_ERRORS = _ERRORS | frozenset(
    "distance divergence deviation regret cost costs toxicity hallucination hallucinations delay "
    "runtime".split()
)
_BEHIND = frozenset(
    "rate rates score scores value mean avg average median total overall none norm normalized k p "
    "percent ms s sec secs seconds test val valid validation dev eval train".split()
)
"""Words behind the name of a measure that say what was made of it, or in which unit it is."""
_TURNED = frozenset("negative negated inverse inverted minus reduction".split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SMALLER = re.compile(r"↓|\b(?:lower|smaller) is better", re.IGNORECASE)
_LARGER = re.compile(
    r"↑|\b(?:higher|larger|greater) is better|^neg_|^\s*[-−]|(?:^|\()\s*1\s*[-−–/]", re.IGNORECASE
)


def says_smaller(name: str) -> bool | None:
    """Return whether smaller values are better, as a name says; None where it does not.

    The name of an error counts where it is the last word, but for units and summaries.

    Examples
    --------
    >>> says_smaller("AMI WER"), says_smaller("wikitext_perplexity"), says_smaller("T1 ↓")
    (True, True, True)
    >>> says_smaller("1 - WER"), says_smaller("accuracy"), says_smaller("error detection")
    (False, None, None)
    """
    if _LARGER.search(name):
        return False
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and words[-1] in _BEHIND:
        words.pop()
    is_error = bool(words) and words[-1] in _ERRORS and _TURNED.isdisjoint(words)
    return True if is_error or _SMALLER.search(name) else None


def hints_at_error(name: str) -> bool:
    """Return whether a name has a word of errors, without saying that it is one.

    Examples
    --------
    >>> hints_at_error("error detection"), hints_at_error("WER"), hints_at_error("accuracy")
    (True, False, False)
    """
    words = {word.lower() for word in _WORD.findall(name)}
    return says_smaller(name) is None and not words.isdisjoint(_LIKE_ERRORS)
