"""How commands are found and their parameters become options, which Typer parses."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import is_dataclass
from functools import partial, wraps
from importlib import import_module
from inspect import Parameter, Signature, getdoc, signature
from operator import getitem
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from lexiframe import features
from lexiframe.core.base import LexiframeError, printed
from lexiframe.core.cli import commands

PANELS = ("Compare runs", "Files", "Help")
"""The panels of ``lexiframe --help``, in the order in which they are shown."""


class Commands(TyperGroup):
    """The commands, found in their folder; a module is imported when its command is called.

    What help says of a command is read from its file, as importing all of them takes a second, and
    only if somebody asks for help, or for a command that there is not.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command without its help text."""
        if not self.commands and cmd_name in _command_files():
            return TyperCommand(cmd_name)
        self.list_commands(ctx)  # for an error message, which suggests one of them
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        if not self.commands:
            listed = [_listed_command(*of) for of in sorted(_command_files().items())]
            self.commands = {
                str(command.name): command
                for command in sorted(
                    listed, key=lambda c: (PANELS.index(c.rich_help_panel), c.name)
                )
            }
        return super().list_commands(ctx)

    def invoke(self, ctx: Any) -> Any:
        """Carry out a command; its output is written for a terminal."""
        with printed.written_for("terminal"):
            return super().invoke(ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags show no type in the help."""
        return _plain_flags(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command that is called, the command, and its arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and _imported(str(name)), rest


def _command_files() -> dict[str, Path]:
    """Return the files of all commands, by the command's name."""
    folder = Path(str(commands.__file__)).parent
    of_features = {name: file for name, (_, file) in features.commands().items()}
    return {file.stem: file for file in folder.glob("[!_]*.py")} | of_features


def _listed_command(name: str, file: Path) -> Any:
    """Return a command as ``lexiframe --help`` shows it."""
    tree = ast.parse(file.read_text(encoding="utf-8")).body
    functions = {part.name: part for part in tree if isinstance(part, ast.FunctionDef)}
    values = {ast.unparse(p.targets[0]): p.value for p in tree if isinstance(p, ast.Assign)}
    said = ast.get_docstring(functions[name])
    panel = ast.literal_eval(values["PANEL"])
    return TyperCommand(name, help=said, rich_help_panel=panel)


def _imported(name: str) -> Any:
    """Return a command with its options."""
    of_features = features.commands()
    place = of_features[name][0] if name in of_features else f"{commands.__name__}.{name}"
    module = import_module(place)
    app = typer.Typer(add_completion=False)
    add = app.command(name, cls=OneValueEach)
    called = take_options(getattr(module, name))
    # Typer would break lines where the docstring does
    called.__doc__ = re.sub(r"(?<=\S)\n(?=\S)", " ", getdoc(called) or "")
    add(called)
    command: Any = typer.main.get_command(app)
    command.examples = module.EXAMPLES
    texts = {p.name for p in signature(called).parameters.values() if _is_text(p.annotation)}
    for param in command.params:
        vars(param)["process_value"] = partial(_processed, param, param.name in texts)
        if isinstance(param, TyperArgument):  # help would say that it is a <list[str]>
            vars(param)["display_type_rich"] = lambda ctx: None
            vars(param)["get_usage_pieces"] = partial(_in_usage, param)
    return command


def _is_text(kind: Any) -> bool:
    """Return whether a type is text, as on the command line, or a list of text."""
    return get_args(kind)[0] in (str, str | None, list[str], list[str] | None)


def _processed(param: Any, is_text: bool, ctx: Any, value: Any) -> Any:
    """Return the value of a parameter: text and defaults pass unvalidated.

    Typer lets pydantic check all other values, which takes a tenth of a short command to import.
    """
    missing = param.required and not value
    if param.callback or missing or not (is_text or value is param.get_default(ctx)):
        return type(param).process_value(param, ctx, value)
    several = param.multiple or param.nargs == -1
    return [*(value or ())] if several else value


def _in_usage(param: Any, ctx: Any) -> list[str]:
    """Return an argument as the usage names it, in brackets if it may be left out."""
    return [param.metavar if param.required else f"[{param.metavar}]"]


def examples(*commands: str) -> str:
    """Return the end of the help of all commands: examples, each on a line of its own."""
    return "\n\n".join(["Examples:", *(f"  lexiframe {command}" for command in commands)])


def _plain_flags(params: list[Any]) -> list[Any]:
    """Return parameters whose flags show no type, as they take no value, and are not checked."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
            param.default = param.default or False  # what is no bool is checked, see `_processed`
    return params


class OneValueEach(TyperCommand):
    """A command that refuses an option given twice if it takes one value.

    Click would take the last value and not say so: ``--test t --test sign`` tests once. Its help
    lists the usual options, on a screen of 40 lines, and says where the others are.
    """

    examples: Sequence[str] = ()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help: all of it, or a first paragraph, the usual options and two examples.

        Examples keep their lines, which panels would break.
        """
        from lexiframe.core.cli.options import first_sentence

        examples, rest = self.examples, []
        for param in self.params:
            vars(param)["help"] = first_sentence(
                str(param.name), getattr(param, "help", None) or ""
            )
        if any(param.hidden for param in self.params):  # type: ignore[attr-defined]
            self.help, *_ = str(self.help).split("\n\n")
            n = sum(isinstance(p, TyperOption) and p.expose_value for p in self.params)
            examples = examples[:2]
            rest = ["", f" All {n} options: lexiframe {self.name} --help-all"]
        super().format_help(ctx, formatter)
        lines = [" Examples:", *(f" lexiframe {example}" for example in examples), *rest]
        formatter.write("\n".join(lines))

    def invoke(self, ctx: Any) -> Any:
        """Carry out a command; its output is written for a terminal."""
        with printed.written_for("terminal"):
            return super().invoke(ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; help leaves itself out where it lists the usual options."""
        params = _plain_flags(super().get_params(ctx))
        is_short = any(param.hidden for param in self.params)  # type: ignore[attr-defined]
        for param in params[len(self.params) :]:
            param.hidden = is_short
        return params

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command; the parser notes each option that it meets."""
        _, _, met = self.make_parser(ctx).parse_args(args=[*args])
        try:
            rest = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.replace("Value error, ", "")  # pydantic's own words
            raise
        for option, n in Counter(met).items():
            takes_one = isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
            if takes_one and n > 1:
                name = max(option.opts, key=len)
                ctx.fail(f"{name}: expected one value, found {n}; give the option once")
        return rest


def _show_all_help(ctx: typer.Context, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    for param in ctx.command.params:
        param.hidden = False  # type: ignore[attr-defined]
    typer.echo(ctx.get_help(), color=ctx.color)
    ctx.exit()


HelpAll = Annotated[
    bool,
    typer.Option(
        "--help-all",
        callback=_show_all_help,
        is_eager=True,
        expose_value=False,
        hidden=True,
        help="Show all options, those that few need too.",
    ),
]


def take_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see a command's parameters, and the fields of its dataclasses, as options."""
    declared = _declared_parameters(command)

    @wraps(command)
    def of_options(**given: Any) -> None:
        from lexiframe.core.cli.arguments import explained
        from lexiframe.core.cli.inputs import InputOptions

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

    options = [*_options(declared)]
    if any(option.annotation.__metadata__[0].hidden for option in options):
        help_all = Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=HelpAll)
        options.append(help_all)
    vars(of_options)["__signature__"] = Signature(options)  # Typer reads these
    return of_options


def _declared_parameters(declared: Any) -> list[Parameter]:
    """Return the parameters of a function or a dataclass with their types."""
    types = get_type_hints(declared, include_extras=True)
    parameters = signature(declared).parameters.values()
    return [parameter.replace(annotation=types[parameter.name]) for parameter in parameters]


def _options(declared: Iterable[Parameter]) -> Iterable[Parameter]:
    """Return parameters in Typer's form: values only, each with its help text."""
    from lexiframe.core.cli.options import OPTIONS

    for parameter in declared:
        kind = parameter.annotation
        if is_dataclass(kind):
            yield from _options(_declared_parameters(kind))
            continue
        if passed := _passed(parameter):
            yield from _options(passed.options())
            continue
        info: Any = copy(OPTIONS.get(parameter.name))
        if get_origin(kind) is Annotated:  # the command itself says what the option is for
            kind, info = kind.__origin__, copy(kind.__metadata__[0])
        if kind is bool and not info.param_decls:  # without --no-... beside it
            info.param_decls = (f"--{parameter.name.replace('_', '-')}",)
        known = Annotated, (kind, info)
        yield parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=getitem(*known))


def _passed(parameter: Parameter) -> Any:
    """Return the function's parameters for which a parameter of a command stands; None if none."""
    from lexiframe.core.cli.options import Passed

    said = getattr(parameter.annotation, "__metadata__", ())
    return next((one for one in said if isinstance(one, Passed)), None)


def _built(parameter: Parameter, given: Mapping[str, Any]) -> Any:
    """Return the value of a parameter; a dataclass is built from the options of its fields."""
    kind = parameter.annotation
    if passed := _passed(parameter):
        return passed.given(given)
    if not is_dataclass(kind):
        return given[parameter.name]
    return kind(**{field.name: _built(field, given) for field in _declared_parameters(kind)})  # type: ignore[operator]
