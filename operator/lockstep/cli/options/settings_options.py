"""Completes the options of a command with the settings that the operator has published."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import click
from click.core import ParameterSource

from lockstep.answers.plan.text import wrapped
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.operators_settings import UnknownSettingsError, read_settings
from lockstep.api.client.configuration import Configuration
from lockstep.api.cluster.published_settings import USUAL_PLACE
from lockstep.cli.options.answer_options import print_lines
from lockstep.cli.options.plan_options import OLD_NAMES

Options = Mapping[str, Any]

# The sources of a value that the user has given. A value under an option's old name is in the default map.
_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)
_SETTINGS = click.option(
    "--settings",
    metavar="NAMESPACE/NAME",
    default=USUAL_PLACE,
    callback=lambda _context, _option, value: _checked(value),
    help="ConfigMap with the operator's planning options. Options of this command override it.",
)


def settings_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for the place of the operator's settings to a command."""
    return _SETTINGS(command)


def with_operators(options: Options, configuration: Configuration) -> Options:
    """The options of the current command. Options that are not given have the operator's values.

    If the operator's values are unknown, a sentence on standard error names the defaults. Raises ``AnswerError``.
    """
    try:
        published = asyncio.run(_read(configuration, options["settings"]))
        return {**options, **taken(click.get_current_context(), published)}
    except (UnknownSettingsError, click.BadParameter) as error:
        why = error.message if isinstance(error, click.BadParameter) else str(error)
        print_lines(wrapped(_assumed(why, options)), err=True)
        return options


def taken(context: click.Context, published: Mapping[str, str]) -> dict[str, Any]:
    """The published values of options that are not given, parsed as on the command line.

    Raises ``click.BadParameter``.
    """
    values = {}
    for option in context.command.params:
        text = _published(option.opts[0].removeprefix("--"), published)
        if text is None or not option.expose_value or option.name is None:
            continue
        if context.get_parameter_source(option.name) in _GIVEN:
            continue
        typed = option.type.split_envvar_value(text) if option.multiple else text
        value = option.type_cast_value(context, typed)
        values[option.name] = value if option.callback is None else option.callback(context, option, value)
    return values


def _published(name: str, published: Mapping[str, str]) -> str | None:
    """The published value of an option; None if it is not published.

    An older operator publishes it under the old name.
    """
    return published.get(name, published.get(OLD_NAMES.get(name, "")))


async def _read(configuration: Configuration, place: str) -> dict[str, str]:
    async with one_client(configuration) as client:
        return await read_settings(client, place)


def _assumed(why: str, options: Options) -> str:
    gate = f"gate image {options['gate_image']}" if options["gate_image"] else "no gate image"
    nodes = "the nodes of --node-selector" if options["node_selector"] else "all nodes"
    rules = f"sizing {options['sizing']} with price factor {options['price_factor']:g}, promises {options['promises']}"
    gangs = "the Gangs of --sources" if options["sources"] else "no Gangs"
    return f"The operator's options are not known, since {why}. This plan assumes: {gate}, {nodes}, {rules}, {gangs}."


def _checked(place: str) -> str:
    namespace, _, name = place.partition("/")
    if not (namespace and name) or "/" in name:
        message = f"{place} is not NAMESPACE/NAME"
        raise click.BadParameter(message)
    return place
