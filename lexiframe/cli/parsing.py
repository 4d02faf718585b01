"""How commands are found and their parameters become options, which Typer parses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from operator import getitem
from pkgutil import iter_modules
from typing import Annotated, Any, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from lexiframe.base import LexiframeError
from lexiframe.cli import commands

PANELS = ("Compare runs", "Files", "Help")
"""The panels of ``lexiframe --help``, in the order in which they are shown."""


class Commands(TyperGroup):
    """The commands, found in their folder; a module is imported when its command is needed."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        names = sorted(module.name for module in iter_modules(commands.__path__))
        self.commands: dict[str, Any] = dict.fromkeys(names)  # Typer suggests one of them

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, panel by panel."""
        return sorted(self.commands, key=lambda name: (PANELS.index(_module(name).PANEL), name))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None if there is none of this name."""
        if cmd_name not in self.commands:
            return None
        module = _module(cmd_name)
        app = typer.Typer(add_completion=False)
        add = app.command(
            cmd_name,
            cls=OneValueEach,
            epilog=examples(*module.EXAMPLES),
            rich_help_panel=module.PANEL,
        )
        add(with_options(getattr(module, cmd_name)))
        return typer.main.get_command(app)


def _module(name: str) -> Any:
    return import_module(f"{commands.__name__}.{name}")


def examples(*commands: str) -> str:
    """Return the end of a command's help: examples, each on a line of its own."""
    return "\n\n".join(["Examples:", *(f"  lexiframe {command}" for command in commands)])


class OneValueEach(TyperCommand):
    """A command that refuses an option given twice if it takes one value.

    Click would take the last value and not say so: ``--test t --test sign`` tests once.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command; the parser notes each option that it meets."""
        _, _, met = self.make_parser(ctx).parse_args(args=[*args])
        rest = super().parse_args(ctx, args)
        for option, n in Counter(met).items():
            takes_one = isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
            if takes_one and n > 1:
                name = max(option.opts, key=len)
                ctx.fail(f"{name}: expected one value, found {n}; give the option once")
        return rest


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see a command's parameters, and the fields of its dataclasses, as options."""
    declared = _parameters(command)

    @wraps(command)
    def of_options(**given: Any) -> None:
        from lexiframe.cli.arguments import explained
        from lexiframe.cli.inputs import InputOptions

        inputs = None
        try:
            values = {}
            for parameter in declared:
                values[parameter.name] = _built(parameter, given)
                if isinstance(values[parameter.name], InputOptions):
                    inputs = values[parameter.name]
            command(**values)
        except LexiframeError as error:
            raise explained(error, inputs.judged_files()[0]) if inputs else error from None

    vars(of_options)["__signature__"] = Signature([*_options(declared)])  # Typer reads these
    return of_options


def _parameters(declared: Any) -> list[Parameter]:
    """Return the parameters of a function or a dataclass with their types."""
    types = get_type_hints(declared, include_extras=True)
    parameters = signature(declared).parameters.values()
    return [parameter.replace(annotation=types[parameter.name]) for parameter in parameters]


def _options(declared: Iterable[Parameter]) -> Iterable[Parameter]:
    """Return parameters as Typer wants them: of values only, and each with what help says."""
    from lexiframe.cli.options import OPTIONS

    for parameter in declared:
        kind = parameter.annotation
        if is_dataclass(kind):
            yield from _options(_parameters(kind))
        elif get_origin(kind) is Annotated:
            yield parameter.replace(kind=Parameter.KEYWORD_ONLY)
        else:
            known = Annotated, (kind, OPTIONS[parameter.name])
            yield parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=getitem(*known))


def _built(parameter: Parameter, given: Mapping[str, Any]) -> Any:
    """Return the value of a parameter; a dataclass is built from the options of its fields."""
    kind = parameter.annotation
    if not is_dataclass(kind):
        return given[parameter.name]
    return kind(**{field.name: _built(field, given) for field in _parameters(kind)})  # type: ignore[operator]
