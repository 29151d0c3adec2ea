"""``lockstep logs``: shows the logs of all members of a gang."""

import asyncio
import re
import sys
from collections.abc import Callable
from typing import Any

import click
import orjson

from coschedule import GangKey
from lockstep.answers.member_logs import MOST_FOLLOWED, LogEntry, LogsRequest, follow_logs, show_logs
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.sweeps.run_logs import show_run_logs
from lockstep.api.client.configuration import load_configuration, usual_namespace
from lockstep.cli.colours import is_colourful
from lockstep.cli.options.answer_options import namespace_option, one_sentence, output_option, print_lines
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.gang_argument import KeyIn, gang_or_sweep_argument
from lockstep.cli.options.run_option import run_option
from lockstep.facts.runs.sweep_keys import is_sweep, sweep_name
from lockstep.facts.runs.sweep_run import run_name

_RANKS = re.compile(r"[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*")
_COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red")


def _ranks(_context: click.Context, _option: click.Parameter, value: str | None) -> str:
    if value is not None and not _RANKS.fullmatch(value):
        raise click.BadParameter(f"{value} is neither a rank nor a list of ranks such as 0-3,7")
    return value or ""


@click.command(context_settings={"show_default": True})
@gang_or_sweep_argument
@run_option("Show one run of a sweep only, such as 17. Default: all runs that have a GangJob.")
@click.option(
    "--rank",
    "ranks",
    metavar="RANKS",
    callback=_ranks,
    help="Show the members with these ranks only, such as 3 or 0-3,7. Default: all members.",
)
@click.option(
    "-c",
    "--container",
    metavar="NAME",
    default="",
    help="Container of the members. Default: the pod's default container, else its first.",
)
@click.option("-f", "--follow", is_flag=True, help="Print new lines until the gang has ended, also of later attempts.")
@click.option(
    "--tail",
    metavar="N",
    type=click.IntRange(0),
    help="Print only the last N lines of each member. Default: all lines.",
)
@namespace_option
@connection_options
@output_option
def logs(gang: KeyIn, namespace: str | None, output: str, *, runs: str, follow: bool, **options: Any) -> None:
    """Show the logs of a gang's members. Each line begins with the rank of its member.

    For example: lockstep logs gj/heat --rank 0-3 --follow

    The command prints the logs of the gang's last attempt, one member after the other. With --follow it prints new
    lines of all members as they come. If some members do not run yet, the command lists them and fails.
    """
    connection = {name: options[name] for name in ("kubeconfig", "context")}
    with one_sentence():
        key = _of_one_run(gang(namespace or usual_namespace(**connection)), runs, follow=follow)
        request = LogsRequest(key, options["ranks"], options["container"], options["tail"])
        if not asyncio.run(_show(connection, request, _show_as(output), follow=follow)):
            sys.exit(1)


def _of_one_run(key: GangKey, runs: str, *, follow: bool) -> GangKey:
    """The key of the GangJob of the requested run of a sweep; without a run, the key as it is."""
    if is_sweep(key) and runs.isdecimal():
        return GangKey(key.namespace, run_name(sweep_name(key), int(runs)))
    if runs or (is_sweep(key) and follow):
        raise click.UsageError(
            "--run takes the number of one run, and works only with sweep/NAME. To follow a sweep, give --run too."
        )
    return key


async def _show(
    connection: dict[str, str | None], request: LogsRequest, show: Callable[[LogEntry], None], *, follow: bool
) -> bool:
    async with one_client(load_configuration(**connection), connections=MOST_FOLLOWED) as client:
        if is_sweep(request.gang):
            return await show_run_logs(client, request.gang, request, show)
        return await (follow_logs if follow else show_logs)(client, request, show)


def _show_as(output: str) -> Callable[[LogEntry], None]:
    if output == "json":
        return _show_json
    return _show_coloured if is_colourful() else _show_plain


def _show_plain(entry: LogEntry) -> None:
    _show_prefixed(entry, _prefix(entry))


def _show_coloured(entry: LogEntry) -> None:
    _show_prefixed(entry, click.style(_prefix(entry), fg=_COLOURS[(entry.rank or 0) % len(_COLOURS)]))


def _show_prefixed(entry: LogEntry, prefix: str) -> None:
    if entry.line is None:
        print_lines([_prefix(entry) + entry.notice], err=True)
    else:
        # Output of members is passed on unchanged, as bytes.
        click.echo(prefix.encode() + entry.line)


def _prefix(entry: LogEntry) -> str:
    return "" if entry.rank is None else f"[{entry.rank}] "


def _show_json(entry: LogEntry) -> None:
    about = {"rank": entry.rank, "attempt": entry.attempt, "pod": entry.pod}
    content = {"notice": entry.notice} if entry.line is None else {"line": entry.line.decode(errors="replace")}
    click.echo(orjson.dumps({**about, **content}).decode())
