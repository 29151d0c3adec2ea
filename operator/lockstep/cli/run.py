"""``lockstep run``: the operator itself."""

import asyncio
import logging
import sys
from typing import Any

import click

from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.configuration import ConfigError, load_configuration
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.durations import as_seconds
from lockstep.cli.options.election_options import election_options, take_election_terms
from lockstep.cli.options.listen_options import EVERYWHERE, host_option, port_option
from lockstep.cli.options.log_options import log_options
from lockstep.cli.options.plan_options import member_options, plan_options
from lockstep.cli.options.source_options import source_options
from lockstep.cli.options.switches import switch
from lockstep.logs.formats import LogFormat
from lockstep.logs.setup import set_up_logs
from lockstep.process.election.elector import LeaseLostError
from lockstep.process.serve import serve
from lockstep.process.stores.errors import StartError
from lockstep.process.stores.settings import Settings

log = logging.getLogger(__name__)

# In seconds. While a thread makes a plan, the event loop waits this long for its turn after each answer of the API
# server. Python's default of 5 ms would delay gangs: an answer that takes 2 ms would be handled after 7 ms. With this
# value, plans take 2 % longer.
_SWITCH_SECONDS = 0.0005


@click.command(context_settings={"show_default": True})
@connection_options
@host_option("--listen-host", EVERYWHERE, "Address to listen on for /healthz, /readyz and /metrics.")
@port_option("--listen-port", 8080, "Port for /healthz, /readyz and /metrics. 0 means any free port.")
@host_option(
    "--debug-listen-host",
    "127.0.0.1",
    "Address to listen on for /debug/snapshot and /timeline. These pages show names of gangs and nodes.",
)
@port_option("--debug-listen-port", 8081, "Port for /debug/snapshot and /timeline. 0 means any free port.")
@switch(
    "--metrics-secure",
    "Whether /metrics needs TLS and a token. The owner of the token needs the right to get the URL /metrics.",
)
@port_option(
    "--metrics-listen-port", 8443, "Port for secured /metrics, on the address of --listen-host. 0 means any free port."
)
@click.option(
    "--metrics-cert-dir",
    metavar="DIR",
    help="Folder with tls.crt and tls.key for secured /metrics. Changed files are read again.",
)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(1, 1024),
    default=64,
    help="Maximum number of concurrent writes to the API server.",
)
@plan_options
@click.option(
    "--unreachable-after",
    metavar="DURATION",
    default="5m",
    callback=as_seconds,
    help="How long a node may be unreachable before its members count as lost.",
)
@click.option(
    "--provision-timeout",
    metavar="DURATION",
    default="10m",
    callback=as_seconds,
    help="How long an attempt may wait for the volumes of its members.",
)
@click.option(
    "--provisioning-requests",
    metavar="CLASS",
    default="",
    help="Class of the ProvisioningRequests with which the operator asks a cluster autoscaler for nodes. Default: it "
    "asks for none.",
)
@source_options
@switch(
    "--tenant-answers",
    "Whether `lockstep answers` runs in this cluster. If it fails, the operator deletes its APIService.",
)
@switch(
    "--record",
    "Whether the operator writes records of gangs for the recorder, into ConfigMaps in the namespace of the lease.",
)
@switch(
    "--record-users",
    "Whether records name the user who created a gang. This needs the admission policies of "
    "operator/record-users.yaml.",
)
@member_options
@log_options()
@election_options
def run(**options: Any) -> None:
    """Run the operator until SIGTERM or SIGINT.

    For example: lockstep run --leader-elect=false --log-level debug

    You can also set each option by an environment variable: LOCKSTEP_RUN_LISTEN_PORT sets --listen-port.
    """
    settings = Settings(election=take_election_terms(options), **options)
    set_up_logs(settings.log_level, settings.log_format)
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        configuration = load_configuration(kubeconfig=settings.kubeconfig, context=settings.context)
        asyncio.run(serve(settings, configuration))
    except (ApiUnavailableError, ConfigError, LeaseLostError, StartError) as error:
        if settings.log_format is LogFormat.JSON:
            log.critical("%s", error)
            raise SystemExit(1) from error
        raise click.ClickException(str(error)) from error
