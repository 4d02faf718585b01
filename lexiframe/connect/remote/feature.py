"""The parts of remote that the core asks for: places elsewhere."""

from __future__ import annotations

from lexiframe.connect.remote.ir_datasets import from_ir_datasets
from lexiframe.connect.remote.remote import fetch
from lexiframe.core.base.feature import Places

FEATURE = (Places(fetch, from_ir_datasets),)
