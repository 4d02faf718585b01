"""The rules by which runs are ordered, each a file of its name that declares it as ``RULE``."""

from importlib import import_module
from typing import Literal, get_args

from lexiframe.orderings.ordering_rules import OrderingRule

Method = Literal[
    "mean", "mean_z", "mean_rank", "win_rate", "borda", "copeland", "mc4", "kemeny",
    "bradley_terry",
]  # fmt: skip

RULES: dict[str, OrderingRule] = {
    name: import_module(f"{__name__}.{name}").RULE for name in get_args(Method)
}
