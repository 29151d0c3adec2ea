"""The argument that names a gang, in the form of kubectl: gj/NAME or gang/NAME, or only the name of a GangJob.

Commands print the names of Gangs with their namespace, as NAMESPACE/gang/NAME. This form is accepted too.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, Self

import click

from coschedule import GangKey
from lockstep.cli.options.gang_names import (
    GANG_JOB_WORDS,
    GANG_WORDS,
    SWEEP_WORDS,
    complete_any_gang,
    complete_gang,
    complete_gang_or_sweep,
)
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.runs.sweep_keys import sweep_key

Command = Callable[..., Any]
KeyIn = Callable[[str], GangKey]
"""Returns the key of a gang in a namespace that is known later."""


# Text that does not match is not a name, and must not become a part of a URL.
_NAME = re.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def gang_argument(command: Command) -> Command:
    """Add the argument ``gang`` for a GangJob to a command. Its value is the name."""
    return click.argument("gang", metavar="gj/NAME", callback=_gang_job_name, shell_complete=complete_gang)(command)


def any_gang_argument(command: Command) -> Command:
    """Add the argument ``gang`` for a GangJob, a Gang or a GangSweep to a command. Its value is a ``KeyIn``."""
    metavar = "gj/NAME|gang/NAME|sweep/NAME"
    return click.argument("gang", metavar=metavar, callback=_any_gang, shell_complete=complete_any_gang)(command)


def gang_or_sweep_argument(command: Command) -> Command:
    """Add the argument ``gang`` for a GangJob or a GangSweep to a command. Its value is a ``KeyIn``."""
    complete = complete_gang_or_sweep
    return click.argument("gang", metavar="gj/NAME|sweep/NAME", callback=_gang_or_sweep, shell_complete=complete)(
        command
    )


class _Typed(NamedTuple):
    """The parts of an argument: KIND/NAME as in kubectl, NAME, or NAMESPACE/KIND/NAME as commands print it."""

    text: str
    namespace: str
    kind: str
    name: str

    @classmethod
    def of(cls, text: str) -> Self:
        before, _, name = text.rpartition("/")
        namespace, _, kind = before.rpartition("/")
        return cls(text, namespace, kind.lower(), name)

    def is_of(self, kinds: frozenset[str]) -> bool:
        """Whether it names an object of one of these kinds, or has only a name."""
        are_names = _NAME.fullmatch(self.name) and (not self.namespace or _NAME.fullmatch(self.namespace))
        return bool(are_names) and (self.kind in kinds or self.text == self.name)

    def refuse(self, otherwise: str) -> NoReturn:
        """Raise ``click.BadParameter``.

        If the argument names a Gang, the message says so. Otherwise the message ends with ``otherwise``.
        """
        if self.is_of(GANG_WORDS):
            raise click.BadParameter(
                f"{self.text} is a Gang, and this command works only if Lockstep creates the pods: use kubectl "
                "for the pods of the Gang and for their owner"
            )
        raise click.BadParameter(f"{self.text} {otherwise}")

    def key(self, namespace: str) -> GangKey:
        """The key in the namespace of the argument, or else in ``namespace``.

        Raises ``click.UsageError`` if the option ``--namespace`` names another namespace than the argument.
        """
        given = click.get_current_context().params.get("namespace")
        if self.namespace and given and given != self.namespace:
            raise click.UsageError(f"{self.text} is in namespace {self.namespace}, and --namespace is {given}")
        in_namespace = self.namespace or namespace
        if self.kind in SWEEP_WORDS:
            return sweep_key(in_namespace, self.name)
        if self.kind in GANG_WORDS:
            return pod_gang_key(in_namespace, self.name)
        return GangKey(in_namespace, self.name)


def _gang_or_sweep(_context: click.Context, _argument: click.Parameter, value: str) -> KeyIn:
    typed = _Typed.of(value)
    if not typed.is_of(GANG_JOB_WORDS | SWEEP_WORDS):
        typed.refuse("names neither a GangJob nor a GangSweep: write gj/NAME or sweep/NAME")
    return typed.key


def _gang_job_name(_context: click.Context, _argument: click.Parameter, value: str) -> str:
    """The name of a GangJob, without its kind."""
    typed = _Typed.of(value)
    if typed.namespace or not typed.is_of(GANG_JOB_WORDS):
        typed.refuse("names no GangJob: write gj/NAME")
    return typed.name


def _any_gang(_context: click.Context, _argument: click.Parameter, value: str) -> KeyIn:
    typed = _Typed.of(value)
    if not typed.is_of(GANG_JOB_WORDS | GANG_WORDS | SWEEP_WORDS):
        raise click.BadParameter(
            f"{value} names no GangJob, Gang or GangSweep: write gj/NAME, gang/NAME or sweep/NAME. kubectl get gangs "
            "lists the Gangs of Jobs and other owners"
        )
    return typed.key
