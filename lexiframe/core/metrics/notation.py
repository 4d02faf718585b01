"""How measures are written: ``nDCG@10``, ``RBP(p=0.8)``, ``P(rel=2)@5``, ``TSE(AP)``, ``map``.

Other libraries' names mean the object here that has that library's definition, whatever their case.
Where two libraries mean different things by one name, it means what trec_eval or ir_measures say;
`conventions` lists what the others mean, and how to write that here. A name that would mean several
things by its case alone is refused with what to write instead.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from lexiframe.core.base import LexiframeError, errors, shown, warn
from lexiframe.core.metrics.kinds.metric_parameters import MOST
from lexiframe.core.projection import is_grade

Parameters = Mapping[str, Any]

_LONGEST = 200  # characters; it bounds how deep measures nest, and how long a number can be
_WRITTEN = re.compile(
    r"(?P<name>[^()@\s]+)\s*(\((?P<inside>.*)\))?\s*(@\s*(?P<cutoff>[0-9]+(\.[0-9]*)?))?"
)
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_CUT_OFF = re.compile(rf"(.*@|.*?[^0-9][._]){_NUMBER}")
_GAINS = re.compile(rf"\b(ndcg|ndcg_rel|Rndcg|G)\.((?:,?{_NUMBER}={_NUMBER})+)(?=[, ]|$)")
_WORTHS = re.compile(r"\butility[._]" + ",".join([rf"(-?{_NUMBER})"] * 4))
_RANX_LEVEL = re.compile(r"(?P<measure>.+)-l(?P<rel>[0-9]+)")
_AT = re.compile(r"(?P<measure>[^(@]+)_at_(?P<cutoff>[0-9]+)(?P<inside>\(.*\))?")
_PERSISTENCE = re.compile(rf"\brbp[._]p=({_NUMBER})")
_POINTS = re.compile(r"11pt_avg[._][0-9.,]+")
_POINT = re.compile(r"[0-9]*\.?[0-9]+")
_RANX_RBP = re.compile(r"rbp\.(?P<digits>[0-9]+)")
_TOP = re.compile(r"top[-_ ]?([0-9]+)([-_ ]?acc(uracy)?)?", re.IGNORECASE)
_COMPOSED = re.compile(r"lex\s*\((.*)\)", re.IGNORECASE)
_NUMBERED = re.compile(
    rf"(?P<stem>.*?[^0-9@_.\s])(?P<between>[_.@]?)(?P<number>{_NUMBER})", re.DOTALL
)
_BARE_WORD = re.compile(r"(?!(?:True|False|None|nan|inf)$)[^\W\d][\w.:-]*")
_ODD_NUMBER = re.compile(r"[+-]?(?:0[xXoObB]|[0-9.eE]+_)")  # Python's 0x1 and 1_0
# Where there are braces the name is followed by a number: trec_eval's P_10 is P@10.
TREC_EVAL = {
    "map": "AP",
    "map_cut": "AP@{}",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG@{}",
    "dcg": "DCG",
    "recip_rank": "RR",
    "recall": "R@{}",
    "P": "P@{}",
    "Rprec": "Rprec",
    "success": "Success@{}",
    "relative_P": "relative_P@{}",
    "Rprec_mult": "Rprec_mult@{}",
    "iprec_at_recall": "IPrec@{}",
    "set_P": "SetP",
    "set_relative_P": "SetP(relative=True)",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
}
_TREC_EVAL = {name.casefold(): ours for name, ours in TREC_EVAL.items()}
_WITH_HYPHEN = "alpha-DCG alpha-nDCG ERR-IA nERR-IA P-IA MAP-IA ST-RPP ST-dcgRPP ST-invRPP".split()
IR_MEASURES = {
    "Bpref": "bpref",
    "BPref": "bpref",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "RPrec": "Rprec",
    "α_DCG": "alpha-DCG",
    "α_nDCG": "alpha-nDCG",
    "AP_IA": "MAP-IA",
    "StRecall": "strec",
    "NumQ": "num_q",
    "GMAP": "gm_map",
    "eleven_point_avg": "11pt_avg",
    **{name.replace("-", "_"): name for name in _WITH_HYPHEN},
}
"""Other spellings: those of ir_measures, and Python names of measures that contain a hyphen."""
_IR_MEASURES = {name.casefold(): ours for name, ours in IR_MEASURES.items()}
_OF_THEIR_PROVIDERS: dict[str, Parameters] = {
    "IPrec": {"rounding": "up"},  # pytrec_eval has trec_eval 9, whose rounding version 10 changed
    "Accuracy": {"rel": 1},  # their default, by which it is not taken for other tools' accuracy
}
"""What the objects of ir_measures mean by our parameters, where the defaults differ."""
OTHERS = {
    "prec": "P",
    "precision": "P",
    "recall": "R",
    "r_cap": "R(denominator='min')",
    "recall_cap": "R(denominator='min')",
    "r-precision": "Rprec",
    "r-prec": "Rprec",
    "r_precision": "Rprec",
    "map": "AP",
    "average_precision": "AP",
    "averageprecision": "AP",
    "mean_average_precision": "AP",
    "mrr": "RR",
    "reciprank": "RR",
    "reciprocal_rank": "RR",
    "mean_reciprocal_rank": "RR",
    "ndcg": "nDCG",
    "normalized_discounted_cumulative_gain": "nDCG",
    "dcg": "DCG",
    "ndcg_burges": "nDCG(dcg='exp-log2')",
    "dcg_burges": "DCG(dcg='exp-log2')",
    "hit": "Success",
    "hit_rate": "Success",
    "hitrate": "Success",
    "hr": "Success",
    "hits": "num_rel_ret",
    "f1": "F1",
    "q-measure": "Q",
    "q_measure": "Q",
    "qmeasure": "Q",
}
"""The names of ranx, BEIR, MTEB, LensKit, RecBole, RePlay and RecTools, and some of ir_measures, in
lower case: capitals vary."""
_OF_PAPERS = {"lexirecall": "LR", "lexiprecision": "LP", "recall_error": "RE"}
_RECALL_ERROR = re.compile(r"\brecall error\b", re.IGNORECASE)
_SEVERAL = {
    "rbp": "RBP(p=0.9) is trec_eval's rbp, RBP(p=0.8)@10 ir_measures' RBP@10, and RBP(p=0.1) ranx' "
    "rbp@10",
    "acc": "Success@k is 1 if one of the first k documents is relevant, as Accuracy@k of BEIR and "
    "sentence-transformers is, and Accuracy(rel=1)@k is ir_measures' Accuracy@k: the share of "
    "pairs of documents that are in the right order",
}
_SEVERAL["accuracy"] = _SEVERAL["acc"]
"""Names that libraries use for different measures, in lower case."""
SEVERAL_HERE = {"rbp": "RBP", "acc": "Accuracy", "accuracy": "Accuracy"}
"""What is called so here, for lists of measures and of where libraries differ."""
_OURS: dict[str, str] = {}
"""The names of this library's measures, by their lower case."""


