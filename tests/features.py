"""What each feature has as its own: the core works without it, and it can be taken away.

A path is a module or a folder of the package; in a folder of one feature may lie paths of others,
which go with it. The core, which is all other modules, imports none of them, not even where a
function runs; features use one another as it says here, without circles.
Doors know all of them: the stubs (``__init__.pyi``) name what users and other rooms reach, and the
group "Added by features" what a room finds by its name alone.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """Its paths below ``lexiframe``, with blanks between them, and the features that it uses."""

    own: str
    uses: tuple[str, ...] = ()

    @property
    def paths(self):
        return self.own.split()

    def has(self, path):
        """Whether a path below ``lexiframe``, without its ending, is the feature's own."""
        return any(f"{path}/".startswith(f"{own}/") for own in self.paths)


FEATURES = {
    "parts": Feature(
        "evaluation/in_parts evaluation/buckets/batches evaluation/buckets/buckets"
        " evaluation/buckets/jobs evaluation/buckets/partition"
        " evaluation/buckets/spill"
    ),
    "page": Feature("views/report evaluation/page"),
    "symbols": Feature("metrics/catalogues/symbols"),
    "reuse": Feature("evaluation/reuse"),
    "several collections": Feature("evaluation/of_collections"),
    "remote files": Feature("io/files/remote"),
    "ir_datasets": Feature("io/files/ir_datasets"),
    "metadata": Feature("io/metadata"),
    "MTEB's predictions": Feature("io/column_forms/mteb_predictions"),
    "further metrics": Feature(
        "metrics/catalogues/sets metrics/catalogues/user_models metrics/kinds/user_models"
        " metrics/kinds/cumulated_gain metrics/kinds/recall_curve metrics/kinds/ideal_overlap"
    ),
    "tools' documents": Feature("io/column_forms/documents io/column_forms/exam_grades", ("json",)),
    "lists of ids": Feature("io/column_forms/lists_of_ids"),
    "labels": Feature("io/column_forms/labels"),
    "learning to rank": Feature("io/text/letor"),
    "json": Feature(
        "io/text/json_tables io/text/json_rows io/text/json_records io/text/json_places"
    ),
    "charts": Feature("views/charts views/plots"),
    "leaderboards": Feature(
        "collection/leaderboards evaluation/leaderboards views/charts/leaderboards"
        " views/report/ranked cli/commands/leaderboard",
        ("charts", "page"),
    ),
    "votes": Feature(
        "io/stated orderings/strengths significance/concordances views/charts/strengths"
        " views/report/strengths",
        ("charts", "leaderboards"),
    ),
    "judges": Feature(
        "collection/judges significance/two_judges significance/people_and_model"
        " views/charts/judges cli/commands/judges cli/commands/votes",
        ("charts", "votes"),
    ),
    "replicates": Feature(
        "significance/replicates/variances significance/replicates/reml"
        " significance/replicates/algorithms significance/replicates/read"
        " evaluation/from_replicates"
    ),
    "gates": Feature(
        "significance/gates significance/equivalences views/charts/decisions"
        " views/charts/equivalences views/shown/gates cli/commands/gate cli/gate_inputs",
        ("charts", "judges", "replicates"),
    ),
    "beyond": Feature("collection/beyond evaluation/with_items views/charts/beyond", ("charts",)),
    "nuggets": Feature("collection/nuggets", ("json",)),
    "holes": Feature("collection/holes views/charts/holes", ("charts",)),
    "overlap": Feature(
        "collection/overlaps views/charts/overlap views/shown/overlaps cli/commands/overlap",
        ("charts",),
    ),
    "sampled judgments": Feature("collection/sampled"),
    "less data": Feature("collection/less_data views/charts/robustness", ("charts",)),
    "simulated": Feature("collection/simulated"),
    "theory": Feature(
        "theory views/charts/theory views/charts/orders views/charts/exposures",
        ("charts",),
    ),
    "audits": Feature("significance/audits views/charts/audits", ("charts",)),
    "logs": Feature("io/logs/mlflow io/logs/trackers io/logs/entries", ("remote files",)),
    "spark": Feature("evaluation/spark"),
    "neighbours": Feature("evaluation/neighbours"),
    "testing": Feature("evaluation/testing", ("gates", "theory")),
    "checks": Feature("cli/commands/check io/checks_of_scores", ("leaderboards", "votes")),
}
