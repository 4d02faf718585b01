"""Several test collections in one evaluation: each is evaluated by itself, in tables together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NoReturn
from urllib.parse import quote

import polars as pl

from lexiframe.core.base import LexiframeError, Problem, ReadError, printed
from lexiframe.core.evaluation import handed_over
from lexiframe.core.evaluation.buckets.plan import KEPT
from lexiframe.core.evaluation.declared_facts import FOLDERS, ORDER
from lexiframe.core.evaluation.evaluation import Evaluation, names_of_tables
from lexiframe.core.evaluation.read_back import AGAIN, read_results
from lexiframe.core.io import logs
from lexiframe.core.pairwise import facts
from lexiframe.core.projection import by_collection
from lexiframe.core.views import shown
from lexiframe.core.views.sentences import verdict
from lexiframe.typing import TableOf


@dataclass(frozen=True, repr=False, eq=False)
class EvaluationOfCollections(Evaluation):
    """The tables of several collections, with the column ``collection`` in front.

    Each collection is compared by itself, so all tables are those of groups of requests;
    `leaderboard` ranks the runs over the collections. What looks at single requests asks the
    `Evaluation` of a collection: ``e.collections["robust"].pair(a, b)``.

    Attributes
    ----------
    collections
        The `Evaluation` of each collection by its name.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> runs = [folder / "runs/random.run", folder / "runs/pixels_euclidean.run"]
    >>> one = (runs, folder / "qrels.txt")
    >>> e = lf.evaluate({"digits": one, "again": one}, measures=["AP"])
    >>> e.means.select("collection", "run").rows()
    [('digits', 'pixels_euclidean'), ('digits', 'random'), ('again', 'pixels_euclidean'), \
('again', 'random')]
    """

    collections: Mapping[str, Evaluation] = field(default_factory=dict)

    @cached_property
    def _tables_of_requests(self) -> dict[str, pl.DataFrame]:
        return {
            name: by_collection.together({c: getattr(e, name) for c, e in self.collections.items()})
            for name in KEPT
        }

    def _request_table(self, name: str) -> pl.DataFrame:
        for collection, e in self.collections.items():
            if not e.has_requests:
                with by_collection.told_of(collection):
                    e._request_table(name)  # raises
        return self._tables_of_requests[name]

    @property
    def has_requests(self) -> bool:
        """Whether all collections have scores and preferences of single requests."""
        return all(e.has_requests for e in self.collections.values())

    @property
    def positions(self) -> pl.DataFrame:
        """The table of `positions` of all collections; raises like `Evaluation.positions`."""
        return by_collection.each_collection(self.collections, lambda e: e.positions)

    def _refuse_several(self, what: str) -> NoReturn:
        first = next(iter(self.collections))
        raise LexiframeError(
            f"{what}: this evaluation has {len(self.collections)} collections, each with requests "
            f"of its own; ask one of them: e.collections[{first!r}].{what}"
        )

    def summary(self, which: Literal["first", "all"] = "first") -> printed.Summary:
        """Return the printed summary: the first measure by collection, the verdict, and a hint.

        Parameters
        ----------
        which : {"first", "all"}
            ``first`` is what ``print`` shows; ``all`` has all tables of each collection.

        Returns
        -------
        printed.Summary
            As `Evaluation.summary`.

        Raises
        ------
        LexiframeError
            For another ``which``.
        """
        if which != "first":
            return super().summary(which)
        inference, first = self.provenance["inference"], next(iter(self.collections))
        is_told = inference["baseline"] is not None or inference["alternative"] == "two-sided"
        is_whole = self.provenance["groups"] == ["collection"]
        said = None  # a one-sided test has no verdict
        if is_told:  # on each collection there may be many
            found = verdict(self).filter(pl.col("collection").is_null())
            said = (*(found if is_whole else _first_groups(found))["sentence"], _each(is_whole))
        if not is_whole:
            rest = super().summary(which).sections
            return printed.Summary((printed.Section(notes=said), *rest) if said else rest)
        more = f'One collection: e.collections[{first!r}]; e.summary("all") has all tables of each.'
        more = printed.advice(
            python=more, terminal="More: --all has all tables of each collection."
        )
        across = shown.summary_across(self.tables(of_requests=False), self.provenance, said, more)
        return across.told(self.provenance)

    def _page(self, texts: Any, queries: Any) -> str:
        from lexiframe.connect.collections import page

        if len(self.collections) > page.MOST:
            return page.leaderboard_instead(self)
        found = {}
        of_each = page.texts_by_collection(texts), page.texts_by_collection(queries)
        of_measures = ((n, e) for n, e in self.collections.items() if e.provenance["measures"])
        for name, e in of_measures:  # one run alone may have none
            with by_collection.told_of(name):
                found[name] = e._page_contents(*(of(name) for of in of_each))
        return page.collections_page(self, found)

    def table_for(self, what: TableOf) -> tuple[Any, dict[str, Any]]:
        """Return the table that a function needs, whose collections and groups are columns."""
        name = "preferences" if self.replicated is None else "replicated"
        if isinstance(what, str) and what in {*names_of_tables(), "positions"}:
            name = what
        table, options = getattr(self, name), handed_over.options_of(self)
        if self.attributes is not None and "query_id" in table.columns:
            on = ["collection", "query_id"]
            table = table.join(self.attributes, on=on, how="left", maintain_order="left")
        return table, {**options, "requests": None}

    def _written_of_requests(self) -> dict[str, Any]:
        """Return the tables of all collections; single collections are written in blocks."""
        return {name: getattr(self, name) for name in KEPT}

    def _evaluations_by_folder(self, target: Path) -> dict[Path, Evaluation]:
        """Return the evaluations to write: all together, and each collection in its own folder."""
        told = self.provenance[FOLDERS].items()
        return {target: self, **{target / at: self.collections[name] for name, at in told}}


_MOST_GROUPS = 3
"""The groups of requests that the first sentences tell of."""


def _first_groups(over: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the first measure and test, of some groups of requests."""
    key = ["measure", "test", "correction"]
    return over.join(over.select(key).head(1), on=key, maintain_order="left").head(_MOST_GROUPS)


