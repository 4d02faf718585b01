"""The attributes of requests, which may be given as a frame or as a file: `frame_of`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, to_polars
from lexiframe.core.io import File, logs


def frame_of(requests: Any, option: str = "by") -> pl.DataFrame:
    """Return the frame of requests, which may be given as a file; raise if there is none."""
    if requests is None:
        raise LexiframeError(
            f"{option}: expected attributes of requests, found none; give a frame or a file: "
            "requests='requests.csv'"
        )
    if isinstance(requests, str | Path | File):
        requests = logs.read_log(requests)
    return to_polars(requests, "requests")