def know(names: Iterable[str]) -> None:
    """Let the names of measures be written in any case."""
    _OURS.update((name.casefold(), name) for name in names)


@dataclass(frozen=True)
class Written:
    """The parts of a measure's notation."""

    name: str
    operand: str | None
    parameters: Parameters
    cutoff: int | float | None


def write(
    name: str,
    operand: object | None,
    parameters: Parameters,
    cutoff: float | None,
    *,
    quoted: bool = True,
) -> str:
    """Write a measure in its notation; words are ``quoted``, as ir_measures has them, or bare."""
    inside = [str(operand)] if operand is not None else []
    for key, value in parameters.items():
        is_bare = not quoted and isinstance(value, str) and _BARE_WORD.fullmatch(value)
        inside.append(f"{key}={value if is_bare else _short(value)}")
    return (
        name
        + (f"({', '.join(inside)})" if inside else "")
        + (f"@{_short(cutoff)}" if cutoff is not None else "")
    )


def read(text: str) -> Written:
    """Parse the notation of a measure, and translate the names of trec_eval and ir_measures.

    Examples
    --------
    >>> read("RBP(p=0.5, rel=2)@10")
    Written(name='RBP', operand=None, parameters={'p': 0.5, 'rel': 2}, cutoff=10)
    >>> read("ndcg_cut_10")
    Written(name='nDCG', operand=None, parameters={}, cutoff=10)
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        raise errors.UnknownNameError(
            f"a measure is written in at most {_LONGEST} characters, found {shown(text)}"
        )
    match = _WRITTEN.fullmatch(from_ranx(from_mteb(from_trec_eval(text))))
    if match is None:
        raise errors.UnknownNameError(
            f"a measure is written as NAME, NAME@CUTOFF or NAME(parameter=value)@CUTOFF, "
            f"found {text!r}"
        )
    operand, parameters = _read_inside(match["inside"] or "", text)
    _refuse_judged_only(parameters, text)
    cutoff = _cutoff_number(match["cutoff"]) if match["cutoff"] else None
    _refuse_several(match["name"], text, parameters)
    name, implied = _our_name(match["name"])
    # With a grade ir_measures' NumRet counts relevant items only.
    if match["name"].casefold() == "numret" and "rel" in parameters:
        name = "num_rel_ret"
    return Written(name, operand, {**implied, **parameters}, cutoff)


def composed(text: str) -> list[str]:
    """Return the notations of a composition's measures, the first first; one of other measures.

    Examples
    --------
    >>> composed("RR > AP"), composed("lex(LR(rel=2), P@5)"), composed("RPP")
    (['RR', 'AP'], ['LR(rel=2)', 'P@5'], ['RPP'])
    """
    pieces = [piece.strip() for piece in _split_outside(text, ">")]
    inside = _COMPOSED.fullmatch(text.strip()) if len(pieces) == 1 else None
    is_half = ">" in text and re.search(r"(^|>)\s*(>|$)", text) is not None
    is_short = inside is not None and len(each(inside[1])) < 2
    if is_half or is_short or (len(text) > _LONGEST and (inside or len(pieces) > 1)):
        raise errors.UnknownNameError(
            "a composition is written as RR>AP or lex(RR,AP), with two measures or more in at most "
            f"{_LONGEST} characters, found {shown(text)}"
        )
    return each(inside[1]) if inside else pieces


def each(measure: Any) -> list[Any]:
    """Return the notations in a string, or of an ir_measures object; other values unchanged.

    Measures stand between commas or blanks. A number alone is a further cut-off (or share of
    recall, or weight) of the measure before it, as in trec_eval.

    Examples
    --------
    >>> each("AP nDCG@10, P(rel=2) @ 5")
    ['AP', 'nDCG@10', 'P(rel=2)@5']
    >>> each("ndcg_cut.10,100")
    ['ndcg_cut.10', 'ndcg_cut.100']
    >>> each("set_F.0.5,2 ndcg.1=10,2=100")
    ['set_F.0.5', 'set_F.2', 'ndcg(gains={1:10,2:100})']
    """
    if not isinstance(measure, str):
        return [_ir_measures_text(measure)] if _is_of_ir_measures(measure) else [measure]
    text = _RECALL_ERROR.sub("recall_error", " ".join(measure.split()))
    text = re.sub(r" ?> ?", ">", text)
    text = _parenthesize(text.replace(" @", "@").replace("@ ", "@").replace(" (", "("))
    found: list[str] = []
    for piece in _split_outside(text, separators=", "):
        if found and _POINTS.fullmatch(found[-1]) and _POINT.fullmatch(piece):
            found[-1] += f",{piece}"  # trec_eval averages over all of them
            continue
        is_number = found and re.fullmatch(_NUMBER, piece)
        before = _CUT_OFF.fullmatch(found[-1]) if is_number else None
        found.append(before[1] + piece if before else piece)
    return found or [measure]


def _parenthesize(text: str) -> str:
    """Write trec_eval's gains and worths, which stand between commas, as our parameters."""
    text = _PERSISTENCE.sub(r"RBP(p=\1)", text)
    text = _WORTHS.sub(r"utility(a=\1, b=\2, c=\3, d=\4)", text)
    return _GAINS.sub(lambda match: f"{match[1]}(gains={{{match[2].replace('=', ':')}}})", text)


