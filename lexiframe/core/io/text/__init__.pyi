"""Readers of TREC text, CSV, TSV and JSON; the modules `*_rows` find the malformed lines."""

"For features: modules whose names they use"
from . import csv_rows as csv_rows
from . import json_places as json_places
from . import json_values as json_values
from . import yaml_values as yaml_values
