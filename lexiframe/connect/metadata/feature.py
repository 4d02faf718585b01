"""What metadata offer to the core: metadata of runs."""

from __future__ import annotations

from lexiframe.connect.metadata.metadata import header_text
from lexiframe.core.base.feature import Feature

FEATURE = Feature(
    headers=header_text,
)