def _is_of_ir_measures(measure: Any) -> bool:
    is_theirs = type(measure).__module__.partition(".")[0] == "ir_measures"
    return is_theirs and hasattr(measure, "params") and hasattr(measure, "SUPPORTED_PARAMS")


def _ir_measures_text(measure: Any) -> str:
    """Write a measure of ir_measures; its own ``str`` leaves out gains that equal their grade."""
    # SetP @ 5 has a cut-off that its class does not list
    default = {k: parameter.default for k, parameter in measure.SUPPORTED_PARAMS.items()}
    given = {k: v for k, v in measure.params.items() if k not in default or v != default[k]}
    given |= _OF_THEIR_PROVIDERS.get(measure.NAME, {})
    return write(measure.NAME, None, given, given.pop(measure.AT_PARAM, None))


def _our_name(name: str) -> tuple[str, Parameters]:
    """Return our name of a measure, and the parameters that another library's name implies."""
    folded = name.casefold()
    other = _IR_MEASURES.get(folded) or OTHERS.get(folded) or _OF_PAPERS.get(folded)
    if other is None:
        return _OURS.get(folded, name), {}
    if "(" not in other:
        return other, {}
    written = read(other)
    return written.name, written.parameters


def _refuse_several(name: str, text: str, parameters: Parameters) -> None:
    """Raise for a name that would mean several measures by its case alone."""
    known = _OURS.get(name.casefold())
    said = None if name == known or "p" in parameters else _SEVERAL.get(name.casefold())
    if level := re.fullmatch(r"rr_?(\d+)", text, re.IGNORECASE | re.ASCII):
        k = level[1]
        said = f"RR@{k} looks at the first {k} documents, RR(level={k}) for relevant document {k}"
    if said is not None:
        raise errors.UnknownNameError(f"{text!r} has several meanings; write one of them: {said}")


