"""Old names of options: each goes on working, also in its environment variable, and says so on standard error."""

from collections.abc import Callable, Mapping
from typing import Any

import click

Command = Callable[..., Any]

OLD_NAMES: Mapping[str, str] = {"keep-nodes-free-for": "hold-for", "keep-nodes-free-gangs": "holding-gangs"}
"""The old name of each option that has another one by now."""


def with_old_names(command: Command) -> Command:
    """Add the old names to a command that has the options. A value under the new name wins."""
    for name, old in OLD_NAMES.items():
        command = _old_name(name, old)(command)
    return command


def _old_name(name: str, old: str) -> Callable[[Command], Command]:
    def pass_on(context: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            click.echo(f"--{old} is the old name of --{name}, and goes on working.", err=True)
            context.default_map = {**(context.default_map or {}), name.replace("-", "_"): value}

    # Eager: its value has to be there before the option under its new name takes its default.
    return click.option(f"--{old}", hidden=True, is_eager=True, expose_value=False, callback=pass_on)