def _each(is_whole: bool) -> str:
    """Return the sentence that says where the verdicts on each collection, or group, are."""
    what = "collection" if is_whole else "measure, group and collection"
    python = 'lf.verdict(e) or e.summary("all")'
    return f"Of each {what}: {printed.advice(python=python, terminal='--table verdict or --all')}."


def evaluate_collections(
    given: Mapping[str, Any], one: Callable[..., Evaluation]
) -> EvaluationOfCollections:
    """Evaluate each collection by ``one``, given its name and data; put the tables together."""
    for name in ("run", "mean", "mean rank"):
        if name in given:
            raise LexiframeError(
                f"evaluate: {name!r} is a column of tables of several collections; give this "
                "collection another name"
            )
    found = {}
    for name, what in given.items():
        with by_collection.told_of(name):
            found[name] = one(name, *what)
    return together(found)


def together(found: Mapping[str, Evaluation]) -> EvaluationOfCollections:
    """Put the tables of evaluations by collections together."""
    tables: dict[str, Any] = {
        name: by_collection.together({c: getattr(e, name) for c, e in found.items()})
        for name in names_of_tables()
        if name not in KEPT
    }
    said = [e.provenance for e in found.values()]
    # One run alone has fewer measures, and the longest list has all in the order asked for.
    of_each = sorted((of_one["measures"] for of_one in said), key=len, reverse=True)
    measures = dict.fromkeys(m for of_one in of_each for m in of_one)
    sources: dict[str, Any] = {
        which: [
            {"collection": c, **source} for c, e in found.items() for source in e.provenance[which]
        ]
        for which in ("runs", "qrels", "scores")
        if which in said[0]
    }
    reused = [of_one["reused"] for of_one in said if "reused" in of_one]
    own = {
        name: {c: e.provenance.get(name) for c, e in found.items()}
        for name in ("first_by_document_id", "weights")
    }
    provenance: dict[str, Any] = {
        **said[0],
        **{name: by_name for name, by_name in own.items() if None not in by_name.values()},
        **({"reused": {n: sum(one[n] for one in reused) for n in reused[0]}} if reused else {}),
        **sources,
        "measures": [*measures],
        "policies": by_collection.policies_together({c: e.provenance for c, e in found.items()}),
        "facts": facts.as_provenance(
            {name: one for e in said for name, one in facts.known_facts(e).items()}
        ),
        "grades": {c: e.provenance.get("grades") for c, e in found.items()},
        "groups": ["collection", *said[0]["groups"]],
        FOLDERS: {name: folder_of(name) for name in found},
        ORDER: [*found],
    }
    return EvaluationOfCollections(
        **tables,
        provenance=provenance,
        attributes=_if_there({c: e.attributes for c, e in found.items()}),
        replicated=_if_there({c: e.replicated for c, e in found.items()}),
        parts={f"{c}/{name}": part for c, e in found.items() for name, part in e.parts.items()},
        collections=dict(found),
    )


def _if_there(found: Mapping[str, pl.DataFrame | None]) -> pl.DataFrame | None:
    there = {collection: table for collection, table in found.items() if table is not None}
    return by_collection.together(there) if there else None


_LONGEST, _KEPT = 200, 100
"""File systems take names of 255 bytes; longer ones are cut to so many signs, and hashed."""


def folder_of(name: str) -> str:
    """Return the folder of a collection below the folder of all, named by the collection.

    Examples
    --------
    >>> folder_of("robust"), folder_of("beir/nq"), folder_of("..")
    ('collections/robust', 'collections/beir%2Fnq', 'collections/%2E.')
    """
    quoted = quote(name, safe=" +,=@()")
    if len(quoted) > _LONGEST:  # cut, with signs that no other name has there
        quoted = f"{quoted[:_KEPT]}%~{sha256(name.encode()).hexdigest()[:24]}"
    return f"{FOLDERS}/" + (f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted)


def requests_of(requests: Any, by: Any, names: Iterable[str]) -> Callable[[str], Any]:
    """Return a function from collections to the attributes of their requests.

    A frame or file with the column ``collection`` has the attributes of each; any other holds for
    all.
    """
    asked = [by] if isinstance(by, str) else [*(by or ())]
    if "collection" in asked:
        raise LexiframeError(
            "evaluate: several collections are groups already; leave 'collection' out of by"
        )
    is_file = isinstance(requests, str | Path)
    parts = by_collection.apart(logs.read_log(requests) if is_file else requests)
    if parts is None:
        return lambda name: requests
    by_collection.refuse_unknown("requests", names, parts)
    return lambda name: parts[name]


def read_collections(place: Path, folders: Mapping[str, str]) -> Evaluation:
    """Read the evaluation of each collection, and put their tables together again."""
    found = {}
    for name, folder in folders.items():
        if folder != (expected := folder_of(name)):
            raise ReadError(Problem(str(place), f"the folder {expected}", repr(folder), AGAIN))
        if not isinstance(one := read_results(place / folder), Evaluation):
            there = "a leaderboard"
            raise ReadError(Problem(str(place / folder), "an evaluation", there, AGAIN))
        found[name] = one
    return together(found)