def _refuse_judged_only(parameters: dict[str, Any], text: str) -> None:
    """Leave out ir_measures' ``judged_only=False``; raise for True, which is a policy here."""
    if parameters.pop("judged_only", False):
        raise LexiframeError(
            f"{text}: unjudged documents are removed for all measures or for none; leave "
            "judged_only out, and say unjudged='remove'"
        )


def is_too_short(name: str) -> bool:
    """Return whether a name in data has two letters at most, in another case than a measure has.

    A column ``p`` is not precision, and ``lr`` may be a rate of learning.
    """
    return len(name) <= len("LR") and name not in _OURS.values()


def doubt_name(text: str) -> None:
    """Warn that hits are a number, where the share of requests with a hit may be wanted.

    Raise for Accuracy@k: our tables have this name too, but a user mostly wants BEIR's.
    """
    if re.match(r"([a-z]+[_-])?accuracy(\s*@|_at_)", text.strip(), re.IGNORECASE):
        _refuse_several("accuracy", text, {})
    if re.match(r"hits\b|hits_at", text.strip(), re.IGNORECASE):
        warn(
            f"{text} counts the relevant documents that were retrieved, as in ranx; hit_rate or HR "
            "is 1 where there is one"
        )


def refuse_wrong(name: str, rel: float | None, cutoff: int | None) -> None:
    """Raise for a name, a least grade or a cut-off that no measure can have."""
    if not str(name).strip():
        raise LexiframeError(f"expected a measure with a name, found {shown(name)}")
    least_grade(name, rel)
    if cutoff is not None:
        rank_of_cutoff(name, cutoff)


def least_grade(name: str, rel: float | None) -> float | None:
    """Return a measure's least relevant grade as a float; raise unless it is positive."""
    if rel is None:
        return None
    if not is_grade(rel):
        raise LexiframeError(f"{name}(rel={shown(rel)}): expected a positive grade")
    return float(rel)


def rank_of_cutoff(name: str, cutoff: Any) -> int:
    """Return a cut-off as an int; raise unless it is a whole number from 1."""
    is_whole = isinstance(cutoff, Integral) and not isinstance(cutoff, bool)
    if not is_whole or not 1 <= cutoff <= MOST:
        raise LexiframeError(f"{name}@k: expected a whole number from 1, found {shown(cutoff)}")
    return int(cutoff)


def from_trec_eval(text: str) -> str:
    """Translate a name of trec_eval into the one used here; return other names unchanged.

    A number that follows any known name is its cut-off, with or without a sign between them.

    Examples
    --------
    >>> from_trec_eval("iprec_at_recall_0.10"), from_trec_eval("set_F.2.0"), from_trec_eval("RPP")
    ('IPrec@0.10', 'SetF(beta=2.0)', 'RPP')
    >>> from_trec_eval("set_F(beta=2)"), from_trec_eval("P_10(rel=2)")
    ('SetF(beta=2)', 'P(rel=2)@10')
    >>> from_trec_eval("recip_rank@5"), from_trec_eval("Recall_10"), from_trec_eval("ndcg10")
    ('RR@5', 'R@10', 'ndcg@10')
    """
    theirs, opened, inside = text.partition("(")
    if opened and "(" not in (ours := from_trec_eval(theirs.rstrip())):
        name, at, cutoff = ours.partition("@")
        return f"{name}({inside}{at}{cutoff}" if ours != theirs else text
    folded = text.casefold()
    if "{}" not in _TREC_EVAL.get(folded, "{}"):
        return _TREC_EVAL[folded]
    if top := _TOP.fullmatch(text):
        return f"Success@{top[1]}"
    match = _NUMBERED.fullmatch(text)
    if match is None or folded in _OURS or folded in OTHERS:
        return text
    stem, between, number = match["stem"], match["between"], match["number"]
    ours = _TREC_EVAL.get(stem.casefold(), "")
    if stem.casefold() == "set_f" and between != "@":
        return f"SetF(beta={number})"
    if between and "{}" in ours:
        return ours.format(number)
    if between and ours.casefold() in _OURS:  # recip_rank@10
        return f"{ours}@{number}"
    is_known = stem.casefold() in {*OTHERS, *_OURS} - {*_SEVERAL}
    return f"{stem}@{number}" if between != "@" and is_known else text


