"""The rules of ordering runs, each a file of its name that declares it as ``RULE``."""

from importlib import import_module
from typing import Literal, get_args

from lexiframe.core.orderings.ordering_rules import OrderingRule

Method = Literal["mean", "win_rate", "borda", "copeland", "mc4", "kemeny", "bradley_terry"]
"""The rules that order runs by sums over the requests, as `evaluate` does, and by anything else."""
AnyMethod = Literal[Method, "mean_z", "mean_rank", "leximin"]
"""These, and the rules that need the values of each request or collection."""

RULES: dict[str, OrderingRule] = {
    name: import_module(f"{__name__}.{name}").RULE for name in get_args(AnyMethod)
}
