"""The records of Auto-ARGUE: banks of questions with their answers, and judgments of reports."""

from __future__ import annotations

from lexiframe.core.io import data_sources
from lexiframe.core.io.text import json_places
from lexiframe.decide.nuggets.read_so_far import Nugget, Read, run_of

_OF_DOCUMENTS = ("is_attested", "is_relevant")


def read_bank(record: json_places.Value, _: data_sources.Source, read: Read) -> None:
    """Read the questions of a request, with the answers to each."""
    query = record["query_id"].name()
    nuggets: list[Nugget] = []
    answers: dict[str, tuple[str, set[str], bool]] = {}
    for question, one in record["nugget_bank"].members():
        name, joined = one.get("question_id", question), one.get("aggregator_type")
        if joined.data not in ("OR", "AND", None):
            raise joined.wrong("OR or AND")
        if name.name() in {nugget[0] for nugget in nuggets}:
            raise name.wrong("each question_id once", "rename one")
        nuggets.append((name.name(), read.importance(one), joined.data, question))
        wanted = dict(one.get("answers", {}).members())
        answers[question] = (name.name(), {*wanted}, joined.data == "AND")
    read.add_nuggets(query, "the bank", nuggets, record)
    read.banks[query] = answers


def read_report(record: json_places.Value, source: data_sources.Source, read: Read) -> None:
    """Read the sentences of a report, their citations, and the questions that they answer.

    A report without sentences counts as if there were none.
    """
    about = record["report"]["metadata"]
    query, name = about["topic_id"].name(), run_of(about, source)
    read.begin_answer(name, query, record)
    bank = read.banks.get(query, {})
    found: dict[str, set[str]] = {}
    full: dict[str, int] = {}
    sentences = [*record["judgments"].each()]
    for n, sentence in enumerate(sentences, 1):
        judged = _read_sentence(sentence, (name, query, n), read)
        for question, answers in judged:
            if question.name() not in bank:
                advice = "read the nugget bank of the request too"
                raise question.wrong("a question of the nugget bank", advice)
            nugget, wanted, needs_all = bank[question.name()]
            so_far = found.setdefault(nugget, set())
            so_far |= answers
            if so_far and (not needs_all or wanted <= so_far):
                full.setdefault(nugget, n)
    if sentences:
        read.statements += [
            (name, query, nugget, float(nugget in full), full.get(nugget))
            for nugget, *_ in bank.values()
        ]


def _read_sentence(
    sentence: json_places.Value, key: tuple[str, str, int], read: Read
) -> list[tuple[json_places.Value, set[str]]]:
    """Read one sentence and its citations; return the answered questions, with the answers.

    A document cited twice is judged twice, in the order of the citations, or once for both.
    """
    cited = [one["doc_id"].name() for one in sentence.get("citations", []).each()]
    judged: dict[tuple[str, str], list[bool]] = {}
    flags = {"requires_citation": True, "is_first_instance": True}
    matched: list[tuple[json_places.Value, set[str]]] = []
    for judgment in sentence.get("judgments", []).each():
        response = judgment["response"]
        if response.has("matched_nuggets"):
            found = response["matched_nuggets"].each()
            matched += [(one["question_text"], _answers(one)) for one in found]
        elif of_document := [flag for flag in _OF_DOCUMENTS if response.has(flag)]:
            of, flag = judgment["provenance"]["doc_id"], of_document[0]
            so_far = judged.setdefault((flag, of.name()), [])
            so_far.append(response[flag].flag())
            if len(so_far) > cited.count(of.name()):
                raise of.wrong(f"as many {flag} as the sentence cites a document")
        elif of_sentence := [flag for flag in flags if response.has(flag)]:
            flags[of_sentence[0]] = response[of_sentence[0]].flag()
        else:
            read.skipped[judgment["judgment_type_id"].name()] += 1
    read.sentences.append((*key, flags["requires_citation"], flags["is_first_instance"]))
    for n, document in enumerate(cited):
        before = cited[:n].count(document)
        of_each = [judged.get((flag, document), [])[: before + 1] for flag in _OF_DOCUMENTS]
        support, relevant = (said[-1] if said else None for said in of_each)
        read.citations.append((*key, document, float(support or 0.0), relevant))
    return matched


def _answers(matched: json_places.Value) -> set[str]:
    """Return the answers to a question that a sentence gives: a list of them, or one text."""
    found = matched.get("matched_answer", [])
    return {one.name() for one in ([found] if isinstance(found.data, str) else found.each())}
