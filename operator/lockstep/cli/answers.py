"""``lockstep answers``: the server of answers for tenants, an extension API server."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lockstep.answers.plan.rules import PlanRules
from lockstep.api.client.configuration import ConfigError, load_configuration
from lockstep.belief.state import State
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.listen_options import listen_options
from lockstep.cli.options.log_options import log_options
from lockstep.cli.options.plan_options import member_options, plan_options, rules_of, state_of
from lockstep.cli.options.settings_options import settings_option, taken
from lockstep.cli.options.source_options import yielding_options
from lockstep.logs.setup import set_up_logs
from lockstep.process.stores.errors import StartError
from lockstep.tenants.history.recorder_client import RecorderPlace
from lockstep.tenants.registration import OwnService
from lockstep.tenants.serving import ServerSettings, answer_tenants


@click.command(context_settings={"show_default": True})
@click.option(
    "--service", metavar="NAMESPACE/NAME", required=True, help="Service by which the API server reaches this server."
)
@click.option(
    "--service-port", metavar="PORT", type=click.IntRange(1, 65_535), default=443, help="Port of the Service."
)
@listen_options
@click.option(
    "--certificates",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder with tls.crt, tls.key and ca.crt, the CA that signed tls.crt. Changed files are read again.",
)
@click.option(
    "--recorder", metavar="HOST:PORT", help="Address of the recorder. Without it, answers contain no history."
)
@click.option(
    "--recorder-certificates",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder with tls.crt, tls.key and ca.crt for the connection to the recorder.",
)
@settings_option
@connection_options
@log_options()
def answers(*, service: str, service_port: int, listen_host: str, listen_port: int, **given: Any) -> None:
    """Serve the cluster's API for tenants, behind the API server, until SIGTERM or SIGINT.

    For example: lockstep answers --service lockstep-system/lockstep-answers --certificates /etc/lockstep/tls
    """
    set_up_logs(given["log_level"], given["log_format"])
    namespace, _, name = service.partition("/")
    own = OwnService(namespace, name, service_port, given["certificates"])
    settings = ServerSettings(
        host=listen_host, port=listen_port, service=own, settings=given["settings"], recorder=_recorder(given)
    )
    try:
        configuration = load_configuration(kubeconfig=given["kubeconfig"], context=given["context"])
        asyncio.run(answer_tenants(configuration, settings, state_and_rules))
    except (ConfigError, StartError) as error:
        raise click.ClickException(str(error)) from error


def _recorder(given: Mapping[str, Any]) -> RecorderPlace | None:
    """The address of the recorder; None if the server asks no recorder."""
    address, certificates = given["recorder"], given["recorder_certificates"]
    if address is None and certificates is None:
        return None
    host, _, port = (address or "").rpartition(":")
    if not host or not port.isdecimal() or certificates is None:
        raise click.UsageError("give both --recorder HOST:PORT and --recorder-certificates DIR, or neither.")
    return RecorderPlace(host, int(port), certificates)


def state_and_rules(published: Mapping[str, str]) -> tuple[State, PlanRules]:
    """An empty cache and the rules of planning, made from published settings. Raises ``ValueError``."""
    context = _published.make_context("published", [])
    try:
        options = {**context.params, **taken(context, published)}
    except click.BadParameter as error:
        raise ValueError(error.message) from error
    return state_of(options), rules_of(options)


@click.command()
@plan_options
@member_options
@yielding_options
def _published(**_: Any) -> None:
    """The options that an operator publishes. This command only parses them, and never runs."""
