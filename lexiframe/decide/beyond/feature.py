"""The parts of beyond that the core asks for: lists over a catalogue."""

from __future__ import annotations

from lexiframe.core.base.feature import Items, Measures
from lexiframe.decide.beyond import list_conventions, measures, with_items
from lexiframe.decide.beyond.items import read_items
from lexiframe.decide.beyond.reached_in_words import catalogue_sections

FEATURE = (
    Measures(measures.BEYOND),
    Items(
        read_items,
        with_items.evaluate_with_items,
        with_items.measured_beside,
        with_items.add_catalogue,
        catalogue_sections,
        list_conventions.ROWS,
    ),
)
