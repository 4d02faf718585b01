"""The parts of forms that the core asks for: forms that few tools write."""

from __future__ import annotations

from lexiframe.connect.forms import (
    documents,
    exam_grades,
    labels,
    letor,
    lists_of_ids,
    mteb_predictions,
)
from lexiframe.core.base.feature import Forms

FEATURE = (
    Forms(
        documents.form_of_document,
        documents.form_of_text,
        documents.columns_of_document,
        documents.as_records,
        mteb_predictions.only_split,
        mteb_predictions.text_of_one_split,
        letor.is_of_letor,
        letor.rows_of_letor,
        lists_of_ids.rows_of_ids,
        lists_of_ids.unnested,
        lists_of_ids.are_distances,
        labels.labelled_rows,
        labels.graded,
        exam_grades.refuse_off_scale,
    ),
)
