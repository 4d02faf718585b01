"""What all lists of runs reach, beside the means of an evaluation: `catalogue_sections`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from lexiframe.base import printed


def catalogue_sections(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[printed.Section]:
    """Yield the numbers of each run with their intervals, for each group of requests."""
    by, values = provenance["groups"], tables["catalogue"]
    level = f"{100 * (1 - provenance['inference']['alpha']):g} % intervals"
    for part in values.partition_by(by, maintain_order=True) if by else [values]:
        of = f", {printed.group_title(by, part.select(by).row(0))}" if by else ""
        said = f"n = {printed.n_range(part['n'])}{of}"
        columns = ("run", "measure", "value", "ci_low", "ci_high")
        rows = part.select(*columns).sort("measure", "run", maintain_order=True)
        yield printed.Section(f"All lists of a run together, with {level} ({said})", rows)
