"""The parts of metadata that the core asks for: metadata of runs."""

from __future__ import annotations

from lexiframe.connect.metadata.metadata import header_text
from lexiframe.core.base.feature import Headers

FEATURE = (Headers(header_text),)