def from_mteb(text: str) -> str:
    """Translate ``ndcg_at_10``, the form of cut-offs in MTEB and MLflow; return any other text.

    Examples
    --------
    >>> from_mteb("ndcg_at_10"), from_mteb("recall_at_100(rel=2)"), from_mteb("look_at_10")
    ('ndcg@10', 'recall(rel=2)@100', 'look_at_10')
    """
    match = _AT.fullmatch(text)
    if match is None or match["measure"].casefold() not in {*OTHERS, *_OURS, *_SEVERAL}:
        return text
    return f"{match['measure']}{match['inside'] or ''}@{match['cutoff']}"


def meant(name: str, rest: str) -> list[str]:
    """Return possible readings of a known name with ``rest`` behind it, the likeliest first.

    trec_eval has its cut-off in the name, so that ``recip_rank@10`` may be RR@10. A measure without
    a cut-off is suggested without one.

    Examples
    --------
    >>> meant("map_cut", "@10"), meant("set_P", "@5"), meant("AP", "(rel=2)")
    (['map_cut@10', 'AP@10', 'AP@10'], ['set_P@5', 'SetP@5', 'SetP'], ['AP(rel=2)'])
    """
    ours = TREC_EVAL.get(name)
    if ours is None:
        return [f"{name}{rest}"]
    number = "0.5" if ours.split("@")[0] in ("IPrec", "Rprec_mult") else "10"
    return [f"{name}{rest}", f"{ours.partition('@')[0]}{rest}", ours.format(number)]


def _cutoff_number(text: str) -> int | float:
    """Return the number behind @: a cut-off, or a share when it has a decimal point."""
    return float(text) if "." in text else int(text)


def from_ranx(text: str) -> str:
    """Translate ranx' ``rbp.95`` and ``recall-l2@10`` (grades from 2); return any other text.

    Examples
    --------
    >>> from_ranx("rbp.95"), from_ranx("recall@10-l2")
    ('RBP(p=0.95)', 'recall(rel=2)@10')
    """
    if persistence := _RANX_RBP.fullmatch(text):
        return f"RBP(p=0.{persistence['digits']})"
    level = _RANX_LEVEL.fullmatch(text)
    name, _, cutoff = level["measure"].partition("@") if level else ("", "", "")
    if level is None or name.casefold() not in OTHERS:
        return text
    return f"{name}(rel={level['rel']})" + (f"@{cutoff}" if cutoff else "")


def _read_inside(inside: str, text: str) -> tuple[str | None, dict[str, Any]]:
    operand: str | None = None
    parameters: dict[str, Any] = {}
    for n, piece in enumerate(_split_outside(inside)):
        key, equals, value = piece.strip().partition("=")
        if n == 0 and ("(" in key or not equals):  # the operand may have an = inside: RBP(p=0.5)
            operand = piece.strip()
            continue
        if key.strip() in parameters:
            raise errors.UnknownNameError(f"{key.strip()} is given twice in {text!r}")
        if n and not equals:  # a flag, as in NuggetRecall(vital,strict)
            value = "True"
        if _BARE_WORD.fullmatch(value.strip()):
            parameters[key.strip()] = value.strip()
            continue
        try:
            if _ODD_NUMBER.match(value.strip()):
                raise ValueError
            parameters[key.strip()] = ast.literal_eval(value.strip())
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            raise errors.UnknownNameError(
                "expected parameter=number or parameter='word' inside the parentheses of "
                f"{text!r}, found {piece!r}"
            ) from None
    return operand, parameters


def _split_outside(inside: str, separators: str = ",") -> list[str]:
    """Split at commas or other separators, except inside inner brackets."""
    depth = 0
    ends = [-1]
    for place, character in enumerate(inside):
        depth += (character in "({[") - (character in ")}]")
        if character in separators and depth == 0:
            ends.append(place)
    ends.append(len(inside))
    pieces = (inside[a + 1 : b] for a, b in itertools.pairwise(ends))
    return [piece for piece in pieces if piece.strip()]


def _short(value: Any) -> str:
    """Return a value as in source code; a float without digits that do not change it."""
    if isinstance(value, Mapping):  # as ir_measures writes gains
        return "{" + ",".join(f"{_short(k)}:{_short(v)}" for k, v in value.items()) + "}"
    is_short = isinstance(value, float) and float(f"{value:g}") == value
    return f"{value:g}" if is_short else repr(value)
