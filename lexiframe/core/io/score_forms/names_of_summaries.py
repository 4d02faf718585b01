"""Usual names for summaries of scores, such as means, and for properties of runs."""

from __future__ import annotations

import polars as pl

_MEAN = r"mean|average|avg"
SUMMARIES = {
    "means": r"^((macro|micro|overall|grand|total) ?)?"
    rf"({_MEAN}|overall|all|total|score|macro|micro)( scores?)?$",
    "standard deviations": r"^(std|std ?dev|sd|standard deviation)$",
    "standard errors": r"^(sem|se|std ?err(or)?|standard error)$",
    "medians": r"^median( scores?)?$",
    "least values": r"^min(imum)?( scores?)?$",
    "greatest values": r"^max(imum)?( scores?)?$",
    "sums": r"^(sum|total)( scores?)?$",
    "numbers": r"^count$",
}
"""What each summary is called, in the words of `words_of`."""
SAYS_MEAN = rf"^({_MEAN})( scores?)?$"
"""What says that it is a mean, be it of something else than the others."""
MENTIONS_MEAN = rf"^avg |^average( \w+){{1,2}}$| ({_MEAN})$"
"""What may be the mean of the others or a part of them: Average WER, Avg STS, STS Average."""
_HEADS = (
    "rank|ranks|ranking|position|cost|costs|price|prices|pricing|latency|latencies|throughput|"
    "runtime|qps|co2|co₂|co2eq|co2e|emissions|flops|tflops|gflops|params|parameters|tokens|size|"
    "vram|likes|downloads|seed|seeds|epoch|epochs|shots"
)
_PARTS = "param|parameter|time|memory|ram|length|window|date|dimension|dimensions|shot|tasks|hours"
"""What needs another word beside it: TIME and Memory are collections."""
_BESIDE = (
    f"{_MEAN}|median|overall|total|final|borda|max|maximum|min|minimum|number|num|no|n|of|#|per|in|"
    "at|active|input|output|prompt|completion|context|sequence|inference|training|train|wall|clock|"
    "response|indexing|encoding|gpu|cpu|peak|disk|model|embedding|embeddings|index|query|queries|"
    "request|doc|document|usage|use|footprint|release|zero|usd|eur|dollars|s|sec|second|seconds|ms|"
    "h|hours|minutes|mb|gb|mib|gib|b|m|k|1k|1m|thousand|million|millions|billion|billions|kg|g|kwh|"
    "p50|p90|p95|p99"
)
_PROPERTY = (
    rf"^(#|(({_BESIDE}) )*({_HEADS})( ({_BESIDE}|{_HEADS}|{_PARTS}))*|"
    rf"(({_BESIDE}|{_HEADS}) )+({_PARTS})( ({_BESIDE}|{_HEADS}|{_PARTS}))*|"
    rf"({_PARTS})( ({_BESIDE}|{_HEADS}|{_PARTS}))+)$"
)

_STATISTIC = (
    r"(std|sd|stdev|sem?|var|variance|n|count|rank|time|lower|upper|"
    r"(std|standard)[ _.-]?(err|error|dev|deviation)|stderr|"
    r"ci[ _.-]?\d*[ _.-]?(low|lower|lo|high|upper|hi)?|(lower|upper)[ _.-]?(ci|bound))"
)
_OF_ANOTHER = rf"(?i)([\s_./:(\[-]+{_STATISTIC}|\s*[(\[]?(±|\+/-))[)\]]*(?P<rest>,[^,]*)?$"


def are_of_others(names: pl.Series) -> pl.Series:
    """Return whether names are another name with a statistic, a rank or a time behind it.

    Examples
    --------
    >>> names = ["AIME", "AIME_stderr", "AIME (std)", "AIME±", "race_high", "acc,none"]
    >>> names.append("acc_stderr,none")
    >>> [name for name in names if are_of_others(pl.Series(names))[names.index(name)]]
    ['AIME_stderr', 'AIME (std)', 'AIME±', 'acc_stderr,none']
    """
    of = names.str.replace(_OF_ANOTHER, "${rest}")
    return (of != names) & of.is_in(names.implode())


def are_properties(names: pl.Series) -> pl.Series:
    """Return whether names are such as leaderboards give to properties of models.

    All words have to name properties, words in brackets too if the remaining words need them.

    Examples
    --------
    >>> are_properties(pl.Series(["overall_rank", "Time (s)", "Rank (Borda)"])).all()
    True
    >>> are_properties(pl.Series(["rank_accuracy", "TIME", "mean reciprocal rank"])).any()
    False
    """
    in_full = words_of(names.str.replace_all(r"[()\[\]]", " "))
    return words_of(names).str.contains(_PROPERTY) | in_full.str.contains(_PROPERTY)


def words_of(names: pl.Series) -> pl.Series:
    """Return names as words in lower case, without emoji, arrows, and text in brackets."""
    words = (  # of an expression, which is computed once
        pl.col("name")
        .str.replace_all(r"(\w[^(\[]*)[(\[].*", "$1")
        .str.replace_all(r"(\p{Ll})(\p{Lu})", "$1 $2")
        .str.replace_all("#", " # ")
        .str.replace_all(r"[^\p{L}\p{N}#]+", " ")
        .str.strip_chars()
        .str.to_lowercase()
    )
    return pl.DataFrame({"name": names}).select(words)["name"].alias(names.name)
